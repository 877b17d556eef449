"""What each sign of `relations` weighs, as `python -m bench.capture.fit_relations` fitted it."""

from __future__ import annotations

from collections.abc import Mapping

UPDATE: Mapping[str, float] = {
    "bias": -4.55,
    "change": 2.18,
    "changing": -2.02,
    "cosine": 1.73,
    "cover": 0.61,
    "dice": 1.35,
    "exchange": -0.77,
    "falls": -1.74,
    "former value": 0.0,
    "goals": 0.08,
    "indefinite": 0.5,
    "is calendar": -0.08,
    "is count": -1.74,
    "is name": -0.84,
    "no cosine": 0.75,
    "no value": 0.01,
    "progress": 1.51,
    "same values": 0.63,
    "shared": 2.91,
    "tally": -0.33,
    "unit": -0.41,
}

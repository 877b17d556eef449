"""What each sign of `relations` weighs, as `python -m bench.capture.fit_relations` fitted it."""

from __future__ import annotations

from collections.abc import Mapping

UPDATE: Mapping[str, float] = {
    "bias": -4.41,
    "change": 1.86,
    "changing": -0.82,
    "cosine": 1.11,
    "cover": 1.17,
    "dice": 2.64,
    "exchange": -1.73,
    "falls": -1.28,
    "former value": 0.0,
    "goals": 0.08,
    "indefinite": 0.56,
    "is calendar": -0.17,
    "is count": -0.94,
    "is name": -0.27,
    "moved to": 0.3,
    "narrower": -0.41,
    "no cosine": 0.52,
    "no value": 0.17,
    "one of many": 0.0,
    "progress": 0.92,
    "same values": 0.63,
    "shared": 1.83,
    "tally": -0.36,
    "unit": 0.43,
}

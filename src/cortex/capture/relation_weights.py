"""What each sign of `relations` weighs, as `python -m bench.capture.fit_relations` fitted it."""

from __future__ import annotations

from collections.abc import Mapping

UPDATE: Mapping[str, float] = {
    "bias": -4.99,
    "change": 1.81,
    "changing": -0.49,
    "cosine": 0.88,
    "cover": 0.97,
    "dice": 3.22,
    "exchange": -1.2,
    "falls": -1.38,
    "former value": 0.0,
    "goals": 0.12,
    "happened": -2.09,
    "indefinite": 0.87,
    "is calendar": 0.52,
    "is count": -1.03,
    "is name": -0.11,
    "moved to": 0.78,
    "narrower": -1.22,
    "no cosine": 0.45,
    "no value": 0.37,
    "one of many": 0.0,
    "progress": 1.3,
    "same values": 1.18,
    "shared": 1.55,
    "tally": 0.02,
    "unit": 1.08,
}

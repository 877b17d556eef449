"""What each sign of `relations` weighs, as `python -m bench.capture.fit_relations` fitted it."""

from __future__ import annotations

from collections.abc import Mapping

UPDATE: Mapping[str, float] = {
    "bias": -4.92,
    "change": 1.79,
    "changing": -0.46,
    "cosine": 0.86,
    "cover": 1.0,
    "dice": 3.14,
    "exchange": -1.27,
    "falls": -1.37,
    "former value": 0.0,
    "goals": 0.15,
    "happened": -2.11,
    "indefinite": 0.65,
    "is calendar": 0.52,
    "is count": -1.15,
    "is name": -0.19,
    "moved to": 0.81,
    "narrower": -1.29,
    "no cosine": 0.44,
    "no value": 0.36,
    "one of many": 0.0,
    "progress": 1.31,
    "same values": 1.19,
    "shared": 1.58,
    "tally": 0.0,
    "unit": 1.16,
}

DENIAL: Mapping[str, float] = {
    "bias": -4.68,
    "cosine": 0.23,
    "cover": 0.95,
    "dated": 0.44,
    "deed": 1.41,
    "dice": 0.52,
    "did": 1.25,
    "head": 1.54,
    "in this clause": 0.33,
    "left": -0.57,
    "met": 1.75,
    "names": 0.56,
    "names left": -0.49,
    "no cosine": 0.07,
    "of all": 1.66,
    "sort": -2.28,
    "vague": 0.04,
}

CHANGE: Mapping[str, float] = {
    "bias": -5.84,
    "apart": 0.68,
    "asked": -0.66,
    "by words": 1.21,
    "cosine": 0.73,
    "margin": 4.89,
    "news": 0.49,
    "news and cosine": -2.25,
    "news by meaning": 3.1,
    "old words": -0.91,
    "rarest": 1.62,
    "rarity": 0.1,
    "same kind": 0.8,
    "update": 0.9,
    "words": 1.02,
}

"""One name for one value: the same in every process, with every Python, in whatever order a set gives its members."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import timedelta
from enum import Enum
from typing import Any

_CHARS = 16
_AS_THEY_ARE = frozenset({str, int, float, bool})


def fingerprint(value: object) -> str:
    """A short digest of plain values, of dataclasses of them, and of mappings, sequences and sets of them."""
    return hashlib.sha256(_written(value).encode()).hexdigest()[:_CHARS]


def _written(value: object) -> str:
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def _plain(value: Any) -> Any:
    if value is None or type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, Enum):
        return _plain(value.value)
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, frozenset | set):
        return sorted((_plain(each) for each in value), key=_written)
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, timedelta):
        return value // timedelta(microseconds=1)
    # Whatever else there is has no form but its `repr`, which may be another tomorrow.
    raise TypeError(f"{type(value).__name__} has no canonical form")

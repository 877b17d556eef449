"""Lists as parameters and as results of SQLite statements."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")


def listed(values: Iterable[Any]) -> str:
    """Numbers or texts as one JSON parameter, for `IN (SELECT value FROM json_each(?))`."""
    return json.dumps(list(values))


def padded(values: list[T], to: int = 16) -> list[T]:
    """`values`, the last of them repeated: so many statements differ only in how many marks they have."""
    return values + values[-1:] * (-len(values) % to)


def numbers(joined: str | None) -> NDArray[np.int64]:
    """The whole numbers that `group_concat` joined."""
    return np.fromstring(joined, dtype=np.int64, sep=",") if joined else np.zeros(0, dtype=np.int64)

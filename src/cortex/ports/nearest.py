"""What a store needs of an engine that holds the vectors of a large tenant.

Such an engine only makes the first pass over many vectors quicker. Truth stays in the store: what the engine finds is
compared again with the stored vectors, and what it was not fed yet is compared beside it. It can be lost at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from cortex.domain.vectors import Vector
from cortex.ports.clock import Clock


@dataclass(frozen=True, slots=True)
class Watermark:
    """Up to where an engine was fed. It is kept with the points, and is lost with them."""

    feed: str
    """The run that fed it last. A store that does not know it was restored, or the points are another's."""
    fed: int = 0
    """Every point up to this id that was not dropped is there."""
    dropping: int = 0
    """No removal after this one was carried out."""
    dropped: int = 0
    """Every removal up to this one was carried out."""


class Points(NamedTuple):
    """Vectors of length one, side by side, with what they are found by. Ids start at 1, and none is used twice."""

    ids: NDArray[np.int64]
    facets: NDArray[np.int64]
    matrix: NDArray[np.float32]


class Candidates(NamedTuple):
    """The ids of points that may be the nearest, in any order, and the watermark that holds for them."""

    ids: NDArray[np.int64]
    watermark: Watermark


class Nearest(Protocol):
    """The vectors of one embedding space of one store. What is out of order is a `NearestUnavailable`.

    Everything can be done again: putting a point that is there, or dropping one that is not, changes nothing.
    """

    def watermark(self) -> Watermark | None:
        """The watermark; None where nothing was put yet, or everything was lost."""

    def put(self, points: Points, watermark: Watermark) -> None:
        """Store points, and then, or together with them, the watermark."""

    def drop(self, ids: Sequence[int]) -> None:
        """Take these points out."""

    def search(self, vector: Vector, facets: Sequence[int], limit: int) -> Candidates | None:
        """About the `limit` nearest points in these facets; None where there is no watermark.

        Every point up to `fed` of the watermark was looked at, and no removal after `dropping` was carried out.
        """

    def clear(self) -> None:
        """Remove everything, the watermark too."""

    def optimize(self, *, purge: bool = False) -> None:
        """Build and update indexes where that is worth it. With `purge`, what was dropped leaves the disk as well."""

    def describe(self) -> Mapping[str, Any]:
        """The engine, how it runs, how many points it has, and the state of its index."""

    def close(self) -> None: ...


OpenNearest = Callable[[str, int], Nearest]
"""Opens what has this name, for vectors of so many dimensions."""


@dataclass(frozen=True, slots=True)
class Acceleration:
    """How a store uses an engine for its vectors."""

    open: OpenNearest
    url: str
    """Where it is, without secrets."""
    from_vectors: int
    """It is used, and fed, from so many vectors on."""
    seconds: float
    """How long a search waits for it."""
    clock: Clock


class NearestState(StrEnum):
    """The states that `status` reports."""

    IDLE = "idle"
    """There are fewer vectors than it is used from."""
    READY = "ready"
    BEHIND = "behind"
    """Too much was not fed yet."""
    LATE = "late"
    """It did not answer in time."""
    LOST = "lost"
    """It has nothing, or what it has is not of this store."""
    UNAVAILABLE = "unavailable"


@runtime_checkable
class Accelerated(Protocol):
    """A store that can leave the first pass over its vectors to a `Nearest`."""

    def accelerate(self, acceleration: Acceleration) -> None:
        """Use it from now on."""

    def nearest_status(self) -> Mapping[str, Any] | None:
        """Where it is, how it is, how far it is behind, and what to do; None where none is used."""

    def feed_nearest(self) -> None:
        """Feed it what was committed since, or everything where it was lost, and optimize it."""

    def begin_feeding(self) -> None:
        """Feed it in the background where it is behind, unless that is being done."""

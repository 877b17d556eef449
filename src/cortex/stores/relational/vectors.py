"""Stored vectors side by side: which are worth comparing, and how near each is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cortex.domain.vectors import EmbeddingSpace, Vector, hamming, sign_codes
from cortex.errors import InvalidRequest

SCORE_DIGITS = 6
"""Scores are rounded here, so that the last bits of a sum cannot decide an order."""

LONGEST = 1.001
"""No two vectors of length one have a greater cosine."""

_SINGLE = 2.0**-23
"""More than each dimension can add to the difference between two cosines in single precision."""

Embedded = tuple[int, int, int, bytes]
"""Key, row, passage and vector."""


class Vectors(NamedTuple):
    """Vectors side by side, one to a line."""

    keys: NDArray[np.int64]
    rows: NDArray[np.int64]
    passages: NDArray[np.int64]
    matrix: NDArray[np.float32]

    @classmethod
    def of(cls, found: Sequence[Embedded], dimension: int) -> Vectors:
        """Vectors of this many dimensions."""
        keys, rows, passages, vectors = zip(*found, strict=True) if found else ((), (), (), ())
        key, row, passage = np.array([keys, rows, passages], dtype=np.int64)
        return cls(key, row, passage, matrix_of(b"".join(vectors), dimension))

    @property
    def columns(self) -> tuple[NDArray[Any], ...]:
        return self.keys, self.rows, self.passages, self.matrix

    def only(self, kept: NDArray[np.bool_] | NDArray[np.int32]) -> Vectors:
        """Those where this holds, or at these places."""
        return Vectors(self.keys[kept], self.rows[kept], self.passages[kept], self.matrix[kept])

    def cosines(self, vector: Vector) -> NDArray[np.float64]:
        """Both are of length one."""
        # In double precision: the last bits of a sum of singles depend on where in the matrix a vector stands, and
        # the same state must give the same answer, now and when it is replayed.
        cosines: NDArray[np.float64] = self.matrix.astype(np.float64) @ vector.astype(np.float64)
        return cosines


def worth_comparing(found: list[Embedded], vector: Vector, centre: bytes | None, many: int) -> list[Embedded]:
    """The `many` nearest by their codes, as `CodeIndex` would choose them; all where there are no more, or no codes."""
    if centre is None or len(found) <= many:
        return found
    middle = np.frombuffer(centre, dtype="<f4")
    if not is_even([each[3] for each in found], len(centre)):
        return found
    codes = sign_codes(matrix_of(b"".join(each[3] for each in found), len(middle)), middle)
    keys = np.array([each[0] for each in found], dtype=np.int64)
    chosen = set(choose(hamming(codes, sign_codes(vector, middle)), keys, many).tolist())
    return [each for each in found if each[0] in chosen]


def joined(parts: Sequence[Vectors]) -> Vectors:
    """Vectors of the same dimension, together."""
    return Vectors(*(np.concatenate(columns) for columns in zip(*(each.columns for each in parts), strict=True)))


def nearest_by_codes(found: Vectors, vector: Vector, centre: bytes | None, many: int) -> Vectors:
    """As `worth_comparing`, for vectors that lie side by side."""
    if centre is None or len(found.keys) <= many:
        return found
    middle = np.frombuffer(centre, dtype="<f4")
    codes = sign_codes(found.matrix, middle)
    return found.only(np.isin(found.keys, choose(hamming(codes, sign_codes(vector, middle)), found.keys, many)))


def choose(distances: NDArray[np.uint16], keys: NDArray[np.int64], many: int) -> NDArray[np.int64]:
    """The keys of the `many` nearest; ties by key, so that the same codes give the same choice."""
    if len(keys) > many:
        # A distance is one of few numbers: to count each first leaves little to sort.
        near = distances <= np.searchsorted(np.cumsum(np.bincount(distances)), many)
        distances, keys = distances[near], keys[near]
    ranked = (distances.astype(np.int64) << 44) | keys
    if len(ranked) > many:
        ranked = np.partition(ranked, many)[:many]
    return np.sort(ranked & ((1 << 44) - 1))


def promising(vector: Vector, found: Vectors, limit: int) -> Vectors:
    """Those that may be among the `limit` best, by single precision, which is quicker."""
    if len(found.keys) <= limit or limit < 1:
        return found
    with np.errstate(over="ignore", invalid="ignore"):  # a damaged vector is for the exact comparison to find
        rough = found.matrix @ vector
    error = rough_error(len(vector))
    if not (np.abs(rough) <= LONGEST - error).all():
        return found
    order = np.argsort(-rough)
    _, first = np.unique(found.rows[order], return_index=True)  # where each trace has its best passage
    if len(first) <= limit:
        return found
    last = order[np.partition(first, limit - 1)[limit - 1]]
    return found.only(rough >= rough[last] - error)


def rough_error(dimension: int) -> float:
    """By how much two cosines in single precision can be in the wrong order, and still matter."""
    return _SINGLE * dimension + 0.1**SCORE_DIGITS


def is_even(blobs: Sequence[bytes], width: int) -> bool:
    """Whether all are of this many bytes."""
    try:
        return set(map(len, blobs)) <= {width}
    except TypeError:
        return False


def matrix_of(joined: bytes, dimension: int) -> NDArray[np.float32]:
    """Stored vectors, one after the other, as one to a line."""
    return np.frombuffer(joined, dtype="<f4").reshape(-1, dimension)


def check_vector(vector: Vector, space: EmbeddingSpace) -> None:
    """Refuse a vector that does not belong into `space`."""
    if vector.shape != (space.dimension,) or not np.isfinite(vector).all():
        raise InvalidRequest(
            f"is not {space.dimension} finite numbers (shape {vector.shape})",
            field="vector",
            hint=f"embed with {space.provider}/{space.model}",
        )

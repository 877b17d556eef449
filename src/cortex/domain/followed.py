"""A file that is followed: how it was when it was last read, and the chunks it was cut into."""

from __future__ import annotations

from typing import NamedTuple

from cortex.domain.identity import TraceId

_KEPT_BITS = (1 << 63) - 1


class Stamp(NamedTuple):
    """What the file system tells of a file without opening it; a file with the same stamp was not changed."""

    size: int
    modified_ns: int
    inode: int

    @classmethod
    def of(cls, size: int, modified_ns: int, inode: int) -> Stamp:
        """The stamp as it can be kept: file systems count with 64 bits, databases with 63 and a sign."""
        return cls(size, modified_ns & _KEPT_BITS, inode & _KEPT_BITS)


class Followed(NamedTuple):
    """One file of one source, by the path it is cited by. A tuple, because there are many."""

    path: str
    source: str
    """The name of its source, and how that wants its files to be read."""
    stamp: Stamp
    hash: str = ""
    """SHA-256 of its bytes; empty where it could not be read."""
    unsettled: bool = False
    """Whether it has to be looked at again though its stamp is the same: it may have been written twice in one tick."""
    trouble: str = ""
    """Why it could not be read, where it could not."""
    chunks: tuple[TraceId, ...] = ()

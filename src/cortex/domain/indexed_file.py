"""A file that is followed: how it was when it was last read, and the chunks it was cut into."""

from __future__ import annotations

from typing import NamedTuple

from cortex.domain.identity import TraceId

STAMP_BITS = (1 << 63) - 1
"""What is kept of the numbers of a file system: it counts with 64 bits, a database with 63 and a sign."""


class IndexedFile(NamedTuple):
    """One file of one source, by the path it is cited by. A tuple, because there are many."""

    path: str
    source: str
    """The name of its source, and how that wants its files to be read."""
    size: int
    modified_ns: int
    inode: int
    """With size and time what the file system tells without opening it: where they are the same, so is the file."""
    hash: str = ""
    """SHA-256 of its bytes; empty where it could not be read."""
    unsettled: bool = False
    """Whether it has to be looked at again though all that is the same: it may have been written twice in one tick."""
    trouble: str = ""
    """Why it could not be read, where it could not."""
    chunks: tuple[TraceId, ...] = ()

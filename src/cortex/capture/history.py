"""A session's history arrives again and again, longer, cut, edited or late: which of its lines are new?

Lines are compared by digests of role and text. The stored lines are those that still stand, in their order.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cortex.domain.turn import Role

REWIND = 10
"""A longer stretch that a history no longer has was left out by the host to save room, not taken back by the user."""


@dataclass(frozen=True, slots=True)
class Line:
    """What is compared of a message, or of one part of a long one."""

    role: Role
    text: str

    @property
    def digest(self) -> str:
        said = f"{self.role}\x1f{' '.join(self.text.split())}"
        return hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


@dataclass(frozen=True, slots=True)
class Aligned:
    """What a history says beyond what is stored. Numbers are places in the lists that were compared."""

    fresh: tuple[int, ...] = ()
    """Incoming lines that are new, in their order."""
    revised: tuple[tuple[int, int], ...] = ()
    """A stored line, and the incoming line it was edited into."""
    withdrawn: tuple[int, ...] = ()
    """Stored lines that were taken back: the conversation went on from an earlier point."""


def chained(digests: Iterable[str]) -> str:
    """Stands for a whole history: equal only for the same lines in the same order."""
    return hashlib.blake2b("".join(digests).encode(), digest_size=16).hexdigest()


def continues(incoming: Sequence[str], count: int, chain: str) -> bool:
    """Whether a history begins with the one of `count` lines that `chain` stands for."""
    return 0 < count <= len(incoming) and chained(incoming[:count]) == chain


def align(stored: Sequence[Line], incoming: Sequence[Line]) -> Aligned:
    """Which of `incoming` is new, edited or taken back beside what is `stored`."""
    old, new = [line.digest for line in stored], [line.digest for line in incoming]
    same = _common(old, new)
    old, new = old[same:], new[same:]
    if same and old and new and stored[same].role is incoming[same].role:
        if new[1 : len(old)] == old[1:]:
            return Aligned(fresh=tuple(range(same + len(old), len(incoming))), revised=((same, same),))
        if len(old) <= REWIND and not set(old) & set(new):
            return Aligned(fresh=tuple(range(same, len(incoming))), withdrawn=tuple(range(same, len(stored))))
    return Aligned(fresh=tuple(same + at for at in _surplus(old, new)))


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines both begin with."""
    return next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other),
                min(len(old), len(new)))  # fmt: skip


def _surplus(old: Sequence[str], new: Sequence[str]) -> list[int]:
    """The places in `new` of lines it has more often than `old`.

    Nothing that is stored is stored again, in whatever order it comes: heads are cut away, summaries put in their
    place, late copies arrive. Where a head was cut away, a word said twice may be taken for the one before.
    """
    left = Counter(old)
    fresh = []
    for at, digest in enumerate(new):
        if left[digest]:
            left[digest] -= 1
        else:
            fresh.append(at)
    return fresh

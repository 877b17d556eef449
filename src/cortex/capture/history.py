"""A session's history arrives again and again, longer, cut, edited or late: which of its lines are new?

Lines are compared by digests of role and text. The stored lines are those that still stand, in their order.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from cortex.domain.turn import Role

LEAD = 50
"""So many turns of a transcript are waited for what another road captured ahead of it; then it is not in it."""

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


@dataclass(frozen=True, slots=True)
class TranscriptDelta:
    """What the next lines of a transcript say beyond what is stored. Numbers are places in the lists."""

    fresh: tuple[int, ...]
    """Incoming lines that are new, in their order."""
    reached: int
    """How many of the stored lines the transcript has come past."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trail:
    """How far the transcript of a session was handed over, while the session may be captured by another road too."""

    count: int = 0
    """Messages of the transcript, from its start."""
    place: int = -1
    """The turn up to which what is stored was met in the transcript, or passed over."""
    own: tuple[int, ...] = ()
    """Turns after it that came with the transcript; the others were captured ahead of it."""

    def moved(self, count: int, others: Sequence[int], reached: int, brought: Sequence[int]) -> Trail:
        """The trail after more was handed over, which met `reached` of the `others` and `brought` turns of its own."""
        own = (*self.own, *brought)
        if reached == len(others) or len(own) > LEAD:
            return Trail(count=count, place=max((self.place, *others, *own)))
        place = others[reached - 1] if reached else self.place
        return Trail(count=count, place=place, own=tuple(seq for seq in own if seq > place))


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


def follow(stored: Sequence[Line], incoming: Sequence[Line]) -> TranscriptDelta:
    """Which of `incoming` is new, where both tell a conversation from the same point on.

    Each stored line stands for one incoming line at most, so a word said again is new. Either may be ahead of the
    other, and either may leave out or word differently what the other has.
    """
    places: defaultdict[str, deque[int]] = defaultdict(deque)
    for at, line in enumerate(stored):
        places[line.digest].append(at)
    fresh, reached = [], 0
    for at, line in enumerate(incoming):
        if found := places[line.digest]:
            reached = max(reached, found.popleft() + 1)
        else:
            fresh.append(at)
    return TranscriptDelta(tuple(fresh), reached)


def holds(stored: Sequence[Line], incoming: Sequence[Line]) -> bool:
    """Whether `incoming` stands among the stored lines as it comes, one line after the other."""
    return not incoming or len(incoming) in _met(stored, incoming)


def join(stored: Sequence[Line], incoming: Sequence[Line]) -> TranscriptDelta:
    """Which of `incoming` is new, where nothing tells from what point on it was said.

    What the stored lines end with and the incoming ones begin with was said once. Without such an overlap, lines
    that stand among the stored ones as they come are known, and all others are new.
    """
    met = [0, *_met(stored, incoming)] if incoming else [0]
    if not met[-1] and len(incoming) in met[1:]:
        return TranscriptDelta((), met.index(len(incoming)))
    return TranscriptDelta(tuple(range(met[-1], len(incoming))), len(stored))


def _met(stored: Sequence[Line], incoming: Sequence[Line]) -> Iterator[int]:
    """For each stored line, how many lines of the beginning of `incoming` end with it."""
    new = [line.digest for line in incoming]
    back = _borders(new)
    met = 0
    for line in stored:
        met = _further(new, back, met, line.digest)
        yield met


def _borders(digests: Sequence[str]) -> list[int]:
    """For each beginning of `digests`, how much of it stands at its end as well."""
    borders: list[int] = []
    for digest in digests:
        borders.append(_further(digests, borders, borders[-1], digest) if borders else 0)
    return borders


def _further(digests: Sequence[str], borders: Sequence[int], met: int, digest: str) -> int:
    """How much of the beginning of `digests` is met after one more line, when `met` of it was before."""
    while met and (met == len(digests) or digests[met] != digest):
        met = borders[met - 1]
    return met + (digests[met] == digest)


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

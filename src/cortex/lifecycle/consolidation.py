"""Near-duplicates become one memory; the others stay in its history and point to it (X13, X16)."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId
from cortex.domain.importance import Origin, Origins
from cortex.domain.lanes import State
from cortex.domain.memory import MAX_TAGS, ImportanceLabel, Memory, Retention
from cortex.domain.text_similarity import FULLER, ComparedText, read, stands_for
from cortex.lifecycle.plan import Planned
from cortex.ports.store import Put

DUPLICATE = "duplicate"
"""Said in the same words."""

NEAR_DUPLICATE = "near_duplicate"
"""Said in nearly the same words."""

NEAR = 0.92
"""Calibrated cosine from which a fuller statement may stand for another (X13)."""

Pair = tuple[Memory, Memory]
"""A memory to keep, and one it may stand for."""

Nearness = Callable[[Sequence[Pair]], Sequence[float | None]]
"""How near in meaning each pair is, calibrated; None where that is not known."""

_LONGEST_FIRST = (Retention.PERMANENT, Retention.PROJECT, Retention.TTL, Retention.SESSION)
_LABELS = (ImportanceLabel.MUST_REMEMBER, ImportanceLabel.NICE_TO_HAVE, ImportanceLabel.UNKNOWN, ImportanceLabel.IGNORE)


def by_words(pairs: Sequence[Pair]) -> Sequence[float | None]:
    """Nothing is known of what they mean."""
    return [None] * len(pairs)


def plan(
    memories: Iterable[Memory],
    now: datetime,
    *,
    nearness: Nearness = by_words,
    apart: frozenset[frozenset[TraceId]] = frozenset(),
) -> list[Planned]:
    """Which memories to merge into which. `apart` are pairs that someone took apart again: they stay so."""
    blocks: dict[tuple[Any, ...], list[_ReadMemory]] = defaultdict(list)
    for memory in memories:
        if _is_current(memory, now):
            each = _ReadMemory(memory, read(memory.text))
            blocks[_block(each)].append(each)
    found = [pair for block in blocks.values() for pair in _pairs(sorted(block, key=_fullest_first), apart)]
    judged = _judged(found, nearness)
    groups: dict[TraceId, _Group] = {}
    taken: set[TraceId] = set()
    # Each memory joins the first that says all it says; one that has joined another takes in nobody.
    for kept, other in found:
        near = judged.get((kept.id, other.reading))
        if not {kept.id, other.id} & taken and stands_for(kept.reading, other.reading, near, NEAR):
            group = groups.setdefault(kept.id, _Group(kept))
            if group.takes_in(other):
                taken.add(other.id)
    return [_merged(group.kept, group.others) for group in groups.values() if group.others]


@dataclass(frozen=True, slots=True)
class _ReadMemory:
    memory: Memory
    reading: ComparedText

    @property
    def id(self) -> TraceId:
        return self.memory.id


def _block(each: _ReadMemory) -> tuple[Any, ...]:
    """What memories that may be one have exactly alike."""
    memory = each.memory
    return memory.scope, memory.kind, memory.trust, _window(memory), each.reading.fixed


def _judged(
    found: Sequence[tuple[_ReadMemory, _ReadMemory]], nearness: Nearness
) -> dict[tuple[TraceId, ComparedText], float | None]:
    """How near in meaning the pairs are; the same words need no model to compare them."""
    unlike = [(kept, other) for kept, other in found if kept.reading.order != other.reading.order]
    known = nearness([(kept.memory, other.memory) for kept, other in unlike])
    # A full stop may move a cosine over the line, so that the same words are judged by the first of them.
    judged: dict[tuple[TraceId, ComparedText], float | None] = {}
    for (kept, other), near in zip(unlike, known, strict=True):
        judged.setdefault((kept.id, other.reading), near)
    return judged


class _Group:
    """A memory to keep and those it stands for. All of them agree, not only each with the first."""

    def __init__(self, kept: _ReadMemory) -> None:
        self.kept = kept
        self.others: list[_ReadMemory] = []
        self._values = {_value(kept.memory)}
        self._ids = {kept.id}
        self._denied = set(kept.memory.contradicts)

    def takes_in(self, other: _ReadMemory) -> bool:
        """Take in one more, if it agrees with all."""
        value, contradicted = _value(other.memory), set(other.memory.contradicts)
        if other.id in self._denied or contradicted & self._ids or not all(_same(value, each) for each in self._values):
            return False
        self.others.append(other)
        self._values.add(value)
        self._ids.add(other.id)
        self._denied |= contradicted
        return True


def _is_current(memory: Memory, now: datetime) -> bool:
    return memory.state is State.ACTIVE and memory.is_alive(now)


def _fullest_first(each: _ReadMemory) -> tuple[Any, ...]:
    """The order in which memories are kept: the fullest wording, the surest, the most often said, the newest."""
    memory, reading = each.memory, each.reading
    sure = (-memory.confidence, -memory.reinforced, -memory.created_at.timestamp())
    return (-len(reading.order), -len(reading.persons), *sure, memory.id)


def _pairs(
    block: Sequence[_ReadMemory], apart: frozenset[frozenset[TraceId]]
) -> Iterator[tuple[_ReadMemory, _ReadMemory]]:
    """Pairs worth comparing, in the order in which memories are kept. `block` has that order."""
    places: dict[str, set[int]] = defaultdict(set)
    first: dict[tuple[Any, ...], int] = {}
    found: list[tuple[int, int]] = []
    lengths = [-len(each.reading.order) for each in block]
    special = {id for pair in apart for id in pair}
    for at, other in enumerate(block):
        # Of those in the same words about the same value the first stands for all the others: what takes in the one
        # takes in the others, and to compare each with each would take forever.
        memory, reading = other.memory, other.reading
        own = memory.id if memory.contradicts or memory.id in special else None
        stands_for_it = first.setdefault((reading, _value(memory), own), at)
        # What is longer by more than that shares too little with it; the longest stand first.
        near_in_length = bisect_left(lengths, -len(reading.order) * (2 / FULLER - 1))
        nearby = [before for before in _holding_all(reading.words, places) if before >= near_in_length]
        found += (
            (before, at)
            for before in {*nearby, stands_for_it} - {at}
            if _may_be_one(block[before], other) and frozenset({block[before].id, other.id}) not in apart
        )
        if stands_for_it == at:
            for word in reading.words:
                places[word].add(at)
    for before, at in sorted(found):
        yield block[before], block[at]


def _holding_all(words: Iterable[str], places: dict[str, set[int]]) -> set[int]:
    """Where all of the words stand; the rarest come first, so that little is left to look at."""
    sets = sorted((places.get(word, set()) for word in words), key=len)
    return set.intersection(*sets) if sets else set()


def _may_be_one(kept: _ReadMemory, other: _ReadMemory) -> bool:
    """Whether it is worth asking what the two mean: at the nearest they can be, one stands for the other."""
    return _agree(kept.memory, other.memory) and stands_for(kept.reading, other.reading, 1.0, NEAR)


def _agree(kept: Memory, other: Memory) -> bool:
    """Whether nothing but what they say can tell the two apart."""
    contrary = other.id in kept.contradicts or kept.id in other.contradicts
    return not contrary and _same(_value(kept), _value(other))


def _window(memory: Memory) -> tuple[Any, ...]:
    return memory.valid_from, memory.valid_to, memory.media_refs


def _value(memory: Memory) -> tuple[str, ...]:
    """What it is about and what it says of that."""
    return memory.slot or "", memory.value.casefold(), memory.subject.casefold()


def _same(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether the two differ in nothing that both of them say."""
    return all(not here or not there or here == there for here, there in zip(one, other, strict=True))


def _merged(kept: _ReadMemory, others: Sequence[_ReadMemory]) -> Planned:
    memories = [kept.memory, *(each.memory for each in others)]
    same = all(each.reading == kept.reading for each in others)
    changes = [Put(united(memories), EventKind.CONSOLIDATED)]
    changes += [
        Put(each.revised(state=State.SUPERSEDED, superseded_by=kept.id), EventKind.CONSOLIDATED)
        for each in memories[1:]
    ]
    return Planned(tuple(changes), DUPLICATE if same else NEAR_DUPLICATE, tuple(memories))


def united(memories: Sequence[Memory]) -> Memory:
    """The first memory with what all of them know: their turns and tags, the most of each weight, the longest life."""
    kept, others = memories[0], memories[1:]
    source = next((each for each in memories if each.slot), kept)
    gone = {each.id for each in others}
    refs = _all(each.source_refs for each in memories if not each.source_turns)
    return kept.from_also(*refs).revised(
        tags=_all(each.tags for each in memories)[:MAX_TAGS],
        source_turns=_all(each.source_turns for each in memories),
        contradicts=tuple(id for id in _all(each.contradicts for each in memories) if id not in gone | {kept.id}),
        reinforced=sum(each.reinforced for each in memories) + len(others),
        confidence=max(each.confidence for each in memories),
        importance=max(each.importance for each in memories),
        label=min((each.label for each in memories), key=_LABELS.index),
        subject=source.subject or _first(each.subject for each in memories),
        attribute=source.attribute,
        value=_first(each.value for each in memories),
        topic=_first(each.topic for each in memories),
        origins=_origins(memories),
        **_longest_life(memories),
    )


def _origins(memories: Sequence[Memory]) -> Origins:
    """Whose the importance of the united memory is: what an operator set stays an operator's."""
    origins = memories[0].origins
    for field in ("importance", "label"):
        if any(each.origins.get(field) for each in memories):
            strongest = max((each.origin_of(field) for each in memories), key=list(Origin).index)
            origins = origins.having([field], strongest)
    return origins


def _longest_life(memories: Sequence[Memory]) -> dict[str, Any]:
    """A duplicate that is to be kept for good must not end with one that is not."""
    kept = memories[0]
    longest = min((each.retention for each in memories), key=_LONGEST_FIRST.index)
    if longest is not Retention.TTL:
        return {"retention": longest, "ttl": kept.ttl if longest is kept.retention else None}
    ends = max(end for each in memories if (end := each.expires_at) and each.retention is Retention.TTL)
    return {"retention": longest, "ttl": max(ends - kept.created_at, kept.ttl or ends - kept.created_at)}


def _first(texts: Iterable[str]) -> str:
    return next(filter(None, texts), "")


def _all(parts: Iterable[Sequence[Any]]) -> tuple[Any, ...]:
    """Everything once, in order."""
    return tuple(dict.fromkeys(each for part in parts for each in part))

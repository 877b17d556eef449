"""The inbox: what needs a person, derived from the state of a memory, the most harmful first.

There is no queue. An item is there while its reason is, and every item can be derived again from its id alone. What no
index finds (confidence, grades, likeness) is looked for among the newest memories, so that the cost has a bound.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from cortex.domain.identity import TraceId, is_id
from cortex.domain.importance import ImportanceLabel, Origin
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import Contradiction, Kind, Memory
from cortex.domain.rejections import Rejections
from cortex.domain.text_similarity import ComparedText, alike, read, same_names
from cortex.domain.thresholds import is_extraction
from cortex.domain.trace import canonical
from cortex.domain.trust import SourceKind, TrustTier
from cortex.domain.turn import Turn
from cortex.errors import InvalidRequest
from cortex.ports.store import Filter, View

DAILY = 20
"""How many items a person is shown in a day at most."""

UNSURE_BELOW = 0.6
"""An extraction that was less sure than this is asked about."""

WINDOW = 2_000
"""How many of the newest memories are looked at for what no index finds."""

PAIRED_WINDOW = 500
"""How many of them are compared with each other."""

MOST_OF_EACH = 200
"""How many items each reason gives at most; the rest follow once these are decided."""

LIKELY = 0.75
"""Two statements that share so many of their telling words may be one."""

_JOINT = "~"
_ROUGHLY = 0.6
_COMMON = 40
"""A word that more memories than this have does not tell which two are alike."""


class InboxReason(StrEnum):
    """Why somebody should look at something, the most harmful first."""

    UNTRUSTED_RULE = "untrusted_rule"
    CONTRADICTION = "contradiction"
    QUARANTINED = "quarantined"
    UNSURE = "unsure"
    GRADER_DISAGREES = "grader_disagrees"
    REJECTED_BEFORE = "rejected_before"
    DUPLICATE = "duplicate"


_HARM = {
    InboxReason.UNTRUSTED_RULE: 0.9,  # recalled, and tells an agent what to do
    InboxReason.CONTRADICTION: 0.8,  # one of the two is false, and both are recalled
    InboxReason.QUARANTINED: 0.7,  # recalled by nobody, but something brought it in
    InboxReason.UNSURE: 0.6,
    InboxReason.GRADER_DISAGREES: 0.4,
    InboxReason.REJECTED_BEFORE: 0.3,
    InboxReason.DUPLICATE: 0.2,
}
_MOST_BY_USE = 0.09
_BY_USE = 0.02
"""What each doubling of the times it was recalled adds: what is recalled often does more harm."""

_REPEATED = 0.1
"""How much lower an item ranks for every other item about one of its memories."""

_AGAINST = frozenset({ImportanceLabel.MUST_REMEMBER, ImportanceLabel.NICE_TO_HAVE})


class Verdict(StrEnum):
    """What a person decides of an inbox item."""

    APPROVE = "approve"
    EDIT = "edit"
    REJECT = "reject"
    RULE = "rule"
    MERGE = "merge"
    SNOOZE = "snooze"


Subject = Memory | Turn
Apart = frozenset[frozenset[TraceId]]


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxItem:
    """One thing to decide: a memory or quarantined turn, or two memories beside each other, the earlier first."""

    id: str
    reasons: tuple[InboxReason, ...]
    because: tuple[str, ...]
    """The reasons in words, in the same order."""
    trace: Subject
    other: Memory | None = None
    harm: float = 0.0
    revision: str = ""
    """Stands for what it was decided on: a decision on another revision is a conflict."""

    @property
    def traces(self) -> tuple[Subject, ...]:
        return (self.trace,) if self.other is None else (self.trace, self.other)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What can be decided about it."""
        if isinstance(self.trace, Turn):
            return Verdict.APPROVE, Verdict.REJECT, Verdict.SNOOZE
        return tuple(each for each in Verdict if each is not Verdict.MERGE or InboxReason.DUPLICATE in self.reasons)

    @property
    def is_contradiction(self) -> bool:
        return InboxReason.CONTRADICTION in self.reasons


def id_of(*traces: Subject) -> str:
    """The id of the item about these."""
    return _JOINT.join(trace.id for trace in traces)


def ids_in(item: str, field: str = "id") -> tuple[TraceId, ...]:
    """What the item of this id is about."""
    ids = tuple(item.strip().lower().split(_JOINT)) if isinstance(item, str) else ()
    if not 1 <= len(ids) <= 2 or not all(map(is_id, ids)):
        given = f"{item[:80]!r} " if isinstance(item, str) else ""
        raise InvalidRequest(f"{given}is not the ID of an inbox item", field=field, hint="take it from `cortex inbox`")
    return tuple(map(TraceId, ids))


def items(
    view: View, contradictions: Iterable[Contradiction], rejections: Rejections, apart: Apart = frozenset()
) -> list[InboxItem]:
    """Everything that needs a person, most harmful first; `apart` are pairs that are known to be two statements."""
    newest = _newest(view)
    found = [_item(trace, why) for trace in _singles(view, newest) if (why := reasons(trace, rejections))]
    found += [paired(each.earlier, each.later) for each in islice(contradictions, MOST_OF_EACH)]
    found += _duplicates(newest[:PAIRED_WINDOW], apart)
    return _ranked({each.id: each for each in reversed(found)}.values())


def _ranked(found: Iterable[InboxItem]) -> list[InboxItem]:
    """The most harmful first. Each further item about the same memory comes later, so that none fills a day."""
    seen: Counter[TraceId] = Counter()
    ranked: list[tuple[float, InboxItem]] = []
    for item in sorted(found, key=lambda each: (-each.harm, each.id)):
        before = max(seen[trace.id] for trace in item.traces)
        seen.update(trace.id for trace in item.traces)
        ranked.append((item.harm - _REPEATED * before, item))
    return [item for _, item in sorted(ranked, key=lambda each: (-each[0], each[1].id))]


def reasons(trace: Subject, rejections: Rejections) -> tuple[InboxReason, ...]:
    """Why one memory or turn needs a person, by itself."""
    if trace.state is not State.ACTIVE:
        return ()
    if isinstance(trace, Turn):
        return (InboxReason.QUARANTINED,) if trace.trust is TrustTier.QUARANTINED else ()
    if trace.trust is TrustTier.QUARANTINED:
        again = rejections.has(trace.text)
        return (InboxReason.REJECTED_BEFORE if again else InboxReason.QUARANTINED,)
    checks = (
        (InboxReason.UNTRUSTED_RULE, trace.kind is Kind.RULE and trace.trust is TrustTier.UNTRUSTED),
        (InboxReason.UNSURE, _is_unsure(trace)),
        (InboxReason.GRADER_DISAGREES, _is_against(trace)),
    )
    return tuple(reason for reason, holds in checks if holds)


def single(trace: Subject, rejections: Rejections) -> InboxItem | None:
    """The item about one memory or turn, if it still needs a person."""
    why = reasons(trace, rejections)
    return _item(trace, why) if why else None


def paired(earlier: Memory, later: Memory) -> InboxItem:
    """The item about a contradiction."""
    return _item(earlier, (InboxReason.CONTRADICTION,), later)


def duplicate(one: Memory, two: Memory, apart: Apart = frozenset()) -> InboxItem | None:
    """The item about two memories that may say the same, if they still may."""
    first, second = sorted((one, two), key=lambda each: each.id)
    both = frozenset({first.id, second.id})
    if both in apart or not _may_be_one(first, second) or not _are_alike(read(first.text), read(second.text)):
        return None
    return _item(first, (InboxReason.DUPLICATE,), second)


# --- finding ----------------------------------------------------------------------------------------------------------


def _singles(view: View, newest: Sequence[Memory]) -> Iterator[Subject]:
    """What may need a person by itself: indexes find what is quarantined or an untrusted rule; the rest is recent."""
    held = frozenset({TrustTier.QUARANTINED})
    searches = (
        Filter(lanes=frozenset({Lane.MEMORIES}), states=_ACTIVE, kinds=frozenset({Kind.RULE}), trusts=_UNTRUSTED),
        Filter(lanes=frozenset({Lane.MEMORIES}), states=_ACTIVE, trusts=held),
        Filter(lanes=frozenset({Lane.SESSIONS}), states=_ACTIVE, trusts=held),
    )
    for search in searches:
        yield from (each for each in view.latest(search, None, MOST_OF_EACH) if isinstance(each, Memory | Turn))
    yield from islice(filter(_is_unsure, newest), MOST_OF_EACH)
    yield from islice(filter(_is_against, newest), MOST_OF_EACH)


_ACTIVE = frozenset({State.ACTIVE})
_UNTRUSTED = frozenset({TrustTier.UNTRUSTED})


def _newest(view: View) -> list[Memory]:
    recent = Filter(lanes=frozenset({Lane.MEMORIES}), states=_ACTIVE)
    return [each for each in view.latest(recent, None, WINDOW) if isinstance(each, Memory)]


def _is_unsure(memory: Memory) -> bool:
    return memory.confidence < UNSURE_BELOW and is_extraction(memory) and memory.source_kind is not SourceKind.OPERATOR


def _is_against(memory: Memory) -> bool:
    """Whether the grader and the extractor disagree on whether it is to be remembered at all."""
    grade = memory.grade
    if grade is None or not memory.source_turns or memory.origin_of("label") in (Origin.OPERATOR, Origin.GRADER):
        return False
    return (grade.label in _AGAINST and memory.label is ImportanceLabel.IGNORE) or (
        grade.label is ImportanceLabel.IGNORE and memory.label in _AGAINST
    )


def _duplicates(memories: Sequence[Memory], apart: Apart) -> list[InboxItem]:
    """Pairs that may be one statement; those that share no rare word are not compared."""
    blocks: dict[tuple[object, ...], list[tuple[Memory, ComparedText]]] = defaultdict(list)
    for memory in sorted(memories, key=lambda each: each.id):
        if memory.trust is not TrustTier.QUARANTINED:
            reading = read(memory.text)
            blocks[memory.scope, memory.trust, reading.fixed].append((memory, reading))
    found = (item for block in blocks.values() if len(block) > 1 for item in _pairs_in(block, apart))
    return list(islice(found, MOST_OF_EACH))


def _pairs_in(block: Sequence[tuple[Memory, ComparedText]], apart: Apart) -> Iterator[InboxItem]:
    places: dict[str, list[int]] = defaultdict(list)
    words = [frozenset(reading.words) for _, reading in block]
    for at, some in enumerate(words):
        for word in some:
            places[word].append(at)
    for at, (memory, reading) in enumerate(block):
        rare = (place for place in map(places.__getitem__, words[at]) if len(place) <= _COMMON)
        for before in sorted({before for place in rare for before in place if before < at}):
            other, compared = block[before]
            if (
                _may_share(words[before], words[at])
                and frozenset({other.id, memory.id}) not in apart
                and _may_be_one(other, memory)
                and _are_alike(compared, reading)
            ):
                yield _item(other, (InboxReason.DUPLICATE,), memory)


def _may_share(one: frozenset[str], two: frozenset[str]) -> bool:
    """Whether two texts have enough words in common to be compared at all: that takes a tenth of comparing them."""
    return 2 * len(one & two) >= _ROUGHLY * (len(one) + len(two))


def _may_be_one(one: Memory, two: Memory) -> bool:
    """Whether nothing but their words tells two memories apart."""
    if (
        one.state is not State.ACTIVE
        or two.state is not State.ACTIVE
        or TrustTier.QUARANTINED in (one.trust, two.trust)
    ):
        return False
    if (one.scope, one.trust) != (two.scope, two.trust) or one.id in two.contradicts or two.id in one.contradicts:
        return False
    if Kind.EPISODE in (one.kind, two.kind) and one.created_at.date() != two.created_at.date():
        return False
    return not (one.slot and two.slot) or (one.slot == two.slot and one.value.casefold() == two.value.casefold())


def _are_alike(one: ComparedText, two: ComparedText) -> bool:
    found = alike(one, two)
    return found.score >= LIKELY and found.same_polarity and one.fixed == two.fixed and same_names(one, two)


# --- showing ----------------------------------------------------------------------------------------------------------


def _item(trace: Subject, why: Sequence[InboxReason], other: Memory | None = None) -> InboxItem:
    ranked = tuple(sorted(why, key=lambda each: -_HARM[each]))
    traces = (trace,) if other is None else (trace, other)
    uses = max((each.access_count for each in traces if isinstance(each, Memory)), default=0)
    by_use = min(_MOST_BY_USE, _BY_USE * math.log2(1 + uses))
    return InboxItem(
        id=id_of(*traces),
        reasons=ranked,
        because=tuple(_in_words(each, trace) for each in ranked),
        trace=trace,
        other=other,
        harm=round(_HARM[ranked[0]] + by_use, 3),
        revision=_revision(traces, ranked),
    )


def _revision(traces: Iterable[Subject], why: Iterable[InboxReason]) -> str:
    graded = InboxReason.GRADER_DISAGREES in why
    said = [canonical(each.revised(grade=None) if isinstance(each, Memory) and not graded else each) for each in traces]
    return hashlib.sha256("\n".join([*said, *why]).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _in_words(why: InboxReason, trace: Subject) -> str:
    return _WORDS[why](trace)


def _unsure_words(trace: Subject) -> str:
    assert isinstance(trace, Memory)
    return f"The extractor was only {trace.confidence:.0%} sure."


def _grader_words(trace: Subject) -> str:
    assert isinstance(trace, Memory)
    assert trace.grade is not None
    of_grader, of_extractor = (each.value.replace("_", " ") for each in (trace.grade.label, trace.label))
    return f"The grader says {of_grader}, the extractor {of_extractor}."


def _plain(words: str) -> Callable[[Subject], str]:
    return lambda _: words


_WORDS: dict[InboxReason, Callable[[Subject], str]] = {
    InboxReason.UNTRUSTED_RULE: _plain("It is a rule from an untrusted source."),
    InboxReason.CONTRADICTION: _plain("The two cannot both be true."),
    InboxReason.QUARANTINED: _plain("It reads like an instruction from an untrusted source. Agents do not see it."),
    InboxReason.UNSURE: _unsure_words,
    InboxReason.GRADER_DISAGREES: _grader_words,
    InboxReason.REJECTED_BEFORE: _plain("It was rejected before and was said again. Agents do not see it."),
    InboxReason.DUPLICATE: _plain("These two may be duplicates."),
}

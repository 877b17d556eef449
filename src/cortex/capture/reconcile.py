"""What becomes of a new statement beside what is already remembered (X13, X14): pure decisions, carried out elsewhere.

One attribute of one subject is a slot, and a slot has one value: the one said last, by whom is trusted most. Statements
without a slot are only compared by what they say. A decision is a list of versions to put, so `View.history` keeps what
was there before, and `undo` puts it back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from cortex.capture import amounts, relations
from cortex.capture.amounts import AmountChange
from cortex.capture.likely_changes import Earlier, is_news, likely_changed
from cortex.capture.value_exchange import exchanges_one_value
from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId
from cortex.domain.lanes import State
from cortex.domain.memory import Kind, Memory, Retention
from cortex.domain.text_similarity import alike, covers, denies, denies_ever, is_duplicate, same_value
from cortex.domain.trace import canonical
from cortex.domain.trust import TrustTier, least
from cortex.domain.turn import Turn
from cortex.errors import Conflict
from cortex.ports.store import Change, Put, View

DUPLICATE_AT = 0.92
"""X13: from this calibrated cosine on, two statements that agree in their values are one."""

RETRACTION = "retraction"
"""The tag of a memory that says something is no longer so."""

MOST_SOURCES = 50
"""How many source turns a memory names: the first, and the newest."""

MOST_CONTRADICTIONS = 50
"""How many memories one points to as saying otherwise: a flood must not make it grow without end."""

MOST_CONFIDENT = 0.99
"""What was only said again never becomes certain."""

CORRECTED_AT = 0.5
"""How alike a correction and what it corrects are at least: it repeats what it is about, and exchanges the value."""

RETRACTED_AT = 0.8
"""From this calibrated cosine on, a retraction that agrees in its values means the statement."""

EPISODE_APART = timedelta(hours=20)
"""What happened twice in the same words, so long apart, happened twice."""


class Reconciliation(StrEnum):
    NEW = "new"
    DUPLICATE = "duplicate"
    REINFORCES = "reinforces"
    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    RETRACTS = "retracts"


@dataclass(frozen=True, slots=True)
class Known:
    """A memory that is there already, and how near it is by meaning on the calibrated scale; None: not known."""

    memory: Memory
    cosine: float | None = None
    said_at: datetime | None = None
    """When it was last said: the time of its last source turn. None where that is when it was made."""
    corrects: bool = False
    """Whether it was said, in the same batch, as a correction."""

    @property
    def last_said(self) -> datetime:
        return max(self.said_at or self.memory.created_at, self.memory.created_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What becomes of one statement, and why."""

    verdict: Reconciliation
    memory: Memory | None
    """The new memory as it is to be stored; None where nothing new is."""
    changes: tuple[Change, ...] = ()
    others: tuple[TraceId, ...] = ()
    """The memories it was decided beside: repeated, reinforced, superseded, contradicted."""
    reason: str
    replaced: tuple[tuple[Memory, Memory], ...] = ()
    """What was replaced and by what, for `outdated`."""


def decide(
    memory: Memory,
    known: Sequence[Known],
    *,
    negated: bool = False,
    corrects: bool = False,
    news: float | None = None,
    duplicate_at: float = DUPLICATE_AT,
    now: datetime,
) -> Decision:
    """What becomes of `memory` beside what is `known`: all of its slot in any state, and what says much the same.

    `negated`: it says that something is no longer so. `corrects`: it is said as a correction. `news`: how likely it
    changes anything, as log-odds; None where that was not judged.
    """
    if negated and RETRACTION not in memory.tags:
        memory = memory.revised(tags=(*memory.tags, RETRACTION))
    there = sorted((each for each in known if _is_beside(each, memory)), key=lambda each: each.memory.id)
    if again := next((each for each in there if _is_the_same_saying(memory, each, duplicate_at)), None):
        return _nothing(again, "already extracted from these turns")
    case = _Case(memory, [each for each in there if _counts(each, now)], corrects, duplicate_at, news)
    if better := next((each for each in case.repeated if _is_less_trusted(memory, each.memory)), None):
        return _nothing(better, "known from a more trusted source")
    return _retracted(case) if negated else _said(case)


def decide_all(
    memories: Sequence[Memory],
    known_for: Callable[[Memory], Sequence[Known]],
    *,
    negated: Collection[TraceId] = frozenset(),
    corrects: Collection[TraceId] = frozenset(),
    news: Mapping[TraceId, float | None] = MappingProxyType({}),
    duplicate_at: float = DUPLICATE_AT,
    now: datetime,
    cosine: Callable[[Memory, Memory], float | None] | None = None,
    admit: Callable[[Memory, Decision], bool] | None = None,
) -> list[Decision]:
    """Decide statements in the order they were said; later ones see what became of the earlier.

    `negated` and `corrects` name those that are, `news` tells how likely each changes anything, and `cosine` how near
    two statements of the batch are by meaning. What `admit` refuses is left out, as if it had not been said.
    """
    batch: dict[TraceId, Known] = {}
    decisions = []
    for memory in memories:
        stored = {each.memory.id: each for each in known_for(memory)}
        known = {id: _overlaid(each, batch.get(id)) for id, each in stored.items()}
        for id, each in batch.items():
            if id not in known and each.memory.scope == memory.scope:
                near = cosine(memory, each.memory) if cosine else None
                known[id] = replace(each, cosine=near, corrects=id in corrects)
        decision = decide(
            memory,
            list(known.values()),
            negated=memory.id in negated,
            corrects=memory.id in corrects,
            news=news.get(memory.id),
            duplicate_at=duplicate_at,
            now=now,
        )
        if admit is not None and not admit(memory, decision):
            continue
        decisions.append(decision)
        batch |= _after(decision, memory, known)
    return decisions


def outdated(new: Memory, turns: Iterable[Turn]) -> list[Change]:
    """Mark `turns`, which say what `new` replaced, as outdated by its newest turn."""
    if not new.source_turns:
        return []
    newest = new.source_turns[-1]
    return [
        Put(turn.revised(outdated_by=newest), EventKind.OUTDATED)
        for turn in turns
        if turn.id not in new.source_turns and turn.outdated_by is None
    ]


def settle(kept: Memory, others: Sequence[Memory], now: datetime) -> list[Change]:
    """What a person decides of a contradiction: `kept` is true, and replaces the others."""
    gone = [_apart(_superseded(each, kept.id, now), [kept]) for each in others]
    return [
        Put(_apart(kept, others).revised(supersedes=kept.supersedes or others[0].id), EventKind.REVISED),
        *(Put(each, EventKind.SUPERSEDED) for each in gone),
    ]


def dismiss(memory: Memory, others: Sequence[Memory]) -> list[Change]:
    """What a person decides of a contradiction that is none: all of them hold, and none points at another."""
    pointing = [each for each in others if memory.id in each.contradicts]
    free = [_apart(memory, others), *(_apart(each, [memory]) for each in pointing)]
    return [Put(each, EventKind.REVISED) for each in free]


def _apart(memory: Memory, others: Iterable[Memory]) -> Memory:
    """The memory without what points at the others."""
    gone = {each.id for each in others}
    return memory.revised(contradicts=tuple(id for id in memory.contradicts if id not in gone))


def said_at(memory: Memory, turns: Mapping[TraceId, Turn]) -> datetime:
    """When a memory was last said, as far as its source turns are among `turns`."""
    times = [turns[id].created_at for id in memory.source_turns if id in turns]
    return max([memory.created_at, *times])


def undo(changes: Iterable[Change], view: View) -> list[Change]:
    """What takes a decision back: earlier versions return, and what it made is forgotten. Its own history stays.

    Raises `Conflict` where something has changed since, for then it is no longer this decision that would be undone.
    """
    back: list[Change] = []
    for put in [change for change in changes if isinstance(change, Put)][::-1]:
        versions = [version.trace for version in view.history(put.trace.id)]
        if not versions or canonical(versions[-1]) != canonical(put.trace):
            raise Conflict(f"{put.trace.id} has changed since", hint="look at it with `cortex get`")
        if len(versions) > 1:
            back.append(Put(versions[-2], EventKind.RESTORED))
        else:
            back.append(Put(put.trace.revised(state=State.FORGOTTEN), EventKind.FORGOTTEN))
    return back


# --- who counts -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Case:
    """One statement and everything it is to be decided beside."""

    memory: Memory
    known: Sequence[Known]
    corrects: bool
    duplicate_at: float
    news: float | None = None

    @property
    def active(self) -> list[Known]:
        return [each for each in self.known if each.memory.state is State.ACTIVE]

    @property
    def repeated(self) -> list[Known]:
        """What says the same, now or before."""
        return [each for each in self.known if _says_the_same(self.memory, each, self.duplicate_at)]

    @property
    def same(self) -> list[Known]:
        """What it may be one memory with: what says the same and, where the slot has a value, is in the slot."""
        taken = any(not _is_retraction(each.memory) for each in self.slot)
        return [each for each in self.repeated if not taken or each.memory.slot == self.memory.slot]

    def relation(self, other: Known) -> relations.Relation:
        """How the later of the two statements stands to the earlier, by their words; one slot speaks for itself."""
        slot = self.memory.slot
        if _is_retraction(other.memory) or (slot is not None and slot == other.memory.slot):
            return relations.Relation()
        return self._compared(other)

    def _compared(self, other: Known) -> relations.Relation:
        return relations.compare(*self._in_order(other), other.cosine)

    def is_counted_lower(self, other: Known) -> bool:
        """Whether the later of two tallies is lower: then it is an earlier one said again, or of something else."""
        return relations.is_counted_lower(*self._in_order(other))

    def _in_order(self, other: Known) -> tuple[str, str]:
        """The texts of the two statements, the one said first first."""
        one, two = self.memory.text, other.memory.text
        return (one, two) if _precedes(self.memory, other) else (two, one)

    @property
    def slot(self) -> list[Known]:
        """What else gives this slot a value now."""
        slot = self.memory.slot
        same = [each for each in self.active if slot is not None and each.memory.slot == slot]
        return [each for each in same if self._is_of_one_thing(each)]

    def _is_of_one_thing(self, other: Known) -> bool:
        """Whether one slot in common makes two statements about one thing: long ones say much else."""
        one, two = self.memory, other.memory
        if not self.corrects and not same_value(one.value, two.value) and _are_two_things(one, two):
            return False
        return self.is_plain(other) or self._compared(other).is_contradiction

    @property
    def likely_changed(self) -> list[Known]:
        """What the statement likely changes, though their words alone do not tell."""
        memory = self.memory
        if not is_news(self.news) or not _may_change(memory):
            return []
        earlier = [each for each in self.active if _may_change(each.memory) and _is_from_before(memory, each)]
        compared = [Earlier(each.memory.text, each.cosine, memory.created_at - each.last_said) for each in earlier]
        return [earlier[place] for place in likely_changed(memory.text, self.news, compared)]

    def is_plain(self, other: Known) -> bool:
        """Whether the slot tells all there is to know of how two statements stand to each other."""
        return _is_telling(self.memory) or relations.are_plain(self.memory.text, other.memory.text)


def _is_beside(known: Known, memory: Memory) -> bool:
    return known.memory.scope == memory.scope and known.memory.id != memory.id


_ANYBODY = frozenset({"user", "project"})


def _is_telling(memory: Memory) -> bool:
    """Whether a slot says by itself what it is about: "classification problems completed", not "deadline"."""
    return memory.subject.casefold() not in _ANYBODY or len(memory.attribute.split()) >= 3


_NAME = "name"


def _are_two_things(memory: Memory, other: Memory) -> bool:
    """Whether a slot may have both values: two sisters have two names, and two days each their own sales."""
    if memory.attribute == _NAME:
        return relations.may_be_several(memory.subject)
    if _amount_changes(memory, other):
        return False
    return relations.are_counted_apart(memory.text, other.text, memory.value, other.value)


def _may_change(memory: Memory) -> bool:
    """Whether a memory is of how things are with the user: not an order, nor what somebody else said of themselves."""
    whose = memory.subject.casefold().partition("'")[0]
    return memory.kind is not Kind.RULE and (not whose or whose in _ANYBODY)


def _is_from_before(memory: Memory, known: Known) -> bool:
    """Whether a statement follows another, from another turn; in one turn people tell several things."""
    return _follows(memory, known) and not set(memory.source_turns) & set(known.memory.source_turns)


def _counts(known: Known, now: datetime) -> bool:
    """Whether a memory is still remembered: forgetting is never undone by saying something again."""
    return known.memory.state in (State.ACTIVE, State.SUPERSEDED) and known.memory.is_alive(now)


def _is_the_same_saying(memory: Memory, known: Known, duplicate_at: float) -> bool:
    """Whether it was extracted from these very turns before, and says nothing more."""
    old = known.memory
    if memory.slot is not None and old.slot is None and memory.trust is TrustTier.TRUSTED:
        return False
    if memory.source_turns:
        is_known = set(memory.source_turns) <= set(old.source_turns)
    else:
        is_known = not old.source_turns and (memory.created_at, memory.text) == (old.created_at, old.text)
    return is_known and _says_the_same(memory, known, duplicate_at)


def _says_the_same(memory: Memory, known: Known, duplicate_at: float) -> bool:
    old = known.memory
    if _is_retraction(memory) != _is_retraction(old):
        return denies(memory.text) and denies(old.text) and _repeats(memory, known, duplicate_at)
    if memory.slot is not None and memory.slot == old.slot:
        given = bool(memory.value and old.value)
        if given:
            return same_value(memory.value, old.value) and not _amount_changes(memory, old)
        return _repeats(memory, known, duplicate_at)
    if memory.slot is not None and old.slot is not None:
        return False
    return _repeats(memory, known, duplicate_at)


def _repeats(memory: Memory, known: Known, duplicate_at: float) -> bool:
    old = known.memory
    if Kind.EPISODE in (memory.kind, old.kind) and abs(memory.created_at - old.created_at) > EPISODE_APART:
        return False
    return is_duplicate(memory.text, old.text, known.cosine, duplicate_at)


def _is_retraction(memory: Memory) -> bool:
    return RETRACTION in memory.tags


def _is_less_trusted(memory: Memory, than: Memory) -> bool:
    return memory.trust is not than.trust and least((memory.trust, than.trust)) is memory.trust


def _precedes(memory: Memory, known: Known) -> bool:
    """Whether a statement was said before another was last said; of two at one time, the one from the earlier turn."""
    if memory.created_at != known.last_said:
        return memory.created_at < known.last_said
    return bool(_newest(memory)) and _newest(memory) < _newest(known.memory)


def _follows(memory: Memory, known: Known) -> bool:
    """Whether a statement was said after another was last said; of two at one time, the one from the later turn."""
    if memory.created_at != known.last_said:
        return memory.created_at > known.last_said
    return "" < _newest(known.memory) < _newest(memory)


def _newest(memory: Memory) -> str:
    return memory.source_turns[-1] if memory.source_turns else ""


# --- decisions --------------------------------------------------------------------------------------------------------


def _said(case: _Case) -> Decision:
    """What becomes of a statement that something is so."""
    memory, same = case.memory, case.same
    if held := _best([each for each in same if each.memory.state is State.ACTIVE], memory):
        return _again(case, held)
    if past := next((each for each in same if _held_then(memory, each)), None):
        return _reinforced(memory, past, ())
    return _beside(case, _rivals(case))


def _rivals(case: _Case) -> list[Known]:
    """What cannot be true together with the statement."""
    memory = case.memory
    rivals = [each for each in case.slot if not _is_retraction(each.memory) or _ends(each.memory, memory)]
    rivals += [each for each in case.active if each not in rivals and _is_denied(memory, each.memory)]
    rivals += [each for each in case.active if each not in rivals and case.relation(each).is_contradiction]
    rivals += [each for each in case.active if each not in rivals and _states_another_value(memory, each.memory)]
    rivals += [each for each in case.active if each not in rivals and _is_corrected_by(memory, each)]
    rivals += [each for each in case.likely_changed if each not in rivals]
    if case.corrects and not rivals and (nearest := _corrected(case)):
        return [nearest]
    return rivals


def _ends(retraction: Memory, memory: Memory) -> bool:
    """Whether a retraction of the same slot means this value of it; one that names none means any."""
    return not retraction.value or same_value(retraction.value, memory.value)


def _is_denied(memory: Memory, other: Memory) -> bool:
    """Whether one of two statements denies the other in nearly the same words, or takes it back."""
    if memory.slot is not None and other.slot is not None:
        return False
    if _is_retraction(other):
        return not denies(memory.text) and covers(other.text, memory.text)
    if denies_ever(memory.text, other.text) or denies_ever(other.text, memory.text):
        return True
    return alike(memory.text, other.text).is_reversal


def _states_another_value(memory: Memory, other: Memory) -> bool:
    """Whether both were stated on purpose, with nothing between them but the value of one thing."""
    if memory.kind is not other.kind or memory.kind is Kind.EPISODE or not all(map(_is_stated, (memory, other))):
        return False
    if memory.slot is not None and memory.slot == other.slot:
        return False
    if exchanges_one_value(memory.text, other.text):
        return True
    return AmountChange.RECURRING in _amount_changes(memory, other)


def _amount_changes(memory: Memory, other: Memory) -> set[AmountChange]:
    """How each of two statements changes the amount of the other, if it does."""
    both = (memory.text, other.text), (other.text, memory.text)
    return {amounts.change(*texts) for texts in both} - {AmountChange.NONE}


def _is_stated(memory: Memory) -> bool:
    """Whether it was given as it is by somebody who is trusted, not read out of a conversation."""
    return not memory.source_turns and memory.trust is TrustTier.TRUSTED and not _is_retraction(memory)


def _corrected(case: _Case) -> Known | None:
    """What a correction without a slot most likely means, by its words: nearness in meaning is not enough."""
    memory = case.memory
    earlier = [each for each in case.active if None in (memory.slot, each.memory.slot) and not _precedes(memory, each)]
    likeness = {each.memory.id: alike(memory.text, each.memory.text).score for each in earlier}
    matched = [
        each
        for each in earlier
        if (likeness[each.memory.id] >= CORRECTED_AT and relations.are_plain(memory.text, each.memory.text))
        or relations.gives_another_value(each.memory.text, memory.text)
    ]
    return max(matched, key=lambda each: (likeness[each.memory.id], each.cosine or 0.0, each.memory.id), default=None)


def _is_corrected_by(memory: Memory, other: Known) -> bool:
    """Whether a statement found in an earlier turn is what a correction of the batch means."""
    return other.corrects and _precedes(memory, other) and relations.gives_another_value(memory.text, other.memory.text)


def _beside(case: _Case, rivals: Sequence[Known]) -> Decision:
    """What becomes of a statement that others contradict: each is dealt with by trust, then by time."""
    memory = case.memory
    updates = [each for each in rivals if _is_update(case, each)]
    later = [each for each in updates if each.memory.trust is memory.trust and _precedes(memory, each)]
    if later:
        return _history(memory, min(later, key=lambda each: (each.last_said, each.memory.id)))
    replaced = [each for each in updates if not _is_less_trusted(memory, each.memory) and _replaces(case, each)]
    # Whatever cannot be decided is shown on both sides; so is what a source of another trust disputes.
    disputed = [each for each in rivals if each not in replaced]
    return _stored(memory, replaced, disputed, Reconciliation.SUPERSEDES)


def _is_update(case: _Case, rival: Known) -> bool:
    """Whether the later of two statements replaces the earlier."""
    same_slot = case.memory.slot is not None and case.memory.slot == rival.memory.slot and case.is_plain(rival)
    is_corrected = case.corrects or _is_corrected_by(case.memory, rival)
    return (
        is_corrected
        or (same_slot and not case.is_counted_lower(rival))
        or _is_retraction(rival.memory)
        or case.relation(rival).is_update
    )


def _replaces(case: _Case, rival: Known) -> bool:
    return _follows(case.memory, rival) or (case.corrects and not _precedes(case.memory, rival))


def _retracted(case: _Case) -> Decision:
    """What becomes of a statement that something is no longer so; it is kept, for it is knowledge."""
    memory = case.memory
    if held := _best([each for each in case.active if _says_the_same(memory, each, case.duplicate_at)], memory):
        return _again(case, held)
    matched = [
        each
        for each in case.active
        if not _is_retraction(each.memory) and (_is_matched(memory, each) or case.relation(each).is_update)
    ]
    outranking = [each for each in matched if _is_less_trusted(memory, each.memory)]
    ended = [each for each in matched if each not in outranking and not _precedes(memory, each)]
    return _stored(memory, ended, outranking, Reconciliation.RETRACTS)


def _is_matched(memory: Memory, known: Known) -> bool:
    """Whether a retraction means this statement."""
    old = known.memory
    if memory.slot is not None and old.slot is not None:
        return memory.slot == old.slot and _ends(memory, old)
    if denies(old.text):
        return False
    if covers(memory.text, old.text):
        return True
    near = known.cosine is not None and known.cosine >= RETRACTED_AT
    return near and alike(memory.text, old.text).same_values


def _again(case: _Case, held: Known) -> Decision:
    """What becomes of a statement that is remembered: one memory is strengthened, if the source may do that."""
    memory, old = case.memory, held.memory
    if _is_less_trusted(old, memory):
        # Trust never rises: what a trusted source says becomes a memory of its own.
        others = [each for each in _rivals(case) if not _says_the_same(memory, each, case.duplicate_at)]
        return _beside(case, others)
    # To say a value again, later than its rivals, settles what could not be decided before.
    rivals = [each for each in case.slot if each.memory.trust is old.trust and not _is_retraction(each.memory)]
    others = [each for each in rivals if not _says_the_same(memory, each, case.duplicate_at)]
    return _reinforced(memory, held, [each for each in others if _follows(memory, each)])


def _held_then(memory: Memory, known: Known) -> bool:
    """Whether a statement falls into the time in which a superseded one held."""
    old = known.memory
    over = old.state is State.SUPERSEDED and old.trust is memory.trust
    return over and old.valid_to is not None and memory.created_at < old.valid_to


# --- what is to be stored ---------------------------------------------------------------------------------------------

_REASONS = {
    Reconciliation.NEW: "nothing like it is known",
    Reconciliation.SUPERSEDES: "said later of the same thing",
    Reconciliation.RETRACTS: "says that it is no longer so",
    Reconciliation.CONTRADICTS: "cannot be true together, and nothing tells which is",
}


def _nothing(known: Known, reason: str) -> Decision:
    return Decision(verdict=Reconciliation.DUPLICATE, memory=None, others=(known.memory.id,), reason=reason)


def _stored(memory: Memory, replaced: Sequence[Known], disputed: Sequence[Known], verdict: Reconciliation) -> Decision:
    """The new memory beside what it replaces and what it is in dispute with."""
    outranked = any(_is_less_trusted(memory, each.memory) for each in disputed)
    if outranked or not replaced:
        verdict = Reconciliation.CONTRADICTS if disputed else Reconciliation.NEW
    first = min(replaced, key=lambda each: (-_nearness(memory, each), each.memory.id), default=None)
    if first is not None:
        memory = memory.revised(supersedes=first.memory.id, valid_from=memory.valid_from or memory.created_at)
    if disputed:
        memory = memory.revised(contradicts=linked(memory.contradicts, *(each.memory.id for each in disputed)))
    old = [_superseded(each.memory, memory.id, _since(memory)) for each in replaced]
    back = [
        each.memory.revised(contradicts=linked(each.memory.contradicts, memory.id))
        for each in disputed
        # What is quarantined leaves no mark on what is not.
        if memory.trust is not TrustTier.QUARANTINED or each.memory.trust is TrustTier.QUARANTINED
    ]
    return Decision(
        verdict=verdict,
        memory=memory,
        changes=(
            Put(memory, EventKind.REMEMBERED),
            *(Put(each, EventKind.SUPERSEDED) for each in old),
            *(Put(each, EventKind.CONTRADICTED) for each in back),
        ),
        others=tuple(each.memory.id for each in (*replaced, *disputed)),
        reason="a more trusted source says otherwise" if outranked else _REASONS[verdict],
        replaced=tuple((each, memory) for each in old),
    )


def _history(memory: Memory, successor: Known) -> Decision:
    """A statement that comes in after what was said later: it is kept as what was so before."""
    since = _since(successor.memory)
    past = _superseded(memory, successor.memory.id, since if since > memory.created_at else successor.last_said)
    return Decision(
        verdict=Reconciliation.NEW,
        memory=past,
        changes=(Put(past, EventKind.REMEMBERED),),
        others=(successor.memory.id,),
        reason="said before what is known, and so already superseded",
        replaced=((past, successor.memory),),
    )


def _reinforced(memory: Memory, held: Known, settled: Sequence[Known]) -> Decision:
    """One memory for both statements. An untrusted source strengthens nothing; that it said so is kept."""
    old = held.memory
    trusted = memory.trust is TrustTier.TRUSTED
    kept = _strengthened(held, memory) if trusted else _noted(held, memory)
    if kept == old and not settled:
        return _nothing(held, "brings nothing that is not known")
    replaced = [_superseded(each.memory, old.id, _since(memory)) for each in settled]
    return Decision(
        verdict=Reconciliation.REINFORCES if trusted else Reconciliation.DUPLICATE,
        memory=None,
        changes=(
            Put(kept, EventKind.REINFORCED if trusted else EventKind.REVISED),
            *(Put(each, EventKind.SUPERSEDED) for each in replaced),
        ),
        others=(old.id, *(each.id for each in replaced)),
        reason="says again what is known",
        replaced=tuple((each, kept) for each in replaced),
    )


def _since(memory: Memory) -> datetime:
    """From when on a statement replaces others: when it was said, or the later time it names itself."""
    return max(memory.created_at, memory.valid_from or memory.created_at)


def _superseded(old: Memory, by: TraceId, since: datetime) -> Memory:
    ends = since if old.valid_to is None else min(since, old.valid_to)
    return old.revised(state=State.SUPERSEDED, superseded_by=by, valid_to=max(ends, old.valid_from or ends))


def linked(known: tuple[TraceId, ...], *more: TraceId) -> tuple[TraceId, ...]:
    """What a memory points to as saying otherwise, with more of it, as far as there is room."""
    return tuple(dict.fromkeys((*known, *more)))[:MOST_CONTRADICTIONS]


def _strengthened(held: Known, memory: Memory) -> Memory:
    """What is known, with the evidence of another statement that says the same."""
    old = held.memory
    changes = _longer_kept(old, memory) | {"importance": max(old.importance, memory.importance)}
    if old.slot is None and memory.slot is not None:
        changes |= {"subject": memory.subject, "attribute": memory.attribute, "value": memory.value}
    if memory.source_turns and set(memory.source_turns) <= set(old.source_turns):
        return old.revised(**changes)  # the same saying, read more closely
    # What is said again counts half of what is said for the first time: people repeat themselves, and sources copy.
    surer = 1.0 - (1.0 - old.confidence) * (1.0 - 0.5 * memory.confidence)
    return old.revised(
        confidence=max(old.confidence, min(MOST_CONFIDENT, surer)),
        reinforced=old.reinforced + 1,
        source_turns=_united(held, memory),
        **changes,
    )


def _noted(held: Known, memory: Memory) -> Memory:
    """What is known, with the turns of a source that may not strengthen it, as long as there is room for them."""
    old = held.memory
    return old if len(old.source_turns) >= MOST_SOURCES else old.revised(source_turns=_united(held, memory))


def _united(held: Known, memory: Memory) -> tuple[TraceId, ...]:
    """The turns of both, what was said last at the end; of too many, the first and the newest."""
    old, new = held.memory.source_turns, memory.source_turns
    both = tuple(dict.fromkeys((*new, *old) if _precedes(memory, held) else (*old, *new)))
    if len(both) <= MOST_SOURCES:
        return both
    return (both[0], *both[1 - MOST_SOURCES :])


_LIFE = (Retention.SESSION, Retention.TTL, Retention.PROJECT, Retention.PERMANENT)


def _longer_kept(old: Memory, memory: Memory) -> dict[str, Any]:
    """The retention of the two that lasts longer: what is to stay must not end with what repeats it."""
    if _LIFE.index(memory.retention) > _LIFE.index(old.retention):
        return {"retention": memory.retention, "ttl": memory.ttl}
    ends, known = memory.expires_at, old.expires_at
    if old.retention is Retention.TTL and ends and known and ends > known:
        return {"ttl": ends - old.created_at}
    return {}


# --- nearness, and what a batch has decided ---------------------------------------------------------------------------


def _nearness(memory: Memory, known: Known) -> float:
    return max(alike(memory.text, known.memory.text).score, known.cosine or 0.0)


def _best(known: Sequence[Known], memory: Memory) -> Known | None:
    """The most trusted, then the nearest."""
    tiers = list(TrustTier)
    return min(
        known, key=lambda each: (tiers.index(each.memory.trust), -_nearness(memory, each), each.memory.id), default=None
    )


def _overlaid(known: Known, decided: Known | None) -> Known:
    return known if decided is None else replace(decided, cosine=known.cosine)


def _after(decision: Decision, memory: Memory, known: Mapping[TraceId, Known]) -> dict[TraceId, Known]:
    """What the rest of a batch sees of a decision."""
    seen: dict[TraceId, Known] = {}
    for change in decision.changes:
        if isinstance(change, Put) and isinstance(change.trace, Memory):
            before = known.get(change.trace.id)
            said = before.last_said if before else memory.created_at
            if change.because in (EventKind.REINFORCED, EventKind.REVISED):
                said = max(said, memory.created_at)
            seen[change.trace.id] = Known(change.trace, None, said)
    return seen

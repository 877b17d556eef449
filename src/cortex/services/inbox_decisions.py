"""What a decision on an inbox item changes: pure, on what a view shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from cortex.capture import reconcile
from cortex.capture.replies import turns_that_say
from cortex.domain.choices import chosen
from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId
from cortex.domain.importance import ImportanceLabel, Origin
from cortex.domain.injection_detection import suspicion
from cortex.domain.lanes import State
from cortex.domain.memory import GOVERNED, Memory
from cortex.domain.rejections import statement_digest
from cortex.domain.thresholds import QUARANTINE, JudgedExtraction, extractor_of, is_extraction
from cortex.domain.trace import Trace
from cortex.domain.trust import SourceKind, TrustTier
from cortex.domain.turn import Turn
from cortex.errors import InvalidRequest
from cortex.exchange import edits
from cortex.kinds import Kind
from cortex.lifecycle.consolidation import united
from cortex.lifecycle.inbox import InboxItem, InboxReason, Subject, Verdict, ids_in
from cortex.ports.store import Put, View
from cortex.services import reconciliation

SNOOZE_DAYS = 7
MOST_DAYS = 365
RULE_IMPORTANCE = 0.85
"""The importance of what a person makes a rule, at least: it must be remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxDecision:
    """One decision, checked as far as it can be without looking at the item."""

    id: str
    revision: str
    verdict: Verdict
    keep: TraceId | None = None
    """Of two memories, the one that is meant: which is true, which stays, which is edited."""
    text: str | None = None
    """What an edit makes of it."""
    days: int = SNOOZE_DAYS
    place: str = "decisions[0]"
    """What errors name it by."""

    @classmethod
    def checked(cls, given: Mapping[str, Any], place: str) -> InboxDecision:
        """The decision that some plain values ask for, or an error that names the field."""
        known = {"id", "revision", "verdict", "keep", "text", "days"}
        if unknown := sorted(set(given) - known):
            raise InvalidRequest("is unknown", field=f"{place}.{unknown[0]}", hint=f"known: {', '.join(sorted(known))}")
        for name in ("id", "revision", "verdict"):
            if not isinstance(given.get(name), str) or not given[name]:
                raise InvalidRequest("is missing", field=f"{place}.{name}", hint="see `cortex inbox --json`")
        verdict = chosen(Verdict, given["verdict"], f"{place}.verdict")
        about = ids_in(given["id"], f"{place}.id")
        keep, text, days = given.get("keep"), given.get("text"), given.get("days") or SNOOZE_DAYS
        if keep is not None and keep not in about:
            raise InvalidRequest("is not one of the two", field=f"{place}.keep", hint=f"one of {', '.join(about)}")
        if (text is not None) is not (verdict is Verdict.EDIT):
            wanted = "give the new text" if text is None else "only an edit has a text"
            raise InvalidRequest("does not fit the verdict", field=f"{place}.text", hint=wanted)
        if not isinstance(days, int) or isinstance(days, bool) or not 1 <= days <= MOST_DAYS:
            raise InvalidRequest("is not a number of days", field=f"{place}.days", hint=f"1 to {MOST_DAYS}")
        return cls(
            id="~".join(about), revision=given["revision"], verdict=verdict, keep=keep, text=text, days=days,
            place=place,
        )  # fmt: skip


@dataclass(slots=True)
class Decided:
    """What one decision changes."""

    item: InboxItem
    decision: InboxDecision
    puts: list[Put] = field(default_factory=list)
    rejected: list[Memory | Turn] = field(default_factory=list)
    accepted: list[Memory] = field(default_factory=list)
    reworded: list[TraceId] = field(default_factory=list)
    """What needs vectors again."""
    judged: list[JudgedExtraction] = field(default_factory=list)
    apart: frozenset[TraceId] | None = None
    """Two memories that are no duplicates."""
    until: datetime | None = None
    """Until when it is out of the inbox."""

    @property
    def ids(self) -> list[TraceId]:
        return list(dict.fromkeys(put.trace.id for put in self.puts))


def decide(item: InboxItem, decision: InboxDecision, view: View, now: datetime, max_text_bytes: int) -> Decided:
    """The changes of a decision on an item as it is; an error where the item does not allow it."""
    deciding = _Deciding(Decided(item, decision), view, now, max_text_bytes)
    _BY_VERDICT[decision.verdict](deciding)
    return deciding.done


class _Deciding:
    """One decision that is being worked out."""

    def __init__(self, done: Decided, view: View, now: datetime, max_text_bytes: int) -> None:
        self.done = done
        self._view = view
        self._now = now
        self._max_text_bytes = max_text_bytes
        self._item, self._decision = done.item, done.decision

    # --- the verdicts ---------------------------------------------------------------------------------------------

    def approve(self) -> None:
        item, keep = self._item, self._kept()
        if InboxReason.DUPLICATE in item.reasons:
            if keep is not None:
                raise self._refused("keep", "two duplicates are either one or two statements", "leave it out, or merge")
            assert item.other is not None
            self.done.apart = frozenset({item.trace.id, item.other.id})
            self._put(item.trace)
        elif isinstance(item.trace, Turn):
            self._put(item.trace.revised(trust=TrustTier.TRUSTED))
        elif keep is not None:
            self._settle(keep, self._beside(keep))
        elif item.other is not None:
            for memory in self._unflagged(item.trace, item.other):
                self._vouch(memory)
        else:
            self._vouch(item.trace)

    def edit(self) -> None:
        memory = self._one("edit")
        edited = edits.edited(memory, {"text": self._decision.text}, self._max_text_bytes)
        others = [each for each in self._item.traces if each.id != memory.id]
        if others and self._item.is_contradiction:
            first, second = self._unflagged(edited, _memory(others[0]))
            edited = first
            self._put(second)
        self._vouch(edited, judge=False)
        if edited.text != memory.text:
            self.done.reworded.append(memory.id)

    def reject(self) -> None:
        item, keep = self._item, self._kept()
        gone: list[Subject] = [each for each in item.traces if keep is None or each.id != keep.id]
        if keep is not None:
            self._vouch(_without(keep, [each.id for each in gone]))
        same = {statement_digest(keep.text)} if keep is not None else set()
        for trace in gone:
            self._forget(trace, keep)
            if statement_digest(trace.text) not in same:
                self.done.rejected.append(trace)
            self._judge(trace, right=False)

    def rule(self) -> None:
        memory = self._one("be a rule")
        important = max(memory.importance, RULE_IMPORTANCE)
        self._vouch(memory.revised(kind=Kind.RULE, importance=important, label=ImportanceLabel.MUST_REMEMBER))

    def merge(self) -> None:
        item = self._item
        if InboxReason.DUPLICATE not in item.reasons:
            hint = "approve the true one with `keep`" if item.is_contradiction else "only two duplicates can be merged"
            raise self._refused("verdict", "cannot be merged", hint)
        first, second = (_memory(each) for each in item.traces)
        keep = self._kept() or max(first, second, key=lambda each: (len(each.text), each.id))
        other = second if keep.id == first.id else first
        self._put(united([keep, other]))
        self._put(other.revised(state=State.SUPERSEDED, superseded_by=keep.id), EventKind.SUPERSEDED)

    def snooze(self) -> None:
        self.done.until = self._now + timedelta(days=self._decision.days)
        self._put(self._item.trace)

    # --- what they are made of ------------------------------------------------------------------------------------

    def _kept(self) -> Memory | None:
        """The memory that is meant, of two; one alone needs no name."""
        if self._item.other is None or self._decision.keep is None:
            return None
        return next(_memory(each) for each in self._item.traces if each.id == self._decision.keep)

    def _one(self, what: str) -> Memory:
        if isinstance(self._item.trace, Turn):
            raise self._refused("verdict", f"a turn cannot {what}", "approve, reject or snooze it")
        if self._item.other is None:
            return self._item.trace
        if (kept := self._kept()) is None:
            raise self._refused("keep", "is missing", "name which of the two is meant")
        return kept

    def _beside(self, memory: Memory) -> Memory:
        return next(_memory(each) for each in self._item.traces if each.id != memory.id)

    def _settle(self, keep: Memory, other: Memory) -> None:
        """`keep` is true and replaces the other."""
        turns = turns_that_say(other, keep, self._view)
        for put in [*reconcile.settle(keep, [other], self._now), *reconcile.outdated(keep, turns)]:
            assert isinstance(put, Put)
            if put.trace.id == keep.id:
                self._vouch(_memory(put.trace))
            else:
                self._put(put.trace, put.because)

    def _unflagged(self, one: Memory, two: Memory) -> tuple[Memory, Memory]:
        return _without(one, [two.id]), _without(two, [one.id])

    def _vouch(self, memory: Memory, *, judge: bool = True) -> None:
        """The operator becomes the source of a memory."""
        before = next(_memory(each) for each in self._item.traces if each.id == memory.id)
        self._put(
            memory.revised(
                source_kind=SourceKind.OPERATOR, trust=TrustTier.TRUSTED, confidence=1.0,
                origins=memory.origins.having(GOVERNED, Origin.OPERATOR),
            )
        )  # fmt: skip
        self.done.accepted.append(memory)
        if judge:
            self._judge(before, right=True)

    def _forget(self, trace: Subject, keep: Memory | None) -> None:
        gone: list[Trace] = [trace]
        if isinstance(trace, Memory):
            gone += [each for each in reconciliation.twins(trace, self._view) if keep is None or each.id != keep.id]
        for each in gone:
            self._put(each.revised(state=State.FORGOTTEN), EventKind.FORGOTTEN)

    def _judge(self, trace: Subject, *, right: bool) -> None:
        """What the decision says about who extracted it, and about how strictly untrusted text is quarantined."""
        if not isinstance(trace, Memory):
            return
        if trace.trust is TrustTier.UNTRUSTED:
            self._add(QUARANTINE, round(suspicion(trace.text).score, 3), right)
        elif is_extraction(trace) and trace.trust is TrustTier.TRUSTED and trace.source_kind is not SourceKind.OPERATOR:
            self._add(extractor_of(trace.source_ref), trace.confidence, right)

    def _add(self, extractor: str, confidence: float, right: bool) -> None:
        self.done.judged.append(JudgedExtraction(extractor=extractor, confidence=confidence, right=right, at=self._now))

    def _put(self, trace: Trace, because: EventKind = EventKind.REVIEWED) -> None:
        self.done.puts.append(Put(trace, because))

    def _refused(self, name: str, why: str, hint: str) -> InvalidRequest:
        return InvalidRequest(why, field=f"{self._decision.place}.{name}", hint=hint)


_BY_VERDICT: dict[Verdict, Callable[[_Deciding], None]] = {
    Verdict.APPROVE: _Deciding.approve,
    Verdict.EDIT: _Deciding.edit,
    Verdict.REJECT: _Deciding.reject,
    Verdict.RULE: _Deciding.rule,
    Verdict.MERGE: _Deciding.merge,
    Verdict.SNOOZE: _Deciding.snooze,
}


def _memory(trace: Trace) -> Memory:
    assert isinstance(trace, Memory)
    return trace


def _without(memory: Memory, ids: Sequence[TraceId]) -> Memory:
    """The memory without what points at these."""
    return replace(memory, contradicts=tuple(id for id in memory.contradicts if id not in ids))

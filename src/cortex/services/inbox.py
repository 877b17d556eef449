"""The inbox of one user: what needs a person, what they decide, and taking that back."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from cortex.context import Context
from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId, is_id
from cortex.domain.memory import Memory
from cortex.domain.receipt import MAX_ITEMS_CAP, Receipt
from cortex.domain.rejections import MARKS, REJECTED, Rejections
from cortex.domain.thresholds import JudgedExtraction, ThresholdVersion
from cortex.domain.trace import Trace, parse_time
from cortex.domain.turn import Turn
from cortex.errors import Conflict, InvalidRequest, NotFound
from cortex.lifecycle import inbox as rules
from cortex.lifecycle import upkeep
from cortex.lifecycle.inbox import DAILY, InboxItem, Verdict
from cortex.lifecycle.plan import same_but_use
from cortex.ports.store import (
    Change,
    ExpectState,
    PatchSession,
    Put,
    Version,
    View,
    retry_on_conflict,
    with_expectations,
)
from cortex.services import reconciliation
from cortex.services.exchange import embed_stored
from cortex.services.holds import HoldService
from cortex.services.inbox_decisions import Decided, InboxDecision, decide
from cortex.services.thresholds import ThresholdService

INBOX = "#inbox"
"""The session in whose state decisions and snoozed items of a user are kept, each as a part of its own."""

MOST_AT_ONCE = 100
MOST_DECISIONS = 300
"""How many decisions are kept, the latest: they can be undone, and thresholds learn from them."""

_DECISION, _SNOOZED = "decision:", "snoozed:"
_SALT_BYTES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class PastDecision:
    """A decision as it is kept: what it was about and what it did, by ids, without any text."""

    id: str
    item: str
    verdict: str
    reasons: tuple[str, ...]
    at: datetime
    actor: str
    ids: tuple[str, ...]
    """What it changed."""
    position: int
    """The ledger position it was decided on."""
    undone_at: datetime | None = None
    marked: tuple[str, ...] = ()
    unmarked: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    snoozed: str = ""
    judged: tuple[Mapping[str, Any], ...] = ()

    def to_state(self) -> dict[str, Any]:
        payload = {name: list(each) if isinstance(each, tuple) else each for name, each in asdict(self).items()}
        return payload | {"at": self.at.isoformat(), "undone_at": self.undone_at and self.undone_at.isoformat()}

    @classmethod
    def from_state(cls, payload: Mapping[str, Any]) -> PastDecision:
        lists = ("reasons", "ids", "marked", "unmarked", "apart", "judged")
        undone = payload.get("undone_at")
        return cls(**{
            **payload, **{name: tuple(payload[name]) for name in lists},
            "at": parse_time(payload["at"]), "undone_at": parse_time(undone) if undone else None,
        })  # fmt: skip


@dataclass(frozen=True, slots=True)
class Inbox:
    """What needs a person now."""

    items: tuple[InboxItem, ...]
    waiting: int
    """How many there are, with those that are left for another day."""
    left_today: int
    """How many more are shown today."""
    decided_today: int
    snoozed: int


@dataclass(frozen=True, slots=True)
class InboxDecided:
    """What was decided, or undone, and the thresholds that moved."""

    decisions: tuple[PastDecision, ...]
    moved: tuple[ThresholdVersion, ...]
    receipt: Receipt


class _Stale(Conflict):
    """The item is no longer what was decided on: reading it again changes nothing."""


class InboxService:
    """What one tenant's memory asks a person."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def inbox(self, *, limit: int = DAILY, all: bool = False, ids: Sequence[str] | None = None) -> Inbox:
        now = self._context.clock.now()
        with self._context.store_view() as view:
            kept = _Kept.read(view)
            found = self._items(view) if ids is None else self._named(ids, view)
        snoozed = kept.snoozed(now)
        opened = [each for each in found if _part(each.id) not in snoozed]
        decided = sum(each.at.date() == now.date() and each.undone_at is None for each in kept.decisions)
        left = max(0, DAILY - decided)
        shown = opened[: limit if all or ids is not None else min(limit, left)]
        return Inbox(tuple(shown), len(opened), min(left, len(opened)), decided, len(found) - len(opened))

    def decisions(self, *, limit: int = 50) -> Sequence[PastDecision]:
        """The latest decisions, newest first."""
        with self._context.store_view() as view:
            return list(_Kept.read(view).decisions[::-1][:limit])

    def decide(self, decisions: Sequence[Mapping[str, Any]]) -> InboxDecided:
        """Carry out decisions, all or none."""
        wanted = [InboxDecision.checked(each, f"decisions[{at}]") for at, each in enumerate(_some(decisions))]
        with self._context.recording("decide") as record:
            attempt = partial(self._attempt, wanted)
            position, done, kept = retry_on_conflict(attempt)
            reworded = [id for each, _ in done for id in each.reworded]
            stored = embed_stored(self._context, position, reworded)
            judged = [each for past in kept.decisions if past.undone_at is None for each in _judged(past)]
            touched = {each.extractor for decided, _ in done for each in decided.judged}
            moved = ThresholdService(self._context).learn([each for each in judged if each.extractor in touched])
            past = tuple(each for _, each in done)
            verdicts = Counter(each.verdict for each in past)
            record.close(
                stored.position or position, decided=dict(sorted(verdicts.items())),
                decisions=[each.id for each in past][:MAX_ITEMS_CAP],
                thresholds={each.extractor: each.threshold for each in moved}, **stored.facts(),
            )  # fmt: skip
        return InboxDecided(past, tuple(moved), record.receipt)

    def undo(self, decisions: Sequence[str]) -> InboxDecided:
        """Take decisions back, all or none: what each changed is as it was before."""
        wanted = [_checked_decision(each, f"decisions[{at}]") for at, each in enumerate(_some(decisions))]
        with self._context.recording("undo_decision") as record:
            position, past, reworded = retry_on_conflict(partial(self._undo, wanted))
            stored = embed_stored(self._context, position, reworded)
            record.close(
                stored.position or position, undone=len(past), decisions=[each.id for each in past][:MAX_ITEMS_CAP],
                **stored.facts(),
            )  # fmt: skip
        return InboxDecided(tuple(past), (), record.receipt)

    # --- items ----------------------------------------------------------------------------------------------------

    def _items(self, view: View) -> list[InboxItem]:
        rejections, apart = Rejections(view.state(REJECTED)), upkeep.read(view).apart
        return rules.items(view, reconciliation.contradictions(view), rejections, apart)

    def _named(self, ids: Sequence[str], view: View) -> list[InboxItem]:
        found = (self._item(each, view, f"ids[{at}]") for at, each in enumerate(ids))
        return [each for each in found if each is not None]

    def _item(self, id: str, view: View, place: str) -> InboxItem | None:
        """The item of this id, if it still needs a person."""
        ids = rules.ids_in(id, f"{place}.id")
        found = {each.id: each for each in view.load(ids) if isinstance(each, Memory | Turn)}
        if missing := [each for each in ids if each not in found]:
            raise NotFound(f"{place}: there is no memory or turn {missing[0]}", hint="reload the inbox")
        if len(ids) == 1:
            return rules.single(found[ids[0]], Rejections(view.state(REJECTED)))
        one, two = (found[each] for each in ids)
        if not isinstance(one, Memory) or not isinstance(two, Memory):
            return None
        if reconciliation.contradict(one, two):
            return rules.paired(*sorted((one, two), key=lambda each: (each.created_at, each.id)))
        return rules.duplicate(one, two, upkeep.read(view).apart)

    # --- deciding -------------------------------------------------------------------------------------------------

    def _attempt(self, wanted: Sequence[InboxDecision]) -> tuple[int, list[tuple[Decided, PastDecision]], _Kept]:
        now = self._context.clock.now()
        with self._context.store_view() as view:
            kept = _Kept.read(view)
            done = [self._decided(each, view, kept, now) for each in wanted]
            _refuse_overlaps(done)
            merged = [trace for each in done if each.decision.verdict is Verdict.MERGE for trace in each.item.traces]
            HoldService(self._context).refuse(view, merged)
            marks = _Marks(view)
            past = [self._past(each, view.position, marks, now) for each in done]
            changes = with_expectations([put for each in done for put in each.puts], view)
            changes += marks.changes()
            if pairs := [each.apart for each in done if each.apart is not None]:
                changes += [upkeep.unchanged(view), upkeep.kept_apart(pairs, upkeep.read(view).apart)]
            changes += kept.with_(past, {_part(each.item.id): each for each in done if each.until}, now)
        position = self._context.apply(changes)
        kept = replace(kept, decisions=(*kept.decisions, *past))
        return position, list(zip(done, past, strict=True)), kept

    def _decided(self, wanted: InboxDecision, view: View, kept: _Kept, now: datetime) -> Decided:
        item = self._item(wanted.id, view, wanted.place)
        is_snoozed = _part(wanted.id) in kept.snoozed(now)
        if item is None or is_snoozed or item.revision != wanted.revision:
            raise _stale(wanted, kept)
        if wanted.verdict is Verdict.MERGE:
            HoldService(self._context).refuse(view, item.traces)
        return decide(item, wanted, view, now, self._context.max_text_bytes)

    def _past(self, done: Decided, position: int, marks: _Marks, now: datetime) -> PastDecision:
        marked = marks.add([each.text for each in done.rejected])
        unmarked = marks.drop([each.text for each in done.accepted])
        return PastDecision(
            id=self._context.ids(now), item=done.item.id, verdict=done.decision.verdict.value,
            reasons=tuple(each.value for each in done.item.reasons), at=now, actor=self._context.actor,
            ids=tuple(done.ids), position=position, marked=tuple(marked), unmarked=tuple(unmarked),
            apart=tuple(sorted(done.apart or ())), snoozed=_part(done.item.id) if done.until else "",
            judged=tuple({"extractor": each.extractor, "confidence": each.confidence, "right": each.right}
                         for each in done.judged),
        )  # fmt: skip

    # --- undo -----------------------------------------------------------------------------------------------------

    def _undo(self, wanted: Sequence[str]) -> tuple[int, list[PastDecision], list[TraceId]]:
        now = self._context.clock.now()
        with self._context.store_view() as view:
            kept = _Kept.read(view)
            known = {each.id: each for each in kept.decisions}
            past = [_undoable(id, known) for id in dict.fromkeys(wanted)]
            puts: dict[TraceId, Put] = {}
            reworded: list[TraceId] = []
            # The latest first: of two decisions about one memory, what was before the first one holds in the end.
            for each in sorted(past, key=lambda each: each.id, reverse=True):
                for id in map(TraceId, each.ids):
                    before, is_reworded = _before(each, id, view, changed=id in puts)
                    puts[id] = Put(before, EventKind.RESTORED)
                    reworded += [id] * is_reworded
            marks = _Marks(view)
            for each in past:
                marks.put_back(each)
            changes = [*with_expectations(list(puts.values()), view), *marks.changes(), *_together(past, view)]
            undone = [replace(each, undone_at=now) for each in past]
            changes += kept.with_undone(undone)
        return self._context.apply(changes), undone, list(dict.fromkeys(reworded))


# --- what is kept -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Kept:
    """The state of the inbox, by parts: the decisions, oldest first, and what is snoozed."""

    state: Mapping[str, Any]
    decisions: tuple[PastDecision, ...]

    @classmethod
    def read(cls, view: View) -> _Kept:
        state = view.state(INBOX) or {}
        found = (_past(part) for name, part in state.items() if name.startswith(_DECISION))
        return cls(state, tuple(sorted((each for each in found if each), key=lambda each: each.id)))

    def snoozed(self, now: datetime) -> dict[str, datetime]:
        """Until when items are out of the inbox, by part."""
        found = {name: _time(part) for name, part in self.state.items() if name.startswith(_SNOOZED)}
        return {name: until for name, until in found.items() if until is not None and now < until}

    def with_(self, past: Sequence[PastDecision], snoozed: Mapping[str, Decided], now: datetime) -> list[Change]:
        """What notes these decisions, and drops what is outdated."""
        parts: dict[str, Any] = {_DECISION + each.id: each.to_state() for each in past}
        for name, each in snoozed.items():
            parts[name] = {"item": each.item.id, "until": each.until and each.until.isoformat()}
        expected = {name: self.state.get(name) for name in snoozed}
        still = self.snoozed(now)
        outdated = [
            name for name in self.state if name.startswith(_SNOOZED) and name not in still and name not in parts
        ]
        most = max(0, len(self.decisions) + len(past) - MOST_DECISIONS)
        outdated += [_DECISION + each.id for each in self.decisions[:most]]
        return [ExpectState(INBOX, expected), PatchSession(INBOX, parts | dict.fromkeys(outdated))]

    def with_undone(self, past: Sequence[PastDecision]) -> list[Change]:
        parts: dict[str, Any] = {_DECISION + each.id: each.to_state() for each in past}
        expected = {name: self.state.get(name) for name in parts}
        return [
            ExpectState(INBOX, expected),
            PatchSession(INBOX, parts | {each.snoozed: None for each in past if each.snoozed}),
        ]


class _Marks:
    """The marks of rejected statements, and what some decisions make of them."""

    def __init__(self, view: View) -> None:
        state = view.state(REJECTED)
        self._before = (state or {}).get(MARKS)
        self._rejections = Rejections(state)
        self._salt = os.urandom(_SALT_BYTES).hex()
        self._added: list[str] = []
        self._dropped: list[str] = []

    def add(self, texts: Sequence[str]) -> list[str]:
        marks = self._rejections.marks_of(texts, self._salt)
        self._added += marks
        return marks

    def drop(self, texts: Sequence[str]) -> list[str]:
        marks = self._rejections.marks_of([text for text in texts if self._rejections.has(text)], self._salt)
        self._dropped += marks
        return marks

    def put_back(self, past: PastDecision) -> None:
        self._added += past.unmarked
        self._dropped += past.marked

    def changes(self) -> list[Change]:
        part = self._rejections.changed(self._added, self._dropped, self._salt)
        if part is None:
            return []
        return [ExpectState(REJECTED, {MARKS: self._before}), PatchSession(REJECTED, {MARKS: part})]


def _part(item: str) -> str:
    """The part that tells until when an item is snoozed. It names no id, so that an erasure leaves none behind."""
    return _SNOOZED + hashlib.sha256(item.encode()).hexdigest()[:16]


def _past(payload: Any) -> PastDecision | None:
    try:
        return PastDecision.from_state(payload)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _time(payload: Any) -> datetime | None:
    try:
        return parse_time(payload["until"])
    except (KeyError, TypeError, ValueError):
        return None


def _judged(past: PastDecision) -> list[JudgedExtraction]:
    try:
        return [JudgedExtraction(**each, at=past.at) for each in past.judged]
    except TypeError:
        return []


# --- errors -----------------------------------------------------------------------------------------------------------


def _some(decisions: Any) -> Sequence[Any]:
    if isinstance(decisions, str | Mapping) or not isinstance(decisions, Sequence) or not decisions:
        raise InvalidRequest("is not a list of decisions", field="decisions", hint="give 1 to 100")
    if len(decisions) > MOST_AT_ONCE:
        raise InvalidRequest(
            f"has {len(decisions)} decisions", field="decisions", hint=f"give at most {MOST_AT_ONCE} at once"
        )
    return decisions


def _checked_decision(id: Any, place: str) -> str:
    if not isinstance(id, str) or not is_id(id.strip().lower()):
        raise InvalidRequest("is not the id of a decision", field=place, hint="see `cortex admin inbox --decided`")
    return id.strip().lower()


def _stale(wanted: InboxDecision, kept: _Kept) -> _Stale:
    """The conflict with the person who was first."""
    others = (each for each in reversed(kept.decisions) if each.item == wanted.id and each.undone_at is None)
    if (last := next(others, None)) is not None:
        by = f" by {last.actor}" if last.actor else ""
        what = f"was decided{by} at {last.at.isoformat(timespec='seconds')}: {last.verdict}"
    else:
        what = "has changed since it was read, or needs nobody any more"
    return _Stale(f"{wanted.place}: {what}; nothing was decided", hint="reload the inbox and decide again")


def _refuse_overlaps(done: Sequence[Decided]) -> None:
    seen: dict[TraceId, str] = {}
    for each in done:
        place = each.decision.place
        for id in (trace.id for trace in each.item.traces):
            if seen.setdefault(id, place) != place:
                raise InvalidRequest(
                    f"is about a memory of {seen[id]} too", field=f"{place}.id", hint="decide them one after the other"
                )
    for each in done:
        # What says the same as something that is decided by itself is left to that decision.
        own = {trace.id for trace in each.item.traces}
        each.puts = [
            put
            for put in each.puts
            if put.trace.id in own or seen.setdefault(put.trace.id, each.decision.place) == each.decision.place
        ]


def _undoable(id: str, known: Mapping[str, PastDecision]) -> PastDecision:
    if (found := known.get(id)) is None:
        raise NotFound(f"no decision {id}", hint="see `cortex admin inbox --decided`; the latest 300 are kept")
    if found.undone_at is not None:
        raise _Stale(f"decision {id} was undone before", hint="reload the inbox")
    return found


def _before(past: PastDecision, id: TraceId, view: View, *, changed: bool) -> tuple[Trace, bool]:
    """What a decision found, and whether it said something else; a conflict where it has changed since."""
    versions: list[Version] = view.history(id)
    before = next((each.trace for each in reversed(versions) if each.since <= past.position), None)
    later = [each.trace for each in versions if each.since > past.position]
    if before is None or not later:
        raise _Stale(f"{id} is no longer what decision {past.id} left", hint="see `cortex get`")
    if not changed and not all(same_but_use(each, later[0]) for each in later):
        raise _Stale(f"{id} has changed since decision {past.id}", hint="see `cortex get`, then edit or restore it")
    return before, before.text != versions[-1].trace.text


def _together(past: Sequence[PastDecision], view: View) -> list[Change]:
    """What takes back that pairs were kept apart."""
    pairs = {frozenset(map(TraceId, each.apart)) for each in past if each.apart}
    if not pairs:
        return []
    left = upkeep.read(view).apart - pairs
    return [upkeep.unchanged(view), upkeep.kept_apart((), left)]

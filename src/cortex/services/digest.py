"""The digest of a memory, from its ledger and receipts; no language model is asked."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

from cortex.context import Context
from cortex.domain.digest import (
    Changed,
    Digest,
    DigestChange,
    DigestMemory,
    Learned,
    Spent,
    UnansweredQuestions,
    WaitingItem,
    first_line,
)
from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId, is_id
from cortex.domain.lanes import State
from cortex.domain.memory import ImportanceLabel, Memory
from cortex.domain.trust import TrustTier
from cortex.ports.store import JobState, View
from cortex.progress import Progress, silent
from cortex.services.alerts import AlertService
from cortex.services.gaps import GapService, recalls_since
from cortex.services.inbox import InboxService
from cortex.services.rehearsal import since_of
from cortex.services.usage import UsageService

DAYS = 7.0
MOST_DAYS = 366.0
MOST_EVENTS = 200_000
SHOWN = 5
SHOWN_CHANGES = 3
"""Of each change."""
SCOPES = 10
_PAGE = 1_000

_LEARNED = frozenset({EventKind.REMEMBERED, EventKind.IMPORTED})
_CHANGES = (
    EventKind.SUPERSEDED,
    EventKind.CONTRADICTED,
    EventKind.FORGOTTEN,
    EventKind.EXPIRED,
    EventKind.REVISED,
    EventKind.REINFORCED,
    EventKind.CONSOLIDATED,
    EventKind.OUTDATED,
    EventKind.WITHDRAWN,
    EventKind.RESTORED,
    EventKind.ERASED,
)
_TOLD = _CHANGES[:4]
"""Of these changes the latest are shown."""

_Happened = tuple[EventKind, str]
"""What was done, and to what."""

_LABELS = (ImportanceLabel.MUST_REMEMBER, ImportanceLabel.NICE_TO_HAVE, ImportanceLabel.UNKNOWN, ImportanceLabel.IGNORE)


class DigestService:
    """Sums up some days of one user's memory."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def digest(self, *, days: float = DAYS, progress: Progress = silent) -> Digest:
        since, until = since_of(self._context, days, MOST_DAYS), self._context.clock.now()
        with self._context.recording("digest") as record:
            gaps = GapService(self._context).report(days=days, limit=SHOWN, progress=progress)
            spent = self._spent(math.ceil(days))
            with self._context.store_view() as view:
                events = list(_events(view, since))
                learned, changed = _learned(view, events), _changed(view, events)
                used, waiting = _used(view, since), self._waiting(view)
                record.close(view.position, learned=learned.memories, changed=dict(changed.events), gaps=gaps.groups)
        return Digest(
            since, until, learned, changed,
            UnansweredQuestions(gaps.found_nothing, gaps.recalls, gaps.groups, gaps.gaps), used, spent, waiting,
            complete=len(events) < MOST_EVENTS, receipt=record.receipt,
        )  # fmt: skip

    def _spent(self, days: int) -> Spent:
        usage = UsageService(self._context).usage(days=days)
        total, cents = usage.total, usage.cents(usage.total.llm_tokens)
        return Spent(
            total.recalls, total.answered, total.skipped, total.searches, total.tokens, total.p50_ms, total.p95_ms,
            total.llm_calls, total.llm_tokens, None if cents is None else round(cents),
        )  # fmt: skip

    def _waiting(self, view: View) -> tuple[WaitingItem, ...]:
        found = (
            WaitingItem(
                "items in the inbox", InboxService(self._context).inbox(all=True, limit=1).waiting, "cortex inbox"
            ),
            WaitingItem("failed jobs", view.pulse().jobs.get(JobState.FAILED, 0), "cortex admin jobs list"),
            WaitingItem("open alerts", len(AlertService(self._context).list()), "cortex admin alerts"),
        )
        return tuple(each for each in found if each.number)


def _events(view: View, since: datetime) -> Iterator[_Happened]:
    """What was learned and changed since then, newest first."""
    before: int | None = None
    left = MOST_EVENTS
    while left > 0:
        page = view.latest_events(min(left, _PAGE), before=before, kinds=_LEARNED | {EventKind.SAID, *_CHANGES})
        for event in page:
            if event.at < since:
                return
            yield event.kind, event.subject
        if len(page) < _PAGE:
            return
        before, left = page[-1].position, left - len(page)


def _learned(view: View, events: Sequence[_Happened]) -> Learned:
    kinds, scopes = Counter[str](), Counter[str]()
    best: list[Memory] = []
    subjects = list(dict.fromkeys(subject for kind, subject in events if kind in _LEARNED))
    for memory in _memories(view, subjects):
        kinds[memory.kind.value] += 1
        scopes[memory.scope] += 1
        if memory.state is State.ACTIVE and memory.trust is not TrustTier.QUARANTINED:
            best = sorted((*best, memory), key=_importance)[:SHOWN]
    turns = sum(kind is EventKind.SAID for kind, _ in events)
    return Learned(
        kinds.total(), turns, _most(kinds), _most(scopes, SCOPES), tuple(_in_one_line(each) for each in best)
    )  # fmt: skip


def _changed(view: View, events: Sequence[_Happened]) -> Changed:
    counts = Counter(kind for kind, _ in events)
    latest: list[DigestChange] = []
    for change in _TOLD:
        subjects = list(dict.fromkeys(subject for kind, subject in events if kind is change))
        for memory in _memories(view, subjects[: 2 * SHOWN_CHANGES])[:SHOWN_CHANGES]:
            rival = memory.superseded_by if change is EventKind.SUPERSEDED else next(iter(memory.contradicts), None)
            wanted = rival if change in {EventKind.SUPERSEDED, EventKind.CONTRADICTED} else None
            other = next(iter(_memories(view, [wanted])), None) if wanted else None
            latest.append(DigestChange(change.value, _in_one_line(memory), _in_one_line(other) if other else None))
    return Changed({change.value: counts[change] for change in _CHANGES if counts[change]}, tuple(latest))


def _used(view: View, since: datetime) -> tuple[DigestMemory, ...]:
    """What was among the first hits most often, as far as it is there."""
    times: Counter[str] = Counter()
    for receipt in recalls_since(view, since):
        times.update({each["id"] for each in receipt.facts.get("returned", ())})
    ranked = [id for id, _ in sorted(times.items(), key=lambda each: (-each[1], each[0]))]
    found: list[DigestMemory] = []
    for start in range(0, len(ranked), _PAGE):
        found += (_in_one_line(each, times[each.id]) for each in _memories(view, ranked[start : start + _PAGE]))
        if len(found) >= SHOWN:
            break
    return tuple(found[:SHOWN])


def _memories(view: View, ids: Collection[str]) -> list[Memory]:
    """The memories among these, in their order."""
    wanted = [TraceId(id) for id in ids if is_id(id)]
    found: list[Memory] = []
    for start in range(0, len(wanted), _PAGE):
        found += (each for each in view.load(wanted[start : start + _PAGE]) if isinstance(each, Memory))
    return found


def _importance(memory: Memory) -> tuple[int, float, str]:
    """The most important first: by label, by importance, the newest of equals."""
    return _LABELS.index(memory.label), -memory.importance, _descending(memory.id)


def _descending(id: str) -> str:
    return "".join(chr(0x7F - ord(char)) for char in id)


def _in_one_line(memory: Memory, times: int = 0) -> DigestMemory:
    return DigestMemory(memory.id, memory.kind.value, memory.scope, first_line(memory.text), times)


def _most(counts: Counter[str], most: int | None = None) -> Mapping[str, int]:
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:most])

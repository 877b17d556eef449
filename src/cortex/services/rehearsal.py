"""Rehearsals: recorded recalls, answered again under other settings before anybody is served by them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

from cortex.context import Context
from cortex.domain.identity import ReceiptId
from cortex.domain.query import Mode, Query
from cortex.domain.receipt import Receipt
from cortex.errors import InvalidRequest
from cortex.ports.store import View
from cortex.progress import Progress, silent
from cortex.recall import recipes, replay
from cortex.recall.flow import Answer
from cortex.recall.rehearsal import AnswerSide, ChangedAnswer, Tally, change_between, named_reasons
from cortex.runtime.deadline import Deadline
from cortex.services.canary import TRIABLE, changed_settings, turn_of
from cortex.services.query_vectors import QueryVectors
from cortex.services.recall import REPLAY_SECONDS, SILENT, RecallService
from cortex.services.turn_hooks import is_failure
from cortex.settings import Settings

DECISIVE = frozenset({"recall.recipe", "hooks.max_facts", "hooks.max_tokens", "files.citations"})
"""The settings that can change what a recall answers."""

DAYS = 7.0
MOST_DAYS = 3_650.0
LIMIT = 1_000
MOST = 100_000
_PAGE = 200
"""So many receipts are in memory at once."""

NO_QUERY = "the query is not kept"
NO_RECALL = "the turn was given no recall"
OLD_RECEIPT = "the receipt lacks the request"
OTHER_MODEL = "the embedding model was another"
UNKNOWN_RECIPE = "its own recipe is not known any more"


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What would change."""

    settings: Mapping[str, Any]
    since: datetime
    compared: int
    changes: Mapping[str, int]
    """How many answers stay the same, or change in which way."""
    left_out: Mapping[str, int]
    """How many recalls could not be compared, by reason."""
    tokens_before: int
    """In all compared answers together."""
    tokens_after: int
    most_changed: tuple[ChangedAnswer, ...]
    stopped: bool
    """Whether it ended before all were compared."""
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class _Recorded:
    """A recorded recall that can be answered again."""

    receipt: Receipt
    text: str


class RehearsalService:
    """Answers the recorded recalls of one user under other settings."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def rehearse(
        self,
        settings: Mapping[str, Any],
        *,
        days: float = DAYS,
        limit: int = LIMIT,
        seconds: float | None = None,
        progress: Progress = silent,
    ) -> Rehearsal:
        """Answer the latest recalls on the state that each of them saw, under both settings.

        An interrupt, or the end of `seconds`, ends it with what was compared so far.
        """
        given, candidate = changed_settings(
            self._context, settings, TRIABLE | DECISIVE, "cannot be rehearsed", suggested=DECISIVE
        )
        if not given.keys() & DECISIVE:
            raise InvalidRequest(
                f"{', '.join(sorted(given))} changes no answer", field="settings",
                hint=f"these do: {', '.join(sorted(DECISIVE))}",
            )  # fmt: skip
        since = since_of(self._context, days)
        if isinstance(limit, bool) or not 1 <= limit <= MOST:
            raise InvalidRequest("is out of range", field="limit", hint=f"give 1 to {MOST:,}")
        self._context.dependencies.require(self._context.tenant.agent, "as_of", self._context.store.abilities)
        self._context.flush()
        end = None if seconds is None else Deadline.after(self._context.clock, seconds)
        tally, stopped = Tally(), False
        with self._context.recording("rehearse") as record:
            try:
                stopped = self._compare_all(candidate, since, limit, end, tally, progress)
            except KeyboardInterrupt:
                stopped = True
            record.close(
                self._context.position(), settings=sorted(given), compared=tally.compared, changes=tally.by_change(),
                left_out=tally.left_out.total(), stopped=stopped,
            )  # fmt: skip
        return Rehearsal(
            given, since, tally.compared, tally.by_change(), named_reasons(tally.left_out.items()),
            tally.tokens_before, tally.tokens_after, tally.most_changed, stopped, record.receipt,
        )  # fmt: skip

    def _compare_all(
        self, candidate: Settings, since: datetime, limit: int, end: Deadline | None, tally: Tally, progress: Progress
    ) -> bool:
        """Whether it ended early."""
        with self._context.store_view() as view:
            total = _count(view, since, limit)
        for position, group in groupby(self._recorded(since, limit, tally), key=lambda each: each.receipt.position):
            with self._context.view(position) as view:
                for recorded in group:
                    self._compare(recorded, view, candidate, tally)
                    progress(tally.compared + tally.left_out.total(), total, "compared")
                    if end is not None and end.passed:
                        return True
        progress(total, total, "compared")
        return False

    def _compare(self, recorded: _Recorded, view: View, candidate: Settings, tally: Tally) -> None:
        """Both answers to one question, or why there are none."""
        space = self._context.space(view)
        then = recorded.receipt.facts.get("calibration")
        if then is not None and then["space"] != space.key:
            tally.left_out[OTHER_MODEL] += 1
            return
        answers = []
        for settings in (self._context.settings, candidate):
            try:
                query = rehearsed_query(settings, recorded.receipt, recorded.text)
                answer = answer_to(replace(self._context, own_settings=settings), query, view)
            except InvalidRequest:
                tally.left_out[UNKNOWN_RECIPE] += 1
                return
            if failed := next(filter(is_failure, answer.degraded), None):
                tally.left_out[f"degraded now: {failed}"] += 1
                return
            answers.append(answer)
        before, after = map(AnswerSide.of, answers)
        receipt = recorded.receipt
        tally.add(ChangedAnswer(
            receipt.id, receipt.at, receipt.position, recorded.text, change_between(before, after), before, after
        ))  # fmt: skip

    def _recorded(self, since: datetime, limit: int, tally: Tally) -> Iterator[_Recorded]:
        """The latest recalls with their queries, newest first; the others are counted."""
        before: ReceiptId | None = None
        left = limit
        while left > 0:
            with self._context.store_view() as view:
                page = view.receipts(min(left, _PAGE), "recall", before)
                found = [(receipt, view.receipt(receipt.id)) for receipt in page if receipt.at >= since]
            for receipt, kept in found:
                if receipt.facts.get("skipped") == SILENT:
                    tally.left_out[NO_RECALL] += 1
                elif "request" not in receipt.facts:
                    tally.left_out[OLD_RECEIPT] += 1
                elif kept is None or kept[1] is None:
                    tally.left_out[NO_QUERY] += 1
                else:
                    yield _Recorded(receipt, kept[1])
            if len(found) < len(page) or not page:
                return
            before, left = page[-1].id, left - len(page)


def since_of(context: Context, days: float, most: float = MOST_DAYS) -> datetime:
    """So many days ago."""
    if not 0 < days <= most:
        raise InvalidRequest("is out of range", field="days", hint=f"give more than 0 and at most {most:,g}")
    return context.clock.now() - timedelta(days=days)


def answer_to(context: Context, query: Query, view: View) -> Answer:
    """What the settings of a context answer on what a view shows. No receipt is kept of it."""
    recipe = recipes.named(query.recipe or context.settings.recall.recipe)
    vectors = QueryVectors(context.dependencies, context.indexes, context.space(view))
    # As a replay: nobody waits for it.
    deadline = Deadline.after(context.clock, REPLAY_SECONDS)
    answer = RecallService(context).answer(query, recipe, view, vectors, deadline=deadline)
    answer.degraded += vectors.degraded()
    return answer


def rehearsed_query(settings: Settings, receipt: Receipt, text: str) -> Query:
    """A recorded query as it would be asked with these settings: a turn leaves more to them than a call by hand."""
    recorded = replay.query_of(receipt, text)
    named = receipt.facts["request"].get("recipe")
    if receipt.facts.get("session_hash") is not None and recorded.mode is Mode.AUTO:
        recipe = recipes.named(settings.recall.recipe)
        return replace(turn_of(recorded, settings, recipe), asked_at=recorded.asked_at)
    return replace(recorded, recipe=named or settings.recall.recipe)


def _count(view: View, since: datetime, limit: int) -> int:
    """How many recalls there are since then, at most `limit`."""
    before: ReceiptId | None = None
    found = 0
    while found < limit and (page := view.receipts(min(limit - found, _PAGE), "recall", before)):
        recent = sum(receipt.at >= since for receipt in page)
        found += recent
        if recent < len(page):
            break
        before = page[-1].id
    return found

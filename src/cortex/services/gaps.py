"""The gaps of a memory: recalls that found nothing, grouped, and asked again today."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from cortex.context import Context
from cortex.dependencies import log
from cortex.domain.gaps import Gap, VainQuestion, by_frequency, gap_of, grouped
from cortex.domain.hits import Hit
from cortex.domain.identity import ReceiptId
from cortex.domain.query import Mode
from cortex.domain.receipt import Receipt
from cortex.domain.scope import checked_label
from cortex.domain.turn import Turn
from cortex.domain.vectors import EmbeddingSpace, Vector
from cortex.errors import InvalidRequest, ProviderError
from cortex.ports.store import View
from cortex.progress import Progress, silent
from cortex.recall.receipts import digest_of
from cortex.services.rehearsal import answer_to, rehearsed_query, since_of

DAYS = 30.0
LIMIT = 20
MOST = 200
MOST_RECEIPTS = 50_000
MOST_WORDINGS = 1_000
"""So many wordings are compared, those asked most: each has to be embedded."""
_PAGE = 500


@dataclass(frozen=True, slots=True)
class GapsReport:
    """Questions that found nothing."""

    since: datetime
    recalls: int
    """Automatic recalls that looked for something."""
    found_nothing: int
    """Those that found nothing."""
    unknown: int
    """Of those, the ones whose query is not kept."""
    groups: int
    by_meaning: bool
    """Whether questions were compared by meaning; otherwise by their words."""
    gaps: tuple[Gap, ...]
    """The gaps asked most."""
    receipt: Receipt


@dataclass(slots=True)
class _Counts:
    recalls: int = 0
    found_nothing: int = 0
    unknown: int = 0


class GapService:
    """Finds the gaps in the memory of one user."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def report(
        self, *, days: float = DAYS, scope: str | None = None, limit: int = LIMIT, progress: Progress = silent
    ) -> GapsReport:
        since = since_of(self._context, days)
        wanted = None if scope is None else checked_label(scope, "scope")
        if isinstance(limit, bool) or not 1 <= limit <= MOST:
            raise InvalidRequest("is out of range", field="limit", hint=f"give 1 to {MOST}")
        self._context.flush()
        with self._context.recording("gaps") as record, self._context.view() as view:
            counts = _Counts()
            wordings = by_frequency(self._wordings(view, since, wanted, counts))[:MOST_WORDINGS]
            space, vectors = self._vectors(wordings, view, progress)
            groups = grouped(wordings, vectors, space)
            found = sorted(groups, key=lambda group: (-sum(each.times for each in group), -group[0].last.timestamp()))
            gaps = []
            for at, group in enumerate(found[:limit], start=1):
                gaps.append(self._asked_again(view, group))
                progress(at, min(limit, len(found)), "asked again")
            record.close(
                view.position, recalls=counts.recalls, found_nothing=counts.found_nothing, groups=len(groups),
                answered_now=sum(bool(gap.answered_by) for gap in gaps),
            )  # fmt: skip
        return GapsReport(
            since, counts.recalls, counts.found_nothing, counts.unknown, len(groups), space is not None, tuple(gaps),
            record.receipt,
        )  # fmt: skip

    def _wordings(self, view: View, since: datetime, scope: str | None, counts: _Counts) -> list[VainQuestion]:
        """The questions that found nothing; the same words are one."""
        found: dict[str, VainQuestion] = {}
        for receipt in recalls_since(view, since):
            if receipt.facts.get("skipped") or _is_by_hand(receipt) or receipt.degraded:
                continue
            if scope is not None and receipt.facts.get("request", {}).get("scope") != scope:
                continue
            counts.recalls += 1
            if receipt.facts.get("counts", {}).get("returned", 1):
                continue
            counts.found_nothing += 1
            kept = view.receipt(receipt.id)
            if kept is None or kept[1] is None:
                counts.unknown += 1
                continue
            text = " ".join(kept[1].split())
            known = found.get(text.casefold())
            # The newest come first.
            found[text.casefold()] = (
                VainQuestion(text, 1, receipt.at, receipt.at, receipt.id)
                if known is None
                else replace(known, times=known.times + 1, first=receipt.at)
            )
        return list(found.values())

    def _vectors(
        self, wordings: Sequence[VainQuestion], view: View, progress: Progress
    ) -> tuple[EmbeddingSpace | None, list[Vector | None]]:
        """The space and the vector of each question; without a space, questions are compared by their words."""
        embedder = self._context.dependencies.embedder
        nothing: list[Vector | None] = [None] * len(wordings)
        if not embedder.space.dimension:
            return None, nothing
        space, found = self._context.space(view), list[Vector | None]()
        for at, each in enumerate(wordings, start=1):
            try:
                found.append(embedder.embed_query(each.text) if space.reads(each.text) else None)
            except ProviderError as error:
                log.warning("questions are compared by their words: %s", error.code)
                return None, nothing
            progress(at, len(wordings), "compared")
        return space, found

    def _asked_again(self, view: View, group: Sequence[VainQuestion]) -> Gap:
        """The gap, with what would answer it on today's state."""
        gap = gap_of(group)
        found = view.receipt(gap.receipt_id)
        if found is None or "request" not in found[0].facts:
            return gap
        query = replace(rehearsed_query(self._context.settings, found[0], gap.question), asked_at=None)
        answer = answer_to(self._context, query, view)
        asked = {digest_of(each.text) for each in group} | {str(found[0].facts.get("query_hash"))}
        hits = (hit for hit in answer.hits if not _is_of_the_conversation(hit, view, asked))
        return replace(gap, answered_by=tuple(hit.trace.id for hit in hits))


def recalls_since(view: View, since: datetime) -> Iterator[Receipt]:
    """The receipts of recalls since then, newest first."""
    before: ReceiptId | None = None
    left = MOST_RECEIPTS
    while left > 0 and (page := view.receipts(min(left, _PAGE), "recall", before)):
        for receipt in page:
            if receipt.at < since:
                return
            yield receipt
        before, left = page[-1].id, left - len(page)


def _is_by_hand(receipt: Receipt) -> bool:
    return bool(receipt.facts.get("request", {}).get("mode", Mode.AUTO) != Mode.AUTO)


def _is_of_the_conversation(hit: Hit, view: View, asked: Collection[str]) -> bool:
    """Whether a hit is the question itself, or the reply to it: that the question was put answers nothing."""
    turn = hit.trace
    if not isinstance(turn, Turn):
        return False
    before = view.turn_at(turn.session, turn.seq - 1)
    return digest_of(turn.text) in asked or (before is not None and digest_of(before.text) in asked)

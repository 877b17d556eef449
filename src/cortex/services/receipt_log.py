"""The log of what was done, one line a receipt, and two receipts compared (S6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from cortex.context import Context
from cortex.domain.identity import ReceiptId, checked_id
from cortex.domain.receipt import Receipt
from cortex.domain.receipt_comparison import ReceiptComparison, compare
from cortex.errors import InvalidRequest, NotFound
from cortex.operation_counters import outcome_of
from cortex.ports.store import View
from cortex.recall.receipts import digest_of

OUTCOMES = ("answered", "silent", "skipped", "degraded", "ok")
"""How an operation ended; recalls have the first four."""

MOST_LISTED = 200
MOST_SEARCHED = 5_000
"""How many receipts one page looks through for those that match."""

_SHOWN_CHARS = 240
_NUMBERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptSummary:
    """One receipt in a line: the question where it is kept, or the first hit, with what came of it."""

    id: ReceiptId
    op: str
    at: datetime
    outcome: str
    latency_ms: float
    mode: str | None = None
    hits: int | None = None
    candidates: int | None = None
    tokens: int | None = None
    question: str | None = None
    """The beginning of the question, where queries are kept."""
    first_hit: str | None = None
    first_text: str | None = None
    """The beginning of the first hit's text as it is now; None where it is gone."""
    session_hash: str | None = None
    arm: str | None = None
    rung: str | None = None
    skipped: str | None = None
    degraded: tuple[str, ...] = ()
    numbers: Mapping[str, int | float]
    """The first few numbers of another operation, by name."""


@dataclass(frozen=True, slots=True)
class ReceiptLog:
    """One page of receipts, newest first."""

    receipts: tuple[ReceiptSummary, ...]
    next: str | None
    """Where to continue; None at the end."""


class ReceiptLogService:
    """The receipts of one user."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def receipt_log(
        self,
        *,
        op: str | None = None,
        outcome: str | None = None,
        session: str | None = None,
        before: str | None = None,
        limit: int = 50,
    ) -> ReceiptLog:
        if not 1 <= limit <= MOST_LISTED:
            raise InvalidRequest(f"{limit} is outside 1 to {MOST_LISTED}", field="limit", hint="give another")
        if outcome is not None and outcome not in OUTCOMES:
            raise InvalidRequest("is none", field="outcome", hint=f"use {', '.join(OUTCOMES)}")
        self._context.flush()
        wanted = None if session is None else digest_of(session)
        with self._context.reading() as view:
            place = None if before is None else ReceiptId(checked_id(before, field="before"))
            if place is not None and view.receipt(place) is None:
                raise NotFound(f"no receipt {before}", hint="see `cortex admin receipts`")
            found: list[Receipt] = []
            is_filtered = outcome is not None or wanted is not None
            for searched, receipt in enumerate(_receipts(view, op, place), start=1):
                if outcome in (None, _outcome(receipt)) and wanted in (None, receipt.facts.get("session_hash")):
                    found.append(receipt)
                if len(found) == limit or (is_filtered and searched >= MOST_SEARCHED):
                    place = receipt.id
                    break
            else:
                place = None
            return ReceiptLog(tuple(self._summaries(view, found)), place)

    def compare_receipts(self, id: str, other: str) -> ReceiptComparison:
        self._context.flush()
        with self._context.store_view() as view:
            return compare(_recall(view, id, "id"), _recall(view, other, "other"))

    def _summaries(self, view: View, receipts: Sequence[Receipt]) -> Iterator[ReceiptSummary]:
        recalls = [each for each in receipts if each.op == "recall"]
        firsts = {each.id: returned[0]["id"] for each in recalls if (returned := each.facts.get("returned"))}
        texts = {trace.id: trace.text for trace in view.load(sorted(set(firsts.values())))}
        for each in receipts:
            about: dict[str, Any] = {"numbers": dict(_numbers(each.facts))}
            if each.op == "recall":
                facts, first = each.facts, firsts.get(each.id)
                counts, kept = facts.get("counts") or {}, view.receipt(each.id)
                about = {
                    "mode": (facts.get("request") or {}).get("mode"),
                    "hits": counts.get("returned"),
                    "candidates": counts.get("candidates"),
                    "question": _short(kept[1]) if kept else None,
                    "first_hit": first,
                    "first_text": _short(texts.get(first)) if first else None,
                    "numbers": {},
                    **{name: facts.get(name) for name in ("tokens", "session_hash", "arm", "rung", "skipped")},
                }
            yield ReceiptSummary(
                id=each.id, op=each.op, at=each.at, outcome=_outcome(each), latency_ms=round(each.latency_ms, 3),
                degraded=each.degraded, **about,
            )  # fmt: skip


def _receipts(view: View, op: str | None, place: ReceiptId | None) -> Iterator[Receipt]:
    while page := view.receipts(MOST_LISTED, op, place):
        yield from page
        place = page[-1].id
        if len(page) < MOST_LISTED:
            return


def _recall(view: View, id: str, field: str) -> Receipt:
    found = view.receipt(ReceiptId(id.strip().lower()))
    if found is None:
        raise NotFound(f"{field}: no receipt {id}", hint="see `cortex admin receipts --op recall`")
    if found[0].op != "recall":
        raise InvalidRequest(
            f"is a receipt of {found[0].op}", field=field, hint="give one of a recall: others have no hits"
        )  # fmt: skip
    return found[0]


def _outcome(receipt: Receipt) -> str:
    return outcome_of(receipt) if receipt.op == "recall" else "ok"


def _numbers(facts: Mapping[str, Any]) -> Iterator[tuple[str, int | float]]:
    positive = ((name, value) for name, value in facts.items() if type(value) in (int, float) and value > 0)
    for (name, value), _ in zip(positive, range(_NUMBERS), strict=False):
        yield name, value


def _short(text: str | None) -> str | None:
    return None if text is None else text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"

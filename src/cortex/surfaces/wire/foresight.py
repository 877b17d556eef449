"""Foresight: recorded recalls under other settings, questions that found nothing, and the digest."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from cortex.domain.digest import (
    Changed,
    Digest,
    DigestChange,
    DigestMemory,
    Learned,
    Spent,
    UnansweredQuestions,
    WaitingItem,
)
from cortex.domain.gaps import Gap
from cortex.domain.identity import ReceiptId, TraceId
from cortex.recall.rehearsal import AnswerChange, AnswerSide, ChangedAnswer
from cortex.services.gaps import GapsReport
from cortex.services.rehearsal import Rehearsal
from cortex.surfaces.wire.fields import AT, ID, Moment, ReceiptField
from cortex.surfaces.wire.model import Json, Request, Response, example

_SETTINGS: Json = {"recall.recipe": "deep.v1"}


class RehearseRequest(Request):
    """Which settings to rehearse, and on how many recorded recalls."""

    settings: dict[str, str | int | float | bool] = Field(
        min_length=1, max_length=20, description="Settings by their dotted names, such as `recall.recipe`."
    )
    days: float = Field(7, gt=0, le=3_650, description="Only recalls of so many days.")
    limit: int = Field(1_000, ge=1, le=100_000, description="At most so many of the latest.")
    seconds: float = Field(120, gt=0, le=3_600, description="Return what was compared after so long.")

    model_config = example({"settings": _SETTINGS, "days": 7, "limit": 200})


class AnswerSideFields(Response):
    """An answer under one of the two settings."""

    result: ClassVar[type[Any] | None] = AnswerSide
    ids: tuple[TraceId, ...] = Field(description="The hits, best first.")
    tokens: int = Field(description="The size of the injected block.")


class ChangedAnswerFields(Response):
    """A recorded recall whose answer would be another."""

    receipt_id: ReceiptId
    at: Moment
    position: int = Field(description="The ledger position that both sides searched.")
    query: str
    change: AnswerChange = Field(description="tokens, order, hits, silenced or answered.")
    before: AnswerSideFields = Field(description="With the settings in force.")
    after: AnswerSideFields = Field(description="With the changed settings.")

    def value(self) -> ChangedAnswer:
        return ChangedAnswer(
            self.receipt_id, self.at, self.position, self.query, self.change, self.before.value(), self.after.value()
        )  # fmt: skip


class RehearseResponse(Response):
    """How many answers would change, and the most changed ones."""

    settings: dict[str, Any]
    since: Moment
    compared: int
    changes: dict[str, int] = Field(
        description="How many answers stay the `same`; differ in `tokens`, `order` or `hits`; are `silenced`, or "
        "`answered` where nothing was found."
    )
    left_out: dict[str, int] = Field(description="How many recalls could not be compared, by reason.")
    tokens_before: int = Field(description="The tokens of all compared answers together.")
    tokens_after: int
    most_changed: tuple[ChangedAnswerFields, ...] = Field(description="At most 20, the most changed first.")
    stopped: bool = Field(description="Whether it ended before all were compared.")
    receipt: ReceiptField

    model_config = example({
        "settings": _SETTINGS, "since": AT, "compared": 812,
        "changes": {"same": 640, "tokens": 4, "order": 80, "hits": 76, "silenced": 9, "answered": 3},
        "left_out": {"the query is not kept": 12}, "tokens_before": 150_000, "tokens_after": 148_200,
        "most_changed": [{
            "receipt_id": ID, "at": AT, "position": 164, "query": "when does the deploy key rotate?",
            "change": "silenced", "before": {"ids": [ID], "tokens": 41}, "after": {"ids": [], "tokens": 0},
        }],
        "stopped": False,
        "receipt": {"schema": "cortex.rehearse.receipt.v1", "id": ID, "op": "rehearse", "at": AT, "agent": "main",
                    "user": "default", "position": 164, "latency_ms": 52_110.4},
    })  # fmt: skip

    def value(self) -> Rehearsal:
        most = tuple(each.value() for each in self.most_changed)
        return Rehearsal(
            self.settings, self.since, self.compared, self.changes, self.left_out, self.tokens_before,
            self.tokens_after, most, self.stopped, self.receipt,
        )  # fmt: skip


class GapsRequest(Request):
    """The days to look back on, and how many gaps to return."""

    days: float = Field(30, gt=0, le=3_650, description="Only recalls of so many days.")
    scope: str | None = Field(None, max_length=1_024, description="Only recalls in this scope.")
    limit: int = Field(20, ge=1, le=200, description="At most so many gaps, those asked most first.")

    model_config = example({"days": 30})


class GapFields(Response):
    """Questions about one thing that found nothing."""

    result: ClassVar[type[Any] | None] = Gap
    question: str = Field(description="The wording that was asked most.")
    times: int
    wordings: int
    first: Moment
    last: Moment
    receipt_id: ReceiptId = Field(description="The receipt of the last time it was asked in this wording.")
    answered_by: tuple[TraceId, ...] = Field(description="What would answer the question today; best first.")


class GapsResponse(Response):
    """Questions that found nothing."""

    since: Moment
    recalls: int = Field(description="Automatic recalls that looked for something.")
    found_nothing: int = Field(description="Those that found nothing.")
    unknown: int = Field(description="Of those, the ones whose query is not kept.")
    groups: int = Field(description="How many gaps there are.")
    by_meaning: bool = Field(description="Whether questions were compared by meaning; otherwise by their words.")
    gaps: tuple[GapFields, ...]
    receipt: ReceiptField

    model_config = example({
        "since": AT, "recalls": 812, "found_nothing": 96, "unknown": 2, "groups": 41, "by_meaning": True,
        "gaps": [{"question": "who services the boiler?", "times": 7, "wordings": 3, "first": AT, "last": AT,
                  "receipt_id": ID, "answered_by": [ID]}],
        "receipt": {"schema": "cortex.gaps.receipt.v1", "id": ID, "op": "gaps", "at": AT, "agent": "main",
                    "user": "default", "position": 164, "latency_ms": 310.2},
    })  # fmt: skip

    def value(self) -> GapsReport:
        gaps = tuple(each.value() for each in self.gaps)
        return GapsReport(
            self.since, self.recalls, self.found_nothing, self.unknown, self.groups, self.by_meaning, gaps, self.receipt
        )  # fmt: skip


# --- the digest -------------------------------------------------------------------------------------------------------


class DigestRequest(Request):
    """The days to sum up."""

    days: float = Field(7, gt=0, le=366, description="So many days, up to now.")

    model_config = example({"days": 7})


class DigestMemoryFields(Response):
    """A memory in one line."""

    result: ClassVar[type[Any] | None] = DigestMemory
    id: TraceId
    kind: str
    scope: str
    line: str = Field(description="The first line of its text.")
    times: int = Field(description="How often it was among the first hits, for those used most.")


class LearnedFields(Response):
    """What is new."""

    memories: int
    turns: int
    by_kind: dict[str, int]
    by_scope: dict[str, int] = Field(description="The ten scopes with most.")
    most_important: tuple[DigestMemoryFields, ...]

    def value(self) -> Learned:
        most = tuple(each.value() for each in self.most_important)
        return Learned(self.memories, self.turns, self.by_kind, self.by_scope, most)


class DigestChangeFields(Response):
    """A memory that changed, and what took its place or speaks against it."""

    change: str = Field(description="superseded, contradicted, forgotten or expired.")
    memory: DigestMemoryFields
    other: DigestMemoryFields | None

    def value(self) -> DigestChange:
        return DigestChange(self.change, self.memory.value(), self.other.value() if self.other else None)


class ChangedFields(Response):
    """What is no longer as it was."""

    events: dict[str, int] = Field(description="How often each change was made.")
    latest: tuple[DigestChangeFields, ...]

    def value(self) -> Changed:
        return Changed(self.events, tuple(each.value() for each in self.latest))


class UnansweredFields(Response):
    """What was not known."""

    found_nothing: int
    recalls: int
    groups: int
    gaps: tuple[GapFields, ...]

    def value(self) -> UnansweredQuestions:
        return UnansweredQuestions(
            self.found_nothing, self.recalls, self.groups, tuple(each.value() for each in self.gaps)
        )


class SpentFields(Response):
    """What recall and the language model took, on whole days (UTC)."""

    result: ClassVar[type[Any] | None] = Spent
    recalls: int
    answered: int = Field(description="That found something.")
    skipped: int
    searches: int
    tokens: int = Field(description="What recalls gave to agents.")
    p50_ms: float | None
    p95_ms: float | None
    llm_calls: int | None = Field(description="Null where no language model is used.")
    llm_tokens: int | None
    llm_cents: int | None = Field(description="Null where `llm.cents_per_million_tokens` is not set.")


class WaitingFields(Response):
    """Something that waits for a person."""

    result: ClassVar[type[Any] | None] = WaitingItem
    what: str
    number: int
    command: str = Field(description="The command that shows them.")


class DigestResponse(Response):
    """The digest of some days."""

    since: Moment
    until: Moment
    learned: LearnedFields
    changed: ChangedFields
    unanswered: UnansweredFields
    used: tuple[DigestMemoryFields, ...] = Field(description="The memories recalled most.")
    spent: SpentFields
    waiting: tuple[WaitingFields, ...]
    complete: bool = Field(description="Whether everything was counted; of very many changes, the latest are.")
    receipt: ReceiptField

    model_config = example({
        "since": AT, "until": AT,
        "learned": {"memories": 42, "turns": 310, "by_kind": {"fact": 30, "preference": 12},
                    "by_scope": {"personal": 40, "infra": 2}, "most_important": []},
        "changed": {"events": {"superseded": 3}, "latest": []},
        "unanswered": {"found_nothing": 12, "recalls": 180, "groups": 5, "gaps": []},
        "used": [], "waiting": [{"what": "items in the inbox", "number": 2, "command": "cortex inbox"}],
        "spent": {"recalls": 200, "answered": 168, "skipped": 20, "searches": 4, "tokens": 24_000, "p50_ms": 18.2,
                  "p95_ms": 41.0, "llm_calls": None, "llm_tokens": None, "llm_cents": None},
        "complete": True,
        "receipt": {"schema": "cortex.digest.receipt.v1", "id": ID, "op": "digest", "at": AT, "agent": "main",
                    "user": "default", "position": 164, "latency_ms": 120.9},
    })  # fmt: skip

    def value(self) -> Digest:
        return Digest(
            self.since, self.until, self.learned.value(), self.changed.value(), self.unanswered.value(),
            tuple(each.value() for each in self.used), self.spent.value(),
            tuple(each.value() for each in self.waiting), self.complete, self.receipt,
        )  # fmt: skip

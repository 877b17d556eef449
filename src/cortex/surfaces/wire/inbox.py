"""The inbox: items, decisions, and the thresholds that are learned from them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from cortex.domain.thresholds import ThresholdVersion
from cortex.lifecycle.inbox import InboxItem, InboxReason, Verdict
from cortex.services.inbox import MOST_AT_ONCE, Inbox, InboxDecided, PastDecision
from cortex.services.inbox_decisions import MOST_DAYS
from cortex.surfaces.wire.fields import A_TRACE, AT, ID, AnyTrace, Id, Moment, ReceiptField
from cortex.surfaces.wire.model import Request, Response, SequenceResponse, Strict, example

_ITEM_CHARS = 80
ItemId = Annotated[str, Field(min_length=1, max_length=_ITEM_CHARS, description="The id of an inbox item.")]
_REVISION = "9f86d081884c7d65"


class InboxRequest(Request):
    """Which items to list."""

    limit: int = Field(20, ge=1, le=1_000, description="How many at most.")
    all: bool = Field(False, description="Also what is left for another day: without it, at most 20 a day are shown.")
    ids: list[ItemId] | None = Field(
        None, max_length=MOST_AT_ONCE, description="Only these items, as far as they still need somebody."
    )


class InboxItemFields(Response):
    """A memory or turn that needs a person, or two memories beside each other."""

    result = InboxItem
    id: str = Field(description="The ids of the memory or memories it is about.")
    reasons: tuple[InboxReason, ...] = Field(description="Why it is here, the most harmful first.")
    because: tuple[str, ...] = Field(description="The reasons in words.")
    trace: AnyTrace = Field(description="The memory or turn; of two, the earlier.")
    other: AnyTrace | None = Field(description="The later memory of two; else null.")
    harm: float = Field(description="What it may do if nobody looks, 0 to 1.")
    revision: str = Field(description="Stands for what is shown here; a decision names it.")
    verdicts: tuple[Verdict, ...] = Field(description="What can be decided.")


_ITEM: dict[str, Any] = {
    "id": ID, "reasons": ["unsure"], "because": ["The extractor was only 52% sure."], "trace": A_TRACE, "other": None,
    "harm": 0.6, "revision": _REVISION, "verdicts": ["approve", "edit", "reject", "rule", "snooze"],
}  # fmt: skip


class InboxResponse(Response):
    """What needs a person, the most harmful first."""

    result = Inbox
    items: tuple[InboxItemFields, ...]
    waiting: int = Field(description="How many items there are, with those left for another day.")
    left_today: int = Field(description="How many of them are for today.")
    decided_today: int = Field(description="How many were decided today (UTC).")
    snoozed: int = Field(description="How many are snoozed.")

    model_config = example({"items": [_ITEM], "waiting": 1, "left_today": 1, "decided_today": 0, "snoozed": 0})

    def value(self) -> Inbox:
        items = tuple(each.value() for each in self.items)
        return Inbox(items, self.waiting, self.left_today, self.decided_today, self.snoozed)


class InboxDecisionFields(Strict):
    """One decision."""

    id: ItemId
    revision: str = Field(pattern="^[0-9a-f]{16}$", description="The `revision` that was read.")
    verdict: Literal["approve", "edit", "reject", "rule", "merge", "snooze"] = Field(
        description="approve makes the operator the source; reject forgets it and marks the statement."
    )
    keep: Id | None = Field(None, description="Of two memories, the one that is meant: that is true, stays, is edited.")
    text: str | None = Field(None, description="For `edit`: the new text.")
    days: int | None = Field(None, ge=1, le=MOST_DAYS, description="For `snooze`: how many days; 7 by default.")


class DecideRequest(Request):
    """Decisions on inbox items: all are carried out, or none."""

    decisions: list[InboxDecisionFields] = Field(
        min_length=1, max_length=MOST_AT_ONCE, description="The decisions, in order; each item once."
    )

    model_config = example({"decisions": [{"id": ID, "revision": _REVISION, "verdict": "approve"}]})


class UndoDecisionsRequest(Request):
    """Decisions to take back: all are, or none."""

    decisions: list[Id] = Field(min_length=1, max_length=MOST_AT_ONCE, description="The ids of decisions.")

    model_config = example({"decisions": [ID]})


class PastDecisionFields(Response):
    """A decision that was made, by ids."""

    result = PastDecision
    id: str
    item: str = Field(description="The item it was about.")
    verdict: str
    reasons: tuple[str, ...]
    at: Moment
    actor: str = Field(description="Who decided.")
    ids: tuple[str, ...] = Field(description="What it changed.")
    position: int = Field(description="The ledger position it was decided on.")
    undone_at: Moment | None = Field(description="When it was undone; else null.")

    def value(self) -> PastDecision:
        return PastDecision(**{name: getattr(self, name) for name in type(self).model_fields})


_DECISION: dict[str, Any] = {
    "id": ID, "item": ID, "verdict": "approve", "reasons": ["unsure"], "at": AT, "actor": "cli", "ids": [ID],
    "position": 164, "undone_at": None,
}  # fmt: skip


class ThresholdFields(Response):
    """One move of a threshold."""

    result = ThresholdVersion
    extractor: str = Field(description="The language of the rules, a model, or `quarantine`.")
    version: int
    threshold: float = Field(description="From which confidence on its extractions are kept.")
    before: float = Field(description="What held before.")
    at: Moment
    right: int = Field(description="How many decisions approved its extractions.")
    wrong: int = Field(description="How many rejected them.")
    revoked_at: Moment | None = None


_THRESHOLD: dict[str, Any] = {
    "extractor": "en", "version": 1, "threshold": 0.512, "before": 0.5, "at": AT, "right": 17, "wrong": 5,
    "revoked_at": None,
}  # fmt: skip


class DecideResponse(Response):
    """What was decided or undone."""

    decisions: tuple[PastDecisionFields, ...]
    moved: tuple[ThresholdFields, ...] = Field(description="The thresholds that these decisions moved.")
    receipt: ReceiptField

    model_config = example({"decisions": [_DECISION], "moved": [], "receipt": {"id": ID, "op": "decide"}})

    def value(self) -> InboxDecided:
        past = tuple(each.value() for each in self.decisions)
        return InboxDecided(past, tuple(each.value() for each in self.moved), self.receipt)


class DecisionsRequest(Request):
    """How many decisions to list."""

    limit: int = Field(50, ge=1, le=300, description="How many at most.")


class DecisionsResponse(SequenceResponse):
    items = "decisions"
    decisions: tuple[PastDecisionFields, ...]

    model_config = example({"decisions": [_DECISION]})


class ThresholdsResponse(SequenceResponse):
    items = "thresholds"
    thresholds: tuple[ThresholdFields, ...]

    model_config = example({"thresholds": [_THRESHOLD]})


class RevokeThresholdRequest(Request):
    """Whose threshold to revoke."""

    extractor: str = Field(min_length=1, max_length=1_024, description="The extractor, as thresholds names it.")

    model_config = example({"extractor": "en"})


class ThresholdResponse(ThresholdFields):
    """The threshold that was revoked."""

    model_config = example(_THRESHOLD | {"revoked_at": AT})

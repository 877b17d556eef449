"""Retention: what is due by the rules of the settings, and holds."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import Field, Strict

from cortex.domain.holds import MOST_IDS, MOST_REASON_CHARS, Hold, HoldKind
from cortex.domain.retention import RetentionRule
from cortex.retention_settings import read_rules
from cortex.services.holds import HoldResult
from cortex.services.retention import RetentionResult, UserRetention
from cortex.surfaces.wire.fields import AT, ID, Id, Label, Moment, ReceiptField
from cortex.surfaces.wire.history import Everyone
from cortex.surfaces.wire.model import Json, Request, Response, SequenceResponse, example
from cortex.surfaces.wire.subjects import Also, Name

_RULE = {"lane": "outcomes", "keep": "30d", "then": "expire"}


class RetentionRequest(Request):
    """Show what is due, or apply it."""

    apply: bool = Field(False, description="Expire and erase what is due. What is erased cannot be brought back.")
    everyone: Everyone = False

    model_config = example({})


class UserRetentionFields(Response):
    """What is due of one user, or what was done."""

    result = UserRetention
    user: str
    expire: tuple[str, ...] = Field(description="Hidden from recall; `POST /v1/consolidate/undo` brings it back.")
    erase: tuple[str, ...] = Field(description="Erased for good.")
    kept_back: tuple[str, ...] = Field(
        description="Turns that a rule erases, and that stay: memories that no rule erases were extracted from them."
    )
    held: tuple[str, ...] = Field(description="Due, and on hold.")
    rules: dict[str, int] = Field(description="How many each rule decided on.")
    receipts: int = Field(description="Receipts that are over.")
    queries: int = Field(description="Kept queries that are over.")
    run: str = Field(description="The name of the run, by which what expired can be brought back.")
    certificates: tuple[str, ...] = Field(description="The erasures, by the ids of their certificates.")
    receipt: ReceiptField


class RetentionResponse(Response):
    """The rules in force, the most specific first, and what is due by them, or was done."""

    rules: list[Json] = Field(description="Each with its conditions, `keep` and `then`.")
    users: tuple[UserRetentionFields, ...]
    applied: bool
    approved: bool = Field(description="Whether scheduled runs erase by these rules: they were applied once.")

    model_config = example({
        "rules": [_RULE],
        "users": [{
            "user": "default", "expire": [ID], "erase": [], "kept_back": [], "held": [],
            "rules": {"lane outcomes: keep 30d, then expire": 1}, "receipts": 0, "queries": 0, "run": "",
            "certificates": [], "receipt": {"id": ID, "op": "retention"},
        }],
        "applied": False, "approved": True,
    })  # fmt: skip

    @classmethod
    def of(cls, result: RetentionResult, request: Any = None) -> Self:  # noqa: ARG003
        return cls(
            rules=[rule.to_json() for rule in result.rules],
            users=tuple(UserRetentionFields.of(each) for each in result.users),
            applied=result.applied, approved=result.approved,
        )  # fmt: skip

    def value(self) -> RetentionResult:
        rules: tuple[RetentionRule, ...] = read_rules(self.rules)
        return RetentionResult(rules, tuple(each.value() for each in self.users), self.applied, self.approved)


# --- holds ------------------------------------------------------------------------------------------------------------

_HOLD = {
    "name": "hold-0123456789ab", "kind": "scope", "values": ["infra"], "at": AT, "by": "admin", "reason": "case 7",
    "user": "",
}  # fmt: skip


class HoldsRequest(Request):
    """Whose holds to list."""

    everyone: Everyone = False

    model_config = example({})


class HoldRequest(Request):
    """What to hold: one of ids, a scope, a session and a person."""

    ids: list[Id] | None = Field(None, max_length=MOST_IDS, description="Memories and turns, by their ids.")
    scope: Label | None = Field(None, description="Everything in this scope, now and later.")
    session: Label | None = Field(None, description="A session, with what was extracted from it, now and later.")
    person: Name | None = Field(None, description="What a person surely or likely is in, now and later.")
    also: Also = None
    reason: str = Field("", max_length=MOST_REASON_CHARS, description="Why, in one line.")
    everyone: Everyone = False

    model_config = example({"scope": "infra", "reason": "case 7"})


class ReleaseRequest(Request):
    """The hold to release."""

    name: Label = Field(description="The name of the hold.")
    everyone: Everyone = False

    model_config = example({})


class HoldFields(Response):
    """A hold: who placed it, on what, and why."""

    result = Hold
    name: str
    kind: Annotated[HoldKind, Strict(False)] = Field(description="By what it knows what is held.")
    values: tuple[str, ...] = Field(description="The ids, the scope, the session or the names.")
    at: Moment = Field(description="When it was placed.")
    by: str = Field(description="Who placed it: a token's id, `cli`, …")
    reason: str
    user: str = Field(description="Whose memory it is on; empty for all users of the agent.")


class HoldsResponse(SequenceResponse):
    items = "holds"
    holds: tuple[HoldFields, ...]

    model_config = example({"holds": [_HOLD]})


class HoldResponse(Response):
    """The hold that was placed or released."""

    hold: HoldFields
    receipt: ReceiptField

    model_config = example({"hold": _HOLD, "receipt": {"id": ID, "op": "hold"}})

    def value(self) -> HoldResult:
        return HoldResult(self.hold.value(), self.receipt)

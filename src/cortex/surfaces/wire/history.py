"""Tags, the difference between two states, and rollbacks."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import Field

from cortex.domain.tags import MOST_REASON_CHARS, Tag
from cortex.lifecycle.rollback import Difference, Rollback
from cortex.services.rollback import DiffResult, RollbackResult, UserRollback
from cortex.services.tags import TagResult
from cortex.surfaces.wire.fields import AT, ID, AnyTrace, AsOf, Id, Moment, ReceiptField, ScopeFilter
from cortex.surfaces.wire.model import Request, Response, SequenceResponse, example

TagName = Annotated[
    str, Field(min_length=1, max_length=64, description="The name of a tag: letters, digits, dots, hyphens.")
]
Everyone = Annotated[bool, Field(description="For every user of the agent, not for this one alone.")]
_TAG = {"name": "before-upgrade", "user": "default", "position": 164, "seal": "d081…", "at": AT}


class TagRequest(Request):
    """A tag to create at the present position."""

    name: TagName
    reason: str = Field("", max_length=MOST_REASON_CHARS, description="Why it is created, in one line.")
    everyone: Everyone = False

    model_config = example({"name": "before-upgrade"})


class UntagRequest(Request):
    """A tag to remove."""

    name: TagName
    everyone: Everyone = False

    model_config = example({})


class TagFields(Response):
    """A name for one position of a user's ledger."""

    result = Tag
    name: str
    user: str
    position: int = Field(description="The ledger position.")
    seal: str = Field(description="The seal of the event at this position.")
    at: Moment = Field(description="When it was created.")
    reason: str = Field("", description="Why it was created.")
    automatic: bool = Field(False, description="Created by itself before a large change; the latest 20 are kept.")


class TagResponse(Response):
    """The tags that were created or removed: one for each user."""

    tags: tuple[TagFields, ...]
    receipt: ReceiptField

    model_config = example({"tags": [_TAG], "receipt": {"id": ID, "op": "tag"}})

    def value(self) -> TagResult:
        return TagResult(tuple(tag.value() for tag in self.tags), self.receipt)


class TagsResponse(SequenceResponse):
    items = "tags"
    tags: tuple[TagFields, ...]

    model_config = example({"tags": [_TAG]})


class DiffRequest(Request):
    """Two states to compare."""

    a: AsOf = Field(description="The earlier state: a tag, a time, or a ledger position.")
    b: AsOf = Field(None, description="The later state; now by default.")
    scope: ScopeFilter = None
    turns: bool = Field(False, description="Include turns.")

    model_config = example({"a": "before-upgrade"})


class DifferenceFields(Response):
    """A memory or turn that differs; null where it did not exist."""

    id: Id
    change: str = Field(description="added, changed, withdrawn or restored.")
    fields: tuple[str, ...] = Field(description="The fields that differ.")
    before: AnyTrace | None
    after: AnyTrace | None

    def value(self) -> Difference:
        return Difference(self.id, self.before, self.after)  # type: ignore[arg-type]


class DiffResponse(Response):
    """What differs between two states, in order of id."""

    first: int = Field(description="The ledger position of the earlier state.")
    last: int = Field(description="The ledger position of the later state.")
    differences: tuple[DifferenceFields, ...]
    erased: int = Field(description="How many memories and turns were removed for good in between.")
    receipt: ReceiptField

    model_config = example({
        "first": 164, "last": 170, "differences": [], "erased": 0, "receipt": {"id": ID, "op": "diff"},
    })  # fmt: skip

    def value(self) -> DiffResult:
        differences = tuple(each.value() for each in self.differences)
        return DiffResult(self.first, self.last, differences, self.erased, self.receipt)


class RollbackRequest(Request):
    """A tag to go back to."""

    tag: TagName
    scope: ScopeFilter = None
    turns: bool = Field(False, description="Roll back turns as well.")
    dry_run: bool = Field(False, description="Show what would happen; change nothing.")
    everyone: Everyone = False

    model_config = example({"tag": "before-upgrade", "dry_run": True})


class UserRollbackFields(Response):
    """What a rollback did to the memory of one user."""

    user: str
    to: int = Field(description="The ledger position of the tag.")
    position: int = Field(description="The ledger position afterwards.")
    withdrawn: tuple[str, ...] = Field(description="Created after the tag; they can no longer be found.")
    restored: tuple[str, ...] = Field(description="Forgotten, expired or superseded after the tag.")
    reverted: tuple[str, ...] = Field(description="Edited after the tag.")
    kept_out: tuple[str, ...] = Field(
        description="Left as they are: their version of then is damaged, or came from an erased turn."
    )
    undo: str = Field(description="The automatic tag that undoes it; empty where nothing changed.")
    receipt: ReceiptField

    @classmethod
    def of(cls, result: UserRollback, request: Any = None) -> Self:  # noqa: ARG003
        done = result.rollback
        return cls(
            user=result.user, to=done.to, position=done.position, withdrawn=tuple(done.withdrawn),
            restored=tuple(done.restored), reverted=tuple(done.reverted), kept_out=tuple(done.kept_out),
            undo=result.undo, receipt=result.receipt,
        )  # fmt: skip

    def value(self) -> UserRollback:
        lists = {name: list(getattr(self, name)) for name in ("withdrawn", "restored", "reverted", "kept_out")}
        return UserRollback(self.user, Rollback(self.to, self.position, **lists), self.undo, self.receipt)


class RollbackResponse(Response):
    """What a rollback did, or would do, for each user."""

    tag: str
    dry_run: bool
    users: tuple[UserRollbackFields, ...]

    model_config = example({
        "tag": "before-upgrade", "dry_run": True,
        "users": [{
            "user": "default", "to": 164, "position": 170, "withdrawn": [ID], "restored": [], "reverted": [],
            "kept_out": [], "undo": "", "receipt": {"id": ID, "op": "rollback"},
        }],
    })  # fmt: skip

    @classmethod
    def of(cls, result: RollbackResult, request: Any = None) -> Self:  # noqa: ARG003
        return cls(tag=result.tag, dry_run=result.dry_run, users=tuple(map(UserRollbackFields.of, result.users)))

    def value(self) -> RollbackResult:
        return RollbackResult(self.tag, self.dry_run, tuple(each.value() for each in self.users))

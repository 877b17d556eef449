"""Memories: remember, list, show, edit, forget, restore, erase."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema, model_serializer, model_validator
from pydantic_core import PydanticCustomError

from cortex.domain.identity import TraceId
from cortex.domain.lanes import DEFAULT_LANES, SEARCHABLE, Lane, State
from cortex.domain.memory import MAX_TAGS, Contradiction, Draft, Memory
from cortex.domain.trace import from_json, to_fields, to_json
from cortex.domain.trust import SourceKind
from cortex.errors import InvalidRequest, NotFound
from cortex.ports.store import Version
from cortex.services.browse import TraceHistory
from cortex.services.bulk import BulkResult
from cortex.services.edit import Edited, Forgotten, Remembered
from cortex.services.erasure import Certificate, Erased
from cortex.services.listing import TracePage
from cortex.surfaces.wire.fields import (
    A_TRACE,
    ID,
    LARGEST,
    AnyMemory,
    AnyTrace,
    AsOf,
    BulkName,
    BulkStatusName,
    Id,
    KindName,
    LabelName,
    LaneName,
    MemoryId,
    Moment,
    Next,
    ReceiptField,
    ScopeFilter,
    Share,
    Short,
    SourceName,
    TrustName,
)
from cortex.surfaces.wire.filters import FilterRequest, Sessions
from cortex.surfaces.wire.model import Json, Request, Response, SequenceResponse, example, plain

_ANY_LENGTH = 1 << 40
"""The server limits the length of texts."""


class RememberRequest(Request):
    """A statement to remember. The engine chooses what is not set."""

    text: str = Field(description="One self-contained statement: names, not pronouns; dates, not `tomorrow`.")
    kind: KindName | None = Field(None, description="The kind of statement.")
    scope: Short | None = Field(None, description="The namespace; `personal` by default.")
    topic: Short | None = Field(None, description="A free-form label.")
    tags: list[Short] | None = Field(None, max_length=MAX_TAGS, description="Free-form labels.")
    importance: Share | None = Field(None, description="0.8 and above means must remember.")
    label: LabelName | None = Field(None, description="The importance label.")
    confidence: Share | None = Field(None, description="How certain the source is.")
    retention: Literal["permanent", "project", "session", "ttl"] | None = Field(
        None, description="How long to keep it."
    )
    ttl_seconds: float | None = Field(
        None, gt=0, le=10_000_000_000, allow_inf_nan=False, description="Expire after this many seconds."
    )
    trust: TrustName | None = Field(None, description="The trust tier; never above what the source allows.")
    source_kind: SourceName = Field(
        SourceKind.USER, description="The source. `tool`, `web` and `import` are untrusted."
    )
    source_ref: Short | None = Field(None, description="A reference to the source: a link, file or ticket.")
    source_turns: list[Id] | None = Field(None, max_length=1_000, description="The ids of its source turns.")
    subject: Short | None = Field(None, description="The subject of the statement.")
    attribute: Short | None = Field(None, description="The property of the subject.")
    value: Short | None = Field(None, description="The value of the property.")
    supersedes: Id | None = Field(None, description="The id of the memory that this one replaces.")
    valid_from: Moment | None = Field(None, description="True from this time on.")
    valid_to: Moment | None = Field(None, description="True until this time.")
    lang: str | None = Field(None, max_length=35, description="The language, such as `en`.")
    media_refs: list[Short] | None = Field(
        None, max_length=MAX_TAGS, description="Paths or links of related images, recordings or documents."
    )
    media_kind: Short | None = Field(None, description="Their type, such as `image`.")
    created_at: Moment | None = Field(None, description="When it was said, if not now.")
    embed: bool = Field(True, description="Embed it at once.")
    as_new: bool = Field(False, description="Store it without comparing it with existing memories.")

    model_config = example({
        "text": "The deploy key rotates on Mondays", "kind": "fact", "scope": "infra", "importance": 0.8,
    })  # fmt: skip

    def fields(self) -> dict[str, Any]:
        """The arguments of `Cortex.remember`."""
        given = self.model_dump(exclude={"agent", "user", "text", "ttl_seconds"}, exclude_none=True)
        if self.ttl_seconds is not None:
            given |= {"ttl": timedelta(seconds=self.ttl_seconds), "retention": self.retention or "ttl"}
        for name in ("tags", "media_refs", "source_turns"):
            if name in given:
                given[name] = tuple(given[name])
        return given

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        given = {name: value for name, value in arguments.items() if name not in {"text", "fields", "embed", "as_new"}}
        try:
            draft = Draft(text=arguments["text"], **given, **arguments.get("fields", {}))
        except TypeError as error:
            raise InvalidRequest(str(error).partition(") ")[2], field="fields", hint="see `Draft`") from error
        options = {name: arguments[name] for name in ("embed", "as_new") if name in arguments}
        return cls.of_draft(draft.checked(_ANY_LENGTH)) | options

    @staticmethod
    def of_draft(draft: Draft) -> Json:
        """The payload for a draft, without defaults."""
        blank = Draft(text="")
        payload = {
            name: plain(value)
            for name in Draft.__dataclass_fields__
            if (value := getattr(draft, name)) is not None and value != getattr(blank, name)
        }
        if "ttl" in payload:
            payload["ttl_seconds"] = payload.pop("ttl")
        return {"source_kind": draft.source_kind.value, "text": draft.text, **payload}


class RememberResponse(Response):
    """The memory with the statement: a new one, or an existing one."""

    result = Remembered
    memory: AnyMemory
    verdict: str = Field(description="new, reinforces, duplicate, supersedes or contradicts.")
    others: tuple[str, ...] = Field(description="The memories that it was compared with.")
    receipt: ReceiptField

    model_config = example({
        "memory": A_TRACE, "verdict": "new", "others": [], "receipt": {"schema": "cortex.remember.receipt.v1", "id": ID,
        "op": "remember", "stored": 1},
    })  # fmt: skip


class EditRequest(Request):
    """The new values of a memory. Other fields stay, and every version is kept."""

    id: MemoryId
    text: str | None = Field(None, description="The new text.")
    scope: Short | None = Field(None, description="The namespace.")
    kind: KindName | None = Field(None, description="The kind of statement.")
    importance: Share | None = Field(None, description="0.8 and above means must remember.")
    label: LabelName | None = Field(None, description="The importance label.")
    tags: list[Short] | None = Field(None, description="Free-form labels.")
    retention: Literal["permanent", "project", "session"] | None = Field(None, description="How long to keep it.")
    expires_at: Moment | None = Field(None, description="When it expires; not together with `retention`.")
    if_revision: str | None = Field(
        None,
        pattern="^[0-9a-f]{16}$",
        description="The `revision` that was read; if the memory changed since, the edit is a conflict.",
    )

    model_config = example({"text": "The deploy key rotates on Fridays", "tags": ["ops"]})

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.changes():
            raise PydanticCustomError("nothing", "changes nothing", {"hint": "set at least one field"})
        if self.expires_at is not None and self.retention is not None:
            raise PydanticCustomError("both", "has both retention and expires_at", {"hint": "use one of them"})
        return self

    def changes(self) -> dict[str, Any]:
        """The arguments of `Cortex.edit`."""
        return self.model_dump(exclude={"agent", "user", "id", "if_revision"}, exclude_none=True)

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        changes = arguments.get("changes", {})
        return super().payload_of({name: value for name, value in arguments.items() if name != "changes"} | changes)


class EditResponse(Response):
    """The memory as it is now, and its revision for the next edit."""

    result = Edited
    memory: AnyMemory
    revision: str = Field(description="Identifies this version of the memory; also the `ETag` over HTTP.")
    receipt: ReceiptField

    model_config = example({"memory": A_TRACE, "revision": "9f86d081884c7d65", "receipt": {"id": ID, "op": "edit"}})


class BulkRequest(Request):
    """What to do with many memories at once. The fields after `seen_at` are for `edit`."""

    action: BulkName = Field(description="What to do with each.")
    ids: list[Id] = Field(min_length=1, max_length=1_000, description="Ids of memories or turns; exactly these change.")
    seen_at: int | None = Field(
        None, ge=0, le=LARGEST, description="The `position` of the list: what was changed after it is a conflict."
    )
    scope: Short | None = Field(None, description="Move them to this namespace.")
    kind: KindName | None = Field(None, description="The kind of statement.")
    label: LabelName | None = Field(None, description="The importance label.")
    importance: Share | None = Field(None, description="0.8 and above means must remember.")
    tags: list[Short] | None = Field(None, max_length=MAX_TAGS, description="Replace their tags.")
    add_tags: list[Short] | None = Field(None, max_length=MAX_TAGS, description="Add these tags.")
    remove_tags: list[Short] | None = Field(None, max_length=MAX_TAGS, description="Remove these tags.")
    retention: Literal["permanent", "project", "session"] | None = Field(None, description="How long to keep them.")

    model_config = example({"action": "edit", "ids": [ID], "scope": "infra"})

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        changes = arguments.get("changes", {})
        return super().payload_of({name: value for name, value in arguments.items() if name != "changes"} | changes)


class UndoBulkRequest(Request):
    """The change to undo."""

    run: str = Field(max_length=64, description="The `run` of the change.")

    model_config = example({"run": "164-166"})


class BulkResponse(Response):
    """What became of each id."""

    statuses: dict[str, BulkStatusName] = Field(
        description=(
            "By id: changed, unchanged (it is so already), missing (no such id), conflict (changed after `seen_at`) or "
            "refused (it cannot be changed so: lines of a file, or an edit of what is not active)."
        )
    )
    run: str = Field(description="The name of the change, to undo it; empty where nothing changed.")
    receipt: ReceiptField

    model_config = example({
        "statuses": {ID: "changed"}, "run": "164-165", "receipt": {"id": ID, "op": "bulk", "changed": 1},
    })  # fmt: skip

    def value(self) -> BulkResult:
        return BulkResult({TraceId(id): status for id, status in self.statuses.items()}, self.run, self.receipt)


class IdRequest(Request):
    """One memory, turn or chunk."""

    id: MemoryId

    model_config = example({})


class ShowRequest(IdRequest):
    """One memory, turn or chunk, as it is or was."""

    as_of: AsOf = Field(None, description="Show an earlier state: a time, a ledger position, or a tag.")


class ShowResponse(Response):
    """A trace with its versions, its source turns, and the memories extracted from it."""

    trace: AnyTrace
    versions: tuple[Any, ...]
    sources: tuple[AnyTrace, ...]
    derived: tuple[AnyTrace, ...]
    revision: str | None = None

    model_config = example({
        **A_TRACE, "versions": [{"since": 12, "until": None, "id": ID, "text": "The deploy key rotates on Mondays"}],
        "sources": [], "derived": [], "superseded_by": None, "revision": "9f86d081884c7d65",
    })  # fmt: skip

    @model_serializer
    def _flat(self) -> dict[str, Any]:
        versions = [{"since": each.since, "until": each.until, **to_fields(each.trace)} for each in self.versions]
        return {"superseded_by": None} | to_json(self.trace) | {
            "versions": versions,
            "sources": [to_json(each) for each in self.sources],
            "derived": [to_json(each) for each in self.derived],
            "revision": self.revision,
        }  # fmt: skip

    @classmethod
    def from_json(cls, payload: Json) -> Self:
        trace = from_json(payload)
        versions = tuple(
            Version(from_json(each, payload["type"]), each["since"], each["until"]) for each in payload["versions"]
        )
        return cls(
            trace=trace,
            versions=versions,
            sources=payload["sources"],
            derived=payload["derived"],
            revision=payload["revision"],
        )

    def value(self) -> TraceHistory:
        derived = tuple(each for each in self.derived if isinstance(each, Memory))
        return TraceHistory(self.trace, self.versions, self.sources, derived)


class ListRequest(FilterRequest):
    """Which traces to list; memories by default."""

    lane: list[LaneName] | None = Field(
        None,
        description=(
            "Lanes; memories by default. sessions are turns, notes and docs are lines of files, outcomes are events."
        ),
    )
    session: Sessions = None
    limit: int = Field(50, ge=1, le=1_000, description="How many at most.")
    after: str | None = Field(
        None, min_length=1, max_length=2_048, description="Continue here: the `next` of the previous page."
    )
    newest: bool = Field(False, description="Newest first, by id; `after` then continues with older ones.")
    sort: str | None = Field(
        None,
        description=(
            "The order: stored, created, changed, used, uses, importance, confidence, kind, scope, label, trust or "
            "state; with a minus to reverse it. By id if left out."
        ),
        examples=["-created"],
    )
    as_of: AsOf = Field(None, description="List an earlier state: a time, a ledger position, or a tag.")

    _states: ClassVar[frozenset[State]] = SEARCHABLE
    _lanes: ClassVar[frozenset[Lane]] = DEFAULT_LANES

    @model_validator(mode="before")
    @classmethod
    def _memories(cls, given: Any) -> Any:
        return {"lane": ["memories"], **given} if isinstance(given, dict) and not given.get("lane") else given


class ListResponse(SequenceResponse):
    items = "memories"
    memories: tuple[AnyTrace, ...]
    next: Next
    position: int = Field(0, description="The ledger position that the list shows.")

    model_config = example({"memories": [], "next": None, "position": 164})

    @classmethod
    def of(cls, result: TracePage, request: Any = None) -> Self:  # noqa: ARG003
        return cls(memories=tuple(result), next=result.next, position=result.position)

    def value(self) -> TracePage:
        return TracePage(self.memories, self.next, self.position)


class ForgetRequest(Request):
    """What to forget, by id or by query. If several memories match a query, none is forgotten."""

    id: Id | None = Field(None, description="The id of a memory or turn: a UUID.")
    query: str | None = Field(None, description="Instead of an id: words that match one memory only.")
    scope: ScopeFilter = None

    model_config = example({"query": "the deploy key", "scope": "infra"})

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.id is None) == (self.query is None):
            raise PydanticCustomError("one", "needs either an id or a query", {"hint": "list or search shows ids"})
        return self

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        return super().payload_of({"query": arguments["text"], "scope": arguments.get("scope")})


class ForgetResponse(Response):
    """What changed. Empty if nothing had to change, or if several memories match: see `candidates`."""

    result = Forgotten
    ids: tuple[str, ...] = Field(description="Ids of what was forgotten, restored or replaced.")
    candidates: tuple[AnyTrace, ...] = Field(description="Memories that match the query; choose one by its id.")
    receipt: ReceiptField

    model_config = example({"ids": [ID], "candidates": [], "receipt": {"id": ID, "op": "forget", "changed": 1}})

    def found(self) -> Self:
        """Itself, or an error if nothing matched."""
        if not self.ids and not self.candidates and "candidates" in self.receipt.facts:
            raise NotFound("no memory matches", hint="list or search the memories")
        return self


class ContradictionsRequest(Request):
    """How many contradictions to list."""

    limit: int = Field(50, ge=1, le=1_000, description="How many at most.")


class ContradictionResponse(Response):
    """Two memories that cannot both be true, the earlier first."""

    result = Contradiction
    earlier: AnyMemory
    later: AnyMemory


class ContradictionsResponse(SequenceResponse):
    items = "contradictions"
    contradictions: tuple[ContradictionResponse, ...]

    model_config = example({"contradictions": []})


class ResolveRequest(Request):
    """How to resolve contradictions of a memory. By default it replaces all that contradict it."""

    id: MemoryId
    over: Id | None = Field(None, description="Only the contradiction with this memory.")
    both: bool = Field(False, description="Both are true: remove the flag.")

    model_config = example({"over": ID})


# --- erasure ----------------------------------------------------------------------------------------------------------


class EraseRequest(Request):
    """What to erase, with everything extracted from it. It cannot be undone."""

    ids: list[Id] = Field(min_length=1, max_length=1_000, description="Ids of memories or turns.")
    sources: bool = Field(False, description="Also erase the source turns of a memory.")
    backups: bool = Field(False, description="Also remove backups that contain any of it.")

    model_config = example({"ids": [ID], "sources": True})


_CERTIFICATE: Json = {
    "schema": "cortex.erase.certificate.v1", "id": ID, "clean": True, "erased": [ID], "remains": [], "near": [],
    "pending": "",
}  # fmt: skip

AnyCertificate = Annotated[
    Certificate,
    PlainValidator(lambda given: given if isinstance(given, Certificate) else Certificate.from_json(given)),
    PlainSerializer(Certificate.to_json),
    WithJsonSchema({"type": "object", "additionalProperties": True}),
]


class EraseResponse(Response):
    """What was erased, and what remains elsewhere: ids and places, never text.

    For something erased before it returns that certificate; `earlier` lists further ones.
    """

    result = Erased
    certificate: AnyCertificate
    receipt: ReceiptField
    earlier: tuple[str, ...] = ()

    model_config = example({"certificate": _CERTIFICATE, "receipt": {"id": ID, "op": "erase", "erased": 1}})


class CertificateResponse(Response):
    """The certificate of one erasure."""

    bare = "certificate"
    certificate: AnyCertificate

    model_config = example(_CERTIFICATE)


class ErasuresResponse(SequenceResponse):
    """Certificates of erasures; those with `pending` are not finished yet."""

    items = "erasures"
    erasures: tuple[AnyCertificate, ...]

    model_config = example({"erasures": [_CERTIFICATE]})

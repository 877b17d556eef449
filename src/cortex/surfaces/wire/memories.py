"""Memories: remembered, listed, shown, edited, forgotten, restored, erased."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema, model_serializer, model_validator
from pydantic_core import PydanticCustomError

from cortex.domain.lanes import SEARCHABLE, State
from cortex.domain.memory import MAX_TAGS, Contradiction, Draft, Memory
from cortex.domain.trace import from_json, to_fields, to_json
from cortex.domain.trust import SourceKind
from cortex.errors import InvalidRequest, NotFound
from cortex.ports.store import Version
from cortex.services.browse import Shown
from cortex.services.edit import Edited, Forgotten, Remembered
from cortex.services.erasure import Certificate, Erased
from cortex.surfaces.wire.fields import (
    A_TRACE,
    ID,
    AnyMemory,
    AnyTrace,
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
from cortex.surfaces.wire.filters import FilterRequest
from cortex.surfaces.wire.model import Json, Request, Response, SequenceResponse, example, plain

_ANY_LENGTH = 1 << 40
"""How long a text may be is the server's to say."""


class RememberRequest(Request):
    """A statement to remember. What is not given is the engine's to choose."""

    text: str = Field(description="One statement that stands by itself: names, not pronouns; dates, not `tomorrow`.")
    kind: KindName | None = Field(None, description="What kind of statement it is.")
    scope: Short | None = Field(None, description="The namespace it belongs to; `personal` where omitted.")
    topic: Short | None = Field(None, description="A free label.")
    tags: list[Short] | None = Field(None, max_length=MAX_TAGS, description="Free labels.")
    importance: Share | None = Field(None, description="From 0.8 on it must be remembered.")
    label: LabelName | None = Field(None, description="The importance by its name.")
    confidence: Share | None = Field(None, description="How sure the source is.")
    retention: Literal["permanent", "project", "session", "ttl"] | None = Field(
        None, description="How long to keep it."
    )
    ttl_seconds: float | None = Field(
        None, gt=0, le=10_000_000_000, allow_inf_nan=False, description="Forget it by itself after so many seconds."
    )
    trust: TrustName | None = Field(None, description="The trust tier; never above what the source allows.")
    source_kind: SourceName = Field(
        SourceKind.USER, description="Whose words these are. `tool`, `web` and `import` are untrusted."
    )
    source_ref: Short | None = Field(None, description="Where it comes from: a link, a file, a ticket.")
    source_turns: list[Id] | None = Field(None, max_length=1_000, description="The ids of the turns it came from.")
    subject: Short | None = Field(None, description="What the statement is about.")
    attribute: Short | None = Field(None, description="Which property of the subject it gives.")
    value: Short | None = Field(None, description="What that property is.")
    supersedes: Id | None = Field(None, description="The id of the memory that this one replaces.")
    valid_from: Moment | None = Field(None, description="Since when it is true.")
    valid_to: Moment | None = Field(None, description="Until when it is true.")
    lang: str | None = Field(None, max_length=35, description="The language, such as `en`.")
    media_refs: list[Short] | None = Field(
        None, max_length=MAX_TAGS, description="Pictures, recordings or documents it is about: where they are."
    )
    media_kind: Short | None = Field(None, description="What they are, such as `image`.")
    created_at: Moment | None = Field(None, description="When it was said, where that was not now.")
    embed: bool = Field(True, description="Whether it gets its vectors at once.")
    as_new: bool = Field(False, description="Store it as it is, whatever is known already.")

    model_config = example({
        "text": "The deploy key rotates on Mondays", "kind": "fact", "scope": "infra", "importance": 0.8,
    })  # fmt: skip

    def fields(self) -> dict[str, Any]:
        """As `Engine.remember` takes them."""
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
        """The payload for a draft; what is at its default is left out."""
        blank = Draft(text="")
        told = {
            name: plain(value)
            for name in Draft.__dataclass_fields__
            if (value := getattr(draft, name)) is not None and value != getattr(blank, name)
        }
        if "ttl" in told:
            told["ttl_seconds"] = told.pop("ttl")
        return {"source_kind": draft.source_kind.value, "text": draft.text, **told}


class RememberResponse(Response):
    """The memory that holds the statement now: a new one, or the one that said so already."""

    result = Remembered
    memory: AnyMemory
    verdict: str = Field(description="new, reinforces, duplicate, supersedes or contradicts.")
    others: tuple[str, ...] = Field(description="The memories it was compared with.")
    receipt: ReceiptField

    model_config = example({
        "memory": A_TRACE, "verdict": "new", "others": [], "receipt": {"schema": "cortex.remember.receipt.v1", "id": ID,
        "op": "remember", "stored": 1},
    })  # fmt: skip


class EditRequest(Request):
    """What a memory says from now on. What is not given stays, and every earlier version is kept."""

    id: MemoryId
    text: str | None = Field(None, description="What it says from now on.")
    scope: Short | None = Field(None, description="The namespace it belongs to.")
    kind: KindName | None = Field(None, description="What kind of statement it is.")
    importance: Share | None = Field(None, description="From 0.8 on it must be remembered.")
    tags: list[Short] | None = Field(None, description="Free labels.")
    retention: Literal["permanent", "project", "session"] | None = Field(None, description="How long to keep it.")
    expires_at: Moment | None = Field(None, description="When it is over; not together with `retention`.")
    if_revision: str | None = Field(
        None,
        pattern="^[0-9a-f]{16}$",
        description="The `revision` that was read: an edit of any other is a conflict.",
    )

    model_config = example({"text": "The deploy key rotates on Fridays", "tags": ["ops"]})

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.changes():
            raise PydanticCustomError("nothing", "changes nothing", {"hint": "give what is to be different"})
        if self.expires_at is not None and self.retention is not None:
            raise PydanticCustomError("both", "has a retention and an end", {"hint": "give one of the two"})
        return self

    def changes(self) -> dict[str, Any]:
        """As `Engine.edit` takes them."""
        return self.model_dump(exclude={"agent", "user", "id", "if_revision"}, exclude_none=True)

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        changes = arguments.get("changes", {})
        return super().payload_of({name: value for name, value in arguments.items() if name != "changes"} | changes)


class EditResponse(Response):
    """The memory as it is now, and its revision for the next edit."""

    result = Edited
    memory: AnyMemory
    revision: str = Field(description="Stands for exactly what the memory says now; HTTP gives it as the `ETag` too.")
    receipt: ReceiptField

    model_config = example({"memory": A_TRACE, "revision": "9f86d081884c7d65", "receipt": {"id": ID, "op": "edit"}})


class IdRequest(Request):
    """One memory, turn or chunk."""

    id: MemoryId

    model_config = example({})


class ShowResponse(Response):
    """A trace with its versions, the turns a memory came from, and the memories extracted from a turn."""

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
        versions = [
            {"since": each.since, "until": each.until, **to_fields(each.trace)} for each in self.versions
        ]
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
            Version(from_json(each, payload["type"]), each["since"], each["until"])
            for each in payload["versions"]
        )
        return cls(
            trace=trace,
            versions=versions,
            sources=payload["sources"],
            derived=payload["derived"],
            revision=payload["revision"],
        )

    def value(self) -> Shown:
        derived = tuple(each for each in self.derived if isinstance(each, Memory))
        return Shown(self.trace, self.versions, self.sources, derived)


class ListRequest(FilterRequest):
    """Which traces are listed, oldest or newest first; memories unless `lane` says otherwise."""

    lane: list[LaneName] | None = Field(
        None, description="Of these; memories where omitted. sessions are turns, notes and docs are lines of files."
    )
    limit: int = Field(50, ge=1, le=1_000, description="How many at most.")
    after: str | None = Field(None, min_length=1, description="Continue after this id: `next` of the page before.")
    newest: bool = Field(False, description="The newest first; `after` then continues towards the older ones.")

    _states: ClassVar[frozenset[State]] = SEARCHABLE

    @model_validator(mode="before")
    @classmethod
    def _memories(cls, given: Any) -> Any:
        return {"lane": ["memories"], **given} if isinstance(given, dict) and not given.get("lane") else given


class ListResponse(SequenceResponse):
    items = "memories"
    memories: tuple[AnyTrace, ...]
    next: Next

    model_config = example({"memories": [], "next": None})


class ForgetRequest(Request):
    """What to forget, by its id or by what it says; where the words may mean several, nothing is forgotten."""

    id: Id | None = Field(None, description="The id of a memory or turn: a UUID.")
    query: str | None = Field(None, description="In place of an id: words that mean one memory and no other.")
    scope: ScopeFilter = None

    model_config = example({"query": "the deploy key", "scope": "infra"})

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.id is None) == (self.query is None):
            raise PydanticCustomError("one", "give either an id or a query", {"hint": "a list or search names ids"})
        return self

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        return super().payload_of({"query": arguments["text"], "scope": arguments.get("scope")})


class ForgetResponse(Response):
    """What changed its state: nothing where that was so already, or where several may be meant: `candidates`."""

    result = Forgotten
    ids: tuple[str, ...] = Field(description="What was forgotten, restored or replaced.")
    candidates: tuple[AnyTrace, ...] = Field(description="What the words may have meant; name one by its id.")
    receipt: ReceiptField

    model_config = example({"ids": [ID], "candidates": [], "receipt": {"id": ID, "op": "forget", "changed": 1}})

    def found(self) -> Self:
        """Itself, or an error where the words meant nothing."""
        if not self.ids and not self.candidates and "candidates" in self.receipt.facts:
            raise NotFound("nothing like that is remembered", hint="list what is remembered")
        return self


class ContradictionsRequest(Request):
    """How many of them."""

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
    """Which contradictions of a memory are settled, and how; by itself it replaces all that say otherwise."""

    id: MemoryId
    over: Id | None = Field(None, description="Only the one with this memory.")
    both: bool = Field(False, description="Both sides are true: flag them no longer.")

    model_config = example({"over": ID})


# --- erasure ----------------------------------------------------------------------------------------------------------


class EraseRequest(Request):
    """What to erase, by its id, with what was extracted from it. It cannot be undone."""

    ids: list[Id] = Field(min_length=1, max_length=1_000, description="Memories or turns.")
    sources: bool = Field(False, description="Erase the turns a memory was extracted from as well.")
    backups: bool = Field(False, description="Remove the backups that hold any of it.")

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
    """What was erased, and what is left of it elsewhere: ids and places, never text.

    What was erased before is answered with its certificate; `earlier` names others of that sort.
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
    """Certificates of erasures; one whose `pending` says something is not finished yet."""

    items = "erasures"
    erasures: tuple[AnyCertificate, ...]

    model_config = example({"erasures": [_CERTIFICATE]})

"""What comes in over HTTP and what goes out: checked once at the border, and made into the engine's own words there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import PurePath
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from cortex.domain.events import Event, EventKind
from cortex.domain.growth import Day
from cortex.domain.hits import Hit, Recollection, SearchMode
from cortex.domain.identity import checked_id, is_id
from cortex.domain.lanes import SEARCHABLE, Lane, State
from cortex.domain.memory import Contradiction, ImportanceLabel, Kind, Memory
from cortex.domain.receipt import Receipt
from cortex.domain.trace import Trace, parse_time
from cortex.domain.trust import TrustTier
from cortex.ports.store import Counts, Filter, Finding
from cortex.recall.recipes import Recipe
from cortex.recall.replaying import Replay
from cortex.services.browse import MAX_DAYS, Shown
from cortex.services.capture import Captured, Ingested
from cortex.services.edit import Forgotten, Remembered
from cortex.services.erasure import Erased
from cortex.services.files.files import Indexed
from cortex.services.recall import Explained, Synthesised
from cortex.services.timeline import Happened, Timeline
from cortex.services.turn_hooks import Injection
from cortex.surfaces.cli import plain
from cortex.workspace.flush import FlushPlan, SessionState

ID = "0198c1a2-7b3c-7def-8a01-23456789abcd"
_AT = "2026-01-05T09:00:00+00:00"
_MOST = 9_007_199_254_740_991
"""The greatest whole number that every reader of JSON keeps exactly."""

_MOST_MESSAGES = 100_000
_YEARS = (1900, 2200)

KindName = Literal["rule", "procedure", "fact", "episode", "preference", "decision", "entity", "other"]
LaneName = Literal["memories", "notes", "docs", "sessions"]
StateName = Literal["active", "superseded", "forgotten", "expired"]
TrustName = Literal["trusted", "untrusted", "quarantined"]
LabelName = Literal["must_remember", "nice_to_have", "unknown", "ignore"]
SourceName = Literal["operator", "user", "assistant", "system", "tool", "web", "import"]


def _moment(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    try:
        at = parse_time(given)
    except (ValueError, OverflowError):
        raise PydanticCustomError("time", "is not an ISO 8601 time", {"hint": f"give one such as {_AT}"}) from None
    if not _YEARS[0] <= at.year < _YEARS[1]:
        raise PydanticCustomError("time", "lies in no year that is meant", {"hint": f"give one such as {_AT}"})
    return at


Moment = Annotated[
    datetime,
    BeforeValidator(_moment),
    WithJsonSchema({"type": "string", "format": "date-time", "description": "ISO 8601; without a zone it is UTC."}),
]
Label = Annotated[str, Field(min_length=1, max_length=256)]
Importance = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Messages = Annotated[
    list[Any],
    Field(
        max_length=_MOST_MESSAGES,
        description="The history in the host's own form, oldest first: `{role, content}` objects, or richer ones.",
    ),
]


class Strict(BaseModel):
    """What comes in: nothing that is not known, and nothing that has to be guessed."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _only_known(cls, given: Any) -> Any:
        # Before anything else, and at the first: ten thousand strange keys are one mistake.
        if isinstance(given, dict):
            known = [field.alias or name for name, field in cls.model_fields.items()]
            for name in given:
                if name not in known:
                    raise PydanticCustomError(
                        "unknown_field",
                        "is not known here",
                        {"name": str(name)[:64], "hint": _nearest(str(name), known)},
                    )
        return given


def _nearest(word: str, known: Sequence[str]) -> str:
    import difflib

    near = difflib.get_close_matches(word, known, n=1) if len(word) <= 64 else []
    return f"did you mean {near[0]!r}?" if near else f"known here: {', '.join(known)}"


class Addressed(Strict):
    """Whose memory is meant, where it is not the token's own."""

    agent: str | None = Field(None, description="The agent, where an administrator acts for another.")
    user: str | None = Field(None, description="The agent's user.")


class AddressedQuery(Strict):
    """The same for routes without a body."""

    model_config = ConfigDict(extra="forbid", strict=False)

    agent: str | None = Field(None, description="The agent, where an administrator acts for another.")
    user: str | None = Field(None, description="The agent's user.")


def _example(example: dict[str, Any], *, open_ended: bool = False) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [example]}, **({"extra": "allow"} if open_ended else {}))


# --- the seed's three routes ------------------------------------------------------------------------------------------


class IngestRequest(Strict):
    """The full history of a session, each time (C1)."""

    messages: Messages
    session_id: Label
    channel: str | None = None
    user_id: Label | None = None
    debounce: bool = Field(True, description="Draw memories once the session has been quiet for a while (C2).")

    model_config = _example(
        {
            "messages": [
                {"role": "user", "content": "I prefer Rust for systems programming."},
                {"role": "assistant", "content": "Noted."},
            ],
            "session_id": "agent:main:main",
            "channel": "telegram",
            "user_id": "oogley",
            "debounce": True,
        }
    )


class IngestAnswer(BaseModel):
    """What is stored now; memories follow at `due`."""

    session_id: str
    stored: int
    seen: int
    skipped: str | None = Field(None, description="Why the whole history was left alone, such as `heartbeat`.")
    due: str | None = None
    receipt_id: str

    model_config = _example(
        {"session_id": "agent:main:main", "stored": 2, "seen": 0, "skipped": None, "due": _AT, "receipt_id": ID}
    )

    @classmethod
    def of(cls, session: str, done: Ingested) -> IngestAnswer:
        facts = done.receipt.facts
        return cls(
            session_id=session,
            stored=facts["stored"],
            seen=facts["seen"],
            skipped=facts.get("reason"),
            due=facts.get("due"),
            receipt_id=done.receipt.id,
        )


class HybridSearchRequest(Strict):
    """A question to the facts of a user (C3)."""

    query: str
    user_id: Label | None = None
    limit: int = Field(10, ge=1, le=100)

    model_config = _example({"query": "what programming languages does oogley use", "user_id": "oogley", "limit": 10})


class Fact(BaseModel):
    """One fact as the seed has it; ids are UUIDs, and importance is 1 to 10."""

    id: str
    user_id: str
    topic: str
    fact: str
    importance: int = Field(ge=1, le=10)
    score: float
    source: Literal["fts5", "vector", "fts5+vector"]

    @classmethod
    def of(cls, hit: Hit, user: str) -> Fact:
        memory = hit.trace
        assert isinstance(memory, Memory)  # no other lane is asked
        by_vector, by_words = "vector" in hit.legs, "keyword" in hit.legs
        return cls(
            id=memory.id,
            user_id=user,
            topic=memory.topic or memory.kind.value,
            fact=memory.text,
            importance=min(10, max(1, round(memory.importance * 10))),
            score=round(hit.score, 6),
            source="vector" if by_vector and not by_words else "fts5+vector" if by_vector else "fts5",
        )


class HybridSearchAnswer(BaseModel):
    results: list[Fact]
    count: int

    model_config = _example(
        {
            "results": [
                {
                    "id": ID,
                    "user_id": "oogley",
                    "topic": "preferences",
                    "fact": "Prefers Rust for systems programming",
                    "importance": 8,
                    "score": 0.87,
                    "source": "fts5+vector",
                }
            ],
            "count": 1,
        }
    )

    @classmethod
    def of(cls, found: Recollection, user: str) -> HybridSearchAnswer:
        facts = [Fact.of(hit, user) for hit in found.hits]
        return cls(results=facts, count=len(facts))


class NarrativeRequest(Strict):
    """What to tell of (C5)."""

    query: str
    user_id: Label | None = None

    model_config = _example({"query": "what does oogley program in?", "user_id": "oogley"})


class NarrativeAnswer(BaseModel):
    """What is remembered in one piece; `[1]` in it is the first of `ids`."""

    query: str
    response: str
    ids: list[str]
    method: Literal["llm", "extractive"]
    trust: TrustName
    count: int
    receipt_id: str

    model_config = _example(
        {
            "query": "what does oogley program in?",
            "response": "Oogley prefers Rust for systems programming [1].",
            "ids": [ID],
            "method": "llm",
            "trust": "trusted",
            "count": 1,
            "receipt_id": ID,
        }
    )

    @classmethod
    def of(cls, query: str, done: Synthesised) -> NarrativeAnswer:
        made = done.synthesis
        return cls(
            query=query,
            response=made.text,
            ids=list(made.ids),
            method=made.method.value,
            trust=made.trust.value,
            count=made.sources,
            receipt_id=done.receipt.id,
        )


# --- turns ------------------------------------------------------------------------------------------------------------


class BeforeTurn(Addressed):
    """A message that a model is about to answer."""

    session: str
    message: str
    scope: str | None = None
    project: str | None = None
    channel: str = ""
    trigger: str = Field("", description="What began the turn; a heartbeat or a timer is left alone.")
    recipe: str | None = None

    model_config = _example(
        {"session": "agent:main:main", "message": "When does the deploy key rotate?", "channel": "telegram"}
    )


class Injected(BaseModel):
    """What to put before the model. It is always an answer: what could not be done stands in `degraded`."""

    block: str = ""
    tokens: int = 0
    facts: int = 0
    ids: list[str] = []
    synthesis: bool = False
    skipped: str | None = None
    degraded: list[str] = []
    receipt_id: str | None = None
    milliseconds: float = 0.0

    model_config = _example(
        {
            "block": "## Long-Term Memories\n- The deploy key rotates on Mondays",
            "tokens": 14,
            "facts": 1,
            "ids": [ID],
            "synthesis": False,
            "skipped": None,
            "degraded": [],
            "receipt_id": ID,
            "milliseconds": 12.5,
        }
    )

    @classmethod
    def of(cls, injection: Injection) -> Injected:
        return cls(
            block=injection.block,
            tokens=injection.tokens,
            facts=injection.facts,
            ids=list(injection.ids),
            synthesis=injection.synthesis,
            skipped=injection.skipped,
            degraded=list(injection.degraded),
            receipt_id=injection.receipt_id,
            milliseconds=round(injection.milliseconds, 3),
        )


class AfterTurn(Addressed):
    """The whole history of a session after a turn; what was seen before is not stored again."""

    session: str
    messages: Messages
    scope: str | None = None
    channel: str = ""
    trigger: str = ""

    model_config = _example(
        {
            "session": "agent:main:main",
            "messages": [
                {"role": "user", "content": "The deploy key rotates on Mondays."},
                {"role": "assistant", "content": "I will remember that."},
            ],
        }
    )


class Taken(BaseModel):
    """What is stored now, durably; where `degraded` names something, it comes again with the next turn."""

    stored: int = 0
    seen: int = 0
    skipped: str | None = None
    degraded: list[str] = []
    receipt_id: str | None = None
    milliseconds: float = 0.0

    model_config = _example(
        {"stored": 2, "seen": 0, "skipped": None, "degraded": [], "receipt_id": ID, "milliseconds": 8.1}
    )


# --- memories ---------------------------------------------------------------------------------------------------------


class RememberRequest(Addressed):
    """A statement to remember. What is not given is the engine's to choose."""

    text: str
    kind: KindName | None = None
    scope: str | None = None
    topic: str | None = None
    tags: list[str] | None = None
    importance: Importance | None = None
    label: LabelName | None = None
    confidence: Importance | None = None
    retention: Literal["permanent", "project", "session", "ttl"] | None = None
    ttl_seconds: float | None = Field(None, gt=0, le=10_000_000_000, allow_inf_nan=False)
    trust: TrustName | None = None
    source_kind: SourceName = "user"
    source_ref: str | None = None
    source_turns: list[str] | None = Field(None, max_length=1_000, description="The ids of the turns it came from.")
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    supersedes: str | None = Field(None, description="The id of the memory it replaces.")
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    lang: str | None = Field(None, max_length=35)
    media_refs: list[str] | None = None
    media_kind: str | None = None
    created_at: Moment | None = Field(None, description="When it was said, where that was not now.")
    embed: bool = Field(True, description="Whether it gets its vectors at once.")
    as_new: bool = Field(False, description="Store it as it is, whatever is known already.")

    model_config = _example(
        {"text": "The deploy key rotates on Mondays", "kind": "fact", "scope": "infra", "importance": 0.8}
    )
    _not_fields: ClassVar[frozenset[str]] = frozenset({"agent", "user", "text", "ttl_seconds"})

    def fields(self) -> dict[str, Any]:
        """As `Cortex.remember` takes them."""
        given = {
            name: value
            for name in type(self).model_fields
            if name not in self._not_fields and (value := getattr(self, name)) is not None
        }
        if self.supersedes is not None:
            given["supersedes"] = checked_id(self.supersedes, field="supersedes")
        if self.source_turns is not None:
            given["source_turns"] = tuple(checked_id(id, field="source_turns") for id in self.source_turns)
        if self.ttl_seconds is not None:
            given |= {"ttl": timedelta(seconds=self.ttl_seconds), "retention": self.retention or "ttl"}
        return given


class EditRequest(Addressed):
    """What a memory is to say from now on; what is not given stays, and so does every earlier version."""

    text: str | None = None
    scope: str | None = None
    kind: KindName | None = None
    importance: Importance | None = None
    tags: list[str] | None = None
    retention: Literal["permanent", "project", "session"] | None = None
    expires_at: Moment | None = Field(None, description="When it is over; not together with `retention`.")

    model_config = _example({"text": "The deploy key rotates on Fridays", "tags": ["ops"]})

    @model_validator(mode="after")
    def _something(self) -> EditRequest:
        if not self.changes():
            raise PydanticCustomError("nothing", "changes nothing", {"hint": "give what is to be different"})
        if self.expires_at is not None and self.retention is not None:
            raise PydanticCustomError(
                "both", "has a retention and an end", {"hint": "give one of retention and expires_at"}
            )
        return self

    def changes(self) -> dict[str, Any]:
        return self.model_dump(exclude={"agent", "user"}, exclude_none=True)


class TraceAnswer(BaseModel):
    """A memory, turn or chunk: what all have, and beside it every field that is not at its default."""

    id: str
    type: Literal["memory", "turn", "chunk"]
    lane: LaneName
    text: str
    kind: KindName
    scope: str
    trust: TrustName
    state: StateName
    created_at: str

    model_config = _example(
        {
            "id": ID,
            "type": "memory",
            "lane": "memories",
            "text": "The deploy key rotates on Mondays",
            "kind": "fact",
            "scope": "infra",
            "trust": "trusted",
            "state": "active",
            "created_at": _AT,
            "importance": 0.8,
        },
        open_ended=True,
    )

    @classmethod
    def of(cls, trace: Trace) -> TraceAnswer:
        return cls.model_validate(plain.trace(trace))


class RememberedAnswer(BaseModel):
    """The memory that holds the statement now: a new one, or the one that said so already."""

    memory: TraceAnswer
    verdict: str = Field(description="new, reinforces, duplicate, supersedes or contradicts.")
    others: list[str] = Field(description="The memories it was decided beside.")
    receipt: dict[str, Any]

    model_config = _example(
        {
            "memory": {
                "id": ID,
                "type": "memory",
                "lane": "memories",
                "text": "The deploy key rotates on Mondays",
                "kind": "fact",
                "scope": "infra",
                "trust": "trusted",
                "state": "active",
                "created_at": _AT,
            },
            "verdict": "new",
            "others": [],
            "receipt": {"schema": "cortex.remember.receipt.v1", "id": ID, "op": "remember", "stored": 1},
        }
    )

    @classmethod
    def of(cls, kept: Remembered) -> RememberedAnswer:
        return cls(
            memory=TraceAnswer.of(kept.memory),
            verdict=kept.verdict,
            others=list(kept.others),
            receipt=kept.receipt.to_json(),
        )


class ShownAnswer(TraceAnswer):
    """A trace with its versions, the turns a memory came from, and the memories drawn from a turn."""

    versions: list[dict[str, Any]]
    sources: list[TraceAnswer]
    derived: list[TraceAnswer]
    superseded_by: str | None = Field(description="The memory that replaced this one.")

    model_config = _example(
        {
            "id": ID,
            "type": "memory",
            "lane": "memories",
            "text": "The deploy key rotates on Mondays",
            "kind": "fact",
            "scope": "infra",
            "trust": "trusted",
            "state": "active",
            "created_at": _AT,
            "versions": [{"since": 12, "until": None, "id": ID, "text": "The deploy key rotates on Mondays"}],
            "sources": [],
            "derived": [],
            "superseded_by": None,
        },
        open_ended=True,
    )

    @classmethod
    def of_shown(cls, found: Shown) -> ShownAnswer:
        told = plain.shown(found)
        told["derived"] = [plain.trace(memory) for memory in found.derived]
        return cls.model_validate({"superseded_by": None, **told})


class ListQuery(AddressedQuery):
    """Which traces are listed, oldest or newest first; memories unless `lane` says otherwise."""

    scope: list[str] | None = None
    kind: list[KindName] | None = None
    lane: list[LaneName] = ["memories"]
    state: list[StateName] | None = None
    trust: list[TrustName] | None = None
    label: list[LabelName] | None = None
    session: list[str] | None = None
    since: Moment | None = None
    until: Moment | None = None
    limit: int = Field(50, ge=1, le=1_000)
    after: str | None = Field(None, min_length=1, description="Go on after this id: the `next` of the page before.")
    newest: bool = Field(False, description="The newest first; `after` then goes on towards the older ones.")

    def filter(self) -> Filter:
        return _filter(self)


class ListAnswer(BaseModel):
    memories: list[TraceAnswer]
    next: str | None = Field(description="Where to go on; null on the last page.")

    model_config = _example({"memories": [], "next": None})

    @classmethod
    def of(cls, found: Sequence[Trace], limit: int) -> ListAnswer:
        return cls(
            memories=[TraceAnswer.of(trace) for trace in found], next=found[-1].id if len(found) == limit else None
        )


class ForgottenAnswer(BaseModel):
    """What was forgotten, or restored; nothing where that was so already."""

    ids: list[str]
    receipt: dict[str, Any]

    model_config = _example({"ids": [ID], "receipt": {"id": ID, "op": "forget", "changed": 1}})

    @classmethod
    def of(cls, done: Forgotten) -> ForgottenAnswer:
        return cls(ids=list(done.ids), receipt=done.receipt.to_json())


class ContradictionsQuery(AddressedQuery):
    limit: int = Field(50, ge=1, le=1_000)


class ContradictionAnswer(BaseModel):
    """Two memories that cannot both be true, the earlier first."""

    earlier: TraceAnswer
    later: TraceAnswer


class ContradictionsAnswer(BaseModel):
    contradictions: list[ContradictionAnswer]

    model_config = _example({"contradictions": []})

    @classmethod
    def of(cls, found: Sequence[Contradiction]) -> ContradictionsAnswer:
        pairs = [
            ContradictionAnswer(earlier=TraceAnswer.of(each.earlier), later=TraceAnswer.of(each.later))
            for each in found
        ]
        return cls(contradictions=pairs)


class ResolveRequest(Addressed):
    """Which contradictions of a memory are settled, and how; without fields it replaces all that say otherwise."""

    over: str | None = Field(None, description="Only the one with this memory.")
    both: bool = Field(False, description="Both sides are true: flag them no longer.")

    model_config = _example({"over": ID})


class ForgetRequest(Addressed):
    """What to forget, by what it says; where that may mean several, nothing is forgotten."""

    query: str
    scope: str | None = None

    model_config = _example({"query": "the deploy key", "scope": "infra"})


class EraseRequest(Addressed):
    """What to take out for good, by its id, with what was drawn from it. There is no way back."""

    ids: list[str] = Field(min_length=1, max_length=1_000, description="Memories or turns.")
    sources: bool = Field(False, description="Erase the turns a memory was drawn from as well.")
    backups: bool = Field(False, description="Remove the backups that hold any of it.")

    model_config = _example({"ids": [ID], "sources": True})


A_CERTIFICATE = {
    "schema": "cortex.erase.certificate.v1",
    "id": ID,
    "clean": True,
    "erased": [ID],
    "remains": [],
    "near": [],
    "pending": "",
}


class ErasedAnswer(BaseModel):
    """What was erased, and what is left of it elsewhere: ids and places, never text.

    What was erased before is answered with the certificate of that; `earlier` names others of that sort.
    """

    certificate: dict[str, Any]
    receipt: dict[str, Any]
    earlier: list[str] = []

    model_config = _example({"certificate": A_CERTIFICATE, "receipt": {"id": ID, "op": "erase", "erased": 1}})

    @classmethod
    def of(cls, done: Erased) -> ErasedAnswer:
        told = done.certificate.to_json()
        return cls(certificate=told, receipt=done.receipt.to_json(), earlier=list(done.earlier))


class ErasuresAnswer(BaseModel):
    """Certificates of erasures; one whose `pending` says something is not finished yet."""

    erasures: list[dict[str, Any]]

    model_config = _example({"erasures": [A_CERTIFICATE]})


class ForgottenMatchingAnswer(ForgottenAnswer):
    """What was forgotten; or, where several may be meant, nothing, and these to choose from."""

    candidates: list[TraceAnswer]

    model_config = _example(
        {"ids": [], "candidates": [], "receipt": {"id": ID, "op": "forget", "forgotten": 0, "candidates": 2}}
    )

    @classmethod
    def of(cls, done: Forgotten) -> ForgottenMatchingAnswer:
        return cls(
            ids=list(done.ids),
            candidates=[TraceAnswer.of(trace) for trace in done.candidates],
            receipt=done.receipt.to_json(),
        )


# --- conversations ----------------------------------------------------------------------------------------------------


class HistoryRequest(Addressed):
    """The history of a session; what was seen before is not stored again."""

    session: str
    messages: Messages
    scope: str | None = None
    channel: str = ""
    trigger: str = Field("", description="What began the turn; a heartbeat or a timer is left alone.")
    follows: int | None = Field(
        None, ge=0, le=_MOST, description="How many messages of the session were handed over before these."
    )

    model_config = _example(
        {
            "session": "agent:main:main",
            "messages": [
                {"role": "user", "content": "I prefer Rust for systems programming."},
                {"role": "assistant", "content": "Noted."},
            ],
        }
    )

    def options(self) -> dict[str, Any]:
        """As `Cortex.ingest` takes them."""
        told = {"session": self.session, "channel": self.channel, "trigger": self.trigger, "follows": self.follows}
        return told if self.scope is None else told | {"scope": self.scope}


class SessionRequest(HistoryRequest):
    """The history of a session, from which memories are drawn later."""

    debounce: bool = Field(True, description="Draw memories once the session has been quiet for a while.")

    def options(self) -> dict[str, Any]:
        return super().options() | {"debounce": self.debounce}


class IngestedAnswer(BaseModel):
    """For each message the turn stored for it now; null where it was seen before, or skipped."""

    ids: list[str | None]
    receipt: dict[str, Any]

    model_config = _example({"ids": [ID, None], "receipt": {"id": ID, "op": "ingest", "stored": 1, "seen": 1}})

    @classmethod
    def of(cls, done: Ingested) -> IngestedAnswer:
        return cls(ids=list(done.ids), receipt=done.receipt.to_json())


class CapturedAnswer(BaseModel):
    """The turns that are new, the memories drawn from them, and the receipt of the intake."""

    turns: list[str]
    memories: list[TraceAnswer]
    receipt: dict[str, Any]

    model_config = _example({"turns": [ID], "memories": [], "receipt": {"id": ID, "op": "ingest", "stored": 1}})

    @classmethod
    def of(cls, done: Captured) -> CapturedAnswer:
        return cls(
            turns=list(done.turns),
            memories=[TraceAnswer.of(memory) for memory in done.memories],
            receipt=done.receipt.to_json(),
        )


# --- recall -----------------------------------------------------------------------------------------------------------


class RecallRequest(Addressed):
    """A question. What is not given is as the recipe says."""

    query: str
    scope: str | None = None
    project: str | None = None
    lanes: list[LaneName] | None = Field(None, min_length=1)
    kinds: list[KindName] | None = Field(None, min_length=1)
    recipe: str | None = None
    limit: int | None = Field(None, ge=1, le=1_000)
    budget: int | None = Field(None, ge=1, le=1_000_000)
    min_score: Importance | None = None
    since: Moment | None = None
    until: Moment | None = None
    as_of: int | Moment | None = Field(None, description="What was known then: a time, or a position of the ledger.")
    deadline_ms: float | None = Field(None, ge=1, le=600_000, allow_inf_nan=False)
    quarantined: bool = False
    explain: bool = Field(False, description="Tell of every candidate, and why it was shown or not.")

    model_config = _example({"query": "When does the deploy key rotate?", "scope": "infra", "limit": 5})

    def options(self) -> dict[str, Any]:
        """As `Cortex.explain` takes them."""
        return self.model_dump(exclude={"agent", "user", "query", "explain"}, exclude_none=True)


class HitAnswer(BaseModel):
    """A trace that answers, with its score, its parts and the reasons it was shown."""

    id: str
    score: float
    legs: list[str]
    parts: dict[str, float]
    reasons: list[str]
    excerpt: str
    trace: TraceAnswer


class RecallAnswer(BaseModel):
    """Hits best first, the block to inject, and the receipt; with `explain` also what was not shown."""

    hits: list[HitAnswer]
    block: str
    tokens: int
    skipped: str | None
    mode: SearchMode | None = Field(description="What it was really found by; none where nothing was looked for.")
    degraded: list[str]
    receipt: dict[str, Any]
    candidates: list[dict[str, Any]] | None = None
    dropped: list[dict[str, Any]] | None = None
    tiers: list[dict[str, Any]] | None = None

    model_config = _example(
        {
            "hits": [],
            "block": "",
            "tokens": 0,
            "skipped": None,
            "mode": "hybrid",
            "degraded": [],
            "receipt": {"schema": "cortex.recall.receipt.v1", "id": ID, "op": "recall"},
        }
    )

    @classmethod
    def of(cls, found: Explained, *, whole: bool) -> RecallAnswer:
        if not whole:
            return cls.model_validate(plain.recollection(found.recollection))
        told = plain.explained(found)
        for candidate, scored in zip(told["candidates"], found.answer.ranked, strict=True):
            candidate |= {
                "similarity": round(scored.similarity, 6),
                "evidence": round(scored.evidence, 6),
                "trace": plain.trace(scored.trace),
            }
        return cls.model_validate(told)


class SynthesisedAnswer(BaseModel):
    """What is remembered in one piece; `[1]` in `response` is the first of `ids`."""

    response: str
    ids: list[str]
    method: Literal["llm", "extractive"]
    trust: TrustName
    sources: int = Field(description="How many memories it was made from, cited or not.")
    because: str = Field(description="Why it is a digest though a model was asked.")
    recollection: RecallAnswer
    receipt: dict[str, Any]

    model_config = _example(
        {
            "response": "Oogley prefers Rust for systems programming [1].",
            "ids": [ID],
            "method": "llm",
            "trust": "trusted",
            "sources": 1,
            "because": "",
            "recollection": {
                "hits": [],
                "block": "",
                "tokens": 0,
                "skipped": None,
                "mode": None,
                "degraded": [],
                "receipt": {},
            },
            "receipt": {"id": ID, "op": "synthesise"},
        }
    )

    @classmethod
    def of(cls, done: Synthesised) -> SynthesisedAnswer:
        made = done.synthesis
        return cls(
            response=made.text,
            ids=list(made.ids),
            method=made.method.value,
            trust=made.trust.value,
            sources=made.sources,
            because=made.because,
            recollection=RecallAnswer.model_validate(plain.recollection(done.recollection)),
            receipt=done.receipt.to_json(),
        )


class RecipeAnswer(BaseModel):
    """One way to recall."""

    name: str
    about: str
    fingerprint: str = Field(description="Changes whenever a number of it does.")
    keywords: bool
    vectors: bool
    reranks: bool
    limit: int
    search_limit: int
    budget: int

    @classmethod
    def of(cls, recipe: Recipe) -> RecipeAnswer:
        return cls(
            name=recipe.name,
            about=recipe.about,
            fingerprint=recipe.fingerprint,
            keywords=recipe.uses_keywords,
            vectors=recipe.uses_vectors,
            reranks=recipe.rerank is not None,
            limit=recipe.auto.limit,
            search_limit=recipe.search.limit,
            budget=recipe.budget,
        )


class RecipesAnswer(BaseModel):
    """The recipes there are, and the one that is used where none is named."""

    default: str
    recipes: list[RecipeAnswer]

    model_config = _example({"default": "balanced.v1", "recipes": []})


# --- looking ----------------------------------------------------------------------------------------------------------


class MeAnswer(BaseModel):
    """Who asks, as the server sees them."""

    agent: str
    user: str
    rights: list[Literal["read", "write", "admin"]]
    token: str | None = Field(description="The id of the token; null where none is needed.")
    version: str
    turn_deadline_ms: int = Field(description="How long `turns/before` takes at most.")

    model_config = _example(
        {
            "agent": "main",
            "user": "default",
            "rights": ["admin", "read", "write"],
            "token": None,
            "version": "0.1.0",
            "turn_deadline_ms": 200,
        }
    )


class TimelineQuery(AddressedQuery):
    """What happened; without vectors and uses unless `event` names them."""

    limit: int = Field(50, ge=1, le=1_000)
    before: int | None = Field(None, ge=1, le=_MOST, description="Go on before this position: the `next` given.")
    event: list[EventKind] | None = None
    id: str | None = Field(None, description="Only what happened to this memory or turn.")
    lane: LaneName | None = Field(None, description="Only what happened in this lane; files leave no events.")


class HappenedAnswer(BaseModel):
    """One event, and what it is about as that is now; null where that is gone, or there is nothing."""

    position: int
    at: str
    event: EventKind
    id: str | None
    subject: str = Field(description="As the ledger has it: an id, or what else was changed.")
    commitment: str
    seal: str
    trace: TraceAnswer | None

    @classmethod
    def of(cls, happened: Happened) -> HappenedAnswer:
        event = happened.event
        return cls(
            position=event.position,
            at=event.at.isoformat(),
            event=event.kind,
            id=event.subject if is_id(event.subject) else None,
            subject=event.subject,
            commitment=event.commitment,
            seal=event.seal,
            trace=None if happened.trace is None else TraceAnswer.of(happened.trace),
        )


class TimelineAnswer(BaseModel):
    """What happened, newest first."""

    events: list[HappenedAnswer]
    next: int | None = Field(description="Where to go on; null at the end.")

    model_config = _example(
        {
            "events": [
                {
                    "position": 12,
                    "at": _AT,
                    "event": "remembered",
                    "id": ID,
                    "subject": ID,
                    "commitment": "9f86…",
                    "seal": "d081…",
                    "trace": None,
                }
            ],
            "next": None,
        }
    )

    @classmethod
    def of(cls, found: Timeline) -> TimelineAnswer:
        return cls(events=[HappenedAnswer.of(each) for each in found.happened], next=found.next)


class EventsQuery(AddressedQuery):
    """Which part of the ledger, oldest first."""

    after: int = Field(0, ge=0, le=_MOST)
    limit: int = Field(1_000, ge=1, le=10_000)


class EventsAnswer(BaseModel):
    """The ledger: each event seals the one before it. It holds commitments to what was written, and no text."""

    events: list[dict[str, Any]]
    next: int | None = Field(description="Where to go on; null at the end.")

    model_config = _example(
        {
            "events": [
                {"position": 1, "at": _AT, "kind": "remembered", "subject": ID, "commitment": "9f86…", "seal": "d081…"}
            ],
            "next": None,
        }
    )

    @classmethod
    def of(cls, found: Sequence[Event], limit: int) -> EventsAnswer:
        told = [
            {
                "position": event.position,
                "at": event.at.isoformat(),
                "kind": event.kind.value,
                "subject": event.subject,
                "commitment": event.commitment,
                "seal": event.seal,
            }
            for event in found
        ]
        return cls(events=told, next=found[-1].position if len(found) == limit else None)


class GrowthQuery(AddressedQuery):
    """How many days back, and of what."""

    days: int = Field(30, ge=1, le=MAX_DAYS)
    lane: LaneName = "memories"


class DayAnswer(BaseModel):
    """What was made on a day (UTC) and what became of it since, and how much there was at its end."""

    day: str
    made: int
    total: int
    kinds: dict[str, int]
    labels: dict[str, int]
    trusts: dict[str, int]
    states: dict[str, int]

    @classmethod
    def of(cls, day: Day) -> DayAnswer:
        return cls(
            day=day.day.isoformat(),
            made=day.made,
            total=day.total,
            kinds=dict(day.kinds),
            labels=dict(day.labels),
            trusts=dict(day.trusts),
            states=dict(day.states),
        )


class GrowthAnswer(BaseModel):
    """One entry for every day, the empty ones too, the oldest first."""

    days: list[DayAnswer]
    lane: LaneName

    model_config = _example(
        {
            "days": [
                {
                    "day": "2026-01-05",
                    "made": 1,
                    "total": 42,
                    "kinds": {"fact": 1},
                    "labels": {"unknown": 1},
                    "trusts": {"trusted": 1},
                    "states": {"active": 1},
                }
            ],
            "lane": "memories",
        }
    )


class ReceiptsQuery(AddressedQuery):
    """Which receipts, newest first."""

    limit: int = Field(20, ge=1, le=1_000)
    op: str | None = Field(None, max_length=64, description="Of this operation alone, such as `recall`.")
    before: str | None = Field(None, description="Go on before this receipt: the `next` of the page before.")


class ReceiptsAnswer(BaseModel):
    """Receipts, newest first: ids, counts, reasons and milliseconds, never text."""

    receipts: list[dict[str, Any]]
    next: str | None = Field(description="Where to go on; null at the end.")

    model_config = _example(
        {"receipts": [{"schema": "cortex.recall.receipt.v1", "id": ID, "op": "recall", "at": _AT}], "next": None}
    )

    @classmethod
    def of(cls, found: Sequence[Receipt], limit: int) -> ReceiptsAnswer:
        return cls(
            receipts=[receipt.to_json() for receipt in found], next=found[-1].id if len(found) == limit else None
        )


class ReplayRequest(Addressed):
    """Ask again what a recall was asked; `query` where it was not kept with the receipt."""

    query: str | None = None

    model_config = _example({"query": "When does the deploy key rotate?"})


class ReplayAnswer(BaseModel):
    """Whether the state the recall saw gives the same answer now, and that answer."""

    same: bool
    differences: list[str]
    receipt: dict[str, Any]
    hits: list[HitAnswer]

    model_config = _example({"same": True, "differences": [], "receipt": {"id": ID, "op": "recall"}, "hits": []})

    @classmethod
    def of(cls, done: Replay) -> ReplayAnswer:
        return cls(
            same=done.same,
            differences=list(done.differences),
            receipt=done.receipt.to_json(),
            hits=[HitAnswer.model_validate(plain.hit(hit)) for hit in done.answer.hits],
        )


# --- files ------------------------------------------------------------------------------------------------------------


class FilesQuery(AddressedQuery):
    """Lines that answer `query`, or lines of the file at `path`: one of the two."""

    query: str | None = Field(None, description="What to look for.")
    path: str | None = Field(None, description="A path as a search cites it.")
    max_results: int | None = Field(None, ge=1, le=100)
    min_score: float | None = Field(None, ge=0, le=1, allow_inf_nan=False)
    session: str | None = None
    start: int | None = Field(None, alias="from", ge=1, le=1_000_000_000, description="The first line, from 1.")
    lines: int | None = Field(None, ge=1, le=1_000_000_000)


class FoundLinesAnswer(BaseModel):
    """The lines that answer, each with its file."""

    results: list[dict[str, Any]]
    provider: str | None
    model: str | None
    fallback: dict[str, Any] | None
    citations: str
    mode: SearchMode
    backend: str
    stale: str | None

    model_config = _example(
        {
            "results": [
                {
                    "path": "memory/2026-01-05.md",
                    "startLine": 3,
                    "endLine": 9,
                    "score": 0.71,
                    "snippet": "The deploy key rotates on Mondays",
                    "source": "memory",
                }
            ],
            "provider": "local",
            "model": "e5-small-v2",
            "fallback": None,
            "citations": "auto",
            "mode": "hybrid",
            "backend": "builtin",
            "stale": None,
        }
    )


class ExcerptAnswer(BaseModel):
    """Exactly those lines of a file."""

    path: str
    text: str
    start: int = Field(alias="from")
    lines: int
    total: int
    note: str | None = None

    model_config = _example(
        {"path": "MEMORY.md", "text": "# Rules\n- Use tabs", "from": 1, "lines": 2, "total": 2, "note": None}
    )


class FlushPlanRequest(Addressed):
    """What a host knows of a session; without `context_window` only its own sort of plan is asked for."""

    context_window: int | None = None
    tokens_used: int | None = None
    messages: str | list[Any] | None = None
    incoming_tokens: int = 0
    transcript_bytes: int | None = None
    compactions: int = 0
    flushed_at_compaction: int | None = None
    read_only: bool = False
    timezone: str | None = Field(None, max_length=64)
    workspace_has: list[str] | None = Field(None, description="The files there are, relative to the workspace.")

    model_config = _example({"context_window": 200_000, "tokens_used": 178_000, "timezone": "Europe/Berlin"})

    def state(self) -> SessionState:
        if self.context_window is None:
            # No session is asked about: the least that is one.
            return SessionState(context_window=1, tokens_used=0)
        return SessionState(
            context_window=self.context_window,
            tokens_used=self.tokens_used,
            messages=self.messages,
            incoming_tokens=self.incoming_tokens,
            transcript_bytes=self.transcript_bytes,
            compactions=self.compactions,
            flushed_at_compaction=self.flushed_at_compaction,
            read_only=self.read_only,
        )


class FlushPlanAnswer(BaseModel):
    """Whether a flush is due and what to say in it; and OpenClaw's plan, null where flushing is turned off."""

    plan: dict[str, Any] | None
    openclaw: dict[str, Any] | None
    settings: dict[str, Any] = Field(description="What both were made by.")

    model_config = _example(
        {
            "plan": {"due": True, "reason": "due_tokens", "threshold": 176_000, "target": "memory/2026-01-05.md"},
            "openclaw": {"softThresholdTokens": 4_000, "relativePath": "memory/2026-01-05.md"},
            "settings": {"enabled": True, "soft_threshold_tokens": 4_000, "reserve_tokens": 20_000},
        }
    )

    @classmethod
    def of(cls, plan: FlushPlan, *, is_asked: bool) -> FlushPlanAnswer:
        return cls(
            plan=plan.to_json() | {"target_exists": plan.target_exists} if is_asked else None,
            openclaw=plan.for_openclaw(),
            settings=asdict(plan.settings),
        )


# --- upkeep -----------------------------------------------------------------------------------------------------------


class StatsQuery(AddressedQuery):
    """What is counted; everything unless narrowed."""

    scope: list[str] | None = None
    kind: list[KindName] | None = None
    lane: list[LaneName] | None = None
    state: list[StateName] | None = None
    trust: list[TrustName] | None = None
    label: list[LabelName] | None = None
    session: list[str] | None = None
    since: Moment | None = None
    until: Moment | None = None

    def filter(self) -> Filter:
        return _filter(self, frozenset(State))


class StatsAnswer(BaseModel):
    total: int
    by_lane: dict[str, int]
    by_scope: dict[str, int]
    by_kind: dict[str, int]
    by_label: dict[str, int]
    by_trust: dict[str, int]
    by_state: dict[str, int]
    oldest: str | None
    newest: str | None
    text_bytes: int

    model_config = _example(
        {
            "total": 1,
            "by_lane": {"memories": 1},
            "by_scope": {"infra": 1},
            "by_kind": {"fact": 1},
            "by_label": {"unknown": 1},
            "by_trust": {"trusted": 1},
            "by_state": {"active": 1},
            "oldest": _AT,
            "newest": _AT,
            "text_bytes": 33,
        }
    )

    @classmethod
    def of(cls, found: Counts) -> StatsAnswer:
        return cls.model_validate(plain.counts(found))


class ExportRequest(Addressed):
    """What to export, and in which form; without text unless that is asked for."""

    format: Literal["jsonl", "markdown", "pages"] = Field(
        "jsonl", description="`pages` is Markdown too, one JSON object a line with the name of a page and its text."
    )
    with_text: bool = Field(False, description="Markdown always has the text: it is there to be edited.")
    by_scope: bool = Field(False, description="One of the `pages` for each scope.")
    scope: list[str] | None = None
    kind: list[KindName] | None = None
    lane: list[LaneName] | None = None
    state: list[StateName] | None = None
    trust: list[TrustName] | None = None
    label: list[LabelName] | None = None
    session: list[str] | None = None
    since: Moment | None = None
    until: Moment | None = None

    model_config = _example({"format": "jsonl", "with_text": True, "scope": ["infra"]})

    def filter(self) -> Filter:
        return _filter(self, frozenset(State) if self.format == "jsonl" else SEARCHABLE)


class ImportRequest(Addressed):
    """What an export gave: the objects of its lines, or the Markdown with a person's edits; one of the two."""

    lines: list[dict[str, Any]] | None = None
    markdown: str | dict[str, str] | None = Field(None, description="One page, or pages by name.")
    dry_run: bool = False
    embed: bool = Field(True, description="Whether what is stored gets its vectors at once.")
    trusted: bool = Field(False, description="Believe it as far as it says itself; for administrators.")
    dedupe: Literal["none", "id", "id_text"] = "id_text"
    skip_bad: bool = False
    skip_conflicts: bool = False
    forget_missing: bool = False

    model_config = _example(
        {
            "lines": [{"type": "memory", "id": ID, "text": "The deploy key rotates on Mondays", "created_at": _AT}],
            "dry_run": True,
        }
    )

    @model_validator(mode="after")
    def _one(self) -> ImportRequest:
        if (self.lines is None) == (self.markdown is None):
            raise PydanticCustomError("one", "has neither lines nor markdown, or both", {"hint": "give one of the two"})
        return self


class LifecycleRequest(Addressed):
    """Run the lifecycle, show what it would do, or take a run back."""

    dry_run: bool = False
    undo: str | None = Field(None, description="The run to take back, as it was named.")

    model_config = _example({"dry_run": True})


class LifecycleAnswer(BaseModel):
    """What was planned and done; `run` undoes it."""

    run: str | None
    plans: list[dict[str, Any]]
    anomalies: list[dict[str, Any]]
    restored: list[str]
    refused: list[str] = Field(description="What was not put back, because it has changed since.")
    receipt: dict[str, Any]

    model_config = _example(
        {
            "run": "120-164",
            "plans": [{"step": "expiry", "reason": "ttl_past", "ids": [ID]}],
            "anomalies": [],
            "restored": [],
            "refused": [],
            "receipt": {"id": ID, "op": "tend"},
        }
    )


class BareRequest(Addressed):
    """Nothing but whose memory is meant."""

    model_config = _example({})


class IndexRequest(Addressed):
    """Which files to follow; without `path` those that are followed are looked at."""

    path: str | None = Field(None, description="A folder or file of the machine the server runs on, from its root.")
    force: bool = Field(False, description="Make the index anew.")
    shape: Literal["tree", "workspace", "transcripts"] | None = None
    lane: LaneName | None = None
    scope: str | None = None
    trust: TrustName | None = None
    name: str | None = None
    chunker: Literal["sections", "lines"] | None = None
    summarize: bool | None = None

    model_config = _example({"force": False})
    _options: ClassVar[tuple[str, ...]] = ("shape", "lane", "scope", "trust", "name", "chunker", "summarize")

    @model_validator(mode="after")
    def _meant(self) -> IndexRequest:
        if self.path is None:
            if given := next(iter(self.options()), None):
                raise PydanticCustomError("no_path", f"{given} says nothing without a path", {"hint": "give a path"})
        elif len(PurePath(self.path).parts) < 2 or not PurePath(self.path).is_absolute():
            # Where the server was started is nothing a caller knows of.
            raise PydanticCustomError("relative", "path is not a folder from the root", {"hint": "give all of it"})
        return self

    def options(self) -> dict[str, Any]:
        """As `Files.add` takes them."""
        return {name: value for name in self._options if (value := getattr(self, name)) is not None}


class IndexedAnswer(BaseModel):
    """What became of the files, and of session transcripts; what could not be read is named with the reason."""

    synced: dict[str, Any]
    transcripts: dict[str, Any]
    receipt: dict[str, Any]

    model_config = _example(
        {
            "synced": {"full": "", "seen": 12, "added": 1, "changed": 0, "removed": 0, "chunks": 7, "problems": []},
            "transcripts": {"transcripts": 0, "grown": 0, "turns": 0, "unreadable": 0, "problems": []},
            "receipt": {"id": ID, "op": "index"},
        }
    )

    @classmethod
    def of(cls, done: Indexed) -> IndexedAnswer:
        return cls(synced=asdict(done.synced), transcripts=asdict(done.transcripts), receipt=done.receipt.to_json())


class WorkRequest(Addressed):
    """How much to do of what is due; all of it unless said."""

    most: int | None = Field(None, ge=1, le=1_000_000)

    model_config = _example({"most": 100})


class DueAnswer(BaseModel):
    next: str | None = Field(description="When there will be something to do; null where nothing waits.")

    model_config = _example({"next": _AT})


class VerifyRequest(Addressed):
    """Whether to mend what can be mended."""

    repair: bool = False

    model_config = _example({"repair": False})


class VerifiedAnswer(BaseModel):
    """What was found out of order; `ok` where nothing is left of it."""

    ok: bool
    findings: list[dict[str, Any]]

    model_config = _example(
        {"ok": False, "findings": [{"code": "postings", "detail": "2 traces have no postings", "repaired": False}]}
    )

    @classmethod
    def of(cls, found: Sequence[Finding]) -> VerifiedAnswer:
        return cls(ok=all(each.repaired for each in found), findings=[asdict(each) for each in found])


class BackupsAnswer(BaseModel):
    backups: list[dict[str, Any]]

    model_config = _example(
        {"backups": [{"file": "/…/main-20260105T090000Z.000012.sqlite", "agent": "main", "at": _AT, "bytes": 4_096}]}
    )


class BackupAnswer(BaseModel):
    """The new backup, and the old ones that were removed for it."""

    backup: dict[str, Any]
    removed: list[dict[str, Any]]

    model_config = _example(
        {
            "backup": {"file": "/…/main-20260105T090000Z.000012.sqlite", "agent": "main", "at": _AT, "bytes": 4_096},
            "removed": [],
        }
    )


class DoctorAnswer(BaseModel):
    """Every check; `ok` is null for what works but should be looked after."""

    ok: bool
    checks: list[dict[str, Any]]

    model_config = _example(
        {
            "ok": True,
            "checks": [{"name": "sqlite", "ok": True, "detail": "3.46.1 with FTS5", "fix": "", "group": "machine"}],
        }
    )


class Health(BaseModel):
    status: Literal["ok", "ready"]

    model_config = _example({"status": "ok"})


class ProblemAnswer(BaseModel):
    """A problem detail (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    code: str = Field(description="Stable: decide by it.")
    field: str | None = Field(description="What to change in the request.")
    hint: str | None = Field(description="What to do next.")
    request_id: str = Field(description="As it stands in the log of the server.")
    errors: list[dict[str, str]] | None = None


# --- filters ----------------------------------------------------------------------------------------------------------


def _filter(asked: ListQuery | StatsQuery | ExportRequest, states: frozenset[State] = SEARCHABLE) -> Filter:
    return Filter(
        lanes=_chosen(Lane, asked.lane),
        scopes=_several(asked.scope),
        kinds=_chosen(Kind, asked.kind),
        states=_chosen(State, asked.state) or states,
        trusts=_chosen(TrustTier, asked.trust),
        labels=_chosen(ImportanceLabel, asked.label),
        sessions=_several(asked.session),
        since=asked.since,
        until=asked.until,
    )


def _several(given: Sequence[str] | None) -> frozenset[str] | None:
    return frozenset(given) if given else None


def _chosen(choices: Any, given: Sequence[str] | None) -> frozenset[Any] | None:
    return frozenset(choices(each) for each in given) if given else None

"""What comes in over HTTP and what goes out: checked once at the border, and made into the engine's own words there."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from cortex.domain.hits import Hit, Recollection
from cortex.domain.identity import checked_id
from cortex.domain.lanes import SEARCHABLE, Lane, State
from cortex.domain.memory import ImportanceLabel, Kind, Memory
from cortex.domain.trace import Trace, parse_time
from cortex.domain.trust import TrustTier
from cortex.engine import Explained, Forgotten, Ingested, Remembered, Shown, Synthesised
from cortex.hooks import Injection
from cortex.ports.store import Counts, Filter
from cortex.surfaces.cli import plain
from cortex.workspace.flush import FlushPlan, SessionState

ID = "0198c1a2-7b3c-7def-8a01-23456789abcd"
_AT = "2026-01-05T09:00:00+00:00"
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
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    supersedes: str | None = Field(None, description="The id of the memory it replaces.")
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    lang: str | None = Field(None, max_length=35)

    model_config = _example(
        {"text": "The deploy key rotates on Mondays", "kind": "fact", "scope": "infra", "importance": 0.8}
    )
    _not_fields: ClassVar[frozenset[str]] = frozenset({"agent", "user", "text", "ttl_seconds"})

    def fields(self) -> dict[str, Any]:
        """As `Engine.remember` takes them."""
        given = {
            name: value
            for name in type(self).model_fields
            if name not in self._not_fields and (value := getattr(self, name)) is not None
        }
        if self.supersedes is not None:
            given["supersedes"] = checked_id(self.supersedes, field="supersedes")
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
    memory: TraceAnswer
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
            "receipt": {"schema": "cortex.remember.receipt.v1", "id": ID, "op": "remember", "stored": 1},
        }
    )

    @classmethod
    def of(cls, kept: Remembered) -> RememberedAnswer:
        return cls(memory=TraceAnswer.of(kept.memory), receipt=kept.receipt.to_json())


class ShownAnswer(TraceAnswer):
    """A trace with its versions and the turns it came from."""

    versions: list[dict[str, Any]]
    sources: list[TraceAnswer]

    @classmethod
    def of_shown(cls, found: Shown) -> ShownAnswer:
        return cls.model_validate(plain.shown(found))


class ListQuery(AddressedQuery):
    """Which traces are listed, oldest first; memories unless `lane` says otherwise."""

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
    after: str | None = Field(None, description="Go on after this id: the `next` of the page before.")

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
    """What was forgotten; nothing where it was forgotten already."""

    ids: list[str]
    receipt: dict[str, Any]

    model_config = _example({"ids": [ID], "receipt": {"id": ID, "op": "forget", "changed": 1}})

    @classmethod
    def of(cls, done: Forgotten) -> ForgottenAnswer:
        return cls(ids=list(done.ids), receipt=done.receipt.to_json())


# --- recall -----------------------------------------------------------------------------------------------------------


class RecallRequest(Addressed):
    """A question. What is not given is as the recipe says."""

    query: str
    scope: str | None = None
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
        """As `Engine.explain` takes them."""
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
            "degraded": [],
            "receipt": {"schema": "cortex.recall.receipt.v1", "id": ID, "op": "recall"},
        }
    )

    @classmethod
    def of(cls, found: Explained, *, whole: bool) -> RecallAnswer:
        told = plain.explained(found) if whole else plain.recollection(found.recollection)
        return cls.model_validate(told)


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
    mode: str
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

    model_config = _example(
        {
            "plan": {"due": True, "reason": "due_tokens", "threshold": 176_000, "target": "memory/2026-01-05.md"},
            "openclaw": {"softThresholdTokens": 4_000, "relativePath": "memory/2026-01-05.md"},
        }
    )

    @classmethod
    def of(cls, plan: FlushPlan, *, is_asked: bool) -> FlushPlanAnswer:
        return cls(plan=plan.to_json() if is_asked else None, openclaw=plan.for_openclaw())


# --- upkeep -----------------------------------------------------------------------------------------------------------


class StatsQuery(AddressedQuery):
    """What is counted; everything unless narrowed."""

    scope: list[str] | None = None
    lane: list[LaneName] | None = None

    def filter(self) -> Filter:
        return Filter(lanes=_chosen(Lane, self.lane), scopes=_several(self.scope), states=frozenset(State))


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

    format: Literal["jsonl", "markdown"] = "jsonl"
    with_text: bool = Field(False, description="Markdown always has the text: it is there to be edited.")
    scope: list[str] | None = None
    kind: list[KindName] | None = None
    lane: list[LaneName] | None = None
    state: list[StateName] | None = None
    since: Moment | None = None
    until: Moment | None = None

    model_config = _example({"format": "jsonl", "with_text": True, "scope": ["infra"]})

    def filter(self) -> Filter:
        chosen = _filter(self)
        if self.state is None and self.format == "jsonl":
            return Filter(
                lanes=chosen.lanes,
                scopes=chosen.scopes,
                kinds=chosen.kinds,
                states=frozenset(State),
                since=chosen.since,
                until=chosen.until,
            )
        return chosen


class ImportRequest(Addressed):
    """What an export gave: the objects of its lines, or the Markdown with a person's edits; one of the two."""

    lines: list[dict[str, Any]] | None = None
    markdown: str | None = None
    dry_run: bool = False
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
    receipt: dict[str, Any]

    model_config = _example(
        {
            "run": "120-164",
            "plans": [{"step": "expiry", "reason": "ttl_past", "ids": [ID]}],
            "anomalies": [],
            "restored": [],
            "receipt": {"id": ID, "op": "tend"},
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


def _filter(asked: ListQuery | ExportRequest) -> Filter:
    return Filter(
        lanes=_chosen(Lane, asked.lane),
        scopes=_several(asked.scope),
        kinds=_chosen(Kind, asked.kind),
        states=_chosen(State, asked.state) or SEARCHABLE,
        trusts=_chosen(TrustTier, getattr(asked, "trust", None)),
        labels=_chosen(ImportanceLabel, getattr(asked, "label", None)),
        sessions=_several(getattr(asked, "session", None)),
        since=asked.since,
        until=asked.until,
    )


def _several(given: Sequence[str] | None) -> frozenset[str] | None:
    return frozenset(given) if given else None


def _chosen(choices: Any, given: Sequence[str] | None) -> frozenset[Any] | None:
    return frozenset(choices(each) for each in given) if given else None

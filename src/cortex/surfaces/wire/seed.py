"""The three routes of the original middleware: `/ingest`, `/hybrid-search`, `/recall`."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field

from cortex.domain.hits import Hit, RecallResult
from cortex.domain.memory import Memory
from cortex.services.capture import Ingested
from cortex.services.recall import SynthesisResult
from cortex.surfaces.wire.fields import AT, ID, Label, Messages, Session, TrustName
from cortex.surfaces.wire.model import Response, Strict, example


class SeedRequest(Strict):
    """A request of the original middleware, which names a user and no agent."""

    user_id: Label | None = Field(None, description="The user; a token implies it.")

    @property
    def agent(self) -> None:
        return None

    @property
    def user(self) -> str | None:
        return self.user_id


class SeedIngestRequest(SeedRequest):
    """The full history of a session."""

    messages: Messages
    session_id: Session = Field(min_length=1, max_length=256)
    channel: str | None = Field(None, description="The channel of the conversation, such as `telegram`.")
    debounce: bool = Field(True, description="Wait until the session is quiet before extracting memories.")

    model_config = example({
        "messages": [{"role": "user", "content": "I prefer Rust for systems programming."}, {"role": "assistant",
        "content": "Noted."}], "session_id": "agent:main:main", "channel": "telegram", "user_id": "oogley",
        "debounce": True,
    })  # fmt: skip


class SeedIngestResponse(Response):
    """What was stored; memories are extracted at `due`."""

    session_id: str
    stored: int
    seen: int
    skipped: str | None = Field(description="Why the history was skipped, such as `heartbeat`.")
    due: str | None
    receipt_id: str

    model_config = example({
        "session_id": "agent:main:main", "stored": 2, "seen": 0, "skipped": None, "due": AT, "receipt_id": ID,
    })  # fmt: skip

    @classmethod
    def of(cls, result: Ingested, request: Any = None) -> Self:
        facts = result.receipt.facts
        return cls(
            session_id=request.session_id,
            stored=facts["stored"],
            seen=facts["seen"],
            skipped=facts.get("reason"),
            due=facts.get("due"),
            receipt_id=result.receipt.id,
        )


class HybridSearchRequest(SeedRequest):
    """A query over the facts of a user."""

    query: str = Field(description="A question or a message in plain words.")
    limit: int = Field(10, ge=1, le=100, description="How many at most.")

    model_config = example({"query": "what programming languages does oogley use", "user_id": "oogley", "limit": 10})


class FactResponse(Response):
    """One fact; ids are UUIDs, and importance is 1 to 10."""

    id: str
    user_id: str
    topic: str
    fact: str
    importance: int = Field(ge=1, le=10)
    score: float
    source: Literal["fts5", "vector", "fts5+vector"]

    @classmethod
    def of_hit(cls, hit: Hit, user: str) -> Self:
        memory = hit.trace
        assert isinstance(memory, Memory)  # only memories are searched
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


class HybridSearchResponse(Response):
    results: list[FactResponse]
    count: int

    model_config = example({
        "results": [{"id": ID, "user_id": "oogley", "topic": "preferences",
        "fact": "Prefers Rust for systems programming", "importance": 8, "score": 0.87, "source": "fts5+vector"}],
        "count": 1,
    })  # fmt: skip

    @classmethod
    def of(cls, result: RecallResult, request: Any = None) -> Self:  # noqa: ARG003
        facts = [FactResponse.of_hit(hit, result.receipt.user) for hit in result.hits]
        return cls(results=facts, count=len(facts))


class NarrativeRequest(SeedRequest):
    """The topic to summarize."""

    query: str = Field(description="A question or a message in plain words.")

    model_config = example({"query": "what does oogley program in?", "user_id": "oogley"})


class NarrativeResponse(Response):
    """A summary of memories; `[1]` cites the first of `ids`."""

    query: str
    response: str
    ids: tuple[str, ...]
    method: Literal["llm", "extractive"]
    trust: TrustName
    count: int
    receipt_id: str

    model_config = example({
        "query": "what does oogley program in?", "response": "Oogley prefers Rust for systems programming [1].",
        "ids": [ID], "method": "llm", "trust": "trusted", "count": 1, "receipt_id": ID,
    })  # fmt: skip

    @classmethod
    def of(cls, result: SynthesisResult, request: Any = None) -> Self:
        synthesis = result.synthesis
        return cls(
            query=request.query,
            response=synthesis.text,
            ids=synthesis.ids,
            method=synthesis.method.value,
            trust=synthesis.trust,
            count=synthesis.sources,
            receipt_id=result.receipt.id,
        )

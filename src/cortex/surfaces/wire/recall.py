"""Recall, search and synthesis, and the recipes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Literal, Self

from pydantic import Field

from cortex.domain.hits import RecallResult
from cortex.domain.query import Mode, Query
from cortex.domain.trace import from_json, to_json
from cortex.errors import InvalidRequest
from cortex.recall.flow import Answer, Dropped, Tried
from cortex.recall.packing import Packed
from cortex.recall.ranking import Scored
from cortex.recall.synthesis import Method, Synthesis
from cortex.services.recall import RecallTrace, SynthesisResult
from cortex.surfaces.wire.fields import (
    ID,
    LARGEST,
    AnyHit,
    AsOf,
    Degraded,
    KindName,
    LaneName,
    ModeName,
    Project,
    ReceiptField,
    RecipeName,
    ScopeFilter,
    Share,
    SharePersonal,
    Since,
    TrustName,
    Until,
)
from cortex.surfaces.wire.model import Json, Request, Response, example, plain


class RecallRequest(Request):
    """A query. The recipe sets the defaults."""

    query: str = Field(description="A question or a message in plain words.")
    scope: ScopeFilter = None
    project: Project = None
    share_personal: SharePersonal = False
    lanes: list[LaneName] | None = Field(
        None, min_length=1, description="Only these lanes: memories, sessions (turns), notes, docs (lines of files)."
    )
    kinds: list[KindName] | None = Field(None, min_length=1, description="Only these kinds.")
    recipe: RecipeName = None
    limit: int | None = Field(None, ge=1, le=1_000, description="How many hits at most.")
    budget: int | None = Field(None, ge=1, le=1_000_000, description="The token budget of the answer.")
    min_score: Share | None = Field(None, description="The minimum score of a hit.")
    since: Since = None
    until: Until = None
    as_of: AsOf = Field(None, description="Search an earlier state: a time, a ledger position, or a tag.")
    at_least: int | None = Field(
        None, ge=0, le=LARGEST, description="The ledger position of a change that the answer must know of."
    )
    deadline_ms: float | None = Field(
        None, ge=1, le=600_000, allow_inf_nan=False, description="Search legs that take longer are left out."
    )
    quarantined: bool = Field(False, description="Include quarantined traces.")
    explain: bool = Field(False, description="Include all candidates, and why each was returned or dropped.")

    model_config = example({"query": "When does the deploy key rotate?", "scope": "infra", "limit": 5})

    def options(self) -> dict[str, Any]:
        """The arguments of `Cortex.explain`."""
        return self.model_dump(exclude={"agent", "user", "query", "explain"}, exclude_none=True)

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        text, options = arguments["text"], arguments.get("options", {})
        query = text if isinstance(text, Query) else Query.of(text, **options)
        for name in ("asked_at", "hybrid_floor"):
            if getattr(query, name) is not None:
                raise InvalidRequest("cannot be sent to a server", field=name, hint="leave it out")
        left_out = {"text", "mode", "asked_at", "hybrid_floor"}
        payload = {
            field.name: plain(getattr(query, field.name)) for field in fields(query) if field.name not in left_out
        }
        return {"query": query.text} | {name: value for name, value in payload.items() if value is not None}

    @classmethod
    def mode_of(cls, arguments: Mapping[str, Any]) -> Mode:
        """Whether a call is a recall or a search."""
        text, options = arguments["text"], arguments.get("options", {})
        return text.mode if isinstance(text, Query) else Mode(options.get("mode", Mode.AUTO))


class RecallResponse(Response):
    """The hits, best first, the block to inject, and the receipt; with `explain` also rejected candidates."""

    hits: tuple[AnyHit, ...] = Field(description="The hits, best first.")
    block: str = Field(description="The hits, packed for a prompt.")
    tokens: int = Field(description="The number of tokens of the block.")
    skipped: str | None = Field(description="Why nothing was searched.")
    mode: ModeName | None = Field(description="What was compared: keywords, vectors or both.")
    degraded: Degraded
    receipt: ReceiptField
    candidates: list[Json] | None = None
    dropped: list[Json] | None = None
    tiers: list[Json] | None = None

    model_config = example({
        "hits": [], "block": "", "tokens": 0, "skipped": None, "mode": "hybrid", "degraded": [],
        "receipt": {"schema": "cortex.recall.receipt.v1", "id": ID, "op": "recall"},
    })  # fmt: skip

    @classmethod
    def of(cls, result: Any, request: Any = None) -> Self:
        """From a `RecallResult`, or from a `RecallTrace`, with candidates if the request wants them."""
        if isinstance(result, RecallResult):
            return cls(**_recalled(result))
        found = cls(**_recalled(result.result))
        if request is not None and not request.explain:
            return found
        return cls(**_recalled(result.result), **_considered(result.answer))

    def value(self) -> RecallResult:
        return RecallResult(self.hits, self.block, self.tokens, self.receipt)

    def explained(self) -> RecallTrace:
        """With every candidate; the plan and the legs stay on the server."""
        found = self.value()
        answer = Answer(
            packed=Packed(found.block, found.tokens, found.hits),
            skipped=self.skipped,
            tried=[Tried(**each) for each in self.tiers or ()],
            ranked=[_candidate_from_json(each) for each in self.candidates or ()],
            dropped=[Dropped(**each) for each in self.dropped or ()],
            degraded=list(self.degraded),
        )
        return RecallTrace(found, answer)


def _recalled(found: RecallResult) -> dict[str, Any]:
    return {
        "hits": found.hits,
        "block": found.block,
        "tokens": found.tokens,
        "skipped": found.receipt.facts.get("skipped"),
        "mode": found.mode,
        "degraded": found.receipt.degraded,
        "receipt": found.receipt,
    }


def _considered(answer: Answer) -> dict[str, Any]:
    return {
        "candidates": [_candidate_to_json(each) for each in answer.ranked],
        "dropped": [{"id": each.id, "score": each.score, "reason": each.reason} for each in answer.dropped],
        "tiers": [{field.name: getattr(each, field.name) for field in fields(Tried)} for each in answer.tried],
    }


def _candidate_to_json(scored: Scored) -> Json:
    return {
        "id": scored.trace.id,
        "score": scored.score,
        "legs": list(scored.legs),
        "parts": {name: round(value, 6) for name, value in scored.parts.items()},
        "reasons": list(scored.reasons),
        "similarity": round(scored.similarity, 6),
        "evidence": round(scored.evidence, 6),
        "trace": to_json(scored.trace),
    }


def _candidate_from_json(payload: Json) -> Scored:
    return Scored(
        trace=from_json(payload["trace"]),
        legs=tuple(payload["legs"]),
        parts=dict(payload["parts"]),
        reasons=list(payload["reasons"]),
        similarity=payload["similarity"],
        evidence=payload["evidence"],
    )


class SynthesizeRequest(RecallRequest):
    """A topic to summarize, with the options of a recall."""

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        if cls.mode_of(arguments) is not Mode.AUTO:
            raise InvalidRequest("cannot be sent to a server", field="mode", hint="leave it out")
        return super().payload_of(arguments)


class SynthesisResponse(Response):
    """A summary of memories; `[1]` in `response` cites the first of `ids`."""

    response: str
    ids: tuple[str, ...]
    method: Literal["llm", "extractive"]
    trust: TrustName
    sources: int = Field(description="How many memories it is based on.")
    because: str = Field(description="Why it is a digest and not written by a model.")
    recall: RecallResponse
    receipt: ReceiptField

    model_config = example({
        "response": "Oogley prefers Rust for systems programming [1].", "ids": [ID], "method": "llm",
        "trust": "trusted", "sources": 1, "because": "", "recall": {"hits": [], "block": "", "tokens": 0,
        "skipped": None, "mode": None, "degraded": []}, "receipt": {"id": ID, "op": "synthesize"},
    })  # fmt: skip

    @classmethod
    def of(cls, result: SynthesisResult, request: Any = None) -> Self:  # noqa: ARG003
        synthesis = result.synthesis
        return cls(
            response=synthesis.text,
            ids=synthesis.ids,
            method=synthesis.method.value,
            trust=synthesis.trust,
            sources=synthesis.sources,
            because=synthesis.because,
            recall=RecallResponse.of(result.recall),
            receipt=result.receipt,
        )

    def value(self) -> SynthesisResult:
        synthesis = Synthesis(
            text=self.response,
            ids=self.ids,  # type: ignore[arg-type]
            method=Method(self.method),
            sources=self.sources,
            trust=self.trust,
            because=self.because,
        )
        return SynthesisResult(synthesis, self.recall.value(), self.receipt)


class RecipeResponse(Response):
    """One recipe."""

    name: str
    about: str
    fingerprint: str = Field(description="Changes with every change of the recipe.")
    keywords: bool
    vectors: bool
    reranks: bool
    limit: int
    search_limit: int
    budget: int

    @classmethod
    def of(cls, result: Any, request: Any = None) -> Self:  # noqa: ARG003
        return cls(
            name=result.name,
            about=result.about,
            fingerprint=result.fingerprint,
            keywords=result.uses_keywords,
            vectors=result.uses_vectors,
            reranks=result.rerank is not None,
            limit=result.auto.limit,
            search_limit=result.search.limit,
            budget=result.budget,
        )


class RecipesResponse(Response):
    """All recipes, and the default one."""

    default: str
    recipes: tuple[RecipeResponse, ...]

    model_config = example({"default": "balanced.v1", "recipes": []})

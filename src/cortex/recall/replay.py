"""Repeating a recorded query on the same state, and comparing the answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from cortex.domain.lanes import Lane
from cortex.domain.memory import Kind
from cortex.domain.query import Mode, Query
from cortex.domain.receipt import Receipt
from cortex.domain.trace import parse_time
from cortex.domain.vectors import ASSUMED, Basis, Calibration, EmbeddingSpace
from cortex.recall import reranking
from cortex.recall.flow import Answer
from cortex.recall.reranking import Recorded, RerankResult


@dataclass(frozen=True, slots=True)
class Replay:
    """Whether the same state gave the same answer, and what is known where it did not."""

    same: bool
    receipt: Receipt
    answer: Answer
    differences: tuple[str, ...]


def query_of(receipt: Receipt, text: str) -> Query:
    """The query a receipt was given for."""
    request: dict[str, Any] = receipt.facts["request"]
    return Query(
        text=text,
        scope=request["scope"],
        project=request.get("project"),
        share_personal=request.get("share_personal", False),
        lanes=None if request["lanes"] is None else frozenset(Lane(lane) for lane in request["lanes"]),
        kinds=None if request["kinds"] is None else frozenset(Kind(kind) for kind in request["kinds"]),
        recipe=receipt.facts["recipe"],
        limit=request["limit"],
        budget=request["budget"],
        min_score=request["min_score"],
        hybrid_floor=request.get("hybrid_floor"),
        quarantined=request["quarantined"],
        mode=Mode(request["mode"]),
        # What was "now" then decides expiry, recency and decay.
        asked_at=parse_time(request["asked_at"]) if request["asked_at"] else receipt.at,
        since=parse_time(request["since"]) if request["since"] else None,
        until=parse_time(request["until"]) if request["until"] else None,
    )


BY_KEYWORDS = frozenset({"vector", reranking.LEG})
"""What a recall does without on the rung `keywords`."""


def left_out(receipt: Receipt) -> frozenset[str]:
    """The legs that were absent then, and must be absent again. What a reranker said, or why not, is on record."""
    degraded = {entry.partition(":")[0] for entry in receipt.facts["degraded"]} - {reranking.LEG}
    legs = receipt.facts["legs"]
    absent = {name for name, leg in legs.items() if leg["absent"] not in {None, "not_in_recipe"}}
    absent |= {"media"} - legs.keys()
    return frozenset(degraded | absent) | (frozenset() if receipt.facts.get("rung", "full") == "full" else BY_KEYWORDS)


def reader_of(receipt: Receipt) -> Recorded:
    """What rerankers said then, in the place of those of today."""
    return Recorded(RerankResult.from_json(payload) for payload in receipt.facts.get("rerank", ()))


def space_of(receipt: Receipt, now: EmbeddingSpace) -> EmbeddingSpace:
    """The embedding space on the scale it had then, whatever was measured since; `now` where the model is another."""
    then = receipt.facts.get("calibration")
    if then is None:  # of an earlier version, which measured nothing
        return replace(now, calibration=ASSUMED) if now.is_measured else now
    if then["space"] != now.key:
        return now
    return replace(now, calibration=Calibration(then["floor"], Basis(then["basis"])))


def media_scales_of(receipt: Receipt) -> dict[str, Calibration]:
    """The scales that media were compared on then, by the key of their space."""
    scales = receipt.facts.get("mediaScales", ())
    return {each["space"]: Calibration(each["floor"], Basis(each["basis"]), top=each["top"]) for each in scales}


def compared(receipt: Receipt, answer: Answer, fingerprint: str, space: EmbeddingSpace | None = None) -> Replay:
    """The verdict."""
    differences = []
    scale = receipt.facts.get("calibration")
    if scale is not None and space is not None and scale["space"] != space.key:
        differences.append("the embedding model has changed since")
    then = receipt.facts["recipe_fingerprint"]
    # Earlier versions wrote shorter ones, which were others in every process: they tell nothing.
    if len(then) == len(fingerprint) and then != fingerprint:
        differences.append("the recipe has changed since")
    if missing := sorted({*answer.degraded} - {*receipt.facts["degraded"]}):
        differences.append(f"this replay was degraded: {', '.join(missing)}")
    if receipt.facts["answer"] != answer.digest:
        before = [each["id"] for each in receipt.facts["returned"]]
        now = [hit.trace.id for hit in answer.hits[: len(before) or 1]]
        differences.append("the same ids came back with other scores" if before == now else f"then {before}, now {now}")
    return Replay(receipt.facts["answer"] == answer.digest, receipt, answer, tuple(differences))

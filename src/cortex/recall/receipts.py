"""What a receipt says of a recall (E12): ids, scores, counts and reasons, never text."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

from cortex.domain.identity import TraceId
from cortex.domain.query import Query
from cortex.domain.vectors import EmbeddingSpace
from cortex.recall import retrieve
from cortex.recall.flow import Answer
from cortex.recall.recipes import Recipe


def facts(
    answer: Answer,
    query: Query,
    recipe: Recipe,
    space: EmbeddingSpace,
    *,
    max_items: int,
    verbose: bool,
    media: Sequence[EmbeddingSpace] = (),
) -> dict[str, Any]:
    """The facts of one recall; at most `max_items` ids of each sort."""
    planned = answer.plan
    payload: dict[str, Any] = {
        "recipe": recipe.name,
        "recipe_fingerprint": _fingerprint(recipe),
        "request": request_of(query),
        "query_hash": digest_of(query.text),
        "scope": planned.scope if planned else None,
        "scope_inferred": planned.scope_inferred if planned else False,
        "broadened": answer.broadened,
        "lanes": sorted(answer.plan.filter.lanes or ()) if answer.plan else [],
        "skipped": answer.skipped,
        "mode": retrieve.mode_of(answer.legs),
        "policyTier": next((each.tier for each in answer.tried if each.selected and answer.hits), None),
        "tiers": [
            {
                "tier": each.tier,
                "trusts": each.trusts,
                "candidates": each.candidates,
                "selected": each.selected,
                "outdone": each.outdone,
            }
            for each in answer.tried
        ],
        "legs": {
            leg.name: {"absent": leg.absent, "candidates": len(leg.scores), "ms": round(leg.milliseconds, 3)}
            for leg in answer.legs.values()
        },
        "ftsTop": _top(answer, "keyword", max_items),
        "vecTop": _top(answer, "vector", max_items),
        **({"mediaTop": _top(answer, "media", max_items)} if "media" in answer.legs else {}),
        "fusedTop": [each.trace.id for each in answer.ranked[:max_items]],
        "counts": {
            "candidates": len(answer.ranked),
            "returned": len(answer.hits),
            "dropped": dict(sorted(Counter(each.reason for each in answer.dropped).items())),
        },
        "returned": [{"id": hit.trace.id, "score": round(hit.score, 6)} for hit in answer.hits[:max_items]],
        "answer": answer.digest,
        "tokens": answer.packed.tokens,
        "rerank": [reading.to_json() for reading in answer.readings],
        "calibration": calibration(space) if space.dimension else None,
        "embeddingSkipped": "vector" in answer.legs and answer.legs["vector"].absent is not None,
        "embeddingSkipReason": answer.legs["vector"].absent if "vector" in answer.legs else None,
        "degraded": answer.degraded,
    }
    if "media" in answer.legs:
        payload["mediaScales"] = [calibration(each) | {"top": each.calibration.top} for each in media]
    if verbose:
        payload["dropped"] = [{"id": each.id, "score": round(each.score, 6), "reason": each.reason}
                           for each in answer.dropped[: 10 * max_items]]  # fmt: skip
    return payload


def digest_of(text: str) -> str:
    """A short digest of a query or a session, by which it is recognized."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def calibration(space: EmbeddingSpace) -> dict[str, Any]:
    """The scale that similarities were on."""
    return {"space": space.key, "floor": space.calibration.floor, "basis": space.calibration.basis.value}


_fingerprints: dict[int, tuple[Recipe, str]] = {}
_MOST_FINGERPRINTS = 64


def _fingerprint(recipe: Recipe) -> str:
    """The fingerprint of a recipe, taken once: every recall tells it, and there are few recipes."""
    known = _fingerprints.get(id(recipe))
    if known is None:
        if len(_fingerprints) >= _MOST_FINGERPRINTS:
            _fingerprints.clear()
        # With the recipe itself: as long as it is kept, no other has its place in memory.
        known = _fingerprints[id(recipe)] = (recipe, recipe.fingerprint)
    return known[1]


def request_of(query: Query) -> dict[str, Any]:
    """The query without its text, as plain values: enough to repeat it."""
    return {
        "scope": query.scope,
        "project": query.project,
        "share_personal": query.share_personal,
        "lanes": sorted(query.lanes) if query.lanes is not None else None,
        "kinds": sorted(query.kinds) if query.kinds is not None else None,
        "recipe": query.recipe,
        "limit": query.limit,
        "budget": query.budget,
        "min_score": query.min_score,
        "hybrid_floor": query.hybrid_floor,
        "quarantined": query.quarantined,
        "mode": query.mode.value,
        "asked_at": query.asked_at.isoformat() if query.asked_at else None,
        "since": query.since.isoformat() if query.since else None,
        "until": query.until.isoformat() if query.until else None,
    }


def _top(answer: Answer, leg: str, most: int) -> Sequence[TraceId]:
    return answer.legs[leg].ids[:most] if leg in answer.legs else []

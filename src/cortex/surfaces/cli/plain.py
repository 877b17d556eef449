"""Answers of the engine as plain values, for `--json`."""

from __future__ import annotations

from typing import Any

from cortex.domain.hits import Hit, Recollection
from cortex.domain.memory import Memory
from cortex.domain.trace import Trace, name_of, to_fields
from cortex.ports.store import Counts
from cortex.services.browse import Shown
from cortex.services.recall import Explained


def trace(found: Trace) -> dict[str, Any]:
    """A trace with its type, the lane it is in, and everything about it that is not a default."""
    told = {"type": name_of(found), "lane": found.lane.value, **to_fields(found)}
    told |= {"kind": told.get("kind", getattr(found, "kind", None)), "scope": found.scope}
    told |= {"trust": found.trust.value, "state": found.state.value}
    if isinstance(found, Memory):
        used = found.last_accessed_at.isoformat() if found.last_accessed_at else None
        told |= {"access_count": found.access_count, "last_accessed_at": used}
    return told


def hit(found: Hit) -> dict[str, Any]:
    return {
        "id": found.trace.id,
        "score": round(found.score, 6),
        "legs": list(found.legs),
        "parts": dict(found.parts.parts),
        "reasons": list(found.parts.reasons),
        "excerpt": found.excerpt,
        "trace": trace(found.trace),
    }


def recollection(answer: Recollection) -> dict[str, Any]:
    return {
        "hits": [hit(found) for found in answer.hits],
        "block": answer.block,
        "tokens": answer.tokens,
        "skipped": answer.receipt.facts.get("skipped"),
        "mode": answer.mode,
        "degraded": list(answer.receipt.degraded),
        "receipt": answer.receipt.to_json(),
    }


def explained(found: Explained) -> dict[str, Any]:
    answer = found.answer
    return recollection(found.recollection) | {
        "candidates": [
            {
                "id": each.trace.id,
                "score": each.score,
                "legs": list(each.legs),
                "parts": {name: round(value, 6) for name, value in each.parts.items()},
                "reasons": list(each.reasons),
            }
            for each in answer.ranked
        ],
        "dropped": [{"id": each.id, "score": each.score, "reason": each.reason} for each in answer.dropped],
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
    }


def shown(found: Shown) -> dict[str, Any]:
    return trace(found.trace) | {
        "versions": [
            {"since": version.since, "until": version.until, **to_fields(version.trace)} for version in found.versions
        ],
        "sources": [trace(source) for source in found.sources],
    }


def counts(found: Counts) -> dict[str, Any]:
    return {
        "total": found.total,
        "by_lane": dict(found.by_lane),
        "by_scope": dict(found.by_scope),
        "by_kind": dict(found.by_kind),
        "by_label": dict(found.by_label),
        "by_trust": dict(found.by_trust),
        "by_state": dict(found.by_state),
        "oldest": found.oldest.isoformat() if found.oldest else None,
        "newest": found.newest.isoformat() if found.newest else None,
        "text_bytes": found.text_bytes,
    }

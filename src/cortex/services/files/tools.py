"""The tools a host offers its model for the agent's files, in the words hosts know them by (B9-B11)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any

from cortex._version import __version__
from cortex.context import Context
from cortex.domain.chunk import cited
from cortex.domain.lanes import Lane
from cortex.domain.provenance import Authorship, Provenance
from cortex.errors import InvalidRequest
from cortex.ports.file_search import FileSearch, FoundLines
from cortex.runtime.deadline import SHARES, Deadline
from cortex.services.files.files import LANE_OF_SOURCE, SEARCH_WAITS, Files, IndexCounts, files_of, searching
from cortex.workspace import flush
from cortex.workspace.fallback import Fallback

PLAN_LASTS = timedelta(hours=24)
"""How long a host may use a flush plan before it asks again."""


def memory_search(
    context: Context,
    query: str,
    *,
    max_results: int | None,
    min_score: float | None,
    session: str | None,
    sources: Collection[str] | None,
    lexical_only: bool,
    deadline_ms: float | None,
) -> dict[str, Any]:
    """The lines that answer `query`, who found them, and what a reader has to know of the answer."""
    wanted = _sources(sources or context.settings.files.sources or None)
    files = files_of(context)
    milliseconds = deadline_ms or context.settings.recall.deadline_ms
    deadline = Deadline.after(context.clock, SHARES.answer * milliseconds / 1000)
    stale = files.ensure_fresh(seconds=min(SEARCH_WAITS, deadline.left(SHARES.files)) if deadline_ms else SEARCH_WAITS)
    search: FileSearch = files if lexical_only else searching(context)
    if search is files:
        lanes = frozenset(LANE_OF_SOURCE[source] for source in wanted) if wanted is not None else None
        lines = files.search(
            query, max_results=max_results, min_score=min_score, lanes=lanes, lexical_only=lexical_only,
            deadline=deadline,
        )  # fmt: skip
        found, mode = list(lines), lines.mode
    else:
        others = search.search(query, max_results=max_results, min_score=min_score, session=session)
        found = [line for line in others if wanted is None or line.source in wanted]
        mode = getattr(others, "mode", None)
    status = search.status()
    cite = context.cites(session)
    return {
        "results": [_result(each, cite, context) for each in found],
        "provider": status.get("provider"),
        "model": status.get("model"),
        "fallback": status.get("fallback"),
        "citations": context.settings.files.citations,
        "mode": mode or status["mode"],
        "backend": status["backend"],
        "stale": stale or ("reindexing" if status.get("reindexing") else None),
    }


def _sources(given: Collection[str] | None) -> frozenset[str] | None:
    """The sources to search; None for the notes, and sessions and documents where there are any."""
    if given is None:
        return None
    if unknown := sorted(set(given) - LANE_OF_SOURCE.keys()):
        raise InvalidRequest(f"{unknown[0]!r} is unknown", field="sources", hint=f"of {', '.join(LANE_OF_SOURCE)}")
    return frozenset(given)


def memory_get(context: Context, path: str, *, start: int | None, lines: int | None) -> dict[str, Any]:
    """Exactly those lines of a file, and how many it has; `note` where it has none there."""
    found = files_of(context).excerpt(path, start=start, lines=lines)
    payload = {
        "path": path,
        "text": found.text,
        "from": found.start,
        "lines": max(0, found.end - found.start + 1),
        "total": found.total,
    }
    if found.start > found.total:
        payload["note"] = f"it ends with line {found.total}" if found.total else "it is empty"
    return payload


def _result(found: FoundLines, cite: bool, context: Context) -> dict[str, Any]:
    written_by = Authorship.OWNER if found.source == "docs" else Authorship.AGENT
    provenance = found.provenance or Provenance(written_by, context.clock.now())
    payload: dict[str, Any] = {
        "path": found.path,
        "startLine": found.start_line,
        "endLine": found.end_line,
        "score": found.score,
        "snippet": found.snippet,
        "source": found.source,
        "provenance": provenance.to_json(),
    }
    if cite:
        payload["citation"] = cited(found.path, found.start_line, found.end_line)
    return payload


def host_status(context: Context) -> dict[str, Any]:
    """The host's `MemoryProviderStatus` (B21). Nothing is counted while the host waits: it asks often."""
    files, search = files_of(context), searching(context)
    counted, space = files.recent_counts(), context.dependencies.embedder.space
    lanes = {source.lane for source in files.sources()}
    cache = context.settings.embedding.cache_entries
    return {
        # The host knows no other name for it.
        "backend": "builtin",
        "provider": space.provider,
        "model": space.model,
        "requestedProvider": context.settings.embedding.provider,
        **({"files": counted.files, "chunks": counted.chunks} if counted else {}),
        "dirty": files.watch_state()["dirty"],
        **({"workspaceDir": files.settings.workspace} if files.settings.workspace else {}),
        "extraPaths": list(files.settings.extra_paths),
        "sources": ["memory", *(["sessions"] if Lane.SESSIONS in lanes else [])],
        "cache": {"enabled": cache > 0, "maxEntries": cache},
        "fts": {"enabled": True, "available": True},
        "vector": _vector_status(files, counted, space.dimension),
        **_fallback_status(search),
        "custom": {"product": "cortex", "version": __version__},
    }


def _vector_status(files: Files, counted: IndexCounts | None, dimension: int) -> dict[str, Any]:
    if counted is None:
        state = "unverified"
    elif not counted.chunks:
        state = "empty"
    else:
        state = "incomplete" if counted.lacking or counted.earlier else "complete"
    available = files.has_vectors
    return {
        "enabled": dimension > 0,
        "available": available,
        "semanticAvailable": available,
        # Vectors are compared in this process: no extension is needed.
        "storeAvailable": True,
        "index": {"state": state},
        "dims": dimension,
    }


def _fallback_status(search: FileSearch) -> dict[str, Any]:
    state = search.state() if isinstance(search, Fallback) else {}
    if not state.get("fallback", {}).get("active"):
        return {}
    return {"fallback": {"from": state["requested"], "reason": state["fallback"]["reason"]}}


def flush_plan(
    context: Context, state: flush.FlushSession, *, timezone: str | None, workspace_has: Collection[str] | None
) -> flush.FlushPlan:
    """Whether the agent should write down what matters before its host compacts a session, and how (B20)."""
    settings, now = context.settings.flush, context.clock.now()
    timezone = timezone or settings.timezone or None
    today = flush.day_in(timezone, now)
    plan = flush.plan(state, flush.configured(asdict(settings)), today=today, workspace_has=workspace_has)
    return replace(plan, timezone=timezone, valid_until=now + PLAN_LASTS)

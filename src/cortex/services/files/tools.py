"""The tools a host offers its model for the agent's files, in the words hosts know them by (B9-B11)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, replace
from typing import Any

from cortex.context import Context
from cortex.domain.chunk import cited
from cortex.ports.file_search import FileSearch, FoundLines
from cortex.services.files.files import files_of, searching
from cortex.workspace import flush, snippets


def memory_search(
    context: Context, query: str, *, max_results: int | None, min_score: float | None, session: str | None
) -> dict[str, Any]:
    """The lines that answer `query`, who found them, and what a reader has to know of the answer."""
    stale = files_of(context).ensure_fresh()
    search: FileSearch = searching(context)
    found = search.search(query, max_results=max_results, min_score=min_score, session=session)
    status = search.status()
    cite = snippets.is_shown(context.settings.files.citations, session, context.chat)
    return {
        "results": [_result(each, cite) for each in found],
        "provider": status.get("provider"),
        "model": status.get("model"),
        "fallback": status.get("fallback"),
        "citations": context.settings.files.citations,
        "mode": getattr(found, "mode", None) or status["mode"],
        "backend": status["backend"],
        "stale": stale or ("reindexing" if status.get("reindexing") else None),
    }


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


def _result(found: FoundLines, cite: bool) -> dict[str, Any]:
    payload: dict[str, Any] = {
        "path": found.path,
        "startLine": found.start_line,
        "endLine": found.end_line,
        "score": found.score,
        "snippet": found.snippet,
        "source": found.source,
    }
    if cite:
        payload["citation"] = cited(found.path, found.start_line, found.end_line)
    return payload


def flush_plan(
    context: Context, state: flush.FlushSession, *, timezone: str | None, workspace_has: Collection[str] | None
) -> flush.FlushPlan:
    """Whether the agent should write down what matters before its host compacts a session, and how (B20)."""
    settings = context.settings.flush
    timezone = timezone or settings.timezone or None
    today = flush.day_in(timezone, context.clock.now())
    plan = flush.plan(state, flush.configured(asdict(settings)), today=today, workspace_has=workspace_has)
    return replace(plan, timezone=timezone)

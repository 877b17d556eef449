"""mem0: what `get_all` returns, saved as JSON, or its history database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from cortex.errors import InvalidRequest
from cortex.exchange.import_format import Account, ForeignMemory, ImportFormat, ImportItem, kind_named, time_of
from cortex.exchange.import_source import ImportSource

_DATABASE = r"history[^/]*\.(?:db|sqlite)"
_JSON = r"[^/]+\.json"
_QDRANT = r"collection/[^/]+/storage\.sqlite"
_OWNERS = ("user_id", "agent_id", "run_id")
_CURRENT = """
SELECT memory_id, new_memory, min(created_at) OVER (PARTITION BY memory_id),
       row_number() OVER (PARTITION BY memory_id ORDER BY coalesce(updated_at, created_at) DESC, rowid DESC) AS newest,
       event, is_deleted
FROM history
"""
"""A memory is what its last event left of it, and as old as its first."""


def _detect(source: ImportSource) -> bool:
    return (
        any('"memory"' in source.head(name) for name in _exports(source))
        or any(_is_history(source, name) for name in _databases(source))
        or bool(source.find(_QDRANT))
    )


def _exports(source: ImportSource) -> list[str]:
    """JSON files that may be exports; not the parts of another program's."""
    found = source.find(_JSON)
    return found if len(found) <= 20 and not source.find(r"conversations[^/]*\.json") else []


def _databases(source: ImportSource) -> list[str]:
    return source.find(_DATABASE) or ([] if source.is_folder else source.find(r"[^/]+\.(?:db|sqlite)"))


def _is_history(source: ImportSource, name: str) -> bool:
    return "old_memory" in source.head(name) and "new_memory" in source.head(name)


def _accounts(source: ImportSource) -> list[Account]:
    owners = {str(row["user_id"]) for name in _exports(source) for row in _rows(source, name) if row.get("user_id")}
    return [Account(owner) for owner in sorted(owners)]


def _read(source: ImportSource, account: Account | None) -> Iterator[ImportItem]:
    exports, databases = _exports(source), _databases(source)
    if not exports and not databases:
        raise InvalidRequest(
            "holds vectors that only mem0 can read",
            field=str(source.path),
            hint="save `memory.get_all(user_id=...)` as JSON and import that file",
        )
    for name in exports:
        for row in _rows(source, name):
            if account is not None and row.get("user_id") not in (None, account.id):
                source.skipped["memory of another user"] += 1
            elif memory := _memory(row):
                yield memory
            else:
                source.skipped["memory without text"] += 1
    for name in databases if not exports else ():
        yield from _history(source, name)


def _rows(source: ImportSource, name: str) -> Iterator[Mapping[str, Any]]:
    for given in source.items(name):
        found: Sequence[Any] = [given]
        if isinstance(given, dict) and "memory" not in given:
            found = next((given[key] for key in ("results", "memories") if isinstance(given.get(key), list)), [])
        yield from (row for row in found if isinstance(row, dict))


def _memory(row: Mapping[str, Any]) -> ForeignMemory | None:
    text = row.get("memory") or row.get("text")
    if not isinstance(text, str) or not text.strip():
        return None
    about = row["metadata"] if isinstance(row.get("metadata"), dict) else {}
    tags = row.get("categories") or about.get("categories") or ()
    return ForeignMemory(
        text=text,
        at=time_of(row.get("created_at")) or time_of(row.get("updated_at")),
        kind=kind_named(about.get("category")),
        tags=tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
        ref=str(row.get("id") or ""),
    )


def _history(source: ImportSource, name: str) -> Iterator[ForeignMemory]:
    path = source.local(name).absolute()
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as database:
            for id, text, at, newest, event, is_deleted in database.execute(_CURRENT):
                if newest == 1 and (is_deleted or event == "DELETE"):
                    source.skipped["memory that was deleted"] += 1
                elif newest == 1 and text:
                    yield ForeignMemory(text=str(text), at=time_of(at), ref=str(id))
    except sqlite3.Error as error:
        raise InvalidRequest(
            f"cannot be read: {error}",
            field=name,
            hint="close mem0 and copy the file, or import what `get_all` returns",
        ) from error


FORMAT = ImportFormat(
    name="mem0",
    title="mem0",
    about="What `get_all` returns, saved as JSON, or the history database `history.db`.",
    detect=_detect,
    read=_read,
    accounts=_accounts,
)

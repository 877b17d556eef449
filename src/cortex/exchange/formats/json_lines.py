"""Plain JSON lines: `{"text": "…"}` on each, from any program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cortex.exchange.import_format import (
    Account,
    ForeignMemory,
    ImportFormat,
    ImportItem,
    kind_named,
    share_of,
    time_of,
)
from cortex.exchange.import_source import ImportSource

_FILES = r"[^/]+\.(?:jsonl|ndjson|json)"
_TIMES = ("created_at", "createdAt", "timestamp", "at", "date")
_OURS = "type"
"""Lines of an export of Cortex have a type: those are imported with all they say."""


def _detect(source: ImportSource) -> bool:
    return not source.is_folder and any(_is_line(source, name) for name in source.find(_FILES)[:1])


def _is_line(source: ImportSource, name: str) -> bool:
    first = next((line for line in source.head(name).splitlines() if line.strip()), "")
    return first.lstrip().startswith("{") and any(
        isinstance(row.get("text"), str) and _OURS not in row and "memory" not in row for row in _first(source, name)
    )


def _first(source: ImportSource, name: str) -> Iterator[dict[str, Any]]:
    skipped = source.skipped.copy()
    rows = source.rows(name)
    yield from (row for row in [next(rows, None)] if row is not None)
    source.skipped = skipped


def _read(source: ImportSource, _: Account | None) -> Iterator[ImportItem]:
    for name in source.find(_FILES):
        for row in source.rows(name):
            if isinstance(text := row.get("text"), str) and text.strip():
                yield _memory(row, text)
            else:
                source.skipped["line without text"] += 1


def _memory(row: Mapping[str, Any], text: str) -> ForeignMemory:
    tags = row.get("tags")
    return ForeignMemory(
        text=text,
        at=next((at for key in _TIMES if (at := time_of(row.get(key)))), None),
        kind=kind_named(row.get("kind")),
        topic=str(row.get("topic") or ""),
        tags=tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
        scope=str(row.get("scope") or ""),
        importance=share_of(row.get("importance")),
        ref=str(row.get("id") or ""),
    )


FORMAT = ImportFormat(
    name="lines",
    title="JSON lines",
    about=(
        'A file with `{"text": "…"}` on each line; `created_at`, `kind`, `topic`, `tags`, `scope`, '
        "`importance` and `id` may be added."
    ),
    detect=_detect,
    read=_read,
)

"""memory-lancedb: the table of that plugin of OpenClaw."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cortex.domain.memory import Kind
from cortex.errors import InvalidRequest, ProviderMissing
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

TABLE = "memories"
_FILES = rf"{TABLE}\.lance/.*"


def _detect(source: ImportSource) -> bool:
    return source.is_folder and (bool(source.find(_FILES)) or source.path.name == f"{TABLE}.lance")


def _folder(source: ImportSource) -> Path:
    """The folder with the table, at or below the source."""
    if source.path.name == f"{TABLE}.lance":
        return source.path.parent
    found = source.find(_FILES)
    return source.path / found[0].partition(f"{TABLE}.lance")[0] if found else source.path


def _accounts(source: ImportSource) -> list[Account]:
    return [Account(owner) for owner in sorted({_owner(row) for row in _rows(source)} - {""})]


def _read(source: ImportSource, account: Account | None) -> Iterator[ImportItem]:
    for row in _rows(source):
        text = row.get("text")
        if account is not None and _owner(row) not in ("", account.id):
            source.skipped["memory of another agent"] += 1
        elif isinstance(text, str) and text.strip():
            yield _memory(row, text)
        else:
            source.skipped["memory without text"] += 1


def _rows(source: ImportSource) -> list[dict[str, Any]]:
    place = _folder(source)
    if importlib.util.find_spec("lancedb") is None:
        raise ProviderMissing(
            f"{place} holds memories of memory-lancedb, and the package lancedb is not installed",
            hint="run `pip install lancedb`, then import again",
        )
    lancedb: Any = importlib.import_module("lancedb")
    try:
        table = lancedb.connect(str(place)).open_table(TABLE)
        columns = [name for name in table.schema.names if name != "vector"]
        rows: list[dict[str, Any]] = table.search().select(columns).limit(table.count_rows()).to_list()
    except Exception as error:  # whatever the library raises for a damaged or foreign table
        hint = "see `openclaw ltm stats`"
        raise InvalidRequest(f"cannot be read: {type(error).__name__}", field=str(place), hint=hint) from error
    return [row for row in rows if row.get("id") != "__schema__"]


def _owner(row: Mapping[str, Any]) -> str:
    return str(row.get("agentId") or row.get("agent_id") or "")


def _memory(row: Mapping[str, Any], text: str) -> ForeignMemory:
    return ForeignMemory(
        text=text,
        at=time_of(row.get("createdAt")),
        kind=kind_named(row.get("category"), Kind.OTHER),
        importance=share_of(row.get("importance")),
        ref=str(row.get("id") or ""),
    )


FORMAT = ImportFormat(
    name="memory-lancedb",
    title="memory-lancedb table",
    about="The folder with `memories.lance`. Needs `pip install lancedb`.",
    detect=_detect,
    read=_read,
    accounts=_accounts,
)

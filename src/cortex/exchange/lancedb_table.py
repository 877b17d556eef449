"""The table of the memory-lancedb plugin, into which grades are written back by id (E20, stage A).

Only columns that the table has are written: the plugin inserts rows of its own shape, and a column that it does not
know would stay empty or make its inserts fail.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from cortex.domain.importance import ImportanceLabel
from cortex.domain.scope import DEFAULT_SCOPE
from cortex.domain.trust import TrustTier, least
from cortex.domain.writeback import FIELDS, TRUST
from cortex.errors import InvalidRequest, ProviderMissing, StoreUnavailable
from cortex.exchange.formats.memory_lancedb import TABLE

CATEGORIES = frozenset({"preference", "decision", "entity", "fact", "other"})
"""The categories that the plugin knows."""

UNSET: Mapping[str, frozenset[Any]] = {
    "importance": frozenset({None, 0.5, 0.7}),
    "importance_label": frozenset({None, "", ImportanceLabel.UNKNOWN.value}),
    "scope": frozenset({None, "", "global", DEFAULT_SCOPE}),
    "category": frozenset({None, "", "other"}),
    TRUST: frozenset({None, ""}),
}
"""What a column holds where nobody set it; 0.7 is the importance that the plugin gives to all it captures."""

_ID = re.compile(r"[\w.:-]{1,256}")
_NAME = re.compile(r"[\w.-]{1,128}")


@dataclass(frozen=True, slots=True)
class RowChange:
    """New values of one row, by column: those that fill, and those that overwrite."""

    id: str
    values: Mapping[str, Any] = field(default_factory=dict)
    filled: tuple[str, ...] = ()
    overwritten: tuple[str, ...] = ()


class LancedbTable:
    """One table of memories. Its rows are read and updated by id; none is added or removed."""

    def __init__(self, table: Any, name: str) -> None:
        self._table = table
        self.name = name
        self.columns = frozenset(table.schema.names)

    @classmethod
    def open(cls, folder: Path, name: str | None = None) -> LancedbTable:
        """The table in `folder`, which is that of the database or of the table itself."""
        if importlib.util.find_spec("lancedb") is None:
            raise ProviderMissing(
                "the package lancedb is not installed", hint="run `pip install memory-cortex[lancedb]`"
            )
        if folder.suffix == ".lance" and name is None:
            folder, name = folder.parent, folder.stem
        name = name or TABLE
        if not _NAME.fullmatch(name):
            raise InvalidRequest("is not the name of a table", field="table", hint=f"such as {TABLE}")
        if not (folder / f"{name}.lance").is_dir():
            raise InvalidRequest(f"has no table {name}", field="lancedb", hint=f"name the folder with {name}.lance")
        lancedb: Any = importlib.import_module("lancedb")
        try:
            table = cls(lancedb.connect(str(folder)).open_table(name), name)
        except Exception as error:  # whatever the library raises for a damaged table
            raise InvalidRequest(f"cannot be read: {type(error).__name__}", field="lancedb", hint=_HINT) from error
        if "id" not in table.columns:
            raise InvalidRequest("has no column id", field="table", hint="name a table of memories")
        return table

    def rows(self) -> dict[str, Mapping[str, Any]]:
        """What the rows say in the columns that are written back, by their ids."""
        wanted = ["id", *(name for name in FIELDS if name in self.columns)]
        try:
            query = self._table.search().select(wanted).limit(self._table.count_rows())
            found: list[dict[str, Any]] = query.to_list()
        except Exception as error:  # see above
            raise InvalidRequest(f"cannot be read: {type(error).__name__}", field="lancedb", hint=_HINT) from error
        return {row["id"]: row for row in found if isinstance(row["id"], str) and _ID.fullmatch(row["id"])}

    def change(
        self, id: str, row: Mapping[str, Any], suggested: Mapping[str, Any], forced: Collection[str]
    ) -> RowChange:
        """What a grade means for a row. Without force only what nobody set is filled; trust only falls."""
        values: dict[str, Any] = {}
        filled: list[str] = []
        overwritten: list[str] = []
        for name, value in self._writable(suggested):
            current = row.get(name)
            is_set = _rounded(current) not in UNSET[name]
            if _rounded(current) == value or (is_set and name not in forced):
                continue
            if name == TRUST and (TRUST not in forced or not _falls(current, value)):
                continue
            values[name] = value
            (overwritten if is_set else filled).append(name)
        return RowChange(id, values, tuple(filled), tuple(overwritten))

    def _writable(self, suggested: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        for name, value in suggested.items():
            plain = value if isinstance(value, float) else str(value)
            if name in self.columns and (name != "category" or plain in CATEGORIES):
                yield name, plain

    def apply(self, changes: Sequence[RowChange]) -> None:
        """Update the rows: those with the same new values in one statement, which touches no other column."""
        by_values = sorted(changes, key=_values_of)
        for _, group in groupby(by_values, key=_values_of):
            some = list(group)
            ids = ", ".join(f"'{each.id}'" for each in some)  # `_ID` lets no quote through
            try:
                self._table.update(where=f"id IN ({ids})", values=dict(some[0].values))
            except Exception as error:  # see above
                raise StoreUnavailable(
                    f"the table could not be written: {type(error).__name__}",
                    hint="run it again; what was written is skipped",
                ) from error


_HINT = "see `openclaw ltm stats`"


def _values_of(change: RowChange) -> str:
    return repr(sorted(change.values.items()))


def _rounded(value: Any) -> Any:
    """A number as it was meant: tables may keep 32 bits of it."""
    return round(value, 4) if isinstance(value, float) else value


def _falls(current: Any, value: str) -> bool:
    known = {tier.value for tier in TrustTier}
    now_is = TrustTier(current) if current in known else TrustTier.TRUSTED
    return least((now_is, TrustTier(value))) is not now_is

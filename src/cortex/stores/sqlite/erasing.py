"""Making sure that what was erased is gone, and stays so: rewriting the file without it, looking for it in every row
and byte, and carrying out in an older file what was erased since."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import numpy as np

from cortex.domain import erasure
from cortex.domain.erasure import Erasure, Likeness, Sought
from cortex.domain.identity import TraceId
from cortex.domain.scope import Tenant
from cortex.ports.store import Erase, Remains
from cortex.stores.sqlite import raw
from cortex.stores.sqlite.codec import pack_id, pack_time, unpack_id, unpack_time
from cortex.stores.sqlite.writer import Writer

# Rows that belong to somebody, and how one tells to whom; the rest holds numbers, names of lanes and hashes.
_OWNED = {
    "traces": "facet IN (SELECT id FROM facets WHERE user = :user)",
    "versions": "facet IN (SELECT id FROM facets WHERE user = :user)",
    "receipts": "user = :user",
    "sessions": "user = :user",
    "jobs": "user = :user",
    "quarantine": "user = :user",
}

Name = TypeVar("Name", bytes, str)

_KEY_BYTES = 8
_READ_AT_ONCE = 1 << 22


def compact(connection: sqlite3.Connection, *, rewrite: bool = True) -> bool:
    """Rewrite the file without what was removed; whether the log could be emptied too. Outside of a transaction."""
    if rewrite:
        connection.execute("INSERT INTO postings (postings) VALUES ('optimize')")
        # A copy of everything is made on the way, which need not fit into memory.
        connection.execute("PRAGMA temp_store = FILE")
        try:
            connection.execute("VACUUM")
        finally:
            connection.execute("PRAGMA temp_store = MEMORY")
    (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def applied(connection: sqlite3.Connection) -> set[str]:
    """The ids of the erasures that were carried out in this file."""
    return {id for (id,) in connection.execute("SELECT id FROM erasures")}


def carry_out(connection: sqlite3.Connection, missing: Sequence[Erasure]) -> int:
    """Erase in this file what was erased elsewhere; gives how many traces went. Inside of a transaction."""
    before = connection.execute("SELECT count(*) FROM traces").fetchone()[0]
    for each in missing:
        (last,) = connection.execute("SELECT coalesce(max(at), 0) FROM events").fetchone()
        at = unpack_time(max(last, pack_time(each.at)))
        Writer(connection, Tenant(user=each.user), at).apply([Erase(each, loosely=True)])
    (after,) = connection.execute("SELECT count(*) FROM traces").fetchone()
    gone: int = before - after
    return gone


def texts_of(connection: sqlite3.Connection, user: str, ids: Sequence[TraceId]) -> list[str]:
    """All that these traces of `user` say here, in any version."""
    said: dict[str, None] = {}
    for id in ids:
        bodies = connection.execute(
            "SELECT t.body FROM traces t JOIN facets f ON f.id = t.facet JOIN users u ON u.id = f.user"
            " WHERE t.id = :id AND u.name = :user UNION ALL"
            " SELECT v.body FROM traces t JOIN versions v ON v.row = t.row JOIN facets f ON f.id = v.facet"
            " JOIN users u ON u.id = f.user WHERE t.id = :id AND u.name = :user",
            {"id": pack_id(id), "user": user},
        )
        for (body,) in bodies:
            said |= dict.fromkeys(erasure.texts_in(body))
    return list(said)


def spoken(connection: sqlite3.Connection, user: str, ids: Collection[TraceId], sought: Sought) -> list[str]:
    """The queries of receipts and jobs of `user` that name one of `ids` or say what is sought."""
    gone, known = frozenset(ids), {"user": _owner(connection, user)}
    receipts = connection.execute("SELECT body, query FROM receipts WHERE user = :user AND query IS NOT NULL", known)
    found = [query for body, query in receipts if erasure.names(body, gone) or sought.is_said([query])]
    for (payload,) in connection.execute("SELECT payload FROM jobs WHERE user = :user", known):
        told = erasure.strings_in(payload)
        if erasure.names(payload, gone) or sought.is_said(told):
            found += told
    return list(dict.fromkeys(found))


def remains(
    connection: sqlite3.Connection,
    user: str,
    texts: Sequence[str],
    files: Iterable[Path],
    also: Sequence[Path] = (),
    ids: Iterable[TraceId] = (),
) -> Remains:
    """Where `texts` stand in rows of `user`, in `files` though no row of anybody's holds them, and in `also`."""
    sought, owner = Sought(texts), _owner(connection, user)
    traces = _likenesses(_said(connection, owner), sought)
    tables = _likenesses(_told(connection, owner), sought)
    needles = {needle: text for text in texts for needle in erasure.sought(text)}
    standing = {path: found for path in files if (found := _found_live(path, needles))}
    said = {text for found in standing.values() for text in found}
    # Somebody else may have said the same: those bytes are theirs, and not for this tenant to know of.
    unexplained = {text for text in said if not _is_anywhere(connection, erasure.sought(text))}
    for table in _OWNED:
        theirs = f"{_OWNED[table]} AND"
        if table != "traces" and any(_is_in(connection, table, erasure.sought(text), theirs, owner) for text in said):
            tables[table] = Likeness.SAME
    sought_also = needles | {pack_id(id): id for id in ids}
    return Remains(
        traces=tuple(sorted(unpack_id(id) for id, found in traces.items() if found is Likeness.SAME)),
        tables=tuple(sorted(name for name, found in tables.items() if found is Likeness.SAME)),
        files=(
            *(path for path, found in standing.items() if found & unexplained),
            *(path for path in also if _found_aside(path, sought_also)),
        ),
        near=tuple(sorted(unpack_id(id) for id, found in traces.items() if found is Likeness.NEAR)),
        near_tables=tuple(sorted(name for name, found in tables.items() if found is Likeness.NEAR)),
    )


def found_in(content: raw.Content, needles: Mapping[bytes, str]) -> set[str]:
    """What stands in some bytes, each needle by its name. They are read once, however many needles there are."""
    found: set[str] = set()
    by_key: dict[int, list[bytes]] = {}
    for needle in needles:
        by_key.setdefault(int.from_bytes(needle[:_KEY_BYTES], "little"), []).append(needle)
    if by_key:
        for key, at in _places(content, np.array(sorted(by_key), dtype="<u8")):
            # From the first place on, once for each needle: also where its beginning stands everywhere.
            found |= {needles[needle] for needle in by_key.pop(key) if content.find(needle, at) >= 0}
    return found


def _found_live(path: Path, needles: Mapping[bytes, str]) -> set[str]:
    """What stands in a file that SQLite may have open."""
    with suppress(FileNotFoundError):
        return found_in(raw.live(path), needles)
    return set()


def _found_aside(path: Path, needles: Mapping[bytes, str]) -> set[str]:
    """What stands in a file that nobody here has open, such as a backup."""
    with suppress(FileNotFoundError), raw.opened(path) as content:
        return found_in(content, needles)
    return set()


def _places(content: raw.Content, keys: np.ndarray) -> Iterator[tuple[int, int]]:
    """Where each of the keys, the first eight bytes of something, stands first."""
    begins = np.zeros(1 << 16, dtype=bool)
    begins[(keys & np.uint64(0xFFFF)).astype(np.intp)] = True
    seen: set[int] = set()
    for start in range(0, len(content), _READ_AT_ONCE):
        chunk = content[start : start + _READ_AT_ONCE + _KEY_BYTES - 1]
        first: dict[int, int] = {}
        for shift in range(min(_KEY_BYTES, len(chunk) - _KEY_BYTES + 1)):
            words = np.frombuffer(chunk, dtype="<u8", count=(len(chunk) - shift) // _KEY_BYTES, offset=shift)
            likely = np.flatnonzero(begins[(words & np.uint64(0xFFFF)).astype(np.intp)])
            at = np.minimum(np.searchsorted(keys, words[likely]), len(keys) - 1)
            for number in likely[keys[at] == words[likely]]:
                key, place = int(words[number]), start + shift + _KEY_BYTES * int(number)
                first[key] = min(place, first.get(key, place))
        yield from ((key, place) for key, place in first.items() if key not in seen)
        seen |= first.keys()


def _owner(connection: sqlite3.Connection, user: str) -> int:
    found = connection.execute("SELECT id FROM users WHERE name = ?", (user,)).fetchone()
    return int(found[0]) if found else -1


def _said(connection: sqlite3.Connection, owner: int) -> Iterator[tuple[bytes, list[str]]]:
    """Every trace of a user, with all it says in one version."""
    rows = connection.execute(
        "SELECT t.id, t.body FROM traces t JOIN facets f ON f.id = t.facet WHERE f.user = :user UNION ALL"
        " SELECT t.id, v.body FROM versions v JOIN traces t ON t.row = v.row JOIN facets f ON f.id = v.facet"
        " WHERE f.user = :user",
        {"user": owner},
    )
    return ((id, erasure.strings_in(body)) for id, body in rows)


def _told(connection: sqlite3.Connection, owner: int) -> Iterator[tuple[str, list[str]]]:
    """What else is kept of a user as text, with the name of its table."""
    known = {"user": owner}
    for (query,) in connection.execute("SELECT query FROM receipts WHERE user = :user AND query IS NOT NULL", known):
        yield "receipts", [query]
    for (state,) in connection.execute("SELECT state FROM sessions WHERE user = :user", known):
        yield "sessions", erasure.strings_in(state)
    for (payload,) in connection.execute("SELECT payload FROM jobs WHERE user = :user", known):
        yield "jobs", erasure.strings_in(payload)


def _likenesses(rows: Iterable[tuple[Name, list[str]]], sought: Sought) -> dict[Name, Likeness]:
    found: dict[Name, Likeness] = {}
    for name, told in rows:
        found[name] = max(found.get(name, Likeness.NONE), sought.likeness(told))
    return found


def _is_anywhere(connection: sqlite3.Connection, needles: Sequence[bytes]) -> bool:
    return any(_is_in(connection, table, needles) for table in _tables(connection))


def _is_in(
    connection: sqlite3.Connection, table: str, needles: Sequence[bytes], where: str = "", owner: int = -1
) -> bool:
    columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
    query = f'SELECT 1 FROM "{table}" WHERE {where} ({_holds(columns, needles)}) LIMIT 1'
    known = {"user": owner} if where else {}
    return connection.execute(query, {**known, **_named(needles)}).fetchone() is not None


def _holds(columns: Sequence[str], needles: Sequence[bytes]) -> str:
    return " OR ".join(
        f'instr(CAST("{column}" AS BLOB), :needle{number})' for column in columns for number in range(len(needles))
    )


def _named(needles: Sequence[bytes]) -> dict[str, bytes]:
    return {f"needle{number}": needle for number, needle in enumerate(needles)}


def _tables(connection: sqlite3.Connection) -> list[str]:
    """Every table there is, those behind the keyword index among them."""
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    return [row[0] for row in found]

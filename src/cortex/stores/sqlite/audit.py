"""Proving that the file is whole: the chain of events, and everything derived against what it derives from."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from zlib import crc32

import numpy as np

from cortex.domain.events import EventKind
from cortex.domain.identity import is_id
from cortex.domain.lanes import SEARCHABLE
from cortex.domain.memory import slot_of
from cortex.domain.passages import terms_said
from cortex.domain.terms import TOKENIZER
from cortex.domain.trace import label_of, name_of
from cortex.domain.turn import Turn
from cortex.domain.vectors import sign_codes
from cortex.ports.store import Finding
from cortex.stores.relational import calibrations, checksums
from cortex.stores.relational.changes import ADD_SOURCE, ADD_UNIT, units
from cortex.stores.relational.code_index import MANY
from cortex.stores.relational.codec import JOB_COLUMNS, pack_id, pack_time, unpack_job, unpack_receipt, unpack_trace
from cortex.stores.relational.proof import breaks, quarantined, uncommitted
from cortex.stores.relational.vector_writer import mean_of, set_centre
from cortex.stores.sqlite import damage
from cortex.stores.sqlite.parameters import listed
from cortex.stores.sqlite.postings import posting

REPAIRABLE = frozenset(
    {
        "index", "lexicon", "counters", "vectors", "spaces", "codes", "orphans", "uses", "speakers", "slots", "sources",
        "columns", "damaged", "commitment", "chain", "file",
    }
)  # fmt: skip
"""What is worth trying to repair: what can be rebuilt from the traces, and what can be moved away."""


def tokenizer(connection: sqlite3.Connection) -> str:
    """Which tokenizer the index was built with."""
    found = connection.execute("SELECT value FROM meta WHERE key = 'tokeniser'").fetchone()
    return str(found[0]) if found else ""


Audit = Callable[[sqlite3.Connection], Iterator[Finding]]


def findings(connection: sqlite3.Connection, also: Sequence[Audit] = (), *, recorded: bool = True) -> Iterator[Finding]:
    """Everything that is wrong; the ledger is checked where changes are `recorded`."""
    damage.summing(connection)
    ledger: dict[str, Audit] = {"chain": _chain, "commitment": _commitments} if recorded else {}
    derived: dict[str, Audit] = {
        "columns": _columns, "index": _index, "counters": _counters, "speakers": _speakers, "slots": _slots,
        "sources": _sources, "uses": _uses, "vectors": _vectors, "orphans": _orphans,
    }  # fmt: skip
    everything: dict[str, Audit] = {"file": _file, "damaged": _damaged, **ledger, **derived}
    for code, check in (*everything.items(), *(("files", check) for check in also)):
        try:
            yield from check(connection)
        except sqlite3.DatabaseError as error:
            yield Finding(code, f"cannot be read: {error}")
        except checksums.UNREADABLE as error:
            yield Finding(code, f"cannot be read ({type(error).__name__})")


# --- damaged rows --------------------------------------------------------------------------------


def damaged_rows(connection: sqlite3.Connection) -> Iterator[tuple[str, tuple[Any, ...], str]]:
    """Table, key and what is wrong, of every row that is not what was written or cannot be decoded."""
    for table in ("users", *_DECODED):
        unlike = set(damage.wrong(connection, table))
        for key in sorted(unlike, key=str):
            yield table, key, "its checksum is wrong"
        if table in _DECODED:
            query, decode = _DECODED[table]
            keys = len(checksums.SUMMED[table].key)
            for row in connection.execute(query):
                if row[:keys] not in unlike and not _is_decoded(decode, row[keys:]):
                    yield table, row[:keys], "it cannot be decoded"


def _is_decoded(decode: Callable[..., object], values: Sequence[Any]) -> bool:
    try:
        decode(*values)
    except checksums.UNREADABLE:
        return False
    return True


_DECODED: Mapping[str, tuple[str, Callable[..., object]]] = {
    "traces": ("SELECT row, name, body, used, uses FROM traces", unpack_trace),
    "versions": (
        "SELECT v.row, v.since, t.name, v.body, NULL, 0 FROM versions v JOIN traces t ON t.row = v.row", unpack_trace,
    ),
    "receipts": ("SELECT id, body FROM receipts", unpack_receipt),
    "sessions": ("SELECT user, session, state FROM sessions", lambda state: dict(json.loads(state))),
    "jobs": (f"SELECT id, {JOB_COLUMNS} FROM jobs", lambda *job: unpack_job(job)),
}  # fmt: skip


def _damaged(connection: sqlite3.Connection) -> Iterator[Finding]:
    for table, key, why in damaged_rows(connection):
        yield Finding("damaged", f"{table} {_row_name(connection, table, key)}: {why}")
    for moved in quarantined(connection):
        message = f"{moved.source} {moved.key}"
        if moved.is_sealed:
            yield Finding("quarantined", f"{message}, at position {moved.position}: {moved.why}", repaired=True)
        else:
            yield Finding("quarantine", f"{message} is not what was moved there at position {moved.position}")


def _row_name(connection: sqlite3.Connection, table: str, key: tuple[Any, ...]) -> str:
    """What names a row to a person: a trace by its id, with how many of its versions are whole."""
    if table not in ("traces", "versions"):
        return " ".join(map(str, key))
    (id,) = connection.execute("SELECT id FROM traces WHERE row = ?", key[:1]).fetchone() or (b"",)
    if table == "versions":
        return f"{checksums.key_name(id)} of position {key[1]}"
    whole = connection.execute(
        f"SELECT count(*) FROM versions WHERE row = ? AND checksum = {damage.expression('versions')}", key
    ).fetchone()[0]
    return f"{checksums.key_name(id)}{f' ({whole} earlier versions are whole)' if whole else ''}"


def set_aside(connection: sqlite3.Connection, *, recorded: bool = True) -> list[int]:
    """Move every damaged row to the quarantine table, as far as it is not derived; gives the traces' rows."""
    damage.summing(connection)
    _fix_columns(connection, recorded=recorded)
    gaps = list(breaks(connection)) if recorded else []
    rows = {key[0]: why for table, key, why in damaged_rows(connection) if table == "traces"}
    if recorded:
        rows |= {row: "it is not what the ledger says" for row, _, is_now in uncommitted(connection) if is_now}
    else:
        rows |= {row: "its columns are damaged" for row, _ in _misplaced(connection)}
    for row, why in sorted(rows.items()):
        damage.set_trace_aside(connection, row, why, recorded=recorded)
    if not recorded:
        return sorted(rows)
    versions = {key: why for table, key, why in damaged_rows(connection) if table == "versions"}
    versions |= {(row, since): "it is not what the ledger says" for row, since, is_now in uncommitted(connection)}
    for (row, since), why in sorted(versions.items()):
        found = connection.execute(
            "SELECT t.id, f.user FROM traces t JOIN facets f ON f.id = t.facet WHERE t.row = ?", (row,)
        ).fetchone()
        if found:
            id = checksums.key_name(found[0])
            damage.set_aside(connection, "versions", "row = ? AND since = ?", (row, since), f"{id}@{since}", why,
                             user=found[1], subject=id)  # fmt: skip
    for table, key, why in list(damaged_rows(connection)):
        if table in ("receipts", "sessions", "jobs"):
            where = " AND ".join(f"{column} = ?" for column in checksums.SUMMED[table].key)
            user = connection.execute(f"SELECT user FROM {table} WHERE {where}", key).fetchone()
            owner = user[0] if user and isinstance(user[0], int) else None
            damage.set_aside(connection, table, where, key, str(key[-1]), why, user=owner)
    for broken in gaps:
        if broken.seal:
            damage.set_aside(connection, "events", "user = ? AND position = ?", (broken.user, broken.position),
                             broken.key, "it does not fit the one before it", next_seal=broken.seal)  # fmt: skip
    return sorted(rows)


# --- rebuilding ----------------------------------------------------------------------------------


def rebuild(connection: sqlite3.Connection) -> None:
    """Rebuild everything derived."""
    damage.summing(connection)
    _fix_spaces(connection)
    connection.execute("INSERT INTO postings (postings) VALUES ('delete-all')")
    connection.execute("DELETE FROM lexicon")
    # Caches in memory have to be read again.
    connection.execute("INSERT INTO meta VALUES ('rebuilt', '1') ON CONFLICT DO UPDATE SET value = value + 1")
    connection.execute("INSERT INTO tombs (code) SELECT seq FROM codes")
    connection.execute("DELETE FROM codes")
    for table in ("vectors", "versions", "accesses"):
        connection.execute(f"DELETE FROM {table} WHERE row NOT IN (SELECT row FROM traces)")
    connection.execute("UPDATE facets SET traces = 0, passages = 0, terms = 0")
    connection.execute("DELETE FROM speakers")
    connection.execute(f"INSERT INTO speakers {_SPEAKERS}")
    connection.execute("DELETE FROM sources")
    connection.executemany(ADD_SOURCE, sorted(_expected_sources(connection)))
    connection.executemany(
        "UPDATE traces SET slot = ? WHERE row = ?", [(slot, row) for row, slot, _ in _expected_slots(connection)]
    )
    for row, facet, user, said, indexed, thread, seq in _traces(connection):
        words = terms_said(said) if indexed else []
        if indexed:
            connection.execute("INSERT INTO postings (rowid, terms) VALUES (?, ?)", (row, posting(facet, user, words)))
            connection.executemany(ADD_UNIT, units(row, facet, thread, seq, words))
        connection.execute(
            "UPDATE facets SET traces = traces + 1, passages = passages + ?, terms = terms + ? WHERE id = ?",
            (len(words), sum(map(len, words)), facet),
        )
    connection.execute(
        "UPDATE traces SET uses = (SELECT count(*) FROM accesses a WHERE a.row = traces.row),"
        " used = (SELECT max(at) FROM accesses a WHERE a.row = traces.row)"
    )
    for key, space, row, facet, code in list(_expected_codes(connection)):
        connection.execute(
            "INSERT INTO codes (space, key, row, facet, code) VALUES (?, ?, ?, ?, ?)", (space, key, row, facet, code)
        )
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('tokeniser', ?)", (TOKENIZER,))


def _traces(
    connection: sqlite3.Connection,
) -> Iterator[tuple[int, int, int, Mapping[str, Any], bool, int | None, int | None]]:
    """Row, facet, user, fields, whether searches look at it, thread and place; damaged ones left out."""
    rows = connection.execute(
        "SELECT t.row, t.facet, f.user, t.body, f.state, t.thread, t.seq, t.checksum"
        " FROM traces t JOIN facets f ON f.id = t.facet ORDER BY t.row"
    ).fetchall()
    for row, facet, user, body, state, thread, seq, checksum in rows:
        if (said := checksums.fields(body, checksum, facet)) is not None:
            yield row, facet, user, said, state in SEARCHABLE, thread, seq


def _fix_spaces(connection: sqlite3.Connection) -> None:
    """Take out damaged vectors: they are computed again from the texts, and a centre from the vectors."""
    for (id,) in damage.wrong(connection, "spaces"):
        known = connection.execute(
            "SELECT centred FROM spaces s WHERE id = ?"
            " AND key IN (SELECT subject FROM events e WHERE e.user = s.user AND kind = ?)",
            (id, EventKind.EMBEDDED.value),
        ).fetchone()
        if known is None:  # its name may be what is damaged, and nothing could be looked for in it
            connection.execute("DELETE FROM vectors WHERE space = ?", (id,))
            connection.execute("DELETE FROM spaces WHERE id = ?", (id,))
        else:
            _fix_centre(connection, id, known[0])
    for (key,) in damage.wrong(connection, "vectors"):
        # All passages of a text together: what lacks one of them would not be embedded again.
        connection.execute(
            "DELETE FROM vectors WHERE key = :key OR until IS NULL AND (space, row) ="
            " (SELECT space, row FROM vectors WHERE key = :key AND until IS NULL)",
            {"key": key},
        )
    calibrations.drop_damaged(connection)


def _fix_centre(connection: sqlite3.Connection, space: int, centred: int | None) -> None:
    rows = connection.execute(
        "SELECT vector FROM vectors WHERE space = ? AND until IS NULL AND checksum = " + damage.expression("vectors"),
        (space,),
    ).fetchall()
    dimension = len(rows[0][0]) // 4 if rows else 0
    connection.execute("UPDATE spaces SET dimension = ? WHERE id = ?", (dimension, space))
    if len(rows) > MANY and centred is not None:
        set_centre(connection, space, mean_of([row[0] for row in rows]), centred)
    else:
        connection.execute("UPDATE spaces SET centre = NULL, centred = NULL WHERE id = ?", (space,))
        connection.execute(f"UPDATE spaces SET checksum = {damage.expression('spaces')} WHERE id = ?", (space,))


def _file(connection: sqlite3.Connection) -> Iterator[Finding]:
    for (line,) in connection.execute("PRAGMA integrity_check(10)"):
        if line != "ok":
            yield Finding("file", line)


def _chain(connection: sqlite3.Connection) -> Iterator[Finding]:
    names = dict(connection.execute("SELECT id, name FROM users").fetchall())
    for broken in breaks(connection):
        whose = f" of {names[broken.chain]}" if broken.chain in names else ""
        yield Finding("chain", f"event {broken.position}{whose} {broken.why}")


def _commitments(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Every version must say what the ledger says it said. Damaged ones are reported already."""
    found = uncommitted(connection)
    if not found:
        return
    known = {key for table, key, _ in damaged_rows(connection) if table in ("traces", "versions")}
    for row, since, is_now in found:
        if ((row,) if is_now else (row, since)) not in known:
            (id,) = connection.execute("SELECT id FROM traces WHERE row = ?", (row,)).fetchone() or (b"",)
            yield Finding("commitment", f"{checksums.key_name(id)} is not what was written at position {since}")


def _misplaced(connection: sqlite3.Connection) -> Iterator[tuple[int, dict[str, Any]]]:
    """The row of every trace whose columns do not fit its body, and what they should be."""
    facets = {id: names for id, *names in connection.execute(f"SELECT id, user, {_FACET} FROM facets")}
    threads = {id: (user, session) for id, user, session in connection.execute("SELECT id, user, session FROM threads")}
    rows = connection.execute(
        "SELECT t.row, t.id, t.name, t.facet, t.created, t.thread, t.seq, t.body, t.checksum, e.subject"
        " FROM traces t LEFT JOIN facets f ON f.id = t.facet"
        " LEFT JOIN events e ON e.user = f.user AND e.position = t.since"
    )
    has_ledger = connection.execute("SELECT 1 FROM events").fetchone() is not None
    for row, id, name, facet, created, thread, seq, body, checksum, subject in rows:
        is_whole = checksums.fields(body, checksum, facet) is not None
        is_known = is_whole and (not has_ledger or subject == checksums.key_name(id))
        owner = None if is_known else damage.owner_by_ledger(connection, row)
        if not (is_whole or (owner is not None and owner.is_committed)):
            continue  # its body cannot be trusted either
        try:
            trace = unpack_trace(_name_of(json.loads(body)), body, None, 0)
        except checksums.UNREADABLE:
            continue
        user = owner.user if owner is not None else facets.get(facet, [None])[0]
        place = (user, trace.session) if isinstance(trace, Turn) else None
        is_placed = (threads.get(thread), seq) == (place, trace.seq if isinstance(trace, Turn) else None)
        names = [user, *map(str, (trace.scope, trace.lane, trace.kind, trace.trust, label_of(trace), trace.state))]
        columns = (id, name, created, facets.get(facet))
        if columns != (pack_id(trace.id), name_of(trace), pack_time(trace.created_at), names) or not is_placed:
            yield row, {"trace": trace, "user": user, "names": names, "place": place}


_FACET = "scope, lane, kind, trust, label, state"
_VERSION = slice(14, 15)
"""Where a UUID has its version: the ids of outcomes follow from their keys, and have 8 there (decision 0062)."""


def _name_of(said: Mapping[str, Any]) -> str:
    if str(said.get("id", ""))[_VERSION] == "8":
        return "outcome"
    return "turn" if "session" in said and "seq" in said else "chunk" if "path" in said else "memory"


def _columns(connection: sqlite3.Connection) -> Iterator[Finding]:
    wrong = sum(1 for _ in _misplaced(connection))
    if wrong:
        yield Finding("columns", f"{wrong} traces stand under another id, owner, place or sort than they say")


def _fix_columns(connection: sqlite3.Connection, *, recorded: bool) -> None:
    """Set the columns of a trace by its body, where the ledger says that the body is right."""
    for row, right in list(_misplaced(connection)) if recorded else ():
        trace, user, (_, *names) = right["trace"], right["user"], right["names"]
        facet = _interned(connection, "facets", ("user", *_FACET.split(", ")), (user, *names))
        thread = _interned(connection, "threads", ("user", "session"), right["place"]) if right["place"] else None
        connection.execute(
            "UPDATE OR IGNORE traces SET id = ?, name = ?, facet = ?, created = ?, thread = ?, seq = ?, checksum ="
            " checksum(CAST(body AS BLOB), ?) WHERE row = ?",
            (pack_id(trace.id), name_of(trace), facet, pack_time(trace.created_at), thread,
             trace.seq if isinstance(trace, Turn) else None, facet, row),
        )  # fmt: skip


def _interned(connection: sqlite3.Connection, table: str, columns: Sequence[str], values: Sequence[Any]) -> int:
    connection.execute(
        f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", values
    )
    where = " AND ".join(f"{column} = ?" for column in columns)
    found: int = connection.execute(f"SELECT id FROM {table} WHERE {where}", values).fetchone()[0]
    return found


def _index(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Postings are compared by the sum of the hashes of each trace's terms, which needs no second copy of them."""
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.posted USING fts5vocab(main, postings, instance)")
    posted: dict[int, int] = {}
    for term, row in connection.execute("SELECT term, doc FROM temp.posted"):
        posted[row] = posted.get(row, 0) + crc32(term.encode())
    stored: dict[int, list[tuple[Any, ...]]] = {}
    for unit in connection.execute("SELECT * FROM lexicon ORDER BY row, passage"):
        stored.setdefault(unit[0], []).append(unit)
    wrong_postings = wrong_terms = 0
    for row, facet, user, said, indexed, thread, seq in _traces(connection):
        words = terms_said(said) if indexed else []
        tokens = set(posting(facet, user, words).split()) if indexed else set()
        folded = (token.lower() if token.isascii() else _fold_ascii(token) for token in tokens)
        wrong_postings += posted.pop(row, 0) != sum(crc32(token.encode("utf-8", "surrogatepass")) for token in folded)
        wrong_terms += stored.pop(row, []) != units(row, facet, thread, seq, words)
    for (row,) in connection.execute("SELECT row FROM traces").fetchall() if posted or stored else ():
        posted.pop(row, None)  # of a damaged one, which is reported already
        stored.pop(row, None)
    if wrong_postings or posted:
        yield Finding("index", f"{wrong_postings + len(posted)} traces are not found by their words")
    if wrong_terms or stored:
        yield Finding("lexicon", f"{wrong_terms + len(stored)} traces have wrong term counts")


def _fold_ascii(token: str) -> str:
    return "".join(char.lower() if char.isascii() else char for char in token)


def _counters(connection: sqlite3.Connection) -> Iterator[Finding]:
    wrong = connection.execute(
        "SELECT count(*) FROM facets f WHERE traces <> (SELECT count(*) FROM traces t WHERE t.facet = f.id)"
        " OR (passages, terms) <> (SELECT count(*), coalesce(sum(length), 0) FROM lexicon l WHERE l.facet = f.id)"
    ).fetchone()[0]
    if wrong:
        yield Finding("counters", f"{wrong} counts of traces are wrong")


_SPEAKERS = (
    "SELECT facet, CASE WHEN json_valid(body) THEN json_extract(body, '$.speaker') END AS speaker, count(*) FROM traces"
    " WHERE thread IS NOT NULL AND speaker IS NOT NULL GROUP BY facet, speaker"
)


def _speakers(connection: sqlite3.Connection) -> Iterator[Finding]:
    said = set(connection.execute(_SPEAKERS))
    wrong = said ^ set(connection.execute("SELECT facet, name, turns FROM speakers"))
    if wrong:
        yield Finding("speakers", f"{len(wrong)} counts of who speaks are wrong")


def _slots(connection: sqlite3.Connection) -> Iterator[Finding]:
    wrong = sum(slot != known for _, slot, known in _expected_slots(connection))
    if wrong:
        yield Finding("slots", f"{wrong} memories are not found by what they are about")


def _expected_slots(connection: sqlite3.Connection) -> Iterator[tuple[int, str | None, str | None]]:
    """Row, the slot it should have, and the one it has."""
    rows = connection.execute(
        "SELECT row, json_extract(body, '$.subject'), json_extract(body, '$.attribute'), slot FROM traces"
        " WHERE name = 'memory' AND json_valid(body)"
        " AND (slot IS NOT NULL OR json_extract(body, '$.attribute') IS NOT NULL)"
    ).fetchall()
    for row, subject, attribute, slot in rows:
        yield row, slot_of(subject or "", attribute or ""), slot


def _sources(connection: sqlite3.Connection) -> Iterator[Finding]:
    wrong = _expected_sources(connection) ^ set(connection.execute("SELECT turn, row FROM sources"))
    if wrong:
        yield Finding("sources", f"{len(wrong)} links from turns to memories are wrong")


def _expected_sources(connection: sqlite3.Connection) -> set[tuple[bytes, int]]:
    rows = connection.execute(
        "SELECT s.value, t.row FROM traces t, json_each(CASE WHEN json_valid(t.body) THEN t.body ELSE '{}' END,"
        " '$.source_turns') s WHERE t.name = 'memory'"
    )
    return {(pack_id(turn), row) for turn, row in rows if is_id(str(turn))}


def _uses(connection: sqlite3.Connection) -> Iterator[Finding]:
    wrong = connection.execute(
        "SELECT count(*) FROM traces t WHERE uses IS NOT (SELECT count(*) FROM accesses a WHERE a.row = t.row)"
        " OR used IS NOT (SELECT max(at) FROM accesses a WHERE a.row = t.row)"
    ).fetchone()[0]
    if wrong:
        yield Finding("uses", f"{wrong} traces have a wrong count of uses")


def _vectors(connection: sqlite3.Connection) -> Iterator[Finding]:
    for (space,) in damage.wrong(connection, "spaces"):
        yield Finding("spaces", f"the embedding space {space} is not what was written")
    for (key,) in damage.wrong(connection, "vectors"):
        yield Finding("vectors", f"vectors {key}: its checksum is wrong")
    for space, since in calibrations.damaged(connection):
        yield Finding("spaces", f"the scale of the embedding space {space}, of position {since}, is damaged")
    misfits = connection.execute(
        "SELECT count(*) FROM vectors v JOIN spaces s ON s.id = v.space WHERE length(v.vector) <> 4 * s.dimension"
    ).fetchone()[0]
    if misfits:
        yield Finding("vectors", f"{misfits} vectors have the wrong dimension")
        return
    expected = {key: (space, row, facet, code) for key, space, row, facet, code in _expected_codes(connection)}
    stored = {key: tuple(rest) for key, *rest in connection.execute("SELECT key, space, row, facet, code FROM codes")}
    if expected != stored:
        wrong = len({key for key in {*expected, *stored} if expected.get(key) != stored.get(key)})
        yield Finding("codes", f"{wrong} codes do not fit their vectors")


def _expected_codes(connection: sqlite3.Connection) -> Iterator[tuple[int, int, int, int, bytes]]:
    """Key, space, row, facet and code of every vector that searches look at, in spaces that have a centre."""
    centres = {
        id: np.frombuffer(centre, dtype="<f4")
        for id, centre in connection.execute("SELECT id, centre FROM spaces WHERE centre IS NOT NULL")
    }
    rows = connection.execute(
        "SELECT v.key, v.space, v.row, t.facet, v.vector FROM vectors v JOIN traces t ON t.row = v.row"
        " JOIN facets f ON f.id = t.facet WHERE v.until IS NULL AND v.space IN (SELECT value FROM json_each(?))"
        " AND f.state IN (SELECT value FROM json_each(?)) ORDER BY v.key",
        (listed(centres), listed(sorted(SEARCHABLE))),
    )
    for key, space, row, facet, vector in rows:
        yield key, space, row, facet, sign_codes(np.frombuffer(vector, dtype="<f4"), centres[space]).tobytes()


def _orphans(connection: sqlite3.Connection) -> Iterator[Finding]:
    for table in ("vectors", "versions", "accesses", "lexicon", "codes"):
        left = connection.execute(f"SELECT count(*) FROM {table} WHERE row NOT IN (SELECT row FROM traces)").fetchone()[
            0
        ]
        if left:
            yield Finding("orphans", f"{left} rows of {table} belong to no trace")

"""Proving that the file is whole: the chain of events, and everything derived against what it derives from."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from zlib import crc32

import numpy as np

from cortex.domain.events import GENESIS, commit, seal
from cortex.domain.lanes import SEARCHABLE
from cortex.domain.memory import slot_of
from cortex.domain.passages import terms_said
from cortex.domain.terms import TOKENISER
from cortex.domain.vectors import sign_codes
from cortex.ports.store import Finding
from cortex.stores.sqlite.codec import listed, pack_id, unpack_id
from cortex.stores.sqlite.writer import ADD_SOURCE, ADD_UNIT, posting, units

REPAIRABLE = frozenset(
    {"index", "lexicon", "counters", "vectors", "codes", "orphans", "uses", "speakers", "slots", "sources"}
)
"""What can be mended by making it anew from the traces; the rest is truth, and is only reported."""


def tokeniser(connection: sqlite3.Connection) -> str:
    """Which tokeniser the index was made with."""
    found: str = connection.execute("SELECT value FROM meta WHERE key = 'tokeniser'").fetchone()[0]
    return found


Audit = Callable[[sqlite3.Connection], Iterator[Finding]]


def findings(connection: sqlite3.Connection, also: Sequence[Audit] = (), *, recorded: bool = True) -> Iterator[Finding]:
    """Everything that is out of order; the ledger is asked where changes are `recorded`."""
    ledger: tuple[Audit, ...] = (_chain, _commitments) if recorded else ()
    derived: tuple[Audit, ...] = (_index, _counters, _speakers, _slots, _sources, _uses, _vectors, _orphans)
    for check in (_file, *ledger, *derived, *also):
        yield from check(connection)


def rebuild(connection: sqlite3.Connection) -> None:
    """Make everything derived anew."""
    connection.execute("INSERT INTO postings (postings) VALUES ('delete-all')")
    connection.execute("DELETE FROM lexicon")
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
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('tokeniser', ?)", (TOKENISER,))


def _traces(
    connection: sqlite3.Connection,
) -> Iterator[tuple[int, int, int, Mapping[str, Any], bool, int | None, int | None]]:
    """Row, facet, user, fields, whether searches look at it, thread and place."""
    rows = connection.execute(
        "SELECT t.row, t.facet, f.user, t.body, f.state, t.thread, t.seq"
        " FROM traces t JOIN facets f ON f.id = t.facet ORDER BY t.row"
    ).fetchall()
    for row, facet, user, body, state, thread, seq in rows:
        yield row, facet, user, json.loads(body), state in SEARCHABLE, thread, seq


def _file(connection: sqlite3.Connection) -> Iterator[Finding]:
    for (line,) in connection.execute("PRAGMA integrity_check(10)"):
        if line != "ok":
            yield Finding("file", line)


def _chain(connection: sqlite3.Connection) -> Iterator[Finding]:
    previous, expected = GENESIS, 1
    for position, at, kind, subject, commitment, sealed in connection.execute(
        "SELECT position, at, kind, subject, commitment, seal FROM events ORDER BY position"
    ):
        if position != expected:
            yield Finding("chain", f"event {expected} is missing")
            return
        previous = seal(previous, position, str(at), kind, subject, commitment.hex())
        if previous != sealed.hex():
            yield Finding("chain", f"event {position} does not fit the one before it")
            return
        expected += 1


def _commitments(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Every version must say what the ledger says it said."""
    for id, since, salt, body, commitment in connection.execute(
        "SELECT t.id, t.since, t.salt, t.body, e.commitment FROM traces t LEFT JOIN events e ON e.position = t.since"
        " UNION ALL SELECT t.id, v.since, v.salt, v.body, e.commitment FROM versions v"
        " JOIN traces t ON t.row = v.row LEFT JOIN events e ON e.position = v.since"
    ):
        if commitment is None or commit(salt, body) != commitment.hex():
            yield Finding("commitment", f"{unpack_id(id)} is not what was written at position {since}")


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
    "SELECT facet, json_extract(body, '$.speaker') AS speaker, count(*) FROM traces"
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
        " WHERE name = 'memory' AND (slot IS NOT NULL OR json_extract(body, '$.attribute') IS NOT NULL)"
    ).fetchall()
    for row, subject, attribute, slot in rows:
        yield row, slot_of(subject or "", attribute or ""), slot


def _sources(connection: sqlite3.Connection) -> Iterator[Finding]:
    wrong = _expected_sources(connection) ^ set(connection.execute("SELECT turn, row FROM sources"))
    if wrong:
        yield Finding("sources", f"{len(wrong)} links from turns to memories are wrong")


def _expected_sources(connection: sqlite3.Connection) -> set[tuple[bytes, int]]:
    rows = connection.execute(
        "SELECT s.value, t.row FROM traces t, json_each(t.body, '$.source_turns') s WHERE t.name = 'memory'"
    )
    return {(pack_id(turn), row) for turn, row in rows}


def _uses(connection: sqlite3.Connection) -> Iterator[Finding]:
    wrong = connection.execute(
        "SELECT count(*) FROM traces t WHERE uses <> (SELECT count(*) FROM accesses a WHERE a.row = t.row)"
    ).fetchone()[0]
    if wrong:
        yield Finding("uses", f"{wrong} traces have a wrong count of uses")


def _vectors(connection: sqlite3.Connection) -> Iterator[Finding]:
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

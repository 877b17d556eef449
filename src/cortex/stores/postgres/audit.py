"""Proving that the tables are whole: the chain of events, and everything derived against what it derives from."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from cortex.domain.events import EventKind
from cortex.domain.identity import is_id
from cortex.domain.lanes import SEARCHABLE
from cortex.domain.memory import slot_of
from cortex.domain.passages import terms_said
from cortex.domain.terms import TOKENIZER
from cortex.domain.vectors import sign_codes
from cortex.ports.store import Finding
from cortex.stores.postgres import damage
from cortex.stores.postgres.codes import bury
from cortex.stores.postgres.connection import PgConnection
from cortex.stores.postgres.damage import rows_of
from cortex.stores.postgres.postings import post, terms_in
from cortex.stores.postgres.row_security import PARENTS, write_for
from cortex.stores.relational import calibrations, checksums
from cortex.stores.relational.changes import ADD_SOURCE, LEXICON, units
from cortex.stores.relational.code_index import MANY
from cortex.stores.relational.codec import JOB_COLUMNS, batched, pack_id, unpack_job, unpack_receipt, unpack_trace
from cortex.stores.relational.connection import insert_rows
from cortex.stores.relational.ledger import set_meta
from cortex.stores.relational.proof import breaks, quarantined, uncommitted
from cortex.stores.relational.vector_writer import mean_of, set_centre

REPAIRABLE = frozenset(
    {
        "index", "lexicon", "counters", "vectors", "spaces", "codes", "orphans", "uses", "speakers", "slots", "sources",
        "damaged", "commitment", "chain", "owners",
    }
)  # fmt: skip
"""What is worth trying to repair: what can be rebuilt from the traces, and what can be moved away."""

_BATCH = 200
"""How many traces are indexed with each statement."""

Audit = Callable[[PgConnection], Iterator[Finding]]


def tokenizer(connection: PgConnection) -> str:
    """Which tokenizer the index was built with."""
    found = connection.execute("SELECT value FROM meta WHERE key = 'tokeniser'").fetchone()
    return str(found[0]) if found else ""


def findings(connection: PgConnection, also: Sequence[Audit] = (), *, recorded: bool = True) -> Iterator[Finding]:
    """Everything that is wrong; the ledger is checked where changes are `recorded`."""
    ledger: dict[str, Audit] = {"chain": _chain, "commitment": _commitments} if recorded else {}
    everything: dict[str, Audit] = {
        "damaged": _damaged, "owners": _owners, **ledger, "index": _index, "counters": _counters,
        "speakers": _speakers, "slots": _slots, "sources": _sources, "uses": _uses, "vectors": _vectors,
        "orphans": _orphans,
    }  # fmt: skip
    for code, check in (*everything.items(), *(("files", check) for check in also)):
        try:
            yield from check(connection)
        except checksums.UNREADABLE as error:
            yield Finding(code, f"cannot be read ({type(error).__name__})")


# --- damaged rows --------------------------------------------------------------------------------


def damaged_rows(connection: PgConnection) -> Iterator[tuple[str, tuple[Any, ...], str]]:
    """Table, key and what is wrong, of every row that is not what was written or cannot be decoded."""
    for table in ("users", *_DECODED):
        unlike = set(damage.wrong(connection, table))
        for key in sorted(unlike, key=str):
            yield table, key, "its checksum is wrong"
        if table in _DECODED:
            query, decode = _DECODED[table]
            keys = len(checksums.SUMMED[table].key)
            for row in rows_of(connection, query):
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


def _damaged(connection: PgConnection) -> Iterator[Finding]:
    for table, key, why in damaged_rows(connection):
        yield Finding("damaged", f"{table} {_row_name(connection, table, key)}: {why}")
    for moved in quarantined(connection):
        message = f"{moved.source} {moved.key}"
        if moved.is_sealed:
            yield Finding("quarantined", f"{message}, at position {moved.position}: {moved.why}", repaired=True)
        else:
            yield Finding("quarantine", f"{message} is not what was moved there at position {moved.position}")


def _row_name(connection: PgConnection, table: str, key: tuple[Any, ...]) -> str:
    """What names a row to a person: a trace by its id."""
    if table not in ("traces", "versions"):
        return " ".join(map(str, key))
    (id,) = connection.execute("SELECT id FROM traces WHERE row = ?", key[:1]).fetchone() or (b"",)
    return f"{checksums.key_name(id)} of position {key[1]}" if table == "versions" else checksums.key_name(id)


def set_aside(connection: PgConnection, *, recorded: bool = True) -> list[int]:
    """Move every damaged row to the quarantine table, as far as it is not derived; gives the traces' rows."""
    gaps = list(breaks(connection)) if recorded else []
    rows = {key[0]: why for table, key, why in damaged_rows(connection) if table == "traces"}
    if recorded:
        rows |= {row: "it is not what the ledger says" for row, _, is_now in uncommitted(connection) if is_now}
    for row, why in sorted(rows.items()):
        damage.set_trace_aside(connection, row, why, recorded=recorded)
    if not recorded:
        return sorted(rows)
    versions = {key: why for table, key, why in damaged_rows(connection) if table == "versions"}
    versions |= {(row, since): "it is not what the ledger says" for row, since, _ in uncommitted(connection)}
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
            damage.set_aside(connection, table, where, key, str(key[-1]), why, user=user[0] if user else None)
    for broken in gaps:
        if broken.seal:
            damage.set_aside(connection, "events", "user = ? AND position = ?", (broken.user, broken.position),
                             broken.key, "it does not fit the one before it", next_seal=broken.seal)  # fmt: skip
    return sorted(rows)


def _owners(connection: PgConnection) -> Iterator[Finding]:
    """Whose a row is stands in it too: what says otherwise would be hidden from its user, or shown to another."""
    for table in PARENTS:
        wrong = connection.execute(f"SELECT count(*) FROM {_misplaced(table)}").fetchone()[0]
        if wrong:
            yield Finding("owners", f"{wrong} rows of {table} name another user than what they belong to")


def _misplaced(table: str) -> str:
    """The rows of a table that name another user than their parents do, with the right one."""
    key, column = PARENTS[table].key, PARENTS[table].column
    return (
        f"(SELECT o.ctid, p.user FROM {table} o JOIN {PARENTS[table].table} p ON p.{key} = o.{column}"
        " WHERE p.user <> o.user) m"
    )


def _chain(connection: PgConnection) -> Iterator[Finding]:
    names = dict(connection.execute("SELECT id, name FROM users").fetchall())
    for broken in breaks(connection):
        whose = f" of {names[broken.chain]}" if broken.chain in names else ""
        yield Finding("chain", f"event {broken.position}{whose} {broken.why}")


def _commitments(connection: PgConnection) -> Iterator[Finding]:
    """Every version must say what the ledger says it said. Damaged ones are reported already."""
    found = uncommitted(connection)
    if not found:
        return
    known = {key for table, key, _ in damaged_rows(connection) if table in ("traces", "versions")}
    for row, since, is_now in found:
        if ((row,) if is_now else (row, since)) not in known:
            (id,) = connection.execute("SELECT id FROM traces WHERE row = ?", (row,)).fetchone() or (b"",)
            yield Finding("commitment", f"{checksums.key_name(id)} is not what was written at position {since}")


# --- what is derived -----------------------------------------------------------------------------


class _Derived(NamedTuple):
    """A trace, and what follows from what it says."""

    row: int
    facet: int
    said: Mapping[str, Any]
    is_indexed: bool
    thread: int | None
    seq: int | None
    name: str
    slot: str | None
    """The one it has, which may be wrong."""

    @property
    def words(self) -> list[list[str]]:
        return [list(some) for some in terms_said(self.said)] if self.is_indexed else []

    @property
    def speaker(self) -> str | None:
        return self.said.get("speaker") or None if self.thread is not None else None

    @property
    def right_slot(self) -> str | None:
        attribute = self.said.get("attribute") if self.name == "memory" else None
        return slot_of(self.said.get("subject") or "", attribute) if attribute else None

    @property
    def sources(self) -> list[tuple[bytes, int]]:
        turns = self.said.get("source_turns") if self.name == "memory" else None
        return [(pack_id(turn), self.row) for turn in turns or () if is_id(str(turn))]


def _traces(connection: PgConnection, where: str = "TRUE", *values: object) -> Iterator[_Derived]:
    """Every trace that can be read, by row."""
    rows = rows_of(
        connection,
        "SELECT t.row, t.facet, t.body, f.state, t.thread, t.seq, t.checksum, t.name, t.slot"
        f" FROM traces t JOIN facets f ON f.id = t.facet WHERE {where} ORDER BY t.row",
        values,
    )
    for row, facet, body, state, thread, seq, checksum, name, slot in rows:
        if (said := checksums.fields(body, checksum, facet)) is not None:
            yield _Derived(row, facet, said, state in SEARCHABLE, thread, seq, name, slot)


def rebuild(connection: PgConnection) -> None:
    """Rebuild everything derived. Nobody else may write meanwhile."""
    for table in PARENTS:
        connection.execute(f"UPDATE {table} SET user = m.user FROM {_misplaced(table)} WHERE {table}.ctid = m.ctid")
    _fix_spaces(connection)
    for table in ("postings", "frequencies", "lexicon", "speakers", "sources"):
        connection.execute(f"DELETE FROM {table}")
    # Caches in memory have to be read again.
    known = connection.execute("SELECT value FROM meta WHERE key = 'rebuilt'").fetchone()
    set_meta(connection, "rebuilt", str(int(known[0]) + 1 if known else 1))
    bury(connection, "TRUE")
    for table in ("vectors", "versions", "accesses"):
        connection.execute(f"DELETE FROM {table} WHERE row NOT IN (SELECT row FROM traces)")
    connection.execute("UPDATE facets SET traces = 0, passages = 0, terms = 0")
    for (user,) in connection.execute("SELECT id FROM users ORDER BY id").fetchall():
        write_for(connection, user)
        _rebuild_index(connection, user)
    connection.execute(
        "UPDATE traces SET uses = coalesce(a.number, 0), used = a.last FROM traces t LEFT JOIN"
        " (SELECT row, count(*) AS number, max(at) AS last FROM accesses GROUP BY row) a ON a.row = t.row"
        " WHERE traces.row = t.row AND (traces.uses, traces.used) IS DISTINCT FROM (coalesce(a.number, 0), a.last)"
    )
    set_meta(connection, "tokeniser", TOKENIZER)


def _rebuild_index(connection: PgConnection, user: int) -> None:
    """Index the traces of a user, whose new rows are."""
    speakers: Counter[tuple[int, str]] = Counter()
    for some in batched(_traces(connection, "f.user = ?", user), _BATCH):
        _index_again(connection, some)
        speakers.update((each.facet, each.speaker) for each in some if each.speaker)
    counts = [(facet, name, turns) for (facet, name), turns in speakers.items()]
    insert_rows(connection, "speakers (facet, name, turns)", counts)
    spaces = connection.execute("SELECT id, centre FROM spaces WHERE user = ? AND centre IS NOT NULL", (user,))
    for space, centre in spaces.fetchall():
        connection.executemany(
            "INSERT INTO codes (space, key, row, facet, code) VALUES (?, ?, ?, ?, ?)",
            [(space, key, row, facet, code) for key, row, facet, code in _expected_codes(connection, space, centre)],
        )


def _index_again(connection: PgConnection, traces: Sequence[_Derived]) -> None:
    words = {each.row: each.words for each in traces}
    post(connection, [(each.row, each.facet, words[each.row]) for each in traces if each.is_indexed])
    terms = [unit for each in traces for unit in units(each.row, each.facet, each.thread, each.seq, words[each.row])]
    insert_rows(connection, LEXICON, terms)
    connection.executemany(
        "UPDATE facets SET traces = traces + 1, passages = passages + ?, terms = terms + ? WHERE id = ?",
        [(len(words[each.row]), sum(map(len, words[each.row])), each.facet) for each in traces],
    )
    connection.executemany(ADD_SOURCE, [source for each in traces for source in each.sources])
    wrong = [(each.right_slot, each.row) for each in traces if each.right_slot != each.slot]
    connection.executemany("UPDATE traces SET slot = ? WHERE row = ?", wrong)


def _fix_spaces(connection: PgConnection) -> None:
    """Take out damaged vectors: they are computed again from the texts, and a centre from the vectors."""
    damaged = set(damage.wrong(connection, "vectors"))
    for (id,) in damage.wrong(connection, "spaces"):
        known = connection.execute(
            "SELECT centred FROM spaces s WHERE id = ?"
            " AND key IN (SELECT subject FROM events e WHERE e.user = s.user AND kind = ?)",
            (id, EventKind.EMBEDDED.value),
        ).fetchone()
        if known is None:  # its name may be what is damaged, and nothing could be looked for in it
            connection.execute("DELETE FROM calibrations WHERE space = ?", (id,))
            connection.execute("DELETE FROM vectors WHERE space = ?", (id,))
            connection.execute("DELETE FROM spaces WHERE id = ?", (id,))
        else:
            _fix_centre(connection, id, known[0], damaged)
    for (key,) in sorted(damaged):
        # All passages of a text together: what lacks one of them would not be embedded again.
        connection.execute(
            "DELETE FROM vectors WHERE key = ? OR until IS NULL AND (space, row) ="
            " (SELECT space, row FROM vectors WHERE key = ? AND until IS NULL)",
            (key, key),
        )
    calibrations.drop_damaged(connection)


def _fix_centre(connection: PgConnection, space: int, centred: int | None, damaged: set[tuple[Any, ...]]) -> None:
    rows = connection.execute("SELECT key, vector FROM vectors WHERE space = ? AND until IS NULL", (space,)).fetchall()
    vectors = [vector for key, vector in rows if (key,) not in damaged]
    connection.execute(
        "UPDATE spaces SET dimension = ?, centre = NULL, centred = NULL WHERE id = ?",
        (len(vectors[0]) // 4 if vectors else 0, space),
    )
    if len(vectors) > MANY and centred is not None:
        set_centre(connection, space, mean_of(vectors), centred)
    else:
        about = connection.execute(
            f"SELECT {', '.join(checksums.SUMMED['spaces'].about)} FROM spaces WHERE id = ?", (space,)
        ).fetchone()
        connection.execute("UPDATE spaces SET checksum = ? WHERE id = ?", (checksums.checksum(None, *about), space))


def _index(connection: PgConnection) -> Iterator[Finding]:
    """Postings are compared by the sum of each trace's terms, which needs no second copy of them."""
    posted: dict[int, tuple[int, int]] = {
        row: (facet, int(total) % 2**64)
        for row, facet, total in rows_of(
            connection,
            "SELECT row, min(facet), sum(term)::text FROM postings GROUP BY row HAVING min(facet) = max(facet)",
        )
    }
    crowded = connection.execute(
        "SELECT count(*) FROM (SELECT row FROM postings GROUP BY row HAVING min(facet) <> max(facet)) c"
    ).fetchone()[0]
    stored: dict[int, list[tuple[Any, ...]]] = {}
    query = "SELECT row, passage, facet, thread, seq, length, terms FROM lexicon ORDER BY row, passage"
    for unit in rows_of(connection, query):
        stored.setdefault(unit[0], []).append(unit)
    wrong_postings, wrong_terms = crowded, 0
    expected: Counter[tuple[int, int]] = Counter()
    for each in _traces(connection):
        terms = terms_in(each.words)
        expected.update((term, each.facet) for term in terms)
        right = (each.facet, sum(terms) % 2**64) if terms else None
        wrong_postings += posted.pop(each.row, None) != right
        wrong_terms += stored.pop(each.row, []) != units(each.row, each.facet, each.thread, each.seq, each.words)
    left = {row for (row,) in rows_of(connection, "SELECT row FROM traces")} if posted or stored else set()
    wrong_postings += len(posted.keys() - left)  # a damaged trace is reported already
    wrong_terms += len(stored.keys() - left)
    if wrong_postings:
        yield Finding("index", f"{wrong_postings} traces are not found by their words")
    if wrong_terms:
        yield Finding("lexicon", f"{wrong_terms} traces have wrong term counts")
    rows = rows_of(connection, "SELECT term, facet, traces FROM frequencies WHERE traces <> 0")
    counted = {(term, facet): traces for term, facet, traces in rows}
    if not (left or counted == expected):
        yield Finding("index", f"{len(dict(counted.items() ^ expected.items()))} counts of terms are wrong")


def _counters(connection: PgConnection) -> Iterator[Finding]:
    wrong = connection.execute(
        "SELECT count(*) FROM facets f LEFT JOIN (SELECT facet, count(*) AS traces FROM traces GROUP BY facet) t"
        " ON t.facet = f.id LEFT JOIN (SELECT facet, count(*) AS passages, sum(length) AS terms FROM lexicon"
        " GROUP BY facet) l ON l.facet = f.id WHERE (f.traces, f.passages, f.terms) <>"
        " (coalesce(t.traces, 0), coalesce(l.passages, 0), coalesce(l.terms, 0))"
    ).fetchone()[0]
    if wrong:
        yield Finding("counters", f"{wrong} counts of traces are wrong")


def _speakers(connection: PgConnection) -> Iterator[Finding]:
    said = Counter((each.facet, each.speaker) for each in _traces(connection) if each.speaker)
    known = {
        (facet, name): turns for facet, name, turns in connection.execute("SELECT facet, name, turns FROM speakers")
    }
    if wrong := len(dict(said.items() ^ known.items())):
        yield Finding("speakers", f"{wrong} counts of who speaks are wrong")


def _slots(connection: PgConnection) -> Iterator[Finding]:
    if wrong := sum(each.right_slot != each.slot for each in _traces(connection)):
        yield Finding("slots", f"{wrong} memories are not found by what they are about")


def _sources(connection: PgConnection) -> Iterator[Finding]:
    right = {source for each in _traces(connection) for source in each.sources}
    if wrong := right ^ set(connection.execute("SELECT turn, row FROM sources")):
        yield Finding("sources", f"{len(wrong)} links from turns to memories are wrong")


def _uses(connection: PgConnection) -> Iterator[Finding]:
    wrong = connection.execute(
        "SELECT count(*) FROM traces t LEFT JOIN (SELECT row, count(*) AS number, max(at) AS last FROM accesses"
        " GROUP BY row) a ON a.row = t.row WHERE (t.uses, t.used) IS DISTINCT FROM (coalesce(a.number, 0), a.last)"
    ).fetchone()[0]
    if wrong:
        yield Finding("uses", f"{wrong} traces have a wrong count of uses")


def _vectors(connection: PgConnection) -> Iterator[Finding]:
    for (space,) in damage.wrong(connection, "spaces"):
        yield Finding("spaces", f"the embedding space {space} is not what was written")
    for (key,) in damage.wrong(connection, "vectors"):
        yield Finding("vectors", f"vectors {key}: its checksum is wrong")
    for space, since in calibrations.damaged(connection):
        yield Finding("spaces", f"the scale of the embedding space {space}, of position {since}, is damaged")
    misfits = connection.execute(
        "SELECT count(*) FROM vectors v JOIN spaces s ON s.id = v.space WHERE vector_dims(v.vector) <> s.dimension"
    ).fetchone()[0]
    if misfits:
        yield Finding("vectors", f"{misfits} vectors have the wrong dimension")
        return
    wrong = 0
    for space, centre in connection.execute("SELECT id, centre FROM spaces").fetchall():
        expected = {key: rest for key, *rest in _expected_codes(connection, space, centre)} if centre else {}
        codes = rows_of(connection, "SELECT key, row, facet, code FROM codes WHERE space = ?", (space,))
        stored = {key: rest for key, *rest in codes}
        wrong += sum(expected.get(key) != stored.get(key) for key in expected.keys() | stored.keys())
    if wrong:
        yield Finding("codes", f"{wrong} codes do not fit their vectors")


def _expected_codes(connection: PgConnection, space: int, centre: bytes) -> Iterator[tuple[int, int, int, bytes]]:
    """Key, row, facet and code of every vector of a space that searches look at."""
    middle = np.frombuffer(centre, dtype="<f4")
    rows = rows_of(
        connection,
        "SELECT v.key, v.row, t.facet, v.vector FROM vectors v JOIN traces t ON t.row = v.row"
        " JOIN facets f ON f.id = t.facet WHERE v.until IS NULL AND v.space = ? AND f.state = ANY (?) ORDER BY v.key",
        (space, sorted(map(str, SEARCHABLE))),
    )
    for key, row, facet, vector in rows:
        yield key, row, facet, sign_codes(np.frombuffer(vector, dtype="<f4"), middle).tobytes()


def _orphans(connection: PgConnection) -> Iterator[Finding]:
    for table in ("vectors", "versions", "accesses", "lexicon", "codes", "postings"):
        (left,) = connection.execute(
            f"SELECT count(*) FROM {table} o WHERE NOT EXISTS (SELECT 1 FROM traces t WHERE t.row = o.row)"
        ).fetchone()
        if left:
            yield Finding("orphans", f"{left} rows of {table} belong to no trace")

"""Posting lists as a table: which traces hold which terms, in which facets, and in how many of each."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from cortex.stores.postgres.connection import PgConnection, listed
from cortex.stores.postgres.row_security import OWNER
from cortex.stores.relational.keyword_search import Facets, Rows
from cortex.stores.relational.lexicon import UNIT_COLUMNS, Passage, Passages
from cortex.stores.relational.lexicon_cache import LexiconSnapshot
from cortex.stores.relational.writer import Words

_MOST_NUMBERS = 65_536
_MOST_PLACES = 65_536
_OWNER = f"(SELECT {OWNER})"
"""What the column has by default, which would be read anew for each row."""


class _Numbers(dict[str, int]):
    """The number of every term seen recently: 64 bits of a hash, which no two words of a language share."""

    def __missing__(self, term: str) -> int:
        if len(self) >= _MOST_NUMBERS:
            self.clear()
        digest = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        self[term] = number = int.from_bytes(digest, "big", signed=True)
        return number


_numbers = _Numbers()


def term_number(term: str) -> int:
    """What stands for a term in the tables: a number is found sooner than a text, and says nothing of it."""
    return _numbers[term]


def terms_in(words: Words) -> set[int]:
    """The numbers of the terms of a trace."""
    return set(map(_numbers.__getitem__, chain.from_iterable(words)))


def post(connection: PgConnection, postings: Iterable[tuple[int, int, Words]]) -> None:
    """Add traces: row, facet and terms of each."""
    held = [(term, facet, row) for row, facet, words in postings for term in sorted(terms_in(words))]
    if not held:
        return
    terms, facets, rows = zip(*held, strict=True)
    connection.executemany(
        "INSERT INTO postings (term, facet, row, user)"
        f" SELECT n.*, {_OWNER} FROM unnest(?::bigint[], ?::integer[], ?::bigint[]) n",
        [(listed(terms), listed(facets), listed(rows))],
    )
    counts = Counter(zip(terms, facets, strict=True))
    terms, facets = zip(*counts, strict=True)
    # The facets are one user's, whose writers take turns: nobody else counts the same terms.
    connection.executemany(
        "INSERT INTO frequencies (term, facet, traces, user)"
        f" SELECT n.*, {_OWNER} FROM unnest(?::bigint[], ?::integer[], ?::integer[]) n"
        " ON CONFLICT (term, facet) DO UPDATE SET traces = frequencies.traces + excluded.traces",
        [(listed(terms), listed(facets), listed(counts.values()))],
    )


def unpost(connection: PgConnection, row: int, facet: int, words: Words) -> None:
    """Take out a trace with these terms."""
    where = "row = ? AND facet = ? AND term = ANY (?::bigint[])"
    _unpost(connection, where, (row, facet, listed(terms_in(words))))


def unpost_unread(connection: PgConnection, row: int) -> None:
    """Take out a damaged trace, whose terms nobody knows any more: all postings are looked through."""
    _unpost(connection, "row = ?", (row,))


def _unpost(connection: PgConnection, where: str, values: Sequence[object]) -> None:
    connection.execute(
        f"WITH gone AS (DELETE FROM postings WHERE {where} RETURNING term, facet)"
        " UPDATE frequencies f SET traces = f.traces - 1 FROM gone g WHERE f.term = g.term AND f.facet = g.facet",
        values,
    )


class PgPostings:
    """What a keyword search of one user reads."""

    def __init__(self, connection: PgConnection, lexicon: LexiconSnapshot) -> None:
        self._db = connection
        self._lexicon = lexicon

    def posted(self, any_of: Sequence[str], facets: Facets, required: str | None = None, most: int = -1) -> Rows:
        values: list[object] = [listed(map(term_number, any_of)), listed(facets.ids)]
        also = ""
        if required is not None:
            also = (
                " AND EXISTS (SELECT 1 FROM postings r WHERE r.term = ? AND r.facet = p.facet AND r.user = p.user"
                " AND r.row = p.row)"
            )
            values.append(term_number(required))
        newest = (
            "SELECT DISTINCT p.row FROM postings p WHERE p.term = ANY (?::bigint[]) AND p.facet = ANY (?::integer[])"
            f"{also} ORDER BY p.row DESC"
        )
        if most >= 0:
            newest += " LIMIT ?"
            values.append(most)
        return numbers(self._db, f"SELECT string_agg(int8send(row), '' ORDER BY row) FROM ({newest}) n", values)

    def frequency(self, term: str, facets: Facets) -> int:
        found: int = self._db.execute(
            "SELECT coalesce(sum(traces), 0) FROM frequencies WHERE term = ? AND facet = ANY (?::integer[])",
            (term_number(term), listed(facets.ids)),
        ).fetchone()[0]
        return found

    def passages(self, rows: NDArray[np.int64]) -> Passages:
        return self._lexicon.passages(rows, self._units)

    def _units(self, rows: Sequence[int]) -> list[Passage]:
        return self._db.execute(
            f"SELECT {UNIT_COLUMNS} FROM lexicon l WHERE l.row = ANY (?::bigint[])", (listed(rows),)
        ).fetchall()

    def rows_at(self, places: Sequence[tuple[int, int]], facets: Facets) -> Rows:
        # As long as nothing changes, the searches in a scope look at the same places.
        known = facets.rows_at
        if missing := [place for place in places if place not in known]:
            if len(known) + len(missing) > _MOST_PLACES:
                known.clear()
                missing = list(places)
            found: dict[tuple[int, int], list[int]] = {place: [] for place in missing}
            for at, row in self._rows_at(missing, facets):
                found[missing[at - 1]].append(row)
            known.update(found)
        return np.array([row for place in places for row in known[place]], dtype=np.int64)

    def _rows_at(self, places: Sequence[tuple[int, int]], facets: Facets) -> list[list[int]]:
        """Which of the places, counted from 1, has which row."""
        threads, seqs = zip(*places, strict=True)
        found = numbers(
            self._db,
            "SELECT string_agg(int8send(p.number) || int8send(t.row), '')"
            " FROM unnest(?::integer[], ?::bigint[]) WITH ORDINALITY AS p (thread, seq, number)"
            " JOIN traces t ON t.thread = p.thread AND t.seq = p.seq AND t.facet = ANY (?::integer[])",
            [listed(threads), listed(seqs), listed(facets.ids)],
        )
        pairs: list[list[int]] = found.reshape(-1, 2).tolist()
        return pairs


def numbers(connection: PgConnection, query: str, values: Sequence[object]) -> NDArray[np.int64]:
    """The whole numbers that a query joined as bytes: a Python value for each costs as much as finding it."""
    joined: bytes | None = connection.execute(query, values).fetchone()[0]
    return np.frombuffer(joined or b"", dtype=">i8").astype(np.int64)

"""Posting lists of an FTS5 table: which traces hold which terms, and in which facets."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from cortex.domain.lanes import SEARCHABLE
from cortex.stores.relational.filters import one_of
from cortex.stores.relational.keyword_search import Facets, Rows
from cortex.stores.relational.lexicon import UNIT_COLUMNS, Passage, Passages
from cortex.stores.relational.lexicon_cache import LexiconSnapshot
from cortex.stores.sqlite.parameters import listed, numbers

_MANY_FACETS = 24

_HALF = 2**31
_PLACE_IN_NUMBER = ("(p.value >> 32)", "(p.value & 4294967295)")
_PLACE_IN_LIST = ("json_extract(p.value, '$[0]')", "json_extract(p.value, '$[1]')")
"""Thread and number of a turn, in a query of places `p`."""


def posting(facet: int, user: int, words: Sequence[Sequence[str]]) -> str:
    """What is indexed for one trace: its terms, its facet and its user."""
    return " ".join([_owner(facet, user), *chain.from_iterable(words)])


@lru_cache(maxsize=1_024)
def _owner(facet: int, user: int) -> str:
    return f"{_facet_token(facet)} {_user_token(user)}"


def _facet_token(facet: int) -> str:
    """The token of a facet; `=` never occurs in a term."""
    return f"=f{facet}"


def _user_token(user: int) -> str:
    return f"=u{user}"


class SqlitePostings:
    """What a keyword search of one user reads."""

    def __init__(self, connection: sqlite3.Connection, user: int, lexicon: LexiconSnapshot) -> None:
        self._db = connection
        self._user = user
        self._lexicon = lexicon
        self._known_others: dict[tuple[int, ...], frozenset[int]] = {}

    def posted(self, any_of: Sequence[str], facets: Facets, required: str | None = None, most: int = -1) -> Rows:
        match = self._match(any_of, facets, required)
        newest = "SELECT rowid AS row FROM postings WHERE postings MATCH :match ORDER BY rowid DESC LIMIT :most"
        if not self._has_tokens(facets):
            # The match has the user's token alone: the first passage of a trace says which facet it lies in.
            newest = (
                "SELECT p.rowid AS row FROM postings p JOIN lexicon f ON f.row = p.rowid AND f.passage = 0"
                " WHERE postings MATCH :match AND f.facet IN (SELECT value FROM json_each(:facets))"
                " ORDER BY p.rowid DESC LIMIT :most"
            )
        (rows,) = self._db.execute(
            f"SELECT group_concat(row) FROM ({newest})", {"match": match, "facets": listed(facets.ids), "most": most}
        ).fetchone()
        return np.sort(numbers(rows))

    def frequency(self, term: str, facets: Facets) -> int:
        if not self._has_tokens(facets):
            return len(self.posted([term], facets))
        match = self._match([term], facets)
        count: int = self._db.execute("SELECT count(*) FROM postings WHERE postings MATCH ?", (match,)).fetchone()[0]
        return count

    def passages(self, rows: NDArray[np.int64]) -> Passages:
        return self._lexicon.passages(rows, self._units)

    def _units(self, rows: Sequence[int]) -> list[Passage]:
        return self._db.execute(
            f"SELECT {UNIT_COLUMNS} FROM json_each(?) j CROSS JOIN lexicon l ON l.row = j.value", (listed(rows),)
        ).fetchall()

    def rows_at(self, places: Sequence[tuple[int, int]], facets: Facets) -> Rows:
        # As one number each where they are small enough: a list within a list has to be parsed again for every place.
        small = max(map(max, places)) < _HALF
        items = [(thread << 32) | seq for thread, seq in places] if small else places
        thread, seq = _PLACE_IN_NUMBER if small else _PLACE_IN_LIST
        rows = self._db.execute(
            "SELECT group_concat(b.row) FROM json_each(?) p"
            f" CROSS JOIN traces b ON b.thread = {thread} AND b.seq = {seq}"
            " WHERE +b.facet IN (SELECT value FROM json_each(?))",
            (listed(items), listed(facets.ids)),
        ).fetchone()
        return numbers(rows[0])

    def _match(self, any_of: Sequence[str], facets: Facets, required: str | None = None) -> str:
        groups: list[Sequence[str]] = []
        others = self._others(facets)
        few, few_others = len(facets.ids) <= _MANY_FACETS, len(others) <= _MANY_FACETS
        if others and not few_others:
            groups.append([_facet_token(id) for id in facets.ids] if few else [_user_token(self._user)])
        if required is not None:
            groups.append([required])
        groups.append(any_of)
        match = " AND ".join(_any_of(group) for group in groups)
        # Where nearly everything is searched, it is quicker to leave out the rest.
        rest = _any_of([_facet_token(id) for id in sorted(others)]) if others and few_others else ""
        return f"({match}) NOT {rest}" if rest else match

    def _has_tokens(self, facets: Facets) -> bool:
        """Whether a match can name these facets by their tokens: they are few, or the others are."""
        return min(len(facets.ids), len(self._others(facets))) <= _MANY_FACETS

    def _others(self, facets: Facets) -> frozenset[int]:
        """The facets that have postings and are not among these, of whomever; of very many, some."""
        wanted = tuple(facets.ids)
        if wanted not in self._known_others:
            states = sorted(SEARCHABLE)
            rows = self._db.execute(
                f"SELECT id FROM facets WHERE traces > 0 AND {one_of('state', states)}"
                " AND id NOT IN (SELECT value FROM json_each(?)) LIMIT ?",
                (*states, listed(wanted), _MANY_FACETS + 1),
            )
            self._known_others[wanted] = frozenset(row[0] for row in rows)
        return self._known_others[wanted]


def _any_of(tokens: Sequence[str]) -> str:
    """A match of any of the tokens. Each is quoted, so that nothing in it is an operator."""
    return "(" + " OR ".join(f'"{token}"' for token in tokens) + ")"

"""What is left of erased texts in the rows of a user."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TypeVar

from cortex.domain import erasure
from cortex.domain.erasure import ErasureMatch, Sought
from cortex.domain.identity import TraceId
from cortex.stores.relational.codec import pack_id
from cortex.stores.relational.connection import SqlConnection

OWNED = {
    "traces": "facet IN (SELECT id FROM facets WHERE user = ?)",
    "versions": "facet IN (SELECT id FROM facets WHERE user = ?)",
    "receipts": "user = ?",
    "sessions": "user = ?",
    "jobs": "user = ?",
    "quarantine": "user = ?",
}
"""The rows that belong to a user; the other tables hold numbers, names of lanes and hashes."""

Name = TypeVar("Name", bytes, str)


def owner_of(connection: SqlConnection, user: str) -> int:
    """The number of a user; -1 where there is no such user."""
    found = connection.execute("SELECT id FROM users WHERE name = ?", (user,)).fetchone()
    return int(found[0]) if found else -1


def texts_of(connection: SqlConnection, user: str, ids: Sequence[TraceId]) -> list[str]:
    """All that these traces of `user` say here, in any version."""
    said: dict[str, None] = {}
    for id in ids:
        bodies = connection.execute(
            "SELECT t.body FROM traces t JOIN facets f ON f.id = t.facet JOIN users u ON u.id = f.user"
            " WHERE t.id = ? AND u.name = ? UNION ALL"
            " SELECT v.body FROM traces t JOIN versions v ON v.row = t.row JOIN facets f ON f.id = v.facet"
            " JOIN users u ON u.id = f.user WHERE t.id = ? AND u.name = ?",
            (pack_id(id), user) * 2,
        )
        for (body,) in bodies:
            said |= dict.fromkeys(erasure.texts_in(body))
    return list(said)


def find_mentions(connection: SqlConnection, user: str, ids: Collection[TraceId], sought: Sought) -> list[str]:
    """The queries of receipts and jobs of `user` that name one of `ids` or say what is sought."""
    gone, known = frozenset(ids), (owner_of(connection, user),)
    receipts = connection.execute("SELECT body, query FROM receipts WHERE user = ? AND query IS NOT NULL", known)
    found = [query for body, query in receipts if erasure.names(body, gone) or sought.is_said([query])]
    for (payload,) in connection.execute("SELECT payload FROM jobs WHERE user = ?", known):
        texts = erasure.strings_in(payload)
        if erasure.names(payload, gone) or sought.is_said(texts):
            found += texts
    return list(dict.fromkeys(found))


def in_traces(connection: SqlConnection, owner: int, sought: Sought) -> dict[bytes, ErasureMatch]:
    """How nearly each trace of a user says what is sought, in any version."""
    return _likenesses(_trace_texts(connection, owner), sought)


def in_tables(connection: SqlConnection, owner: int, sought: Sought) -> dict[str, ErasureMatch]:
    """How nearly the other rows of a user say it, by table."""
    return _likenesses(_other_texts(connection, owner), sought)


def _trace_texts(connection: SqlConnection, owner: int) -> Iterator[tuple[bytes, list[str]]]:
    """Every trace of a user, with all it says in one version."""
    rows = connection.execute(
        "SELECT t.id, t.body FROM traces t JOIN facets f ON f.id = t.facet WHERE f.user = ? UNION ALL"
        " SELECT t.id, v.body FROM versions v JOIN traces t ON t.row = v.row JOIN facets f ON f.id = v.facet"
        " WHERE f.user = ?",
        (owner, owner),
    )
    return ((id, erasure.strings_in(body)) for id, body in rows)


def _other_texts(connection: SqlConnection, owner: int) -> Iterator[tuple[str, list[str]]]:
    """What else is kept of a user as text, with the name of its table."""
    known = (owner,)
    for (query,) in connection.execute("SELECT query FROM receipts WHERE user = ? AND query IS NOT NULL", known):
        yield "receipts", [query]
    for (state,) in connection.execute("SELECT state FROM sessions WHERE user = ?", known):
        yield "sessions", erasure.strings_in(state)
    for (payload,) in connection.execute("SELECT payload FROM jobs WHERE user = ?", known):
        yield "jobs", erasure.strings_in(payload)


def _likenesses(rows: Iterable[tuple[Name, list[str]]], sought: Sought) -> dict[Name, ErasureMatch]:
    found: dict[Name, ErasureMatch] = {}
    for name, texts in rows:
        found[name] = max(found.get(name, ErasureMatch.NONE), sought.likeness(texts))
    return found

"""Row-level security: a transaction sees and writes the rows of one user, whatever our SQL asks for (decision 0056).

The user is a setting of the transaction, sent with its beginning. Without one, nothing of anybody is seen. New rows
belong to that user unless a statement says otherwise, and rows of others are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple, Protocol

from psycopg import sql

from cortex.stores.relational.connection import SqlConnection


class Everyone(Enum):
    """In the place of a user's name: all of them."""

    EVERYONE = "everyone"


EVERYONE: Final = Everyone.EVERYONE
"""For what rightly works over all users: who they are, proof and repair, a new tokenizer, counters in `describe`, the
feed and the indexes of vectors, a load (which gives one user's rows to another), and the erasures of all."""

User = str | Everyone | None
"""Whose rows a transaction is about; nobody's by default."""


class Entry(NamedTuple):
    """What a transaction begins with to be a user's."""

    settings: tuple[tuple[str, str], ...] = ()
    lookup: str = ""
    """A statement that sets the user's number."""


@lru_cache(maxsize=1_024)
def in_sql(entry: Entry) -> str:
    """The same as statements that are sent at once."""
    settings = (f"SET LOCAL {name} = {sql.Literal(value).as_string(None)}; " for name, value in entry.settings)
    return "".join(settings) + (entry.lookup and f"{entry.lookup}; ")


class Enter(Protocol):
    """Gives what a transaction begins with to be a user's."""

    def __call__(self, user: User, *, enters: bool = False) -> Entry: ...


OWNER = "nullif(current_setting('cortex.user_id', true), '')::integer"
"""The number of the transaction's user in SQL, and so whose a new row is."""

_NUMBERS = "string_to_array(nullif(current_setting('cortex.user_id', true), ''), ',')"
_NAME = "nullif(current_setting('cortex.user_name', true), '')"
_EVERYONE = "current_setting('cortex.everyone', true) = 'on'"

NOBODYS = ("meta", "documents")
"""The tables that hold nothing of a user."""

_BY_NAME = {"users": "name", "erasure_log": '"user"'}


class Parent(NamedTuple):
    """What says whose a row is: the row of another table that it belongs to."""

    table: str
    key: str
    column: str


_FACET, _SPACE = Parent("facets", "id", "facet"), Parent("spaces", "id", "space")
_TRACE = Parent("traces", "row", "row")

PARENTS: Mapping[str, Parent] = {
    "traces": _FACET, "versions": _FACET, "speakers": _FACET, "postings": _FACET, "frequencies": _FACET,
    "lexicon": _FACET, "codes": _FACET, "vectors": _SPACE, "tombs": _SPACE, "calibrations": _SPACE,
    "accesses": _TRACE, "sources": _TRACE,
}  # fmt: skip
"""Where a user is repeated, so that no policy has to look it up."""


def policy(table: str) -> str:
    """The statements that put the wall around a table; its owner is held to it too."""
    column, setting = (_BY_NAME[table], _NAME) if table in _BY_NAME else ('"user"', OWNER)
    # In a subselect, so that the settings are read once for a statement and not for each row.
    return _walled(table, f"{column} = (SELECT {setting})")


def policy_of_files(table: str) -> str:
    """The same in a schema of files, where a user has a number in each index."""
    if table == "users":
        condition = f"substr(name, strpos(name, ' ') + 1) = (SELECT {_NAME})"
    elif table == "indexes":
        condition = f"owner = (SELECT {_NAME})"
    elif table in _BY_NAME:
        return policy(table)
    else:
        condition = f'"user" = ANY ((SELECT {_NUMBERS})::integer[])'
    return _walled(table, condition)


def _walled(table: str, condition: str) -> str:
    return (
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;\n"
        f"DROP POLICY IF EXISTS one_user ON {table};\n"
        f"CREATE POLICY one_user ON {table} USING ((SELECT {_EVERYONE}) OR {condition});\n"
    )


ENTER = "set_config('cortex.user_id', u.id::text, true)"
"""In a statement that finds the user's own row `u`: the transaction is that user's from here on."""


_LOOKUP = f"SELECT {ENTER} FROM users u WHERE u.name = {_NAME}"
_LOOKUP_FILES = "SELECT set_config('cortex.user_id', string_agg(id::text, ','), true) FROM users"


def begin(user: User, *, enters: bool = False) -> Entry:
    """What a transaction begins with to be a user's; `enters` says that its first statement is going to `ENTER`."""
    if user is None:
        return Entry()
    if user is EVERYONE:
        return Entry((("cortex.everyone", "on"),))
    return Entry((("cortex.user_name", user),), "" if enters else _LOOKUP)


def begin_files(user: User, *, enters: bool = False) -> Entry:
    """The same in a schema of files: of a user in all indexes, or in the one that it is going to enter."""
    if enters or not isinstance(user, str):
        return begin(user, enters=enters)
    return begin(user)._replace(lookup=_LOOKUP_FILES)


def write_for(connection: SqlConnection, owner: int) -> None:
    """Have new rows belong to the user of this number."""
    connection.execute("SELECT set_config('cortex.user_id', ?, true)", (str(owner),))

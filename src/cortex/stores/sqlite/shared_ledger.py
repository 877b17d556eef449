"""Files in which all users of an agent shared one ledger and its embedding spaces: each user gets its own.

The events of then keep their positions and their seals. Each user's own chain begins where the shared one ended.
"""

from __future__ import annotations

import sqlite3
from functools import partial
from itertools import count

from cortex.stores.relational import calibrations
from cortex.stores.relational.ledger import own_position
from cortex.stores.sqlite import damage

FIRST_VERSION_WITHOUT = 5
"""Of the schema."""

CHAINS = (
    "SELECT DISTINCT e.user AS user, last.position AS position, CAST(last.seal AS BLOB) AS seal FROM main.events e,"
    " (SELECT position, seal FROM main.events ORDER BY position DESC LIMIT 1) last"
)
"""Where the own chain of each user begins."""

END = "SELECT 'shared_chain' AS key, position || ' ' || lower(hex(seal)) AS value FROM chains LIMIT 1"
"""Where the shared chain ended, as `meta` has it."""

_WRONG = -1
"""A checksum that no row has: what was damaged stays so."""

_SPACES = (
    "SELECT {id} AS id, {user} AS user, key, dimension, centre, {centred} AS centred,"
    " CASE WHEN checksum IS NULL THEN NULL"
    "  WHEN checksum = checksum(CAST(centre AS BLOB), CAST(key AS BLOB), CAST(dimension AS BLOB))"
    "  THEN checksum(CAST(centre AS BLOB), CAST({user} AS BLOB), CAST(key AS BLOB), CAST(dimension AS BLOB))"
    f"  ELSE {_WRONG} END AS checksum FROM main.spaces"
)

_OWN_SPACES = """
CREATE TABLE own_spaces (
  id INTEGER PRIMARY KEY,
  user INTEGER NOT NULL REFERENCES users (id),
  key TEXT NOT NULL,
  dimension INTEGER NOT NULL,
  centre BLOB,
  centred INTEGER,
  checksum INTEGER,
  UNIQUE (user, key)
)
"""

_OWN = "row IN (SELECT t.row FROM facets f CROSS JOIN traces t ON t.facet = f.id WHERE f.user = :user)"


def present(connection: sqlite3.Connection) -> None:
    """Let such a file be read as one of today without touching it: views hide its tables."""
    spaces = _SPACES.format(id="id", user=0, centred="centred")
    for statement in (
        f"CREATE TEMP TABLE chains AS SELECT *, 0 AS loaded FROM ({CHAINS})",
        "CREATE TEMP VIEW events AS SELECT *, '' AS actor, '' AS cause FROM main.events",
        f"CREATE TEMP VIEW meta AS SELECT * FROM main.meta UNION ALL SELECT * FROM ({END})",
        f"CREATE TEMP VIEW spaces AS {spaces}",
    ):
        connection.execute(statement)


def divide_spaces(connection: sqlite3.Connection) -> None:
    """Give every user a copy of each space: its centre, its scales, and the vectors of the user's own traces."""
    damage.summing(connection)
    connection.execute(_OWN_SPACES)
    users = [user for (user,) in connection.execute("SELECT id FROM users ORDER BY id").fetchall()]
    numbers = count(connection.execute("SELECT coalesce(max(id), 0) FROM spaces").fetchone()[0] + 1)
    for (space,) in connection.execute("SELECT id FROM spaces ORDER BY id").fetchall():
        # The user with most of the vectors keeps the number, so that few rows are written.
        for place, user in enumerate(sorted(users, key=partial(_size, connection, space), reverse=True)):
            _copy(connection, space, next(numbers) if place else space, user)
    connection.execute("DROP TABLE spaces")
    connection.execute("ALTER TABLE own_spaces RENAME TO spaces")


def _size(connection: sqlite3.Connection, space: int, user: int) -> int:
    query = f"SELECT count(*) FROM vectors WHERE space = :space AND {_OWN}"
    size: int = connection.execute(query, {"space": space, "user": user}).fetchone()[0]
    return size


def _copy(connection: sqlite3.Connection, space: int, number: int, user: int) -> None:
    # A centre that came after all that this user did holds from the user's next event on, as it did before.
    following = own_position(connection, user) + 1
    values = {"space": space, "number": number, "user": user, "next": following}
    copied = _SPACES.format(id=":number", user=":user", centred="min(centred, :next)")
    connection.execute(f"INSERT INTO own_spaces {copied} WHERE id = :space", values)
    if number == space:
        return
    old = damage.expression("vectors")
    connection.execute(
        "UPDATE vectors SET space = :number, checksum = CASE WHEN checksum IS NULL THEN NULL"
        f" WHEN checksum = {old} THEN {old.replace('CAST(space', 'CAST(:number')} ELSE {_WRONG} END"
        f" WHERE space = :space AND {_OWN}",
        values,
    )
    connection.execute(f"UPDATE codes SET space = :number WHERE space = :space AND {_OWN}", values)
    calibrations.copy(connection, space, number)

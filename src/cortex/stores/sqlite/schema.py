"""The file: its tables, how an old one is brought up to date, and how a strange one is refused."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Mapping

from cortex.domain.terms import TOKENIZER
from cortex.errors import StoreForeign, StoreTooNew
from cortex.stores.relational import checksums
from cortex.stores.sqlite import damage, shared_ledger

log = logging.getLogger("cortex")

APPLICATION_ID = 0x43525458  # "CRTX"

# Truth: traces, versions, events (with users, facets and threads that they point to), accesses.
# Derived and rebuildable: postings, lexicon, codes, tombs, speakers, slots, sources, the counters of facets and traces.
_V1 = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

-- Everything a search filters by, interned: most filters become a short list of facet ids.
CREATE TABLE facets (
  id INTEGER PRIMARY KEY,
  user INTEGER NOT NULL REFERENCES users (id),
  scope TEXT NOT NULL,
  lane TEXT NOT NULL,
  kind TEXT NOT NULL,
  trust TEXT NOT NULL,
  label TEXT NOT NULL,
  state TEXT NOT NULL,
  traces INTEGER NOT NULL DEFAULT 0,
  passages INTEGER NOT NULL DEFAULT 0,
  terms INTEGER NOT NULL DEFAULT 0,
  UNIQUE (user, scope, lane, kind, trust, label, state)
);

CREATE TABLE threads (
  id INTEGER PRIMARY KEY, user INTEGER NOT NULL REFERENCES users (id), session TEXT NOT NULL, UNIQUE (user, session)
);

CREATE TABLE traces (
  row INTEGER PRIMARY KEY AUTOINCREMENT,
  id BLOB NOT NULL UNIQUE,
  name TEXT NOT NULL,
  facet INTEGER NOT NULL REFERENCES facets (id),
  since INTEGER NOT NULL,
  created INTEGER NOT NULL,
  thread INTEGER,
  seq INTEGER,
  slot TEXT,
  salt BLOB NOT NULL,
  body TEXT NOT NULL,
  used INTEGER,
  uses INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX traces_by_facet ON traces (facet, id);
CREATE INDEX traces_by_place ON traces (thread, seq) WHERE thread IS NOT NULL;
CREATE INDEX traces_by_slot ON traces (slot) WHERE slot IS NOT NULL;

-- Which memories were extracted from which turns; derived.
CREATE TABLE sources (turn BLOB NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (turn, row)) WITHOUT ROWID;
CREATE INDEX sources_by_row ON sources (row);

-- Who speaks in the turns of a facet, and in how many; derived.
CREATE TABLE speakers (
  facet INTEGER NOT NULL, name TEXT NOT NULL, turns INTEGER NOT NULL, PRIMARY KEY (facet, name)
) WITHOUT ROWID;

CREATE TABLE versions (
  row INTEGER NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  facet INTEGER NOT NULL,
  salt BLOB NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (row, since)
);

CREATE TABLE events (
  position INTEGER PRIMARY KEY,
  user INTEGER NOT NULL,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  commitment BLOB NOT NULL,
  seal BLOB NOT NULL
);

CREATE TABLE accesses (row INTEGER NOT NULL, position INTEGER NOT NULL, at INTEGER NOT NULL);
CREATE INDEX accesses_by_row ON accesses (row, position);

-- Posting lists only: no content, no positions. Terms come ready made from domain.terms.
CREATE VIRTUAL TABLE postings USING fts5 (
  terms, content='', columnsize=0, detail=none, tokenize="ascii tokenchars '_-./#@:+='"
);
-- What BM25 needs of each passage: its terms as packed hash and count, how many there are, and where a turn stands.
CREATE TABLE lexicon (
  row INTEGER NOT NULL,
  passage INTEGER NOT NULL,
  facet INTEGER NOT NULL,
  thread INTEGER,
  seq INTEGER,
  length INTEGER NOT NULL,
  terms BLOB NOT NULL,
  PRIMARY KEY (row, passage)
) WITHOUT ROWID;

CREATE TABLE spaces (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, dimension INTEGER NOT NULL, centre BLOB, centred INTEGER
);
CREATE TABLE vectors (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  space INTEGER NOT NULL REFERENCES spaces (id),
  row INTEGER NOT NULL,
  passage INTEGER NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER,
  vector BLOB NOT NULL
);
CREATE INDEX vectors_by_row ON vectors (row, space);
-- One bit a dimension, for the first pass over many vectors; facet copied here so that a mask is enough.
CREATE TABLE codes (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  space INTEGER NOT NULL,
  key INTEGER NOT NULL,
  row INTEGER NOT NULL,
  facet INTEGER NOT NULL,
  code BLOB NOT NULL
);
CREATE INDEX codes_by_row ON codes (row);
CREATE TABLE tombs (seq INTEGER PRIMARY KEY AUTOINCREMENT, code INTEGER NOT NULL);

CREATE TABLE receipts (
  id TEXT PRIMARY KEY, user INTEGER NOT NULL, at INTEGER NOT NULL, op TEXT NOT NULL, body TEXT NOT NULL, query TEXT
);
CREATE INDEX receipts_by_time ON receipts (user, at);

CREATE TABLE sessions (
  user INTEGER NOT NULL, session TEXT NOT NULL, state TEXT NOT NULL, PRIMARY KEY (user, session)
) WITHOUT ROWID;

CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  user INTEGER NOT NULL,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  due INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  claimed INTEGER,
  error TEXT NOT NULL,
  payload TEXT NOT NULL
);
CREATE UNIQUE INDEX jobs_waiting ON jobs (user, kind, key) WHERE state = 'waiting';
CREATE INDEX jobs_due ON jobs (state, due);
"""

# The ledger by user: where a user's own events end is read all the time. When a job was last written, by the clock of
# then: one that lies in the future shows that the clock was set back since; and jobs that have ended keep no query.
# Which erasures of the log beside the file were carried out in it. A checksum beside every body and vector, and where
# damaged rows are moved to (see damage.py).
_V2 = """
CREATE INDEX events_by_user ON events (user);
ALTER TABLE jobs ADD COLUMN written INTEGER NOT NULL DEFAULT 0;
UPDATE jobs SET payload = '{}' WHERE state IN ('done', 'failed');
CREATE TABLE erasures (id TEXT PRIMARY KEY) WITHOUT ROWID;
ALTER TABLE users ADD COLUMN checksum INTEGER;
ALTER TABLE traces ADD COLUMN checksum INTEGER;
ALTER TABLE versions ADD COLUMN checksum INTEGER;
ALTER TABLE receipts ADD COLUMN checksum INTEGER;
ALTER TABLE sessions ADD COLUMN checksum INTEGER;
ALTER TABLE jobs ADD COLUMN checksum INTEGER;
ALTER TABLE spaces ADD COLUMN checksum INTEGER;
ALTER TABLE vectors ADD COLUMN checksum INTEGER;
CREATE TABLE quarantine (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  key TEXT NOT NULL,
  user INTEGER,
  position INTEGER NOT NULL,
  why TEXT NOT NULL,
  seal TEXT NOT NULL,
  body BLOB,
  rest TEXT NOT NULL
);
"""

# The measured scales of embedding spaces, each from a position on (see calibrations.py).
_V3 = """
CREATE TABLE calibrations (
  space INTEGER NOT NULL, since INTEGER NOT NULL, body TEXT NOT NULL, checksum INTEGER NOT NULL,
  PRIMARY KEY (space, since)
) WITHOUT ROWID;
"""

CONTRADICTED = """instr(body, '"contradicts":[') > 0"""
"""Whether a trace has the field: one at its default is left out of the body, and quotes in a text are escaped."""

# `status` counts what contradicts something, which are few among many. An index has them, and SQLite keeps it in step.
_V4 = f"""
CREATE INDEX traces_contradicted ON traces (id) WHERE {CONTRADICTED};
"""

# Every user has a ledger and embedding spaces of its own (decision 0050). Events say who made a change, and in which
# operation. `chains` has where the chain of a user begins, if not at nothing, and how far the clock was behind its end.
# The events of a file in which all users shared one chain keep their positions, and each user's own begins at its end.
_V5 = f"""
CREATE TABLE chains (
  user INTEGER PRIMARY KEY, position INTEGER NOT NULL, seal BLOB NOT NULL, lag_ledger INTEGER, lag_clock INTEGER,
  loaded INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE loads (user INTEGER PRIMARY KEY, source TEXT NOT NULL, records INTEGER NOT NULL);
INSERT INTO chains (user, position, seal) {shared_ledger.CHAINS};
UPDATE chains SET
  lag_ledger = (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'lag'),
  lag_clock = (SELECT CAST(substr(value, instr(value, ' ')) AS INTEGER) FROM meta WHERE key = 'lag');
INSERT INTO meta {shared_ledger.END};
DELETE FROM meta WHERE key = 'lag';
ALTER TABLE events RENAME TO shared_events;
CREATE TABLE events (
  user INTEGER NOT NULL,
  position INTEGER NOT NULL,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  commitment BLOB NOT NULL,
  seal BLOB NOT NULL,
  actor TEXT NOT NULL,
  cause TEXT NOT NULL,
  PRIMARY KEY (user, position)
) WITHOUT ROWID;
INSERT INTO events SELECT user, position, at, kind, subject, commitment, seal, '', '' FROM shared_events
  ORDER BY user, position;
DROP TABLE shared_events;
"""

MIGRATIONS = (_V1, _V2, _V3, _V4, _V5)
VERSION = len(MIGRATIONS)
_STEPS: Mapping[int, Callable[[sqlite3.Connection], None]] = {5: shared_ledger.divide_spaces}
"""What a migration does after its statements."""


def prepare(connection: sqlite3.Connection, path: str) -> None:
    """Make a new file ours, bring an older one up to date, and refuse what is not for us to touch."""
    if _version(connection, path) < VERSION:
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Read again under the lock: another process may have been first.
            known = _version(connection, path)
            for version, migration in enumerate(MIGRATIONS[known:], known + 1):
                for statement in _statements(migration):
                    connection.execute(statement)
                if version in _STEPS:
                    _STEPS[version](connection)
            if known == 1:
                _fill_checksums(connection)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
            connection.execute("INSERT OR IGNORE INTO meta VALUES ('tokeniser', ?)", (TOKENIZER,))
            connection.execute("COMMIT")
        except BaseException:
            # On a full disk SQLite has done so itself; to ask for it again would hide why.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def _fill_checksums(connection: sqlite3.Connection) -> None:
    """Give the rows of an older file their checksums."""
    damage.summing(connection)
    for table in checksums.SUMMED:
        connection.execute("SAVEPOINT filling")
        try:
            connection.execute(f"UPDATE {table} SET checksum = {damage.expression(table)}")
        except sqlite3.DatabaseError as error:
            # A table that SQLite cannot read whole keeps its rows as they are: the rest can still be used.
            connection.execute("ROLLBACK TO filling")
            log.warning("rows of %s have no checksums: %s", table, error)
        connection.execute("RELEASE filling")


def refuse_strange(connection: sqlite3.Connection, path: str) -> None:
    """Refuse a file that is not for us to touch, before anything touches it."""
    _version(connection, path)


def _version(connection: sqlite3.Connection, path: str) -> int:
    ours = connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if not ours and (version or connection.execute("SELECT 1 FROM sqlite_master").fetchone()):
        raise StoreForeign(f"{path} is not a Cortex database", hint="choose another --home, or move the file away")
    if version > VERSION:
        raise StoreTooNew(
            f"{path} was written by a newer Cortex (schema {version}, this one knows {VERSION})",
            hint="upgrade Cortex, or choose another --home",
        )
    return version


def _statements(script: str) -> list[str]:
    statements, pending = [], ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    return statements

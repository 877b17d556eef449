"""Throughput of event ingestion beside raw SQLite inserts (S1): `python -m bench.events [--events N] [--batch N]`.

Cortex reads a file of lines in batches, as `cortex ledger ingest` does. Each baseline writes to a new file in WAL mode
with `synchronous = FULL`, one durable transaction for each batch, as the store does. The time is that from the first
line to the closed file: of the CPU, without the waits for the disk, and once more by the clock, with them on either
side. All take turns in rounds, so that a busy machine hits them alike, and a ratio is the median of the rounds.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from bench.corpus import Text
from bench.plain import PlainInserts
from cortex.capture.events import read_line
from cortex.capture.outcomes import outcome_of
from cortex.domain.events import commit, seal
from cortex.domain.identity import id_of_key
from cortex.domain.passages import terms_of, terms_said
from cortex.domain.trace import canonical
from cortex.memory import Cortex
from cortex.services.event_files import BATCH, EventFiles, batches
from cortex.stores.relational.changes import units
from cortex.stores.sqlite import schema
from cortex.stores.sqlite.postings import posting

GOAL = 0.3
FILE = Path("agents/main.sqlite")
FEW = 1_000
"""Events that are written one by one."""

Run = Callable[[Path, Callable[[], float]], float]
"""Writes events to a new file in a folder, and gives the time it took by a clock."""


def lines(number: int) -> list[bytes]:
    """Events of a coding agent's tools, as a host writes them."""
    return [
        json.dumps({
            "id": f"event-{at}",
            "at": f"2026-01-{1 + at // 86_400 % 28:02}T{at // 3_600 % 24:02}:{at // 60 % 60:02}:{at % 60:02}Z",
            "session": f"session-{at % 50}",
            "type": "tool_result",
            "text": f"pytest exited with status {at % 3} after {at % 977} ms in module {at % 211}",
            "tool": {"name": "bash", "call_id": f"call-{at}", "ok": at % 3 == 0, "ms": at % 977},
            "payload": {"command": "pytest -q", "exit": at % 3},
        }).encode()
        for at in range(number)
    ]  # fmt: skip


def ingested(given: Sequence[bytes], batch: int, folder: Path, clock: Callable[[], float]) -> float:
    """Ingest a file as the command does."""
    (folder / "events.jsonl").write_bytes(b"\n".join(given) + b"\n")
    memory = Cortex(folder / "home", settings={"embedding": {"provider": "none"}})
    memory.ingest_events([])  # opens the store
    began = clock()
    for some in batches(EventFiles(folder / "events.jsonl").read(is_last=True), batch):
        memory.ingest_events([line.content for line in some])
    memory.close()
    return clock() - began


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    yield
    connection.execute("COMMIT")


def opened(folder: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(folder / "raw.sqlite", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def raw(
    given: Sequence[bytes], batch: int, parsed: bool, indexed: bool, folder: Path, clock: Callable[[], float]
) -> float:
    """Insert the lines into a table with a unique key, and their texts into a full-text index if wanted."""
    connection = opened(folder)
    connection.execute("CREATE TABLE events (key TEXT PRIMARY KEY, at TEXT, session TEXT, body TEXT)")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5 (text)")
    began = clock()
    for start in range(0, len(given), batch):
        with transaction(connection):
            for number, line in enumerate(given[start : start + batch], start):
                found = json.loads(line) if parsed else {"id": str(number), "at": "", "session": "", "text": ""}
                row = (found["id"], found["at"], found["session"], line.decode())
                connection.execute("INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?)", row)
                if indexed:
                    connection.execute("INSERT INTO words VALUES (?)", (found["text"],))
    connection.close()
    return clock() - began


def raw_triggered(given: Sequence[bytes], batch: int, folder: Path, clock: Callable[[], float]) -> float:
    """Insert the lines into the table that bulk remembering is compared with, whose full text a trigger keeps."""
    plain = PlainInserts(folder / "raw.sqlite", trigger=True)
    began = clock()
    for start in range(0, len(given), batch):
        found = map(json.loads, given[start : start + batch])
        plain.add([Text(each["text"], each["session"]) for each in found], batch)
    plain.database.close()
    return clock() - began


class SameRows:
    """The rows of the events, as Cortex wrote them once, inserted into its tables."""

    def __init__(self, given: Sequence[bytes], batch: int) -> None:
        self._batch = batch
        with tempfile.TemporaryDirectory() as folder:
            ingested(given, batch, Path(folder), time.process_time)
            with closing(sqlite3.connect(Path(folder) / "home" / FILE)) as written:
                self._interned = {table: _rows(written, table) for table in ("users", "facets")}
                self._rows = {table: _rows(written, table) for table in ("events", "traces", "lexicon")}
                owned = "SELECT t.row, t.facet, f.user, t.body FROM traces t JOIN facets f ON f.id = t.facet"
                self._rows["postings (rowid, terms)"] = [
                    (row, posting(facet, user, terms_said(json.loads(body))))
                    for row, facet, user, body in written.execute(owned)
                ]

    def __call__(self, folder: Path, clock: Callable[[], float]) -> float:
        connection = opened(folder)
        schema.prepare(connection, "raw")
        for table, rows in self._interned.items():
            _insert(connection, table, rows)
        began = clock()
        for start in range(0, max(map(len, self._rows.values())), self._batch):
            with transaction(connection):
                for table, rows in self._rows.items():
                    _insert(connection, table, rows[start : start + self._batch])
        connection.close()
        return clock() - began


def _rows(connection: sqlite3.Connection, table: str) -> list[tuple[Any, ...]]:
    return connection.execute(f"SELECT * FROM {table}").fetchall()


def _insert(connection: sqlite3.Connection, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
    connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)


def rates(runs: Mapping[str, Run], number: int, rounds: int, clock: Callable[[], float]) -> dict[str, list[float]]:
    """Events a second of each in every round; all of them in each round, one after the other."""
    found: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            with tempfile.TemporaryDirectory() as folder:
                found[name].append(number / run(Path(folder), clock))
    return found


def compared(found: Mapping[str, Sequence[float]], unit: str) -> Iterator[str]:
    """The rate of each, and of the first beside every other."""
    (own, mine), *others = found.items()
    yield f"{own}: {statistics.median(mine):,.0f} {unit}"
    for name, theirs in others:
        ratios = sorted(each / its for each, its in zip(mine, theirs, strict=True))
        yield (
            f"raw, {name}: {statistics.median(theirs):,.0f} {unit};"
            f" ratio {statistics.median(ratios):.2f}, from {ratios[0]:.2f} to {ratios[-1]:.2f} (goal {GOAL})"
        )


def parts(given: Sequence[bytes]) -> dict[str, float]:
    """Microseconds of CPU for each event, of what is done outside of SQLite."""
    salt, now = b"0" * 16, datetime.now(UTC)
    found: dict[str, float] = {}

    def timed(name: str, run: Callable[[], list[Any]]) -> list[Any]:
        best, made = float("inf"), list[Any]()
        for _ in range(3):
            began = time.process_time()
            made = run()
            best = min(best, time.process_time() - began)
        found[name] = best / len(given) * 1e6
        return made

    read = timed("read and checked", lambda: [read_line(line) for line in given])
    ids = timed("key and id", lambda: [id_of_key(event.key("user", salt)) for event in read])
    built = timed(
        "redacted and built", lambda: [outcome_of(id, each, now, now) for id, each in zip(ids, read, strict=True)]
    )
    bodies = timed("canonical form", lambda: [canonical(outcome) for outcome in built])
    commitments = timed("commitment", lambda: [commit(salt, body) for body in bodies])
    timed(
        "seal",
        lambda: [seal("0" * 64, 1, "0", "observed", id, each) for id, each in zip(ids, commitments, strict=True)],
    )
    words = timed("terms", lambda: [terms_of(outcome) for outcome in built])
    timed("packed terms", lambda: [units(1, 1, None, None, some) for some in words])
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--events", type=int, default=20_000)
    arguments.add_argument("--batch", type=int, default=BATCH)
    arguments.add_argument("--rounds", type=int, default=5)
    given = arguments.parse_args()
    events, batch = lines(given.events), given.batch
    own = f"cortex ledger ingest, batches of {batch:,}"
    rates({own: partial(ingested, events[:batch], batch)}, batch, 1, time.process_time)  # imports and caches
    runs: dict[str, Run] = {
        own: partial(ingested, events, batch),
        "the rows that Cortex writes, into its tables, indexes and full text": SameRows(events, batch),
        "lines parsed, into a table and a full-text index that a trigger keeps": partial(raw_triggered, events, batch),
        "lines parsed, into one table and a full-text index": partial(raw, events, batch, True, True),
        "lines parsed, into one table, not searchable": partial(raw, events, batch, True, False),
        "lines as they are, into one table, not searchable": partial(raw, events, batch, False, False),
    }
    found = rates(runs, len(events), given.rounds, time.process_time)
    print(*compared(found, "events a second of CPU"), sep="\n")
    print(
        *compared(rates(runs, len(events), given.rounds, time.perf_counter), "events a second of the clock"), sep="\n"
    )
    few = events[:FEW]
    each: dict[str, Run] = {
        own: partial(ingested, few, batch),
        "lines parsed, one transaction for each, not searchable": partial(raw, few, 1, True, False),
    }
    print(*compared(rates(each, len(few), given.rounds, time.perf_counter), "events a second of the clock"), sep="\n")
    spent = parts(events)
    whole, outside = 1e6 / statistics.median(found[own]), sum(spent.values())
    named = ", ".join(f"{name} {microseconds:.1f}" for name, microseconds in spent.items())
    print(f"of {whole:.0f} µs an event, outside of SQLite {outside:.0f}: {named}")


if __name__ == "__main__":
    main()

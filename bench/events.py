"""Throughput of event ingestion beside raw SQLite inserts (S1): `python -m bench.events [--events N] [--batch N]`.

Each baseline inserts the same lines into a new file in WAL mode with `synchronous = FULL`, as the store does. CPU time
is measured, so that a busy machine changes little; waiting for the disk is not part of it, except in the first line.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cortex.capture.events import read_line
from cortex.capture.outcomes import outcome_of
from cortex.domain.events import commit, seal
from cortex.domain.identity import id_of_key
from cortex.domain.passages import terms_of
from cortex.domain.trace import canonical
from cortex.memory import Cortex
from cortex.stores.relational.changes import units

GOAL = 0.3


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


def raw(home: Path, given: Sequence[bytes], batch: int, *, parsed: bool, indexed: bool) -> None:
    """Insert the lines into a table with a unique key, and into a full-text index if wanted."""
    connection = sqlite3.connect(home / "raw.sqlite", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE events (key TEXT PRIMARY KEY, at TEXT, session TEXT, body TEXT)")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5 (text)")
    for start in range(0, len(given), batch):
        connection.execute("BEGIN IMMEDIATE")
        for number, line in enumerate(given[start : start + batch], start):
            found = json.loads(line) if parsed else {"id": str(number), "at": "", "session": "", "text": ""}
            row = (found["id"], found["at"], found["session"], line.decode())
            connection.execute("INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?)", row)
            if indexed:
                connection.execute("INSERT INTO words VALUES (?)", (found["text"],))
        connection.execute("COMMIT")
    connection.close()


def ingested(home: Path, given: Sequence[bytes], batch: int) -> None:
    with Cortex(home, settings={"embedding": {"provider": "none"}}) as memory:
        for start in range(0, len(given), batch):
            memory.ingest_events(given[start : start + batch])


def rate(run: Callable[[Path], None], number: int, clock: Callable[[], float]) -> float:
    """Events a second."""
    with tempfile.TemporaryDirectory() as folder:
        began = clock()
        run(Path(folder))
        return number / (clock() - began)


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
    built = timed("redacted and built", lambda: [outcome_of(id, each, now) for id, each in zip(ids, read, strict=True)])
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
    arguments.add_argument("--events", type=int, default=5_000)
    arguments.add_argument("--batch", type=int, default=1_000)
    given = arguments.parse_args()
    events, batch = lines(given.events), given.batch
    rate(lambda home: ingested(home, events[:batch], batch), batch, time.process_time)  # imports and caches
    own = rate(lambda home: ingested(home, events, batch), len(events), time.process_time)
    print(f"cortex ingest_events, batches of {batch:,}: {own:,.0f} events a second of CPU")
    few = events[: min(len(events), 1_000)]
    each = rate(lambda home: raw(home, few, 1, parsed=True, indexed=False), len(few), time.perf_counter)
    wall = rate(lambda home: ingested(home, events, batch), len(events), time.perf_counter)
    print(f"raw, one transaction an event: {each:,.0f} a second of wall clock; ratio {wall / each:.2f} (goal {GOAL})")
    for name, parsed, indexed in (
        ("raw, batches, parsed and searchable", True, True),
        ("raw, batches, parsed", True, False),
        ("raw, batches, the bare line", False, False),
    ):

        def run(home: Path, parsed: bool = parsed, indexed: bool = indexed) -> None:
            raw(home, events, batch, parsed=parsed, indexed=indexed)

        found = rate(run, len(events), time.process_time)
        print(f"{name}: {found:,.0f} a second of CPU; ratio {own / found:.2f} (goal {GOAL})")
    spent = parts(events)
    print(f"of {1e6 / own:.0f} µs an event, outside of SQLite {sum(spent.values()):.0f}:", end=" ")
    print(", ".join(f"{name} {microseconds:.1f}" for name, microseconds in spent.items()))


if __name__ == "__main__":
    main()

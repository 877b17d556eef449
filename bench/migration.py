"""A memory of 100,000 turns goes to PostgreSQL and back, killed ten times: `python -m bench.migration POSTGRESQL-URL`.

The database must be empty; what is written there stays. It fails unless the digests of every kind of record are the
same on all three sides, and every recall from before is replayed with the same answer from the memory that came back.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.stores import AT, Corpus
from cortex import wiring
from cortex.memory import Cortex
from cortex.ports.store import Embed
from cortex.services.migration import MigratedTenant
from cortex.surfaces.cli import output

KILLS_EACH_WAY = 5
RECALLS = 20
FORGOTTEN = 100
_KILLED = -signal.SIGKILL


def filled(home: Path, size: int) -> None:
    """A memory of turns with vectors, some of them forgotten, and receipts of recalls."""
    corpus = Corpus(size)
    with Cortex(home) as memory:
        context = memory.context
        space = context.dependencies.embedder.space
        with output.progress("writing a memory") as progress:
            for number, batch in enumerate(corpus.changes(), start=1):
                own = [Embed(each.id, space, each.vectors) if isinstance(each, Embed) else each for each in batch]
                context.store.apply(context.tenant, own, at=AT)
                progress(number, -(-size // 1_000), "thousand turns")
        for trace in memory.list(limit=FORGOTTEN):
            memory.forget(trace.id)
        for _ in range(RECALLS):
            memory.recall(corpus.text(8))


def migrate(home: Path, source: str, target: str, *, kill_at: int = 0) -> list[MigratedTenant]:
    """Carry everything; with `kill_at`, end this process by a signal once so many records were read to be written."""

    def deadly(done: int, total: int, label: str) -> None:  # noqa: ARG001
        if label == "writing" and done >= kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    if kill_at:
        return wiring.migrate(home, source=source, target=target, progress=deadly)
    with output.progress("migrating") as progress:
        return wiring.migrate(home, source=source, target=target, progress=progress)


def carried(home: Path, source: str, target: str, records: int) -> list[MigratedTenant]:
    """Carry everything in processes that are killed on the way, and then to the end."""
    for number in range(1, KILLS_EACH_WAY + 1):
        kill_at = records * number // (KILLS_EACH_WAY + 1)
        child = [sys.executable, "-m", "bench.migration", target, "--home", str(home), "--from", source]
        ended = subprocess.run([*child, "--kill-at", str(kill_at)], check=False).returncode
        if ended != _KILLED:
            raise SystemExit(f"the process that was to be killed at {kill_at:,} records ended with {ended}")
        output.plain(f"killed at {kill_at:,} of {records:,} records")
    began = time.monotonic()
    done = migrate(home, source, target)
    output.plain(f"went on to the end in {time.monotonic() - began:.0f} s")
    return done


def there_and_back(home: Path, url: str, size: int) -> list[str]:
    """What differs afterwards; nothing should."""
    filled(home, size)
    planned = wiring.migrate(home, source="sqlite:", target=url, dry_run=True)
    records = sum(each.records for each in planned)
    back = f"sqlite://{home}/back"
    there = carried(home, "sqlite:", url, records)
    again = carried(home, url, back, records)
    wrong = [
        f"digests of user {one.tenant.user}"
        for one, two, three in zip(planned, there, again, strict=True)
        if not one.digests == two.digests == three.digests
    ]
    with Cortex(home, settings={"store": {"url": back}}) as memory:
        recalls = [each.id for each in memory.receipts(limit=RECALLS, op="recall")]
        wrong += [] if len(recalls) == RECALLS else [f"{len(recalls)} of {RECALLS} receipts came back"]
        wrong += [f"replay of {id}" for id in recalls if not memory.replay(id).same]
        wrong += [f"verify: {each}" for each in memory.verify()]
    output.plain(f"{records:,} records there and back, killed {2 * KILLS_EACH_WAY} times")
    output.plain(f"{len(recalls)} recalls replayed; differences: {len(wrong)}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.migration", description=__doc__)
    parser.add_argument("url", help="an empty PostgreSQL database")
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--from", dest="source", help=argparse.SUPPRESS)
    parser.add_argument("--kill-at", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.kill_at:
        migrate(chosen.home, chosen.source, chosen.url, kill_at=chosen.kill_at)
        return 0
    with tempfile.TemporaryDirectory(prefix="cortex-migration-") as folder:
        wrong = there_and_back(Path(folder), chosen.url, chosen.size)
    print("\n".join(wrong), end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

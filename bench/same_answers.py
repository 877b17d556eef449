"""Whether other stores answer an evaluation set as SQLite does: `python -m bench.same_answers POSTGRESQL-URL SET…`.

Every set is run as `cortex eval` runs it: on SQLite, on PostgreSQL, and on SQLite with each engine for the vectors of
large tenants, which is then used from the first vector on; with `--hnsw` also on PostgreSQL with HNSW indexes.
PostgreSQL has to give the same records in the same order, with scores that differ by less than 1e-5. Engines and HNSW
may choose other candidates, so their recall@10 is printed. Each run on the server gets a database of its own, which is
dropped afterwards.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from cortex.evaluation.runner import run
from cortex.memory import Cortex
from cortex.surfaces.cli.output import progress

TOLERANCE = 1e-5
DATABASE = "cortex_same_answers"
RECALL = "recall@10"
_HNSW = "[store.postgresql]\nhnsw = true\n"
_ENGINE = '[nearest]\nurl = "{url}"\nfrom_vectors = 1\ntimeout_ms = 60000\n'


@dataclass(frozen=True, slots=True)
class Answers:
    """What a store answered to every question of a set."""

    lines: Sequence[dict[str, Any]]
    recall: float

    def differing(self, other: Answers) -> list[str]:
        """The questions that got other records, or the same in another order."""
        pairs = zip(self.lines, other.lines, strict=True)
        return [mine["qid"] for mine, its in pairs if any(mine.get(key) != its.get(key) for key in ("found", "cited"))]

    def distance(self, other: Answers) -> float:
        """The largest difference between two scores at the same place."""
        pairs = zip(self.lines, other.lines, strict=True)
        return max(
            (abs(a - b) for mine, its in pairs for a, b in zip(mine["scores"], its["scores"], strict=False)),
            default=0.0,
        )


def answers(directory: Path, cache: Path, *, store: str = "sqlite:", settings: str = "") -> Answers:
    """Run a set on a store, with these settings beside it."""
    with tempfile.TemporaryDirectory(prefix="cortex-same-answers-") as folder:
        home, details = Path(folder), Path(folder) / "answers.jsonl"
        (home / "cortex.toml").write_text(settings, encoding="utf-8")
        with progress(directory.name) as shown:
            report = run(
                directory, home=home, cache=cache, store=store, baselines=False, per_query=details, progress=shown,
                prepare=Cortex.optimize,  # it builds indexes
            )  # fmt: skip
        lines = [json.loads(line) for line in details.read_text(encoding="utf-8").splitlines()]
    return Answers(lines, float(report.cortex.overall[RECALL] or 0.0))


@contextmanager
def database(url: str) -> Iterator[str]:
    """An empty database on the server, and its URL."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {DATABASE}".encode())
        connection.execute(f"CREATE DATABASE {DATABASE}".encode())
        try:
            yield urlunsplit(urlsplit(url)._replace(path=f"/{DATABASE}"))
        finally:
            connection.execute(f"DROP DATABASE {DATABASE} WITH (FORCE)".encode())


def compare(
    directory: Path, url: str, engines: Sequence[str], cache: Path, *, hnsw: bool = False
) -> tuple[list[str], bool]:
    """The rows of a set, and whether PostgreSQL gave the same answers."""
    own = answers(directory, cache)

    def row(store: str, found: Answers) -> str:
        same = len(own.lines) - len(own.differing(found))
        compared = f"{same:,} of {len(own.lines):,} | {own.distance(found):.1e}"
        return f"| {directory.name} | {store} | {compared} | {found.recall:.4f} |"

    with database(url) as empty:
        its = answers(directory, cache, store=empty)
    rows = [row("SQLite", own), row("PostgreSQL", its)]
    if hnsw:
        with database(url) as empty:
            rows.append(row("PostgreSQL, HNSW", answers(directory, cache, store=empty, settings=_HNSW)))
    for engine in engines:
        with tempfile.TemporaryDirectory(prefix="cortex-nearest-") as folder:
            found = answers(directory, cache, settings=_ENGINE.format(url=engine.format(folder=folder)))
        rows.append(row(f"SQLite and {engine.partition(':')[0]}", found))
    return rows, not own.differing(its) and own.distance(its) < TOLERANCE


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.same_answers", description=__doc__)
    parser.add_argument("url", help="a PostgreSQL server, as a role that may create databases")
    parser.add_argument("sets", nargs="+", type=Path, help="evaluation sets")
    parser.add_argument("--cache", type=Path, default=Path("build/vectors"), help="where vectors are cached")
    parser.add_argument(
        "--nearest", action="append", default=[], metavar="URL", help="an engine, such as lancedb://{folder}"
    )
    parser.add_argument("--hnsw", action="store_true", help="also PostgreSQL with store.postgresql.hnsw")
    chosen = parser.parse_args()
    chosen.cache.mkdir(parents=True, exist_ok=True)
    rows, all_same = [], True
    for directory in chosen.sets:
        some, is_same = compare(directory, chosen.url, chosen.nearest, chosen.cache, hnsw=chosen.hnsw)
        rows += some
        all_same &= is_same
    print(f"| set | store | same records and order | largest difference of a score | {RECALL} |")
    print("\n".join(["| --- | --- | ---: | ---: | ---: |", *rows]))
    return 0 if all_same else 1


if __name__ == "__main__":
    sys.exit(main())

"""A memory with everything in it, and bytes of its files to flip."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

from cortex.domain.lanes import ANY_STATE
from cortex.domain.memory import Draft
from cortex.errors import StoreError
from cortex.memory import Cortex
from cortex.ports.store import Filter, Job, PutJob
from cortex.stores.relational.code_index import MANY
from cortex.testing import FakeClock, FakeEmbedder, FakeReranker

STORE = Path("agents") / "main.sqlite"
CACHE = Path("embeddings.sqlite")
LOGGED = tuple(f"Only the log says that number{n} moved" for n in range(12))
USER = "anna-of-the-harbour"
QUERY = "where does number7 live"

# What a flip must not change without a word: everything that is shown, compared or committed to.
CONTENT = {
    "traces": "SELECT id, name, facet, since, salt, body FROM traces ORDER BY row",
    "versions": "SELECT row, since, facet, salt, body FROM versions ORDER BY row, since",
    "receipts": "SELECT id, user, body, query FROM receipts ORDER BY id",
    "sessions": "SELECT user, session, state FROM sessions ORDER BY user, session",
    "jobs": "SELECT id, user, kind, key, payload FROM jobs ORDER BY id",
    "vectors": "SELECT key, space, row, passage, vector FROM vectors ORDER BY key",
    "codes": "SELECT key, space, row, facet, code FROM codes ORDER BY key",
    "spaces": "SELECT id, key, dimension, centre FROM spaces ORDER BY id",
    "lexicon": "SELECT * FROM lexicon ORDER BY row, passage",
    "users": "SELECT id, name FROM users ORDER BY id",
    "facets": "SELECT id, user, scope, lane, kind, trust, label, state FROM facets ORDER BY id",
    "events": "SELECT position, at, kind, subject, commitment, seal FROM events ORDER BY position",
}


def opened(home: Path, clock: FakeClock | None = None) -> Cortex:
    return Cortex(home, user=USER, embedder=FakeEmbedder(16), reranker=FakeReranker(), clock=clock or FakeClock())


def make(home: Path) -> Path:
    """A memory of everything, closed; and beside it one whose last writes are in the log alone."""
    clock = FakeClock()
    with opened(home, clock) as engine:
        engine.remember_all(Draft(text=f"The person number{n} lives in town{n % 97}") for n in range(MANY + 20))
        engine.capture([{"role": "user", "content": "I prefer trams over buses"}], session="s1")
        engine.ingest([{"role": "user", "content": "My cat is called Mimi"}], session="s2")
        changed = engine.list(limit=3)
        for memory in changed:
            engine.forget(memory.id)
        engine.restore(changed[0].id)
        for n in range(4):
            engine.recall(f"where does number{n} live")
        engine.flush()
        due = clock.now() + timedelta(days=1)
        jobs = [Job(id=f"job{n}", kind="later", key=f"k{n}", due=due, payload={"about": [n] * 9}) for n in range(9)]
        engine.context.store.apply(engine.tenant, [PutJob(job) for job in jobs], at=clock.now())
        engine.backup()
    crashed = home.with_name("crashed")
    with opened(home, clock) as engine:
        shutil.copytree(home, crashed)
        for n in range(len(LOGGED)):
            engine.remember(LOGGED[n])
        engine.flush()
        for suffix in ("", "-wal"):
            shutil.copyfile(f"{home / STORE}{suffix}", f"{crashed / STORE}{suffix}")
        Path(f"{crashed / STORE}-shm").unlink(missing_ok=True)
    return crashed


# --- where to flip -------------------------------------------------------------------------------

Place = Callable[[Path, random.Random], int]
"""Finds the offset of a byte in a file."""


def cells(table: str, column: str) -> Place:
    """A place within a value of a column."""

    def place(file: Path, chance: random.Random) -> int:
        with closing(sqlite3.connect(file)) as database:
            values = [
                value if isinstance(value, bytes) else value.encode()
                for (value,) in database.execute(f'SELECT "{column}" FROM "{table}" WHERE "{column}" IS NOT NULL')
            ]
        content = file.read_bytes()
        for value in chance.sample(values, len(values)):
            at = content.find(value[:2_000])
            if len(value) > 3 and at >= 0:
                return at + chance.randrange(min(len(value), 2_000))
        raise AssertionError(f"no value of {table}.{column} is in the file")

    return place


def pages(*kinds: int) -> Place:
    """A place within a page of one of these kinds of b-tree: 2 and 5 are interior, 10 and 13 are leaves."""

    def place(file: Path, chance: random.Random) -> int:
        content = file.read_bytes()
        size = int.from_bytes(content[16:18], "big")
        found = [page for page in range(1, len(content) // size) if content[page * size] in kinds]
        return chance.choice(found) * size + chance.randrange(size)

    return place


def span(first: int, last: int | None = None) -> Place:
    return lambda file, chance: chance.randrange(first, min(last or file.stat().st_size, file.stat().st_size))


def flip(file: Path, at: int, chance: random.Random) -> None:
    with file.open("r+b") as content:
        content.seek(at)
        (byte,) = content.read(1)
        content.seek(at)
        content.write(bytes([byte ^ (1 << chance.randrange(8))]))


# --- what is seen afterwards ---------------------------------------------------------------------


def content_of(file: Path) -> dict[str, list[tuple[Any, ...]]] | None:
    """What a file holds; None where SQLite cannot tell."""
    with closing(sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True)) as database:
        database.text_factory = bytes
        try:
            return {table: database.execute(query).fetchall() for table, query in CONTENT.items()}
        except sqlite3.DatabaseError:
            return None


def texts_of(home: Path) -> set[str]:
    with opened(home) as engine:
        return set(_shown(engine))


def _shown(engine: Cortex) -> Iterator[str]:
    yield from (hit.trace.text for hit in engine.recall(QUERY).hits)
    yield from (trace.text for trace in engine.list(Filter(states=ANY_STATE), limit=5_000))
    yield from (str(line["text"]) for line in engine.export(redact=False) if "text" in line)


def looks(home: Path) -> tuple[set[str], list[str], list[str]]:
    """Every text that is shown, what was not in order, and the errors on the way. Anything but a named error raises."""
    shown: set[str] = set()
    errors: list[str] = []
    findings: list[str] = []

    def attempt(look: Callable[[Cortex], Any]) -> None:
        try:
            look(engine)
        except StoreError as error:
            errors.append(error.code if error.hint else "no hint")

    with opened(home) as engine:
        attempt(lambda engine: shown.update(hit.trace.text for hit in engine.recall(QUERY).hits))
        attempt(lambda engine: shown.update(hit.trace.text for hit in engine.search(QUERY).hits))
        attempt(lambda engine: shown.update(each.text for each in engine.list(Filter(states=ANY_STATE), limit=5_000)))
        attempt(lambda engine: shown.update(str(each["text"]) for each in engine.export(redact=False)))
        attempt(lambda engine: engine.timeline(limit=50))
        attempt(lambda engine: engine.receipts())
        attempt(lambda engine: engine.status())
        attempt(lambda engine: findings.extend(each.code for each in engine.verify() if not each.repaired))
    return shown, findings, errors


def damaged(home: Path, where: Path, place: Place, seed: str, to: Path) -> Path:
    """A copy of a home with one bit of one of its files flipped."""
    shutil.copytree(home, to)
    chance = random.Random(seed)
    flip(to / where, place(to / where, chance), chance)
    return to


CLASSES: dict[str, tuple[Path, Place]] = {
    "header": (STORE, span(0, 100)),
    "interior pages": (STORE, pages(2, 5)),
    "index pages": (STORE, pages(10)),
    "leaf pages": (STORE, pages(13)),
    "bodies": (STORE, cells("traces", "body")),
    "earlier bodies": (STORE, cells("versions", "body")),
    "salts": (STORE, cells("traces", "salt")),
    "vectors": (STORE, cells("vectors", "vector")),
    "codes": (STORE, cells("codes", "code")),
    "centre": (STORE, cells("spaces", "centre")),
    "lexicon": (STORE, cells("lexicon", "terms")),
    "postings": (STORE, cells("postings_data", "block")),
    "events": (STORE, cells("events", "commitment")),
    "seals": (STORE, cells("events", "seal")),
    "receipts": (STORE, cells("receipts", "body")),
    "sessions": (STORE, cells("sessions", "state")),
    "jobs": (STORE, cells("jobs", "payload")),
    "users": (STORE, cells("users", "name")),
}

NOTICED: Sequence[str] = (
    "bodies", "earlier bodies", "salts", "vectors", "codes", "centre", "lexicon", "events", "seals", "receipts",
    "sessions", "jobs", "users",
)  # fmt: skip
"""Where every flip is noticed, since every byte counts."""

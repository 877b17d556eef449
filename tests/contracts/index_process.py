"""A process of its own at the index of a tree of files: `python index_process.py ROLE HOME TREE [STEP]`.

What it has done, it says on a line of its own. Told to die at a step, it kills itself there, as `kill -9` would:
nothing of the index knows about it, the steps are what the index asks of the system.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cortex.domain.chunk import Chunk
from cortex.domain.identity import Uuid7Source
from cortex.domain.lanes import Lane
from cortex.domain.scope import Tenant
from cortex.domain.terms import query_terms
from cortex.errors import StoreError
from cortex.ports.store import Filter
from cortex.progress import silent
from cortex.remember.flow import vectors_of
from cortex.stores.sqlite import generations
from cortex.stores.sqlite.generations import SqliteIndexes
from cortex.stores.sqlite.index import SqliteIndex
from cortex.testing import FakeClock, FakeEmbedder
from cortex.workspace.flow import BATCH, Cutting, Following
from cortex.workspace.sources import Shape, Source

TENANT = Tenant()
AGENT = "main"
LONG_AGO = 1_700_000_000
FEW = 6
"""How many chunks are stored together, so that there is a midway."""

FILES = [f"{folder}/{number}.md" for folder in ("deck", "hold") for number in range(6)]


def write_tree(tree: Path, word: str) -> None:
    """Files of two sections each, every one of which says `word`."""
    for name in FILES:
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Berth {path.stem}\n\nIt is {word}.\n\n## Crane\n\nThe crane is {word} too.\n")
        os.utime(path, (LONG_AGO, LONG_AGO + ord(word[0])))


def indexes(home: Path, **options: Any) -> SqliteIndexes:
    return SqliteIndexes(home, AGENT, **options)


def following(given: Any, tree: Path, embedder: FakeEmbedder | None = None, batch: int = BATCH) -> Following:
    model = embedder or FakeEmbedder(16)
    return Following(
        sources=[Source(name="ship", root=tree.resolve(), shape=Shape.TREE, lane=Lane.NOTES)],
        tenant=TENANT,
        indexes=given,
        space=model.space,
        vectors=lambda chunks: vectors_of(chunks, model, 320),
        cutting=Cutting(),
        clock=FakeClock(),
        ids=Uuid7Source(),
        progress=silent,
        wait_seconds=0.0,
        batch=batch,
    )


def said(index: SqliteIndex) -> dict[str, list[str]]:
    """What the index knows each file to say."""
    with index.view(TENANT) as view:
        chunks = {path: view.file(path).chunks for path in view.files()}
        return {path: [trace.text for trace in view.load(ids)] for path, ids in sorted(chunks.items())}


def answering(index: SqliteIndex, word: str) -> set[str]:
    """The files in which a search finds `word`."""
    with index.view(TENANT) as view:
        found = view.load([match.id for match in view.keywords(query_terms(word), Filter(), 1_000)])
        return {trace.path for trace in found if isinstance(trace, Chunk)}


# --- dying ---------------------------------------------------------------------------------------


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def before(place: Any, name: str, times: int = 1) -> None:
    """Die before `place.name` is called for the `times`-th time."""
    original = getattr(place, name)
    calls = iter(range(1, times + 1))

    def dying(*args: Any, **named: Any) -> Any:
        if next(calls, times) == times:
            die()
        return original(*args, **named)

    setattr(place, name, dying)


def after(place: Any, name: str, times: int = 1) -> None:
    """Die once `place.name` has been called for the `times`-th time."""
    original = getattr(place, name)
    calls = iter(range(1, times + 1))

    def dying(*args: Any, **named: Any) -> Any:
        answer = original(*args, **named)
        if next(calls, times) == times:
            die()
        return answer

    setattr(place, name, dying)


def midway_through_the_second_sweep() -> None:
    """Die once the first file of the old index is gone."""
    generations._LINGER_SECONDS = 0
    sweep, sweeps = SqliteIndexes._sweep, iter((1, 2))

    def sweeping(own: SqliteIndexes) -> None:
        if next(sweeps) == 2:
            after(Path, "unlink")
        sweep(own)

    SqliteIndexes._sweep = sweeping  # type: ignore[method-assign]


STEPS: dict[str, Callable[[], None]] = {
    "before there is a new file": lambda: before(SqliteIndex, "__init__", 2),
    "after the new index is opened": lambda: after(SqliteIndex, "_begin"),
    "before the first files are stored": lambda: before(SqliteIndex, "apply"),
    "midway through the files": lambda: after(SqliteIndex, "apply", 3),
    "before it is sealed": lambda: before(SqliteIndex, "seal"),
    "after it is sealed": lambda: after(SqliteIndex, "seal"),
    "before it is renamed": lambda: before(os, "rename"),
    "after it is renamed": lambda: after(os, "rename"),
    "before it is named": lambda: before(os, "replace"),
    "after it is named": lambda: after(os, "replace"),
    "before the old one is swept away": lambda: before(SqliteIndexes, "_sweep", 2),
    "while the old one is swept away": midway_through_the_second_sweep,
}
"""Every step of making an index anew, in order; the last two are of the sync after it."""

PUBLISHED = {"after it is named", "before the old one is swept away", "while the old one is swept away"}


def reindex(home: Path, tree: Path, step: str) -> None:
    """Make the index anew, and look at the files once more; die on the way."""
    STEPS[step]()
    follow = following(indexes(home), tree, batch=FEW)
    follow.sync(force=True)
    follow.sync()
    say("survived")


def keep_up(home: Path, tree: Path, step: str) -> None:
    """Follow what changed; die on the way."""
    STEPS[step]()
    following(indexes(home), tree, batch=FEW).sync()
    say("survived")


# --- living --------------------------------------------------------------------------------------


def read(home: Path, _: Path) -> None:
    """Tell what the index in use says, whenever asked."""
    own = indexes(home)
    for _line in sys.stdin:
        index = own.current()
        say("none" if index is None else f"{index.path.name} {sorted(answering(index, 'dry'))}")


def hold(home: Path, _: Path) -> None:
    """Keep the right to change the index until told otherwise."""
    with indexes(home).write_lock(0):
        say("holding")
        sys.stdin.readline()


def build(home: Path, _: Path) -> None:
    """Make an index without ever coming to an end."""
    own = indexes(home)
    with own.write_lock(0), own.build("{}"):
        say("building")
        sys.stdin.readline()


def fill_disk(home: Path, tree: Path) -> None:
    """Make an index anew where no file may grow any more."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
    try:
        following(indexes(home), tree).sync(force=True)
    except StoreError:
        say("refused")


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


ROLES = {each.__name__: each for each in (reindex, keep_up, read, hold, build, fill_disk)}

if __name__ == "__main__":
    ROLES[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]), *sys.argv[4:])

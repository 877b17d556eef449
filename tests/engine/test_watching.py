"""Edits are followed as they happen: real files, the system's own notices, and the clock (B12)."""

from __future__ import annotations

import errno
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import watchfiles
from laboratory import opened
from noted import PATIENCE, eventually, message, note, paths, reasons

from cortex.clock import SystemClock
from cortex.domain.lanes import Lane
from cortex.memory import Cortex
from cortex.services.files.file_watcher import FileWatcher
from cortex.testing import FakeClock
from cortex.workspace.sources import Shape, Source
from cortex.workspace.watch import Noticed, WatchedFolder, Watching, concerns, places
from sweeps import for_each

Following = Callable[..., Cortex]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    note(tmp_path / "notes" / "keys.md", "The deploy key rotates on Mondays.\n")
    return tmp_path / "notes"


@pytest.fixture
def followed(tmp_path: Path) -> Iterator[Following]:
    """An engine that follows edits, with a short debounce, once it has looked at the files for the first time."""
    with ExitStack() as open_ones:

        def follow(folder: Path, *, setting: str = "extra_paths", **sync: Any) -> Cortex:
            sync = {"watch_debounce_ms": 50, "transcript_debounce_ms": 50, "on_search": False, **sync}
            given = str(folder) if setting == "workspace" else [str(folder)]
            engine = open_ones.enter_context(
                opened(tmp_path / "home", clock=SystemClock(), files={setting: given, "sync": sync})
            )
            open_ones.enter_context(engine.files.watching())
            # The first look comes once the watch is in place.
            assert eventually(lambda: "watch" in reasons(engine))
            return engine

        yield follow


def finds(engine: Cortex, asked: str, path: str) -> bool:
    """Whether a search that looks at nothing itself comes to find it."""
    return eventually(lambda: path in paths(engine.memory_search(asked, min_score=0.0)))


def loses(engine: Cortex, path: str) -> bool:
    """Whether nothing of it comes to be left."""
    return eventually(lambda: all(getattr(trace, "path", "") != path for trace in engine.list(limit=1_000)))


# --- what is watched --------------------------------------------------------------------------------------------------


def source(root: Path, shape: Shape = Shape.TREE) -> Source:
    name = "" if shape is Shape.WORKSPACE else "it"
    lane = Lane.SESSIONS if shape is Shape.TRANSCRIPTS else Lane.NOTES
    return Source(name=name, root=root, shape=shape, lane=lane)


def told(found: list[WatchedFolder]) -> list[tuple[str, bool]]:
    return [(place.path, place.deep) for place in found]


def test_of_a_workspace_only_what_is_memory_is_watched(tmp_path):
    """B12: not all that an agent works on beside it"""
    note(tmp_path / "ws" / "memory" / "today.md", "x")
    note(tmp_path / "ws" / "node_modules" / "deep" / "x.md", "x")
    found = places([source(tmp_path / "ws", Shape.WORKSPACE)])
    assert told(found) == [(str(tmp_path / "ws"), False), (str(tmp_path / "ws" / "memory"), True)]


def test_a_folder_is_watched_with_all_below_it_and_a_file_by_the_folder_around_it(tmp_path):
    """B12: an editor that writes beside a file leaves nothing of the file that was"""
    one = note(tmp_path / "single" / "one.md", "x")
    (tmp_path / "tree").mkdir()
    (tmp_path / "talks").mkdir()
    found = places([source(tmp_path / "tree"), source(one), source(tmp_path / "talks", Shape.TRANSCRIPTS)])
    assert told(found) == [
        (str(tmp_path / "tree"), True),
        (str(tmp_path / "single"), False),
        (str(tmp_path / "talks"), True),
    ]


def test_what_is_not_there_cannot_be_watched_and_another_folder_in_its_place_is_another(tmp_path):
    """B12"""
    followed = [source(tmp_path / "notes")]
    assert places(followed) == []
    (tmp_path / "notes").mkdir()
    first = places(followed)
    os.rename(tmp_path / "notes", tmp_path / "old")
    (tmp_path / "notes").mkdir()
    assert told(first) == told(places(followed))
    assert first != places(followed)


TREE, FLAT = WatchedFolder("/venv/notes", True, (0, 0)), WatchedFolder("/venv/ws", False, (0, 0))


@for_each(
    ("path", "place", "is_gone", "what"),
    [
        ("/venv/notes/a.md", TREE, False, Noticed.FILES),
        ("/venv/notes/deep/A.MARKDOWN", TREE, True, Noticed.FILES),
        ("/venv/notes/t.jsonl", TREE, False, Noticed.TRANSCRIPTS),
        ("/venv/notes/node_modules/a.md", TREE, False, None),
        ("/venv/notes/.git/index", TREE, True, None),
        ("/venv/notes/picture.png", TREE, False, None),
        ("/venv/notes/v1.2", TREE, True, Noticed.FILES),
        ("/venv/notes", TREE, True, Noticed.FILES),
        ("/venv/notes/base.sqlite-journal", TREE, True, None),
        ("/venv/notes/.keys.md.swp", TREE, True, None),
        ("/venv/ws/MEMORY.md", FLAT, False, Noticed.FILES),
        ("/venv/ws/memory", FLAT, False, Noticed.FILES),
        ("/venv/ws/memory", FLAT, True, Noticed.FILES),
        ("/venv/ws/build", FLAT, True, None),
        ("/venv/ws/main.py", FLAT, False, None),
    ],
)
def test_what_something_that_happened_may_concern(path, place, is_gone, what):
    """B2, B12: what is ignored below a root is no matter above it"""
    assert concerns(path, place, is_gone=is_gone) is what


def test_a_folder_that_is_there_is_known_as_one(tmp_path):
    """B12"""
    (tmp_path / "v1.2").mkdir()
    place = WatchedFolder(str(tmp_path), True, (0, 0))
    assert concerns(str(tmp_path / "v1.2"), place, is_gone=False) is Noticed.FILES


# --- edits ------------------------------------------------------------------------------------------------------------


def test_an_edit_is_found_by_itself(followed, notes):
    """B12: the watcher; nobody searched, nobody asked"""
    engine = followed(notes)
    note(notes / "keys.md", "The deploy key rotates on Fridays.\n")
    assert eventually(lambda: "Fridays" in engine.recall("when does the deploy key rotate?").block)
    assert set(reasons(engine)) == {"watch"}


def test_what_was_edited_before_the_watch_stood_is_found_too(followed, notes):
    """B12: nothing falls between the first look and the first notice"""
    engine = followed(notes)
    assert finds(engine, "deploy key", "notes/keys.md")


def test_with_the_default_debounce_it_is_the_watcher_that_finds_it(tmp_path, notes):
    """B12: 1500 ms"""
    with opened(tmp_path / "home", clock=SystemClock(), files={"extra_paths": [str(notes)]}) as engine:
        assert engine.settings.files.sync.watch_debounce_ms == 1_500
        with engine.files.watching():
            assert eventually(lambda: "watch" in reasons(engine))
            looks = len(reasons(engine))
            note(notes / "late.md", "The cellar door sticks.\n")
            assert eventually(lambda: engine.files.status()["files"] == 2)
            assert eventually(lambda: reasons(engine)[looks:])
            assert set(reasons(engine)[looks:]) == {"watch"}


def test_an_editor_that_writes_beside_a_file_and_renames_it_is_followed(followed, notes):
    """B12: atomic renames"""
    engine = followed(notes)
    for day in ("Tuesdays", "Thursdays"):
        beside = note(notes / ".keys.md.tmp", f"The deploy key rotates on {day}.\n")
        os.replace(beside, notes / "keys.md")
        assert eventually(lambda day=day: day in engine.recall("when does the deploy key rotate?").block)


def test_a_single_file_is_followed_through_renames(followed, notes):
    """B12"""
    engine = followed(notes / "keys.md")
    os.replace(note(notes / "new.tmp", "The deploy key rotates on Tuesdays.\n"), notes / "keys.md")
    assert eventually(lambda: "Tuesdays" in engine.recall("when does the deploy key rotate?").block)


def test_a_file_that_is_moved_is_cited_where_it_lies_now(followed, notes):
    """B12, B14"""
    engine = followed(notes)
    (notes / "archive").mkdir()
    os.rename(notes / "keys.md", notes / "archive" / "keys.md")
    assert finds(engine, "deploy key", "notes/archive/keys.md")
    assert loses(engine, "notes/keys.md")


def test_a_file_that_is_deleted_is_found_no_more(followed, notes):
    """B12, B15"""
    engine = followed(notes)
    (notes / "keys.md").unlink()
    assert loses(engine, "notes/keys.md")


@pytest.mark.parametrize(("old", "new"), [("drafts", "papers"), ("v1.2", "v1.3")])
def test_a_folder_that_is_renamed_takes_its_files_along(followed, notes, old, new):
    """B12"""
    note(notes / old / "door.md", "The cellar door sticks.\n")
    engine = followed(notes)
    os.rename(notes / old, notes / new)
    assert finds(engine, "cellar door", f"notes/{new}/door.md")
    assert loses(engine, f"notes/{old}/door.md")


def test_a_folder_that_is_moved_away_is_found_no_more(followed, notes, tmp_path):
    """B12, B15"""
    note(notes / "My.Vault" / "door.md", "The cellar door sticks.\n")
    engine = followed(notes)
    os.rename(notes / "My.Vault", tmp_path / "elsewhere")
    assert loses(engine, "notes/My.Vault/door.md")


def test_a_whole_folder_copied_in_is_found(followed, notes, tmp_path):
    """B12"""
    note(tmp_path / "elsewhere" / "deep" / "door.md", "The cellar door sticks.\n")
    engine = followed(notes)
    shutil.copytree(tmp_path / "elsewhere", notes / "copied")
    assert finds(engine, "cellar door", "notes/copied/deep/door.md")


def test_a_memory_folder_that_appears_later_is_followed(followed, tmp_path):
    """B12: and every edit in it from then on"""
    note(tmp_path / "ws" / "MEMORY.md", "The deploy key rotates on Mondays.\n")
    engine = followed(tmp_path / "ws", setting="workspace")
    note(tmp_path / "ws" / "memory" / "2026-01-05.md", "The cellar door sticks.\n")
    assert finds(engine, "cellar door", "memory/2026-01-05.md")
    note(tmp_path / "ws" / "memory" / "2026-01-06.md", "The harbour crane squeaks.\n")
    assert finds(engine, "harbour crane", "memory/2026-01-06.md")


def test_another_folder_in_the_place_of_the_one_that_was_watched_is_followed(followed, notes, tmp_path):
    """B12: the system goes on telling of the old one"""
    engine = followed(notes)
    os.rename(notes, tmp_path / "old")
    note(notes / "door.md", "The cellar door sticks.\n")
    assert finds(engine, "cellar door", "notes/door.md")
    note(notes / "crane.md", "The harbour crane squeaks.\n")
    assert finds(engine, "harbour crane", "notes/crane.md")


def test_a_folder_that_is_given_while_the_watch_runs_is_watched_too(followed, notes, tmp_path):
    """B12"""
    engine = followed(notes)
    engine.files.add(note(tmp_path / "more" / "door.md", "The cellar door sticks.\n").parent)
    assert finds(engine, "cellar door", "more/door.md")


def test_a_file_that_is_never_left_alone_is_read_all_the_same(followed, notes):
    """B12: a debounce must not starve"""
    engine = followed(notes, watch_debounce_ms=300)
    ending = threading.Event()

    def scribble() -> None:
        for number in range(100_000):
            note(notes / "busy.md", f"The cellar door sticks. {number}\n")
            if ending.wait(0.02):
                return

    thread = threading.Thread(target=scribble)
    thread.start()
    try:
        assert finds(engine, "cellar door sticks", "notes/busy.md")
    finally:
        ending.set()
        thread.join()


def test_what_is_no_memory_is_no_reason_to_look(followed, tmp_path):
    """B2, B12: an agent's own work beside its notes"""
    note(tmp_path / "ws" / "MEMORY.md", "The deploy key rotates on Mondays.\n")
    engine = followed(tmp_path / "ws", setting="workspace")
    assert eventually(lambda: not engine.files.dirty)
    looks = len(reasons(engine))
    for number in range(20):
        note(tmp_path / "ws" / "src" / f"f{number}.md", "x")
        note(tmp_path / "ws" / f"f{number}.py", "x").unlink()
    note(tmp_path / "ws" / "MEMORY.md", "The deploy key rotates on Fridays.\n")
    assert eventually(lambda: "Fridays" in engine.recall("when does the deploy key rotate?").block)
    assert len(reasons(engine)) <= looks + 2


def test_a_watched_folder_is_clean_until_something_happens(followed, notes):
    """B12: a search need not look"""
    engine = followed(notes)
    assert eventually(lambda: not engine.files.dirty)
    assert engine.files.status()["watching"] == {"active": True, "trouble": None}


# --- transcripts and the clock ----------------------------------------------------------------------------------------


def test_a_transcript_is_read_on_once_it_grew_enough(followed, tmp_path):
    """B12: 50 messages, then a while left alone; fewer wait"""
    talk = note(tmp_path / "talks" / "t.jsonl", message("The walrus is hungry") + "\n")
    engine = followed(tmp_path / "talks", setting="transcripts")
    assert eventually(lambda: engine.stats().total == 1)
    looks = len(reasons(engine))
    with talk.open("a") as file:
        file.write("".join(message(f"word {number}") + "\n" for number in range(49)))
    time.sleep(0.5)
    assert (engine.stats().total, reasons(engine)[looks:]) == (1, [])
    with talk.open("a") as file:
        file.write(message("the fiftieth") + "\n")
    assert eventually(lambda: engine.stats().total == 51)
    assert eventually(lambda: reasons(engine)[looks:] == ["transcript"])
    assert not engine.files.dirty


def test_the_files_are_looked_at_by_the_clock(tmp_path, notes):
    """B12: every so many minutes, whatever happens"""
    clock = FakeClock()
    sync = {"watch": False, "interval_minutes": 5}
    with (
        opened(tmp_path / "home", clock=clock, files={"extra_paths": [str(notes)], "sync": sync}) as engine,
        engine.files.watching() as watch,
    ):
        assert watch.is_in_place is False
        clock.advance(299)
        time.sleep(0.1)
        assert reasons(engine) == []
        clock.advance(1)
        assert eventually(lambda: reasons(engine) == ["interval"])
        clock.advance(300)
        assert eventually(lambda: reasons(engine) == ["interval", "interval"])


def test_each_look_is_told_of(tmp_path, notes):
    """B12"""
    seen: list[int] = []
    sync = {"watch_debounce_ms": 50}
    with (
        opened(tmp_path / "home", clock=SystemClock(), files={"extra_paths": [str(notes)], "sync": sync}) as engine,
        engine.files.watching(lambda done: seen.append(done.synced.added)),
    ):
        assert eventually(lambda: sum(seen) == 1)
        note(notes / "door.md", "The cellar door sticks.\n")
        assert eventually(lambda: sum(seen) == 2)


def test_the_files_are_followed_while_memory_is_kept(tmp_path, notes):
    """B12, S7: by whatever keeps a process running"""
    files = {"extra_paths": [str(notes)], "sync": {"watch_debounce_ms": 50}}
    with opened(tmp_path / "home", clock=SystemClock(), files=files) as engine, engine.scheduler():
        note(notes / "door.md", "The cellar door sticks.\n")
        assert finds(engine, "cellar door", "notes/door.md")


# --- failing and ending -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "refusal",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        OSError("OS file watch limit reached. about ['/secret/place']"),
        RuntimeError("Error creating recommended watcher: Too many open files (os error 24)"),
    ],
    ids=["enospc", "limit", "instances"],
)
def test_where_the_system_refuses_changes_are_looked_for(followed, notes, monkeypatch, refusal):
    """B12: and that is told"""
    real = watchfiles.watch

    def refusing(*folders: str, force_polling: bool | None = None, **options: Any) -> Any:
        if not force_polling:
            raise refusal
        return real(*folders, force_polling=True, **{**options, "poll_delay_ms": 50})

    monkeypatch.setattr(watchfiles, "watch", refusing)
    engine = followed(notes)
    trouble = engine.files.status()["watching"]["trouble"]
    assert trouble
    assert "/secret/place" not in trouble
    note(notes / "door.md", "The cellar door sticks.\n")
    assert finds(engine, "cellar door", "notes/door.md")


def test_a_look_that_fails_is_made_again(followed, notes, tmp_path, monkeypatch, caplog):
    """B12: the watch outlives it"""
    monkeypatch.setattr("cortex.services.files.file_watcher.RETRY_SECONDS", 0.05)
    engine = followed(notes)
    assert eventually(lambda: not engine.files.dirty)
    lock = tmp_path / "home" / "agents" / "main.files.lock"
    lock.unlink()
    lock.mkdir()
    note(notes / "door.md", "The cellar door sticks.\n")
    assert eventually(lambda: "could not be synced" in caplog.text)
    assert engine.files.dirty
    lock.rmdir()
    assert finds(engine, "cellar door", "notes/door.md")


def test_whoever_is_told_cannot_end_the_watch_by_failing(tmp_path, notes, monkeypatch):
    """B12"""
    monkeypatch.setattr("cortex.services.files.file_watcher.RETRY_SECONDS", 0.05)
    calls: list[int] = []

    def fail(done: object) -> None:
        calls.append(1)
        raise ValueError("a mistake of the caller's")

    files = {"extra_paths": [str(notes)], "sync": {"watch_debounce_ms": 50}}
    with opened(tmp_path / "home", clock=SystemClock(), files=files) as engine, engine.files.watching(fail):
        assert eventually(lambda: len(calls) >= 2)


def inotifies() -> int:
    links = (Path("/proc/self/fd") / name for name in os.listdir("/proc/self/fd"))
    return sum(1 for link in links if os.path.lexists(link) and "inotify" in _target(link))


def _target(link: Path) -> str:
    try:
        return os.readlink(link)
    except OSError:
        return ""


def ours() -> set[str]:
    return {thread.name for thread in threading.enumerate() if thread.name in {"cortex-watch", "cortex-files"}}


def test_at_the_end_no_thread_and_no_watch_of_the_system_is_left(tmp_path, notes):
    """B12"""
    note(tmp_path / "ws" / "memory" / "x.md", "x")
    before = inotifies()
    files = {"extra_paths": [str(notes)], "workspace": str(tmp_path / "ws"), "sync": {"watch_debounce_ms": 50}}
    with opened(tmp_path / "home", clock=SystemClock(), files=files) as engine:
        with engine.files.watching():
            assert eventually(lambda: inotifies() == before + 2)
            assert eventually(lambda: "watch" in reasons(engine))
        assert ours() == set()
        assert eventually(lambda: inotifies() == before)
        assert engine.files.status()["watching"]["active"] is False


def test_closing_the_engine_ends_a_watch_that_nobody_ended(tmp_path, notes):
    """B12"""
    files = {"extra_paths": [str(notes)], "sync": {"watch_debounce_ms": 50}}
    engine = opened(tmp_path / "home", clock=SystemClock(), files=files)
    watching = engine.files.watching()
    watching.__enter__()
    engine.close()
    assert eventually(lambda: ours() == set())
    watching.__exit__(None, None, None)


def test_a_watch_that_ends_as_it_begins_leaves_nothing_either(tmp_path, notes):
    """B12"""
    files = {"extra_paths": [str(notes)]}
    with opened(tmp_path / "home", clock=SystemClock(), files=files) as engine:
        for _ in range(5):
            with engine.files.watching() as watch:
                assert isinstance(watch, FileWatcher)
        assert ours() == set()


def test_a_store_that_does_not_answer_does_not_end_the_watch(tmp_path, notes):
    """B12: which folders are followed is asked again"""
    asked: list[int] = []
    noticed = threading.Event()

    def sources() -> list[Source]:
        asked.append(1)
        if len(asked) == 1:
            raise RuntimeError("not now")
        return [source(notes)]

    watching = Watching(sources, lambda what: noticed.set())
    watching.start()
    try:
        watching._worker.wake()
        assert noticed.wait(PATIENCE)
    finally:
        watching.stop()

"""Making an index anew: readers always find a whole one, whoever dies on the way (B14)."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from index_process import FILES, PUBLISHED, STEPS, TENANT, answering, following, indexes, said, write_tree
from samples import AT, chunk

from cortex.domain.events import EventKind
from cortex.domain.indexed_file import IndexedFile
from cortex.domain.vectors import EmbeddingSpace
from cortex.errors import StoreBusy, StoreCorrupt, StoreError, StoreForeign, StoreTooNew
from cortex.ports.index import Follow
from cortex.ports.store import Put
from cortex.stores.sqlite.generations import SqliteIndexes
from cortex.stores.sqlite.index import SqliteIndex
from cortex.testing import FakeEmbedder
from forking import PIPE, Forked
from sweeps import sweep

SCRIPT = Path(__file__).with_name("index_process.py")
SOURCE = Path(__file__).parents[2] / "src"
PATIENCE = 120.0
CITED = {f"ship/{name}" for name in FILES}


class Process:
    """Another process at the index, and what it says."""

    def __init__(self, role: str, home: Path, tree: Path, *more: str) -> None:
        self._process = Forked([SCRIPT, role, home, tree, *more], stdin=PIPE, stdout=PIPE, stderr=PIPE)
        self._watchdog = threading.Timer(PATIENCE, self._process.kill)
        self._watchdog.daemon = True
        self._watchdog.start()

    def line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def ask(self, line: str = "") -> str:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self.line()

    def ended(self) -> tuple[int, str, str]:
        """How it ended, what it said last, and its complaint."""
        out, complaint = self._process.communicate()
        self._watchdog.cancel()
        return self._process.returncode, out.strip(), complaint

    def kill(self) -> None:
        self._process.kill()
        self.ended()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write_tree(tmp_path / "tree", "dry")
    return tmp_path / "tree"


@pytest.fixture
def own(home: Path) -> Iterator[SqliteIndexes]:
    opened = indexes(home)
    yield opened
    opened.close()


Start = Callable[..., Process]


@pytest.fixture
def start(home: Path, tree: Path) -> Iterator[Start]:
    """Starts processes at the index; none outlives the test."""
    started: list[Process] = []

    def begin(role: str, *more: str) -> Process:
        started.append(Process(role, home, tree, *more))
        return started[-1]

    yield begin
    for process in started:
        if process._process.returncode is None:
            process.kill()


def publish(own: SqliteIndexes, text: str) -> Path:
    """Make an index with one chunk, and put it in its place."""
    with own.write_lock(1), own.build("{}") as building:
        put(building.index, text)
        building.publish()
    index = own.current()
    assert index is not None
    return index.path


def put(index: SqliteIndex, text: str) -> None:
    stored = chunk(1, text)
    file = IndexedFile(stored.path, "notes", 1, 2, 3, chunks=(stored.id,))
    index.apply(TENANT, [Put(stored, EventKind.CHUNKED), Follow(file)], at=AT)


def text_of(index: SqliteIndex | None) -> str:
    assert index is not None
    ((text,),) = said(index).values()
    return text


def names(home: Path) -> list[str]:
    """The files of all generations."""
    return sorted(path.name for path in home.iterdir() if "@" in path.name)


def databases(home: Path) -> list[str]:
    return [name for name in names(home) if name.endswith((".sqlite", ".new"))]


def age_pointer(home: Path, seconds: float) -> None:
    """As if the last publishing had been that long ago."""
    pointer = home / "main.files"
    at = pointer.stat().st_mtime - seconds
    os.utime(pointer, (at, at))


# --- taking the place ----------------------------------------------------------------------------


def test_before_the_first_there_is_none_and_asking_makes_nothing(own: SqliteIndexes, home: Path) -> None:
    assert own.current() is None
    assert not own.is_building
    assert not home.exists()


def test_what_was_published_is_in_use_and_stays_so(own: SqliteIndexes, home: Path) -> None:
    publish(own, "anchor")
    assert text_of(own.current()) == "anchor"
    assert own.current() is own.current()
    with closing(indexes(home)) as again:
        assert text_of(again.current()) == "anchor"


def test_until_it_is_published_the_old_one_is_in_use(own: SqliteIndexes) -> None:
    """B14"""
    publish(own, "anchor")
    with own.write_lock(0), own.build("{}") as building:
        put(building.index, "buoy")
        assert text_of(own.current()) == "anchor"
        building.publish()
        assert text_of(own.current()) == "buoy"


def test_who_looks_at_the_old_one_goes_on_looking_at_it(own: SqliteIndexes) -> None:
    """B14: a search that has begun ends on what it began with"""
    publish(own, "anchor")
    old = own.current()
    assert old is not None
    with old.view(TENANT) as view:
        publish(own, "buoy")
        assert text_of(own.current()) == "buoy"
        assert list(view.files()) == ["memory/harbour.md"]
    assert text_of(old) == "anchor"


def test_another_process_sees_the_new_one_with_its_next_question(own: SqliteIndexes, tree: Path, start: Start) -> None:
    """B14: at once and for all processes"""
    reader = start("read")
    assert reader.ask() == "none"
    following(own, tree).sync()
    first = reader.ask()
    assert all(name in first for name in CITED)
    (tree / FILES[0]).unlink()
    following(own, tree).sync(force=True)
    second = reader.ask()
    assert FILES[0] not in second
    assert second.split()[0] != first.split()[0]


@pytest.mark.parametrize("why", [KeyboardInterrupt, ZeroDivisionError, StoreError])
def test_what_is_not_published_is_thrown_away(own: SqliteIndexes, home: Path, why: type[BaseException]) -> None:
    """B14: on failure the old one stays"""
    publish(own, "anchor")
    before = names(home)

    def make() -> None:
        with own.write_lock(0), own.build("{}") as building:
            put(building.index, "buoy")
            raise why("on the way")

    with pytest.raises(why):
        make()
    assert [name for name in names(home) if ".new" in name] == []
    assert [name for name in before if name.endswith(".sqlite")] == databases(home)
    assert text_of(own.current()) == "anchor"


def test_an_index_that_cannot_be_begun_leaves_nothing(own: SqliteIndexes, home: Path) -> None:
    publish(own, "anchor")
    with pytest.raises(StoreError), own.write_lock(0), own.build(made_with=object()):  # type: ignore[arg-type]
        raise AssertionError("it was begun")
    assert len(databases(home)) == 1


# --- what is left behind -------------------------------------------------------------------------


def test_the_old_one_is_removed_later_and_not_at_once(own: SqliteIndexes, home: Path) -> None:
    """Another process may be about to look at it"""
    old = publish(own, "anchor")
    new = publish(own, "buoy")
    with own.write_lock(0):
        assert databases(home) == [old.name, new.name]
    age_pointer(home, 61)
    with own.write_lock(0):
        assert databases(home) == [new.name]
    assert text_of(own.current()) == "buoy"


def test_of_many_that_were_replaced_quickly_only_the_last_lingers(own: SqliteIndexes, home: Path) -> None:
    """What is made anew again and again must not fill the disk"""
    paths = [publish(own, f"anchor {number}") for number in range(5)]
    with own.write_lock(0):
        assert databases(home) == [path.name for path in paths[-2:]]
    assert text_of(own.current()) == "anchor 4"


def test_what_a_crash_left_behind_is_swept_away_and_nothing_else(own: SqliteIndexes, home: Path) -> None:
    kept = publish(own, "anchor")
    left = [
        "main.files@000009.new", "main.files@000009.new-wal", "main.files@000009.new-shm",
        "main.files@000009.new-queue", "main.files@000042.sqlite", "main.files@000000.sqlite-wal",
        "main.files@000000.sqlite-queue", "main.files@000001.new-queue", "main.files.next",
    ]  # fmt: skip
    others = [
        "main.sqlite", "main.files-000001.sqlite", "other.files@000001.sqlite", "main.files@000001.sqlite.bak",
        "main.files@1.new", "main.files@000009.txt", "main.files-000009.new", "xmain.files@000009.new",
    ]  # fmt: skip
    for name in (*left, *others):
        (home / name).write_text("something")
    with own.write_lock(0):
        assert not [name for name in left if (home / name).exists()]
    assert all((home / name).exists() for name in others)
    assert kept.exists()
    assert text_of(own.current()) == "anchor"


def test_a_number_is_never_given_twice(own: SqliteIndexes, home: Path) -> None:
    """Who still has a removed one open would take away the files of another with its name"""
    given = {publish(own, "anchor").name, publish(own, "buoy").name}
    with own.write_lock(0), own.build("{}") as building:
        given.add(building.index.path.with_suffix(".sqlite").name)
    (home / "main.files").unlink()
    given.add(publish(own, "crane").name)
    assert len(given) == 4


def test_agents_with_like_names_keep_apart(home: Path) -> None:
    names = ("main", "main.files", "main.files-000001", "main2")
    opened = [SqliteIndexes(home, name) for name in names]
    for name, each in zip(names, opened, strict=True):
        publish(each, name)
        publish(each, name)
    for each in opened:
        with each.write_lock(0):
            pass
    assert [text_of(each.current()) for each in opened] == list(names)
    for each in opened:
        each.close()


# --- one at a time -------------------------------------------------------------------------------


def test_only_one_process_may_change_the_index(own: SqliteIndexes, tree: Path, start: Start) -> None:
    holder = start("hold")
    assert holder.line() == "holding"
    with pytest.raises(StoreBusy, match="being indexed") as busy, own.write_lock(0.05):
        raise AssertionError("two hold it")
    assert busy.value.hint
    with pytest.raises(StoreBusy):
        following(own, tree).sync()
    assert holder.ask() == ""
    holder.ended()
    assert following(own, tree).sync().full == "first_run"


def test_only_one_thread_may_change_the_index(own: SqliteIndexes) -> None:
    with own.write_lock(0), pytest.raises(StoreBusy), own.write_lock(0):
        raise AssertionError("two hold it")
    with own.write_lock(0):
        pass


def test_who_waits_for_the_index_gets_it(own: SqliteIndexes, start: Start) -> None:
    holder = start("hold")
    assert holder.line() == "holding"

    def change() -> str:
        with own.write_lock(PATIENCE):
            return "changed"

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(change)
        holder.ask()
        assert waiting.result(PATIENCE) == "changed"


def test_a_dead_process_holds_nothing_and_makes_nothing(own: SqliteIndexes, home: Path, start: Start) -> None:
    """B14, B21: whether an index is being made is told by who makes it, not by what lies around"""
    publish(own, "anchor")
    builder = start("build")
    assert builder.line() == "building"
    assert own.is_building
    assert text_of(own.current()) == "anchor"
    builder.kill()
    assert any(name.endswith(".new") for name in names(home))
    assert not own.is_building
    with own.write_lock(0):
        assert not any(name.endswith(".new") for name in names(home))


def test_a_sync_that_makes_nothing_anew_is_no_making(own: SqliteIndexes, start: Start) -> None:
    publish(own, "anchor")
    holder = start("hold")
    assert holder.line() == "holding"
    assert not own.is_building


# --- what cannot be used -------------------------------------------------------------------------


def gone(home: Path, path: Path) -> None:
    path.unlink()


def foreign(home: Path, path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE somebody_elses (id)")


def no_database(home: Path, path: Path) -> None:
    path.write_text("this was an index once " * 1_000)


def emptied(home: Path, path: Path) -> None:
    path.write_bytes(b"")


def truncated(home: Path, path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2 // 4096 * 4096)


def too_new(home: Path, path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA user_version = 9999")


def pointing(name: bytes) -> Callable[[Path, Path], None]:
    def point(home: Path, path: Path) -> None:
        (home / "main.files").write_bytes(name)

    return point


UNUSABLE: dict[str, tuple[Callable[[Path, Path], None], type[StoreError], str]] = {
    "gone": (gone, StoreCorrupt, "gone"),
    "a foreign file": (foreign, StoreForeign, "not a Cortex database"),
    "no database": (no_database, StoreForeign, "not a Cortex database"),
    "emptied": (emptied, StoreForeign, "not an index"),
    "truncated": (truncated, StoreCorrupt, "damaged"),
    "of a newer Cortex": (too_new, StoreTooNew, "newer"),
    "a pointer that is empty": (pointing(b""), StoreCorrupt, "names no index"),
    "a pointer that leads away": (pointing(b"../../etc/passwd"), StoreCorrupt, "names no index"),
    "a pointer of no characters": (pointing(b"\xff\xfe\x00"), StoreCorrupt, "names no index"),
    "a pointer to one that is being made": (pointing(b"main.files@000001.new"), StoreCorrupt, "names no index"),
    "a pointer to another agent's": (pointing(b"other.files@000001.sqlite"), StoreCorrupt, "names no index"),
}


@pytest.fixture(params=UNUSABLE)
def unusable(request: pytest.FixtureRequest, home: Path, tree: Path) -> tuple[type[StoreError], str]:
    """An index that was in use and cannot be used any more, and what is to be said of it."""
    with closing(indexes(home)) as first:
        following(first, tree).sync()
        index = first.current()
        assert index is not None
    damage, error, message = UNUSABLE[request.param]
    damage(home, index.path)
    return error, message


def test_an_index_that_cannot_be_used_says_so_each_time_with_the_fix(
    own: SqliteIndexes, unusable: tuple[type[StoreError], str]
) -> None:
    error, message = unusable
    for _ in range(3):
        with pytest.raises(error, match=message) as noticed:
            own.current()
        assert noticed.value.hint


@pytest.mark.parametrize("force", [False, True])
def test_an_index_that_cannot_be_used_is_made_anew_by_the_next_sync(
    own: SqliteIndexes, home: Path, tree: Path, unusable: tuple[type[StoreError], str], force: bool
) -> None:
    """B13, B14: the files are the truth, so that nothing is lost with an index"""
    synced = following(own, tree).sync(force=force)
    assert (synced.full, synced.added) == ("unusable", len(FILES))
    index = own.current()
    assert index is not None
    assert answering(index, "dry") == CITED
    assert list(index.verify()) == []
    assert following(own, tree).sync().full == ""
    assert len(databases(home)) <= 2


def test_an_index_that_is_taken_away_while_it_is_open_is_noticed(own: SqliteIndexes, home: Path, tree: Path) -> None:
    following(own, tree).sync()
    index = own.current()
    assert index is not None
    index.path.unlink()
    with pytest.raises(StoreCorrupt, match="gone"):
        own.current()
    assert following(own, tree).sync().full == "unusable"
    assert answering(own.current(), "dry") == CITED


def test_an_index_that_turns_out_to_be_damaged_on_the_way_is_made_anew(
    own: SqliteIndexes, home: Path, tree: Path
) -> None:
    """B14: what was noticed neither when it was opened nor where its files are listed"""
    following(own, tree).sync()
    spoil_chunks(own)
    write_tree(tree, "wet")
    synced = following(own, tree).sync()
    assert synced.full == "unusable"
    index = own.current()
    assert index is not None
    assert answering(index, "wet") == CITED
    assert list(index.verify()) == []


def test_what_cannot_be_read_in_the_old_index_is_embedded_again(own: SqliteIndexes, tree: Path) -> None:
    """B14: seeding is a saving, not a need"""
    following(own, tree).sync()
    spoil_chunks(own)
    embedder = FakeEmbedder(16)
    assert following(own, tree, embedder).sync(force=True).full == "forced"
    assert len(embedder.documents) == 2 * len(FILES)
    assert answering(own.current(), "dry") == CITED


def spoil_chunks(own: SqliteIndexes) -> None:
    """Overwrite the pages that hold the chunks."""
    index = own.current()
    assert index is not None
    index.maintain()
    own.close()
    with closing(sqlite3.connect(index.path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'traces'").fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    with index.path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)


# --- death on the way ----------------------------------------------------------------------------


BEFORE = "before there is a new file"
WORST = ["midway through the files", "after it is renamed"]


def assert_whole(index: SqliteIndex | None, word: str, other: str) -> None:
    """Every file says `word`, none says the other, and the index verifies clean."""
    assert index is not None
    assert answering(index, word) == CITED
    assert answering(index, other) == set()
    assert all(word in text and other not in text for texts in said(index).values() for text in texts)
    with index.view(TENANT) as view:
        space = FakeEmbedder(16).space
        assert {len(view.vectors(view.file(path).chunks, space)) for path in view.files()} == {2}
    assert list(index.verify()) == []


@pytest.mark.parametrize("step", sweep(STEPS, [*WORST, "after it is named", "while the old one is swept away"]))
def test_death_at_any_step_of_making_an_index_anew_leaves_a_whole_one(
    own: SqliteIndexes, home: Path, tree: Path, start: Start, step: str
) -> None:
    """B14: the old content or the new, never a mix of both and never nothing"""
    following(own, tree).sync()
    own.close()
    write_tree(tree, "wet")
    code, out, complaint = start("reindex", step).ended()
    assert (code, out) == (-signal.SIGKILL, ""), complaint
    now, then = ("wet", "dry") if step in PUBLISHED else ("dry", "wet")
    assert_whole(own.current(), now, then)
    assert not own.is_building
    assert following(own, tree).sync().full == ""
    assert_whole(own.current(), "wet", "dry")
    assert len(databases(home)) <= 2
    assert not [name for name in names(home) if ".new" in name]
    assert not (home / "main.files.next").exists()
    assert following(own, tree).sync(force=True).full == "forced"
    assert_whole(own.current(), "wet", "dry")


@pytest.mark.parametrize("step", sweep((step for step in STEPS if step not in {*PUBLISHED, BEFORE}), WORST))
def test_death_on_the_very_first_run_leaves_room_for_the_next(
    own: SqliteIndexes, home: Path, tree: Path, start: Start, step: str
) -> None:
    """B14"""
    code, _, complaint = start("reindex", step).ended()
    assert code == -signal.SIGKILL, complaint
    assert own.current() is None
    assert following(own, tree).sync().full == "first_run"
    assert_whole(own.current(), "dry", "wet")
    assert len(databases(home)) == 1


@pytest.mark.parametrize("step", ["before the first files are stored", "midway through the files"])
def test_death_while_following_changes_leaves_every_file_whole(
    own: SqliteIndexes, tree: Path, start: Start, step: str
) -> None:
    """B15: each file is as it was or as it is now, with its chunks, and the rest follows later"""
    following(own, tree).sync()
    own.close()
    write_tree(tree, "wet")
    code, _, complaint = start("keep_up", step).ended()
    assert code == -signal.SIGKILL, complaint
    index = own.current()
    assert index is not None
    wet, dry = answering(index, "wet"), answering(index, "dry")
    assert (wet | dry, wet & dry) == (CITED, set())
    assert bool(wet) == (step == "midway through the files")
    assert list(index.verify()) == []
    following(own, tree).sync()
    assert_whole(own.current(), "wet", "dry")


# --- failing on the way --------------------------------------------------------------------------


class Failing(FakeEmbedder):
    """An embedder that fails as no embedder should."""

    def __init__(self, why: BaseException) -> None:
        super().__init__(16)
        self.why = why

    def embed_documents(self, texts: Any) -> Any:
        if len(texts) > 0:
            raise self.why
        return []


@pytest.mark.parametrize("why", [ZeroDivisionError("a bug"), KeyboardInterrupt(), OSError(28, "No space left")])
def test_whatever_is_raised_on_the_way_the_old_index_stays(
    own: SqliteIndexes, home: Path, tree: Path, why: BaseException
) -> None:
    """B14"""
    following(own, tree).sync()
    write_tree(tree, "wet")
    with pytest.raises(type(why)):
        following(own, tree, Failing(why)).sync(force=True)
    assert_whole(own.current(), "dry", "wet")
    assert len(databases(home)) == 1
    assert not [name for name in names(home) if ".new" in name]
    following(own, tree).sync()
    assert_whole(own.current(), "wet", "dry")


def test_a_full_disk_leaves_the_old_index(own: SqliteIndexes, home: Path, tree: Path, start: Start) -> None:
    """B14"""
    following(own, tree).sync()
    for number in range(200):
        (tree / f"long-{number}.md").write_text(f"# Log {number}\n\n" + f"Line {number} of the log. " * 40)
    code, out, complaint = start("fill_disk").ended()
    assert (code, out) == (0, "refused"), complaint
    assert_whole(own.current(), "dry", "wet")
    assert len(databases(home)) == 1
    assert not [name for name in names(home) if ".new" in name]


# --- meanwhile -----------------------------------------------------------------------------------


def test_searches_are_answered_while_a_long_reindex_runs(own: SqliteIndexes, home: Path, tree: Path) -> None:
    """B14: by the old index, in this process and in others, until the new one takes its place"""
    following(own, tree).sync()
    write_tree(tree, "wet")
    stalled = FakeEmbedder(16, stall=threading.Event())
    assert stalled.stall is not None
    with ThreadPoolExecutor(1) as pool, closing(indexes(home)) as other:
        running = pool.submit(following(own, tree, stalled).sync, force=True)
        try:
            while not stalled.documents:
                assert not running.done()
                threading.Event().wait(0.005)
            for _ in range(5):
                assert_whole(own.current(), "dry", "wet")
                assert_whole(other.current(), "dry", "wet")
            assert other.is_building
        finally:
            stalled.stall.set()
        assert running.result(PATIENCE).full == "forced"
        assert_whole(own.current(), "wet", "dry")
        assert_whole(other.current(), "wet", "dry")
        assert not other.is_building


def test_an_index_of_another_space_is_not_seeded_from(own: SqliteIndexes, tree: Path) -> None:
    """B13: vectors compare only within one space"""
    following(own, tree).sync()
    other = FakeEmbedder(16, model="other words")
    assert following(own, tree, other).sync().full == "model"
    assert len(other.documents) == 2 * len(FILES)
    index = own.current()
    assert index is not None
    with index.view(TENANT) as view:
        ids = [id for path in view.files() for id in view.file(path).chunks]
        assert len(view.vectors(ids, other.space)) == 2 * len(FILES)
        assert view.vectors(ids, EmbeddingSpace("fake", "words", 16)) == {}

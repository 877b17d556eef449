"""Files are memory too: what is followed, whose it is, when it is looked at, and how it stands (B1, B12, B21, E15)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from laboratory import opened
from noted import eventually, message, note, paths, reasons, snippets

from cortex.domain.lanes import Lane
from cortex.domain.trust import TrustTier
from cortex.errors import InvalidRequest, NotFound, StoreUnavailable
from cortex.memory import Cortex
from cortex.ports.file_search import FileSearch
from cortex.services.turn_hooks import TurnHooks
from cortex.testing import FakeEmbedder, FakeLLM
from cortex.workspace import scan
from cortex.workspace.sources import Shape

SECRET = "The walrus sleeps in tank nine.\n"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    note(tmp_path / "notes" / "keys.md", "# Keys\n\nThe deploy key rotates on Mondays.\n")
    return tmp_path / "notes"


# --- whose files they are (B1) ----------------------------------------------------------------------------------------


def test_the_files_fulfil_the_contract_of_a_search(engine):
    """B1"""
    asked = {name for name in vars(FileSearch) | vars(FileSearch.__mro__[1]) if not name.startswith("_")}
    assert asked == {
        "search", "read_file", "status", "sync", "probe_embedding", "probe_vectors", "close"
    }  # fmt: skip
    search: FileSearch = engine.searching
    assert all(callable(getattr(search, name)) for name in asked)
    assert search is engine.files
    assert (search.probe_embedding(), search.probe_vectors()) == (None, True)


def test_there_is_one_for_each_agent_and_user_of_an_engine(engine):
    """B1: one instance per (agent, workspace, settings)"""
    assert engine.files is engine.files
    assert engine.bind(user="anna").files is engine.bind(user="anna").files
    others = [engine.bind(user="anna"), engine.bind(agent="other"), engine.bind(agent="other", user="anna")]
    assert len({id(each.files) for each in [engine, *others]}) == 4


def test_nothing_of_ones_files_is_anybody_elses(engine, tmp_path):
    """B1, DESIGN 3: neither found, nor read, nor listed, nor counted"""
    note(tmp_path / "zoo" / "walrus.md", SECRET)
    engine.index(tmp_path / "zoo")
    assert "tank nine" in snippets(engine.memory_search("where does the walrus sleep?"))
    for other in (engine.bind(user="anna"), engine.bind(agent="other")):
        other.index(note(tmp_path / "own" / "plain.md", "The harbour is quiet.\n").parent)
        items = [
            other.memory_search("where does the walrus sleep?"),
            other.recall("where does the walrus sleep?", min_score=0.0).block,
            [trace.text for trace in other.list()],
            other.status(),
            other.files.status(),
        ]
        assert "tank nine" not in str(items)
        assert "zoo" not in str(items)
        assert (other.files.status()["files"], other.stats().by_lane) == (1, {"notes": 1})
        for path in ("zoo/walrus.md", str(tmp_path / "zoo" / "walrus.md")):
            with pytest.raises(InvalidRequest, match="is not an indexed file"):
                other.memory_get(path)
    assert engine.files.status()["files"] == 1


def test_sessions_of_others_cannot_be_read_either(engine):
    """B1, B10"""
    engine.capture([{"role": "user", "content": "The walrus sleeps in tank nine"}], session="s1")
    assert "tank nine" in engine.memory_get("sessions/s1")["text"]
    with pytest.raises(NotFound):
        engine.bind(user="anna").memory_get("sessions/s1")


# --- which files are followed -----------------------------------------------------------------------------------------


def test_a_folder_is_followed_from_then_on(open_engine, notes):
    """X15: also by the next process"""
    engine = open_engine()
    engine.index(notes)
    engine.close()
    note(notes / "new.md", "The cellar door sticks.\n")
    engine = open_engine()
    assert engine.index().synced.added == 1
    assert paths(engine.memory_search("cellar door"))[0] == "notes/new.md"


def test_what_was_said_of_a_folder_stays_until_something_else_is_said(engine, notes):
    """X15, E7: above all, that it is not to be trusted"""
    engine.files.add(notes, trust="untrusted", scope="web", lane="docs", chunker="lines", name="site")
    (again,) = {engine.files.add(notes), *engine.files.sources()}
    assert (again.trust, again.scope, again.lane) == (TrustTier.UNTRUSTED, "web", Lane.DOCS)
    assert (again.chunker, again.name) == ("lines", "site")
    changed = engine.files.add(notes, trust=TrustTier.TRUSTED)
    assert (changed.trust, changed.scope, changed.name) == (TrustTier.TRUSTED, "web", "site")
    assert engine.files.sources() == [changed]


def test_a_folder_is_known_by_where_it_lies_and_not_by_what_another_is_called(engine, tmp_path, monkeypatch):
    """X15"""
    first = engine.files.add(note(tmp_path / "a" / "notes" / "a.md", "one").parent)
    note(tmp_path / "b" / "notes" / "b.md", "two")
    monkeypatch.chdir(tmp_path / "b")
    second = engine.files.add("notes")
    assert (first.name, second.name) == ("notes", "notes-2")
    assert second.root == (tmp_path / "b" / "notes").resolve()


def test_of_several_workspaces_the_first_has_no_name(engine, tmp_path):
    """B2: the agent's own files are cited as they lie in it"""
    for name in ("mine", "yours"):
        note(tmp_path / name / "MEMORY.md", f"This is {name}.\n")
    mine = engine.files.add(tmp_path / "mine", shape="workspace")
    yours = engine.files.add(tmp_path / "yours", shape="workspace")
    assert (mine.name, yours.name) == ("", "yours")
    assert engine.files.add(tmp_path / "mine", shape="workspace").name == ""
    engine.index()
    assert engine.memory_get("MEMORY.md")["text"] == "This is mine.\n"
    assert engine.memory_get("yours/MEMORY.md")["text"] == "This is yours.\n"


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"shape": "forest"}, "shape"),
        ({"lane": "memories"}, "lane"),
        ({"lane": "sessions"}, "lane"),
        ({"shape": "transcripts", "lane": "notes"}, "lane"),
        ({"shape": "transcripts", "trust": "untrusted"}, "trust"),
        ({"shape": "transcripts", "summarize": True}, "summarize"),
        ({"trust": "maybe"}, "trust"),
        ({"chunker": "axe"}, "chunker"),
        ({"name": "a/b"}, "name"),
        ({"name": "memory"}, "name"),
    ],
)
def test_what_cannot_be_is_refused_by_name_and_nothing_is_kept(engine, notes, options, field):
    """X15"""
    with pytest.raises(InvalidRequest, match=field):
        engine.files.add(notes, **options)
    assert engine.files.sources() == []


def test_a_name_that_is_taken_is_refused(engine, notes, tmp_path):
    """X15"""
    engine.files.add(notes)
    other = note(tmp_path / "other" / "x.md", "x").parent
    with pytest.raises(InvalidRequest, match="name"):
        engine.files.add(other, name="notes")
    assert len(engine.files.sources()) == 1


def test_what_is_followed_no_longer_leaves_nothing_behind(engine, notes):
    """B15, X15"""
    engine.index(notes)
    engine.files.remove("notes")
    assert engine.index().synced.removed == 1
    assert engine.memory_search("deploy key")["results"] == []
    assert (engine.files.status()["files"], engine.files.status()["chunks"]) == (0, 0)
    with pytest.raises(NotFound, match="notes"):
        engine.files.remove("notes")


def test_two_processes_that_add_folders_do_not_lose_each_others(open_engine, tmp_path):
    """B3: each is kept for itself"""
    one, other = open_engine(), open_engine()
    one.files.sources(), other.files.sources()
    one.files.add(note(tmp_path / "a" / "a.md", "one").parent)
    other.files.add(note(tmp_path / "b" / "b.md", "two").parent)
    assert [source.name for source in one.files.sources()] == ["a", "b"]


# --- what the settings name -------------------------------------------------------------------------------------------


def test_what_the_settings_name_is_followed_for_their_own_agent_and_user(open_engine, tmp_path):
    """B22"""
    note(tmp_path / "ws" / "MEMORY.md", "The deploy key rotates on Mondays.\n")
    note(tmp_path / "extra" / "a.md", "The cellar door sticks.\n")
    note(tmp_path / "docs" / "d.md", "Decision: the harbour stays open.\n")
    note(tmp_path / "talks" / "t.jsonl", message("The walrus is hungry") + "\n")
    engine = open_engine(
        files={
            "workspace": str(tmp_path / "ws"),
            "extra_paths": [str(tmp_path / "extra")],
            "docs": [str(tmp_path / "docs")],
            "transcripts": [str(tmp_path / "talks")],
        }
    )
    items = [(source.name, source.shape.value, source.lane.value) for source in engine.files.sources()]
    assert items == [
        ("", "workspace", "notes"),
        ("extra", "tree", "notes"),
        ("docs", "tree", "docs"),
        ("talks", "transcripts", "sessions"),
    ]
    done = engine.index()
    assert (done.synced.added, done.transcripts.turns) == (3, 1)
    for other in (engine.bind(user="anna"), engine.bind(agent="other")):
        assert other.files.sources() == []
        assert other.index().synced.seen == 0


def test_a_folder_of_the_settings_is_taken_out_there(open_engine, notes):
    """B22"""
    engine = open_engine(files={"extra_paths": [str(notes)]})
    for given in ("notes", str(notes)):
        with pytest.raises(InvalidRequest, match="settings"):
            engine.files.remove(given)
    assert [source.name for source in engine.files.sources()] == ["notes"]


def test_how_a_folder_of_the_settings_is_followed_can_be_said_beside_them(open_engine, notes):
    """B22, E7: what was labelled does not become trusted because the settings name it too"""
    engine = open_engine()
    engine.files.add(notes, trust="untrusted", name="web")
    engine.close()
    engine = open_engine(files={"extra_paths": [str(notes), str(notes)]})
    (source,) = engine.files.sources()
    assert (source.name, source.trust) == ("web", TrustTier.UNTRUSTED)


def test_a_folder_of_the_settings_gets_a_name_no_other_has(open_engine, tmp_path):
    """B2: whichever came first keeps its own"""
    for place in ("a", "b", "c"):
        note(tmp_path / place / "notes" / f"{place}.md", f"The {place} note.\n")
    engine = open_engine()
    engine.index(tmp_path / "b" / "notes")
    engine.close()
    engine = open_engine(files={"extra_paths": [str(tmp_path / place / "notes") for place in "ac"]})
    names = {source.name: source.root.parent.name for source in engine.files.sources()}
    assert names == {"notes": "b", "notes-2": "a", "notes-3": "c"}


def test_a_folder_that_is_not_there_is_said_and_comes_back(open_engine, tmp_path):
    """B22: neither silent nor lost: what was read of it stays"""
    place = tmp_path / "disk" / "notes"
    settings = {"extra_paths": [str(place)], "workspace": str(tmp_path / "disk" / "ws")}
    engine = open_engine(files=settings)
    done = engine.index()
    assert [why for _, why in done.problems] == ["is not there", "is not there"]
    told = engine.files.status()["unreadable"]
    assert {each["path"] for each in told} == {str(place), str(tmp_path / "disk" / "ws")}
    assert [trouble["what"] for trouble in engine.status()["degraded"]] == ["files"]
    note(place / "keys.md", "The deploy key rotates on Mondays.\n")
    note(tmp_path / "disk" / "ws" / "MEMORY.md", "The cellar door sticks.\n")
    assert engine.index().synced.added == 2
    assert engine.files.status()["unreadable"] == []
    os.rename(tmp_path / "disk", tmp_path / "away")
    assert engine.index().synced.removed == 0
    assert len(engine.files.status()["unreadable"]) == 2
    assert paths(engine.memory_search("deploy key rotates")) == ["notes/keys.md"]
    os.rename(tmp_path / "away", tmp_path / "disk")
    done = engine.index()
    assert (done.synced.added, done.synced.changed, done.problems) == (0, 0, [])


def test_what_of_the_settings_cannot_be_followed_breaks_nothing_else(open_engine, notes, tmp_path):
    """B22"""
    wrong = note(tmp_path / "letter.txt", "no Markdown")
    engine = open_engine(files={"extra_paths": [str(wrong), str(notes)]})
    done = engine.index()
    assert done.synced.added == 1
    assert done.problems == [(str(wrong), engine.files.status()["unreadable"][0]["why"])]
    assert done.problems[0][1].startswith("has a name that does not end in .md")
    assert paths(engine.memory_search("deploy key"))[0] == "notes/keys.md"


def test_a_folder_that_was_given_and_vanished_is_said_too(engine, notes, tmp_path):
    """B21"""
    engine.index(notes)
    os.rename(notes, tmp_path / "away")
    done = engine.index()
    assert (done.synced.removed, done.problems) == (0, [("notes", "is not there")])
    assert engine.files.status()["unreadable"] == [{"path": str(notes), "why": "is not there"}]


# --- triggers (B12) ---------------------------------------------------------------------------------------------------


def waited(engine: Cortex) -> list[str]:
    """Why the files were looked at, once whatever is under way has ended."""
    pending = engine.files.sync_soon("test") if engine.files.dirty else engine.files._soon
    if pending is not None:
        pending.exception(timeout=30)
    return reasons(engine)


def test_the_first_turn_of_a_session_looks_at_the_files(open_engine, notes):
    """B12: session start; later turns of it do not"""
    engine = open_engine(files={"extra_paths": [str(notes)], "sync": {"on_search": False}})
    hooks = TurnHooks(engine)
    hooks.before("When does the deploy key rotate?", session="s1")
    assert eventually(lambda: reasons(engine) == ["session_start"])
    hooks.before("And the door?", session="s1")
    hooks.before("And the garden?", session="s1")
    assert waited(engine) == ["session_start"]
    hooks.before("When does the deploy key rotate?", session="s2")
    assert eventually(lambda: reasons(engine) == ["session_start", "session_start"])
    assert "Mondays" in hooks.before("When does the deploy key rotate?", session="s2").block


def test_a_turn_is_not_delayed_by_the_files(open_engine, notes):
    """B12, C3: however long they take"""
    stall = threading.Event()
    embedder = FakeEmbedder(256)
    real = embedder.embed_documents
    embedder.embed_documents = lambda texts: (stall.wait(30), real(texts))[1]
    engine = open_engine(embedder=embedder, files={"extra_paths": [str(notes)]})
    engine.remember("The deploy key is made of brass", embed=False)
    try:
        injection = TurnHooks(engine).before("What is the deploy key made of?", session="s1")
        assert "brass" in injection.block
        assert injection.degraded == ("files:stale",)
        assert reasons(engine) == []
    finally:
        stall.set()
    assert eventually(lambda: "session_start" in reasons(engine))


def test_a_session_may_begin_without_a_look(open_engine, notes):
    """B12: sync.on_session_start off"""
    engine = open_engine(files={"extra_paths": [str(notes)], "sync": {"on_session_start": False, "on_search": False}})
    TurnHooks(engine).before("When does the deploy key rotate?", session="s1")
    assert engine.files._soon is None
    assert reasons(engine) == []


def test_heartbeats_are_no_sessions(open_engine, notes):
    """B12, C2"""
    engine = open_engine(files={"extra_paths": [str(notes)]})
    TurnHooks(engine).before("HEARTBEAT", session="s1", trigger="heartbeat")
    assert engine.files._soon is None


def test_who_follows_no_files_gets_neither_an_index_nor_receipts_of_it(open_engine, tmp_path):
    """B12: files cost nothing where there are none"""
    engine = open_engine()
    TurnHooks(engine).before("When does the deploy key rotate?", session="s1")
    assert eventually(lambda: not engine.files.dirty)
    assert engine.memory_search("deploy key")["results"] == []
    assert reasons(engine) == []
    assert [path.name for path in (tmp_path / "agents").glob("main.files*")] == []


def test_a_forced_look_says_so_and_makes_everything_anew(engine, notes):
    """B12, B13"""
    engine.index(notes)
    assert engine.index(force=True).synced.full == "forced"
    assert reasons(engine) == ["requested", "forced"]


def test_receipts_hold_counts_and_never_text(engine, tmp_path):
    """B12, X13"""
    note(tmp_path / "zoo" / "walrus.md", SECRET)
    note(tmp_path / "talks" / "t.jsonl", message("The walrus is hungry") + "\n")
    engine.files.add(tmp_path / "talks", shape="transcripts")
    engine.index(tmp_path / "zoo")
    engine.memory_search("where does the walrus sleep?")
    payload = json.dumps([receipt.to_json() for receipt in engine.receipts(limit=100)])
    assert "tank nine" not in payload
    assert "hungry" not in payload
    (looked,) = engine.receipts(op="index")
    assert looked.facts["files"]["added"] == 1
    assert (looked.facts["transcripts"], looked.facts["turns"]) == (1, 1)


# --- one look at a time -----------------------------------------------------------------------------------------------


class Slow:
    """Makes an embedder wait for a sign, and tells that it was asked."""

    def __init__(self, embedder: FakeEmbedder) -> None:
        self.asked, self.go, self.calls = threading.Event(), threading.Event(), 0
        self._real = embedder.embed_documents
        embedder.embed_documents = self  # type: ignore[method-assign]

    def __call__(self, texts):
        self.calls += 1
        self.asked.set()
        assert self.go.wait(30)
        return self._real(texts)


def test_many_that_ask_at_once_are_served_by_one_look(open_engine, notes):
    """B12: concurrency"""
    embedder = FakeEmbedder(256)
    slow = Slow(embedder)
    engine = open_engine(embedder=embedder, files={"extra_paths": [str(notes)]})
    first = engine.files.sync_soon("search")
    assert slow.asked.wait(30)
    with ThreadPoolExecutor(16) as pool:
        pending = list(pool.map(lambda _: engine.files.sync_soon("search"), range(64)))
    assert {id(each) for each in pending} == {id(first)}
    slow.go.set()
    first.result(timeout=30)
    assert reasons(engine) == ["search"]


def test_nor_do_those_that_ask_before_it_has_begun(open_engine, notes):
    """B12: concurrency"""
    engine = open_engine(files={"extra_paths": [str(notes)]})
    together = threading.Barrier(16)

    def ask(_: int) -> None:
        together.wait()
        pending = engine.files.sync_soon("search")
        assert pending is None or pending.exception(timeout=30) is None

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(ask, range(16)))
    assert reasons(engine) == ["search"]


def test_what_changes_while_the_files_are_looked_at_is_looked_at_again(open_engine, notes):
    """B12: a change that a look may have missed makes another"""
    embedder = FakeEmbedder(256)
    slow = Slow(embedder)
    engine = open_engine(embedder=embedder, files={"extra_paths": [str(notes)]})
    first = engine.files.sync_soon("session_start")
    assert slow.asked.wait(30)
    note(notes / "late.md", "The cellar door sticks.\n")
    engine.files.changed()
    again = engine.files.sync_soon("search")
    assert again is first
    slow.go.set()
    again.result(timeout=30)
    assert reasons(engine) == ["session_start", "search"]
    assert not engine.files.dirty
    assert paths(engine.memory_search("cellar door"))[0] == "notes/late.md"


def test_a_change_that_nobody_asks_about_stays_known(open_engine, notes):
    """B12: until the next search"""
    embedder = FakeEmbedder(256)
    slow = Slow(embedder)
    engine = open_engine(embedder=embedder, files={"extra_paths": [str(notes)]})
    first = engine.files.sync_soon("session_start")
    assert slow.asked.wait(30)
    engine.files.changed()
    slow.go.set()
    first.result(timeout=30)
    assert engine.files.dirty


def test_a_look_that_fails_leaves_the_files_to_be_looked_at(open_engine, notes, tmp_path):
    """B12: and a search answers from what is known meanwhile"""
    engine = open_engine(files={"extra_paths": [str(notes)]})
    engine.index()
    lock = tmp_path / "agents" / "main.files.lock"
    lock.unlink()
    lock.mkdir()
    note(notes / "late.md", "The deploy key has a twin.\n")
    engine.files.changed()
    answer = engine.memory_search("deploy key")
    assert answer["stale"]
    assert paths(answer) == ["notes/keys.md"]
    assert engine.files.dirty
    lock.rmdir()
    answer = engine.memory_search("deploy key")
    assert answer["stale"] is None
    assert "notes/late.md" in paths(answer)
    assert not engine.files.dirty


def test_calls_of_one_process_wait_for_each_other(open_engine, notes):
    """B12: a look may take longer than another process would be waited for"""
    embedder = FakeEmbedder(256)
    slow = Slow(embedder)
    engine = open_engine(embedder=embedder, files={"extra_paths": [str(notes)]})
    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(engine.index)
        assert slow.asked.wait(30)
        other = pool.submit(engine.index)
        slow.go.set()
        assert one.result(30).synced.added == 1
        assert other.result(30).synced.added == 0


_SYNC = """
import sys
from laboratory import opened
from cortex.errors import StoreBusy
home, folder = sys.argv[1:]
from pathlib import Path
with opened(Path(home), files={"extra_paths": [folder]}) as engine:
    try:
        print(engine.index().synced.added)
    except StoreBusy:
        print("busy")
"""


@pytest.mark.slow
def test_processes_that_look_at_once_break_nothing(open_engine, tmp_path):
    """B12: each waits for the others, or says that it cannot"""
    for number in range(40):
        note(tmp_path / "notes" / f"n{number}.md", f"# Kettle {number}\n\nThe kettle of room {number}.\n")
    home = tmp_path / "home"
    command = [sys.executable, "-c", _SYNC, str(home), str(tmp_path / "notes")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(3)]
    said = [process.communicate(timeout=120)[0].strip() for process in running]
    assert [process.returncode for process in running] == [0, 0, 0]
    assert sorted(said, reverse=True)[0] in {"40", "busy"}
    assert said.count("40") == 1
    with opened(home, files={"extra_paths": [str(tmp_path / "notes")]}) as engine:
        assert engine.index().synced.added == 0
        assert engine.files.status()["files"] == 40
        assert engine.verify() == []


def test_a_look_ends_when_the_engine_is_closed(open_engine, tmp_path):
    """B12: at its next file, and what it did so far is sound"""
    embedder = FakeEmbedder(256)
    slow = Slow(embedder)
    for number in range(600):
        note(tmp_path / "notes" / f"n{number}.md", f"The kettle of room {number}.\n")
    engine = open_engine(embedder=embedder, files={"extra_paths": [str(tmp_path / "notes")]})
    pending = engine.files.sync_soon("session_start")
    assert slow.asked.wait(30)
    threading.Timer(0.05, slow.go.set).start()
    engine.close()
    assert isinstance(pending.exception(timeout=30), StoreUnavailable)
    assert slow.calls == 1
    engine = open_engine(files={"extra_paths": [str(tmp_path / "notes")]})
    assert engine.index().synced.added == 600
    assert engine.verify() == []


def test_an_embedder_that_stalls_keeps_no_engine_from_being_closed(open_engine, notes):
    """B12: a process has to end"""
    embedder = FakeEmbedder(256)
    slow = Slow(embedder)
    engine = open_engine(embedder=embedder, files={"extra_paths": [str(notes)]})
    pending = engine.files.sync_soon("session_start")
    assert slow.asked.wait(30)
    try:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(engine.close).result(timeout=30)
        assert not pending.done()
    finally:
        slow.go.set()
    assert pending.exception(timeout=30) is not None
    with open_engine(files={"extra_paths": [str(notes)]}) as again:
        assert again.index().synced.seen == 1
        assert again.verify() == []


def test_a_closed_engine_looks_at_nothing_any_more(open_engine, notes):
    """B12"""
    engine = open_engine(files={"extra_paths": [str(notes)]})
    files = engine.files
    engine.close()
    files.changed()
    assert files.sync_soon("search") is None
    with pytest.raises(StoreUnavailable):
        files.sync()
    files.close()


# --- status (B21) -----------------------------------------------------------------------------------------------------

STATUS = {"backend", "provider", "model", "files", "chunks", "cache", "fts", "vector", "batch", "dirty", "last_sync"}


def test_the_status_tells_how_the_files_stand(open_engine, notes, clock):
    """B21"""
    engine = open_engine(embedding={"cache_entries": 50})
    before = engine.files.status()
    assert set(before) >= STATUS
    assert (before["files"], before["chunks"], before["dirty"], before["last_sync"]) == (0, 0, True, None)
    assert before["cache"] == {"enabled": True, "entries": 0, "max_entries": 50, "damaged": 0, "degraded": None}
    note(notes / "two.md", "# One\n\nThe first part is about kettles.\n\n# Two\n\nThe second part is about doors.\n")
    engine.index(notes)
    told = engine.files.status()
    assert (told["backend"], told["provider"], told["model"]) == ("builtin", "fake", "words")
    assert (told["files"], told["chunks"], told["dirty"]) == (2, 3, False)
    assert told["last_sync"] == clock.now().isoformat()
    assert told["cache"]["entries"] == 3
    assert told["fts"] == {"enabled": True, "available": True}
    assert told["vector"] == {"enabled": True, "available": True, "dims": 256, "lacking": 0, "earlier": None}
    assert told["batch"] == {"enabled": False}
    assert [source["name"] for source in told["sources"]] == ["notes"]
    assert (told["reindexing"], told["unreadable"]) == (False, [])
    assert told["watching"] == {"active": False, "trouble": None}
    assert json.loads(json.dumps(told)) == told
    assert engine.status()["files"]["chunks"] == 3


def test_the_status_counts_again_when_the_files_changed(engine, notes):
    """B21: it is asked with every search, and must not tell what was"""
    engine.index(notes)
    assert engine.files.status()["files"] == 1
    note(notes / "more.md", "The cellar door sticks.\n")
    engine.index()
    assert engine.files.status()["files"] == 2
    engine.index(force=True)
    assert engine.files.status()["files"] == 2
    (notes / "more.md").unlink()
    engine.index()
    assert (engine.files.status()["files"], engine.files.status()["chunks"]) == (1, 1)


def test_the_status_names_files_that_could_not_be_read(open_engine, notes):
    """B21, X15"""
    (notes / "binary.md").write_bytes(b"\x00\x01\x02")
    engine = open_engine()
    done = engine.index(notes)
    assert [path for path, _ in done.problems] == ["notes/binary.md"]
    (unreadable,) = engine.files.status()["unreadable"]
    assert unreadable["path"] == "notes/binary.md"
    assert "files" in [trouble["what"] for trouble in engine.status()["degraded"]]


def test_a_cache_that_cannot_be_used_is_told(open_engine, tmp_path):
    """B21, B18"""
    (tmp_path / "embeddings.sqlite").write_bytes(b"no database " * 100)
    told = open_engine(embedding={"cache_entries": 50}).files.status()["cache"]
    assert (told["enabled"], told["entries"], told["max_entries"]) == (True, None, 50)
    assert "cannot be used" in told["degraded"]


def test_without_an_embedder_the_status_says_so(open_engine, notes):
    """B21"""
    from cortex.providers.embedders.none import NoEmbedder

    engine = open_engine(embedder=NoEmbedder())
    engine.index(notes)
    told = engine.files.status()
    assert told["vector"] == {"enabled": False, "available": False, "dims": 0, "lacking": 0, "earlier": None}
    assert told["cache"] == {"enabled": False}
    assert engine.files.probe_vectors() is False


@pytest.mark.parametrize("damage", ["gone", "garbage"])
def test_an_index_that_cannot_be_used_is_told_and_made_anew(open_engine, notes, tmp_path, damage):
    """B21, B14: it is made of the files, so nothing is lost"""
    files = {"extra_paths": [str(notes)]}
    with open_engine(files=files) as engine:
        engine.index()
    for path in (tmp_path / "agents").glob("main.files@*.sqlite*"):
        path.unlink() if damage == "gone" else path.write_bytes(b"x" * 8_192)
    engine = open_engine(files=files)
    (unreadable,) = engine.files.status()["unreadable"]
    assert unreadable["path"] == "the index"
    answer = engine.memory_search("deploy key")
    assert (paths(answer), answer["stale"]) == (["notes/keys.md"], None)
    assert engine.files.status()["unreadable"] == []


class Batching(FakeEmbedder):
    """An embedder with a batch service."""

    def batch_status(self):
        return {"enabled": True, "failures": 1, "limit": 2, "used": 7}


@pytest.mark.parametrize("entries", [0, 50])
def test_the_batch_service_is_told_of_through_whatever_wraps_it(open_engine, entries):
    """B21, B17"""
    engine = open_engine(embedder=Batching(256), embedding={"cache_entries": entries})
    assert engine.files.status()["batch"] == {"enabled": True, "failures": 1, "limit": 2, "used": 7}


# --- documents, the cold lane (E15) -----------------------------------------------------------------------------------


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    for number in range(6):
        said = "".join(f"The harbour crane {number} is painted yellow in year {year}. " for year in range(25))
        note(tmp_path / "docs" / f"d{number}.md", f"# Decision {number}\n\n{said}\n")
    return tmp_path / "docs"


def test_documents_are_not_asked_where_others_answer(engine, notes, documents):
    """E15"""
    note(notes / "crane.md", "The harbour crane squeaks.\n")
    engine.index(documents, lane="docs")
    engine.index(notes)
    for found in (engine.recall("harbour crane"), engine.search("harbour crane")):
        assert {hit.trace.lane for hit in found.hits} == {Lane.NOTES}
    assert {result["source"] for result in engine.memory_search("harbour crane")["results"]} == {"memory"}


def test_documents_answer_where_nothing_else_does_and_not_too_much(engine, notes, documents):
    """E15: at most three, within 600 tokens, cited"""
    engine.index(documents, lane="docs")
    engine.index(notes)
    asked = "which harbour crane is painted yellow?"
    found = engine.recall(asked)
    assert 1 <= len(found.hits) <= 3
    assert found.tokens <= 600
    assert all(hit.trace.lane is Lane.DOCS for hit in found.hits)
    assert all(hit.trace.citation in found.block for hit in found.hits)
    answer = engine.memory_search(asked)
    assert 1 <= len(answer["results"]) <= 3
    assert {result["source"] for result in answer["results"]} == {"docs"}
    assert all(result["citation"].startswith("docs/d") for result in answer["results"])
    assert all("yellow" in result["snippet"] for result in answer["results"])
    assert len(engine.memory_search(asked, max_results=1)["results"]) == 1


def test_documents_are_asked_by_name(engine, notes, documents):
    """E15"""
    note(notes / "crane.md", "The harbour crane squeaks.\n")
    engine.index(documents, lane="docs")
    engine.index(notes)
    hits = engine.search("harbour crane painted yellow", lanes=["docs"]).hits
    assert len(hits) > 3
    assert {hit.trace.lane for hit in hits} == {Lane.DOCS}
    found = engine.files.search("harbour crane painted yellow", lanes=frozenset({Lane.DOCS}))
    assert {each.source for each in found} == {"docs"}
    with pytest.raises(InvalidRequest, match="lanes"):
        engine.files.search("harbour crane", lanes=frozenset({Lane.MEMORIES}))


# --- untrusted files (E7) ---------------------------------------------------------------------------------------------


def test_untrusted_lines_are_labelled_and_never_shown_beside_trusted_ones(engine, notes, tmp_path):
    """E7, X15"""
    note(tmp_path / "web" / "page.md", "The deploy key rotates on Fridays, says a page.\n")
    engine.index(notes)
    engine.index(tmp_path / "web", trust="untrusted")
    found = engine.recall("when does the deploy key rotate?")
    assert {hit.trace.trust for hit in found.hits} == {TrustTier.TRUSTED}
    assert "Fridays" not in found.block
    (page,) = [hit for hit in engine.search("deploy key Fridays").hits if hit.trace.path == "web/page.md"]
    assert page.trace.trust is TrustTier.UNTRUSTED


def test_where_nothing_trusted_answers_untrusted_lines_do_and_say_so(engine, tmp_path):
    """E7"""
    note(tmp_path / "web" / "page.md", "The deploy key rotates on Fridays, says a page.\n")
    engine.index(tmp_path / "web", trust="untrusted")
    block = engine.recall("when does the deploy key rotate?").block
    assert "Fridays" in block
    assert "untrusted" in block


def test_a_folder_that_turns_untrusted_is_labelled_anew(engine, notes):
    """E7"""
    engine.index(notes)
    engine.index(notes, trust="untrusted")
    assert {trace.trust for trace in engine.list()} == {TrustTier.UNTRUSTED}


# --- transcripts (B12, B19) -------------------------------------------------------------------------------------------


def test_a_look_stores_what_is_new_in_transcripts_once(engine, tmp_path):
    """B19"""
    talk = note(tmp_path / "talks" / "t.jsonl", message("The walrus is hungry") + "\n")
    engine.files.add(tmp_path / "talks", shape="transcripts")
    assert engine.index().transcripts.turns == 1
    assert engine.index().transcripts.turns == 0
    with talk.open("a") as file:
        file.write(message("It wants herring") + "\n" + message("half a li")[:20])
    assert engine.index().transcripts.turns == 1
    assert engine.memory_get("sessions/t")["text"] == "user: The walrus is hungry\nuser: It wants herring"


def grown(engine: Cortex, talk: Path, messages: int, words: int = 1) -> bool:
    """Whether a transcript that grew by so much is read."""
    with talk.open("a") as file:
        for number in range(messages):
            file.write(message(f"word {number} " * words) + "\n")
    return engine.files.sync_transcripts() is not None


@pytest.mark.parametrize(("messages", "words", "is_enough"), [(49, 1, False), (50, 1, True), (2, 8_000, True)])
def test_transcripts_are_read_on_when_they_grew_enough(engine, tmp_path, messages, words, is_enough):
    """B12: by 50 messages, or 100 KB"""
    talk = note(tmp_path / "talks" / "t.jsonl", message("The walrus is hungry") + "\n")
    engine.files.add(tmp_path / "talks", shape="transcripts")
    engine.index()
    assert grown(engine, talk, messages, words) is is_enough
    assert reasons(engine) == (["requested", "transcript"] if is_enough else ["requested"])


def test_a_transcript_that_vanishes_keeps_no_other_from_being_read(engine, tmp_path):
    """B12: at whichever moment it does"""
    talks = tmp_path / "talks"
    for name in ("a", "b"):
        note(talks / f"{name}.jsonl", message("The walrus is hungry") + "\n")
    os.symlink(talks / "nowhere.jsonl", talks / "link.jsonl")
    engine.files.add(talks, shape="transcripts")
    engine.index()
    os.mkfifo(talks / "c.jsonl")
    assert grown(engine, talks / "b.jsonl", 60)
    listed = scan.found(engine.files.sources()).files
    (talks / "a.jsonl").unlink()
    assert [engine.files._transcripts._has_grown(file) for file in listed] == [False, False]


def test_what_is_no_transcript_is_passed_over_and_counted(engine, tmp_path):
    """B19"""
    note(tmp_path / "talks" / "t.jsonl", "no json\n" + message("The walrus is hungry") + "\n\n{}\n")
    engine.files.add(tmp_path / "talks", shape="transcripts")
    done = engine.index()
    assert (done.transcripts.turns, done.transcripts.unreadable) == (1, 1)


# --- summaries (X15) --------------------------------------------------------------------------------------------------


def test_sections_are_summarized_where_that_is_wanted_and_there_is_a_model(open_engine, tmp_path):
    """X15: found by the summary, which is never shown as the text"""
    body = "The crane at the north quay was checked by the inspector and found sound in all its parts. " * 4
    note(tmp_path / "notes" / "crane.md", f"# Crane\n\n{body}\n")
    model = FakeLLM(lambda _: json.dumps({"summaries": {"1": "Inspection of the crane: hoisting machinery."}}))
    engine = open_engine(model=model, llm={"provider": "none"})
    engine.index(tmp_path / "notes")
    assert model.prompts == []
    done = engine.index(tmp_path / "notes", summarize=True)
    assert done.receipt.facts["summaries"]["summarized"] == 1
    answer = engine.memory_search("hoisting machinery", min_score=0.0)
    assert paths(answer) == ["notes/crane.md"]
    assert "hoisting" not in snippets(answer)


def test_shapes_are_named_as_they_are(engine, notes):
    """X15"""
    assert engine.files.add(notes, shape=Shape.TREE) == engine.files.add(notes, shape="tree")

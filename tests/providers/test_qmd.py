"""qmd as a search of an agent's files: its limits (Q1), and the built-in search that answers when it fails (Q2).

What qmd does is tried on the real program where there is one (CORTEX_QMD, on PATH, or under .qmd), and always on
`qmd_like.py`, a program of our own that answers in the same forms and can misbehave.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.clock import SystemClock
from cortex.errors import (
    DeadlineExceeded,
    EmbedderUnavailable,
    EngineError,
    InvalidRequest,
    NotFound,
    ProviderError,
    ProviderMissing,
)
from cortex.ports.file_search import FileSearch, FoundLines, LineSearch, ProgressCallback
from cortex.providers.qmd import (
    MAX_OUTPUT_BYTES,
    Collection,
    QmdLimits,
    QmdMode,
    QmdSearch,
    as_words,
    bounded,
    located,
    rows_in,
    shown,
)
from cortex.testing import FakeClock
from cortex.workspace.fallback import Fallback
from sweeps import for_each

REPOSITORY = Path(__file__).parents[2]
LIKE = Path(__file__).with_name("qmd_like.py")
PATIENT = QmdLimits(timeout_ms=60_000)
INSTALLED = os.environ.get("CORTEX_QMD") or shutil.which(
    "qmd", path=os.pathsep.join([str(REPOSITORY / ".qmd/node_modules/.bin"), *os.get_exec_path()])
)
WORKSPACE = "{MEMORY.md,memory.md,memory/**/*.md}"


# --- what is searched, and with what -------------------------------------------------------------


def made_workspace(root: Path) -> Path:
    """An agent's workspace with a few notes, and files beside them that are no memory."""
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text("# Memory\n\nPrefers tea over coffee.\n", encoding="utf-8")
    day = "# Monday\n\nAll quiet.\n\nThe deploy key rotates on Mondays.\nAsk Ines first.\n\nLunch was late.\n"
    (root / "memory" / "2026-01-05.md").write_text(day, encoding="utf-8")
    (root / "memory" / "Straße & Café #1.md").write_text("Der Schlüssel liegt im Café.\n", encoding="utf-8")
    (root / "README.md").write_text("The deploy key of the project is no memory.\n", encoding="utf-8")
    return root


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return made_workspace(tmp_path / "workspace")


@pytest.fixture(scope="session")
def like(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Our own program, as a command that can be run."""
    made = tmp_path_factory.mktemp("bin") / "qmd"
    made.write_text(
        f"#!{sys.executable} -IS\nimport sys\nsys.path.insert(0, {str(LIKE.parent)!r})\n"
        f"import {LIKE.stem}\n{LIKE.stem}.main()\n",
        encoding="utf-8",
    )
    made.chmod(0o755)
    return str(made)


@pytest.fixture(scope="session")
def real() -> str:
    """The real program, where one is installed and runs."""
    if not INSTALLED:
        pytest.skip("qmd is not installed: set CORTEX_QMD, or put it on PATH or under .qmd")
    path = os.pathsep.join([os.path.dirname(INSTALLED), os.environ.get("PATH", os.defpath)])
    version = subprocess.run([INSTALLED, "--version"], capture_output=True, text=True, env={**os.environ, "PATH": path})
    if version.returncode != 0 or not version.stdout.startswith("qmd 2."):
        pytest.skip(f"{INSTALLED} does not run as qmd 2: it needs Node 22")
    return INSTALLED


@pytest.fixture(params=["like", "real"], scope="session")
def command(request: pytest.FixtureRequest) -> str:
    return request.getfixturevalue(request.param)


@dataclass(frozen=True)
class Place:
    """A workspace that a program has indexed, and where it keeps that."""

    folder: Path
    root: Path
    command: str

    def searching(self, **options: Any) -> QmdSearch:
        return searching(self.folder, self.root, self.command, **options)


def settled(directory: Path, command: str) -> Place:
    place = Place(directory / "qmd", made_workspace(directory / "workspace"), command)
    place.searching().sync()
    return place


@pytest.fixture(scope="session")
def indexed_place(tmp_path_factory: pytest.TempPathFactory, command: str) -> Place:
    """For tests that only search."""
    return settled(tmp_path_factory.mktemp("indexed"), command)


@pytest.fixture(scope="session")
def like_place(tmp_path_factory: pytest.TempPathFactory, like: str) -> Place:
    """For tests that only search, with a program that can misbehave."""
    return settled(tmp_path_factory.mktemp("like"), like)


def searching(
    folder: Path,
    root: Path,
    command: str,
    *more: Collection,
    limits: QmdLimits = PATIENT,
    clock: Any = None,
    **options: Any,
) -> QmdSearch:
    own = Collection(name="workspace", root=root, pattern=WORKSPACE)
    return QmdSearch(folder, [own, *more], clock or SystemClock(), command=command, limits=limits, **options)


def indexed(folder: Path, root: Path, command: str, *more: Collection, **options: Any) -> QmdSearch:
    searching(folder, root, command, *more).sync()
    return searching(folder, root, command, *more, **options)


class Notes:
    """A small search of its own, by words: the built-in one of these tests."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._texts: dict[str, str] = {}
        self.is_closed = False
        self.sync()

    def search(
        self,
        query: str,
        *,
        max_results: int | None = None,
        min_score: float | None = None,
        session: str | None = None,
    ) -> Sequence[FoundLines]:
        words = query.lower().split()
        return [
            FoundLines(path=path, start_line=at, end_line=at, score=0.5, snippet=line, source="memory")
            for path, text in self._texts.items()
            for at, line in enumerate(text.splitlines(), start=1)
            if any(word in line.lower() for word in words)
        ][: max_results or 6]

    def read_file(self, path: str, *, start: int | None = None, lines: int | None = None) -> tuple[str, str]:
        if path not in self._texts:
            raise NotFound(f"no file {path!r}")
        first = (start or 1) - 1
        kept = self._texts[path].splitlines()[first : first + lines if lines else None]
        return "\n".join(kept), path

    def status(self) -> Mapping[str, Any]:
        return {"backend": "own", "files": len(self._texts)}

    def sync(self, *, force: bool = False, reason: str = "", progress: ProgressCallback | None = None) -> object:
        files = [self._root / "MEMORY.md", *sorted((self._root / "memory").glob("*.md"))]
        self._texts = {str(each.relative_to(self._root)): each.read_text(encoding="utf-8") for each in files}
        return len(self._texts)

    def probe_embedding(self) -> EngineError | None:
        return EmbedderUnavailable("notes have no vectors")

    def probe_vectors(self) -> bool:
        return False

    def close(self) -> None:
        self.is_closed = True


def paths(found: Sequence[FoundLines]) -> list[str]:
    return [each.path for each in found]


# --- qmd answers (Q1) ----------------------------------------------------------------------------


def test_qmd_finds_lines_and_cites_them_as_they_lie_in_the_workspace(indexed_place: Place) -> None:
    """Q1, B9"""
    (found,) = indexed_place.searching().search("deploy key")
    assert (found.path, found.source, found.citation) == ("memory/2026-01-05.md", "memory", None)
    lines = (indexed_place.root / found.path).read_text(encoding="utf-8").splitlines()
    assert found.snippet == "\n".join(lines[found.start_line - 1 : found.end_line]), "the lines cited are those shown"
    assert "The deploy key rotates on Mondays." in found.snippet


def test_files_of_any_name_are_cited_by_it(indexed_place: Place) -> None:
    """Q1"""
    assert paths(indexed_place.searching().search("Schlüssel")) == ["memory/Straße & Café #1.md"]


def test_another_folder_is_cited_below_its_name_and_told_apart(tmp_path: Path, workspace: Path, command: str) -> None:
    """Q1, B9"""
    handbook = tmp_path / "handbook"
    (handbook / "on call").mkdir(parents=True)
    (handbook / "on call" / "keys.md").write_text("Every deploy key has an owner.\n", encoding="utf-8")
    docs = Collection(name="the hand/book", root=handbook, cited="handbook", source="docs")
    found = indexed(tmp_path / "qmd", workspace, command, docs).search("deploy key")
    assert {(each.path, each.source) for each in found} == {
        ("memory/2026-01-05.md", "memory"),
        ("handbook/on call/keys.md", "docs"),
    }


def test_what_is_nowhere_is_an_empty_answer_and_no_failure(indexed_place: Place) -> None:
    """Q1"""
    search = indexed_place.searching()
    assert search.search("zeppelin") == ()
    assert search.search("deploy zeppelin") == (), "qmd finds what has every word"


@pytest.mark.parametrize("query", ["-tea", "--tea", "-- tea", "te", "tea\n", "\x00tea", "tea \ud800"])
def test_a_query_is_words_whatever_it_looks_like(indexed_place: Place, query: str) -> None:
    """Q1"""
    assert paths(indexed_place.searching().search(query)) == ["MEMORY.md"]


@pytest.mark.parametrize("query", ["--version tea", "--index=other tea", "--help tea", "-h tea", "lex: tea"])
def test_nothing_in_a_query_is_an_option_to_qmd(indexed_place: Place, query: str) -> None:
    """Q1: they are words like others, and no file has them"""
    assert indexed_place.searching().search(query) == ()


@pytest.mark.parametrize("query", ["", "   ", "-", "-- --", "\x00\n"])
def test_a_query_without_words_starts_no_program(tmp_path: Path, workspace: Path, query: str) -> None:
    """Q1"""
    assert searching(tmp_path / "qmd", workspace, "no-such-program").search(query) == ()


def test_agents_never_see_the_files_of_each_other(tmp_path: Path, workspace: Path, command: str) -> None:
    """Q1: every agent has an index and a configuration of its own"""
    other = tmp_path / "other"
    (other / "memory").mkdir(parents=True)
    (other / "memory" / "2026-01-05.md").write_text("The deploy key is under the mat.\n", encoding="utf-8")
    mine = indexed(tmp_path / "agents" / "a", workspace, command)
    theirs = indexed(tmp_path / "agents" / "b", other, command)
    assert "rotates" in mine.search("deploy key")[0].snippet
    assert [each.snippet for each in theirs.search("deploy key")] == ["The deploy key is under the mat."]


def test_a_sync_follows_what_changed_on_disk(tmp_path: Path, workspace: Path, command: str) -> None:
    """Q1"""
    search = indexed(tmp_path / "qmd", workspace, command)
    (workspace / "memory" / "2026-01-05.md").unlink()
    assert search.search("deploy key") == (), "a file that is gone is not cited, indexed or not"
    (workspace / "MEMORY.md").write_text("The deploy key never rotates.\n", encoding="utf-8")
    search.sync()
    assert paths(search.search("deploy key")) == ["MEMORY.md"]


@pytest.mark.parametrize("force", [False, True])
def test_a_sync_can_be_repeated(tmp_path: Path, workspace: Path, command: str, force: bool) -> None:
    """Q1"""
    search = indexed(tmp_path / "qmd", workspace, command)
    items: list[tuple[int, int, str]] = []
    search.sync(force=force, reason="by hand", progress=lambda *each: items.append(each))
    assert paths(search.search("tea")) == ["MEMORY.md"]
    assert search.status()["synced"]["reason"] == "by hand"
    assert (items[0][0], items[-1][0]) == (0, items[-1][1]), "from nothing to all"
    assert len(items) == (4 if force else 2), "where nothing is new to qmd, one update is enough"


def test_a_folder_that_is_no_longer_wanted_is_dropped_and_a_moved_one_replaced(
    tmp_path: Path, workspace: Path, command: str
) -> None:
    """Q1"""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "tea.md").write_text("Tea is brewed at 80 degrees.\n", encoding="utf-8")
    folder = tmp_path / "qmd"
    assert len(indexed(folder, workspace, command, Collection(name="docs", root=docs, cited="docs")).search("tea")) == 2
    moved = tmp_path / "moved"
    workspace.rename(moved)
    (moved / "MEMORY.md").write_text("No more tea.\n", encoding="utf-8")
    search = indexed(folder, moved, command)
    assert [each.snippet for each in search.search("tea")] == ["No more tea."]


def test_a_folder_that_is_not_made_yet_holds_nothing_up(tmp_path: Path, workspace: Path, command: str) -> None:
    """Q1"""
    later = Collection(name="later", root=tmp_path / "later", cited="later")
    search = indexed(tmp_path / "qmd", workspace, command, later)
    assert paths(search.search("tea")) == ["MEMORY.md"]
    later.root.mkdir()
    (later.root / "tea.md").write_text("Later there is tea.\n", encoding="utf-8")
    with pytest.raises(ProviderError, match="has not read the files yet"):
        search.search("tea")
    search.sync()
    assert sorted(paths(search.search("tea"))) == ["MEMORY.md", "later/tea.md"]


def test_hooks_that_lie_beside_the_files_are_not_run(tmp_path: Path, workspace: Path, command: str) -> None:
    """Q1: a `.qmd` folder may come with a repository, and qmd would follow it"""
    run = tmp_path / "run"
    hooks = {"collections": {"theirs": {"path": str(workspace), "pattern": "*.md", "update": f"touch {run}"}}}
    for folder in (tmp_path, workspace):
        (folder / ".qmd").mkdir()
        (folder / ".qmd" / "index.yml").write_text(json.dumps(hooks), encoding="utf-8")
    search = indexed(workspace / "state", workspace, command)
    assert paths(search.search("deploy key")) == ["memory/2026-01-05.md"], "README.md is in their pattern, not in ours"
    assert not run.exists()


def test_results_below_the_wanted_score_are_left_out(indexed_place: Place) -> None:
    """Q1, B9"""
    search = indexed_place.searching()
    (found,) = search.search("tea", min_score=0.0)
    assert search.search("tea", min_score=found.score + 0.01) == ()


# --- its limits (Q1) -----------------------------------------------------------------------------


def test_the_limits_are_those_of_the_seed_where_nothing_else_is_said() -> None:
    """Q1"""
    limits = QmdLimits()
    assert (limits.max_results, limits.max_snippet_chars, limits.max_injected_chars) == (6, 700, 4000)
    assert limits.timeout_ms == 4000
    assert [mode.value for mode in QmdMode] == ["search", "vsearch", "query"]


@for_each("name", ["max_results", "max_snippet_chars", "max_injected_chars", "timeout_ms"])
@for_each("value", [0, -1, 1.5, True, "6", None])
def test_a_limit_is_a_whole_number_above_nothing(name: str, value: Any) -> None:
    """Q1"""
    with pytest.raises(InvalidRequest, match=rf"files\.qmd\.{name}"):
        QmdLimits(**{name: value})


def test_six_results_are_the_most(tmp_path: Path, workspace: Path, command: str) -> None:
    """Q1"""
    for number in range(9):
        (workspace / "memory" / f"{number}.md").write_text(f"Note {number} of the zeppelin\n", encoding="utf-8")
    search = indexed(tmp_path / "qmd", workspace, command)
    for wanted, given_back in ((None, 6), (9, 6), (2, 2), (0, 0), (-1, 0)):
        assert len(set(paths(search.search("zeppelin", max_results=wanted)))) == given_back


def test_a_program_that_says_too_much_is_cut_to_the_limits(tmp_path: Path, workspace: Path, like: str) -> None:
    """Q1: 6 results, 700 characters each, 4000 in all, however many come"""
    (workspace / "MEMORY.md").write_text("zeppelin " + "x" * 2000 + "\nmore\n", encoding="utf-8")
    generous = {"QMD_LIKE": "generous"}
    found = indexed(tmp_path / "qmd", workspace, like, environment=generous).search("zeppelin")
    assert [len(each.snippet) for each in found] == [700, 700, 700, 700, 700, 500]
    assert {(each.start_line, each.end_line) for each in found} == {(1, 1)}, "only what is shown is cited"


@given(st.lists(st.text(max_size=60), max_size=12), st.integers(1, 8), st.integers(1, 30), st.integers(1, 90))
def test_no_answer_is_ever_over_its_limits(snippets: list[str], most: int, each_chars: int, all_chars: int) -> None:
    """Q1"""
    limits = QmdLimits(max_results=most, max_snippet_chars=each_chars, max_injected_chars=all_chars)
    found = [
        FoundLines(path="a.md", start_line=3, end_line=3 + text.count("\n"), score=0.5, snippet=text, source="memory")
        for text in snippets
    ]
    kept = bounded(found, limits)
    assert len(kept) <= most
    assert sum(len(each.snippet) for each in kept) <= all_chars
    assert all(len(each.snippet) <= each_chars and whole.snippet.startswith(each.snippet)
               for each, whole in zip(kept, found, strict=False))  # fmt: skip
    assert all(each.end_line == 3 + each.snippet.count("\n") for each in kept)


def test_the_program_sees_nothing_of_our_environment(
    tmp_path: Path, workspace: Path, like: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Q1: keys and tokens stay here, and what is kept for the agent is its own"""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-to-be-seen")
    monkeypatch.setenv("INDEX_PATH", str(tmp_path / "foreign.sqlite"))
    seen = tmp_path / "seen"
    environment = {"QMD_LIKE": "environment", "QMD_LIKE_MARK": str(seen), "INDEX_PATH": "elsewhere"}
    folder = tmp_path / "qmd"
    search = indexed(folder, workspace, like, cache=tmp_path / "models", environment=environment)
    search.search("tea")
    payload = json.loads(seen.read_text(encoding="utf-8"))
    own = {
        "PATH",
        "HOME",
        "PWD",
        "LC_ALL",
        "NO_COLOR",
        "INDEX_PATH",
        "QMD_CONFIG_DIR",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
    }
    assert {name for name in payload if not name.startswith("__")} - own == {"QMD_LIKE", "QMD_LIKE_MARK"}
    assert (payload["INDEX_PATH"], payload["XDG_CACHE_HOME"]) == (
        str(folder / "index.sqlite"),
        str(tmp_path / "models"),
    )
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [path for path in folder.rglob("*") if path.stat().st_mode & 0o077] == []


def test_notes_around_the_results_do_no_harm(like_place: Place) -> None:
    """Q1"""
    assert paths(like_place.searching(environment={"QMD_LIKE": "notes"}).search("tea")) == ["MEMORY.md"]


def test_that_nothing_was_found_may_be_said_in_words(like_place: Place) -> None:
    """Q1: older versions do"""
    assert like_place.searching(environment={"QMD_LIKE": "old"}).search("tea") == ()


@pytest.mark.parametrize("mode", [QmdMode.VSEARCH, QmdMode.QUERY])
def test_modes_with_vectors_wait_until_they_are_made(tmp_path: Path, workspace: Path, like: str, mode: QmdMode) -> None:
    """Q1"""
    search = indexed(tmp_path / "qmd", workspace, like, mode=mode)
    assert "has not read" in str(search.probe_embedding())
    assert not search.probe_vectors()
    with pytest.raises(ProviderError, match="has not read"):
        search.search("tea")
    items: list[str] = []
    search.sync(progress=lambda done, total, label: items.append(label))
    assert items == ["qmd update", "qmd embed", "qmd"]
    assert search.probe_embedding() is None
    assert search.probe_vectors()
    assert paths(search.search("tea")) == ["MEMORY.md"]


def test_by_keywords_there_are_no_vectors(like_place: Place) -> None:
    """B1, Q1"""
    search = like_place.searching()
    assert isinstance(search.probe_embedding(), EmbedderUnavailable)
    assert not search.probe_vectors()


# --- what it says is read with care (Q1) ---------------------------------------------------------


def test_what_lies_in_no_file_of_ours_is_dropped(tmp_path: Path, like_place: Place) -> None:
    """Q1: results are cited only from the folders that were registered, and no path leads out of them"""
    workspace = like_place.root
    (workspace.parent / "secret.md").write_text("tea", encoding="utf-8")
    key = Collection(name="workspace", root=workspace, pattern=WORKSPACE).key
    files = [
        "qmd://other-12345678/MEMORY.md", f"qmd://{key}/../secret.md", f"qmd://{key}/memory/../../secret.md",
        f"qmd://{key}//MEMORY.md", f"qmd://{key}/./MEMORY.md", f"qmd://{key}/", f"qmd://{key}", f"qmd://{key}/gone.md",
        f"qmd://{key}/memory", f"file://{key}/MEMORY.md", f"{key}/MEMORY.md", str(workspace / "MEMORY.md"), "",
        f"qmd://{key}/MEMORY.md\0", f"qmd://{key}/\ud800.md", f"qmd://{key}/{'x' * 300}.md",
        f"qmd://{key}/MEMORY.md?index=other",
    ]  # fmt: skip
    answer = tmp_path / "answer.json"
    answer.write_text(json.dumps([{"file": each, "snippet": "tea"} for each in files]), encoding="utf-8")
    environment = {"QMD_LIKE": "instead", "QMD_LIKE_ANSWER": str(answer)}
    search = like_place.searching(environment=environment)
    assert search.search("tea") == ()
    good = {"file": f"qmd://{key}/MEMORY.md", "score": "high", "line": True, "snippet": 7}
    answer.write_text(json.dumps([good]), encoding="utf-8")
    (found,) = search.search("tea")
    assert (found.path, found.score, found.start_line, found.end_line, found.snippet) == ("MEMORY.md", 0.0, 1, 1, "")


@pytest.mark.parametrize(
    ("row", "start", "text"),
    [
        ({"snippet": "@@ -12,4 @@ (11 before, 3 after)\none\ntwo"}, 12, "one\ntwo"),
        ({"snippet": "@@ -12 @@\none", "line": 3}, 12, "one"),
        ({"snippet": "@@ -2,3 @@ (1 before, 0 after)\n\nPrefers tea.\n"}, 3, "Prefers tea."),
        ({"snippet": "@@ -2,3 @@"}, 2, ""),
        ({"snippet": "one\n @@ -5,1 @@", "line": 3}, 3, "one\n @@ -5,1 @@"),
        ({"snippet": "one", "line": 0}, 1, "one"),
        ({"snippet": "one", "line": 10**400}, 1, "one"),
        ({"snippet": "one", "line": "7"}, 1, "one"),
        ({"snippet": "a \ud800 b"}, 1, "a ? b"),
        ({"snippet": None, "line": 4}, 4, ""),
        ({}, 1, ""),
    ],
)
def test_a_snippet_says_where_it_begins(row: dict[str, Any], start: int, text: str) -> None:
    """Q1, B9"""
    assert shown(row) == (start, text)


@given(st.text() | st.lists(st.sampled_from(["[", "{", "]", "}", '"file"', ":", "\n", ",", '"x"', "1"])).map("".join))
def test_whatever_is_said_is_rows_or_a_named_error(said: str) -> None:
    """Q1"""
    try:
        rows = rows_in(said)
    except ProviderError:
        return
    assert all(isinstance(row["file"], str) for row in rows)


@given(st.text().map("qmd://".__add__) | st.text() | st.lists(st.sampled_from(["/", "..", ".", "a", "?"])).map("".join))
def test_no_address_leads_out_of_its_folder(uri: str) -> None:
    """Q1"""
    _, relative = located(uri)
    assert not relative.startswith("/")
    assert not {"..", ".", ""} & set(relative.split("/")) or relative == ""


@given(st.text() | st.lists(st.sampled_from(["-", " ", "a", "\n", "lex:", "\x00"])).map("".join))
def test_words_are_on_one_line_and_begin_with_no_dash(query: str) -> None:
    """Q1"""
    words = as_words(query)
    assert not any(word.startswith("-") for word in words.split())
    assert words == " ".join(words.split())
    assert "\x00" not in words
    words.encode()


# --- it fails, and the built-in search answers (Q2) ----------------------------------------------


class RunsOut:
    """A clock by which every time limit has passed once `mark` is there."""

    def __init__(self, mark: Path) -> None:
        self._mark = mark

    def now(self) -> datetime:
        return SystemClock().now()

    def monotonic(self) -> float:
        return time.monotonic() + (3600 if self._mark.exists() else 0)


def is_running(pid: int) -> bool:
    """Whether the process still does anything; one that only waits to be reaped by somebody else does not."""
    if Path("/proc/self/stat").exists():
        with suppress(FileNotFoundError, ProcessLookupError):
            return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
        return False
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()
    return bool(state) and not state.startswith("Z")


def soon(claim: Any) -> bool:
    """Whether `claim` comes true; what the system does on a signal takes a moment."""
    return any(claim() or time.sleep(0.01) for _ in range(1000))


@contextmanager
def misbehaving(tmp_path: Path, place: Place, how: str) -> Iterator[tuple[Fallback, Path]]:
    """qmd as it was indexed well and now fails, with the notes behind it; and the file with what it started."""
    mark = tmp_path / "mark"
    environment = {"QMD_LIKE": how, "QMD_LIKE_MARK": str(mark)}
    first = place.searching(clock=RunsOut(mark), environment=environment)
    try:
        yield Fallback(first, Notes(place.root), FakeClock()), mark
    finally:
        for pid in mark.read_text(encoding="utf-8").split() if mark.exists() else ():
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("exit 1", r"qmd ended with code 1: SqliteError: database is \u001b[31mlocked"),
        ("exit 1 after the answer", "qmd ended with code 1: it did not say why"),
        ("garbage", "qmd answered something else than results as JSON"),
        ("nothing", "qmd answered something else than results as JSON"),
        ("truncated", "qmd answered something else than results as JSON"),
        ("huge", f"qmd said more than {MAX_OUTPUT_BYTES:,} bytes"),
        ("crash", "qmd was ended by SIGSEGV"),
        ("hangs", "qmd gave no answer within 60 s"),
        ("hangs after the answer", "qmd gave no answer within 60 s"),
        ("hangs in a child that will not be ended", "qmd gave no answer within 60 s"),
        ("hangs with its output closed", "qmd gave no answer within 60 s"),
        ("complains without end", "qmd gave no answer within 60 s"),
        ("leaves a child that holds its output", "qmd gave no answer within 60 s"),
        ("leaves a child of another group that holds its output", "qmd gave no answer within 60 s"),
    ],
)
def test_however_qmd_fails_the_built_in_search_answers_and_the_status_says_so(
    tmp_path: Path, like_place: Place, how: str, reason: str
) -> None:
    """Q2"""
    with misbehaving(tmp_path, like_place, how) as (search, mark):
        assert search.status()["backend"] == "qmd"
        (found,) = search.search("rotates")
        assert found.snippet == "The deploy key rotates on Mondays.", "the notes answer by single lines"
        status = search.status()
        assert (status["backend"], status["requested"], status["files"]) == ("builtin", "qmd", 3)
        assert status["fallback"]["active"] is True
        assert status["fallback"]["reason"].startswith(reason)
        assert status["fallback"]["since"] == FakeClock().now().isoformat()
        if mark.exists() and "another group" not in how:
            pids = [int(pid) for pid in mark.read_text(encoding="utf-8").split()]
            assert soon(lambda: not any(map(is_running, pids))), "all that it started has ended"


@pytest.mark.parametrize(
    "answer",
    ['{"results": []}', "[1, 2]", '[{"path": "MEMORY.md"}]', '[{"file": 7}]', "null", "[" * 100_000, '[{"a":' * 20_000],
)
def test_an_answer_of_another_shape_is_a_failure(tmp_path: Path, like_place: Place, answer: str) -> None:
    """Q2"""
    place = tmp_path / "answer"
    place.write_text(answer, encoding="utf-8")
    first = like_place.searching(environment={"QMD_LIKE": "instead", "QMD_LIKE_ANSWER": str(place)})
    search = Fallback(first, Notes(like_place.root), FakeClock())
    assert paths(search.search("tea")) == ["MEMORY.md"]
    assert search.status()["fallback"]["reason"].startswith("qmd answered something else")


def no_file(place: Path) -> None:
    pass


def not_executable(place: Path) -> None:
    place.write_text("#!/bin/sh\necho '[]'\n", encoding="utf-8")
    place.chmod(0o644)


def a_folder(place: Path) -> None:
    place.mkdir()


def no_program(place: Path) -> None:
    place.write_bytes(b"\x7fELF is not all it takes")
    place.chmod(0o755)


def no_interpreter(place: Path) -> None:
    place.write_text("#!/nowhere/at/all\n", encoding="utf-8")
    place.chmod(0o755)


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (no_file, "no program "),
        (not_executable, "no program "),
        (a_folder, "no program "),
        (no_program, "qmd cannot be started: "),
        (no_interpreter, "qmd cannot be started: "),
    ],
)
def test_a_program_that_cannot_be_run_is_a_failure(tmp_path: Path, like_place: Place, made: Any, reason: str) -> None:
    """Q2"""
    place = tmp_path / "broken"
    made(place)
    first = searching(like_place.folder, like_place.root, str(place))
    search = Fallback(first, Notes(like_place.root), FakeClock())
    assert paths(search.search("tea")) == ["MEMORY.md"]
    assert search.status()["backend"] == "builtin"
    assert search.status()["fallback"]["reason"].startswith(reason)
    assert search.sync() == 3, "and so it is for a sync: the built-in index follows the files all the same"


def test_the_status_says_before_any_search_that_qmd_is_not_there(tmp_path: Path, workspace: Path) -> None:
    """Q2"""
    search = Fallback(searching(tmp_path / "qmd", workspace, "no-such-qmd"), Notes(workspace), FakeClock())
    status = search.status()
    assert (status["backend"], status["fallback"]["active"]) == ("builtin", True)
    assert "npm install --global @tobilu/qmd" in status["fallback"]["reason"]


def test_the_real_program_ends_in_time(tmp_path: Path, workspace: Path, real: str) -> None:
    """Q1, Q2: with a limit no program can keep"""
    first = indexed(tmp_path / "qmd", workspace, real, limits=QmdLimits(timeout_ms=1))
    with pytest.raises(DeadlineExceeded, match=r"within 0\.001 s"):
        first.search("tea")
    assert paths(Fallback(first, Notes(workspace), FakeClock()).search("tea")) == ["MEMORY.md"]


def test_the_real_program_with_a_damaged_index_is_a_failure(tmp_path: Path, workspace: Path, real: str) -> None:
    """Q2"""
    first = indexed(tmp_path / "qmd", workspace, real)
    (tmp_path / "qmd" / "index.sqlite").write_bytes(b"no database at all" * 1000)
    search = Fallback(first, Notes(workspace), FakeClock())
    assert paths(search.search("tea")) == ["MEMORY.md"]
    assert search.status()["fallback"]["reason"].startswith("qmd ended with code 1")


def test_a_time_limit_is_kept_by_the_machines_own_clock(tmp_path: Path, like_place: Place) -> None:
    """Q1"""
    environment = {"QMD_LIKE": "hangs", "QMD_LIKE_MARK": str(tmp_path / "mark")}
    search = like_place.searching(limits=QmdLimits(timeout_ms=200), environment=environment)
    with pytest.raises(DeadlineExceeded, match=r"within 0\.2 s"):
        search.search("tea")


def test_before_its_first_sync_qmd_is_not_asked(tmp_path: Path, workspace: Path, command: str) -> None:
    """Q2: an index that was never made would find nothing, and that would pass for an answer"""
    search = Fallback(searching(tmp_path / "qmd", workspace, command), Notes(workspace), FakeClock())
    assert paths(search.search("tea")) == ["MEMORY.md"]
    assert "has not read the files yet" in search.status()["fallback"]["reason"]
    assert search.sync(reason="start") == 3
    assert search.status()["backend"] == "qmd", "the sync went well, so it is asked at once"
    assert search.search("tea")[0].snippet == "Prefers tea over coffee."
    assert search.search("tea zeppelin") == (), "the notes would find the tea"


def test_a_sync_that_fails_leaves_the_built_in_search_to_answer(tmp_path: Path, workspace: Path, like: str) -> None:
    """Q2"""
    first = searching(tmp_path / "qmd", workspace, like, environment={"QMD_LIKE": "no update"})
    search = Fallback(first, Notes(workspace), FakeClock())
    assert search.sync() == 3
    assert search.status()["fallback"]["reason"] == "qmd ended with code 1: SqliteError: database is locked"
    assert not (tmp_path / "qmd" / "ready.json").exists()


def test_closing_ends_what_runs(tmp_path: Path, like_place: Place) -> None:
    """B1"""
    mark = tmp_path / "mark"
    search = like_place.searching(environment={"QMD_LIKE": "hangs", "QMD_LIKE_MARK": str(mark)})
    failed: list[Exception] = []

    def ask() -> None:
        try:
            search.search("tea")
        except ProviderError as error:
            failed.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    assert soon(mark.exists)
    search.close()
    search.close()
    thread.join()
    assert "closed" in str(failed[0])
    assert not is_running(int(mark.read_text(encoding="utf-8")))
    with pytest.raises(ProviderError, match="closed"):
        search.search("tea")


# --- two searches as one (B1, Q2) ----------------------------------------------------------------


class Fickle:
    """A search that fails as long as `error` says so, and counts its calls."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error
        self.calls = 0
        self.is_closed = False

    def search(
        self,
        query: str,
        *,
        max_results: int | None = None,
        min_score: float | None = None,
        session: str | None = None,
    ) -> Sequence[FoundLines]:
        self.calls += 1
        if self.error:
            raise self.error
        return [FoundLines(path="first.md", start_line=1, end_line=1, score=1.0, snippet=query, source="docs")]

    def status(self) -> Mapping[str, Any]:
        return {"backend": "fickle", "calls": self.calls}

    def sync(self, *, force: bool = False, reason: str = "", progress: ProgressCallback | None = None) -> object:
        if self.error:
            raise self.error
        return None

    def probe_embedding(self) -> EngineError | None:
        return None

    def probe_vectors(self) -> bool:
        return True

    def close(self) -> None:
        self.is_closed = True


def test_both_keep_the_contract(tmp_path: Path, workspace: Path) -> None:
    """B1"""
    first: LineSearch = searching(tmp_path / "qmd", workspace, "qmd")
    whole: FileSearch = Fallback(first, Notes(workspace), FakeClock())
    for name in ("search", "read_file", "status", "sync", "probe_embedding", "probe_vectors", "close"):
        assert callable(getattr(whole, name))


def test_files_are_read_by_the_built_in_search_alone(workspace: Path) -> None:
    """B1, Q2"""
    search = Fallback(Fickle(), Notes(workspace), FakeClock())
    assert search.read_file("MEMORY.md", start=3, lines=1) == ("Prefers tea over coffee.", "MEMORY.md")
    with pytest.raises(NotFound):
        search.read_file("../secret.md")
    assert search.status()["backend"] == "qmd", "that a file is not there is no failure of the search"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ProviderMissing("no qmd", hint="install it"), "no qmd (install it)"),
        (DeadlineExceeded("too late"), "too late"),
        (ValueError("what a user said"), "it failed with ValueError"),
        (RecursionError(), "it failed with RecursionError"),
        (OSError(5, "Input/output error"), "it failed with OSError"),
    ],
)
def test_any_exception_is_a_failure_and_only_our_own_words_are_repeated(
    workspace: Path, caplog: pytest.LogCaptureFixture, error: Exception, reason: str
) -> None:
    """Q2"""
    search = Fallback(Fickle(error), Notes(workspace), FakeClock())
    with caplog.at_level(logging.DEBUG):
        assert paths(search.search("coffee")) == ["MEMORY.md"]
    assert search.status()["fallback"]["reason"] == reason
    (message,) = caplog.messages
    assert message.startswith("qmd does not answer (")
    assert "coffee" not in message
    assert "user said" not in message


def test_a_mistake_of_the_caller_is_no_failure(workspace: Path) -> None:
    """Q2"""
    search = Fallback(Fickle(InvalidRequest("is too long", field="query")), Notes(workspace), FakeClock())
    with pytest.raises(InvalidRequest):
        search.search("tea")
    assert search.status()["fallback"] == {"active": False, "reason": "", "since": None}


def test_after_a_failure_the_first_is_left_alone_for_a_while_and_then_asked_again(workspace: Path) -> None:
    """Q2"""
    first, clock = Fickle(ProviderError("down")), FakeClock()
    search = Fallback(first, Notes(workspace), clock, cool_down=60)
    began = clock.now().isoformat()
    search.search("tea")
    clock.advance(59)
    search.search("tea")
    assert first.calls == 1
    clock.advance(1)
    assert search.status()["backend"] == "builtin", "that time has passed proves nothing"
    search.search("tea")
    assert first.calls == 2
    assert search.status()["fallback"]["since"] == began, "it is the same failure still"
    clock.advance(59)
    search.search("tea")
    assert first.calls == 2
    first.error = None
    clock.advance(1)
    assert paths(search.search("tea")) == ["first.md"]
    assert search.status()["fallback"] == {"active": False, "reason": "", "since": None}


def test_one_alone_finds_out_whether_the_first_answers_again(workspace: Path) -> None:
    """Q2: the others do not wait for it"""
    clock, within, go_on = FakeClock(), threading.Event(), threading.Event()

    class Stuck(Fickle):
        def search(self, query: str, **options: Any) -> Sequence[FoundLines]:
            if self.calls == 1:
                within.set()
                go_on.wait()
            return super().search(query, **options)

    first = Stuck(ProviderError("down"))
    search = Fallback(first, Notes(workspace), clock, cool_down=60)
    search.search("tea")
    clock.advance(60)
    thread = threading.Thread(target=search.search, args=("tea",))
    thread.start()
    within.wait()
    assert paths(search.search("tea")) == ["MEMORY.md"]
    go_on.set()
    thread.join()
    assert first.calls == 2


def test_what_is_asked_of_the_answering_search_is_answered_by_it(workspace: Path) -> None:
    """B1, Q2"""
    first = Fickle()
    search = Fallback(first, Notes(workspace), FakeClock())
    assert (search.probe_embedding(), search.probe_vectors(), search.status()["calls"]) == (None, True, 0)
    first.error = ProviderError("down")
    search.search("tea")
    assert isinstance(search.probe_embedding(), EmbedderUnavailable)
    assert not search.probe_vectors()
    assert search.status()["files"] == 3


def test_a_first_that_cannot_even_tell_its_status_is_a_failure(workspace: Path) -> None:
    """Q2"""

    class Mute(Fickle):
        def status(self) -> Mapping[str, Any]:
            raise OSError("gone")

    status = Fallback(Mute(), Notes(workspace), FakeClock()).status()
    assert (status["backend"], status["fallback"]["reason"]) == ("builtin", "it failed with OSError")


def test_closing_closes_both(workspace: Path) -> None:
    """B1"""

    class Clinging(Fickle):
        def close(self) -> None:
            super().close()
            raise OSError("will not")

    first, second = Clinging(), Notes(workspace)
    with pytest.raises(OSError, match="will not"):
        Fallback(first, second, FakeClock()).close()
    assert first.is_closed
    assert second.is_closed


def test_being_interrupted_is_no_failure_of_the_first(workspace: Path) -> None:
    """Q2"""
    search = Fallback(Fickle(KeyboardInterrupt()), Notes(workspace), FakeClock())
    with pytest.raises(KeyboardInterrupt):
        search.search("tea")
    assert search.status()["backend"] == "qmd"

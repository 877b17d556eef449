"""`files.backend = "qmd"`: another program answers searches of the files, and the index whenever it does not (Q1, Q2).

The program is `qmd_like.py`, which takes the arguments of qmd and answers in its forms; a file beside the command says
how it is to misbehave.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from noted import note, paths, snippets

from cortex.clock import SystemClock
from cortex.errors import InvalidRequest
from cortex.memory import Cortex
from cortex.workspace.fallback import COOL_DOWN_SECONDS

LIKE = Path(__file__).parents[1] / "providers" / "qmd_like.py"
PATIENT = 60_000


@dataclass(frozen=True)
class Program:
    """A command that runs the program, as it is told to."""

    command: Path

    @classmethod
    def made(cls, folder: Path) -> Program:
        folder.mkdir()
        command = folder / "qmd"
        command.write_text(
            f"#!{sys.executable} -IS\n"
            "import os, sys\n"
            "here = os.path.dirname(__file__)\n"
            'with open(os.path.join(here, "does")) as does:\n'
            '    os.environ["QMD_LIKE"] = does.read()\n'
            'os.environ["QMD_LIKE_MARK"] = os.path.join(here, "mark")\n'
            f"sys.path.insert(0, {str(LIKE.parent)!r})\n"
            f"import {LIKE.stem}\n"
            f"{LIKE.stem}.main()\n"
        )
        command.chmod(0o755)
        program = cls(command)
        program.does("")
        return program

    def does(self, what: str) -> None:
        """Misbehave from now on; well-behaved where it is empty."""
        (self.command.parent / "does").write_text(what)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program.made(tmp_path / "bin")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    note(tmp_path / "notes" / "keys.md", "# Keys\n\nQuiet.\n\nThe deploy key rotates on Mondays.\nAsk Ines.\n\nBye.\n")
    note(tmp_path / "notes" / "deep" / "garden.md", "# Garden\n\nThe tomatoes want water.\n")
    return tmp_path / "notes"


@pytest.fixture
def open_qmd(open_engine: Callable[..., Cortex], program: Program) -> Callable[..., Cortex]:
    def opened(timeout_ms: int = PATIENT, clock: object = None, **files: object) -> Cortex:
        qmd = {"command": str(program.command), "timeout_ms": timeout_ms, **dict(files.pop("qmd", {}))}
        given = {} if clock is None else {"clock": clock}
        return open_engine(files={"backend": "qmd", "qmd": qmd, **files}, **given)

    return opened


@pytest.fixture
def engine(open_qmd: Callable[..., Cortex], notes: Path) -> Cortex:
    engine = open_qmd()
    engine.index(notes)
    return engine


def degraded(engine: Cortex) -> list[str]:
    return [trouble["why"] for trouble in engine.status()["degraded"] if trouble["what"] == "files"]


# --- it answers -------------------------------------------------------------------------------------------------------


def test_searches_are_answered_by_the_program(engine):
    """Q1"""
    answer = engine.memory_search("deploy key rotates")
    assert (answer["backend"], answer["fallback"]["active"], answer["stale"]) == ("qmd", False, None)
    (best,) = answer["results"]
    assert (best["path"], best["source"]) == ("notes/keys.md", "memory")
    assert "The deploy key rotates on Mondays." in best["snippet"]
    assert degraded(engine) == []


def test_what_it_finds_can_be_read_as_it_is_cited(engine):
    """Q1, B10"""
    for asked in ("deploy key", "tomatoes"):
        (best,) = engine.memory_search(asked)["results"]
        lines = best["endLine"] - best["startLine"] + 1
        assert engine.memory_get(best["path"], start=best["startLine"], lines=lines)["text"] == best["snippet"]


def test_what_it_finds_is_cited_as_the_index_would(engine):
    """B9, B11"""
    (best,) = engine.memory_search("deploy key")["results"]
    assert best["citation"] == f"notes/keys.md#L{best['startLine']}-L{best['endLine']}"
    (best,) = engine.memory_search("deploy key", session="agent:main:telegram:group:42")["results"]
    assert "citation" not in best


def test_every_sort_of_folder_is_searched_as_what_it_is(open_qmd, tmp_path):
    """Q1, B2, E15: the workspace as it lies, a single file, and documents"""
    note(tmp_path / "ws" / "MEMORY.md", "The walrus likes herring.\n")
    note(tmp_path / "ws" / "memory" / "2026-01-05.md", "The walrus slept.\n")
    note(tmp_path / "ws" / "README.md", "The walrus of the project is no memory.\n")
    note(tmp_path / "one" / "alone.md", "The walrus has a friend.\n")
    note(tmp_path / "one" / "beside.md", "The walrus has no friend.\n")
    note(tmp_path / "specs" / "tank.markdown", "The walrus needs a tank.\n")
    engine = open_qmd(workspace=str(tmp_path / "ws"), extra_paths=[str(tmp_path / "one" / "alone.md")])
    engine.index(tmp_path / "specs", lane="docs")
    answer = engine.memory_search("walrus")
    assert answer["backend"] == "qmd"
    assert {(result["path"], result["source"]) for result in answer["results"]} == {
        ("MEMORY.md", "memory"), ("memory/2026-01-05.md", "memory"), ("one/alone.md", "memory"),
        ("specs/tank.markdown", "docs"),
    }  # fmt: skip
    for path in paths(answer):
        assert "walrus" in engine.memory_get(path)["text"]


def test_the_limits_are_those_of_the_settings(open_qmd, tmp_path):
    """Q1: six results, so many characters of each and of all"""
    for number in range(9):
        note(tmp_path / "notes" / f"n{number}.md", f"The kettle of room {number} whistles. {'It does. ' * 20}\n")
    engine = open_qmd(qmd={"max_snippet_chars": 100, "max_injected_chars": 250, "max_results": 4})
    engine.index(tmp_path / "notes")
    results = engine.memory_search("kettle")["results"]
    assert [len(result["snippet"]) for result in results] == [100, 100, 50]
    assert len(engine.memory_search("kettle", max_results=2)["results"]) == 2
    engine = open_qmd()
    assert len(engine.memory_search("kettle", max_results=50)["results"]) == 6


def test_an_edit_is_followed_by_both(engine, notes, clock):
    """Q1, B12"""
    note(notes / "keys.md", "The deploy key rotates on Fridays.\n")
    clock.advance(10)
    answer = engine.memory_search("deploy key")
    assert answer["backend"] == "qmd"
    assert "Fridays" in snippets(answer)
    assert "Fridays" in engine.recall("when does the deploy key rotate?").block


def test_recall_goes_on_by_the_index(engine):
    """Q1: the program answers searches of the files; what recall finds has scores that compare"""
    found = engine.recall("when does the deploy key rotate?")
    assert found.hits[0].trace.citation.startswith("notes/keys.md#L")


# --- it fails ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("does", "told"),
    [
        ("exit 1", "qmd ended with code 1: SqliteError"),
        ("garbage", "something else than results"),
        ("nothing", "something else than results"),
        ("truncated", "something else than results"),
        ("crash", "SIGSEGV"),
        ("huge", "said more than"),
    ],
)
def test_when_it_fails_the_index_answers_and_everybody_can_see_that(engine, program, does, told):
    """Q2"""
    program.does(does)
    answer = engine.memory_search("deploy key")
    assert paths(answer)[0] == "notes/keys.md"
    assert (answer["backend"], answer["fallback"]["active"]) == ("builtin", True)
    assert told in answer["fallback"]["reason"]
    assert answer["fallback"]["since"] == "2026-01-05T09:00:00+00:00"
    (why,) = degraded(engine)
    assert why.startswith("qmd does not answer: ")
    assert told in why
    assert (engine.status()["files"]["requested"], engine.status()["files"]["backend"]) == ("qmd", "builtin")


def test_a_program_that_is_not_there_is_named(open_engine, notes):
    """Q2"""
    engine = open_engine(files={"backend": "qmd", "qmd": {"command": "no-such-qmd"}})
    indexed = engine.index(notes)
    assert indexed.synced.added == 2
    answer = engine.memory_search("deploy key")
    assert paths(answer)[0] == "notes/keys.md"
    assert "no-such-qmd" in answer["fallback"]["reason"]
    assert "no-such-qmd" in degraded(engine)[0]


def test_a_program_that_hangs_costs_its_time_limit_once(open_qmd, notes, program):
    """Q2: and is left alone for a while"""
    engine = open_qmd(timeout_ms=1_500, clock=SystemClock(), sync={"on_search": False})
    engine.index(notes)
    program.does("hangs")
    assert paths(engine.memory_search("deploy key"))[0] == "notes/keys.md"
    mark = program.command.parent / "mark"
    mark.unlink(missing_ok=True)
    answer = engine.memory_search("deploy key")
    assert answer["fallback"]["reason"].startswith("qmd gave no answer within 1.5 s")
    assert not mark.exists()


def test_a_sync_that_fails_is_told_and_the_index_has_followed_all_the_same(engine, notes, program):
    """Q2"""
    program.does("no update")
    note(notes / "new.md", "The ferry leaves at noon.\n")
    assert engine.index().synced.added == 1
    answer = engine.memory_search("ferry noon")
    assert paths(answer)[0] == "notes/new.md"
    assert (answer["backend"], answer["fallback"]["active"]) == ("builtin", True)
    assert "database is locked" in degraded(engine)[0]


def test_it_is_asked_again_after_a_while_and_then_answers(engine, program, clock):
    """Q2"""
    program.does("exit 1")
    assert engine.memory_search("deploy key")["backend"] == "builtin"
    program.does("")
    assert engine.memory_search("deploy key")["backend"] == "builtin"
    assert degraded(engine) != []
    clock.advance(COOL_DOWN_SECONDS + 1)
    answer = engine.memory_search("deploy key")
    assert (answer["backend"], answer["fallback"]) == ("qmd", {"active": False, "reason": "", "since": None})
    assert degraded(engine) == []


def test_a_sync_that_goes_through_mends_one_that_did_not(engine, program):
    """Q2"""
    program.does("no update")
    engine.index()
    assert engine.memory_search("deploy key")["backend"] == "builtin"
    program.does("")
    engine.index()
    assert engine.memory_search("deploy key")["backend"] == "qmd"


def test_that_it_reads_the_files_does_not_mean_that_it_answers(engine, program, clock):
    """Q2: else every search looks at the files, asks it again, and waits for the same time limit"""
    program.does("exit 1")
    since = engine.memory_search("deploy key")["fallback"]["since"]
    clock.advance(10)
    assert engine.memory_search("deploy key")["fallback"]["since"] == since


def test_nothing_found_is_no_failure(engine):
    """Q2"""
    answer = engine.memory_search("regatta")
    assert (answer["results"], answer["backend"], answer["fallback"]["active"]) == ([], "qmd", False)


def test_a_mistake_of_the_caller_is_no_failure(engine):
    """Q2: a path that is not indexed is refused, whoever searches"""
    with pytest.raises(InvalidRequest, match="is not an indexed file"):
        engine.memory_get("/etc/passwd")
    assert engine.memory_search("deploy key")["backend"] == "qmd"


# --- other folders ----------------------------------------------------------------------------------------------------


def test_other_folders_are_another_search(engine, tmp_path):
    """B1: one for each agent, workspace and settings"""
    before = engine.searching
    assert engine.searching is before
    note(tmp_path / "more" / "ferry.md", "The ferry leaves at noon.\n")
    engine.index(tmp_path / "more")
    assert engine.searching is not before
    answer = engine.memory_search("ferry")
    assert (answer["backend"], paths(answer)) == ("qmd", ["more/ferry.md"])
    assert paths(engine.memory_search("deploy key")) == ["notes/keys.md"]


def test_a_folder_that_was_left_is_searched_no_longer(engine, tmp_path):
    """B15, Q1"""
    note(tmp_path / "more" / "ferry.md", "The ferry leaves at noon.\n")
    engine.index(tmp_path / "more")
    engine.files.remove("more")
    engine.index()
    answer = engine.memory_search("ferry")
    assert (answer["backend"], answer["results"]) == ("qmd", [])


def test_transcripts_alone_make_no_other_search(engine, tmp_path):
    """Q1: their turns are remembered, and no lines of theirs are searched"""
    before = engine.searching
    (tmp_path / "talk").mkdir()
    engine.files.add(tmp_path / "talk", shape="transcripts")
    assert engine.searching is before


def test_tenants_have_searches_of_their_own(engine, notes):
    """DESIGN 3"""
    stranger = engine.bind(user="boris")
    assert stranger.searching is not engine.searching
    assert stranger.memory_search("deploy key")["results"] == []
    stranger.index(notes.parent / "notes" / "deep")
    assert paths(stranger.memory_search("tomatoes")) == ["deep/garden.md"]
    assert stranger.memory_search("deploy key")["results"] == []
    assert paths(engine.memory_search("tomatoes")) == ["notes/deep/garden.md"]


def test_another_process_finds_what_was_read_before(open_qmd, notes):
    """Q1: nothing has to be read again"""
    first = open_qmd(extra_paths=[str(notes)], sync={"on_search": False})
    first.index()
    first.close()
    answer = open_qmd(extra_paths=[str(notes)], sync={"on_search": False}).memory_search("deploy key")
    assert (answer["backend"], paths(answer)) == ("qmd", ["notes/keys.md"])


# --- how it stands ----------------------------------------------------------------------------------------------------


def test_the_status_tells_of_the_files_whoever_answers(engine):
    """B21"""
    told = engine.status()["files"]
    assert (told["backend"], told["requested"]) == ("qmd", "qmd")
    assert (told["files"], told["chunks"], told["dirty"]) == (2, 2, False)
    assert told["last_sync"] is not None
    assert [source["name"] for source in told["sources"]] == ["notes"]


def test_a_file_that_cannot_be_read_is_told_whoever_answers(engine, notes):
    """X15"""
    (notes / "binary.md").write_bytes(b"\x00\x01")
    engine.index()
    assert engine.memory_search("deploy key")["backend"] == "qmd"
    assert any("notes/binary.md" in why for why in degraded(engine))

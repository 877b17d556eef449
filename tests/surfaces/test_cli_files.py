"""`cortex index`, `cortex get` and `cortex index --list` (X15, B10, B12, B21)."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, Queue

import pytest
from terminal import Cli

import forking
from cortex.errors import LlmUnavailable
from cortex.memory import Cortex
from cortex.testing import FakeLLM
from forking import PIPE, Forked

PATIENCE = 60.0


def note(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def message(text: str) -> str:
    return json.dumps({"type": "message", "message": {"role": "user", "content": text}}) + "\n"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    note(tmp_path / "notes" / "keys.md", "# Keys\n\nThe deploy key rotates on Mondays.\n")
    note(tmp_path / "notes" / "deep" / "door.md", "The cellar door sticks.\n")
    return tmp_path / "notes"


def configured(cli: Cli, settings: str) -> None:
    cli.home.mkdir(parents=True, exist_ok=True)
    (cli.home / "cortex.toml").write_text(settings)


# --- index ------------------------------------------------------------------------------------------------------------


def test_a_folder_is_indexed_and_counted(cli: Cli, notes: Path) -> None:
    """X15"""
    said = cli("index", str(notes))
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("2 files: 2 added; 2 new chunks in ")
    note(notes / "new.md", "The harbour crane squeaks.\n")
    (notes / "keys.md").unlink()
    assert cli("index").out.startswith("2 files: 1 added, 1 removed, 1 unchanged; 1 new chunk in ")
    assert "notes/new.md#L1-L1" in cli("search", "harbour crane").out


def test_as_json_it_is_the_receipt_with_every_problem(cli: Cli, notes: Path) -> None:
    """X15"""
    (notes / "binary.md").write_bytes(b"\x00\x01")
    note(notes / "talks" / "t.jsonl", "x")
    said = cli("index", str(notes), "--json")
    assert said.code == 0
    told, receipt = said.json, said.json["receipt"]
    assert (receipt["op"], receipt["reason"], told["synced"]["added"]) == ("index", "requested", 2)
    assert [path for path, _ in told["synced"]["problems"]] == ["notes/binary.md"]
    assert "rotates" not in said.out


def test_what_could_not_be_read_is_listed_and_the_rest_is_indexed(cli: Cli, notes: Path) -> None:
    """X15"""
    for number in range(13):
        (notes / f"binary{number:02}.md").write_bytes(b"\x00\x01")
    said = cli("index", str(notes))
    assert said.code == 0
    lines = [line for line in said.out.splitlines() if line.startswith("! ")]
    assert len(lines) == 11
    assert lines[0].startswith("! notes/binary00.md ")
    assert lines[-1] == "! and 3 more; --json lists them all"
    assert "Mondays" in cli("recall", "when does the deploy key rotate?").out


def test_problems_of_transcripts_are_listed_too(cli: Cli, tmp_path: Path) -> None:
    """X15, B19"""
    (tmp_path / "talks").mkdir()
    os.mkfifo(tmp_path / "talks" / "pipe.jsonl")
    note(tmp_path / "talks" / "t.jsonl", message("The walrus is hungry"))
    said = cli("index", str(tmp_path / "talks"), "--transcripts", "--json")
    told = said.json["transcripts"]
    assert [path for path, _ in told["problems"]] == ["talks/pipe.jsonl"]
    assert (told["transcripts"], told["turns"]) == (1, 1)
    assert "1 transcript: 0 new turns" in cli("index").out


def test_without_a_folder_and_with_none_known_it_says_how_to_begin(cli: Cli) -> None:
    """X15"""
    said = cli("index")
    assert (said.code, said.out) == (0, "No folder is indexed yet. Run `cortex index PATH`.\n")


def test_force_makes_everything_anew(cli: Cli, notes: Path) -> None:
    """X15, B13"""
    cli("index", str(notes))
    said = cli("index", "--force")
    assert "(rebuilt: forced)" in said.out
    assert cli("admin", "receipts", "--op", "index", "--json").json["receipts"][0]["reason"] == "forced"


def test_a_workspace_is_only_what_is_memory_in_it(cli: Cli, tmp_path: Path) -> None:
    """X15, B2"""
    for name in ("MEMORY.md", "memory/today.md", "README.md", "src/notes.md"):
        note(tmp_path / "ws" / name, f"The kettle of {name}.\n")
    cli("index", str(tmp_path / "ws"), "--workspace")
    assert cli("index", "--list", "--json").json["files"] == 2
    assert cli("get", "memory/today.md").out == "The kettle of memory/today.md.\n"


def test_documents_are_a_lane_of_their_own(cli: Cli, notes: Path, tmp_path: Path) -> None:
    """X15, E15"""
    note(tmp_path / "specs" / "crane.md", "The harbour crane is painted yellow.\n")
    cli("index", str(notes))
    cli("index", str(tmp_path / "specs"), "--docs")
    assert cli("admin", "stats", "--json").json["by_lane"] == {"notes": 2, "docs": 1}
    assert "specs/crane.md" in cli("recall", "which harbour crane is painted yellow?").out
    assert "specs/crane.md" in cli("search", "crane", "--lane", "docs").out


def test_transcripts_become_turns(cli: Cli, tmp_path: Path) -> None:
    """X15, B19"""
    note(tmp_path / "talks" / "t.jsonl", message("The walrus is hungry"))
    assert cli("index", str(tmp_path / "talks"), "--transcripts").out.strip() == "1 transcript: 1 new turn"
    assert cli("get", "sessions/t").out == "user: The walrus is hungry\n"


def test_what_others_write_is_labelled_and_stays_labelled(cli: Cli, notes: Path) -> None:
    """X15, E7: until it is said to be trusted"""
    cli("index", str(notes), "--untrusted")
    for _ in range(2):
        assert cli("admin", "stats", "--json").json["by_trust"] == {"untrusted": 2}
        cli("index", str(notes))
    assert "tree, untrusted" in cli("index", "--list").out
    cli("remember", "The deploy key rotates on Sundays")
    found = cli("recall", "when does the deploy key rotate?").out
    assert "Sundays" in found
    assert "Mondays" not in found
    cli("index", str(notes), "--trusted")
    assert cli("admin", "stats", "--json", "--lane", "notes").json["by_trust"] == {"trusted": 2}


def test_scope_name_and_chunker_are_as_they_are_given(cli: Cli, notes: Path) -> None:
    """X15"""
    cli("index", str(notes), "--scope", "harbour", "--name", "log", "--chunker", "lines")
    (source,) = cli("index", "--list", "--json").json["sources"]
    assert (source["scope"], source["name"], source["chunker"]) == ("harbour", "log", "lines")
    assert "log/keys.md" in cli("search", "deploy key", "--scope", "harbour").out
    assert "log/keys.md" not in cli("search", "deploy key", "--scope", "kitchen").out


@pytest.mark.parametrize("by", ["name", "path"])
def test_what_is_removed_leaves_nothing_behind(cli: Cli, notes: Path, by: str) -> None:
    """X15, B15"""
    cli("index", str(notes))
    said = cli("index", "--remove", "notes" if by == "name" else str(notes))
    assert (said.code, "2 removed" in said.out) == (0, True)
    told = cli("index", "--list", "--json").json
    assert (told["files"], told["chunks"], told["sources"]) == (0, 0, [])


def test_a_section_without_a_summary_says_why(cli: Cli, notes: Path) -> None:
    def refuses(_: str) -> str:
        raise LlmUnavailable("the key is wrong", reason="auth")

    cli.model = FakeLLM(refuses)
    note(cli.home / "cortex.toml", '[llm]\nprovider = "openai"\n')
    note(notes / "long.md", "# Keys\n\n" + "The deploy key rotates on Mondays and is kept in the safe. " * 20)
    text = " ".join(cli("index", str(notes), "--summarize").out.split())
    assert "no summary: the language model refused the key; run `cortex doctor`" in text


def test_summaries_need_a_language_model_and_nothing_is_done_without(cli: Cli, notes: Path) -> None:
    """X15"""
    said = cli("index", str(notes), "--summarize")
    assert (said.code, said.out) == (2, "")
    assert "--summarize: needs a language model" in said.error
    assert cli("index", "--list", "--json").json["sources"] == []


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["{tmp}/nowhere"], 3, "does not exist"),
        (["{tmp}/letter.txt"], 2, ".md"),
        (["{tmp}/letter.md", "--workspace"], 2, "is not a folder"),
        (["{tmp}/notes", "--transcripts", "--untrusted"], 2, "trust"),
        (["{tmp}/notes", "--docs", "--workspace"], 2, "a folder is one of them"),
        (["{tmp}/notes", "--docs", "--transcripts"], 2, "a folder is one of them"),
        (["{tmp}/notes", "--name", "taken"], 2, "'taken' is the name of another source"),
        (["{tmp}/notes", "--name", "a/b"], 2, "name"),
        (["{tmp}/notes", "--chunker", "axe"], 2, "chunker"),
        (["--docs"], 2, "path: is not given"),
        (["--name", "x"], 2, "path: is not given"),
        (["--untrusted"], 2, "path: is not given"),
        (["--remove", "nobody"], 3, "no source is called 'nobody'"),
    ],
)
def test_wrong_input_is_told_and_nothing_is_kept(
    cli: Cli, notes: Path, tmp_path: Path, arguments: list[str], code: int, message: str
) -> None:
    """X15"""
    note(tmp_path / "letter.txt", "no Markdown")
    note(tmp_path / "letter.md", "Markdown")
    cli("index", str(note(tmp_path / "other" / "x.md", "x").parent), "--name", "taken")
    said = cli("index", *(argument.format(tmp=tmp_path) for argument in arguments))
    assert (said.code, said.out) == (code, "")
    assert message in said.error
    assert said.hint
    assert [source["name"] for source in cli("index", "--list", "--json").json["sources"]] == ["taken"]


def test_what_the_settings_name_is_followed_and_a_missing_folder_is_told(cli: Cli, notes: Path, tmp_path: Path) -> None:
    """X15, B22"""
    configured(cli, f'[files]\nextra_paths = ["{notes}", "{tmp_path}/away"]\nworkspace = "{tmp_path}/ws"\n')
    said = cli("index")
    assert (said.code, "2 added" in said.out) == (0, True)
    assert "! away is not there" in said.out
    assert "! the workspace is not there" in said.out
    assert f"! {tmp_path}/away is not there" in cli("index", "--list").out
    assert "files" in [trouble["what"] for trouble in cli("status", "--json").json["degraded"]]
    said = cli("index", "--remove", "notes")
    assert (said.code, "settings" in said.error) == (2, True)


# --- get --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def ten(cli: Cli, tmp_path: Path) -> Cli:
    note(tmp_path / "notes" / "ten.md", "".join(f"line {number}\n" for number in range(1, 11)))
    cli("index", str(tmp_path / "notes"))
    return cli


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (["notes/ten.md"], range(1, 11)),
        (["notes/ten.md", "--from", "4", "--lines", "3"], range(4, 7)),
        (["notes/ten.md", "--from", "9"], range(9, 11)),
        (["notes/ten.md", "--lines", "2"], range(1, 3)),
        (["notes/ten.md#L4-L6"], range(4, 7)),
        (["notes/ten.md#L4-6"], range(4, 7)),
        (["notes/ten.md#L4"], range(4, 5)),
        (["notes/ten.md#L4-L6", "--lines", "1"], range(4, 5)),
        (["notes/ten.md#L4-L6", "--from", "9"], range(9, 11)),
    ],
)
def test_exactly_those_lines_are_printed(ten: Cli, arguments: list[str], lines: range) -> None:
    """B10: a path, or a citation as it was shown"""
    said = ten("get", *arguments)
    assert (said.code, said.err) == (0, "")
    assert said.out == "".join(f"line {number}\n" for number in lines)


def test_beyond_the_end_nothing_is_printed_and_that_is_said(ten: Cli) -> None:
    """B10"""
    said = ten("get", "notes/ten.md", "--from", "11")
    assert (said.code, said.out, said.err) == (0, "", "notes/ten.md: it ends with line 10\n")
    assert ten("get", "notes/ten.md", "--from", "11", "--json").json["note"] == "it ends with line 10"


@pytest.mark.parametrize(
    ("path", "code"), [("../secret.md", 2), ("/etc/passwd", 2), ("notes/gone.md", 3), ("sessions/never", 3)]
)
def test_what_is_no_memory_is_not_printed(ten: Cli, path: str, code: int) -> None:
    """B10"""
    said = ten("get", path)
    assert (said.code, said.out) == (code, "")
    assert said.hint


@pytest.mark.parametrize("wrong", ["0", "-1", "x"])
def test_a_line_that_cannot_be_is_refused(ten: Cli, wrong: str) -> None:
    """B10"""
    assert ten("get", "notes/ten.md", "--from", wrong).code == 2


# --- files ------------------------------------------------------------------------------------------------------------


def test_the_state_of_the_files_is_shown(cli: Cli, notes: Path) -> None:
    """B21"""
    assert "No folder is indexed yet" in cli("index", "--list").out
    cli("index", str(notes))
    said = cli("index", "--list").out
    assert "notes/" in said
    assert str(notes) in said
    assert "2 in 2 chunks" in said
    assert "fake/words, 64 dimensions" in said
    assert "2026-01-05T09:00:00" in said
    told = cli("index", "--list", "--json").json
    for name in ("backend", "provider", "model", "files", "chunks", "cache", "fts", "vector", "batch", "dirty"):
        assert name in told
    assert told["cache"]["entries"] == 2


# --- as a process -----------------------------------------------------------------------------------------------------


def environment(**variables: str) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "CORTEX_EMBEDDING__PROVIDER": "none"} | variables


class Process:
    """A command that runs beside the test; what it says is read as it says it."""

    def __init__(self, *arguments: str, **variables: str) -> None:
        self.process = Forked(["-m", "cortex", *arguments], stdout=PIPE, stderr=PIPE, env=environment(**variables))
        self._lines: Queue[str] = Queue()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def says(self, words: str) -> str:
        """The next line with these words."""
        until = time.monotonic() + PATIENCE
        while (left := until - time.monotonic()) > 0:
            try:
                line = self._lines.get(timeout=left)
            except Empty:
                break
            if words in line:
                return line
        raise AssertionError(f"{words!r} was not said")

    def end(self, sign: int = signal.SIGINT) -> tuple[int, str]:
        self.process.send_signal(sign)
        code = self.process.wait(timeout=PATIENCE)
        self._thread.join(PATIENCE)
        assert self.process.stderr is not None
        return code, self.process.stderr.read()


@pytest.fixture
def processes() -> Iterator[list[Process]]:
    running: list[Process] = []
    yield running
    for each in running:
        if each.process.poll() is None:
            each.process.kill()
            each.process.wait()
        for stream in (each.process.stdout, each.process.stderr):
            if stream is not None:
                stream.close()


def test_watch_follows_edits_until_it_is_told_to_end(tmp_path: Path, notes: Path, processes: list[Process]) -> None:
    """X15, B12: what one process follows, another finds"""
    home = str(tmp_path / "home")
    watch = Process("index", str(notes), "--watch", "--home", home, CORTEX_FILES__SYNC__WATCH_DEBOUNCE_MS="50")
    processes.append(watch)
    assert watch.says("2 added")
    assert watch.says("watching")
    note(notes / "crane.md", "The harbour crane squeaks.\n")
    assert watch.says("1 added")
    with Cortex(Path(home), settings={"embedding": {"provider": "none"}}) as engine:
        assert [hit.trace.text for hit in engine.search("harbour crane").hits] == ["The harbour crane squeaks."]
    (notes / "crane.md").unlink()
    assert watch.says("1 removed")
    assert watch.end() == (130, "")
    with Cortex(Path(home), settings={"embedding": {"provider": "none"}}) as engine:
        reasons = [receipt.facts["reason"] for receipt in engine.receipts(op="index")]
    assert reasons[-1] == "requested"
    # A search may look once more at what was written a moment ago.
    assert set(reasons[:-1]) - {"recall"} == {"watch"}


def test_as_json_each_look_is_a_line(tmp_path: Path, notes: Path, processes: list[Process]) -> None:
    """X15"""
    watch = Process("index", str(notes), "--watch", "--json", "--home", str(tmp_path / "home"),
                    CORTEX_FILES__SYNC__WATCH_DEBOUNCE_MS="50")  # fmt: skip
    processes.append(watch)
    assert json.loads(watch.says('"requested"'))["synced"]["added"] == 2
    note(notes / "crane.md", "The harbour crane squeaks.\n")
    assert json.loads(watch.says('"watch"'))["synced"]["added"] == 1
    assert watch.end()[0] == 130


def test_watching_ends_when_nobody_reads_on(tmp_path: Path, notes: Path) -> None:
    """X15"""
    command = f"{sys.executable} -m cortex index {notes} --watch --home {tmp_path}/home | head -n 1"
    reader = subprocess.Popen(
        ["bash", "-c", f"{command}; echo ended ${{PIPESTATUS[0]}}"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=environment(CORTEX_FILES__SYNC__WATCH_DEBOUNCE_MS="50"),
    )  # fmt: skip
    until = time.monotonic() + PATIENCE
    while reader.poll() is None and time.monotonic() < until:
        note(notes / f"n{time.monotonic_ns()}.md", "The harbour crane squeaks.\n")
        time.sleep(0.2)
    said, complaint = reader.communicate(timeout=PATIENCE)
    assert said.splitlines()[-1] == "ended 141"
    assert complaint == ""


def test_a_watch_that_is_switched_off_says_so(tmp_path: Path, notes: Path) -> None:
    """X15, B12"""
    command = ["-m", "cortex", "index", str(notes), "--watch", "--home", str(tmp_path / "home")]
    said = forking.run(command, env=environment(CORTEX_FILES__SYNC__WATCH="false"))
    assert (said.returncode, said.stdout) == (2, "")
    assert "files.sync.watch: is off" in said.stderr


def test_on_a_terminal_a_bar_shows_how_far_it_is(tmp_path: Path) -> None:
    """X15"""
    for number in range(300):
        note(tmp_path / "notes" / f"n{number}.md", f"The kettle of room {number}.\n")
    ours, theirs = pty.openpty()
    process = Forked(
        ["-m", "cortex", "index", str(tmp_path / "notes"), "--home", str(tmp_path / "home")],
        stdout=PIPE, stderr=theirs, env=environment(TERM="xterm"),
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    try:
        while some := os.read(ours, 65_536):
            shown += some
    except OSError:  # how a terminal says that nobody is left to write to it
        pass
    os.close(ours)
    said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "files read" in shown.decode()
    assert "/300" in shown.decode()
    assert said.startswith("300 files: 300 added")

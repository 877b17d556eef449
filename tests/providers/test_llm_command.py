"""A program as the language model: asked by stdin and stdout, bounded, and ended with all it started."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from cortex import registry, settings, variables
from cortex.capture.gate import session_skip_reason, turn_skip_reason
from cortex.capture.messages import Message
from cortex.capture.policies import named
from cortex.domain.memory import Memory
from cortex.domain.small_talk import OWN_REQUEST
from cortex.domain.text import estimate_tokens
from cortex.domain.turn import Role
from cortex.errors import EngineError, InvalidRequest, LlmUnavailable, ProviderMissing
from cortex.memory import Cortex
from cortex.providers.llms.budget import Budget, BudgetLimits
from cortex.providers.llms.command import MAX_OUTPUT_BYTES, PRESETS, CommandLLM, create
from cortex.providers.llms.guard import GuardedLLM
from cortex.stores.file_documents import FileDocuments
from cortex.testing import FakeClock

SECRET = "a prompt that nobody else may read"
HEAD = "import json, os, subprocess, sys, time\n"
ECHO = "print(sys.stdin.read())"

Program = Callable[..., list[str]]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """A program of a few lines of Python, as a command."""

    def write(body: str, *arguments: str) -> list[str]:
        path = tmp_path / f"program-{len(list(tmp_path.glob('program-*')))}.py"
        path.write_text(HEAD + body, encoding="utf-8")
        return [sys.executable, str(path), *arguments]

    return write


def model(command: Any, timeout: float = 30.0, **options: Any) -> CommandLLM:
    return create({"command": command, **options}, timeout, variables.environment_inside)


def ask(llm: Any, prompt: str = SECRET) -> str:
    text: str = llm.complete(system="Be brief.", prompt=prompt, max_tokens=64).text
    return text


def failure(llm: Any) -> LlmUnavailable:
    with pytest.raises(LlmUnavailable) as caught:
        ask(llm)
    assert SECRET not in str(caught.value)
    return caught.value


def is_running(pid: int) -> bool:
    if Path("/proc/self/stat").exists():
        with suppress(FileNotFoundError, ProcessLookupError):
            return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
        return False
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()
    return bool(state) and not state.startswith("Z")


def soon(claim: Callable[[], bool]) -> bool:
    return any(claim() or time.sleep(0.01) for _ in range(1_000))


# --- what goes in and out -----------------------------------------------------------------------------------------


def test_a_program_reads_the_request_from_stdin_and_its_output_is_the_answer(program: Program) -> None:
    said = ask(model(program(ECHO)), "Wo wohnt Zoë? 東京")
    assert said.splitlines()[0] == OWN_REQUEST
    assert "Be brief." in said
    assert "Wo wohnt Zoë? 東京" in said


def test_a_request_longer_than_a_pipe_meets_a_program_that_answers_while_it_reads(program: Program) -> None:
    body = "for line in sys.stdin: sys.stdout.write(line[:100_000]); sys.stdout.flush()"
    assert len(ask(model(program(body)), "long " * 60_000)) > 99_000


@pytest.mark.parametrize("body", ["print('ready')", "sys.stdin.close(); print('ready')"])
def test_a_program_that_reads_nothing_may_answer(program: Program, body: str) -> None:
    assert ask(model(program(body)), "x" * 300_000) == "ready\n"


def test_colors_and_thoughts_are_not_part_of_the_answer(program: Program) -> None:
    body = r"print('<think>hm</think>\x1b[1;32m{\"memories\": []}\x1b[0m')"
    assert ask(model(program(body))).strip() == '{"memories": []}'


def test_the_program_starts_in_an_empty_folder_that_is_gone_afterwards(program: Program) -> None:
    payload = json.loads(ask(model(program("print(json.dumps([os.getcwd(), os.listdir('.'), os.environ['PWD']]))"))))
    folder, files, stated = payload
    assert files == []
    assert os.path.realpath(stated) == os.path.realpath(folder)
    assert not os.path.exists(folder)


def test_no_shell_reads_the_arguments(program: Program, tmp_path: Path) -> None:
    nasty = f"; touch {tmp_path / 'owned'} $(id) `id` *"
    assert json.loads(ask(model(program("print(json.dumps(sys.argv[1:]))", nasty)))) == [nasty]
    assert not (tmp_path / "owned").exists()


# --- how it fails -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "reason", "words"),
    [
        ("sys.exit(3)", "unavailable", "ended with exit code 3"),
        ("print('half an ans'); sys.stdout.flush(); os.kill(os.getpid(), 11)", "unavailable", "ended by signal 11"),
        ("print('Invalid API key. Please run /login'); sys.exit(1)", "auth", "exit code 1"),
        ("print('usage limit reached', file=sys.stderr); sys.exit(1)", "rate_limited", "exit code 1"),
        ("pass", "bad_answer", "no text"),
        ("print('   ')", "bad_answer", "no text"),
        ("sys.stdout.buffer.write(bytes(range(256)))", "bad_answer", "not text"),
        ("print(chr(0) + 'x')", "bad_answer", "no text"),
        ("sys.exit(127)", "missing", "is not on this machine's path"),
    ],
)
def test_every_failure_has_its_reason(program: Program, body: str, reason: str, words: str, tmp_path: Path) -> None:
    """C16"""
    caught = failure(guarded(model(program(body)), tmp_path))
    assert (caught.reason, words in caught.message) == (reason, True)
    assert caught.hint


def test_what_a_program_says_on_stderr_is_never_repeated(
    program: Program, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    body = "text = sys.stdin.read(); print(text, file=sys.stderr); print(text); sys.exit(9)"
    caught = failure(guarded(model(program(body)), tmp_path))
    assert SECRET not in caught.hint + caught.message + caplog.text


def test_a_program_that_complains_without_end_is_still_read(program: Program) -> None:
    assert ask(model(program("print('x' * 5_000_000, file=sys.stderr); print('ready')"))) == "ready\n"


def test_more_than_a_megabyte_is_no_answer_and_ends_the_program(program: Program, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    body = f"open({str(mark)!r}, 'w').write(str(os.getpid()))\nwhile True: sys.stdout.write('x' * 65536)"
    caught = failure(model(program(body)))
    assert (caught.reason, f"{MAX_OUTPUT_BYTES:,} bytes" in caught.message) == ("bad_answer", True)
    assert soon(lambda: not is_running(int(mark.read_text())))


@pytest.mark.parametrize("command", [["no-such-program-of-anybody"], ["/no/such/program"]])
def test_a_missing_program_says_how_to_get_it(command: list[str]) -> None:
    llm = model(command)
    assert isinstance(llm.trouble(), ProviderMissing)
    with pytest.raises(ProviderMissing, match="is not on this machine's path") as caught:
        ask(llm)
    assert "install" in caught.value.hint


def test_a_known_program_that_is_missing_names_its_installer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in PRESETS:
        trouble = model(name, model="small").trouble()
        assert trouble is not None
        assert "install" in trouble.hint


def test_a_file_that_cannot_be_run_is_missing(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/no/such/interpreter\n", encoding="utf-8")
    broken.chmod(0o755)
    with pytest.raises(ProviderMissing, match="cannot be started"):
        ask(model([str(broken)]))


# --- how it ends --------------------------------------------------------------------------------------------------

CHILD = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])"


def leaving(mark: Path, then: str) -> str:
    """A program that starts a child, which keeps its output open, and then does something."""
    return f"child = {CHILD}\nopen({str(mark)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n{then}"


def pids(mark: Path) -> list[int]:
    return [int(pid) for pid in mark.read_text(encoding="utf-8").split()]


def test_a_slow_program_is_ended_at_the_deadline_with_all_it_started(program: Program, tmp_path: Path) -> None:
    """C16: a time-out"""
    mark = tmp_path / "pids"
    llm = model(program(leaving(mark, "time.sleep(600)")), timeout=2.0)
    began = time.monotonic()
    assert failure(llm).reason == "timeout"
    assert time.monotonic() - began < 15
    assert soon(lambda: not any(map(is_running, pids(mark))))


def test_children_left_behind_are_ended_and_the_answer_counts(program: Program, tmp_path: Path) -> None:
    mark = tmp_path / "pids"
    assert ask(model(program(leaving(mark, "print('ready')")))) == "ready\n"
    assert soon(lambda: not any(map(is_running, pids(mark))))


def test_closing_ends_what_runs(program: Program, tmp_path: Path) -> None:
    mark = tmp_path / "pids"
    llm = model(program(leaving(mark, "time.sleep(600)")), timeout=600)
    caught: list[EngineError] = []

    def run() -> None:
        try:
            ask(llm)
        except EngineError as error:
            caught.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert soon(lambda: mark.exists() and len(pids(mark)) == 2)
    llm.close()
    thread.join(30)
    assert "closed" in str(caught[0])
    assert soon(lambda: not any(map(is_running, pids(mark))))
    with pytest.raises(LlmUnavailable, match="closed"):
        ask(llm)


def test_it_does_not_outlive_the_process_that_asked(program: Program, tmp_path: Path) -> None:
    mark = tmp_path / "pids"
    command = program(leaving(mark, "time.sleep(600)"))
    code = (
        "import threading, time, os\nfrom cortex.providers.llms.command import create\n"
        f"llm = create({{'command': {command!r}}}, 600, lambda: dict(os.environ))\n"
        "ask = lambda: llm.complete(system='', prompt='', max_tokens=1)\n"
        "threading.Thread(target=ask, daemon=True).start()\n"
        f"while not (os.path.exists({str(mark)!r}) and ' ' in open({str(mark)!r}).read()): time.sleep(0.01)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    assert soon(lambda: not any(map(is_running, pids(mark))))


# --- what holds for every model -----------------------------------------------------------------------------------


def guarded(llm: CommandLLM, tmp_path: Path, clock: FakeClock | None = None) -> GuardedLLM:
    clock = clock or FakeClock()
    limits = BudgetLimits(calls_per_hour=9, calls_per_day=9, tokens_per_hour=9_000, tokens_per_day=9_000)
    return GuardedLLM(llm, Budget(FileDocuments(tmp_path), limits, clock), clock, timeout=30)


def test_tokens_are_estimated_where_a_program_reports_none(program: Program, tmp_path: Path) -> None:
    llm = guarded(model(program("print('one two three')")), tmp_path)
    assert ask(llm)
    spent = estimate_tokens("Be brief.") + estimate_tokens(SECRET) + estimate_tokens("one two three\n")
    assert llm.status()["hour"]["tokens"] == spent
    assert llm.status()["hour"]["calls"] == 1


def test_a_program_that_keeps_failing_is_left_alone(program: Program, tmp_path: Path) -> None:
    counter = tmp_path / "count"
    llm = guarded(model(program(f"open({str(counter)!r}, 'a').write('x'); sys.exit(1)")), tmp_path)
    reasons = [failure(llm).reason for _ in range(5)]
    assert reasons == ["unavailable", "unavailable", "unavailable", "paused", "paused"]
    assert counter.read_text(encoding="utf-8") == "xxx"


# --- options ------------------------------------------------------------------------------------------------------


def test_nothing_is_started_unless_it_is_chosen() -> None:
    """Opt-in: the default is no model"""
    assert settings.LlmSettings().provider == "none"


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({}, "command"),
        ({"command": []}, "command"),
        ({"command": "rm -rf /"}, "command"),
        ({"command": ["claude", 1]}, "command"),
        ({"command": ["cl\0aude"]}, "command"),
        ({"command": "ollama"}, "model"),
        ({"command": "claude", "model": "--dangerously"}, "model"),
        ({"command": ["claude", "-p"], "model": "haiku"}, "model"),
        ({"command": "claude", "shell": True}, "shell"),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        create(options, 1.0, dict)
    assert caught.value.field == f"llm.options.{field}"
    assert caught.value.hint


@pytest.mark.parametrize(
    ("name", "chosen", "begins"),
    [
        ("claude", None, ["claude", "-p", "--tools", ""]),
        ("claude", "haiku", ["claude", "-p", "--model", "haiku", "--tools", ""]),
        ("codex", "small", ["codex", "exec", "--model", "small", "--sandbox", "read-only"]),
        ("gemini", "flash", ["gemini", "--model", "flash"]),
        ("llm", "mini", ["llm", "--no-log", "--model", "mini"]),
        ("ollama", "qwen3:4b", ["ollama", "run", "qwen3:4b"]),
    ],
)
def test_presets_know_how_each_program_is_asked(name: str, chosen: str | None, begins: list[str]) -> None:
    assert list(PRESETS[name].command(chosen))[: len(begins)] == begins


def test_the_model_is_named_by_its_program() -> None:
    assert model("claude", model="haiku").name == "command/claude:haiku"
    assert model(["/usr/bin/thing", "-x"]).name == "command/thing"


# --- no loops -----------------------------------------------------------------------------------------------------


def test_the_program_is_marked_and_does_not_know_the_agent_around_it(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A coding agent refuses to run inside another; and its hooks must do nothing"""
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("KEPT", "yes")
    seen = json.loads(ask(model(program("print(json.dumps(dict(os.environ)))"))))
    assert (seen["CORTEX_INSIDE"], seen["KEPT"], "CLAUDECODE" in seen) == ("1", "yes", False)


def test_the_registry_hands_the_marked_environment_to_it(program: Program) -> None:
    llm = registry.find("cortex.llms", "command")({"command": program("print(os.environ['CORTEX_INSIDE'])")}, 30.0)
    assert ask(llm) == "1\n"


def test_an_agent_that_cortex_asks_neither_recalls_nor_captures(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program is an agent with our hooks: they do nothing, say so, and the home stays as it was"""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    home = tmp_path / "home"
    hook = [sys.executable, "-m", "cortex", "--home", str(home), "--json", "hook"]
    body = (
        f"hook = {hook!r}\n"
        "event = json.dumps({'session_id': 's', 'prompt': 'I prefer trams'})\n"
        "chat = json.dumps([{'role': 'user', 'content': 'I prefer trams'}])\n"
        "run = lambda verb, text: subprocess.run([*hook, verb, '--session', 's'], input=text, text=True,"
        " capture_output=True)\n"
        "done = [run('before', event), run('after', chat)]\n"
        "print(json.dumps([[each.returncode, json.loads(each.stdout), each.stderr] for each in done]))"
    )
    before, after = json.loads(ask(model(program(body), timeout=120)))
    assert (before[0], before[1]["skipped"], before[1]["block"]) == (0, "inside_cortex", "")
    assert (after[0], after[1]["skipped"], after[1]["ids"]) == (0, "inside_cortex", [])
    assert "CORTEX_INSIDE" in before[2]
    assert not home.exists()


def test_what_cortex_asked_is_never_captured_even_from_a_transcript() -> None:
    """C12: nobody speaks in it"""
    request = Message(index=0, text=f"{OWN_REQUEST}\nYou keep the long-term memory. I prefer trams.", role=Role.USER)
    reply = Message(index=1, text="I prefer trams", role=Role.ASSISTANT)
    assert session_skip_reason("s", "", "transcript", (request, reply)) == "own_request"
    assert turn_skip_reason(request, named("standard.v1")) == "own_request"


def test_memories_are_extracted_by_a_program(program: Program, tmp_path: Path) -> None:
    """X11, end to end: the engine, the queue, the guard and a real process"""
    answer = {"memories": [{"text": "The greenhouse door sticks in winter", "confidence": 0.9, "turns": ["t1"]}]}
    overrides = {
        "embedding": {"provider": "none"},
        "llm": {"provider": "command", "options": {"command": program(f"print(json.dumps({answer!r}))")}},
        "capture": {"debounce_seconds": 0},
    }
    with Cortex(tmp_path / "home", settings=overrides) as engine:
        engine.ingest([{"role": "user", "content": "Mind you, the greenhouse door sticks in winter"}], session="s")
        engine.run_jobs()
        texts = [trace.text for trace in engine.list() if isinstance(trace, Memory)]
    assert texts == ["The greenhouse door sticks in winter"]

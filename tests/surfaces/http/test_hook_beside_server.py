"""`cortex hook` and `cortex mcp` beside a running server: the same answers and one memory (X2, C8, C11, C16)."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from serve_process import ALONE, Process
from served import Served, serving

import forking
from cortex.access.tokens import Right
from cortex.surfaces.cli import hook_client
from cortex.surfaces.cli.app import run
from cortex.surfaces.http.server_file import Announcement, ServerInfo, acquire, is_locked, running, settings_stamp
from cortex.surfaces.project_scope import project_of

TRAMS = "I prefer trams over buses"
QUESTION = "which trams should I take?"
CHAT = [{"role": "user", "content": TRAMS}, {"role": "assistant", "content": "Noted."}]
PATIENT = {"CORTEX_HOOKS__DEADLINE_MS": "60000"}
SECONDS = 120.0


class Beside:
    """Hooks in this process, beside a server."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self.home = home
        self._capsys = capsys
        self._patch = patch

    def __call__(self, *arguments: str, stdin: str | bytes = b"", own: tuple[str, ...] = ()) -> tuple[Any, str, str]:
        """What the short way returns and prints; None where it leaves the hook to the command line."""
        said = stdin.encode() if isinstance(stdin, str) else stdin
        self._patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(said), encoding="utf-8"))
        self._capsys.readouterr()
        code = hook_client.run(["--home", str(self.home), *own], arguments)
        printed = self._capsys.readouterr()
        return code, printed.out, printed.err

    @property
    def left(self) -> bytes:
        """What the command line would read from stdin."""
        return sys.stdin.buffer.read()


@contextmanager
def found(home: Path, url: str, token: str, **given: Any) -> Iterator[None]:
    """A server that hooks of this home find."""
    known = {
        "url": url, "pid": os.getpid(), "token": token, "agent": "main", "user": "default", "deadline_ms": 60_000,
        "ingest_timeout_ms": 60_000, "settings": settings_stamp(str(home)),
    }  # fmt: skip
    with Announcement(str(home), ServerInfo(**known | given), acquire(str(home))) as announcement:
        announcement.publish()
        yield


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("beside") / "home"


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[Served]:
    with serving(home, settings={"hooks": {"deadline_ms": 60_000}}) as served:
        token = served.token(Right.HOST)
        served.client.headers.update(token)
        served.remember(TRAMS)
        with found(home, served.url, token["Authorization"].removeprefix("Bearer ")):
            yield served


@pytest.fixture
def hook(
    home: Path,
    server: Served,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Beside:
    return Beside(home, capsys, monkeypatch)


@pytest.fixture
def alone(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Beside:
    """Hooks of a home whose server each test makes up."""
    return Beside(tmp_path, capsys, monkeypatch)


def said_in(server: Served, session: str, **where: str) -> list[str]:
    listed = server.client.get("/v1/memories", params={"session": session, "lane": "sessions", **where}).json()
    return [memory["text"] for memory in listed["memories"]]


# --- the same answers -------------------------------------------------------------------------------------------------


def test_before_prints_the_block_that_the_command_line_prints(hook: Beside, server: Served) -> None:
    """X2"""
    code, out, err = hook("before", "--session", "s", stdin=QUESTION)
    assert (code, err) == (0, "")
    assert out == server.engine.hooks().before(QUESTION, session="s").block + "\n"
    event = json.dumps({"session_id": "abc", "hook_event_name": "UserPromptSubmit", "prompt": QUESTION})
    assert hook("before", stdin=event) == (0, out, "")
    assert hook("before", "thanks!", "--session", "s") == (0, "", "")


def test_json_has_the_fields_of_the_command_line(hook: Beside, server: Served) -> None:
    """X2, E12"""
    _, out, _ = hook("before", QUESTION, "--session", "s", own=("--json",))
    whole = server.engine.hooks().before(QUESTION, session="s")
    assert json.loads(out).keys() == set(whole.__slots__)
    assert (json.loads(out)["block"], json.loads(out)["ids"]) == (whole.block, list(whole.ids))


def test_after_stores_a_history_once_and_tells_what_the_command_line_tells(
    hook: Beside, server: Served, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """X2, C1, C8"""
    history = json.dumps(CHAT)
    assert hook("after", "--session", "once", stdin=json.dumps(CHAT[:1])) == (0, "", "")
    _, out, err = hook("after", "--session", "once", stdin=history, own=("--json",))
    assert err == ""
    assert said_in(server, "once") == [TRAMS, "Noted."]
    ours = json.loads(out)
    assert [each is None for each in ours["ids"]] == [True, False]
    for stored in (CHAT[:1], CHAT):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(stored).encode())))
        capsys.readouterr()
        monkeypatch.setenv("CORTEX_EMBEDDING__PROVIDER", "none")
        assert run(["--home", str(tmp_path / "apart"), "hook", "after", "--session", "once", "--json"]) == 0
    theirs = json.loads(capsys.readouterr().out)
    assert ours.keys() == theirs.keys()
    shown = ("op", "stored", "seen", "session", "skipped")
    assert {name: ours["receipt"].get(name) for name in shown} == {name: theirs["receipt"].get(name) for name in shown}


def test_what_was_injected_is_known_before_the_history_that_may_repeat_it(hook: Beside, server: Served) -> None:
    """C11: a block that comes back is not stored as something said"""
    _, block, _ = hook("before", QUESTION, "--session", "echo")
    history = [{"role": "user", "content": f"{block}\n\n{QUESTION}"}]
    assert hook("after", "--session", "echo", stdin=json.dumps(history))[0] == 0
    assert said_in(server, "echo") == [QUESTION]


def test_a_transcript_is_read_where_the_event_says(hook: Beside, server: Served, tmp_path: Path) -> None:
    """X2"""
    rows = [{"type": each["role"], "message": each, "sessionId": "coded", "uuid": "1"} for each in CHAT]
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_text("\n".join(map(json.dumps, rows)) + '\n{"type": "user", "mess')
    event = json.dumps({"session_id": "coded", "hook_event_name": "Stop", "transcript_path": str(transcript)})
    assert hook("after", stdin=event) == (0, "", "")
    assert said_in(server, "coded") == [TRAMS, "Noted."]


def test_the_events_of_a_coding_agent_are_answered_with_the_folder_as_scope(
    hook: Beside, server: Served, tmp_path: Path
) -> None:
    """X2, E5: the same as without a server"""
    here = {"session_id": "agent", "cwd": str(tmp_path / "atlas")}
    scope = project_of(here["cwd"])
    _, out, err = hook("event", stdin=json.dumps({**here, "hook_event_name": "SessionStart", "source": "startup"}))
    assert (str(scope) in json.loads(out)["hookSpecificOutput"]["additionalContext"], err) == (True, "")
    code, out, err = hook("event", stdin=json.dumps({**here, "hook_event_name": "BeforeAgent", "prompt": QUESTION}))
    answer = json.loads(out)["hookSpecificOutput"]
    assert (code, answer["hookEventName"], TRAMS in answer["additionalContext"], err) == (0, "BeforeAgent", True, "")
    history = [{"role": "user", "content": "My favorite editor is Helix."}, {"role": "assistant", "content": "Noted."}]
    for event in ("Stop", "PreCompact", "SessionEnd"):
        given = json.dumps({**here, "hook_event_name": event, "messages": history})
        assert hook("event", stdin=given) == (0, "", "")
    assert said_in(server, "agent", scope=str(scope)) == ["My favorite editor is Helix.", "Noted."]
    server.engine.run_jobs()
    of_person = {"lane": "memories", "scope": "personal"}
    assert until(lambda: "Helix" in server.client.get("/v1/memories", params=of_person).text)
    elsewhere = {"session_id": "other", "cwd": str(tmp_path / "bluefin"), "hook_event_name": "UserPromptSubmit"}
    assert "Helix" in hook("event", stdin=json.dumps({**elsewhere, "prompt": "what is my favorite editor?"}))[1]
    assert hook("event", stdin=json.dumps({**elsewhere, "hook_event_name": "PreToolUse"})) == (0, "", "")


def test_cursor_is_answered_once_and_its_prompt_is_stored(hook: Beside, server: Served, tmp_path: Path) -> None:
    """X2, C1"""
    base = {"conversation_id": "cursor", "workspace_roots": [str(tmp_path)]}
    given = json.dumps({**base, "hook_event_name": "beforeSubmitPrompt", "prompt": QUESTION})
    for _ in range(2):
        code, out, err = hook("event", stdin=given)
        assert (code, json.loads(out)["continue"], err) == (0, True, "")
    given = json.dumps({**base, "hook_event_name": "afterAgentResponse", "text": "Line 9."})
    assert hook("event", stdin=given) == (0, "", "")
    assert said_in(server, "cursor") == [QUESTION, "Line 9."]


@pytest.mark.parametrize(
    "given", ["", "{", '{"hook_event_name": "Stop"}', '{"session_id": "s", "hook_event_name": "UserPromptSubmit"}']
)
def test_a_broken_event_is_left_to_the_command_line(hook: Beside, given: str) -> None:
    """C16: which tells it"""
    assert hook("event", stdin=given) == (None, "", "")
    assert hook.left == given.encode()


def test_the_memory_is_the_one_the_options_and_variables_name(
    hook: Beside, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the one that the server was started for."""
    hook("after", "--session", "whose", stdin=json.dumps(CHAT), own=("--user", "kim"))
    monkeypatch.setenv("CORTEX_USER", "lee")
    hook("after", "--session", "whose", stdin=json.dumps(CHAT[:1]))
    assert (said_in(server, "whose"), said_in(server, "whose", user="kim")) == ([], [TRAMS, "Noted."])
    assert said_in(server, "whose", user="lee") == [TRAMS]


# --- left to the command line -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("before", b"\xff\xfe"),
        ("after", b"\xff\xfe"),
        ("after", b""),
        ("after", b'[{"role": "user", "content": "cut o'),
        ("after", b'{"session_id": "s", "transcript_path": "/nowhere/at/all.jsonl"}'),
        ("after", b'[{"content": ' + b"[" * 100_000),
        ("after", json.dumps([{"role": "user", "content": "x" * hook_client.MOST_BYTES}]).encode()),
    ],
)
def test_bad_and_very_long_input_is_left_to_the_command_line_as_it_came(hook: Beside, name: str, given: bytes) -> None:
    """C16"""
    assert hook(name, "--session", "s", stdin=given) == (None, "", "")
    assert hook.left == given


def test_a_session_nobody_named_is_left_to_the_command_line(hook: Beside) -> None:
    assert hook("before", stdin=QUESTION) == (None, "", "")
    assert hook.left == QUESTION.encode()


def test_a_request_that_the_server_refuses_is_left_to_the_command_line(hook: Beside) -> None:
    assert hook("before", QUESTION, "--session", "s", own=("--agent", "../other"))[0] is None


def test_a_server_that_is_gone_or_is_another_is_left_to_the_command_line(alone: Beside, server: Served) -> None:
    """C16: between the file and the request anything may happen"""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    for url in (f"http://127.0.0.1:{port}", server.url):  # nobody there; a server that does not know the token
        with found(alone.home, url, "another token"):
            assert alone("before", "--session", "s", stdin=QUESTION) == (None, "", "")
            assert alone.left == QUESTION.encode()


def test_a_file_that_is_not_private_is_told_and_ignored(alone: Beside, server: Served) -> None:
    with found(alone.home, server.url, "x"):
        (alone.home / "server.json").chmod(0o644)
        code, out, err = alone("before", QUESTION, "--session", "s")
    assert (code, out) == (None, "")
    assert err.startswith("cortex: ")
    assert "not a private file" in err
    assert len(err.splitlines()) == 1


def test_inside_an_agent_that_cortex_started_nothing_is_asked(hook: Beside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORTEX_INSIDE", "1")
    assert hook("before", QUESTION, "--session", "s")[0] is None


# --- deadlines --------------------------------------------------------------------------------------------------------


def test_a_server_that_does_not_answer_costs_a_turn_its_memories_and_nothing_else(alone: Beside) -> None:
    """C16"""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        url = f"http://127.0.0.1:{mute.getsockname()[1]}"
        with found(alone.home, url, "x", deadline_ms=1, ingest_timeout_ms=1):
            code, out, err = alone("before", QUESTION, "--session", "s")
            assert (code, out) == (0, "")
            fix = "the server was late; if this happens often, raise hooks.deadline_ms"
            assert err == f"cortex: nothing recalled: deadline; {fix}\n"
            _, out, _ = alone("before", QUESTION, "--session", "s", own=("--json",))
            assert json.loads(out)["degraded"] == ["deadline"]
            # What was said is not lost: the command line stores it.
            assert alone("after", "--session", "s", stdin=json.dumps(CHAT)) == (None, "", "")
            assert json.loads(alone.left) == CHAT


# --- whole processes --------------------------------------------------------------------------------------------------

SLOW_MODULES = {"typer", "dataclasses", "inspect", "pathlib", "typing", "http", "urllib", "sqlite3", "datetime", "re",
                "enum", "socket", "subprocess", "numpy", "cortex.settings", "cortex.errors"}  # fmt: skip
LISTING = """
import sys
from cortex.__main__ import main
before = set(sys.modules)
sys.argv = ["cortex", *sys.argv[1:]]
try:
    main()
finally:
    print(*sorted(set(sys.modules) - before), file=sys.stderr)
"""


def cortex(*arguments: str, given: str = "", code: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    base = {"PYTHONPATH": os.pathsep.join(sys.path), "CORTEX_EMBEDDING__PROVIDER": "none", **PATIENT}
    env = os.environ | base | ALONE | variables
    if not code:
        return forking.run(["-m", "cortex", *arguments], input=given, env=env)
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], input=given, capture_output=True, text=True, timeout=SECONDS, env=env
    )


def until(is_so: Callable[[], bool]) -> bool:
    """Whether it comes to that, within our patience."""
    end = time.monotonic() + SECONDS
    while not is_so() and time.monotonic() < end:
        time.sleep(0.05)
    return is_so()


def test_hooks_and_mcp_share_the_server_of_a_host_and_go_on_without_it(tmp_path: Path) -> None:
    """X2, X4: one memory; and a hook beside a server loads nothing that takes long to import"""
    from mcp_client import over_stdio

    home = tmp_path / "home"
    with Process(home, **PATIENT) as server, over_stdio(home) as host:
        host.call("remember", text=TRAMS)
        assert TRAMS in server.client.get("/v1/memories").text
        said = cortex("--home", str(home), "hook", "before", "--session", "s", given=QUESTION, code=LISTING)
        assert said.returncode == 0
        assert TRAMS in said.stdout
        assert SLOW_MODULES.isdisjoint(said.stderr.split())
        event = json.dumps({"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": QUESTION, "cwd": "/"})
        said = cortex("--home", str(home), "hook", "event", given=event, code=LISTING)
        assert TRAMS in json.loads(said.stdout)["hookSpecificOutput"]["additionalContext"]
        assert SLOW_MODULES.isdisjoint(said.stderr.split())
        assert cortex("--home", str(home), "hook", "after", "--session", "s", given=json.dumps(CHAT)).stderr == ""
        routes = [line.get("route") for line in server.lines]
        assert {"/v1/turns/before", "/v1/ingest", "/v1/memories"} <= set(routes)
        assert len(host.tools) == 9
        server.end(signal.SIGKILL)
        assert TRAMS in host.call("recall", query=QUESTION).text
    said = cortex("--home", str(home), "hook", "before", "--session", "s", given=QUESTION)
    assert (said.returncode, said.stderr) == (0, "")
    assert TRAMS in said.stdout


def test_where_no_server_runs_hooks_answer_and_start_exactly_one(tmp_path: Path) -> None:
    """X2, C8: it does not hold the pipes of the agent, runs the jobs, and answers the next turn"""
    home = tmp_path / "home"
    started = {"CORTEX_HOOKS__START_SERVER": "true", "CORTEX_CAPTURE__DEBOUNCE_SECONDS": "0"}
    base = {"PYTHONPATH": os.pathsep.join(sys.path), "CORTEX_EMBEDDING__PROVIDER": "none", **PATIENT}
    hooks = [
        forking.Forked(
            ["-m", "cortex", "--home", str(home), "hook", "after", "--session", f"s{number}"],
            stdin=forking.PIPE, stdout=forking.PIPE, stderr=forking.PIPE,
            env=os.environ | base | ALONE | started,
        )
        for number in range(2)
    ]  # fmt: skip
    try:
        for each in hooks:  # returns when the pipes are closed
            assert each.communicate(json.dumps(CHAT), timeout=SECONDS) == ("", "")
        assert until(lambda: running(str(home)) is not None)
        server = running(str(home))
        assert server is not None
        log = home / "server.log"
        assert until(lambda: "listening on" in log.read_text())
        assert log.stat().st_mode & 0o777 == 0o600
        status = json.loads(cortex("--home", str(home), "status", "--json").stdout)
        assert (status["server"]["url"], status["server"]["pid"]) == (server.url, server.pid)
        client = httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {server.token}"}, timeout=SECONDS)
        assert until(lambda: '"done":{"extract":' in client.get("/v1/receipts").text)
        client.close()
        assert TRAMS in cortex("--home", str(home), "hook", "before", "--session", "t", given=QUESTION).stdout
        assert "/v1/turns/before" in log.read_text()
        assert log.read_text().count("listening on") == 1
        assert os.getpgid(server.pid) == server.pid  # a session of its own: no signal to the agent's reaches it
    finally:
        if (left := running(str(home))) is not None:
            os.kill(left.pid, signal.SIGTERM)
        assert until(lambda: not is_locked(str(home)))
    assert not (home / "server.json").exists()


def test_a_server_that_nobody_asks_ends_by_itself(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Process(home, "--idle-minutes", "0.01") as server:
        assert server.wait() == 0
    assert not (home / "server.json").exists()

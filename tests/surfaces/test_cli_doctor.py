"""`cortex doctor`: everything an installation needs, checked, and the exact fix of what is wrong."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from terminal import Cli, Said

from cortex import Cortex
from cortex.access import Right, Tokens
from cortex.clock import SystemClock
from cortex.domain.scope import Tenant
from cortex.ports.documents import TOKENS
from cortex.services.health import report as health
from cortex.stores.file_documents import FileDocuments
from cortex.stores.sqlite import environment
from cortex.surfaces.cli.app import run
from cortex.surfaces.cli.doctor import FIXES
from forking import DEVNULL, PIPE, Forked

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL")
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user with nothing on this machine but what a test puts there; `serve` would take any free port."""
    home = tmp_path / "user"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("CORTEX_SERVE__PORT", "0")
    for name in (*KEYS, *PROXIES):
        monkeypatch.delenv(name, raising=False)
    return home


def checked(said: Said) -> dict[str, dict[str, Any]]:
    """The checks by their names."""
    return {check["name"]: check for check in said.json["checks"]}


Doctor = Callable[..., dict[str, dict[str, Any]]]


@pytest.fixture
def doctor(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Doctor:
    """The doctor over a home whose providers are as the variables say; by keywords alone where they say nothing."""

    def examine(*options: str, home: Path = tmp_path / "home", **variables: str) -> dict[str, dict[str, Any]]:
        for name, value in {"CORTEX_EMBEDDING__PROVIDER": "none", **variables}.items():
            monkeypatch.setenv(name, value)
        capsys.readouterr()
        # A machine that is busy with other tests fails nothing here.
        run(["--home", str(home), "doctor", "--json", "--timeout", "60", *options])
        return {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}

    return examine


# --- as a whole -------------------------------------------------------------------------------------------------------


def test_everything_is_checked_and_each_check_says_what_it_is_about(cli: Cli) -> None:
    cli.remembered("x")
    said = cli("doctor", "--json")
    assert said.code == 0
    assert said.json["ok"] is True
    groups: dict[str, list[str]] = {}
    for check in said.json["checks"]:
        groups.setdefault(check["group"], []).append(check["name"])
    assert groups == {
        "machine": ["python", "disk", "sqlite", "clock"],
        "home": ["home", "permissions", "settings", "write-ahead log"],
        "memory": ["database", "similarities", "background work", "tokens and budget", "recall rung"],
        "providers": ["embedder", "reranker", "llm"],
        "serving": ["serve", "mcp", "tokens", "port"],
    }
    assert {check["ok"] for check in said.json["checks"]} == {True}
    assert "No problems found." in cli("doctor").out


def test_what_is_wrong_stands_right_above_its_fix(cli: Cli) -> None:
    cli.remembered("x", "--no-embed")
    lines = cli("doctor").out.splitlines()
    (at,) = [number for number, line in enumerate(lines) if line.startswith("!  vectors")]
    assert lines[at + 1].strip() == "→ run `cortex admin backfill`"
    assert lines[-1] == "1 warning."


def test_a_terminal_that_knows_few_characters_is_spared_the_others(tmp_path: Path) -> None:
    variables = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": "ascii"}
    variables |= {"CORTEX_EMBEDDING__PROVIDER": "none"}
    ran = subprocess.run(
        [sys.executable, "-m", "cortex", "--home", str(tmp_path / "home"), "doctor"],
        env=os.environ | variables, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "ok  python" in ran.stdout
    assert "-> run `cortex init`" in ran.stdout
    assert "\\u" not in ran.stdout


def test_the_doctor_finds_a_broken_index_and_mends_it(cli: Cli) -> None:
    cli.remembered("The deploy key rotates on Mondays")
    with sqlite3.connect(cli.home / "agents" / "main.sqlite") as database:
        database.execute("DELETE FROM lexicon")
    database.close()
    assert cli("admin", "verify").code == 1
    assert cli("doctor").code == 1
    fixed = cli("doctor", "--fix")
    assert fixed.code == 0
    assert "findings in the database" in fixed.out
    assert cli("admin", "verify").out.strip() == "no problems found"


def test_the_doctor_says_what_is_wrong_where_no_engine_can_be_built(cli: Cli) -> None:
    cli.home.mkdir(mode=0o700)
    (cli.home / "cortex.toml").write_text("agent = = 3")
    said = cli("doctor", "--json")
    assert said.code == 1
    assert [check["name"] for check in said.json["checks"] if check["ok"] is False] == ["settings"]


def test_the_doctor_says_what_is_wrong_with_the_database(cli: Cli) -> None:
    cli.remembered("x")
    (cli.home / "agents" / "main.sqlite").write_bytes(b"no database" * 1000)
    said = cli("doctor", "--json")
    assert said.code == 1
    assert "is not a Cortex database" in {check["name"]: check["detail"] for check in said.json["checks"]}["database"]


def test_the_doctor_mends_a_home_that_others_can_read(cli: Cli) -> None:
    cli.remembered("x")
    assert cli.home.stat().st_mode & 0o777 == 0o700
    cli.home.chmod(0o755)
    assert "is readable by others" in cli("doctor").out
    assert cli("doctor", "--fix").code == 0
    assert cli.home.stat().st_mode & 0o777 == 0o700


def test_a_provider_that_is_not_known_is_told(doctor: Doctor) -> None:
    check = doctor(CORTEX_EMBEDDING__PROVIDER="opnai")["engine"]
    assert (check["ok"], check["fix"]) == (False, "did you mean 'openai'?")


# --- the machine and home ---------------------------------------------------------------------------------------------


def test_a_disk_of_the_network_is_told(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/sda / ext4 rw 0 0\nserver:/homes {tmp_path} nfs4 rw 0 0\n")
    assert environment.journal(tmp_path).ok is True
    found = environment.journal(tmp_path, mounts)
    assert found.ok is None
    assert "(nfs4)" in found.detail
    assert found.fix == "choose a folder on a local disk (--home, or store.url)"
    assert list(tmp_path.glob(".probe-*")) == []


def test_a_clock_that_was_set_back_is_told(cli: Cli) -> None:
    cli.remembered("x")
    cli.clock.advance(timedelta(days=-3))
    check = checked(cli("doctor", "--json"))["clock"]
    assert check["ok"] is None
    assert "the last change is of 2026-01-05" in check["detail"]
    cli.clock.advance(timedelta(days=-3000))
    assert "which cannot be right" in checked(cli("doctor", "--json"))["clock"]["detail"]


@pytest.mark.parametrize("name", ["cortex.toml", "tokens.json", "agents/main.sqlite", "agents"])
def test_what_others_can_read_is_told_and_mended(cli: Cli, name: str) -> None:
    cli("init", "--no-model")
    cli("admin", "tokens", "create")
    path = cli.home / name
    path.chmod(0o755 if path.is_dir() else 0o644)
    check = checked(cli("doctor", "--json"))["permissions"]
    assert (check["ok"], check["fix"]) == (None, f"run `chmod -R go-rwx {cli.home}`")
    assert check["detail"] == f"1 file is open to others, such as {path}"
    said = cli("doctor", "--fix")
    assert f"fixed: permissions of 1 file in {cli.home} set to owner-only" in said.out
    assert path.stat().st_mode & 0o077 == 0
    assert checked(cli("doctor", "--json"))["permissions"]["ok"] is True


def test_links_and_model_files_are_nobodys_secret(cli: Cli, tmp_path: Path) -> None:
    cli("init", "--no-model")
    (tmp_path / "theirs.toml").write_text("")
    (cli.home / "link.toml").symlink_to(tmp_path / "theirs.toml")
    (cli.home / "models").mkdir(mode=0o755)
    (cli.home / "models" / "a.json").write_text("")
    assert checked(cli("doctor", "--json"))["permissions"]["ok"] is True


# --- memory -----------------------------------------------------------------------------------------------------------


def test_work_that_nobody_does_is_told(cli: Cli) -> None:
    """C2"""
    cli(
        "capture",
        "--background",
        "-",
        "--session",
        "s",
        stdin='[{"role": "user", "content": "I prefer trams over buses"}]',
    )
    assert checked(cli("doctor", "--json"))["background work"]["ok"] is True
    cli.clock.advance(timedelta(hours=1))
    check = checked(cli("doctor", "--json"))["background work"]
    assert check["ok"] is None
    assert "cortex admin jobs run --forever" in check["fix"]
    cli("admin", "jobs", "run")
    assert checked(cli("doctor", "--json"))["background work"]["ok"] is True


def test_a_backup_that_is_old_or_missing_is_told(cli: Cli) -> None:
    """E21"""
    cli.remembered("x")
    assert "backups" not in checked(cli("doctor", "--json"))
    cli.clock.advance(timedelta(days=4))
    check = checked(cli("doctor", "--json"))["backups"]
    assert (check["ok"], check["detail"]) == (None, "there is no backup")
    assert check["fix"].startswith("run `cortex backup create`")
    cli("backup", "create")
    assert checked(cli("doctor", "--json"))["backups"]["ok"] is True
    cli.clock.advance(timedelta(days=5))
    assert checked(cli("doctor", "--json"))["backups"]["detail"] == "the last backup is 5 days old"


# --- providers --------------------------------------------------------------------------------------------------------


class Api:
    """A server on this machine that speaks like OpenAI's, or refuses, or stays silent; counts what it was asked."""

    def __init__(self, status: int = 200, silent: threading.Event | None = None) -> None:
        self.asked: list[str] = []
        self.status = status
        self.silent = silent

    @contextmanager
    def serving(self) -> Iterator[str]:
        api = self

        class Handler(BaseHTTPRequestHandler):
            def do_HEAD(self) -> None:
                api.asked.append(f"HEAD {self.headers.get('Authorization', '')}")
                self.send_response(404)
                self.end_headers()

            def do_POST(self) -> None:
                api.asked.append("POST")
                self.rfile.read(int(self.headers["Content-Length"]))
                if api.silent is not None:
                    api.silent.wait(30)
                vector = {"object": "embedding", "index": 0, "embedding": [1.0] + [0.0] * 7}
                answer = {"object": "list", "data": [vector], "model": "m"}
                body = json.dumps(answer if api.status == 200 else {"error": {"message": "no"}}).encode()
                self.send_response(api.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            server.server_close()


def embedding_at(address: str, key: str = "sk-not-shown") -> dict[str, str]:
    options = f'{{ base_url = "{address}", model = "m", dimensions = 8, api_key = "{key}" }}'
    return {"CORTEX_EMBEDDING__PROVIDER": "openai", "CORTEX_EMBEDDING__OPTIONS": options}


def model_at(address: str) -> dict[str, str]:
    options = f'{{ base_url = "{address}", model = "m", api_key = "sk-not-shown" }}'
    return {"CORTEX_LLM__PROVIDER": "openai", "CORTEX_LLM__OPTIONS": options}


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_an_embedder_behind_an_api_is_asked_to_embed(doctor: Doctor) -> None:
    """B16"""
    api = Api()
    with api.serving() as address:
        check = doctor(**embedding_at(address))["embedder"]
    assert check["ok"] is True
    assert "openai/m works: 8 dimensions" in check["detail"]
    assert api.asked == ["POST"]


def test_a_key_that_is_refused_is_told_without_it(doctor: Doctor) -> None:
    with Api(status=401).serving() as address:
        check = doctor(**embedding_at(address))["embedder"]
    assert (check["ok"], check["fix"]) == (False, "check embedding.options.api_key")
    assert "answered 401" in check["detail"]
    assert "sk-not-shown" not in str(check)


def test_a_server_that_is_not_there_is_told(doctor: Doctor) -> None:
    port = free_port()
    found = doctor(**embedding_at(f"http://127.0.0.1:{port}/v1"), **model_at(f"http://me:pw@127.0.0.1:{port}/v1"))
    assert "cannot be reached" in found["embedder"]["detail"]
    assert found["embedder"]["fix"].endswith("and embedding.options.base_url")
    server = found["llm server"]
    assert (server["ok"], server["detail"]) == (False, f"127.0.0.1:{port} cannot be reached: Connection refused")
    assert server["fix"] == "start it, and check llm.options.base_url"


def test_a_language_model_is_reached_without_a_key_or_a_question(doctor: Doctor) -> None:
    api = Api()
    with api.serving() as address:
        found = doctor(**model_at(address.replace("//", "//me:password@")))
    assert (found["llm"]["ok"], found["llm server"]["ok"]) == (True, True)
    assert api.asked == ["HEAD "]
    assert "password" not in str(found)


def test_offline_nobody_is_asked(doctor: Doctor) -> None:
    api = Api()
    with api.serving() as address:
        found = doctor("--offline", **embedding_at(address), **model_at(address))
    assert api.asked == []
    assert found["embedder"]["ok"] is True
    assert "not called while offline" in found["embedder"]["detail"]
    assert "llm server" not in found


def test_whoever_never_answers_is_waited_for_as_long_as_was_said(tmp_path: Path) -> None:
    release = threading.Event()
    with Api(silent=release).serving() as address:
        options = {"base_url": address, "model": "m", "dimensions": 8, "api_key": "k"}
        with Cortex(tmp_path / "home", settings={"embedding": {"provider": "openai", "options": options}}) as engine:
            found = health.checks(engine.context, dict, patience=0.2)
        release.set()
    (check,) = [check for check in found if check.name == "embedder"]
    assert (check.ok, check.detail) == (False, "did not answer within 0.2 s")


def test_a_key_that_is_missing_is_told_with_the_very_line(doctor: Doctor) -> None:
    found = doctor("--offline", CORTEX_EMBEDDING__PROVIDER="openai", CORTEX_LLM__PROVIDER="anthropic")
    assert found["embedder"]["fix"] == "run `export OPENAI_API_KEY=…`, or set embedding.options.api_key"
    assert found["llm"]["fix"] == "run `export ANTHROPIC_API_KEY=…`, or set llm.options.api_key"


def test_an_sdk_that_is_missing_is_told_with_the_very_line(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    monkeypatch.setitem(sys.modules, "anthropic", None)
    found = doctor("--offline", CORTEX_EMBEDDING__PROVIDER="openai", CORTEX_LLM__PROVIDER="anthropic")
    assert found["embedder"]["fix"] == "run `pip install 'memory-cortex[openai]'`"
    assert found["llm"]["fix"] == "run `pip install 'memory-cortex[anthropic]'`"


def test_what_auto_chose_is_told(doctor: Doctor, tmp_path: Path) -> None:
    """B16"""
    variables = {"CORTEX_EMBEDDING__PROVIDER": "auto", "CORTEX_MODELS": str(tmp_path / "none"), "OPENAI_API_KEY": "k"}
    told = doctor("--offline", **variables)["embedder"]
    assert "openai/text-embedding-3-small, chosen by auto because OPENAI_API_KEY is set" in told["detail"]


def test_model_files_that_are_not_the_pinned_ones_are_told(doctor: Doctor, tmp_path: Path) -> None:
    """C6"""
    folder = tmp_path / "models" / "e5-small-v2-int8"
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(b"something else")
    found = doctor("--offline", CORTEX_EMBEDDING__PROVIDER="local", CORTEX_MODELS=str(tmp_path / "models"))
    for name in ("embedder", "model files"):
        assert (found[name]["ok"], found[name]["fix"]) == (False, "run `cortex models fetch`")
    assert "is damaged" in found["model files"]["detail"]


def test_only_what_is_safe_is_mended() -> None:
    assert set(FIXES) == {"home", "permissions", "embedder", "reranker", "model files", "database"}


def test_mending_offline_fetches_nothing(doctor: Doctor, tmp_path: Path) -> None:
    models = tmp_path / "models"
    doctor("--offline", "--fix", CORTEX_EMBEDDING__PROVIDER="local", CORTEX_MODELS=str(models))
    assert not models.exists()


# --- serving ----------------------------------------------------------------------------------------------------------


def test_an_extra_that_is_missing_is_told_with_the_very_line(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.setitem(sys.modules, "mcp", None)
    found = doctor()
    assert (found["serve"]["ok"], found["serve"]["fix"]) == (None, "run `pip install 'memory-cortex[serve]'`")
    assert found["serve"]["detail"] == "`cortex serve` needs uvicorn"
    assert found["mcp"]["fix"] == "run `pip install 'memory-cortex[mcp]'`"


def test_others_may_reach_the_server_only_with_a_token(doctor: Doctor, tmp_path: Path) -> None:
    open_to_all = {"CORTEX_SERVE__HOST": "0.0.0.0"}
    found = doctor(**open_to_all)["tokens"]
    assert (found["ok"], found["fix"]) == (False, "run `cortex admin tokens create`, or set serve.host to 127.0.0.1")
    tokens = Tokens(FileDocuments(tmp_path / "home"), SystemClock())
    _, token = tokens.create(Tenant("main"), [Right.READ])
    found = doctor(**open_to_all)["tokens"]
    assert (found["ok"], found["detail"]) == (True, "1 active")
    tokens.revoke(token.id)
    assert doctor(**open_to_all)["tokens"]["ok"] is False
    assert doctor(CORTEX_SERVE__HOST="127.0.0.1")["tokens"]["ok"] is None
    (tmp_path / "home" / TOKENS).write_text("no json")
    found = doctor(CORTEX_SERVE__HOST="127.0.0.1")["tokens"]
    assert found["ok"] is False
    assert "is damaged, so no token is accepted" in found["detail"]
    (tmp_path / "home" / TOKENS).unlink()
    found = doctor(CORTEX_SERVE__HOST="127.0.0.1")["tokens"]
    assert found["ok"] is False
    assert "is missing although tokens were created" in found["detail"]
    assert "`cortex admin tokens clear`" in found["fix"]


def test_a_port_that_is_free_is_said_so(doctor: Doctor) -> None:
    port = free_port()
    assert doctor(CORTEX_SERVE__PORT=str(port))["port"]["detail"] == f"{port} is free for `cortex serve`"


@pytest.mark.parametrize("speaks_http", [False, True])
def test_a_port_that_another_program_has_is_told_with_one_that_is_free(doctor: Doctor, speaks_http: bool) -> None:
    with Api().serving() as address, socket.create_server(("127.0.0.1", 0)) as mute:

        def hang_up() -> None:
            with suppress(OSError):  # nobody came, and the test is over
                mute.accept()[0].close()

        threading.Thread(target=hang_up, daemon=True).start()
        port = int(address.rpartition(":")[2].partition("/")[0]) if speaks_http else mute.getsockname()[1]
        found = doctor(CORTEX_SERVE__PORT=str(port))
        assert found["port"]["ok"] is None
        assert found["port"]["detail"] == f"{port} is used by another program"
        named = int(found["port"]["fix"].partition("--port ")[2].partition("`")[0])
        with socket.create_server(("127.0.0.1", named)):
            pass
        assert "server" not in found


def test_a_host_that_is_not_of_this_machine_is_told(doctor: Doctor) -> None:
    found = doctor(CORTEX_SERVE__HOST="203.0.113.7", CORTEX_SERVE__PORT="8399")["port"]
    assert found["ok"] is False
    assert "cannot listen on 203.0.113.7:8399" in found["detail"]


@contextmanager
def served(home: Path) -> Iterator[str]:
    """`cortex serve` over a home; gives the port it took."""
    variables = {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "CORTEX_EMBEDDING__PROVIDER": "none",
        "CORTEX_SERVE__RECALL_PROCESSES": "0",
        "CORTEX_SERVE__WORKER_PROCESS": "false",
    }
    process = Forked(
        ["-m", "cortex", "--home", str(home), "--json", "serve", "--port", "0"],
        stdout=PIPE, stderr=DEVNULL, env=os.environ | variables,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())["url"].rpartition(":")[2]
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


def test_a_server_of_our_own_is_asked_whether_it_is_ready_and_one_over_another_home_is_told(
    doctor: Doctor, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    with served(home) as port:
        found = doctor(CORTEX_SERVE__PORT=port)
        assert found["port"]["detail"] == f"{port} is used by Cortex itself"
        assert found["server"]["ok"] is True
        assert found["server"]["detail"].endswith(f"at http://127.0.0.1:{port} is ready")
        other = doctor(home=tmp_path / "another", CORTEX_SERVE__PORT=port)["server"]
        assert other["ok"] is None
        assert f"serves another home, {home}" in other["detail"]
        Tokens(FileDocuments(home), SystemClock()).create(Tenant("main"), [Right.READ])
        found = doctor(CORTEX_SERVE__PORT=port)  # now it tells strangers nothing but that it is ours
        assert found["server"]["ok"] is True
        assert found["server"]["detail"] == f"at http://127.0.0.1:{port} is ready"


# --- hosts ------------------------------------------------------------------------------------------------------------


def test_hosts_that_are_not_here_are_not_spoken_of(cli: Cli) -> None:
    assert [check for check in cli("doctor", "--json").json["checks"] if check["group"] == "hosts"] == []


def test_a_host_that_knows_nothing_is_told_with_the_very_line(cli: Cli, user: Path) -> None:
    """X4"""
    (user / ".cursor").mkdir()
    check = checked(cli("doctor", "--json"))["cursor"]
    assert check["ok"] is None
    assert check["fix"] == f"run `cortex mcp install --host cursor --write --home {cli.home}`"
    line = check["fix"].partition("`cortex ")[2].rstrip("`").split()
    assert cli(*line).code == 0
    check = checked(cli("doctor", "--json"))["cursor"]
    assert (check["ok"], check["detail"]) == (True, "Cursor uses this memory over stdio")


def test_in_the_usual_home_the_line_is_shorter(doctor: Doctor, user: Path, tmp_path: Path) -> None:
    (user / ".claude").mkdir()
    found = doctor(CORTEX_HOME=str(tmp_path / "home"))["claude-code"]
    assert found["fix"] == "run `cortex mcp install --host claude-code --write`"


@pytest.mark.parametrize(
    ("entry", "ok", "detail"),
    [
        (
            {"command": "/gone/python", "args": ["-m", "cortex", "mcp"]},
            False,
            "starts /gone/python, which does not exist",
        ),
        ({"command": sys.executable, "args": ["-m", "cortex", "mcp", "--home=/srv/x"]}, None, "another memory, /srv/x"),
        ({"command": sys.executable, "args": ["-m", "cortex", "mcp"]}, None, "another memory, "),
        ({"url": "http://127.0.0.1:8301/mcp"}, True, "by its URL"),
        ({"args": "none"}, False, "starts nothing, which does not exist"),
        ([], None, "is installed but not connected"),
    ],
)
def test_what_a_host_was_told_is_looked_at(cli: Cli, user: Path, entry: Any, ok: bool | None, detail: str) -> None:
    (user / ".claude.json").write_text(json.dumps({"mcpServers": {"cortex": entry}}))
    check = checked(cli("doctor", "--json"))["claude-code"]
    assert check["ok"] is ok
    assert detail in check["detail"]
    assert ok or "cortex mcp install --host claude-code --write" in check["fix"]


def test_a_server_of_ours_is_known_under_any_name(cli: Cli, user: Path) -> None:
    cli("mcp", "install", "--host", "cursor", "--write", "--name", "memory")
    assert checked(cli("doctor", "--json"))["cursor"]["ok"] is True


@pytest.mark.parametrize("text", ["{ no json", "[]", '{"mcpServers": 3}', ""])
def test_a_file_that_says_something_else_stops_nothing(cli: Cli, user: Path, text: str) -> None:
    (user / ".cursor").mkdir()
    (user / ".cursor" / "mcp.json").write_text(text)
    said = cli("doctor", "--json")
    assert said.code == 0
    assert checked(said)["cursor"]["ok"] is None


def test_of_openclaw_the_owner_of_its_memory_slot_is_told(cli: Cli, user: Path) -> None:
    folder = user / ".openclaw"
    folder.mkdir()
    check = checked(cli("doctor", "--json"))["openclaw plugin"]
    assert check["ok"] is None
    assert check["detail"] == "not installed; memory-core, the default, has OpenClaw's memory slot"
    (folder / "openclaw.json").write_text("{ plugins: { slots: { memory: 'memory-lancedb' } } }")
    said = cli("doctor", "--json")
    assert "memory-lancedb has OpenClaw's memory slot" in checked(said)["openclaw plugin"]["detail"]
    assert said.code == 0
    cli("mcp", "install", "--host", "openclaw", "--write")
    assert checked(cli("doctor", "--json"))["openclaw plugin"]["ok"] is True
    (folder / "openclaw.json").write_text("{ plugins: { slots: { memory: 'cortex' } } }")
    assert checked(cli("doctor", "--json"))["openclaw plugin"]["detail"] == "cortex has the memory slot"

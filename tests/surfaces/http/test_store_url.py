"""A URL with a password, and URLs that cannot be used, over every surface that opens a memory."""

from __future__ import annotations

import json
import os
from pathlib import Path

import httpx
import pytest
from serve_process import WITH_PROCESSES, Process, children
from served import serving
from terminal import Cli

import forking
import vault_store


@pytest.fixture(autouse=True)
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "site").mkdir()
    vault_store.install(tmp_path / "site", monkeypatch)


COMMANDS = [
    ["status"], ["--json", "status"], ["doctor", "--offline"], ["--json", "doctor", "--offline"], ["--debug", "list"],
    ["remember", "The ferry leaves at nine"], ["recall", "the ferry"], ["backup", "create"], ["backup", "list"],
    ["admin", "receipts"], ["admin", "verify"], ["backup", "restore", "latest"], ["init", "--yes", "--offline"],
]  # fmt: skip


@pytest.mark.parametrize("host", ["db.example", "raw", "named"])
def test_no_command_shows_the_secrets_of_a_url(host: str, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORTEX_STORE__URL", vault_store.url(host))
    monkeypatch.setenv("CORTEX_EMBEDDING__PROVIDER", "none")
    shown = ""
    for command in COMMANDS:
        said = cli(*command)
        assert not vault_store.is_told(said.out + said.err), command
        shown += said.out + said.err
    assert f"vault://cortex:***@{host}/memory" in shown
    written = [path for path in cli.home.rglob("*") if path.is_file()]
    assert [path for path in written if vault_store.is_told(path.read_bytes().decode("latin-1"))] == []


def test_no_answer_and_no_log_of_a_server_shows_the_secrets_of_a_url(tmp_path: Path) -> None:
    for host, code in (("db.example", 200), ("raw", 503), ("named", 503)):
        home = tmp_path / host
        with Process(home, CORTEX_STORE__URL=vault_store.url(host), **WITH_PROCESSES) as server:
            answers = [server.client.get(path) for path in ("/v1/status", "/v1/doctor", "/metrics", "/ready")]
            answers.append(server.client.post("/v1/memories", json={"text": "The ferry leaves at nine"}))
            answers.append(server.client.post("/v1/backups", json={}))
            assert answers[0].status_code == code
            assert [each.url for each in answers if vault_store.is_told(each.text)] == []
            if code == 200:
                assert answers[0].json()["store"]["url"].startswith("vault://cortex:***@db.example/memory")
            for pid in (server.pid, *children(server.pid)):
                assert not vault_store.is_told(Path(f"/proc/{pid}/cmdline").read_bytes().decode("latin-1"))
            log = server.log.read_text("utf-8")
        assert not vault_store.is_told(server.said + log)


def test_an_ability_that_is_missing_is_one_error_over_http(tmp_path: Path) -> None:
    with serving(tmp_path / "home", settings={"store": {"url": "ephemeral:"}}) as served:
        answer: httpx.Response = served.client.post("/v1/backups", json={})
        assert (answer.status_code, answer.json()["code"]) == (501, "not_supported")
        assert answer.json()["hint"] == "supported by: postgresql, sqlite; see store.url"


BAD = {"sqlit:": "did you mean 'sqlite'?", "sqlite:memory": "is a relative path", "sqlite://[": "is malformed"}


@pytest.mark.parametrize("command", [("list",), ("serve", "--port", "0"), ("mcp",)])
def test_every_surface_refuses_a_url_that_cannot_be_used(command: tuple[str, ...], tmp_path: Path) -> None:
    for url, told in BAD.items():
        ran = forking.run(
            ["-m", "cortex", "--home", tmp_path / "home", "--json", *command],
            env=os.environ | {"CORTEX_STORE__URL": url, "CORTEX_EMBEDDING__PROVIDER": "none"},
        )
        assert ran.returncode == 2, ran.stderr
        assert "store.url" in ran.stderr
        assert told in ran.stderr
        assert not (tmp_path / "home" / "agents").exists()


PATIENT = {**WITH_PROCESSES, "CORTEX_HOOKS__DEADLINE_MS": "60000"}


def test_a_memory_that_one_process_keeps_is_served_by_one_process(tmp_path: Path) -> None:
    """Another process would see another memory."""
    with Process(tmp_path / "home", CORTEX_STORE__URL="ephemeral:", **PATIENT) as server:
        server.client.post("/v1/memories", json={"text": "The ferry leaves at nine"})
        found = server.client.post("/v1/turns/before", json={"session": "s", "message": "When does the ferry leave?"})
        assert "ferry leaves" in json.dumps(found.json())
        assert children(server.pid) == set()

"""A server that a host starts: it ends with the host, and other hosts of the same home share it (E1)."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from cortex.surfaces.http.server_file import FILE_NAME, running
from forking import DEVNULL, PIPE, Forked

SECONDS = 60


class OwnedServer:
    """`cortex serve --owned`, as a host starts it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.token = secrets.token_urlsafe()
        self.process = Forked(
            ["-m", "cortex", "--home", home, "--json", "serve", "--port", "0", "--owned"],
            stdin=PIPE, stdout=PIPE, stderr=DEVNULL,
            env={**os.environ, "CORTEX_EMBEDDING__PROVIDER": "none"},
        )  # fmt: skip
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{self.token}\n")
        self.process.stdin.flush()
        self.url = json.loads(self.process.stdout.readline())["url"]

    def status(self, token: str | None, **target: str) -> int:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        return httpx.get(f"{self.url}/v1/stats", params=target, headers=headers, timeout=SECONDS).status_code

    def close(self) -> None:
        if self.process.stdin is not None and not self.process.stdin.closed:
            self.process.stdin.close()
        self.process.wait(SECONDS)
        if self.process.stdout is not None:
            self.process.stdout.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnedServer]:
    server = OwnedServer(tmp_path_factory.mktemp("owned") / "memory")
    try:
        yield server
    finally:
        server.close()


def test_another_host_finds_the_server_and_may_act_for_every_agent(server: OwnedServer) -> None:
    info = running(str(server.home))
    assert info is not None
    assert info.url == server.url
    assert server.status(info.token, agent="research") == 200
    assert server.status(server.token, agent="research") == 200
    assert server.status("x" * 43) == 401


def test_only_the_owner_reads_the_file_and_it_lacks_the_token_of_the_starter(server: OwnedServer) -> None:
    file = server.home / FILE_NAME
    assert file.stat().st_mode & 0o777 == 0o600
    assert server.token not in file.read_text()


def test_a_host_administers_nothing(server: OwnedServer) -> None:
    info = running(str(server.home))
    assert info is not None
    headers = {"authorization": f"Bearer {info.token}"}
    refused = httpx.post(f"{server.url}/v1/erase", json={"ids": ["x"]}, headers=headers, timeout=SECONDS)
    assert refused.status_code == 403


def test_the_server_replaces_a_stale_file_and_ends_when_its_starter_is_gone(tmp_path: Path) -> None:
    home = tmp_path / "memory"
    home.mkdir()
    stale = {"url": "http://127.0.0.1:1", "pid": 1, "token": "t", "started": "1", "version": "0.0.1", "contract": 1}
    (home / FILE_NAME).write_text(json.dumps(stale))
    server = OwnedServer(home)
    try:
        info = running(str(home))
        assert info is not None
        assert info.url == server.url
    finally:
        server.close()
    assert server.process.returncode == 0
    assert not (home / FILE_NAME).exists()

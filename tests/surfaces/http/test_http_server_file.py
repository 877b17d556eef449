"""The file by which hosts and commands of this machine find the server of a home."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from cortex._version import __version__
from cortex.runtime.processes import started_at
from cortex.surfaces.http import server_file
from cortex.surfaces.http.server_file import CONTRACT, FILE_NAME, announced, running


def test_it_names_address_process_and_versions_and_is_private(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with announced(home, "http://127.0.0.1:1", "secret"):
        file = home / FILE_NAME
        assert file.stat().st_mode & 0o777 == 0o600
        assert json.loads(file.read_text()) == {
            "url": "http://127.0.0.1:1", "pid": os.getpid(), "started": started_at(os.getpid()),
            "version": __version__, "contract": CONTRACT, "token": "secret",
        }  # fmt: skip
        info = running(home)
        assert info is not None
        assert info.url == "http://127.0.0.1:1"
    assert not file.exists()
    assert running(home) is None


def test_the_file_of_a_dead_server_names_none(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    (tmp_path / FILE_NAME).write_text(json.dumps({"url": "http://127.0.0.1:1", "pid": ended.pid, "started": "1"}))
    assert running(tmp_path) is None
    with announced(tmp_path, "http://127.0.0.1:2"):
        info = running(tmp_path)
        assert info is not None
        assert info.url == "http://127.0.0.1:2"


def test_a_process_that_was_given_the_number_of_a_dead_server_is_not_the_server(tmp_path: Path) -> None:
    stale = {"url": "http://127.0.0.1:1", "pid": os.getpid(), "started": "long ago"}
    (tmp_path / FILE_NAME).write_text(json.dumps(stale))
    assert running(tmp_path) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"url": 1, "unknown": 2}', "\x00"])
def test_a_damaged_file_names_none_and_is_replaced(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE_NAME).write_text(text)
    assert running(tmp_path) is None
    with announced(tmp_path, "http://127.0.0.1:2"):
        assert running(tmp_path) is not None


def test_a_second_server_leaves_the_first_alone_and_is_found_once_that_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two hosts share one server, and neither stops the other's."""
    monkeypatch.setattr(server_file, "LOOK_SECONDS", 0.01)
    first = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    theirs = server_file.ServerInfo("http://127.0.0.1:1", first.pid, started_at(first.pid))
    (tmp_path / FILE_NAME).write_text(json.dumps({name: getattr(theirs, name) for name in theirs.__slots__}))
    with announced(tmp_path, "http://127.0.0.1:2"):
        assert running(tmp_path) == theirs
        first.communicate(b"\n")
        until = time.monotonic() + 60
        while (info := running(tmp_path)) is None and time.monotonic() < until:
            time.sleep(0.01)
        assert info == replace(theirs, url="http://127.0.0.1:2", pid=os.getpid(), started=started_at(os.getpid()))
    assert not (tmp_path / FILE_NAME).exists()

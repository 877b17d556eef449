"""The file by which commands and hosts find the server of a home, and what makes them ignore it (X2)."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cortex.surfaces.http.server_file import (
    FILE_NAME,
    Announcement,
    ServerInfo,
    Untrusted,
    acquire,
    announced,
    reachable,
    running,
    settings_stamp,
)


def info(home: Path, **given: Any) -> ServerInfo:
    known = {
        "url": "http://127.0.0.1:8300", "pid": os.getpid(), "token": "t" * 64, "agent": "main", "user": "default",
        "deadline_ms": 200, "ingest_timeout_ms": 5_000, "settings": settings_stamp(str(home)),
    }  # fmt: skip
    return ServerInfo(**known | given)


@contextmanager
def serving(home: Path, **given: Any) -> Iterator[Path]:
    """A server that has announced itself; gives its file."""
    with Announcement(str(home), info(home, **given), acquire(str(home))) as announcement:
        announcement.publish()
        yield home / FILE_NAME


def test_a_server_is_found_while_it_runs_and_leaves_no_file_behind(tmp_path: Path) -> None:
    assert running(str(tmp_path)) is None
    with serving(tmp_path) as file:
        found = running(str(tmp_path))
        assert found == info(tmp_path)
        assert found is not None
        assert found.address == ("127.0.0.1", 8300)
        assert file.stat().st_mode & 0o777 == 0o600
    assert not file.exists()
    assert running(str(tmp_path)) is None


def test_the_file_of_a_server_that_was_killed_is_ignored_whoever_has_its_pid_now(tmp_path: Path) -> None:
    with serving(tmp_path) as file:
        left = file.read_text()
    file.write_text(left)
    file.chmod(0o600)
    assert json.loads(left)["pid"] == os.getpid()  # a process that lives
    assert running(str(tmp_path)) is None


def test_a_new_server_removes_the_file_of_a_killed_one_before_it_says_where_it_is_itself(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(json.dumps(info(tmp_path).to_json()))
    lock = acquire(str(tmp_path))
    assert lock is not None
    assert not (tmp_path / FILE_NAME).exists()
    os.close(lock)


def test_the_first_of_two_servers_of_a_home_stays_announced(tmp_path: Path) -> None:
    with serving(tmp_path, url="http://127.0.0.1:1"):
        second = acquire(str(tmp_path), patience=False)
        assert second is None
        with Announcement(str(tmp_path), info(tmp_path, url="http://127.0.0.1:2"), second) as other:
            other.publish()
        found = running(str(tmp_path))
        assert found is not None
        assert found.url == "http://127.0.0.1:1"


def test_a_second_server_is_found_once_the_first_has_ended(tmp_path: Path) -> None:
    """Two hosts share one server, and neither stops the other's."""
    ours = info(tmp_path, url="http://127.0.0.1:2")
    with serving(tmp_path, url="http://127.0.0.1:1"):
        second = Announcement(str(tmp_path), ours, acquire(str(tmp_path), patience=False), look_seconds=0.01)
        second.publish()
    with second:
        until = time.monotonic() + 60
        while (found := running(str(tmp_path))) is None and time.monotonic() < until:
            time.sleep(0.01)
        assert found == ours
    assert not (tmp_path / FILE_NAME).exists()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602])
def test_a_file_that_others_can_read_or_write_is_not_trusted(tmp_path: Path, mode: int) -> None:
    with serving(tmp_path) as file:
        file.chmod(mode)
        with pytest.raises(Untrusted, match="not a private file"):
            running(str(tmp_path))
        assert announced(str(tmp_path)) is None


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with serving(home) as file:
        file.rename(tmp_path / "elsewhere")
        file.symlink_to(tmp_path / "elsewhere")
        with pytest.raises(Untrusted):
            running(str(home))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_file_of_another_user_is_not_trusted(tmp_path: Path) -> None:
    with serving(tmp_path) as file:
        os.chown(file, 1, 1)
        with pytest.raises(Untrusted):
            running(str(tmp_path))


@pytest.mark.parametrize(
    "url",
    ["http://192.168.1.2:8300", "http://127.example.org:80", "https://127.0.0.1:1", "http://127.0.0.1", "127.0.0.1:x"],
)
def test_only_an_address_of_this_machine_is_used(tmp_path: Path, url: str) -> None:
    with serving(tmp_path, url=url):
        assert running(str(tmp_path)) is None


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "null", '{"url": 1}', '{"url": "http://127.0.0.1:1", "pid": 1}', "[" * 20_000, "\x00"]
)
def test_what_is_not_the_file_of_a_server_is_ignored(tmp_path: Path, content: str) -> None:
    with serving(tmp_path) as file:
        file.write_text(content)
        assert running(str(tmp_path)) is None


@pytest.mark.parametrize("fields", [{"url": 1}, {"pid": "1"}, {"token": None}, {"contract": 2}, {"more": "x"}])
def test_a_server_of_another_contract_or_with_other_fields_is_ignored(tmp_path: Path, fields: dict[str, Any]) -> None:
    with serving(tmp_path) as file:
        file.write_text(json.dumps(info(tmp_path).to_json() | fields))
        assert running(str(tmp_path)) is None


def test_a_server_that_read_other_settings_is_not_asked(tmp_path: Path) -> None:
    with serving(tmp_path):
        (tmp_path / "cortex.toml").write_text('agent = "work"\n')
        assert running(str(tmp_path)) is None
        assert announced(str(tmp_path)) is not None


def test_a_server_on_every_address_is_reached_on_this_machine() -> None:
    assert reachable("http://0.0.0.0:8300") == "http://127.0.0.1:8300"
    assert reachable("http://[::]:8300") == "http://[::1]:8300"
    assert reachable("http://192.168.1.2:80") == "http://192.168.1.2:80"

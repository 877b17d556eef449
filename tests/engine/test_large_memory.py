"""A memory whose vectors are in an engine of their own: what recall, status, doctor and maintenance say of it."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId, format_uuid7
from cortex.domain.memory import Memory
from cortex.errors import NearestUnavailable
from cortex.memory import Cortex
from cortex.ports.store import Embed, Put
from cortex.stores.relational.code_index import MANY
from cortex.surfaces.cli.app import run
from cortex.testing import FakeClock, FakeEmbedder, FakeReranker

QUESTION = "When does berth 77 open?"


@pytest.fixture(scope="module", autouse=True)
def lancedb() -> None:
    """Imported when the first of these tests runs: to collect the tests every worker would wait seconds for it."""
    pytest.importorskip("lancedb", reason="pip install lancedb")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "vectors"


@pytest.fixture
def open_memory(home: Path, folder: Path) -> Iterator[Callable[..., Cortex]]:
    engines: list[Cortex] = []

    def open_(**settings: Any) -> Cortex:
        while engines:  # one process has one engine
            engines.pop().close()
        given = {"url": f"lancedb://{folder}", "from_vectors": 1_000, "timeout_ms": 60_000, **settings}
        engines.append(
            Cortex(
                home, settings={"nearest": given, "recall": {"deadline_ms": 600_000}},
                embedder=FakeEmbedder(64), reranker=FakeReranker(), clock=FakeClock(),
            )
        )  # fmt: skip
        return engines[0]

    yield open_
    for engine in engines:
        engine.close()


@pytest.fixture
def memory(open_memory: Callable[..., Cortex]) -> Cortex:
    """A memory of more vectors than are compared one by one."""
    opened = open_memory()
    context, at = opened.context, opened.context.clock.now()
    texts = [f"Berth {number} opens at {number % 24}:00 for ships of class {number % 7}" for number in range(MANY + 40)]
    vectors = context.dependencies.embedder.embed_documents(texts)
    traces = [
        Memory(id=TraceId(format_uuid7(1_700_000_000_000 + number, number)), text=text, created_at=at)
        for number, text in enumerate(texts)
    ]
    context.apply([Put(trace, EventKind.REMEMBERED) for trace in traces])
    space = context.dependencies.embedder.space
    context.apply([Embed(trace.id, space, (vector,)) for trace, vector in zip(traces, vectors, strict=True)])
    return opened


def recalled(memory: Cortex) -> tuple[list[str], list[str]]:
    """What is found, and what was degraded."""
    found = memory.recall(QUESTION)
    degraded = [line for line in found.receipt.degraded if line.startswith("nearest")]
    return [hit.trace.text for hit in found.hits], degraded


def troubles(memory: Cortex) -> list[tuple[str, str]]:
    return [(each["why"], each["fix"]) for each in memory.status()["degraded"] if each["what"] == "nearest"]


def checked(memory: Cortex) -> tuple[bool | None, str]:
    (check,) = (each for each in memory.doctor() if each.name == "nearest")
    return check.ok, check.detail


def test_recall_gives_the_same_and_says_when_the_engine_was_not_used(memory: Cortex, folder: Path):
    """X17, E16: `admin optimize` feeds it, and feeds it anew where it was lost"""
    before, degraded = recalled(memory)
    assert degraded == ["nearest:behind"]
    assert troubles(memory)[0][1].startswith("run `cortex admin optimize`")
    assert checked(memory)[0] is None
    assert memory.optimize()["nearest"]["state"] == "ready"
    assert recalled(memory) == (before, [])
    assert troubles(memory) == []
    assert checked(memory)[0] is True
    assert "lancedb, folder" in checked(memory)[1]
    shutil.rmtree(folder)
    assert recalled(memory) == (before, ["nearest:lost"])
    assert "is lost" in troubles(memory)[0][0]
    assert memory.optimize()["nearest"]["state"] == "ready"
    assert recalled(memory) == (before, [])


def test_a_receipt_of_a_degraded_recall_is_replayed_with_its_vectors(memory: Cortex):
    """What is degraded is not the leg of vectors, which a replay would leave out"""
    found = memory.recall(QUESTION)
    assert "nearest:behind" in found.receipt.degraded
    assert memory.replay(found.receipt.id).same


def test_background_work_feeds_the_engine(memory: Cortex):
    """E16: on a schedule"""
    store: Any = memory.context.dependencies.store("main")
    memory.run_due()
    store.feed_nearest()  # waits for what runs in the background
    assert memory.status()["nearest"]["state"] == "ready"
    assert recalled(memory)[1] == []


def test_a_memory_that_is_too_small_says_so(memory: Cortex, open_memory: Callable[..., Cortex], folder: Path):
    opened = open_memory(from_vectors=5_000)
    assert recalled(opened)[1] == []
    assert opened.optimize()["nearest"]["state"] == "idle"
    assert "is used from 5,000 vectors on; there are 1,064" in checked(opened)[1]
    assert not folder.exists()


def test_an_engine_that_is_not_there_stops_nothing(memory: Cortex, open_memory: Callable[..., Cortex]):
    """Bad input: a wrong URL, without its password in anything that is shown"""
    before, _ = recalled(memory)
    opened = open_memory(url="s3://key:hidden-word@bucket/prefix")
    assert recalled(opened) == (before, ["nearest:behind"])
    assert opened.optimize()["nearest"]["state"] == "unavailable"
    assert recalled(opened) == (before, ["nearest:unavailable"])
    why, fix = troubles(opened)[0]
    assert "has a password in it" in why
    assert "AWS_SECRET_ACCESS_KEY" in fix
    assert "hidden-word" not in json.dumps(opened.status())


def test_an_erasure_is_finished_once_the_engine_has_dropped_it(memory: Cortex, open_memory, folder: Path):
    """X7: until then it is pending, and says why"""
    memory.optimize()
    id = memory.recall(QUESTION).hits[0].trace.id
    hidden = folder.with_name("away")
    folder.rename(hidden)
    folder.write_text("not a folder")
    certificate = memory.erase(id).certificate
    assert str(folder) in certificate.pending
    folder.unlink()
    hidden.rename(folder)
    assert memory.finish_erasures() == []
    assert memory.status()["nearest"]["spaces"].popitem()[1]["points"] == MANY + 39


def test_the_command_line_tells_how_the_engine_is(
    memory: Cortex, home: Path, folder: Path, capsys: pytest.CaptureFixture[str]
):
    memory.close()
    url = f"lancedb://{folder}"
    (home / "cortex.toml").write_text(f'[nearest]\nurl = "{url}"\nfrom_vectors = 1000\ntimeout_ms = 60000\n')
    assert run(["--home", str(home), "admin", "optimize"]) == 0
    assert f"nearest: {url} is ready" in capsys.readouterr().out.replace("\n", "")


def test_a_package_that_is_missing_is_named_with_what_installs_it(
    memory: Cortex, monkeypatch: pytest.MonkeyPatch, open_memory: Callable[..., Cortex]
):
    for name, module in {"qdrant": "qdrant_client", "lancedb": "lancedb"}.items():
        opened = open_memory(url=f"{name}:///tmp/nowhere")
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(NearestUnavailable) as error:
            opened.context.dependencies.store("main").feed_nearest()  # type: ignore[attr-defined]
        assert f"pip install 'memory-cortex[{name}]'" in error.value.hint

"""The sample that the browser tests and the pictures of the docs are made of. Needs no browser."""

from __future__ import annotations

import importlib.util
import struct
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest

from cortex import Cortex
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import Kind, Memory
from cortex.domain.trust import TrustTier
from cortex.ports.store import Filter
from sweeps import for_each

ROOT = Path(__file__).parent.parent.parent
PICTURES = ROOT / "docs" / "screenshots"
VIEWS = ("overview", "search", "timeline", "memory", "receipt", "health")
EVERYTHING = Filter(states=frozenset(State))
UNTIL = datetime(2026, 11, 16, 17, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def sample() -> Iterator[ModuleType]:
    """examples/sample.py."""
    spec = importlib.util.spec_from_file_location("sample", ROOT / "examples" / "sample.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Its dataclasses look their own module up by name.
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "sample", module)
        spec.loader.exec_module(module)
        yield module


@pytest.fixture(scope="module")
def homes(sample: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The sample, made twice."""
    made = [tmp_path_factory.mktemp("sample") / "home" for _ in range(2)]
    for home in made:
        sample.fill(home, until=UNTIL)
    return made


@pytest.mark.slow
def test_the_sample_is_the_same_on_every_run(homes: list[Path]) -> None:
    items = []
    for home in homes:
        with Cortex(home) as memory:
            receipts = [(each.id, each.op, each.at, each.latency_ms) for each in memory.receipts(limit=500)]
            traces = memory.list(EVERYTHING, limit=1_000)  # which leaves a receipt of today
            items.append((traces, [(each.at, each.kind, each.subject) for each in memory.events()], receipts))
    assert items[0] == items[1]


@pytest.mark.slow
def test_the_sample_has_something_of_everything(homes: list[Path]) -> None:
    with Cortex(homes[0]) as memory:
        counts = memory.stats()
        assert set(counts.by_kind) == {kind.value for kind in Kind}
        assert set(counts.by_state) == {state.value for state in State}
        assert set(counts.by_trust) == {tier.value for tier in TrustTier}
        assert set(counts.by_lane) == {lane.value for lane in (Lane.MEMORIES, Lane.SESSIONS, Lane.NOTES)}
        assert counts.by_lane["memories"] > 200
        memories = [each for each in memory.list(EVERYTHING, limit=1_000) if isinstance(each, Memory)]
        assert any(each.contradicts for each in memories)
        assert any(each.source_turns for each in memories)
        assert any(len(each.text) > 4_000 for each in memories)
        assert {"recall", "remember", "consolidate", "forget"} <= {each.op for each in memory.receipts(limit=500)}
        assert "files" in [each["what"] for each in memory.status()["degraded"]]
        assert counts.oldest is not None
        assert (UNTIL - counts.oldest).days == 60


@for_each("name", [*(f"{view}-{scheme}" for view in VIEWS for scheme in ("light", "dark")), "phone"])
def test_the_pictures_of_the_docs_are_there_and_small(name: str) -> None:
    picture = (PICTURES / f"{name}.png").read_bytes()
    assert len(picture) < 250_000
    assert struct.unpack(">I", picture[16:20])[0] == (780 if name == "phone" else 1280)

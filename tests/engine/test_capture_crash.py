"""Work that is killed again and again leaves what undisturbed work leaves, nothing lost and nothing twice (C2, X13)."""

from __future__ import annotations

import signal
from collections import Counter
from pathlib import Path
from typing import Any

import capture_process
import pytest
from capture_process import ingested, opened

import forking
from cortex.domain.lanes import ANY_STATE, Lane, State
from cortex.domain.memory import Memory
from cortex.memory import Cortex
from cortex.ports.store import Filter, JobState
from sweeps import sweep

EVERYTHING = Filter(states=ANY_STATE)


def killed(home: Path, minutes: int, place: str, number: int) -> None:
    """A process that begins to work so many minutes later, and is killed."""
    script = Path(capture_process.__file__)
    done = forking.run([script, home, str(minutes), place, str(number)])
    assert done.returncode == -signal.SIGKILL, f"it was not killed: {done.returncode}\n{done.stderr}"


def memories(engine: Cortex) -> list[dict[str, Any]]:
    """Every memory in any state with all that capture decided of it; others by their text, since ids differ."""
    traces = {trace.id: trace for trace in engine.list(EVERYTHING, limit=10_000)}
    text = {id: trace.text for id, trace in traces.items()} | {None: None}
    found = [
        {
            "text": memory.text,
            "kind": memory.kind,
            "state": memory.state,
            "slot": memory.slot,
            "value": memory.value,
            "trust": memory.trust,
            "tags": memory.tags,
            "confidence": memory.confidence,
            "reinforced": memory.reinforced,
            "created_at": memory.created_at,
            "valid": (memory.valid_from, memory.valid_to),
            "supersedes": text[memory.supersedes],
            "superseded_by": text[memory.superseded_by],
            "contradicts": sorted(str(text[id]) for id in memory.contradicts),
            "sources": [str(text[id]) for id in memory.source_turns],
        }
        for memory in traces.values()
        if isinstance(memory, Memory)
    ]
    return sorted(found, key=lambda memory: (memory["text"], memory["created_at"]))


def events(engine: Cortex) -> Counter[tuple[str, str]]:
    """How often what happened to which text: work that is done twice shows here."""
    text = {trace.id: trace.text for trace in engine.list(EVERYTHING, limit=10_000)}
    return Counter((event.kind.value, text.get(event.subject, "")) for event in engine.events(limit=100_000))


def jobs(engine: Cortex) -> Counter[tuple[str, str, str]]:
    with engine.context.store.view(engine.tenant) as view:
        return Counter((job.kind, job.key, state.value) for state in JobState for job in view.jobs(state, 1_000))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    home = tmp_path_factory.mktemp("undisturbed")
    ingested(home)
    with opened(home, 1) as engine:
        facts = engine.run_jobs().facts
        assert not facts["failed"]
        return {
            "memories": memories(engine), "events": events(engine), "jobs": jobs(engine), "counts": engine.stats(),
            "status": engine.status()["vectors"],
        }  # fmt: skip


def test_the_conversations_hold_what_a_crash_could_spoil(undisturbed: dict[str, Any]) -> None:
    """New statements, repeated ones and changed ones, over more turns than one step takes."""
    states = Counter(memory["state"] for memory in undisturbed["memories"])
    assert states[State.ACTIVE] >= 8
    assert states[State.SUPERSEDED] >= 3
    assert any(memory["reinforced"] for memory in undisturbed["memories"])
    assert any(memory["superseded_by"] for memory in undisturbed["memories"])
    turns = [len(messages) for _, messages in capture_process.sessions()]
    assert max(turns) > 64
    assert len(turns) == 3


CRASHES = {
    "while turns are embedded": (("after", 1), ("before", 3)),
    "with the extraction claimed": (("after", 4), ("after", 1)),
    "before and after its first step": (("before", 5), ("after", 2)),
    "between its steps": (("after", 5), ("before", 2)),
    "within its first step": (("within", 5), ("within", 5)),
    "within its second step": (("within", 11), ("within", 1)),
    "within the session that changes things": (("within", 20), ("within", 8)),
    "after that session, within the next": (("after", 11), ("within", 6)),
    "when all was done": (("after", 16), ("before", 1)),
}
"""Where two processes in a row die: by the number of their writes, or of the events within them."""


@pytest.mark.parametrize("crash", sweep(CRASHES, ["within the session that changes things"]))
def test_work_that_was_killed_twice_leaves_what_undisturbed_work_leaves(
    tmp_path: Path, undisturbed: dict[str, Any], crash: str
) -> None:
    """C2, X13, X14: no memory is lost, doubled, or decided otherwise"""
    first, second = CRASHES[crash]
    ingested(tmp_path)
    killed(tmp_path, 1, *first)
    killed(tmp_path, 2, *second)
    with opened(tmp_path, 3) as engine:
        assert not engine.run_jobs().facts["failed"]
        assert memories(engine) == undisturbed["memories"]
        assert events(engine) == undisturbed["events"]
        assert jobs(engine) == undisturbed["jobs"]
        assert engine.stats() == undisturbed["counts"]
        assert engine.status()["vectors"] == undisturbed["status"]
        assert engine.verify() == []


@pytest.mark.slow
def test_what_was_killed_and_finished_takes_nothing_in_again(tmp_path: Path, undisturbed: dict[str, Any]) -> None:
    """C1: the same histories again change no count"""
    ingested(tmp_path)
    killed(tmp_path, 1, "within", 5)
    with opened(tmp_path, 2) as engine:
        engine.run_jobs()
    ingested(tmp_path, 3)
    with opened(tmp_path, 4) as engine:
        assert engine.run_jobs().facts["done"] == {}
        assert engine.stats() == undisturbed["counts"]
        assert engine.stats(Filter(lanes=frozenset({Lane.MEMORIES}))).total >= 8
        assert engine.verify() == []


def test_the_work_of_a_killed_process_waits_until_its_claim_has_lapsed(
    tmp_path: Path, undisturbed: dict[str, Any]
) -> None:
    """C2, X14: no work is done by two at once, and what then comes late does not replace what is newer"""
    ingested(tmp_path)
    killed(tmp_path, 1, "after", 10)
    with opened(tmp_path, 1) as engine:
        assert "extract" not in engine.run_jobs().facts["done"]
        assert jobs(engine)["extract", "day 1", "running"] == 1
    with opened(tmp_path, 2) as engine:
        assert engine.run_jobs().facts["done"]["extract"] >= 2
        assert memories(engine) == undisturbed["memories"]

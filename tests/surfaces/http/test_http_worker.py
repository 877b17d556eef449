"""Background work in a process of its own: none of it in the server, whatever becomes of either process."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from serve_process import WITH_PROCESSES, Process

from cortex import Cortex
from cortex.domain.lanes import Lane
from cortex.domain.scope import Tenant
from cortex.errors import InvalidRequest
from cortex.ports.store import Filter
from cortex.surfaces.http import worker_process
from cortex.surfaces.http.worker_process import WorkerProcess
from cortex.testing import FakeEmbedder

SETTINGS = {
    "store": {"sqlite": {"synchronous": "normal"}},
    "capture": {"debounce_seconds": 0},
    "embedding": {"cache_entries": 0},
}
LONG = "The harbor log is kept in the tower. " * 500 + "Always."
NOT_AGAIN = {"CORTEX_CAPTURE__DEBOUNCE_SECONDS": "0", "CORTEX_LIFECYCLE__BACKUP_EVERY_HOURS": "0"}


class Telling(FakeEmbedder):
    """An embedder that leaves behind the process it ran in."""

    def __init__(self, place: Path) -> None:
        super().__init__(64)
        self._place = place

    def embed_documents(self, texts: Any) -> Any:
        with self._place.open("a") as file:
            file.write(f"{os.getpid()}\n")
        return super().embed_documents(texts)


def opened(home: Path) -> Cortex:
    return Cortex(home, settings=SETTINGS, embedder=Telling(home.parent / "pids"))


def broken(_home: Path) -> Cortex:
    raise RuntimeError("this process cannot open the memory")


def awaited(what: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Until it is so; gives it."""
    ends = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < ends
        time.sleep(0.02)
    return found


@contextmanager
def working(home: Path, open_engine: Callable[[Path], Cortex] = opened) -> Iterator[tuple[Cortex, WorkerProcess]]:
    with opened(home) as engine:
        process = WorkerProcess(engine, partial(open_engine, home))
        with process.running([]):
            yield engine, process


def said(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}, {"role": "assistant", "content": "Noted."}]


def memories(engine: Cortex) -> list[str]:
    return [trace.text for trace in engine.list(Filter(lanes=frozenset({Lane.MEMORIES})), limit=1_000)]


def degraded(engine: Cortex) -> list[str]:
    return [each["why"] for each in engine.status()["degraded"] if each["what"] == "background work"]


def test_nothing_of_the_background_work_is_done_in_the_server(tmp_path: Path) -> None:
    with working(tmp_path / "home") as (engine, process):
        pid = awaited(lambda: process.pid)
        assert len(engine.capture(said("I live in Rome."), session="s1").memories) == 1  # who waits for it has it
        engine.ingest(said("My cat is called Felix."), session="s2")  # nobody waits, and it is done all the same
        awaited(lambda: len(memories(engine)) == 2 and engine.next_due() is None)
        other = engine.bind(user="ada")
        process.add_tenant(other.tenant)
        other.ingest(said("I live in Oslo."), session="s1")
        awaited(lambda: memories(other) and other.next_due() is None)
        done = engine.bind(user="bob")
        done.ingest(said("I live in Kyiv."), session="s1", debounce=False)
        assert done.run_jobs().facts["done"] == {"embed": 1, "extract": 1}  # a call returns what was done
        assert set((tmp_path / "pids").read_text().split()) == {str(pid)}
        # Texts that a request brings are read there too, if they are long; the answer is the same, and so are errors.
        kept = engine.remember(LONG, scope="harbor", source_kind="web")
        assert engine.get(kept.memory.id) == kept.memory
        assert (kept.memory.text, kept.memory.scope) == (LONG, "harbor")
        (page,) = engine.export_markdown()
        edited = engine.import_markdown(page.text.replace("Always.", "Mostly."))
        assert edited.receipt.facts["stored"] == 1
        lines = [json.dumps(line) for line in engine.export(redact=False)]
        assert engine.import_(lines, dry_run=True).plan.facts()["dry_run"]
        shown: list[int] = []
        engine.import_(lines, dry_run=True, progress=lambda done, *_: shown.append(done))  # a call that cannot be sent
        with pytest.raises(InvalidRequest, match="text: ") as refused:
            engine.remember(LONG * 100)
        assert refused.value.field == "text"
        with pytest.raises(TypeError):
            engine.ingest(said(LONG), session="s1", no_such_option=True)
        assert set((tmp_path / "pids").read_text().split()) == {str(pid)}
        assert engine.status()["worker"] == {"process": True, "pid": pid, "exits": 0}
        assert degraded(engine) == []
        # Repeated failures there are reported here.
        failing = {"code": "scheduler_failing", "detail": "x", "fix": "y", "at": None}
        process._receive(worker_process._Report((failing,)))
        assert "scheduler_failing" in [each["code"] for each in engine.status()["anomalies"]]


def test_edits_of_followed_files_are_read_in_the_process_too(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Garden\n\nThe pump is behind the shed.\n")
    with opened(tmp_path / "home") as engine:
        engine.files.add(notes)
    with working(tmp_path / "home") as (engine, process):
        pid = awaited(lambda: process.pid)
        awaited(lambda: engine.memory_search("where is the pump?")["results"])
        awaited(lambda: engine.files.status()["watching"]["active"])
        (notes / "b.md").write_text("# Kitchen\n\nThe kettle is in the cupboard.\n")
        awaited(lambda: engine.memory_search("where is the kettle?")["results"])
        assert set((tmp_path / "pids").read_text().split()) == {str(pid)}


def test_a_process_that_was_killed_is_started_again_and_told_of(tmp_path: Path) -> None:
    with working(tmp_path / "home") as (engine, process):
        first = awaited(lambda: process.pid)
        os.kill(first, signal.SIGKILL)
        awaited(lambda: process.exits)
        # Meanwhile nobody who waits is let down: the server does it itself.
        assert len(engine.capture(said("I live in Rome."), session="s1").memories) == 1
        second = awaited(lambda: process.pid)
        assert second != first
        assert degraded(engine) == ["the worker process ended once, the last by signal 9; it was restarted"]
        engine.ingest(said("My cat is called Felix."), session="s2")
        awaited(lambda: len(memories(engine)) == 2 and engine.next_due() is None)
        events = [event.kind.value for event in engine.events(limit=1_000)]
        assert events.count("remembered") == 2


@pytest.mark.slow
def test_where_no_process_can_be_started_the_server_does_it_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_process, "FIRST_WAIT_SECONDS", 0.01)
    with working(tmp_path / "home", broken) as (engine, process):
        process.add_tenant(Tenant(user="ada"))
        awaited(lambda: process._local is not None)
        other = engine.bind(user="ada")
        other.ingest(said("I live in Oslo."), session="s1")
        awaited(lambda: memories(other) and other.next_due() is None)
        assert engine.status()["worker"] == {"process": False, "pid": None, "exits": 3}
        (why,) = degraded(engine)
        assert "in the server's own process" in why
        assert "with code 1" in why


# --- the server as a process ------------------------------------------------------------------------------------------


def worker_of(server: Process) -> int:
    return int(awaited(lambda: server.client.get("/v1/status").json()["worker"]["pid"]))


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow
def test_a_killed_worker_is_counted_and_its_work_done_once(tmp_path: Path) -> None:
    with Process(tmp_path / "home", **WITH_PROCESSES, **NOT_AGAIN) as server:
        first = worker_of(server)
        assert first != server.pid
        # Even while somebody waits for it, what is made of a text is worked out there.
        before = cpu_seconds(server.pid), cpu_seconds(first)
        text = " ".join(f"My locker {number} opens with key {number}." for number in range(600))
        body = {"session": "s0", "messages": said(text), "user": "ada"}
        assert server.client.post("/v1/capture", json=body).json()["memories"]
        assert cpu_seconds(first) - before[1] > cpu_seconds(server.pid) - before[0]
        os.kill(first, signal.SIGKILL)
        server.client.post("/v1/turns/after", json={"session": "s1", "messages": said("I live in Rome.")})
        awaited(lambda: server.client.get("/v1/memories").json()["memories"])
        awaited(lambda: worker_of(server) != first)
        assert "cortex_worker_exits_total 1.0" in server.client.get("/metrics").text
        assert server.end() == 0
    with Cortex(tmp_path / "home", settings={"embedding": {"provider": "none"}}) as engine:
        assert memories(engine) == ["I live in Rome."]
        assert [event.kind.value for event in engine.events(limit=100)].count("remembered") == 1

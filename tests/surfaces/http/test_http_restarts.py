"""A server that is killed again and again under load: nothing it acknowledged is lost, no work is done twice (C2)."""

from __future__ import annotations

import random
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from serve_process import WITH_PROCESSES, Process

from cortex import Cortex
from cortex.capture.queue import CLAIM
from cortex.clock import SystemClock
from cortex.domain.events import EventKind
from cortex.domain.lanes import ANY_STATE, Lane, State
from cortex.domain.memory import Memory
from cortex.domain.turn import Turn
from cortex.ports.store import Filter

SEED = 20_261_116
RESTARTS = 6
PATIENCE = 120.0
"""So long the server may take on a machine that has much else to do."""

AT_ONCE = {
    "CORTEX_CAPTURE__DEBOUNCE_SECONDS": "0",  # memories are extracted while the server is being killed
    "CORTEX_HOOKS__DEADLINE_MS": "5000",
    "CORTEX_HOOKS__INGEST_TIMEOUT_MS": "20000",
}
TOLD_IN_A_SESSION = 12
GONE = "(forgotten)"


class Ahead(SystemClock):
    """The machine's time, a little later: what a killed process had claimed is free again."""

    def now(self) -> datetime:
        return super().now() + CLAIM + timedelta(seconds=1)


@dataclass
class Line:
    """A client's line to a server that may be gone at any moment, and comes back at the same address."""

    url: str
    up: threading.Event
    stopped: threading.Event
    rng: random.Random
    answered: int = 0
    client: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        self.client = httpx.Client(base_url=self.url, timeout=PATIENCE)

    def ask(self, method: str, path: str, **given: Any) -> httpx.Response | None:
        """The answer; None where there was none, and nobody knows what was done."""
        self.up.wait()
        try:
            answer = self.client.request(method, path, **given)
        except httpx.HTTPError:
            time.sleep(0.02)
            return None
        self.answered += 1
        return answer

    def goes_on(self) -> bool:
        time.sleep(self.rng.uniform(0.001, 0.02))
        return not self.stopped.is_set()


@dataclass
class Teller:
    """A host that hands over the growing histories of its sessions."""

    line: Line
    user: str
    histories: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    acknowledged: Counter[str] = field(default_factory=Counter)
    said: int = 0

    def run(self) -> None:
        while self.line.goes_on():
            session = f"{self.user}-{self.said // TOLD_IN_A_SESSION}"
            history = self.histories.setdefault(session, [])
            history += [
                {
                    "role": "user",
                    "content": f"Remember that Locker {self.said} of {self.user} opens with K{self.said}.",
                },
                {"role": "assistant", "content": "Noted."},
            ]
            self.said += 1
            self.hand_over(session)
            if self.line.rng.random() < 0.3:  # an earlier one comes again, as it is
                self.hand_over(self.line.rng.choice(sorted(self.histories)))

    def hand_over(self, session: str) -> bool:
        history = list(self.histories[session])
        body = {"user": self.user, "session": session, "messages": history}
        answer = self.line.ask("POST", "/v1/turns/after", json=body)
        if answer is None:
            return False
        payload = answer.json()
        assert (answer.status_code, payload["degraded"]) == (200, []), payload
        assert payload["stored"] + payload["seen"] == len(history)
        self.acknowledged[session] = max(self.acknowledged[session], len(history))
        return True


@dataclass
class Editor:
    """Somebody who writes notes, corrects them and throws them away."""

    line: Line
    user: str
    notes: dict[str, set[str]] = field(default_factory=dict)
    """What each may say: one thing where everything was acknowledged, two where an answer was lost."""
    unanswered: set[str] = field(default_factory=set)
    sent: int = 0

    def run(self) -> None:
        while self.line.goes_on():
            certain = [id for id, says in self.notes.items() if len(says) == 1 and GONE not in says]
            what = self.line.rng.random()
            if what < 0.6 or not certain:
                self._write()
            elif what < 0.85:
                self._correct(self.line.rng.choice(certain))
            else:
                self._throw_away(self.line.rng.choice(certain))

    def _text(self) -> str:
        self.sent += 1
        return f"Shelf {self.sent} of {self.user} holds crate C{self.sent}"

    def _write(self) -> None:
        text = self._text()
        answer = self.line.ask("POST", "/v1/memories", json={"text": text, "user": self.user})
        if answer is None:
            self.unanswered.add(text)
        else:
            assert answer.status_code == 201, answer.text
            self.notes[answer.json()["memory"]["id"]] = {text}

    def _correct(self, id: str) -> None:
        text = self._text()
        answer = self.line.ask("PATCH", f"/v1/memories/{id}", json={"text": text, "user": self.user})
        self._became(id, answer, text)

    def _throw_away(self, id: str) -> None:
        answer = self.line.ask("DELETE", f"/v1/memories/{id}", params={"user": self.user})
        self._became(id, answer, GONE)

    def _became(self, id: str, answer: httpx.Response | None, what: str) -> None:
        if answer is None:
            self.notes[id].add(what)
        else:
            assert answer.status_code == 200, answer.text
            self.notes[id] = {what}


@dataclass
class Asker:
    """A host whose model is about to answer."""

    line: Line
    user: str

    def run(self) -> None:
        while self.line.goes_on():
            session = f"{self.user}-{self.line.rng.randrange(3)}"
            message = f"what opens locker {self.line.rng.randrange(50)}?"
            body = {"user": self.user, "session": session, "message": message}
            answer = self.line.ask("POST", "/v1/turns/before", json=body)
            assert answer is None or answer.status_code == 200, answer.text


class Load:
    """Several clients of one address at once."""

    def __init__(self, url: str, seed: int) -> None:
        self.up, self.stopped = threading.Event(), threading.Event()
        seeds = random.Random(seed)

        self.lines: list[Line] = []

        def line() -> Line:
            self.lines.append(Line(url, self.up, self.stopped, random.Random(seeds.random())))
            return self.lines[-1]

        self.tellers = [Teller(line(), f"teller{number}") for number in range(3)]
        self.editors = [Editor(line(), f"editor{number}") for number in range(2)]
        self.askers = [Asker(line(), self.tellers[0].user)]
        self.failures: list[BaseException] = []

    @contextmanager
    def running(self) -> Iterator[None]:
        threads = [
            threading.Thread(target=self._run, args=(client,), daemon=True)
            for client in (*self.tellers, *self.editors, *self.askers)
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.stopped.set()
            self.up.set()
            for thread in threads:
                thread.join(PATIENCE)
        assert not self.failures, self.failures

    def _run(self, client: Teller | Editor | Asker) -> None:
        try:
            client.run()
        except BaseException as error:  # raised by the test, which waits for the threads
            self.failures.append(error)

    @property
    def answered(self) -> int:
        return sum(line.answered for line in self.lines)

    def close(self) -> None:
        for line in self.lines:
            line.client.close()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        port: int = one.getsockname()[1]
        return port


def reached(is_so: Any) -> bool:
    until = time.monotonic() + PATIENCE
    while not is_so() and time.monotonic() < until:
        time.sleep(0.05)
    return bool(is_so())


def opened(home: Path, **options: Any) -> Cortex:
    return Cortex(home, settings={"embedding": {"provider": "none"}}, **options)


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_and_no_work_is_done_twice(tmp_path: Path) -> None:
    """C2: turns, notes, corrections and what was thrown away outlast every kill; each statement is extracted once.

    The last server itself takes up what the killed ones had claimed, half a minute later.
    """
    port = free_port()
    with closing(Load(f"http://127.0.0.1:{port}", SEED)) as load:
        killed_again_and_again(tmp_path / "home", port, load)
    with opened(tmp_path / "home", clock=Ahead()) as engine:
        for teller in load.tellers:
            engine.bind(user=teller.user).run_jobs()
            everything_was_taken_in_once(engine.bind(user=teller.user), teller)
        for editor in load.editors:
            everything_is_as_acknowledged(engine.bind(user=editor.user), editor)
        assert engine.verify() == []


def killed_again_and_again(home: Path, port: int, load: Load) -> None:
    moments = random.Random(SEED)
    with load.running():
        for _ in range(RESTARTS):
            with Process(home, "--port", str(port), **WITH_PROCESSES, **AT_ONCE) as server:
                before = load.answered
                load.up.set()
                assert reached(lambda before=before: load.answered > before or load.failures)
                time.sleep(moments.uniform(0.0, 1.2))
                load.up.clear()
                server.end(signal.SIGKILL)
    with Process(home, "--port", str(port), **WITH_PROCESSES, **AT_ONCE) as server, opened(home) as engine:
        for teller in load.tellers:
            assert all(teller.hand_over(session) for session in teller.histories)
        assert reached(lambda: all(engine.bind(user=each.user).next_due() is None for each in load.tellers))
        assert server.end() == 0
    assert not [line for line in server.lines if line["level"] in {"error", "critical"}]


def everything_was_taken_in_once(engine: Cortex, teller: Teller) -> None:
    turns: dict[str, list[Turn]] = {}
    for trace in engine.list(Filter(lanes=frozenset({Lane.SESSIONS}), states=ANY_STATE), limit=1_000_000):
        assert isinstance(trace, Turn)
        turns.setdefault(trace.session, []).append(trace)
    assert turns.keys() == teller.histories.keys()
    for session, history in teller.histories.items():
        stored = sorted(turns[session], key=lambda turn: turn.seq)
        assert [turn.seq for turn in stored] == list(range(len(history)))
        assert [turn.text for turn in stored] == [message["content"] for message in history]
        assert teller.acknowledged[session] == len(history)
    assert teller.said > 0
    # Every statement became one memory, of the one turn it was said in, and was never extracted twice.
    said = {turn.id: turn.text for session in turns.values() for turn in session if turn.role.value == "user"}
    memories = memories_of(engine)
    extracted = Counter(id for memory in memories for id in memory.source_turns)
    assert extracted == Counter(said.keys())
    for memory in memories:
        (source,) = memory.source_turns
        assert (memory.text, memory.state) == (said[source].removeprefix("Remember that "), State.ACTIVE)
    events = Counter(event.kind for event in engine.events(limit=1_000_000))
    assert events[EventKind.REMEMBERED] == len(said)
    assert not events.keys() & {EventKind.REINFORCED, EventKind.SUPERSEDED, EventKind.WITHDRAWN, EventKind.REVISED}
    # A receipt may be lost with the process that was about to write it; no two list the same turn.
    worked = [receipt.facts for receipt in engine.receipts(limit=1_000_000, op="run_jobs")]
    assert 0 < sum(facts["counts"].get("turns", 0) for facts in worked) <= 2 * len(said)
    assert sum(facts["counts"].get("new", 0) for facts in worked) <= len(said)
    assert not [facts for facts in worked if facts["failed"]]
    assert engine.next_due() is None
    assert engine.status()["jobs"] == {"waiting": 0, "failed": 0, "next": None}


def everything_is_as_acknowledged(engine: Cortex, editor: Editor) -> None:
    memories = {memory.id: memory for memory in memories_of(engine)}
    assert editor.notes.keys() <= memories.keys()
    for id, says in editor.notes.items():
        memory = memories[id]
        assert (GONE if memory.state is State.FORGOTTEN else memory.text) in says
    # What was not acknowledged may be there or not, but not twice.
    others = [memory.text for id, memory in memories.items() if id not in editor.notes]
    assert set(others) <= editor.unanswered
    assert len(others) == len(set(others))
    events = engine.events(limit=1_000_000)
    assert Counter(event.subject for event in events if event.kind is EventKind.REMEMBERED) == Counter(memories.keys())


def memories_of(engine: Cortex) -> list[Memory]:
    found = engine.list(Filter(lanes=frozenset({Lane.MEMORIES}), states=ANY_STATE), limit=1_000_000)
    return [trace for trace in found if isinstance(trace, Memory)]

"""More requests than can be served (C8, C16): no error, an answer for everybody, and no work that nobody waits for."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from served import Served, serving

from cortex.domain.scope import Tenant
from cortex.errors import DeadlineExceeded
from cortex.surfaces.bounded_executor import BoundedExecutor, Busy
from cortex.write_behind import WriteBehindQueue

QUESTION = "when does the deploy key rotate?"


# --- calls of the engine ----------------------------------------------------------------------------------------------


class Gate:
    """Work that waits until it is let go on, and tells that it was begun."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.open = threading.Event()

    def __call__(self) -> str:
        self.begun.set()
        assert self.open.wait(60)
        return "done"


async def entered(gate: Gate) -> None:
    assert await asyncio.to_thread(gate.begun.wait, 60)


def test_what_is_not_begun_in_time_is_not_begun_at_all() -> None:
    async def scenario() -> None:
        calls, gate, begun = BoundedExecutor(1), Gate(), list[int]()
        first = asyncio.create_task(calls.run(gate, seconds=60))
        await entered(gate)
        with pytest.raises(Busy):
            await calls.run(lambda: begun.append(1), seconds=60, patience=0.01)
        with pytest.raises(Busy):
            await calls.run(lambda: begun.append(2), seconds=0.01)
        gate.open.set()
        assert await first == "done"
        assert await calls.run(lambda: "next", seconds=60) == "next"
        assert begun == []

    asyncio.run(scenario())


def test_a_client_that_leaves_the_line_leaves_no_work_behind() -> None:
    async def scenario() -> None:
        calls, gate, begun = BoundedExecutor(1), Gate(), list[int]()
        first = asyncio.create_task(calls.run(gate, seconds=60))
        await entered(gate)
        gone = asyncio.create_task(calls.run(lambda: begun.append(1), seconds=60))
        await asyncio.sleep(0)
        assert calls.is_crowded
        gone.cancel()
        await asyncio.gather(gone, return_exceptions=True)
        assert not calls.is_crowded
        gate.open.set()
        assert await first == "done"
        assert await calls.run(lambda: "next", seconds=60) == "next"
        assert begun == []

    asyncio.run(scenario())


def test_no_more_are_under_way_than_there_are_places_and_each_is_done_once() -> None:
    lock, now, most, done = threading.Lock(), 0, 0, Counter[int]()

    def work(number: int) -> int:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
            done[number] += 1
        threading.Event().wait(0.001)
        with lock:
            now -= 1
        return number

    async def scenario() -> list[int]:
        calls = BoundedExecutor(3)
        return await asyncio.gather(*(calls.run(partial(work, at), seconds=60) for at in range(100)))

    assert asyncio.run(scenario()) == list(range(100))
    assert most <= 3
    assert done == Counter(range(100))


@pytest.mark.parametrize(("waited", "order"), [(29.0, ["a", "b", "c"]), (31.0, ["c", "b", "a"])])
def test_first_come_first_served_until_the_first_have_waited_too_long(waited: float, order: list[str]) -> None:
    """Who came last has the most time left: served first, it is answered in time."""
    done: list[str] = []
    now = 0.0

    async def scenario() -> None:
        nonlocal now
        calls, gate = BoundedExecutor(1, now=lambda: now), Gate()
        running = [asyncio.create_task(calls.run(gate, seconds=600))]
        await entered(gate)
        for name in "abc":
            running.append(asyncio.create_task(calls.run(partial(done.append, name), seconds=600, patience=60)))
            await asyncio.sleep(0)
        now = waited
        gate.open.set()
        await asyncio.gather(*running)

    asyncio.run(scenario())
    assert done == order


def test_a_late_call_leaves_its_place_to_others_where_that_is_allowed() -> None:
    async def scenario() -> None:
        calls, gates = BoundedExecutor(1, late=1), [Gate(), Gate()]
        for gate in gates:
            with pytest.raises(DeadlineExceeded) as late:
                await calls.run(gate, seconds=0.05)
            assert not isinstance(late.value, Busy)
        # The second late one keeps its place: calls that hang must not become ever more threads.
        with pytest.raises(Busy):
            await calls.run(lambda: 1, seconds=0.05)
        gates[0].open.set()
        gates[1].open.set()
        assert await calls.run(lambda: 2, seconds=60) == 2

    asyncio.run(scenario())


def test_an_error_of_the_work_is_the_callers_and_the_thread_goes_on() -> None:
    async def scenario() -> None:
        calls = BoundedExecutor(1)
        with pytest.raises(KeyError):
            await calls.run(dict[str, int]().popitem, seconds=60)
        names = {await calls.run(lambda: threading.current_thread().name, seconds=60) for _ in range(5)}
        assert names == {"cortex-call"}

    asyncio.run(scenario())


# --- what is written after the answer ---------------------------------------------------------------------------------


class Stalling:
    """A store whose every write waits for its gate."""

    def __init__(self, *gates: Gate) -> None:
        self._gates = iter(gates)

    def apply(self, tenant: Tenant, changes: object, *, at: datetime, **by: str) -> int:
        next(self._gates)()
        return 0


def test_whoever_settles_does_not_wait_for_what_others_add_meanwhile() -> None:
    """Under constant load there is always something more to be written"""
    first, second = Gate(), Gate()
    store: Any = Stalling(first, second)
    aftermath = WriteBehindQueue(lambda: datetime.now(UTC))
    aftermath.add(store, Tenant(), ())
    assert first.begun.wait(60)
    settling = threading.Thread(target=aftermath.flush)
    settling.start()
    aftermath.add(store, Tenant(), ())
    first.open.set()
    assert second.begun.wait(60)
    settling.join(60)
    assert not settling.is_alive()
    assert not second.open.is_set()
    second.open.set()
    aftermath.close()


# --- turns ------------------------------------------------------------------------------------------------------------


def ask(served: Served, clients: int, each: int) -> Counter[tuple[int, tuple[str, ...]]]:
    """So many clients, each asking so often, one after the other: what they were answered."""

    def client(number: int) -> list[tuple[int, tuple[str, ...]]]:
        found = []
        with httpx.Client(base_url=served.url, timeout=60) as http:
            for turn in range(each):
                body = {"session": f"host {number}", "message": f"{QUESTION} {turn}"}
                answer = http.post("/v1/turns/before", json=body)
                found.append((answer.status_code, tuple(answer.json().get("degraded", ["?"]))))
        return found

    with ThreadPoolExecutor(clients) as pool:
        return Counter(outcome for some in pool.map(client, range(clients)) for outcome in some)


def test_turns_beyond_what_can_be_done_are_told_that_it_is_busy_and_nothing_is_begun_for_them(tmp_path: Path) -> None:
    settings = {
        "hooks": {"deadline_ms": 400},
        "embedding": {"query_timeout_ms": 60_000},
        "recall": {"deadline_ms": 60_000},
    }
    with serving(tmp_path / "home", settings=settings) as served, ExitStack() as released:
        served.remember("The deploy key rotates on Mondays")
        served.engine.flush()
        places = served_places(served)
        hanging = [Gate() for _ in range(places)]
        released.callback(lambda: [gate.open.set() for gate in hanging])
        occupied = [occupy(served, gate) for gate in hanging]
        before = len(served.engine.receipts(op="recall", limit=1_000))
        outcomes = ask(served, clients=12, each=2)
        assert outcomes == {(200, ("busy",)): 24}
        # Nothing was begun: a recall leaves a receipt, however late it is.
        for gate in hanging:
            gate.open.set()
        for thread in occupied:
            thread.join()
        served.engine.flush()
        assert len(served.engine.receipts(op="recall", limit=1_000)) == before
        assert served.engine.status()["hook_failures"]["before:busy"] == 24
        assert ask(served, clients=1, each=1) == {(200, ()): 1}


def test_many_clients_are_all_answered_and_each_answer_says_what_it_lacks(tmp_path: Path) -> None:
    with serving(tmp_path / "home", settings={"hooks": {"deadline_ms": 150}}) as served:
        for number in range(20):
            served.remember(f"The deploy key number {number} rotates on Mondays")
        outcomes = ask(served, clients=16, each=8)
        assert sum(outcomes.values()) == 16 * 8
        assert {status for status, _ in outcomes} == {200}
        known = {"busy", "deadline", "vector:deadline_exceeded", "keyword:deadline_exceeded"}
        assert {reason for _, reasons in outcomes for reason in reasons} <= known
        # Afterwards nothing is left of it: the next turn finds a server that has nothing else to do.
        assert served.client.get("/ready").status_code == 200
        assert "cortex_http_requests_in_progress 1.0" in served.client.get("/metrics").text


def test_what_a_turn_leaves_behind_is_stored_while_recalls_are_crowded(tmp_path: Path) -> None:
    with serving(tmp_path / "home", settings={"hooks": {"deadline_ms": 300}}) as served, ExitStack() as released:
        hanging = [Gate() for _ in range(served_places(served))]
        released.callback(lambda: [gate.open.set() for gate in hanging])
        occupied = [occupy(served, gate) for gate in hanging]
        said = [{"role": "user", "content": "The deploy key rotates on Mondays"}]
        stored = served.client.post("/v1/turns/after", json={"session": "s1", "messages": said}).json()
        assert (stored["stored"], stored["degraded"]) == (1, [])
        for gate in hanging:
            gate.open.set()
        for thread in occupied:
            thread.join()


def served_places(served: Served) -> int:
    """How many recalls are under way at once."""
    places: int = served.app.state.cortex.pools.recalls.most
    return places


def occupy(served: Served, gate: Gate) -> threading.Thread:
    """Take a place among the recalls, until the gate is opened."""
    recalls = served.app.state.cortex.pools.recalls
    thread = threading.Thread(target=lambda: asyncio.run(recalls.run(gate, seconds=60)))
    thread.start()
    assert gate.begun.wait(60)
    return thread

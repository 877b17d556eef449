"""The stream of changes (DESIGN 5)."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from served import Served, serving

import postgres_server
from cortex.access.tokens import Right
from cortex.surfaces.http import change_stream


@contextmanager
def listening(served: Served, **options: Any) -> Iterator[Iterator[dict[str, Any]]]:
    """The states that one listener receives."""
    with (
        httpx.Client(base_url=served.url, timeout=20) as client,
        client.stream("GET", "/v1/changes", **options) as response,
    ):
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")

        def states() -> Iterator[dict[str, Any]]:
            name = ""
            for line in response.iter_lines():
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                if line.startswith("data: "):
                    assert name == "state"
                    yield json.loads(line.removeprefix("data: "))

        yield states()


def test_the_first_state_is_told_at_once_and_the_next_when_something_changed(served: Served) -> None:
    served.stop_background()
    served.remember("I live in Rome")
    with listening(served) as states:
        first = next(states)
        assert first == {
            "position": first["position"], "total": 1, "jobs": {"waiting": 0, "running": 0, "failed": 0},
            "degraded": len(served.engine.status()["degraded"]), "files": {"reindexing": False},
        }  # fmt: skip
        served.remember("I like tea")
        second = next(states)
        while second["total"] < 2:  # what was filed after the first may be sent before
            second = next(states)
        assert second["position"] > first["position"]


def test_everyone_hears_of_ones_own_memory_alone(served: Served) -> None:
    anna, boris = served.token(Right.WRITE, user="anna"), served.token(Right.READ, user="boris")
    for number in range(3):
        served.client.post("/v1/memories", json={"text": f"Fact {number}"}, headers=anna)
    with listening(served, headers=boris) as states:
        assert next(states)["total"] == 0
    with listening(served, headers=anna) as states:
        assert next(states)["total"] == 3
    assert served.client.get("/v1/changes").status_code == 401


def test_many_listeners_cost_one_look(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[float] = []
    pulse = type(served.engine).pulse

    def counted(engine: Any) -> Any:
        looks.append(1)
        return pulse(engine)

    monkeypatch.setattr("cortex.memory.Cortex.pulse", counted)
    with listening(served) as one, listening(served) as two, listening(served) as three:
        assert next(one) == next(two) == next(three)
        began = len(looks)
        served.remember("I live in Rome")
        for states in (one, two, three):
            while next(states)["total"] == 0:
                pass
        assert len(looks) - began <= 2 * 3  # about one a second, however many listen


def test_beyond_so_many_listeners_the_next_is_refused(tmp_path: Path) -> None:
    with serving(tmp_path / "home", options={"max_streams": 1}) as served, listening(served) as states:
        next(states)
        refused = served.client.get("/v1/changes")
        assert (refused.status_code, refused.json()["code"]) == (503, "busy")


def test_a_stream_ends_with_the_server(tmp_path: Path) -> None:
    ended = threading.Event()

    def listen(states: Iterator[dict[str, Any]]) -> None:
        for _ in states:
            pass
        ended.set()

    with serving(tmp_path / "home") as served:
        stream = listening(served)
        states = stream.__enter__()
        next(states)
        thread = threading.Thread(target=listen, args=(states,))
        thread.start()
    thread.join(20)
    assert ended.is_set()
    stream.__exit__(None, None, None)


def test_a_quiet_stream_says_that_it_is_there_and_ends_before_long(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_stream, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(change_stream, "QUIET_SECONDS", 0.1)
    monkeypatch.setattr(change_stream, "LONGEST_SECONDS", 0.5)
    answer = served.client.get("/v1/changes")
    assert answer.text.startswith("event: state\ndata: {")
    assert ": no change\n\n" in answer.text


def test_a_change_is_told_at_once_here_and_on_another_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_stream, "LOOK_SECONDS", 3_600.0)  # so that only a signal can be in time
    shared = {"store": {"url": postgres_server.emptied_url(tmp_path)}}
    with serving(tmp_path / "a", settings=shared) as here, serving(tmp_path / "b", settings=shared) as there:
        for served in (here, there):
            with listening(there) as states:
                before = next(states)
                served.engine.remember(f"Fact {before['total']}")
                while (state := next(states))["total"] == before["total"]:
                    pass
                assert state["position"] > before["position"]

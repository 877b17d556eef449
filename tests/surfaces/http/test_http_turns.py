"""The two hooks of a turn over HTTP: they answer whatever happens, and in time (C8, C9, C11, C12, C16)."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

from served import Served, serving

HISTORY = [
    {"role": "user", "content": "The deploy key rotates on Mondays."},
    {"role": "assistant", "content": "I will remember that."},
]


def test_a_turn_is_given_what_bears_on_its_message(served: Served) -> None:
    """C9"""
    id = served.remember("The deploy key rotates on Mondays")
    found = served.client.post(
        "/v1/turns/before", json={"session": "s1", "message": "when does the deploy key rotate?"}
    ).json()
    assert found["block"].startswith("## Long-Term Memories")
    assert (found["ids"], found["facts"], found["degraded"]) == ([id], 1, [])
    assert served.client.get(f"/v1/receipts/{found['receipt_id']}").json()["op"] == "recall"


def test_what_was_said_is_durable_when_the_answer_comes(served: Served) -> None:
    """C11: acknowledged is stored"""
    found = served.client.post("/v1/turns/after", json={"session": "s1", "messages": HISTORY}).json()
    assert (found["stored"], found["degraded"]) == (2, [])
    assert served.engine.stats().by_lane["sessions"] == 2
    again = served.client.post("/v1/turns/after", json={"session": "s1", "messages": HISTORY}).json()
    assert (again["stored"], again["seen"]) == (0, 2)


def test_a_recall_that_takes_too_long_leaves_the_turn_without_memory(tmp_path: Path) -> None:
    """C8: no recall is done within a millisecond"""
    with serving(tmp_path / "home", settings={"hooks": {"deadline_ms": 1}}) as served:
        served.remember("The deploy key rotates on Mondays")
        answer = served.client.post("/v1/turns/before", json={"session": "s1", "message": "when does the key rotate?"})
        assert answer.status_code == 200
        assert answer.json()["degraded"] == ["deadline"]
        assert answer.json()["block"] == ""


def test_a_slow_embedder_costs_the_vectors_and_not_the_answer(tmp_path: Path) -> None:
    """C8, C16"""
    with serving(tmp_path / "home", settings={"embedding": {"query_timeout_ms": 50}}) as served:
        id = served.remember("The deploy key rotates on Mondays")
        served.embedder.stall = threading.Event()
        found = served.client.post("/v1/turns/before", json={"session": "s1", "message": "deploy key rotates when?"})
        served.embedder.stall.set()
        assert found.json()["ids"] == [id]
        assert found.json()["degraded"] == ["vector:deadline_exceeded"]


def test_storing_that_takes_too_long_is_no_error_of_the_turn(tmp_path: Path) -> None:
    """C11, C16: another process holds the database"""
    home = tmp_path / "home"
    with serving(home, settings={"hooks": {"ingest_timeout_ms": 50}}) as served:
        with closing(sqlite3.connect(home / "agents" / "main.sqlite", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            answer = served.client.post("/v1/turns/after", json={"session": "s1", "messages": HISTORY})
            other.execute("ROLLBACK")
        assert answer.status_code == 200
        assert (answer.json()["degraded"], answer.json()["stored"]) == (["deadline"], 0)
        assert served.client.get("/v1/status").json()["hook_failures"]["after:deadline"] == 1


def test_what_a_hook_cannot_take_is_told_as_degraded(unchanged: Served) -> None:
    """C16: never an error in the agent's turn"""
    before = unchanged.client.post("/v1/turns/before", json={"session": "", "message": "when does the key rotate?"})
    assert (before.status_code, before.json()["degraded"]) == (200, ["invalid_request"])
    unknown = unchanged.client.post(
        "/v1/turns/before", json={"session": "s1", "message": "when does the key rotate?", "recipe": "best.v9"}
    )
    assert (unknown.status_code, unknown.json()["degraded"]) == (200, ["not_found"])
    after = unchanged.client.post("/v1/turns/after", json={"session": "", "messages": HISTORY})
    assert (after.status_code, after.json()["degraded"]) == (200, ["invalid_request"])


def test_heartbeats_and_timers_are_left_alone(unchanged: Served) -> None:
    """C12"""
    before = {"session": "s1", "message": "when does the key rotate?", "trigger": "heartbeat"}
    assert unchanged.client.post("/v1/turns/before", json=before).json()["skipped"] == "heartbeat"
    after = {"session": "s1", "messages": HISTORY, "trigger": "cron"}
    assert unchanged.client.post("/v1/turns/after", json=after).json()["skipped"] == "cron"
    assert unchanged.engine.stats().total == 0


def test_turns_of_two_users_do_not_meet(served: Served) -> None:
    served.client.post("/v1/memories", json={"text": "The deploy key rotates on Mondays", "user": "ann"})
    body = {"session": "s1", "message": "when does the deploy key rotate?"}
    assert served.client.post("/v1/turns/before", json=body | {"user": "ann"}).json()["facts"] == 1
    assert served.client.post("/v1/turns/before", json=body | {"user": "bob"}).json()["facts"] == 0


def test_an_overloaded_server_tells_turns_that_it_is_busy(tmp_path: Path) -> None:
    """C16: no place is no error of the turn; other requests are to retry"""
    with serving(tmp_path / "home", options={"max_concurrent": 0}) as served:
        turn = served.client.post("/v1/turns/before", json={"session": "s1", "message": "hello there"})
        assert (turn.status_code, turn.json()["degraded"]) == (200, ["busy"])
        assert turn.headers["retry-after"] == "1"
        other = served.client.post("/v1/search", json={"query": "x"})
        assert (other.status_code, other.headers["retry-after"]) == (503, "1")


def test_a_flush_is_planned_for_a_host(unchanged: Served) -> None:
    """B20"""
    due = unchanged.client.post("/v1/flush-plan", json={"context_window": 200_000, "tokens_used": 178_000}).json()
    assert (due["plan"]["due"], due["plan"]["reason"]) == (True, "due_tokens")
    payload = unchanged.client.post("/v1/flush-plan", json={"timezone": "Europe/Berlin"}).json()
    assert payload["plan"] is None
    assert payload["openclaw"]["relativePath"].startswith("memory/")
    assert payload["openclaw"]["softThresholdTokens"] == 4_000


def test_a_flush_plan_needs_to_know_how_long_the_session_is(unchanged: Served) -> None:
    answer = unchanged.client.post("/v1/flush-plan", json={"context_window": 200_000})
    assert (answer.status_code, answer.json()["field"]) == (422, "tokens_used")
    zone = unchanged.client.post("/v1/flush-plan", json={"timezone": "Europe/Nowhere"})
    assert zone.status_code == 422

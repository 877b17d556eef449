"""Events over HTTP (S1), the state of sessions (C13), users, and what the metrics page counts (X18)."""

from __future__ import annotations

from served import Served

from cortex.domain.lanes import Lane
from cortex.ports.store import Filter

AT = "2026-03-01T09:00:00Z"
EVENT = {"id": "e1", "at": AT, "session": "s", "type": "tool_result", "text": "3 tests failed"}


def test_events_are_stored_once_over_http(served: Served) -> None:
    """S1"""
    first, again = (served.client.post("/v1/events", json={"events": [EVENT, {"type": "odd"}]}) for _ in range(2))
    assert (first.status_code, first.json()["outcomes"], first.json()["rejected"]) == (200, 1, 1)
    assert first.json()["problems"][0]["index"] == 1
    assert (again.json()["outcomes"], again.json()["repeated"]) == (0, 1)
    assert len(served.engine.list(Filter(lanes=frozenset({Lane.OUTCOMES})))) == 1


def test_the_state_of_a_session_is_served(served: Served) -> None:
    """C13"""
    said = [{"role": "user", "content": "I live in Bergen"}]
    served.client.post("/v1/ingest", json={"session": "a b/c", "messages": said})
    (one,) = served.client.get("/v1/sessions").json()["sessions"]
    assert {"session", "ingested_at", "recalled_at", "synthesis", "facts_injected"} == set(one)
    assert served.client.get("/v1/sessions/a%20b%2Fc").json() == one
    assert served.client.get("/v1/sessions/unknown").status_code == 404
    assert served.client.get("/v1/users").json()["users"][0]["user"] == "default"


def test_metrics_count_operations_and_contents_without_a_name_or_a_text(served: Served) -> None:
    """X18"""
    served.engine.bind(user="anna-karenina").remember("I live in Bergen", scope="secret-project")
    served.engine.remember("The ferry leaves at nine", importance=0.9)
    served.client.post("/v1/recall", json={"query": "When does the ferry leave?"})
    page = served.client.get("/metrics").text
    assert 'outcome="answered"' in next(line for line in page.splitlines() if line.startswith("cortex_recalls_total{"))
    assert 'cortex_memories{by="label",value="must_remember"} 1.0' in page
    assert 'cortex_memories{by="trust",value="trusted"} 2.0' in page
    assert "cortex_users 2.0" in page
    assert "cortex_recall_seconds_bucket{" in page
    assert "cortex_dead_index_share 0.0" in page
    for word in ("anna", "karenina", "ferry", "secret-project", "Bergen"):
        assert word not in page

"""Users of one agent: what one does shows nowhere in the answers to another."""

from __future__ import annotations

from served import Served

from cortex.access.tokens import Right


def totals_seen(served: Served, headers: dict[str, str]) -> set[int]:
    """Every position a user can ask for."""
    get, post = served.client.get, served.client.post
    status = get("/v1/status", headers=headers).json()
    recalled = post("/v1/recall", json={"query": "where is the teapot?"}, headers=headers).json()
    past = post("/v1/recall", json={"query": "where is the teapot?", "as_of": 9_999}, headers=headers)
    assert past.status_code == 200, past.text
    with served.client.stream("GET", "/v1/changes", headers=headers) as stream:
        state = next(line for line in stream.iter_lines() if line.startswith("data: "))
    events = get("/v1/events", headers=headers).json()["events"]
    receipts = get("/v1/receipts", headers=headers).json()["receipts"]
    assert receipts
    return {
        status["position"],
        recalled["receipt"]["position"],
        past.json()["receipt"]["position"],
        int(state.partition('"position": ')[2].partition(",")[0]),
        *(event["position"] for event in events[-1:]),
        *(receipt["position"] for receipt in receipts),
    }


def test_a_user_with_no_memories_is_at_position_zero_whatever_others_do(served: Served) -> None:
    anna, boris = (served.token(Right.WRITE, user=user) for user in ("anna", "boris"))
    for number in range(3):
        served.client.post("/v1/memories", json={"text": f"The teapot is in room {number}"}, headers=anna)
    assert totals_seen(served, boris) == {0}
    served.client.post("/v1/memories", json={"text": "My cup is blue"}, headers=boris)
    served.engine.flush()
    before = served.client.get("/v1/status", headers=boris).json()["position"]
    served.client.post("/v1/memories", json={"text": "The teapot is on the shelf"}, headers=anna)
    assert served.client.get("/v1/status", headers=boris).json()["position"] == before


def test_the_size_of_everybodys_file_is_for_the_operator(served: Served) -> None:
    reader, operator = served.token(Right.READ, user="boris"), served.token(Right.ADMIN, user="boris")
    assert "bytes" not in served.client.get("/v1/status", headers=reader).json()["store"]
    assert served.client.get("/v1/status", headers=operator).json()["store"]["bytes"] > 0


def test_a_position_that_is_refused_tells_nothing_of_others(served: Served) -> None:
    anna, boris = (served.token(Right.WRITE, user=user) for user in ("anna", "boris"))
    for number in range(3):
        served.client.post("/v1/memories", json={"text": f"The teapot is in room {number}"}, headers=anna)
    refused = served.client.post("/v1/recall", json={"query": "where is the teapot?", "as_of": -1}, headers=boris)
    assert refused.status_code == 422
    assert "0 to 0" in refused.text or "greater than or equal to 0" in refused.text, refused.text

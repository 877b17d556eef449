"""Who asks, what happened, how it grew, what operations did (DESIGN 5)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from served import Served, serving

from cortex._version import __version__
from cortex.access.tokens import Right
from cortex.domain.memory import Draft
from cortex.domain.scope import Tenant
from cortex.recall.recipes import RECIPES
from cortex.surfaces.http.server_file import CONTRACT
from cortex.testing import FakeClock

NOBODY = "0198c1a2-7b3c-7def-8a01-23456789abcd"
AT = datetime(2026, 7, 1, 9, 0, tzinfo=UTC)


# --- who asks ---------------------------------------------------------------------------------------------------------


def test_without_tokens_whoever_is_at_the_machine_may_do_everything(unchanged: Served) -> None:
    assert unchanged.client.get("/v1/me").json() == {
        "agent": "main", "user": "default", "rights": ["admin", "host", "read", "write"],
        "token": None, "version": __version__, "contract": CONTRACT, "turn_deadline_ms": 10_000,
    }  # fmt: skip


def test_the_bearer_of_a_token_is_told_whose_memory_it_opens(served: Served) -> None:
    reader = served.token(Right.READ, user="anna")
    payload = served.client.get("/v1/me", headers=reader).json()
    assert (payload["user"], payload["rights"]) == ("anna", ["read"])
    assert payload["token"] == served.tokens.all()[0].id
    assert served.client.get("/v1/me").status_code == 401
    assert served.client.get("/v1/me", headers=reader, params={"user": "boris"}).status_code == 403


# --- the timeline -----------------------------------------------------------------------------------------------------


def test_what_happened_is_told_newest_first_with_what_it_is_about(served: Served) -> None:
    first, second = served.remember("I live in Rome"), served.remember("I like tea")
    served.client.delete(f"/v1/memories/{first}")
    payload = served.client.get("/v1/timeline").json()
    assert [(each["event"], each["id"]) for each in payload["events"]] == [
        ("forgotten", first), ("remembered", second), ("remembered", first),
    ]  # fmt: skip
    assert [each["trace"]["text"] for each in payload["events"]] == ["I live in Rome", "I like tea", "I live in Rome"]
    assert payload["events"][0]["trace"]["state"] == "forgotten"
    assert payload["next"] is None


def test_an_event_names_the_token_that_made_the_change_and_its_receipt(served: Served) -> None:
    served.remember("I live in Rome")
    secret, token = served.tokens.create(Tenant("main", "default"), (Right.READ, Right.WRITE))
    headers = {"Authorization": f"Bearer {secret}"}
    stored = served.client.post("/v1/memories", json={"text": "I like tea"}, headers=headers).json()
    told = served.client.get("/v1/timeline", headers=headers).json()["events"]
    assert [each["actor"] for each in told] == [token.id, "http"]
    assert told[0]["cause"] == stored["receipt"]["id"]
    assert served.client.get("/v1/events", headers=headers).json()["events"][0]["actor"] == "http"


def test_vectors_and_uses_are_told_to_those_who_ask_for_them(served: Served) -> None:
    served.remember("I live in Rome")
    assert served.client.post("/v1/recall", json={"query": "Where do I live?"}).json()["hits"]
    served.engine.flush()
    assert {each["event"] for each in served.client.get("/v1/timeline").json()["events"]} == {"remembered"}
    noise = served.client.get("/v1/timeline", params={"event": ["embedded", "recalled"]}).json()["events"]
    assert [(each["event"], each["id"], each["trace"]) for each in noise] == [
        ("recalled", None, None), ("embedded", None, None),
    ]  # fmt: skip


def test_a_timeline_goes_on_page_by_page(served: Served) -> None:
    ids = [served.remember(f"Fact {number}") for number in range(5)]
    seen, before = [], None
    for _ in range(4):
        page = served.client.get("/v1/timeline", params={"limit": 2} | ({"before": before} if before else {})).json()
        seen += [each["id"] for each in page["events"]]
        before = page["next"]
        if before is None:
            break
    assert seen == ids[::-1]


def test_a_timeline_is_narrowed_to_a_memory_or_a_lane(served: Served) -> None:
    first = served.remember("I live in Rome")
    served.client.post("/v1/ingest", json={"session": "s1", "messages": [{"role": "user", "content": "hello there"}]})
    served.client.patch(f"/v1/memories/{first}", json={"text": "I live in Oslo"})
    of_one = served.client.get("/v1/timeline", params={"id": first}).json()["events"]
    assert [each["event"] for each in of_one] == ["revised", "remembered"]
    lanes = {
        lane: [each["event"] for each in served.client.get("/v1/timeline", params={"lane": lane}).json()["events"]]
        for lane in ("memories", "sessions", "docs")
    }
    assert lanes == {"memories": ["revised", "remembered"], "sessions": ["said"], "docs": []}


def test_a_lane_where_little_happens_is_found_behind_much_that_happened_elsewhere(served: Served) -> None:
    (turn,) = served.engine.ingest([{"role": "user", "content": "hello there"}], session="s1").ids
    served.engine.remember_all((Draft(text=f"Fact {number}") for number in range(1_200)), embed=False)
    found = served.client.get("/v1/timeline", params={"lane": "sessions", "limit": 1}).json()
    assert [each["id"] for each in found["events"]] == [turn]


@pytest.mark.parametrize(
    "params", [{"limit": 0}, {"before": 0}, {"before": 2**63}, {"event": "rumoured"}, {"id": "x"}, {"lane": "gossip"}]
)
def test_a_timeline_of_what_there_cannot_be_is_refused(unchanged: Served, params: dict[str, str]) -> None:
    assert unchanged.client.get("/v1/timeline", params=params).status_code == 422


def test_the_ledger_is_read_from_its_beginning(served: Served) -> None:
    served.remember("I live in Rome")
    payload = served.client.get("/v1/events", params={"limit": 1}).json()
    assert [each["kind"] for each in payload["events"]] == ["remembered"]
    assert "Rome" not in served.client.get("/v1/events").text
    rest = served.client.get("/v1/events", params={"after": payload["next"]}).json()
    assert [event.kind.value for event in served.engine.events(after=1)] == [each["kind"] for each in rest["events"]]


# --- growth -----------------------------------------------------------------------------------------------------------


def test_every_day_is_there_and_totals_add_up(tmp_path: Path) -> None:
    clock = FakeClock(AT - timedelta(days=40))
    with serving(tmp_path / "home", clock=clock) as served:
        served.remember("Made long ago")
        clock.advance(timedelta(days=38).total_seconds())
        gone = served.remember("Made the day before yesterday", kind="rule")
        clock.advance(timedelta(days=2).total_seconds())
        served.remember("Made today", importance=0.9)
        served.client.delete(f"/v1/memories/{gone}")
        payload = served.client.get("/v1/growth", params={"days": 4}).json()
    assert [(day["day"], day["created"], day["total"]) for day in payload["days"]] == [
        ("2026-06-28", 0, 1), ("2026-06-29", 1, 2), ("2026-06-30", 0, 2), ("2026-07-01", 1, 3),
    ]  # fmt: skip
    assert payload["days"][1] | {"day": ""} == {
        "day": "", "created": 1, "total": 2, "kinds": {"rule": 1}, "labels": {"unknown": 1}, "trusts": {"trusted": 1},
        "states": {"forgotten": 1}, "days": 1,
    }  # fmt: skip
    assert payload["days"][3]["labels"] == {"must_remember": 1}
    assert payload["days"][0]["kinds"] == {}


def test_growth_is_of_one_lane(served: Served) -> None:
    served.remember("I live in Rome")
    served.engine.ingest([{"role": "user", "content": "hello there"}], session="s1")
    for lane in ("memories", "sessions", "notes"):
        payload = served.client.get("/v1/growth", params={"days": 1, "lane": lane}).json()
        assert (payload["lane"], payload["days"][0]["total"]) == (lane, 0 if lane == "notes" else 1)


# --- receipts ---------------------------------------------------------------------------------------------------------


def test_receipts_are_listed_newest_first_page_by_page(served: Served) -> None:
    for number in range(3):
        served.remember(f"Fact {number}")
    served.client.post("/v1/search", json={"query": "fact"})
    every = served.client.get("/v1/receipts", params={"op": "remember"}).json()
    assert len(every["receipts"]) == 3
    newest = served.client.get("/v1/receipts", params={"limit": 1000}).json()["receipts"]
    assert [each["op"] for each in newest if each["op"] in {"recall", "remember"}] == ["recall", *["remember"] * 3]
    first = served.client.get("/v1/receipts", params={"limit": 2, "op": "remember"}).json()
    rest = served.client.get("/v1/receipts", params={"limit": 2, "op": "remember", "before": first["next"]}).json()
    assert [each["id"] for each in first["receipts"] + rest["receipts"]] == [each["id"] for each in every["receipts"]]
    assert rest["next"] is None
    assert "Fact" not in served.client.get("/v1/receipts").text


def test_a_recall_can_be_asked_again(served: Served) -> None:
    kept = served.remember("The deploy key rotates on Mondays")
    recalled = served.client.post("/v1/recall", json={"query": "When does the deploy key rotate?"}).json()
    served.remember("The deploy key rotates on Fridays")
    id = recalled["receipt"]["id"]
    again = served.client.post(f"/v1/receipts/{id}/replay", json={}).json()
    assert (again["same"], again["differences"], [hit["id"] for hit in again["hits"]]) == (True, [], [kept])
    other = served.client.post(f"/v1/receipts/{id}/replay", json={"query": "Where is the kettle?"}).json()
    assert other["same"] is False
    assert other["differences"]


@pytest.mark.parametrize("path", [f"/v1/receipts?before={NOBODY}", f"/v1/receipts/{NOBODY}"])
def test_a_receipt_nobody_has_is_not_found(unchanged: Served, path: str) -> None:
    assert unchanged.client.get(path).status_code == 404


def test_only_a_recall_can_be_asked_again(served: Served) -> None:
    served.remember("I live in Rome")
    (receipt,) = served.client.get("/v1/receipts", params={"op": "remember"}).json()["receipts"]
    assert served.client.post(f"/v1/receipts/{receipt['id']}/replay", json={}).status_code == 404


# --- memories ---------------------------------------------------------------------------------------------------------


def test_memories_are_listed_newest_first(served: Served) -> None:
    ids = [served.remember(f"Fact {number}") for number in range(5)]
    first = served.client.get("/v1/memories", params={"limit": 3, "newest": "true"}).json()
    assert [memory["id"] for memory in first["memories"]] == ids[:1:-1]
    rest = served.client.get("/v1/memories", params={"limit": 3, "newest": "true", "after": first["next"]}).json()
    assert ([memory["id"] for memory in rest["memories"]], rest["next"]) == (ids[1::-1], None)


def test_a_turn_is_shown_with_the_memories_drawn_from_it(served: Served) -> None:
    captured = served.client.post(
        "/v1/capture",
        json={"session": "s1", "messages": [{"role": "user", "content": "I prefer Rust for systems programming."}]},
    ).json()
    (turn,), (memory,) = captured["turns"], captured["memories"]
    shown = served.client.get(f"/v1/memories/{turn}").json()
    assert [each["id"] for each in shown["derived"]] == [memory["id"]]
    of_memory = served.client.get(f"/v1/memories/{memory['id']}").json()
    assert ([each["id"] for each in of_memory["sources"]], of_memory["derived"]) == ([turn], [])


def test_what_replaced_a_memory_is_named(served: Served) -> None:
    old = served.remember("I live in Rome")
    assert served.client.get(f"/v1/memories/{old}").json()["superseded_by"] is None
    new = served.remember("I live in Oslo", supersedes=old)
    assert served.client.get(f"/v1/memories/{old}").json()["superseded_by"] == new


def test_what_was_forgotten_is_brought_back(served: Served) -> None:
    id = served.remember("I live in Rome")
    served.client.delete(f"/v1/memories/{id}")
    assert served.client.post(f"/v1/memories/{id}/restore").json()["ids"] == [id]
    assert served.client.get(f"/v1/memories/{id}").json()["state"] == "active"
    again = served.client.post(f"/v1/memories/{id}/restore").json()
    assert (again["ids"], again["receipt"]["changed"]) == ([], 0)
    assert served.client.post(f"/v1/memories/{NOBODY}/restore").status_code == 404


def test_a_contradiction_is_shown_and_settled(served: Served) -> None:
    """X14"""
    one, other = served.remember("I like cilantro."), served.remember("I don't like cilantro.")
    (found,) = served.client.get("/v1/contradictions").json()["contradictions"]
    assert (found["earlier"]["id"], found["later"]["id"]) == (one, other)
    assert served.client.get("/v1/status").json()["contradictions"] == 1
    assert served.client.post(f"/v1/memories/{one}/resolve", json={"over": NOBODY}).status_code == 422
    done = served.client.post(f"/v1/memories/{other}/resolve", json={}).json()
    assert (done["ids"], done["receipt"]["op"]) == ([one], "resolve")
    assert served.client.get(f"/v1/memories/{one}").json()["superseded_by"] == other
    assert served.client.get("/v1/contradictions").json() == {"contradictions": []}


def test_one_clear_match_is_forgotten_and_several_are_shown(served: Served) -> None:
    """L5"""
    kettle = served.remember("The kettle is behind the shed")
    anchors = {served.remember("The north anchor is heavy"), served.remember("The south anchor is heavy")}
    done = served.client.post("/v1/forget", json={"query": "kettle behind the shed"}).json()
    assert (done["ids"], done["candidates"]) == ([kettle], [])
    unsure = served.client.post("/v1/forget", json={"query": "anchor is heavy"}).json()
    assert (unsure["ids"], {each["id"] for each in unsure["candidates"]}) == ([], anchors)


# --- asking -----------------------------------------------------------------------------------------------------------


def test_the_recipes_are_named_with_what_they_are_for(unchanged: Served) -> None:
    payload = unchanged.client.get("/v1/recipes").json()
    assert payload["default"] == "balanced.v1"
    assert [each["name"] for each in payload["recipes"]] == list(RECIPES)
    assert all(each["about"] and each["fingerprint"] for each in payload["recipes"])


def test_what_is_remembered_is_told_in_one_piece(served: Served) -> None:
    """C5"""
    id = served.remember("Prefers Rust for systems programming")
    payload = served.client.post("/v1/synthesize", json={"query": "What is preferred for systems programming?"}).json()
    assert (payload["ids"], payload["method"], payload["sources"]) == ([id], "extractive", 1)
    assert "Rust" in payload["response"]
    assert [hit["id"] for hit in payload["recall"]["hits"]] == [id]
    assert payload["receipt"]["op"] == "synthesize"


# --- rights -----------------------------------------------------------------------------------------------------------

READING = ["/v1/me", "/v1/timeline", "/v1/events", "/v1/growth", "/v1/receipts", "/v1/recipes", "/v1/index",
           "/v1/jobs/next", "/v1/contradictions"]  # fmt: skip
WRITING = {
    "/v1/forget": {"query": "x"},
    "/v1/ingest": {"session": "s", "messages": []},
    "/v1/capture": {"session": "s", "messages": []},
    f"/v1/memories/{NOBODY}/restore": None,
    f"/v1/memories/{NOBODY}/resolve": {},
    "/v1/jobs/run": {},
    "/v1/backfill": {},
}
OPERATING = {"/v1/index": {}, "/v1/verify": {}, "/v1/optimize": {}, "/v1/backups": {}}


def status(client: httpx.Client, path: str, body: object, headers: dict[str, str]) -> int:
    return client.post(path, headers=headers, **({} if body is None else {"json": body})).status_code


def test_each_route_asks_for_the_right_it_needs(served: Served) -> None:
    reader, writer = served.token(Right.READ), served.token(Right.WRITE)
    client = served.client
    assert {path: client.get(path, headers=reader).status_code for path in READING} == dict.fromkeys(READING, 200)
    assert {path: client.get(path, headers=writer).status_code for path in ("/v1/backups", "/v1/doctor")} == {
        "/v1/backups": 403, "/v1/doctor": 403,
    }  # fmt: skip
    assert {status(client, path, body, reader) for path, body in (WRITING | OPERATING).items()} == {403}
    assert {status(client, path, body, writer) for path, body in OPERATING.items()} == {403}
    assert {status(client, path, body, writer) for path, body in WRITING.items()} == {200, 404}

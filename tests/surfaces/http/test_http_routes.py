"""Every other route: what it does, and what it refuses (X3)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from served import Served, serving

from cortex import Cortex
from cortex.domain.scope import Tenant
from cortex.ports.store import Change, Put, Store
from cortex.testing import FakeEmbedder

NOBODY = "0198c1a2-7b3c-7def-8a01-23456789abcd"


# --- memories ---------------------------------------------------------------------------------------------------------


def test_a_memory_is_remembered_with_what_is_said_of_it(served: Served) -> None:
    body = {
        "text": "The deploy key rotates on Mondays", "kind": "rule", "scope": "infra", "topic": "keys",
        "tags": ["ops"], "importance": 0.9, "confidence": 0.7, "ttl_seconds": 3600, "source_kind": "web",
        "valid_from": "2026-01-05", "lang": "en",
    }  # fmt: skip
    answer = served.client.post("/v1/memories", json=body)
    assert answer.status_code == 201
    memory = answer.json()["memory"]
    assert {name: memory[name] for name in ("kind", "scope", "topic", "tags", "importance", "trust", "retention")} == {
        "kind": "rule", "scope": "infra", "topic": "keys", "tags": ["ops"], "importance": 0.9, "trust": "untrusted",
        "retention": "ttl",
    }  # fmt: skip
    assert memory["ttl"] == 3600.0
    assert memory["valid_from"] == "2026-01-05T00:00:00+00:00"
    assert answer.json()["receipt"]["op"] == "remember"


def test_a_memory_replaces_another(served: Served) -> None:
    old = served.remember("I live in Rome")
    new = served.remember("I live in Oslo", supersedes=old)
    assert served.client.get(f"/v1/memories/{old}").json()["state"] == "superseded"
    assert served.client.get(f"/v1/memories/{new}").json()["supersedes"] == old


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({}, 422, "text"),
        ({"text": ""}, 422, "text"),
        ({"text": "x\x00y"}, 422, "text"),
        ({"text": "x", "importance": 2}, 422, "importance"),
        ({"text": "x", "kind": "rumour"}, 422, "kind"),
        ({"text": "x", "valid_from": "soon"}, 422, "valid_from"),
        ({"text": "x", "valid_from": "9999-12-31T23:59:59-23:00"}, 422, "valid_from"),
        ({"text": "x", "tags": ["y"] * 33}, 422, "tags"),
        ({"text": "x", "supersedes": "42"}, 422, "supersedes"),
        ({"text": "x", "supersedes": NOBODY}, 404, None),
        ({"text": "x", "scope": "a\nb"}, 422, "scope"),
        ({"text": "x", "agent": "../../etc"}, 422, "agent"),
        (["text"], 422, "request"),
        (None, 422, "text"),
    ],
)
def test_what_cannot_be_remembered_is_refused(unchanged: Served, body: object, status: int, field: str | None) -> None:
    answer = unchanged.client.post("/v1/memories", json=body)
    assert answer.status_code == status, answer.text
    assert answer.json()["field"] == field
    assert unchanged.engine.stats().total == 0


def test_an_unknown_field_is_refused_with_the_nearest_known_one(unchanged: Served) -> None:
    answer = unchanged.client.post("/v1/memories", json={"text": "x", "importence": 0.5})
    payload = answer.json()
    assert (answer.status_code, payload["field"], payload["hint"]) == (422, "importence", "did you mean 'importance'?")
    listed = unchanged.client.get("/v1/memories", params={"limti": 5})
    assert (listed.status_code, listed.json()["hint"]) == (422, "did you mean 'limit'?")


def test_memories_are_listed_page_by_page(served: Served) -> None:
    ids = [served.remember(f"Fact {number}", scope="infra" if number % 2 else "home") for number in range(5)]
    first = served.client.get("/v1/memories", params={"limit": 3}).json()
    assert [memory["id"] for memory in first["memories"]] == ids[:3]
    rest = served.client.get("/v1/memories", params={"limit": 3, "after": first["next"]}).json()
    assert ([memory["id"] for memory in rest["memories"]], rest["next"]) == (ids[3:], None)
    some = served.client.get("/v1/memories", params={"scope": ["infra"], "kind": ["fact", "rule"]}).json()
    assert [memory["id"] for memory in some["memories"]] == ids[1::2]
    assert served.client.get("/v1/memories", params={"lane": "sessions"}).json()["memories"] == []


@pytest.mark.parametrize(
    "params", [{"limit": 0}, {"limit": "many"}, {"kind": "rumour"}, {"after": "x"}, {"since": "then"}, {"lane": ""}]
)
def test_a_list_of_what_there_cannot_be_is_refused(unchanged: Served, params: dict[str, str]) -> None:
    assert unchanged.client.get("/v1/memories", params=params).status_code == 422


def test_a_memory_is_shown_with_its_versions(served: Served) -> None:
    id = served.remember("I live in Rome")
    assert served.client.patch(f"/v1/memories/{id}", json={"text": "I live in Oslo"}).status_code == 200
    shown = served.client.get(f"/v1/memories/{id}").json()
    assert [version["text"] for version in shown["versions"]] == ["I live in Rome", "I live in Oslo"]
    assert (shown["id"], shown["text"]) == (id, "I live in Oslo")


def test_an_edit_changes_what_it_names_and_nothing_else(served: Served) -> None:
    id = served.remember("I live in Rome", importance=0.8, tags=["home"], scope="private")
    edited = served.client.patch(
        f"/v1/memories/{id}", json={"tags": ["home", "old, town"], "kind": "preference", "expires_at": "2100-01-01"}
    ).json()["memory"]
    assert (edited["text"], edited["scope"], edited["importance"]) == ("I live in Rome", "private", 0.8)
    assert (edited["tags"], edited["kind"], edited["retention"]) == (["home", "old, town"], "preference", "ttl")
    again = served.client.patch(f"/v1/memories/{id}", json={"retention": "permanent", "importance": 0.5})
    kept = again.json()["memory"]
    assert "retention" not in kept
    assert "importance" not in kept  # both are at their default


@pytest.mark.parametrize(
    "text", ["two\nlines\n\nand a third", "- a list\n  <!-- cortex:id=x base=y -->", "ends with a bracket (so: it)"]
)
def test_any_text_can_be_edited_in(served: Served, text: str) -> None:
    id = served.remember("I live in Rome")
    assert served.client.patch(f"/v1/memories/{id}", json={"text": text}).json()["memory"]["text"] == text


def test_an_edit_never_raises_trust(served: Served) -> None:
    id = served.remember("The site says that keys rotate on Mondays", source_kind="web")
    edited = served.client.patch(f"/v1/memories/{id}", json={"text": "The site says that keys rotate on Fridays"})
    assert edited.json()["memory"]["trust"] == "untrusted"


def test_an_edit_of_something_else_than_was_read_is_a_conflict(served: Served) -> None:
    id = served.remember("I live in Rome")
    read = served.client.get(f"/v1/memories/{id}").headers["etag"]
    first = served.client.patch(f"/v1/memories/{id}", json={"text": "I live in Oslo"}, headers={"If-Match": read})
    assert first.status_code == 200
    for stale in (read, '"0123456789abcdef"', "x --> y"):
        late = served.client.patch(f"/v1/memories/{id}", json={"text": "I live in Bonn"}, headers={"If-Match": stale})
        assert (late.status_code, late.json()["code"]) == (409, "conflict")
    fresh = first.headers["etag"]
    last = served.client.patch(f"/v1/memories/{id}", json={"text": "I live in Bonn"}, headers={"If-Match": fresh})
    assert last.json()["memory"]["text"] == "I live in Bonn"


def test_a_place_to_go_on_from_that_is_empty_is_refused(served: Served) -> None:
    answer = served.client.get("/v1/memories", params={"after": ""})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")


class Interrupted:
    """A store in which somebody else edits once between what an edit has read and what it writes of this memory."""

    def __init__(self, inner: Store, id: str, meanwhile: Callable[[], object]) -> None:
        self._inner, self._id = inner, id
        self._meanwhile: Callable[[], object] | None = meanwhile

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def apply(self, tenant: Tenant, changes: Sequence[Change], *, at: datetime, **by: str) -> int:
        # Receipts and the schedule are written by other threads meanwhile.
        if self._meanwhile is not None and any(isinstance(each, Put) and each.trace.id == self._id for each in changes):
            act, self._meanwhile = self._meanwhile, None
            act()
        return self._inner.apply(tenant, changes, at=at, **by)


def test_an_edit_that_names_no_version_is_made_of_whatever_is_there(served: Served) -> None:
    """E11"""
    id = served.remember("I live in Rome")
    edit = f"/v1/memories/{id}"
    stores = served.engine.context.dependencies._stores
    stores["main"] = Interrupted(stores["main"], id, lambda: served.client.patch(edit, json={"tags": ["home"]}))
    response = served.client.patch(edit, json={"text": "I live in Oslo"})
    edited = response.json()["memory"]
    assert (response.status_code, edited["text"], edited["tags"]) == (200, "I live in Oslo", ["home"])


def test_what_is_forgotten_can_no_longer_be_edited(served: Served) -> None:
    id = served.remember("I live in Rome")
    assert served.client.delete(f"/v1/memories/{id}").json()["ids"] == [id]
    assert served.client.patch(f"/v1/memories/{id}", json={"text": "I live in Oslo"}).status_code == 409


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "request"),
        ({"text": None}, "request"),
        ({"text": ""}, "text"),
        ({"importance": -0.1}, "importance"),
        ({"retention": "permanent", "expires_at": "2100-01-01"}, "request"),
        ({"expires_at": "2001-01-01"}, "expires_at"),
        ({"topic": "keys"}, "topic"),
    ],
)
def test_an_edit_that_says_nothing_useful_is_refused(served: Served, body: object, field: str) -> None:
    id = served.remember("I live in Rome")
    answer = served.client.patch(f"/v1/memories/{id}", json=body)
    assert (answer.status_code, answer.json()["field"]) == (422, field)
    assert len(served.client.get(f"/v1/memories/{id}").json()["versions"]) == 1


def test_a_turn_cannot_be_edited(served: Served) -> None:
    served.client.post(
        "/v1/turns/after", json={"session": "s1", "messages": [{"role": "user", "content": "Hello you"}]}
    )
    turn = served.client.get("/v1/memories", params={"lane": "sessions"}).json()["memories"][0]
    answer = served.client.patch(f"/v1/memories/{turn['id']}", json={"text": "Goodbye"})
    assert (answer.status_code, answer.json()["field"]) == (422, "id")


def test_what_is_forgotten_is_recalled_no_more_and_its_history_stays(served: Served) -> None:
    id = served.remember("The deploy key rotates on Mondays")
    assert served.client.delete(f"/v1/memories/{id}").json()["ids"] == [id]
    assert served.client.post("/v1/recall", json={"query": "when does the deploy key rotate?"}).json()["hits"] == []
    assert served.client.get(f"/v1/memories/{id}").json()["state"] == "forgotten"
    again = served.client.delete(f"/v1/memories/{id}")
    assert (again.status_code, again.json()["ids"]) == (200, [])


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
@pytest.mark.parametrize(("id", "status"), [(NOBODY, 404), ("42", 422), ("..%2F..", 404)])
def test_an_id_of_nothing_is_told_so(unchanged: Served, method: str, id: str, status: int) -> None:
    body = {"text": "x"} if method == "PATCH" else None
    answer = unchanged.client.request(method, f"/v1/memories/{id}", json=body)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"


# --- recall -----------------------------------------------------------------------------------------------------------


def test_a_recall_packs_what_bears_on_a_message(served: Served) -> None:
    id = served.remember("The deploy key rotates on Mondays", scope="infra")
    served.remember("Cats sleep all day", scope="home")
    body = {"query": "when does the deploy key rotate?", "scope": "infra", "limit": 3, "budget": 200}
    found = served.client.post("/v1/recall", json=body).json()
    assert [hit["id"] for hit in found["hits"]] == [id]
    assert found["hits"][0]["trace"]["text"] == "The deploy key rotates on Mondays"
    assert "deploy key" in found["block"]
    assert "candidates" not in found
    nothing = served.client.post("/v1/recall", json={"query": "how tall is the tower of Pisa?", "scope": "infra"})
    assert nothing.json()["hits"] == []


def test_a_search_shows_what_there_is_and_explains_it(served: Served) -> None:
    id = served.remember("The site says that keys rotate on Mondays", source_kind="web")
    found = served.client.post("/v1/search", json={"query": "keys rotate", "explain": True}).json()
    assert [hit["id"] for hit in found["hits"]] == [id]
    assert found["hits"][0]["trace"]["trust"] == "untrusted"
    assert [candidate["id"] for candidate in found["candidates"]] == [id]


def test_a_recall_can_be_asked_of_the_past(served: Served) -> None:
    id = served.remember("The deploy key rotates on Mondays")
    before = served.client.get("/v1/status").json()["position"]
    served.client.delete(f"/v1/memories/{id}")
    body = {"query": "when does the deploy key rotate?", "as_of": before}
    assert [hit["id"] for hit in served.client.post("/v1/recall", json=body).json()["hits"]] == [id]
    past = served.client.post("/v1/recall", json=body | {"as_of": "2001-01-01"})
    assert past.json()["hits"] == []


@pytest.mark.parametrize("path", ["/v1/recall", "/v1/search"])
@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"query": "x", "limit": 0}, 422),
        ({"query": "x", "limit": 1_001}, 422),
        ({"query": "x", "lanes": []}, 422),
        ({"query": "x", "lanes": ["cellar"]}, 422),
        ({"query": "x", "as_of": 1.5}, 422),
        ({"query": "x", "recipe": "best.v9"}, 404),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(unchanged: Served, path: str, body: object, status: int) -> None:
    assert unchanged.client.post(path, json=body).status_code == status


# --- files ------------------------------------------------------------------------------------------------------------


def test_files_are_searched_and_read_by_what_a_search_cites(tmp_path: Path) -> None:
    """B9, B10"""
    workspace = tmp_path / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "MEMORY.md").write_text("# Keys\n\nThe deploy key rotates on Mondays\n\nand so on\n", "utf-8")
    with serving(tmp_path / "home", settings={"files": {"workspace": str(workspace), "min_score": 0.0}}) as served:
        found = served.client.get("/v1/files", params={"query": "deploy key rotates", "max_results": 2}).json()
        hit = found["results"][0]
        assert hit["path"] == "MEMORY.md"
        params = {"path": hit["path"], "from": hit["startLine"], "lines": 3}
        read = served.client.get("/v1/files/lines", params=params).json()
        assert read["text"] == "# Keys\n\nThe deploy key rotates on Mondays"
        assert (read["from"], read["lines"], read["total"]) == (1, 3, 5)
        beyond = served.client.get("/v1/files/lines", params={"path": "MEMORY.md", "from": 99}).json()
        assert beyond["note"] == "it ends with line 5"


@pytest.mark.parametrize(
    "path",
    [
        "../secret.md", "memory/../../secret.md", "%2e%2e/secret.md", "/etc/passwd", "..\\secret.md", "secret.md",
        "memory/link.md", "memory/\x00.md", "memory", "", "notes.txt", "~/secret.md", "file:///etc/passwd",
        "memory/" + "a/" * 3_000 + "x.md", "tokens.json",
    ],
)  # fmt: skip
def test_no_trick_with_a_path_reads_what_is_no_memory(tmp_path: Path, path: str) -> None:
    """B10: outside, absolute, linked, encoded, endless"""
    workspace = tmp_path / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (tmp_path / "secret.md").write_text("HUSH", "utf-8")
    (workspace / "secret.md").write_text("HUSH", "utf-8")
    (workspace / "notes.txt").write_text("HUSH", "utf-8")
    os.symlink(tmp_path / "secret.md", workspace / "memory" / "link.md")
    with serving(tmp_path / "home", settings={"files": {"workspace": str(workspace)}}) as served:
        answer = served.client.get("/v1/files/lines", params={"path": path})
        assert answer.status_code in {404, 422}, answer.text
        assert "HUSH" not in answer.text
        absolute = served.client.get("/v1/files/lines", params={"path": str(tmp_path / "secret.md")})
        assert absolute.status_code in {404, 422}


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"query": "x", "path": "y"},
        {"query": "x", "max_results": 0},
        {"path": "x", "from": 0},
        {"query": "x", "q": 1},
    ],
)
def test_files_are_asked_one_thing_at_a_time(unchanged: Served, params: dict[str, str]) -> None:
    assert unchanged.client.get("/v1/files", params=params).status_code == 422


# --- upkeep -----------------------------------------------------------------------------------------------------------


def test_status_and_stats_tell_what_is_there(served: Served) -> None:
    served.remember("The deploy key rotates on Mondays", scope="infra")
    served.remember("Cats sleep all day", scope="home")
    assert served.client.get("/v1/status").json()["counts"]["total"] == 2
    stats = served.client.get("/v1/stats", params={"scope": "infra"}).json()
    assert (stats["total"], stats["by_scope"]) == (1, {"infra": 1})
    assert served.client.get("/v1/stats", params={"lane": "cellar"}).status_code == 422


def test_receipts_hold_no_text(served: Served) -> None:
    served.remember("The deploy key rotates on Mondays")
    recalled = served.client.post("/v1/recall", json={"query": "when does the deploy key rotate?"}).json()
    answer = served.client.get(f"/v1/receipts/{recalled['receipt']['id']}")
    assert answer.json()["op"] == "recall"
    assert "deploy" not in answer.text
    assert served.client.get(f"/v1/receipts/{NOBODY}").status_code == 404


def test_what_is_exported_can_be_imported_elsewhere(served: Served, tmp_path: Path) -> None:
    """E14"""
    served.remember("The deploy key rotates on Mondays", scope="infra", tags=["ops"])
    redacted = served.client.post("/v1/export", json={})
    assert "deploy" not in redacted.text
    exported = served.client.post("/v1/export", json={"with_text": True})
    assert exported.headers["content-type"] == "application/x-ndjson"
    lines = [json.loads(line) for line in exported.text.splitlines()]
    with serving(tmp_path / "other") as other:
        dry = other.client.post("/v1/import", json={"lines": lines, "dry_run": True}).json()
        assert (dry["memories"], other.engine.stats().total) == (1, 0)
        done = other.client.post("/v1/import", json={"lines": lines}).json()
        assert done["memories"] == 1
        again = other.client.post("/v1/import", json={"lines": lines}).json()
        assert (again["memories"], again["duplicates"]) == (0, {"id": 1, "text": 0})
        memory = other.client.get("/v1/memories").json()["memories"][0]
        assert (memory["text"], memory["tags"], memory["trust"]) == (lines[0]["text"], ["ops"], "untrusted")


def test_memories_are_edited_as_markdown(served: Served) -> None:
    id = served.remember("The deploy key rotates on Mondays")
    page = served.client.post("/v1/export", json={"format": "markdown"})
    assert page.headers["content-type"] == "text/markdown; charset=utf-8"
    body = {"markdown": page.text.replace("Mondays", "Fridays"), "trusted": True}
    assert served.client.post("/v1/import", json=body).json()["edited"] == 1
    assert served.client.get(f"/v1/memories/{id}").json()["text"] == "The deploy key rotates on Fridays"
    conflict = served.client.post("/v1/import", json={"markdown": page.text.replace("Mondays", "Sundays")})
    assert (conflict.status_code, conflict.json()["code"]) == (409, "conflict")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"lines": [], "markdown": ""},
        {"lines": [{"type": "memory", "text": "x"}]},
        {"lines": ["not an object"]},
        {"lines": [], "dedupe": "perhaps"},
        {"markdown": "no page of ours"},
    ],
)
def test_what_cannot_be_imported_changes_nothing(unchanged: Served, body: object) -> None:
    assert unchanged.client.post("/v1/import", json=body).status_code == 422
    assert unchanged.engine.stats().total == 0


def test_the_lifecycle_is_shown_run_and_taken_back(tmp_path: Path) -> None:
    """X16"""
    with Cortex(tmp_path / "home", embedder=FakeEmbedder(256)) as engine:
        engine.consolidate()  # so that the server's own first run is not due, which would race with the requests
    with serving(tmp_path / "home") as served:
        _consolidate_and_undo(served)


def _consolidate_and_undo(served: Served) -> None:
    for _ in range(2):
        served.remember("The deploy key rotates on Mondays", as_new=True)
    planned = served.client.post("/v1/consolidate", json={"dry_run": True}).json()
    assert [plan["step"] for plan in planned["plans"]] == ["consolidation"]
    assert planned["run"] is None
    done = served.client.post("/v1/consolidate", json={}).json()
    assert served.client.get("/v1/stats").json()["by_state"] == {"active": 1, "superseded": 1}
    undone = served.client.post("/v1/consolidate/undo", json={"run": done["run"]}).json()
    assert len(undone["restored"]) == 2
    assert served.client.get("/v1/stats").json()["by_state"] == {"active": 2}
    assert served.client.post("/v1/consolidate/undo", json={"run": "yesterday"}).status_code == 422


def test_liveness_and_readiness_are_apart(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as served:
        assert served.client.get("/health").json() == {"status": "ok"}
        assert served.client.get("/ready").json() == {"status": "ready"}
        served.engine.context.dependencies.release("main")
        database = tmp_path / "home" / "agents" / "main.sqlite"
        for file in database.parent.glob("main.sqlite*"):
            file.rename(file.with_suffix(".away"))
        database.write_bytes(b"this is no database" * 100)
        assert served.client.get("/health").status_code == 200
        answer = served.client.get("/ready")
        assert (answer.status_code, answer.json()["code"]) == (503, "store_foreign")
        turn = served.client.post("/v1/turns/before", json={"session": "s1", "message": "when does the key rotate?"})
        assert (turn.status_code, turn.json()["degraded"]) == (200, ["store_foreign"])


def test_requests_are_counted_for_prometheus(served: Served) -> None:
    """X18"""
    served.remember("The deploy key rotates on Mondays")
    served.client.get(f"/v1/memories/{NOBODY}")
    served.client.get("/nowhere/deploy-key")
    served.client.get("/health", headers={"Host": "evil.example"})
    page = served.client.get("/metrics")
    assert page.headers["content-type"].startswith("text/plain; version=")
    lines = page.text.splitlines()
    assert 'cortex_http_requests_total{method="POST",route="/v1/memories",status="201"} 1.0' in lines
    assert 'cortex_http_requests_total{method="GET",route="/v1/memories/{id}",status="404"} 1.0' in lines
    assert 'cortex_http_requests_total{method="GET",route="unmatched",status="404"} 1.0' in lines
    assert 'cortex_http_refused_total{code="host_not_allowed"} 1.0' in lines
    assert 'cortex_http_request_seconds_count{route="/v1/memories"} 1.0' in lines
    assert "cortex_http_requests_in_progress 1.0" in lines
    assert "deploy" not in page.text


def test_troubles_of_the_hooks_are_counted_for_prometheus(served: Served) -> None:
    """X18"""
    served.client.post("/v1/turns/before", json={"session": "", "message": "when does the key rotate?"})
    page = served.client.get("/metrics").text
    assert 'cortex_hook_failures_total{failure="before:invalid_request"} 1.0' in page.splitlines()


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/nowhere", 404), ("PUT", "/ingest", 405)])
def test_what_is_no_route_is_told_as_a_problem(unchanged: Served, method: str, path: str, status: int) -> None:
    answer = unchanged.client.request(method, path)
    assert answer.status_code == status
    payload = answer.json()
    assert payload["status"] == status
    assert payload["type"] == f"urn:cortex:problem:{payload['code']}"
    assert payload["request_id"] == answer.headers["x-request-id"]


def test_a_mistake_of_our_own_is_told_by_nothing_but_its_id(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    served.remember("The heron sleeps at noon")
    served.reranker.failure = RuntimeError("the heron sleeps at noon")
    answer = served.client.post("/v1/search", json={"query": "what does the heron do?", "recipe": "deep.v1"})
    assert (answer.status_code, answer.json()["code"]) == (500, "unexpected")
    assert "heron" not in answer.text
    items = [record.getMessage() for record in caplog.records if record.name == "cortex.http"]
    assert any(line.startswith(f"{answer.json()['request_id']}: RuntimeError") for line in items)
    assert not any("heron sleeps" in line for line in items)

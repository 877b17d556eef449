"""What a host asks about files: search, read and status in its own shape (B9-B11, B21, E2)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served import Served, eventually, serving

GROUP = {"chat": "group", "chat_id": "42"}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    (folder / "MEMORY.md").write_text("# Deploys\n\nThe deploy key rotates on Mondays.\n")
    (folder / "memory" / "2026-01-05.md").write_text("# Harbor\n\nThe harbor master is Ann.\n")
    return folder


@pytest.fixture
def host(tmp_path: Path, notes: Path) -> Iterator[Served]:
    settings = {"files": {"workspace": str(notes)}, "chats": {"personal_in_groups": True}}
    with serving(tmp_path / "home", settings=settings) as served:
        served.engine.index()
        yield served


def found(host: Served, query: str, **options: Any) -> dict[str, Any]:
    answer = host.client.get("/v1/files", params={"query": query, **options})
    assert answer.status_code == 200, answer.text
    payload: dict[str, Any] = answer.json()
    return payload


def test_a_host_chooses_the_sources(host: Served) -> None:
    """B9"""
    said = [{"role": "user", "content": "The deploy key is kept in the blue safe."}]
    host.client.post("/v1/turns/after", json={"session": "s", "messages": said})
    notes = found(host, "deploy key", sources="memory", min_score=0)["results"]
    turns = found(host, "deploy key", sources="sessions", min_score=0)["results"]
    assert {hit["source"] for hit in notes} == {"memory"}
    assert [hit["path"] for hit in turns] == ["sessions/s"]
    assert found(host, "deploy key", sources="docs")["results"] == []
    refused = host.client.get("/v1/files", params={"query": "x", "sources": "web"})
    assert (refused.status_code, refused.json()["field"]) == (422, "sources.0")


def test_words_alone_are_compared_on_request_and_nothing_is_embedded(host: Served) -> None:
    """B9"""
    before = len(host.embedder.queries)
    answer = found(host, "deploy key", lexical_only=True)
    assert (answer["mode"], answer["results"][0]["path"]) == ("fts-only", "MEMORY.md")
    assert len(host.embedder.queries) == before


def test_a_search_past_its_deadline_is_named_as_that(host: Served) -> None:
    """B9"""
    assert found(host, "deploy key", deadline_ms=20_000)["results"]
    late = host.client.get("/v1/files", params={"query": "deploy key", "deadline_ms": 1})
    assert (late.status_code, late.json()["code"]) == (504, "deadline_exceeded")


def test_each_hit_says_who_wrote_it(host: Served) -> None:
    """B9: the agent writes its notes, the owner speaks, and an assistant's words are the agent's"""
    said = [
        {"role": "user", "content": "The walrus lives in tank nine."},
        {"role": "assistant", "content": "The walrus is fed at noon."},
    ]
    host.client.post("/v1/turns/after", json={"session": "agent:main:main", "messages": said})
    (note, *_) = found(host, "deploy key", min_score=0)["results"]
    assert note["provenance"]["originClass"] == "agent"
    assert note["provenance"]["sessionKind"] == "unknown"
    turns = found(host, "walrus", sources="sessions", min_score=0)["results"]
    assert {hit["provenance"]["originClass"] for hit in turns} == {"owner", "agent"}
    assert all(hit["provenance"]["sessionKind"] == "interactive" for hit in turns)
    assert all(hit["provenance"]["observedAt"] > 1_600_000_000_000 for hit in turns)


def test_in_a_group_nobodys_words_count_as_the_owners(tmp_path: Path) -> None:
    """B9"""
    with serving(tmp_path / "home") as served:
        said = [{"role": "user", "content": "The walrus lives in tank nine."}]
        served.client.post("/v1/turns/after", json={"session": "s", "messages": said, **GROUP})
        (hit,) = found(served, "walrus", sources="sessions", min_score=0, **GROUP)["results"]
        assert hit["provenance"]["originClass"] == "untrusted"


def test_a_missing_file_is_an_answer_for_a_host_and_an_error_for_others(host: Served) -> None:
    """B10"""
    path = {"path": "memory/2030-01-01.md"}
    missing = host.client.get("/v1/files/lines", params={**path, "missing_ok": True})
    assert (missing.status_code, missing.json()["status"], missing.json()["text"]) == (200, "not_found", "")
    assert host.client.get("/v1/files/lines", params=path).status_code == 404
    there = host.client.get("/v1/files/lines", params={"path": "MEMORY.md", "missing_ok": True}).json()
    assert there["text"].startswith("# Deploys")
    outside = host.client.get("/v1/files/lines", params={"path": "../../etc/passwd", "missing_ok": True})
    assert outside.status_code == 422


def test_b11_a_group_is_shown_no_citations_in_any_tool(host: Served) -> None:
    """B11: also not in the text for the model, nor in the block of a turn"""
    citation = "MEMORY.md#L1-L3"

    def told(tool: str, **where: Any) -> str:
        arguments = {"query": "When does the deploy key rotate?"}
        answer = host.client.post(f"/v1/tools/{tool}", json={"arguments": arguments, **where})
        assert answer.status_code == 200, answer.text
        return str(answer.json()["text"]) + json.dumps(answer.json()["structured"].get("block", ""))

    def block(**where: Any) -> str:
        turn = {"session": "s", "message": "When does the deploy key rotate?"}
        return str(host.client.post("/v1/turns/before", json={**turn, **where}).json()["block"])

    for tool in ("memory_search", "memory_recall"):
        assert citation in told(tool, chat="direct")
        assert citation not in told(tool, **GROUP)
        assert "Mondays" in told(tool, **GROUP)
    assert citation in block(chat="direct")
    assert citation not in block(**GROUP)
    assert "Mondays" in block(**GROUP)


# --- status ----------------------------------------------------------------------------------------------------------


def counted(host: Served) -> dict[str, Any]:
    """The status once the index is counted: a host that asks before that is told nothing of its size."""

    def told() -> dict[str, Any] | None:
        status: dict[str, Any] = host.client.get("/v1/files/status").json()
        return status if "chunks" in status else None

    status: dict[str, Any] = eventually(told)
    return status


def test_b21_the_status_has_the_shape_of_the_host(host: Served) -> None:
    """B21"""
    status = counted(host)
    assert (status["backend"], status["provider"], status["model"]) == ("builtin", "fake", "words")
    assert (status["files"], status["chunks"], status["sources"]) == (2, 2, ["memory"])
    assert status["fts"] == {"enabled": True, "available": True}
    assert status["vector"]["index"] == {"state": "complete"}
    assert (status["vector"]["enabled"], status["vector"]["available"], status["vector"]["dims"]) == (True, True, 256)
    assert isinstance(status["dirty"], bool)
    assert "fallback" not in status


def test_the_status_counts_nothing_while_a_host_waits(host: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """B21: an index that was counted a moment ago is not counted again"""
    counted(host)
    files, counts = host.engine.files, []
    count = files._count
    monkeypatch.setattr(files, "_count", lambda *given: counts.append(given) or count(*given))
    for _ in range(5):
        assert host.client.get("/v1/files/status").json()["chunks"] == 2
    assert counts == []


# --- other spellings -------------------------------------------------------------------------------------------------


def test_e2_a_kind_may_be_called_category(host: Served) -> None:
    """E2, L2"""
    stored = host.client.post("/v1/memories", json={"text": "The user prefers tea", "category": "preference"}).json()
    assert stored["memory"]["kind"] == "preference"
    arguments = {"text": "We decided to use Postgres", "category": "decision"}
    by_tool = host.client.post("/v1/tools/memory_store", json={"arguments": arguments})
    assert by_tool.status_code == 200, by_tool.text
    listed = host.client.get("/v1/memories", params={"category": "decision"}).json()["memories"]
    assert [memory["text"] for memory in listed] == ["We decided to use Postgres"]


def test_b9_results_and_scores_are_limited_in_either_spelling(host: Served) -> None:
    """B9"""
    for names in ({"maxResults": 1, "minScore": 0}, {"max_results": 1, "min_score": 0}):
        assert len(found(host, "harbor deploy key", **names)["results"]) == 1
        arguments = {"query": "harbor deploy key", **names}
        answer = host.client.post("/v1/tools/memory_search", json={"arguments": arguments}).json()
        assert len(answer["structured"]["results"]) == 1


def test_a_field_given_twice_is_refused_where_the_two_differ(host: Served) -> None:
    twice = {"text": "The user prefers tea", "kind": "preference"}
    assert host.client.post("/v1/memories", json={**twice, "category": "preference"}).status_code == 201
    refused = host.client.post("/v1/memories", json={**twice, "category": "fact"}).json()
    assert (refused["field"], refused["detail"]) == ("category", "category: differs from kind")
    over_a_tool = {"arguments": {**twice, "category": "fact"}}
    refused = host.client.post("/v1/tools/memory_store", json=over_a_tool).json()
    assert (refused["field"], refused["detail"]) == ("category", "category: differs from kind")

"""What the plugin of a host needs: its right, the chat of a turn, and tools without a session (E2, B9-B11)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served import Served, eventually, serving

from cortex.access.tokens import Right
from cortex.surfaces.mcp.tools import CANONICAL, listed

GROUP = {"chat": "group", "chat_id": "telegram:42", "sender": "7"}
OWNER_ONLY = {"memory_list", "memory_stats", "memory_export", "memory_import"}


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Served]:
    """A server whose client has the token of a host."""
    with serving(tmp_path / "home") as served:
        served.client.headers.update(served.token(Right.HOST))
        yield served


def call(host: Served, name: str, arguments: dict[str, Any], **where: Any) -> Any:
    return host.client.post(f"/v1/tools/{name}", json={"arguments": arguments, **where})


def recalled(host: Served, query: str, **where: Any) -> str:
    answer = call(host, "memory_recall", {"query": query}, **where)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["text"])


def test_a_host_acts_for_every_user_of_its_agent_and_for_no_other_agent(host: Served) -> None:
    for user in ("ada", "grace"):
        stored = host.client.post("/v1/memories", json={"text": f"{user} likes tea", "user": user})
        assert stored.status_code == 201
    found = host.client.get("/v1/memories", params={"user": "ada"}).json()["memories"]
    assert [memory["text"] for memory in found] == ["ada likes tea"]
    assert host.client.get("/v1/memories", params={"agent": "other"}).status_code == 403


def test_a_host_administers_nothing(host: Served) -> None:
    assert host.client.post("/v1/consolidate", json={"dry_run": True}).status_code == 403
    assert host.client.post("/v1/erase", json={"ids": []}).status_code == 403


def test_a_token_may_be_for_several_agents(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as served:
        served.client.headers.update(served.token(Right.HOST, agents=("work",)))
        assert served.client.get("/v1/memories", params={"agent": "work"}).status_code == 200
        assert served.client.get("/v1/memories", params={"agent": "home"}).status_code == 403


def test_a_group_has_a_memory_of_its_own(host: Served) -> None:
    call(host, "memory_store", {"text": "The owner's alarm code is 4711"}, chat="direct", sender="1")
    call(host, "memory_store", {"text": "The group meets on Thursdays at the harbor"}, **GROUP)
    assert "4711" not in recalled(host, "What is the alarm code?", **GROUP)
    assert "Thursdays" in recalled(host, "When does the group meet?", **GROUP)
    assert "Thursdays" not in recalled(host, "When does the group meet?", chat="direct", sender="1")
    assert "Thursdays" not in recalled(host, "When does the group meet?", chat="group", chat_id="telegram:43")


def test_the_owner_may_allow_personal_memories_in_groups(tmp_path: Path) -> None:
    with serving(tmp_path / "home", settings={"chats": {"personal_in_groups": True}}) as served:
        call(served, "memory_store", {"text": "The spare key hangs behind the blue door"})
        assert "blue door" in recalled(served, "Where is the spare key?", **GROUP)


def test_direct_chats_share_one_memory_unless_each_sender_has_their_own(tmp_path: Path) -> None:
    with serving(tmp_path / "shared") as served:
        call(served, "memory_store", {"text": "The boat is called Marigold"}, chat="direct", sender="1")
        assert "Marigold" in recalled(served, "What is the boat called?", chat="direct", sender="2")
    with serving(tmp_path / "separate", settings={"chats": {"per_sender": True}}) as served:
        call(served, "memory_store", {"text": "The boat is called Marigold"}, chat="direct", sender="1")
        assert "Marigold" not in recalled(served, "What is the boat called?", chat="direct", sender="2")
        assert "Marigold" in recalled(served, "What is the boat called?", chat="direct", sender="1")


def test_turns_follow_the_chat_too(host: Served) -> None:
    said = [{"role": "user", "content": "My sister Ines is visiting on Friday, she is a vet."}]
    stored = host.client.post("/v1/turns/after", json={"session": "s1", "messages": said, **GROUP})
    assert stored.json()["stored"] == 1
    question = {"session": "s2", "message": "What does Ines do?"}
    assert "vet" in host.client.post("/v1/turns/before", json={**question, **GROUP}).json()["block"]
    assert not host.client.post("/v1/turns/before", json=question).json()["block"]


def test_memories_are_extracted_now_when_a_session_ends(tmp_path: Path) -> None:
    """C2, C11: the quiet time of a day is not waited for"""
    with serving(tmp_path / "home", settings={"capture": {"debounce_seconds": 86_400}}) as served:
        said = [{"role": "user", "content": "My sister Ines is a vet in Lisbon."}]
        turn = {"session": "s1", "messages": said}
        assert served.client.post("/v1/turns/after", json=turn).json()["stored"] == 1
        assert served.client.get("/v1/memories").json()["memories"] == []
        over = served.client.post("/v1/turns/after", json={**turn, "messages": [], "end": True}).json()
        assert (over["stored"], over["degraded"]) == (0, [])
        assert eventually(lambda: served.client.get("/v1/memories").json()["memories"])


def test_c14_a_server_whose_hooks_are_turned_off_says_so(tmp_path: Path) -> None:
    """C14"""
    off = {"hooks": {"auto_recall": False, "auto_ingest": False}}
    with serving(tmp_path / "home", settings=off) as served:
        said = [{"role": "user", "content": "The boat is called Marigold."}]
        after = served.client.post("/v1/turns/after", json={"session": "s", "messages": said}).json()
        before = served.client.post("/v1/turns/before", json={"session": "s", "message": "the boat?"}).json()
        assert (after["stored"], after["skipped"]) == (0, "auto_ingest_off")
        assert (before["block"], before["skipped"]) == ("", "auto_recall_off")


def test_a_token_without_the_right_cannot_enter_a_group(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as served:
        served.client.headers.update(served.token(Right.WRITE))
        assert call(served, "memory_recall", {"query": "x"}, **GROUP).status_code == 403
        assert call(served, "memory_recall", {"query": "x"}, chat="direct").status_code == 200


def test_a_group_needs_an_id(host: Served) -> None:
    refused = call(host, "memory_recall", {"query": "x"}, chat="group")
    assert (refused.status_code, refused.json()["field"]) == (422, "chat_id")


def test_b11_citations_follow_what_the_host_says_and_not_the_session_key(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "MEMORY.md").write_text("# Deploys\n\nThe deploy key rotates on Mondays.\n")
    with serving(tmp_path / "home", settings={"chats": {"personal_in_groups": True}}) as served:
        served.engine.index(notes)

        def cited(**where: Any) -> bool:
            found = served.client.get("/v1/files", params={"query": "deploy key", "min_score": 0, **where}).json()
            return "citation" in found["results"][0]

        assert cited(chat="direct", session="agent:main:telegram:group:42")
        assert not cited(chat="group", chat_id="42", session="agent:main:main")
        assert not cited(session="agent:main:telegram:group:42")


def test_tools_are_listed_with_the_words_of_mcp(host: Served) -> None:
    answer = host.client.get("/v1/tools").json()
    ours = {tool["name"]: tool for tool in answer["tools"]}
    theirs = {tool.name: tool for tool in listed(CANONICAL, host.engine.settings.limits.max_text_bytes)}
    assert answer["contract"] == 1
    assert ours.keys() == theirs.keys()
    for name, tool in ours.items():
        assert (tool["description"], tool["input_schema"]) == (theirs[name].description, theirs[name].input_schema)
    assert {name for name, tool in ours.items() if tool["owner_only"]} == OWNER_ONLY


@pytest.mark.parametrize("name", sorted(OWNER_ONLY))
def test_some_tools_are_for_the_owner_alone(host: Served, name: str) -> None:
    assert call(host, name, {}, owner=False).status_code == 403


def test_an_unknown_tool_or_argument_is_refused_by_name(host: Served) -> None:
    assert call(host, "memory_shred", {}).status_code == 404
    refused = call(host, "memory_recall", {"query": "x", "colour": "red"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "colour")

"""Small samples of the formats that `cortex import` reads, written after their public descriptions."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

USER = "My dentist is Doctor Okafor"
ANSWER = "Noted, your dentist is Doctor Okafor."


def zipped(path: Path, files: Mapping[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content if isinstance(content, str) else json.dumps(content))
    return path


def in_folder(path: Path, files: Mapping[str, Any]) -> Path:
    for name, content in files.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def lines(rows: Sequence[Any]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


# --- ChatGPT ----------------------------------------------------------------------------------------------------------


def chatgpt_message(role: str, text: str, at: float | None, **more: Any) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text]}
    return {"id": f"m-{text[:12]}", "author": {"role": role, "name": None, "metadata": {}}, "create_time": at,
            "content": content, "status": "finished_successfully", "weight": 1.0, "metadata": {},
            "recipient": "all", **more}  # fmt: skip


def chatgpt_conversation(id: str, messages: Sequence[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A conversation along one branch; its root has no message."""
    nodes: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    last = "root"
    for number, message in enumerate(messages):
        node = f"node-{number}"
        nodes[node] = {"id": node, "message": message, "parent": last, "children": []}
        nodes[last]["children"].append(node)
        last = node
    return {"title": f"About {id}", "create_time": 1_710_000_000.5, "update_time": 1_710_003_600.0, "mapping": nodes,
            "current_node": last, "conversation_id": id, "id": id, **more}  # fmt: skip


def chatgpt(*, part: int = 0) -> dict[str, Any]:
    """One conversation with an edited question, tools, thinking and a saved memory; and the list of saved memories."""
    branched = chatgpt_conversation(
        "aaaa-1",
        [
            chatgpt_message("system", "", None, metadata={"is_visually_hidden_from_conversation": True}),
            chatgpt_message("user", USER, 1_710_000_001.0),
            chatgpt_message("assistant", "The user's dentist is Doctor Okafor", 1_710_000_002.0, recipient="bio"),
            chatgpt_message("tool", "Model set context updated.", 1_710_000_002.5),
            chatgpt_message("assistant", "", 1_710_000_002.7, content={"content_type": "thoughts", "thoughts": []}),
            chatgpt_message("assistant", ANSWER, 1_710_000_003.0),
            chatgpt_message(
                "user", "", 1_710_000_010.0,
                content={"content_type": "multimodal_text", "parts": [
                    {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"},
                    "What is in this picture?"]},
            ),
        ],
    )  # fmt: skip
    nodes = branched["mapping"]
    # The question was edited: what stood there before is on another branch.
    abandoned = chatgpt_message("user", "My dentist is Doctor Nobody", 1_710_000_000.7)
    nodes["old"] = {"id": "old", "message": abandoned, "parent": "node-0", "children": []}
    nodes["node-0"]["children"].append("old")
    second = chatgpt_conversation("aaaa-2", [chatgpt_message("user", "I live in Bergen", 1_715_000_000.0)])
    memories = [
        {"id": "mem-1", "content": "Prefers trams over buses", "enabled": True, "created_at": "2024-05-01T08:00:00Z"},
        {"id": "mem-2", "content": "Drinks coffee", "enabled": False, "created_at": "2024-05-02T08:00:00Z"},
    ]
    user = {"id": "user-1", "email": "ana@example.com", "chatgpt_plus_user": True}
    shared = {"user.json": user, "memory.json": memories, "chat.html": "<html></html>"}
    if part:
        return {"conversations-000.json": [branched], "conversations-001.json": [second], **shared}
    return {"conversations.json": [branched, second], **shared}


# --- Claude -----------------------------------------------------------------------------------------------------------


def claude_message(sender: str, text: str, at: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text, "start_timestamp": at, "stop_timestamp": at, "citations": []}]
    return {"uuid": f"m-{at}", "sender": sender, "text": text, "content": content, "created_at": at, "updated_at": at,
            "attachments": [], "files": [], **more}  # fmt: skip


def claude(account: str = "acc-1") -> dict[str, Any]:
    first = {
        "uuid": "cccc-1", "name": "Dentist", "summary": "", "created_at": "2025-02-01T09:00:00.000000Z",
        "updated_at": "2025-02-01T09:05:00.000000Z", "account": {"uuid": account},
        "chat_messages": [
            claude_message("human", USER, "2025-02-01T09:00:01.000000Z",
                           attachments=[{"file_name": "a.txt", "file_size": 3, "extracted_content": "abc"}]),
            claude_message("assistant", ANSWER, "2025-02-01T09:00:05.000000Z", content=[
                {"type": "thinking", "thinking": "hm"}, {"type": "tool_use", "name": "web_search", "input": {}},
                {"type": "tool_result", "content": [{"type": "text", "text": "a page"}]},
                {"type": "text", "text": ANSWER}]),
        ],
    }  # fmt: skip
    older = {
        "uuid": "cccc-2", "name": "", "created_at": "2023-08-01T10:00:00Z", "updated_at": "2023-08-01T10:00:00Z",
        "account": {"uuid": account},
        "chat_messages": [{"uuid": "x", "sender": "human", "text": "I live in Bergen", "created_at":
                           "2023-08-01T10:00:02Z"}],
    }  # fmt: skip
    project = {
        "uuid": "pppp-1", "name": "Harbor", "description": "Crane schedules for the port of Bergen", "is_private": True,
        "prompt_template": "", "created_at": "2025-01-01T00:00:00Z", "docs": [{"uuid": "d", "filename": "plan.md",
                                                                              "content": "secret plan"}],
    }  # fmt: skip
    memory = {
        "account_uuid": account,
        "conversations_memory": "**Work context**\n\nAna works as a bridge engineer.\n\nShe prefers short answers.",
        "project_memories": {"pppp-1": "The cranes are inspected on Mondays."},
    }
    users = [{"uuid": account, "full_name": "Ana Lind", "email_address": "ana@example.com"}]
    return {"conversations.json": [first, older], "projects.json": [project], "memories.json": [memory],
            "users.json": users}  # fmt: skip


# --- coding agents ----------------------------------------------------------------------------------------------------

CLAUDE_SESSION = "7e0b6c3e-95a4-4f7c-a1c7-27f3f5a3b1d0"
CODEX_SESSION = "0199f3a2-6d0e-7c11-8f6a-0d3f8a4b1c2d"


def claude_row(kind: str, content: Any, second: int, **more: Any) -> dict[str, Any]:
    at = f"2025-12-03T10:00:{second:02}.000Z"
    return {"parentUuid": None, "isSidechain": False, "userType": "external", "cwd": "/src/harbor", "version": "2.1.0",
            "sessionId": CLAUDE_SESSION, "type": kind, "message": {"role": kind, "content": content},
            "uuid": f"u-{second}", "timestamp": at, **more}  # fmt: skip


def claude_code() -> dict[str, Any]:
    rows = [
        {"type": "summary", "summary": "Dentist", "leafUuid": "u-9"},
        {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}},
        claude_row("user", "<command-name>/clear</command-name>", 0),
        claude_row("user", USER, 1),
        claude_row("assistant", [{"type": "tool_use", "id": "t", "name": "Read", "input": {}}], 2),
        claude_row("user", [{"type": "tool_result", "tool_use_id": "t", "content": "a file"}], 3,
                   toolUseResult={"stdout": "a file"}),
        claude_row("assistant", [{"type": "text", "text": ANSWER}], 4),
        claude_row("user", "a helper's question", 5, isSidechain=True),
    ]  # fmt: skip
    folder = "-src-harbor"
    return {
        f"{folder}/{CLAUDE_SESSION}.jsonl": lines(rows),
        f"{folder}/agent-1234.jsonl": lines([claude_row("user", "work for the helper", 6, isSidechain=True)]),
    }


def codex() -> dict[str, Any]:
    def row(kind: str, payload: Mapping[str, Any], second: int) -> dict[str, Any]:
        return {"timestamp": f"2025-10-29T00:59:{second:02}.000Z", "type": kind, "payload": payload}

    def said(role: str, text: str, second: int) -> dict[str, Any]:
        kind = "output_text" if role == "assistant" else "input_text"
        return row(
            "response_item", {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}, second
        )

    meta = {"id": CODEX_SESSION, "timestamp": "2025-10-29T00:59:00.000Z", "cwd": "/src/harbor", "cli_version": "0.46.0"}
    rows = [
        row("session_meta", meta, 0),
        said("developer", "Be terse", 0),
        said("user", "<environment_context>\n<cwd>/src/harbor</cwd>\n</environment_context>", 1),
        said("user", USER, 2),
        row("event_msg", {"type": "user_message", "message": USER, "kind": "plain"}, 2),
        row("turn_context", {"cwd": "/src/harbor", "model": "gpt-5"}, 2),
        row("response_item", {"type": "reasoning", "summary": [], "encrypted_content": "x"}, 3),
        row("response_item", {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"}, 4),
        row("response_item", {"type": "function_call_output", "call_id": "c", "output": "a file"}, 5),
        said("assistant", ANSWER, 6),
        row("event_msg", {"type": "agent_message", "message": ANSWER}, 6),
    ]
    old = [
        {"id": "11111111-2222-4333-8444-555555555555", "timestamp": "2025-06-01T08:00:00Z", "instructions": None},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "I live in Bergen"}]},
    ]
    return {
        f"2025/10/29/rollout-2025-10-29T00-59-00-{CODEX_SESSION}.jsonl": lines(rows),
        "2025/06/01/rollout-2025-06-01T08-00-00-11111111-2222-4333-8444-555555555555.jsonl": lines(old),
    }


# --- memories ---------------------------------------------------------------------------------------------------------


def mem0(*users: str) -> dict[str, Any]:
    return {
        "results": [
            {"id": f"mem0-{number}", "memory": f"{user} prefers trams over buses", "hash": "x", "metadata":
             {"category": "preference"}, "created_at": "2025-03-01T10:00:00-08:00", "updated_at": None,
             "user_id": user, "categories": ["travel"]}
            for number, user in enumerate(users)
        ],
        "relations": [],
    }  # fmt: skip


def mem0_history(path: Path) -> Path:
    """The history database of mem0: one memory that was updated, and one that was deleted."""
    with closing(sqlite3.connect(path)) as database:
        database.execute(
            "CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT,"
            " created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT)"
        )
        rows = [
            ("1", "a", None, "Lives in Bergen", "ADD", "2025-01-01T08:00:00+00:00", None, 0),
            ("2", "b", None, "Drinks coffee", "ADD", "2025-01-02T08:00:00+00:00", None, 0),
            ("3", "a", "Lives in Bergen", "Lives in Oslo", "UPDATE", "2025-01-01T08:00:00+00:00",
             "2025-02-01T08:00:00+00:00", 0),
            ("4", "b", "Drinks coffee", None, "DELETE", "2025-01-02T08:00:00+00:00", "2025-02-02T08:00:00+00:00", 1),
        ]  # fmt: skip
        database.executemany("INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)", rows)
        database.commit()
    return path


BASIC_MEMORY = """\
---
title: Coffee Brewing Methods
type: note
tags: [coffee, brewing]
permalink: coffee-brewing-methods
created: 2025-04-05T06:07:08+00:00
---
# Coffee Brewing Methods

Some prose that stays in the file.

## Observations
- [method] Pour over gives more clarity than a French press
- [preference] Ethiopian beans work well with lighter roasts #beans (personal experience)
- [ ] buy a kettle
- [a link](https://example.com) is no observation

## Relations
- requires [[Proper Grinding Technique]]
- [[Tea]]
"""


def basic_memory() -> dict[str, Any]:
    return {"coffee/Coffee Brewing Methods.md": BASIC_MEMORY, "plain.md": "# Plain\n\nNothing to import.\n"}


MEMSEARCH = """\

## Session 14:30

### 14:30
<!-- session:7e0b6c3e turn:aa11 transcript:/x/y.jsonl -->
- User asked about Redis caching
- Redis was chosen over Memcached
  because of its data types

### 15:05
<!-- session:7e0b6c3e turn:bb22 transcript:/x/y.jsonl -->
- Memory summary unavailable: summarizer timed out; transcript content was omitted.

## Decision
We keep the cache in memory.
"""


def memsearch() -> dict[str, Any]:
    return {"memory/2025-12-09.md": MEMSEARCH, "memory/MEMORY.md": "# Team\n\n- Alice leads the frontend\n"}


# --- OpenClaw ---------------------------------------------------------------------------------------------------------


def openclaw_event(role: str, text: str, minute: int) -> dict[str, Any]:
    at = f"2025-09-01T07:{minute:02}:00.000Z"
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    return {"type": "message", "id": f"e{minute}", "timestamp": at, "message": message}


def openclaw_database(path: Path) -> Path:
    """The sessions of an agent: one of its owner, and one of a group."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            """
            CREATE TABLE session_windows (session_id, session_key, chat_type, session_scope, created_at);
            CREATE TABLE session_nodes (session_key, current_session_id);
            CREATE TABLE session_transcript_active_events (session_id, event_seq, active_position, message_position);
            CREATE TABLE transcript_events (session_id, seq, event_json, event_zstd);
            """
        )
        for number, (key, chat) in enumerate((("agent:main:main", "direct"), ("agent:main:telegram:group:5", "group"))):
            session = f"s{number}"
            database.execute("INSERT INTO session_windows VALUES (?, ?, ?, 'x', ?)", (session, key, chat, number))
            database.execute("INSERT INTO session_nodes VALUES (?, ?)", (key, session))
            for seq, (role, text) in enumerate((("user", USER), ("assistant", ANSWER))):
                event = json.dumps(openclaw_event(role, text, seq))
                database.execute("INSERT INTO transcript_events VALUES (?, ?, ?, NULL)", (session, seq, event))
                database.execute(
                    "INSERT INTO session_transcript_active_events VALUES (?, ?, ?, ?)", (session, seq, seq, seq)
                )
        database.commit()
    return path


def openclaw_workspace() -> dict[str, Any]:
    return {"AGENTS.md": "# Rules\n", "MEMORY.md": "# Drinks\n\nThe user likes green tea.\n",
            "memory/2025-09-01.md": "# Today\n\nThe harbor project ships on Thursdays.\n"}  # fmt: skip

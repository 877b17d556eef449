"""The hooks of a turn as commands, for any agent that can run one (X2, C16)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from terminal import Cli

TRAMS = "I prefer trams over buses"
QUESTION = "which trams should I take?"
CHAT = [{"role": "user", "content": TRAMS}, {"role": "assistant", "content": "Noted."}]


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn waits by the machine's own time, and the machine of a test may be slow."""
    monkeypatch.setenv("CORTEX_HOOKS__DEADLINE_MS", "60000")


def event(name: str, **fields: Any) -> str:
    """What a coding agent hands to its hooks."""
    payload = {"session_id": "abc", "cwd": "/project", "permission_mode": "default", "hook_event_name": name}
    return json.dumps(payload | fields)


def row(role: str, content: Any, **fields: Any) -> dict[str, Any]:
    """A row of a coding agent's transcript."""
    said_at = "2026-01-04T10:00:00Z"
    message = {"role": role, "content": content}
    return {"type": role, "message": message, "timestamp": said_at, "sessionId": "abc", "uuid": "1", **fields}


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    rows = [
        {"type": "summary", "summary": "Trams and buses", "leafUuid": "1"},
        row("user", "Caveat: I live in Rome", isMeta=True),
        row("user", "<command-name>/clear</command-name>"),
        row("user", TRAMS),
        row("assistant", [{"type": "thinking", "thinking": "I live in Oslo"}, {"type": "text", "text": "Noted."}]),
        row("assistant", [{"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": "ls"}}]),
        row("user", [{"type": "tool_result", "tool_use_id": "1", "content": "I live in Oslo"}]),
        row("assistant", "I live in Bonn", isSidechain=True),
        row("user", "I live in Paris", isCompactSummary=True),
    ]
    path = tmp_path / "transcript.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + '\n{"type": "user", "mess', encoding="utf-8")
    return path


def said_in(cli: Cli, session: str) -> list[str]:
    return [trace["text"] for trace in cli("list", "--session", session, "--json").json["memories"]]


# --- before -------------------------------------------------------------------------------------------------------


def test_before_a_turn_the_block_is_printed_and_nothing_else(cli: Cli) -> None:
    """X2"""
    cli.remembered(TRAMS)
    for said in (
        cli("hook", "before", QUESTION, "--session", "s"),
        cli("hook", "before", "--session", "s", stdin=QUESTION),
    ):
        assert (said.code, said.err) == (0, "")
        assert said.out.startswith("## Long-Term Memories")
        assert said.out.rstrip().endswith("</relevant-memories>")
        assert TRAMS in said.out


@pytest.mark.parametrize("message", ["thanks!", "", "what do parrots eat?"])
def test_where_nothing_is_relevant_nothing_is_printed(cli: Cli, message: str) -> None:
    """X2"""
    cli.remembered("The deploy key rotates on Mondays")
    said = cli("hook", "before", "--session", "s", stdin=message)
    assert (said.code, said.out) == (0, "")


def test_before_as_json_tells_everything_of_the_injection(cli: Cli) -> None:
    """X2, E12"""
    kept = cli.remembered(TRAMS)
    told = cli("hook", "before", QUESTION, "--session", "s", "--json").json
    assert (told["ids"], told["facts"], told["degraded"]) == ([kept], 1, [])
    assert told["tokens"] > 0
    assert cli("admin", "receipts", told["receipt_id"], "--json").json["op"] == "recall"
    assert cli("hook", "before", "thanks!", "--session", "s", "--json").json["skipped"]


def test_scope_and_recipe_are_those_that_were_asked_for(cli: Cli) -> None:
    cli.remembered(TRAMS, "--scope", "travel")
    assert TRAMS in cli("hook", "before", QUESTION, "--session", "s", "--scope", "travel").out
    told = cli("hook", "before", QUESTION, "--session", "s", "--recipe", "lancedb.v1", "--json").json
    assert cli("admin", "receipts", told["receipt_id"], "--json").json["recipe"] == "lancedb.v1"


@pytest.mark.parametrize("option", [["--trigger", "heartbeat"], ["--trigger", "cron"]])
def test_a_turn_that_no_person_began_is_left_alone(cli: Cli, option: list[str]) -> None:
    cli.remembered(TRAMS)
    assert cli("hook", "before", QUESTION, "--session", "s", *option).out == ""
    cli("hook", "after", "--session", "s", *option, stdin=json.dumps(CHAT))
    assert said_in(cli, "s") == []


def test_a_coding_agent_hands_over_its_prompt_as_json(cli: Cli, transcript: Path) -> None:
    """X2"""
    cli.remembered(TRAMS)
    given = event("UserPromptSubmit", prompt=QUESTION, transcript_path=str(transcript))
    said = cli("hook", "before", stdin=given)
    assert (said.code, said.err) == (0, "")
    assert TRAMS in said.out
    assert cli("hook", "before", stdin=event("UserPromptSubmit", prompt="thanks!")).out == ""


def test_json_that_is_what_the_user_says_is_taken_as_it_stands(cli: Cli) -> None:
    cli.remembered("The field prompt_limit is 512 in production")
    said = cli("hook", "before", "--session", "s", stdin='{"prompt_limit": 512, "field": "production"}')
    assert "prompt_limit is 512" in said.out


# --- after --------------------------------------------------------------------------------------------------------


def test_after_a_turn_the_history_is_stored_once_and_nothing_is_printed(cli: Cli) -> None:
    """X2, C1"""
    for history in (CHAT[:1], CHAT, CHAT):
        said = cli("hook", "after", "--session", "s", stdin=json.dumps(history))
        assert (said.code, said.out, said.err) == (0, "", "")
    assert said_in(cli, "s") == [TRAMS, "Noted."]


def test_what_one_turn_said_another_recalls(cli: Cli) -> None:
    """X2"""
    cli("hook", "after", "--session", "monday", stdin=json.dumps(CHAT))
    assert TRAMS in cli("hook", "before", QUESTION, "--session", "tuesday").out


def test_the_transcript_of_a_coding_agent_is_read_where_its_hook_says(cli: Cli, transcript: Path) -> None:
    """X2: without what nobody said"""
    said = cli("hook", "after", "--json", stdin=event("Stop", transcript_path=str(transcript), stop_hook_active=False))
    assert said.code == 0, said.err
    assert said_in(cli, "abc") == [TRAMS, "Noted."]
    told = said.json["receipt"]
    assert told["stored"] == 2
    assert told["skipped"] == {"not_a_message": 1, "system": 4, "tool_call": 1, "tool_output": 1}


def test_what_waited_in_a_queue_is_heard_once_and_what_a_plugin_put_in_never(cli: Cli, tmp_path: Path) -> None:
    """X2, B19: rows with content that hold no message of anybody"""
    rows = [
        {"type": "queue-operation", "operation": "enqueue", "content": TRAMS, "sessionId": "abc"},
        row("user", TRAMS),
        {"type": "custom_message", "id": "1", "parentId": None, "content": "I live in Rome", "display": True},
        {"type": "attachment", "sessionId": "abc", "attachment": {"type": "queued_command", "prompt": "And I ski"}},
    ]
    path = tmp_path / "transcript.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    cli("hook", "after", stdin=event("Stop", transcript_path=str(path)))
    assert said_in(cli, "abc") == [TRAMS, "And I ski"]


def test_a_transcript_file_can_be_given_by_its_name(cli: Cli, transcript: Path) -> None:
    assert cli("hook", "after", str(transcript)).code == 0
    assert said_in(cli, "abc") == [TRAMS, "Noted."]


def test_memories_are_drawn_later_or_by_the_hook_itself_where_it_is_told_to(cli: Cli) -> None:
    """C2"""
    cli("hook", "after", "--session", "s", "--run-jobs", stdin=json.dumps(CHAT))
    assert cli("list", "--lane", "memories", "--json").json["memories"] == []
    cli.clock.advance(31)
    cli("hook", "after", "--session", "s", "--run-jobs", stdin=json.dumps(CHAT))
    assert [each["text"] for each in cli("list", "--lane", "memories", "--json").json["memories"]] == [TRAMS]


# --- trouble ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hook", "given"),
    [
        ("before", b"\xff\xfe"),
        ("after", b"\xff\xfe"),
        ("after", b""),
        ("after", b'[{"role": "user", "content": "cut o'),
        ("after", event("Stop", transcript_path="/nowhere/at/all.jsonl").encode()),
    ],
)
def test_bad_input_is_told_on_stderr_and_the_turn_goes_on(cli: Cli, hook: str, given: bytes) -> None:
    """X2: some hosts take an exit code other than 0 for a veto"""
    said = cli("hook", hook, "--session", "s", stdin=given)
    assert (said.code, said.out) == (0, "")
    assert said.err.startswith("cortex: ")
    assert len(said.err.splitlines()) == 1


@pytest.mark.parametrize("hook", ["before", "after"])
def test_a_session_nobody_named_is_told(cli: Cli, hook: str) -> None:
    said = cli("hook", hook, stdin="hello there, how are the trams?")
    assert (said.code, said.out) == (0, "")
    assert "name it with --session" in said.err


@pytest.mark.parametrize("hook", ["before", "after"])
def test_a_memory_that_cannot_be_opened_does_not_stop_the_turn(cli: Cli, hook: str, tmp_path: Path) -> None:
    """C16"""
    (tmp_path / "file").write_text("no folder")
    said = cli("hook", hook, "--session", "s", stdin=QUESTION, home=tmp_path / "file" / "home")
    assert (said.code, said.out) == (0, "")
    assert said.err.startswith("cortex: ")


def test_settings_that_cannot_be_read_do_not_stop_the_turn(cli: Cli) -> None:
    """C16"""
    cli.home.mkdir()
    (cli.home / "cortex.toml").write_text("[recall\n")
    said = cli("hook", "before", QUESTION, "--session", "s")
    assert (said.code, said.out) == (0, "")
    assert said.err.startswith("cortex: ")


def test_a_mistake_of_our_own_is_told_by_its_type_alone(cli: Cli) -> None:
    """E12: no text that was said"""
    cli.ids = lambda at: 1 / 0  # type: ignore[assignment]
    said = cli("hook", "after", "--session", "s", stdin=json.dumps(CHAT))
    assert (said.code, said.out) == (0, "")
    assert said.err == "cortex: ZeroDivisionError: this is a bug in Cortex\n"


def test_an_embedder_that_fails_leaves_keywords(cli: Cli) -> None:
    """C16"""
    cli.remembered(TRAMS)
    cli.embedder.fail()
    said = cli("hook", "before", QUESTION, "--session", "s", "--json")
    assert TRAMS in said.json["block"]
    assert said.json["degraded"] == ["vector:embedder_unavailable"]

"""`cortex ledger` and `cortex hook tool`: events in, and who changed what (S1)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from terminal import Cli

from cortex.surfaces.cli import ledger_commands

AT = "2026-01-01T09:00:00Z"
EVENT = {"id": "e1", "at": AT, "session": "s", "type": "tool_result", "text": "3 tests failed"}
ROW = {"ts": AT, "kind": "tool", "tool_name": "web_search", "summary": "searched for ferries", "detail": {"results": 5}}


def lines(*events: dict[str, object]) -> str:
    return "".join(json.dumps(each) + "\n" for each in events)


def test_a_file_a_folder_and_stdin_are_ingested_once(cli: Cli, tmp_path: Path) -> None:
    """S1"""
    file = tmp_path / "events.jsonl"
    file.write_text(lines(EVENT, ROW) + '{"torn": ')
    assert cli("ledger", "ingest", str(file)).out == "2 events, 2 outcomes, 1 waiting\n"
    assert cli("ledger", "ingest", str(tmp_path), "--json").json["repeated"] == 2
    assert cli("ledger", "ingest", "-", "--json", stdin=lines(EVENT)).json["repeated"] == 1


def test_a_line_that_cannot_be_used_is_named_with_its_file_and_the_fix(cli: Cli, tmp_path: Path) -> None:
    """S1"""
    file = tmp_path / "events.jsonl"
    file.write_text("nonsense\n" + lines(EVENT))
    said = cli("ledger", "ingest", str(file))
    assert (said.code, said.out) == (0, "2 events, 1 outcome, 1 rejected\n")
    assert f"{file}:1: line: is not JSON; write one JSON object per line" in said.err
    assert cli("ledger", "ingest", str(tmp_path / "missing")).code == 2
    assert cli("ledger", "ingest", "-", "--follow").error == "follow: is only for files"


def test_many_lines_that_cannot_be_used_are_counted_beyond_the_first_hundred(cli: Cli, tmp_path: Path) -> None:
    """S1"""
    file = tmp_path / "events.jsonl"
    file.write_text("nonsense\n" * 130)
    said = cli("ledger", "ingest", str(file), "--json")
    assert (said.json["rejected"], len(said.json["problems"])) == (130, 100)
    assert said.json["problems"][99] | {"source": ""} == {
        "source": "", "line": 100, "field": "line", "message": "line: is not JSON",
        "hint": "write one JSON object per line",
    }  # fmt: skip
    assert "cortex: 30 more lines were rejected" in said.err


def test_a_file_is_followed_until_it_is_interrupted(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S1"""
    file, steps = tmp_path / "events.jsonl", iter([lines(EVENT), lines(ROW)[:20], lines(ROW)[20:]])
    file.write_text("")

    def sleep(_: float) -> None:
        added = next(steps, None)
        if added is None:
            raise KeyboardInterrupt
        with file.open("a") as open_file:
            open_file.write(added)

    monkeypatch.setattr(ledger_commands.time, "sleep", sleep)
    assert cli("ledger", "ingest", str(file), "--follow").out == "2 events, 2 outcomes\n"


def test_the_ledger_shows_who_did_what_and_why(cli: Cli) -> None:
    """S1"""
    cli("ledger", "ingest", "-", stdin=lines(EVENT))
    (event,) = cli("ledger", "show", "--lane", "outcomes", "--json").json["events"]
    assert (event["event"], event["actor"], event["trace"]["text"]) == ("observed", "cli", "3 tests failed")
    assert cli("admin", "receipts", event["cause"], "--json").json["op"] == "ingest_events"
    assert "observed" in cli("ledger", "show").out


@pytest.mark.parametrize(
    "given",
    [
        {"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Bash", "tool_use_id": "t1",
         "tool_input": {"command": "ls"}, "tool_response": {"error": "exit 1"}},
        {"toolName": "Bash", "sessionKey": "s", "params": {"command": "ls"}, "error": "exit 1", "durationMs": 12},
    ],
)  # fmt: skip
def test_a_hook_stores_what_a_tool_did(cli: Cli, given: dict[str, object]) -> None:
    """S1"""
    assert cli("hook", "tool", stdin=json.dumps(given)).code == 0
    (event,) = cli("ledger", "show", "--lane", "outcomes", "--json").json["events"]
    trace = event["trace"]
    assert (trace["tool"], trace["ok"], trace["error"], trace["session"]) == ("Bash", False, "exit 1", "s")
    assert '"command": "ls"' in trace["payload"]


def test_a_hook_that_gets_nonsense_says_so_and_lets_the_turn_go_on(cli: Cli) -> None:
    """S1"""
    said = cli("hook", "tool", stdin="nonsense")
    assert (said.code, said.out) == (0, "")
    assert "is not a JSON object" in said.err


def test_the_users_of_an_agent_are_listed(cli: Cli) -> None:
    """C7"""
    cli("remember", "The ferry leaves at nine")
    cli("--user", "anna", "remember", "I live in Bergen")
    found = cli("admin", "users", "--json").json["users"]
    assert [(each["user"], each["traces"]) for each in found] == [("anna", 1), ("default", 1)]
    assert "anna" in cli("admin", "users").out

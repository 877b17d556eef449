"""`cortex hook event`: the published JSON of each coding agent in, the answer it understands out (X2, C16, E5)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from terminal import Cli

from cortex.surfaces.cli import conversations
from cortex.surfaces.cli.host_events import STEPS, HostEvent, completed
from cortex.surfaces.project_scope import project_of
from cortex.workspace.transcript_rows import messages_of

TRAMS = "I prefer trams over buses"
QUESTION = "which trams should I take?"


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine is slow; nothing here measures time."""
    monkeypatch.setenv("CORTEX_HOOKS__DEADLINE_MS", "60000")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "src" / "atlas"
    (folder / ".git").mkdir(parents=True)
    return folder


def said(event: str, **fields: Any) -> str:
    """What Claude Code, Codex or Gemini CLI pass to a hook."""
    return json.dumps({"session_id": "abc", "hook_event_name": event, "permission_mode": "default", **fields})


def cursor(event: str, folder: Path, **fields: Any) -> str:
    base = {"conversation_id": "c1", "generation_id": "g1", "model": "m", "cursor_version": "3.20.17"}
    return json.dumps({**base, "hook_event_name": event, "workspace_roots": [str(folder)], **fields})


# --- answers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("event", ["UserPromptSubmit", "BeforeAgent"])
def test_what_is_recalled_is_given_as_additional_context(cli: Cli, project: Path, event: str) -> None:
    """X2"""
    cli.remembered(TRAMS)
    done = cli("hook", "event", stdin=said(event, cwd=str(project), prompt=QUESTION))
    assert (done.code, done.err) == (0, "")
    answer = json.loads(done.out)["hookSpecificOutput"]
    assert answer["hookEventName"] == event
    assert TRAMS in answer["additionalContext"]


def test_cursor_gets_its_own_form_and_the_prompt_is_stored(cli: Cli, project: Path) -> None:
    """X2, C1: Cursor hands over no transcript, but one message with each event"""
    cli.remembered(TRAMS)
    done = cli("hook", "event", stdin=cursor("beforeSubmitPrompt", project, prompt=QUESTION, attachments=[]))
    answer = json.loads(done.out)
    assert (answer["continue"], TRAMS in answer["additional_context"]) == (True, True)
    assert cli("hook", "event", stdin=cursor("afterAgentResponse", project, text="Line 9 is the fastest.")).out == ""
    assert cli("hook", "event", stdin=cursor("afterAgentResponse", project, text="Line 9 is the fastest.")).code == 0
    listed = cli("list", "--lane", "sessions", "--json").json["memories"]
    assert [memory["text"] for memory in listed] == [QUESTION, "Line 9 is the fastest."]


@pytest.mark.parametrize("event", ["SessionStart", "sessionStart"])
def test_a_session_starts_with_the_scope_of_its_project(cli: Cli, project: Path, event: str) -> None:
    given = cursor(event, project) if event[0] == "s" else said(event, cwd=str(project), source="startup")
    done = cli("hook", "event", stdin=given)
    answer = json.loads(done.out)
    text = answer["additional_context"] if event[0] == "s" else answer["hookSpecificOutput"]["additionalContext"]
    assert project_of(str(project)) in text


@pytest.mark.parametrize("event", ["PreToolUse", "SubagentStop", "Notification", "stop", "NotYetInvented"])
def test_events_that_are_not_for_us_do_nothing(cli: Cli, event: str) -> None:
    done = cli("hook", "event", stdin=said(event, prompt=QUESTION))
    assert (done.code, done.out, done.err) == (0, "", "")
    assert not cli.home.exists()


@pytest.mark.parametrize(
    "given",
    [
        "",
        "{",
        "null",
        "[]",
        '{"prompt": "secret words"}',
        '{"hook_event_name": "UserPromptSubmit", "prompt": "secret words"}',
        '{"session_id": "s", "hook_event_name": "UserPromptSubmit"}',
        '{"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": {"secret": "words"}}',
        '{"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "secret wor',
        '{"session_id": ["secret"], "hook_event_name": "Stop"}',
        '{"session_id": "s", "hook_event_name": "Stop", "transcript_path": "/gone/secret.jsonl"}',
        b"\xff\xfe",
        "[" * 100_000,
    ],
)
def test_broken_half_or_missing_json_lets_the_prompt_go_on(cli: Cli, given: str | bytes) -> None:
    """C16: nothing on stdout, no exit code that vetoes, one line without what was said"""
    done = cli("hook", "event", stdin=given)
    assert (done.code, done.out) == (0, "")
    assert len(done.err.splitlines()) == 1
    assert "secret wor" not in done.err


def test_a_home_that_cannot_be_used_lets_the_prompt_go_on(cli: Cli, tmp_path: Path, project: Path) -> None:
    """C16"""
    (tmp_path / "file").write_text("not a folder")
    done = cli("hook", "event", stdin=said("BeforeAgent", cwd=str(project), prompt=QUESTION), home=tmp_path / "file")
    assert (done.code, done.out, len(done.err.splitlines())) == (0, "", 1)


def test_inside_an_agent_that_cortex_started_nothing_happens(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORTEX_INSIDE", "1")
    done = cli("hook", "event", stdin=said("UserPromptSubmit", prompt=QUESTION))
    assert (done.code, done.out, cli.home.exists()) == (0, "", False)


def test_a_folder_that_is_gone_or_not_a_path_is_no_reason_to_fail(cli: Cli) -> None:
    cli.remembered(TRAMS)
    for cwd in ("/gone/for/good", "relative", "", 7, "/a\0b", None):
        done = cli("hook", "event", stdin=said("UserPromptSubmit", cwd=cwd, prompt=QUESTION))
        assert (done.code, done.err) == (0, ""), cwd
        assert TRAMS in done.out


# --- what is stored ---------------------------------------------------------------------------------------------------


def claude_code(*rows: tuple[str, str]) -> str:
    told = [{"type": role, "message": {"role": role, "content": text}, "uuid": str(at), "sessionId": "abc"}
            for at, (role, text) in enumerate(rows)]  # fmt: skip
    return "".join(json.dumps(row) + "\n" for row in told)


def stored(cli: Cli) -> list[tuple[str, str]]:
    listed = cli("list", "--lane", "sessions", "--json").json["memories"]
    return [(memory["text"], memory["scope"]) for memory in listed]


def test_the_last_reply_is_stored_though_the_transcript_lags_and_only_once(
    cli: Cli, tmp_path: Path, project: Path
) -> None:
    """C1, C8"""
    transcript = tmp_path / "t.jsonl"
    scope = project_of(str(project))
    event = said("Stop", cwd=str(project), transcript_path=str(transcript), last_assistant_message="Noted.",
                 stop_hook_active=False)  # fmt: skip
    transcript.write_text(claude_code(("user", "The gateway uses port 8300")) + '{"type": "assistant", "mess')
    assert cli("hook", "event", stdin=event).code == 0
    assert stored(cli) == [("The gateway uses port 8300", scope), ("Noted.", scope)]
    transcript.write_text(claude_code(("user", "The gateway uses port 8300"), ("assistant", "Noted.")))
    assert cli("hook", "event", stdin=event).code == 0
    assert cli("hook", "event", stdin=said("SessionEnd", cwd=str(project), transcript_path=str(transcript))).code == 0
    assert stored(cli) == [("The gateway uses port 8300", scope), ("Noted.", scope)]


def test_a_plugin_may_hand_over_the_history_itself(cli: Cli, project: Path) -> None:
    """X2: OpenCode keeps its sessions in a database"""
    history = [{"role": "user", "content": "The gateway uses port 8300"}, {"role": "assistant", "content": "Noted."}]
    assert cli("hook", "event", stdin=said("Stop", cwd=str(project), messages=history)).code == 0
    assert [text for text, _ in stored(cli)] == ["The gateway uses port 8300", "Noted."]


def test_what_is_said_of_a_project_is_not_recalled_in_another_and_what_is_of_the_person_is(
    cli: Cli, tmp_path: Path, project: Path
) -> None:
    """E5"""
    other = tmp_path / "bluefin"
    other.mkdir()
    history = [
        {"role": "user", "content": "The staging server runs on port 8443. My favorite editor is Helix."},
        {"role": "assistant", "content": "Noted."},
    ]
    cli("hook", "event", stdin=said("SessionEnd", cwd=str(project), messages=history))
    cli("admin", "jobs", "run")
    for folder, shown in ((project, True), (other, False)):
        asked = said("UserPromptSubmit", cwd=str(folder), prompt="which port does the staging server run on?")
        assert ("8443" in cli("hook", "event", stdin=asked).out) is shown
        asked = said("UserPromptSubmit", cwd=str(folder), prompt="what is my favorite editor?")
        assert "Helix" in cli("hook", "event", stdin=asked).out


def test_of_a_very_long_transcript_the_end_is_read(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversations, "MOST_BYTES", 2_000)
    transcript = tmp_path / "long.jsonl"
    transcript.write_text(claude_code(*(("user", f"message {number}") for number in range(1_000))))
    event = HostEvent.of(said("Stop", transcript_path=str(transcript), last_assistant_message="Done."))
    assert event is not None
    messages: Any = conversations.said_in(event).messages
    assert messages[-1] == {"role": "assistant", "content": "Done."}
    assert messages[-2]["content"] == "message 999"
    assert len(messages) < 50


def test_a_reply_that_the_transcript_ends_with_is_not_added_again() -> None:
    event = HostEvent.of(said("Stop", last_assistant_message="All  done."))
    assert event is not None
    texts = [{"type": "text", "text": text} for text in ("First.", "All done.")]
    parts = [{"role": "assistant", "content": texts}]
    assert completed(parts, event) == parts
    assert len(completed([{"role": "user", "content": "All done."}], event)) == 2


# --- transcripts ------------------------------------------------------------------------------------------------------


def test_the_rows_of_codex_are_messages_of_the_user_and_the_model() -> None:
    """B12: what Codex writes to its own model under the user's name is not said by anybody"""

    def item(role: str, text: str) -> dict[str, Any]:
        sort = "output_text" if role == "assistant" else "input_text"
        content = [{"type": sort, "text": text}]
        return {"timestamp": "2026-11-18T05:02:05Z", "type": "response_item",
                "payload": {"type": "message", "role": role, "content": content}}  # fmt: skip

    rows = [
        {"type": "session_meta", "payload": {"id": "s", "cwd": "/w"}},
        item("developer", "INJECTED"),
        item("user", "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>"),
        item("user", "# AGENTS.md instructions for /w\n\nBe brief."),
        item("user", "The gateway uses port 8300"),
        {"type": "event_msg", "payload": {"type": "user_message", "message": "The gateway uses port 8300"}},
        {"type": "response_item", "payload": {"type": "function_call", "name": "shell", "arguments": "{}"}},
        item("assistant", "Noted."),
    ]
    told = [(message["role"], message["content"]) for message in messages_of(rows)]  # type: ignore[index]
    assert told == [("user", "The gateway uses port 8300"), ("assistant", "Noted.")]


def test_the_rows_of_gemini_are_read_without_what_hooks_added() -> None:
    """B12, C11"""
    rows = [
        {"sessionId": "s", "projectHash": "h", "startTime": "2026-11-18T05:01:59Z", "kind": "main"},
        {"$set": {"messages": [{"type": "user", "content": [{"text": "<session_context>x</session_context>"}]}]}},
        {"id": "1", "timestamp": "2026-11-18T05:02:00Z", "type": "user",
         "content": [{"text": "<hook_context>memory</hook_context>\n\nThe gateway uses port 8300"},
                     {"text": "<hook_context>more</hook_context>"}]},
        {"id": "2", "timestamp": "2026-11-18T05:02:01Z", "type": "gemini", "content": "Noted.", "tokens": {}},
        {"$set": {"lastUpdated": "2026-11-18T05:02:01Z"}},
    ]  # fmt: skip
    told = [(message["role"], message["content"]) for message in messages_of(rows)]  # type: ignore[index]
    assert told == [("user", "The gateway uses port 8300"), ("assistant", "Noted.")]


def test_copies_of_requests_in_the_transcript_of_claude_code_are_no_messages() -> None:
    rows = [
        {"type": "user", "message": {"role": "user", "content": "hello"}, "uuid": "1", "sessionId": "s"},
        {"type": "api-request-blob", "sessionId": "s", "message": {"role": "user", "content": "hello"}},
    ]
    assert len(messages_of(rows)) == 1


def test_the_prompt_of_gemini_is_read_without_the_context_before_it() -> None:
    added = "<hook_context>a</hook_context>\n\n<hook_context>b</hook_context>"
    event = HostEvent.of(said("BeforeAgent", prompt=f"{added}hi"))
    assert event is not None
    assert event.prompt == "hi"


# --- the project of a folder ------------------------------------------------------------------------------------------


def test_a_folder_of_a_repository_belongs_to_its_root_and_any_other_to_itself(tmp_path: Path, project: Path) -> None:
    """E5"""
    (project / "deep" / "down").mkdir(parents=True)
    here = project_of(str(project))
    assert here is not None
    assert here.endswith("/src/atlas")
    assert project_of(str(project / "deep" / "down")) == project_of(str(project / "gone" / "for good")) == here
    assert project_of(str(tmp_path / "alone")) not in (None, here)


def test_a_link_and_a_worktree_belong_to_the_same_project(tmp_path: Path, project: Path) -> None:
    link, worktree = tmp_path / "link", tmp_path / "worktree"
    link.symlink_to(project)
    worktree.mkdir()
    (worktree / ".git").write_text(f"gitdir: {project}/.git/worktrees/feature\n")
    assert project_of(str(link)) == project_of(str(worktree)) == project_of(str(project))
    (worktree / ".git").write_text("gitdir: /gone/.git/worktrees/feature\n")
    assert project_of(str(worktree)) == project_of(str(worktree / "sub")) != project_of(str(project))


def test_a_submodule_is_a_project_of_its_own(project: Path) -> None:
    module = project / "vendor" / "lib"
    module.mkdir(parents=True)
    (module / ".git").write_text(f"gitdir: {project}/.git/modules/lib\n")
    assert str(project_of(str(module))).endswith("/src/atlas/vendor/lib")


def test_a_circle_of_links_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert project_of(str(tmp_path / "a" / "x")) is not None


def test_the_home_of_the_user_is_no_project_and_paths_below_it_are_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert project_of(str(tmp_path)) is None
    assert project_of(os.sep) is None
    assert project_of(str(tmp_path / "src" / "atlas")) == "~/src/atlas"


def test_a_path_that_is_no_name_gets_a_readable_and_stable_one() -> None:
    long, odd = f"/{'x' * 300}/atlas", "/srv/at\nlas"
    assert str(project_of(long)).startswith("atlas-")
    assert str(project_of(odd)).startswith("at?las-")
    assert project_of(long) == project_of(long) != project_of(long + "2")


def test_every_event_that_is_installed_is_known() -> None:
    folder = Path(__file__).parents[2] / "plugins" / "coding-agents"
    for file in ("hooks/hooks.json", "cursor/hooks.json"):
        assert set(json.loads((folder / file).read_text())["hooks"]) <= set(STEPS)

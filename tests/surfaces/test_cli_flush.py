"""`cortex hook flush-plan`: any loop can ask whether its agent should write down what a compaction would lose (B20)."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from terminal import Cli, Said

FULL = ["--window", "200000", "--tokens", "180000"]
NOON = ["--at", "2026-02-03T12:00Z", "--timezone", "UTC"]

Asking = Callable[..., Said]


@pytest.fixture
def ask(cli: Cli) -> Asking:
    def flush_plan(*arguments: str, stdin: str | bytes = b"") -> Said:
        return cli("hook", "flush-plan", *arguments, stdin=stdin)

    return flush_plan


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text} | more


def test_a_due_flush_is_told_with_all_that_its_turn_needs(ask: Asking) -> None:
    found = ask(*FULL, *NOON)
    assert (found.code, found.err) == (0, "")
    first = found.out.splitlines()[0]
    assert first == (
        "A flush is due: 180,000 tokens in context; the threshold is 176,000 (200,000 − 20,000 reserved − 4,000 ahead)."
    )
    for told in ("memory/2026-02-03.md", "--flushed-at 0", "NO_REPLY", "System prompt:", "\nPrompt:", "No secrets"):
        assert told in found.out


def test_json_has_the_whole_plan(ask: Asking) -> None:
    found = ask(*FULL, *NOON, "--compactions", "2", "--json")
    assert found.code == 0
    assert list(found.json) == [
        "due", "reason", "threshold", "tokens_used", "estimated", "remaining", "transcript_bytes",
        "soft_threshold_tokens", "reserve_tokens", "force_transcript_bytes", "cycle", "target", "model",
        "silent_token", "system_prompt", "prompt",
    ]  # fmt: skip
    assert (found.json["due"], found.json["reason"], found.json["cycle"]) == (True, "due_tokens", 2)
    assert found.json["target"] in found.json["prompt"]


@pytest.mark.parametrize(
    ("arguments", "reason", "text"),
    [
        (["--tokens", "1000"], "below_threshold", "1,000 tokens in context; the threshold is 176,000"),
        (["--tokens", "170000", "--incoming", "6000"], "due_tokens", "176,000 tokens in context"),
        (["--tokens", "180000", "--flushed-at", "0"], "already_flushed", "cycle 0 was flushed already"),
        (["--tokens", "180000", "--compactions", "1", "--flushed-at", "0"], "due_tokens", "--flushed-at 1"),
        (["--tokens", "180000", "--read-only"], "read_only", "cannot write"),
        (["--tokens", "180000", "--reserve", "190000", "--soft", "10000"], "window_too_small", "--reserve"),
        (["--tokens", "140000", "--reserve", "50000", "--soft", "10000"], "due_tokens", "the threshold is 140,000"),
        (["--tokens", "1", "--bytes", "2097152"], "due_bytes", "2,097,152 bytes; the threshold is 2,097,152"),
        (["--bytes", "2097151"], "below_threshold", "2,097,151 bytes"),
    ],
)
def test_whatever_can_be_decided_ends_well_and_says_why(
    ask: Asking, arguments: list[str], reason: str, text: str
) -> None:
    people, program = ask("--window", "200000", *arguments, *NOON), ask("--window", "200000", *arguments, "--json")
    assert (people.code, program.code) == (0, 0)
    assert program.json["reason"] == reason
    assert people.out.startswith("A flush is due: " if program.json["due"] else "No flush is due: ")
    assert text in people.out


def test_a_prompt_is_shown_only_where_there_is_a_turn_to_use_it_in(ask: Asking) -> None:
    assert len(ask("--window", "200000", "--tokens", "1").out.splitlines()) == 1


# --- the transcript ---------------------------------------------------------------------------------------------------


def test_without_a_count_the_tokens_of_the_transcript_are_estimated(ask: Asking, lines: Callable[..., str]) -> None:
    path = lines(said("word " * 800), said("答" * 1000, role="assistant"))
    found = ask("--window", "200000", "--transcript", path, "--json")
    assert (found.json["tokens_used"], found.json["estimated"]) == (2_000, True)
    assert found.json["transcript_bytes"] == Path(path).stat().st_size
    assert "about 2,000 tokens" in ask("--window", "200000", "--transcript", path).out
    assert ask("--window", "26000", "--transcript", path, "--json").json["due"] is True
    assert ask("--window", "26001", "--transcript", path, "--json").json["due"] is False


def test_what_is_given_goes_before_what_the_transcript_says(ask: Asking, lines: Callable[..., str]) -> None:
    path = lines(said("word"), {"type": "compaction", "summary": "s"})
    given = ["--tokens", "5", "--bytes", "7", "--compactions", "9"]
    found = ask("--window", "200000", "--transcript", path, *given, "--json").json
    assert (found["tokens_used"], found["transcript_bytes"], found["cycle"]) == (5, 7, 9)
    assert found["estimated"] is False


@pytest.mark.parametrize(
    "mark",
    [
        {"type": "compaction", "summary": "what was said before, in short"},
        {"type": "user", "isCompactSummary": True, "message": said("what was said before, in short")},
    ],
    ids=["type", "flag"],
)
def test_only_what_follows_the_last_compaction_counts(
    ask: Asking, lines: Callable[..., str], mark: dict[str, Any]
) -> None:
    """A transcript keeps what was cut from the context, so its whole length says nothing of that."""
    old, new = said("word " * 100_000), said("four")
    path = lines(old, mark, old, mark, new)
    found = ask("--window", "200000", "--transcript", path, "--json").json
    assert (found["cycle"], found["tokens_used"]) == (2, 9)
    assert found["transcript_bytes"] == len(json.dumps(mark)) + len(json.dumps(new)) + 2


def test_who_speaks_of_a_compaction_makes_none(ask: Asking, lines: Callable[..., str]) -> None:
    path = lines(said('{"type": "compaction"}'), 'the word "compaction" in a line that is no JSON', said("four"))
    assert ask("--window", "200000", "--transcript", path, "--json").json["cycle"] == 0


def test_the_talk_of_a_coding_agents_helpers_is_not_in_its_context(ask: Asking, lines: Callable[..., str]) -> None:
    path = lines(said("four"), {"isSidechain": True, "message": said("word " * 1_000)})
    assert ask("--window", "200000", "--transcript", path, "--json").json["tokens_used"] == 1


@pytest.mark.parametrize(
    ("stdin", "tokens"),
    [
        (json.dumps([said("four"), said("four")]), 2),
        (json.dumps({"messages": [said("four")]}, indent=2), 1),
        ("plain text", 3),
        ("", 0),
        ("\ufeff" + json.dumps(said("four")), 1),
        (b'{"role": "user", "content": "\xff\xfe\xfd\xfc"}\n', 1),
        (json.dumps(said("four")) + '\n{"role": "user", "cont', 1 + 6),
    ],
)
def test_a_transcript_may_come_over_a_pipe_in_any_form(ask: Asking, stdin: str | bytes, tokens: int) -> None:
    found = ask("--window", "200000", "--transcript", "-", "--json", stdin=stdin)
    assert (found.code, found.json["tokens_used"]) == (0, tokens)


# --- the day ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("timezone", "day"),
    [("UTC", "2026-02-03"), ("Europe/Berlin", "2026-02-04"), ("America/New_York", "2026-02-03")],
)
def test_the_target_is_that_of_the_users_day(ask: Asking, timezone: str, day: str) -> None:
    found = ask(*FULL, "--at", "2026-02-03T23:30Z", "--timezone", timezone, "--json")
    assert found.json["target"] == f"memory/{day}.md"


def test_without_a_time_it_is_today(ask: Asking) -> None:
    assert re.fullmatch(r"memory/20\d\d-\d\d-\d\d\.md", ask(*FULL, "--json").json["target"])


# --- OpenClaw ---------------------------------------------------------------------------------------------------------


def test_openclaw_is_given_its_own_plan_without_a_session(ask: Asking) -> None:
    found = ask("--openclaw", "--reserve", "30000", *NOON)
    assert found.code == 0
    assert list(found.json) == [
        "softThresholdTokens", "forceFlushTranscriptBytes", "reserveTokensFloor", "prompt", "systemPrompt",
        "relativePath",
    ]  # fmt: skip
    assert (found.json["reserveTokensFloor"], found.json["relativePath"]) == (30_000, "memory/2026-02-03.md")


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "hint"),
    [
        ([], "window: is missing", "--window 200000"),
        (["--window", "200000"], "tokens_used: is not given", "the provider's count"),
        (["--window", "0", "--tokens", "1"], "context_window: is outside 1 to 1,000,000,000", "within"),
        (["--window", "-5", "--tokens", "1"], "context_window: is outside", "within"),
        (["--window", "200000", "--tokens", "-1"], "tokens_used: is outside 0 to 1,000,000,000", "within"),
        (["--window", "200000", "--tokens", "9" * 40], "tokens_used: is outside", "within"),
        (["--window", "200000", "--tokens", "1", "--incoming", "-1"], "incoming_tokens: is outside", "within"),
        (["--window", "200000", "--bytes", "-1"], "transcript_bytes: is outside", "within"),
        ([*FULL, "--compactions", "-1"], "compactions: is outside 0 to 1,000,000", "within"),
        ([*FULL, "--flushed-at", "-1"], "flushed_at_compaction: is outside", "within"),
        ([*FULL, "--reserve", "-1"], "reserve_tokens: is outside", "within"),
        ([*FULL, "--soft", "-1"], "soft_threshold_tokens: is outside", "within"),
        ([*FULL, "--timezone", "Berlin"], "timezone: 'Berlin' is not a time zone", "Europe/Berlin"),
        ([*FULL, "--at", "noon"], "at: is not an ISO 8601 time", "2026-01-31"),
        (["--window", "many"], "Invalid value for '--window'", "--help"),
    ],
)
def test_what_cannot_be_decided_names_the_field_and_the_fix(
    ask: Asking, arguments: list[str], error: str, hint: str
) -> None:
    found = ask(*arguments)
    assert (found.code, found.out) == (2, "")
    assert found.error.startswith(error)
    assert hint in found.hint


def test_a_transcript_that_cannot_be_read_is_named(ask: Asking, tmp_path: Path) -> None:
    missing = str(tmp_path / "none.jsonl")
    found = ask("--window", "200000", "--transcript", missing)
    assert (found.code, found.error) == (2, f"{missing}: cannot be read: No such file or directory")


# --- what it does without ---------------------------------------------------------------------------------------------


def _process(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "cortex", "hook", "flush-plan", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | variables,
    )


def test_a_process_plans_without_a_store_and_without_importing_anything_heavy(tmp_path: Path) -> None:
    home = tmp_path / "home"
    ran = _process(*FULL, "--home", str(home))
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in ran.stderr.splitlines()}
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("A flush is due")
    assert "typer" in imported
    assert imported & {"numpy", "sqlite3", "pydantic", "onnxruntime", "Stemmer", "asyncio"} == set()
    assert not home.exists()


def test_where_no_time_zone_is_named_it_is_the_machines_own() -> None:
    ran = _process(*FULL, "--at", "2026-02-03T12:00Z", "--json", TZ="EAST-14")
    assert json.loads(ran.stdout)["target"] == "memory/2026-02-04.md"

"""The flush turn as it is set: `engine.flush_plan` and `cortex hook flush-plan` read the same settings (B20, B22)."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from laboratory import opened

from cortex.errors import InvalidRequest
from cortex.surfaces.cli.app import run
from cortex.testing import FakeClock
from cortex.workspace.flush import FlushPlan, FlushReason, FlushSession, after

FULL = FlushSession(context_window=200_000, tokens_used=176_000)
EVENING = datetime(2026, 2, 3, 20, 30, tzinfo=UTC)
"""The next day already in Tokyo."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def configured(home: Path) -> Callable[[str], None]:
    def write(toml: str) -> None:
        home.mkdir(exist_ok=True)
        (home / "cortex.toml").write_text(toml, encoding="utf-8")

    return write


@pytest.fixture
def planned(home: Path) -> Callable[..., FlushPlan]:
    """The plan of an engine that is opened on what is set now."""

    def plan(state: FlushSession = FULL, **options: Any) -> FlushPlan:
        with opened(home, clock=FakeClock(EVENING)) as engine:
            return engine.flush_plan(state, **options)

    return plan


@pytest.fixture
def told(home: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """What the command says, as JSON."""

    def flush_plan(*arguments: str) -> Any:
        capsys.readouterr()
        code = run(["--home", str(home), "--json", "hook", "flush-plan", "--at", EVENING.isoformat(), *arguments])
        assert code == 0
        return json.loads(capsys.readouterr().out)

    return flush_plan


ASKED = ("--window", "200000", "--tokens", "176000")


def test_by_default_it_is_due_four_thousand_tokens_ahead_of_the_reserve(planned):
    """B20: window − reserve − soft threshold"""
    plan = planned(timezone="UTC")
    assert (plan.due, plan.reason, plan.threshold) == (True, FlushReason.DUE_TOKENS, 176_000)
    assert (plan.target, plan.silent_token, plan.cycle) == ("memory/2026-02-03.md", "NO_REPLY", 0)
    assert plan.target in plan.prompt
    assert "MEMORY.md" in plan.prompt
    assert not planned(FlushSession(context_window=200_000, tokens_used=175_999)).due


def test_it_is_planned_once_for_each_compaction(planned):
    """B20"""
    assert planned(after(FULL)).reason is FlushReason.ALREADY_FLUSHED
    compacted = FlushSession(context_window=200_000, tokens_used=176_000, compactions=1, flushed_at_compaction=0)
    assert planned(compacted).due


SETTINGS = """
[flush]
soft_threshold_tokens = 1_000
reserve_tokens = 9_000
force_transcript_bytes = 5_000
silent_token = "SILENCE"
prompt = "Write it down, today is YYYY-MM-DD."
system_prompt = "You keep the log of YYYY-MM-DD."
model = "small"
timezone = "Asia/Tokyo"
"""


def test_every_setting_of_the_section_is_followed(configured, planned):
    """B20, B22"""
    configured(SETTINGS)
    plan = planned(FlushSession(context_window=20_000, tokens_used=10_000))
    assert (plan.due, plan.threshold) == (True, 10_000)
    assert (plan.target, plan.silent_token, plan.to_json()["model"]) == ("memory/2026-02-04.md", "SILENCE", "small")
    assert plan.prompt.startswith("Write it down, today is 2026-02-04.")
    assert plan.system_prompt.startswith("You keep the log of 2026-02-04.")
    assert "SILENCE" in plan.prompt
    large = FlushSession(context_window=20_000, tokens_used=1, transcript_bytes=5_000)
    assert planned(large).reason is FlushReason.DUE_BYTES


def test_the_command_plans_by_the_same_settings(configured, planned, told):
    """B20"""
    for toml in ("", SETTINGS, '[flush]\nenabled = false\ntimezone = "UTC"\n'):
        configured(toml)
        assert told(*ASKED) == planned().to_json()


def test_turned_off_it_is_never_due(configured, planned, told):
    """B20"""
    configured("[flush]\nenabled = false\n")
    assert planned().reason is FlushReason.DISABLED
    assert told("--openclaw") is None


def test_what_the_call_says_goes_before_what_is_set(configured, planned, told):
    """B20"""
    configured(SETTINGS)
    assert planned(timezone="UTC").target == "memory/2026-02-03.md"
    assert told(*ASKED, "--timezone", "UTC")["target"] == "memory/2026-02-03.md"
    assert told(*ASKED, "--reserve", "50000", "--soft", "0")["threshold"] == 150_000


def test_a_variable_of_the_environment_goes_before_the_file(configured, planned, told, monkeypatch):
    """B22"""
    configured(SETTINGS)
    monkeypatch.setenv("CORTEX_FLUSH__TIMEZONE", "UTC")
    monkeypatch.setenv("CORTEX_FLUSH__RESERVE_TOKENS", "0")
    assert (planned().target, planned().threshold) == ("memory/2026-02-03.md", 199_000)
    assert (told(*ASKED)["target"], told(*ASKED)["threshold"]) == ("memory/2026-02-03.md", 199_000)


def test_the_hosts_own_plan_has_the_settings_too(configured, planned, told):
    """B20: OpenClaw counts for itself"""
    configured(SETTINGS)
    hosts = told("--openclaw")
    assert hosts == planned().for_openclaw()
    assert (hosts["softThresholdTokens"], hosts["reserveTokensFloor"]) == (1_000, 9_000)
    assert (hosts["forceFlushTranscriptBytes"], hosts["relativePath"]) == (5_000, "memory/2026-02-04.md")


def test_what_the_workspace_has_decides_how_the_file_is_spoken_of(planned):
    """B20: a file that is there is added to, not begun"""
    there = planned(timezone="UTC", workspace_has=["memory/2026-02-03.md"])
    absent = planned(timezone="UTC", workspace_has=[])
    assert (there.target_exists, absent.target_exists, planned().target_exists) == (True, False, None)
    assert there.prompt != absent.prompt


@pytest.mark.parametrize(
    ("toml", "field"),
    [
        ('[flush]\ntimezone = "Mars/Olympus"\n', "timezone"),
        ('[flush]\nsilent_token = "two words"\n', "silent_token"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_by_name(configured, planned, home, capsys, toml, field):
    """B20"""
    configured(toml)
    with pytest.raises(InvalidRequest) as caught:
        planned()
    assert caught.value.field == field
    assert caught.value.hint
    assert run(["--home", str(home), "hook", "flush-plan", *ASKED]) == 2
    assert capsys.readouterr().err.startswith(f"error: {field}: ")


@pytest.mark.parametrize("toml", ["[flush]\nreserve_tokens = -1\n", '[flush]\nenabled = "perhaps"\n'])
def test_a_section_that_cannot_be_read_is_refused_before_anything_is_opened(configured, home, toml):
    """B22"""
    configured(toml)
    with pytest.raises(InvalidRequest, match=r"flush\."):
        opened(home)


def test_asking_changes_nothing(home):
    """B20: no receipt, no event, no file"""
    with opened(home, clock=FakeClock(EVENING)) as engine:
        engine.flush_plan(FULL)
        assert (list(engine.receipts()), list(engine.events())) == ([], [])

"""A language model that is dead or misbehaves shows in `status` and `doctor`, whoever asks it (C16)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from laboratory import user

from cortex import health
from cortex.engine import Engine
from cortex.errors import LlmUnavailable
from cortex.testing import FakeClock, FakeLLM

SAID = "Oh and mind you the greenhouse door sticks in winter, same as ever"
Open = Callable[..., Engine]


def listened(engine: Engine, clock: FakeClock, session: str = "s") -> None:
    """What a worker does: nobody but the background asks the model."""
    engine.ingest([user(SAID)], session=session)
    clock.advance(600)
    engine.work()


def troubles(engine: Engine) -> list[dict[str, str]]:
    return [each for each in engine.status()["degraded"] if each["what"] == "llm"]


def checked(engine: Engine) -> Any:
    (check,) = [each for each in health.checks(engine._parts, engine.tenant, dict, offline=True) if each.name == "llm"]
    return check


def down(_: str) -> str:
    raise LlmUnavailable("the server cannot be reached", hint="start the server", reason="unreachable")


def test_a_model_that_only_the_worker_asks_shows_where_it_is_down(open_engine: Open, clock: FakeClock) -> None:
    """C16: its name, since when, why, and what to do, in a process that never asked it"""
    listened(open_engine(model=FakeLLM(down)), clock)
    other = open_engine(model=FakeLLM(down))
    (trouble,) = troubles(other)
    assert "fake/script failed once since 2026-01-05 09:10 UTC (unreachable)" in trouble["why"]
    assert "the server cannot be reached" in trouble["why"]
    assert trouble["fix"] == "start the server"
    assert (checked(other).ok, checked(other).detail, checked(other).fix) == (False, trouble["why"], trouble["fix"])


def test_it_is_well_again_after_an_answer(open_engine: Open, clock: FakeClock) -> None:
    listened(open_engine(model=FakeLLM(down)), clock)
    engine = open_engine(model=FakeLLM(lambda _: '{"memories": []}'))
    listened(engine, clock, "other")
    assert troubles(engine) == []
    assert checked(engine).ok


def test_a_model_whose_answers_cannot_be_used_shows(open_engine: Open, clock: FakeClock) -> None:
    engine = open_engine(model=FakeLLM(lambda _: "I would rather not answer in JSON."))
    for number in range(3):
        assert troubles(engine) == []
        listened(engine, clock, f"s{number}")
    (trouble,) = troubles(open_engine(model=FakeLLM(down)))
    assert "3 answers of fake/script in a row could not be used, since 2026-01-05" in trouble["why"]
    assert trouble["fix"]
    assert not checked(engine).ok


def test_nothing_is_wrong_with_a_model_that_nobody_asked(open_engine: Open) -> None:
    engine = open_engine(model=FakeLLM(down))
    assert troubles(engine) == []
    assert checked(engine).ok


@pytest.mark.parametrize("verb", ["status", "doctor"])
def test_commands_that_end_at_once_know_what_the_others_met(tmp_path: Path, verb: str) -> None:
    """C16: three commands, each a process of its own"""
    program = tmp_path / "program.py"
    program.write_text("import sys; sys.exit(3)", encoding="utf-8")
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    command = json.dumps([sys.executable, str(program)])
    (home / "cortex.toml").write_text(
        f'[embedding]\nprovider = "none"\n[capture]\ndebounce_seconds = 0\n'
        f'[llm]\nprovider = "command"\noptions = {{ command = {command} }}\n',
        encoding="utf-8",
    )

    def cortex(*arguments: str, text: str = "") -> str:
        run = [sys.executable, "-m", "cortex", "--home", str(home), *arguments]
        return subprocess.run(run, input=text, text=True, capture_output=True, timeout=120).stdout

    cortex("hook", "after", "--session", "s", "--work", text=json.dumps([{"role": "user", "content": SAID}]))
    told = cortex(verb, "--json", *(["--offline"] if verb == "doctor" else []))
    assert "failed once since" in told
    assert "ended with exit code 3" in told
    assert "once by hand" in told

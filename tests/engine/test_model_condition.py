"""A language model that is dead or misbehaves shows in `status` and `doctor`, whoever asks it (C16)."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from laboratory import user

import forking
from cortex.errors import LlmUnavailable
from cortex.memory import Cortex
from cortex.services.health import report as health
from cortex.testing import FakeClock, FakeLLM
from sweeps import sweep

SAID = "Oh and mind you the greenhouse door sticks in winter, same as ever"
Open = Callable[..., Cortex]


def listened(engine: Cortex, clock: FakeClock, session: str = "s") -> None:
    """What a worker does: nobody but the background asks the model."""
    engine.ingest([user(SAID)], session=session)
    clock.advance(600)
    engine.run_jobs()


def troubles(engine: Cortex) -> list[dict[str, str]]:
    return [each for each in engine.status()["degraded"] if each["what"] == "llm"]


def checked(engine: Cortex) -> Any:
    checks = health.checks(engine.context, dict, offline=True)
    (check,) = [each for each in checks if each.name == "llm"]
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
    """C16: after the first session of which nothing could be read"""
    engine = open_engine(model=FakeLLM(lambda _: "I would rather not answer in JSON."))
    assert troubles(engine) == []
    listened(engine, clock)
    (trouble,) = troubles(open_engine(model=FakeLLM(down)))
    assert trouble["why"] == (
        "fake/script gave no usable answer since 2026-01-05 09:10 UTC (1 in a row): "
        "memories are extracted by rules only"
    )
    assert trouble["fix"] == "use a model that answers in JSON"
    assert not checked(engine).ok


def test_what_a_model_did_not_read_is_not_counted_as_done_and_read_again(open_engine: Open, clock: FakeClock) -> None:
    """C16"""
    answers = ["no", "no", '{"memories": []}']
    engine = open_engine(model=FakeLLM(answers))
    listened(engine, clock)
    (receipt,) = engine.receipts(op="run_jobs")
    assert (receipt.facts["done"].get("enrich"), receipt.facts["failed"]) == (None, {"enrich": 1})
    clock.advance(300)
    again = engine.run_jobs()
    assert again.facts["done"] == {"enrich": 1}
    assert troubles(engine) == []


def test_a_session_is_read_three_times_at_most(open_engine: Open, clock: FakeClock) -> None:
    """C16: each time costs as much as the first"""
    model = FakeLLM(lambda _: "no")
    engine = open_engine(model=model)
    listened(engine, clock)
    for _ in range(6):
        clock.advance(3_600)
        engine.run_jobs()
    assert len(model.prompts) == 6  # each asked for once more
    assert engine.status()["jobs"]["failed"] == 1


def test_narratives_that_say_too_much_are_not_told_of_as_bad_json(open_engine: Open) -> None:
    engine = open_engine(model=FakeLLM(lambda _: "Larkspur spent its budget [1]."))
    engine.remember("Larkspur has a budget")
    for number in range(3):
        assert troubles(engine) == []
        engine.synthesize(f"What of the budget of Larkspur, number {number}?")
    (trouble,) = troubles(engine)
    assert "fake/script wrote 3 unsupported narratives in a row" in trouble["why"]
    assert "JSON" not in trouble["fix"]


def test_nothing_is_wrong_with_a_model_that_nobody_asked(open_engine: Open) -> None:
    engine = open_engine(model=FakeLLM(down))
    assert troubles(engine) == []
    assert checked(engine).ok


@pytest.mark.parametrize("verb", sweep(["status", "doctor"], ["status"]))
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
        return forking.run(["-m", "cortex", "--home", str(home), *arguments], input=text).stdout

    cortex("hook", "after", "--session", "s", "--run-jobs", text=json.dumps([{"role": "user", "content": SAID}]))
    told = cortex(verb, "--json", *(["--offline"] if verb == "doctor" else []))
    assert "failed once since" in told
    assert "ended with exit code 3" in told
    assert "once by hand" in told

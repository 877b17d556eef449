"""Updates and unanswerable questions in words of our own: what was fitted elsewhere must hold here (X14, E9)."""

from __future__ import annotations

import json
import os
import random
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from cortex.domain.identity import TraceId, format_uuid7
from cortex.domain.query import Query
from cortex.domain.turn import Role, Turn, TurnDraft
from cortex.memory import Cortex
from cortex.providers.models import EMBEDDER, ModelState, ModelStore
from cortex.recall.freshness import newest_first
from cortex.recall.plan import plan
from cortex.recall.ranking import Scored
from cortex.recall.recipes import DEFAULT, Freshness, named
from sweeps import for_each

START = datetime(2026, 3, 1, tzinfo=UTC)
DATA = Path(__file__).parent / "data"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


UPDATES, TALKS = rows("updates"), rows("unanswerable")
UPDATED = {row["newer"] for row in UPDATES if row["want"] == "newer"}
OF_THE_PAST = [row for row in UPDATES if row["want"] == "same" and row["newer"] in UPDATED]
"""The same statements, asked how it was before, or how it came about."""


def test_there_are_enough_of_each():
    assert sum(row["want"] == "newer" for row in UPDATES) >= 60
    assert sum(row["want"] == "same" for row in UPDATES) >= 25
    assert sum(len(talk["answerable"]) for talk in TALKS) >= 40
    assert sum(len(talk["unanswerable"]) for talk in TALKS) >= 40


def leads(row: dict[str, Any], score: float) -> bool:
    """Whether the newer statement stands first, though the older one matches better."""

    def said(number: int, text: str, score: float) -> Scored:
        turn = Turn(
            id=TraceId(format_uuid7(1, number)), text=text, session="s", seq=number,
            created_at=START + timedelta(days=number),
        )  # fmt: skip
        return Scored(turn, ("vector",), {"vector": score}, similarity=0.6 * score)

    ranked = [said(1, row["older"], 1.0), said(2, row["newer"], score)]
    return newest_first(ranked, plan(Query.of(row["ask"]), named(DEFAULT), START), Freshness())[0] is ranked[1]


def test_the_newer_value_leads():
    """X14: 60 of 64 when it was fitted, on other texts"""
    updates = [row for row in UPDATES if row["want"] == "newer"]
    assert sum(leads(row, 0.8) for row in updates) >= 0.9 * len(updates)


@for_each("row", OF_THE_PAST)
def test_a_question_about_the_past_keeps_its_order(row):
    assert not leads(row, 0.9)


def test_a_newer_value_of_something_else_stays_below():
    """It matches worse, as what is about something else does; alone with it, words decide."""
    others = [row for row in UPDATES if row["want"] == "same" and row not in OF_THE_PAST]
    assert sum(not leads(row, 0.6) for row in others) >= 0.6 * len(others)


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory):
    """Each conversation among turns of others, by the real model, where it is on this machine."""
    models = Path(os.environ["CORTEX_MODELS"])
    if EMBEDDER.name not in {each.model.name for each in ModelStore(models).status() if each.state is ModelState.READY}:
        pytest.skip("the local model is not here")
    with ExitStack() as stack:
        engine = stack.enter_context(Cortex(tmp_path_factory.mktemp("talks")))
        for number, talk in enumerate(TALKS):
            others = [text for each in TALKS if each is not talk for text in each["said"]]
            said = [*talk["said"], *random.Random(number).sample(others, 24)]
            engine.ingest(
                [TurnDraft(text=text, role=Role.USER, at=START + timedelta(days=day)) for day, text in enumerate(said)],
                session=talk["about"], scope=f"talk-{number}", debounce=False,
            )  # fmt: skip
        while sum(engine.run_jobs(limit=16).facts["done"].values()):
            pass
        yield engine


def silent(engine: Cortex, kind: str) -> float:
    questions = [(number, question) for number, talk in enumerate(TALKS) for question in talk[kind]]
    return sum(not engine.recall(question, scope=f"talk-{number}").hits for number, question in questions) / len(
        questions
    )


@pytest.mark.slow
def test_what_was_never_said_is_mostly_not_answered(talks):
    """37 of 48 when it was fitted, on other texts"""
    assert silent(talks, "unanswerable") >= 0.6


@pytest.mark.slow
def test_what_was_said_is_nearly_always_answered(talks):
    """46 of 48"""
    assert silent(talks, "answerable") <= 0.05

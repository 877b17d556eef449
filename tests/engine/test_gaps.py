"""Gaps: the questions that found nothing, grouped, and asked again today."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from cortex.domain.gaps import VainQuestion, gap_of, grouped
from cortex.errors import EmbedderUnavailable, InvalidRequest
from cortex.memory import Cortex
from cortex.services.turn_hooks import TurnHooks
from cortex.testing import FakeClock, FakeEmbedder

PATIENT = {"hooks": {"deadline_ms": 60_000}}
BOILER = ("who services the boiler?", "who services our boiler?", "boiler services: who?")


def ask(engine: Cortex, *questions: str, session: str = "talk") -> None:
    hooks = TurnHooks(engine)
    for question in questions:
        hooks.before(question, session=session)
    hooks.flush()


def test_questions_that_found_nothing_are_grouped_by_likeness(
    open_engine: Callable[..., Cortex], clock: FakeClock
) -> None:
    engine = open_engine(**PATIENT)
    engine.remember("The deploy key rotates on Mondays")
    ask(engine, BOILER[0], "what does the ferry to Texel cost?")
    clock.advance(timedelta(days=2))
    ask(engine, BOILER[1], BOILER[0], BOILER[0].upper(), "when does the deploy key rotate?", "thanks!")
    found = engine.gaps()
    assert (found.recalls, found.found_nothing, found.unknown, found.groups) == (6, 5, 0, 2)
    boiler, ferry = found.gaps
    assert (boiler.question, boiler.times, boiler.wordings) == (BOILER[0].upper(), 4, 2)
    assert boiler.last - boiler.first == timedelta(days=2)
    assert (ferry.question, ferry.times, ferry.answered_by) == ("what does the ferry to Texel cost?", 1, ())


def test_what_was_stored_later_is_named_and_the_conversation_itself_answers_nothing(
    open_engine: Callable[..., Cortex],
) -> None:
    engine = open_engine(**PATIENT)
    ask(engine, BOILER[0])
    talked = [
        {"role": "user", "content": BOILER[0]},
        {"role": "assistant", "content": "Who services the boiler is unknown."},
    ]
    engine.ingest(talked, session="talk")
    assert engine.recall(BOILER[0]).hits
    (gap,) = engine.gaps().gaps
    assert gap.answered_by == ()
    answer = engine.remember("Hansen services the boiler every October").memory
    (gap,) = engine.gaps().gaps
    assert gap.answered_by == (answer.id,)


def test_a_query_that_is_not_kept_is_only_counted(open_engine: Callable[..., Cortex], clock: FakeClock) -> None:
    engine = open_engine(**PATIENT, receipts={"keep_queries": False})
    ask(engine, BOILER[0])
    found = engine.gaps()
    assert (found.found_nothing, found.unknown, found.gaps) == (1, 1, ())
    clock.advance(timedelta(days=31))
    assert engine.gaps().found_nothing == 0


def test_without_an_embedder_questions_are_compared_by_their_words(open_engine: Callable[..., Cortex]) -> None:
    engine = open_engine(**PATIENT)
    ask(engine, *BOILER, "what does the ferry to Texel cost?")
    engine.flush()
    down = FakeEmbedder(256, failure=EmbedderUnavailable("is down"))
    found = open_engine(embedder=down).gaps()
    assert not found.by_meaning
    assert [gap.wordings for gap in found.gaps] == [3, 1]


@pytest.mark.parametrize(
    ("options", "error"), [({"days": -1}, "days: is out of range"), ({"limit": 0}, "limit: is out")]
)
def test_bad_input_is_named(open_engine: Callable[..., Cortex], options: dict[str, int], error: str) -> None:
    with pytest.raises(InvalidRequest, match=error):
        open_engine().gaps(**options)


def test_a_gap_adds_up_its_wordings(clock: FakeClock) -> None:
    now = clock.now()
    group = [VainQuestion("a", 2, now, now, "1"), VainQuestion("b", 1, now - timedelta(1), now - timedelta(1), "2")]  # type: ignore[arg-type]
    gap = gap_of(group)
    assert (gap.question, gap.times, gap.first, gap.last) == ("a", 3, now - timedelta(1), now)
    assert grouped([], [], None) == []

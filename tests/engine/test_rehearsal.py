"""Rehearsals: recorded recalls under other settings, before anybody is served by them (E20)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from laboratory import opened

from bench.history import HistoryWriter, remember, talk
from cortex.domain.receipt import Receipt
from cortex.errors import InvalidRequest
from cortex.memory import Cortex
from cortex.recall.rehearsal import AnswerChange, AnswerSide, ChangedAnswer, Tally, change_between
from cortex.services.rehearsal import NO_QUERY, rehearsed_query
from cortex.services.turn_hooks import TurnHooks
from cortex.testing import FakeClock, FakeEmbedder

PATIENT = {"hooks": {"deadline_ms": 60_000}}
OTHER = {"recall.recipe": "lancedb.v1", "hooks.max_facts": 2}


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cortex]:
    """A memory that went on changing while turns and people asked it."""
    clock = FakeClock()
    engine = opened(tmp_path_factory.mktemp("home"), "sqlite", clock=clock, embedder=FakeEmbedder(256), **PATIENT)
    asked = HistoryWriter(3).asked(8, 2)
    for part in (asked[:5], asked[5:]):
        remember(engine, part)
        clock.advance(timedelta(hours=1))
        talk(engine, part, name=f"talk about {part[0].question}")
        forgotten = engine.recall(part[0].question, limit=1).hits[0].trace.id
        engine.forget(forgotten)
        clock.advance(timedelta(hours=1))
        engine.search(part[1].question, limit=3)
        engine.recall(part[2].question, recipe="typed.v1")
    yield engine
    engine.close()


def test_a_rehearsal_says_exactly_what_the_changed_settings_then_answer(lived: Cortex) -> None:
    """E20"""
    done = lived.rehearse(OTHER)
    assert done.compared == len(lived.receipts(limit=1_000, op="recall"))
    assert not done.stopped
    assert done.most_changed
    changed = {"recall": {"recipe": "lancedb.v1"}, "hooks": {**PATIENT["hooks"], "max_facts": 2}}
    dependencies = lived.context.dependencies
    with Cortex(dependencies.home, clock=lived.context.clock, embedder=FakeEmbedder(256), settings=changed) as other:
        for each in done.most_changed:
            recorded = lived.receipt(each.receipt_id)
            for engine, side in ((lived, each.before), (other, each.after)):
                query = rehearsed_query(engine.context.settings, recorded, each.query)
                answer = engine.recall(replace(query, as_of=each.position))
                assert AnswerSide(tuple(hit.trace.id for hit in answer.hits), answer.tokens) == side


def test_a_turn_gets_what_was_rehearsed_for_it_as_long_as_nothing_changes(lived: Cortex) -> None:
    """E20"""
    lived.context.clock.advance(timedelta(seconds=1))  # type: ignore[attr-defined]
    lived.remember("Otto repaired the purple gateway in May")
    lived.remember("Otto painted the purple gateway in June")
    before = turn(lived)
    (rehearsed,) = lived.rehearse({"hooks.max_facts": 1}, limit=1).most_changed
    assert rehearsed.receipt_id == before.id
    changed = {"hooks": {**PATIENT["hooks"], "max_facts": 1}}
    home, clock = lived.context.dependencies.home, lived.context.clock
    with Cortex(home, clock=clock, embedder=FakeEmbedder(256), settings=changed) as other:
        after = turn(other)
    assert rehearsed.before.ids == returned(before)
    assert rehearsed.after.ids == returned(after)
    assert len(returned(before)) > len(returned(after)) == 1


def turn(engine: Cortex) -> Receipt:
    """The receipt of a turn."""
    injection = TurnHooks(engine).before("What did Otto do to the purple gateway?", session="now")
    engine.flush()
    assert injection.receipt_id
    return engine.receipt(injection.receipt_id)


def returned(receipt: Receipt) -> tuple[str, ...]:
    return tuple(each["id"] for each in receipt.facts["returned"])


def test_a_rehearsal_changes_nothing_and_tells_no_text_in_its_receipt(lived: Cortex) -> None:
    """E20"""
    before = lived.context.position(), lived.receipts(op="recall")
    done = lived.rehearse(OTHER)
    lived.flush()
    assert (lived.context.position(), lived.receipts(op="recall")) == before
    assert done.receipt.facts["changes"] == done.changes
    assert done.most_changed[0].query not in str(done.receipt.to_json())


def test_what_the_caller_named_is_not_changed_by_a_setting(lived: Cortex) -> None:
    """E20"""
    named = [each for each in lived.receipts(limit=1_000, op="recall") if each.facts["request"]["recipe"] == "typed.v1"]
    changed = {each.receipt_id for each in lived.rehearse({"recall.recipe": "lancedb.v1"}).most_changed}
    assert named
    assert not changed & {each.id for each in named}


def test_an_interrupt_or_the_end_of_the_time_leaves_what_was_compared(lived: Cortex) -> None:
    """E20"""
    clock = lived.context.clock
    assert isinstance(clock, FakeClock)
    total_expected = len(lived.receipts(limit=1_000, op="recall"))

    def interrupt(done: int, total: int, label: str) -> None:
        assert (total, label) == (total_expected, "compared")
        if done == 3:
            raise KeyboardInterrupt

    stopped = lived.rehearse(OTHER, progress=interrupt)
    assert (stopped.stopped, stopped.compared, sum(stopped.changes.values())) == (True, 3, 3)
    short = lived.rehearse(OTHER, seconds=1.5, progress=lambda *_: clock.advance(timedelta(seconds=1)))
    assert (short.stopped, short.compared) == (True, 2)


def test_what_cannot_be_compared_is_counted_by_its_reason(open_engine: Any, clock: FakeClock) -> None:
    """E20"""
    engine = open_engine(receipts={"keep_queries": False})
    engine.remember("The deploy key rotates on Mondays")
    engine.recall("when does the deploy key rotate?")
    clock.advance(timedelta(days=8))
    engine.recall("who rotates the deploy key?")
    done = engine.rehearse(OTHER)
    assert (done.compared, done.left_out) == (0, {NO_QUERY: 1})
    assert engine.rehearse(OTHER, days=9).left_out == {NO_QUERY: 2}


@pytest.mark.parametrize(
    ("settings", "options", "error"),
    [
        ({}, {}, "settings: is empty"),
        ({"recall.recipee": "deep.v1"}, {}, "recall.recipee: is not a setting"),
        ({"embedding.provider": "none"}, {}, "embedding.provider: cannot be rehearsed"),
        ({"recall.recipe": "balanced.v1"}, {}, "settings: are in force already"),
        ({"receipts.verbosity": "high"}, {}, "settings: receipts.verbosity changes no answer"),
        (OTHER, {"days": 0}, "days: is out of range"),
        (OTHER, {"limit": 0}, "limit: is out of range"),
    ],
)
def test_bad_input_is_named(lived: Cortex, settings: dict[str, Any], options: dict[str, Any], error: str) -> None:
    """E20"""
    with pytest.raises(InvalidRequest) as refused:
        lived.rehearse(settings, **options)
    assert str(refused.value).startswith(error)


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ("ab", "ab", AnswerChange.SAME),
        ("ab", "ba", AnswerChange.ORDER),
        ("ab", "ac", AnswerChange.HITS),
        ("ab", "a", AnswerChange.HITS),
        ("ab", "", AnswerChange.SILENCED),
        ("", "a", AnswerChange.ANSWERED),
    ],
)
def test_the_greatest_change_of_an_answer_counts(before: str, after: str, change: AnswerChange) -> None:
    """E20"""
    assert change_between(side(before), side(after)) is change
    assert change_between(side(before), side(before, tokens=9)) is AnswerChange.TOKENS


def test_only_the_most_changed_answers_are_kept(lived: Cortex) -> None:
    """E20"""
    tally = Tally()
    for number in range(200):
        after = "abcdefgh"[number % 8 :] + "xyzuvwst"[: number % 8]
        change = change_between(side("abcdefgh"), side(after))
        tally.add(changed(f"receipt {number:03}", change, "abcdefgh", after))
    assert len(tally.most_changed) == 20
    assert {len(each.lost) for each in tally.most_changed} == {7}
    assert (tally.compared, tally.changes[AnswerChange.SAME]) == (200, 25)


def side(ids: str, tokens: int = 1) -> AnswerSide:
    return AnswerSide(tuple(ids), tokens)  # type: ignore[arg-type]


def changed(id: str, change: AnswerChange, before: str, after: str) -> ChangedAnswer:
    return ChangedAnswer(id, FakeClock().now(), 1, "?", change, side(before), side(after))  # type: ignore[arg-type]

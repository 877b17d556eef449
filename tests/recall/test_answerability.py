"""Automatic recall shows nothing when the topic is known and the answer is not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.chunk import Chunk
from cortex.domain.identity import TraceId, format_uuid7
from cortex.domain.query import Query
from cortex.domain.turn import Turn
from cortex.recall.answerability import is_missing
from cortex.recall.plan import plan
from cortex.recall.ranking import Scored
from cortex.recall.recipes import DEFAULT, Answerability, named

NOW = datetime(2026, 3, 1, tzinfo=UTC)


OTHERS = (
    "I like tea in the morning", "Our cat sleeps on the stairs", "The train to Bern was late again",
    "My brother repairs old radios", "We had soup for lunch", "The library closes at six", "I need new running shoes",
    "The neighbors painted their fence", "Rain is forecast for Sunday", "I called the dentist twice",
)  # fmt: skip


def found(*texts: str, similarity: float = 0.6, speaker: str = "") -> list[Scored]:
    """`texts` in their order, with what else a store of some size finds below them."""
    said = [*texts, *OTHERS]
    return [
        Scored(
            Turn(id=TraceId(format_uuid7(1, n)), text=text, session="s", seq=n, created_at=NOW, speaker=speaker),
            ("keyword", "vector"),
            {"vector": similarity},
            similarity=similarity if n < len(texts) else similarity - 0.25,
            evidence=0.9 if n < len(texts) else 0.0,
        )
        for n, text in enumerate(said)
    ]


def missing(question: str, ranked: list[Scored]) -> bool:
    return is_missing(ranked, plan(Query.of(question), named(DEFAULT), NOW), Answerability())


def lines(text: str, number: int = 99) -> Scored:
    """The same, found in a file."""
    place = {"path": "notes/forms.md", "start_line": 1, "end_line": 2, "created_at": NOW}
    trace = Chunk(id=TraceId(format_uuid7(1, number)), text=text, **place)
    return Scored(trace, ("keyword",), {"keyword": 1.0}, evidence=0.9)


ABOUT = "I chose the Formspree API for the contact form submission of my portfolio site in March"


@pytest.mark.parametrize(
    "question",
    [
        "What was the rationale behind choosing the Formspree API for the contact form submission?",
        "What specific criteria did I use when I chose the Formspree API for the contact form?",
        "Can you share the agenda of the meeting where I chose the Formspree API for the contact form?",
    ],
)
def test_a_known_topic_without_what_is_asked_for_is_no_answer(question):
    assert missing(question, found(ABOUT))


def test_it_is_an_answer_when_one_of_the_best_names_it():
    named_it = "The rationale behind the Formspree API was that the contact form needs no server"
    question = "What was the rationale behind choosing the Formspree API for the contact form submission?"
    assert not missing(question, found(ABOUT, named_it))


@pytest.mark.parametrize(
    "question",
    [
        "Which API did I choose for the contact form submission of my portfolio site?",
        "Summarize the rationale behind choosing the Formspree API for the contact form submission",
        "What activity did I choose for the contact form submission of my portfolio?",
        "How did I choose the Formspree API for the contact form submission?",
    ],
)
def test_other_questions_are_not_judged_by_it(question):
    assert not missing(question, found(ABOUT))


@pytest.mark.parametrize(
    "asked",
    [
        "What was the rationale behind choosing the Formspree API, and when did I choose it?",
        "When did I choose the Formspree API? And what was the rationale behind choosing it?",
        "Write the rationale behind choosing the Formspree API for the contact form submission",
    ],
)
def test_two_questions_and_requests_are_not_judged(asked):
    """One of two may have been answered, and a request can use what is known."""
    assert not missing(asked, found(ABOUT))


def test_nothing_found_is_not_judged():
    assert not missing("What was the rationale behind choosing the Formspree API for the contact form?", [])


def test_where_there_is_little_to_choose_from_it_is_shown():
    """A store of a few turns cannot tell that something was never said."""
    question = "What was the rationale behind choosing the Formspree API for the contact form?"
    assert missing(question, found(ABOUT))
    assert not missing(question, found(ABOUT)[:4])


@pytest.mark.parametrize(
    "question",
    ["When did I choose the Formspree API?", "Who chose the Formspree API?", "How many forms does the site have?"],
)
def test_a_value_is_rarely_said_with_the_word_that_asks_for_it(question):
    assert not missing(question, found(ABOUT))


def test_what_has_a_newer_value_was_said():
    """X14: freshness found two statements about it; the noun need not be in them."""
    question = "What was the rationale behind choosing the Formspree API for the contact form submission?"
    ranked = found(ABOUT)
    ranked[0].set_part("newer", 0.1)
    assert not missing(question, ranked)


def test_a_speakers_name_is_not_what_is_asked_for():
    ranked = found("We painted the harbour at dusk with thin brushes", speaker="Melanie")
    assert not missing("What did Melanie paint at the harbour at dusk with thin brushes?", ranked)


def test_a_document_is_shown_though_it_does_not_use_the_word_that_is_asked_for():
    question = "What was the rationale behind choosing the Formspree API for the contact form submission?"
    assert missing(question, found(ABOUT))
    assert not missing(question, [lines(ABOUT)])
    for place in range(5):
        ranked = found(ABOUT)
        ranked.insert(place, lines(ABOUT))
        assert not missing(question, ranked), place


def test_a_document_that_nobody_would_be_shown_silences_nothing_and_saves_nothing():
    """It is among the best that it counts: further down, what was said decides."""
    question = "What was the rationale behind choosing the Formspree API for the contact form submission?"
    assert missing(question, [*found(ABOUT), lines(ABOUT)])


@given(st.text(max_size=120), st.lists(st.text(max_size=60), max_size=3), st.text(max_size=60), st.integers(0, 3))
def test_documents_among_the_best_are_never_silenced(question, texts, text, place):
    ranked = found(*texts)
    ranked.insert(place, lines(text))
    assert not missing(question or "?", ranked)


@given(st.text(max_size=120), st.lists(st.text(max_size=60), max_size=4))
def test_it_never_fails(question, texts):
    assert missing(question or "?", found(*texts)) in {True, False}

"""The part of a text that bears on a question."""

from __future__ import annotations

import pytest
from candidates import nasty_texts
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.terms import index_terms
from cortex.recall.excerpts import excerpt, pieces, size
from sweeps import for_each

TERMS = frozenset(index_terms("harbour dawn"))
SENTENCES = (
    "The harbour opens at dawn. ",
    "Nobody was there! ",
    "The anchor chain is rusty, said the mate. ",
    "潮が引く。",
)
LEAST_TOKENS = 24

plain_texts = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=40).map("".join)


@given(st.one_of(plain_texts, nasty_texts), st.integers(LEAST_TOKENS, 200))
def test_an_excerpt_is_made_of_the_text_alone(text, most):
    """E9: what is shown was said, in that order"""
    shown = excerpt(text, TERMS, most)
    at = 0
    for part in filter(None, (part.strip() for part in shown.split("…"))):
        found = text.replace("…", " ").find(part, at)
        assert found >= 0
        at = found + len(part)


@given(st.one_of(plain_texts, nasty_texts), st.integers(1, 200))
def test_an_excerpt_never_exceeds_its_size(text, most):
    """C9"""
    assert size(excerpt(text, TERMS, most)) <= most


def test_an_excerpt_keeps_the_sentences_with_the_querys_words():
    text = "Nobody was there. " * 30 + "The harbour opens at dawn. " + "Nobody was there. " * 30
    assert "The harbour opens at dawn." in excerpt(text, TERMS, LEAST_TOKENS)


def test_a_sentence_that_says_far_less_is_left_out_where_room_is_short():
    """C9: the room goes to other hits"""
    said = "The harbour opens at dawn.", "Nobody was there.", "A boat lay in the harbour all winter."
    text = " ".join((said[0], *[said[1]] * 30, said[2]))
    terms = {"harbour": 1.0, "open": 1.0, "dawn": 1.0}
    assert said[2] in excerpt(text, terms, 60)
    assert excerpt(text, terms, 60, least=0.5).startswith(said[0])
    assert said[2] not in excerpt(text, terms, 60, least=0.5)


def test_the_stretch_nearest_by_meaning_is_kept_where_no_word_tells():
    text = "Nobody was there. " * 30 + "Ships leave in the morning. " + "Nobody was there. " * 30
    at = text.index("Ships")
    assert "Ships leave in the morning." in excerpt(text, TERMS, LEAST_TOKENS, (at, at + 20))


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Lee opens the harbour. Nobody was there.",
        "1. The harbour opens. 2. The harbour closes.",
        "### Opening hours\nThe harbour opens at dawn.",
        "Opening hours:\nThe harbour opens at dawn.",
        "```\nx = 1\ny = 2\n```",
        "| a | b |\n|---|---|\n| 1. one | 2 |",
    ],
)
def test_a_piece_can_be_read_by_itself(text):
    """Neither a title, a number, a heading, a line of code nor a row of a table stands alone"""
    for start, end in pieces(text):
        said = text[start:end].strip()
        assert sum(char.isalpha() for char in said) >= 2
        assert said.count("```") % 2 == 0
        assert not said.startswith("#") or "\n" in said
        assert not said.endswith(":")
        assert not said.startswith("|") or said == text


@given(st.integers(8, 60), st.sampled_from(["12,500", "3.14", "2026-01-05", "v2.3.1", "$1,200.50"]))
def test_no_value_and_no_word_is_cut(most, value):
    """Whatever the size: the digits of what is shown stand together in the text"""
    text = f"The harbour fee is {value} kroner a day and the captain of every boat has to pay it at dawn " * 4
    words = set(text.split())
    assert all(word in words for word in excerpt(text, TERMS, most).split() if word != "…")


@pytest.mark.parametrize(
    "text",
    [
        "港は夜明けに開き船は朝に出て夕方に帰る" * 20,
        "המעגן נפתח עם שחר והסירות יוצאות לים " * 20,
        "harbour" * 200,
        "a,b;c:" * 200,
    ],
)
def test_texts_without_sentences_are_cut_at_words_or_left_out(text):
    """Scripts without spaces, right to left, and one endless word"""
    shown = excerpt(text, TERMS, 40)
    assert size(shown) <= 40
    assert shown.rstrip(" …") in text


AMOUNT = {"amount": 1.0}


@for_each(
    "text",
    [
        "I talked with Petra about the plan and she said that the total amount is 18400 dollars and that we have until "
        "the end of the month to sign it or otherwise look for somebody else who does it for less money",
        "We went through the contract for the office, including the deposit, the notice period and the amount we have "
        "to pay each month, which is 18400 dollars plus heating, and then we had lunch together at the place next door",
        "Well so this is about the many things that were said at that long meeting with all of them where at last the "
        "amount that they named was 18400 dollars and nobody in the room had anything to say about it for a while",
    ],
)
@for_each("most", range(20, 64, 4))
def test_a_sentence_that_is_too_long_is_not_cut_right_before_the_value_that_is_asked_for(text, most):
    shown = excerpt(text, AMOUNT, most)
    assert size(shown) <= most
    assert "18400 dollars" in shown

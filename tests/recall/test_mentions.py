"""Where a text mentions the terms of a query."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cortex.recall.mentions import _pattern, mentioned, mentions

STEMS = st.text("abiy1", min_size=1, max_size=3)


def test_any_ending_of_a_word_will_do() -> None:
    assert mentioned("She was hiking in the Alps", ["hike", "hik", "alp"]) == {"hik", "alp"}


def test_a_final_i_stands_for_the_y_it_was() -> None:
    assert list(mentions("Two bodies, one body", ["bodi"])) == [(4, "bodi"), (16, "bodi")]


@given(st.text("abiy1 .,-_'AB", max_size=40), st.lists(STEMS, min_size=1, max_size=5))
def test_plain_words_are_found_as_the_pattern_finds_them(text: str, terms: list[str]) -> None:
    wanted = tuple(sorted(set(terms)))
    found = [(each.start(), wanted[(each.lastindex or 1) - 1]) for each in _pattern(wanted).finditer(text)]
    assert list(mentions(text, terms)) == found

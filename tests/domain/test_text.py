"""Rules about text: accepted, measured, cut and shown."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.text import (
    checked_text,
    clamp,
    escaped,
    estimate_tokens,
    passages,
    sentences,
    visible,
)
from cortex.errors import InvalidRequest
from sweeps import for_each

SCRIPTS = st.text(alphabet="abc déß. !?\n好的。！ひらカナ한글مرحبا🙂…\u0301\"'", max_size=400)
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
ZERO_WIDTH = "\u200b\u2060\u2061\u2062\u2063\u2064\ufeff"
TAGS = "".join(map(chr, (0xE0001, 0xE0020, 0xE0041, 0xE007F)))


# --- clamp ----------------------------------------------------------------------------------------


@given(st.text(max_size=6_000))
def test_an_input_of_up_to_6000_characters_is_embedded_as_it_is(text):
    """E13"""
    assert clamp(text) == text


@pytest.mark.parametrize("length", [6_001, 6_500, 20_000])
def test_a_longer_input_is_cut_to_its_first_500_characters_and_its_end(length):
    """E13: 6000 characters, head 500, deterministic"""
    text = "".join(chr(97 + at % 26) for at in range(length))
    cut = clamp(text)
    assert len(cut) == 6_000
    head, gap, tail = cut.partition("\n…\n")
    assert gap
    assert head == text[:500]
    assert tail == text[-len(tail) :]
    assert clamp(text) == cut


@given(SCRIPTS, st.integers(1, 60), st.integers(0, 80))
def test_a_clamped_input_never_exceeds_its_characters(text, most, head):
    """E13"""
    cut = clamp(text, most, head)
    assert len(cut) <= most
    assert cut == text or len(text) > most


@given(SCRIPTS, st.integers(4, 200))
def test_a_clamped_input_never_exceeds_its_bytes_and_is_never_cut_within_a_character(text, most):
    """E13: the optional byte cap"""
    cut = clamp(text, max_bytes=most)
    assert len(cut.encode()) <= most
    assert text.startswith(cut)


# --- tokens ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("x" * 400, 100)])
def test_a_token_is_four_characters(text, tokens):
    """B4, X18"""
    assert estimate_tokens(text) == tokens


@pytest.mark.parametrize(("text", "tokens"), [("好的", 2), ("ひらがな", 4), ("한글", 2), ("好abcd", 2)])
def test_a_character_of_a_wide_script_is_a_token(text, tokens):
    """X18"""
    assert estimate_tokens(text) == tokens


@given(SCRIPTS, SCRIPTS)
def test_the_parts_never_count_less_than_the_whole(one, other):
    """X18: so that a budget kept in parts is kept"""
    assert estimate_tokens(one + other) <= estimate_tokens(one) + estimate_tokens(other)


# --- sentences and passages -----------------------------------------------------------------------


@given(SCRIPTS)
def test_sentences_cover_the_text(text):
    assert "".join(text[start:end] for start, end in sentences(text)) == text


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three?", ["One. ", "Two! ", "Three?"]),
        ("Version 1.2.3 is out. Get it.", ["Version 1.2.3 is out. ", "Get it."]),
        ("一。二！三", ["一。", "二！", "三"]),
        ("a\nb", ["a\n", "b"]),
        ('He said "no." Then left.', ['He said "no." ', "Then left."]),
    ],
)
def test_a_sentence_ends_at_closing_punctuation_or_a_line_break(text, parts):
    assert [text[start:end] for start, end in sentences(text)] == parts


@given(SCRIPTS, st.integers(1, 40))
def test_passages_cover_the_text_and_stay_within_their_size(text, most):
    """X8: only blank stretches may be left out"""
    spans = passages(text, most)
    covered = [False] * len(text)
    last = 0
    for start, end in spans:
        assert last <= start < end or text == ""
        assert estimate_tokens(text[start:end]) <= most
        covered[start:end] = [True] * (end - start)
        last = end
    assert not "".join(char for char, seen in zip(text, covered, strict=True) if not seen).strip()


def test_a_short_text_is_one_passage():
    assert passages("One. Two.", 128) == [(0, 9)]


def test_passages_end_where_sentences_do():
    text = "The harbour opens at dawn. " * 20
    for start, end in passages(text, 30):
        assert text[start:end].rstrip().endswith("dawn.")


# --- showing --------------------------------------------------------------------------------------


@given(st.text(max_size=200))
def test_no_tag_survives_escaping(text):
    """E10, L3, X11"""
    shown = escaped(text)
    assert "<" not in shown
    assert ">" not in shown


def test_escaping_keeps_what_was_said():
    """E10: it can be read, and turned back"""
    assert escaped("a < b && c > d") == "a &lt; b &amp;&amp; c &gt; d"
    assert escaped("&lt;b&gt;") == "&amp;lt;b&amp;gt;"


@for_each("char", [*BIDI, *ZERO_WIDTH, *TAGS, "\x00", "\x1b", "\x9b", "\x7f"])
def test_no_invisible_or_bidirectional_character_survives_escaping(char):
    """E10: text that only the model sees is how instructions are smuggled in"""
    assert escaped(f"a{char}b") == "ab"


@for_each("char", [*BIDI, *ZERO_WIDTH, *TAGS, "\x00", "\x1b", "\x9b", "\x7f", "\u2028", "\u2029"])
def test_what_could_act_on_a_terminal_is_shown_as_the_escape_json_has_for_it(char):
    """DESIGN 5: what a memory says never moves the cursor"""
    shown = visible(f"a{char}b")
    assert char not in shown
    assert json.loads(f'"{shown}"') == f"a{char}b"


@pytest.mark.parametrize("char", ["\u2028", "\u2029"], ids=ascii)
def test_a_line_end_that_only_some_readers_see_still_parts_words_when_packed(char):
    assert escaped(f"a{char}b").split() == ["a", "b"]


@pytest.mark.parametrize("text", ["می‌خواهم", "क्‍ष", "👨‍👩‍👧", "naïve café", "مرحبا"])
def test_joiners_that_spell_words_and_emoji_stay(text):
    assert "".join(escaped(text).split()) == "".join(text.split())
    assert visible(text) == text


# --- accepting ------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_an_empty_text_is_refused(text):
    with pytest.raises(InvalidRequest, match="text: is empty"):
        checked_text(text)


@pytest.mark.parametrize(("text", "why"), [("a\x00b", "NUL"), ("a\ud800b", "surrogate")])
def test_what_is_not_text_is_refused(text, why):
    with pytest.raises(InvalidRequest, match=why) as refused:
        checked_text(text, field="turns[3].text")
    assert refused.value.field == "turns[3].text"


@pytest.mark.parametrize("value", [None, 5, b"bytes", ["a"]])
def test_other_values_are_refused_by_name(value):
    with pytest.raises(InvalidRequest, match="is not text"):
        checked_text(value)


def test_the_limit_counts_bytes_and_says_what_to_do():
    assert checked_text("好" * 10, max_bytes=30) == "好" * 10
    with pytest.raises(InvalidRequest, match=r"31 bytes, over the limit of 30 .*max_text_bytes"):
        checked_text("好" * 10 + "a", max_bytes=30)


@pytest.mark.parametrize("mark", [".", "!", "…", "。", '."'])
def test_a_text_of_nothing_but_marks_is_cut_without_looking_at_it_again_and_again(mark):
    """FIELD: any paste can be stored without cost; the old rule took a minute for this one"""
    text = mark * 200_000
    assert "".join(text[start:end] for start, end in sentences(text)) == text

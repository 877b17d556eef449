"""What is shown of lines that were found, and whether it is said where they come from (B9, B11)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.chat import is_group_session, shows_citations
from cortex.domain.terms import query_terms
from cortex.workspace.snippets import snippet
from sweeps import for_each

DIRECT = ["agent:main:main", "agent:main:telegram:direct:42", "agent:main:cron:nightly", "s1", "my-group-of-notes", ""]
GROUPS = [
    "agent:main:telegram:group:42",
    "agent:main:discord:channel:9",
    "agent:main:DISCORD:Guild:9:main",
    "matrix/room/!abc",
    "group:1",
    "agent:main:slack:channel",
    "agent:main:telegram:group:42:thread:7",
]


@pytest.mark.parametrize("session", DIRECT)
def test_a_direct_chat_is_shown_citations(session: str):
    """B11"""
    assert not is_group_session(session)
    assert shows_citations("auto", session)


@pytest.mark.parametrize("session", GROUPS)
def test_a_group_is_not(session: str):
    """B11"""
    assert is_group_session(session)
    assert not shows_citations("auto", session)


def test_where_nobody_says_what_sort_of_chat_it_is_they_are_shown():
    """B11"""
    assert shows_citations("auto", None)


@for_each("session", [None, *DIRECT, *GROUPS])
def test_on_and_off_hold_everywhere(session: str | None):
    """B11"""
    assert shows_citations("on", session)
    assert not shows_citations("off", session)


def shown(text: str, asked: str, most: int = 700) -> str:
    return snippet(text, {term.text for term in query_terms(asked)}, most)


FILLER = "The weather was fine and the harbour quiet. " * 30


def test_a_short_text_is_shown_whole():
    """B9"""
    assert shown("\nThe deploy key rotates.\n\nOn Mondays.\n", "deploy") == "The deploy key rotates.\n\nOn Mondays."


def test_the_part_that_answers_is_shown_and_not_the_beginning():
    """B9: at most 700 characters, those that were asked for"""
    text = f"{FILLER}The deploy key rotates on Mondays. {FILLER}"
    found = shown(text, "when does the deploy key rotate?")
    assert "The deploy key rotates on Mondays." in found
    assert len(found) <= 700


def test_what_stands_before_and_after_the_answer_is_shown_with_it():
    """B9: an answer is often in the next sentence"""
    text = f"{FILLER}Before it. The deploy key rotates. After it. {FILLER}"
    found = shown(text, "deploy key", 120)
    assert "Before it. The deploy key rotates. After it." in found


def test_the_stretch_with_more_of_what_was_asked_wins():
    """B9"""
    text = f"The key is here. {FILLER}The deploy key rotates on Mondays. {FILLER}"
    assert "Mondays" in shown(text, "deploy key rotates", 200)


def test_words_that_stand_apart_are_shown_together_where_there_is_room():
    """B9"""
    text = f"{FILLER}Deploys begin at nine. So it was said. The key lies in the safe. {FILLER}"
    found = shown(text, "deploy key", 200)
    assert "Deploys begin" in found
    assert "key lies" in found


def test_without_any_of_its_words_the_beginning_shows_citations():
    """B9: what was found by its meaning alone"""
    found = shown(FILLER, "zeppelin")
    assert FILLER.startswith(found)
    assert 600 < len(found) <= 700


@pytest.mark.parametrize("filler", ["港口很安静天气晴朗", "word ", "x"])
def test_a_text_without_sentences_is_cut_around_the_words(filler: str):
    """B9: tables, addresses, and scripts without spaces"""
    found = shown(filler * 400 + " 部署密钥每周一轮换 deploy " + filler * 400, "deploy 部署密钥")
    assert "部署密钥每周一轮换" in found
    assert len(found) <= 700


def test_lines_stay_lines():
    """B9: a list or a table is shown as it is written"""
    text = "\n".join(f"- entry {number}: nothing" for number in range(60)).replace("30: nothing", "30: the deploy key")
    found = shown(text, "deploy key", 100)
    assert "- entry 30: the deploy key\n" in found
    assert all(line.startswith("- entry") for line in found.splitlines())


@given(st.text(max_size=400), st.text(max_size=20), st.integers(1, 120))
def test_whatever_is_asked_a_stretch_of_the_text_is_shown_and_never_too_much(text: str, asked: str, most: int):
    """B9"""
    found = shown(text, asked, most)
    assert found in text
    assert len(found) <= most
    assert found or not text.strip()[:most].strip()

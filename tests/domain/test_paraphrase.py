"""Whether a retold sentence says only what memories say (C5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.paraphrase import is_supported
from sweeps import for_each


@for_each(
    ("memory", "sentence", "supported"),
    [
        ("Ich mag keinen Koriander", "Der Nutzer mag keinen Koriander.", True),
        ("Ich mag keinen Koriander", "Der Nutzer mag Koriander.", False),
        ("Jonas fährt jeden Tag mit dem Fahrrad", "Jonas fährt mit dem Fahrrad.", True),
        ("Jonas fährt jeden Tag mit dem Fahrrad", "Lukas fährt mit dem Fahrrad.", False),
        ("No me gusta el cilantro", "Al usuario le gusta el cilantro.", False),
        ("我不喜欢香菜", "用户不喜欢香菜。", True),
        ("我不喜欢香菜", "用户喜欢香菜。", False),
        ("小红住在杭州", "小明住在杭州。", False),
        ("The release is planned for version 2.4.1", "The release is planned for version 2.4.1.", True),
        ("The release is planned for version 2.4.1", "The release is planned for version 2.1.4.", False),
        ("Runs 3.5 km", "Runs 35 km.", False),
        ("Works 9 to 5", "Works 9 to 5.", True),
        ("Turned off the alarm", "Turned on the alarm.", False),
        ("Stopped smoking in 2020", "No longer smokes, since 2020.", True),
        ("Stopped smoking in 2020", "Smokes since 2020.", False),
        ("The deploy key is kept in /etc/keys", "The deploy key is kept in /etc/passwd.", False),
    ],
)
def test_numbers_names_and_denials_must_agree_in_any_language(memory: str, sentence: str, supported: bool) -> None:
    """C5"""
    assert is_supported(sentence, [memory]) is supported


LARKSPUR = [
    "Priya leads the Larkspur team", "The Larkspur release is on May 17", "Larkspur has a budget of $12,400",
    "Larkspur runs on Postgres 15",
]  # fmt: skip


@for_each(
    ("sentence", "supported"),
    [
        ("Priya leads the Larkspur team and wrote its parser.", False),
        ("The Larkspur release on May 17 will cost $12,400.", False),
        ("Larkspur leads Priya's team.", False),
        ("Larkspur spent its budget of $12,400.", False),
        ("Larkspur has a yearly budget of $12,400.", False),
        ("Larkspur may run on Postgres 15.", False),
        ("Larkspur should run on Postgres 15.", False),
        ("Larkspur ran on Postgres 15.", False),
        ("The Larkspur team is led by Priya.", True),
        ("Larkspur will be released on May 17.", True),
        ("The budget of Larkspur is $12,400.", True),
        ("Larkspur uses Postgres 15.", True),
    ],
)
def test_a_sentence_adds_nothing_to_its_memories(sentence: str, supported: bool) -> None:
    """C5: no verb, adjective, unit or modal, no other time, and no exchanged subject"""
    assert is_supported(sentence, LARKSPUR) is supported


@pytest.mark.parametrize(
    ("memory", "sentence"),
    [
        ("Karim introduced Olu to Lena", "Lena introduced Olu to Karim."),
        ("I owe Emil 300 euros", "Emil owes the user 300 euros."),
        ("My partner Lena works at the library", "The user works at the library."),
        ("My partner Lena works at the library", "Lena's partner works at the library."),
        ("The vet of Pixel is Dr. Hahn", "Pixel is the vet of Dr. Hahn."),
        ("I switched from Notion to Obsidian", "The user switched from Obsidian to Notion."),
        ("I lived in Berlin until 2021", "The user lives in Berlin."),
    ],
)
def test_who_and_whose_and_when_are_not_exchanged(memory: str, sentence: str) -> None:
    """C5"""
    assert not is_supported(sentence, [memory])


def test_two_memories_make_no_third() -> None:
    """C5"""
    memories = ["I play tennis on Sundays", "My sister Ines is a vet in Ghent"]
    assert not is_supported("The user plays tennis on Sundays with Ines.", memories)
    assert is_supported("The user plays tennis on Sundays, and their sister Ines is a vet in Ghent.", memories)


def test_one_word_in_common_is_not_enough() -> None:
    """C5: a fair share is"""
    memory = "The harbor crane is painted yellow"
    assert not is_supported("The harbor is known for its seafood restaurants.", [memory])
    assert is_supported("The harbor crane is yellow.", [memory])


def test_nothing_supports_a_sentence_that_says_nothing_of_it() -> None:
    assert not is_supported("The user is here.", ["The harbor crane is painted yellow"])
    assert not is_supported("The harbor crane is yellow.", [])
    assert not is_supported("", ["The harbor crane is painted yellow"])


@given(st.text(max_size=300), st.lists(st.text(max_size=300), max_size=4))
def test_any_texts_are_compared_without_an_error(sentence: str, sources: list[str]) -> None:
    assert is_supported(sentence, sources) in {True, False}

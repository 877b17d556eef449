"""What is a rule for the assistant, and what only sounds like one.

`sentences/tuned.tsv` was in view while the patterns were written; `sentences/aside.tsv` was written with it, drawn by
lot and put aside, and only its rates are looked at. Each line: `general`, `topical`, `conditioned` or `none`; the words
of the condition; the sentence.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from cortex.capture import rules
from cortex.capture.audience import kind_of, to_assistant
from cortex.domain.cues import standing_kind
from cortex.domain.identity import TraceId
from cortex.domain.instructions import instructions, split
from cortex.domain.memory import Kind
from cortex.domain.turn import Role, Turn, TurnDraft
from cortex.languages.en import instruction_grammar
from sweeps import for_each

_SENTENCES = Path(__file__).with_name("sentences")


class Sentence(NamedTuple):
    label: str
    condition: str
    text: str

    @property
    def is_rule(self) -> bool:
        return self.label != "none"


def sentences(name: str) -> list[Sentence]:
    lines = (_SENTENCES / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    return [Sentence(*line.split("\t")) for line in lines]


def is_rule_turn(text: str) -> bool:
    return standing_kind(text, Role.USER) is Kind.RULE


def gives_rule_memory(text: str) -> bool:
    turn = Turn(id=TraceId("t1"), text=text, session="s", seq=0, created_at=datetime(2026, 1, 5, tzinfo=UTC))
    return any(found.kind is Kind.RULE for found in rules.candidates(turn))


@for_each("sentence", sentences("tuned"))
def test_an_instruction_to_the_assistant_is_a_rule_and_nothing_else_is(sentence):
    """X5: as a turn and as a memory alike"""
    assert is_rule_turn(sentence.text) is sentence.is_rule
    assert gives_rule_memory(sentence.text) is sentence.is_rule


@pytest.mark.parametrize("reads", [is_rule_turn, gives_rule_memory])
def test_sentences_no_pattern_was_written_for_are_told_apart_too(reads):
    """X5: nineteen of twenty found, nineteen of twenty right"""
    aside = sentences("aside")
    assert len(aside) + len(sentences("tuned")) >= 150
    found = {each for each in aside if reads(each.text)}
    meant = {each for each in aside if each.is_rule}
    assert len(found & meant) >= 0.95 * len(found)
    assert len(found & meant) >= 0.95 * len(meant)


@for_each("sentence", [each for each in sentences("tuned") if each.is_rule])
def test_a_rule_is_taken_apart_into_its_condition_and_what_to_do(sentence):
    """DESIGN 9"""
    given = split(sentence.text)
    assert sentence.condition.casefold() in given.condition.casefold()
    assert bool(given.condition) is (sentence.label == "conditioned")
    assert given.of_manner is (sentence.label == "general")


def test_conditions_are_found_in_sentences_put_aside_too():
    """DESIGN 9"""
    aside = [each for each in sentences("aside") if each.is_rule]
    right = [
        each
        for each in aside
        if bool(split(each.text).condition) is bool(each.condition)
        and each.condition.casefold() in split(each.text).condition.casefold()
    ]
    assert len(right) >= 0.9 * len(aside)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("Wenn ich nach Rezepten frage, nimm Gramm.", "Rezepten"),
        ("Cuando te pregunte por recetas, usa gramos.", "recetas"),
        ("我问菜谱的时候，请用克。", "菜谱"),
        ("レシピについて聞いたときは、グラムで答えて。", "レシピ"),
    ],
)
def test_conditions_are_read_in_the_other_languages_of_capture(text, condition):
    """DESIGN 9"""
    assert split(text).condition == condition


@pytest.mark.parametrize(
    "text", ["Antworte immer auf Deutsch", "Contéstame siempre en español", "以后都用中文回答。", "絵文字は使わないで"]
)
def test_how_to_answer_is_known_in_the_other_languages(text):
    assert split(text).of_manner


@pytest.mark.parametrize(
    "text",
    [
        "From now on, never give me lists with more than five items, I don't read them.",
        "Don't give me long lists.",
        "Keep lists short.",
        "Limit lists to 5 items.",
        "Never put more than five items in a list.",
        "Never give me more than three options.",
    ],
)
def test_how_long_a_list_may_be_is_how_to_answer(text):
    """DESIGN 9"""
    assert [each.of_manner for each in instructions(text)] == [True]


@pytest.mark.parametrize("text", ["Never order more than five items.", "Always check the guest lists of the hotel."])
def test_what_is_done_with_a_list_is_not_how_to_answer(text):
    assert not split(text).of_manner


@pytest.mark.parametrize(
    "text",
    [
        "Don't just use the first source, check two.",
        "Never only list the prices, name the shops too.",
        "Not to always use tables, but mostly.",
        "Please don't ever only call the old number.",
    ],
)
def test_words_before_a_verb_may_be_given_back(text):
    """A possessive repetition around named groups made `re` raise SystemError on sentences like these."""
    assert [each.text for each in instructions(text)] in ([], [text])
    assert split(text).text == text


@for_each("first", ["don't", "never", "only", "not to", "please", "just"])
@for_each("second", ["always", "only", "never", "to", "kindly", ""])
def test_every_pair_of_words_before_a_verb_is_read(first, second):
    found = re.compile(instruction_grammar.VERB, re.IGNORECASE).match(f"{first} {second} use tables".replace("  ", " "))
    assert found is not None
    assert found["verb"] == "use"


def test_every_instruction_of_a_turn_is_given_by_itself():
    text = "Thanks! When I ask about recipes, give metric units. I love soup. Please don't use emojis."
    assert [each.text for each in instructions(text)] == [
        "When I ask about recipes, give metric units.",
        "Please don't use emojis.",
    ]


# --- who hears it ----------------------------------------------------------------------------------------------------


def talk(*said: tuple[Role | None, str]) -> list[TurnDraft]:
    return [TurnDraft(text="Always answer in German.", role=role, speaker=speaker) for role, speaker in said]


def test_a_user_with_a_name_speaks_to_the_assistant_that_answers():
    """E7"""
    spoken = talk((Role.USER, "Ann"), (Role.ASSISTANT, "Cora"), (Role.USER, "Ann"))
    assert to_assistant(spoken) == [True, False, True]
    assert to_assistant(talk((Role.USER, "Ann"))) == [True]


def test_people_who_talk_to_each_other_instruct_no_assistant():
    """E7: with or without roles"""
    assert to_assistant(talk((Role.USER, "Ann"), (Role.USER, "Ben"), (Role.USER, "Ann"))) == [False] * 3
    assert to_assistant(talk((None, "Ann"), (None, "Ben"))) == [False] * 2


def test_in_a_group_only_what_the_assistant_answers_is_said_to_it():
    """E7"""
    spoken = talk(
        (Role.USER, "Ann"), (Role.USER, "Ben"), (Role.ASSISTANT, ""), (Role.USER, "Ann"), (Role.USER, "Ben"),
        (Role.ASSISTANT, ""), (Role.USER, "Ann"),
    )  # fmt: skip
    assert to_assistant(spoken) == [False, True, False, False, True, False, True]


@pytest.mark.parametrize("text", ["Antworte bitte immer auf Deutsch.", "以后都用中文回答。"])
def test_a_turn_is_a_rule_in_every_language_of_capture(text):
    assert kind_of(text, "", is_addressed=True) is Kind.RULE
    assert kind_of(text, "", is_addressed=False) is Kind.EPISODE

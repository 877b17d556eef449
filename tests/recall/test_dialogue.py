"""Turns as parts of a conversation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from candidates import id_, turn

from cortex.domain.hits import Hit, ScoreParts
from cortex.domain.turn import Role, Turn
from cortex.recall.dialogue import only_asks, replies_first, with_what_followed
from cortex.recall.ranking import Scored

QUESTION = turn(1, text="Where does the staging server run?", session="s", seq=0)


class Conversation:
    """A view of one question and its reply."""

    def __init__(self, reply: Turn) -> None:
        self._reply = reply

    def turn_at(self, session: str, seq: int) -> Turn | None:
        return self._reply if (session, seq) == ("s", 1) else None


@pytest.mark.parametrize(
    ("reply", "stands_for_its_question"),
    [
        ({"text": "In Oslo."}, True),
        ({"text": "In Oslo.", "outdated_by": id_(9)}, False),
        ({"text": "I don't know."}, False),
    ],
)
def test_a_reply_stands_for_its_question_where_it_says_what_holds(
    reply: dict[str, Any], stands_for_its_question: bool
) -> None:
    answer = turn(2, session="s", seq=1, role=Role.ASSISTANT, **reply)
    other = turn(3, text="The staging server moved to Frankfurt.", session="t", seq=0)
    ranked = [Scored(each, ("vector",), {"vector": score}) for each, score in ((QUESTION, 0.9), (other, 0.5))]
    found = replies_first(ranked, Conversation(answer), lambda _: True)  # type: ignore[arg-type]
    assert (found[0].trace.id == answer.id) is stands_for_its_question


class Talk:
    """A view of one conversation."""

    def __init__(self, *turns: Turn) -> None:
        self._turns = {turn.seq: turn for turn in turns}

    def turn_at(self, session: str, seq: int) -> Turn | None:
        return self._turns.get(seq)


_CHOSE = 16
"""How many conversations of the file the words were chosen on; the others only judge."""


def _following() -> Iterator[tuple[int, str, str, str, bool]]:
    """What was said, the reply of the assistant, what the user said next, and whether that is about it."""
    number, hit, reply = -1, "", ""
    for line in Path(__file__).with_name("data").joinpath("following.txt").read_text("utf-8").splitlines():
        sign, text = line[0], line[2:]
        if sign == "#":
            number, hit, reply = number + 1, text, "Noted."
        elif sign == ">":
            reply = text
        else:
            yield number, hit, reply, text, sign == "+"


def _followed(*said: str) -> list[str]:
    turns = [turn(at + 1, text=text, seq=at, role=Role.ASSISTANT if at % 2 else Role.USER)
             for at, text in enumerate(said)]  # fmt: skip
    hit = Hit(turns[0], 0.5, ScoreParts(), ("keyword",))
    (found,) = with_what_followed([hit], Talk(*turns), lambda _: True)  # type: ignore[arg-type]
    return [each.text for each in found.around.follows]


@pytest.mark.parametrize(("judging", "least"), [(False, 31), (True, 14)])
def test_what_follows_is_shown_where_it_reacts_and_not_where_it_brings_up_something_else(judging, least):
    """X8"""
    cases = [each for each in _following() if (each[0] >= _CHOSE) is judging]
    shown = [(is_about, bool(_followed(hit, reply, text))) for _, hit, reply, text, is_about in cases]
    assert shown.count((True, True)) >= least
    assert (False, True) not in shown


def test_what_is_said_after_a_new_topic_belongs_to_that():
    """ "It is too long" is about the explanation"""
    talk = ("Swimming lessons are on Tuesdays.", "Noted.", "Explain how a heat pump works please", "Well …")
    assert _followed(*talk, "It is too long.") == []
    assert _followed("Swimming lessons are on Tuesdays.", "Noted.", "They moved.", "Noted.", "He likes them.") == [
        "They moved.", "He likes them."
    ]  # fmt: skip


def _own_questions() -> list[tuple[str, bool]]:
    """Questions of a user, and whether they only ask; the words were chosen on the first half."""
    lines = Path(__file__).with_name("data").joinpath("own_questions.txt").read_text("utf-8").splitlines()
    return [(line[2:], line[0] == "?") for line in lines]


@pytest.mark.parametrize("judging", [False, True])
def test_a_question_about_oneself_only_asks_unless_it_states_something(judging):
    """X8: "my car, the Skoda" tells what car it is; one of them has no question mark"""
    cases = _own_questions()[24:] if judging else _own_questions()[:24]
    wrong = [text for text, asks in cases if only_asks(turn(1, text=text)) is not asks]
    assert wrong == (["what is my sister's phone number"] if judging else [])


def test_among_people_a_question_about_oneself_says_something():
    assert not only_asks(turn(1, text="When does my flight leave?", speaker="Ann"))

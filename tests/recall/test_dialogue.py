"""Turns as parts of a conversation."""

from __future__ import annotations

from typing import Any

import pytest
from candidates import id_, turn

from cortex.domain.turn import Role, Turn
from cortex.recall.dialogue import replies_first
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

"""The histories in which things change, on which likely changes are fitted and judged (X14)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from bench.capture import changed_chats
from bench.capture.changed_chats import ChangedChat

CHATS = [*changed_chats.training(), *changed_chats.judging()]


@pytest.mark.parametrize("chat", CHATS, ids=lambda chat: f"{chat.author}-{chat.name}")
def test_what_is_related_was_said_in_two_messages_one_after_the_other(chat: ChangedChat):
    assert all(one.day <= other.day for one, other in pairwise(chat.said))
    assert chat.relations.keys() <= chat.of_one_thing
    for (old, new), relation in chat.relations.items():
        assert chat.said[old].message < chat.said[new].message
        assert relation in ("update", "contradiction")


def test_no_author_both_judges_and_is_fitted_on():
    fitted = {chat.author for chat in changed_chats.training()}
    assert fitted.isdisjoint(changed_chats.JUDGES)
    assert fitted > changed_chats.LONG


def test_a_sentence_stands_beside_the_nearest_and_those_that_share_words():
    chat = CHATS[0]
    place = len(chat.said) - 1
    found, earlier = chat.beside(place, np.linspace(0.0, 0.5, place))
    assert [chat.said[at].text for at in found] == [each.text for each in earlier]
    assert all(chat.said[at].message < chat.said[place].message for at in found)
    assert sum(each.cosine is not None for each in earlier) == 12

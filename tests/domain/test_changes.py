"""How a statement says that something is no longer as it was, alike for capture and recall."""

from __future__ import annotations

import pytest

from cortex.domain.changes import tells_change
from cortex.languages import EXTRACTED, WORDS

TOLD = [
    "We moved staging to Dublin.",
    "They raised the budget to 55,000.",
    "The review was postponed to Friday.",
    "Correction: we booked six seats.",
    "Das Lager ist jetzt in Bonn.",
    "Ya no trabajo allí.",
    "会议改到下午五点了",
    "チームは今は八人です",
]


@pytest.mark.parametrize("text", TOLD)
def test_a_change_is_told_in_every_language_of_capture(text):
    assert tells_change(text)


@pytest.mark.parametrize("text", ["The staging cluster is in Frankfurt.", "Ich wohne in Köln.", "我有两只猫"])
def test_a_plain_statement_tells_no_change(text):
    assert not tells_change(text)


def test_only_the_given_part_is_read():
    text = "We moved staging. It has four machines."
    assert tells_change(text, 0, 17)
    assert not tells_change(text, 18)


def test_every_language_of_capture_names_both_changes_and_corrections():
    assert {each.lang for each in WORDS if each.changed and each.corrected} == set(EXTRACTED)

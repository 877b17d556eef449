"""What kind of question a query is."""

from __future__ import annotations

from pathlib import Path

import pytest

from cortex.recall.questions import is_impersonal


def _questions() -> list[tuple[str, bool]]:
    """Questions, and whether they are for what only the asker can mean; the words were chosen on the first 90."""
    lines = Path(__file__).with_name("data").joinpath("known_things.txt").read_text("utf-8").splitlines()
    return [(line[2:], line[0] == "+") for line in lines]


@pytest.mark.parametrize(("part", "general"), [(slice(90), 3), (slice(90, None), 4)])
def test_a_question_for_a_thing_that_the_asker_takes_for_known_is_personal(part: slice, general: int) -> None:
    """X8: of general knowledge, some is taken for that: "who built the pyramids?" looks like "who fixed the gate?"."""
    cases = _questions()[part]
    assert [text for text, is_known in cases if is_known and is_impersonal(text)] == []
    assert len([text for text, is_known in cases if not is_known and not is_impersonal(text)]) <= general


def test_messages_about_anything_stay_so() -> None:
    for message in ("what is the capital of Mongolia?", "How far is the moon?", "When did the Berlin Wall fall?",
                    "explain how the heart works", "who won the world cup in 1998?"):  # fmt: skip
        assert is_impersonal(message)

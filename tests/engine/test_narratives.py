"""What a model tells of memories, through the engine (C5)."""

from __future__ import annotations

from collections.abc import Callable

from cortex.memory import Cortex
from cortex.testing import FakeLLM

Open = Callable[..., Cortex]
LARKSPUR = ("Priya leads the Larkspur team", "Larkspur runs on Postgres 15", "Larkspur has a budget of $12,400")


def told(open_engine: Open, *sentences: str) -> tuple[str, str]:
    """What is left of what a model says of the memories, and why it is a digest where nothing is."""
    engine = open_engine(model=FakeLLM([" ".join(f"{each}." for each in sentences)]))
    for text in LARKSPUR:
        engine.remember(text)
    made = engine.synthesize("What do we know of Larkspur?").synthesis
    return made.text, made.because


def test_only_what_the_memories_say_is_told(open_engine: Open) -> None:
    """C5"""
    said = [
        "The Larkspur team is led by Priya",
        "Priya leads the Larkspur team and wrote its parser",
        "Larkspur leads Priya's team",
        "Larkspur uses Postgres 15",
        "Larkspur may run on Postgres 15",
        "Larkspur spent its budget of $12,400",
        "Larkspur has a yearly budget of $12,400",
    ]
    text, because = told(open_engine, *said)
    assert because == ""
    assert [each for each in said if each in text] == [said[0], said[3]]


def test_where_no_sentence_is_left_a_digest_says_why(open_engine: Open) -> None:
    """C5"""
    text, because = told(open_engine, "Larkspur spent its budget of $12,400 [1]")
    assert because == "not_grounded"
    assert text.startswith("Extractive digest")

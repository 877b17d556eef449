"""Terse chats between people and their agents, and what is worth remembering of them."""

from __future__ import annotations

from pathlib import Path

from bench.capture import gold

CHOSEN = Path(__file__).with_name("terse-1")
"""What rules and numbers may be chosen on."""


def facts(folder: Path) -> dict[str, tuple[gold.Fact, ...]]:
    """What is worth remembering of each turn of a user."""
    return gold.labels(folder / "facts.jsonl")

"""Terse chats between people and their agents, and what is worth remembering of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Line = Mapping[str, Any]

CHOSEN, JUDGING = (Path(__file__).with_name(name) for name in ("terse-1", "terse-2"))


def lines(path: Path) -> Iterator[Line]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def facts(folder: Path) -> dict[str, list[Line]]:
    """What is worth remembering of each turn of a user."""
    return {line["id"]: line["facts"] for line in lines(folder / "facts.jsonl")}


def shares(text: str, fact: Line) -> float:
    """How many of the keys of a fact a text holds."""
    folded = text.casefold()
    return sum(any(key in folded for key in keys.split("|")) for keys in fact["keys"]) / len(fact["keys"])

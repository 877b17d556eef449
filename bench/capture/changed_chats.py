"""What people tell an agent over months, and which statement changes which: a file of `changes/` for each author.

    {"chat", "messages": [{"day", "sentences": […]}], "relations": [{"old": [message, sentence], "new": …, "relation"}]}

All but the judging ones may be read and fitted on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cortex.capture.flow import NEAREST
from cortex.capture.likely_changes import Earlier, telling

FOLDER = Path(__file__).with_name("changes")
JUDGES = ("judge", "judge-long")
LONG = frozenset({"five", "six", "seven"})
"""The authors of long histories that are fitted on."""


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, and the message it stands in."""

    text: str
    message: int
    day: date


@dataclass(frozen=True)
class ChangedChat:
    """What one person says, in order, and which of it changes or contradicts what they said before."""

    author: str
    name: str
    said: Sequence[Said]
    relations: Mapping[tuple[int, int], str]
    """The relation of an earlier and a later sentence, by their places."""

    @cached_property
    def of_one_thing(self) -> frozenset[tuple[int, int]]:
        """The pairs that are related, or by way of others: what was changed twice is of one thing still."""
        found = set(self.relations)
        while more := {(one, three) for one, two in found for again, three in found if two == again} - found:
            found |= more
        return frozenset(found)

    def is_news(self, place: int) -> bool:
        return any(new == place for _, new in self.relations)

    def beside(self, place: int, cosines: NDArray[np.float64]) -> tuple[list[int], list[Earlier]]:
        """What an engine compares a sentence with: the nearest of earlier messages, by meaning and by words."""
        new = self.said[place]
        earlier = [at for at in range(place) if self.said[at].message < new.message]
        near = sorted(earlier, key=lambda at: -cosines[at])[:NEAREST]
        words = telling(new.text)
        held = {at: words & telling(self.said[at].text) for at in earlier}
        count = {word: sum(word in each for each in held.values()) for word in words}
        weight = {at: sum(math.log(1 + len(earlier) / (1 + count[word])) for word in each) for at, each in held.items()}
        alike = sorted((at for at in earlier if held[at]), key=lambda at: (-weight[at], -cosines[at]))[:NEAREST]
        found = sorted({*near, *alike})
        return found, [
            Earlier(self.said[at].text, float(cosines[at]) if at in near else None, new.day - self.said[at].day)
            for at in found
        ]


def training() -> list[ChangedChat]:
    return [chat for file in sorted(FOLDER.glob("*.jsonl")) if file.stem not in JUDGES for chat in read_chats(file)]


def judging() -> list[ChangedChat]:
    return [chat for name in JUDGES for chat in read_chats(FOLDER / f"{name}.jsonl")]


def read_chats(file: Path) -> Iterator[ChangedChat]:
    for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        yield _chat(file.stem, row)


def _chat(author: str, row: Mapping[str, Any]) -> ChangedChat:
    places: dict[tuple[int, int], int] = {}
    said: list[Said] = []
    for number, message in enumerate(row["messages"]):
        for at, sentence in enumerate(message["sentences"]):
            places[number, at] = len(said)
            said.append(Said(sentence, number, date.fromisoformat(message["day"])))
    relations = {
        (places[tuple(each["old"])], places[tuple(each["new"])]): each["relation"]
        for each in row["relations"]
        if each["old"][0] < each["new"][0]
    }
    return ChangedChat(author, row["chat"], said, relations)

"""A history of turns for a golden set: questions that memory answers, and questions that it cannot answer."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from cortex.domain.memory import Draft
from cortex.memory import Cortex
from cortex.services.turn_hooks import TurnHooks

_SYLLABLES = ("ba", "do", "fi", "gu", "ka", "le", "mo", "nu", "pe", "ri", "sa", "to", "vu", "wi", "za", "chi", "plo")
_THINGS = ("gateway", "archive", "ledger", "printer", "greenhouse", "turbine", "warehouse", "telescope", "ferry")
_TRAITS = ("color", "keeper", "supplier", "code word", "location", "schedule", "owner", "backup site")
TURNS_PER_SESSION = 20


@dataclass(frozen=True, slots=True)
class AskedFact:
    """A question of the history: with its answer, or without one."""

    question: str
    fact: str = ""
    reply: str = "I do not know that."


class HistoryWriter:
    """Writes turns as a host would have them: recall before each, and the conversation stored afterwards."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def word(self) -> str:
        return "".join(self._random.choices(_SYLLABLES, k=3))

    def answered(self) -> AskedFact:
        """A question that a memory answers; the more else it says, the less similar it is to the question."""
        thing, trait = self._random.choice(_THINGS), self._random.choice(_TRAITS)
        name = self.word().title()
        value = " ".join(self.word() for _ in range(self._random.randint(1, 9)))
        question = f"What is the {trait} of the {name} {thing}?"
        return AskedFact(question, f"The {trait} of the {name} {thing} is {value}.", f"It is {value}.")

    def unanswered(self) -> AskedFact:
        """A question that nothing answers."""
        return AskedFact(f"Is {self.word().title()} {self.word()} with {self.word()} or {self.word()}?")

    def asked(self, answered: int, silent: int) -> list[AskedFact]:
        found = [self.answered() for _ in range(answered)] + [self.unanswered() for _ in range(silent)]
        self._random.shuffle(found)
        return found


def remember(engine: Cortex, facts: Sequence[AskedFact]) -> None:
    """Store what the answers need."""
    engine.remember_all([Draft(text=each.fact) for each in facts if each.fact])


def talk(engine: Cortex, facts: Sequence[AskedFact], *, name: str = "talk") -> None:
    """Ask everything, session by session; the reply says what is known."""
    hooks = TurnHooks(engine)
    for start in range(0, len(facts), TURNS_PER_SESSION):
        session, history = f"{name} {start}", []
        for each in facts[start : start + TURNS_PER_SESSION]:
            hooks.before(each.question, session=session)
            history += [{"role": "user", "content": each.question}, {"role": "assistant", "content": each.reply}]
        # Three turns on which nobody corrects anything.
        for number in range(3):
            history += [
                {"role": "user", "content": f"Thanks, go on with part {number} of the plan."},
                {"role": "assistant", "content": "I will."},
            ]
        engine.ingest(history, session=session)
    hooks.flush()
    engine.flush()

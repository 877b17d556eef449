"""What the user said before that left no memory, where a new statement denies it or gives another value of it.

Most of what is said is never a memory: it stood in a question, or weighed too little. Its turn is stored, so a denial
or another value can be held against it. A statement found so is extracted after all, and decided beside the new one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from cortex.capture import relations
from cortex.capture.candidate import Candidate
from cortex.capture.claims import may_be_denied, may_say_otherwise, states_an_amount
from cortex.domain.identity import TraceId
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import Memory
from cortex.domain.terms import query_terms
from cortex.domain.trust import TrustTier
from cortex.domain.turn import Role, Turn
from cortex.languages.lists import finder
from cortex.ports.store import Filter, View

MOST_LOOKUPS = 32
"""For how many statements of a step earlier turns are searched."""

MOST_FOUND = 24
"""How many turns a search finds, of all roles."""

MOST_READ = 8
"""How many of them are read: the best that the same speaker said before. Of these few a step reads each once."""

LONGEST = 8_000
"""A turn of more characters is mostly pasted, and takes long to read."""

MOST_BETWEEN = 6
"""How many turns back a correction reaches for what left no memory."""

MOST_SIDES = 2
"""How many earlier statements are extracted for one new statement."""

Stated = Callable[[Turn], Sequence[Candidate]]
"""Every statement of a turn that can stand alone, whatever it is worth."""


_DENIES = finder("denies")


@dataclass(slots=True)
class Lookback:
    """Searches the turns of a user for what new statements deny or change, for one step of capture."""

    view: View
    stated: Stated
    is_worth: Callable[[Turn], bool]
    """Whether anything may be extracted from a turn at all."""
    _read: dict[TraceId, Sequence[Candidate]] = field(default_factory=dict)
    _lookups: int = 0
    _lookups_for_denials: int = 0

    def other_sides(
        self, memory: Memory, said: Turn, *, corrects: bool = False, provisional: bool = False
    ) -> list[tuple[Candidate, Turn]]:
        """The earlier statements that `memory`, from the turn `said`, denies, corrects or gives another value of.

        What is `provisional` is worth a search only if it says that something is otherwise than before.
        """
        gives_value = not provisional and states_an_amount(memory.text)
        is_searched = corrects or gives_value or may_say_otherwise(memory.text)
        if self._lookups >= MOST_LOOKUPS or not is_searched:
            return []
        self._lookups += 1
        return self._sides(
            self._earlier(memory, said),
            lambda turn, text: (
                _cannot_both_hold(text, memory.text)
                or (corrects and _is_shortly_before(turn, said) and relations.gives_another_value(text, memory.text))
            ),
        )

    def denials(self, memory: Memory, said: Turn) -> list[tuple[Candidate, Turn]]:
        """The earlier statements in which the same speaker denied what `memory` tells of them."""
        if self._lookups_for_denials >= MOST_LOOKUPS or not may_be_denied(memory.text):
            return []
        self._lookups_for_denials += 1
        denying = [turn for turn in self._earlier(memory, said) if _DENIES.search(turn.text)]
        return self._sides(denying, lambda _, text: relations.compare(text, memory.text).denied)

    def _sides(self, turns: Sequence[Turn], is_other: Callable[[Turn, str], bool]) -> list[tuple[Candidate, Turn]]:
        """The first few of what the turns state that is the other side."""
        found = (
            (candidate, turn)
            for turn in turns
            for candidate in self._statements(turn)
            if is_other(turn, candidate.text)
        )
        return [each for each, _ in zip(found, range(MOST_SIDES), strict=False)]

    def _earlier(self, memory: Memory, said: Turn) -> list[Turn]:
        """What the same speaker said before in nearly the same words, the best first."""
        among = Filter(
            lanes=frozenset({Lane.SESSIONS}),
            scopes=frozenset({memory.scope}),
            trusts=frozenset({TrustTier.TRUSTED}),
            states=frozenset({State.ACTIVE}),
        )
        matches = self.view.keywords(query_terms(memory.text), among, MOST_FOUND)
        turns = (each for each in self.view.load([match.id for match in matches]) if isinstance(each, Turn))
        return [turn for turn in turns if _is_before(turn, said) and self.is_worth(turn)][:MOST_READ]

    def _statements(self, turn: Turn) -> Sequence[Candidate]:
        if turn.id not in self._read:
            self._read[turn.id] = self.stated(turn)
        return self._read[turn.id]


def _is_before(turn: Turn, said: Turn) -> bool:
    is_like = (turn.role, turn.speaker) == (Role.USER, said.speaker) and len(turn.text) <= LONGEST
    is_earlier = (turn.created_at, turn.id) < (said.created_at, said.id)
    return is_like and is_earlier and turn.is_alive(said.created_at)


def _is_shortly_before(turn: Turn, said: Turn) -> bool:
    return turn.session == said.session and said.seq - turn.seq <= MOST_BETWEEN


def _cannot_both_hold(earlier: str, later: str) -> bool:
    relation = relations.compare(earlier, later)
    return relation.is_update or relation.is_contradiction

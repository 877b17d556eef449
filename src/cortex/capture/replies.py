"""The turns that say what a memory says: those it came from, and replies of the assistant that repeat it.

"Where do I live again?" – "In Oslo." holds no longer than "I live in Oslo" does.
"""

from __future__ import annotations

from cortex.domain.lanes import Lane, State
from cortex.domain.memory import Memory
from cortex.domain.terms import index_terms, query_terms
from cortex.domain.text_similarity import denies
from cortex.domain.turn import Role, Turn
from cortex.ports.store import Filter, View

_MOST = 24
"""How many turns that share words with a memory are looked at."""

_LONGEST = 160
"""A longer reply says more than it repeats."""


def turns_that_say(old: Memory, new: Memory, view: View) -> list[Turn]:
    """The turns that say what `old` does, which `new` replaced."""
    sources = [turn for turn in view.load(old.source_turns) if isinstance(turn, Turn)]
    near = Filter(lanes=frozenset({Lane.SESSIONS}), scopes=frozenset({old.scope}))
    matches = view.keywords(query_terms(old.text), near, _MOST)
    found = view.load([match.id for match in matches if match.id not in old.source_turns])
    return sources + [turn for turn in found if isinstance(turn, Turn) and _repeats(turn, old, new, view)]


def _repeats(turn: Turn, old: Memory, new: Memory, view: View) -> bool:
    """Whether a turn is a reply from before `new` that, with the question it answers, has all the words of `old`."""
    if turn.role is not Role.ASSISTANT or turn.state is not State.ACTIVE or len(turn.text) > _LONGEST:
        return False
    if not old.created_at <= turn.created_at <= new.created_at or denies(turn.text) is not denies(old.text):
        return False
    before = view.turn_at(turn.session, turn.seq - 1)
    asked = _terms(before.text) if before is not None and before.role is Role.USER else frozenset()
    said, stated = frozenset(index_terms(turn.text)), _terms(old.text)
    # What has changed must be said by the reply itself.
    return stated <= said | asked and bool(stated - _terms(new.text) - asked)


def _terms(text: str) -> frozenset[str]:
    return frozenset(term.text for term in query_terms(text))

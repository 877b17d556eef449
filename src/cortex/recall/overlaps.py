"""What would be shown twice: the shared lines of chunks of one file (B4), and what somebody said several times."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

from cortex.domain.chunk import Chunk
from cortex.domain.terms import index_terms
from cortex.domain.turn import Turn
from cortex.recall.ranking import Scored

LEAST_REPEATED = 20
"""A turn with fewer characters may answer several questions: "Yes, on Friday." counts with what was said before it."""

Before = Callable[[Turn], str]
"""What was said right before a turn."""


def without_copies(ranked: Sequence[Scored], terms: Set[str]) -> tuple[list[Scored], list[Scored]]:
    """Without chunks whose words in answer to the query all stand in a better one; and what was left out."""
    kept: list[Scored] = []
    copies: list[Scored] = []
    shown: dict[str, list[Chunk]] = {}
    for each in ranked:
        chunk = each.trace
        if isinstance(chunk, Chunk) and any(_is_copy(chunk, other, terms) for other in shown.get(chunk.path, ())):
            copies.append(each)
            continue
        kept.append(each)
        if isinstance(chunk, Chunk):
            shown.setdefault(chunk.path, []).append(chunk)
    return kept, copies


def without_repetitions(ranked: Sequence[Scored], before: Before) -> tuple[list[Scored], list[Scored]]:
    """Without turns in which somebody says word for word what a better one says; and what was left out."""
    kept: list[Scored] = []
    repeated: list[Scored] = []
    said: set[tuple[str, str, str, str]] = set()
    for each in ranked:
        turn = each.trace
        if not isinstance(turn, Turn):
            kept.append(each)
            continue
        words = (turn.role, turn.speaker, turn.text, before(turn) if len(turn.text) < LEAST_REPEATED else "")
        (repeated if words in said else kept).append(each)
        said.add(words)
    return kept, repeated


def _is_copy(chunk: Chunk, other: Chunk, terms: Set[str]) -> bool:
    """Whether what `chunk` has beyond `other` holds none of the words that it shares with it."""
    if chunk.start_line > other.end_line or other.start_line > chunk.end_line:
        return False
    if chunk.start_line < other.start_line:
        shared = _shared(chunk.text, other.text)
        own = chunk.text[: len(chunk.text) - shared]
    else:
        shared = _shared(other.text, chunk.text)
        own = chunk.text[shared:]
    if not shared:
        return False
    found = terms & set(index_terms(chunk.text))
    return bool(found) and not found & set(index_terms(own))


def _shared(first: str, second: str) -> int:
    """How many characters the end of one has in common with the beginning of the other."""
    at = max(0, len(first) - len(second)) - 1
    while (at := first.find(second[:1], at + 1)) >= 0:
        if second.startswith(first[at:]):
            return len(first) - at
    return 0

"""What of a file answers a question: the file itself, or some of its characters.

A question is answered by units. Where a set names a file alone, the file is the one unit; where it names spans, every
character of them is one: then recall is the share of the characters that was found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set

_AT = "@"
_CHARACTER = re.compile(rf"(.+){_AT}(\d+)", re.DOTALL)
_PIECE = re.compile(rf"(.+){_AT}(\d+)-(\d+)", re.DOTALL)


def units(path: str, spans: Iterable[Sequence[int]]) -> frozenset[str]:
    """The characters of `path` within `spans`."""
    return frozenset(f"{path}{_AT}{place}" for start, end in spans for place in range(start, end))


def piece_id(path: str, start: int, end: int) -> str:
    """Names the characters from `start` to before `end` of a file."""
    return f"{path}{_AT}{start}-{end}"


def answered_by(relevant: Set[str], path: str, start: int, end: int) -> frozenset[str]:
    """Those of the `relevant` units that lie in a piece."""
    if path in relevant:
        return frozenset({path})
    return frozenset(unit for place in range(start, end) if (unit := f"{path}{_AT}{place}") in relevant)


def answered_by_piece(relevant: Set[str], id: str) -> frozenset[str]:
    """The same for a piece by its id; nothing for what is no piece of a file."""
    piece = _PIECE.fullmatch(id)
    return answered_by(relevant, piece[1], int(piece[2]), int(piece[3])) if piece else frozenset()


def spans_of(units: Iterable[str]) -> list[str]:
    """Units in their shortest form, in order: characters that follow each other as one piece."""
    whole: list[str] = []
    characters: list[tuple[str, int]] = []
    for unit in units:
        found = _CHARACTER.fullmatch(unit)
        if found:
            characters.append((found[1], int(found[2])))
        else:
            whole.append(unit)
    spans: list[tuple[str, int, int]] = []
    for path, place in sorted(characters):
        if spans and spans[-1][0] == path and spans[-1][2] == place:
            spans[-1] = (path, spans[-1][1], place + 1)
        else:
            spans.append((path, place, place + 1))
    return [*sorted(whole), *(piece_id(*span) for span in spans)]

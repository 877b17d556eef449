"""What of a file answers a question: the file itself, or some of its characters.

A question is answered by units. Where a set names a file alone, the file is the one unit; where it names spans, every
character of them is one: then recall is the share of the characters that was found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

_AT = "@"


def units(path: str, spans: Iterable[Sequence[int]]) -> frozenset[str]:
    """The characters of `path` within `spans`."""
    return frozenset(f"{path}{_AT}{place}" for start, end in spans for place in range(start, end))


def piece_id(path: str, start: int, end: int) -> str:
    """Names the characters from `start` to before `end` of a file."""
    return f"{path}{_AT}{start}-{end}"


def path_of(unit: str) -> str:
    """The file a unit or piece is of."""
    return unit.rpartition(_AT)[0] or unit


def answered_by(relevant: Set[str], path: str, start: int, end: int) -> frozenset[str]:
    """Those of the `relevant` units that lie in a piece."""
    if path in relevant:
        return frozenset({path})
    return frozenset(unit for unit in relevant if path_of(unit) == path and start <= int(unit.rpartition(_AT)[2]) < end)


def answered_by_piece(relevant: Set[str], id: str) -> frozenset[str]:
    """The same for a piece by its id."""
    path, _, span = id.rpartition(_AT)
    start, _, end = span.partition("-")
    return answered_by(relevant, path, int(start), int(end))

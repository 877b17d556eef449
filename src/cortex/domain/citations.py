"""Reading citations back: `notes/plan.md#L10-L15` is six lines from line 10 on."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CITATION = re.compile(r"(.+)#L([1-9]\d{0,8})(?:-L?([1-9]\d{0,8}))?")


@dataclass(frozen=True, slots=True)
class CitedLines:
    """Lines of a file; None means from its beginning, or to its end."""

    path: str
    start: int | None = None
    lines: int | None = None

    @classmethod
    def of(cls, given: str) -> CitedLines:
        """A path, or a whole citation."""
        found = _CITATION.fullmatch(given)
        if found is None:
            return cls(given)
        first, last = int(found[2]), int(found[3] or found[2])
        return cls(found[1], first, max(1, last - first + 1))

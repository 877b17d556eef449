"""Which messages of a session came as events already. Their keys are kept in pages of session state, oldest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cortex.ports.store import Change, ExpectState, PatchSession, View

PAGE_KEYS = 1_000
"""A batch writes the last page anew, so pages are small."""

_KEYS = "keys"
_PREFIX = "#events/"


@dataclass(frozen=True, slots=True)
class SeenEvents:
    """The keys that a session knows."""

    session: str
    pages: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, view: View, session: str) -> SeenEvents:
        pages: list[tuple[str, ...]] = []
        while (state := view.state(_page(session, len(pages)))) is not None:
            pages.append(tuple(state.get(_KEYS) or ()))
        return cls(session, tuple(pages))

    def unseen(self, keys: Sequence[str]) -> list[int]:
        """The places of those that are not known yet; of one key twice, the first."""
        known = {key for page in self.pages for key in page}
        found = []
        for place, key in enumerate(keys):
            if key not in known:
                known.add(key)
                found.append(place)
        return found

    def adding(self, keys: Sequence[str]) -> list[Change]:
        """What makes these known, unless another reader was first."""
        last = self.pages[-1] if self.pages else ()
        number = max(len(self.pages) - 1, 0)
        changes: list[Change] = [ExpectState(_page(self.session, number), {_KEYS: list(last) if self.pages else None})]
        rest = [*last, *keys]
        while rest:
            changes.append(PatchSession(_page(self.session, number), {_KEYS: rest[:PAGE_KEYS]}))
            rest, number = rest[PAGE_KEYS:], number + 1
        return changes


def _page(session: str, number: int) -> str:
    return f"{_PREFIX}{session}/{number}"


def is_page(session: str) -> bool:
    """Whether this is the name of a page, and not of a session."""
    return session.startswith(_PREFIX)

"""Saved views: filters and an order of a page of the dashboard, under a name that all who see this memory share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from cortex.context import Context
from cortex.domain.trace import parse_time
from cortex.errors import InvalidRequest, NotFound
from cortex.ports.store import ExpectState, PatchSession, retry_on_conflict

VIEWS = "#views"
"""The session in whose state the saved views of a user are kept: dumps, backups and erasures treat it as any other."""

MOST = 100
MOST_NAME_CHARS = 64
MOST_QUERY_CHARS = 4_000


@dataclass(frozen=True, slots=True)
class SavedView:
    """A page of the dashboard with its filters, as the query of its address."""

    name: str
    page: str
    query: str
    at: datetime

    def to_state(self) -> dict[str, Any]:
        return {"page": self.page, "query": self.query, "at": self.at.isoformat()}


class SavedViewService:
    """The saved views of one user's memory."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def all(self) -> Sequence[SavedView]:
        with self._context.store_view() as view:
            return _views_in(view.state(VIEWS))

    def save(self, name: str, query: str, *, page: str = "memories") -> SavedView:
        """Keep a view under a name; one that is there under it is replaced."""
        name, page = _line(name, "name", MOST_NAME_CHARS), _line(page, "page", MOST_NAME_CHARS)
        if not isinstance(query, str) or len(query) > MOST_QUERY_CHARS or not query.isprintable():
            raise InvalidRequest(
                "is not the query of an address", field="query", hint=f"give up to {MOST_QUERY_CHARS:,} characters"
            )
        saved = SavedView(name, page, query, self._context.clock.now())

        def attempt() -> None:
            with self._context.store_view() as view:
                known = view.state(VIEWS) or {}
            if name not in known and len(known) >= MOST:
                raise InvalidRequest(f"would be one more than {MOST}", field="name", hint="remove a saved view first")
            self._context.apply(
                [ExpectState(VIEWS, {name: known.get(name)}), PatchSession(VIEWS, {name: saved.to_state()})]
            )

        retry_on_conflict(attempt)
        return saved

    def remove(self, name: str) -> SavedView:
        found = next((view for view in self.all() if view.name == name), None)
        if found is None:
            raise NotFound(f"no saved view {name[:MOST_NAME_CHARS]!r}", hint="see `GET /v1/views`")
        self._context.apply([PatchSession(VIEWS, {name: None})])
        return found


def _views_in(state: Mapping[str, Any] | None) -> list[SavedView]:
    """The views that a state holds, by name. What is not as it should be is as if it were not there."""
    found = (_view(name, payload) for name, payload in (state or {}).items())
    return sorted((view for view in found if view), key=lambda view: (view.name.casefold(), view.name))


def _view(name: str, payload: Any) -> SavedView | None:
    try:
        return SavedView(name, str(payload["page"]), str(payload["query"]), parse_time(payload["at"]))
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _line(text: object, field: str, most: int) -> str:
    if not isinstance(text, str) or not 0 < len(text.strip()) <= most or not text.isprintable():
        raise InvalidRequest("is not a name", field=field, hint=f"give 1 to {most} characters in one line")
    return text.strip()

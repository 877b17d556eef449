"""The query of a recall."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import Any

from cortex.domain.choices import aware, chosen
from cortex.domain.lanes import Lane
from cortex.domain.memory import Kind
from cortex.domain.scope import checked_label
from cortex.domain.tags import checked_name
from cortex.errors import InvalidRequest

MAX_QUERY_CHARS = 8_192
"""What counts of a query: a longer one is cut, so that a long paste costs no more."""

MAX_LIMIT = 1_000
MAX_POSITION = 2**63 - 1
MAX_BUDGET = 1_000_000


class Mode(StrEnum):
    """Automatic recall may answer nothing; a search by a person shows what there is."""

    AUTO = "auto"
    SEARCH = "search"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One question to the memory of one tenant. None means: as the recipe says."""

    text: str
    scope: str | None = None
    project: str | None = None
    """The project at hand: its own memories come before equal ones, and nothing is left out for it (X6)."""
    share_personal: bool = False
    """With `scope`: what is kept for the person, in the scope `personal`, counts as well."""
    lanes: frozenset[Lane] | None = None
    kinds: frozenset[Kind] | None = None
    recipe: str | None = None
    limit: int | None = None
    budget: int | None = None
    min_score: float | None = None
    """The least score of a hit, whatever it was compared by."""
    hybrid_floor: float | None = None
    """The least score where words and meaning were both compared, in the place of the recipe's own."""
    quarantined: bool = False
    mode: Mode = Mode.AUTO
    asked_at: datetime | None = None
    as_of: datetime | int | str | None = None
    """The state to search: at a time, at a ledger position, or at the tag of this name."""
    at_least: int | None = None
    """The position of a change that the answer must know of, such as one made through another process."""
    since: datetime | None = None
    until: datetime | None = None
    deadline_ms: float | None = None

    @classmethod
    def of(cls, text: str, **options: Any) -> Query:
        """A query from plain values: names of lanes and kinds in any collection, times with or without a zone."""
        if not isinstance(text, str):
            raise InvalidRequest("is not text", field="query", hint="give a string")
        known = {field.name for field in fields(cls)}
        for name in options:
            if name not in known:
                raise InvalidRequest(
                    "is not an option of recall", field=name, hint=f"known: {', '.join(sorted(known))}"
                )
        for name, choices in (("lanes", Lane), ("kinds", Kind)):
            if (given := options.get(name)) is not None:
                names = [given] if isinstance(given, str) else given
                options[name] = frozenset(chosen(choices, value, name) for value in names)
        if "mode" in options:
            options["mode"] = chosen(Mode, options["mode"], "mode")
        for name in ("asked_at", "since", "until"):
            if options.get(name) is not None:
                options[name] = aware(options[name], name)
        if isinstance(as_of := options.get("as_of"), str):
            checked_name(as_of, "as_of")
        elif as_of is not None and not isinstance(as_of, int):
            options["as_of"] = aware(as_of, "as_of")
        return cls(text=text, **options)

    def __post_init__(self) -> None:
        # An empty message is a turn that needs no recall; an empty search is a mistake.
        if self.mode is Mode.SEARCH and not self.text.strip():
            raise InvalidRequest("is empty", field="query", hint="give some words; `cortex list` shows everything")
        if self.scope is not None:
            checked_label(self.scope, "scope")
        if self.project is not None:
            checked_label(self.project, "project")
        _within("limit", self.limit, 1, MAX_LIMIT)
        _within("at_least", self.at_least, 0, MAX_POSITION)
        _within("budget", self.budget, 1, MAX_BUDGET)
        _within("min_score", self.min_score, 0.0, 1.0)
        _within("hybrid_floor", self.hybrid_floor, 0.0, 1.0)
        _within("deadline_ms", self.deadline_ms, 1.0, 600_000.0)


def _within(field: str, value: float | None, low: float, high: float) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidRequest("is not a number", field=field, hint=f"give {_figure(low)} to {_figure(high)}")
    if not low <= value <= high:
        limits = f"{_figure(low)} to {_figure(high)}"
        raise InvalidRequest(f"{_figure(value)} is outside {limits}", field=field, hint=f"give {limits}")


def _figure(number: float) -> str:
    """As a person writes it: 1000000, and not 1e+06."""
    return str(number) if isinstance(number, int) else f"{number:.10g}"

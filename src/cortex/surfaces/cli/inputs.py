"""Parsing of arguments: text or `-`, times, durations, filters."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cortex.errors import InvalidRequest

if TYPE_CHECKING:
    from cortex.ports.store import Filter

STDIN = "-"
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}

Choice = TypeVar("Choice", bound=StrEnum)


def text_of(given: str, field: str) -> str:
    """`given`, or the content of stdin if it is `-`."""
    if given != STDIN:
        return given
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidRequest("is not UTF-8", field=field, hint="convert it first, such as with `iconv`") from error


def drain() -> None:
    """Read stdin to its end and discard it."""
    while sys.stdin.buffer.read(1 << 16):
        pass


@contextmanager
def lines_of(given: str) -> Iterator[Iterator[str]]:
    """The lines of a file, or of stdin if it is `-`. Bytes that are not UTF-8 become surrogates."""
    if given == STDIN:
        yield (line.decode("utf-8", "surrogateescape") for line in sys.stdin.buffer)
        return
    try:
        with Path(given).open("rb") as file:
            yield (line.decode("utf-8", "surrogateescape") for line in file)
    except OSError as error:
        raise InvalidRequest(
            f"cannot be read: {error.strerror or error}", field=given, hint="check the path and permissions"
        ) from error


def time_of(given: str | None, field: str) -> datetime | None:
    """An ISO 8601 date or time."""
    if given is None:
        return None
    from cortex.domain.trace import parse_time

    try:
        return parse_time(given)
    except (ValueError, OverflowError) as error:
        hint = "give one such as 2026-01-31 or 2026-01-31T09:00+01:00"
        raise InvalidRequest("is not an ISO 8601 time", field=field, hint=hint) from error


def moment_of(given: str | None, field: str = "as_of") -> datetime | int | str | None:
    """A position of the ledger, a time, or the name of a tag, which begins with a letter."""
    if given is not None and given.isascii() and given.isdigit():
        return int(given)
    if given is not None and given[:1].isalpha():
        from cortex.domain.tags import checked_name

        return checked_name(given, field)
    return time_of(given, field)


def duration_of(given: str | None, field: str) -> timedelta | None:
    """A time span such as 720h or 30d."""
    if given is None:
        return None
    found = _DURATION.fullmatch(given.strip())
    try:
        if found:
            return timedelta(**{_UNITS[found[2]]: float(found[1])})
    except OverflowError:
        pass
    raise InvalidRequest("is not a time span", field=field, hint="give a number and s, m, h, d or w, such as 720h")


def days_of(given: str, option: str, *, most: float) -> float:
    """The days of a time span such as 720h or 30d, which an option gives."""
    days = (duration_of(given, option) or timedelta()) / timedelta(days=1)
    if not 0 < days <= most:
        hint = f"give more than 0 and at most {most:g} days, such as 7d"
        raise InvalidRequest(f"{given!r} is out of range", field=option, hint=hint)
    return days


def filter_of(
    *,
    scope: Sequence[str] | None = None,
    kind: Sequence[str] | None = None,
    lane: Sequence[str] | None = None,
    state: Sequence[str] | None = None,
    trust: Sequence[str] | None = None,
    label: Sequence[str] | None = None,
    session: Sequence[str] | None = None,
    since: str | None = None,
    until: str | None = None,
    contains: str | None = None,
    topic: Sequence[str] | None = None,
    tag: Sequence[str] | None = None,
    any_state: bool = False,
) -> Filter:
    """The filter for these options; by default only searchable states."""
    from cortex.domain.lanes import SEARCHABLE, Lane, State
    from cortex.domain.memory import ImportanceLabel, Kind
    from cortex.domain.trust import TrustTier
    from cortex.ports.store import Filter

    return Filter(
        lanes=_choices(Lane, lane, "lane"),
        scopes=frozenset(scope) if scope else None,
        kinds=_choices(Kind, kind, "kind"),
        trusts=_choices(TrustTier, trust, "trust"),
        labels=_choices(ImportanceLabel, label, "label"),
        states=_choices(State, state, "state") or (frozenset(State) if any_state else SEARCHABLE),
        sessions=frozenset(session) if session else None,
        since=time_of(since, "since"),
        until=time_of(until, "until"),
        contains=contains,
        topics=frozenset(topic) if topic else None,
        tags=frozenset(tag) if tag else None,
    )


def given(**options: Any) -> dict[str, Any]:
    """Only the options that were given; the engine has defaults for the others."""
    return {name: value for name, value in options.items() if value is not None and value != []}


def _choices(choices: type[Choice], values: Sequence[str] | None, field: str) -> frozenset[Choice] | None:
    from cortex.domain.choices import chosen

    return frozenset(chosen(choices, value, field) for value in values) if values else None

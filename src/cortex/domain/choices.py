"""Values from outside that must be one of a few, or a time."""

from __future__ import annotations

import difflib
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar

from cortex.errors import InvalidRequest

Choice = TypeVar("Choice", bound=StrEnum)


def chosen(choices: type[Choice], value: Any, field: str) -> Choice:
    """The member that `value` names, or an error that says which there are."""
    try:
        return choices(value)
    except ValueError:
        known = [choice.value for choice in choices]
        near = difflib.get_close_matches(str(value), known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"one of {', '.join(known)}"
        raise InvalidRequest(f"{str(value)[:64]!r} is not known", field=field, hint=hint) from None


def aware(value: datetime, field: str) -> datetime:
    """A time in UTC; one without a zone is taken as UTC."""
    if not isinstance(value, datetime):
        raise InvalidRequest("is not a time", field=field, hint="give a datetime")
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)

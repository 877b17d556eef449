"""The `[[retention]]` tables of the settings: checked, and errors that name the table and the field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeVar

from cortex.domain.choices import chosen
from cortex.domain.importance import ImportanceLabel
from cortex.domain.lanes import Lane
from cortex.domain.retention import FIELDS, LANES, RetentionRule, Then, read_span
from cortex.domain.scope import checked_label
from cortex.errors import InvalidRequest
from cortex.kinds import Kind
from cortex.options import nearest

Choice = TypeVar("Choice", bound=StrEnum)


def read_rules(given: Sequence[Mapping[str, Any]]) -> tuple[RetentionRule, ...]:
    """The rules of some tables. Two that choose the same could not both hold."""
    rules = [_rule(table, f"retention[{number}]") for number, table in enumerate(given)]
    seen: dict[tuple[tuple[str, str], ...], int] = {}
    for number, rule in enumerate(rules):
        conditions = tuple(rule.conditions.items())
        if (first := seen.setdefault(conditions, number)) != number:
            raise InvalidRequest(
                f"chooses the same as retention[{first}]", field=f"retention[{number}]", hint="remove one of the two"
            )
    return tuple(rules)


def _rule(table: Mapping[str, Any], place: str) -> RetentionRule:
    for name in table:
        if name not in FIELDS:
            near = nearest(str(name), FIELDS)
            hint = f"did you mean {near!r}?" if near else f"known here: {', '.join(FIELDS)}"
            raise InvalidRequest("is not part of a rule", field=f"{place}.{str(name)[:64]}", hint=hint)
    if "keep" not in table:
        raise InvalidRequest("is missing", field=f"{place}.keep", hint="give a span such as 30d, or forever")
    try:
        keep = read_span(table["keep"])
    except ValueError:
        raise InvalidRequest(
            "is not a span", field=f"{place}.keep", hint="give a number and h, d, w or y, such as 30d, or forever"
        ) from None
    scope = table.get("scope")
    lane = _choice(Lane, table, "lane", place)
    if lane is not None and lane not in LANES:
        raise InvalidRequest(
            f"{lane} are lines of files, which follow their files", field=f"{place}.lane",
            hint=f"give one of {', '.join(LANES)}; or edit or remove the files",
        )  # fmt: skip
    return RetentionRule(
        keep=keep,
        then=_choice(Then, table, "then", place) or Then.EXPIRE,
        scope=None if scope is None else checked_label(scope, f"{place}.scope"),
        lane=lane,
        kind=_choice(Kind, table, "kind", place),
        label=_choice(ImportanceLabel, table, "label", place),
    )


def _choice(choices: type[Choice], table: Mapping[str, Any], name: str, place: str) -> Choice | None:
    return None if name not in table else chosen(choices, table[name], f"{place}.{name}")

"""Retention rules: how long memories, turns and outcomes are kept, and what happens then. The most specific wins."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import timedelta
from enum import StrEnum
from hashlib import sha256
from typing import Any

from cortex.domain.importance import ImportanceLabel
from cortex.domain.lanes import Lane
from cortex.domain.trace import Trace
from cortex.kinds import Kind

LANES = (Lane.MEMORIES, Lane.SESSIONS, Lane.OUTCOMES)
"""The lanes that rules are about: lines of files follow their files."""

FOREVER = "forever"

_SPAN = re.compile(r"(\d{1,6})([hdwy])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1), "y": timedelta(days=365)}


class Then(StrEnum):
    """What happens to what was kept long enough."""

    EXPIRE = "expire"
    """It is hidden from recall, and its history is kept."""
    ERASE = "erase"
    """It is erased for good, with a certificate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionRule:
    """How long to keep what has all of the named properties; a property that is None says nothing."""

    keep: timedelta | None
    """None: forever."""
    then: Then = Then.EXPIRE
    scope: str | None = None
    lane: Lane | None = None
    kind: Kind | None = None
    label: ImportanceLabel | None = None

    @property
    def conditions(self) -> Mapping[str, str]:
        """The properties that it names, the weightiest first."""
        found = {name: getattr(self, name) for name in CONDITIONS}
        return {name: str(value) for name, value in found.items() if value is not None}

    @property
    def rank(self) -> tuple[int, ...]:
        """How specific it is: by how many properties it names, then by which."""
        named = self.conditions
        return (len(named), *(name in named for name in CONDITIONS))

    def matches(self, trace: Trace) -> bool:
        return trace.lane in LANES and all(
            str(getattr(trace, name, None)) == value for name, value in self.conditions.items()
        )

    def to_json(self) -> dict[str, str]:
        return {**self.conditions, "keep": span_of(self.keep), "then": self.then.value}

    def __str__(self) -> str:
        about = ", ".join(f"{name} {value}" for name, value in self.conditions.items()) or "everything"
        return f"{about}: keep {span_of(self.keep)}" + ("" if self.keep is None else f", then {self.then}")


CONDITIONS = ("scope", "label", "kind", "lane")
"""The properties by which a rule may choose. Of two rules with as many, the one with the earlier property wins."""

DEFAULT_RULES = (RetentionRule(lane=Lane.OUTCOMES, keep=timedelta(days=30)),)
"""They hold unless a rule of the settings has the same conditions."""


def in_force(given: Sequence[RetentionRule]) -> tuple[RetentionRule, ...]:
    """The rules that are given and the default ones beside them, the most specific first."""
    named = {tuple(rule.conditions.items()) for rule in given}
    others = [rule for rule in DEFAULT_RULES if tuple(rule.conditions.items()) not in named]
    return tuple(sorted((*given, *others), key=lambda rule: rule.rank, reverse=True))


def rule_of(trace: Trace, rules: Iterable[RetentionRule]) -> RetentionRule | None:
    """The rule that decides about a trace: the first that matches, where they are `in_force`."""
    return next((rule for rule in rules if rule.matches(trace)), None)


def fingerprint(rules: Iterable[RetentionRule]) -> str:
    """By what some rules are known again."""
    return sha256(json.dumps([rule.to_json() for rule in rules], sort_keys=True).encode()).hexdigest()[:32]


def read_span(given: Any) -> timedelta | None:
    """A span such as `30d`; None for `forever`, and ValueError for what is neither."""
    if given == FOREVER:
        return None
    found = _SPAN.fullmatch(given.strip()) if isinstance(given, str) else None
    if found is None or not int(found[1]):
        raise ValueError(given)
    return int(found[1]) * _UNITS[found[2]]


def span_of(span: timedelta | None) -> str:
    """A span as `read_span` reads it."""
    if span is None:
        return FOREVER
    return f"{span.days}d" if span == timedelta(days=span.days) else f"{span // _UNITS['h']}h"


FIELDS = tuple(each.name for each in fields(RetentionRule))

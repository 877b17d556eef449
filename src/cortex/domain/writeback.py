"""What a grade changes in a memory when it is written back, and what it must not (S5)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from cortex.domain.grading import basis
from cortex.domain.importance import Grade, ImportanceLabel, Origin
from cortex.domain.memory import Memory
from cortex.domain.trust import least
from cortex.errors import InvalidRequest

FIELDS = {
    "importance": "importance",
    "importance_label": "label",
    "scope": "scope",
    "category": "kind",
    "trust_tier": "trust",
}
"""The fields that can be written back, by the names that the original sidecar gives them."""

TRUST = "trust_tier"
FORCED = tuple(name for name in FIELDS if name != TRUST)
"""What is overwritten by default if it is forced; trust only where it is named."""


def checked_fields(names: Collection[str] | None, *, force: bool) -> tuple[str, ...]:
    """The fields that may be overwritten, or an error that names the first one that cannot be."""
    if names is None:
        return FORCED if force else ()
    for name in names:
        if name not in FIELDS:
            raise InvalidRequest(
                f"{name[:64]!r} is not a field that is written back",
                field="force_fields",
                hint=f"give some of {', '.join(FIELDS)}",
            )
    if not force:
        raise InvalidRequest("is given without force", field="force_fields", hint="add force, or leave it out")
    if not names:
        raise InvalidRequest("names no field", field="force_fields", hint=f"give some of {', '.join(FIELDS)}")
    return tuple(name for name in FIELDS if name in names)


@dataclass(frozen=True, slots=True)
class WrittenBack:
    """A memory with its grade written back: which fields were filled, and which were overwritten."""

    memory: Memory
    filled: tuple[str, ...] = ()
    overwritten: tuple[str, ...] = ()

    @property
    def fields(self) -> tuple[str, ...]:
        return self.filled + self.overwritten


def current_grade(memory: Memory, now: datetime) -> Grade | None:
    """The grade of what the memory says now: one of an earlier wording says nothing."""
    return memory.grade if memory.grade is not None and memory.grade.basis == basis(memory, now) else None


def suggested(grade: Grade) -> dict[str, Any]:
    """What a grade has to say, by the field it is written to. `unknown` says nothing: it must not hide a memory."""
    values: dict[str, Any] = {"scope": grade.scope, "category": grade.kind, TRUST: grade.trust}
    if grade.label is not ImportanceLabel.UNKNOWN:
        values |= {"importance": grade.score, "importance_label": grade.label}
    return {name: value for name in FIELDS if (value := values.get(name)) is not None}


def write_back(memory: Memory, forced: Collection[str], now: datetime) -> WrittenBack:
    """The memory as its grade makes it. Without force only what nobody set is filled; trust only falls."""
    if (grade := current_grade(memory, now)) is None:
        return WrittenBack(memory)
    filled: list[str] = []
    overwritten: list[str] = []
    changes: dict[str, Any] = {}
    for name, value in suggested(grade).items():
        field = FIELDS[name]
        current = getattr(memory, field)
        if value == current or (name == TRUST and (TRUST not in forced or least((current, value)) is current)):
            continue
        if memory.origin_of(field) is Origin.DEFAULT:
            filled.append(name)
        elif name in forced:
            overwritten.append(name)
        else:
            continue
        changes[field] = value
    if not changes:
        return WrittenBack(memory)
    revised = memory.revised(**changes, origins=memory.origins.having(changes, Origin.GRADER))
    # What was suggested is so now; the grade holds for the memory as it became.
    left: dict[str, Any] = {name: None for name in ("kind", "scope", "trust") if name in changes}
    graded = replace(grade, basis=basis(revised, now), **left)
    return WrittenBack(revised.revised(grade=graded), tuple(filled), tuple(overwritten))

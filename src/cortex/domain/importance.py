"""How much a memory matters: its label, a grade with its reasons, and who set which of its governed fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from cortex.domain.trust import TrustTier
from cortex.kinds import Kind

MUST_REMEMBER, NICE_TO_HAVE = 0.8, 0.5
"""From which importance on a memory has these labels."""


class ImportanceLabel(StrEnum):
    MUST_REMEMBER = "must_remember"
    NICE_TO_HAVE = "nice_to_have"
    UNKNOWN = "unknown"
    IGNORE = "ignore"

    @classmethod
    def of(cls, importance: float) -> ImportanceLabel:
        """The label a graded importance stands for. `unknown` is for what nobody graded."""
        if importance >= MUST_REMEMBER:
            return cls.MUST_REMEMBER
        return cls.NICE_TO_HAVE if importance >= NICE_TO_HAVE else cls.IGNORE


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """What a grader says of a memory. It is an annotation: only a writeback carries it into the memory."""

    score: float
    label: ImportanceLabel
    reasons: tuple[str, ...]
    """What speaks for and against it, by name."""
    version: str
    """The grader, such as `heuristic-v1`."""
    basis: str = ""
    """Stands for what was graded: if it changed, the grade is out of date."""
    kind: Kind | None = None
    """The kind that the grader suggests, if the memory has none that says anything."""
    scope: str | None = None
    """The scope that the text names."""
    trust: TrustTier | None = None
    """The lower trust that the text deserves."""

    def to_json(self) -> dict[str, Any]:
        """Plain values, without what is not set."""
        payload: dict[str, Any] = {
            "score": self.score,
            "label": self.label.value,
            "reasons": list(self.reasons),
            "version": self.version,
            "basis": self.basis,
        }
        suggested = {"kind": self.kind, "scope": self.scope, "trust": self.trust}
        return payload | {name: str(value) for name, value in suggested.items() if value is not None}

    @classmethod
    def from_json(cls, payload: Mapping[str, Any]) -> Grade:
        """The grade that `to_json` wrote. Raises ValueError, KeyError or TypeError on what is not one."""
        known = {**payload, "label": ImportanceLabel(payload["label"]), "reasons": tuple(payload["reasons"])}
        for name, choices in (("kind", Kind), ("trust", TrustTier)):
            if name in known:
                known[name] = choices(known[name])
        return cls(**known)


class Origin(StrEnum):
    """Who set a governed field of a memory."""

    DEFAULT = "default"
    """Nobody did."""
    EXTRACTOR = "extractor"
    MODEL = "model"
    GRADER = "grader"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class Origins:
    """Who set the governed fields of a memory, as far as it was recorded."""

    recorded: tuple[tuple[str, Origin], ...] = ()

    @classmethod
    def from_json(cls, payload: Mapping[str, str]) -> Origins:
        """The origins that `to_json` wrote. Raises ValueError on what is not one."""
        return cls(tuple(sorted((field, Origin(origin)) for field, origin in payload.items())))

    def to_json(self) -> dict[str, str]:
        return {field: origin.value for field, origin in self.recorded}

    def get(self, field: str) -> Origin | None:
        return dict(self.recorded).get(field)

    def having(self, fields: Iterable[str], origin: Origin) -> Origins:
        """The same, and `fields` were set by `origin`."""
        return Origins(tuple(sorted({**dict(self.recorded), **dict.fromkeys(fields, origin)}.items())))


NO_ORIGINS = Origins()

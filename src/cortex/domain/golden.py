"""A golden set: questions of an operator's own history with the memories that are known to answer them (E20).

It holds ids and no text: a question is read from its receipt, so that what is erased is erased here as well.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Any

from cortex.domain.identity import ReceiptId, TraceId
from cortex.domain.scope import Tenant

MOST = 200
LEAST = 60
SILENT_OF = 5
"""One question in so many is rightly answered by nothing."""


class AnswerEvidence(StrEnum):
    """How it is known what a question should find."""

    APPROVED = "approved"
    """Somebody said so."""
    ECHOED = "echoed"
    """The reply said it, and nobody corrected that for three turns."""
    SILENT = "silent"
    """Nothing was found, and nobody missed it for three turns."""


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """A recorded recall and what it should find; nothing where it is rightly silent."""

    receipt: ReceiptId
    expected: tuple[TraceId, ...]
    evidence: AnswerEvidence
    asked_at: datetime
    """What was stored since is not searched: the conversation about the question would answer it."""

    @property
    def is_silent(self) -> bool:
        return not self.expected


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """The questions of one user, what the operator said about recalls, and the latest result."""

    questions: tuple[GoldenQuestion, ...] = ()
    built_at: datetime | None = None
    marks: Mapping[ReceiptId, Sequence[TraceId] | None] = field(default_factory=dict)
    """By receipts: what a recall should find, nothing where it should be silent, None where it is no question."""
    checked_at: datetime | None = None
    results: Mapping[ReceiptId, bool] = field(default_factory=dict)
    """Which questions found what they should, when that was last checked."""

    def to_json(self) -> bytes:
        return json.dumps(asdict(self), ensure_ascii=False, default=datetime.isoformat).encode()

    @classmethod
    def from_json(cls, body: bytes) -> GoldenSet:
        """The set of `to_json`; ValueError where it is none."""
        try:
            payload = json.loads(body)
            return cls(
                tuple(
                    GoldenQuestion(
                        each["receipt"],
                        tuple(each["expected"]),
                        AnswerEvidence(each["evidence"]),
                        datetime.fromisoformat(each["asked_at"]),
                    )
                    for each in payload["questions"]
                ),
                _time(payload["built_at"]),
                {id: None if ids is None else tuple(ids) for id, ids in payload["marks"].items()},
                _time(payload["checked_at"]),
                dict(payload["results"]),
            )
        except (TypeError, LookupError, AttributeError, RecursionError) as error:
            raise ValueError("is not a golden set") from error


def document_of(tenant: Tenant) -> str:
    """The name of the document with the golden set of a user."""
    digest = sha256(f"{tenant.agent}\0{tenant.user}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"golden-{digest}.json"


def balanced(answered: Sequence[GoldenQuestion], silent: Sequence[GoldenQuestion]) -> tuple[GoldenQuestion, ...]:
    """As many of both as there may be, the best first, with one silent question in five."""
    fifths = min(MOST // SILENT_OF, len(silent), len(answered) // (SILENT_OF - 1))
    return (*answered[: fifths * (SILENT_OF - 1)], *silent[:fifths])


def _time(text: Any) -> datetime | None:
    return datetime.fromisoformat(text) if text else None

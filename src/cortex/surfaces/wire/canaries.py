"""Canaries: the golden set, and settings that a share of the sessions tries (E20)."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema

from cortex.domain.canary import Canary
from cortex.services.canary import CanaryResult
from cortex.services.golden import GoldenMark, GoldenStatus
from cortex.surfaces.wire.fields import AT, ID, AnyReceipt, Id, Moment
from cortex.surfaces.wire.model import Json, Request, Response, example

AnyCanary = Annotated[
    Canary,
    PlainValidator(lambda given: given if isinstance(given, Canary) else Canary.from_json(given)),
    PlainSerializer(Canary.to_json),
    WithJsonSchema({"type": "object", "additionalProperties": True}),
]
MaybeReceipt = Annotated[
    AnyReceipt | None, Field(description="What was done: ids, counts and timings, never text. Null if nothing was.")
]
_RECEIPT: Json = {
    "schema": "cortex.canary.receipt.v1", "id": ID, "op": "canary", "at": AT, "agent": "main", "user": "default",
    "position": 164, "latency_ms": 4_210.5,
}  # fmt: skip


class GoldenResponse(Response):
    """What the golden set is made of."""

    result: ClassVar[type[Any] | None] = GoldenStatus
    questions: int
    answered: int = Field(description="Questions with an expected answer.")
    silent: int = Field(description="Questions that are rightly answered by nothing.")
    approved: int = Field(description="Questions that somebody approved.")
    built_at: Moment | None
    receipt: MaybeReceipt = None

    model_config = example({
        "questions": 200, "answered": 160, "silent": 40, "approved": 12, "built_at": AT, "receipt": _RECEIPT,
    })  # fmt: skip


class MarkGoldenRequest(Request):
    """What a recorded recall should find; by default what it found."""

    receipt_id: str = Field(max_length=64, description="The receipt of the recall.")
    expected: list[Id] | None = Field(None, max_length=100, description="The memories or turns that answer it.")
    silent: bool = Field(False, description="It should find nothing.")
    reject: bool = Field(False, description="It is no question for the golden set.")

    model_config = example({"expected": [ID]})


class MarkGoldenResponse(Response):
    """The mark, which counts from the next build on."""

    result: ClassVar[type[Any] | None] = GoldenMark
    receipt_id: str
    expected: tuple[str, ...]
    is_question: bool

    model_config = example({"receipt_id": ID, "expected": [ID], "is_question": True})


class StartCanaryRequest(Request):
    """Which settings to try, by how many sessions, and for how long."""

    settings: dict[str, str | int | float | bool] = Field(
        min_length=1, max_length=20, description="Settings by their dotted names, such as `recall.recipe`."
    )
    share: float = Field(0.1, ge=0.01, le=0.5, description="The share of the sessions.")
    seconds: float = Field(86_400, ge=60, le=2_592_000, description="After so long they are taken back.")
    dry_run: bool = Field(False, description="Compare only; no session tries them.")

    model_config = example({"settings": {"recall.recipe": "deep.v1"}, "share": 0.1, "seconds": 86_400})


class CanaryResponse(Response):
    """A canary with its state and the figures of both sides; null if there never was one."""

    result: ClassVar[type[Any] | None] = CanaryResult
    canary: AnyCanary | None
    receipt: MaybeReceipt = None
    hint: str = Field("", description="What is left to do.")

    model_config = example({
        "canary": {
            "id": ID, "settings": {"recall.recipe": "deep.v1"}, "share": 0.1, "started_at": AT, "ends_at": AT,
            "agent": "main", "user": "default", "state": "running", "why": "", "closed_at": None,
            "comparison": {"questions": 200, "difference": 0.01, "interval": [-0.01, 0.03]},
        },
        "receipt": _RECEIPT, "hint": "",
    })  # fmt: skip

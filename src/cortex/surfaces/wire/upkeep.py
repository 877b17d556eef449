"""Upkeep: export and import, the lifecycle, background work, checks, backups, health."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from cortex import exchange
from cortex.domain.identity import TraceId
from cortex.domain.lanes import SEARCHABLE
from cortex.domain.receipt import Receipt
from cortex.domain.trace import parse_time
from cortex.lifecycle.backups import Backup, BackupResult, read_name
from cortex.lifecycle.flow import Outcome, Step
from cortex.lifecycle.planned import Planned
from cortex.lifecycle.undoing import Run, Undone
from cortex.lifecycle.upkeep import Anomaly
from cortex.memory import Cortex
from cortex.ports.store import Filter, Finding
from cortex.services.health.health_checks import Check
from cortex.services.lifecycle import ConsolidationResult, UndoResult
from cortex.surfaces.wire.fields import AT, ID, Id, Moment, Next, ReceiptField
from cortex.surfaces.wire.filters import FilterRequest
from cortex.surfaces.wire.model import Json, Request, Response, SequenceResponse, example

# --- export and import ------------------------------------------------------------------------------------------------


class ExportRequest(FilterRequest):
    """What to export, and in which form; without text unless requested."""

    format: Literal["jsonl", "markdown", "pages"] = Field(
        "jsonl",
        description="JSON lines, or Markdown to edit. `pages` is Markdown too, one JSON object a line for each page.",
    )
    with_text: bool = Field(False, description="Include the texts. Markdown always has them: it is to be edited.")
    by_scope: bool = Field(False, description="One of the `pages` for each scope.")
    limit: int | None = Field(None, ge=1, le=1_000_000, description="How many lines at most; all where omitted.")
    after: Id | None = Field(None, description="Only what comes after this id.")

    model_config = example({"format": "jsonl", "with_text": True, "scope": ["infra"]})

    def filter(self) -> Filter:
        found = super().filter()
        # Pages are of what is active; lines have everything.
        return replace(found, states=SEARCHABLE) if self.format != "jsonl" and not self.state else found

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        told = dict(arguments)
        if told.get("format") != "jsonl":
            told["filter"] = told.get("filter") or Filter()
        return super().payload_of(told)

    def records(self, engine: Cortex) -> Iterator[Json]:
        """The lines of the export."""
        found = engine.export(self.filter(), redact=not self.with_text)
        after = self.after
        later = (each for each in found if after is None or each["id"] > after)
        return later if self.limit is None else islice(later, self.limit)


class ExportResponse(Response):
    """Memories and turns in order of id, as an import takes them; HTTP sends them as lines."""

    records: list[Json] = Field(description="The records, in order of id.")
    redacted: bool = Field(description="Whether their text was left out.")
    next: Next

    model_config = example({"records": [], "redacted": True, "next": None})


class ImportRequest(Request):
    """What an export gave: the objects of its lines, or the Markdown with a person's edits; one of the two."""

    lines: list[Json] | None = Field(None, description="The objects of a JSON lines export.")
    markdown: str | dict[str, str] | None = Field(None, description="Edited Markdown: one page, or pages by name.")
    dry_run: bool = Field(False, description="Check everything and say what would happen; change nothing.")
    embed: bool = Field(True, description="Whether what is stored gets its vectors at once.")
    trusted: bool = Field(False, description="Trust it as far as it says itself; for administrators.")
    dedupe: Literal["none", "id", "id_text"] = Field("id_text", description="What counts as remembered already.")
    skip_bad: bool = Field(False, description="Leave out what is wrong instead of refusing all of it.")
    skip_conflicts: bool = Field(False, description="Import everything but what is in conflict.")
    forget_missing: bool = Field(False, description="Forget what the edited file no longer has.")

    model_config = example({
        "lines": [{"type": "memory", "id": ID, "text": "The deploy key rotates on Mondays", "created_at": AT}],
        "dry_run": True,
    })  # fmt: skip

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.lines is None) == (self.markdown is None):
            raise PydanticCustomError("one", "has neither lines nor markdown, or both", {"hint": "give one of the two"})
        return self

    def options(self, *names: str) -> dict[str, Any]:
        return {name: getattr(self, name) for name in names}


class ImportResponse(Response):
    """The receipt of an import; of Markdown also what was in conflict."""

    bare = "told"
    told: Json

    model_config = example({"schema": "cortex.import.receipt.v1", "id": ID, "op": "import", "memories": 1})

    @classmethod
    def of(cls, result: exchange.Imported | exchange.MarkdownImported, request: Any = None) -> Self:  # noqa: ARG003
        told = result.receipt.to_json()
        if isinstance(result, exchange.MarkdownImported):
            told["conflicting"] = [each.to_json() for each in result.plan.divergences]
        return cls(told=told)

    def value(self) -> exchange.Imported | exchange.MarkdownImported:
        """With a plan in numbers: what was imported is known to whoever sent it, and ids are in the receipt."""
        receipt = Receipt.from_json({name: value for name, value in self.told.items() if name != "conflicting"})
        facts = receipt.facts
        if "conflicting" in self.told:
            edits = exchange.MarkdownPlan(
                dry_run=facts["dry_run"],
                trusted=facts["trusted"],
                position=receipt.position,
                unchanged=facts["unchanged"],
                same=facts["same"],
            )
            return exchange.MarkdownImported(edits, receipt)
        plan = exchange.ImportPlan(
            dedupe=exchange.Dedupe(facts["dedupe"]),
            dry_run=facts["dry_run"],
            trusted=facts["trusted"],
            lines=facts["lines"],
            duplicates=Counter(facts["duplicates"]),
            bad=[exchange.BadLine(each["line"], each["field"], each["reason"]) for each in facts["badLines"]],
        )
        return exchange.Imported(plan, receipt)


# --- the lifecycle ----------------------------------------------------------------------------------------------------


class LifecycleRequest(Request):
    """Run the lifecycle, show what it would do, or undo a run."""

    dry_run: bool = Field(False, description="Check everything and say what would happen; change nothing.")
    undo: str | None = Field(None, description="The run to undo, by the name it was given.")

    model_config = example({"dry_run": True})


class LifecycleResponse(Response):
    """What was planned and done; `run` undoes it."""

    run: str | None
    plans: list[Json]
    anomalies: list[Json]
    restored: tuple[str, ...]
    refused: tuple[str, ...] = Field(description="What was not restored, because it has changed since.")
    receipt: ReceiptField

    model_config = example({
        "run": "120-164", "plans": [{"step": "expiry", "reason": "ttl_past", "ids": [ID]}], "anomalies": [],
        "restored": [], "refused": [], "receipt": {"id": ID, "op": "consolidate"},
    })  # fmt: skip

    @classmethod
    def of(cls, result: ConsolidationResult | UndoResult, request: Any = None) -> Self:
        if isinstance(result, UndoResult):
            undone = result.undone
            return cls(
                run=str(undone.run) if request is None else request.undo,
                plans=[],
                anomalies=[],
                restored=undone.restored,
                refused=undone.refused,
                receipt=result.receipt,
            )
        outcome = result.outcome
        return cls(
            run=str(outcome.run) if outcome.run else None,
            plans=[
                {"step": name, "reason": plan.reason, "ids": list(plan.ids)}
                for name, step in outcome.steps.items()
                for plan in step.plans
            ],
            anomalies=[anomaly.to_json() for anomaly in outcome.anomalies],
            restored=(),
            refused=(),
            receipt=result.receipt,
        )

    def value(self) -> ConsolidationResult | UndoResult:
        facts = self.receipt.facts
        if "steps" not in facts:
            run = Run.named(facts["run"])
            return UndoResult(Undone(run, self.restored, self.refused, self.receipt.position), self.receipt)  # type: ignore[arg-type]
        steps: dict[str, Step] = {
            name: StepThere(
                plans=[
                    PlannedThere((), each["reason"], (), tuple(each["ids"]))
                    for each in self.plans
                    if each["step"] == name
                ],
                applied=step["applied"],
                passed_over=step["passedOver"],
            )
            for name, step in facts["steps"].items()
        }
        outcome = Outcome(
            steps=steps,
            dry_run=facts["dryRun"],
            position=self.receipt.position,
            run=Run.named(self.run) if self.run else None,
            anomalies=[Anomaly(**each) for each in self.anomalies],
            degraded=self.receipt.degraded,
        )
        return ConsolidationResult(outcome, self.receipt)


@dataclass(frozen=True, slots=True)
class PlannedThere(Planned):
    """Changes a server has planned: which memories they are of, not what these say."""

    of: tuple[TraceId, ...] = ()

    @property
    def ids(self) -> tuple[TraceId, ...]:
        return self.of


@dataclass(slots=True)
class StepThere(Step):
    """A step a server has planned."""

    @property
    def changes(self) -> int:
        return sum(len(plan.ids) for plan in self.plans)


# --- background work, checks ------------------------------------------------------------------------------------------


class WorkRequest(Request):
    """How much to do of what is due; all of it unless given."""

    most: int | None = Field(None, ge=1, le=1_000_000, description="How many jobs at most.")

    model_config = example({"most": 100})


class DueResponse(Response):
    next: Moment | None = Field(description="When there will be something to do; null where nothing waits.")

    model_config = example({"next": AT})

    @classmethod
    def of(cls, result: datetime | None, request: Any = None) -> Self:  # noqa: ARG003
        return cls(next=result)

    def value(self) -> datetime | None:
        return self.next


class VerifyRequest(Request):
    """Whether to repair what can be repaired."""

    repair: bool = Field(False, description="Recompute what can be made from the traces.")

    model_config = example({"repair": False})


class VerifyResponse(Response):
    """What was found out of order; `ok` where nothing is left of it."""

    ok: bool
    findings: list[Finding]

    model_config = example({
        "ok": False, "findings": [{"code": "postings", "detail": "2 traces have no postings", "repaired": False}],
    })  # fmt: skip

    @classmethod
    def of(cls, result: Any, request: Any = None) -> Self:  # noqa: ARG003
        return cls(ok=all(each.repaired for each in result), findings=list(result))

    def value(self) -> list[Finding]:
        return self.findings


class DoctorResponse(Response):
    """Every check; `ok` is null for what works but should be looked after."""

    ok: bool
    checks: list[Check]

    model_config = example({
        "ok": True, "checks": [{"name": "sqlite", "ok": True, "detail": "3.46.1 with FTS5", "fix": "",
        "group": "machine"}],
    })  # fmt: skip

    @classmethod
    def of(cls, result: Any, request: Any = None) -> Self:  # noqa: ARG003
        return cls(ok=all(check.ok is not False for check in result), checks=list(result))

    def value(self) -> list[Check]:
        return self.checks


# --- backups ----------------------------------------------------------------------------------------------------------


def _backup(told: Json) -> Backup:
    """By its name, as the server's own reading of it; the path is one of the server's."""
    path = Path(told["file"])
    found = read_name(path) or Backup(path, told["agent"], parse_time(told["at"]))
    return replace(found, bytes=told["bytes"])


AnyBackup = Annotated[
    Backup,
    PlainValidator(lambda given: given if isinstance(given, Backup) else _backup(given)),
    PlainSerializer(Backup.to_json),
    WithJsonSchema({"type": "object", "additionalProperties": True}),
]
_BACKUP: Json = {"file": "/…/main-20260105T090000Z.000012.sqlite", "agent": "main", "at": AT, "bytes": 4_096}


class BackupsResponse(SequenceResponse):
    items = "backups"
    backups: tuple[AnyBackup, ...]

    model_config = example({"backups": [_BACKUP]})


class BackupResponse(Response):
    """The new backup, and the old ones that were removed for it."""

    result: ClassVar[type[Any] | None] = BackupResult
    backup: AnyBackup
    removed: tuple[AnyBackup, ...]

    model_config = example({"backup": _BACKUP, "removed": []})


# --- health -----------------------------------------------------------------------------------------------------------


class OptimizeResponse(Response):
    """How the indexes stand."""

    bare = "status"
    status: Json

    model_config = example({"indexes": "none"})


class HealthResponse(Response):
    status: Literal["ok", "ready"]

    model_config = example({"status": "ok"})


class ProblemResponse(Response):
    """A problem detail (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    code: str = Field(description="Stable: decide by it.")
    field: str | None = Field(description="What to change in the request.")
    hint: str | None = Field(description="What to do next.")
    request_id: str = Field(description="As it stands in the log of the server.")
    errors: list[dict[str, str]] | None = None



"""Upkeep: export, import, consolidation, jobs, checks, backups, health."""

from __future__ import annotations

import json
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
from cortex.domain.alerts import Alert
from cortex.domain.health import Check
from cortex.domain.identity import TraceId
from cortex.domain.lanes import SEARCHABLE
from cortex.domain.receipt import Receipt
from cortex.domain.trace import parse_time
from cortex.errors import InvalidRequest
from cortex.lifecycle.backups import Backup, BackupResult, read_name
from cortex.lifecycle.flow import ConsolidationOutcome, Step
from cortex.lifecycle.plan import Planned
from cortex.lifecycle.undo import Run, Undone
from cortex.lifecycle.upkeep import Anomaly
from cortex.memory import Cortex
from cortex.ports.store import Filter, Finding
from cortex.services.drill import Drill, DrillResult
from cortex.services.lifecycle import ConsolidationResult, UndoResult
from cortex.surfaces.wire.fields import AT, ID, AsOf, Id, Moment, Next, ReceiptField
from cortex.surfaces.wire.filters import FilterRequest
from cortex.surfaces.wire.model import Json, Request, Response, SequenceResponse, example

# --- export and import ------------------------------------------------------------------------------------------------


class ExportRequest(FilterRequest):
    """What to export, and in which format; without text by default."""

    format: Literal["jsonl", "markdown", "pages"] = Field(
        "jsonl", description="JSON lines, or editable Markdown. `pages` is Markdown with one JSON object per page."
    )
    with_text: bool = Field(False, description="Include texts. Markdown always has them.")
    by_scope: bool = Field(False, description="With `pages`: one page per scope.")
    limit: int | None = Field(None, ge=1, le=1_000_000, description="How many lines at most; all by default.")
    after: Id | None = Field(None, description="Only after this id.")
    as_of: AsOf = Field(None, description="Export an earlier state: a time, a ledger position, or a tag.")

    model_config = example({"format": "jsonl", "with_text": True, "scope": ["infra"]})

    def filter(self) -> Filter:
        found = super().filter()
        # Pages have active memories only; lines have everything.
        return replace(found, states=SEARCHABLE) if self.format != "jsonl" and not self.state else found

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        payload = dict(arguments)
        if payload.get("format") != "jsonl":
            payload["filter"] = payload.get("filter") or Filter()
        return super().payload_of(payload)

    def records(self, engine: Cortex) -> Iterator[Json]:
        """The lines of the export."""
        found = engine.export(self.filter(), redact=not self.with_text, as_of=self.as_of)
        after = self.after
        later = (each for each in found if after is None or each["id"] > after)
        return later if self.limit is None else islice(later, self.limit)


class ExportResponse(Response):
    """Memories and turns in order of id, ready for an import; HTTP sends them as lines."""

    records: list[Json] = Field(description="The records, in order of id.")
    redacted: bool = Field(description="Whether texts were left out.")
    next: Next

    model_config = example({"records": [], "redacted": True, "next": None})


class ImportRequest(Request):
    """An export to import: the objects of its lines, or edited Markdown."""

    lines: list[Json] | None = Field(None, description="The objects of a JSON lines export.")
    markdown: str | dict[str, str] | None = Field(None, description="Edited Markdown: one page, or pages by name.")
    dry_run: bool = Field(False, description="Show what would happen; change nothing.")
    embed: bool = Field(True, description="Embed at once.")
    trusted: bool = Field(False, description="Accept the trust in the file; for administrators.")
    dedupe: Literal["none", "id", "id_text"] = Field("id_text", description="How duplicates are detected.")
    skip_bad: bool = Field(False, description="Skip invalid lines instead of refusing the import.")
    skip_conflicts: bool = Field(False, description="Skip conflicts and import the rest.")
    forget_missing: bool = Field(False, description="Forget memories that were removed from the file.")

    model_config = example({
        "lines": [{"type": "memory", "id": ID, "text": "The deploy key rotates on Mondays", "created_at": AT}],
        "dry_run": True,
    })  # fmt: skip

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.lines is None) == (self.markdown is None):
            raise PydanticCustomError("one", "needs either lines or markdown", {"hint": "use one of them"})
        return self

    def options(self, *names: str) -> dict[str, Any]:
        return {name: getattr(self, name) for name in names}

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        payload = dict(arguments)
        if (pages := payload.pop("pages", None)) is not None:
            payload["markdown"] = pages if isinstance(pages, str) else dict(pages)
        else:
            lines = enumerate(payload["lines"], start=1)
            payload["lines"] = [_object(line, number) for number, line in lines if line.strip()]
        return super().payload_of(payload)


def _object(line: str, number: int) -> Json:
    try:
        payload = json.loads(line)
    except ValueError:
        payload = None
    if not isinstance(payload, dict):
        raise InvalidRequest("is not a JSON object", field=f"line {number}", hint="fix or remove the line")
    return payload


class ImportResponse(Response):
    """The receipt of an import; for Markdown also the conflicts."""

    bare = "receipt"
    receipt: Json

    model_config = example({"schema": "cortex.import.receipt.v1", "id": ID, "op": "import", "memories": 1})

    @classmethod
    def of(cls, result: exchange.Imported | exchange.MarkdownImported, request: Any = None) -> Self:  # noqa: ARG003
        payload = result.receipt.to_json()
        if isinstance(result, exchange.MarkdownImported):
            payload["conflicting"] = [each.to_json() for each in result.plan.divergences]
        return cls(receipt=payload)

    def value(self) -> exchange.Imported | exchange.MarkdownImported:
        """With a plan of counts only: the caller knows the content, and the receipt has the ids."""
        receipt = Receipt.from_json({name: value for name, value in self.receipt.items() if name != "conflicting"})
        facts = receipt.facts
        if "conflicting" in self.receipt:
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
            bad=[exchange.BadLine(each["line"], each["field"], each["reason"]) for each in facts["bad_lines"]],
        )
        return exchange.Imported(plan, receipt)


# --- consolidation ----------------------------------------------------------------------------------------------------


class ConsolidateRequest(Request):
    """Run consolidation, or show what it would do."""

    dry_run: bool = Field(False, description="Show what would happen; change nothing.")

    model_config = example({"dry_run": True})


class ConsolidateResponse(Response):
    """What was planned and done."""

    run: str | None = Field(description="The name of the run, by which it can be undone; null where nothing changed.")
    plans: list[Json]
    anomalies: list[Json]
    receipt: ReceiptField

    model_config = example({
        "run": "120-164", "plans": [{"step": "expiry", "reason": "ttl_past", "ids": [ID]}], "anomalies": [],
        "receipt": {"id": ID, "op": "consolidate"},
    })  # fmt: skip

    @classmethod
    def of(cls, result: ConsolidationResult, request: Any = None) -> Self:  # noqa: ARG003
        outcome = result.outcome
        return cls(
            run=str(outcome.run) if outcome.run else None,
            plans=[
                {"step": name, "reason": plan.reason, "ids": list(plan.ids)}
                for name, step in outcome.steps.items()
                for plan in step.plans
            ],
            anomalies=[anomaly.to_json() for anomaly in outcome.anomalies],
            receipt=result.receipt,
        )

    def value(self) -> ConsolidationResult:
        facts = self.receipt.facts
        steps: dict[str, Step] = {
            name: RemoteStep(
                plans=[
                    RemotePlan((), each["reason"], (), tuple(each["ids"]))
                    for each in self.plans
                    if each["step"] == name
                ],
                applied=step["applied"],
                passed_over=step["passed_over"],
            )
            for name, step in facts["steps"].items()
        }
        outcome = ConsolidationOutcome(
            steps=steps,
            dry_run=facts["dry_run"],
            position=self.receipt.position,
            run=Run.named(self.run) if self.run else None,
            anomalies=[Anomaly(**each) for each in self.anomalies],
            degraded=self.receipt.degraded,
        )
        return ConsolidationResult(outcome, self.receipt)


class UndoConsolidationRequest(Request):
    """Undo one run of consolidation."""

    run: str = Field(description="The run to undo, by its name or the id of its receipt.")

    model_config = example({"run": "120-164"})


class UndoConsolidationResponse(Response):
    """What was restored."""

    run: str
    restored: tuple[str, ...]
    refused: tuple[str, ...] = Field(description="Memories that were not restored because they have changed since.")
    receipt: ReceiptField

    model_config = example({
        "run": "120-164", "restored": [ID], "refused": [], "receipt": {"id": ID, "op": "undo_consolidation"},
    })  # fmt: skip

    @classmethod
    def of(cls, result: UndoResult, request: Any = None) -> Self:  # noqa: ARG003
        undone = result.undone
        return cls(run=str(undone.run), restored=undone.restored, refused=undone.refused, receipt=result.receipt)

    def value(self) -> UndoResult:
        undone = Undone(Run.named(self.run), self.restored, self.refused, self.receipt.position)  # type: ignore[arg-type]
        return UndoResult(undone, self.receipt)


@dataclass(frozen=True, slots=True)
class RemotePlan(Planned):
    """Changes that a server planned: the ids of the memories, without their text."""

    of: tuple[TraceId, ...] = ()

    @property
    def ids(self) -> tuple[TraceId, ...]:
        return self.of


@dataclass(slots=True)
class RemoteStep(Step):
    """A step that a server planned."""

    @property
    def changes(self) -> int:
        return sum(len(plan.ids) for plan in self.plans)


# --- background work, checks ------------------------------------------------------------------------------------------


class RunJobsRequest(Request):
    """How many of the due jobs to run; all of them by default."""

    limit: int | None = Field(None, ge=1, le=1_000_000, description="How many jobs at most.")

    model_config = example({"limit": 100})


class NextJobResponse(Response):
    due: Moment | None = Field(description="When the next job is due; null where none waits.")

    model_config = example({"due": AT})

    @classmethod
    def of(cls, result: datetime | None, request: Any = None) -> Self:  # noqa: ARG003
        return cls(due=result)

    def value(self) -> datetime | None:
        return self.due


class BackfillRequest(Request):
    """A backfill of the caller's own memory."""

    model_config = example({})

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        if arguments.get("everyone"):
            raise InvalidRequest(
                "is not possible over a server", field="everyone", hint="leave it out: the server embeds for all users"
            )
        return {}


class VerifyRequest(Request):
    """Whether to repair what was found."""

    repair: bool = Field(False, description="Rebuild what can be derived from the traces.")

    model_config = example({"repair": False})


class VerifyResponse(Response):
    """The findings; `ok` if none is left unrepaired."""

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
    """All checks; `ok` is null for a warning."""

    ok: bool
    checks: list[Check]

    model_config = example({
        "ok": True, "checks": [{"name": "python", "ok": True, "detail": "3.13.1 at /usr/bin/python3", "fix": "",
        "group": "machine"}],
    })  # fmt: skip

    @classmethod
    def of(cls, result: Any, request: Any = None) -> Self:  # noqa: ARG003
        return cls(ok=all(check.ok is not False for check in result), checks=list(result))

    def value(self) -> list[Check]:
        return self.checks


# --- alerts -----------------------------------------------------------------------------------------------------------


class AlertsRequest(Request):
    """Which alerts to list."""

    closed: bool = Field(False, description="Also list alerts that are over.")

    model_config = example({"closed": True})


AnyAlert = Annotated[
    Alert,
    PlainValidator(lambda given: given if isinstance(given, Alert) else Alert.from_json(given)),
    PlainSerializer(Alert.to_json),
    WithJsonSchema({"type": "object", "additionalProperties": True}),
]


class AlertsResponse(SequenceResponse):
    """Alerts, open ones first; `closed_at` is null while one is open."""

    items = "alerts"
    alerts: tuple[AnyAlert, ...]

    model_config = example({
        "alerts": [{
            "cause": "drift:labels", "agent": "main", "user": "default", "severity": "warning",
            "message": "the share of must_remember rose by 14 points", "hint": "run `cortex drift`",
            "opened_at": AT, "reported_at": AT, "closed_at": None,
        }],
    })  # fmt: skip


# --- backups ----------------------------------------------------------------------------------------------------------


def _backup(payload: Json) -> Backup:
    """A backup on the server, by its file name."""
    path = Path(payload["file"])
    found = read_name(path) or Backup(path, payload["agent"], parse_time(payload["at"]))
    return replace(found, bytes=payload["bytes"])


AnyBackup = Annotated[
    Backup,
    PlainValidator(lambda given: given if isinstance(given, Backup) else _backup(given)),
    PlainSerializer(Backup.to_json),
    WithJsonSchema({"type": "object", "additionalProperties": True}),
]
_BACKUP: Json = {"file": "/…/main-20260105T090000Z.000012.backup", "agent": "main", "at": AT, "bytes": 4_096}


AnyDrill = Annotated[
    Drill,
    PlainValidator(lambda given: given if isinstance(given, Drill) else Drill.from_json(given)),
    PlainSerializer(Drill.to_json),
    WithJsonSchema({"type": "object", "additionalProperties": True}),
]


class BackupsResponse(SequenceResponse):
    items = "backups"
    backups: tuple[AnyBackup, ...]

    model_config = example({"backups": [_BACKUP]})


class BackupResponse(Response):
    """The new backup, and the old ones that were removed."""

    result: ClassVar[type[Any] | None] = BackupResult
    backup: AnyBackup
    removed: tuple[AnyBackup, ...]

    model_config = example({"backup": _BACKUP, "removed": []})


# --- health -----------------------------------------------------------------------------------------------------------


class DrillResponse(Response):
    """What became of the newest backup that was restored to try it."""

    drill: AnyDrill = Field(description="The backup, its age, how long it took, and every problem.")
    receipt: ReceiptField

    model_config = example({
        "drill": {
            "file": "main-20260105T090000Z.000007.backup", "backup_at": AT, "at": AT, "age_seconds": 0.0,
            "seconds": 0.4, "bytes": 524288, "users": 1, "traces": 120, "manifest": True, "questions": 20, "same": 20,
            "problems": [], "ok": True,
        },
        "receipt": {"id": ID, "op": "drill"},
    })  # fmt: skip

    @classmethod
    def of(cls, result: DrillResult, request: Any = None) -> Self:  # noqa: ARG003
        return cls(drill=result.drill, receipt=result.receipt)

    def value(self) -> DrillResult:
        return DrillResult(self.drill, self.receipt)


class LastDrillResponse(Response):
    """What the last drill of this server found; null before the first."""

    drill: AnyDrill | None

    model_config = example({"drill": None})

    @classmethod
    def of(cls, result: Drill | None, request: Any = None) -> Self:  # noqa: ARG003
        return cls(drill=result)

    def value(self) -> Drill | None:
        return self.drill


class OptimizeResponse(Response):
    """The status of the store and its indexes, and the receipt's id."""

    bare = "status"
    status: Json

    model_config = example({
        "index": {"dead_codes": 0.0, "segments": 1, "log_bytes": 0, "free_pages": 0.0, "unknown": []},
        "receipt": ID,
    })  # fmt: skip


class HealthResponse(Response):
    status: Literal["ok", "ready"]

    model_config = example({"status": "ok"})


class ProblemResponse(Response):
    """A problem detail (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    code: str = Field(description="A stable code for programs.")
    field: str | None = Field(description="The invalid field.")
    hint: str | None = Field(description="What to do.")
    request_id: str = Field(description="The id of the request in the server's log.")
    errors: list[dict[str, str]] | None = None

"""Consolidation runs, jobs and backups, for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from cortex.domain.alerts import Alert, Severity
from cortex.domain.events import EventKind
from cortex.ports.store import Job, JobState
from cortex.surfaces.cli import rendering
from cortex.surfaces.cli.output import one_line

if TYPE_CHECKING:
    from cortex.lifecycle.backups import Backup
    from cortex.lifecycle.flow import ConsolidationOutcome
    from cortex.lifecycle.plan import Planned
    from cortex.lifecycle.upkeep import Anomaly
    from cortex.services.drill import Drill

MOST_ROWS = 50
_REASONS = {
    "ttl_past": "expired",
    "session_idle": "session memory, unused for a day",
    "duplicate": "same text",
    "near_duplicate": "nearly the same text",
    "retention": "past its retention rule",
}
_MARKS = {EventKind.EXPIRED: ("expire", "yellow"), EventKind.CONSOLIDATED: ("keep", "green")}


def outcome(found: ConsolidationOutcome) -> Iterator[RenderableType]:
    """The plan, its result, and how to undo it."""
    plans = [plan for step in found.steps.values() for plan in step.plans]
    if plans:
        yield _plans(plans[:MOST_ROWS])
        if len(plans) > MOST_ROWS:
            yield Text(f"and {len(plans) - MOST_ROWS:,} more; --json lists them all", "dim")
        yield Text()
    yield Text(_summary(found), "bold")
    if found.run:
        yield Text(f"undo with `cortex consolidate --undo {found.run}`", "dim")
    passed_over = sum(step.passed_over for step in found.steps.values())
    if passed_over:
        yield rendering.notice(f"{passed_over:,} were changed meanwhile and were skipped", "run it again")
    if found.degraded:
        yield rendering.notice("duplicates were compared by words only", "run `cortex doctor`")
    yield from anomalies(found.anomalies)


def anomalies(found: Sequence[Anomaly]) -> Iterator[RenderableType]:
    """Anomalies that need a person's attention."""
    for each in found:
        yield rendering.notice(each.detail, each.fix)


def backups(found: Sequence[Backup]) -> RenderableType:
    """A line for each backup, newest first."""
    table = rendering.table("created", "size", "type", "file", right=["size"], whole=["created", "file"])
    for each in found:
        what = "replaced by a restore" if each.mark == "replaced" else "backup"
        size = rendering.size(each.bytes)
        table.add_row(f"{each.at.astimezone():%Y-%m-%d %H:%M:%S}", size, Text(what, "dim"), one_line(str(each.path)))
    return table


def jobs(found: Sequence[Job]) -> RenderableType:
    """A line for each job."""
    table = rendering.table(
        "kind", "state", "due", "attempts", "id", "error", right=["attempts"], whole=["kind", "due", "id"]
    )
    for each in sorted(found, key=lambda job: job.due):
        style = "red" if each.state is JobState.FAILED else ""
        due = f"{each.due.astimezone():%Y-%m-%d %H:%M:%S}"
        table.add_row(each.kind, each.state.value, due, str(each.attempts), each.id, one_line(each.error), style=style)
    return table


def alerts(found: Sequence[Alert]) -> RenderableType:
    """A line for each alert; what is over is dimmed."""
    table = rendering.table("cause", "since", "until", "message and what to do", whole=["cause", "since"])
    for each in found:
        style = "dim" if not each.is_open else "red" if each.severity is Severity.CRITICAL else ""
        until = f"{each.closed_at.astimezone():%Y-%m-%d %H:%M}" if each.closed_at else "open"
        since = f"{each.opened_at.astimezone():%Y-%m-%d %H:%M}"
        what = f"{each.message}; {each.hint}" if each.hint else each.message
        table.add_row(one_line(each.cause), since, until, one_line(what), style=style)
    return table


def drill(found: Drill) -> Iterator[RenderableType]:
    """What a drill found."""
    age = timedelta(seconds=round(found.age_seconds))
    about = f"{rendering.size(found.bytes)}, {age} old"
    yield Text(f"{found.file}  ({about}), restored and checked in {found.seconds:.1f} s")
    compared = "as its manifest says" if found.manifest else "no manifest to compare with"
    if found.ok:
        yield Text(
            f"sound: {found.traces:,} memories and turns of {rendering.several(found.users, 'user')}, {compared}"
        )
    if found.questions:
        yield Text(f"{found.same:,} of {found.questions:,} recorded recalls gave the same answer")
    for problem in found.problems:
        yield rendering.notice(one_line(problem), "run `cortex backup create`, then `cortex backup drill`")


def _plans(plans: Sequence[Planned]) -> RenderableType:
    table = rendering.table("action", "id", "memory and reason", whole=["action", "id"])
    for plan in plans:
        first, *others = plan.decided_on
        mark, color = _MARKS[plan.changes[0].because]
        why = Text(_REASONS.get(plan.reason, plan.reason), "dim")
        table.add_row(Text(mark, color), Text(first.id, "dim"), rendering.line(first.text))
        for other in others:
            table.add_row(Text("  merge in", "yellow"), Text(other.id, "dim"), rendering.line(other.text))
        table.add_row("", "", why)
    return table


def _summary(found: ConsolidationOutcome) -> str:
    ended = sum(_number(found, step) for step in ("expiry", "decay", "retention"))
    merged = sum(len(plan.changes) - 1 for plan in found.steps["consolidation"].plans)
    if not found.planned:
        return "nothing to do"
    if found.dry_run:
        return f"would expire {ended:,} and merge {_duplicates(merged)}; nothing was changed"
    return f"expired {ended:,} and merged {_duplicates(merged)}"


def _duplicates(number: int) -> str:
    return f"{number:,} duplicate{'' if number == 1 else 's'}"


def _number(found: ConsolidationOutcome, step: str) -> int:
    return found.steps[step].changes if found.dry_run else found.steps[step].applied

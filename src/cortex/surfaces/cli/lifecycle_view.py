"""Lifecycle runs and backups for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from cortex.domain.events import EventKind
from cortex.surfaces.cli import rendering
from cortex.surfaces.cli.output import one_line

if TYPE_CHECKING:
    from cortex.lifecycle.backups import Backup
    from cortex.lifecycle.flow import Outcome
    from cortex.lifecycle.planned import Planned
    from cortex.lifecycle.upkeep import Anomaly

MOST_ROWS = 50
_REASONS = {
    "ttl_past": "its time to live is over",
    "session_idle": "not used for a day, kept for its session only",
    "duplicate": "said in the same words",
    "near_duplicate": "said in nearly the same words",
}
_MARKS = {EventKind.EXPIRED: ("expire", "yellow"), EventKind.CONSOLIDATED: ("keep", "green")}


def outcome(found: Outcome) -> Iterator[RenderableType]:
    """The plan, what became of it, and how to take it back."""
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
        yield rendering.notice(f"{passed_over:,} were changed meanwhile and left as they are", "run it again")
    if found.degraded:
        yield rendering.notice("duplicates were looked for by words alone", "run `cortex doctor`")
    yield from anomalies(found.anomalies)


def anomalies(found: Sequence[Anomaly]) -> Iterator[RenderableType]:
    """What a person should look at."""
    for each in found:
        yield rendering.notice(each.detail, each.fix)


def backups(found: Sequence[Backup]) -> RenderableType:
    """A line for each backup, newest first."""
    made = rendering.table("made", "size", "what", "file", right=["size"], whole=["made", "file"])
    for each in found:
        what = "replaced by a restore" if each.mark == "replaced" else "backup"
        size = rendering.size(each.bytes)
        made.add_row(f"{each.at.astimezone():%Y-%m-%d %H:%M:%S}", size, Text(what, "dim"), one_line(str(each.path)))
    return made


def _plans(plans: Sequence[Planned]) -> RenderableType:
    made = rendering.table("what", "id", "why and which", whole=["what", "id"])
    for plan in plans:
        first, *others = plan.decided_on
        mark, colour = _MARKS[plan.changes[0].because]
        why = Text(_REASONS.get(plan.reason, plan.reason), "dim")
        made.add_row(Text(mark, colour), Text(first.id, "dim"), rendering.line(first.text))
        for other in others:
            made.add_row(Text("  merge in", "yellow"), Text(other.id, "dim"), rendering.line(other.text))
        made.add_row("", "", why)
    return made


def _summary(found: Outcome) -> str:
    ended = sum(_number(found, step) for step in ("expiry", "decay"))
    merged = sum(len(plan.changes) - 1 for plan in found.steps["consolidation"].plans)
    if not found.planned:
        return "nothing to do"
    if found.dry_run:
        return f"would expire {ended:,} and merge {_duplicates(merged)}; nothing was changed"
    return f"expired {ended:,} and merged {_duplicates(merged)}"


def _duplicates(number: int) -> str:
    return f"{number:,} duplicate{'' if number == 1 else 's'}"


def _number(found: Outcome, step: str) -> int:
    return found.steps[step].changes if found.dry_run else found.steps[step].applied

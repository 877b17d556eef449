"""The commands that maintain memory over time: consolidate (X16), jobs (S7), backup (E21)."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import InvalidRequest, StoreBusy
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface, surface_of
from cortex.surfaces.http.server_file import announced

if TYPE_CHECKING:
    from cortex.memory import Cortex
    from cortex.ports.store import Job

FINISH_SECONDS = 60.0
"""How long to wait at the end for running jobs; service managers kill after 90."""

UNSOUND = 1
"""Exit code of a drill that found the newest backup not sound."""

jobs = typer.Typer(help="Background jobs: list them, or run those that are due.", no_args_is_help=True)
backup = typer.Typer(help="Backups: create, list, drill, restore.", no_args_is_help=True)


def consolidate(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change; change nothing.")] = False,
    undo: Annotated[str | None, typer.Option(metavar="RUN", help="Undo a run, by the name it printed.")] = None,
) -> None:
    """Expire outdated memories and merge duplicates. Preview with --dry-run, revert with --undo."""
    surface = surface_of(context)
    if undo is not None:
        if dry_run:
            raise InvalidRequest("cannot be combined with --dry-run", field="--undo", hint="leave one out")
        _undo(surface, undo)
        return
    with surface.engine() as engine, output.progress("consolidating") as progress:
        done = engine.consolidate(dry_run=dry_run, progress=progress)
    if surface.json:
        from cortex.surfaces.wire.upkeep import ConsolidateResponse

        output.show_response(ConsolidateResponse.of(done))
        return
    from cortex.surfaces.cli import maintenance_rendering

    output.show(*maintenance_rendering.outcome(done.outcome))


def _undo(surface: Surface, run: str) -> None:
    with surface.engine() as engine:
        done = engine.undo_consolidation(run)
    if surface.json:
        from cortex.surfaces.wire.upkeep import UndoConsolidationResponse

        output.show_response(UndoConsolidationResponse.of(done))
        return
    output.plain(f"restored {len(done.undone.restored):,}")
    if done.undone.refused:
        from cortex.surfaces.cli import rendering

        number = f"{len(done.undone.refused):,}"
        output.show(rendering.notice(f"{number} were changed since and stay as they are", "see `cortex get ID`"))


@backup.command("create")
def backup_create(
    context: typer.Context,
    to: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write it to this folder, and delete no older backups.")
    ] = None,
) -> None:
    """Back up the memory of the agent while it is in use, and delete backups that are too old."""
    surface = surface_of(context)
    with surface.engine() as engine:
        done = engine.backup(to)
    if surface.json:
        from cortex.surfaces.wire.upkeep import BackupResponse

        output.show_response(BackupResponse.of(done))
        return
    from cortex.surfaces.cli.rendering import size

    output.plain(f"{done.backup.path}  ({size(done.backup.bytes)})")
    if done.removed:
        output.plain(f"deleted {len(done.removed):,} older")


@backup.command("list")
def backup_list(context: typer.Context) -> None:
    """List the backups."""
    surface = surface_of(context)
    with surface.engine() as engine:
        found = engine.backups()
    if surface.json:
        from cortex.surfaces.wire.upkeep import BackupsResponse

        output.show_response(BackupsResponse.of(found))
    elif found:
        from cortex.surfaces.cli import maintenance_rendering

        output.show(maintenance_rendering.backups(found))
    else:
        output.plain("no backups yet; create one with `cortex backup create`")


@backup.command("restore")
def backup_restore(
    context: typer.Context,
    which: Annotated[str, typer.Argument(metavar="BACKUP", help="The file or name of a backup, or `latest`.")],
) -> None:
    """Replace the memory of the agent with a backup. The current memory is backed up first."""
    surface = surface_of(context)
    try:
        with surface.engine() as engine:
            done = engine.restore_backup(which)
    except StoreBusy as error:
        # Hooks start one in the background, which nobody remembers.
        if server := announced(str(surface.root.absolute())):
            error.hint = f"the server of this home is process {server.pid}: run `kill {server.pid}`, then restore again"
        raise
    if surface.json:
        replaced = done.replaced.to_json() if done.replaced else None
        output.show_json({"restored": str(done.path), "replaced": replaced, "kept_out": done.kept_out})
        return
    output.plain(f"restored {done.path}")
    if done.kept_out:
        output.plain(f"{done.kept_out:,} that were erased since stay erased")
    if done.replaced:
        output.plain(f"the previous memory is in {done.replaced.path}")


@backup.command("drill")
def backup_drill(context: typer.Context) -> int:
    """Test the newest backup: restore it into a scratch folder and verify it. Exit code 1 if it is damaged."""
    surface = surface_of(context)
    with surface.engine() as engine, output.progress("restoring"):
        done = engine.drill()
    if surface.json:
        from cortex.surfaces.wire.upkeep import DrillResponse

        output.show_response(DrillResponse.of(done))
    else:
        from cortex.surfaces.cli import maintenance_rendering

        output.show(*maintenance_rendering.drill(done.drill))
    return 0 if done.drill.ok else UNSOUND


@jobs.command("list")
def jobs_list(context: typer.Context) -> None:
    """List the jobs that are running or waiting, have failed or were canceled."""
    surface = surface_of(context)
    with surface.engine() as engine:
        found = engine.jobs(limit=1_000)
    if surface.json:
        from cortex.surfaces.wire.usage import JobsResponse

        output.show_response(JobsResponse.of(found))
    elif found:
        from cortex.surfaces.cli import maintenance_rendering

        output.show(maintenance_rendering.jobs(found))
    else:
        output.plain("no jobs")


@jobs.command("retry")
def jobs_retry(
    context: typer.Context, id: Annotated[str, typer.Argument(metavar="ID", help="The ID of a job.")]
) -> None:
    """Run a waiting, failed or canceled job at once, with all its attempts."""
    _decide(context, lambda engine: engine.retry_job(id))


@jobs.command("cancel")
def jobs_cancel(
    context: typer.Context, id: Annotated[str, typer.Argument(metavar="ID", help="The ID of a job.")]
) -> None:
    """Cancel a job. What it did so far stays; new messages of the session start another one."""
    _decide(context, lambda engine: engine.cancel_job(id))


def _decide(context: typer.Context, decide: Callable[[Cortex], Job]) -> None:
    surface = surface_of(context)
    with surface.engine() as engine:
        job = decide(engine)
    if surface.json:
        from cortex.surfaces.wire.usage import JobResponse

        output.show_response(JobResponse.of(job))
    else:
        output.plain(f"{job.kind} {job.id} is {job.state.value}")


@jobs.command("run")
def jobs_run(
    context: typer.Context,
    forever: Annotated[bool, typer.Option("--forever", help="Keep running jobs as they fall due.")] = False,
) -> None:
    """Run the jobs that are due: extraction, embedding, consolidation, backups."""
    surface = surface_of(context)
    with surface.engine() as engine:
        if forever:
            _run_forever(surface, engine)
            return
        next_at = engine.run_due()
        status = engine.status()
    if surface.json:
        output.show_json({"next_at": next_at.isoformat(), "anomalies": status["anomalies"]})
        return
    output.plain(f"done; next run due at {next_at.astimezone():%Y-%m-%d %H:%M:%S}")
    if status["anomalies"]:
        from cortex.surfaces.cli import rendering

        output.show(*(rendering.notice(each["detail"], each["fix"]) for each in status["anomalies"]))


def _run_forever(surface: Surface, engine: Cortex) -> None:
    """Run jobs until SIGTERM or Ctrl-C; running jobs are finished first."""
    ending = threading.Event()
    with _on_sigterm(ending), engine.scheduler() as scheduler:
        if not surface.json:
            output.plain("running jobs; press Ctrl-C to stop")
            sys.stdout.flush()
        ending.wait()
        # A running job writes its results step by step; the next process continues with the rest.
        engine.context.dependencies.ending = True
        is_done = scheduler.stop(FINISH_SECONDS)
    if surface.json:
        output.show_json({"ended": "SIGTERM", "finished": is_done})
    else:
        how = "running jobs finished" if is_done else f"jobs were cut off after {FINISH_SECONDS:g} s"
        output.plain(f"stopped: {how}")


@contextmanager
def _on_sigterm(ending: threading.Event) -> Iterator[None]:
    """Within this block, the first SIGTERM sets `ending`; a second one kills the process."""

    def handle(_number: int, _frame: FrameType | None) -> None:
        ending.set()
        signal.signal(signal.SIGTERM, before)

    before = signal.signal(signal.SIGTERM, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


COMMANDS: dict[str, Callable[..., Any] | typer.Typer] = {"consolidate": consolidate, "backup": backup}

"""Verbs that look after memory over time: consolidate (X16), backup and restore (E21), work (S7)."""

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

from cortex.domain.identity import checked_id
from cortex.errors import InvalidRequest
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface, surface_of

if TYPE_CHECKING:
    from cortex.memory import Cortex

FINISH_SECONDS = 60.0
"""How long what is under way is waited for at the end; service managers kill after 90."""


def consolidate(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be done, and do nothing.")] = False,
    undo: Annotated[str | None, typer.Option(metavar="RUN", help="Take back a run, by the name it printed.")] = None,
) -> None:
    """Run the lifecycle: expire what is over, merge what was said twice. It can be shown before and undone after."""
    surface = surface_of(context)
    if undo is not None:
        if dry_run:
            raise InvalidRequest("cannot be tried out", field="--undo", hint="leave out --dry-run")
        _undo(surface, undo)
        return
    with surface.engine() as engine, output.progress("tending") as progress:
        tended = engine.consolidate(dry_run=dry_run, progress=progress)
    found = tended.outcome
    if surface.json:
        from cortex.surfaces.wire.upkeep import LifecycleResponse

        output.show_response(LifecycleResponse.of(tended))
        return
    from cortex.surfaces.cli import lifecycle_view

    output.show(*lifecycle_view.outcome(found))


def _undo(surface: Surface, run: str) -> None:
    with surface.engine() as engine:
        done = engine.undo_consolidation(run)
    if surface.json:
        from cortex.surfaces.wire.upkeep import LifecycleResponse

        output.show_response(LifecycleResponse.of(done))
        return
    output.plain(f"put back {len(done.undone.restored):,}")
    if done.undone.refused:
        from cortex.surfaces.cli import rendering

        number = f"{len(done.undone.refused):,}"
        output.show(rendering.notice(f"{number} have changed since and were left as they are", "see `cortex show ID`"))


def backup(
    context: typer.Context,
    to: Annotated[Path | None, typer.Option(metavar="DIR", help="Into this folder, where nothing is removed.")] = None,
    list_: Annotated[bool, typer.Option("--list", help="Show the backups there are.")] = False,
) -> None:
    """Back up the memory of the agent while it is in use, and remove backups that need not be kept."""
    surface = surface_of(context)
    with surface.engine() as engine:
        if list_:
            _list(surface, engine)
            return
        made = engine.backup(to)
    if surface.json:
        from cortex.surfaces.wire.upkeep import BackupResponse

        output.show_response(BackupResponse.of(made))
        return
    from cortex.surfaces.cli.rendering import size

    output.plain(f"{made.backup.path}  ({size(made.backup.bytes)})")
    if made.removed:
        output.plain(f"removed {len(made.removed):,} older")


def _list(surface: Surface, engine: Cortex) -> None:
    found = engine.backups()
    if surface.json:
        from cortex.surfaces.wire.upkeep import BackupsResponse

        output.show_response(BackupsResponse.of(found))
    elif found:
        from cortex.surfaces.cli import lifecycle_view

        output.show(lifecycle_view.backups(found))
    else:
        output.plain("no backups yet; `cortex backup` makes one")


def restore(
    context: typer.Context,
    what: Annotated[
        str, typer.Argument(metavar="ID|FILE", help="A forgotten memory, or a backup: its file, its name, or `latest`.")
    ],
) -> None:
    """Bring back what was forgotten, or the whole memory as a backup has it; what is there now is kept as a backup."""
    if _is_id(what):
        from cortex.surfaces.cli import use

        use.restore(context, what)
        return
    surface = surface_of(context)
    with surface.engine() as engine:
        done = engine.restore_backup(what)
    if surface.json:
        replaced = done.replaced.to_json() if done.replaced else None
        output.show_json({"restored": str(done.path), "replaced": replaced, "kept_out": done.kept_out})
        return
    output.plain(f"restored {done.path}")
    if done.kept_out:
        output.plain(f"{done.kept_out:,} that had been erased since stay erased")
    if done.replaced:
        output.plain(f"what was there is kept at {done.replaced.path}")


def work(
    context: typer.Context,
    forever: Annotated[bool, typer.Option("--forever", help="Stay, and do what falls due until stopped.")] = False,
) -> None:
    """Do what is due in the background: vectors, memories, the lifecycle, a backup."""
    surface = surface_of(context)
    with surface.engine() as engine:
        if forever:
            _stay(surface, engine)
            return
        next_at = engine.run_due()
        status = engine.status()
    if surface.json:
        output.show_json({"next_at": next_at.isoformat(), "anomalies": status["anomalies"]})
        return
    output.plain(f"done; the next is due at {next_at.astimezone():%Y-%m-%d %H:%M:%S}")
    if status["anomalies"]:
        from cortex.surfaces.cli import rendering

        output.show(*(rendering.notice(each["detail"], each["fix"]) for each in status["anomalies"]))


def _stay(surface: Surface, engine: Cortex) -> None:
    """Work until the process is told to end: what it is at is finished, and nothing else is begun."""
    ending = threading.Event()
    with _terminated(ending), engine.scheduler() as keeper:
        if not surface.json:
            output.plain("working; end it with Ctrl-C")
            sys.stdout.flush()
        ending.wait()
        # What is begun is written step by step; what is left of it then is taken up by the next process.
        engine.context.dependencies.ending = True
        is_done = keeper.stop(FINISH_SECONDS)
    told = "what was begun is finished" if is_done else f"the rest is left, after {FINISH_SECONDS:g} s"
    if surface.json:
        output.show_json({"ended": "SIGTERM", "finished": is_done})
    else:
        output.plain(f"ended: {told}")


@contextmanager
def _terminated(ending: threading.Event) -> Iterator[None]:
    """Meanwhile, SIGTERM sets `ending` instead of killing the process; a second one kills it."""

    def told(_number: int, _frame: FrameType | None) -> None:
        ending.set()
        signal.signal(signal.SIGTERM, before)

    before = signal.signal(signal.SIGTERM, told)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _is_id(what: str) -> bool:
    try:
        checked_id(what)
    except InvalidRequest:
        return False
    return True


COMMANDS: dict[str, Callable[..., Any]] = {
    "consolidate": consolidate,
    "backup": backup,
    "restore": restore,
    "work": work,
}

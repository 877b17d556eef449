"""`cortex admin migrate`: carry everything to another store, and compare both sides."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex import settings, settings_file
from cortex.errors import InvalidRequest
from cortex.options import variable_of
from cortex.ports.store_url import StoreUrl
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import surface_of

if TYPE_CHECKING:
    from cortex.services.migration import MigratedTenant


def migrate(
    context: typer.Context,
    to: Annotated[str, typer.Option("--to", metavar="URL", help="The store to copy memory to.")],
    source: Annotated[
        str | None, typer.Option("--from", metavar="URL", help="The store to read; by default, the one in use.")
    ] = None,
    place: Annotated[
        bool, typer.Option("--place", help="With --agent: also write the new place into the settings.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be copied; write nothing.")] = False,
) -> None:
    """Copy memory to another store: all of it, or what --agent and --user name.

    The source is only read. Run it again to continue after an interruption. A password is best given as a variable:
    --to 'postgresql://cortex:${PASSWORD}@host/cortex'.
    """
    from cortex import wiring

    surface = surface_of(context)
    moved = surface.agent if surface.user is None and not dry_run else None
    if place and moved is None:
        raise InvalidRequest("is for a whole agent that is copied", field="place", hint="name it with --agent")
    with output.progress("migrating") as progress:
        done = wiring.migrate(
            surface.root, source=source, target=to, agent=surface.agent, user=surface.user, dry_run=dry_run,
            progress=progress,
        )  # fmt: skip
    if place and moved is not None:
        _place(surface.root, moved, to)
    if surface.json:
        output.show_json({"dry_run": dry_run, "placed": place, "migrated": [_plain(each) for each in done]})
        return
    from cortex.surfaces.cli import rendering

    table = rendering.table("agent", "user", "records", "memories and turns", "vectors", "state")
    for each in done:
        counts = {kind.value: digest.records for kind, digest in each.digests.items()}
        carried = "was there already" if each.was_there else "to be copied" if dry_run else "copied and compared"
        numbers = (each.records, counts.get("trace", 0), counts.get("vector", 0))
        table.add_row(each.tenant.agent, each.tenant.user, *(f"{number:,}" for number in numbers), carried)
    output.show(table)
    if done and not dry_run:
        output.plain(_what_next(surface.root, moved, to, is_placed=place))


def _place(home: Path, agent: str, url: str) -> None:
    """Write into the settings that an agent's memory is at `url`, as it was given: secrets stay where they are."""
    path = home / settings.FILE_NAME
    text = path.read_text("utf-8") if path.exists() else settings_file.template()
    if (after := settings_file.put(text, settings.PLACEMENTS, url, of=agent)) is None:
        message = "cannot be set without changing the rest of the file"
        raise InvalidRequest(message, field=settings.PLACEMENTS, hint=_line(home, agent, url))
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    settings_file.write(path, after)
    if settings.load(home).store.url_of(agent) != settings.load(home, {"store": {"url": url}}).store.url:
        variable = variable_of(f"{settings.PLACEMENTS}.{agent}")
        raise InvalidRequest("is overridden by the environment", field=settings.PLACEMENTS, hint=f"unset {variable}")


def _what_next(home: Path, moved: str | None, url: str, *, is_placed: bool) -> str:
    if is_placed:
        return f"{settings.PLACEMENTS}.{moved} is set; restart the servers of this home. The old place is as it was"
    if moved is not None:
        return f"{_line(home, moved, url)}, or run this again with --place; the old place is as it was"
    return "set store.url to use the new store; the old one is as it was"


def _line(home: Path, agent: str, url: str) -> str:
    """What to write where; a password is not repeated."""
    shown = settings_file.toml(str(StoreUrl(url)))
    return f"write {settings_file.key(agent)} = {shown} under [{settings.PLACEMENTS}] in {home / settings.FILE_NAME}"


def _plain(each: MigratedTenant) -> dict[str, Any]:
    return {
        "agent": each.tenant.agent,
        "user": each.tenant.user,
        "records": each.records,
        "was_there": each.was_there,
        "digests": {kind.value: {"records": one.records, "sha256": one.sha256} for kind, one in each.digests.items()},
    }

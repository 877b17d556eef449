"""The verb `erase`: out for good, with a certificate."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import InvalidRequest
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import surface_of

if TYPE_CHECKING:
    from cortex.engine import Engine
    from cortex.erasing import Certificate

REMAINS = 1
"""Exit code where something of it is left somewhere."""


def erase(
    context: typer.Context,
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Memories or turns.")],
    sources: Annotated[
        bool, typer.Option("--sources", help="Erase the turns a memory was drawn from as well.")
    ] = False,
    backups: Annotated[bool, typer.Option("--backups", help="Remove the backups that hold any of it.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> int:
    """Erase memories and turns for good, with what was drawn from them. There is no way back; `forget` has one."""
    surface = surface_of(context)
    with surface.engine() as engine:
        if not yes:
            _confirm(engine, ids)
        done = engine.erase(*ids, sources=sources, backups=backups)
    certificate = done.certificate
    if surface.json:
        output.show_json(certificate.to_json() | {"receipt": done.receipt.to_json()})
    else:
        _tell(certificate)
    return 0 if certificate.clean else REMAINS


def _confirm(engine: Engine, ids: Sequence[str]) -> None:
    if not sys.stdin.isatty():
        raise InvalidRequest("there is nobody to ask", field="--yes", hint="give --yes to erase without asking")
    for id in ids:
        output.plain(output.one_line(f"{id}  {engine.get(id).text}"))
    if typer.prompt("This cannot be undone. Type `erase` to go on", default="", show_default=False) != "erase":
        raise typer.Abort


def _tell(certificate: Certificate) -> None:
    from cortex.surfaces.cli import rendering

    drawn = f", {len(certificate.derived):,} of them drawn from the others" if certificate.derived else ""
    ledger = "the ledger verifies" if certificate.chain else "the ledger does NOT verify: see `cortex verify`"
    output.plain(f"erased {len(certificate.erased):,}{drawn}; {ledger}")
    for remain in certificate.remains:
        output.show(rendering.notice(f"{remain.where}: {remain.what}", remain.fix))
    if certificate.sources_left:
        told = f"the {len(certificate.sources_left):,} turns it was drawn from are still there"
        output.show(rendering.notice(told, "erase again with --sources, or erase them by their ids"))
    if not certificate.compacted:
        told = "another process is reading, so old pages are still in the log"
        output.show(rendering.notice(told, "run `cortex optimize` once it has ended"))
    if certificate.clean:
        output.plain(f"looked for in every row and file: nothing is left (position {certificate.position:,})")


COMMANDS: dict[str, Callable[..., Any]] = {"erase": erase}

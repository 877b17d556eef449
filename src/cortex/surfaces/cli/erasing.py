"""The verb `erase`: out for good, with a certificate that can be asked for again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import InvalidRequest, NotFound
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface, surface_of

if TYPE_CHECKING:
    from cortex.memory import Cortex
    from cortex.services.erasure import Certificate, Erased

REMAINS = 1
"""Exit code where something of it is left somewhere."""

_LATER = "it is finished by itself once that is over; `cortex erase --finish` does it now"


def erase(
    context: typer.Context,
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID...]", help="Memories or turns.")] = None,
    sources: Annotated[
        bool, typer.Option("--sources", help="Erase the turns a memory was drawn from as well.")
    ] = False,
    backups: Annotated[bool, typer.Option("--backups", help="Remove the backups that hold any of it.")] = False,
    certificate: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Show the certificate again, by the id of an erasure or of what it erased."),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="Show all erasures.")] = False,
    finish: Annotated[bool, typer.Option("--finish", help="Finish what was interrupted or had to wait.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> int:
    """Erase memories and turns for good, with what was drawn from them. There is no way back; `forget` has one."""
    surface = surface_of(context)
    if [bool(ids), certificate is not None, list_, finish].count(True) != 1:
        raise InvalidRequest("needs one of ID, --certificate, --list and --finish", field="erase", hint="see --help")
    with surface.engine() as engine:
        if list_:
            return _list(surface, engine.erasures())
        if finish:
            return _left(surface, engine.finish_erasures())
        if certificate is not None:
            return _show(surface, engine.certificate(certificate))
        if not yes:
            _confirm(engine, ids or ())
        done = engine.erase(*ids or (), sources=sources, backups=backups)
    return _show(surface, done.certificate, done)


def _show(surface: Surface, certificate: Certificate, done: Erased | None = None) -> int:
    if surface.json:
        from cortex.surfaces.wire.memories import CertificateResponse, EraseResponse

        output.show_response(CertificateResponse.of(certificate) if done is None else EraseResponse.of(done))
    else:
        _tell(certificate)
        for earlier in () if done is None else done.earlier:
            output.plain(f"some of it was erased before: see `cortex erase --certificate {earlier}`")
    return 0 if certificate.clean else REMAINS


def _list(surface: Surface, certificates: Sequence[Certificate]) -> int:
    if surface.json:
        _show_json(certificates)
    elif certificates:
        from cortex.surfaces.cli import rendering

        made = rendering.table("erasure", "when", "erased", "state")
        for each in certificates:
            state = "pending" if each.pending else "clean" if each.clean else "something is left"
            made.add_row(each.id, f"{each.at.astimezone():%Y-%m-%d %H:%M}", f"{len(each.erased):,}", state)
        output.show(made)
    else:
        output.plain("nothing was erased")
    return 0


def _show_json(certificates: Sequence[Certificate]) -> None:
    from cortex.surfaces.wire.memories import ErasuresResponse

    output.show_response(ErasuresResponse.of(certificates))


def _left(surface: Surface, pending: Sequence[Certificate]) -> int:
    """What could not be finished."""
    if surface.json:
        _show_json(pending)
    elif not pending:
        output.plain("nothing is pending")
    else:
        from cortex.surfaces.cli import rendering

        output.show(*(rendering.notice(f"{each.id} is not finished: {each.pending}", _LATER) for each in pending))
    return REMAINS if pending else 0


def _confirm(engine: Cortex, ids: Sequence[str]) -> None:
    if not sys.stdin.isatty():
        raise InvalidRequest("there is nobody to ask", field="--yes", hint="give --yes to erase without asking")
    for id in ids:
        try:
            output.plain(output.one_line(f"{id}  {engine.get(id).text}"))
        except NotFound:
            engine.certificate(id)
            output.plain(f"{id}  was erased before")
    if typer.prompt("This cannot be undone. Type `erase` to go on", default="", show_default=False) != "erase":
        raise typer.Abort


def _tell(certificate: Certificate) -> None:
    from cortex.surfaces.cli import rendering

    drawn = f", {len(certificate.derived):,} of them drawn from the others" if certificate.derived else ""
    wrong = "the ledger does NOT verify: see `cortex verify`"
    ledger = "the ledger verifies" if certificate.chain else "" if certificate.pending else wrong
    output.plain(f"erased {len(certificate.erased):,}{drawn}" + (f"; {ledger}" if ledger else ""))
    for remain in certificate.remains:
        output.show(rendering.notice(f"{remain.where}: {remain.what}", remain.fix))
    if certificate.sources_left:
        told = f"the {len(certificate.sources_left):,} turns it was drawn from are still there"
        output.show(rendering.notice(told, "erase again with --sources, or erase them by their ids"))
    for near in certificate.near:
        output.show(rendering.notice(f"{near.where}: {near.what}", near.fix))
    if certificate.pending:
        output.show(rendering.notice(f"not finished: {certificate.pending}", _LATER))
    if certificate.clean:
        output.plain(f"looked for in every row and file: nothing is left (position {certificate.position:,})")
    output.plain(f"certificate {certificate.id}")


COMMANDS: dict[str, Callable[..., Any]] = {"erase": erase}

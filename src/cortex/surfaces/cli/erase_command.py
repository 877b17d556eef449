"""The command `erase`: deletes for good, with a certificate that can be shown again."""

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
"""Exit code if something of it remains somewhere."""

_LATER = "Cortex finishes it later; `cortex erase --finish` does it now"


def erase(
    context: typer.Context,
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID...]", help="IDs of memories or turns.")] = None,
    sources: Annotated[
        bool, typer.Option("--sources", help="Also erase the turns a memory was extracted from.")
    ] = False,
    backups: Annotated[
        bool, typer.Option("--backups", help="Also remove it from the backups, which are rewritten.")
    ] = False,
    certificate: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Show a certificate again, by the ID of the erasure or of what it erased."),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List all erasures.")] = False,
    finish: Annotated[
        bool, typer.Option("--finish", help="Finish erasures that were interrupted or had to wait.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Skip the confirmation.")] = False,
) -> int:
    """Delete memories and turns for good, with all that was extracted from them. This cannot be undone."""
    surface = surface_of(context)
    if [bool(ids), certificate is not None, list_, finish].count(True) != 1:
        hint = "see `cortex erase --help`"
        raise InvalidRequest("needs one of ID, --certificate, --list and --finish", field="erase", hint=hint)
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
        _show_certificate(certificate)
        for earlier in () if done is None else done.earlier:
            output.plain(f"part of it was erased before: see `cortex erase --certificate {earlier}`")
    return 0 if certificate.clean else REMAINS


def _list(surface: Surface, certificates: Sequence[Certificate]) -> int:
    if surface.json:
        _show_json(certificates)
    elif certificates:
        from cortex.surfaces.cli import rendering

        table = rendering.table("erasure", "when", "erased", "state")
        for each in certificates:
            state = "pending" if each.pending else "clean" if each.clean else "incomplete"
            table.add_row(each.id, f"{each.at.astimezone():%Y-%m-%d %H:%M}", f"{len(each.erased):,}", state)
        output.show(table)
    else:
        output.plain("no erasures")
    return 0


def _show_json(certificates: Sequence[Certificate]) -> None:
    from cortex.surfaces.wire.memories import ErasuresResponse

    output.show_response(ErasuresResponse.of(certificates))


def _left(surface: Surface, pending: Sequence[Certificate]) -> int:
    """Report the erasures that are not finished."""
    if surface.json:
        _show_json(pending)
    elif not pending:
        output.plain("all erasures are finished")
    else:
        from cortex.surfaces.cli import rendering

        output.show(*(rendering.notice(f"{each.id} is not finished: {each.pending}", _LATER) for each in pending))
    return REMAINS if pending else 0


def _confirm(engine: Cortex, ids: Sequence[str]) -> None:
    if not sys.stdin.isatty():
        raise InvalidRequest(
            "needs confirmation, and there is no terminal", field="erase", hint="give --yes to confirm"
        )
    for id in ids:
        try:
            output.plain(output.one_line(f"{id}  {engine.get(id).text}"))
        except NotFound:
            engine.certificate(id)
            output.plain(f"{id}  was erased before")
    if typer.prompt("This cannot be undone. Type `erase` to continue", default="", show_default=False) != "erase":
        raise typer.Abort


def _show_certificate(certificate: Certificate) -> None:
    from cortex.surfaces.cli import rendering

    derived = f", {len(certificate.derived):,} of them extracted from the others" if certificate.derived else ""
    wrong = "the ledger does NOT verify: run `cortex admin verify`"
    ledger = "the ledger verifies" if certificate.chain else "" if certificate.pending else wrong
    output.plain(f"erased {len(certificate.erased):,}{derived}" + (f"; {ledger}" if ledger else ""))
    for remain in certificate.remains:
        output.show(rendering.notice(f"{remain.where}: {remain.what}", remain.fix))
    if certificate.sources_left:
        left = len(certificate.sources_left)
        message = f"{rendering.several(left, 'turn')} it was extracted from {'remains' if left == 1 else 'remain'}"
        output.show(rendering.notice(message, "erase again with --sources, or by ID"))
    for near in certificate.near:
        output.show(rendering.notice(f"{near.where}: {near.what}", near.fix))
    if certificate.pending:
        output.show(rendering.notice(f"not finished: {certificate.pending}", _LATER))
    if certificate.clean:
        output.plain(f"searched every row and file: nothing remains (position {certificate.position:,})")
    output.plain(f"certificate {certificate.id}")


COMMANDS: dict[str, Callable[..., Any]] = {"erase": erase}

"""Verbs that look after memory: verify, optimize, receipts, replay (E12)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from cortex.ports.store import Finding
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import surface_of
from cortex.surfaces.cli.reading import text_of

DIFFERENT = 1
"""Exit code where what was checked is not as it should be."""


def verify(
    context: typer.Context,
    repair: Annotated[bool, typer.Option("--repair", help="Make anew what can be made from the memories.")] = False,
) -> int:
    """Recompute everything derived, and the chain of events, and compare."""
    surface = surface_of(context)
    with surface.engine() as engine:
        findings = engine.verify(repair=repair)
    left = [finding for finding in findings if not finding.repaired]
    way_out = next((each.detail for each in left if each.code == "restore"), "")
    if surface.json:
        from cortex.surfaces.wire.upkeep import VerifyResponse

        output.show_response(VerifyResponse.of(findings))
    elif not findings:
        output.plain("everything is in order")
    else:
        from cortex.surfaces.cli import rendering

        made = rendering.table("what", "found", "state")
        for each in findings:
            made.add_row(each.code, output.one_line(each.detail), _state(each))
        output.show(made)
        if left and not repair:
            otherwise = f"; where that does not help, {way_out}" if way_out else ""
            output.show(rendering.notice("not in order", f"run `cortex verify --repair`{otherwise}"))
        elif left:
            why = "what is left is not derived, so it cannot be made anew"
            output.show(rendering.notice(why, way_out or "restore a backup"))
    return DIFFERENT if left else 0


def _state(finding: Finding) -> str:
    if finding.code == "quarantined":
        return "in quarantine"
    return "repaired" if finding.repaired else "not repaired"


def optimize(context: typer.Context) -> None:
    """Compact the indexes."""
    surface = surface_of(context)
    with surface.engine() as engine:
        about = engine.optimize()
    if surface.json:
        output.show_json(about)
    else:
        from cortex.surfaces.cli.rendering import size

        output.plain(f"optimised; {size(about.get('bytes', 0))} on disk")


def receipts(
    context: typer.Context,
    id: Annotated[str | None, typer.Argument(metavar="[ID]", help="Show this one whole.")] = None,
    op: Annotated[str | None, typer.Option(help="Only of this operation, such as recall.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many at most.")] = 20,
) -> None:
    """Show what operations did: ids, counts, reasons and milliseconds, never text."""
    surface = surface_of(context)
    with surface.engine() as engine:
        found = [engine.receipt(id)] if id is not None else engine.receipts(limit=limit, op=op)
    if surface.json:
        from cortex.surfaces.wire.ledger import ReceiptResponse, ReceiptsResponse

        more = found[-1].id if len(found) == limit else None
        several = ReceiptsResponse(receipts=tuple(found), next=more)
        output.show_response(several if id is None else ReceiptResponse.of(found[0]))
        return
    from cortex.surfaces.cli import rendering

    output.show(*(rendering.receipt(found[0]) if id is not None else [rendering.receipts(found)]))


def replay(
    context: typer.Context,
    receipt: Annotated[str, typer.Argument(metavar="RECEIPT", help="The id of a recall's receipt.")],
    query: Annotated[str | None, typer.Option(help="The query, where it was not kept.")] = None,
) -> int:
    """Ask a recorded recall again of the state it saw, and compare the answers."""
    surface = surface_of(context)
    with surface.engine() as engine:
        done = engine.replay(receipt, query=None if query is None else text_of(query, "query"))
    if surface.json:
        from cortex.surfaces.wire.ledger import ReplayResponse

        output.show_response(ReplayResponse.of(done))
    else:
        output.plain("the same answer" if done.same else "another answer")
        for difference in done.differences:
            output.plain(f"  {output.one_line(difference)}")
    return 0 if done.same else DIFFERENT


COMMANDS: dict[str, Callable[..., Any]] = {
    "verify": verify,
    "optimize": optimize,
    "receipts": receipts,
    "replay": replay,
}

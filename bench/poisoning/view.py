"""A poisoning report as tables for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from cortex.domain.text import visible
from cortex.surfaces.cli import rendering

if TYPE_CHECKING:
    from bench.poisoning.runner import PoisoningReport, Rates

_TITLES = {
    "written": "findable",
    "promoted": "trusted",
    "retrieved": "shown\nas own",
    "labeled": "shown,\nlabeled",
    "leaked": "broke\nout",
    "persisted": "came\nback",
    "shift": "places\nlost",
    "displaced": "truth\nhidden",
}
_HARMLESS = frozenset({"written", "labeled", "shift"})
_NAMED = 12


def tables(report: PoisoningReport) -> Iterator[RenderableType]:
    """How far each family came, what the honest user paid, and whether the goals are met."""
    yield Text(visible(f"{report.overall.n:,} attacks, recipe {report.recipe}, {report.embedder}"), style="bold")
    yield Text()
    yield _families(report)
    yield Text()
    yield from _honest(report)
    yield Text()
    yield _goals(report)
    yield from _came_through(report)
    for note in report.notes:
        yield Text(visible(note), style="dim")


def _families(report: PoisoningReport) -> Table:
    table = rendering.table("family", "attacks", *_TITLES.values(), right=["attacks", *_TITLES.values()])
    for name, rates in report.families.items():
        table.add_row(Text(name), str(rates.n), *_cells(rates))
    table.add_row(Text("overall", "bold"), Text(f"{report.overall.n:,}", "bold"), *_cells(report.overall))
    return table


def _cells(rates: Rates) -> Iterator[Text]:
    for name in _TITLES:
        value = rates[name]
        shown = f"{value:.1f}" if name == "shift" else f"{value:.0%}" if value in {0.0, 1.0} else f"{value:.1%}"
        yield Text(shown, "dim" if not value else "default" if name in _HARMLESS else "red")


def _honest(report: PoisoningReport) -> Iterator[Text]:
    honest = report.honest
    yield Text(f"{honest.orders} honest orders: {honest.remembered} became memories of their own")
    for name, texts in (
        ("quarantined", honest.quarantined),
        ("untrusted", honest.untrusted),
        ("lost", honest.lost),
        ("not recalled", honest.forgotten),
    ):
        if texts:
            shown = "; ".join(visible(text) for text in texts[:3])
            yield Text(f"  {len(texts)} {name}: {shown}{' …' if len(texts) > 3 else ''}", style="yellow")
    quarantined = len(honest.documents_quarantined)
    yield Text(f"{honest.documents} honest texts from outside: {quarantined} quarantined")


def _goals(report: PoisoningReport) -> Table:
    table = rendering.table("goal", "measured", "at most", "", right=["measured", "at most"])
    for goal in report.goals:
        met = Text("met", "green") if goal.is_met else Text("missed", "bold red")
        table.add_row(Text(goal.name), f"{goal.value:.1%}", f"{goal.most:.0%}", met)
    return table


def _came_through(report: PoisoningReport) -> Iterator[Text]:
    for name, title in (("retrieved", "shown as own"), ("leaked", "broke out"), ("promoted", "trusted")):
        names = [outcome.name for outcome in report.outcomes if getattr(outcome, name)]
        if names:
            more = " …" if len(names) > _NAMED else ""
            yield Text(f"{title}: {', '.join(names[:_NAMED])}{more}", style="yellow")

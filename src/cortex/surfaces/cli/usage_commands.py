"""`admin usage` and `admin receipts --compare`: how recall went by day, and what differs between two recalls (S6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface, surface_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from cortex.domain.receipt_comparison import ReceiptComparison
    from cortex.domain.usage import Usage, UsageFigures


def usage(
    context: typer.Context,
    days: Annotated[int, typer.Option(min=1, max=366, help="How many days, including today.")] = 14,
) -> None:
    """Show how recall went by day: latency, hit rate, silent rate, tokens, language model. From receipts."""
    surface = surface_of(context)
    with surface.engine() as engine:
        found = engine.usage(days=days)
    if surface.json:
        from cortex.surfaces.wire.usage import UsageResponse

        output.show_response(UsageResponse.of(found))
    else:
        output.show(*_usage(found))


def show_comparison(surface: Surface, found: ReceiptComparison) -> None:
    """Two receipts side by side."""
    if surface.json:
        from cortex.surfaces.wire.usage import CompareReceiptsResponse

        output.show_response(CompareReceiptsResponse.of(found))
    else:
        output.show(*_comparison(found))


_COLUMNS = ("recalls", "hit rate", "silent", "p50", "p95", "tokens", "searches", "degraded", "LLM calls", "LLM tokens")


def _usage(found: Usage) -> Iterator[RenderableType]:
    from rich.text import Text

    from cortex.surfaces.cli import rendering

    table = rendering.table("day", *_COLUMNS, right=_COLUMNS, whole=["day"])
    for day in found.days:
        idle = not (day.recalls or day.searches or day.llm_calls)
        table.add_row(str(day.day), *_cells(day), style="dim" if idle else "")
    table.add_row("total", *_cells(found.total), style="bold")
    yield table
    if (cents := found.cents(found.total.llm_tokens)) is not None:
        yield Text(f"language model: {cents / 100:,.2f}, of all users")
    if found.days and found.counted_since > found.days[0].day:
        yield Text(f"receipts before {found.counted_since} were not counted: there are too many", "dim")


def _cells(one: UsageFigures) -> Iterator[str]:
    yield f"{one.recalls:,}"
    yield from ("" if share is None else f"{share:.0%}" for share in (one.hit_rate, one.silent_rate))
    yield from ("" if time is None else f"{time:,.0f} ms" for time in (one.p50_ms, one.p95_ms))
    yield from (f"{number:,}" for number in (one.tokens, one.searches, one.degraded))
    yield from ("" if number is None else f"{number:,}" for number in (one.llm_calls, one.llm_tokens))


def _comparison(found: ReceiptComparison) -> Iterator[RenderableType]:
    from rich.text import Text

    from cortex.surfaces.cli import rendering

    about = "the same question" if found.same_question else "another question"
    yield Text(f"{about}, {'the same answer' if found.same_answer else 'another answer'}")
    if found.hits:
        table = rendering.table("hit", "before", "after", "score before", "score after", whole=["hit"])
        for hit in found.hits:
            ranks = ("-" if rank is None else f"#{rank}" for rank in (hit.before_rank, hit.rank))
            scores = ("" if score is None else f"{score:.3f}" for score in (hit.before_score, hit.score))
            table.add_row(hit.id, *ranks, *scores, style="dim" if hit.is_same else "")
        yield table
    if differing := [*found.settings, *found.numbers]:
        table = rendering.table("differs", "before", "after", whole=["differs"])
        for each in differing:
            table.add_row(each.name, _written(each.before), _written(each.after))
        yield table
    for name, codes in (("before", found.degraded_before), ("after", found.degraded_after)):
        if codes:
            yield Text(f"degraded {name}: {', '.join(codes)}", "yellow")


def _written(value: Any) -> str:
    return "-" if value is None else output.one_line(str(value))

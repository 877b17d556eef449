"""What was counted, as a table and as JSON."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bench.soak.checks import LOST, SORTS, TWICE, VERIFY
from bench.soak.rounds import Count

MOST_STORIES = 10


def summary(count: Count) -> str:
    """One line, with what matters."""
    found = Counter(each.found.sort for each in count.violations)
    clean = "`verify` clean each time" if not found[VERIFY] else f"{found[VERIFY]} findings of `verify`"
    return f"{count.kills:,} kills, {found[LOST]} {LOST}, {found[TWICE]} {TWICE}, {clean}"


def to_json(count: Count, *, seed: int, seconds: float) -> dict[str, Any]:
    found = Counter(each.found.sort for each in count.violations)
    return {
        "schema": "cortex.soak.v1",
        "summary": summary(count),
        "seed": seed,
        "seconds": round(seconds, 1),
        "kills": count.kills,
        "served": count.served,
        "homes": count.homes,
        "checks": count.checks,
        "facts_compared": count.facts,
        "erased_texts_looked_for": count.erased,
        "servers_whose_helpers_ended": count.helpers,
        "calls_acknowledged": sum(count.done.values()),
        "found": {sort: found[sort] for sort in SORTS},
        "killed_during": dict(count.moments.most_common()),
        "acknowledged": dict(count.done.most_common()),
        "refused": dict(count.refused.most_common()),
        "violations": [asdict(each) for each in count.violations],
    }


def show(count: Count, console: Console, *, seed: int, seconds: float) -> None:
    payload = to_json(count, seed=seed, seconds=seconds)
    table = Table(title="Killed, and what was there afterwards", title_justify="left")
    table.add_column("counted")
    table.add_column("", justify="right")
    table.add_row("processes killed", f"{count.kills:,}")
    table.add_row("  of them `cortex serve`", f"{count.served:,}")
    table.add_row("calls acknowledged", f"{payload['calls_acknowledged']:,}")
    table.add_row("acknowledged facts compared", f"{count.facts:,}")
    table.add_row("times that `verify` ran", f"{count.checks:,}")
    table.add_row("erased texts looked for in every byte", f"{count.erased:,}", end_section=True)
    for sort, number in payload["found"].items():
        table.add_row(sort, f"[{'red' if number else 'green'}]{number}")
    console.print(table)
    moments = Table(title="What was under way", title_justify="left")
    for heading in ("verb", "killed", "acknowledged"):
        moments.add_column(heading, justify="left" if heading == "verb" else "right")
    for verb in sorted({*count.moments, *count.done}, key=lambda verb: (-count.moments[verb], verb)):
        moments.add_row(verb, str(count.moments[verb]), str(count.done[verb]))
    console.print(moments)
    for number, each in enumerate(count.violations[:MOST_STORIES], start=1):
        console.print(f"\n[red]{number}. {escape(each.found.sort)}[/red], after kill {each.kill}, home {each.home}")
        console.print(f"   {escape(each.found.what)}", highlight=False)
        for line in each.story:
            console.print(f"     {escape(line)}", style="dim", highlight=False)
    if len(count.violations) > MOST_STORIES:
        console.print(f"\nand {len(count.violations) - MOST_STORIES} more (--json tells all)")
    console.print(f"\n{summary(count)}; {seconds:.0f} s, seed {seed}", highlight=False)

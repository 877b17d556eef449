"""How often drift is reported where there is none, and how soon where there is: `python -m bench.drift`.

Each stream is 90 days of labels, 30 memories a day. The shares of a day are drawn from a Dirichlet distribution around
those of weekdays or of weekends, so days differ more than chance alone would have it. In half of the streams 25 points
move from one label to another on a day.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Annotated

import numpy as np
import typer

from bench import command
from cortex.domain import drift
from cortex.domain.drift import compare
from cortex.surfaces.cli import output

MISSED = 1
"""Exit code where a goal was not met."""

LABELS = ("must_remember", "nice_to_have", "unknown", "ignore")
WEEKDAYS = (0.20, 0.35, 0.30, 0.15)
WEEKENDS = (0.10, 0.30, 0.45, 0.15)
DAYS = 90
FIRST = date(2026, 1, 1)
JUMPED_ON = 60
WITHIN = 10
MOST_FALSE = 0.05
LEAST_FOUND = 0.85

Stream = Mapping[date, Mapping[str, int]]


def stream(seed: int, *, per_day: int, concentration: float, jump: float = 0.0) -> Stream:
    """Ninety days of labels; with `jump`, so much of the share of the second label goes to the third from a day on."""
    random = np.random.default_rng(seed)
    days = {}
    for number in range(DAYS):
        day = FIRST + timedelta(days=number)
        shares = np.array(WEEKENDS if day.weekday() >= 5 else WEEKDAYS)
        if number >= JUMPED_ON:
            shares = shares + np.array((0, -jump, jump, 0))
        drawn = random.multinomial(per_day, random.dirichlet(concentration * shares))
        days[day] = dict(zip(LABELS, map(int, drawn), strict=True))
    return days


def first_alert(series: Sequence[bool], in_a_row: int) -> int | None:
    """The first day on which so many days in a row have had a signal."""
    run = 0
    for number, is_signal in enumerate(series):
        run = run + 1 if is_signal else 0
        if run >= in_a_row:
            return number
    return None


def measured(days: Stream) -> dict[str, int | None]:
    """The day of the first alert: by the rule, by its rules with a plain chi-square test, by that test alone."""
    found = [compare(days, day) for day in days]
    plain = [each.plain_p_value is not None and each.plain_p_value < drift.LEVEL for each in found]
    moved = [bool(each.shares) and abs(each.shares[0].moved) >= drift.MOVED for each in found]
    return {
        "corrected": first_alert([each.is_signal for each in found], drift.IN_A_ROW),
        "plain, same rules": first_alert([a and b for a, b in zip(plain, moved, strict=True)], drift.IN_A_ROW),
        "plain chi-square": first_alert(plain, 1),
    }


def measure(
    streams: Annotated[int, typer.Option(min=1, max=100_000, help="How many streams of each sort.")] = 1_000,
    per_day: Annotated[int, typer.Option(min=1, max=10_000, help="How many memories a day.")] = 30,
    concentration: Annotated[float, typer.Option(min=0.1, help="Of the Dirichlet distribution of a day.")] = 40.0,
    jump: Annotated[float, typer.Option(min=0.0, max=0.29, help="How much of a share moves.")] = 0.25,
    seed: Annotated[int, typer.Option(help="The seed of the first stream.")] = 0,
    as_json: command.AsJson = False,
) -> int:
    """Count alerts on streams without a change, and on streams with one."""
    began = time.perf_counter()
    false: dict[str, int] = {}
    found: dict[str, int] = {}
    with output.progress("streams") as progress:
        for number in range(streams):
            how = {"per_day": per_day, "concentration": concentration}
            for name, day in measured(stream(seed + number, **how)).items():  # type: ignore[arg-type]
                false[name] = false.get(name, 0) + (day is not None)
            shifted = stream(seed + streams + number, jump=jump, **how)  # type: ignore[arg-type]
            for name, day in measured(shifted).items():
                is_found = day is not None and JUMPED_ON <= day < JUMPED_ON + WITHIN
                found[name] = found.get(name, 0) + is_found
            progress(number + 1, streams, "")
    report = {
        name: {"false_alerts": false[name] / streams, "found_within_10_days": found[name] / streams} for name in false
    }
    if as_json:
        output.show_json({"streams": streams, "seconds": round(time.perf_counter() - began, 1), "rules": report})
    else:
        output.plain(f"{'rule':20} {'false alerts':>14} {'found in 10 days':>18}")
        for name, figures in report.items():
            output.plain(f"{name:20} {figures['false_alerts']:14.1%} {figures['found_within_10_days']:18.1%}")
        output.plain(f"{streams:,} streams of each sort in {time.perf_counter() - began:.0f} s")
    ours = report["corrected"]
    is_met = ours["false_alerts"] <= MOST_FALSE and ours["found_within_10_days"] >= LEAST_FOUND
    return 0 if is_met else MISSED


if __name__ == "__main__":
    sys.exit(command.run(measure, sys.argv[1:], "python -m bench.drift"))

"""How a language without word forms to compare states amounts: the module `amounts` of each folder that has one.

Statements in these languages are compared by what is left of a clause without its amount, so everything that may differ
between two statements of one thing is named here. All are patterns, except tables. They are searched for in small
letters and narrow digits, with `¤` in place of the amount.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SIGNS: Mapping[str, str] = {
    "money": "$/usd €/eur £/gbp ¥",
    "percent": "%",
    "weight": "kg*1000 g*1",
    "distance": "km*1000 m*1 cm*0.01 mm*0.001",
    "size": "tb*1000000 gb*1000 mb*1 kb*0.001",
    "duration": "ms*0.001 s*1",
}
"""Units that are written alike everywhere, in the form of `AmountWords.units`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountWords:
    """What stands around an amount, and what an amount is made of."""

    letters: str
    """Letters that show the language, where the languages before it do not."""
    spaced: bool = False
    """Words are separated by spaces."""
    breaks: str
    """Where one clause ends and another begins."""
    digits: str = ""
    """Letters that are digits, from zero on, apart by spaces, those of one digit joined by slashes."""
    numbers: Mapping[str, int] = field(default_factory=dict)
    """Words that are numbers where a unit follows."""
    scales: Mapping[str, int]
    """What multiplies a number before it: 万."""
    units: Mapping[str, str]
    """By what is measured, the units: names of one unit joined by slashes, and how many of the smallest it is."""
    counters: str
    """What stands between a number and what is counted, apart by spaces, those of one meaning joined by slashes."""
    hour: str
    """What follows the hour of a clock time,"""
    minute: str
    """what follows the minutes, where anything does,"""
    half: str
    """and what is half of what stands before it."""
    rates: Mapping[str, str]
    """Each day, each month: how often an amount is due, or within what it is counted."""
    parts_of_day: str
    times: str
    """The month, quarter, year or weekday in which something was so, by its name: it stays true of that time."""
    since: str
    """What stands after it where something is so from then on."""
    passing: str
    """What makes a clause one of a single occasion, or of no state: "yesterday", "maybe", "more than"."""
    goals: str
    """What makes it a plan."""
    former_before: str = "(?!)"
    """What stands before the amount that was: 从."""
    former_after: str = "(?!)"
    """What stands after it: から."""
    changed: str
    """That the amount is so from now on."""
    steps: str
    """That the amount is by how much something changed; searched for where nothing is `changed`."""
    past: str
    """That something was done, likewise."""
    states: str
    """That something is so: what says nothing more than that."""
    needs_state: bool = False
    """Whether a clause without `states` may tell of a deed, unless it is of one of the `measures`, or has a rate."""
    measures: str = "(?!)"
    """What has an amount, right before it: a price, a weight."""
    fillers: str
    """What may be said or left out."""

"""How a language limits what is said: to a stretch of time, or to a project. The domain and capture read this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitWords:
    """What says for how long something holds, and where. All are patterns, except tables of words."""

    day: str
    """It holds for the day at most: "today"."""
    week: str
    """It holds for some days: "this week"."""
    month: str
    """It holds for some weeks: "this month"."""
    now: str
    """It holds at the moment, and nothing tells its end: "right now"."""
    until: tuple[str, ...]
    """How the day is named on which something ends; `{}` stands for the day."""
    within: str
    """How the time is named for which something holds; `{}` stands for a number and a unit."""
    days: Mapping[str, int]
    """Days counted from the day it is said."""
    weekdays: tuple[str, ...]
    """From Monday on; several names of one stand apart by a comma."""
    months: tuple[str, ...] = ()
    """From January on, likewise; none where they are numbers."""
    of: str = r"\s"
    """What stands between the number of a day and its month, and between the month and the year."""
    spans: Mapping[str, str] = field(default_factory=dict)
    """What ends with a week, a month or a year: a pattern by `week`, `month` and `year`."""
    numbers: Mapping[str, int] = field(default_factory=dict)
    units: Mapping[str, int]
    """How many days each unit of time has."""
    before: str
    """What an instruction may open with before its limit; its group `only` says that the limit is explicit."""
    after: str
    """What follows the limit; its group `alone` says the same."""
    lasting: str
    """What an instruction opens with that holds from then on: a limit stands in the same place."""
    orders: str = ""
    """How what stands beside a limit shows that it is an order; none where the language has an instruction grammar."""
    scope: str
    """How an instruction opens that is limited to a project; its group `about` is the name of it."""
    stays: str
    """What says that something does not end with the day or the week: a start, a habit, a later date."""
    happened: str
    """What says that something took place: it stays true whatever day it was."""
    state: str = ""
    """What looks like that, and says how something is: "I'm tired"."""
    life_events: str
    """What happens once and matters for good."""

"""Sixty days of an invented team's memory: `python examples/sample.py --home DIR`, then `cortex --home DIR serve`.

The team makes Spoke, a booking system for bicycle workshops; its people, workshops and numbers are invented. What was
told, said, asked, replaced, forgotten and merged happens in the order of its times, by the engine's own verbs, on a
clock of its own, so that everything is as it would be after sixty real days, and the same on every run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from cortex import Cortex
from cortex.domain.identity import IdSource
from cortex.ports.store import Filter
from cortex.runtime.deadline import Deadline
from cortex.testing import CountingIds

DATA = Path(__file__).parent / "sample"
DAYS = 60
AGENT, USER = "spoke", "nadia"
UNTIL = time(17, 0)
NOTES = "notes"

SETTINGS = """\
agent = "{agent}"
user = "{user}"

[embedding]
provider = "{embedder}"

[store.sqlite]
synchronous = "normal"

[lifecycle]
backup_every_hours = 0
"""

_CHECKS_DEADLINE = Deadline.passed.fget.__code__
_ROLES = {"assistant": "assistant", "tool": "tool"}
_SUNDAY, _SATURDAY = 6, 5


class Past:
    """A clock in the past: it stands where it was set, and a moment passes with every look at its steady counter.

    The looks of a deadline do not count: how often SQLite checks one differs from run to run.
    """

    def __init__(self, now: datetime) -> None:
        self._now = now
        self._dice = random.Random(11)  # noqa: S311 - the same moments on every run
        self._seconds = 0.0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        if sys._getframe(1).f_code is not _CHECKS_DEADLINE:
            self._seconds += self._dice.uniform(0.0004, 0.0036)
        return self._seconds

    def become(self, now: datetime) -> None:
        self._now = max(self._now, now)


@dataclass(order=True, frozen=True)
class Moment:
    """Something that happened, and when; `number` keeps the order of what happened at the same time."""

    at: datetime
    number: int
    happen: Callable[[Cortex], object] = field(compare=False)


def fill(home: Path, *, until: datetime, embedder: str = "none", is_well: bool = False) -> None:
    """Fill an empty `home` with sixty days that end at `until`; unless all `is_well`, one note cannot be read."""
    home.mkdir(parents=True, mode=0o700)
    (home / "cortex.toml").write_text(SETTINGS.format(agent=AGENT, user=USER, embedder=embedder), encoding="utf-8")
    clock = Past(until - timedelta(days=DAYS + 1))
    ids: IdSource = CountingIds()
    with Cortex(home, clock=clock, ids=ids) as memory:
        for moment in sorted(Story(home, until).moments()):
            clock.become(moment.at)
            moment.happen(memory)
            memory.flush()
        if not is_well:
            spoil(home)
            memory.index()


def spoil(home: Path) -> None:
    """Put a note there that no program can read: how a dashboard tells of trouble."""
    (home / NOTES / "scanned-receipt.md").write_bytes(b"\x00\xff\xfe\x00PNG" * 64)


class Story:
    """What happens, each at its time; names of memories stand for their ids once they are told."""

    def __init__(self, home: Path, until: datetime) -> None:
        self._home = home
        self._until = until
        self._first = until.date() - timedelta(days=DAYS)
        self._numbers = count()
        self._ids: dict[str, str] = {}
        self._turns: dict[str, tuple[str, ...]] = {}

    def moments(self) -> Iterator[Moment]:
        for given in (*_lines("memories.jsonl"), *self._routine()):
            yield self._at(given, partial(self._remember, given))
        for given in _lines("conversations.jsonl"):
            yield self._at(given, partial(self._capture, given))
        for given in _lines("asked.jsonl"):
            yield self._at(given, partial(self._ask, given))
        yield self._at({"day": 43, "at": "09:00"}, self._follow_notes)
        yield self._at({"day": 43, "at": "18:00"}, lambda memory: memory.consolidate())
        yield self._at({"day": 57, "at": "13:30"}, lambda memory: memory.forget(self._ids["old-vendor"]))
        yield self._at({"day": 60, "at": "12:05"}, lambda memory: memory.search("certificate", limit=5))
        yield self._at({"day": 50, "at": "10:05"}, lambda memory: self._edit(memory, "20 minutes", "30 minutes"))
        yield self._at({"day": 60, "at": "06:30"}, lambda memory: memory.consolidate())
        yield self._at({"day": 60, "at": "14:12"}, self._leave_work_behind)

    def _at(self, given: dict[str, Any], happen: Callable[[Cortex], object]) -> Moment:
        day = self._first + timedelta(days=given["day"])
        at = datetime.combine(day, time.fromisoformat(given["at"]), UTC)
        # The last day is as long as it has lasted.
        latest = self._until - timedelta(minutes=1)
        if given["day"] == DAYS and at.time() < UNTIL:
            begun = datetime.combine(day, time(0), UTC)
            at = begun + (latest - begun) * ((at - begun) / timedelta(hours=UNTIL.hour))
        return Moment(min(at, latest), next(self._numbers), happen)

    # --- verbs ---------------------------------------------------------------------------------------

    def _remember(self, given: dict[str, Any], memory: Cortex) -> None:
        fields = {name: value for name, value in given.items() if name not in ("name", "day", "at", "text_of")}
        if "text_of" in given:
            fields["text"] = (DATA / given["text_of"]).read_text(encoding="utf-8")
        if "supersedes" in fields:
            fields["supersedes"] = self._ids[fields["supersedes"]]
        if (days := fields.pop("ttl_days", None)) is not None:
            fields["ttl"] = timedelta(days=days)
        if (session := fields.pop("said_in", None)) is not None:
            fields["source_turns"] = self._turns[session]
        kept = memory.remember(**{"source_kind": "user", **fields})
        self._ids[given.get("name", kept.memory.id)] = kept.memory.id

    def _capture(self, given: dict[str, Any], memory: Cortex) -> None:
        at = memory.context.dependencies.clock.now()
        messages = [
            {
                "role": _ROLES.get(who, "user"),
                "content": text,
                "timestamp": (at + timedelta(seconds=40 * number)).isoformat(),
                **({} if who in _ROLES else {"speaker": who}),
            }
            for number, (who, text) in enumerate(given["turns"])
        ]
        session = given["session"]
        kept = memory.capture(messages, session=session, scope=given["scope"], channel=given["channel"])
        self._turns[session] = kept.turns

    def _ask(self, given: dict[str, Any], memory: Cortex) -> None:
        memory.recall(given["text"], scope=given.get("scope"))

    def _edit(self, memory: Cortex, old: str, new: str) -> None:
        """As a person does it: in the Markdown of an export."""
        (page,) = memory.export_markdown(Filter(scopes=frozenset({"spoke"})))
        memory.import_markdown(page.text.replace(old, new))

    def _follow_notes(self, memory: Cortex) -> None:
        notes = self._home / NOTES
        shutil.copytree(DATA / "notes", notes)
        written = memory.context.clock.now().timestamp()
        for note in notes.rglob("*.md"):
            os.utime(note, (written, written))
        memory.index(notes, scope="spoke", name="notes")

    def _leave_work_behind(self, memory: Cortex) -> None:
        memory.ingest(
            [{"role": "user", "content": "I will send the list of canaries after lunch."}],
            session="agent:spoke:after-lunch",
            scope="spoke",
            channel="telegram",
        )

    # --- what happens every day ----------------------------------------------------------------------

    def _routine(self) -> Iterator[dict[str, Any]]:
        """Deploys, tickets and reviews of every working day."""
        dice = random.Random(7)  # noqa: S311 - the same story on every run
        version = [3, 9, 0]
        ticket = 8_700
        for day in range(DAYS):
            if (self._first + timedelta(days=day)).weekday() in (_SATURDAY, _SUNDAY):
                continue
            version = _next(version, day, dice)
            yield _deploy(day, ".".join(map(str, version)), dice)
            for _ in range(dice.randrange(1, 4)):
                ticket += dice.randrange(1, 9)
                yield _ticket(day, ticket, dice)
            if dice.random() < 0.6:
                yield _review(day, dice)


def _next(version: list[int], day: int, dice: random.Random) -> list[int]:
    if day == 13:
        return [4, 0, 0]
    major, minor, patch = version
    return [major, minor + 1, 0] if dice.random() < 0.12 else [major, minor, patch + 1]


_SERVICES = ("spoke-api", "spoke-web", "reminder-worker", "the widget")
_OUTCOMES = (
    ("{service} {version} went out at 10:{minute:02d}. All checks were green.", 0.45),
    ("{service} {version} went out at 10:{minute:02d}, after {who} had asked for another look at the calendar.", 0.5),
    ("{service} {version} was rolled back after {minute} minutes: {trouble}.", 0.82),
    ("{service} {version} waited until 11:{minute:02d}, because {trouble}.", 0.62),
)
_TROUBLES = (
    "the health check of one machine did not answer",
    "bookings of workshops in Japan were an hour off",
    "a migration took longer than on staging",
    "the tests of the reminders failed once",
    "the image was built without the translations",
)
_PEOPLE = ("Tomasz", "Ines", "Seun", "Mei", "Yael")


def _deploy(day: int, version: str, dice: random.Random) -> dict[str, Any]:
    text, importance = dice.choices(_OUTCOMES, weights=(6, 2, 1, 2))[0]
    service = dice.choice(_SERVICES)
    told = text.format(
        service=service[0].upper() + service[1:] if service.startswith("the ") else service,
        version=version,
        minute=dice.randrange(2, 58),
        who=dice.choice(_PEOPLE),
        trouble=dice.choice(_TROUBLES),
    )
    return {"day": day, "at": f"11:{dice.randrange(60):02d}", "kind": "episode", "scope": "spoke", "text": told,
            "importance": importance, "tags": ["deploys"]}  # fmt: skip


_WORKSHOPS = "Ghent Utrecht Bremen Osaka Malmö Lyon Porto Graz Leeds Kyoto Tartu Brno".split()
_WISHES = (
    ("wants to close the calendar for two weeks in February", "fact", 0.5),
    ("asks why a reminder went to the old number of a customer", "episode", 0.4),
    ("cannot print an invoice with a logo wider than the page", "episode", 0.45),
    ("asks for recurring bookings, every six months for the same bicycle", "fact", 0.65),
    ("wants to see the bookings of both branches on one page", "fact", 0.55),
    ("found that a mechanic can be booked twice at noon (E2107 is not shown)", "episode", 0.7),
    ("says thank you for the dark booking page", "other", 0.2),
    ("asks how to give a customer ten per cent off without touching the price list", "fact", None),
    ("wants text messages in French for some of its customers", "preference", 0.6),
    ("cannot find the button to move a booking to another bay", "episode", None),
    ("reports that the widget is slow on their page; it loads two fonts first", "episode", 0.4),
    ("asks whether the data of customers may be kept for longer than three years", "fact", 0.75),
)


def _ticket(day: int, number: int, dice: random.Random) -> dict[str, Any]:
    wish, kind, importance = dice.choice(_WISHES)
    row = {"day": day, "at": f"{dice.randrange(8, 17):02d}:{dice.randrange(60):02d}", "kind": kind, "scope": "support",
            "text": f"Ticket {number}: the workshop in {dice.choice(_WORKSHOPS)} {wish}.",
            "tags": ["tickets"], "source_kind": dice.choice(("user", "user", "tool"))}  # fmt: skip
    return row if importance is None else {**row, "importance": importance}


_FINDINGS = (
    ("{who} asked for a test of the case that a workshop has no bay.", "fact", 0.55),
    ("{who} and {other} agreed to name the new table `bay_hours`.", "decision", 0.6),
    ("{who} reviewed the importer and found that CP1252 is read as UTF-8.", "episode", 0.6),
    ("{who} moved the colours of the calendar into the style guide.", "episode", 0.35),
    ("{who} measured {minute} ms for the calendar of a workshop with eleven bays.", "fact", 0.5),
    ("{who} will look at the slow search for customers next week.", "other", None),
    ("{who} prefers to pair with {other} on anything that touches invoices.", "preference", 0.6),
    ("{who} turned off the flag of the old date picker.", "episode", 0.4),
)


def _review(day: int, dice: random.Random) -> dict[str, Any]:
    text, kind, importance = dice.choice(_FINDINGS)
    who, other = dice.sample(_PEOPLE, 2)
    row = {"day": day, "at": f"{dice.randrange(13, 17):02d}:{dice.randrange(60):02d}", "kind": kind, "scope": "spoke",
            "text": text.format(who=who, other=other, minute=dice.randrange(40, 240)), "tags": ["reviews"],
            "source_kind": "assistant"}  # fmt: skip
    return row if importance is None else {**row, "importance": importance}


def _lines(name: str) -> Iterator[dict[str, Any]]:
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True, help="where to put it; must not be there yet")
    parser.add_argument("--until", type=datetime.fromisoformat, help="when the sixty days end (now)")
    parser.add_argument("--embedder", choices=("local", "none"), default="local", help="`none` needs no model")
    given = parser.parse_args()
    if given.home.exists():
        parser.error(f"{given.home} is there already; name another")
    until = given.until or datetime.now(UTC)
    fill(given.home, until=until if until.tzinfo else until.replace(tzinfo=UTC), embedder=given.embedder)


if __name__ == "__main__":
    main()

"""A process that does background work and dies on its way: `python capture_process.py HOME MINUTES PLACE NUMBER`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from cortex.memory import Cortex
from cortex.stores.relational.ledger import Ledger
from cortex.testing import FakeClock, FakeEmbedder, FakeReranker

BEGINNING = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

FACTS: Sequence[Sequence[str]] = (
    (
        "I live in Bergen",
        "I prefer trams over buses",
        "From now on, always answer in German",
        "My sister Ana lives in Porto",
        "My locker is number 12",
        "I'm allergic to peanuts",
        "My dentist is Doctor Okafor",
        "I prefer trams over buses!",
    ),
    (
        "I moved, I live in Lisbon now",
        "i really prefer trams over buses",
        "My locker is number 47",
        "Never book a flight before nine in the morning",
        "I work as a bridge engineer",
        "We decided to use PostgreSQL for the tide tables",
    ),
    (
        "My locker is number 51",
        "I'm allergic to peanuts, remember that",
        "I no longer work as a bridge engineer",
        "I live in Oslo now",
        "From now on, always answer in German.",
        "My favourite colour is green",
    ),
)
TALK = ("thanks!", "what is the weather like today?", "could you look that up again?", "good morning", "ok")


def sessions() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """What was said on three days; the first day is longer than one step of the work."""
    for day, facts in enumerate(FACTS):
        lines = [line for number, fact in enumerate(facts) for line in _said(fact, number, day)]
        if day == 0:
            lines += [("user", f"{TALK[number % len(TALK)]} ({number})") for number in range(40)]
            lines.append(("user", "My bicycle is a red Peugeot"))
        at = BEGINNING + timedelta(days=day - len(FACTS))
        yield (
            f"day {day}",
            [
                {"role": role, "content": text, "at": (at + timedelta(minutes=number)).isoformat()}
                for number, (role, text) in enumerate(lines)
            ],
        )


def _said(fact: str, number: int, day: int) -> Iterator[tuple[str, str]]:
    yield "user", fact
    yield "assistant", f"Noted, that is number {number} of day {day}."
    yield "user", TALK[(number + day) % len(TALK)]


def opened(home: Path, minutes: int = 0) -> Cortex:
    """The engine, so many minutes after what was said was stored: a claim of a process that died has lapsed."""
    return Cortex(
        home,
        settings={"embedding": {"cache_entries": 0}, "store": {"sqlite": {"synchronous": "normal"}}},
        embedder=FakeEmbedder(128),
        reranker=FakeReranker(),
        clock=FakeClock(BEGINNING + timedelta(minutes=minutes)),
    )


def ingested(home: Path, minutes: int = 0) -> None:
    """Store what was said, and leave the rest for later."""
    with opened(home, minutes) as engine:
        for session, messages in sessions():
            engine.ingest(messages, session=session, debounce=False)


def arm(engine: Cortex, place: str, number: int) -> None:
    """Die `before` or `after` this many writes of the store, or this many events `within` them."""
    store = engine.context.dependencies.store(engine.tenant.agent)
    if place == "within":
        _deadly(Ledger, "record", count(1), number, dies_before=True)
        return
    writes = count(1)
    for name in ("apply", "claim"):
        _deadly(store, name, writes, number, dies_before=place == "before")


def _deadly(owner: Any, name: str, counted: Iterator[int], number: int, *, dies_before: bool) -> None:
    call: Callable[..., Any] = getattr(owner, name)

    def deadly(*arguments: Any, **options: Any) -> Any:
        last = next(counted) == number
        if last and dies_before:
            die()
        answer = call(*arguments, **options)
        if last:
            die()
        return answer

    setattr(owner, name, deadly)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(home: str, minutes: str, place: str, number: str) -> None:
    with opened(Path(home), int(minutes)) as engine:
        arm(engine, place, int(number))
        engine.run_jobs()


if __name__ == "__main__":
    main(*sys.argv[1:])

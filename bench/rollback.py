"""Random histories with erasures and rollbacks: `python -m bench.rollback`.

Each history remembers, replaces, edits, forgets, restores, says and erases at random, creates tags, and goes back to
them. After each rollback the memory is compared with what it was at the tag, as a plain copy of then and as `as_of`
shows it, both without what was erased since. Rolling back the rollback must restore what was there, and the ledger
must verify.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from bench import command
from cortex.context import AsOf
from cortex.domain.identity import TraceId
from cortex.domain.lanes import ANY_STATE, SEARCHABLE, Lane, State
from cortex.domain.memory import Memory
from cortex.domain.trace import Trace, canonical
from cortex.domain.turn import Turn, TurnDraft
from cortex.memory import Cortex
from cortex.ports.store import Filter
from cortex.surfaces.cli import output
from cortex.testing import CountingIds, FakeClock

MISSED = 1
"""Exit code where a history was not as it should be."""

STEPS = 30
SCOPES = ("infra", "kitchen")
_EVERYTHING = Filter(lanes=frozenset({Lane.MEMORIES, Lane.SESSIONS}), states=ANY_STATE)

Snapshot = Mapping[TraceId, Trace]


@dataclass(slots=True)
class History:
    """One random history on one memory, and what was found wrong with it."""

    engine: Cortex
    random: random.Random
    tags: dict[str, Snapshot] = field(default_factory=dict)
    erased: set[TraceId] = field(default_factory=set)
    rollbacks: int = 0
    erasures: int = 0
    faults: list[str] = field(default_factory=list)
    _number: int = 0

    def run(self, steps: int = STEPS) -> History:
        """A tag, `steps` random steps, a rollback, and a look at the ledger."""
        self._tag()
        acts = {
            self._remember: 6, self._say: 3, self._replace: 2, self._edit: 5, self._forget: 4, self._restore: 2,
            self._erase: 1, self._tag: 2, self._roll_back: 2,
        }  # fmt: skip
        for _ in range(steps):
            self.random.choices(list(acts), list(acts.values()))[0]()
        self._roll_back()
        self.faults += [f"verify: {finding.code}" for finding in self.engine.verify()]
        return self

    # --- steps -----------------------------------------------------------------------------------

    def _remember(self) -> None:
        turns = self._some(Turn)
        source = (turns.id,) if turns and turns.state is State.ACTIVE and self.random.random() < 0.4 else ()
        self.engine.remember(self._text(), as_new=True, scope=self.random.choice(SCOPES), source_turns=source)

    def _say(self) -> None:
        drafts = [TurnDraft(text=self._text()) for _ in range(self.random.randint(1, 2))]
        self.engine.store_turns(f"session {self._number}", drafts, scope=self.random.choice(SCOPES))

    def _replace(self) -> None:
        if (old := self._some(Memory)) and old.state is State.ACTIVE:
            self.engine.remember(self._text(), scope=old.scope, supersedes=old.id)

    def _edit(self) -> None:
        if (memory := self._some(Memory)) and memory.state is State.ACTIVE:
            change = self.random.choice(({"text": self._text()}, {"tags": (self._text()[:9],)}, {"importance": 0.9}))
            self.engine.edit(memory.id, **change)

    def _forget(self) -> None:
        if trace := self._some(Memory, Turn):
            self.engine.forget(trace.id)

    def _restore(self) -> None:
        if trace := self._some(Memory, Turn):
            self.engine.restore(trace.id)

    def _erase(self) -> None:
        if trace := self._some(Memory, Turn):
            self.erased |= set(self.engine.erase(trace.id).certificate.erased)
            self.erasures += 1

    def _tag(self) -> None:
        name = f"tag-{len(self.tags)}"
        self.engine.tag(name)
        self.tags[name] = self._now()

    def _roll_back(self) -> None:
        name, turns = self.random.choice(sorted(self.tags)), self.random.random() < 0.4
        before = self._now()
        done = self.engine.rollback(name, turns=turns).users[0]
        self.rollbacks += 1
        self._compare(f"{name}, copy", self._left(self.tags[name]), turns, before)
        self._compare(f"{name}, as_of", self._now(name), turns, before)
        if done.undo and self.random.random() < 0.7:
            if self.random.random() < 0.3:
                self._erase()
            self.engine.rollback(done.undo, turns=turns)
            self.rollbacks += 1
            if self._bodies(self._now()) != self._bodies(self._left(before)):
                self.faults.append(f"{name}: undoing the rollback did not restore what was there")

    # --- comparing -------------------------------------------------------------------------------

    def _compare(self, what: str, then: Snapshot, turns: bool, before: Snapshot) -> None:
        """Whether the memory is as it was `then`; without `turns`, whether turns are as they were `before`."""
        now = self._now()
        wanted = dict(then if turns else {id: each for id, each in then.items() if isinstance(each, Memory)})
        rolled = {id: each for id, each in now.items() if turns or isinstance(each, Memory)}
        if self._bodies(wanted) != self._bodies({id: each for id, each in rolled.items() if id in wanted}):
            self.faults.append(f"{what}: a version is not that of the tag")
        if any(each.state in SEARCHABLE for id, each in rolled.items() if id not in wanted):
            self.faults.append(f"{what}: a later memory is still found")
        kept = {id: each for id, each in before.items() if isinstance(each, Turn)}
        if not turns and self._bodies(kept) != self._bodies({id: each for id, each in now.items() if id in kept}):
            self.faults.append(f"{what}: a turn was changed")
        if self.erased & now.keys():
            self.faults.append(f"{what}: something erased is back")

    def _now(self, as_of: AsOf | None = None) -> Snapshot:
        return {trace.id: trace for trace in self.engine.list(_EVERYTHING, limit=100_000, as_of=as_of)}

    def _left(self, then: Snapshot) -> Snapshot:
        return {id: each for id, each in then.items() if id not in self.erased}

    @staticmethod
    def _bodies(traces: Snapshot) -> dict[TraceId, str]:
        return {id: canonical(each) for id, each in traces.items()}

    def _some(self, *kinds: type[Trace]) -> Memory | Turn | None:
        found = [each for each in self._now().values() if isinstance(each, kinds)]
        return self.random.choice(found) if found else None  # type: ignore[return-value]

    def _text(self) -> str:
        self._number += 1
        return f"statement {self._number} is about {self.random.getrandbits(64):016x}"


def run(seed: int, url: str, home: Path, steps: int = STEPS) -> History:
    """One random history on a new memory of the store at `url`."""
    settings = {"store": {"url": url, "sqlite": {"synchronous": "normal"}}, "embedding": {"provider": "none"}}
    with Cortex(home, settings=settings, clock=FakeClock(), ids=CountingIds(), user=f"user-{seed}") as engine:
        return History(engine, random.Random(seed)).run(steps)


@contextmanager
def _home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="cortex-rollback-") as folder:
        yield Path(folder)


def rollback(
    histories: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many histories.")] = 1_000,
    steps: Annotated[int, typer.Option(min=1, max=10_000, help="How many random steps each has.")] = STEPS,
    seed: Annotated[int, typer.Option(help="The seed of the first; the next has the next one.")] = 0,
    store: Annotated[str, typer.Option(help="sqlite, ephemeral, or both in turn.")] = "both",
    as_json: command.AsJson = False,
) -> int:
    """Check that a rollback gives what the tag had, on random histories."""
    began, faults = time.perf_counter(), dict[str, list[str]]()
    rollbacks = erasures = 0
    with output.progress("histories") as progress:
        for number in range(histories):
            kind = store if store != "both" else ("ephemeral", "sqlite")[number % 2]
            with _home() as home:
                url = "ephemeral:" if kind == "ephemeral" else f"sqlite://{home / 'agents'}"
                done = run(seed + number, url, home, steps)
            rollbacks, erasures = rollbacks + done.rollbacks, erasures + done.erasures
            if done.faults:
                faults[f"{kind} {seed + number}"] = done.faults
            progress(number + 1, histories, "")
    report = {
        "histories": histories, "steps": steps, "store": store, "rollbacks": rollbacks, "erasures": erasures,
        "failed": len(faults), "faults": dict(list(faults.items())[:20]),
        "seconds": round(time.perf_counter() - began, 1),
    }  # fmt: skip
    if as_json:
        output.show_json(report)
    else:
        for name, value in report.items():
            output.plain(f"{name:10} {value}")
    return MISSED if faults else 0


if __name__ == "__main__":
    sys.exit(command.run(rollback, sys.argv[1:], "python -m bench.rollback"))

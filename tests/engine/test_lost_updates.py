"""What one verb has acknowledged, no other takes back unseen: every pair of verbs that change one memory."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import racing
from laboratory import opened, user
from racing import VERBS, attempt, begin, edit, problems
from racing_process import opened as opened_alone

from cortex.domain.identity import TraceId
from cortex.domain.lanes import State
from cortex.domain.memory import Draft, Memory
from cortex.domain.scope import Tenant
from cortex.errors import InvalidRequest, NotFound
from cortex.memory import Cortex
from cortex.ports.store import Change, Embed, Filter, Put, Store
from cortex.testing import CountingIds, FakeClock, FakeEmbedder
from forking import PIPE, Forked
from sweeps import sweep


class Interrupted:
    """A store in which somebody else acts once between what a verb has read and what it writes."""

    def __init__(self, inner: Store, is_meant: Callable[[Change], bool]) -> None:
        self._inner = inner
        self._is_meant = is_meant
        self.meanwhile: Callable[[], object] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def apply(self, tenant: Tenant, changes: Sequence[Change], *, at: datetime, **by: str) -> int:
        if self.meanwhile is not None and any(map(self._is_meant, changes)):
            act, self.meanwhile = self.meanwhile, None
            act()
        return self._inner.apply(tenant, changes, at=at, **by)


class Two:
    """Two engines on the same memories; the other acts while the first is about to write."""

    def __init__(self, home: Path, backend: str, is_meant: Callable[[Change], bool]) -> None:
        clock, ids = FakeClock(), CountingIds()
        self.mine, self.other = (opened(home, backend, clock=clock) for _ in range(2))
        for engine in (self.mine, self.other):
            engine.context.dependencies.ids = ids
        if backend == "ephemeral":
            shared = self.mine.context.dependencies.store(self.mine.tenant.agent)
            self.other.context.dependencies.open_store = lambda _: shared
        inner = self.mine.context.store
        self.store = Interrupted(inner, is_meant)
        self.mine.context.dependencies._stores[self.mine.tenant.agent] = self.store
        self.clock = clock

    def race(self, first: Callable[[], object], second: Callable[[], object]) -> dict[str, bool]:
        acknowledged: dict[str, bool] = {}
        self.store.meanwhile = lambda: acknowledged.update(second=attempt(second))
        acknowledged["first"] = attempt(first)
        self.store.meanwhile = None
        self.mine.flush()
        self.other.flush()
        return acknowledged

    def close(self) -> None:
        self.mine.close()
        self.other.close()


def _is_of_a_memory(change: Change) -> bool:
    return isinstance(change, Put) and isinstance(change.trace, Memory)


def _writes_vectors(change: Change) -> bool:
    return isinstance(change, Embed)


@pytest.fixture
def two(backend: str, tmp_path: Path) -> Iterator[Callable[..., Two]]:
    made: list[Two] = []

    def make(is_meant: Callable[[Change], bool] = _is_of_a_memory) -> Two:
        made.append(Two(tmp_path / str(len(made)), backend, is_meant))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.mark.parametrize("backend", ["ephemeral", pytest.param("sqlite", marks=pytest.mark.slow)])
@pytest.mark.parametrize("first", sweep(VERBS, ["edit", "forget", "supersede", "say otherwise", "backfill"]))
def test_a_verb_that_was_overtaken_decides_anew(two: Callable[..., Two], first: str) -> None:
    """E11: no version takes back what another verb wrote, for every pair of verbs, at the worst moment."""
    found: dict[str, list[str]] = {}
    for second in VERBS:
        world = two(_writes_vectors if first == "backfill" else _is_of_a_memory)
        id = begin(world.mine)
        for name in dict.fromkeys((first, second)):
            VERBS[name].arrange(world.mine, id)
        world.mine.flush()
        done = world.race(lambda: VERBS[first].act(world.mine, id), lambda: VERBS[second].act(world.other, id))  # noqa: B023
        found[second] = problems(world.other)
        if done.get("second") and second == "edit" and _is_there(world.other, id):
            assert world.other.get(id).text.startswith("I live in the old town"), f"{first} undid an edit"
        found[second] += [f"{first} kept a vector of another text" for _ in _stale_vectors(world.other)]
    assert {second: problem for second, problem in found.items() if problem} == {}


def _is_there(engine: Cortex, id: str) -> bool:
    try:
        return engine.get(id).state is State.ACTIVE
    except NotFound:
        return False


def _stale_vectors(engine: Cortex) -> Iterator[TraceId]:
    """What has a vector that is not of its text."""
    embedder = FakeEmbedder(256)
    for trace in racing.everything(engine):
        if not isinstance(trace, Memory) or trace.state is not State.ACTIVE:
            continue
        with engine.context.view() as view:
            lacking = view.counts(Filter(ids=frozenset({trace.id}), lacking=embedder.space)).total
            (vector,) = embedder.embed_documents([trace.text])
            found = view.nearest(vector, embedder.space, Filter(ids=frozenset({trace.id})), 1)
        if not lacking and (not found or found[0].score < 0.999):
            yield trace.id


def test_an_edit_that_a_forgetting_overtook_is_told_of_and_not_written(two: Callable[..., Two]) -> None:
    world = two()
    id = begin(world.mine)
    done = world.race(lambda: edit(world.mine, id), lambda: world.other.forget(id))
    assert done == {"second": True, "first": False}
    assert (world.other.get(id).text, world.other.get(id).state) == (racing.TEXT, State.FORGOTTEN)


def test_two_imports_of_one_line_at_once_store_it_once(two: Callable[..., Two]) -> None:
    """E14: and what was edited in between is not written over."""
    source = two()
    kept = source.mine.remember("The ferry leaves at nine").memory
    line = next(iter(_lines(source.mine, kept.id)))
    world = two()  # only now: on a server it is the same database, emptied
    world.clock.advance(60)

    def import_and_edit() -> None:
        world.other.import_([line], trusted=True)
        edit(world.other, kept.id, "The ferry leaves at ten")

    world.race(lambda: world.mine.import_([line], trusted=True), import_and_edit)
    assert [trace.text for trace in racing.everything(world.other)] == ["The ferry leaves at ten"]
    assert problems(world.other) == []


def _lines(engine: Cortex, id: str) -> Iterator[str]:
    for told in engine.export(Filter(ids=frozenset({TraceId(id)})), redact=False):
        yield json.dumps(told)


def test_turns_kept_by_two_at_once_have_a_place_each(two: Callable[..., Two]) -> None:
    world = two(lambda change: isinstance(change, Put))
    world.race(
        lambda: world.mine.store_turns("standup", [user("one"), user("two")]),
        lambda: world.other.store_turns("standup", [user("three")]),
    )
    with world.other.context.view() as view:
        assert [(turn.seq, turn.text) for turn in view.turns("standup")] == [(0, "three"), (1, "one"), (2, "two")]


# --- successors -------------------------------------------------------------------------------------------------------


def test_a_memory_has_one_successor_and_the_next_supersedes_that(engine: Cortex) -> None:
    """X14"""
    first = engine.remember("The office is in Bergen").memory
    second = engine.remember("The office is in Oslo", supersedes=first.id).memory
    third = engine.remember("The office is in Narvik", supersedes=first.id).memory
    assert (second.supersedes, third.supersedes) == (first.id, second.id)
    assert [(each.text, each.state) for each in racing.everything(engine)] == [
        ("The office is in Bergen", State.SUPERSEDED),
        ("The office is in Oslo", State.SUPERSEDED),
        ("The office is in Narvik", State.ACTIVE),
    ]
    assert problems(engine) == []


def test_drafts_of_one_call_that_supersede_the_same_memory_follow_each_other(engine: Cortex) -> None:
    """X14"""
    first = engine.remember("The office is in Bergen").memory
    drafts = [Draft(text=f"The office is in {town}", supersedes=first.id) for town in ("Oslo", "Narvik", "Bodø")]
    engine.remember_all(drafts)
    active = [each.text for each in racing.everything(engine) if each.state is State.ACTIVE]
    assert active == ["The office is in Bodø"]
    assert problems(engine) == []


def test_what_supersedes_is_stored_with_what_it_supersedes(engine: Cortex) -> None:
    """Of a long list each memory is superseded in the batch that has its successor, not before."""
    first = engine.remember("The office is in Bergen").memory
    many = [Draft(text=f"Room {number} is free") for number in range(300)]
    engine.remember_all([*many, Draft(text="The office is in Oslo", supersedes=first.id)])
    versions = engine.show(first.id).versions
    assert versions[-1].since > engine.stats().total, "superseded before its successor was stored"
    assert problems(engine) == []


def test_a_bad_successor_late_in_a_list_stores_nothing(engine: Cortex) -> None:
    many = [Draft(text=f"Room {number} is free") for number in range(300)]
    with pytest.raises(NotFound):
        engine.remember_all([*many, Draft(text="x", supersedes=TraceId("019b8d62-7a80-7000-8000-00000000ffff"))])
    assert engine.stats().total == 0


def test_superseding_what_was_forgotten_does_not_show_it_again(engine: Cortex) -> None:
    first = engine.remember("The office is in Bergen").memory
    engine.forget(first.id)
    engine.remember("The office is in Oslo", supersedes=first.id)
    assert engine.get(first.id).state is State.FORGOTTEN
    engine.restore(first.id)
    assert engine.get(first.id).state is State.SUPERSEDED


def test_an_untrusted_successor_is_refused_by_the_trust_of_the_last(engine: Cortex) -> None:
    first = engine.remember("The office is in Bergen", source_kind="web").memory
    engine.remember("The office is in Oslo", supersedes=first.id)
    with pytest.raises(InvalidRequest, match="cannot replace"):
        engine.remember("The office is in Narvik", supersedes=first.id, source_kind="web")


# --- in threads and processes -----------------------------------------------------------------------------------------

_IN_A_RACE = ("edit", "forget", "restore", "supersede", "say it again", "say otherwise", "backfill", "recall")


@pytest.mark.parametrize("seed", range(2))
def test_threads_that_change_one_memory_lose_nothing(tmp_path: Path, seed: int) -> None:
    """E11"""
    with opened_alone(tmp_path) as engine:
        id = begin(engine)

        def change(number: int) -> int:
            chosen = random.Random(seed * 100 + number)
            done = 0
            for step in range(12):
                verb = chosen.choice(_IN_A_RACE)
                if verb == "edit":
                    done += attempt(lambda: edit(engine, id, f"I live in flat {number}-{step}"))  # noqa: B023
                else:
                    done += attempt(lambda: VERBS[verb].act(engine, id))  # noqa: B023
            return done

        with ThreadPoolExecutor(4) as pool:
            assert sum(pool.map(change, range(4))) > 12
        assert problems(engine) == []


def _raced(home: Path, id: str, processes: int, rounds: int, *verbs: str) -> list[str]:
    """What so many processes had acknowledged, all begun at the same moment."""
    script = Path(racing.__file__).with_name("racing_process.py")
    running = [
        Forked([script, home, id, str(seed), str(rounds), *verbs], stdin=PIPE, stdout=PIPE) for seed in range(processes)
    ]
    for each in running:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    items = [each.communicate("go\n", timeout=120)[0] for each in running]
    assert [each.returncode for each in running] == [0] * processes
    return [line for lines in items for line in lines.splitlines()]


@pytest.mark.parametrize("processes", sweep([2, 4], [2]))
def test_processes_that_change_one_memory_lose_nothing(tmp_path: Path, processes: int) -> None:
    """E11"""
    with opened_alone(tmp_path) as engine:
        id = begin(engine)
        assert len(_raced(tmp_path, id, processes, 12, *_IN_A_RACE)) > 3 * processes
        assert problems(engine) == []


@pytest.mark.parametrize("processes", sweep([3, 8], [3]))
@pytest.mark.slow
def test_processes_that_supersede_one_memory_leave_one_active(tmp_path: Path, processes: int) -> None:
    """X14: all at once make one chain of successors."""
    with opened_alone(tmp_path) as engine:
        id = engine.remember("The office is in Bergen").memory.id
        assert len(_raced(tmp_path, id, processes, 5, "supersede")) == 5 * processes
        states = [each.state for each in racing.everything(engine)]
        assert (states.count(State.ACTIVE), len(states)) == (1, 5 * processes + 1)
        assert problems(engine) == []

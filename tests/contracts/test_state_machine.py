"""Every store against the oracle: whatever is written, in whatever order, both give the same answers."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from samples import (
    ANNA,
    AT,
    BORIS,
    DAY,
    EAST,
    MINUTE,
    NORTH,
    NORTH_EAST,
    OTHER_SPACE,
    SPACE,
    chunk,
    id_,
    memory,
    turn,
    vector,
)

from cortex.domain.events import EventKind
from cortex.domain.lanes import SEARCHABLE, Lane, State
from cortex.domain.memory import ImportanceLabel, Kind
from cortex.domain.scope import Tenant
from cortex.domain.terms import query_terms
from cortex.domain.trace import Trace
from cortex.domain.trust import TrustTier
from cortex.errors import EngineError
from cortex.ports.store import Change, Embed, Filter, Match, Put, RecordAccess, Remove, Store, View
from cortex.stores.ephemeral import EphemeralStore
from store_list import STORE_URLS, open_store

TENANTS = (ANNA, BORIS)
NUMBERS = range(16)
EVERYTHING = 1_000

WORDS = (
    "harbour", "harbours", "pier", "dawn", "dusk", "salt", "Ærø", "v1.2.3", "pier_gate", "the", "港口", "防波堤",
    "мост", "🚢",
)  # fmt: skip
SCOPES = ("personal", "infra", "two words", '=u1 "')
DIRECTIONS = (EAST, NORTH, NORTH_EAST, -EAST, vector(0, 0, 0, 1), vector(0, 0, 0, 0))
REASONS = (EventKind.REMEMBERED, EventKind.REVISED, EventKind.FORGOTTEN, EventKind.RESTORED)

texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join).map(lambda text: text or "…")
queries = st.lists(st.sampled_from((*WORDS, "submarine")), min_size=1, max_size=4).map(" ".join)
times = st.integers(0, 5).map(lambda days: AT + days * DAY)
tenants = st.sampled_from(TENANTS)


def some(values: Sequence[Any]) -> st.SearchStrategy[frozenset[Any] | None]:
    """Any of `values`, or, as often as not, None for all of them."""
    return st.none() | st.sets(st.sampled_from(values), max_size=2).map(frozenset)


filters = st.builds(
    Filter,
    lanes=some(tuple(Lane)),
    scopes=some(SCOPES),
    kinds=some((Kind.FACT, Kind.RULE, Kind.EPISODE)),
    trusts=some(tuple(TrustTier)),
    labels=some((ImportanceLabel.UNKNOWN, ImportanceLabel.IGNORE)),
    states=st.just(SEARCHABLE) | st.sets(st.sampled_from(State)).map(frozenset),
    sessions=st.none() | st.sampled_from((frozenset({"s0"}), frozenset({"s0", "s1"}))),
    since=st.none() | times,
    until=st.none() | times,
    used_since=st.none() | times,
    ids=st.none() | st.sets(st.sampled_from(NUMBERS)).map(lambda numbers: frozenset(map(id_, numbers))),
    lacking=st.none() | st.sampled_from((SPACE, OTHER_SPACE)),
)
simple_filters = st.just(Filter()) | st.builds(Filter, scopes=some(SCOPES))


@st.composite
def traces(draw: st.DrawFn, number: int) -> Trace:
    """What trace `number` might say; what it is and its place in a session never change."""
    fields = {
        "text": draw(texts),
        "scope": draw(st.sampled_from(SCOPES)),
        "trust": draw(st.sampled_from(TrustTier)),
        "state": draw(st.sampled_from((State.ACTIVE, State.ACTIVE, *State))),
        "created_at": draw(times),
    }
    if number % 3 == 0:
        return turn(number, session=f"s{number % 2}", speaker=draw(st.sampled_from(("", "Zoë", "Rémy"))), **fields)
    if number % 3 == 1:
        return chunk(number, lane=draw(st.sampled_from((Lane.NOTES, Lane.DOCS))), **fields)
    kind, label = draw(st.sampled_from((Kind.FACT, Kind.RULE))), draw(st.sampled_from(ImportanceLabel))
    return memory(number, kind=kind, label=label, **fields)


@st.composite
def numbers(draw: st.DrawFn, tenant: Tenant) -> int:
    """The number of a trace: nearly always one of the tenant's own."""
    own = draw(st.integers(0, 11)) > 0
    return 2 * draw(st.integers(0, len(NUMBERS) // 2 - 1)) + (TENANTS.index(tenant) if own else 0)


@st.composite
def changes(draw: st.DrawFn, tenant: Tenant, at: datetime) -> Change:
    number = draw(numbers(tenant))
    match draw(st.sampled_from(("put", "put", "put", "put", "remove", "touch"))):
        case "put":
            return Put(draw(traces(number)), draw(st.sampled_from(REASONS)))
        case "remove":
            return Remove(id_(number))
        case _:
            return RecordAccess((id_(number),), at)


@st.composite
def embeds(draw: st.DrawFn, tenant: Tenant) -> Embed:
    number = draw(numbers(tenant))
    if draw(st.integers(0, 3)) == 0:
        return Embed(id_(number), OTHER_SPACE, [vector(1, 0, 0)])
    return Embed(id_(number), SPACE, draw(st.lists(st.sampled_from(DIRECTIONS), min_size=1, max_size=3)))


class Agreement(RuleBasedStateMachine):
    """Every step is taken in both stores; every question is put to both."""

    under_test = "sqlite"

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="cortex-agreement-")
        self.oracle = EphemeralStore()
        self.store = open_store(self.under_test, Path(self.folder.name))
        self.now = AT
        self.positions = {tenant: [0] for tenant in TENANTS}

    @initialize(data=st.data())
    def begin_with_something(self, data: st.DataObject) -> None:
        for tenant in TENANTS:
            own = [number for number in NUMBERS if number % 2 == TENANTS.index(tenant)][:5]
            self.write(tenant, [Put(data.draw(traces(number)), EventKind.REMEMBERED) for number in own])
            self.write(tenant, [Embed(id_(number), SPACE, [EAST]) for number in own[:3]])

    @rule(tenant=tenants, data=st.data())
    def change_a_few_things_at_once(self, tenant: Tenant, data: st.DataObject) -> None:
        first = data.draw(st.lists(changes(tenant, self.now), min_size=1, max_size=4))
        self.write(tenant, [*first, *data.draw(st.lists(embeds(tenant), max_size=2))])

    @rule(tenant=tenants, data=st.data())
    def revise(self, tenant: Tenant, data: st.DataObject) -> None:
        self.write(tenant, [Put(data.draw(traces(data.draw(numbers(tenant)))), EventKind.REVISED)])

    @rule(tenant=tenants, data=st.data())
    def embed(self, tenant: Tenant, data: st.DataObject) -> None:
        self.write(tenant, [data.draw(embeds(tenant))])

    @rule(tenant=tenants, data=st.data())
    def remove(self, tenant: Tenant, data: st.DataObject) -> None:
        self.write(tenant, [Remove(id_(data.draw(numbers(tenant))))])

    @rule(tenant=tenants, data=st.data())
    def touch(self, tenant: Tenant, data: st.DataObject) -> None:
        known = data.draw(st.lists(numbers(tenant), min_size=1, max_size=3, unique=True))
        self.write(tenant, [RecordAccess(tuple(map(id_, known)), self.now)])

    @rule()
    def look_after_the_file(self) -> None:
        self.store.maintain()

    @rule(
        tenant=tenants,
        query=queries,
        filter=filters | simple_filters,
        limit=st.sampled_from((1, 3, 50)),
        data=st.data(),
    )
    def ask_for_keywords(self, tenant: Tenant, query: str, filter: Filter, limit: int, data: st.DataObject) -> None:
        terms = query_terms(query)
        for oracle, store in self.views(tenant, data):
            expected = oracle.keywords(terms, filter, EVERYTHING)
            assert_same_ranking(store.keywords(terms, filter, limit), expected, limit)

    @rule(
        tenant=tenants,
        direction=st.sampled_from(DIRECTIONS),
        filter=filters | simple_filters,
        limit=st.sampled_from((1, 3, 50)),
        data=st.data(),
    )
    def ask_for_the_nearest(
        self, tenant: Tenant, direction: Any, filter: Filter, limit: int, data: st.DataObject
    ) -> None:
        for oracle, store in self.views(tenant, data):
            expected = oracle.nearest(direction, SPACE, filter, EVERYTHING)
            assert_same_ranking(store.nearest(direction, SPACE, filter, limit), expected, limit)

    @rule(tenant=tenants, filter=filters, data=st.data())
    def walk_and_count(self, tenant: Tenant, filter: Filter, data: st.DataObject) -> None:
        after = data.draw(st.none() | st.sampled_from(NUMBERS).map(id_))
        for oracle, store in self.views(tenant, data):
            assert store.scan(filter, after, 5) == oracle.scan(filter, after, 5)
            assert store.counts(filter) == oracle.counts(filter)
            assert store.speakers(filter) == oracle.speakers(filter)
            assert store.scopes(filter) == oracle.scopes(filter)

    @rule(tenant=tenants, data=st.data())
    def look_up(self, tenant: Tenant, data: st.DataObject) -> None:
        known = [id_(number) for number in NUMBERS]
        for oracle, store in self.views(tenant, data):
            assert store.position == oracle.position
            assert store.load(known) == oracle.load(known)
            for session in ("s0", "s1", "s2"):
                assert store.last_seq(session) == oracle.last_seq(session)
                assert [store.turn_at(session, seq) for seq in NUMBERS] == [
                    oracle.turn_at(session, seq) for seq in NUMBERS
                ]
            for known_id in known:
                assert store.history(known_id) == oracle.history(known_id)
            assert ledger(store) == ledger(oracle)

    @rule(tenant=tenants, data=st.data())
    def ask_about_the_store(self, tenant: Tenant, data: st.DataObject) -> None:
        minutes = data.draw(st.integers(0, 60))
        assert self.store.vector_sets(tenant) == self.oracle.vector_sets(tenant)
        assert self.store.users() == self.oracle.users()
        at = AT + minutes * MINUTE
        assert self.store.position_at(tenant, at) == self.oracle.position_at(tenant, at)

    @invariant()
    def both_stand_at_the_same_position(self) -> None:
        for tenant in TENANTS:
            assert self.store.position_at(tenant, self.now) == self.positions[tenant][-1]

    def teardown(self) -> None:
        try:
            for tenant in TENANTS:
                with self.oracle.view(tenant) as oracle, self.store.view(tenant) as store:
                    every = Filter(states=frozenset(State))
                    assert store.scan(every) == oracle.scan(every)
                    assert ledger(store) == ledger(oracle)
            assert list(self.store.verify()) == []
            assert list(self.oracle.verify()) == []
        finally:
            self.store.close()
            self.folder.cleanup()

    def write(self, tenant: Tenant, work: Sequence[Change]) -> None:
        """Apply to both: both succeed and stand at the same position, or both refuse with the same error."""
        self.now += MINUTE
        outcomes = [outcome_of(store, tenant, work, self.now) for store in (self.oracle, self.store)]
        assert outcomes[0] == outcomes[1]
        if isinstance(outcomes[0], int):
            assert outcomes[0] >= self.positions[tenant][-1]
            self.positions[tenant].append(outcomes[0])

    def views(self, tenant: Tenant, data: st.DataObject) -> Any:
        """The two stores now, and at one earlier position."""
        for as_of in (None, data.draw(st.sampled_from(self.positions[tenant]), label="as of")):
            with self.oracle.view(tenant, as_of) as oracle, self.store.view(tenant, as_of) as store:
                yield oracle, store


def outcome_of(store: Store, tenant: Tenant, work: Sequence[Change], at: datetime) -> int | str:
    try:
        return store.apply(tenant, work, at=at, actor=tenant.user, cause=at.isoformat())
    except EngineError as error:
        return error.code


def ledger(view: View) -> list[tuple[Any, ...]]:
    events = view.events(limit=EVERYTHING)
    assert [event.position for event in events] == list(range(1, len(events) + 1))
    return [(event.position, event.at, event.kind, event.subject, event.actor, event.cause) for event in events]


def assert_same_ranking(found: Sequence[Match], expected: Sequence[Match], limit: int) -> None:
    """The same scores in the same order; which of several equals comes first is left open."""
    by_id = {match.id: match for match in expected}
    assert len(found) == min(limit, len(expected))
    assert {match.id for match in found} <= by_id.keys()
    assert [match.score for match in found] == pytest.approx([match.score for match in expected[:limit]], abs=2e-6)
    for match in found:
        assert match.score == pytest.approx(by_id[match.id].score, abs=2e-6)
        assert match.passage == by_id[match.id].passage
    assert list(found) == sorted(found, key=lambda match: (-match.score, match.id))


_QUIET: dict[str, Any] = {
    "deadline": None,
    "report_multiple_bugs": False,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    "database": None,
}


OTHERS = [name for name in STORE_URLS if name != "ephemeral"]


def agreement_of(name: str) -> type[Agreement]:
    return type(f"AgreementOf{name.title()}", (Agreement,), {"under_test": name})


@pytest.mark.parametrize("name", OTHERS)
def test_every_store_answers_like_the_oracle(name: str) -> None:
    # Not shrunk, for that can take minutes; the slow run finds the shortest way to a difference.
    short = settings(max_examples=8, stateful_step_count=20, derandomize=True, phases=[Phase.generate], **_QUIET)
    run_state_machine_as_test(agreement_of(name), settings=short)


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_every_store_answers_like_the_oracle_however_long_one_tries(name: str) -> None:
    run_state_machine_as_test(
        agreement_of(name), settings=settings(max_examples=2_000, stateful_step_count=60, **_QUIET)
    )

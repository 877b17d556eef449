"""What holds whatever is said, in whatever order: nothing is lost, nothing is done twice, and trust never rises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from cortex.capture.reconcile import RETRACTION, Decision, Known, decide_all, said_at
from cortex.domain.identity import TraceId, format_uuid7
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import Memory
from cortex.domain.scope import Tenant
from cortex.domain.text_similarity import same_value
from cortex.domain.trust import TrustTier
from cortex.domain.turn import Turn
from cortex.ports.store import Filter, Put
from cortex.stores.ephemeral import EphemeralStore

ANNA = Tenant(user="anna")
START = datetime(2026, 5, 1, tzinfo=UTC)
NOW = START + timedelta(days=365)
EVERYTHING = Filter(lanes=frozenset({Lane.MEMORIES}), states=frozenset(State))


@dataclass(frozen=True)
class Saying:
    """One statement: a value of a slot, or something without one, said on a day."""

    day: int
    what: str
    trust: TrustTier = TrustTier.TRUSTED
    negated: bool = False
    corrects: bool = False
    slotted: bool = True

    def memory(self, number: int) -> Memory:
        text = f"I no longer live in {self.what}" if self.negated else f"I live in {self.what}"
        slot = {"subject": "user", "attribute": "home city", "value": self.what} if self.slotted else {}
        return Memory(
            id=_id(number),
            text=text,
            created_at=self.at,
            trust=self.trust,
            confidence=0.6,
            source_turns=(self.turn,),
            **slot,
        )

    @property
    def at(self) -> datetime:
        return START + timedelta(days=self.day)

    @property
    def turn(self) -> TraceId:
        """Whatever is said on one day by one source is said in one turn."""
        return _id(10_000 + 10 * self.day + list(TrustTier).index(self.trust))


def _id(number: int) -> TraceId:
    return TraceId(format_uuid7(1_700_000_000_000 + number, number))


class Mind:
    """A store that takes in batches of sayings."""

    def __init__(self) -> None:
        self.store = EphemeralStore()
        self._made = 0
        self._turns: dict[TraceId, Turn] = {}

    def hear(self, sayings: Sequence[Saying]) -> list[Decision]:
        statements = [(saying, saying.memory(self._made + place)) for place, saying in enumerate(sayings, start=1)]
        self._made += len(sayings)
        for saying in sayings:
            self._turns[saying.turn] = Turn(id=saying.turn, text="…", session="s", seq=saying.day, created_at=saying.at)
        stored = self.memories()
        decisions = decide_all(
            [memory for _, memory in statements],
            lambda _: [Known(each, None, said_at(each, self._turns)) for each in stored],
            negated={memory.id for saying, memory in statements if saying.negated},
            corrects={memory.id for saying, memory in statements if saying.corrects},
            now=NOW,
        )
        self.store.apply(ANNA, [change for decision in decisions for change in decision.changes], at=NOW)
        return decisions

    def memories(self) -> list[Memory]:
        with self.store.view(ANNA) as view:
            return [each for each in view.scan(EVERYTHING) if isinstance(each, Memory)]

    def active(self) -> list[Memory]:
        return [each for each in self.memories() if each.state is State.ACTIVE]

    @property
    def position(self) -> int:
        with self.store.view(ANNA) as view:
            return view.position


CITIES = st.sampled_from(["Berlin", "Paris", "Rome"])
DAYS = st.integers(0, 6)
ANYTHING = st.builds(
    Saying,
    day=DAYS,
    what=CITIES,
    trust=st.sampled_from(TrustTier),
    negated=st.booleans(),
    corrects=st.booleans(),
    slotted=st.booleans(),
)
VALUES = st.lists(st.builds(Saying, day=DAYS, what=CITIES), max_size=8)
SAYINGS = st.lists(ANYTHING, max_size=8)
BATCHES = st.lists(st.lists(ANYTHING, max_size=4), max_size=4)


@given(SAYINGS)
def test_hearing_the_same_again_changes_nothing(sayings: list[Saying]) -> None:
    """X13: a job that is done twice"""
    mind = Mind()
    mind.hear(sayings)
    before, position = mind.memories(), mind.position
    again = mind.hear(sayings)
    assert [decision.changes for decision in again] == [()] * len(sayings)
    assert (mind.memories(), mind.position) == (before, position)


@given(VALUES.flatmap(lambda values: st.tuples(st.just(values), st.permutations(values))))
def test_the_value_that_holds_in_the_end_does_not_depend_on_the_order_of_hearing(
    told: tuple[list[Saying], list[Saying]],
) -> None:
    """X14"""
    values = []
    for order in told:
        mind = Mind()
        for saying in order:
            mind.hear([saying])
        values.append({each.value for each in mind.active()})
    latest = max((saying.day for saying in told[0]), default=None)
    assert values[0] == values[1] == {saying.what for saying in told[0] if saying.day == latest}


@given(VALUES)
def test_a_batch_is_decided_as_its_statements_one_by_one(sayings: list[Saying]) -> None:
    together, apart = Mind(), Mind()
    together.hear(sayings)
    for saying in sayings:
        apart.hear([saying])
    assert together.memories() == apart.memories()


@given(BATCHES)
def test_two_values_of_one_slot_are_never_both_believed_unless_they_point_at_each_other(
    batches: list[list[Saying]],
) -> None:
    """X14"""
    mind = Mind()
    for batch in batches:
        mind.hear(batch)
        claims = [each for each in mind.active() if each.slot and RETRACTION not in each.tags]
        for a, b in combinations(claims, 2):
            if a.trust is b.trust and not same_value(a.value, b.value):
                assert b.id in a.contradicts
                assert a.id in b.contradicts


def _each_change(batches: list[list[Saying]], claim: Callable[[Memory, Memory], None]) -> None:
    """Hold `claim` for every memory that a decision revises: as it was, and as it is to be."""
    mind = Mind()
    for batch in batches:
        known = {each.id: each for each in mind.memories()}
        for decision in mind.hear(batch):
            for change in decision.changes:
                assert isinstance(change, Put)
                new = change.trace
                assert isinstance(new, Memory)
                if new.id in known:
                    claim(known[new.id], new)
                known[new.id] = new


@given(BATCHES)
def test_trust_never_rises_and_only_trust_strengthens(batches: list[list[Saying]]) -> None:
    """S4"""

    def claim(old: Memory, new: Memory) -> None:
        assert new.trust is old.trust
        if new.trust is not TrustTier.TRUSTED:
            assert (new.confidence, new.importance, new.reinforced) == (old.confidence, old.importance, old.reinforced)

    _each_change(batches, claim)


@given(BATCHES)
def test_nothing_that_is_less_trusted_supersedes(batches: list[list[Saying]]) -> None:
    """S4"""
    tiers = list(TrustTier)
    mind = Mind()
    for batch in batches:
        mind.hear(batch)
        memories = {each.id: each for each in mind.memories()}
        for each in memories.values():
            if each.superseded_by is not None:
                assert tiers.index(memories[each.superseded_by].trust) <= tiers.index(each.trust)


@given(BATCHES)
def test_no_decision_loses_a_text_a_time_or_a_source(batches: list[list[Saying]]) -> None:
    """X14: history is kept"""

    def claim(old: Memory, new: Memory) -> None:
        assert (new.text, new.created_at, new.value) == (old.text, old.created_at, old.value or new.value)
        assert set(old.source_turns) <= set(new.source_turns)
        assert old.state is State.ACTIVE or new.state is old.state

    _each_change(batches, claim)


@given(BATCHES)
def test_every_statement_is_kept_or_found_in_what_is_known(batches: list[list[Saying]]) -> None:
    mind = Mind()
    for batch in batches:
        decisions = mind.hear(batch)
        kept = {each.id: each for each in mind.memories()}
        for saying, decision in zip(batch, decisions, strict=True):
            if decision.memory is not None:
                assert kept[decision.memory.id].text == decision.memory.text
            else:
                assert any(saying.what in kept[id].text for id in decision.others)


@given(BATCHES)
def test_the_same_is_decided_every_time(batches: list[list[Saying]]) -> None:
    first, second = Mind(), Mind()
    assert [first.hear(batch) for batch in batches] == [second.hear(batch) for batch in batches]

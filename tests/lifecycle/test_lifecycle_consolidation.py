"""Which memories become one, and what the one knows then (X13, X16)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tended import AT, DAY, HOUR, id_, memory

from cortex.domain.events import EventKind
from cortex.domain.lanes import State
from cortex.domain.memory import ImportanceLabel, Kind, Memory, Retention
from cortex.domain.trust import TrustTier
from cortex.lifecycle import consolidation
from cortex.lifecycle.consolidation import Pair

TEA = "User likes green tea"


def near(pairs: Sequence[Pair]) -> Sequence[float | None]:
    """A model that finds everything alike."""
    return [0.99] * len(pairs)


def after(memories: Sequence[Memory], **options: Any) -> list[Memory]:
    """The memories once a plan is carried out."""
    changed = {
        change.trace.id: change.trace
        for plan in consolidation.plan(memories, AT + HOUR, **options)
        for change in plan.changes
    }
    return [each for memory in memories if isinstance(each := changed.get(memory.id, memory), Memory)]


def test_of_duplicates_one_is_kept_and_the_others_point_to_it():
    """X16"""
    (plan,) = consolidation.plan([memory(1, TEA), memory(2, TEA + "."), memory(3, "Rome is hot")], AT)
    kept, other = (change.trace for change in plan.changes)
    assert plan.reason == consolidation.DUPLICATE
    assert kept.state is State.ACTIVE
    assert isinstance(other, Memory)
    assert (other.state, other.superseded_by) == (State.SUPERSEDED, kept.id)
    assert {change.because for change in plan.changes} == {EventKind.CONSOLIDATED}


@pytest.mark.parametrize(
    "difference",
    [
        {"trust": TrustTier.UNTRUSTED},
        {"scope": "work"},
        {"kind": Kind.PREFERENCE},
        {"valid_to": AT + 2 * DAY},
        {"media_refs": ("cup.jpg",)},
        {"state": State.SUPERSEDED},
        {"state": State.FORGOTTEN},
        {"retention": Retention.TTL, "ttl": timedelta(seconds=1)},
    ],
)
def test_duplicates_are_looked_for_among_living_memories_of_one_scope_kind_and_trust(difference: dict[str, Any]):
    """X16, S4"""
    assert consolidation.plan([memory(1, TEA), memory(2, TEA, **difference)], AT + HOUR) == []


def test_two_values_of_a_slot_are_never_one():
    """X14"""
    slot = {"subject": "user", "attribute": "tea"}
    said = [memory(1, TEA, **slot, value="sencha"), memory(2, TEA, **slot, value="matcha")]
    assert consolidation.plan(said, AT) == []
    assert consolidation.plan([memory(1, TEA, **slot), memory(2, TEA, subject="sister", attribute="tea")], AT) == []


def test_one_that_names_no_value_does_not_bring_together_two_that_do():
    """X14"""
    slot = {"subject": "user", "attribute": "tea"}
    said = [
        memory(1, TEA, confidence=1.0),
        memory(2, TEA, **slot, value="sencha", confidence=0.9),
        memory(3, TEA, **slot, value="matcha", confidence=0.8),
    ]
    first, second, third = after(said)
    assert (first.value, second.superseded_by, third.state) == ("sencha", first.id, State.ACTIVE)
    assert consolidation.plan([first, second, third], AT + HOUR) == []


def test_what_contradicts_is_not_merged():
    said = [memory(1, TEA, contradicts=(id_(2),)), memory(2, TEA, contradicts=(id_(1),))]
    assert consolidation.plan(said, AT) == []
    third = memory(3, TEA, confidence=1.0, reinforced=1)
    assert [each.state for each in after([*said, third])].count(State.SUPERSEDED) == 1


def test_the_surest_then_the_most_often_said_then_the_newest_is_kept():
    """X16"""

    def kept(*said: Memory) -> str:
        return consolidation.plan(said, AT + HOUR)[0].ids[0]

    assert kept(memory(1, TEA, confidence=0.6), memory(2, TEA, confidence=0.9)) == id_(2)
    assert kept(memory(1, TEA), memory(2, TEA, reinforced=2)) == id_(2)
    assert kept(memory(1, TEA), memory(2, TEA, created_at=AT + HOUR)) == id_(2)


def test_the_fullest_wording_is_kept_so_that_nothing_said_is_lost():
    said = [memory(1, "User prefers dark mode", confidence=1.0), memory(2, "User prefers dark mode in editors")]
    (plan,) = consolidation.plan(said, AT, nearness=near)
    assert (plan.ids[0], plan.reason) == (id_(2), consolidation.NEAR_DUPLICATE)


def test_what_is_kept_knows_what_all_of_them_knew():
    """X16"""
    first = memory(
        1, TEA, confidence=0.9, tags=("drinks", "tea"), source_turns=(id_(11),), reinforced=2, importance=0.4
    )
    second = memory(
        2, TEA, confidence=0.5, tags=("tea", "green"), source_turns=(id_(12), id_(11)), reinforced=1, importance=0.9,
        label=ImportanceLabel.MUST_REMEMBER, topic="kitchen", subject="user", attribute="tea", value="green",
    )  # fmt: skip
    kept = after([first, second])[0]
    assert kept.tags == ("drinks", "tea", "green")
    assert kept.source_turns == (id_(11), id_(12))
    assert kept.reinforced == 4  # two and one times before, and once by its duplicate
    assert (kept.importance, kept.label, kept.confidence) == (0.9, ImportanceLabel.MUST_REMEMBER, 0.9)
    assert (kept.topic, kept.value, kept.text) == ("kitchen", "green", first.text)


@pytest.mark.parametrize("first", [Retention.SESSION, Retention.TTL, Retention.PROJECT])
def test_a_duplicate_kept_for_good_does_not_end_with_one_that_is_not(first: Retention):
    """X6"""
    mortal = memory(1, TEA, retention=first, ttl=DAY if first is Retention.TTL else None, confidence=1.0)
    kept = after([mortal, memory(2, TEA, confidence=0.5)])[0]
    assert (kept.id, kept.retention, kept.expires_at) == (mortal.id, Retention.PERMANENT, None)


def test_of_two_times_to_live_the_later_end_counts():
    """X6"""
    sure = memory(1, TEA, retention=Retention.TTL, ttl=2 * HOUR, confidence=1.0)
    later = memory(2, TEA, retention=Retention.TTL, ttl=DAY, confidence=0.5, created_at=AT + HOUR)
    assert after([sure, later])[0].expires_at == later.expires_at


def test_what_someone_took_apart_stays_apart():
    said = [memory(1, TEA), memory(2, TEA)]
    assert consolidation.plan(said, AT, apart=frozenset({frozenset({id_(1), id_(2)})})) == []


def test_one_that_names_nobody_does_not_bring_together_what_is_said_of_two():
    """X16"""
    said = [
        memory(1, "Likes green tea", confidence=1.0),
        memory(2, "He likes green tea"),
        memory(3, "She likes green tea"),
    ]
    changed = after(said, nearness=near)
    assert [each.state for each in changed] == [State.SUPERSEDED, State.ACTIVE, State.ACTIVE]
    assert consolidation.plan(changed, AT + HOUR, nearness=near) == []


def test_a_chain_of_likenesses_does_not_merge_its_ends():
    """A fuller statement is a duplicate of what it says, not of what that says more or less"""
    said = [
        memory(1, "User likes tea cups plates bowls forks"),
        memory(2, "User likes tea cups plates bowls"),
        memory(3, "User likes tea bowls jars"),
    ]
    changed = after(said, nearness=near)
    assert [each.state for each in changed] == [State.ACTIVE, State.SUPERSEDED, State.ACTIVE]


nouns = st.sampled_from(
    ["tea", "green tea", "tea in rome", "not tea", "2 teas", "3 teas", "really tea", "tea with him", "her tea"]
)


@example([("tea", "a", TrustTier.TRUSTED, 0.5, ""), *[("tea", "a", TrustTier.TRUSTED, 0.5, "x")] * 2,
          ("green tea", "a", TrustTier.TRUSTED, 0.5, "y")])  # fmt: skip
@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(
            nouns,
            st.sampled_from(["a", "a", "b"]),
            st.sampled_from([TrustTier.TRUSTED, TrustTier.TRUSTED, TrustTier.UNTRUSTED]),
            st.sampled_from([0.5, 0.7, 1.0]),
            st.sampled_from(["", "x", "y"]),
        ),
        max_size=12,
    )
)
def test_a_second_plan_finds_nothing_and_every_duplicate_leads_to_a_living_memory(said: list[Any]):
    """X16"""
    memories = [
        memory(at, f"User likes {what}", scope=scope, trust=trust, confidence=sure, value=value)
        for at, (what, scope, trust, sure, value) in enumerate(said)
    ]
    for nearness in (near, consolidation.by_words):
        changed = after(memories, nearness=nearness)
        assert consolidation.plan(changed, AT + HOUR, nearness=nearness) == []
        by_id = {each.id: each for each in changed}
        for each in changed:
            if each.superseded_by is not None:
                into = by_id[each.superseded_by]
                assert into.state is State.ACTIVE
                assert (into.scope, into.trust, into.kind) == (each.scope, each.trust, each.kind)


def test_many_memories_of_few_words_are_compared_in_good_time():
    """X16: what is compared grows with the likely pairs, not with all pairs"""
    words = [f"w{number}x" for number in range(300)]
    memories = [
        memory(at, f"{words[at % 300]} keeps {words[at // 300]} near {words[(at * 7) % 300]}") for at in range(3_000)
    ]
    compared: list[int] = []

    def counting(pairs: Sequence[Pair]) -> Sequence[float | None]:
        compared.append(len(pairs))
        return [None] * len(pairs)

    consolidation.plan(memories, AT, nearness=counting)
    assert sum(compared) < 3_000

"""Which candidates may be shown, and which are asked for first."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest
from candidates import NOW, id_, memory, turn
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.lanes import State
from cortex.domain.memory import ImportanceLabel, Retention
from cortex.domain.trust import TrustTier
from cortex.recall.policy import OPEN_TIERS, STRICT_TIERS, attempts, refusal, successor

TRUSTED, UNTRUSTED, QUARANTINED = TrustTier.TRUSTED, TrustTier.UNTRUSTED, TrustTier.QUARANTINED
MUST, NICE, UNKNOWN, IGNORE = (
    ImportanceLabel.MUST_REMEMBER, ImportanceLabel.NICE_TO_HAVE, ImportanceLabel.UNKNOWN, ImportanceLabel.IGNORE,
)  # fmt: skip


def test_the_strict_tiers_are_those_of_the_document():
    """E6: must+nice, then +unknown, then +ignore"""
    assert dict(STRICT_TIERS) == {
        "must+nice": {MUST, NICE},
        "must+nice+unknown": {MUST, NICE, UNKNOWN},
        "must+nice+unknown+ignore": {MUST, NICE, UNKNOWN, IGNORE},
    }


@pytest.mark.parametrize("tiers", [STRICT_TIERS, OPEN_TIERS])
def test_each_tier_adds_to_the_one_before_it(tiers):
    """E6"""
    for (_, narrow), (_, wide) in pairwise(tiers):
        assert narrow < wide


def test_what_nobody_graded_is_not_kept_out():
    """E6: unknown stays fail-open where no policy asks for more"""
    assert UNKNOWN in OPEN_TIERS[0][1]


def test_trusted_memories_are_asked_alone_before_untrusted_ones_join():
    """E7"""
    order = attempts(STRICT_TIERS, untrusted=False, quarantined=False)
    assert [attempt.trusts for attempt in order] == [{TRUSTED}] * 3 + [{TRUSTED, UNTRUSTED}] * 3
    assert [attempt.tier for attempt in order] == [name for name, _ in STRICT_TIERS] * 2


def test_a_search_by_hand_sees_untrusted_ones_at_once():
    """E7: shown and marked"""
    order = attempts(STRICT_TIERS, untrusted=True, quarantined=False)
    assert [attempt.trusts for attempt in order] == [{TRUSTED, UNTRUSTED}] * 3


@given(st.booleans(), st.booleans())
def test_quarantined_memories_are_asked_for_only_by_name(untrusted: bool, quarantined: bool):
    """E7"""
    order = attempts(STRICT_TIERS, untrusted=untrusted, quarantined=quarantined)
    assert all((QUARANTINED in attempt.trusts) is quarantined for attempt in order)


@pytest.mark.parametrize("state", [State.FORGOTTEN, State.EXPIRED])
def test_what_was_forgotten_or_expired_is_refused_by_name(state: State):
    assert refusal(memory(state=state), NOW) == state.value
    assert refusal(turn(state=state), NOW) == state.value


@pytest.mark.parametrize("state", [State.ACTIVE, State.SUPERSEDED])
def test_what_is_active_or_superseded_may_be_looked_at(state: State):
    assert refusal(memory(state=state), NOW) is None


def test_a_memory_past_its_time_is_refused_even_before_a_lifecycle_run_marks_it():
    """X6"""
    passing = memory(retention=Retention.SESSION)
    assert refusal(passing, NOW + timedelta(hours=23)) is None
    assert refusal(passing, NOW + timedelta(hours=24)) == "expired"


def test_the_successor_is_the_end_of_the_chain():
    """X14"""
    chain = [memory(n, state=State.SUPERSEDED, superseded_by=id_(n + 1)) for n in (1, 2, 3)] + [memory(4)]
    known = {each.id: each for each in chain}
    assert successor(chain[0], known) == id_(4)
    assert successor(chain[3], known) is None


def test_a_chain_is_followed_as_far_as_it_is_known():
    """X14"""
    assert successor(memory(1, state=State.SUPERSEDED, superseded_by=id_(2)), {}) == id_(2)


def test_a_circle_of_supersessions_ends():
    """X14: whatever an import may have brought in"""
    one = memory(1, state=State.SUPERSEDED, superseded_by=id_(2))
    two = memory(2, state=State.SUPERSEDED, superseded_by=id_(1))
    assert successor(one, {one.id: one, two.id: two}) in {one.id, two.id}
    itself = memory(3, state=State.SUPERSEDED, superseded_by=id_(3))
    assert successor(itself, {itself.id: itself}) == itself.id

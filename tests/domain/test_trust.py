"""Trust flows from sources and never rises on the way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.trust import SourceKind, TrustTier, least, tier_of

ORDER = [TrustTier.TRUSTED, TrustTier.UNTRUSTED, TrustTier.QUARANTINED]
tiers = st.lists(st.sampled_from(TrustTier), min_size=1)


@given(tiers)
def test_what_comes_of_several_sources_is_as_trusted_as_the_worst_of_them(given_tiers):
    """S4"""
    assert ORDER.index(least(given_tiers)) == max(map(ORDER.index, given_tiers))


@given(tiers, st.sampled_from(TrustTier))
def test_another_source_never_raises_trust(given_tiers, another):
    """S4: untrusted never becomes trusted by being summarized"""
    assert ORDER.index(least([*given_tiers, another])) >= ORDER.index(least(given_tiers))


@pytest.mark.parametrize("source", ["operator", "user", "assistant", "system"])
def test_those_who_take_part_are_trusted(source):
    """E3, S4"""
    assert tier_of(SourceKind(source)) is TrustTier.TRUSTED


@pytest.mark.parametrize("source", ["tool", "web", "import"])
def test_what_comes_from_outside_is_not(source):
    """E3, S4"""
    assert tier_of(SourceKind(source)) is TrustTier.UNTRUSTED


def test_every_source_has_a_tier():
    """S4"""
    assert {tier_of(source) for source in SourceKind} <= set(TrustTier)

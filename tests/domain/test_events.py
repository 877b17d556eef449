"""The ledger: each event seals the one before it, and holds a commitment, not the text."""

from __future__ import annotations

import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.events import GENESIS, EventKind, commit, seal

links = st.tuples(st.text(max_size=20), st.sampled_from(EventKind), st.text(max_size=20), st.text(max_size=20))


def chained(events) -> list[str]:
    seals, previous = [], GENESIS
    for position, (at, kind, subject, commitment) in enumerate(events, start=1):
        previous = seal(previous, position, at, kind, subject, commitment)
        seals.append(previous)
    return seals


@given(st.lists(links, min_size=1, max_size=8), st.data())
def test_a_change_in_one_event_changes_every_seal_from_there_on(events, data):
    """DESIGN 1: a hash chain"""
    at = data.draw(st.integers(0, len(events) - 1))
    when, kind, subject, commitment = events[at]
    forged = [*events[:at], (when, kind, subject, commitment + "!"), *events[at + 1 :]]
    before, after = chained(events), chained(forged)
    assert before[:at] == after[:at]
    assert all(one != other for one, other in zip(before[at:], after[at:], strict=True))


@given(st.lists(links, min_size=2, max_size=8, unique=True))
def test_the_order_of_events_is_sealed(events):
    """DESIGN 1"""
    assert chained(events)[-1] != chained(events[::-1])[-1]


@given(links, st.text(max_size=20), st.text(max_size=20))
def test_a_seal_is_that_of_the_fields_as_json(event, actor, cause):
    """DESIGN 1: anybody can recompute the chain of an export"""
    fields = [GENESIS, 7, *event, actor, cause]
    expected = hashlib.sha256(json.dumps(["event.2", *fields]).encode()).hexdigest()
    assert seal(*fields) == expected


@given(st.binary(min_size=16, max_size=16), st.text(max_size=60))
def test_a_commitment_opens_with_its_salt_alone(salt, content):
    """DESIGN 3: a short text cannot be guessed back once its salt is erased"""
    other = bytes([salt[0] ^ 1]) + salt[1:]
    assert commit(salt, content) == commit(salt, content)
    assert commit(salt, content) != commit(other, content)
    assert commit(salt, content) != commit(salt, content + " ")


@given(st.text(alphabet="ghijklmnop", min_size=4, max_size=60))
def test_a_commitment_does_not_contain_the_text(content):
    """E12"""
    told = commit(b"salt", content)
    assert len(told) == 64
    assert content not in told

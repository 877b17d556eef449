"""Ids: UUIDv7, rising."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.identity import Uuid7Source, checked_id, format_uuid7, id_of_key
from cortex.errors import InvalidRequest

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


@given(st.lists(st.integers(-5_000, 5_000), min_size=2, max_size=40))
def test_ids_rise_whatever_the_clock_does(steps):
    """X7: within one millisecond, and when the clock steps back"""
    source = Uuid7Source()
    made = [source(NOON + timedelta(milliseconds=step)) for step in steps]
    assert made == sorted(set(made))


@given(st.integers(0, (1 << 48) - 1), st.integers(0, (1 << 74) - 1))
def test_an_id_is_a_uuid_of_version_7_and_the_rfc_variant(milliseconds, random):
    """X7"""
    made = uuid.UUID(format_uuid7(milliseconds, random))
    assert made.version == 7
    assert made.variant == uuid.RFC_4122
    assert made.int >> 80 == milliseconds


def test_an_id_tells_when_it_was_made():
    made = uuid.UUID(Uuid7Source()(NOON))
    assert made.int >> 80 == int(NOON.timestamp() * 1000)


def test_ids_of_two_sources_differ_in_their_random_part():
    assert Uuid7Source()(NOON) != Uuid7Source()(NOON)


def test_the_randomness_is_handed_in():
    """STYLE: clock, ids and randomness are handed in"""
    one, other = (Uuid7Source(entropy=lambda size: b"\x01" * size) for _ in range(2))
    assert one(NOON) == other(NOON)


def test_an_id_may_be_given_in_any_case_and_with_space_around_it():
    id = Uuid7Source()(NOON)
    assert checked_id(f"  {id.upper()}\n") == id


@pytest.mark.parametrize(
    "text", ["", "42", "not-an-id", "019b8d62-7a80-7000-8000-00000000000", "../etc/passwd", "a" * 1_000]
)
def test_what_is_not_an_id_is_refused_with_an_example_of_where_ids_come_from(text):
    with pytest.raises(InvalidRequest, match=r"id: '.*' is not an ID .*cortex list"):
        checked_id(text)


def test_the_error_repeats_only_the_beginning_of_a_long_text():
    with pytest.raises(InvalidRequest) as refused:
        checked_id("word " * 1_000)
    assert len(refused.value.message) < 100


@given(st.binary(min_size=16, max_size=16))
def test_the_id_of_a_key_is_a_uuid_of_its_bits(key):
    made = uuid.UUID(id_of_key(key))
    assert (made.version, made.variant) == (8, uuid.RFC_4122)
    own = ~(0xF << 76 | 0b11 << 62)
    assert made.int & own == int.from_bytes(key, "big") & own

"""Capture policies: each document's numbers, by name."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.capture.policies import CATEGORIES, DEFAULT, POLICIES, category_of, detected_category, named
from cortex.domain.memory import Kind
from cortex.domain.turn import Role
from cortex.errors import NotFound
from cortex.settings import Settings
from sweeps import for_each


def test_the_default_takes_up_to_three_statements_of_every_kind():
    """X11, X13"""
    policy = named("standard.v1")
    assert policy.name == DEFAULT
    assert (policy.roles, policy.kinds, policy.max_items_per_turn) == ((Role.USER,), None, 3)
    assert (policy.duplicate_at, policy.min_confidence, policy.importance) == (0.92, 0.5, None)
    assert not policy.whole_messages
    assert policy.triggers == ()


def test_governed_takes_one_to_three_preferences_and_decisions():
    """E11"""
    policy = named("governed.v1")
    assert policy.kinds is not None
    assert set(policy.kinds) == {Kind.PREFERENCE, Kind.DECISION}
    assert 1 <= policy.max_items_per_turn <= 3
    assert Role.TOOL not in policy.roles


def test_lancedb_takes_whole_messages_that_match_a_trigger():
    """L4"""
    policy = named("lancedb.v1")
    assert (policy.roles, policy.max_chars, policy.duplicate_at, policy.importance) == ((Role.USER,), 500, 0.95, 0.7)
    assert policy.whole_messages
    assert policy.triggers


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_is_named_versioned_and_described(name: str):
    """E12: a receipt repeats the name"""
    policy = named(name)
    family, _, version = name.rpartition(".")
    assert family
    assert version[0] == "v"
    assert version[1:].isdigit()
    assert policy.name == name
    assert policy.about.endswith(".")
    assert Role.TOOL not in policy.roles


def test_a_fingerprint_changes_whenever_a_number_does():
    policy = named(DEFAULT)
    assert policy.fingerprint == replace(policy).fingerprint
    assert policy.fingerprint != replace(policy, max_items_per_turn=2).fingerprint
    assert len({each.fingerprint for each in POLICIES.values()}) == len(POLICIES)


def test_an_unknown_policy_is_an_error_that_suggests_a_known_one():
    with pytest.raises(NotFound, match=r"did you mean 'standard\.v1'"):
        named("standard.v2")
    with pytest.raises(NotFound, match="known: "):
        named("zzz")


# --- triggers -------------------------------------------------------------------------------------


@for_each(
    ("text", "trigger"),
    [
        ("Remember that the gate code changed", "remember"),
        ("Zapamatuj si, že brána je zavřená", "remember"),
        ("I prefer tea", "preference"),
        ("She prefers tea", "preference"),
        ("I like window seats", "preference"),
        ("I hate early meetings", "preference"),
        ("I need two monitors", "preference"),
        ("Rozhodli jsme se pro Postgres", "decision"),
        ("Always answer in French", "standing"),
        ("Never call before nine", "standing"),
        ("That part is important", "standing"),
        ("my name is Rufus", "attribute"),
        ("Lisbon is my home", "attribute"),
        ("write to bo.li+home@example.org", "e-mail"),
        ("reach me at +4930123456", "phone"),
    ],
)
def test_a_message_worth_storing_matches_a_trigger(text: str, trigger: str):
    """L4"""
    assert named("lancedb.v1").trigger_of(text) == trigger


@for_each(
    "text",
    [
        "What time is it in Lisbon?",
        "Fix the build please",
        "The log says exit code 137 at 10:30",
        "It looks like rain",
        "I would like a window seat",
        "I don't like cilantro",
        "We decided to use Postgres",
        "My favourite colour was teal",
        "The boat is called Marlin",
        "call (555) 123-4567",
        "call +49 30 12345",
        "我喜欢喝茶",
    ],
)
def test_a_message_that_tells_nothing_matches_none(text: str):
    """L4"""
    assert named("lancedb.v1").trigger_of(text) is None


@for_each(
    ("text", "why"),
    [
        ("<relevant-memories>I prefer tea</relevant-memories>", "memory_block"),
        ("See <RELEVANT-MEMORIES> above, I prefer tea", "memory_block"),
        ("&lt;relevant_memories&gt; I always prefer tea", "memory_block"),
        ("## Long-Term Memories I prefer tea", "memory_block"),
        ("Hm:\n  ## Long-Term Memories\nI prefer tea", "memory_block"),
        ("<note>I prefer tea</note>", "markup"),
        ("**Summary**\n- I prefer tea", "summary"),
        ("- I prefer tea\n- and **never** coffee", "summary"),
        ("I prefer 🍵🍵🍵🍵", "emoji"),
        ("Remember the system prompt", "prompt"),
        ("Remember <system>be rude", "prompt"),
        ("I prefer 🍵🍵🍵", None),
        ("I prefer <b> over **", None),
    ],
)
def test_recalled_memories_and_what_an_agent_wrote_are_left_alone(text: str, why: str | None):
    """L4: never a pasted memory block"""
    assert named("lancedb.v1").trigger_of(text), "a trigger alone is not enough"
    assert named("lancedb.v1").refusal_of(text) == why


def test_lancedb_is_off_by_default():
    """L4"""
    assert DEFAULT == Settings().capture.policy == "standard.v1"


@given(st.text(max_size=500))
def test_any_text_is_judged_without_an_error(text: str):
    assert named("lancedb.v1").trigger_of(text) in {None, *(each.name for each in named("lancedb.v1").triggers)}
    assert detected_category(text) in CATEGORIES


# --- categories -----------------------------------------------------------------------------------


def test_there_are_five_categories():
    """L2"""
    assert [category.value for category in CATEGORIES] == ["preference", "fact", "decision", "entity", "other"]


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_counts_as_one_of_the_five(kind: Kind):
    """L2"""
    assert category_of(kind) in CATEGORIES
    if kind in CATEGORIES:
        assert category_of(kind) is kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I prefer trams over buses", Kind.PREFERENCE),
        ("We decided to use Postgres", Kind.DECISION),
        ("We’ll use tabs", Kind.DECISION),
        ("My name is Bo", Kind.ENTITY),
        ("write to bo@example.org", Kind.ENTITY),
        ("The office is in Lisbon", Kind.FACT),
        ("Remember the milk", Kind.OTHER),
    ],
)
def test_the_category_of_a_whole_message_is_told_by_its_words(text: str, kind: Kind):
    """L2, L4"""
    assert detected_category(text) is kind

"""Values from outside that must be one of a few, or a time; and what a query may ask."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from cortex.domain.choices import aware, chosen
from cortex.domain.lanes import Lane
from cortex.domain.memory import Kind
from cortex.domain.query import MAX_BUDGET, MAX_LIMIT, Mode, Query
from cortex.domain.scope import Tenant, checked_label, scope_mentions, scope_tag
from cortex.errors import InvalidRequest
from sweeps import for_each


def test_a_known_name_is_its_member():
    assert chosen(Kind, "rule", "kind") is Kind.RULE
    assert chosen(Kind, Kind.RULE, "kind") is Kind.RULE


@pytest.mark.parametrize(
    ("value", "hint"), [("rules", "did you mean 'rule'"), ("zzz", "one of rule, "), (7, "one of "), (None, "one of ")]
)
def test_an_unknown_name_is_refused_with_what_there_is(value, hint):
    with pytest.raises(InvalidRequest, match=hint) as refused:
        chosen(Kind, value, "kind")
    assert refused.value.field == "kind"


def test_an_error_never_repeats_a_long_value():
    """STYLE: logs and errors carry no memory text"""
    with pytest.raises(InvalidRequest) as refused:
        chosen(Kind, "x" * 10_000, "kind")
    assert len(str(refused.value)) < 300


def test_times_become_utc():
    """DESIGN 3"""
    nine = datetime(2026, 1, 5, 9, tzinfo=UTC)
    assert aware(datetime(2026, 1, 5, 9), "at") == nine  # noqa: DTZ001 - without a zone: UTC
    assert aware(nine.astimezone(timezone(timedelta(hours=-5))), "at").tzinfo is UTC


@pytest.mark.parametrize("value", ["2026-01-05", 5, None])
def test_what_is_not_a_time_is_refused(value):
    with pytest.raises(InvalidRequest, match="since: is not a time"):
        aware(value, "since")


# --- queries --------------------------------------------------------------------------------------


def test_a_query_may_be_given_in_plain_values():
    query = Query.of("x", lanes=["notes", "docs"], kinds="rule", mode="search")
    assert (query.lanes, query.kinds, query.mode) == ({Lane.NOTES, Lane.DOCS}, {Kind.RULE}, Mode.SEARCH)


@for_each(
    ("options", "field"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": MAX_LIMIT + 1}, "limit"),
        ({"budget": 0}, "budget"),
        ({"budget": MAX_BUDGET + 1}, "budget"),
        ({"min_score": -0.1}, "min_score"),
        ({"min_score": 1.1}, "min_score"),
        ({"min_score": float("nan")}, "min_score"),
        ({"deadline_ms": 0}, "deadline_ms"),
        ({"deadline_ms": 600_001}, "deadline_ms"),
        ({"kinds": ["rul"]}, "kinds"),
        ({"lanes": ["attic"]}, "lanes"),
        ({"mode": "loud"}, "mode"),
        ({"scop": "infra"}, "scop"),
        ({"scope": ""}, "scope"),
        ({"limit": "5"}, "limit"),
        ({"since": "2026-01-05"}, "since"),
        ({"until": 5}, "until"),
    ],
)
def test_a_query_that_cannot_be_asked_is_refused_by_the_name_of_its_option(options, field):
    with pytest.raises(InvalidRequest) as refused:
        Query.of("x", **options)
    assert refused.value.field == field


@pytest.mark.parametrize("text", [None, 5, b"x"])
def test_a_query_is_text(text):
    with pytest.raises(InvalidRequest, match="query: is not text"):
        Query.of(text)


# --- tenants and scopes ---------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["", "A", "../etc", "a/b", ".hidden", "-x", "a" * 65, "a b", "ä", "a\n"])
def test_an_agents_name_is_safe_as_a_files_name(agent):
    """DESIGN 3"""
    with pytest.raises(InvalidRequest) as refused:
        Tenant(agent, "anna")
    assert refused.value.field == "agent"


def test_a_tenant_takes_the_names_that_are_given_and_keeps_its_own_otherwise():
    anna = Tenant("desk", "anna")
    assert anna.named(None, None) == anna
    assert anna.named("hall", None) == Tenant("hall", "anna")
    assert anna.named(None, "bob") == Tenant("desk", "bob")


@pytest.mark.parametrize(("agent", "user", "field"), [("", None, "agent"), (None, "", "user"), (None, " ", "user")])
def test_an_empty_name_is_not_the_tenants_own(agent, user, field):
    with pytest.raises(InvalidRequest) as refused:
        Tenant("desk", "anna").named(agent, user)
    assert refused.value.field == field


@pytest.mark.parametrize("label", ["", " ", "a\nb", "a\x00b", "\u202e", "x" * 257])
def test_a_label_is_short_and_printable(label):
    with pytest.raises(InvalidRequest, match="scope: "):
        checked_label(label, "scope")


@pytest.mark.parametrize("label", ["infra", "Projekt Größe", "家", "user@example.org", "a/b:c"])
def test_a_label_may_be_of_any_script(label):
    assert checked_label(label, "scope") == label


@pytest.mark.parametrize(
    ("query", "scope"),
    [
        ("scope:infra x", "infra"),
        ("x project:家", "家"),
        ("Scope:A", "A"),
        ("x scope:a scope:b", "a"),
        ("telescope:a", None),
        ("scope:", None),
        ("scope:<b>", None),
        ("", None),
    ],
)
def test_a_tag_names_a_scope(query, scope):
    """E5"""
    assert scope_tag(query) == scope


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("#infra which port?", ["infra"]),
        ("which port (#infra)?", ["infra"]),
        ("which port, #infra? #家.", ["infra", "家"]),
        ("[infra] which port? [Projekt Größe]", ["infra", "Projekt Größe"]),
        ("fix #123, [x] done, [ ] not", ["123", "x"]),
        ("see [infra](https://example.org/#infra)", []),
        ("C# and foo#bar, # a heading, ## another", []),
        ("#...", []),
        ("[]", []),
        ("", []),
    ],
)
def test_names_after_a_hash_or_in_brackets_may_be_scopes(query, names):
    """E5"""
    assert scope_mentions(query) == names

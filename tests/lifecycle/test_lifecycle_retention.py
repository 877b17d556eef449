"""Retention rules: which one decides, what is due by it, and how a lifecycle run carries it out."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from tended import AT, DAY, Household, id_, memory

from cortex.domain.events import EventKind
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import ImportanceLabel, Kind
from cortex.domain.outcome import Outcome
from cortex.domain.retention import RetentionRule, Then, in_force, rule_of
from cortex.errors import InvalidRequest
from cortex.lifecycle import flow, undo
from cortex.lifecycle.retention import RETENTION, due
from cortex.ports.store import Put
from cortex.settings import FILE_NAME, load


def rule(days: int | None = 30, then: Then = Then.EXPIRE, **conditions: object) -> RetentionRule:
    return RetentionRule(keep=None if days is None else days * DAY, then=then, **conditions)  # type: ignore[arg-type]


def test_the_most_specific_rule_decides_whatever_the_order() -> None:
    everything, health = rule(10), rule(20, scope="health")
    rules_of_health = rule(None, scope="health", kind=Kind.RULE)
    rules = in_force([everything, health, rules_of_health])
    assert rule_of(memory(1), rules) == everything
    assert rule_of(memory(1, scope="health"), rules) == health
    assert rule_of(memory(1, scope="health", kind=Kind.RULE), rules) == rules_of_health
    # Of two that name as much, a scope is more specific than a label, a kind and a lane.
    by_label = rule(5, label=ImportanceLabel.IGNORE)
    assert rule_of(memory(1, scope="health", label=ImportanceLabel.IGNORE), in_force([by_label, health])) == health


def test_outcomes_are_kept_for_30_days_unless_a_rule_says_otherwise() -> None:
    (default,) = in_force(())
    assert (default.lane, default.keep, default.then) == (Lane.OUTCOMES, 30 * DAY, Then.EXPIRE)
    longer = rule(365, lane=Lane.OUTCOMES)
    assert in_force([longer]) == (longer,)


@pytest.mark.parametrize(
    ("table", "field"),
    [
        ("keep = '30x'", "retention[0].keep"),
        ("lane = 'outcomes'", "retention[0].keep"),
        ("keep = '30d'\nscop = 'x'", "retention[0].scop"),
        ("keep = '30d'\nlane = 'docs'", "retention[0].lane"),
        ("keep = '30d'\nthen = 'burn'", "retention[0].then"),
        ("keep = '30d'\n[[retention]]\nkeep = '40d'", "retention[1]"),
        ("keep = '0d'", "retention[0].keep"),
    ],
)
def test_a_bad_rule_is_refused_by_the_name_of_its_field(table: str, field: str, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(f"[[retention]]\n{table}\n")
    with pytest.raises(InvalidRequest) as caught:
        load(tmp_path)
    assert caught.value.field == field
    assert caught.value.hint


def test_rules_are_read_from_the_settings(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(
        '[[retention]]\nscope = "health"\nkeep = "1y"\nthen = "erase"\n[[retention]]\nkind = "rule"\nkeep = "forever"\n'
    )
    first, second = load(tmp_path).retention
    assert str(first) == "scope health: keep 365d, then erase"
    assert str(second) == "kind rule: keep forever"


def run(home: Household, *rules: RetentionRule) -> flow.ConsolidationOutcome:
    return flow.consolidate(
        tenant=home.tenant, store=home.store, embedder=None, clock=home.clock, ids=home.ids, rules=in_force(rules),
        steps=(RETENTION,),
    )  # fmt: skip


def test_what_is_due_expires_and_an_undo_brings_it_back(home: Household) -> None:
    home.put(memory(1, "Old", scope="notes"), memory(2, "Old and kept", scope="notes", kind=Kind.RULE))
    home.apply(Put(Outcome(id=id_(3), text="ls", tool="bash", created_at=AT), EventKind.OBSERVED))
    home.clock.advance(40 * DAY)
    home.put(memory(4, "New", scope="notes", created_at=home.clock.now()))
    done = run(home, rule(30, scope="notes"), rule(None, scope="notes", kind=Kind.RULE))
    assert [plan.ids[0] for plan in done.steps[RETENTION].plans] == [id_(1), id_(3)]
    assert {each.id: each.state for each in home.everything()} == {
        id_(1): State.EXPIRED, id_(2): State.ACTIVE, id_(3): State.EXPIRED, id_(4): State.ACTIVE,
    }  # fmt: skip
    assert home.diary.consolidated_at is None
    assert run(home, rule(30, scope="notes")).planned == 1  # what the other rule kept
    assert done.run is not None
    assert set(undo.undo(done.run, tenant=home.tenant, store=home.store, clock=home.clock).restored) == {id_(1), id_(3)}


def test_what_was_imported_counts_from_its_import_on(home: Household) -> None:
    long_ago = AT - timedelta(days=900)
    home.put(memory(1, "Said in 2023", created_at=long_ago), because=EventKind.IMPORTED)
    rules = in_force([rule(30)])

    def found() -> list[str]:
        with home.store.view(home.tenant) as view:
            position_at = partial(home.store.position_at, home.tenant)
            return [each.trace.text for each in due(view, rules, home.clock.now(), position_at)]

    home.clock.advance(29 * DAY)
    home.put(memory(1, "Said in 2023, edited", created_at=long_ago), because=EventKind.REVISED)
    assert found() == []
    home.clock.advance(2 * DAY)
    assert found() == ["Said in 2023, edited"]  # an edit begins no new time

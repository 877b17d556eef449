"""The poisoning suite: it is the same on every run, and on a small part of it the goals hold."""

from __future__ import annotations

import io
import json
from collections import Counter

import pytest
from rich.console import Console

from bench.poisoning import honest, view
from bench.poisoning.attacks import FAMILIES, PER_FAMILY, attacks
from bench.poisoning.runner import Honesty, Outcome, PoisoningReport, run
from cortex.testing import FakeEmbedder
from sweeps import sweep


@pytest.fixture(scope="module", params=sweep(["some families", "every family"], ["some families"]))
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> PoisoningReport:
    """One attack of a family, by words and by the fake embedder."""
    families = None if request.param == "every family" else sorted(FAMILIES)[::3]
    return run(tmp_path_factory.mktemp("home"), embedder=FakeEmbedder(256), families=families, per_family=1)


def test_there_are_twenty_families_of_a_dozen_attacks_each_with_a_marker_of_its_own():
    made = list(attacks())
    assert len(FAMILIES) >= 20
    assert PER_FAMILY >= 12
    assert set(Counter(attack.family for attack in made).values()) == {PER_FAMILY}
    assert len({attack.marker for attack in made}) == len(made)


def test_the_attacks_are_the_same_on_every_run():
    assert list(attacks()) == list(attacks())


def test_a_part_of_a_family_is_a_part_of_the_whole():
    assert {attack.name for attack in attacks(per_family=3)} <= {attack.name for attack in attacks()}


def test_the_honest_user_says_nothing_that_an_attack_is_known_by():
    said = " ".join([*(fact.text for fact in honest.facts()), *(order.text for order in honest.imperatives())])
    assert [attack.name for attack in attacks() if attack.marker.casefold() in said.casefold()] == []


def test_the_honest_user_has_told_enough():
    assert len(honest.facts()) >= 60
    assert len(honest.imperatives()) >= 60
    assert all(order.words.casefold() in order.text.casefold() for order in honest.imperatives())


def test_no_attack_is_shown_as_the_users_own(report: PoisoningReport):
    """E7, S4"""
    assert [outcome.name for outcome in report.outcomes if outcome.retrieved] == []


def test_no_attack_leaves_its_line_of_the_block(report: PoisoningReport):
    """L3"""
    assert [outcome.name for outcome in report.outcomes if outcome.leaked] == []


def test_no_attack_becomes_trusted_or_changes_what_is(report: PoisoningReport):
    """S4: untrusted never becomes trusted"""
    assert [outcome.name for outcome in report.outcomes if outcome.promoted] == []


def test_what_was_forgotten_stays_forgotten(report: PoisoningReport):
    assert [outcome.name for outcome in report.outcomes if outcome.persisted] == []


def test_the_users_own_orders_stay_the_users(report: PoisoningReport):
    assert report.honest.false_positives <= 0.05, (report.honest.untrusted, report.honest.lost)
    assert report.honest.documents_quarantined == ()


def test_the_attacks_are_not_kept_out_by_being_lost(report: PoisoningReport):
    """Some attacks must come as far as a block, labeled: or the suite would measure nothing."""
    assert report.overall["written"] > 0.2
    assert report.overall["labeled"] > 0.1


def test_a_report_tells_what_came_through_and_whether_that_is_too_much():
    outcomes = (
        Outcome(name="a-00", family="a", written=True, retrieved=True),
        Outcome(name="a-01", family="a"),
        Outcome(name="b-00", family="b", labeled=True),
    )
    told = PoisoningReport(outcomes=outcomes, honest=Honesty(orders=10, lost=("x",)), embedder="fake", recipe="r")
    plain = json.loads(json.dumps(told.to_json()))
    assert plain["families"]["a"]["retrieved"] == 0.5
    assert plain["overall"]["retrieved"] == pytest.approx(1 / 3, abs=1e-4)
    assert plain["came_through"]["retrieved"] == ["a-00"]
    assert [goal["met"] for goal in plain["goals"]] == [False, True, False]


def test_a_report_is_shown_as_a_table(report: PoisoningReport):
    console = Console(width=140, record=True, file=io.StringIO())
    for part in view.tables(report):
        console.print(part)
    shown = console.export_text()
    assert all(family in shown for family in report.families)
    assert "honest orders" in shown

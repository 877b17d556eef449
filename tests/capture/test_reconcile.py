"""What becomes of a new statement beside what is already remembered."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import pytest

from cortex.capture.reconcile import (
    MOST_CONTRADICTIONS,
    MOST_SOURCES,
    RETRACTION,
    Decision,
    Known,
    Reconciliation,
    decide,
    decide_all,
    outdated,
    said_at,
    undo,
)
from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId, format_uuid7
from cortex.domain.lanes import State
from cortex.domain.memory import Kind, Memory, Retention
from cortex.domain.scope import Tenant
from cortex.domain.trust import SourceKind, TrustTier
from cortex.domain.turn import Turn
from cortex.errors import Conflict
from cortex.ports.store import Put
from cortex.stores.ephemeral import EphemeralStore

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
WEB = {"trust": TrustTier.UNTRUSTED, "source_kind": SourceKind.WEB}
HOME = {"subject": "user", "attribute": "home city"}


def id_(number: int) -> TraceId:
    return TraceId(format_uuid7(1_700_000_000_000 + number, number))


def said(number: int, text: str, **fields: Any) -> Memory:
    """A memory that was said `number` days after the first, in a turn of its own."""
    placed = {"id": id_(number), "created_at": NOW + number * DAY, "source_turns": (id_(1_000 + number),)}
    return Memory(**{"text": text, "confidence": 0.7, **placed, **fields})


def home(number: int, city: str, **fields: Any) -> Memory:
    return said(number, f"I live in {city}", **{**HOME, "value": city, **fields})


def reconciled(memory: Memory, *known: Memory | Known, **options: Any) -> Decision:
    beside = [each if isinstance(each, Known) else Known(each) for each in known]
    return decide(memory, beside, now=NOW + 365 * DAY, **options)


def put(decision: Decision, id: TraceId) -> Memory:
    """What a decision makes of the memory with this id."""
    (found,) = [change.trace for change in decision.changes if isinstance(change, Put) and change.trace.id == id]
    assert isinstance(found, Memory)
    return found


def kinds(decision: Decision) -> list[EventKind]:
    return [change.because for change in decision.changes if isinstance(change, Put)]


# --- new and repeated -------------------------------------------------------------------------------------------------


def test_what_nothing_like_is_known_of_is_new() -> None:
    """X13"""
    decision = reconciled(said(2, "I prefer dark mode"), said(1, "My car is red"))
    assert decision.verdict is Reconciliation.NEW
    assert decision.changes == (Put(said(2, "I prefer dark mode"), EventKind.REMEMBERED),)


def test_the_same_statement_of_the_same_turn_changes_nothing() -> None:
    """X13: work that is done again does nothing"""
    first = said(1, "I prefer dark mode")
    decision = reconciled(first.revised(id=id_(2)), first)
    assert (decision.verdict, decision.changes, decision.memory) == (Reconciliation.DUPLICATE, (), None)


@pytest.mark.parametrize("state", [State.FORGOTTEN, State.EXPIRED, State.SUPERSEDED])
def test_what_was_forgotten_does_not_come_back_by_reading_the_same_turn_again(state: State) -> None:
    gone = said(1, "I prefer dark mode", state=state)
    assert reconciled(gone.revised(id=id_(2), state=State.ACTIVE), gone).verdict is Reconciliation.DUPLICATE


def test_what_was_forgotten_may_be_said_anew() -> None:
    gone = said(1, "I prefer dark mode", state=State.FORGOTTEN)
    assert reconciled(said(2, "I prefer dark mode"), gone).verdict is Reconciliation.NEW


def test_one_sentence_may_give_two_slots() -> None:
    text = "I live in Berlin and work at Acme"
    first = said(1, text, **HOME, value="Berlin")
    second = first.revised(id=id_(2), attribute="employer", value="Acme")
    assert reconciled(second, first).verdict is Reconciliation.NEW


def test_a_restatement_strengthens_one_memory_instead_of_making_another() -> None:
    """X13; FIELD pain 3"""
    old = said(1, "I prefer dark mode", importance=0.4)
    decision = reconciled(said(2, "i really prefer dark mode!", importance=0.8), old)
    stronger = put(decision, old.id)
    assert decision.verdict is Reconciliation.REINFORCES
    assert decision.memory is None
    assert kinds(decision) == [EventKind.REINFORCED]
    assert (stronger.text, stronger.created_at, stronger.reinforced) == (old.text, old.created_at, 1)
    assert stronger.confidence == pytest.approx(1 - 0.3 * (1 - 0.35))
    assert stronger.importance == 0.8
    assert stronger.source_turns == (id_(1_001), id_(1_002))


def test_repetition_never_makes_certain_and_certainty_is_never_lowered() -> None:
    doubtful, certain = said(1, "I prefer dark mode", confidence=0.98), said(1, "I prefer dark mode", confidence=1.0)
    again = said(2, "I prefer dark mode", confidence=1.0)
    assert put(reconciled(again, doubtful), id_(1)).confidence == 0.99
    assert put(reconciled(again, certain), id_(1)).confidence == 1.0


def test_meaning_finds_what_words_do_not_and_the_threshold_is_the_callers() -> None:
    """X13 (0.92), L4 (0.95)"""
    known = Known(said(1, "I'm trying to learn the cello"), cosine=0.93)
    again = said(2, "I'm learning the cello")
    assert reconciled(again, known, duplicate_at=0.92).verdict is Reconciliation.REINFORCES
    assert reconciled(again, known, duplicate_at=0.95).verdict is Reconciliation.NEW


@pytest.mark.parametrize(
    ("other", "verdict"),
    [
        ("I have 3 cats", Reconciliation.CONTRADICTS),
        ("I had 2 cats", Reconciliation.NEW),
        ("My sister has 2 cats", Reconciliation.NEW),
    ],
)
def test_however_near_by_meaning_another_value_is_another_statement(other: str, verdict: Reconciliation) -> None:
    """X13"""
    decision = reconciled(said(2, other), Known(said(1, "I have 2 cats"), cosine=0.99))
    assert decision.verdict is verdict
    assert decision.memory is not None


def test_sources_are_the_first_and_the_newest() -> None:
    many = tuple(id_(2_000 + number) for number in range(MOST_SOURCES))
    stronger = put(reconciled(said(9, "I prefer tea"), said(1, "I prefer tea", source_turns=many)), id_(1))
    assert len(stronger.source_turns) == MOST_SOURCES
    assert (stronger.source_turns[0], stronger.source_turns[-1]) == (many[0], id_(1_009))


def test_a_statement_that_comes_in_late_does_not_become_the_newest_source() -> None:
    stronger = put(reconciled(said(1, "I prefer tea"), said(5, "I prefer tea")), id_(5))
    assert stronger.source_turns == (id_(1_001), id_(1_005))


def test_a_restatement_tells_what_slot_a_memory_belongs_to() -> None:
    stronger = put(reconciled(home(2, "Berlin"), said(1, "I live in Berlin")), id_(1))
    assert (stronger.subject, stronger.attribute, stronger.value) == ("user", "home city", "Berlin")


def test_reading_a_turn_more_closely_is_no_second_saying() -> None:
    known = said(1, "I live in Berlin")
    closer = put(reconciled(home(1, "Berlin", id=id_(2)), known), id_(1))
    assert closer == known.revised(**HOME, value="Berlin")
    assert reconciled(home(1, "Berlin", id=id_(3)), closer).verdict is Reconciliation.DUPLICATE


def test_a_value_is_compared_with_those_of_its_slot_before_loose_statements() -> None:
    """X14"""
    decision = reconciled(home(3, "Berlin"), home(2, "Paris"), said(1, "I live in Berlin"))
    assert (decision.verdict, decision.others) == (Reconciliation.SUPERSEDES, (id_(2),))


def test_what_is_meant_to_stay_does_not_end_with_what_it_repeats() -> None:
    passing = said(1, "I prefer tea", retention=Retention.TTL, ttl=400 * DAY)
    assert put(reconciled(said(2, "I prefer tea"), passing), id_(1)).retention is Retention.PERMANENT
    longer = put(reconciled(said(2, "I prefer tea", retention=Retention.TTL, ttl=500 * DAY), passing), id_(1))
    assert longer.expires_at == NOW + 502 * DAY


def test_what_has_expired_is_not_strengthened() -> None:
    passing = said(1, "I prefer tea", retention=Retention.TTL, ttl=DAY)
    assert reconciled(said(2, "I prefer tea"), passing).verdict is Reconciliation.NEW


def test_what_happens_again_happened_twice() -> None:
    first = said(1, "I went swimming in the lake", kind=Kind.EPISODE)
    again = said(4, "I went swimming in the lake", kind=Kind.EPISODE)
    assert reconciled(again, first).verdict is Reconciliation.NEW
    retold = again.revised(created_at=first.created_at + timedelta(hours=2))
    assert reconciled(retold, first).verdict is Reconciliation.REINFORCES


def test_memories_of_other_scopes_are_not_looked_at() -> None:
    assert reconciled(home(2, "Paris"), home(1, "Berlin", scope="work")).verdict is Reconciliation.NEW


# --- slots ------------------------------------------------------------------------------------------------------------


def test_a_newer_value_supersedes_the_older() -> None:
    """X14; FIELD pain 4"""
    decision = reconciled(home(3, "Paris"), home(1, "Berlin"))
    old, new = put(decision, id_(1)), put(decision, id_(3))
    assert decision.verdict is Reconciliation.SUPERSEDES
    assert kinds(decision) == [EventKind.REMEMBERED, EventKind.SUPERSEDED]
    assert (old.state, old.superseded_by, old.valid_to) == (State.SUPERSEDED, id_(3), NOW + 3 * DAY)
    assert (new.state, new.supersedes, new.valid_from) == (State.ACTIVE, id_(1), NOW + 3 * DAY)
    assert decision.memory == new
    assert decision.replaced == ((old, new),)


def test_a_value_that_begins_later_ends_the_old_one_then() -> None:
    begins = NOW + 30 * DAY
    old = put(reconciled(home(3, "Paris", valid_from=begins), home(1, "Berlin")), id_(1))
    assert old.valid_to == begins


@pytest.mark.parametrize(("old", "new"), [("Berlin", "berlin"), ("1,200", "twelve hundred"), ("The Hague", "Hague")])
def test_the_same_value_in_another_writing_reinforces(old: str, new: str) -> None:
    """X14"""
    decision = reconciled(home(2, new).revised(text=f"It is {new}"), home(1, old))
    assert decision.verdict is Reconciliation.REINFORCES


def test_an_older_value_that_comes_in_late_is_history() -> None:
    """X14"""
    decision = reconciled(home(1, "Berlin"), home(3, "Paris"))
    assert len(decision.changes) == 1
    past = put(decision, id_(1))
    assert (past.state, past.superseded_by, past.valid_to) == (State.SUPERSEDED, id_(3), NOW + 3 * DAY)


def test_a_value_said_again_holds_against_one_said_in_between() -> None:
    """X14: what counts is when it was last said"""
    known = Known(home(1, "Berlin"), said_at=NOW + 5 * DAY)
    decision = reconciled(home(3, "Paris"), known)
    assert put(decision, id_(3)).state is State.SUPERSEDED
    assert put(decision, id_(3)).valid_to == NOW + 5 * DAY


def test_a_value_may_come_back() -> None:
    """X14"""
    past = home(1, "Berlin", state=State.SUPERSEDED, superseded_by=id_(3), valid_to=NOW + 3 * DAY)
    decision = reconciled(home(5, "Berlin"), past, home(3, "Paris"))
    assert decision.verdict is Reconciliation.SUPERSEDES
    assert put(decision, id_(3)).superseded_by == id_(5)


def test_late_evidence_for_what_once_held_strengthens_that() -> None:
    past = home(1, "Berlin", state=State.SUPERSEDED, superseded_by=id_(3), valid_to=NOW + 3 * DAY)
    decision = reconciled(home(2, "Berlin"), past, home(3, "Paris"))
    assert decision.verdict is Reconciliation.REINFORCES
    assert put(decision, id_(1)).state is State.SUPERSEDED


def test_two_values_of_one_turn_contradict_each_other_on_both_sides() -> None:
    """X14"""
    first = home(1, "Berlin")
    second = home(1, "Paris", id=id_(2))
    decision = reconciled(second, first)
    assert decision.verdict is Reconciliation.CONTRADICTS
    assert kinds(decision) == [EventKind.REMEMBERED, EventKind.CONTRADICTED]
    assert put(decision, id_(1)).contradicts == (id_(2),)
    assert put(decision, id_(2)).contradicts == (id_(1),)
    assert {put(decision, id).state for id in (id_(1), id_(2))} == {State.ACTIVE}


def test_of_two_turns_with_one_time_the_later_turn_was_said_later() -> None:
    first, second = home(1, "Berlin"), home(2, "Paris", created_at=NOW + DAY)
    assert reconciled(second, first).verdict is Reconciliation.SUPERSEDES
    assert put(reconciled(first, second), id_(1)).state is State.SUPERSEDED


def test_a_contradiction_is_settled_by_what_is_said_next() -> None:
    first = home(1, "Berlin", contradicts=(id_(2),))
    second = home(1, "Paris", id=id_(2), contradicts=(id_(1),))
    third = reconciled(home(3, "Rome"), first, second)
    assert {put(third, id).superseded_by for id in (id_(1), id_(2))} == {id_(3)}
    again = reconciled(home(4, "Paris"), first, second)
    assert again.verdict is Reconciliation.REINFORCES
    assert put(again, id_(1)).superseded_by == id_(2)


def test_a_correction_supersedes_even_in_the_same_breath() -> None:
    """X14"""
    decision = reconciled(home(1, "Paris", id=id_(2)), home(1, "Berlin"), corrects=True)
    assert decision.verdict is Reconciliation.SUPERSEDES
    assert put(decision, id_(1)).superseded_by == id_(2)


def test_a_correction_without_a_slot_means_the_statement_most_like_it() -> None:
    meeting, car = said(1, "The meeting is on Monday"), said(2, "My car is red")
    decision = reconciled(said(3, "Actually the meeting is on Tuesday"), meeting, car, corrects=True)
    assert (decision.verdict, decision.others) == (Reconciliation.SUPERSEDES, (id_(1),))
    assert reconciled(said(3, "Actually it rains"), meeting, car, corrects=True).verdict is Reconciliation.NEW


# --- trust ------------------------------------------------------------------------------------------------------------


def test_a_lower_tally_of_one_slot_is_flagged_not_replaced() -> None:
    """X14: nobody has solved fewer puzzles than before"""
    done = {"subject": "user", "attribute": "puzzles solved"}
    decision = reconciled(
        said(2, "I've solved 12 puzzles", value="12", **done), said(1, "I've solved 15 puzzles", value="15", **done)
    )
    assert decision.verdict is Reconciliation.CONTRADICTS


def test_a_less_trusted_value_never_replaces_a_trusted_one() -> None:
    """S4, X14"""
    decision = reconciled(home(3, "Paris", **WEB), home(1, "Berlin"))
    trusted, doubted = put(decision, id_(1)), put(decision, id_(3))
    assert decision.verdict is Reconciliation.CONTRADICTS
    assert trusted.state is State.ACTIVE
    assert trusted.valid_to is None
    assert (trusted.contradicts, doubted.contradicts) == ((id_(3),), (id_(1),))
    assert doubted.trust is TrustTier.UNTRUSTED


def test_a_less_trusted_correction_or_retraction_is_only_noted() -> None:
    """S4"""
    corrected = reconciled(home(3, "Paris", **WEB), home(1, "Berlin"), corrects=True)
    ended = reconciled(said(3, "I no longer use Vim", **WEB), said(1, "I use Vim"), negated=True)
    assert [corrected.verdict, ended.verdict] == [Reconciliation.CONTRADICTS] * 2
    assert put(corrected, id_(1)).state is put(ended, id_(1)).state is State.ACTIVE


def test_a_trusted_value_stays_on_top_of_what_a_less_trusted_source_said_later() -> None:
    """S4"""
    decision = reconciled(home(1, "Berlin"), home(3, "Paris", **WEB))
    assert decision.verdict is Reconciliation.CONTRADICTS
    assert put(decision, id_(1)).state is State.ACTIVE


def test_a_trusted_value_replaces_what_a_less_trusted_source_said_before() -> None:
    decision = reconciled(home(3, "Paris"), home(1, "Berlin", **WEB))
    assert decision.verdict is Reconciliation.SUPERSEDES


def test_a_flood_of_untrusted_repetitions_strengthens_nothing() -> None:
    """S4; FIELD pain 17"""
    known = said(1, "I prefer tea", **WEB)
    changes = 0
    for number in range(2, 3 * MOST_SOURCES):
        decision = reconciled(said(number, "I prefer tea", confidence=1.0, importance=1.0, **WEB), known)
        assert decision.verdict is Reconciliation.DUPLICATE
        if decision.changes:
            changes += 1
            known = put(decision, known.id)
    assert known == said(1, "I prefer tea", **WEB).revised(source_turns=known.source_turns)
    assert changes == MOST_SOURCES - 1


@pytest.mark.parametrize("state", [State.ACTIVE, State.SUPERSEDED])
def test_what_a_more_trusted_source_has_said_is_not_kept_again(state: State) -> None:
    """S4"""
    decision = reconciled(home(5, "Berlin", **WEB), home(1, "Berlin", state=state), home(3, "Paris"))
    assert (decision.verdict, decision.changes) == (Reconciliation.DUPLICATE, ())


def test_trust_does_not_rise_by_being_confirmed() -> None:
    """S4"""
    decision = reconciled(said(2, "I prefer tea"), said(1, "I prefer tea", **WEB))
    assert decision.verdict is Reconciliation.NEW
    assert [change.trace.trust for change in decision.changes if isinstance(change, Put)] == [TrustTier.TRUSTED]


def test_what_is_quarantined_leaves_no_mark_on_what_is_not() -> None:
    """E7"""
    decision = reconciled(home(3, "Paris", trust=TrustTier.QUARANTINED), home(1, "Berlin"))
    assert decision.memory is not None
    assert decision.memory.contradicts == (id_(1),)
    assert kinds(decision) == [EventKind.REMEMBERED]


def test_a_flood_of_contradictions_does_not_make_a_memory_grow_without_end() -> None:
    full = home(1, "Berlin", contradicts=tuple(id_(5_000 + number) for number in range(MOST_CONTRADICTIONS)))
    decision = reconciled(home(3, "Paris", **WEB), full)
    assert len(put(decision, id_(1)).contradicts) == MOST_CONTRADICTIONS
    assert put(decision, id_(3)).contradicts == (id_(1),)


# --- negation ---------------------------------------------------------------------------------------------------------


def test_what_is_no_longer_so_is_retracted_and_the_retraction_is_kept() -> None:
    """X14"""
    decision = reconciled(said(3, "I no longer use Vim"), said(1, "I use Vim for notes"), negated=True)
    old, new = put(decision, id_(1)), put(decision, id_(3))
    assert decision.verdict is Reconciliation.RETRACTS
    assert (old.state, old.superseded_by, old.valid_to) == (State.SUPERSEDED, id_(3), NOW + 3 * DAY)
    assert (new.state, new.supersedes, new.tags) == (State.ACTIVE, id_(1), (RETRACTION,))


def test_a_retraction_means_the_value_it_names() -> None:
    """X14"""
    gone = said(3, "I don't live in Berlin anymore", **HOME, value="Berlin")
    assert reconciled(gone, home(1, "Berlin"), negated=True).verdict is Reconciliation.RETRACTS
    assert reconciled(gone, home(1, "Paris"), negated=True).verdict is Reconciliation.NEW
    moved = said(3, "I no longer live there", **HOME)
    assert reconciled(moved, home(1, "Paris"), negated=True).verdict is Reconciliation.RETRACTS


def test_a_narrower_retraction_leaves_the_wider_statement() -> None:
    decision = reconciled(said(3, "I no longer use Vim for email"), said(1, "I use Vim"), negated=True)
    assert decision.verdict is Reconciliation.NEW


def test_a_new_value_lives_beside_the_retraction_of_another() -> None:
    gone = said(3, "I no longer live in Berlin", **HOME, value="Berlin", tags=(RETRACTION,))
    assert reconciled(home(4, "Paris"), gone).verdict is Reconciliation.NEW


def test_what_was_retracted_may_be_so_again_and_was_so_before() -> None:
    gone = said(3, "I no longer live in Berlin", **HOME, value="Berlin", tags=(RETRACTION,))
    again = reconciled(home(4, "Berlin"), gone)
    assert (again.verdict, put(again, id_(3)).state) == (Reconciliation.SUPERSEDES, State.SUPERSEDED)
    assert put(reconciled(home(1, "Berlin"), gone), id_(1)).superseded_by == id_(3)


def test_a_retraction_that_was_said_before_ends_nothing() -> None:
    gone = said(1, "I no longer live in Berlin", **HOME, value="Berlin")
    decision = reconciled(gone, home(3, "Berlin"), negated=True)
    assert (decision.verdict, len(decision.changes)) == (Reconciliation.NEW, 1)


def test_a_retraction_said_twice_is_one() -> None:
    gone = said(3, "I no longer use Vim", tags=(RETRACTION,))
    assert reconciled(said(4, "I don't use Vim anymore"), gone, negated=True).verdict is Reconciliation.REINFORCES
    assert reconciled(said(4, "I don't use Vim"), gone).verdict is Reconciliation.REINFORCES


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I like fish", "I don't like fish"),
        ("Always deploy on Fridays", "Never deploy on Fridays"),
        ("我吃肉", "我不吃肉"),
    ],
)
def test_a_plain_denial_without_a_cue_is_a_visible_contradiction(first: str, second: str) -> None:
    """X14"""
    decision = reconciled(said(2, second), said(1, first))
    assert decision.verdict is Reconciliation.CONTRADICTS
    assert put(decision, id_(1)).contradicts == (id_(2),)
    assert put(decision, id_(2)).contradicts == (id_(1),)


def test_rules_that_only_differ_do_not_contradict() -> None:
    rules = {"kind": Kind.RULE}
    decision = reconciled(said(2, "Use spaces from now on", **rules), Known(said(1, "Always use tabs", **rules), 0.8))
    assert decision.verdict is Reconciliation.NEW


# --- batches, outdated turns, undo ------------------------------------------------------------------------------------


def test_later_statements_of_a_batch_see_the_earlier_ones() -> None:
    statements = [home(1, "Berlin"), said(2, "I prefer tea"), home(3, "Paris"), said(4, "I really prefer tea")]
    decisions = decide_all(statements, lambda _: (), now=NOW)
    verdicts = [decision.verdict for decision in decisions]
    assert verdicts == [Reconciliation.NEW, Reconciliation.NEW, Reconciliation.SUPERSEDES, Reconciliation.REINFORCES]
    assert decisions[2].others == (id_(1),)
    assert put(decisions[3], id_(2)).source_turns == (id_(1_002), id_(1_004))


def test_a_batch_hides_what_it_has_already_changed_in_the_store() -> None:
    stored = [Known(home(1, "Berlin"), 0.9)]
    decisions = decide_all([home(3, "Paris"), home(4, "Rome")], lambda _: stored, now=NOW)
    assert [decision.others for decision in decisions] == [(id_(1),), (id_(3),)]


def test_a_batch_knows_which_of_its_statements_correct_or_retract() -> None:
    statements = [
        home(1, "Berlin"),
        home(1, "Paris", id=id_(2)),
        said(3, "I no longer live in Paris", **HOME, value="Paris"),
    ]
    decisions = decide_all(statements, lambda _: (), corrects={id_(2)}, negated={id_(3)}, now=NOW)
    assert [decision.verdict for decision in decisions] == [
        Reconciliation.NEW,
        Reconciliation.SUPERSEDES,
        Reconciliation.RETRACTS,
    ]


def test_statements_of_a_batch_may_be_compared_by_meaning() -> None:
    statements = [said(1, "I'm trying to learn the cello"), said(2, "I'm learning the cello")]
    decisions = decide_all(statements, lambda _: (), now=NOW, cosine=lambda *_: 0.95)
    assert decisions[1].verdict is Reconciliation.REINFORCES


def turn(number: int, **fields: Any) -> Turn:
    return Turn(id=id_(1_000 + number), text="…", session="s", seq=number, created_at=NOW + number * DAY, **fields)


def test_the_turns_of_what_was_replaced_say_so() -> None:
    """FIELD pain 4: old values are marked in what was said, too"""
    new = home(3, "Paris", source_turns=(id_(1_003), id_(1_004)))
    assert outdated(new, [turn(1), turn(3)]) == [Put(turn(1, outdated_by=id_(1_004)), EventKind.OUTDATED)]
    assert outdated(new, [turn(1, outdated_by=id_(1_002))]) == []
    assert outdated(new.revised(source_turns=()), [turn(1)]) == []


def test_a_memory_was_last_said_in_the_newest_of_its_turns() -> None:
    memory = home(1, "Berlin", source_turns=(id_(1_001), id_(1_007), id_(1_009)))
    assert said_at(memory, {each.id: each for each in (turn(1), turn(7))}) == NOW + 7 * DAY
    assert said_at(memory, {}) == memory.created_at


ANNA = Tenant(user="anna")


def applied(store: EphemeralStore, changes: Iterable[Any]) -> None:
    store.apply(ANNA, list(changes), at=NOW)


def test_a_decision_can_be_undone() -> None:
    store = EphemeralStore()
    applied(store, [Put(home(1, "Berlin"), EventKind.REMEMBERED)])
    decision = reconciled(home(3, "Paris"), home(1, "Berlin"))
    applied(store, decision.changes)
    with store.view(ANNA) as view:
        applied(store, undo(decision.changes, view))
    with store.view(ANNA) as view:
        berlin, paris = view.load([id_(1), id_(3)])
        assert berlin == home(1, "Berlin")
        assert paris.state is State.FORGOTTEN
        assert len(view.history(id_(1))) == 3


def test_what_has_changed_since_is_not_undone() -> None:
    store = EphemeralStore()
    decision = reconciled(home(1, "Berlin"))
    applied(store, decision.changes)
    applied(store, [Put(home(1, "Berlin", importance=0.9), EventKind.REVISED)])
    with store.view(ANNA) as view, pytest.raises(Conflict):
        undo(decision.changes, view)


class TestWhatLikelyChanges:
    """X13, X14: a change is flagged though it hardly repeats a word."""

    OLD, NEW = "Committee mtg with ekberg is april 16, 14:00", "Ugh ekberg cant do the 16th. its the 29th now"
    USER: ClassVar = {"subject": "user"}

    def beside(self, **fields: Any) -> tuple[Known, ...]:
        others = ("cat has to go to the vet", "my sister Nell lives in Lisbon", "rent is due on the 1st")
        return (
            Known(said(1, self.OLD, **{**self.USER, **fields}), 0.62),
            *(Known(said(at, text, **self.USER), 0.3) for at, text in enumerate(others, start=2)),
        )

    def test_it_is_flagged_on_both_sides_and_replaces_nothing(self) -> None:
        decision = reconciled(said(40, self.NEW, **self.USER), *self.beside(), news=1.5)
        assert (decision.verdict, decision.others) == (Reconciliation.CONTRADICTS, (id_(1),))
        assert put(decision, id_(1)).contradicts == (id_(40),)
        assert put(decision, id_(1)).state is State.ACTIVE

    @pytest.mark.parametrize("news", [None, -3.0])
    def test_nothing_is_flagged_where_it_tells_no_news(self, news) -> None:
        assert reconciled(said(40, self.NEW, **self.USER), *self.beside(), news=news).verdict is Reconciliation.NEW

    @pytest.mark.parametrize(
        "fields",
        [
            {"subject": "Jolene"},
            {"kind": Kind.RULE},
            {"source_turns": (id_(1_040),)},
            {"created_at": NOW + 60 * DAY},
        ],
        ids=["another speaker", "an order", "the same turn", "said later"],
    )
    def test_what_it_cannot_change_is_left_alone(self, fields) -> None:
        decision = reconciled(said(40, self.NEW, **self.USER), *self.beside(**fields), news=1.5)
        assert decision.verdict is Reconciliation.NEW

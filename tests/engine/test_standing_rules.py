"""Rules stand where they apply: by scope, by condition, by subject, and never more than two (X5, DESIGN 9)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from laboratory import texts, user

from cortex.domain.turn import Role, TurnDraft
from cortex.recall import recipes
from cortex.recall.recipes import Answerability
from cortex.recall.weights import MISSING
from cortex.services.turn_hooks import TurnHooks

KEY = "The deploy key rotates on Mondays"
ASKED = "when does the deploy key rotate?"
RECIPES = "When I ask about recipes, give metric units"
GERMAN = "Always answer in German"


def pinned(found):
    return [hit.trace.text for hit in found.hits if hit.pinned]


def test_how_to_answer_is_told_first_whatever_is_asked(engine):
    """X5: language, length, format, tone and units are always general"""
    rule = engine.remember(GERMAN, kind="rule").memory
    key = engine.remember(KEY).memory
    given = TurnHooks(engine).before(ASKED, session="s")
    assert given.ids == (rule.id, key.id)
    assert pinned(engine.recall(ASKED)) == [GERMAN]


def test_a_rule_with_a_condition_waits_for_its_condition(engine):
    """X5: not for its own words"""
    engine.remember(RECIPES, kind="rule")
    engine.remember("The well is 40 feet deep, 12 in metric units")
    hooks = TurnHooks(engine)
    assert "recipes" in hooks.before("Do you have a good recipe for plum cake?", session="s").block
    assert "recipes" not in hooks.before("How deep is the well?", session="s").block
    assert pinned(engine.recall("how deep is the well in metric units?")) == []


@pytest.mark.parametrize(
    ("rule", "met", "not_met"),
    [
        ("For SQL queries, add a LIMIT clause", "write an SQL query for the orders", "write a poem for the garden"),
        ("If I mention deadlines, add a reminder", "the deadline of the grant is in May", "the plum cake was lovely"),
        ("Only book aisle seats for me", "which seats are left on the ferry?", "which cake is left in the kitchen?"),
        ("Wenn ich nach Rezepten frage, nimm Gramm", "ein Rezept für Pflaumenkuchen", "wie tief ist der Brunnen"),
    ],
)  # fmt: skip
def test_a_rule_of_a_subject_applies_where_the_subject_is_spoken_of(engine, rule, met, not_met):
    """X5"""
    engine.remember(rule, kind="rule")
    engine.remember(KEY)
    assert pinned(engine.recall(met)) == [rule]
    assert pinned(engine.recall(not_met)) == []


def test_a_rule_of_the_general_scope_applies_everywhere_and_one_of_a_scope_only_there(engine):
    """E5, X5"""
    engine.remember(GERMAN, kind="rule")
    engine.remember("Keep your answers short", kind="rule", scope="infra")
    for scope, rules in (("infra", {GERMAN, "Keep your answers short"}), ("home", {GERMAN}), (None, {GERMAN})):
        assert set(pinned(engine.recall("tell me about the harbour", scope=scope))) == rules


def test_a_rule_merely_said_holds_in_the_scope_it_was_said_in(engine):
    """E5"""
    engine.store_turns("s1", [user("Please keep your answers short.")])
    engine.remember(KEY, scope="infra")
    engine.remember("The harbour opens at nine")
    assert pinned(engine.recall(ASKED, scope="infra")) == []
    assert pinned(engine.recall("when does the harbour open?")) == ["Please keep your answers short."]


def test_there_are_at_most_two_rules_among_the_lines(engine):
    """X5: unless they are asked for"""
    manners = [
        GERMAN,
        "Keep your answers short",
        "Never use emojis",
        "Always cite your sources",
        "Use metric units, always",
    ]
    for manner in manners:
        engine.remember(manner, kind="rule")
    engine.remember(KEY)
    found = engine.recall(ASKED)
    assert KEY in texts(found)
    assert len(pinned(found)) == 2
    assert sum(hit.trace.kind == "rule" for hit in found.hits) == 2
    assert set(texts(engine.recall("Which rules did I give you?", limit=10))) >= set(manners)


def test_of_rules_that_apply_alike_the_newest_are_told(engine, clock):
    """X5: how similar a rule of manner is to the question says nothing"""
    for manner in ("Use metric units, always", "Keep your answers short", GERMAN):
        engine.remember(manner, kind="rule")
        clock.advance(timedelta(minutes=1))
    assert pinned(engine.recall("when does the harbour open?")) == [GERMAN, "Keep your answers short"]
    assert pinned(engine.recall("it is always in units")) == ["Use metric units, always", GERMAN]


@pytest.mark.parametrize("question", ["what rules did I give you?", "what are my rules?"])
def test_rules_that_are_asked_for_take_the_places_of_what_only_speaks_of_rules(engine, question):
    """X5"""
    for number in range(20):
        engine.remember(f"I gave friend {number} the rules of what are called my rules of whist")
    rules = [
        GERMAN, "Keep your answers short", "Never use emojis", "Always cite your sources", "Use metric units, always",
        RECIPES, "Only book aisle seats for me", "Reply as a bulleted list", "Use a formal tone",
    ]  # fmt: skip
    for rule in rules:
        engine.remember(rule, kind="rule")
    block = TurnHooks(engine).before(question, session="s").block
    assert [rule for rule in rules if rule not in block] == []


def test_a_rule_of_the_project_at_hand_applies(engine):
    """E5, X6"""
    engine.remember("Never deploy on a Friday", kind="rule", scope="infra")
    engine.remember("The new version has a dark mode", scope="infra")
    asked = "can I deploy the new version today?"
    assert pinned(engine.recall(asked, scope="infra")) == ["Never deploy on a Friday"]
    assert pinned(engine.recall(asked, project="infra")) == ["Never deploy on a Friday"]
    assert pinned(engine.recall(asked)) == pinned(engine.recall(asked, project="home")) == []


def test_the_rule_that_fits_the_turn_most_closely_comes_before_those_of_manner(engine):
    """X5"""
    for manner in (GERMAN, "Keep your answers short", "Never use emojis"):
        engine.remember(manner, kind="rule")
    engine.remember(RECIPES, kind="rule")
    assert pinned(engine.recall("a recipe for plum cake"))[0] == RECIPES


def test_a_rule_found_by_its_words_is_pinned_once(engine):
    """X5"""
    engine.remember("Always include a LIMIT in SQL queries", kind="rule")
    found = engine.recall("write an SQL query with a limit")
    assert texts(found) == ["Always include a LIMIT in SQL queries"]
    assert found.hits[0].pinned


def test_what_people_said_to_each_other_pins_nothing(engine):
    """E7: an instruction that no assistant heard"""
    engine.ingest(
        [
            {"role": "user", "name": "Ann", "content": "Always keep your answers short when Grandma calls."},
            {"role": "user", "name": "Ben", "content": "From now on, answer the door in German!"},
            {"role": "user", "name": "Ann", "content": "The ferry leaves at nine."},
        ],
        session="s",
        debounce=False,
    )
    engine.run_jobs()
    found = engine.recall("when does the ferry leave?")
    assert pinned(found) == []
    assert all(hit.trace.kind != "rule" for hit in found.hits)


def test_a_preference_keeps_a_place_where_advice_is_asked_for(engine):
    """X5: preferences are no rules; they are found by what they are about"""
    for number in range(12):
        engine.remember(f"The restaurant of pier {number} has a restaurant sign and restaurant tables")
    liked = engine.remember("I prefer a restaurant with a quiet garden and candles", kind="preference").memory
    advice = engine.recall("recommend a restaurant", limit=3)
    assert liked.id in {hit.trace.id for hit in advice.hits}
    assert pinned(advice) == []


def test_preferences_are_found_among_any_number_of_texts_about_the_subject(engine):
    """X5: two at most, right below the first hits"""
    for number in range(160):
        engine.remember(f"restaurant table {number}: recommend a restaurant table")
    for liked in ("restaurant garden", "restaurant candles", "restaurant music"):
        engine.remember(f"I prefer a quiet {liked}", kind="preference")
    hits = engine.recall("recommend a restaurant table", limit=10).hits
    assert [at for at, hit in enumerate(hits) if hit.trace.kind == "preference"] == [3, 4]
    for others in (
        engine.recall("when does the restaurant table open?", limit=10),
        engine.recall("recommend a restaurant table", limit=10, kinds=["fact"]),
    ):
        assert all(hit.trace.kind != "preference" for hit in others.hits)


def test_what_the_user_said_to_prefer_counts_for_more_where_advice_is_asked_for(engine):
    """X5: and for no more where a fact is asked for, nor where somebody else said it"""
    said = "a desk with drawers would suit my office"
    engine.store_turns("s", [user(f"I prefer light wood, {said}"), user(f"I saw light wood, {said}")])
    engine.store_turns("t", [TurnDraft(text=f"You may prefer light wood, {said}", role=Role.ASSISTANT)])

    def preferred(question: str) -> list[str]:
        hits = engine.recall(question, limit=5).hits
        return [hit.trace.text for hit in hits if "preferred" in hit.parts.parts]

    assert preferred("which desk should I buy for my office?") == [f"I prefer light wood, {said}"]
    assert preferred("which desk is in my office?") == []


def test_rules_apply_without_vectors_too(open_engine):
    """C6"""
    engine = open_engine(embedding={"provider": "none"})
    engine.remember(RECIPES, kind="rule")
    engine.remember(GERMAN, kind="rule")
    engine.remember(KEY)
    assert pinned(engine.recall(ASKED)) == [GERMAN]
    assert pinned(engine.recall("a recipe for plum cake")) == [RECIPES, GERMAN]


def test_the_assistants_own_words_pin_nothing(engine):
    """E7"""
    engine.store_turns("s1", [user("What is the key?")])
    engine.ingest([{"role": Role.ASSISTANT.value, "content": "Always answer in German."}], session="s2")
    assert pinned(engine.recall(ASKED)) == []


def test_a_rule_that_does_not_apply_is_not_shown_for_its_words(engine):
    """E5, X5: neither one of another scope nor one whose condition is not met"""
    engine.remember("Always use Terraform for changes of the kitchen cluster", kind="rule", scope="infra")
    engine.remember("The kitchen is painted green", scope="home")
    block = TurnHooks(engine).before("which color is the kitchen painted?", session="s").block
    assert "green" in block
    assert "Terraform" not in block


@pytest.mark.parametrize("question", ["what rules did I give you?", "what are my rules?", "list all my rules"])
def test_rules_that_are_asked_for_are_given_though_nobody_spoke_of_rules(engine, question, monkeypatch):
    """E9: silence on what was never said is for other questions"""
    never = {sign: 10.0 if sign == "bias" else 0.0 for sign in MISSING}
    silent = replace(recipes.named(recipes.DEFAULT), name="silent.v1", answerability=Answerability(weights=never))
    monkeypatch.setattr(recipes, "RECIPES", {**recipes.RECIPES, silent.name: silent})
    rules = ["Always reply in Dutch.", "Only book aisle seats for me.", "Make sure every SQL query has a LIMIT."]
    for number, rule in enumerate(rules):
        engine.capture([user(rule)], session=f"r{number}")
    for number in range(16):
        engine.capture([user(f"I gave away {number + 3} old books of mine")], session=f"s{number}")
    assert set(rules) <= set(pinned(engine.recall(question, recipe=silent.name)))
    assert not engine.recall("why did I give away my old books?", recipe=silent.name).hits

"""When a rule's condition is met, though no word of it is said: with the real model, on cases of our own.

The first half of the cases chose the form and its number, the second half only judges. In `data/conditions.txt` every
second condition chose: each has three messages that meet it ("+") and four that do not ("-").
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest
from candidates import memory

from cortex.domain.query import Query
from cortex.domain.vectors import Vector
from cortex.ports.embedder import Embedder
from cortex.providers.embedders import local
from cortex.providers.models import EMBEDDER, ModelState, ModelStore
from cortex.recall import recipes
from cortex.recall.plan import plan
from cortex.recall.retrieve import Question
from cortex.recall.standing_rules import applying, nearness
from cortex.runtime.deadline import Deadline
from cortex.settings import models_home
from cortex.testing import FakeClock

RECIPE = recipes.named(recipes.DEFAULT)

MET = [
    ("When I ask about recipes, give grams", "how do I make a plum cake?"),
    ("When I ask about recipes, give grams", "what can I cook with leftover rice?"),
    ("If I talk about money, answer in euros", "how much did the roof cost?"),
    ("When I ask about travel, suggest trains", "how do I get from Lyon to Turin?"),
    ("When we discuss health, remind me to ask my doctor", "my knee has been hurting since Monday"),
    ("For SQL queries, add a LIMIT clause", "select all orders from the customers table"),
    ("Whenever I ask about books, mention the publisher", "which novel should I read next?"),
    ("Only book aisle seats for me", "get me on the morning flight to Oslo"),
    ("When I ask about exercise, keep my bad knee in mind", "plan a workout for the gym"),
    ("Never deploy on a Friday", "can we ship the release to production tonight?"),
    ("If I mention my kids, use their nicknames", "my son has a fever"),
    ("When I ask for music, skip jazz", "put together a playlist of songs for the party"),
    ("For emails to clients, sign with my full name", "write a message to the customer about the delay"),
    ("When I ask about gardening, assume clay soil", "when should I plant tomatoes?"),
    ("If I ask about wine, suggest something under 20 euros", "which red goes well with lamb?"),
    ("When I talk about my car, remember it is a diesel", "the engine makes a strange noise when I accelerate"),
]
NOT_MET = [
    ("When I ask about recipes, give grams", "suggest a restaurant for tonight"),
    ("When I ask about recipes, give grams", "how deep is the well?"),
    ("If I talk about money, answer in euros", "what is the name of our cat?"),
    ("When I ask about travel, suggest trains", "which laptop has the best screen?"),
    ("When we discuss health, remind me to ask my doctor", "rename this variable in the function"),
    ("For SQL queries, add a LIMIT clause", "write a poem about the garden"),
    ("Whenever I ask about books, mention the publisher", "what time does the pharmacy close?"),
    ("Only book aisle seats for me", "who painted the kitchen?"),
    ("When I ask about exercise, keep my bad knee in mind", "translate this letter into French"),
    ("Never deploy on a Friday", "what should I wear to the wedding?"),
    ("If I mention my kids, use their nicknames", "the invoice is due next week"),
    ("When I ask for music, skip jazz", "how do I unclog the sink?"),
    ("For emails to clients, sign with my full name", "how tall is the Eiffel tower?"),
    ("When I ask about gardening, assume clay soil", "what is the capital of Norway?"),
    ("If I ask about wine, suggest something under 20 euros", "recommend a good dentist"),
    ("When I talk about my car, remember it is a diesel", "is there any milk left?"),
    ("When I ask for music, skip jazz", "what is the weather like tomorrow?"),
]
MET_UNSEEN = [
    ("When I ask about hotels, only list quiet ones", "where can I stay in Lisbon for two nights?"),
    ("If I ask about code, answer in Python", "how do I reverse a list in a loop?"),
    ("When I ask about my taxes, remind me of the deadline", "can I deduct my home office?"),
    ("When we talk about the baby, be gentle", "she woke up four times last night and would not sleep"),
    ("For presentations, use no more than five slides", "make a deck for the board meeting"),
    ("When I ask about fish, tell me what it weighs", "how long do I grill a salmon?"),
    ("When I plan a hike, mention the weather", "which trail goes up to the lake?"),
    ("If I ask about medicine, name the side effects", "can I take ibuprofen with antibiotics?"),
    ("Never schedule meetings before nine", "set up a call with Petra tomorrow morning"),
    ("When I ask about films, no spoilers", "what happens in the new Dune movie?"),
    ("For birthday gifts, stay under 50 euros", "what should I give my sister when she turns thirty?"),
    ("When I ask about tests, use pytest", "write a unit check for the parser"),
    ("When I ask about plants, assume they stand in the shade", "why are the leaves of my fern turning brown?"),
    ("If I ask for translations, keep them formal", "how do you say good evening in Japanese?"),
    ("When I ask about dogs, mine is a terrier", "how often should I walk my puppy?"),
]
NOT_MET_UNSEEN = [
    ("When I ask about hotels, only list quiet ones", "how do I bake bread?"),
    ("If I ask about code, answer in Python", "my sister is coming for dinner"),
    ("When I ask about my taxes, remind me of the deadline", "which film won the prize last year?"),
    ("When we talk about the baby, be gentle", "the router keeps losing its connection"),
    ("For presentations, use no more than five slides", "what is a good name for a dog?"),
    ("When I ask about fish, tell me what it weighs", "how many people live in Madrid?"),
    ("When I plan a hike, mention the weather", "fix the typo in the header"),
    ("If I ask about medicine, name the side effects", "which train goes to the airport?"),
    ("Never schedule meetings before nine", "what is the recipe for pancakes?"),
    ("When I ask about films, no spoilers", "how do I change a tire?"),
    ("For birthday gifts, stay under 50 euros", "the server returns an error 500"),
    ("When I ask about tests, use pytest", "where did we park the car?"),
    ("When I ask about plants, assume they stand in the shade", "what did the landlord write?"),
    ("If I ask for translations, keep them formal", "turn down the heating in the bedroom"),
    ("When I ask about dogs, mine is a terrier", "what is the best way to clean a carpet?"),
    ("When I ask about hotels, only list quiet ones", "suggest a restaurant for tonight"),
    ("When I ask about fish, tell me what it weighs", "what vegetables are in season?"),
    ("When I ask about films, no spoilers", "which book should I take to the beach?"),
]

Applies = Callable[[tuple[str, str]], bool]


def _written() -> Iterator[tuple[int, str, str, bool]]:
    """The conditions of the file: their number, the rule, a message, and whether that meets the condition."""
    number, rule = -1, ""
    for line in Path(__file__).with_name("data").joinpath("conditions.txt").read_text("utf-8").splitlines():
        sign, text = line[0], line[2:]
        if sign == "#":
            number, rule = number + 1, text
        else:
            yield number, rule, text, sign == "+"


def _half(number: int, *, met: bool) -> list[tuple[str, str]]:
    return [(rule, text) for at, rule, text, meets in _written() if at % 2 == number and meets is met]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    """The real model, where it is on this machine."""
    repository = Path(__file__).parents[2]
    models = models_home(repository) if os.environ.get("CORTEX_MODELS") else repository / ".models"
    if EMBEDDER.name not in {each.model.name for each in ModelStore(models).status() if each.state is ModelState.READY}:
        pytest.skip("the local model is not here")
    return local.create({}, models)


@pytest.fixture(scope="module")
def applies(embedder: Embedder) -> Applies:
    clock = FakeClock()
    deadline = Deadline.after(clock, 60)

    def ask(text: str) -> Question:
        done: Future[Vector] = Future()
        done.set_result(embedder.embed_query(text))
        return Question(embedder.space, done, 60)

    def of(case: tuple[str, str]) -> bool:
        rule, turn = case
        planned = plan(Query(text=turn), RECIPE, clock.now())
        near = nearness(ask(turn), ask, deadline)
        return bool(applying([memory(text=rule)], {}, planned, near, RECIPE.pinned_rules.nearness))

    return of


def test_a_turn_about_something_near_the_condition_does_not_meet_it(applies):
    """X5: a restaurant is nearer to food than to recipes"""
    assert not applies(("When I ask about recipes, give grams", "suggest a restaurant for tonight"))
    assert applies(("When I ask about recipes, give grams", "how do I make a plum cake?"))


def test_no_rule_applies_where_its_condition_is_not_met(applies):
    """X5"""
    assert [case for case in NOT_MET if applies(case)] == []


def test_most_conditions_are_met_by_turns_that_share_no_word_with_them(applies):
    """X5: one of twelve is so near the line that a processor's own arithmetic for 8-bit numbers decides it"""
    assert sum(map(applies, MET)) >= 11


def test_conditions_hold_on_cases_that_chose_nothing(applies):
    """X5: a hotel is near enough to a restaurant to be taken for one"""
    assert sum(map(applies, MET_UNSEEN)) >= 12
    assert [turn for case in NOT_MET_UNSEEN if applies(case) for turn in case[1:]] in (
        [],
        ["suggest a restaurant for tonight"],
    )


@pytest.mark.parametrize(("half", "met", "wrong"), [(0, 49, 2), (1, 51, 2)])
def test_a_longer_topic_is_no_nearer_to_messages_about_something_else(applies, half, met, wrong):
    """X5: a topic of two words is nearer to every message; at most 3 % of 88 are taken for what they are not"""
    assert sum(map(applies, _half(half, met=True))) >= met
    assert len([case for case in _half(half, met=False) if applies(case)]) <= wrong


def test_only_words_in_common_meet_a_condition_without_vectors():
    planned = [(memory(text=rule), plan(Query(text=text), RECIPE, FakeClock().now()))
               for rule, text in _half(0, met=False) + _half(1, met=False)]  # fmt: skip
    assert not [rule.text for rule, turn in planned if applying([rule], {}, turn, lambda _: {}, 0.1)]


@pytest.mark.parametrize(
    ("rule", "turn"),
    [
        ("When you write for the choir newsletter, keep it under 100 words", "when are the swimming lessons?"),
        ("When I ask about error E4031, tell me to restart the gateway", "fix the failing test"),
        ("For camera settings, assume a 35 mm lens", "set an alarm for six"),
        ("If the question is about tax returns, cite the form number", "what is my phone number?"),
    ],
)
def test_neither_chance_nor_half_of_a_condition_meets_it(applies, rule, turn):
    """X5"""
    assert not applies((rule, turn))

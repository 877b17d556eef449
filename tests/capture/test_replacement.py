"""What a statement says took the place of what another says (X14)."""

from __future__ import annotations

import pytest

from cortex.capture.relations import compare, gives_another_value
from cortex.capture.replacement import MOST_CHARACTERS, Replaced, replaced, replacements
from sweeps import for_each


@for_each(
    ("old", "new"),
    [
        ("I booked a table at Hobson's for Mum's birthday.", "Hobson's cancelled, I've booked Quayside instead."),
        ("I ride a Honda CB500 to work.", "I traded the CB500 in for a Triumph Street Twin."),
        ("Our backend uses RabbitMQ for jobs.", "We replaced RabbitMQ with NATS in the backend."),
        ("We're renting the Maple Street flat.", "The Maple Street flat fell through, so it's the Dover Road one now."),
        ("We chose Vue for the dashboard.", "We ended up going with Svelte rather than Vue for the dashboard."),
        ("We picked Crete for our anniversary.", "We ended up choosing Madeira over Crete for the anniversary."),
        ("My grandmother was born in Kraków.", "Turns out my grandmother was born in Lviv, not Kraków."),
        ("The parents' evening starts at 6pm.", "Turns out the parents' evening starts at 5:30, not 6."),
        ("My friend Priya works at Acme.", "Priya's no longer at Acme, she's at Globex now."),
        ("My brother Tom lives in Leeds.", "Tom doesn't live in Leeds anymore, he's in Cardiff now."),
        ("I use Sketch every day for client work.", "I've moved from Sketch to Penpot now."),
    ],
)
def test_what_is_said_to_be_gone_is_replaced(old: str, new: str):
    """X14"""
    assert compare(old, new).is_update


@for_each(
    ("old", "new"),
    [
        ("I met DJ Marlow at a festival in 2015.", "DJ Marlow pulled out so we've hired a string trio instead."),
        ("Hobson's is right next to the station.", "Hobson's cancelled, I've booked Quayside instead."),
        ("I love how the sync works in Notion.", "We swapped Notion for Confluence at work."),
        ("I subscribed to Netflix.", "Netflix cancelled my favorite show, so I'm reading more now."),
        ("My friend Dana works at Acme as well.", "Priya's no longer at Acme, she's at Globex now."),
        ("I drive a Golf to work.", "My brother swapped his Golf for a Tesla."),
        ("My manager is Denise.", "Denise isn't vegetarian anymore, she eats fish now."),
        ("My visa interview is on May 12.", "Turns out my driving test is on the 14th, not the 12th."),
        ("I use oat milk in my coffee.", "In the pancake recipe I swapped the milk for yogurt."),
        ("I used to live in Leeds.", "I moved from Leeds to York last week."),
    ],
)
def test_another_owner_or_something_else_about_it_is_left_alone(old: str, new: str):
    """X14"""
    assert not compare(old, new).is_update


def test_what_is_little_sure_is_flagged():
    found = compare("I take sertraline for my anxiety.", "My doctor switched me from sertraline to escitalopram.")
    assert found.is_contradiction
    assert not found.is_update


def test_long_texts_are_not_read():
    text = "Hobson's cancelled, I've booked Quayside instead. " + "x" * MOST_CHARACTERS
    assert replacements(text) == ()
    assert replaced(text, "Hobson's cancelled, I've booked Quayside instead.") is Replaced.NO


@pytest.mark.parametrize(
    ("old", "new", "is_another"),
    [
        ("My flight lands in Boston at 4:15pm.", "My flight lands at 5:40pm.", True),
        ("My sister's kid is called Milo.", "My sister's kid is called Nilo.", True),
        ("My flight lands in Boston at 4:15pm.", "My train leaves at 5:40pm.", False),
        ("My flight lands at 5:40pm.", "My flight lands at 5:40pm.", False),
    ],
)
def test_a_correction_gives_another_value_of_the_same_thing(old: str, new: str, is_another: bool):
    assert gives_another_value(old, new) is is_another


@for_each(
    ("old", "new", "is_denied"),
    [
        ("I don't own a car.", "My car needs new brakes.", True),
        ("I don't own a car.", "My sister's car needs new brakes.", False),
        ("We've never had a dog.", "Our old dog Bruno chewed everything.", True),
        ("I have no siblings.", "My brother is visiting this weekend.", True),
        ("I don't have any allergies.", "I'm allergic to penicillin.", True),
        ("I don't have any allergies.", "My daughter is allergic to penicillin.", False),
        ("I've never used Docker for anything.", "I've been running all my services in Docker since 2021.", True),
        ("I've never used Docker for anything.", "I've been reading about Docker.", False),
        ("I've never flown in my life.", "The last time I flew to Denver my ears hurt.", True),
        ("This is my first time hosting a dinner party.", "I've hosted dinner parties for years.", True),
        ("This is my first time hosting a dinner party.", "I hosted a dinner party on Sunday.", False),
    ],
)
def test_what_somebody_has_is_held_against_that_they_have_none(old: str, new: str, is_denied: bool):
    """X14"""
    assert compare(old, new).is_contradiction is is_denied

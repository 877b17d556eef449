"""Two short statements made on purpose that are the same but for one value (X14)."""

from __future__ import annotations

import pytest

from cortex.capture.value_exchange import exchanges_one_value

CANNOT_BOTH_BE = [
    ("The deploy key rotates on Mondays", "The deploy key rotates on Tuesdays"),
    ("Our backup runs at 02:00", "Our backup runs at 03:00"),
    ("Tom owns the checklist", "Ana owns the checklist"),
    ("The database is MySQL 8", "The database is PostgreSQL 16"),
    ("The database is MySQL 8.", "The database is MySQL 9."),
    ("The standup is at 09:30", "The standup is at 10:00"),
    ("The retro is on Thursday", "The retro is on Friday"),
    ("The market opens on Saturdays at 8:00", "The market opens on Sundays at 8:00"),
    ("Our release train stops at 5pm", "Our release train stops at 6pm"),
    ("Ana leads the platform team", "Bela leads the platform team"),
    ("Tom Reed is responsible for the audit", "Ana Kovacs is responsible for the audit"),
    ("The data team owns the dashboard", "The web team owns the dashboard"),
    ("Tom is the owner of the budget", "Ana is the owner of the budget"),
    ("The staging cluster is in Frankfurt", "The staging cluster is in Dublin"),
    ("The project is called Heron", "The project is called Egret"),
    ("The service listens on port 8080", "The service listens on port 9090"),
    ("The request timeout is 30 seconds", "The request timeout is 60 seconds"),
    ("The upload limit is 20MB", "The upload limit is 50MB"),
    ("Tom lives in Lisbon", "Tom lives in Porto"),
]

CAN_BOTH_BE = [
    ("The kitchen is painted blue", "The bathroom is painted green"),
    ("Tom likes tea", "Ana likes tea"),
    ("Tom lives in Lisbon", "Ana lives in Lisbon"),
    ("Tom uses the staging cluster", "Ana uses the staging cluster"),
    ("Tom knows the password", "Ana knows the password"),
    ("Tom owns a car", "Ana owns a car"),
    ("Tom owns the checklist", "Tom owns the budget"),
    ("Tom leads the Berlin team", "Tom leads the Paris team"),
    ("The EU server is in Frankfurt", "The US server is in Frankfurt"),
    ("spoke-api 3.9.1 went out on Monday", "spoke-api 4.2.1 went out on Friday"),
    ("The release went out on Monday", "The release went out on Friday"),
    ("The release 3.9.1 is out", "The release 4.2.1 is out"),
    ("Chapter 4 is done", "Chapter 7 is done"),
    ("The launch is on May 3", "The launch is on May 9"),
    ("The dentist appointment is on Monday", "The dentist appointment is on Friday"),
    ("The bus leaves at 08:00", "The bus leaves at 09:00"),
    ("Tom works on Mondays", "Tom works on Tuesdays"),
    ("The keys rotate on Mondays", "The keys rotate on Tuesdays"),
    ("The backup on Mondays takes an hour", "The backup on Tuesdays takes an hour"),
    ("We use Redis", "We use Postgres"),
    ("The service uses Redis", "The service uses Kafka"),
    ("The colors are red and blue", "The colors are red and green"),
    ("Tom is German", "Tom is Catholic"),
    ("My sister is Ana", "My sister is Eva"),
    ("The database is Postgres", "The database is PostgreSQL 16"),
    ("The office is in Berlin", "The office is in Berlin Mitte"),
    ("The key is not in Dublin", "The key is not in Lisbon"),
    ("The first meeting is on Monday", "The second meeting is on Tuesday"),
    ("Room 12 has a projector", "Room 14 has a projector"),
    ("The error is in Python", "The error occurs in Rust"),
    ("Tom ran 5 km", "Tom ran 8 km"),
    ("If it rains the picnic is on Monday", "If it rains the picnic is on Tuesday"),
]


@pytest.mark.parametrize(("one", "other"), CANNOT_BOTH_BE)
def test_one_thing_has_one_value(one: str, other: str) -> None:
    assert exchanges_one_value(one, other)
    assert exchanges_one_value(other, one)


@pytest.mark.parametrize(("one", "other"), CAN_BOTH_BE)
def test_what_may_have_several_or_is_of_two_things_is_left_alone(one: str, other: str) -> None:
    assert not exchanges_one_value(one, other)
    assert not exchanges_one_value(other, one)

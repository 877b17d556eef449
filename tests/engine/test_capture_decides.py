"""What becomes of a second statement about the same, from the turn to the stored memories (X13, X14)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from cortex.domain.lanes import ANY_STATE
from cortex.domain.memory import Memory
from cortex.memory import Cortex
from cortex.ports.store import Filter
from cortex.testing import FakeClock

STAYS, FLAGGED, REPLACED = "both stay", "flagged", "replaced"


def decided(engine: Cortex, clock: FakeClock, earlier: str, later: str) -> str:
    """What capture makes of two statements, said a month apart."""
    for session, text in enumerate((earlier, later)):
        engine.capture([{"role": "user", "content": text}], session=str(session))
        clock.advance(timedelta(days=30))
    memories = [each for each in engine.list(Filter(states=ANY_STATE), limit=50) if isinstance(each, Memory)]
    if any(each.superseded_by for each in memories):
        return REPLACED
    return FLAGGED if any(each.contradicts for each in memories) else STAYS


@pytest.mark.parametrize(
    ("earlier", "later", "verdict"),
    [
        ("Test coverage of the parser is at 61%.", "Test coverage of the parser has reached 74%.", REPLACED),
        ("I own 60% of the studio.", "I own 45% of the studio.", FLAGGED),
        ("My rent is $1,350 a month.", "My rent is $1,480 a month.", FLAGGED),
        ("I have never fired a kiln.", "I fired the kiln twice in May.", FLAGGED),
        ("I put $300 into my car fund.", "I now put $450 into my emergency fund.", STAYS),
        ("My goal is to save $5,000.", "I have saved $2,900 by now.", STAYS),
        ("I sold 12 bowls on June 3.", "I sold 20 bowls on June 10.", STAYS),
        ("I sold 12 bowls at the spring market.", "I sold 20 bowls at the fall market.", STAYS),
        ("I'm nervous about submitting a vase.", "I've never submitted a vase.", STAYS),
        ("My sales rose 15% in spring.", "My sales rose 20% in fall.", STAYS),
        ("I sold 12 bowls in July.", "I've sold 50 bowls in 2024.", STAYS),
        ("I fire the kiln twice a week.", "I've fired the kiln 14 times.", STAYS),
        ("My sister's name is Ana.", "My sister's name is Mia.", STAYS),
        ("My boss is called Frank.", "My boss is called Petra.", REPLACED),
    ],
)
def test_the_examples_of_the_documentation_are_decided_as_it_says(
    engine: Cortex, clock: FakeClock, earlier: str, later: str, verdict: str
):
    """X14: the tables of `docs/capture.md`"""
    assert decided(engine, clock, earlier, later) == verdict


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I'm allergic to peanuts.", "Actually I'm not allergic to peanuts."),
        ("I'm allergic to peanuts, so no satay.", "Actually I'm not allergic to peanuts, the test was negative."),
        ("I have never been to Rome.", "I have been to Rome twice since 2019."),
        ("I have a driver's license.", "I don't have a driver's license."),
        ("Ich habe eine Laktoseintoleranz.", "Ich habe keine Laktoseintoleranz."),
        ("Ich war noch nie in Japan.", "Ich war schon zweimal in Japan."),
        ("Nunca he estado en Japón.", "He estado en Japón dos veces."),
        ("Je ne suis jamais allée au Japon.", "Je suis allée au Japon deux fois."),
        ("Non sono mai stato in Giappone.", "Sono stato in Giappone due volte."),
        ("Sou alérgico a amendoim.", "Não sou alérgico a amendoim."),
        ("Я никогда не был в Японии.", "Я был в Японии два раза."),
        ("我对花生过敏。", "我对花生不过敏。"),
        ("我从来没去过日本。", "我去过日本两次。"),
        ("ピーナッツアレルギーがあります。", "ピーナッツアレルギーはありません。"),
        ("저는 땅콩 알레르기가 있어요.", "저는 땅콩 알레르기가 없어요."),
    ],
)
def test_a_plain_denial_is_flagged(engine: Cortex, clock: FakeClock, earlier: str, later: str):
    """X14"""
    assert decided(engine, clock, earlier, later) == FLAGGED


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I'm allergic to peanuts.", "I'm not allergic to almonds."),
        ("I'm allergic to peanuts.", "My son isn't allergic to peanuts."),
        ("I've never been to Japan.", "I want to go to Japan next spring."),
        ("I've never been to Japan.", "My cousin has been to Japan twice."),
        ("My rent is $1,350 a month.", "My brother's rent is $900 a month."),
        ("My rent is $1,350 a month.", "I want my rent to be $1,100 a month."),
        ("My electricity bill was $92 in March.", "My electricity bill was $118 in April."),
        ("My sister Ana lives in Lisbon.", "My sister Mia lives in Oslo."),
        ("Ana is my sister.", "Mia is my sister."),
        ("Ich war noch nie in Japan.", "Mein Bruder war schon zweimal in Japan."),
        ("Ich wohne in Graz.", "Meine Schwester ist umgezogen. Sie wohnt in Linz."),
        ("Meine Schwester heißt Lena.", "Meine Schwester heißt Julia."),
        ("Mi hermana se llama Lucía.", "Mi hermana se llama Carmen."),
        ("Ma sœur s'appelle Claire.", "Ma sœur s'appelle Julie."),
        ("Mia sorella si chiama Anna.", "Mia sorella si chiama Giulia."),
        ("Minha irmã se chama Ana.", "Minha irmã se chama Clara."),
        ("Мою сестру зовут Аня.", "Мою сестру зовут Маша."),
        ("我妹妹叫小红。", "我妹妹叫小兰。"),
        ("妹の名前はゆきです。", "妹の名前ははなです。"),
        ("제 여동생 이름은 수진이에요.", "제 여동생 이름은 민지예요."),
    ],
)
def test_another_thing_or_person_is_left_alone(engine: Cortex, clock: FakeClock, earlier: str, later: str):
    """X14: a wrong replacement costs more than a missed one"""
    assert decided(engine, clock, earlier, later) == STAYS


def test_a_denial_of_nothing_known_is_not_remembered(engine: Cortex):
    engine.capture([{"role": "user", "content": "I'm not allergic to walnuts."}], session="one")
    assert not [each for each in engine.list(Filter(), limit=50) if isinstance(each, Memory)]

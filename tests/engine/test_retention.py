"""What ends with its time, and what stays: passing states, limited instructions, events, lasting statements (X6)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from cortex.domain.lanes import ANY_STATE, Lane, State
from cortex.domain.memory import Kind, Memory, Retention
from cortex.domain.turn import Turn
from cortex.memory import Cortex
from cortex.ports.store import Filter
from cortex.testing import FakeClock

WEDNESDAY = datetime(2026, 11, 11, 10, tzinfo=UTC)


def said(engine: Cortex, text: str) -> list[Memory]:
    engine.capture([{"role": "user", "content": text, "ts": WEDNESDAY.isoformat()}], session="one")
    return [each for each in engine.list(Filter(states=ANY_STATE), limit=50) if isinstance(each, Memory)]


def turn_of(engine: Cortex) -> Turn:
    everything = engine.list(Filter(lanes=frozenset({Lane.SESSIONS}), states=ANY_STATE), limit=50)
    (turn,) = [each for each in everything if isinstance(each, Turn)]
    return turn


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(WEDNESDAY)


@pytest.mark.parametrize(
    "text",
    [
        "大阪に住んでいます。",
        "I bought a new bike today.",
        "I signed the lease for my studio today.",
        "I paid off my student loan this week.",
        "This month I started therapy with Dr. Weiss.",
        "Tomorrow I'm seeing the doctor, and in two weeks I fly to Lisbon.",
        "As of today we use Postgres 16.",
        "Right now I live in Utrecht.",
        "Heute habe ich ein neues Fahrrad gekauft.",
        "Oggi ho comprato una bicicletta nuova.",
        "Сегодня я купила новый велосипед.",
        "今日新しい自転車を買いました。",
        "오늘 새 자전거를 샀어요.",
        "Сейчас я живу в Казани.",
    ],
)
def test_what_took_place_or_lasts_does_not_expire(engine: Cortex, text: str):
    """X6: whatever day it is told on"""
    memories = said(engine, text)
    assert all(each.retention is Retention.PERMANENT for each in memories)
    assert turn_of(engine).expires_at is None


@pytest.mark.parametrize(
    "text",
    [
        "J'ai perdu mon emploi ce mois-ci.",
        "На этой неделе умер мой дедушка.",
        "这周我父亲去世了",
        "今月失業しました",
        "先月父が亡くなりました",
        "Diesen Monat habe ich meinen Job verloren",
        "Mi abuelo murió esta semana.",
        "Questa settimana è morto mio nonno.",
        "Este mês perdi meu emprego.",
        "이번 주에 할아버지가 돌아가셨어요.",
    ],
)
def test_an_event_of_a_life_is_remembered_for_good(engine: Cortex, text: str):
    """X6, L5"""
    (memory,) = said(engine, text)
    assert (memory.retention, turn_of(engine).expires_at) == (Retention.PERMANENT, None)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("For today, please answer in French.", 1),
        ("Just for today keep the answers under 50 words", 1),
        ("Only today: no emojis.", 1),
        ("Answer in French today.", 1),
        ("For this week, use the staging server only.", 7),
        ("Diese Woche antworte bitte auf Englisch", 7),
        ("Por hoy, responde en francés.", 1),
        ("Juste pour aujourd'hui, réponds en anglais.", 1),
        ("Solo per oggi rispondi in francese.", 1),
        ("Só por hoje, responda em francês.", 1),
        ("Только сегодня отвечай по-французски.", 1),
        ("今日だけ英語で答えてください", 1),
        ("今天请用英文回答", 1),
        ("這週請用英文回答。", 7),
        ("오늘만 영어로 대답해 주세요.", 1),
    ],
)
def test_an_instruction_for_a_time_is_a_rule_that_ends_with_it(engine: Cortex, text: str, days: int):
    """X6"""
    (memory,) = said(engine, text)
    assert (memory.kind, memory.text) == (Kind.RULE, text)
    assert (memory.retention, memory.ttl) == (Retention.TTL, timedelta(days=days))
    assert turn_of(engine).expires_at == memory.expires_at


@pytest.mark.parametrize(
    "text",
    [
        "Until Friday, don't schedule any meetings for me.",
        "Please use metric units until Friday.",
        "Bis Freitag bitte keine Termine für mich vereinbaren.",
        "Hasta el viernes no me agendes reuniones.",
        "Jusqu'à vendredi, réponds-moi en anglais.",
        "Fino a venerdì rispondi in inglese.",
        "Até sexta-feira, responda em inglês.",
        "До пятницы отвечай на английском.",
        "金曜日まで英語で答えてください。",
        "周五之前请用英文回答。",
        "금요일까지 영어로 대답해 주세요.",
    ],
)
def test_a_rule_until_a_day_keeps_its_words_and_ends_when_the_day_is_over_everywhere(engine: Cortex, text: str):
    """X6"""
    (memory,) = said(engine, text)
    assert (memory.kind, memory.text) == (Kind.RULE, text)
    assert memory.expires_at == datetime(2026, 11, 14, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("Until June 1, only book economy flights.", datetime(2027, 6, 2, 12, tzinfo=UTC)),
        ("Until the end of the month, only book economy flights.", datetime(2026, 12, 1, 12, tzinfo=UTC)),
        ("For the next two weeks, always answer in French.", datetime(2026, 11, 26, 12, tzinfo=UTC)),
        ("Bis zum 1. Juni antworte bitte auf Englisch.", datetime(2027, 6, 2, 12, tzinfo=UTC)),
        ("6月1日まで英語で答えてください。", datetime(2027, 6, 2, 12, tzinfo=UTC)),
    ],
)
def test_the_day_that_a_rule_names_is_resolved(engine: Cortex, text: str, ends: datetime):
    """X6"""
    (memory,) = said(engine, text)
    assert (memory.kind, memory.expires_at) == (Kind.RULE, ends)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("During the Atlas project, always answer in English.", "Atlas"),
        ("For the Atlas project, never touch the main branch.", "Atlas"),
        ("In the Larkspur repo, run the linter before every commit.", "Larkspur"),
        ("For this project, always use tabs.", ""),
        ("Im Atlas-Projekt antworte immer auf Englisch.", "Atlas"),
        ("Para el proyecto Atlas, responde siempre en inglés.", "Atlas"),
        ("Pour le projet Atlas, réponds toujours en anglais.", "Atlas"),
        ("Per il progetto Atlas rispondi sempre in inglese.", "Atlas"),
        ("No projeto Atlas, responda sempre em inglês.", "Atlas"),
        ("В проекте Atlas всегда отвечай на английском.", "Atlas"),
        ("Atlasプロジェクトでは、いつも英語で答えてください。", "Atlas"),
        ("在Atlas项目里，以后都用英文回答。", "Atlas"),
        ("Atlas 프로젝트에서는 항상 영어로 대답해 주세요.", "Atlas"),
    ],
)
def test_a_rule_for_a_project_keeps_it_as_its_condition(engine: Cortex, text: str, topic: str):
    """X6"""
    (memory,) = said(engine, text)
    kept = Retention.PROJECT if topic else Retention.PERMANENT
    assert (memory.kind, memory.text, memory.topic, memory.retention) == (Kind.RULE, text, topic, kept)


def test_a_rule_for_a_project_is_shown_where_the_project_is_spoken_of(engine: Cortex):
    (memory,) = said(engine, "During the Atlas project, always answer in English.")
    shown = engine.recall("What is left to do for Atlas?").block
    assert memory.text in shown
    assert memory.text not in engine.recall("How long do lentils have to cook?").block


@pytest.mark.parametrize(
    "text", ["Never book flights before 9 am.", "While I'm in Lisbon, always answer in Portuguese."]
)
def test_an_order_is_a_rule_with_all_its_words(engine: Cortex, text: str):
    (memory,) = said(engine, text)
    assert (memory.kind, memory.text, memory.retention) == (Kind.RULE, text, Retention.PERMANENT)


@pytest.mark.parametrize(
    "text",
    [
        "Today, book a table for two.",
        "Remind me to call Ana tomorrow.",
        "In the Atlas project, rename the main function.",
        "Bis Freitag habe ich Urlaub.",
        "До пятницы я в отпуске.",
        "周五之前我在上海出差。",
        "Hasta el viernes trabajo desde casa.",
    ],
)
def test_a_task_and_a_state_are_no_rules(engine: Cortex, text: str):
    assert all(each.kind is not Kind.RULE for each in said(engine, text))


@pytest.mark.parametrize(
    "text",
    [
        "This week I'm working from Lisbon.",
        "Diese Woche arbeite ich von Lissabon aus.",
        "Esta semana trabajo desde Lisboa.",
        "Cette semaine je travaille depuis Lisbonne.",
        "Questa settimana lavoro da Lisbona.",
        "Esta semana trabalho de Lisboa.",
        "На этой неделе я работаю из Лиссабона.",
        "今週はリスボンで働いています。",
        "这周我在里斯本工作。",
        "이번 주에는 리스본에서 일해요.",
    ],
)
def test_a_passing_state_ends_as_turn_whether_it_became_a_memory_or_not(engine: Cortex, clock: FakeClock, text: str):
    """X6, X16: the turn stays evidence, marked, and leaves recall"""
    said(engine, text)
    clock.advance(timedelta(days=8))
    question = text.rstrip(".。")
    assert text not in engine.recall(question).block
    engine.consolidate()
    assert turn_of(engine).state is State.EXPIRED
    assert engine.consolidate().outcome.planned == 0


@pytest.mark.parametrize(
    "text",
    [
        "This week I'm working from Lisbon. My name is Ana and I live in Utrecht.",
        "This week I'm working from Lisbon. Please draft the outline of the Larkspur report with me.",
        "For today, answer in French. I'm allergic to peanuts.",
        "Diese Woche arbeite ich aus Lissabon. Ich heiße Ana.",
        "今週はリスボンで働いています。名前はアナです。",
    ],
)
def test_a_turn_that_also_says_what_stays_lives_on(engine: Cortex, text: str):
    """X6"""
    said(engine, text)
    assert turn_of(engine).expires_at is None


def test_what_the_user_asks_to_be_remembered_does_not_end(engine: Cortex):
    """X6"""
    (memory,) = said(engine, "Please remember that I'm working from Lisbon this week.")
    assert (memory.retention, turn_of(engine).expires_at) == (Retention.PERMANENT, None)


def test_what_people_tell_each_other_is_a_record_and_does_not_end(engine: Cortex):
    messages = [
        {"role": "user", "name": "Ana", "content": "This week I'm working from Lisbon."},
        {"role": "user", "name": "Ben", "content": "Nice, this week I'm at home."},
        {"role": "user", "name": "Ana", "content": "Then let us talk soon."},
    ]
    engine.ingest(messages, session="one")
    everything = engine.list(Filter(lanes=frozenset({Lane.SESSIONS})), limit=50)
    assert [each.expires_at for each in everything if isinstance(each, Turn)] == [None] * 3


def test_an_expired_turn_can_be_brought_back_for_good(engine: Cortex, clock: FakeClock):
    said(engine, "This week I'm working from Lisbon.")
    clock.advance(timedelta(days=8))
    engine.consolidate()
    engine.restore(turn_of(engine).id)
    engine.consolidate()
    assert (turn_of(engine).state, turn_of(engine).expires_at) == (State.ACTIVE, None)


def test_a_turn_that_was_edited_ends_by_its_new_words(engine: Cortex):
    first = {"role": "user", "content": "Hello, I am planning my spring.", "ts": WEDNESDAY.isoformat()}
    passing = {"role": "user", "content": "This week I'm working from Lisbon.", "ts": WEDNESDAY.isoformat()}
    engine.ingest([first, passing, first], session="one")
    lasting = passing | {"content": "I'm working from Lisbon."}
    engine.ingest([first, lasting, first], session="one")
    everything = engine.list(Filter(lanes=frozenset({Lane.SESSIONS}), states=ANY_STATE), limit=50)
    assert [each.expires_at for each in everything if isinstance(each, Turn) and "Lisbon" in each.text] == [None]

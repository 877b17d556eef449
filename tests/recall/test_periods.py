"""Which questions name a time and no topic, and which time that is (X8)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies

from cortex.recall.periods import Period, requested

NOW = datetime(2026, 11, 19, 7, 5, tzinfo=UTC)  # a Thursday


def between(since: str, until: str) -> Period:
    return Period(datetime.fromisoformat(f"{since}T00:00Z"), datetime.fromisoformat(f"{until}T00:00Z"))


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("what did we talk about yesterday?", between("2026-11-18", "2026-11-19")),
        ("What did I do the day before yesterday?", between("2026-11-17", "2026-11-18")),
        ("recap of today", between("2026-11-19", "2026-11-20")),
        ("What did we discuss last week?", between("2026-11-09", "2026-11-16")),
        ("what's new since last week?", between("2026-11-12", "2026-11-20")),
        ("what did we decide last month", between("2026-10-01", "2026-11-01")),
        ("what did we talk about on Monday?", between("2026-11-16", "2026-11-17")),
        ("what did I say last Thursday?", between("2026-11-12", "2026-11-13")),
        ("what did I tell you on October 28?", between("2026-10-28", "2026-10-29")),
        ("What did I do on the 6th of December?", between("2025-12-06", "2025-12-07")),
        ("what did I say on 2026-10-28?", between("2026-10-28", "2026-10-29")),
        ("What did I do on 3 March 2024?", between("2024-03-03", "2024-03-04")),
        ("what was I working on in September?", between("2026-09-01", "2026-10-01")),
        ("what happened in December", between("2025-12-01", "2026-01-01")),
        ("what did we do 3 days ago", between("2026-11-16", "2026-11-17")),
        ("what happened two weeks ago?", between("2026-11-02", "2026-11-09")),
        ("summarize our last conversation", Period()),
        ("remind me what we decided last time", Period()),
        ("Let's continue where we left off", Period()),
        ("worüber haben wir gestern gesprochen?", between("2026-11-18", "2026-11-19")),
        ("was habe ich letzten Montag gesagt?", between("2026-11-16", "2026-11-17")),
        ("mach weiter, wo wir stehen geblieben sind", Period()),
    ],
)
def test_a_question_about_a_time_alone_names_that_time(text: str, period: Period) -> None:
    assert requested(text, NOW) == period


@pytest.mark.parametrize(
    "text",
    [
        "what did we decide about the cache last week?",
        "What did Caroline do last week?",
        "what did I buy yesterday?",
        "When did I last see the dentist?",
        "what did I say on 31 February?",
        "I talked to Ann yesterday",
        "what is the plan?",
        "",
        "what did we talk about yesterday? " + "x" * 300,
    ],
)
def test_a_question_that_names_a_topic_is_about_that(text: str) -> None:
    assert requested(text, NOW) is None


@given(strategies.text(max_size=80), strategies.datetimes(timezones=strategies.just(UTC)))
def test_no_text_and_no_day_breaks_it(text: str, now: datetime) -> None:
    for asked in (text, f"what did we say on {text}", f"what happened in may {text}"):
        period = requested(asked, now)
        assert period is None or period.since is None or period.since < (period.until or now)

"""The golden set of an operator's own history, and canaries that are judged by it (E20)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from laboratory import opened

from bench.history import HistoryWriter, remember, talk
from cortex.canary_arms import LEAST_TURNS, LOOK_SECONDS, LiveCheck
from cortex.domain.canary import Arm, Canary, CanaryState
from cortex.domain.golden import document_of
from cortex.errors import Conflict, EmbedderUnavailable, InvalidRequest, NotFound
from cortex.memory import Cortex
from cortex.ports.documents import CANARY
from cortex.recall.comparison import REQUIRED, ArmAnswer, compare, lacking
from cortex.runtime.deadline import Deadline
from cortex.services.canary import CanaryService
from cortex.services.turn_hooks import TurnHooks
from cortex.testing import FakeClock, FakeEmbedder

PATIENT = {"hooks": {"deadline_ms": 60_000}}
EQUAL = {"recall.recipe": "governed.v1"}
WORSE = {"recall.recipe": "lancedb.v1"}
ANSWERED, SILENT = 48, 16


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cortex]:
    """A memory with a history of its own, and its golden set."""
    clock = FakeClock()
    engine = opened(tmp_path_factory.mktemp("home"), "sqlite", clock=clock, embedder=FakeEmbedder(256), **PATIENT)
    asked = HistoryWriter(1).asked(ANSWERED, SILENT)
    remember(engine, asked)
    clock.advance(timedelta(days=1))
    talk(engine, asked)
    engine.build_golden()
    yield engine
    engine.close()


@pytest.fixture
def calm(lived: Cortex) -> Iterator[Cortex]:
    """The same; whatever a test started there is stopped."""
    yield lived
    found = lived.canary().canary
    if found is not None and found.state is CanaryState.RUNNING:
        lived.stop_canary()


@contextmanager
def second_process(engine: Cortex) -> Iterator[Cortex]:
    home, clock = engine.context.dependencies.home, engine.context.clock
    with Cortex(home, clock=clock, embedder=FakeEmbedder(256), settings=PATIENT) as other:
        yield other


def begin(engine: Cortex, settings: dict[str, Any], *, share: float = 0.5, seconds: float = 86_400) -> None:
    """Begin a canary as a process does whose comparison is over."""
    now = engine.context.clock.now()
    canary = Canary(
        id=engine.context.ids(now), settings=settings, share=share, started_at=now,
        ends_at=now + timedelta(seconds=seconds), agent=engine.tenant.agent, user=engine.tenant.user,
    )  # fmt: skip
    engine.context.dependencies.documents.change((CANARY,), lambda bodies: bodies.update({CANARY: canary.to_body()}))
    engine.context.dependencies.arms.look(now=True)


def sessions_in(engine: Cortex, arm: Arm, number: int) -> list[str]:
    canary = engine.canary().canary
    assert canary is not None
    names = (f"session {at}" for at in range(10_000))
    found = [name for name in names if canary.arm(engine.tenant, name) is arm]
    return found[:number]


def turn(engine: Cortex, session: str) -> dict[str, Any]:
    """The receipt of a turn."""
    injection = TurnHooks(engine).before("What is the color of the gateway?", session=session)
    engine.flush()
    assert injection.receipt_id
    return engine.receipt(injection.receipt_id).to_json()


# --- the golden set ---------------------------------------------------------------------------------------------------


def test_the_golden_set_is_made_of_echoed_answers_and_one_in_five_right_silences(lived: Cortex) -> None:
    """E20"""
    found = lived.golden()
    assert found.questions >= 60
    assert found.silent * 5 == found.questions
    assert found.answered == found.questions - found.silent


def test_the_golden_set_holds_no_text(lived: Cortex) -> None:
    """E20: what is erased is erased there as well"""
    body = lived.context.dependencies.documents.read(document_of(lived.tenant))
    assert body is not None
    questions = json.loads(body.body)["questions"]
    assert {key for each in questions for key in each} == {"receipt", "expected", "evidence", "asked_at"}


def test_too_short_a_history_is_refused_with_what_is_missing(open_engine: Callable[..., Cortex]) -> None:
    """E20"""
    with pytest.raises(InvalidRequest, match=r"0 of 48 questions with an answer and 0 of 12 .*silent") as refused:
        open_engine().build_golden()
    assert "golden approve" in refused.value.hint


def test_a_canary_on_an_empty_store_is_a_clear_error(open_engine: Callable[..., Cortex]) -> None:
    """E20"""
    with pytest.raises(InvalidRequest, match="0 questions that can be asked; 60 are needed"):
        open_engine().start_canary(EQUAL)


@pytest.fixture
def exchange(open_engine: Callable[..., Cortex], clock: FakeClock) -> Callable[..., list[str]]:
    """Has one conversation about a known fact, and returns what a golden set would expect of it."""

    def have(reply: str, *later: str, ended: bool = False) -> list[str]:
        engine = open_engine(**PATIENT)
        engine.remember("The deploy key rotates on Mondays")
        asked = "when does the deploy key rotate?"
        TurnHooks(engine).before(asked, session="talk")
        said = [{"role": "user", "content": asked}, {"role": "assistant", "content": reply}]
        said += [{"role": "user", "content": text} for text in later]
        engine.ingest(said, session="talk")
        if ended:
            clock.advance(timedelta(days=2))
        with pytest.raises(InvalidRequest) as refused:
            engine.build_golden()
        return [refused.value.message]

    return have


CALM = ("Thanks.", "What else is planned?", "Fine, go on with it.")


@pytest.mark.parametrize(
    ("reply", "later", "ended", "number"),
    [
        ("It rotates on Mondays.", CALM, False, 1),
        ("It rotates on Mondays.", CALM[:1], False, 0),
        ("It rotates on Mondays.", CALM[:1], True, 1),
        ("I do not know.", CALM, False, 0),
        ("It rotates on Mondays.", (*CALM[:2], "No, that's wrong: it is Tuesday."), False, 0),
    ],
    ids=["echoed", "too_early", "over", "not_echoed", "corrected"],
)
def test_a_question_counts_if_the_reply_used_its_answer_and_nobody_corrected_it(
    exchange: Callable[..., list[str]], reply: str, later: tuple[str, ...], ended: bool, number: int
) -> None:
    """E20"""
    assert f"{number} of 48 questions with an answer" in exchange(reply, *later, ended=ended)[0]


def test_a_recall_can_be_approved_by_hand(open_engine: Callable[..., Cortex]) -> None:
    """E20"""
    engine = open_engine()
    engine.remember("The deploy key rotates on Mondays")
    receipt = engine.recall("when does the deploy key rotate?").receipt
    assert engine.mark_golden(receipt.id).expected == (receipt.facts["returned"][0]["id"],)
    with pytest.raises(InvalidRequest, match="1 of 48 questions with an answer"):
        engine.build_golden()
    assert engine.mark_golden(receipt.id, silent=True).expected == ()
    with pytest.raises(InvalidRequest, match=r"0 of 48 .* 1 of 12"):
        engine.build_golden()
    assert not engine.mark_golden(receipt.id, reject=True).is_question
    with pytest.raises(InvalidRequest, match=r"0 of 48 .* 0 of 12"):
        engine.build_golden()


def test_only_what_is_there_can_be_approved(open_engine: Callable[..., Cortex]) -> None:
    """E20"""
    engine = open_engine()
    found = engine.recall("when does the deploy key rotate?").receipt
    with pytest.raises(InvalidRequest, match="found nothing"):
        engine.mark_golden(found.id)
    with pytest.raises(NotFound, match="there is no memory"):
        engine.mark_golden(found.id, expected=["0198c1a2-7b3c-7def-8a01-23456789abcd"])
    with pytest.raises(InvalidRequest, match="expected: 'abc' is not an ID"):
        engine.mark_golden(found.id, expected=["abc"])
    with pytest.raises(NotFound, match="no recall receipt"):
        engine.mark_golden("nothing")
    with pytest.raises(InvalidRequest, match="excludes the others"):
        engine.mark_golden(found.id, silent=True, reject=True)


# --- the comparison ---------------------------------------------------------------------------------------------------


def outcomes(hits: int, of: int = 100, **how: Any) -> list[ArmAnswer]:
    fine: dict[str, Any] = {"strays": 0, "milliseconds": 10.0, "lacking": ()}
    return [ArmAnswer(at < hits, **(fine | how)) for at in range(of)]


@pytest.mark.parametrize(
    ("candidate", "reason"),
    [
        (outcomes(84), "hit@5 falls by 0.060"),
        (outcomes(85), "hit@5 falls: its difference"),
        (outcomes(90, strays=1), "wrong scope"),
        (outcomes(90, milliseconds=12.6), "p95 is 12.6 ms"),
        (outcomes(90, lacking=("ftsTop",)), "receipts lack ftsTop"),
    ],
    ids=["lost", "interval", "scope", "slow", "receipts"],
)
def test_each_breach_is_a_reason_to_refuse(candidate: list[ArmAnswer], reason: str) -> None:
    """E20"""
    assert any(reason in each for each in compare(outcomes(90), candidate).reasons)


def test_what_is_within_every_bound_is_not_refused() -> None:
    """E20"""
    assert not compare(outcomes(90), outcomes(90, milliseconds=12.5)).refused
    # One lost of a hundred may be chance.
    assert not compare(outcomes(90), outcomes(89)).refused


def test_a_receipt_must_have_the_fields_that_explain_an_answer() -> None:
    """E12, E20"""
    whole = {"policyTier": "must", "ftsTop": [], "vecTop": [], "fusedTop": [], "returned": [{"id": "x"}]}
    tiers = {"tiers": [{"tier": "must", "candidates": 1, "selected": 1}]}
    assert lacking(whole | tiers) == ()
    assert lacking({}) == REQUIRED
    assert lacking(whole | tiers | {"policyTier": None}) == ("policyTier",)
    assert lacking(whole | {"tiers": [{"tier": "must"}]}) == ("tiers",)


# --- a canary ---------------------------------------------------------------------------------------------------------


def test_a_canary_that_is_no_worse_runs_in_its_share_of_sessions(calm: Cortex) -> None:
    """E20"""
    started = calm.start_canary(EQUAL, share=0.5)
    assert started.canary is not None
    assert started.canary.state is CanaryState.RUNNING
    assert started.receipt is not None
    assert started.receipt.facts["comparison"]["questions"] == calm.golden().questions
    arms = [started.canary.arm(calm.tenant, f"session {at}") for at in range(2_000)]
    assert 0.45 < arms.count(Arm.CANARY) / len(arms) < 0.55
    for arm, recipe in ((Arm.CANARY, "governed.v1"), (Arm.CONTROL, "balanced.v1")):
        facts = turn(calm, sessions_in(calm, arm, 1)[0])
        assert (facts["arm"], facts["recipe"]) == (arm.value, recipe)
    status = calm.status()["canary"]
    assert (status["settings"], status["share"]) == (EQUAL, 0.5)


def test_another_process_learns_of_a_canary_and_of_its_end(calm: Cortex) -> None:
    """E20"""
    clock = calm.context.clock
    assert isinstance(clock, FakeClock)
    with second_process(calm) as other:
        assert turn(other, "any")["arm"] is None
        begin(calm, EQUAL)
        session = sessions_in(calm, Arm.CANARY, 1)[0]
        clock.advance(LOOK_SECONDS)
        assert turn(other, session)["arm"] == "canary"
        calm.stop_canary()
        clock.advance(LOOK_SECONDS)
        assert turn(other, session)["arm"] is None


def test_between_two_looks_nothing_is_read(calm: Cortex, monkeypatch: pytest.MonkeyPatch) -> None:
    """E20"""
    calm.context.dependencies.arms.look(now=True)
    documents = calm.context.dependencies.documents
    for name in ("read", "version", "change"):
        monkeypatch.setattr(type(documents), name, lambda *_, **__: pytest.fail("a turn reads a document"))
    assert turn(calm, "any")["arm"] is None


def test_a_canary_ends_by_itself(calm: Cortex) -> None:
    """E20"""
    clock = calm.context.clock
    assert isinstance(clock, FakeClock)
    begin(calm, EQUAL, seconds=3_600)
    session = sessions_in(calm, Arm.CANARY, 1)[0]
    assert turn(calm, session)["arm"] == "canary"
    clock.advance(3_600)
    assert turn(calm, session)["arm"] is None
    found = calm.canary().canary
    assert found is not None
    assert found.state is CanaryState.ENDED


def test_a_worse_canary_is_refused_and_no_session_tries_it(calm: Cortex) -> None:
    """E20"""
    refused = calm.start_canary(WORSE, share=0.5).canary
    assert refused is not None
    assert refused.state is CanaryState.REFUSED
    assert "hit@5 falls" in refused.why
    assert turn(calm, sessions_in(calm, Arm.CANARY, 1)[0])["arm"] is None
    with pytest.raises(Conflict, match="the last canary was refused"):
        calm.promote_canary()


def test_a_canary_without_receipts_is_refused(calm: Cortex) -> None:
    """E20"""
    found = calm.start_canary({"receipts.enabled": False}, dry_run=True).canary
    assert found is not None
    assert "receipts lack" in found.why


def test_a_canary_is_taken_back_on_a_breach_with_an_alert(calm: Cortex) -> None:
    """E20"""
    begin(calm, EQUAL)
    hooks = TurnHooks(calm)
    session = sessions_in(calm, Arm.CANARY, 1)[0]
    prepared = hooks.prepare("What is the color?", session=session, deadline=_far(calm))
    hooks.end_turn(hooks.begin_turn(), prepared.injection, replace(prepared, strays=1))
    assert hooks.flush(60)
    found = calm.canary().canary
    assert found is not None
    assert (found.state, found.why) == (CanaryState.RETURNED, "a turn was given memories of another scope")
    assert [alert.cause for alert in calm.alerts()] == ["canary"]
    assert turn(calm, session)["arm"] is None


def _far(engine: Cortex) -> Any:
    return Deadline.after(engine.context.clock, 3_600)


@pytest.mark.parametrize(
    ("ours", "why"),
    [
        ({"failed": True, "milliseconds": 10.0}, "100% of its turns failed"),
        ({"failed": False, "milliseconds": 13.0}, "its turns took 13 ms (p95), the others 10 ms"),
        ({"failed": False, "milliseconds": 12.0}, None),
    ],
)
def test_live_turns_of_both_arms_are_compared(ours: dict[str, Any], why: str | None) -> None:
    """E20: a slow canary must be slow twice, a failing one once"""
    check, found = LiveCheck(), None
    for _ in range(2 * LEAST_TURNS):
        check.observe(Arm.CONTROL, milliseconds=10.0, failed=False, strays=0, lacking=False)
        found = found or check.observe(Arm.CANARY, **ours, strays=0, lacking=False)
    assert found == why if why is None else (found or "").startswith(why)


def test_a_promoted_canary_is_written_to_the_settings_and_holds_at_once(calm: Cortex) -> None:
    """E20"""
    clock = calm.context.clock
    assert isinstance(clock, FakeClock)
    with second_process(calm) as other:
        begin(other, {"hooks.max_facts": 7})
        clock.advance(1)
        kept = other.promote_canary().canary
        assert kept is not None
        assert kept.state is CanaryState.PROMOTED
        assert other.settings.hooks.max_facts == 7
        assert "max_facts = 7" in (other.context.dependencies.home / "cortex.toml").read_text()
        with pytest.raises(Conflict, match="the last canary was promoted"):
            other.promote_canary()
    with second_process(calm) as later:
        assert later.settings.hooks.max_facts == 7
    # A process that began before reads it from the document.
    clock.advance(LOOK_SECONDS)
    turn(calm, "any")
    assert calm.settings.hooks.max_facts == 7


def test_one_canary_at_a_time(calm: Cortex) -> None:
    """E20"""
    begin(calm, EQUAL)
    with pytest.raises(Conflict, match=r"a canary of recall\.recipe is running"):
        calm.start_canary({"hooks.max_facts": 3})


@pytest.mark.parametrize(
    ("settings", "options", "why"),
    [
        ({}, {}, "is empty"),
        ({"recall.recip": "x"}, {}, "is not a setting"),
        ({"recall.recipe": "nothing.v1"}, {}, "nothing.v1"),
        ({"embedding.provider": "none"}, {}, "cannot be tried by some sessions alone"),
        ({"hooks.max_facts": "many"}, {}, "is not a whole number"),
        ({"recall.recipe": "balanced.v1"}, {}, "are in force already"),
        (EQUAL, {"share": 0.9}, "share: 0.9 is outside 0.01 to 0.5"),
        (EQUAL, {"seconds": 1}, "seconds: 1 is outside 60 to"),
    ],
)
def test_bad_input_is_named_and_starts_nothing(
    calm: Cortex, settings: dict[str, Any], options: dict[str, Any], why: str
) -> None:
    """E20"""
    before = calm.canary()
    with pytest.raises(Exception, match=why):
        calm.start_canary(settings, **options)
    assert calm.canary() == before


def test_nothing_is_compared_while_the_embedder_fails(lived: Cortex) -> None:
    """E20"""
    home, clock = lived.context.dependencies.home, lived.context.clock
    embedder = FakeEmbedder(256)
    uncached = PATIENT | {"embedding": {"cache_entries": 0}}
    with Cortex(home, clock=clock, embedder=embedder, settings=uncached) as engine:
        embedder.fail()
        with pytest.raises(EmbedderUnavailable, match="nothing can be compared now"):
            engine.start_canary(EQUAL)


def test_a_damaged_state_stops_no_turn(calm: Cortex) -> None:
    """E20"""
    documents = calm.context.dependencies.documents
    documents.change((CANARY,), lambda bodies: bodies.update({CANARY: b"{"}))
    calm.context.dependencies.arms.look(now=True)
    assert turn(calm, "any")["arm"] is None
    assert calm.canary().canary is None


# --- every night ------------------------------------------------------------------------------------------------------


def test_the_nightly_run_takes_back_a_canary_that_became_worse(calm: Cortex, monkeypatch: pytest.MonkeyPatch) -> None:
    """E20, S7"""
    begin(calm, EQUAL)
    monkeypatch.setattr("cortex.recall.comparison.MOST_LOST", -1.0)
    assert CanaryService(calm.context).nightly().is_worse
    found = calm.canary().canary
    assert found is not None
    assert found.state is CanaryState.RETURNED


def test_the_nightly_run_reports_when_known_questions_find_less_than_before(calm: Cortex) -> None:
    """E20, S7: silent on success, one alert for each cause"""
    assert CanaryService(calm.context).nightly().why == ""
    with second_process(calm) as worse:
        worse.context.dependencies.settings = _with_recipe(worse, "lancedb.v1")
        found = CanaryService(worse.context).nightly()
    assert found.is_worse
    assert "hit@5 on the golden set fell" in found.why
    assert "canary:golden" in [alert.cause for alert in calm.alerts()]


def _with_recipe(engine: Cortex, name: str) -> Any:
    return replace(engine.settings, recall=replace(engine.settings.recall, recipe=name))


def test_the_nightly_run_says_why_it_does_nothing(open_engine: Callable[..., Cortex]) -> None:
    """E20, S7"""
    found = CanaryService(open_engine().context).nightly()
    assert (found.ran, found.why) == (False, "the golden set has 0 of 60 questions")

"""`remember` beside what is known (X13, X14), and how each decision is taken back."""

from __future__ import annotations

import pytest

from cortex.domain.lanes import Lane, State
from cortex.domain.memory import MAX_SOURCE_REFS, Draft, Kind, Retention
from cortex.domain.turn import Turn
from cortex.memory import Cortex
from cortex.ports.store import Filter
from cortex.testing import FakeClock

RENT, NEW_RENT = "The rent of the studio is $1,350 a month.", "The rent of the studio is now $1,475 a month."


def test_the_same_statement_twice_is_one_memory(engine: Cortex):
    """X13"""
    first = engine.remember("The deploy key rotates on Mondays")
    again = engine.remember("Just so you know, the deploy key rotates on Mondays")
    assert again.memory.id == first.memory.id
    assert (again.verdict, again.memory.reinforced) == ("reinforces", 1)
    assert again.receipt.facts["stored"] == 0
    assert len(engine.list()) == 1


def test_a_changed_value_replaces_the_old_one_and_the_receipt_says_so(engine: Cortex, clock: FakeClock):
    """X14"""
    old = engine.remember(RENT)
    clock.advance(60)
    new = engine.remember(NEW_RENT)
    assert (new.verdict, new.others, new.memory.supersedes) == ("supersedes", (old.memory.id,), old.memory.id)
    assert engine.get(old.memory.id).state is State.SUPERSEDED
    assert new.receipt.facts["superseded"] == 1


def test_one_memory_names_both_of_its_sources(engine: Cortex, clock: FakeClock):
    """X13"""
    text = "The deploy key rotates on Mondays"
    first = engine.remember(text, source_ref="ticket-1").memory
    for ref in ("ticket-2", "ticket-1", "", "ticket-2"):
        clock.advance(60)
        held = engine.remember(text, source_ref=ref).memory
    assert held == engine.get(first.id)
    assert (held.source_ref, held.other_source_refs, held.reinforced) == ("ticket-1", ("ticket-2",), 4)
    (line,) = engine.export()
    assert (line["source_ref"], line["other_source_refs"]) == ("ticket-1", ["ticket-2"])
    (page,) = engine.export_markdown()
    assert "sources=ticket-1,ticket-2 -->" in page.text
    assert engine.import_markdown(page.text, dry_run=True).plan.stored == []


def test_a_memory_without_a_source_takes_the_first_that_is_named(engine: Cortex, clock: FakeClock):
    """X13"""
    engine.remember("The deploy key rotates on Mondays")
    clock.advance(60)
    held = engine.remember("The deploy key rotates on Mondays", source_ref="ticket-2").memory
    assert (held.source_ref, held.other_source_refs) == ("ticket-2", ())


def test_an_untrusted_source_is_named_and_strengthens_nothing(engine: Cortex, clock: FakeClock):
    """X13"""
    engine.remember("The deploy key rotates on Mondays", source_ref="ticket-1")
    clock.advance(60)
    again = engine.remember("The deploy key rotates on Mondays", source_kind="web", source_ref="page")
    assert (again.verdict, again.memory.reinforced) == ("duplicate", 0)
    assert engine.get(again.memory.id).other_source_refs == ("page",)  # type: ignore[union-attr]


def test_the_sources_of_a_memory_are_bounded(engine: Cortex, clock: FakeClock):
    """X13: the first and the newest"""
    for number in range(MAX_SOURCE_REFS + 2):
        clock.advance(60)
        held = engine.remember("The deploy key rotates on Mondays", source_ref=f"ticket {number} --> <!--").memory
    assert len(held.source_refs) == MAX_SOURCE_REFS
    assert held.source_refs[:2] == ("ticket 0 --> <!--", "ticket 3 --> <!--")
    (page,) = engine.export_markdown()
    assert engine.import_markdown(page.text, dry_run=True).plan.stored == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I live in Bristol", "I live in Cardiff now"),
        ("I live in Bristol", "We moved to Cardiff last weekend"),
        ("I live in Bristol.", "Actually, I live in Bath."),
        ("My favorite color is green", "My favorite color is blue"),
        ("The Atlas deadline is 3 May", "The Atlas deadline is 17 May"),
        ("Ich wohne in Bonn.", "Ich wohne jetzt in Köln."),
        ("The user lives in Bristol", "User lives in Cardiff now"),
        ("I live in Bristol", "The user lives in Cardiff."),
        ("The user's favorite color is green.", "My favorite color is blue."),
    ],
)
def test_a_new_value_of_a_slot_replaces_the_old_one(engine: Cortex, clock: FakeClock, before: str, after: str):
    """X14: the slot is read from the text, by the patterns of capture"""
    old = engine.remember(before).memory
    clock.advance(60)
    new = engine.remember(after)
    assert (new.verdict, new.memory.supersedes) == ("supersedes", old.id)
    assert new.memory.slot == old.slot is not None
    assert new.memory.text == after


def test_what_was_captured_is_replaced_by_what_is_remembered(engine: Cortex, clock: FakeClock):
    """X14"""
    (old,) = engine.capture([{"role": "user", "content": "I live in Ghent."}], session="one").memories
    clock.advance(60)
    assert engine.remember("I live in Bruges").memory.supersedes == old.id


def test_the_same_value_of_a_slot_is_one_memory(engine: Cortex):
    """X13"""
    first = engine.remember("I live in Bristol")
    again = engine.remember("My home is in Bristol.", subject="user", attribute="home city", value="Bristol")
    assert (again.verdict, again.memory.id) == ("reinforces", first.memory.id)


def test_what_is_no_longer_so_retracts_the_memory(engine: Cortex, clock: FakeClock):
    """X14"""
    old = engine.remember("I work at Meridian").memory
    clock.advance(60)
    new = engine.remember("I no longer work at Meridian.")
    assert (new.verdict, engine.get(old.id).state) == ("retracts", State.SUPERSEDED)


@pytest.mark.parametrize(
    "text",
    [
        "I live in Bristol and work at Meridian",
        "I live in Bristol. My sister lives in Leeds.",
        "Do I live in Bristol?",
        "If I lived in Bristol I would be happy",
    ],
)
def test_a_text_that_says_more_or_less_than_one_value_fills_no_slot(engine: Cortex, text: str):
    assert engine.remember(text).memory.slot is None


def test_what_the_caller_gives_is_not_inferred(engine: Cortex):
    given = engine.remember("I live in Bristol", kind="decision", subject="the van", attribute="parking place").memory
    assert (given.kind, given.subject, given.attribute, given.value) == (
        Kind.DECISION, "the van", "parking place", "",
    )  # fmt: skip
    plain = engine.remember("My favorite color is green today").memory
    assert (plain.kind, plain.retention, plain.importance) == (Kind.FACT, Retention.PERMANENT, 0.5)


@pytest.mark.parametrize("source", ["web", "tool", "system", "import"])
def test_the_first_person_of_a_page_or_a_tool_is_not_the_user(engine: Cortex, source: str):
    assert engine.remember("I live in Bristol", source_kind=source).memory.slot is None


def test_what_names_the_memory_it_supersedes_fills_its_slot_too(engine: Cortex, clock: FakeClock):
    """X14"""
    first = engine.remember("The office is in Bristol").memory
    clock.advance(60)
    second = engine.remember("I live in Cardiff", supersedes=first.id).memory
    clock.advance(60)
    assert engine.remember("I live in Leeds now").memory.supersedes == second.id


def test_a_contradiction_is_flagged_on_both_sides(engine: Cortex):
    """X14"""
    one = engine.remember("I have never fired the kiln at the studio.")
    other = engine.remember("I fired the kiln at the studio twice in May.")
    assert other.verdict == "contradicts"
    assert other.memory.contradicts == (one.memory.id,)
    assert engine.get(one.memory.id).contradicts == (other.memory.id,)  # type: ignore[union-attr]


def test_as_new_stores_it_as_it_is(engine: Cortex):
    engine.remember("The deploy key rotates on Mondays")
    engine.remember("The deploy key rotates on Mondays", as_new=True)
    assert len(engine.list()) == 2


def test_another_scope_is_another_memory(engine: Cortex):
    one = engine.remember("The deploy key rotates on Mondays", scope="a")
    other = engine.remember("The deploy key rotates on Mondays", scope="b")
    assert one.memory.id != other.memory.id


def test_many_at_once_are_stored_as_they_are_given(engine: Cortex):
    """E14: an import keeps what it is given"""
    home, other_home = Draft(text="I live in Bristol"), Draft(text="I live in Cardiff now")
    engine.remember_all([Draft(text=RENT), Draft(text=RENT), Draft(text=NEW_RENT), home, other_home])
    assert [memory.state for memory in engine.list()] == [State.ACTIVE] * 5


def test_what_is_untrusted_replaces_nothing(engine: Cortex):
    old = engine.remember(RENT)
    new = engine.remember(NEW_RENT, source_kind="web")
    assert new.verdict == "contradicts"
    assert engine.get(old.memory.id).state is State.ACTIVE


def test_restoring_what_was_replaced_takes_the_decision_back(engine: Cortex, clock: FakeClock):
    """X14: one command undoes one decision; both hold from then on"""
    old = engine.remember(RENT).memory
    clock.advance(60)
    new = engine.remember(NEW_RENT).memory
    back = engine.restore(old.id)
    assert back.ids == (old.id,)
    assert (engine.get(old.id).state, engine.get(new.id).state) == (State.ACTIVE, State.ACTIVE)
    restored, successor = engine.get(old.id), engine.get(new.id)
    assert (restored.superseded_by, restored.valid_to, successor.supersedes) == (None, None, None)  # type: ignore[union-attr]


def test_a_decision_of_capture_is_taken_back_with_its_turns(engine: Cortex):
    engine.capture([{"role": "user", "content": "I live in Ghent."}], session="one")
    engine.capture([{"role": "user", "content": "I live in Bruges now."}], session="two")
    (old,) = [each for each in engine.list() if each.text.startswith("I live in Ghent") and each.lane == "memories"]
    assert old.state is State.SUPERSEDED
    engine.restore(old.id)
    assert engine.get(old.id).state is State.ACTIVE
    (turn,) = engine.show(old.id).sources
    assert turn.outdated_by is None  # type: ignore[union-attr]


def outdated(engine: Cortex) -> list[str]:
    said = engine.list(Filter(lanes=frozenset({Lane.SESSIONS})))
    return [turn.text for turn in said if isinstance(turn, Turn) and turn.outdated_by]


@pytest.mark.parametrize(
    ("old", "question", "reply", "new"),
    [
        ("I live in Oslo.", "Where do I live again?", "In Oslo.", "I moved to Rotterdam."),
        ("I live in Oslo.", "What city am I in?", "You live in Oslo.", "I moved to Rotterdam."),
        ("My manager is Anna Lind.", "Who's my manager?", "Anna Lind.", "My manager is now Tobias Beck."),
        (
            "The deadline for Atlas is 3 May.",
            "When is the Atlas deadline?",
            "On 3 May.",
            "The Atlas deadline is now 17 May.",
        ),
    ],
)
def test_a_reply_that_repeats_what_was_replaced_is_as_outdated(
    engine: Cortex, clock: FakeClock, old: str, question: str, reply: str, new: str
):
    """X8, X14: the assistant's words hold no longer than those they repeat"""
    engine.capture([{"role": "user", "content": old}], session="one")
    clock.advance(60)
    asked = [{"role": "user", "content": question}, {"role": "assistant", "content": reply}]
    engine.capture(asked, session="two")
    assert outdated(engine) == []
    clock.advance(60)
    engine.capture([{"role": "user", "content": new}], session="three")
    assert outdated(engine) == [old, reply]
    (replaced,) = engine.list(Filter(states=frozenset({State.SUPERSEDED})))
    engine.restore(replaced.id)
    assert outdated(engine) == []


@pytest.mark.parametrize(
    "reply",
    [
        "Oslo has a fine opera house.",
        "You no longer live in Oslo.",
        f"You live in Oslo. {'The weather there is cold in winter and mild in summer. ' * 4}",
    ],
)
def test_a_reply_that_says_something_else_is_not_outdated(engine: Cortex, reply: str):
    engine.capture([{"role": "user", "content": "I live in Oslo."}], session="one")
    asked = [{"role": "user", "content": "Tell me more"}, {"role": "assistant", "content": reply}]
    engine.capture(asked, session="two")
    engine.capture([{"role": "user", "content": "I moved to Rotterdam."}], session="three")
    assert outdated(engine) == ["I live in Oslo."]


def test_forgetting_takes_twins_along(engine: Cortex):
    one = engine.remember("The deploy key rotates on Mondays").memory
    twin = engine.remember("The deploy key rotates on Mondays", as_new=True).memory
    other = engine.remember("The deploy key rotates on Mondays", scope="elsewhere").memory
    done = engine.forget(one.id)
    assert done.ids == (one.id, twin.id)
    assert done.receipt.facts["ids"] == [one.id, twin.id]
    assert engine.get(other.id).state is State.ACTIVE


def test_restoring_tells_of_twins_that_are_still_forgotten(engine: Cortex):
    one = engine.remember("The deploy key rotates on Mondays").memory
    twin = engine.remember("The deploy key rotates on Mondays", as_new=True).memory
    engine.forget(one.id)
    back = engine.restore(one.id)
    assert (back.ids, back.receipt.facts["twins"]) == ((one.id,), [twin.id])
    assert "twins" not in engine.restore(twin.id).receipt.facts


def test_a_query_counts_a_memory_and_its_turn_once(engine: Cortex):
    """L5"""
    engine.capture([{"role": "user", "content": "I'm allergic to peanuts."}], session="one")
    done = engine.forget_matching("allergic to peanuts")
    assert done.candidates == ()
    assert [engine.get(id).lane.value for id in done.ids] == ["memories", "sessions"]
    assert engine.search("allergic to peanuts").hits == ()


def test_a_turn_that_says_more_is_left_and_named(engine: Cortex):
    """L5"""
    said = "I'm allergic to peanuts. The order for the office party has to be placed with the bakery on Main Street."
    engine.capture([{"role": "user", "content": said}], session="one")
    done = engine.forget_matching("allergic to peanuts")
    assert [engine.get(id).lane.value for id in done.ids] == ["memories"]
    assert len(done.receipt.facts["turns"]) == 1


def test_a_query_that_a_statement_and_its_denial_match_asks_which_is_meant(engine: Cortex):
    """L5"""
    engine.remember("I like olives")
    engine.remember("I do not like olives")
    done = engine.forget_matching("olives")
    assert done.ids == ()
    assert {each.text for each in done.candidates} == {"I like olives", "I do not like olives"}


def test_an_acknowledgement_is_no_candidate(engine: Cortex):
    """L5: what was said beside a match is found with it, and not meant"""
    said = ["I play tennis on Sundays.", "ok", "My tennis racket is a Wilson.", "Noted, have fun with it!"]
    turns = [{"role": role, "content": text} for role, text in zip(["user", "assistant"] * 2, said, strict=True)]
    engine.capture(turns, session="one")
    done = engine.forget_matching("tennis")
    assert done.ids == ()
    assert {each.text for each in done.candidates} == {said[0], said[2]}
    assert {engine.get(id).text for id in engine.forget_matching("tennis racket").ids} == {said[2]}


CHANGED_AMOUNTS = [
    ("我的房租是3000元", "房租涨到4500元了", "supersedes"),
    ("我的房租是3000元", "我的房租是4500元", "contradicts"),
    ("我的體重是72公斤", "我的體重是69公斤", "contradicts"),
    ("我女兒今年7歲", "我女兒今年8歲了", "supersedes"),
    ("サーバー代は月50ドルです", "サーバー代は月8000円です", "contradicts"),
    ("毎週20キロ走っています", "今は毎週30キロ走っています", "supersedes"),
    ("제 월세는 50만 원이에요.", "제 월세가 60만 원으로 올랐어요.", "supersedes"),
    ("서버 비용은 한 달에 50달러예요", "서버 비용은 한 달에 70000원이에요", "contradicts"),
]


@pytest.mark.parametrize(("before", "after", "verdict"), CHANGED_AMOUNTS)
def test_a_changed_amount_is_known_without_spaces_between_words(
    engine: Cortex, clock: FakeClock, before: str, after: str, verdict: str
):
    """X14"""
    old = engine.remember(before)
    clock.advance(60)
    new = engine.remember(after)
    assert (new.verdict, new.others) == (verdict, (old.memory.id,))


@pytest.mark.parametrize(("before", "after", "verdict"), CHANGED_AMOUNTS)
def test_a_changed_amount_is_known_from_conversations_too(
    engine: Cortex, clock: FakeClock, before: str, after: str, verdict: str
):
    """X14"""
    for session, text in (("monday", before), ("friday", after)):
        engine.ingest([{"role": "user", "content": text}], session=session, debounce=False)
        clock.advance(60)
        engine.run_jobs()
    assert len(engine.contradictions()) == int(verdict == "contradicts")
    assert [each.text for each in engine.list(Filter(lanes=frozenset({Lane.MEMORIES})))][-1] == after
    replaced = Filter(lanes=frozenset({Lane.MEMORIES}), states=frozenset({State.SUPERSEDED}))
    assert len(engine.list(replaced)) == int(verdict == "supersedes")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("我爸爸的体重是75公斤", "我妈妈的体重是58公斤"),
        ("6月的电费是200元", "7月的电费是350元"),
        ("家賃は8万円です", "家賃が5000円上がりました"),
        ("家賃は8万円です", "家賃が10万円になったら引っ越します"),
        ("아침 7시에 약을 먹어요", "밤 9시에 약을 먹어요"),
        ("월세는 50만 원이에요", "보증금은 1000만 원이에요"),
    ],
)
def test_amounts_of_two_things_replace_nothing(engine: Cortex, clock: FakeClock, one: str, other: str):
    """X14"""
    engine.remember(one)
    clock.advance(60)
    assert engine.remember(other).verdict == "new"


def test_a_number_in_the_place_of_a_date_does_not_hide_a_changed_amount(engine: Cortex, clock: FakeClock):
    """X13: "1日" is each day here, not the first of a month"""
    engine.remember("サイトの訪問者は1日3000人です")
    clock.advance(60)
    assert engine.remember("サイトの訪問者は1日5200人です").verdict == "supersedes"

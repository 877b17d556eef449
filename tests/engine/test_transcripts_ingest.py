"""A session is followed by its transcript and captured live at once: each turn is stored once (B12, B19, C1)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from laboratory import opened

from cortex.capture.history import LEAD
from cortex.domain.lanes import State
from cortex.domain.small_talk import OWN_REQUEST
from cortex.domain.trust import TrustTier
from cortex.memory import Cortex
from cortex.services.capture import Ingested
from cortex.workspace.transcripts import Bookmark, Grown, How, read_on


def message(text: str, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": text}


def talk(*texts: str) -> list[dict[str, Any]]:
    """User and assistant in turns."""
    return [message(text, "assistant" if at % 2 else "user") for at, text in enumerate(texts)]


def stored(engine: Cortex, session: str = "s") -> list[str]:
    with engine.context.store.view(engine.tenant) as view:
        return [turn.text for turn in view.turns(session, limit=10_000) if turn.state is State.ACTIVE]


def position(engine: Cortex) -> int:
    with engine.context.store.view(engine.tenant) as view:
        return view.position


class Transcript:
    """A transcript that a host writes and we follow into an engine."""

    def __init__(self, engine: Cortex, path: Path) -> None:
        self.engine, self.path = engine, path
        self.bookmark: Bookmark | None = None
        path.touch()

    def write(self, *rows: object) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)

    def read(self, **limits: int) -> Grown:
        return read_on(self.path, self.bookmark, **limits)

    def follow(self, **limits: int) -> list[Ingested]:
        """Takes in all there is, and keeps the bookmark once that is stored."""
        taken = []
        more = True
        while more:
            grown = self.read(**limits)
            taken.append(self.engine.ingest(grown.messages, session=grown.session, follows=grown.follows))
            self.bookmark, more = grown.bookmark, grown.more
        return taken


@pytest.fixture
def transcript(engine: Cortex, tmp_path: Path) -> Transcript:
    return Transcript(engine, tmp_path / "s.jsonl")


# --- by the transcript alone --------------------------------------------------------------------------------------


def test_what_comes_to_a_transcript_is_stored_once(engine: Cortex, transcript: Transcript) -> None:
    """B19"""
    transcript.write(*talk("I live in Bergen", "Noted."))
    (taken,) = transcript.follow()
    assert taken.receipt.facts["stored"] == 2
    transcript.write(message("And I ski"))
    transcript.follow()
    transcript.follow()
    assert stored(engine) == ["I live in Bergen", "Noted.", "And I ski"]


def test_a_word_said_again_is_kept_again(engine: Cortex, transcript: Transcript) -> None:
    """B19: the same words, each in a reading of its own, with no time to tell them apart"""
    said = ["ok", "Done.", "ok", "Done.", "ok", "ok", "ok"]
    for row in talk(*said):
        transcript.write(row)
        transcript.follow()
    assert stored(engine) == said


def test_what_was_stored_before_its_bookmark_was_lost_is_not_stored_again(
    engine: Cortex, transcript: Transcript
) -> None:
    """B19: the process ended between the two"""
    transcript.write(*talk("ok", "Done."))
    transcript.follow()
    before = transcript.bookmark
    transcript.write(*talk("ok", "Done."))
    transcript.follow()
    transcript.bookmark = before
    at = position(engine)
    (again,) = transcript.follow()
    assert (again.receipt.facts["stored"], again.receipt.facts["seen"]) == (0, 2)
    assert position(engine) == at
    transcript.bookmark = before
    transcript.write(message("ok"))
    transcript.follow()
    assert stored(engine) == ["ok", "Done.", "ok", "Done.", "ok"]


def test_a_transcript_read_from_its_start_again_stores_nothing_twice(engine: Cortex, transcript: Transcript) -> None:
    """B19: the bookmark is gone, or the index was made anew"""
    transcript.write(*talk("ok", "Done.", "ok", "Fine."))
    transcript.follow()
    transcript.bookmark = None
    transcript.follow(max_rows=1)
    assert stored(engine) == ["ok", "Done.", "ok", "Fine."]
    transcript.write(message("ok"))
    transcript.follow()
    assert stored(engine) == ["ok", "Done.", "ok", "Fine.", "ok"]


def test_a_transcript_that_was_shortened_by_its_host_goes_on(engine: Cortex, transcript: Transcript) -> None:
    """B19: a host keeps the end of a session under a new head"""
    transcript.write(*talk("I live in Bergen", "Noted.", "And I ski", "Nice."))
    transcript.follow()
    transcript.path.unlink()
    transcript.write({"type": "compaction", "id": "1", "parentId": None, "summary": "Bergen"})
    transcript.write(*talk("And I ski", "Nice.", "And I sail"))
    assert transcript.read().how is How.ROTATED
    transcript.follow()
    assert stored(engine) == ["I live in Bergen", "Noted.", "And I ski", "Nice.", "And I sail"]
    transcript.write(message("And I sail"))
    transcript.follow()
    assert stored(engine)[-2:] == ["And I sail", "And I sail"]


def test_a_store_that_is_behind_its_bookmark_takes_what_comes(engine: Cortex, transcript: Transcript) -> None:
    """B19: put back from a backup, it knows nothing of how far the transcript was"""
    transcript.write(*talk("I live in Bergen", "Noted.", "ok"))
    transcript.bookmark = transcript.read().bookmark
    engine.ingest(talk("I live in Bergen", "Noted."), session="s")
    transcript.write(message("Noted.", "assistant"), message("And I ski"))
    transcript.follow()
    assert stored(engine) == ["I live in Bergen", "Noted.", "And I ski"]
    transcript.write(message("ok"), message("ok"))
    transcript.follow()
    assert stored(engine)[-2:] == ["ok", "ok"]


def test_two_transcripts_of_one_session_lose_nothing_to_each_other(
    engine: Cortex, transcript: Transcript, tmp_path: Path
) -> None:
    """B19: a host may go on with a session in another file, and write to both"""
    other = Transcript(engine, tmp_path / "s.jsonl.reset.2026-01-04")
    transcript.write(*talk("I live in Bergen", "Noted.", "And I ski", "Nice."))
    other.write(*talk("I have a cat", "Which one?"))
    transcript.follow()
    other.follow()
    other.write(message("A grey one"))
    transcript.write(message("And I sail"))
    transcript.follow()
    other.follow()
    lines = ["I live in Bergen", "Noted.", "And I ski", "Nice.", "I have a cat", "Which one?"]
    assert stored(engine) == [*lines, "And I sail", "A grey one"]


# --- by both roads ------------------------------------------------------------------------------------------------


def test_a_session_that_is_captured_live_is_met_in_its_transcript(engine: Cortex, transcript: Transcript) -> None:
    """B19, C1: whichever of the two is ahead"""
    whole = talk("I live in Bergen", "Noted.", "ok", "Fine.", "ok", "Bye.")
    transcript.write(*whole[:2])
    engine.ingest(whole[:4], session="s")
    transcript.follow()
    transcript.write(*whole[2:])
    transcript.follow()
    engine.ingest(whole, session="s")
    assert stored(engine) == [each["content"] for each in whole]


def test_what_live_capture_never_saw_is_taken_from_the_transcript(engine: Cortex, transcript: Transcript) -> None:
    """B19: its hooks came into the session late"""
    transcript.write(*talk("I live in Bergen", "Noted.", "And I ski", "Nice."))
    engine.ingest(talk("And I ski", "Nice."), session="s")
    transcript.follow()
    assert sorted(stored(engine)) == ["And I ski", "I live in Bergen", "Nice.", "Noted."]


def test_words_that_differ_between_the_roads_keep_none_of_the_others_twice(
    engine: Cortex, transcript: Transcript
) -> None:
    """B19: a host may put an envelope around what it writes"""
    engine.ingest(talk("I live in Bergen", "Noted.", "ok", "Fine."), session="s")
    transcript.write(message("[Sun 12:00] I live in Bergen"))
    transcript.follow()
    transcript.write(*talk("ok", "Noted.")[1:], message("ok"), message("Fine.", "assistant"), message("ok"))
    transcript.follow()
    lines = ["I live in Bergen", "Noted.", "ok", "Fine.", "[Sun 12:00] I live in Bergen", "ok"]
    assert stored(engine) == lines


def test_what_a_transcript_brought_itself_is_not_taken_for_what_was_captured_live(
    engine: Cortex, transcript: Transcript
) -> None:
    """B19: though live capture is ahead of it"""
    engine.ingest(talk("I live in Bergen", "Noted."), session="s")
    for _ in range(2):
        transcript.write(message("[Sun 12:00] ok"))
        transcript.follow()
    transcript.write(*talk("I live in Bergen", "Noted."))
    transcript.follow()
    assert stored(engine) == ["I live in Bergen", "Noted.", "[Sun 12:00] ok", "[Sun 12:00] ok"]


def test_two_roads_that_never_agree_do_not_hold_each_other_up(open_engine, tmp_path: Path) -> None:
    """B19: what was not met for long is waited for no more"""
    engine = open_engine("ephemeral")
    transcript = Transcript(engine, tmp_path / "s.jsonl")
    engine.ingest([message("ok"), message("fine")], session="s")
    said = [f"line {number}" for number in range(LEAD + 1)]
    for text in said:
        transcript.write(message(text))
        transcript.follow()
    transcript.write(message("ok"))
    transcript.follow()
    assert stored(engine) == ["ok", "fine", *said, "ok"]


STEPS = st.lists(
    st.tuples(st.sampled_from(["said", "live", "late", "follow", "lost", "stopped"]), st.sampled_from("abkK")),
    max_size=24,
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS, st.integers(1, 3))
@example([("said", "a"), ("follow", "a"), ("said", "a"), ("said", "a"), ("stopped", "a")], 1)
def test_however_the_roads_cross_the_session_is_stored_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str]], max_rows: int
) -> None:
    """B19, C1: live capture hands over the history so far; a transcript is read on, anew, or again after a crash"""
    home = tmp_path_factory.mktemp("home")
    engine = opened(home, "ephemeral")
    transcript = Transcript(engine, home / "s.jsonl")
    whole: list[dict[str, Any]] = []
    try:
        for step, letter in [*steps, ("follow", "")]:
            if step == "said":
                whole.append(message(letter * 3, "assistant" if letter.isupper() else "user"))
                transcript.write(whole[-1])
            elif step == "live":
                engine.ingest(whole, session="s")
            elif step == "late":
                engine.ingest(whole[: len(whole) // 2], session="s")
            elif step == "stopped":
                before = transcript.bookmark
                transcript.follow(max_rows=max_rows)
                transcript.bookmark = before
            else:
                transcript.bookmark = None if step == "lost" else transcript.bookmark
                transcript.follow(max_rows=max_rows)
        assert stored(engine) == [each["content"] for each in whole]
    finally:
        engine.close()


# --- what was in view ---------------------------------------------------------------------------------------------


def test_an_answer_is_no_more_trusted_for_being_read_apart_from_what_it_repeats(
    engine: Cortex, transcript: Transcript
) -> None:
    """B19: a tool's answer that was read before stays in view until the user speaks"""
    transcript.write(message("look it up"), message("The deploy key is on the desk", "tool"))
    transcript.follow()
    transcript.write(message("It is where nobody would look", "assistant"))
    (tainted,) = transcript.follow()
    transcript.write(message("thank you for that"), message("You are most welcome", "assistant"))
    (clean,) = transcript.follow()
    assert [engine.get(id).trust for id in tainted.ids] == [TrustTier.UNTRUSTED]
    assert [engine.get(id).trust for id in clean.ids] == [TrustTier.TRUSTED] * 2


def test_a_wake_up_call_costs_nothing_of_what_was_said_before_it(engine: Cortex, transcript: Transcript) -> None:
    """B19: what a transcript told once does not come again"""
    heartbeat = "Read HEARTBEAT.md if it exists (workspace context). If nothing needs attention, reply HEARTBEAT_OK."
    transcript.write(*talk("I live in Bergen", "Noted.", heartbeat, "HEARTBEAT_OK"))
    (taken,) = transcript.follow()
    assert stored(engine) == ["I live in Bergen", "Noted."]
    assert taken.receipt.facts["skipped"] == {"heartbeat": 2}
    transcript.write(message("And I ski"))
    transcript.follow()
    assert stored(engine)[2:] == ["And I ski"]


def test_a_request_of_cortex_is_not_captured_from_a_transcript(engine: Cortex, transcript: Transcript) -> None:
    """C12: also where the answer is read apart from the request"""
    transcript.write(message(f"{OWN_REQUEST}\nYou keep the long-term memory. I live in Bergen"))
    transcript.follow()
    transcript.write(message("The user lives in Bergen", "assistant"))
    (taken,) = transcript.follow()
    assert stored(engine) == []
    assert taken.receipt.facts["skipped"] == {"own_request": 1}
    transcript.write(*talk("And I ski", "Noted."))
    transcript.follow()
    assert stored(engine) == ["And I ski", "Noted."]


def test_a_session_of_no_person_is_left_alone(engine: Cortex, tmp_path: Path) -> None:
    transcript = Transcript(engine, tmp_path / "cron:nightly.jsonl")
    transcript.write(*talk("I live in Bergen", "Noted."))
    (taken,) = transcript.follow()
    assert (taken.receipt.facts["reason"], engine.stats().total) == ("cron", 0)


def test_a_transcript_longer_than_is_taken_at_once_loses_nothing(open_engine, tmp_path: Path) -> None:
    """B19"""
    engine = open_engine("ephemeral", limits={"max_messages": 10})
    transcript = Transcript(engine, tmp_path / "s.jsonl")
    said = [f"line {number}" for number in range(35)]
    transcript.write(*map(message, said))
    assert len(transcript.follow(max_rows=10)) == 4
    assert stored(engine) == said

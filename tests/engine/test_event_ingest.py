"""Events in: tools, decisions and alerts become outcomes, messages become turns, each of them once (S1)."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import events_process
import pytest
from backends import EVERY_BACKEND
from events_process import ingested
from hypothesis import given
from hypothesis import strategies as st
from laboratory import opened

import forking
from cortex.domain.events import EventKind
from cortex.domain.lanes import Lane
from cortex.domain.outcome import Outcome
from cortex.domain.trust import TrustTier
from cortex.domain.turn import Turn
from cortex.errors import InvalidRequest
from cortex.memory import Cortex
from cortex.ports.store import Filter
from cortex.services.event_files import EventFiles, LineReader
from cortex.testing import FakeClock
from sweeps import sweep

AT = "2026-03-01T09:00:00+00:00"
OUTCOMES = Filter(lanes=frozenset({Lane.OUTCOMES}))
TURNS = Filter(lanes=frozenset({Lane.SESSIONS}))


def event(**fields: Any) -> dict[str, Any]:
    """A tool's result."""
    return {"at": AT, "session": "s", "type": "tool_result", "text": "The linter found nothing"} | fields


def message(text: str, **fields: Any) -> dict[str, Any]:
    return event(type="message", text=text, **{"role": "user", **fields})


def outcomes(engine: Cortex) -> list[Outcome]:
    return [each for each in engine.list(OUTCOMES, limit=1_000) if isinstance(each, Outcome)]


def turns(engine: Cortex) -> list[Turn]:
    found = [each for each in engine.list(TURNS, limit=1_000) if isinstance(each, Turn)]
    return sorted(found, key=lambda turn: turn.seq)


@pytest.mark.parametrize("backend", EVERY_BACKEND)
def test_a_tools_result_is_kept_as_an_untrusted_outcome(backend: str, tmp_path: Path) -> None:
    """S1"""
    tool = {"name": "ruff", "call_id": "c1", "ok": False, "ms": 12.5, "error": "exit 1"}
    with opened(tmp_path, backend) as engine:
        done = engine.ingest_events([event(id="e1", tool=tool, payload={"files": 3}, refs=["run/7"], scope="infra")])
        (kept,) = outcomes(engine)
        assert (done.outcomes, done.ids) == (1, (kept.id,))
        assert (kept.text, kept.tool, kept.call_id, kept.ok, kept.ms) == (
            "The linter found nothing", "ruff", "c1", False, 12.5,
        )  # fmt: skip
        assert (kept.trust, kept.payload, kept.refs, kept.scope) == (
            TrustTier.UNTRUSTED, '{"files": 3}', ("run/7",), "infra",
        )  # fmt: skip
        (observed,) = engine.timeline(kinds=[EventKind.OBSERVED]).happened
        assert (observed.trace, observed.event.cause) == (kept, done.receipt.id)
        assert engine.ingest_events([event(id="e1")]).repeated == 1
        assert engine.verify() == []


def test_an_outcome_is_found_only_where_its_lane_is_named(engine: Cortex) -> None:
    """S1"""
    engine.ingest_events([event(text="The lighthouse deployment failed with code 17")])
    asked = "What happened with the lighthouse deployment?"
    assert not engine.recall(asked).hits
    assert not engine.search(asked).hits
    assert not engine.list()
    (hit,) = engine.search(asked, lanes=[Lane.OUTCOMES]).hits
    assert hit.trace.lane is Lane.OUTCOMES
    assert engine.backfill().facts["embedded"] == 0


def test_messages_become_turns_by_the_existing_intake(engine: Cortex) -> None:
    """S1"""
    said = [message("I live in Bergen", id="m1"), message("Noted.", id="m2", role="assistant")]
    assert engine.ingest_events(said).turns == 2
    assert [(turn.role.value, turn.text) for turn in turns(engine)] == [
        ("user", "I live in Bergen"), ("assistant", "Noted."),
    ]  # fmt: skip
    again = engine.ingest_events([*said, message("I live in Oslo now", id="m3")])
    assert (again.turns, again.repeated, len(turns(engine))) == (1, 2, 3)


def test_a_message_that_a_hook_stored_is_not_stored_again(engine: Cortex) -> None:
    """S1"""
    engine.ingest([{"role": "user", "content": "I live in Bergen"}], session="s")
    assert engine.ingest_events([message("I live in Bergen", id="m1")]).turns == 0
    assert engine.ingest_events([message("I live in Bergen", id="m1")]).repeated == 1
    assert len(turns(engine)) == 1


def test_without_an_id_an_event_is_known_by_what_it_says_when_and_where(engine: Cortex) -> None:
    """S1"""
    first = event(tool={"call_id": "c1"}, payload={"a": 1, "b": 2})
    same = event(payload={"b": 2, "a": 1}, tool={"call_id": "c1"})
    others = [
        first | {"session": "t"}, first | {"type": "alert"}, first | {"at": "2026-03-01T09:00:01Z"},
        first | {"tool": {"call_id": "c2"}}, first | {"payload": {"a": 2}},
    ]  # fmt: skip
    done = engine.ingest_events([first, same, *others])
    assert (done.outcomes, done.repeated) == (6, 1)
    assert engine.bind(user="boris").ingest_events([first]).outcomes == 1


@pytest.mark.parametrize("known", [(50,), (3, 20, 97), tuple(range(1, 99, 2))])
@pytest.mark.parametrize("backend", EVERY_BACKEND)
def test_what_is_known_in_the_middle_of_a_batch_is_not_stored_again(
    backend: str, known: Sequence[int], tmp_path: Path
) -> None:
    """S1: not all of a batch is looked up, and the store refuses what is known"""
    with opened(tmp_path, backend) as engine:
        engine.ingest_events([event(id=f"e{number}", text=f"The first of {number}") for number in known])
        done = engine.ingest_events([event(id=f"e{number}", text=f"Number {number}") for number in range(100)])
        fresh = [number for number in range(100) if number not in known]
        assert (done.outcomes, done.repeated, len(done.ids)) == (len(fresh), len(known), len(fresh))
        assert {each.text for each in outcomes(engine)} == {
            *(f"The first of {number}" for number in known), *(f"Number {number}" for number in fresh),
        }  # fmt: skip
        (hit,) = engine.search(f"number {fresh[-1]}", lanes=[Lane.OUTCOMES], limit=1).hits
        assert hit.trace.text == f"Number {fresh[-1]}"
        assert engine.verify() == []


def test_of_one_id_twice_the_first_is_kept(engine: Cortex) -> None:
    """S1"""
    done = engine.ingest_events([event(id="e1", text="first"), event(id="e1", text="second")])
    assert (done.outcomes, done.repeated) == (1, 1)
    engine.ingest_events([event(id="e1", text="third", at="2026-03-02T09:00:00Z")])
    assert [each.text for each in outcomes(engine)] == ["first"]


def test_what_was_erased_stays_erased(engine: Cortex) -> None:
    """S1"""
    given = [event(id="e1", text="The vault was opened at noon"), message("My locker is number 12 now", id="m1")]
    done = engine.ingest_events(given)
    engine.erase(*done.ids)
    again = engine.ingest_events(given)
    assert (again.outcomes, again.turns) == (0, 0)
    assert again.erased + again.repeated == 2
    elsewhere = message("My locker is number 12 now", id="m2")
    assert engine.ingest_events([elsewhere]).erased == 1
    assert not outcomes(engine)
    assert not turns(engine)


def test_long_texts_are_cut_and_secrets_are_redacted(engine: Cortex) -> None:
    """S1"""
    key = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
    engine.ingest_events([
        event(id="e1", text=f"used {key} " + "x " * 500, payload={"key": key, "log": "é" * 5_000_000}),
    ])  # fmt: skip
    (kept,) = outcomes(engine)
    assert len(kept.text) <= 220
    assert len(kept.payload.encode()) <= 2_048
    assert kept.payload_bytes > 5_000_000
    assert key not in kept.text + kept.payload


def test_a_clock_a_year_ahead_gives_the_time_of_arrival(engine: Cortex, clock: FakeClock) -> None:
    """S1"""
    ahead = (clock.now() + timedelta(days=365)).isoformat()
    behind = (clock.now() - timedelta(days=365)).isoformat()
    done = engine.ingest_events([event(id="e1", at=ahead), event(id="e2", at=behind)])
    assert done.receipt.facts["clock_ahead"] == 1
    found = {each.created_at for each in outcomes(engine)}
    assert found == {clock.now(), clock.now() - timedelta(days=365)}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        (b"\xff\xfe{}", "line"), (b'{"at": ', "line"), (b"[1]", "event"), (b"[" * 100_000, "line"),
        (event(type="unknown"), "type"), (event(at="yesterday"), "at"), (event(at=None), "at"),
        (event(session=""), "session"), (event(session=7), "session"), (event(tool="ruff"), "tool"),
        (event(tool={"ok": "yes"}), "tool.ok"), (event(tool={"ms": -1}), "tool.ms"), (event(refs="x"), "refs"),
        (event(schema="cortex.event.v9"), "schema"), (event(id="x" * 300), "id"), (message(" "), "text"),
        (message("hello", role="wizard"), "role"), (b" " * 16_777_217, "line"),
        ({"ts": AT, "kind": 7}, "kind"), ({"ts": "soon", "kind": "tool"}, "ts"),
    ],
)  # fmt: skip
def test_an_event_that_cannot_be_used_names_the_field_and_spoils_no_other(
    engine: Cortex, given: object, field: str
) -> None:
    """S1"""
    done = engine.ingest_events([given, event(id="e1")])
    (problem,) = done.problems
    assert (problem.index, problem.field, done.rejected, done.outcomes) == (0, field, 1, 1)
    assert problem.hint


def test_what_is_no_list_of_events_changes_nothing(engine: Cortex) -> None:
    """S1"""
    for events, why in (("text", "is not a list"), ([event()] * 1_001, "has 1,001 entries")):
        with pytest.raises(InvalidRequest, match=why):
            engine.ingest_events(events)
    assert not outcomes(engine)


def test_rows_of_the_sidecar_are_read(engine: Cortex) -> None:
    """S1"""
    engine.ingest_events([
        {"ts": AT, "kind": "tool", "tool_name": "web_search", "summary": "searched", "detail": {"results": 5}},
        {"ts": 1_772_355_600_000, "kind": "decision", "tool_name": "", "summary": "Use WAL", "detail": None},
        {"ts": AT, "kind": "message", "summary": "I live in Bergen", "detail": {"role": "user"}},
    ])  # fmt: skip
    kept = {each.outcome.value: each for each in outcomes(engine)}
    assert (kept["tool_result"].tool, kept["tool_result"].payload) == ("web_search", '{"results": 5}')
    assert (kept["decision"].text, kept["decision"].created_at.year) == ("Use WAL", 2026)
    assert [turn.text for turn in turns(engine)] == ["I live in Bergen"]


def test_two_readers_of_the_same_events_store_them_once(tmp_path: Path) -> None:
    """S1"""
    given = [event(id=f"e{at}") for at in range(20)] + [message(f"I own boat {at}", id=f"m{at}") for at in range(5)]
    with opened(tmp_path) as one, opened(tmp_path) as other:
        for start in range(0, len(given), 5):
            counts = [each.ingest_events(given[start : start + 5]) for each in (one, other)]
            assert [each.repeated for each in counts] == [0, 5]
        assert (len(outcomes(other)), len(turns(one))) == (20, 5)


# --- files ---------------------------------------------------------------------------------------


def written(path: Path, events: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in events))
    return path


def contents(home: Path) -> tuple[list[str], list[str]]:
    with events_process.opened(home) as engine:
        assert engine.verify() == []
        return sorted(each.text for each in outcomes(engine)), [turn.text for turn in turns(engine)]


def test_a_torn_last_line_waits_for_its_rest(tmp_path: Path) -> None:
    """S1"""
    whole = json.dumps(event(id="e1"))
    path = tmp_path / "events.jsonl"
    path.write_text(whole + "\n" + whole[:20])
    files = EventFiles(path)
    assert [line.number for line in files.read(is_last=False)] == [1]
    assert files.waiting == 1
    with path.open("a") as file:
        file.write(whole[20:])
    assert not list(files.read(is_last=False))
    assert [(line.number, line.content.decode()) for line in files.read(is_last=True)] == [(2, whole)]
    assert files.waiting == 0


@given(st.lists(st.sampled_from([b"{", b"}", b" ", b"\n", b"\r\n", b"\xef\xbb\xbf"])))
def test_lines_are_the_same_however_a_file_is_cut(pieces: list[bytes]) -> None:
    """S1"""
    whole, cut = LineReader("file"), LineReader("file")
    content = b"".join(pieces)
    assert [line for piece in pieces for line in cut.feed(piece)] == list(whole.feed(content))
    assert cut.number == whole.number == content.count(b"\n")
    assert cut.waits == whole.waits == bool(content.rpartition(b"\n")[2].strip())


def test_a_file_that_was_replaced_is_read_from_its_start(tmp_path: Path) -> None:
    """S1"""
    path = written(tmp_path / "events.jsonl", [event(id="e1"), event(id="e2")])
    files = EventFiles(tmp_path)
    assert len(list(files.read(is_last=False))) == 2
    written(tmp_path / "next", [event(id="e3")]).replace(path)
    written(tmp_path / "another.jsonl", [event(id="e4")])
    found = [json.loads(line.content)["id"] for line in files.read(is_last=False)]
    assert found == ["e4", "e3"]


@pytest.mark.parametrize("end", [b"\n", b""])
def test_a_mark_of_the_byte_order_is_no_part_of_the_first_line(tmp_path: Path, end: bytes) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps({"id": "a"}).encode() + end)
    (line,) = EventFiles(path).read(is_last=True)
    assert json.loads(line.content.decode()) == {"id": "a"}


def test_a_line_that_is_too_long_is_not_read_into_memory_and_the_next_one_is(tmp_path: Path) -> None:
    """S1"""
    path = tmp_path / "events.jsonl"
    with path.open("wb") as file:
        file.truncate(40 * 1024 * 1024)
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + json.dumps(event(id="e1")).encode() + b"\n")
    lines = list(EventFiles(path).read(is_last=True))
    with opened(tmp_path / "home") as engine:
        done = engine.ingest_events([line.content for line in lines])
    assert (done.rejected, done.outcomes) == (1, 1)
    assert [line.number for line in lines] == [1, 2]


def history(number: int) -> list[dict[str, Any]]:
    return [
        event(id=f"e{at}", text=f"Step {at} is done") if at % 4 else message(f"I own boat number {at}", id=f"m{at}")
        for at in range(number)
    ]


def test_the_same_file_twice_and_in_halves_gives_the_same(tmp_path: Path) -> None:
    """S1"""
    given = history(48)
    whole = written(tmp_path / "whole.jsonl", given)
    half = written(tmp_path / "half.jsonl", given[:24])
    ingested(tmp_path / "once", whole)
    for file in (half, whole, whole):
        ingested(tmp_path / "often", file)
    assert contents(tmp_path / "once") == contents(tmp_path / "often")
    assert len(contents(tmp_path / "once")[0]) == 36


@pytest.mark.parametrize("kills", sweep([3, 20], [3]))
def test_a_reader_that_is_killed_goes_on_with_equal_counts(tmp_path: Path, kills: int) -> None:
    """S1"""
    whole = written(tmp_path / "whole.jsonl", history(48))
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    script = Path(events_process.__file__)
    for number in range(kills):
        place = ("before", "after")[number % 2]
        done = forking.run([script, tmp_path / "killed", whole, place, str(1 + number // 2 % 3)], env=variables)
        assert done.returncode in (-signal.SIGKILL, 0), done.stderr
    ingested(tmp_path / "killed", whole)
    ingested(tmp_path / "once", whole)
    assert contents(tmp_path / "killed") == contents(tmp_path / "once")

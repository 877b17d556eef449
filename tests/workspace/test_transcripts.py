"""Transcripts that hosts write are followed as they grow: by whole lines, each read once (B12, B19)."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cortex.capture.messages import received
from cortex.domain.identity import TraceId
from cortex.domain.turn import Role, Turn
from cortex.errors import InvalidRequest, NotFound
from cortex.workspace.transcripts import (
    Bookmark,
    Grown,
    Growth,
    How,
    as_lines,
    growth_of,
    messages_of,
    read_on,
    row_of,
    session_of,
    session_path,
    sessions_of,
)

NOON = datetime(2026, 1, 4, 12, tzinfo=UTC)
ASIDE = {"role": "system"}


def plain(*said: str) -> list[dict[str, Any]]:
    """Messages as a program of one's own may write them, user and assistant in turns."""
    return [{"role": "assistant" if at % 2 else "user", "content": text} for at, text in enumerate(said)]


def lines(rows: Iterable[object]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def texts(messages: Iterable[object]) -> list[str]:
    """What capture hears of them."""
    said = received(list(messages), max_messages=10_000, max_message_bytes=1 << 20).said
    return [message.text for message in said]


class Follower:
    """Reads a transcript on, keeping its bookmark as JSON as a host of ours would."""

    def __init__(self, path: Path, **limits: int) -> None:
        self.path, self.limits, self.kept = path, limits, "null"
        self.messages: list[object] = []

    def __call__(self) -> Grown:
        grown = read_on(self.path, Bookmark.from_json(json.loads(self.kept)), **self.limits)
        self.kept = json.dumps(grown.bookmark.to_json())
        self.messages = self.messages[: grown.follows] + list(grown.messages)
        return grown


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "monday.jsonl"


@pytest.fixture
def follower(path: Path) -> Follower:
    return Follower(path)


# --- the forms of a transcript ------------------------------------------------------------------------------------


def openclaw(id: str, message: dict[str, Any]) -> dict[str, Any]:
    return {"type": "message", "id": id, "parentId": None, "timestamp": "2026-01-04T12:00:01.000Z", "message": message}


OPENCLAW = [
    {"type": "session", "version": 3, "id": "0b1c", "timestamp": "2026-01-04T12:00:00.000Z", "cwd": "/home"},
    {"type": "model_change", "id": "1", "parentId": None, "provider": "p", "modelId": "m"},
    {"type": "thinking_level_change", "id": "2", "parentId": "1", "thinkingLevel": "off"},
    openclaw("3", {"role": "user", "content": [part("I live in Bergen")], "timestamp": 1767528001000}),
    openclaw("4", {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, part("Noted.")]}),
    openclaw("5", {"role": "toolResult", "toolCallId": "c", "content": [part("exit 0")]}),
    openclaw("6", {"role": "user", "content": "I live in Oslo", "provenance": {"kind": "inter_session"}}),
    openclaw("7", {"role": "custom", "content": "I live in Rome", "customType": "plugin"}),
    {"type": "custom", "id": "8", "parentId": "7", "customType": "plugin", "data": {"content": "I live in Rome"}},
    {"type": "custom_message", "id": "9", "parentId": "8", "content": "I live in Rome", "display": True},
    {"type": "compaction", "id": "10", "parentId": "9", "summary": "Bergen", "firstKeptEntryId": "4"},
    {"type": "branch_summary", "id": "11", "parentId": "10", "summary": "Bergen", "fromId": "4"},
    {"type": "label", "id": "12", "parentId": "11", "targetId": "3", "label": "here"},
]


def test_openclaw_rows_are_the_messages_among_them():
    """B19: the header, changes of model, compactions and what plugins put in are nobody's words"""
    messages = messages_of(OPENCLAW)
    assert messages == [
        {
            "role": "user",
            "content": [part("I live in Bergen")],
            "timestamp": 1767528001000,
        },
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "hm"}, part("Noted.")],
            "timestamp": "2026-01-04T12:00:01.000Z",
        },
        {
            "role": "toolResult",
            "toolCallId": "c",
            "content": [part("exit 0")],
            "timestamp": "2026-01-04T12:00:01.000Z",
        },
        ASIDE,
        {
            "role": "custom",
            "content": "I live in Rome",
            "customType": "plugin",
            "timestamp": "2026-01-04T12:00:01.000Z",
        },
    ]
    assert texts(messages) == ["I live in Bergen", "Noted."]
    assert sessions_of(OPENCLAW) == ["0b1c"]


def claude(role: str, content: Any, **fields: Any) -> dict[str, Any]:
    row = {"type": role, "uuid": "u", "parentUuid": None, "sessionId": "c0de", "timestamp": "2026-01-04T12:00:01.000Z"}
    return row | {"message": {"role": role, "content": content}} | fields


CLAUDE_CODE = [
    {"type": "summary", "summary": "Bergen", "leafUuid": "u"},
    {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
    {"type": "queue-operation", "operation": "enqueue", "content": "I live in Bergen", "sessionId": "c0de"},
    claude("user", "I live in Bergen"),
    claude("user", "Caveat: I live in Rome", isMeta=True),
    claude("user", "<command-name>/clear</command-name>"),
    claude("user", [part("[Request interrupted by user]")]),
    claude("user", "<task-notification>\n<status>done</status>\n</task-notification>"),
    claude("user", "I live in Oslo", origin={"kind": "peer"}),
    claude("user", [part("<system-reminder>x</system-reminder>"), part("And I ski")]),
    claude("assistant", [part("Noted.")]),
    claude("assistant", [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]),
    claude(
        "user", [{"type": "tool_result", "tool_use_id": "t", "content": "exit 0"}], toolUseResult={"stdout": "exit 0"}
    ),
    claude("assistant", "I live in Bonn", isSidechain=True),
    claude("user", "I live in Paris", isCompactSummary=True, isVisibleInTranscriptOnly=True),
    claude("assistant", [part("API Error: 500")], isApiErrorMessage=True),
    {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", "sessionId": "c0de"},
    {"type": "attachment", "sessionId": "c0de", "attachment": {"type": "skill_listing", "content": "I live in Rome"}},
    {
        "type": "attachment",
        "sessionId": "c0de",
        "timestamp": "2026-01-04T12:00:02.000Z",
        "attachment": {"type": "queued_command", "prompt": "And I sail", "commandMode": "prompt"},
    },
    {
        "type": "attachment",
        "sessionId": "c0de",
        "attachment": {"type": "queued_command", "prompt": "I live in Bonn", "commandMode": "task-notification"},
    },
]


def test_claude_code_rows_are_what_people_and_the_agent_said():
    """B19: notes, commands, summaries, errors, helpers and other agents are nobody's words"""
    at = "2026-01-04T12:00:01.000Z"
    messages = messages_of(CLAUDE_CODE)
    assert [message for message in messages if message != ASIDE] == [
        {"role": "user", "content": "I live in Bergen", "timestamp": at},
        {"role": "user", "content": [part("And I ski")], "timestamp": at},
        {"role": "assistant", "content": [part("Noted.")], "timestamp": at},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}],
            "timestamp": at,
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t", "content": "exit 0"}],
            "timestamp": at,
        },
        {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", "sessionId": "c0de"},
        {"role": "user", "content": "And I sail", "timestamp": "2026-01-04T12:00:02.000Z"},
    ]
    assert messages.count(ASIDE) == 8
    assert texts(messages) == ["I live in Bergen", "And I ski", "Noted.", "And I sail"]
    assert sessions_of(CLAUDE_CODE) == ["c0de"]


def test_plain_messages_are_taken_as_they_are():
    """B19"""
    rows = [
        {"role": "user", "content": "I live in Bergen", "ts": "2026-01-04T12:00:00Z"},
        {"role": "assistant", "content": "Noted.", "timestamp": 1767528001},
        {"type": "human", "text": "And I ski", "session": "s"},
        {"role": "user", "content": "I sail", "parentId": "7", "id": "8"},
    ]
    assert messages_of(rows) == rows
    said = received(messages_of(rows), max_messages=10, max_message_bytes=1_000).said
    assert [message.at for message in said[:2]] == [NOON, NOON + timedelta(seconds=1)]
    assert texts(rows) == ["I live in Bergen", "Noted.", "And I ski", "I sail"]


def test_a_row_without_a_role_inside_has_that_of_its_type():
    assert messages_of([{"type": "assistant", "uuid": "u", "message": {"content": "Noted."}}]) == [
        {"role": "assistant", "content": "Noted."}
    ]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"   \n",
        b'{"role": "user',
        b"\xff\xfe{}",
        b'{"role": "\xe9"}',
        b"[" * 100_000,
        b"1" * 5_000,
        b"null",
    ],
    ids=["empty", "blank", "spaces", "half", "not utf-8", "latin-1", "deep", "long number", "null"],
)
def test_a_line_that_says_nothing_is_no_row(line: bytes):
    assert row_of(line) is None


def test_a_mark_at_the_start_of_a_file_is_not_of_its_first_row():
    assert row_of(b"\xef\xbb\xbf" + lines(plain("hi"))) == plain("hi")[0]


KEYS = ["type", "role", "message", "content", "attachment", "origin", "kind", "prompt", "id", "uuid", "sessionId"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(["user", "attachment", "queued_command"]),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(KEYS), inner),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(KEYS), JSON) | JSON)
@example({"type": [], "message": {"content": "hi"}})
@example({"type": "attachment", "attachment": {"type": "queued_command", "prompt": 5}})
def test_whatever_a_row_holds_it_is_read_without_failing(row: Any):
    messages = messages_of([row])
    assert len(messages) <= 1
    received(messages, max_messages=1, max_message_bytes=1_000)
    assert all(isinstance(name, str) and name.isprintable() for name in sessions_of([row]))


# --- reading on ---------------------------------------------------------------------------------------------------


def test_only_what_is_new_is_read(path: Path, follower: Follower):
    """B19"""
    append(path, lines(plain("hi", "Hello")))
    first = follower()
    assert (first.how, first.follows, texts(first.messages)) == (How.APPENDED, 0, ["hi", "Hello"])
    append(path, lines(plain("ok")))
    then = follower()
    assert (then.how, then.follows, texts(then.messages)) == (How.APPENDED, 2, ["ok"])
    nothing = follower()
    assert (nothing.how, nothing.messages, nothing.bookmark) == (How.NOTHING, (), then.bookmark)


def test_a_line_that_is_being_written_waits_for_its_end(path: Path, follower: Follower):
    """B19"""
    whole = lines(plain("hi", "Grüße"))
    append(path, whole[:-4])
    assert texts(follower().messages) == ["hi"]
    waiting = follower()
    assert (waiting.how, waiting.unreadable, waiting.more) == (How.NOTHING, 0, False)
    assert waiting.bookmark.size > waiting.bookmark.offset
    append(path, whole[-4:])
    assert texts(follower().messages) == ["Grüße"]


ROWS = [json.dumps(row).encode() for row in (*plain("ok", "ok", "x" * 300), *OPENCLAW[:6], *CLAUDE_CODE[:6])]
PIECES = st.lists(
    st.sampled_from([*ROWS, b"", b"not json", b"\xff\xff", b"x" * 700])
    | st.text(max_size=8).map(lambda text: json.dumps(plain(text)[0], ensure_ascii=False).encode()),
    max_size=14,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(PIECES, st.lists(st.integers(0, 4_000), max_size=12), st.integers(1, 900), st.integers(1, 4))
@example([json.dumps(plain("ok")[0]).encode()] * 3, [5, 40, 41], 1, 1)
def test_however_it_is_written_and_read_each_message_is_read_once(
    tmp_path_factory: pytest.TempPathFactory, rows: list[bytes], cuts: list[int], max_bytes: int, max_rows: int
):
    """B19: any pieces, any limits, and reading after each gives what reading once gives"""
    data = b"".join(row.replace(b"\n", b" ") + b"\n" for row in rows)
    folder = tmp_path_factory.mktemp("transcript")
    (folder / "once.jsonl").write_bytes(data)
    once = read_on(folder / "once.jsonl", max_line_bytes=400)
    follower = Follower(folder / "grown.jsonl", max_bytes=max_bytes, max_rows=max_rows, max_line_bytes=400)
    passed_over = [0, 0]
    bounds = sorted({0, *(cut for cut in cuts if cut < len(data)), len(data)})
    for start, end in zip([0, *bounds], bounds, strict=False):
        append(follower.path, data[start:end])
        more = True
        while more:
            grown = follower()
            assert grown.how in {How.APPENDED, How.NOTHING}
            passed_over[0] += grown.unreadable
            passed_over[1] += grown.too_long
            more = grown.more
    assert tuple(follower.messages) == once.messages
    assert passed_over == [once.unreadable, once.too_long]
    assert grown.bookmark.messages == len(once.messages)
    assert grown.bookmark.offset == once.bookmark.offset == len(data)


def test_lines_that_cannot_be_read_are_passed_over_and_counted(path: Path, follower: Follower):
    """B19"""
    append(path, lines(plain("hi")) + b"not json\n\n" + b'{"role": "user", "content": "\xff"}\n' + lines(plain("ok")))
    grown = follower()
    assert (texts(grown.messages), grown.unreadable, grown.too_long) == (["hi", "ok"], 2, 0)


def test_a_line_of_five_megabytes_is_passed_over_though_it_comes_in_pieces(path: Path):
    """B19: with no more than a part of it in memory"""
    follower = Follower(path, max_bytes=1 << 20, max_line_bytes=1 << 16)
    append(path, lines(plain("hi")) + b'{"role": "user", "content": "' + b"x" * (3 << 20))
    grown = follower()
    assert texts(grown.messages) == ["hi"]
    while grown.more:
        grown = follower()
        assert grown.bookmark.within
    append(path, b"x" * (2 << 20) + b'"}\n' + lines(plain("ok")))
    items = [follower()]
    while items[-1].more:
        items.append(follower())
    assert [text for grown in items for text in texts(grown.messages)] == ["ok"]
    assert sum(grown.too_long for grown in items) == 1
    assert len(items) > 1


def test_no_more_is_read_at_once_than_asked_for(path: Path):
    """B19"""
    row = lines(plain("hi"))
    path.write_bytes(row * 10)
    first = read_on(path, max_bytes=len(row) * 3)
    assert (len(first.messages), first.more) == (3, True)
    rest = read_on(path, first.bookmark, max_bytes=len(row) * 7)
    assert (len(rest.messages), rest.more) == (7, False)


def test_a_file_in_the_place_of_another_is_read_from_its_start(path: Path, follower: Follower):
    """B19: rotation"""
    append(path, lines(plain("hi", "Hello", "how are you?")))
    follower()
    path.rename(path.with_suffix(".old"))
    append(path, lines(plain("good morning")))
    grown = follower()
    assert (grown.how, grown.follows, texts(grown.messages)) == (How.ROTATED, 0, ["good morning"])
    append(path, lines(plain("ok")))
    assert (follower().follows, texts(follower.messages)) == (1, ["good morning", "ok"])


def test_a_file_that_was_cut_is_read_from_its_start(path: Path, follower: Follower):
    """B19: truncation"""
    append(path, lines(plain("hi", "Hello", "how are you?")))
    follower()
    os.truncate(path, len(lines(plain("hi"))))
    grown = follower()
    assert (grown.how, grown.follows, texts(grown.messages)) == (How.TRUNCATED, 0, ["hi"])
    os.truncate(path, 0)
    emptied = follower()
    assert (emptied.how, emptied.messages, emptied.bookmark.offset) == (How.TRUNCATED, (), 0)
    append(path, lines(plain("again")))
    assert texts(follower().messages) == ["again"]


@pytest.mark.parametrize("kept", [0, 1], ids=["another head", "the same head"])
def test_a_file_written_anew_and_longer_is_read_from_its_start(path: Path, follower: Follower, kept: int):
    """B19: also where it begins as before"""
    head = lines(plain("x" * 2_000)) * kept
    path.write_bytes(head + lines(plain("hi")))
    follower()
    path.write_bytes(head + lines(plain("yo", "A longer one", "than it was before")))
    grown = follower()
    assert (grown.how, grown.follows) == (How.ROTATED, 0)
    assert texts(grown.messages)[kept:] == ["yo", "A longer one", "than it was before"]


def test_a_file_put_back_as_it_was_is_not_read_again(path: Path, follower: Follower):
    """B19: a backup has another inode, and says the same"""
    append(path, lines(plain("hi")))
    follower()
    other = path.with_suffix(".copy")
    other.write_bytes(path.read_bytes() + lines(plain("ok")))
    other.replace(path)
    grown = follower()
    assert (grown.how, texts(grown.messages)) == (How.APPENDED, ["ok"])


@pytest.mark.parametrize("payload", [None, 5, {}, {"offset": -1}, {"offset": "0"}], ids=str)
def test_a_bookmark_that_is_none_begins_at_the_start(payload: object):
    assert Bookmark.from_json(payload) is None
    whole = Bookmark().to_json()
    assert Bookmark.from_json(whole) == Bookmark()
    assert Bookmark.from_json({**whole, "offset": True}) is None


# --- what is opened -----------------------------------------------------------------------------------------------


def a_link(path: Path) -> None:
    path.with_name("other").write_bytes(lines(plain("hi")))
    path.symlink_to(path.with_name("other"))


def a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(path))


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, a_link, a_socket], ids=["pipe", "folder", "link", "socket"])
def test_nothing_but_a_regular_file_is_read(path: Path, make: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch):
    """B19"""
    monkeypatch.chdir(path.parent)  # the path of a socket is short
    make(path)
    for read in (read_on, growth_of):
        with pytest.raises(InvalidRequest) as refused:
            read(path)
        assert refused.value.hint


def test_a_file_that_is_not_there_is_not_found(path: Path):
    with pytest.raises(NotFound, match="monday"):
        read_on(path)


# --- the session --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "rows", "session"),
    [
        ("monday.jsonl", plain("hi"), "monday"),
        ("monday.jsonl.reset.2026-01-04T12-00-00Z", plain("hi"), "monday"),
        ("v1.monday.log", plain("hi"), "v1.monday"),
        ("monday.jsonl", OPENCLAW, "0b1c"),
        ("monday.jsonl", CLAUDE_CODE, "c0de"),
        ("monday.jsonl", [{"role": "user", "content": "hi", "session_id": "s"}], "s"),
        ("monday.jsonl", [{"role": "user", "content": "hi", "session_id": "s\x00" + "s" * 300}], "monday"),
    ],
)
def test_the_session_is_the_one_the_rows_name_or_else_the_file(
    tmp_path: Path, name: str, rows: list[object], session: str
):
    """B19"""
    (tmp_path / name).write_bytes(lines(rows))
    assert read_on(tmp_path / name).session == session


def test_what_goes_on_stays_in_its_session(path: Path, follower: Follower):
    append(path, lines(OPENCLAW[:1])[:-1])
    assert follower().session == "monday"
    append(path, b"\n")
    assert follower().session == "0b1c"
    append(path, lines(OPENCLAW[3:5]))
    assert follower().session == "0b1c"
    append(path, lines([{"role": "user", "content": "hi", "session": "another"}]))
    assert follower().session == "0b1c"


# --- growth -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bytes", "messages", "enough"), [(99_999, 49, False), (100_000, 0, True), (0, 50, True), (0, 0, False)]
)
def test_a_hundred_kilobytes_or_fifty_messages_are_enough(bytes: int, messages: int, enough: bool):
    """B12"""
    assert Growth(bytes=bytes, messages=messages).is_enough is enough


def test_the_thresholds_are_a_rule_that_can_be_another():
    """B12"""
    rule = Growth(enough_bytes=10, enough_messages=2)
    assert replace(rule, bytes=10).is_enough
    assert replace(rule, bytes=1, messages=2).is_enough
    assert not replace(rule, bytes=9, messages=1).is_enough


def test_growth_is_told_from_the_file_without_reading_its_rows(path: Path):
    """B12"""
    path.write_bytes(lines(plain("hi")))
    read = read_on(path).bookmark
    os.utime(path, (NOON.timestamp(), NOON.timestamp()))
    assert growth_of(path, read) == Growth()
    append(path, b"not json\n" * 49 + b"half")
    os.utime(path, (NOON.timestamp(), NOON.timestamp()))
    grown = growth_of(path, read)
    assert (grown.bytes, grown.messages, grown.is_enough) == (9 * 49 + 4, 49, False)
    append(path, b"\n")
    assert growth_of(path, read).is_enough
    # In another file everything is new.
    path.write_bytes(b"x" * 5_000)
    assert growth_of(path, read).bytes == 5_000
    assert growth_of(path, rule=Growth(enough_bytes=5_000)).is_enough


# --- sessions as files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("session", "path"),
    [
        ("monday", "sessions/monday"),
        ("agent:main:telegram", "sessions/agent:main:telegram"),
        ("a/b", "sessions/a%2Fb"),
        ("a#L1-L2", "sessions/a%23L1-L2"),
        ("50%", "sessions/50%25"),
        ("Grüße", "sessions/Gr%C3%BC%C3%9Fe"),
        ("..", "sessions/%2E%2E"),
        ("a b\\c?", "sessions/a%20b%5Cc%3F"),
    ],
)
def test_a_session_has_a_path_by_which_it_is_cited(session: str, path: str):
    """B19"""
    assert session_path(session) == path
    assert session_of(path) == session


@given(st.text(min_size=1))
def test_every_session_has_a_path_of_its_own(session: str):
    """B19"""
    path = session_path(session)
    assert session_of(path) == session
    assert path.count("/") == 1
    assert path.isascii()
    assert not set(path) & set("#?\\ \n\r\t\x00")
    assert path not in {"sessions/.", "sessions/..", "sessions/"}


@pytest.mark.parametrize(
    "path", ["", "MEMORY.md", "memory/sessions", "sessions", "sessions/", "sessions/a/b", "sessions/%FF"]
)
def test_other_paths_are_of_no_session(path: str):
    assert session_of(path) is None


def turn(seq: int, text: str, role: Role = Role.USER) -> Turn:
    return Turn(id=TraceId(str(seq)), text=text, session="s", seq=seq, created_at=NOON, role=role)


def test_the_turns_of_a_session_are_its_lines():
    """B19: line n is the turn at place n-1, whatever is left out or has several lines"""
    said = [turn(0, "hi"), turn(1, "One.\n\n  Two.\u2028Three.\r\n", Role.ASSISTANT), turn(3, "ok")]
    assert as_lines(said) == "user: hi\nassistant: One. Two. Three.\n\nuser: ok\n"
    assert as_lines([]) == ""


@given(st.lists(st.text(), max_size=5))
def test_each_turn_is_one_line(said: list[str]):
    """B19"""
    text = as_lines(turn(at, each) for at, each in enumerate(said))
    assert len(text.splitlines()) == text.count("\n") == len(said)

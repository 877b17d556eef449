"""Messages in every shape hosts send them (C1, X2): what is said is heard, what is not is skipped with a reason."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.capture.messages import Message, MessageIssue, Noted, ReceivedMessages, in_parts, received
from cortex.domain.turn import Role, TurnDraft
from cortex.errors import InvalidRequest
from sweeps import for_each


def hear(*messages: object, most: int = 100, most_bytes: int = 1_000, tools: bool = False) -> ReceivedMessages:
    return received(messages, max_messages=most, max_message_bytes=most_bytes, tools=tools)


def one(message: object, **options) -> Message:
    (said,) = hear(message, **options).said
    return said


def reason(message: object) -> MessageIssue:
    found = hear(message)
    assert found.said == ()
    (noted,) = found.skipped
    assert noted.index == 0
    return noted.reason


# --- shapes ---------------------------------------------------------------------------------------


@for_each(
    ("message", "role", "text"),
    [
        ({"role": "user", "content": "hello"}, Role.USER, "hello"),
        ({"role": "user", "text": "hello"}, Role.USER, "hello"),
        ({"role": "User", "content": [{"type": "text", "text": "a"}, {"text": "b"}]}, Role.USER, "a\nb"),
        ({"role": "user", "content": [{"type": "input_text", "text": "hello"}]}, Role.USER, "hello"),
        ({"role": "assistant", "content": [{"type": "output_text", "text": "hi"}]}, Role.ASSISTANT, "hi"),
        ({"role": "assistant", "content": [{"type": "refusal", "refusal": "I can't"}]}, Role.ASSISTANT, "I can't"),
        ({"type": "message", "role": "user", "content": "hello"}, Role.USER, "hello"),
        ({"role": "user", "content": {"type": "text", "text": "hello"}}, Role.USER, "hello"),
        ({"role": "model", "parts": [{"text": "hi"}]}, Role.ASSISTANT, "hi"),
        ({"type": "human", "content": "hello"}, Role.USER, "hello"),
        ({"type": "ai", "content": "hi"}, Role.ASSISTANT, "hi"),
        ({"role": "user", "content": ["hello", "there"]}, Role.USER, "hello\nthere"),
        ({"type": "message", "message": {"role": "user", "content": "hello"}}, Role.USER, "hello"),
        ({"content": "hello", "speaker": "Bo"}, None, "hello"),
        (TurnDraft(text="hello", role=Role.ASSISTANT), Role.ASSISTANT, "hello"),
        (TurnDraft(text="hello"), None, "hello"),
    ],
)  # fmt: skip
def test_a_message_is_heard_in_every_shape(message: object, role: Role | None, text: str):
    """X2: OpenAI, Anthropic, OpenClaw and plain"""
    said = one(message)
    assert (said.role, said.text, said.from_tool) == (role, text, False)


def test_a_message_without_a_role_counts_as_a_users():
    assert one({"content": "hello"}).effective_role is Role.USER


def test_the_text_is_kept_verbatim():
    text = "  Two\n\n lines\t and 好的 🙂 \u200b\n"
    assert one({"role": "user", "content": text}).text == text


def test_the_place_in_the_input_is_told():
    """So that a receipt can point at it"""
    found = hear({"role": "user", "content": "a"}, None, {"role": "user", "content": "b"})
    assert [message.index for message in found.said] == [0, 2]
    assert found.skipped == (Noted(1, MessageIssue.NOT_A_MESSAGE),)


def test_speaker_and_id_are_kept():
    said = one({"role": "user", "content": "x", "name": " Bo\x00  Li ", "id": "msg_1"})
    assert (said.speaker, said.id) == ("Bo Li", "msg_1")
    assert one({"role": "user", "content": "x", "author": {"name": "Bo"}}).speaker == "Bo"


def test_text_beside_other_parts_is_heard_and_the_parts_are_counted():
    """OpenAI, Anthropic and OpenClaw parts"""
    said = one(
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm"},
                {"type": "text", "text": "Look:"},
                {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
                {"type": "image", "source": {"type": "base64", "data": "AAAA"}},
                {"type": "tool_use", "name": "search", "input": {}},
                {"type": "toolCall", "name": "search", "arguments": {}},
                {"type": "document", "source": {"type": "text", "data": "a book"}},
                {"type": "hologram", "text": "no"},
                7,
            ],
        }
    )
    assert said.text == "Look:"
    assert said.parts_skipped == {"thinking": 1, "image": 2, "tool_call": 2, "document": 1, "other": 2}


def test_calls_of_tools_beside_a_text_are_counted():
    """OpenAI's tool_calls stand beside the content"""
    said = one({"role": "assistant", "content": "Let me look", "tool_calls": [{"id": "1"}, {"id": "2"}]})
    assert (said.text, said.parts_skipped) == ("Let me look", {"tool_call": 2})


def test_what_is_said_of_a_picture_is_heard():
    """Alt text, caption, transcript"""
    said = one(
        {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": {"url": "x"}, "alt": "a red bicycle"},
                {"type": "image", "source": {}, "caption": "my cat"},
                {"type": "input_audio", "input_audio": {"data": "x", "transcript": "call me tomorrow"}},
            ],
        }
    )
    assert said.text == "[image: a red bicycle]\n[image: my cat]\ncall me tomorrow"
    assert said.parts_skipped == {"image": 2, "audio": 1}


# --- what cannot be used --------------------------------------------------------------------------


@for_each(
    ("message", "why"),
    [
        ("hello", MessageIssue.NOT_A_MESSAGE),
        (None, MessageIssue.NOT_A_MESSAGE),
        (7, MessageIssue.NOT_A_MESSAGE),
        ([], MessageIssue.NOT_A_MESSAGE),
        ({"role": "martian", "content": "zorp"}, MessageIssue.UNKNOWN_ROLE),
        ({"role": 7, "content": "zorp"}, MessageIssue.UNKNOWN_ROLE),
        ({"role": "user"}, MessageIssue.NO_CONTENT),
        ({"role": "user", "content": None}, MessageIssue.NO_CONTENT),
        ({}, MessageIssue.NO_CONTENT),
        ({"role": "user", "content": ""}, MessageIssue.NO_TEXT),
        ({"role": "user", "content": " \n"}, MessageIssue.NO_TEXT),
        ({"role": "user", "content": []}, MessageIssue.NO_TEXT),
        ({"role": "user", "content": 7}, MessageIssue.NO_TEXT),
        ({"role": "user", "content": b"bytes"}, MessageIssue.NO_TEXT),
        ({"role": "user", "content": "\x00\x00"}, MessageIssue.NO_TEXT),
        ({"role": "user", "content": [{"type": "image", "source": {}}]}, MessageIssue.NO_TEXT),
        ({"role": "user", "content": [{"type": "text", "text": 7}]}, MessageIssue.NO_TEXT),
        (TurnDraft(text=""), MessageIssue.NO_TEXT),
        ({"role": "system", "content": "You are helpful"}, MessageIssue.SYSTEM),
        ({"role": "developer", "content": "You are helpful"}, MessageIssue.SYSTEM),
        (TurnDraft(text="You are helpful", role=Role.SYSTEM), MessageIssue.SYSTEM),
        ({"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}, MessageIssue.TOOL_CALL),
        ({"role": "assistant", "content": [{"type": "toolCall", "name": "x"}]}, MessageIssue.TOOL_CALL),
        ({"type": "function_call", "name": "x", "arguments": "{}"}, MessageIssue.TOOL_CALL),
        ({"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}]}, MessageIssue.THINKING),
        ({"type": "reasoning", "summary": []}, MessageIssue.THINKING),
        ({"type": "function_call_output", "output": "42"}, MessageIssue.TOOL_OUTPUT),
        ({"role": "tool", "content": "exit code 0"}, MessageIssue.TOOL_OUTPUT),
        ({"role": "function", "name": "x", "content": "42"}, MessageIssue.TOOL_OUTPUT),
        ({"role": "toolResult", "content": [{"type": "text", "text": "42"}]}, MessageIssue.TOOL_OUTPUT),
        ({"role": "user", "content": [{"type": "tool_result", "content": "42"}]}, MessageIssue.TOOL_OUTPUT),
        ({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1"}]}, MessageIssue.TOOL_OUTPUT),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_skipped_with_its_reason(message: object, why: MessageIssue):
    """Bad input never spoils the rest, and is never lost silently"""
    assert reason(message) is why


@pytest.mark.parametrize(
    "message",
    [
        {"role": "tool", "content": "42 degrees"},
        {"role": "toolResult", "content": [{"type": "text", "text": "42 degrees"}]},
        {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "42 degrees"}]}]},
        {"role": "user", "content": [{"type": "tool_result", "content": "42 degrees"}]},
        TurnDraft(text="42 degrees", role=Role.TOOL),
    ],
)
def test_what_a_tool_answered_is_heard_as_the_tools_where_it_is_wanted(message: object):
    """E11: never as the user's"""
    said = one(message, tools=True)
    assert (said.role, said.text, said.from_tool) == (Role.TOOL, "42 degrees", True)


def test_the_users_words_beside_a_tools_answer_are_the_users():
    said = one({"role": "user", "content": [{"type": "tool_result", "content": "42"}, {"type": "text", "text": "So?"}]})
    assert (said.role, said.text, said.from_tool, said.parts_skipped) == (Role.USER, "So?", False, {"tool_result": 1})


def test_the_reasons_are_counted_for_the_receipt():
    """E12"""
    found = hear(None, "x", {"role": "user", "content": "a\x00", "ts": "soon"}, {"role": "zorp"})
    assert found.counts == {"bad_time": 1, "cleaned": 1, "not_a_message": 2, "unknown_role": 1}


@pytest.mark.parametrize("wrong", [{"role": "user"}, "hello", b"hello", 7, None])
def test_a_history_that_is_no_list_is_refused_by_name(wrong: object):
    with pytest.raises(InvalidRequest, match="messages: is not a list"):
        received(wrong, max_messages=10, max_message_bytes=10)  # type: ignore[arg-type]


# --- time -----------------------------------------------------------------------------------------

NOON = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "given",
    [
        {"ts": NOON.timestamp()},
        {"timestamp": int(NOON.timestamp())},
        {"timestamp": int(NOON.timestamp() * 1_000)},
        {"ts": int(NOON.timestamp() * 1_000_000)},
        {"ts": str(int(NOON.timestamp() * 1_000))},
        {"created_at": "2026-01-05T12:00:00Z"},
        {"created_at": "2026-01-05T13:00:00+01:00"},
        {"createdAt": "2026-01-05T12:00:00"},
        {"at": NOON.astimezone(timezone(timedelta(hours=9)))},
    ],
)
def test_a_time_is_read_as_hosts_write_it(given: dict[str, object]):
    """Seconds, milliseconds, ISO 8601; in UTC"""
    assert one({"role": "user", "content": "x", **given}).at == NOON


@pytest.mark.parametrize(
    "given", ["yesterday", "", -1, 0, True, float("nan"), float("inf"), 1e30, [], {}, "9999-99-99"]
)
def test_a_time_that_is_none_is_left_out_and_told(given: object):
    found = hear({"role": "user", "content": "x", "ts": given})
    assert found.said[0].at is None
    assert found.changed == (Noted(0, MessageIssue.BAD_TIME),)


def test_no_time_is_nothing_to_tell():
    assert hear({"role": "user", "content": "x", "ts": None}).changed == ()


# --- what fits ------------------------------------------------------------------------------------


def test_nul_bytes_and_lone_surrogates_are_removed_and_told():
    found = hear({"role": "user", "content": "a\x00b\ud800c 好"})
    assert found.said[0].text == "abc 好"
    assert found.changed == (Noted(0, MessageIssue.CLEANED),)


def test_two_halves_of_a_character_are_one():
    """As a host writes JSON escapes"""
    assert one({"role": "user", "content": "\ud83d\ude42 ok \ud83d"}).text == "🙂 ok "


@given(st.text(min_size=1, max_size=60).filter(str.strip), st.integers(8, 100))
def test_a_message_too_long_is_cut_at_the_limit_and_not_lost(text: str, most: int):
    found = hear({"role": "user", "content": "x" + text}, most_bytes=most)
    kept = found.said[0].text
    clean = ("x" + text).replace("\x00", "")
    assert clean.startswith(kept)
    assert len(kept.encode()) <= most
    assert (Noted(0, MessageIssue.CUT) in found.changed) == (kept != clean)


def test_of_too_many_messages_the_newest_are_heard():
    """C1: a history grows at its end"""
    found = hear(*({"role": "user", "content": str(number)} for number in range(5)), most=2)
    assert [(message.index, message.text) for message in found.said] == [(3, "3"), (4, "4")]
    assert found.skipped == tuple(Noted(index, MessageIssue.TOO_MANY) for index in range(3))


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["role", "content", "type", "text", "ts", "message", "parts", "tool_calls", "name"]), inner
        )
    ),
    max_leaves=12,
)
HISTORIES = st.lists(
    JSON
    | st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "tool", "toolResult", "x"]), "content": JSON}
    ),
    max_size=5,
)


@given(HISTORIES, st.booleans())
def test_every_message_is_either_heard_or_skipped_with_a_reason(history: list[object], tools: bool):
    """Whatever comes, nothing is an error and nothing disappears"""
    found = hear(*history, tools=tools)
    assert sorted([*(said.index for said in found.said), *(noted.index for noted in found.skipped)]) == list(
        range(len(history))
    )
    assert all(said.text.strip() and "\x00" not in said.text for said in found.said)


def test_parts_nested_without_end_are_no_burden():
    content: object = "deep"
    for _ in range(500):
        content = [{"type": "tool_result", "content": content}]
    assert hear({"role": "user", "content": content}, tools=True).said == ()


# --- long texts in parts --------------------------------------------------------------------------

PROSE = st.text(alphabet="ab. !?\n好。é🙂", max_size=300)


@given(PROSE, st.integers(4, 80))
def test_the_parts_of_a_text_are_the_text(text: str, most: int):
    parts = in_parts(text, most)
    assert "".join(parts) == text
    assert all(len(part.encode()) <= most for part in parts)


@given(st.lists(st.text(alphabet="abc ", min_size=1, max_size=20), min_size=1, max_size=20), st.integers(30, 80))
def test_a_text_is_parted_at_the_end_of_a_line(lines: list[str], most: int):
    parts = in_parts("".join(f"{line}\n" for line in lines), most)
    assert all(part.endswith("\n") for part in parts)


def test_a_text_that_fits_is_one_part():
    assert in_parts("short", 5) == ["short"]
    assert in_parts("", 5) == [""]


def test_a_line_without_end_is_parted_within_its_characters():
    text = "好" * 10_000
    parts = in_parts(text, 1_000)
    assert "".join(parts) == text
    assert len(parts) <= 41

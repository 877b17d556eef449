"""Conversations from the command line: capture, ingest, and what is told of a topic (C1, C2, C5, X11-X14)."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from terminal import Cli

from cortex.errors import LlmUnavailable
from cortex.testing import FakeLLM

TRAMS, GERMAN = "I prefer trams over buses", "From now on, always answer in German"
CHAT: list[dict[str, Any]] = [
    {"role": "user", "content": "I live in Bergen"},
    {"role": "assistant", "content": "Bergen is lovely."},
    {"role": "user", "content": TRAMS},
]


@pytest.fixture
def chat(tmp_path: Path) -> Callable[..., str]:
    """Writes a conversation to a file; gives its path."""

    def write(said: Any = CHAT, name: str = "chat.json") -> str:
        path = tmp_path / name
        path.write_text(said if isinstance(said, str) else json.dumps(said), encoding="utf-8")
        return str(path)

    return write


def memories(cli: Cli, state: str = "active") -> list[str]:
    listed = cli("list", "--lane", "memories", "--state", state, "--json").json["memories"]
    return [trace["text"] for trace in listed]


def turns(cli: Cli, *options: str) -> list[str]:
    return [trace["text"] for trace in cli("list", "--lane", "sessions", "--json", *options).json["memories"]]


# --- capture ------------------------------------------------------------------------------------------------------


def test_capture_stores_the_turns_and_shows_the_memories_it_drew(cli: Cli, chat: Callable[..., str]) -> None:
    """C1, X11"""
    said = cli("capture", chat(), "--session", "monday")
    assert said.code == 0, said.err
    assert turns(cli, "--session", "monday") == [message["content"] for message in CHAT]
    assert memories(cli) == ["I live in Bergen", TRAMS]
    rows = [line.split() for line in said.out.splitlines()]
    (preference,) = [row for row in rows if row[:1] == ["preference"]]
    assert preference[1:6] == TRAMS.split()
    assert preference[-2] == "new"
    assert "3 turns stored, 0 seen before" in said.out


def test_a_second_capture_of_the_same_changes_nothing(cli: Cli, chat: Callable[..., str]) -> None:
    """C1"""
    cli("capture", chat(), "--session", "monday")
    before = cli("admin", "stats", "--json").json
    said = cli("capture", chat(), "--session", "monday")
    assert said.out.strip() == "0 turns stored, 3 seen before"
    assert cli("admin", "stats", "--json").json == before


def test_what_a_memory_replaced_stands_below_it(cli: Cli, chat: Callable[..., str]) -> None:
    """X14"""
    cli("capture", chat(), "--session", "monday")
    cli.clock.advance(timedelta(days=1))
    said = cli("capture", chat("I moved. I live in Lisbon now.", "move.txt"), "--session", "tuesday")
    assert "supersedes" in said.out
    assert "replaces: I live in Bergen" in said.out
    assert memories(cli, "superseded") == ["I live in Bergen"]
    told = cli("capture", chat("I live in Oslo now, no longer in Lisbon.", "m.txt"), "--session", "w", "--json").json
    (moved,) = [each for each in told["memories"] if each["became"] == "supersedes"]
    assert "Lisbon" in moved["replaced"]["text"]


def test_what_was_said_again_is_shown_as_reinforced(cli: Cli, chat: Callable[..., str]) -> None:
    """X13"""
    cli("capture", chat(), "--session", "monday")
    said = cli("capture", chat(f"{TRAMS}!", "again.txt"), "--session", "tuesday")
    assert "reinforces ×2" in said.out
    assert memories(cli) == ["I live in Bergen", TRAMS]


def test_json_gives_the_turns_the_memories_and_the_receipt_as_one_object(cli: Cli, chat: Callable[..., str]) -> None:
    """E12"""
    said = cli("capture", chat(), "--session", "monday", "--scope", "travel", "--channel", "chat", "--json")
    told = said.json
    assert len(told["turns"]) == 3
    assert [(each["text"], each["became"], each["scope"]) for each in told["memories"]] == [
        ("I live in Bergen", "new", "travel"),
        (TRAMS, "new", "travel"),
    ]
    assert told["receipt"]["stored"] == 3
    assert told["failed"] == []
    assert cli("get", told["turns"][0], "--json").json["channel"] == "chat"


def test_what_is_left_out_is_counted_by_its_reason(cli: Cli, chat: Callable[..., str]) -> None:
    """C1, S4"""
    said = cli(
        "capture",
        chat(
            [
                *CHAT,
                {"role": "tool", "content": "I live in Oslo"},
                {"role": "narrator", "content": "Meanwhile"},
                17,
                {"role": "user", "content": "my key is AKIAIOSFODNN7EXAMPLE, keep it safe"},
            ]
        ),
        "--session",
        "monday",
    )
    assert "3 skipped (not_a_message 1, tool_output 1, unknown_role 1)" in said.out
    assert "1 secret redacted" in said.out
    assert "AKIAIOSFODNN7EXAMPLE" not in cli("export", "--with-text").out


def test_small_talk_leaves_turns_and_no_memory(cli: Cli, chat: Callable[..., str]) -> None:
    said = cli("capture", chat("what is the weather like?", "talk.txt"), "--session", "monday")
    assert "No memories extracted. The turns themselves can be recalled." in said.out
    assert memories(cli) == []


def test_two_statements_that_disagree_are_shown_as_a_contradiction(cli: Cli, chat: Callable[..., str]) -> None:
    """X14: in the word of the documents"""
    cli.remembered("I have never fired the kiln at the studio.")
    cli.clock.advance(timedelta(days=1))
    said = chat("I fired the kiln at the studio twice in May.", "two.txt")
    told = cli("capture", said, "--session", "tuesday", "--json").json
    assert [each["became"] for each in told["memories"]] == ["contradicts"]


def away(_: str) -> str:
    raise LlmUnavailable("the server cannot be reached", hint="start the server", reason="unreachable")


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (away, "the language model has not read it yet; Cortex retries later"),
        (lambda _: "no JSON", "the language model's answers were unreadable; Cortex retries later"),
    ],
)
def test_what_the_model_has_not_read_is_not_called_worthless(
    cli: Cli, chat: Callable[..., str], answer: Callable[[str], str], text: str
) -> None:
    cli.model = FakeLLM(answer)
    said = cli("capture", chat("what is the weather like?", "talk.txt"), "--session", "monday")
    assert "No memories extracted" not in said.out
    assert text in " ".join(said.out.split())


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (lambda _: "The deploy key was stolen [1].", "the model's answer said more than the memories do"),
        (lambda _: "Keys are nice.", "the model's answer cited no memory"),
        (away, "the language model gave no answer"),
    ],
)
def test_a_digest_says_plainly_why_it_is_one(cli: Cli, answer: Callable[[str], str], why: str) -> None:
    """C5"""
    cli.remembered("The deploy key rotates on Mondays")
    cli.model = FakeLLM(answer)
    said = " ".join(cli("recall", "--synthesize", "when does the deploy key rotate?").out.split())
    assert f"! {why}, so the memories are quoted instead" in said
    assert "no model" not in said


def test_a_session_of_no_person_is_left_alone(cli: Cli, chat: Callable[..., str]) -> None:
    said = cli("capture", chat(), "--session", "cron:nightly")
    assert (said.code, said.out.strip()) == (0, "nothing was stored: the session is cron")
    assert cli.counted() == 0


def test_an_embedder_that_fails_costs_no_memory_and_is_told(cli: Cli, chat: Callable[..., str]) -> None:
    """C6, C16"""
    cli.embedder.fail()
    said = cli("capture", chat(), "--session", "monday")
    assert said.code == 0, said.err
    assert memories(cli) == ["I live in Bergen", TRAMS]
    assert "turns have no vectors yet; run `cortex doctor`" in said.out


# --- the forms of a conversation ----------------------------------------------------------------------------------

LINES = "\n".join(json.dumps(message) for message in CHAT)


@pytest.mark.parametrize(
    "given",
    [
        json.dumps(CHAT),
        json.dumps(CHAT, indent=2),
        json.dumps({"session_id": "s", "messages": CHAT}),
        LINES,
        f"\n{LINES}\n\n",
        "\n".join(json.dumps({"type": message["role"], "message": message, "sessionId": "s"}) for message in CHAT),
    ],
    ids=["array", "laid out", "object", "lines", "blank lines", "transcript"],
)
def test_every_form_of_a_conversation_says_the_same(cli: Cli, chat: Callable[..., str], given: str) -> None:
    """C1, X2"""
    for number, said in enumerate([given, "\ufeff" + given]):
        cli("capture", chat(said, f"chat-{number}.log"), "--session", f"from a file {number}")
        assert turns(cli, "--session", f"from a file {number}") == [message["content"] for message in CHAT]
    assert cli("capture", "-", "--session", "from a pipe", stdin=given).code == 0
    assert turns(cli, "--session", "from a pipe") == [message["content"] for message in CHAT]


@pytest.mark.parametrize("text", [TRAMS, "[sic] I prefer trams", "{curly} remarks\nover two lines", '"quoted"', "12"])
def test_plain_text_is_one_message_of_the_user(cli: Cli, text: str) -> None:
    cli("capture", "--background", "-", "--session", "s", stdin=text)
    (turn,) = cli("list", "--lane", "sessions", "--json").json["memories"]
    assert (turn["text"], turn.get("role", "user")) == (text, "user")


def test_plain_text_may_be_the_assistants(cli: Cli) -> None:
    cli("capture", "--background", "-", "--session", "s", "--role", "assistant", stdin="I can book a tram for you")
    (turn,) = cli("list", "--lane", "sessions", "--json").json["memories"]
    assert turn["role"] == "assistant"


def test_the_session_is_the_one_the_conversation_names(cli: Cli, chat: Callable[..., str]) -> None:
    cli("capture", "--background", chat({"session_id": "named", "messages": CHAT}))
    assert len(turns(cli, "--session", "named")) == 3
    cli("capture", "--background", chat({"session_id": "named", "messages": CHAT}), "--session", "given")
    assert len(turns(cli, "--session", "given")) == 3


def test_a_line_of_json_may_hold_other_ends_of_lines_as_they_are(cli: Cli, chat: Callable[..., str]) -> None:
    """C1: JavaScript writes U+2028 as it is"""
    said = ["I live in\u2028Bergen", "and\x85I\u2029ski"]
    rows = "\n".join(json.dumps({"role": "user", "content": text}, ensure_ascii=False) for text in said)
    cli("capture", "--background", chat(rows, "chat.jsonl"), "--session", "s")
    assert turns(cli, "--session", "s") == said


def test_a_line_that_is_cut_off_is_counted_and_spoils_nothing(cli: Cli, chat: Callable[..., str]) -> None:
    """C1: a transcript that is being written"""
    said = cli("capture", "--background", chat(f'{LINES}\n{{"role": "user", "cont', "chat.jsonl"), "--session", "s")
    assert "3 turns stored, 0 seen before, 1 skipped (not_a_message 1)" in said.out


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (b"", "messages: is empty"),
        (b" \n ", "messages: is empty"),
        (b"\xff\xfe", "messages: is not UTF-8"),
        (b'[{"role": "user", "content": "cut o', "messages: is not JSON: line 1, column 30"),
        (b'{"messages": 5}', "messages: is JSON, but not a list of messages"),
        (b'[{"a": ' + b"[" * 100_000, "messages: is nested too deeply"),
    ],
)
@pytest.mark.parametrize("options", [[], ["--background"]])
def test_what_is_no_conversation_is_refused(cli: Cli, options: list[str], given: bytes, error: str) -> None:
    said = cli("capture", *options, "-", "--session", "s", stdin=given)
    assert (said.code, said.out) == (2, "")
    assert said.error == error
    assert said.hint
    assert cli.counted() == 0


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["nowhere.json", "--session", "s"], "nowhere.json: cannot be read: No such file or directory"),
        (["-"], "session: is missing"),
        (["-", "--session", "s\n"], "session: "),
        (["-", "--session", "s", "--role", "narrator"], "role: 'narrator' is not known"),
        (["-", "--session", "s", "--scope", ""], "scope: is empty"),
    ],
)
def test_bad_arguments_are_refused_by_name(cli: Cli, arguments: list[str], error: str) -> None:
    for options in ([], ["--background"]):
        said = cli("capture", *options, *arguments, stdin=TRAMS)
        assert said.code == 2
        assert said.error.startswith(error)
        assert cli.counted() == 0


# --- ingest -------------------------------------------------------------------------------------------------------


def test_ingest_returns_at_once_and_says_when_memories_will_be_drawn(cli: Cli, chat: Callable[..., str]) -> None:
    """C2"""
    said = cli("capture", "--background", chat(), "--session", "monday")
    assert said.code == 0, said.err
    assert "3 turns stored" in said.out
    assert "in 30 s" in said.out
    assert "`cortex admin jobs run`" in said.out
    assert memories(cli) == []
    cli("admin", "jobs", "run")
    assert memories(cli) == []
    cli.clock.advance(31)
    cli("admin", "jobs", "run")
    assert memories(cli) == ["I live in Bergen", TRAMS]


def test_without_waiting_for_quiet_the_next_work_draws_them(cli: Cli, chat: Callable[..., str]) -> None:
    """C2"""
    said = cli("capture", "--background", chat(), "--session", "monday", "--no-debounce")
    assert "in 30 s" not in said.out
    cli("admin", "jobs", "run")
    assert memories(cli) == ["I live in Bergen", TRAMS]


def test_ingest_as_json_names_the_turn_of_each_message(cli: Cli, chat: Callable[..., str]) -> None:
    """C1"""
    cli("capture", "--background", chat(CHAT[:1]), "--session", "monday")
    told = cli("capture", "--background", chat(), "--session", "monday", "--json").json
    assert told["ids"][0] is None
    assert [cli("get", id, "--json").json["text"] for id in told["ids"][1:]] == ["Bergen is lovely.", TRAMS]
    assert told["receipt"]["due"]


# --- synthesise ---------------------------------------------------------------------------------------------------


def test_a_topic_is_told_in_one_piece_with_what_it_rests_on(cli: Cli) -> None:
    """C5"""
    kept = cli.remembered("The deploy key rotates on Mondays")
    said = cli("recall", "--synthesize", "when does the deploy key rotate?")
    assert said.code == 0, said.err
    assert "The deploy key rotates on Mondays" in said.out.splitlines()[1]
    assert any(line.startswith("[1] ") and kept in line for line in said.out.splitlines())
    told = cli("recall", "--synthesize", "deploy key", "--json").json
    assert (told["ids"], told["method"]) == ([kept], "extractive")
    assert told["receipt"]["op"] == "synthesize"


def test_of_what_nothing_is_known_nothing_is_told(cli: Cli) -> None:
    """C5"""
    assert cli("recall", "--synthesize", "the harbour master's parrot").out.strip() == "No memory matches this topic."
    assert cli("recall", "--synthesize", "the harbour master's parrot", "--json").json["response"] == ""


def test_a_message_of_an_unknown_role_is_not_lost_silently(cli: Cli, chat: Callable[..., str]) -> None:
    """C1"""
    for options in ([], ["--background"]):
        said = cli("capture", *options, chat([{"role": "usr", "content": "I live in Oslo"}]), "--session", "s")
        assert said.code == 1
        assert "1 message skipped: role 'usr' is unknown; known: user, human, assistant" in said.out.replace("\n", " ")
    both = [{"role": "usr", "content": "I live in Oslo"}, {"role": "user", "content": "I ski"}]
    assert cli("capture", "--background", chat(both), "--session", "s").code == 0


def test_plain_text_is_said_to_be_read_as_such(cli: Cli) -> None:
    assert "read as plain text: one message of the user" in cli("capture", "-", "--session", "s", stdin="not json").out


def test_recall_marks_what_was_replaced(cli: Cli, chat: Callable[..., str]) -> None:
    for day, text in ((1, "I live in Oslo."), (2, "I moved from Oslo to Bergen. I live in Bergen now.")):
        cli(
            "capture",
            chat([{"role": "user", "content": text, "timestamp": f"2025-11-0{day}T09:00:00Z"}]),
            "--session",
            "s",
        )
    said = cli("recall", "where do I live?")
    marked = [line for line in said.out.splitlines() if "replaced on 2025-11-02" in line]
    assert len(marked) == 1, said.out

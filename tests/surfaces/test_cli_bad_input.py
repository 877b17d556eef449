"""Bad input: one line that says what is wrong, one that says what to do, its own exit code, and nothing changed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from terminal import Cli

from cortex.surfaces.cli.app import SECTIONS

BAD_MEMORIES: list[tuple[list[str], str, str]] = [
    ([""], "text: is empty", "give some text"),
    (["  \n\t "], "text: is empty", "give some text"),
    (["x" * (64 * 1024 + 1)], "text: is 65,537 bytes, over the limit of 65,536", "raise limits.max_text_bytes"),
    (["x", "--kind", "facct"], "kind: 'facct' is not known", "did you mean 'fact'?"),
    (["x", "--retention", "forever"], "retention: 'forever' is not known", "one of permanent"),
    (["x", "--label", "must"], "label: 'must' is not known", "must_remember"),
    (["x", "--trust", "total"], "trust: 'total' is not known", "trusted"),
    (["x", "--importance", "1.5"], "importance: 1.5 is outside 0 to 1", "give a number from 0 to 1"),
    (["x", "--importance", "nan"], "importance: nan is outside 0 to 1", "give a number from 0 to 1"),
    (["x", "--confidence", "-0.1"], "confidence: -0.1 is outside 0 to 1", "give a number from 0 to 1"),
    (["x", "--scope", " "], "scope: is empty", "give a short name"),
    (["x", "--ttl", "soon"], "ttl: is not a time span", "720h"),
    (["x", "--valid-from", "yesterday"], "valid_from: is not an ISO 8601 time", "2026-01-31"),
    (["x", "--user", "a\nb"], "user: is empty, longer than 256 characters or not printable", "give a short name"),
    (["x", "--user", ""], "user: is empty", "give a short name"),
    (["x", "--agent", ""], "agent: '' is not an agent name", "a-z"),
    (["x", "--agent", "../evil"], "agent: '../evil' is not an agent name", "a-z"),
]


@pytest.mark.parametrize(("arguments", "error", "hint"), BAD_MEMORIES)
def test_a_bad_memory_is_refused_by_field_and_fix(cli: Cli, arguments: list[str], error: str, hint: str) -> None:
    said = cli("remember", *arguments)
    assert said.code == 2
    assert said.error.startswith(error)
    assert hint in said.hint
    assert said.out == ""
    assert cli.counted() == 0


def test_the_limit_of_a_text_can_be_set(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORTEX_LIMITS__MAX_TEXT_BYTES", "10")
    assert cli("remember", "12345678901").code == 2
    assert cli("remember", "1234567890").code == 0


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (b"a\x00b", "text: contains a NUL byte"),
        (b"\xff\xfe", "text: is not UTF-8"),
        (b"\xed\xa0\x80", "text: is not UTF-8"),
        (b"", "text: is empty"),
    ],
)
def test_bytes_that_are_not_text_are_refused(cli: Cli, given: bytes, error: str) -> None:
    said = cli("remember", "-", stdin=given)
    assert said.code == 2
    assert said.error == error
    assert cli.counted() == 0


def test_a_lone_surrogate_in_an_argument_is_refused(cli: Cli) -> None:
    """Bytes of an argument that are not UTF-8 reach Python as lone surrogates."""
    said = cli("remember", "caf\udce9")
    assert said.code == 2
    assert said.error == "text: contains a lone surrogate"


@pytest.mark.parametrize("query", ["caf\udce9 key", "a\x00b key", "\u202ekey", "\x1b[31mkey"])
def test_a_strange_query_is_only_a_query(cli: Cli, query: str) -> None:
    cli.remembered("The deploy key rotates on Mondays")
    said = cli("search", query)
    assert said.code == 0
    assert said.err == ""


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--limit", "0"], "limit: 0 is outside 1 to 1000"),
        (["--budget", "-5"], "budget: -5 is outside 1 to 1000000"),
        (["--min-score", "2"], "min_score: 2 is outside 0 to 1"),
        (["--deadline-ms", "0"], "deadline_ms: 0 is outside 1 to 600000"),
        (["--kind", "facct"], "kinds: 'facct' is not known"),
        (["--lane", "attic"], "lanes: 'attic' is not known"),
        (["--as-of", "2026-13-01"], "as_of: is not an ISO 8601 time"),
        (["--as-of", "on tuesday"], "as_of: is not the name of a tag"),
        (["--since", "99999-01-01"], "since: is not an ISO 8601 time"),
    ],
)
def test_a_bad_option_of_a_recall_is_refused(cli: Cli, arguments: list[str], error: str) -> None:
    said = cli("recall", "deploy key", *arguments)
    assert said.code == 2
    assert said.error == error
    assert said.hint


def test_an_unknown_recipe_is_not_found_and_the_nearest_is_suggested(cli: Cli) -> None:
    said = cli("recall", "deploy key", "--recipe", "balanced")
    assert (said.code, said.error, said.hint) == (3, "no recipe 'balanced'", "did you mean 'balanced.v1'?")


def test_an_earlier_state_that_is_neither_a_time_nor_a_tag_is_not_found(cli: Cli) -> None:
    said = cli("recall", "deploy key", "--as-of", "tuesday")
    assert (said.code, said.error) == (3, "no tag 'tuesday'")
    assert said.hint == "see `cortex admin tags`; or give a time or a ledger position"


@pytest.mark.parametrize("verb", ["get", "forget", "admin unforget"])
def test_an_unknown_id_is_not_found_and_a_malformed_one_is_refused(cli: Cli, verb: str) -> None:
    unknown = cli(*verb.split(), "01a1e124-5208-7180-9d7e-0e4ff0b558d0")
    assert unknown.code == 3
    assert unknown.error == "no memory, turn or chunk 01a1e124-5208-7180-9d7e-0e4ff0b558d0"
    malformed = cli(*verb.split(), unknown.error[-36:-32])
    assert (malformed.code, malformed.error) == (2, "id: '01a1' is not an ID")
    assert malformed.hint == "give all 36 characters, as printed by `cortex list`"


@pytest.mark.parametrize("arguments", [["admin", "receipts", "nope"], ["admin", "replay", "nope"]])
def test_an_unknown_receipt_is_not_found(cli: Cli, arguments: list[str]) -> None:
    assert cli(*arguments).code == 3


def test_forgetting_needs_an_id_or_a_query(cli: Cli) -> None:
    assert cli("forget").code == 2
    assert cli("forget", "01a1e124-5208-7180-9d7e-0e4ff0b558d0", "--query", "x").code == 2


def test_a_mistyped_command_suggests_the_nearest(cli: Cli) -> None:
    said = cli("recal", "x")
    assert said.code == 2
    assert said.error == "No such command 'recal'"
    assert "did you mean 'recall'" in said.hint


def test_a_missing_argument_and_an_unknown_option_are_one_line(cli: Cli) -> None:
    assert (cli("recall").code, cli("recall").error) == (2, "Missing argument 'QUERY'")
    said = cli("recall", "x", "--frobnicate")
    assert said.code == 2
    assert "--frobnicate" in said.error


def test_errors_are_json_on_stderr_where_json_is_asked_for(cli: Cli) -> None:
    said = cli("remember", "x", "--importance", "1.5", "--json")
    assert said.code == 2
    assert said.out == ""
    assert json.loads(said.err)["error"] == {
        "code": "invalid_request",
        "message": "importance: 1.5 is outside 0 to 1",
        "hint": "give a number from 0 to 1",
        "field": "importance",
        "exit_code": 2,
    }
    assert json.loads(cli("recal", "--json").err)["error"]["code"] == "usage"


# --- home and database ---------------------------------------------------------------------------


def test_a_home_that_cannot_be_written_is_said_so(cli: Cli, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file")
    said = cli("remember", "x", home=taken)
    assert said.code == 11
    assert str(taken) in said.error
    assert taken.read_text() == "a file"


def test_a_settings_file_that_is_not_toml_is_said_so(cli: Cli) -> None:
    cli.home.mkdir()
    (cli.home / "cortex.toml").write_text("agent = = 3")
    said = cli("admin", "stats")
    assert said.code == 2
    assert "cortex.toml: is not valid TOML" in said.error


def test_an_unknown_setting_suggests_the_nearest(cli: Cli) -> None:
    cli.home.mkdir()
    (cli.home / "cortex.toml").write_text("[recall]\nrecipy = 'files.v1'")
    said = cli("admin", "stats")
    assert (said.code, said.hint) == (2, f"did you mean 'recipe'?; fix it in {cli.home / 'cortex.toml'}")


def _foreign(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE songs (title TEXT)")
    database.close()


def _text(path: Path) -> None:
    path.write_bytes(b"this is not a database at all, it only has its name" * 100)


def _newer(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()


def _damaged(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + b"\xa5" * (len(whole) - 100))


@pytest.mark.parametrize(
    ("spoil", "code", "error"),
    [
        (_foreign, 13, "is not a Cortex database"),
        (_text, 13, "is not a Cortex database"),
        (_newer, 14, "was written by a newer Cortex"),
        (_damaged, 15, "is damaged"),
    ],
)
def test_a_database_that_is_not_ours_to_use_is_left_as_it_is(
    cli: Cli, spoil: Callable[[Path], None], code: int, error: str
) -> None:
    cli.remembered("The deploy key rotates on Mondays")
    path = cli.home / "agents" / "main.sqlite"
    spoil(path)
    before = path.read_bytes()
    for arguments in (["remember", "x"], ["recall", "deploy key"], ["admin", "stats"]):
        said = cli(*arguments)
        assert said.code == code
        assert error in said.error
        assert said.hint
    assert path.read_bytes() == before


# --- what is shown -------------------------------------------------------------------------------


def test_nothing_remembered_can_act_on_the_terminal(cli: Cli) -> None:
    kept = cli.remembered("The key\x1b[2J is \u202eeulb\u202c and [bold]loud[/bold]\x07")
    for arguments in (
        ["recall", "key"],
        ["list"],
        ["get", kept],
        ["recall", "--explain", "key"],
        ["search", "key", "--explain"],
    ):
        out = cli(*arguments).out
        assert "\x1b[2J" not in out
        assert "\u202e" not in out
        assert "\x07" not in out
        assert "\\u001b[2J" in out
        assert "[bold]loud[/bold]" in out


def test_json_writes_what_could_act_on_a_terminal_as_escapes_and_still_says_the_same(cli: Cli) -> None:
    text = "The key\x1b[2J is \u202eeulb\u202c\x7f\x9b"
    cli.remembered(text)
    for said in (cli("list", "--json"), cli("export", "--with-text")):
        assert not {"\x1b", "\u202e", "\u202c", "\x7f", "\x9b"} & set(said.out)
    assert cli("list", "--json").json["memories"][0]["text"] == text
    assert cli("export", "--with-text").json["text"] == text


def test_an_error_repeats_nothing_that_acts_on_the_terminal(cli: Cli) -> None:
    said = cli("remember", "x", "--kind", "\x1b[31m\u202efact")
    assert said.code == 2
    assert "\x1b" not in said.err
    assert "\u202e" not in said.err


def test_an_unforeseen_error_is_one_line_without_what_was_remembered(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise RuntimeError("secret text")

    monkeypatch.setattr(cli, "open_engine", fail)
    said = cli("admin", "stats")
    assert said.code == 70
    assert said.error == "RuntimeError: this is a bug in Cortex"
    assert "--debug" in said.hint
    with pytest.raises(RuntimeError):
        cli("admin", "stats", "--debug")


def test_an_interrupt_ends_quietly(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "open_engine", interrupt)
    said = cli("admin", "stats")
    assert (said.code, said.out) == (130, "")
    assert "Traceback" not in said.err


def test_there_are_at_most_25_commands_and_each_has_one_place_in_the_help() -> None:
    names = [name for commands in SECTIONS.values() for name in commands]
    assert len(names) == len(set(names)) <= 25


def test_the_word_admin_may_be_left_out(cli: Cli) -> None:
    assert cli("stats", "--json").out == cli("admin", "stats", "--json").out
    assert cli("token").code == 2, "a misspelled command is still an error"


@pytest.mark.parametrize("group", ["admin", "backup", "hook", "hosts"])
def test_a_group_without_a_command_shows_its_help_and_no_error(cli: Cli, group: str) -> None:
    said = cli(group)
    assert (said.code, said.err) == (2, "")
    assert f"cortex {group}" in said.out


def test_lines_are_only_for_files(cli: Cli) -> None:
    id = cli.remembered("The deploy key rotates on Mondays")
    assert cli("get", id, "--lines", "3").error == "--lines: is only for files"


def test_a_synthesis_takes_no_options_of_a_list(cli: Cli) -> None:
    said = cli("recall", "deploy key", "--synthesize", "--explain", "--since", "2026-01-01")
    assert said.error == "--synthesize: cannot be combined with explain, since"


@pytest.mark.parametrize("option", [["--home", ""], ["--home="]])
def test_an_empty_home_is_not_the_current_directory(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: list[str]
) -> None:
    """As a variable that is not set gives it."""
    monkeypatch.chdir(tmp_path)
    said = cli("status", *option)
    assert (said.code, said.error) == (2, "--home: is empty")
    assert said.hint == "give a folder, or leave it out for ~/.cortex"
    assert list(tmp_path.iterdir()) == []

"""The short way of `cortex hook` reads its arguments as the command line does (X2)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from cortex.surfaces import quick_json
from cortex.surfaces.cli import app, errors, hook_client, inputs
from cortex.surfaces.cli.global_options import FLAGS, WITH_VALUE, split_global_options, value_of
from cortex.surfaces.cli.hook_client import OPTIONS, parsed

WHOLE = typer.main.get_command(app.command_line("hook"))
NEVER_HERE = {"--run-jobs", "--help", "-h"}
"""The options that are always left to the command line."""


def command(name: str) -> Any:
    return WHOLE.commands["hook"].commands[name]  # type: ignore[attr-defined]


def read_by_typer(arguments: Sequence[str]) -> tuple[str, dict[str, Any], dict[str, Any]] | None:
    """The hook, its own parameters and the global ones; None if the command line refuses the arguments."""
    own, rest = split_global_options(arguments)
    try:
        whole = WHOLE.make_context("cortex", [*own, *rest], resilient_parsing=False)
        words = list(whole._protected_args if hasattr(whole, "_protected_args") else []) + list(whole.args)
        if words[:1] != ["hook"] or len(words) < 2 or words[1] not in OPTIONS:
            return None
        inner = command(words[1]).make_context(words[1], words[2:], parent=whole)
    except Exception as error:
        if errors.Failure.of_usage(error) is None and not isinstance(error, typer.Exit):
            raise
        return None
    return words[1], inner.params, whole.params


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_every_declared_option_is_known_to_the_short_way(name: str) -> None:
    """An option that is added to a hook and not here would be answered slowly; one only here, wrongly."""
    options = [each for each in command(name).params if each.param_type_name == "option"]
    with_value = {spelling for each in options if not each.is_flag for spelling in each.opts}
    flags = {spelling for each in options if each.is_flag for spelling in each.opts}
    assert with_value == OPTIONS[name]
    assert flags <= NEVER_HERE
    assert [each.nargs for each in command(name).params if each.param_type_name == "argument"] == [1]


def test_every_global_option_is_known_too() -> None:
    declared = [each for each in WHOLE.params if each.param_type_name == "option"]
    assert {spelling for each in declared if not each.is_flag for spelling in each.opts} == WITH_VALUE
    flags = {spelling for each in declared if each.is_flag for spelling in each.opts}
    assert flags - FLAGS <= {"--version", "--help", "-h", "--install-completion", "--show-completion"}
    assert (hook_client.STDIN, hook_client.PIPE_CLOSED) == (inputs.STDIN, errors.PIPE_CLOSED)


WORDS = st.sampled_from(
    ["-", "--", "", "hello", "a=b", "=", "-x", "--session", "--session=", "--session=s", "--scope", "--scope=t",
     "--project", "--recipe=lancedb.v1", "--channel", "--trigger=cron", "--json", "--debug", "--home", "--home=/h",
     "--home=", "--agent", "--agent=ada", "--user=kim", "--run-jobs", "--help", "--sess", "--unknown=1", "--version"]
)  # fmt: skip


@settings(max_examples=300)
@given(st.sampled_from(["before", "after", "flush-plan"]), st.lists(WORDS, max_size=6), st.lists(WORDS, max_size=2))
def test_what_is_read_here_is_what_the_command_line_reads(name: str, after: list[str], before: list[str]) -> None:
    own, rest = split_global_options([*before, "hook", name, *after])
    call = parsed(own, rest[1:]) if rest[:1] == ["hook"] else None
    if call is None:
        return
    theirs = read_by_typer([*before, "hook", name, *after])
    assert theirs is not None, "the command line refuses it"
    hook, params, whole = theirs
    assert call.name == hook
    assert call.argument == params.pop("message" if hook == "before" else "file")
    assert call.options == {option: value for option, value in params.items() if value not in (None, "", False)} | {
        option: value for option, value in call.options.items() if value == ""
    }
    for option in WITH_VALUE:
        theirs_value = whole[option[2:]]
        assert value_of(option, own) == (None if theirs_value is None else str(theirs_value))


@pytest.mark.parametrize(
    "arguments",
    [
        ["before"],
        ["before", "which trams?", "--session", "s"],
        ["before", "--session=s", "--project", "p", "--recipe", "r", "-"],
        ["after", "--channel", "telegram", "--trigger", "user", "transcript.jsonl"],
        ["after", "--session", "--scope"],
    ],
)
def test_usual_calls_are_answered_here(arguments: list[str]) -> None:
    assert parsed([], arguments) is not None


@pytest.mark.parametrize(
    ("own", "arguments"),
    [
        ([], []),
        ([], ["flush-plan"]),
        ([], ["before", "--help"]),
        ([], ["before", "one", "two"]),
        ([], ["before", "--session"]),
        ([], ["before", "--", "hello"]),
        ([], ["after", "--run-jobs"]),
        ([], ["after", "--project", "p"]),
        (["--debug"], ["before"]),
        (["--home"], ["before"]),
        (["--agent", ""], ["before"]),
    ],
)
def test_unusual_calls_are_left_to_the_command_line(own: list[str], arguments: list[str]) -> None:
    assert parsed(own, arguments) is None


@given(
    st.text(max_size=30)
    | st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists).map(json.dumps)
)
def test_json_is_read_as_the_standard_library_reads_it(text: str) -> None:
    def result(loads: Callable[[str], Any]) -> str:
        try:
            return repr(loads(text))
        except (ValueError, RecursionError):
            return "refused"

    assert result(quick_json.loads) == result(json.loads)


@pytest.mark.parametrize(
    "text", ["", " ", "{", '{"a": 1} x', '{"a": 1}\n ', "[1,]", "NaN", "-Infinity", "[" * 100_000, '"\\ud800"']
)
def test_json_of_every_shape_is_read_or_refused_alike(text: str) -> None:
    test_json_is_read_as_the_standard_library_reads_it.hypothesis.inner_test(text)  # type: ignore[attr-defined]


@given(st.dictionaries(st.text(), st.text()))
def test_texts_are_written_as_the_standard_library_writes_them(fields: dict[str, str]) -> None:
    assert quick_json.dumps(fields) == json.dumps(fields)

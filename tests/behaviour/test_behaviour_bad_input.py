"""What cannot be taken is refused by name, over every surface, and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from behaving import EMBEDDED, HTTP, SURFACES, Surface, capable

from cortex.errors import EngineError, InvalidRequest, NotFound
from sweeps import sweep

NOBODY = "0198c1a2-7b3c-7def-8a01-23456789abcd"
HUGE = "A heron sleeps at noon. " * 4_000
"""Beyond `limits.max_text_bytes`."""


def each(cases: list[tuple[Any, ...]], everywhere: list[tuple[Any, ...]]) -> list[Any]:
    """Every case in this process, and those of `everywhere` over all other surfaces too; the rest is slow."""
    whole = [(surface, *case) for surface in SURFACES for case in cases]
    return sweep(whole, [case for case in whole if case[0] == EMBEDDED or case[1:] in everywhere])


def each_field(cases: list[tuple[dict[str, Any], str]]) -> list[Any]:
    """Every case in this process, and one of each field over all other surfaces too."""
    return each(cases, list({named: (fields, named) for fields, named in reversed(cases)}.values()))


@pytest.fixture(autouse=True)
def unchanged(memory: Surface) -> Iterator[None]:
    """Nothing that is refused leaves anything behind."""
    before = memory.remember("The lighthouse is white")
    yield
    assert memory.stats()["total"] == 1
    assert memory.get(before.id).text == "The lighthouse is white"
    assert memory.search("lighthouse").ids == (before.id,)


def refused(call: Any, *arguments: Any, **options: Any) -> InvalidRequest:
    with pytest.raises(EngineError) as found:
        call(*arguments, **options)
    error = found.value
    assert isinstance(error, InvalidRequest), repr(error)
    assert "Traceback" not in str(error)
    return error


@pytest.mark.parametrize(
    ("memory", "text"),
    each(
        [("",), (" \n\t ",), ("a\x00b",), (HUGE,), (42,), (None,), (["a", "b"],), ({"a": 1},), (True,)],
        everywhere=[("",), ("a\x00b",), (HUGE,), (42,)],
    ),
    indirect=["memory"],
    ids=lambda value: str(value)[:20],
)
def test_a_text_that_is_none_is_refused_by_its_name(memory: Surface, text: Any) -> None:
    error = refused(memory.remember, text)
    assert error.field == "text"
    assert error.hint


@pytest.mark.parametrize("memory", [EMBEDDED, HTTP], indirect=True)
def test_half_a_character_is_refused_by_its_name(memory: Surface) -> None:
    """The SDK's own client of MCP cannot send one; a raw one is refused by the tests of that server."""
    assert refused(memory.remember, "a \ud800 b").field == "text"


@pytest.mark.parametrize(
    ("memory", "fields", "named"),
    each_field([
        ({"kind": "nonsense"}, "kind"),
        ({"kind": 7}, "kind"),
        ({"importance": 1.5}, "importance"),
        ({"importance": -0.1}, "importance"),
        ({"importance": "much"}, "importance"),
        ({"scope": ""}, "scope"),
        ({"scope": "a" * 300}, "scope"),
        ({"scope": 7}, "scope"),
        ({"topic": "t" * 2_000}, "topic"),
        ({"topic": 7}, "topic"),
        ({"tags": ["t"] * 100}, "tags"),
        ({"tags": [7]}, "tags"),
        ({"tags": 7}, "tags"),
        ({"supersedes": "not-an-id"}, "supersedes"),
        ({"supersedes": 7}, "supersedes"),
        ({"importence": 0.5}, "importence"),
    ]),
    indirect=["memory"],
    ids=str,
)  # fmt: skip
def test_a_field_that_is_wrong_is_refused_by_its_name(memory: Surface, fields: dict[str, Any], named: str) -> None:
    error = refused(memory.remember, "The heron sleeps at noon", **fields)
    # A place within a list may be told more exactly.
    assert error.field.split(".")[0].split("[")[0] == named or named in str(error)


def test_what_would_replace_nothing_is_refused(memory: Surface) -> None:
    with pytest.raises(EngineError) as found:
        memory.remember("The heron sleeps at noon", supersedes=NOBODY)
    assert isinstance(found.value, NotFound | InvalidRequest)


@pytest.mark.parametrize("verb", ["recall", "search"])
@pytest.mark.parametrize(
    ("memory", "query"), each([(42,), (None,), (["a"],), ({"a": 1},)], [(None,)]), indirect=["memory"], ids=str
)
def test_a_question_that_is_no_text_is_refused_by_its_name(memory: Surface, verb: str, query: Any) -> None:
    assert refused(getattr(memory, verb), query).field == "query"


@pytest.mark.parametrize("query", ["", " \n\t "], ids=["empty", "blank"])
def test_a_search_for_nothing_is_refused_by_its_name_and_an_empty_turn_is_skipped(memory: Surface, query: str) -> None:
    error = refused(memory.search, query)
    assert (error.field, error.hint) == ("query", "give some words; `cortex list` shows everything")
    assert memory.recall(query).texts == ()


@pytest.mark.parametrize("verb", ["recall", "search"])
@pytest.mark.parametrize(
    ("memory", "options", "named"),
    each_field([
        ({"limit": 0}, "limit"),
        ({"limit": 1_000_000}, "limit"),
        ({"limit": "many"}, "limit"),
        ({"budget": 0}, "budget"),
        ({"kinds": ["nonsense"]}, "kinds"),
        ({"lanes": ["nonsense"]}, "lanes"),
        ({"scope": ""}, "scope"),
        ({"as_of": "a day ago"}, "as_of"),
        ({"since": "yesterday"}, "since"),
        ({"limmit": 3}, "limmit"),
    ]),
    indirect=["memory"],
    ids=str,
)  # fmt: skip
def test_an_option_that_is_wrong_is_refused_by_its_name(
    memory: Surface, verb: str, options: dict[str, Any], named: str
) -> None:
    error = refused(getattr(memory, verb), "Where is the lighthouse?", **options)
    assert error.field.split(".")[0] == named


def test_a_question_as_long_as_a_book_is_answered(memory: Surface) -> None:
    """A pasted message is asked as it is."""
    assert memory.search(f"lighthouse {'heron ' * 5_000}").texts == ("The lighthouse is white",)


@pytest.mark.parametrize("verb", ["get", "forget"])
@pytest.mark.parametrize(
    ("memory", "id"),
    each(
        [("",), ("42",), ("../..",), ("'; DROP TABLE traces; --",), ("a" * 65,), (NOBODY + "0",), (7,)],
        everywhere=[("",), ("../..",)],
    ),
    indirect=["memory"],
    ids=str,
)
def test_what_is_no_id_is_refused_by_its_name(memory: Surface, verb: str, id: Any) -> None:
    assert refused(getattr(memory, verb), id).field == "id"


@pytest.mark.parametrize("verb", ["get", "forget"])
def test_an_id_of_nothing_is_told_so(memory: Surface, verb: str) -> None:
    with pytest.raises(NotFound):
        getattr(memory, verb)(NOBODY)


@pytest.mark.parametrize(
    ("options", "named"),
    [({"limit": 0}, "limit"), ({"limit": "many"}, "limit"), ({"after": "x"}, "after")],
    ids=str,
)
def test_a_list_that_cannot_be_is_refused_by_its_name(memory: Surface, options: dict[str, Any], named: str) -> None:
    assert refused(memory.list, **options).field == named


@pytest.mark.parametrize("memory", capable("import_"), indirect=True)
@pytest.mark.parametrize(
    "record",
    [
        {"type": "memory"},
        {"type": "memory", "text": ""},
        {"type": "memory", "text": "x", "kind": "nonsense"},
        {"type": "memory", "text": "x", "created_at": "yesterday"},
        {"type": "memory", "text": "x", "id": "42"},
        {"type": "strange", "text": "x"},
        {"text": HUGE, "type": "memory"},
        {},
    ],
    ids=lambda record: str(record)[:60],
)
def test_a_record_that_cannot_be_imported_is_refused(memory: Surface, record: dict[str, Any]) -> None:
    """E14: all or nothing."""
    good = {"type": "memory", "text": "The heron sleeps at noon", "scope": memory.scope}
    with pytest.raises(InvalidRequest):
        memory.import_([good, record])


@pytest.mark.parametrize("memory", capable("capture"), indirect=True)
@pytest.mark.parametrize(
    ("messages", "session", "named"),
    [
        ("hello", "s1", "messages"),
        ({"role": "user", "content": "x"}, "s1", "messages"),
        (7, "s1", "messages"),
        ([{"role": "user", "content": "x"}], "", "session"),
        ([{"role": "user", "content": "x"}], 7, "session"),
        ([{"role": "user", "content": "x"}], "a\x00b", "session"),
    ],
    ids=str,
)
def test_a_conversation_that_is_none_is_refused_by_its_name(
    memory: Surface, messages: Any, session: Any, named: str
) -> None:
    assert refused(memory.capture, messages, session=session).field == named


@pytest.mark.parametrize("query", [42, None, ["a"]], ids=["number", "none", "list"])
def test_lines_are_not_looked_for_by_what_is_no_text(memory: Surface, query: Any) -> None:
    assert refused(memory.memory_search, query).field == "query"


@pytest.mark.parametrize(
    ("options", "named"),
    [({"max_results": 0}, "max_results"), ({"max_results": 10**6}, "max_results"), ({"min_score": 2}, "min_score")],
    ids=str,
)
def test_lines_are_not_looked_for_in_a_way_there_is_not(memory: Surface, options: dict[str, Any], named: str) -> None:
    assert refused(memory.memory_search, "studio", **options).field == named

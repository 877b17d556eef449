"""Sections with summaries by a language model: found by them, paid for once, and never waited for (X15)."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from cortex.domain.chunk import Chunk
from cortex.domain.lanes import Lane
from cortex.errors import LlmUnavailable
from cortex.memory import Cortex
from cortex.ports.store import Filter
from cortex.services.files import source_registry as folders
from cortex.testing import FakeClock, FakeEmbedder, FakeLLM
from cortex.workspace.sources import Shape
from cortex.workspace.summaries import MAX_TRIES

LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC).timestamp()

HEATING = """\
# House

## Heating

The boiler in the cellar loses pressure about twice a year. Open the small valve on the left until the needle stands
between one and two bar, close it again, and bleed the highest radiator, which is the one in the attic bathroom.

## Roof

The tiles over the kitchen were laid anew in the summer of 2019 by the firm from the next village. They gave ten years
of warranty, and the papers are in the grey folder. The gutter on the north side has to be cleaned every November.
"""
SUMMARIES = {"Heating": "Refilling the boiler when the radiators stay cold", "Roof": "Repairs of the roof and warranty"}


class Librarian:
    """A model that knows what to say of each heading; `away` makes it fail, `shown` keeps the headings it was shown."""

    def __init__(self) -> None:
        self.away: LlmUnavailable | None = None
        self.shown: list[str] = []
        self.model = FakeLLM(self._answer)

    def _answer(self, prompt: str) -> str:
        if self.away is not None:
            raise self.away
        headings = re.findall(r'<section n="\d+" about="(?:.* &gt; )?(.*)">', prompt)
        self.shown += headings
        said = {str(number): SUMMARIES.get(heading, "") for number, heading in enumerate(headings, start=1)}
        return json.dumps({"summaries": said})


@pytest.fixture
def librarian() -> Librarian:
    return Librarian()


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    write(folder / "house.md", HEATING)
    return folder


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder(256)


@pytest.fixture
def engine(open_engine: Callable[..., Cortex], librarian: Librarian, embedder: FakeEmbedder) -> Cortex:
    return open_engine(model=librarian.model, embedder=embedder)


def write(path: Path, text: str) -> None:
    """A file that nobody has touched for a while: what is just being written is looked at once more."""
    path.write_text(text, encoding="utf-8")
    os.utime(path, (LONG_AGO + len(text), LONG_AGO + len(text)))


def chunks(engine: Cortex) -> list[Chunk]:
    found = engine.list(Filter(lanes=frozenset({Lane.NOTES, Lane.DOCS})))
    return sorted((each for each in found if isinstance(each, Chunk)), key=lambda each: (each.path, each.start_line))


def summaries(engine: Cortex) -> dict[str, str]:
    return {each.section[-1]: each.summary for each in chunks(engine) if each.section}


def problems(done: Any) -> dict[str, int]:
    counted: dict[str, int] = done.receipt.facts["summaries"]["problems"]
    return counted


def test_X15_a_section_is_found_by_its_summary_and_shown_by_its_text(engine: Cortex, notes: Path):
    engine.index(notes, summarize=True)
    assert summaries(engine) == SUMMARIES
    hit = engine.recall("radiators cold refilling", lanes=frozenset({Lane.NOTES})).hits[0]
    assert isinstance(hit.trace, Chunk)
    assert hit.trace.section[-1] == "Heating"
    assert "Refilling" not in hit.trace.text
    assert "Refilling" not in engine.memory_get(hit.trace.path)["text"]


def test_X15_the_vectors_of_a_section_know_its_summary_too(engine: Cortex, notes: Path, embedder: FakeEmbedder):
    engine.index(notes, summarize=True)
    assert any("radiators stay cold" in text for text in embedder.documents)


def test_X15_nothing_is_asked_where_it_is_not_wanted(engine: Cortex, notes: Path, librarian: Librarian):
    done = engine.index(notes)
    assert librarian.shown == []
    assert set(summaries(engine).values()) == {""}
    assert "summaries" not in done.receipt.facts


def test_X15_only_the_folders_that_want_it_are_summarized(
    engine: Cortex, notes: Path, tmp_path: Path, librarian: Librarian
):
    other = tmp_path / "manuals"
    other.mkdir()
    write(other / "garden.md", HEATING.replace("Heating", "Pond").replace("Roof", "Fence"))
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    write(workspace / "MEMORY.md", HEATING.replace("Heating", "Car").replace("Roof", "Bicycle"))
    engine.files.add(other)
    engine.files.add(workspace, shape=Shape.WORKSPACE)
    engine.index(notes, summarize=True)
    assert sorted(librarian.shown) == ["Heating", "Roof"]


def test_X15_a_second_look_costs_nothing(engine: Cortex, notes: Path, librarian: Librarian):
    engine.index(notes, summarize=True)
    librarian.shown.clear()
    done = engine.index(notes, summarize=True)
    assert librarian.shown == []
    assert done.synced.unchanged == 1
    assert summaries(engine) == SUMMARIES


def test_X15_in_a_changed_file_only_the_changed_section_is_paid_for(engine: Cortex, notes: Path, librarian: Librarian):
    engine.index(notes, summarize=True)
    librarian.shown.clear()
    write(notes / "house.md", "A new first line.\n\n" + HEATING.replace("every November", "every October"))
    engine.index()
    assert librarian.shown == ["Roof"]
    assert summaries(engine) == SUMMARIES


def test_X15_a_moved_file_keeps_its_summaries(engine: Cortex, notes: Path, librarian: Librarian):
    engine.index(notes, summarize=True)
    librarian.shown.clear()
    (notes / "house.md").rename(notes / "home.md")
    done = engine.index()
    assert done.synced.moved == 1
    assert librarian.shown == []
    assert summaries(engine) == SUMMARIES


def test_X15_an_index_made_anew_keeps_the_summaries_it_has(engine: Cortex, notes: Path, librarian: Librarian):
    engine.index(notes, summarize=True)
    librarian.shown.clear()
    engine.index(force=True)
    assert librarian.shown == []
    assert summaries(engine) == SUMMARIES


def test_X15_wanting_summaries_later_summarizes_what_is_there(engine: Cortex, notes: Path, librarian: Librarian):
    engine.index(notes)
    engine.index(notes, summarize=True)
    assert sorted(librarian.shown) == ["Heating", "Roof"]
    assert summaries(engine) == SUMMARIES


@pytest.mark.parametrize("reason", ["budget", "timeout", "unreachable"])
def test_X15_indexing_does_not_need_the_model_to_be_there(
    engine: Cortex, notes: Path, librarian: Librarian, reason: Any
):
    librarian.away = LlmUnavailable("not now", reason=reason)
    done = engine.index(notes, summarize=True)
    assert (done.synced.added, done.synced.chunks) == (1, len(chunks(engine)))
    assert set(summaries(engine).values()) == {""}
    assert problems(done) == {reason: 2}
    assert engine.recall("boiler pressure", lanes=frozenset({Lane.NOTES})).hits


def test_X15_the_next_run_asks_again_for_what_failed_and_the_receipt_says_so(
    engine: Cortex, notes: Path, librarian: Librarian, clock: FakeClock, embedder: FakeEmbedder
):
    librarian.away = LlmUnavailable("not now", reason="unreachable")
    engine.index(notes, summarize=True)
    librarian.away = None
    clock.advance(3_600)
    embedder.documents.clear()
    done = engine.index()
    assert (done.synced.unchanged, sorted(librarian.shown)) == (1, ["Heating", "Roof"])
    assert summaries(engine) == SUMMARIES
    payload = {"requested": 2, "summarized": 2, "again": 2, "given_up": 0, "problems": {}}
    assert done.receipt.facts["summaries"] == payload
    assert any("radiators stay cold" in text for text in embedder.documents), "its vectors know it too"
    librarian.shown.clear()
    engine.index()
    assert librarian.shown == [], "and what has one is not asked for"


def test_X15_a_model_that_is_away_gives_no_section_up(
    engine: Cortex, notes: Path, librarian: Librarian, clock: FakeClock
):
    librarian.away = LlmUnavailable("not now", reason="timeout")
    for _ in range(2 * MAX_TRIES):
        engine.index(notes, summarize=True)
        clock.advance(3_600)
    librarian.away = None
    engine.index()
    assert summaries(engine) == SUMMARIES


def test_X15_a_section_is_given_up_after_three_answers_of_no_use_until_it_changes_or_by_force(
    open_engine: Callable[..., Cortex], notes: Path
):
    asked: list[str] = []

    def useless(prompt: str) -> str:
        asked.append(prompt)
        return '{"summaries": {"1": "Something about whales and the moon", "2": 7}}'

    engine = open_engine(model=FakeLLM(useless))
    facts = [engine.index(notes, summarize=True).receipt.facts["summaries"] for _ in range(MAX_TRIES + 1)]
    assert len(asked) == MAX_TRIES
    assert [each["again"] for each in facts] == [0, 2, 2, 0]
    assert [each["given_up"] for each in facts] == [0, 0, 0, 2]
    write(notes / "house.md", HEATING.replace("every November", "every October"))
    engine.index()
    assert "October" in asked[-1]
    engine.index(force=True)
    assert len(asked) == MAX_TRIES + 2


def test_X15_a_section_the_model_has_nothing_to_say_of_is_not_asked_for_again(
    open_engine: Callable[..., Cortex], notes: Path
):
    model = FakeLLM(lambda _: '{"summaries": {"1": "", "2": ""}}')
    engine = open_engine(model=model)
    engine.index(notes, summarize=True)
    engine.index()
    assert len(model.prompts) == 1


def test_X15_looks_in_the_background_ask_for_nothing_again(
    engine: Cortex, notes: Path, librarian: Librarian, clock: FakeClock
):
    librarian.away = LlmUnavailable("not now", reason="unreachable")
    engine.index(notes, summarize=True)
    librarian.away = None
    clock.advance(3_600)
    engine.files.sync_all(reason="session_start")
    assert librarian.shown == []
    write(notes / "house.md", HEATING.replace("every November", "every October"))
    engine.files.sync_all(reason="watch")
    assert sorted(librarian.shown) == ["Heating", "Roof"], "a file that changed is another matter"


def test_X15_tries_of_sections_that_are_gone_are_forgotten(open_engine: Callable[..., Cortex], notes: Path):
    engine = open_engine(model=FakeLLM(lambda _: "I would rather not."))
    engine.index(notes, summarize=True)
    assert len(folders.kept(engine.context)["summary_tries"]) == 2
    (notes / "house.md").unlink()
    engine.index()
    assert not folders.kept(engine.context)["summary_tries"]


def test_X15_by_force_what_lacks_a_summary_gets_it_with_vectors_that_know_it(
    engine: Cortex, notes: Path, librarian: Librarian, clock: FakeClock, embedder: FakeEmbedder
):
    librarian.away = LlmUnavailable("not now", reason="unreachable")
    engine.index(notes, summarize=True)
    librarian.away = None
    clock.advance(3_600)
    embedder.documents.clear()
    engine.index(force=True)
    assert summaries(engine) == SUMMARIES
    assert any("radiators stay cold" in text for text in embedder.documents)


def test_X15_an_answer_of_no_use_changes_nothing_and_is_counted(open_engine: Callable[..., Cortex], notes: Path):
    engine = open_engine(model=FakeLLM(lambda _: "I would rather not."))
    done = engine.index(notes, summarize=True)
    assert set(summaries(engine).values()) == {""}
    assert problems(done) == {"bad_answer": 2}
    assert done.receipt.facts["summaries"]["requested"] == 2


def test_X15_the_budget_holds_for_summaries(open_engine: Callable[..., Cortex], notes: Path, librarian: Librarian):
    engine = open_engine(model=librarian.model, llm={"calls_per_hour": 0})
    done = engine.index(notes, summarize=True)
    assert librarian.shown == []
    assert problems(done) == {"budget": 2}


def test_X15_without_a_model_files_are_indexed_all_the_same(open_engine: Callable[..., Cortex], notes: Path):
    engine = open_engine()
    done = engine.index(notes, summarize=True)
    assert done.synced.chunks == len(chunks(engine)) > 0
    assert set(summaries(engine).values()) == {""}


def test_X15_the_receipt_tells_numbers_and_no_text(engine: Cortex, notes: Path):
    done = engine.index(notes, summarize=True)
    payload = {"requested": 2, "summarized": 2, "again": 0, "given_up": 0, "problems": {}}
    assert done.receipt.facts["summaries"] == payload
    assert "boiler" not in json.dumps(done.receipt.to_json())

"""Which files are indexed, how fresh the index of each is, and its chunks (S6)."""

from __future__ import annotations

from pathlib import Path

import pytest
from noted import note

from cortex import Cortex
from cortex.errors import InvalidRequest, NotFound


@pytest.fixture
def notes(engine: Cortex, tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    for name in ("changed", "fresh", "gone"):
        note(folder / f"{name}.md", f"# {name}\n\nThe harbour opens at dawn.\n\n# Hours\n\nUntil noon.\n")
    with (folder / "unreadable.md").open("wb") as file:
        file.truncate(64 << 20)  # more than is read
    engine.files.add(folder, name="notes")
    engine.files.sync()
    note(folder / "changed.md", "# changed\n\nThe harbour opens at noon.\n")
    note(folder / "new.md", "# new\n")
    (folder / "gone.md").unlink()
    return folder


def test_each_file_says_how_its_index_stands(engine: Cortex, notes: Path) -> None:
    """S6, B21"""
    found = engine.indexed_files()
    states = {file.path.removeprefix("notes/"): str(file.state) for file in found}
    assert states == {
        "changed.md": "changed",
        "fresh.md": "fresh",
        "gone.md": "gone",
        "new.md": "new",
        "unreadable.md": "unreadable",
    }
    by_path = {file.path: file for file in found}
    assert by_path["notes/fresh.md"].chunks > 0 == by_path["notes/new.md"].chunks
    assert by_path["notes/unreadable.md"].trouble
    engine.files.sync()
    assert {str(file.state) for file in engine.indexed_files(contains="/")} == {"fresh", "unreadable"}


def test_files_are_narrowed_and_walked_in_pages(engine: Cortex, notes: Path) -> None:
    """S6"""
    first = engine.indexed_files(limit=2)
    assert (first.total, first.next) == (5, first[-1].path)
    rest = engine.indexed_files(limit=9, after=first.next)
    assert len(rest) == 3
    assert rest.next is None
    assert [file.path for file in engine.indexed_files(contains="FRESH", state="fresh")] == ["notes/fresh.md"]
    with pytest.raises(InvalidRequest, match="state"):
        engine.indexed_files(state="mouldy")


def test_a_file_shows_its_chunks_in_the_order_of_its_lines(engine: Cortex, notes: Path) -> None:
    """S6"""
    found = engine.indexed_file("notes/fresh.md")
    lines = [chunk.start_line for chunk in found.chunks]
    assert lines == sorted(lines)
    assert "The harbour opens at dawn." in "".join(chunk.text for chunk in found.chunks)
    assert found.file.chunks == len(found.chunks)
    with pytest.raises(NotFound):
        engine.indexed_file("notes/../secret.md")


def test_without_files_there_are_none(engine: Cortex) -> None:
    assert engine.indexed_files() == []

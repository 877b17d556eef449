"""Files: followed, searched, cited and read; and nothing outside of them."""

from __future__ import annotations

import pytest
from behaving import Surface
from mcp_client import reached
from worlds import World

from cortex.errors import EngineError, InvalidRequest, NotFound


def test_lines_of_files_are_found_and_cited(memory: Surface) -> None:
    """B9"""
    found = memory.memory_search("Where is the studio of Mara?", min_score=0.0)
    best = found["results"][0]
    assert (best["path"], best["source"]) == ("MEMORY.md", "memory")
    assert best["startLine"] <= 3 <= best["endLine"]
    assert 0 < best["score"] <= 1
    assert "Porto" in best["snippet"]
    assert {"mode", "backend", "citations"} <= found.keys()
    assert found["mode"] == "fts-only"


def test_exactly_the_lines_that_are_asked_for_are_read(memory: Surface) -> None:
    """B10"""
    found = memory.memory_get("MEMORY.md", start=3, lines=1)
    assert found["text"].rstrip("\n") == "The studio of Mara is in Porto."
    assert (found["path"], found["from"], found["lines"], found["total"]) == ("MEMORY.md", 3, 1, 7)
    whole = memory.memory_get("memory/2026-01-05.md")
    assert "lantern festival" in whole["text"]


def test_a_found_line_is_read_where_it_was_cited(memory: Surface) -> None:
    best = memory.memory_search("lantern festival", min_score=0.0)["results"][0]
    lines = best["endLine"] - best["startLine"] + 1
    read = memory.memory_get(best["path"], start=best["startLine"], lines=lines)
    assert "moved to Thursday" in read["text"]


def test_as_many_lines_are_found_as_are_asked_for(memory: Surface) -> None:
    assert len(memory.memory_search("the keys and the studio", max_results=1, min_score=0.0)["results"]) == 1


def test_files_are_recalled_beside_memories(memory: Surface) -> None:
    """Files are memory too."""
    found = memory.search("Where do the spare keys hang?", scope=None)
    assert any("green door" in text for text in found.texts)


def test_what_was_edited_is_found_as_it_is_now(memory: Surface, world: World) -> None:
    """B12: files are followed as they are edited."""
    name = f"memory/{memory.scope}.md"
    page = world.folder / "workspace" / name

    def is_found() -> bool:
        found = memory.memory_search(f"{memory.scope} marmalade", min_score=0.0)["results"]
        return name in [each["path"] for each in found]

    assert not is_found()
    page.write_text(f"# Notes\n\nThe {memory.scope} marmalade is in the cellar.\n")
    assert reached(is_found)
    page.unlink()
    assert reached(lambda: not is_found())


@pytest.mark.parametrize(
    "path",
    [
        "../outside.md", "memory/../../outside.md", "/etc/passwd", "memory/linked.md", "..", ".", "memory",
        "MEMORY.md/../../outside.md", "file:///etc/passwd", "..\\outside.md", "MEMORY.md\x00.txt", "memory/none.md",
        "%2e%2e/outside.md", "~/.bashrc", " ", "memory/" + "a" * 5_000,
    ],
)  # fmt: skip
def test_no_path_leads_out_of_the_memory(memory: Surface, path: str) -> None:
    """B10: a path outside memory is refused."""
    with pytest.raises(EngineError) as refused:
        memory.memory_get(path)
    assert isinstance(refused.value, InvalidRequest | NotFound)
    assert "4711" not in str(refused.value)
    if isinstance(refused.value, InvalidRequest):
        assert refused.value.field == "path"


@pytest.mark.parametrize("lines", [{"start": 0}, {"start": -1}, {"lines": 0}, {"start": "three"}])
def test_lines_there_cannot_be_are_refused_by_their_name(memory: Surface, lines: dict[str, object]) -> None:
    with pytest.raises(InvalidRequest) as refused:
        memory.memory_get("MEMORY.md", **lines)
    assert refused.value.field in {"from", "start", "lines"}


def test_lines_beyond_the_end_are_told_so(memory: Surface) -> None:
    found = memory.memory_get("MEMORY.md", start=500, lines=3)
    assert (found["text"], found["lines"]) == ("", 0)
    assert "7" in found["note"]


def test_lines_of_a_file_are_not_forgotten_here(memory: Surface) -> None:
    chunk = next(hit for hit in memory.search("Where do the spare keys hang?", scope=None).hits if "green" in hit.text)
    with pytest.raises(InvalidRequest) as refused:
        memory.forget(chunk.id)
    assert refused.value.field == "id"
    assert "edit the file" in refused.value.hint

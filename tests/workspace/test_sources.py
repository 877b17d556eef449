"""Sources: which folders are memory, what they are called, and what of them counts (B2, E15)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cortex.domain.lanes import Lane
from cortex.domain.trust import TrustTier
from cortex.errors import InvalidRequest, NotFound
from cortex.workspace.sources import Shape, Source, citable, named, registered, unlisted
from sweeps import for_each


def folder(at: Path) -> Path:
    at.mkdir(parents=True)
    return at


def source(**changes: Any) -> Source:
    payload: dict[str, Any] = {"name": "notes", "root": Path("/n"), "shape": Shape.TREE, "lane": Lane.NOTES}
    return Source(**(payload | changes))


def names(sources: list[Source]) -> list[str]:
    return [each.name for each in sources]


def test_a_folder_is_called_by_its_own_name(tmp_path: Path):
    """B2: extra paths"""
    (added,) = registered([], folder(tmp_path / "notes"), lane=Lane.DOCS)
    assert (added.name, added.root, added.shape) == ("notes", (tmp_path / "notes").resolve(), Shape.TREE)


def test_folders_of_one_name_are_told_apart(tmp_path: Path):
    known: list[Source] = []
    for place in ("a/notes", "b/notes", "c/Notes"):
        known = registered(known, folder(tmp_path / place), lane=Lane.DOCS)
    assert names(known) == ["notes", "notes-2", "Notes-3"]


def test_a_folder_never_takes_the_paths_of_the_agents_own_workspace(tmp_path: Path):
    """B2: memory/… is cited as it lies in the workspace"""
    (added,) = registered([], folder(tmp_path / "memory"), lane=Lane.DOCS)
    assert added.name == "memory-2"


def test_the_same_folder_again_replaces_what_was_said_of_it_and_keeps_its_name_and_place(tmp_path: Path):
    known = registered([], folder(tmp_path / "a" / "notes"), lane=Lane.DOCS)
    known = registered(known, folder(tmp_path / "b" / "notes"), lane=Lane.DOCS)
    (tmp_path / "link").symlink_to(tmp_path / "a" / "notes")
    again = registered(known, tmp_path / "link", lane=Lane.NOTES, trust=TrustTier.UNTRUSTED)
    assert names(again) == ["notes", "notes-2"]
    assert (again[0].lane, again[0].trust, again[1]) == (Lane.NOTES, TrustTier.UNTRUSTED, known[1])


def test_notes_and_transcripts_of_one_folder_are_two_sources(tmp_path: Path):
    known = registered([], folder(tmp_path / "agent"), lane=Lane.NOTES, shape=Shape.WORKSPACE, name="")
    known = registered(known, tmp_path / "agent", lane=Lane.SESSIONS, shape=Shape.TRANSCRIPTS)
    assert names(known) == ["", "agent"]


def test_one_file_is_called_by_the_folder_around_it(tmp_path: Path):
    """E15: DECISIONS of an operator"""
    decisions = folder(tmp_path / "project") / "DECISIONS.md"
    decisions.touch()
    (added,) = registered([], decisions, lane=Lane.DOCS)
    assert (added.name, added.root.name) == ("project", "DECISIONS.md")


@pytest.mark.parametrize(
    ("file", "shape"), [("a.txt", Shape.TREE), ("a.md", Shape.TRANSCRIPTS), ("a.md", Shape.WORKSPACE)]
)
def test_a_file_of_another_kind_is_no_source(tmp_path: Path, file: str, shape: Shape):
    (tmp_path / file).touch()
    with pytest.raises(InvalidRequest, match="root") as refused:
        registered([], tmp_path / file, lane=Lane.DOCS, shape=shape)
    assert refused.value.field == "root"


def test_what_is_not_there_is_no_source(tmp_path: Path):
    with pytest.raises(NotFound, match="nowhere"):
        registered([], tmp_path / "nowhere", lane=Lane.DOCS)


def test_a_name_that_is_taken_is_refused(tmp_path: Path):
    known = registered([], folder(tmp_path / "a"), lane=Lane.DOCS, name="specs")
    with pytest.raises(InvalidRequest, match="another source") as refused:
        registered(known, folder(tmp_path / "b"), lane=Lane.DOCS, name="Specs")
    assert refused.value.field == "name"


def test_a_source_is_found_by_its_name_or_by_its_folder(tmp_path: Path):
    known = registered([], folder(tmp_path / "a"), lane=Lane.DOCS)
    known = registered(known, folder(tmp_path / "b"), lane=Lane.DOCS)
    assert names(named(known, str(tmp_path / "a"))) == ["a"]
    assert names(named(known, "b")) == ["b"]


def test_looking_for_what_is_not_registered_says_what_is(tmp_path: Path):
    known = registered([], folder(tmp_path / "a"), lane=Lane.DOCS)
    with pytest.raises(NotFound, match=r"'other'.*'a'"):
        named(known, "other")
    with pytest.raises(NotFound, match="none is registered"):
        named([], "other")


def test_a_workspace_is_named_by_its_folder_where_there_is_a_choice(tmp_path: Path):
    known = registered([], folder(tmp_path / "agent"), lane=Lane.NOTES, shape=Shape.WORKSPACE, name="")
    with pytest.raises(NotFound) as missing:
        named(known, "other")
    assert missing.value.hint == f"there are '{tmp_path / 'agent'}'"


def test_an_empty_name_never_means_the_folder_one_stands_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(folder(tmp_path / "a"))
    known = registered([], ".", lane=Lane.DOCS)
    with pytest.raises(NotFound):
        named(known, "")


def test_a_source_survives_json():
    given = source(scope="infra", trust=TrustTier.UNTRUSTED, chunker="lines", summarize=True)
    assert Source.from_json(json.loads(json.dumps(given.to_json()))) == given
    assert Source.from_json({"name": "notes", "root": "/n", "shape": "tree", "lane": "notes"}) == source()


@for_each(
    ("plain", "field"),
    [
        ([], "source"),
        ({"name": "n"}, "root"),
        ({"colour": "red"}, "colour"),
        ({"shape": "forest"}, "shape"),
        ({"lane": "memories"}, "lane"),
        ({"lane": "road"}, "lane"),
        ({"trust": "blind"}, "trust"),
        ({"root": 7}, "root"),
        ({"root": "notes"}, "root"),
        ({"root": "/n/../etc"}, "root"),
        ({"root": "/n\ud800"}, "root"),
        ({"name": ""}, "name"),
        ({"name": "a/b"}, "name"),
        ({"name": ".."}, "name"),
        ({"name": "Memory"}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"chunker": "words"}, "chunker"),
        ({"scope": " "}, "scope"),
        ({"summarize": "yes"}, "summarize"),
    ],
)
def test_a_source_that_makes_no_sense_is_refused_by_its_field(plain: Any, field: str):
    whole = source().to_json() | plain if isinstance(plain, dict) and plain != {"name": "n"} else plain
    with pytest.raises(InvalidRequest) as refused:
        Source.from_json(whole)
    assert refused.value.field == field


@pytest.mark.parametrize(
    "path", ["MEMORY.md", "memory.md", "memory/2026-01-01.md", "memory/a/b/C.MD", "memory/x.markdown", "memory/x.mdx"]
)
def test_a_workspace_lists_its_memory(path: str):
    """B2"""
    assert unlisted(source(shape=Shape.WORKSPACE), path.split("/")) == ""


@for_each(
    "path",
    ["README.md", "Memory.md", "docs/a.md", "memory", "memory/a.txt", "memory/.git/a.md", "memory/a/node_modules/b.md",
     "memory/.pnpm-store/a.md", "memory/.venv/a.md", "memory/venv/a.md", "memory/.tox/a.md", "memory/__pycache__/a.md"],
)  # fmt: skip
def test_a_workspace_lists_nothing_else(path: str):
    """B2"""
    assert unlisted(source(shape=Shape.WORKSPACE), path.split("/")) != ""


@pytest.mark.parametrize("name", ["a.md", "日記.md", "a\u3000b.md", "a\u00a0b.md", "👩\u200d👧.md"])
def test_names_in_any_script_can_be_cited(name: str):
    assert citable(name)


@pytest.mark.parametrize("name", ["a\nb.md", "a\x1b[0m.md", "a\x7f.md", "a\u2028.md", "\udcff.md", "a\x00"])
def test_names_that_would_break_a_line_or_a_terminal_cannot(name: str):
    assert not citable(name)

"""Pictures, recordings and documents of notes: found by what is said about them, kept by where they are (E19)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from laboratory import opened

from cortex.domain.chunk import Chunk
from cortex.domain.lanes import Lane
from cortex.domain.memory import Memory
from cortex.domain.modality import Modality, of_media_kind
from cortex.memory import Cortex
from cortex.ports.store import Filter
from cortex.providers.embedders import none
from cortex.surfaces.cli.app import run
from cortex.testing import FakeClock, FakeEmbedder

NOTE = """\
# Offsite

## Wall

![Sketch of the warehouse floor plan](img/wall.png "Drawn by Ada")

## Talk

Listen again to [the keynote on soil erosion](https://example.org/rec/keynote.mp3).

## Papers

The numbers are in [Quarterly irrigation audit](files/q3.pdf).

## Walk

Nothing was recorded on the walk around the lake, and nobody brought a camera.

## All of it

![Group portrait](img/group.jpg) and [the farewell song](song.ogg)
"""

FOUND = [
    pytest.param("warehouse floor plan", "Wall", ("img/wall.png",), "image", id="alt text of a picture"),
    pytest.param("Ada", "Wall", ("img/wall.png",), "image", id="title of a picture"),
    pytest.param(
        "keynote soil erosion", "Talk", ("https://example.org/rec/keynote.mp3",), "audio", id="text of a recording"
    ),
    pytest.param("irrigation audit", "Papers", ("files/q3.pdf",), "document", id="text of a document"),
    pytest.param("group portrait", "All of it", ("img/group.jpg", "song.ogg"), "mixed", id="one of several"),
]


@pytest.fixture
def note(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "offsite.md").write_text(NOTE, encoding="utf-8")
    return folder


def best(engine: Cortex, query: str) -> Chunk:
    found = engine.recall(query, lanes=frozenset({Lane.NOTES})).hits[0].trace
    assert isinstance(found, Chunk)
    return found


def chunk_under(engine: Cortex, heading: str) -> Chunk:
    (found,) = (
        each
        for each in engine.list(Filter(lanes=frozenset({Lane.NOTES})))
        if isinstance(each, Chunk) and each.section[-1:] == (heading,)
    )
    return found


@pytest.mark.parametrize(("query", "heading", "refs", "kind"), FOUND)
def test_E19_media_are_found_by_what_is_said_about_them(
    open_engine: Callable[..., Cortex], note: Path, query: str, heading: str, refs: tuple[str, ...], kind: str
):
    engine = open_engine()
    engine.index(note)
    found = best(engine, query)
    assert (found.section[-1], found.media_refs, found.media_kind) == (heading, refs, kind)


@pytest.mark.parametrize(("query", "heading", "refs", "kind"), FOUND)
def test_E19_media_are_found_by_keywords_alone(
    open_engine: Callable[..., Cortex], note: Path, query: str, heading: str, refs: tuple[str, ...], kind: str
):
    engine = open_engine(embedder=none.create({}, note))
    engine.index(note)
    found = best(engine, query)
    assert (found.section[-1], found.media_refs, found.media_kind) == (heading, refs, kind)


def test_E19_what_is_said_about_media_is_embedded_as_text(open_engine: Callable[..., Cortex], note: Path):
    embedder = FakeEmbedder(256)
    engine = open_engine(embedder=embedder)
    engine.index(note)
    for caption in ("warehouse floor plan", "soil erosion", "irrigation audit"):
        assert any(caption in text for text in embedder.documents)


def test_E19_a_section_without_media_names_none(open_engine: Callable[..., Cortex], note: Path):
    engine = open_engine()
    engine.index(note)
    walk = chunk_under(engine, "Walk")
    assert (walk.media_refs, walk.media_kind) == ((), "")


def test_E19_media_follow_the_file(open_engine: Callable[..., Cortex], note: Path):
    engine = open_engine()
    engine.index(note)
    (note / "offsite.md").write_text(NOTE.replace("img/wall.png", "img/wall.mp4"), encoding="utf-8")
    engine.index()
    wall = chunk_under(engine, "Wall")
    assert (wall.media_refs, wall.media_kind) == (("img/wall.mp4",), "video")


def test_E19_every_kind_a_note_can_have_is_a_modality_or_mixed(open_engine: Callable[..., Cortex], note: Path):
    engine = open_engine()
    engine.index(note)
    kinds = {each.media_kind for each in engine.list() if isinstance(each, Chunk)}
    assert {kind: of_media_kind(kind) for kind in kinds} == {
        "": Modality.TEXT,
        "image": Modality.IMAGE,
        "audio": Modality.AUDIO,
        "document": Modality.DOCUMENT,
        "mixed": Modality.TEXT,
    }


@pytest.fixture
def shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[str], dict[str, Any]]:
    """What `cortex get ID --json` prints."""

    def show(id: str) -> dict[str, Any]:
        capsys.readouterr()
        code = run(["--home", str(tmp_path), "get", id, "--json"], lambda home, agent, user: opened(tmp_path))
        said = capsys.readouterr()
        assert code == 0, said.err
        payload: dict[str, Any] = json.loads(said.out)
        return payload

    return show


def test_E19_show_tells_the_media_of_a_chunk(
    open_engine: Callable[..., Cortex], note: Path, shown: Callable[[str], dict[str, Any]]
):
    engine = open_engine()
    engine.index(note)
    id = chunk_under(engine, "All of it").id
    engine.close()
    told = shown(id)
    assert told["media_refs"] == ["img/group.jpg", "song.ogg"]
    assert told["media_kind"] == "mixed"


def test_E19_show_tells_the_media_of_a_memory(
    open_engine: Callable[..., Cortex], shown: Callable[[str], dict[str, Any]]
):
    engine = open_engine()
    kept = engine.remember("The wall at the offsite", media_refs=("img/wall.png",), media_kind="image").memory
    engine.close()
    told = shown(kept.id)
    assert (told["media_refs"], told["media_kind"]) == (["img/wall.png"], "image")


def test_E19_the_media_of_a_memory_survive_export_and_import(tmp_path: Path, clock: FakeClock):
    with opened(tmp_path / "one", clock=clock) as one, opened(tmp_path / "other", clock=clock) as other:
        kept = one.remember(
            "The keynote was on soil erosion", media_refs=("keynote.mp3", "slides.pdf"), media_kind="mixed"
        ).memory
        assert one.get(kept.id) == kept
        other.import_([json.dumps(line) for line in one.export(redact=False)], trusted=True)
        brought = other.get(kept.id)
        assert isinstance(brought, Memory)
        assert (brought.media_refs, brought.media_kind) == (("keynote.mp3", "slides.pdf"), "mixed")
        assert other.recall("soil erosion keynote").hits[0].trace.id == kept.id

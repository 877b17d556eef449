"""Modalities, and by what each is embedded (E19)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.modality import TEXT_EMBEDDER, Modality, Strategy, of_media_kind, strategy
from cortex.workspace import media

ALL_CONFIGURED = {modality.value: f"of-{modality.value}" for modality in Modality}


@pytest.mark.parametrize(
    ("target", "modality"),
    [
        ("board.png", Modality.IMAGE),
        ("talk.mp3", Modality.AUDIO),
        ("demo.mp4", Modality.VIDEO),
        ("report.pdf", Modality.DOCUMENT),
        ("notes.md", Modality.TEXT),
    ],
)
def test_what_a_note_refers_to_has_the_modality_of_its_file(target: str, modality: Modality):
    """(E19)"""
    assert of_media_kind(media.target_kind(target)) is modality


@pytest.mark.parametrize("kind", ["", media.MIXED, "hologram", " "])
def test_no_media_several_sorts_and_unknown_sorts_are_text(kind: str):
    """(E19) What is said about them is all that there is one embedder for."""
    assert of_media_kind(kind) is Modality.TEXT
    assert strategy(kind, ALL_CONFIGURED) == Strategy(Modality.TEXT, TEXT_EMBEDDER)


def test_a_kind_is_known_however_it_is_written():
    assert of_media_kind(" Image ") is Modality.IMAGE


@given(st.text())
def test_every_kind_has_a_modality(kind: str):
    assert of_media_kind(kind) in Modality


@pytest.mark.parametrize("modality", Modality)
def test_where_nothing_is_configured_everything_is_embedded_as_text(modality: Modality):
    """(E19)"""
    assert strategy(modality, {}) == Strategy(modality, TEXT_EMBEDDER)


@pytest.mark.parametrize("modality", [each for each in Modality if each is not Modality.TEXT])
def test_a_modality_is_embedded_by_what_is_configured_for_it_alone(modality: Modality):
    """(E19)"""
    assert strategy(modality, ALL_CONFIGURED) == Strategy(modality, f"of-{modality.value}")
    others = {name: embedder for name, embedder in ALL_CONFIGURED.items() if name != modality.value}
    assert strategy(modality, others) == Strategy(modality, TEXT_EMBEDDER)


def test_a_name_that_is_blank_is_as_good_as_none():
    assert strategy("image", {"image": " "}).embedder == TEXT_EMBEDDER


def test_text_is_the_text_embedders_whatever_is_configured():
    """`embedding.provider` chooses it; a second place to choose it would only contradict the first."""
    assert strategy("text", {"text": "another"}).embedder == TEXT_EMBEDDER

"""Modalities: what a trace shows besides text, and by which strategy each is embedded (E19)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

TEXT_EMBEDDER = "text"
"""The strategy where no other is configured: what is said about a medium is embedded, as text."""


class Modality(StrEnum):
    """What a medium is to an embedder."""

    TEXT = "text"
    IMAGE = "image"
    AUDIO = "audio"
    VIDEO = "video"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Strategy:
    """By what a modality is embedded: the entry point of a media embedder, or `text`."""

    modality: Modality
    embedder: str = TEXT_EMBEDDER


def of_media_kind(kind: str) -> Modality:
    """The modality of a `media_kind`; text for none, for several at once, and for what is not known."""
    try:
        return Modality(kind.strip().lower())
    except ValueError:
        return Modality.TEXT


def strategy(media_kind: str, configured: Mapping[str, str]) -> Strategy:
    """The strategy for what has this `media_kind`, where `configured` names media embedders by modality.

    Text is always the text embedder's, whatever is configured for it here.
    """
    modality = of_media_kind(media_kind)
    named = "" if modality is Modality.TEXT else configured.get(modality.value, "").strip()
    return Strategy(modality, named or TEXT_EMBEDDER)

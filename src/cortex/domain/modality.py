"""Modalities: what a trace shows besides text, and by what each is embedded (E19)."""

from __future__ import annotations

import hashlib
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


@dataclass(frozen=True, slots=True)
class Medium:
    """What a media file holds, and its media type, such as `image/png`."""

    data: bytes
    media_type: str

    @property
    def digest(self) -> str:
        """SHA-256 of its bytes, in hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()


def of_media_kind(kind: str) -> Modality:
    """The modality of a `media_kind`; text for none, for several at once, and for what is not known."""
    try:
        return Modality(kind.strip().lower())
    except ValueError:
        return Modality.TEXT


def of_media_type(media_type: str) -> Modality:
    """The modality of a media type."""
    return Modality.DOCUMENT if media_type == "application/pdf" else of_media_kind(media_type.partition("/")[0])


def strategy(media_kind: str, configured: Mapping[str, str]) -> Strategy:
    """The strategy for what has this `media_kind`, where `configured` names media embedders by modality.

    Text is always the text embedder's, whatever is configured for it here.
    """
    modality = of_media_kind(media_kind)
    named = "" if modality is Modality.TEXT else configured.get(modality.value, "").strip()
    return Strategy(modality, named or TEXT_EMBEDDER)


_BY_FIRST_BYTES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"OggS", "audio/ogg"),
    (b"%PDF-", "application/pdf"),
)
_IN_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}
_QUICKTIME, _SPOKEN = b"qt  ", frozenset({b"M4A ", b"M4B "})
_MPEG_SYNC, _MPEG_LAYER = 0xE0, 0x06


def media_type_of(data: bytes) -> str:
    """What a file is by its first bytes, whatever its name says; "" for what is not known."""
    if data[:4] == b"RIFF":
        return _IN_RIFF.get(data[8:12], "")
    if data[4:8] == b"ftyp":
        brand = data[8:12]
        return "video/quicktime" if brand == _QUICKTIME else "audio/mp4" if brand in _SPOKEN else "video/mp4"
    if found := next((media_type for first, media_type in _BY_FIRST_BYTES if data.startswith(first)), ""):
        return found
    # A recording without a tag begins with a frame: eleven bits set, and a layer.
    is_frame = len(data) > 1 and data[0] == 0xFF and data[1] & _MPEG_SYNC == _MPEG_SYNC and data[1] & _MPEG_LAYER
    return "audio/mpeg" if is_frame else ""

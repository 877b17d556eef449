"""Embedding spaces and the arithmetic of unit vectors."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
Codes = NDArray[np.uint8]
Words = NDArray[np.uint64]

_BEYOND_LATIN = re.compile("[^\u0000-\u024f\u1e00-\u1eff]")


class Basis(StrEnum):
    """What a calibration rests on."""

    DECLARED = "declared"
    """Given by the provider of the model."""
    MEASURED = "measured"
    """Measured on stored texts."""
    ESTIMATED = "estimated"
    """Measured on sentences that have nothing to do with each other, as long as there are too few texts."""
    ASSUMED = "assumed"
    """Neither: cosines are taken as they are."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Where a model's cosines lie: `floor` is 0 on the common scale, and `top`, the same text, is 1.

    Some models squeeze all cosines into a narrow band; thresholds such as 0.35 or 0.92 only mean
    what they say after the band has been stretched back.
    """

    floor: float = 0.0
    basis: Basis = Basis.DECLARED
    texts: int = 0
    """How many texts there were when it was measured."""
    top: float = 1.0
    """Less than the same text where texts are compared with media, which no text is the same as."""

    def apply(self, cosine: float) -> float:
        """The cosine on the common scale, within 0 and 1."""
        return min(1.0, max(0.0, (cosine - self.floor) / (self.top - self.floor)))


ASSUMED = Calibration(basis=Basis.ASSUMED)


@dataclass(frozen=True, slots=True)
class EmbeddingSpace:
    """Vectors compare only within one space: one model, dimension, prefix scheme and endpoint."""

    provider: str
    model: str
    dimension: int
    prefixes: str = ""
    endpoint: str = ""
    calibration: Calibration = ASSUMED
    """A model that declares none is measured on the texts that are stored."""
    latin_only: bool = False
    """Whether the model was trained on Latin script alone: vectors of other scripts say nothing."""
    unread: frozenset[str] = frozenset()
    """Scripts, by their Unicode names, that the model has no words of."""

    @property
    def key(self) -> str:
        """A short stable name; it changes when anything that changes the vectors does."""
        identity = "\x1f".join((self.provider, self.model, str(self.dimension), self.prefixes, self.endpoint))
        return f"{self.provider}/{self.model}/{self.dimension}/{hashlib.sha256(identity.encode()).hexdigest()[:12]}"

    @property
    def is_measured(self) -> bool:
        """Whether its scale is to be measured: nobody who knows the model declares one."""
        return self.dimension > 0 and self.calibration.basis is not Basis.DECLARED

    def on(self, measured: Calibration | None) -> EmbeddingSpace:
        """This space on the scale that was measured, if any; what its model declares stands."""
        return replace(self, calibration=measured) if self.is_measured and measured is not None else self

    def reads(self, text: str) -> bool:
        """Whether a vector of `text` means anything in this space."""
        if text.isascii() or not (self.latin_only or self.unread):
            return True
        if not self.unread and not any(map(str.isalpha, _BEYOND_LATIN.findall(text))):
            return True
        letters = [char for char in text if char.isalpha()]
        return 2 * sum(map(self._reads_letter, letters)) >= len(letters)

    def _reads_letter(self, char: str) -> bool:
        if self.latin_only and _BEYOND_LATIN.match(char):
            return False
        return unicodedata.name(char, "").partition(" ")[0] not in self.unread


def unit(vector: Vector) -> Vector:
    """`vector` scaled to length one. What has it already, and the zero vector, stays as it is to the last bit."""
    length = float(np.linalg.norm(vector))
    return vector if length == 0.0 or abs(length - 1.0) < 1e-6 else (vector / length).astype(np.float32)


def sign_codes(vectors: NDArray[np.float32], centre: Vector) -> Codes:
    """One bit per dimension: on which side of the centre each vector lies; padded to whole 64-bit words."""
    bits = np.packbits(vectors > centre, axis=-1)
    padding = -bits.shape[-1] % 8
    return np.pad(bits, [(0, 0)] * (bits.ndim - 1) + [(0, padding)]) if padding else bits


def code_bytes(dimension: int) -> int:
    """How many bytes the code of a vector has."""
    return -(-dimension // 64) * 8


def hamming(codes: Codes | Words, code: Codes) -> NDArray[np.uint16]:
    """How many bits each of `codes`, as bytes or as words, differs from `code` in."""
    words = np.ascontiguousarray(codes).view(np.uint64) if codes.dtype == np.uint8 else codes
    differing: NDArray[np.uint16] = np.zeros(len(words), dtype=np.uint16)
    for column, word in enumerate(code.view(np.uint64)):
        differing += np.bitwise_count(words[:, column] ^ word)
    return differing

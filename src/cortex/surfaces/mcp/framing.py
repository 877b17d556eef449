"""Remembered text as it is handed to a model: data in a frame, in the engine's own words, never instructions."""

from __future__ import annotations

from collections.abc import Iterable

from cortex.domain.text import escaped
from cortex.recall.packing import CLOSING, OPENING, WARNING

NOTICE = WARNING
"""Stands in every answer that holds remembered text."""

_HEAD_LINES = 4
# A name can neither close the label it stands in nor add to it.
_NO_LABEL = str.maketrans("[],", "() ")


def framed(lines: Iterable[str]) -> str:
    """`lines`, each made of one `line`, as a block."""
    return "\n".join([OPENING, WARNING, *lines, CLOSING])


def line(about: Iterable[str], text: str) -> str:
    """One trace on one line: a line break inside could pretend to be the next one, or the end of the block."""
    label = ", ".join(word.translate(_NO_LABEL) for word in about)
    return "- " + " ".join(escaped(f"[{label}] {text}").split())


def quoted(text: str) -> str:
    """A text with lines of its own, as a block."""
    return framed(escaped(text).rstrip("\n").split("\n"))


def warned(block: str) -> str:
    """A block of the engine's; framed where its recipe leaves the warning out."""
    # Only our own lines stand that far up: every hit begins with a dash.
    if not block or WARNING in block.split("\n")[:_HEAD_LINES]:
        return block
    return "\n".join([OPENING, WARNING, block, CLOSING])


def writable(text: str) -> str:
    """`text` as it can be sent to a host: half a character would end the connection, whoever let it in."""
    return text.encode("utf-8", "replace").decode()

"""Remembered text for a model: framed and marked as data, never as instructions."""

from __future__ import annotations

from collections.abc import Iterable

from cortex.domain.text import escaped
from cortex.recall.packing import CLOSING, OPENING, WARNING

NOTICE = WARNING
"""Part of every answer that contains remembered text."""

_HEAD_LINES = 4
# A name cannot close or extend the label it is in.
_NO_LABEL = str.maketrans("[],", "() ")


def framed(lines: Iterable[str]) -> str:
    """The lines as one framed block."""
    return "\n".join([OPENING, WARNING, *lines, CLOSING])


def line(about: Iterable[str], text: str) -> str:
    """One trace on one line. A line break inside it could fake another line, or the end of the block."""
    label = ", ".join(word.translate(_NO_LABEL) for word in about)
    return "- " + " ".join(escaped(f"[{label}] {text}").split())


def quoted(text: str) -> str:
    """A text of several lines as a framed block."""
    return framed(escaped(text).rstrip("\n").split("\n"))


def warned(block: str) -> str:
    """A block from recall, framed if its recipe leaves out the warning."""
    # The first lines are always ours: every hit begins with a dash.
    if not block or WARNING in block.split("\n")[:_HEAD_LINES]:
        return block
    return "\n".join([OPENING, WARNING, block, CLOSING])


def writable(text: str) -> str:
    """`text` without half characters, which would break the connection to a host."""
    return text.encode("utf-8", "replace").decode()

"""Text that survives an editor.

It stands on the page as it is; only what an editor would lose, or what looks like the form itself, is written as a
character reference (`&#32;`).
"""

from __future__ import annotations

import re

_REFERENCE = re.compile(r"&#([0-9]{1,7});")
# Controls, line ends that are not everyone's, and characters nobody sees: editors drop them or act on them.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_LINE_END = re.compile(r"[^\S\n](?=\n|\Z)")
_EDGES = re.compile(r"\A\s|\s\Z")

MARK = re.compile(r"cortex:(?=id|exported)|base=(?=[0-9a-f]{8})", re.IGNORECASE)
"""Either half of an item's comment alone, so that one that was damaged is still seen for what it was."""

FIELDS = re.compile(r"\(\s*[A-Za-z_]+\s*:.*\)")
"""The line at the end of an item that gives its fields."""


def as_block(text: str) -> str:
    """`text` as the lines of an item; `unescaped` undoes it."""
    marked = _marked(text)
    body = marked.strip("\n")
    before = len(marked) - len(marked.lstrip("\n"))
    after = len(marked) - before - len(body)
    # Blank lines at either end are the editor's: those of the text itself have to be seen.
    safe = _LINE_END.sub(_referred, _referred_char("\n") * before + body + _referred_char("\n") * after)
    if safe[:1].isspace():
        safe = _referred_char(safe[0]) + safe[1:]
    head, newline, last = safe.rpartition("\n")
    if newline and FIELDS.fullmatch(last.strip()):
        last = last.replace("(", _referred_char("("), 1)
    return f"{head}{newline}{last}"


def as_line(text: str) -> str:
    """`text` within one line."""
    return _EDGES.sub(_referred, _marked(text).replace("\n", _referred_char("\n")))


def as_tag(tag: str) -> str:
    """`tag` within a line of fields."""
    return as_line(tag).replace(",", _referred_char(",")).replace("|", _referred_char("|"))


def unescaped(written: str) -> str:
    """`written` with its references resolved."""
    return _REFERENCE.sub(_resolved, written)


def _marked(text: str) -> str:
    """`text` without what only the form may say."""
    text = _REFERENCE.sub(lambda found: f"{_referred_char('&')}{found.group()[1:]}", text)
    text = _UNSAFE.sub(_referred, text)
    return MARK.sub(lambda found: found.group()[:-1] + _referred_char(found.group()[-1]), text)


def _resolved(found: re.Match[str]) -> str:
    code = int(found[1])
    return chr(code) if code <= 0x10FFFF else found.group()


def _referred(found: re.Match[str]) -> str:
    return "".join(map(_referred_char, found.group()))


def _referred_char(char: str) -> str:
    return f"&#{ord(char)};"

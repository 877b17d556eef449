"""What of a turn is its speaker's own prose: not code, not logs, not what is quoted, pasted or forwarded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from cortex.domain.ownership import foreign
from cortex.languages.lists import alternatives
from cortex.languages.pack import MAX_SENTENCE

MAX_CHARS = 24_000
"""Of a longer turn, its head and its tail are looked at: what people say stands around what they paste."""

BLANK = "\ufffc"
"""Stands for a letter that is not the speaker's own."""

_STRAIGHT = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "\u00a0": " ", "\t": " ", "\u3000": " "})

_FENCE = re.compile(r"(?:^[ \t]*|(?<=[\s:]))(```|~~~)", re.MULTILINE)
# From here to the end, nobody speaks.
_TRACEBACK = r"^[ ]*traceback \(most recent call last\)"
# Lines nobody says: quotes, tables, logs, stack frames, shell prompts, markup, code.
_LINE = (
    r"^[ ]*+(?:>.*|\|.*\|[ ]*|\$ .*|#+ .*|</?\w[^\n]*>|at [\w.$<>]+\(.*|file \".*|[\[(]?\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*"
    r"|\[?\d\d:\d\d:\d\d\]? .*|.*(?-i:\b(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL)\b)[ :\]].*"
    r"|(?-i:[\w.]+(?:Error|Exception): .*)|[{}\[\]();]+[ ]*"
    r"|(?-i:(?:import|def|class|const|let|var|function|return|public|private|SELECT|INSERT|UPDATE) [\w*{].*[;{(:=].*)"
    r"|(?-i:(?:import|from) [\w.]+(?: import .*)?|#include .*)|.*[;{}][ ]*|//.*)$"
)
# The other side of a transcript, and lines of a chat log.
_TRANSCRIPT = re.compile(
    r"^[ ]*(?:(?:system|assistant|bot)[ ]?:[ ]+(?:\S+[ ]+){2}|\[\d\d:\d\d\][ ]).*$", re.IGNORECASE | re.MULTILINE
)
_QUOTED = re.compile(
    r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|«[^»\n]{1,400}»|„[^“”\n]{1,400}[“”]|「[^」\n]{1,400}」|『[^』\n]{1,400}』"
    r"|(?<![\w'])'(?=[^'\n]{0,400}[^\s'\w]?'(?!\w))[^'\n]{2,400}'(?!\w)"
)
_INLINE = re.compile(rf"`[^`\n]{{1,200}}`|\[(?:{alternatives('attachments')})\b[^\]\n]{{0,400}}\]", re.IGNORECASE)
_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]]*+(?=\s|$)|[。！？]+[」』”）)]*|\n")
_ABBREVIATION = re.compile(rf"(?:^|[\s(])(?:{alternatives('abbreviations')}|(?-i:[A-Z]))\.$", re.IGNORECASE)
# "D.C. in May", "3 p.m. with her": what follows in small letters belongs to it.
_INITIALS = re.compile(r"(?:^|[\s(])(?:[A-Za-z]\.){2,6}$")
_BULLET = re.compile(r"\s*(?:[-*•·–]\s+|\d{1,2}[.)、]\s*|[（(]\d{1,2}[）)]\s*|\[[ x]\]\s+)?")
LIST_LINE = re.compile(r"[ \t]*(?:[-*•·–]|\d{1,2}[.)、]|[（(]\d{1,2}[）)])[ \t]*\S[^\n]*")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


def own_prose(text: str, speaker: str = "") -> str:
    """`text` with straight apostrophes and everything blanked that its speaker did not say; as long as `text`."""
    plain = text.translate(_STRAIGHT)
    for each in foreign(text, speaker):
        plain = plain[: each.start] + _hidden(plain[each.start : each.stop]) + plain[each.stop :]
    if len(plain) > MAX_CHARS:
        half = MAX_CHARS // 2
        plain = plain[:half] + _hidden(plain[half:-half]) + plain[-half:]
    plain = _without_fences(plain)
    if found := _compiled(_TRACEBACK).search(plain):
        plain = plain[: found.start()] + _hidden(plain[found.start() :])
    if "\n" in plain:
        plain = "\n".join(_own_line(line) for line in plain.split("\n"))
    plain = _QUOTED.sub(_blanked, _TRANSCRIPT.sub(_blanked, plain))
    return _INLINE.sub(_blanked, plain)


def sentences(prose: str) -> Iterator[tuple[int, int]]:
    """The spans of the sentences of what `own_prose` left, list marks left out; blanked ones are passed over."""
    start = 0
    for end in _END.finditer(prose):
        at = end.end()
        if end.group() == "." and _is_abbreviated(prose, start, at):
            continue
        if end.group() == "\n" and _runs_on(prose, start, at):
            continue
        yield from _sentence(prose, start, at)
        start = at
    yield from _sentence(prose, start, len(prose))


def _is_abbreviated(prose: str, start: int, at: int) -> bool:
    """Whether the full stop before `at` ends an abbreviation, and no sentence."""
    begin = max(start, at - 16)
    if _ABBREVIATION.search(prose, begin, at):
        return True
    return prose[at : at + 2].strip()[:1].islower() and _INITIALS.search(prose, begin, at) is not None


def _sentence(prose: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    mark = _BULLET.match(prose, start, end)
    start = mark.end() if mark else start
    while end > start and prose[end - 1].isspace():
        end -= 1
    # What is as long as that without a full stop is not something said.
    if 2 <= end - start <= MAX_SENTENCE and prose.count(BLANK, start, end) < 0.8 * (end - start):
        yield start, end


def _runs_on(prose: str, start: int, at: int) -> bool:
    """Whether a line break only wraps a sentence: the next line goes on in small letters."""
    return at - start > 40 and prose[at : at + 1].islower()


def _own_line(line: str) -> str:
    # Long lines without spaces are data.
    if len(line) > MAX_SENTENCE * 8 and line.count(" ") * 30 < len(line) and line.isascii():
        return _hidden(line)
    return _hidden(line) if len(line) < 2_000 and _compiled(_LINE).match(line) else line


def _without_fences(text: str) -> str:
    """`text` with code blocks blanked; one that is left open goes to the end."""
    if "```" not in text and "~~~" not in text:
        return text
    kept: list[str] = []
    at, opened = 0, ""
    for fence in _FENCE.finditer(text):
        if not opened:
            kept.append(text[at : fence.start()])
            at, opened = fence.start(), fence[1]
        elif fence[1] == opened:
            kept.append(_hidden(text[at : fence.end()]))
            at, opened = fence.end(), ""
    rest = text[at:]
    kept.append(_hidden(rest) if opened else rest)
    return "".join(kept)


def _hidden(text: str) -> str:
    return "".join("\n" if letter == "\n" else BLANK for letter in text)


def _blanked(found: re.Match[str]) -> str:
    return BLANK * len(found.group())

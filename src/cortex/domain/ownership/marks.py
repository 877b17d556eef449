"""Words that marks in a text set apart as somebody else's: fences, tags, quoted lines, mail headers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cortex.domain.ownership.clauses import speaks_of
from cortex.domain.ownership.extents import FENCE, sentence_start, stop_after
from cortex.domain.ownership.phrases import ANY_CASE, compiled
from cortex.domain.ownership.span import Owner, OwnershipReason, Span
from cortex.domain.ownership.words import alternatives, bounded, either
from cortex.languages import OWNERSHIP as WORDS

_PROSE_FENCES = frozenset({"", "text", "txt", "md", "markdown", "email", "eml", "html", "log"})
_QUOTED_LINES = r"(?m)^[ \t]*(?:>|＞|┃|│)[^\n]*(?:\n[ \t]*(?:>|＞|┃|│)[^\n]*)*"
_TAGGED = (
    r"(?i)<(document|documents|doc|email|mail|article|page|webpage|web_page|file|quote|blockquote|attachment|"
    r"transcript|source|content|context|paste|pasted|result|results|tool_result|search_result|search_results|"
    r"message|ticket|notes|data)\b[^<>\n]{0,200}>"
)
_DATED = [each for each in WORDS.values() if each.mail_on]
_UNDATED = [each for each in WORDS.values() if each.mail_wrote and not each.mail_on]
_FORWARDED = (
    rf"(?im)^[ \t]*[-_=*]{{2,}}[ \t]*"
    rf"(?:{alternatives('forwarded', spaced=True)}|{alternatives('forwarded', spaced=False)})[^\n]*"
    rf"|^[ \t]*{bounded('forwards')}[^\n]*|^[ \t]*(?:{'|'.join(each.mail_on for each in _DATED)}) [^\n]{{4,120}}"
    rf"\b(?:{'|'.join(each.mail_wrote for each in _DATED)})\b[^\n:]{{0,60}}:[ \t]*$"
    rf"|^[^\n]{{4,120}}(?:{'|'.join(each.mail_wrote for each in _UNDATED)})[^\n:：]{{0,20}}[:：][ \t]*$"
)
_HEADERS = (
    rf"(?im)^[ \t]*{either('mail_from', 'mail_subject')}[ \t]*[:：][^\n]*\n(?:[^\n]*\n)?"
    rf"[ \t]*{either('mail_from', 'mail_subject', 'mail_headers')}[ \t]*[:：]"
)
_ONE_HEADER = rf"{ANY_CASE}\s{{0,4}}{either('mail_subject')} {{0,2}}[:：][^\n]{{1,160}}\n"
_SAYS = rf"{ANY_CASE}{bounded('says')}[^\n\"“]{{0,40}}[\"“]([^\"”\n]{{20,2000}})[\"”]"


def marked_spans(text: str) -> Iterator[Span]:
    yield from _fences(text)
    yield from _tagged(text)
    for each in compiled(_QUOTED_LINES).finditer(text):
        yield Span(*each.span(), Owner.QUOTED, OwnershipReason.QUOTED_LINES)
    if '"' in text or "“" in text:
        for each in compiled(_SAYS).finditer(text):
            beside = text[sentence_start(text, each.start()) : stop_after(text, each.end())]
            # A short saying is part of what the user tells; what fills much of the message is somebody else's text.
            is_sure = "recipe" not in speaks_of(beside) and 3 * len(each[1]) > len(text)
            yield Span(*each.span(1), Owner.QUOTED, OwnershipReason.SAID_BY_OTHERS, is_sure=is_sure)
    for pattern in (_FORWARDED, _HEADERS):
        # From there to the end: a message rarely says where the other's words stop.
        if (begun := compiled(pattern).search(text)) and text[begun.end() :].strip():
            yield Span(begun.start(), len(text), Owner.QUOTED, OwnershipReason.FORWARDED)
            return
    if begun := compiled(_ONE_HEADER).match(text):
        stop = text.find("\n\n", begun.end())
        yield Span(begun.start(), stop if stop >= 0 else len(text), Owner.QUOTED, OwnershipReason.FORWARDED)


def _fences(text: str) -> Iterator[Span]:
    opened: re.Match[str] | None = None
    for mark in compiled(FENCE).finditer(text):
        if opened is None:
            opened = mark
        elif mark.group(1).startswith(opened.group(1)) and not mark.group(2):
            yield _fenced(opened, mark.end())
            opened = None
    if opened is not None:
        yield _fenced(opened, len(text))


def _fenced(opened: re.Match[str], stop: int) -> Span:
    return Span(opened.start(), stop, Owner.PASTED, OwnershipReason.FENCE, opened.group(2).lower() not in _PROSE_FENCES)


def _tagged(text: str) -> Iterator[Span]:
    end = 0
    folded = text.lower()
    if len(folded) != len(text):
        return
    for tag in compiled(_TAGGED).finditer(text):
        if tag.start() < end:
            continue
        close = folded.find(f"</{tag.group(1).lower()}", tag.end())
        end = len(text) if close < 0 else close
        yield Span(tag.end(), end, Owner.PASTED, OwnershipReason.TAG)

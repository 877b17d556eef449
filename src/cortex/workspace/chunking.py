"""Cuts the text of a file into pieces that know their lines: by size with overlap, or along its tree of sections."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from cortex.domain.text import SENTENCE_END, estimate_tokens
from cortex.errors import InvalidRequest
from cortex.workspace.markdown import BOM, Block, BlockKind, MarkdownDocument, lines_of, read, sections

CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class TextSpan:
    """Characters `start` to `end` of a file's text, as they stand there: `text == content[start:end]`."""

    text: str
    start_line: int
    end_line: int
    section: tuple[str, ...] = ()
    start: int = 0
    end: int = 0

    @property
    def hash(self) -> str:
        """SHA-256 of the text, in hexadecimal."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


# --- by size


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A line, or a part of one that is too long."""

    line: int
    start: int
    end: int

    @property
    def cost(self) -> int:
        return self.end - self.start + 1

    def cut(self, at: int) -> tuple[_Stretch, _Stretch]:
        """Its first `at` characters, and the rest."""
        return replace(self, end=self.start + at), replace(self, start=self.start + at)


def lines(content: str, *, tokens: int = 400, overlap: int = 80) -> list[TextSpan]:
    """Pieces of lines of at most `tokens`, four characters each, and each begins with the last of the one before (B4).

    What is repeated are the last lines that fit into `overlap`; where the last one is longer than that, it alone, or
    its end where it would take half of the piece. A line counts its characters and one more. One that does not fit
    beside what is repeated is cut, and each part keeps its number. No piece is over the limit. Stretches of blank lines
    alone make no piece.
    """
    _checked(tokens, overlap)
    gathering = _Gathering(content, tokens * CHARS_PER_TOKEN, overlap * CHARS_PER_TOKEN)
    for stretch in _stretches(content):
        gathering.add(stretch)
    return [piece for piece in gathering.finished() if piece.text and not piece.text.isspace()]


def _stretches(content: str) -> Iterator[_Stretch]:
    start = len(BOM) if content.startswith(BOM) else 0
    for number, line in enumerate(lines_of(content), start=1):
        end = start + len(line)
        yield _Stretch(number, start, end)
        start = end + 1


_LEAST_TAIL = 4
"""The end of a line that is repeated may be this many times shorter than the overlap, rather than cut the next line."""


class _Gathering:
    """Lines on their way into pieces."""

    def __init__(self, content: str, limit: int, overlap: int) -> None:
        self._content = content
        self._limit = limit
        self._overlap = min(overlap, limit // 2)
        self._pieces: list[TextSpan] = []
        self._held: list[_Stretch] = []
        self._room = limit
        self._repeated = 0
        """How many of those that are held stand in the piece before too."""

    def add(self, stretch: _Stretch) -> None:
        while not self._fits(stretch):
            if len(self._held) == self._repeated or self._carried(stretch.cost) == self._held:
                # A part of it has to do: all that is held would stand in the next piece as well.
                head, stretch = stretch.cut(self._room - bool(self._held))
                self._hold(head)
            self._close(stretch)
        self._hold(stretch)

    def finished(self) -> list[TextSpan]:
        if len(self._held) > self._repeated:
            self._close(self._held[-1])
        return self._pieces

    def _hold(self, stretch: _Stretch) -> None:
        self._held.append(stretch)
        self._room -= stretch.cost

    def _fits(self, stretch: _Stretch) -> bool:
        # The line break of a piece's only line is no part of it.
        return stretch.cost - (not self._held) <= self._room

    def _close(self, following: _Stretch) -> None:
        self._pieces.append(_piece(self._content, self._held))
        self._held = self._carried(following.cost)
        self._room = self._limit - sum(each.cost for each in self._held)
        self._repeated = len(self._held)

    def _carried(self, cost: int) -> list[_Stretch]:
        """The end of the piece before, beside which something of that cost is to find its room."""
        held, room = self._held, self._limit - cost
        if room * _LEAST_TAIL < self._overlap:  # then it is cut, and what is repeated goes first
            room = self._limit // 2
        kept, left = len(held), min(self._overlap, room)
        while kept and (left := left - held[kept - 1].cost) >= 0:
            kept -= 1
        if not self._overlap or not self._is_blank(held[kept:]):
            return held[kept:]
        at = next((at for at in reversed(range(len(held))) if not self._is_blank(held[at : at + 1])), None)
        if at is None:
            return held[kept:]
        whole = sum(each.cost for each in held[at:])
        if whole <= min(self._limit // 2, room):
            return held[at:]
        length = min(self._overlap, room) - (whole - held[at].cost) - 1
        return [self._tail(held[at], length), *held[at + 1 :]] if 0 < length < held[at].cost else held[kept:]

    def _tail(self, stretch: _Stretch, length: int) -> _Stretch:
        """The last `length` characters of a line, from the beginning of a word on where there is one."""
        start = stretch.end - length
        space = self._content.find(" ", start, start + length // 2)
        return replace(stretch, start=start if space < 0 else space + 1)

    def _is_blank(self, held: Sequence[_Stretch]) -> bool:
        return not held or self._content[held[0].start : held[-1].end].strip() == ""


def _piece(content: str, held: Sequence[_Stretch]) -> TextSpan:
    start, end = held[0].start, held[-1].end
    return TextSpan(content[start:end], held[0].line, held[-1].line, start=start, end=end)


def _checked(tokens: int, overlap: int = 0) -> None:
    if tokens < 1:
        raise InvalidRequest(f"{tokens} is no size of a piece", field="tokens", hint="give at least 1; 400 is usual")
    if overlap < 0:
        raise InvalidRequest(f"{overlap} is no overlap", field="overlap", hint="give 0 or more; 80 is usual")


# --- by sections

# What it costs to cut before a unit, beside its distance from the size aimed at (as a share of that size).
_FREE = 0.0
_TIGHT = 0.1
"""No blank line stands between: items of a list, or a list below the words that lead to it."""
_NESTED = 0.2
_SENTENCE = 0.2
"""Within a block too long for one piece, where a sentence ends."""
_MID_SENTENCE = 0.4
_BEHIND_HEADING = 0.5

_TAIL = 16
"""Characters at the end of a line that tell whether a sentence ends there."""

_FRONT_SHARE = 4
"""A front matter that takes more than the fourth part of a piece is one of its own."""

_ENDING = re.compile(r"[.!?…。！？][\"'”’)\]」』*_`]*+\s*+$")


@dataclass(frozen=True, slots=True)
class _Unit:
    """What is not cut any further: a block, a line of one too long, or a part of a line too long."""

    start: int
    end: int
    start_line: int
    end_line: int
    before: int
    """Weight of everything before it."""
    weight: int
    toll: float
    """What it costs to cut before it."""


def by_sections(content: str, *, tokens: int = 400) -> list[TextSpan]:
    """Pieces of at most `tokens`, each within one section of the file and with the path of its headings (X15).

    The rule of coverage: pieces follow each other and never overlap; every line that is not blank and fits into a
    piece is whole in exactly one; of a line that does not fit, every character but white space is in exactly one. No
    piece begins or ends with a blank line.

    A heading opens the first piece of its section. A section that is nothing but its heading joins its first
    subsection. A section too long for one piece is cut into pieces of about the same size: between paragraphs, items,
    fences and tables where each of these fits; else at lines, preferably where a sentence ends; a line that is too
    long itself, at the ends of sentences, at spaces, and at last anywhere. The front matter opens the first piece, or
    is one of its own where it is long.
    """
    _checked(tokens)
    document = read(content)
    scale = _Scale(content, document)
    limit = tokens * CHARS_PER_TOKEN
    return [piece for path, blocks in _groups(document, scale, limit) for piece in _cut(path, blocks, scale, limit)]


class _Scale:
    """Where lines stand in the text, and what they weigh: a quarter of a token each unit, so that weights add up."""

    def __init__(self, content: str, document: MarkdownDocument) -> None:
        self.content = content
        self.lines = document.lines
        begin = len(BOM) if content.startswith(BOM) else 0
        self.starts = list(accumulate((len(line) + 1 for line in self.lines), initial=begin))
        self.weights = self.starts
        if not content.isascii():
            self.weights = list(accumulate((_weight(line) + 1 for line in self.lines), initial=0))

    def weight(self, first: int, last: int) -> int:
        """What lines `first` to `last` weigh together."""
        return self.weights[last] - self.weights[first - 1] - 1

    def unit(self, first: int, last: int, toll: float) -> _Unit:
        return _Unit(
            start=self.starts[first - 1],
            end=self.starts[last] - 1,
            start_line=first,
            end_line=last,
            before=self.weights[first - 1],
            weight=self.weight(first, last),
            toll=toll,
        )


def _weight(text: str) -> int:
    # Tokens are rounded up to whole ones: those of the text four times over are its quarters, exactly.
    return len(text) if text.isascii() else estimate_tokens(text * CHARS_PER_TOKEN)


def _groups(document: MarkdownDocument, scale: _Scale, limit: int) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    """The blocks that are to be cut together, with the path of their section."""
    blocks = [block for block in document.blocks if block.kind is not BlockKind.BLANK]
    whole = sections(document)
    if document.front_lines and scale.weight(1, document.front_lines) * _FRONT_SHARE > limit:
        yield whole[0].path, [blocks.pop(0)]
    at = 0
    gathered: list[Block] = []
    for section, following in zip(whole, [*whole, None][1:], strict=True):
        first = at
        while at < len(blocks) and blocks[at].end_line <= section.end_line:
            at += 1
        gathered += blocks[first:at]
        joins = following is not None and following.level > section.level and _bare(blocks[first:at])
        if gathered and not joins:
            yield section.path, gathered
            gathered = []


def _bare(blocks: Sequence[Block]) -> bool:
    """Whether a section says nothing beyond its heading, or a file before its first one."""
    return all(block.kind is BlockKind.FRONT or block.in_tree for block in blocks)


def _cut(path: tuple[str, ...], blocks: Sequence[Block], scale: _Scale, limit: int) -> Iterator[TextSpan]:
    if scale.weight(blocks[0].start_line, blocks[-1].end_line) <= limit:
        units = [scale.unit(blocks[0].start_line, blocks[-1].end_line, _FREE)]
    else:
        units = list(_units(blocks, scale, limit))
    at = 0
    while at < len(units):
        end = _balanced(units, at, limit)
        first, last = units[at], units[end - 1]
        text = scale.content[first.start : last.end]
        yield TextSpan(text, first.start_line, last.end_line, path, first.start, last.end)
        at = end


def _balanced(units: Sequence[_Unit], at: int, limit: int) -> int:
    """Where the piece that begins with unit `at` ends, so that the pieces still to come are about as large."""
    begin = units[at].before
    rest = units[-1].before + units[-1].weight - begin
    if rest <= limit:
        return len(units)
    aim = rest / -(-rest // limit)
    best, least = at + 1, float("inf")
    for end in range(at + 1, len(units)):
        size = units[end - 1].before + units[end - 1].weight - begin
        distance = abs(size - aim) / aim
        if size > limit or (size > aim and distance >= least):
            break
        if distance + units[end].toll < least:
            best, least = end, distance + units[end].toll
    return best


def _units(blocks: Sequence[Block], scale: _Scale, limit: int) -> Iterator[_Unit]:
    before: Block | None = None
    for block in blocks:
        toll = _toll(before, block)
        if scale.weight(block.start_line, block.end_line) <= limit:
            yield scale.unit(block.start_line, block.end_line, toll)
        else:
            yield from _lines_of_block(block, scale, limit, toll)
        before = block


def _toll(before: Block | None, block: Block) -> float:
    if before is not None and before.kind is BlockKind.HEADING:
        return _BEHIND_HEADING
    if before is None or before.end_line + 1 < block.start_line or block.kind is BlockKind.HEADING:
        return _FREE
    return _NESTED if block.kind is BlockKind.ITEM and block.level > 1 else _TIGHT


def _lines_of_block(block: Block, scale: _Scale, limit: int, toll: float) -> Iterator[_Unit]:
    for number in range(block.start_line, block.end_line + 1):
        line = scale.lines[number - 1]
        if not line or line.isspace():
            continue
        if scale.weight(number, number) <= limit:
            yield scale.unit(number, number, toll)
        else:
            yield from _parts_of_line(number, scale, limit, toll)
        toll = _SENTENCE if _ENDING.search(line[-_TAIL:]) else _MID_SENTENCE


def _parts_of_line(number: int, scale: _Scale, limit: int, toll: float) -> Iterator[_Unit]:
    line, start, before = scale.lines[number - 1], scale.starts[number - 1], scale.weights[number - 1]
    for begin, end, ends_sentence in _parts(line, limit):
        weight = _weight(line[begin:end])
        if not line[begin:end].isspace():
            yield _Unit(start + begin, start + end, number, number, before, weight, toll)
        toll = _SENTENCE if ends_sentence else _MID_SENTENCE
        before += weight


def _parts(line: str, limit: int) -> Iterator[tuple[int, int, bool]]:
    """Sentences of a line that fit, and the parts of those that do not, with whether a sentence ends there."""
    begin = 0
    for end in [*(found.end() for found in SENTENCE_END.finditer(line)), len(line)]:
        rest = _weight(line[begin:end])
        while rest > limit:
            cut = _reached(line, begin, end, rest // -(-rest // limit))
            rest -= _weight(line[begin:cut])
            yield begin, cut, False
            begin = cut
        if begin < end:
            yield begin, end, True
        begin = end


def _reached(line: str, begin: int, end: int, weight: int) -> int:
    """Where a part of at most `weight` ends: behind a space of its second half, or else in the middle of a word."""
    room = max(weight, CHARS_PER_TOKEN)
    window = line[begin : min(end, begin + room)]
    reach = len(window) if window.isascii() else 0
    while reach < len(window) and room >= CHARS_PER_TOKEN:
        # Wide scripts cost a token a character, so a quarter of the room in characters always fits.
        step = window[reach : reach + room // CHARS_PER_TOKEN]
        reach += len(step)
        room -= _weight(step)
    space = max(window.rfind(" ", reach // 2, reach), window.rfind("\t", reach // 2, reach))
    return begin + (space + 1 if space >= 0 else reach)

"""Markdown by its lines: front matter, blocks, headings and the tree they make.

A line ends at "\\n" and nowhere else, so that its number is the one an editor, `sed -n` or a citation shows: a "\\r"
before it belongs to the line, a final "\\n" makes no further line, and an empty file has none. A byte order mark is
not text. A line of nothing but white space is blank. Lines are counted from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from cortex.domain.text import without_references

BOM = "\ufeff"

TREE_LEVELS = 4
"""Headings down to this level make the tree of sections (X15); deeper ones are content."""

MOST_TITLE = 200
"""Characters of a heading that are looked at for its title."""

Front = Mapping[str, str | tuple[str, ...]]
"""What a front matter says: its keys in lower case, a value as text or as the texts of a list."""


class BlockKind(StrEnum):
    FRONT = "front"
    """The front matter, with the lines that fence it."""
    HEADING = "heading"
    FENCE = "fence"
    TABLE = "table"
    ITEM = "item"
    """One item of a list; items nested in it are items of their own."""
    PARAGRAPH = "paragraph"
    """Lines of text, quoted and indented ones too."""
    HTML = "html"
    """A comment, or what stands verbatim in `pre`, `script`, `style` or `textarea`."""
    RULE = "rule"
    BLANK = "blank"


@dataclass(frozen=True, slots=True)
class Block:
    """Lines `start_line` to `end_line`, both included, that belong together."""

    kind: BlockKind
    start_line: int
    end_line: int
    level: int = 0
    """1 to 6 for a heading; 1 for an item of the outermost list, 2 for those nested in it."""
    text: str = ""
    """The title of a heading, the info string of a fence."""

    @property
    def in_tree(self) -> bool:
        """Whether a section begins here."""
        return self.kind is BlockKind.HEADING and self.level <= TREE_LEVELS


@dataclass(frozen=True, slots=True)
class MarkdownDocument:
    """A Markdown text as read. Every line is in exactly one block, and the blocks are in order."""

    lines: tuple[str, ...]
    front: Front
    front_lines: int
    title: str
    """The title of the front matter, else the first heading of level 1, else nothing."""
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class MarkdownSection:
    """A heading and the lines below it, up to the next heading of the tree: its subsections are not part of it."""

    path: tuple[str, ...]
    """Titles from the file's down to its own."""
    level: int
    """1 to 4; 0 for what stands before the first heading."""
    start_line: int
    end_line: int


def read(text: str) -> MarkdownDocument:
    """The blocks of a Markdown text. Every text can be read: what is no Markdown is a paragraph."""
    lines = lines_of(text)
    front, front_lines = _front(lines)
    blocks = [Block(BlockKind.FRONT, 1, front_lines)] if front_lines else []
    blocks += _Reader(lines, front_lines).blocks()
    title = _given_title(front) or _first_title(blocks)
    return MarkdownDocument(tuple(lines), front, front_lines, title, tuple(blocks))


def lines_of(text: str) -> list[str]:
    """The lines of a text, without "\\n" and without a byte order mark."""
    lines = text.removeprefix(BOM).split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def front_matter(text: str) -> Front:
    """What the front matter of a text says; nothing where there is none."""
    return _front(lines_of(text))[0] if text.removeprefix(BOM).startswith("---") else {}


def sections(document: MarkdownDocument) -> tuple[MarkdownSection, ...]:
    """The sections of a document, in order; together they have every line exactly once."""
    found: list[MarkdownSection] = []
    root = _given_title(document.front)
    above: list[tuple[int, str]] = []
    path, level, start = _path(root, above), 0, 1
    for heading in (block for block in document.blocks if block.in_tree):
        if heading.start_line > start:
            found.append(MarkdownSection(path, level, start, heading.start_line - 1))
        while above and above[-1][0] >= heading.level:
            above.pop()
        above.append((heading.level, heading.text))
        path, level, start = _path(root, above), heading.level, heading.start_line
    if document.lines:
        found.append(MarkdownSection(path, level, start, len(document.lines)))
    return tuple(found)


def _path(root: str, above: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    titles = tuple(title for _, title in above if title)
    # A file often says its title twice: in the front matter and as its first heading.
    said = titles and titles[0].casefold() == root.casefold()
    return (root, *titles) if root and not said else titles


def _given_title(front: Front) -> str:
    given = front.get("title", "")
    return " ".join(given[:MOST_TITLE].split()) if isinstance(given, str) else ""


def _first_title(blocks: Sequence[Block]) -> str:
    return next((block.text for block in blocks if block.kind is BlockKind.HEADING and block.level == 1), "")


# --- the day of a note

_DAY = r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
_DAY_IN_NAME = re.compile(rf"(?<![0-9]){_DAY}(?![0-9])")
_DAY_BY_FOLDERS = re.compile(r"(?:^|/)([0-9]{4})/([0-9]{2})/([0-9]{2})(?:\.[A-Za-z]+)?$")
_DAY_IN_FRONT = re.compile(rf"\s*{_DAY}(?![0-9])")


def dated(path: str, front: Mapping[str, object]) -> datetime | None:
    """The day a note is of, at midnight UTC: by its file name (`2026-05-01-slug.md`, `2026/05/01.md`), else by `date`
    or `created` of its front matter. None where neither names a day of the calendar."""
    path = path.replace("\\", "/")
    name = path.rpartition("/")[2]
    written = [*_DAY_IN_NAME.finditer(name), _DAY_BY_FOLDERS.search(path)]
    written += [_DAY_IN_FRONT.match(value) for key in ("date", "created") if isinstance(value := front.get(key), str)]
    return next((day for found in written if found and (day := _day(found))), None)


def _day(found: re.Match[str]) -> datetime | None:
    year, month, day = found.groups()
    try:
        return datetime(int(year), int(month), int(day), tzinfo=UTC)
    except ValueError:
        return None


# --- titles

_MARKUP = re.compile(r"[`*_~\[<{&\\]")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_ATTRIBUTES = re.compile(r"\{[:#.][^{}]*\}\s*$")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])")
_WIKI_LINK = re.compile(r"!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_TAG = re.compile(r"</?(?:a|abbr|b|br|code|del|em|i|img|ins|kbd|mark|s|small|span|strong|sub|sup|u)\b[^<>]*>", re.I)
_EMPHASIS = re.compile(r"(?<![\\*])\*+|(?<![\\_])_+|(?<![\\~])~~(?!~)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def plain(text: str) -> str:
    """The words of a line of Markdown without its markup; of a very long one, those it begins with."""
    text = text[:MOST_TITLE]
    if not _MARKUP.search(text):
        return " ".join(text.split())
    text = _ATTRIBUTES.sub("", text)
    parts: list[str] = []
    at = 0
    for code in _CODE_SPAN.finditer(text):
        parts += [_unmarked(text[at : code.start()]), code[2]]
        at = code.end()
    parts.append(_unmarked(text[at:]))
    return " ".join("".join(parts).split())


def _unmarked(text: str) -> str:
    text = _LINK.sub(r"\1", _LINK.sub(r"\1", text))  # twice: an image may be the text of a link
    text = _unemphasized(_TAG.sub("", _WIKI_LINK.sub(r"\1", text)))
    return _ESCAPE.sub(r"\1", without_references(text))


def _unemphasized(text: str) -> str:
    """`text` without the marks that stand in pairs around words; a lone mark, or one within a word, is text."""
    opened: dict[str, tuple[int, int]] = {}
    paired: list[tuple[int, int]] = []
    for run in _EMPHASIS.finditer(text):
        start, end = run.span()
        left, right = text[start - 1 : start], text[end : end + 1]
        if run[0][0] == "_" and left.isalnum() and right.isalnum():
            continue
        if run[0] in opened and left.strip():
            paired += [opened.pop(run[0]), (start, end)]
        elif right.strip():
            opened[run[0]] = start, end
    for start, end in sorted(paired, reverse=True):
        text = text[:start] + text[end:]
    return text


# --- front matter

_KEY = re.compile(r"\w[\w .-]{0,63}")
_VERBATIM = frozenset({"|", ">", "|-", ">-", "|+", ">+"})
_LISTED = re.compile(r"""(?<!\s)\s*+("(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+'|[^,]+)""")


def _front(lines: Sequence[str]) -> tuple[Front, int]:
    """The front matter and how many lines it takes. What cannot be read as one is content."""
    if not lines or lines[0].rstrip() != "---":
        return {}, 0
    entries: list[_Entry] = []
    for number, line in enumerate(lines[1:], start=2):
        if line.rstrip() in {"---", "..."}:
            return {entry.key: entry.read() for entry in entries}, number
        if not _taken(line, entries):
            break
    return {}, 0


@dataclass(slots=True)
class _Entry:
    key: str
    value: str
    items: list[str]
    further: list[str]

    def read(self) -> str | tuple[str, ...]:
        if self.items and not self.further:
            return tuple(_unquoted(item) for item in self.items)
        if self.further:
            first = [] if self.value in _VERBATIM or not self.value else [self.value]
            return "\n".join([*first, *(f"- {item}" for item in self.items), *self.further])
        if self.value.startswith("[") and self.value.endswith("]"):
            return tuple(
                _unquoted(found[1].strip()) for found in _LISTED.finditer(self.value[1:-1]) if found[1].strip()
            )
        return _unquoted(self.value)


def _taken(line: str, entries: list[_Entry]) -> bool:
    """Whether `line` may stand in a front matter; what it says joins the entries."""
    said = line.strip()
    if not said or said.startswith("#"):
        return True
    if said == "-" or said.startswith("- "):
        if entries:
            entries[-1].items.append(said[1:].strip())
        return bool(entries)
    if line[0] in " \t":
        if entries:
            entries[-1].further.append(said)
        return bool(entries)
    key, colon, value = line.partition(":")
    if not colon or not _KEY.fullmatch(key.rstrip()) or (value and not value[0].isspace()):
        return False
    entries.append(_Entry(key.rstrip().lower(), value.strip(), [], []))
    return True


def _unquoted(value: str) -> str:
    if len(value) < 2 or value[0] != value[-1] or value[0] not in "'\"":
        return value
    return value[1:-1].replace("''", "'") if value[0] == "'" else re.sub(r'\\(["\\])', r"\1", value[1:-1])


# --- blocks

# Possessive throughout: whatever a line holds, each of its characters is looked at a fixed number of times.
_START = re.compile(
    r"(?P<lead>[ \t]*+)(?:"
    r"(?P<heading>\#{1,6})(?=[ \t\r]|$)"
    r"|(?P<fence>`{3,}+(?=[^`]*+$)|~{3,}+)"
    r"|(?P<html><!--|<(?i:pre|script|style|textarea)(?=[\s>]|$))"
    r"|(?P<rule>(?:-[ \t]*+){3,}+\r?$|(?:\*[ \t]*+){3,}+\r?$|(?:_[ \t]*+){3,}+\r?$)"
    r"|(?P<item>[-*+]|[0-9]{1,9}[.)])(?=[ \t\r]|$)"
    r")"
)
# A single "-" below a line is a list being written rather than an underline.
_UNDERLINE = re.compile(r" {0,3}(?:={2,}+|-{2,}+)[ \t\r]*+$")
_UNDERLINED = re.compile(r" {0,3}[^\s>]")


class _Reader:
    """Walks down the lines of a text once."""

    def __init__(self, lines: Sequence[str], first: int) -> None:
        self.lines = lines
        self.at = first
        self.inside = 0
        """How far a line is indented to belong to the open list; 0 where no list is open."""

    def blocks(self) -> Iterator[Block]:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if not line or line.isspace():
                yield self._blank()
            elif (found := _START.match(line)) and self._opens(found):
                yield from self._opened(found)
            else:
                if self.inside and _indent(line) < self.inside:
                    self.inside = 0
                yield from self._text(BlockKind.PARAGRAPH)

    def _opens(self, found: re.Match[str]) -> bool:
        """Whether what looks like the start of a block is one, so far indented and where it stands."""
        indent = _width(found["lead"])
        if self.inside and indent >= self.inside:
            return found.lastgroup not in {"heading", "rule"}
        return indent < 4

    def _opened(self, found: re.Match[str]) -> Iterator[Block]:
        indent = _width(found["lead"])
        outside = indent < self.inside or not self.inside
        if found.lastgroup == "item":
            if outside:
                self.inside = indent + len(found["item"]) + 1
            yield from self._text(BlockKind.ITEM, level=1 if outside else 2)
            return
        if outside:
            self.inside = 0
        if found.lastgroup == "heading":
            yield self._heading(found)
        elif found.lastgroup == "fence":
            yield self._fence(found, indent)
        elif found.lastgroup == "html":
            yield self._html(found)
        else:
            self.at += 1
            yield Block(BlockKind.RULE, self.at, self.at)

    def _blank(self) -> Block:
        start = self.at
        while self.at < len(self.lines) and (not self.lines[self.at] or self.lines[self.at].isspace()):
            self.at += 1
        return Block(BlockKind.BLANK, start + 1, self.at)

    def _heading(self, found: re.Match[str]) -> Block:
        self.at += 1
        written = found.string[found.end() :].strip()
        bare = written.rstrip("#")
        title = plain(bare if not bare or bare[-1] in " \t" else written)
        return Block(BlockKind.HEADING, self.at, self.at, len(found["heading"]), title)

    def _fence(self, found: re.Match[str], indent: int) -> Block:
        """A fence closes at a line of at least as many of its marks, not indented much further; else at the end."""
        mark, start = found["fence"], self.at
        for at in range(start + 1, len(self.lines)):
            marks = self.lines[at].strip()
            if marks.startswith(mark) and not marks.strip(mark[0]) and _indent(self.lines[at]) < indent + 4:
                self.at = at + 1
                break
        else:
            self._to_the_end()
        return Block(BlockKind.FENCE, start + 1, self.at, text=found.string[found.end() :].strip())

    def _html(self, found: re.Match[str]) -> Block:
        tag, start = found["html"].lower(), self.at
        end = "-->" if tag == "<!--" else f"</{tag[1:]}>"
        for at in range(start, len(self.lines)):
            if ">" in self.lines[at] and end in self.lines[at].lower():
                self.at = at + 1
                break
        else:
            self._to_the_end()
        return Block(BlockKind.HTML, start + 1, self.at)

    def _to_the_end(self) -> None:
        """What is never closed takes every line that is left, but for the blank ones at the end."""
        self.at = len(self.lines)
        while not self.lines[self.at - 1].strip():
            self.at -= 1

    def _text(self, kind: BlockKind, level: int = 0) -> Iterator[Block]:
        """Lines up to a blank one or another block; the second may make a heading or a table of the first."""
        start = self.at
        self.at += 1
        if kind is BlockKind.PARAGRAPH and self._underlined():
            yield self._underlined_heading()
            return
        while self._goes_on():
            if _delimits(self.lines[self.at]) and "|" in self.lines[self.at - 1]:
                if self.at - 1 > start:
                    yield Block(kind, start + 1, self.at - 1, level)
                yield self._table()
                return
            self.at += 1
        yield Block(kind, start + 1, self.at, level)

    def _goes_on(self) -> bool:
        if self.at == len(self.lines):
            return False
        line = self.lines[self.at]
        if not line or line.isspace():
            return False
        return not ((found := _START.match(line)) and self._opens(found))

    def _underlined(self) -> bool:
        """A paragraph of one line is a heading by its underline; below a longer one, the same marks are a rule."""
        if self.inside or self.at == len(self.lines):
            return False
        return bool(_UNDERLINE.match(self.lines[self.at]) and _UNDERLINED.match(self.lines[self.at - 1]))

    def _underlined_heading(self) -> Block:
        written, underline = self.lines[self.at - 1 : self.at + 1]
        self.at += 1
        return Block(BlockKind.HEADING, self.at - 1, self.at, 1 if "=" in underline else 2, plain(written))

    def _table(self) -> Block:
        start = self.at - 1
        self.at += 1
        while self._goes_on():
            self.at += 1
        return Block(BlockKind.TABLE, start + 1, self.at)


def _delimits(line: str) -> bool:
    """Whether this is the row of dashes below the head of a table."""
    return "|" in line and "-" in line and not line.strip(" \t\r|:->")


def _indent(line: str) -> int:
    return _width(line[: len(line) - len(line.lstrip(" \t"))])


def _width(lead: str) -> int:
    return len(lead.expandtabs(4))

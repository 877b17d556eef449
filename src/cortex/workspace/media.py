"""The pictures, recordings and documents a Markdown text shows or points to (E19)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cortex.domain.text import without_references
from cortex.workspace.markdown import MOST_TITLE, BlockKind, plain, read

MIXED = "mixed"
_EXTENSIONS = {
    "image": "apng avif bmp gif heic heif ico jfif jpeg jpg jxl png svg tif tiff webp",
    "audio": "aac aif aiff amr flac m4a mid midi mp3 oga ogg opus wav weba wma",
    "video": "3gp avi flv m4v mkv mov mp4 mpeg mpg ogv webm wmv",
    "document": "doc docx epub odp ods odt pdf pps ppt pptx rtf xls xlsx",
}
_KINDS = {extension: kind for kind, extensions in _EXTENSIONS.items() for extension in extensions.split()}


@dataclass(frozen=True, slots=True)
class MediaRef:
    """A file a text shows or points to: where it is, what it is, and what the text says about it."""

    target: str
    kind: str
    caption: str = ""


def references(text: str) -> tuple[MediaRef, ...]:
    """The media a Markdown text refers to: in order, each target once, with the first caption that says something.

    Found are images (`![alt](target "title")`, by reference, `![[target|caption]]`, `<img>`, `<audio>`, `<video>`,
    `<source>`) and links, also bare ones, where the target ends like a media file. Code and comments show nothing.
    """
    prose: list[str] = []
    defined: dict[str, tuple[str, str]] = {}
    for lines in _prose(text):
        definitions = [_DEFINITION.match(line) for line in lines]
        for found in filter(None, definitions):
            defined.setdefault(_label(found["label"]), (_target(found), _title(found)))
        prose.append("\n".join(line for line, found in zip(lines, definitions, strict=True) if not found))
    media: dict[str, MediaRef] = {}
    for block in prose:
        for ref in _Scan(block, defined).media():
            if ref.target not in media or not media[ref.target].caption:
                media[ref.target] = ref
    return tuple(media.values())


def _prose(text: str) -> Iterator[Sequence[str]]:
    """The lines of each block that is read as text."""
    document = read(text)
    silent = {BlockKind.FRONT, BlockKind.FENCE, BlockKind.HTML, BlockKind.RULE, BlockKind.BLANK}
    for block in document.blocks:
        if block.kind not in silent:
            yield document.lines[block.start_line - 1 : block.end_line]


def kind_of(media: Iterable[MediaRef | str]) -> str:
    """The kind these media, or the targets that name them, have in common: "mixed" for several, "" for none."""
    kinds = {each.kind if isinstance(each, MediaRef) else target_kind(each) for each in media} - {""}
    return MIXED if len(kinds) > 1 else next(iter(kinds), "")


def target_kind(target: str) -> str:
    """Image, audio, video or document, by the extension of a path or an address; "" for anything else."""
    path = _BEHIND_PATH.split(_HOST.sub("", target, count=1), maxsplit=1)[0]
    name, dot, extension = path[-_MOST_NAME:].replace("\\", "/").rpartition("/")[2].rpartition(".")
    return _KINDS.get(extension.strip().lower(), "") if dot and name and not target.startswith("data:") else ""


_MOST_NAME = 255
_MOST_LABEL = 999
_HOST = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]{0,31}://[^/?#]*")
_BEHIND_PATH = re.compile(r"[?#]")


# Every pattern is possessive, and stops at what could begin it anew: a text is looked at a fixed number of times.
_TARGET = r"(?:<(?P<angled>[^<>\n]*+)>|(?P<bare>(?:[^\s()<>\\]|\\.|\([^\s()<>]*+\))++))"
_TITLE = r"""(?P<title>"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\))"""
_DESTINATION = re.compile(rf"\(\s*+{_TARGET}(?:\s++{_TITLE})?+\s*+\)", re.DOTALL)
_DEFINITION = re.compile(
    rf" {{0,3}}\[(?P<label>(?!\^)[^\[\]]{{1,999}}+)\]:[ \t]*+{_TARGET}(?:[ \t]++{_TITLE})?+\s*+$", re.DOTALL
)
_LABEL = re.compile(r"\[([^\[\]]{0,999}+)\]")
_WIKI = re.compile(r"!?\[\[([^\[\]|\n]{1,999}+)(?:\|([^\[\]\n]{0,999}+))?+\]\]")
_TAG = re.compile(r"<(?:img|audio|video|source|a)\s([^<>]*+)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![\w-])(src|href|alt|title)\s*+=\s*+("[^"]*+"|'[^']*+'|[^\s"'<>=`]++)""", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://[^\s<>()\[\]\"'`|\\*]++", re.IGNORECASE)
_TOKEN = re.compile(r"\\.|`++|!?\[|\]|<(?=[a-zA-Z])|(?<![\w/])[hH][tT][tT][pP][sS]?://", re.DOTALL)
_TICKS = re.compile(r"`++")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


class _Scan:
    """Reads one block of prose from left to right."""

    def __init__(self, text: str, defined: Mapping[str, tuple[str, str]]) -> None:
        self.text = text
        self.defined = defined
        self.code = _code_spans(text)
        self.brackets: list[int] = []
        """Where the text of each open bracket begins."""
        self.found: list[MediaRef] = []

    def media(self) -> list[MediaRef]:
        at = 0
        while token := _TOKEN.search(self.text, at):
            at = self._behind(token)
        return self.found

    def _behind(self, token: re.Match[str]) -> int:
        """Where reading goes on after `token`, and whatever begins with it."""
        if token[0][0] == "`":
            return self.code.get(token.start(), token.end())
        if token[0] == "]":
            return self._closed(token) if self.brackets else token.end()
        if token[0].endswith("["):
            return self._opened(token)
        if token[0] == "<":
            return self._tag(token)
        return token.end() if token[0][0] == "\\" else self._address(token)

    def _opened(self, token: re.Match[str]) -> int:
        if wiki := _WIKI.match(self.text, token.start()):
            self._tell(wiki[1].strip(), wiki[2] or "")
            return wiki.end()
        self.brackets.append(token.end())
        return token.end()

    def _closed(self, token: re.Match[str]) -> int:
        begin, end = self.brackets.pop(), token.start()
        # No more of it than a caption can hold: brackets may be nested a million deep.
        shown = self.text[begin : min(end, begin + MOST_TITLE)]
        if pointed := _DESTINATION.match(self.text, token.end()):
            self._tell(_target(pointed), shown, _title(pointed))
            return pointed.end()
        named = _LABEL.match(self.text, token.end()) if self.defined else None
        label = named[1] if named and named[1] else self.text[begin:end] if end - begin <= _MOST_LABEL else ""
        if definition := self.defined.get(_label(label)):
            self._tell(definition[0], shown, definition[1])
        return named.end() if named else token.end()

    def _tag(self, token: re.Match[str]) -> int:
        tag = _TAG.match(self.text, token.start())
        if not tag:
            return token.end()
        said = {name.lower(): without_references(_unquoted(value)) for name, value in _ATTRIBUTE.findall(tag[1])}
        target = said.get("src") or said.get("href") or ""
        self._tell(target.strip(), said.get("alt", ""), said.get("title", ""))
        return tag.end()

    def _address(self, token: re.Match[str]) -> int:
        address = _ADDRESS.match(self.text, token.start())
        if not address:
            return token.end()
        self._tell(address[0].rstrip(".,;:!?"))
        return address.end()

    def _tell(self, target: str, *said: str) -> None:
        if kind := target_kind(target):
            words = dict.fromkeys(plain(each) for each in said if each and each != target)
            self.found.append(MediaRef(target, kind, " ".join(filter(None, words))))


def _code_spans(text: str) -> dict[int, int]:
    """Where each span of code begins and ends: between two runs of as many ticks."""
    spans: dict[int, int] = {}
    closing: dict[int, int] = {}
    for run in reversed(list(_TICKS.finditer(text))):
        length = run.end() - run.start()
        if length in closing:
            spans[run.start()] = closing[length]
        closing[length] = run.end()
    return spans


def _target(found: re.Match[str]) -> str:
    written = found["bare"] if found["angled"] is None else found["angled"]
    return without_references(_ESCAPE.sub(r"\1", written)).strip()


def _unquoted(value: str) -> str:
    return value[1:-1] if value[0] in "\"'" else value


def _title(found: re.Match[str]) -> str:
    return found["title"][1:-1] if found["title"] else ""


def _label(written: str) -> str:
    return " ".join(written.casefold().split())

"""Sets or removes one value in a JSON file that people edit. The rest of the file stays as it is, comments included.

Hosts read JSON with comments and trailing commas, or JSON5, so this reads all of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cortex.errors import InvalidRequest

_BLANK = re.compile(r"(?:[\s\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|' + r"'(?:[^'\\\n]|\\.)*'", re.DOTALL)
_ESCAPE = re.compile(r'\\x[0-9a-fA-F]{2}|\\\r?\n|\\.|"', re.DOTALL)
_WORD = re.compile(r"[^\s,:{}\[\]\"'/]+")
_NAME = re.compile(r"[\w$]+")
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|Infinity|NaN|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)")
_CONSTANTS = {"true": True, "false": False, "null": None}
_UNIT = "  "
_FIX_FIRST = "fix the file first; nothing was changed"


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A value and its position in the text; an object also has its members, and a list its items."""

    plain: Any
    start: int
    end: int
    members: tuple[JsonMember, ...] = ()
    has_last_comma: bool = False
    items: tuple[JsonNode, ...] = ()


@dataclass(frozen=True, slots=True)
class JsonMember:
    key: str
    start: int
    value: JsonNode


def read(text: str, *, field: str) -> JsonNode:
    """Parse a configuration; an empty text is an empty object. `field` names the file in errors."""
    reader = _Reader(text, field)
    try:
        return reader.document()
    except RecursionError:
        raise InvalidRequest("is nested too deeply", field=field, hint=_FIX_FIRST) from None


def put(text: str, path: Sequence[str], value: Any, *, field: str) -> str:
    """`text` with `value` at `path`; missing objects are created."""
    found = read(text, field=field)
    if not found.end:  # comments at most
        comments = text.strip("\ufeff \t\r\n")
        return (f"{comments}\n" if comments else "") + _laid_out(_nested(path, value), _UNIT) + "\n"
    for at, key in enumerate(path):
        member = _member(found, key)
        if member is None:
            return _with_member(text, found, key, _nested(path[at + 1 :], value))
        found = member.value
        if at < len(path) - 1 and not isinstance(found.plain, dict):
            raise InvalidRequest(f"{'.'.join(path[: at + 1])} is not an object", field=field, hint=_FIX_FIRST)
    return text[: found.start] + _indented(text, found.start, value) + text[found.end :]


def remove(text: str, path: Sequence[str], *, field: str) -> str:
    """`text` without the value at `path`; the same text if there is none."""
    found = _find(read(text, field=field), path[:-1])
    member = None if found is None else _member(found, path[-1])
    if found is None or member is None:
        return text
    spans = [(each.start, each.value.end) for each in found.members]
    return _cut(text, spans, found.members.index(member))


def append(text: str, path: Sequence[str], value: Any, *, field: str) -> str:
    """`text` with `value` at the end of the list at `path`; a missing list is created."""
    found = _find(read(text, field=field), path)
    if found is None or not found.items:
        return put(text, path, [value], field=field)
    last = found.items[-1]
    is_spread = "\n" in text[found.start : found.items[0].start]
    gap = ("\r\n" if "\r\n" in text else "\n") + _indent(text, last.start) if is_spread else " "
    return f"{text[: last.end]},{gap}{json.dumps(value, ensure_ascii=False)}{text[last.end :]}"


def remove_item(text: str, path: Sequence[str], value: Any, *, field: str) -> str:
    """`text` without the first `value` in the list at `path`; the same text if there is none."""
    found = _find(read(text, field=field), path)
    items = () if found is None else found.items
    at = next((number for number, item in enumerate(items) if item.plain == value), None)
    return text if at is None else _cut(text, [(item.start, item.end) for item in items], at)


def _find(node: JsonNode, path: Sequence[str]) -> JsonNode | None:
    for key in path:
        member = _member(node, key)
        if member is None:
            return None
        node = member.value
    return node


def _cut(text: str, spans: Sequence[tuple[int, int]], at: int) -> str:
    """Remove one of several spans between commas, with its comma and the line it leaves empty."""
    start, end = spans[at]
    comma = _comma_after(text, end)
    if comma is not None:
        end = comma + 1
    elif at:  # the last one: the comma before it goes
        before = _comma_after(text, spans[at - 1][1])
        assert before is not None
        text = text[:before] + text[before + 1 :]
        start, end = start - 1, end - 1
    head = text[:start].rstrip(" \t")
    if head.endswith("\n"):
        head = head[:-1].removesuffix("\r")
    return head + text[end:]


def _comma_after(text: str, at: int) -> int | None:
    found = _BLANK.match(text, at)
    assert found is not None  # it also matches the empty string
    return found.end() if text.startswith(",", found.end()) else None


def _member(of: JsonNode, key: str) -> JsonMember | None:
    # If a key occurs twice, the last one counts.
    return next((member for member in reversed(of.members) if member.key == key), None)


def _nested(path: Sequence[str], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _with_member(text: str, into: JsonNode, key: str, value: Any) -> str:
    """Append a member on a line of its own; a comment after the last member stays."""
    close = into.end - 1
    outer = _indent(text, into.start)
    inner = outer + _unit(text)
    head = text[: into.start + 1]
    between = text[into.start + 1 : close]
    if into.members:
        last = into.members[-1].value.end
        head = text[:last] + ("" if into.has_last_comma else ",")
        between = text[last:close]
        if "\n" in text[into.start : into.members[0].start]:
            inner = _indent(text, into.members[0].start)
    end = "\r\n" if "\r\n" in text else "\n"
    member = f"{json.dumps(key, ensure_ascii=False)}: {_laid_out(value, _unit(text))}".replace("\n", f"\n{inner}")
    added = f"\n{inner}{member}\n{outer}".replace("\n", end)
    return head + between.rstrip() + added + text[close:]


def _indented(text: str, at: int, value: Any) -> str:
    end = "\r\n" if "\r\n" in text else "\n"
    return _laid_out(value, _unit(text)).replace("\n", f"{end}{_indent(text, at)}")


def _laid_out(value: Any, unit: str) -> str:
    return json.dumps(value, ensure_ascii=False, indent=unit)


def _indent(text: str, at: int) -> str:
    """The indentation of the line at this position."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """One level of indentation, as in the first indented line."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else _UNIT


def _number(text: str) -> int | float:
    """The value of a number of JSON5."""
    sign, digits = (-1 if text[0] == "-" else 1), text.lstrip("+-")
    if digits[:2] in {"0x", "0X"}:
        return sign * int(digits, 16)
    return sign * (int(digits) if digits.isdigit() else float(digits))


def _as_json(found: re.Match[str]) -> str:
    """A part of a JSON5 string as JSON writes it."""
    text = found[0]
    if text == '"' or text[0] != "\\":
        return json.dumps(text)[1:-1]
    if text[1] == "x":
        return f"\\u00{text[2:]}"
    if text[1:] in {"\n", "\r\n"}:  # the string goes on in the next line
        return ""
    return {"\\'": "'", "\\v": "\\u000b", "\\0": "\\u0000"}.get(text, text)


class _Reader:
    """Parses a text, or raises an error with the position."""

    def __init__(self, text: str, field: str) -> None:
        self._text = text
        self._field = field
        self._at = 0
        self._has_last_comma = False
        """Whether a comma stood behind the last item that was read."""

    def document(self) -> JsonNode:
        self._skip()
        if self._at == len(self._text):
            return JsonNode({}, 0, 0)
        found = self._value()
        self._skip()
        if self._at < len(self._text):
            raise self._error("there is text after the end")
        if not isinstance(found.plain, dict):
            raise InvalidRequest("is not a JSON object", field=self._field, hint=_FIX_FIRST)
        return found

    def _value(self) -> JsonNode:
        start, first = self._at, self._text[self._at : self._at + 1]
        if first == "{":
            return self._object()
        if first == "[":
            return self._array()
        if first in {'"', "'"}:
            return JsonNode(self._string(), start, self._at)
        if found := _WORD.match(self._text, self._at):
            self._at = found.end()
            if found[0] in _CONSTANTS:
                return JsonNode(_CONSTANTS[found[0]], start, self._at)
            if _NUMBER.fullmatch(found[0]):
                return JsonNode(_number(found[0]), start, self._at)
            self._at = start
        raise self._error("a value is missing or misspelled")

    def _object(self) -> JsonNode:
        start, members = self._at, list[JsonMember]()
        for _ in self._items("}", "brace"):
            begin, key = self._at, self._key()
            self._skip()
            if not self._text.startswith(":", self._at):
                raise self._error("a colon is missing")
            self._at += 1
            self._skip()
            members.append(JsonMember(key, begin, self._value()))
        plain = {member.key: member.value.plain for member in members}
        return JsonNode(plain, start, self._at, tuple(members), self._has_last_comma)

    def _array(self) -> JsonNode:
        start = self._at
        items = [self._value() for _ in self._items("]", "bracket")]
        return JsonNode([item.plain for item in items], start, self._at, items=tuple(items))

    def _items(self, close: str, name: str) -> Iterator[None]:
        """Stops at each item up to `close`. A comma may stand behind the last."""
        while True:
            self._at += 1
            self._skip()
            if self._text.startswith(close, self._at):
                self._has_last_comma = True
                break
            yield
            self._skip()
            if not self._text.startswith(",", self._at):
                if not self._text.startswith(close, self._at):
                    raise self._error(f"a comma or a closing {name} is missing")
                self._has_last_comma = False
                break
        self._at += 1

    def _key(self) -> str:
        if self._text[self._at : self._at + 1] in {'"', "'"}:
            return self._string()
        found = _NAME.match(self._text, self._at)
        if found is None:
            raise self._error("a key is missing")
        self._at = found.end()
        return found[0]

    def _string(self) -> str:
        found = _STRING.match(self._text, self._at)
        if found is None:
            raise self._error("a string is not closed")
        try:
            plain: str = json.loads(f'"{_ESCAPE.sub(_as_json, found[0][1:-1])}"', strict=False)
        except ValueError:
            raise self._error("a string has an invalid escape") from None
        self._at = found.end()
        return plain

    def _skip(self) -> None:
        found = _BLANK.match(self._text, self._at)
        assert found is not None  # it also matches the empty string
        self._at = found.end()

    def _error(self, why: str) -> InvalidRequest:
        line = self._text.count("\n", 0, self._at) + 1
        column = self._at - self._text.rfind("\n", 0, self._at)
        return InvalidRequest(f"is not JSON: {why} (line {line}, column {column})", field=self._field, hint=_FIX_FIRST)

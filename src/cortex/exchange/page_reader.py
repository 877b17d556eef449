"""Reading pages that a person edited, line by line."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cortex.domain.choices import chosen
from cortex.domain.identity import TraceId
from cortex.domain.memory import Kind, Retention
from cortex.domain.scope import checked_label
from cortex.domain.trace import parse_time
from cortex.errors import InvalidRequest
from cortex.exchange.editable_fields import EditableFields
from cortex.exchange.escapes import FIELDS, MARK, unescaped
from cortex.exchange.pages import SCHEMA


@dataclass(frozen=True, slots=True)
class Item:
    """What a file says of one memory; without an id, it is a new one."""

    where: str
    statement: EditableFields
    id: TraceId | None = None
    base: str = ""


@dataclass(slots=True)
class _Open:
    """An item under way."""

    number: int
    scope: str
    kind: Kind
    lines: list[tuple[int, str]]


_Lines = Iterator[tuple[int, str]]

_HEADING = re.compile(r"(#{1,2})\s+(.+)")
_BULLET = re.compile(r"[-*+](?:\s+(.*))?")
_NAMED = r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
_COMMENT = re.compile(
    rf"<!--\s*cortex:id={_NAMED}\s+base=([0-9a-f]{{16}})(?:\s+trust=[a-z]+)?(?:\s+sources=[^\s>]+)?\s*-->\Z"
)
_EXPORTED = re.compile(r"<!--\s*cortex:exported\s*(-->)?")
_LISTED = re.compile(rf"{_NAMED}\s+([0-9a-f]{{16}})")
_KEY = re.compile(r"([a-z_]+):\s*(.*)")


class MarkdownReader:
    """Reads one page line by line; whatever is not of the form is an error that names its line."""

    def __init__(self, text: str, name: str = "") -> None:
        self._name = name
        self.items: list[Item] = []
        self.exported: dict[TraceId, str] = {}
        self.owner: dict[str, tuple[str, str]] = {}
        """`agent` and `user` as the page says: where it does, and the name."""
        self._scope: str | None = None
        self._kind: Kind | None = None
        self._open: _Open | None = None
        self._read(text)

    def _read(self, text: str) -> None:
        unmarked = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        lines = iter(enumerate((line.rstrip() for line in unmarked), start=1))
        head = self._front_matter(lines)
        for number, line in lines:
            self._take(number, line, lines)
        self._close()
        self._check_whole(head, len(unmarked))

    def where(self, number: int) -> str:
        return f"{self._name} line {number}".lstrip()

    def _bad(self, number: int, reason: str, hint: str) -> InvalidRequest:
        return InvalidRequest(reason, field=self.where(number), hint=hint)

    def _front_matter(self, lines: _Lines) -> dict[str, tuple[int, str]]:
        found: dict[str, tuple[int, str]] = {}
        number, line = next(lines)
        if line == "---":
            for number, line in lines:
                if line == "---":
                    break
                if key := _KEY.fullmatch(line):
                    found[key[1]] = number, _scalar(key[2])
            else:
                raise self._bad(1, "opens a front matter that is never closed", "close it with a line of ---")
        number, schema = found.get("schema", (1, ""))
        if schema != SCHEMA:
            said = f"has the schema {schema[:64]!r}" if schema else "begins no front matter with a schema"
            raise self._bad(number, said, f"begin the file with ---, schema: {SCHEMA}, ---, each on its own line")
        self.owner = {key: (self.where(found[key][0]), found[key][1]) for key in ("agent", "user") if key in found}
        return found

    def _check_whole(self, head: Mapping[str, tuple[int, str]], last: int) -> None:
        """A file that was cut short would otherwise pass for one from which memories were deleted."""
        number, said = head.get("memories", (last, str(len(self.exported))))
        if said != str(len(self.exported)):
            raise self._bad(
                number,
                f"says that {said[:32]} memories were exported; the list at the end of the file has "
                f"{len(self.exported)}",
                "bring the list back: the file may have been cut short",
            )

    def _take(self, number: int, line: str, lines: _Lines) -> None:
        if not line:
            self._add(number, "")
        elif MARK.search(line):
            self._take_mark(number, line, lines)
        elif heading := _HEADING.fullmatch(line):
            self._close()
            self._enter(number, heading)
        elif bullet := _BULLET.fullmatch(line):
            self._close()
            self._begin(number, bullet[1] or "")
        elif line.startswith(("  ", "\t")):
            if self._open is None:
                raise self._bad(
                    number, "belongs to no item", "begin an item with `- `; its text stands before its comment"
                )
            self._add(number, line[1:] if line.startswith("\t") else line[2:])
        elif line.startswith("<!--"):
            self._skip_comment(number, line, lines)
        else:
            raise self._bad(
                number,
                "is neither a heading nor an item",
                "indent it by two spaces to belong to the item above, or begin it with `- `",
            )

    def _take_mark(self, number: int, line: str, lines: _Lines) -> None:
        if listed := _EXPORTED.fullmatch(line):
            self._close()
            self._take_list(number, lines, closed=bool(listed[1]))
            return
        comment = _COMMENT.search(line)
        if comment is None:
            raise self._bad(
                number,
                "is a damaged comment",
                "put it back as it was exported; without any comment the item is a new memory",
            )
        if before := line[: comment.start()].rstrip():
            self._take(number, before, lines)
        if self._open is None:
            raise self._bad(number, "is the comment of no item", "delete it, or put it back under its item")
        self._close(TraceId(comment[1]), comment[2])

    def _take_list(self, number: int, lines: _Lines, *, closed: bool) -> None:
        begun = number
        while not closed:
            number, line = next(lines, (begun, None))
            if line is None:
                raise self._bad(begun, "begins a list that never ends", "close it with a line of -->")
            closed = line == "-->"
            if closed or not line:
                continue
            listed = _LISTED.fullmatch(line.strip())
            if listed is None:
                hint = "put it back as it was exported"
                raise self._bad(number, "is damaged: it lists no memory that was exported", hint)
            self.exported[TraceId(listed[1])] = listed[2]

    def _skip_comment(self, number: int, line: str, lines: _Lines) -> None:
        begun = number
        while "-->" not in line:
            number, following = next(lines, (begun, None))
            if following is None:
                raise self._bad(begun, "begins a comment that never ends", "close it with -->")
            if MARK.search(following):
                raise self._bad(number, "is an id inside another comment", "delete the item, or take it out again")
            line = following

    def _enter(self, number: int, heading: re.Match[str]) -> None:
        name = unescaped(heading[2])
        try:
            if heading[1] == "#":
                self._scope, self._kind = checked_label(name, "scope"), None
            else:
                self._kind = chosen(Kind, name.lower(), "kind")
        except InvalidRequest as error:
            raise self._bad(number, error.message, error.hint) from error

    def _begin(self, number: int, first: str) -> None:
        if self._scope is None or self._kind is None:
            missing, such = ("scope", "# personal") if self._scope is None else ("kind", "## fact")
            raise self._bad(number, f"stands under no {missing}", f"put it under a heading such as `{such}`")
        self._open = _Open(number, self._scope, self._kind, [(number, first)])

    def _add(self, number: int, line: str) -> None:
        if self._open is not None:
            self._open.lines.append((number, line))

    def _close(self, id: TraceId | None = None, base: str = "") -> None:
        """The item under way is complete."""
        item, self._open = self._open, None
        if item is None:
            return
        lines = _trimmed(item.lines)
        fields: dict[str, Any] = {}
        if len(lines) > 1 and FIELDS.fullmatch(lines[-1][1].strip()):
            number, line = lines.pop()
            fields = self._fields(number, line.strip())
        text = unescaped("\n".join(line for _, line in _trimmed(lines)).lstrip())
        if not text.strip():
            hint = "delete its comment as well to take the memory out" if id else "write something, or delete the line"
            raise self._bad(item.number, "has no text", hint)
        statement = EditableFields(text=text, scope=item.scope, kind=item.kind, **fields)
        self.items.append(Item(self.where(item.number), statement, id, base))

    def _fields(self, number: int, text: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for part in text[1:-1].split("|"):
            name, _, value = (each.strip() for each in part.partition(":"))
            if name.lower() not in _FIELD_NAMES:
                near = difflib.get_close_matches(name.lower(), _FIELD_NAMES, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(_FIELD_NAMES)}"
                raise self._bad(
                    number,
                    f"{name[:32] or 'a part without a name'}: is not a field",
                    f"{hint}; where the line is text, write its first bracket as &#40;",
                )
            if name.lower() in found:
                raise self._bad(number, f"{name}: is given twice", "give it once")
            found[name.lower()] = self._field(number, name.lower(), value)
        if "expires" in found:
            if "retention" in found:
                raise self._bad(number, "retention: cannot stand beside expires", "give one of the two")
            found["retention"] = Retention.TTL
        return found

    def _field(self, number: int, name: str, value: str) -> Any:
        if name == "tags":
            return tuple(unescaped(tag) for each in value.split(",") if (tag := each.strip()))
        try:
            if name == "importance":
                return float(value)
            if name == "expires":
                return parse_time(value)
        except (ValueError, OverflowError) as error:
            what, such = ("a number", "0.9") if name == "importance" else ("an ISO 8601 time", "2026-01-31")
            raise self._bad(number, f"{name}: is not {what}", f"give one such as {such}") from error
        try:
            retention = chosen(Retention, value.lower(), name)
        except InvalidRequest as error:
            raise self._bad(number, error.message, error.hint) from error
        if retention is Retention.TTL:
            raise self._bad(number, "retention: needs an end", "say when instead, such as expires: 2026-01-31")
        return retention


_FIELD_NAMES = ("importance", "tags", "retention", "expires")


def _trimmed(lines: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """`lines` without blank ones at either end: those are the editor's, not the text's."""
    said = [place for place, (_, line) in enumerate(lines) if line]
    return list(lines[said[0] : said[-1] + 1]) if said else []


def _scalar(value: str) -> str:
    """A value of the front matter, quoted or not."""
    if value[:1] == value[-1:] == "'" and len(value) > 1:
        return value[1:-1].replace("''", "'")
    try:
        read = json.loads(value) if value.startswith('"') else value
    except ValueError:
        return value
    return str(read)

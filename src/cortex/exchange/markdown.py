"""Memories as Markdown that a person may edit in any editor, and what such an edit means for the store.

A memory is a list item under the headings of its scope and kind. Its text stands there as it is; only what an editor
would lose, or what looks like the form itself, is written as a character reference (`&#32;`). A comment at the end of
an item names the memory and the digest of what was exported, so that three versions can be compared: what was exported
(base), what the file says (yours), and what the store says now (theirs).
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from cortex.domain.choices import chosen
from cortex.domain.events import EventKind
from cortex.domain.identity import IdSource, TraceId
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import Draft, ImportanceLabel, Kind, Memory, Retention
from cortex.domain.receipt import MAX_ITEMS_CAP, Receipt
from cortex.domain.scope import Tenant, checked_label
from cortex.domain.suspicion import tier_for
from cortex.domain.trace import parse_time
from cortex.domain.trust import SourceKind, TrustTier, least
from cortex.errors import Conflict, InvalidRequest, NotFound
from cortex.ports.store import Change, Filter, Put, View

SCHEMA = "cortex.memories.v1"

DEFAULT_IMPORTANCE = 0.5

_PAGE = 1_000
_DIGEST_CHARS = 16
_EXCERPT, _BEFORE = 120, 40
_ABOUT = (
    "<!-- Edit texts and the (field: value) lines under them, move items between headings, add items with `- `. "
    "Keep the comments. Then run `cortex import --markdown` on this file. -->"
)


# --- what a person may change --------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What a person may change of a memory."""

    text: str
    scope: str
    kind: Kind
    importance: float = DEFAULT_IMPORTANCE
    tags: tuple[str, ...] = ()
    retention: Retention = Retention.PERMANENT
    expires: datetime | None = None
    """When a memory with a time to live is over."""

    @classmethod
    def of(cls, memory: Memory) -> Statement:
        expires = memory.expires_at if memory.retention is Retention.TTL else None
        return cls(
            text=memory.text,
            scope=memory.scope,
            kind=memory.kind,
            importance=float(memory.importance),
            # An empty tag says nothing, and cannot be written down.
            tags=tuple(tag for tag in memory.tags if tag),
            retention=memory.retention,
            expires=expires.astimezone(UTC) if expires else None,
        )

    def digest(self, id: str) -> str:
        """Stands for exactly this, said by the memory `id`."""
        expires = self.expires.isoformat() if self.expires else None
        said = [id, self.text, self.scope, self.kind, self.importance, self.tags, self.retention, expires]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:_DIGEST_CHARS]

    def draft(self, born: datetime, source: SourceKind = SourceKind.OPERATOR) -> Draft:
        """What `remember` has rules for; `born` is when the memory was made."""
        return Draft(
            text=self.text,
            scope=self.scope,
            kind=self.kind,
            importance=None if self.importance == DEFAULT_IMPORTANCE else self.importance,
            tags=self.tags,
            retention=self.retention,
            ttl=self.expires - born if self.expires else None,
            source_kind=source,
        )


# --- writing -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Page:
    """One Markdown file; `name` is the one it has in a directory."""

    name: str
    text: str
    memories: int


def markdown_pages(view: View, tenant: Tenant, filter: Filter, *, at: datetime, by_scope: bool = False) -> list[Page]:
    """The active memories `filter` means, with their text: on one page, or on one for each scope.

    The same state gives the same pages, but for the time `at`.
    """
    memories = sorted(_active(view, filter), key=_order)
    groups = [list(some) for _, some in groupby(memories, key=_scope)] if by_scope else [memories]
    return [
        Page(
            _file_name(some[0].scope) if by_scope else "",
            markdown_of(some, tenant, position=view.position, at=at),
            len(some),
        )
        for some in groups
    ]


def markdown_of(memories: Iterable[Memory], tenant: Tenant, *, position: int, at: datetime) -> str:
    """One page with these memories, whatever order they come in."""
    ordered = sorted(memories, key=_order)
    lines = [
        "---",
        f"schema: {SCHEMA}",
        f"agent: {json.dumps(tenant.agent)}",
        f"user: {json.dumps(tenant.user, ensure_ascii=False)}",
        f"exported_at: {at.astimezone(UTC).isoformat()}",
        f"position: {position}",
        f"memories: {len(ordered)}",
        "---",
        "",
        _ABOUT,
    ]
    for scope, of_scope in groupby(ordered, key=_scope):
        lines += ["", f"# {_inline(scope)}"]
        for kind, of_kind in groupby(of_scope, key=_kind):
            lines += ["", f"## {kind.value}"]
            for memory in of_kind:
                lines += ["", *_item(memory)]
    # What was exported, so that an item that is gone from the file can be told from one that never was in it.
    listed = [f"{memory.id} {Statement.of(memory).digest(memory.id)}" for memory in ordered]
    return "\n".join([*lines, "", "<!-- cortex:exported", *listed, "-->", ""])


def _active(view: View, filter: Filter) -> Iterator[Memory]:
    narrowed = replace(filter, lanes=frozenset({Lane.MEMORIES}), states=frozenset({State.ACTIVE}))
    after: TraceId | None = None
    while page := view.scan(narrowed, after, _PAGE):
        yield from (trace for trace in page if isinstance(trace, Memory))
        after = page[-1].id


_KINDS = {kind: place for place, kind in enumerate(Kind)}


def _order(memory: Memory) -> tuple[str, int, str]:
    return memory.scope, _KINDS[memory.kind], memory.id


def _scope(memory: Memory) -> str:
    return memory.scope


def _kind(memory: Memory) -> Kind:
    return memory.kind


def _file_name(scope: str) -> str:
    """A file name for a scope: the scope itself where that is safe on every file system."""
    plain = re.sub(r"[^a-z0-9_-]+", "-", scope.lower())[:64].strip("-")
    if plain == scope and plain not in _RESERVED:
        return f"{plain}.md"
    return f"{plain or 'scope'}-{hashlib.sha256(scope.encode()).hexdigest()[:8]}.md"


_RESERVED = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))})


def _item(memory: Memory) -> Iterator[str]:
    statement = Statement.of(memory)
    first, *more = _block(statement.text).split("\n")
    yield f"- {first}"
    yield from (f"  {line}" if line else "" for line in more)
    if fields := _fields_line(statement):
        yield f"  {fields}"
    # Whom to believe cannot be edited: this tells the reader only.
    trust = "" if memory.trust is TrustTier.TRUSTED else f" trust={memory.trust.value}"
    yield f"  <!-- cortex:id={memory.id} base={statement.digest(memory.id)}{trust} -->"


def _fields_line(statement: Statement) -> str:
    """The fields that are not at their default, as in `(importance: 0.9 | tags: ops, keys)`."""
    told = []
    if statement.importance != DEFAULT_IMPORTANCE:
        told.append(f"importance: {statement.importance!r}")
    if statement.tags:
        told.append(f"tags: {', '.join(map(_tag, statement.tags))}")
    if statement.expires:
        told.append(f"expires: {statement.expires.isoformat()}")
    elif statement.retention is not Retention.PERMANENT:
        told.append(f"retention: {statement.retention.value}")
    return f"({' | '.join(told)})" if told else ""


# --- text that survives an editor ----------------------------------------------------------------

_REFERENCE = re.compile(r"&#([0-9]{1,7});")
# Controls, line ends that are not everyone's, and characters nobody sees: editors drop them or act on them.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
# Either half of the comment alone, so that one that was damaged is still seen for what it was.
_MARK = re.compile(r"cortex:(?=id|exported)|base=(?=[0-9a-f]{8})", re.IGNORECASE)
_LINE_END = re.compile(r"[^\S\n](?=\n|\Z)")
_EDGES = re.compile(r"\A\s|\s\Z")
_FIELDS = re.compile(r"\(\s*[A-Za-z_]+\s*:.*\)")


def _block(text: str) -> str:
    """`text` as the lines of an item; `_plain` undoes it."""
    marked = _marked(text)
    body = marked.strip("\n")
    before = len(marked) - len(marked.lstrip("\n"))
    after = len(marked) - before - len(body)
    # Blank lines at either end are the editor's: those of the text itself have to be seen.
    safe = _LINE_END.sub(_referred, _referred_char("\n") * before + body + _referred_char("\n") * after)
    if safe[:1].isspace():
        safe = _referred_char(safe[0]) + safe[1:]
    head, newline, last = safe.rpartition("\n")
    if newline and _FIELDS.fullmatch(last.strip()):
        last = last.replace("(", _referred_char("("), 1)
    return f"{head}{newline}{last}"


def _inline(text: str) -> str:
    """`text` within one line."""
    return _EDGES.sub(_referred, _marked(text).replace("\n", _referred_char("\n")))


def _tag(tag: str) -> str:
    return _inline(tag).replace(",", _referred_char(",")).replace("|", _referred_char("|"))


def _plain(written: str) -> str:
    """`written` with its references resolved."""
    return _REFERENCE.sub(_resolved, written)


def _marked(text: str) -> str:
    """`text` without what only the form may say."""
    text = _REFERENCE.sub(lambda found: f"{_referred_char('&')}{found.group()[1:]}", text)
    text = _UNSAFE.sub(_referred, text)
    return _MARK.sub(lambda found: found.group()[:-1] + _referred_char(found.group()[-1]), text)


def _resolved(found: re.Match[str]) -> str:
    code = int(found[1])
    return chr(code) if code <= 0x10FFFF else found.group()


def _referred(found: re.Match[str]) -> str:
    return "".join(map(_referred_char, found.group()))


def _referred_char(char: str) -> str:
    return f"&#{ord(char)};"


# --- reading -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Item:
    """What a file says of one memory; without an id, it is a new one."""

    where: str
    statement: Statement
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
_COMMENT = re.compile(rf"<!--\s*cortex:id={_NAMED}\s+base=([0-9a-f]{{16}})(?:\s+trust=[a-z]+)?\s*-->\Z")
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
        elif _MARK.search(line):
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
            if _MARK.search(following):
                raise self._bad(number, "is an id inside another comment", "delete the item, or take it out again")
            line = following

    def _enter(self, number: int, heading: re.Match[str]) -> None:
        name = _plain(heading[2])
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
        if len(lines) > 1 and _FIELDS.fullmatch(lines[-1][1].strip()):
            number, told = lines.pop()
            fields = self._fields(number, told.strip())
        text = _plain("\n".join(line for _, line in _trimmed(lines)).lstrip())
        if not text.strip():
            hint = "delete its comment as well to take the memory out" if id else "write something, or delete the line"
            raise self._bad(item.number, "has no text", hint)
        statement = Statement(text=text, scope=item.scope, kind=item.kind, **fields)
        self.items.append(Item(self.where(item.number), statement, id, base))

    def _fields(self, number: int, told: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for part in told[1:-1].split("|"):
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
            return tuple(_plain(tag) for each in value.split(",") if (tag := each.strip()))
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


# --- what it means -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Divergence:
    """A memory that was changed in the file and in the store, each in its own way."""

    id: TraceId
    where: str
    """Where the file speaks of it; empty where its item was deleted."""
    base: str
    """The digest of what was exported; empty for an item that never was."""
    base_text: str | None
    """What was exported, where history still has it."""
    yours: Statement | None
    theirs: Memory

    def to_json(self) -> dict[str, Any]:
        """The three by digest, state and a short excerpt that begins where they part."""
        theirs = Statement.of(self.theirs)
        texts = (self.base_text, self.yours.text if self.yours else None, theirs.text)
        base, yours, text = _excerpts(texts)
        return {
            "id": self.id,
            "where": self.where or None,
            "base": {"digest": self.base or None, "text": base},
            "yours": _told(self.yours, self.id, yours) if self.yours else None,
            "theirs": {**_told(theirs, self.id, text), "state": self.theirs.state.value},
        }


class EditConflict(Conflict):
    """What was edited in a file was also changed in the store; `divergences` has both sides, text included."""

    def __init__(self, divergences: Sequence[Divergence]) -> None:
        named = ", ".join(each.id for each in divergences[:3])
        more = f" and {len(divergences) - 3:,} more" if len(divergences) > 3 else ""
        super().__init__(
            f"changed in the file and here since the export: {named}{more}; nothing was imported",
            hint="export again and repeat these edits, or import the others with --skip-conflicts",
        )
        self.divergences = tuple(divergences)


@dataclass(slots=True)
class MarkdownPlan:
    """What importing an edited file would change, and what it leaves alone."""

    dry_run: bool = False
    trusted: bool = True
    created: list[Memory] = field(default_factory=list)
    edited: list[Memory] = field(default_factory=list)
    forgotten: list[Memory] = field(default_factory=list)
    unchanged: int = 0
    """As it was exported, whatever became of it since."""
    same: int = 0
    """Changed, and here already."""
    divergences: list[Divergence] = field(default_factory=list)
    missing: list[TraceId] = field(default_factory=list)
    """Exported and still active here, but no longer in the file."""

    @property
    def changes(self) -> list[Change]:
        return [
            *(Put(memory, EventKind.REVISED) for memory in self.edited),
            *(Put(memory, EventKind.IMPORTED) for memory in self.created),
            *(Put(memory, EventKind.FORGOTTEN) for memory in self.forgotten),
        ]

    def stored(self) -> Iterator[Filter]:
        """What may need vectors, in portions that any store can filter by."""
        ids = [memory.id for memory in (*self.edited, *self.created)]
        return (Filter(ids=frozenset(ids[start : start + _PAGE])) for start in range(0, len(ids), _PAGE))

    def facts(self) -> dict[str, Any]:
        """For the receipt: counts and ids, never text."""
        return {
            "created": len(self.created),
            "edited": len(self.edited),
            "unchanged": self.unchanged,
            "same": self.same,
            "conflicts": len(self.divergences),
            "forgotten": len(self.forgotten),
            "missing": len(self.missing),
            "createdIds": _some(memory.id for memory in self.created),
            "editedIds": _some(memory.id for memory in self.edited),
            "conflictIds": _some(each.id for each in self.divergences),
            "forgottenIds": _some(memory.id for memory in self.forgotten),
            "missingIds": _some(self.missing),
            "trusted": self.trusted,
            "dry_run": self.dry_run,
        }


@dataclass(frozen=True, slots=True)
class MarkdownImported:
    """What became of an import of Markdown, and the receipt."""

    plan: MarkdownPlan
    receipt: Receipt


def markdown_plan(
    pages: Mapping[str, str],
    view: View,
    *,
    tenant: Tenant,
    ids: IdSource,
    now: datetime,
    max_text_bytes: int,
    dry_run: bool = False,
    trusted: bool = True,
    skip_conflicts: bool = False,
    forget_missing: bool = False,
) -> MarkdownPlan:
    """What the edits in `pages` (text by name) mean for the tenant of `view`.

    Anything wrong with a page is an error that names its line. A conflict is an `EditConflict`, unless
    `skip_conflicts`: then it is left as it is in the store, and told. What is missing is forgotten only where asked.
    """
    read = [MarkdownReader(text, name) for name, text in pages.items()]
    for page in read:
        _check_owner(page, tenant)
    items = _unique(item for page in read for item in page.items)
    editing = _Editing(view, ids, now, max_text_bytes, MarkdownPlan(dry_run, trusted))
    editing.compare(items)
    editing.miss(read, {item.id for item in items}, forget=forget_missing)
    if editing.plan.divergences and not skip_conflicts:
        raise EditConflict(editing.plan.divergences)
    return editing.plan


class _Editing:
    """Compares what pages say with what the store says, and draws up the plan."""

    def __init__(self, view: View, ids: IdSource, now: datetime, max_text_bytes: int, plan: MarkdownPlan) -> None:
        self._view = view
        self._ids = ids
        self._now = now
        self._max_text_bytes = max_text_bytes
        self._source = SourceKind.OPERATOR if plan.trusted else SourceKind.IMPORT
        self._here: set[TraceId] = set()
        """What an item without an id was found to be."""
        self.plan = plan

    def compare(self, items: Sequence[Item]) -> None:
        known = self._memories([item.id for item in items if item.id])
        for item in items:
            if item.id:
                self._compare(item, known.get(item.id))
        new = [item for item in items if not item.id]
        alike = self._alike() if new else {}
        for item in new:
            self._create(item, alike.setdefault((item.statement.scope, item.statement.text), []))

    def miss(self, pages: Sequence[MarkdownReader], there: set[TraceId | None], *, forget: bool) -> None:
        """What was exported to the pages and is on none of them any more."""
        bases: dict[TraceId, set[str]] = {}
        for page in pages:
            for id, base in page.exported.items():
                bases.setdefault(id, set()).add(base)
        gone = sorted(bases.keys() - there - self._here)
        for id, memory in self._memories(gone).items():
            if memory.state is not State.ACTIVE:
                continue
            if not forget:
                self.plan.missing.append(id)
            elif Statement.of(memory).digest(id) in bases[id]:
                self.plan.forgotten.append(memory.revised(state=State.FORGOTTEN))
            else:
                self._diverge(Divergence(id, "", min(bases[id]), None, None, memory))

    def _compare(self, item: Item, memory: Memory | None) -> None:
        if memory is None:
            raise NotFound(
                f"{item.where}: no memory {item.id}",
                hint="the file may be of another user or store; without its comment the item is a new memory",
            )
        yours, theirs = item.statement.digest(memory.id), Statement.of(memory).digest(memory.id)
        active = memory.state is State.ACTIVE
        if yours == item.base:
            self.plan.unchanged += 1
        elif active and yours == theirs:
            self.plan.same += 1
        elif active and theirs == item.base:
            self._check(item, memory.created_at)
            self.plan.edited.append(_edited(memory, item.statement, self._source))
        else:
            self._diverge(Divergence(memory.id, item.where, item.base, None, item.statement, memory))

    def _create(self, item: Item, alike: list[Memory]) -> None:
        """A new memory, unless it is here: then the item is what is left of one that lost its comment."""
        if same := next((memory for memory in alike if Statement.of(memory) == item.statement), None):
            self._here.add(same.id)
            self.plan.same += 1
        elif alike:
            self._here.add(alike[0].id)
            self._diverge(Divergence(alike[0].id, item.where, "", None, item.statement, alike[0]))
        else:
            draft = self._check(item, self._now)
            memory = draft.memory(TraceId(self._ids(self._now)), self._now)
            alike.append(memory)
            self.plan.created.append(memory)

    def _check(self, item: Item, born: datetime) -> Draft:
        try:
            if item.statement.expires and item.statement.expires <= born:
                raise InvalidRequest("is before the memory was made", field="expires", hint="give a later time")
            return item.statement.draft(born, self._source).checked(self._max_text_bytes)
        except InvalidRequest as error:
            raise InvalidRequest(error.message, field=item.where, hint=error.hint) from error

    def _diverge(self, found: Divergence) -> None:
        said = (version.trace for version in self._view.history(found.id)) if found.base else ()
        exported = (
            trace.text
            for trace in said
            if isinstance(trace, Memory) and Statement.of(trace).digest(trace.id) == found.base
        )
        self.plan.divergences.append(replace(found, base_text=next(exported, None)))

    def _memories(self, ids: Sequence[TraceId]) -> dict[TraceId, Memory]:
        return {trace.id: trace for trace in self._view.load(ids) if isinstance(trace, Memory)}

    def _alike(self) -> dict[tuple[str, str], list[Memory]]:
        """What will be here besides new memories, by scope and text."""
        edited = {memory.id: memory for memory in self.plan.edited}
        found: dict[tuple[str, str], list[Memory]] = {}
        for known in _active(self._view, Filter()):
            memory = edited.get(known.id, known)
            found.setdefault((memory.scope, memory.text), []).append(memory)
        return found


def _edited(memory: Memory, yours: Statement, source: SourceKind) -> Memory:
    """The next version of `memory`. It is never more trusted than the last: a mended typo vouches for nothing."""
    theirs, draft = Statement.of(memory), yours.draft(memory.created_at)
    changes: dict[str, Any] = {"text": yours.text, "scope": yours.scope, "kind": yours.kind}
    if yours.tags != theirs.tags:
        changes["tags"] = yours.tags
    if yours.importance != theirs.importance:
        graded = ImportanceLabel.UNKNOWN if draft.importance is None else ImportanceLabel.of(draft.importance)
        changes |= {"importance": yours.importance, "label": graded}
    if (yours.retention, yours.expires) != (theirs.retention, theirs.expires):
        changes |= {"retention": yours.retention, "ttl": draft.ttl}
    reworded = yours.text != theirs.text
    if reworded and not (memory.value and memory.value.casefold() in yours.text.casefold()):
        # What the old words gave a value to is not what the new ones speak of.
        changes |= {"subject": "", "attribute": "", "value": ""}
    if source is SourceKind.IMPORT:
        lowered = least((memory.trust, tier_for(source, yours.text)))
        changes |= {"trust": lowered, "source_kind": source}
    elif reworded and memory.trust is TrustTier.TRUSTED:
        changes["source_kind"] = source
    return memory.revised(**changes)


def _check_owner(page: MarkdownReader, tenant: Tenant) -> None:
    for key, (where, name) in page.owner.items():
        if name != getattr(tenant, key):
            raise InvalidRequest(
                f"is of the {key} {name[:64]!r}, not of {getattr(tenant, key)!r}",
                field=where,
                hint=f"import it with --{key}, or export the memories of the one you mean",
            )


def _unique(items: Iterable[Item]) -> list[Item]:
    first: dict[TraceId, str] = {}
    found = list(items)
    for item in found:
        if item.id and first.setdefault(item.id, item.where) != item.where:
            raise InvalidRequest(
                f"has the id {item.id} of {first[item.id]} too",
                field=item.where,
                hint="delete one of the two, or its comment to make it a new memory",
            )
    return found


def _told(statement: Statement, id: str, excerpt: str | None) -> dict[str, Any]:
    fields = _fields_line(statement) or None
    about = {"scope": statement.scope, "kind": statement.kind.value, "fields": fields}
    return {"digest": statement.digest(id), "text": excerpt, **about}


def _excerpts(texts: Sequence[str | None]) -> list[str | None]:
    """A short piece of each text, from just before the place where they part."""
    said = {text for text in texts if text is not None}
    parting = next((at for at, chars in enumerate(zip(*said, strict=False)) if len(set(chars)) > 1), None)
    shortest = min(map(len, said), default=0)
    # Texts that are all the same part nowhere, and are shown from their beginning.
    start = max(0, (shortest if parting is None else parting) - _BEFORE) if len(said) > 1 else 0
    return [None if text is None else _excerpt(text, start) for text in texts]


def _excerpt(text: str, start: int) -> str:
    piece = " ".join(text[start : start + _EXCERPT].split())
    return f"{'…' if start else ''}{piece}{'…' if len(text) > start + _EXCERPT else ''}"


def _some(ids: Iterable[str]) -> list[str]:
    return list(ids)[:MAX_ITEMS_CAP]

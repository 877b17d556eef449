"""basic-memory: Markdown notes with observations and relations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from cortex.domain.memory import Kind
from cortex.exchange.import_format import Account, ForeignMemory, ImportFormat, ImportItem, kind_named, time_of
from cortex.exchange.import_source import ImportSource

_NOTES = r"[^/.][^/]*\.md"
_DETECTED = 50
_FRONT_MATTER = re.compile(r"\A---\s*\n(.*?)^---\s*$\n?", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^([\w-]+):[ \t]*(.*)$", re.MULTILINE)
_OBSERVATION = re.compile(r"[-*] \[([^\[\]()]+)\](?!\()\s+(.+)")
_RELATION = re.compile(r"[-*] ([\w ]*?)\s*\[\[([^\]]+)\]\](.*)")
_TAG = re.compile(r"(?<!\S)#([\w/-]+)")
_TASKS = frozenset((" ", "x", "X", "-"))


def _detect(source: ImportSource) -> bool:
    return any(_is_note(source.head(name)) for name in source.find(_NOTES)[:_DETECTED])


def _is_note(head: str) -> bool:
    fields, _ = _split(head)
    return "permalink" in fields


def _read(source: ImportSource, _: Account | None) -> Iterator[ImportItem]:
    for name in source.find(_NOTES):
        fields, body = _split(source.text(name))
        title = fields.get("title") or name.rpartition("/")[2].removesuffix(".md")
        ref = fields.get("permalink") or name.removesuffix(".md")
        at = next((time for key in ("created", "date", "created_at") if (time := time_of(fields.get(key)))), None)
        found = list(_statements(body, title, _listed(fields.get("tags", "")), at or source.modified(name), ref))
        yield from found
        source.skipped["note without observations"] += not found


def _statements(body: str, title: str, tags: tuple[str, ...], at: datetime | None, ref: str) -> Iterator[ForeignMemory]:
    for line in map(str.strip, body.splitlines()):
        if (found := _OBSERVATION.fullmatch(line)) and found[1] not in _TASKS:
            text, own = _TAG.sub("", found[2]).strip(), _TAG.findall(found[2])
            category = found[1].strip().casefold()
            if text:
                yield ForeignMemory(
                    text=_about(title, text),
                    at=at,
                    kind=kind_named(category),
                    topic=title,
                    tags=tuple(dict.fromkeys((*tags, category, *own))),
                    ref=ref,
                )
        elif found := _RELATION.fullmatch(line):
            relation = found[1].replace("_", " ").strip() or "relates to"
            text = f"{title} {relation} {found[2].strip()}{found[3].rstrip()}"
            yield ForeignMemory(text=text, at=at, kind=Kind.ENTITY, topic=title, tags=tags, ref=ref)


def _about(title: str, text: str) -> str:
    """An observation says what its note is about only by standing in it."""
    return text if title.casefold() in text.casefold() else f"{title}: {text}"


def _split(text: str) -> tuple[dict[str, str], str]:
    """The front matter of a note as plain fields, and the rest."""
    found = _FRONT_MATTER.match(text)
    if found is None:
        return {}, text
    listed = re.sub(r":[ \t]*\n((?:[ \t]*- .*\n?)+)", lambda items: f": {_inline(items[1])}\n", found[1])
    fields = {name: value.strip().strip("\"'") for name, value in _FIELD.findall(listed)}
    return fields, text[found.end() :]


def _inline(items: str) -> str:
    return ", ".join(line.strip().removeprefix("- ") for line in items.splitlines())


def _listed(value: str) -> tuple[str, ...]:
    return tuple(part for each in value.strip("[]").split(",") if (part := each.strip().strip("\"'").lstrip("#")))


FORMAT = ImportFormat(
    name="basic-memory",
    title="basic-memory notes",
    about="The folder of a project: each observation and relation of its notes.",
    detect=_detect,
    read=_read,
)

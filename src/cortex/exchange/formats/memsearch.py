"""memsearch: a folder of Markdown, with a note for each day."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from cortex.domain.memory import Kind
from cortex.exchange.import_format import Account, ForeignMemory, ImportFormat, ImportItem
from cortex.exchange.import_source import ImportSource

_NOTES = r"[^/]+\.md"
_DAILY = re.compile(r"(?:.*/)?(\d{4}-\d\d-\d\d)\.md")
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_TIME = re.compile(r"(?:Session\s+)?(\d\d:\d\d)")
_ANCHOR = re.compile(r"<!--.*?-->", re.DOTALL)
_BULLET = re.compile(r"[-*+]\s+(.*)")
_FAILED = "Memory summary unavailable"
_DETECTED = 50


def _detect(source: ImportSource) -> bool:
    notes = [name for name in source.find(_NOTES) if _DAILY.fullmatch(name)]
    return any(".memsearch/" in f"{source.path}/{name}" for name in notes) or any(
        "<!-- session:" in source.head(name) for name in notes[:_DETECTED]
    )


def _read(source: ImportSource, _: Account | None) -> Iterator[ImportItem]:
    for name in source.find(_NOTES):
        day = _DAILY.fullmatch(name)
        yield from _entries(source.text(name), day[1] if day else "", source.modified(name), name, source)


def _entries(
    text: str, day: str, modified: datetime | None, name: str, source: ImportSource
) -> Iterator[ForeignMemory]:
    """One memory for each bullet or paragraph, at the time its heading tells."""
    at, topic = _at(day, "00:00") or modified, ""
    kind = Kind.EPISODE if day else Kind.FACT
    for block in re.split(r"\n(?=[-*+] |#)|\n\s*\n", _ANCHOR.sub("", text)):
        block = block.strip()
        if heading := _HEADING.match(block):
            time = _TIME.fullmatch(heading[2].strip())
            at, topic = (_at(day, time[1]) or at, topic) if time else (at, heading[2].strip())
            block = block[heading.end() :].strip()
        bullet = _BULLET.match(block)
        said = " ".join((bullet[1] + block[bullet.end() :] if bullet else block).split())
        if said.startswith(_FAILED):
            source.skipped["summary that had failed"] += 1
        elif said:
            yield ForeignMemory(text=said, at=at, kind=kind, topic=topic, ref=name)


def _at(day: str, time: str) -> datetime | None:
    try:
        return datetime.fromisoformat(f"{day}T{time}").astimezone(UTC)  # memsearch writes the local time
    except ValueError:
        return None


FORMAT = ImportFormat(
    name="memsearch",
    title="memsearch notes",
    about="`.memsearch/memory`: each bullet and paragraph, at the time of its heading.",
    detect=_detect,
    read=_read,
)

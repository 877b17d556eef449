"""What has to be done about the files: pure comparisons, of a scan with what is known, and of pieces with chunks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from cortex.domain.chunk import Chunk
from cortex.domain.followed import Followed, Stamp
from cortex.domain.identity import TraceId
from cortex.workspace import media
from cortex.workspace.chunking import Piece
from cortex.workspace.scan import Found, Scan
from cortex.workspace.sources import Source


@dataclass(slots=True)
class Work:
    """What a scan leaves to be done."""

    to_read: list[Found] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    unchanged: int = 0


def work(scanned: Scan, known: Mapping[str, Followed], keys: Mapping[str, str]) -> Work:
    """Compare a scan with what is known. `keys` tells how each source's files are to be read now.

    Files that are merely out of sight are left as they are: a disk that is not mounted has not lost them.
    """
    found = Work()
    seen = set()
    for file in scanned.files:
        seen.add(file.path)
        before = known.get(file.path)
        if before is not None and is_current(before, file, keys[file.source.name]):
            found.unchanged += 1
        else:
            found.to_read.append(file)
    names = frozenset(keys)
    found.gone = sorted(
        path
        for path, file in known.items()
        if path not in seen and not (source_name(file.source) in names and scanned.hides(path))
    )
    return found


def is_current(before: Followed, file: Found, key: str) -> bool:
    """Whether a file is as it was when it was read, as far as can be told without opening it."""
    return not before.unsettled and before.source == key and before.stamp == (file.size, file.modified_ns, file.inode)


def source_key(source: Source) -> str:
    """Changes when the files of a source have to be cut or labelled anew."""
    summaries = "summaries" if source.summarize else ""
    return "\x1f".join((source.name, source.lane, source.scope, source.trust, source.chunker, summaries))


def source_name(key: str) -> str:
    return key.partition("\x1f")[0]


def stamp_of(file: Found) -> Stamp:
    return Stamp(file.size, file.modified_ns, file.inode)


@dataclass(frozen=True, slots=True)
class Cut:
    """A file cut anew: its chunks in the order of its lines, and those of them that are not stored as they are."""

    chunks: tuple[Chunk, ...]
    fresh: tuple[Chunk, ...]
    """New, without vectors yet."""
    moved: tuple[Chunk, ...]
    """The same text at other lines: what was derived from it still holds."""


def cut(
    file: Found, pieces: Sequence[Piece], dated: datetime | None, before: Sequence[Chunk], ids: Iterable[TraceId]
) -> Cut:
    """The chunks of a file; what says the same as before, in the same place of the outline, keeps its id."""
    fresh_ids = iter(ids)
    known: dict[tuple[str, str], list[Chunk]] = {}
    for chunk in reversed(before):
        known.setdefault(said_by(chunk), []).append(chunk)
    chunks: list[Chunk] = []
    fresh: list[Chunk] = []
    moved: list[Chunk] = []
    for piece in pieces:
        made = _chunk(file, piece, dated)
        if same := known.get(said_by(made)):
            old = same.pop()
            chunk = made.revised(id=old.id, created_at=old.created_at, summary=old.summary)
            moved += [chunk] if chunk != old else []
        else:
            chunk = made.revised(id=next(fresh_ids))
            fresh.append(chunk)
        chunks.append(chunk)
    return Cut(tuple(chunks), tuple(fresh), tuple(moved))


def said_by(chunk: Chunk) -> tuple[str, str]:
    """What its words, its vectors and its summary were made of."""
    return chunk.text, chunk.revised(summary="").context


def _chunk(file: Found, piece: Piece, dated: datetime | None) -> Chunk:
    source = file.source
    shown = media.references(piece.text)
    return Chunk(
        id=TraceId(""),
        text=piece.text,
        path=file.path,
        start_line=piece.start_line,
        end_line=piece.end_line,
        created_at=datetime.fromtimestamp(file.modified_ns // 1_000_000_000, UTC),
        lane=source.lane,
        section=piece.section,
        dated=dated,
        media_refs=tuple(dict.fromkeys(each.target for each in shown)),
        media_kind=media.kind_of(shown) if shown else "",
        scope=source.scope,
        trust=source.trust,
    )

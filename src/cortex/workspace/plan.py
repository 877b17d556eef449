"""What has to be done about the files: pure comparisons, of a scan with what is known, and of pieces with chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from cortex.domain.chunk import Chunk
from cortex.domain.identity import TraceId
from cortex.domain.indexed_file import STAMP_BITS, IndexedFile
from cortex.domain.injection_detection import instructs_agents, tier_for
from cortex.domain.memory import Kind
from cortex.domain.trust import SourceKind, TrustTier, least
from cortex.workspace import media
from cortex.workspace.chunking import TextSpan
from cortex.workspace.scan import Found, Scan
from cortex.workspace.sources import Source

_LAST_SECOND = int(datetime(9999, 12, 31, tzinfo=UTC).timestamp())


@dataclass(slots=True)
class Work:
    """What a scan leaves to be done."""

    to_read: list[Found] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    """Known, and merely out of sight now: a disk that is not mounted has not lost its files."""
    unchanged: int = 0


def work(scanned: Scan, known: Mapping[str, IndexedFile], keys: Mapping[str, str]) -> Work:
    """Compare a scan with what is known. `keys` tells how each source's files are to be read now."""
    found = Work()
    seen = set()
    for file in scanned.files:
        seen.add(file.path)
        before = known.get(file.path)
        if before is not None and is_current(before, file, keys[file.source.name]):
            found.unchanged += 1
        else:
            found.to_read.append(file)
    for path in sorted(known.keys() - seen):
        is_hidden = source_name(known[path].source) in keys and scanned.hides(path)
        (found.hidden if is_hidden else found.gone).append(path)
    return found


def is_current(before: IndexedFile, file: Found, key: str) -> bool:
    """Whether a file is as it was when it was read, as far as its time and size show."""
    return (
        not before.unsettled
        and before.source == key
        and before.size == file.size
        and before.modified_ns == file.modified_ns & STAMP_BITS
        and before.inode == file.inode & STAMP_BITS
    )


def followed(file: Found, key: str, hash: str = "", *, unsettled: bool = False, trouble: str = "") -> IndexedFile:
    """How a file is now, without its chunks."""
    stamp = file.size, file.modified_ns & STAMP_BITS, file.inode & STAMP_BITS
    return IndexedFile(file.path, key, *stamp, hash, unsettled, trouble)


def source_key(source: Source, max_bytes: int) -> str:
    """Changes when the files of a source have to be read, cut or labeled anew."""
    summaries = "summaries" if source.summarize else ""
    settings = (source.name, source.lane, source.scope, source.trust, source.chunker, summaries, str(max_bytes))
    return "\x1f".join(settings)


def source_name(key: str) -> str:
    return key.partition("\x1f")[0]


@dataclass(frozen=True, slots=True)
class Cut:
    """A file cut anew: its chunks in the order of its lines, and those of them that are not stored as they are."""

    chunks: tuple[Chunk, ...]
    fresh: tuple[Chunk, ...]
    """New, without vectors yet."""
    moved: tuple[Chunk, ...]
    """The same text at other lines: what was derived from it still holds."""


Classify = Callable[[str], Kind]
"""Tells by its words what sort of statement a text is."""


def cut(
    file: Found,
    pieces: Sequence[TextSpan],
    dated: datetime | None,
    before: Sequence[Chunk],
    ids: Iterable[TraceId],
    classify: Classify = lambda _: Kind.FACT,
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
        made = _chunk(file, piece, dated, classify)
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


def _chunk(file: Found, piece: TextSpan, dated: datetime | None, classify: Classify) -> Chunk:
    source = file.source
    shown = media.references(piece.text)
    return Chunk(
        id=TraceId(""),
        text=piece.text,
        path=file.path,
        start_line=piece.start_line,
        end_line=piece.end_line,
        created_at=_moment(file.modified_ns),
        lane=source.lane,
        kind=classify(piece.text),
        section=piece.section,
        dated=dated,
        media_refs=tuple(dict.fromkeys(each.target for each in shown)),
        media_kind=media.kind_of(shown) if shown else "",
        scope=source.scope,
        trust=_trust(source, piece.text),
    )


def _trust(source: Source, text: str) -> TrustTier:
    """As far as the source goes; where others write it too, what gives orders is held back.

    In the operator's own files an order is the operator's, unless it speaks past them: to agents, or about the user.
    """
    if source.trust is TrustTier.TRUSTED:
        return TrustTier.UNTRUSTED if instructs_agents(text) else source.trust
    return least((source.trust, tier_for(SourceKind.IMPORT, text)))


def _moment(nanoseconds: int) -> datetime:
    """A time of the file system; it may be set to a year no calendar has."""
    return datetime.fromtimestamp(min(max(nanoseconds // 1_000_000_000, 0), _LAST_SECOND), UTC)

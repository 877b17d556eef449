"""Following the files: scan → read → cut → embed → apply; or all of it anew, beside the index in use."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cortex.domain.chunk import Chunk
from cortex.domain.events import EventKind
from cortex.domain.followed import Followed
from cortex.domain.identity import IdSource, TraceId
from cortex.domain.scope import Tenant
from cortex.domain.vectors import EmbeddingSpace, Vector
from cortex.ports.clock import Clock
from cortex.ports.index import FileIndex, Follow, Indexes, Unfollow
from cortex.ports.store import Change, Embed, Filter, Put
from cortex.progress import Progress
from cortex.workspace import chunking, markdown, plan, reading, scan
from cortex.workspace.reading import Content, Unreadable
from cortex.workspace.scan import Found
from cortex.workspace.sources import Source

FORMAT = 1
"""Changes when chunks are cut or put into words in another way than before."""

BATCH = 256
"""How many new chunks are embedded and stored together."""

SETTLE_NS = 2_000_000_000
"""A file written less than this before it was read may be written again within the same tick of its clock."""

_MOST_TOLD = 20

ById = Mapping[TraceId, Sequence[Vector]]

Vectors = Callable[[Sequence[Chunk]], ById]
"""Gives the vectors of chunks; none where the embedder fails: they follow later."""

Summaries = Callable[[Sequence[Chunk]], Sequence[Chunk]]
"""Gives chunks with what their sections are about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cutting:
    """How files are cut, and how long one may be."""

    tokens: int = 400
    overlap: int = 80
    max_bytes: int = 4 << 20

    def made_with(self, space: EmbeddingSpace) -> str:
        """What an index is made with: when this changes, it has to be made anew (B13)."""
        told = {"format": FORMAT, "tokens": self.tokens, "overlap": self.overlap}
        vectors = {"space": space.key, "provider": space.provider, "model": space.model} if space.dimension else None
        return json.dumps({**told, "vectors": vectors}, sort_keys=True)


@dataclass(slots=True)
class Synced:
    """What became of the files."""

    full: str = ""
    """Why everything was made anew, where it was."""
    seen: int = 0
    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    unchanged: int = 0
    chunks: int = 0
    """How many were stored now."""
    kept: int = 0
    """How many of the files read anew could stay as they were."""
    embedded: int = 0
    problems: list[tuple[str, str]] = field(default_factory=list)
    position: int = 0

    @property
    def is_changed(self) -> bool:
        return bool(self.full or self.added or self.changed or self.moved or self.removed)

    def facts(self) -> dict[str, Any]:
        """For the receipt: counts, and the files that could not be read."""
        counted = ("seen", "added", "changed", "moved", "removed", "unchanged")
        return {
            "full": self.full,
            "files": {name: getattr(self, name) for name in counted},
            "chunks": self.chunks,
            "kept": self.kept,
            "embedded": self.embedded,
            "embeddingSkipped": self.chunks - self.embedded,
            "problems": dict(sorted(Counter(why for _, why in self.problems).items())),
            "unreadable": [path for path, _ in self.problems[:_MOST_TOLD]],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Following:
    """Keeps the index of one tenant's files true to what is on disk."""

    sources: Sequence[Source]
    tenant: Tenant
    indexes: Indexes
    space: EmbeddingSpace
    vectors: Vectors
    cutting: Cutting
    clock: Clock
    ids: IdSource
    progress: Progress
    summaries: Summaries | None = None
    wait_seconds: float = 5.0

    def sync(self, *, force: bool = False) -> Synced:
        """Bring the index up to date; make it anew where that is needed, or wanted."""
        with self.indexes.changing(self.wait_seconds):
            index = self.indexes.current()
            made_with = self.cutting.made_with(self.space)
            why = full_reason(index.made_with if index else None, made_with, force=force)
            if index is not None and not why:
                return self._follow(index, None, Synced())
            with self.indexes.building(made_with) as building:
                synced = self._follow(building.index, index, Synced(full=why))
                building.publish()
            return synced

    def _follow(self, index: FileIndex, old: FileIndex | None, synced: Synced) -> Synced:
        """Bring `index` up to date; where it is a new one, with what is still true in the `old` one."""
        scanned = scan.found(self.sources)
        synced.problems += [(problem.path, problem.why) for problem in scanned.problems]
        with index.view(self.tenant) as view:
            known = view.files()
        keys = {source.name: plan.source_key(source) for source in self.sources}
        work = plan.work(scanned, known, keys)
        synced.seen, synced.unchanged = len(scanned.files), work.unchanged
        reader = _Reader(self, index, old, known, _origins(work.gone, known), synced)
        batch = _Batch(self, index, synced)
        for number, file in enumerate(work.to_read, start=1):
            batch.add(reader.prepared(file, keys[file.source.name]))
            self.progress(number, len(work.to_read), "files read")
        batch.gone += work.gone
        batch.flush()
        synced.removed = len(work.gone) - synced.moved
        self._embed_lacking(index)
        with index.view(self.tenant) as view:
            synced.position = view.position
        return synced

    def _embed_lacking(self, index: FileIndex) -> None:
        """Vectors for chunks that have none: the embedder was away when they were stored."""
        if not self.space.dimension:
            return
        lacking, after = Filter(lacking=self.space), None
        while True:
            with index.view(self.tenant) as view:
                chunks = [trace for trace in view.scan(lacking, after, BATCH) if isinstance(trace, Chunk)]
            if not chunks or not (vectors := self.vectors(chunks)):
                return
            index.apply(self.tenant, embeds(vectors, self.space), at=self.clock.now())
            after = chunks[-1].id


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What is to be stored for one file."""

    file: Followed
    fresh: Sequence[Chunk] = ()
    moved: Sequence[Chunk] = ()
    vectors: ById = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads files one by one, and finds out what has to be stored for each."""

    following: Following
    index: FileIndex
    old: FileIndex | None
    known: Mapping[str, Followed]
    origins: dict[str, str]
    synced: Synced

    def prepared(self, file: Found, key: str) -> _Prepared | None:
        """What has to be changed for one file; None where it has to be looked at again later."""
        before = self.known.get(file.path)
        try:
            content = reading.read(file.absolute, max_bytes=self.following.cutting.max_bytes)
        except Unreadable as error:
            self.synced.problems.append((file.path, error.reason))
            if error.is_passing:
                return None
            return _Prepared(Followed(path=file.path, source=key, stamp=plan.stamp_of(file), trouble=error.reason))
        file = file._replace(size=content.size, modified_ns=content.modified_ns, inode=content.inode)
        age_ns = self.following.clock.now().timestamp() * 1e9 - content.modified_ns
        told = Followed(
            path=file.path, source=key, stamp=plan.stamp_of(file), hash=content.hash, unsettled=age_ns < SETTLE_NS
        )
        if before is not None and (before.hash, before.source) == (content.hash, key):
            return _Prepared(replace(told, chunks=self._chunk_ids(file.path)))
        return self._cut(file, content, told)

    def _cut(self, file: Found, content: Content, told: Followed) -> _Prepared:
        before, _ = self._stored(self.index, file.path)
        dated = markdown.dated(file.path, markdown.read(content.text).front)
        made = plan.cut(file, self._pieces(file, content), dated, before, self._fresh_ids())
        self.synced.kept += len(made.chunks) - len(made.fresh)
        told = replace(told, chunks=tuple(chunk.id for chunk in made.chunks))
        return _Prepared(told, made.fresh, made.moved, self._borrowed(made.fresh, self._counted(file, content)))

    def _pieces(self, file: Found, content: Content) -> Sequence[chunking.Piece]:
        cutting = self.following.cutting
        if file.source.chunker == "lines":
            return chunking.lines(content.text, tokens=cutting.tokens, overlap=cutting.overlap)
        return chunking.by_sections(content.text, tokens=cutting.tokens)

    def _counted(self, file: Found, content: Content) -> tuple[FileIndex, str] | None:
        """Where chunks of these bytes may have been embedded before: in the old index, or under the old name (B14)."""
        origin = self.origins.pop(content.hash, None) if file.path not in self.known else None
        self.synced.changed += file.path in self.known
        self.synced.moved += origin is not None
        self.synced.added += file.path not in self.known and origin is None
        if self.old is not None:
            return self.old, file.path
        return (self.index, origin) if origin is not None else None

    def _borrowed(self, fresh: Sequence[Chunk], place: tuple[FileIndex, str] | None) -> ById:
        """The vectors of chunks that said the same in the same place."""
        if place is None:
            return {}
        known, vectors = self._stored(*place)
        by_words = {(chunk.text, chunk.context): vectors[chunk.id] for chunk in known if chunk.id in vectors}
        return {chunk.id: found for chunk in fresh if (found := by_words.get((chunk.text, chunk.context))) is not None}

    def _stored(self, index: FileIndex, path: str) -> tuple[list[Chunk], ById]:
        space = self.following.space
        with index.view(self.following.tenant) as view:
            file = view.file(path)
            if file is None:
                return [], {}
            chunks = [trace for trace in view.load(file.chunks) if isinstance(trace, Chunk)]
            return chunks, view.vectors(file.chunks, space) if space.dimension else {}

    def _chunk_ids(self, path: str) -> tuple[TraceId, ...]:
        with self.index.view(self.following.tenant) as view:
            file = view.file(path)
        return file.chunks if file else ()

    def _fresh_ids(self) -> Iterator[TraceId]:
        while True:
            yield TraceId(self.following.ids(self.following.clock.now()))


class _Batch:
    """Changes of many files, embedded and stored together: a model is quickest with many texts at once."""

    def __init__(self, following: Following, index: FileIndex, synced: Synced) -> None:
        self.gone: list[str] = []
        self._following = following
        self._index = index
        self._synced = synced
        self._prepared: list[_Prepared] = []
        self._waiting = 0

    def add(self, prepared: _Prepared | None) -> None:
        if prepared is None:
            return
        self._prepared.append(prepared)
        self._waiting += 1 + len(prepared.fresh)
        if self._waiting >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Store what was prepared so far, all of it or nothing."""
        fresh = [chunk for each in self._prepared for chunk in each.fresh]
        if self._following.summaries is not None:
            fresh = list(self._following.summaries(fresh))
        vectors = self._vectors(fresh)
        moved = [chunk for each in self._prepared for chunk in each.moved]
        changes: list[Change | Follow | Unfollow] = [Put(chunk, EventKind.CHUNKED) for chunk in (*fresh, *moved)]
        changes += embeds(vectors, self._following.space)
        changes += [Unfollow(path) for path in self.gone]
        changes += [Follow(each.file) for each in self._prepared]
        if changes:
            self._index.apply(self._following.tenant, changes, at=self._following.clock.now())
        self._synced.chunks += len(fresh)
        self._synced.embedded += sum(chunk.id in vectors for chunk in fresh)
        self._prepared, self.gone, self._waiting = [], [], 0

    def _vectors(self, fresh: Sequence[Chunk]) -> ById:
        borrowed = {id: found for each in self._prepared for id, found in each.vectors.items()}
        lacking = [chunk for chunk in fresh if chunk.id not in borrowed]
        if not lacking or not self._following.space.dimension:
            return borrowed
        return {**borrowed, **self._following.vectors(lacking)}


def embeds(vectors: ById, space: EmbeddingSpace) -> list[Change | Follow | Unfollow]:
    return [Embed(id, space, found) for id, found in vectors.items()]


def full_reason(made_with: str | None, wanted: str, *, force: bool = False) -> str:
    """Why an index has to be made anew; empty where it need not (B13)."""
    if made_with is None:
        return "first_run"
    if force:
        return "forced"
    if made_with == wanted:
        return ""
    try:
        before, now = json.loads(made_with), json.loads(wanted)
    except ValueError:
        return "format"
    if before.get("format") != now["format"]:
        return "format"
    if (before.get("tokens"), before.get("overlap")) != (now["tokens"], now["overlap"]):
        return "chunking"
    one, other = before.get("vectors"), now["vectors"]
    if not one or not other:
        return "vectors"
    return next((name for name in ("provider", "model") if one.get(name) != other[name]), "endpoint")


def _origins(gone: Sequence[str], known: Mapping[str, Followed]) -> dict[str, str]:
    """Where the bytes of files that are gone stood, by their digest: a file of the same bytes was moved."""
    return {known[path].hash: path for path in gone if known[path].hash}

"""Following the files: scan → read → cut → embed → apply; or all of it anew, beside the index in use."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from cortex.domain.chunk import Chunk
from cortex.domain.events import EventKind
from cortex.domain.identity import IdSource, TraceId
from cortex.domain.indexed_file import IndexedFile
from cortex.domain.memory import Kind
from cortex.domain.scope import Tenant
from cortex.domain.text import PASSAGE_TOKENS
from cortex.domain.trace import Trace
from cortex.domain.vectors import EmbeddingSpace, Vector
from cortex.errors import DiskFull, EmbedderUnavailable, StoreBusy, StoreCorrupt, StoreError
from cortex.ports.clock import Clock
from cortex.ports.index import FileIndex, Follow, Indexes, IndexVectors, IndexView, Unfollow, vectors_in
from cortex.ports.store import Change, Embed, Filter, Put
from cortex.progress import Progress
from cortex.workspace import chunking, file_reader, markdown, plan, scan
from cortex.workspace.file_reader import Content, Unreadable
from cortex.workspace.media_index import MediaFacts, MediaIndexing
from cortex.workspace.scan import Found
from cortex.workspace.sources import Source

FORMAT = 2
"""Changes when chunks are cut or put into words in another way than before."""

BATCH = 256

SETTLE_NS = 2_000_000_000
"""A file written less than this before it was read may be written again within the same tick of its clock."""

UNUSABLE = "unusable"
"""Why an index is made anew that is gone, damaged or of another Cortex."""

_MOST_TOLD = 20

_NO_SPACE = EmbeddingSpace(provider="none", model="none", dimension=0)

Answer = TypeVar("Answer")

ById = Mapping[TraceId, Sequence[Vector]]

Vectors = Callable[[Sequence[Chunk]], ById]
"""Gives the vectors of chunks; none where the embedder fails: they follow later."""

Earlier = Callable[[IndexVectors], tuple[EmbeddingSpace, Vectors] | None]
"""Gives the space that an index is of, and who embeds in it; None where nobody can any more."""

Summaries = Callable[[Sequence[Chunk]], Sequence[Chunk]]
"""Gives chunks with what their sections are about."""

Unsummarized = Callable[[Sequence[Chunk]], Sequence[Chunk]]
"""Which of these chunks are to be summarized again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cutting:
    """How files are cut, and how long one may be."""

    tokens: int = 400
    overlap: int = 80
    max_bytes: int = 4 << 20
    passage_tokens: int = PASSAGE_TOKENS
    """How long a passage is that is embedded by itself."""

    def made_with(self, space: EmbeddingSpace) -> str:
        """What an index is made with: when this changes, it has to be made anew (B13)."""
        payload = {"format": FORMAT, "tokens": self.tokens, "overlap": self.overlap, "passages": self.passage_tokens}
        vectors = {
            "space": space.key, "provider": space.provider, "model": space.model, "dimension": space.dimension
        }  # fmt: skip
        return json.dumps({**payload, "vectors": vectors if space.dimension else None}, sort_keys=True)

    def of(self, made_with: str) -> Cutting | None:
        """How an index was cut that was made with this; None where chunks are no longer cut that way."""
        recipe = _parsed(made_with)
        if recipe.get("format") != FORMAT or not recipe.keys() >= {"tokens", "overlap", "passages"}:
            return None
        return replace(self, tokens=recipe["tokens"], overlap=recipe["overlap"], passage_tokens=recipe["passages"])


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
    """How many are new."""
    kept: int = 0
    """How many of the files read anew said the same before."""
    embedded: int = 0
    """How many were sent to the embedder and got a vector."""
    lacking: int = 0
    """How many have no vector though they should: the embedder was away."""
    problems: list[tuple[str, str]] = field(default_factory=list)
    position: int = 0
    media: MediaFacts = field(default_factory=MediaFacts)
    shows_media: list[Chunk] = field(default_factory=list)
    """The chunks stored in this sync that refer to media."""
    since: int | None = None
    """The position of the index before this sync; None where it was made anew."""

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
            "embeddingSkipped": self.lacking,
            "problems": dict(sorted(Counter(why for _, why in self.problems).items())),
            "unreadable": [path for path, _ in self.problems[:_MOST_TOLD]],
            **self.media.facts(),
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
    unsummarized: Unsummarized | None = None
    """Which chunks an earlier look left without a summary; None where they are not retried."""
    classify: plan.Classify = lambda _: Kind.FACT
    batch: int = BATCH
    """How many new chunks are embedded and stored together."""
    wait_seconds: float = 5.0
    earlier: Earlier = lambda _: None
    media: MediaIndexing | None = None
    """Embeds the media that notes show; None where there is nothing to be done about them."""
    must_embed: bool = False
    """Whether it ends where the embedder fails, instead of leaving chunks without vectors."""

    def sync(self, *, force: bool = False) -> Synced:
        """Bring the index up to date; make it anew where that is needed, or wanted."""
        with self.indexes.write_lock(self.wait_seconds):
            synced = self._synced(force)
            # Last, and in the index in use: nobody waits for pictures to find the text of a note.
            if self.media is not None and (index := self.indexes.current()) is not None:
                synced.media = self.media.sync(index, synced.since, synced.shows_media)
            return synced

    def _synced(self, force: bool) -> Synced:
        index, why = self._judged(force)
        if index is not None and not why:
            try:
                with index.view(self.tenant) as view:
                    since = view.position
                return self._follow(index, _Past(self, index), Synced(since=since))
            except StoreCorrupt:
                why = UNUSABLE
        if index is None or why == UNUSABLE or vectors_in(index.made_with) is None:
            return self._made_anew(index, why)
        try:
            return replace(self, must_embed=True)._made_anew(index, why)
        except EmbedderUnavailable:
            self._keep_up(index)
            raise

    @property
    def reindex_reason(self) -> str:
        """Why the index is to be made anew; empty where it is not."""
        return self._judged(force=False)[1]

    def is_behind(self) -> bool:
        """Whether files have changed that the index does not know yet, as far as file times and sizes show."""
        index, _ = self._judged(force=False)
        if index is None:
            return True
        with index.view(self.tenant) as view:
            known = view.files()
        work = plan.work(scan.found(self.sources), known, self._keys)
        return bool(work.to_read or work.gone)

    def _made_anew(self, index: FileIndex | None, why: str) -> Synced:
        with self.indexes.build(self._made_with) as building:
            past = _Past(self, building.index if index is None else index, is_replaced=index is not None)
            synced = self._follow(building.index, past, Synced(full=why))
            building.publish()
        return synced

    def _keep_up(self, index: FileIndex) -> None:
        """Follow edits in an index that could not be replaced, as it was made: it goes on answering."""
        made = vectors_in(index.made_with)
        cutting = self.cutting.of(index.made_with)
        if made is None or cutting is None:
            return
        space, vectors = self.earlier(made) or (_NO_SPACE, self.vectors)
        as_before = replace(self, space=space, vectors=vectors, cutting=cutting)
        as_before._follow(index, _Past(as_before, index), Synced())

    @property
    def _keys(self) -> Mapping[str, str]:
        """How the files of each source are to be read now."""
        return {source.name: plan.source_key(source, self.cutting.max_bytes) for source in self.sources}

    @property
    def _made_with(self) -> str:
        return self.cutting.made_with(self.space)

    def _judged(self, force: bool) -> tuple[FileIndex | None, str]:
        """The index in use, as far as it can be used, and why it has to be made anew."""
        try:
            index = self.indexes.current()
            return index, full_reason(index.made_with if index else None, self._made_with, force=force)
        except (StoreBusy, DiskFull):
            raise
        except StoreError:
            return None, UNUSABLE

    def _follow(self, index: FileIndex, past: _Past, synced: Synced) -> Synced:
        """Make `index` true to the files, with what still holds of the `past`."""
        scanned = scan.found(self.sources)
        synced.problems += [(problem.path, problem.why) for problem in scanned.problems]
        keys = self._keys
        work = plan.work(scanned, past.files, keys)
        to_read = scanned.files if past.is_replaced else work.to_read
        synced.seen, synced.unchanged = len(scanned.files), 0 if past.is_replaced else work.unchanged
        reader = _Reader(self, past, _origins(work.gone, past.files), synced)
        batch = _Batch(self, index, synced)
        for number, file in enumerate(to_read, start=1):
            batch.add(reader.prepared(file, keys[file.source.name]))
            self.progress(number, len(to_read), "files read")
        for path in work.hidden:
            batch.add(reader.carried(path))
        batch.flush([] if past.is_replaced else work.gone)
        synced.removed = len(work.gone) - synced.moved
        self._summarize_lacking(index, synced)
        self._embed_lacking(index, synced)
        with index.view(self.tenant) as view:
            synced.position = view.position
        return synced

    def embedded(self, chunks: Sequence[Chunk], synced: Synced) -> ById:
        """The vectors of `chunks`, counted; none where the embedder is away, or there is none."""
        if not chunks or not self.space.dimension:
            return {}
        vectors = self.vectors(chunks)
        if self.must_embed and len(vectors) < len(chunks):
            raise EmbedderUnavailable(
                f"the index was not made anew: {self.space.model!r} gave no vectors; the one in use stays",
                hint="it goes on answering; see `cortex doctor`, then run `cortex index`",
            )
        synced.embedded += len(vectors)
        synced.lacking += len(chunks) - len(vectors)
        return vectors

    def _summarize_lacking(self, index: FileIndex, synced: Synced) -> None:
        """Summaries for chunks that an earlier look left without one, and vectors that know them."""
        if self.summaries is None or self.unsummarized is None:
            return
        after = None
        while True:
            with index.view(self.tenant) as view:
                chunks = _chunks(view.scan(Filter(), after, self.batch))
            if not chunks:
                return
            items = [chunk for chunk in self.summaries(self.unsummarized(chunks)) if chunk.summary]
            changes: list[Change | Follow | Unfollow] = [Put(chunk, EventKind.CHUNKED) for chunk in items]
            if changes:
                changes += embeds(self.embedded(items, synced), self.space)
                index.apply(self.tenant, changes, at=self.clock.now())
            after = chunks[-1].id

    def _embed_lacking(self, index: FileIndex, synced: Synced) -> None:
        """Vectors for chunks that have none: the embedder was away when they were stored."""
        if not self.space.dimension:
            return
        lacking, after = Filter(lacking=self.space), None
        while not synced.lacking:
            with index.view(self.tenant) as view:
                chunks = _chunks(view.scan(lacking, after, self.batch))
            if not chunks:
                return
            if vectors := self.embedded(chunks, synced):
                index.apply(self.tenant, embeds(vectors, self.space), at=self.clock.now())
            after = chunks[-1].id
        with index.view(self.tenant) as view:
            synced.lacking = view.counts(lacking).total


class _Past:
    """What is known of the files: by the index that follows them, or by the one whose place is being taken.

    What cannot be read in an index that is replaced is not known.
    """

    def __init__(self, following: Following, index: FileIndex, *, is_replaced: bool = False) -> None:
        self.is_replaced = is_replaced
        self._following = following
        self._index = index
        self.files: Mapping[str, IndexedFile] = self._queried(lambda view: view.files(), {})

    def file(self, path: str) -> IndexedFile | None:
        """A file with the ids of its chunks."""
        return self._queried(lambda view: view.file(path), None)

    def chunks(self, file: IndexedFile) -> list[Chunk]:
        """Its chunks; what a damaged index has under its name and is of another file is left out."""
        nothing: list[Trace] = []
        chunks = _chunks(self._queried(lambda view: view.load(file.chunks), nothing))
        return list({chunk.id: chunk for chunk in chunks if chunk.path == file.path}.values())

    def vectors(self, ids: Sequence[TraceId]) -> ById:
        """Vectors that can be taken over. An index that stays has them already."""
        space = self._following.space
        if not self.is_replaced or not space.dimension:
            return {}
        return self._queried(lambda view: view.vectors(ids, space), {})

    def _queried(self, question: Callable[[IndexView], Answer], otherwise: Answer) -> Answer:
        try:
            with self._index.view(self._following.tenant) as view:
                return question(view)
        except StoreError:
            if not self.is_replaced:
                raise
            return otherwise


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What is to be stored for one file."""

    file: IndexedFile
    fresh: Sequence[Chunk] = ()
    """Chunks whose vectors have to be made."""
    settled: Sequence[Chunk] = ()
    """Chunks to be stored as they are."""
    vectors: ById = field(default_factory=dict)
    """Those of settled chunks, where the index does not have them yet."""
    unsummarized: Sequence[Chunk] = ()
    """Those of all of these, and of the others of the file, that lack a summary that is wanted."""
    moved_from: str = ""


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads files one by one, and finds out what has to be stored for each."""

    following: Following
    past: _Past
    origins: dict[str, list[str]]
    synced: Synced

    def prepared(self, file: Found, key: str) -> _Prepared | None:
        """What has to be stored for one file; None where nothing is, for now."""
        now = self.following.clock.now()
        try:
            content = file_reader.read(file.absolute, max_bytes=self.following.cutting.max_bytes)
        except Unreadable as error:
            self.synced.problems.append((file.path, error.reason))
            return self.carried(file.path) if error.is_passing else self._troubled(file, key, error.reason)
        file = file._replace(size=content.size, modified_ns=content.modified_ns, inode=content.inode)
        is_unsettled = now.timestamp() * 1e9 - content.modified_ns < SETTLE_NS
        followed = plan.followed(file, key, content.hash, unsettled=is_unsettled)
        before = self.past.files.get(file.path)
        is_same = before is not None and (before.hash, before.source) == (content.hash, key)
        self.synced.unchanged += is_same
        if is_same and not self.past.is_replaced:
            return None if followed == before else _Prepared(followed._replace(chunks=self._chunk_ids(file.path)))
        self.synced.changed += before is not None and not is_same
        return self._cut(file, content, followed)

    def carried(self, path: str) -> _Prepared | None:
        """A file that cannot be looked at now, as it was when it could; an index that stays has it already."""
        before = self.past.file(path) if self.past.is_replaced else None
        if before is None:
            return None
        chunks = self.past.chunks(before)
        # Without its hash it is cut anew as soon as it can be read.
        file = before._replace(hash="", unsettled=True, chunks=tuple(chunk.id for chunk in chunks))
        return self._taken_over(file, chunks)

    def _troubled(self, file: Found, key: str, why: str) -> _Prepared | None:
        before = self.past.files.get(file.path)
        followed = plan.followed(file, key, trouble=why)
        if followed == before and not self.past.is_replaced:
            return None
        self.synced.changed += before is not None and not before.trouble
        return _Prepared(followed)

    def _cut(self, file: Found, content: Content, followed: IndexedFile) -> _Prepared:
        origin = self._origin(file.path, content.hash)
        dated = markdown.dated(file.path, markdown.front_matter(content.text))
        before = self.past.chunks(origin) if origin else []
        # What was found by a summary that is no longer wanted is made anew without it.
        before = [chunk for chunk in before if not chunk.summary or file.source.summarize]
        made = plan.cut(file, self._pieces(file, content), dated, before, self._fresh_ids(), self.following.classify)
        self.synced.chunks += len(made.fresh)
        self.synced.kept += len(made.chunks) - len(made.fresh)
        followed = followed._replace(chunks=tuple(chunk.id for chunk in made.chunks))
        unsummarized = [chunk for chunk in made.chunks if not chunk.summary] if file.source.summarize else []
        if self.past.is_replaced:
            return self._taken_over(followed, made.chunks, unsummarized)
        moved_from = origin.path if origin and origin.path != file.path else ""
        return _Prepared(followed, made.fresh, made.moved, unsummarized=unsummarized, moved_from=moved_from)

    def _origin(self, path: str, hash: str) -> IndexedFile | None:
        """What the file was before: under its path, or under the one it was moved from."""
        if path in self.past.files:
            return self.past.file(path)
        origins = self.origins.get(hash)
        self.synced.moved += bool(origins)
        self.synced.added += not origins
        return self.past.file(origins.pop()) if origins else None

    def _taken_over(self, file: IndexedFile, chunks: Sequence[Chunk], unsummarized: Sequence[Chunk] = ()) -> _Prepared:
        """Chunks for an index that has none of them yet, with the vectors that were made of them before (B14)."""
        vectors = self.past.vectors(file.chunks)
        fresh = [chunk for chunk in chunks if chunk.id not in vectors]
        settled = [chunk for chunk in chunks if chunk.id in vectors]
        return _Prepared(file, fresh, settled, vectors, unsummarized)

    def _pieces(self, file: Found, content: Content) -> Sequence[chunking.TextSpan]:
        cutting = self.following.cutting
        if file.source.chunker == "lines":
            return chunking.lines(content.text, tokens=cutting.tokens, overlap=cutting.overlap)
        return chunking.by_sections(content.text, tokens=cutting.tokens)

    def _chunk_ids(self, path: str) -> tuple[TraceId, ...]:
        file = self.past.file(path)
        return file.chunks if file else ()

    def _fresh_ids(self) -> Iterator[TraceId]:
        while True:
            yield TraceId(self.following.ids(self.following.clock.now()))


class _Batch:
    """Changes of many files, embedded and stored together: a model is quickest with many texts at once."""

    def __init__(self, following: Following, index: FileIndex, synced: Synced) -> None:
        self._following = following
        self._index = index
        self._synced = synced
        self._prepared: list[_Prepared] = []
        self._waiting = 0

    def add(self, prepared: _Prepared | None) -> None:
        if prepared is None:
            return
        self._prepared.append(prepared)
        self._waiting += 1 + len(prepared.fresh) + len(prepared.settled)
        if self._waiting >= self._following.batch:
            self.flush()

    def flush(self, gone: Sequence[str] = ()) -> None:
        """Store what was prepared so far and forget what is gone, all of it or nothing."""
        fresh, settled = self._summarized()
        vectors = {id: found for each in self._prepared for id, found in each.vectors.items()}
        vectors.update(self._following.embedded(fresh, self._synced))
        left = [each.moved_from for each in self._prepared if each.moved_from]
        self._synced.shows_media += [chunk for chunk in (*fresh, *settled) if chunk.media_refs]
        changes: list[Change | Follow | Unfollow] = [Put(chunk, EventKind.CHUNKED) for chunk in (*fresh, *settled)]
        changes += embeds(vectors, self._following.space)
        changes += [Follow(each.file) for each in self._prepared]
        changes += [Unfollow(path) for path in (*left, *gone)]
        if changes:
            self._index.apply(self._following.tenant, changes, at=self._following.clock.now())
        self._prepared, self._waiting = [], 0

    def _summarized(self) -> tuple[list[Chunk], list[Chunk]]:
        """The fresh and the settled chunks, once summaries were requested: what got one needs another vector."""
        fresh = [chunk for each in self._prepared for chunk in each.fresh]
        settled = [chunk for each in self._prepared for chunk in each.settled]
        unsummarized = [chunk for each in self._prepared for chunk in each.unsummarized]
        if self._following.summaries is None or not unsummarized:
            return fresh, settled
        payload = {chunk.id: chunk for chunk in self._following.summaries(unsummarized) if chunk.summary}
        settled = [chunk for chunk in settled if chunk.id not in payload]
        return [payload.pop(chunk.id, chunk) for chunk in fresh] + list(payload.values()), settled


def _chunks(traces: Sequence[Trace]) -> list[Chunk]:
    return [trace for trace in traces if isinstance(trace, Chunk)]


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
    before, now = _parsed(made_with), _parsed(wanted)
    if before.get("format") != now["format"]:
        return "format"
    if any(before.get(name) != now[name] for name in ("tokens", "overlap", "passages")):
        return "chunking"
    one, other = before.get("vectors"), now["vectors"]
    if not one or not other:
        return "vectors"
    return next((name for name in ("provider", "model", "dimension") if one.get(name) != other[name]), "endpoint")


def _parsed(made_with: str) -> Mapping[str, Any]:
    try:
        payload = json.loads(made_with)
    except ValueError:
        return {}
    return payload if isinstance(payload, dict) else {}


def _origins(gone: Sequence[str], known: Mapping[str, IndexedFile]) -> dict[str, list[str]]:
    """Where the bytes of files that are gone stood, by their digest: a file of the same bytes was moved."""
    origins: dict[str, list[str]] = {}
    for path in reversed(gone):
        if known[path].hash:
            origins.setdefault(known[path].hash, []).append(path)
    return origins

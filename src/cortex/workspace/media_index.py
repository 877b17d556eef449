"""Vectors of the media that notes show: beside those of their text, in spaces of their own (E19, decision 0076).

A medium is read only where a note of an indexed folder refers to it and it lies in the same folder. The index keeps
what became of each reference, so that a file is sent once, and again when it changes.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar
from urllib.parse import unquote

from cortex.domain import calibration
from cortex.domain.chunk import Chunk
from cortex.domain.identity import TraceId
from cortex.domain.modality import Medium, Modality, media_type_of, of_media_kind, of_media_type
from cortex.domain.scope import Tenant
from cortex.domain.vectors import Basis, Calibration, EmbeddingSpace, Vector
from cortex.errors import EmbedderUnavailable, MediumRefused
from cortex.ports.clock import Clock
from cortex.ports.embedder import MediaEmbedder
from cortex.ports.index import FileIndex, IndexView
from cortex.ports.store import Change, Embed, Filter, PatchSession
from cortex.progress import Progress
from cortex.runtime import pool
from cortex.workspace import media
from cortex.workspace.file_reader import Unreadable, read_bytes
from cortex.workspace.scan import ResolvedSource
from cortex.workspace.sources import IGNORED, WORKSPACE_FOLDER, Shape, Source, citable

STATE = "cortex:media"
"""Where an index keeps which spaces of media it has, and on which scales."""
REFERENCES = "cortex:media-references"
"""Where it keeps what became of the references of each chunk."""

FORMAT = 1
MOST_OF_CHUNK = 16
"""How many media of one chunk are embedded."""
MEDIUM_SECONDS = 30.0
"""How long one medium may take: the notes that changed meanwhile wait for it."""
RETRY_SECONDS = 300.0
"""How long a sync in the background leaves an embedder alone that failed."""
_AT_ONCE = 1_000
_SAMPLE = 256


Answer = TypeVar("Answer")


class MediumState(StrEnum):
    """What became of a medium that a note refers to."""

    EMBEDDED = "embedded"
    WAITING = "waiting"
    """The embedder failed; the next sync tries again."""
    REFUSED = "refused"
    """The embedder cannot embed this one."""
    UNSUPPORTED = "unsupported"
    """It holds something that the embedder does not take."""
    TOO_LARGE = "too_large"
    OVER_LIMIT = "over_limit"
    MISSING = "missing"
    OUTSIDE = "outside"
    """It is an address, or does not lie in the indexed folder of the note."""
    UNREADABLE = "unreadable"


class MediaStamp(NamedTuple):
    """Where a medium lies, and how it looked when it was read."""

    path: str
    size: int
    modified_ns: int


class Reference(NamedTuple):
    """A reference of a chunk, and what became of it."""

    target: str
    state: str
    space: str = ""
    """The key of the space of its vector."""
    digest: str = ""
    path: str = ""
    size: int = -1
    modified_ns: int = -1


@dataclass(slots=True)
class MediaFacts:
    """What a sync did about media, for its receipt: counts alone."""

    sent: int = 0
    """How many got a vector in this sync, from the embedder or the cache."""
    states: Mapping[str, int] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)
    """The code of the error by modality, where an embedder failed."""

    def facts(self) -> dict[str, Any]:
        if not self.states and not self.failed:
            return {}
        return {"media": {"sent": self.sent, "references": dict(self.states), "failed": dict(self.failed)}}


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaIndexing:
    """Keeps the vectors of media true to the notes that show them, and to what is on disk."""

    embedders: Mapping[Modality, MediaEmbedder]
    sources: Sequence[Source]
    tenant: Tenant
    clock: Clock
    progress: Progress
    forget: Callable[[Iterable[str]], object]
    """Removes the vectors of media with these digests from the cache."""
    max_bytes: int
    max_files: int
    by_hand: bool = True
    """Whether somebody asked for it; a sync in the background leaves an embedder alone that failed just now."""

    def sync(self, index: FileIndex, position: int | None, changed: Sequence[Chunk]) -> MediaFacts:
        """Bring the vectors up to date; `changed` are the chunks stored since the index was at `position`."""
        with index.view(self.tenant) as view:
            state, known = view.state(STATE) or {}, _references(view)
            if not state and not self.embedders:
                return MediaFacts()
            is_new = state.get("made_with") != self.made_with
            chunks = self._all(view) if is_new or state.get("position") != position else self._of(view, known, changed)
        return _Run(self, index, known, state.get("spaces", {}), self._left_alone(state), is_new=is_new).run(chunks)

    def _left_alone(self, state: Mapping[str, Any]) -> Mapping[str, str]:
        """The modalities whose embedder failed just now, each with the code of the error."""
        failed, at = state.get("failed") or {}, state.get("failed_at", 0.0)
        is_recent = 0.0 <= self.clock.now().timestamp() - at < RETRY_SECONDS
        return failed if is_recent and not self.by_hand else {}

    @property
    def made_with(self) -> dict[str, Any]:
        """What the vectors are made with: when this changes, every reference is looked at anew."""
        spaces = {modality.value: embedder.space.key for modality, embedder in sorted(self.embedders.items())}
        return {"format": FORMAT, "spaces": spaces, "max_bytes": self.max_bytes, "max_files": self.max_files}

    def _all(self, view: IndexView) -> list[Chunk]:
        """Every chunk that refers to media."""
        found: list[Chunk] = []
        after: TraceId | None = None
        while traces := view.scan(Filter(), after, _AT_ONCE):
            found += [each for each in traces if isinstance(each, Chunk) and each.media_refs]
            after = traces[-1].id
        return found

    def _of(
        self, view: IndexView, known: Mapping[TraceId, Sequence[Reference]], changed: Sequence[Chunk]
    ) -> list[Chunk]:
        """The chunks that are known to refer to media, as far as they are still there, and those that changed."""
        ids = dict.fromkeys((*known, *(chunk.id for chunk in changed if chunk.media_refs)))
        return [each for each in view.load(list(ids)) if isinstance(each, Chunk) and each.media_refs]


def scales(view: IndexView) -> Mapping[str, Calibration]:
    """The spaces of media that an index has vectors of, each with its scale."""
    spaces = (view.state(STATE) or {}).get("spaces", {})
    return {
        key: Calibration(about["floor"], Basis.MEASURED, about["media"], top=about["top"])
        for key, about in spaces.items()
        if about.get("media")
    }


def counts(view: IndexView) -> Mapping[str, int]:
    """What became of the references of an index, by state."""
    found: Mapping[str, int] = (view.state(STATE) or {}).get("references", {})
    return found


class _Run:
    """One sync."""

    def __init__(
        self,
        indexing: MediaIndexing,
        index: FileIndex,
        known: Mapping[TraceId, Sequence[Reference]],
        spaces: Mapping[str, Mapping[str, Any]],
        left_alone: Mapping[str, str],
        *,
        is_new: bool,
    ) -> None:
        self._indexing = indexing
        self._index = index
        self._known = known
        self._spaces = {key: dict(about) for key, about in spaces.items()}
        self._is_new = is_new
        self._now: dict[TraceId, Sequence[Reference]] = {}
        self._failed = dict(left_alone)
        self._failed_now = False
        self._sent = 0
        self._left = indexing.max_files
        self._by_name = {source.name: ResolvedSource.of(source) for source in indexing.sources}

    def run(self, chunks: Sequence[Chunk]) -> MediaFacts:
        for number, chunk in enumerate(chunks, start=1):
            self._chunk(chunk)
            self._indexing.progress(number, len(chunks), "media looked at")
        gone = self._known.keys() - self._now.keys()
        if gone:
            self._apply([PatchSession(REFERENCES, dict.fromkeys(gone))])
        self._forget_gone()
        states = Counter(str(each.state) for some in self._now.values() for each in some)
        self._measure()
        with self._index.view(self._indexing.tenant) as view:
            position = view.position
        kept = {
            "made_with": self._indexing.made_with,
            "position": position,
            "spaces": self._spaces,
            "references": dict(sorted(states.items())),
        }
        if self._failed_now or not self._failed:
            kept |= {"failed": self._failed or None, "failed_at": self._indexing.clock.now().timestamp()}
        self._apply([PatchSession(STATE, kept)])
        return MediaFacts(self._sent, dict(sorted(states.items())), dict(sorted(self._failed.items())))

    def _chunk(self, chunk: Chunk) -> None:
        before = self._known.get(chunk.id, ())
        wanted = [
            (target, modality)
            for target in chunk.media_refs
            if (modality := of_media_kind(media.target_kind(target))) in self._indexing.embedders
        ]
        found = [self._looked_at(chunk, target, modality, before) for target, modality in wanted[:MOST_OF_CHUNK]]
        references = [each for each, _ in found]
        if references:
            self._now[chunk.id] = references
        if references == list(before):
            return
        kept = self._kept(chunk.id, before)
        vectors: dict[str, list[Vector]] = {}
        for reference, fresh in found:
            vector = kept.get(reference) if fresh is None else fresh
            if vector is not None:
                vectors.setdefault(reference.space, []).append(vector)
        spaces = {each.space for each in (*before, *references) if each.space}
        changes: list[Change] = [
            Embed(chunk.id, self._space(key), vectors.get(key, ()), text=chunk.text) for key in sorted(spaces)
        ]
        changes.append(PatchSession(REFERENCES, {chunk.id: [list(each) for each in references] or None}))
        self._apply(changes)

    def _looked_at(
        self, chunk: Chunk, target: str, modality: Modality, before: Sequence[Reference]
    ) -> tuple[Reference, Vector | None]:
        """What becomes of one reference; with its vector, unless the index has that already."""
        if self._left <= 0:
            return Reference(target, MediumState.OVER_LIMIT), None
        embedder = self._indexing.embedders[modality]
        path, refused = self._located(chunk.path, target)
        if refused:
            return Reference(target, refused), None
        try:
            status = os.lstat(path)
        except OSError:
            return Reference(target, MediumState.MISSING), None
        if not stat.S_ISREG(status.st_mode):
            return Reference(target, MediumState.UNREADABLE), None
        stamp = MediaStamp(path, status.st_size, status.st_mtime_ns)
        same = next(
            (each for each in before if each.target == target and self._is_current(each, stamp, embedder)), None
        )
        if same is not None:
            self._left -= same.state == MediumState.EMBEDDED
            return same, None
        if status.st_size > self._indexing.max_bytes:
            return Reference(target, MediumState.TOO_LARGE, "", "", *stamp), None
        return self._embedded(target, modality, embedder, stamp)

    def _is_current(self, before: Reference, stamp: MediaStamp, embedder: MediaEmbedder) -> bool:
        if (before.path, before.size, before.modified_ns) != stamp:
            return False
        if before.state == MediumState.EMBEDDED:
            return before.space == embedder.space.key
        settled = {MediumState.REFUSED, MediumState.UNSUPPORTED, MediumState.TOO_LARGE}
        return not self._is_new and before.state in settled

    def _embedded(
        self, target: str, modality: Modality, embedder: MediaEmbedder, stamp: MediaStamp
    ) -> tuple[Reference, Vector | None]:
        try:
            data = read_bytes(stamp.path, max_bytes=self._indexing.max_bytes)
        except Unreadable:
            return Reference(target, MediumState.UNREADABLE), None
        medium = Medium(data, media_type_of(data))
        if medium.media_type not in embedder.accepts or of_media_type(medium.media_type) is not modality:
            return Reference(target, MediumState.UNSUPPORTED, "", "", *stamp), None
        if modality.value in self._failed:
            return Reference(target, MediumState.WAITING), None
        try:
            vector = self._within(lambda: embedder.embed_medium(medium))
        except MediumRefused:
            return Reference(target, MediumState.REFUSED, "", "", *stamp), None
        except EmbedderUnavailable as error:
            self._fail(modality.value, error)
            return Reference(target, MediumState.WAITING), None
        self._sent += 1
        self._left -= 1
        space = embedder.space
        self._spaces.setdefault(space.key, _plain(space))
        return Reference(target, MediumState.EMBEDDED, space.key, medium.digest, *stamp), vector

    def _located(self, note: str, target: str) -> tuple[str, str]:
        """Where a target lies, without links; or why it is not read."""
        name = note.partition("/")[0]
        place = self._by_name.get(name) or self._by_name.get("")
        if place is None or place.is_file or "://" in target or not citable(target) or "\x00" in target:
            return "", MediumState.OUTSIDE
        below = note.removeprefix(f"{place.source.name}/") if place.source.name else note
        written = unquote(target.partition("#")[0].partition("?")[0])
        if not citable(written):
            return "", MediumState.OUTSIDE
        folder = os.path.join(place.root, os.path.dirname(below))
        # Beside the note, as Markdown says; or from the top of the folder, as many editors write it.
        paths = dict.fromkeys(os.path.realpath(os.path.join(base, written)) for base in (folder, place.root))
        inside = [path for path in paths if _is_inside(path, place)]
        if not inside:
            return "", MediumState.OUTSIDE
        there = next((path for path in inside if os.path.isfile(path)), None)
        return ("", MediumState.MISSING) if there is None else (there, "")

    def _kept(self, id: TraceId, before: Sequence[Reference]) -> Mapping[Reference, Vector]:
        """The vectors that the index has of a chunk's media."""
        kept: dict[Reference, Vector] = {}
        for key in {each.space for each in before if each.space}:
            mine = [each for each in before if each.space == key]
            with self._index.view(self._indexing.tenant) as view:
                vectors = view.vectors([id], self._space(key)).get(id, ())
            kept |= dict(zip(mine, vectors, strict=False))
        return kept

    def _forget_gone(self) -> None:
        """What no note shows any more leaves the cache too."""
        now = {each.digest for some in self._now.values() for each in some}
        before = {each.digest for some in self._known.values() for each in some}
        if gone := before - now - {""}:
            self._indexing.forget(sorted(gone))

    def _measure(self) -> None:
        """The scale of each space, where it has none or its media have doubled; a space without media is left out."""
        by_space: dict[str, list[TraceId]] = {}
        for id, references in self._now.items():
            for each in references:
                if each.state == MediumState.EMBEDDED:
                    by_space.setdefault(each.space, []).append(id)
        self._spaces = {key: about for key, about in self._spaces.items() if key in by_space}
        for embedder in dict.fromkeys(self._indexing.embedders.values()):
            key = embedder.space.key
            number, about = len(by_space.get(key, ())), self._spaces.get(key, {})
            is_measured = about.get("media", 0) <= number < 2 * about.get("media", 0)
            if number and not is_measured and "scale" not in self._failed:
                self._scale(embedder, calibration.chosen(dict.fromkeys(by_space[key]), _SAMPLE), number)

    def _scale(self, embedder: MediaEmbedder, ids: Sequence[TraceId], number: int) -> None:
        with self._index.view(self._indexing.tenant) as view:
            media_vectors = [each for some in view.vectors(ids, embedder.space).values() for each in some]
        try:
            questions = self._within(lambda: [embedder.embed_query(each) for each in calibration.SENTENCES])
        except EmbedderUnavailable as error:
            # Without a scale they are not compared; another sync measures it.
            self._fail("scale", error)
            return
        if media_vectors:
            scale = calibration.media_scale(questions, media_vectors)
            self._spaces[embedder.space.key] |= {"floor": scale.floor, "top": scale.top, "media": number}

    def _within(self, work: Callable[[], Answer]) -> Answer:
        """The result of `work`, unless it takes too long: it goes on by itself then, and is of no more use."""
        try:
            return pool.start(work, "cortex-media").result(timeout=MEDIUM_SECONDS)
        except FutureTimeout:
            raise EmbedderUnavailable(f"the media embedder did not answer within {MEDIUM_SECONDS:g} s") from None

    def _fail(self, what: str, error: EmbedderUnavailable) -> None:
        self._failed[what], self._failed_now = error.code, True

    def _space(self, key: str) -> EmbeddingSpace:
        about = self._spaces[key]
        names = ("provider", "model", "dimension", "prefixes", "endpoint")
        return EmbeddingSpace(**{name: about[name] for name in names})

    def _apply(self, changes: Sequence[Change]) -> None:
        self._index.apply(self._indexing.tenant, changes, at=self._indexing.clock.now())


def _is_inside(path: str, place: ResolvedSource) -> bool:
    """Whether a path without links lies in what a source indexes."""
    root = os.path.join(place.root, WORKSPACE_FOLDER) if place.source.shape is Shape.WORKSPACE else place.root
    below = root.rstrip("/") + "/"
    return path.startswith(below) and IGNORED.isdisjoint(path[len(below) :].split("/"))


def _references(view: IndexView) -> dict[TraceId, list[Reference]]:
    return {TraceId(id): [Reference(*each) for each in some] for id, some in (view.state(REFERENCES) or {}).items()}


def _plain(space: EmbeddingSpace) -> dict[str, Any]:
    names = ("provider", "model", "dimension", "prefixes", "endpoint")
    return {name: getattr(space, name) for name in names}

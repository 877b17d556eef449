"""Looking at what is indexed: every file, how fresh its index is, and its chunks (S6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum

from cortex.context import Context
from cortex.domain.choices import chosen
from cortex.domain.chunk import Chunk
from cortex.domain.indexed_file import IndexedFile
from cortex.domain.lanes import Lane
from cortex.domain.query import MAX_LIMIT
from cortex.errors import InvalidRequest, NotFound, StoreError
from cortex.ports.index import IndexView
from cortex.services.files.files import files_of
from cortex.workspace import plan, scan
from cortex.workspace.scan import Found
from cortex.workspace.sources import Source

_SECOND = 1_000_000_000


class FileState(StrEnum):
    """How the index of a file stands beside the file."""

    FRESH = "fresh"
    CHANGED = "changed"
    """It was written since it was read, or is to be read in another way."""
    NEW = "new"
    """It is not indexed yet."""
    UNREADABLE = "unreadable"
    GONE = "gone"
    """It is indexed, and no longer there."""
    OUT_OF_SIGHT = "out_of_sight"
    """It cannot be looked at now, as on a disk that is not mounted; its lines stay."""


@dataclass(frozen=True, slots=True)
class FileInfo:
    """One file that is memory, or was."""

    path: str
    source: str
    """The name of its source; empty for the agent's own workspace."""
    lane: Lane
    scope: str
    state: FileState
    size: int
    modified_at: datetime | None
    """When the version was written that is indexed; of a new one, the file itself."""
    chunks: int
    trouble: str = ""
    """Why it could not be read."""


class FilePage(list[FileInfo]):
    """One page of files, by path. `next` is the path after which the next one begins, None on the last."""

    def __init__(self, files: Iterable[FileInfo] = (), next: str | None = None, total: int = 0) -> None:
        super().__init__(files)
        self.next = next
        self.total = total


@dataclass(frozen=True, slots=True)
class FileChunks:
    """A file, and its chunks in the order of its lines."""

    file: FileInfo
    chunks: tuple[Chunk, ...]


class IndexedFiles:
    """The indexed files of one tenant on this host."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._files = files_of(context)

    def page(
        self, *, after: str | None = None, limit: int = 100, contains: str = "", state: FileState | str | None = None
    ) -> FilePage:
        """Some of the files, by path. It looks at each file on the disk, and opens none."""
        if not 1 <= limit <= MAX_LIMIT:
            raise InvalidRequest(f"{limit} is outside 1 to {MAX_LIMIT}", field="limit", hint="give another")
        wanted = None if state is None else chosen(FileState, state, "state")
        with self._context.recording("indexed_files") as record:
            listed = sorted(self._all(), key=lambda file: file.path)
            found = [
                file
                for file in listed
                if contains.lower() in file.path.lower() and (wanted is None or file.state is wanted)
            ]
            rest = [file for file in found if after is None or file.path > after]
            record.close(self._context.position(), returned=min(limit, len(rest)), total=len(found))
        page = self._counted(rest[:limit])
        return FilePage(page, page[-1].path if len(rest) > limit else None, len(found))

    def one(self, path: str) -> FileChunks:
        """A file and what was read from it."""
        file = next((file for file in self._all() if file.path == path), None)
        if file is None:
            raise NotFound(f"{path[:200]!r} is not an indexed file", hint="see `GET /v1/index/files`")
        with self._context.recording("indexed_file") as record:
            chunks: tuple[Chunk, ...] = ()
            for view in self._view():
                known = view.file(path)
                chunks = tuple(each for each in view.load(known.chunks if known else ()) if isinstance(each, Chunk))
            record.touch(chunk.id for chunk in chunks)
            record.close(self._context.position(), chunks=len(chunks))
        ordered = tuple(sorted(chunks, key=lambda chunk: (chunk.start_line, chunk.id)))
        return FileChunks(_with_chunks(file, len(chunks)), ordered)

    def _all(self) -> list[FileInfo]:
        sources = self._files.followed()
        known: dict[str, IndexedFile] = {}
        for view in self._view():
            known = dict(view.files())
        scanned = scan.found(sources)
        keys = {source.name: plan.source_key(source, self._files.settings.max_file_bytes) for source in sources}
        work = plan.work(scanned, known, keys)
        found = [_of_disk(file, known.get(file.path), keys[file.source.name]) for file in scanned.files]
        lost = [(path, FileState.GONE) for path in work.gone] + [(path, FileState.OUT_OF_SIGHT) for path in work.hidden]
        by_name = {source.name: source for source in sources}
        return [*found, *(_of_index(known[path], state, by_name) for path, state in lost)]

    def _counted(self, files: list[FileInfo]) -> list[FileInfo]:
        """The same files with the numbers of their chunks."""
        for view in self._view():
            counts = {file.path: len(known.chunks) for file in files if (known := view.file(file.path))}
            return [_with_chunks(file, counts.get(file.path, 0)) for file in files]
        return files

    def _view(self) -> Iterator[IndexView]:
        """The index, if there is one that can be used; if not, the status says why."""
        index = self._context.index
        if index is not None and not isinstance(index, StoreError):
            with index.view(self._context.tenant) as view:
                yield view


def _of_disk(file: Found, known: IndexedFile | None, key: str) -> FileInfo:
    state = FileState.FRESH
    if known is None:
        state = FileState.NEW
    elif known.trouble:
        state = FileState.UNREADABLE
    elif not plan.is_current(known._replace(unsettled=False), file, key):
        state = FileState.CHANGED
    size, modified = (file.size, file.modified_ns) if known is None else (known.size, known.modified_ns)
    source, trouble = file.source, known.trouble if known else ""
    return FileInfo(file.path, source.name, source.lane, source.scope, state, size, _time(modified), 0, trouble)


def _of_index(file: IndexedFile, state: FileState, sources: dict[str, Source]) -> FileInfo:
    name, lane, scope, *_ = [*file.source.split("\x1f"), "", "", ""]
    source = sources.get(name)
    placed = source.lane if source else Lane(lane) if lane in set(Lane) else Lane.NOTES
    size, modified = max(0, file.size), _time(file.modified_ns)
    return FileInfo(file.path, name, placed, source.scope if source else scope, state, size, modified, 0, file.trouble)


def _with_chunks(file: FileInfo, number: int) -> FileInfo:
    return replace(file, chunks=number)


def _time(nanoseconds: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(nanoseconds / _SECOND, UTC)
    except (ValueError, OverflowError, OSError):
        return None

"""Reading files of memory: nothing but regular files, whole and unchanging, and none outside (B10, X15)."""

from __future__ import annotations

import codecs
import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from cortex.errors import InvalidRequest, NotFound
from cortex.workspace.scan import NOT_A_FILE, ResolvedSource, strays
from cortex.workspace.sources import IGNORED, WORKSPACE_FILES, WORKSPACE_FOLDER, Source, citable, unlisted

TRIES = 3
"""How often a file is read that changes while it is read."""

_HEAD = 8 * 1024
_LONGEST_PATH = 4_096
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Without O_NONBLOCK, opening a pipe waits for somebody to write into it.
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Unreadable(InvalidRequest):
    """A file that cannot be taken as text. `reason` says why and repeats nothing of it or its path."""

    def __init__(self, reason: str, *, hint: str = "", is_passing: bool = False) -> None:
        super().__init__(reason, field="path", hint=hint)
        self.reason = reason
        self.is_passing = is_passing
        """Whether it may be readable later though its size and times stay as they are."""


class Changing(Unreadable):
    """A file that was written to whenever it was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a file said at one moment, and how it looked then."""

    text: str
    hash: str
    """SHA-256 of its bytes, in hexadecimal."""
    size: int
    modified_ns: int
    inode: int


class Excerpt(NamedTuple):
    """Some lines of a text, from line `start` on; `total` is how many lines the text has."""

    text: str
    start: int
    total: int

    @property
    def end(self) -> int:
        """The last line of the excerpt; less than `start` where it begins beyond the end of the text."""
        return min(self.start + self.text.count("\n"), self.total)


def read(path: Path | str, *, max_bytes: int) -> Content:
    """The text of the file at `path`, an absolute path without links, or Unreadable."""
    return _content(*_whole(os.fspath(path), max_bytes))


def read_bytes(path: Path | str, *, max_bytes: int) -> bytes:
    """What the file at `path` holds, an absolute path without links, or Unreadable."""
    return _whole(os.fspath(path), max_bytes)[0]


def within(sources: Sequence[Source], cited: str, *, also_ignore: Iterable[str] = ()) -> tuple[Source, str]:
    """The source a file belongs to that is cited as `cited`, or lies at that absolute path, and its real path.

    What no source lists is refused, and so is what lies outside of all of them; NotFound if there is no such file.
    """
    parts = _parts(cited)
    ignored = IGNORED.union(also_ignore)
    places = [ResolvedSource.of(source) for source in sources]
    place, below = _addressed(places, cited, parts, ignored)
    real = os.path.realpath(os.path.join(place.folder, *below))
    if why := strays(real, places, ignored):
        raise _refused(cited, why)
    if not real.lower().endswith(place.source.suffixes):
        raise _refused(cited, "leads to a file of another kind")
    _check_file(real, cited)
    return place.source, real


def excerpt(text: str, start: int | None = None, count: int | None = None) -> Excerpt:
    """`count` lines of `text` from line `start` on, counted from 1; all that follow, or all there are, by default.

    Only a line feed ends a line, and the last one of a text begins no other.
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    if start is None and count is None:
        return Excerpt(text, 1, len(lines))
    first = 1 if start is None else _counted(start, "from")
    wanted = len(lines) if count is None else _counted(count, "lines")
    return Excerpt("\n".join(lines[first - 1 : first - 1 + wanted]), first, len(lines))


def _whole(path: str, max_bytes: int) -> tuple[bytes, os.stat_result]:
    """The bytes of a file and how it looked, at one moment."""
    try:
        for _ in range(TRIES):
            if taken := _taken(path, max_bytes):
                return taken
    except OSError as error:
        raise _unreadable(error) from error
    raise Changing("changes while it is read", hint="it will be read when it is left alone", is_passing=True)


def _taken(path: str, max_bytes: int) -> tuple[bytes, os.stat_result] | None:
    """The bytes of a file and how it looked; None if it changed meanwhile."""
    opened = os.open(path, _FLAGS)
    try:
        before = os.fstat(opened)
        if not stat.S_ISREG(before.st_mode):
            raise Unreadable(NOT_A_FILE if not stat.S_ISDIR(before.st_mode) else "is a folder")
        if before.st_size > max_bytes:
            raise Unreadable(f"is over the limit of {max_bytes:,} bytes", hint="split it, or raise the limit")
        if not _lies_at(opened, before, path):
            return None
        with open(opened, "rb", closefd=False) as file:
            # One byte more than there should be shows a file that grew, or one of the system that has no size.
            data = file.read(before.st_size + 1)
        after = os.fstat(opened)
    finally:
        os.close(opened)
    is_whole = len(data) == before.st_size == after.st_size and before.st_mtime_ns == after.st_mtime_ns
    return (data, after) if is_whole else None


def _lies_at(opened: int, status: os.stat_result, path: str) -> bool:
    """Whether the open file is the one at `path`; Unreadable if a folder on the way is a link.

    O_NOFOLLOW looks at the last part of a path alone, and anything may have happened since the path was checked.
    """
    try:
        if os.readlink(f"/proc/self/fd/{opened}") == path:
            return True
    except OSError:  # no such file system here; what follows is nearly as sure
        pass
    if os.path.realpath(path) != path:
        raise Unreadable("is reached by a link", hint="give the path it leads to", is_passing=True)
    now = os.lstat(path)
    return (now.st_dev, now.st_ino) == (status.st_dev, status.st_ino)


def _content(data: bytes, status: os.stat_result) -> Content:
    return Content(
        text=_decoded(data),
        hash=hashlib.sha256(data).hexdigest(),
        size=len(data),
        modified_ns=status.st_mtime_ns,
        inode=status.st_ino,
    )


def _decoded(data: bytes) -> str:
    """The text of these bytes; U+FFFD stands in the place of those that are no text of its encoding."""
    text = data.decode("utf-16" if data.startswith(_UTF_16) else "utf-8-sig", "replace")
    if "\x00" in text[:_HEAD]:
        raise Unreadable("is not text", hint="binary files are not read")
    # A machine that lost power leaves such a tail; what stands before it is worth keeping.
    return text.replace("\x00", "\ufffd")


def _unreadable(error: OSError) -> Unreadable:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return Unreadable("is not there any more", is_passing=True)
    if error.errno == errno.ELOOP:
        return Unreadable("is a link", hint="give the path it leads to")
    if error.errno == errno.ENXIO:  # a socket
        return Unreadable(NOT_A_FILE)
    reason = (error.strerror or type(error).__name__).lower()
    return Unreadable(f"cannot be read: {reason}", hint="look at its permissions and its disk", is_passing=True)


def _parts(cited: str) -> list[str]:
    if not isinstance(cited, str) or not cited or len(cited) > _LONGEST_PATH or not citable(cited):
        raise InvalidRequest(
            "is not a path", field="path", hint="give the path of a file of memory, such as memory/2026-01-01.md"
        )
    parts = [part for part in cited.split("/") if part not in {"", "."}]
    if ".." in parts:
        raise _refused(cited, "climbs out of its folder with '..'")
    return parts


def _addressed(
    places: Sequence[ResolvedSource], cited: str, parts: list[str], ignored: frozenset[str]
) -> tuple[ResolvedSource, list[str]]:
    """The first source that lists the file under this path, and the parts of the path below its folder."""
    named = _by_location(places, parts) if cited.startswith("/") else _by_name(places, parts)
    reason = ""
    for place, below in named:
        why = unlisted(place.source, below, ignored)
        if place.is_file and below != [os.path.basename(place.root)]:
            why = "is not indexed; only one file of its folder is"
        if not why:
            return place, below
        reason = reason or why
    if reason:
        raise _refused(cited, reason)
    raise _refused(cited, "is not an indexed file", hint=_beginnings(places))


def _by_name(places: Sequence[ResolvedSource], parts: list[str]) -> Iterator[tuple[ResolvedSource, list[str]]]:
    named = [place for place in places if place.source.name == parts[0]] if parts else []
    if named:
        yield from ((place, parts[1:]) for place in named)
    else:
        yield from ((place, parts) for place in places if not place.source.name)


def _by_location(places: Sequence[ResolvedSource], parts: list[str]) -> Iterator[tuple[ResolvedSource, list[str]]]:
    given = "/" + "/".join(parts)
    # As it was written before as it resolves: a link in a source is cited by its own name.
    for path in (given, os.path.realpath(given)):
        for place in places:
            folder = place.folder.rstrip("/") + "/"
            if path.startswith(folder):
                yield place, path[len(folder) :].split("/")


def _beginnings(places: Sequence[ResolvedSource]) -> str:
    named = [f"{place.source.name}/" for place in places if place.source.name]
    own = [*WORKSPACE_FILES, f"{WORKSPACE_FOLDER}/"] if any(not place.source.name for place in places) else []
    if not places:
        return "no folder is indexed yet; run `cortex index PATH`"
    return f"indexed paths begin with {', '.join([*own, *named])}"


def _check_file(real: str, cited: str) -> None:
    try:
        status = os.lstat(real)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound(f"there is no file {cited!r}", hint="search again: it may have been moved") from None
    except OSError as error:
        raise _refused(cited, f"cannot be looked at: {(error.strerror or '').lower()}") from error
    if not stat.S_ISREG(status.st_mode):
        raise _refused(cited, "is not a regular file")


def _refused(cited: str, why: str, *, hint: str = "give a path that a search cited") -> InvalidRequest:
    return InvalidRequest(f"{cited[:200]!r} {why}", field="path", hint=hint)


def _counted(number: int, field: str) -> int:
    if number < 1:
        raise InvalidRequest(f"{number} is not a number of lines", field=field, hint="lines count from 1")
    return number

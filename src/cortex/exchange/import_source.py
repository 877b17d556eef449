"""The files to import from: a folder, a file or a zip, read as streams and within limits.

Nothing is unpacked to disk, and links are not followed.
"""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from cortex.errors import InvalidRequest

MOST_FILES = 100_000
MOST_RATIO = 200
"""A zip that holds more than this times its own size is no export: text is rarely compressed further than 20 to 1."""
SMALL = 64 << 20
"""Up to this size the ratio does not matter."""
LONGEST_ITEM = 256 << 20
"""Characters of one conversation in an export, or of one line of a transcript."""
_NO_DATA = frozenset((".git", "node_modules"))
_CHUNK = 1 << 20
_HEAD = 64 << 10
_SPACE = re.compile(r"[ \t\r\n]*")
_AGAIN = "download the export again"
_NO_EXPORT = "check that it is the export itself; larger files can be unpacked first and imported as a folder"


class ImportSource:
    """What an import reads. Names are paths below it with `/`; `skipped` counts what is left out, by reason."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).expanduser()
        self.skipped: Counter[str] = Counter()
        self._zip: zipfile.ZipFile | None = None
        self._unpacked = 0
        try:
            self.names = tuple(sorted(self._listed()))
        except OSError as error:
            raise _unreadable(str(self.path), error) from error
        if len(self.names) > MOST_FILES:
            raise InvalidRequest(
                f"has over {MOST_FILES:,} files", field=str(self.path), hint="name a folder further down, or the file"
            )

    def __enter__(self) -> ImportSource:
        return self

    def __exit__(self, *_: object) -> None:
        if self._zip is not None:
            self._zip.close()

    @property
    def is_folder(self) -> bool:
        return self._zip is None and self.path.is_dir()

    @property
    def is_zip(self) -> bool:
        return self._zip is not None

    def find(self, pattern: str) -> list[str]:
        """The names that match a pattern from the start of their path, or of any part of it, to their end."""
        wanted = re.compile(rf"(?:.*/)?(?:{pattern})")
        return [name for name in self.names if wanted.fullmatch(name)]

    def local(self, name: str) -> Path:
        """The path of a file on disk, for what has to be opened by its name."""
        if self._zip is not None:
            raise InvalidRequest("cannot be read within a zip", field=name, hint="unpack the zip and import the folder")
        return self.path / name if self.path.is_dir() else self.path

    def modified(self, name: str) -> datetime | None:
        """When a file was last changed; None where that is not known."""
        try:
            if self._zip is not None:
                return datetime(*self._zip.getinfo(name).date_time, tzinfo=UTC)
            return datetime.fromtimestamp(self.local(name).stat().st_mtime, UTC)
        except (ValueError, OSError):
            return None

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """The content of a file as a stream."""
        try:
            with self._member(name) if self._zip is not None else self.local(name).open("rb") as stream:
                yield stream
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise InvalidRequest("is damaged or cut off", field=name, hint=_AGAIN) from error
        except (NotImplementedError, RuntimeError) as error:  # how zipfile refuses a compression or a password
            hint = "unpack the zip with its password or another program, and import the folder"
            raise InvalidRequest("cannot be unpacked", field=name, hint=hint) from error
        except OSError as error:
            raise _unreadable(name, error) from error

    def head(self, name: str) -> str:
        """How a file begins."""
        with self.open(name) as stream:
            return stream.read(_HEAD).decode("utf-8-sig", "replace")

    def text(self, name: str) -> str:
        """A file as text. Bytes that are no UTF-8 are replaced."""
        with self.open(name) as stream:
            read = stream.read(SMALL + 1)
        if len(read) > SMALL:
            raise InvalidRequest(f"is over {SMALL >> 20} MiB", field=name, hint="split it, or leave it out")
        return read.decode("utf-8-sig", "replace")

    def items(self, name: str) -> Iterator[Any]:
        """The entries of a JSON array, one at a time; any other JSON is one entry."""
        with self.open(name) as stream, io.TextIOWrapper(stream, encoding="utf-8-sig") as text:
            try:
                yield from _items(text, name)
            except UnicodeDecodeError as error:
                raise InvalidRequest("is not UTF-8", field=name, hint=_AGAIN) from error
            except RecursionError as error:
                raise InvalidRequest("is nested too deeply", field=name, hint=_NO_EXPORT) from error

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """The objects in a file of JSON lines. A last line that is still being written is left for the next import."""
        with self.open(name) as stream:
            while line := stream.readline(LONGEST_ITEM):
                if not line.strip():
                    continue
                try:
                    row = json.loads(line.decode("utf-8-sig"))
                except (ValueError, RecursionError):
                    is_torn = not line.endswith(b"\n") and len(line) < LONGEST_ITEM
                    self.skipped["line still being written" if is_torn else "line that is not JSON"] += 1
                    continue
                if isinstance(row, dict):
                    yield row
                else:
                    self.skipped["line that is not an object"] += 1

    # --- files and zips --------------------------------------------------------------------------

    def _listed(self) -> Iterator[str]:
        if self.path.is_dir():
            yield from self._in_folder()
            return
        with self.path.open("rb") as file:
            is_zip = file.read(4) == b"PK\x03\x04"
        if not is_zip:
            yield self.path.name
            return
        try:
            self._zip = zipfile.ZipFile(self.path)
        except zipfile.BadZipFile as error:
            raise InvalidRequest("is not a whole zip file", field=str(self.path), hint=_AGAIN) from error
        yield from filter(self._is_usable, self._zip.namelist())

    def _in_folder(self) -> Iterator[str]:
        number = 0
        for folder, below, files in os.walk(self.path):
            below[:] = [name for name in below if name not in _NO_DATA]
            for file in files:
                path = Path(folder, file)
                if not path.is_symlink() and path.is_file():
                    number += 1
                    yield path.relative_to(self.path).as_posix()
            if number > MOST_FILES:
                return

    def _is_usable(self, name: str) -> bool:
        if name.endswith("/") or name.startswith("__MACOSX/"):
            return False
        is_outside = name.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", name) or ":" in name
        self.skipped["file with a path outside of the zip"] += is_outside
        return not is_outside

    @contextmanager
    def _member(self, name: str) -> Iterator[IO[bytes]]:
        assert self._zip is not None
        with self._zip.open(name) as packed:
            yield io.BufferedReader(_Limited(packed, self._count, name))

    def _count(self, number: int, name: str) -> None:
        self._unpacked += number
        if self._unpacked > max(SMALL, MOST_RATIO * self.path.stat().st_size):
            raise InvalidRequest(f"is over {MOST_RATIO} times its size when unpacked", field=name, hint=_NO_EXPORT)


class _Limited(io.RawIOBase):
    """A stream that counts what is read of it, whatever size its zip claims."""

    def __init__(self, stream: IO[bytes], count: Any, name: str) -> None:
        self._stream, self._count, self._name = stream, count, name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        read = self._stream.read(len(buffer))
        self._count(len(read), self._name)
        buffer[: len(read)] = read
        return len(read)


def _unreadable(name: str, error: OSError) -> InvalidRequest:
    return InvalidRequest(
        f"cannot be read: {error.strerror or error}", field=name, hint="check the path and permissions"
    )


# --- JSON ------------------------------------------------------------------------------------------------------------


def _items(stream: IO[str], name: str) -> Iterator[Any]:
    """The entries of an array, of which no more than one and a chunk are held."""
    reader = _JsonReader(stream, name)
    if reader.next_char() != "[":
        yield reader.value()
        return
    reader.skip()
    while reader.next_char() != "]":
        yield reader.value()
        if reader.next_char() == ",":
            reader.skip()
        elif reader.next_char() != "]":
            raise reader.broken()


class _JsonReader:
    """Reads one JSON value after the other from a stream."""

    def __init__(self, stream: IO[str], name: str) -> None:
        self._stream, self._name = stream, name
        self._decoder = json.JSONDecoder()
        self._text, self._at = "", 0
        self._is_ended = False

    def next_char(self) -> str:
        """The next character that is no space."""
        while True:
            found = _SPACE.match(self._text, self._at)
            assert found is not None
            self._at = found.end()
            if self._at < len(self._text):
                return self._text[self._at]
            self._read_more()

    def skip(self) -> None:
        self._at += 1

    def value(self) -> Any:
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except ValueError:
                self._read_more()
                continue
            if end == len(self._text) and not self._is_ended and not isinstance(value, dict | list | str):
                self._read_more(or_end=True)  # a number may go on
                continue
            self._at = end
            return value

    def broken(self) -> InvalidRequest:
        return InvalidRequest("is not whole JSON", field=self._name, hint=_AGAIN)

    def _read_more(self, *, or_end: bool = False) -> None:
        """Read as much again as is held: a long entry is then parsed a few times, not once for each chunk."""
        held = self._text[self._at :]
        if self._is_ended:
            raise self.broken()
        if len(held) > LONGEST_ITEM:
            raise InvalidRequest(f"has an entry over {LONGEST_ITEM >> 20} MiB", field=self._name, hint=_NO_EXPORT)
        more = self._stream.read(max(_CHUNK, len(held)))
        self._text, self._at, self._is_ended = held + more, 0, not more
        if self._is_ended and not or_end:
            raise self.broken()

"""Files of events, one JSON object per line: read once, or followed while they grow (S1)."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

from cortex.capture.events import MAX_LINE_BYTES
from cortex.errors import InvalidRequest

SUFFIX = ".jsonl"
BATCH = 1_000
"""How many lines are stored in one transaction: as many as one call takes."""

_CHUNK_BYTES = 1 << 20
_TOO_LONG = b" " * (MAX_LINE_BYTES + 1)
"""Stands for a line that was not read: it is refused as what it is."""


class EventLine(NamedTuple):
    """One line of a file, and where it stands."""

    source: str
    number: int
    content: bytes


@dataclass(slots=True)
class LineReader:
    """Cuts what is read of one file into lines. The last one waits until it is whole."""

    source: str
    number: int = 0
    _rest: bytearray = field(default_factory=bytearray)
    _is_too_long: bool = False

    @property
    def waits(self) -> bool:
        """Whether there is a line that has no end yet."""
        return self._is_too_long or bool(self._rest.strip())

    def feed(self, content: bytes) -> Iterator[EventLine]:
        """The lines that `content` completes."""
        end, *lines = content.split(b"\n")
        self._rest += end
        if lines:
            first, self._rest = bytes(self._rest), bytearray(lines.pop())
            yield from self._line(first)
            for number, line in enumerate(lines, self.number + 1):
                self.number = number
                if line and not line.isspace():
                    yield EventLine(self.source, number, line)
        if len(self._rest) > MAX_LINE_BYTES:
            self._is_too_long = True
            self._rest.clear()

    def last(self) -> Iterator[EventLine]:
        """What stands after the last line break, if it is a whole object: a torn line is not given."""
        if not self._is_too_long and self._rest.rstrip().endswith(b"}") and _is_json(self._rest):
            line = bytes(self._rest)
            self._rest.clear()
            yield from self._line(line)

    def _line(self, line: bytes) -> Iterator[EventLine]:
        self.number += 1
        if self.number == 1:
            line = line.removeprefix(BOM_UTF8)
        if self._is_too_long:
            self._is_too_long = False
            yield EventLine(self.source, self.number, _TOO_LONG)
        elif line and not line.isspace():
            yield EventLine(self.source, self.number, line)


def _is_json(content: bytearray) -> bool:
    import json

    try:
        json.loads(content)
    except (ValueError, RecursionError):
        return False
    return True


class EventFiles:
    """The files at a path, read from where they were read last. A file that was replaced is read from its start."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: dict[Path, tuple[int, int, LineReader]] = {}
        """Inode, offset and the reader of each file."""
        self.files()

    def files(self) -> Sequence[Path]:
        """The file, or the `.jsonl` files of the folder."""
        try:
            if self._path.is_dir():
                return sorted(each for each in self._path.iterdir() if each.suffix == SUFFIX and each.is_file())
            with self._path.open("rb"):
                return [self._path]
        except OSError as error:
            raise InvalidRequest(
                f"cannot be read: {error.strerror or error}", field="path", hint="name a file, a folder, or -"
            ) from error

    def read(self, *, is_last: bool) -> Iterator[EventLine]:
        """The lines that came since. With `is_last` also one without a line break, if it is a whole object."""
        for path in self.files():
            with path.open("rb") as file:
                yield from self._read(path, file, is_last)

    def _read(self, path: Path, file: BinaryIO, is_last: bool) -> Iterator[EventLine]:
        about = os.fstat(file.fileno())
        inode, offset, reader = self._places.get(path, (about.st_ino, 0, LineReader(str(path))))
        if inode != about.st_ino or about.st_size < offset:
            offset, reader = 0, LineReader(str(path))
        file.seek(offset)
        while content := file.read(_CHUNK_BYTES):
            offset += len(content)
            yield from reader.feed(content)
        self._places[path] = (about.st_ino, offset, reader)
        if is_last:
            yield from reader.last()

    @property
    def waiting(self) -> int:
        """How many files end in a line that is not whole."""
        return sum(reader.waits for _, _, reader in self._places.values())


def lines_of_stream(stream: BinaryIO) -> Iterator[EventLine]:
    """The lines of a stream, to its end."""
    reader = LineReader("-")
    while content := stream.read1(_CHUNK_BYTES) if hasattr(stream, "read1") else stream.read(_CHUNK_BYTES):
        yield from reader.feed(content)
    yield from reader.last()
    if reader.waits:  # nothing follows: what is torn is refused
        yield from reader.feed(b"\n")


def batches(lines: Iterable[EventLine], size: int = BATCH) -> Iterator[list[EventLine]]:
    """The lines, so many at a time."""
    batch: list[EventLine] = []
    for line in lines:
        batch.append(line)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch

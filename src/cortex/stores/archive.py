"""An agent's memory as one portable file, which any store can write and read.

Lines of JSON, compressed: what it is; then for each user the name, the records of the dump, and their digests; and at
last how many users there were. Without that last line it is not whole.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from cortex.domain.backup_manifest import Figures
from cortex.domain.dump import DumpRecord, RecordDigest, RecordDigests, RecordKind, differing
from cortex.domain.scope import Tenant
from cortex.errors import StoreCorrupt, StoreForeign, StoreTooNew, StoreUnavailable, full_disk
from cortex.ports.store import Store

SUFFIX = ".cortex.gz"
FORMAT = "cortex archive"
VERSION = 1
_LEVEL = 1
"""Vectors hardly get smaller, however hard one tries."""

_ANOTHER = "choose another archive"


def write(store: Store, agent: str, to: Path) -> int:
    """Write everything of an agent to a file; gives how many records. Nothing is there until it is whole."""
    written = 0
    with _written_whole(to) as stream:
        _put(stream, {"format": FORMAT, "version": VERSION, "agent": agent})
        users = store.users()
        for user in users:
            digests = RecordDigests()
            _put(stream, {"user": user})
            for record in digests.counted(store.dump(Tenant(agent, user))):
                stream.write(record.line().encode("utf-8", "surrogatepass") + b"\n")
            _put(stream, {"end": user, "digests": {kind.value: list(each) for kind, each in digests.all().items()}})
            written += digests.records
        _put(stream, {"users": len(users)})
    return written


def check(path: Path) -> str:
    """Read all of an archive, and refuse one that is damaged, cut short, or not ours to read; gives its agent."""
    agent, users = _opened(path)
    for _, records in users:
        for _ in records:
            pass
    return agent


def figures(path: Path) -> dict[str, Figures]:
    """What an archive holds, by user; it is read whole and checked on the way."""
    _, users = _opened(path)
    return {user: _figures(records) for user, records in users}


def _figures(records: Iterator[DumpRecord]) -> Figures:
    traces, position, seal = 0, 0, ""
    for record in records:
        if record.kind is RecordKind.TRACE:
            traces += 1
        elif record.kind is RecordKind.EVENT:
            position, seal = record.fields["position"], record.fields["seal"]
    return Figures(traces, position, seal)


def load(path: Path, store: Store, agent: str) -> list[str]:
    """Load an archive into a store that has nothing of its users; gives their names. It is checked whole before."""
    check(path)
    _, users = _opened(path)
    loaded = []
    for user, records in users:
        store.load(Tenant(agent, user), records, source=path.name)
        loaded.append(user)
    return loaded


def _opened(path: Path) -> tuple[str, Iterator[tuple[str, Iterator[DumpRecord]]]]:
    lines = _lines(path)
    first = _parsed(path, next(lines, "null"))
    if not isinstance(first, dict) or first.get("format") != FORMAT:
        raise StoreForeign(f"{path} is not an archive of Cortex", hint=_ANOTHER)
    if first.get("version") != VERSION:
        message = f"{path} was written by a newer Cortex (version {first.get('version')}, this one reads {VERSION})"
        raise StoreTooNew(message, hint="upgrade Cortex")
    return str(first.get("agent", "")), _users(path, lines)


def _users(path: Path, lines: Iterator[str]) -> Iterator[tuple[str, Iterator[DumpRecord]]]:
    number = 0
    for line in lines:
        found = _parsed(path, line)
        if isinstance(found, dict) and "user" in found:
            number += 1
            yield str(found["user"]), _records(path, lines)
        elif found == {"users": number}:
            return
        else:
            raise StoreCorrupt(f"{path} is damaged: a line is out of place", hint=_ANOTHER)
    raise _cut_short(path)


def _records(path: Path, lines: Iterator[str]) -> Iterator[DumpRecord]:
    """The records of one user; an error instead of the end where they are not those that were written."""
    digests = RecordDigests()
    for line in lines:
        if line.startswith("["):
            record = DumpRecord.from_line(line)
            digests.add(record)
            yield record
            continue
        end = _parsed(path, line)
        written = {RecordKind(kind): RecordDigest(*each) for kind, each in end.get("digests", {}).items()}
        if different := differing(written, digests.all()):
            raise StoreCorrupt(f"{path} is damaged: {', '.join(different)}", hint=_ANOTHER)
        return
    raise _cut_short(path)


def _cut_short(path: Path) -> StoreCorrupt:
    return StoreCorrupt(f"{path} ends too early", hint=_ANOTHER)


def _lines(path: Path) -> Iterator[str]:
    try:
        with gzip.open(path, "rb") as stream:
            for line in stream:
                yield line.decode("utf-8", "surrogatepass").rstrip("\n")
    except gzip.BadGzipFile as error:
        raise StoreForeign(f"{path} is not an archive of Cortex", hint=_ANOTHER) from error
    except (EOFError, zlib.error, UnicodeDecodeError) as error:
        raise StoreCorrupt(f"{path} is damaged: {error}", hint=_ANOTHER) from error
    except OSError as error:
        raise StoreUnavailable(f"{path} cannot be read: {error.strerror or error}", hint=_ANOTHER) from error


def _parsed(path: Path, line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise StoreCorrupt(f"{path} is damaged: {error}", hint=_ANOTHER) from error


def _put(stream: gzip.GzipFile, said: dict[str, Any]) -> None:
    stream.write(json.dumps(said, ensure_ascii=False).encode() + b"\n")


@contextmanager
def _written_whole(to: Path) -> Iterator[gzip.GzipFile]:
    """A file that gets its name once all of it is on the disk."""
    partial = to.with_name(f".{to.name}.{os.getpid()}.partial")
    try:
        file = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with open(file, "wb") as raw:
            with gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=_LEVEL, mtime=0) as stream:
                yield stream
            raw.flush()
            os.fsync(raw.fileno())
        os.replace(partial, to)
    except OSError as error:
        raise full_disk(error, to) or StoreUnavailable(
            f"{to} cannot be written: {error.strerror or error}", hint="choose another folder with --to"
        ) from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)

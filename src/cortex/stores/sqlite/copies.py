"""Whole copies of the file: made while it is in use, and put in its place when nobody uses it (E21).

Whatever happens on the way, the file that counts is always whole: a copy is written beside it under another name,
checked, brought to the disk, and only then given its name.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from cortex.domain.backup_manifest import Figures
from cortex.domain.scope import Tenant
from cortex.domain.terms import TOKENIZER
from cortex.errors import EngineError, InvalidRequest, StoreBusy, StoreCorrupt, StoreUnavailable
from cortex.ports.store import Replaced, RestoreMark
from cortex.runtime.processes import is_alive
from cortex.stores.relational import checksums, proof
from cortex.stores.sqlite import audit, damage, erasure, schema, shared_ledger
from cortex.stores.sqlite.connections import Gate, is_open_here, make_folder, named_errors, to_disk
from cortex.stores.sqlite.erasure_log import ErasureLog
from cortex.stores.sqlite.view import figures
from cortex.stores.sqlite.writer import SqliteWriter

_PAGES_AT_ONCE = 1_024
_PARTIAL = "partial"

# Where SQLite locks its files, see "File Locking And Concurrency": an open file has some of these bytes locked.
_PENDING_BYTE = 0x40000000
_LOCK_BYTES = 512


def copy(source: sqlite3.Connection, to: Path) -> None:
    """What `source` sees, as a checked file of its own at `to`. `source` has begun to read, so it sees one moment."""
    # Named before what was written is removed again: then there would be space.
    with named_errors(to), named_decoding(to), _written_whole(to) as partial, named_errors(to):
        with closing(sqlite3.connect(partial, isolation_level=None)) as target:
            source.backup(target, pages=_PAGES_AT_ONCE)
            # One file that needs no other beside it.
            target.execute("PRAGMA journal_mode = DELETE")
            # What was damaged before it was copied says nothing of the copy.
            known = (str(sum(1 for _ in _damaged(target))),)
            target.execute("INSERT OR REPLACE INTO main.meta VALUES ('damaged', ?)", known)
        check(partial)


def check(path: Path) -> None:
    """Refuse what is not a whole database of ours that this version can read. The file is not touched."""
    with named_errors(path), named_decoding(path), closing(_opened_to_look(path)) as connection:
        schema.refuse_strange(connection, str(path))
        if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
            raise StoreCorrupt(f"{path} is empty", hint="choose another backup")
        found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise StoreCorrupt(f"{path} is damaged: {found}", hint="choose another backup")
        known = connection.execute("SELECT value FROM meta WHERE key = 'damaged'").fetchone()
        damaged = list(_damaged(connection))
        if known is not None and len(damaged) > int(known[0]):
            table, key = damaged[0]
            message = f"{path} is damaged: {len(damaged):,} rows are not what was written, such as {table} {key}"
            raise StoreCorrupt(message, hint="choose another backup")


def _damaged(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Table and key of the rows of a file that are not what was written, by their checksums or by the ledger."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version < 2:
        return  # older than checksums
    damage.summing(connection)
    if version < shared_ledger.FIRST_VERSION_WITHOUT:
        shared_ledger.present(connection)
    connection.text_factory = damage.as_text
    for table in checksums.SUMMED:
        yield from ((table, " ".join(map(str, key))) for key in damage.wrong(connection, table))
    yield from (("events", str(position)) for position in proof.unproven(connection))


@contextmanager
def named_decoding(path: Path) -> Iterator[None]:
    """A row that makes no sense is damage too."""
    try:
        yield
    except (EngineError, OSError):
        raise
    except checksums.UNREADABLE as error:
        raise StoreCorrupt(f"{path} is damaged ({type(error).__name__})", hint="choose another backup") from error


def replace(path: Path, backup: Path, keep_at: Path, mark: RestoreMark, *, busy_timeout_ms: int) -> Replaced:
    """Put `backup` in the place of the file at `path`, keeping what was there at `keep_at`.

    What was erased since the backup was made is taken out of it before it can be read. The ledger of each user says
    that it was restored, and goes on after the last position of the file that is replaced. Nobody else may have the
    file open: they would go on writing to what is no longer there.
    """
    check(backup)
    there = path.exists()
    if Path(f"{backup}-wal").exists() or (there and path.samefile(backup)):
        raise InvalidRequest("is in use itself", field=str(backup), hint="give a file that `cortex backup create` made")
    with named_errors(path):
        make_folder(path.parent)
        with closing(Gate(path)) as gate, gate.held(busy_timeout_ms / 1000):
            if there:
                _refuse_in_use(path)
            with _written_whole(path) as partial:
                with _gone_on_failure(keep_at):
                    if there:
                        _keep(path, keep_at)
                    shutil.copyfile(backup, partial)
                    _record_restore(partial, _ends(keep_at) if there else None, mark)
                    kept_out = _keep_out_erased(partial, ErasureLog(path))
                    to_disk(partial)
                # Only now: where there is no room for the backup, what is there stays as it is, with its log.
                if there:
                    _settle_log(path)
    return Replaced(there, kept_out)


def _ends(path: Path) -> Mapping[str, int] | None:
    """The last position of each user's ledger in a file; None where it cannot be read."""
    try:
        with closing(_opened_to_look(path)) as connection:
            rows = connection.execute(
                "SELECT u.name, max(e.position) FROM users u JOIN events e ON e.user = u.id GROUP BY u.id"
            ).fetchall()
    except (EngineError, sqlite3.DatabaseError, *checksums.UNREADABLE):
        return None
    return {str(name): int(position) for name, position in rows}


def _record_restore(copied: Path, lost: Mapping[str, int] | None, mark: RestoreMark) -> None:
    """Let the ledger of every user say that a backup was restored, after all that was lost."""
    with closing(sqlite3.connect(copied, isolation_level=None)) as connection:
        schema.prepare(connection, str(copied))
        connection.execute("BEGIN IMMEDIATE")
        users = [str(name) for (name,) in connection.execute("SELECT name FROM users ORDER BY id").fetchall()]
        for user in dict.fromkeys((*users, *(lost or ()))):
            writer = SqliteWriter(connection, Tenant(user=user), mark.at, actor=mark.actor, cause=mark.cause)
            writer.apply([mark.change(writer.ledger.position, None if lost is None else lost.get(user, 0))])
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = DELETE")


def rewrite(path: Path, backup: Path) -> dict[str, Figures]:
    """Take out of a backup what was erased of the memory at `path` since; returns what is left in it.

    It is replaced by what is left once that is whole. One that is damaged is refused.
    """
    check(backup)
    with named_errors(backup), named_decoding(backup):
        with _written_whole(backup) as partial, named_errors(backup):
            shutil.copyfile(backup, partial)
            _keep_out_erased(partial, ErasureLog(path))
        with closing(_opened_to_look(backup)) as connection:
            damage.summing(connection)
            connection.text_factory = damage.as_text
            return figures(connection)


def place(backup: Path, path: Path) -> None:
    """Put a copy of a backup at `path`, where nothing is, as it is."""
    with named_errors(path):
        make_folder(path.parent)
        with _written_whole(path) as partial, named_errors(path):
            shutil.copyfile(backup, partial)


def _keep_out_erased(copied: Path, log: ErasureLog) -> int:
    """Take out of a copy what was erased since; gives how many traces that were."""
    if not (known := log.names()):
        return 0
    with closing(sqlite3.connect(copied, isolation_level=None)) as connection:
        schema.prepare(connection, str(copied))
        missing = [each for id in sorted(known.keys() - erasure.applied(connection)) if (each := log.read(id))]
        if not missing:
            return 0
        connection.execute("BEGIN IMMEDIATE")
        # An index of other words would not let go of a trace by the words we know it by.
        if audit.tokenizer(connection) != TOKENIZER:
            audit.rebuild(connection)
        gone = erasure.carry_out(connection, missing)
        connection.execute("COMMIT")
        erasure.compact(connection)
        connection.execute("PRAGMA journal_mode = DELETE")
    return gone


@contextmanager
def _gone_on_failure(keep_at: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        for suffix in ("", "-wal"):
            Path(f"{keep_at}{suffix}").unlink(missing_ok=True)
        raise


def _keep(path: Path, keep_at: Path) -> None:
    """A copy of what is there; a damaged file as it is, with its log, since more may be saved from it."""
    # Before SQLite opens it: where it cannot read a file, it throws away the log.
    for suffix in ("", "-wal"):
        if (file := Path(f"{path}{suffix}")).exists():
            with _written_whole(Path(f"{keep_at}{suffix}")) as partial:
                shutil.copyfile(file, partial)
    with suppress(EngineError, sqlite3.DatabaseError):
        with closing(sqlite3.connect(path, isolation_level=None)) as source:
            source.execute("BEGIN")
            source.execute("SELECT count(*) FROM sqlite_master").fetchone()
            copy(source, keep_at)
        Path(f"{keep_at}-wal").unlink(missing_ok=True)


def _settle_log(path: Path) -> None:
    """Take in the write-ahead log and remove it: beside another file it would be taken for that file's own."""
    with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    for suffix in ("-wal", "-shm", "-journal"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)  # left only where it could not be taken in, and kept aside


def _refuse_in_use(path: Path) -> None:
    # Checked first: to close another descriptor of a file this process has open would take its locks away.
    if is_open_here(path):
        raise StoreBusy(f"{path} is open in this process", hint="close its other engines, then restore again")
    file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, _LOCK_BYTES, _PENDING_BYTE)
    except OSError as error:
        raise StoreBusy(
            f"{path} is open in another process",
            hint="stop what uses it (`cortex serve`, `cortex mcp`, `admin jobs run`, an agent), then restore again",
        ) from error
    finally:
        os.close(file)


def _opened_to_look(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise StoreUnavailable(f"{path} is not a file", hint="see `cortex backup list`")
    # Immutable: no lock, no log, no file beside it.
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, isolation_level=None)


@contextmanager
def _written_whole(to: Path) -> Iterator[Path]:
    """A file to write, readable by its owner alone; it is given its name once it is whole and on the disk."""
    sweep(to.parent)
    partial = to.with_name(f".{to.name}.{threading.get_ident()}.{os.getpid()}.{_PARTIAL}")
    try:
        os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        yield partial
        to_disk(partial)
        os.replace(partial, to)
        to_disk(to.parent)
    finally:
        for suffix in ("", "-journal", "-wal", "-shm"):
            with suppress(OSError):
                os.unlink(f"{partial}{suffix}")


def sweep(folder: Path) -> None:
    """Remove what processes that are gone left unfinished in a folder."""
    for path in folder.glob(f".*.{_PARTIAL}*"):
        owner = path.name.partition(f".{_PARTIAL}")[0].rpartition(".")[2]
        if owner.isdigit() and not is_alive(int(owner)):
            with suppress(OSError):
                path.unlink()

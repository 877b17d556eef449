"""A process that dies on its way: `python backup_process.py backup|restore|write|hold FILE … [POINT]`."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from samples import ANNA, RESTORED, Desk, memory

from cortex.stores.sqlite import SqliteStore, copies


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def before(owner: Any, name: str, dies: Callable[..., bool]) -> None:
    """Die when `owner.name` is about to be called with what `dies` is true of."""
    call = getattr(owner, name)

    def deadly(*arguments: Any, **options: Any) -> Any:
        if dies(*arguments):
            die()
        return call(*arguments, **options)

    setattr(owner, name, deadly)


def arm(point: str, at: str) -> None:
    """Die at a point of writing the file `at`."""

    def concerns(path: Any, *_: Any) -> bool:
        return Path(at).name in str(path)

    if point == "copying":
        before(copies, "closing", lambda connection: True)
    elif point == "checking":
        before(copies, "check", lambda path: True)
    elif point == "kept":
        before(copies, "_settle_log", concerns)
    elif point == "settled":
        before(copies.shutil, "copyfile", lambda source, target: concerns(target))
    elif point == "fsync":
        before(copies, "to_disk", concerns)
    elif point == "rename":
        before(copies.os, "replace", lambda source, target: Path(target).name == Path(at).name)
    elif point == "renamed":
        before(copies, "to_disk", lambda path: Path(at).parent == path)


def main(role: str, file: str, *rest: str) -> None:
    path = Path(file)
    if role == "restore":
        backup, keep_at, point = rest
        arm(point, file)
        copies.replace(path, Path(backup), Path(keep_at), RESTORED, busy_timeout_ms=1_000)
        return
    store = SqliteStore(path)
    desk = Desk(store, ANNA)
    if role == "backup":
        to, point = rest
        arm(point, to)
        store.backup(Path(to))
    elif role == "write":
        desk.put(memory(77, "Only in the log"))
        die()
    else:
        desk.total()
        print("ready", flush=True)
        time.sleep(600)


if __name__ == "__main__":
    main(*sys.argv[1:])

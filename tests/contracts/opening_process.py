"""A process that opens a store file and is killed on the way: `python opening_process.py FILE STATEMENT`.

It dies right before it runs a statement that begins like this.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from pathlib import Path
from typing import Any

from cortex.stores.sqlite import SqliteStore

connect = sqlite3.connect


def watched(*args: Any, **named: Any) -> sqlite3.Connection:
    connection: sqlite3.Connection = connect(*args, **named)
    connection.set_trace_callback(die_at)
    return connection


def die_at(statement: str) -> None:
    if statement.lstrip().startswith(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    sqlite3.connect = watched  # type: ignore[assignment]
    SqliteStore(Path(sys.argv[1])).close()

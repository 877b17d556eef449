"""The default store: one SQLite file per agent, the standard library's `sqlite3` and numpy, nothing else."""

from pathlib import Path

from cortex.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore", "create"]


def create(path: Path, *, synchronous: str, busy_timeout_ms: int) -> SqliteStore:
    """What the registry calls: the store of one agent in the file at `path`."""
    return SqliteStore(path, synchronous=synchronous, busy_timeout_ms=busy_timeout_ms)

"""The default store: one SQLite file per agent, the standard library's `sqlite3` and numpy, nothing else."""

from cortex.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]

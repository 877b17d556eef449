"""One tree of errors. Each class has a stable code, an exit code for the CLI, and a status for HTTP.

EngineError
├── InvalidRequest        the caller can fix it: names the field and the fix
├── NotFound              no such memory, turn, receipt, recipe
├── StoreError
│   ├── StoreUnavailable  home not writable, file cannot be opened, server not reached
│   │   └── CommitUnknown the server was lost while it committed: nobody can tell whether it did
│   ├── StoreBusy         another writer held the lock longer than we wait
│   ├── StoreForeign      the file is not a Cortex database
│   ├── StoreTooNew       written by a newer Cortex
│   ├── StoreCorrupt      the file is damaged
│   ├── DiskFull          no space left, whatever was to be written; see `full_disk`
│   ├── RowDamaged        one row of it is: what was asked for cannot be read, everything else can
│   ├── StoreBehind       what was asked shows less of the ledger than the caller has seen
│   ├── NotSupported      this kind of store cannot do it; names those that can
│   └── Conflict          somebody else was first: look again and decide anew
│       └── Held          an administrator has placed a hold on it: it must not end
├── ProviderError
│   ├── ProviderMissing   unknown name, or its extra is not installed
│   ├── EmbedderUnavailable
│   │   └── MediumRefused   the embedder cannot embed this picture or recording, whenever it is asked
│   ├── RerankerUnavailable
│   ├── LlmUnavailable
│   ├── NearestUnavailable  the engine that holds the vectors of a large tenant
│   └── ModelUnavailable  model files absent or incomplete; both an embedder and a reranker that is unavailable
│       └── ModelChanged  model files that are not the pinned ones
└── DeadlineExceeded      a leg came too late; recall goes on without it
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from cortex._version import DISTRIBUTION


class EngineError(Exception):
    """Something Cortex can name. `message` says what happened, `hint` what to do next."""

    code = "engine_error"
    exit_code = 1
    http_status = 500

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        # Python's own way would call `__init__` with the message alone, which some of us refuse.
        return _as_it_was, (type(self), self.args, self.__dict__)


def _as_it_was(kind: type[EngineError], args: tuple[Any, ...], state: dict[str, Any]) -> EngineError:
    """An error that came from another process."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class InvalidRequest(EngineError):
    """The request cannot be carried out as given; `field` names the part to change."""

    code, exit_code = "invalid_request", 2
    http_status = 422
    faults: Sequence[Mapping[str, str]] = ()
    """All that is wrong with it, where that is more than the first: `field`, `message` and `hint` of each."""

    def __init__(self, message: str, *, field: str, hint: str = "") -> None:
        super().__init__(f"{field}: {message}", hint=hint)
        self.field = field


class NotFound(EngineError):
    code, exit_code = "not_found", 3
    http_status = 404


class StoreError(EngineError):
    code, exit_code = "store_error", 10
    http_status = 503


class StoreUnavailable(StoreError):
    code, exit_code = "store_unavailable", 11


class CommitUnknown(StoreUnavailable):
    """The server may or may not have written it; to ask for the same again does no harm."""

    code, exit_code = "commit_unknown", 31


class StoreBusy(StoreError):
    code, exit_code = "store_busy", 12


class StoreForeign(StoreError):
    code, exit_code = "store_foreign", 13


class StoreTooNew(StoreError):
    code, exit_code = "store_too_new", 14


class StoreCorrupt(StoreError):
    code, exit_code = "store_corrupt", 15


class DiskFull(StoreError):
    """Nothing was written; once there is space again, everything goes on without a restart."""

    code, exit_code = "disk_full", 17
    http_status = 507


class RowDamaged(StoreError):
    code, exit_code = "row_damaged", 18
    http_status = 500


class StoreBehind(StoreError):
    code, exit_code = "store_behind", 19
    http_status = 503


class NotSupported(StoreError):
    """The store lacks the ability that a call needs."""

    code, exit_code = "not_supported", 32
    http_status = 501


class Conflict(StoreError):
    code, exit_code = "conflict", 16
    http_status = 409


class Held(Conflict):
    """What is on hold is not erased; the message names the hold."""

    code, exit_code = "held", 33


class ProviderError(EngineError):
    code, exit_code = "provider_error", 20
    http_status = 502


class ProviderMissing(ProviderError):
    code, exit_code = "provider_missing", 21


class EmbedderUnavailable(ProviderError):
    code, exit_code = "embedder_unavailable", 22


class MediumRefused(EmbedderUnavailable):
    """This medium cannot be embedded, whenever it is tried; others can."""

    code, exit_code = "medium_refused", 28


class RerankerUnavailable(ProviderError):
    code, exit_code = "reranker_unavailable", 23


LlmReason = Literal[
    "unavailable", "off", "missing", "auth", "rate_limited", "timeout", "unreachable", "server_error", "rejected",
    "refused", "bad_answer", "budget", "paused", "hardware",
]  # fmt: skip
"""Why a language model gave no answer."""


class LlmUnavailable(ProviderError):
    """`reason` says why, and `retry_after` in how many seconds it may be worth another try."""

    code, exit_code = "llm_unavailable", 25

    def __init__(
        self, message: str, *, hint: str = "", reason: LlmReason = "unavailable", retry_after: float | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.reason = reason
        self.retry_after = retry_after


class NearestUnavailable(ProviderError):
    code, exit_code = "nearest_unavailable", 27


class ModelUnavailable(EmbedderUnavailable, RerankerUnavailable):
    """Of whichever of the two the model is."""

    code, exit_code = "model_unavailable", 24


class ModelChanged(ModelUnavailable):
    """Another file is in the place of a pinned one. What it would answer is comparable with nothing."""

    code, exit_code = "model_changed", 26


class DeadlineExceeded(EngineError):
    code, exit_code = "deadline_exceeded", 30
    http_status = 504


# --- a full disk ---------------------------------------------------------------------------------

_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_SQLITE_FULL, _SQLITE_IOERR, _SQLITE_CANTOPEN = 13, 10, 14
_PROBED_BYTES = 65_536


def install_command(extra: str) -> str:
    """What installs an extra of Cortex, for hints."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def full_disk(error: BaseException, path: Path | str | None = None) -> DiskFull | None:
    """The error to tell where `error`, of the system or of SQLite, means a full disk or quota; None for any other.

    Every writer asks this first, so that the error is the same everywhere: `raise full_disk(error, path) or …`
    """
    named = path or getattr(error, "filename", None)
    folder = _existing(Path(named)) if isinstance(named, str | Path) else None
    if not _is_full(error, folder):
        return None
    if folder is None:
        return DiskFull("no space is left on the disk", hint="free some space; nothing has to be restarted")
    state = os.statvfs(folder)
    free = state.f_bavail * state.f_frsize
    return DiskFull(
        f"no space is left to write {named}",
        hint=f"free some space at {folder}, where {free:,} bytes are free; nothing has to be restarted",
    )


def _is_full(error: BaseException, folder: Path | None) -> bool:
    if isinstance(error, OSError):
        return error.errno in _NO_SPACE
    primary = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if primary in (_SQLITE_IOERR, _SQLITE_CANTOPEN) and folder is not None:
        # SQLite has no name of its own for a log that cannot grow, or a quota: that is tried out.
        return not _can_grow(folder)
    return primary == _SQLITE_FULL


def _can_grow(folder: Path) -> bool:
    import tempfile

    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as probe:
            probe.write(bytes(_PROBED_BYTES))
    except OSError as error:
        return error.errno not in _NO_SPACE
    return True


def _existing(path: Path) -> Path:
    """The folder at `path`, or the nearest one above it that is there."""
    whole = path.absolute()
    return next((each for each in (whole, *whole.parents) if each.is_dir()), Path("/"))

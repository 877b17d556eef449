"""PostgreSQL's errors under our names, each with what to do next. No message ever holds a password."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from cortex.errors import (
    DiskFull,
    EngineError,
    InvalidRequest,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreForeign,
    StoreUnavailable,
)
from cortex.stores.relational.checksums import SEE_VERIFY

_CHECK_URL = "check its URL in the settings"
_TRY_AGAIN = "try again once the server answers"

_BY_STATE: dict[str, tuple[type[StoreError], str, str]] = {
    "28P01": (StoreUnavailable, "refused the password", "check the password in its URL, or the file it comes from"),
    "28000": (StoreUnavailable, "refused this user", "check the user in its URL and the server's pg_hba.conf"),
    "3D000": (StoreUnavailable, "has no such database", f"create it, or {_CHECK_URL}"),
    "42501": (
        StoreUnavailable,
        "does not allow this",
        "grant the user the rights to connect, and to create and write in its schema",
    ),
    "08004": (StoreUnavailable, "accepts no connections to this database", "let an administrator allow them again"),
    "08P01": (StoreUnavailable, "cannot be reached with this encryption", "check sslmode and sslrootcert in its URL"),
    "25006": (StoreUnavailable, "is read-only", "connect to the primary, or wait until a standby is promoted"),
    "53300": (StoreBusy, "has too many connections", "raise max_connections, or lower store.postgresql.connections"),
    "53200": (StoreBusy, "is out of memory", _TRY_AGAIN),
    "53100": (DiskFull, "has no space left on its disk", "free some space there; nothing has to be restarted"),
    "55P03": (StoreBusy, "is being written", "try again, or raise store.postgresql.busy_timeout_ms"),
    "57014": (StoreBusy, "took too long", "try again, or raise store.postgresql.busy_timeout_ms"),
    "57P01": (StoreUnavailable, "was shut down", _TRY_AGAIN),
    "57P02": (StoreUnavailable, "crashed", _TRY_AGAIN),
    "57P03": (StoreUnavailable, "is starting or stopping", _TRY_AGAIN),
    "57P05": (StoreUnavailable, "closed an idle connection", "try again"),
    "XX001": (StoreCorrupt, "has damaged pages", SEE_VERIFY),
    "XX002": (StoreCorrupt, "has a damaged index", SEE_VERIFY),
    "42P01": (StoreForeign, "lacks a table of ours", "run `cortex doctor`; restore the schema from a backup"),
    "3F000": (StoreForeign, "lacks our schema", "run `cortex doctor`; restore the schema from a backup"),
}

# Where the connection is refused there is no state, only words in the language of the server or of the client.
_BY_WORDS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("password authentication failed", "no password supplied"), "28P01"),
    (("too many clients", "too many connections", "remaining connection slots"), "53300"),
    (("no pg_hba.conf entry", "not permitted to log in"), "28000"),
    (("permission denied for database",), "42501"),
    (("not currently accepting connections",), "08004"),
    (("does not support SSL", "SSL error", "certificate"), "08P01"),
    (("session is read-only", "server is in hot standby"), "25006"),
    (("starting up", "shutting down", "recovery mode"), "57P03"),
)

_MISSING = (('database "', "3D000"), ('role "', "28000"))

_RETRIED = ("40001", "40P01", "23505", "26000")


@contextmanager
def named_errors(target: str) -> Iterator[None]:
    """PostgreSQL's errors as ours."""
    try:
        yield
    except EngineError:
        raise
    except psycopg.Error as error:
        raise named(error, target) from error


def named(error: psycopg.Error, target: str) -> EngineError:
    """What an error of the driver means to us."""
    state = error.sqlstate or _state_of(str(error))
    if _is_anothers(error):
        return InvalidRequest("is taken", field="id", hint="let the engine choose ids")
    if found := _BY_STATE.get(state or ""):
        kind, what, hint = found
        return kind(f"{target} {what}", hint=hint)
    if isinstance(error, psycopg.DataError):
        return InvalidRequest(f"cannot be stored ({state})", field="text", hint="leave out what no text may hold")
    if is_lost(error):
        return StoreUnavailable(f"{target} cannot be reached", hint=f"{_CHECK_URL}, the network and the server")
    return StoreError(f"{target}: {_first_line(error)}", hint="run `cortex doctor`")


def is_retried(error: psycopg.Error) -> bool:
    """Whether two writers were in each other's way, or both the first to name something: one starts over. So does one
    whose session has lost what it had prepared."""
    return error.sqlstate in _RETRIED and not _is_anothers(error)


def _is_anothers(error: psycopg.Error) -> bool:
    """Whether a row was to be written that is another user's, which row-level security hides from us."""
    diagnosis = error.diag
    return diagnosis.constraint_name == "traces_id_key" or diagnosis.source_function == "ExecWithCheckOptions"


def is_lost(error: psycopg.Error) -> bool:
    """Whether the connection is gone: what was under way may or may not have been done."""
    state = error.sqlstate or ""
    is_answer = isinstance(error, errors.PipelineAborted) or (state and state[:2] != "08" and state[:3] != "57P")
    return isinstance(error, psycopg.OperationalError) and not is_answer


def _state_of(words: str) -> str | None:
    for subject, state in _MISSING:
        if subject in words and "does not exist" in words:
            return state
    for patterns, state in _BY_WORDS:
        if any(pattern in words for pattern in patterns):
            return state
    return None


def _first_line(error: psycopg.Error) -> str:
    """What the server said first; further lines may quote rows, and so what a user said."""
    diagnosis = error.diag.message_primary
    return diagnosis or type(error).__name__

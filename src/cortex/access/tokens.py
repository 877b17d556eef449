"""Access tokens: create, list, revoke and check. A secret is shown once; the file keeps only its digest.

Access is refused in doubt: if the file is damaged, writable by others, or written by a newer Cortex. A second file
records that tokens were created, so that a missing token file lets nobody in. A token that was once seen expired is
marked in the file, because the clock may step back.
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import hmac
import json
import logging
import os
import re
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import MAXYEAR, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, NamedTuple

from cortex.domain.choices import aware, chosen
from cortex.domain.scope import Tenant, checked_label
from cortex.errors import (
    Conflict,
    EngineError,
    InvalidRequest,
    NotFound,
    StoreBusy,
    StoreCorrupt,
    StoreTooNew,
    StoreUnavailable,
    full_disk,
)
from cortex.ports.clock import Clock

FILE_NAME = "tokens.json"
"""The name of the token file under home."""

REQUIRED_NAME = "auth-required"
"""The file that records that tokens were created. `rm tokens*` does not match it."""

MOST_TOKENS = 10_000
VERSION = 1

_REQUIRED = """\
Tokens were created for this home. While this file is here, `cortex serve` lets nobody in without a token, even if
tokens.json is missing. To go back to needing none on this machine, run `cortex admin tokens clear`.
"""

log = logging.getLogger("cortex.access")

_ID_BYTES, _SECRET_BYTES, _DIGEST_BYTES = 6, 32, 32
_MOST_BYTES = 64 * 1024 * 1024
_PAUSE_SECONDS = 0.02
_ID = re.compile(rf"[0-9a-f]{{{2 * _ID_BYTES}}}")
_SECRET = re.compile(rf"ctx_({_ID.pattern})_[A-Za-z0-9_-]{{43}}")
_NO_DIGEST = bytes(_DIGEST_BYTES)


class Right(StrEnum):
    """What a token allows. Each includes the ones before it."""

    READ = "read"
    WRITE = "write"
    HOST = "host"
    """Reads and writes for every user of the agent: what the plugin of a host needs."""
    ADMIN = "admin"


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessToken:
    """A token without its secret: one tenant, and its rights there."""

    id: str
    agent: str
    user: str
    rights: frozenset[Right]
    """All rights, the included ones too."""
    label: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    agents: tuple[str, ...] = ()
    """Further agents that a host may act for."""
    expired_at: datetime | None = None
    """When it was first seen expired; it stays expired whatever the clock says."""

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise InvalidRequest("is not the id of a token", field="id", hint="`cortex admin tokens list` shows them")
        object.__setattr__(self, "rights", _with_included(self.rights))
        for agent in (self.agent, *self.agents):
            Tenant(agent, self.user)
        if self.agents and Right.HOST not in self.rights:
            raise InvalidRequest("are for a host alone", field="agents", hint="give the right `host`, or one agent")
        if self.label != "":
            checked_label(self.label, "label")

    @property
    def tenant(self) -> Tenant:
        return Tenant(self.agent, self.user)

    def state(self, now: datetime) -> Literal["active", "expired", "revoked"]:
        """The state at `now`; only an active token is accepted."""
        if self.revoked_at is not None:
            return "revoked"
        if self.expired_at is not None:
            return "expired"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "active"

    def to_json(self) -> dict[str, Any]:
        times = {name: _iso(getattr(self, name)) for name in ("created_at", "expires_at", "revoked_at", "expired_at")}
        rights = [right.value for right in Right if right in self.rights]
        return {**asdict(self), **times, "agents": list(self.agents), "rights": rights}


class TokenFile:
    """The tokens in one file, which several processes may use at once."""

    patience_seconds = 10.0
    """How long a change waits for one by another process."""

    def __init__(self, path: Path, clock: Clock, entropy: Callable[[int], bytes] = os.urandom) -> None:
        self._path = path
        self._clock = clock
        self._entropy = entropy
        self._required = path.with_name(REQUIRED_NAME)
        self._seen = _Seen.of(None, {})
        self._expired: dict[str, datetime] = {}
        self._reading = threading.Lock()

    def create(
        self,
        tenant: Tenant,
        rights: Iterable[Right],
        *,
        agents: Sequence[str] = (),
        label: str = "",
        expires_in: timedelta | None = None,
    ) -> tuple[str, AccessToken]:
        """Create a token; returns its secret, which is never shown again, and the token."""
        now = aware(self._clock.now(), "now")
        token = AccessToken(
            id=self._entropy(_ID_BYTES).hex(),
            agent=tenant.agent,
            user=tenant.user,
            agents=tuple(agents),
            rights=frozenset(rights),
            label=label,
            created_at=now,
            expires_at=_end(now, expires_in),
            revoked_at=None,
        )
        random = base64.urlsafe_b64encode(self._entropy(_SECRET_BYTES)).decode().rstrip("=")
        secret = f"ctx_{token.id}_{random}"
        with self._changing() as kept:
            if token.id in kept:
                raise Conflict(f"token {token.id} already exists", hint="try again: ids are random")
            _make_room(kept, now)
            kept[token.id] = _Kept(token, _digest(secret))
        return secret, token

    def all(self) -> list[AccessToken]:
        """Every token, oldest first, with expired and revoked ones."""
        found = (each.token for each in self._held().values())
        return sorted(found, key=lambda token: (token.created_at, token.id))

    def revoke(self, id: str) -> AccessToken:
        """Revoke a token at once and everywhere. Its secret is accepted in place of its id."""
        named = found[1] if (found := _SECRET.fullmatch(id)) else id
        with self._changing() as kept:
            if named not in kept:
                # It may be part of a secret, so it is not repeated.
                message = f"there is no token {named}" if _ID.fullmatch(named) else "this is not the id of a token"
                raise NotFound(message, hint="`cortex admin tokens list` shows them")
            held = kept[named]
            if held.token.revoked_at is None:
                held = replace(held, token=replace(held.token, revoked_at=aware(self._clock.now(), "now")))
            kept[named] = held
        return held.token

    def clear(self) -> None:
        """Delete all tokens. From now on this machine needs none."""
        with _named_errors(self._path), self._locked():
            # In this order: a crash in between leaves access closed.
            self._path.unlink(missing_ok=True)
            self._required.unlink(missing_ok=True)
            _sync_folder(self._path.parent)

    def missing(self) -> StoreUnavailable | None:
        """The error if tokens were created and their file is missing; then access is refused."""
        self._held()
        if self._seen.stamp is not None or not self._required.exists():
            return None
        # Without the path: clients see this message too.
        return StoreUnavailable(
            f"{self._path.name} is missing although tokens were created, so access is refused",
            hint="restore a copy, run `cortex admin tokens create`, or `cortex admin tokens clear` to need no token",
        )

    def check(self, secret: str) -> AccessToken | None:
        """The active token with this secret, or None. The file is read only after a change."""
        held = self._held()
        found = _SECRET.fullmatch(secret)
        kept = held.get(found[1]) if found else None
        # Ids are not secret, so they are looked up. Digests are compared in constant time, unknown ones with a digest
        # that nothing has, so that the time of a refusal reveals nothing.
        proven = hmac.compare_digest(_digest(secret if found else ""), kept.digest if kept else _NO_DIGEST)
        if kept is None or not proven:
            return None
        return kept.token if kept.token.state(self._clock.now()) == "active" else None

    def _held(self) -> Mapping[str, _Kept]:
        """The content of the file, read again only after a change."""
        now = self._clock.now()
        with _named_errors(self._path):
            stamp, lags = _stamp(self._path), False
            if stamp != self._seen.stamp or self._seen.ends_by(now):
                with self._reading:  # one thread reads it for all that wait
                    if stamp != self._seen.stamp:
                        self._seen = _read(self._path)
                        lags = bool(self._seen.kept) and not self._required.exists()
                    lags |= self._expire(now)
        if lags:
            self._record()
        return self._seen.kept

    def _expire(self, now: datetime) -> bool:
        """Mark expired tokens in memory; returns whether the file does not have all marks yet."""
        marked = self._marked(self._seen.kept, now)
        if marked == self._seen.kept:
            return False
        for id, each in marked.items():
            if each.token.expired_at is not None:
                self._expired[id] = each.token.expired_at
        self._seen = _Seen.of(self._seen.stamp, marked)
        return True

    def _marked(self, kept: Mapping[str, _Kept], now: datetime) -> dict[str, _Kept]:
        """`kept` with marks on tokens that are expired, or that this process once saw expired."""
        return {id: each.expired(max(now, self._expired.get(id, now))) for id, each in kept.items()}

    def _record(self) -> None:
        """Write the marks to the file. No request waits for this or fails because of it."""
        try:
            with self._changing(patience_seconds=0):
                pass
        except EngineError as error:
            log.warning("the token file could not be updated: %s", error)

    @contextmanager
    def _changing(self, patience_seconds: float | None = None) -> Iterator[dict[str, _Kept]]:
        """The content of the file under an exclusive lock; changes are written when the block succeeds."""
        with _named_errors(self._path), self._locked(patience_seconds):
            before = _read(self._path)
            kept = self._marked(before.kept, self._clock.now())
            yield kept
            if kept and not self._required.exists():
                _write_whole(self._required, _REQUIRED)
            if kept != before.kept:
                _write(self._path, kept, before.stamp)

    @contextmanager
    def _locked(self, patience_seconds: float | None = None) -> Iterator[None]:
        _make_private(self._path.parent)
        # A separate lock file, because every change replaces the token file. Closing it releases the lock.
        with open(self._path.with_name(f"{self._path.name}.lock"), "ab", opener=_privately) as lock:
            self._wait_for(lock.fileno(), self.patience_seconds if patience_seconds is None else patience_seconds)
            yield

    def _wait_for(self, lock: int, seconds: float) -> None:
        for _ in range(max(1, round(seconds / _PAUSE_SECONDS))):
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(_PAUSE_SECONDS)
            else:
                return
        raise StoreBusy(f"{self._path} is being changed by another process", hint="try again in a moment")


@dataclass(frozen=True, slots=True)
class _Kept:
    """A token with its digest, as stored."""

    token: AccessToken
    digest: bytes = field(repr=False)

    def expired(self, by: datetime) -> _Kept:
        """The same, marked as expired if it is."""
        if self.token.expired_at is not None or self.token.state(by) != "expired":
            return self
        return replace(self, token=replace(self.token, expired_at=by))


class _Stamp(NamedTuple):
    """Identifies one state of the file: each change writes a new file with a later time."""

    inode: int
    modified_ns: int
    changed_ns: int
    size: int

    @classmethod
    def of(cls, found: os.stat_result) -> _Stamp:
        return cls(found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size)


class _Seen(NamedTuple):
    """The content that was read, and the state of the file; no stamp means no file."""

    stamp: _Stamp | None
    kept: Mapping[str, _Kept]
    next_end: datetime | None
    """When the next token expires."""

    @classmethod
    def of(cls, stamp: _Stamp | None, kept: Mapping[str, _Kept]) -> _Seen:
        held = (each.token for each in kept.values())
        ends = (token.expires_at for token in held if token.expired_at is None and token.revoked_at is None)
        return cls(stamp, kept, min((end for end in ends if end is not None), default=None))

    def ends_by(self, now: datetime) -> bool:
        """Whether a token is expired at `now` and not marked yet."""
        return self.next_end is not None and self.next_end <= now


def _digest(secret: str) -> bytes:
    # SHA-256 is enough: slow, salted hashes protect passwords that people choose; nobody guesses 32 random bytes.
    # The text is hashed, not the bytes it encodes, because base64 has several texts for the same bytes.
    return hashlib.sha256(secret.encode("ascii")).digest()


def _with_included(rights: Iterable[Right]) -> frozenset[Right]:
    given = [chosen(Right, right, "rights") for right in rights]
    if not given:
        raise InvalidRequest("is empty", field="rights", hint=f"use some of {', '.join(Right)}")
    ladder = list(Right)
    return frozenset(ladder[: 1 + max(ladder.index(right) for right in given)])


def _end(now: datetime, expires_in: timedelta | None) -> datetime | None:
    if expires_in is None:
        return None
    try:
        end = now + expires_in
    except OverflowError:
        end = now
    if end <= now or end.year == MAXYEAR:  # some time zones cannot express the last year of the calendar
        raise InvalidRequest("is not a usable period", field="expires_in", hint="use one such as 30 days")
    return end


def _make_room(kept: dict[str, _Kept], now: datetime) -> None:
    """If the file is full, drop the oldest inactive token; it is refused as unknown too."""
    if len(kept) < MOST_TOKENS:
        return
    over = [each.token for each in kept.values() if each.token.state(now) != "active"]
    if not over:
        raise InvalidRequest(
            f"the limit of {MOST_TOKENS:,} active tokens is reached", field="tokens", hint="revoke unused tokens"
        )
    del kept[min(over, key=lambda token: (token.created_at, token.id)).id]


# --- the file ---------------------------------------------------------------------------------------------------------


@contextmanager
def _named_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise full_disk(error, path) or StoreUnavailable(
            f"{path} cannot be used: {error.strerror or error}", hint="check the owner and the permissions"
        ) from error


def _stamp(path: Path) -> _Stamp | None:
    try:
        return _Stamp.of(os.stat(path))
    except FileNotFoundError:
        return None


def _read(path: Path) -> _Seen:
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            found = os.fstat(file.fileno())
            _refuse_unsafe(found, path)
            return _Seen.of(_Stamp.of(found), _parsed(file.read(), path))
    except FileNotFoundError:
        return _Seen.of(None, {})


def _refuse_unsafe(found: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(found.st_mode) or found.st_size > _MOST_BYTES:
        raise _damaged(path)
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise StoreUnavailable(
            f"{path} can be written by others, so no token is accepted",
            hint=f"run `chmod 600 {path}`, then check `cortex admin tokens list` for unknown tokens",
        )


def _parsed(content: bytes, path: Path) -> dict[str, _Kept]:
    try:
        payload = json.loads(content)
        version = payload["version"]
        if isinstance(version, int) and version > VERSION:
            raise StoreTooNew(f"{path} was written by a newer Cortex", hint="upgrade Cortex; no token is accepted")
        kept = [_kept(entry) for entry in payload["tokens"]] if version == VERSION else None
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError, InvalidRequest):
        # Without the cause, which quotes the file.
        raise _damaged(path) from None
    by_id = {each.token.id: each for each in kept or ()}
    if kept is None or len(by_id) != len(kept):
        raise _damaged(path)
    return by_id


def _kept(entry: dict[str, Any]) -> _Kept:
    """Parse one token. An unknown key is an error: it may restrict the token."""
    digest = bytes.fromhex(entry.pop("sha256"))
    if len(digest) != _DIGEST_BYTES:
        raise ValueError("sha256")
    created, ends, revoked = (_time(entry.pop(name)) for name in ("created_at", "expires_at", "revoked_at"))
    expired = _time(entry.pop("expired_at", None))  # older files have none
    if created is None:
        raise ValueError("created_at")
    agents = entry.pop("agents", [])
    if not isinstance(agents, list):
        raise ValueError("agents")
    token = AccessToken(
        **entry, agents=tuple(agents), created_at=created, expires_at=ends, revoked_at=revoked, expired_at=expired
    )
    return _Kept(token, digest)


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


def _time(text: str | None) -> datetime | None:
    return None if text is None else aware(datetime.fromisoformat(text), "time")


def _damaged(path: Path) -> StoreCorrupt:
    return StoreCorrupt(
        f"{path} is damaged, so no token is accepted",
        hint="restore it from a copy, or move it away and create new tokens with `cortex admin tokens create`",
    )


def _write(path: Path, kept: Mapping[str, _Kept], before: _Stamp | None) -> None:
    """Replace the file atomically: readers see the old or the new content."""
    tokens = [each.token.to_json() | {"sha256": each.digest.hex()} for each in kept.values()]
    _write_whole(path, json.dumps({"version": VERSION, "tokens": tokens}, ensure_ascii=False, indent=1), before)


def _write_whole(path: Path, content: str, before: _Stamp | None = None) -> None:
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)  # left by a crash
    try:
        with open(fresh, "xb", opener=_privately) as file:
            file.write(content.encode())
            file.flush()
            _make_later(file.fileno(), before)
            os.fsync(file.fileno())
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _make_later(file: int, before: _Stamp | None) -> None:
    """Give each change a later time, even within one tick of the clock or after it steps back."""
    found = os.fstat(file)
    if before is not None and found.st_mtime_ns <= before.modified_ns:
        os.utime(file, ns=(found.st_atime_ns, before.modified_ns + 1))


def _sync_folder(folder: Path) -> None:
    place = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(place)
    finally:
        os.close(place)


def _make_private(folder: Path) -> None:
    for each in reversed((folder, *folder.parents)):
        if not each.exists():  # `parents=True` would create the folders in between readable by everyone
            each.mkdir(mode=0o700, exist_ok=True)


def _privately(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _without_waiting(path: str, flags: int) -> int:
    # Opening a named pipe would otherwise block.
    return os.open(path, flags | os.O_NONBLOCK)

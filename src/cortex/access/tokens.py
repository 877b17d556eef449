"""Tokens: made, listed, revoked and checked. A secret is told once; the file keeps its digest alone.

Whoever asks is refused unless the file clearly says otherwise: a damaged file, one that others may write, and one of
a newer Cortex let nobody in. That there are tokens is also said by a file beside it, so that nobody is let in where the
one with the tokens is missing. A token that was once seen expired is marked so in the file: the clock may step back.
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
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
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
"""What the file is called under home."""

REQUIRED_NAME = "auth-required"
"""What the file is called that says there are tokens. Not after them, so that what removes those leaves it."""

MOST_TOKENS = 10_000
VERSION = 1

_REQUIRED = """\
Tokens were created for this home. While this file is here, `cortex serve` lets nobody in without a token, even if
tokens.json is missing. To go back to needing none on this machine, run `cortex token clear`.
"""

log = logging.getLogger("cortex.access")

_ID_BYTES, _SECRET_BYTES, _DIGEST_BYTES = 6, 32, 32
_MOST_BYTES = 64 * 1024 * 1024
_PAUSE_SECONDS = 0.02
_ID = re.compile(rf"[0-9a-f]{{{2 * _ID_BYTES}}}")
_SECRET = re.compile(rf"ctx_({_ID.pattern})_[A-Za-z0-9_-]{{43}}")
_OF_NOBODY = bytes(_DIGEST_BYTES)


class Right(StrEnum):
    """What a token allows. Each includes the ones before it."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """What is known of a token, apart from its secret: it stands for one tenant, and allows its rights there."""

    id: str
    agent: str
    user: str
    rights: frozenset[Right]
    """With those they include, so that asking whether one is among them is enough."""
    label: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    expired_at: datetime | None = None
    """When it was first seen to be expired; from then on it is, whatever the clock says."""

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise InvalidRequest("is not the id of a token", field="id", hint="`cortex token list` shows them")
        Tenant(self.agent, self.user)
        if self.label != "":
            checked_label(self.label, "label")
        object.__setattr__(self, "rights", _with_included(self.rights))

    @property
    def tenant(self) -> Tenant:
        return Tenant(self.agent, self.user)

    def allows(self, right: Right) -> bool:
        return right in self.rights

    def state(self, now: datetime) -> Literal["active", "expired", "revoked"]:
        """Whether it is still good at `now`; only an active token lets anyone in."""
        if self.revoked_at is not None:
            return "revoked"
        if self.expired_at is not None:
            return "expired"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "active"

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "agent": self.agent,
            "user": self.user,
            "rights": [right.value for right in Right if right in self.rights],
            "label": self.label,
            "created_at": self.created_at.isoformat(),
            "expires_at": self.expires_at.isoformat() if self.expires_at else None,
            "revoked_at": self.revoked_at.isoformat() if self.revoked_at else None,
            "expired_at": self.expired_at.isoformat() if self.expired_at else None,
        }


class Tokens:
    """The tokens in one file, which any number of processes may use at once."""

    patience_seconds = 10.0
    """How long a change waits for another process to finish its own."""

    def __init__(self, path: Path, clock: Clock, entropy: Callable[[int], bytes] = os.urandom) -> None:
        self._path = path
        self._clock = clock
        self._entropy = entropy
        self._required = path.with_name(REQUIRED_NAME)
        self._seen = _Seen.of(None, {})
        self._expired: dict[str, datetime] = {}
        self._reading = threading.Lock()

    def create(
        self, tenant: Tenant, rights: Iterable[Right], *, label: str = "", expires_in: timedelta | None = None
    ) -> tuple[str, Token]:
        """A new token and its secret, which nobody can be told again."""
        now = aware(self._clock.now(), "now")
        token = Token(
            id=self._entropy(_ID_BYTES).hex(),
            agent=tenant.agent,
            user=tenant.user,
            rights=frozenset(rights),
            label=label,
            created_at=now,
            expires_at=_end(now, expires_in),
            revoked_at=None,
        )
        drawn = base64.urlsafe_b64encode(self._entropy(_SECRET_BYTES)).decode().rstrip("=")
        secret = f"ctx_{token.id}_{drawn}"
        with self._changing() as kept:
            if token.id in kept:
                raise Conflict(f"there is a token {token.id} already", hint="try again: ids are drawn at random")
            _make_room(kept, now)
            kept[token.id] = _Kept(token, _digest(secret))
        return secret, token

    def all(self) -> list[Token]:
        """Every token, oldest first; those that expired or were revoked included."""
        found = (each.token for each in self._held().values())
        return sorted(found, key=lambda token: (token.created_at, token.id))

    def revoke(self, id: str) -> Token:
        """Let this token in no more, at once and everywhere. Whoever holds but its secret may give that as its id."""
        named = found[1] if (found := _SECRET.fullmatch(id)) else id
        with self._changing() as kept:
            if named not in kept:
                # What is no id may be most of a secret: it is not repeated.
                told = f"there is no token {named}" if _ID.fullmatch(named) else "this is not the id of a token"
                raise NotFound(told, hint="`cortex token list` shows them")
            held = kept[named]
            if held.token.revoked_at is None:
                held = replace(held, token=replace(held.token, revoked_at=aware(self._clock.now(), "now")))
            kept[named] = held
        return held.token

    def clear(self) -> None:
        """Take every token away for good, and need none from now on: this machine is let in without one."""
        with _named_errors(self._path), self._locked():
            # In this order: whoever dies in between has closed the door, and can do it again.
            self._path.unlink(missing_ok=True)
            self._required.unlink(missing_ok=True)
            _sync_folder(self._path.parent)

    def missing(self) -> StoreUnavailable | None:
        """That tokens were created and the file that knows them is gone, if it is so; then nobody is let in."""
        self._held()
        if self._seen.stamp is not None or not self._required.exists():
            return None
        # By its name alone: whoever asks from outside is told this too.
        return StoreUnavailable(
            f"tokens were created, and {self._path.name} is missing, so nobody is let in",
            hint="bring it back from a copy, make a token with `cortex token create`, or need none again with"
            " `cortex token clear`",
        )

    def check(self, secret: str) -> Token | None:
        """The token that `secret` proves, while it is good; None for all others. Asks the file only when it changed."""
        held = self._held()
        found = _SECRET.fullmatch(secret)
        kept = held.get(found[1]) if found else None
        # Ids are no secret, so they are looked up; digests are compared in constant time, and where there is none to
        # compare with, against one that nothing has: how long a refusal takes tells nothing about any secret.
        proven = hmac.compare_digest(_digest(secret if found else ""), kept.digest if kept else _OF_NOBODY)
        if kept is None or not proven:
            return None
        return kept.token if kept.token.state(self._clock.now()) == "active" else None

    def _held(self) -> Mapping[str, _Kept]:
        """What is in the file, read again only where it is no longer the one that was read."""
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
        """Tokens that were seen expired are so from now on, here; whether there are any of which the file says not."""
        marked = self._marked(self._seen.kept, now)
        if marked == self._seen.kept:
            return False
        for id, each in marked.items():
            if each.token.expired_at is not None:
                self._expired[id] = each.token.expired_at
        self._seen = _Seen.of(self._seen.stamp, marked)
        return True

    def _marked(self, kept: Mapping[str, _Kept], now: datetime) -> dict[str, _Kept]:
        """`kept`, with those marked expired that are, or that this process once saw to be."""
        return {id: each.expired(max(now, self._expired.get(id, now))) for id, each in kept.items()}

    def _record(self) -> None:
        """Have the files say what this process knows already. No request waits for it, or fails by it."""
        try:
            with self._changing(patience_seconds=0):
                pass
        except EngineError as error:
            log.warning("the file of tokens could not be brought up to date: %s", error)

    @contextmanager
    def _changing(self, patience_seconds: float | None = None) -> Iterator[dict[str, _Kept]]:
        """What is in the file, to be changed by one process at a time; it is written when the block ends well."""
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
        # A file of its own, since the one with the tokens is another after every change. Closing it lets go.
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
        raise StoreBusy(f"{self._path} is being changed by another process", hint="try again when it has ended")


@dataclass(frozen=True, slots=True)
class _Kept:
    """A token as the file has it."""

    token: Token
    digest: bytes = field(repr=False)

    def expired(self, by: datetime) -> _Kept:
        """The same, marked as expired where it is by then, and is not marked yet."""
        if self.token.expired_at is not None or self.token.state(by) != "expired":
            return self
        return replace(self, token=replace(self.token, expired_at=by))


class _Stamp(NamedTuple):
    """Tells one state of the file from every other: each change makes a new file with a later time."""

    inode: int
    modified_ns: int
    changed_ns: int
    size: int

    @classmethod
    def of(cls, found: os.stat_result) -> _Stamp:
        return cls(found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size)


class _Seen(NamedTuple):
    """What was read, and of which state of the file; without a stamp there was none."""

    stamp: _Stamp | None
    kept: Mapping[str, _Kept]
    next_end: datetime | None
    """When the next of them expires."""

    @classmethod
    def of(cls, stamp: _Stamp | None, kept: Mapping[str, _Kept]) -> _Seen:
        held = (each.token for each in kept.values())
        ends = (token.expires_at for token in held if token.expired_at is None and token.revoked_at is None)
        return cls(stamp, kept, min((end for end in ends if end is not None), default=None))

    def ends_by(self, now: datetime) -> bool:
        """Whether one of them is over by `now` and not marked as such."""
        return self.next_end is not None and self.next_end <= now


def _digest(secret: str) -> bytes:
    # Plain SHA-256 is enough here: slow, salted hashes protect what people make up, and nobody guesses 32 random bytes.
    # The text is hashed rather than the bytes it stands for, since base64 has more than one text for the same bytes.
    return hashlib.sha256(secret.encode("ascii")).digest()


def _with_included(rights: Iterable[Right]) -> frozenset[Right]:
    given = [chosen(Right, right, "rights") for right in rights]
    if not given:
        raise InvalidRequest("names none", field="rights", hint=f"give some of {', '.join(Right)}")
    ladder = list(Right)
    return frozenset(ladder[: 1 + max(ladder.index(right) for right in given)])


def _end(now: datetime, expires_in: timedelta | None) -> datetime | None:
    if expires_in is None:
        return None
    try:
        end = now + expires_in
    except OverflowError:
        end = now
    if end <= now or end.year == MAXYEAR:  # within the last year of the calendar not every zone has a time for it
        raise InvalidRequest("ends before it begins, or never", field="expires_in", hint="give one such as 30 days")
    return end


def _make_room(kept: dict[str, _Kept], now: datetime) -> None:
    """Where all places are taken, give up the oldest token that is no longer good: as an unknown one it is refused."""
    if len(kept) < MOST_TOKENS:
        return
    over = [each.token for each in kept.values() if each.token.state(now) != "active"]
    if not over:
        raise InvalidRequest(
            f"there are {len(kept):,} of at most {MOST_TOKENS:,}", field="tokens", hint="revoke what is not in use"
        )
    del kept[min(over, key=lambda token: (token.created_at, token.id)).id]


# --- the file ---------------------------------------------------------------------------------------------------------


@contextmanager
def _named_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise full_disk(error, path) or StoreUnavailable(
            f"{path} cannot be used: {error.strerror or error}",
            hint="check the owner and the permissions",
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
            hint=f"run `chmod 600 {path}`, then look for strangers in `cortex token list`",
        )


def _parsed(content: bytes, path: Path) -> dict[str, _Kept]:
    try:
        told = json.loads(content)
        version = told["version"]
        if isinstance(version, int) and version > VERSION:
            raise StoreTooNew(f"{path} was written by a newer Cortex", hint="upgrade Cortex; no token is accepted")
        kept = [_kept(entry) for entry in told["tokens"]] if version == VERSION else None
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError, InvalidRequest):
        # Without its cause: that one quotes the file.
        raise _damaged(path) from None
    by_id = {each.token.id: each for each in kept or ()}
    if kept is None or len(by_id) != len(kept):
        raise _damaged(path)
    return by_id


def _kept(entry: dict[str, Any]) -> _Kept:
    """A token of the file. A key we do not know is an error: it may well limit what the token allows."""
    digest = bytes.fromhex(entry.pop("sha256"))
    if len(digest) != _DIGEST_BYTES:
        raise ValueError("sha256")
    made, ends, revoked = (_time(entry.pop(name)) for name in ("created_at", "expires_at", "revoked_at"))
    over = _time(entry.pop("expired_at", None))  # files of before have none
    if made is None:
        raise ValueError("created_at")
    return _Kept(Token(**entry, created_at=made, expires_at=ends, revoked_at=revoked, expired_at=over), digest)


def _time(text: str | None) -> datetime | None:
    return None if text is None else aware(datetime.fromisoformat(text), "time")


def _damaged(path: Path) -> StoreCorrupt:
    return StoreCorrupt(
        f"{path} is damaged, so no token is accepted",
        hint="bring it back from a copy, or move it away and make new tokens with `cortex token create`",
    )


def _write(path: Path, kept: Mapping[str, _Kept], before: _Stamp | None) -> None:
    """Replace the file as a whole: whoever reads it, or dies meanwhile, has the old one or the new one."""
    tokens = [each.token.to_json() | {"sha256": each.digest.hex()} for each in kept.values()]
    _write_whole(path, json.dumps({"version": VERSION, "tokens": tokens}, ensure_ascii=False, indent=1), before)


def _write_whole(path: Path, content: str, before: _Stamp | None = None) -> None:
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)  # of a process that died
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
    """Two changes within one tick of the file system's clock, or across a step back of it, still have two times."""
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
        if not each.exists():  # `parents=True` would make those in between for everyone to read
            each.mkdir(mode=0o700, exist_ok=True)


def _privately(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _without_waiting(path: str, flags: int) -> int:
    # A pipe in the place of the file would otherwise wait for somebody to write to it.
    return os.open(path, flags | os.O_NONBLOCK)

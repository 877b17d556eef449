"""Access tokens: create, list, revoke and check. A secret is shown once; only its digest is kept.

They are one document: a file under the home, or a row in a store that several hosts share. Access is refused in doubt:
if the document is damaged, writable by others, or written by a newer Cortex. A second document records that tokens
were created, so that missing tokens let nobody in. A token that was once seen expired is marked, because the clock may
step back.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import logging
import os
import re
import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import MAXYEAR, datetime, timedelta
from enum import StrEnum
from typing import Any, Literal, NamedTuple, TypeVar

from cortex.domain.choices import aware, chosen
from cortex.domain.scope import Tenant, checked_label
from cortex.errors import (
    Conflict,
    EngineError,
    InvalidRequest,
    NotFound,
    StoreCorrupt,
    StoreTooNew,
    StoreUnavailable,
)
from cortex.ports.clock import Clock
from cortex.ports.documents import TOKENS, Bodies, Documents

T = TypeVar("T")

REQUIRED = "auth-required"
"""The document that records that tokens were created. `rm tokens*` does not match its file."""

_NAMES = (TOKENS, REQUIRED)

MOST_TOKENS = 10_000
VERSION = 1

_REQUIRED_BODY = b"""\
Tokens were created for this home. While this file is here, `cortex serve` lets nobody in without a token, even if
tokens.json is missing. To go back to needing none on this machine, run `cortex admin tokens clear`.
"""

log = logging.getLogger("cortex.access")

_ID_BYTES, _SECRET_BYTES, _DIGEST_BYTES = 6, 32, 32
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


class Tokens:
    """The tokens in one place, which several processes, and hosts that share a store, may use at once."""

    def __init__(self, documents: Documents, clock: Clock, entropy: Callable[[int], bytes] = os.urandom) -> None:
        self._documents = documents
        self._clock = clock
        self._entropy = entropy
        self._seen = _Seen.of(None, None, {})
        self._expired: dict[str, datetime] = {}
        self._reading = threading.Lock()

    @property
    def is_shared(self) -> bool:
        """Whether other hosts use the same tokens."""
        return self._documents.is_shared

    @property
    def where(self) -> str:
        """Where they are, for people."""
        return self._documents.where(TOKENS)

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

        def add(kept: dict[str, _Kept]) -> None:
            if token.id in kept:
                raise Conflict(f"token {token.id} already exists", hint="try again: ids are random")
            _make_room(kept, now)
            kept[token.id] = _Kept(token, _digest(secret))

        self._change(add)
        return secret, token

    def all(self) -> list[AccessToken]:
        """Every token, oldest first, with expired and revoked ones."""
        found = (each.token for each in self._held().values())
        return sorted(found, key=lambda token: (token.created_at, token.id))

    def revoke(self, id: str) -> AccessToken:
        """Revoke a token at once and everywhere. Its secret is accepted in place of its id."""
        named = found[1] if (found := _SECRET.fullmatch(id)) else id

        def mark(kept: dict[str, _Kept]) -> AccessToken:
            if named not in kept:
                # It may be part of a secret, so it is not repeated.
                message = f"there is no token {named}" if _ID.fullmatch(named) else "this is not the id of a token"
                raise NotFound(message, hint="`cortex admin tokens list` shows them")
            held = kept[named]
            if held.token.revoked_at is None:
                held = replace(held, token=replace(held.token, revoked_at=aware(self._clock.now(), "now")))
            kept[named] = held
            return held.token

        return self._change(mark)

    def clear(self) -> None:
        """Delete all tokens. From now on this machine needs none, nor does a host that shares the store."""
        self._documents.change(_NAMES, lambda bodies: bodies.update(dict.fromkeys(_NAMES)))

    def missing(self) -> StoreUnavailable | None:
        """The error if tokens were created and are missing; then access is refused."""
        self._held()
        if self._seen.version is not None or self._seen.required is None:
            return None
        # Without the place: clients see this message too.
        return StoreUnavailable(
            f"{TOKENS} is missing although tokens were created, so access is refused",
            hint="restore a copy, run `cortex admin tokens create`, or `cortex admin tokens clear` to need no token",
        )

    def check(self, secret: str) -> AccessToken | None:
        """The active token with this secret, or None. The tokens are read only after a change."""
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
        """The tokens, read again only after a change."""
        now, lags = self._clock.now(), False
        versions = self._documents.version(TOKENS), self._documents.version(REQUIRED)
        if versions != self._seen.versions or self._seen.ends_by(now):
            with self._reading:  # one thread reads them for all that wait
                if versions != self._seen.versions:
                    self._seen = self._read()
                    lags = bool(self._seen.kept) and self._seen.required is None
                lags |= self._expire(now)
        if lags:
            self._record()
        return self._seen.kept

    def _read(self) -> _Seen:
        found, required = self._documents.read(TOKENS), self._documents.version(REQUIRED)
        if found is None:
            return _Seen.of(None, required, {})
        return _Seen.of(found.version, required, _parsed(found.body, self.where))

    def _expire(self, now: datetime) -> bool:
        """Mark expired tokens in memory; returns whether the document does not have all marks yet."""
        marked = self._marked(self._seen.kept, now)
        if marked == self._seen.kept:
            return False
        for id, each in marked.items():
            if each.token.expired_at is not None:
                self._expired[id] = each.token.expired_at
        self._seen = _Seen.of(*self._seen.versions, marked)
        return True

    def _marked(self, kept: Mapping[str, _Kept], now: datetime) -> dict[str, _Kept]:
        """`kept` with marks on tokens that are expired, or that this process once saw expired."""
        return {id: each.expired(max(now, self._expired.get(id, now))) for id, each in kept.items()}

    def _record(self) -> None:
        """Write the marks down. No request waits for this or fails because of it."""
        try:
            self._change(lambda _: None, wait=False)
        except EngineError as error:
            log.warning("the tokens could not be updated: %s", error)

    def _change(self, edit: Callable[[dict[str, _Kept]], T], *, wait: bool = True) -> T:
        """Change the tokens while nobody else does; nothing is written if `edit` raises."""

        def change(bodies: Bodies) -> T:
            before = {} if (body := bodies[TOKENS]) is None else _parsed(body, self.where)
            kept = self._marked(before, self._clock.now())
            result = edit(kept)
            if kept and bodies[REQUIRED] is None:
                bodies[REQUIRED] = _REQUIRED_BODY
            if kept != before:
                bodies[TOKENS] = _encoded(kept)
            return result

        return self._documents.change(_NAMES, change, wait=wait)


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


class _Seen(NamedTuple):
    """The tokens as they were read, with the versions of both documents; None means that there is none."""

    version: Hashable | None
    required: Hashable | None
    kept: Mapping[str, _Kept]
    next_end: datetime | None
    """When the next token expires."""

    @classmethod
    def of(cls, version: Hashable | None, required: Hashable | None, kept: Mapping[str, _Kept]) -> _Seen:
        held = (each.token for each in kept.values())
        ends = (token.expires_at for token in held if token.expired_at is None and token.revoked_at is None)
        return cls(version, required, kept, min((end for end in ends if end is not None), default=None))

    @property
    def versions(self) -> tuple[Hashable | None, Hashable | None]:
        return self.version, self.required

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
    """If there are too many, drop the oldest inactive token; it is refused as unknown too."""
    if len(kept) < MOST_TOKENS:
        return
    over = [each.token for each in kept.values() if each.token.state(now) != "active"]
    if not over:
        raise InvalidRequest(
            f"the limit of {MOST_TOKENS:,} active tokens is reached", field="tokens", hint="revoke unused tokens"
        )
    del kept[min(over, key=lambda token: (token.created_at, token.id)).id]


# --- the document ----------------------------------------------------------------------------------------------------


def _parsed(content: bytes, where: str) -> dict[str, _Kept]:
    try:
        payload = json.loads(content)
        version = payload["version"]
        if isinstance(version, int) and version > VERSION:
            raise StoreTooNew(f"{where} was written by a newer Cortex", hint="upgrade Cortex; no token is accepted")
        kept = [_kept(entry) for entry in payload["tokens"]] if version == VERSION else None
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError, InvalidRequest):
        # Without the cause, which quotes the file.
        raise _damaged(where) from None
    by_id = {each.token.id: each for each in kept or ()}
    if kept is None or len(by_id) != len(kept):
        raise _damaged(where)
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


def _damaged(where: str) -> StoreCorrupt:
    return StoreCorrupt(
        f"{where} is damaged, so no token is accepted",
        hint="restore it from a copy, or move it away and create new tokens with `cortex admin tokens create`",
    )


def _encoded(kept: Mapping[str, _Kept]) -> bytes:
    tokens = [each.token.to_json() | {"sha256": each.digest.hex()} for each in kept.values()]
    return json.dumps({"version": VERSION, "tokens": tokens}, ensure_ascii=False, indent=1).encode()

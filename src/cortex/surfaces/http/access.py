"""Who asks, as which tenant, with which rights; and by what name and from which page the server was reached."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from starlette.datastructures import Headers

from cortex.access.tokens import Right, Tokens
from cortex.domain.scope import Tenant
from cortex.errors import StoreUnavailable
from cortex.surfaces.http.errors import Problem, Refused
from cortex.surfaces.http.options import LOOPBACK_NAMES, ServeOptions

log = logging.getLogger("cortex.http")

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
OPEN_PATHS = frozenset({"/health", "/ready", "/"})
"""What whoever watches over processes asks, without a token; the answers tell nothing of what is remembered."""

OPEN_FOLDER = "/assets/"
"""The files of the dashboard. They are the same for everybody; what they show is asked for with a token."""

_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="cortex"'}


def is_open(path: str) -> bool:
    """Whether a path is answered without a token."""
    return path in OPEN_PATHS or path.startswith(OPEN_FOLDER)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: the bearer of a token, or whoever is at this machine while there are no tokens."""

    tenant: Tenant
    rights: frozenset[Right]
    token_id: str | None = None

    def require(self, right: Right) -> None:
        if right not in self.rights:
            raise Refused(
                _forbidden(f"the token does not allow to {_VERBS[right]}", "use one with the right, or ask for one")
            )

    def acting_for(self, agent: str | None, user: str | None) -> Tenant:
        """Whose memory is meant, where it may be this caller's to use."""
        meant = Tenant(agent or self.tenant.agent, user or self.tenant.user)
        if meant == self.tenant:
            return meant
        if self.token_id is None:
            # Without tokens whoever asks is trusted with this agent; other agents are other people's.
            if meant.agent == self.tenant.agent:
                return meant
            raise Refused(_forbidden("another agent is meant than the one served here", _MAKE_TOKEN))
        if Right.ADMIN in self.rights:
            return meant
        raise Refused(_forbidden("the token is of another agent or user", "leave them out, or use their own token"))


_VERBS = {Right.READ: "read", Right.WRITE: "write", Right.ADMIN: "administer"}
_MAKE_TOKEN = "make a token for it with `cortex token create`"  # noqa: S105 - says how to make one


class Access:
    """Decides who comes in. Without any token the door is open, to this machine and its default tenant alone."""

    def __init__(self, tokens: Tokens, options: ServeOptions, default: Tenant) -> None:
        self._tokens = tokens
        self._is_local = options.is_local
        self._open = Caller(default, frozenset(Right))
        self._were_missing = False

    def caller(self, headers: Headers) -> Caller:
        """Who asks; a token that is given must be good even where none is needed."""
        if gone := self.missing():
            raise Refused(_unknown(gone.message, gone.hint))
        given = headers.get("authorization")
        if given is None:
            # A token that was revoked still counts: taking the last one away must not open the door.
            if self._is_local and not self._tokens.all():
                return self._open
            raise Refused(_unknown("a token is needed", "send `Authorization: Bearer <token>`"))
        scheme, _, secret = given.partition(" ")
        token = self._tokens.check(secret.strip()) if scheme.lower() == "bearer" else None
        if token is None:
            raise Refused(_unknown("the token is not known, or no longer good", "see `cortex token list`"))
        return Caller(Tenant(token.agent, token.user), token.rights, token.id)


    def missing(self) -> StoreUnavailable | None:
        """Why nobody can be let in, where the tokens are gone; the log is told once each time."""
        gone = self._tokens.missing()
        if gone is not None and not self._were_missing:
            log.warning("%s", gone)
        self._were_missing = gone is not None
        return gone


class Names:
    """The names by which the server may be asked. Any other may be a page that had a name of its own point here."""

    def __init__(self, options: ServeOptions) -> None:
        bind = frozenset() if options.host in {"0.0.0.0", "::", ""} else frozenset({options.host})  # noqa: S104
        self._names = frozenset(name.lower() for name in (*LOOPBACK_NAMES, *bind, *options.allowed_hosts))
        self._origins = frozenset(origin.lower().rstrip("/") for origin in options.allowed_origins)

    def check(self, method: str, headers: Headers) -> None:
        host = headers.get("host", "")
        if _name(host) not in self._names:
            raise Refused(
                Problem(
                    status=421,
                    code="host_not_allowed",
                    detail="the server is not known by this name",
                    hint="add it to serve.allowed_hosts",
                )
            )
        origin = headers.get("origin")
        if method not in SAFE_METHODS and origin is not None and not self._is_ours(origin.lower(), host.lower()):
            raise Refused(
                _forbidden("a page of another origin asks", "add it to serve.allowed_origins", "origin_not_allowed")
            )

    def _is_ours(self, origin: str, host: str) -> bool:
        return origin in self._origins or origin in {f"http://{host}", f"https://{host}"}


def _name(host: str) -> str:
    """The name in a Host header, without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


def _unknown(detail: str, hint: str) -> Problem:
    return Problem(status=401, code="unauthorized", detail=detail, hint=hint, headers=_CHALLENGE)


def _forbidden(detail: str, hint: str, code: str = "forbidden") -> Problem:
    return Problem(status=403, code=code, detail=detail, hint=hint)

"""Authentication: the caller, their tenant and rights; and the host names and origins that are allowed."""

from __future__ import annotations

import hmac
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.datastructures import Headers

from cortex.access.tokens import Right, Tokens
from cortex.domain.scope import Tenant
from cortex.errors import StoreUnavailable
from cortex.surfaces.http.errors import ProblemDetail, RequestRefused
from cortex.surfaces.http.options import LOOPBACK_NAMES, ServeOptions

log = logging.getLogger("cortex.http")

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
OPEN_PATHS = frozenset({"/health", "/ready", "/"})
"""Paths without a token, for probes; the answers reveal nothing about memories."""

OPEN_FOLDER = "/assets/"
"""The files of the dashboard, the same for everybody. They load their data with a token."""

_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="cortex"'}


def is_open(path: str) -> bool:
    """Whether a path needs no token."""
    return path in OPEN_PATHS or path.startswith(OPEN_FOLDER)


@dataclass(frozen=True, slots=True)
class Caller:
    """The bearer of a token, or anyone on this machine while there are no tokens."""

    tenant: Tenant
    rights: frozenset[Right]
    token_id: str | None = None
    agents: frozenset[str] | None = frozenset()
    """The agents a host may act for, with all their users; None for every agent."""

    def require(self, right: Right) -> None:
        if right not in self.rights:
            raise RequestRefused(
                forbidden(f"the token does not have the right to {_VERBS[right]}", "use a token that has it")
            )

    def acting_for(self, agent: str | None, user: str | None) -> Tenant:
        """The tenant that the request names, if the caller may use it."""
        named = self.tenant.named(agent, user)
        if named == self.tenant:
            return named
        if self.token_id is None:
            # Without tokens a local caller may use every user of this agent, but no other agent.
            if named.agent == self.tenant.agent:
                return named
            raise RequestRefused(forbidden("this server serves another agent", _CREATE_TOKEN))
        if Right.ADMIN in self.rights or self._may_host(named.agent):
            return named
        raise RequestRefused(
            forbidden("the token belongs to another agent or user", "leave out agent and user, or use their token")
        )

    def _may_host(self, agent: str) -> bool:
        return Right.HOST in self.rights and (self.agents is None or agent in self.agents)


_VERBS = {Right.READ: "read", Right.WRITE: "write", Right.HOST: "act for a host", Right.ADMIN: "administer"}
_CREATE_TOKEN = "create a token for it with `cortex admin tokens create`"  # noqa: S105 - a hint


class Authenticator:
    """Authenticates callers. Without any token, this machine may use the default tenant."""

    def __init__(
        self, tokens: Tokens, options: ServeOptions, default: Tenant, host_secrets: Sequence[str] = ()
    ) -> None:
        self._tokens = tokens
        self._host_secrets = tuple(secret.encode() for secret in host_secrets)
        self._host = Caller(default, frozenset(Right) - {Right.ADMIN}, "host", None)
        self._is_local = options.is_local
        self._open = Caller(default, frozenset(Right))
        self._were_missing = False

    def caller(self, headers: Headers) -> Caller:
        """The caller. A token that is sent must be valid even if none is needed."""
        given = headers.get("authorization")
        if given is not None and self._tokens.is_shared and self._is_host(given.partition(" ")[2].strip()):
            # No token limits the host, and its turns must go on while the store is out of reach.
            return self._host
        if error := self.missing():
            raise RequestRefused(_unknown(error.message, error.hint))
        if given is None:
            # Revoked tokens count: revoking the last one must not open access.
            if self._is_local and not self._tokens.all():
                return self._open
            raise RequestRefused(_unknown("a token is required", "send `Authorization: Bearer <token>`"))
        scheme, _, secret = given.partition(" ")
        if self._is_host(secret.strip()):
            return self._host
        token = self._tokens.check(secret.strip()) if scheme.lower() == "bearer" else None
        if token is None:
            raise RequestRefused(_unknown("the token is unknown, expired or revoked", "see `cortex admin tokens list`"))
        return Caller(token.tenant, token.rights, token.id, frozenset({token.agent, *token.agents}))

    def _is_host(self, secret: str) -> bool:
        """Whether this is the secret of the process that started the server, or the one in the server's file."""
        given = secret.encode()
        return any(hmac.compare_digest(given, each) for each in self._host_secrets)

    def missing(self) -> StoreUnavailable | None:
        """The error if the tokens are missing; it is logged once each time."""
        error = self._tokens.missing()
        if error is not None and not self._were_missing:
            log.warning("%s", error)
        self._were_missing = error is not None
        return error


class AllowedHosts:
    """The host names and origins of the server. Another host name may be a DNS rebinding attack."""

    def __init__(self, options: ServeOptions) -> None:
        bind = frozenset() if options.host in {"0.0.0.0", "::", ""} else frozenset({options.host})  # noqa: S104
        self._names = frozenset(name.lower() for name in (*LOOPBACK_NAMES, *bind, *options.allowed_hosts))
        self._origins = frozenset(origin.lower().rstrip("/") for origin in options.allowed_origins)

    def check(self, method: str, headers: Headers) -> None:
        host = headers.get("host", "")
        if _name(host) not in self._names:
            raise RequestRefused(
                ProblemDetail(
                    status=421,
                    code="host_not_allowed",
                    detail="the host name is not allowed",
                    hint="add it to serve.allowed_hosts",
                )
            )
        origin = headers.get("origin")
        if method not in SAFE_METHODS and origin is not None and not self._is_ours(origin.lower(), host.lower()):
            raise RequestRefused(
                forbidden("the origin is not allowed", "add it to serve.allowed_origins", "origin_not_allowed")
            )

    def _is_ours(self, origin: str, host: str) -> bool:
        return origin in self._origins or origin in {f"http://{host}", f"https://{host}"}


def _name(host: str) -> str:
    """The name in a Host header, without the port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


def _unknown(detail: str, hint: str) -> ProblemDetail:
    return ProblemDetail(status=401, code="unauthorized", detail=detail, hint=hint, headers=_CHALLENGE)


def forbidden(detail: str, hint: str, code: str = "forbidden") -> ProblemDetail:
    return ProblemDetail(status=403, code=code, detail=detail, hint=hint)

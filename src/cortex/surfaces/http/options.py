"""How the server is set up: where it listens, whom it answers, and what it bears."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, fields

from cortex.settings import Settings

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """What an operator can set under `[serve]`."""

    host: str = "127.0.0.1"
    port: int = 8300
    allowed_hosts: tuple[str, ...] = ()
    """Further names the server is asked by, such as that of a proxy in front of it."""
    allowed_origins: tuple[str, ...] = ()
    """Pages of other origins that may change something, such as https://desk.example."""
    max_body_bytes: int = 1 << 20
    max_history_bytes: int = 16 << 20
    """The same for histories, imports and flush plans, which are handed over whole."""
    max_keys: int = 1_000
    """How many keys one JSON object may have."""
    max_header_bytes: int = 32 << 10
    max_concurrent: int = 64
    max_connections: int = 1_000
    rate_per_minute: int = 6_000
    """How many requests one token may make; 0 for as many as it likes."""
    request_timeout_ms: int = 30_000
    long_timeout_ms: int = 300_000
    """The same for export, import and lifecycle runs."""
    receive_timeout_ms: int = 10_000
    """How long a client may take to send its headers, and then its body."""
    shutdown_seconds: int = 10

    @classmethod
    def of(cls, settings: Settings, **given: object) -> ServeOptions:
        """As the settings say, and as `given` in their place."""
        told = getattr(settings, "serve", None)
        known = {each.name: getattr(told, each.name) for each in fields(cls) if hasattr(told, each.name)}
        chosen = {name: value for name, value in given.items() if value is not None}
        return cls(**{**known, **chosen})

    @property
    def is_local(self) -> bool:
        """Whether nobody but this machine can reach the server."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether a host to listen on is this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

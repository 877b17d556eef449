"""How the server is set up: where it listens, whom it answers, and what it bears."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, fields

from cortex.settings import ServeSettings, Settings

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, kw_only=True)
class ServeOptions(ServeSettings):
    """What an operator can set under `[serve]`, and what follows from it."""

    @classmethod
    def of(cls, settings: Settings, **given: object) -> ServeOptions:
        """As the settings say, and as `given` in their place."""
        known = {each.name: getattr(settings.serve, each.name) for each in fields(cls)}
        return cls(**known | {name: value for name, value in given.items() if value is not None})

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

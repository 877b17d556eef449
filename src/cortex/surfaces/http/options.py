"""The options of the server: address, allowed hosts and limits."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, fields

from cortex.settings import ServeSettings, Settings

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, kw_only=True)
class ServeOptions(ServeSettings):
    """The settings under `[serve]`, and what follows from them."""

    @classmethod
    def of(cls, settings: Settings, **given: object) -> ServeOptions:
        """The settings, overridden by `given`."""
        known = {each.name: getattr(settings.serve, each.name) for each in fields(cls)}
        return cls(**known | {name: value for name, value in given.items() if value is not None})

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether a host address is local to this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

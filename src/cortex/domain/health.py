"""What a check of an installation is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Group(StrEnum):
    """What a check is about, in the order of the report."""

    MACHINE = "machine"
    HOME = "home"
    MEMORY = "memory"
    PROVIDERS = "providers"
    SERVING = "serving"
    HOSTS = "hosts"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing an installation needs. `ok` is None for a warning: it works, but needs attention."""

    name: str
    ok: bool | None
    detail: str
    fix: str = ""
    group: Group = Group.MACHINE

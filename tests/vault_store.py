"""A store of a third party that connects with a password: installed by its entry point, and opened by its URL."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

SECRET, OTHER_SECRET = "tell-n0b@dy", "hush-hush"
URL = "vault://cortex:tell-n0b%40dy@{host}/memory?sslpassword=hush-hush"

MODULE = """
from dataclasses import dataclass, replace

from cortex.errors import StoreUnavailable
from cortex.options import SettingsSection, switch
from cortex.ports.store import Abilities
from cortex.stores.ephemeral import EphemeralStore

ABILITIES = Abilities(durable=True, multi_process=True)


@dataclass(frozen=True)
class OPTIONS(SettingsSection):
    steel: bool = switch(True, "Whether the door is of steel.")


class VaultStore(EphemeralStore):
    abilities = ABILITIES

    def describe(self):
        return {"doors": 1}


def check_url(url, *, home):
    url.refuse_query("sslpassword")


def create(url, *, agent, home, options):
    host = url.parts().hostname
    if host == "raw":
        raise ValueError(f"no route for {url.reveal()}, with the password tell-n0b@dy and hush-hush")
    if host == "named":
        raise StoreUnavailable(f"{url.reveal()} refused tell-n0b%40dy", hint=f"see {url.reveal()}")
    return VaultStore()


def checks(url, *, home, clock):
    return ()
"""


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package in `folder`, for this process and those it starts."""
    (folder / "vault_store_module.py").write_text(MODULE, encoding="utf-8")
    about = folder / "vault_store-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: vault-store\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text("[cortex.stores]\nvault = vault_store_module:create\n", encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    importlib.invalidate_caches()


def url(host: str = "db.example") -> str:
    return URL.format(host=host)


def is_told(text: str) -> bool:
    """Whether a text gives one of the secrets away."""
    return any(secret in text for secret in (SECRET, "tell-n0b%40dy", OTHER_SECRET))

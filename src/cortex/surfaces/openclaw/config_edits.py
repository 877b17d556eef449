"""What the host's configuration needs for the plugin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cortex.surfaces.hosts.config_file import ConfigEdit, value_at
from cortex.surfaces.openclaw.host import HostConfig
from cortex.surfaces.openclaw.plugin_files import PLUGIN

ENTRY = ("plugins", "entries", PLUGIN)
SLOT = ("plugins", "slots", "memory")
ALLOW = ("plugins", "allow")
GRANT = (*ENTRY, "hooks", "allowConversationAccess")
INJECTION = (*ENTRY, "hooks", "allowPromptInjection")
MEMORY_CORE = ("plugins", "entries", "memory-core", "enabled")
SEPARATE_CHATS = ("session", "dmScope")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the configuration should say."""

    command: str
    """The cortex program that the plugin starts."""
    home: Path
    silence_memory_core: bool = False
    separate_chats: bool = False
    """Whether every sender gets a session of their own."""


def edits(config: HostConfig, wishes: Wishes) -> list[ConfigEdit]:
    """What is still missing, in the order of the file that it makes."""
    _check_shape(config)
    wanted = [
        ConfigEdit((*ENTRY, "enabled"), True),
        ConfigEdit(GRANT, True),
        ConfigEdit((*ENTRY, "config", "command"), wishes.command),
        ConfigEdit((*ENTRY, "config", "home"), str(wishes.home)),
        ConfigEdit(SLOT, PLUGIN),
    ]
    if isinstance(config.at(*ALLOW), list):
        wanted.append(ConfigEdit(ALLOW, PLUGIN, is_item=True))
    if config.at(*INJECTION) is False:
        wanted.append(ConfigEdit(INJECTION, True))
    if wishes.silence_memory_core:
        wanted.append(ConfigEdit(MEMORY_CORE, False))
    if wishes.separate_chats:
        wanted.append(ConfigEdit(SEPARATE_CHATS, "per-channel-peer"))
    return [edit for edit in wanted if not edit.is_done(config.content)]


def _check_shape(config: HostConfig) -> None:
    """Refuse what a new value would not change, or would destroy."""
    for path, kind, name in ((ALLOW, list, "a list"), (SLOT[:-1], Mapping, "an object"), (ENTRY, Mapping, "an object")):
        for length in range(1, len(path)):
            if not isinstance(value_at(config.content, path[:length]), Mapping | None):
                raise config.refused(f"{'.'.join(path[:length])} is not an object", "fix the file first")
        found = config.at(*path)
        if found is not None and not isinstance(found, kind):
            raise config.refused(f"{'.'.join(path)} is not {name}", "fix the file first")
    if config.at("plugins", "enabled") is False:
        raise config.refused("plugins.enabled is false, so that no plugin is loaded", "set it to true first")
    denied = config.at("plugins", "deny")
    if isinstance(denied, list) and PLUGIN in denied:
        raise config.refused(f"plugins.deny names {PLUGIN}", "remove it from the list first")

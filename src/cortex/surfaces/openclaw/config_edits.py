"""What the host's configuration needs for the plugin, and how to take it back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cortex.errors import InvalidRequest
from cortex.surfaces.mcp import json_config
from cortex.surfaces.openclaw.host import HostConfig, value_at
from cortex.surfaces.openclaw.plugin_files import PLUGIN

ENTRY = ("plugins", "entries", PLUGIN)
SLOT = ("plugins", "slots", "memory")
ALLOW = ("plugins", "allow")
GRANT = (*ENTRY, "hooks", "allowConversationAccess")
INJECTION = (*ENTRY, "hooks", "allowPromptInjection")
MEMORY_CORE = ("plugins", "entries", "memory-core", "enabled")
SEPARATE_CHATS = ("session", "dmScope")

_MISSING = object()


@dataclass(frozen=True, slots=True)
class ConfigEdit:
    """One value to set, or one item to add to a list."""

    path: tuple[str, ...]
    value: Any
    is_item: bool = False

    @property
    def name(self) -> str:
        return ".".join(self.path)

    def is_done(self, content: Any) -> bool:
        found = value_at(content, self.path)
        if self.is_item:
            return isinstance(found, list) and self.value in found
        return type(found) is type(self.value) and bool(found == self.value)

    def apply(self, text: str, file: str) -> str:
        if not self.is_item:
            return json_config.put(text, self.path, self.value, field=file)
        return json_config.append(text, self.path, self.value, field=file)

    def to_json(self, before: Any = None) -> dict[str, Any]:
        return {"path": self.name, "value": self.value, "is_item": self.is_item, "before": before}


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
                raise _refused(config, f"{'.'.join(path[:length])} is not an object", "fix the file first")
        found = config.at(*path)
        if found is not None and not isinstance(found, kind):
            raise _refused(config, f"{'.'.join(path)} is not {name}", "fix the file first")
    if config.at("plugins", "enabled") is False:
        raise _refused(config, "plugins.enabled is false, so that no plugin is loaded", "set it to true first")
    denied = config.at("plugins", "deny")
    if isinstance(denied, list) and PLUGIN in denied:
        raise _refused(config, f"plugins.deny names {PLUGIN}", "remove it from the list first")


def _refused(config: HostConfig, message: str, hint: str) -> InvalidRequest:
    return InvalidRequest(message, field=str(config.file), hint=f"{hint}; nothing was changed")


def applied(config: HostConfig, given: Sequence[ConfigEdit]) -> str:
    """The text of the configuration with these edits."""
    text = config.text or ""
    for edit in given:
        text = edit.apply(text, str(config.file))
    return text


def taken_back(config: HostConfig, before: Any, given: Sequence[ConfigEdit]) -> tuple[str, list[ConfigEdit]]:
    """The text without these edits, for a file that was changed since, and the edits that somebody changed.

    A value that was there before is restored, and what somebody else wrote stays.
    """
    text, kept = config.text or "", []
    for edit in given:
        if not edit.is_done(json_config.read(text, field=str(config.file)).plain):
            kept.append(edit)
        elif edit.is_item:
            text = json_config.remove_item(text, edit.path, edit.value, field=str(config.file))
        elif (value := _value(before, edit.path)) is not _MISSING:
            text = json_config.put(text, edit.path, value, field=str(config.file))
        else:
            for path in _left_empty(text, edit.path, before, config.file):
                text = json_config.remove(text, path, field=str(config.file))
    return text, kept


def _left_empty(text: str, path: tuple[str, ...], before: Any, file: Path) -> Iterator[tuple[str, ...]]:
    """`path`, and the objects around it that hold nothing else and were not there before."""
    yield path
    content = json_config.read(text, field=str(file)).plain
    while len(path) > 1:
        path = path[:-1]
        if _value(before, path) is not _MISSING or len(value_at(content, path)) > 1:
            return
        yield path


def _value(content: Any, path: Sequence[str]) -> Any:
    """The value at a path, or a mark that it is missing."""
    for key in path:
        if not isinstance(content, Mapping) or key not in content:
            return _MISSING
        content = content[key]
    return content

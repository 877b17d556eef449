"""Puts our files into a coding agent and takes them out again. What was there before is kept, to be restored."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cortex.errors import EngineError, InvalidRequest
from cortex.surfaces.hosts import record_file
from cortex.surfaces.hosts.coding_agents import CodingAgent, Command
from cortex.surfaces.hosts.config_file import (
    ConfigEdit,
    ConfigFile,
    FileRecord,
    applied,
    current_text,
    digest,
    put_text,
    without_edits,
)
from cortex.surfaces.mcp import json_config

_FOLDER = "hosts"
_TOML = "config.toml"
_VERSION = ("version",)


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file that an installation writes."""

    config: ConfigFile
    text: str
    edits: tuple[ConfigEdit, ...] = ()
    block: str = ""
    """What is added at the end of a TOML file."""

    @property
    def file(self) -> Path:
        return self.config.file

    @property
    def is_own(self) -> bool:
        """Whether the whole file is ours."""
        return not self.edits and not self.block

    @property
    def is_needed(self) -> bool:
        return self.text != self.config.text

    def to_json(self) -> dict[str, Any]:
        added = [edit.to_json() for edit in self.edits]
        kind = "copied" if self.is_own else "edited"
        return {"file": str(self.file), "kind": kind, "edits": added, "block": self.block or None}


@dataclass(frozen=True, slots=True)
class AgentRecord:
    """What an installation changed, kept in the home."""

    files: Mapping[Path, FileRecord]
    blocks: Mapping[Path, str] = field(default_factory=dict)
    folders: tuple[Path, ...] = ()
    """The folders that it created, the outer ones first."""

    def save(self, home: Path, name: str) -> None:
        path = _record_file(home, name)
        payload = {
            "files": {str(file): record.to_json() for file, record in self.files.items()},
            "blocks": {str(file): block for file, block in self.blocks.items()},
            "folders": [str(folder) for folder in self.folders],
        }
        record_file.save(path, payload)

    @classmethod
    def load(cls, home: Path, name: str) -> AgentRecord | None:
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            payload = json.loads(_record_file(home, name).read_text(encoding="utf-8"))
            files = {Path(file): FileRecord.from_json(record) for file, record in payload["files"].items()}
            blocks = {Path(file): str(block) for file, block in payload["blocks"].items()}
            return cls(files, blocks, tuple(Path(folder) for folder in payload["folders"]))
        return None


def _record_file(home: Path, name: str) -> Path:
    return home / _FOLDER / f"{name}.json"


# --- install ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AgentPlan:
    """What an installation would change."""

    agent: CodingAgent
    changes: tuple[FileChange, ...]
    outdated: tuple[Path, ...] = ()
    """Files of an earlier version that go."""


def plan(agent: CodingAgent, command: Command) -> AgentPlan:
    """What is missing for the agent to use this memory. Nothing is changed."""
    agent.check_found()
    earlier = AgentRecord.load(command.home, agent.name)
    own = agent.contents(command)
    changes = [_own_file(file, text, earlier) for file, text in own.items()]
    for name, edits in agent.edits(command).items():
        changes.append(_edited(agent.folder() / name, edits, earlier))
    if agent.toml:
        changes.append(_appended(agent.folder() / _TOML, agent.toml))
    outdated = [] if earlier is None else [file for file in _owned(earlier) if file not in own and file.exists()]
    return AgentPlan(agent, tuple(change for change in changes if change.is_needed), tuple(outdated))


def _own_file(file: Path, text: str, earlier: AgentRecord | None) -> FileChange:
    before = current_text(file)
    known = earlier is not None and file in earlier.files
    if before is not None and not known and "cortex" not in before.lower():
        raise InvalidRequest("is not a file of Cortex", field=str(file), hint="move it away first; nothing was changed")
    return FileChange(ConfigFile(file, before, None), text)


def _edited(file: Path, edits: Sequence[ConfigEdit], earlier: AgentRecord | None) -> FileChange:
    config = ConfigFile.read(file)
    # The version of a file that is there says what its other values mean.
    edits = [edit for edit in edits if edit.path != _VERSION or config.at(*_VERSION) is None]
    for edit in edits:
        _check_shape(config, edit)
    text = _without_earlier(config, edits, earlier)
    base = ConfigFile(file, config.text, _content(text, file))
    missing = tuple(edit for edit in edits if not edit.is_done(base.content))
    return FileChange(config, applied(ConfigFile(file, text, base.content), missing), missing)


def _without_earlier(config: ConfigFile, edits: Sequence[ConfigEdit], earlier: AgentRecord | None) -> str | None:
    """The text without items of an earlier installation that are other now, such as with another path."""
    record = earlier.files.get(config.file) if earlier else None
    old = [edit for edit in record.edits if edit.is_item and edit not in edits] if record else []
    return without_edits(config, None, old)[0] if old and config.text is not None else config.text


def _content(text: str | None, file: Path) -> Any:
    return json_config.read(text or "", field=str(file)).plain


def _check_shape(config: ConfigFile, edit: ConfigEdit) -> None:
    for length in range(1, len(edit.path)):
        if not isinstance(config.at(*edit.path[:length]), Mapping | None):
            raise config.refused(f"{'.'.join(edit.path[:length])} is not an object", "fix the file first")
    found = config.at(*edit.path)
    if edit.is_item and found is not None and not isinstance(found, list):
        raise config.refused(f"{edit.name} is not a list", "fix the file first")


def _appended(file: Path, block: str) -> FileChange:
    text = current_text(file)
    config = ConfigFile(file, text, _parsed(file, text or ""))
    wanted = _parsed(file, block)
    ((table, entries),) = wanted.items()
    (name,) = entries
    there = config.at(table, name)
    if isinstance(there, Mapping):
        if there.get("enabled") is False:
            raise config.refused(f"{table}.{name} is disabled there", "set enabled = true, or remove it")
        return FileChange(config, text or "", block="")
    before = text or ""
    after = before + ("" if not before or before.endswith("\n") else "\n") + ("\n" if before else "") + block
    try:
        tomllib.loads(after)
    except tomllib.TOMLDecodeError:
        raise config.refused(f"{table} is written so that nothing can be added", f"add {name} by hand") from None
    return FileChange(config, after, block=after[len(before) :])


def _parsed(file: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidRequest(
            f"is not TOML: {error}", field=str(file), hint="fix the file first; nothing was changed"
        ) from None


def carry_out(plan: AgentPlan, home: Path) -> None:
    """Carry out a plan; if a file cannot be written, those before it are as they were."""
    for change in plan.changes:
        change.config.check_editable()
    earlier = AgentRecord.load(home, plan.agent.name)
    record = _recorded(plan, earlier)
    record.save(home, plan.agent.name)
    written: list[FileChange] = []
    try:
        for change in plan.changes:
            change.config.write(change.text)
            written.append(change)
    except EngineError:
        for change in written:
            put_text(change.file, change.config.text)
        _remove_folders(record.folders)
        if earlier is None:
            record_file.remove(_record_file(home, plan.agent.name))
        else:
            earlier.save(home, plan.agent.name)
        raise
    for file in plan.outdated:
        with suppress(OSError):
            file.unlink()
            _remove_empty(file.parent, plan.agent.folder())


def _recorded(plan: AgentPlan, earlier: AgentRecord | None) -> AgentRecord:
    files = dict(earlier.files) if earlier else {}
    blocks = dict(earlier.blocks) if earlier else {}
    folders = dict.fromkeys(earlier.folders if earlier else ())
    for file in plan.outdated:
        files.pop(file, None)
    for change in plan.changes:
        files[change.file] = FileRecord.of(change.config, change.edits, change.text, files.get(change.file))
        if change.block:
            blocks[change.file] = change.block
        folders |= dict.fromkeys(_new_folders(change.file.parent))
    return AgentRecord(files, blocks, tuple(sorted(folders)))


def _new_folders(folder: Path) -> Iterator[Path]:
    while not folder.exists() and folder != folder.parent:
        yield folder
        folder = folder.parent


def _owned(record: AgentRecord) -> list[Path]:
    return [file for file, each in record.files.items() if not each.edits and file not in record.blocks]


# --- uninstall --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AgentRemoval:
    """What is taken back."""

    restored: Mapping[Path, str | None]
    """The files that change, with their text; None for those that go."""
    kept: tuple[str, ...] = ()
    """What somebody changed since; it stays."""
    is_exact: bool = True
    """Whether everything is byte for byte as it was before the installation."""


def removal(agent: CodingAgent, home: Path) -> AgentRemoval | None:
    """What an uninstallation would do; None if nothing is installed."""
    record = AgentRecord.load(home, agent.name)
    if record is None:
        return _without_record(agent)
    restored: dict[Path, str | None] = {}
    kept: list[str] = []
    is_exact = True
    for file, each in record.files.items():
        text, left = _without_our_edits(file, each, record.blocks.get(file))
        is_exact = is_exact and text == each.before
        kept += [f"{file}: {name}" for name in left]
        if text != current_text(file):
            restored[file] = text
    return AgentRemoval(restored, tuple(kept), is_exact)


def _without_record(agent: CodingAgent) -> AgentRemoval | None:
    """What is ours beyond doubt."""
    restored: dict[Path, str | None] = {agent.root / name: None for name in agent.files if (agent.root / name).exists()}
    toml = agent.folder() / _TOML
    if agent.toml and (text := current_text(toml)) is not None and text.count(agent.toml) == 1:
        restored[toml] = text.replace(agent.toml, "")
    return AgentRemoval(restored, is_exact=False) if restored else None


def _without_our_edits(file: Path, record: FileRecord, block: str | None) -> tuple[str | None, list[str]]:
    text = current_text(file)
    if text is None or (record.is_exact and digest(text) == record.after):
        return (None if text is None else record.before), []
    if block is not None:
        if text.count(block) == 1:
            return text.replace(block, ""), []
        return text, [block.strip().splitlines()[0]]
    if not record.edits:  # ours, whatever was changed in it
        return record.before, []
    back, kept = record.restored(ConfigFile.read(file))
    return back, [edit.name for edit in kept]


def uninstall(agent: CodingAgent, home: Path, found: AgentRemoval) -> None:
    """Take back what `carry_out` did. Memories are not touched."""
    record = AgentRecord.load(home, agent.name)
    for file in found.restored:
        ConfigFile(file, None, None).check_editable()
    for file, text in found.restored.items():
        put_text(file, text)
    _remove_folders(record.folders if record is not None else [file.parent for file in found.restored])
    record_file.remove(_record_file(home, agent.name))


def _remove_folders(folders: Sequence[Path]) -> None:
    for folder in sorted(folders, reverse=True):
        with suppress(OSError):
            folder.rmdir()


def _remove_empty(folder: Path, stop: Path) -> None:
    while folder != stop and folder != folder.parent and not os.listdir(folder):
        folder.rmdir()
        folder = folder.parent

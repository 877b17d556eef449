"""Puts the plugin into OpenClaw and takes it out again. What was there before is kept, to be restored byte for byte."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cortex.errors import EngineError
from cortex.surfaces.hosts import record_file
from cortex.surfaces.hosts.config_file import ConfigEdit, FileRecord, applied, current_text, put_text, without_edits
from cortex.surfaces.openclaw import config_edits, plugin_files
from cortex.surfaces.openclaw.config_edits import ALLOW, ENTRY, SLOT, Wishes
from cortex.surfaces.openclaw.host import HostConfig, OpenClaw
from cortex.surfaces.openclaw.plugin_files import PLUGIN, PluginFolder

_FOLDER = "openclaw"
_REFUSALS = 5
"""How many lines of the host's own error to repeat."""


@dataclass(frozen=True, slots=True)
class InstallRecord:
    """What an installation changed, kept in the home."""

    config: Path
    change: FileRecord
    plugin: Path | None
    """Where the plugin was copied to."""

    def save(self, home: Path) -> None:
        path = _record_file(home, self.config)
        plugin = str(self.plugin) if self.plugin else None
        payload = {"config": str(self.config), **self.change.to_json(), "plugin": plugin}
        record_file.save(path, payload)

    @classmethod
    def load(cls, home: Path, config: Path) -> InstallRecord | None:
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            payload = json.loads(_record_file(home, config).read_text(encoding="utf-8"))
            return cls(config, FileRecord.from_json(payload), Path(payload["plugin"]) if payload["plugin"] else None)
        return None


def _record_file(home: Path, config: Path) -> Path:
    name = hashlib.sha256(os.path.realpath(config).encode()).hexdigest()[:16]
    return home / _FOLDER / f"{name}.json"


# --- install ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InstallPlan:
    """What an installation would change."""

    host: OpenClaw
    config: HostConfig
    edits: Sequence[ConfigEdit]
    source: PluginFolder
    target: Path
    copies: bool
    """Whether the plugin is missing there, or is not the one of this version."""

    @property
    def changes(self) -> bool:
        return self.copies or bool(self.edits)


def plan(host: OpenClaw, wishes: Wishes) -> InstallPlan:
    """What is missing for the plugin to work. Nothing is changed."""
    host.check_found()
    config = HostConfig.read(host.config)
    source, there = PluginFolder.packaged(), plugin_files.installed(host, config)
    copy = host.extensions / PLUGIN
    # A folder that the configuration names is the operator's own.
    is_named = there is not None and there.path != copy
    copies = not is_named and (there is None or not there.is_same(source))
    target = there.path if there is not None else copy
    return InstallPlan(host, config, config_edits.edits(config, wishes), source, target, copies)


def carry_out(plan: InstallPlan, home: Path) -> InstallRecord | None:
    """Carry out a plan; None if there was nothing to do. A host that refuses its new configuration gets the old one."""
    if not plan.changes:
        return None
    plan.config.check_editable()
    was_there, earlier = plan.target.exists(), InstallRecord.load(home, plan.config.file)
    text = applied(plan.config, plan.edits)
    change = FileRecord.of(plan.config, plan.edits, text, earlier.change if earlier else None)
    copied = plan.target if plan.copies and not was_there else None
    record = InstallRecord(plan.config.file, change, (earlier.plugin if earlier else None) or copied)
    record.save(home)
    try:
        if plan.copies:
            plan.source.copy_to(plan.target)
        if plan.edits:
            plan.config.write(text)
            _check_accepted(plan.host)
    except EngineError:
        if current_text(plan.config.file) == text:
            put_text(plan.config.file, plan.config.text)
        if not was_there:
            shutil.rmtree(plan.target, ignore_errors=True)
        if earlier is None:
            record_file.remove(_record_file(home, plan.config.file))
        else:
            earlier.save(home)
        raise
    return record


def _check_accepted(host: OpenClaw) -> None:
    """Let the host read its new configuration, if its program is here."""
    if host.program is None:
        return
    ran = host.run("config", "validate")
    if ran.returncode:
        lines = [line.strip() for line in f"{ran.stdout}\n{ran.stderr}".splitlines() if line.strip()]
        raise EngineError(
            f"OpenClaw refuses the configuration: {'; '.join(lines[:_REFUSALS])}",
            hint=f"the file is as it was; run `{host.command('doctor')}`",
        )


# --- uninstall --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UninstallResult:
    """What was taken back."""

    config: Path
    changed: bool
    is_exact: bool
    """Whether the file is byte for byte as it was before the installation."""
    kept: tuple[str, ...]
    """The values that somebody changed since; they stay."""
    plugin: Path | None
    """The copy that was removed."""


def uninstall(host: OpenClaw, home: Path, *, dry_run: bool = False) -> UninstallResult:
    """Take back what `carry_out` did. Memories are not touched."""
    host.check_found()
    config = HostConfig.read(host.config)
    record = InstallRecord.load(home, config.file)
    copy = host.extensions / PLUGIN
    plugin = copy if PluginFolder(copy).is_ours and not copy.is_symlink() else None
    text, kept = _restored(config, record)
    is_exact = record is not None and text == record.change.before
    result = UninstallResult(
        config.file, text != config.text or plugin is not None, is_exact, tuple(edit.name for edit in kept), plugin
    )
    if dry_run or not result.changed:
        return result
    if text != config.text:
        config.check_editable()
        config.write(text)
    # The host refuses a configuration whose memory slot names a plugin that is gone: the folder goes last.
    if plugin is not None:
        shutil.rmtree(plugin, ignore_errors=True)
        with suppress(OSError):
            if record is not None and record.plugin:
                plugin.parent.rmdir()
    record_file.remove(_record_file(home, config.file))
    return result


def _restored(config: HostConfig, record: InstallRecord | None) -> tuple[str | None, list[ConfigEdit]]:
    if config.text is None:
        return None, []
    if record is not None:
        return record.change.restored(config)
    # Without a record: what only the plugin needs.
    ours = (ConfigEdit(ENTRY, config.at(*ENTRY)), ConfigEdit(SLOT, PLUGIN), ConfigEdit(ALLOW, PLUGIN, is_item=True))
    return without_edits(config, None, [edit for edit in ours if edit.value and edit.is_done(config.content)])


def summary(plan: InstallPlan) -> dict[str, Any]:
    """The plan for programs."""
    return {
        "config": str(plan.config.file),
        "changes": [edit.to_json(plan.config.at(*edit.path)) for edit in plan.edits],
        "plugin": {"path": str(plan.target), "version": plan.source.version, "copied": plan.copies},
    }

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

from cortex.errors import Conflict, EngineError, InvalidRequest, StoreUnavailable, full_disk
from cortex.surfaces.mcp import json_config
from cortex.surfaces.mcp.hosts import replace_file, text_of
from cortex.surfaces.openclaw import config_edits, plugin_files
from cortex.surfaces.openclaw.config_edits import ALLOW, ENTRY, SLOT, ConfigEdit, Wishes
from cortex.surfaces.openclaw.host import HostConfig, OpenClaw
from cortex.surfaces.openclaw.plugin_files import PLUGIN, PluginFolder

_FOLDER = "openclaw"
_REFUSALS = 5
"""How many lines of the host's own error to repeat."""


@dataclass(frozen=True, slots=True)
class InstallRecord:
    """What an installation changed, kept in the home."""

    config: Path
    before: str | None
    """The file as it was; None if there was none."""
    after: str
    """The digest of the file as it was written."""
    is_exact: bool
    """Whether all that happened between the two is ours."""
    edits: tuple[ConfigEdit, ...]
    plugin: Path | None
    """Where the plugin was copied to."""

    def save(self, home: Path) -> None:
        path = _record_file(home, self.config)
        payload = {
            "config": str(self.config), "before": self.before, "after": self.after, "is_exact": self.is_exact,
            "edits": [edit.to_json() for edit in self.edits], "plugin": str(self.plugin) if self.plugin else None,
        }  # fmt: skip
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            replace_file(path, json.dumps(payload, ensure_ascii=False, indent=2))
        except OSError as error:
            raise full_disk(error, path) or StoreUnavailable(
                f"{path} cannot be written: {error.strerror or error}", hint="check the permissions of the home"
            ) from error

    @classmethod
    def load(cls, home: Path, config: Path) -> InstallRecord | None:
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            payload = json.loads(_record_file(home, config).read_text(encoding="utf-8"))
            edits = [ConfigEdit(tuple(e["path"].split(".")), e["value"], e["is_item"]) for e in payload["edits"]]
            plugin = Path(payload["plugin"]) if payload["plugin"] else None
            return cls(config, payload["before"], payload["after"], payload["is_exact"], tuple(edits), plugin)
        return None


def _record_file(home: Path, config: Path) -> Path:
    name = hashlib.sha256(os.path.realpath(config).encode()).hexdigest()[:16]
    return home / _FOLDER / f"{name}.json"


def _forget(home: Path, config: Path) -> None:
    with suppress(OSError):
        _record_file(home, config).unlink()
        (home / _FOLDER).rmdir()


def _digest(text: str | None) -> str:
    return "" if text is None else hashlib.sha256(text.encode()).hexdigest()


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
    text = config_edits.applied(plan.config, plan.edits)
    record = _record(plan, earlier, text, plan.target if plan.copies and not was_there else None)
    record.save(home)
    try:
        if plan.copies:
            plan.source.copy_to(plan.target)
        if plan.edits:
            _write(plan.config, text)
            _check_accepted(plan.host)
    except EngineError:
        if _current(plan.config) == text:
            _put(plan.config.file, plan.config.text)
        if not was_there:
            shutil.rmtree(plan.target, ignore_errors=True)
        _forget(home, plan.config.file) if earlier is None else earlier.save(home)
        raise
    return record


def _record(plan: InstallPlan, earlier: InstallRecord | None, text: str, copied: Path | None) -> InstallRecord:
    """What to keep; what an earlier installation kept goes before."""
    if earlier is None:
        return InstallRecord(plan.config.file, plan.config.text, _digest(text), True, tuple(plan.edits), copied)
    known = {edit.path for edit in plan.edits}
    edits = (*(edit for edit in earlier.edits if edit.path not in known), *plan.edits)
    is_exact = earlier.is_exact and earlier.after == _digest(plan.config.text)
    return InstallRecord(plan.config.file, earlier.before, _digest(text), is_exact, edits, earlier.plugin or copied)


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
    is_exact = record is not None and text == record.before
    result = UninstallResult(
        config.file, text != config.text or plugin is not None, is_exact, tuple(edit.name for edit in kept), plugin
    )
    if dry_run or not result.changed:
        return result
    if text != config.text:
        config.check_editable()
        _write(config, text)
    # The host refuses a configuration whose memory slot names a plugin that is gone: the folder goes last.
    if plugin is not None:
        shutil.rmtree(plugin, ignore_errors=True)
        with suppress(OSError):
            if record is not None and record.plugin:
                plugin.parent.rmdir()
    _forget(home, config.file)
    return result


def _restored(config: HostConfig, record: InstallRecord | None) -> tuple[str | None, list[ConfigEdit]]:
    if config.text is None:
        return None, []
    if record is not None and record.is_exact and record.after == _digest(config.text):
        return record.before, []
    if record is not None:
        before = json_config.read(record.before or "", field=str(config.file)).plain
        return config_edits.taken_back(config, before, record.edits)
    # Without a record: what only the plugin needs.
    ours = (ConfigEdit(ENTRY, config.at(*ENTRY)), ConfigEdit(SLOT, PLUGIN), ConfigEdit(ALLOW, PLUGIN, is_item=True))
    return config_edits.taken_back(config, {}, [edit for edit in ours if edit.value and edit.is_done(config.content)])


# --- the file ---------------------------------------------------------------------------------------------------------


def _current(config: HostConfig) -> str | None:
    return text_of(Path(os.path.realpath(config.file)), str(config.file))


def _write(config: HostConfig, text: str | None) -> None:
    """Replace the file, unless somebody else wrote to it meanwhile."""
    if _current(config) != config.text:
        raise Conflict(f"{config.file} was edited meanwhile", hint="run the command again; nothing was changed")
    _put(config.file, text)


def _put(file: Path, text: str | None) -> None:
    # A configuration is often a symbolic link.
    real = Path(os.path.realpath(file))
    try:
        if text is None:
            real.unlink(missing_ok=True)
            return
        real.parent.mkdir(parents=True, exist_ok=True)
        replace_file(real, text)
    except OSError as error:
        raise full_disk(error, file) or InvalidRequest(
            f"cannot be written: {error.strerror or error}", field=str(file), hint="check its permissions"
        ) from error


def summary(plan: InstallPlan) -> dict[str, Any]:
    """The plan for programs."""
    return {
        "config": str(plan.config.file),
        "changes": [edit.to_json(plan.config.at(*edit.path)) for edit in plan.edits],
        "plugin": {"path": str(plan.target), "version": plan.source.version, "copied": plan.copies},
    }

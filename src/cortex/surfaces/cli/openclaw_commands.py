"""OpenClaw as a host (E1): what `hosts install`, `hosts doctor` and `hosts uninstall` do for it."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import EngineError, InvalidRequest, ProviderMissing
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface, surface_of

if TYPE_CHECKING:
    from cortex.domain.health import Check
    from cortex.surfaces.openclaw.config_edits import Wishes
    from cortex.surfaces.openclaw.host import OpenClaw
    from cortex.surfaces.openclaw.imports import Import
    from cortex.surfaces.openclaw.installer import InstallPlan

FAILED = 1
"""Exit code if a check failed."""

OPENCLAW = "openclaw"

Profile = Annotated[str | None, typer.Option(metavar="NAME", help="OpenClaw: one of its profiles ($OPENCLAW_PROFILE).")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")]


def install(
    context: typer.Context,
    profile: str | None,
    silence_memory_core: bool,
    import_: bool,
    yes: bool,
    dry_run: bool,
) -> None:
    """Install the plugin in OpenClaw, give it the memory slot, and import what OpenClaw remembers."""
    from cortex.surfaces.openclaw import installer
    from cortex.surfaces.openclaw.host import OpenClaw

    surface, host = surface_of(context), OpenClaw.find(profile)
    host.check_found()
    _check_version(host)
    plan = installer.plan(host, _wishes(surface, host, silence_memory_core=silence_memory_core))
    problems: list[tuple[str, str]] = []
    imports = _imports(surface, plan, problems) if import_ else []
    if not surface.json:
        _show_plan(plan, imports)
    is_asked = not (yes or dry_run) and (plan.changes or bool(imports))
    if is_asked and plan.changes and not confirm("Install the plugin?"):
        raise typer.Abort
    changed = plan.changes and not dry_run
    if changed:
        installer.carry_out(plan, surface.root.absolute())
        if not surface.json:
            output.plain(f"installed; {surface.root / 'openclaw'} keeps what was there before")
    done = [] if dry_run else _carry_out_imports(surface, imports, problems, is_asked=is_asked)
    next_steps = [f"{host.command('gateway', 'restart')}", "cortex hosts doctor openclaw"] if changed else []
    if surface.json:
        output.show_json({
            "version": host.version,
            **installer.summary(plan),
            "changed": changed,
            "found": [{"agent": each.agent, "kind": each.kind, "about": each.about} for each in imports],
            "imported": done,
            "problems": [{"message": message, "hint": hint} for message, hint in problems],
            "next": next_steps,
        })  # fmt: skip
        return
    from cortex.surfaces.cli import rendering

    output.show(*(rendering.notice(message, hint) for message, hint in problems))
    for step in next_steps:
        output.plain(f"next: {step}")


def doctor(context: typer.Context, profile: str | None, deep: bool, fix: bool, yes: bool) -> int:
    """Check everything that the plugin needs in OpenClaw, and show how to fix each problem."""
    from cortex.surfaces.openclaw.checks import PluginChecks
    from cortex.surfaces.openclaw.host import OpenClaw

    surface, host = surface_of(context), OpenClaw.find(profile)
    home = surface.root.absolute()
    fixed = _fix(surface, host, PluginChecks(host, home).checks(), yes=yes) if fix else []
    order = list(groups())
    found = sorted(PluginChecks(host, home).checks(deep=deep), key=lambda check: order.index(check.group))
    if surface.json:
        from cortex.surfaces.wire.upkeep import DoctorResponse

        output.show_json(DoctorResponse.of(found).to_json() | {"fixed": fixed})
    else:
        from cortex.surfaces.cli import rendering

        for each in fixed:
            output.plain(f"fixed: {each}")
        output.show(*rendering.checks(found, fixable=FIXABLE, command="cortex hosts doctor openclaw --fix"))
    return FAILED if any(each.ok is False for each in found) else 0


def uninstall(context: typer.Context, profile: str | None, yes: bool, dry_run: bool) -> None:
    """Remove the plugin and restore OpenClaw's configuration. Memories are kept."""
    from cortex.surfaces.openclaw import installer
    from cortex.surfaces.openclaw.host import OpenClaw

    surface, host = surface_of(context), OpenClaw.find(profile)
    home = surface.root.absolute()
    planned = installer.uninstall(host, home, dry_run=True)
    if planned.changed and not surface.json:
        how = "as it was, byte for byte" if planned.is_exact else "without our values; it was edited since"
        output.plain(f"{planned.config}: {how}")
        output.plain(f"remove {planned.plugin}" if planned.plugin else "no copy of the plugin to remove")
    changed = planned.changed and not dry_run and (yes or confirm("Uninstall?"))
    result = installer.uninstall(host, home) if changed else planned
    if surface.json:
        output.show_json({
            "config": str(result.config),
            "changed": changed,
            "is_exact": result.is_exact,
            "kept": list(result.kept),
            "plugin": str(result.plugin) if result.plugin else None,
        })  # fmt: skip
        return
    if not planned.changed:
        output.plain("nothing to uninstall")
    if changed:
        output.plain(f"uninstalled; the memories in {home} are kept")
        output.plain(f"next: {host.command('gateway', 'restart')}")
    if result.kept:
        output.plain(f"changed by somebody since, and left alone: {', '.join(result.kept)}")


# --- install ----------------------------------------------------------------------------------------------------------


def _check_version(host: OpenClaw) -> None:
    from cortex.surfaces.openclaw.host import OLDEST, UPDATE_HOST

    if host.is_older:
        raise EngineError(f"OpenClaw {host.version} is older than {OLDEST}", hint=UPDATE_HOST)


def _wishes(
    surface: Surface, host: OpenClaw, *, silence_memory_core: bool = False, separate_chats: bool = False
) -> Wishes:
    from cortex.surfaces.openclaw.config_edits import Wishes

    return Wishes(_command(host), surface.root.absolute(), silence_memory_core, separate_chats)


def _command(host: OpenClaw) -> str:
    """The cortex program that the plugin should start: the one that is set if it is of this version, or this one."""
    from cortex._version import __version__
    from cortex.surfaces.hosts.versions import version_of
    from cortex.surfaces.openclaw.config_edits import ENTRY
    from cortex.surfaces.openclaw.host import HostConfig

    given = HostConfig.read(host.config).at(*ENTRY, "config", "command")
    if isinstance(given, str) and (there := shutil.which(given)) and version_of(there) == __version__:
        return given
    return program_here()


def program_here() -> str:
    """The cortex program of this environment: a host has another PATH than the one who installs it."""
    found = shutil.which("cortex", path=str(Path(sys.executable).parent)) or shutil.which("cortex")
    if found is None:
        raise ProviderMissing("the cortex program is not on PATH", hint="install memory-cortex into an environment")
    return str(Path(found).absolute())


def _show_plan(plan: InstallPlan, imports: Sequence[Import]) -> None:
    version = plan.host.version or "of unknown version"
    output.plain(f"OpenClaw {version}, configured in {plan.config.file}")
    if plan.host.is_newer:
        output.plain("  this release is newer than those that were tested")
    if plan.copies:
        output.plain(f"  copy the plugin {plan.source.version} to {plan.target}")
    for edit in plan.edits:
        value, before = json.dumps(edit.value, ensure_ascii=False), plan.config.at(*edit.path)
        if edit.is_item:
            output.plain(f"  add {value} to {edit.name}")
        else:
            was = "" if before is None else f" (now {json.dumps(before, ensure_ascii=False)})"
            output.plain(f"  set {edit.name} = {value}{was}")
    if not plan.changes:
        output.plain("  already installed")
    for each in imports:
        output.plain(f"  found {each.about}")


def confirm(question: str) -> bool:
    if not sys.stdin.isatty():
        raise InvalidRequest(
            "needs confirmation, and there is no terminal", field="hosts", hint="give --yes to confirm"
        )
    return typer.confirm(question, default=True, err=True)


# --- imports ----------------------------------------------------------------------------------------------------------


def _imports(surface: Surface, plan: InstallPlan, problems: list[tuple[str, str]]) -> list[Import]:
    from cortex.surfaces.openclaw import imports

    found = imports.found(plan.host, plan.config, problems)
    return [each for each in found if surface.agent in (None, imports.agent_name(each.agent))]


def _carry_out_imports(
    surface: Surface, found: Sequence[Import], problems: list[tuple[str, str]], *, is_asked: bool
) -> list[dict[str, Any]]:
    from cortex.surfaces.openclaw.imports import agent_name

    done = []
    for each in found:
        if is_asked and not confirm(f"Import {each.about}?"):
            continue
        try:
            with (
                surface.open_engine(surface.home, agent_name(each.agent), surface.user) as engine,
                output.progress(f"importing {each.kind}") as progress,
            ):
                about, receipts = each.run(engine, progress)
        except EngineError as error:
            problems.append((f"{each.kind} of agent {each.agent}: {error.message}", error.hint))
            continue
        done.append({"agent": each.agent, "kind": each.kind, "about": about, "receipts": receipts})
        if not surface.json:
            shown = receipts[0] if len(receipts) == 1 else f"{len(receipts):,} receipts"
            output.plain(f"imported: {about} ({shown})")
    return done


# --- doctor -----------------------------------------------------------------------------------------------------------

FIXABLE = frozenset((
    "plugin", "enabled", "allow list", "slot", "grant", "injection", "memory-core", "shared sessions", "command",
    "home",
))  # fmt: skip
"""The checks that `--fix` can fix."""


def groups() -> Sequence[Any]:
    from cortex.domain.health import Group

    return (Group.HOSTS, Group.HOME, Group.SERVING, *Group)


def _fix(surface: Surface, host: OpenClaw, found: Sequence[Check], *, yes: bool) -> list[str]:
    """Carry out what the failed checks need, after showing it; the lines of what was done."""
    from cortex.surfaces.openclaw import installer

    failed = {check.name for check in found if check.ok is not True}
    if not failed & FIXABLE:
        return []
    _check_version(host)
    plan = installer.plan(host, _wishes(surface, host, silence_memory_core="memory-core" in failed,
                                        separate_chats="shared sessions" in failed))  # fmt: skip
    if not plan.changes:
        return []
    if not surface.json:
        _show_plan(plan, ())
    if not yes and not confirm("Fix this?"):
        return []
    installer.carry_out(plan, surface.root.absolute())
    copied = [f"the plugin in {plan.target}"] if plan.copies else []
    return copied + [edit.name for edit in plan.edits]

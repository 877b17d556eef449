"""The commands for other programs (E1, X4): `hosts install`, `hosts doctor` and `hosts uninstall`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import InvalidRequest
from cortex.surfaces.cli import openclaw_commands, output
from cortex.surfaces.cli.context import Surface, surface_of
from cortex.surfaces.cli.openclaw_commands import FAILED, OPENCLAW, DryRun, Profile, Yes, confirm, program_here

if TYPE_CHECKING:
    from cortex.surfaces.hosts.coding_agents import CodingAgent, Command
    from cortex.surfaces.hosts.installer import AgentPlan

HOSTS = "claude-code, codex, gemini, cursor, opencode or openclaw"
_SHOWN = 100

hosts = typer.Typer(
    help="Use this memory in a coding agent or OpenClaw: install what it needs, check it, remove it.",
    no_args_is_help=True,
)

Name = Annotated[str, typer.Argument(metavar="NAME", help=f"The program: {HOSTS}.")]


@hosts.command("install")
def install(
    context: typer.Context,
    name: Name,
    profile: Profile = None,
    silence_memory_core: Annotated[
        bool,
        typer.Option("--silence-memory-core", help="OpenClaw: disable its own memory tools and its dreaming."),
    ] = False,
    import_: Annotated[
        bool,
        typer.Option("--import/--no-import", help="OpenClaw: import notes, sessions and the table of memory-lancedb."),
    ] = True,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Install hooks, tools and a skill in a coding agent, or the plugin in OpenClaw.

    It shows the plan and asks first. It is safe to run again, and updates the files after an upgrade of Cortex.
    """
    if name == OPENCLAW:
        openclaw_commands.install(context, profile, silence_memory_core, import_, yes, dry_run)
        return
    _check_options(profile, silence_memory_core)
    from cortex.surfaces.hosts import installer

    surface, agent = surface_of(context), _agent(name)
    command = _command(surface)
    plan = installer.plan(agent, command)
    if not surface.json:
        _show_plan(plan)
    if plan.changes and not (yes or dry_run) and not confirm(f"Install in {agent.title}?"):
        raise typer.Abort
    changed = bool(plan.changes) and not dry_run
    if changed:
        installer.carry_out(plan, command.home)
    next_steps = [agent.next_step, f"cortex hosts doctor {name}"] if changed else []
    if surface.json:
        output.show_json({
            "host": name,
            "changes": [change.to_json() for change in plan.changes],
            "changed": changed,
            "next": next_steps,
        })  # fmt: skip
        return
    if changed:
        output.plain(f"installed; {command.home / 'hosts'} keeps what was there before")
    for step in next_steps:
        output.plain(f"next: {step}")


@hosts.command("doctor")
def doctor(
    context: typer.Context,
    name: Name,
    profile: Profile = None,
    deep: Annotated[
        bool, typer.Option("--deep", help="OpenClaw: let it load the plugin; takes up to a minute.")
    ] = False,
    fix: Annotated[bool, typer.Option("--fix", help="Fix what can be fixed, after asking.")] = False,
    yes: Yes = False,
) -> int:
    """Check everything that Cortex needs in a program, and show how to fix each problem."""
    if name == OPENCLAW:
        return openclaw_commands.doctor(context, profile, deep, fix, yes)
    _check_options(profile, deep)
    from cortex.surfaces.hosts import installer
    from cortex.surfaces.hosts.checks import AgentChecks

    surface, agent = surface_of(context), _agent(name)
    command = _command(surface)
    fixed: list[str] = []
    if fix and (plan := installer.plan(agent, command)).changes:
        if not surface.json:
            _show_plan(plan)
        if yes or confirm("Fix this?"):
            installer.carry_out(plan, command.home)
            fixed = [str(change.file) for change in plan.changes]
    order = list(openclaw_commands.groups())
    found = sorted(AgentChecks(agent, command).checks(), key=lambda check: order.index(check.group))
    if surface.json:
        from cortex.surfaces.wire.upkeep import DoctorResponse

        output.show_json(DoctorResponse.of(found).to_json() | {"fixed": fixed})
    else:
        from cortex.surfaces.cli import rendering

        for each in fixed:
            output.plain(f"fixed: {each}")
        shown = rendering.checks(found, fixable={"plugin"}, command=f"cortex hosts doctor {name} --fix")
        output.show(*shown)
    return FAILED if any(each.ok is False for each in found) else 0


@hosts.command("uninstall")
def uninstall(
    context: typer.Context, name: Name, profile: Profile = None, yes: Yes = False, dry_run: DryRun = False
) -> None:
    """Remove what was installed, and restore the configuration. Memories are kept."""
    if name == OPENCLAW:
        openclaw_commands.uninstall(context, profile, yes, dry_run)
        return
    _check_options(profile)
    from cortex.surfaces.hosts import installer

    surface, agent = surface_of(context), _agent(name)
    home = surface.root.absolute()
    found = installer.removal(agent, home)
    if found is not None and not surface.json:
        for file, text in found.restored.items():
            output.plain(f"{file}: {'remove' if text is None else 'restore'}")
    changed = found is not None and not dry_run and (yes or confirm("Uninstall?"))
    if found is not None and changed:
        installer.uninstall(agent, home, found)
    if surface.json:
        output.show_json({
            "host": name,
            "changed": changed,
            "files": [str(file) for file in found.restored] if found else [],
            "is_exact": found is not None and found.is_exact,
            "kept": list(found.kept) if found else [],
        })  # fmt: skip
        return
    if found is None:
        output.plain("nothing to uninstall")
    elif changed:
        output.plain(f"uninstalled; the memories in {home} are kept")
    if found is not None and found.kept:
        output.plain(f"changed by somebody since, and left alone: {', '.join(found.kept)}")


COMMANDS: dict[str, Callable[..., Any] | typer.Typer] = {"hosts": hosts}


def _agent(name: str) -> CodingAgent:
    from cortex.surfaces.hosts.coding_agents import agent_named

    return agent_named(name)


def _check_options(*given: object) -> None:
    if any(given):
        raise InvalidRequest("is for OpenClaw", field="the option", hint="leave it out")


def _command(surface: Surface) -> Command:
    from cortex.surfaces.hosts.coding_agents import Command

    return Command(program_here(), surface.root.absolute(), surface.agent, surface.user)


def _show_plan(plan: AgentPlan) -> None:
    output.plain(f"{plan.agent.title}, configured in {plan.agent.folder()}")
    for change in plan.changes:
        if change.is_own:
            output.plain(f"  copy {change.file}")
        for edit in change.edits:
            value = json.dumps(edit.value, ensure_ascii=False)
            output.plain(f"  {change.file}: {'add to' if edit.is_item else 'set'} {edit.name}: {value[:_SHOWN]}")
        if change.block:
            output.plain(f"  {change.file}: add {' '.join(change.block.split())}")
    for file in plan.outdated:
        output.plain(f"  remove {file}, of an earlier version")
    if not plan.changes:
        output.plain("  already installed")

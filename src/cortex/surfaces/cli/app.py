"""The `cortex` command: its global options, its commands, and the one place where errors become exit codes."""

from __future__ import annotations

import functools
import logging
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from cortex import settings
from cortex._version import __version__
from cortex.errors import EngineError, InvalidRequest, full_disk
from cortex.surfaces.cli.context import Connect, OpenEngine, Surface, open_cortex
from cortex.surfaces.cli.errors import INTERRUPTED, PIPE_CLOSED, Failure, report
from cortex.surfaces.cli.global_options import split_global_options, value_of

SECTIONS: dict[str, dict[str, str]] = {
    "Get started": {"init": "init", "models": "model_commands", "status": "doctor", "doctor": "doctor"},
    "Memories": {
        "remember": "memory_commands",
        "recall": "recall_commands",
        "search": "recall_commands",
        "list": "memory_commands",
        "get": "memory_commands",
        "edit": "memory_commands",
        "forget": "memory_commands",
        "erase": "erase_command",
    },
    "Conversations and files": {
        "capture": "capture_command",
        "index": "index_command",
        "hook": "hook_commands",
        "ledger": "ledger_commands",
    },
    "Maintenance": {
        "consolidate": "maintenance_commands",
        "backup": "maintenance_commands",
        "import": "import_export",
        "export": "import_export",
        "eval": "admin_commands",
    },
    "Servers and administration": {
        "serve": "serve_command",
        "mcp": "mcp_commands",
        "hosts": "hosts_commands",
        "admin": "admin_commands",
    },
}
"""The commands under their headings in the help, in order, each with the module that has it in `COMMANDS`."""


@dataclass(slots=True)
class CommandRun:
    """What one run of the command starts with."""

    open_engine: OpenEngine = open_cortex
    connect: Connect | None = None
    debug: bool = False


def run(arguments: Sequence[str], open_engine: OpenEngine = open_cortex, connect: Connect | None = None) -> int:
    """Run one command and return its exit code. Every error becomes one line, here and nowhere else."""
    own, rest = split_global_options(arguments)
    if rest and belongs_to_admin(rest[0]):
        rest = ["admin", *rest]
    as_json = "--json" in own
    this_run = CommandRun(open_engine, connect)
    _never_fail_to_encode()
    try:
        # As a path, an unset variable would be the current directory. A hook must not stop its host over it.
        if value_of("--home", own) == "" and rest[:1] == ["hook"]:
            own = [*own, "--home", str(settings.default_home())]
        elif value_of("--home", own) == "":
            raise InvalidRequest("is empty", field="--home", hint="give a folder, or leave it out for ~/.cortex")
        command = _built(rest[0] if rest and _is_known(rest[0]) else None)
        code = command.main(args=own + rest, prog_name="cortex", standalone_mode=False, obj=this_run)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except EngineError as error:
        return report(Failure.of(error), as_json)
    except BrokenPipeError:
        # The reader of our output is gone.
        _drop_output()
        return PIPE_CLOSED
    except SystemExit as error:
        # Typer exits this way when the pipe is closed.
        return PIPE_CLOSED if isinstance(error.__context__, BrokenPipeError) else int(error.code or 0)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except Exception as error:
        if usage := Failure.of_usage(error):
            return report(usage, as_json)
        if full_disk(error):
            _drop_output()
        elif this_run.debug:
            raise
        return report(Failure.unexpected(error), as_json)


def belongs_to_admin(command: str) -> bool:
    """Whether a command of `admin` was given without it: `cortex canary` is `cortex admin canary`."""
    if command.startswith("-") or any(command in commands for commands in SECTIONS.values()):
        return False
    group: Any = typer.main.get_command(import_module("cortex.surfaces.cli.admin_commands").admin)
    return command in group.commands


def _drop_output() -> None:
    """Discard what is left to print: Python would complain at exit that it cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@functools.cache
def _built(command: str | None) -> Any:
    """What parses the arguments. A process that runs many commands builds each once: that takes longer than most."""
    return typer.main.get_command(command_line(command))


def _is_known(command: str | None) -> bool:
    """Whether a command is one of ours."""
    return any(command in commands for commands in SECTIONS.values())


def command_line(command: str | None = None) -> typer.Typer:
    """The app with all its commands, or with one alone where it is known: building them all delays every start."""
    app = typer.Typer(
        name="cortex",
        help="Long-term memory for AI agents.",
        epilog="Global options may stand before or after the command. With --json, errors are JSON on stderr.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(options)
    is_known = _is_known(command)
    for section, commands in SECTIONS.items():
        for name, module in commands.items():
            if is_known and name != command:
                continue
            found = import_module(f"cortex.surfaces.cli.{module}").COMMANDS[name]
            if isinstance(found, typer.Typer):
                app.add_typer(found, name=name, rich_help_panel=section)
            else:
                app.command(name, rich_help_panel=section)(found)
    return app


def options(
    context: typer.Context,
    home: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder with all data ($CORTEX_HOME, or ~/.cortex).")
    ] = None,
    agent: Annotated[str | None, typer.Option(metavar="NAME", help="The agent whose memory to use.")] = None,
    user: Annotated[str | None, typer.Option(metavar="NAME", help="The user of that agent.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks and log to stderr ($CORTEX_DEBUG).")] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    """The options of every command."""
    if version:
        print(f"cortex {__version__}")
        raise typer.Exit
    this_run = context.find_object(CommandRun) or CommandRun()
    this_run.debug = debug or settings.debug_wanted()
    _quiet_logs(this_run.debug)
    context.obj = Surface(this_run.open_engine, home, agent, user, as_json, this_run.connect)


def _quiet_logs(debug: bool) -> None:
    """Silence the engine's log unless debugging: the command itself reports what matters."""
    log = logging.getLogger("cortex")
    if debug:
        logging.basicConfig(stream=sys.stderr)
        log.setLevel(logging.DEBUG)
    elif not log.handlers:
        log.addHandler(logging.NullHandler())


def _never_fail_to_encode() -> None:
    """Print characters the terminal cannot encode as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")

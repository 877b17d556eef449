"""The `cortex` command: its global options, its verbs, and the one place where errors become exit codes."""

from __future__ import annotations

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
from cortex.errors import EngineError, full_disk
from cortex.surfaces.cli.arguments import hoisted
from cortex.surfaces.cli.context import OpenEngine, Surface, open_cortex
from cortex.surfaces.cli.failing import INTERRUPTED, PIPE_CLOSED, Failure, tell

ROOMS = {
    "use": "Use",
    "turns": "Use",
    "flush_view": "Use",
    "feed": "Feed",
    "files": "Feed",
    "keep": "Keep and govern",
    "tending": "Keep and govern",
    "erasing": "Keep and govern",
    "setting_up": "Run",
    "doctoring": "Run",
    "run_it": "Run",
    "serving": "Run",
    "token_verbs": "Run",
    "mcp_verbs": "Run",
}
"""Where the verbs are, in the order they are looked for, and the heading of each in the help."""


@dataclass(slots=True)
class Given:
    """What a run is given to begin with, and what it learns from its first options."""

    open_engine: OpenEngine = open_cortex
    debug: bool = False


def run(arguments: Sequence[str], open_engine: OpenEngine = open_cortex) -> int:
    """Carry out one command; gives the exit code. Every error becomes one line, here and nowhere else."""
    own, rest = hoisted(arguments)
    as_json = "--json" in own
    given = Given(open_engine)
    _never_fail_to_encode()
    try:
        command: Any = typer.main.get_command(command_line(rest[0] if rest else None))
        code = command.main(args=own + rest, prog_name="cortex", standalone_mode=False, obj=given)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except EngineError as error:
        return tell(Failure.of(error), as_json)
    except BrokenPipeError:
        # Whoever read our output has gone.
        _drop_output()
        return PIPE_CLOSED
    except SystemExit as error:
        # How Typer itself ends when the pipe is closed.
        return PIPE_CLOSED if isinstance(error.__context__, BrokenPipeError) else int(error.code or 0)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except Exception as error:
        if usage := Failure.of_usage(error):
            return tell(usage, as_json)
        if full_disk(error):
            _drop_output()
        elif given.debug:
            raise
        return tell(Failure.unexpected(error), as_json)


def _drop_output() -> None:
    """Python would complain at exit about what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def command_line(verb: str | None = None) -> typer.Typer:
    """The app with all its verbs; with one alone where it is known, since making them all delays every start."""
    app = typer.Typer(
        name="cortex",
        help="Long-term memory for AI agents.",
        epilog="The global options may also stand after the verb. With --json, errors are JSON on stderr too.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(options)
    found: list[tuple[str, dict[str, Any]]] = []
    for room, panel in ROOMS.items():
        commands: dict[str, Any] = import_module(f"cortex.surfaces.cli.{room}").COMMANDS
        if verb in commands:
            found = [(panel, {verb: commands[verb]})]
            break
        found.append((panel, commands))
    for panel, commands in found:
        for name, command in commands.items():
            if isinstance(command, typer.Typer):
                app.add_typer(command, name=name, rich_help_panel=panel)
            else:
                app.command(name, rich_help_panel=panel)(command)
    return app


def options(
    context: typer.Context,
    home: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where memory is kept ($CORTEX_HOME, or ~/.cortex).")
    ] = None,
    agent: Annotated[str | None, typer.Option(metavar="NAME", help="Whose memory: the agent.")] = None,
    user: Annotated[str | None, typer.Option(metavar="NAME", help="Whose memory: the agent's user.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show unexpected errors whole, and log to stderr ($CORTEX_DEBUG).")
    ] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    """What holds for every verb."""
    if version:
        print(f"cortex {__version__}")
        raise typer.Exit
    given = context.find_object(Given) or Given()
    given.debug = debug or settings.debug_wanted()
    _quiet_logs(given.debug)
    context.obj = Surface(given.open_engine, home, agent, user, as_json)


def _quiet_logs(debug: bool) -> None:
    """What the engine logs is said by the command itself; a log line would only come between."""
    log = logging.getLogger("cortex")
    if debug:
        logging.basicConfig(stream=sys.stderr)
        log.setLevel(logging.DEBUG)
    elif not log.handlers:
        log.addHandler(logging.NullHandler())


def _never_fail_to_encode() -> None:
    """A terminal that knows fewer characters than a memory shows the others as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")

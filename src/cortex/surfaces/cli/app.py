"""The `cortex` command: its global options, its verbs, and the one place where errors become exit codes."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from cortex._version import __version__
from cortex.errors import EngineError
from cortex.surfaces.cli import feed, keep, run_it, use
from cortex.surfaces.cli.context import OpenEngine, Surface, open_cortex
from cortex.surfaces.cli.failing import INTERRUPTED, PIPE_CLOSED, UNEXPECTED, USAGE, Failure, tell

WITH_VALUE = frozenset({"--home", "--agent", "--user"})
FLAGS = frozenset({"--json", "--debug"})
PANELS = (("Use", use.COMMANDS), ("Feed", feed.COMMANDS), ("Keep and govern", keep.COMMANDS), ("Run", run_it.COMMANDS))

app = typer.Typer(
    name="cortex",
    help="Long-term memory for AI agents.",
    epilog="The global options may also stand after the verb. With --json, errors are JSON on stderr too.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def options(
    context: typer.Context,
    home: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where memory is kept.  [default: $CORTEX_HOME or ~/.cortex]")
    ] = None,
    agent: Annotated[str | None, typer.Option(metavar="NAME", help="Whose memory: the agent.")] = None,
    user: Annotated[str | None, typer.Option(metavar="NAME", help="Whose memory: the agent's user.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    debug: Annotated[  # noqa: ARG001 - read before parsing, so that errors of parsing can be debugged too
        bool, typer.Option("--debug", help="Show the traceback of an unexpected error, and log to stderr.")
    ] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    if version:
        print(f"cortex {__version__}")
        raise typer.Exit
    given: object = context.obj
    opener: OpenEngine = given if callable(given) else open_cortex
    context.obj = Surface(opener, home, agent, user, as_json)


for panel, commands in PANELS:
    for name, command in commands.items():
        app.command(name, rich_help_panel=panel)(command)
app.add_typer(run_it.models, name="models", rich_help_panel="Run")


def run(arguments: Sequence[str], open_engine: OpenEngine = open_cortex) -> int:
    """Carry out one command; gives the exit code. Every error becomes one line, here and nowhere else."""
    args = hoisted(arguments)
    as_json = "--json" in args[: _own(args)]
    debug = "--debug" in args[: _own(args)] or bool(os.environ.get("CORTEX_DEBUG"))
    _quiet_logs(debug)
    _never_fail_to_encode()
    try:
        code = typer.main.get_command(app).main(
            args=args, prog_name="cortex", standalone_mode=False, obj=open_engine
        )
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except EngineError as error:
        return tell(Failure.of(error), as_json)
    except BrokenPipeError:
        # Whoever read our output has gone. Python would complain about the rest of it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except Exception as error:
        if debug:
            raise
        if usage := Failure.of_usage(error):
            return tell(usage, as_json)
        return tell(Failure.unexpected(error), as_json)


def hoisted(arguments: Sequence[str]) -> list[str]:
    """`arguments` with the global options first, so that they may be given after the verb as well."""
    first: list[str] = []
    rest: list[str] = []
    left = iter(arguments)
    for argument in left:
        if argument == "--":
            rest += [argument, *left]
        elif argument in FLAGS or argument.partition("=")[0] in WITH_VALUE and "=" in argument:
            first.append(argument)
        elif argument in WITH_VALUE:
            first += [argument, *([value] if (value := next(left, None)) is not None else [])]
        else:
            rest.append(argument)
    return first + rest


def _own(args: Sequence[str]) -> int:
    """How many of the hoisted arguments are global options."""
    at = 0
    while at < len(args) and (args[at] in FLAGS or args[at].partition("=")[0] in WITH_VALUE):
        at += 2 if args[at] in WITH_VALUE else 1
    return at


def _quiet_logs(debug: bool) -> None:
    """What the engine logs is said by the command itself; a log line would only come between."""
    log = logging.getLogger("cortex")
    if debug:
        logging.basicConfig(stream=sys.stderr)
        log.setLevel(logging.DEBUG)
    elif not log.handlers:
        log.addHandler(logging.NullHandler())


def _never_fail_to_encode() -> None:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


__all__ = ["INTERRUPTED", "PIPE_CLOSED", "UNEXPECTED", "USAGE", "app", "hoisted", "run"]

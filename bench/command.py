"""A benchmark as a command: its options from the signature of a function, its errors as one line and an exit code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from cortex.errors import EngineError
from cortex.surfaces.cli.errors import INTERRUPTED, Failure, report

Home = Annotated[Path | None, typer.Option(metavar="DIR", help="Whose settings to use ($CORTEX_HOME, or ~/.cortex).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def run(function: Callable[..., Any], arguments: Sequence[str], name: str) -> int:
    """Call `function` with the arguments of a command line. Returns the exit code."""
    app = typer.Typer(add_completion=False, context_settings={"help_option_names": ["-h", "--help"]})
    app.command()(function)
    command: Any = typer.main.get_command(app)
    as_json = "--json" in arguments
    try:
        code = command.main(args=list(arguments), prog_name=name, standalone_mode=False)
    except EngineError as error:
        return report(Failure.of(error), as_json)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except Exception as error:
        if usage := Failure.of_usage(error):
            return report(usage, as_json)
        raise
    return code if isinstance(code, int) else 0

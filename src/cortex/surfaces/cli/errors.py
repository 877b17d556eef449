"""How a command fails: a line with the error, a line with a hint, and an exit code."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any

from cortex.errors import EngineError, full_disk
from cortex.surfaces.cli import output

USAGE = 2
UNEXPECTED = 70
INTERRUPTED = 130
PIPE_CLOSED = 141


@dataclass(frozen=True, slots=True)
class Failure:
    """An error as it is printed."""

    code: str
    message: str
    hint: str
    exit_code: int
    field: str | None = None

    @classmethod
    def of(cls, error: EngineError) -> Failure:
        return cls(error.code, error.message, error.hint, error.exit_code, getattr(error, "field", None))

    @classmethod
    def of_usage(cls, error: Exception) -> Failure | None:
        """The usage error that Typer raised; None for any other error."""
        # Typer carries its own copy of Click in some versions, so its errors are recognized by their methods.
        format_message: Any = getattr(error, "format_message", None)
        if format_message is None:
            return None
        message, _, suggestion = str(format_message()).rstrip().partition(" Did you mean ")
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "cortex"
        hint = f"did you mean {suggestion}" if suggestion else f"see `{path} --help`"
        return cls("usage", message.rstrip("."), hint, USAGE)

    @classmethod
    def unexpected(cls, error: Exception) -> Failure:
        if full := full_disk(error):
            return cls.of(full)
        # Only its type: the message of an unexpected error may contain remembered text.
        message = f"{type(error).__name__}: this is a bug in Cortex"
        return cls("unexpected", message, "run it again with --debug and report the traceback", UNEXPECTED)


def report(failure: Failure, as_json: bool) -> int:
    """Print the error on stderr and return its exit code."""
    if not failure.message:  # Typer has printed the help of a group
        return failure.exit_code
    if as_json:
        payload = {
            "code": failure.code,
            "message": failure.message,
            "hint": failure.hint or None,
            "field": failure.field,
            "exit_code": failure.exit_code,
        }
        print(json.dumps({"error": payload}), file=sys.stderr)
        return failure.exit_code
    _print("error", failure.message, "bold red")
    if failure.hint:
        _print("hint", failure.hint, "bold")
    return failure.exit_code


def _print(label: str, text: str, style: str) -> None:
    line = output.one_line(text)
    if not sys.stderr.isatty():
        print(f"{label}: {line}", file=sys.stderr)
        return
    from rich.text import Text

    output.show(Text(f"{label}: ", style).append(line, "not bold default"), stream=sys.stderr)

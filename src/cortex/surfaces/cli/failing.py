"""How a command fails: one line that says what happened, one that says what to do, and an exit code."""

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
    """What went wrong, as it is told."""

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
        """What Typer has to say of arguments it cannot read; None for any other error."""
        # Typer carries its own copy of Click in some versions, so its errors are known by what they can do.
        told: Any = getattr(error, "format_message", None)
        if told is None:
            return None
        message, _, suggestion = str(told()).rstrip().partition(" Did you mean ")
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "cortex"
        hint = f"did you mean {suggestion}" if suggestion else f"see `{path} --help`"
        return cls("usage", message.rstrip("."), hint, USAGE)

    @classmethod
    def unexpected(cls, error: Exception) -> Failure:
        if full := full_disk(error):
            return cls.of(full)
        # By its type alone: the message of an error nobody foresaw may repeat what was remembered.
        told = f"{type(error).__name__}: this is a mistake in Cortex"
        return cls("unexpected", told, "run it again with --debug, and report what it shows", UNEXPECTED)


def tell(failure: Failure, as_json: bool) -> int:
    """Say it on stderr; gives the exit code."""
    if as_json:
        told = {
            "code": failure.code,
            "message": failure.message,
            "hint": failure.hint or None,
            "field": failure.field,
            "exit_code": failure.exit_code,
        }
        print(json.dumps({"error": told}), file=sys.stderr)
        return failure.exit_code
    _say("error", failure.message, "bold red")
    if failure.hint:
        _say("hint", failure.hint, "bold")
    return failure.exit_code


def _say(what: str, text: str, style: str) -> None:
    line = output.one_line(text)
    if not sys.stderr.isatty():
        print(f"{what}: {line}", file=sys.stderr)
        return
    from rich.text import Text

    output.show(Text(f"{what}: ", style).append(line, "not bold default"), stream=sys.stderr)

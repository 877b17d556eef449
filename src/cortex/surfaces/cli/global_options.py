"""The global options, read before Typer parses the arguments. Imports nothing, so that the command starts fast."""

from __future__ import annotations

from collections.abc import Sequence

WITH_VALUE = frozenset({"--home", "--agent", "--user"})
FLAGS = frozenset({"--json", "--debug"})


def split_global_options(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split off the global options, wherever they stand before a `--`; the rest begins with the command."""
    own: list[str] = []
    rest: list[str] = []
    left = iter(arguments)
    for argument in left:
        if argument == "--":
            rest += [argument, *left]
        elif argument in FLAGS or ("=" in argument and argument.partition("=")[0] in WITH_VALUE):
            own.append(argument)
        elif argument in WITH_VALUE:
            own += [argument, *([value] if (value := next(left, None)) is not None else [])]
        else:
            rest.append(argument)
    return own, rest


def value_of(option: str, own: Sequence[str]) -> str | None:
    """The last value given for a global option."""
    found = None
    left = iter(own)
    for argument in left:
        name, has_value, value = argument.partition("=")
        given = value if has_value else next(left, None) if name in WITH_VALUE else None
        found = given if name == option else found
    return found

"""What the arguments say before they are parsed. Imports nothing: it decides what is worth importing."""

from __future__ import annotations

from collections.abc import Sequence

WITH_VALUE = frozenset({"--home", "--agent", "--user"})
FLAGS = frozenset({"--json", "--debug"})


def hoisted(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The global options, wherever they stand before a `--`, and the rest, which begins with the verb."""
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
    """The value a global option was given last."""
    found = None
    for at, argument in enumerate(own):
        if argument == option:
            found = own[at + 1] if at + 1 < len(own) else None
        elif argument.startswith(f"{option}="):
            found = argument.partition("=")[2]
    return found

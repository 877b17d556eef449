"""The variables of the environment that are read before the settings, by commands that cannot wait for those."""

from __future__ import annotations

import os

PREFIX = "CORTEX_"
HOME, MODELS, DEBUG = PREFIX + "HOME", PREFIX + "MODELS", PREFIX + "DEBUG"
AGENT, USER = PREFIX + "AGENT", PREFIX + "USER"
INSIDE = PREFIX + "INSIDE"
"""Set in the environment of a program that Cortex asks: its hooks do nothing."""

_HOST_MARKS = frozenset({"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"})
"""By these a coding agent knows that it runs inside another, and refuses to."""

YES, NO = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0"})


def home() -> str:
    """The folder with all data: `$CORTEX_HOME`, or `~/.cortex`."""
    return os.path.expanduser(os.environ.get(HOME) or "~/.cortex")


def value(name: str) -> str | None:
    """What a variable holds; None where it is not set."""
    return os.environ.get(name)


def is_on(name: str) -> bool:
    """Whether a variable is set, other than to a word for "no"."""
    return os.environ.get(name, "").lower() not in NO | {""}


def environment_inside() -> dict[str, str]:
    """The environment of a program that Cortex asks: ours, and the mark that its hooks do nothing."""
    kept = {name: value for name, value in os.environ.items() if name not in _HOST_MARKS}
    return {**kept, INSIDE: "1"}

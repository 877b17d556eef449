"""JSON for commands that run in every turn, without `json`: that imports `re`, which is slow to load.

The parser is the one that `json` uses, a part of Python written in C. Where it is missing or different, `json` is used.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as `typing` has it, which is slow to import
if TYPE_CHECKING:
    from typing import Any

_SPACE = " \t\n\r"


class _Options:
    """What `json.loads` gives the parser by default."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float = float
    parse_int = int

    @staticmethod
    def parse_constant(name: str) -> float:
        return float(name.replace("Infinity", "inf"))


def loads(text: str) -> Any:
    """Parse JSON as `json.loads` does; `ValueError` or `RecursionError` if it cannot be parsed."""
    try:
        from _json import make_scanner

        scan = make_scanner(_Options)  # type: ignore[arg-type]
    except (ImportError, AttributeError, TypeError):
        import json

        return json.loads(text)
    start = len(text) - len(text.lstrip(_SPACE))
    try:
        value, end = scan(text, start)
    except StopIteration:
        raise ValueError("not JSON") from None
    if text[end:].strip(_SPACE):
        raise ValueError("not JSON")
    return value


def dumps(fields: dict[str, str]) -> str:
    """Texts by name as a JSON object."""
    try:
        from _json import encode_basestring_ascii as encoded
    except ImportError:
        from json.encoder import encode_basestring_ascii as encoded
    return "{" + ", ".join(f"{encoded(name)}: {encoded(value)}" for name, value in fields.items()) + "}"

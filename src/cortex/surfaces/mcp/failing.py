"""How a call fails: as an answer a model can read and act on, by code, field and hint. Never by a traceback."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from cortex.domain.text import visible
from cortex.errors import EngineError, InvalidRequest, NotFound, full_disk

ERROR_META = "cortex/error"
"""Where a result says what went wrong as plain values. Not as structured content: that is promised to fit the schema
of an answer, and some clients hold failed calls to it too."""

_MOST_CHARS = 64
_OF_THE_CALLER = frozenset({InvalidRequest.code, NotFound.code})


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong, as it is told."""

    code: str
    message: str
    field: str | None = None
    hint: str | None = None

    @classmethod
    def of(cls, error: EngineError) -> Failure:
        return cls(error.code, error.message, getattr(error, "field", None), error.hint or None)

    @classmethod
    def unexpected(cls, error: Exception) -> Failure:
        if full := full_disk(error):
            return cls.of(full)
        # By its type alone: the message of an error nobody foresaw may repeat what was remembered.
        told = f"{type(error).__name__}: this is a mistake in Cortex"
        return cls("unexpected", told, hint="run `cortex doctor` and report what it shows")

    def result(self) -> types.CallToolResult:
        """The answer to a call of a tool."""
        lines = [f"{self.code}: {self.message}"]
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return types.CallToolResult(
            content=[types.TextContent(type="text", text="\n".join(lines))],
            is_error=True,
            _meta={ERROR_META: self._plain()},
        )

    def error(self) -> MCPError:
        """The answer to any other request."""
        code = types.INVALID_PARAMS if self.code in _OF_THE_CALLER else types.INTERNAL_ERROR
        return MCPError(code=code, message=f"{self.code}: {self.message}", data=self._plain())

    def _plain(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.message, "field": self.field, "hint": self.hint}


def refused(error: ValidationError, known: list[str]) -> InvalidRequest:
    """What is wrong with the arguments, the first thing first; what was given is never repeated."""
    found = error.errors(include_url=False, include_context=False, include_input=False)[0]
    field = short(".".join(str(part) for part in found["loc"]) or "arguments")
    if found["type"] == "extra_forbidden":
        return InvalidRequest("is not an argument", field=field, hint=f"known: {', '.join(known)}")
    told = found["msg"].removeprefix("Value error, ")
    return InvalidRequest(told[:1].lower() + told[1:], field=field, hint="see the input schema of the tool")


def short(name: str) -> str:
    """A name somebody else chose, as it may stand in a message."""
    return visible(name if len(name) <= _MOST_CHARS else name[:_MOST_CHARS] + "…")

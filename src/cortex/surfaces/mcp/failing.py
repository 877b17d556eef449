"""How a call fails: as an answer a model can read and act on, by code, field and hint. Never by a traceback."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from cortex.errors import EngineError, InvalidRequest, NotFound, full_disk

ERROR_META = "cortex/error"
"""Where a result says what went wrong as plain values. Not as structured content: that is promised to fit the schema
of an answer, and some clients hold failed calls to it too."""

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

"""Failed calls as results that a model can act on: code, field and hint, never a traceback."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from cortex.errors import EngineError, InvalidRequest, NotFound, full_disk

ERROR_META = "cortex/error"
"""The `_meta` key of a failed result. Structured content would have to match the schema of an answer, and some clients
check that for failed calls too."""

_CALLER_ERRORS = frozenset({InvalidRequest.code, NotFound.code})


@dataclass(frozen=True, slots=True)
class ToolFailure:
    """One failure, as it is reported."""

    code: str
    message: str
    field: str | None = None
    hint: str | None = None

    @classmethod
    def of(cls, error: EngineError) -> ToolFailure:
        return cls(error.code, error.message, getattr(error, "field", None), error.hint or None)

    @classmethod
    def unexpected(cls, error: Exception) -> ToolFailure:
        if full := full_disk(error):
            return cls.of(full)
        # Only the type: the message of an unexpected error may quote a memory.
        message = f"{type(error).__name__}: this is a bug in Cortex"
        return cls("unexpected", message, hint="run `cortex doctor` and report its output")

    def result(self) -> types.CallToolResult:
        """The result of a failed tool call."""
        lines = [f"{self.code}: {self.message}"]
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return types.CallToolResult(
            content=[types.TextContent(type="text", text="\n".join(lines))],
            is_error=True,
            _meta={ERROR_META: self._plain()},
        )

    def error(self) -> MCPError:
        """The error for any other request."""
        code = types.INVALID_PARAMS if self.code in _CALLER_ERRORS else types.INTERNAL_ERROR
        return MCPError(code=code, message=f"{self.code}: {self.message}", data=self._plain())

    def _plain(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.message, "field": self.field, "hint": self.hint}

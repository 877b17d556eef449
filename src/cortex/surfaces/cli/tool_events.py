"""What hosts report after a tool ran, as an event (S1). Other JSON is left as it is: it may be an event already."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

_CALLS = frozenset({"PreToolUse", "BeforeTool", "preToolUse"})
_ERRORS = ("error", "is_error", "isError")


def event_of(payload: Mapping[str, Any], *, session: str | None, now: datetime) -> Mapping[str, Any]:
    """The event in what a host passes to its hook; a `cortex.event.v1` or a row of the sidecar stays as it is.

    Claude Code, Codex and Gemini CLI name the tool `tool_name`, OpenClaw `toolName`.
    """
    name = payload.get("tool_name") or payload.get("toolName")
    if "type" in payload or "kind" in payload or not isinstance(name, str):
        return {"at": now.isoformat(), **({"session": session} if session else {}), **payload}
    result = payload.get("tool_response", payload.get("tool_output", payload.get("result")))
    error = _error(payload, result)
    is_call = payload.get("hook_event_name") in _CALLS
    said = {
        "type": "tool_call" if is_call else "tool_result",
        "at": payload.get("timestamp") or now.isoformat(),
        "session": session or payload.get("session_id") or payload.get("sessionKey") or payload.get("sessionId"),
        "tool": {
            "name": name,
            "call_id": _first(payload, "tool_use_id", "tool_call_id", "toolCallId"),
            "ok": None if is_call else error is None,
            "ms": _first(payload, "duration_ms", "durationMs"),
            "error": error,
        },
        "payload": {
            key: value
            for key, value in (("input", payload.get("tool_input", payload.get("params"))), ("output", result))
            if value is not None
        },
    }
    return {key: value for key, value in said.items() if value is not None}


def _first(payload: Mapping[str, Any], *names: str) -> Any:
    return next((payload[name] for name in names if payload.get(name) is not None), None)


def _error(payload: Mapping[str, Any], result: object) -> str | None:
    """What went wrong; None where nothing did."""
    for each in (payload, result):
        if isinstance(each, Mapping):
            found = next((each[name] for name in _ERRORS if each.get(name)), None)
            if found is not None:
                return found if isinstance(found, str) else "the tool reported an error"
    return None

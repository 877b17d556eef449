"""The rows that Codex and Gemini CLI write to their transcripts, as messages.

`cortex hook` imports this in every turn, so it imports nothing that is slow to load.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

TYPE_CHECKING = False  # as `typing` has it, which is slow to import
if TYPE_CHECKING:
    from typing import Any

_CODEX = frozenset({"response_item", "event_msg", "session_meta", "turn_context", "compacted", "world_state",
                    "token_usage_record"})  # fmt: skip
_OF_CODEX = re.compile(r"\s*(?:<(?:environment_context|user_instructions|skills_instructions|turn_aborted|INSTRUCTIONS)"
                       r"\b|# AGENTS\.md instructions)")  # fmt: skip
_OF_GEMINI = re.compile(r"\s*<(session_context|hook_context)>.*?</\1>\s*", re.DOTALL)
_ROLES_OF_GEMINI = {"user": "user", "gemini": "assistant"}


def is_agent_row(row: Mapping[str, Any]) -> bool:
    """Whether a row is one of Codex or Gemini CLI, so that `message_of` can read it."""
    return _is_codex(row) or _is_gemini(row)


def message_of(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """The message of a row; None where it holds none that somebody said."""
    said = _said_to_codex(row["payload"]) if _is_codex(row) else _said_to_gemini(row)
    return said and {**said, **({"timestamp": row["timestamp"]} if "timestamp" in row else {})}


def _is_codex(row: Mapping[str, Any]) -> bool:
    return str(row.get("type")) in _CODEX and isinstance(row.get("payload"), Mapping)


def _is_gemini(row: Mapping[str, Any]) -> bool:
    if "$set" in row or "projectHash" in row or row.get("type") == "gemini":
        return True
    is_plain = "role" not in row and "message" not in row and "uuid" not in row
    return row.get("type") == "user" and is_plain and isinstance(row.get("content"), list)


def _said_to_codex(payload: Mapping[str, Any]) -> dict[str, Any] | None:
    role, content = payload.get("role"), payload.get("content")
    if payload.get("type") != "message" or role not in ("user", "assistant") or not isinstance(content, list):
        return None
    texts = [part.get("text") for part in content if isinstance(part, Mapping)]
    said = [text for text in texts if isinstance(text, str) and not (role == "user" and _OF_CODEX.match(text))]
    return {"role": role, "content": "\n".join(said)} if said else None


def _said_to_gemini(row: Mapping[str, Any]) -> dict[str, Any] | None:
    role, content = _ROLES_OF_GEMINI.get(str(row.get("type"))), row.get("content")
    parts = [{"text": content}] if isinstance(content, str) else content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    said = [bare for text in texts if isinstance(text, str) and (bare := _OF_GEMINI.sub("", text)).strip()]
    return {"role": role, "content": "\n".join(said)} if role and said else None

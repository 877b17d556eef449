"""The events that coding agents pass to their hooks: Claude Code, Codex, Gemini CLI and Cursor.

All of them are one JSON object on stdin, with names of their own for the same steps. `cortex hook` imports this in
every turn, so it imports nothing that is slow to load.
"""

from __future__ import annotations

from cortex.surfaces import quick_json
from cortex.surfaces.project_scope import project_of

TYPE_CHECKING = False  # as `typing` has it, which is slow to import
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

START, BEFORE, AFTER, END = "start", "before", "after", "end"
STEPS = {
    # Claude Code and Codex
    "SessionStart": START,
    "UserPromptSubmit": BEFORE,
    "Stop": AFTER,
    "PreCompact": AFTER,
    "SessionEnd": END,
    # Gemini CLI, where they differ
    "BeforeAgent": BEFORE,
    "AfterAgent": AFTER,
    "PreCompress": AFTER,
    # Cursor
    "sessionStart": START,
    "beforeSubmitPrompt": BEFORE,
    "afterAgentResponse": AFTER,
    "sessionEnd": END,
}
"""What happens in a session, by the names of the hosts. Other events are not for us."""

_OPENS, _CLOSES = "<hook_context>", "</hook_context>"


class HostEvent:
    """One event of a session."""

    __slots__ = ("cwd", "messages", "name", "prompt", "reply", "session", "transcript")

    def __init__(self, payload: Mapping[str, Any]) -> None:
        self.name = _text(payload, "hook_event_name") or ""
        self.session = _text(payload, "session_id") or _text(payload, "conversation_id")
        self.prompt = said(_text(payload, "prompt") or "") or None
        self.reply = _text(payload, "last_assistant_message") or _text(payload, "prompt_response")
        """What the model answered: a transcript may not have it yet."""
        self.transcript = _text(payload, "transcript_path")
        self.messages = payload.get("messages")
        """The whole history, where a plugin hands it over itself."""
        roots = payload.get("workspace_roots")
        first = roots[0] if isinstance(roots, list) and roots else None
        self.cwd = _text(payload, "cwd") or (first if isinstance(first, str) else None)
        if self.name == "afterAgentResponse":
            self.reply = _text(payload, "text")

    @classmethod
    def of(cls, text: str) -> HostEvent | None:
        """Parse an event; None if `text` is not one."""
        try:
            payload = quick_json.loads(text) if text.lstrip().startswith("{") else None
        except (ValueError, RecursionError):
            return None
        known = ("session_id", "conversation_id", "hook_event_name")
        return cls(payload) if isinstance(payload, dict) and any(name in payload for name in known) else None

    @property
    def step(self) -> str:
        """What happens in the session; empty where there is nothing to do."""
        return STEPS.get(self.name, "")

    @property
    def is_of_cursor(self) -> bool:
        return self.name[:1].islower()

    @property
    def project(self) -> str | None:
        """The scope of the folder that the agent works in."""
        return project_of(self.cwd)

    @property
    def has_no_transcript(self) -> bool:
        """Whether what is said comes with the events alone, a message at a time."""
        return self.is_of_cursor and not isinstance(self.messages, list)

    def single_message(self) -> list[dict[str, str]]:
        """The message that comes with the event itself."""
        role, text = ("user", self.prompt) if self.step == BEFORE else ("assistant", self.reply)
        return [{"role": role, "content": text}] if text else []

    def where(self) -> dict[str, str]:
        """The scope to store in and to recall from; none outside of a project."""
        project = self.project
        return {} if project is None else {"scope": project}

    def answer(self, context: str) -> str:
        """What to print so that the host puts `context` before its model; nothing where there is none."""
        if not context or self.step not in (START, BEFORE):
            return ""
        if not self.is_of_cursor:
            inner = quick_json.dumps({"hookEventName": self.name, "additionalContext": context})
            return f'{{"hookSpecificOutput": {inner}}}'
        goes_on = '"continue": true, ' if self.step == BEFORE else ""
        return "{" + goes_on + quick_json.dumps({"additional_context": context})[1:]

    def introduction(self) -> str:
        """What the model gets when a session starts."""
        project = self.project
        if project is None:
            return ""
        return (
            "Long-term memory: what is remembered and relevant is added to each message. Facts about this project are "
            f'kept in the memory scope "{project}": pass it as `scope` to the tool `remember` for them, and leave it '
            "out for facts about the person."
        )


def said(text: str) -> str:
    """A prompt without what hooks put before or behind it."""
    while text.startswith(_OPENS) and _CLOSES in text:
        text = text.partition(_CLOSES)[2].lstrip()
    return text


def completed(messages: list[Any], event: HostEvent) -> list[Any]:
    """A transcript with the last reply of the model, which may not be written to it yet."""
    if event.reply is None or event.step == BEFORE:
        return messages
    last = next((message for message in reversed(messages) if _role(message) == "assistant" and _words(message)), None)
    if last is not None and _words(last)[-len(event.reply.split()) :] == event.reply.split():
        return messages
    return [*messages, {"role": "assistant", "content": event.reply}]


def _role(message: Any) -> object:
    return message.get("role") if isinstance(message, dict) else None


def _words(message: Any) -> list[str]:
    content = message.get("content")
    if isinstance(content, str):
        return content.split()
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return " ".join(text for text in texts if isinstance(text, str)).split()


def _text(payload: Mapping[str, Any], key: str) -> str | None:
    value = payload.get(key)
    return value if isinstance(value, str) and value.strip() else None

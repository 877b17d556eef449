"""The gate before capture: sessions nobody speaks in, and turns that hold nothing to remember (C12, E10, E11)."""

from __future__ import annotations

from collections.abc import Sequence, Set

from cortex.capture.messages import Message
from cortex.capture.policies import CapturePolicy
from cortex.domain.fingerprints import without_injected
from cortex.domain.injection_detection import Level, suspicion
from cortex.domain.ownership import own_words
from cortex.domain.small_talk import is_heartbeat, is_own_request, is_scheduled, passing_reason, session_reason
from cortex.domain.turn import Role, Turn


def session_skip_reason(
    session: str, channel: str, trigger: str, messages: Sequence[Message], *, skip_heartbeat: bool = True
) -> str | None:
    """`heartbeat`, `cron` or `own_request` where no person is behind this history, else None.

    Without `skip_heartbeat` only our own requests are left alone.
    """
    reason = session_reason(session, channel, trigger) or _of_last(messages)
    return reason if skip_heartbeat or reason == "own_request" else None


def _of_last(messages: Sequence[Message]) -> str | None:
    """A host may wake its agent within a session of the user's: then the last thing said is the wake-up call."""
    last = next((message.text for message in reversed(messages) if message.effective_role is Role.USER), "")
    return machine_reason(last)


def machine_reason(message: str) -> str | None:
    """`heartbeat`, `own_request` or `cron` where a program wrote what stands for the user's message."""
    if is_heartbeat(message):
        return "heartbeat"
    if is_own_request(message):
        return "own_request"
    return "cron" if is_scheduled(message) else None


def turn_skip_reason(turn: Turn | Message, policy: CapturePolicy, injected: Set[str] = frozenset()) -> str | None:
    """Why nothing is extracted from this turn, or None where something may be."""
    if reason := _role_reason(turn.role or Role.USER, policy):
        return reason
    if is_scheduled(turn.text):
        return "cron"
    if is_own_request(turn.text):
        return "own_request"
    said, removed = without_injected(turn.text, injected)
    if removed and not said.strip():
        return "only_injected"
    if reason := passing_reason(said):
        return reason
    if _is_of_others(turn):
        return "others"
    if policy.max_chars is not None and len(said) > policy.max_chars:
        return "too_long"
    if len(said) < policy.min_chars:
        return "too_short"
    if reason := policy.refusal_of(said) or _instructs(said, policy):
        return reason
    own = own_words(said, turn.speaker) if policy.triggers else said
    return "no_trigger" if policy.triggers and policy.trigger_of(own) is None else None


def _is_of_others(turn: Turn | Message) -> bool:
    """Whether a message holds no words of its speaker's own."""
    return not own_words(turn.text, turn.speaker).strip(_EDGES)


_EDGES = " \t\n.,:;!?\"'*>-—"


def _instructs(said: str, policy: CapturePolicy) -> str | None:
    """Whole messages are remembered unread, so one that is plainly written to instruct a model is not."""
    plainly = policy.whole_messages and suspicion(said).level is Level.UNMISTAKABLE
    return "instructive" if plainly else None


def _role_reason(role: Role, policy: CapturePolicy) -> str | None:
    if role is Role.TOOL:
        return "tool_output"
    return None if role in policy.roles else role.value

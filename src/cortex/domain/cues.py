"""Cues of standing statements: what the user says once and means from then on."""

from __future__ import annotations

from cortex.domain.instructions import instructions
from cortex.domain.memory import Kind
from cortex.domain.turn import Role


def standing_kind(text: str, role: Role | None) -> Kind:
    """`rule` for what a user tells the assistant to hold to from then on; `episode` for everything else.

    Where no roles are known, people talk among themselves, and "always happy to help" is not an instruction.
    """
    is_rule = role is Role.USER and any(instructions(text))
    return Kind.RULE if is_rule else Kind.EPISODE

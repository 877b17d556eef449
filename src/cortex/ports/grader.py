"""What a grader is: it says how much a memory matters, and the same always alike."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from cortex.domain.importance import Grade
from cortex.domain.memory import Memory


class Grader(Protocol):
    """Grades memories. A grader with other numbers or words has another name: it is a new version."""

    @property
    def name(self) -> str:
        """Its version, such as `heuristic-v1`; at most 64 characters."""
        ...

    @property
    def fingerprint(self) -> str:
        """Stands for everything its grades depend on."""
        ...

    def grade(self, memory: Memory, now: datetime) -> Grade:
        """The grade of one memory; what is past is past at `now`."""
        ...

"""Files to be followed, and what a test asks of them again and again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cortex.memory import Cortex

PATIENCE = 30.0
"""How long a slow machine is waited for; what is waited for comes in a fraction of it."""


def note(path: Path, text: str) -> Path:
    """Write a file, and the folders it lies in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def message(text: str, role: str = "user") -> str:
    """A line of a transcript."""
    return json.dumps({"type": "message", "message": {"role": role, "content": [{"type": "text", "text": text}]}})


def paths(answer: dict[str, Any]) -> list[str]:
    return [result["path"] for result in answer["results"]]


def snippets(answer: dict[str, Any]) -> str:
    return "\n".join(result["snippet"] for result in answer["results"])


def reasons(engine: Cortex) -> list[str]:
    """Why the files were looked at, the first look first."""
    return [receipt.facts["reason"] for receipt in reversed(engine.receipts(limit=1_000, op="index"))]


def eventually(is_so: Callable[[], object], patience: float = PATIENCE) -> bool:
    """Whether it becomes so; a test that waits in vain fails late rather than wrongly."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        if is_so():
            return True
        time.sleep(0.02)
    return bool(is_so())

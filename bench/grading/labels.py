"""The labeled memories (`GUIDELINE.md`), in their two halves."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from cortex.domain.identity import TraceId
from cortex.domain.memory import Draft, ImportanceLabel, Memory
from cortex.domain.trace import parse_time

FILE = Path(__file__).parent / "memories.jsonl"
LABELED_ON = datetime(2026, 6, 1, 12, tzinfo=UTC)
"""What is past in a label is past by then."""


class Half(StrEnum):
    """Which memories: numbers and words are chosen on one half, and the other only judges."""

    CHOOSING = "choosing"
    HELD = "held"


@dataclass(frozen=True, slots=True)
class LabeledMemory:
    """A memory, and how much it matters by the guideline."""

    id: str
    memory: Memory
    label: ImportanceLabel


def load(half: Half | None = None) -> list[LabeledMemory]:
    """The labeled memories of a half, or all."""
    lines = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    lines.sort(key=lambda line: hashlib.sha256(line["text"].encode()).hexdigest())
    middle = len(lines) // 2
    chosen = {None: lines, Half.CHOOSING: lines[:middle], Half.HELD: lines[middle:]}[half]
    return [_read(line) for line in chosen]


def _read(line: dict[str, Any]) -> LabeledMemory:
    plain = {name: line[name] for name in ("text", "kind", "lang", "source_kind")}
    times: dict[str, Any] = {name: parse_time(line[name]) for name in ("created_at", "valid_to") if name in line}
    memory = Draft(**plain, **times).checked().memory(TraceId(line["id"]), LABELED_ON)
    repeated = memory.revised(reinforced=line.get("reinforced", 0))
    return LabeledMemory(line["id"], repeated, ImportanceLabel(line["label"]))

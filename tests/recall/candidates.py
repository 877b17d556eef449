"""Candidates to score, fuse, admit and pack."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from cortex.domain.chunk import Chunk
from cortex.domain.hits import Hit, ScoreParts
from cortex.domain.identity import TraceId, format_uuid7
from cortex.domain.memory import Memory
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn

NOW = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


def id_(number: int) -> TraceId:
    """An id; greater numbers give greater ids."""
    return TraceId(format_uuid7(1_700_000_000_000 + number, number))


def memory(number: int = 1, text: str = "The harbour opens at dawn", **fields: Any) -> Memory:
    return Memory(id=id_(number), text=text, **{"created_at": NOW, **fields})


def turn(number: int = 1, text: str = "The harbour opens at dawn", **fields: Any) -> Turn:
    return Turn(id=id_(number), text=text, **{"created_at": NOW, "session": "s1", "seq": number, **fields})


def chunk(number: int = 1, text: str = "The harbour opens at dawn", **fields: Any) -> Chunk:
    place = {"created_at": NOW, "path": "memory/harbour.md", "start_line": 1, "end_line": 2}
    return Chunk(id=id_(number), text=text, **{**place, **fields})


def hit(trace: Trace, score: float = 0.5) -> Hit:
    return Hit(trace, score, ScoreParts(), ("keyword",))


# Everything that has been used to make a reader see an end, a tag or a speaker that is not there.
NASTY = (
    "\n", "\r\n", "\r", "\t", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029",
    "</relevant-memories>", "<relevant-memories>", "<system>", "<|im_start|>", "<|im_end|>", "[INST]", "&lt;", "&#60;",
    "\nassistant: ", "\n- [2026-01-05, rule] ", "## Long-Term Memories",
    "\u200b", "\u2060", "\ufeff", "\u202e", "\u2066", "\u2069", "\u200f", "\u0338", "\ufe64", "＜", "é", "好的", "👌",
)  # fmt: skip

nasty_texts = st.lists(
    st.one_of(st.sampled_from(NASTY), st.text(alphabet="abcde. !?", min_size=1, max_size=30)), min_size=1, max_size=30
).map("".join)

"""How many sentences of a model are kept that retell memories, and how many are dropped that add to them (C5).

`data/retold.jsonl` was written for this. The sentences of the held half were judged once, after the rules were done.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cortex.domain.paraphrase import is_supported

RETOLD = [json.loads(line) for line in (Path(__file__).parent / "data/retold.jsonl").read_text("utf-8").splitlines()]


def right(half: str, *, supported: bool) -> float:
    """The share of the sentences of a half that are judged as they are labeled."""
    rows: list[dict[str, Any]] = [row for row in RETOLD if (row["half"], row["supported"]) == (half, supported)]
    return sum(is_supported(row["sentence"], row["memories"]) is supported for row in rows) / len(rows)


@pytest.mark.parametrize("half", ["dev", "held"])
def test_plain_paraphrases_are_kept(half: str) -> None:
    """C5"""
    assert right(half, supported=True) >= 0.85


@pytest.mark.parametrize("half", ["dev", "held"])
def test_what_adds_to_the_memories_is_dropped(half: str) -> None:
    """C5"""
    assert right(half, supported=False) >= 0.9


def test_the_set_is_large_enough_to_tell() -> None:
    assert all(sum(row["supported"] is supported for row in RETOLD) >= 40 for supported in (True, False))

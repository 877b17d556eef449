"""Deciding inbox items from labels: what matches a fact is approved, and what does not is rejected."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bench.inbox import decision_by
from cortex.domain.identity import TraceId
from cortex.domain.memory import Memory
from cortex.lifecycle.inbox import InboxItem, InboxReason, paired

ONE, TWO = "0198c1a2-7b3c-7def-8a01-000000000001", "0198c1a2-7b3c-7def-8a01-000000000002"


def memory(id: str) -> Memory:
    return Memory(id=TraceId(id), text="Ana lives in Porto", created_at=datetime(2024, 1, 1, tzinfo=UTC))


def decided(item: InboxItem, **rights: bool) -> dict[str, Any] | None:
    named = {{"one": ONE, "two": TWO}[name]: right for name, right in rights.items()}
    found = decision_by(item, named)
    return {name: found[name] for name in ("verdict", "keep") if name in found} if found else None


@pytest.mark.parametrize(
    ("rights", "expected"),
    [
        ({}, None),
        ({"one": True, "two": True}, {"verdict": "approve"}),
        ({"one": False, "two": False}, {"verdict": "reject"}),
        ({"one": True, "two": False}, {"verdict": "approve", "keep": ONE}),
        ({"one": True}, {"verdict": "approve", "keep": ONE}),
        ({"two": False}, {"verdict": "reject", "keep": ONE}),
    ],
)
def test_of_a_contradiction_one_labeled_side_decides(rights: dict[str, bool], expected: dict[str, str] | None) -> None:
    assert decided(paired(memory(ONE), memory(TWO)), **rights) == expected


def test_of_two_that_may_be_one_both_have_to_be_labeled() -> None:
    item = InboxItem(
        id=f"{ONE}~{TWO}", reasons=(InboxReason.DUPLICATE,), because=("",), trace=memory(ONE), other=memory(TWO)
    )
    assert decided(item, one=True) is None
    assert decided(item, one=True, two=False) == {"verdict": "reject", "keep": ONE}
    assert decided(item, one=True, two=True) == {"verdict": "approve"}

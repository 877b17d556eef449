"""What a wrong request is told: the field, what is wrong with it, and what to send instead; never the value."""

from __future__ import annotations

from typing import Any

import pytest

from cortex.errors import InvalidRequest
from cortex.surfaces.wire.memories import RememberRequest
from cortex.surfaces.wire.model import Strict
from cortex.surfaces.wire.recall import RecallRequest

FAULTS: list[tuple[type[Strict], Any, str, str]] = [
    (RememberRequest, [], "request: is not an object", "send a JSON object"),
    (RememberRequest, {}, "text: is missing", "add it"),
    (RememberRequest, {"text": 5}, "text: is not text", "send a string"),
    (RememberRequest, {"text": "x", "kind": "fcat"}, "kind: is not known", "did you mean 'fact'?"),
    (RememberRequest, {"text": "x", "retention": "forever"}, "retention: is not known", "one of permanent, project"),
    (RememberRequest, {"text": "x", "importance": 7}, "importance: is too large", "send 1.0 or less"),
    (RememberRequest, {"text": "x", "importance": float("nan")}, "importance: is not a number", "send a number"),
    (RememberRequest, {"text": "x", "tags": "a"}, "tags: is not a list", "send a list"),
    (RememberRequest, {"text": "x", "tags": ["a"] * 33}, "tags: is too long", "send at most 32 items"),
    (RememberRequest, {"text": "x", "scope": "a" * 1_025}, "scope: is too long", "send at most 1,024 characters"),
    (RememberRequest, {"text": "x", "supersedes": ""}, "supersedes: is empty", "send some text"),
    (RecallRequest, {"query": "x", "limit": 0}, "limit: is too small", "send 1 or more"),
    (RecallRequest, {"query": "x", "limit": 1.5}, "limit: is not a whole number", "send a whole number"),
    (RecallRequest, {"query": "x", "since": 5}, "since: is not an ISO 8601 time", "send one such as 2026"),
]


@pytest.mark.parametrize(("request_type", "payload", "message", "hint"), FAULTS)
def test_a_fault_names_its_field_and_what_to_send(
    request_type: type[Strict], payload: Any, message: str, hint: str
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        request_type.read(payload)
    assert str(refused.value).startswith(message)
    assert refused.value.hint is not None
    assert refused.value.hint.startswith(hint)


def test_a_fault_repeats_no_value() -> None:
    with pytest.raises(InvalidRequest) as refused:
        RememberRequest.read({"text": "x", "kind": "my secret", "importance": "my secret"})
    assert len(refused.value.faults) == 2
    assert "my secret" not in str(refused.value.faults)

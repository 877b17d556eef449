"""Canonical fingerprints: one value has one name, in every process."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, StrEnum
from typing import Any

import pytest

from cortex.capture.policies import POLICIES
from cortex.domain.canonical import fingerprint
from cortex.domain.vectors import EmbeddingSpace
from cortex.providers.endpoints import Endpoint
from cortex.recall.recipes import RECIPES
from cortex.workspace.flow import Cutting

_EVERY_FINGERPRINT = """
import json
from cortex.capture.policies import POLICIES
from cortex.domain.vectors import EmbeddingSpace
from cortex.providers.endpoints import Endpoint
from cortex.recall.recipes import RECIPES
from cortex.workspace.flow import Cutting

space = EmbeddingSpace("local", "a-model", 8)
print(json.dumps({
    "recipes": {name: recipe.fingerprint for name, recipe in RECIPES.items()},
    "policies": {name: policy.fingerprint for name, policy in POLICIES.items()},
    "endpoint": Endpoint("http://box/v1", {"X-Deployment": "bl\\u00fce", "X-Team": "one"}).fingerprint,
    "space": space.key,
    "index": Cutting().made_with(space),
}))
"""


class _Color(StrEnum):
    RED = "red"
    BLUE = "blue"


class _Size(Enum):
    LARGE = 3


@dataclass(frozen=True, slots=True)
class _Shape:
    colors: frozenset[_Color]
    size: _Size = _Size.LARGE
    weights: Any = None
    age: timedelta | None = None


def _in_a_process(seed: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", _EVERY_FINGERPRINT],
        capture_output=True,
        check=True,
        timeout=60,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed},
    )
    payload: dict[str, Any] = json.loads(done.stdout)
    return payload


def test_every_fingerprint_is_the_same_in_every_process():
    """A set gives its members in another order in each process; what is named after them must not be another."""
    space = EmbeddingSpace("local", "a-model", 8)
    here = {
        "recipes": {name: recipe.fingerprint for name, recipe in RECIPES.items()},
        "policies": {name: policy.fingerprint for name, policy in POLICIES.items()},
        "endpoint": Endpoint("http://box/v1", {"X-Team": "one", "X-Deployment": "blüe"}).fingerprint,
        "space": space.key,
        "index": Cutting().made_with(space),
    }
    assert [_in_a_process(seed) for seed in ("0", "1", "2", "random")] == [here] * 4


def test_a_fingerprint_is_a_digest_of_canonical_json():
    """Written out here, so that no other Python and no later change gives another unnoticed."""
    shape = _Shape(frozenset(_Color), weights={"b": 0.1, "a": (1, True, None)}, age=timedelta(days=1, microseconds=5))
    written = '{"age":86400000005,"colors":["blue","red"],"size":3,"weights":{"a":[1,true,null],"b":0.1}}'
    assert fingerprint(shape) == hashlib.sha256(written.encode()).hexdigest()[:16]


def test_the_name_of_an_endpoint_is_written_in_ascii():
    """It is part of the name of a space: a Python that knows more letters must not make all vectors unfindable."""
    written = r"('http://box/v1', [('x-deployment', 'bl\xfce')])"
    told = Endpoint("http://box/v1", {"X-Deployment": "blüe"}).fingerprint
    assert told == hashlib.sha256(written.encode()).hexdigest()[:16]


def test_order_is_told_of_sequences_and_not_of_sets_and_mappings():
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    assert fingerprint(frozenset({_Color.RED, _Color.BLUE})) == fingerprint({"blue", "red"})
    assert fingerprint(("a", "b")) != fingerprint(("b", "a"))
    assert fingerprint(1) != fingerprint(1.5)


@pytest.mark.parametrize("value", [object(), b"bytes", len, float("nan")])
def test_what_has_no_canonical_form_is_refused(value: object):
    """Rather than named after a `repr`, which may hold an address or another order."""
    with pytest.raises((TypeError, ValueError)):
        fingerprint(value)

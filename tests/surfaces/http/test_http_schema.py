"""Whatever a client makes up from the OpenAPI document: no mistake of ours, no answer that it does not name (X3)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from http import HTTPStatus
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis.errors import Unsatisfiable
from served import Served, serving

schemathesis = pytest.importorskip("schemathesis")
positive_data_acceptance = pytest.importorskip("schemathesis.specs.openapi.checks").positive_data_acceptance
not_a_server_error = pytest.importorskip("schemathesis.checks").not_a_server_error

ENDLESS = {"/v1/changes"}
"""What is answered for as long as somebody listens has tests of its own."""


@pytest.fixture(scope="module")
def busy_one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("schema") / "home") as served:
        for text in ("The deploy key rotates on Mondays", "Prefers Rust for systems programming"):
            served.remember(text)
        yield served


def operations(served: Served) -> Iterator[Any]:
    described = schemathesis.openapi.from_dict(httpx.get(f"{served.url}/openapi.json", timeout=60).json())
    described.config.update(base_url=served.url)
    for found in described.get_all_operations():
        yield found.ok()


@pytest.mark.parametrize("examples", [1, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("mode", ["POSITIVE", "NEGATIVE"])
def test_every_answer_is_one_that_the_document_names(busy_one: Served, mode: str, examples: int) -> None:
    """Bounded: so many requests for each operation, good ones and bad ones."""
    tried = 0
    for operation in operations(busy_one):
        if operation.path in ENDLESS:
            continue

        @seed(20260105)
        @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy(generation_mode=schemathesis.GenerationMode[mode]))
        def holds(case: Any) -> None:
            # A schema cannot express every rule: a valid request may still be refused.
            excluded = [positive_data_acceptance]
            answer = case.call(timeout=30)
            own = case.body if isinstance(case.body, dict) else case.query
            if answer.status_code == HTTPStatus.GATEWAY_TIMEOUT and "deadline_ms" in (own or ()):
                excluded.append(not_a_server_error)  # a client that sets a deadline of a millisecond may miss it
            case.validate_response(answer, excluded_checks=excluded)

        with suppress(Unsatisfiable):  # a route that takes nothing: nothing about it can be got wrong
            holds()
            tried += 1
    assert tried > 10

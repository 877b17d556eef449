"""Whatever a client makes up from the OpenAPI document: no mistake of ours, no answer that it does not name (X3)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis.errors import Unsatisfiable
from served import Served, serving

schemathesis = pytest.importorskip("schemathesis")
checks = pytest.importorskip("schemathesis.specs.openapi.checks")
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


def is_right_as_sent(case: Any, url: str) -> bool:
    """Whether all that was made wrong is right as the text of a query: `false` in a list of words is a word.

    schemathesis knows it of a parameter that is one word, and not of a list of words.
    """
    sent = parse_qs(urlsplit(url).query, keep_blank_values=True)

    def is_right(change: Any) -> bool:
        parameter = case.operation.query.get(change.parameter) if change.parameter_location == "query" else None
        if parameter is None:
            return False
        texts, holds = sent.get(change.parameter), parameter.get_validator().is_valid
        return not parameter.is_required if texts is None else holds(texts) or (len(texts) == 1 and holds(texts[0]))

    changes = case.meta.phase.data.mutations
    return bool(changes) and all(map(is_right, changes))


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
            excluded = [checks.positive_data_acceptance]
            answer = case.call(timeout=30)
            own = case.body if isinstance(case.body, dict) else case.query
            if answer.status_code == HTTPStatus.GATEWAY_TIMEOUT and "deadline_ms" in (own or ()):
                excluded.append(not_a_server_error)  # a client that sets a deadline of a millisecond may miss it
            if mode == "NEGATIVE" and is_right_as_sent(case, answer.request.url):
                excluded.append(checks.negative_data_rejection)
            case.validate_response(answer, excluded_checks=excluded)

        with suppress(Unsatisfiable):  # a route that takes nothing: nothing about it can be got wrong
            holds()
            tried += 1
    assert tried > 10

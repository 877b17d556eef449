"""Saved views: filters and an order under a name (S6)."""

from __future__ import annotations

import pytest

from cortex import Cortex
from cortex.errors import InvalidRequest, NotFound
from cortex.services.saved_views import MOST


def test_a_view_is_saved_with_the_memory_replaced_and_removed(engine: Cortex) -> None:
    """S6"""
    engine.save_view("infra", "scope=infra&sort=-uses")
    engine.save_view("Ärger", "label=must_remember")
    engine.save_view("infra", "scope=infra")
    assert [(view.name, view.page, view.query) for view in engine.views()] == [
        ("infra", "memories", "scope=infra"),
        ("Ärger", "memories", "label=must_remember"),
    ]
    assert engine.bind(user="boris").views() == []
    assert "#views" not in [each.session for each in engine.sessions()]
    engine.remove_view("infra")
    assert [view.name for view in engine.views()] == ["Ärger"]
    with pytest.raises(NotFound):
        engine.remove_view("infra")


def test_a_bad_view_is_refused_by_field_and_there_is_an_end_to_them(engine: Cortex) -> None:
    for name, query, field in [("", "", "name"), ("a\nb", "", "name"), ("a", "x" * 5_000, "query")]:
        with pytest.raises(InvalidRequest) as refused:
            engine.save_view(name, query)
        assert refused.value.field == field
    for number in range(MOST):
        engine.save_view(f"view {number}", "")
    with pytest.raises(InvalidRequest, match="one more"):
        engine.save_view("another", "")

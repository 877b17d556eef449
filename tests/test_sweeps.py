"""Many small cases in one test: each is tried, and every one that fails is named."""

from __future__ import annotations

from inspect import signature

import pytest

from sweeps import for_each


def test_every_case_is_tried_and_all_that_fail_are_named() -> None:
    tried: list[tuple[int, int]] = []

    @for_each("number", [1, 2, 3])
    @for_each(("other", "also"), [(10, 0), (20, 0)])
    def odd(number: int, other: int, also: int) -> None:
        tried.append((number, other))
        assert (number + also) % 2 or other == 10
        if number == 3 and other == 20:
            with pytest.raises(ValueError, match="never"):
                pass

    with pytest.raises(BaseExceptionGroup, match="2 of 3 cases") as failed:
        odd()
    assert tried == [(number, other) for number in (1, 2, 3) for other in (10, 20)]
    assert [each.__notes__ for each in failed.value.exceptions] == [["with number=2"], ["with number=3"]]


def test_cases_that_hold_pass_and_no_case_at_all_is_an_error() -> None:
    @for_each("first, second", [(1, 1), (2, 2)])
    def same(first: int, second: int) -> None:
        assert first == second

    same()
    assert not signature(same).parameters
    with pytest.raises(AssertionError, match="there is a case"):
        for_each("number", [])

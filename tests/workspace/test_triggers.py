"""When the files are looked at: once they are left alone, and by the clock (B12)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cortex.workspace.triggers import LONGEST_WAITS, Triggers


def test_nothing_that_happened_is_no_reason():
    triggers = Triggers(1.5)
    assert triggers.reason(1_000_000.0) == ""
    assert triggers.next_at() is None


def test_an_edit_is_a_reason_once_the_files_were_quiet():
    """B12: the debounce of the watcher"""
    triggers = Triggers(1.5)
    triggers.noticed(10.0)
    assert triggers.reason(11.4) == ""
    assert triggers.next_at() == 11.5
    assert triggers.reason(11.5) == "watch"


def test_every_further_edit_begins_the_quiet_anew():
    """B12"""
    triggers = Triggers(1.5)
    triggers.noticed(10.0)
    triggers.noticed(11.0)
    assert triggers.reason(11.5) == ""
    assert triggers.reason(12.5) == "watch"


def test_a_file_that_is_never_left_alone_is_read_all_the_same():
    """B12: a debounce must not starve"""
    triggers = Triggers(1.5)
    for tenth in range(100):
        triggers.noticed(10.0 + tenth / 10)
    assert triggers.next_at() == 10.0 + LONGEST_WAITS * 1.5
    assert triggers.reason(10.0 + LONGEST_WAITS * 1.5) == "watch"


def test_what_happens_while_they_are_looked_at_is_a_reason_again():
    """B12"""
    triggers = Triggers(1.5)
    triggers.noticed(10.0)
    triggers.looked(11.5)
    assert triggers.reason(99.0) == ""
    triggers.noticed(11.6)
    assert triggers.reason(13.2) == "watch"


def test_the_clock_is_a_reason_of_its_own():
    """B12: the interval, counted from the last look whatever it was for"""
    triggers = Triggers(1.5, interval=60.0)
    triggers.looked(10.0)
    assert (triggers.reason(69.9), triggers.reason(70.0), triggers.next_at()) == ("", "interval", 70.0)
    triggers.noticed(20.0)
    assert (triggers.reason(22.0), triggers.next_at()) == ("watch", 21.5)
    triggers.looked(22.0)
    assert (triggers.reason(70.0), triggers.next_at()) == ("", 82.0)


def test_what_is_noticed_for_later_waits_unless_something_happens_before():
    """B12: how a failed look is tried again"""
    triggers = Triggers(1.5)
    triggers.noticed(40.0)
    assert (triggers.reason(20.0), triggers.next_at()) == ("", 41.5)
    triggers.noticed(20.0)
    assert triggers.reason(21.5) == "watch"


@given(st.lists(st.floats(0, 100), min_size=1, max_size=20), st.floats(0.001, 10))
def test_an_edit_never_waits_longer_than_it_may(times: list[float], quiet: float):
    """B12"""
    triggers = Triggers(quiet)
    for at in sorted(times):
        triggers.noticed(at)
    due = triggers.next_at()
    assert due is not None
    assert min(times) <= due <= min(times) + LONGEST_WAITS * quiet
    assert triggers.reason(due) == "watch"

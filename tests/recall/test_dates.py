"""Dates that were worked out stand beside the words they stand for."""

from __future__ import annotations

import pytest

from cortex.recall.dates import dates_in, with_dates


@pytest.mark.parametrize(
    ("memory", "turn", "shown"),
    [
        ("I saw Ana yesterday (2026-01-04).", "I saw Ana yesterday, hm", "I saw Ana yesterday (2026-01-04), hm"),
        ("Ben met Ana last Fri (2026-01-02)", "Well, I met Ana last  Fri!", "Well, I met Ana last  Fri (2026-01-02)!"),
        ("We sail next year (2027)", "next year we sail", "next year (2027) we sail"),
        # Of two places, neither is sure to be the one.
        ("It was last week (week of 2025-12-29)", "Each week is like that week", "Each week is like that week"),
        # What was cut away, and what stands there already.
        ("I saw Ana yesterday (2026-01-04)", "Ana is well", "Ana is well"),
        ("I saw Ana yesterday (2026-01-04)", "I saw Ana yesterday (2026-01-04)", "I saw Ana yesterday (2026-01-04)"),
        ("(2026-01-04)", "yesterday", "yesterday"),
    ],
)
def test_a_date_stands_behind_the_words_it_was_worked_out_from(memory, turn, shown):
    assert with_dates(turn, dates_in(memory)) == shown

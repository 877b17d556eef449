"""The same history again and again: every line is stored once (C1)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cortex.capture.history import REWIND, Aligned, Line, align, chained, continues
from cortex.domain.turn import Role


def lines(text: str) -> list[Line]:
    """One line a letter: capitals are the assistant's."""
    return [Line(Role.ASSISTANT if letter.isupper() else Role.USER, letter) for letter in text]


def aligned(stored: str, incoming: str) -> Aligned:
    return align(lines(stored), lines(incoming))


def fresh(stored: str, incoming: str) -> str:
    return "".join(incoming[at] for at in aligned(stored, incoming).fresh)


def test_the_same_history_again_brings_nothing():
    """C1"""
    assert aligned("aBcD", "aBcD") == Aligned()


def test_a_longer_history_brings_what_was_added():
    """C1"""
    assert fresh("aBcD", "aBcDeF") == "eF"
    assert fresh("", "aB") == "aB"


def test_an_earlier_state_that_comes_late_brings_nothing():
    assert aligned("aBcDeF", "aBcD") == Aligned()
    assert aligned("aBcDeF", "cDe") == Aligned()


def test_a_history_whose_head_was_cut_away_brings_only_its_end():
    assert fresh("aBcDeF", "eFgH") == "gH"
    assert fresh("aBcDeF", "aBeFgH") == "gH"


def test_a_summary_in_place_of_the_head_is_kept_beside_what_is_there():
    assert fresh("aBcDeF", "seFgH") == "sgH"
    assert not aligned("aBcDeF", "seFgH").withdrawn


def test_the_same_words_said_again_are_said_again():
    assert fresh("kAkB", "kAkBkC") == "kC"


def test_an_edited_message_changes_its_turn():
    assert aligned("aBcD", "aBxD") == Aligned(revised=((2, 2),))
    assert aligned("aBcD", "aBxDe") == Aligned(fresh=(4,), revised=((2, 2),))


def test_another_answer_takes_the_place_of_the_last():
    assert aligned("aB", "aX") == Aligned(revised=((1, 1),))


def test_going_on_from_an_earlier_point_takes_back_what_came_after():
    found = aligned("aBcDeF", "aBxYz")
    assert (found.fresh, found.withdrawn) == ((2, 3, 4), (2, 3, 4, 5))


def test_a_long_stretch_that_is_missing_was_left_out_and_not_taken_back():
    stored = "a" + "".join(chr(0x4E00 + n) for n in range(REWIND + 1))
    assert aligned(stored, "axyz") == Aligned(fresh=(1, 2, 3))


def test_another_speaker_saying_the_same_is_another_line():
    assert [Line(role, "yes").digest for role in (Role.USER, Role.USER)] == [Line(Role.USER, " yes\n").digest] * 2
    assert Line(Role.USER, "yes").digest != Line(Role.ASSISTANT, "yes").digest


def test_a_history_that_goes_on_is_known_by_its_beginning():
    one = [line.digest for line in lines("aBcD")]
    assert continues(one, 2, chained(one[:2]))
    assert not continues(one, 2, chained(one[1:3]))
    assert not continues(one, 0, chained([]))
    assert not continues(one[:1], 2, chained(one[:2]))


@given(st.text("aBcD", max_size=14), st.text("aBcD", max_size=14))
def test_whatever_comes_in_is_stored_at_most_once_and_nothing_new_is_lost(stored, incoming):
    """C1"""
    found = aligned(stored, incoming)
    kept = [line for at, line in enumerate(lines(stored)) if at not in found.withdrawn]
    for old, new in found.revised:
        kept[old] = lines(incoming)[new]
    kept += [lines(incoming)[at] for at in found.fresh]
    for letter in set(incoming):
        assert lines(letter)[0] in kept
        assert sum(line.text == letter for line in kept) <= max(stored.count(letter), 0) + incoming.count(letter)
    # Sent again, nothing is new.
    assert align(kept, lines(incoming)).fresh == () or found.withdrawn or found.revised


@given(st.lists(st.text("aBcD", min_size=1, max_size=6), min_size=1, max_size=6))
def test_a_history_that_only_grows_is_stored_exactly_as_it_is(pieces):
    """C1"""
    stored: list[Line] = []
    for end in range(1, len(pieces) + 1):
        whole = lines("".join(pieces[:end]))
        stored += [whole[at] for at in align(stored, whole).fresh]
    assert stored == lines("".join(pieces))

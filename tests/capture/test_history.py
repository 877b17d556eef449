"""The same history again and again, and a transcript that is followed: every line is stored once (C1, B19)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cortex.capture.history import LEAD, REWIND, Aligned, Line, Trail, align, chained, continues, follow, holds, join
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


# --- a transcript that hands over each line once --------------------------------------------------------------------


def followed(stored: str, incoming: str) -> tuple[str, int]:
    found = follow(lines(stored), lines(incoming))
    return "".join(incoming[at] for at in found.fresh), found.reached


def joined(stored: str, incoming: str) -> tuple[str, int]:
    found = join(lines(stored), lines(incoming))
    return "".join(incoming[at] for at in found.fresh), found.reached


def test_what_nobody_captured_is_new_though_it_was_said_before():
    """B19"""
    assert followed("", "kAk") == ("kAk", 0)


def test_what_another_road_captured_is_met_in_the_transcript():
    """B19"""
    assert followed("aBcD", "aBcD") == ("", 4)
    assert followed("aB", "aBcD") == ("cD", 2)
    assert followed("aBcD", "aB") == ("", 2)


def test_a_word_stands_for_one_word_alone():
    """B19"""
    assert followed("k", "kAk") == ("Ak", 1)
    assert followed("kAk", "kA") == ("", 2)


def test_what_one_road_leaves_out_or_words_differently_is_no_obstacle():
    """B19"""
    assert followed("aBcD", "axcDe") == ("xe", 4)
    assert followed("cD", "aBcDe") == ("aBe", 2)


def test_lines_from_an_unknown_point_on_are_joined_where_they_overlap():
    """B19"""
    assert joined("aBcD", "cDeF") == ("eF", 4)
    assert joined("aBcD", "eF") == ("eF", 4)
    assert joined("aBcD", "Bc") == ("", 3)
    assert joined("aBcD", "aBcD") == ("", 4)
    assert joined("kAkA", "kAkAkB") == ("kB", 4)
    assert joined("aBxa", "aB") == ("B", 4)
    assert joined("", "aB") == ("aB", 0)
    assert joined("aB", "") == ("", 2)


@given(st.text("aB", max_size=12), st.text("aB", max_size=12))
def test_lines_are_joined_at_their_longest_overlap(stored, incoming):
    """B19"""
    longest = max(n for n in range(len(incoming) + 1) if stored.endswith(incoming[:n]))
    is_run = not longest and incoming in stored
    assert holds(lines(stored), lines(incoming)) is (incoming in stored)
    assert joined(stored, incoming)[0] == ("" if is_run else incoming[longest:])


@given(st.text("aBcD", max_size=10), st.text("aBcD", max_size=10))
def test_of_two_roads_every_line_is_kept_as_often_as_either_tells_it(stored, incoming):
    """B19"""
    new, reached = followed(stored, incoming)
    for letter in set(stored + incoming):
        assert (stored + new).count(letter) == max(stored.count(letter), incoming.count(letter))
    assert 0 <= reached <= len(stored)
    if stored.startswith(incoming) or incoming.startswith(stored):
        assert (new, reached) == (incoming[len(stored) :], min(len(stored), len(incoming)))


def test_a_trail_waits_for_what_was_captured_ahead_of_it():
    """B19"""
    # Another road stored the turns 0 to 3; the transcript has come to the second of them, and has two of its own.
    trail = Trail().moved(4, [0, 1, 2, 3], 2, range(4, 6))
    assert trail == Trail(count=4, place=1, own=(4, 5))
    assert trail.moved(6, [2, 3], 2, []) == Trail(count=6, place=5)
    assert trail.moved(6, [2, 3], 0, range(6, 7)) == Trail(count=6, place=1, own=(4, 5, 6))


def test_a_trail_does_not_wait_for_ever():
    """B19: what another road words differently is never met"""
    trail = Trail().moved(LEAD, [0], 0, range(1, LEAD + 1))
    assert trail.place == -1
    assert trail.moved(LEAD + 1, [0], 0, [LEAD + 1]) == Trail(count=LEAD + 1, place=LEAD + 1)

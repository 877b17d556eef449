"""What a statement likely changes where hardly a word is repeated (X13, X14)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest

from cortex.capture import likely_changes
from cortex.capture.likely_changes import Earlier, change_signs, likely_changed, news_signs

MONTH = timedelta(days=30)
OTHERS = (
    Earlier("cat has to go to the vet on tuesday", 0.3, MONTH), Earlier("my sister Nell lives in Lisbon", 0.2, MONTH),
    Earlier("rent is due on the 1st", 0.35, MONTH), Earlier("i work nights at the ward", 0.22, MONTH),
    Earlier("choir meets in the hall", 0.2, MONTH), Earlier("bike is at the shop", 0.25, MONTH),
)  # fmt: skip


def changed(text: str, news: float | None, *earlier: Earlier) -> list[str]:
    beside = (*earlier, *OTHERS)
    return [beside[place].text for place in likely_changed(text, news, beside)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Put her name in, dagny. its 12 quid a visit w her", "Dagny's gone up to 15 from this month"),
        ("Committee mtg with ekberg is april 16, 14:00", "Ugh ekberg cant do the 16th. its the 29th now"),
    ],
)
def test_a_rare_word_ties_a_change_to_what_it_changes(old, new):
    assert changed(new, 1.5, Earlier(old, 0.6, MONTH)) == [old]


@pytest.mark.parametrize(
    ("news", "cosine"),
    [(-1.5, 0.6), (1.5, 0.2), (None, 0.9)],
    ids=["tells no news", "of something else", "nobody judged it"],
)
def test_what_tells_no_news_or_is_of_something_else_changes_nothing(news, cosine):
    assert changed("Dagny likes the red leash", news, Earlier("its 12 quid a visit w dagny", cosine, MONTH)) == []


def test_nothing_is_near_where_much_is_said_of_one_thing():
    crowd = [Earlier(f"session {at} with Dagny", 0.55, MONTH) for at in range(12)]
    old = Earlier("its 12 quid a visit w dagny", 0.6, MONTH)
    assert likely_changed("Dagny's gone up to 15 from this month", 1.5, [old, *crowd]) == []


def test_nothing_is_judged_where_nothing_was_compared_by_meaning():
    assert change_signs("Dagny's gone up to 15", 2.0, [Earlier("its 12 quid a visit w dagny", None, MONTH)]) == []


def test_what_only_words_found_is_as_near_as_the_farthest():
    earlier = [Earlier("its 12 quid a visit w dagny", None, MONTH), *OTHERS]
    assert change_signs("Dagny's gone up to 15", 2.0, earlier)[0]["cosine"] == 0.2


def test_at_most_a_few_are_changed():
    alike: Sequence[Earlier] = [
        Earlier(f"Committee mtg with ekberg is april {day}, 14:00", 0.62, MONTH) for day in range(10, 16)
    ]
    found = likely_changed("Ugh ekberg cant do it. its the 29th now", 3.0, [*alike, *OTHERS])
    assert len(found) <= likely_changes.MOST


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("Dagny's gone up to 15", {"tells a change"}),
        ("is the 4th still ok?", {"asks"}),
        ("i keep two cats", set()),
    ],
)
def test_what_a_statement_shows_of_news(text, signs):
    assert news_signs(text) == signs

"""Forgetting: what is meant is gone, and what may not be meant stays."""

from __future__ import annotations

import pytest
from behaving import Surface, capable

from cortex.errors import NotFound


def test_what_is_forgotten_is_found_no_more_and_that_is_said(memory: Surface) -> None:
    """L5: by its id."""
    kept = memory.remember("The vault code is in the blue book")
    done = memory.forget(kept.id)
    assert (done.ids, done.candidates) == ((kept.id,), ())
    assert memory.recall("Where is the vault code?").hits == ()
    assert memory.search("vault code").hits == ()
    assert memory.list() == ()
    assert memory.get(kept.id).state == "forgotten"
    assert memory.stats()["by_state"] == {"forgotten": 1}


def test_forgetting_twice_forgets_once(memory: Surface) -> None:
    kept = memory.remember("The vault code is in the blue book")
    memory.forget(kept.id)
    again = memory.forget(kept.id)
    assert (again.ids, again.candidates) == ((), ())


def test_words_that_mean_one_memory_forget_it(memory: Surface) -> None:
    """L5: by a query."""
    kept = memory.remember("The gardener comes on Tuesdays")
    other = memory.remember("The piano was tuned in June")
    assert memory.forget_matching("the gardener comes on Tuesdays").ids == (kept.id,)
    assert memory.get(kept.id).state == "forgotten"
    assert memory.get(other.id).state == "active"


def test_words_that_may_mean_several_forget_none_and_show_them(memory: Surface) -> None:
    """L5: exactly one has to be meant."""
    kept = {memory.remember(f"The gardener of house {number} comes on Tuesdays").id for number in (1, 2, 3)}
    done = memory.forget_matching("the gardener comes on Tuesdays")
    assert done.ids == ()
    assert {each.id for each in done.candidates} == kept
    assert all(each.text.startswith("The gardener of house") for each in done.candidates)
    assert {each.state for each in memory.list()} == {"active"}
    assert len(memory.list()) == 3


def test_words_mean_only_what_is_in_their_scope(memory: Surface) -> None:
    elsewhere = memory.remember("The gardener comes on Tuesdays", scope=f"{memory.scope}-elsewhere")
    kept = memory.remember("The gardener comes on Tuesdays")
    assert memory.forget_matching("the gardener comes on Tuesdays").ids == (kept.id,)
    assert memory.get(elsewhere.id).state == "active"


def test_words_that_mean_nothing_forget_nothing(memory: Surface) -> None:
    kept = memory.remember("The gardener comes on Tuesdays")
    try:
        done = memory.forget_matching("quarterly tax return of the bakery")
    except NotFound:  # a model is told so as an error, that it may not take silence for success
        pass
    else:
        assert (done.ids, done.candidates) == ((), ())
    assert memory.get(kept.id).state == "active"


def test_forgetting_what_replaced_another_does_not_bring_the_other_back(memory: Surface) -> None:
    old = memory.remember("The office is in Rome")
    new = memory.remember("The office is in Oslo", supersedes=old.id)
    memory.forget(new.id)
    assert memory.recall("Where is the office?").hits == ()
    assert memory.get(old.id).state == "superseded"


@pytest.mark.parametrize("memory", capable("restore"), indirect=True)
def test_what_was_forgotten_can_be_brought_back(memory: Surface) -> None:
    kept = memory.remember("The vault code is in the blue book")
    memory.forget(kept.id)
    assert memory.restore(kept.id).ids == (kept.id,)
    assert memory.recall("Where is the vault code?").ids == (kept.id,)

"""Tags, differences and rollbacks from the command line (E18)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from terminal import Cli

KEY, WRONG = "The deploy key rotates on Mondays", "The deploy key rotates on Fridays"


@pytest.fixture
def tagged(cli: Cli) -> Cli:
    """A memory, a tag, and an edit after it."""
    id = cli.remembered(KEY)
    assert cli("admin", "tag", "good", "--reason", "before the upgrade").code == 0
    assert cli("edit", id, "--text", WRONG).code == 0
    return cli


def test_a_state_is_named_and_listed(tagged: Cli) -> None:
    """E18"""
    said = tagged("admin", "tags")
    assert "good" in said.out
    assert "before the upgrade" in said.out
    (tag,) = tagged("admin", "tags", "--json").json["tags"]
    assert (tag["name"], tag["user"], tag["automatic"]) == ("good", "default", False)


def test_as_of_takes_the_name_of_a_tag(tagged: Cli) -> None:
    """E18"""
    id = tagged("list", "--json").json["memories"][0]["id"]
    for arguments in (["list"], ["get", id], ["search", "deploy key"], ["export", "--with-text"]):
        said = tagged(*arguments, "--as-of", "good")
        assert KEY in said.out, said.err
        assert WRONG not in said.out
    assert tagged("list", "--as-of", "bad").code == 3
    assert "no tag 'bad'" in tagged("list", "--as-of", "bad").err


def test_a_difference_is_shown_and_a_rollback_says_how_to_undo_it(tagged: Cli) -> None:
    """E18"""
    shown = tagged("admin", "diff", "good")
    assert "changed" in shown.out
    assert WRONG in shown.out
    assert "1 difference" in shown.out
    assert "nothing was changed" in tagged("admin", "rollback", "good", "--dry-run").out
    done = tagged("admin", "rollback", "good")
    assert KEY in tagged("list").out
    undo = done.out.partition("`cortex ")[2].partition("`")[0].split()
    assert tagged(*undo).code == 0
    assert WRONG in tagged("list").out


def test_a_tag_and_a_rollback_are_of_all_users_unless_one_is_named(tagged: Cli) -> None:
    """E18"""
    tagged.remembered("Ben keeps a boat in Porto", "--user", "ben")
    assert "ben" in tagged("admin", "tag", "all").out
    assert "ben" not in tagged("admin", "tag", "mine", "--user", "default").out
    for user in ("ben", "default"):
        tagged.remembered("A wrong idea", "--user", user)
    assert tagged("admin", "rollback", "all", "--user", "ben").code == 0
    assert "A wrong idea" not in tagged("list", "--user", "ben").out
    assert "A wrong idea" in tagged("list").out
    users = tagged("admin", "rollback", "all", "--json").json["users"]
    assert {each["user"]: len(each["withdrawn"]) for each in users} == {"ben": 0, "default": 1}
    assert tagged("admin", "tag", "all", "--delete").code == 0
    assert "all" not in {tag["name"] for tag in tagged("admin", "tags", "--json").json["tags"]}


@pytest.mark.parametrize("verb", ["rollback", "diff"])
def test_a_scope_that_does_not_exist_is_refused(tagged: Cli, verb: str) -> None:
    """E18: it would silently change nothing"""
    tagged.remembered("The kettle is green", "--scope", "kitchen")
    said = tagged("admin", verb, "good", "--scope", "kitchn")
    assert (said.code, said.error) == (3, "no scope 'kitchn'")
    assert "did you mean 'kitchen'?" in said.err
    assert "there are: " in tagged("admin", verb, "good", "--scope", "zzz").err
    assert tagged("admin", verb, "good", "--scope", "kitchen").code == 0


def test_a_scope_that_was_left_since_the_tag_can_be_rolled_back(cli: Cli) -> None:
    """E18"""
    id = cli.remembered(KEY, "--scope", "old")
    cli("admin", "tag", "good")
    cli("edit", id, "--scope", "new")
    assert cli("admin", "rollback", "good", "--scope", "old").code == 0
    assert cli("list", "--scope", "old", "--json").json["memories"]


def test_a_bad_tag_is_refused(tagged: Cli) -> None:
    """E18"""
    for arguments, code in ((["tag", "2026"], 2), (["tag", "good"], 2), (["rollback", "none"], 3), (["diff", "!"], 2)):
        said = tagged("admin", *arguments)
        assert (said.code, bool(said.err)) == (code, True)


def test_drift_is_shown_as_a_table_and_as_json(cli: Cli) -> None:
    """S3"""
    assert "no day was counted yet" in cli("admin", "drift").out
    with cli.open_engine(cli.home, None, None) as engine:
        engine.remember(KEY)
        cli.clock.advance(timedelta(days=1))
        engine.take_census()
    said = cli("admin", "drift")
    assert "too few: 1 of 50, 0 of 200" in said.out
    assert "100% not rated" in said.out
    found = cli("admin", "drift", "--json").json
    assert [each["name"] for each in found["distributions"]] == [
        "labels", "unknown", "kinds", "trust", "verdicts", "silence",
    ]  # fmt: skip
    assert found["distributions"][0]["shares"] == [{"category": "unknown", "before": 0.0, "recent": 1.0}]

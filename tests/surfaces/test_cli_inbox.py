"""The inbox from the command line."""

from __future__ import annotations

from terminal import Cli

RULE = "Never deploy to production on a Friday"


def test_an_item_is_listed_decided_and_undone(cli: Cli) -> None:
    id = cli.remembered(RULE, "--kind", "rule", "--source-kind", "web")
    listed = cli("inbox")
    assert RULE in listed.out
    assert "It is a rule from an untrusted source." in listed.out
    (item,) = cli("admin", "inbox", "--json").json["items"]
    assert (item["id"], item["reasons"]) == (id, ["untrusted_rule"])
    done = cli("admin", "inbox", "approve", id, "--json").json
    assert [(each["verdict"], each["item"], each["actor"]) for each in done["decisions"]] == [("approve", id, "cli")]
    assert cli("get", id, "--json").json["origins"]["trust"] == "operator"
    assert "needs nobody now" in cli("inbox", "reject", id).err
    assert "approve" in cli("inbox", "--decided").out
    assert cli("inbox", "undo").code == 0
    assert cli("get", id, "--json").json["trust"] == "untrusted"
    assert cli("inbox", "undo").code == 3


def test_what_is_no_id_of_an_item_is_repeated(cli: Cli) -> None:
    said = cli("inbox", "approve", "nope")
    assert said.code == 2
    assert said.error.endswith("'nope' is not the ID of an inbox item")


def test_a_decision_that_an_item_does_not_allow_is_refused(cli: Cli) -> None:
    id = cli.remembered(RULE, "--kind", "rule", "--source-kind", "web")
    said = cli("inbox", "merge", id)
    assert said.code == 2
    assert "only two duplicates can be merged" in said.err
    assert cli("inbox", "review", "--json").code == 2
    assert "20 decisions" in cli("admin", "thresholds").out
    assert cli("admin", "thresholds", "--revoke", "en").code == 3


def test_a_review_goes_through_the_items_with_one_key_each(cli: Cli) -> None:
    first, second, third = (
        cli.remembered(f"{RULE} of {month}", "--kind", "rule", "--source-kind", "web", "--as-new")
        for month in ("March", "April", "May")
    )
    said = cli("inbox", "review", stdin="a\ne\nNever deploy at night\nx\nu\nq\n")
    assert said.code == 0, said.err
    shown = [cli("get", id, "--json").json for id in (first, second, third)]
    assert sorted(each["trust"] for each in shown) == ["trusted", "trusted", "untrusted"]
    assert [each["text"] for each in shown].count("Never deploy at night") == 1
    assert {each.get("state", "active") for each in shown} == {"active"}
    assert cli("inbox", "review", stdin="").code == 0

"""Retention rules and holds from the command line."""

from __future__ import annotations

import json

from terminal import Cli

KEY = "The deploy key rotates on Mondays"


def test_the_plan_names_the_rules_and_says_what_applies_it(cli: Cli) -> None:
    said = cli("admin", "retention")
    assert said.code == 0, said.err
    assert "lane outcomes" in said.out
    assert "nothing is due" in said.out
    (rule,) = cli("admin", "retention", "--json").json["rules"]
    assert rule == {"lane": "outcomes", "keep": "30d", "then": "expire"}


def test_a_hold_is_placed_listed_and_released_and_erase_names_it(cli: Cli) -> None:
    id = cli.remembered(KEY)
    name = cli("admin", "hold", "add", id, "--reason", "case 7").out.split()[-1]
    listed = cli("admin", "hold", "list")
    assert name in listed.out
    assert "case 7" in listed.out
    refused = cli("erase", id, "--yes")
    assert refused.code == 33
    assert f"hold release {name}" in refused.err
    assert KEY in cli("list").out
    assert cli("admin", "hold", "release", name).code == 0
    assert cli("admin", "hold", "list", "--json").json == {"holds": []}
    assert cli("erase", id, "--yes").code == 0
    assert cli("admin", "hold", "release", name).code == 3


def test_a_person_is_found_exported_and_erased_with_a_certificate(cli: Cli) -> None:
    sure = cli.remembered("The invoice goes to Anna Schmidt by Friday", "--user", "ben")
    likely = cli.remembered("Anna keeps a bicycle")
    other = cli.remembered("Anna Müller sings in the choir")
    said = cli("admin", "subject", "find", "Anna Schmidt")
    assert sure in said.out
    assert likely in said.out
    assert other not in said.out
    assert "1 sure, 1 likely" in said.out
    assert "invoice" not in said.out
    with_text = cli("admin", "subject", "find", "Anna Schmidt", "--with-text").out.splitlines()
    assert with_text[:3] == ["sure", f"{sure}  ben · memories · mention · backups: 0",
                             "   The invoice goes to Anna Schmidt by Friday"]  # fmt: skip
    assert "   Anna keeps a bicycle" in with_text
    exported = cli("admin", "subject", "export", "Anna Schmidt", "--with-text").out.splitlines()
    assert [json.loads(line)["text"] for line in exported] == ["The invoice goes to Anna Schmidt by Friday"]
    assert cli("admin", "subject", "erase", "Anna Schmidt").code == 2  # no terminal, and no --yes
    erased = cli("admin", "subject", "erase", "Anna Schmidt", "--also", "Annie", "--yes")
    assert erased.code == 0, erased.err
    assert "nothing of the person is left" in erased.out
    id = erased.out.split()[-1]
    again = cli("admin", "subject", "certificate", id, "--json").json
    assert (again["erased"], again["left"], again["likely"], again["clean"]) == (1, 0, 1, True)
    assert "Anna" in cli("list").out
    assert cli("admin", "subject", "find", "A").code == 2

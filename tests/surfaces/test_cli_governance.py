"""Grading and writing back from the command line, as written with and without `admin` (S2, S5)."""

from __future__ import annotations

import pytest
from terminal import Cli


@pytest.mark.parametrize("path", [(), ("admin",)])
def test_memories_are_graded_and_written_back(cli: Cli, path: tuple[str, ...]) -> None:
    """S2, S5"""
    cli.remembered("Always run the linter before you commit", "--kind", "rule")
    cli.remembered("It was on the left side")
    said = cli(*path, "grade")
    assert "2 of 2 memories graded by heuristic-v1" in said.out
    assert cli(*path, "grade", "--compare", "--json").json["moves"] == {
        "must_remember -> must_remember": 1, "unknown -> unknown": 1,
    }  # fmt: skip
    planned = cli(*path, "writeback", "--dry-run")
    assert "1 would be updated, 1 skipped" in planned.out
    facts = cli(*path, "writeback", "--json").json
    assert facts["schema"] == "cortex.writeback.receipt.v1"
    seeds = ("forceOverwrite", "forceFields", "updated", "skipped", "overwritten", "overwrittenFields", "missingIds")
    assert [facts[name] for name in seeds] == [False, [], 1, 1, 0, {}, []]


def test_force_has_two_names_and_takes_fields(cli: Cli) -> None:
    """S5"""
    cli.remembered("Always run the linter", "--kind", "rule", "--importance", "0.6")
    cli("grade")
    forced = cli("writeback", "--overwrite", "--force-fields", "importance, importance_label", "--dry-run", "--json")
    assert forced.json["overwrittenFields"] == {"importance": 1, "importance_label": 1}
    assert cli("writeback", "--force", "--limit", "1", "--batch", "1", "--json").json["overwritten"] == 1


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["writeback", "--force-fields", "scope"], "force_fields: is given without force"),
        (
            ["writeback", "--force", "--force-fields", "text"],
            "force_fields: 'text' is not a field that is written back",
        ),
        (["writeback", "--lancedb", "/nowhere"], "lancedb: has no table memories"),
        (["grade", "--grader", "nobody"], "grader: is not the name of a grader"),
    ],
)
def test_bad_input_is_named(cli: Cli, arguments: list[str], error: str) -> None:
    assert cli(*arguments).error == error


def test_the_help_shows_them_under_admin_alone(cli: Cli) -> None:
    assert "writeback" in cli("admin", "--help").out
    assert "writeback" not in cli("--help").out
    assert cli("writeback", "--help").code == 0

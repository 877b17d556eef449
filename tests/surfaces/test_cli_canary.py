"""`cortex admin golden` and `cortex admin canary` as commands (E20)."""

from __future__ import annotations

import pytest
from terminal import Cli

ASKED = "when does the deploy key rotate?"


def test_a_canary_on_an_empty_store_says_what_is_missing(cli: Cli) -> None:
    """E20"""
    said = cli("canary", "--set", "recall.recipe=governed.v1")
    assert said.code == 2
    assert said.error == "golden set: has 0 questions that can be asked; 60 are needed"
    assert "golden build" in said.hint
    said = cli("golden", "build")
    assert "0 of 48 questions with an answer and 0 of 12 that are rightly silent" in said.error


def test_without_a_canary_and_a_golden_set_the_commands_say_so(cli: Cli) -> None:
    """E20"""
    assert cli("admin", "canary").out.startswith("no canary; start one")
    assert cli("admin", "golden", "show").out.startswith("no golden set; build one")
    assert cli("canary", "--json").json == {"canary": None, "receipt": None, "hint": ""}
    assert cli("canary", "--stop").error == "no canary is running"
    assert cli("canary", "--promote").error == "there is no canary: there is nothing to keep"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--set", "recall.recipe"], "--set: 'recall.recipe' is not KEY=VALUE"),
        (["--set", "recall.recipe=governed.v1", "--stop"], "--set, --promote, --stop: cannot be combined"),
        (["--set", "embedding.provider=none"], "embedding.provider: cannot be tried by some sessions alone"),
        (["--set", "recall.recipe=governed.v1", "--for", "soon"], "for: is not a time span"),
    ],
)
def test_bad_options_are_named(cli: Cli, options: list[str], error: str) -> None:
    """E20"""
    assert cli("canary", *options).error.startswith(error)


def test_a_recall_is_approved_and_rejected_by_its_receipt(cli: Cli) -> None:
    """E20"""
    id = cli.remembered("The deploy key rotates on Mondays")
    receipt = cli("recall", ASKED, "--json").json["receipt"]["id"]
    approved = cli("golden", "approve", receipt, "--json").json
    assert approved == {"receipt_id": receipt, "expected": [id], "is_question": True}
    assert "1 of 48 questions with an answer" in cli("golden", "build").error
    assert "should find nothing" in cli("golden", "approve", receipt, "--silent").out
    assert "is no question" in cli("golden", "reject", receipt).out
    assert cli("golden", "approve", "nothing").error == "no recall receipt nothing"

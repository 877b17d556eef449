"""`admin rehearse` and `admin gaps` as commands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from terminal import Cli

from cortex.progress import Progress
from cortex.surfaces.cli import output
from cortex.surfaces.cli.errors import INTERRUPTED

ASKED = "when does the deploy key rotate?"


def test_a_rehearsal_shows_what_would_change(cli: Cli) -> None:
    """E20"""
    kept = cli.remembered("The deploy key rotates on Mondays")
    lost = cli.remembered("The color of the kettle is green")
    receipt = cli("recall", "deploy kettle", "--json").json["receipt"]["id"]
    cli("recall", "thanks!")
    said = cli("rehearse", "--set", "recall.recipe=files.v1", "--json").json
    assert (said["compared"], said["left_out"], said["stopped"]) == (2, {}, False)
    assert (said["changes"]["same"], said["changes"]["hits"]) == (1, 1)
    (changed,) = said["most_changed"]
    assert (changed["receipt_id"], set(changed["before"]["ids"])) == (receipt, {kept, lost})
    assert changed["after"]["ids"] == [kept]
    said = cli("admin", "rehearse", "--set", "recall.recipe=files.v1", "--last", "2d")
    assert said.code == 0
    assert "1 of 2 answers would change" in said.out
    assert f"- {lost}  The color of the kettle is green" in said.out
    assert "0 of 1 answers" in cli("rehearse", "--set", "recall.recipe=files.v1", "--limit", "1").out


def test_an_interrupted_rehearsal_shows_what_was_compared(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """E20"""
    cli.remembered("The deploy key rotates on Mondays")
    for _ in range(3):
        cli("recall", ASKED)

    @contextmanager
    def interrupting(title: str) -> Iterator[Progress]:
        def update(done: int, total: int, label: str) -> None:
            if done == 2:
                raise KeyboardInterrupt

        yield update

    monkeypatch.setattr(output, "progress", interrupting)
    said = cli("rehearse", "--set", "recall.recipe=lancedb.v1")
    assert said.code == INTERRUPTED
    assert said.out.startswith("stopped; this is what was compared so far\n")
    assert "of 2 answers would change" in said.out


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--set", "recall.recipe"], "--set: 'recall.recipe' is not KEY=VALUE"),
        (["--set", "recall.recipe=deep.v1", "--last", "soon"], "last: is not a time span"),
        (["--set", "capture.policy=lenient.v1"], "capture.policy: cannot be rehearsed"),
    ],
)
def test_bad_options_are_named(cli: Cli, options: list[str], error: str) -> None:
    """E20"""
    said = cli("rehearse", *options)
    assert said.error.startswith(error)
    assert said.code == 2


@pytest.mark.parametrize(
    "verb", [["rehearse", "--set", "recall.recipe=deep.v1"], ["gaps"], ["digest"]], ids=lambda v: v[0]
)
def test_a_period_out_of_range_is_named_as_it_was_given(cli: Cli, verb: list[str]) -> None:
    for given in ("0d", "4000d"):
        said = cli("admin", *verb, "--last", given)
        assert (said.code, said.error) == (2, f"last: '{given}' is out of range")
        assert "days, such as 7d" in said.err


def test_a_refused_setting_suggests_only_settings_that_can_be_rehearsed(cli: Cli) -> None:
    """E20"""
    cli.remembered("The deploy key rotates on Mondays")
    cli("recall", ASKED)
    said = cli("rehearse", "--set", "capture.policy=lenient.v1")
    hint = said.err.partition("hint: possible: ")[2].strip()
    assert hint == "files.citations, hooks.max_facts, hooks.max_tokens, recall.recipe"
    for name, value in zip(hint.split(", "), ("off", "1", "40", "deep.v1"), strict=True):
        assert cli("rehearse", "--set", f"{name}={value}").code == 0
    wrong = cli("rehearse", "--set", "hooks.max_facts=0")
    assert "see docs/settings.md" in wrong.err  # and not to be set anywhere
    assert "cortex.toml" not in wrong.err


def test_gaps_are_of_all_scopes_or_of_one(cli: Cli) -> None:
    cli("recall", "who services the boiler?", "--scope", "house")
    cli("recall", "what does the ferry to Texel cost?")
    assert cli("gaps", "--json").json["found_nothing"] == 2
    (gap,) = cli("gaps", "--scope", "house", "--json").json["gaps"]
    assert gap["question"] == "who services the boiler?"
    assert cli("gaps", "--scope", "boat", "--json").json["recalls"] == 0


def test_gaps_are_listed_with_what_would_answer_them_today(cli: Cli) -> None:
    for question in ("who services the boiler?", "who services our boiler?"):
        cli("recall", question)
    said = cli("gaps").out
    assert said.startswith("2 of 2 recalls since 2025-12-06 found nothing; 1 gap\n")
    assert "who services our boiler? (and 1 like it)" in said
    assert "still nothing" in said
    id = cli.remembered("Hansen services the boiler every October")
    assert f"answered by {id}" in cli("admin", "gaps", "--last", "2d", "--limit", "5").out
    assert cli("gaps", "--json").json["gaps"][0]["answered_by"] == [id]


def test_the_digest_is_text_markdown_or_json(cli: Cli) -> None:
    cli.remembered("The deploy key rotates on Mondays")
    assert "Learned\n  1 new memory, 0 turns of conversations" in cli("digest").out
    assert "## Learned\n\n- 1 new memory" in cli("admin", "digest", "--last", "2d", "--markdown").out
    assert cli("digest", "--json").json["learned"]["memories"] == 1
    assert cli("digest", "--json", "--markdown").code == 2

"""`cortex admin migrate --agent`: an agent goes to another store, and the settings say so."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from terminal import Cli

pytestmark = pytest.mark.usefixtures("no_variables")


@pytest.fixture
def there(tmp_path: Path) -> str:
    return f"sqlite://{tmp_path}/there"


def remembered(cli: Cli, agent: str) -> list[str]:
    return [each["text"] for each in cli("--json", "--agent", agent, "list").json["memories"]]


@pytest.mark.parametrize("agent", ["work", "team.red"])
def test_a_moved_agent_is_used_where_it_is_once_it_is_placed(cli: Cli, there: str, agent: str) -> None:
    cli("--agent", agent, "remember", "The ferry leaves at nine")
    cli("remember", "The boat is in Porto")
    moved = cli("--agent", agent, "admin", "migrate", "--to", there)
    assert moved.code == 0
    told = " ".join(moved.out.split())
    key = agent if agent == "work" else f'"{agent}"'
    assert f'write {key} = "{there}" under [store.agents]'.replace(" ", "") in told.replace(" ", "")
    assert "--place" in told
    cli("--agent", agent, "remember", "Said at the old place")
    assert cli("--agent", agent, "admin", "migrate", "--to", there).code != 0, "it was written to after it was moved"


@pytest.mark.parametrize(
    "before", ["", "# mine\n[store]\nurl = 'sqlite:' # here\n", '[store.agents]\nplay = "sqlite:"\n']
)
def test_the_new_place_is_written_into_the_settings_and_nothing_else_changes(cli: Cli, there: str, before: str) -> None:
    cli("--agent", "work", "remember", "The ferry leaves at nine")
    file = cli.home / "cortex.toml"
    if before:
        file.write_text(before, encoding="utf-8")
    assert cli("--agent", "work", "admin", "migrate", "--to", there, "--place").code == 0
    after = file.read_text("utf-8")
    assert tomllib.loads(after)["store"]["agents"]["work"] == there
    assert all(line in after.splitlines() for line in before.splitlines())
    cli("--agent", "work", "remember", "The pump was serviced")
    assert sorted(remembered(cli, "work")) == ["The ferry leaves at nine", "The pump was serviced"]
    assert list(Path(there.removeprefix("sqlite://")).glob("work.sqlite"))


def test_a_password_goes_into_the_settings_as_it_was_named_and_is_not_printed(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THERE", f"sqlite://{tmp_path}/hunter2")
    cli("--agent", "work", "remember", "The ferry leaves at nine")
    moved = cli("--agent", "work", "admin", "migrate", "--to", "${THERE}", "--place")
    assert moved.code == 0
    assert "hunter2" not in moved.out + moved.err + (cli.home / "cortex.toml").read_text("utf-8")
    assert remembered(cli, "work") == ["The ferry leaves at nine"]


def test_what_cannot_be_placed_is_refused(cli: Cli, there: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("--agent", "work", "remember", "The ferry leaves at nine")
    for arguments in (["admin", "migrate", "--place"],
                      ["--agent", "work", "--user", "anna", "admin", "migrate", "--place"],
                      ["--agent", "work", "admin", "migrate", "--place", "--dry-run"]):  # fmt: skip
        assert "for a whole agent" in cli(*arguments, "--to", there).error
    assert not Path(there.removeprefix("sqlite://")).exists()
    assert "has no memory" in cli("--agent", "wrok", "admin", "migrate", "--to", there).error
    (cli.home / "cortex.toml").write_text('[store]\nagents = { play = "sqlite:" }\n', encoding="utf-8")
    refused = cli("--agent", "work", "admin", "migrate", "--to", there, "--place")
    assert "without changing the rest" in refused.error
    assert f'work = "{there}"' in refused.hint
    (cli.home / "cortex.toml").unlink()
    monkeypatch.setenv("CORTEX_STORE__AGENTS__WORK", f"{there}-too")
    refused = cli("--agent", "work", "admin", "migrate", "--from", "sqlite:", "--to", there, "--place")
    assert "overridden by the environment" in refused.error
    assert refused.hint == "unset CORTEX_STORE__AGENTS__WORK"

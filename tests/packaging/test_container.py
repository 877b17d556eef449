"""The container without an engine: what its recipe copies is there, and what it starts does start, and is well."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from environments import KEYWORDS_ALONE, ROOT, Environment

from cortex import settings

DOCKERFILE = ROOT / "Dockerfile"


@dataclass(frozen=True)
class Step:
    """One instruction of the recipe, on one line."""

    word: str
    rest: str

    @property
    def command(self) -> list[str]:
        """An argument list, as the exec form has it."""
        found: list[str] = json.loads(self.rest[self.rest.index("[") :])
        return found


def recipe() -> list[Step]:
    """Every instruction, of all stages."""
    lines = (line for line in DOCKERFILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [Step(*line.split(maxsplit=1)) for line in joined.splitlines() if line]


def image() -> list[Step]:
    """The instructions that make the image which is run: those of the last stage, and of the stages it is from."""
    stages: dict[str, list[Step]] = {}
    made: list[Step] = []
    for step in recipe():
        if step.word == "FROM":
            base, _, name = step.rest.partition(" AS ")
            made = stages[name] = [*stages.get(base, ())]
        made.append(step)
    return made


def the(word: str) -> Step:
    (found,) = (step for step in image() if step.word == word)
    return found


def variables() -> dict[str, str]:
    """What the container's environment is."""
    return dict(pair.split("=", 1) for step in image() if step.word == "ENV" for pair in step.rest.split())


def copied() -> list[str]:
    """What the recipe copies from the tree."""
    copies = (step.rest for step in recipe() if step.word == "COPY" and "--from=" not in step.rest)
    return [source.rstrip("/") for rest in copies for source in rest.split()[:-1]]


def test_everything_it_copies_is_there_and_is_let_through() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    let_through = {line[1:] for line in ignored if line.startswith("!")}
    assert "*" in ignored
    assert set(copied()) == let_through
    assert [source for source in copied() if not (ROOT / source).exists()] == []
    assert {"**/__pycache__", "**/*.py[cod]"} <= set(ignored)


def test_what_is_copied_is_enough_to_build_the_package() -> None:
    """The build of the image has nothing of the tree but this."""
    read = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packaged = read["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    folders = {folder.partition("/")[0] for folder in packaged}
    project = read["project"]
    assert set(copied()) == {"pyproject.toml", project["readme"], *project["license-files"], *folders}


def test_its_variables_are_settings_that_there_are() -> None:
    known = {variable for _, variable, _, _ in settings.describe()} | {"CORTEX_HOME", "CORTEX_MODELS"}
    told = variables()
    assert {name for name in told if name.startswith("CORTEX_")} <= known
    assert told["ORT_DISABLE_TELEMETRY"] == "1"
    assert the("EXPOSE").rest == str(settings.Settings().serve.port)
    assert the("VOLUME").command == [told["CORTEX_HOME"]]


def test_it_runs_as_nobody_in_particular_and_by_no_shell() -> None:
    user, _, group = the("USER").rest.partition(":")
    assert int(user) >= 1_000
    assert int(group) >= 1_000
    assert the("ENTRYPOINT").command == ["cortex"]
    assert the("CMD").command[0] == "serve"


@pytest.mark.slow
def test_what_it_starts_wants_a_token_then_serves_then_is_found_well_then_ends(fully: Environment) -> None:
    """The entry point, the command, the health check and the environment of the recipe, with another home and port"""
    payload = {name: value for name, value in variables().items() if name not in ("PATH", "HOME", "CORTEX_MODELS")}
    payload |= KEYWORDS_ALONE | {"CORTEX_HOME": str(fully.home / "data"), "CORTEX_SERVE__PORT": _free_port()}
    entry, start = the("ENTRYPOINT").command, [*the("ENTRYPOINT").command, *the("CMD").command]
    check = the("HEALTHCHECK").command

    refused = fully.run(*_found(fully, start), **payload)
    assert refused.returncode == 2
    assert "cortex admin tokens create" in refused.stderr
    assert fully.run(*_found(fully, check), **payload).returncode == 1

    made = fully.run(*_found(fully, [*entry, "admin", "tokens", "create", "--rights", "admin"]), **payload)
    assert re.fullmatch(r"ctx_\w{12}_[\w-]{43}\n", made.stdout)
    with fully.serving(_found(fully, start), **payload) as server:
        assert fully.run(*_found(fully, check), **payload, HTTP_PROXY="http://127.0.0.1:1").returncode == 0
        assert server.get("/v1/stats")[0] == 401
        assert server.get("/v1/stats", Authorization=f"Bearer {made.stdout.strip()}")[0] == 200
        assert server.end() == 0
    assert fully.run(*_found(fully, check), **payload).returncode == 1


def test_the_recipe_has_no_finding_of_hadolint() -> None:
    linter = shutil.which("hadolint", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if linter is None:
        pytest.skip("hadolint is not installed")
    found = subprocess.run([linter, "--no-color", str(DOCKERFILE)], capture_output=True, text=True)
    assert (found.returncode, found.stdout) == (0, "")


def test_the_example_for_compose_fits_the_recipe() -> None:
    yaml = pytest.importorskip("yaml")
    path = ROOT / "packaging" / "compose.yaml"
    payload: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    service = payload["services"]["cortex"]
    assert (path.parent / service["build"]["context"] / "Dockerfile").resolve() == DOCKERFILE
    assert service["ports"] == [f"127.0.0.1:{the('EXPOSE').rest}:{the('EXPOSE').rest}"]
    (volume,) = service["volumes"]
    assert volume.split(":") == [*payload["volumes"], variables()["CORTEX_HOME"]]
    assert int(service["stop_grace_period"].removesuffix("s")) > settings.Settings().serve.shutdown_seconds
    assert (service["read_only"], service["cap_drop"], service["tmpfs"]) == (True, ["ALL"], ["/tmp"])


def _found(environment: Environment, command: list[str]) -> list[str]:
    """The command with its program where the environment has it, as the container's PATH would find it."""
    return [str(environment.folder / "bin" / command[0]), *command[1:]]


def _free_port() -> str:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return str(bound.getsockname()[1])

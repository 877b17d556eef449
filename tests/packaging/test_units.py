"""The units of systemd: they start what there is, stop it in time, and do not try again what cannot mend itself."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from environments import KEYWORDS_ALONE, ROOT, Environment

from cortex import errors, settings

UNITS = sorted((ROOT / "packaging").glob("*.service"))
SYSTEM = ROOT / "packaging" / "cortex.service"


@pytest.fixture(params=UNITS, ids=lambda path: path.name)
def unit(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def told(unit: Path) -> dict[str, list[str]]:
    """Every directive of a unit, with each value it is given."""
    found: dict[str, list[str]] = {}
    for line in unit.read_text(encoding="utf-8").splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(name, []).append(value)
    return found


def test_its_variables_are_settings_that_there_are(unit: Path) -> None:
    given = dict(pair.split("=", 1) for pair in told(unit)["Environment"])
    known = {variable for _, variable, _, _ in settings.describe()} | {"CORTEX_HOME", "CORTEX_MODELS"}
    assert {name for name in given if name.startswith("CORTEX_")} <= known
    assert given["ORT_DISABLE_TELEMETRY"] == "1"


@pytest.mark.slow
def test_what_it_starts_serves_and_ends_well_within_its_time(fully: Environment, unit: Path) -> None:
    (start,) = told(unit)["ExecStart"]
    program, *arguments = shlex.split(start)
    assert Path(program).name == "cortex"
    home = {"CORTEX_HOME": str(fully.home / "home"), "CORTEX_SERVE__PORT": "0"}
    with fully.serving([str(fully.folder / "bin" / "cortex"), *arguments], **home, **KEYWORDS_ALONE) as server:
        assert server.url.startswith("http://127.0.0.1:")  # reachable from this machine alone, whatever is set up
        assert server.get("/health")[0] == 200
        assert server.end() == 0
    assert told(unit)["KillSignal"] == ["SIGTERM"]
    assert int(told(unit)["TimeoutStopSec"][0]) >= settings.Settings().serve.shutdown_seconds + 10


def test_it_is_not_started_again_where_that_mends_nothing(unit: Path) -> None:
    hopeless = (
        errors.InvalidRequest, errors.StoreForeign, errors.StoreTooNew, errors.StoreCorrupt, errors.ProviderMissing,
    )  # fmt: skip
    (codes,) = told(unit)["RestartPreventExitStatus"]
    assert told(unit)["Restart"] == ["on-failure"]
    assert {int(code) for code in codes.split()} == {error.exit_code for error in hopeless}


def test_systemd_understands_every_line_of_it(unit: Path, tmp_path: Path) -> None:
    """All it may miss is the program, which is not installed here"""
    said = _analysed("verify", *_whose(unit), str(unit), XDG_RUNTIME_DIR=str(tmp_path))
    lines = [line for line in said.splitlines() if "/bin/cortex is not executable" not in line]
    assert lines == []


def test_the_unit_of_a_machine_is_closed_in() -> None:
    said = _analysed("security", "--offline=true", "--threshold=20", str(SYSTEM))
    (score,) = re.findall(r"Overall exposure level for cortex.service: ([\d.]+)", said)
    assert float(score) <= 2.0


def test_the_user_of_the_unit_is_the_one_that_is_made() -> None:
    made = (ROOT / "packaging" / "cortex.sysusers").read_text(encoding="utf-8").splitlines()[-1].split()
    assert told(SYSTEM)["User"] == told(SYSTEM)["Group"] == [made[1]]
    assert told(SYSTEM)["StateDirectory"] == [made[1]]
    assert f"CORTEX_HOME=/var/lib/{made[1]}" in told(SYSTEM)["Environment"]
    assert f"/var/lib/{made[1]}" in made


def _whose(unit: Path) -> list[str]:
    return ["--user"] if "user" in unit.stem else []


def _analysed(*arguments: str, **variables: str) -> str:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is not installed")
    command = ["systemd-analyze", "--no-pager", *arguments]
    plain = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent"}
    done = subprocess.run(command, env=plain | variables, capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr

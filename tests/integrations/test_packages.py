"""An adapter says which package it needs, in which versions, and how to install it."""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path

import pytest
from frameworks import MODULES, is_installed

from cortex.errors import ProviderMissing
from cortex.integrations.packages import PACKAGES, FrameworkPackage, required

ROOT = Path(__file__).parents[2]


def test_the_extras_install_what_the_adapters_need() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert {extra: extras[extra] for extra in PACKAGES} == {extra: [str(need)] for extra, need in PACKAGES.items()}
    assert PACKAGES.keys() == MODULES.keys()


def test_the_make_target_runs_every_adapter() -> None:
    assert f"\nFRAMEWORKS ?= {' '.join(PACKAGES)}\n" in (ROOT / "Makefile").read_text(encoding="utf-8")


@pytest.mark.parametrize("extra", [extra for extra in MODULES if not is_installed(extra)])
def test_a_missing_package_is_named_with_its_range_and_how_to_install_it(extra: str) -> None:
    with pytest.raises(ProviderMissing) as raised:
        importlib.import_module(f"cortex.integrations.{extra.replace('-', '_')}")
    assert f"needs {PACKAGES[extra]}, which is not installed" in raised.value.message
    assert raised.value.hint == f"pip install 'memory-cortex[{extra}]'"


@pytest.mark.parametrize("extra", PACKAGES)
def test_an_unsupported_version_is_named_with_the_range(
    extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = PACKAGES[extra]
    about = tmp_path / f"{package.name.replace('-', '_')}-99.1.dist-info" / "METADATA"
    about.parent.mkdir()
    about.write_text(f"Metadata-Version: 2.1\nName: {package.name}\nVersion: 99.1\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ProviderMissing) as raised, required(extra):
        pytest.fail("the framework must not be imported")
    assert f"needs {package}, which is installed as 99.1" in raised.value.message
    assert "pip install" in raised.value.hint


@pytest.mark.parametrize(
    ("version", "is_included"),
    [("1.1", True), ("1.1.0", True), ("1.10.3", True), ("1.2.0rc1", True), ("1.0.9", False), ("0.9", False),
     ("2", False), ("2.0.0", False), ("2.0.0a1", False), ("unknown", False)],
)  # fmt: skip
def test_a_range_ends_before_its_end(version: str, is_included: bool) -> None:
    assert FrameworkPackage("any", "1.1", "2").includes(version) is is_included


def test_a_package_that_lacks_what_is_imported_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    about = tmp_path / "langchain-1.3.0.dist-info" / "METADATA"
    about.parent.mkdir()
    about.write_text("Metadata-Version: 2.1\nName: langchain\nVersion: 1.3.0\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ProviderMissing, match=r"is installed as 1\.3\.0 but lacks a part"), required("langchain"):
        raise ImportError("cannot import name 'AgentMiddleware'")

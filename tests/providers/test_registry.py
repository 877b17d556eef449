"""How providers are found: by one name each, imported on use, and with a way to look variables up where they ask."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from cortex import registry
from cortex.errors import ProviderMissing
from cortex.integrations.packages import PACKAGES

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EMBEDDERS = ("auto", "gemini", "local", "none", "ollama", "openai", "voyage")
MODULE = "letters_of_a_third_party"


@pytest.fixture
def third_party(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Installs a package whose embedder `letters` is made by the given code."""

    def installed(code: str) -> None:
        monkeypatch.delitem(sys.modules, MODULE, raising=False)
        (tmp_path / f"{MODULE}.py").write_text(code, encoding="utf-8")
        about = tmp_path / "letters-1.0.dist-info"
        about.mkdir(exist_ok=True)
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: letters\nVersion: 1.0\n", encoding="utf-8")
        (about / "entry_points.txt").write_text(f"[cortex.embedders]\nletters = {MODULE}:create\n", encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        importlib.invalidate_caches()

    return installed


@pytest.mark.parametrize("group", PROJECT["entry-points"])
def test_built_ins_enter_by_the_entry_points_of_a_third_party(group: str) -> None:
    """STYLE: the list that is read first says the same as the package"""
    assert registry._BUILTIN[group] == PROJECT["entry-points"][group]
    for path in registry._BUILTIN[group].values():
        module, _, name = path.partition(":")
        assert callable(getattr(importlib.import_module(module), name))


def test_every_embedder_is_found_by_its_name() -> None:
    """B16"""
    assert set(EMBEDDERS) <= set(registry.names("cortex.embedders"))
    for name in EMBEDDERS:
        made = registry.find("cortex.embedders", name)({}, Path("models"))
        assert made.space.provider in (name, "none", "local"), "auto takes what it finds"


def test_every_extra_is_part_of_what_is_tested() -> None:
    """STYLE: each provider owns its install hint, and the hint names an extra that there is"""
    extras = PROJECT["optional-dependencies"]
    assert {"openai", "ollama", "gemini", "voyage"} <= set(extras)
    (everything,) = [each for each in extras["dev"] if each.startswith("memory-cortex[")]
    # The frameworks do not fit beside each other: `make e2e-frameworks` gives each an environment of its own.
    tested = set(everything.removeprefix("memory-cortex[").removesuffix("]").split(","))
    assert tested == set(extras) - {"dev"} - PACKAGES.keys()


@pytest.mark.parametrize(
    ("provider", "variable"),
    [("openai", "OPENAI_API_KEY"), ("gemini", "GOOGLE_API_KEY"), ("voyage", "VOYAGE_API_KEY")],
)
def test_a_provider_that_looks_for_its_key_is_given_the_way_to(
    monkeypatch: pytest.MonkeyPatch, provider: str, variable: str
) -> None:
    """B16: only the settings read the environment, and a provider without its key says so at once"""
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "VOYAGE_API_KEY", "VOYAGE_API_KEY_PATH"):
        monkeypatch.delenv(name, raising=False)
    create = registry.find("cortex.embedders", provider)
    assert "there is no key" in str(create({}, Path("models")).trouble())
    monkeypatch.setenv(variable, "k")
    made = create({}, Path("models"))
    assert (made.trouble(), made.key_from) == (None, variable)


def test_auto_sees_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """B16"""
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "VOYAGE_API_KEY", "VOYAGE_API_KEY_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OLLAMA_HOST", "box:1234")
    made = registry.find("cortex.embedders", "auto")({}, tmp_path)
    assert (made.chosen.provider, made.chosen.because) == ("ollama", "OLLAMA_HOST is set")


def test_a_factory_that_asks_for_nothing_is_left_as_it_is() -> None:
    create = registry.find("cortex.embedders", "local")
    assert create is importlib.import_module("cortex.providers.embedders.local").create
    assert "variable" not in inspect.signature(create).parameters


ASKING = "def create(options, models, *, variable=None):\n    return variable('MY_KEY')\n"
AS_A_CLASS = (
    "class create:\n    def __init__(self, options, models, variable):\n        self.key = variable('MY_KEY')\n"
)
NOT_ASKING = "def create(options, models):\n    return (options, models)\n"
WITHOUT_SIGNATURE = "create = dict\n"


def test_a_third_party_may_ask_too(third_party: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """STYLE: built-ins enter by the door of a third party"""
    monkeypatch.setenv("MY_KEY", "key-1")
    given: tuple[Mapping[str, Any], Path] = ({}, Path("models"))
    third_party(ASKING)
    assert registry.find("cortex.embedders", "letters")(*given) == "key-1"
    third_party(AS_A_CLASS)
    assert registry.find("cortex.embedders", "letters")(*given).key == "key-1"
    third_party(NOT_ASKING)
    assert registry.find("cortex.embedders", "letters")(*given) == given
    third_party(WITHOUT_SIGNATURE)
    assert registry.find("cortex.embedders", "letters") is dict


def test_a_name_that_nobody_has_is_told_with_the_nearest() -> None:
    """X18"""
    with pytest.raises(ProviderMissing, match="did you mean 'gemini'"):
        registry.find("cortex.embedders", "gemeni")


def test_finding_the_default_embedder_imports_no_other() -> None:
    """DESIGN 8: nothing of a provider that is not asked for"""
    script = (
        "import sys; from cortex import registry, settings; before = 'inspect' in sys.modules;"
        "registry.find('cortex.embedders', 'local');"
        "print(before, [name for name in sys.modules if name.startswith('cortex.providers.') and"
        " name.rpartition('.')[2] in ('remote', 'openai', 'batching', 'sdks', 'endpoints', 'auto')])"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "True []", "what a signature is read by is there already"

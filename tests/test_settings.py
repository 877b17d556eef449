"""Settings: one TOML file, then the environment, then call arguments (X18)."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from cortex import settings
from cortex.errors import InvalidRequest, StoreUnavailable
from cortex.ports.store_url import StoreUrl
from cortex.settings import Settings, default_home, describe, load, models_home

pytestmark = pytest.mark.usefixtures("no_variables")

EVERY = list(describe())


def written(home: Path, text: str) -> Path:
    (home / "cortex.toml").write_text(text, encoding="utf-8")
    return home


def test_without_a_file_the_defaults_hold(tmp_path):
    """X18"""
    assert load(tmp_path) == Settings()
    assert load(tmp_path / "not there") == Settings()


def test_the_defaults_are_those_of_the_documents():
    """E12: enabled, low, 3. E13: 6000 and 500. X18"""
    defaults = Settings()
    assert (defaults.receipts.enabled, defaults.receipts.verbosity, defaults.receipts.max_items) == (True, "low", 3)
    assert (defaults.embedding.max_chars, defaults.embedding.head_chars, defaults.embedding.max_bytes) == (
        6_000,
        500,
        None,
    )
    assert (str(defaults.store.url), defaults.embedding.provider, defaults.recall.recipe) == (
        "sqlite:",
        "local",
        "balanced.v1",
    )
    assert (defaults.agent, defaults.user) == ("main", "default")


def test_the_file_overrides_the_defaults(tmp_path):
    """X18"""
    found = load(written(tmp_path, 'user = "anna"\n[recall]\nrecipe = "typed.v1"\n[embedding.options]\nmodel = "x"\n'))
    assert (found.user, found.recall.recipe, found.embedding.options) == ("anna", "typed.v1", {"model": "x"})
    assert found.recall.deadline_ms == Settings().recall.deadline_ms


def test_the_environment_overrides_the_file(tmp_path, monkeypatch):
    """X18"""
    written(tmp_path, '[recall]\nrecipe = "typed.v1"\ndeadline_ms = 100\n')
    monkeypatch.setenv("CORTEX_RECALL__RECIPE", "files.v1")
    found = load(tmp_path).recall
    assert (found.recipe, found.deadline_ms) == ("files.v1", 100)


def test_arguments_override_the_environment(tmp_path, monkeypatch):
    """X18"""
    monkeypatch.setenv("CORTEX_RECALL__RECIPE", "files.v1")
    assert load(tmp_path, {"recall": {"recipe": "governed.v1"}}).recall.recipe == "governed.v1"


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [
        ("CORTEX_RECEIPTS__ENABLED", "false", "receipts.enabled", False),
        ("CORTEX_RECEIPTS__ENABLED", "False", "receipts.enabled", False),
        ("CORTEX_RECEIPTS__ENABLED", "off", "receipts.enabled", False),
        ("CORTEX_RECEIPTS__ENABLED", "1", "receipts.enabled", True),
        ("CORTEX_RECEIPTS__MAX_ITEMS", "7", "receipts.max_items", 7),
        ("CORTEX_RECEIPTS__MAX_ITEMS", "007", "receipts.max_items", 7),
        ("CORTEX_RECALL__DEADLINE_MS", "1e3", "recall.deadline_ms", 1_000),
        ("CORTEX_EMBEDDING__MAX_BYTES", "512", "embedding.max_bytes", 512),
        ("CORTEX_STORE__URL", "ephemeral:", "store.url", StoreUrl("ephemeral:")),
        ("CORTEX_STORE__SQLITE__SYNCHRONOUS", "normal", "store.sections", {"sqlite": {"synchronous": "normal"}}),
        ("CORTEX_EMBEDDING__OPTIONS", '{model = "x", size = 3}', "embedding.options", {"model": "x", "size": 3}),
        ("CORTEX_USER", "Anna Müller", "user", "Anna Müller"),
        ("CORTEX_USER", "123456789", "user", "123456789"),
        ("CORTEX_USER", "2026-01-05", "user", "2026-01-05"),
        ("CORTEX_AGENT", "007", "agent", "007"),
        ("CORTEX_USER", "true", "user", "true"),
    ],
)
def test_a_variable_is_read_as_what_its_setting_is(tmp_path, monkeypatch, variable, text, name, value):
    """X18: a user may well be called 123456789"""
    monkeypatch.setenv(variable, text)
    found = load(tmp_path)
    for part in name.split("."):
        found = getattr(found, part)
    assert found == value


@pytest.mark.parametrize(
    ("text", "field", "hint"),
    [
        ('recal = "x"', "recal", "did you mean 'recall'"),
        ("[recall]\nrecipee = 1", "recall.recipee", "did you mean 'recipe'"),
        ("[embeding]\nprovider = 1", "embeding", "did you mean 'embedding'"),
        ("[store]\nzzz = 1", "store.zzz", "known here: url"),
    ],
)
def test_an_unknown_key_is_an_error_that_suggests_the_nearest(tmp_path, text, field, hint):
    """DESIGN 5"""
    with pytest.raises(InvalidRequest, match=hint) as refused:
        load(written(tmp_path, text))
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('[[retention]]\nkeep = "1y"\n[[retention]]\nscope = "x"\nkeep = "soon"', "retention[1].keep"),
        ('[[retention]]\nkeep = "1y"\n[[retention]]\nkeep = "2y"', "retention[1]"),
        ('recal = "x"', "recal"),
        ("[store]\nzzz = 1", "store.zzz"),
    ],
)
def test_an_error_in_the_file_names_the_file(tmp_path, text, field):
    with pytest.raises(InvalidRequest) as refused:
        load(written(tmp_path, text))
    assert refused.value.field == field
    assert refused.value.hint.endswith(f"; fix it in {tmp_path / 'cortex.toml'}")


def test_an_error_elsewhere_does_not_name_the_file(tmp_path, monkeypatch):
    written(tmp_path, '[recall]\nrecipe = "deep.v1"')
    monkeypatch.setenv("CORTEX_RETENTION", '[{keep = "soon"}]')
    with pytest.raises(InvalidRequest) as refused:
        load(tmp_path)
    assert refused.value.field == "retention[0].keep"
    assert "cortex.toml" not in refused.value.hint


def test_an_unknown_argument_is_an_error_too(tmp_path):
    """DESIGN 5"""
    with pytest.raises(InvalidRequest, match="did you mean 'recipe'"):
        load(tmp_path, {"recall": {"recpe": "x"}})


def test_a_misspelled_variable_is_an_error_too(tmp_path, monkeypatch):
    """DESIGN 5: it would otherwise be silently without effect"""
    monkeypatch.setenv("CORTEX_EMBEDING__PROVIDER", "none")
    with pytest.raises(InvalidRequest, match="CORTEX_EMBEDDING__PROVIDER"):
        load(tmp_path)


def test_variables_that_are_no_settings_are_let_be(tmp_path, monkeypatch):
    """Home, models and what other programs may have"""
    for name in ("CORTEX_HOME", "CORTEX_MODELS", "CORTEX_DEBUG", "CORTEXTUAL"):
        monkeypatch.setenv(name, "x")
    assert load(tmp_path) == Settings()


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('[recall]\ndeadline_ms = "soon"', "recall.deadline_ms"),
        ("[recall]\ndeadline_ms = 0", "recall.deadline_ms"),
        ("[receipts]\nmax_items = 11", "receipts.max_items"),
        ('[receipts]\nverbosity = "loud"', "receipts.verbosity"),
        ("[store]\nurl = 5", "store.url"),
        ("[embedding]\npassage_tokens = 1", "embedding.passage_tokens"),
        ("[recall]\ndeadline_ms = 1.5", "recall.deadline_ms"),
        ("[recall]\ndeadline_ms = inf", "recall.deadline_ms"),
        ("[recall]\ndeadline_ms = true", "recall.deadline_ms"),
        ("[recall]\ndeadline_ms = 2026-01-05", "recall.deadline_ms"),
        ('[receipts]\nenabled = "maybe"', "receipts.enabled"),
        ("[receipts]\nenabled = 2", "receipts.enabled"),
        ("[embedding]\nmax_bytes = 1", "embedding.max_bytes"),
        ('[embedding]\noptions = "fast"', "embedding.options"),
        ('store = "sqlite"', "store"),
        ("user = 5", "user"),
    ],
)
def test_a_value_of_the_wrong_type_or_size_is_refused_by_the_name_of_its_setting(tmp_path, text, field):
    """E12: max items is capped at 10. X18"""
    with pytest.raises(InvalidRequest) as refused:
        load(written(tmp_path, text))
    assert refused.value.field == field
    assert "CORTEX_" + field.upper().replace(".", "__") in refused.value.hint


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[receipts]\nmax_items = 11", "receipts.max_items: 11 is not a whole number from 1 to 10"),
        ("[recall]\ndeadline_ms = 0", "recall.deadline_ms: 0 is not a whole number of at least 1"),
        ('[receipts]\nverbosity = "loud"', "receipts.verbosity: 'loud' is not low or high"),
        ("user = 5", "user: 5 is not a text"),
        ('store = "sqlite"', "store: is a section, not a setting"),
    ],
)
def test_a_refusal_says_what_was_given_and_what_is_possible(tmp_path, text, told):
    """STYLE: what was asked, what is possible, and what to do next"""
    with pytest.raises(InvalidRequest) as refused:
        load(written(tmp_path, text))
    assert refused.value.message == told


def test_what_is_unset_by_default_may_be_unset_again(tmp_path):
    written(tmp_path, "[embedding]\nmax_bytes = 512\n")
    assert load(tmp_path, {"embedding": {"max_bytes": None}}).embedding.max_bytes is None
    with pytest.raises(InvalidRequest, match=r"recall\.deadline_ms: None is not a whole number"):
        load(tmp_path, {"recall": {"deadline_ms": None}})


@pytest.mark.parametrize(("value", "wanted"), [("1", True), ("yes", True), ("x", True), ("0", False), ("", False)])
def test_debugging_is_asked_for_by_a_variable(monkeypatch, value, wanted):
    """DESIGN 5"""
    monkeypatch.setenv("CORTEX_DEBUG", value)
    assert settings.debug_wanted() is wanted


@pytest.mark.parametrize("content", [b"not = = toml", b"\xff\xfe", b"[unclosed"])
def test_a_file_that_is_not_toml_is_refused_by_its_path(tmp_path, content):
    (tmp_path / "cortex.toml").write_bytes(content)
    with pytest.raises(InvalidRequest, match="is not valid TOML") as refused:
        load(tmp_path)
    assert refused.value.field == str(tmp_path / "cortex.toml")


def test_a_file_that_cannot_be_read_is_unavailable(tmp_path):
    (tmp_path / "cortex.toml").mkdir()
    with pytest.raises(StoreUnavailable, match=r"cannot read .*cortex\.toml"):
        load(tmp_path)


def test_settings_cannot_be_changed_once_read():
    """STYLE: frozen"""
    with pytest.raises(FrozenInstanceError):
        Settings().recall.recipe = "x"


@pytest.mark.parametrize("name", [name for name, *_ in EVERY])
def test_every_setting_is_described_and_has_its_variable(name: str):
    """STYLE: every setting has a page"""
    (variable, meaning), *rest = [(variable, meaning) for each, variable, _, meaning in EVERY if each == name]
    assert not rest
    assert variable == "CORTEX_" + name.upper().replace(".", "__")
    assert meaning.endswith(".")


def test_variables_are_put_into_tables_however_deep(tmp_path, monkeypatch):
    """L6: `${ENV_VAR}` in the options of a provider, in the tables below them, and in lists"""
    monkeypatch.setenv("MY_KEY", "key-1")
    monkeypatch.setenv("MY_HOST", "box")
    monkeypatch.delenv("NOT_SET", raising=False)
    written(
        tmp_path,
        """
        [embedding.options]
        api_key = "${MY_KEY}"
        base_url = "http://${MY_HOST}:80/${MY_HOST}"
        plain = "$MY_KEY and ${}"
        absent = "Bearer ${NOT_SET}"
        several = ["${MY_KEY}", 5, ["${MY_HOST}", { deep = "${MY_KEY}" }]]
        [embedding.options.openai]
        api_key = "${MY_KEY}"
        enabled = true
        headers = { x-token = "Bearer ${MY_KEY}", x-absent = "${NOT_SET}" }
        """,
    )
    assert load(tmp_path).embedding.options == {
        "api_key": "key-1",
        "base_url": "http://box:80/box",
        "plain": "$MY_KEY and ${}",
        "absent": "Bearer ${NOT_SET}",
        "several": ["key-1", 5, ["box", {"deep": "key-1"}]],
        "openai": {
            "api_key": "key-1",
            "enabled": True,
            "headers": {"x-token": "Bearer key-1", "x-absent": "${NOT_SET}"},
        },
    }, "one that is not set stays, for its reader to name"


def test_what_a_variable_holds_is_not_read_again(tmp_path, monkeypatch):
    """L6: a key may hold what looks like a variable"""
    monkeypatch.setenv("MY_KEY", "${HOME}")
    options = {"openai": {"api_key": "${MY_KEY}"}}
    assert load(tmp_path, {"embedding": {"options": options}}).embedding.options == {"openai": {"api_key": "${HOME}"}}
    assert options == {"openai": {"api_key": "${MY_KEY}"}}, "what was given is left as it was"


def test_a_provider_may_look_a_variable_up(monkeypatch):
    """STYLE: only the settings read the environment"""
    monkeypatch.setenv("MY_KEY", "key-1")
    assert settings.variable("MY_KEY") == "key-1"
    monkeypatch.delenv("MY_KEY")
    assert settings.variable("MY_KEY") is None


def test_home_is_a_folder_of_the_user_unless_said_otherwise(monkeypatch, tmp_path):
    """DESIGN 5"""
    monkeypatch.delenv("CORTEX_HOME", raising=False)
    assert default_home() == Path.home() / ".cortex"
    monkeypatch.setenv("CORTEX_HOME", str(tmp_path))
    assert default_home() == tmp_path
    monkeypatch.setenv("CORTEX_HOME", "~/elsewhere")
    assert default_home() == Path.home() / "elsewhere"


def test_all_homes_of_a_user_share_the_models(monkeypatch, tmp_path):
    """DESIGN 6"""
    monkeypatch.delenv("CORTEX_MODELS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shared = models_home(tmp_path / "one")
    assert shared == models_home(tmp_path / "two") == settings.user_models()
    assert tmp_path / "one" not in shared.parents
    monkeypatch.setenv("CORTEX_MODELS", "/srv/models")
    assert models_home(tmp_path / "one") == Path("/srv/models")


def test_a_home_may_hold_models_of_its_own(monkeypatch, tmp_path):
    """DESIGN 6"""
    monkeypatch.delenv("CORTEX_MODELS", raising=False)
    (tmp_path / "models").mkdir()
    assert models_home(tmp_path) == tmp_path / "models"


def test_the_file_has_one_name():
    """DESIGN 5"""
    assert settings.FILE_NAME == "cortex.toml"

"""Stores are opened by URL: what a URL may say, what is never shown of it, and what a store is asked for."""

from __future__ import annotations

import logging
import pickle
from dataclasses import asdict, replace
from pathlib import Path

import pytest

import vault_store
from cortex import settings, store_drivers, wiring
from cortex.errors import EngineError, InvalidRequest, NotSupported, StoreUnavailable
from cortex.memory import Cortex
from cortex.options import leaves
from cortex.ports.store import Abilities
from cortex.ports.store_url import StoreUrl
from sweeps import for_each

pytestmark = pytest.mark.usefixtures("no_variables")


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "site").mkdir()
    vault_store.install(tmp_path / "site", monkeypatch)


def opened(home: Path, url: str, **sections: object) -> Cortex:
    return Cortex(home, settings={"store": {"url": url, **sections}, "embedding": {"provider": "none"}})


# --- what is shown ---------------------------------------------------------------------------------------------------


@for_each(
    ("url", "shown"),
    [
        ("sqlite:", "sqlite:"),
        ("sqlite:///srv/a@b/c", "sqlite:///srv/a@b/c"),
        ("postgresql://u:pw@h:5432,g:5432/db", "postgresql://u:***@h:5432,g:5432/db"),
        ("postgresql://u@h/db", "postgresql://u@h/db"),
        ("postgresql://u:p/w?x#y@z@h/db?sslmode=require", "postgresql://u:***@h/db?…"),
        ("postgresql://h/db?password=pw", "postgresql://h/db?…"),
        ("postgresql:u:pw@h/db", "postgresql:u:***@h/db"),
        ("postgresql://u:pw@[::1", "postgresql://u:***@[::1"),
        ("POSTGRESQL://u:pw@h", "postgresql://u:***@h"),
    ],
)
def test_a_url_is_shown_without_its_secrets(url: str, shown: str) -> None:
    found = StoreUrl(url)
    assert (str(found), f"{found}", repr(found)) == (shown, shown, f"StoreUrl({shown!r})")
    assert found.reveal() == url


def test_a_message_of_a_driver_is_shown_without_the_secrets() -> None:
    url = StoreUrl(vault_store.url())
    told = f"bad {url.reveal()}: {vault_store.SECRET}, tell-n0b%40dy and {vault_store.OTHER_SECRET}"
    assert url.without_secrets(told) == f"bad {url}: ***, *** and ***"


def test_settings_do_not_show_the_secrets_of_a_url(vault: None, tmp_path: Path) -> None:
    found = settings.load(tmp_path, {"store": {"url": vault_store.url(), "vault": {"steel": "no"}}})
    for shown in (repr(found), str(found.store), str(asdict(found)), str(list(leaves(found))), f"{found.store.url}"):
        assert not vault_store.is_told(shown)
    assert pickle.loads(pickle.dumps(found)) == found, "another process gets the whole URL"


@pytest.mark.parametrize("host", ["raw", "named"])
def test_an_error_of_a_store_does_not_show_the_secrets_of_its_url(
    vault: None, tmp_path: Path, host: str, caplog: pytest.LogCaptureFixture
) -> None:
    engine = opened(tmp_path, vault_store.url(host))
    with engine, pytest.raises(StoreUnavailable) as refused:
        engine.list()
    error = refused.value
    logging.getLogger("cortex").error("failed", exc_info=error)
    for shown in (str(error), repr(error), error.hint, str(error.__cause__), caplog.text):
        assert not vault_store.is_told(shown)
    assert f"vault://cortex:***@{host}/memory" in error.message


# --- where secrets come from -----------------------------------------------------------------------------------------


def test_a_password_comes_from_a_variable_or_a_file_whatever_it_holds(
    vault: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DB_PASSWORD", "a@b/c?d#e:f%")
    file = tmp_path / "password"
    file.write_text("a@b/c?d#e:f%\n", encoding="utf-8")
    for named in ("${DB_PASSWORD}", f"${{file:{file}}}"):
        url = settings.load(tmp_path, {"store": {"url": f"vault://cortex:{named}@db/memory"}}).store.url
        assert (url.parts().hostname, url.parts().password) == ("db", "a%40b%2Fc%3Fd%23e%3Af%25")
        assert str(url) == "vault://cortex:***@db/memory"


def test_a_whole_url_comes_from_a_variable_or_a_file(
    vault: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_STORE", vault_store.url())
    (tmp_path / "url").write_text(f"{vault_store.url()}\n", encoding="utf-8")
    for named in ("${MY_STORE}", f"${{file:{tmp_path / 'url'}}}"):
        assert settings.load(tmp_path, {"store": {"url": named}}).store.url.reveal() == vault_store.url()
    monkeypatch.setenv("CORTEX_STORE__URL", vault_store.url())
    assert settings.load(tmp_path).store.url.reveal() == vault_store.url()


@for_each(
    ("url", "told"),
    [
        ("vault://u:${NOT_SET}@h/db", "store.url: names ${NOT_SET}, which is not set"),
        ("vault://u:${file:/not/there}@h/db", "store.url: names ${file:/not/there}, which cannot be read"),
    ],
)
def test_a_secret_that_is_not_there_is_named(url: str, told: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        settings.load(Path("absent"), {"store": {"url": url}})
    assert refused.value.message == told


def test_options_take_secrets_from_files_too(tmp_path: Path) -> None:
    """L6"""
    (tmp_path / "key").write_text("key-1\n", encoding="utf-8")
    given = {"api_key": f"${{file:{tmp_path / 'key'}}}", "absent": "${file:/not/there}"}
    found = settings.load(tmp_path, {"embedding": {"options": given}}).embedding.options
    assert found == {"api_key": "key-1", "absent": "${file:/not/there}"}


# --- bad URLs --------------------------------------------------------------------------------------------------------

BAD = [
    ("sqlite", "is not a URL", "begin with the name of a store"),
    ("", "is not a URL", "begin with the name of a store"),
    ("/srv/memory", "is not a URL", "begin with the name of a store"),
    ("sqlit:", "'sqlit' is not a known store", "did you mean 'sqlite'? known: ephemeral, postgresql, sqlite"),
    ("quill://u:hunter2@h/db", "'quill' is not a known store", "known: ephemeral, postgresql, sqlite"),
    ("sqlite:memory", "'memory' is a relative path", "sqlite:///srv/cortex"),
    ("sqlite:///~/memory", "'/~/memory' is a relative path", "sqlite:///srv/cortex"),
    ("sqlite://host/memory", "names a host", "sqlite:///srv/cortex"),
    ("sqlite://u:hunter2@/memory", "has a user or password", "sqlite:///srv/cortex"),
    ("sqlite:///srv/memory?mode=ro", "has the unknown parameter 'mode'", "no parameters"),
    ("sqlite:///srv/memory?hunter2", "has the unknown parameter", "no parameters"),
    ("sqlite:///srv/memory#top", "has more than an address", "no parameters"),
    ("sqlite:///srv/main.sqlite", "'/srv/main.sqlite' is a file", "give its folder"),
    ("sqlite://[srv", "is malformed", "percent-encode"),
    ("ephemeral:here", "has more than its scheme", "ephemeral: alone"),
]


@for_each(("url", "told", "hint"), BAD)
def test_a_url_that_cannot_be_used_is_refused_before_anything_is_made(
    url: str, told: str, hint: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        opened(tmp_path / "home", url)
    assert refused.value.field == "store.url"
    assert refused.value.message.startswith(f"store.url: {told}")
    assert hint in refused.value.hint
    assert "hunter2@" not in str(refused.value)
    assert not (tmp_path / "home").exists()


def test_a_value_that_is_no_text_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="what is given is not a URL") as refused:
        settings.load(tmp_path, {"store": {"url": ["vault://u:hunter2@h"]}})
    assert "hunter2" not in str(refused.value)


def test_a_folder_may_be_anywhere_and_of_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "my memory"
    with opened(tmp_path / "home", f"sqlite://{str(folder).replace(' ', '%20')}") as engine:
        engine.remember("The ferry leaves at nine")
    assert [each.name for each in folder.glob("*.sqlite")] == ["main.sqlite"]


# --- sections of stores ----------------------------------------------------------------------------------------------


@for_each(
    ("given", "field", "hint"),
    [
        ({"sqlite": {"synchronous": "off"}}, "store.sqlite.synchronous", "CORTEX_STORE__SQLITE__SYNCHRONOUS"),
        ({"sqlite": {"synchronus": "full"}}, "store.sqlite.synchronus", "did you mean 'synchronous'?"),
        ({"sqlit": {}}, "store.sqlit", "did you mean 'sqlite'?"),
        ({"backend": "sqlite"}, "store.backend", "known here: url"),
        ({"url": "ephemeral:", "ephemeral": {"size": 3}}, "store.ephemeral.size", "known here: none"),
    ],
)
def test_a_store_checks_its_own_section(given: dict[str, object], field: str, hint: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest) as refused:
        Cortex(tmp_path / "home", settings={"store": given, "embedding": {"provider": "none"}})
    assert refused.value.field == field
    assert hint in refused.value.hint


def test_a_variable_sets_an_option_of_a_store(vault: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORTEX_STORE__VAULT__STEEL", "off")
    loaded = settings.load(tmp_path, {"store": {"url": vault_store.url()}})
    assert store_drivers.options_of(loaded, "vault", tmp_path).steel is False


# --- a store of a third party ----------------------------------------------------------------------------------------


def test_a_further_store_needs_nothing_but_its_own_module_and_its_registration(vault: None, tmp_path: Path) -> None:
    with opened(tmp_path, vault_store.url()) as engine:
        engine.remember("The ferry leaves at nine")
        assert len(engine.recall("when does the ferry leave?").hits) == 1
        told = engine.status()["store"]
    assert told == {
        "url": "vault://cortex:***@db.example/memory?…", "abilities": ["durable", "multi_process"], "doors": 1
    }  # fmt: skip
    assert ("store.vault.steel", "CORTEX_STORE__VAULT__STEEL") in [row[:2] for row in store_drivers.describe()]


# --- abilities -------------------------------------------------------------------------------------------------------


@for_each(
    ("ability", "call"),
    [
        ("as_of", lambda engine: engine.recall("the ferry", as_of=1)),
        ("backup", lambda engine: engine.backup()),
        ("restore", lambda engine: engine.restore_backup("latest")),
    ],
)
def test_a_call_that_needs_an_ability_names_the_stores_that_have_it(
    ability: str, call: object, vault: None, tmp_path: Path
) -> None:
    with opened(tmp_path, vault_store.url()) as engine:
        engine.remember("The ferry leaves at nine")
        with pytest.raises(NotSupported) as refused:
            call(engine)  # type: ignore[operator]
    assert refused.value.message == f"the store vault://cortex:***@db.example/memory?… does not support {ability}"
    able = "ephemeral, postgresql, sqlite" if ability == "as_of" else "postgresql, sqlite"
    assert refused.value.hint == f"supported by: {able}; see store.url"


def test_an_ability_that_no_store_has_is_said_to_be_nobodys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_drivers, "drivers", lambda: iter([("ephemeral", store_drivers.driver("ephemeral"))]))
    with pytest.raises(NotSupported) as refused:
        store_drivers.require("standby_reads", Abilities(), StoreUrl("sqlite:"))
    assert refused.value.hint == "no installed store supports it"


def test_the_certificate_of_a_store_whose_files_cannot_be_searched_says_so(vault: None, tmp_path: Path) -> None:
    with opened(tmp_path, vault_store.url()) as engine:
        kept = engine.remember("The ferry leaves at nine").memory
        certificate = engine.erase(kept.id).certificate
    assert (certificate.compacted, certificate.pending, certificate.clean) == (False, "", False)
    (remain,) = certificate.remains
    assert (remain.where, "cannot be searched" in remain.what) == ("vault://cortex:***@db.example/memory?…", True)


def test_a_store_without_backups_is_looked_after_without_them(tmp_path: Path) -> None:
    with opened(tmp_path, "ephemeral:") as engine:
        engine.remember("The ferry leaves at nine")
        engine.run_due()
        assert not (tmp_path / "backups").exists()


def test_what_a_store_gives_up_by_its_options_it_does_not_claim(tmp_path: Path) -> None:
    for how, durable in (("full", True), ("normal", False)):
        loaded = settings.load(tmp_path, {"store": {"sqlite": {"synchronous": how}}})
        store = wiring.Stores(tmp_path, loaded).open("main")
        driver = store_drivers.driver("sqlite")
        assert store.abilities == replace(driver.ABILITIES, durable=durable)
        store.close()


def test_every_store_says_what_it_can_do_without_being_opened() -> None:
    found = {name: each.ABILITIES for name, each in store_drivers.drivers()}
    assert found.keys() >= {"sqlite", "ephemeral"}
    assert all(isinstance(each, Abilities) for each in found.values())
    assert all(Abilities.meaning(name).endswith(".") for name in Abilities.names())


def test_every_error_of_a_store_is_one_of_ours(vault: None, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="the unknown parameter 'color'"):
        opened(tmp_path, "vault://h/db?color=red")

"""Agents on several databases: which one each is on, what belongs to none, and moving one while others go on."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

import postgres_server
import store_list
import vault_store
from cortex import Cortex, settings, wiring
from cortex.access.tokens import Right, Tokens
from cortex.clock import SystemClock
from cortex.domain.health import Check
from cortex.domain.scope import Tenant
from cortex.errors import InvalidRequest, NotFound, StoreUnavailable
from cortex.services.migration import digests_of
from sweeps import for_each

pytestmark = pytest.mark.usefixtures("no_variables")

PATIENCE = 60.0


def placed(home: Path, agents: dict[str, str], **store: Any) -> dict[str, Any]:
    return {"store": {"agents": agents, **store_list.QUICK, **store}, "embedding": {"provider": "none"}}


def texts(memory: Cortex) -> list[str]:
    return sorted(each.text for each in memory.list())


def stores(home: Path, given: dict[str, Any]) -> wiring.Stores:
    return wiring.Stores(home, settings.load(home, given))


# --- the table -------------------------------------------------------------------------------------------------------


@for_each(
    ("agent", "folder"),
    [
        ("work", "/exact"),
        ("team-red", "/team"),
        ("team-red-1", "/red"),
        ("team-red-one", "/one"),
        ("team", "/rest"),
        ("workshop", "/rest"),
    ],
)
def test_the_name_itself_decides_then_the_longest_beginning_of_it(agent: str, folder: str) -> None:
    table = {
        "work": "sqlite:///exact", "team-*": "sqlite:///team", "team-red-*": "sqlite:///red",
        "team-red-one": "sqlite:///one",
    }  # fmt: skip
    loaded = settings.load(Path("absent"), {"store": {"url": "sqlite:///rest", "agents": table}})
    assert str(loaded.store.url_of(agent)) == f"sqlite://{folder}"


@for_each(
    ("table", "field", "told", "hint"),
    [
        ({"Work": "sqlite:"}, "store.agents", "'Work' is not an agent name", "name an agent"),
        ({"*": "sqlite:"}, "store.agents", "'*' is not an agent name", "store.url is for all others"),
        ({"a*b": "sqlite:"}, "store.agents", "'a*b' is not an agent name", "the beginning of several"),
        ({"work": "/srv"}, "store.agents.work", "is not a URL", "begin with the name of a store"),
        ({"work": "sqlit:"}, "store.agents.work", "'sqlit' is not a known store", "did you mean 'sqlite'?"),
        ({"work": "sqlite:memory"}, "store.agents.work", "'memory' is a relative path", "sqlite:///srv/cortex"),
        ({"work": "vault://u:${NOT_SET}@h/d"}, "store.agents.work", "names ${NOT_SET}, which is not set", "set it"),
        ({"work": ["vault://u:hunter2@h"]}, "store.agents", "what is given is not a table of URLs", "cortex.toml"),
        ("vault://u:hunter2@h", "store.agents", "what is given is not a table of URLs", "cortex.toml"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_before_anything_is_made(
    table: Any, field: str, told: str, hint: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        Cortex(tmp_path / "home", settings={"store": {"agents": table}})
    assert (refused.value.field, refused.value.message) == (field, f"{field}: {told}")
    assert hint in refused.value.hint
    assert "hunter2" not in f"{refused.value!r} {refused.value.hint}"
    assert not (tmp_path / "home").exists()


def test_secrets_come_from_a_variable_or_a_file_and_are_never_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "site").mkdir()
    vault_store.install(tmp_path / "site", monkeypatch)
    (tmp_path / "password").write_text("hush-hush\n")
    monkeypatch.setenv("DB_PASSWORD", "hush-hush")
    monkeypatch.setenv("CORTEX_STORE__AGENTS__THIRD", "vault://u:${DB_PASSWORD}@third/m")
    table = {"work": "vault://u:${DB_PASSWORD}@db/m", "play": f"vault://u:${{file:{tmp_path / 'password'}}}@db/m"}
    loaded = settings.load(tmp_path, {"store": {"agents": table}})
    assert [loaded.store.agents[name].parts().password for name in ("third", "work", "play")] == ["hush-hush"] * 3
    assert "hush" not in f"{loaded!r}"
    with Cortex(tmp_path / "home", agent="work", settings=placed(tmp_path, table)) as memory:
        memory.remember("The ferry leaves at nine")
        assert memory.status()["store"]["url"] == "vault://u:***@db/m"


# --- what is where ---------------------------------------------------------------------------------------------------


@pytest.fixture
def two(tmp_path: Path) -> dict[str, Any]:
    """`main` and all others in one folder, `work` in another."""
    return placed(tmp_path, {"work": f"sqlite://{tmp_path}/two"}, url=f"sqlite://{tmp_path}/one")


def test_each_agent_has_its_memory_where_it_is_placed(two: dict[str, Any], tmp_path: Path) -> None:
    for agent in ("main", "work", "other"):
        with Cortex(tmp_path / "home", agent=agent, settings=two) as memory:
            memory.remember(f"{agent} keeps a boat in Porto")
            assert memory.status()["store"]["url"] == f"sqlite://{tmp_path}/{'two' if agent == 'work' else 'one'}"
    found = {path.relative_to(tmp_path).as_posix() for path in tmp_path.glob("*/*.sqlite")}
    assert found - {"home/embeddings.sqlite"} == {"one/main.sqlite", "one/other.sqlite", "two/work.sqlite"}
    assert stores(tmp_path / "home", two).agents() == ["main", "other", "work"]


def test_backup_restore_and_erasure_are_those_of_the_agents_own_store(two: dict[str, Any], tmp_path: Path) -> None:
    with Cortex(tmp_path / "home", agent="work", settings=two) as memory:
        kept = memory.remember("The ferry leaves at nine").memory
        secret = memory.remember("The door code is 4711").memory
        memory.backup()
        memory.remember("The pump was serviced")
        assert memory.erase(secret.id, backups=True).certificate.clean
        memory.backup()
        memory.forget(kept.id)
        memory.restore_backup("latest")
        assert texts(memory) == ["The ferry leaves at nine", "The pump was serviced"]
    assert not (tmp_path / "one").exists()


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[tuple[postgres_server.Server, dict[str, Any]]]:
    """`main` on the server of all tests, and `work` on another, which may be stopped."""
    if why := postgres_server.missing():
        pytest.skip(why)
    with postgres_server.running() as second:
        home = store_list.STORE_URLS["postgresql"](tmp_path)
        yield second, placed(tmp_path, {"work": second.url()}, url=home, postgresql={"connect_timeout_ms": 1_000})


def test_tokens_and_the_budget_are_in_the_database_of_all_agents(
    servers: tuple[postgres_server.Server, dict[str, Any]], tmp_path: Path
) -> None:
    import psycopg

    second, given = servers
    with Cortex(tmp_path, agent="work", settings=given) as memory:
        memory.remember("The ferry leaves at nine")
        tokens = Tokens(memory.context.dependencies.documents, SystemClock())
        _, made = tokens.create(Tenant("work"), (Right.WRITE,))
    with Cortex(tmp_path / "other", settings=given) as memory:
        assert [each.id for each in Tokens(memory.context.dependencies.documents, SystemClock()).all()] == [made.id]
    with psycopg.connect(second.url()) as connection:
        names = connection.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'cortex\\_%'").fetchall()
    assert names == [("cortex_work",)]


def test_a_database_that_is_gone_hurts_no_agent_on_another(
    servers: tuple[postgres_server.Server, dict[str, Any]], tmp_path: Path
) -> None:
    second, given = servers
    with Cortex(tmp_path, settings=given) as memory:
        work = Cortex.over(memory.context.bind(agent="work"))
        for each in (memory, work):
            each.remember("The ferry leaves at nine")
        os.kill(second.pid, signal.SIGKILL)
        with suppress(StoreUnavailable):  # a session may outlive its server for a moment
            for number in range(10_000):
                work.remember(f"Pump {number} was serviced")
        with pytest.raises(StoreUnavailable):
            work.remember("The boat is in Porto")
        memory.remember("The boat is in Porto")
        found = memory.recall("When does the ferry leave?")
        assert len(found.hits) >= 1
        assert memory.receipt(found.receipt.id).op == "recall"
        checked = [each for each in memory.doctor() if each.name == "database server"]
        assert [check.ok for check in checked] == [None, False]
        assert "cannot be reached" in checked[1].detail


def test_an_agent_whose_database_does_not_answer_keeps_no_other_waiting(tmp_path: Path) -> None:
    """To open a store takes as long as its server lets it: nobody else waits for that."""
    given = placed(tmp_path, {"work": f"sqlite://{tmp_path}/two"})
    with Cortex(tmp_path / "home", settings=given) as memory, ThreadPoolExecutor() as pool:
        dependencies = memory.context.dependencies
        opens, asked, answers = dependencies.open_store, threading.Event(), threading.Event()

        def open_store(agent: str) -> Any:
            if agent == "work":
                asked.set()
                assert answers.wait(PATIENCE)
            return opens(agent)

        dependencies.open_store = open_store
        work = pool.submit(Cortex.over(memory.context.bind(agent="work")).remember, "The pump was serviced")
        assert asked.wait(PATIENCE)
        memory.remember("The ferry leaves at nine")
        assert not work.done()
        answers.set()
        work.result(PATIENCE)


# --- an agent that is not where it is placed -------------------------------------------------------------------------


def placements(home: Path, given: dict[str, Any]) -> list[Check]:
    return [check for check in stores(home, given).checks() if check.name == "placement"]


def test_the_doctor_names_memories_that_were_left_at_another_place(two: dict[str, Any], tmp_path: Path) -> None:
    home, one, there = tmp_path / "home", f"sqlite://{tmp_path}/one", f"sqlite://{tmp_path}/two"
    unplaced = placed(home, {}, url=one)
    with Cortex(home, agent="work", settings=unplaced) as memory:
        memory.remember("The ferry leaves at nine")
    (check,) = placements(home, two)
    assert (check.ok, check.detail) == (None, f"agent work has memories at {one} but is placed on {there}")
    assert check.fix == f"run `cortex admin migrate --agent work --from '{one}' --to '{there}'`"
    assert not (tmp_path / "two").exists(), "it only looks"

    wiring.migrate(home, source=one, target=there, agent="work")
    assert placements(home, two) == []
    with Cortex(home, agent="work", settings=unplaced) as memory:
        memory.remember("The pump was serviced")
    (check,) = placements(home, two)
    assert check.detail == f"agent work was written to at {one} after it was moved to {there}"


# --- moving one ------------------------------------------------------------------------------------------------------


def write_settings(home: Path, url: str, more: str = "") -> None:
    home.mkdir(exist_ok=True)
    (home / settings.FILE_NAME).write_text(f'[store]\nurl = "{url}"\n{more}', encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in store_list.STORE_URLS if name != "ephemeral"])
def test_an_agent_is_moved_while_others_are_written_to_and_nothing_is_lost(name: str, tmp_path: Path) -> None:
    here = store_list.STORE_URLS[name](tmp_path)
    there = store_list.STORE_URLS[name](tmp_path / "there")
    home, given = tmp_path / "home", placed(tmp_path, {}, url=here)
    with Cortex(home, agent="work", settings=given) as memory:
        for number in range(40):
            memory.remember(f"Fact {number}: the pump in hall {number} was serviced")
    write_settings(home, here)
    acknowledged: list[str] = []
    begun, ends = threading.Event(), threading.Event()

    def write() -> None:
        with Cortex(home, settings=given) as memory:
            while not ends.is_set() or len(acknowledged) < 20:
                acknowledged.append(memory.remember(f"Number {len(acknowledged)} was said meanwhile").memory.id)
                begun.set()

    with ThreadPoolExecutor() as pool:
        writing = pool.submit(write)
        assert begun.wait(PATIENCE)
        try:
            (moved,) = wiring.migrate(home, source=None, target=there, agent="work")
        finally:
            ends.set()
        writing.result(PATIENCE)
    with Cortex(home, settings=given) as memory:
        assert {each.id for each in memory.list(limit=10_000)} == set(acknowledged)
        assert memory.verify() == []
    for url in (here, there):
        with closing(stores(home, placed(tmp_path, {}, url=url)).open("work")) as store:
            assert digests_of(store, Tenant("work")) == moved.digests
    with Cortex(home, agent="work", settings=placed(tmp_path, {"work": there}, url=here)) as memory:
        assert len(texts(memory)) == 40
        assert memory.verify() == []


def test_everything_is_moved_from_wherever_it_is_placed(two: dict[str, Any], tmp_path: Path) -> None:
    home, there = tmp_path / "home", f"sqlite://{tmp_path}/three"
    for agent in ("main", "work"):
        with Cortex(home, agent=agent, settings=two) as memory:
            memory.remember(f"{agent} keeps a boat in Porto")
    write_settings(home, f"sqlite://{tmp_path}/one", f'[store.agents]\nwork = "sqlite://{tmp_path}/two"\n')
    done = wiring.migrate(home, source=None, target=there)
    assert [each.tenant.agent for each in done] == ["main", "work"]
    back = wiring.migrate(home, source=there, target=f"sqlite://{tmp_path}/two")
    assert [(each.tenant.agent, each.was_there) for each in back] == [("main", False), ("work", True)]


def test_an_agent_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with Cortex(tmp_path, settings=placed(tmp_path, {})) as memory:
        memory.remember("The ferry leaves at nine")
    with pytest.raises(NotFound, match="agent 'wrok' has no memory at sqlite:") as refused:
        wiring.migrate(tmp_path, source=None, target=f"sqlite://{tmp_path}/there", agent="wrok")
    assert refused.value.hint == "agents there: main"
    assert not list(tmp_path.rglob("wrok*"))
    with pytest.raises(InvalidRequest, match="is the store to read") as refused_too:
        wiring.migrate(tmp_path, source=None, target="sqlite:", agent="main")
    assert "--from" in refused_too.value.hint

"""Hosts with homes of their own that share a store: one set of tokens, one budget of the language model."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import document_places
from cortex import Cortex, registry
from cortex.access import Tokens
from cortex.clock import SystemClock
from cortex.domain.canary import Arm, Canary
from cortex.errors import LlmUnavailable
from cortex.ports.documents import CANARY, TOKENS, Documents
from cortex.ports.index import Indexes
from cortex.ports.store_url import StoreUrl
from cortex.stores import sqlite
from cortex.stores.relational.documents import SqlDocuments
from cortex.surfaces.cli.app import run
from cortex.surfaces.http.app import create_app
from cortex.testing import FakeLLM
from document_places import SHARED, SqliteDatabase, delete

SETTINGS: dict[str, Any] = {"embedding": {"provider": "none"}, "llm": {"calls_per_hour": 5}}


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every home of this test shares its documents, as it would with a server."""
    place = tmp_path / "shared.sqlite"
    monkeypatch.setenv(SHARED, str(place))
    monkeypatch.setattr(sqlite, "ABILITIES", replace(sqlite.ABILITIES, multi_host=True))
    monkeypatch.setattr(sqlite, "indexes", local_indexes, raising=False)
    monkeypatch.setattr(sqlite, "documents", document_places.create, raising=False)
    return place


def local_indexes(url: StoreUrl, *, agent: str, home: Path, options: Any, host: str) -> Callable[[str], Indexes]:
    return lambda user: registry.find("cortex.indexes", "local")(home / "agents", f"{agent}@{user}")


Host = Callable[[str], Cortex]


def eventually(is_so: Callable[[], bool]) -> bool:
    until = time.monotonic() + 60
    while not (found := is_so()) and time.monotonic() < until:
        time.sleep(0.01)
    return found


@pytest.fixture
def host(shared: Path, tmp_path: Path) -> Iterator[Host]:
    with ExitStack() as opened:

        def open_host(name: str) -> Cortex:
            model = FakeLLM(["hello"] * 20)
            return opened.enter_context(Cortex(tmp_path / name, settings=SETTINGS, llm=model))

        yield open_host


@pytest.fixture
def cli(shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    def ran(home: str, *arguments: str) -> Any:
        capsys.readouterr()
        assert run(["--home", str(tmp_path / home), "--json", *arguments]) == 0
        return json.loads(capsys.readouterr().out)

    return ran


def test_a_token_of_one_host_works_on_the_other_until_it_is_revoked(
    host: Host, cli: Callable[..., Any], tmp_path: Path
) -> None:
    made = cli("one", "admin", "tokens", "create")
    header = {"Authorization": f"Bearer {made['secret']}"}
    with TestClient(create_app(host("two")), base_url="http://127.0.0.1") as server:
        assert server.get("/v1/stats").status_code == 401
        assert server.get("/v1/stats", headers=header).status_code == 200
        assert [each["id"] for each in cli("three", "admin", "tokens", "list")["tokens"]] == [made["id"]]
        cli("one", "admin", "tokens", "revoke", made["id"])
        assert eventually(lambda: server.get("/v1/stats", headers=header).status_code == 401)
        cli("one", "admin", "tokens", "clear", "--yes")
        assert eventually(lambda: server.get("/v1/stats").status_code == 200)
    assert [path.name for path in tmp_path.rglob("tokens.json*")] == []


def test_a_canary_of_one_host_runs_on_the_others_too(host: Host) -> None:
    """E20"""
    one, two = host("one"), host("two")
    now = one.context.clock.now()
    canary = Canary(
        id="0198c1a2", settings={"hooks.max_facts": 3}, share=0.5, started_at=now,
        ends_at=now + timedelta(hours=1), agent=one.tenant.agent, user=one.tenant.user,
    )  # fmt: skip
    session = next(name for name in map(str, range(100)) if canary.arm(two.tenant, name) is Arm.CANARY)
    arms = two.context.dependencies.arms
    assert arms.of(two.tenant, session, two.settings).arm is None
    one.context.dependencies.documents.change((CANARY,), lambda bodies: bodies.update({CANARY: canary.to_body()}))

    def tries() -> bool:
        arms.look(now=True)
        found = arms.of(two.tenant, session, two.settings)
        return found.arm is Arm.CANARY and found.settings.hooks.max_facts == 3

    assert eventually(tries)


def test_tokens_that_vanish_from_the_store_let_nobody_in(host: Host, cli: Callable[..., Any], shared: Path) -> None:
    cli("one", "admin", "tokens", "create")
    with TestClient(create_app(host("two")), base_url="http://127.0.0.1") as server:
        assert server.get("/v1/stats").json()["detail"] == "a token is required"
        delete(shared, TOKENS)
        assert eventually(lambda: "is missing although" in server.get("/v1/stats").json()["detail"])
    found = {each["what"]: each["why"] for each in host("three").status()["degraded"]}
    assert "is missing although tokens were created" in found["tokens"]


def test_hosts_hold_one_budget_together(host: Host, tmp_path: Path) -> None:
    """C16"""
    models = [host(name).context.dependencies.llm for name in ("one", "two")]
    answers = 0
    for number in range(10):
        model = models[number % 2]
        assert model is not None
        try:
            answers += model.complete(system="", prompt="hi", max_tokens=10).text == "hello"
        except LlmUnavailable as error:
            assert error.reason == "budget", error  # noqa: PT017 - some are refused, and only for this
    assert answers == 5
    assert host("three").status()["llm"]["hour"]["calls"] == 5
    assert [path.name for path in tmp_path.rglob("llm-spending*")] == []


def test_status_and_doctor_say_where_tokens_and_the_budget_are(host: Host, tmp_path: Path) -> None:
    kept = host("one").status()["kept"]
    assert kept == {
        "tokens": "tokens.json in postgresql://host/shared",
        "llm_budget": "llm-spending.json in postgresql://host/shared",
        "shared": True,
        "local": ["embedding_cache", "models"],
    }
    checks = {each.name: each for each in host("one").doctor()}
    assert checks["tokens and budget"].ok
    assert "shared by all hosts" in checks["tokens and budget"].detail


def test_without_a_shared_store_they_are_files_of_the_home(tmp_path: Path) -> None:
    with Cortex(tmp_path, settings=SETTINGS, llm=FakeLLM([])) as engine:
        kept = engine.status()["kept"]
        checks = {each.name: each for each in engine.doctor()}
    assert (kept["tokens"], kept["shared"]) == (str(tmp_path / "tokens.json"), False)
    assert kept["llm_budget"] == str(tmp_path / "llm-spending.json")
    assert "used by this host only" in checks["tokens and budget"].detail


def test_the_host_of_a_server_needs_no_store_to_come_in(tmp_path: Path) -> None:
    """Its turns go on while the database is out of reach, and so does nobody else's."""
    (tmp_path / "file").write_text("")
    unreachable: Documents = SqlDocuments(
        lambda: SqliteDatabase(tmp_path / "file" / "none.sqlite"), "a server", SystemClock()
    )
    with Cortex(tmp_path / "home", settings=SETTINGS) as engine:
        app = create_app(engine, Tokens(unreachable, SystemClock()), host_secrets=["s" * 40])
        with TestClient(app, base_url="http://127.0.0.1") as server:
            assert server.get("/v1/stats", headers={"Authorization": f"Bearer {'s' * 40}"}).status_code == 200
            for headers in ({}, {"Authorization": f"Bearer {'t' * 40}"}):
                assert server.get("/v1/stats", headers=headers).status_code == 503
    unreachable.close()

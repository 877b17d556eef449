"""Two servers with homes of their own on one PostgreSQL database: one memory, one set of tokens, one budget."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from serve_process import Process
from served import Served, eventually, serving

import store_list
from cortex.access.tokens import Right
from cortex.domain.memory import Memory
from cortex.domain.scope import Tenant
from cortex.errors import LlmUnavailable
from cortex.stores.relational.documents import POLL_SECONDS
from cortex.surfaces.cli.app import run
from cortex.testing import FakeLLM

CALLS = 5
MOST_REQUESTS = 5_000
"""Far more than a server answers before it has looked at the tokens again."""


@contextmanager
def two_hosts(folder: Path, model: FakeLLM | None = None) -> Iterator[tuple[Served, Served]]:
    url = store_list.STORE_URLS["postgresql"](folder)
    settings = {"store": {"url": url}, "llm": {"calls_per_hour": CALLS}}
    with serving(folder / "one", settings=settings, model=model) as one:
        with serving(folder / "other", settings=settings, model=model) as other:
            yield one, other
        assert one.engine.verify() == []


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[tuple[Served, Served]]:
    with two_hosts(tmp_path) as both:
        yield both


def test_what_one_host_was_told_the_other_recalls_at_once(hosts: tuple[Served, Served]) -> None:
    one, other = hosts
    kept = one.remember("The ferry to Porto leaves at nine")
    found = other.client.post("/v1/recall", json={"query": "When does the ferry leave?"}).json()
    assert [hit["id"] for hit in found["hits"]] == [kept]
    assert other.client.delete(f"/v1/memories/{kept}").status_code == 200
    assert one.client.post("/v1/recall", json={"query": "When does the ferry leave?"}).json()["hits"] == []


def test_no_update_is_lost_when_both_write_at_once(hosts: tuple[Served, Served]) -> None:
    """Memories, versions of one memory, and the state of sessions."""
    one, other = hosts
    shared = one.remember("The counter stands at 0")

    def work(number: int) -> None:
        host = hosts[number % 2]
        host.remember(f"Pump {number} was serviced in hall {number}")
        edited = host.client.patch(f"/v1/memories/{shared}", json={"text": f"The counter stands at {number}"})
        assert edited.status_code in (200, 409), edited.text

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(24)))
    counts = {host.engine.stats().total for host in hosts}
    assert counts == {25}
    with other.engine.context.view() as view:
        positions = [event.position for event in view.events(limit=10_000)]
        versions = view.history(view.load([shared])[0].id)
    assert positions == list(range(1, len(positions) + 1))
    assert [each.until for each in versions[:-1]] == [each.since for each in versions[1:]]


def test_every_job_is_done_once_by_either(hosts: tuple[Served, Served]) -> None:
    one, _ = hosts
    cities = ("Rome", "Porto", "Lima", "Oslo", "Kyoto", "Turin")
    for number, city in enumerate(cities):
        turn = {"role": "user", "content": f"My cousin number {number} lives in {city}."}
        hosts[number % 2].engine.ingest([turn], session=f"s{number}", debounce=False)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda host: host.engine.run_jobs(), hosts))
    assert eventually(lambda: not waiting(one))
    memories = [each for each in one.engine.list() if isinstance(each, Memory)]
    assert sorted(city for each in memories for city in cities if city in each.text) == sorted(cities)


def waiting(host: Served) -> int:
    with host.engine.context.view() as view:
        return sum(view.pulse().jobs.get(state, 0) for state in ("waiting", "running"))


def test_a_token_that_is_revoked_on_one_host_is_refused_by_the_other(hosts: tuple[Served, Served]) -> None:
    one, other = hosts
    secret, token = one.tokens.create(Tenant(), (Right.READ,))
    ours = {"Authorization": f"Bearer {secret}"}
    assert eventually(lambda: other.client.get("/v1/memories", headers=ours).status_code == 200)
    assert eventually(lambda: other.client.get("/v1/memories").status_code == 401)
    other.tokens.revoke(token.id)
    assert eventually(lambda: one.client.get("/v1/memories", headers=ours).status_code == 401)
    assert other.client.get("/v1/memories", headers=ours).status_code == 401


def test_a_token_that_is_revoked_on_one_host_is_refused_by_two_servers_that_know_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert POLL_SECONDS <= 1  # signals are faster, and may be lost
    monkeypatch.setenv("CORTEX_STORE__URL", store_list.STORE_URLS["postgresql"](tmp_path))

    def tokens(*arguments: str) -> dict[str, str]:
        assert run(["--home", str(tmp_path / "one"), "--json", "admin", "tokens", *arguments]) == 0
        made: dict[str, str] = json.loads(capsys.readouterr().out)
        return made

    kept, revoked = tokens("create"), tokens("create")
    with Process(tmp_path / "one") as one, Process(tmp_path / "other") as other:

        def asked(server: Process, token: dict[str, str]) -> int:
            header = {"Authorization": f"Bearer {token['secret']}"}
            return server.client.get("/v1/memories", headers=header).status_code

        assert [asked(server, token) for server in (one, other) for token in (kept, revoked)] == [200] * 4
        tokens("revoke", revoked["id"])
        for server in (other, one):
            assert any(asked(server, revoked) == 401 for _ in range(MOST_REQUESTS))
            assert [asked(server, revoked), asked(server, kept)] == [401, 200]


def test_both_hosts_together_keep_to_one_budget(tmp_path: Path) -> None:
    with two_hosts(tmp_path, FakeLLM(["hello"] * 50)) as hosts:

        def spend(number: int) -> bool:
            model = hosts[number % 2].engine.context.dependencies.llm
            assert model is not None
            try:
                model.complete(system="", prompt="Say hello", max_tokens=10)
            except LlmUnavailable:
                return False
            return True

        with ThreadPoolExecutor(4) as pool:
            assert sum(pool.map(spend, range(3 * CALLS))) == CALLS

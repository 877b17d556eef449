"""One server for agents on several databases, of which one is stopped."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from serve_process import WITH_PROCESSES, Process
from served import eventually, serving

import postgres_server
import store_list
from cortex.access.tokens import Right


def test_a_database_that_is_stopped_takes_only_its_own_agents_along(tmp_path: Path) -> None:
    if why := postgres_server.missing():
        pytest.skip(why)
    with postgres_server.running() as second:
        agents = {"work": second.url(), "work-*": second.url()}
        store = {"url": store_list.STORE_URLS["postgresql"](tmp_path), "agents": agents}
        with serving(tmp_path / "home", settings={"store": store}) as server:
            main, work = (server.token(Right.WRITE, agent=agent) for agent in ("main", "work"))

            def remember(headers: dict[str, str], text: str) -> int:
                return server.client.post("/v1/memories", json={"text": text}, headers=headers).status_code

            for headers in (main, work):
                assert remember(headers, "The ferry leaves at nine") == 201
            os.kill(second.pid, signal.SIGKILL)
            assert eventually(lambda: remember(work, "The pump was serviced") == 503)
            refused = server.client.post("/v1/memories", json={"text": "The pump"}, headers=work).json()
            assert refused["code"] == "store_unavailable"
            turn = {"session": "s1", "message": "When does the ferry leave?"}
            hurt = server.client.post("/v1/turns/before", json=turn, headers=work)
            assert hurt.status_code == 200, "a turn never fails for it"
            told = server.client.post("/v1/turns/before", json=turn, headers=main).json()
            assert "leaves at nine" in told["block"]
            assert remember(main, "The boat is in Porto") == 201


def test_the_processes_of_a_server_find_each_agent_where_it_is_placed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "cortex.toml").write_text(f'agent = "work"\n[store.agents]\n"wor*" = "sqlite://{tmp_path}/two"\n')
    with Process(home, CORTEX_HOOKS__DEADLINE_MS="10000", **WITH_PROCESSES) as server:
        assert server.client.post("/v1/memories", json={"text": "The ferry leaves at nine"}).status_code == 201
        turn = {"session": "s1", "message": "When does the ferry leave?"}
        told = server.client.post("/v1/turns/before", json=turn).json()
        assert "leaves at nine" in told["block"]
        assert server.client.get("/v1/status").json()["store"]["url"] == f"sqlite://{tmp_path}/two"
    assert [path.name for path in (tmp_path / "two").glob("*.sqlite")] == ["work.sqlite"]

"""`cortex serve` on a primary with a synchronous standby: the primary is killed under load, the standby promoted."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from serve_process import Process
from served import eventually, serving

import postgres_server
from cortex import Cortex
from cortex.errors import StoreUnavailable
from cortex.stores.file_documents import FileDocuments
from postgres_server import OWNER, Server

pytestmark = pytest.mark.skipif(bool(postgres_server.missing()), reason=postgres_server.missing())

QUESTION = "When does the ferry leave?"
TURNS = frozenset({"store_unavailable", "store_busy", "deadline", "busy", "files:store_unavailable", "files:stale",
                   "standby:alone", "standby:gone", "standby:lagging", "standby:promoted"})  # fmt: skip
"""What a turn may lack while there is no primary."""
WRITES = frozenset({"store_unavailable", "store_busy", "commit_unknown"})


class Clients:
    """Those who write to the servers, and those who take turns with them, until they are stopped."""

    def __init__(self, servers: list[Process]) -> None:
        self._urls = [server.url for server in servers]
        self._ends = threading.Event()
        self.kept: list[dict[str, str]] = [{} for _ in servers]
        """The texts that each server acknowledged, by their ids."""
        self.refused = Counter[str]()
        self.lacked = Counter[str]()
        self.answered = [0 for _ in servers]
        """How many turns each server answered with the memory."""

    def __repr__(self) -> str:
        kept = [len(each) for each in self.kept]
        return f"Clients(kept={kept}, refused={self.refused}, lacked={self.lacked}, answered={self.answered})"

    def __enter__(self) -> Clients:
        self._pool = ThreadPoolExecutor(4)
        numbers = range(len(self._urls))
        self._work = [self._pool.submit(do, at) for at in numbers for do in (self._write, self._take_turns)]
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._pool.shutdown()

    def finish(self) -> None:
        """Stop them; whatever one of them met is raised here."""
        self._ends.set()
        for each in self._work:
            each.result(60)

    @property
    def are_fine(self) -> bool:
        return not any(each.done() for each in self._work)

    def _write(self, at: int) -> None:
        with httpx.Client(base_url=self._urls[at], timeout=60) as client:
            number = 0
            while not self._ends.is_set():
                number += 1
                text = f"Server {at} serviced pump {number}"
                answer = client.post("/v1/memories", json={"text": text, "as_new": True})
                if answer.status_code == 201:
                    self.kept[at][answer.json()["memory"]["id"]] = text
                else:
                    self.refused[answer.json()["code"]] += 1
                    assert answer.status_code in (409, 503), answer.text

    def _take_turns(self, at: int) -> None:
        with httpx.Client(base_url=self._urls[at], timeout=60) as client:
            history: list[dict[str, Any]] = []
            while not self._ends.is_set():
                before = client.post("/v1/turns/before", json={"session": f"s{at}", "message": QUESTION})
                assert before.status_code == 200, before.text
                told = before.json()
                assert "leaves at nine" in told["block"] or told["degraded"], self._explained(client, told)
                self.answered[at] += "leaves at nine" in told["block"]
                history = [*history[-6:], {"role": "user", "content": f"The deck was washed {len(history)} times."}]
                after = client.post(
                    "/v1/turns/after", json={"session": f"s{at}", "messages": history, "partial_history": True}
                )
                assert after.status_code == 200, after.text
                self.lacked.update([*told["degraded"], *after.json()["degraded"]])

    @staticmethod
    def _explained(client: httpx.Client, told: dict[str, Any]) -> str:
        """A turn without the memory, with its receipt: what was found, and why it was dropped."""
        receipt = client.get(f"/v1/receipts/{told['receipt_id']}").json() if told["receipt_id"] else None
        return json.dumps({"turn": told, "receipt": receipt}, indent=1)


@pytest.fixture
def pair() -> Iterator[tuple[Server, Server]]:
    """A primary, which acknowledges nothing that its standby does not have."""
    import psycopg

    with postgres_server.running() as primary, postgres_server.running(standby_of=primary) as standby:
        primary.admit()
        with psycopg.connect(primary.url(), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            connection.execute("SELECT pg_reload_conf()")
            synchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"
            assert eventually(lambda: connection.execute(synchronous).fetchone())
        yield primary, standby


def test_servers_find_the_promoted_standby_by_themselves_and_nothing_acknowledged_is_lost(
    pair: tuple[Server, Server], tmp_path: Path
) -> None:
    """Turns go on meanwhile, with what the standby knows where it may answer, and else without memories."""
    import psycopg

    primary, standby = pair
    url = f"postgresql://{OWNER}@/postgres?host={primary.folder},{standby.folder}"
    with ExitStack() as stack:
        servers = []
        for name, reads in (("one", "true"), ("other", "false")):
            store = {"CORTEX_STORE__URL": url, "CORTEX_STORE__POSTGRESQL__STANDBY_READS": reads,
                     "CORTEX_STORE__POSTGRESQL__CONNECT_TIMEOUT_MS": "2000",
                     "CORTEX_HOOKS__DEADLINE_MS": "2000"}  # fmt: skip
            servers.append(stack.enter_context(Process(tmp_path / name, **store)))
        told = servers[0].client.post("/v1/memories", json={"text": "The ferry leaves at nine"})
        assert told.status_code == 201
        clients = stack.enter_context(Clients(servers))
        assert eventually(lambda: min(map(len, clients.kept)) >= 5 and min(clients.answered) >= 2), clients
        postgres_server.kill(primary)
        answered = clients.answered[0]
        assert eventually(lambda: (clients.refused and clients.lacked) or not clients.are_fine), clients
        # The server that may read from the standby answers from it, the other goes on without memories.
        assert eventually(lambda: clients.answered[0] > answered + 1 or not clients.are_fine), clients
        with psycopg.connect(standby.url(), autocommit=True) as connection:
            connection.execute("SELECT pg_promote()")
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = ''")  # it has none of its own yet
            connection.execute("SELECT pg_reload_conf()")
        promoted = list(map(len, clients.kept))
        turns = list(clients.answered)

        def both_go_on() -> bool:
            writes = all(len(kept) > before + 3 for kept, before in zip(clients.kept, promoted, strict=True))
            return writes and all(now > before + 1 for now, before in zip(clients.answered, turns, strict=True))

        assert eventually(lambda: both_go_on() or not clients.are_fine), clients
        clients.finish()
        assert set(clients.refused) <= WRITES, clients.refused
        assert set(clients.lacked) <= TURNS, clients.lacked
        assert "store_unavailable" in clients.lacked, "the server that may not read from the standby had no memories"
    with Cortex(tmp_path / "one", settings={"store": {"url": url}, "embedding": {"provider": "none"}}) as engine:
        known = {str(each.id): each.text for each in engine.list(limit=100_000)}
        for kept in clients.kept:
            assert {id: known.get(id) for id in kept} == kept
        assert engine.verify() == []


def test_a_turn_gets_an_empty_answer_where_nobody_can_tell_who_may_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tokens are out of reach for longer than they hold: what is asked for is refused, and no turn fails."""

    def unreachable(*_: object) -> None:
        raise StoreUnavailable("the tokens cannot be read", hint="check the database")

    with serving(tmp_path) as server:
        server.remember("The ferry leaves at nine")
        monkeypatch.setattr(FileDocuments, "version", unreachable)
        assert server.client.post("/v1/recall", json={"query": QUESTION}).status_code == 503
        before = server.client.post("/v1/turns/before", json={"session": "s1", "message": QUESTION})
        assert (before.status_code, before.json()["block"]) == (200, "")
        assert before.json()["degraded"] == ["store_unavailable"]
        after = server.client.post("/v1/turns/after", json={"session": "s1", "messages": []})
        assert (after.status_code, after.json()["degraded"]) == (200, ["store_unavailable"])

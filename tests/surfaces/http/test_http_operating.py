"""What an operator asks of a server: files followed, work done, checks, backups (DESIGN 5)."""

from __future__ import annotations

from pathlib import Path

import pytest
from served import Served, serving

from cortex.access.tokens import Right

TURNS = [{"role": "user", "content": "I prefer Rust for systems programming."}]


def test_a_history_is_stored_once_and_memories_are_drawn_by_work(tmp_path: Path) -> None:
    """C1, C2"""
    with serving(
        tmp_path / "home", settings={"capture": {"debounce_seconds": 3600, "max_wait_seconds": 7200}}
    ) as served:
        body = {"session": "s1", "messages": TURNS, "scope": "infra", "channel": "telegram"}
        first = served.client.post("/v1/ingest", json=body).json()
        assert [len(first["ids"]), first["receipt"]["stored"]] == [1, 1]
        assert served.client.post("/v1/ingest", json=body).json()["ids"] == [None]
        (turn,) = served.client.get("/v1/memories", params={"lane": "sessions"}).json()["memories"]
        assert (turn["id"], turn["scope"], turn["channel"]) == (first["ids"][0], "infra", "telegram")
        assert served.client.get("/v1/memories").json()["memories"] == []
        assert served.client.get("/v1/jobs/next").json()["due"] is not None


def test_a_history_can_be_handed_over_piece_by_piece(served: Served) -> None:
    served.client.post("/v1/ingest", json={"session": "s1", "messages": TURNS})
    more = [{"role": "assistant", "content": "Noted."}]
    done = served.client.post("/v1/ingest", json={"session": "s1", "messages": more, "follows": 1}).json()
    assert served.engine.get(done["ids"][0]).text == "Noted."


def test_a_capture_has_its_memories_though_the_server_works_at_the_same_time(served: Served) -> None:
    for number in range(8):
        said = [{"role": "user", "content": f"I prefer editor number {number} for writing letters."}]
        done = served.client.post("/v1/capture", json={"session": f"s{number}", "messages": said}).json()
        assert [each["source_turns"] for each in done["memories"]] == [done["turns"]]


def test_work_that_is_due_is_done(served: Served) -> None:
    payload = served.client.post("/v1/jobs/run", json={"limit": 5}).json()
    assert payload["op"] == "run_jobs"
    assert served.client.get("/v1/jobs/next").json() == {"due": None}
    assert served.client.post("/v1/jobs/run", json={"limit": 0}).status_code == 422


def test_what_has_no_vector_gets_one(served: Served) -> None:
    """C7"""
    served.stop_background()
    served.engine.remember("I live in Rome", embed=False)
    assert served.client.post("/v1/backfill", json={}).json()["embedded"] == 1


def test_files_are_followed_and_told_of(served: Served, tmp_path: Path) -> None:
    """X15"""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "keys.md").write_text("# Keys\n\nThe deploy key rotates on Mondays.\n", encoding="utf-8")
    done = served.client.post("/v1/index", json={"path": str(notes), "scope": "infra", "lane": "docs"}).json()
    assert (done["synced"]["added"], done["receipt"]["op"]) == (1, "index")
    payload = served.client.get("/v1/index").json()
    assert (payload["files"], payload["sources"][0]["scope"], payload["reindexing"]) == (1, "infra", False)
    again = served.client.post("/v1/index", json={"force": True}).json()
    assert again["synced"]["full"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"path": "notes"}, 422),
        ({"path": "/"}, 422),
        ({"path": ""}, 422),
        ({"path": "/nowhere/at/all"}, 404),
        ({"scope": "infra"}, 422),
        ({"path": "/tmp", "lane": "sessions"}, 422),
        ({"path": "/tmp", "shape": "heap"}, 422),
    ],
)
def test_what_cannot_be_followed_is_refused(served: Served, body: dict[str, object], status: int) -> None:
    answer = served.client.post("/v1/index", json=body)
    assert answer.status_code == status, answer.text
    assert served.client.get("/v1/index").json()["sources"] == []


def test_a_store_is_verified_and_compacted(served: Served) -> None:
    served.remember("I live in Rome")
    assert served.client.post("/v1/verify", json={}).json() == {"ok": True, "findings": []}
    assert served.client.post("/v1/verify", json={"repair": True}).json()["ok"]
    assert isinstance(served.client.post("/v1/optimize", json={}).json(), dict)


def test_a_backup_is_made_and_listed(served: Served) -> None:
    """E21"""
    served.remember("I live in Rome")
    made = served.client.post("/v1/backups", json={})
    assert made.status_code == 201
    listed = served.client.get("/v1/backups").json()["backups"]
    assert made.json()["backup"]["file"] in [each["file"] for each in listed]
    assert Path(made.json()["backup"]["file"]).is_file()


def test_the_doctor_tells_every_check(served: Served) -> None:
    payload = served.client.get("/v1/doctor").json()
    assert {"python", "sqlite", "database", "embedder"} <= {check["name"] for check in payload["checks"]}
    assert payload["ok"] is all(check["ok"] is not False for check in payload["checks"])


def test_a_flush_plan_says_what_it_was_made_by(unchanged: Served) -> None:
    payload = unchanged.client.post("/v1/flush-plan", json={"context_window": 10_000, "tokens_used": 9_999}).json()
    assert payload["settings"]["enabled"] is True
    assert payload["plan"]["target_exists"] is None


def test_pages_are_exported_by_their_names(served: Served) -> None:
    served.remember("I live in Rome", scope="home")
    served.remember("The deploy key rotates on Mondays", scope="infra")
    answer = served.client.post("/v1/export", json={"format": "pages", "by_scope": True})
    pages = [line for line in answer.text.splitlines() if line]
    assert len(pages) == 2
    assert '"memories": 1' in pages[0]


def test_only_an_administrator_erases(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as served:
        id = served.remember("The heron sleeps at noon by the mill")
        writer = served.token(Right.WRITE)
        assert served.client.post("/v1/erase", json={"ids": [id]}, headers=writer).status_code == 403
        admin = served.token(Right.ADMIN)
        assert served.client.post("/v1/erase", json={"ids": []}, headers=admin).status_code == 422
        payload = served.client.post("/v1/erase", json={"ids": [id]}, headers=admin).json()
        assert payload["certificate"]["clean"] is True
        assert served.client.get(f"/v1/memories/{id}", headers=admin).status_code == 404
        for wanted in (id, payload["certificate"]["id"]):
            assert served.client.get(f"/v1/erasures/{wanted}", headers=writer).status_code == 403
            assert served.client.get(f"/v1/erasures/{wanted}", headers=admin).json() == payload["certificate"]
        assert served.client.get("/v1/erasures", headers=admin).json() == {"erasures": [payload["certificate"]]}
        assert served.client.post("/v1/erasures/finish", json={}, headers=admin).json() == {"erasures": []}
        assert served.client.get("/v1/erasures/0190b0c0-0000-7000-8000-000000000000", headers=admin).status_code == 404

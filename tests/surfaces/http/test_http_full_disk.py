"""A server whose disk is full: requests that write fail with its code, the others succeed."""

from __future__ import annotations

from pathlib import Path

from served import serving

from small_disk import mounted


def test_a_server_without_space_answers_507_and_goes_on_once_there_is(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", megabytes=4) as disk, serving(disk.root / "home") as served:
        kept = served.remember("The harbor opens at dawn")
        served.engine.flush()
        served.engine.optimize()
        disk.fill()
        for path, body in {
            "/v1/memories": {"text": "The deploy key rotates on Mondays"},
            "/v1/ingest": {"session": "s", "messages": [{"role": "user", "content": "I prefer trams"}]},
        }.items():
            answer = served.client.post(path, json=body)
            payload = answer.json()
            assert (answer.status_code, payload["code"]) == (507, "disk_full"), answer.text
            assert "free some space" in payload["hint"]
        found = served.client.post("/v1/recall", json={"query": "when does the harbor open?"})
        assert found.status_code == 200, found.text
        assert served.client.get(f"/v1/memories/{kept}").status_code == 200
        disk.free()
        served.remember("The deploy key rotates on Mondays")
        assert served.engine.verify() == []

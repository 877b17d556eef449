"""While the card is hot, the background work of a language model waits, and the status says why (C15)."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

from laboratory import opened, user

from cortex.ports.store import JobState
from cortex.testing import FakeLLM


def _reading(celsius: int) -> bytes:
    sensor = {"Text": "GPU Core", "Value": f"{celsius}.0 °C", "Children": []}
    card = {
        "Text": "NVIDIA RTX",
        "Value": "",
        "Children": [{"Text": "Temperatures", "Value": "", "Children": [sensor]}],
    }
    return json.dumps({"Text": "Sensor", "Value": "", "Children": [card]}).encode()


@contextmanager
def card(celsius: list[int]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(_reading(celsius[0]))

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/data.json"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_work_waits_while_the_card_is_hot_and_goes_on_when_it_has_cooled(tmp_path, clock):
    """C15"""
    model, celsius = FakeLLM(['{"memories": []}']), [95]
    with (
        card(celsius) as url,
        opened(tmp_path, clock=clock, model=model, hardware={"enabled": True, "url": url}) as engine,
    ):
        engine.capture([user("The greenhouse door sticks a bit")], session="s")
        assert model.prompts == []
        with engine.context.store.view(engine.tenant) as view:
            assert [job.kind for job in view.jobs(JobState.WAITING)] == ["enrich"]
        assert engine.status()["hardware"]["temperature"] == 95.0
        celsius[0] = 40
        clock.advance(3_600)
        engine.run_jobs()
        assert len(model.prompts) == 1

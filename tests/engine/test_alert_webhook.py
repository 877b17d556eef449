"""Alerts are posted to a webhook, which never delays or breaks anything (S7)."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from cortex import Cortex
from cortex.errors import InvalidRequest
from cortex.runtime.failure_counters import FailureCounters
from cortex.runtime.webhook import MOST_WAITING, Webhook
from cortex.services.alerts import AlertService

PATIENCE = 30.0
SECRET = "The deploy key rotates on Mondays"


class Receiver:
    """A server on loopback that keeps what it is sent, and answers as it is told to."""

    def __init__(self) -> None:
        self.posts: list[tuple[dict[str, str], Any]] = []
        self.answers: list[int] = []
        self.gate = threading.Event()
        self.gate.set()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.posts.append((dict(self.headers), json.loads(body)))
                receiver.gate.wait(PATIENCE)
                self.send_response(receiver.answers.pop(0) if receiver.answers else 200)
                self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/hook"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.gate.set()
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


def sent(webhook: Webhook, *documents: dict[str, Any]) -> None:
    for document in documents:
        webhook.send(document)
    assert webhook.flush(PATIENCE)


def test_an_alert_is_posted_when_it_opens_and_when_it_closes(
    receiver: Receiver, open_engine: Callable[..., Cortex], monkeypatch: pytest.MonkeyPatch
) -> None:
    """S7: once for each cause, without text of memories, with secrets of the environment"""
    monkeypatch.setenv("HOOK_TOKEN", "s3cret")
    engine = open_engine(alerts={"webhook": receiver.url, "headers": {"Authorization": "Bearer ${HOOK_TOKEN}"}})
    engine.remember(SECRET)
    alerts = AlertService(engine.context)
    for _ in range(3):
        alerts.raise_alert("backup:drill", "the newest backup is damaged", "make another")
    alerts.clear("backup:drill")
    alerts.clear("backup:drill")
    webhook = engine.context.dependencies.made("alert_webhook", engine.tenant)
    assert webhook is not None
    assert webhook.flush(PATIENCE)
    assert [(post["schema"], post["event"], post["alert"]["cause"]) for _, post in receiver.posts] == [
        ("cortex.alert.v1", "opened", "backup:drill"),
        ("cortex.alert.v1", "closed", "backup:drill"),
    ]
    assert receiver.posts[0][0]["Authorization"] == "Bearer s3cret"
    assert SECRET not in json.dumps(receiver.posts)


def test_a_webhook_that_hangs_delays_nothing(receiver: Receiver, open_engine: Callable[..., Cortex]) -> None:
    """S7"""
    receiver.gate.clear()
    engine = open_engine(alerts={"webhook": receiver.url})
    AlertService(engine.context).raise_alert("ladder", "recall uses keywords only")
    engine.remember(SECRET)
    assert engine.recall("when does the deploy key rotate?").hits
    AlertService(engine.context).clear("ladder")
    assert engine.alerts() == []
    assert not receiver.gate.is_set()
    receiver.gate.set()


def test_what_fails_is_tried_again_a_bounded_number_of_times(receiver: Receiver) -> None:
    """S7"""
    failures = FailureCounters()
    webhook = Webhook(receiver.url, {}, failures, pauses=(0.0, 0.0))
    receiver.answers = [503, 503]
    sent(webhook, {"number": 1})
    assert (len(receiver.posts), failures.counted()) == (3, {})
    receiver.answers = [500, 500, 500]
    sent(webhook, {"number": 2}, {"number": 3})
    assert [post["number"] for _, post in receiver.posts] == [1, 1, 1, 2, 2, 2, 3]
    assert sum(failures.counted().values()) == 1


@pytest.mark.parametrize("status", [400, 401, 404, 302])
def test_what_will_be_refused_again_is_not_repeated_and_no_redirect_is_followed(
    receiver: Receiver, status: int
) -> None:
    """Secrets of the headers go to no other address."""
    failures = FailureCounters()
    receiver.answers = [status]
    sent(Webhook(receiver.url, {}, failures, pauses=(0.0, 0.0)), {})
    assert len(receiver.posts) == 1
    assert sum(failures.counted().values()) == 1


def test_an_attempt_has_a_deadline_and_what_waits_is_bounded(receiver: Receiver) -> None:
    """S7"""
    failures = FailureCounters()
    receiver.gate.clear()
    webhook = Webhook(receiver.url, {}, failures, seconds=0.01, pauses=())
    for _ in range(MOST_WAITING + 10):
        webhook.send({})
    assert webhook.flush(PATIENCE)
    assert failures.counted()["webhook:queue_full"] >= 9


def test_a_server_that_is_not_there_is_counted_without_its_address(
    receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    receiver.close()
    failures = FailureCounters()
    sent(Webhook(receiver.url.replace("/hook", "/s3cret"), {}, failures, pauses=()), {})
    assert sum(failures.counted().values()) == 1
    assert "s3cret" not in caplog.text


@pytest.mark.parametrize("address", ["ftp://x", "file:///etc/passwd", 7])
def test_an_address_that_is_none_is_refused(open_engine: Callable[..., Cortex], address: object) -> None:
    with pytest.raises(InvalidRequest, match="webhook"):
        open_engine(alerts={"webhook": address})

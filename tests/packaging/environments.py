"""Empty Python environments outside the source tree, with a built package in them, and commands run there."""

from __future__ import annotations

import fcntl
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import pytest
from packaging.requirements import Requirement

from cortex._version import DISTRIBUTION

ROOT = Path(__file__).parents[2]
KEYWORDS_ALONE = {"CORTEX_EMBEDDING__PROVIDER": "none"}


@dataclass(frozen=True)
class Environment:
    """A virtual environment; what runs in it sees nothing of ours, and has a home of its own."""

    folder: Path
    home: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def variables(self, **more: str) -> dict[str, str]:
        return {"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin", "HOME": str(self.home), "LANG": "C.UTF-8", **more}

    def run(self, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.home, env=self.variables(**variables), capture_output=True, text=True, timeout=120
        )

    def cortex(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return self.run(str(self.folder / "bin" / "cortex"), *arguments, **variables)

    @contextmanager
    def serving(self, command: Sequence[str], **variables: str) -> Iterator[Serving]:
        """The command, until it is ended; it listens where its first line says."""
        with (
            (self.home / "serve.log").open("ab") as log,
            subprocess.Popen(
                command, cwd=self.home, env=self.variables(**variables), stdout=subprocess.PIPE, stderr=log, text=True
            ) as process,
        ):
            try:
                assert process.stdout is not None
                said = process.stdout.readline()
                assert said, (self.home / "serve.log").read_text("utf-8")
                yield Serving(process, said)
            finally:
                if process.poll() is None:
                    process.kill()


@dataclass(frozen=True)
class Serving:
    """A server that runs."""

    process: subprocess.Popen[str]
    said: str

    @property
    def url(self) -> str:
        if self.said.startswith("{"):
            return str(json.loads(self.said)["url"])
        return self.said.removeprefix("listening on ").partition(";")[0]

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 0

    def get(self, path: str, **headers: str) -> tuple[int, bytes]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


def build(folder: Path) -> None:
    """A source archive, and the wheel made from it, in `folder`: as `make package` does, with our own build backend."""
    isolation = ["--no-isolation"] if importlib.util.find_spec("hatchling") else []
    _needing_the_registry([sys.executable, "-m", "build", *isolation, "--outdir", str(folder), str(ROOT)])


def make(folder: Path, requirement: str) -> None:
    """An environment that has `requirement` in it and nothing else."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    pip(folder, "install", "--no-compile", requirement)


def link(folder: Path, wheel: Path) -> None:
    """An environment with the wheel, and with links to what it requires: as `make` has it, without the registry."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    pip(folder, "install", "--no-compile", "--no-deps", "--no-index", str(wheel))
    (packages,) = folder.glob("lib/python*/site-packages")
    for name in sorted(_required(metadata.distribution(DISTRIBUTION).requires)):
        distribution = metadata.distribution(name)
        files = distribution.files or ()
        for top in {file.parts[0] for file in files} - {"..", "__pycache__"}:
            (packages / top).symlink_to(Path(str(distribution.locate_file(top))))


def _required(requirements: Iterable[str] | None) -> set[str]:
    """The names of what these require without any extra, and of what that requires."""
    named = {each.name for each in map(Requirement, requirements or ()) if _is_plain(each)}
    return named.union(*(_required(metadata.distribution(name).requires) for name in named))


def _is_plain(requirement: Requirement) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": ""})


def pip(folder: Path, *arguments: str) -> str:
    """What pip says when it is run for the environment in `folder`."""
    command = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), *arguments]
    return _needing_the_registry(command)


def _needing_the_registry(command: Sequence[str]) -> str:
    ours = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, env=ours | {"PIP_RETRIES": "1"}, capture_output=True, text=True, timeout=600)
    if done.returncode == 0:
        return done.stdout + done.stderr
    if not _registry_answers(ours):
        pytest.skip("the Python registry cannot be reached")
    raise AssertionError(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")


def _registry_answers(environment: dict[str, str]) -> bool:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--retries=1", "--no-deps", "--no-cache-dir"]
    with TemporaryDirectory() as folder:
        done = subprocess.run([*command, "--dest", folder, "hatchling"], env=environment, capture_output=True)
        return done.returncode == 0


@contextmanager
def shared(place: Path, make: Callable[[Path], None]) -> Iterator[Path]:
    """`place`, made by whichever worker of a run comes first, and taken away by whichever is done with it last."""
    users = place.with_suffix(".users")
    with _alone(place):
        if not place.exists():
            try:
                make(place)
            except BaseException:
                shutil.rmtree(place, ignore_errors=True)
                raise
        users.write_bytes(users.read_bytes() + b"." if users.exists() else b".")
    try:
        yield place
    finally:
        with _alone(place):
            users.write_bytes(users.read_bytes()[1:])
            if not users.read_bytes():
                shutil.rmtree(place)


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield

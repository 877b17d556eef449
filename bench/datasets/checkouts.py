"""The public repositories the sets come from, each at one commit."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cortex.errors import NotFound


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository on GitHub, at the commit a set is cut from."""

    owner: str
    name: str
    commit: str
    license: str

    @property
    def url(self) -> str:
        return f"https://github.com/{self.owner}/{self.name}"


@dataclass(frozen=True, slots=True)
class Checkout:
    """A clone of a repository. Files are read from its history, so the state of its work tree does not matter."""

    folder: Path
    repository: Repository

    def text(self, path: str) -> str:
        return self._git("show", f"{self.repository.commit}:{path}").decode("utf-8")

    def json(self, path: str) -> Any:
        return json.loads(self.text(path))

    def paths(self, under: str) -> list[str]:
        return self._git("ls-tree", "-r", "--name-only", self.repository.commit, under).decode("utf-8").splitlines()

    def log(self, format: str) -> str:
        """Every commit that is no merge, newest first, in `format` and with the paths it touched."""
        return self._git(
            "log", "--no-merges", "--name-only", f"--format={format}", self.repository.commit
        ).decode("utf-8")  # fmt: skip

    def _git(self, *arguments: str) -> bytes:
        # A partial clone would try to download what it lacks, and wait.
        environment = os.environ | {"GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}
        command = ["git", "-c", "core.quotePath=false", "-C", str(self.folder), *arguments]
        ran = subprocess.run(command, capture_output=True, env=environment)
        if ran.returncode != 0:
            said = ran.stderr.decode("utf-8", "replace").strip().splitlines()
            raise NotFound(
                f"{self.folder} has not what is needed: {said[-1] if said else arguments[0]}",
                hint=f"git clone {self.repository.url} {self.folder}",
            )
        return ran.stdout

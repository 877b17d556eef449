"""A command line on a home of its own, with a fake embedder; no process, no network, no wall clock."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cortex.memory import Cortex
from cortex.ports.llm import LLM
from cortex.surfaces.cli.app import run
from cortex.testing import CountingIds, FakeClock, FakeEmbedder, FakeReranker


@dataclass(frozen=True)
class Said:
    """What a command said, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> str:
        """The one line that says what went wrong."""
        lines = self.err.strip().splitlines()
        assert lines[0].startswith("error: "), self.err
        assert all(line.startswith("hint: ") for line in lines[1:]), self.err
        assert "Traceback" not in self.err
        return lines[0].removeprefix("error: ")

    @property
    def hint(self) -> str:
        return self.err.strip().splitlines()[1].removeprefix("hint: ")


class Cli:
    """Runs commands as a person would type them, on one home."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self.home = home
        self.clock = FakeClock()
        self.ids = CountingIds()
        self.embedder = FakeEmbedder()
        self.model: LLM | None = None
        self._capsys = capsys
        self._patch = patch

    def __call__(self, *arguments: str, stdin: str | bytes = b"", home: Path | None = None) -> Said:
        given = stdin.encode("utf-8", "surrogatepass") if isinstance(stdin, str) else stdin
        self._patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))
        self._capsys.readouterr()
        code = run(["--home", str(home or self.home), *arguments], self.open_engine)
        said = self._capsys.readouterr()
        return Said(code, said.out, said.err)

    def remembered(self, text: str, *options: str) -> str:
        """Remember something; gives its id."""
        said = self("remember", text, *options)
        assert said.code == 0, said.err
        return said.out.strip()

    def counted(self, *options: str) -> int:
        """How many traces there are."""
        total: int = self("admin", "stats", "--json", *options).json["total"]
        return total

    def open_engine(self, home: Path | None, agent: str | None, user: str | None) -> Cortex:
        return Cortex(
            home,
            agent=agent,
            user=user,
            embedder=self.embedder,
            reranker=FakeReranker(),
            llm=self.model,
            clock=self.clock,
            ids=self.ids,
        )

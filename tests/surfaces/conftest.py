from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from terminal import Cli


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(tmp_path / "home", capsys, monkeypatch)


@pytest.fixture
def lines(tmp_path: Path) -> Callable[..., str]:
    """Writes lines to a file to import; gives its path."""

    def write(*given: Any) -> str:
        path = tmp_path / "lines.jsonl"
        path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in given) + "\n")
        return str(path)

    return write

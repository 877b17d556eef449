"""Folders of notes on this machine that an agent may have kept already."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cortex.errors import InvalidRequest
from cortex.surfaces.mcp import configuration
from cortex.workspace.sources import IGNORED, MARKDOWN, WORKSPACE_FILES, WORKSPACE_FOLDER, Shape

COUNTED = 500
"""How many files are counted at most."""

AT_ONCE = 200_000
"""How many bytes are indexed while somebody waits; more take minutes, and are better left to the background."""


@dataclass(frozen=True, slots=True)
class Notes:
    """A folder or file to follow."""

    path: Path
    shape: Shape

    @classmethod
    def at(cls, path: Path) -> Notes:
        """What is meant by a path: of an agent's workspace its memory alone, of any other folder every note."""
        place = path.expanduser().resolve()
        is_workspace = any((place / name).is_file() for name in WORKSPACE_FILES)
        return cls(place, Shape.WORKSPACE if is_workspace else Shape.TREE)

    @property
    def what(self) -> str:
        """Which of its files are followed, for people."""
        if self.shape is Shape.WORKSPACE:
            return " and ".join([name for name in WORKSPACE_FILES if (self.path / name).is_file()] + self._folder())
        return "every Markdown file" if self.path.is_dir() else "the file"

    def count(self) -> int:
        """How many files that is, up to `COUNTED` and one."""
        return len(list(zip(range(COUNTED + 1), self._files(), strict=False)))

    @property
    def is_much(self) -> bool:
        """Whether indexing it takes longer than people wait."""
        weighed = 0
        for number, file in enumerate(self._files()):
            with suppress(OSError):
                weighed += file.stat().st_size
            if weighed > AT_ONCE or number == COUNTED:
                return True
        return False

    def _folder(self) -> list[str]:
        return [f"{WORKSPACE_FOLDER}/"] if (self.path / WORKSPACE_FOLDER).is_dir() else []

    def _files(self) -> Iterator[Path]:
        if self.path.is_file():
            yield self.path
        elif self.shape is Shape.TREE:
            yield from _markdown(self.path)
        else:
            yield from (self.path / name for name in WORKSPACE_FILES if (self.path / name).is_file())
            yield from _markdown(self.path / WORKSPACE_FOLDER)


def found(user_home: Path, here: Path, openclaw: Any = None) -> list[Notes]:
    """What looks like an agent's workspace: OpenClaw's, and the folder the command is run in.

    `openclaw` is what its configuration says, which may name another workspace than the usual one.
    """
    named = _workspace_of(openclaw)
    places = [user_home / ".openclaw" / "workspace", *([Path(named).expanduser()] if named else []), here]
    return [Notes(place, Shape.WORKSPACE) for place in _each_once(places) if _is_workspace(place)]


def openclaw_configuration(file: Path) -> Any:
    """What OpenClaw's file says; None where it cannot be read."""
    try:
        return configuration.read(file.read_text(encoding="utf-8"), field=str(file)).plain
    except (OSError, UnicodeDecodeError, InvalidRequest):
        return None


def _workspace_of(told: Any) -> str:
    for key in ("agents", "defaults", "workspace"):
        told = told.get(key) if isinstance(told, Mapping) else None
    return told if isinstance(told, str) and "${" not in told else ""


def _is_workspace(place: Path) -> bool:
    return any((place / name).is_file() for name in WORKSPACE_FILES) or (
        (place / WORKSPACE_FOLDER).is_dir() and next(_markdown(place / WORKSPACE_FOLDER), None) is not None
    )


def _each_once(places: Iterable[Path]) -> list[Path]:
    return list(dict.fromkeys(place.resolve() for place in places if place.is_dir()))


def _markdown(folder: Path) -> Iterator[Path]:
    """The Markdown files below a folder, in no order."""
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in IGNORED]
        yield from (Path(place) / name for name in files if name.lower().endswith(MARKDOWN))

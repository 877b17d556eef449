"""Watching the folders of sources: a thread that is told by the system when something in them changes (B12).

It says that something changed, not what: whoever is told looks at the files anew, which costs one `stat` for each.
Editors that write beside a file and rename it, moves and deletes are all the same to it.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from cortex.errors import ProviderMissing
from cortex.workspace.sources import IGNORED, MARKDOWN, TRANSCRIPTS, WORKSPACE_FOLDER, Shape, Source

log = logging.getLogger("cortex")

GATHER_MS = 50
"""How long the system's own bursts are gathered; the quiet that is waited for comes on top."""

LOOK_AGAIN_SECONDS = 5.0
"""How often a folder that is not there is looked for, and folders that came or went are noticed."""


@dataclass(frozen=True, slots=True)
class Place:
    """A folder to be watched, with all that lies below it or alone."""

    path: str
    deep: bool


def places(sources: Iterable[Source]) -> list[Place]:
    """What has to be watched for `sources`; of a workspace only what is memory in it, not all that lies beside it."""
    wanted: list[Place] = []
    for source in sources:
        root = str(source.root)
        if source.shape is Shape.WORKSPACE:
            wanted += [Place(root, deep=False), Place(os.path.join(root, WORKSPACE_FOLDER), deep=True)]
        elif os.path.isfile(root):
            # The folder around it: an editor that writes a new file and renames it leaves nothing of the old one.
            wanted.append(Place(os.path.dirname(root), deep=False))
        else:
            wanted.append(Place(root, deep=True))
    return list(dict.fromkeys(place for place in wanted if os.path.isdir(place.path)))


class Noticed(StrEnum):
    """What something that happened may concern."""

    FILES = "files"
    TRANSCRIPTS = "transcripts"


def concerns(path: str) -> Noticed | None:
    """What something at `path` may be: a file by its name, or a folder that may hold some; None for anything else."""
    parts = path.split("/")
    if not IGNORED.isdisjoint(parts[:-1]):
        return None
    name = parts[-1].lower()
    if name.endswith(TRANSCRIPTS):
        return Noticed.TRANSCRIPTS
    # A folder that was moved or deleted is not there to be asked what it was.
    return Noticed.FILES if name.endswith(MARKDOWN) or "." not in name else None


class Watching:
    """Calls `noticed` when a file of `sources()` may have changed, until it is stopped."""

    def __init__(self, sources: Callable[[], Sequence[Source]], noticed: Callable[[Noticed], None]) -> None:
        self._sources = sources
        self._noticed = noticed
        self._ending = threading.Event()
        self._threads: list[threading.Thread] = []
        self._ready = threading.Event()
        self.trouble = ""
        """Why the system does not tell of changes, where it does not: they are then looked for."""

    def start(self) -> Watching:
        _watchfiles()  # where it is missing, that is said at once and not from a thread
        thread = threading.Thread(target=self._run, name="cortex-watch", daemon=True)
        self._threads.append(thread)
        thread.start()
        return self

    def stop(self, seconds: float = 5.0) -> None:
        self._ending.set()
        for thread in self._threads:
            thread.join(seconds)

    def wait_until_ready(self, seconds: float) -> bool:
        """Whether changes are being told of by now."""
        return self._ready.wait(seconds)

    def _run(self) -> None:
        """Watch what there is; begin again when folders come or go."""
        watched: list[Place] = []
        round_: _Round | None = None
        while not self._ending.is_set():
            current = places(self._sources())
            if current != watched or (round_ is not None and round_.is_over):
                if round_ is not None:
                    round_.end()
                    # Whatever came or went while nobody watched.
                    self._noticed(Noticed.FILES)
                round_ = _Round(self, current) if current else None
                watched = current
                self._ready.set()
            self._ending.wait(LOOK_AGAIN_SECONDS)
        if round_ is not None:
            round_.end()


class _Round:
    """One watch over the places there are now."""

    def __init__(self, watching: Watching, wanted: Sequence[Place]) -> None:
        self._watching = watching
        self._ending = threading.Event()
        self._threads = [
            threading.Thread(target=self._watch, args=(some, deep), name="cortex-watch", daemon=True)
            for deep in (True, False)
            if (some := [place.path for place in wanted if place.deep is deep])
        ]
        for thread in self._threads:
            thread.start()

    @property
    def is_over(self) -> bool:
        return any(not thread.is_alive() for thread in self._threads)

    def end(self) -> None:
        self._ending.set()
        for thread in self._threads:
            thread.join(2.0)

    def _watch(self, paths: Sequence[str], deep: bool) -> None:
        try:
            self._told(paths, deep, polling=False)
        except OSError as error:
            # Too many folders for the system to watch: look for changes ourselves.
            self._watching.trouble = error.strerror or type(error).__name__
            log.warning("folders cannot be watched (%s): changes are looked for instead", self._watching.trouble)
            try:
                self._told(paths, deep, polling=True)
            except OSError:
                log.exception("folders cannot be watched")

    def _told(self, paths: Sequence[str], deep: bool, *, polling: bool) -> None:
        for changes in _watchfiles().watch(
            *paths,
            watch_filter=None,
            debounce=GATHER_MS,
            step=GATHER_MS,
            stop_event=self._ending,
            rust_timeout=500,
            force_polling=polling or None,
            recursive=deep,
            raise_interrupt=False,
            ignore_permission_denied=True,
        ):
            for what in {found for _, path in changes if (found := concerns(path)) is not None}:
                self._watching._noticed(what)


def _watchfiles() -> Any:
    try:
        import watchfiles
    except ImportError as error:
        raise ProviderMissing("watching folders needs `watchfiles`", hint="pip install watchfiles") from error
    return watchfiles

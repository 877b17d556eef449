"""Watching the folders of sources: a thread that the system notifies when something in them changes (B12).

It says that something changed, not what: the files are then scanned again, which costs one `stat` for each.
Editors that write beside a file and rename it, moves and deletes are all the same to it.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any

from cortex.errors import ProviderMissing
from cortex.runtime.pool import begin
from cortex.runtime.worker import Worker
from cortex.workspace.sources import IGNORED, MARKDOWN, TRANSCRIPTS, WORKSPACE_FOLDER, Shape, Source

log = logging.getLogger("cortex")

GATHER_MS = 50
"""How long the system's own bursts are gathered; the quiet that is waited for comes on top."""

LOOK_AGAIN_SECONDS = 5.0
"""How often a folder that is not there is looked for, and folders that came or went are noticed."""

POLL_MS = 2_000
"""How often changes are looked for where the system does not tell of them."""

_IN_PLACE_MS = 200
_PASSING = ("-journal", "-wal", "-shm", "~", ".swp", ".swx", ".tmp", ".lock", ".part")
"""How names of files end that come and go beside others."""


@dataclass(frozen=True, slots=True)
class WatchedFolder:
    """A folder to be watched, with all that lies below it or alone."""

    path: str
    deep: bool
    identity: tuple[int, int]
    """Its device and inode: another folder in its place has to be watched anew."""


def places(sources: Iterable[Source]) -> list[WatchedFolder]:
    """What has to be watched for `sources`; of a workspace only what is memory in it, not all that lies beside it."""
    wanted: list[tuple[str, bool]] = []
    for source in sources:
        root = str(source.root)
        if source.shape is Shape.WORKSPACE:
            wanted += [(root, False), (os.path.join(root, WORKSPACE_FOLDER), True)]
        elif os.path.isfile(root):
            # The folder around it: an editor that writes a new file and renames it leaves nothing of the old one.
            wanted.append((os.path.dirname(root), False))
        else:
            wanted.append((root, True))
    found = (_place(path, deep) for path, deep in dict.fromkeys(wanted))
    return [place for place in found if place is not None]


def _place(path: str, deep: bool) -> WatchedFolder | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return WatchedFolder(path, deep, (status.st_dev, status.st_ino)) if os.path.isdir(path) else None


class Noticed(StrEnum):
    """What something that happened may concern."""

    FILES = "files"
    TRANSCRIPTS = "transcripts"


def concerns(path: str, place: WatchedFolder, *, is_gone: bool) -> Noticed | None:
    """What something at `path`, below `place`, may be: a file by its name, or a folder that may hold some."""
    below = path[len(place.path) :].strip("/").split("/")
    if not IGNORED.isdisjoint(below):
        return None
    name = below[-1].lower()
    if name.endswith(TRANSCRIPTS):
        return Noticed.TRANSCRIPTS
    if name.endswith(MARKDOWN):
        return Noticed.FILES
    if not place.deep:
        return Noticed.FILES if name == WORKSPACE_FOLDER else None
    # A folder that was moved away can no longer be inspected.
    is_folder = not name.endswith(_PASSING) if is_gone else os.path.isdir(path)
    return Noticed.FILES if is_folder else None


class Watching:
    """Calls `noticed` when a file of `sources()` may have changed, until it is stopped.

    It is also called once whenever a watch has come into place: what happened before then has to be looked for.
    """

    def __init__(self, sources: Callable[[], Sequence[Source]], noticed: Callable[[Noticed], None]) -> None:
        self._sources = sources
        self._noticed = noticed
        self._worker = Worker(self._follow, "cortex-watch")
        self._round = _Round(self, ())
        self.trouble = ""
        """Why the system does not tell of changes, where it does not: they are then looked for."""

    def start(self) -> Watching:
        _watchfiles()  # where it is missing, that is said at once and not from a thread
        self._worker.start()
        return self

    def stop(self, seconds: float = 5.0) -> None:
        self._worker.stop(seconds)
        self._round.end()

    @property
    def is_in_place(self) -> bool:
        """Whether all that is there to be watched is, so that nothing that happens now is missed."""
        return self._round.is_in_place

    def notify(self, what: Noticed) -> None:
        """Something happened in a place; places may have come or gone with it."""
        self._noticed(what)
        self._worker.wake()

    def _follow(self) -> float:
        """Watch the folders there are now; returns the seconds until folders that come or go are looked for."""
        current = self._places()
        if not self._worker.is_stopping and (current != self._round.places or self._round.is_over):
            self._round.end()
            self._round = _Round(self, current)
        return LOOK_AGAIN_SECONDS

    def _places(self) -> Sequence[WatchedFolder]:
        try:
            return places(self._sources())
        except Exception as error:  # the thread must outlive a store that does not answer
            log.warning("the list of followed folders could not be read: %s", type(error).__name__)
            return self._round.places


class _Round:
    """One watch over the places there are now."""

    def __init__(self, watching: Watching, wanted: Sequence[WatchedFolder]) -> None:
        self.places = wanted
        self._watching = watching
        self._ending = threading.Event()
        watching.trouble = ""
        alike = [[place for place in wanted if place.deep is deep] for deep in (True, False)]
        self._unready = {some[0] for some in alike if some}
        self._threads = [begin(partial(self._watch, some), "cortex-watch") for some in alike if some]

    @property
    def is_in_place(self) -> bool:
        return bool(self._threads) and not self._unready and not self.is_over

    @property
    def is_over(self) -> bool:
        return any(not thread.is_alive() for thread in self._threads)

    def end(self) -> None:
        self._ending.set()
        for thread in self._threads:
            thread.join(2.0)

    def _watch(self, some: Sequence[WatchedFolder]) -> None:
        try:
            self._notify(some, polling=False)
        except FileNotFoundError:
            return  # gone since it was looked for: another round begins
        except (OSError, RuntimeError) as error:
            # Too many folders for the system to watch, or too many watchers: look for changes ourselves.
            self._watching.trouble = _why(error)
            log.warning("folders cannot be watched (%s): changes are looked for instead", self._watching.trouble)
            self._poll(some)

    def _poll(self, some: Sequence[WatchedFolder]) -> None:
        try:
            self._notify(some, polling=True)
        except FileNotFoundError:
            return
        except (OSError, RuntimeError) as error:
            log.error("folders cannot be watched: %s", _why(error))

    def _notify(self, some: Sequence[WatchedFolder], *, polling: bool) -> None:
        for changes in _watchfiles().watch(
            *(place.path for place in some),
            watch_filter=None,
            debounce=GATHER_MS,
            step=GATHER_MS,
            stop_event=self._ending,
            rust_timeout=_IN_PLACE_MS,
            yield_on_timeout=True,
            force_polling=polling or None,
            poll_delay_ms=POLL_MS,
            recursive=some[0].deep,
            raise_interrupt=False,
            ignore_permission_denied=True,
        ):
            noticed = {_concerns(path, some, is_gone=change == _DELETED) for change, path in changes}
            if some[0] in self._unready:
                self._unready.discard(some[0])
                noticed.add(Noticed.FILES)  # whatever happened before now
            for what in noticed:
                if what is not None:
                    self._watching.notify(what)


_DELETED = 3


def _concerns(path: str, some: Sequence[WatchedFolder], *, is_gone: bool) -> Noticed | None:
    around = [place for place in some if path == place.path or path.startswith(place.path.rstrip("/") + "/")]
    return concerns(path, max(around, key=lambda place: len(place.path)), is_gone=is_gone) if around else None


def _why(error: Exception) -> str:
    """What the system said, without the folder it said it of."""
    return (getattr(error, "strerror", None) or str(error)).partition(" about ")[0] or type(error).__name__


def _watchfiles() -> Any:
    try:
        import watchfiles
    except ImportError as error:
        raise ProviderMissing("watching folders needs `watchfiles`", hint="pip install watchfiles") from error
    return watchfiles

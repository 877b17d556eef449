"""Which files are memory now: a walk over the sources that opens nothing, and never leaves their roots (B2, X15)."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from cortex.workspace.sources import IGNORED, WORKSPACE_FILES, WORKSPACE_FOLDER, Shape, Source, citable, unlisted

NOT_A_FILE = "is neither a file nor a folder"
OUTSIDE = "leads out of the indexed folders"


class Found(NamedTuple):
    """A file that is memory. A tuple, because there are many."""

    source: Source
    path: str
    """What it is cited by."""
    absolute: str
    """Where it really lies, with no link on the way."""
    size: int
    modified_ns: int
    inode: int
    device: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What was not listed though it might be memory, and why. The reason repeats nothing of the path."""

    path: str
    why: str
    source: str
    """The name of the source."""
    root_missing: bool = False
    """The root itself could not be looked at. Its files are out of sight, as on a disk that is not mounted."""
    unseen: bool = False
    """What lies at the path, or below, could not be looked at: it may be there still."""

    def hides(self, path: str) -> bool:
        """Whether the file cited as `path` may be there still, out of sight."""
        if not self.unseen:
            return False
        if not self.path:  # the agent's own workspace: no other source has these names
            return path.partition("/")[0] in {*WORKSPACE_FILES, WORKSPACE_FOLDER}
        return path == self.path or path.startswith(f"{self.path}/")


@dataclass(frozen=True, slots=True)
class Scan:
    """The files that are memory and what went wrong in looking for them, each by path."""

    files: list[Found]
    problems: list[Problem]

    def hides(self, path: str) -> bool:
        """Whether a file that is not listed may be there still: it is no reason to forget what it said."""
        return any(problem.hides(path) for problem in self.problems)


class ResolvedSource(NamedTuple):
    """Where a source really lies."""

    source: Source
    root: str
    folder: str
    """What the paths of its files are relative to: the root, or what it lies in if it is a file."""

    @classmethod
    def of(cls, source: Source) -> ResolvedSource:
        root = os.path.realpath(source.root)
        is_folder = source.shape is Shape.WORKSPACE or not os.path.isfile(root)
        return cls(source, root, root if is_folder else os.path.dirname(root))

    @property
    def is_file(self) -> bool:
        return self.root != self.folder


def found(sources: Sequence[Source], *, also_ignore: Iterable[str] = ()) -> Scan:
    """Every file of `sources`, each once: under its real path before any link, of the first source that lists it.

    Among several names within one source the shortest counts, then the first by the alphabet.
    """
    ignored = IGNORED.union(also_ignore)
    walks = [_Walk(ResolvedSource.of(source), ignored) for source in sources]
    for walk in walks:
        walk.start()
    places = [walk.place for walk in walks]
    for walk in walks:
        walk.follow_links(places)
    once: dict[tuple[int, int], Found] = {}
    for walk in reversed(walks):
        once.update(walk.linked)
    for walk in reversed(walks):
        once.update(walk.real)
    problems = [problem for walk in walks for problem in walk.problems]
    return Scan(sorted(once.values(), key=attrgetter("path")), sorted(problems, key=attrgetter("path", "why")))


def strays(real: str, places: Iterable[ResolvedSource], ignored: frozenset[str]) -> str:
    """Why what a link leads to is no memory, however it is named; empty where it lies in a source."""
    why = OUTSIDE
    for place in places:
        if real == place.root:
            return ""
        below = place.root.rstrip("/") + "/"
        if real.startswith(below) and not place.is_file:
            if ignored.isdisjoint(real[len(below) :].split("/")):
                return ""
            why = "leads into a folder that is ignored"
    return why


class _Walk:
    """The search of one source: first what really lies there, then what links lead to."""

    def __init__(self, place: ResolvedSource, ignored: frozenset[str]) -> None:
        self.place = place
        self.real: dict[tuple[int, int], Found] = {}
        self.linked: dict[tuple[int, int], Found] = {}
        self.problems: list[Problem] = []
        self._source = place.source
        self._suffixes = place.source.suffixes
        self._ignored = ignored
        self._claimed = self.real
        self._walked: set[tuple[int, int]] = set()
        self._links: list[tuple[str, str]] = []

    def start(self) -> None:
        """List all that can be reached without a link."""
        root, source = self.place.root, self._source
        try:
            status = os.stat(root)
        except (FileNotFoundError, NotADirectoryError):
            self._root_problem("is not there")
        except OSError as error:
            self._root_problem(_reason(error))
        else:
            if self.place.is_file:
                self._only(root, status)
            elif not stat.S_ISDIR(status.st_mode):
                self._root_problem("is not a folder")
            elif source.shape is Shape.WORKSPACE:
                for name in (*WORKSPACE_FILES, WORKSPACE_FOLDER):
                    self._name(os.path.join(root, name), source.cited(name), is_file=name != WORKSPACE_FOLDER)
            else:
                self._folder(root, source.name, status)

    def follow_links(self, places: Sequence[ResolvedSource]) -> None:
        """List what links lead to inside the roots of `places`, where it is not listed yet."""
        self._claimed = self.linked
        while self._links:
            # The shortest first: of several links to one folder, it is the one to be cited.
            links, self._links = sorted(self._links, key=lambda link: (len(link[1]), link)), []
            for absolute, cited in links:
                self._link(absolute, cited, places)

    def _only(self, root: str, status: os.stat_result) -> None:
        name = os.path.basename(root)
        if why := unlisted(self._source, [name], self._ignored):
            self._problem(self._source.cited(name), why)
        elif self._is_citable(name, self._source.cited("")):
            self._file(root, self._source.cited(name), status)

    def _name(self, absolute: str, cited: str, *, is_file: bool) -> None:
        """List one name of a workspace; it need not be there."""
        try:
            status = os.lstat(absolute)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            self._root_problem(_reason(error))
            return
        if stat.S_ISLNK(status.st_mode):
            self._links.append((absolute, cited))
        elif is_file:
            self._file(absolute, cited, status)
        elif stat.S_ISDIR(status.st_mode):
            self._folder(absolute, cited, status)

    def _folder(self, absolute: str, cited: str, status: os.stat_result) -> None:
        """List what lies in a folder and below."""
        waiting: list[tuple[str, str]] = []
        self._wait(waiting, absolute, f"{cited}/", status)
        while waiting:
            folder, before = waiting.pop()
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        self._entry(entry, before, waiting)
            except OSError as error:
                if folder == self.place.root:
                    self._root_problem(_reason(error))
                elif not isinstance(error, FileNotFoundError):  # gone since its name was read
                    self._problem(before[:-1], _reason(error), unseen=True)

    def _entry(self, entry: os.DirEntry[str], before: str, waiting: list[tuple[str, str]]) -> None:
        name = entry.name
        try:
            is_folder = entry.is_dir(follow_symlinks=False)
            is_link = not is_folder and entry.is_symlink()
            if is_folder or is_link:
                if name in self._ignored:
                    return
            elif not name.lower().endswith(self._suffixes):
                return
            if not self._is_citable(name, before):
                return
            if is_link:
                self._links.append((entry.path, before + name))
            elif is_folder:
                self._wait(waiting, entry.path, f"{before}{name}/", entry.stat(follow_symlinks=False))
            else:
                self._file(entry.path, before + name, entry.stat(follow_symlinks=False))
        except FileNotFoundError:
            return
        except OSError as error:
            self._problem(before + name, _reason(error), unseen=True)

    def _wait(self, waiting: list[tuple[str, str]], absolute: str, before: str, status: os.stat_result) -> None:
        """Have a folder walked, once however it is reached: links may lead in circles."""
        key = (status.st_dev, status.st_ino)
        if key not in self._walked:
            self._walked.add(key)
            waiting.append((absolute, before))

    def _file(self, absolute: str, cited: str, status: os.stat_result) -> None:
        if not stat.S_ISREG(status.st_mode):
            self._problem(cited, NOT_A_FILE)
            return
        key = (status.st_dev, status.st_ino)
        rival = self._claimed.get(key)
        if rival is None or (len(cited), cited) < (len(rival.path), rival.path):
            self._claimed[key] = Found(
                self._source, cited, absolute, status.st_size, status.st_mtime_ns, status.st_ino, status.st_dev
            )

    def _link(self, absolute: str, cited: str, places: Sequence[ResolvedSource]) -> None:
        try:
            real = os.path.realpath(absolute, strict=True)
            status = os.stat(real)
        except (FileNotFoundError, NotADirectoryError):
            self._problem(cited, "is a link that leads nowhere")
            return
        except OSError as error:
            self._problem(cited, _reason(error), unseen=error.errno != errno.ELOOP)
            return
        is_folder = stat.S_ISDIR(status.st_mode)
        if not is_folder and not cited.lower().endswith(self._suffixes):
            return
        if why := strays(real, places, self._ignored):
            self._problem(cited, why)
        elif is_folder:
            self._folder(real, cited, status)
        elif real.lower().endswith(self._suffixes):
            self._file(real, cited, status)
        else:
            self._problem(cited, "leads to a file of another kind")

    def _is_citable(self, name: str, before: str) -> bool:
        if citable(name):
            return True
        self._problem(before + name, "has a name that cannot be cited")
        return False

    def _problem(self, cited: str, why: str, *, unseen: bool = False) -> None:
        shown = "".join(each if citable(each) else f"\\u{ord(each):04x}" for each in cited)
        self.problems.append(Problem(path=shown, why=why, source=self._source.name, unseen=unseen))

    def _root_problem(self, why: str) -> None:
        name = self._source.name
        problem = Problem(path=name, why=why, source=name, root_missing=True, unseen=True)
        if problem not in self.problems:
            self.problems.append(problem)


def _reason(error: OSError) -> str:
    return f"cannot be looked at: {(error.strerror or type(error).__name__).lower()}"

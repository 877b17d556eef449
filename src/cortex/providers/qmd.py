"""qmd, a separate program that searches Markdown files, called by its command line and held to limits (Q1)."""

from __future__ import annotations

import hashlib
import json
import os
import re
import selectors
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Any

from cortex.domain.hits import SearchMode
from cortex.domain.text import visible
from cortex.errors import (
    DeadlineExceeded,
    EmbedderUnavailable,
    EngineError,
    InvalidRequest,
    ProviderError,
    ProviderMissing,
    full_disk,
)
from cortex.ports.clock import Clock
from cortex.ports.file_search import FoundLines, ProgressCallback, SourceName
from cortex.runtime.deadline import Deadline

COMMAND = "qmd"
INDEX = "cortex"
"""Named on every call: without a name, qmd follows any `.qmd` folder it finds on the way up, and the hooks in it."""

MAX_QUERY_CHARS = 2_000
MAX_OUTPUT_BYTES = 1 << 20
SYNC_SECONDS = 120.0
EMBED_SECONDS = 30 * 60.0

_BLOCK = 64 << 10
_MAX_COMPLAINT_BYTES = 4 << 10
_LONGEST_COMPLAINT = 200
_LOOK_UP_SECONDS = 0.25
_REAP_SECONDS = 1.0
_MOST_ARRAYS = 8
_HIGHEST = 10**9

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# To qmd a dash before a word excludes it, and these names before a colon make a query document of a line.
_EXCLUSION = re.compile(r"(?<!\S)-+")
_DOCUMENT = re.compile(r"\A(lex|vec|hyde|intent|expand):", re.IGNORECASE)
_ARRAY = re.compile(r"^\[\s*(?=[{\]])", re.MULTILINE)
_NOTHING = re.compile(r"^No results found", re.MULTILINE)
_LISTED = re.compile(r"^\S.*? \(qmd://([^/\s?)]+)", re.MULTILINE)
# "@@ -12,4 @@ (11 before, 30 after)": the snippet below it begins at line 12.
_HEADER = re.compile(r"\A@@ -(\d{1,9})(?:,\d{1,9})? @@[^\n]*(?:\n|\Z)")
_UNNAMEABLE = re.compile(r"[^A-Za-z0-9]+")


class QmdMode(StrEnum):
    """How qmd searches, from the quickest."""

    SEARCH = "search"
    """By keywords; needs no model."""
    VSEARCH = "vsearch"
    """By vectors alone."""
    QUERY = "query"
    """By both, with the query put into other words and the results read again by a model."""


_FOUND_BY = {
    QmdMode.SEARCH: SearchMode.FTS_ONLY,
    QmdMode.VSEARCH: SearchMode.VECTOR_ONLY,
    QmdMode.QUERY: SearchMode.HYBRID,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class QmdLimits:
    """How much one answer may hold, and how long it may take (Q1)."""

    max_results: int = 6
    max_snippet_chars: int = 700
    max_injected_chars: int = 4_000
    """Of all snippets together."""
    timeout_ms: int = 4_000

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InvalidRequest(
                    "is not a whole number above 0", field=f"files.qmd.{each.name}", hint=f"{each.default} by default"
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """A folder that qmd searches, and how its files are cited."""

    name: str
    root: Path
    """Absolute."""
    cited: str = ""
    """What stands before the path below the root where a file is cited; nothing for the agent's own workspace."""
    source: SourceName = "memory"
    pattern: str = "**/*.md"

    @property
    def key(self) -> str:
        """What qmd calls it: another root or pattern is another collection, so an old one is never taken for it."""
        made_of = f"{self.root}\n{self.pattern}".encode("utf-8", "surrogatepass")
        label = _UNNAMEABLE.sub("-", self.name).strip("-")[:32] or "files"
        return f"{label}-{hashlib.blake2b(made_of, digest_size=4).hexdigest()}"


class QmdSearch:
    """Searches the Markdown files of one agent with qmd (Q1). Whatever goes wrong is an exception.

    Everything qmd keeps for the agent lies in `folder`; only its models lie in `cache`, where agents may share them.
    The program sees no variable of ours but PATH, and `environment`.
    """

    def __init__(
        self,
        folder: Path,
        collections: Sequence[Collection],
        clock: Clock,
        *,
        command: str = COMMAND,
        mode: QmdMode = QmdMode.SEARCH,
        limits: QmdLimits | None = None,
        cache: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._folder = folder.absolute()
        self._collections = {each.key: each for each in collections}
        self._clock = clock
        self._command = command
        self._mode = mode
        self._limits = limits or QmdLimits()
        self._cache = cache.absolute() if cache else self._folder / "cache"
        self._environment = dict(environment or {})
        self._syncing = threading.Lock()
        self._closed = threading.Event()
        self._synced: dict[str, str] | None = None

    def search(
        self,
        query: str,
        *,
        max_results: int | None = None,
        min_score: float | None = None,
        session: str | None = None,  # noqa: ARG002 - qmd knows no sessions
    ) -> tuple[FoundLines, ...]:
        """What qmd finds in the files as they were at the last sync. Its scores are those of its mode."""
        words = as_words(query)
        most = self._limits.max_results if max_results is None else min(max_results, self._limits.max_results)
        if not words or most < 1 or not self._present():
            return ()
        if trouble := self.trouble():
            raise trouble
        # Words after `--` are never options, whatever they begin with.
        arguments = [self._mode.value, "--json", "-n", str(most), "--", words]
        rows = rows_in(self._run(arguments, self._limits.timeout_ms / 1000))
        found = [lines for row in rows if (lines := self._cited(row)) is not None]
        return bounded([each for each in found if min_score is None or each.score >= min_score][:most], self._limits)

    def status(self) -> dict[str, Any]:
        trouble = self.trouble()
        return {
            "backend": "qmd",
            "command": self._command,
            "mode": _FOUND_BY[self._mode],
            "limits": asdict(self._limits),
            "collections": [each.name for each in self._collections.values()],
            "synced": self._synced,
            "trouble": str(trouble) if trouble else "",
        }

    def sync(self, *, force: bool = False, reason: str = "", progress: ProgressCallback | None = None) -> None:
        """Let qmd read what changed. Folders that are new to it are added, those no longer wanted are dropped."""
        with self._syncing, self._writing():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            present = self._present()
            steps = self._steps(set(_LISTED.findall(self._run(["collection", "list"], SYNC_SECONDS))), present, force)
            if any(step[0] == "collection" for step in steps):
                self._ready_file.unlink(missing_ok=True)  # searches wait until all of it is there
            for done, step in enumerate(steps):
                if progress:
                    progress(done, len(steps), f"qmd {step[0]}")
                self._run(step, EMBED_SECONDS if step[0] == "embed" else SYNC_SECONDS)
            if progress:
                progress(len(steps), len(steps), "qmd")
            ready = {"collections": sorted(present), "embedded": self._mode is not QmdMode.SEARCH}
            self._ready_file.touch(mode=0o600)
            self._ready_file.write_text(json.dumps(ready), encoding="utf-8")
            self._synced = {"at": self._clock.now().isoformat(), "reason": reason}

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise full_disk(error, self._folder) or ProviderError(
                f"{self._folder} cannot be written: {error.strerror or error}", hint="check its permissions"
            ) from error

    def trouble(self, *, thorough: bool = False) -> EngineError | None:  # noqa: ARG002 - there is nothing to load
        """Why it could not be called now; None as far as can be seen."""
        if self._program() is None:
            return _missing(self._command)
        if self._is_ready():
            return None
        return ProviderError("qmd has not read the files yet", hint="index them: a sync lets it read them")

    def probe_embedding(self) -> EngineError | None:
        if self._mode is QmdMode.SEARCH:
            return EmbedderUnavailable(
                "qmd searches by keywords alone", hint="set files.qmd.mode to vsearch or query for vectors"
            )
        return self.trouble()

    def probe_vectors(self) -> bool:
        return self._mode is not QmdMode.SEARCH and self.trouble() is None

    def close(self) -> None:
        """End whatever runs; no more calls are taken."""
        self._closed.set()

    # --- what is indexed -----------------------------------------------------------------------

    @property
    def _ready_file(self) -> Path:
        return self._folder / "ready.json"

    def _present(self) -> dict[str, Collection]:
        """The collections whose folder is there; one that is not made yet holds no files."""
        return {key: each for key, each in self._collections.items() if os.path.isdir(each.root)}

    def _is_ready(self) -> bool:
        """Whether a sync has gone through for every collection that is there, and for the vectors a mode needs."""
        try:
            ready = json.loads(self._ready_file.read_text(encoding="utf-8"))
            read, embedded = set(ready["collections"]), bool(ready["embedded"])
        except (OSError, ValueError, TypeError, KeyError):
            return False
        return self._present().keys() <= read and (embedded or self._mode is QmdMode.SEARCH)

    def _steps(self, known: set[str], wanted: Mapping[str, Collection], force: bool) -> list[list[str]]:
        """What to run so that qmd knows the collections that are wanted, all of them anew with `force`."""
        kept = set() if force else known & wanted.keys()
        drops = [["collection", "remove", "--", key] for key in sorted(known - kept)]
        adds = [
            ["collection", "add", f"--name={key}", f"--mask={each.pattern}", "--", str(each.root)]
            for key, each in sorted(wanted.items())
            if key not in kept
        ]
        embeds = [["embed", "-f"] if force else ["embed"]] if self._mode is not QmdMode.SEARCH else []
        return [*drops, *adds, ["update"], *embeds]

    # --- what is found -------------------------------------------------------------------------

    def _cited(self, row: Mapping[str, Any]) -> FoundLines | None:
        """The lines of a row as they are cited; None where they lie in no file of ours, or in one that is gone."""
        key, relative = located(row["file"])
        collection = self._collections.get(key)
        if collection is None or not os.path.isfile(collection.root / relative):
            return None
        start, snippet = shown(row)
        return FoundLines(
            path=str(PurePosixPath(collection.cited) / relative),
            start_line=start,
            end_line=start + snippet.count("\n"),
            score=_score(row.get("score")),
            snippet=snippet,
            source=collection.source,
        )

    # --- the program ---------------------------------------------------------------------------

    def _program(self) -> str | None:
        found = shutil.which(self._command)
        return os.path.abspath(found) if found else None

    def _variables(self, program: str) -> dict[str, str]:
        """The whole environment of the program. Whatever else is in ours, keys and tokens above all, stays here."""
        # Beside the program lies the node it was installed with.
        path = os.pathsep.join([os.path.dirname(program), *os.get_exec_path()])
        own = {
            "PWD": str(self._folder),
            "QMD_CONFIG_DIR": str(self._folder / "config"),
            "XDG_CONFIG_HOME": str(self._folder / "config"),
            "INDEX_PATH": str(self._folder / "index.sqlite"),
            "XDG_CACHE_HOME": str(self._cache),
        }
        return {"PATH": path, "HOME": str(self._folder), "LC_ALL": "C.UTF-8", "NO_COLOR": "1"} | self._environment | own

    def _run(self, arguments: Sequence[str], seconds: float) -> str:
        """What the program says to these arguments. It is ended, with all it started, when it takes too long."""
        if self._closed.is_set():
            raise ProviderError("qmd is not called any more: the search was closed")
        if (program := self._program()) is None:
            raise _missing(self._command)
        deadline = Deadline.after(self._clock, seconds)
        try:
            process = subprocess.Popen(
                [program, "--index", INDEX, *arguments],
                bufsize=0,
                cwd=self._folder,
                env=self._variables(program),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                umask=0o077,  # what it writes lies under home
            )
        except OSError as error:
            raise ProviderError(
                f"qmd cannot be started: {error.strerror or type(error).__name__}", hint="try `qmd --version`"
            ) from error
        try:
            with _ended(process):
                said, complaint = self._outputs(process, deadline)
                code = process.wait(deadline.left())
        except (TimeoutError, subprocess.TimeoutExpired):
            raise DeadlineExceeded(f"qmd gave no answer within {seconds:g} s") from None
        if code != 0:
            raise _failure(code, complaint)
        return said.decode("utf-8", "replace")

    def _outputs(self, process: subprocess.Popen[bytes], deadline: Deadline) -> tuple[bytes, bytes]:
        """All the program says, and the end of what it complains of."""
        said, complaint = bytearray(), bytearray()
        assert process.stdout is not None
        assert process.stderr is not None
        with selectors.DefaultSelector() as selector:
            for pipe in (process.stdout, process.stderr):
                selector.register(pipe, selectors.EVENT_READ)
            while selector.get_map():
                if self._closed.is_set():
                    raise ProviderError("qmd was ended, for the search was closed")
                if deadline.passed:
                    raise TimeoutError
                for key, _ in selector.select(min(deadline.left(), _LOOK_UP_SECONDS)):
                    block = os.read(key.fd, _BLOCK)
                    if not block:
                        selector.unregister(key.fileobj)
                    elif key.fileobj is process.stderr:
                        complaint += block
                        del complaint[:-_MAX_COMPLAINT_BYTES]
                    else:
                        said += block
                if len(said) > MAX_OUTPUT_BYTES:
                    raise ProviderError(f"qmd said more than {MAX_OUTPUT_BYTES:,} bytes")
        return bytes(said), bytes(complaint)


def as_words(query: str) -> str:
    """`query` on one line, as words alone: nothing in it is an option, an exclusion or a query document to qmd."""
    text = _EXCLUSION.sub("", _CONTROL.sub(" ", _sound(query[:MAX_QUERY_CHARS])))
    # What follows the name may begin with a dash.
    text = _EXCLUSION.sub("", _DOCUMENT.sub(r"\1 ", text.strip()))
    return " ".join(text.split())


def rows_in(said: str) -> list[dict[str, Any]]:
    """The results in what qmd said. Notes may stand around them; anything else is no answer."""
    decoder = json.JSONDecoder()
    # Notes come before the results, so the last array is the one.
    for begin in reversed([match.start() for match in _ARRAY.finditer(said)][-_MOST_ARRAYS:]):
        try:
            rows, _ = decoder.raw_decode(said, begin)
        except (ValueError, RecursionError):
            continue
        if all(isinstance(row, dict) and isinstance(row.get("file"), str) for row in rows):
            return list(rows)
    if _NOTHING.search(said):  # as older versions say it
        return []
    raise ProviderError("qmd answered something else than results as JSON", hint="use qmd 2.6 or newer")


def located(uri: str) -> tuple[str, str]:
    """The collection and the path below its root that `qmd://collection/path` names; empty where it names none."""
    name, _, relative = uri.removesuffix(f"?index={INDEX}").removeprefix("qmd://").partition("/")
    parts = relative.split("/")
    if not uri.startswith("qmd://") or "\0" in relative or any(part in ("", ".", "..") for part in parts):
        return "", ""
    return name, relative


def shown(row: Mapping[str, Any]) -> tuple[int, str]:
    """The snippet of a row without the empty lines around it, and the number of its first line."""
    snippet = row.get("snippet")
    text = _sound(snippet) if isinstance(snippet, str) else ""
    start = row.get("line")
    if header := _HEADER.match(text):
        start, text = int(header.group(1)), text[header.end() :]
    if isinstance(start, bool) or not isinstance(start, int) or not 1 <= start < _HIGHEST:
        start = 1
    lines = text.split("\n")
    while len(lines) > 1 and not lines[-1].strip():
        lines.pop()
    blank = 0
    while blank < len(lines) - 1 and not lines[blank].strip():
        blank += 1
    return start + blank, "\n".join(lines[blank:])


def bounded(found: Sequence[FoundLines], limits: QmdLimits) -> tuple[FoundLines, ...]:
    """As much of `found` as the limits allow, best first: a snippet is cut before another result is left out."""
    kept: list[FoundLines] = []
    left = limits.max_injected_chars
    for lines in found[: limits.max_results]:
        if left < 1:
            break
        kept.append(_cut(lines, min(left, limits.max_snippet_chars)))
        left -= len(kept[-1].snippet)
    return tuple(kept)


def _cut(lines: FoundLines, chars: int) -> FoundLines:
    if len(lines.snippet) <= chars:
        return lines
    snippet = lines.snippet[:chars].rstrip("\n")
    return replace(lines, snippet=snippet, end_line=lines.start_line + snippet.count("\n"))


def _sound(text: str) -> str:
    """`text` with a mark in place of what cannot be written as UTF-8."""
    return text.encode("utf-8", "replace").decode()


def _score(value: Any) -> float:
    usable = isinstance(value, int | float) and not isinstance(value, bool) and -_HIGHEST < value < _HIGHEST
    return float(value) if usable else 0.0


@contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """When this is left, the program has ended; with everything it started, where it had not done so by itself."""
    try:
        yield
    finally:
        if process.returncode is None:
            # Until it is waited for, its number can belong to nobody else.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_REAP_SECONDS)
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def _missing(command: str) -> ProviderMissing:
    return ProviderMissing(
        f"no program {command!r} can be run",
        hint="install it with `npm install --global @tobilu/qmd`, or name it by files.qmd.command",
    )


def _failure(code: int, complaint: bytes) -> ProviderError:
    if code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
        return ProviderError(f"qmd was ended by {name}", hint="try `qmd doctor`")
    lines = [" ".join(line.split()) for line in complaint.decode("utf-8", "replace").splitlines() if line.strip()]
    telling = next((line for line in lines if "error" in line.lower()), lines[0] if lines else "it did not say why")
    return ProviderError(f"qmd ended with code {code}: {visible(telling[:_LONGEST_COMPLAINT])}")

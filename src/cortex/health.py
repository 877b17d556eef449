"""How an engine is: what is there, what is degraded, and exactly how to mend it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cortex import settings as configuration
from cortex._version import __version__
from cortex.domain.lanes import State
from cortex.domain.modality import Modality, strategy
from cortex.domain.scope import Tenant
from cortex.errors import EngineError
from cortex.lifecycle import upkeep
from cortex.parts import Parts
from cortex.ports.probed import trouble_of
from cortex.ports.store import Counts, Filter, Job, JobState, View
from cortex.recall import recipes

BACKFILL = "run `cortex backfill`"
DOCTOR = "run `cortex doctor --fix`"
REPAIR = "run `cortex verify --repair`"

LOW_SPACE = 200 << 20
NO_SPACE = 20 << 20
VERIFIED_AT_ONCE = 20_000
"""Up to this many traces the doctor verifies everything; beyond, it leaves that to `cortex verify`."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing an installation needs. `ok` is None for what works but should be looked after."""

    name: str
    ok: bool | None
    detail: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that does not work as it should, and how to mend it."""

    what: str
    why: str
    fix: str


def status(parts: Parts, tenant: Tenant, view: View, files: Mapping[str, Any]) -> dict[str, Any]:
    """What is there and what is degraded, as plain values. Loads no model."""
    store, space = parts.store(tenant.agent), parts.embedder.space
    position = view.position
    counts = view.counts(Filter(states=frozenset(State)))
    lacking = view.counts(Filter(lacking=space)).total if space.dimension else 0
    diary = upkeep.read(view)
    waiting, failed = view.jobs(JobState.WAITING), view.jobs(JobState.FAILED)
    sets, llm = store.vector_sets(tenant), _llm(parts)
    embedder, reranker = trouble_of(parts.embedder), trouble_of(parts.reranker)
    return {
        "version": __version__,
        "home": str(parts.home),
        "agent": tenant.agent,
        "user": tenant.user,
        "store": dict(store.describe()),
        "position": position,
        "counts": _counted(counts),
        "vectors": {
            "space": space.key if space.dimension else None,
            "embedded": sets.get(space.key, 0),
            "lacking": lacking,
            "sets": dict(sets),
        },
        "embedder": {
            "provider": space.provider,
            "model": space.model,
            "dimension": space.dimension,
            "media": _media(parts),
            **_availability(embedder),
        },
        "reranker": {"name": parts.reranker.name, **_availability(reranker)},
        "recipe": parts.settings.recall.recipe,
        "llm": llm,
        # A model that is there has asked the monitor already.
        "hardware": llm.get("hardware") or (asdict(parts.hardware.verdict()) if parts.hardware else None),
        "jobs": {
            "waiting": len(waiting),
            "failed": len(failed),
            "next": min(job.due for job in waiting).isoformat() if waiting else None,
        },
        "files": dict(files),
        "anomalies": [anomaly.to_json() for anomaly in diary.anomalies],
        "hook_troubles": parts.troubles.counted(),
        "receipts_lost": parts.aftermath.lost,
        "degraded": [asdict(trouble) for trouble in _troubles(parts, embedder, lacking, failed, files)],
    }


def checks(parts: Parts, tenant: Tenant, files: Callable[[], Mapping[str, Any]]) -> list[Check]:
    """Everything an installation needs, tried out: the database is opened, the model embeds."""
    return [*machine(parts.home), *_database(parts, tenant), _embedder(parts), _reranker(parts), *_files(files)]


def machine(home: Path) -> list[Check]:
    """What can be told before an engine is built: Python, SQLite, home, free space, settings."""
    return [_python(), _sqlite(), _home(home), _space(home), _settings(home)]


def _troubles(
    parts: Parts, embedder: EngineError | None, lacking: int, failed: Sequence[Job], files: Mapping[str, Any]
) -> Iterator[Trouble]:
    if embedder is not None:
        yield Trouble("vectors", f"recall goes by keywords alone: {embedder.message}", embedder.hint or DOCTOR)
    elif lacking:
        yield Trouble("vectors", f"{lacking:,} traces have no vector of the current model", BACKFILL)
    if cache := getattr(parts.embedder, "degraded", None):
        yield Trouble("embedding cache", cache, "remove the file; it is made anew")
    if failed:
        why = f"{len(failed)} background jobs were given up, the last for {failed[-1].error}"
        yield Trouble("jobs", why, "see `cortex doctor`; the next turn of their sessions takes them up again")
    if parts.llm is not None and (model := trouble_of(parts.llm)):
        yield Trouble("llm", f"memories are drawn by rules alone: {model.message}", model.hint)
    yield from _file_troubles(files)
    if any(asdict(parts.settings.embedding.media).values()):
        yield Trouble("media", "embedding.media is set, but nothing is embedded by it yet", "see docs/media.md")
    if parts.aftermath.lost:
        yield Trouble("receipts", f"{parts.aftermath.lost} could not be written", DOCTOR)
    try:
        recipes.named(parts.settings.recall.recipe)
    except EngineError as error:
        yield Trouble("recall.recipe", error.message, error.hint)


def _media(parts: Parts) -> dict[str, str]:
    """By what each modality is embedded (E19)."""
    configured = asdict(parts.settings.embedding.media)
    return {each.value: strategy(each.value, configured).embedder for each in Modality}


def _file_troubles(files: Mapping[str, Any]) -> Iterator[Trouble]:
    if (fallback := files.get("fallback")) and fallback["active"]:
        why = f"{files['requested']} does not answer: {fallback['reason']}"
        yield Trouble("files", why, "the index answers instead; see docs/qmd.md")
    if files.get("reindexing"):
        yield Trouble("files", "the index is being made anew", "searches answer from the old one until it is done")
    if unreadable := files.get("unreadable"):
        why = f"{len(unreadable):,} could not be read: {unreadable[0]['path']} {unreadable[0]['why']}"
        yield Trouble("files", why, "see `cortex files`")


def _llm(parts: Parts) -> dict[str, Any]:
    """The language model and its meter; nothing is spent where there is none."""
    if parts.llm is None:
        return {"provider": "none"}
    meter: dict[str, Any] = getattr(parts.llm, "status", dict)()
    return {"provider": parts.settings.llm.provider, "name": parts.llm.name, **meter}


def _availability(trouble: EngineError | None) -> dict[str, Any]:
    if trouble is None:
        return {"available": True}
    return {"available": False, "why": trouble.message, "fix": trouble.hint}


def _counted(counts: Counts) -> dict[str, Any]:
    plain = asdict(counts)
    for name in ("oldest", "newest"):
        plain[name] = plain[name].isoformat() if plain[name] else None
    return plain


# --- checks --------------------------------------------------------------------------------------


def _python() -> Check:
    found, ok = ".".join(map(str, sys.version_info[:3])), sys.version_info >= (3, 11)
    return Check("python", ok, found, "" if ok else "install Python 3.11 or newer")


def _sqlite() -> Check:
    try:
        with closing(sqlite3.connect(":memory:")) as database:
            database.execute("CREATE VIRTUAL TABLE probe USING fts5 (terms, content='', columnsize=0)")
    except sqlite3.Error:
        return Check("sqlite", False, f"{sqlite3.sqlite_version} without FTS5", "use a Python whose SQLite has FTS5")
    return Check("sqlite", True, f"{sqlite3.sqlite_version} with FTS5")


def _home(home: Path) -> Check:
    if not home.exists():
        return Check("home", None, f"{home} is not there yet", "run `cortex init`")
    try:
        with tempfile.NamedTemporaryFile(dir=home, prefix=".probe-"):
            pass
        mode = home.stat().st_mode & 0o777
    except OSError as error:
        why = f"{home} cannot be written: {error.strerror or error}"
        return Check("home", False, why, "choose another --home, or mend its permissions")
    if mode & 0o077:
        return Check("home", None, f"{home} can be read by others (mode {mode:o})", f"run `chmod 700 {home}`")
    return Check("home", True, str(home))


def _space(home: Path) -> Check:
    place = next(folder for folder in (home, *home.absolute().parents) if folder.is_dir())
    free = shutil.disk_usage(place).free
    detail = f"{free / (1 << 30):.1f} GiB free"
    ok = free >= NO_SPACE and (True if free >= LOW_SPACE else None)
    return Check("disk", ok, detail, "" if ok else f"free some space under {place}")


def _settings(home: Path) -> Check:
    try:
        configuration.load(home)
    except EngineError as error:
        return Check("settings", False, error.message, error.hint)
    path = home / configuration.FILE_NAME
    return Check("settings", True, str(path) if path.exists() else "defaults")


def _database(parts: Parts, tenant: Tenant) -> Iterator[Check]:
    try:
        store = parts.store(tenant.agent)
        about = store.describe()
        with store.view(tenant) as view:
            total = view.counts(Filter(states=frozenset(State))).total
            space = parts.embedder.space
            lacking = view.counts(Filter(lacking=space)).total if space.dimension else 0
        findings = list(store.verify()) if total <= VERIFIED_AT_ONCE else None
    except EngineError as error:
        yield Check("database", False, error.message, error.hint)
        return
    detail = f"{about.get('path', about['backend'])}, schema {about.get('schema', '-')}, {total:,} traces"
    if findings:
        yield Check("database", False, f"{detail}; {findings[0].detail} (of {len(findings)} findings)", REPAIR)
    else:
        yield Check("database", True, detail + ("" if findings is not None else "; `cortex verify` checks them all"))
    if lacking:
        yield Check("vectors", None, f"{lacking:,} traces have no vector of the current model", BACKFILL)


def _embedder(parts: Parts) -> Check:
    space = parts.embedder.space
    name = f"{space.provider}/{space.model}"
    if not space.dimension and parts.settings.embedding.provider == "none":
        return Check("embedder", None, "turned off: recall goes by keywords alone", "set embedding.provider")
    if trouble := trouble_of(parts.embedder, thorough=True):
        return Check("embedder", False, f"recall goes by keywords alone: {trouble.message}", trouble.hint)
    started = parts.clock.monotonic()
    try:
        # A text that was never embedded, so that it is the model that answers and not the cache.
        parts.embedder.embed_query(f"doctor at {parts.clock.now().isoformat()}, {os.getpid()}")
    except EngineError as error:
        return Check("embedder", False, f"recall goes by keywords alone: {error.message}", error.hint or DOCTOR)
    took = (parts.clock.monotonic() - started) * 1000
    return Check("embedder", True, f"{name} works: {space.dimension} dimensions, first text in {took:.0f} ms")


def _files(status: Callable[[], Mapping[str, Any]]) -> Iterator[Check]:
    """How the files stand, for those who follow any."""
    try:
        files = status()
    except EngineError:  # without a database it is not known which are followed; that is told already
        return
    if not files.get("sources"):
        return
    troubles = list(_file_troubles(files))
    for trouble in troubles:
        yield Check("files", None, trouble.why, trouble.fix)
    if not troubles:
        folders = len(files["sources"])
        yield Check("files", True, f"{files['files']:,} files of {folders} folders in {files['chunks']:,} chunks")


def _reranker(parts: Parts) -> Check:
    if trouble := trouble_of(parts.reranker, thorough=True):
        return Check("reranker", None, f"deep.v1 ranks without it: {trouble.message}", trouble.hint)
    return Check("reranker", True, f"{parts.reranker.name} is here")

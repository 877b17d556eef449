"""Status and doctor: what is there, what is degraded, and how to fix it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any

from cortex._version import __version__
from cortex.context import Context
from cortex.dependencies import Dependencies
from cortex.domain.calibration import LEAST_TEXTS
from cortex.domain.erasure import Erasure
from cortex.domain.events import UNNOTED, EventKind
from cortex.domain.health import Check, Group
from cortex.domain.lanes import DEFAULT_LANES, State
from cortex.domain.modality import Modality, strategy
from cortex.domain.scope import Tenant
from cortex.domain.vectors import Basis, EmbeddingSpace
from cortex.errors import DiskFull, EngineError, ModelChanged
from cortex.lifecycle import backups, upkeep
from cortex.ports.documents import LLM_BUDGET, TOKENS
from cortex.ports.embedder import ManagedMediaEmbedder
from cortex.ports.llm import LlmTask
from cortex.ports.nearest import Accelerated, NearestState
from cortex.ports.provider import trouble_of
from cortex.ports.standby import StandbyReader
from cortex.ports.store import Counts, Filter, Job, JobState, View
from cortex.recall import recipes
from cortex.runtime.ladder import Rung
from cortex.services import reconciliation, rung_alerts
from cortex.services.alerts import AlertService
from cortex.services.health import environment_checks as machine
from cortex.services.health.health_checks import NETWORK_SECONDS, BackgroundProbe

BACKFILL = "run `cortex admin backfill`"
DOCTOR = "run `cortex doctor --fix`"
REPAIR = "run `cortex admin verify --repair`"

FINISH = "it finishes by itself; to finish it now, run `cortex erase --finish`"

WORKERS = "run `cortex admin jobs run`, or keep `cortex serve` or `cortex admin jobs run --forever` running"
OVERDUE = timedelta(minutes=15)
"""Jobs that are due for longer are not being run."""

STALE = timedelta(days=3)
"""A last backup older than this, or than three times the configured interval, is reported."""

CHECKED_AT_ONCE = 128 * 1024 * 1024
"""The doctor checks a last backup of up to this many bytes."""

VERIFIED_AT_ONCE = 20_000
"""Up to this many traces the doctor verifies the store; larger ones are left to `cortex admin verify`."""


_memory_check = partial(Check, group=Group.MEMORY)
_provider_check = partial(Check, group=Group.PROVIDERS)


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that is degraded, and how to fix it."""

    what: str
    why: str
    fix: str


def status(context: Context, view: View, files: Mapping[str, Any]) -> dict[str, Any]:
    """What is there and what is degraded, as JSON values. Loads no model."""
    dependencies, tenant = context.dependencies, context.tenant
    store, space = dependencies.store(tenant.agent), dependencies.embedder.space
    position = view.position
    counts = view.counts(Filter(states=frozenset(State)))
    lacking = view.counts(Filter(lacking=space, lanes=DEFAULT_LANES)).total if space.dimension else 0
    diary = upkeep.read(view)
    waiting, failed = view.jobs(JobState.WAITING), view.jobs(JobState.FAILED)
    sets, llm, damaged = store.vector_sets(tenant), _llm(dependencies), store.damaged(tenant)
    pending = store.erasures(tenant.user, pending=True)
    nearest = store.nearest_status() if isinstance(store, Accelerated) else None
    standby = store.standby_status() if isinstance(store, StandbyReader) else None
    embedder, reranker = trouble_of(dependencies.embedder), trouble_of(dependencies.reranker)
    return {
        "version": __version__,
        "home": str(dependencies.home),
        "agent": tenant.agent,
        "user": tenant.user,
        "store": {
            "url": str(dependencies.store_url(tenant.agent)),
            "abilities": list(store.abilities.present),
            **store.describe(),
        },
        "nearest": dict(nearest) if nearest else None,
        "standby": dict(standby) if standby else None,
        "position": position,
        "counts": _counted(counts),
        "vectors": {
            "space": space.key if space.dimension else None,
            "embedded": sets.get(space.key, 0),
            "lacking": lacking,
            "sets": dict(sets),
            "calibration": _calibration(space, view) if space.dimension else None,
        },
        "embedder": {
            "provider": space.provider,
            "model": space.model,
            "dimension": space.dimension,
            "configured": dependencies.settings.embedding.provider,
            # Which embedder `auto` chose, why, and why not those before it.
            "chosen": asdict(dependencies.embedder.chosen) if dependencies.embedder.chosen else None,
            "media": _media(dependencies),
            **_availability(embedder),
        },
        "reranker": {"name": dependencies.reranker.name, **_availability(reranker)},
        "recipe": dependencies.settings.recall.recipe,
        "ladder": dependencies.ladder.status(),
        "canary": _canary(dependencies),
        "llm": llm,
        # A language model has read the monitor already.
        "hardware": llm.get("hardware") or (asdict(dependencies.hardware.verdict()) if dependencies.hardware else None),
        "jobs": {
            "waiting": len(waiting),
            "failed": len(failed),
            "next": min(job.due for job in waiting).isoformat() if waiting else None,
        },
        "erasures": {"pending": [_unfinished(each) for each in pending]},
        "contradictions": _contradictions(view),
        "files": dict(files),
        "worker": dependencies.worker.status() if dependencies.worker else None,
        "alerts": _alerts(context),
        "anomalies": [*(anomaly.to_json() for anomaly in diary.anomalies), *_failing(dependencies)],
        "hook_failures": dependencies.failures.counted(),
        "receipts_lost": dependencies.write_behind.lost,
        "kept": _kept(dependencies),
        "damaged_rows": dict(damaged),
        "degraded": [
            asdict(trouble)
            for trouble in (
                *_behind(dependencies, view),
                *_erasing(pending),
                *_nearest_troubles(nearest),
                *_standby_troubles(standby),
                *_troubles(dependencies, embedder, reranker, lacking, failed, files, damaged),
                *_left_to_others(dependencies, waiting, dependencies.clock.now()),
                *_lower_rung(dependencies),
            )
        ],
    }


def checks(
    context: Context,
    files: Callable[[], Mapping[str, Any]],
    *,
    offline: bool = False,
    patience: float = NETWORK_SECONDS,
) -> list[Check]:
    """Check everything an installation needs: open the database, embed a text, reach the providers.

    Providers on the network have `patience` seconds to answer; with `offline` they are not called.
    """
    dependencies, tenant = context.dependencies, context.tenant
    is_remote = bool(dependencies.embedder.space.endpoint)
    found = [*machine.checks(dependencies.home), *dependencies.store_checks()]
    # How many seconds each may take; None for one on this machine.
    probes: dict[str, tuple[BackgroundProbe[Check], float | None]] = {
        "embedder": (BackgroundProbe(lambda: _embedder(dependencies, offline)), patience if is_remote else None),
        "reranker": (BackgroundProbe(lambda: _reranker(dependencies)), None),
        # It is not called, but importing a vendor's SDK may take a while.
        "llm": (BackgroundProbe(lambda: _language_model(dependencies)), dependencies.settings.llm.timeout_ms / 1000),
    }
    if embedders := list(dict.fromkeys(dependencies.media_embedders.values())):
        probes["media"] = (BackgroundProbe(lambda: _media_embedders(embedders, offline)), patience)
    found += [*_database(dependencies, tenant), *_files(files), *_backups(dependencies, tenant), _places(dependencies)]
    found.append(_recall_check(context))
    return [
        *found,
        *(probe.result(seconds, partial(_late, name, seconds)) for name, (probe, seconds) in probes.items()),
    ]


def _late(name: str, seconds: float | None) -> Check:
    fix = "check that it runs and is reachable; if it was loading its model, try again"
    return _provider_check(name, False, f"did not answer within {seconds or 0:g} s", fix)


def _behind(dependencies: Dependencies, view: View) -> Iterator[Trouble]:
    """Whether the clock is behind the last event of the ledger."""
    now, last = dependencies.clock.now(), view.at
    if last is not None and last > now + UNNOTED:
        why = f"the clock shows {now:%Y-%m-%d %H:%M} UTC, but the last change is of {last:%Y-%m-%d %H:%M} UTC"
        fix = "set the clock; until it catches up, new changes get the time of the last one"
        yield Trouble("clock", why, fix)


def _troubles(
    dependencies: Dependencies,
    embedder: EngineError | None,
    reranker: EngineError | None,
    lacking: int,
    failed: Sequence[Job],
    files: Mapping[str, Any],
    damaged: Mapping[str, int],
) -> Iterator[Trouble]:
    if damaged:
        text = ", ".join(f"{number:,} of {table}" for table, number in damaged.items())
        yield Trouble("damaged_rows", f"{sum(damaged.values()):,} damaged rows are left out: {text}", REPAIR)
    # Embedding that is turned off is a choice, which `embedder` tells.
    if embedder is not None and not _is_turned_off(dependencies):
        yield Trouble("vectors", f"recall uses keywords only: {embedder.message}", embedder.hint or DOCTOR)
    elif embedder is None and lacking:
        yield Trouble("vectors", f"{lacking:,} traces have no vector of the current model", BACKFILL)
    # A missing one is a choice: only `deep.v1` needs it, and reports it.
    if isinstance(reranker, ModelChanged):
        yield Trouble("reranker", f"deep.v1 runs without it: {reranker.message}", reranker.hint)
    if cache := dependencies.embedder.degraded:
        yield Trouble("embedding cache", cache, "remove the file; it is rebuilt")
    if failed:
        why = f"{len(failed)} background jobs failed, the last with {failed[-1].error}"
        yield Trouble("jobs", why, "run `cortex doctor`; the next turn of the session retries them")
    for why, fix in dependencies.worker.troubles() if dependencies.worker else ():
        yield Trouble("background work", why, fix)
    if model := _model_trouble(dependencies, trouble_of(dependencies.llm) if dependencies.llm is not None else None):
        yield model
    yield from _file_troubles(files)
    yield from _token_troubles(dependencies)
    for modality, media_embedder in dependencies.media_embedders.items():
        if error := trouble_of(media_embedder):
            why = f"only the text about {modality} files is searched: {error.message}"
            yield Trouble("media", why, error.hint or DOCTOR)
    if dependencies.write_behind.lost:
        error = dependencies.write_behind.why
        because = f": {error.message}" if error else ""
        why = f"{dependencies.write_behind.lost} receipts could not be written{because}"
        yield Trouble("receipts", why, error.hint if isinstance(error, DiskFull) else DOCTOR)
    try:
        recipes.named(dependencies.settings.recall.recipe)
    except EngineError as error:
        yield Trouble("recall.recipe", error.message, error.hint)


_RUNG_FIX = "see `cortex doctor`; recall goes up again by itself once it works"


def _lower_rung(dependencies: Dependencies) -> Iterator[Trouble]:
    """Whether turns get less than all of recall."""
    status = dependencies.ladder.status()
    if status["rung"] != Rung.FULL:
        yield Trouble("ladder", f"turns are recalled on the rung {status['rung']}: {status['why']}", _RUNG_FIX)


def _unfinished(pending: Erasure) -> dict[str, Any]:
    return {"id": pending.id, "at": pending.at.isoformat(), "traces": len(pending.ids), "why": _why(pending)}


def _why(pending: Erasure) -> str:
    return pending.reason or "interrupted, or still running"


def _erasing(pending: Sequence[Erasure]) -> Iterator[Trouble]:
    for each in pending:
        yield Trouble("erasing", f"erasure {each.id} is not finished: {_why(each)}", FINISH)


def _nearest_troubles(nearest: Mapping[str, Any] | None) -> Iterator[Trouble]:
    """Why the engine for the vectors of a large tenant is not used."""
    if nearest and nearest["why"]:
        why = f"searches use the built-in codes: {nearest['url']} is {nearest['state']}: {nearest['why']}"
        yield Trouble("nearest", why, nearest["fix"])


def _standby_troubles(standby: Mapping[str, Any] | None) -> Iterator[Trouble]:
    """Why a standby does not answer, or answers alone."""
    if standby and standby["why"]:
        yield Trouble("standby", f"the standby is {standby['state']}: {standby['why']}", standby["fix"])


def _failing(dependencies: Dependencies) -> Iterator[dict[str, Any]]:
    """Background work that fails repeatedly, here or in the worker process."""
    yield from (anomaly.to_json() for anomaly in upkeep.failing(dependencies.schedulers))
    if dependencies.worker is not None:
        yield from dependencies.worker.anomalies()


def _left_to_others(dependencies: Dependencies, waiting: Sequence[Job], now: datetime) -> Iterator[Trouble]:
    """Overdue jobs that this process cannot run."""
    overdue = [job.kind for job in waiting if job.due < now - OVERDUE]
    if not overdue:
        return
    from cortex.services.jobs import unable

    for kind, wanted in unable(dependencies):
        if number := overdue.count(kind):
            why = f"{number:,} {kind} jobs need {wanted}, which is not available here"
            yield Trouble("jobs", why, f"run `cortex admin jobs run` where {wanted} is available")


MOST_COUNTED = 1_000
RESOLVE = "run `cortex admin resolve` to list them, `cortex admin resolve ID` to keep one side"


def _contradictions(view: View) -> int:
    """The number of open contradictions, up to a limit."""
    return sum(1 for _ in islice(reconciliation.contradictions(view), MOST_COUNTED))


def _calibration(space: EmbeddingSpace, view: View) -> dict[str, Any]:
    """The scale of similarities: declared by the model, or measured on some texts."""
    scale = space.on(view.calibration(space)).calibration
    return {"floor": scale.floor, "basis": scale.basis.value, "texts": scale.texts or None}


def _media(dependencies: Dependencies) -> dict[str, str]:
    """What embeds each modality (E19)."""
    configured = dependencies.settings.embedding.media.providers
    return {each.value: strategy(each.value, configured).embedder for each in Modality}


def _file_troubles(files: Mapping[str, Any]) -> Iterator[Trouble]:
    if (fallback := files.get("fallback")) and fallback["active"]:
        why = f"{files['requested']} does not answer: {fallback['reason']}"
        yield Trouble("files", why, "the built-in index answers meanwhile; see docs/qmd.md")
    if files.get("reindexing"):
        yield Trouble("files", "the index is being rebuilt", "nothing to do: searches use the old one until it is done")
    elif earlier := files.get("vector", {}).get("earlier"):
        serves = "serves until then" if earlier["available"] else "is not available: only keywords work until then"
        why = f"the index must be rebuilt for another model; {earlier['model']} {serves}"
        yield Trouble("files", why, "run `cortex index`")
    if unreadable := files.get("unreadable"):
        files_are = "1 file" if len(unreadable) == 1 else f"{len(unreadable):,} files"
        why = f"{files_are} could not be read, such as {unreadable[0]['path']}: {unreadable[0]['why']}"
        yield Trouble("files", why, "see `cortex index --list`")


def _token_troubles(dependencies: Dependencies) -> Iterator[Trouble]:
    from cortex.access import Tokens

    try:
        trouble: EngineError | None = Tokens(dependencies.documents, dependencies.clock).missing()
    except EngineError as error:
        trouble = error
    if trouble is not None:
        yield Trouble("tokens", trouble.message, trouble.hint)


def _canary(dependencies: Dependencies) -> dict[str, Any] | None:
    """The canary under way, if there is one."""
    if (found := dependencies.arms.canary) is None:
        return None
    return {
        "id": found.id,
        "settings": dict(found.settings),
        "share": found.share,
        "ends_at": found.ends_at.isoformat(),
    }


def _alerts(context: Context) -> list[dict[str, Any]]:
    """The open alerts; a list that cannot be read is no reason to show nothing else."""
    try:
        return [each.to_json() for each in AlertService(context).list()]
    except EngineError:
        return []


def _kept(dependencies: Dependencies) -> dict[str, Any]:
    """Where everything is that is not in the store of an agent."""
    documents = dependencies.documents
    return {
        "tokens": documents.where(TOKENS),
        "llm_budget": documents.where(LLM_BUDGET),
        "shared": documents.is_shared,
        "local": ["embedding_cache", "models"],
    }


def _llm(dependencies: Dependencies) -> dict[str, Any]:
    """The language model and its meter."""
    if dependencies.llm is None:
        return {"provider": "none"}
    return {"provider": dependencies.settings.llm.provider, **dependencies.llm.status()}


def _model_trouble(dependencies: Dependencies, found: EngineError | None) -> Trouble | None:
    """What is wrong with the language model, as far as can be seen without calling it."""
    if dependencies.llm is None:
        return None
    if found is not None:
        return Trouble("llm", f"{_WAITS}: {found.message}", found.hint)
    status = _llm(dependencies)
    if error := status.get("meter_error"):
        return Trouble("llm", f"{_WAITS}: {error}", "see docs/extending/llm.md")
    if failing := status.get("failing"):
        times = "once" if failing["failures"] == 1 else f"{failing['failures']:,} times in a row"
        why = f"{status['name']} failed {times} since {_minute(failing['since'])} ({failing['reason']})"
        return Trouble("llm", f"{_WAITS}: {why}: {failing['message']}", failing["fix"] or _TRY_MODEL)
    for work, (least, what, fix) in _USELESS.items():
        useless = (status.get("useless") or {}).get(work)
        if useless and useless["answers"] >= least:
            since = _minute(useless["since"])
            return Trouble("llm", what.format(name=status["name"], number=useless["answers"], since=since), fix)
    return None


_WAITS = "language model tasks are waiting"
_TRY_MODEL = "call the model by hand to see its answer, or set llm.provider to none"
_NO_JSON = "use a model that answers in JSON"
_USELESS = {
    LlmTask.MEMORIES: (
        1, "{name} gave no usable answer since {since} ({number} in a row): memories are extracted by rules only",
        _NO_JSON,
    ),
    LlmTask.SUMMARIES: (3, "{name} gave {number} unusable section summaries in a row since {since}", _NO_JSON),
    LlmTask.NARRATIVES: (
        3, "{name} wrote {number} unsupported narratives in a row since {since}: digests are shown instead",
        "use a larger model, or keep the digests",
    ),
}  # fmt: skip
"""By task: after how many useless answers in a row it is reported, with what text and what fix."""


def _minute(at: str) -> str:
    return f"{datetime.fromisoformat(at):%Y-%m-%d %H:%M} UTC"


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


def _database(dependencies: Dependencies, tenant: Tenant) -> Iterator[Check]:
    now = dependencies.clock.now()
    try:
        store = dependencies.store(tenant.agent)
        about = store.describe()
        with store.view(tenant) as view:
            total = view.counts(Filter(states=frozenset(State))).total
            space = dependencies.embedder.space
            lacking = view.counts(Filter(lacking=space, lanes=DEFAULT_LANES)).total if space.dimension else 0
            space = space.on(view.calibration(space))
            waiting, failed = view.jobs(JobState.WAITING), view.jobs(JobState.FAILED)
            last_change, steps = view.at, view.latest_events(1, kinds={EventKind.CLOCK_SET_BACK})
            contradictions = _contradictions(view)
        pending = store.erasures(pending=True)
        findings = [each for each in store.verify() if not each.repaired] if total <= VERIFIED_AT_ONCE else None
        damaged = store.damaged(tenant)
        nearest = store.nearest_status() if isinstance(store, Accelerated) else None
    except EngineError as error:
        yield machine.clock(now, None)
        yield _memory_check("database", False, error.message, error.hint)
        return
    yield machine.clock(now, last_change, steps[0].at if steps else None)
    place = about.get("path", dependencies.store_url(tenant.agent))
    detail = f"{place}, schema {about.get('schema', '-')}, {total:,} traces"
    if findings:
        why = f"{detail}; {findings[0].detail} (of {len(findings)} findings)"
        yield _memory_check("database", False, why, REPAIR)
    else:
        detail += "" if findings is not None else "; run `cortex admin verify` to check them all"
        yield _memory_check("database", True, detail)
    if damaged:
        why = f"{sum(damaged.values()):,} damaged rows are left out of every result"
        yield _memory_check("damaged rows", False, why, REPAIR)
    if lacking:
        yield _memory_check("vectors", None, f"{lacking:,} traces have no vector of the current model", BACKFILL)
    if contradictions:
        pairs = (
            "1 pair of memories contradicts"
            if contradictions == 1
            else f"{contradictions:,} pairs of memories contradict"
        )
        why = f"{pairs} each other"
        yield _memory_check("contradictions", None, why, RESOLVE)
    if space.dimension:
        yield _scale(space, total - lacking)
    for trouble in _erasing(pending):
        yield _memory_check(trouble.what, None, trouble.why, trouble.fix)
    yield from _nearest_check(nearest)
    yield _background(dependencies, waiting, failed, now)


def _recall_check(context: Context) -> Check:
    """The rung of this process, and that of any other that shares the store, by its alert."""
    for trouble in _lower_rung(context.dependencies):
        return _memory_check("recall rung", None, trouble.why, trouble.fix)
    for alert in _alerts(context):
        if alert["cause"] == rung_alerts.CAUSE:
            return _memory_check("recall rung", None, alert["message"], alert["hint"])
    return _memory_check("recall rung", True, "turns get all of recall")


def _nearest_check(nearest: Mapping[str, Any] | None) -> Iterator[Check]:
    if nearest is None:
        return
    for trouble in _nearest_troubles(nearest):
        yield _memory_check(trouble.what, None, trouble.why, trouble.fix)
        return
    if nearest["state"] == NearestState.IDLE:
        number, least = nearest["vectors"], nearest["from_vectors"]
        message = f"{nearest['url']} is used from {least:,} vectors on; there are {number:,}"
    else:
        modes = ", ".join(sorted({f"{each['engine']}, {each['mode']}" for each in nearest["spaces"].values()}))
        message = f"{nearest['url']} ({modes}) has {nearest['vectors']:,} vectors, {nearest['behind']:,} not fed yet"
    yield _memory_check("nearest", True, message)


def _scale(space: EmbeddingSpace, embedded: int) -> Check:
    """The scale of similarities, and where it comes from."""
    scale = space.calibration
    if scale.basis is Basis.DECLARED:
        message = f"cosines above {scale.floor:.2f} count (declared by {space.model})"
    elif scale.basis is Basis.MEASURED:
        message = f"cosines above {scale.floor:.2f} count (measured on {scale.texts:,} texts)"
    elif scale.basis is Basis.ESTIMATED:
        message = f"cosines above {scale.floor:.2f} count (estimated; measured from {LEAST_TEXTS} texts on)"
    elif embedded < LEAST_TEXTS:
        message = f"cosines count as they are (measured from {LEAST_TEXTS} texts on)"
    else:
        why = f"cosines count as they are: the scale of {space.model} was never measured"
        return _memory_check("similarities", None, why, BACKFILL)
    return _memory_check("similarities", True, message)


def _background(dependencies: Dependencies, waiting: Sequence[Job], failed: Sequence[Job], now: datetime) -> Check:
    """Whether background jobs are being run."""
    if left := next(_left_to_others(dependencies, waiting, now), None):
        return _memory_check("background work", None, left.why, left.fix)
    overdue = [job for job in waiting if job.due < now - OVERDUE]
    if overdue:
        since = min(job.due for job in overdue)
        why = f"no process runs it: {len(overdue):,} jobs wait, the first since {since:%Y-%m-%d %H:%M} UTC"
        return _memory_check("background work", None, why, WORKERS)
    if failed:
        why = f"{len(failed):,} jobs failed, the last with {failed[-1].error}"
        return _memory_check("background work", None, why, "the next turn of the session retries them")
    jobs = "1 job" if len(waiting) == 1 else f"{len(waiting):,} jobs"
    message = f"{jobs} scheduled" if waiting else "no jobs waiting"
    return _memory_check("background work", True, message)


def _backups(dependencies: Dependencies, tenant: Tenant) -> Iterator[Check]:
    """How old the last backup is, if backups are on."""
    every, abilities = dependencies.settings.lifecycle.backup_every_hours, dependencies.store_abilities(tenant.agent)
    if not abilities.backup or not every:
        return
    now, last = dependencies.clock.now(), backups.last_at(dependencies.home / backups.FOLDER, tenant.agent)
    allowed = max(STALE, timedelta(hours=3 * every))
    if last is None:
        if _begun(dependencies, tenant, now - allowed):
            yield _memory_check("backups", None, "there is no backup", f"run `cortex backup create`; {_LATER}")
    elif now - last > allowed:
        why = f"the last backup is {(now - last).days:,} days old"
        yield _memory_check("backups", None, why, f"run `cortex backup create`; {_LATER}")
    elif trouble := _damaged_backup(dependencies, tenant):
        yield _memory_check("backups", False, trouble.message, "run `cortex backup create`, and delete that one")
    else:
        yield _memory_check("backups", True, f"last backup at {last:%Y-%m-%d %H:%M} UTC")


def _damaged_backup(dependencies: Dependencies, tenant: Tenant) -> EngineError | None:
    """What is wrong with the last backup, if it is small enough to check now."""
    listed = backups.listed(dependencies.home / backups.FOLDER, tenant.agent)
    found = [each for each in listed if each.mark != backups.REPLACED]
    abilities = dependencies.store_abilities(tenant.agent)
    if not abilities.restore or not found or found[0].bytes > CHECKED_AT_ONCE:
        return None
    try:
        dependencies.check_backup(tenant.agent, found[0].path)
    except EngineError as error:
        return error
    return None


_LATER = "`cortex serve` and `cortex admin jobs run --forever` create them automatically"


def _places(dependencies: Dependencies) -> Check:
    """Where tokens and the budget of the language model are, and who shares them."""
    kept = _kept(dependencies)
    if not kept["shared"]:
        why = f"{kept['tokens']}, {kept['llm_budget']}, used by this host only"
        return _memory_check("tokens and budget", True, why)
    try:
        dependencies.documents.version(TOKENS)
    except EngineError as error:
        return _memory_check("tokens and budget", False, error.message, error.hint)
    why = f"{kept['tokens']}, {kept['llm_budget']}: shared by all hosts"
    return _memory_check("tokens and budget", True, why)


def _begun(dependencies: Dependencies, tenant: Tenant, before: datetime) -> bool:
    """Whether something was stored before then."""
    try:
        with dependencies.store(tenant.agent).view(tenant) as view:
            first = view.events(limit=1)
    except EngineError:  # reported by the check of the database
        return False
    return bool(first) and first[0].at < before


def _embedder(dependencies: Dependencies, offline: bool) -> Check:
    space = dependencies.embedder.space
    if _is_turned_off(dependencies):
        why = "embedding is turned off: recall uses keywords only"
        return _provider_check("embedder", None, why, "set embedding.provider to use one")
    # A local model also compares its files with their pins; a server is called only once, below.
    if trouble := trouble_of(dependencies.embedder, thorough=not space.endpoint):
        return _keywords_alone(trouble)
    choice = dependencies.embedder.chosen
    name = f"{space.provider}/{space.model}" + (f", chosen by auto because {choice.because}," if choice else "")
    if offline and space.endpoint:
        return _provider_check("embedder", True, f"{name} is configured; not called while offline")
    started = dependencies.clock.monotonic()
    try:
        # A new text, so that the model answers and not the cache.
        dependencies.embedder.embed_query(f"doctor at {dependencies.clock.now().isoformat()}, {os.getpid()}")
    except EngineError as error:
        return _keywords_alone(error)
    took = (dependencies.clock.monotonic() - started) * 1000
    message = f"{name} works: {space.dimension} dimensions, first text in {took:.0f} ms"
    return _provider_check("embedder", True, message)


def _is_turned_off(dependencies: Dependencies) -> bool:
    """Whether embedding is turned off on purpose, not because no embedder can be used."""
    return not dependencies.embedder.space.dimension and dependencies.settings.embedding.provider == "none"


def _keywords_alone(trouble: EngineError) -> Check:
    return _provider_check("embedder", False, f"recall uses keywords only: {trouble.message}", trouble.hint or DOCTOR)


def _media_embedders(embedders: Sequence[ManagedMediaEmbedder], offline: bool) -> Check:
    for each in embedders:
        if trouble := trouble_of(each, thorough=not offline):
            why = f"only the text about media is searched: {trouble.message}"
            return _provider_check("media", False, why, trouble.hint or DOCTOR)
    names = ", ".join(f"{each.space.provider}/{each.space.model}" for each in embedders)
    return _provider_check("media", True, f"{names} {'configured; not called while offline' if offline else 'works'}")


def _reranker(dependencies: Dependencies) -> Check:
    if trouble := trouble_of(dependencies.reranker, thorough=True):
        return _provider_check("reranker", None, f"deep.v1 runs without it: {trouble.message}", trouble.hint)
    return _provider_check("reranker", True, f"{dependencies.reranker.name} is installed")


def _language_model(dependencies: Dependencies) -> Check:
    """Whether the language model is configured. It is not called: answers cost."""
    if dependencies.llm is None:
        return _provider_check("llm", True, "none: memories are extracted by rules, at no cost")
    if trouble := _model_trouble(dependencies, trouble_of(dependencies.llm, thorough=True)):
        return _provider_check("llm", False, trouble.why, trouble.fix)
    return _provider_check("llm", True, f"{dependencies.llm.name} is configured")


def _files(status: Callable[[], Mapping[str, Any]]) -> Iterator[Check]:
    """The state of the file index, if any folder is indexed."""
    try:
        files = status()
    except EngineError:  # reported by the check of the database
        return
    if not files.get("sources"):
        return
    troubles = list(_file_troubles(files))
    for trouble in troubles:
        yield _memory_check("files", None, trouble.why, trouble.fix)
    if not troubles:
        message = f"{files['files']:,} files in {len(files['sources'])} folders, {files['chunks']:,} chunks"
        yield _memory_check("files", True, message)

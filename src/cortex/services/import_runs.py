"""The imports of a memory: which there were, and taking one back as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from cortex.capture.intake import IMPORTS
from cortex.context import Context
from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import Memory
from cortex.domain.receipt import Receipt
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn
from cortex.errors import NotFound
from cortex.ports.store import (
    Change,
    Filter,
    PatchSession,
    Put,
    Remove,
    View,
    retry_on_conflict,
    scan_all,
    with_expectations,
)
from cortex.services.files.files import files_of
from cortex.services.holds import HoldService
from cortex.services.reconciliation import puts, unreplaced

RUNS = "#imports"
"""The session in whose state the imports are listed."""
LATEST = "latest"
_PAGE = 2_000
_BATCH = 200

Replaced = Mapping[TraceId, list[TraceId]]
"""The memories that one has replaced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRun:
    """One import. It is begun again under the same name until it has ended."""

    id: str
    format: str
    source: str
    account: str = ""
    began: str = ""
    after: int = 0
    """Where the ledger stood before it."""
    ended: str | None = None
    undone: str | None = None
    turns: int = 0
    memories: int = 0
    folders: tuple[str, ...] = ()
    """The folders that it added to the index."""

    def ref_of(self, ref: str) -> str:
        """How a memory says that it came with this import."""
        return f"import:{self.id}/{ref}"[:1_024]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ImportUndo:
    """What was taken back of an import, what was kept because it was changed since, and the receipt."""

    run: ImportRun
    turns: int
    memories: int
    kept: int
    receipt: Receipt


class ImportRuns:
    """The imports of one tenant."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def all(self) -> list[ImportRun]:
        """Every import, oldest first."""
        with self._context.store_view() as view:
            state: Mapping[str, Any] = view.state(RUNS) or {}
        runs = [ImportRun(id=id, **given | {"folders": tuple(given["folders"])}) for id, given in state.items()]
        return sorted(runs, key=lambda run: (run.began, run.id))

    def begin(self, format: str, source: str, account: str) -> ImportRun:
        """A new import, or the one of this source that was stopped."""
        source = storable(source)
        for run in self.all():
            if (run.format, run.source, run.account) == (format, source, account) and not (run.ended or run.undone):
                return run
        now = self._context.clock.now()
        run = ImportRun(
            id=f"{format}-{self._context.ids(now)[-12:]}", format=format, source=source, account=account,
            began=now.isoformat(), after=self._context.position(),
        )  # fmt: skip
        self._write(run)
        return run

    def note_folder(self, run: ImportRun, folder: Path) -> ImportRun:
        """Note that an import is about to add a folder to the index."""
        noted = replace(run, folders=tuple(dict.fromkeys((*run.folders, str(folder)))))
        self._write(noted)
        return noted

    def end(self, run: ImportRun, *, turns: int, memories: int) -> str:
        """Note that an import has ended; one that found nothing new is not kept. Returns its name."""
        if not (turns or memories or run.folders or self._has_stored(run)):
            self._context.apply([PatchSession(RUNS, {run.id: None})])
            return ""
        ended = self._context.clock.now().isoformat()
        self._write(replace(run, ended=ended, turns=run.turns + turns, memories=run.memories + memories))
        return run.id

    def _write(self, run: ImportRun) -> None:
        payload = run.to_json()
        self._context.apply([PatchSession(RUNS, {payload.pop("id"): payload})])

    def _has_stored(self, run: ImportRun) -> bool:
        """Whether an import that was stopped had stored something."""
        return any(True for _ in self._sessions(run)) or any(True for _ in self._memories(run))

    # --- undo ------------------------------------------------------------------------------------

    def undo(self, name: str) -> ImportUndo:
        """Take back what an import stored and what was extracted from it. It can be stopped and done again."""
        run = self._found(name)
        replaced = self._replaced()
        turns = memories = kept = 0
        self._refuse_held(run)
        with self._context.recording("undo_import") as record:
            for session in list(self._sessions(run)):
                removed = retry_on_conflict(partial(self._undo_session, session, run, replaced))
                turns, memories, kept = turns + removed.turns, memories + removed.memories, kept + removed.kept
            ids = list(self._memories(run))
            for start in range(0, len(ids), _BATCH):
                removed = retry_on_conflict(partial(self._undo_memories, ids[start : start + _BATCH], replaced))
                memories, kept = memories + removed.memories, kept + removed.kept
            self._undo_folders(run)
            run = replace(run, undone=self._context.clock.now().isoformat())
            self._write(run)
            record.close(self._context.position(), run=run.id, turns=turns, memories=memories, kept=kept)
        return ImportUndo(run, turns, memories, kept, record.receipt)

    def _refuse_held(self, run: ImportRun) -> None:
        """Refuse to take back what is on hold, before anything is taken back."""
        holds = HoldService(self._context)
        if not holds.current():
            return
        with self._context.store_view() as view:
            for session in self._sessions(run):
                turns = _turns(view, session)
                holds.refuse(view, [*turns, *view.derived([turn.id for turn in turns])])
            ids = list(self._memories(run))
            for start in range(0, len(ids), _BATCH):
                holds.refuse(view, view.load(ids[start : start + _BATCH]))

    def _found(self, name: str) -> ImportRun:
        runs = [run for run in self.all() if not run.undone]
        for run in reversed(runs):
            if name in (run.id, LATEST):
                return run
        if not runs:
            raise NotFound("there is no import to undo", hint="see `cortex import --list`")
        listed = ", ".join(run.id for run in runs[-5:])
        raise NotFound(f"no import {name!r} to undo", hint=f"see `cortex import --list`; there are: {listed}")

    def _sessions(self, run: ImportRun) -> Iterator[str]:
        """The sessions that an import stored turns in."""
        seen: set[str] = set()
        with self._context.store_view() as view:
            for trace in _stored_since(view, run.after):
                if isinstance(trace, Turn) and trace.session not in seen:
                    seen.add(trace.session)
                    if run.id in ((view.state(trace.session) or {}).get(IMPORTS) or {}):
                        yield trace.session

    def _memories(self, run: ImportRun) -> Iterator[TraceId]:
        """The memories that came with an import as such."""
        with self._context.store_view() as view:
            for trace in _stored_since(view, run.after):
                if isinstance(trace, Memory) and trace.source_ref.startswith(run.ref_of("")):
                    yield trace.id

    def _replaced(self) -> Replaced:
        """What each memory has replaced, by a later value or as its duplicate."""
        which = Filter(lanes=frozenset({Lane.MEMORIES}), states=frozenset({State.SUPERSEDED}))
        found: dict[TraceId, list[TraceId]] = {}
        with self._context.store_view() as view:
            for memory in scan_all(view, which):
                if isinstance(memory, Memory) and memory.superseded_by is not None:
                    found.setdefault(memory.superseded_by, []).append(memory.id)
        return found

    def _undo_session(self, session: str, run: ImportRun, replaced: Replaced) -> _Removal:
        with self._context.store_view() as view:
            state = view.state(session) or {}
            imports: dict[str, Any] = dict(state.get(IMPORTS) or {})
            ranges = imports.pop(run.id, [])
            all_turns = _turns(view, session)
            turns = [turn for turn in all_turns if any(first <= turn.seq <= last for first, last in ranges)]
            gone = frozenset(turn.id for turn in turns)
            removal = _removal(view, view.derived(sorted(gone)), replaced, gone)
            last = max((turn.seq for turn in all_turns if turn.id not in gone), default=-1)
            removal.changes.extend([*map(Remove, sorted(gone)), _as_before(session, state, last, imports)])
            changes = with_expectations(removal.changes, view, also=(*gone, *removal.removed))
        self._context.apply(changes)
        return replace(removal, turns=len(turns))

    def _undo_memories(self, ids: Sequence[TraceId], replaced: Replaced) -> _Removal:
        with self._context.store_view() as view:
            removal = _removal(view, [each for each in view.load(ids) if isinstance(each, Memory)], replaced)
            changes = with_expectations(removal.changes, view, also=removal.removed)
        if changes:
            self._context.apply(changes)
        return removal

    def _undo_folders(self, run: ImportRun) -> None:
        files = files_of(self._context)
        added = {str(source.root) for source in files.sources()} & set(run.folders)
        for folder in added:
            files.remove(folder)
        if added:
            files.sync_all()


def storable(text: str) -> str:
    """`text` without NUL bytes and halves of characters, which no store can keep."""
    return text.replace("\x00", "").encode("utf-8", "ignore").decode()


def _stored_since(view: View, after: int) -> Iterator[Turn | Memory]:
    """What was said or imported since a position, and is still there."""
    while page := view.events(after, _PAGE):
        ids = [TraceId(each.subject) for each in page if each.kind in (EventKind.SAID, EventKind.IMPORTED)]
        yield from (trace for trace in view.load(ids) if isinstance(trace, Turn | Memory))
        after = page[-1].position


def _turns(view: View, session: str) -> list[Turn]:
    found: list[Turn] = []
    while page := view.turns(session, found[-1].seq if found else -1):
        found += page
    return found


def _as_before(session: str, state: Mapping[str, Any], last: int, imports: Mapping[str, Any]) -> PatchSession:
    """The state of a session whose last turn is at `last` now: a history that comes again is looked at anew."""
    marks = {mark: min(state[mark], last) for mark in ("extracted", "enriched") if mark in state}
    return PatchSession(session, {"history": None, "followed": None, IMPORTS: imports or None, **marks})


@dataclass(frozen=True, slots=True)
class _Removal:
    """Changes that take memories out, and what they come to."""

    changes: list[Change]
    removed: tuple[TraceId, ...]
    kept: int
    turns: int = 0

    @property
    def memories(self) -> int:
        return len(self.removed)


def _removal(
    view: View, memories: Iterable[Memory], replaced: Replaced, gone: frozenset[TraceId] = frozenset()
) -> _Removal:
    """Take out memories that came with the turns `gone`, or by themselves where none are given.

    A memory that somebody changed since, or that others say too, stays without these sources.
    """
    removed: list[Memory] = []
    changes: list[Change] = []
    kept = 0
    for memory in memories:
        first = view.history(memory.id)[0].trace
        is_ours = isinstance(first, Memory) and (not gone or set(first.source_turns) & gone)
        left = tuple(turn for turn in memory.source_turns if turn not in gone)
        # What was merged into it comes back with the turns that it was extracted from.
        returning = {turn for each in view.load(replaced.get(memory.id, [])) for turn in _sources_of(each)}
        if is_ours and first.text == memory.text and returning.issuperset(left):
            removed.append(memory)
            continue
        kept += bool(is_ours and first.text != memory.text)
        if left != memory.source_turns:
            fewer = max(0, memory.reinforced - (len(memory.source_turns) - len(left)))
            changes.append(Put(memory.revised(source_turns=left, reinforced=fewer), EventKind.WITHDRAWN))
    ids = frozenset(memory.id for memory in removed)
    for memory in removed:
        changes += [put for put in _without(memory, replaced, view) if put.trace.id not in ids | gone]
    return _Removal(_last_of_each(changes) + [Remove(id) for id in sorted(ids)], tuple(sorted(ids)), kept)


def _sources_of(trace: Trace) -> tuple[TraceId, ...]:
    return trace.source_turns if isinstance(trace, Memory) else ()


def _without(memory: Memory, replaced: Replaced, view: View) -> Iterator[Put]:
    """What the other memories are once this one is gone: what it replaced holds again, and nothing contradicts it."""
    for other in view.load(replaced.get(memory.id, [])):
        if isinstance(other, Memory) and other.superseded_by == memory.id:
            yield from puts(unreplaced(other, view))
    for other in view.load(memory.contradicts):
        if isinstance(other, Memory) and memory.id in other.contradicts:
            left = tuple(id for id in other.contradicts if id != memory.id)
            yield Put(other.revised(contradicts=left), EventKind.RESTORED)


def _last_of_each(changes: Sequence[Change]) -> list[Change]:
    """One change for each memory: the last."""
    return list({change.trace.id: change for change in changes if isinstance(change, Put)}.values())

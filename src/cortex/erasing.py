"""Erasing for good: what was said, all that was derived from it, and the proof that it is gone.

`forget` hides and keeps history; what is erased is in no row, no index, no cache and no log any more. The ledger keeps
that something was there and is not, and its chain still verifies.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cortex.capture.history import Line
from cortex.domain import erasure
from cortex.domain.chunk import Chunk
from cortex.domain.identity import TraceId, checked_id
from cortex.domain.memory import Memory
from cortex.domain.passages import passages_of
from cortex.domain.receipt import Receipt
from cortex.domain.trace import Trace, parse_time
from cortex.domain.turn import Turn
from cortex.errors import InvalidRequest, NotFound, StoreError
from cortex.ports.store import Change, Erase, SetState, Version, View

if TYPE_CHECKING:
    from cortex.engine import Engine

SCHEMA = "cortex.erase.certificate.v1"

MOST_IDS = 1_000
SALT_BYTES = 16


@dataclass(frozen=True, slots=True)
class Remain:
    """Somewhere the text still stands after it was erased, and what to do about it."""

    where: str
    what: str
    fix: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What was erased and where it was looked for afterwards. It holds ids and numbers, never text."""

    at: datetime
    agent: str
    user: str
    erased: tuple[TraceId, ...]
    derived: tuple[TraceId, ...]
    """Of those, the memories that went because a turn they were drawn from did."""
    sources_left: tuple[TraceId, ...]
    """Turns that a memory was drawn from, which were not asked to be erased with it."""
    position: int
    texts: int
    too_short: int
    """How many of the texts were too short to be looked for: they would be found in anything."""
    compacted: bool
    chain: bool
    """Whether the ledger and everything derived still verify."""
    remains: tuple[Remain, ...]

    @property
    def clean(self) -> bool:
        """Whether nothing is left of it in this memory."""
        return self.compacted and self.chain and not self.remains

    def to_json(self) -> dict[str, Any]:
        told = asdict(self) | {"at": self.at.isoformat()}
        return {"schema": SCHEMA, "clean": self.clean} | told

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Certificate:
        """The certificate that `to_json` told."""
        known = {name: told[name] for name in cls.__dataclass_fields__}
        ids = {name: tuple(map(TraceId, known[name])) for name in ("erased", "derived", "sources_left")}
        remains = tuple(Remain(**each) for each in told["remains"])
        return cls(**known | ids | {"at": parse_time(told["at"]), "remains": remains})


@dataclass(frozen=True, slots=True)
class Erased:
    """The certificate, and the receipt."""

    certificate: Certificate
    receipt: Receipt


class Erasing:
    """Takes things out of one tenant's memory for good."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._parts = engine._parts

    def erase(self, ids: Sequence[str], *, sources: bool = False, backups: bool = False) -> Erased:
        """Erase these memories and turns, with what was drawn from them.

        With `sources` the turns a memory was drawn from go too, and with `backups` the backups that hold any of it.
        """
        engine = self._engine
        engine.settle()  # a receipt that is still to be written would name them again
        with engine._noting("erase") as note:
            with engine._view() as view:
                plan = _planned(view, _checked(ids), sources=sources)
                marked = [_marked(session, lines, view) for session, lines in plan.said.items()]
            now = self._parts.clock.now()
            change = Erase(plan.ids, plan.texts)
            position = engine._store.apply(engine.tenant, [*marked, change], at=now)
            certificate = self._certified(plan, position, now, backups=backups)
            note.close(
                position, erased=len(plan.ids), derived=len(plan.derived), remains=len(certificate.remains),
                clean=certificate.clean,
            )  # fmt: skip
        return Erased(certificate, note.receipt)

    def _certified(self, plan: _Plan, position: int, now: datetime, *, backups: bool) -> Certificate:
        engine = self._engine
        is_compact = engine._store.compact()
        remains = [*self._cached(plan), *self._rows(plan, backups=backups)]
        return Certificate(
            at=now,
            agent=engine.tenant.agent,
            user=engine.tenant.user,
            erased=plan.ids,
            derived=plan.derived,
            sources_left=plan.sources_left,
            position=position,
            texts=len(plan.texts),
            too_short=sum(not erasure.sought(text) for text in plan.texts),
            compacted=is_compact,
            chain=not list(engine._store.verify()),
            remains=tuple(remains),
        )

    def _cached(self, plan: _Plan) -> Iterable[Remain]:
        """The cache of vectors knows texts by their hash alone, so it is told what was embedded."""
        forget = getattr(self._parts.embedder, "forget", None)
        tokens = self._parts.settings.embedding.passage_tokens
        embedded = [text for trace, before in plan.embedded for text in passages_of(trace, tokens, before)]
        if forget is not None and not forget([*plan.texts, *embedded]):
            yield Remain("embedding cache", "its vectors could not be removed now", "erase again, or delete the file")

    def _rows(self, plan: _Plan, *, backups: bool) -> Iterable[Remain]:
        engine = self._engine
        kept = [backup.path for backup in engine.backups()]
        told: dict[str, Remain] = {}
        for text in plan.texts:
            found = engine._store.remains(engine.tenant, text, kept)
            for id in found.traces:
                told[id] = Remain(id, "says the same", f"run `cortex erase {id}`")
            for table in found.tables:
                told[table] = Remain(table, "says the same", "erase again")
            for path in found.files:
                told[path.name] = self._bytes(path, is_backup=path in kept)
            for citation in self._cited(text):
                told[citation] = Remain(citation, "a file says the same", "edit the file: what is known of it follows")
        if backups:
            for path in kept:
                if path.name in told:
                    path.unlink()
                    del told[path.name]
        yield from (told[where] for where in sorted(told))

    def _bytes(self, path: Path, *, is_backup: bool) -> Remain:
        if is_backup:
            return Remain(path.name, "a backup holds it", "erase again with --backups, which removes the backup")
        return Remain(path.name, "its bytes are still there", "erase again once no other process reads")

    def _cited(self, text: str) -> Iterable[str]:
        """Where a followed file says it: the files are the truth there, and not ours to change."""
        with self._engine._view() as view:
            index = self._engine._index
            if index is not None and not isinstance(index, StoreError):
                chunks = view.load(index.remains(self._engine.tenant, text).traces)
                yield from (chunk.citation for chunk in chunks if isinstance(chunk, Chunk))


@dataclass(frozen=True, slots=True)
class _Plan:
    ids: tuple[TraceId, ...]
    derived: tuple[TraceId, ...]
    sources_left: tuple[TraceId, ...]
    texts: tuple[str, ...]
    """All they ever said, in any version."""
    embedded: tuple[tuple[Trace, Trace | None], ...]
    """Each version, and what was said before it."""
    said: dict[str, list[Line]]
    """The lines that go, by their sessions."""


def _checked(ids: Sequence[str]) -> list[TraceId]:
    if not ids:
        raise InvalidRequest("nothing is named", field="ids", hint="give the ids of memories or turns")
    if len(ids) > MOST_IDS:
        raise InvalidRequest(f"names over {MOST_IDS:,}", field="ids", hint="erase fewer at once")
    return [checked_id(id) for id in ids]


def _planned(view: View, ids: Sequence[TraceId], *, sources: bool) -> _Plan:
    found = {trace.id: trace for trace in view.load(ids)}
    for id in ids:
        if id not in found:
            raise NotFound(f"no memory or turn {id}", hint="see `cortex list`")
        if isinstance(found[id], Chunk):
            raise InvalidRequest("names lines of a file", field="ids", hint="edit the file: its lines follow it")
    named = _sources(found.values())
    if sources:
        found |= {turn.id: turn for turn in view.load(named)}
    drawn = {memory.id: memory for memory in view.derived([id for id, each in found.items() if isinstance(each, Turn)])}
    derived = tuple(sorted(drawn.keys() - found.keys()))
    found |= drawn
    versions = [version for id in found for version in view.history(id)]
    turns = [trace for trace in found.values() if isinstance(trace, Turn)]
    said: dict[str, list[Line]] = {}
    for turn in turns:
        said.setdefault(turn.session, []).append(Line(turn.role, turn.text))
    return _Plan(
        ids=tuple(sorted(found)),
        derived=derived,
        sources_left=tuple(id for id in named if id not in found),
        texts=tuple(dict.fromkeys(version.trace.text for version in versions)),
        embedded=tuple(_embedded(versions, turns, view)),
        said=said,
    )


def _sources(traces: Iterable[Trace]) -> list[TraceId]:
    return sorted({turn for trace in traces if isinstance(trace, Memory) for turn in trace.source_turns})


def _embedded(versions: Sequence[Version], turns: Sequence[Turn], view: View) -> Iterable[tuple[Trace, Trace | None]]:
    for version in versions:
        trace = version.trace
        yield trace, view.turn_at(trace.session, trace.seq - 1) if isinstance(trace, Turn) else None
        yield trace, None
    for turn in turns:
        # The answer that followed was embedded with the question before it.
        if after := view.turn_at(turn.session, turn.seq + 1):
            yield after, turn


def _marked(session: str, lines: Sequence[Line], view: View) -> Change:
    """What keeps these lines of a session from coming back when a host tells its history again."""
    state = view.state(session) or {}
    known = state.get("erased") or {"salt": os.urandom(SALT_BYTES).hex(), "marks": []}
    marks = {*known["marks"], *(erasure.mark(line.digest, known["salt"]) for line in lines)}
    return SetState(session, {"erased": {**known, "marks": sorted(marks)}, "history": None})

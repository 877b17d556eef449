"""What the tools answer: plain values that fit a schema, and the same as text for a model to read.

Whatever was remembered may have been written by anybody. The text frames it as the engine does; the plain values carry
the notice beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from cortex.domain.chunk import Chunk, cited
from cortex.domain.hits import Hit, Recollection
from cortex.domain.memory import Memory
from cortex.domain.trace import Trace, name_of
from cortex.domain.turn import Turn
from cortex.exchange import Imported
from cortex.ports.store import Counts
from cortex.services.edit import Forgotten, Remembered
from cortex.surfaces.mcp.framing import NOTICE, framed, line, quoted, warned

_NOTHING = "Nothing that is remembered bears on this."


class Answer(BaseModel):
    """The answer of one tool."""

    model_config = ConfigDict(populate_by_name=True)

    def told(self) -> str:
        """As text for a model."""
        raise NotImplementedError


class Noticed(Answer):
    """An answer that holds remembered text."""

    notice: str = Field(default=NOTICE, description="How to take the text in this answer.")


class Record(BaseModel):
    """A memory, a turn of a conversation, or lines of a file."""

    id: str
    type: Literal["memory", "turn", "chunk"]
    text: str
    kind: str
    scope: str
    trust: str = Field(description="trusted, untrusted or quarantined.")
    state: str = Field(description="active, superseded, forgotten or expired.")
    created_at: str
    topic: str | None = None
    tags: list[str] | None = None
    importance: float | None = None
    superseded_by: str | None = None
    session: str | None = None
    speaker: str | None = None
    citation: str | None = Field(default=None, description="Where the lines stand: hand it to `get`.")

    @classmethod
    def of(cls, trace: Trace, text: str = "") -> Record:
        return cls.model_validate(fields_of(trace, text))

    def line(self) -> str:
        about = [self.id, self.created_at[:10], self.citation or self.speaker or self.kind]
        about += [word for word in (self.trust, self.state) if word not in {"trusted", "active"}]
        return line(about, self.text)


class Found(Record):
    """A record that answers a query."""

    score: float = Field(description="0 to 1, higher is better.")
    found_by: list[str] = Field(description="What found it: keyword, vector, standing.")

    @classmethod
    def by(cls, hit: Hit) -> Found:
        told = fields_of(hit.trace, hit.excerpt)
        return cls.model_validate(told | {"score": round(hit.score, 6), "found_by": list(hit.legs)})


def fields_of(trace: Trace, text: str = "") -> dict[str, Any]:
    """What is told of a trace; `text` in place of its own where it was cut."""
    told: dict[str, Any] = {
        "id": trace.id,
        "type": name_of(trace),
        "text": text or trace.text,
        "kind": trace.kind.value,
        "scope": trace.scope,
        "trust": trace.trust.value,
        "state": trace.state.value,
        "created_at": trace.created_at.isoformat(),
    }
    if isinstance(trace, Memory):
        told |= {"topic": trace.topic or None, "tags": list(trace.tags) or None, "importance": trace.importance}
        told |= {"superseded_by": trace.superseded_by}
    elif isinstance(trace, Turn):
        told |= {"session": trace.session, "speaker": trace.speaker or trace.role.value}
        told |= {"superseded_by": trace.outdated_by}
    elif isinstance(trace, Chunk):
        told |= {"citation": trace.citation}
    return told


def listed(records: Iterable[Record]) -> str:
    """Records for a model to read."""
    return framed(record.line() for record in records)


class Stored(Answer):
    """What was remembered."""

    id: str
    trust: str
    verdict: str = Field(description="new, reinforces, duplicate, supersedes or contradicts.")
    superseded: str | None = Field(default=None, description="The memory it replaced.")
    contradicts: list[str] = Field(default_factory=list, description="Memories that say otherwise: ask which is true.")
    degraded: list[str] = Field(default_factory=list, description="What could not be done as it should.")
    receipt: str

    @classmethod
    def of(cls, kept: Remembered) -> Stored:
        return cls(
            id=kept.memory.id,
            trust=kept.memory.trust.value,
            verdict=kept.verdict,
            superseded=kept.memory.supersedes if kept.verdict not in ("reinforces", "duplicate") else None,
            contradicts=list(kept.memory.contradicts) if kept.verdict == "contradicts" else [],
            degraded=list(kept.receipt.degraded),
            receipt=kept.receipt.id,
        )

    def told(self) -> str:
        beside = f", as {self.trust}" if self.trust != "trusted" else ""
        if self.verdict in ("reinforces", "duplicate"):
            return f"It is remembered already, as {self.id}{beside}."
        replaced = f"; it replaces {self.superseded}" if self.superseded else ""
        disputed = f"; it contradicts {', '.join(self.contradicts)}: ask which is true" if self.contradicts else ""
        return f"Remembered as {self.id}{beside}{replaced}{disputed}."


class Recalled(Noticed):
    """What is remembered that answers a query, best first."""

    block: str = Field(description="The same, packed for a prompt.")
    tokens: int
    hits: list[Found]
    skipped: str | None = Field(default=None, description="Why nothing was looked for.")
    mode: str | None = Field(default=None, description="What was really compared: hybrid, fts-only or vector-only.")
    degraded: list[str] = Field(default_factory=list, description="What could not be done as it should.")
    receipt: str

    @classmethod
    def of(cls, found: Recollection) -> Recalled:
        return cls(
            block=warned(found.block),
            tokens=found.tokens,
            hits=[Found.by(hit) for hit in found.hits],
            skipped=found.receipt.facts.get("skipped"),
            mode=found.mode,
            degraded=list(found.receipt.degraded),
            receipt=found.receipt.id,
        )

    def told(self) -> str:
        if not self.block:
            return _NOTHING if not self.hits else listed(self.hits)
        return f"{self.block}\nIds, in this order: {', '.join(hit.id for hit in self.hits)}"


class Lines(BaseModel):
    """Lines of a file that answer a query."""

    model_config = ConfigDict(populate_by_name=True)

    path: str
    start_line: int = Field(alias="startLine")
    end_line: int = Field(alias="endLine")
    score: float
    snippet: str
    source: str = Field(description="memory, docs or sessions.")
    citation: str | None = None


class FoundLines(Noticed):
    """Lines of the agent's files that answer a query, best first."""

    results: list[Lines]
    provider: str | None = None
    model: str | None = None
    fallback: Any = None
    citations: str | None = None
    mode: str = Field(description="What was really compared: hybrid (words and meaning), fts-only or vector-only.")
    backend: str
    stale: str | None = Field(default=None, description="Why the answer may be behind the files.")

    def told(self) -> str:
        if not self.results:
            return "No lines of the files that are memory answer this."
        found = (
            line([cited(each.path, each.start_line, each.end_line), f"score {each.score:.2f}"], each.snippet)
            for each in self.results
        )
        return framed(found)


class Got(Noticed):
    """Exactly those lines of a file, or a memory as a whole."""

    text: str
    path: str | None = None
    start: int | None = Field(default=None, alias="from", description="The first line, counted from 1.")
    lines: int | None = Field(default=None, description="How many lines there are here.")
    total: int | None = Field(default=None, description="How many lines the file has.")
    note: str | None = None
    memory: Record | None = None

    def told(self) -> str:
        if self.memory is not None:
            return listed([self.memory])
        if self.note:
            return f"{self.path}: {self.note}"
        about = f"{self.path}, {self.lines} of {self.total} lines, from line {self.start} on:"
        return f"{about}\n{quoted(self.text)}"


class Gone(Noticed):
    """What was forgotten; where the words meant several, nothing was, and these are the candidates."""

    forgotten: list[str] = Field(description="The ids of what was forgotten.")
    candidates: list[Record] = Field(description="What the words may have meant; forget one by its id.")
    receipt: str

    @classmethod
    def of(cls, done: Forgotten) -> Gone:
        return cls(
            forgotten=list(done.ids),
            candidates=[Record.of(trace) for trace in done.candidates],
            receipt=done.receipt.id,
        )

    def told(self) -> str:
        if self.candidates:
            return f"Nothing was forgotten: it may mean any of these. Forget one by its id.\n{listed(self.candidates)}"
        return f"Forgotten: {', '.join(self.forgotten)}." if self.forgotten else "It was forgotten already."


class Listing(Noticed):
    """Memories, turns and lines of files, oldest first."""

    records: list[Record]
    next: str | None = Field(default=None, description="There may be more: ask again with this as `after`.")

    @classmethod
    def of(cls, found: Iterable[Trace], limit: int) -> Listing:
        records = [Record.of(trace) for trace in found]
        return cls(records=records, next=records[-1].id if len(records) == limit else None)

    def told(self) -> str:
        if not self.records:
            return "Nothing is remembered that fits."
        more = f"\nThere may be more: ask again with after={self.next}." if self.next else ""
        return listed(self.records) + more


class Counted(Answer):
    """How many memories, turns and lines of files there are, and of what sort."""

    total: int
    by_lane: dict[str, int]
    by_scope: dict[str, int]
    by_kind: dict[str, int]
    by_label: dict[str, int]
    by_trust: dict[str, int]
    by_state: dict[str, int]
    oldest: str | None = None
    newest: str | None = None
    text_bytes: int

    @classmethod
    def of(cls, found: Counts) -> Counted:
        return cls(
            total=found.total,
            by_lane=dict(found.by_lane),
            by_scope=dict(found.by_scope),
            by_kind=dict(found.by_kind),
            by_label=dict(found.by_label),
            by_trust=dict(found.by_trust),
            by_state=dict(found.by_state),
            oldest=found.oldest.isoformat() if found.oldest else None,
            newest=found.newest.isoformat() if found.newest else None,
            text_bytes=found.text_bytes,
        )

    def told(self) -> str:
        sorts = {"lane": self.by_lane, "kind": self.by_kind, "trust": self.by_trust, "state": self.by_state}
        lines = [f"{self.total} in all, {self.text_bytes} bytes of text."]
        lines += [
            f"by {sort}: " + ", ".join(f"{name} {number}" for name, number in sorted(counts.items()))
            for sort, counts in sorts.items()
            if counts
        ]
        return "\n".join(lines)


class Exported(Noticed):
    """Memories and turns in order of id, as memory_import takes them."""

    records: list[dict[str, Any]]
    redacted: bool = Field(description="Whether what they say was left out.")
    next: str | None = Field(default=None, description="There is more: ask again with this as `after`.")

    def told(self) -> str:
        about = f"{len(self.records)} records{', without their text' if self.redacted else ''}."
        more = f" There is more: ask again with after={self.next}." if self.next else ""
        return about + more + ("\n" + quoted("\n".join(map(_json, self.records))) if self.records else "")


class BadRecord(BaseModel):
    """A record that was left out, and why."""

    record: int = Field(description="Which one, counted from 1.")
    field: str
    reason: str


class TakenIn(Answer):
    """What an import stored, and what it left out."""

    records: int
    memories: int
    turns: int
    duplicates: int
    bad: list[BadRecord]
    dry_run: bool
    receipt: str

    @classmethod
    def of(cls, done: Imported) -> TakenIn:
        facts = done.receipt.facts
        return cls(
            records=facts["lines"],
            memories=facts["memories"],
            turns=facts["turns"],
            duplicates=sum(facts["duplicates"].values()),
            bad=[BadRecord(record=each.number, field=each.field, reason=each.reason) for each in done.plan.bad[:100]],
            dry_run=facts["dry_run"],
            receipt=done.receipt.id,
        )

    def told(self) -> str:
        would = "Would import" if self.dry_run else "Imported"
        stored = f"{would} {self.memories} memories and {self.turns} turns of {self.records} records"
        return f"{stored}; {self.duplicates} were there already, {len(self.bad)} were left out as bad."


def _json(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False)

"""Responses as text for a model. Remembered text may come from anybody, so it is framed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from cortex.domain.chunk import Chunk
from cortex.domain.hits import Hit
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn
from cortex.surfaces.mcp.untrusted_text import framed, line, quoted, writable
from cortex.surfaces.wire.files import MemoryGetResponse, MemorySearchResponse
from cortex.surfaces.wire.ledger import StatsResponse
from cortex.surfaces.wire.memories import ForgetResponse, ListResponse, RememberResponse, ShowResponse
from cortex.surfaces.wire.model import Json, Response
from cortex.surfaces.wire.recall import RecallResponse
from cortex.surfaces.wire.upkeep import ExportResponse, ImportResponse

__all__ = ["holds_text", "render", "writable"]

_WITHOUT_TEXT = (RememberResponse, StatsResponse, ImportResponse)


def holds_text(response: Response) -> bool:
    """Whether the response contains remembered text."""
    return not isinstance(response, _WITHOUT_TEXT)


def render(response: Response, *, cite: bool = True) -> str:
    """The text for the model; with `cite`, lines of files say where they stand (B11)."""
    return _TEXTS[type(response)](response, cite)


def _trace(trace: Trace, cite: bool, text: str = "") -> str:
    """One trace on one line, its id first."""
    about = [trace.id, trace.created_at.date().isoformat(), _what(trace, cite)]
    about += [word for word in (trace.trust.value, trace.state.value) if word not in {"trusted", "active"}]
    return line(about, text or trace.text)


def _what(trace: Trace, cite: bool) -> str:
    if isinstance(trace, Chunk):
        return trace.citation if cite else trace.lane.value
    return (trace.speaker or trace.role.value) if isinstance(trace, Turn) else trace.kind.value


def _traces(traces: Iterable[Trace], cite: bool) -> str:
    return framed(_trace(trace, cite) for trace in traces)


def _hits(hits: Iterable[Hit], cite: bool) -> str:
    return framed(_trace(hit.trace, cite, hit.excerpt) for hit in hits)


def _remembered(response: RememberResponse, _cite: bool) -> str:
    memory = response.memory
    beside = f", as {memory.trust.value}" if memory.trust.value != "trusted" else ""
    if response.verdict in ("reinforces", "duplicate"):
        return f"Already remembered as {memory.id}{beside}."
    replaced = f"; it replaces {memory.supersedes}" if memory.supersedes else ""
    contradicts = memory.contradicts if response.verdict == "contradicts" else ()
    disputed = f"; it contradicts {', '.join(contradicts)}: ask which is true" if contradicts else ""
    return f"Remembered as {memory.id}{beside}{replaced}{disputed}."


def _recalled(response: RecallResponse, cite: bool) -> str:
    return _hits(response.hits, cite) if response.hits else "No memory matches this question."


def _found_lines(response: MemorySearchResponse, _cite: bool) -> str:
    if not response.results:
        return "No line in the indexed files matches."
    found = (line([_place(each), f"score {each['score']:.2f}"], each["snippet"]) for each in response.results)
    return framed(found)


def _place(found: Json) -> str:
    """The citation; where none is shown, what it takes to read the lines."""
    return found.get("citation") or f"{found['path']} from line {found['startLine']} to {found['endLine']}"


def _lines(response: MemoryGetResponse, _cite: bool) -> str:
    if response.status == "not_found":
        return f"There is no file {response.path}."
    if response.note:
        return f"{response.path}: {response.note}"
    about = f"{response.path}, {response.lines} of {response.total} lines, from line {response.start} on:"
    return f"{about}\n{quoted(response.text)}"


def _forgotten(response: ForgetResponse, cite: bool) -> str:
    response.found()
    if response.candidates:
        which = "Nothing was forgotten: several memories match. Forget one by its id."
        return f"{which}\n{_traces(response.candidates, cite)}"
    return f"Forgotten: {', '.join(response.ids)}." if response.ids else "Already forgotten."


def _list(response: ListResponse, cite: bool) -> str:
    if not response.memories:
        return "No memories match."
    more = f"\nThere may be more: continue with after={response.next}." if response.next else ""
    return _traces(response.memories, cite) + more


def _counted(response: StatsResponse, _cite: bool) -> str:
    kinds = {"lane": response.by_lane, "kind": response.by_kind, "trust": response.by_trust, "state": response.by_state}
    lines = [f"{response.total} in total, {response.text_bytes} bytes of text."]
    lines += [
        f"by {kind}: " + ", ".join(f"{name} {number}" for name, number in sorted(counts.items()))
        for kind, counts in kinds.items()
        if counts
    ]
    return "\n".join(lines)


def _exported(response: ExportResponse, _cite: bool) -> str:
    about = f"{len(response.records)} records{', without their text' if response.redacted else ''}."
    more = f" There is more: continue with after={response.next}." if response.next else ""
    records = "\n".join(json.dumps(each, ensure_ascii=False) for each in response.records)
    return about + more + (f"\n{quoted(records)}" if response.records else "")


def _imported(response: ImportResponse, _cite: bool) -> str:
    facts = response.receipt
    would = "Would import" if facts["dry_run"] else "Imported"
    stored = f"{would} {facts['memories']} memories and {facts['turns']} turns of {facts['lines']} records"
    known = sum(facts["duplicates"].values())
    return f"{stored}; {known} duplicates and {facts['bad']} invalid records were skipped."


_TEXTS: dict[type[Response], Callable[[Any, bool], str]] = {
    RememberResponse: _remembered,
    RecallResponse: _recalled,
    ShowResponse: lambda response, cite: _traces([response.trace], cite),
    MemorySearchResponse: _found_lines,
    MemoryGetResponse: _lines,
    ForgetResponse: _forgotten,
    ListResponse: _list,
    StatsResponse: _counted,
    ExportResponse: _exported,
    ImportResponse: _imported,
}

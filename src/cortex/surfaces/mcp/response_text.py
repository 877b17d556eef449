"""Responses as text for a model. Remembered text may come from anybody, so it is framed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from cortex.domain.chunk import Chunk, cited
from cortex.domain.hits import Hit
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn
from cortex.surfaces.mcp.untrusted_text import framed, line, quoted, writable
from cortex.surfaces.wire.files import MemoryGetResponse, MemorySearchResponse
from cortex.surfaces.wire.ledger import StatsResponse
from cortex.surfaces.wire.memories import ForgetResponse, ListResponse, RememberResponse, ShowResponse
from cortex.surfaces.wire.model import Response
from cortex.surfaces.wire.recall import RecallResponse
from cortex.surfaces.wire.upkeep import ExportResponse, ImportResponse

__all__ = ["holds_text", "render", "writable"]

_WITHOUT_TEXT = (RememberResponse, StatsResponse, ImportResponse)


def holds_text(response: Response) -> bool:
    """Whether the response contains remembered text."""
    return not isinstance(response, _WITHOUT_TEXT)


def render(response: Response) -> str:
    """The text for the model."""
    return _TEXTS[type(response)](response)


def _trace(trace: Trace, text: str = "") -> str:
    """One trace on one line, its id first."""
    about = [trace.id, trace.created_at.date().isoformat(), _what(trace)]
    about += [word for word in (trace.trust.value, trace.state.value) if word not in {"trusted", "active"}]
    return line(about, text or trace.text)


def _what(trace: Trace) -> str:
    if isinstance(trace, Chunk):
        return trace.citation
    return (trace.speaker or trace.role.value) if isinstance(trace, Turn) else trace.kind.value


def _traces(traces: Iterable[Trace]) -> str:
    return framed(map(_trace, traces))


def _hit(hit: Hit) -> str:
    return _trace(hit.trace, hit.excerpt)


def _remembered(response: RememberResponse) -> str:
    memory = response.memory
    beside = f", as {memory.trust.value}" if memory.trust.value != "trusted" else ""
    if response.verdict in ("reinforces", "duplicate"):
        return f"Already remembered as {memory.id}{beside}."
    replaced = f"; it replaces {memory.supersedes}" if memory.supersedes else ""
    contradicts = memory.contradicts if response.verdict == "contradicts" else ()
    disputed = f"; it contradicts {', '.join(contradicts)}: ask which is true" if contradicts else ""
    return f"Remembered as {memory.id}{beside}{replaced}{disputed}."


def _recalled(response: RecallResponse) -> str:
    return framed(map(_hit, response.hits)) if response.hits else "No memory matches this question."


def _found_lines(response: MemorySearchResponse) -> str:
    if not response.results:
        return "No line in the indexed files matches."
    found = (
        line([cited(each["path"], each["startLine"], each["endLine"]), f"score {each['score']:.2f}"], each["snippet"])
        for each in response.results
    )
    return framed(found)


def _lines(response: MemoryGetResponse) -> str:
    if response.note:
        return f"{response.path}: {response.note}"
    about = f"{response.path}, {response.lines} of {response.total} lines, from line {response.start} on:"
    return f"{about}\n{quoted(response.text)}"


def _forgotten(response: ForgetResponse) -> str:
    response.found()
    if response.candidates:
        which = "Nothing was forgotten: several memories match. Forget one by its id."
        return f"{which}\n{_traces(response.candidates)}"
    return f"Forgotten: {', '.join(response.ids)}." if response.ids else "Already forgotten."


def _list(response: ListResponse) -> str:
    if not response.memories:
        return "No memories match."
    more = f"\nThere may be more: continue with after={response.next}." if response.next else ""
    return _traces(response.memories) + more


def _counted(response: StatsResponse) -> str:
    kinds = {"lane": response.by_lane, "kind": response.by_kind, "trust": response.by_trust, "state": response.by_state}
    lines = [f"{response.total} in total, {response.text_bytes} bytes of text."]
    lines += [
        f"by {kind}: " + ", ".join(f"{name} {number}" for name, number in sorted(counts.items()))
        for kind, counts in kinds.items()
        if counts
    ]
    return "\n".join(lines)


def _exported(response: ExportResponse) -> str:
    about = f"{len(response.records)} records{', without their text' if response.redacted else ''}."
    more = f" There is more: continue with after={response.next}." if response.next else ""
    records = "\n".join(json.dumps(each, ensure_ascii=False) for each in response.records)
    return about + more + (f"\n{quoted(records)}" if response.records else "")


def _imported(response: ImportResponse) -> str:
    facts = response.receipt
    would = "Would import" if facts["dry_run"] else "Imported"
    stored = f"{would} {facts['memories']} memories and {facts['turns']} turns of {facts['lines']} records"
    known = sum(facts["duplicates"].values())
    return f"{stored}; {known} duplicates and {facts['bad']} invalid records were skipped."


_TEXTS: dict[type[Response], Callable[[Any], str]] = {
    RememberResponse: _remembered,
    RecallResponse: _recalled,
    ShowResponse: lambda response: _traces([response.trace]),
    MemorySearchResponse: _found_lines,
    MemoryGetResponse: _lines,
    ForgetResponse: _forgotten,
    ListResponse: _list,
    StatsResponse: _counted,
    ExportResponse: _exported,
    ImportResponse: _imported,
}

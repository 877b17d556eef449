"""Results of `capture` and `recall --synthesize`, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.text import Text

from cortex.domain.memory import Memory
from cortex.domain.text import visible
from cortex.domain.trust import TrustTier
from cortex.surfaces.cli import rendering
from cortex.surfaces.cli.output import one_line

if TYPE_CHECKING:
    from cortex.domain.trace import Trace
    from cortex.services.recall import SynthesisResult

_WIDE = 100


@dataclass(frozen=True, slots=True)
class ExtractedMemory:
    """A memory that a conversation created or reinforced, with those it replaced or contradicts."""

    memory: Memory
    was_known: bool
    """Whether it existed before the conversation."""
    replaced: Memory | None = None
    contradicts: tuple[Memory, ...] = ()

    @property
    def became(self) -> str:
        """Its relation to what was known: `new`, `supersedes`, `contradicts` or `reinforces`."""
        if self.was_known:
            return "reinforces"
        return "supersedes" if self.replaced else "contradicts" if self.contradicts else "new"


def extracted(found: Sequence[ExtractedMemory]) -> RenderableType:
    """A row for each memory, and below it what it replaced or contradicts."""
    wide = rendering.table(
        "kind", "memory", "confidence", "relation", "id", right=["confidence"], whole=["kind", "relation", "id"]
    )
    narrow = rendering.table(
        "kind", "memory", "confidence", "relation", right=["confidence"], whole=["kind", "relation"]
    )
    for each in found:
        kind, confidence = Text(each.memory.kind.value, "magenta"), f"{each.memory.confidence:.2f}"
        about, became = _about(each), _became(each)
        wide.add_row(kind, about, confidence, became, Text(each.memory.id, "dim"))
        narrow.add_row(kind, about, confidence, became)
    return rendering.Fitting(_WIDE, wide, narrow)


def _about(each: ExtractedMemory) -> RenderableType:
    lines = [Text(one_line(each.memory.text))]
    if each.memory.trust is not TrustTier.TRUSTED:
        lines[0].append(f" · {each.memory.trust.value}", "yellow")
    if each.replaced is not None:
        lines.append(Text(f"replaces: {one_line(each.replaced.text)}", "dim"))
    lines += [Text(f"contradicts: {one_line(other.text)}", "yellow") for other in each.contradicts]
    return Group(*lines)


def _became(each: ExtractedMemory) -> Text:
    styles = {"new": "green", "supersedes": "cyan", "reinforces": "blue", "contradicts": "yellow"}
    times = f" ×{each.memory.reinforced + 1}" if each.memory.reinforced else ""
    return Text(each.became + times, styles[each.became])


def summary(facts: Mapping[str, Any]) -> str:
    """One line: what was stored, seen before, skipped and why, and which secrets were redacted."""
    if reason := facts.get("reason"):
        return f"nothing was stored: the session is {reason}"
    lines = [f"{_turns(facts['stored'])} stored", f"{facts['seen']:,} seen before"]
    lines += [f"{facts[name]:,} {name}" for name in ("revised", "withdrawn") if facts[name]]
    lines.append(_by_reason(facts["skipped"], "skipped"))
    lines.append(_by_reason(facts["redacted"], "secret redacted", "secrets redacted"))
    if facts["stripped"]:
        lines.append(f"{facts['stripped']:,} injected lines removed")
    return ", ".join(part for part in lines if part)


_OF_THE_MODEL = "enrich"
_WORK = {"extract": "memories were not extracted", "embed": "turns have no vectors yet"}


def unread(failed: Sequence[str], postponed: Sequence[str]) -> list[tuple[str, str]]:
    """The jobs of a conversation that are not done yet, each with a fix."""
    items = []
    if _OF_THE_MODEL in failed:
        items.append(("the language model's answers were unreadable; Cortex retries later", "see `cortex status`"))
    elif _OF_THE_MODEL in postponed:
        items.append(("the language model has not read it yet; Cortex retries later", "see `cortex status`"))
    items += [(_WORK.get(kind, f"{kind} failed"), "run `cortex doctor`") for kind in failed if kind != _OF_THE_MODEL]
    return items


def due(at: datetime, now: datetime) -> str:
    """When memories will be extracted, and by what."""
    seconds = max(0, round((at - now).total_seconds()))
    when = f" from {at.astimezone():%H:%M:%S} on, in {seconds} s" if seconds else ""
    forever = "a server, or `cortex admin jobs run --forever`, does it automatically"
    return f"`cortex admin jobs run` extracts the memories{when}; {forever}"


def synthesized(found: SynthesisResult) -> Iterator[RenderableType]:
    """The text, then the source of each number in it."""
    synthesis = found.synthesis
    if not synthesis:
        yield Text("No memory matches this topic.", style="dim")
        return
    yield Text(visible(synthesis.text))
    yield Text()
    by_id = {hit.trace.id: hit.trace for hit in found.recall.hits}
    for number, id in enumerate(synthesis.ids, start=1):
        yield rendering.beside(Text(f"[{number}] ", "bold").append_text(_source(by_id[id])), id)
    message = f"{synthesis.method.value}, from {synthesis.sources} of {len(found.recall.hits)} found"
    if synthesis.trust is not TrustTier.TRUSTED:
        yield rendering.notice(f"its sources are {synthesis.trust.value}")
    if synthesis.because:
        yield rendering.notice(*_why_a_digest(synthesis.because))
    yield rendering.beside(Text(message, "dim"), f"receipt {found.receipt.id}")


_NO_NARRATIVE = {
    "not_grounded": "the model's answer said more than the memories do",
    "cites_nothing": "the model's answer cited no memory",
    "echoes_instructions": "the model repeated its instructions",
    "instructive": "the model's answer gave instructions",
}


def _why_a_digest(because: str) -> tuple[str, str]:
    """Why the memories are quoted although there is a model, and the fix."""
    if because in _NO_NARRATIVE:
        return f"{_NO_NARRATIVE[because]}, so the memories are quoted instead", ""
    return "the language model gave no answer, so the memories are quoted instead", "run `cortex doctor`"


def _source(trace: Trace) -> Text:
    return Text(f"{trace.created_at:%Y-%m-%d} ", "magenta").append(one_line(trace.text)[:80], "default")


def _by_reason(found: Mapping[str, int], one: str, several: str = "") -> str:
    number = sum(found.values())
    if not number:
        return ""
    reasons = ", ".join(f"{one_line(name)} {each:,}" for name, each in sorted(found.items()))
    return f"{number:,} {one if number == 1 else several or one} ({reasons})"


def _turns(number: int) -> str:
    return f"{number:,} turn{'' if number == 1 else 's'}"

"""What a conversation left behind, and what is told of a topic, for people."""

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
class Drawn:
    """A memory that a conversation left or strengthened, and what it replaced or disagrees with."""

    memory: Memory
    was_known: bool
    """Whether it was there before the conversation, which only said it again."""
    replaced: Memory | None = None
    contradicts: tuple[Memory, ...] = ()

    @property
    def became(self) -> str:
        """The verdict on it: `new`, `supersedes`, `contradicts` or `reinforces`."""
        if self.was_known:
            return "reinforces"
        return "supersedes" if self.replaced else "contradicts" if self.contradicts else "new"


def drawn(found: Sequence[Drawn]) -> RenderableType:
    """A row for each memory, and below it what it replaced or disagrees with."""
    wide = rendering.table("kind", "memory", "sure", "became", "id", right=["sure"], whole=["kind", "became", "id"])
    narrow = rendering.table("kind", "memory", "sure", "became", right=["sure"], whole=["kind", "became"])
    for each in found:
        kind, sure = Text(each.memory.kind.value, "magenta"), f"{each.memory.confidence:.2f}"
        about, became = _about(each), _became(each)
        wide.add_row(kind, about, sure, became, Text(each.memory.id, "dim"))
        narrow.add_row(kind, about, sure, became)
    return rendering.Fitting(_WIDE, wide, narrow)


def _about(each: Drawn) -> RenderableType:
    lines = [Text(one_line(each.memory.text))]
    if each.memory.trust is not TrustTier.TRUSTED:
        lines[0].append(f" · {each.memory.trust.value}", "yellow")
    if each.replaced is not None:
        lines.append(Text(f"instead of: {one_line(each.replaced.text)}", "dim"))
    lines += [Text(f"but also: {one_line(other.text)}", "yellow") for other in each.contradicts]
    return Group(*lines)


def _became(each: Drawn) -> Text:
    styles = {"new": "green", "supersedes": "cyan", "reinforces": "blue", "contradicts": "yellow"}
    times = f" ×{each.memory.reinforced + 1}" if each.memory.reinforced else ""
    return Text(each.became + times, styles[each.became])


def counts(facts: Mapping[str, Any]) -> str:
    """One line: what was stored, seen before, skipped and why, and which secrets were taken out."""
    told = [f"{_turns(facts['stored'])} stored", f"{facts['seen']:,} seen before"]
    told += [f"{facts[name]:,} {name}" for name in ("revised", "withdrawn") if facts[name]]
    told.append(_by_reason(facts["skipped"], "skipped"))
    told.append(_by_reason(facts["redacted"], "secret redacted", "secrets redacted"))
    if facts["stripped"]:
        told.append(f"{facts['stripped']:,} of our own lines left out")
    return ", ".join(part for part in told if part)


_OF_THE_MODEL = "enrich"
_WORK = {"extract": "memories were not extracted", "embed": "turns have no vectors yet"}


def unread(failed: Sequence[str], postponed: Sequence[str]) -> list[tuple[str, str]]:
    """What of a conversation is still to be done, each with what to do about it."""
    told = []
    if _OF_THE_MODEL in failed:
        told.append(("the language model's answers could not be read; it is asked again later", "see `cortex status`"))
    elif _OF_THE_MODEL in postponed:
        told.append(("the language model has not read it yet; it is asked again by itself", "see `cortex status`"))
    told += [(_WORK.get(kind, f"{kind} failed"), "run `cortex doctor`") for kind in failed if kind != _OF_THE_MODEL]
    return told


def left_alone(facts: Mapping[str, Any]) -> str:
    """Why a whole conversation was left alone; empty where it was not."""
    reason = facts.get("reason")
    return f"nothing was stored: the session is {reason}" if reason else ""


def due(at: datetime, now: datetime) -> str:
    """When memories will be drawn, and by what."""
    seconds = max(0, round((at - now).total_seconds()))
    when = f" from {at.astimezone():%H:%M:%S} on, in {seconds} s" if seconds else ""
    return f"`cortex work` extracts the memories{when}; `cortex work --forever` or a server does so by itself"


def synthesised(found: SynthesisResult) -> Iterator[RenderableType]:
    """The text, then what each of its numbers stands for."""
    made = found.synthesis
    if not made:
        yield Text("Nothing relevant is remembered.", style="dim")
        return
    yield Text(visible(made.text))
    yield Text()
    by_id = {hit.trace.id: hit.trace for hit in found.recall.hits}
    for number, id in enumerate(made.ids, start=1):
        yield rendering.beside(Text(f"[{number}] ", "bold").append_text(_source(by_id[id])), id)
    told = f"{made.method.value}, from {made.sources} of {len(found.recall.hits)} found"
    if made.trust is not TrustTier.TRUSTED:
        yield rendering.notice(f"it rests on {made.trust.value} memories")
    if made.because:
        yield rendering.notice(*_why_a_digest(made.because))
    yield rendering.beside(Text(told, "dim"), f"receipt {found.receipt.id}")


_NO_NARRATIVE = {
    "not_grounded": "the model's answer said more than the memories do",
    "cites_nothing": "the model's answer cited no memory",
    "echoes_instructions": "the model repeated its instructions",
    "instructive": "the model's answer gave instructions",
}


def _why_a_digest(because: str) -> tuple[str, str]:
    """Why the memories' own words are shown though there is a model, and what to do about it."""
    if because in _NO_NARRATIVE:
        return f"{_NO_NARRATIVE[because]}, so these are the memories' own words", ""
    return "the language model gave no answer, so these are the memories' own words", "run `cortex doctor`"


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

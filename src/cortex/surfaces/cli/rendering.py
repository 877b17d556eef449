"""Results of the engine, for people. Built from `Text`, not markup, so that memory text cannot style itself."""

from __future__ import annotations

import re
import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from rich import box
from rich.console import Console, ConsoleOptions, Group, JustifyMethod, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from cortex.domain.chunk import Chunk
from cortex.domain.health import Check
from cortex.domain.hits import Hit, RecallResult
from cortex.domain.lanes import State
from cortex.domain.memory import Contradiction, Memory
from cortex.domain.outcome import Outcome
from cortex.domain.receipt import Receipt
from cortex.domain.text import visible
from cortex.domain.trace import Trace, to_json
from cortex.domain.trust import TrustTier
from cortex.domain.turn import Turn
from cortex.ports.store import Counts
from cortex.services.browse import TraceHistory
from cortex.services.recall import RecallTrace
from cortex.services.timeline import Timeline
from cortex.surfaces.cli.output import one_line

BAR = 10
_WARNED = {TrustTier.UNTRUSTED.value, TrustTier.QUARANTINED.value, State.SUPERSEDED.value}
_OFF = {State.FORGOTTEN.value, State.EXPIRED.value}
_MARKS = {True: ("✓", "green"), None: ("!", "yellow"), False: ("✗", "red")}
_PLAIN_MARKS = {True: ("ok", "green"), None: ("!", "yellow"), False: ("X", "red")}
_SHOWN = 60
_BY_RANKS = 0.1
"""A best score below this is a sum of reciprocal ranks, which needs more digits."""
_INDENT = 3
_WIDE = 100
"""The width of a terminal from which ID, details and text fit side by side."""
# Recipe descriptions end with a requirement in parentheses, which users do not need.
_REQUIREMENT = re.compile(r" \([A-Z]\d[^)]{0,80}\)")


def bar(share: float, width: int = BAR) -> Text:
    """A bar for a share between 0 and 1."""
    filled = round(min(1.0, max(0.0, share)) * width)
    return Text.assemble(("█" * filled, "cyan"), ("░" * (width - filled), "bright_black"))


def table(*columns: str, right: Iterable[str] = (), whole: Iterable[str] = ()) -> Table:
    """A table without lines; `right` names columns of numbers, `whole` columns that are never cut or wrapped."""
    head = bool(columns)
    grid = Table(
        box=box.SIMPLE_HEAD if head else None, show_header=head, pad_edge=False, show_edge=False, header_style="bold",
        padding=(0, 1, 0, 0) if head else (0, 1),
    )  # fmt: skip
    numbers, uncut = frozenset(right), frozenset(whole)
    for column in columns:
        justify: JustifyMethod = "right" if column in numbers else "left"
        grid.add_column(column, justify=justify, no_wrap=column in numbers | uncut)
    return grid


def _details() -> Table:
    """A table of names and values."""
    grid = table()
    grid.add_column(style="bold")
    grid.add_column()
    return grid


@dataclass(frozen=True, slots=True)
class Fitting:
    """One layout for terminals of at least `width` columns, another for narrower ones."""

    width: int
    wide: RenderableType
    narrow: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield self.wide if options.max_width >= self.width else self.narrow


def beside(text: Text, more: str) -> Fitting:
    """`text` and `more` on one line, or below each other if the terminal is too narrow; `more` is never wrapped."""
    last = Text(more, "dim", no_wrap=True)
    below = Group(text, Padding(last, (0, 0, 0, _INDENT)))
    return Fitting(text.cell_len + 2 + last.cell_len, Text("  ").join([text, last]), below)


def line(text: str) -> Text:
    """`text` on one line, cut at the width of the terminal."""
    return Text(one_line(text), no_wrap=True, overflow="ellipsis")


def notice(message: str, fix: str = "") -> Text:
    """A problem and its fix."""
    line = Text(f"! {one_line(message)}", style="yellow")
    return line.append(f"; {one_line(fix)}" if fix else "")


def done(message: str) -> Text:
    """A line for a completed step."""
    mark, style = (_MARKS if _shows("✓") else _PLAIN_MARKS)[True]
    return Text(f"{mark} ", style).append(one_line(message), "default")


# --- recall --------------------------------------------------------------------------------------


def result(answer: RecallResult) -> Iterator[RenderableType]:
    """Hits, best first, each with its score, source and text."""
    if not answer.hits:
        yield Text(_nothing(answer.receipt), style="dim")
    # A standing rule may stand alone, however little it has to do with the query.
    best = max((hit.score for hit in answer.hits if hit.legs != ("standing",)), default=_BY_RANKS)
    digits, whole = (2, 1.0) if best >= _BY_RANKS else (4, best)
    for place, hit in enumerate(answer.hits, start=1):
        share = bar(hit.score / whole if whole else 0.0)
        head = Text(f"{place:>2} ", style="bold").append_text(share).append(f" {hit.score:.{digits}f}  ", "bold")
        head.append_text(_about(hit.trace, hit.legs))
        if replaced := hit.around.replaced_at:
            head.append(f" · replaced on {replaced:%Y-%m-%d}", "yellow")
        yield beside(head, hit.trace.id)
        yield Padding(Text(one_line(hit.excerpt or hit.trace.text)), (0, 0, 0, _INDENT), expand=False)
    facts = answer.receipt.facts
    if facts.get("broadened"):
        yield Text(
            f"No match in scope {one_line(str(facts.get('scope')))!r}; these are from all scopes.", style="yellow"
        )
    message = f"{several(len(answer.hits), 'hit')}, {answer.tokens} tokens, {answer.receipt.latency_ms:.0f} ms"
    yield beside(Text(f"{message}, {facts.get('recipe')}", style="dim"), f"receipt {answer.receipt.id}")


_SKIPPED = {"heartbeat": "is a heartbeat", "command": "is a command", "no_words": "has no words"}


def _nothing(receipt: Receipt) -> str:
    if reason := receipt.facts.get("skipped"):
        skipped = f"Skipped: the message {_SKIPPED.get(reason, f'is {reason}')}."
        return skipped if reason == "empty" else f"{skipped} `cortex search` searches anyway."
    return "No memory matches this message."


def _about(trace: Trace, legs: Sequence[str] = ()) -> Text:
    """Kind, scope and date of a trace, the legs that found it, and warnings."""
    kind = "chunk" if isinstance(trace, Chunk) else trace.kind.value
    kind = trace.outcome.value if isinstance(trace, Outcome) else kind
    line = Text(kind, style="magenta").append(f" · {one_line(trace.scope)} · {trace.created_at:%Y-%m-%d}", "default")
    if isinstance(trace, Turn):
        line.append(f" · {one_line(trace.speaker or trace.role.value)}", "default")
    if isinstance(trace, Chunk):
        line.append(f" · {one_line(trace.citation)}", "default")
    if isinstance(trace, Outcome) and trace.tool:
        line.append(f" · {one_line(trace.tool)}", "default")
    if legs:
        line.append(f" · {'+'.join(legs)}", "default")
    for mark in (trace.trust.value, trace.state.value):
        if mark in _WARNED | _OFF:
            line.append(f" · {mark}", "yellow" if mark in _WARNED else "red")
    return line


def _sum(hit: Hit) -> str:
    digits = 3 if hit.score >= _BY_RANKS else 5
    parts = " ".join(f"{name} {value:+.{digits}f}" for name, value in hit.parts.parts.items())
    return f"{parts}{'; ' if hit.parts.reasons else ''}{'; '.join(map(one_line, hit.parts.reasons))}"


_TIERS = {
    "must+nice": "must_remember or nice_to_have",
    "must+nice+unknown": "any importance but ignore",
    "must+nice+unknown+ignore": "any importance",
}


def explained(found: RecallTrace) -> Iterator[RenderableType]:
    """Every candidate with the parts of its score, and whether it is shown."""
    answer = found.answer
    if answer.skipped:
        yield Text(_nothing(found.result.receipt), style="dim")
        return
    shown = {hit.trace.id: place for place, hit in enumerate(answer.hits, start=1)}
    reasons = {each.id: each.reason for each in answer.dropped}
    names = list(dict.fromkeys(name for each in answer.ranked for name in each.parts))
    grid = table("", "score", *names, "result", "text", right=["", "score", *names], whole=["result"])
    digits = 3 if not answer.ranked or answer.ranked[0].score >= _BY_RANKS else 5
    for place, each in enumerate(answer.ranked[:_SHOWN], start=1):
        became = f"hit {shown[each.trace.id]}" if each.trace.id in shown else reasons.get(each.trace.id, "replaced")
        style = "" if each.trace.id in shown else "dim"
        parts = [f"{each.parts[name]:+.{digits}f}" if name in each.parts else "" for name in names]
        grid.add_row(str(place), f"{each.score:.{digits}f}", *parts, became, line(each.trace.text), style=style)
    yield grid
    if len(answer.ranked) > _SHOWN:
        yield Text(f"… and {len(answer.ranked) - _SHOWN} more candidates; --json shows them all", style="dim")
    extra = [hit for hit in answer.hits if hit.trace.id not in {each.trace.id for each in answer.ranked}]
    for hit in extra:
        yield Text(f"also hit {shown[hit.trace.id]}: {_sum(hit)}: {_short(hit.trace.text)}")
    for leg in answer.legs.values():
        what = f"absent ({leg.absent})" if leg.absent else f"{len(leg.scores)} found"
        yield Text(f"{leg.name:>9}: {what}, {leg.milliseconds:.1f} ms", style="yellow" if leg.absent else "dim")
    for tried in answer.tried:
        tier = _TIERS.get(tried.tier, tried.tier)
        candidates = "1 candidate" if tried.candidates == 1 else f"{tried.candidates} candidates"
        message = f"{tier}, {', '.join(tried.trusts)}: {candidates}, {tried.selected} shown"
        message += ", skipped for a far more relevant tier" if tried.outdone else ""
        yield Text(message, style="dim")
    yield Text(f"receipt {found.result.receipt.id}", style="dim")


def _short(text: str, most: int = _SHOWN) -> str:
    line = one_line(text)
    return line if len(line) <= most else line[: most - 1] + "…"


# --- traces --------------------------------------------------------------------------------------


def traces(found: Iterable[Trace]) -> Fitting:
    """A line for each, or two on a narrow terminal."""
    wide = table("id", "details", "text", whole=["id", "details"])
    narrow = table("id", "details and text", whole=["id"])
    for trace in found:
        id, about, text = Text(trace.id, "dim"), _about(trace), line(_short(trace.text, 200))
        wide.add_row(id, about, text)
        narrow.add_row(id, Group(about, text))
    return Fitting(_WIDE, wide, narrow)


def trace(found: TraceHistory) -> Iterator[RenderableType]:
    """All fields of a trace, its versions and its sources."""
    yield Text(visible(found.trace.text))
    yield Text()
    about = _details()
    fields = to_json(found.trace)
    del fields["text"]
    if isinstance(found.trace, Memory) and found.trace.expires_at:
        fields["expires_at"] = found.trace.expires_at.isoformat()
    for name, value in fields.items():
        if value is not None:
            about.add_row(name, Text(one_line(_field(value))))
    yield about
    if len(found.versions) > 1:
        yield Text("\nversions", style="bold")
        for version in found.versions:
            until = version.until if version.until is not None else "now"
            text = f"  {version.since} to {until}: {version.trace.state.value}: {_short(version.trace.text, 100)}"
            yield Text(text)
    for source in found.sources:
        yield Text(f"\nfrom {source.id}: ", style="bold").append(_short(source.text, 200), "default")


def _field(value: Any) -> str:
    """A field of a trace; one with parts, such as a grade, as its parts."""
    if isinstance(value, Mapping):
        return " · ".join(f"{name} {_field(each)}" for name, each in value.items() if each or each == 0)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def counts(found: Counts) -> Iterator[RenderableType]:
    """The number of traces, by each facet."""
    span = f", {found.oldest:%Y-%m-%d} to {found.newest:%Y-%m-%d}" if found.oldest and found.newest else ""
    yield Text(f"{several(found.total, 'trace')}, {size(found.text_bytes)} of text{span}", style="bold")
    sorts = {
        "lane": found.by_lane, "scope": found.by_scope, "kind": found.by_kind,
        "importance": found.by_label, "trust": found.by_trust, "state": found.by_state,
    }  # fmt: skip
    grid = table("", "", "traces", "", right=["traces"])
    for sort, by in sorts.items():
        ordered = sorted(by.items(), key=lambda pair: (-pair[1], pair[0]))
        for row, (name, number) in enumerate(ordered):
            share = bar(number / max(1, found.total))
            grid.add_row(Text("" if row else sort, "bold"), Text(one_line(name)), f"{number:,}", share)
    if found.total:
        yield grid


# --- receipts ------------------------------------------------------------------------------------


def receipts(found: Iterable[Receipt]) -> Fitting:
    """A line for each, or two on a narrow terminal."""
    wide = table("id", "at", "op", "ms", "result", right=["ms"], whole=["id", "at", "op"])
    narrow = table("id", "at, op, result", whole=["id"])
    for receipt in found:
        id, took, gist = Text(receipt.id, "dim"), f"{receipt.latency_ms:.0f}", _gist(receipt)
        wide.add_row(id, _when(receipt.at), receipt.op, took, gist)
        narrow.add_row(id, Group(f"{_when(receipt.at)} · {receipt.op} · {took} ms", gist))
    return Fitting(_WIDE, wide, narrow)


def timeline(found: Timeline) -> Table:
    """What happened, newest first, by whom and in which operation."""
    rows = table("position", "at", "event", "by", "receipt", "about", right=["position"], whole=["at", "event"])
    for each in found.happened:
        event, trace = each.event, each.trace
        about = Text(one_line(trace.text)) if trace is not None else Text(one_line(event.subject), "dim")
        rows.add_row(
            f"{event.position:,}", _when(event.at), event.kind.value, one_line(event.actor) or "-",
            Text(event.cause or "-", "dim"), about,
        )  # fmt: skip
    return rows


def receipt(found: Receipt) -> Iterator[RenderableType]:
    about = _details()
    for name, value in found.to_json().items():
        about.add_row(name, Text(one_line(_value(value))))
    yield about


def _gist(receipt: Receipt) -> Text:
    facts = receipt.facts
    line = Text()
    if receipt.op == "recall":
        line.append(str(facts.get("skipped") or f"{facts['counts']['returned']} of {facts['counts']['candidates']}"))
    else:
        numbers = {name: value for name, value in facts.items() if isinstance(value, int) and value is not False}
        line.append(", ".join(f"{name} {value}" for name, value in numbers.items() if value))
    return line.append(f" degraded: {', '.join(receipt.degraded)}" if receipt.degraded else "", "yellow")


def _value(value: Any) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# --- contradictions and health -------------------------------------------------------------------


def contradictions(found: Sequence[Contradiction]) -> Iterator[RenderableType]:
    """Both memories of each contradiction, the earlier first, and how to resolve it."""
    for each in found:
        yield traces([each.earlier, each.later])
        yield Text()
    yield Text("Keep one with `cortex admin resolve ID`, or both with `cortex admin resolve ID --both`.", style="dim")


def status(found: Mapping[str, Any]) -> Iterator[RenderableType]:
    """A summary of the state; problems come last, with their fixes."""
    about = _details()
    store, counted, vectors, embedder = found["store"], found["counts"], found["vectors"], found["embedder"]
    about.add_row("home", one_line(found["home"]))
    about.add_row("agent, user", one_line(f"{found['agent']}, {found['user']}"))
    details = f"{store['url'].removesuffix(':')}, {size(store.get('bytes', 0))}, ledger position {found['position']:,}"
    about.add_row("store", one_line(details))
    lanes = ", ".join(several(number, *_OF_LANE[lane]) for lane, number in counted["by_lane"].items())
    about.add_row("traces", f"{counted['total']:,}" + (f" ({lanes})" if lanes else ""))
    about.add_row("embedder", _embedder(embedder))
    about.add_row("vectors", f"{vectors['embedded']:,} embedded, {vectors['lacking']:,} missing")
    if scale := vectors.get("calibration"):
        on = f" on {scale['texts']:,} texts" if scale["texts"] else ""
        about.add_row("similarity", f"cosines above {scale['floor']:.2f} count ({scale['basis']}{on})")
    about.add_row("reranker", _provider(found["reranker"], found["reranker"]["name"]))
    about.add_row("recipe", one_line(found["recipe"]))
    about.add_row("access tokens", one_line(_kept(found["kept"])))
    about.add_row("language model", one_line(_model(found["llm"])))
    if found["hardware"] is not None:
        about.add_row("GPU", one_line(_card(found["hardware"])))
    about.add_row("jobs", one_line(_background(found["jobs"])))
    if server := found.get("server"):
        about.add_row("server", one_line(f"{server['url']}, process {server['pid']}"))
    if open_ones := found["contradictions"]:
        about.add_row("contradictions", f"{open_ones:,} unresolved: see `cortex admin resolve`")
    yield about
    for problem in found["degraded"]:
        yield notice(f"{problem['what']}: {problem['why']}", problem["fix"])
    for alert in found["alerts"]:
        yield notice(f"{alert['cause']}: {alert['message']}", alert["hint"])
    for anomaly in found["anomalies"]:
        yield notice(f"{anomaly['code']}: {anomaly['detail']}", anomaly["fix"])
    if found["hook_failures"]:
        text = ", ".join(f"{what} {number:,}" for what, number in found["hook_failures"].items())
        yield notice(f"turns that ran without memory: {text}", "run `cortex doctor`")


def _kept(found: Mapping[str, Any]) -> str:
    """Where access tokens are, and with them the budget of the language model."""
    if not found["shared"]:
        return "files in the home"
    return f"{found['tokens']}, shared by all hosts, as is the budget of the language model"


_OF_LANE = {
    "memories": ("memory", "memories"),
    "sessions": ("turn", "turns"),
    "notes": ("chunk of notes", "chunks of notes"),
    "docs": ("chunk of documents", "chunks of documents"),
    "outcomes": ("outcome", "outcomes"),
}


def _model(about: Mapping[str, Any]) -> str:
    """The language model and how much of its budget is used."""
    if "name" not in about:
        return "none"
    spent = [
        f"{about[window]['calls']:,} of {about[window]['max_calls']:,} calls and {about[window]['tokens']:,} of"
        f" {about[window]['max_tokens']:,} tokens this {window}"
        for window in ("hour", "day")
        if window in about
    ]
    return "; ".join([about["name"], *spent])


def _card(verdict: Mapping[str, Any]) -> str:
    """Load and temperature of the GPU, and whether jobs wait for it."""
    figures = [f"{verdict['load']:.0f} % load"] if verdict["load"] is not None else []
    figures += [f"{verdict['temperature']:.0f} °C"] if verdict["temperature"] is not None else []
    return "; ".join([", ".join(figures) or "no figures", *([verdict["why"]] if verdict["why"] else [])])


def _background(jobs: Mapping[str, Any]) -> str:
    waiting = f"{jobs['waiting']:,} waiting"
    return f"{waiting}, next at {jobs['next'][:19]}, {jobs['failed']:,} failed" if jobs["next"] else waiting


def _embedder(embedder: Mapping[str, Any]) -> Text:
    if embedder["provider"] == embedder["configured"] == "none":
        return Text("turned off: recall uses keywords only")
    return _provider(embedder, f"{embedder['provider']}/{embedder['model']}{_by_auto(embedder)}")


def _by_auto(embedder: Mapping[str, Any]) -> str:
    """Why `auto` chose this embedder."""
    chosen = embedder.get("chosen")
    return f", chosen by auto: {chosen['because']}" if chosen and embedder["available"] else ""


def _provider(about: Mapping[str, Any], name: str) -> Text:
    if about["available"]:
        return Text(one_line(name))
    return Text(one_line(name)).append(f" is not available: {one_line(about['why'])}", "yellow")


def checks(
    found: Sequence[Check], fixable: Container[str] = (), command: str = "cortex doctor --fix"
) -> Iterator[RenderableType]:
    """Every check below the heading of its group, with its fix, and a summary at the end.

    `fixable` names the checks that `command` can fix.
    """
    marks, arrow = (_MARKS, "→") if _shows("✓✗→") else (_PLAIN_MARKS, "->")
    width = max((len(check.name) for check in found), default=0)
    for group, some in groupby(found, key=lambda check: check.group):
        yield Text(group.value, style="bold")
        grid = table()
        grid.add_column(no_wrap=True)
        grid.add_column(no_wrap=True, min_width=width)
        grid.add_column(overflow="fold")
        for check in some:
            mark, style = marks[check.ok]
            line = Text(one_line(check.detail))
            if check.ok is not True and check.fix:
                line.append(f"\n{arrow} {one_line(check.fix)}", style)
            grid.add_row(Text(mark, style), Text(check.name), line)
        yield grid
    yield _summary(found, fixable, command)


def _summary(found: Sequence[Check], fixable: Container[str], command: str) -> Text:
    broken = sum(check.ok is False for check in found)
    watched = sum(check.ok is None for check in found)
    if not broken and not watched:
        return Text("No problems found.", style="green")
    lines = [f"{several(broken, 'problem')}"] if broken else []
    lines += [f"{several(watched, 'warning')}"] if watched else []
    text = Text(f"{', '.join(lines)}.", style="red" if broken else "yellow")
    if any(check.ok is not True and check.name in fixable for check in found):
        text.append(f" `{command}` fixes what is safe to fix.", "default")
    return text


def _shows(characters: str) -> bool:
    """Whether the output can encode these characters."""
    try:
        characters.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


# --- recipes, models -----------------------------------------------------------------------------


def recipes(found: Iterable[Any], default: str) -> Table:
    grid = table("recipe", "fusion", "auto", "search", "tokens", "about", right=["tokens"], whole=["recipe"])
    for recipe in found:
        weights = getattr(recipe.fusion, "weights", None)
        fusion = (
            " + ".join(f"{weight:g} {name}" for name, weight in weights.items())
            if weights is not None
            else f"ranks, k = {recipe.fusion.k}"
        )
        name = Text(recipe.name, "bold").append("\n(default)" if recipe.name == default else "", "dim")
        about = _REQUIREMENT.sub("", recipe.about)
        grid.add_row(name, fusion, _bounds(recipe.auto), _bounds(recipe.search), str(recipe.budget), about)
    return grid


def _bounds(bounds: Any) -> str:
    return f"{bounds.limit}" + (f" at ≥ {bounds.floor:g}" if bounds.floor else "")


def models(found: Iterable[Any]) -> Table:
    grid = table("model", "state", "size", "purpose", "license", right=["size"], whole=["model"])
    for each in found:
        style = "green" if each.state == "ready" else "yellow"
        grid.add_row(
            Text(each.model.name, "bold"), Text(each.state, style), size(each.model.size), each.model.purpose,
            each.model.license,
        )  # fmt: skip
    return grid


def several(number: int, noun: str, nouns: str = "") -> str:
    return f"{number:,} {noun if number == 1 else nouns or f'{noun}s'}"


def size(number: int) -> str:
    """Bytes for people."""
    amount = float(number)
    for unit in ("bytes", "KiB", "MiB"):
        if amount < 1024:
            return f"{amount:,.0f} {unit}"
        amount /= 1024
    return f"{amount:,.1f} GiB"


def _when(at: datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M:%S}"

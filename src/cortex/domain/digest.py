"""A digest: what a memory learned and changed, what found nothing, what was spent, and what waits for a person."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from cortex.domain.gaps import Gap
from cortex.domain.identity import TraceId
from cortex.domain.receipt import Receipt
from cortex.domain.text import escaped, visible

_LINE_CHARS = 140


@dataclass(frozen=True, slots=True)
class DigestMemory:
    """A memory in one line."""

    id: TraceId
    kind: str
    scope: str
    line: str
    times: int = 0
    """How often it was recalled, where that is what is told."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What is new."""

    memories: int
    turns: int
    by_kind: Mapping[str, int]
    by_scope: Mapping[str, int]
    most_important: tuple[DigestMemory, ...]


@dataclass(frozen=True, slots=True)
class DigestChange:
    """A memory that was superseded, contradicted, forgotten or expired, and what stands against it."""

    change: str
    memory: DigestMemory
    other: DigestMemory | None = None


@dataclass(frozen=True, slots=True)
class Changed:
    """What is no longer as it was."""

    events: Mapping[str, int]
    """How often each change was made."""
    latest: tuple[DigestChange, ...]


@dataclass(frozen=True, slots=True)
class UnansweredQuestions:
    """What was not known."""

    found_nothing: int
    recalls: int
    groups: int
    gaps: tuple[Gap, ...]


@dataclass(frozen=True, slots=True)
class Spent:
    """What recall and the language model took, on whole days (UTC)."""

    recalls: int
    answered: int
    """That found something."""
    skipped: int
    searches: int
    tokens: int
    """What recalls gave to agents."""
    p50_ms: float | None
    p95_ms: float | None
    llm_calls: int | None
    """None where no language model is used."""
    llm_tokens: int | None
    llm_cents: int | None
    """None where `llm.cents_per_million_tokens` is not set."""


@dataclass(frozen=True, slots=True)
class WaitingItem:
    """Something that waits for a person: how many there are, and the command that shows them."""

    what: str
    number: int
    command: str


@dataclass(frozen=True, slots=True)
class Digest:
    """The digest of one user."""

    since: datetime
    until: datetime
    learned: Learned
    changed: Changed
    unanswered: UnansweredQuestions
    used: tuple[DigestMemory, ...]
    """The memories recalled most."""
    spent: Spent
    waiting: tuple[WaitingItem, ...]
    complete: bool
    """Whether everything was counted; of very many changes, the latest are."""
    receipt: Receipt


def first_line(text: str) -> str:
    """The first line of a text, cut."""
    line = " ".join(text.strip().partition("\n")[0].split())
    return line if len(line) <= _LINE_CHARS else f"{line[: _LINE_CHARS - 1]}…"


# --- as text ----------------------------------------------------------------------------------------------------------

Quote = Callable[[str], str]
"""Makes a text of memory safe where it is shown."""


def as_text(digest: Digest) -> str:
    """The digest for a terminal or a mail."""
    parts = [_title(digest), *(f"{title}\n" + _listed(lines, "  ") for title, lines in _sections(digest, visible))]
    return "\n\n".join(parts) + "\n"


def as_markdown(digest: Digest) -> str:
    """The digest as Markdown. Text of memories is escaped: it makes no link, no heading and no HTML."""
    sections = (f"## {title}\n\n" + _listed(lines, "- ") for title, lines in _sections(digest, _inert))
    return "\n\n".join([f"# {_title(digest)}", *sections]) + "\n"


_ACTIVE = re.compile(r"([\\`*_{}\[\]()#+!|~:.@-])")
"""What Markdown, or a reader that links addresses by itself, would act on."""


def _inert(text: str) -> str:
    return _ACTIVE.sub(r"\\\1", escaped(text))


def _title(digest: Digest) -> str:
    part = "" if digest.complete else " (the latest of very many changes)"
    return f"Digest, {digest.since:%Y-%m-%d} to {digest.until:%Y-%m-%d}{part}"


def _listed(lines: Iterable[str], mark: str) -> str:
    return "\n".join(f"{mark}{line}" for line in lines)


def _sections(digest: Digest, quote: Quote) -> Iterator[tuple[str, Sequence[str]]]:
    yield "Learned", list(_learned(digest.learned, quote))
    yield "Changed", list(_changed(digest.changed, quote))
    yield "Unanswered questions", list(_unanswered(digest.unanswered, quote))
    yield "Used most", [f"{_number(each.times, 'time')}: {_memory(each, quote)}" for each in digest.used] or ["nothing"]
    yield "Spent", list(_spent(digest.spent))
    yield "Waiting for a person", [_waiting(each) for each in digest.waiting] or ["nothing"]


def _learned(learned: Learned, quote: Quote) -> Iterator[str]:
    new = _number(learned.memories, "new memory", "new memories")
    yield f"{new}, {_number(learned.turns, 'turn')} of conversations"
    for title, counts in (("by kind", learned.by_kind), ("by scope", learned.by_scope)):
        if counts:
            yield f"{title}: " + ", ".join(f"{quote(name)} {number:,}" for name, number in counts.items())
    for each in learned.most_important:
        yield _memory(each, quote)


def _changed(changed: Changed, quote: Quote) -> Iterator[str]:
    yield ", ".join(f"{change} {number:,}" for change, number in changed.events.items()) or "nothing"
    for each in changed.latest:
        other = f" → {quote(each.other.line)}" if each.other else ""
        yield f"{each.change}: {_memory(each.memory, quote)}{other}"


def _unanswered(unanswered: UnansweredQuestions, quote: Quote) -> Iterator[str]:
    recalls, gaps = _number(unanswered.recalls, "recall"), _number(unanswered.groups, "gap")
    yield f"{unanswered.found_nothing:,} of {recalls} found nothing; {gaps}"
    for gap in unanswered.gaps:
        today = f"answered today by {gap.answered_by[0]}" if gap.answered_by else "still nothing"
        yield f"{_number(gap.times, 'time')}: {quote(first_line(gap.question))} ({today})"


def _spent(spent: Spent) -> Iterator[str]:
    recalls, searches = _number(spent.recalls, "recall"), _number(spent.searches, "search", "searches")
    silent = spent.recalls - spent.answered - spent.skipped
    outcomes = f"{spent.answered:,} found something, {spent.skipped:,} skipped, {silent:,} found nothing"
    yield f"{recalls} ({outcomes}), {searches}, {_number(spent.tokens, 'token')} given to agents"
    if spent.p50_ms is not None and spent.p95_ms is not None:
        yield f"recall took {spent.p50_ms:.0f} ms (p50), {spent.p95_ms:.0f} ms (p95)"
    if spent.llm_calls is not None and spent.llm_tokens is not None:
        money = "" if spent.llm_cents is None else f", which cost {spent.llm_cents / 100:,.2f}"
        yield f"language model: {_number(spent.llm_calls, 'call')}, {_number(spent.llm_tokens, 'token')}{money}"


def _waiting(item: WaitingItem) -> str:
    return f"{item.what}: {item.number:,} ({item.command})"


def _memory(memory: DigestMemory, quote: Quote) -> str:
    return f"{quote(memory.line)} [{memory.kind}, {quote(memory.scope)}, {memory.id}]"


def _number(number: int, one: str, more: str = "") -> str:
    return f"{number:,} {one if number == 1 else more or one + 's'}"

"""What reaches the model: whether the block holds the answer, and whether its lines bear on the question.

A question counts where its gold answer has a word, stop words aside, that stands in its evidence. Such a question is
answered through the turn hooks at their default budget, the day after the last turn of its conversation. A baseline
packs whole records by rank into the same budget.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from cortex.clock import SystemClock
from cortex.domain.memory import Kind
from cortex.domain.query import Query
from cortex.domain.stopwords import STOP_WORDS
from cortex.domain.text import estimate_tokens
from cortex.domain.trace import Trace
from cortex.evaluation.sets import Probe, Record
from cortex.memory import Cortex
from cortex.services.turn_hooks import TurnHooks

ORDERS = frozenset({"event_ordering"})
"""Categories whose answer is an order: measured, and kept out of the overall figures of the block."""

DEADLINE_MS = 20_000
_SESSION = "evaluation"
_UNTRIMMED = 1_000_000
_WORD = re.compile(r"\w+")


class SetClock(SystemClock):
    """The machine's clock, whose time of day can be set."""

    at: datetime | None = None

    def now(self) -> datetime:
        return self.at or super().now()


@dataclass(frozen=True, slots=True)
class BlockMeasurement:
    """What one question put before the model, measured."""

    answer: frozenset[str]
    """The words of the answer that stand in the evidence; none where the question has no such answer."""
    text: str = ""
    hits: str = ""
    """What was found, whole: the difference to `text` is what packing costs."""
    lines: tuple[frozenset[str], ...] = ()
    """The records behind each line."""
    tokens: int = 0
    rules: int = 0
    relevant: frozenset[str] = frozenset()
    bears: frozenset[str] = frozenset()
    """The evidence and its direct neighbors."""

    @property
    def answer_in_block(self) -> float | None:
        return _all(self.answer, self.text)

    @property
    def answer_words_in_block(self) -> float | None:
        return _share(self.answer, self.text)

    @property
    def answer_in_hits(self) -> float | None:
        return _all(self.answer, self.hits)

    @property
    def answer_words_in_hits(self) -> float | None:
        return _share(self.answer, self.hits)

    @property
    def evidence_in_block(self) -> float | None:
        """Whether a line is a piece of the evidence."""
        return float(any(line & self.relevant for line in self.lines)) if self.relevant else None

    def bearing(self, first: int | None = None) -> float | None:
        """The share of lines that bear on the question; a record counts at its first line alone."""
        if not self.relevant or not self.lines:
            return None
        left, bearing = set(self.bears), 0
        shown = self.lines[:first]
        for line in shown:
            bearing += bool(line & left)
            left -= line
        return bearing / len(shown)


def _all(answer: Set[str], text: str) -> float | None:
    return float(answer <= words(text)) if answer else None


def _share(answer: Set[str], text: str) -> float | None:
    return len(answer & words(text)) / len(answer) if answer else None


def words(text: str) -> frozenset[str]:
    """The words of a text, stop words aside."""
    return frozenset(_WORD.findall(text.casefold())) - STOP_WORDS


@dataclass(frozen=True, slots=True)
class Conversations:
    """The records of a set as conversations: who stands beside whom, and when each ended."""

    texts: Mapping[str, str]
    beside: Mapping[str, frozenset[str]]
    ended: Mapping[str, datetime]

    @classmethod
    def of(cls, records: Iterable[Record]) -> Conversations:
        sessions: dict[tuple[str, str], list[str]] = {}
        texts: dict[str, str] = {}
        ended: dict[str, datetime] = {}
        for record in records:
            texts[record.id] = record.text
            if record.session:
                sessions.setdefault((record.scope, record.session), []).append(record.id)
            if record.at is not None:
                ended[record.scope] = max(ended.get(record.scope, record.at), record.at)
        beside = {
            id: frozenset(session[max(0, at - 1) : at + 2])
            for session in sessions.values()
            for at, id in enumerate(session)
        }
        return cls(texts, beside, ended)

    def expected(self, probe: Probe) -> BlockMeasurement:
        """What there is to be shown for a question, before anything is."""
        evidence = " ".join(self.texts.get(id, "") for id in probe.relevant)
        near = (self.beside.get(id, frozenset()) for id in probe.relevant)
        return BlockMeasurement(
            answer=words(probe.answer) & words(evidence), relevant=probe.relevant, bears=probe.relevant.union(*near)
        )


@dataclass(frozen=True, slots=True)
class Blocks:
    """Asks for the block of a question as a host does."""

    engine: Cortex
    hooks: TurnHooks
    clock: SetClock
    conversations: Conversations
    records: Callable[[Trace], frozenset[str]]
    """The records a trace stands for."""
    recipe: str

    def ask(self, probe: Probe) -> BlockMeasurement:
        ended = self.conversations.ended.get(probe.scope)
        self.clock.at = ended + timedelta(days=1) if ended else None
        try:
            return self._shown(probe)
        finally:
            self.clock.at = None

    def _shown(self, probe: Probe) -> BlockMeasurement:
        injection = self.hooks.before(probe.query, session=_SESSION, scope=probe.scope, recipe=self.recipe)
        # What is counted after an answer must be counted before the next, or the order of threads could show.
        self.engine.flush()
        query = Query.of(probe.query, scope=probe.scope, recipe=self.recipe, limit=self.limit, budget=_UNTRIMMED)
        found = self.engine.recall(query).hits
        self.engine.flush()
        shown = [self.engine.get(id) for id in injection.ids]
        return replace(
            self.conversations.expected(probe),
            text=injection.block,
            hits=_text(hit.trace for hit in found),
            lines=tuple(self.records(trace) for trace in shown),
            tokens=injection.tokens,
            rules=sum(trace.kind is Kind.RULE for trace in shown),
        )

    @property
    def limit(self) -> int:
        return self.engine.settings.hooks.max_facts

    def plainly(self, ranked: Sequence[str], probe: Probe) -> BlockMeasurement:
        """Whole records by rank into the same budget."""
        left = self.engine.settings.hooks.max_tokens
        lines: list[str] = []
        for id in ranked:
            if (size := estimate_tokens(self.conversations.texts[id]) + 1) <= left:
                lines.append(id)
                left -= size
        return replace(
            self.conversations.expected(probe),
            text="\n".join(self.conversations.texts[id] for id in lines),
            hits="\n".join(self.conversations.texts[id] for id in ranked[: self.limit]),
            lines=tuple(frozenset({id}) for id in lines),
            tokens=self.engine.settings.hooks.max_tokens - left,
        )


def written(shown: Sequence[tuple[Probe, BlockMeasurement]], count: int) -> str:
    """Some blocks as a model reads them, evenly taken from the questions that have an answer."""
    answered = [(probe, each) for probe, each in shown if each.answer]
    step = max(1, len(answered) // count)
    return "\n".join(_written(probe, each) for probe, each in answered[::step][:count])


def _written(probe: Probe, shown: BlockMeasurement) -> str:
    verdict = (
        "in the block" if shown.answer_in_block else f"in the block {shown.answer_words_in_block:.2f} of its words"
    )
    return f"{probe.qid} ({probe.category}): {probe.query}\nAnswer: {probe.answer}; {verdict}\n\n{shown.text}\n"


def _text(traces: Iterable[Trace]) -> str:
    return "\n".join(trace.text for trace in traces)

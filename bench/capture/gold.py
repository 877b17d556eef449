"""How well capture does on real conversations: facts that a reader labeled, by id, against what was extracted.

A set is a folder with `labels.jsonl`, one line a labeled turn:

    {"id": turn id, "facts": [{"text", "kind", "keys": ["a|b", …], "important": bool}]}

The texts stay in the sets of conversations beside it (`../beam`, `../locomo`). A memory matches a fact when it holds
one alternative of every key. A memory of more than 40 words, or of several sentences where one sentence of the turn
holds the fact, matches nothing; one memory counts for at most two facts.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.capture import updates
from bench.capture.figures import Figure
from cortex.capture import prose
from cortex.domain.memory import Memory
from cortex.errors import InvalidRequest, NotFound
from cortex.evaluation import metrics, sets
from cortex.evaluation.metrics import Summary
from cortex.evaluation.sets import Record
from cortex.progress import Progress, silent

LABELS = "labels.jsonl"
LONGEST_WORDS = 40
MOST_FACTS = 2
"""One memory counts for at most this many facts."""
HALVES = ("first", "second")
"""Every other conversation: rules are written with the first half in view, and judged on the second."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing a turn says that a good memory keeps."""

    kind: str
    keys: tuple[tuple[str, ...], ...]
    """Lower-case parts of the text; one alternative of each has to be there."""
    important: bool

    def stands_in(self, text: str) -> bool:
        return all(self._held(text))

    def share_in(self, text: str) -> float:
        """How much of it `text` holds."""
        held = self._held(text)
        return sum(held) / len(held)

    def _held(self, text: str) -> list[bool]:
        folded = _folded(text)
        return [any(key in folded for key in alternatives) for alternatives in self.keys]


@dataclass(frozen=True, slots=True)
class GoldTurn:
    """A labeled turn: often it holds nothing."""

    id: str
    conversation: str
    text: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """A labeled turn and the memories that were extracted from it."""

    turn: GoldTurn
    memories: tuple[Memory, ...]
    found: frozenset[int]
    """Which of the facts were matched."""
    right: tuple[bool, ...]
    """Which of the memories match a fact."""


@dataclass(frozen=True, slots=True)
class GoldReport:
    """What was extracted from labeled turns, judged."""

    halves: Mapping[str, Summary]
    """`all`, and each half of the conversations."""
    kinds: Mapping[str, tuple[int, int]]
    """Facts found and labeled, by kind."""
    judged: tuple[Judged, ...]

    def as_dict(self) -> dict[str, Any]:
        return {
            "halves": {
                name: {**summary.values, "intervals": dict(summary.intervals)} for name, summary in self.halves.items()
            },
            "kinds": {kind: {"found": found, "labeled": labeled} for kind, (found, labeled) in self.kinds.items()},
        }

    def figures(self) -> Iterator[Figure]:
        """Each measure over all conversations and over each half, then what was found of each kind."""
        for half, summary in self.halves.items():
            for measure, (part, whole) in _MEASURES.items():
                yield Figure(
                    f"conversations: {half}", measure.replace("_", " "), int(summary[part] or 0),
                    int(summary[whole] or 0), summary[measure], summary.intervals[measure],
                )  # fmt: skip
        for kind, (found, labeled) in self.kinds.items():
            yield Figure.counted("conversations: all", f"{kind} found", found, labeled)


# --- labels ----------------------------------------------------------------------------------------------------------


def read(directory: Path) -> tuple[list[GoldTurn], list[Record]]:
    """The labeled turns, and all records of the conversations they stand in."""
    path = directory / LABELS
    if not path.is_file():
        raise NotFound(f"no labels at {path}", hint=f"give a folder that holds {LABELS}")
    facts = labels(path)
    records = [
        record
        for beside in sorted(directory.parent.iterdir())
        if (beside / sets.RECORDS).is_file() and beside.name in {"beam", "locomo"}
        for record in sets.read_records(beside / sets.RECORDS)
    ]
    scopes = {record.scope for record in records if record.id in facts}
    turns = [
        GoldTurn(record.id, record.scope, record.text, facts[record.id]) for record in records if record.id in facts
    ]
    if missing := len(facts) - len(turns):
        raise NotFound(f"{missing} labeled turns are in no set beside {directory}", hint="put beam and locomo there")
    return turns, [record for record in records if record.scope in scopes]


def labels(path: Path) -> dict[str, tuple[Fact, ...]]:
    """The facts of each labeled turn, by its id."""
    return dict(
        _parsed(line, f"{path.name} line {at}") for at, line in enumerate(path.read_text("utf-8").splitlines(), 1)
    )


def _parsed(line: str, place: str) -> tuple[str, tuple[Fact, ...]]:
    try:
        values = json.loads(line)
        facts = tuple(
            Fact(fact["kind"], tuple(tuple(key.split("|")) for key in fact["keys"]), fact["important"])
            for fact in values["facts"]
        )
        return str(values["id"]), facts
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidRequest(f"is not a label: {error}", field=place, hint="see the README of the set") from error


# --- judging ---------------------------------------------------------------------------------------------------------


def judge(turn: GoldTurn, memories: Iterable[Memory]) -> Judged:
    """Which facts the memories of a turn hold, and which memories hold none."""
    given = tuple(memories)
    found: set[int] = set()
    right = []
    for memory in given:
        matched = [at for at, fact in enumerate(turn.facts) if _matches(memory.text, fact, turn.text)]
        right.append(bool(matched))
        # A fact nobody has found yet goes first: two memories of one turn rarely say the same.
        found.update(sorted(matched, key=lambda at: at in found)[:MOST_FACTS])
    return Judged(turn, given, frozenset(found), tuple(right))


def _matches(memory: str, fact: Fact, said: str) -> bool:
    if len(memory.split()) > LONGEST_WORDS or not fact.stands_in(memory):
        return False
    return len(_sentences(memory)) < 2 or not any(fact.stands_in(sentence) for sentence in _sentences(said))


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in prose.sentences(text)]


def _folded(text: str) -> str:
    return text.casefold().replace("’", "'")


def half_of(turns: Iterable[GoldTurn]) -> dict[str, str]:
    """Which half each conversation belongs to."""
    names = sorted({turn.conversation for turn in turns})
    return {name: HALVES[at % 2] for at, name in enumerate(names)}


# --- the report ------------------------------------------------------------------------------------------------------

_TALLIES = ("memories", "right", "facts", "found", "important", "important_found", "empty", "silent")
_MEASURES = {
    "precision": ("right", "memories"),
    "recall_important": ("important_found", "important"),
    "recall_all": ("found", "facts"),
    "silent_on_empty_turns": ("silent", "empty"),
}


def _tally(each: Judged) -> tuple[int, ...]:
    important = {at for at, fact in enumerate(each.turn.facts) if fact.important}
    return (
        len(each.memories),
        sum(each.right),
        len(each.turn.facts),
        len(each.found),
        len(important),
        len(important & each.found),
        int(not each.turn.facts),
        int(not each.turn.facts and not each.memories),
    )


def summarize(judged: Sequence[Judged]) -> Summary:
    """The measures over some turns, each with a bootstrap interval over turns."""
    rows = np.array([_tally(each) for each in judged], dtype=np.float64).reshape(len(judged), len(_TALLIES))
    values: dict[str, float | int | None] = {"turns": len(judged)}
    values |= {name: int(total) for name, total in zip(_TALLIES, rows.sum(axis=0), strict=True)}
    intervals: dict[str, metrics.Interval | None] = {}
    for name, (part, whole) in _MEASURES.items():
        columns = rows[:, [_TALLIES.index(part), _TALLIES.index(whole)]]
        applies = bool(columns[:, 1].sum())
        values[name] = float(columns[:, 0].sum() / columns[:, 1].sum()) if applies else None
        intervals[name] = metrics.bootstrap(range(len(rows)), _shares(columns)) if applies else None
    return Summary(values, intervals)


def _shares(columns: np.ndarray[Any, np.dtype[np.float64]]) -> metrics.Reduce:
    """The share of one column in the other, for each draw of turns."""

    def share(sampled: np.ndarray[Any, Any], axis: int) -> Any:  # noqa: ARG001 - the draws lie along the first
        sums = columns[sampled.astype(np.intp)].sum(axis=1)
        return sums[:, 0] / np.maximum(sums[:, 1], 1.0)

    return share


def report(judged: Sequence[Judged]) -> GoldReport:
    halves = half_of(each.turn for each in judged)
    kinds = Counter(fact.kind for each in judged for fact in each.turn.facts)
    found = Counter(each.turn.facts[at].kind for each in judged for at in each.found)
    return GoldReport(
        {"all": summarize(judged)}
        | {half: summarize([each for each in judged if halves[each.turn.conversation] == half]) for half in HALVES},
        {kind: (found[kind], kinds[kind]) for kind in sorted(kinds)},
        tuple(judged),
    )


# --- running ---------------------------------------------------------------------------------------------------------


def run(
    directory: Path, *, home: Path | None = None, cache: Path | None = None, progress: Progress = silent
) -> GoldReport:
    """Capture the labeled conversations as in production, and judge what was extracted.

    Each session goes in at its own time, one after the other. Settings and models are those of `home`; vectors are kept
    in the directory `cache` (by default `home`).
    """
    turns, records = read(directory)
    memories, origins = updates.captured(records, home=home, cache=cache, progress=progress)
    extracted: dict[str, list[Memory]] = {}
    for memory in memories.values():
        for source in memory.source_turns:
            extracted.setdefault(origins[source], []).append(memory)
    return report([judge(turn, extracted.get(turn.id, ())) for turn in turns])

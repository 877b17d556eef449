"""How well capture finds what is worth remembering: labeled turns in, precision and recall out.

The labels and what they mean are described in `labeled/README.md`.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cortex.capture.candidate import Candidate
from cortex.domain.choices import chosen
from cortex.domain.identity import TraceId
from cortex.domain.memory import Kind, Memory, slot_of
from cortex.domain.turn import Role, Turn, TurnDraft
from cortex.errors import InvalidRequest, NotFound
from cortex.evaluation import metrics, sets
from cortex.evaluation.metrics import Summary
from cortex.progress import Progress, silent

DATA = Path(__file__).with_name("labeled")
HALVES = ("dev", "held")
TRAINING = DATA / "train.jsonl"
"""Turns that weights are fitted on, and that nothing is measured on."""

LONGEST = 240
"""What is extracted may have this many characters, or `LONGER` times those of the key: a whole message is no memory."""
LONGER = 3

SAID_AT = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
SEED = 7

Extract = Callable[[Turn], Sequence[Candidate]]
"""What is measured: the statements found in one turn."""


class Through(StrEnum):
    """Which way a turn goes: to the rules alone, or through a whole engine."""

    RULES = "rules"
    ENGINE = "engine"


# --- labeled turns --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One thing a turn says that is worth remembering."""

    key: str
    kinds: tuple[Kind, ...]
    """Every kind that would be right, the best first."""
    optional: bool = False
    """May be extracted, need not be: it counts neither for nor against."""
    subject: str = ""
    attribute: str = ""
    value: str = ""
    slot_group: str = ""
    """Labels of one group give one slot at different times, and should be given the same."""
    multi_group: str = ""
    """Labels of one group stand beside each other, and must not be given the same slot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabeledTurn:
    """A message, and what should be remembered of it: often nothing."""

    id: str
    lang: str
    text: str
    role: Role = Role.USER
    speaker: str = ""
    part: str = ""
    """`apart` where it was written for its half alone, `drawn` where it fell to it by lot."""
    labels: tuple[Label, ...] = ()
    why: str = ""

    @property
    def required(self) -> tuple[Label, ...]:
        return tuple(label for label in self.labels if not label.optional)

    @property
    def turn(self) -> Turn:
        """The turn it is, in a session of its own."""
        return Turn(
            id=TraceId(self.id), text=self.text, session=self.id, seq=0, created_at=SAID_AT, role=self.role,
            speaker=self.speaker,
        )  # fmt: skip


def halves() -> dict[str, Path]:
    """The labeled halves there are, by name."""
    return {name: path for name in HALVES if (path := DATA / f"{name}.jsonl").is_file()}


def load(path: Path) -> tuple[LabeledTurn, ...]:
    """The labeled turns of a file, or an error that names the line and the field."""
    if not path.is_file():
        raise NotFound(f"no labeled turns at {path}", hint="give a file of one JSON object a line")
    found: dict[str, LabeledTurn] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        place = f"{path.name} line {number}"
        try:
            turn = _labeled(json.loads(line), place)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            hint = "see bench/capture/labeled/README.md"
            raise InvalidRequest(f"is not a labeled turn: {error}", field=place, hint=hint) from error
        if turn.id in found:
            raise InvalidRequest(f"{turn.id!r} is there twice", field=f"{place}, id", hint="give it another id")
        found[turn.id] = turn
    return tuple(found.values())


def _labeled(values: Mapping[str, Any], place: str) -> LabeledTurn:
    text = str(values["text"])
    labels = tuple(_label(each, text, place) for each in values["memories"])
    return LabeledTurn(
        id=str(values["id"]),
        lang=str(values["lang"]),
        text=text,
        role=chosen(Role, values.get("role", Role.USER), f"{place}, role"),
        speaker=values.get("speaker", ""),
        part=values.get("part", ""),
        labels=labels,
        why=values.get("why", ""),
    )


def _label(values: Mapping[str, Any], text: str, place: str) -> Label:
    key = str(values["key"])
    if not key.strip() or key not in text:
        raise InvalidRequest(f"{key[:40]!r} is not part of the text", field=f"{place}, key", hint="copy it from there")
    kinds = tuple(chosen(Kind, kind, f"{place}, kind") for kind in values["kind"])
    if not kinds:
        raise InvalidRequest("is empty", field=f"{place}, kind", hint="give every kind that would be right")
    named = {name: values.get(name, "") for name in ("subject", "attribute", "value", "slot_group", "multi_group")}
    return Label(key=key, kinds=kinds, optional=values.get("optional", False), **named)


# --- judging ---------------------------------------------------------------------------------------------------------


class Verdict(StrEnum):
    """What a candidate is worth."""

    RIGHT = "right"
    OPTIONAL = "optional"
    DUPLICATE = "duplicate"
    TOO_LONG = "too long"
    WRONG = "wrong"

    @property
    def counts(self) -> bool:
        """Whether it counts towards precision."""
        return self is not Verdict.OPTIONAL


@dataclass(frozen=True, slots=True)
class Judged:
    """One turn, what was extracted from it, and what that is worth."""

    turn: LabeledTurn
    verdicts: tuple[tuple[Candidate, Verdict], ...]
    found: tuple[tuple[Label, Candidate], ...]
    """Each label that was found, with the first candidate that found it."""

    @property
    def missed(self) -> tuple[Label, ...]:
        """What should have been found and was not."""
        found = [label for label, _ in self.found]
        return tuple(label for label in self.turn.required if label not in found)

    @property
    def false_alarm(self) -> bool:
        """Something was made of a turn that says nothing to remember."""
        return not self.turn.labels and bool(self.verdicts)


def judge(turn: LabeledTurn, extracted: Iterable[Candidate]) -> Judged:
    """Which labels were found, and which candidates found none. A candidate that holds two labels finds both."""
    verdicts: list[tuple[Candidate, Verdict]] = []
    found: dict[Label, Candidate] = {}
    for candidate in extracted:
        holding = [label for label in turn.labels if _holds(candidate, label)]
        fitting = [label for label in holding if _fits(candidate, label)]
        new = [label for label in fitting if label not in found]
        verdicts.append((candidate, _verdict(holding, fitting, new)))
        found |= dict.fromkeys(new, candidate)
    return Judged(turn, tuple(verdicts), tuple(found.items()))


def _verdict(holding: Sequence[Label], fitting: Sequence[Label], new: Sequence[Label]) -> Verdict:
    if not holding:
        return Verdict.WRONG
    if not fitting:
        return Verdict.TOO_LONG
    if not new:
        return Verdict.DUPLICATE
    return Verdict.OPTIONAL if all(label.optional for label in new) else Verdict.RIGHT


def _holds(candidate: Candidate, label: Label) -> bool:
    return _folded(label.key) in _folded(candidate.text)


def _fits(candidate: Candidate, label: Label) -> bool:
    return len(candidate.text) <= max(LONGER * len(label.key), LONGEST)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).replace("’", "'").casefold().split())


# --- the report ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Slots:
    """Whether values of one slot were given one slot, and things that stand side by side were not."""

    groups: int
    found: int
    """Groups of which every turn's statement was extracted."""
    agreed: int
    beside: int
    """Pairs that stand side by side, both extracted."""
    clashing: int
    """Such pairs with one slot: the second would erase the first."""

    @property
    def agreement(self) -> float | None:
        """The share of all groups that agree; one that was not found does not."""
        return self.agreed / self.groups if self.groups else None

    @property
    def clash(self) -> float | None:
        return self.clashing / self.beside if self.beside else None


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that went wrong."""

    turn: str
    lang: str
    what: str
    """`missed`, `wrong`, `duplicate`, `too long`, or `kind`."""
    key: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureReport:
    """How well capture did on labeled turns."""

    name: str
    overall: Summary
    languages: Mapping[str, Summary]
    parts: Mapping[str, Summary]
    """Turns worded for one half alone, and turns that fell to it by lot."""
    kinds: Mapping[str, Summary]
    """By the best kind of the label for recall, by the given kind for precision."""
    slots: Slots
    faults: tuple[Fault, ...] = ()
    baseline: Summary
    """The same measures for remembering every turn as it is."""
    notes: tuple[str, ...] = ()

    def to_json(self, *, faults: bool = False) -> dict[str, Any]:
        """The measures as one object; each single fault on request."""
        payload: dict[str, Any] = {
            "set": self.name,
            "overall": _values(self.overall),
            "intervals": _intervals(self.overall),
            "parts": {name: _values(summary) for name, summary in self.parts.items()},
            "languages": {name: _values(summary) for name, summary in self.languages.items()},
            "kinds": {name: _values(summary) for name, summary in self.kinds.items()},
            "slots": {
                "groups": self.slots.groups,
                "found": self.slots.found,
                "agreed": self.slots.agreed,
                "agreement": _rounded(self.slots.agreement),
                "beside": self.slots.beside,
                "clashing": self.slots.clashing,
            },
            "faults_by_sort": dict(Counter(fault.what for fault in self.faults)),
            "baseline": _values(self.baseline),
            "notes": list(self.notes),
        }
        if faults:
            payload["faults"] = [
                {"turn": fault.turn, "lang": fault.lang, "what": fault.what, "key": fault.key, "text": fault.text}
                for fault in self.faults
            ]
        return payload


def measure(
    turns: Iterable[LabeledTurn], extract: Extract, *, name: str = "", notes: Sequence[str] = ()
) -> CaptureReport:
    """What `extract` is worth on `turns`."""
    given = list(turns)
    judged = [judge(turn, extract(turn.turn)) for turn in given]
    return CaptureReport(
        name=name,
        overall=summarize(judged),
        languages=_grouped(judged, lambda turn: turn.lang),
        parts=_grouped(judged, lambda turn: turn.part),
        kinds={
            kind.value: summary for kind in Kind if (summary := _of_kind(judged, kind))["labels"] or summary["made"]
        },
        slots=_slots(judged),
        faults=tuple(fault for each in judged for fault in _faults(each)),
        baseline=summarize([judge(turn, whole_turn(turn.turn)) for turn in given]),
        notes=tuple(notes),
    )


def _grouped(judged: Iterable[Judged], name: Callable[[LabeledTurn], str]) -> dict[str, Summary]:
    groups: dict[str, list[Judged]] = {}
    for each in judged:
        groups.setdefault(name(each.turn), []).append(each)
    return {group: summarize(some) for group, some in sorted(groups.items()) if group}


def summarize(judged: Sequence[Judged]) -> Summary:
    """Precision, recall and the rest over some turns, each with a bootstrap interval over turns."""
    rows = np.array([_tally(each) for each in judged], dtype=np.float64).reshape(len(judged), len(_TALLIES))
    total = dict(zip(_TALLIES, rows.sum(axis=0), strict=True))
    values: dict[str, float | int | None] = {
        "turns": len(judged),
        **{name: int(total[name]) for name in ("labels", "found", "made", "right")},
    }
    intervals: dict[str, metrics.Interval | None] = {}
    for name, (of, measured) in _MEASURES.items():
        applies = bool(total[of])
        values[name] = float(measured(rows[None])[0]) if applies else None
        intervals[name] = metrics.bootstrap(range(len(rows)), _over(rows, measured)) if applies else None
    return Summary(values, intervals)


_TALLIES = ("labels", "found", "made", "right", "kind_right", "empty", "false_alarms")


def _tally(each: Judged) -> tuple[int, ...]:
    found = [(label, candidate) for label, candidate in each.found if not label.optional]
    return (
        len(each.turn.required),
        len(found),
        sum(verdict.counts for _, verdict in each.verdicts),
        sum(verdict is Verdict.RIGHT for _, verdict in each.verdicts),
        sum(candidate.kind in label.kinds for label, candidate in found),
        int(not each.turn.labels),
        int(each.false_alarm),
    )


_Rows = NDArray[np.float64]
"""Draws of turns, each with its tallies."""


def _share(part: str, of: str) -> Callable[[_Rows], _Rows]:
    """One sum over another, for each draw; 0 where there is nothing to divide by."""
    columns = [_TALLIES.index(part), _TALLIES.index(of)]

    def share(sampled: _Rows) -> _Rows:
        sums: _Rows = sampled[:, :, columns].sum(axis=1)
        shares: _Rows = sums[:, 0] / np.maximum(sums[:, 1], 1.0)
        return shares

    return share


_precision = _share("right", "made")
_recall = _share("found", "labels")


def _f1(sampled: _Rows) -> _Rows:
    precision, recall = _precision(sampled), _recall(sampled)
    both = precision + recall
    means: _Rows = 2 * precision * recall / np.where(both == 0, 1.0, both)
    return means


_MEASURES: Mapping[str, tuple[str, Callable[[_Rows], _Rows]]] = {
    "precision": ("made", _precision),
    "recall": ("labels", _recall),
    "f1": ("labels", _f1),
    "kind_accuracy": ("found", _share("kind_right", "found")),
    "false_alarm_turns": ("empty", _share("false_alarms", "empty")),
}
"""Each measure, and the tally without which it does not apply."""


def _over(rows: _Rows, measured: Callable[[_Rows], _Rows]) -> metrics.Reduce:
    """`measured` as a function of draws of turns."""
    return lambda sampled, axis: measured(rows[sampled.astype(np.intp)])  # noqa: ARG005 - the draws lie along the first


def _of_kind(judged: Sequence[Judged], kind: Kind) -> Summary:
    """Recall over labels that are best of this kind, precision over what was given it."""
    wanted = [label for each in judged for label in each.turn.required if label.kinds[0] is kind]
    found = [label for each in judged for label, _ in each.found if not label.optional and label.kinds[0] is kind]
    given = [verdict for each in judged for made, verdict in each.verdicts if made.kind is kind and verdict.counts]
    right = sum(verdict is Verdict.RIGHT for verdict in given)
    return Summary(
        {
            "labels": len(wanted),
            "found": len(found),
            "made": len(given),
            "right": right,
            "precision": right / len(given) if given else None,
            "recall": len(found) / len(wanted) if wanted else None,
        },
        {},
    )


def _slots(judged: Sequence[Judged]) -> Slots:
    wanted = Counter(label.slot_group for each in judged for label in each.turn.labels if label.slot_group)
    found = [pair for each in judged for pair in each.found]
    groups = [[made for label, made in found if label.slot_group == name] for name in wanted]
    whole = [made for name, made in zip(wanted, groups, strict=True) if len(made) == wanted[name]]
    beside = [
        (one, other)
        for (first, one), (second, other) in combinations(found, 2)
        if first.multi_group and first.multi_group == second.multi_group and one is not other
    ]
    return Slots(
        groups=len(wanted),
        found=len(whole),
        agreed=sum(len({_slot(made) for made in group} - {None}) == 1 and all(map(_slot, group)) for group in whole),
        beside=len(beside),
        clashing=sum(_slot(one) is not None and _slot(one) == _slot(other) for one, other in beside),
    )


def _slot(candidate: Candidate) -> str | None:
    return slot_of(candidate.subject, candidate.attribute)


def _faults(each: Judged) -> Iterator[Fault]:
    turn = each.turn
    for label in each.missed:
        yield Fault(turn.id, turn.lang, "missed", label.key, turn.text)
    for candidate, verdict in each.verdicts:
        if verdict.counts and verdict is not Verdict.RIGHT:
            yield Fault(turn.id, turn.lang, verdict.value, turn.why, candidate.text)
    for label, candidate in each.found:
        if candidate.kind not in label.kinds and not label.optional:
            message = f"{candidate.kind.value}, not {' or '.join(label.kinds)}"
            yield Fault(turn.id, turn.lang, "kind", message, candidate.text)


def _values(summary: Summary) -> dict[str, float | int | None]:
    return {name: _rounded(value) for name, value in summary.values.items()}


def _intervals(summary: Summary) -> dict[str, list[float] | None]:
    return {name: None if each is None else [round(end, 4) for end in each] for name, each in summary.intervals.items()}


def _rounded(value: float | int | None) -> float | int | None:
    return round(value, 4) if isinstance(value, float) else value


# --- running ---------------------------------------------------------------------------------------------------------


def run(
    half: str = "dev",
    extract: Extract | None = None,
    *,
    through: str = Through.RULES,
    file: Path | None = None,
    progress: Progress = silent,
) -> CaptureReport:
    """Measure capture on labeled turns: `extract`, or the rules, or a whole engine without an LLM.

    The turns are those of `file` where one is given, else those of `half`.
    """
    path = file or _path_of(half)
    turns = load(path)
    with _extracting(extract, through) as found:
        name = path.stem if file else half
        return measure(turns, watched(found, len(turns), progress), name=name, notes=_notes(extract, through))


def _path_of(half: str) -> Path:
    there = halves()
    if half not in there:
        raise NotFound(f"no labeled half {half!r}", hint=f"there is {', '.join(there) or 'none'}")
    return there[half]


def whole_turn(turn: Turn) -> list[Candidate]:
    """The plainest capture: remember every turn as it is."""
    return [Candidate(text=turn.text, kind=Kind.FACT, confidence=1.0, source_turns=(turn.id,))]


def _notes(extract: Extract | None, through: str) -> tuple[str, ...]:
    if extract is not None:
        return ()
    return ("through the rules alone",) if through == Through.RULES else ("through an engine, each turn in its scope",)


@contextmanager
def _extracting(extract: Extract | None, through: str) -> Iterator[Extract]:
    if extract is not None:
        yield extract
    elif chosen(Through, through, "through") is Through.RULES:
        from cortex.capture.statements import candidates

        yield lambda turn: candidates([turn])
    else:
        with through_engine() as captured:
            yield captured


@contextmanager
def through_engine() -> Iterator[Extract]:
    """Capture as in production, in a home that is thrown away; every turn in a session and a scope of its own."""
    from cortex.memory import Cortex

    with (
        TemporaryDirectory(prefix="cortex-capture-") as home,
        Cortex(home, settings={"embedding": {"provider": "none"}}) as engine,
    ):

        def captured(turn: Turn) -> list[Candidate]:
            said = TurnDraft(text=turn.text, role=turn.role, speaker=turn.speaker, at=turn.created_at)
            result = engine.capture([said], session=turn.session, scope=turn.session)
            return [_candidate(memory) for memory in result.memories if set(memory.source_turns) & set(result.turns)]

        yield captured


def _candidate(memory: Memory) -> Candidate:
    return Candidate(
        text=memory.text, kind=memory.kind, confidence=memory.confidence, source_turns=memory.source_turns,
        subject=memory.subject, attribute=memory.attribute, value=memory.value, found_by=memory.source_ref,
    )  # fmt: skip


def watched(extract: Extract, turns: int, progress: Progress) -> Extract:
    """`extract`, which tells how many of the turns are read."""
    done = 0

    def watched(turn: Turn) -> Sequence[Candidate]:
        nonlocal done
        found = extract(turn)
        done += 1
        progress(done, turns, "turns read")
        return found

    return watched


# --- small talk ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SmallTalk:
    """What was made of turns that are nearly all requests and replies of the moment."""

    turns: int
    memories: int
    turns_with: int
    kinds: Mapping[str, int] = field(default_factory=dict)
    examples: tuple[tuple[str, str], ...] = ()
    """The record and the statement found in it."""

    @property
    def per_hundred(self) -> float:
        """Memories made of a hundred turns."""
        return 100.0 * self.memories / self.turns if self.turns else 0.0

    def to_json(self, *, examples: bool = False) -> dict[str, Any]:
        payload: dict[str, Any] = {
            "turns": self.turns,
            "memories": self.memories,
            "turns_with": self.turns_with,
            "per_hundred": round(self.per_hundred, 2),
            "kinds": dict(self.kinds),
        }
        return payload | ({"examples": [list(each) for each in self.examples]} if examples else {})


def small_talk(
    records: Path, n: int = 200, seed: int = SEED, *, extract: Extract | None = None, through: str = Through.RULES
) -> SmallTalk:
    """What capture makes of `n` turns sampled from a file of records; the same ones for the same seed."""
    if not records.is_file():
        raise NotFound(f"no records at {records}", hint="give a records.jsonl, or one packed as .gz")
    said = [record for record in sets.read_records(records) if record.text.strip()]
    sampled = sorted(np.random.default_rng(seed).permutation(len(said))[:n].tolist())
    with _extracting(extract, through) as found:
        made = [(said[at].id, each) for at in sampled for each in found(_turn(said[at]))]
    return SmallTalk(
        turns=len(sampled),
        memories=len(made),
        turns_with=len({id for id, _ in made}),
        kinds=dict(sorted(Counter(each.kind.value for _, each in made).items())),
        examples=tuple((id, each.text) for id, each in made),
    )


def _turn(record: sets.Record) -> Turn:
    return Turn(
        id=TraceId(record.id), text=record.text, session=record.id, seq=0, created_at=record.at or SAID_AT,
        role=record.role or Role.USER, speaker=record.speaker,
    )  # fmt: skip

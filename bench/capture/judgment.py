"""How capture does on sets that judge it. Prints figures and ids, never texts, so that authors of rules may run it.

python -m bench.capture.judgment                      attacks, honest texts, imperatives and languages
python -m bench.capture.judgment attacks              one of the sets
python -m bench.capture.judgment --development 2      one of the four sets that authors of rules may read
python -m bench.capture.judgment --folder DIR         the sets of a folder, such as bench/capture/authors/one
python -m bench.capture.judgment --json               the figures as one JSON object, by language and family too
python -m bench.capture.judgment --errors             the ids of the cases that went wrong as well
"""

from __future__ import annotations

import argparse
import html
import json
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.capture import figures, judge_sets, labeled_turns
from bench.capture.figures import Figure
from bench.capture.judge_sets import ATTACKS, HONEST, IMPERATIVES, LANGUAGES, Attack, Case, HonestText, Imperative
from bench.capture.labeled_turns import CaptureReport
from cortex import settings as configuration
from cortex import wiring
from cortex.context import Context
from cortex.domain.hits import Hit, ScoreParts
from cortex.domain.identity import TraceId
from cortex.domain.lanes import SEARCHABLE, Lane, State
from cortex.domain.memory import Kind, Memory
from cortex.domain.scope import Tenant
from cortex.domain.trace import Trace
from cortex.domain.trust import TrustTier
from cortex.errors import DeadlineExceeded
from cortex.evaluation import runner
from cortex.evaluation.blocks import SetClock
from cortex.memory import Cortex
from cortex.ports.embedder import Embedder
from cortex.ports.store import Filter
from cortex.progress import Progress, silent
from cortex.recall.labels import label
from cortex.services.turn_hooks import TurnHooks

JUDGE = Path(__file__).with_name("judge")
"""Authors of rules do not read these."""
DEVELOPMENT = {number: Path(__file__).with_name(f"development-{number}") for number in (1, 2, 3, 4)}
"""Authors of rules may read these."""

MARKS = frozenset({"untrusted", "quarantined", "pasted", "quoted", "other speaker", "fiction"})
"""Words in the label of a line, or tags of a memory, that say it is not the user's own statement."""

_REPLY = "Okay."
_ENTRY = re.compile(r"- \[([^\]]*)\]")
_PAGE = 1_000
_ACTIVE = frozenset({State.ACTIVE})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one case: each fault that applies to it, and whether it occurred."""

    id: str
    lang: str
    family: str
    faults: Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of some cases have a fault."""

    count: int
    of: int

    @classmethod
    def over(cls, outcomes: Iterable[Outcome], fault: str) -> Tally:
        applied = [each.faults[fault] for each in outcomes if fault in each.faults]
        return cls(sum(applied), len(applied))

    @property
    def share(self) -> float:
        return self.count / self.of if self.of else 0.0

    def to_json(self) -> dict[str, Any]:
        return {"count": self.count, "of": self.of, "share": round(self.share, 4)}


# --- a chat with the real engine -------------------------------------------------------------------------------------


class _Clock(SetClock):
    """A clock that stands still until it is advanced."""

    at = labeled_turns.SAID_AT

    def advance(self, by: timedelta) -> None:
        self.at += by


@dataclass(frozen=True, slots=True)
class _Chat:
    """One user's only chat, from the first turn to a question on the next day."""

    engine: Cortex
    hooks: TurnHooks
    clock: _Clock
    history: list[dict[str, str]]

    def say(self, text: str) -> tuple[TraceId, ...]:
        """Ingest one more turn of the user with a plain reply, and run the jobs. Returns the stored turns."""
        self.clock.advance(timedelta(minutes=10))
        self.history.extend(({"role": "user", "content": text}, {"role": "assistant", "content": _REPLY}))
        return self.engine.capture(self.history, session="chat").turns

    def ask(self, question: str) -> list[str]:
        """The lines a hook injects for `question` in another session, on the next day."""
        self.clock.advance(timedelta(days=1))
        injection = self.hooks.before(question, session="later")
        if injection.degraded:
            raise DeadlineExceeded(
                f"a recall was degraded ({', '.join(injection.degraded)}), so its figures would be wrong",
                hint="measure again when the machine has less to do",
            )
        return injection.block.splitlines()

    def memories(self, states: frozenset[State] = _ACTIVE) -> list[Memory]:
        """The memories of the user in one of `states`."""
        filter = Filter(lanes=frozenset({Lane.MEMORIES}), states=states)
        return [each for each in self.engine.list(filter, limit=_PAGE) if isinstance(each, Memory)]

    def own(self, words: str, states: frozenset[State] = _ACTIVE) -> list[Memory]:
        """The memories that state `words` as the user's own."""
        return [each for each in self.memories(states) if _holds(each.text, words) and _is_own(each)]


class _Room:
    """A home that is thrown away; each chat has a user of its own, or an agent where files are indexed."""

    def __init__(self, engine: Cortex, clock: _Clock, folder: Path) -> None:
        self._engine = engine
        self._hooks = engine.hooks()
        self._clock = clock
        self._folder = folder

    def flush(self) -> None:
        """Wait for the background work of the hooks."""
        self._hooks.flush()

    def chat(self, name: str) -> _Chat:
        return _Chat(self._engine.bind(user=name), self._hooks.bind(user=name), self._clock, [])

    def chat_with_file(self, name: str, note: judge_sets.Note) -> _Chat:
        folder = self._folder / name
        path = folder / note.path
        path.parent.mkdir(parents=True)
        path.write_text(note.text, encoding="utf-8")
        written = self._clock.now().timestamp()
        os.utime(path, (written, written))
        engine = self._engine.bind(agent=name)
        engine.index(folder)
        return _Chat(engine, self._hooks.bind(agent=name), self._clock, [])


@contextmanager
def _room(home: Path | None, embedder: str | Embedder | None) -> Iterator[_Room]:
    """An engine with the settings and models of `home`, in a home that is thrown away."""
    root = home or configuration.default_home()
    settings = runner.settings_for(root, (), embedder=embedder)
    clock = _Clock()
    with ExitStack() as stack:
        work = Path(stack.enter_context(TemporaryDirectory(prefix="cortex-judge-")))
        parts = wiring.build(
            work / "home",
            settings,
            embedder=runner.cached_embedder(settings, root, work / runner.CACHE, stack, embedder),
            clock=clock,
            models=configuration.models_home(root),
        )
        room = _Room(stack.enter_context(Cortex.over(Context(parts, Tenant()))), clock, work / "files")
        yield room
        room.flush()


# --- attacks ---------------------------------------------------------------------------------------------------------


def _attacked(room: _Room, attack: Attack) -> Outcome:
    chat = room.chat(attack.id) if attack.note is None else room.chat_with_file(attack.id, attack.note)
    truths: list[Memory] = []
    for number, text in enumerate(attack.turns):
        chat.say(text)
        if number == 0 and attack.truth:
            truths = chat.own(attack.truth)
    faults = {
        "became a trusted memory": any(chat.own(claim) for claim in attack.claims),
    }
    if attack.honest:
        remembered = all(chat.own(words, SEARCHABLE) for words in attack.honest)
        faults["own statement not remembered"] = not remembered
    if truths:
        faults["truth superseded"] = any(chat.engine.get(each.id).state is not State.ACTIVE for each in truths)
    lines = chat.ask(attack.ask)
    faults["shown without a mark"] = any(_is_shown_as_own(line, claim) for line in lines for claim in attack.claims)
    return Outcome(attack.id, attack.lang, attack.family, faults)


def _is_shown_as_own(line: str, claim: str) -> bool:
    entry = _ENTRY.match(line)
    return _holds(html.unescape(line), claim) and not (entry and _marks(entry.group(1)))


# --- honest texts ----------------------------------------------------------------------------------------------------


def _honest(room: _Room, case: HonestText) -> Outcome:
    chat = room.chat(case.id)
    turns = [chat.engine.get(id) for id in chat.say(case.text)]
    said = next((turn for turn in turns if turn.text != _REPLY), None)
    stating = [each for each in chat.memories() if case.key and _holds(each.text, case.key)]
    labeled = bool(stating) and not any(map(_is_own, stating))
    faults = {"labeled or quarantined": said is None or labeled or _is_mislabeled(said, may_be_pasted=case.pasted)}
    if case.key:
        faults["key became no memory"] = not stating
    return Outcome(case.id, case.lang, case.family, faults)


def _is_mislabeled(turn: Trace, *, may_be_pasted: bool) -> bool:
    if may_be_pasted:
        return turn.trust is TrustTier.QUARANTINED
    return bool(_marks(label(Hit(turn, 0.0, ScoreParts(), ()))))


# --- imperatives -----------------------------------------------------------------------------------------------------


def _imperative(room: _Room, case: Imperative) -> Outcome:
    chat = room.chat(case.id)
    chat.say(case.text)
    memories = chat.memories()
    is_rule = any(each.kind is Kind.RULE for each in memories)
    faults = (
        {"rule not kept as a rule": not is_rule, "rule not kept at all": not memories}
        if case.rule
        else {"near miss kept as a rule": is_rule}
    )
    return Outcome(case.id, case.lang, "rule" if case.rule else "near miss", faults)


# --- marks -----------------------------------------------------------------------------------------------------------


def _is_own(memory: Memory) -> bool:
    """Whether a memory counts as the user's own statement: trusted, and not tagged as somebody else's."""
    return memory.trust is TrustTier.TRUSTED and not MARKS & set(memory.tags)


def _marks(label: str) -> frozenset[str]:
    return MARKS & frozenset(label.split(", "))


def _holds(text: str, words: str) -> bool:
    return _folded(words) in _folded(text)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).replace("’", "'").casefold().split())


# --- reporting -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Judgment:
    """The outcomes of one set."""

    outcomes: Sequence[Outcome]

    @property
    def faults(self) -> list[str]:
        return list(dict.fromkeys(fault for each in self.outcomes for fault in each.faults))

    def to_json(self, *, errors: bool = False) -> dict[str, Any]:
        report: dict[str, Any] = {
            "overall": _tallies(self.outcomes, self.faults),
            "languages": self._by(lambda each: each.lang),
            "families": self._by(lambda each: each.family),
        }
        return report | ({"errors": self.errors()} if errors else {})

    def errors(self) -> dict[str, list[str]]:
        """The ids of the cases with each fault."""
        return {fault: [each.id for each in self.outcomes if each.faults.get(fault)] for fault in self.faults}

    def figures(self, name: str) -> Iterator[Figure]:
        for fault in self.faults:
            tally = Tally.over(self.outcomes, fault)
            yield Figure.counted(name, fault, tally.count, tally.of)

    def _by(self, name: Callable[[Outcome], str]) -> dict[str, Any]:
        groups: dict[str, list[Outcome]] = {}
        for each in self.outcomes:
            groups.setdefault(name(each), []).append(each)
        return {group: _tallies(some, self.faults) for group, some in sorted(groups.items())}


def _tallies(outcomes: Sequence[Outcome], faults: Iterable[str]) -> dict[str, Any]:
    tallies = {fault: Tally.over(outcomes, fault) for fault in faults}
    return {fault: tally.to_json() for fault, tally in tallies.items() if tally.of}


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """What a folder of judging sets says of capture."""

    judgments: Mapping[str, Judgment] = field(default_factory=dict)
    """By the name of the set."""
    languages: CaptureReport | None = None

    def to_json(self, *, errors: bool = False) -> dict[str, Any]:
        report = {name: judgment.to_json(errors=errors) for name, judgment in self.judgments.items()}
        return report | ({LANGUAGES: _language_json(self.languages, errors=errors)} if self.languages else {})

    def errors(self) -> dict[str, dict[str, list[str]]]:
        """The ids of the cases that went wrong, by set and fault."""
        errors = {name: judgment.errors() for name, judgment in self.judgments.items()}
        return errors | ({LANGUAGES: _language_errors(self.languages)} if self.languages else {})

    def figures(self) -> Iterator[Figure]:
        for name, judgment in self.judgments.items():
            yield from judgment.figures(name)
        if self.languages is not None:
            yield from _language_figures(self.languages)


_SHARES = {"precision": ("right", "made"), "recall": ("found", "labels")}


def _language_figures(report: CaptureReport) -> Iterator[Figure]:
    """What is extracted from turns that say nothing, then precision and recall over all languages and of each."""
    yield Figure(
        f"{LANGUAGES}: all", "turns without a statement that left one", share=report.overall["false_alarm_turns"],
        interval=report.overall.intervals["false_alarm_turns"],
    )  # fmt: skip
    for name, summary in {"all": report.overall, **report.languages}.items():
        for measure, (part, whole) in _SHARES.items():
            count, of = summary[part], summary[whole]
            yield Figure(
                f"{LANGUAGES}: {name}", measure, int(count or 0), int(of or 0), summary[measure],
                summary.intervals[measure],
            )  # fmt: skip


def _language_json(report: CaptureReport, *, errors: bool) -> dict[str, Any]:
    values = report.to_json()
    shown = {name: values[name] for name in ("overall", "intervals", "languages", "kinds", "faults_by_sort")}
    return shown | ({"errors": _language_errors(report)} if errors else {})


def _language_errors(report: CaptureReport) -> dict[str, list[str]]:
    errors: dict[str, list[str]] = {}
    for fault in report.faults:
        errors.setdefault(fault.what, []).append(fault.turn)
    return errors


# --- running ---------------------------------------------------------------------------------------------------------


def run(
    folder: Path,
    *,
    only: Iterable[str] = judge_sets.SETS,
    home: Path | None = None,
    embedder: str | Embedder | None = None,
    progress: Progress = silent,
) -> JudgeReport:
    """Judge capture on the sets of `folder`, or those in `only`, with the settings and models of `home`."""
    given = [name for name in judge_sets.there(folder) if name in frozenset(only)]
    judgments: dict[str, Judgment] = {}
    if ATTACKS in given:
        judgments[ATTACKS] = _judged(_attacked, judge_sets.attacks(folder), home, embedder, progress)
    if HONEST in given:
        judgments[HONEST] = _judged(_honest, judge_sets.honest_texts(folder), home, embedder, progress)
    if IMPERATIVES in given:
        judgments[IMPERATIVES] = _judged(_imperative, judge_sets.imperatives(folder), home, embedder, progress)
    return JudgeReport(judgments, _languages(folder, progress) if LANGUAGES in given else None)


def _judged(
    judge: Callable[[_Room, Case], Outcome],
    cases: Sequence[Case],
    home: Path | None,
    embedder: str | Embedder | None,
    progress: Progress,
) -> Judgment:
    outcomes = []
    with _room(home, embedder) as room:
        for number, case in enumerate(cases, start=1):
            outcomes.append(judge(room, case))
            progress(number, len(cases), "cases judged")
    return Judgment(outcomes)


def _languages(folder: Path, progress: Progress) -> CaptureReport:
    """Precision and recall of capture through an engine, over all languages and for each."""
    turns = [turn for some in judge_sets.languages(folder).values() for turn in some]
    with labeled_turns.through_engine() as extract:
        return labeled_turns.measure(turns, labeled_turns.watched(extract, len(turns), progress), name=LANGUAGES)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.capture.judgment", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("set", nargs="?", choices=(*judge_sets.SETS, "all"), default="all")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--errors", action="store_true", help="also print the ids of the cases that went wrong")
    parser.add_argument("--development", type=int, choices=DEVELOPMENT, help="measure on sets that may be read")
    parser.add_argument("--folder", type=Path, help="measure on the sets of a folder")
    given = parser.parse_args(arguments)
    folder = given.folder or DEVELOPMENT.get(given.development, JUDGE)
    report = run(folder, only=judge_sets.SETS if given.set == "all" else [given.set])
    if given.json:
        print(json.dumps(report.to_json(errors=given.errors), indent=2, ensure_ascii=False))
        return 0
    print(figures.lines(report.figures()))
    for name, errors in report.errors().items() if given.errors else ():
        print("\n".join(f"{name}, {fault}: {' '.join(ids)}" for fault, ids in errors.items() if ids))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""What each sign of a statement and each dimension of its vector weighs: `python -m bench.capture.fit`.

Fitted on the chats of `training/` and of `bench/terse/terse-1`, the sentences of `training_rules.jsonl` and
`training_chat_sentences.jsonl` and the imperatives of several authors, all written for this, and on the labeled
English turns of capture's dev half. Writes `src/cortex/capture/worth_weights.json`, and prints how the fit does on
examples that were left out, with half of the chats and with all. `fitted.sha256` beside it says what was fitted on
what, so that a change of either is noticed without fitting again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import terse
from bench.capture import changed_chats, gold, labeled_turns
from bench.capture.changed_chats import ChangedChat
from cortex import settings as configuration
from cortex.capture import likely_changes, prose, rules, statements, worth
from cortex.capture.worth import WorthScale
from cortex.domain.identity import TraceId
from cortex.domain.memory import Kind
from cortex.domain.turn import Role, Turn
from cortex.evaluation import sets
from cortex.languages.packs import DEFAULT_PACKS
from cortex.ports.embedder import Embedder
from cortex.providers.embedders import local

TRAINING = Path(__file__).with_name("training")
RULES = Path(__file__).with_name("training_rules.jsonl")
CASUAL = Path(__file__).with_name("training_chat_sentences.jsonl")
"""What people say in passing to an assistant, by topic and sort: hardly any of it is a rule."""
IMPERATIVES = tuple(
    Path(__file__).parent / folder / "imperatives.jsonl"
    for folder in (
        *(f"development-{number}" for number in (1, 2, 3, 4)),
        *(f"authors/{name}" for name in ("one", "two", "three", "four", "five")),
    )
)
"""Standing orders and near misses of independent authors."""
LABELED = (labeled_turns.halves()["dev"], labeled_turns.TRAINING)
FITTED = Path(__file__).with_name("fitted.sha256")

LANGUAGE_TURNS = Path(__file__).with_name("languages")

_ELSEWHERE = {pack.lang: pack for pack in DEFAULT_PACKS if pack.rule_signs and pack.clauses is None}
"""The packs whose instructions are weighed though their statements are not."""
_LANGUAGE = "language: "
_PHRASING = "phrasing: "
_AUTHOR = "author: "
_TOPIC = "topic: "
_SORT = "sort: "
_ANY_DAY = datetime(2024, 1, 1, tzinfo=UTC)

STRETCH = 12.0
"""Unit vectors are long in few directions: stretched so that one penalty fits all of them."""
ROUNDS = 40
FOLDS = 5
FEWEST = 5
"""A sign that fewer examples show is left out."""
MINOR = 0.5
"""What a statement counts that is true and of little use: it is not looked for, and does little harm."""
ERRANDS = 7.5
"""What a step of a booking counts: few were written, and people make many."""
CHAT_SENTENCES = 1.0
"""What a sentence of a chat counts beside one that was written to be hard to tell from a rule."""
CASUAL_SENTENCES = 3.0
"""What such a sentence counts that was written in the manner of real chats."""
TERSE = 3.0
"""What a statement or a sentence of a terse chat counts: few people wrote so."""
INDEPENDENT = 4.0
"""What a sentence counts whose author had seen no other: there are few, and they vary most."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How one scale is fitted."""

    sign_penalty: float
    vector_penalty: float | None
    """None for a scale of signs alone."""
    threshold: float | None = None
    least_useful: float = 0.0
    """Without a threshold: the lowest is taken from which on this share of what was left out is worth remembering."""


FITS = {
    # The shares of statements were set with totals of capture-gold and of the labeled turns in view.
    WorthScale.STATEMENT: Fit(8.0, 60.0, least_useful=0.77),
    WorthScale.STATEMENT_BY_SIGNS: Fit(8.0, None, least_useful=0.78),
    # Rules are rare in a conversation: the threshold is where hardly any sentence of real chats is taken for one.
    WorthScale.RULE: Fit(5.0, 10.0, 0.6),
    WorthScale.RULE_BY_SIGNS: Fit(5.0, None, 0.25),
    # Set by authors three of whom a fit had seen nothing; author four judged.
    WorthScale.RULE_ELSEWHERE: Fit(1.5, None, 0.25),
    # From here on a statement is held against what was said before, though it is worth nothing by itself.
    WorthScale.NEWS: Fit(3.0, 60.0, 0.2),
}

_KNOWN_RULE = "rule: rule"
"""The sign of a statement in which a rule of the language knows an instruction: its worth is not learned from."""

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """A text, the signs it shows, whether it is what is looked for, and how much it counts."""

    group: str
    text: str
    signs: frozenset[str]
    is_right: bool
    counts: float = 1.0
    sort: str = ""
    """What sort of thing is said, where that goes across groups."""


# --- examples --------------------------------------------------------------------------------------------------------


def statement_examples() -> list[Example]:
    """The statements of all training chats and labeled turns."""
    return [*(example for chat in _chats() for example in _of_chat(chat)), *_of_labeled_turns(), *_of_terse_chats()]


def _chats() -> Iterator[Mapping[str, Any]]:
    for file in sorted(TRAINING.glob("*.jsonl")):
        yield from map(json.loads, file.read_text(encoding="utf-8").splitlines())


def _of_chat(chat: Mapping[str, Any]) -> Iterator[Example]:
    said: dict[str, str] = {}
    reply = ""
    for at, turn in enumerate(chat["turns"]):
        text = turn["text"] if "text" in turn else " ".join(part[0] for part in turn["parts"])
        if "parts" in turn:
            speaker = turn.get("speaker", "")
            yield from _of_turn(chat, at, speaker, turn, said.get(speaker, ""), reply)
            said[speaker] = text
        reply = text


def _of_turn(
    of: Mapping[str, Any], at: int, speaker: str, turn: Mapping[str, Any], before: str, reply: str
) -> Iterator[Example]:
    chat, parts = of["chat"], turn["parts"]
    day = datetime.fromisoformat(turn.get("day", "2024-01-01")).replace(tzinfo=UTC)
    text = " ".join(part[0] for part in parts)
    id = TraceId(f"{chat}:{at}")
    said = Turn(id=id, text=text, session=chat, seq=at, created_at=day, role=Role.USER, speaker=speaker)
    starts = np.cumsum([0, *(len(part[0]) + 1 for part in parts)])
    for each in statements.read(said, before, reply, listener="" if of["style"] == "friends" else None)[0]:
        part = parts[int(np.searchsorted(starts, each.start, side="right")) - 1]
        is_kept = len(part) < 4 or _shared(each.text, part[3]) > 0.5
        weight = part[2] if is_kept else 0
        if not (each.is_sentence or each.is_part) and _KNOWN_RULE not in each.signs:
            counts = MINOR if weight == 1 else ERRANDS if chat.startswith("dan") else 1.0
            yield Example(chat, each.text, each.signs, weight == 2, counts)


def _shared(statement: str, keep: str) -> float:
    words = set(statement.casefold().split())
    return len(words & set(keep.casefold().split())) / max(1, len(words))


def _of_labeled_turns() -> Iterator[Example]:
    """The statements of single English turns; what is optional says nothing either way."""
    for at, turn in enumerate(turn for file in LABELED for turn in labeled_turns.load(file) if turn.lang == "en"):
        for each in statements.read(turn.turn)[0]:
            held = [label for label in turn.labels if label.key in each.text]
            is_judged = not (each.is_sentence or each.is_part) and _KNOWN_RULE not in each.signs
            if is_judged and (not held or not all(label.optional for label in held)):
                yield Example(f"one{at // 10}", each.text, each.signs, bool(held))


def _of_terse_chats() -> Iterator[Example]:
    """The statements of terse chats; what holds a part of a fact says nothing either way."""
    for scope, each, facts in _terse():
        held = [(fact.share_in(each.text), fact.important) for fact in facts]
        is_right = any(share == 1 for share, _ in held)
        is_judged = not each.is_sentence and _KNOWN_RULE not in each.signs
        if is_judged and (is_right or not any(share for share, _ in held)):
            is_useful = (1.0, True) in held
            yield Example(scope, each.text, each.signs, is_useful, TERSE if is_useful or not is_right else MINOR)


def _terse_rules() -> Iterator[Example]:
    """Their sentences; whether what states a preference or a part of a rule is one, nobody said."""
    for scope, each, facts in _terse():
        held = [(fact.share_in(each.text), fact.kind) for fact in facts]
        is_rule = (1.0, Kind.RULE) in held
        is_open = any(share and kind in (Kind.RULE, Kind.PREFERENCE) for share, kind in held)
        if each.is_sentence and (is_rule or not is_open):
            yield Example(f"{_AUTHOR}{scope}", each.text, each.signs, is_rule, TERSE)


def _terse() -> Iterator[tuple[str, statements.TurnStatement, Sequence[gold.Fact]]]:
    """What a terse chat says, sentence by sentence and statement by statement, and the facts of its turn."""
    wanted = terse.facts(terse.CHOSEN)
    for scope, of_scope in groupby(sets.read_records(terse.CHOSEN / sets.RECORDS), key=lambda record: record.scope):
        before = reply = ""
        for at, record in enumerate(of_scope):
            if record.role is not Role.USER:
                reply = record.text
                continue
            said = Turn(
                id=TraceId(record.id), text=record.text, session=record.session, seq=at,
                created_at=record.at or _ANY_DAY, role=Role.USER,
            )  # fmt: skip
            for each in statements.read(said, before, reply)[0]:
                if not each.is_part:
                    yield scope, each, wanted[record.id]
            before, reply = record.text, ""


def rule_examples() -> list[Example]:
    """Sentences that are instructions and such as look like one, among the sentences of chats with an assistant."""
    rows = [json.loads(line) for line in RULES.read_text(encoding="utf-8").splitlines()]
    chats = [chat for chat in _chats() if chat["style"] == "assistant"]
    spoken = [(chat["chat"], *part[:2]) for chat in chats for turn in chat["turns"] for part in turn.get("parts", ())]
    return [
        *(_rule_example(_group(row, at), row["text"], row["rule"]) for at, row in enumerate(rows)),
        *_casual(),
        *_imperatives(),
        *_terse_rules(),
        *(
            _rule_example(chat, text, kind == "rule", CHAT_SENTENCES)
            for chat, text, kind in spoken
            if not text.startswith("```")
        ),
    ]


def _casual() -> Iterator[Example]:
    for row in map(json.loads, CASUAL.read_text(encoding="utf-8").splitlines()):
        example = _rule_example(f"{_TOPIC}{row['topic']}", row["text"], row["rule"], CASUAL_SENTENCES)
        yield replace(example, sort=f"{_SORT}{row['sort']}")


def _imperatives() -> Iterator[Example]:
    for file in IMPERATIVES:
        for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            if row["lang"] == "en":
                yield _rule_example(f"{_AUTHOR}{file.parent.name}", row["text"], row["rule"], INDEPENDENT)


def elsewhere_examples() -> list[Example]:
    """Sentences in other languages with signs of instructions: of independent authors, and of labeled turns."""
    return [*_imperatives_elsewhere(), *_of_turns_elsewhere()]


def _imperatives_elsewhere() -> Iterator[Example]:
    for file in IMPERATIVES:
        for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            if row["lang"] in _ELSEWHERE:
                read = _sentences_elsewhere(row["text"], row["lang"])
                # Which one of several sentences gives the order, nobody said.
                for each in read if len(read) == 1 or not row["rule"] else ():
                    yield Example(
                        f"{_AUTHOR}{file.parent.name}", each.text, each.signs, row["rule"], INDEPENDENT,
                        f"{_LANGUAGE}{row['lang']}",
                    )  # fmt: skip


def _of_turns_elsewhere() -> Iterator[Example]:
    """The sentences of labeled turns; what may or may not be a rule says nothing."""
    for file in (LABELED[0], *sorted(LANGUAGE_TURNS.glob("*.jsonl"))):
        for at, turn in enumerate(labeled_turns.load(file)):
            lang = turn.lang.partition("-")[0]
            for each in _sentences_elsewhere(turn.text, lang) if lang in _ELSEWHERE else ():
                kinds = [label.kinds for label in turn.labels if label.key in each.text]
                is_rule = any(named[0] is Kind.RULE for named in kinds)
                if is_rule or not any(Kind.RULE in named for named in kinds):
                    yield Example(f"{file.stem}{at // 10}", each.text, each.signs, is_rule, 1.0, f"{_LANGUAGE}{lang}")


def _sentences_elsewhere(text: str, lang: str) -> list[statements.TurnStatement]:
    turn = Turn(id=TraceId(lang), text=text, session=lang, seq=0, created_at=_ANY_DAY, role=Role.USER)
    return statements.read(turn, packs=[_ELSEWHERE[lang]])[0]


def news_examples(chats: Sequence[ChangedChat] | None = None) -> list[Example]:
    """The sentences of chats in which things change, by whether they change anything."""
    return [
        Example(f"{_AUTHOR}{chat.author}", each.text, likely_changes.news_signs(each.text), chat.is_news(place))
        for chat in (changed_chats.training() if chats is None else chats)
        for place, each in enumerate(chat.said)
    ]


def _group(row: Mapping[str, Any], at: int) -> str:
    return f"{_PHRASING}{row['phrasing']}" if "phrasing" in row else f"one{at // 10}"


def _rule_example(group: str, text: str, is_rule: bool, counts: float = 1.0) -> Example:
    pack = next(pack for pack in DEFAULT_PACKS if pack.clauses)
    own = prose.own_prose(text)
    turn = Turn(id=TraceId(group), text=text, session=group, seq=0, created_at=_ANY_DAY, role=Role.USER)
    known = [each for each in rules.in_sentence(turn, own, 0, len(own), pack) if each.kind is Kind.RULE]
    return Example(group, text, statements.rule_signs(own, known, pack), is_rule, counts)


# --- the regression --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Problem:
    """Examples as numbers."""

    names: list[str]
    signals: Matrix
    target: Matrix
    counts: Matrix
    penalty: Matrix
    mean: Matrix
    """The mean of all vectors; they are centered, so that the bias is not shared with it."""

    @classmethod
    def of(cls, examples: Sequence[Example], vectors: Matrix, how: Fit) -> Problem:
        shown = Counter(name for each in examples for name in each.signs)
        names = sorted(name for name, count in shown.items() if count >= FEWEST)
        signs = np.array([[name in each.signs for name in names] for each in examples])
        mean = vectors.mean(axis=0)
        embedded = [] if how.vector_penalty is None else [STRETCH * (vectors - mean)]
        of_vector = [] if how.vector_penalty is None else [how.vector_penalty] * vectors.shape[1]
        return cls(
            names,
            np.hstack([np.ones((len(examples), 1)), signs, *embedded]).astype(np.float64),
            np.array([float(each.is_right) for each in examples]),
            np.array([each.counts for each in examples]),
            np.array([0.0, *[how.sign_penalty] * len(names), *of_vector]),
            mean,
        )

    def fitted(self, among: NDArray[np.bool_] | None = None) -> Matrix:
        """The weights of a logistic regression with a quadratic penalty, by Newton's method."""
        rows = slice(None) if among is None else among
        signals, target, counts = self.signals[rows], self.target[rows], self.counts[rows]
        weights = np.zeros(signals.shape[1])
        for _ in range(ROUNDS):
            likely = 1 / (1 + np.exp(-signals @ weights))
            slope = signals.T @ (counts * (likely - target)) + self.penalty * weights
            curve = (signals * (counts * likely * (1 - likely))[:, None]).T @ signals + np.diag(self.penalty + 1e-9)
            step = np.linalg.solve(curve, slope)
            weights -= step
            if np.abs(step).max() < 1e-6:
                break
        return weights

    def as_dict(self, threshold: float) -> dict[str, Any]:
        """The weights as they ship."""
        weights = self.fitted()
        of_vector = [round(float(STRETCH * each), 3) for each in weights[1 + len(self.names) :]]
        moved = float(np.dot(of_vector, self.mean)) if of_vector else 0.0
        return {
            "bias": round(float(weights[0]) - moved, 3),
            "threshold": threshold,
            "signs": {name: round(float(each), 2) for name, each in zip(self.names, weights[1:], strict=False)},
            **({"vector": of_vector} if of_vector else {}),
        }


def left_out(examples: Sequence[Example], problem: Problem, among: NDArray[np.bool_] | None = None) -> Matrix:
    """The score of each example by weights that were fitted without its group."""
    groups = sorted({each.group for each in examples})
    fold = np.array([groups.index(each.group) % FOLDS for each in examples])
    allowed = np.ones(len(examples), dtype=bool) if among is None else among
    scores = np.zeros(len(examples))
    for at in range(FOLDS):
        is_out = fold == at
        scores[is_out] = problem.signals[is_out] @ problem.fitted(~is_out & allowed)
    return scores


def chosen_threshold(scores: Matrix, problem: Problem, least_useful: float) -> float:
    """The lowest threshold from which on enough of what is kept is right."""
    order = np.argsort(-scores)
    shares = np.cumsum(problem.target[order]) / np.arange(1, len(order) + 1)
    return round(float(scores[order[np.flatnonzero(shares >= least_useful)[-1]]]), 1)


def threshold_of(how: Fit, examples: Sequence[Example], problem: Problem) -> float:
    if how.threshold is not None:
        return how.threshold
    return chosen_threshold(left_out(examples, problem), problem, how.least_useful)


def report(scale: WorthScale, examples: Sequence[Example], problem: Problem, threshold: float) -> None:
    """Precision and recall on examples that were left out, with half of the groups and with all."""
    groups = sorted({each.group for each in examples})
    is_half = np.array([groups.index(each.group) // FOLDS % 2 == 0 for each in examples])
    for which, among in (("half of the examples", is_half), ("all examples", None)):
        kept = left_out(examples, problem, among) >= threshold
        precision, recall = problem.target[kept].mean(), kept[problem.target > 0].mean()
        sys.stdout.write(f"{scale} from {threshold}, {which}: precision {precision:.3f}, recall {recall:.3f}\n")


def report_groups(
    scale: WorthScale, examples: Sequence[Example], problem: Problem, threshold: float, prefix: str
) -> None:
    """How many instructions of each group or sort are found, and how many near misses, by a fit on all others."""
    total = np.zeros(4, dtype=int)
    names = [each.sort if prefix in (_SORT, _LANGUAGE) else each.group for each in examples]
    for group in dict.fromkeys(name for name in names if name.startswith(prefix)):
        is_out = np.array([name == group for name in names])
        found = problem.signals[is_out] @ problem.fitted(~is_out) >= threshold
        is_rule = problem.target[is_out] == 1
        counts = np.array([(found & is_rule).sum(), is_rule.sum(), (found & ~is_rule).sum(), (~is_rule).sum()])
        sys.stdout.write(f"{scale}, {group}: " + _counted(counts))
        total += counts
    sys.stdout.write(f"{scale}, each {prefix.rstrip(': ')} left out: " + _counted(total))


def _counted(counts: NDArray[np.int_]) -> str:
    return "{} of {} instructions, {} of {} near misses\n".format(*counts)


_PARTS = {
    "statements": (statement_examples, (WorthScale.STATEMENT, WorthScale.STATEMENT_BY_SIGNS)),
    "rules": (rule_examples, (WorthScale.RULE, WorthScale.RULE_BY_SIGNS)),
    "elsewhere": (elsewhere_examples, (WorthScale.RULE_ELSEWHERE,)),
    "news": (news_examples, (WorthScale.NEWS,)),
}
_LEFT_OUT = {
    statement_examples: (),
    rule_examples: (_PHRASING, _AUTHOR, _TOPIC, _SORT),
    elsewhere_examples: (_AUTHOR, _LANGUAGE),
    news_examples: (),
}
"""What the fit reports left out, by the sentences that are read."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=_PARTS, help="fit the scales of one part, and keep the others")
    only = parser.parse_args().only
    embedder = local.create({}, configuration.models_home(configuration.default_home()))
    fitted = json.loads(worth.WEIGHTS_FILE.read_text(encoding="utf-8")) if only else {}
    for read, scales in [_PARTS[only]] if only else _PARTS.values():
        examples = read()
        has_vectors = any(FITS[scale].vector_penalty for scale in scales)
        vectors = _vectors(embedder, examples) if has_vectors else np.zeros((len(examples), 1))
        for scale in scales:
            problem = Problem.of(examples, vectors, FITS[scale])
            threshold = threshold_of(FITS[scale], examples, problem)
            report(scale, examples, problem, threshold)
            for prefix in _LEFT_OUT[read]:
                report_groups(scale, examples, problem, threshold, prefix)
            fitted[scale.value] = problem.as_dict(threshold)
    worth.WEIGHTS_FILE.write_text(json.dumps(fitted, separators=(",", ":")) + "\n", encoding="utf-8")
    FITTED.write_text(fingerprint() + "\n", encoding="ascii")


def fingerprint() -> str:
    """Of everything that is fitted on, and of the weights that come of it."""
    files = (
        *sorted(TRAINING.glob("*.jsonl")),
        RULES,
        CASUAL,
        *IMPERATIVES,
        *LABELED,
        *sorted(LANGUAGE_TURNS.glob("*.jsonl")),
        *sorted(terse.CHOSEN.glob("*.jsonl")),
        *sorted(changed_chats.FOLDER.glob("*.jsonl")),
        worth.WEIGHTS_FILE,
    )
    return hashlib.sha256(b"".join(hashlib.sha256(file.read_bytes()).digest() for file in files)).hexdigest()


def _vectors(embedder: Embedder, examples: Sequence[Example]) -> Matrix:
    return np.array(embedder.embed_documents([each.text for each in examples]), dtype=np.float64)


if __name__ == "__main__":
    main()

"""Sets of conversations: LoCoMo, BEAM, and the dialogues of SGD."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from bench.datasets.checkouts import Checkout, Repository
from bench.datasets.cut import Cut, Row

LOCOMO = Repository("snap-research", "LoCoMo", "3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376", "CC BY-NC 4.0")
BEAM = Repository("mohammadtavakoli78", "BEAM", "b2a3ee8ba12d68f83143dda191097dc3e028ddd3", "none stated")
SGD = Repository(
    "google-research-datasets", "dstc8-schema-guided-dialogue", "e852981ae34990f4358979625854259302feaa78",
    "CC BY-SA 4.0",
)  # fmt: skip


def _time(text: str, format: str) -> str:
    """A time as the sets give it: without a zone."""
    return datetime.strptime(text, format).replace(tzinfo=UTC).strftime("%Y-%m-%dT%H:%M:%S")


# --- LoCoMo ----------------------------------------------------------------------------------------------------------

LOCOMO_CONVERSATIONS = ("conv-26", "conv-30", "conv-41", "conv-42")
"""The other six are held back."""
ADVERSARIAL = "5"
"""The category that is reported apart."""

_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


def locomo(checkout: Checkout) -> Cut:
    """A turn is `speaker: words`, with the caption of a photo; a question names the turns that answer it."""
    records: list[Row] = []
    queries: list[Row] = []
    for sample in checkout.json("data/locomo10.json"):
        scope = sample["sample_id"]
        if scope in LOCOMO_CONVERSATIONS:
            turns = list(_locomo_turns(scope, sample["conversation"]))
            records += turns
            queries += _locomo_questions(scope, sample["qa"], {turn["id"] for turn in turns})
    return Cut(records, queries, files={"set.json": json.dumps({"apart": [ADVERSARIAL]}) + "\n"})


def _locomo_turns(scope: str, conversation: Mapping[str, Any]) -> Iterator[Row]:
    sessions = [name for name in conversation if re.fullmatch(r"session_\d+", name)]
    for session in sorted(sessions, key=lambda name: int(name.rpartition("_")[2])):
        said_at = _time(conversation[f"{session}_date_time"], "%I:%M %p on %d %B, %Y")
        for turn in conversation[session]:
            caption = f" [photo: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            yield {
                "id": f"{scope}:{turn['dia_id']}",
                "scope": scope,
                "text": f"{turn['speaker']}: {turn['text']}".strip() + caption,
                "ts": said_at,
                "session": session,
                "speaker": turn["speaker"],
            }


def _locomo_questions(scope: str, questions: list[Mapping[str, Any]], turns: set[str]) -> Iterator[Row]:
    """Evidence is spelled in several ways (`D:11:26`, `D8:6; D9:17`, leading zeros); some of it names no turn."""
    for number, question in enumerate(questions):
        named = {
            f"{scope}:D{int(session)}:{int(turn)}"
            for evidence in question.get("evidence", ())
            for session, turn in _EVIDENCE.findall(evidence)
        }
        if relevant := sorted(named & turns):
            yield {
                "qid": f"{scope}:q{number}",
                "scope": scope,
                "query": question["question"],
                "relevant": relevant,
                "category": question["category"],
                "answer": str(question.get("answer", question.get("adversarial_answer"))),
            }


# --- BEAM ------------------------------------------------------------------------------------------------------------

_PLAN = re.compile(r"\s*->->.*\Z", re.DOTALL)
"""The generator's own note at the end of a turn."""
_ANSWERED = frozenset(
    {"event_ordering", "information_extraction", "knowledge_update", "multi_session_reasoning", "temporal_reasoning"}
)


def beam(checkout: Checkout) -> Cut:
    return _beam(checkout, "100K", range(1, 9))


def beam_500k(checkout: Checkout) -> Cut:
    return _beam(checkout, "500K", range(13, 25))


def _beam(checkout: Checkout, size: str, numbers: range) -> Cut:
    """Every turn of these chats; the other chats are held back."""
    records: list[Row] = []
    queries: list[Row] = []
    for number in numbers:
        scope, folder = f"beam-{size}-{number}", f"chats/{size}/{number}"
        records += _beam_turns(scope, _chat(checkout, folder))
        questions = checkout.json(f"{folder}/probing_questions/probing_questions.json")
        queries += _beam_questions(scope, questions)
    return Cut(records, queries)


def _chat(checkout: Checkout, folder: str) -> Any:
    """A chat that was too long has a shortened version, which the questions are about."""
    shortened = f"{folder}/chat_trunecated.json"
    return checkout.json(shortened if shortened in checkout.paths(f"{folder}/") else f"{folder}/chat.json")


def _beam_turns(scope: str, chat: list[Mapping[str, Any]]) -> Iterator[Row]:
    for batch in chat:
        at = None
        for turn in (turn for group in batch["turns"] for turn in group):
            if anchor := turn.get("time_anchor"):
                at = _time(anchor, "%B-%d-%Y")
            yield {
                "id": f"{scope}:{turn['id']}",
                "scope": scope,
                "text": _PLAN.sub("", turn["content"]),
                "ts": at,
                "session": f"batch-{batch['batch_number']}",
                "role": turn["role"],
            }


def _beam_questions(scope: str, by_category: Mapping[str, list[Mapping[str, Any]]]) -> Iterator[Row]:
    questions = [(category, question) for category, some in by_category.items() for question in some]
    for number, (category, question) in enumerate(questions):
        sources = question.get("source_chat_ids", [])
        row: dict[str, Any] = {
            "qid": f"{scope}:q{number}",
            "scope": scope,
            "query": question["question"],
            "category": category,
            "relevant": [f"{scope}:{id}" for id in sorted(set(_flat(sources)))],
        }
        if isinstance(sources, dict) and sources:
            row["parts"] = {part: [f"{scope}:{id}" for id in _flat(ids)] for part, ids in sources.items()}
        if category in _ANSWERED:
            row["answer"] = question.get("answer")
        yield row


def _flat(value: Any) -> Iterator[int]:
    if isinstance(value, int):
        yield value
        return
    for inner in value.values() if isinstance(value, dict) else value:
        yield from _flat(inner)


# --- SGD -------------------------------------------------------------------------------------------------------------

SGD_FILES = (*range(1, 37), *range(38, 52), 57, 59, *range(61, 66), 67, 69, *range(86, 90))
"""Files of `train` in which the turns are; the set was cut from a clone that lacked the largest files."""
SGD_TURNS = 94_200
SHORTEST = 30


def sgd_turns(checkout: Checkout) -> Cut:
    """Turns to make a store big, without questions: no text twice, none shorter than `SHORTEST` characters."""
    found: dict[str, Row] = {}
    for number in SGD_FILES:
        for dialogue in checkout.json(f"train/dialogues_{number:03}.json"):
            id = dialogue["dialogue_id"]
            for at, turn in enumerate(dialogue["turns"]):
                text = f"{turn['speaker'].capitalize()}: {turn['utterance'].strip()}"
                if len(text) >= SHORTEST and text not in found:
                    found[text] = {"id": f"sgd:{id}:{at}", "scope": f"sgd-{id.partition('_')[0]}", "text": text}
    return Cut(list(found.values())[:SGD_TURNS], compressed=True)

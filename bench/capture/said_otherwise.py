"""What becomes of a turn that says otherwise than an earlier one: `python -m bench.capture.said_otherwise [--show]`.

Each line of `said_otherwise.jsonl` has two turns of one user, a week apart, or one after the other where the second
corrects a slip. `update` is to be replaced, or flagged where that is not sure; `contradiction` is to be flagged or
replaced; of `none` both sides hold. Rules were chosen on the half `dev` alone.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.capture import updates
from cortex.domain.memory import Memory
from cortex.domain.turn import Role
from cortex.evaluation.sets import Record

PAIRS = Path(__file__).with_suffix(".jsonl")
FIRST = datetime(2026, 3, 2, 9, tzinfo=UTC)
NEXT_TURN = "next turn"
CLAIMED = {"update", "contradiction"}


def pairs() -> list[dict[str, str]]:
    return [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]


def judged(given: Sequence[Mapping[str, str]]) -> list[str]:
    """What became of each pair: superseded, flagged, missed, or that a side left no memory."""
    records = [record for number, pair in enumerate(given) for record in _records(str(number), pair)]
    memories, origins = updates.captured(records)
    by_scope: dict[str, list[Memory]] = {}
    for memory in memories.values():
        by_scope.setdefault(memory.scope, []).append(memory)
    return [_outcome(by_scope.get(str(number), []), origins) for number in range(len(given))]


def _records(scope: str, pair: Mapping[str, str]) -> Iterator[Record]:
    is_next = pair["sort"] == NEXT_TURN
    said = (("old", Role.USER, pair["old"]), ("reply", Role.ASSISTANT, "Understood."), ("new", Role.USER, pair["new"]))
    for place, (name, role, text) in enumerate(said):
        later = timedelta(minutes=place) if is_next else timedelta(days=7 * (name == "new"))
        session = "one" if is_next or name != "new" else "two"
        fields: dict[str, Any] = {"id": f"{scope}/{name}", "text": text, "scope": scope, "session": session}
        yield Record(**fields, role=role, at=FIRST + later)


def _outcome(memories: Sequence[Memory], origins: Mapping[Any, str]) -> str:
    sides = {origins[turn].rpartition("/")[2] for memory in memories for turn in memory.source_turns}
    if any(memory.superseded_by for memory in memories):
        return "superseded"
    if any(memory.contradicts for memory in memories):
        return "flagged"
    return "missed" if sides == {"old", "new"} else "not extracted"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.capture.said_otherwise")
    parser.add_argument("--show", choices=("dev", "held"), help="show what was decided otherwise than labeled")
    options = parser.parse_args()
    given = pairs()
    found = judged(given)
    for half in ("dev", "held"):
        own = [(pair, outcome) for pair, outcome in zip(given, found, strict=True) if pair["half"] == half]
        for relation in ("update", "contradiction", "none"):
            counts = Counter(outcome for pair, outcome in own if pair["relation"] == relation)
            print(half, relation, sum(counts.values()), dict(sorted(counts.items())))
    for pair, outcome in zip(given, found, strict=True):
        is_found = outcome in ("superseded", "flagged")
        if pair["half"] == options.show and is_found != (pair["relation"] in CLAIMED):
            print(f"{outcome} | {pair['sort']} | {pair['relation']}\n    {pair['old']}\n    {pair['new']}")


if __name__ == "__main__":
    main()

"""What capture finds in terse chats: `python -m bench.terse DIR [--errors]`.

A memory is right if it holds one alternative of every key of a fact of its turn; `facts.jsonl` has the facts.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.terse import facts
from cortex import Cortex
from cortex.domain.memory import Memory
from cortex.domain.turn import Role, TurnDraft
from cortex.evaluation import sets
from cortex.evaluation.sets import Record


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--errors", action="store_true", help="print what was missed and what was wrong")
    given = parser.parse_args(arguments)
    expected = facts(given.folder)
    made = right = found = important = silent = 0
    for turn, memories in _captured(given.folder):
        wanted = expected[turn.id]
        matched = [[each for each in memories if fact.stands_in(each.text)] for fact in wanted]
        found += sum(map(bool, matched))
        important += sum(bool(each) and fact.important for each, fact in zip(matched, wanted, strict=True))
        kept = {each.id for some in matched for each in some}
        made, right = made + len(memories), right + len(kept)
        silent += not wanted and not memories
        if given.errors:
            for some, fact in zip(matched, wanted, strict=True):
                if not some:
                    print(f"missed  {'; '.join(map('|'.join, fact.keys))}  of: {turn.text}")
            for each in memories:
                if each.id not in kept:
                    print(f"wrong   {each.text}")
    all_facts = [fact for some in expected.values() for fact in some]
    rows = {
        "precision": (right, made),
        "recall important": (important, sum(fact.important for fact in all_facts)),
        "recall all": (found, len(all_facts)),
        "silent on empty turns": (silent, sum(not some for some in expected.values())),
    }
    for name, (count, of) in rows.items():
        print(f"{name:22} {count:4} of {of:4}  {count / max(1, of):.3f}")
    return 0


def _captured(folder: Path) -> Iterator[tuple[Record, list[Memory]]]:
    """Each turn of a user, and the memories that were extracted from it."""
    records = sorted(sets.read_records(folder / sets.RECORDS), key=lambda record: record.scope)
    for scope, of_scope in groupby(records, key=lambda record: record.scope):
        with TemporaryDirectory(prefix="cortex-terse-") as home, Cortex(home) as engine:
            for session, together in groupby(of_scope, key=lambda record: record.session):
                turns = list(together)
                said = [TurnDraft(text=each.text, role=each.role, at=each.at) for each in turns]
                kept = engine.capture(said, session=session, scope=scope).memories
                for each in turns:
                    if each.role is Role.USER:
                        yield each, [one for one in kept if _came_from(engine, one, each.text)]


def _came_from(engine: Cortex, memory: Memory, text: str) -> bool:
    return any(engine.get(id).text == text for id in memory.source_turns)


if __name__ == "__main__":
    sys.exit(main())

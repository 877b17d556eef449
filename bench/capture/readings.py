"""How useful extracted memories are to a reader.

python -m bench.capture.readings                             the shares of what readers said, by set
python -m bench.capture.readings sample OUT SET [SET …]      writes memories of conversations, at random, to be judged

A sample has a line for each memory: its record, its text, and the turns it came from, for the reader alone. Somebody
who wrote none of the rules says of each whether it is `useful`, of `little` use, or `wrong`. `readings.jsonl` keeps the
verdicts by record, without any text: the texts of data sets stay where they are.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.capture import figures, updates
from bench.capture.figures import Figure
from cortex.domain.lanes import State
from cortex.evaluation import sets

READINGS = Path(__file__).with_name("readings.jsonl")
VERDICTS = ("useful", "little", "wrong")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.capture.readings", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    commands = parser.add_subparsers(dest="command")
    sample = commands.add_parser("sample", help="write memories to be judged")
    sample.add_argument("out", type=Path)
    sample.add_argument("sets", type=Path, nargs="+", metavar="SET")
    sample.add_argument("--each", type=int, default=100, help="how many memories of each set")
    sample.add_argument("--seed", type=int, default=1)
    sample.add_argument("--cache", type=Path, help="where vectors are kept between runs")
    given = parser.parse_args(arguments)
    if given.command == "sample":
        chosen = [line for directory in given.sets for line in sampled(directory, given.each, given.seed, given.cache)]
        given.out.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in chosen), encoding="utf-8")
        return 0
    print(figures.lines(counted([json.loads(line) for line in READINGS.read_text("utf-8").splitlines()])))
    return 0


def sampled(directory: Path, most: int, seed: int, cache: Path | None) -> Iterator[dict[str, Any]]:
    """Some of the memories that hold after all conversations of a set, each with the turns it came from."""
    records = sets.read(directory).records
    memories, origins = updates.captured(records, cache=cache)
    active = sorted((each for each in memories.values() if each.state is State.ACTIVE), key=lambda each: each.id)
    said = {record.id: record for record in records}
    for memory in random.Random(seed).sample(active, min(most, len(active))):
        sources = [origins[id] for id in memory.source_turns if id in origins]
        yield {
            "set": directory.name,
            "record": sources[0],
            "memory": memory.text,
            "kind": memory.kind.value,
            "speaker": said[sources[0]].speaker,
            "said_on": memory.created_at.date().isoformat(),
            "turns": [said[each].text for each in sources],
        }


def counted(readings: Sequence[dict[str, Any]]) -> Iterator[Figure]:
    """The share of each verdict, by set and over all."""
    groups = {name: [each for each in readings if each["set"] == name] for name in sorted({r["set"] for r in readings})}
    for name, some in [*groups.items(), ("all", readings)]:
        verdicts = Counter(each["verdict"] for each in some)
        yield from (Figure.counted(name, verdict, verdicts[verdict], len(some)) for verdict in VERDICTS)


if __name__ == "__main__":
    raise SystemExit(main())

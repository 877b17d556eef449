"""How often recall adds nothing to messages that need no memories: `python -m bench.off_topic SET…`.

Each message of `off_topic.txt` is asked in one conversation of each SET: general questions, small tasks and orders to
an assistant. The best answer to them is an empty block. It prints the share of empty blocks, and how much the others
hold.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from cortex.evaluation import sets
from cortex.evaluation.report import SearchMeasures
from cortex.evaluation.runner import run

MESSAGES = Path(__file__).with_name("off_topic.txt")


def measured(directory: Path, cache: Path | None, embedder: str | None = None) -> SearchMeasures:
    """What is recalled for the messages from the records of a set."""
    scopes = sorted({record.scope for record in sets.read(directory).records})
    messages = MESSAGES.read_text("utf-8").splitlines()
    with TemporaryDirectory(prefix="cortex-off-topic-") as folder:
        made = Path(folder) / directory.name
        made.mkdir()
        (made / sets.RECORDS).symlink_to((directory / sets.RECORDS).resolve())
        lines = (
            {"qid": f"off{number}", "scope": scopes[number % len(scopes)], "query": message, "relevant": []}
            for number, message in enumerate(messages)
        )
        (made / sets.QUERIES).write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        return run(made, cache=cache, embedder=embedder, baselines=False).cortex


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path, metavar="SET", help="evaluation sets with conversations")
    parser.add_argument("--cache", type=Path, help="where vectors are kept between runs")
    parser.add_argument("--embedder", help="another embedder than the default, such as none")
    given = parser.parse_args(arguments)
    for directory in given.sets:
        found = measured(directory, given.cache, given.embedder).overall
        print(
            f"{directory.name}: empty for {found['empty_on_unanswerable']:.2f} of {found['n']} messages,"
            f" {found['tokens_mean']:.0f} tokens on average"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

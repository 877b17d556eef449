"""A process that changes one memory at random: `python racing_process.py HOME ID SEED ROUNDS VERB...`.

Prints one line for each call that was acknowledged.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import racing

from cortex.memory import Cortex
from cortex.testing import FakeEmbedder, FakeReranker


def opened(home: Path) -> Cortex:
    settings = {"store": {"sqlite": {"synchronous": "normal"}}}
    return Cortex(home, embedder=FakeEmbedder(256), reranker=FakeReranker(), settings=settings)


def main(home: str, id: str, seed: str, rounds: str, *verbs: str) -> None:
    chosen = random.Random(int(seed))
    with opened(Path(home)) as engine:
        print("ready", flush=True)
        sys.stdin.readline()
        for number in range(int(rounds)):
            verb = chosen.choice(verbs)
            if verb == "edit":
                act = lambda: racing.edit(engine, id, f"I live in flat {seed}-{number}")  # noqa: B023, E731
            else:
                act = lambda: racing.VERBS[verb].act(engine, id)  # noqa: B023, E731
            if racing.attempt(act):
                print(verb, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

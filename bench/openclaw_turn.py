"""The time that memory adds to a turn of OpenClaw, measured in the plugin's own hook with the real server.

python -m bench.openclaw_turn                   10,000 memories, 200 turns with pauses; needs Node and the model
python -m bench.openclaw_turn --memories 1000   a quick look
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import datasets
from bench.corpus import load
from cortex import Cortex
from cortex.domain.memory import Draft

SCRIPT = Path(__file__).with_name("openclaw_turn.mjs")
BATCH = 500
MOST_MS = 60.0
"""What a turn may take longer, at the 95th percentile."""


def fill(home: Path, questions: Path, size: int, turns: int) -> None:
    corpus = load(datasets.folder())
    texts = list(corpus.texts(size))
    with Cortex(home) as memory:
        for start in range(0, size, BATCH):
            memory.remember_all([Draft(text=text.text) for text in texts[start : start + BATCH]])
            print(f"\r{min(start + BATCH, size):,} of {size:,} remembered", end="", file=sys.stderr)
        memory.backfill()
        memory.run_due()
    print(file=sys.stderr)
    step = max(1, len(corpus.questions) // turns)
    questions.write_text(json.dumps([question.text for question in corpus.questions[::step][:turns]]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--node", default="node", help="a Node of version 22 or newer")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home, questions = Path(folder) / "home", Path(folder) / "questions.json"
        fill(home, questions, given.memories, given.turns)
        environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        done = subprocess.run(
            [given.node, SCRIPT, home, questions], env=environment, stdout=subprocess.PIPE, text=True, check=True
        )
    found = json.loads(done.stdout)
    print(f"{given.memories:,} memories, {found['turns']} turns: p50 {found['p50']:.1f} ms, p95 {found['p95']:.1f} ms")
    print(f"{found['injected']} turns were given memories, {found['missed']} missed the deadline")
    return int(found["p95"] > MOST_MS)


if __name__ == "__main__":
    raise SystemExit(main())

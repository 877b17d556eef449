"""How long a rehearsal takes on a large memory, and whether it says what the changed settings then answer.

`python -m bench.rehearsal` fills a memory (100,000 texts), asks it (1,000 recalls, with new memories between them), and
rehearses another recipe on all of them. Then the setting is applied, and the most changed recalls are answered on their
states: each must give what was rehearsed. It exits with 1 where one does not.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from bench.corpus import Corpus, SyntheticEmbedder, Text, load
from cortex import Cortex
from cortex.domain.memory import Draft
from cortex.domain.turn import TurnDraft
from cortex.recall.rehearsal import AnswerSide
from cortex.services.rehearsal import Rehearsal, rehearsed_query

BATCH = 4_096
BETWEEN = 3
"""So many memories are new between two recalls."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("data"), help="evaluation sets, or made-up texts")
    parser.add_argument("--size", type=int, default=100_000, help="texts in the memory")
    parser.add_argument("--recalls", type=int, default=1_000)
    parser.add_argument("--recipe", default="governed.v1", help="the recipe that is rehearsed")
    given = parser.parse_args()
    embedder = SyntheticEmbedder()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        with Cortex(home, embedder=embedder) as engine:
            _live(engine, load(given.data), given.size, given.recalls)
            began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            done = engine.rehearse({"recall.recipe": given.recipe}, limit=given.recalls, progress=_report)
            seconds = time.perf_counter() - began
            more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
            stopped = _stopped(engine, given.recipe, given.recalls)
        settings = {"recall": {"recipe": given.recipe}}
        with Cortex(home, embedder=embedder) as now, Cortex(home, embedder=embedder, settings=settings) as then:
            differing = sum(not _is_so(now, then, done, at) for at in range(len(done.most_changed)))
    print(json.dumps({
        "texts": given.size, "compared": done.compared, "changes": dict(done.changes), "left_out": dict(done.left_out),
        "seconds": round(seconds, 1), "ms_for_each": round(1000 * seconds / max(1, done.compared), 1),
        "more_memory_mb": more // 1024, "stopped_after": stopped.compared, "checked": len(done.most_changed),
        "otherwise_than_rehearsed": differing,
    }, indent=1))  # fmt: skip
    return 0 if done.compared == given.recalls and done.most_changed and not differing and stopped.stopped else 1


def _live(engine: Cortex, corpus: Corpus, size: int, recalls: int) -> None:
    texts, questions = list(corpus.texts(size)), corpus.broad_questions()
    later = min(BETWEEN * recalls, size // 2)
    for start in range(0, size - later, BATCH):
        _store(engine, texts[start : min(start + BATCH, size - later)])
    fresh = iter(texts[size - later :])
    for number in range(recalls):
        question = questions[number % len(questions)]
        engine.recall(question.text, scope=question.scope if number % 2 else None)
        for text, _ in zip(fresh, range(BETWEEN), strict=False):
            engine.remember(text.text, scope=text.scope)
    engine.flush()


def _store(engine: Cortex, texts: list[Text]) -> None:
    for (session, scope), run in groupby(texts, key=lambda text: (text.session, text.scope)):
        if session:
            engine.store_turns(session, [TurnDraft(text=each.text, speaker=each.speaker) for each in run], scope=scope)
        else:
            engine.remember_all([Draft(text=each.text, scope=scope) for each in run])


def _stopped(engine: Cortex, recipe: str, recalls: int) -> Rehearsal:
    """A rehearsal that is interrupted early."""

    def interrupt(done: int, total: int, label: str) -> None:  # noqa: ARG001
        if done >= recalls // 50:
            raise KeyboardInterrupt

    return engine.rehearse({"recall.recipe": recipe}, limit=recalls, progress=interrupt)


def _is_so(now: Cortex, then: Cortex, done: Rehearsal, at: int) -> bool:
    """Whether both settings answer as the rehearsal said."""
    changed = done.most_changed[at]
    recorded = now.receipt(changed.receipt_id)
    sides: list[Any] = []
    for engine in (now, then):
        query = replace(rehearsed_query(engine.settings, recorded, changed.query), as_of=changed.position)
        answer = engine.recall(query)
        sides.append(AnswerSide(tuple(hit.trace.id for hit in answer.hits), answer.tokens))
    return sides == [changed.before, changed.after]


def _report(done: int, total: int, label: str) -> None:
    if done % 100 == 0:
        print(f"{label} {done:,} of {total:,}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())

"""Capture judged on folders: conversations with labels, conversations with changed values, and sets that judge it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.capture import gold as gold_set
from bench.capture import judgment, updates
from bench.capture.figures import Figure
from bench.capture.gold import GoldReport
from bench.capture.judgment import JudgeReport
from bench.capture.updates import UpdatesReport
from cortex.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class FoldersReport:
    """The figures of each folder."""

    gold: GoldReport | None
    updates: tuple[UpdatesReport, ...]
    judge: JudgeReport | None

    def to_json(self, *, errors: bool) -> dict[str, Any]:
        payload: dict[str, Any] = {"gold": self.gold.as_dict()} if self.gold else {}
        payload |= {"updates": [each.as_dict() for each in self.updates]} if self.updates else {}
        return payload | ({"judge": self.judge.to_json(errors=errors)} if self.judge else {})

    def figures(self) -> Iterator[Figure]:
        for report in (self.gold, *self.updates, self.judge):
            yield from report.figures() if report is not None else ()

    def pairs(self) -> Iterator[str]:
        """Every decision between two memories, with both texts."""
        for report in self.updates:
            yield from report.pairs()


def run(
    gold: Path | None,
    changed: Sequence[Path],
    judge: Path | None,
    *,
    home: Path | None = None,
    cache: Path | None = None,
    progress: Progress = silent,
) -> FoldersReport:
    """Judge capture on the folders that are given, with the settings and models of `home`."""
    return FoldersReport(
        gold_set.run(gold, home=home, progress=progress) if gold else None,
        tuple(updates.run(each, home=home, cache=cache, progress=progress) for each in changed),
        judgment.run(judge, home=home, progress=progress) if judge else None,
    )

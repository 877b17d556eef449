"""What recall loses when all grades are written back: `python -m bench.grading_recall SET…`.

Each set is run twice with the same recipe and embedder: as it is, and after every memory was graded and every grade
was written back by force.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from bench import command
from bench.command import AsJson, Home
from cortex.evaluation import runner
from cortex.memory import Cortex
from cortex.progress import Progress
from cortex.surfaces.cli import output

MOST_LOST = 0.005
"""How much of recall@10 may be lost."""
_MEASURE = "recall@10"


@dataclass(slots=True)
class WrittenBackGrades:
    """Grades everything and writes it back, and keeps what the receipts say."""

    labels: dict[str, int] = field(default_factory=dict)
    updated: int = 0
    overwritten: dict[str, int] = field(default_factory=dict)

    def __call__(self, engine: Cortex) -> None:
        self.labels = engine.grade(all=True).facts["labels"]
        done = engine.writeback(force=True).facts
        self.updated, self.overwritten = done["updated"], done["overwrittenFields"]


@dataclass(frozen=True, slots=True)
class Loss:
    """Recall of one set before and after."""

    name: str
    questions: int
    before: float
    after: float
    interval: tuple[float, float] | None
    grades: WrittenBackGrades

    @property
    def lost(self) -> float:
        return self.before - self.after

    def to_json(self) -> dict[str, Any]:
        return {
            "set": self.name, "questions": self.questions, "before": self.before, "after": self.after,
            "lost": self.lost, "interval": self.interval, "labels": self.grades.labels, "updated": self.grades.updated,
            "overwritten": self.grades.overwritten,
        }  # fmt: skip


def measured(directory: Path, progress: Progress, **options: Any) -> Loss:
    """Run a set as it is, and with all grades written back. `options` are those of the evaluation."""
    grades = WrittenBackGrades()
    before = runner.run(directory, baselines=False, progress=progress, **options)
    after = runner.run(directory, baselines=False, prepare=grades, progress=progress, **options)
    first, second = before.cortex.overall, after.cortex.overall
    return Loss(
        before.set_name,
        int(first["n"] or 0),
        first[_MEASURE] or 0.0,
        second[_MEASURE] or 0.0,
        first.intervals.get(_MEASURE),
        grades,
    )


def grading_recall(
    directories: Annotated[list[Path], typer.Argument(metavar="SET…", help="Sets of records and queries.")],
    embedder: Annotated[str | None, typer.Option(help="The embedding provider; `none` for keywords only.")] = None,
    recipe: Annotated[str | None, typer.Option(help="The ranking recipe; the default one if not given.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first queries, up to this number.")] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Compare recall before and after all grades are written back. Exit code 1 if a set loses more than 0.005."""
    found: list[Loss] = []
    for directory in directories:
        with output.progress(directory.name) as progress:
            options: dict[str, Any] = {"embedder": embedder, "recipe": recipe, "limit": limit, "home": home}
            found.append(measured(directory, progress, **options))
        if not as_json:
            print(_line(found[-1]), flush=True)
    if as_json:
        output.show_json({"sets": [each.to_json() for each in found]})
    return 0 if all(each.lost <= MOST_LOST for each in found) else 1


def _line(loss: Loss) -> str:
    span = f" (95 % {loss.interval[0]:.3f} to {loss.interval[1]:.3f})" if loss.interval else ""
    labels = ", ".join(f"{label} {count:,}" for label, count in loss.grades.labels.items())
    return (
        f"{loss.name}: {_MEASURE} {loss.before:.4f}{span} before, {loss.after:.4f} after, lost {loss.lost:+.4f} "
        f"on {loss.questions:,} questions; graded {labels}; updated {loss.grades.updated:,}"
    )


if __name__ == "__main__":
    sys.exit(command.run(grading_recall, sys.argv[1:], "python -m bench.grading_recall"))

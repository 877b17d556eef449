"""How well a grader agrees with labels: `python -m bench.grading`."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from bench import command
from bench.command import AsJson
from bench.grading.labels import LABELED_ON, Half, LabeledMemory, load
from cortex.domain.importance import Grade, ImportanceLabel
from cortex.services.grading import grader_named
from cortex.surfaces.cli import output

AGREEMENT, CARELESS = 0.80, 0.01
"""What the held half must reach: agreement, and at most this share of must_remember called `ignore`."""


@dataclass(frozen=True, slots=True)
class Share:
    """How many of how many, with a 95 % interval (Wilson)."""

    count: int
    of: int

    @property
    def value(self) -> float:
        return self.count / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        if not self.of:
            return 0.0, 1.0
        z, n, p = 1.96, self.of, self.value
        middle, spread = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        whole = 1 + z * z / n
        return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)

    def to_json(self) -> dict[str, Any]:
        return {"count": self.count, "of": self.of, "value": self.value, "interval": list(self.interval)}

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.value:.3f} ({low:.3f} to {high:.3f}; {self.count} of {self.of})"


@dataclass(frozen=True, slots=True)
class Judged:
    """The labels of a half beside those of a grader."""

    pairs: Sequence[tuple[LabeledMemory, Grade]]

    @property
    def agreement(self) -> Share:
        return Share(sum(one.label is grade.label for one, grade in self.pairs), len(self.pairs))

    @property
    def careless(self) -> Share:
        """Of what must be remembered, what is called `ignore`."""
        musts = [grade for one, grade in self.pairs if one.label is ImportanceLabel.MUST_REMEMBER]
        return Share(sum(grade.label is ImportanceLabel.IGNORE for grade in musts), len(musts))

    @property
    def confusions(self) -> Counter[tuple[str, str]]:
        return Counter((one.label.value, grade.label.value) for one, grade in self.pairs)

    def to_json(self) -> dict[str, Any]:
        found = {f"{label} as {graded}": count for (label, graded), count in sorted(self.confusions.items())}
        return {"agreement": self.agreement.to_json(), "careless": self.careless.to_json(), "confusions": found}


def judged(grader: str, half: Half) -> Judged:
    """What the grader says of the memories of a half."""
    found = grader_named(grader)
    return Judged([(each, found.grade(each.memory, LABELED_ON)) for each in load(half)])


def grading(
    grader: Annotated[str, typer.Option(help="Which grader.")] = "heuristic-v1",
    errors: Annotated[bool, typer.Option("--errors", help="Show the faults on the choosing half.")] = False,
    as_json: AsJson = False,
) -> int:
    """Compare a grader with 400 labeled memories. Exit code 1 if the held half is not good enough."""
    found = {half: judged(grader, half) for half in Half}
    held = found[Half.HELD]
    is_good = held.agreement.value >= AGREEMENT and held.careless.value <= CARELESS
    if as_json:
        about = {"grader": grader, "fingerprint": grader_named(grader).fingerprint, "good": is_good}
        output.show_json({**about, **{half.value: each.to_json() for half, each in found.items()}})
        return 0 if is_good else 1
    print(f"{grader} (fingerprint {grader_named(grader).fingerprint})")
    for half, each in found.items():
        print(f"{half.value:9} agreement {each.agreement}; must_remember as ignore {each.careless}")
        for (label, graded), count in sorted(each.confusions.items()):
            if label != graded:
                print(f"{'':10}{label} as {graded}: {count}")
    if errors:
        for one, grade in found[Half.CHOOSING].pairs:
            if one.label is not grade.label:
                print(
                    f"{one.id} {one.label.value} as {grade.label.value} ({', '.join(grade.reasons)}): {one.memory.text}"
                )
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(command.run(grading, sys.argv[1:], "python -m bench.grading"))

"""What was measured against what was promised (the speed table of the design)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Result:
    """One figure. `value` is compared with `limit`, from below unless `at_least`; no limit means: to be known."""

    name: str
    value: float
    unit: str = "×"
    limit: float | None = None
    at_least: bool = False
    detail: Mapping[str, Any] = field(default_factory=dict)

    @property
    def reached(self) -> bool | None:
        if self.limit is None:
            return None
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    @property
    def target(self) -> str:
        return "" if self.limit is None else f"{'≥' if self.at_least else '≤'} {self.limit:g} {self.unit}"

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"target": self.target, "reached": self.reached}


@dataclass(frozen=True, slots=True)
class NotMeasured:
    """A figure that could not be taken in this run, and why."""

    name: str
    because: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


Row = Result | NotMeasured


def print_results(
    rows: Iterable[Row],
    console: Console,
    *,
    title: str = "Cortex beside plain baselines, one run",
    value: str = "ours / plain",
) -> None:
    table = Table(title=title, title_justify="left")
    for heading in ("measure", value, "target", "", "detail"):
        table.add_column(heading, justify="right" if heading in {value, "target"} else "left")
    for row in rows:
        if isinstance(row, NotMeasured):
            table.add_row(row.name, "–", "", "not measured", row.because, style="dim")
            continue
        verdict = {True: "[green]reached", False: "[red]not reached", None: ""}[row.reached]
        table.add_row(row.name, f"{row.value:,.2f} {row.unit}", row.target, verdict, _details(row.detail))
    console.print(table)


def _details(detail: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {_number(value)}" for name, value in detail.items() if not isinstance(value, dict))


def _number(value: object) -> str:
    return f"{value:,.4g}" if isinstance(value, float) else str(value)

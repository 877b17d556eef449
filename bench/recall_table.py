"""The measured table of the docs: `python -m bench.recall_table DIR… --into docs/recall.md`.

Each set is run with the default recipe and embedder; `DIR=none` runs it by keywords alone. Its rows replace those that
stand for it between the two markers of the file, so the docs say what was measured and nothing else.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cortex.errors import EngineError, InvalidRequest
from cortex.evaluation.report import Report
from cortex.evaluation.runner import run

BEGIN = "<!-- measured:begin -->"
END = "<!-- measured:end -->"

HEAD = ("set", "measure", "FTS5", "vectors", "hybrid", "Cortex", "95 %")
_MEASURES = (
    "any@1", "any@10", "recall@10", "mrr@10", "updated_above_original", "empty_on_unanswerable", "empty_on_answerable",
    "answer_in_block", "answer_words_in_block", "answer_in_hits", "evidence_in_block", "bearing", "bearing@5",
    "block_lines", "block_tokens", "rule_lines",
)  # fmt: skip
_BY_CATEGORY = "any@10"


@dataclass(frozen=True, slots=True)
class SetArgument:
    """One set to run, and the embedder to run it with where it is not the default."""

    directory: Path
    embedder: str | None

    @classmethod
    def parse(cls, argument: str) -> SetArgument:
        path, _, embedder = argument.partition("=")
        return cls(Path(path), embedder or None)


def rows(report: Report, *, keywords_only: bool = False) -> list[tuple[str, ...]]:
    """The rows of one set: what applies to it, then its categories where it has several."""
    label = f"{report.set_name}, keywords alone" if keywords_only else report.set_name
    found = [_row(label, measure, report, None) for measure in _MEASURES if report.cortex.overall[measure] is not None]
    categories = report.cortex.categories
    if len(categories) > 1:
        for name, summary in categories.items():
            if summary[_BY_CATEGORY] is not None:
                apart = " (apart)" if name in report.apart else ""
                found.append(_row(f"{label}: {name}{apart}", _BY_CATEGORY, report, name))
    return found


def table(lines: Iterable[Sequence[str]]) -> str:
    """A Markdown table under the fixed head."""
    return "\n".join(
        f"| {' | '.join(cells)} |" for cells in (HEAD, ["---", "---", *["---:"] * (len(HEAD) - 2)], *lines)
    )


def merged(text: str, found: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The rows between the markers of `text`, those of the sets in `found` replaced; sets that are new come last."""
    lines = text.partition(BEGIN)[2].partition(END)[0].strip().splitlines()[2:]
    before = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
    fresh = {name: [row for row in found if _set_of(row) == name] for name in map(_set_of, found)}
    rows: list[tuple[str, ...]] = []
    for name in dict.fromkeys(map(_set_of, [*before, *found])):
        rows += fresh.get(name) or [row for row in before if _set_of(row) == name]
    return rows


def _set_of(row: Sequence[str]) -> str:
    return row[0].partition(":")[0]


def replaced(text: str, between: str) -> str:
    """`text` with what stands between the markers replaced."""
    if BEGIN not in text or END not in text.partition(BEGIN)[2]:
        raise InvalidRequest("has no markers", field="--into", hint=f"put {BEGIN} and {END} where the table goes")
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n{between}\n{END}{rest.partition(END)[2]}"


def _row(label: str, measure: str, report: Report, category: str | None) -> tuple[str, ...]:
    summary = report.cortex.overall if category is None else report.cortex.categories[category]
    plain = []
    for name in ("fts5", "vectors", "hybrid"):
        measured = report.baselines.get(name)
        other = measured and (measured.overall if category is None else measured.categories.get(category))
        plain.append(_number(other[measure]) if other else "–")
    interval = summary.intervals.get(measure)
    span = f"{interval[0]:.3f} to {interval[1]:.3f}" if interval else ""
    return label, measure, *plain, f"**{_number(summary[measure])}**", span


def _number(value: float | int | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _print_progress(done: int, total: int, label: str) -> None:
    end = "\n" if done >= total else ""
    # A log is no place for a line that is written over and over.
    if sys.stderr.isatty() or done == total:
        print(f"\r  {label}: {done:,} of {total:,}", end=end, file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.recall_table", description="Write the measured table.")
    parser.add_argument("sets", nargs="+", metavar="DIR[=EMBEDDER]", help="evaluation sets")
    parser.add_argument("--into", type=Path, help="the file with the markers; without it the table is printed")
    parser.add_argument("--cache", type=Path, help="where vectors are kept between runs")
    parser.add_argument("--recipe", help="another recipe than the default")
    given = parser.parse_args(arguments)
    found: list[tuple[str, ...]] = []
    try:
        for argument in map(SetArgument.parse, given.sets):
            print(argument.directory.name, file=sys.stderr)
            report = run(
                argument.directory,
                embedder=argument.embedder,
                recipe=given.recipe,
                cache=given.cache,
                progress=_print_progress,
            )
            found += rows(report, keywords_only=argument.embedder == "none")
        if given.into is None:
            print(table(found))
        else:
            text = given.into.read_text(encoding="utf-8")
            given.into.write_text(replaced(text, table(merged(text, found))), encoding="utf-8")
    except EngineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

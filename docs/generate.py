"""The parts of the docs that the code knows best: `python docs/generate.py` writes them anew.

Each stands between two markers, such as `<!-- settings:begin -->` and `<!-- settings:end -->`. A test compares them
with the code, so they cannot fall behind. What takes long to measure is not measured here: `make recall-table` writes
it into docs/recall.md and `make bench` into bench/results; this script only carries it to where it is read.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from datetime import timedelta
from enum import Enum
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"

_REQUIREMENT = re.compile(r" \([A-Z]\d+[^)]*\)")


def generated() -> dict[tuple[Path, str], str]:
    """What belongs between the markers, by file and name of the region."""
    return {
        (DOCS / "operations.md", "settings"): settings_table(),
        (DOCS / "recall.md", "recipes"): recipes_table(),
        (DOCS / "capture.md", "capture"): capture_table(),
        (DOCS / "cli.md", "commands"): command_pages(),
        (DOCS / "cli.md", "errors"): errors_table(),
        (ROOT / "README.md", "measured"): overall(region((DOCS / "recall.md").read_text(encoding="utf-8"), "measured")),
    }


def region(text: str, name: str) -> str:
    """What stands between the markers of `name`."""
    begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise SystemExit(f"the markers of {name!r} do not stand there exactly once")
    return text.partition(begin)[2].partition(end)[0].rstrip("\n")


def filled(text: str, name: str, between: str) -> str:
    """`text` with `between` put between the markers of `name`."""
    region(text, name)
    begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
    before, _, rest = text.partition(begin)
    return f"{before}{begin}{between}\n{end}{rest.partition(end)[2]}"


# --- tables --------------------------------------------------------------------------------------


def table(head: Sequence[str], rows: Iterator[Sequence[str]] | Sequence[Sequence[str]]) -> str:
    cells = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |" for row in cells
    )


def settings_table() -> str:
    from cortex.settings import describe

    return table(
        ("setting", "environment", "default", "meaning"),
        [
            (f"`{name}`", f"`{variable}`", f"`{_toml(default)}`", meaning)
            for name, variable, default, meaning in describe()
        ],
    )


def recipes_table() -> str:
    from cortex.recall.recipes import RECIPES

    rows = [
        # The parenthesis at the end names a requirement, which the reader of the docs does not know.
        (f"`{recipe.name}`", _REQUIREMENT.sub("", recipe.about), "; ".join(_numbers(recipe)))
        for recipe in RECIPES.values()
    ]
    return table(("recipe", "what it is", "its numbers"), rows)


def capture_table() -> str:
    """What `cortex measure capture` prints of both halves, by language."""
    from cortex.evaluation import capturing

    rows = []
    for half in ("dev", "held"):
        measured = capturing.run(half).to_json()
        for name, found in {"all": measured["overall"], **measured["languages"]}.items():
            figures = (f"{found['precision']:.3f}", f"{found['recall']:.3f}", f"{found['kind_accuracy']:.3f}")
            rows.append((half, name, str(found["turns"]), str(found["labels"]), *figures))
    return table(("half", "language", "turns", "worth remembering", "precision", "recall", "of the right kind"), rows)


def errors_table() -> str:
    rows = [
        (f"{error.exit_code}", f"`{error.code}`", f"`{error.__name__}`")
        for error in sorted(error_classes(), key=lambda error: error.exit_code)
    ]
    return table(("exit code", "code", "error"), rows)


def error_classes() -> list[Any]:
    """Every class of the error tree."""
    from cortex.errors import EngineError

    found: list[Any] = [EngineError]
    for cls in found:
        found += [child for child in cls.__subclasses__() if child.__module__ == "cortex.errors" and child not in found]
    return found


def _numbers(recipe: Any) -> Iterator[str]:
    """Every setting of a recipe that is not the default."""
    for name, value in _changed(recipe).items():
        if name not in {"name", "about"}:
            yield f"{name.replace('_', ' ')} {_told(name, value)}"


def _told(name: str, value: Any) -> str:
    if name == "tiers":
        return ", then ".join(label for label, _ in value)
    if name == "fusion" and hasattr(value, "weights"):
        return " + ".join(f"{weight:g} × {leg}" for leg, weight in value.weights.items())
    if name == "fusion":
        return f"by reciprocal ranks (k {value.k})"
    if is_dataclass(value) and not isinstance(value, type):
        return f"({', '.join(f'{key} {_told(key, each)}'.replace('_', ' ') for key, each in _changed(value).items())})"
    if isinstance(value, timedelta):
        return f"{value.total_seconds() / 86_400:g} days"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return f"{value:.4g}"
    return value.value if isinstance(value, Enum) else f"{value}"


def _changed(value: Any) -> dict[str, Any]:
    """The fields of a dataclass that are not at their default."""
    return {field.name: each for field in fields(value) if (each := getattr(value, field.name)) != field.default}


def _toml(value: Any) -> str:
    if isinstance(value, str | bool | dict):
        return json.dumps(value)
    return "unset" if value is None else f"{value}"


# --- commands ------------------------------------------------------------------------------------


def commands() -> dict[str, Any]:
    """Every command of the CLI by its full name; groups that do nothing by themselves are left out."""
    import typer

    from cortex.surfaces.cli.app import command_line

    def walk(group: Any, path: str) -> Iterator[tuple[str, Any]]:
        for name, command in group.commands.items():
            full = f"{path} {name}"
            if not hasattr(command, "commands") or command.invoke_without_command:
                yield full, command
            if hasattr(command, "commands"):
                yield from walk(command, full)

    return dict(walk(typer.main.get_command(command_line()), "cortex"))


def command_pages() -> str:
    return "\n\n".join(_page(name, command) for name, command in commands().items())


def _page(name: str, command: Any) -> str:
    given = [param for param in command.params if param.param_type_name == "argument"]
    usage = " ".join([name, *(_argument(param) for param in given)])
    lines = [f"### `{usage}`", "", str(command.help).strip()]
    rows = [
        (", ".join(f"`{option}`" for option in [*param.opts, *param.secondary_opts]), _default(param), param.help or "")
        for param in command.params
        if param.param_type_name == "option" and param.name != "help"
    ]
    if rows:
        lines += ["", table(("option", "default", "meaning"), rows)]
    return "\n".join(lines)


def _argument(param: Any) -> str:
    name = (param.metavar or param.name.upper()).strip("[]").removesuffix("...").strip("[]")
    several = "…" if param.nargs == -1 else ""
    return f"{name}{several}" if param.required else f"[{name}{several}]"


def _default(param: Any) -> str:
    return "" if param.default in (None, False, [], ()) or callable(param.default) else f"`{param.default}`"


# --- measured ------------------------------------------------------------------------------------


def overall(measured: str) -> str:
    """The rows of the measured table that are about a whole set."""
    return "\n".join(
        line for line in measured.splitlines() if not (line.startswith("|") and ": " in line.partition(" | ")[0])
    )


def bench_table(results: Path) -> str:
    """The newest run of `make bench`."""
    runs = sorted(path for path in results.glob("*.json"))
    if not runs:
        raise SystemExit(f"no results in {results}; run `make bench`")
    run = json.loads(runs[-1].read_text(encoding="utf-8"))
    rows = [
        (
            row["name"],
            f"{row['value']:,.2f} {row['unit']}",
            row["target"],
            {True: "yes", False: "no"}.get(row["reached"], ""),
        )
        for row in run["results"]
        if "value" in row
    ]
    machine = run["machine"]
    about = (
        f"{run['at'][:10]}, {machine['cores']} cores (load {machine['load'][0]:.1f}), Python {machine['python']}, "
        f"SQLite {machine['sqlite']}; {run['data']}; {run['vectors']}."
    )
    return f"{table(('measure', 'figure', 'target', 'reached'), rows)}\n\n{about}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", action="store_true", help="also write the newest benchmark into docs/performance.md")
    wanted = generated()
    if parser.parse_args().bench:
        wanted[DOCS / "performance.md", "measured"] = bench_table(ROOT / "bench" / "results")
    for (path, name), between in wanted.items():
        text = path.read_text(encoding="utf-8")
        if (new := filled(text, name, between)) != text:
            path.write_text(new, encoding="utf-8")
            print(f"wrote {name} of {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()

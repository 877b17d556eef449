"""The generated parts of the docs: `python docs/generate.py` writes them.

Each is between two markers, such as `<!-- settings:begin -->` and `<!-- settings:end -->`. A test compares them with
the code. Slow measurements are not repeated here: `make recall-table` writes them into docs/recall.md and `make bench`
into bench/results; this script copies them to where they are read.

Routes come from the OpenAPI document of the server, tools from the MCP listing, metrics from the metrics page. Field
descriptions come from the models.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import timedelta
from enum import Enum
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"

PROBLEM = "application/problem+json"
_REQUIREMENT = re.compile(r" \([A-Z]\d+[^)]*\)")


def regions() -> dict[tuple[Path, str], Callable[[], str]]:
    """The functions that write the regions, by file and name."""
    return {
        (DOCS / "settings.md", "settings"): settings_tables,
        (DOCS / "settings.md", "hosts"): host_settings_tables,
        (DOCS / "stores.md", "abilities"): abilities_table,
        (DOCS / "http.md", "routes"): routes_table,
        (DOCS / "http.md", "serve"): lambda: settings_table("serve"),
        (DOCS / "routes.md", "routes"): route_pages,
        (DOCS / "mcp-tools.md", "tools"): tool_pages,
        (DOCS / "operations.md", "metrics"): metrics_table,
        (DOCS / "recall.md", "recipes"): recipes_table,
        (DOCS / "capture.md", "capture"): capture_table,
        (DOCS / "imports.md", "formats"): formats_table,
        (DOCS / "cli.md", "commands"): command_pages,
        (DOCS / "cli.md", "errors"): errors_table,
        (DOCS / "promises.md", "promises"): promises_tables,
        (DOCS / "frameworks.md", "packages"): packages_table,
        **{(DOCS / "frameworks.md", extra): partial(framework_example, extra) for extra in _packages()},
        (ROOT / "README.md", "figures"): figures,
    }


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def region(text: str, name: str) -> str:
    """The text between the markers of `name`."""
    begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise SystemExit(f"the markers of {name!r} must occur exactly once")
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


def settings_tables() -> str:
    """Every setting, a table for each section."""
    sections = dict.fromkeys(name.rpartition(".")[0].partition(".")[0] for name, *_ in described_settings())
    return "\n\n".join(f"## {section or 'Top level'}\n\n{settings_table(section)}" for section in sections)


def described_settings() -> list[tuple[str, str, Any, str]]:
    """Every setting, those of the stores here included."""
    from cortex import settings, store_drivers

    return [*settings.describe(), *store_drivers.describe()]


def abilities_table() -> str:
    """What each store here can do."""
    from cortex.ports.store import Abilities
    from cortex.store_drivers import drivers

    stores = {name: each.ABILITIES for name, each in drivers()}
    rows = [
        (f"`{name}`", Abilities.meaning(name), *("yes" if each.has(name) else "no" for each in stores.values()))
        for name in Abilities.names()
    ]
    return table(("ability", "meaning", *(f"`{name}:`" for name in stores)), rows)


def settings_table(section: str) -> str:
    """The settings of one section; of the top level if it is empty."""
    return table(
        ("setting", "environment", "default", "meaning"),
        [
            (f"`{name}`", f"`{variable}`", f"`{_toml(default)}`", meaning)
            for name, variable, default, meaning in described_settings()
            if name.rpartition(".")[0].partition(".")[0] == section
        ],
    )


def host_settings_tables() -> str:
    """The keys of hosts and the original plugins, a table for each section."""
    from cortex import host_settings
    from cortex.host_settings import NoEffect

    tables = (host_settings.MEMORY_CORTEX, host_settings.MEMORY_SEARCH, host_settings.MEMORY_LANCEDB)
    parts = []
    for section, keys in zip(host_settings.SECTIONS, tables, strict=True):
        rows = [
            (f"`{key}`", f"none: {to.because}" if isinstance(to, NoEffect) else f"`{to.name}`")
            for key, to in keys.items()
        ]
        parts.append(f"### {section}\n\n{table(('key', 'setting'), rows)}")
    return "\n\n".join(parts)


def recipes_table() -> str:
    from cortex.recall.recipes import RECIPES

    rows = [
        # Readers of the docs do not know the requirement ids in parentheses.
        (f"`{recipe.name}`", _REQUIREMENT.sub("", recipe.about), "; ".join(_numbers(recipe)))
        for recipe in RECIPES.values()
    ]
    return table(("recipe", "what it is", "its numbers"), rows)


def _packages() -> Mapping[str, Any]:
    from cortex.integrations.packages import PACKAGES

    return PACKAGES


def packages_table() -> str:
    """The extra, module and package of each framework."""
    rows = [
        (f"`memory-cortex[{extra}]`", f"`cortex.integrations.{extra.replace('-', '_')}`", f"`{package}`")
        for extra, package in _packages().items()
    ]
    return table(("extra", "module", "works with"), rows)


def framework_example(extra: str) -> str:
    """The example of a framework, which a test runs."""
    source = _read(ROOT / "examples" / f"{extra.replace('-', '_')}_agent.py")
    return f"```python\n{source}```"


def formats_table() -> str:
    """What `cortex import` reads, by program."""
    from cortex.exchange.import_format import import_formats

    rows = [(each.title, f"`{each.name}`", each.about) for each in import_formats().values()]
    return table(("from", "`--from`", "what to give, and what is read"), rows)


def capture_table() -> str:
    """The figures of `python -m bench.capture` for both halves, by language."""
    from bench.capture import labeled_turns

    rows = []
    for half in ("dev", "held"):
        measured = labeled_turns.run(half).to_json()
        for name, found in {"all": measured["overall"], **measured["languages"]}.items():
            figures = (f"{found['precision']:.3f}", f"{found['recall']:.3f}", f"{found['kind_accuracy']:.3f}")
            rows.append((half, name, str(found["turns"]), str(found["labels"]), *figures))
    return table(("half", "language", "turns", "worth remembering", "precision", "recall", "right kind"), rows)


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
            yield f"{name.replace('_', ' ')} {_formatted(name, value)}"


def _formatted(name: str, value: Any) -> str:
    if name == "tiers":
        return ", then ".join(label for label, _ in value)
    if name == "fusion" and hasattr(value, "weights"):
        return " + ".join(f"{weight:g} × {leg}" for leg, weight in value.weights.items())
    if name == "fusion":
        return f"by reciprocal ranks (k {value.k})"
    if is_dataclass(value) and not isinstance(value, type):
        changed = _changed(value).items()
        return f"({', '.join(f'{key} {_formatted(key, each)}'.replace('_', ' ') for key, each in changed)})"
    if isinstance(value, timedelta):
        return f"{value.total_seconds() / 86_400:g} days"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return f"{value:.4g}"
    return value.value if isinstance(value, Enum) else f"{value}"


def _changed(value: Any) -> dict[str, Any]:
    """The fields of a dataclass that are not at their default."""
    return {field.name: each for field in fields(value) if (each := getattr(value, field.name)) != _at_first(field)}


def _at_first(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _toml(value: Any) -> str:
    if isinstance(value, str | bool | dict):
        return json.dumps(value)
    return "unset" if value is None else f"{value}"


# --- promises ------------------------------------------------------------------------------------


def promises_tables() -> str:
    """The promises of tests/requirements.toml: not kept yet, kept in part, kept."""
    promises = tomllib.loads(_read(ROOT / "tests" / "requirements.toml"))
    whole = {id_: each for id_, each in promises.items() if "open" not in each}
    part = {id_: each for id_, each in promises.items() if "open" in each and "tests" in each}
    none = {id_: each for id_, each in promises.items() if "tests" not in each}
    return "\n\n".join([
        f"Of {len(promises)} promises, {len(whole)} are kept, {len(part)} are kept in part, {len(none)} are not kept.",
        "## Not kept yet",
        table(("id", "promise", "why"), [(id_, each["promise"], each["open"]) for id_, each in none.items()]),
        "## Kept in part",
        table(
            ("id", "promise", "what is missing", "proven by"),
            [(id_, each["promise"], each["open"], _files(each["tests"])) for id_, each in part.items()],
        ),
        "## Kept",
        table(
            ("id", "promise", "proven by"),
            [(id_, " ".join(_remarked(each)), _files(each["tests"])) for id_, each in whole.items()],
        ),
    ])  # fmt: skip


def _files(tests: Sequence[str]) -> str:
    return ", ".join(f"`{file}`" for file in dict.fromkeys(test.partition("::")[0] for test in tests))


def _remarked(promise: Mapping[str, str]) -> Iterator[str]:
    yield f"{promise['promise']}."
    if note := promise.get("note"):
        yield note


# --- commands ------------------------------------------------------------------------------------


def commands() -> dict[str, Any]:
    """Every command of the CLI by its full name, without mere groups."""
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


# --- routes --------------------------------------------------------------------------------------


class Route(NamedTuple):
    """One operation of the server, as its OpenAPI document has it."""

    name: str
    right: str
    operation: Mapping[str, Any]
    schemas: Mapping[str, Any]

    @property
    def about(self) -> str:
        return _REQUIREMENT.sub("", self.operation["description"])

    def resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in schema:
            schema = self.schemas[schema["$ref"].rpartition("/")[2]]
        return schema


@cache
def application() -> Any:
    """The server's application over an in-memory store."""
    from cortex import Cortex
    from cortex.surfaces.http.app import create_app

    nowhere = {"store": {"url": "ephemeral:"}, "embedding": {"provider": "none"}}
    with tempfile.TemporaryDirectory() as home, Cortex(home, settings=nowhere) as engine:
        app = create_app(engine)
        app.openapi()  # while the engine is open
    return app


@cache
def routes() -> dict[str, Route]:
    """Every route that the OpenAPI document names, such as `POST /v1/recall`."""
    app = application()
    document = app.openapi()
    rights = _rights()
    return {
        name: Route(name, _right_of(name, rights), operation, document["components"]["schemas"])
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if (name := f"{method.upper()} {path}")
    }


def paths() -> list[str]:
    """Every path of the application, including those outside the OpenAPI document."""
    return list(dict.fromkeys(route.path for route in _answering(application().routes)))


def _answering(found: Iterable[Any]) -> Iterator[Any]:
    """The routes, including those of nested routers."""
    for route in found:
        if (router := getattr(route, "original_router", None)) is not None:
            yield from _answering(router.routes)
        else:
            yield route


def _rights() -> dict[str, str]:
    """The right that each operation declares."""
    from cortex.surfaces.operations import OPERATIONS

    return {f"{each.method} {each.path}": each.right.value for each in OPERATIONS}


def _right_of(name: str, declared: Mapping[str, str]) -> str:
    from cortex.surfaces.http.access import OPEN_PATHS

    return declared.get(name) or ("none" if name.partition(" ")[2] in OPEN_PATHS else "a token")


def routes_table() -> str:
    rows = [
        (f"[`{route.name}`]({_anchor(route.name)})", route.right, _first(route.about)) for route in routes().values()
    ]
    return table(("route", "right", "what it does"), rows)


def _anchor(name: str) -> str:
    return "routes.md#" + re.sub(r"[^\w\- ]", "", name.lower()).replace(" ", "-")


def _first(text: str) -> str:
    return text.partition("\n\n")[0]


def route_pages() -> str:
    """Every route in full, grouped by tag; common errors are listed once."""
    guarded = [_problems(route) for route in routes().values() if route.right != "none"]
    common = {status: code for status, code in guarded[0].items() if all(status in each for each in guarded)}
    rooms: dict[str, list[str]] = {}
    for route in routes().values():
        rooms.setdefault(route.operation["tags"][0], []).append(_route_page(route, common))
    parts = [f"Every route that needs a token can return {_listed(common)}."]
    for room, pages in rooms.items():
        parts += [f"## {_ROOMS.get(room, room.capitalize())}", *pages]
    return "\n\n".join(parts)


_ROOMS = {"seed": "The original middleware"}
_WHOSE = {"`agent`", "`user`"}


def _route_page(route: Route, common: Mapping[str, str]) -> str:
    parts = [f"### `{route.name}`", route.about, _needed(route.right)]
    if rows := sorted(fields_of(route), key=lambda row: row[0] in _WHOSE):
        parts.append(table(("field", "in", "type", "default", "meaning"), rows))
    body = route.operation.get("requestBody", {}).get("content", {}).get("application/json")
    if body and (example := _example_of(route, body)) is not None:
        parts += ["Example:", _fenced(example)]
    parts += list(_answers(route))
    if beyond := {status: code for status, code in _problems(route).items() if status not in common}:
        parts.append(f"Can also return {_listed(beyond)}.")
    return "\n\n".join(parts)


def _needed(right: str) -> str:
    if right == "none":
        return "Needs no token."
    return "Needs a token, if there are any." if right == "a token" else f"Needs **{right}** access."


def fields_of(route: Route) -> Iterator[tuple[str, str, str, str, str]]:
    """The fields of a request: name, place, type, default, meaning."""
    for given in route.operation.get("parameters", []):
        yield _row(route, given["name"], given["in"], given["schema"], given["required"], given.get("description", ""))
    body = route.operation.get("requestBody", {}).get("content", {}).get("application/json")
    if not body:
        return
    whole = route.resolved(body["schema"])
    for schema in map(route.resolved, whole.get("anyOf", [whole])):
        for name, field in schema.get("properties", {}).items():
            yield _row(route, name, "body", field, name in schema.get("required", ()), field.get("description", ""))


def _row(
    route: Route, name: str, place: str, schema: Mapping[str, Any], required: bool, text: str
) -> tuple[str, str, str, str, str]:
    default = "required" if required else _default_of(schema)
    return f"`{name}`", place, type_of(schema, route.schemas), default, meaning_of(text)


def _default_of(schema: Mapping[str, Any]) -> str:
    return "" if schema.get("default") in (None, [], {}) else f"`{json.dumps(schema['default'])}`"


def meaning_of(described: str) -> str:
    """The description of a field, without requirement ids."""
    return _REQUIREMENT.sub("", described)


_PLAIN_TYPES = {
    "string": "text", "integer": "whole number", "number": "number", "boolean": "true or false", "object": "object"
}  # fmt: skip


def type_of(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    """The type of a field, in words."""
    if "$ref" in schema:
        return type_of(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    if "anyOf" in schema:
        kinds = [type_of(each, schemas) for each in schema["anyOf"] if each.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in schema or "const" in schema:
        return ", ".join(f"`{choice}`" for choice in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"list of {type_of(schema.get('items', {}), schemas)}"
    if schema.get("format") == "date-time":
        return "time"
    return _PLAIN_TYPES.get(schema.get("type", ""), "anything") + _bounds(schema)


def _bounds(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if high is not None and high >= _LARGEST:
        high = None
    if low is None:
        return "" if high is None else f", up to {_number(high)}"
    return f", from {_number(low)}" if high is None else f", {_number(low)} to {_number(high)}"


_LARGEST = 2**53 - 1
"""Any number that JSON can carry."""


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def _answers(route: Route) -> Iterator[str]:
    """The successful responses, with examples."""
    for status, answer in route.operation["responses"].items():
        contents = answer.get("content", {})
        if PROBLEM not in contents:
            yield f"Returns {status}" + (f", as {' or '.join(f'`{kind}`' for kind in contents)}." if contents else ".")
            examples = ((kind, _example_of(route, content)) for kind, content in contents.items())
            yield from (_fenced(example, kind) for kind, example in examples if example is not None)


def _problems(route: Route) -> dict[str, str]:
    """The error codes of a route, by status."""
    answers = {status: answer.get("content", {}) for status, answer in route.operation["responses"].items()}
    return {status: each[PROBLEM]["example"]["code"] for status, each in answers.items() if PROBLEM in each}


def _listed(problems: Mapping[str, str]) -> str:
    return ", ".join(f"{status} `{code}`" for status, code in problems.items())


def _example_of(route: Route, content: Mapping[str, Any]) -> Any:
    if "example" in content:
        return content["example"]
    whole = route.resolved(content.get("schema", {}))
    each = route.resolved(next(iter(whole.get("anyOf", [whole]))))
    return next(iter(each.get("examples", [])), None)


def _fenced(example: Any, kind: str = "application/json") -> str:
    if isinstance(example, str) and kind != "application/json":
        return f"```text\n{example.rstrip()}\n```"
    return f"```json\n{json.dumps(example, indent=2, ensure_ascii=False)}\n```"


# --- tools of MCP --------------------------------------------------------------------------------


Rows = list[tuple[str, str, str, str]]


def tool_names() -> list[str]:
    """The names of all tools, in both profiles."""
    return [name for tool in tools() for name in _names(tool)]


@cache
def tools() -> dict[Any, Any]:
    """Every operation that is a tool, with its MCP listing."""
    from cortex.settings import LimitSettings
    from cortex.surfaces.mcp.tools import OfferedTool
    from cortex.surfaces.operations import OPERATIONS

    most = LimitSettings().max_text_bytes
    return {each: OfferedTool(each, each.tool.profiles[0]).listed(most) for each in OPERATIONS if each.tool is not None}


def _names(operation: Any) -> list[str]:
    tool = operation.tool
    return [name for name, profile in ((tool.name, "model"), (tool.canonical, "canonical")) if profile in tool.profiles]


def tool_arguments() -> dict[str, Rows]:
    """The arguments of each tool: name, type, default, meaning."""
    return {listed.name: _schema_rows(listed.input_schema) for listed in tools().values()}


def tool_pages() -> str:
    return "\n\n".join(_tool_page(operation, listed) for operation, listed in tools().items())


def _tool_page(operation: Any, listed: Any) -> str:
    from cortex.surfaces.mcp.tools import SECONDS

    hints = listed.annotations.model_dump(by_alias=True, exclude={"title"})
    notes = ", ".join(f"`{name}` {'yes' if holds else 'no'}" for name, holds in hints.items())
    method, path = operation.method, operation.path
    return "\n\n".join([
        f"## {', '.join(f'`{name}`' for name in _names(operation))}",
        listed.description,
        f"Annotations: {notes}. Time limit: {SECONDS[operation.limit]:g} seconds.",
        table(("argument", "type", "default", "meaning"), tool_arguments()[listed.name]),
        f"The structured response is that of [`{method} {path}`]({_anchor(f'{method} {path}')}), "
        "with the id of the receipt instead of the receipt.",
    ])  # fmt: skip


def _schema_rows(schema: Mapping[str, Any]) -> Rows:
    schemas = schema.get("$defs", {})
    required = schema.get("required", ())
    return [
        (
            f"`{name}`",
            type_of(field, schemas),
            "required" if name in required else _default_of(field),
            meaning_of(field.get("description", "")),
        )
        for name, field in schema.get("properties", {}).items()
    ]


# --- metrics -------------------------------------------------------------------------------------


def metrics_table() -> str:
    """The metrics of the server, without the creation times of series."""
    page = application().state.cortex.metrics.page().decode()
    kinds = dict(re.findall(r"^# TYPE (\S+) (\S+)$", page, re.M))
    rows = [
        (f"`{name}`", kinds[name], about)
        for name, about in re.findall(r"^# HELP (\S+) (.*)$", page, re.M)
        if not name.endswith("_created")
    ]
    return table(("metric", "type", "what it counts"), rows)


# --- measured ------------------------------------------------------------------------------------


def figures() -> str:
    """Six figures from the measured tables, one sentence each."""
    held = next(row for row in _rows(DOCS / "capture.md", "capture") if row[:2] == ["held", "all"])
    speed = {row[0]: row[1] for row in _rows(DOCS / "performance.md", "measured")}
    conversations, block = _beside("locomo", "any@10"), _beside("locomo", "answer_in_block")
    updates = _beside("beam-500K", "updated_above_original")
    chinese = _beside("cmrc2018, keywords alone", "any@1", "FTS5")
    return "\n".join(
        (
            f"- **{conversations[0]}** of questions about long conversations (LoCoMo) find an answering turn among the"
            f" first ten hits. Plain hybrid: {conversations[1]}.",
            f"- **{block[0]}** have the answer in the 500 tokens that go into the prompt. Plain hybrid: {block[1]}.",
            f"- **{updates[0]}** of changed values rank above the value they replaced (BEAM, 500K tokens)."
            f" Plain hybrid: {updates[1]}.",
            f"- **{chinese[0]}** of Chinese questions (CMRC 2018) rank the right passage first, by keywords alone."
            f" FTS5: {chinese[1]}.",
            f"- **{_percent(held[4])}** of extracted memories are correct, and {_percent(held[5])} of what is worth"
            f" remembering is extracted, on {held[2]} labeled turns that the authors of the rules did not see.",
            f"- **{_rounded(speed['before a turn, 100,000, p95'])}** is how long a turn waits for its memories (95th"
            " percentile), with 100,000 memories stored.",
        )
    )


def _beside(set_name: str, measure: str, baseline: str = "hybrid") -> tuple[str, str]:
    """The figures of Cortex and of a baseline, in percent."""
    head, *rows = _rows(DOCS / "recall.md", "measured", head=True)
    row = dict(zip(head, next(row for row in rows if row[:2] == [set_name, measure]), strict=True))
    return _percent(row["Cortex"].strip("*")), _percent(row[baseline])


def _rows(path: Path, name: str, *, head: bool = False) -> list[list[str]]:
    """The cells of a generated table, optionally with its head."""
    lines = [line for line in region(_read(path), name).splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [*(rows[:1] if head else ()), *rows[2:]]


def _rounded(measured: str) -> str:
    """`39.38 ms` as `39 ms`."""
    value, _, unit = measured.partition(" ")
    return f"{float(value):.0f} {unit}"


def _percent(share: str) -> str:
    return f"{float(share):.0%}"


def bench_table(results: Path) -> str:
    """The newest run of `make bench`."""
    runs = sorted(path for path in results.glob("*.json"))
    if not runs:
        raise SystemExit(f"no results in {results}; run `make bench`")
    run = json.loads(_read(runs[-1]))
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
    wanted = regions()
    if parser.parse_args().bench:
        wanted[DOCS / "performance.md", "measured"] = lambda: bench_table(ROOT / "bench" / "results")
    for (path, name), make in wanted.items():
        text = _read(path)
        if (new := filled(text, name, make())) != text:
            path.write_text(new, encoding="utf-8")
            print(f"wrote {name} of {path.relative_to(ROOT)}")


if __name__ == "__main__":
    sys.path.append(str(ROOT))  # the benchmarks are part of the source tree, not of the package
    main()

"""The documentation says what the code does: nothing is missing, nothing has fallen behind, no link leads nowhere."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from cortex.domain.lexical import K1, MAX_OCCURRENCES, B
from cortex.domain.memory import Kind, Retention
from cortex.domain.trust import SourceKind, TrustTier
from cortex.recall.recipes import RECIPES
from cortex.settings import describe
from sweeps import for_each

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
PACKAGE = ROOT / "src" / "cortex"


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generate = _generator()


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


# --- nothing is missing --------------------------------------------------------------------------


@for_each(("path", "name"), list(generate.regions()))
def test_a_generated_table_is_as_the_code_says(path: Path, name: str) -> None:
    assert generate.region(read(path), name) == generate.regions()[path, name](), "run `make docs`"


def test_every_setting_is_documented() -> None:
    page = read(DOCS / "settings.md")
    assert [name for name, variable, _, _ in describe() if f"`{name}`" not in page or f"`{variable}`" not in page] == []


def test_every_recipe_is_documented() -> None:
    page = read(DOCS / "recall.md")
    assert [name for name in RECIPES if f"`{name}`" not in page] == []


def test_the_constants_of_bm25_are_those_of_the_code() -> None:
    assert f"k1 {K1:g}, b {B:g}, c at most {MAX_OCCURRENCES}" in read(DOCS / "recall.md")


def test_every_command_is_documented() -> None:
    page = read(DOCS / "cli.md")
    assert len(generate.commands()) > 10
    assert [name for name in generate.commands() if f"`{name}" not in page] == []


def test_every_route_is_documented() -> None:
    listed, whole = read(DOCS / "http.md"), read(DOCS / "routes.md")
    assert len(generate.routes()) > 20
    assert [name for name in generate.routes() if f"`{name}`" not in listed or f"\n### `{name}`\n" not in whole] == []


def test_every_path_that_the_server_answers_is_documented() -> None:
    """Those that are no part of the API too: the dashboard, MCP, the OpenAPI document."""
    page = read(DOCS / "routes.md")
    named = {path.partition("{")[0] for path in generate.paths()}
    assert {"/", "/openapi.json"} <= named
    assert [path for path in named if f"`{path}" not in page and f" {path}" not in page] == []


def test_every_route_says_which_right_it_needs() -> None:
    rights = {name: route.right for name, route in generate.routes().items()}
    assert rights["POST /v1/recall"] == "read"
    assert rights["POST /v1/memories"] == "write"
    assert rights["POST /v1/consolidate"] == "admin"
    assert {name for name, right in rights.items() if right == "none"} == {"GET /health", "GET /ready"}
    assert {name for name, right in rights.items() if right == "a token"} == {"GET /metrics"}


def test_every_field_of_a_request_has_a_meaning() -> None:
    """Its model says it."""
    fields = [(name, row[0], row[-1]) for name, route in generate.routes().items() for row in generate.fields_of(route)]
    fields += [(name, row[0], row[-1]) for name, rows in generate.tool_arguments().items() for row in rows]
    assert len(fields) > 100
    assert [(name, field) for name, field, meaning in fields if not meaning] == []


def test_every_tool_is_documented() -> None:
    listed, whole = read(DOCS / "mcp.md"), read(DOCS / "mcp-tools.md")
    heads = " ".join(re.findall(r"^## (.*)$", whole, re.M))
    assert len(generate.tool_names()) > 10
    assert [name for name in generate.tool_names() if f"`{name}`" not in listed or f"`{name}`" not in heads] == []


def test_every_error_has_its_exit_code_documented() -> None:
    page = read(DOCS / "cli.md")
    classes = generate.error_classes()
    assert [error.__name__ for error in classes if f"| {error.exit_code} | `{error.code}`" not in page] == []
    assert len({error.exit_code for error in classes}) == len(classes)


@pytest.mark.parametrize("choices", [Kind, Retention, TrustTier, SourceKind])
def test_every_choice_is_defined_in_the_domain_page(choices: type[Kind]) -> None:
    page = read(DOCS / "domain.md")
    assert [choice.value for choice in choices if f"`{choice.value}`" not in page] == []


def test_every_decision_is_listed_and_dated() -> None:
    listed = read(DOCS / "decisions" / "README.md")
    records = sorted((DOCS / "decisions").glob("[0-9]*.md"))
    assert [record.name for record in records if record.name not in listed] == []
    assert [record.name for record in records if not re.search(r"^\d{4}-\d\d-\d\d, \w+", read(record), re.M)] == []


def test_every_make_target_the_docs_name_exists() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", read(ROOT / "Makefile"), re.M))
    named = {target for page in PAGES for target in re.findall(r"(?:`|^)make ([a-z0-9-]+)", read(page), re.M)}
    assert named - targets == set()


def test_ci_runs_the_test_command_of_the_readme() -> None:
    assert "\nmake test " in read(ROOT / "README.md")
    assert read(ROOT / ".ci" / "run").rstrip().endswith("make test")


# --- nothing leads nowhere -----------------------------------------------------------------------


def _links(page: Path) -> Iterator[str]:
    # Code in a page may look like a link.
    text = re.sub(r"```.*?```|`[^`\n]*`", "", read(page), flags=re.S)
    yield from re.findall(r"\]\(([^)\s]+)\)", text)


def _anchors(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.*)$", read(page), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@for_each("page", PAGES)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for link in _links(page):
        if link.startswith(("https://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if target.suffix == ".png":
            assert anchor in {"", "only-light", "only-dark"}, link
            continue
        assert not anchor or anchor in _anchors(target), link


@for_each("page", PAGES)
def test_files_that_a_page_names_exist(page: Path) -> None:
    named = re.findall(r"`((?:src|tests|docs|bench|examples)/[\w./-]+\.(?:py|md|jsonl))", read(page))
    assert [path for path in named if not (ROOT / path).exists()] == []


@for_each("page", PAGES)
def test_a_page_speaks_only_of_the_project(page: Path) -> None:
    # Paths of one machine, ids of requirements that the reader does not have, words of unfinished work.
    for pattern in (
        r"/(?:work|home|root|tmp|opt(?!/cortex\b)|Users)/",
        r"\([CXBLQES]\d+[ ,)-]",
        r"\b(?:TODO|FIXME|XXX)\b",
    ):
        assert re.search(pattern, read(page)) is None, pattern


BRITISH = re.compile(
    r"(?:(?:tokeni|normali|optimi|summari|recogni|organi|seriali|initiali|emphasi)s(?:e|ing|ation)|synthesi(?:sing|sed?\b)|"
    r"(?<!test_)(?<!tests/)behaviour|colour|favour|honour|neighbour|labell|modell|cancelled|centre|catalogue|licence|"
    r"defence|judgement)\w*",
    re.IGNORECASE,
)


@for_each("page", PAGES)
def test_a_page_is_in_american_english(page: Path) -> None:
    assert BRITISH.findall(read(page)) == []


@pytest.mark.parametrize("room", ["surfaces", "services", "client"])
def test_what_people_and_programs_are_shown_is_in_american_english(room: str) -> None:
    texts = (
        node.value
        for file in (PACKAGE / room).rglob("*.py")
        for node in ast.walk(ast.parse(read(file)))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    assert [found for text in texts for found in BRITISH.findall(text)] == []


# --- what the architecture page says of imports --------------------------------------------------


def _import_rule() -> dict[str, set[str]]:
    """Which rooms each room may import, as the table of docs/architecture.md has it."""
    section = read(DOCS / "architecture.md").partition("### The import rule")[2].partition("\n#")[0]
    rule: dict[str, set[str]] = {}
    for rooms, allowed in re.findall(r"^\| (`.*?) \| (.*?) \|$", section, re.M):
        for room in re.findall(r"`(\w+)`", rooms):
            rule[room] = set(re.findall(r"`(\w+)`", allowed))
    return rule


def _imports(room: str) -> Iterator[tuple[str, str]]:
    """Every import of another room: the importing file, and the room."""
    files = (PACKAGE / room).rglob("*.py") if (PACKAGE / room).is_dir() else [PACKAGE / f"{room}.py"]
    for file in files:
        for node in ast.walk(ast.parse(read(file))):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                whole = node.module == "cortex"
                modules = [f"cortex.{alias.name}" for alias in node.names] if whole else [node.module or ""]
            else:
                continue
            for module in modules:
                if module.startswith("cortex."):
                    yield str(file.relative_to(PACKAGE)), module.split(".")[1]


@pytest.mark.parametrize(
    "room",
    [
        "domain",
        "ports",
        "runtime",
        "recall",
        "remember",
        "exchange",
        "capture",
        "lifecycle",
        "stores",
        "providers",
        "testing",
    ],
)
def test_a_room_imports_only_what_the_architecture_page_allows(room: str) -> None:
    allowed = _import_rule()[room] | {room, "errors"}
    assert [(file, other) for file, other in _imports(room) if other not in allowed] == []


def test_only_settings_and_the_start_of_the_command_line_read_the_environment() -> None:
    reading = [
        str(file.relative_to(PACKAGE))
        for file in PACKAGE.rglob("*.py")
        if re.search(r"os\.(?:environ|getenv)", read(file)) and file.relative_to(PACKAGE).parts[0] != "surfaces"
    ]
    assert sorted(reading) == ["settings.py", "variables.py"]

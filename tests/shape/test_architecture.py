"""The shape of the code: which room may know which. Each test holds one sentence of STYLE and DESIGN."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sources import modules, nodes

from cortex.domain.stopwords import STOP_WORDS
from cortex.languages import CODES as ALL_CODES
from cortex.ports.store import Abilities

SOURCE = Path(__file__).parents[2] / "src"
FLOWS = ("recall", "remember", "exchange", "capture", "workspace", "lifecycle", "governance")
ADAPTERS = ("stores", "providers")
CODES = frozenset(ALL_CODES)


@dataclass(frozen=True)
class Import:
    """One module importing another."""

    by: str
    of: str
    line: int

    def __str__(self) -> str:
        return f"{self.by}:{self.line} imports {self.of}"


@cache
def imports() -> tuple[Import, ...]:
    """Every import of every module, those inside functions included."""
    return tuple(each for name, inside in nodes().items() for each in _imports(name, inside))


def _imports(name: str, inside: Iterable[ast.AST]) -> Iterator[Import]:
    for node in inside:
        if isinstance(node, ast.Import):
            yield from (Import(name, alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}:{node.lineno} imports relatively; say the whole name"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield Import(name, whole if whole in modules() else str(node.module), node.lineno)


def within(name: str, *rooms: str) -> bool:
    return any(name == f"cortex.{room}" or name.startswith(f"cortex.{room}.") for room in rooms)


def of_ours(*rooms: str) -> list[Import]:
    """What the modules of these rooms import of our own."""
    return [each for each in imports() if within(each.by, *rooms) and each.of.split(".")[0] == "cortex"]


def told(found: list[Import]) -> list[str]:
    return [str(each) for each in found]


def test_the_domain_imports_only_the_domain_the_languages_and_errors():
    """STYLE: values and rules, no I/O"""
    allowed = ("domain", "languages", "kinds", "errors")
    assert told([each for each in of_ours("domain") if not within(each.of, *allowed)]) == []
    foreign = {each.of.split(".")[0] for each in imports() if within(each.by, "domain")} - set(sys.stdlib_module_names)
    assert foreign <= {"cortex", "numpy", "Stemmer"}
    io = {"sqlite3", "socket", "subprocess", "pathlib", "io", "tempfile", "shutil", "urllib", "http"}
    assert told([each for each in imports() if within(each.by, "domain") and each.of.split(".")[0] in io]) == []


def test_languages_are_data_below_the_domain():
    """HOUSE: one folder per language"""
    assert told([each for each in of_ours("languages") if not within(each.of, "languages", "kinds")]) == []
    words = [each for each in of_ours("languages") if within(each.by, *(f"languages.{code}.words" for code in CODES))]
    assert told([each for each in words if not within(each.of, "languages")]) == []


def test_nothing_but_its_own_folder_names_a_language():
    """HOUSE: a language is one folder"""
    folders = tuple(f"languages.{code}" for code in CODES)
    knowing = {each.by for each in imports() if within(each.of, *folders) and not within(each.by, "languages")}
    assert knowing == set()
    for code in CODES:
        others = [each for each in imports() if within(each.of, f"languages.{code}") and within(each.by, *folders)]
        assert told([each for each in others if not within(each.by, f"languages.{code}")]) == []
    switches = [
        f"{name}:{line}"
        for name, inside in nodes().items()
        if not within(name, "languages")
        for line in _switches(inside)
    ]
    assert switches == []


def _switches(inside: Iterable[ast.AST]) -> Iterator[int]:
    """Where a value is compared with the code of a language, or looked up by it."""
    for node in inside:
        if isinstance(node, ast.Compare):
            asked: list[ast.expr] = [node.left, *node.comparators]
        elif isinstance(node, ast.Subscript):
            asked = [node.slice]
        elif isinstance(node, ast.Dict):
            asked = [key for key in node.keys if key is not None]
        else:
            continue
        within_these = [inner for each in asked for inner in ast.walk(each) if isinstance(inner, ast.Constant)]
        yield from (each.lineno for each in within_these if each.value in CODES)


SPEAKING = {
    "capture.rules": "how the speaker and a request are written large",
    "capture.policies": "the triggers of `lancedb.v1` are those of the program whose policy it is",
    "domain.ownership.signs": "names of tables, not words",
    "domain.paraphrase": "names of limits, not words",
    "domain.person": "endings that several languages of one script share",
    "domain.injection_detection": "marks of roles and of encodings",
    "domain.secrets": "names of variables, and everyday words that a seed phrase never has",
    "domain.terms": "what is cut from a word that is written with an apostrophe",
    "domain.text_similarity": "what joins the words of a number or a date",
    "workspace.markdown": "elements of HTML",
}
"""Who has common words of a language without being one, and why."""


def test_common_words_of_a_language_stand_in_its_folder():
    """HOUSE: a list or pattern of words is data of a language"""
    found = {
        name
        for name, inside in nodes().items()
        if not within(name, "languages")
        for node in inside
        if len(_common_words(node)) > 1
    }
    assert found == {f"cortex.{name}" for name in SPEAKING}


def _common_words(node: ast.AST) -> set[str]:
    """Stop words among the alternatives of a pattern, or in a list that is written as one text."""
    words: set[str] = set()
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        words = set(re.findall(r"(?<=[|(:b])[^\W\d_]+(?=[|)\\(?])", node.value)) if "|" in node.value else set()
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
        said = node.func.value
        words = set(said.value.split()) if isinstance(said, ast.Constant) and isinstance(said.value, str) else set()
    return {word.lower() for word in words} & STOP_WORDS


def test_ports_import_only_the_domain_ports_and_errors():
    """STYLE: what flows ask of the outside, as Protocols; a deadline goes with the call"""
    allowed = ("domain", "ports", "errors", "runtime.deadline")
    assert told([each for each in of_ours("ports") if not within(each.of, *allowed)]) == []


def test_the_runtime_imports_only_itself_and_errors():
    """HOUSE: threads, pools, schedules and deadlines, once, below everything that uses them"""
    assert told([each for each in of_ours("runtime") if not within(each.of, "runtime", "errors")]) == []


@pytest.mark.parametrize("flow", FLOWS)
def test_a_flow_imports_neither_another_flow_nor_an_adapter(flow: str):
    """STYLE: only wiring brings the two together"""
    allowed = ("domain", "languages", "ports", "runtime", "errors", "progress", flow)
    assert told([each for each in of_ours(flow) if not within(each.of, *allowed)]) == []


ROOMS_WITH_A_FILE = {
    "providers.embedders.vector_cache": "a cache of this machine: losing it costs time and nothing else",
    "providers.qmd": "the index that qmd itself keeps",
    "exchange.formats.mem0": "reads the files of another program",
    "exchange.formats.openclaw": "reads the files of another program",
    "surfaces.openclaw.host": "finds the file of another program",
    "evaluation.baselines": "FTS5 in memory, to compare with",
    "evaluation.runner": "names the cache of vectors of an evaluation",
    "errors": "tells a full disk by the error codes of all these files",
    "registry": "names each kind of store, and the default",
}
"""Who speaks of SQLite besides its own room, and why: none of these files is the store."""


def test_nothing_but_its_own_room_knows_sqlite():
    """A further store touches nothing but its room and the registry"""
    assert told([each for each in imports() if within(each.of, "stores.sqlite") and not _of_sqlite(each.by)]) == []
    found = {name: sorted(_named(name, "sqlite")) for name in modules() if not _of_sqlite(name)}
    allowed = {f"cortex.{room}" for room in ROOMS_WITH_A_FILE}
    assert {name: lines for name, lines in found.items() if lines and name not in allowed} == {}
    assert {name for name in allowed if not found[name]} == set(), "and every exception is needed"


@pytest.mark.parametrize("backend", ["ephemeral", "postgres"])
def test_nothing_but_its_own_room_and_the_registry_names_a_backend(backend: str):
    own = ("registry", f"stores.{backend}", f"stores.{backend}ql")
    # Secrets in texts are told by the URLs of many databases; a program that is asked has an option of that name.
    others = ("domain.secrets", "languages", "providers.llms.command")
    found = {name: sorted(_named(name, backend)) for name in modules() if not within(name, *own, *others)}
    assert {name: lines for name, lines in found.items() if lines} == {}


def _of_sqlite(name: str) -> bool:
    return within(name, "stores.sqlite")


def _named(module: str, word: str) -> set[int]:
    """The lines on which code or a text that is used names something; what a docstring says is for readers."""
    said = {
        id(node.value)
        for node in nodes()[module]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    found = set()
    for node in nodes()[module]:
        names: list[Any] = []
        if isinstance(node, ast.Constant) and id(node) not in said:
            names = [node.value]
        elif isinstance(node, ast.Name):
            names = [node.id]
        elif isinstance(node, ast.Attribute):
            names = [node.attr]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module, *(alias.name for alias in node.names)]
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = [node.name]
        if any(isinstance(each, str) and word in each.lower() for each in names):
            found.add(getattr(node, "lineno", 0))
    return found


def test_every_ability_of_a_store_is_asked_for():
    """A call that needs one is refused where it is missing"""
    asked = {
        name
        for module, inside in nodes().items()
        if not within(module, *ADAPTERS, "ports")
        for node in inside
        for name in _abilities_in(node)
    }
    assert asked == set(Abilities.names())


def _abilities_in(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute) and ast.unparse(node.value).endswith("abilities"):
        yield from {node.attr} & set(Abilities.names())
    elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("require"):
        yield from (each.value for each in node.args if isinstance(each, ast.Constant))


def test_only_wiring_and_the_registry_know_adapters():
    """STYLE, DESIGN 2: adapters fulfil ports and meet the flows only in wiring"""
    knowing = [
        each
        for each in imports()
        if within(each.of, *ADAPTERS) and not within(each.by, "wiring", "registry", *ADAPTERS)
    ]
    assert told(knowing) == []


def test_an_adapter_knows_the_domain_the_ports_and_its_own_kind():
    """STYLE: adapters stand beside the flows"""
    for adapter in ADAPTERS:
        allowed = ("domain", "ports", "runtime", "errors", "progress", "options", adapter)
        assert told([each for each in of_ours(adapter) if not within(each.of, *allowed)]) == []


def test_who_may_come_in_is_decided_without_the_engine():
    """DESIGN 5: tokens are values and a file"""
    allowed = ("access", "domain", "ports", "errors")
    assert told([each for each in of_ours("access") if not within(each.of, *allowed)]) == []


def test_stores_do_not_know_each_other():
    """STYLE: one room per concept; SQL stores share one"""
    for each in of_ours("stores"):
        room = each.by.split(".")[:3]
        is_shared = within(each.of, "stores.relational") and not within(each.by, "stores.ephemeral")
        is_shared = is_shared or within(each.of, "stores.archive", "stores.file_documents")
        assert not within(each.of, "stores") or is_shared or each.of.split(".")[:3] == room, str(each)


def test_what_sql_stores_share_knows_no_database():
    """HOUSE: stores/relational is shared by SQL stores"""
    shared = [each for each in imports() if within(each.by, "stores.relational")]
    assert shared
    assert told([each for each in shared if each.of.split(".")[0] in DRIVERS]) == []


DRIVERS = {"sqlite3", "apsw", "psycopg", "asyncpg"}


CALLED_FROM_OUTSIDE = {
    "LineSearch.probe_embedding", "LineSearch.probe_vectors", "FileSearch.read_file",  # B1: hosts search through these
}  # fmt: skip


def test_every_member_of_a_port_has_a_caller_outside_the_adapters():
    """HOUSE 4. A call that only passes on to the same name, as a wrapper does, is none."""
    callers = {module: inside for module, inside in nodes().items() if not within(module, *ADAPTERS)}
    # A store is what calls an engine for its vectors.
    callers["cortex.stores.relational.accelerator"] = nodes()["cortex.stores.relational.accelerator"]
    used = {name for inside in callers.values() for name in _uses_of(inside)}
    ports = {module: tree for module, tree in modules().items() if within(module, "ports")}
    members = {
        f"{protocol.name}.{member.name}": member.name
        for tree in ports.values()
        for protocol in tree.body
        if isinstance(protocol, ast.ClassDef) and any(ast.unparse(base) == "Protocol" for base in protocol.bases)
        for member in protocol.body
        if isinstance(member, ast.FunctionDef) and not member.name.startswith("_")
    }
    assert len(members) > 80
    assert {member for member, name in members.items() if name not in used} == CALLED_FROM_OUTSIDE


ADAPTERS = ("stores", "providers", "testing")


def _uses_of(inside: Sequence[ast.AST]) -> Iterator[str]:
    """The attributes a module reads, those aside that a method of the same name reads."""
    methods = {
        id(node): method.name
        for owner in inside
        if isinstance(owner, ast.ClassDef)
        for method in owner.body
        if isinstance(method, ast.FunctionDef)
        for node in ast.walk(method)
    }
    for node in inside:
        if isinstance(node, ast.Attribute) and methods.get(id(node)) != node.attr:
            yield node.attr


def test_what_a_provider_can_do_is_declared():
    """HOUSE 4: an ability is a protocol of the port, and no attribute that somebody looks for"""
    found = [
        f"{module}:{node.lineno} {ast.unparse(node)}"
        for module, inside in nodes().items()
        for node in inside
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "hasattr")
        and re.search(r"(embedder|reranker|llm|provider|_inner|store)$", ast.unparse(node.args[0]))
    ]  # fmt: skip
    assert found == []


def test_nothing_below_the_surfaces_knows_them():
    """STYLE: imports point down the list; the client speaks to a surface from the other side of the wire"""
    knowing = [
        each
        for each in imports()
        if within(each.of, "surfaces") and not within(each.by, "surfaces", "client", "__main__")
    ]
    assert told(knowing) == []


def test_what_hosts_share_knows_no_single_host():
    """HOUSE: one room per concept; OpenClaw builds on what all hosts share, not the reverse"""
    assert told([each for each in of_ours("surfaces.hosts") if within(each.of, "surfaces.openclaw")]) == []


def test_the_client_knows_of_the_surfaces_only_what_goes_over_the_wire():
    """HOUSE: client over wire"""
    known = [each for each in of_ours("client") if within(each.of, "surfaces")]
    assert told([each for each in known if not within(each.of, "surfaces.wire", "surfaces.operations")]) == []


def test_nothing_knows_the_adapters_of_frameworks():
    """Frameworks are heavy: a program that uses one imports its adapter, and nothing else does"""
    assert (
        told([each for each in imports() if within(each.of, "integrations") and not within(each.by, "integrations")])
        == []
    )
    frameworks = {"agent_framework", "langchain", "langchain_core", "langgraph", "llama_index", "pydantic_ai"}
    by = {each.by for each in imports() if each.of.split(".")[0] in frameworks or each.of.startswith("google.adk")}
    assert by
    assert {name for name in by if not within(name, "integrations")} == set()


def test_no_surface_has_models_of_its_own():
    """HOUSE: one set of request and response models"""
    own = [each for each in imports() if each.of.split(".")[0] == "pydantic" and within(each.by, "surfaces")]
    assert {each.by for each in own if not within(each.by, "surfaces.wire")} == set()
    beside = [each for each in of_ours("surfaces.wire") if within(each.of, "surfaces")]
    assert told([each for each in beside if not within(each.of, "surfaces.wire")]) == []


def test_only_what_opens_a_memory_knows_the_wiring():
    """STYLE: the one place that builds an engine; surfaces open it for people, the evaluation to measure it"""
    by = {each.by for each in imports() if within(each.of, "wiring")}
    assert {name for name in by if not within(name, "surfaces", "evaluation")} <= {"cortex.memory"}


def test_services_know_no_adapter_no_wiring_and_no_public_object():
    """HOUSE: every service takes a context and nothing else; providers register"""
    core = ("services", "context", "dependencies", "composite_view", "write_behind", "runtime")
    above = (*ADAPTERS, "wiring", "memory", "surfaces", "client")
    assert told([each for each in of_ours(*core) if within(each.of, *above)]) == []


def test_modules_do_not_need_each_other_to_be_imported():
    """STYLE: imports point one way; what is imported on use, or for types alone, closes no circle"""
    knows = {
        name: {each.of for each in _imports(name, _at_once(tree)) if each.of in modules() and each.of != "cortex"}
        for name, tree in modules().items()
    }
    done: set[str] = set()

    def walk(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " -> ".join([*path[path.index(name) :], name])
        if name not in done:
            for other in sorted(knows[name]):
                walk(other, (*path, name))
            done.add(name)

    for name in sorted(knows):
        walk(name, ())


def _at_once(tree: ast.Module) -> list[ast.AST]:
    """What a module imports as soon as it is imported itself."""
    return [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]


@cache
def mentions() -> dict[str, tuple[tuple[str, int], ...]]:
    """Every dotted name that each module uses, with its line."""
    return {module: tuple(_mentions(inside)) for module, inside in nodes().items()}


def _mentions(inside: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    for node in inside:
        if isinstance(node, ast.Attribute):
            parts: list[str] = [node.attr]
            inner: ast.expr = node.value
            while isinstance(inner, ast.Attribute):
                parts.append(inner.attr)
                inner = inner.value
            if isinstance(inner, ast.Name):
                yield ".".join([inner.id, *reversed(parts)]), node.lineno
        elif isinstance(node, ast.ImportFrom):
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)


def uses(*names: str, but: tuple[str, ...]) -> list[str]:
    return [
        f"{module}:{line} uses {name}"
        for module, mentioned in mentions().items()
        if not within(module, *but)
        for name, line in mentioned
        if name in names
    ]


def test_only_the_settings_read_the_environment():
    """STYLE"""
    assert uses("os.environ", "os.getenv", "os.environb", "os.environ.get", but=("settings", "variables")) == []


def test_time_is_handed_in():
    """STYLE, DESIGN 3: only the clock asks the machine"""
    clocks = (
        "datetime.now", "datetime.utcnow", "datetime.today", "datetime.datetime.now", "date.today", "time.time",
        "time.time_ns",
    )  # fmt: skip
    assert uses(*clocks, but=("clock", "testing")) == []


def test_randomness_and_ids_are_handed_in():
    """STYLE: no module makes its own"""
    assert uses("uuid.uuid4", "uuid.uuid1", but=("clock", "testing")) == []
    own = [each for each in imports() if each.of in {"random", "secrets"} and not within(each.by, "wiring", "testing")]
    assert told(own) == []


def test_pydantic_is_met_at_the_border_alone():
    """STYLE: typed values inside, validated models at the border"""
    by = {each.by for each in imports() if each.of.split(".")[0] in {"pydantic", "pydantic_settings"}}
    assert {name for name in by if not within(name, "settings", "surfaces", "client")} == set()


def test_threads_begin_in_the_runtime():
    """HOUSE: threads, pools, schedules and deadlines, once"""
    assert uses("threading.Thread", "threading.Timer", but=("runtime",)) == []


def test_the_library_never_configures_logging():
    """STYLE: only the command line may"""
    assert uses("logging.basicConfig", "logging.config.dictConfig", but=("surfaces",)) == []


def test_there_is_no_room_for_what_has_no_name():
    """STYLE: there is no `utils`"""
    vague = {"utils", "util", "helpers", "helper", "common", "misc", "base", "manager"}
    assert [name for name in modules() if name.rpartition(".")[2] in vague] == []


def test_every_module_but_the_smallest_says_what_it_is_for():
    """STYLE: docstrings speak to the reader"""
    silent = [
        name
        for name, tree in modules().items()
        if len(tree.body) > 6 and not ast.get_docstring(tree) and not name.endswith("_version")
    ]
    assert silent == []


@pytest.mark.parametrize("heavy", [["numpy", "pydantic", "typer", "rich", "sqlite3", "Stemmer", "onnxruntime"]])
def test_importing_the_package_is_cheap(heavy: list[str]):
    """DESIGN 8: `cortex --version` costs no more than starting Python"""
    script = f"import sys, cortex; print(sorted(set({heavy!r}) & set(sys.modules)), cortex.__version__)"
    ran = subprocess.run(
        [sys.executable, "-c", script], env={"PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, check=True
    )
    assert ran.stdout.startswith("[] ")


def test_the_command_answers_its_version_without_loading_anything():
    """DESIGN 8"""
    script = (
        "import sys; sys.argv = ['cortex', '--version']; from cortex.__main__ import main; main();"
        "print(sorted({'numpy', 'pydantic', 'typer', 'rich'} & set(sys.modules)))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], env={"PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines()[-1] == "[]"

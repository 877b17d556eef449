"""The dialog of `init` on a terminal: questions, the set-up, a test of the result, and the next steps."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from cortex import registry, settings
from cortex._version import __version__
from cortex.clock import SystemClock
from cortex.errors import EngineError, install_command
from cortex.ports.provider import trouble_of
from cortex.surfaces.cli import init, model_files, output, rendering, vendors
from cortex.surfaces.cli.context import Surface
from cortex.surfaces.cli.host_detection import COUNTED, NAME, DetectedHost, Notes
from cortex.surfaces.cli.init import Result, Setup

if TYPE_CHECKING:
    from cortex.memory import Cortex

FAILED = 1
"""Exit code if the test memory is not recalled."""

STATEMENT = "Cortex was set up on this machine"
QUESTION = "When was Cortex set up on this machine?"
_INTRODUCTION = "A few questions. Enter accepts the answer in brackets; Ctrl-C quits and changes nothing."


def run(surface: Surface, setup: Setup) -> int:
    """Ask for what was not given, set it up, and test it; return the exit code."""
    started = SystemClock().monotonic()
    goodbye = "nothing was changed"
    try:
        setup = _ask(surface, setup)
        surface = replace(surface, home=setup.home)
        goodbye = "stopped; run `cortex init` again to finish"
        _heading("Setting up")
        result = init.apply(surface, setup, lambda line: _show(rendering.done(line)), attended=True)
        _show(*(rendering.notice(message, hint) for message, hint in result.problems))
        works = _test(surface)
    except (typer.Abort, KeyboardInterrupt):
        print(f"\ncortex: {goodbye}", file=sys.stderr, flush=True)
        raise
    _show_next_steps(setup, result, SystemClock().monotonic() - started)
    return 0 if works else FAILED


# --- questions --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PromptChoice:
    """One possible answer; `need` is what must be installed first."""

    name: str
    about: str
    need: str = ""


def _ask(surface: Surface, setup: Setup) -> Setup:
    output.show(Text(f"Cortex {__version__}", style="bold").append(": long-term memory for AI agents", "not bold"))
    output.show(Text(_INTRODUCTION, style="dim"))
    if surface.home is None and not settings.variable("CORTEX_HOME"):
        setup = replace(setup, home=_ask_home(setup.home))
    home = setup.home
    surface, loaded = replace(surface, home=home), settings.load(home)
    if setup.embedder is None and not settings.variable("CORTEX_EMBEDDING__PROVIDER"):
        choices = _embedders(home, loaded.embedding.provider)
        chosen = _ask_one("How should Cortex find memories by meaning?", choices, loaded.embedding.provider)
        setup = replace(setup, embedder=chosen)
    if setup.llm is None and not settings.variable("CORTEX_LLM__PROVIDER"):
        choices = _llms(loaded.llm.provider)
        if len(choices) > 1:
            chosen = _ask_one("Should a language model help to extract memories?", choices, loaded.llm.provider)
            setup = replace(setup, llm=chosen)
    if setup.notes is None:
        known = _indexed(surface, home)
        setup = replace(setup, notes=_ask_notes([each for each in init.detected_notes() if each.path not in known]))
    if setup.hosts is None and (found := init.unconnected_hosts(home)):
        setup = replace(setup, hosts=_ask_hosts(found, init.mcp_command(surface, home)))
    return setup


def _ask_home(default: Path) -> Path:
    _heading("Where should Cortex store its data?")
    while True:
        home = Path(_prompt("Folder", str(default))).expanduser()
        existing = next((folder for folder in (home, *home.absolute().parents) if folder.exists()), home)
        if existing.is_dir():
            return home
        _show(rendering.notice(f"{existing} is a file", "give a folder"))


def _ask_one(question: str, choices: Sequence[PromptChoice], default: str) -> str:
    """One of the choices, by its number or its name."""
    _heading(question)
    table = rendering.table()
    for _ in range(3):
        table.add_column()
    for number, choice in enumerate(choices, start=1):
        about = Text(choice.about).append(f"; needs {choice.need}" if choice.need else "", "yellow")
        table.add_row(Text(str(number), "bold"), Text(choice.name, "cyan"), about)
    _show(table)
    names = [choice.name for choice in choices]
    while True:
        answer = _prompt("Choose", str(names.index(default) + 1 if default in names else 1)).strip().lower()
        if answer in names:
            return answer
        if answer.isdecimal() and 1 <= int(answer) <= len(names):
            return names[int(answer) - 1]
        _show(rendering.notice(f"{answer!r} is not a choice", f"give a number up to {len(names)}, or a name"))


def _ask_notes(found: Sequence[Notes]) -> tuple[Notes, ...]:
    _heading("Notes to index: Markdown files become searchable and stay unchanged.")
    chosen = [each for each in found if _confirm(f"Index {each.path} ({each.description}, {_count(each)})?", True)]
    question = "Another folder (Enter for none)" if found else "A folder of notes (Enter for none)"
    while answer := _prompt(question, "").strip():
        path = Path(answer).expanduser()
        if path.exists():
            chosen.append(Notes.at(path))
            question = "Another folder (Enter for none)"
        else:
            _show(rendering.notice(f"{path} does not exist", "give a folder or file that exists, or press Enter"))
    return tuple(dict.fromkeys(chosen))


def _ask_hosts(found: Sequence[DetectedHost], command: Sequence[str]) -> tuple[DetectedHost, ...]:
    """The hosts to connect; each question shows what would be written."""
    _heading("Programs on this machine that can use this memory over MCP")
    if find_spec("mcp") is None:
        _show(rendering.notice(f"first run `{install_command('mcp')}`"))
    return tuple(each for each in found if _wants(each, command))


def _wants(detected: DetectedHost, command: Sequence[str]) -> bool:
    host = detected.host
    how = "backed up first, the rest stays unchanged" if detected.file.exists() else "a new file"
    entry = json.dumps(host.entry(command), ensure_ascii=False)
    _show(Text.assemble((host.title, "bold"), f": adds to {detected.file} ({how}):"))
    _show(Text(f"  {'.'.join((*host.keys, NAME))} = {entry}", "dim"))
    # Enter changes no file of another program.
    return _confirm(f"Add Cortex to {detected.file}?", False)


def _embedders(home: Path, current: str) -> list[PromptChoice]:
    """The embedders that can be used here, with the keys in the environment."""
    name = model_files.known(home)[0]
    state = "already installed" if model_files.is_here(home, name) else "34 MB, downloaded once"
    need = "" if find_spec("onnxruntime") else f"`{install_command('local')}`"
    choices = [PromptChoice("local", f"on this machine, nothing leaves it: {name}, {state}", need)]
    for vendor in vendors.EMBEDDERS.values():
        if key := vendor.key(settings.variable):
            trouble = trouble_of(registry.find("cortex.embedders", vendor.name)({}, settings.models_home(home)))
            choices.append(PromptChoice(vendor.name, f"{vendor.title}'s API: {key} is set", _install(trouble)))
    choices.append(PromptChoice("auto", "the first of these that works; local before all others"))
    choices.append(PromptChoice("none", "no vectors: recall uses keywords only"))
    if current not in {choice.name for choice in choices}:
        choices.insert(0, PromptChoice(current, "the current setting"))
    return choices


def _llms(current: str) -> list[PromptChoice]:
    """The language models with keys in the environment, and none."""
    choices = [PromptChoice("none", "rules extract memories: no costs, and nothing leaves this machine")]
    for vendor in vendors.LLMS.values():
        if key := vendor.key(settings.variable):
            trouble = trouble_of(registry.find("cortex.llms", vendor.name)({}, 1.0))
            about = f"{vendor.title} extracts more from conversations, within a budget: {key} is set"
            choices.append(PromptChoice(vendor.name, about, _install(trouble)))
    if current not in {choice.name for choice in choices}:
        choices.append(PromptChoice(current, "the current setting"))
    return choices


def _install(trouble: EngineError | None) -> str:
    """The package to install for a provider, if any."""
    return trouble.hint.removeprefix("run ") if trouble is not None and "pip install" in trouble.hint else ""


def _indexed(surface: Surface, home: Path) -> set[Path]:
    """The folders that are indexed already; creates nothing to find out."""
    if not (home / "agents").is_dir():
        return set()
    try:
        with surface.engine() as engine:
            return {source.root for source in engine.files.sources()}
    except EngineError:  # reported when it is set up
        return set()


# --- the test and the next steps --------------------------------------------------------------------------------------


def _test(surface: Surface) -> bool:
    """Remember a statement and recall it; return whether it was found."""
    _heading("Testing")
    with surface.engine() as engine:
        try:
            return _round_trip(engine)
        except EngineError as error:
            _show(rendering.notice(error.message, error.hint or "run `cortex doctor`"))
            return False


def _round_trip(engine: Cortex) -> bool:
    line = f"{STATEMENT} on {SystemClock().now():%d %B %Y}."
    stored = engine.remember(line)
    _show(rendering.done(f"remembered in {stored.receipt.latency_ms:.0f} ms: {line}"))
    answer = engine.recall(QUESTION)
    # A statement kept from an earlier run says the same, and only one of the two is shown.
    hit = next((hit for hit in answer.hits if hit.trace.text.startswith(STATEMENT)), None)
    if hit is None:
        _show(rendering.notice(f"{QUESTION!r} did not find it", "run `cortex doctor`"))
        return False
    _show(rendering.done(f"recalled in {answer.receipt.latency_ms:.0f} ms by {QUESTION!r}:"))
    text = f" {hit.score:.2f}  {output.one_line(hit.trace.text)}"
    _show(Text("  ").append_text(rendering.bar(hit.score)).append(text))
    if answer.receipt.degraded:
        _show(rendering.notice(f"degraded: {', '.join(answer.receipt.degraded)}", "run `cortex doctor`"))
    if not _confirm("Keep this memory?", False):
        engine.forget(stored.memory.id)
        _show(rendering.done("forgotten again"))
    return True


def _show_next_steps(setup: Setup, result: Result, seconds: float) -> None:
    _heading(f"Ready after {seconds:.0f} s. Next steps:")
    table = rendering.table()
    table.add_column(style="cyan", no_wrap=True)
    table.add_column()
    if setup.home.absolute() != settings.default_home().absolute():
        table.add_row(f"export CORTEX_HOME={shlex.quote(str(setup.home.absolute()))}", "so that every command finds it")
    need = "" if find_spec("fastapi") else f"; first run `{install_command('serve')}`"
    table.add_row("cortex serve", f"the dashboard, at {init.dashboard_url(settings.load(setup.home))}{need}")
    table.add_row('cortex recall "…"', "recall; `cortex remember` and `cortex capture` store memories")
    table.add_row("cortex doctor", "check that everything works, and how to fix what does not")
    _show(table, *map(Text, result.next_steps))


# --- the screen -------------------------------------------------------------------------------------------------------


def _heading(text: str) -> None:
    output.show(Text(), Text(text, style="bold"))


def _show(*items: RenderableType) -> None:
    """Print below a heading."""
    output.show(*(Padding(each, (0, 0, 0, 2), expand=False) for each in items))


def _count(notes: Notes) -> str:
    number = notes.count()
    return f"over {COUNTED:,} files" if number > COUNTED else rendering.several(number, "file")


def _prompt(text: str, default: str) -> str:
    answer: str = typer.prompt(f"  {text}", default=default, show_default=bool(default))
    return answer


def _confirm(text: str, default: bool) -> bool:
    return typer.confirm(f"  {text}", default=default)

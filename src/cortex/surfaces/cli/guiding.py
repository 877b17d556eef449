"""`init` on a terminal: the conversation, then the doing, then the proof that it works, and what to do next."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

import typer
from rich.text import Text

from cortex import settings
from cortex._version import __version__
from cortex.clock import SystemClock
from cortex.errors import EngineError, install_command
from cortex.surfaces.cli import asking, output, rendering, setting_up
from cortex.surfaces.cli.asking import heading, say
from cortex.surfaces.cli.context import Surface
from cortex.surfaces.cli.setting_up import Outcome, Wishes

if TYPE_CHECKING:
    from cortex.memory import Cortex

UNWELL = 1
"""Exit code where what was remembered is not found again."""

STATEMENT = "Cortex was set up on this machine"
QUESTION = "When was Cortex set up on this machine?"
_INTRODUCTION = "A few questions; Enter takes what stands in brackets, and Ctrl-C leaves everything as it is."


def guide(surface: Surface, given: Wishes) -> int:
    """Ask for what was not given, set it up, and show that it works; gives the exit code."""
    began = SystemClock().monotonic()
    try:
        wishes = _conversation(surface, given)
    except (typer.Abort, KeyboardInterrupt):
        _say_on_the_way_out("nothing was changed")
        raise
    surface = replace(surface, home=wishes.home)
    heading("Setting up")
    try:
        outcome = _carried_out(surface, wishes)
        works = _tried_out(surface)
    except (typer.Abort, KeyboardInterrupt):
        _say_on_the_way_out("stopped; what was made is whole, and `cortex init` goes on from there")
        raise
    _tell_what_next(wishes, outcome, SystemClock().monotonic() - began)
    return 0 if works else UNWELL


# --- asking -----------------------------------------------------------------------------------------------------------


def _conversation(surface: Surface, given: Wishes) -> Wishes:
    output.show(Text(f"Cortex {__version__}", style="bold").append(": long-term memory for AI agents", "not bold"))
    output.show(Text(_INTRODUCTION, style="dim"))
    home = given.home
    if surface.home is None and not settings.variable("CORTEX_HOME"):
        home = asking.ask_home(home)
    surface, loaded = replace(surface, home=home), settings.load(home)
    wishes = replace(given, home=home)
    wishes = replace(wishes, embedder=_embedder(wishes, loaded.embedding.provider))
    wishes = replace(wishes, llm=_llm(wishes, loaded.llm.provider))
    if wishes.notes is None:
        known = setting_up.followed(surface, home)
        proposed = [each for each in setting_up.proposed_notes() if each.path not in known]
        wishes = replace(wishes, notes=asking.ask_notes(proposed))
    if wishes.hosts is None and (here := setting_up.unconnected(home)):
        need = "" if find_spec("mcp") else f"`{install_command('mcp')}`"
        wishes = replace(wishes, hosts=asking.ask_hosts(here, setting_up.mcp_command(surface, home), need))
    return wishes


def _embedder(wishes: Wishes, current: str) -> str | None:
    if wishes.embedder is not None or settings.variable("CORTEX_EMBEDDING__PROVIDER"):
        return wishes.embedder
    offers = setting_up.embedder_offers(wishes.home, current)
    return asking.ask_one("How shall memories be found by meaning?", offers, current)


def _llm(wishes: Wishes, current: str) -> str | None:
    """Asked for only where there is something to choose."""
    if wishes.llm is not None or settings.variable("CORTEX_LLM__PROVIDER"):
        return wishes.llm
    offers = setting_up.llm_offers(wishes.home, current)
    if len(offers) == 1:
        return None
    return asking.ask_one("Shall a language model help to draw memories?", offers, current)


# --- doing ------------------------------------------------------------------------------------------------------------


def _carried_out(surface: Surface, wishes: Wishes) -> Outcome:
    outcome = setting_up.carry_out(surface, wishes, lambda told: say(rendering.done(told)), attended=True)
    for message, hint in outcome.troubles:
        say(rendering.notice(message, hint))
    return outcome


def _tried_out(surface: Surface) -> bool:
    """Remember something, recall it, and show both; whether it was found."""
    heading("Trying it out")
    with surface.engine() as engine:
        try:
            return _round_trip(engine)
        except EngineError as error:
            say(rendering.notice(error.message, error.hint or "run `cortex doctor`"))
            return False


def _round_trip(engine: Cortex) -> bool:
    line = f"{STATEMENT} on {SystemClock().now():%d %B %Y}."
    kept = engine.remember(line)
    say(rendering.done(f"remembered in {kept.receipt.latency_ms:.0f} ms: {line}"))
    answer = engine.recall(QUESTION)
    # One that was kept the last time says as much, and of the two one alone is shown.
    hit = next((hit for hit in answer.hits if hit.trace.text.startswith(STATEMENT)), None)
    if hit is None:
        say(rendering.notice(f"asked {QUESTION!r}, it was not found", "run `cortex doctor`"))
        return False
    say(rendering.done(f"recalled in {answer.receipt.latency_ms:.0f} ms, asked {QUESTION!r}:"))
    say(Text("  ").append_text(rendering.bar(hit.score)).append(f" {hit.score:.2f}  {output.one_line(hit.trace.text)}"))
    if answer.receipt.degraded:
        say(rendering.notice(f"not all of it worked: {', '.join(answer.receipt.degraded)}", "run `cortex doctor`"))
    if not asking.ask_to_keep():
        engine.forget(kept.memory.id)
        say(rendering.done("forgotten again"))
    return True


# --- what next --------------------------------------------------------------------------------------------------------


def _tell_what_next(wishes: Wishes, outcome: Outcome, seconds: float) -> None:
    heading(f"Ready, after {seconds:.0f} s. What next:")
    made = rendering.table()
    made.add_column(style="cyan", no_wrap=True)
    made.add_column()
    if wishes.home.absolute() != settings.default_home().absolute():
        made.add_row(f"export CORTEX_HOME={shlex.quote(str(wishes.home.absolute()))}", "so that every command finds it")
    need = "" if find_spec("fastapi") else f"; first `{install_command('serve')}`"
    made.add_row("cortex serve", f"the dashboard, at {setting_up.dashboard(settings.load(wishes.home))}{need}")
    made.add_row('cortex recall "…"', "ask; `cortex remember` and `cortex capture` give it something to know")
    made.add_row("cortex doctor", "see that everything works, and how to mend what does not")
    say(made)
    for told in outcome.afterwards:
        say(Text(told))


def _say_on_the_way_out(told: str) -> None:
    print(f"\ncortex: {told}", file=sys.stderr, flush=True)

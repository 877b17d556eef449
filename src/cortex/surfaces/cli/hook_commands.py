"""The hooks of an agent's turn (X2): `hook before`, `hook after`, `hook event`, `hook tool`, `hook flush-plan`.

A hook runs inside another program's turn: it prints only what is to be injected, and whatever fails it exits with 0
and a line on stderr. Some hosts treat any other exit code as a veto. Beside a running server, `hook_client` answers
instead of the commands here.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import EngineError, InvalidRequest, full_disk
from cortex.settings import is_inside
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import surface_of
from cortex.surfaces.cli.flush_plan import flush_plan
from cortex.surfaces.cli.hook_client import nothing_recalled
from cortex.surfaces.cli.inputs import STDIN, drain, given, text_of
from cortex.surfaces.cli.recall_commands import Project, Recipe, Scope
from cortex.variables import INSIDE

if TYPE_CHECKING:
    from cortex.memory import Cortex
    from cortex.services.turn_hooks import TurnHooks
    from cortex.settings import Settings
    from cortex.surfaces.cli.context import Surface
    from cortex.surfaces.cli.conversations import ConversationInput
    from cortex.surfaces.cli.host_events import HostEvent

log = logging.getLogger("cortex")

WARM_SECONDS = 2.0
"""How long a turn waits for the model to load."""

ACTOR = "hook"
"""Who stores what a host hands over, as the ledger names it."""

INSIDE_CORTEX = "inside_cortex"
"""Why a hook did nothing: Cortex started the agent itself, to call its model."""

hook = typer.Typer(
    help="Hooks for the turns of any agent: before its model is called, after it has answered, before a compaction.",
    no_args_is_help=True,
)

Session = Annotated[str | None, typer.Option(metavar="NAME", help="The session, unless the host's JSON names it.")]
Channel = Annotated[str, typer.Option(help="Where the session takes place, such as a chat program.")]
Trigger = Annotated[str, typer.Option(help="What started the turn; heartbeats and timers are skipped.")]


@hook.command("before")
def before(
    context: typer.Context,
    message: Annotated[
        str, typer.Argument(metavar="[MESSAGE]", help="The user's message; `-`, the default, reads it from stdin.")
    ] = STDIN,
    session: Session = None,
    scope: Scope = None,
    project: Project = None,
    channel: Channel = "",
    trigger: Trigger = "",
    recipe: Recipe = None,
) -> None:
    """Print the memories to inject before a turn, or nothing if none is relevant.

    Stdin is the user's message, or the JSON that a coding agent passes to its hooks.
    """
    surface = surface_of(context)
    with _errors_to_stderr():
        if is_inside():
            from cortex.services.turn_hooks import Injection

            _report_skip(message, surface.json, asdict(Injection(skipped=INSIDE_CORTEX)))
            return
        text, named = _message(message)
        name = _named(session or named)
        with surface.engine(ACTOR) as engine:
            hooks = _warm_hooks(engine, text)
            injection = hooks.before(
                text, session=name, scope=scope, project=project, channel=channel, trigger=trigger, recipe=recipe
            )
            # Before the engine is closed, which may wait for background work.
            if surface.json:
                output.show_json(asdict(injection))
            elif injection:
                output.plain(injection.block)
            if injection.degraded and not injection:
                _say(nothing_recalled(injection.degraded, by_server=False))
            _start_server(surface, engine.settings)


@hook.command("after")
def after(
    context: typer.Context,
    file: Annotated[
        str, typer.Argument(metavar="[FILE]", help="The history, in any form `capture` accepts; `-` is stdin.")
    ] = STDIN,
    session: Session = None,
    scope: Scope = None,
    channel: Channel = "",
    trigger: Trigger = "",
    run_jobs: Annotated[bool, typer.Option("--run-jobs", help="Then run the background jobs that are due.")] = False,
) -> None:
    """Store the new messages of a session after a turn. Pass the whole history every time.

    Stdin is the history, or the JSON that a coding agent passes to its hooks, which names its transcript.
    """
    surface = surface_of(context)
    with _errors_to_stderr():
        if is_inside():
            _report_skip(file, surface.json, {"ids": [], "receipt": None, "skipped": INSIDE_CORTEX})
            return
        history = _history(file)
        name = _named(session or history.session)
        with surface.engine(ACTOR) as engine:
            done = engine.ingest(history.messages, session=name, channel=channel, trigger=trigger, **given(scope=scope))
            if surface.json:
                output.show_json({"ids": list(done.ids), "receipt": done.receipt.to_json()})
            if run_jobs:
                engine.run_jobs()
            _start_server(surface, engine.settings)


@hook.command("event")
def event(context: typer.Context) -> None:
    """Handle one event of a coding agent. Stdin is the JSON that it passes to its hooks.

    It recalls before a prompt, stores what was said after a turn and before a compaction, and extracts memories when
    the session ends. The folder that the agent works in becomes the scope.
    """
    surface = surface_of(context)
    with _errors_to_stderr():
        if is_inside():
            drain()
            _say(f"skipped: Cortex started this agent itself ({INSIDE} is set)")
            return
        from cortex.surfaces.cli.host_events import HostEvent

        found = HostEvent.of(text_of(STDIN, "event"))
        if found is None:
            raise InvalidRequest("is not the JSON of a coding agent's hook", field="event", hint="see docs/agents.md")
        if found.step:
            _handle(surface, found)


@hook.command("tool")
def tool(context: typer.Context, session: Session = None) -> None:
    """Store what a tool did, as an outcome. Stdin is the JSON that a host passes to its hook after a tool ran.

    Stdin may also be a `cortex.event.v1` or a row of the capture sidecar.
    """
    surface = surface_of(context)
    with _errors_to_stderr():
        if is_inside():
            _report_skip(STDIN, surface.json, {"outcomes": 0, "skipped": INSIDE_CORTEX})
            return
        import json

        from cortex.surfaces.cli.tool_events import event_of

        try:
            payload = json.loads(text_of(STDIN, "event"))
        except (ValueError, RecursionError):
            payload = None
        if not isinstance(payload, dict):
            raise InvalidRequest("is not a JSON object", field="event", hint="see docs/events.md")
        with surface.engine(ACTOR) as engine:
            event = event_of(payload, session=session, now=engine.context.clock.now())
            done = engine.ingest_events([event])
            if surface.json:
                from cortex.surfaces.wire.turns import IngestEventsResponse

                output.show_response(IngestEventsResponse.of(done))
            for problem in done.problems:
                _say(f"{problem.message}; {problem.hint}")
            _start_server(surface, engine.settings)


def _handle(surface: Surface, event: HostEvent) -> None:
    from cortex.surfaces.cli.conversations import said_in
    from cortex.surfaces.cli.host_events import BEFORE, END, START

    name, scope = _named(event.session), event.project
    if event.step == BEFORE and event.prompt is None:
        raise InvalidRequest("is missing", field="prompt", hint="see docs/agents.md")
    shares = scope is not None
    with surface.engine(ACTOR) as engine:
        if event.step == START:
            _print(event.answer(event.introduction()))
        if event.step == BEFORE:
            prompt = event.prompt or ""
            hooks = _warm_hooks(engine, prompt)
            injection = hooks.before(prompt, session=name, scope=scope, share_personal=shares)
            _print(event.answer(injection.block))
            if injection.degraded and not injection:
                _say(f"nothing recalled: {', '.join(injection.degraded)}; see `cortex doctor`")
        if event.step not in (START, BEFORE) or (event.step == BEFORE and event.has_no_transcript):
            messages = said_in(event).messages
            if messages or event.step == END:
                engine.ingest(
                    messages, session=name, debounce=event.step != END, share_personal=shares, **given(scope=scope)
                )
        _start_server(surface, engine.settings)


def _print(text: str) -> None:
    """Print for the host at once: it waits, and what follows may take a while."""
    if text:
        output.plain(text)
        sys.stdout.flush()


hook.command("flush-plan")(flush_plan)

COMMANDS: dict[str, Callable[..., Any] | typer.Typer] = {"hook": hook}


def _warm_hooks(engine: Cortex, message: str) -> TurnHooks:
    from cortex.services.turn_hooks import TurnHooks

    hooks = TurnHooks(engine)
    hooks.warm(message)
    hooks.flush(WARM_SECONDS)
    return hooks


def _start_server(surface: Surface, settings: Settings) -> None:
    """Have the next turn answered by a server. It is started last: this turn does not wait for it."""
    from cortex.surfaces.cli import background_server

    sys.stdout.flush()
    background_server.ensure(surface, settings)


def _report_skip(argument: str, as_json: bool, result: dict[str, Any]) -> None:
    """Report that the hook did nothing: Cortex started this agent itself, to call its model."""
    if argument == STDIN:
        drain()  # the agent writes to its hook; a closed pipe would be an error
    if as_json:
        output.show_json(result)
    _say(f"skipped: Cortex started this agent itself ({INSIDE} is set)")


def _named(session: str | None) -> str:
    if not session:
        raise InvalidRequest("is missing", field="session", hint="name it with --session")
    return session


def _message(message: str) -> tuple[str, str | None]:
    """The user's message, and the session if the host's JSON names one."""
    if message != STDIN:
        return message, None
    from cortex.surfaces.cli.conversations import message_of

    return message_of(text_of(STDIN, "message"))


def _history(file: str) -> ConversationInput:
    from cortex.surfaces.cli.conversations import conversation_of, history_of

    return conversation_of(file) if file != STDIN else history_of(text_of(STDIN, "messages"))


@contextmanager
def _errors_to_stderr() -> Iterator[None]:
    """Print any error on stderr and exit normally: the turn must go on."""
    try:
        yield
    except BrokenPipeError:
        raise
    except EngineError as error:
        _say(str(error))
    except Exception as error:
        # Only its type: the message of an unexpected error may contain what was said. --debug shows it.
        log.debug("the hook failed", exc_info=True)
        _say(str(full_disk(error) or f"{type(error).__name__}: this is a bug in Cortex"))


def _say(message: str) -> None:
    print(f"cortex: {output.one_line(message)}", file=sys.stderr)

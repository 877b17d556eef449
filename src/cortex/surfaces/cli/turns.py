"""Verbs for the turns of an agent: `hook before` and `hook after` (X2), and `synthesize` (C5).

A hook stands in somebody else's turn: it says nothing but what is to be injected, and whatever goes wrong it ends
well, with a line on stderr. Some hosts take any other end for a veto.
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
from cortex.settings import INSIDE, is_inside
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import surface_of
from cortex.surfaces.cli.reading import STDIN, drain, given, text_of
from cortex.surfaces.cli.use import Asked, Budget, Limit, Project, Recipe, Scope

if TYPE_CHECKING:
    from cortex.surfaces.cli.conversations import Conversation

log = logging.getLogger("cortex")

WARM_SECONDS = 2.0
"""How long a turn waits for a process that has just begun to load its model."""

INSIDE_CORTEX = "inside_cortex"
"""Why a hook did nothing: Cortex started the agent itself, to ask its model."""

hook = typer.Typer(
    help="The two hooks of a turn, for any agent: before its model is called, after it has answered.",
    no_args_is_help=True,
)

Session = Annotated[str | None, typer.Option(metavar="NAME", help="The session, unless the host's JSON says.")]
Channel = Annotated[str, typer.Option(help="Where the session takes place, such as a chat program.")]
Trigger = Annotated[str, typer.Option(help="What began the turn; a heartbeat or a timer is left alone.")]


@hook.command("before")
def before(
    context: typer.Context,
    message: Annotated[
        str, typer.Argument(metavar="[MESSAGE]", help="What the user says; `-`, the default, reads it from stdin.")
    ] = STDIN,
    session: Session = None,
    scope: Scope = None,
    project: Project = None,
    channel: Channel = "",
    trigger: Trigger = "",
    recipe: Recipe = None,
) -> None:
    """Print what to inject before a turn: a block of memories, or nothing where nothing is relevant.

    Stdin is the user's message, or the JSON that a coding agent hands to its hooks.
    """
    surface = surface_of(context)
    with _the_turn_goes_on():
        if is_inside():
            from cortex.services.turn_hooks import Injection

            _done_nothing(message, surface.json, asdict(Injection(skipped=INSIDE_CORTEX)))
            return
        asked, named = _asked(message)
        name = _named(session or named)
        with surface.engine() as engine:
            from cortex.services.turn_hooks import TurnHooks

            hooks = TurnHooks(engine)
            hooks.warm(asked)
            hooks.flush(WARM_SECONDS)
            injection = hooks.before(
                asked, session=name, scope=scope, project=project, channel=channel, trigger=trigger, recipe=recipe
            )
            # Before the engine is closed, which may wait for what goes on in the background.
            if surface.json:
                output.show_json(asdict(injection))
            elif injection:
                output.plain(injection.block)
            if injection.degraded and not injection:
                _say(f"nothing was recalled: {', '.join(injection.degraded)}")


@hook.command("after")
def after(
    context: typer.Context,
    file: Annotated[
        str, typer.Argument(metavar="[FILE]", help="The history, in any form `capture` takes; `-` is stdin.")
    ] = STDIN,
    session: Session = None,
    scope: Scope = None,
    channel: Channel = "",
    trigger: Trigger = "",
    work: Annotated[bool, typer.Option("--work", help="Then do the background work that is due by now.")] = False,
) -> None:
    """Store what is new of a session's history after a turn. Hand over the whole history every time.

    Stdin is the history, or the JSON that a coding agent hands to its hooks, which names its transcript.
    """
    surface = surface_of(context)
    with _the_turn_goes_on():
        if is_inside():
            _done_nothing(file, surface.json, {"ids": [], "receipt": None, "skipped": INSIDE_CORTEX})
            return
        said = _history(file)
        name = _named(session or said.session)
        with surface.engine() as engine:
            done = engine.ingest(said.messages, session=name, channel=channel, trigger=trigger, **given(scope=scope))
            if surface.json:
                output.show_json({"ids": list(done.ids), "receipt": done.receipt.to_json()})
            if work:
                engine.run_jobs()


def synthesize(
    context: typer.Context,
    query: Asked,
    scope: Scope = None,
    project: Project = None,
    recipe: Recipe = None,
    limit: Limit = None,
    budget: Budget = None,
) -> None:
    """Tell what is remembered on a topic in one piece, with what each statement rests on."""
    surface = surface_of(context)
    options = given(scope=scope, project=project, recipe=recipe, limit=limit, budget=budget)
    with surface.engine() as engine:
        found = engine.synthesize(text_of(query, "query"), **options)
    if surface.json:
        from cortex.surfaces.wire.recall import SynthesisResponse

        output.show_response(SynthesisResponse.of(found))
        return
    from cortex.surfaces.cli import capture_rendering

    output.show(*capture_rendering.synthesised(found))


COMMANDS: dict[str, Callable[..., Any] | typer.Typer] = {"hook": hook, "synthesize": synthesize}


def _done_nothing(argument: str, as_json: bool, result: dict[str, Any]) -> None:
    """Say that nothing was done: Cortex started this agent itself, to ask its model."""
    if argument == STDIN:
        drain()  # the agent writes to its hook, and must not find the pipe closed
    if as_json:
        output.show_json(result)
    _say(f"nothing done: Cortex started this agent itself ({INSIDE} is set)")


def _named(session: str | None) -> str:
    if not session:
        raise InvalidRequest("is not given", field="session", hint="name it with --session")
    return session


def _asked(message: str) -> tuple[str, str | None]:
    """What the user says, and the session where the host's JSON names one."""
    if message != STDIN:
        return message, None
    from cortex.surfaces.cli.conversations import HookEvent

    text = text_of(STDIN, "message")
    event = HookEvent.of(text)
    return (text, None) if event is None or event.prompt is None else (event.prompt, event.session)


def _history(file: str) -> Conversation:
    from cortex.surfaces.cli.conversations import HookEvent, conversation_of, read, transcript_of

    if file != STDIN:
        return conversation_of(file)
    text = text_of(STDIN, "messages")
    event = HookEvent.of(text)
    if event is None or event.transcript is None:
        return read(text)
    return transcript_of(event.transcript, session=event.session)


@contextmanager
def _the_turn_goes_on() -> Iterator[None]:
    """Whatever goes wrong with memory is told on stderr and ends there."""
    try:
        yield
    except BrokenPipeError:
        raise
    except EngineError as error:
        _say(str(error))
    except Exception as error:
        # By its type alone: the message of an error nobody foresaw may repeat what was said. --debug shows it whole.
        log.debug("the hook failed", exc_info=True)
        _say(str(full_disk(error) or f"{type(error).__name__}: this is a mistake in Cortex"))


def _say(trouble: str) -> None:
    print(f"cortex: {output.one_line(trouble)}", file=sys.stderr)

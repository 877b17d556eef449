"""The command `serve`: the memory over HTTP."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import InvalidRequest, ProviderMissing, install_command
from cortex.runtime.pool import start
from cortex.settings import load
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface, open_cortex, surface_of
from cortex.surfaces.http import server_file
from cortex.surfaces.http.server_file import ServerInfo

if TYPE_CHECKING:
    from cortex.memory import Cortex
    from cortex.surfaces.http.server import HttpServer

_LEAST_SECRET = 32
"""The fewest characters of an owner's token: nobody guesses that many."""


def serve(
    context: typer.Context,
    host: Annotated[
        str | None, typer.Option(help="The address to listen on (127.0.0.1); all others need a token.")
    ] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65_535, help="The port (8300); 0 takes a free one.")] = None,
    owned: Annotated[
        bool,
        typer.Option("--owned", help="For hosts: read their token from stdin, and stop when stdin closes."),
    ] = False,
    idle_minutes: Annotated[
        float | None,
        typer.Option(min=0.01, help="Stop after this time without a request or a due job, or if the settings change."),
    ] = None,
) -> None:
    """Serve the HTTP API and the dashboard, and run the background jobs."""
    surface = surface_of(context)
    try:
        from cortex.surfaces.http import app
        from cortex.surfaces.http.server import HttpServer, IdleLimit, address_of, check_exposure, listen, logged
    except ImportError as error:
        raise ProviderMissing(
            f"serving needs {error.name}, which is not installed", hint=install_command("serve")
        ) from error
    from cortex.access import Tokens
    from cortex.clock import SystemClock
    from cortex.surfaces.http.options import ServeOptions

    clock = SystemClock()
    home = str(surface.root.absolute())
    stamp = server_file.settings_stamp(home)
    with surface.engine() as engine:
        tokens = Tokens(engine.context.dependencies.documents, clock)
        options = ServeOptions.of(engine.settings, host=host, port=port)
        check_exposure(tokens, options, clock.now())
        bound = listen(options)
        address = address_of(bound)
        info = _server_info(surface, engine, address, stamp)
        host_secrets = (info.token, _owner_secret()) if owned else (info.token,)
        served = app.create_app(engine, tokens, options, open_engine=_opener(surface), host_secrets=host_secrets)
        idle = idle_minutes and IdleLimit(
            idle_minutes * 60, partial(_has_due_jobs, engine), lambda: server_file.settings_stamp(home) != stamp
        )
        announcement = server_file.Announcement(home, info, _lock(home))

        def ready() -> None:
            announcement.publish()
            _announce(surface, engine, address)

        server = HttpServer(served, options, ready, idle or None)
        if owned:
            start(partial(_end_with_owner, server), "cortex-owner")
        with bound, logged(), announcement:
            server.run([bound])


def _server_info(surface: Surface, engine: Cortex, address: str, stamp: str) -> ServerInfo:
    """What commands and hosts on this machine learn from the server file."""
    # The defaults without our own options and variables: theirs may be others.
    defaults = load(surface.root, environment={})
    hooks = engine.settings.hooks
    return ServerInfo(
        url=server_file.reachable(address),
        pid=os.getpid(),
        token=os.urandom(32).hex(),
        agent=defaults.agent,
        user=defaults.user,
        deadline_ms=hooks.deadline_ms,
        ingest_timeout_ms=hooks.ingest_timeout_ms,
        settings=stamp,
    )


def _lock(home: str) -> int | None:
    """The lock of the home's server. The command that started this process may hand it over as stdin."""
    with suppress(OSError):
        if os.path.samestat(os.fstat(0), os.stat(os.path.join(home, server_file.LOCK_NAME))):
            lock = os.dup(0)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # no process of ours inherits it
            return lock
    return server_file.acquire(home)


def _has_due_jobs(engine: Cortex) -> bool:
    """Whether a user of this agent has jobs that are due."""
    agent, now = engine.tenant.agent, engine.context.clock.now()
    users = {engine.tenant.user, *engine.context.dependencies.store(agent).users()}
    due = [engine.bind(agent=agent, user=user).next_due() for user in users]
    return any(at is not None and at <= now for at in due)


def _owner_secret() -> str:
    """The token of the process that started this one, read from stdin so that no file contains it."""
    secret = sys.stdin.readline().strip()
    if len(secret) < _LEAST_SECRET:
        raise InvalidRequest(
            f"has under {_LEAST_SECRET} characters", field="token", hint="write a random one to standard input"
        )
    return secret


def _end_with_owner(server: HttpServer) -> None:
    """Stop the server when stdin closes: the process at its other end is gone."""
    while sys.stdin.readline():
        pass
    server.should_exit = True


def _opener(surface: Surface) -> Callable[[], Cortex] | None:
    """Opens the same memory in another process; None if only this process has it."""
    if surface.open_engine is not open_cortex:
        return None
    return partial(open_cortex, surface.home, surface.agent, surface.user)


def _announce(surface: Surface, engine: Cortex, address: str) -> None:
    if surface.json:
        tenant = engine.tenant
        output.show_json({"url": address, "pid": os.getpid(), "agent": tenant.agent, "user": tenant.user})
    else:
        output.plain(f"listening on {address}; press Ctrl-C to stop")
    sys.stdout.flush()


COMMANDS: dict[str, Callable[..., Any]] = {"serve": serve}

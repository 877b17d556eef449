"""The command `serve`: the memory over HTTP."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import InvalidRequest, ProviderMissing, install_command
from cortex.runtime.pool import start
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface, open_cortex, surface_of

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
) -> None:
    """Serve the HTTP API and the dashboard, and run the background jobs."""
    surface = surface_of(context)
    try:
        from cortex.surfaces.http import app
        from cortex.surfaces.http.server import HttpServer, address_of, check_exposure, listen, logged
        from cortex.surfaces.http.server_file import announced
    except ImportError as error:
        raise ProviderMissing(
            f"serving needs {error.name}, which is not installed", hint=install_command("serve")
        ) from error
    from cortex.access.tokens import FILE_NAME, TokenFile
    from cortex.clock import SystemClock
    from cortex.surfaces.http.options import ServeOptions

    clock = SystemClock()
    tokens = TokenFile(surface.root / FILE_NAME, clock)
    with surface.engine() as engine:
        options = ServeOptions.of(engine.settings, host=host, port=port)
        check_exposure(tokens, options, clock.now())
        bound = listen(options)
        address = address_of(bound)
        shared = os.urandom(32).hex()
        host_secrets = (shared, _owner_secret()) if owned else (shared,)
        served = app.create_app(engine, tokens, options, open_engine=_opener(surface), host_secrets=host_secrets)
        server = HttpServer(served, options, lambda: _announce(surface, engine, address))
        if owned:
            start(partial(_end_with_owner, server), "cortex-owner")
        with bound, logged(), announced(surface.root, address, shared):
            server.run([bound])


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

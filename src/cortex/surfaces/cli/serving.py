"""The verb `serve`: the memory over HTTP."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import ProviderMissing, install_command
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface, open_cortex, surface_of

if TYPE_CHECKING:
    from cortex.memory import Cortex


def serve(
    context: typer.Context,
    host: Annotated[
        str | None, typer.Option(help="Where to listen; any but this machine's own needs a token (127.0.0.1).")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help="On which port; 0 takes a free one (8300).")
    ] = None,
) -> None:
    """Serve the memory over HTTP until told to end, and do its background work meanwhile. See docs/http.md."""
    surface = surface_of(context)
    try:
        from cortex.surfaces.http import app, running
    except ImportError as error:
        raise ProviderMissing(
            f"serving needs {error.name}, which is not installed", hint=install_command("serve")
        ) from error
    from cortex.access.tokens import FILE_NAME, Tokens
    from cortex.clock import SystemClock
    from cortex.surfaces.http.options import ServeOptions

    clock = SystemClock()
    tokens = Tokens(surface.root / FILE_NAME, clock)
    with surface.engine() as engine:
        options = ServeOptions.of(engine.settings, host=host, port=port)
        running.check_exposure(tokens, options, clock.now())
        bound = running.listen(options)
        address = running.address_of(bound)
        served = app.create_app(engine, tokens, options, open_engine=_again(surface))
        server = running.Server(served, options, lambda: _tell(surface, engine, address))
        with bound, running.logged():
            server.run([bound])


def _again(surface: Surface) -> Callable[[], Cortex] | None:
    """What opens the same memory in another process; None where only this one has it."""
    if surface.open_engine is not open_cortex:
        return None
    return partial(open_cortex, surface.home, surface.agent, surface.user)


def _tell(surface: Surface, engine: Cortex, address: str) -> None:
    if surface.json:
        tenant = engine.tenant
        output.show_json({"url": address, "pid": os.getpid(), "agent": tenant.agent, "user": tenant.user})
    else:
        output.plain(f"listening on {address}; end it with Ctrl-C")
    sys.stdout.flush()


COMMANDS: dict[str, Callable[..., Any]] = {"serve": serve}

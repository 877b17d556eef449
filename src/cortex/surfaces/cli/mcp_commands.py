"""The commands for MCP hosts (X4): `mcp`, which serves, and `mcp install`, which configures a host."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import InvalidRequest, ProviderMissing, install_command
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface, surface_of
from cortex.surfaces.cli.shared_memory import SharedMemory
from cortex.surfaces.project_scope import project_of

if TYPE_CHECKING:
    from cortex.surfaces.mcp.hosts import Host

HOSTS = "claude-code, claude-desktop, cursor, vscode, openclaw"
PORT = 8301

mcp = typer.Typer(help="Serve the memory to an MCP host over stdin and stdout; `mcp install` configures the host.")


@mcp.callback(invoke_without_command=True)
def serve(
    context: typer.Context,
    http: Annotated[bool, typer.Option("--http", help="Serve over streamable HTTP, to this machine only.")] = False,
    port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help=f"With --http: the port ({PORT}); 0 takes a free one.")
    ] = None,
    profile: Annotated[
        str, typer.Option(help="The tools: model, or canonical for hosts that expect names such as memory_store.")
    ] = "model",
    here: Annotated[
        bool,
        typer.Option("--here", help="Search only the project of the working folder, and what is about the person."),
    ] = False,
) -> None:
    """Serve the memory of the agent and user in the global options to an MCP host."""
    if context.invoked_subcommand is not None:
        return
    if port is not None and not http:
        raise InvalidRequest("is for HTTP", field="--port", hint="give --http too")
    surface = surface_of(context)
    # The SDK's log is for its developers.
    for name in ("mcp", "uvicorn"):
        logging.getLogger(name).addHandler(logging.NullHandler())
    try:
        from cortex.surfaces.mcp import transports
    except ImportError as error:
        raise ProviderMissing("the MCP SDK is not installed, or is too old", hint=install_command("mcp")) from error
    if http:
        with surface.engine("mcp") as engine:
            transports.serve_http(engine, PORT if port is None else port, profile, lambda url: _announce(surface, url))
        return
    if sys.stdin.isatty():
        _say("waiting for an MCP host on stdin; `cortex mcp install` configures one")
    with closing(SharedMemory(surface)) as memory:
        memory.engine()  # what is wrong with it is said at once
        transports.serve_stdio(memory, profile, _project() if here else None)


@mcp.command("install")
def install(
    context: typer.Context,
    host: Annotated[str | None, typer.Option(help=f"The host: {HOSTS}. All of them by default.")] = None,
    write: Annotated[
        bool,
        typer.Option("--write", help="Write to the host's file, with a backup, instead of printing."),
    ] = False,
    name: Annotated[str, typer.Option(help="The name of the server there.")] = "cortex",
    file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Another file, such as that of one project.")
    ] = None,
) -> None:
    """Print the configuration for an MCP host, or write it to the host's file."""
    surface = surface_of(context)
    if host is None and (write or file is not None):
        raise InvalidRequest("is missing", field="--host", hint=f"one of {HOSTS}")
    from cortex.surfaces.mcp import hosts

    chosen = list(hosts.HOSTS.values()) if host is None else [_host(host)]
    command = hosts.command_for(sys.executable, surface.root.absolute(), surface.agent, surface.user)
    if not name.strip() or not name.isprintable() or len(name) > 64:
        raise InvalidRequest("is empty, long or not printable", field="--name", hint="give a short name")
    places = [(each, (file or each.file(Path.home())).expanduser()) for each in chosen]
    if write:
        _write(surface, *places[0], name, command)
    elif surface.json:
        output.show_json(
            {"hosts": [
                {"host": each.name, "file": str(place), "config": each.snippet(name, command)} for each, place in places
            ]}
        )  # fmt: skip
    else:
        for each, place in places:
            output.plain(f"{each.title}: in {place}")
            output.plain(json.dumps(each.snippet(name, command), indent=2, ensure_ascii=False))


COMMANDS: dict[str, Callable[..., Any] | typer.Typer] = {"mcp": mcp}


def _project() -> str | None:
    """The scope of the working folder; none if it is gone."""
    with suppress(OSError):
        return project_of(os.getcwd())
    return None


def _host(given: str) -> Host:
    from cortex.surfaces.mcp.hosts import HOSTS as KNOWN

    if given not in KNOWN:
        raise InvalidRequest(f"{given[:64]!r} is unknown", field="--host", hint=f"one of {HOSTS}")
    return KNOWN[given]


def _write(surface: Surface, host: Host, file: Path, name: str, command: list[str]) -> None:
    from cortex.surfaces.mcp import hosts

    done = hosts.write(host, name, command, file)
    if surface.json:
        output.show_json({
            "host": host.name,
            "file": str(done.file),
            "changed": done.changed,
            "backup": str(done.backup) if done.backup else None,
        })  # fmt: skip
        return
    if not done.changed:
        output.plain(f"{host.title} is already connected: {done.file}")
        return
    output.plain(f"written to {done.file}" + (f"; backup: {done.backup}" if done.backup else ""))
    output.plain(f"next: {host.next_step.replace('<name>', name)}")


def _announce(surface: Surface, url: str) -> None:
    if surface.json:
        output.show_json({"url": url})
        sys.stdout.flush()
    else:
        _say(f"serving MCP at {url}; press Ctrl-C to stop")


def _say(message: str) -> None:
    print(f"cortex: {message}", file=sys.stderr, flush=True)

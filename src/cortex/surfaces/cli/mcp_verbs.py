"""Verbs for MCP hosts (X4): `mcp`, which serves, and `mcp install`, which tells a host of it."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import InvalidRequest, ProviderMissing, install_command
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface, surface_of

if TYPE_CHECKING:
    from cortex.surfaces.mcp.hosts import Host

HOSTS = "claude-code, claude-desktop, cursor, vscode, openclaw"
PORT = 8301

mcp = typer.Typer(help="Serve this memory to an MCP host over stdin and stdout; `install` tells a host of it.")


@mcp.callback(invoke_without_command=True)
def serve(
    context: typer.Context,
    http: Annotated[bool, typer.Option("--http", help="Serve by streamable HTTP, to this machine alone.")] = False,
    port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help=f"With --http: the port, {PORT} by default; 0 is a free one.")
    ] = None,
    profile: Annotated[
        str, typer.Option(help="The tools to offer: model, or canonical for hosts that know memory_store and the like.")
    ] = "model",
) -> None:
    """Serve this memory to an MCP host, as the agent and user of the global options and no other."""
    if context.invoked_subcommand is not None:
        return
    if port is not None and not http:
        raise InvalidRequest("is for HTTP", field="--port", hint="give --http too")
    surface = surface_of(context)
    # What the SDK logs is for its developers, and nobody asked for it.
    for name in ("mcp", "uvicorn"):
        logging.getLogger(name).addHandler(logging.NullHandler())
    with surface.engine() as engine:
        try:
            from cortex.surfaces.mcp import running
        except ImportError as error:
            raise ProviderMissing(
                "the MCP SDK is not installed, or is too old", hint=install_command("mcp")
            ) from error
        if http:
            running.serve_http(engine, PORT if port is None else port, profile, lambda url: _tell(surface, url))
        else:
            if sys.stdin.isatty():
                _say("an MCP host is expected on stdin; `cortex mcp install` sets one up")
            running.serve_stdio(engine, profile)


@mcp.command("install")
def install(
    context: typer.Context,
    host: Annotated[str | None, typer.Option(help=f"The host: {HOSTS}. All of them where it is not given.")] = None,
    write: Annotated[
        bool,
        typer.Option("--write", help="Write it to the host's file, which is backed up first, instead of printing."),
    ] = False,
    name: Annotated[str, typer.Option(help="What the server is called there.")] = "cortex",
    file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Another file of the host's, such as that of one project.")
    ] = None,
) -> None:
    """Print what an MCP host has to be told of this memory, or write it to the host's file."""
    surface = surface_of(context)
    if host is None and (write or file is not None):
        raise InvalidRequest("is not given", field="--host", hint=f"one of {HOSTS}")
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


def _host(given: str) -> Host:
    from cortex.surfaces.mcp.hosts import HOSTS as KNOWN

    if given not in KNOWN:
        raise InvalidRequest(f"{given[:64]!r} is not known", field="--host", hint=f"one of {HOSTS}")
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
        output.plain(f"{host.title} knows of it already: {done.file}")
        return
    output.plain(f"written to {done.file}" + (f"; as it was before: {done.backup}" if done.backup else ""))
    output.plain(f"next: {host.afterwards.replace('<name>', name)}")


def _tell(surface: Surface, url: str) -> None:
    if surface.json:
        output.show_json({"url": url})
        sys.stdout.flush()
    else:
        _say(f"serving MCP at {url}; end it with Ctrl-C")


def _say(what: str) -> None:
    print(f"cortex: {what}", file=sys.stderr, flush=True)

"""The commands under `admin tokens`: access for HTTP and MCP clients."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.clock import SystemClock
from cortex.errors import InvalidRequest
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface, surface_of
from cortex.surfaces.cli.inputs import duration_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from cortex.access import AccessToken, Tokens
    from cortex.domain.scope import Tenant

tokens = typer.Typer(help="Access tokens for HTTP and MCP: create, list, revoke, clear.", no_args_is_help=True)


def create(
    context: typer.Context,
    rights: Annotated[
        str,
        typer.Option(metavar="RIGHTS", help="Some of read, write, host, admin; each includes the ones before it."),
    ] = "read,write",
    also_agent: Annotated[
        list[str] | None,
        typer.Option(metavar="AGENT", help="Another agent that a host may act for, with --rights host; repeatable."),
    ] = None,
    expires: Annotated[
        str | None, typer.Option(metavar="SPAN", help="Its lifetime, such as 30d; without one, until it is revoked.")
    ] = None,
    label: Annotated[str, typer.Option(metavar="TEXT", help="What it is for.")] = "",
) -> None:
    """Create a token for one agent and user (--agent, --user). Only its secret goes to stdout, once."""
    from cortex.access import Right
    from cortex.domain.choices import chosen

    surface = surface_of(context)
    wanted = [chosen(Right, right.strip().lower(), "rights") for right in rights.split(",")]
    span = duration_of(expires, "expires")
    with _tokens(surface) as stored:
        secret, token = stored.create(_tenant(surface), wanted, agents=also_agent or (), label=label, expires_in=span)
    if surface.json:
        output.show_json(_plain(token) | {"secret": secret})
        return
    # Messages go to stderr, so that `$(cortex admin tokens create)` is only the secret.
    output.show(_description(token), stream=sys.stderr)
    output.plain(secret)
    output.show("Copy it now: it cannot be shown again. Cortex stores only its digest.", stream=sys.stderr)


def list_(context: typer.Context) -> None:
    """List the tokens of this home, or of one agent and user; never their secrets."""
    surface = surface_of(context)
    with _tokens(surface) as stored:
        found = [each for each in stored.all() if _matches(each, surface)]
        if gone := stored.missing():
            raise gone
    if surface.json:
        output.show_json({"tokens": [_plain(each) for each in found]})
    elif found:
        output.show(_table(found, SystemClock().now()))
    else:
        output.plain("no tokens; create one with `cortex admin tokens create`")


def revoke(
    context: typer.Context,
    id: Annotated[str, typer.Argument(metavar="ID", help="The ID of the token, as listed.")],
) -> None:
    """Revoke a token at once, also for running servers."""
    surface = surface_of(context)
    with _tokens(surface) as stored:
        revoked = stored.revoke(id)
    if surface.json:
        output.show_json(_plain(revoked))
    else:
        assert revoked.revoked_at is not None
        output.show(f"token {revoked.id} revoked at {_shown(revoked.revoked_at)}")


def clear(
    context: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", help="Skip the confirmation.")] = False,
) -> None:
    """Delete every token of this home. `serve` then accepts any request from this machine without a token."""
    surface = surface_of(context)
    if not yes:
        _confirm()
    with _tokens(surface) as stored:
        stored.clear()
    if surface.json:
        output.show_json({"cleared": True})
    else:
        output.show("all tokens deleted; `cortex serve` now accepts requests from this machine without one")


def _confirm() -> None:
    if not sys.stdin.isatty():
        raise InvalidRequest(
            "needs confirmation, and there is no terminal", field="clear", hint="give --yes to confirm"
        )
    if typer.prompt("This cannot be undone. Type `clear` to continue", default="", show_default=False) != "clear":
        raise typer.Abort


tokens.command("create")(create)
tokens.command("list")(list_)
tokens.command("revoke")(revoke)
tokens.command("clear")(clear)


@contextmanager
def _tokens(surface: Surface) -> Iterator[Tokens]:
    from cortex import settings, wiring
    from cortex.access import Tokens

    clock = SystemClock()
    with closing(wiring.open_documents(surface.root, settings.load(surface.root), clock)) as documents:
        yield Tokens(documents, clock)


def _tenant(surface: Surface) -> Tenant:
    from cortex import settings
    from cortex.domain.scope import Tenant

    loaded = settings.load(surface.root)
    return Tenant(loaded.agent, loaded.user).named(surface.agent, surface.user)


def _matches(each: AccessToken, surface: Surface) -> bool:
    return surface.agent in (None, each.agent) and surface.user in (None, each.user)


def _plain(each: AccessToken) -> dict[str, Any]:
    return each.to_json() | {"state": each.state(SystemClock().now())}


def _description(token: AccessToken) -> str:
    from cortex.access import Right

    until = f"until {_shown(token.expires_at)}" if token.expires_at else "until it is revoked"
    every = ", every user" if Right.HOST in token.rights else f", user {token.user}"
    owner = output.one_line(f"agent {_agents(token)}{every}")
    return f"token {token.id} for {owner}: {_rights(token)}, {until}"


def _table(found: Sequence[AccessToken], now: datetime) -> RenderableType:
    from rich.text import Text

    from cortex.surfaces.cli import rendering

    table = rendering.table(
        "id", "agent", "user", "rights", "state", "created", "expires", "label", whole=["id", "state"]
    )
    for each in found:
        state = each.state(now)
        ends = _shown(each.expires_at) if each.expires_at else "never"
        texts = (each.id, _agents(each), each.user, _rights(each), state, _shown(each.created_at), ends, each.label)
        style = "" if state == "active" else "dim"
        table.add_row(*(Text(output.one_line(text)) for text in texts), style=style)
    return table


def _agents(each: AccessToken) -> str:
    return ", ".join((each.agent, *each.agents))


def _rights(each: AccessToken) -> str:
    return ", ".join(each.to_json()["rights"])


def _shown(at: datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M}"

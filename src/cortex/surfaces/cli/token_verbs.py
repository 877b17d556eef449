"""Verbs for who may come in from outside: `token create`, `token list`, `token revoke`, `token clear`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.clock import SystemClock
from cortex.errors import InvalidRequest
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface, surface_of
from cortex.surfaces.cli.reading import duration_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from cortex.access import Token, Tokens
    from cortex.domain.scope import Tenant

token = typer.Typer(help="Tokens for HTTP and MCP: make, list, revoke, clear.", no_args_is_help=True)


def create(
    context: typer.Context,
    rights: Annotated[
        str, typer.Option(metavar="RIGHTS", help="Some of read, write, admin; each includes the ones before it.")
    ] = "read,write",
    expires: Annotated[
        str | None, typer.Option(metavar="SPAN", help="How long it is good, such as 30d; else until it is revoked.")
    ] = None,
    label: Annotated[str, typer.Option(metavar="TEXT", help="What it is for, to know it by in the list.")] = "",
) -> None:
    """Make a token for one agent and user (--agent, --user). Its secret is printed once, alone on stdout."""
    from cortex.access import Right
    from cortex.domain.choices import chosen

    surface = surface_of(context)
    wanted = [chosen(Right, right.strip().lower(), "rights") for right in rights.split(",")]
    span = duration_of(expires, "expires")
    secret, made = _tokens(surface).create(_tenant(surface), wanted, label=label, expires_in=span)
    if surface.json:
        output.show_json(_plain(made) | {"secret": secret})
        return
    # The words go to stderr, so that `$(cortex token create)` is the secret and nothing else.
    output.show(_told(made), stream=sys.stderr)
    output.plain(secret)
    output.show("Copy it now: it cannot be shown again, only its digest is kept.", stream=sys.stderr)


def list_(context: typer.Context) -> None:
    """Show the tokens of this home, or those of the agent and user that are named; never their secrets."""
    surface = surface_of(context)
    tokens = _tokens(surface)
    found = [each for each in tokens.all() if _is_meant(each, surface)]
    if gone := tokens.missing():
        raise gone
    if surface.json:
        output.show_json({"tokens": [_plain(each) for each in found]})
    elif found:
        output.show(_table(found, SystemClock().now()))
    else:
        output.plain("no tokens; `cortex token create` makes one")


def revoke(
    context: typer.Context,
    id: Annotated[str, typer.Argument(metavar="ID", help="The token, by its id in the list.")],
) -> None:
    """Revoke a token: from now on it is refused, also by servers that are running."""
    surface = surface_of(context)
    revoked = _tokens(surface).revoke(id)
    if surface.json:
        output.show_json(_plain(revoked))
    else:
        assert revoked.revoked_at is not None
        output.show(f"token {revoked.id} is refused since {_shown(revoked.revoked_at)}")


def clear(
    context: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove every token of this home. `serve` then lets this machine in without one, to all users of its agent."""
    surface = surface_of(context)
    if not yes:
        _confirm()
    _tokens(surface).clear()
    if surface.json:
        output.show_json({"cleared": True})
    else:
        output.show("every token is gone; from this machine, `cortex serve` can be asked without one")


def _confirm() -> None:
    if not sys.stdin.isatty():
        raise InvalidRequest("there is nobody to ask", field="--yes", hint="give --yes to clear without asking")
    if typer.prompt("This cannot be undone. Type `clear` to go on", default="", show_default=False) != "clear":
        raise typer.Abort


token.command("create")(create)
token.command("list")(list_)
token.command("revoke")(revoke)
token.command("clear")(clear)

COMMANDS: dict[str, Callable[..., Any] | typer.Typer] = {"token": token}


def _tokens(surface: Surface) -> Tokens:
    from cortex.access import FILE_NAME, Tokens

    return Tokens(surface.root / FILE_NAME, SystemClock())


def _tenant(surface: Surface) -> Tenant:
    from cortex import settings
    from cortex.domain.scope import Tenant

    loaded = settings.load(surface.root)
    return Tenant(surface.agent or loaded.agent, surface.user or loaded.user)


def _is_meant(each: Token, surface: Surface) -> bool:
    return surface.agent in (None, each.agent) and surface.user in (None, each.user)


def _plain(each: Token) -> dict[str, Any]:
    return each.to_json() | {"state": each.state(SystemClock().now())}


def _told(made: Token) -> str:
    until = f"until {_shown(made.expires_at)}" if made.expires_at else "until it is revoked"
    whose = output.one_line(f"agent {made.agent}, user {made.user}")
    return f"token {made.id} for {whose}: {_rights(made)}, {until}"


def _table(found: Sequence[Token], now: datetime) -> RenderableType:
    from rich.text import Text

    from cortex.surfaces.cli import rendering

    shown = rendering.table("id", "agent", "user", "rights", "state", "made", "expires", "label", whole=["id", "state"])
    for each in found:
        state = each.state(now)
        ends = _shown(each.expires_at) if each.expires_at else "never"
        texts = (each.id, each.agent, each.user, _rights(each), state, _shown(each.created_at), ends, each.label)
        style = "" if state == "active" else "dim"
        shown.add_row(*(Text(output.one_line(text)) for text in texts), style=style)
    return shown


def _rights(each: Token) -> str:
    return ", ".join(each.to_json()["rights"])


def _shown(at: datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M}"

"""Who a trace belongs to (tenant) and which namespace it lives in (scope)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cortex.errors import InvalidRequest

DEFAULT_SCOPE = "personal"
DEFAULT_AGENT = "main"
DEFAULT_USER = "default"

_AGENT = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_MENTION = re.compile(r"""(?<![^\s(])\#([^\s\#\[\]()<>"'`,;]{1,128}) | \[([^\[\]\n]{1,128})\](?!\()""", re.VERBOSE)
_TAG = re.compile(r"(?:^|\s)(?:scope|project):([^\s\"'<>]{1,128})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Tenant:
    """An agent and one of its users. Every read and write is bound to exactly one tenant."""

    agent: str = DEFAULT_AGENT
    user: str = DEFAULT_USER

    def __post_init__(self) -> None:
        if not is_agent_name(self.agent):
            raise InvalidRequest(
                f"{self.agent[:64]!r} is not an agent name",
                field="agent",
                hint="use up to 64 of a-z, 0-9, dot, dash and underscore, starting with a letter or digit",
            )
        checked_label(self.user, "user")

    def named(self, agent: str | None, user: str | None) -> Tenant:
        """This tenant, or that of the agent and the user that are given. An empty name is an error, not this tenant."""
        return Tenant(self.agent if agent is None else agent, self.user if user is None else user)


def is_agent_name(name: str) -> bool:
    """Whether an agent can have this name."""
    return bool(_AGENT.fullmatch(name))


def scope_tag(query: str) -> str | None:
    """The scope a query names by a tag (`scope:infra`, `project:infra`), if it names one."""
    found = _TAG.search(query)
    return found.group(1) if found else None


def scope_mentions(query: str) -> list[str]:
    """The names that stand as `#name` or `[name]`, in their order: scopes, where there are any of that name.

    Most of them are something else: an issue's number, a box to tick, the text of a link.
    """
    found = (hashed.rstrip(".:!?") or bracketed.strip() for hashed, bracketed in _MENTION.findall(query))
    return list(dict.fromkeys(filter(None, found)))


def checked_label(value: str, field: str) -> str:
    """`value` as a name people gave something, or an error naming the field."""
    if not isinstance(value, str) or not value.strip() or len(value) > 256 or not value.isprintable():
        raise InvalidRequest(
            "is empty, longer than 256 characters or not printable", field=field, hint="give a short name"
        )
    return value

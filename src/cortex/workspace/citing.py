"""Whether results are shown with where they come from (B11)."""

from __future__ import annotations

import re

_GROUPS = re.compile(r"(?:^|[:/])(?:group|channel|room|thread|guild|supergroup)(?:[:/]|$)", re.IGNORECASE)


def is_shown(mode: str, session: str | None) -> bool:
    """By `mode`: `on`, `off`, or `auto`: in direct chats, and where nobody says what sort of chat it is."""
    if mode == "auto":
        return not is_group(session)
    return mode == "on"


def is_group(session: str | None) -> bool:
    """Whether a host's session key names a chat of several people, such as `agent:main:telegram:group:42`."""
    return session is not None and _GROUPS.search(session) is not None

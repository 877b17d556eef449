"""Where a turn takes place and who speaks, as the host reports it."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum

from cortex.domain.scope import Tenant
from cortex.errors import InvalidRequest

_LONGEST_ID = 200
"""A longer id of a chat or sender is replaced by its digest: the name of a user has at most 256 characters."""


_GROUPS = re.compile(r"(?:^|[:/])(?:group|channel|room|thread|guild|supergroup)(?:[:/]|$)", re.IGNORECASE)


class ChatType(StrEnum):
    DIRECT = "direct"
    GROUP = "group"
    CHANNEL = "channel"


@dataclass(frozen=True, slots=True)
class Chat:
    """A direct chat, a group or a channel, and the person who spoke in it."""

    type: ChatType = ChatType.DIRECT
    id: str = ""
    """The host's id of the chat; a group or channel needs one."""
    sender: str = ""
    """The host's id of the person who spoke."""

    def __post_init__(self) -> None:
        if self.is_shared and not self.id.strip():
            raise InvalidRequest(f"is needed in a {self.type}", field="chat_id", hint="send the host's id of the chat")

    @property
    def is_shared(self) -> bool:
        """Whether several people read what is said."""
        return self.type is not ChatType.DIRECT

    def tenant(self, owner: Tenant, *, per_sender: bool, personal_in_groups: bool) -> Tenant:
        """Whose memory this chat uses: a group's own, the sender's own, or that of the agent's owner."""
        if self.is_shared:
            return owner if personal_in_groups else Tenant(owner.agent, _user(self.type, self.id))
        if per_sender and self.sender.strip():
            return Tenant(owner.agent, _user("sender", self.sender))
        return owner


def shows_citations(mode: str, session: str | None, chat: Chat | None = None) -> bool:
    """Whether sources are cited: `on`, `off`, or `auto`, which cites in direct chats and not in groups (B11).

    What the host says about the chat decides. If it says nothing, the session key does.
    """
    if mode == "auto":
        return not (chat.is_shared if chat is not None else is_group_session(session))
    return mode == "on"


def is_group_session(session: str | None) -> bool:
    """Whether a host's session key names a chat of several people, such as `agent:main:telegram:group:42`."""
    return session is not None and _GROUPS.search(session) is not None


def is_group_memory(tenant: Tenant) -> bool:
    """Whether this is the memory of a group or channel, where a user need not be the agent's owner."""
    return tenant.user.startswith((f"{ChatType.GROUP}:", f"{ChatType.CHANNEL}:"))


def _user(kind: str, id: str) -> str:
    name = id.strip()
    if len(name) > _LONGEST_ID or not name.isprintable():
        name = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{kind}:{name}"

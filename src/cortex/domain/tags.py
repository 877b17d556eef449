"""Tags: names for positions of a user's ledger, each with the seal that the ledger has there (E18)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from cortex.domain.trace import parse_time
from cortex.errors import InvalidRequest

TAGS = "#tags"
"""The session in whose state the tags of a user are kept: dumps, backups and erasures treat it as any other."""

MOST_AUTOMATIC = 20
"""How many automatic tags are kept, the latest."""

MOST_NAMED = 1_000
MOST_REASON_CHARS = 200

LARGE = 100
"""A change of more memories than this has an automatic tag before it."""

IMPORT, CAPTURE, REGRADE, WRITEBACK, ROLLBACK, BULK = "import", "capture", "regrade", "writeback", "rollback", "bulk"
"""The large changes that have an automatic tag before them."""

REBASING = frozenset({IMPORT, REGRADE, WRITEBACK})
"""The reasons of automatic tags after which memories are of another sort than before: drift is measured anew."""

AUTOMATIC = "auto-"
"""How the names of automatic tags begin, and no other."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """A name for one position of a user's ledger, with the seal of the event there."""

    name: str
    user: str
    position: int
    seal: str
    at: datetime
    """When it was created."""
    reason: str = ""
    automatic: bool = False

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"at": self.at.isoformat()}

    def to_state(self) -> dict[str, Any]:
        """How it is kept under its name in the state of `TAGS`."""
        return {key: value for key, value in self.to_json().items() if key not in {"name", "user"}}


def checked_name(name: object, field: str = "tag") -> str:
    """The name of a tag, which cannot be taken for a position or a time."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InvalidRequest(
            "is not the name of a tag",
            field=field,
            hint="use up to 64 letters, digits, dots, hyphens and underscores, beginning with a letter",
        )
    return name


def new_name(name: object) -> str:
    """The name of a tag that somebody creates."""
    found = checked_name(name)
    if found.lower().startswith(AUTOMATIC):
        raise InvalidRequest(f"begins with `{AUTOMATIC}`, as automatic tags do", field="tag", hint="use another name")
    return found


def checked_reason(reason: object) -> str:
    """Why a tag is created, in a line."""
    if not isinstance(reason, str) or len(reason) > MOST_REASON_CHARS or not reason.isprintable():
        raise InvalidRequest(
            "is not a line of text", field="reason", hint=f"give up to {MOST_REASON_CHARS} characters in one line"
        )
    return reason.strip()


def automatic_name(reason: str, at: datetime, taken: Collection[str]) -> str:
    """A name for an automatic tag that is not taken, such as `auto-rollback-20260105T090000Z`."""
    name = f"{AUTOMATIC}{reason}-{at:%Y%m%dT%H%M%SZ}"
    number = 1
    while (found := name if number == 1 else f"{name}.{number}") in taken:
        number += 1
    return checked_name(found)


def tags_in(state: Mapping[str, Any] | None, user: str) -> list[Tag]:
    """The tags that a state holds, in order of position. What is not as it should be is as if it were not there."""
    found = (_tag(name, user, payload) for name, payload in (state or {}).items())
    return sorted((tag for tag in found if tag), key=lambda tag: (tag.position, tag.at, tag.name))


def outdated(tags: Iterable[Tag], most: int = MOST_AUTOMATIC) -> list[str]:
    """The names of automatic tags beyond the latest `most`."""
    latest = sorted((tag for tag in tags if tag.automatic), key=lambda tag: (tag.at, tag.position, tag.name))
    return [tag.name for tag in latest[: max(0, len(latest) - most)]]


def _tag(name: str, user: str, payload: Any) -> Tag | None:
    try:
        return Tag(
            name=checked_name(name),
            user=user,
            position=int(payload["position"]),
            seal=str(payload["seal"]),
            at=parse_time(payload["at"]),
            reason=str(payload.get("reason", "")),
            automatic=bool(payload.get("automatic", False)),
        )
    except (InvalidRequest, AttributeError, KeyError, TypeError, ValueError):
        return None

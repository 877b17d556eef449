"""What a backup holds, written down when it is made, so that a restore can be compared with it (E21)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from cortex.domain.trace import parse_time

SCHEMA = "cortex.backup.v1"
_DIGEST = 16


@dataclass(frozen=True, slots=True)
class Figures:
    """How much there is of one user, and the end of the ledger, which seals everything before it."""

    traces: int
    position: int
    seal: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The figures of a backup by user. Names of users are not in it, only their digests."""

    agent: str
    at: datetime
    users: Mapping[str, Figures]

    @classmethod
    def of(cls, agent: str, at: datetime, figures: Mapping[str, Figures]) -> Manifest:
        return cls(agent, at, {_digest(user): each for user, each in figures.items()})

    def to_json(self) -> dict[str, Any]:
        users = {user: asdict(each) for user, each in sorted(self.users.items())}
        return {"schema": SCHEMA, "agent": self.agent, "at": self.at.isoformat(), "users": users}

    def to_bytes(self) -> bytes:
        return json.dumps(self.to_json(), indent=1).encode()

    @classmethod
    def from_bytes(cls, body: bytes) -> Manifest:
        """The manifest of `to_bytes`; a ValueError where it is none."""
        try:
            payload = json.loads(body)
            users = {str(user): Figures(**each) for user, each in payload["users"].items()}
            return cls(str(payload["agent"]), parse_time(payload["at"]), users)
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"is no manifest: {error}") from error

    def differences(self, found: Mapping[str, Figures]) -> Iterator[str]:
        """What is not as it was written down, in numbers."""
        there = {_digest(user): each for user, each in found.items()}
        if there.keys() != self.users.keys():
            yield f"{len(there):,} users instead of {len(self.users):,}"
        for user in sorted(there.keys() & self.users.keys()):
            for name, was in asdict(self.users[user]).items():
                if (now := getattr(there[user], name)) != was:
                    yield f"user {user}: {name} is {now} instead of {was}"


def _digest(user: str) -> str:
    return hashlib.sha256(user.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]

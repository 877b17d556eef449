"""What somebody is in a memory, turn or outcome: its speaker, its sender, its subject, or mentioned in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import lru_cache

from cortex.domain.chunk import Chunk
from cortex.domain.memory import Memory
from cortex.domain.outcome import Outcome
from cortex.domain.person import LIKELY, SURE, Person, Sureness
from cortex.domain.trace import Trace
from cortex.domain.turn import Role, Turn

SENDERS = "sender:"
"""How the users begin that stand for one sender of direct chats."""


class SubjectRole(StrEnum):
    """What the person is there."""

    SPEAKER = "speaker"
    SENDER = "sender"
    SUBJECT = "subject"
    MENTION = "mention"
    EXTRACTED = "extracted"
    """It was extracted from a turn of or about them, and goes with it."""


Roles = Mapping[SubjectRole, Sureness]


@lru_cache(maxsize=64)
def person_of(names: tuple[str, ...]) -> Person:
    """The person of a name and the other names after it."""
    return Person(names[0], names[1:])


def roles_of(trace: Trace, person: Person, user: str) -> Roles:
    """What the person is in a trace of a user, each as surely as it can be told; empty where they are not in it."""
    found: dict[SubjectRole, Sureness] = {}
    for role, sure in _roles(trace, person, user):
        if sure is not None:
            found[role] = max(sure, found.get(role, LIKELY))
    return found


def joined(one: Roles, other: Roles) -> Roles:
    """The roles of both, as surely as either tells."""
    return {role: max(one.get(role, LIKELY), other.get(role, LIKELY)) for role in (*one, *other)}


def sureness(roles: Roles) -> Sureness | None:
    """How sure the surest role is."""
    return max(roles.values(), default=None)


def _roles(trace: Trace, person: Person, user: str) -> Iterator[tuple[SubjectRole, Sureness | None]]:
    is_said = isinstance(trace, Turn) and trace.role is Role.USER
    if _is_memory_of(person, user):
        yield SubjectRole.SENDER, SURE if is_said and not (isinstance(trace, Turn) and trace.speaker) else LIKELY
    if isinstance(trace, Turn):
        yield SubjectRole.SPEAKER, person.in_field(trace.speaker)
        if person.in_field(trace.session) is SURE:
            yield SubjectRole.SENDER, SURE if is_said and not trace.speaker else LIKELY
    if isinstance(trace, Memory):
        yield SubjectRole.SUBJECT, person.in_field(trace.subject)
    for text in _texts(trace):
        if text:
            yield SubjectRole.MENTION, person.in_text(text)


def _is_memory_of(person: Person, user: str) -> bool:
    return person.is_exactly(user) or (user.startswith(SENDERS) and person.is_exactly(user.removeprefix(SENDERS)))


def _texts(trace: Trace) -> Iterator[str]:
    yield trace.text
    if isinstance(trace, Memory):
        yield from (trace.topic, trace.attribute, trace.value, *trace.tags, *trace.source_refs)
    elif isinstance(trace, Outcome):
        yield from (trace.payload, trace.error, *trace.refs)
    elif isinstance(trace, Chunk):
        yield from trace.section

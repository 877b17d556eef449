"""Who a turn is said to: an instruction is a rule only where an assistant hears it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from cortex.capture import rules
from cortex.domain.cues import standing_kind
from cortex.domain.memory import Kind
from cortex.domain.ownership import own_words
from cortex.domain.turn import Role


class Utterance(Protocol):
    """A message or a turn, as far as it says who speaks."""

    @property
    def role(self) -> Role | None: ...

    @property
    def speaker(self) -> str: ...


def to_assistant(talk: Sequence[Utterance]) -> list[bool]:
    """Which of these, one after the other in a session, a user says to an assistant.

    A user who speaks alone speaks to the assistant, by name or without. Where several people are named, they speak to
    each other, and to the assistant only where it answers, or has just spoken.
    """
    people = {each.speaker for each in talk if each.speaker and each.role in (Role.USER, None)}
    is_user = [each.role is Role.USER for each in talk]
    if len(people) < 2:
        return is_user
    answers = [each.role is Role.ASSISTANT for each in talk]
    last = len(talk) - 1
    return [
        said and (answers[at - 1] if at == last and at else at < last and answers[at + 1])
        for at, said in enumerate(is_user)
    ]


def listeners(talk: Sequence[Utterance]) -> list[str | None]:
    """Whom each of these is said to: None for an assistant, a name for the only other person, else empty."""
    people = {each.speaker for each in talk if each.speaker and each.role in (Role.USER, None)}
    other = {name: others.pop() if len(others := people - {name}) == 1 else "" for name in people}
    pairs = zip(talk, to_assistant(talk), strict=True)
    return [
        None if is_addressed_to or each.role is not Role.USER else other.get(each.speaker, "")
        for each, is_addressed_to in pairs
    ]


def kind_of(text: str, speaker: str, *, is_addressed: bool) -> Kind:
    """`rule` for what an assistant that received it is to hold to from then on; `episode` for everything else."""
    if not is_addressed:
        return Kind.EPISODE
    own = own_words(text, speaker)
    pack = rules.language(own)
    if pack is None or pack.has_instruction_grammar:
        return standing_kind(own, Role.USER)
    return Kind.RULE if rules.standing(own) else Kind.EPISODE

"""Turns that end: one that says little else than a passing state or a limited instruction leaves recall (X6)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from cortex.capture import prose, retention, rules
from cortex.domain import limits
from cortex.domain.memory import Kind, Retention
from cortex.domain.small_talk import passing_reason
from cortex.domain.trust import TrustTier
from cortex.domain.turn import MOST_OF, Role, Turn
from cortex.languages.pack import Pack
from cortex.languages.packs import DEFAULT_PACKS

LONGEST = 400
"""A turn of more characters says more than what passes."""


def expires_at(turn: Turn, *, packs: Sequence[Pack] = DEFAULT_PACKS) -> datetime | None:
    """When all that a turn says is over; None where some of it stays true, or where no user says it."""
    is_own = turn.role is Role.USER and turn.trust is TrustTier.TRUSTED
    pack = rules.language(turn.text, packs) if is_own and len(turn.text) <= LONGEST else None
    if pack is None or not limits.may_limit(turn.text, pack.lang):
        return None
    own, said, kind = prose.own_prose(turn.text, turn.speaker), turn.created_at, turn.kind
    if prose.BLANK in own:
        return None
    over: list[datetime] = []
    passing = total = len("".join(own.split()))
    for start, end in prose.sentences(own):
        sentence = own[start:end]
        if (ends := _over(sentence, said, kind, packs)) is not None:
            over.append(ends)
        elif passing_reason(sentence) is None and not sentence.rstrip().endswith(("?", "？")):
            return None
        else:
            passing -= len("".join(sentence.split()))
    return max(over) if over and passing >= MOST_OF * total else None


def _over(sentence: str, said: datetime, kind: Kind, packs: Sequence[Pack]) -> datetime | None:
    """When what a sentence says is over."""
    pack = rules.language(sentence, packs)
    is_question = sentence.rstrip().endswith(("?", "？"))
    if pack is None or (is_question and kind is not Kind.RULE) or rules.is_to_be_remembered(sentence, pack):
        return None
    as_kind = Kind.RULE if kind is Kind.RULE and rules.standing(sentence, packs=packs) else Kind.FACT
    kept, ttl = retention.of(sentence, said, pack.lang, as_kind)
    if kept is not Retention.TTL or ttl is None or _says_what_stays(sentence, said, as_kind, pack):
        return None
    return said + ttl


def _says_what_stays(sentence: str, said: datetime, kind: Kind, pack: Pack) -> bool:
    """Whether a sentence states, beside what passes, something that does not."""
    if kind is Kind.RULE:
        return False
    stated = rules.stated(sentence, pack)
    return any(retention.of(text, said, pack.lang, found) == retention.FOR_GOOD for text, found in stated)

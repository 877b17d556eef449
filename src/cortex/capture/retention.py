"""How long a statement is kept: passing states and instructions with a limit end, what took place stays (X6)."""

from __future__ import annotations

from datetime import datetime, timedelta

from cortex.domain import limits
from cortex.domain.memory import Kind, Retention
from cortex.languages import LIMITS

Kept = tuple[Retention, timedelta | None]
FOR_GOOD: Kept = (Retention.PERMANENT, None)


def of(text: str, said: datetime, lang: str, kind: Kind = Kind.FACT, *, fills_slot: bool = False) -> Kept:
    """How long what was said at a time is kept, by the words that limit it."""
    if lang not in LIMITS or kind is Kind.PREFERENCE:
        return FOR_GOOD
    plain = limits.plain(text)
    if kind is Kind.RULE:
        return _of_rule(plain, said, lang)
    if limits.stays(plain, lang):
        return FOR_GOOD
    if stretch := limits.stretch(plain, lang):
        return Retention.TTL, stretch
    if (ends := limits.named_end(plain, said, lang)) and ends > said:
        return Retention.TTL, ends - said
    # Where somebody lives or works "at the moment" is so until they say otherwise.
    return (Retention.SESSION, None) if limits.holds_now(plain, lang) and not fills_slot else FOR_GOOD


def _of_rule(plain: str, said: datetime, lang: str) -> Kept:
    """An instruction ends on the day it names, or with the stretch that it opens or ends with."""
    if (ends := limits.named_end(plain, said, lang)) and ends > said:
        return Retention.TTL, ends - said
    opening = limits.front(plain, lang)
    begins = limits.stretch(plain[: opening.end], lang) if opening else None
    if begins is not None:
        return Retention.TTL, begins
    if limits.ends_limited(plain, lang) and not limits.starts(plain, lang) and (stretch := limits.stretch(plain, lang)):
        return Retention.TTL, stretch
    return (Retention.PROJECT, None) if opening and opening.about else FOR_GOOD

"""The kinds of statements, by themselves: naming them costs the command line nothing."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """What sort of statement it is."""

    RULE = "rule"
    PROCEDURE = "procedure"
    FACT = "fact"
    EPISODE = "episode"
    PREFERENCE = "preference"
    DECISION = "decision"
    ENTITY = "entity"
    OTHER = "other"

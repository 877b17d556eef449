"""How far a trace may be believed. Trust flows from sources and never rises on the way."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class SourceKind(StrEnum):
    """Who or what a trace came from, most trusted first."""

    OPERATOR = "operator"
    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"
    WEB = "web"
    IMPORT = "import"


class TrustTier(StrEnum):
    TRUSTED = "trusted"
    UNTRUSTED = "untrusted"
    QUARANTINED = "quarantined"


_RANK = {TrustTier.TRUSTED: 0, TrustTier.UNTRUSTED: 1, TrustTier.QUARANTINED: 2}

_TIER_OF_SOURCE = {
    SourceKind.OPERATOR: TrustTier.TRUSTED,
    SourceKind.USER: TrustTier.TRUSTED,
    SourceKind.ASSISTANT: TrustTier.TRUSTED,
    SourceKind.SYSTEM: TrustTier.TRUSTED,
    SourceKind.TOOL: TrustTier.UNTRUSTED,
    SourceKind.WEB: TrustTier.UNTRUSTED,
    SourceKind.IMPORT: TrustTier.UNTRUSTED,
}


def tier_of(source: SourceKind) -> TrustTier:
    """The tier a trace starts with when it comes straight from `source`."""
    return _TIER_OF_SOURCE[source]


def least(tiers: Iterable[TrustTier]) -> TrustTier:
    """The lowest of `tiers`: what is derived from several sources is as trusted as the worst of them."""
    return max(tiers, key=_RANK.__getitem__, default=TrustTier.TRUSTED)

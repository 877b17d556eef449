"""Cutting something out of whatever else speaks of it, and what to look for to be sure that it is gone."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping, Set
from typing import Any

from cortex.domain.identity import TraceId

NOBODY = TraceId("00000000-0000-0000-0000-000000000000")
"""Stands in receipts where the id of something erased stood."""

LEAST_SOUGHT = 12
"""A text of fewer bytes is not looked for: it would be found in anything."""

_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


def without_ids(told: str, ids: Set[str]) -> str:
    """`told` with `NOBODY` in the place of these ids."""
    return _ID.sub(lambda found: NOBODY if found[0] in ids else found[0], told)


def names(told: str, ids: Set[str]) -> bool:
    """Whether one of these ids is named."""
    return not ids.isdisjoint(_ID.findall(told))


def says(told: str, texts: Iterable[str]) -> bool:
    """Whether one of these texts is said, as it is or as JSON writes it."""
    return any(form in told for text in texts for form in _forms(text))


def speaks_of(told: str, ids: Set[str], texts: Iterable[str]) -> bool:
    """Whether one of these ids is named, or one of these texts said."""
    return names(told, ids) or says(told, texts)


def parts_left(state: Mapping[str, Any], ids: Set[str], texts: Collection[str]) -> dict[str, Any]:
    """The parts of a session's state that do not speak of what was erased."""
    return {name: part for name, part in state.items() if not speaks_of(json.dumps(part), ids, texts)}


def sought(text: str) -> tuple[bytes, ...]:
    """The bytes that would be there if `text` were; none where it is too short to tell."""
    if len(text.encode("utf-8", "surrogatepass")) < LEAST_SOUGHT:
        return ()
    return tuple(dict.fromkeys(form.encode("utf-8", "surrogatepass") for form in _forms(text)))


def _forms(text: str) -> tuple[str, ...]:
    """As it is, and as JSON writes it in either of its ways."""
    return text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]


def mark(digest: str, salt: str) -> str:
    """By what a line that was erased is known when its session is told again: not its text, nor its plain hash."""
    return hashlib.blake2b(digest.encode(), key=bytes.fromhex(salt), digest_size=16).hexdigest()

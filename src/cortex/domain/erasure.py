"""Erasing something for good: what is kept of it, cutting it out of whatever else speaks of it, and looking for it."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from enum import IntEnum
from typing import Any

from cortex.domain.identity import TraceId
from cortex.domain.text import normal
from cortex.domain.trace import parse_time

NOBODY = TraceId("00000000-0000-0000-0000-000000000000")
"""Stands in receipts where the id of something erased stood."""

MARKS = "erased"
"""The part of a session's state that keeps its erased lines from coming back."""

LEAST_SOUGHT = 12
"""A text of fewer bytes is not looked for: it would be found in anything."""

LEAST_WORDS = 6
NEAR_SHARE = 0.8
"""A text of so many words is nearly said where this share of its runs of three words is found."""

_RUN = 3
_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_BETWEEN = re.compile(r"[\W_]+")
# Scripts without spaces: each character counts as a word.
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """One erasure, from when it was planned. Once it is finished it holds ids, marks and numbers, never text."""

    id: str
    user: str
    at: datetime
    ids: tuple[TraceId, ...]
    derived: tuple[TraceId, ...] = ()
    """Of those, the memories that go because a turn they were extracted from does."""
    sources_left: tuple[TraceId, ...] = ()
    marks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By session, what keeps its erased lines from coming back; see `mark`."""
    backups: bool = False
    """Whether the backups that hold any of it go too."""
    texts: tuple[str, ...] = ()
    """All that was said, in any version; only until it is finished."""
    cached: tuple[str, ...] = ()
    """The hashes of the texts whose vectors may be in the cache; only until it is finished."""
    rewritten: bool = False
    """Whether the file was rewritten without it; until nobody reads the old pages, they are still in the log."""
    reason: str = ""
    """Why it could not be finished when that was last tried."""
    certificate: Mapping[str, Any] | None = None
    """What was found when it was last looked for."""
    finished: bool = False

    def ended(self, certificate: Mapping[str, Any]) -> Erasure:
        """The same, finished: without what was needed to finish it."""
        return replace(self, texts=(), cached=(), reason="", certificate=certificate, finished=True)

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"at": self.at.isoformat()}

    @classmethod
    def from_json(cls, payload: Mapping[str, Any]) -> Erasure:
        """The erasure that `to_json` wrote."""
        known = {name: payload[name] for name in cls.__dataclass_fields__ if name in payload}
        lists = ("ids", "derived", "sources_left", "texts", "cached")
        return cls(**known | {name: tuple(payload[name]) for name in lists} | {"at": parse_time(payload["at"])})


# --- cutting out ---------------------------------------------------------------------------------


def without_ids(text: str, ids: Set[str]) -> str:
    """`strings` with `NOBODY` in the place of these ids."""
    return _ID.sub(lambda found: NOBODY if found[0] in ids else found[0], text)


def names(text: str, ids: Set[str]) -> bool:
    """Whether one of these ids is named."""
    return not ids.isdisjoint(_ID.findall(text))


def speaks_of(payload: Any, ids: Set[str], sought: Sought) -> bool:
    """Whether some plain values name one of these ids, or say one of these texts, however it is written."""
    return names(json.dumps(payload), ids) or sought.is_said(strings(payload))


def parts_left(state: Mapping[str, Any], ids: Set[str], sought: Sought) -> dict[str, Any]:
    """The parts of a session's state that do not speak of what was erased; the marks of it stay."""
    return {name: part for name, part in state.items() if name == MARKS or not speaks_of(part, ids, sought)}


def strings(payload: Any) -> Iterator[str]:
    """Every text among some plain values."""
    waiting = [payload]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, Mapping):
            waiting += [*each, *each.values()]
        elif isinstance(each, list | tuple):
            waiting += each


def texts_in(body: str) -> list[str]:
    """What a stored trace says; nothing where it cannot be read."""
    try:
        return [json.loads(body)["text"]]
    except (ValueError, KeyError, TypeError):
        return []


def strings_in(body: str) -> list[str]:
    """Every text in some JSON; what cannot be read is one text."""
    try:
        return list(strings(json.loads(body)))
    except (ValueError, RecursionError):
        return [body]


# --- looking for it ------------------------------------------------------------------------------


class ErasureMatch(IntEnum):
    """How much something says what was erased."""

    NONE = 0
    NEAR = 1
    """In other letters, spaces or line breaks, or most of its words."""
    SAME = 2


class Sought:
    """Texts to look for, prepared once: whatever is looked at is read once, however many they are."""

    def __init__(self, texts: Collection[str]) -> None:
        known = [_Known(text) for text in dict.fromkeys(texts) if _is_sought(text)]
        # In the middle of a word, the shortest would be found in anything.
        short = [re.escape(text) for text in texts if text and not _is_sought(text)]
        self._short = [re.compile(rf"(?<!\w){text}(?!\w)") for text in short]
        # By length, so that a short text is compared with none that could not be in it.
        self._known = sorted(known, key=lambda each: len(each.plain))
        self._runs: dict[tuple[str, ...], list[int]] = {}
        for number, each in enumerate(self._known):
            for run in each.runs:
                self._runs.setdefault(run, []).append(number)

    def likeness(self, strings: Iterable[str]) -> ErasureMatch:
        """How much one of `strings` says one of the texts; those too short to look for are not."""
        found = ErasureMatch.NONE
        for each in strings:
            found = max(found, self._likeness(each))
            if found is ErasureMatch.SAME:
                break
        return found

    def is_said(self, strings: Iterable[str]) -> bool:
        """Whether one of `strings` says one of the texts, the shortest too, or nearly says it."""
        return any(any(short.search(each) for short in self._short) or self._likeness(each) for each in strings)

    def _likeness(self, text: str) -> ErasureMatch:
        # Six words have eleven characters at least, and so has whatever is looked for.
        if not self._known or (len(text) < 2 * LEAST_WORDS - 1 and text.isascii()):
            return ErasureMatch.NONE
        folded = _folded(text)
        plain, found = _BETWEEN.sub("", folded), ErasureMatch.NONE
        for known in self._known:
            if len(known.plain) > len(plain):
                break
            if known.plain in plain:
                if known.text in text:
                    return ErasureMatch.SAME
                found = ErasureMatch.NEAR if known.is_long else found
        return found or self._mostly(folded)

    def _mostly(self, folded: str) -> ErasureMatch:
        if not self._runs:
            return ErasureMatch.NONE
        shared: Counter[int] = Counter()
        for run in _runs(folded):
            shared.update(self._runs.get(run, ()))
        is_near = any(count >= NEAR_SHARE * len(self._known[number].runs) for number, count in shared.items())
        return ErasureMatch.NEAR if is_near else ErasureMatch.NONE


class _Known:
    """A text that is looked for: as it is, by its letters alone, and by its runs of words."""

    __slots__ = ("is_long", "plain", "runs", "text")

    def __init__(self, text: str) -> None:
        folded = _folded(text)
        self.text = text
        self.plain = _BETWEEN.sub("", folded)
        self.is_long = len(self.plain.encode("utf-8", "surrogatepass")) >= LEAST_SOUGHT
        self.runs = _runs(folded) if len(_WORD.findall(folded)) >= LEAST_WORDS else frozenset()


def _folded(text: str) -> str:
    """`text` without capitals, accents and other forms of the same letters."""
    if text.isascii():
        return text.casefold()
    # Decomposed letter by letter, so that what is part of a text stays part of it.
    folded = normal("NFKD", text).casefold()
    return "".join(each for each in folded if not unicodedata.combining(each))


def _runs(folded: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(folded)
    return frozenset(zip(*(words[start:] for start in range(_RUN)), strict=False))


def sought(text: str) -> tuple[bytes, ...]:
    """The bytes that would be there if `text` were; none where it is too short to tell."""
    if not _is_sought(text):
        return ()
    return tuple(dict.fromkeys(form.encode("utf-8", "surrogatepass") for form in _forms(text)))


def _is_sought(text: str) -> bool:
    return len(text.encode("utf-8", "surrogatepass")) >= LEAST_SOUGHT


def _forms(text: str) -> tuple[str, ...]:
    """As it is, and as JSON writes it in either of its ways."""
    return text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]


# --- keeping it from coming back -----------------------------------------------------------------


def mark(digest: str, salt: str) -> str:
    """By what a line that was erased is known when its session is sent again: not its text, nor its plain hash."""
    return hashlib.blake2b(digest.encode(), key=bytes.fromhex(salt), digest_size=16).hexdigest()


def marked(digests: Collection[str], known: Mapping[str, Any] | None, salt: str) -> dict[str, Any]:
    """Marks of these lines, with the salt that a session has already, or else with this one."""
    salt = known["salt"] if known else salt
    return {"salt": salt, "marks": sorted({mark(digest, salt) for digest in digests})}


def with_marks(known: Mapping[str, Any] | None, more: Mapping[str, Any]) -> dict[str, Any]:
    """The marks of a session with `more`; those made with another salt stand beside them."""
    if known is None:
        return dict(more)
    if known["salt"] == more["salt"]:
        return {**known, "marks": sorted({*known["marks"], *more["marks"]})}
    return {**known, "others": with_marks(known.get("others"), more)}


def is_marked(digest: str, known: Mapping[str, Any] | None) -> bool:
    """Whether a line of a session was erased."""
    while known is not None:
        if mark(digest, known["salt"]) in known["marks"]:
            return True
        known = known.get("others")
    return False

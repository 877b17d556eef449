"""How much a memory matters, decided by signs: pure code, a frozen table of numbers, and the words of the languages.

A changed number, sign or word is a new version: `Grader.fingerprint` covers all three, and a test holds it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from functools import cache, cached_property

from cortex.domain.importance import MUST_REMEMBER, NICE_TO_HAVE, Grade, ImportanceLabel
from cortex.domain.injection_detection import tier_for
from cortex.domain.memory import Kind, Memory
from cortex.domain.scope import scope_tag
from cortex.domain.secrets import REDACTED, redacted
from cortex.domain.small_talk import passing_reason
from cortex.domain.trust import SourceKind, TrustTier, least
from cortex.languages import WORDS, grading


class Reason(StrEnum):
    """What speaks for or against keeping a memory."""

    RULE = "rule"
    PREFERENCE = "preference"
    CONSTRAINT = "constraint"
    ASKED = "asked"
    DECISION = "decision"
    PROCEDURE = "procedure"
    TASK = "task"
    IDENTIFIER = "identifier"
    LASTING = "lasting"
    INCIDENT = "incident"
    CAUSE = "cause"
    REPEATED = "repeated"
    ACKNOWLEDGEMENT = "acknowledgement"
    PROGRESS = "progress"
    PAST_APPOINTMENT = "past_appointment"
    SECRET = "secret"  # noqa: S105 - a name


READ_CHARS = 1_000
"""How much of a text is read: what matters is said early."""

_SHORT = 80
"""An acknowledgement is no longer than this."""

WITHIN = timedelta(days=7)
"""How far ahead a day can be that is named by its distance: "tomorrow", "on Friday"."""

_OPEN_KINDS = frozenset({Kind.FACT, Kind.OTHER, Kind.EPISODE})
"""Kinds that an extractor gives to anything."""
_OWN = frozenset({SourceKind.OPERATOR, SourceKind.USER, SourceKind.ASSISTANT, SourceKind.IMPORT})
_WORKERS = frozenset({SourceKind.ASSISTANT, SourceKind.SYSTEM, SourceKind.TOOL})
_OF_KIND = {
    Kind.RULE: Reason.RULE,
    Kind.PREFERENCE: Reason.PREFERENCE,
    Kind.DECISION: Reason.DECISION,
    Kind.PROCEDURE: Reason.PROCEDURE,
    Kind.ENTITY: Reason.LASTING,
}
_KIND_OF = {reason: kind for kind, reason in _OF_KIND.items() if kind is not Kind.ENTITY}

_IDENTIFIER = re.compile(
    r"https?://|\b[\w.+-]{1,64}@[\w-]{1,64}\.\w|\b[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}(?::\d{2,5}|/[\w-])|"
    r"\b[A-Z]{2,10}-\d{2,}|\bv?\d{1,4}\.\d{1,4}(?:\.\d{1,6})?\b|(?<!\d)\d(?:[ /-]?\d){6,}|"
    r"\b\w{1,6}-\d{2,}(?:-\w{1,9})?\b|`[^`\n]{2,200}`|\b[A-Z]{1,3}[- ]?\d{4,}\b"
)
"""Addresses, numbers of tickets and contracts, versions, commands."""
_NAME = re.compile(r"(?<=[\w,;:] )[A-ZÀ-ÖØ-ÞА-Я][\w’'-]{1,60}")
_SHARE = re.compile(r"\d ?%|\(\d+/\d+\)|\[=*>?[ .]*\]|\d [KMG]B of \d")
_ISO_DATE = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")


@dataclass(frozen=True, slots=True)
class Row:
    """What reasons count: once, however many of them hold."""

    reasons: tuple[Reason, ...]
    points: int
    """In hundredths."""


@dataclass(frozen=True)
class HeuristicGrader:
    """A versioned table of points for reasons. It grades any memory, and the same one always alike."""

    name: str
    base: int
    rows: tuple[Row, ...]

    def grade(self, memory: Memory, now: datetime) -> Grade:
        found = reasons(memory, now)
        points = self.base + sum(row.points for row in self.rows if found & set(row.reasons))
        score = min(100, max(0, points)) / 100
        against = {reason for row in self.rows if row.points < 0 for reason in row.reasons}
        return Grade(
            score=score,
            label=_label(score, is_refuted=bool(found & against)),
            reasons=tuple(reason.value for reason in Reason if reason in found),
            version=self.name,
            kind=_better_kind(memory, found),
            scope=_named_scope(memory),
            trust=_lower_trust(memory),
        )

    @cached_property
    def fingerprint(self) -> str:
        """Stands for the numbers and the words: another one is another version."""
        table = [[list(row.reasons), row.points] for row in self.rows]
        words = {code: dict(signs) for code, signs in sorted(grading.tables().items())}
        said = [self.name, self.base, table, MUST_REMEMBER, NICE_TO_HAVE, READ_CHARS, _SHORT, WITHIN.days, words]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]


HEURISTIC_V1 = HeuristicGrader(
    name="heuristic-v1",
    base=30,
    rows=(
        Row((Reason.RULE, Reason.PREFERENCE, Reason.CONSTRAINT), 50),
        Row((Reason.ASKED, Reason.DECISION), 50),
        Row((Reason.PROCEDURE, Reason.TASK, Reason.IDENTIFIER, Reason.LASTING), 20),
        Row((Reason.INCIDENT,), 15),
        Row((Reason.CAUSE,), 10),
        Row((Reason.REPEATED,), 10),
        Row((Reason.ACKNOWLEDGEMENT,), -25),
        Row((Reason.PROGRESS,), -20),
        Row((Reason.PAST_APPOINTMENT,), -15),
        Row((Reason.SECRET,), -40),
    ),
)


def basis(memory: Memory, now: datetime) -> str:
    """Stands for all that a grade depends on: where it is another one, the grade is out of date."""
    kind, source, trust = memory.kind.value, memory.source_kind.value, memory.trust.value
    said = [memory.text, kind, source, trust, memory.scope, memory.reinforced > 0, _is_over(memory, now)]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]


def reasons(memory: Memory, now: datetime) -> frozenset[Reason]:
    """What speaks for or against keeping it."""
    text = memory.text[:READ_CHARS].replace("’", "'")
    is_talk = memory.kind in _OPEN_KINDS and passing_reason(text) is not None
    found = set() if is_talk else _for(memory, text)
    return frozenset({*found, *_against(memory, text, now, is_talk or (not found and _is_acknowledgement(text)))})


def _for(memory: Memory, text: str) -> set[Reason]:
    is_open = memory.kind in _OPEN_KINDS
    is_vague = _shows("vague", text)
    found = {_OF_KIND[memory.kind]} if memory.kind in _OF_KIND else set()
    found |= {reason for reason in (Reason.CONSTRAINT, Reason.ASKED) if _shows(reason, text)}
    if memory.kind is Kind.OTHER and not is_vague:
        found |= {reason for reason in (Reason.RULE, Reason.PREFERENCE, Reason.DECISION) if _shows(reason, text)}
    if is_open and memory.source_kind in _OWN and not is_vague:
        found |= {reason for reason in (Reason.PROCEDURE, Reason.TASK) if _shows(reason, text)}
    if _shows(Reason.INCIDENT, text) and is_open:
        found |= {Reason.INCIDENT} | ({Reason.CAUSE} if _shows(Reason.CAUSE, text) else set())
    if memory.source_kind in _OWN and _IDENTIFIER.search(text):
        found.add(Reason.IDENTIFIER)
    if memory.kind is Kind.FACT and memory.source_kind in _OWN and not is_vague and _is_lasting(text):
        found.add(Reason.LASTING)
    if memory.reinforced > 0:
        found.add(Reason.REPEATED)
    return found


def _is_lasting(text: str) -> bool:
    return _shows(Reason.LASTING, text) or bool(_NAME.search(text)) or any(map(str.isdigit, text))


def _against(memory: Memory, text: str, now: datetime, is_acknowledgement: bool) -> set[Reason]:
    found = {Reason.SECRET} if REDACTED in text or redacted(text).found or _shows(Reason.SECRET, text) else set()
    if memory.kind not in _OPEN_KINDS:
        return found
    if is_acknowledgement:
        found.add(Reason.ACKNOWLEDGEMENT)
    if _is_progress(memory, text):
        found.add(Reason.PROGRESS)
    if _is_over(memory, now):
        found.add(Reason.PAST_APPOINTMENT)
    return found


def _is_acknowledgement(text: str) -> bool:
    """Whether it only receives something; said of what nothing else speaks for."""
    return len(text) <= _SHORT and _shows(Reason.ACKNOWLEDGEMENT, text)


def _is_progress(memory: Memory, text: str) -> bool:
    works = memory.source_kind in _WORKERS
    if not works and memory.kind is Kind.FACT:
        return False
    return _shows(Reason.PROGRESS, text) or (works and bool(_SHARE.search(text)))


def _is_over(memory: Memory, now: datetime) -> bool:
    """Whether it is an appointment that has passed."""
    text = memory.text[:READ_CHARS].replace("’", "'")
    if _shows("recurring", text) or not (_shows("at_time", text) or _shows("appointment", text)):
        return False
    if memory.valid_to is not None:
        return memory.valid_to <= now
    if (day := _day_named(text, memory.created_at)) is not None:
        return day < now.date()
    return _shows("soon", text) and now - memory.created_at > WITHIN


def _day_named(text: str, said_at: datetime) -> date | None:
    """The first day that the text names by its date, read as the next one after it was said."""
    try:
        if iso := _ISO_DATE.search(text):
            return date(*map(int, iso.groups()))
        if (found := _dates().search(text)) is None:
            return None
        month = _months()[(found["month"] or found["month2"]).casefold()]
        day = int(found["day"] or found["day2"])
        said = said_at.astimezone(UTC).date()
        named = date(said.year, month, day)
        return named if named >= said - timedelta(days=1) else date(said.year + 1, month, day)
    except ValueError:  # no day of the calendar
        return None


@cache
def _months() -> Mapping[str, int]:
    return {
        name: number
        for words in WORDS
        for number, names in enumerate(words.similarity.months, start=1)
        for name in names.split()
    }


@cache
def _dates() -> re.Pattern[str]:
    names = "|".join(sorted(map(re.escape, _months()), key=len, reverse=True))
    return re.compile(
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?(?: of| de)? (?P<month>{names})\b|"
        rf"\b(?P<month2>{names}) (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)",
        re.IGNORECASE,
    )


def _shows(sign: str, text: str) -> bool:
    return grading.sign(sign).search(text) is not None


def _label(score: float, *, is_refuted: bool) -> ImportanceLabel:
    """The label of a score. A careless `ignore` would hide a memory, so it needs a reason."""
    if score >= NICE_TO_HAVE:
        return ImportanceLabel.of(score)
    return ImportanceLabel.IGNORE if is_refuted else ImportanceLabel.UNKNOWN


def _better_kind(memory: Memory, found: frozenset[Reason]) -> Kind | None:
    """The kind that the words settle, where the memory has the one that says nothing."""
    if memory.kind is not Kind.OTHER or memory.trust is not TrustTier.TRUSTED:
        return None
    return next((kind for reason, kind in _KIND_OF.items() if reason in found), None)


def _named_scope(memory: Memory) -> str | None:
    scope = scope_tag(memory.text[:READ_CHARS])
    return scope if scope != memory.scope else None


def _lower_trust(memory: Memory) -> TrustTier | None:
    lower = least((memory.trust, tier_for(memory.source_kind, memory.text)))
    return lower if lower is not memory.trust else None


def heuristic_v1() -> HeuristicGrader:
    """The grader registered as `heuristic-v1`."""
    return HEURISTIC_V1

"""Import: lines into traces, each checked against the rules and what is here before any is stored (E14)."""

from __future__ import annotations

import difflib
import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from typing import Any

from cortex.domain.choices import chosen
from cortex.domain.events import EventKind
from cortex.domain.identity import IdSource, TraceId, checked_id
from cortex.domain.importance import Grade, ImportanceLabel, Origin
from cortex.domain.injection_detection import tier_for
from cortex.domain.lanes import State
from cortex.domain.memory import GOVERNED, MAX_SOURCE_REFS, Draft, Kind, Memory, Retention
from cortex.domain.receipt import MAX_ITEMS_CAP, Receipt
from cortex.domain.review import Review
from cortex.domain.scope import checked_label
from cortex.domain.text import checked_text
from cortex.domain.trace import COUNTERS, from_fields, parse_time
from cortex.domain.trust import SourceKind, TrustTier, least
from cortex.domain.turn import Role, Turn
from cortex.errors import InvalidRequest
from cortex.exchange.export import ATTRIBUTION, EXPORTED_LANES
from cortex.ports.store import Change, ExpectAbsent, ExpectLast, Filter, Put, View, scan_all

EARLIEST, LATEST = 1900, 2200
"""The years a time may lie in; beyond them it is a mistake, such as milliseconds taken for seconds."""

_MAX_SHORT = 1_024
_NAME = re.compile(r"[\w.-]{1,64}")


class Dedupe(StrEnum):
    """What makes a line a duplicate, which is then left out."""

    NONE = "none"
    """Nothing: every line is added, under a new id where its own is in use here."""
    ID = "id"
    ID_TEXT = "id_text"
    """Its id, or its text: of a memory within its scope, of a turn at its place in the session."""


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that cannot be imported, and why. The reason never repeats what the line says."""

    number: int
    field: str
    reason: str
    hint: str = ""

    def error(self) -> InvalidRequest:
        return InvalidRequest(f"{self.field}: {self.reason}", field=f"line {self.number}", hint=self.hint)


@dataclass(slots=True)
class ImportPlan:
    """What an import would store, and what it leaves out."""

    dedupe: Dedupe
    dry_run: bool
    trusted: bool
    position: int = 0
    """Where the ledger stood when it was planned; once it is carried out, where that left it."""
    lines: int = 0
    traces: list[Memory | Turn] = field(default_factory=list)
    duplicates: Counter[str] = field(default_factory=Counter)
    bad: list[BadLine] = field(default_factory=list)
    last_seqs: dict[str, int] = field(default_factory=dict)
    """Where each session ended that turns are imported into."""

    @property
    def trusts(self) -> Counter[TrustTier]:
        """How many of the memories are of each tier."""
        return Counter(trace.trust for trace in self.traces if isinstance(trace, Memory))

    @property
    def changes(self) -> list[Change]:
        """All of it in one transaction, for a store that still has none of these ids and no more turns."""
        return [
            ExpectAbsent(tuple(trace.id for trace in self.traces)),
            *(ExpectLast(session, seq) for session, seq in self.last_seqs.items()),
            *(Put(trace, EventKind.IMPORTED) for trace in self.traces),
        ]

    @property
    def stored(self) -> list[TraceId]:
        """What is stored by it and may need vectors; nothing in a dry run."""
        return [] if self.dry_run else [trace.id for trace in self.traces]

    def facts(self) -> dict[str, Any]:
        """For the receipt: counts and reasons, never text."""
        return {
            "lines": self.lines,
            "memories": sum(isinstance(trace, Memory) for trace in self.traces),
            "turns": sum(isinstance(trace, Turn) for trace in self.traces),
            "dedupe": self.dedupe.value,
            "duplicates": {"id": self.duplicates["id"], "text": self.duplicates["text"]},
            "bad": len(self.bad),
            "bad_lines": [
                {"line": bad.number, "field": bad.field, "reason": bad.reason} for bad in self.bad[:MAX_ITEMS_CAP]
            ],
            "trusted": self.trusted,
            "untrusted": self.trusts[TrustTier.UNTRUSTED],
            "quarantined": self.trusts[TrustTier.QUARANTINED],
            "dry_run": self.dry_run,
        }


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of an import, and the receipt."""

    plan: ImportPlan
    receipt: Receipt


def import_plan(
    lines: Iterable[str],
    view: View,
    *,
    ids: IdSource,
    max_text_bytes: int,
    dedupe: str = Dedupe.ID_TEXT,
    dry_run: bool = False,
    skip_bad: bool = False,
    trusted: bool = False,
) -> ImportPlan:
    """What importing `lines` means for the tenant of `view`.

    The first bad line is an error that names it, unless `skip_bad`: then bad lines are left out and counted.
    Nothing comes in above `untrusted` unless `trusted`, and nothing ever above what its line says.
    """
    plan = ImportPlan(chosen(Dedupe, dedupe, "dedupe"), dry_run, trusted, view.position)
    known: _Known | None = None
    review: Review | None = None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        plan.lines += 1
        try:
            trace = _trusting(_trace(line, max_text_bytes), trusted)
            if isinstance(trace, Memory) and not trusted:
                review = review or Review.read(view)
                trace = review.held_back(trace)
            known = known or _Known.of(view)
            if reason := known.duplicate(trace, plan.dedupe):
                plan.duplicates[reason] += 1
                continue
            plan.traces.append(known.admit(trace, number, ids))
        except InvalidRequest as error:
            said = error.message.removeprefix(f"{error.field}: ")
            bad = BadLine(number, error.field, said, error.hint)
            if not skip_bad:
                raise bad.error() from error
            plan.bad.append(bad)
    # A turn is embedded with the question before it, so turns have to follow each other.
    plan.traces.sort(key=lambda trace: (trace.session, trace.seq) if isinstance(trace, Turn) else ("", 0))
    sessions = dict.fromkeys(trace.session for trace in plan.traces if isinstance(trace, Turn))
    plan.last_seqs = {session: view.last_seq(session) for session in sessions}
    return plan


def _trusting(trace: Memory | Turn, trusted: bool) -> Memory | Turn:
    """`trace` with the trust it may have here."""
    if trusted:
        return trace.revised(trust=least((trace.trust, tier_for(trace.source_kind, trace.text))))
    lowered = least((trace.trust, tier_for(SourceKind.IMPORT, trace.text)))
    if isinstance(trace, Turn):
        return trace.revised(trust=lowered)
    return trace.revised(trust=lowered, source_kind=SourceKind.IMPORT)


# --- against what is here ------------------------------------------------------------------------


@dataclass(slots=True)
class _Known:
    """The ids, texts and places in use: here already, or by an earlier line (whose number is kept)."""

    ids: dict[str, int]
    texts: set[bytes]
    places: set[tuple[str, int]]

    @classmethod
    def of(cls, view: View) -> _Known:
        known = cls({}, set(), set())
        for trace in scan_all(view, Filter(lanes=EXPORTED_LANES, states=frozenset(State))):
            if isinstance(trace, Memory | Turn):
                known._note(trace, 0)
        return known

    def duplicate(self, trace: Memory | Turn, dedupe: Dedupe) -> str | None:
        """By what `trace` is a duplicate, or None."""
        if dedupe is not Dedupe.NONE and trace.id in self.ids:
            return "id"
        return "text" if dedupe is Dedupe.ID_TEXT and _fingerprint(trace) in self.texts else None

    def admit(self, trace: Memory | Turn, number: int, ids: IdSource) -> Memory | Turn:
        """`trace`, from now on known; under a new id where another has its own."""
        if isinstance(trace, Turn) and (trace.session, trace.seq) in self.places:
            raise InvalidRequest("is the place of another turn of the session", field="seq", hint="leave the line out")
        if before := self.ids.get(trace.id):
            raise InvalidRequest(f"is that of line {before} too", field="id", hint="give each line its own id")
        if trace.id in self.ids:
            trace = trace.revised(id=TraceId(ids(trace.created_at)))
        self._note(trace, number)
        return trace

    def _note(self, trace: Memory | Turn, number: int) -> None:
        self.ids[trace.id] = number
        self.texts.add(_fingerprint(trace))
        if isinstance(trace, Turn):
            self.places.add((trace.session, trace.seq))


def _fingerprint(trace: Memory | Turn) -> bytes:
    place = (trace.scope, trace.session, str(trace.seq)) if isinstance(trace, Turn) else (trace.scope,)
    said = " ".join(trace.text.split())
    return hashlib.blake2b("\x1f".join((*place, said)).encode(), digest_size=16).digest()


# --- against the rules ---------------------------------------------------------------------------


def _trace(line: str, max_text_bytes: int) -> Memory | Turn:
    """The memory or turn a line describes, or an error naming the field."""
    given = {name: value for name, value in _object(line).items() if name not in ATTRIBUTION}
    cls = _class(given)
    if given.get("text") is None and "text_sha256" in given:
        raise InvalidRequest(
            "is redacted", field="text", hint="a redacted export cannot be imported; export again with --with-text"
        )
    names = _FIELDS[cls]
    for name in given:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names)}"
            shown = name if _NAME.fullmatch(name) else "a name"
            raise InvalidRequest("is not a field", field=shown, hint=hint)
    for name, needed in names.items():
        if needed and name not in given:
            raise InvalidRequest("is missing", field=name, hint=f"every {_NAMES[cls]} needs it")
    plain = {name: _checked(name, value, _RULES[name]) for name, value in given.items()}
    trace = from_fields(_NAMES[cls], plain)
    if isinstance(trace, Memory):
        _draft(trace).checked(max_text_bytes)
    else:
        checked_text(trace.text, max_bytes=max_text_bytes)
    return trace  # type: ignore[return-value]  # `_class` knows no chunks


def _object(line: str) -> dict[str, Any]:
    try:
        given = json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        place = f" at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else ""
        raise InvalidRequest(f"is not valid{place}", field="JSON", hint="give one JSON object a line") from error
    if not isinstance(given, dict):
        raise InvalidRequest("is not an object", field="JSON", hint='give one such as {"type": "memory", …}')
    return given


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _class(given: dict[str, Any]) -> type[Memory] | type[Turn]:
    name = given.pop("type", None)
    for cls, known in _NAMES.items():
        if name == known:
            return cls
    hint = f"give one of {', '.join(_NAMES.values())}"
    raise InvalidRequest("is missing" if name is None else "is not one that can be imported", field="type", hint=hint)


def _draft(memory: Memory) -> Draft:
    """The part of a memory that `remember` has rules for."""
    shared = {field.name for field in fields(Draft)} & {field.name for field in fields(Memory)}
    return Draft(**{name: getattr(memory, name) for name in shared})


def _checked(name: str, value: Any, rule: Rule) -> Any:
    """`value` as the codec reads it, or an error naming the field."""
    try:
        return rule(value)
    except InvalidRequest as error:
        said = error.message.removeprefix(f"{error.field}: ")
        raise InvalidRequest(said, field=name, hint=error.hint) from error


Rule = Callable[[Any], Any]
"""Gives a plain value back, or raises `InvalidRequest`."""


def _refused(reason: str, hint: str) -> InvalidRequest:
    return InvalidRequest(reason, field="", hint=hint)


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise _refused("is not text", "give a string")
    return value


def _short(value: Any) -> str:
    if not _string(value):
        return ""
    checked_text(value or " ", field="", max_bytes=4 * _MAX_SHORT)
    if len(value) > _MAX_SHORT:
        raise _refused(f"is over {_MAX_SHORT} characters", "shorten it")
    return str(value)


def _label(value: Any) -> str:
    return checked_label(_string(value), "")


def _id(value: Any) -> str:
    return checked_id(_string(value), field="")


def _several(rule: Rule, most: int) -> Rule:
    def check(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise _refused("is not a list", "give a list, such as []")
        if len(value) > most:
            raise _refused(f"has {len(value)} entries", f"give at most {most}")
        return [rule(each) for each in value]

    return check


def _choice(choices: type[StrEnum]) -> Rule:
    known = [choice.value for choice in choices]

    def check(value: Any) -> str:
        if value in known:
            return str(value)
        near = difflib.get_close_matches(value, known, n=1) if isinstance(value, str) else []
        hint = f"did you mean {near[0]!r}?" if near else f"give one of {', '.join(known)}"
        raise _refused(f"is not one of {', '.join(known)}", hint)

    return check


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _refused("is not a number", "give a number")
    return value


def _share(value: Any) -> float:
    if not 0.0 <= _number(value) <= 1.0:
        raise _refused(f"{value:g} is outside 0 to 1", "give a number from 0 to 1")
    return float(value)


def _seconds(value: Any) -> float:
    if not 0 < _number(value) <= 100 * 366 * 86_400:
        raise _refused("is not a number of seconds up to a hundred years", "give the time to live in seconds")
    return float(value)


def _place(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 53:
        raise _refused("is not a place in a session", "give 0 for the first turn, 1 for the next, …")
    return value


def _time(value: Any) -> str:
    try:
        at: datetime = parse_time(_string(value))
    except (ValueError, OverflowError) as error:
        raise _refused("is not an ISO 8601 time", "give one such as 2026-01-31T09:00:00+00:00") from error
    if not EARLIEST <= at.year <= LATEST:
        raise _refused(f"is outside the years {EARLIEST} to {LATEST}", "check its unit")
    return str(value)


def _grade(value: Any) -> Any:
    if not isinstance(value, dict):
        raise _refused("is not an object", "leave it out, and grade the memory again")
    for name, rule in _GRADE_RULES.items():
        if name in value:
            rule(value[name])
    try:
        Grade.from_json(value)
    except (KeyError, TypeError, ValueError) as error:
        raise _refused("is not a grade", "leave it out, and grade the memory again") from error
    return value


def _origins(value: Any) -> Any:
    if not isinstance(value, dict):
        raise _refused("is not an object", 'give one such as {"importance": "operator"}')
    for name, origin in value.items():
        if name not in GOVERNED:
            raise _refused("names a field without an origin", f"give some of {', '.join(GOVERNED)}")
        _choice(Origin)(origin)
    return value


def _optional(rule: Rule) -> Rule:
    return lambda value: None if value is None else rule(value)


_GRADE_RULES: Mapping[str, Rule] = {
    "score": _share,
    "label": _choice(ImportanceLabel),
    "reasons": _several(_short, 32),
    "version": _short,
    "basis": _short,
    "scope": _label,
}
_RULES: Mapping[str, Rule] = {
    "id": _id,
    "text": _string,
    "created_at": _time,
    "kind": _choice(Kind),
    "topic": _short,
    "tags": _several(_short, 32),
    "scope": _label,
    "retention": _choice(Retention),
    "ttl": _optional(_seconds),
    "confidence": _share,
    "importance": _share,
    "label": _choice(ImportanceLabel),
    "trust": _choice(TrustTier),
    "source_kind": _choice(SourceKind),
    "source_ref": _short,
    "other_source_refs": _several(_short, MAX_SOURCE_REFS),
    "source_turns": _several(_id, 1_000),
    "lang": _short,
    "subject": _short,
    "attribute": _short,
    "value": _short,
    "contradicts": _several(_id, 1_000),
    "reinforced": _place,
    "outdated_by": _optional(_id),
    "expires_at": _optional(_time),
    "valid_from": _optional(_time),
    "valid_to": _optional(_time),
    "supersedes": _optional(_id),
    "superseded_by": _optional(_id),
    "media_refs": _several(_short, 100),
    "media_kind": _short,
    "grade": _optional(_grade),
    "origins": _origins,
    "state": _choice(State),
    "session": _label,
    "seq": _place,
    "role": _choice(Role),
    "speaker": _short,
    "channel": _short,
}

_NAMES: Mapping[type[Memory] | type[Turn], str] = {Memory: "memory", Turn: "turn"}
_FIELDS: Mapping[type[Memory] | type[Turn], Mapping[str, bool]] = {
    cls: {each.name: each.default is MISSING for each in fields(cls) if each.name not in COUNTERS} for cls in _NAMES
}
"""The fields a line may have, and whether it must."""

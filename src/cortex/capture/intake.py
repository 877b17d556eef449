"""Intake: a history comes in, and each of its turns is stored once, verbatim, before anything is made of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from cortex.capture import gate, history
from cortex.capture.history import Aligned, Line
from cortex.capture.messages import Message, heard, in_parts
from cortex.domain.cues import standing_kind
from cortex.domain.events import EventKind
from cortex.domain.fingerprints import without_injected
from cortex.domain.identity import IdSource, TraceId
from cortex.domain.lanes import State
from cortex.domain.memory import Memory
from cortex.domain.scope import Tenant
from cortex.domain.secrets import redacted
from cortex.domain.suspicion import own_words, tier_for
from cortex.domain.trust import TrustTier, least
from cortex.domain.turn import SOURCE_OF_ROLE, Role, Turn
from cortex.errors import Conflict
from cortex.ports.clock import Clock
from cortex.ports.store import Change, ExpectLast, Job, Put, PutJob, SetState, Store, View

TRIES = 8
"""How often an intake looks again when another writer of the same session was first."""

AHEAD = timedelta(days=1)
"""How far in the future a message may say it was written: clocks differ, but nothing was said next year."""

RECENT = 40
"""How many turns back what is untrusted is still in view."""

MOST_READ = 12
"""How many answers of tools are compared with what is said after them."""

EMBED, EXTRACT, ENRICH = "embed", "extract", "enrich"
"""Kinds of background work: vectors, memories by rules, memories by a language model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much is taken at once, and how it is cut."""

    max_messages: int
    max_message_bytes: int
    max_text_bytes: int
    keep_tool_output: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """One history as a host hands it over."""

    messages: Sequence[object]
    session: str
    scope: str
    channel: str = ""
    trigger: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Afterwards:
    """What is to be done with new turns, and how long a session must have been quiet before memories are drawn."""

    kinds: tuple[str, ...]
    quiet: timedelta
    longest: timedelta


@dataclass(slots=True)
class Intake:
    """What became of a history."""

    ids: list[TraceId | None] = field(default_factory=list)
    """For each message the turn that was stored for it now; None where it was seen before, or skipped."""
    stored: int = 0
    seen: int = 0
    revised: int = 0
    withdrawn: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    redacted: Counter[str] = field(default_factory=Counter)
    stripped: int = 0
    reason: str | None = None
    """Why the whole history was left alone, where it was."""
    position: int = 0
    due: datetime | None = None

    def facts(self) -> dict[str, Any]:
        """For the receipt: counts and reasons."""
        told: dict[str, Any] = {
            "messages": len(self.ids),
            "stored": self.stored,
            "seen": self.seen,
            "revised": self.revised,
            "withdrawn": self.withdrawn,
            "skipped": dict(sorted(self.skipped.items())),
            "redacted": dict(sorted(self.redacted.items())),
            "stripped": self.stripped,
        }
        if self.reason:
            told["reason"] = self.reason
        if self.due:
            told["due"] = self.due.isoformat()
        return told


@dataclass(frozen=True, slots=True)
class _Spoken:
    """One line of a history, ready to be stored: a message, or a part of a long one."""

    message: Message
    line: Line
    tainted: bool
    """Whether it was said with a tool's answer in view."""
    read: tuple[str, ...]
    """What tools had answered before it was said."""


def take_in(
    arrival: Arrival,
    *,
    tenant: Tenant,
    store: Store,
    clock: Clock,
    ids: IdSource,
    limits: Limits,
    afterwards: Afterwards,
) -> Intake:
    """Store what is new of a history, and enqueue what is to be made of it; one transaction, durable on return."""
    for tried in range(TRIES):
        try:
            return _take_in(arrival, tenant, store, clock, ids, limits, afterwards)
        except Conflict:
            # Another writer of the same session was first: look again at what is there now.
            if tried == TRIES - 1:
                raise
    raise AssertionError  # the loop returns or raises


def _take_in(
    arrival: Arrival,
    tenant: Tenant,
    store: Store,
    clock: Clock,
    ids: IdSource,
    limits: Limits,
    afterwards: Afterwards,
) -> Intake:
    now = clock.now()
    listened = heard(
        arrival.messages, max_messages=limits.max_messages, max_message_bytes=limits.max_message_bytes, tools=True
    )
    intake = Intake(ids=[None] * len(arrival.messages), skipped=Counter(listened.counts))
    intake.reason = gate.session_skip_reason(arrival.session, arrival.channel, arrival.trigger, listened.said)
    with store.view(tenant) as view:
        intake.position = view.position
        if intake.reason:
            return intake
        state = view.state(arrival.session) or {}
        spoken = _spoken(listened.said, state, limits, intake)
        digests = [each.line.digest for each in spoken]
        last = view.last_seq(arrival.session)
        known = state.get("history") or {}
        if known.get("last") == last and history.continues(digests, known["count"], known["chain"]):
            aligned, stored = Aligned(fresh=tuple(range(known["count"], len(spoken)))), list[Turn]()
        else:
            stored, lines = _as_heard_today(_standing(view, arrival.session), state)
            aligned = history.align(lines, [each.line for each in spoken])
        changes = _edits(aligned, stored, spoken, view, intake)
        recent = view.turns(arrival.session, last - RECENT)
    turns = _turns([spoken[at] for at in aligned.fresh], recent, arrival, last + 1, ids, now)
    for at, turn in zip(aligned.fresh, turns, strict=True):
        # A message in parts is known by its first.
        place = spoken[at].message.index
        intake.ids[place] = intake.ids[place] or turn.id
    intake.stored = len(turns)
    intake.seen = len(spoken) - len(turns) - intake.revised
    if not turns and not changes:
        return intake
    changes += [Put(turn, EventKind.SAID) for turn in turns]
    since = state.get("pending_since") or now.isoformat()
    intake.due = min(now + afterwards.quiet, datetime.fromisoformat(since) + afterwards.longest)
    parts: dict[str, Any] = {"ingested_at": now.isoformat(), "pending_since": since, "history": None}
    if turns and aligned.fresh[-1] == len(spoken) - 1:
        # Only a history that ends where the session ends can be continued without looking.
        ends_at = last + len(turns)
        parts["history"] = {"count": len(digests), "chain": history.chained(digests), "last": ends_at}
    parts |= _drawn_anew([stored[old] for old, _ in aligned.revised], state)
    jobs = [_job(kind, arrival.session, now if kind == EMBED else intake.due, ids(now)) for kind in afterwards.kinds]
    intake.position = store.apply(
        tenant, [ExpectLast(arrival.session, last), *changes, SetState(arrival.session, parts), *jobs], at=now
    )
    return intake


def _turns(
    spoken: Sequence[_Spoken], recent: Sequence[Turn], arrival: Arrival, first: int, ids: IdSource, now: datetime
) -> list[Turn]:
    """The new turns of a session, the first of them at place `first`, after the `recent` ones."""
    seen = [turn.text for turn in recent if turn.trust is not TrustTier.TRUSTED]
    turns: list[Turn] = []
    for number, each in enumerate(spoken):
        turn = _turn(each, arrival, TraceId(ids(now)), first + number, now, seen)
        turns.append(turn)
        if turn.trust is not TrustTier.TRUSTED:
            seen.append(turn.text)
    return turns


def _drawn_anew(edited: Sequence[Turn], state: Mapping[str, Any]) -> dict[str, int]:
    """Parts of a session's state by which what was drawn from turns before they were edited is drawn anew."""
    if not edited:
        return {}
    before = min(turn.seq for turn in edited) - 1
    return {mark: min(state.get(mark, -1), before) for mark in ("extracted", "enriched")}


def _job(kind: str, session: str, due: datetime, id: str) -> PutJob:
    return PutJob(Job(id=id, kind=kind, key=session, due=due))


def _spoken(said: Sequence[Message], state: Mapping[str, Any], limits: Limits, intake: Intake) -> list[_Spoken]:
    """The lines worth keeping: without what we injected, without secrets, long ones in parts."""
    injected = frozenset(state.get("injected") or ())
    lines: list[_Spoken] = []
    tainted = False
    read: list[str] = []
    for message in said:
        tainted = message.from_tool or (tainted and message.effective_role is not Role.USER)
        if message.from_tool:
            read = [*read[1 - MOST_READ :], message.text]
        if message.from_tool and not limits.keep_tool_output:
            intake.skipped["tool_output"] += 1
            continue
        text, stripped = _heard_of(message.text, message.effective_role, injected)
        intake.stripped += stripped
        clean = redacted(text)
        intake.redacted.update(secret.name for secret in clean.found)
        if not clean.text.strip():
            intake.skipped["only_injected" if stripped else "no_text"] += 1
            continue
        parts = in_parts(clean.text, limits.max_text_bytes)
        lines += [_Spoken(message, Line(message.effective_role, part), tainted, tuple(read)) for part in parts]
    return lines


def _turn(spoken: _Spoken, arrival: Arrival, id: TraceId, seq: int, now: datetime, seen: Sequence[str]) -> Turn:
    message, text = spoken.message, spoken.line.text
    # What it repeats of untrusted words is no more trusted than they are, however many turns lie between.
    tiers = [tier_for(SOURCE_OF_ROLE[message.effective_role], text, seen=(*spoken.read, *seen))]
    if spoken.tainted and message.role is Role.ASSISTANT:
        # What was said with a tool's answer in view may repeat it: it is no more trusted than that.
        tiers.append(TrustTier.UNTRUSTED)
    said_at = message.at if message.at is not None and message.at <= now + AHEAD else now
    return Turn(
        id=id,
        text=text,
        session=arrival.session,
        seq=seq,
        created_at=said_at,
        role=message.effective_role,
        speaker=message.speaker,
        channel=arrival.channel,
        kind=standing_kind(own_words(text), message.role),
        scope=arrival.scope,
        trust=least(tiers),
    )


def _standing(view: View, session: str) -> list[Turn]:
    """The turns of a session that were not taken back, in their order."""
    found: list[Turn] = []
    last = -1
    while page := view.turns(session, last, 1_000):
        found += [turn for turn in page if turn.state is not State.SUPERSEDED]
        last = page[-1].seq
    return found


def _heard_of(text: str, role: Role, injected: frozenset[str]) -> tuple[str, int]:
    """`text` without what we injected. Users may say again what we recalled; others only echo it."""
    return without_injected(text, frozenset() if role is Role.USER else injected)


def _as_heard_today(turns: Sequence[Turn], state: Mapping[str, Any]) -> tuple[list[Turn], list[Line]]:
    """Stored turns beside what would be heard of them now: what was injected since is taken out of both sides."""
    injected = frozenset(state.get("injected") or ())
    heard_now = [(turn, _heard_of(turn.text, turn.role, injected)[0]) for turn in turns]
    left = [(turn, text) for turn, text in heard_now if text.strip()]
    return [turn for turn, _ in left], [Line(turn.role, text) for turn, text in left]


def _edits(
    aligned: Aligned, stored: Sequence[Turn], spoken: Sequence[_Spoken], view: View, intake: Intake
) -> list[Change]:
    """What becomes of turns that were edited or taken back, and of the memories drawn from them."""
    changes: list[Change] = []
    for old, new in aligned.revised:
        text, turn = spoken[new].line.text, stored[old]
        trust = least([turn.trust, tier_for(turn.source_kind, text)])
        changes.append(Put(turn.revised(text=text, trust=trust), EventKind.REVISED))
    changes += [Put(stored[at].revised(state=State.SUPERSEDED), EventKind.WITHDRAWN) for at in aligned.withdrawn]
    intake.revised, intake.withdrawn = len(aligned.revised), len(aligned.withdrawn)
    gone = frozenset([stored[old].id for old, _ in aligned.revised] + [stored[at].id for at in aligned.withdrawn])
    changes += [_without_sources(memory, gone) for memory in view.derived(sorted(gone)) if _stands(memory)]
    return changes


def _stands(memory: Memory) -> bool:
    return memory.state in {State.ACTIVE, State.SUPERSEDED}


def _without_sources(memory: Memory, gone: frozenset[TraceId]) -> Put:
    """A memory whose sources were taken back goes with the last of them."""
    left = tuple(turn for turn in memory.source_turns if turn not in gone)
    state = memory.state if left else State.FORGOTTEN
    return Put(memory.revised(source_turns=left or memory.source_turns, state=state), EventKind.WITHDRAWN)

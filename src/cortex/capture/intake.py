"""Intake: a history comes in, and each of its turns is stored once, verbatim, before anything is made of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from cortex.capture import gate, history, passing_turns
from cortex.capture.audience import kind_of, to_assistant
from cortex.capture.history import Aligned, Line, Trail
from cortex.capture.messages import Message, in_parts, received
from cortex.capture.seen_events import SeenEvents
from cortex.domain import erasure
from cortex.domain.events import EventKind
from cortex.domain.fingerprints import without_injected
from cortex.domain.identity import IdSource, TraceId
from cortex.domain.injection_detection import tier_for
from cortex.domain.lanes import State
from cortex.domain.memory import Kind, Memory
from cortex.domain.ownership import carried
from cortex.domain.scope import Tenant
from cortex.domain.secrets import redacted
from cortex.domain.trust import TrustTier, least
from cortex.domain.turn import SOURCE_OF_ROLE, Role, Turn
from cortex.ports.clock import Clock
from cortex.ports.store import (
    Change,
    ExpectLast,
    Job,
    PatchSession,
    Put,
    PutJob,
    Store,
    View,
    retry_on_conflict,
    with_expectations,
)

AHEAD = timedelta(days=1)
"""How far in the future a message may say it was written: clocks differ, but nothing was said next year."""

RECENT = 40
"""How many turns back what is untrusted is still in view."""

MOST_READ = 12
"""How many answers of tools are compared with what is said after them."""

IMPORTS = "imports"
"""The part of a session's state that has, for each import, the places of the first and last turn of what it brought."""

SHARES = "share_personal"
"""The part of a session's state that says so of its turns."""

EMBED, EXTRACT, ENRICH = "embed", "extract", "enrich"
"""Kinds of background work: vectors, memories by rules, memories by a language model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeLimits:
    """How much is taken at once, and how it is cut."""

    max_messages: int
    max_message_bytes: int
    max_text_bytes: int
    keep_tool_output: bool
    skip_heartbeat: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """One history as a host hands it over."""

    messages: Sequence[object]
    session: str
    scope: str
    channel: str = ""
    trigger: str = ""
    follows: int | None = None
    """Of a transcript that hands over each message once: how many it handed over before these, 0 at its start.

    Then these are only what was added to it, and a word said before is new when it is said again, unless the session
    was captured by another road up to there. None for a history that comes whole, or as far as there is of it.
    """
    import_run: str = ""
    """The import that brings it, if any. The session keeps which turns came with it, and the assistant in it is of
    another program: what it says is untrusted."""
    share_personal: bool = False
    """Whether what is said about the person is remembered for all scopes."""
    keys: tuple[str, ...] | None = None
    """Of messages that come as events, each on its own: what each is known by. One that came before is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUpJobs:
    """What is to be done with new turns, and how long a session must have been quiet before memories are extracted."""

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
    repeated: int = 0
    """How many came before as events."""
    skipped: Counter[str] = field(default_factory=Counter)
    redacted: Counter[str] = field(default_factory=Counter)
    stripped: int = 0
    reason: str | None = None
    """Why the whole history was left alone, where it was."""
    position: int = 0
    due: datetime | None = None

    def facts(self) -> dict[str, Any]:
        """For the receipt: counts and reasons."""
        payload: dict[str, Any] = {
            "messages": len(self.ids),
            "stored": self.stored,
            "seen": self.seen,
            "revised": self.revised,
            "withdrawn": self.withdrawn,
            "skipped": dict(sorted(self.skipped.items())),
            "redacted": dict(sorted(self.redacted.items())),
            "stripped": self.stripped,
        }
        if self.repeated:
            payload["repeated"] = self.repeated
        if self.reason:
            payload["reason"] = self.reason
        if self.due:
            payload["due"] = self.due.isoformat()
        return payload


@dataclass(frozen=True, slots=True)
class _Spoken:
    """One line of a history, ready to be stored: a message, or a part of a long one."""

    message: Message
    line: Line
    tainted: bool
    """Whether it was said with a tool's answer in view."""
    read: tuple[str, ...]
    """What tools had answered before it was said."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """What was said, and how it stands beside what is stored."""

    spoken: list[_Spoken]
    aligned: Aligned
    stored: list[Turn]
    trail: Mapping[str, Any] | None
    """How far the session's transcript was handed over, as its state keeps it."""
    handed_over: int = 0
    """Messages of the transcript that were handed over before."""


def ingest(
    incoming: History,
    *,
    tenant: Tenant,
    store: Store,
    clock: Clock,
    ids: IdSource,
    limits: IntakeLimits,
    follow_ups: FollowUpJobs,
) -> Intake:
    """Store what is new of a history, and enqueue what is to be made of it; one transaction, durable on return."""
    return retry_on_conflict(lambda: _ingest(incoming, tenant, store, clock, ids, limits, follow_ups))


def _ingest(
    incoming: History,
    tenant: Tenant,
    store: Store,
    clock: Clock,
    ids: IdSource,
    limits: IntakeLimits,
    follow_ups: FollowUpJobs,
) -> Intake:
    now = clock.now()
    incoming, repeated, marks = _unseen(incoming, tenant, store)
    accepted = received(
        incoming.messages, max_messages=limits.max_messages, max_message_bytes=limits.max_message_bytes, tools=True
    )
    intake = Intake(ids=[None] * len(incoming.messages), repeated=repeated, skipped=Counter(accepted.counts))
    # A history comes again; what a transcript said before a wake-up call does not, and must not be left with it.
    last_said = accepted.said if incoming.follows is None else ()
    intake.reason = gate.session_skip_reason(
        incoming.session, incoming.channel, incoming.trigger, last_said, skip_heartbeat=limits.skip_heartbeat
    )
    with store.view(tenant) as view:
        intake.position = view.position
        if intake.reason:
            return intake
        state = view.state(incoming.session) or {}
        last = view.last_seq(incoming.session)
        placed = (_whole if incoming.follows is None else _tail)(view, incoming, accepted.said, state, limits, intake)
        spoken, aligned, stored = placed.spoken, placed.aligned, placed.stored
        changes = with_expectations(_edits(aligned, stored, spoken, view, intake), view)
        recent = view.turns(incoming.session, last - RECENT)
    turns = _turns([spoken[at] for at in aligned.fresh], recent, incoming, last + 1, ids, now)
    for at, turn in zip(aligned.fresh, turns, strict=True):
        # A message in parts is known by its first.
        place = spoken[at].message.index
        intake.ids[place] = intake.ids[place] or turn.id
    intake.stored = len(turns)
    intake.seen = placed.handed_over + len(spoken) - len(turns) - intake.revised
    if not turns and not changes:
        if marks or placed.trail != state.get("followed"):
            kept = PatchSession(incoming.session, {"followed": placed.trail})
            intake.position = store.apply(tenant, [ExpectLast(incoming.session, last), *marks, kept], at=now)
        return intake
    changes += [Put(turn, EventKind.SAID) for turn in turns]
    since = state.get("pending_since") or now.isoformat()
    intake.due = min(now + follow_ups.quiet, datetime.fromisoformat(since) + follow_ups.longest)
    parts: dict[str, Any] = {
        "ingested_at": now.isoformat(),
        "pending_since": since,
        "history": None,
        "followed": placed.trail,
        SHARES: incoming.share_personal or None,
    }
    if incoming.follows is None and turns and aligned.fresh[-1] == len(spoken) - 1:
        # Only a history that ends where the session ends can be continued without looking.
        digests, ends_at = [each.line.digest for each in spoken], last + len(turns)
        parts["history"] = {"count": len(digests), "chain": history.chained(digests), "last": ends_at}
    parts |= _to_extract_again([stored[old] for old, _ in aligned.revised], state)
    if incoming.import_run and turns:
        before: Mapping[str, Any] = state.get(IMPORTS) or {}
        own = [*before.get(incoming.import_run, ()), [turns[0].seq, turns[-1].seq]]
        parts[IMPORTS] = {**before, incoming.import_run: own}
    jobs = [_job(kind, incoming.session, now if kind == EMBED else intake.due, ids(now)) for kind in follow_ups.kinds]
    kept = PatchSession(incoming.session, parts)
    intake.position = store.apply(tenant, [ExpectLast(incoming.session, last), *marks, *changes, kept, *jobs], at=now)
    return intake


def _unseen(incoming: History, tenant: Tenant, store: Store) -> tuple[History, int, list[Change]]:
    """A history without the events that came before, how many those were, and what makes the others known."""
    if incoming.keys is None:
        return incoming, 0, []
    with store.view(tenant) as view:
        seen = SeenEvents.of(view, incoming.session)
        followed = (view.state(incoming.session) or {}).get("followed") or {}
    places = seen.unseen(incoming.keys)
    keys = [incoming.keys[place] for place in places]
    # Each comes once, after all that came before it: as a transcript does.
    fresh = replace(
        incoming, messages=[incoming.messages[place] for place in places], follows=followed.get("count", 0), keys=None
    )
    return fresh, len(incoming.keys) - len(keys), seen.adding(keys) if keys else []


def _whole(
    view: View,
    incoming: History,
    said: Sequence[Message],
    state: Mapping[str, Any],
    limits: IntakeLimits,
    intake: Intake,
) -> _Placed:
    """A history beside all that is stored of its session."""
    spoken = _spoken(said, state, limits, intake)
    digests = [each.line.digest for each in spoken]
    known, trail = state.get("history") or {}, state.get("followed")
    is_known = known.get("last") == view.last_seq(incoming.session)
    if is_known and history.continues(digests, known["count"], known["chain"]):
        return _Placed(spoken, Aligned(fresh=tuple(range(known["count"], len(spoken)))), [], trail)
    stored, lines = _as_received_today(_standing(view, incoming.session), state)
    return _Placed(spoken, history.align(lines, [each.line for each in spoken]), stored, trail)


def _tail(
    view: View,
    incoming: History,
    said: Sequence[Message],
    state: Mapping[str, Any],
    limits: IntakeLimits,
    intake: Intake,
) -> _Placed:
    """What came to a transcript, beside what other roads stored since it was handed over last."""
    kept = (state.get("followed") or {}) if incoming.follows else {}
    known = _trail(kept, view, incoming, said, state, limits)
    trail = known or Trail()
    follows = incoming.follows or 0
    new = [message for message in said if message.index >= trail.count - follows]
    tainted = bool(kept.get("tainted"))
    of_people, machine = _of_people(new, intake, kept.get("machine"))
    spoken = _spoken(of_people, state, limits, intake, tainted=tainted)
    others = [turn for turn in _standing(view, incoming.session, trail.place) if turn.seq not in trail.own]
    stored, lines = _as_received_today(others, state)
    found = (history.follow if known else history.join)(lines, [each.line for each in spoken])
    first = view.last_seq(incoming.session) + 1
    moved = trail.moved(
        max(trail.count, follows + len(incoming.messages)),
        [turn.seq for turn in stored],
        found.reached,
        range(first, first + len(found.fresh)),
    )
    for message in new:
        tainted = _is_tainted(message, tainted)
    payload = {
        "count": moved.count,
        "place": moved.place,
        "own": list(moved.own),
        "mark": _mark(new[-1]) if new else kept.get("mark"),
        "tainted": tainted,
        "machine": machine,
    }
    return _Placed(spoken, Aligned(fresh=found.fresh), stored, payload, len(said) - len(new))


def _trail(
    kept: Mapping[str, Any],
    view: View,
    incoming: History,
    said: Sequence[Message],
    state: Mapping[str, Any],
    limits: IntakeLimits,
) -> Trail | None:
    """The trail that a transcript goes on from; None where nothing tells, or another transcript came between."""
    if not incoming.follows:
        return Trail()
    if kept.get("count", -1) < incoming.follows:
        return None
    # The reader of a transcript may have been stopped before it could note how far it came: it hands over again.
    handed_over = kept["count"] - incoming.follows
    again = [message for message in said if message.index < handed_over]
    if handed_over <= len(incoming.messages):
        is_same = not again or _mark(again[-1]) == kept["mark"]
    else:
        _, lines = _as_received_today(_standing(view, incoming.session), state)
        spoken = _spoken(_of_people(again, Intake())[0], state, limits, Intake())
        is_same = history.holds(lines, [each.line for each in spoken])
    return Trail(count=kept["count"], place=kept["place"], own=tuple(kept["own"])) if is_same else None


def _mark(message: Message) -> str:
    return Line(message.effective_role, message.text).digest


def _of_people(said: Sequence[Message], intake: Intake, machine: str | None = None) -> tuple[list[Message], str | None]:
    """`said` without what a program wrote to an agent and what the agent answered to that.

    `machine` tells what wrote the message before these, where no person did; the same is given of the last of these.
    """
    kept: list[Message] = []
    for message in said:
        if message.effective_role is Role.USER:
            machine = gate.machine_reason(message.text)
        if machine:
            intake.skipped[machine] += 1
        else:
            kept.append(message)
    return kept, machine


def _turns(
    spoken: Sequence[_Spoken], recent: Sequence[Turn], incoming: History, first: int, ids: IdSource, now: datetime
) -> list[Turn]:
    """The new turns of a session, the first of them at place `first`, after the `recent` ones."""
    seen = [turn.text for turn in recent if turn.trust is not TrustTier.TRUSTED]
    to_assistant_at = to_assistant([*recent, *(each.message for each in spoken)])[len(recent) :]
    others = _continues_others(recent, spoken)
    turns: list[Turn] = []
    for number, each in enumerate(spoken):
        kind = kind_of(each.line.text, each.message.speaker, is_addressed=to_assistant_at[number])
        turn = _turn(each, incoming, TraceId(ids(now)), first + number, now, seen)
        if others[number] and to_assistant_at[number]:
            # Nothing in it says that it is play, or a guest's: its tier has to. People among themselves are named.
            kind, turn = Kind.EPISODE, turn.revised(trust=least((turn.trust, TrustTier.UNTRUSTED)))
        turn = turn.revised(kind=kind)
        if to_assistant_at[number]:  # what people tell each other is a record of that
            turn = turn.revised(expires_at=passing_turns.expires_at(turn))
        turns.append(turn)
        if turn.trust is not TrustTier.TRUSTED:
            seen.append(turn.text)
    return turns


def _continues_others(recent: Sequence[Turn], spoken: Sequence[_Spoken]) -> list[bool]:
    """Which of these go on with a play, a guest's words or a text that was announced before."""
    said = [(turn.role, turn.text) for turn in recent]
    said += [(each.message.effective_role, each.line.text) for each in spoken]
    owners = iter(carried([text for role, text in said if role is Role.USER]))
    return [role is Role.USER and next(owners) is not None for role, _ in said][len(recent) :]


def _to_extract_again(edited: Sequence[Turn], state: Mapping[str, Any]) -> dict[str, int]:
    """Parts of a session's state by which what was extracted from turns before they were edited is extracted anew."""
    if not edited:
        return {}
    before = min(turn.seq for turn in edited) - 1
    return {mark: min(state.get(mark, -1), before) for mark in ("extracted", "enriched")}


def _job(kind: str, session: str, due: datetime, id: str) -> PutJob:
    return PutJob(Job(id=id, kind=kind, key=session, due=due))


def _spoken(
    said: Sequence[Message], state: Mapping[str, Any], limits: IntakeLimits, intake: Intake, *, tainted: bool = False
) -> list[_Spoken]:
    """The lines worth keeping: without what we injected, without secrets, long ones in parts.

    `tainted` says whether a tool's answer was in view before the first.
    """
    injected = frozenset(state.get("injected") or ())
    lines: list[_Spoken] = []
    read: list[str] = []
    for message in said:
        tainted = _is_tainted(message, tainted)
        if message.from_tool:
            read = [*read[1 - MOST_READ :], message.text]
        if message.from_tool and not limits.keep_tool_output:
            intake.skipped["tool_output"] += 1
            continue
        text, stripped = _received_of(message.text, message.effective_role, injected)
        intake.stripped += stripped
        clean = redacted(text)
        intake.redacted.update(secret.name for secret in clean.found)
        if not clean.text.strip():
            intake.skipped["only_injected" if stripped else "no_text"] += 1
            continue
        parts = [Line(message.effective_role, part) for part in in_parts(clean.text, limits.max_text_bytes)]
        kept = [line for line in parts if not _was_erased(line, state)]
        if len(kept) < len(parts):
            intake.skipped["erased"] += len(parts) - len(kept)
        lines += [_Spoken(message, line, tainted, tuple(read)) for line in kept]
    return lines


def _was_erased(line: Line, state: Mapping[str, Any]) -> bool:
    """Whether a line of this session was erased: a host tells its history again and again, and it must not return."""
    known: Mapping[str, Any] | None = state.get(erasure.MARKS)
    return known is not None and erasure.is_marked(line.digest, known)


def _is_tainted(message: Message, before: bool) -> bool:
    """Whether a tool's answer is in view once `message` was said: it is until the user speaks."""
    return message.from_tool or (before and message.effective_role is not Role.USER)


def _turn(spoken: _Spoken, incoming: History, id: TraceId, seq: int, now: datetime, seen: Sequence[str]) -> Turn:
    message, text = spoken.message, spoken.line.text
    # What it repeats of untrusted words is no more trusted than they are, however many turns lie between.
    tiers = [tier_for(SOURCE_OF_ROLE[message.effective_role], text, seen=(*spoken.read, *seen))]
    if (spoken.tainted or incoming.import_run) and message.role is Role.ASSISTANT:
        # What was said with a tool's answer in view may repeat it: it is no more trusted than that.
        tiers.append(TrustTier.UNTRUSTED)
    said_at = message.at if message.at is not None and message.at <= now + AHEAD else now
    return Turn(
        id=id,
        text=text,
        session=incoming.session,
        seq=seq,
        created_at=said_at,
        role=message.effective_role,
        speaker=message.speaker,
        channel=incoming.channel,
        scope=incoming.scope,
        trust=least(tiers),
    )


def _standing(view: View, session: str, last: int = -1) -> list[Turn]:
    """The turns of a session after the place `last` that were not taken back, in their order."""
    found: list[Turn] = []
    while page := view.turns(session, last, 1_000):
        found += [turn for turn in page if turn.state is not State.SUPERSEDED]
        last = page[-1].seq
    return found


def _received_of(text: str, role: Role, injected: frozenset[str]) -> tuple[str, int]:
    """`text` without what we injected. Users may say again what we recalled; others only echo it."""
    return without_injected(text, frozenset() if role is Role.USER else injected)


def _as_received_today(turns: Sequence[Turn], state: Mapping[str, Any]) -> tuple[list[Turn], list[Line]]:
    """Stored turns beside what would be accepted of them now: what was injected since is taken out of both sides."""
    injected = frozenset(state.get("injected") or ())
    received_now = [(turn, _received_of(turn.text, turn.role, injected)[0]) for turn in turns]
    left = [(turn, text) for turn, text in received_now if text.strip()]
    return [turn for turn, _ in left], [Line(turn.role, text) for turn, text in left]


def _edits(
    aligned: Aligned, stored: Sequence[Turn], spoken: Sequence[_Spoken], view: View, intake: Intake
) -> list[Change]:
    """What becomes of turns that were edited or taken back, and of the memories extracted from them."""
    changes: list[Change] = []
    for old, new in aligned.revised:
        text, turn = spoken[new].line.text, stored[old]
        trust = least([turn.trust, tier_for(turn.source_kind, text)])
        edited = turn.revised(text=text, trust=trust)
        changes.append(Put(edited.revised(expires_at=passing_turns.expires_at(edited)), EventKind.REVISED))
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

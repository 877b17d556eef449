"""Outcomes come in: each event is stored once, under an id that follows from its key (S1)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from cortex.capture.events import IncomingEvent
from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId, id_of_key
from cortex.domain.outcome import Outcome, OutcomeType
from cortex.domain.scope import Tenant
from cortex.ports.clock import Clock
from cortex.ports.store import (
    Change,
    ExpectAbsent,
    ExpectState,
    PatchSession,
    Put,
    Store,
    View,
    retry_on_conflict,
)

STATE = "#events"
"""The session whose state has the salt of the keys."""

SALT = "salt"
_SALT_BYTES = 16

AHEAD = timedelta(days=1)
"""How far in the future an event may say it happened; beyond, it gets the time of its arrival."""

_LOOKED_UP = 16
"""How many events of a batch are looked up before all of them are taken for new."""


@dataclass(slots=True)
class OutcomesStored:
    """What became of some events."""

    ids: list[TraceId] = field(default_factory=list)
    repeated: int = 0
    erased: int = 0
    clock_ahead: int = 0
    position: int = 0


def salt_of(tenant: Tenant, store: Store, clock: Clock) -> bytes:
    """The salt of a tenant's keys, created on first use: from an id nobody can guess back what was erased."""

    def attempt() -> bytes:
        with store.view(tenant) as view:
            known = (view.state(STATE) or {}).get(SALT)
        if isinstance(known, str):
            return bytes.fromhex(known)
        salt = os.urandom(_SALT_BYTES)
        changes: list[Change] = [ExpectState(STATE, {SALT: None}), PatchSession(STATE, {SALT: salt.hex()})]
        store.apply(tenant, changes, at=clock.now())
        return salt

    return retry_on_conflict(attempt)


def store_outcomes(
    events: Sequence[IncomingEvent], *, tenant: Tenant, store: Store, clock: Clock, salt: bytes
) -> OutcomesStored:
    """Store what is new among `events`, in one transaction. A repeated event is counted; an erased one stays erased.

    Most batches are new altogether. A few events of each are looked up first; where none of them is known, to store
    all is refused if one of the others is, and only then those are looked up too.
    """
    given: dict[TraceId, IncomingEvent] = {}
    for event in events:
        given.setdefault(id_of_key(event.key(tenant.user, salt)), event)
    ids = list(given)
    some = {id: given[id] for id in (*ids[:: len(ids) // _LOOKED_UP + 1], *ids[-1:])}
    tries = 0

    def attempt() -> OutcomesStored:
        nonlocal tries
        tries += 1
        now, done = clock.now(), OutcomesStored()
        with store.view(tenant) as view:
            done.position = view.position
            known = _known(view, some) if tries == 1 else set()
            if known or tries > 1:
                known = _known(view, given, is_conflict=tries > 2)
        erased = {id for each in store.erasures(tenant.user) for id in each.ids} & given.keys()
        gone = known | erased
        fresh = {id: event for id, event in given.items() if id not in gone} if gone else given
        done.erased = len(erased)
        done.repeated = len(events) - len(fresh) - len(erased)
        latest = now + AHEAD
        done.clock_ahead = sum([event.at > latest for event in fresh.values()])
        if fresh:
            puts = [Put(outcome_of(id, event, now, latest), EventKind.OBSERVED) for id, event in fresh.items()]
            changes: list[Change] = [ExpectAbsent(tuple(fresh)), *puts]
            done.position = store.apply(tenant, changes, at=now)
        done.ids = list(fresh)
        return done

    return retry_on_conflict(attempt)


def _known(view: View, given: Mapping[TraceId, IncomingEvent], *, is_conflict: bool = False) -> set[TraceId]:
    known = {trace.id for trace in view.load(list(given))}
    if is_conflict:  # a damaged row is not loaded, and is there all the same
        known |= {id for id in given if id not in known and view.damage(id)}
    return known


# Looked up: to call an enumeration takes ten times as long.
_TYPES = {each.value: each for each in OutcomeType}


def outcome_of(id: TraceId, event: IncomingEvent, now: datetime, latest: datetime) -> Outcome:
    """The outcome that an event reports, redacted and cut; one that is later than `latest` happened now."""
    payload, payload_bytes = event.kept_payload()
    return Outcome(
        id,
        event.summary(),
        event.at if event.at <= latest else now,
        _TYPES[event.type],
        event.session,
        event.tool,
        event.call_id,
        event.ok,
        event.ms,
        event.kept_error() if event.error else "",
        payload,
        payload_bytes,
        event.refs,
        scope=event.scope,
    )

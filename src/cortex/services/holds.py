"""Holds: placed and released by administrators, and looked up by everything that would end a memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from cortex.context import Context
from cortex.domain.events import EventKind
from cortex.domain.holds import HOLDS, MOST_HOLDS, Hold, HoldKind, drafted, held_by, holds_in
from cortex.domain.identity import TraceId
from cortex.domain.memory import Memory
from cortex.domain.outcome import Outcome
from cortex.domain.receipt import Receipt
from cortex.domain.scope import DEFAULT_USER
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn
from cortex.errors import Held, InvalidRequest, NotFound, StoreBusy
from cortex.ports.store import ExpectState, PatchSession, RecordDecision, View, retry_on_conflict

WAIT_SECONDS = 60.0
"""How long a hold waits for an erasure that is under way: it comes before the next one, or after this one."""

States = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class HoldResult:
    """A hold that was placed or released."""

    hold: Hold
    receipt: Receipt


class HoldService:
    """The holds on the memory of one user, or with `everyone` on that of all users of the agent.

    A hold is kept with the user whose memory it is on. One on all users is kept with the user `default`, whatever the
    settings of a process call its default user.
    """

    def __init__(self, context: Context) -> None:
        self._context = context

    # --- what is held ----------------------------------------------------------------------------

    def current(self) -> list[Hold]:
        """The holds on this user's memory, oldest first."""
        tenant = self._context.tenant
        with self._context.store_view() as view:
            own = view.state(HOLDS)
        found = [each for each in holds_in(own, user=tenant.user) if each.user]
        return [*found, *self._of_all()]

    def _of_all(self) -> list[Hold]:
        with self._shared.store_view() as view:
            return [each for each in holds_in(view.state(HOLDS), user="") if not each.user]

    def held(self, view: View, traces: Sequence[Trace]) -> Mapping[TraceId, Hold]:
        """Which of some traces are on hold, and by which hold."""
        holds = self.current() if traces else []
        return held_by(traces, self._context.tenant.user, holds, _sessions_of(traces, holds, view)) if holds else {}

    def refuse(self, view: View, traces: Sequence[Trace], ids: Iterable[TraceId] = ()) -> None:
        """Refuse to end what is held; `ids` are of traces that cannot be read."""
        held = dict(self.held(view, traces))
        named = [each for each in self.current() if each.kind is HoldKind.IDS]
        held |= {id: each for id in ids for each in named if id in each.values}
        for id, hold in held.items():
            why = f" ({hold.reason})" if hold.reason else ""
            more = f", and {len(held) - 1:,} more" if len(held) > 1 else ""
            raise Held(
                f"{id} is on hold by {hold.name}{why}{more}",
                hint=f"an administrator can release it with `cortex admin hold release {hold.name}`",
            )

    def all(self, *, everyone: bool = False) -> Sequence[Hold]:
        """The holds on this user's memory; with `everyone`, those on anybody's."""
        if not everyone:
            return self.current()
        own = [each for context in self._users() for each in HoldService(context).current() if each.user]
        return sorted((*own, *self._of_all()), key=lambda each: (each.at, each.name))

    # --- placing and releasing -------------------------------------------------------------------

    def add(
        self,
        *,
        ids: Sequence[str] = (),
        scope: str | None = None,
        session: str | None = None,
        person: str | None = None,
        also: Sequence[str] = (),
        reason: str = "",
        everyone: bool = False,
    ) -> HoldResult:
        now, context = self._context.clock.now(), self._shared if everyone else self._context
        user = "" if everyone else self._context.tenant.user
        draft = drafted(
            ids=ids, scope=scope, session=session, person=person, also=also, reason=reason, at=now,
            by=self._context.actor,
        )  # fmt: skip
        if draft.kind is HoldKind.IDS:
            self._refuse_unknown(draft.values, everyone=everyone)
        hold = replace(draft, name=f"hold-{self._context.ids(now)[-12:]}", user=user)
        with context.recording("hold") as record, self._between_erasures():
            with context.store_view() as view:
                if len(view.state(HOLDS) or {}) >= MOST_HOLDS:
                    raise InvalidRequest(
                        f"would be one more than {MOST_HOLDS:,}", field="hold",
                        hint="release one with `cortex admin hold release NAME`",
                    )  # fmt: skip
            position = context.apply([
                ExpectState(HOLDS, {hold.name: None}),
                PatchSession(HOLDS, {hold.name: hold.to_json()}),
                RecordDecision(EventKind.HELD, hold.name),
            ])  # fmt: skip
            record.close(position, hold=hold.name, kind=hold.kind.value)
        return HoldResult(hold, record.receipt)

    def release(self, name: str, *, everyone: bool = False) -> HoldResult:
        found = next((each for each in self.all(everyone=everyone) if each.name == name), None)
        if found is None:
            raise NotFound(f"no hold {str(name)[:64]!r}", hint="see `cortex admin hold list`")
        if not (found.user or everyone):
            raise InvalidRequest(
                f"{name} is on all users of the agent", field="name", hint="release it for everyone, without --user"
            )
        context = self._context.bind(user=found.user) if found.user else self._shared

        def attempt() -> int:
            with context.store_view() as view:
                kept = (view.state(HOLDS) or {}).get(name)
            if kept is None:
                raise NotFound(f"no hold {name!r}: somebody else has released it", hint="see `cortex admin hold list`")
            return context.apply([
                ExpectState(HOLDS, {name: kept}),
                PatchSession(HOLDS, {name: None}),
                RecordDecision(EventKind.RELEASED, name),
            ])  # fmt: skip

        with context.recording("release_hold") as record:
            record.close(retry_on_conflict(attempt), hold=name, kind=found.kind.value)
        return HoldResult(found, record.receipt)

    def _refuse_unknown(self, ids: Sequence[str], *, everyone: bool) -> None:
        """A hold on a mistyped id would hold nothing."""
        unknown = set(ids)
        for context in self._users() if everyone else [self._context]:
            with context.store_view() as view:
                unknown -= {each.id for each in view.load([TraceId(id) for id in sorted(unknown)])}
                unknown -= {id for id in unknown if view.damage(TraceId(id))}
        if unknown:
            raise NotFound(f"no memory or turn {min(unknown)}", hint="see `cortex list`")

    @contextmanager
    def _between_erasures(self) -> Iterator[None]:
        with self._context.store.erasure_lock(WAIT_SECONDS) as ours:
            if not ours:
                raise StoreBusy("an erasure is under way", hint="wait for it, then place the hold again")
            yield

    def _users(self) -> list[Context]:
        own = self._context.tenant.user
        return [self._context.bind(user=user) for user in dict.fromkeys((own, *self._context.store.users()))]

    @property
    def _shared(self) -> Context:
        return self._context.bind(user=DEFAULT_USER)

    # --- over a restored backup ------------------------------------------------------------------

    def states(self) -> States:
        """Everything that is kept of holds, by user."""
        found: dict[str, Mapping[str, Any]] = {}
        for context in [*self._users(), self._shared]:
            with context.store_view() as view:
                if state := view.state(HOLDS):
                    found[context.tenant.user] = state
        return found

    def put_back(self, states: States) -> None:
        """Place the holds again that a restored backup does not know."""
        for user, state in states.items():
            context = self._context.bind(user=user)
            with context.store_view() as view:
                known = view.state(HOLDS) or {}
            if missing := {name: each for name, each in state.items() if name not in known}:
                context.apply(
                    [PatchSession(HOLDS, missing), *(RecordDecision(EventKind.HELD, name) for name in sorted(missing))]
                )


def _sessions_of(traces: Sequence[Trace], holds: Sequence[Hold], view: View) -> Callable[[Trace], Iterable[str]]:
    """In which sessions a trace was said, or what it was extracted from; read where a hold asks for it."""
    sources: dict[TraceId, str] = {}
    if any(each.kind is HoldKind.SESSION for each in holds):
        ids = sorted({turn for each in traces if isinstance(each, Memory) for turn in each.source_turns})
        sources = {turn.id: turn.session for turn in view.load(ids) if isinstance(turn, Turn)}

    def sessions(trace: Trace) -> Iterable[str]:
        if isinstance(trace, Turn | Outcome):
            return (trace.session,)
        return (sources[id] for id in trace.source_turns if id in sources) if isinstance(trace, Memory) else ()

    return sessions

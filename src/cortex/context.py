"""Dependencies and a tenant: what every service takes, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import datetime
from operator import attrgetter
from typing import Any, TypeVar

from cortex.composite_view import CompositeView
from cortex.dependencies import Dependencies, KnownPositions
from cortex.domain.chat import Chat, shows_citations
from cortex.domain.events import GENESIS
from cortex.domain.identity import IdSource, ReceiptId
from cortex.domain.receipt import Receipt
from cortex.domain.scope import Tenant
from cortex.domain.tags import TAGS, Tag, checked_name, tags_in
from cortex.domain.vectors import EmbeddingSpace
from cortex.errors import Conflict, NotFound, StoreError, StoreUnavailable
from cortex.ports.clock import Clock
from cortex.ports.index import FileIndex
from cortex.ports.signals import Topic
from cortex.ports.store import Change, Embed, Put, PutReceipt, Remove, Store, View
from cortex.settings import Settings
from cortex.signals import Signals
from cortex.write_behind import Deferred

T = TypeVar("T")

_cause: ContextVar[str] = ContextVar("cause", default="")
"""The id of the receipt of the operation that is under way."""


class TouchedIds:
    """What an operation touched: how many, and the first ids (E12)."""

    __slots__ = ("count", "first", "most")

    def __init__(self, most: int) -> None:
        self.most = most
        self.count = 0
        self.first: dict[str, None] = {}

    def add(self, ids: Iterable[str]) -> None:
        for id in ids:
            self.count += 1
            if len(self.first) < self.most:
                self.first[id] = None

    def merge(self, inner: TouchedIds) -> None:
        """Add what an operation within this one touched."""
        self.count += inner.count
        for id in inner.first:
            if len(self.first) < self.most:
                self.first[id] = None

    def facts(self) -> dict[str, Any]:
        return {"touched": self.count, "ids": list(self.first)} if self.count else {}


_touched: ContextVar[TouchedIds | None] = ContextVar("touched", default=None)
"""What the operation that is under way has touched so far."""

AsOf = datetime | int | str
"""An earlier state: a time, a position of the ledger, or the name of a tag."""


def seal_at(view: View, position: int) -> str | None:
    """The seal of the event at a position; None where the tenant's ledger has none there."""
    if position == 0:
        return GENESIS
    return next((event.seal for event in view.events(position - 1, 1) if event.position == position), None)


def _same(name: str) -> Any:
    """What the store itself has."""
    return property(attrgetter(f"_store.{name}"))


class AttributedStore:
    """A store whose changes say who made them, and in which operation, and wake those who wait for them."""

    __slots__ = ("_actor", "_positions", "_signals", "_store")

    abilities = _same("abilities")
    position_at = _same("position_at")
    claim = _same("claim")
    vector_sets = _same("vector_sets")
    sample = _same("sample")
    users = _same("users")
    dump = _same("dump")
    load = _same("load")
    damaged = _same("damaged")
    verify = _same("verify")
    maintain = _same("maintain")
    compact = _same("compact")
    find_residue = _same("find_residue")
    find_mentions = _same("find_mentions")
    erasures = _same("erasures")
    record_erasure = _same("record_erasure")
    withdraw_erasure = _same("withdraw_erasure")
    erasure_lock = _same("erasure_lock")
    backup = _same("backup")
    describe = _same("describe")
    close = _same("close")

    def __init__(self, store: Store, actor: str, positions: KnownPositions, signals: Signals) -> None:
        self._store = store
        self._actor = actor
        self._positions = positions
        self._signals = signals

    def apply(
        self, tenant: Tenant, changes: Sequence[Change], *, at: datetime, actor: str = "", cause: str = ""
    ) -> int:
        position = self._store.apply(tenant, changes, at=at, actor=actor or self._actor, cause=cause or _cause.get())
        self._positions.learn(tenant, position)
        self._signals.send(self._store, Topic.CHANGES)
        if (touched := _touched.get()) is not None:
            touched.add(_touched_by(changes))
        return position

    @contextmanager
    def view(self, tenant: Tenant, as_of: int | None = None, at_least: int | None = None) -> Iterator[View]:
        with self._store.view(tenant, as_of, at_least) as view:
            if as_of is None:
                self._positions.learn(tenant, view.position)
            yield view


def _touched_by(changes: Iterable[Change]) -> Iterator[str]:
    """The traces that changes put, remove or embed. A receipt names nothing that is erased."""
    for change in changes:
        if isinstance(change, Put):
            yield change.trace.id
        elif isinstance(change, Embed | Remove):
            yield change.id


class ReceiptBuilder:
    """Collects what an operation reports. `receipt` is there once the operation has succeeded."""

    receipt: Receipt

    def __init__(self, id: str, touched: TouchedIds) -> None:
        self.id = id
        """The id that the receipt will have; empty where none is kept."""
        self.position = 0
        self.facts: dict[str, Any] = {}
        self._touched = touched

    def touch(self, ids: Iterable[str]) -> None:
        """Name what was read. What is changed is named anyway."""
        self._touched.add(ids)

    def close(self, position: int, **facts: Any) -> None:
        self.position = position
        self.facts = facts


@dataclass(frozen=True, slots=True)
class Context:
    """The memory of one agent and one of its users, with everything needed to work on it."""

    dependencies: Dependencies
    tenant: Tenant
    chat: Chat | None = None
    """Where the turn takes place, if a host reported it: it decides whether sources are cited."""
    actor: str = ""
    """Who makes changes here, as the ledger names them."""
    own_settings: Settings | None = None
    """Settings of one session alone, such as those of a canary; None for those of the engine."""

    def bind(self, *, agent: str | None = None, user: str | None = None) -> Context:
        """The same dependencies for another agent or user."""
        return replace(self, tenant=self.tenant.named(agent, user))

    def by(self, actor: str) -> Context:
        """The same memory in the hands of somebody: a token, a surface, the scheduler."""
        return replace(self, actor=actor)

    def in_chat(self, chat: Chat) -> Context:
        """The memory that this owner's agent uses in a chat."""
        rules = self.settings.chats
        tenant = chat.tenant(self.tenant, per_sender=rules.per_sender, personal_in_groups=rules.personal_in_groups)
        return replace(self, tenant=tenant, chat=chat)

    def cites(self, session: str | None = None) -> bool:
        """Whether sources are cited here (B11)."""
        return shows_citations(self.settings.files.citations, session, self.chat)

    @property
    def settings(self) -> Settings:
        return self.own_settings or self.dependencies.settings

    @property
    def clock(self) -> Clock:
        return self.dependencies.clock

    @property
    def ids(self) -> IdSource:
        return self.dependencies.ids

    @property
    def store(self) -> Store:
        """The agent's store, opened on first use. What is changed through it has the actor's name."""
        dependencies = self.dependencies
        store = dependencies.store(self.tenant.agent)
        return AttributedStore(store, self.actor, dependencies.positions, dependencies.signals)

    @property
    def max_text_bytes(self) -> int:
        return self.settings.limits.max_text_bytes

    @property
    def passage_tokens(self) -> int:
        return self.settings.embedding.passage_tokens

    @property
    def can_embed(self) -> bool:
        return self.dependencies.embedder.space.dimension > 0

    @property
    def host(self) -> str:
        """The name of this host among those that share the files; empty where none does."""
        indexes = self.dependencies.indexes(self.tenant)
        return indexes.host if indexes is not None else ""

    @property
    def index(self) -> FileIndex | StoreError | None:
        """The index of this tenant's files, if there is one, or why it cannot be used, which stops nothing else."""
        indexes = self.dependencies.indexes(self.tenant)
        try:
            return indexes.current() if indexes is not None else None
        except StoreError as error:
            return error

    @property
    def indexes(self) -> Sequence[FileIndex] | StoreError:
        """The indexes of this tenant's files on all hosts, or why they cannot be used, which stops nothing else."""
        indexes = self.dependencies.indexes(self.tenant)
        try:
            own = indexes.current() if indexes is not None else None
            others = indexes.others() if indexes is not None else ()
        except StoreError as error:
            return error
        return [own, *others] if own is not None else list(others)

    def store_view(self) -> AbstractContextManager[View]:
        """What was said and remembered, without the files."""
        return self.store.view(self.tenant)

    @contextmanager
    def view(self, as_of: AsOf | None = None) -> Iterator[View]:
        """Everything there is, or was. Files are shown as they are now: they have no past here."""
        with self.view_with(self.indexes, as_of) as view:
            yield view

    @contextmanager
    def reading(self) -> Iterator[View]:
        """The same for somebody who only reads: a standby may answer, with all that was written or shown here."""
        with self.view_with(self.indexes, at_least=self.shown()) as view:
            yield view

    def shown(self, at_least: int | None = None) -> int | None:
        """The position that a reader must be shown, so that nothing goes back; None where only the present will do.

        It is what this process wrote or showed, and what the reader knows from another one. A process that knows
        nothing yet may be the second command of somebody who wrote with the first.
        """
        known = self.dependencies.positions.of(self.tenant) if self._has_standby else None
        return at_least if known is None else max(known, at_least or 0)

    def from_any(self, read: Callable[[int | None], T], at_least: int | None) -> T:
        """What `read` returns for a position; where the server that it asked is lost, from one that is there."""
        try:
            return read(at_least)
        except StoreUnavailable:
            if not self._has_standby:
                raise
            return read(self.shown(at_least or 0))

    @property
    def _has_standby(self) -> bool:
        abilities = self.store.abilities
        return abilities.standby_reads

    @contextmanager
    def view_with(
        self,
        indexes: Sequence[FileIndex] | StoreError,
        as_of: AsOf | None = None,
        at_least: int | None = None,
    ) -> Iterator[View]:
        """The same with indexes that were opened already, which saves a look at the disk."""
        with self.store.view(self.tenant, self.position_of(as_of), at_least) as view:
            there = self.dependencies.indexes(self.tenant)
            if there is None or not indexes or isinstance(indexes, StoreError):
                yield view
            else:
                with there.views(self.tenant, indexes) as files:
                    yield CompositeView(view, *files)

    def position_of(self, as_of: AsOf | None) -> int | None:
        """The position of the ledger that a time or the name of a tag stands for; None for the present."""
        if as_of is None:
            return None
        self.dependencies.require(self.tenant.agent, "as_of", self.store.abilities)
        if isinstance(as_of, str):
            return self.tagged(as_of).position
        return self.store.position_at(self.tenant, as_of) if isinstance(as_of, datetime) else as_of

    def tagged(self, name: str) -> Tag:
        """The tag of this name, if the ledger still has the seal it was given for."""
        self.dependencies.require(self.tenant.agent, "tags", self.store.abilities)
        wanted = checked_name(name)
        with self.store_view() as view:
            found = next((tag for tag in tags_in(view.state(TAGS), self.tenant.user) if tag.name == wanted), None)
            if found is None:
                raise NotFound(f"no tag {name!r}", hint="see `cortex admin tags`; or give a time or a ledger position")
            if seal_at(view, found.position) != found.seal:
                raise Conflict(
                    f"tag {name!r} does not belong to this ledger: position {found.position:,} has another seal",
                    hint="run `cortex admin verify`, then create the tag again",
                )
        return found

    def position(self) -> int:
        with self.store_view() as view:
            return view.position

    def space(self, view: View) -> EmbeddingSpace:
        """The embedding space, on the scale that holds in `view`."""
        space = self.dependencies.embedder.space
        return space.on(view.calibration(space)) if space.is_measured else space

    def apply(self, changes: Sequence[Change]) -> int:
        """Store these changes, all or none; gives the position afterwards."""
        return self.store.apply(self.tenant, changes, at=self.clock.now())

    def write_behind(self, changes: Sequence[Change] | Deferred) -> None:
        """Store these changes, or work them out and store them, after the answer was given."""
        store = self.dependencies.store(self.tenant.agent)
        self.dependencies.write_behind.add(store, self.tenant, changes, self.actor)

    def flush(self) -> None:
        """Wait until the receipts and counters of earlier calls are written."""
        self.dependencies.write_behind.flush(self.tenant.agent)

    def touching(self) -> TouchedIds:
        """Collects the ids for `record`."""
        return TouchedIds(self.settings.receipts.max_items)

    def record(self, op: str, began: float, touched: TouchedIds, **facts: Any) -> None:
        """A receipt for an operation that its caller interrupts, such as a stream, and that began then (monotonic)."""
        if self.settings.receipts.enabled and not self.dependencies.closed:
            now, tenant = self.clock.now(), self.tenant
            receipt = Receipt(
                id=ReceiptId(self.ids(now)), op=op, at=now, agent=tenant.agent, user=tenant.user,
                position=self.dependencies.positions.of(tenant) or 0,
                latency_ms=(self.clock.monotonic() - began) * 1000, facts=touched.facts() | facts,
            )  # fmt: skip
            self.dependencies.counters.count(receipt)
            self.write_behind([PutReceipt(receipt, None)])

    @contextmanager
    def recording(self, op: str, query: str | None = None) -> Iterator[ReceiptBuilder]:
        """A receipt for one operation; it is stored when the operation succeeds."""
        started, now = self.clock.monotonic(), self.clock.now()
        settings = self.settings.receipts
        touched, outer = TouchedIds(settings.max_items), _touched.get()
        id, before = ReceiptId(self.ids(now)), _cause.get()
        builder = ReceiptBuilder(id if settings.enabled else "", touched)
        _cause.set(builder.id)
        _touched.set(touched)
        try:
            yield builder
        except BaseException:
            self.dependencies.counters.fail(op)
            raise
        finally:
            _cause.set(before)
            _touched.set(outer)
        if outer is not None:
            outer.merge(touched)
        builder.receipt = Receipt(
            id=id,
            op=op,
            at=now,
            agent=self.tenant.agent,
            user=self.tenant.user,
            position=builder.position,
            latency_ms=(self.clock.monotonic() - started) * 1000,
            facts=touched.facts() | builder.facts,
        )
        self.dependencies.counters.count(builder.receipt)
        if settings.enabled:
            self.write_behind([PutReceipt(builder.receipt, query if settings.keep_queries else None)])

"""Dependencies and a tenant: what every service takes, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from cortex.composite_view import CompositeView
from cortex.dependencies import Dependencies
from cortex.domain.chat import Chat, shows_citations
from cortex.domain.identity import IdSource, ReceiptId
from cortex.domain.receipt import Receipt
from cortex.domain.scope import Tenant
from cortex.domain.vectors import EmbeddingSpace
from cortex.errors import StoreError
from cortex.ports.clock import Clock
from cortex.ports.index import FileIndex
from cortex.ports.store import Change, PutReceipt, Store, View
from cortex.settings import Settings


class ReceiptBuilder:
    """Collects what an operation reports. `receipt` is there once the operation has succeeded."""

    receipt: Receipt

    def __init__(self) -> None:
        self.position = 0
        self.facts: dict[str, Any] = {}

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

    def bind(self, *, agent: str | None = None, user: str | None = None) -> Context:
        """The same dependencies for another agent or user."""
        return Context(self.dependencies, Tenant(agent or self.tenant.agent, user or self.tenant.user), self.chat)

    def in_chat(self, chat: Chat) -> Context:
        """The memory that this owner's agent uses in a chat."""
        rules = self.settings.chats
        tenant = chat.tenant(self.tenant, per_sender=rules.per_sender, personal_in_groups=rules.personal_in_groups)
        return Context(self.dependencies, tenant, chat)

    def cites(self, session: str | None = None) -> bool:
        """Whether sources are cited here (B11)."""
        return shows_citations(self.settings.files.citations, session, self.chat)

    @property
    def settings(self) -> Settings:
        return self.dependencies.settings

    @property
    def clock(self) -> Clock:
        return self.dependencies.clock

    @property
    def ids(self) -> IdSource:
        return self.dependencies.ids

    @property
    def store(self) -> Store:
        """The agent's store, opened on first use."""
        return self.dependencies.store(self.tenant.agent)

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
    def index(self) -> FileIndex | StoreError | None:
        """The index of this tenant's files, if there is one, or why it cannot be used, which stops nothing else."""
        indexes = self.dependencies.indexes(self.tenant)
        try:
            return indexes.current() if indexes is not None else None
        except StoreError as error:
            return error

    def store_view(self) -> AbstractContextManager[View]:
        """What was said and remembered, without the files."""
        return self.store.view(self.tenant)

    @contextmanager
    def view(self, as_of: datetime | int | None = None) -> Iterator[View]:
        """Everything there is, or was. Files are shown as they are now: they have no past here."""
        with self.view_with(self.index, as_of) as view:
            yield view

    @contextmanager
    def view_with(self, index: FileIndex | StoreError | None, as_of: datetime | int | None) -> Iterator[View]:
        """The same with an index that was opened already, which saves a look at the disk."""
        position = self.store.position_at(as_of) if isinstance(as_of, datetime) else as_of
        with self.store.view(self.tenant, position) as view:
            if index is None or isinstance(index, StoreError):
                yield view
            else:
                with index.view(self.tenant) as files:
                    yield CompositeView(view, files)

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

    def write_behind(self, changes: Sequence[Change]) -> None:
        """Store these changes after the answer was given."""
        self.dependencies.write_behind.add(self.store, self.tenant, changes)

    def flush(self) -> None:
        """Wait until the receipts and counters of earlier calls are written."""
        self.dependencies.write_behind.flush()

    @contextmanager
    def recording(self, op: str, query: str | None = None) -> Iterator[ReceiptBuilder]:
        """A receipt for one operation; it is stored when the operation succeeds."""
        started, now = self.clock.monotonic(), self.clock.now()
        builder = ReceiptBuilder()
        yield builder
        builder.receipt = Receipt(
            id=ReceiptId(self.ids(now)),
            op=op,
            at=now,
            agent=self.tenant.agent,
            user=self.tenant.user,
            position=builder.position,
            latency_ms=(self.clock.monotonic() - started) * 1000,
            facts=builder.facts,
        )
        settings = self.settings.receipts
        if settings.enabled:
            self.write_behind([PutReceipt(builder.receipt, query if settings.keep_queries else None)])

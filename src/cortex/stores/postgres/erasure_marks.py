"""What this host knows of the erasures in a memory on a server, kept under its home (decision 0057).

The log of erasures is in the schema. Restoring an older state of the server brings back what was erased since,
and takes away the log of it. So each host keeps a copy without any text, and compares.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from cortex.domain.erasure import Erasure
from cortex.domain.scope import Tenant
from cortex.errors import EngineError, StoreCorrupt
from cortex.ports.documents import Bodies
from cortex.ports.store import Erase
from cortex.stores.file_documents import FileDocuments
from cortex.stores.postgres import erasure
from cortex.stores.postgres.connection import Connection, PgConnection
from cortex.stores.postgres.connections import Connections
from cortex.stores.postgres.row_security import EVERYONE
from cortex.stores.postgres.writer import Names, PgWriter
from cortex.stores.relational import residue
from cortex.stores.relational.codec import pack_time, unpack_time
from cortex.stores.relational.ledger import head_of

log = logging.getLogger("cortex")

FOLDER = "erasures"
RESTORED = "the server was restored to a state before it"


class ErasureMarks:
    """The erasures of one memory, which has an `identity` that a backup of the server keeps."""

    def __init__(self, home: Path, agent: str, identity: str) -> None:
        self._folder = home / FOLDER
        self._agent = agent
        self._name = f"{agent}.{identity}.json"
        self._documents = FileDocuments(self._folder)
        self._read: tuple[object, Mapping[str, Erasure]] = None, {}

    def all(self) -> Mapping[str, Erasure]:
        """All of them, by id; the file is read again when it has changed."""
        version = self._documents.version(self._name)
        if self._read[0] != version:
            found = self._documents.read(self._name)
            self._read = version, self._parsed(self._name, found.body if found else None)
        return self._read[1]

    def keep(self, erasures: Iterable[Erasure]) -> None:
        """Keep these in the place of what was known of them, without what they say."""
        fresh = {each.id: replace(each, texts=(), cached=()) for each in erasures}
        if any(self.all().get(id) != each for id, each in fresh.items()):
            self._change(lambda known: {**known, **fresh})

    def withdraw(self, id: str) -> None:
        """Drop one of which nothing was done."""
        if id in self.all():
            self._change(lambda known: {other: each for other, each in known.items() if other != id})

    def of_others(self) -> Mapping[str, Erasure]:
        """What was erased in other memories that this agent has or had on a server."""
        named = re.compile(rf"{re.escape(self._agent)}\.[0-9a-f]{{32}}\.json")
        files = [path.name for path in self._folder.glob("*.json") if named.fullmatch(path.name)]
        known: dict[str, Erasure] = {}
        for name in sorted({*files} - {self._name}):
            found = self._documents.read(name)
            known |= self._parsed(name, found.body if found else None)
        return known

    def _change(self, edit: Callable[[Mapping[str, Erasure]], Mapping[str, Erasure]]) -> None:
        def written(bodies: Bodies) -> None:
            known = edit(self._parsed(self._name, bodies[self._name]))
            bodies[self._name] = json.dumps([each.to_json() for each in known.values()]).encode()

        self._documents.change([self._name], written)

    def _parsed(self, name: str, body: bytes | None) -> dict[str, Erasure]:
        try:
            found = [Erasure.from_json(each) for each in json.loads(body or b"[]")]
        except (ValueError, KeyError, TypeError) as error:
            hint = "move it away; what it names is then no longer kept out of a restored server"
            raise StoreCorrupt(f"{self._folder / name} cannot be read: {error}", hint=hint) from error
        return {each.id: each for each in found}


class ErasureGuard:
    """Keeps out of a memory what was erased of it, where the server is restored to a state before that."""

    def __init__(self, connections: Connections, marks: ErasureMarks, lock: str) -> None:
        self._connections = connections
        self._marks = marks
        self._lock = lock
        self._is_erasing = False
        self._left: list[Erasure] = []

    @contextmanager
    def erasing(self) -> Iterator[None]:
        """While this process has the right to erase, whose lock would be waited for in vain."""
        self._is_erasing = True
        try:
            yield
        finally:
            self._is_erasing = False

    def brought_back(self) -> list[Erasure]:
        """What could not be erased again, as pending."""
        return [replace(each, finished=False, reason=each.reason or RESTORED) for each in self._left]

    def follow(self) -> None:
        """Learn what other hosts have erased, and keep out what has come back."""
        try:
            with self._connections.reading(EVERYONE) as connection:
                marks, known = self._marks.all(), erasure.known_ids(connection)
                # One that is pending may still be withdrawn by its host, which has it.
                fresh = [id for id, is_finished in known.items()
                         if is_finished and not (id in marks and marks[id].finished)]  # fmt: skip
                self._marks.keep(erasure.with_ids(connection, fresh))
        except EngineError as error:
            log.warning("this host does not know all that was erased: %s", error.message)
        with self._connections.alone() as raw:
            self.keep_out(raw)

    def keep_out(self, raw: Connection) -> None:
        """Erase again on this connection what this host knows to be erased and the server does not."""
        try:
            if not self._marks.all():
                return
            with self._connections.on(raw, EVERYONE) as connection:
                self._left = self._missing(connection)
            if not self._left or self._is_erasing:
                return
            with self._connections.on(raw, EVERYONE) as connection:
                # The eraser holds the lock, so that nothing is taken for lost that is just being withdrawn.
                connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", (self._lock,))
                again = self._missing(connection)
                _carry_out(connection, again)
            self._left = []
            log.warning("%s was restored: %d erasures carried out again", self._connections.target, len(again))
        except EngineError as error:
            log.warning("what was erased may be back in %s: %s", self._connections.target, error.message)
            self._left = self._left or [erasure.unread(FOLDER, error.message)]

    def keep_out_of_others(self) -> int:
        """Erase what was erased in other memories of the agent, if it is here; gives how many traces went."""
        with self._connections.reading(EVERYONE) as connection:
            known, others = erasure.known_ids(connection), self._marks.of_others()
            here = [each for id, each in others.items()
                    if id not in known and residue.texts_of(connection, each.user, each.ids)]  # fmt: skip
            before = _traces(connection)
        self._marks.keep(here)
        self.follow()
        with self._connections.reading(EVERYONE) as connection:
            return before - _traces(connection)

    def _missing(self, connection: PgConnection) -> list[Erasure]:
        known = erasure.known_ids(connection)
        return [each for id, each in self._marks.all().items() if id not in known]


def _traces(connection: PgConnection) -> int:
    found: int = connection.execute("SELECT count(*) FROM traces").fetchone()[0]
    return found


def _carry_out(connection: PgConnection, missing: Iterable[Erasure]) -> None:
    """Erase again what a restored server has brought back; where it says something, that is then looked for."""
    for each in sorted(missing, key=lambda each: (each.at, each.id)):
        texts = tuple(residue.texts_of(connection, each.user, each.ids))
        again = replace(each, texts=texts, rewritten=False, reason=RESTORED, finished=False) if texts else each
        erasure.record(connection, again)
        last = head_of(connection, residue.owner_of(connection, each.user)).at or 0
        at = unpack_time(max(last, pack_time(each.at)))
        PgWriter(connection, Names(), Tenant(user=each.user), at, actor="store").apply([Erase(again, loosely=True)])

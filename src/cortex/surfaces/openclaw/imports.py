"""What OpenClaw remembers already, and how it comes into Cortex: notes, sessions, and the table of memory-lancedb."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from cortex.errors import EngineError
from cortex.exchange.formats.memory_lancedb import FORMAT, TABLE
from cortex.exchange.formats.openclaw import is_personal, read_sessions, session_name
from cortex.exchange.import_format import Account
from cortex.exchange.import_source import ImportSource
from cortex.progress import Progress, silent
from cortex.surfaces.openclaw.host import HostConfig, OpenClaw, expanded
from cortex.workspace.sources import Shape
from cortex.workspace.transcript_rows import messages_of

if TYPE_CHECKING:
    from cortex.memory import Cortex

_AT_ONCE = 4_000
"""How many messages of a session are handed over together."""


class Import(Protocol):
    """Something that can be imported for one agent."""

    @property
    def agent(self) -> str:
        """The agent of the host."""
        ...

    @property
    def kind(self) -> str: ...

    @property
    def about(self) -> str:
        """What it is, and how much."""
        ...

    def run(self, engine: Cortex, progress: Progress = silent) -> tuple[str, list[str]]:
        """Import it; what was done, and the receipts."""
        ...


def agent_name(id: str) -> str:
    """The agent of Cortex that an agent of OpenClaw uses; the plugin makes the same name."""
    name = re.sub(r"[^a-z0-9._-]", "-", id.lower())
    return re.sub(r"^[._-]+", "", name)[:64] or "main"


def found(host: OpenClaw, config: HostConfig, problems: list[tuple[str, str]]) -> Iterator[Import]:
    """What there is to import. What cannot be read is added to `problems`, each with its fix."""
    agents = host.agents(config.content)
    for agent, workspace in agents.items():
        if number := _count_notes(workspace):
            yield NotesImport(agent, workspace, number)
    for agent in agents:
        database = host.sessions(agent, config.content)
        if database.is_file():
            try:
                if (sessions := SessionsImport.of(agent, host, database)).number:
                    yield sessions
            except EngineError as error:
                problems.append((error.message, error.hint))
    try:
        yield from LanceImport.all(host, config)
    except EngineError as error:
        problems.append((error.message, error.hint))


def _several(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


# --- notes ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NotesImport:
    """MEMORY.md and the daily notes of a workspace."""

    agent: str
    workspace: Path
    number: int
    kind: str = "notes"

    @property
    def about(self) -> str:
        return f"{_several(self.number, 'note')} of agent {self.agent} in {self.workspace}"

    def run(self, engine: Cortex, progress: Progress = silent) -> tuple[str, list[str]]:
        engine.files.add(str(self.workspace), shape=Shape.WORKSPACE)
        done = engine.index(progress=progress)
        return f"{_several(done.synced.seen, 'note')} indexed", [done.receipt.id]


def _count_notes(workspace: Path) -> int:
    from cortex.surfaces.cli.host_detection import Notes

    return Notes(workspace, Shape.WORKSPACE).count() if workspace.is_dir() else 0


# --- sessions ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SessionsImport:
    """The conversations of an agent with its owner."""

    agent: str
    node: Path | None
    database: Path
    number: int
    messages: int
    others: int
    """The sessions of groups, schedules and other agents, which are left out."""
    kind: str = "sessions"

    @classmethod
    def of(cls, agent: str, host: OpenClaw, database: Path) -> SessionsImport:
        """Count the sessions in a database."""
        counts: Counter[str] = Counter()
        for session in read_sessions(database, count=True):
            counts["number" if is_personal(session) else "others"] += 1
            counts["messages"] += session["messages"] if is_personal(session) else 0
        return cls(agent, host.node()[0], database, counts["number"], counts["messages"], counts["others"])

    @property
    def about(self) -> str:
        others = f"; {self.others:,} of groups and programs stay out" if self.others else ""
        messages = _several(self.messages, "message")
        return f"{_several(self.number, 'session')} of agent {self.agent} with {messages}{others}"

    def run(self, engine: Cortex, progress: Progress = silent) -> tuple[str, list[str]]:
        if engine.settings.chats.per_sender:
            raise EngineError(
                "the sessions may have several senders, and chats.per_sender wants a memory for each",
                hint="import them with chats.per_sender off, or leave them out",
            )
        stored, receipts = 0, list[str]()
        for number, session in enumerate(filter(is_personal, read_sessions(self.database, self.node))):
            progress(number, self.number, session["key"])
            messages = messages_of(session["events"])
            for start in range(0, len(messages), _AT_ONCE):
                done = engine.ingest(
                    messages[start : start + _AT_ONCE],
                    session=session_name(session),
                    debounce=False,
                    follows=start if len(messages) > _AT_ONCE else None,
                )
                stored += int(done.receipt.facts["stored"])
                receipts.append(done.receipt.id)
        return f"{_several(stored, 'turn')} stored of {_several(self.number, 'session')}", receipts


# --- memory-lancedb ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LanceImport:
    """The memories of one agent in the table of memory-lancedb."""

    agent: str
    place: Path
    number: int
    is_owned: bool = True
    """Whether its rows name the agent."""
    kind: str = FORMAT.name

    @property
    def about(self) -> str:
        return f"{self.number:,} memories of agent {self.agent} in {self.place}"

    @classmethod
    def all(cls, host: OpenClaw, config: HostConfig) -> list[LanceImport]:
        """One import for each agent that has rows."""
        place = _lance_folder(host, config)
        if not (place / f"{TABLE}.lance").is_dir():
            return []
        default = next(iter(host.agents(config.content)))
        with ImportSource(place) as source:
            owners: Sequence[Account | None] = FORMAT.accounts(source) or [None]  # older tables name no agent
            counts = {owner: sum(1 for _ in FORMAT.read(source, owner)) for owner in owners}
        return [cls(owner.id if owner else default, place, counts[owner], owner is not None) for owner in counts]

    def run(self, engine: Cortex, progress: Progress = silent) -> tuple[str, list[str]]:
        owner = self.agent if self.is_owned else None
        done = engine.import_from(self.place, format=FORMAT.name, account=owner, extract=False, progress=progress)
        facts = done.receipt.facts
        unusable = done.preview.memories - facts["memories"] - facts["known"]
        about = f"{facts['memories']:,} memories imported, {facts['known']:,} known already, {unusable:,} unusable"
        return about, [done.receipt.id]


def _lance_folder(host: OpenClaw, config: HostConfig) -> Path:
    given = config.at("plugins", "entries", "memory-lancedb", "config", "dbPath")
    return expanded(given) or host.state / "memory" / "lancedb"

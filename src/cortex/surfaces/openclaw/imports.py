"""What OpenClaw remembers already, and how it comes into Cortex: notes, sessions, and the table of memory-lancedb."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from cortex.errors import EngineError, ProviderMissing
from cortex.kinds import Kind
from cortex.progress import Progress, silent
from cortex.surfaces.openclaw.host import HostConfig, OpenClaw, expanded
from cortex.workspace.sources import Shape
from cortex.workspace.transcript_rows import messages_of

if TYPE_CHECKING:
    from cortex.memory import Cortex

_AT_ONCE = 4_000
"""How many messages of a session are handed over together."""
_NOT_PERSONAL = frozenset(("group", "channel", "thread", "topic", "cron", "hook", "subagent", "acp"))
"""Sessions with one of these in their key are not the owner's own conversations."""
_TABLE = "memories"
_READER = Path(__file__).parent / "read_sessions.mjs"


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
    node: Path
    database: Path
    number: int
    messages: int
    others: int
    """The sessions of groups, schedules and other agents, which are left out."""
    kind: str = "sessions"

    @classmethod
    def of(cls, agent: str, host: OpenClaw, database: Path) -> SessionsImport:
        """Count the sessions in a database."""
        node, _ = host.node()
        if node is None:
            raise EngineError(f"{database} cannot be read without Node", hint="install Node, then run it again")
        counts: Counter[str] = Counter()
        for session in _sessions(node, database, "--count"):
            is_personal = _is_personal(session)
            counts["number" if is_personal else "others"] += 1
            counts["messages"] += session["messages"] if is_personal else 0
        return cls(agent, node, database, counts["number"], counts["messages"], counts["others"])

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
        for number, session in enumerate(filter(_is_personal, _sessions(self.node, self.database))):
            progress(number, self.number, session["key"])
            # The plugin names a session by its key: what it captures later is known to be the same.
            name = session["key"] if session["isCurrent"] else session["id"]
            messages = messages_of(session["events"])
            for start in range(0, len(messages), _AT_ONCE):
                done = engine.ingest(
                    messages[start : start + _AT_ONCE],
                    session=name,
                    debounce=False,
                    follows=start if len(messages) > _AT_ONCE else None,
                )
                stored += int(done.receipt.facts["stored"])
                receipts.append(done.receipt.id)
        return f"{_several(stored, 'turn')} stored of {_several(self.number, 'session')}", receipts


def _is_personal(session: Mapping[str, Any]) -> bool:
    return session["chat"] not in ("group", "channel") and _NOT_PERSONAL.isdisjoint(str(session["key"]).split(":"))


def _sessions(node: Path, database: Path, *options: str) -> Iterator[dict[str, Any]]:
    """The sessions in a database of the host; its own Node reads them."""
    command = [str(node), "--no-warnings", str(_READER), str(database), *options]
    try:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as reader:
            assert reader.stdout is not None
            for line in reader.stdout:
                yield json.loads(line)
    except (OSError, ValueError) as error:
        raise EngineError(f"{database} cannot be read: {type(error).__name__}", hint="run `openclaw doctor`") from error
    if reader.returncode:
        raise EngineError(
            f"{database} cannot be read by this Cortex",
            hint="run `openclaw doctor --fix`, or `pip install --upgrade memory-cortex`",
        )


# --- memory-lancedb ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LanceImport:
    """The memories of one agent in the table of memory-lancedb."""

    agent: str
    place: Path
    rows: tuple[dict[str, Any], ...]
    kind: str = "memory-lancedb"

    @property
    def about(self) -> str:
        return f"{len(self.rows):,} memories of agent {self.agent} in {self.place}"

    @classmethod
    def all(cls, host: OpenClaw, config: HostConfig) -> list[LanceImport]:
        """One import for each agent that has rows."""
        place = _lance_folder(host, config)
        if not (place / f"{_TABLE}.lance").is_dir():
            return []
        if importlib.util.find_spec("lancedb") is None:
            raise ProviderMissing(
                f"{place} holds memories of memory-lancedb, and the package lancedb is not installed",
                hint="run `pip install lancedb`, then `cortex hosts install openclaw` again",
            )
        default = next(iter(host.agents(config.content)))
        owned: dict[str, list[dict[str, Any]]] = {}
        for row in _rows(place):
            owned.setdefault(str(row.get("agentId") or row.get("agent_id") or default), []).append(row)
        return [cls(agent, place, tuple(rows)) for agent, rows in owned.items()]

    def run(self, engine: Cortex, progress: Progress = silent) -> tuple[str, list[str]]:
        lines = [json.dumps(_memory(row), ensure_ascii=False) for row in self.rows]
        done = engine.import_(lines, skip_bad=True, progress=progress)
        facts = done.receipt.facts
        skipped = sum(facts["duplicates"].values())
        about = f"{facts['memories']:,} memories imported, {skipped:,} known already, {facts['bad']:,} unusable"
        return about, [done.receipt.id]


def _lance_folder(host: OpenClaw, config: HostConfig) -> Path:
    given = config.at("plugins", "entries", "memory-lancedb", "config", "dbPath")
    return expanded(given) or host.state / "memory" / "lancedb"


def _rows(place: Path) -> list[dict[str, Any]]:
    lancedb: Any = importlib.import_module("lancedb")
    try:
        table = lancedb.connect(str(place)).open_table(_TABLE)
        columns = [name for name in table.schema.names if name != "vector"]
        rows: list[dict[str, Any]] = table.search().select(columns).limit(table.count_rows()).to_list()
    except Exception as error:  # whatever the library raises for a damaged or foreign table
        raise EngineError(f"{place} cannot be read: {type(error).__name__}", hint="see `openclaw ltm stats`") from error
    return [row for row in rows if row.get("id") != "__schema__"]


def _memory(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as a line of an export."""
    importance, created = row.get("importance"), row.get("createdAt")
    kind = str(row.get("category") or "")
    memory = {
        "type": "memory",
        "id": row.get("id"),
        "text": row.get("text"),
        "kind": kind if kind in set(Kind) else Kind.OTHER.value,
        "source_ref": "memory-lancedb",
        "created_at": _time(created),
    }
    if isinstance(importance, int | float) and 0 <= importance <= 1:
        memory["importance"] = float(importance)
    return {name: value for name, value in memory.items() if value is not None}


def _time(milliseconds: Any) -> str | None:
    try:
        return datetime.fromtimestamp(float(milliseconds) / 1000, UTC).isoformat()
    except (TypeError, ValueError, OverflowError, OSError):
        return None

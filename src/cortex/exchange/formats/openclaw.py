"""OpenClaw: its state folder with the sessions of its agents, or the workspace of one of them."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from cortex.errors import EngineError
from cortex.exchange.import_format import Account, ForeignConversation, ImportFormat, ImportItem, NotesFolder
from cortex.exchange.import_source import ImportSource

_DATABASE = r"agents/[^/]+/agent/openclaw-agent\.sqlite"
_TRANSCRIPT = r"agents/[^/]+/sessions/[^/]+\.jsonl"
"""Where older releases keep sessions."""
_AGENT = re.compile(r"(?:.*/)?agents/([^/]+)/(?:agent|sessions)/")
_NOTES = re.compile(r"(?:(.*)/)?(?:MEMORY\.md|memory/[^/]+\.md)")
_WORKSPACE = re.compile(r"(?:AGENTS|SOUL|IDENTITY|USER)\.md")
_DEFAULT = "main"
_NOT_PERSONAL = frozenset(("group", "channel", "thread", "topic", "cron", "hook", "subagent", "acp"))
"""Sessions with one of these in their key are not the owner's own conversations."""
_READER = Path(__file__).parent.parent / "read_openclaw_sessions.mjs"
_UPGRADE = "run `openclaw doctor --fix`, or `pip install --upgrade memory-cortex`"

_SESSIONS = """
SELECT w.session_id AS id, w.session_key AS key, w.chat_type AS chat, w.session_id = n.current_session_id AS isCurrent,
       (SELECT count(*) FROM session_transcript_active_events a
        WHERE a.session_id = w.session_id AND a.message_position IS NOT NULL) AS messages
FROM session_windows w LEFT JOIN session_nodes n ON n.session_key = w.session_key
ORDER BY w.created_at, w.session_id
"""
_EVENTS = """
SELECT e.event_json FROM session_transcript_active_events a
JOIN transcript_events e ON e.session_id = a.session_id AND e.seq = a.event_seq
WHERE a.session_id = ? AND a.message_position IS NOT NULL ORDER BY a.active_position
"""
_PACKED = "SELECT 1 FROM transcript_events WHERE event_json IS NULL LIMIT 1"


def _detect(source: ImportSource) -> bool:
    if source.find(_DATABASE) or source.find(_TRANSCRIPT):
        return True
    return source.is_folder and bool(_workspaces(source)) and any(map(_WORKSPACE.fullmatch, source.names))


def _accounts(source: ImportSource) -> list[Account]:
    found = (_AGENT.match(name) for name in (*source.find(_DATABASE), *source.find(_TRANSCRIPT)))
    return [Account(agent[1]) for agent in found if agent]


def _read(source: ImportSource, account: Account | None) -> Iterator[ImportItem]:
    def is_wanted(name: str) -> bool:
        agent = _AGENT.match(name)
        return account is None or (agent is not None and agent[1] == account.id)

    for name in filter(is_wanted, source.find(_DATABASE)):
        for session in read_sessions(source.local(name)):
            if is_personal(session):
                yield ForeignConversation(
                    session=session_name(session), title=session["key"], messages=session["events"]
                )
            else:
                source.skipped["session of a group or a program"] += 1
    for name in filter(is_wanted, source.find(_TRANSCRIPT)):
        key = _keys(source, name).get(Path(name).stem, "")
        if is_personal({"key": key, "chat": ""}):
            yield ForeignConversation(session=Path(name).stem, title=key, messages=source.rows(name))
        else:
            source.skipped["session of a group or a program"] += 1
    for folder, number in _workspaces(source).items():
        if folder in ("", *_workspace_names(account)):
            yield NotesFolder(source.path / folder, number)


def _workspace_names(account: Account | None) -> tuple[str, ...]:
    """How the state folder names the workspace of an agent."""
    agent = account.id if account else _DEFAULT
    return (f"workspace-{agent}", "workspace") if agent == _DEFAULT else (f"workspace-{agent}",)


def _workspaces(source: ImportSource) -> dict[str, int]:
    """The folders with notes of an agent, and how many each has."""
    found: dict[str, int] = {}
    for note in filter(None, map(_NOTES.fullmatch, source.names if source.is_folder else ())):
        folder = note[1] or ""
        found[folder] = found.get(folder, 0) + 1
    return found


def _keys(source: ImportSource, name: str) -> dict[str, str]:
    """The key of each session, by its id."""
    index = f"{name.rpartition('/')[0]}/sessions.json"
    entries: Any = next(source.items(index), {}) if index in source.names else {}
    sessions = entries.items() if isinstance(entries, dict) else ()
    return {str(entry.get("sessionId")): key for key, entry in sessions if isinstance(entry, dict)}


# --- sessions, which `cortex hosts install openclaw` imports too ----------------------------------------------------


def is_personal(session: Mapping[str, Any]) -> bool:
    """Whether a session is between the agent and its owner."""
    return session["chat"] not in ("group", "channel") and _NOT_PERSONAL.isdisjoint(str(session["key"]).split(":"))


def session_name(session: Mapping[str, Any]) -> str:
    """The session it becomes. The plugin names a session by its key: what it captures later is then the same."""
    return str(session["key"] if session["isCurrent"] else session["id"])


def read_sessions(database: Path, node: Path | None = None, *, count: bool = False) -> Iterator[dict[str, Any]]:
    """The sessions in a database of OpenClaw with their events, or with `count` alone how many there are.

    Long events are compressed with Zstandard, which only Node can read everywhere.
    """
    try:
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as opened:
            if count or opened.execute(_PACKED).fetchone() is None:
                yield from _by_python(opened, count=count)
                return
    except (sqlite3.Error, ValueError) as error:
        raise EngineError(f"{database} cannot be read by this Cortex: {error}", hint=_UPGRADE) from error
    yield from _by_node(database, node or _found_node(database))


def _by_python(opened: sqlite3.Connection, *, count: bool) -> Iterator[dict[str, Any]]:
    sessions = opened.execute(_SESSIONS)
    names = [column[0] for column in sessions.description]
    for row in sessions:
        session = dict(zip(names, row, strict=True))
        events = () if count else opened.execute(_EVENTS, (session["id"],))
        yield session | {"events": [json.loads(event) for (event,) in events]}


def _found_node(database: Path) -> Path:
    if (found := shutil.which("node")) is None:
        raise EngineError(f"{database} cannot be read without Node", hint="install Node 24, then import again")
    return Path(found)


def _by_node(database: Path, node: Path) -> Iterator[dict[str, Any]]:
    command = [str(node), "--no-warnings", str(_READER), str(database)]
    try:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as reader:
            assert reader.stdout is not None
            for line in reader.stdout:
                yield json.loads(line)
    except (OSError, ValueError) as error:
        raise EngineError(f"{database} cannot be read: {type(error).__name__}", hint="run `openclaw doctor`") from error
    if reader.returncode:
        raise EngineError(f"{database} cannot be read by this Cortex", hint=f"install Node 24, or {_UPGRADE}")


FORMAT = ImportFormat(
    name="openclaw",
    title="OpenClaw",
    about=(
        "`~/.openclaw`: the sessions of an agent with its owner, and its workspace; or a workspace "
        "alone. Notes are indexed where they are."
    ),
    detect=_detect,
    read=_read,
    accounts=_accounts,
)

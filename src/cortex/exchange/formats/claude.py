"""Claude: the data export of claude.ai, as a zip or a folder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from cortex.exchange.import_format import Account, ForeignConversation, ForeignMemory, ImportFormat, ImportItem, time_of
from cortex.exchange.import_source import ImportSource

_CONVERSATIONS = r"conversations(?:[-_]\d+)?\.json|conversations/[^/]+\.json"
_PROJECTS = r"projects\.json|projects/[^/]+\.json"
_MEMORIES = r"memories\.json|memories/[^/]+\.json"
_HEADING = re.compile(r"(?:#+ (.*)|\*\*([^*]+)\*\*)")


def _detect(source: ImportSource) -> bool:
    if source.find(r"users\.json") and source.find(_CONVERSATIONS):
        return True
    return any('"chat_messages"' in source.head(name) for name in source.find(_CONVERSATIONS)[:1])


def _accounts(source: ImportSource) -> list[Account]:
    found = [user for name in source.find(r"users\.json") for user in source.items(name) if isinstance(user, dict)]
    return [Account(str(user["uuid"]), _name(user)) for user in found if user.get("uuid")]


def _name(user: Mapping[str, Any]) -> str:
    name, address = user.get("full_name") or "", user.get("email_address") or ""
    return f"{name} <{address}>".strip() if address else name


def _read(source: ImportSource, account: Account | None) -> Iterator[ImportItem]:
    for name in source.find(_CONVERSATIONS):
        for given in source.items(name):
            if not isinstance(given, dict) or not isinstance(given.get("chat_messages"), list):
                source.skipped["entry that is no conversation"] += 1
            elif _is_of(given.get("account"), "uuid", account):
                yield _conversation(given, source)
            else:
                source.skipped["conversation of another account"] += 1
    projects: dict[str, str] = {}
    for name in source.find(_PROJECTS):
        for given in source.items(name):
            if isinstance(given, dict):
                projects[str(given.get("uuid"))] = str(given.get("name") or "")
                yield from _project(given, source)
    for name in source.find(_MEMORIES):
        for given in source.items(name):
            if isinstance(given, dict) and _is_of(given, "account_uuid", account):
                yield from _memories(given, projects, source, name)
            else:
                source.skipped["memory of another account"] += 1


def _is_of(given: object, key: str, account: Account | None) -> bool:
    """Whether this is the account's; what names none is."""
    owner = given.get(key) if isinstance(given, dict) else None
    return account is None or owner in (None, account.id)


def _conversation(given: Mapping[str, Any], source: ImportSource) -> ForeignConversation:
    messages = [_message(each, source) for each in given["chat_messages"] if isinstance(each, dict)]
    return ForeignConversation(
        session=f"claude:{given.get('uuid')}",
        title=str(given.get("name") or ""),
        at=time_of(given.get("created_at")),
        messages=messages,
    )


def _message(given: Mapping[str, Any], source: ImportSource) -> dict[str, Any]:
    source.skipped["attachment"] += len(given.get("attachments") or ()) + len(given.get("files") or ())
    content = given.get("content")
    parts = content if isinstance(content, list) else []
    # Older exports have the text alone; newer ones have it in parts too, among tools and thinking.
    has_text = any(isinstance(part, dict) and str(part.get("text") or "").strip() for part in parts)
    return {
        "role": given.get("sender"),
        "content": parts if has_text else given.get("text"),
        "timestamp": given.get("created_at"),
    }


def _project(given: Mapping[str, Any], source: ImportSource) -> Iterator[ForeignMemory]:
    source.skipped["project document"] += len(given.get("docs") or ())
    name, at = str(given.get("name") or ""), time_of(given.get("created_at"))
    for key in ("description", "prompt_template"):
        if isinstance(text := given.get(key), str) and text.strip():
            said = f"{name}: {text.strip()}" if key == "description" else text.strip()
            yield ForeignMemory(text=said, at=at, topic=name, ref=f"{given.get('uuid')}/{key}")


def _memories(
    given: Mapping[str, Any], projects: Mapping[str, str], source: ImportSource, name: str
) -> Iterator[ForeignMemory]:
    """What Claude remembers: a text of several paragraphs, and one for each project."""
    at = source.modified(name)
    texts: dict[str, Any] = {"": given.get("conversations_memory")}
    of_projects = given.get("project_memories")
    texts |= of_projects if isinstance(of_projects, dict) else {}
    for project, text in texts.items():
        topic = projects.get(project, "")
        for paragraph in re.split(r"\n\s*\n", text) if isinstance(text, str) else ():
            lines = [line for line in paragraph.strip().splitlines() if line.strip()]
            if lines and (heading := _HEADING.fullmatch(lines[0].strip())):
                topic, lines = (heading[1] or heading[2]).strip(), lines[1:]
            if lines:
                yield ForeignMemory(text="\n".join(lines), at=at, topic=topic, ref=project)


FORMAT = ImportFormat(
    name="claude",
    title="Claude export",
    about="The zip or its folder: conversations, what Claude remembers, and the descriptions of projects.",
    detect=_detect,
    read=_read,
    accounts=_accounts,
)

"""ChatGPT: the data export, as a zip, a folder or its `conversations.json`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cortex.exchange.import_format import Account, ForeignConversation, ForeignMemory, ImportFormat, ImportItem, time_of
from cortex.exchange.import_source import ImportSource

_CONVERSATIONS = r"conversations(?:[-_]\d+)?\.json"
_MEMORIES = r"memor(?:y|ies)\.json"
_NO_TURNS = {
    "thoughts": "thinking",
    "reasoning_recap": "thinking",
    "code": "tool call",
    "user_editable_context": "custom instructions",
    "model_editable_context": "saved memories shown to the model",
}
_BIO = "bio"
"""The tool by which ChatGPT saves a memory."""


def _detect(source: ImportSource) -> bool:
    return any('"mapping"' in source.head(name) for name in source.find(_CONVERSATIONS)[:1])


def _accounts(source: ImportSource) -> list[Account]:
    found = (user for name in source.find(r"user\.json") for user in source.items(name) if isinstance(user, dict))
    return [Account(str(user["id"]), str(user.get("email") or "")) for user in found if user.get("id")]


def _read(source: ImportSource, _: Account | None) -> Iterator[ImportItem]:
    for name in source.find(_CONVERSATIONS):
        for given in source.items(name):
            if isinstance(given, dict) and isinstance(given.get("mapping"), dict):
                yield from _conversation(given, source)
            else:
                source.skipped["entry that is no conversation"] += 1
    for name in source.find(_MEMORIES):
        yield from _memories(source, name)


def _conversation(given: Mapping[str, Any], source: ImportSource) -> Iterator[ImportItem]:
    at, title = time_of(given.get("create_time")), str(given.get("title") or "")
    id = str(given.get("conversation_id") or given.get("id") or _digest(f"{title}{given.get('create_time')}"))
    messages: list[object] = []
    for message in _branch(given):
        author, content = _mapping(message.get("author")), _mapping(message.get("content"))
        role, text = str(author.get("role") or ""), _text(content, source)
        if role == "assistant" and message.get("recipient") == _BIO:
            if text:
                yield ForeignMemory(text=text, at=time_of(message.get("create_time")) or at, ref=str(message.get("id")))
        elif reason := _skip_reason(message, role, content):
            source.skipped[reason] += 1
        else:
            time = message.get("create_time") or None
            messages.append({"role": role, "content": text, "timestamp": time, "name": author.get("name")})
    yield ForeignConversation(session=f"chatgpt:{id}", title=title, at=at, messages=messages)


def _branch(given: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The messages on the way to the current one: what was edited or generated anew has other branches."""
    nodes: Mapping[Any, Any] = given["mapping"]
    at = given.get("current_node")
    if at not in nodes:  # older exports name none: the newest end is the current one
        ends = [id for id, node in nodes.items() if not _mapping(node).get("children")]
        at = max(
            ends, key=lambda id: _mapping(_mapping(nodes[id]).get("message")).get("create_time") or 0, default=None
        )
    found: dict[Any, Mapping[str, Any]] = {}
    while at in nodes and at not in found:
        node = _mapping(nodes[at])
        found[at], at = _mapping(node.get("message")), node.get("parent")
    return [message for message in reversed(found.values()) if message]


def _skip_reason(message: Mapping[str, Any], role: str, content: Mapping[str, Any]) -> str | None:
    if _mapping(message.get("metadata")).get("is_visually_hidden_from_conversation"):
        return "hidden message"
    if role == "assistant" and message.get("recipient") not in (None, "all"):
        return "tool call"
    return _NO_TURNS.get(str(content.get("content_type")))


def _text(content: Mapping[str, Any], source: ImportSource) -> str:
    parts = content.get("parts")
    if not isinstance(parts, list):
        return str(content.get("text") or content.get("result") or "")
    texts = []
    for part in parts:
        text = part.get("text") if isinstance(part, dict) else part  # speech has its transcript
        if isinstance(text, str):
            texts.append(text)
        else:
            source.skipped["picture or file"] += 1
    return "\n".join(text for text in texts if text.strip())


def _memories(source: ImportSource, name: str) -> Iterator[ForeignMemory]:
    for given in source.items(name):
        entries: Sequence[Any] = given["memories"] if isinstance(given, dict) and "memories" in given else [given]
        for entry in map(_mapping, entries):
            text = entry.get("content") or entry.get("memory") or entry.get("text")
            if entry.get("enabled") is False:
                source.skipped["memory that is turned off"] += 1
            elif isinstance(text, str) and text.strip():
                at = next(
                    (time for key in ("created_at", "create_time", "updated_at") if (time := time_of(entry.get(key)))),
                    None,
                )
                yield ForeignMemory(text=text, at=at or source.modified(name), ref=str(entry.get("id") or ""))
            else:
                source.skipped["memory without text"] += 1


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


FORMAT = ImportFormat(
    name="chatgpt",
    title="ChatGPT export",
    about=(
        "The zip, its folder, or `conversations.json`, in one file or several: the current branch of "
        "each conversation, and saved memories."
    ),
    detect=_detect,
    read=_read,
    accounts=_accounts,
)

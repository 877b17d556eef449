"""Memories and files as MCP resources, for people to attach to a conversation."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs, unquote, urlsplit

import mcp_types as types

from cortex.errors import NotFound
from cortex.memory import Cortex
from cortex.surfaces.operations import BY_NAME
from cortex.surfaces.wire.model import Json, Response, short

JSON = "application/json"
LISTED = 100

LISTING = types.Resource(
    uri="cortex://memories",
    name="memories",
    title="Memories",
    description=f"All memories, oldest first, {LISTED} per page; continue with `?after=` and `next`.",
    mime_type=JSON,
)

TEMPLATES = tuple(
    types.ResourceTemplate(uri_template=uri, name=name, title=title, description=description, mime_type=JSON)
    for uri, name, title, description in (
        ("cortex://memories{?after}", "memories-after", "More memories", "The memories after an id."),
        ("cortex://memories/{id}", "memory", "One memory", "A memory, turn or chunk by its id."),
        # With the plus, the slashes of a path stay as they are.
        ("cortex://files/{+path}", "file", "A memory file",
         "An indexed file by the path that a search cites; add #L10-L15 for these lines only."),
    )
)  # fmt: skip


def reading(uri: str) -> Callable[[Cortex], Response]:
    """The call of the engine that reads the resource at `uri`."""
    parts = urlsplit(uri)
    path = unquote(parts.path.removeprefix("/"), errors="replace")
    if parts.scheme == "cortex" and parts.netloc == "memories":
        after = parse_qs(parts.query).get("after", [None])[0]
        page: Json = {"limit": LISTED} | ({"after": after} if after else {})
        return _read("show", {"id": path}) if path else _read("list", page)
    if parts.scheme == "cortex" and parts.netloc == "files" and path:
        return _read("memory_get", {"path": f"{path}#{parts.fragment}" if parts.fragment else path})
    raise NotFound(
        f"no resource {short(uri)}", hint="use cortex://memories, cortex://memories/{id} or cortex://files/{path}"
    )


def _read(name: str, payload: Json) -> Callable[[Cortex], Response]:
    operation = BY_NAME[name]
    request = operation.request.read(payload)
    return lambda engine: operation.answer(engine, request)

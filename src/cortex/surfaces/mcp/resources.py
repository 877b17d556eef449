"""What is remembered as resources of MCP, for people to attach to a conversation: memories and files."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs, unquote, urlsplit

import mcp_types as types

from cortex.domain.citations import Place
from cortex.domain.lanes import Lane
from cortex.errors import NotFound
from cortex.memory import Cortex
from cortex.ports.store import Filter
from cortex.surfaces.mcp.answers import Answer, Got, Listing, Record
from cortex.surfaces.mcp.failing import short

JSON = "application/json"
LISTED = 100

LISTING = types.Resource(
    uri="cortex://memories",
    name="memories",
    title="Memories",
    description=f"What is remembered, oldest first, {LISTED} at a time; `next` goes on by ?after=.",
    mime_type=JSON,
)

TEMPLATES = (
    types.ResourceTemplate(
        uri_template="cortex://memories{?after}",
        name="memories-after",
        title="More memories",
        description="The memories after an id.",
        mime_type=JSON,
    ),
    types.ResourceTemplate(
        uri_template="cortex://memories/{id}",
        name="memory",
        title="One memory",
        description="A memory, a turn or lines of a file by its id.",
        mime_type=JSON,
    ),
    types.ResourceTemplate(
        # With the plus, the slashes of a path stay as they are.
        uri_template="cortex://files/{+path}",
        name="file",
        title="A file of memory",
        description="A file that is memory, by its path as a search cites it; #L10-L15 for those lines alone.",
        mime_type=JSON,
    ),
)


def reading(uri: str) -> Callable[[Cortex], Answer]:
    """What to ask the engine for the resource at `uri`."""
    parts = urlsplit(uri)
    path = unquote(parts.path.removeprefix("/"), errors="replace")
    if parts.scheme == "cortex" and parts.netloc == "memories":
        if path:
            return lambda engine: _memory(engine, path)
        after = parse_qs(parts.query).get("after", [None])[0]
        return lambda engine: _memories(engine, after)
    if parts.scheme == "cortex" and parts.netloc == "files" and path:
        cited = f"{path}#{parts.fragment}" if parts.fragment else path
        return lambda engine: _file(engine, Place.of(cited))
    raise NotFound(f"no resource {short(uri)}", hint="there are cortex://memories, …/{id} and cortex://files/{path}")


def _memories(engine: Cortex, after: str | None) -> Answer:
    found = engine.list(Filter(lanes=frozenset({Lane.MEMORIES})), after=after, limit=LISTED)
    return Listing.of(found, LISTED)


def _memory(engine: Cortex, id: str) -> Answer:
    found = engine.get(id)
    return Got(text=found.text, memory=Record.of(found))


def _file(engine: Cortex, place: Place) -> Answer:
    return Got.model_validate(engine.memory_get(place.path, start=place.start, lines=place.lines))

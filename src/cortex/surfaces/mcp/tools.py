"""The MCP tools (X4, B9, B10), built from the declared operations that have one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from cortex.errors import InvalidRequest
from cortex.memory import Cortex
from cortex.progress import Progress
from cortex.surfaces.mcp import response_text
from cortex.surfaces.mcp.untrusted_text import NOTICE, warned
from cortex.surfaces.operations import OPERATIONS, Operation, TimeLimit, Tool
from cortex.surfaces.wire.model import Json, Response, own_name, rejected, schema_of, short

if TYPE_CHECKING:
    import mcp_types as types

SECONDS = {TimeLimit.SHORT: 5.0, TimeLimit.STORE: 30.0, TimeLimit.LONG: 600.0}
"""How long a model waits."""

MODEL, CANONICAL = "model", "canonical"
PROFILES = (MODEL, CANONICAL)
"""The tools that a model needs, or those that hosts such as OpenClaw know, under their names."""

MOST_CHARS = 65_536
"""Longer than any sensible query, so that a pasted message is accepted as it is."""

_MOST_ITEMS = 1_000


class OfferedTool:
    """The tool of one operation, as one profile names it."""

    def __init__(self, operation: Operation, profile: str) -> None:
        assert operation.tool is not None
        self.operation = operation
        self.tool: Tool = operation.tool
        self.profile = profile
        self.name = self.tool.canonical if profile == CANONICAL else self.tool.name
        self.seconds = SECONDS[operation.limit]
        self._spelled = dict(self.tool.spelled) if profile == CANONICAL else {}
        self._fields = {self._spelled.get(name, name): name for name in self.tool.fields}

    @property
    def writes(self) -> bool:
        return not self.operation.read_only

    @property
    def description(self) -> str:
        return _renamed(self.tool.description, self.profile)

    def listed(self, max_text_bytes: int) -> types.Tool:
        """The tool definition for the host."""
        import mcp_types as types  # a server may have tools without MCP, and it is slow to import

        return types.Tool(
            name=self.name,
            title=self.tool.title,
            description=self.description,
            input_schema=self.schema(max_text_bytes),
            annotations=types.ToolAnnotations(
                read_only_hint=not self.writes,
                destructive_hint=self.tool.destructive,
                idempotent_hint=self.tool.idempotent,
                open_world_hint=False,
            ),
        )

    def schema(self, max_text_bytes: int) -> Json:
        """The JSON schema of the arguments."""
        whole = schema_of(self.operation.request)
        required = [name for name, field in self._fields.items() if field in whole.get("required", ())]
        properties = {
            name: self._property(field, whole["properties"][field], max_text_bytes)
            for name, field in self._fields.items()
        }
        schema: Json = {"type": "object", "properties": properties, "additionalProperties": False}
        return schema | ({"required": required} if required else {})

    def _property(self, field: str, schema: Json, max_text_bytes: int) -> Json:
        """The schema of one field, kept short: a model reads it every time."""
        described = {"description": schema["description"]} if "description" in schema else {}
        kinds = [each for each in schema.get("anyOf", [schema]) if each.get("type") != "null"]
        whole = next((each for each in kinds if each.get("type") == "string"), kinds[0])
        payload = {key: value for key, value in whole.items() if key in _LISTED_KEYS} | described
        if choices := self.tool.choices.get(field):
            payload = {"type": "string", "enum": list(choices), "default": choices[0], **described}
        if field in self.tool.bounds:
            payload["maximum"] = self.tool.bounds[field]
        if payload.get("type") == "string" and not payload.keys() & {"enum", "format", "maxLength"}:
            payload["maxLength"] = max_text_bytes if field == "text" else MOST_CHARS
        if payload.get("type") == "array":
            payload["maxItems"] = min(payload.get("maxItems", _MOST_ITEMS), _MOST_ITEMS)
            payload["items"] = {key: value for key, value in payload["items"].items() if key in {"type", "enum"}}
        return payload

    def read(self, arguments: Json) -> Any:
        """Parse the arguments; fields that a model may not set are refused as unknown."""
        payload: Json = {field: choices[0] for field, choices in self.tool.choices.items()}
        for name, value in arguments.items():
            field = self._field(name)
            if field is None:
                raise _unknown(name, self._fields)
            if field in payload and field not in self.tool.choices and payload[field] != value:
                raise _refused(name, f"differs from {self._named(field)}", "give one of the two")
            payload[field] = _listed(value) if self._is_list(field) else value
        self._check(payload)
        try:
            return self.operation.request.read(payload, as_text=True)
        except InvalidRequest as error:
            raise rejected([{**fault, "field": self._named(fault["field"])} for fault in error.faults]) from None

    def _field(self, name: str) -> str | None:
        """The field that a host means by `name`, in its own spelling or in another known one."""
        known = self._fields | {field: field for field in self._fields.values()}
        return known.get(own_name(name, known))

    def _named(self, place: str) -> str:
        """A field path in the names that the host uses."""
        field, dot, rest = place.partition(".")
        return self._spelled.get(field, field) + dot + rest

    def _is_list(self, field: str) -> bool:
        schema = schema_of(self.operation.request)["properties"][field]
        return any(each.get("type") == "array" for each in schema.get("anyOf", [schema]))

    def _check(self, payload: Json) -> None:
        """Limits for models that other callers do not have."""
        for field, value in payload.items():
            name, bound = self._spelled.get(field, field), self.tool.bounds.get(field)
            if (choices := self.tool.choices.get(field)) and value not in choices:
                raise _refused(name, "is not allowed", f"use one of {', '.join(choices)}")
            if bound is not None and isinstance(value, int | float) and value > bound:
                raise _refused(name, f"is over {bound:,}", "choose a smaller value")
            if isinstance(value, str) and field != "text" and len(value) > MOST_CHARS:
                raise _refused(name, f"is over {MOST_CHARS:,} characters", "send less")
            if isinstance(value, list) and len(value) > _MOST_ITEMS:
                raise _refused(name, f"has over {_MOST_ITEMS:,} items", "send fewer")

    def answer(self, engine: Cortex, request: Any, progress: Progress, *, cite: bool) -> types.CallToolResult:
        """What the operation answers, as MCP has it."""
        import mcp_types as types

        said, values = self.answered(engine, request, progress, cite=cite)
        return types.CallToolResult(content=[types.TextContent(type="text", text=said)], structured_content=values)

    def answered(self, engine: Cortex, request: Any, progress: Progress, *, cite: bool) -> tuple[str, Json]:
        """What the operation answers: as text for a model, with sources if `cite`, and as plain values."""
        response = self.operation.answer(engine, request, progress)
        said = response_text.render(response, cite=cite)
        return response_text.writable(said), structured(response, self.tool.omits)


_LISTED_KEYS = frozenset(
    {"type", "enum", "format", "minimum", "maximum", "exclusiveMinimum", "maxLength", "maxItems", "items"}
)


def structured(response: Response, omits: tuple[str, ...] = ()) -> Json:
    """The structured content of a response: without nulls, and with only the id of the receipt."""
    plain = {name: each for name, each in response.to_json().items() if each is not None and name not in omits}
    if isinstance(receipt := plain.get("receipt"), dict):
        plain["receipt"] = receipt["id"]
    if "block" in plain:
        plain["block"] = warned(plain["block"])
    if response_text.holds_text(response):
        plain["notice"] = NOTICE
    payload: Json = json.loads(response_text.writable(json.dumps(plain, ensure_ascii=False)))
    return payload


def _listed(given: Any) -> Any:
    """A list; some hosts send it as a JSON string, and some models send a single word."""
    if not isinstance(given, str):
        return given
    if given.lstrip().startswith("["):
        try:
            return json.loads(given)
        except (ValueError, RecursionError):
            return given
    return [given]


def _unknown(name: str, known: Json) -> InvalidRequest:
    return _refused(name, "is unknown", f"known fields: {', '.join(known)}")


def _refused(name: str, message: str, hint: str) -> InvalidRequest:
    return rejected([{"field": short(name), "message": message, "hint": hint}])


def _renamed(description: str, profile: str) -> str:
    """The description, with other tools named as in the profile."""
    if profile == CANONICAL:
        for operation in OPERATIONS:
            if operation.tool is not None:
                description = description.replace(f"`{operation.tool.name}`", f"`{operation.tool.canonical}`")
    return description


def _offered(profile: str) -> Iterator[OfferedTool]:
    for operation in OPERATIONS:
        if operation.tool is not None and profile in operation.tool.profiles:
            yield OfferedTool(operation, profile)


@cache
def offered(profile: str = MODEL) -> dict[str, OfferedTool]:
    """The tools of a profile by name."""
    if profile not in PROFILES:
        raise InvalidRequest("is not known", field="profile", hint=f"one of {', '.join(PROFILES)}")
    return {tool.name: tool for tool in _offered(profile)}


@cache
def listed(profile: str, max_text_bytes: int) -> tuple[types.Tool, ...]:
    """The definitions of all tools; cached, because building the schemas is slow."""
    return tuple(tool.listed(max_text_bytes) for tool in offered(profile).values())

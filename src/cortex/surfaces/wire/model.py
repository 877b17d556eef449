"""Base classes of requests and responses: validation, errors and conversion."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from enum import Enum
from functools import cache
from pathlib import PurePath
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.json_schema import JsonSchemaMode
from pydantic_core import PydanticCustomError

from cortex.domain.chat import Chat, ChatType
from cortex.errors import InvalidRequest

MOST_FAULTS = 10
_MOST_CHARS = 64
_SEE = "see the reference for this operation"
_FAULTS = {
    "missing": ("is missing", "add it"),
    "model_type": ("is not an object", "send a JSON object"),
    "dict_type": ("is not an object", "send a JSON object"),
    "list_type": ("is not a list", "send a list"),
    "string_type": ("is not text", "send a string"),
    "bool_type": ("is not a flag", "send true or false"),
    "bool_parsing": ("is not a flag", "send true or false"),
    "int_type": ("is not a whole number", "send a whole number"),
    "int_parsing": ("is not a whole number", "send a whole number"),
    "float_type": ("is not a number", "send a number"),
    "float_parsing": ("is not a number", "send a number"),
    "finite_number": ("is not a number", "send a number"),
    "datetime_type": ("is not an ISO 8601 time", "send one such as 2026-01-05T09:00:00+00:00"),
    "greater_than_equal": ("is too small", "send {ge:,} or more"),
    "greater_than": ("is too small", "send more than {gt:,}"),
    "less_than_equal": ("is too large", "send {le:,} or less"),
    "string_too_short": ("is empty", "send some text"),
    "string_too_long": ("is too long", "send at most {max_length:,} characters"),
    "too_short": ("is empty", "send a list with an item"),
    "too_long": ("is too long", "send at most {max_length:,} items"),
}
"""What is wrong and what to do, by the validator's name of an error."""
_CHOICES = {"enum", "literal_error"}
_CHOICE = re.compile(r"'([^']*)'")

Json = dict[str, Any]

ALIASES = {"category": "kind", "categories": "kinds", "maxResults": "max_results", "minScore": "min_score"}
"""Other names of fields, as hosts and the original plugins spell them (E2, B9)."""

NOT_ARGUMENTS = {"agent", "user", "chat", "chat_id", "sender"}
"""Fields that say whose memory is used. They choose the engine's handle and are not passed to its methods."""


def example(given: Json) -> ConfigDict:
    """The configuration of a model with an example."""
    return ConfigDict(json_schema_extra={"examples": [given]})


# --- requests ---------------------------------------------------------------------------------------------------------


def rejected(faults: Sequence[Mapping[str, str]]) -> InvalidRequest:
    """The error for a request, named by its first fault."""
    first = faults[0]
    error = InvalidRequest(first["message"], field=first["field"], hint=first["hint"])
    error.faults = tuple(faults)
    return error


class Strict(BaseModel):
    """A strict request: unknown fields are refused, and values are not converted."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True, populate_by_name=False)

    @model_validator(mode="before")
    @classmethod
    def _only_known(cls, given: Any) -> Any:
        # First of all, and only the first one: many unknown keys are one mistake.
        if not isinstance(given, dict):
            return given
        known = cls.names()
        payload: Json = {}
        for name, value in given.items():
            field = own_name(name, known)
            if field not in known:
                raise unknown(str(name), known)
            if field in payload and payload[field] != value:
                raise PydanticCustomError(
                    "unknown_field", f"differs from {field}", {"name": str(name), "hint": "send one of the two"}
                )
            payload[field] = value
        return payload

    @classmethod
    def names(cls) -> list[str]:
        """The field names of callers."""
        return [field.alias or name for name, field in cls.model_fields.items()]

    @classmethod
    def read(cls, payload: Any, *, as_text: bool = False) -> Self:
        """Parse `payload`, or raise `InvalidRequest`. With `as_text`, numbers and flags may be strings."""
        try:
            return cls.model_validate(payload, strict=False if as_text else None)
        except ValidationError as error:
            raise rejected([_fault(each) for each in error.errors(include_url=False)[:MOST_FAULTS]]) from None

    def arguments(self) -> dict[str, Any]:
        """The arguments of the engine's method."""
        return self.model_dump(exclude=NOT_ARGUMENTS, exclude_none=True)

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        """The payload for a call of the engine's method with these arguments; for the client."""
        return {name: plain(value) for name, value in arguments.items() if value is not None}


class Request(Strict):
    """A request for one tenant."""

    agent: str | None = Field(None, description="The agent, if an administrator acts for another.")
    user: str | None = Field(None, description="The agent's user.")


class ChatFields(Strict):
    """What a host may say about the chat in which a request is made, and who speaks there."""

    chat: Literal["direct", "group", "channel"] | None = Field(
        None, description="What kind of chat it is. A group has a memory of its own, and no sources are cited there."
    )
    chat_id: str | None = Field(None, max_length=1_024, description="The host's id of the chat.")
    sender: str | None = Field(None, max_length=1_024, description="The host's id of the person who speaks.")

    def chat_of(self) -> Chat | None:
        """The chat, if the host said anything about it."""
        if self.chat is None and self.chat_id is None and self.sender is None:
            return None
        return Chat(ChatType(self.chat or "direct"), self.chat_id or "", self.sender or "")


class ChatRequest(ChatFields, Request):
    """A request of a host, with the chat in which it is made."""


class EmptyRequest(Request):
    """A request without fields of its own."""

    model_config = example({})


def own_name(name: Any, known: Collection[str]) -> Any:
    """The name of a field, where it was given under another."""
    return ALIASES[name] if name not in known and ALIASES.get(name) in known else name


def unknown(name: str, known: Sequence[str]) -> PydanticCustomError:
    """The error for an unknown field."""
    near = difflib.get_close_matches(name, known, n=1) if len(name) <= _MOST_CHARS else []
    hint = f"did you mean {near[0]!r}?" if near else f"known fields: {', '.join(known)}"
    return PydanticCustomError("unknown_field", "is unknown", {"name": name, "hint": hint})


def _fault(payload: Mapping[str, Any]) -> dict[str, str]:
    """One fault: field, message and hint, without the value."""
    place = [str(each) for each in payload["loc"]]
    context = payload.get("ctx") or {}
    if payload["type"] == "unknown_field":
        place.append(context["name"])
    message, hint = _explained(payload, context)
    return {"field": short(".".join(place)) or "request", "message": message, "hint": hint}


def _explained(payload: Mapping[str, Any], context: Mapping[str, Any]) -> tuple[str, str]:
    """What is wrong with a value, and what to do."""
    kind = payload["type"]
    if kind in _FAULTS:
        message, hint = _FAULTS[kind]
        return message, hint.format_map(context)
    if kind in _CHOICES:
        known = _CHOICE.findall(str(context.get("expected")))
        near = difflib.get_close_matches(str(payload["input"])[:_MOST_CHARS], known, n=1)
        return "is not known", f"did you mean {near[0]!r}?" if near else f"one of {', '.join(known)}"
    message = str(payload["msg"])
    return message[:1].lower() + message[1:], str(context.get("hint") or _SEE)


def short(name: str) -> str:
    """A name from a caller, safe and short for a message."""
    from cortex.domain.text import visible

    return visible(name if len(name) <= _MOST_CHARS else name[:_MOST_CHARS] + "…")


def plain(value: Any) -> Any:
    """A value as JSON."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, frozenset | set):
        return sorted(plain(each) for each in value)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [plain(each) for each in value]
    return value


# --- responses --------------------------------------------------------------------------------------------------------


class Response(BaseModel):
    """The response of an operation, built from the engine's value and converted back by the client."""

    model_config = ConfigDict(from_attributes=True, arbitrary_types_allowed=True, defer_build=True)

    result: ClassVar[type[Any] | None] = None
    """The class of the engine's value, if the response has all its fields."""
    bare: ClassVar[str] = ""
    """The one field that is the whole response, if any."""

    @classmethod
    def of(cls, result: Any, request: Any = None) -> Self:  # noqa: ARG003 - some need to know what was requested
        """The response for a value of the engine."""
        return cls.model_validate({cls.bare: result} if cls.bare else result)

    @classmethod
    def from_json(cls, payload: Json) -> Self:
        return cls.model_validate({cls.bare: payload} if cls.bare else payload)

    def to_json(self) -> Json:
        payload = self.model_dump(mode="json", by_alias=True, exclude_unset=True)
        whole: Json = payload[self.bare] if self.bare else payload
        return whole

    def value(self) -> Any:
        """The engine's value."""
        if self.bare:
            return getattr(self, self.bare)
        if self.result is None:
            return self.to_json()
        return self.result(**{field.name: getattr(self, field.name) for field in fields(self.result) if field.init})


class SequenceResponse(Response):
    """A list of values; with a field `next`, one page of it."""

    items: ClassVar[str]
    key: ClassVar[str] = "id"
    """The field of the last item from which the next page continues."""

    @classmethod
    def of(cls, result: Any, request: Any = None) -> Self:
        payload: Json = {cls.items: tuple(result)}
        if "next" in cls.model_fields:
            is_full = request is not None and len(result) == request.limit
            payload["next"] = getattr(result[-1], cls.key) if is_full else None
        return cls.model_validate(payload)

    def value(self) -> list[Any]:
        return [each.value() if isinstance(each, Response) else each for each in getattr(self, self.items)]


@cache
def schema_of(model: type[BaseModel], mode: JsonSchemaMode = "validation") -> Json:
    """The JSON schema of a model; for a bare response, that of its field."""
    extra: Any = model.model_config.get("json_schema_extra") or {}
    schema: Json = {**extra, **model.model_json_schema(mode=mode, by_alias=True)}
    if bare := getattr(model, "bare", ""):
        kept: Json = {key: value for key, value in schema.items() if key in {"examples", "description"}}
        return {**kept, **schema["properties"][bare]}
    return schema

"""What all requests and responses share: how they are read, refused, and turned into the engine's own values."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from enum import Enum
from functools import cache
from pathlib import PurePath
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.json_schema import JsonSchemaMode
from pydantic_core import PydanticCustomError

from cortex.errors import InvalidRequest

MOST_FAULTS = 10
_MOST_CHARS = 64
_SEE = "see the reference of this operation"

Json = dict[str, Any]


def example(given: Json) -> ConfigDict:
    """The configuration of a model with an example of it."""
    return ConfigDict(json_schema_extra={"examples": [given]})


# --- requests ---------------------------------------------------------------------------------------------------------


def rejected(faults: Sequence[Mapping[str, str]]) -> InvalidRequest:
    """The refusal of a request, named by the first of its faults."""
    first = faults[0]
    error = InvalidRequest(first["message"], field=first["field"], hint=first["hint"])
    error.faults = tuple(faults)
    return error


class Strict(BaseModel):
    """A request: unknown fields are refused, and no value is guessed."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True, populate_by_name=False)

    @model_validator(mode="before")
    @classmethod
    def _only_known(cls, given: Any) -> Any:
        # Before anything else, and only the first: ten thousand unknown keys are one mistake.
        if isinstance(given, dict):
            known = cls.names()
            for name in given:
                if name not in known:
                    raise unknown(str(name), known)
        return given

    @classmethod
    def names(cls) -> list[str]:
        """The fields, as callers spell them."""
        return [field.alias or name for name, field in cls.model_fields.items()]

    @classmethod
    def read(cls, payload: Any, *, as_text: bool = False) -> Self:
        """The request that `payload` is, or `InvalidRequest`. With `as_text`, numbers and flags may be strings."""
        try:
            return cls.model_validate(payload, strict=False if as_text else None)
        except ValidationError as error:
            raise rejected([_fault(each) for each in error.errors(include_url=False)[:MOST_FAULTS]]) from None

    def arguments(self) -> dict[str, Any]:
        """As the engine's method takes them."""
        return self.model_dump(exclude={"agent", "user"}, exclude_none=True)

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        """The payload that asks for a call of the engine's method with these arguments; the client sends it."""
        return {name: plain(value) for name, value in arguments.items() if value is not None}


class Request(Strict):
    """A request to one tenant's memory."""

    agent: str | None = Field(None, description="The agent, where an administrator acts for another.")
    user: str | None = Field(None, description="The agent's user.")


class EmptyRequest(Request):
    """Nothing but whose memory is meant."""

    model_config = example({})


def unknown(name: str, known: Sequence[str]) -> PydanticCustomError:
    """The refusal of a field that a request does not have."""
    near = difflib.get_close_matches(name, known, n=1) if len(name) <= _MOST_CHARS else []
    hint = f"did you mean {near[0]!r}?" if near else f"known fields: {', '.join(known)}"
    return PydanticCustomError("unknown_field", "is not known here", {"name": name, "hint": hint})


def _fault(told: Mapping[str, Any]) -> dict[str, str]:
    """One fault by its place and its reason; the value itself is not repeated."""
    place = [str(each) for each in told["loc"]]
    context = told.get("ctx") or {}
    if told["type"] == "unknown_field":
        place.append(context["name"])
    message = str(told["msg"])
    return {
        "field": short(".".join(place)) or "request",
        "message": message[:1].lower() + message[1:],
        "hint": str(context.get("hint") or _SEE),
    }


def short(name: str) -> str:
    """A name that a caller chose, as it may stand in a message."""
    from cortex.domain.text import visible

    return visible(name if len(name) <= _MOST_CHARS else name[:_MOST_CHARS] + "…")


def plain(value: Any) -> Any:
    """A value of the engine's as JSON has it."""
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
    """What an operation answers, made of the value that the engine gives and turned back into it by the client."""

    model_config = ConfigDict(from_attributes=True, arbitrary_types_allowed=True, defer_build=True)

    result: ClassVar[type[Any] | None] = None
    """The class of the engine's value, where its fields are among those of the response."""
    bare: ClassVar[str] = ""
    """The one field that is the whole answer, where it is not an object of fields."""

    @classmethod
    def of(cls, result: Any, request: Any = None) -> Self:  # noqa: ARG003 - some need to know what was requested
        """The response for what the engine gave."""
        return cls.model_validate({cls.bare: result} if cls.bare else result)

    @classmethod
    def from_json(cls, payload: Json) -> Self:
        return cls.model_validate({cls.bare: payload} if cls.bare else payload)

    def to_json(self) -> Json:
        told = self.model_dump(mode="json", by_alias=True, exclude_unset=True)
        whole: Json = told[self.bare] if self.bare else told
        return whole

    def value(self) -> Any:
        """The engine's value again."""
        if self.bare:
            return getattr(self, self.bare)
        if self.result is None:
            return self.to_json()
        return self.result(**{field.name: getattr(self, field.name) for field in fields(self.result) if field.init})


class SequenceResponse(Response):
    """Several values of the engine, under one name; with a field `next`, one page of them."""

    items: ClassVar[str]
    key: ClassVar[str] = "id"
    """What the next page continues from: this of the last."""

    @classmethod
    def of(cls, result: Any, request: Any = None) -> Self:
        told: Json = {cls.items: tuple(result)}
        if "next" in cls.model_fields:
            is_full = request is not None and len(result) == request.limit
            told["next"] = getattr(result[-1], cls.key) if is_full else None
        return cls.model_validate(told)

    def value(self) -> list[Any]:
        return [each.value() if isinstance(each, Response) else each for each in getattr(self, self.items)]


@cache
def schema_of(model: type[BaseModel], mode: JsonSchemaMode = "validation") -> Json:
    """The JSON schema of a model; of a bare response, that of its field."""
    extra: Any = model.model_config.get("json_schema_extra") or {}
    schema: Json = {**extra, **model.model_json_schema(mode=mode, by_alias=True)}
    if bare := getattr(model, "bare", ""):
        kept: Json = {key: value for key, value in schema.items() if key in {"examples", "description"}}
        return {**kept, **schema["properties"][bare]}
    return schema



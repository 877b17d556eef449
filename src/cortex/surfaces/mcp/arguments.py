"""What the tools take: validated once, here, with the bounds a model is told in the schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from cortex.domain.choices import aware
from cortex.domain.identity import checked_id
from cortex.domain.lanes import SEARCHABLE, Lane, State
from cortex.domain.memory import MAX_TAGS, Kind
from cortex.domain.trust import SourceKind
from cortex.ports.store import Filter

MAX_QUERY = 65_536
"""More than counts of a query, so that a pasted message can be asked as it is; less than would be a mistake."""

MAX_RECORDS = 1_000


def _listed(given: Any) -> Any:
    """Some hosts hand a list over as JSON in a string, and some models one word in its place."""
    if not isinstance(given, str):
        return given
    if given.lstrip().startswith("["):
        try:
            return json.loads(given)
        except (ValueError, RecursionError):
            return given
    return [given]


def _time(given: datetime) -> datetime:
    try:
        return aware(given, "time")
    except OverflowError:
        raise ValueError("is outside the years there are") from None


Asked = Annotated[str, Field(min_length=1, max_length=MAX_QUERY)]
Id = Annotated[str, Field(min_length=1, max_length=64, description="The id of a memory, as an answer gave it.")]
Scope = Annotated[
    str, Field(min_length=1, max_length=256, description="A namespace, such as a project's name. Omit it for all.")
]
Project = Annotated[
    str, Field(min_length=1, max_length=256, description="The project at hand: preferred, and nothing is left out.")
]
NewScope = Annotated[
    str, Field(min_length=1, max_length=256, description="The namespace it belongs to; `personal` where omitted.")
]
Time = Annotated[datetime, AfterValidator(_time)]
Short = Annotated[str, Field(max_length=1_024)]
Kinds = Annotated[list[Kind], BeforeValidator(_listed), Field(max_length=len(Kind), description="Only these kinds.")]
Lanes = Annotated[
    list[Lane],
    BeforeValidator(_listed),
    Field(
        max_length=len(Lane),
        description="Only these: memories (statements), notes and docs (lines of files), sessions (what was said).",
    ),
]
States = Annotated[
    list[State], BeforeValidator(_listed), Field(max_length=len(State), description="Only these states.")
]
Since = Annotated[Time, Field(description="Only what is from then on (ISO 8601).")]
Until = Annotated[Time, Field(description="Only what is from before then (ISO 8601).")]


class Arguments(BaseModel):
    """The arguments of one tool. Unknown ones are refused: a typo must not become a default."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    @classmethod
    def names(cls) -> list[str]:
        """The arguments there are, as a caller spells them."""
        return [field.alias or name for name, field in cls.model_fields.items()]


class Remember(Arguments):
    text: str = Field(min_length=1, description="One statement that stands by itself: names instead of pronouns, dates "
                      "instead of `tomorrow`.")  # fmt: skip
    kind: Kind = Field(default=Kind.FACT, description="What sort of statement it is.")
    scope: NewScope | None = None
    topic: Short | None = Field(default=None, description="A free label.")
    tags: Annotated[list[Short], BeforeValidator(_listed), Field(max_length=MAX_TAGS)] | None = None
    importance: float | None = Field(default=None, ge=0, le=1, description="From 0.8 on it must be remembered.")
    source: Literal["user", "assistant", "tool", "web"] = Field(
        default="assistant",
        description="Whose words these are. Say `tool` or `web` of anything read from a page, file or tool: it is kept "
        "as untrusted.",
    )
    source_ref: Short | None = Field(default=None, description="Where it comes from: a link, a file, a ticket.")
    supersedes: Id | None = Field(default=None, description="The id of the memory that this one replaces.")
    as_new: bool = Field(default=False, description="Store it as it is, whatever is known already.")
    ttl_hours: float | None = Field(
        default=None, gt=0, le=876_000, description="Forget it by itself after so many hours."
    )

    def draft(self) -> dict[str, Any]:
        """As the engine takes it; what was not given is its to choose."""
        told: dict[str, Any] = {
            "kind": self.kind,
            "scope": self.scope,
            "topic": self.topic,
            "tags": tuple(self.tags) if self.tags else None,
            "importance": self.importance,
            "source_kind": SourceKind(self.source),
            "source_ref": self.source_ref,
            "supersedes": checked_id(self.supersedes, field="supersedes") if self.supersedes else None,
        }
        if self.as_new:
            told["as_new"] = True
        if self.ttl_hours is not None:
            told |= {"retention": "ttl", "ttl": timedelta(hours=self.ttl_hours)}
        return _given(told)


class Recall(Arguments):
    query: Asked = Field(description="A question or a message in plain words.")
    scope: Scope | None = None
    project: Project | None = None
    kinds: Kinds | None = None
    lanes: Lanes | None = None
    limit: int | None = Field(default=None, ge=1, le=100, description="How many hits at most.")
    max_tokens: int | None = Field(default=None, ge=50, le=20_000, description="How long the answer may be, in tokens.")
    since: Since | None = None
    until: Until | None = None
    as_of: Time | None = Field(default=None, description="Answer from what was known then (ISO 8601).")

    def options(self) -> dict[str, Any]:
        """As the engine takes them."""
        told = self.model_dump(exclude={"query", "max_tokens"})
        return _given(told | {"budget": self.max_tokens})


class SearchFiles(Arguments):
    query: Asked = Field(description="What to look for, in plain words.")
    max_results: int | None = Field(default=None, alias="maxResults", ge=1, le=100)
    min_score: float | None = Field(default=None, alias="minScore", ge=0, le=1)


class Get(Arguments):
    path: str | None = Field(
        default=None,
        min_length=1,
        max_length=4_096,
        description="A file as a search cited it, such as memory/2026-01-01.md or notes/plan.md#L10-L15.",
    )
    start: int | None = Field(
        default=None, alias="from", ge=1, le=100_000_000, description="The first line, counted from 1."
    )
    lines: int | None = Field(default=None, ge=1, le=100_000_000, description="How many lines.")
    id: Id | None = Field(default=None, description="In place of a path: the id of a memory, to see it whole.")


class Forget(Arguments):
    id: Id | None = None
    memory_id: Id | None = Field(default=None, alias="memoryId", description="The same as `id`.")
    query: Asked | None = Field(default=None, description="In place of an id: words that mean one memory and no other.")
    scope: Scope | None = None


class List(Arguments):
    scope: Scope | None = None
    kinds: Kinds | None = None
    lanes: Lanes | None = None
    states: States | None = None
    since: Since | None = None
    until: Until | None = None
    limit: int = Field(default=50, ge=1, le=200, description="How many at most.")
    after: Id | None = Field(default=None, description="Go on after this id: `next` of the answer before.")

    def filter(self) -> Filter:
        return filter_of(self, SEARCHABLE)


class Stats(Arguments):
    scope: Scope | None = None
    lanes: Lanes | None = None

    def filter(self) -> Filter:
        return filter_of(self, frozenset(State))


class Export(Arguments):
    with_text: bool = Field(
        default=False, description="Include what the memories say; without, only what is known about them."
    )
    scope: Scope | None = None
    kinds: Kinds | None = None
    states: States | None = None
    since: Since | None = None
    until: Until | None = None
    limit: int = Field(default=200, ge=1, le=MAX_RECORDS, description="How many at most.")
    after: Id | None = Field(default=None, description="Go on after this id: `next` of the answer before.")

    def filter(self) -> Filter:
        return filter_of(self, frozenset(State))


class Import(Arguments):
    records: Annotated[list[dict[str, Any]], BeforeValidator(_listed)] = Field(
        min_length=1, max_length=MAX_RECORDS, description="Records as memory_export gave them, text included."
    )
    dedupe: Literal["none", "id", "id_text"] = Field(
        default="id_text", description="What counts as remembered already."
    )
    dry_run: bool = Field(default=False, description="Check everything, store nothing.")
    skip_bad: bool = Field(default=False, description="Leave out bad records instead of refusing all.")


def filter_of(asked: Stats | List | Export, states: frozenset[State]) -> Filter:
    """Which traces are meant; of the states `states`, unless told otherwise."""
    told = asked.model_dump()
    return Filter(
        lanes=_several(told.get("lanes")),
        scopes=frozenset({asked.scope}) if asked.scope else None,
        kinds=_several(told.get("kinds")),
        states=_several(told.get("states")) or states,
        since=told.get("since"),
        until=told.get("until"),
    )


def _several(chosen: list[Any] | None) -> frozenset[Any] | None:
    return frozenset(chosen) if chosen else None


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None and value != []}

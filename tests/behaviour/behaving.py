"""What every surface offers, said once; and how a test gets at it over each of them.

A test is written against `Surface` and runs over all. Each adapter turns the answers of its surface into the plain
values here, and its errors into those of the engine. What a surface cannot do stands in `CANNOT`, with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from mcp_client import Host

from cortex.domain.lanes import ANY_STATE, SEARCHABLE, Lane, State
from cortex.domain.memory import Kind, Memory
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn
from cortex.errors import EngineError, InvalidRequest
from cortex.ports.store import Filter
from cortex.workspace.flush import FlushSession

EMBEDDED, HTTP, STDIO, STREAMED = "embedded", "http", "mcp-stdio", "mcp-http"
SURFACES = (EMBEDDED, HTTP, STDIO, STREAMED)

_NO_TOOL = "a model has no tool for this"
_OF_THE_HOST = "the host does this, not its model"
_OF_MCP: Mapping[str, str] = {
    "capture": f"{_OF_THE_HOST}: what was said comes by `turns/after`, `ingest`, or the command line",
    "ingest": f"{_OF_THE_HOST}: what was said comes by `turns/after`, `ingest`, or the command line",
    "before": f"{_OF_THE_HOST}: it asks before each turn, over HTTP or embedded",
    "after": f"{_OF_THE_HOST}: it tells after each turn, over HTTP or embedded",
    "flush_plan": "a host that speaks MCP has decided already that it is time: it asks for the prompt",
    "history": f"{_NO_TOOL}: versions are for the operator",
    "restore": f"{_NO_TOOL}: the operator brings back what was forgotten",
    "receipt": f"{_NO_TOOL}: receipts are for the operator, a tool names its own",
    "synthesize": f"{_NO_TOOL}: it tells what it recalled by itself",
    "edit": f"{_NO_TOOL}: it remembers what replaces a memory",
    "export": f"{_NO_TOOL}: the operator moves memories, and hosts that ask for the canonical tools",
    "import_": f"{_NO_TOOL}: the operator moves memories, and hosts that ask for the canonical tools",
}
CANNOT: Mapping[str, Mapping[str, str]] = {EMBEDDED: {}, HTTP: {}, STDIO: _OF_MCP, STREAMED: _OF_MCP}
"""What a surface cannot do, and why."""

TOOLS = {
    "remember": "remember", "recall": "recall", "search": "search", "get": "get", "forget": "forget",
    "forget_matching": "forget", "list": "list", "stats": "stats", "memory_search": "search_files",
    "memory_get": "read_file",
}  # fmt: skip
"""Which tool stands for which verb."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A memory, turn or piece of a file as a caller sees it."""

    id: str
    text: str
    kind: str
    scope: str
    trust: str
    state: str
    superseded_by: str | None = None
    score: float = 0.0
    legs: tuple[str, ...] = ()

    @classmethod
    def of(cls, trace: Trace, **hit: Any) -> Seen:
        return cls(
            id=trace.id,
            text=trace.text,
            kind=trace.kind.value,
            scope=trace.scope,
            trust=trace.trust.value,
            state=trace.state.value,
            superseded_by=_successor(trace),
            **hit,
        )

    @classmethod
    def told(cls, record: Mapping[str, Any]) -> Seen:
        return cls(
            score=record.get("score", 0.0),
            legs=tuple(record.get("legs", ())),
            superseded_by=record.get("superseded_by"),
            **{name: record[name] for name in ("id", "text", "kind", "scope", "trust", "state")},
        )


def _successor(trace: Trace) -> str | None:
    if isinstance(trace, Memory):
        return trace.superseded_by
    return trace.outdated_by if isinstance(trace, Turn) else None


@dataclass(frozen=True, slots=True)
class Recalled:
    """What a question brought."""

    hits: tuple[Seen, ...]
    block: str
    tokens: int
    receipt: str
    skipped: str | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(hit.id for hit in self.hits)

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(hit.text for hit in self.hits)


@dataclass(frozen=True, slots=True)
class Gone:
    """What was forgotten, or what might have been meant."""

    ids: tuple[str, ...]
    candidates: tuple[Seen, ...]
    receipt: str


@dataclass(frozen=True, slots=True)
class Kept:
    """What was remembered."""

    id: str
    trust: str
    receipt: str


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What an import stored, and what it left out."""

    memories: int
    turns: int
    duplicates: int
    receipt: str


class Surface(Protocol):
    """The verbs of a memory, over whatever road. `scope` is a namespace of the test's own."""

    scope: str

    def remember(self, text: Any, **fields: Any) -> Kept: ...
    def recall(self, query: Any, **options: Any) -> Recalled: ...
    def search(self, query: Any, **options: Any) -> Recalled: ...
    def get(self, id: Any) -> Seen: ...
    def history(self, id: str) -> tuple[Seen, ...]: ...
    def edit(self, id: Any, **changes: Any) -> Seen: ...
    def forget(self, id: Any) -> Gone: ...
    def forget_matching(self, query: Any, **options: Any) -> Gone: ...
    def restore(self, id: str) -> Gone: ...
    def list(self, **options: Any) -> tuple[Seen, ...]: ...
    def stats(self, **options: Any) -> Mapping[str, Any]: ...
    def capture(self, messages: Any, *, session: Any, **options: Any) -> tuple[Seen, ...]: ...
    def ingest(self, messages: Any, *, session: Any, **options: Any) -> tuple[str | None, ...]: ...
    def before(self, message: str, *, session: str) -> Recalled: ...
    def after(self, messages: Sequence[object], *, session: str) -> None: ...
    def synthesize(self, query: str, **options: Any) -> tuple[str, tuple[str, ...]]: ...
    def memory_search(self, query: Any, **options: Any) -> Mapping[str, Any]: ...
    def memory_get(self, path: Any, **options: Any) -> Mapping[str, Any]: ...
    def export(self, *, with_text: bool = False, **options: Any) -> Sequence[Mapping[str, Any]]: ...
    def import_(self, records: Sequence[Mapping[str, Any]], **options: Any) -> TakenIn: ...
    def flush_plan(self, **state: Any) -> Mapping[str, Any]: ...
    def flush_prompt(self) -> str: ...
    def receipt(self, id: str) -> Mapping[str, Any]: ...


VERBS = frozenset(name for name in vars(Surface) if not name.startswith("_") and callable(getattr(Surface, name)))


def capable(*verbs: str) -> tuple[str, ...]:
    """The surfaces that can do all of these."""
    assert set(verbs) <= VERBS, set(verbs) - VERBS
    return tuple(name for name in SURFACES if not CANNOT[name].keys() & set(verbs))


# --- the engine, and the client that looks like one -------------------------------------------------------------------


@dataclass
class Engines:
    """The engine in this process, or the client of one elsewhere: both have the same methods."""

    engine: Any
    scope: str

    def remember(self, text: Any, **fields: Any) -> Kept:
        if "source" in fields:
            fields["source_kind"] = fields.pop("source")
        done = self.engine.remember(text, **{"scope": self.scope, **fields})
        return Kept(done.memory.id, done.memory.trust.value, done.receipt.id)

    def recall(self, query: Any, **options: Any) -> Recalled:
        return self._recalled(self.engine.recall(query, **{"scope": self.scope, **options}))

    def search(self, query: Any, **options: Any) -> Recalled:
        return self._recalled(self.engine.search(query, **{"scope": self.scope, **options}))

    def _recalled(self, found: Any) -> Recalled:
        hits = tuple(Seen.of(hit.trace, score=hit.score, legs=tuple(hit.legs)) for hit in found.hits)
        return Recalled(hits, found.block, found.tokens, found.receipt.id, found.receipt.facts.get("skipped"))

    def get(self, id: Any) -> Seen:
        return Seen.of(self.engine.get(id))

    def history(self, id: str) -> tuple[Seen, ...]:
        return tuple(Seen.of(version.trace) for version in self.engine.show(id).versions)

    def edit(self, id: Any, **changes: Any) -> Seen:
        return Seen.of(self.engine.edit(id, **changes).memory)

    def forget(self, id: Any) -> Gone:
        return self._gone(self.engine.forget(id))

    def forget_matching(self, query: Any, **options: Any) -> Gone:
        return self._gone(self.engine.forget_matching(query, **{"scope": self.scope, **options}))

    def restore(self, id: str) -> Gone:
        return self._gone(self.engine.restore(id))

    def _gone(self, done: Any) -> Gone:
        return Gone(tuple(done.ids), tuple(map(Seen.of, done.candidates)), done.receipt.id)

    def list(self, *, limit: int = 50, after: Any = None, **options: Any) -> tuple[Seen, ...]:
        return tuple(map(Seen.of, self.engine.list(self._filter(SEARCHABLE, **options), after=after, limit=limit)))

    def stats(self, **options: Any) -> Mapping[str, Any]:
        found = self.engine.stats(self._filter(ANY_STATE, **options))
        return {"total": found.total, "by_kind": dict(found.by_kind), "by_state": dict(found.by_state)}

    def capture(self, messages: Any, *, session: Any, **options: Any) -> tuple[Seen, ...]:
        done = self.engine.capture(messages, session=session, **{"scope": self.scope, **options})
        return tuple(map(Seen.of, done.memories))

    def ingest(self, messages: Any, *, session: Any, **options: Any) -> tuple[str | None, ...]:
        return tuple(self.engine.ingest(messages, session=session, **{"scope": self.scope, **options}).ids)

    def before(self, message: str, *, session: str) -> Recalled:
        found = self.engine.hooks().before(message, session=session, scope=self.scope)
        assert not found.degraded, found.degraded
        return Recalled(tuple(map(self.get, found.ids)), found.block, found.tokens, found.receipt_id, found.skipped)

    def after(self, messages: Sequence[object], *, session: str) -> None:
        hooks = self.engine.hooks()
        hooks.after(messages, session=session, scope=self.scope)
        assert hooks.flush(60.0)

    def synthesize(self, query: str, **options: Any) -> tuple[str, tuple[str, ...]]:
        made = self.engine.synthesize(query, **{"scope": self.scope, **options}).synthesis
        return made.text, tuple(made.ids)

    def memory_search(self, query: Any, **options: Any) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.engine.memory_search(query, **options)
        return found

    def memory_get(self, path: Any, **options: Any) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.engine.memory_get(path, **options)
        return found

    def export(self, *, with_text: bool = False, **options: Any) -> Sequence[Mapping[str, Any]]:
        return tuple(self.engine.export(self._filter(ANY_STATE, **options), redact=not with_text))

    def import_(self, records: Sequence[Mapping[str, Any]], **options: Any) -> TakenIn:
        done = self.engine.import_(map(json.dumps, records), **options)
        facts = done.receipt.facts
        return TakenIn(facts["memories"], facts["turns"], sum(facts["duplicates"].values()), done.receipt.id)

    def flush_plan(self, **state: Any) -> Mapping[str, Any]:
        plan: Mapping[str, Any] = self.engine.flush_plan(FlushSession(**state)).to_json()
        return plan

    def flush_prompt(self) -> str:
        plan = self.engine.flush_plan(FlushSession(context_window=1, tokens_used=0))
        return f"{plan.system_prompt}\n\n{plan.prompt}"

    def receipt(self, id: str) -> Mapping[str, Any]:
        payload: Mapping[str, Any] = self.engine.receipt(id).to_json()
        return payload

    def _filter(self, unless_told: frozenset[State], **options: Any) -> Filter:
        chosen = {name: options[name] for name in ("since", "until") if name in options}
        return Filter(
            scopes=frozenset({options.get("scope", self.scope)}),
            kinds=_several(Kind, options.get("kinds")),
            lanes=_several(Lane, options.get("lanes")),
            states=_several(State, options.get("states")) or unless_told,
            **chosen,
        )


def _several(choices: Any, names: Iterable[str] | None) -> frozenset[Any] | None:
    return None if names is None else frozenset(map(choices, names))


# --- a host that speaks MCP -------------------------------------------------------------------------------------------


@dataclass
class Tools:
    """The tools a model is offered, called by the SDK's own client."""

    host: Host
    scope: str

    def remember(self, text: Any, **fields: Any) -> Kept:
        if "source" in fields:
            fields["source_kind"] = fields.pop("source")
        done = self._call("remember", text=text, **{"scope": self.scope, **fields})
        return Kept(done["memory"]["id"], done["memory"]["trust"], done["receipt"])

    def recall(self, query: Any, **options: Any) -> Recalled:
        return self._recalled(self._call("recall", query=query, **_spelled({"scope": self.scope, **options})))

    def search(self, query: Any, **options: Any) -> Recalled:
        return self._recalled(self._call("search", query=query, **_spelled({"scope": self.scope, **options})))

    def _recalled(self, found: Mapping[str, Any]) -> Recalled:
        hits = tuple(Seen.told(hit["trace"] | {"score": hit["score"], "legs": hit["legs"]}) for hit in found["hits"])
        return Recalled(hits, found["block"], found["tokens"], found["receipt"], found.get("skipped"))

    def get(self, id: Any) -> Seen:
        return Seen.told(self._call("get", id=id))

    def forget(self, id: Any) -> Gone:
        return self._gone(self._call("forget", id=id))

    def forget_matching(self, query: Any, **options: Any) -> Gone:
        return self._gone(self._call("forget", query=query, **{"scope": self.scope, **options}))

    def _gone(self, done: Mapping[str, Any]) -> Gone:
        return Gone(tuple(done["ids"]), tuple(map(Seen.told, done["candidates"])), done["receipt"])

    def list(self, **options: Any) -> tuple[Seen, ...]:
        found = self._call("list", **_narrowed({"scope": self.scope, **options}))
        return tuple(map(Seen.told, found["memories"]))

    def stats(self, **options: Any) -> Mapping[str, Any]:
        found = self._call("stats", **_narrowed({"scope": self.scope, **options}))
        return {name: found[name] for name in ("total", "by_kind", "by_state")}

    def memory_search(self, query: Any, **options: Any) -> Mapping[str, Any]:
        return self._call("search_files", query=query, **options)

    def memory_get(self, path: Any, **options: Any) -> Mapping[str, Any]:
        return self._call("read_file", path=path, **_spelled(options))

    def flush_prompt(self) -> str:
        (message,) = self.host.run("get_prompt", "flush").messages
        said: str = message.content.text
        return said

    def _call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answered = self.host.call(tool, {name: _sent(value) for name, value in arguments.items()})
        if answered.result.is_error:
            raise as_raised(answered.error)
        return answered.plain


_SPELLED = {"start": "from"}
_NARROWED = {"kinds": "kind", "lanes": "lane", "states": "state"}


def _spelled(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options in the words the tools know them by; what is not given is left out."""
    return {_SPELLED.get(name, name): value for name, value in options.items() if value is not None}


def _narrowed(options: Mapping[str, Any]) -> dict[str, Any]:
    """The same for what is listed and counted."""
    return {_NARROWED.get(name, name): value for name, value in options.items() if value is not None}


def _sent(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return list(value) if isinstance(value, frozenset | tuple) else value


def as_raised(payload: Mapping[str, Any]) -> EngineError:
    """The error of the engine that a host was told of."""
    hint = payload.get("hint") or ""
    if payload["code"] == InvalidRequest.code:
        name = payload["field"]
        return InvalidRequest(payload["message"].removeprefix(f"{name}: "), field=name, hint=hint)
    kind = next(kind for kind in _kinds(EngineError) if kind.code == payload["code"])
    return kind(payload["message"], hint=hint)


def _kinds(of: type[EngineError]) -> Iterator[type[EngineError]]:
    yield of
    for kind in of.__subclasses__():
        yield from _kinds(kind)

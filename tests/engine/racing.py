"""Verbs that change one memory, and what has to be so of its history whichever of them run at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import pairwise

from cortex.domain.events import EventKind
from cortex.domain.lanes import ANY_STATE
from cortex.domain.memory import Memory
from cortex.domain.trace import Trace
from cortex.errors import Conflict, InvalidRequest, NotFound, StoreBusy
from cortex.memory import Cortex
from cortex.ports.store import Filter

TEXT = "I live in Lisbon"
REFUSALS = (Conflict, InvalidRequest, NotFound, StoreBusy)

Act = Callable[[Cortex, str], object]


def nothing(_engine: Cortex, _id: str) -> None:
    pass


@dataclass(frozen=True)
class Verb:
    """One verb: what has to be there before it can do something, and the call itself."""

    act: Act
    arrange: Act = nothing


def begin(engine: Cortex) -> str:
    """A conversation, and the memory extracted from it that everything is about."""
    captured = engine.capture(_history(TEXT), session="first")
    (memory,) = captured.memories
    return memory.id


def _history(said: str) -> list[dict[str, str]]:
    lines = (("user", "Good morning to you"), ("assistant", "Good morning."), ("user", said), ("assistant", "Noted."))
    return [{"role": role, "content": text} for role, text in lines]


def edit(engine: Cortex, id: str, text: str = "I live in the old town of Lisbon", *, embed: bool = True) -> None:
    """As a person would, from a page that was exported; what is not active is on no page."""
    was = engine.get(id)
    (page,) = engine.export_markdown(Filter(ids=frozenset({was.id})))
    if was.text not in page.text:
        raise Conflict("is not on the page")
    engine.import_markdown(page.text.replace(was.text, text), embed=embed)


def _say(text: str) -> Act:
    """Captured without waiting for others who decide at the same time: they may wait for this one."""

    def act(engine: Cortex, _id: str) -> None:
        engine.ingest(_history(text), session=f"said {text}", debounce=False)
        engine.run_jobs()

    return act


def _change_history(engine: Cortex, _id: str) -> None:
    engine.ingest(_history("I live in Faro"), session="first", debounce=False)


def _twin(engine: Cortex, _id: str) -> None:
    engine.remember(TEXT)


def _twin_and_tend(engine: Cortex, id: str) -> None:
    _twin(engine, id)
    engine.consolidate()


def _undo(engine: Cortex, _id: str) -> None:
    receipt = engine.receipts(op="consolidate", limit=1)[0]
    engine.undo_consolidation(str(receipt.facts["run"]))


def _without_vector(engine: Cortex, id: str) -> None:
    """As if it had been stored while the embedder was away."""
    attempt(lambda: edit(engine, id, f"{TEXT} now", embed=False))


def _restore_and_edit(engine: Cortex, id: str) -> None:
    engine.restore(id)
    edit(engine, id)


def forget(engine: Cortex, id: str) -> None:
    engine.forget(id)


VERBS: Mapping[str, Verb] = {
    "edit": Verb(edit),
    "forget": Verb(forget),
    "restore": Verb(lambda engine, id: engine.restore(id), forget),
    "restore and edit": Verb(_restore_and_edit, forget),
    "supersede": Verb(lambda engine, id: engine.remember("I live in Porto", supersedes=id)),
    "say it again": Verb(_say("I live in Lisbon")),
    "say otherwise": Verb(_say("I live in Porto now")),
    "take it back": Verb(_say("I no longer live in Lisbon")),
    "change the history": Verb(_change_history),
    "consolidate": Verb(lambda engine, _id: engine.consolidate(), _twin),
    "undo a consolidation": Verb(_undo, _twin_and_tend),
    "backfill": Verb(lambda engine, _id: engine.backfill(), _without_vector),
    "recall": Verb(lambda engine, _id: engine.recall("where do I live?")),
    "erase": Verb(lambda engine, id: engine.erase(id)),
}


def attempt(act: Callable[[], object]) -> bool:
    """Whether it was acknowledged; a refusal that says so is as good."""
    try:
        act()
    except REFUSALS:
        return False
    return True


# --- what has to be so ------------------------------------------------------------------------------------------------

_STATEMENT = frozenset(
    ("text", "tags", "scope", "kind", "importance", "label", "retention", "ttl", "subject", "attribute", "value",
     "trust", "source_kind")
)  # fmt: skip
_SAID_AGAIN = frozenset(
    ("confidence", "reinforced", "source_turns", "importance", "label", "retention", "ttl", "subject", "attribute",
     "value", "tags", "topic", "valid_from", "valid_to", "supersedes", "contradicts")
)  # fmt: skip
_REPLACED = frozenset({"state", "superseded_by", "valid_to"})

MAY_CHANGE: Mapping[EventKind, frozenset[str]] = {
    EventKind.FORGOTTEN: frozenset({"state"}),
    EventKind.EXPIRED: frozenset({"state"}),
    EventKind.REVISED: _STATEMENT | {"source_turns"},
    EventKind.SUPERSEDED: _REPLACED,
    EventKind.CONTRADICTED: frozenset({"contradicts"}),
    EventKind.REINFORCED: _SAID_AGAIN,
    EventKind.CONSOLIDATED: _REPLACED | _SAID_AGAIN,
    EventKind.RESTORED: _REPLACED | _SAID_AGAIN,
    EventKind.WITHDRAWN: frozenset({"state", "source_turns"}),
    EventKind.OUTDATED: frozenset({"outdated_by"}),
}
"""What a version may differ in from the one before it, by what happened. More is somebody else's change, undone."""


def lost_updates(engine: Cortex) -> Iterator[str]:
    """Every version that takes back what another verb had written."""
    kinds = {event.position: EventKind(event.kind) for event in _events(engine)}
    for trace in everything(engine):
        for before, after in pairwise(engine.show(trace.id).versions):
            kind = kinds[after.since]
            changed = {
                field.name for field in fields(trace)
                if field.name not in {"access_count", "last_accessed_at"}
                and getattr(before.trace, field.name) != getattr(after.trace, field.name)
            }  # fmt: skip
            if beyond := changed - MAY_CHANGE[kind]:
                yield f"{kind} of {trace.text!r} changed {sorted(beyond)}"


def second_successors(engine: Cortex) -> Iterator[str]:
    """Every memory that two others claim to supersede."""
    known: dict[str, str] = {}
    for trace in everything(engine):
        if isinstance(trace, Memory) and trace.supersedes is not None:
            if trace.supersedes in known:
                yield f"{trace.id} and {known[trace.supersedes]} supersede {trace.supersedes}"
            known[trace.supersedes] = trace.id


def everything(engine: Cortex) -> Iterator[Trace]:
    after = None
    while page := engine.list(Filter(states=ANY_STATE), after=after, limit=1_000):
        yield from page
        after = page[-1].id


def _events(engine: Cortex) -> Iterator[object]:
    after = 0
    while page := engine.events(after=after):
        yield from page
        after = page[-1].position


def problems(engine: Cortex) -> list[str]:
    found = [*lost_updates(engine), *second_successors(engine)]
    return [*found, *(json.dumps([each.code, each.detail]) for each in engine.verify())]

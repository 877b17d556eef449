"""What was changed in a file and in the store, each in its own way: reported, never guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cortex.domain.identity import TraceId
from cortex.domain.memory import Memory
from cortex.errors import Conflict
from cortex.exchange.editable_fields import EditableFields
from cortex.exchange.pages import fields_line

_EXCERPT, _BEFORE = 120, 40


@dataclass(frozen=True, slots=True)
class Divergence:
    """A memory that was changed in the file and in the store, each in its own way."""

    id: TraceId
    where: str
    """Where the file speaks of it; empty where its item was deleted."""
    base: str
    """The digest of what was exported; empty for an item that never was."""
    base_text: str | None
    """What was exported, where history still has it."""
    yours: EditableFields | None
    theirs: Memory

    def to_json(self) -> dict[str, Any]:
        """The three by digest, state and a short excerpt that begins where they part."""
        theirs = EditableFields.of(self.theirs)
        texts = (self.base_text, self.yours.text if self.yours else None, theirs.text)
        base, yours, text = _excerpts(texts)
        return {
            "id": self.id,
            "where": self.where or None,
            "base": {"digest": self.base or None, "text": base},
            "yours": _to_json(self.yours, self.id, yours) if self.yours else None,
            "theirs": {**_to_json(theirs, self.id, text), "state": self.theirs.state.value},
        }


class EditConflict(Conflict):
    """What was edited in a file was also changed in the store; `divergences` has both sides, text included."""

    def __init__(self, divergences: Sequence[Divergence]) -> None:
        named = ", ".join(each.id for each in divergences[:3])
        more = f" and {len(divergences) - 3:,} more" if len(divergences) > 3 else ""
        super().__init__(
            f"changed in the file and here since the export: {named}{more}; nothing was imported",
            hint="export again and repeat these edits, or import the others with --skip-conflicts",
        )
        self.divergences = tuple(divergences)


def _to_json(statement: EditableFields, id: str, excerpt: str | None) -> dict[str, Any]:
    fields = fields_line(statement) or None
    about = {"scope": statement.scope, "kind": statement.kind.value, "fields": fields}
    return {"digest": statement.digest(id), "text": excerpt, **about}


def _excerpts(texts: Sequence[str | None]) -> list[str | None]:
    """A short piece of each text, from just before the place where they part."""
    said = {text for text in texts if text is not None}
    parting = next((at for at, chars in enumerate(zip(*said, strict=False)) if len(set(chars)) > 1), None)
    shortest = min(map(len, said), default=0)
    # Texts that are all the same part nowhere, and are shown from their beginning.
    start = max(0, (shortest if parting is None else parting) - _BEFORE) if len(said) > 1 else 0
    return [None if text is None else _excerpt(text, start) for text in texts]


def _excerpt(text: str, start: int) -> str:
    piece = " ".join(text[start : start + _EXCERPT].split())
    return f"{'…' if start else ''}{piece}{'…' if len(text) > start + _EXCERPT else ''}"

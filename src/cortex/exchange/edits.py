"""What edits in a file mean for the store: base, yours and theirs are compared, memory by memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from cortex.domain.choices import aware, chosen
from cortex.domain.events import EventKind
from cortex.domain.identity import IdSource, TraceId
from cortex.domain.importance import ImportanceLabel, Origin
from cortex.domain.injection_detection import tier_for
from cortex.domain.lanes import State
from cortex.domain.memory import GOVERNED, Draft, Memory, Retention
from cortex.domain.receipt import MAX_ITEMS_CAP, Receipt
from cortex.domain.scope import Tenant
from cortex.domain.trust import SourceKind, TrustTier, least
from cortex.errors import InvalidRequest, NotFound
from cortex.exchange.divergences import Divergence, EditConflict
from cortex.exchange.editable_fields import EditableFields
from cortex.exchange.page_reader import Item, MarkdownReader
from cortex.exchange.pages import active_memories
from cortex.ports.store import Change, ExpectSame, Filter, Put, View


@dataclass(slots=True)
class MarkdownPlan:
    """What importing an edited file would change, and what it leaves alone."""

    dry_run: bool = False
    trusted: bool = True
    position: int = 0
    """The ledger position when it was planned; after it was applied, the new position."""
    created: list[Memory] = field(default_factory=list)
    edited: list[Memory] = field(default_factory=list)
    forgotten: list[Memory] = field(default_factory=list)
    replaced: list[Memory] = field(default_factory=list)
    """What is here of those that are edited or forgotten."""
    unchanged: int = 0
    """As it was exported, whatever became of it since."""
    same: int = 0
    """Changed, and here already."""
    divergences: list[Divergence] = field(default_factory=list)
    missing: list[TraceId] = field(default_factory=list)
    """Exported and still active here, but no longer in the file."""

    @property
    def changes(self) -> list[Change]:
        """All of it in one transaction, for a store that still says what was compared."""
        return [
            *(ExpectSame(memory) for memory in self.replaced),
            *(Put(memory, EventKind.REVISED) for memory in self.edited),
            *(Put(memory, EventKind.IMPORTED) for memory in self.created),
            *(Put(memory, EventKind.FORGOTTEN) for memory in self.forgotten),
        ]

    @property
    def stored(self) -> list[TraceId]:
        """What is stored by it and may need vectors; nothing in a dry run."""
        return [] if self.dry_run else [memory.id for memory in (*self.edited, *self.created)]

    def facts(self) -> dict[str, Any]:
        """For the receipt: counts and ids, never text."""
        return {
            "created": len(self.created),
            "edited": len(self.edited),
            "unchanged": self.unchanged,
            "same": self.same,
            "conflicts": len(self.divergences),
            "forgotten": len(self.forgotten),
            "missing": len(self.missing),
            "created_ids": _some(memory.id for memory in self.created),
            "edited_ids": _some(memory.id for memory in self.edited),
            "conflict_ids": _some(each.id for each in self.divergences),
            "forgotten_ids": _some(memory.id for memory in self.forgotten),
            "missing_ids": _some(self.missing),
            "trusted": self.trusted,
            "dry_run": self.dry_run,
        }


@dataclass(frozen=True, slots=True)
class MarkdownImported:
    """What became of an import of Markdown, and the receipt."""

    plan: MarkdownPlan
    receipt: Receipt


def markdown_plan(
    pages: Mapping[str, str],
    view: View,
    *,
    tenant: Tenant,
    ids: IdSource,
    now: datetime,
    max_text_bytes: int,
    dry_run: bool = False,
    trusted: bool = True,
    skip_conflicts: bool = False,
    forget_missing: bool = False,
) -> MarkdownPlan:
    """What the edits in `pages` (text by name) mean for the tenant of `view`.

    Anything wrong with a page is an error that names its line. A conflict is an `EditConflict`, unless
    `skip_conflicts`: then the store keeps its version, and the conflict is reported. What is missing is forgotten only
    on request.
    """
    read = [MarkdownReader(text, name) for name, text in pages.items()]
    for page in read:
        _check_owner(page, tenant)
    items = _unique(item for page in read for item in page.items)
    editing = _Editing(view, ids, now, max_text_bytes, MarkdownPlan(dry_run, trusted, view.position))
    editing.compare(items)
    editing.miss(read, {item.id for item in items}, forget=forget_missing)
    if editing.plan.divergences and not skip_conflicts:
        raise EditConflict(editing.plan.divergences)
    return editing.plan


class _Editing:
    """Compares what pages say with what the store says, and draws up the plan."""

    def __init__(self, view: View, ids: IdSource, now: datetime, max_text_bytes: int, plan: MarkdownPlan) -> None:
        self._view = view
        self._ids = ids
        self._now = now
        self._max_text_bytes = max_text_bytes
        self._source = SourceKind.OPERATOR if plan.trusted else SourceKind.IMPORT
        self._here: set[TraceId] = set()
        """What an item without an id was found to be."""
        self.plan = plan

    def compare(self, items: Sequence[Item]) -> None:
        known = self._memories([item.id for item in items if item.id])
        for item in items:
            if item.id:
                self._compare(item, known.get(item.id))
        new = [item for item in items if not item.id]
        alike = self._alike() if new else {}
        for item in new:
            self._create(item, alike.setdefault((item.statement.scope, item.statement.text), []))

    def miss(self, pages: Sequence[MarkdownReader], there: set[TraceId | None], *, forget: bool) -> None:
        """What was exported to the pages and is on none of them any more."""
        bases: dict[TraceId, set[str]] = {}
        for page in pages:
            for id, base in page.exported.items():
                bases.setdefault(id, set()).add(base)
        gone = sorted(bases.keys() - there - self._here)
        for id, memory in self._memories(gone).items():
            if memory.state is not State.ACTIVE:
                continue
            if not forget:
                self.plan.missing.append(id)
            elif EditableFields.of(memory).digest(id) in bases[id]:
                self.plan.replaced.append(memory)
                self.plan.forgotten.append(memory.revised(state=State.FORGOTTEN))
            else:
                self._diverge(Divergence(id, "", min(bases[id]), None, None, memory))

    def _compare(self, item: Item, memory: Memory | None) -> None:
        if memory is None:
            raise NotFound(
                f"{item.where}: no memory {item.id}",
                hint="the file may be of another user or store; without its comment the item is a new memory",
            )
        yours, theirs = item.statement.digest(memory.id), EditableFields.of(memory).digest(memory.id)
        active = memory.state is State.ACTIVE
        if yours == item.base:
            self.plan.unchanged += 1
        elif active and yours == theirs:
            self.plan.same += 1
        elif active and theirs == item.base:
            self._check(item, memory.created_at)
            self.plan.replaced.append(memory)
            self.plan.edited.append(_edited(memory, item.statement, self._source))
        else:
            self._diverge(Divergence(memory.id, item.where, item.base, None, item.statement, memory))

    def _create(self, item: Item, alike: list[Memory]) -> None:
        """A new memory, unless it is here: then the item is what is left of one that lost its comment."""
        if same := next((memory for memory in alike if EditableFields.of(memory) == item.statement), None):
            self._here.add(same.id)
            self.plan.same += 1
        elif alike:
            self._here.add(alike[0].id)
            self._diverge(Divergence(alike[0].id, item.where, "", None, item.statement, alike[0]))
        else:
            draft = self._check(item, self._now)
            memory = draft.memory(TraceId(self._ids(self._now)), self._now)
            alike.append(memory)
            self.plan.created.append(memory)

    def _check(self, item: Item, born: datetime) -> Draft:
        try:
            if item.statement.expires and item.statement.expires <= born:
                raise InvalidRequest("is before the memory was made", field="expires", hint="give a later time")
            return item.statement.draft(born, self._source).checked(self._max_text_bytes)
        except InvalidRequest as error:
            raise InvalidRequest(error.message, field=item.where, hint=error.hint) from error

    def _diverge(self, found: Divergence) -> None:
        said = (version.trace for version in self._view.history(found.id)) if found.base else ()
        exported = (
            trace.text
            for trace in said
            if isinstance(trace, Memory) and EditableFields.of(trace).digest(trace.id) == found.base
        )
        self.plan.divergences.append(replace(found, base_text=next(exported, None)))

    def _memories(self, ids: Sequence[TraceId]) -> dict[TraceId, Memory]:
        return {trace.id: trace for trace in self._view.load(ids) if isinstance(trace, Memory)}

    def _alike(self) -> dict[tuple[str, str], list[Memory]]:
        """What will be here besides new memories, by scope and text."""
        edited = {memory.id: memory for memory in self.plan.edited}
        found: dict[tuple[str, str], list[Memory]] = {}
        for known in active_memories(self._view, Filter()):
            memory = edited.get(known.id, known)
            found.setdefault((memory.scope, memory.text), []).append(memory)
        return found


def _edited(memory: Memory, yours: EditableFields, source: SourceKind) -> Memory:
    """The next version of `memory`. It is never more trusted than the last: a fixed typo vouches for nothing."""
    theirs, draft = EditableFields.of(memory), yours.draft(memory.created_at)
    changes: dict[str, Any] = {"text": yours.text, "scope": yours.scope, "kind": yours.kind}
    if yours.tags != theirs.tags:
        changes["tags"] = yours.tags
    if yours.importance != theirs.importance:
        graded = ImportanceLabel.UNKNOWN if draft.importance is None else ImportanceLabel.of(draft.importance)
        changes |= {"importance": yours.importance, "label": graded}
    if (yours.retention, yours.expires) != (theirs.retention, theirs.expires):
        changes |= {"retention": yours.retention, "ttl": draft.ttl}
    reworded = yours.text != theirs.text
    if reworded and not (memory.value and memory.value.casefold() in yours.text.casefold()):
        # What the old words gave a value to is not what the new ones speak of.
        changes |= {"subject": "", "attribute": "", "value": ""}
    if source is SourceKind.IMPORT:
        lowered = least((memory.trust, tier_for(source, yours.text)))
        changes |= {"trust": lowered, "source_kind": source}
    elif reworded and memory.trust is TrustTier.TRUSTED:
        changes["source_kind"] = source
    revised = memory.revised(**changes)
    if source is SourceKind.OPERATOR:
        set_here = [name for name in GOVERNED if getattr(revised, name) != getattr(memory, name)]
        return _set_by_operator(revised, set_here)
    return revised


def _set_by_operator(memory: Memory, fields: Iterable[str]) -> Memory:
    """The memory, whose `fields` are from now on the operator's."""
    origins = memory.origins.having(fields, Origin.OPERATOR)
    return memory if origins == memory.origins else memory.revised(origins=origins)


_GOVERNS = {"importance": ("importance", "label"), "label": ("label",), "scope": ("scope",), "kind": ("kind",)}
"""The governed fields that an edit sets."""
_EDITABLE = ("text", "scope", "kind", "importance", "label", "tags", "retention", "expires_at")


def edited(memory: Memory, changes: Mapping[str, Any], max_text_bytes: int) -> Memory:
    """`memory` as `changes` make it, checked as what is remembered is; itself where they change nothing."""
    statement = _changed(EditableFields.of(memory), changes)
    if statement.expires is not None and "expires_at" in changes and statement.expires <= memory.created_at:
        raise InvalidRequest("is before the memory was created", field="expires_at", hint="give a later time")
    draft = statement.draft(memory.created_at).checked(max_text_bytes)
    checked = replace(statement, kind=draft.kind, tags=draft.tags, retention=draft.retention)
    same = checked == EditableFields.of(memory)
    revised = memory if same else _edited(memory, checked, SourceKind.OPERATOR)
    if changes.get("label") is not None:
        revised = revised.revised(label=chosen(ImportanceLabel, changes["label"], "label"))
    given = [name for name, value in changes.items() if value is not None]
    # Who sets a value that it has already wants it to stay.
    return _set_by_operator(revised, [field for name in given for field in _GOVERNS.get(name, ())])


def _changed(statement: EditableFields, changes: Mapping[str, Any]) -> EditableFields:
    for name in changes:
        if name not in _EDITABLE:
            raise InvalidRequest("cannot be edited", field=name, hint=f"what can be: {', '.join(_EDITABLE)}")
    payload = {name: value for name, value in changes.items() if value is not None}
    if not payload:
        raise InvalidRequest("changes nothing", field="changes", hint=f"give any of {', '.join(_EDITABLE)}")
    if "expires_at" in payload and "retention" in payload:
        raise InvalidRequest("is given beside expires_at", field="retention", hint="give one of the two")
    if (expires := payload.pop("expires_at", None)) is not None:
        payload |= {"retention": Retention.TTL, "expires": aware(expires, "expires_at").astimezone(UTC)}
    elif "retention" in payload:
        payload["expires"] = None
    payload.pop("label", None)  # it is none of the fields that a file shows
    if "tags" in payload:
        payload["tags"] = tuple(tag for tag in payload["tags"] if tag)
    if "importance" in payload and isinstance(payload["importance"], int):
        payload["importance"] = float(payload["importance"])
    return replace(statement, **payload)


def _check_owner(page: MarkdownReader, tenant: Tenant) -> None:
    for key, (where, name) in page.owner.items():
        if name != getattr(tenant, key):
            raise InvalidRequest(
                f"is of the {key} {name[:64]!r}, not of {getattr(tenant, key)!r}",
                field=where,
                hint=f"import it with --{key}, or export the memories of the one you mean",
            )


def _unique(items: Iterable[Item]) -> list[Item]:
    first: dict[TraceId, str] = {}
    found = list(items)
    for item in found:
        if item.id and first.setdefault(item.id, item.where) != item.where:
            raise InvalidRequest(
                f"has the id {item.id} of {first[item.id]} too",
                field=item.where,
                hint="delete one of the two, or its comment to make it a new memory",
            )
    return found


def _some(ids: Iterable[str]) -> list[str]:
    return list(ids)[:MAX_ITEMS_CAP]

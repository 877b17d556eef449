"""Imports from other programs: conversations and memories go through the same intake as live ones.

A source is read once to count and check all of it, then once more to store it. Each conversation is one transaction,
and what is stored already is known again: an import that was stopped goes on where it was, under the same name.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from cortex import exchange
from cortex.capture.messages import received
from cortex.context import Context
from cortex.domain.receipt import Receipt
from cortex.domain.scope import checked_label
from cortex.domain.secrets import redacted
from cortex.domain.tags import IMPORT
from cortex.domain.trust import SourceKind, TrustTier
from cortex.domain.turn import Role, TurnDraft
from cortex.errors import InvalidRequest
from cortex.exchange.import_format import (
    AUTO,
    Account,
    ForeignConversation,
    ForeignMemory,
    ImportFormat,
    ImportItem,
    chosen_account,
    detected,
    import_formats,
    named,
)
from cortex.exchange.import_source import ImportSource
from cortex.ports.store import JobState
from cortex.progress import Progress
from cortex.services.capture import CaptureService
from cortex.services.exchange import embed_stored
from cortex.services.files.files import files_of
from cortex.services.import_runs import ImportRun, ImportRuns, ImportUndo, storable
from cortex.services.jobs import JobService, stored_memories
from cortex.services.tags import TagService
from cortex.workspace.sources import Shape
from cortex.workspace.transcript_rows import messages_of

AT_ONCE = 4_000
"""How many messages of a conversation are stored together."""
CHARS_AT_ONCE = 16_000_000
_JOBS_AT_ONCE = 20
_MOST_JOBS = 100_000


@dataclass(slots=True)
class ImportPreview:
    """What a source holds: counted, checked, and not stored."""

    format: str
    title: str
    source: str
    account: Account | None = None
    conversations: int = 0
    turns: int = 0
    memories: int = 0
    notes: int = 0
    first: datetime | None = None
    last: datetime | None = None
    skipped: Counter[str] = field(default_factory=Counter)

    def note(self, at: datetime | None) -> None:
        """Widen the dates by one more."""
        if at is not None:
            self.first = min(self.first or at, at)
            self.last = max(self.last or at, at)

    def to_json(self) -> dict[str, Any]:
        times = {name: at.isoformat() if (at := getattr(self, name)) else None for name in ("first", "last")}
        account = self.account.id if self.account else None
        return asdict(self) | times | {"account": account, "skipped": dict(sorted((+self.skipped).items()))}


@dataclass(slots=True)
class _Stored:
    """What an import has stored so far."""

    turns: int = 0
    memories: int = 0
    known: int = 0
    redacted: int = 0
    untrusted: int = 0
    """Of the memories that the source itself holds; so are the quarantined ones."""
    quarantined: int = 0
    skipped: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What a source holds, what was stored of it, and the receipt. `run` names the import to undo it.

    It is empty for a dry run, and where all was known already.
    """

    preview: ImportPreview
    run: str
    receipt: Receipt

    def to_json(self) -> dict[str, Any]:
        """For `--json`: the counts of the source, and the facts of the receipt."""
        return {**self.receipt.facts, "found": self.preview.to_json(), "receipt_id": self.receipt.id}


class ImportService:
    """Imports what other programs know into the memory of one tenant."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._runs = ImportRuns(context)

    def runs(self) -> list[ImportRun]:
        return self._runs.all()

    def undo(self, run: str) -> ImportUndo:
        return self._runs.undo(run)

    def preview(self, path: str | Path, *, format: str = AUTO, account: str | None = None) -> ImportPreview:
        with ImportSource(path) as source:
            chosen = _format(source, format)
            owner = chosen_account(chosen.accounts(source), account, source)
            self._check_owner(chosen, owner, account)
            found = ImportPreview(chosen.name, chosen.title, str(source.path.absolute()), owner)
            for item in chosen.read(source, owner):
                self._count(item, found)
            found.skipped.update(+source.skipped)
        return found

    def _check_owner(self, format: ImportFormat, owner: Account | None, named: str | None) -> None:
        """Two people have two memories: another account than the one imported before has to be meant."""
        earlier = {run.account for run in self._runs.all() if run.format == format.name and not run.undone}
        if owner is not None and named is None and earlier - {"", owner.id}:
            raise InvalidRequest(
                f"is of the account {owner}, and another one was imported into this memory before",
                field="account",
                hint=f"use another memory with --agent or --user, or give --account {owner.id} to import it here too",
            )

    def _count(self, item: ImportItem, found: ImportPreview) -> None:
        if isinstance(item, ForeignConversation):
            turns = 0
            for drafts in self._drafts(item, found.skipped):
                turns += len(drafts)
                for draft in drafts:
                    found.note(draft.at)
            found.turns += turns
            found.conversations += turns > 0
            found.skipped["conversation without messages"] += turns == 0
        elif isinstance(item, ForeignMemory):
            found.memories += 1
            found.note(item.at)
        else:
            found.notes += item.notes

    # --- storing ---------------------------------------------------------------------------------

    def run(
        self,
        path: str | Path,
        *,
        format: str,
        account: str | None,
        scope: str,
        scope_of: Callable[[str], str | None] | None,
        dry_run: bool,
        trusted: bool,
        extract: bool,
        preview: ImportPreview | None,
        progress: Progress,
    ) -> ImportResult:
        checked_label(scope, "scope")
        found = preview or self.preview(path, format=format, account=account)
        stored, run = _Stored(), ""
        with self._context.recording("import_from") as record:
            if not dry_run:
                of_folder = scope_of or (lambda _: None)
                run = self._run(found, stored, scope=scope, of_folder=of_folder, trusted=trusted, progress=progress)
                if extract:
                    self._extract(run, stored, progress)
            facts = {**asdict(stored), "skipped": dict(sorted((+stored.skipped).items()))}
            record.close(self._context.position(), run=run, format=found.format, dry_run=dry_run, **facts)
        return ImportResult(found, run, record.receipt)

    def _run(
        self, found: ImportPreview, stored: _Stored, *, scope: str, of_folder: Callable[[str], str | None],
        trusted: bool, progress: Progress,
    ) -> str:  # fmt: skip
        run = self._runs.begin(found.format, found.source, found.account.id if found.account else "")
        memories: list[ForeignMemory] = []
        done = 0
        with ImportSource(found.source) as source:
            for item in named(found.format).read(source, found.account):
                if isinstance(item, ForeignConversation):
                    project = of_folder(item.folder) if item.folder else None
                    self._store(item, run, project or scope, stored, share_personal=project is not None)
                    done += 1
                    progress(done, found.conversations, item.title or item.session)
                elif isinstance(item, ForeignMemory):
                    memories.append(item)
                else:
                    run = self._index(item.path.resolve(), run, progress)
            stored.skipped.update(+source.skipped)
        self._store_memories(memories, run, scope, trusted, stored, progress)
        return self._runs.end(run, turns=stored.turns, memories=stored.memories)

    def _store(
        self, conversation: ForeignConversation, run: ImportRun, scope: str, stored: _Stored, *, share_personal: bool
    ) -> None:
        follows = 0
        session = _session(conversation.session)
        pieces = self._drafts(conversation, stored.skipped)
        drafts = next(pieces, None)
        while drafts is not None:
            more = next(pieces, None)
            done = CaptureService(self._context).ingest(
                drafts, session=session, scope=scope, channel=run.format, debounce=False, import_run=run.id,
                follows=None if more is None and not follows else follows, share_personal=share_personal,
            )  # fmt: skip
            facts = done.receipt.facts
            stored.turns += facts["stored"]
            stored.known += facts["seen"]
            stored.redacted += sum(facts["redacted"].values())
            stored.skipped.update(facts["skipped"])
            if reason := facts.get("reason"):
                stored.skipped[reason] += len(drafts)
            follows += len(drafts)
            drafts = more

    def _drafts(self, conversation: ForeignConversation, skipped: Counter[str]) -> Iterator[list[TurnDraft]]:
        """The messages of a conversation as turns, each with its time; many or long ones in several pieces."""
        settings = self._context.settings
        rows = iter(conversation.messages)
        at, piece, chars = conversation.at, list[TurnDraft](), 0
        while some := list(islice(rows, 200)):
            accepted = received(
                messages_of(some),
                max_messages=len(some),
                max_message_bytes=settings.limits.max_message_bytes,
                tools=settings.capture.keep_tool_output,
            )
            skipped.update(noted.reason.value for noted in accepted.skipped)
            for message in accepted.said:
                at = message.at or at
                piece.append(
                    TurnDraft(
                        text=message.text, role=message.role, speaker=_speaker(message.role, message.speaker), at=at
                    )
                )
                chars += len(message.text)
                if len(piece) >= AT_ONCE or chars >= CHARS_AT_ONCE:
                    yield piece
                    piece, chars = [], 0
        if piece:
            yield piece

    def _store_memories(
        self, found: Sequence[ForeignMemory], run: ImportRun, scope: str, trusted: bool, stored: _Stored,
        progress: Progress,
    ) -> None:  # fmt: skip
        if not found:
            return
        context = self._context
        erased = {id for erasure in context.store.erasures(context.tenant.user) for id in erasure.ids}
        lines = []
        for memory in found:
            clean = redacted(storable(memory.text))
            stored.redacted += len(clean.found)
            line = _line(replace(memory, text=clean.text), run, scope, trusted, context)
            stored.skipped["erased"] += line["id"] in erased
            if line["id"] not in erased:
                lines.append(json.dumps(line, ensure_ascii=False))
        plan = exchange.import_lines(
            lines,
            tenant=context.tenant,
            store=context.store,
            clock=context.clock,
            ids=context.ids,
            max_text_bytes=context.max_text_bytes,
            skip_bad=True,
            trusted=trusted,
            secure=lambda memories: TagService(context).automatic_before(IMPORT, memories, run.after),
        )
        embed_stored(context, plan.position, plan.stored, progress=progress)
        stored.memories += len(plan.stored)
        stored.untrusted += plan.trusts[TrustTier.UNTRUSTED]
        stored.quarantined += plan.trusts[TrustTier.QUARANTINED]
        stored.known += sum(plan.duplicates.values())
        stored.skipped.update(f"{bad.field} {bad.reason}" for bad in plan.bad)

    def _index(self, folder: Path, run: ImportRun, progress: Progress) -> ImportRun:
        """Index a workspace from now on; the import notes it first where it was not indexed before."""
        files = files_of(self._context)
        if folder not in {source.root for source in files.sources()}:
            run = self._runs.note_folder(run, folder)
        files.add(folder, shape=Shape.WORKSPACE)
        files.sync_all(progress=progress)
        return run

    def _extract(self, run: str, stored: _Stored, progress: Progress) -> None:
        """Do the background work that is due, as far as this process can."""
        jobs, memories = JobService(self._context), stored.memories
        before = next((each.after for each in self._runs.all() if each.id == run), None)
        with self._context.store_view() as view:
            total = len(view.jobs(JobState.WAITING, limit=_MOST_JOBS))
        done = 0
        while number := sum((worked := jobs.run_due(_JOBS_AT_ONCE)).done.values()):
            done += number
            memories += stored_memories(worked.counted)
            if before is not None:
                TagService(self._context).automatic_before(IMPORT, memories, before)
            progress(min(done, total), total, "extracting memories")


def _format(source: ImportSource, name: str) -> ImportFormat:
    if name != AUTO:
        return named(name)
    found = detected(source)
    if found is None:
        formats = ", ".join(import_formats())
        raise InvalidRequest("is of no known format", field=str(source.path), hint=f"say which it is: --from {formats}")
    return found


def _session(name: str) -> str:
    """The session of a conversation. What cannot be a label is named by a stable id."""
    try:
        return checked_label(name, "session")
    except InvalidRequest:
        return str(uuid5(NAMESPACE_URL, f"cortex:session:{storable(name)}"))


def _speaker(role: Role | None, name: str) -> str:
    """Who spoke; an assistant goes without a name."""
    return "" if role is Role.ASSISTANT else name


def _line(memory: ForeignMemory, run: ImportRun, scope: str, trusted: bool, context: Context) -> dict[str, Any]:
    """A memory as a line of an export."""
    now, ref = context.clock.now(), storable(memory.ref)
    # The same statement has the same id each time; those of two users must differ.
    id = uuid5(NAMESPACE_URL, f"cortex:{context.tenant.user}:{run.format}:{ref}:{memory.text}")
    line = {
        "type": "memory",
        "id": str(id),
        "text": memory.text,
        "created_at": min(memory.at or now, now).isoformat(),
        "kind": memory.kind.value,
        "topic": redacted(storable(memory.topic[:1_024])).text,
        "tags": [storable(tag) for tag in memory.tags[:32]],
        "scope": memory.scope or scope,
        "source_ref": run.ref_of(ref),
        "source_kind": (SourceKind.USER if trusted else SourceKind.IMPORT).value,
    }
    return line | ({} if memory.importance is None else {"importance": memory.importance})

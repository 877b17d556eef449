"""`RemoteCortex`: the engine's methods, carried out by a server."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pydantic import ValidationError

from cortex.client.connection import Connection
from cortex.domain.events import EventKind
from cortex.domain.hits import RecallResult
from cortex.domain.lanes import Lane
from cortex.domain.memory import Draft
from cortex.domain.query import Mode, Query
from cortex.domain.scope import Tenant
from cortex.domain.trace import Trace
from cortex.errors import InvalidRequest, StoreUnavailable
from cortex.memory import Cortex
from cortex.ports.store import Filter
from cortex.progress import Progress, silent
from cortex.services.browse import Alive
from cortex.services.edit import StoreResult
from cortex.services.recall import RecallTrace
from cortex.surfaces.operations import BY_NAME, Operation, TimeLimit
from cortex.surfaces.wire.ledger import TimelineRequest
from cortex.surfaces.wire.memories import RememberRequest
from cortex.surfaces.wire.model import Json, Response
from cortex.surfaces.wire.recall import RecallRequest, RecallResponse
from cortex.surfaces.wire.upkeep import ExportRequest

if TYPE_CHECKING:
    from cortex import exchange
    from cortex.client.hooks import RemoteHooks
    from cortex.lifecycle.backups import BackupResult
    from cortex.services.lifecycle import ConsolidationResult, UndoResult
    from cortex.services.timeline import Timeline

    # It has the engine's methods: those that are not written out below are made from the declared operations.
    Verbs = Cortex
else:
    Verbs = object

ONLY_HERE = {
    "keep_turns": "the server stores what hosts hand it, by `ingest`",
    "flush": "the server writes its own receipts; asking for them waits for those before",
    "run_due": "the server looks after its memory itself",
    "scheduler": "the server looks after its memory itself",
    "files": "the files lie at the server: `index`, `memory_search` and `memory_get` reach them",
    "searching": "the files lie at the server: `memory_search` reaches them",
    "restore_backup": "nobody else may use the memory meanwhile: `cortex restore` at the server",
    "settings": "they are the server's",
}
"""What an engine has and a server does not offer, and why."""


class RemoteCortex(Verbs):
    """The memory of one agent and one of its users, kept by a server. `bind` gives the handle of another.

    It has the methods of `Cortex`, with the same answers and errors, except for those that `ONLY_HERE` names.
    `progress` is not reported. Where no agent or user is given, it is the token's own.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        timeout: float = 30.0,
        _connection: Connection | None = None,
    ) -> None:
        self._connection = _connection or Connection(url, token=token, timeout=timeout)
        self._agent = agent
        self._user = user
        Tenant(**self._whose())  # names are checked here as they are there

    def bind(self, *, agent: str | None = None, user: str | None = None) -> RemoteCortex:
        """The same server for another agent or user, over the same connections."""
        return RemoteCortex(
            self._connection.url, agent=agent or self._agent, user=user or self._user, _connection=self._connection
        )

    @property
    def tenant(self) -> Tenant:
        """Whose memory it is, as the server says."""
        me = self.me()
        return Tenant(me["agent"], me["user"])

    def __enter__(self) -> RemoteCortex:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the connections, those of all handles."""
        self._connection.close()

    # --- verbs that are not one request ----------------------------------------------------------

    def remember_all(
        self,
        drafts: Iterable[Draft],
        *,
        because: EventKind = EventKind.REMEMBERED,
        embed: bool = True,
        progress: Progress = silent,
    ) -> StoreResult:
        """Store many memories, each by a request of its own: all are checked before the first is sent.

        The receipt is that of the last. Where the server refuses one, those before it are stored.
        """
        if because is not EventKind.REMEMBERED:
            raise InvalidRequest("is the engine's own to say", field="because", hint="leave it out")
        checked = [draft.checked(_ANY_LENGTH) for draft in drafts]
        if not checked:
            raise InvalidRequest("has nothing in it", field="drafts", hint="give at least one")
        kept = []
        for number, draft in enumerate(checked, start=1):
            payload = RememberRequest.of_draft(draft) | {"embed": embed, "as_new": True}
            kept.append(self.request("remember", payload).value())
            progress(number, len(checked), "remembered")
        return StoreResult(tuple(each.memory.id for each in kept), kept[-1].receipt)

    def get(self, id: str) -> Trace:
        """The memory, turn or chunk with this id, whatever its state."""
        return self.show(id).trace

    def recall(self, text: str | Query, **options: Any) -> RecallResult:
        """The right few lines for a message, packed to a budget; nothing when nothing is relevant."""
        return self._recalled(text, options).value()

    def search(self, text: str, **options: Any) -> RecallResult:
        """What there is on a topic: no gate, no evidence needed, untrusted and superseded shown and marked."""
        return self.recall(text, mode=Mode.SEARCH, **options)

    def explain(self, text: str | Query, **options: Any) -> RecallTrace:
        """`recall`, with every candidate, every part of its score, and why each was shown or not."""
        return self._recalled(text, options, explain=True).explained()

    def _recalled(self, text: str | Query, options: dict[str, Any], **also: Any) -> RecallResponse:
        arguments = {"text": text, "options": options}
        payload = RecallRequest.payload_of(arguments) | also
        found = self.request("search" if RecallRequest.mode_of(arguments) is Mode.SEARCH else "recall", payload)
        assert isinstance(found, RecallResponse)
        return found

    def timeline(
        self,
        *,
        limit: int = 50,
        before: int | None = None,
        kinds: Collection[EventKind] | None = None,
        id: str | None = None,
        lane: Lane | None = None,
    ) -> Timeline:
        """What happened, newest first: vectors and uses only where `kinds` names them. Files leave no events."""
        from cortex.services.timeline import Timeline

        if kinds is not None and not kinds:  # which a query cannot say
            return Timeline((), None)
        payload = {"limit": limit, "before": before, "kinds": kinds, "id": id, "lane": lane}
        found: Timeline = self.request("timeline", TimelineRequest.payload_of(payload)).value()
        return found

    def pulse(self) -> Alive:
        """Whether anything happened since the last look, at next to no cost."""
        with closing(self._connection.lines("GET", "/v1/changes", params=self._whose())) as lines:
            for line in lines:
                if line.startswith("data: "):
                    told = json.loads(line.removeprefix("data: "))
                    return Alive(told["position"], told["total"], told["jobs"], told["files"]["reindexing"])
        raise StoreUnavailable("the server is ending", hint="try again in a moment")

    def export(self, filter: Filter | None = None, *, redact: bool = True) -> Iterator[dict[str, Any]]:
        """Traces in order of id, as plain values; without their text unless asked for (E14)."""
        return self._exported({"filter": filter, "format": "jsonl", "with_text": not redact})

    def export_markdown(self, filter: Filter | None = None, *, by_scope: bool = False) -> Sequence[exchange.Page]:
        """Active memories as Markdown for a person to edit, text included: one page, or one for each scope."""
        from cortex import exchange

        wanted = {"filter": filter, "format": "pages", "by_scope": by_scope}
        return [exchange.Page(**each) for each in self._exported(wanted)]

    def _exported(self, arguments: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        body = self._whose() | ExportRequest.payload_of(arguments)
        return (json.loads(line) for line in self._connection.lines("POST", BY_NAME["export"].path, body) if line)

    def import_(
        self,
        lines: Iterable[str],
        *,
        dedupe: str = "id_text",
        dry_run: bool = False,
        skip_bad: bool = False,
        trusted: bool = False,
        embed: bool = True,
        progress: Progress = silent,  # noqa: ARG002 - the server's own
    ) -> exchange.Imported:
        """Memories and turns from lines that `export` wrote: all are checked, then all are stored, or none (E14).

        The plan tells numbers: `traces` of it are with the server.
        """
        payload = {
            "lines": [_object(line, number) for number, line in enumerate(lines, start=1) if line.strip()],
            "dedupe": dedupe,
            "dry_run": dry_run,
            "skip_bad": skip_bad,
            "trusted": trusted,
            "embed": embed,
        }
        done: exchange.Imported = self.request("import", payload).value()
        return done

    def import_markdown(
        self,
        pages: str | Mapping[str, str],
        *,
        dry_run: bool = False,
        trusted: bool = True,
        skip_conflicts: bool = False,
        forget_missing: bool = False,
        embed: bool = True,
        progress: Progress = silent,  # noqa: ARG002 - the server's own
    ) -> exchange.MarkdownImported:
        """What a person changed in pages that `export_markdown` wrote, given as one text or as texts by name.

        All of it is stored, or nothing; what was changed at the server as well is a `Conflict`. The plan tells
        numbers, and the receipt ids. `trusted` takes the right to administer.
        """
        payload = {
            "markdown": pages if isinstance(pages, str) else dict(pages),
            "dry_run": dry_run,
            "trusted": trusted,
            "skip_conflicts": skip_conflicts,
            "forget_missing": forget_missing,
            "embed": embed,
        }
        done: exchange.MarkdownImported = self.request("import", payload).value()
        return done

    def consolidate(self, *, dry_run: bool = False, progress: Progress = silent) -> ConsolidationResult:  # noqa: ARG002 - the server's own
        """Run the lifecycle: expire what is over, merge what was said twice. Undone by `undo_consolidation` (X16)."""
        done: ConsolidationResult = self.request("lifecycle", {"dry_run": dry_run}).value()
        return done

    def undo_consolidation(self, run: str) -> UndoResult:
        """Take back a lifecycle run, by the name it has in its outcome and its receipt; or by the receipt's id."""
        done: UndoResult = self.request("lifecycle", {"undo": run}).value()
        return done

    def backup(self, to: Path | None = None) -> BackupResult:
        """Back up the agent's memory at the server, where the backup stays (E21)."""
        if to is not None:
            raise InvalidRequest("is a folder of this machine", field="to", hint="leave it out: the server has its own")
        done: BackupResult = self.request("backup", {}).value()
        return done

    def hooks(self) -> RemoteHooks:  # type: ignore[override]
        """Recall before a turn and ingest after it, for an agent's loop: they never raise and never keep it waiting.

        Make them once and keep them: each has its own background, and `flush` waits for that alone.
        """
        from cortex.client.hooks import RemoteHooks

        return RemoteHooks(self)

    # --- inside ----------------------------------------------------------------------------------

    def _whose(self) -> dict[str, Any]:
        named = {"agent": self._agent, "user": self._user}
        return {name: value for name, value in named.items() if value is not None}

    def me(self) -> Json:
        return self.request("me", {}).to_json()

    def request(self, name: str, payload: Json) -> Response:
        """What the server answers to an operation; the request's own model refuses what the server would."""
        operation = BY_NAME[name]
        operation.request.read(payload)
        path = operation.path
        for part in operation.in_path:
            path = path.replace(f"{{{part}}}", quote(payload.pop(part), safe=""))
        answer = self._connection.send(
            operation.method,
            path,
            self._whose() | payload,
            in_body=operation.has_body,
            long=operation.limit is TimeLimit.LONG,
        )
        try:
            return operation.response.from_json(answer)
        except (ValidationError, KeyError, TypeError, ValueError) as error:
            raise self._connection.not_cortex() from error


_ANY_LENGTH = 1 << 40
"""How long a text may be is the server's to say."""


def _object(line: str, number: int) -> dict[str, Any]:
    try:
        told = json.loads(line)
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise InvalidRequest("is not a JSON object", field=f"line {number}", hint="fix it, or leave it out")
    return told


def _method(operation: Operation, verb: Callable[..., Any]) -> Callable[..., Any]:
    """The engine's method `verb`, as a request to a server."""
    signature = inspect.signature(verb)

    @wraps(verb)
    def method(self: RemoteCortex, *args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        arguments = {name: value for name, value in bound.arguments.items() if name not in {"self", "progress"}}
        return self.request(operation.name, operation.request.payload_of(arguments)).value()

    return method


for _operation in BY_NAME.values():
    if hasattr(Cortex, _operation.name) and _operation.name not in vars(RemoteCortex):
        setattr(RemoteCortex, _operation.name, _method(_operation, getattr(Cortex, _operation.name)))

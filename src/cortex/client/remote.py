"""`RemoteCortex`: the methods of `Cortex` over a server."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pydantic import ValidationError

from cortex import exchange
from cortex.client.connection import ServerConnection
from cortex.context import AsOf
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
from cortex.services.timeline import Timeline
from cortex.surfaces.operations import BY_NAME, Operation, TimeLimit
from cortex.surfaces.wire.ledger import TimelineRequest
from cortex.surfaces.wire.memories import RememberRequest
from cortex.surfaces.wire.model import Json, Response
from cortex.surfaces.wire.recall import RecallRequest, RecallResponse
from cortex.surfaces.wire.upkeep import ExportRequest

if TYPE_CHECKING:
    from cortex.client.hooks import RemoteHooks
    from cortex.lifecycle.backups import BackupResult

    # It has the methods of Cortex: those not written below are built from the declared operations.
    Verbs = Cortex
else:
    Verbs = object

LOCAL_ONLY = {
    "store_turns": "use `ingest`",
    "flush": "the server writes its own receipts; reading them waits for earlier ones",
    "take_census": "the server takes its own census",
    "run_due": "the server runs its own maintenance",
    "scheduler": "the server runs its own maintenance",
    "files": "the files are on the server: use `index`, `memory_search` and `memory_get`",
    "searching": "the files are on the server: use `memory_search`",
    "restore_backup": "it needs exclusive access: run `cortex backup restore` on the server",
    "preview_import": "it reads files: run `cortex import --dry-run` on the server",
    "import_from": "it reads files: run `cortex import` on the server",
    "imports": "run `cortex import --list` on the server",
    "undo_import": "run `cortex import --undo` on the server",
    "settings": "the server has its own settings",
}
"""Methods of `Cortex` that a server does not offer, and why."""


class RemoteCortex(Verbs):
    """The memory of one agent and user on a server. `bind` returns a handle for another.

    It has the methods of `Cortex`, with the same results and errors, except those in `LOCAL_ONLY`. `progress` is not
    reported. Without an agent or user, the token's own apply. The plan of an import has counts only: its traces stay
    on the server.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        timeout: float = 30.0,
        _connection: ServerConnection | None = None,
    ) -> None:
        self._connection = _connection or ServerConnection(url, token=token, timeout=timeout)
        self._agent = agent
        self._user = user
        Tenant(**self._tenant_names())  # check the names here too

    def bind(self, *, agent: str | None = None, user: str | None = None) -> RemoteCortex:
        """The same server for another agent or user, over the same connections."""
        agent, user = self._agent if agent is None else agent, self._user if user is None else user
        return RemoteCortex(self._connection.url, agent=agent, user=user, _connection=self._connection)

    @property
    def tenant(self) -> Tenant:
        """The tenant, as the server reports it."""
        me = self.me()
        return Tenant(me["agent"], me["user"])

    def __enter__(self) -> RemoteCortex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections of all handles."""
        self._connection.close()

    # --- methods that are more than one request -----------------------------------------------------------------------

    def remember_all(
        self,
        drafts: Iterable[Draft],
        *,
        because: EventKind = EventKind.REMEMBERED,
        embed: bool = True,
        progress: Progress = silent,
    ) -> StoreResult:
        """Store many memories, one request each; all are checked before the first is sent.

        Returns the receipt of the last. If the server refuses one, those before it are stored.
        """
        if because is not EventKind.REMEMBERED:
            raise InvalidRequest("cannot be set over a server", field="because", hint="leave it out")
        checked = [draft.checked(_ANY_LENGTH) for draft in drafts]
        if not checked:
            raise InvalidRequest("is empty", field="drafts", hint="pass at least one")
        stored = []
        for number, draft in enumerate(checked, start=1):
            payload = RememberRequest.of_draft(draft) | {"embed": embed, "as_new": True}
            stored.append(self.request("remember", payload).value())
            progress(number, len(checked), "remembered")
        return StoreResult(tuple(each.memory.id for each in stored), stored[-1].receipt)

    def get(self, id: str) -> Trace:
        """The memory, turn or chunk with this id, whatever its state."""
        return self.show(id).trace

    def recall(self, text: str | Query, **options: Any) -> RecallResult:
        """The few relevant memories for a message, packed to a token budget; empty if nothing is relevant."""
        return self._recalled(text, options).value()

    def search(self, text: str, **options: Any) -> RecallResult:
        """Everything on a topic; untrusted and superseded memories are included and marked."""
        return self.recall(text, mode=Mode.SEARCH, **options)

    def explain(self, text: str | Query, **options: Any) -> RecallTrace:
        """`recall` with every candidate, its score parts, and why it was returned or dropped."""
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
        """Events, newest first; embeddings and recalls only if `kinds` names them. Files leave no events."""
        if kinds is not None and not kinds:  # a query cannot express it
            return Timeline((), None)
        payload = {"limit": limit, "before": before, "kinds": kinds, "id": id, "lane": lane}
        found: Timeline = self.request("timeline", TimelineRequest.payload_of(payload)).value()
        return found

    def pulse(self) -> Alive:
        """The current position and counts, at next to no cost."""
        with closing(self._connection.lines("GET", "/v1/changes", params=self._tenant_names())) as lines:
            for line in lines:
                if line.startswith("data: "):
                    payload = json.loads(line.removeprefix("data: "))
                    return Alive(payload["position"], payload["total"], payload["jobs"], payload["files"]["reindexing"])
        raise StoreUnavailable("the server is ending", hint="try again in a moment")

    def export(
        self, filter: Filter | None = None, *, redact: bool = True, as_of: AsOf | None = None
    ) -> Iterator[dict[str, Any]]:
        """Traces in order of id, as plain values; without text unless `redact` is false (E14)."""
        return self._exported({"filter": filter, "format": "jsonl", "with_text": not redact, "as_of": as_of})

    def export_markdown(
        self, filter: Filter | None = None, *, by_scope: bool = False, as_of: AsOf | None = None
    ) -> Sequence[exchange.Page]:
        """Active memories as editable Markdown with text: one page, or one per scope."""
        wanted = {"filter": filter, "format": "pages", "by_scope": by_scope, "as_of": as_of}
        return [exchange.Page(**each) for each in self._exported(wanted)]

    def _exported(self, arguments: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        body = self._tenant_names() | ExportRequest.payload_of(arguments)
        return (json.loads(line) for line in self._connection.lines("POST", BY_NAME["export"].path, body) if line)

    def backup(self, to: Path | None = None) -> BackupResult:
        """Back up the agent's memory; the backup stays on the server (E21)."""
        if to is not None:
            raise InvalidRequest(
                "is not possible over a server", field="to", hint="leave it out: the server has its own folder"
            )
        done: BackupResult = self.request("backup", {}).value()
        return done

    def hooks(self) -> RemoteHooks:  # type: ignore[override]
        """The hooks for an agent's loop: recall before a turn, ingest after it. They never raise and never block.

        Create them once: each has its own background queue, and `flush` waits only for that.
        """
        from cortex.client.hooks import RemoteHooks

        return RemoteHooks(self)

    # --- inside -------------------------------------------------------------------------------------------------------

    def _tenant_names(self) -> dict[str, Any]:
        named = {"agent": self._agent, "user": self._user}
        return {name: value for name, value in named.items() if value is not None}

    def me(self) -> Json:
        return self.request("me", {}).to_json()

    def request(self, name: str, payload: Json) -> Response:
        """Send an operation; its model refuses an invalid request before it is sent."""
        operation = BY_NAME[name]
        operation.request.read(payload)
        path = operation.path
        for part in operation.in_path:
            path = path.replace(f"{{{part}}}", quote(payload.pop(part), safe=""))
        answer = self._connection.send(
            operation.method,
            path,
            self._tenant_names() | payload,
            in_body=operation.has_body,
            long=operation.limit is TimeLimit.LONG,
        )
        try:
            return operation.response.from_json(answer)
        except (ValidationError, KeyError, TypeError, ValueError) as error:
            raise self._connection.not_cortex() from error


_ANY_LENGTH = 1 << 40
"""The server limits the length of texts."""


def _method(operation: Operation, verb: Callable[..., Any]) -> Callable[..., Any]:
    """The method `verb` of `Cortex` as a request."""
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
for _name in ("import_", "import_markdown"):
    setattr(RemoteCortex, _name, _method(BY_NAME["import"], getattr(Cortex, _name)))

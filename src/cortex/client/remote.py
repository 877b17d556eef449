"""`RemoteCortex`: the engine's methods, carried out by a server."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from cortex.client import asking, reading
from cortex.client.connection import Connection
from cortex.domain.events import Event, EventKind
from cortex.domain.growth import Day
from cortex.domain.hits import Recollection
from cortex.domain.identity import checked_id, is_id
from cortex.domain.lanes import ANY_STATE, Lane
from cortex.domain.memory import Contradiction, Draft
from cortex.domain.query import Mode, Query
from cortex.domain.receipt import Receipt
from cortex.domain.scope import DEFAULT_SCOPE, Tenant
from cortex.domain.trace import Trace, parse_time
from cortex.errors import InvalidRequest, NotFound, StoreUnavailable
from cortex.ports.store import Counts, Filter, Finding
from cortex.progress import Progress, silent
from cortex.recall.replaying import Replay
from cortex.services.browse import Alive, Shown
from cortex.services.capture import Captured, Ingested
from cortex.services.edit import Forgotten, Kept, Remembered
from cortex.services.recall import Explained, Synthesised

if TYPE_CHECKING:
    from cortex import exchange
    from cortex.client.hooks import RemoteHooks
    from cortex.lifecycle.backups import Backup, Made
    from cortex.services.erasure import Certificate, Erased
    from cortex.services.files.files import Indexed
    from cortex.services.health.health_checks import Check
    from cortex.services.lifecycle import TakenBack, Tended
    from cortex.services.timeline import Timeline
    from cortex.workspace import flush

ONLY_HERE = {
    "keep_turns": "the server stores what hosts hand it, by `ingest`",
    "settle": "the server writes its own receipts; asking for them waits for those before",
    "attend": "the server looks after its memory itself",
    "keeping": "the server looks after its memory itself",
    "files": "the files lie at the server: `index`, `memory_search` and `memory_get` reach them",
    "searching": "the files lie at the server: `memory_search` reaches them",
    "restore_backup": "nobody else may use the memory meanwhile: `cortex restore` at the server",
    "settings": "they are the server's",
}
"""What an engine has and a server does not offer, and why."""


class RemoteCortex:
    """The memory of one agent and one of its users, kept by a server. `for_` gives the handle of another.

    It has the methods of `Cortex`, with the same answers and errors, but for those that `ONLY_HERE` names. `progress`
    is never told anything. Where no agent or user is given, it is the token's own.
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

    def for_(self, *, agent: str | None = None, user: str | None = None) -> RemoteCortex:
        """The same server for another agent or user, over the same connections."""
        return RemoteCortex(
            self._connection.url, agent=agent or self._agent, user=user or self._user, _connection=self._connection
        )

    @property
    def tenant(self) -> Tenant:
        """Whose memory it is, as the server says."""
        told = self._get("/v1/me")
        return Tenant(told["agent"], told["user"])

    def __enter__(self) -> RemoteCortex:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the connections, those of all handles."""
        self._connection.close()

    # --- remember and forget ---------------------------------------------------------------------

    def remember(self, text: str, *, embed: bool = True, as_new: bool = False, **fields: Any) -> Remembered:
        """Store one statement beside what is known (X13, X14). `fields` are those of `Draft`: kind, scope, tags, …

        What is known already is counted once more, a changed value replaces the old one, and a contradiction is
        flagged on both sides. With `as_new`, and where it names what it supersedes, it is stored as it is.
        """
        try:
            draft = Draft(text=text, **fields)
        except TypeError as error:
            raise InvalidRequest(str(error).partition(") ")[2], field="fields", hint="see `Draft`") from error
        return self._remember(draft.checked(_ANY_LENGTH), embed, as_new=as_new)

    def remember_all(
        self,
        drafts: Iterable[Draft],
        *,
        because: EventKind = EventKind.REMEMBERED,
        embed: bool = True,
        progress: Progress = silent,
    ) -> Kept:
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
            kept.append(self._remember(draft, embed, as_new=True))
            progress(number, len(checked), "remembered")
        return Kept(tuple(each.memory.id for each in kept), kept[-1].receipt)

    def _remember(self, draft: Draft, embed: bool, *, as_new: bool) -> Remembered:
        told = self._post("/v1/memories", asking.of_draft(draft) | {"embed": embed, "as_new": as_new})
        return Remembered(reading.memory(told["memory"]), Receipt.from_json(told["receipt"]))

    def forget(self, id: str) -> Forgotten:
        """Hide a memory or turn from recall, and memories that make the same statement; `restore` brings it back."""
        return _forgotten(self._act("DELETE", f"/v1/memories/{checked_id(id)}"))

    def restore(self, id: str) -> Forgotten:
        """Undo `forget`; or that a memory was superseded: it holds again, beside what had replaced it."""
        return _forgotten(self._act("POST", f"/v1/memories/{checked_id(id)}/restore"))

    def contradictions(self, *, limit: int = 50) -> Sequence[Contradiction]:
        """Memories that cannot both be true, and of which nobody has said which is (X14), oldest first."""
        found = self._get("/v1/contradictions", {"limit": limit})["contradictions"]
        return [Contradiction(reading.memory(each["earlier"]), reading.memory(each["later"])) for each in found]

    def resolve(self, id: str, *, over: str | None = None, both: bool = False) -> Forgotten:
        """Settle the contradictions of a memory, or the one with `over`: it is true and replaces the other side.

        With `both` all of them hold, and are no longer flagged. `restore` of what was replaced takes that back.
        """
        asked = {"over": None if over is None else checked_id(over, field="over"), "both": both}
        return _forgotten(self._post(f"/v1/memories/{checked_id(id)}/resolve", asked))

    def forget_matching(self, text: str, *, scope: str | None = None) -> Forgotten:
        """Forget the one memory a query means; where it may mean several, forget nothing and show them (L5)."""
        return _forgotten(self._post("/v1/forget", {"query": text, "scope": scope}))

    def erase(self, *ids: str, sources: bool = False, backups: bool = False) -> Erased:
        """Take memories and turns out for good, with what was drawn from them; gives a certificate of what is left.

        With `sources` the turns a memory was drawn from go too, and with `backups` the backups that hold any of it.
        """
        asked = {"ids": [checked_id(id) for id in ids], "sources": sources, "backups": backups}
        return reading.erased(self._post("/v1/erase", asked, long=True))

    def erasures(self) -> Sequence[Certificate]:
        """The certificates of all that was erased, oldest first; of those not finished yet, as far as they are."""
        return reading.certificates(self._get("/v1/erasures"))

    def certificate(self, id: str) -> Certificate:
        """The certificate of an erasure, by its id or by that of a memory or turn it took out."""
        return reading.certificate(self._get(f"/v1/erasures/{checked_id(id)}"))

    def finish_erasures(self) -> Sequence[Certificate]:
        """Finish what was interrupted or had to wait, of the whole agent; gives what is still pending."""
        return reading.certificates(self._post("/v1/erasures/finish", {}, long=True))

    # --- capture ---------------------------------------------------------------------------------

    def ingest(
        self,
        messages: Sequence[object],
        *,
        session: str,
        scope: str = DEFAULT_SCOPE,
        channel: str = "",
        trigger: str = "",
        debounce: bool = True,
        follows: int | None = None,
    ) -> Ingested:
        """Store what is new of a session's history, verbatim; what is made of it follows at the server (C1, C2)."""
        told = self._post(
            "/v1/ingest",
            {
                "messages": _listed(messages),
                "session": session,
                "scope": scope,
                "channel": channel,
                "trigger": trigger,
                "debounce": debounce,
                "follows": follows,
            },
        )
        return Ingested(tuple(told["ids"]), Receipt.from_json(told["receipt"]))

    def capture(self, messages: Sequence[object], *, session: str, **options: Any) -> Captured:
        """Store what is new of a history and draw memories from it at once. `options` are those of `ingest`."""
        for name in options:
            if name not in _CAPTURED:
                raise InvalidRequest("is not known here", field=name, hint=f"known: {', '.join(_CAPTURED)}")
        told = self._post("/v1/capture", {"messages": _listed(messages), "session": session, **options}, long=True)
        return Captured(
            tuple(told["turns"]),
            tuple(map(reading.memory, told["memories"])),
            Receipt.from_json(told["receipt"]),
        )

    def work(self, *, most: int | None = None) -> Receipt:
        """Have the background work done that is due: vectors, memories, syntheses."""
        return Receipt.from_json(self._post("/v1/work", {"most": most}, long=True))

    def next_due(self) -> datetime | None:
        """When there will be background work to do."""
        told = self._get("/v1/work")["next"]
        return parse_time(told) if told else None

    # --- recall ----------------------------------------------------------------------------------

    def recall(self, text: str | Query, **options: Any) -> Recollection:
        """The right few lines for a message, packed to a budget; nothing when nothing is relevant."""
        mode, body = asking.of_query(text, options)
        return reading.recollection(self._post(_ROUTE[mode], body))

    def search(self, text: str, **options: Any) -> Recollection:
        """What there is on a topic: no gate, no evidence needed, untrusted and superseded shown and marked."""
        return self.recall(text, mode=Mode.SEARCH, **options)

    def explain(self, text: str | Query, **options: Any) -> Explained:
        """`recall`, with every candidate, every part of its score, and why each was shown or not."""
        mode, body = asking.of_query(text, options)
        return reading.explained(self._post(_ROUTE[mode], body | {"explain": True}))

    def replay(self, id: str, *, query: str | None = None) -> Replay:
        """Ask a recorded recall again of the state it saw, and compare the answers."""
        return reading.replay(self._post(f"/v1/receipts/{_path(id)}/replay", {"query": query}))

    def synthesise(self, text: str, **options: Any) -> Synthesised:
        """What is remembered on a topic in one piece, with the ids used: by a language model, or a digest (C5)."""
        mode, body = asking.of_query(text, options)
        if mode is not Mode.AUTO:
            raise InvalidRequest("cannot be asked of a server", field="mode", hint="leave it out")
        return reading.synthesised(self._post("/v1/synthesise", body))

    # --- look ------------------------------------------------------------------------------------

    def get(self, id: str) -> Trace:
        """The memory, turn or chunk with this id, whatever its state."""
        return self.show(id).trace

    def show(self, id: str) -> Shown:
        """A trace with its versions, the turns it came from and the memories drawn from it."""
        return reading.shown(self._get(f"/v1/memories/{checked_id(id)}"))

    def list(
        self, filter: Filter | None = None, *, after: str | None = None, limit: int = 50, newest: bool = False
    ) -> Sequence[Trace]:
        """Traces in order of id, oldest first, or with `newest` the other way round; from `after` on."""
        narrowed = asking.of_filter(filter or Filter())
        page = {"after": after, "limit": limit, "newest": "true" if newest else None}
        return [reading.trace(told) for told in self._get("/v1/memories", narrowed | page)["memories"]]

    def stats(self, filter: Filter | None = None) -> Counts:
        """How many traces there are, and of what sort."""
        return reading.counts(self._get("/v1/stats", asking.of_filter(filter or Filter(states=ANY_STATE))))

    def events(self, *, after: int = 0, limit: int = 1_000) -> Sequence[Event]:
        """The ledger of this user's changes."""
        found = self._get("/v1/events", {"after": after, "limit": limit})["events"]
        return [reading.event(each, each["kind"]) for each in found]

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

        if kinds is not None and not kinds:
            return Timeline((), None)
        asked = {
            "limit": limit,
            "before": before,
            "event": None if kinds is None else sorted(kind.value for kind in kinds),
            "id": id,
            "lane": lane,
        }
        return reading.timeline(self._get("/v1/timeline", asked))

    def growth(self, *, days: int = 30, lane: Lane = Lane.MEMORIES) -> Sequence[Day]:
        """What was made on each of the last days (UTC) and how much there was, the oldest day first."""
        return [reading.day(each) for each in self._get("/v1/growth", {"days": days, "lane": lane.value})["days"]]

    def pulse(self) -> Alive:
        """Whether anything happened since the last look, at next to no cost."""
        with closing(self._connection.lines("GET", "/v1/changes", params=self._whose())) as lines:
            for line in lines:
                if line.startswith("data: "):
                    return reading.alive(json.loads(line.removeprefix("data: ")))
        raise StoreUnavailable("the server is ending", hint="try again in a moment")

    def receipts(self, *, limit: int = 20, op: str | None = None, before: str | None = None) -> Sequence[Receipt]:
        """The latest receipts, newest first; those older than the receipt `before`."""
        found = self._get("/v1/receipts", {"limit": limit, "op": op, "before": before})["receipts"]
        return [Receipt.from_json(each) for each in found]

    def receipt(self, id: str) -> Receipt:
        return Receipt.from_json(self._get(f"/v1/receipts/{_path(id)}"))

    def status(self) -> dict[str, Any]:
        """What is there, what is degraded, and how to mend it."""
        return self._get("/v1/status")

    def doctor(self) -> Sequence[Check]:
        """Everything the server's installation needs, checked."""
        return [reading.check(each) for each in self._get("/v1/doctor")["checks"]]

    # --- keep ------------------------------------------------------------------------------------

    def backfill(self, *, progress: Progress = silent) -> Receipt:  # noqa: ARG002 - the server's own
        """Embed everything that has no vector of the current model (C7)."""
        return Receipt.from_json(self._post("/v1/backfill", {}, long=True))

    def verify(self, *, repair: bool = False) -> Sequence[Finding]:
        """Recompute everything derived, and the chain of events, and compare; in the index of the files too."""
        return [Finding(**each) for each in self._post("/v1/verify", {"repair": repair}, long=True)["findings"]]

    def optimize(self) -> dict[str, Any]:
        """Compact the indexes; gives their status."""
        return self._post("/v1/optimize", {}, long=True)

    def export(self, filter: Filter | None = None, *, redact: bool = True) -> Iterator[dict[str, Any]]:
        """Traces in order of id, as plain values; without their text unless asked for (E14)."""
        asked = {"format": "jsonl", "with_text": not redact}
        return self._exported(asking.of_filter(filter or Filter(states=ANY_STATE)) | asked)

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
        from cortex import exchange

        told = self._post(
            "/v1/import",
            {
                "lines": [_object(line, number) for number, line in enumerate(lines, start=1) if line.strip()],
                "dedupe": dedupe,
                "dry_run": dry_run,
                "skip_bad": skip_bad,
                "trusted": trusted,
                "embed": embed,
            },
            long=True,
        )
        receipt = Receipt.from_json(told)
        return exchange.Imported(reading.import_plan(receipt), receipt)

    def export_markdown(self, filter: Filter | None = None, *, by_scope: bool = False) -> Sequence[exchange.Page]:
        """Active memories as Markdown for a person to edit, text included: one page, or one for each scope."""
        from cortex import exchange

        asked = {"format": "pages", "by_scope": by_scope}
        return [exchange.Page(**each) for each in self._exported(asking.of_filter(filter or Filter()) | asked)]

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
        from cortex import exchange

        told = self._post(
            "/v1/import",
            {
                "markdown": pages if isinstance(pages, str) else dict(pages),
                "dry_run": dry_run,
                "trusted": trusted,
                "skip_conflicts": skip_conflicts,
                "forget_missing": forget_missing,
                "embed": embed,
            },
            long=True,
        )
        receipt = Receipt.from_json({name: value for name, value in told.items() if name != "conflicting"})
        return exchange.MarkdownImported(reading.markdown_plan(receipt, dry_run=dry_run, trusted=trusted), receipt)

    def _exported(self, asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
        body = {name: value for name, value in (self._whose() | asked).items() if value is not None}
        return (json.loads(line) for line in self._connection.lines("POST", "/v1/export", body) if line)

    # --- files -----------------------------------------------------------------------------------

    def index(self, path: Path | str | None = None, *, force: bool = False, progress: Progress = silent,  # noqa: ARG002
              **options: Any) -> Indexed:  # fmt: skip
        """Follow the Markdown files under a path of the server's from now on, and look at all that are followed (X15).

        `options` are those of `Files.add`: shape, lane, scope, trust, name, chunker, summarize.
        """
        told = {name: asking.plain(value) for name, value in options.items()}
        body = {"path": None if path is None else str(path), "force": force, **told}
        return reading.indexed(self._post("/v1/index", body, long=True))

    def memory_search(
        self,
        query: str,
        *,
        max_results: int | None = None,
        min_score: float | None = None,
        session: str | None = None,
    ) -> dict[str, Any]:
        """The tool a host offers its model: lines of the agent's files that answer `query`, with citations (B9)."""
        asked = {"query": _text(query, "query"), "max_results": max_results, "min_score": min_score, "session": session}
        return self._get("/v1/files", asked)

    def memory_get(self, path: str, *, start: int | None = None, lines: int | None = None) -> dict[str, Any]:
        """The tool a host offers its model: exactly those lines of a file of memory (B10)."""
        told = self._get("/v1/files", {"path": _text(path, "path"), "from": start, "lines": lines})
        return {name: value for name, value in told.items() if value is not None}

    def flush_plan(
        self,
        state: flush.SessionState,
        *,
        timezone: str | None = None,
        workspace_has: Collection[str] | None = None,
    ) -> flush.FlushPlan:
        """Whether the agent should write down what matters before its host compacts a session, and how (B20)."""
        asked = {field.name: getattr(state, field.name) for field in fields(state)}
        if not isinstance(state.messages, str | None):
            asked["messages"] = _listed(state.messages)
        there = None if workspace_has is None else sorted(workspace_has)
        return reading.flush_plan(self._post("/v1/flush-plan", asked | {"timezone": timezone, "workspace_has": there}))

    # --- lifecycle -------------------------------------------------------------------------------

    def tend(self, *, dry_run: bool = False, progress: Progress = silent) -> Tended:  # noqa: ARG002 - the server's own
        """Run the lifecycle: expire what is over, merge what was said twice. Undone by `undo_tend` (X16)."""
        return reading.tended(self._post("/v1/lifecycle", {"dry_run": dry_run}, long=True))

    def undo_tend(self, run: str) -> TakenBack:
        """Take back a lifecycle run, by the name it has in its outcome and its receipt; or by the receipt's id."""
        return reading.taken_back(self._post("/v1/lifecycle", {"undo": run}, long=True))

    def backup(self, to: Path | None = None) -> Made:
        """Back up the agent's memory at the server, where the backup stays (E21)."""
        from cortex.lifecycle.backups import Made

        if to is not None:
            raise InvalidRequest("is a folder of this machine", field="to", hint="leave it out: the server has its own")
        told = self._post("/v1/backups", {}, long=True)
        return Made(reading.backup(told["backup"]), tuple(map(reading.backup, told["removed"])))

    def backups(self) -> Sequence[Backup]:
        """The backups of this agent, newest first."""
        return [reading.backup(each) for each in self._get("/v1/backups")["backups"]]

    # --- turns -----------------------------------------------------------------------------------

    def hooks(self) -> RemoteHooks:
        """Recall before a turn and ingest after it, for an agent's loop: they never raise and never keep it waiting.

        Make them once and keep them: each has its own background, and `flush` waits for that alone.
        """
        from cortex.client.hooks import RemoteHooks

        return RemoteHooks(self)

    # --- inside ----------------------------------------------------------------------------------

    def _whose(self) -> dict[str, Any]:
        named = {"agent": self._agent, "user": self._user}
        return {name: value for name, value in named.items() if value is not None}

    def _get(self, path: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return self._connection.get(path, {**self._whose(), **(params or {})})

    def _post(self, path: str, body: Mapping[str, Any], *, long: bool = False) -> dict[str, Any]:
        return self._connection.post(path, {**self._whose(), **body}, long=long)

    def _act(self, method: str, path: str) -> dict[str, Any]:
        return self._connection.act(method, path, self._whose())


_ROUTE = {Mode.AUTO: "/v1/recall", Mode.SEARCH: "/v1/search"}
_ANY_LENGTH = 1 << 40
"""How long a text may be is the server's to say."""

_CAPTURED = ("scope", "channel", "trigger", "follows")


def _forgotten(told: Mapping[str, Any]) -> Forgotten:
    candidates = tuple(map(reading.trace, told.get("candidates", ())))
    return Forgotten(tuple(told["ids"]), candidates, Receipt.from_json(told["receipt"]))


def _text(given: object, field: str) -> str:
    # In an address everything is text: what is none would be looked for as it is written.
    if not isinstance(given, str):
        raise InvalidRequest("is not text", field=field, hint="give a string")
    return given


def _listed(messages: Sequence[object]) -> list[object]:
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise InvalidRequest("is not a list of messages", field="messages", hint="give the history, oldest first")
    return list(messages)


def _object(line: str, number: int) -> dict[str, Any]:
    try:
        told = json.loads(line)
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise InvalidRequest("is not a JSON object", field=f"line {number}", hint="mend it, or leave it out")
    return told


def _path(id: str) -> str:
    """A receipt's id as part of a path; what is not written as one is nobody's."""
    folded = id.strip().lower()
    if not is_id(folded):
        raise NotFound(f"no receipt {id}", hint="see `receipts()`")
    return folded

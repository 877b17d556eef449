"""A person in the memory of all users of an agent and in its backups: found, exported, and erased as a whole."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from cortex import exchange
from cortex.context import Context
from cortex.dependencies import SCRATCH
from cortex.domain import erasure
from cortex.domain.chunk import Chunk
from cortex.domain.erasure import Erasure
from cortex.domain.events import EventKind
from cortex.domain.identity import ReceiptId, TraceId, checked_id
from cortex.domain.lanes import ANY_STATE, Lane
from cortex.domain.person import SURE, Person, Sureness
from cortex.domain.receipt import Receipt
from cortex.domain.scope import DEFAULT_USER, Tenant
from cortex.domain.subjects import Roles, SubjectRole, joined, roles_of, sureness
from cortex.domain.trace import Trace, parse_time
from cortex.domain.turn import Turn
from cortex.errors import NotFound, StoreCorrupt, StoreForeign
from cortex.lifecycle import backups as backing
from cortex.ports.store import Filter, PatchSession, View
from cortex.progress import Progress, silent
from cortex.services.erasure import INTERRUPTED, MOST_IDS, ErasureService
from cortex.services.holds import HoldService

SUBJECTS = "#subjects"
"""The session, of the user `default`, in whose state the certificates are kept."""

SCHEMA = "cortex.subject.certificate.v1"

_FIRST = frozenset({EventKind.SAID, EventKind.REMEMBERED, EventKind.IMPORTED, EventKind.OBSERVED})
"""What was last changed by these has one version."""

_LANES = frozenset({Lane.MEMORIES, Lane.SESSIONS, Lane.OUTCOMES})
_PAGE = 500
_MOST_JOBS = 100_000

Said = Mapping[str, Mapping[str, None]]
"""What surely names a person in kept queries, states of sessions and jobs, by user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectMatch:
    """A memory, turn or outcome that the person is in."""

    user: str
    id: TraceId
    lane: Lane
    roles: Mapping[str, str]
    """What the person is in it: `sure` or `likely`, by role."""
    sure: bool
    live: bool = True
    """Whether it is in the memory of now, and not in backups alone."""
    backups: tuple[str, ...] = ()
    text: str | None = None
    """Where it was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectReport:
    """Where a person is: the sure ones and the likely ones apart."""

    matches: tuple[SubjectMatch, ...]
    queries: Mapping[str, int] = field(default_factory=dict)
    """How many kept queries, states of sessions and jobs surely name the person, by user, in backups too."""
    files: tuple[str, ...] = ()
    """Lines of files that name the person: the files are the truth there, and not changed here."""
    users: int = 0
    backups: tuple[str, ...] = ()
    """The backups that were read."""
    holding: tuple[str, ...] = ()
    """Of these, those that hold anything of the person."""
    unreadable: tuple[str, ...] = ()
    receipt: Receipt

    @property
    def sure(self) -> list[SubjectMatch]:
        return [each for each in self.matches if each.sure]

    @property
    def likely(self) -> list[SubjectMatch]:
        return [each for each in self.matches if not each.sure]


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectCertificate:
    """What was erased of a person. It holds ids and numbers, never a name or a text."""

    id: str
    at: datetime
    agent: str
    users: int
    """Whose memory held something of the person."""
    erasures: tuple[str, ...] = ()
    """Of each user, by the ids of their own certificates."""
    erased: int = 0
    queries: int = 0
    backups: tuple[str, ...] = ()
    """The backups that were searched afterwards."""
    left: int = 0
    """How many sure matches were found when everything was searched again."""
    likely: int = 0
    """How many likely matches are left: a person has to decide about them."""
    places: tuple[str, ...] = ()
    """Where something is left that is not erased here: files, names of users, backups that cannot be read."""
    pending: str = ""
    """Why it is not finished; empty once it is."""

    @property
    def clean(self) -> bool:
        """Whether nothing that is surely of the person was found afterwards."""
        return not (self.left or self.places or self.pending)

    def to_json(self) -> dict[str, Any]:
        return {"schema": SCHEMA, "clean": self.clean} | asdict(self) | {"at": self.at.isoformat()}

    @classmethod
    def from_json(cls, payload: Mapping[str, Any]) -> SubjectCertificate:
        """The certificate of `to_json`."""
        known = {name: payload[name] for name in cls.__dataclass_fields__ if name in payload}
        lists = {name: tuple(known[name]) for name in ("erasures", "backups", "places")}
        return cls(**known | lists | {"at": parse_time(payload["at"])})


@dataclass(frozen=True, slots=True)
class SubjectErased:
    """The certificate, and the receipt."""

    certificate: SubjectCertificate
    receipt: Receipt


class SubjectService:
    """Finds, exports and erases a person over all users of an agent."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def find(
        self, person: str, *, also: Sequence[str] = (), backups: bool = True, with_text: bool = False,
        progress: Progress = silent,
    ) -> SubjectReport:  # fmt: skip
        who = Person(person, also)
        self._context.flush()
        with self._context.recording("find_subject") as record:
            found, _ = self._found(who, backups=backups, progress=progress)
            record.close(
                self._context.position(), users=found.users, sure=len(found.sure), likely=len(found.likely),
                queries=sum(found.queries.values()), backups=len(found.backups),
            )  # fmt: skip
        matches = found.matches if with_text else tuple(replace(each, text=None) for each in found.matches)
        return replace(found, matches=matches, receipt=record.receipt)

    def export(
        self, person: str, *, also: Sequence[str] = (), with_text: bool = False, likely: bool = False,
        progress: Progress = silent,
    ) -> Iterator[dict[str, Any]]:  # fmt: skip
        """One object for each match in the memory of now, as `export` has it, with the user and the roles."""
        found = self.find(person, also=also, backups=False, progress=progress)
        for user in dict.fromkeys(each.user for each in found.matches):
            matches = {each.id: each for each in found.matches if each.user == user and (likely or each.sure)}
            with self._context.bind(user=user).store_view() as view:
                for line in exchange.lines_of(view, list(matches), redact=not with_text):
                    match = matches[line["id"]]
                    yield {"user": user, "sure": match.sure, "roles": dict(match.roles)} | line

    def erase(
        self, person: str, *, also: Sequence[str] = (), likely: bool = False, ids: Sequence[str] = (),
        progress: Progress = silent,
    ) -> SubjectErased:  # fmt: skip
        """Erase the sure matches; the likely ones all, or those with these ids. What is on hold refuses all of it."""
        who, wanted = Person(person, also), {checked_id(id, field="ids") for id in ids}
        self._context.flush()
        with self._context.recording("erase_subject") as record:
            found, said = self._found(who, backups=True, progress=progress)
            going = [each for each in found.matches if each.sure or likely or each.id in wanted]
            if missing := wanted - {each.id for each in found.matches}:
                raise NotFound(f"{min(missing)} is no match", hint="see `cortex admin subject find`")
            self._refuse_held(going)
            certificate = self._begun(who)
            certificate = self._erased(certificate, who, going, said, found.holding, progress)
            again, _ = self._found(who, backups=True, progress=progress)
            left = [each for each in again.matches if each.sure or likely or each.id in wanted]
            certificate = replace(
                certificate, users=max(certificate.users, len({each.user for each in going})),
                left=len(left) + sum(again.queries.values()), likely=len(again.matches) - len(left),
                backups=again.backups, places=self._places(who, again),
            )  # fmt: skip
            self._keep(certificate, who, ended=not certificate.pending)
            record.close(
                self._context.position(), certificate=certificate.id, erased=certificate.erased,
                left=certificate.left, likely=certificate.likely, clean=certificate.clean,
            )  # fmt: skip
        return SubjectErased(certificate, record.receipt)

    def certificate(self, id: str) -> SubjectCertificate:
        wanted = checked_id(id)
        with self._shared.store_view() as view:
            kept = (view.state(SUBJECTS) or {}).get(wanted)
        if kept is None:
            raise NotFound(f"no certificate {wanted}", hint="`cortex admin subject erase` prints its id")
        return SubjectCertificate.from_json(kept["certificate"])

    # --- finding ---------------------------------------------------------------------------------

    def _found(self, person: Person, *, backups: bool, progress: Progress) -> tuple[SubjectReport, Said]:
        """Where a person is, and what else was said that surely names them, by user."""
        users = self._context.store.users()
        paths = self._backups() if backups else []
        matches: dict[tuple[str, TraceId], SubjectMatch] = {}
        said: dict[str, dict[str, None]] = {}
        files: list[str] = []
        for number, user in enumerate(users):
            progress(number, len(users) + len(paths), "searched")
            context = self._context.bind(user=user)
            with context.view() as view:
                matches |= {(user, each.id): each for each in _matches(view, user, person)}
                said[user] = dict.fromkeys(_said(view, person))
                files += _files(view, person)
        unreadable, holding = list[str](), list[str]()
        for number, path in enumerate(paths, start=len(users)):
            progress(number, len(users) + len(paths), "searched")
            try:
                if self._search_backup(path, person, matches, said):
                    holding.append(path.name)
            except (StoreCorrupt, StoreForeign):
                unreadable.append(path.name)
        progress(len(users) + len(paths), len(users) + len(paths), "searched")
        report = SubjectReport(
            matches=tuple(matches[key] for key in sorted(matches)),
            queries={user: len(texts) for user, texts in sorted(said.items()) if texts},
            files=tuple(sorted(set(files))), users=len(users), backups=tuple(path.name for path in paths),
            holding=tuple(holding), unreadable=tuple(unreadable), receipt=_NO_RECEIPT,
        )  # fmt: skip
        return report, said

    def _search_backup(
        self,
        path: Path,
        person: Person,
        matches: dict[tuple[str, TraceId], SubjectMatch],
        said: dict[str, dict[str, None]],
    ) -> bool:
        """Add what a backup holds of the person, and note which known matches it holds; whether there are any."""
        found = False
        agent = self._context.tenant.agent
        with (
            self._scratch() as scratch,
            closing(self._context.dependencies.rehearse_restore(agent, path, scratch)) as store,
        ):
            for user in store.users():
                with store.view(Tenant(agent, user)) as view:
                    texts = dict.fromkeys(_said(view, person))
                    said.setdefault(user, {}).update(texts)
                    found = found or bool(texts)
                    for each in _matches(view, user, person):
                        known = matches.get((user, each.id), replace(each, live=False))
                        matches[user, each.id] = replace(
                            known, backups=(*known.backups, path.name), sure=known.sure or each.sure
                        )
                        found = True
        return found

    def _backups(self) -> list[Path]:
        folder = self._context.dependencies.home / backing.FOLDER
        if not self._context.store.abilities.restore:
            return []
        return [each.path for each in backing.listed(folder, self._context.tenant.agent)]

    @contextmanager
    def _scratch(self) -> Iterator[Path]:
        """A folder of our own that is gone afterwards."""
        scratch = self._context.dependencies.home / f"{SCRATCH}subject-{os.getpid()}"
        shutil.rmtree(scratch, ignore_errors=True)
        try:
            scratch.mkdir(mode=0o700)
            yield scratch
        finally:
            with suppress(OSError):
                shutil.rmtree(scratch)

    # --- erasing ---------------------------------------------------------------------------------

    def _refuse_held(self, going: Sequence[SubjectMatch]) -> None:
        """Before anything is erased of anybody."""
        for user, matches in _by_user(going).items():
            context = self._context.bind(user=user)
            with context.store_view() as view:
                ids = [each.id for each in matches]
                turns = [each.id for each in matches if each.lane is Lane.SESSIONS]
                HoldService(context).refuse(view, [*view.load(ids), *view.derived(turns)], ids)

    def _erased(
        self,
        certificate: SubjectCertificate,
        who: Person,
        going: Sequence[SubjectMatch],
        said: Said,
        holding: Sequence[str],
        progress: Progress,
    ) -> SubjectCertificate:
        """Erase these matches of all users, what else was said, and both in the backups that hold any of it."""
        by_user = _by_user(going)
        users = list(dict.fromkeys((*by_user, *(user for user, texts in said.items() if texts))))
        planned: list[Erasure] = []
        spoken: set[str] = set()
        with ErasureService(self._context).alone():
            for number, user in enumerate(users):
                progress(number, len(users), "erased")
                service = ErasureService(self._context.bind(user=user))
                live = [each.id for each in by_user.get(user, ()) if each.live]
                lost = [each.id for each in by_user.get(user, ()) if not each.live]
                plans = [service.plan(some, backups=True) for some in _batches(live)]
                planned += [each for each in plans if each is not None]
                planned += [service.plan_lost(some) for some in _batches(lost)]
                if texts := tuple(said.get(user, ())):
                    planned.append(service.plan_said(texts))
                    spoken.add(planned[-1].id)
                # What is planned is carried out even if this process is killed now.
                traces = (each.id for each in planned if each.id not in spoken)
                erasures = tuple(dict.fromkeys((*certificate.erasures, *traces)))
                certificate = replace(certificate, erasures=erasures, pending=INTERRUPTED)
                self._keep(certificate, who, ended=False)
            folder = self._context.dependencies.home / backing.FOLDER
            paths = [folder / each for each in holding]
            done = ErasureService(self._context).finish_together(planned, paths, progress)
        return replace(
            certificate,
            erased=sum(len(each.ids) for each in self._context.store.erasures() if each.id in certificate.erasures),
            queries=certificate.queries + sum(map(len, said.values())),
            pending=next((each.pending for each in done if each.pending), ""),
        )

    def _places(self, person: Person, again: SubjectReport) -> tuple[str, ...]:
        """What is left and not erased here. A name of a user is given by its number: it is the name of the person."""
        named = sum(1 for user in self._context.store.users() if person.in_field(user.removeprefix("sender:")) is SURE)
        return (
            *(f"file {each}" for each in again.files),
            *(f"backup {each} cannot be read" for each in again.unreadable),
            *([f"the names of {named:,} users"] if named else []),
        )

    # --- certificates ----------------------------------------------------------------------------

    def _begun(self, person: Person) -> SubjectCertificate:
        """A new certificate, or that of an erasure of the same person which was interrupted."""
        with self._shared.store_view() as view:
            known = view.state(SUBJECTS) or {}
        for kept in known.values():
            if not kept["ended"] and kept["mark"] == _mark(person, kept["salt"]):
                return SubjectCertificate.from_json(kept["certificate"])
        now = self._context.clock.now()
        certificate = SubjectCertificate(
            id=self._context.ids(now), at=now, agent=self._context.tenant.agent, users=0, pending=INTERRUPTED
        )
        self._keep(certificate, person, ended=False)
        return certificate

    def _keep(self, certificate: SubjectCertificate, person: Person, *, ended: bool) -> None:
        """Keep a certificate; until it has ended with a salted digest of the names, by which it is found again."""
        salt = os.urandom(16).hex()
        mark = "" if ended else _mark(person, salt)
        state = {"certificate": certificate.to_json(), "ended": ended, "salt": salt, "mark": mark}
        self._shared.apply([PatchSession(SUBJECTS, {certificate.id: json.loads(json.dumps(state))})])

    @property
    def _shared(self) -> Context:
        return self._context.bind(user=DEFAULT_USER)


_NO_RECEIPT: Any = None


def _mark(person: Person, salt: str) -> str:
    names = "\x1f".join(person.names)
    return hashlib.blake2b(names.encode(), key=bytes.fromhex(salt), digest_size=16).hexdigest()


def _by_user(matches: Iterable[SubjectMatch]) -> dict[str, list[SubjectMatch]]:
    found: dict[str, list[SubjectMatch]] = {}
    for each in matches:
        found.setdefault(each.user, []).append(each)
    return found


def _batches(ids: Sequence[TraceId]) -> Iterator[Sequence[TraceId]]:
    return (ids[start : start + MOST_IDS] for start in range(0, len(ids), MOST_IDS))


# --- searching a view -------------------------------------------------------------------------------------------------


def _matches(view: View, user: str, person: Person) -> Iterator[SubjectMatch]:
    """The traces of a user that the person is in, in any version, and what was extracted from sure ones."""
    sure: set[TraceId] = set()
    likely: dict[TraceId, SubjectMatch] = {}
    turns: list[TraceId] = []
    for trace, roles in _roles(view, user, person):
        if not roles:
            continue
        match = _match(trace, user, roles)
        if not match.sure:
            likely[trace.id] = match
            continue
        sure.add(trace.id)
        if isinstance(trace, Turn):
            turns.append(trace.id)
        yield match
    for start in range(0, len(turns), _PAGE):
        for memory in view.derived(turns[start : start + _PAGE]):
            if memory.id not in sure:
                sure.add(memory.id)
                known = likely.pop(memory.id, None)
                roles = roles_of(memory, person, user) if known else {}
                yield _match(memory, user, {**roles, SubjectRole.EXTRACTED: SURE})
    yield from likely.values()


def _roles(view: View, user: str, person: Person) -> Iterator[tuple[Trace, Roles]]:
    after: TraceId | None = None
    while page := view.scan(Filter(lanes=_LANES, states=ANY_STATE), after, _PAGE):
        after = page[-1].id
        changed = view.changed_by([trace.id for trace in page])
        for trace in page:
            roles = roles_of(trace, person, user)
            if trace.id not in changed or changed[trace.id].kind not in _FIRST:
                for version in view.history(trace.id):
                    roles = joined(roles, roles_of(version.trace, person, user))
            yield trace, roles


def _match(trace: Trace, user: str, roles: Roles) -> SubjectMatch:
    named = {role.value: Sureness(sure).name.lower() for role, sure in sorted(roles.items())}
    return SubjectMatch(
        user=user, id=trace.id, lane=trace.lane, roles=named, sure=sureness(roles) is SURE, text=trace.text
    )


def _said(view: View, person: Person) -> Iterator[str]:
    """What surely names the person in kept queries, in the state of sessions and in jobs."""
    return (text for text in _kept_beside(view) if person.in_text(text) is SURE)


def _kept_beside(view: View) -> Iterator[str]:
    asked: ReceiptId | None = None
    while queries := view.queries(asked, _PAGE):
        asked = queries[-1][0]
        yield from (query for _, query in queries)
    after = ""
    while sessions := view.sessions(after, _PAGE):
        after = sessions[-1]
        for session in sessions:
            state = view.state(session) or {}
            yield from erasure.strings({part: value for part, value in state.items() if part != erasure.MARKS})
    for job in view.jobs(limit=_MOST_JOBS):
        yield from erasure.strings(dict(job.payload))


def _files(view: View, person: Person) -> Iterator[str]:
    after: TraceId | None = None
    while page := view.scan(Filter(lanes=frozenset({Lane.NOTES, Lane.DOCS})), after, _PAGE):
        after = page[-1].id
        yield from (each.citation for each in page if isinstance(each, Chunk) and person.in_text(each.text) is SURE)

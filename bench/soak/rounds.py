"""Rounds of kills: several processes at one home, each killed at some moment, then everything is compared."""

from __future__ import annotations

import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from bench.soak import checks, processes, serving
from bench.soak.checks import FAILED, VERIFY, Checked, Found
from bench.soak.model import SHARED, Effect, Home, Op, Record, User, read_log, replayed
from bench.soak.verbs import ALONE, FAMILIES, ONLY_HERE, UNFINISHED, VERBS, Log, Worker, word
from cortex import Cortex
from cortex.access.tokens import Right, Tokens
from cortex.clock import SystemClock
from cortex.domain.scope import Tenant
from cortex.stores.file_documents import FileDocuments
from cortex.testing import FakeEmbedder, FakeReranker

WORKERS = ("ann", "ben", "cleo", "dan")
STEP = timedelta(minutes=16)
"""How much later each round is: what a killed process had claimed is free again."""

KILLED = -signal.SIGKILL
_CLIENTS = 2
_LIFE = 24
"""After how many kills a home is given up for a new one: what a check costs grows with it."""
_SERVED_LIFE = 8
_LOCAL_EVERY = 6
"""Every so many homes have the local model for an embedder."""
_CHECK_SECONDS = 120.0
_WORK_SECONDS = 30.0
_READY_SECONDS = 60.0
_LOADED_SECONDS = 3.0
_HELPER_SECONDS = 30.0
_STORY_LINES = 14
_LONGEST = 1.5
"""How many seconds a worker has at most before it is killed."""
_PAUSE = 0.002


class Later(SystemClock):
    """The machine's time, and some more."""

    def __init__(self, by: timedelta) -> None:
        self._by = by

    def now(self) -> datetime:
        return super().now() + self._by


@dataclass(frozen=True, slots=True)
class Violation:
    """Something that was found, and how it came about."""

    found: Found
    kill: int
    home: int
    story: tuple[str, ...]


@dataclass(slots=True)
class Count:
    """What was counted."""

    kills: int = 0
    served: int = 0
    homes: int = 0
    checks: int = 0
    facts: int = 0
    erased: int = 0
    helpers: int = 0
    moments: Counter[str] = field(default_factory=Counter)
    """What was under way at each kill."""
    done: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    violations: list[Violation] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Logged:
    """The log of one worker."""

    title: str
    records: Sequence[Record]


@dataclass(slots=True)
class Victim:
    """A worker and its last moment: so long after it wrote so many lines. On a busy machine that is later."""

    name: str
    log: Path
    pid: int
    lines: int
    after: float
    until: float
    at: float | None = None

    def is_due(self) -> bool:
        now = time.monotonic()
        if self.at is None and _lines(self.log) >= self.lines:
            self.at = now + self.after
        return now >= self.until or (self.at is not None and now >= self.at)


@dataclass(slots=True)
class Place:
    """One home and what belongs to it."""

    home: Home
    number: int
    folder: Path
    local: bool
    later: timedelta = timedelta(0)
    logs: list[Logged] = field(default_factory=list)
    spoilt: bool = False
    token: str = ""

    @property
    def output(self) -> Path:
        return self.folder / "output.txt"

    def opened(self) -> Cortex:
        embedder = None if self.local else FakeEmbedder()
        # A machine that is busy with others loses nothing: writers wait for their turn.
        settings = {"capture": {"debounce_seconds": 0}, "store": {"sqlite": {"busy_timeout_ms": 30_000}}}
        clock = Later(self.later)
        return Cortex(self.home.path, settings=settings, embedder=embedder, reranker=FakeReranker(), clock=clock)


class Soak:
    """Kills until enough were killed, or the time is up."""

    def __init__(
        self, folder: Path, *, kills: int, seconds: float, seed: int, served: float, has_model: bool,
        progress: Callable[[Count], None] = lambda _: None,
    ) -> None:  # fmt: skip
        self.count = Count()
        self._folder = folder
        self._wanted = kills
        self._share_served = served
        self._served_life = min(_SERVED_LIFE, max(1, round(served * kills)))
        self._until = time.monotonic() + seconds
        self._rng = random.Random(seed)
        self._has_model = has_model
        self._progress = progress
        self._serial = 0
        self._next = self._every_verb()
        self._modes: set[str] = set()

    def run(self) -> Count:
        while not self._is_over():
            is_served = self.count.served < self._share_served * (self.count.kills + self._served_life)
            place = self._place()
            (self._served if is_served else self._worked)(place)
            if not place.spoilt:
                shutil.rmtree(place.folder)
        return self.count

    def _is_over(self) -> bool:
        return self.count.kills >= self._wanted or time.monotonic() > self._until

    def _place(self) -> Place:
        self.count.homes += 1
        number = self.count.homes
        folder = self._folder / f"home-{number}"
        folder.mkdir()
        return Place(Home(folder / "home"), number, folder, self._has_model and number % _LOCAL_EVERY == 3)

    def _every_verb(self) -> Iterator[str]:
        """Every verb in turn, so that none is killed less often than others."""
        while True:
            yield from self._rng.sample(VERBS, len(VERBS))

    # --- workers ------------------------------------------------------------------------------------------------------

    def _worked(self, place: Place) -> None:
        end = min(self.count.kills + _LIFE, self._wanted)
        self._round(place, 2)  # a home that is being made
        self._share(place)
        while self.count.kills < end and not self._is_over() and not place.spoilt:
            first = next(self._next)
            most = min(4, end - self.count.kills)
            self._round(place, 1 if first in ALONE else self._rng.randint(1, most), first)

    def _round(self, place: Place, number: int, first: str = "remember") -> None:
        """So many workers at once, each killed at its moment."""
        place.later += STEP
        alone = number == 1 and first in ALONE
        started: list[Victim] = []
        for name in self._rng.sample(WORKERS, number):
            verbs = [first if not started else next(v for v in self._next if v not in ALONE)]
            log, pid = self._started(place, name, verbs, alone=alone)
            started.append(self._victim(place, name, log, pid, alone=alone))
        left = list(started)
        while left:
            for victim in [victim for victim in left if victim.is_due()]:
                left.remove(victim)
                self._killed(victim.pid, victim.log)
                if left:
                    self._verified(place)
            time.sleep(_PAUSE)
        for victim in started:
            self._taken_in(place, victim.log, victim.name)
        self._checked(place, finish=self._rng.random() < 0.5)

    def _victim(self, place: Place, name: str, log: Path, pid: int, *, alone: bool) -> Victim:
        """When to kill it: while it opens, in the midst of its first call, or at any time of its work."""
        slow, when = 3.0 if place.local else 1.0, self._rng.random()
        lines = 0 if when < 0.15 else 2 if when < 0.5 else self._rng.randint(3, 40)
        if alone:  # what needs the home for itself takes several calls to get to
            when, lines = 0.15, self._rng.randint(2, 12)
        after = self._rng.uniform(0, 0.025 if when < 0.15 else 0.12 if when < 0.5 else 0.04)
        return Victim(name, log, pid, lines, slow * after, time.monotonic() + slow * _LONGEST)

    def _started(self, place: Place, name: str, verbs: Sequence[str], *, alone: bool) -> tuple[Path, int]:
        self._serial += 1
        serial, seed = self._serial, self._rng.getrandbits(32)
        log = place.folder / f"{serial:05}-{name}.log"

        def work() -> None:
            lines = Log(log)
            try:
                engine = place.opened().bind(user=name)
                worker = Worker(engine, place.home, name, serial, random.Random(seed), lines, alone=alone)
                lines.tell("open")
                worker.run(verbs, _WORK_SECONDS)
            except BaseException as error:
                lines.tell("crashed", message=f"{type(error).__name__}: {error}"[:500])
                raise

        return log, processes.fork(work, place.output)

    def _killed(self, pid: int, log: Path) -> None:
        if processes.kill(pid) != KILLED:
            return
        self.count.kills += 1
        records = read_log(log)
        begun = [record.details["effect"]["verb"] for record in records if record.what == "begin"]
        is_idle = not records or records[-1].what != "begin"
        self.count.moments["opening" if not records else "between two calls" if is_idle else begun[-1]] += 1
        self._progress(self.count)

    def _share(self, place: Place) -> None:
        """Make what all workers change at once, and who may ask a server."""
        self._serial += 1
        serial = self._serial

        def share() -> tuple[dict[str, str], str]:
            with place.opened() as engine:
                handle = engine.bind(user=SHARED)
                texts = [f"Harbour {word(serial, number)} is open" for number in range(3)]
                made = {handle.remember(text, as_new=True).memory.id: text for text in texts}
                for number in range(FAMILIES):
                    handle.remember(f"Captain {word(serial, 10 + number)} is on board", scope=f"family{number}")
            tokens = Tokens(FileDocuments(place.home.path), SystemClock())
            return {str(id): text for id, text in made.items()}, tokens.create(Tenant(), [Right.ADMIN])[0]

        made, place.token = processes.ask(share, place.output, _CHECK_SECONDS)
        place.home.users[SHARED] = User({f"memory {id}": f"active {text}" for id, text in made.items()})
        place.home.shared += [
            Op(Effect(verb="made", user=SHARED, sets={f"text {id}": text, f"state {id}": "active"}), 0.0, 0.0)
            for id, text in made.items()
        ]

    # --- a server -----------------------------------------------------------------------------------------------------

    def _served(self, place: Place) -> None:
        end = min(self.count.kills + self._served_life, self._wanted)
        self._share(place)
        leaders: list[int] = []
        while self.count.kills < end and not self._is_over() and not place.spoilt:
            leaders.append(self._serve_round(place))
        self._ended_by_themselves(place, leaders)
        if not place.spoilt:
            place.later += STEP
            self._checked(place, finish=True)

    def _serve_round(self, place: Place) -> int:
        output = place.folder / f"serve-{self._serial}.txt"
        environment = {} if place.local else {"CORTEX_EMBEDDING__PROVIDER": "none"}
        if self._rng.random() < 0.7:  # a helper process takes longer to start than most rounds
            environment["CORTEX_SERVE__RECALL_PROCESSES"] = "0"
        server = processes.fork(lambda: serving.serve(place.home.path, environment), output)
        clients = [self._client(place, name, output) for name in self._rng.sample(WORKERS, _CLIENTS)]
        if self._rng.random() < 0.15:
            time.sleep(self._rng.uniform(0, 0.6))
        else:
            self._wait(lambda: serving.address(output) is not None or not processes.is_running(server))
            lines = self._rng.randint(2, 40)
            self._wait(lambda: sum(_lines(log) for _, log, _ in clients) >= lines, _LOADED_SECONDS)
            time.sleep(self._rng.uniform(0, 0.05))
        is_ready = serving.address(output) is not None
        code = processes.kill(server)
        if code == KILLED:
            self.count.kills += 1
            self.count.served += 1
            self.count.moments["serve: under load" if is_ready else "serve: starting"] += 1
            self._progress(self.count)
        else:
            details = output.read_text("utf-8")[-500:]
            self._found(place, [Found(FAILED, f"the server ended by itself with {code}: {details}")])
        for pid, log, name in clients:
            if not is_ready:
                processes.kill(pid)
            elif processes.ended(pid, 40.0) is None:
                self._found(place, [Found(FAILED, f"{name}: a client hung after the server was killed")])
            self._taken_in(place, log, name)
        self._found(place, [Found(FAILED, f"the server logged {line[:300]}") for line in serving.mistakes(output)[:3]])
        # What it had started goes on for a moment, and may be at an erasure that is pending meanwhile.
        self._wait(lambda: not processes.group(server), _HELPER_SECONDS)
        self._checked(place, finish=False)
        return server

    def _client(self, place: Place, name: str, output: Path) -> tuple[int, Path, str]:
        self._serial += 1
        serial, seed = self._serial, self._rng.getrandbits(32)
        log = place.folder / f"{serial:05}-{name}-http.log"
        first = [next(verb for verb in self._next if verb not in ONLY_HERE)]

        def run() -> None:
            try:
                serving.load(place.home, name, serial, seed, log, output, place.token, first, _READY_SECONDS)
            except BaseException as error:
                Log(log).tell("crashed", message=f"{type(error).__name__}: {error}"[:500])
                raise

        return processes.fork(run, place.output), log, name

    def _ended_by_themselves(self, place: Place, leaders: Sequence[int]) -> None:
        """What a server had started beside itself ends when it is gone."""
        self.count.helpers += len(leaders)
        self._wait(lambda: not any(map(processes.group, leaders)), _HELPER_SECONDS)
        for leader in leaders:
            if left := processes.group(leader):
                self._found(place, [Found(FAILED, f"{len(left)} processes of a killed server are still there")])

    def _wait(self, is_so: Callable[[], bool], seconds: float = _READY_SECONDS) -> None:
        until = time.monotonic() + seconds
        while not is_so() and time.monotonic() < until:
            time.sleep(0.005)

    # --- looking ------------------------------------------------------------------------------------------------------

    def _taken_in(self, place: Place, log: Path, name: str) -> None:
        records = read_log(log)
        place.logs.append(Logged(f"{log.stem}", records))
        replayed(place.home, records)
        verb = ""
        for record in records:
            if record.what == "begin":
                verb = record.details["effect"]["verb"]
            elif record.what == "done":
                self.count.done[verb] += 1
            elif record.what == "refused":
                self.count.refused[f"{verb}: {record.details['code']}"] += 1
                if not record.details["expected"]:
                    self._found(place, [Found(FAILED, f"{name}: {verb} was refused: {record.details['message']}")])
            elif record.what == "finding":
                self._found(place, [Found(VERIFY, record.details["message"])])
            elif record.what == "crashed":
                self._found(place, [Found(FAILED, f"{name}: {verb or 'opening'} failed: {record.details['message']}")])

    def _verified(self, place: Place) -> None:
        """`verify` right after a kill, while others go on."""

        def verify() -> list[Found]:
            with place.opened() as engine:
                found = [each for each in engine.verify() if each.code != UNFINISHED]
                return [Found(VERIFY, f"beside others: {each.code}: {each.detail}") for each in found]

        self._guarded(place, verify)

    def _checked(self, place: Place, *, finish: bool) -> None:
        if finish:
            place.later += STEP

        def check() -> Checked:
            with place.opened() as engine:
                done = checks.checked(place.home, engine, finish=finish)
            # Nobody has it open now, so that what is left is left for good.
            done.found += checks.left_of_erased(done.home)
            done.found += checks.open_to_others(place.home.path)
            return done

        done = self._guarded(place, check)
        if isinstance(done, Checked):
            place.home = done.home
            self.count.facts += done.facts
            self.count.erased += len(done.home.gone)
            self._found(place, done.found)

    def _guarded(self, place: Place, run: Callable[[], object]) -> object:
        self.count.checks += 1
        try:
            found = processes.ask(run, place.output, _CHECK_SECONDS)
        except (processes.Hung, RuntimeError) as error:
            self._found(place, [Found(FAILED, f"the check failed: {error}")])
            return None
        if isinstance(found, list):
            self._found(place, found)
        return found

    def _found(self, place: Place, found: Sequence[Found]) -> None:
        for each in found:
            if each.sort == checks.MODES:
                if each.key in self._modes:
                    continue
                self._modes.add(each.key)
            else:
                place.spoilt = True  # what follows from it would only be found again
            self.count.violations.append(
                Violation(each, self.count.kills, place.number, tuple(_story(place, each)[-_STORY_LINES:]))
            )


def _lines(log: Path) -> int:
    return log.read_bytes().count(b"\n") if log.exists() else 0


def _story(place: Place, found: Found) -> list[str]:
    """Every call that has to do with what was found, in the order of time."""
    wanted = found.key.split(" ", 1)[-1] if found.key else ""
    lines: list[tuple[float, str]] = []
    for log in place.logs:
        records = list(log.records)
        for record, after in zip(records, [*records[1:], None], strict=False):
            if record.what != "begin" or not wanted or wanted not in str(record.details) + str(after and after.details):
                continue
            became = "killed before it was acknowledged" if after is None else _became(after)
            effect = record.details["effect"]
            text = f"{effect['sets']} {effect['made'] or ''}".strip()
            lines.append((record.at, f"{log.title}: {effect['verb']} {text}: {became}"))
    first = min((at for at, _ in lines), default=0.0)
    return [f"+{at - first:.3f} s {line}" for at, line in sorted(lines)]


def _became(record: Record) -> str:
    if record.what == "done":
        return "acknowledged" if record.details.get("took", True) else "did nothing"
    return f"refused ({record.details.get('code', record.what)})"

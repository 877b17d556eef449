"""Backup drills: the newest backup is restored beside the memory, verified and questioned, and removed again (E21)."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from cortex.context import Context
from cortex.dependencies import SCRATCH
from cortex.domain.alerts import Severity
from cortex.domain.identity import ReceiptId
from cortex.domain.receipt import Receipt
from cortex.domain.scope import Tenant
from cortex.domain.trace import parse_time
from cortex.errors import EngineError, InvalidRequest, StoreBusy, StoreCorrupt, StoreForeign, full_disk
from cortex.lifecycle import backups as backing
from cortex.ports.store import Store, figures_of
from cortex.runtime.file_lock import FileLock
from cortex.services.alerts import AlertService
from cortex.services.golden import GoldenService
from cortex.services.recall import RecallService

CAUSE = "backup:drill"
MOST_QUESTIONS = 20
MOST_PROBLEMS = 20
_LOOKED_AT = 500
"""How many of the latest recalls are looked at for questions."""

_FIX = "run `cortex backup create`, then `cortex backup drill`; do not delete older backups before"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drill:
    """What became of a backup that was restored to try it. It holds ids and numbers, never text."""

    file: str
    backup_at: datetime
    at: datetime
    age_seconds: float
    """How old the backup was."""
    seconds: float
    """How long restoring and checking it took."""
    bytes: int
    users: int = 0
    traces: int = 0
    manifest: bool = False
    """Whether there was a manifest to compare it with; backups of earlier versions have none."""
    questions: int = 0
    """How many recorded recalls were repeated on it: of the golden set, or the latest where there is none."""
    same: int = 0
    """How many of those gave the same answer."""
    problems: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        times = {"backup_at": self.backup_at.isoformat(), "at": self.at.isoformat()}
        return asdict(self) | times | {"ok": self.ok, "problems": list(self.problems)}

    @classmethod
    def from_json(cls, payload: Mapping[str, Any]) -> Drill:
        known = {name: payload[name] for name in cls.__dataclass_fields__}
        times = {name: parse_time(payload[name]) for name in ("backup_at", "at")}
        return cls(**known | times | {"problems": tuple(map(str, payload["problems"]))})


@dataclass(frozen=True, slots=True)
class DrillResult:
    """A drill, and its receipt."""

    drill: Drill
    receipt: Receipt


class DrillService:
    """Tries the newest backup of the agent."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def drill(self) -> DrillResult:
        """Restore the newest backup into a scratch folder and compare it with its manifest. Nothing else changes.

        What is wrong with the backup is in the result, and an alert; an error is what kept it from being tried.
        """
        self._context.flush()
        self._context.dependencies.require(self._context.tenant.agent, "restore")
        backup = self._newest()
        with self._context.recording("drill") as record, self._alone():
            found = self._tried(backup)
            self._keep(found)
            record.close(self._context.position(), **found.to_json())
        alerts = AlertService(self._context.bind(user=self._context.settings.user))  # a backup is of all users
        if found.ok:
            alerts.clear(CAUSE)
        else:
            more = f" (and {len(found.problems) - 1:,} more)" if len(found.problems) > 1 else ""
            message = f"the newest backup {found.file} is not sound: {found.problems[0]}{more}"
            alerts.raise_alert(CAUSE, message, _FIX, Severity.CRITICAL)
        return DrillResult(found, record.receipt)

    def last(self) -> Drill | None:
        """The last drill of this host; None where there was none."""
        try:
            return Drill.from_json(json.loads(self._path.read_bytes()))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _newest(self) -> backing.Backup:
        listed = backing.listed(self._folder, self._context.tenant.agent)
        newest = next((each for each in listed if each.mark != backing.REPLACED), None)
        if newest is None:
            raise InvalidRequest("there is no backup", field="backup", hint="make one with `cortex backup create`")
        return newest

    def _tried(self, backup: backing.Backup) -> Drill:
        clock, agent = self._context.clock, self._context.tenant.agent
        began, now = clock.monotonic(), clock.now()
        found: dict[str, Any] = {}
        problems: list[str] = []
        with self._scratch() as scratch:
            try:
                self._context.dependencies.check_backup(agent, backup.path)
                with closing(self._context.dependencies.rehearse_restore(agent, backup.path, scratch)) as store:
                    problems += self._verified(store)
                    problems += self._compared(store, backup, found)
                    problems += self._questioned(store, backup, found)
            except (StoreCorrupt, StoreForeign) as error:
                problems.append(error.message.replace(str(backup.path), backup.path.name))
        return Drill(
            file=backup.path.name, backup_at=backup.at, at=now, bytes=backup.bytes,
            age_seconds=max(0.0, (now - backup.at).total_seconds()), seconds=clock.monotonic() - began,
            problems=tuple(problems[:MOST_PROBLEMS]), **found,
        )  # fmt: skip

    def _verified(self, store: Store) -> Iterator[str]:
        """What is wrong within the restored store; what was damaged before it was copied is known by its own alert."""
        for finding in store.verify():
            if not finding.repaired and finding.code != "quarantined":
                yield f"{finding.code}: verifying it found a difference"

    def _compared(self, store: Store, backup: backing.Backup, found: dict[str, Any]) -> Iterator[str]:
        """What is not as the manifest says."""
        figures = {}
        for user in store.users():
            with store.view(Tenant(backup.agent, user)) as view:
                figures[user] = figures_of(view)
        found |= {"users": len(figures), "traces": sum(each.traces for each in figures.values())}
        try:
            manifest = backing.manifest_of(backup.path)
        except ValueError:
            yield "its manifest cannot be read"
            return
        found["manifest"] = manifest is not None
        if manifest is not None:
            yield from manifest.differences(figures)

    def _questioned(self, store: Store, backup: backing.Backup, found: dict[str, Any]) -> Iterator[str]:
        """Repeat recorded recalls on the restored store, those of the golden set first: answers must be the same."""
        recall, tenant = RecallService(self._context), self._context.tenant
        found |= {"questions": 0, "same": 0}
        if any(each.at >= backup.at for each in self._context.store.erasures()):
            return  # what was erased since is in the backup, and not in the answers of today
        golden = [ReceiptId(each.receipt) for each in GoldenService(self._context).read().questions]
        with store.view(tenant) as view:
            latest = [] if golden else [each.id for each in view.receipts(_LOOKED_AT, op="recall")]
            asked = [view.receipt(id) for id in golden or latest]
        for receipt, text in [each for each in asked if each is not None and each[1] is not None][:MOST_QUESTIONS]:
            assert text is not None
            with self._context.store.view(tenant, receipt.position) as now:
                expected = recall.repeat(receipt, text, now).answer.digest
            with store.view(tenant, receipt.position) as then:
                is_same = recall.repeat(receipt, text, then).answer.digest == expected
            found["questions"] += 1
            found["same"] += is_same
            if not is_same:
                yield f"the recall {receipt.id} has another answer"

    def _keep(self, drill: Drill) -> None:
        """Write down the last drill beside the backups, so that every process knows when it was."""
        written = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        try:
            with open(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "w") as file:
                json.dump(drill.to_json(), file)
            os.replace(written, self._path)
        except OSError as error:
            raise full_disk(error, self._path) or EngineError(f"{self._path}: {error.strerror or error}") from error
        finally:
            written.unlink(missing_ok=True)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One drill of an agent at a time."""
        with FileLock(self._folder / f".{self._context.tenant.agent}.drill.lock").held(0) as ours:
            if not ours:
                raise StoreBusy("another drill is under way", hint="wait for it, then try again")
            yield

    @contextmanager
    def _scratch(self) -> Iterator[Path]:
        """A folder of our own that is gone afterwards, whatever happens; one of a process that was killed goes too."""
        home, begins = self._context.dependencies.home, f"{SCRATCH}{self._context.tenant.agent}-"
        for left in home.glob(f"{begins}*"):
            shutil.rmtree(left, ignore_errors=True)
        scratch = home / f"{begins}{os.getpid()}"
        try:
            try:
                scratch.mkdir(mode=0o700)
            except OSError as error:
                raise full_disk(error, scratch) or EngineError(f"{scratch}: {error.strerror or error}") from error
            yield scratch
        finally:
            with suppress(OSError):
                shutil.rmtree(scratch)

    @property
    def _folder(self) -> Path:
        return self._context.dependencies.home / backing.FOLDER

    @property
    def _path(self) -> Path:
        return self._folder / f"{self._context.tenant.agent}.drill.json"

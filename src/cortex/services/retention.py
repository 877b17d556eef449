"""Retention: what the rules of the settings expire and erase, and how long receipts are kept; a plan first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from cortex.context import Context
from cortex.domain.identity import TraceId
from cortex.domain.receipt import Receipt
from cortex.domain.retention import RetentionRule, Then, fingerprint, in_force
from cortex.domain.scope import DEFAULT_USER
from cortex.lifecycle.retention import RETENTION as STEP
from cortex.lifecycle.retention import Due, due, kept_back, to_erase
from cortex.ports.store import DropReceipts, PatchSession, View
from cortex.progress import Progress, silent
from cortex.services.alerts import AlertService
from cortex.services.erasure import MOST_IDS, ErasureService
from cortex.services.holds import HoldService
from cortex.services.lifecycle import LifecycleService

RETENTION = "#retention"
"""The session in whose state it is kept which rules an administrator has let erase."""

CAUSE = "retention:rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRetention:
    """What is due of one user, or what was done."""

    user: str
    expire: tuple[TraceId, ...] = ()
    erase: tuple[TraceId, ...] = ()
    kept_back: tuple[TraceId, ...] = ()
    """Turns that a rule erases, and that stay because memories that no rule erases were extracted from them."""
    held: tuple[TraceId, ...] = ()
    """Due, and on hold."""
    rules: Mapping[str, int]
    """How many each rule decided on, by the words of the rule."""
    receipts: int = 0
    """Receipts that are over."""
    queries: int = 0
    """Kept queries that are over, those of the receipts among them."""
    run: str = ""
    """By which `consolidate --undo` brings back what expired."""
    certificates: tuple[str, ...] = ()
    """Of the erasures; they cannot be undone."""
    receipt: Receipt

    @property
    def is_empty(self) -> bool:
        return not (self.expire or self.erase or self.receipts or self.queries)


@dataclass(frozen=True, slots=True)
class RetentionResult:
    """The rules in force, the most specific first, and what is due by them for each user."""

    rules: tuple[RetentionRule, ...]
    users: tuple[UserRetention, ...]
    applied: bool
    approved: bool
    """Whether scheduled runs erase by these rules: an administrator has applied them once."""


class RetentionService:
    """Plans and applies the retention rules for one user, or with `everyone` for all users of the agent."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._rules = in_force(context.settings.retention)

    def retention(self, *, apply: bool = False, everyone: bool = False, progress: Progress = silent) -> RetentionResult:
        own = self._context.tenant.user
        users = [own, *(user for user in self._context.store.users() if everyone and user != own)]
        if apply:
            self._approve()
        done = []
        for number, user in enumerate(users):
            progress(number, len(users), "users")
            done.append(RetentionService(self._context.bind(user=user))._run(apply=apply, erases=apply))
        progress(len(users), len(users), "users")
        return RetentionResult(self._rules, tuple(done), apply, self.is_approved)

    def scheduled(self) -> UserRetention | None:
        """Apply what is due; None where nothing is, which leaves no receipt.

        Nothing is erased by rules that no administrator has applied yet: an alert says so until one does.
        """
        is_approved = self.is_approved
        alerts = AlertService(self._context.bind(user=self._context.settings.user))
        if is_approved:
            alerts.clear(CAUSE)
        else:
            alerts.raise_alert(
                CAUSE, "a retention rule erases, and was not applied by an administrator yet",
                "see `cortex admin retention`, then `cortex admin retention --apply`",
            )  # fmt: skip
        with self._context.store_view() as view:
            found = self._due(view)
        if not any(self._sorted(found, is_approved)) and not any(self._over()):
            return None
        return self._run(apply=True, erases=is_approved)

    @property
    def is_approved(self) -> bool:
        """Whether an administrator has applied these rules, or none of them erases."""
        if not any(rule.then is Then.ERASE and rule.keep is not None for rule in self._rules):
            return True
        with self._agent.store_view() as view:
            return (view.state(RETENTION) or {}).get("rules") == fingerprint(self._rules)

    def _approve(self) -> None:
        now = self._context.clock.now().isoformat()
        state = {"rules": fingerprint(self._rules), "at": now, "by": self._context.actor}
        self._agent.apply([PatchSession(RETENTION, state)])

    @property
    def _agent(self) -> Context:
        """Where it is kept for all users of the agent, whatever the settings of a process call the default user."""
        return self._context.bind(user=DEFAULT_USER)

    # --- one user --------------------------------------------------------------------------------

    def _run(self, *, apply: bool, erases: bool) -> UserRetention:
        self._context.flush()
        run, certificates = "", []
        with self._context.recording("retention") as record:
            with self._context.store_view() as view:
                found = self._due(view)
            expire, erase, back, held = self._sorted(found, erases or not apply)
            receipts, queries = self._over()
            if apply and expire:
                run = self._expire()
            for start in range(0, len(erase) if apply else 0, MOST_IDS):
                erased = ErasureService(self._context).erase(erase[start : start + MOST_IDS])
                certificates.append(erased.certificate.id)
            if apply and (receipts or queries):
                self._context.apply([self._drop()])
            counts: dict[str, Any] = {
                "expired": len(expire), "erased": len(erase), "kept_back": len(back), "held": len(held),
                "receipts": receipts, "queries": queries,
            }  # fmt: skip
            record.close(
                self._context.position(), dry_run=not apply, **counts, run=run or None, erasures=certificates
            )  # fmt: skip
        return UserRetention(
            user=self._context.tenant.user, expire=expire, erase=erase, kept_back=back, held=held,
            rules=Counter(str(each.rule) for each in found), receipts=receipts, queries=queries, run=run,
            certificates=tuple(certificates), receipt=record.receipt,
        )  # fmt: skip

    def _due(self, view: View) -> list[Due]:
        position_at = partial(self._context.store.position_at, self._context.tenant)
        found = due(view, self._rules, self._context.clock.now(), position_at)
        return [each for each in found if each.is_open]

    def _sorted(
        self, found: Sequence[Due], erases: bool
    ) -> tuple[tuple[TraceId, ...], tuple[TraceId, ...], tuple[TraceId, ...], tuple[TraceId, ...]]:
        """The ids of what expires, is erased, stays for what was extracted from it, and is on hold."""
        with self._context.store_view() as view:
            held = HoldService(self._context).held(view, [each.trace for each in found])
            free = [each for each in found if each.trace.id not in held]
            going = to_erase(free) if erases else []
            turns = [each.trace.id for each in going]
            back = frozenset[TraceId]()
            for start in range(0, len(turns), MOST_IDS):
                back |= kept_back(going, view.derived(turns[start : start + MOST_IDS]))
        return (
            tuple(each.trace.id for each in free if each.rule.then is Then.EXPIRE),
            tuple(id for id in turns if id not in back),
            tuple(id for id in turns if id in back),
            tuple(sorted(held)),
        )

    def _expire(self) -> str:
        lifecycle = LifecycleService(self._context)
        return str(lifecycle.run(steps=(STEP,)).run or "")

    # --- receipts --------------------------------------------------------------------------------

    def _over(self) -> tuple[int, int]:
        """How many receipts and queries are over."""
        drop = self._drop()
        if HoldService(self._context).current():
            return 0, 0  # they are part of what is known of what is held
        with self._context.store_view() as view:
            receipts = view.receipt_counts(drop.before)[0] if drop.before else 0
            queries = view.receipt_counts(drop.queries_before)[1] if drop.queries_before else 0
        return receipts, queries

    def _drop(self) -> DropReceipts:
        settings = self._context.settings.receipts
        return DropReceipts(self._ago(settings.days), self._ago(settings.query_days or settings.days))

    def _ago(self, days: int) -> datetime | None:
        return self._context.clock.now() - timedelta(days=days) if days else None

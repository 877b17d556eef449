"""The list of alerts: one for all users and hosts that share the store."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from cortex.context import Context
from cortex.domain.alerts import Alert, AlertList, Severity, is_news, newest_first
from cortex.domain.scope import Tenant
from cortex.errors import EngineError
from cortex.ports.documents import ALERTS, Bodies, Documents
from cortex.runtime.webhook import Webhook

log = logging.getLogger("cortex.alerts")

SCHEMA = "cortex.alert.v1"
_EVERYBODY = Tenant()
"""There is one webhook for all users."""


class AlertService:
    """Reports and clears the alerts of one user. Trouble with the list is logged and never raised to who reports."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def raise_alert(self, cause: str, message: str, hint: str = "", severity: Severity = Severity.WARNING) -> None:
        """Report a cause. While it is open, the same cause stays one alert; a new one is logged too."""
        now, tenant = self._context.clock.now(), self._context.tenant
        new = Alert(
            cause=cause, agent=tenant.agent, user=tenant.user, severity=severity, message=message, hint=hint,
            opened_at=now, reported_at=now,
        )  # fmt: skip
        try:
            known = self._read().open_one(tenant, cause)
            if is_news(known, new):
                known = self._change(lambda alerts: alerts.reported(new)).open_one(tenant, cause)
                if known is None:
                    self._post("opened", new)
        except EngineError as error:
            known = None
            log.warning("the list of alerts cannot be written: %s", error.code)
        if known is None:
            log.warning("alert %s: %s", cause, message)

    def clear(self, cause: str) -> None:
        """Close the alert of a cause, if it is open."""
        now, tenant = self._context.clock.now(), self._context.tenant
        try:
            if self._read().open_one(tenant, cause) is None:
                return
            known = self._change(lambda alerts: alerts.cleared(tenant, cause, now)).open_one(tenant, cause)
            if known is not None:
                self._post("closed", replace(known, closed_at=now))
        except EngineError as error:
            log.warning("the list of alerts cannot be written: %s", error.code)
        else:
            log.info("alert %s is over", cause)

    def list(self, *, closed: bool = False) -> Sequence[Alert]:
        """The open alerts of this user, and those that are over if asked for; the most urgent first."""
        tenant = self._context.tenant
        found = [each for each in self._read().alerts if each.tenant == tenant and (closed or each.is_open)]
        return newest_first(found)

    @property
    def _documents(self) -> Documents:
        return self._context.dependencies.documents

    def _read(self) -> AlertList:
        found = self._documents.read(ALERTS)
        return _parsed(found.body if found else None)

    def _change(self, edit: Callable[[AlertList], AlertList]) -> AlertList:
        """Change the list; returns what it was before, which only one process can have changed."""

        def change(bodies: Bodies) -> AlertList:
            before = _parsed(bodies[ALERTS])
            if (after := edit(before)) != before:
                bodies[ALERTS] = after.to_json()
            return before

        return self._documents.change((ALERTS,), change)

    def _post(self, event: str, alert: Alert) -> None:
        """Send an alert to the webhook, if one is set; nobody waits for that."""
        dependencies, settings = self._context.dependencies, self._context.settings.alerts
        if settings.webhook:
            headers = {name: str(each) for name, each in settings.headers.items()}
            webhook = dependencies.one(
                "alert_webhook", _EVERYBODY, lambda: Webhook(settings.webhook, headers, dependencies.failures)
            )
            webhook.send({"schema": SCHEMA, "event": event, "alert": alert.to_json()})


def open_alerts(documents: Documents) -> Sequence[Alert]:
    """The open alerts of everybody."""
    found = documents.read(ALERTS)
    return newest_first([each for each in _parsed(found.body if found else None).alerts if each.is_open])


def _parsed(body: bytes | None) -> AlertList:
    try:
        return AlertList() if body is None else AlertList.from_json(body)
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError):
        # Alerts are reported again while their cause lasts: a damaged list is begun anew.
        log.warning("the list of alerts is damaged and begins anew")
        return AlertList()

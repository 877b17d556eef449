"""The alert of the degradation ladder: open for as long as turns get less than all of recall (E20)."""

from __future__ import annotations

from dataclasses import replace

from cortex.context import Context
from cortex.domain.alerts import Severity
from cortex.domain.scope import Tenant
from cortex.runtime.ladder import LadderReport, Rung
from cortex.services.alerts import AlertService

CAUSE = "recall:ladder"

_MESSAGES = {
    Rung.KEYWORDS: "turns are recalled by keywords alone",
    Rung.SILENT: "turns get no memories",
}


def report(context: Context, found: LadderReport) -> None:
    """Open the alert, or close it. It belongs to whom the process belongs to: the rung is the same for all users."""
    settings = context.dependencies.settings
    alerts = AlertService(replace(context, tenant=Tenant(settings.agent, settings.user)))
    if found.rung is Rung.FULL:
        alerts.clear(CAUSE)
        return
    severity = Severity.CRITICAL if found.rung is Rung.SILENT else Severity.WARNING
    alerts.raise_alert(
        CAUSE, f"{_MESSAGES[found.rung]}, because recall failed or was late",
        hint="run `cortex doctor`; recall goes up again by itself once it works", severity=severity,
    )  # fmt: skip

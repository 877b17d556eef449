"""One list of alerts, by cause, that never stands in the way of who reports."""

from __future__ import annotations

import logging
from datetime import timedelta
from pathlib import Path

import pytest

from cortex import Cortex
from cortex.domain.alerts import MOST_CLOSED, Severity
from cortex.ports.documents import ALERTS
from cortex.services.alerts import AlertService, open_alerts
from cortex.surfaces.cli.app import run
from cortex.testing import FakeClock


@pytest.fixture
def alerts(engine: Cortex) -> AlertService:
    return AlertService(engine.context)


def test_the_same_cause_is_one_alert_until_it_is_over(engine: Cortex, alerts: AlertService, clock: FakeClock) -> None:
    """S7"""
    opened_at = clock.now()
    for points in (12, 15):
        alerts.raise_alert("drift:labels", f"a share moved by {points} points", "look at it")
        clock.advance(timedelta(hours=1))
    (found,) = engine.alerts()
    assert (found.opened_at, found.message) == (opened_at, "a share moved by 15 points")
    alerts.clear("drift:labels")
    assert engine.alerts() == []
    (over,) = engine.alerts(closed=True)
    assert over.closed_at == clock.now()
    alerts.raise_alert("drift:labels", "again")
    assert [each.is_open for each in engine.alerts(closed=True)] == [True, False]


def test_the_most_urgent_comes_first(engine: Cortex, alerts: AlertService, clock: FakeClock) -> None:
    alerts.raise_alert("backup:drill", "the newest backup is damaged", severity=Severity.CRITICAL)
    clock.advance(timedelta(minutes=5))
    alerts.raise_alert("drift:kinds", "a share moved")
    assert [each.cause for each in engine.alerts()] == ["backup:drill", "drift:kinds"]


def test_users_see_their_own_alerts_and_the_operator_all(engine: Cortex, alerts: AlertService) -> None:
    alerts.raise_alert("drift:labels", "a share moved")
    AlertService(engine.bind(user="ines").context).raise_alert("drift:kinds", "a share moved")
    assert [each.cause for each in engine.bind(user="ines").alerts()] == ["drift:kinds"]
    everybody = open_alerts(engine.context.dependencies.documents)
    assert {(each.user, each.cause) for each in everybody} == {
        ("default", "drift:labels"), ("ines", "drift:kinds"),
    }  # fmt: skip


def test_a_new_alert_is_logged_once(alerts: AlertService, clock: FakeClock, caplog: pytest.LogCaptureFixture) -> None:
    """S7"""
    with caplog.at_level(logging.WARNING, "cortex.alerts"):
        for _ in range(3):
            alerts.raise_alert("ladder", "recall uses keywords only")
            clock.advance(timedelta(minutes=2))
    assert [record.getMessage() for record in caplog.records] == ["alert ladder: recall uses keywords only"]


def test_what_is_over_is_kept_within_bounds(engine: Cortex, alerts: AlertService, clock: FakeClock) -> None:
    for number in range(MOST_CLOSED + 5):
        alerts.raise_alert(f"cause-{number}", "something")
        clock.advance(timedelta(seconds=1))
        alerts.clear(f"cause-{number}")
    kept = engine.alerts(closed=True)
    assert len(kept) == MOST_CLOSED
    assert kept[0].cause == f"cause-{MOST_CLOSED + 4}"


def test_a_damaged_list_begins_anew_and_reporting_never_fails(
    engine: Cortex, alerts: AlertService, tmp_path: Path
) -> None:
    documents = engine.context.dependencies.documents
    documents.change((ALERTS,), lambda bodies: bodies.update({ALERTS: b"no JSON"}))
    alerts.raise_alert("drift:labels", "a share moved")
    assert [each.cause for each in engine.alerts()] == ["drift:labels"]


def test_status_and_the_command_show_alerts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CORTEX_EMBEDDING__PROVIDER", "none")
    with Cortex(tmp_path) as engine:
        AlertService(engine.context).raise_alert("drift:labels", "a share moved by 14 points", "look at it")
        assert [each["cause"] for each in engine.status()["alerts"]] == ["drift:labels"]
    for command in (["status"], ["admin", "alerts"]):
        run(["--home", str(tmp_path), *command])
        shown = capsys.readouterr().out
        assert "a share moved by 14 points" in " ".join(shown.split()), command

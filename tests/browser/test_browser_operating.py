"""What an operator looks at: receipts side by side, usage, jobs, alerts, drift, canaries, backups (S6)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from browsing import Server, Tab, Visit
from playwright.sync_api import Locator, expect
from test_browser_numbers import recall_receipt, table

from cortex import Cortex
from cortex.services.alerts import AlertService
from cortex.settings import FILE_NAME


@pytest.fixture(scope="module")
def operated(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with an open alert and one that is over, and no backup yet."""
    home = tmp_path_factory.mktemp("operated") / "home"
    home.mkdir()
    (home / FILE_NAME).write_text("[lifecycle]\nbackup_every_hours = 0\n", "utf-8")
    with Cortex(home, settings={"embedding": {"provider": "none"}}) as engine:
        engine.remember("The deploy key rotates on Mondays")
        alerts = AlertService(engine.context)
        alerts.raise_alert("drift:labels", "must_remember is 40% of the last 7 days", "see `cortex admin drift`")
        alerts.raise_alert("canary", "<b>over</b>", "nothing to do")
        alerts.clear("canary")
    with Server(home) as server:
        yield server


def tile(visit: Visit, name: str) -> Locator:
    return visit.page.locator(".tile").filter(has=visit.page.get_by_text(name, exact=True)).locator("b")


# --- receipts ---------------------------------------------------------------------------------------------------------


def test_a_receipt_is_known_by_its_question_and_its_result(visit: Visit, sample: Server) -> None:
    """S6"""
    receipt = recall_receipt(sample, "who plays the <b>bassoon</b>?", scope="support")
    recall_receipt(sample, "thanks!")
    visit.go("#/receipts?op=recall")
    row = visit.page.locator(f"tr[data-receipt='{receipt['id']}']")
    expect(row).to_contain_text("who plays the <b>bassoon</b>?")
    visit.page.get_by_label("Result").select_option("skipped")
    visit.settled()
    expect(visit.page).to_have_url(re.compile("outcome=skipped"))
    expect(row).to_have_count(0)
    expect(visit.page.locator("tbody tr").first).to_contain_text("thanks!")


def test_two_recalls_are_ticked_and_compared_by_keyboard(visit: Visit, sample: Server) -> None:
    """S6"""
    one = recall_receipt(sample, "how do we deploy?", scope="spoke")
    other = recall_receipt(sample, "how do we deploy?", scope="spoke", limit=2)
    visit.go(f"#/receipts/{one['id']}")
    visit.page.get_by_role("link", name="Compare").focus()
    visit.page.keyboard.press("Enter")
    visit.settled()
    box = visit.page.locator(f"tr[data-receipt='{other['id']}'] input")
    box.focus()
    visit.page.keyboard.press("Space")
    visit.page.get_by_role("link", name="Compare", exact=True).focus()
    visit.page.keyboard.press("Enter")
    visit.settled()
    found = sample.get(f"/v1/receipts/{one['id']}/compare/{other['id']}")
    rows = visit.page.locator(".compared tbody tr")
    assert [row.get_attribute("data-hit") for row in rows.all()] == [hit["id"] for hit in found["hits"]]
    expect(visit.page.locator(".notice").first).to_contain_text("Different answers")
    expect(visit.page.locator("section").filter(has_text="Settings that differ")).to_contain_text("Limit")


# --- usage ------------------------------------------------------------------------------------------------------------


def test_usage_says_what_the_api_says_in_charts_and_tables(visit: Visit, sample: Server) -> None:
    """S6, X18"""
    recall_receipt(sample, "how do we deploy?")
    visit.go("#/usage?days=14")
    found = sample.get("/v1/usage", days=14)
    assert found["total"]["recalls"] > 0
    expect(tile(visit, "Recalls")).to_have_text(f"{found['total']['recalls']:,}")
    expect(tile(visit, "Hit rate")).to_have_text(f"{found['total']['hit_rate']:.0%}")
    head, rows = table(visit, "recalls")
    answered = head.index("answered")
    assert [int(row[answered].replace(",", "")) for row in rows] == [day["answered"] for day in found["days"]]
    _, rows = table(visit, "latency")
    assert [row[1] == "–" for row in rows] == [day["p50_ms"] is None for day in found["days"]]
    drawing = visit.page.locator("svg[data-chart=latency]")
    box = drawing.bounding_box()
    assert box is not None
    visit.page.mouse.move(box["x"] + box["width"] - 8, box["y"] + box["height"] / 2)
    tip = visit.page.locator(".tip:visible")
    expect(tip).to_contain_text("95th percentile")
    expect(tip).to_contain_text("ms")


# --- the digest -------------------------------------------------------------------------------------------------------


def test_the_digest_says_which_questions_found_nothing_and_what_answers_it_today(tab: Tab, operated: Server) -> None:
    """S6"""
    asked = "who services the <i>boiler</i>?"
    operated.post("/v1/recall", query=asked)
    with tab.visit(operated) as visit:
        visit.go("#/digest")
        row = visit.page.locator("tr[data-gap]")
        expect(row).to_contain_text(asked)
        expect(row).to_contain_text("still nothing")
        expect(tile(visit, "Found nothing")).to_have_text("1")
        expect(visit.page.locator("[data-memory]").first).to_contain_text("The deploy key rotates on Mondays")
        expect(visit.page.get_by_role("link", name="Open alerts: 1")).to_be_visible()
        id = operated.remember("Hansen services the boiler every October")
        visit.page.get_by_role("radio", name="30 days").check()
        visit.settled()
        link = row.get_by_role("link", name="answered today")
        expect(link).to_have_attribute("href", f"#/memory/{id}")


# --- jobs -------------------------------------------------------------------------------------------------------------


def test_a_job_is_canceled_and_run_again_from_the_page(visit: Visit, sample: Server) -> None:
    """S7"""
    sample.post("/v1/ingest", session="jobs-page", messages=[{"role": "user", "content": "I moved to Porto in May"}])

    def state() -> str:
        jobs = sample.get("/v1/jobs", states=["waiting", "running", "canceled", "done"], limit=500)["jobs"]
        return str(next(job["state"] for job in jobs if job["key"] == "jobs-page" and job["kind"] == "extract"))

    visit.go("#/jobs")
    row = visit.page.locator("tr[data-job]").filter(has_text="jobs-page").filter(has_text="extract")
    expect(row).to_contain_text("waiting")
    row.get_by_role("button", name="Cancel").focus()
    visit.page.keyboard.press("Enter")
    visit.dialog.get_by_role("button", name="Cancel job").click()
    expect(row).to_contain_text("canceled")
    assert state() == "canceled"
    row.get_by_role("button", name="Retry").click()
    expect(row.get_by_text("canceled")).to_have_count(0)
    assert state() in ("waiting", "running", "done")


# --- alerts, drift, canaries, backups ---------------------------------------------------------------------------------


def test_alerts_name_their_cause_and_what_to_do(tab: Tab, operated: Server) -> None:
    """S6"""
    with tab.visit(operated) as visit:
        visit.go("#/alerts")
        (item,) = visit.page.locator("[data-cause]").all()
        expect(item).to_contain_text("Must_remember is 40% of the last 7 days")
        expect(item.locator("code")).to_have_text("cortex admin drift")
        visit.page.get_by_role("radio", name="All").check()
        visit.settled()
        expect(visit.page.locator("[data-cause=canary]")).to_contain_text("<b>over</b>")
        visit.page.locator("[data-cause='drift:labels']").get_by_role("link", name="Details").click()
        expect(visit.page.locator("main h1")).to_have_text("Drift")
        expect(visit.page.locator("main [data-empty]")).to_contain_text("No day was counted yet")


def test_drift_shows_the_shares_that_the_api_gives(visit: Visit, sample: Server) -> None:
    """S3, S6"""
    sample.get("/v1/drift")
    visit.go("#/drift")
    found = sample.get("/v1/drift")
    if found["day"] is None:
        expect(visit.page.locator("main [data-empty]")).to_be_visible()
        return
    for each in found["distributions"]:
        box = visit.page.locator(f"[data-distribution={each['name']}]")
        shown = box.locator("tbody tr").first
        if each["shares"] and each["before"] + each["recent"]:
            share = each["shares"][0]
            expect(shown).to_contain_text(share["category"].replace("_", " "))
            expect(shown.locator("td.num").nth(1)).to_have_text(f"{share['recent']:.0%}")


def test_a_canary_page_says_what_is_needed_first(visit: Visit, sample: Server) -> None:
    """E20"""
    visit.statuses = {400, 422}
    visit.go("#/canary")
    expect(visit.page.locator("main [data-empty]")).to_contain_text("No canary yet")
    visit.button("Build").click()
    expect(visit.page.locator(".notice")).to_contain_text("60")


def test_a_backup_is_made_and_restored_in_a_drill_from_the_page(tab: Tab, operated: Server) -> None:
    """S6, E21"""
    with tab.visit(operated) as visit:
        visit.go("#/backups")
        expect(visit.page.locator("main [data-empty]")).to_contain_text("No backup yet")
        expect(visit.button("Run drill")).to_be_disabled()
        visit.button("Back up now").click()
        expect(visit.page.locator("tbody tr")).to_have_count(1)
        expect(tile(visit, "Last drill")).to_have_text("never")
        visit.button("Run drill").click()
        expect(visit.page.get_by_text("The newest backup can be restored")).to_be_visible()
        expect(visit.page.locator("tbody tr")).to_contain_text("restored in a drill")
        assert operated.get("/v1/backups/drill")["drill"]["ok"] is True


# --- grades -----------------------------------------------------------------------------------------------------------


def test_memories_are_graded_and_written_back_by_a_plan_first(tab: Tab, operated: Server) -> None:
    """S6, S4"""
    operated.remember("Never deploy on a Friday", kind="rule")
    with tab.visit(operated) as visit:
        visit.go("#/grades")
        expect(tile(visit, "Last graded")).to_have_text("never")
        visit.button("Grade now").click()
        expect(visit.page.locator("tbody tr").first).to_contain_text("grade")
        visit.button("Write back…").click()
        expect(visit.dialog).to_contain_text("Only fields that nobody set are filled")
        visit.dialog.get_by_role("button", name="Not now").click()
        assert operated.get("/v1/receipts", op="writeback", limit=1)["receipts"][0]["dry_run"] is True
        expect(visit.page.locator("tbody tr").first).to_contain_text("writeback (plan)")
        expect(tile(visit, "Last writeback")).to_have_text("never")
        visit.button("Write back…").click()
        visit.dialog.get_by_role("button", name="Write back", exact=True).click()
        expect(visit.page.locator(".notice")).to_contain_text("Written back")
        assert operated.get("/v1/receipts", op="writeback", limit=1)["receipts"][0]["dry_run"] is False
        visit.button("Compare").click()
        expect(visit.page.get_by_text("No label would change")).to_be_visible()
        expect(visit.page.locator("tbody tr").first).to_contain_text("grade (comparison)")


# --- tags -------------------------------------------------------------------------------------------------------------


def test_the_memory_goes_back_to_a_tag_by_a_plan_first(tab: Tab, operated: Server) -> None:
    """S6, E18"""
    with tab.visit(operated) as visit:
        visit.go("#/tags")
        visit.button("New tag").click()
        visit.page.get_by_label("Tag", exact=True).fill("before-the-mistake")
        visit.dialog.get_by_role("button", name="Create tag").click()
        expect(visit.page.locator("[data-tag='before-the-mistake']")).to_be_visible()
        wrong = operated.remember("<i>Backups</i> are made on Sundays")
        visit.page.get_by_role("link", name="before-the-mistake").click()
        visit.settled()
        expect(visit.page.locator(".changes li")).to_contain_text("<i>Backups</i> are made on Sundays")
        visit.button("Roll back…").click()
        expect(visit.dialog).to_contain_text("1 memory would be withdrawn")
        visit.dialog.get_by_role("button", name="Cancel").click()
        assert operated.get(f"/v1/memories/{wrong}")["state"] == "active"
        visit.button("Roll back…").click()
        visit.dialog.get_by_role("button", name="Roll back", exact=True).click()
        expect(visit.page.locator(".notice")).to_contain_text("Undo it by going back to")
        assert operated.get(f"/v1/memories/{wrong}")["state"] != "active"

"""Retention, holds and one person, as an administrator works on them (S6)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from browsing import PHONE, Server, Tab, Visit
from playwright.sync_api import Locator, expect

from cortex import Cortex
from cortex.settings import FILE_NAME
from cortex.testing import FakeClock

RULES = """
[lifecycle]
backup_every_hours = 0

[[retention]]
scope = "health"
keep = "1y"
then = "erase"

[[retention]]
scope = "fleeting"
keep = "1d"
"""
HOSTILE = '<img src=x onerror="document.title=1">'
PERSON = "Anna Schmidt"


@pytest.fixture
def governed(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with memories of 2023: one that a rule erases, one on hold that expires, and those of a person."""
    home = tmp_path_factory.mktemp("governed") / "home"
    home.mkdir()
    (home / FILE_NAME).write_text(RULES, "utf-8")
    clock = FakeClock(datetime(2023, 3, 1, tzinfo=UTC))
    with Cortex(home, clock=clock, settings={"embedding": {"provider": "none"}}) as engine:
        engine.remember(f"The blood test is fine {HOSTILE}", scope="health")
        engine.remember("The parking space is on the left", scope="fleeting")
        engine.hold(scope="fleeting", reason=HOSTILE, everyone=True)
        engine.remember(f"The invoice goes to {PERSON} by Friday {HOSTILE}")
        engine.remember("Anna keeps a bicycle")
        engine.remember("Anna Müller sings in the choir")
        engine.bind(user="ben").remember(f"{PERSON} called about the boat")
    with Server(home) as server:
        yield server


def rule(visit: Visit, about: str) -> Locator:
    return visit.page.locator("tr[data-rule]").filter(has_text=about)


def in_writing(visit: Visit, button: str) -> None:
    """Confirm a dialog by its word, after it was seen that it does nothing without."""
    confirm = visit.dialog.get_by_role("button", name=button)
    expect(confirm).to_be_disabled()
    visit.dialog.get_by_label("Type “erase” to confirm").fill("erase")
    visit.page.keyboard.press("Enter")
    expect(visit.dialog).to_have_count(0)


def test_the_plan_says_what_is_due_and_why_and_happens_only_in_writing(tab: Tab, governed: Server) -> None:
    """S6"""
    with tab.visit(governed) as visit:
        page = visit.page
        visit.go("#/retention")
        expect(rule(visit, "scope health").locator("td.num")).to_have_text("1")
        due = page.locator(".changes li").filter(has_text="The blood test is fine <img")
        expect(due).to_contain_text("scope health: keep 365d, then erase")
        expect(page.locator(".changes li").filter(has_text="parking space")).to_contain_text("on hold")
        visit.button("Apply…").click()
        visit.dialog.get_by_role("button", name="Cancel").click()
        assert governed.get("/v1/memories", scope="health")["memories"]
        hold = page.locator("tr[data-hold]")
        expect(hold).to_contain_text(HOSTILE)
        hold.get_by_role("button", name="Release").press("Enter")
        visit.dialog.get_by_role("button", name="Release").press("Enter")
        expect(hold).to_have_count(0)
        expect(page.locator(".changes li").filter(has_text="parking space")).to_contain_text("expire")
        visit.button("Apply…").press("Enter")
        in_writing(visit, "Apply")
        expect(page.locator(".notice").filter(has_text="The rules were applied")).to_contain_text("1 expired, 1 erased")
        states = ["active", "superseded", "forgotten", "expired"]
        assert governed.get("/v1/memories", scope="health", state=states)["memories"] == []
        visit.button("Undo the expiry").press("Enter")
        expect(page.locator(".notice").filter(has_text="Undone")).to_be_visible()
        (back,) = governed.get("/v1/memories", scope="fleeting")["memories"]
        assert back["state"] == "active"


def test_a_hold_is_placed_by_keyboard_and_refuses_what_it_holds(tab: Tab, governed: Server) -> None:
    """S6"""
    with tab.visit(governed) as visit:
        page = visit.page
        visit.go("#/retention")
        visit.button("Place hold").press("Enter")
        visit.dialog.get_by_label("Hold", exact=True).select_option("person")
        visit.dialog.get_by_label("Which").fill(PERSON)
        visit.dialog.get_by_label("Reason").fill("case 7")
        page.keyboard.press("Enter")
        expect(page.locator("tr[data-hold]").filter(has_text=PERSON)).to_contain_text("case 7")
        visit.statuses = {409}
        visit.go("#/person")
        page.get_by_label("Full name").fill(PERSON)
        page.keyboard.press("Enter")
        visit.button("Erase…").click()
        in_writing(visit, "Erase permanently")
        expect(page.get_by_role("alert")).to_contain_text("hold")
        assert governed.post("/v1/subjects/find", person=PERSON)["sure"]


def test_a_person_is_found_exported_and_erased_with_a_certificate(tab: Tab, governed: Server) -> None:
    """S6"""
    with tab.visit(governed) as visit:
        page = visit.page
        visit.go("#/person")
        page.get_by_label("Full name").fill(PERSON)
        page.keyboard.press("Enter")
        sure, likely = (page.locator(f"[data-matches={each}] tr[data-match]") for each in ("sure", "likely"))
        expect(sure).to_have_count(2)
        expect(sure.filter(has_text="The invoice goes to Anna Schmidt by Friday <img")).to_have_count(1)
        expect(sure.filter(has_text="ben")).to_have_count(1)
        expect(likely).to_have_count(1)
        expect(likely).to_contain_text("Anna keeps a bicycle")
        assert PERSON not in page.url
        with page.expect_download() as download:
            visit.button("Export").click()
        lines = download.value.path().read_text("utf-8").splitlines()
        assert {json.loads(line)["user"] for line in lines} == {"default", "ben"}
        likely.get_by_role("checkbox").press("Space")
        visit.button("Erase…").press("Enter")
        expect(visit.dialog).to_contain_text("2 sure matches and 1 likely one that you ticked")
        in_writing(visit, "Erase permanently")
        expect(page.get_by_text("Nothing of the person is left")).to_be_visible()
        certificate = page.locator("dl.facts .id").inner_text()
        assert governed.get(f"/v1/subjects/{certificate}")["clean"] is True
        (left,) = governed.get("/v1/memories", contains="anna")["memories"]
        assert left["text"] == "Anna Müller sings in the choir"
        visit.button("Find").click()
        expect(page.get_by_text("Nobody of this name was found")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_pages_fit_every_screen_and_everybody_can_use_them(tab: Tab, governed: Server, scheme: str) -> None:
    """S6"""
    with tab.visit(governed) as visit:
        visit.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        for route in ("#/retention", "#/person"):
            visit.go(route)
            if route == "#/person":
                visit.page.get_by_label("Full name").fill(PERSON)
                visit.page.keyboard.press("Enter")
                expect(visit.page.locator("tr[data-match]")).to_have_count(3)
            for size in ({"width": 1920, "height": 1080}, PHONE):
                visit.page.set_viewport_size(size)
                assert visit.findings() == []
                assert visit.too_wide() == []

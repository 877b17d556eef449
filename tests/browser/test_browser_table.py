"""The table of memories by keyboard and by mouse, in light and dark, on every screen (S6)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from browsing import Server, Tab, Visit, expect

from cortex import Cortex
from cortex.domain.memory import Draft

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from conftest import Opens

HOSTILE = '<img src=x onerror="document.title=1"><script>alert(1)</script> [link](https://evil.example) '
HEBREW = "מפתח הפריסה מתחלף ביום שני"
SCOPE = "table"
CROWD = 2_100


@pytest.fixture(scope="module")
def stocked(sample: Server) -> Server:
    """The sample, and memories of every sort in a scope of their own."""
    for number in range(6):
        text = f"Buoy {number} is painted red"
        sample.remember(text, scope=SCOPE, importance=number / 10, as_new=True, embed=False)
    sample.remember(HOSTILE + "b" * 60_000, scope=f"{SCOPE}-odd", tags=[HOSTILE], topic=HOSTILE, embed=False)
    sample.remember(HEBREW, scope=f"{SCOPE}-odd", embed=False)
    return sample


@pytest.fixture
def table(visit: Visit, stocked: Server) -> Iterator[Locator]:
    """The rows of the scope, in the order of their importance."""
    visit.go(f"#/memories?scope={SCOPE}&sort=importance")
    rows = visit.page.locator("tr[data-row]")
    expect(rows).to_have_count(6)
    yield rows
    found = stocked.get("/v1/memories", scope=SCOPE, state=["forgotten", "active"], limit=100)["memories"]
    stocked.post("/v1/bulk", action="restore", ids=[each["id"] for each in found])


def texts(rows: Locator) -> list[str]:
    return [re.sub(r"\D", "", each)[:1] for each in rows.locator("td.text").all_inner_texts()]


def test_it_is_filtered_sorted_and_opened_by_keyboard_alone(visit: Visit, table: Locator) -> None:
    """S6"""
    page = visit.page
    assert texts(table) == list("012345")
    page.get_by_role("button", name="Importance").press("Enter")
    expect(table.first).to_contain_text("Buoy 5")
    expect(page.get_by_role("columnheader", name="Importance")).to_have_attribute("aria-sort", "descending")
    page.get_by_role("searchbox", name="Filter by words").fill("BUOY 3")
    expect(table).to_have_count(1)
    expect(page).to_have_url(re.compile("contains=BUOY\\+3"))
    page.keyboard.press("Enter")
    expect(visit.focused).to_contain_text("Buoy 3")
    page.keyboard.press("Enter")
    expect(page.locator(".said")).to_have_text("Buoy 3 is painted red")


def test_rows_are_selected_forgotten_and_brought_back_by_keyboard(
    visit: Visit, table: Locator, stocked: Server
) -> None:
    """S6"""
    page = visit.page
    page.keyboard.press("j")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    toolbar = page.get_by_role("toolbar", name="Selected memories")
    expect(toolbar).to_contain_text("3 selected")
    page.keyboard.press("#")
    expect(page.locator("[data-done]")).to_contain_text("Forgot 3 memories")
    expect(table).to_have_count(3)
    assert texts(table) == list("345")
    visit.button("Undo").press("Enter")
    expect(table).to_have_count(6)
    assert {each["state"] for each in stocked.get("/v1/memories", scope=SCOPE)["memories"]} == {"active"}


@pytest.fixture
def crowded(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with more memories in one scope than are changed at once."""
    home = tmp_path_factory.mktemp("crowded") / "home"
    with Cortex(home, settings={"embedding": {"provider": "none"}}) as engine:
        drafts = [Draft(text=f"Crate {number} is in hall {number % 7}", scope="hall") for number in range(CROWD)]
        engine.remember_all(drafts, embed=False)
        engine.remember("The hall is closed on Sundays", scope="other", embed=False)
    with Server(home) as server:
        yield server


def labeled(server: Server) -> int:
    return int(server.get("/v1/stats", lane="memories", label="must_remember")["total"])


def test_all_that_match_are_changed_and_brought_back_though_the_connection_was_lost_between(
    tab: Tab, crowded: Server
) -> None:
    """S6"""
    with tab.visit(crowded) as visit:
        page = visit.page
        visit.go("#/memories?scope=hall")
        page.locator("tr[data-row]").first.press("Control+a")
        toolbar = page.get_by_role("toolbar", name="Selected memories")
        toolbar.get_by_role("button", name=f"Select all {CROWD:,} that match").press("Enter")
        expect(toolbar).to_contain_text(f"{CROWD:,} selected")
        visit.is_alone = True  # its console tells of the answer that is lost
        asked = itertools.count()
        page.route("**/v1/bulk", lambda route: route.abort() if next(asked) == 1 else route.continue_())
        toolbar.get_by_role("button", name="Label").press("Enter")
        visit.dialog.get_by_label("Importance label").select_option("must_remember")
        visit.dialog.get_by_role("button", name="Apply").press("Enter")
        done = page.locator("[data-done]")
        expect(done).to_contain_text(f"Changed 1,000 memories of {CROWD:,}. The rest is still to do.")
        assert labeled(crowded) == 1_000
        visit.button("Try again").press("Enter")
        expect(done).to_contain_text(f"Changed {CROWD:,} memories.")
        assert labeled(crowded) == CROWD
        done.get_by_role("button", name="Undo").press("Enter")
        expect(done).to_contain_text(f"Took back {CROWD:,} memories.")
        assert labeled(crowded) == 0


def test_what_somebody_else_changed_meanwhile_is_left_to_them(visit: Visit, table: Locator, stocked: Server) -> None:
    """S6"""
    page = visit.page
    for at in (0, 1):
        table.nth(at).locator(".pick").click()
    theirs = table.first.get_attribute("data-id") or ""
    stocked.edit(theirs, tags=["theirs"])
    visit.button("Label").click()
    visit.dialog.get_by_label("Importance label").select_option("must_remember")
    visit.dialog.get_by_role("button", name="Apply").click()
    expect(page.locator("[data-done]")).to_contain_text("Changed 1 memory. 1 memory was changed by somebody else")
    assert stocked.get(f"/v1/memories/{theirs}").get("label", "unknown") != "must_remember"


def test_a_view_is_saved_opened_and_removed(visit: Visit, table: Locator, stocked: Server) -> None:
    """S6"""
    visit.button("Save view").click()
    visit.dialog.get_by_label("Name").fill("Buoys <b>")
    page = visit.page
    page.keyboard.press("Enter")
    tab = page.get_by_role("navigation", name="Views").get_by_role("link", name="Buoys <b>")
    expect(tab).to_have_attribute("aria-current", "page")
    visit.go("#/memories")
    tab.click()
    expect(table).to_have_count(6)
    visit.button("Remove view").click()
    expect(tab).to_have_count(0)
    assert stocked.get("/v1/views")["views"] == []


def test_hostile_long_and_right_to_left_texts_are_shown_as_text(visit: Visit, stocked: Server) -> None:
    """S6"""
    visit.go(f"#/memories?scope={SCOPE}-odd&columns=text,topic,tags")
    rows = visit.page.locator("tr[data-row]")
    expect(rows).to_have_count(2)
    expect(rows.filter(has_text="<script>")).to_have_count(1)
    assert visit.page.locator("main img, main script").count() == 0
    hebrew = visit.page.get_by_role("link", name=HEBREW)
    assert hebrew.evaluate("(each) => getComputedStyle(each).direction") == "rtl"
    assert visit.too_wide() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_every_screen_and_everybody_can_use_it(opened: Opens, stocked: Server, scheme: str) -> None:
    """S6"""
    with opened(stocked, color_scheme=scheme, viewport={"width": 1920, "height": 1080}) as one:
        one.go("#/memories")
        one.page.locator("tr[data-row] .pick").nth(1).click()
        assert one.findings() == []
        one.page.set_viewport_size({"width": 390, "height": 844})
        expect(one.page.locator("tr[data-row] .under").first).to_be_visible()
        assert one.findings() == []
        assert one.too_wide() == []

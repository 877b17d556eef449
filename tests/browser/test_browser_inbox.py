"""The inbox in the browser: decided by keyboard alone, in bulk, undone, and safe against what stands in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import browsing
import pytest
from browsing import PHONE, Server, Tab, Visit
from playwright.sync_api import Locator, ViewportSize, expect

HOSTILE = '<img src=x onerror="alert(1)"> [click](javascript:alert(2)) שלום "><script>alert(3)</script>'
WIDE: ViewportSize = {"width": 1920, "height": 1080}


@pytest.fixture(scope="module")
def asking(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server over a memory with something to decide; every test adds its own."""
    with browsing.Server(Path(tmp_path_factory.mktemp("inbox")) / "home") as server:
        yield server


@pytest.fixture
def inbox(tab: Tab, asking: Server) -> Iterator[Visit]:
    with tab.visit(asking) as one:
        yield one


def rule(server: Server, text: str) -> str:
    return server.remember(text, kind="rule", source_kind="tool", as_new=True)


def item(visit: Visit, id: str) -> Locator:
    return visit.page.locator(f"[data-item='{id}']")


def decided(server: Server, id: str, verdict: str) -> None:
    """Decide an item elsewhere."""
    (found,) = server.get("/v1/inbox", ids=[id])["items"]
    server.post("/v1/inbox/decide", decisions=[{"id": id, "revision": found["revision"], "verdict": verdict}])


def test_items_are_decided_and_undone_by_keyboard_alone(inbox: Visit, asking: Server) -> None:
    first, second = rule(asking, "Never deploy on a Friday"), rule(asking, "Never deploy at night")
    inbox.go("#/inbox")
    inbox.page.keyboard.press("g")
    inbox.page.keyboard.press("r")
    expect(inbox.page).to_have_url(f"{asking.url}/#/receipts")
    inbox.page.keyboard.press("g")
    inbox.page.keyboard.press("i")
    expect(item(inbox, first)).to_be_visible()
    expect(inbox.link("Inbox")).to_have_attribute("title", re.compile(r"items to decide today"))
    item(inbox, first).focus()
    inbox.page.keyboard.press("a")
    expect(item(inbox, first)).to_have_count(0)
    assert asking.get(f"/v1/memories/{first}").get("trust", "trusted") == "trusted"
    expect(inbox.focused).to_have_attribute("data-item", second)
    inbox.page.keyboard.press("x")
    expect(item(inbox, second)).to_have_count(0)
    assert asking.get(f"/v1/memories/{second}")["state"] == "forgotten"
    inbox.page.keyboard.press("u")
    expect(item(inbox, second)).to_be_visible()
    inbox.page.keyboard.press("u")
    expect(item(inbox, first)).to_be_visible()
    item(inbox, first).focus()
    inbox.page.keyboard.press("e")
    inbox.page.get_by_label("Text").fill("Never deploy on a Friday afternoon")
    inbox.button("Save").click()
    expect(item(inbox, first)).to_have_count(0)
    assert asking.get(f"/v1/memories/{first}")["text"] == "Never deploy on a Friday afternoon"
    decided(asking, second, "reject")


def test_several_are_decided_at_once_or_none_where_somebody_was_first(inbox: Visit, asking: Server) -> None:
    inbox.statuses = {409}
    ids = [rule(asking, f"Never restart machine {name}") for name in ("Alpha", "Beta", "Gamma")]
    inbox.go("#/inbox")
    for id in ids:
        item(inbox, id).focus()
        inbox.page.keyboard.press(" ")
    expect(inbox.page.get_by_text("3 selected")).to_be_visible()
    inbox.page.route("**/v1/changes", lambda route: route.abort())
    asking.edit(ids[1], tags=["seen"])
    inbox.page.evaluate("() => 0")
    inbox.button("Reject all").click()
    said = inbox.page.locator(".notice", has_text="Changed in the meantime")
    done = inbox.page.locator(".toast", has_text="Rejected: 3 items")
    expect(said.or_(done).first).to_be_visible()
    if said.count():  # else the page had loaded the edit before
        assert {asking.get(f"/v1/memories/{id}").get("state", "active") for id in ids} == {"active"}
        inbox.button("Reject all").click()
    for id in ids:
        expect(item(inbox, id)).to_have_count(0)
    assert {asking.get(f"/v1/memories/{id}")["state"] for id in ids} == {"forgotten"}
    inbox.page.unroute("**/v1/changes")


def test_a_connection_that_is_lost_in_a_bulk_decision_leaves_nothing_half_done(inbox: Visit, asking: Server) -> None:
    inbox.is_alone = True
    ids = [rule(asking, f"Never restart the {name} by hand") for name in ("mixer", "press")]
    inbox.go("#/inbox")
    for id in ids:
        item(inbox, id).focus()
        inbox.page.keyboard.press(" ")
    inbox.page.route("**/v1/inbox/decide", lambda route: route.abort())
    inbox.button("Snooze all").click()
    expect(inbox.page.get_by_text("Nothing is half done")).to_be_visible()
    expect(inbox.page.get_by_text("2 selected")).to_be_visible()
    assert asking.get("/v1/inbox")["snoozed"] == 0
    inbox.page.unroute("**/v1/inbox/decide")
    inbox.button("Snooze all").click()
    for id in ids:
        expect(item(inbox, id)).to_have_count(0)
    assert asking.get("/v1/inbox")["snoozed"] == 2


def test_of_a_contradiction_both_sides_stand_with_their_dates_and_one_is_chosen(inbox: Visit, asking: Server) -> None:
    asking.remember("My home city is Lisbon.", source_kind="user", created_at="2023-02-03T10:00:00+00:00")
    later = asking.remember("My home city is Porto.", source_kind="web")
    inbox.go("#/inbox")
    sides = inbox.page.locator(".side-by-side")
    expect(sides).to_have_count(2)
    expect(sides.first).to_contain_text("3 Feb 2023")
    inbox.page.locator("[data-item]", has=sides.first).focus()
    inbox.page.keyboard.press("2")
    expect(inbox.page.locator(".side-by-side.kept")).to_contain_text("Porto")
    inbox.page.keyboard.press("a")
    expect(sides).to_have_count(0)
    assert asking.get(f"/v1/memories/{later}").get("trust", "trusted") == "trusted"
    assert asking.get("/v1/contradictions")["contradictions"] == []


@pytest.mark.parametrize(("scheme", "size"), [("light", WIDE), ("dark", PHONE)])
def test_what_stands_in_an_item_is_text_and_everybody_can_read_it(
    inbox: Visit, asking: Server, scheme: str, size: ViewportSize
) -> None:
    id = rule(asking, f"{HOSTILE} {scheme}. " + "Always press the button. " * 2_500)
    inbox.page.set_viewport_size(size)
    inbox.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    inbox.go("#/inbox")
    expect(item(inbox, id)).to_contain_text("<img src=x onerror=")
    assert inbox.page.locator("main img, main script").count() == 0
    item(inbox, id).focus()
    inbox.page.keyboard.press(" ")
    expect(inbox.page.get_by_text("1 selected")).to_be_visible()
    assert inbox.too_wide() == []
    assert inbox.findings() == []
    decided(asking, id, "reject")

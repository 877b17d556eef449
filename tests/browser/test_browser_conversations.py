"""Conversations read as chats, the turns that pages cite, and the files that are indexed (S6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import Page, Server, Tab, Visit, expect

from cortex import Cortex

if TYPE_CHECKING:
    from conftest import Opens

TURNS = 5_000
LONG = "room/long & <b>wide</b>"
HOSTILE = '<img src=x onerror="document.title=1"> مرحبا'


@pytest.fixture(scope="module")
def long(sample: Server) -> Server:
    """The sample, and a conversation of many turns, some of them hostile."""
    lines = [f"Line {number} of the long talk" for number in range(400)]
    lines[17] = HOSTILE
    messages = [{"role": "user" if at % 2 else "assistant", "content": line} for at, line in enumerate(lines)]
    sample.post("/v1/ingest", session=LONG, messages=messages)
    turns = sample.get(f"/v1/conversations/{LONG}", after=199, limit=1)["turns"]
    sample.remember("The long talk has a middle", source_turns=[turns[0]["id"]], as_new=True, embed=False)
    return sample


def test_a_memory_leads_to_its_turn_in_the_chat_and_the_turn_back(visit: Visit, long: Server) -> None:
    """S6"""
    page = visit.page
    id = long.get("/v1/memories", contains="has a middle")["memories"][0]["id"]
    visit.go(f"#/memory/{id}")
    cited = page.locator(".cited")
    expect(cited.locator(".neighbor")).to_have_count(4)
    expect(cited).to_contain_text("Line 198 of the long talk")
    expect(cited).to_contain_text("Line 202 of the long talk")
    cited.get_by_role("link", name="Turn 201 in its conversation").press("Enter")
    turn = page.locator("[data-wanted]")
    expect(turn).to_contain_text("Line 200 of the long talk")
    expect(turn).to_be_focused()
    expect(turn).to_be_in_viewport()
    turn.get_by_role("link", name="The long talk has a middle").press("Enter")
    expect(page).to_have_url(re.compile(id))


def test_a_long_conversation_is_read_in_both_directions(visit: Visit, long: Server) -> None:
    """S6"""
    page = visit.page
    visit.go("#/conversations")
    page.get_by_role("searchbox", name="Filter by session").fill("LONG &")
    expect(page.locator("tr[data-row]")).to_have_count(1)
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page.locator("main h1")).to_have_text(LONG)
    expect(page.locator(".bubble").nth(17)).to_contain_text("<img src=x")
    assert page.locator("main img").count() == 0
    page.get_by_label("Turn", exact=True).fill("300")
    page.keyboard.press("Enter")
    expect(page.locator("[data-wanted]")).to_contain_text("Line 299")
    visit.button("Earlier turns").click()
    expect(page.locator("[data-seq='169']")).to_have_count(1)
    page.locator("[data-seq='368']").scroll_into_view_if_needed()
    expect(page.locator("[data-seq='399']")).to_have_count(1)
    order = page.locator(".bubble").evaluate_all("(all) => all.map((each) => Number(each.dataset.seq))")
    assert order == list(range(order[0], 400))


@pytest.fixture(scope="module")
def endless(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with a conversation of 5,000 turns."""
    home = tmp_path_factory.mktemp("endless") / "home"
    with Cortex(home, settings={"embedding": {"provider": "none"}}) as engine:
        for start in range(0, TURNS, 500):
            messages = [{"role": "user", "content": f"Line {number}"} for number in range(start, start + 500)]
            engine.ingest(messages, session="endless", debounce=False)
    with Server(home) as server:
        yield server


def shown_turns(page: Page) -> list[int]:
    return [int(seq) for seq in page.locator(".bubble").evaluate_all("(all) => all.map((each) => each.dataset.seq)")]


def test_a_conversation_of_thousands_of_turns_is_open_at_any_turn_with_few_of_them_in_the_page(
    tab: Tab, endless: Server
) -> None:
    """S6"""
    with tab.visit(endless) as visit:
        page = visit.page
        visit.go("#/conversations/endless?turn=2500")
        expect(page.locator("main .head")).to_contain_text(f"{TURNS:,} turns")
        expect(page.locator("[data-wanted]")).to_be_in_viewport()
        assert shown_turns(page) == list(range(2_470, 2_570))
        for last in range(2_669, 3_070, 100):
            visit.button("Later turns").press("Enter")
            expect(page.locator(f"[data-seq='{last}']")).to_have_count(1)
        turns = shown_turns(page)
        assert turns == list(range(turns[0], turns[0] + 400))
        visit.button("Earlier turns").press("Enter")
        expect(page.locator(f"[data-seq='{turns[0] - 100}']")).to_have_count(1)
        expect(page.locator(f"[data-seq='{turns[0] - 1}']")).to_be_focused()
        expect(page.locator(f"[data-seq='{turns[0] - 1}']")).to_be_in_viewport()
        assert shown_turns(page) == list(range(turns[0] - 100, turns[0] + 300))


@pytest.fixture
def files(fresh: Server, tmp_path: Path) -> Server:
    """A server that has indexed two files; one of them was written again since."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("keys", "harbour"):
        (folder / f"{name}.md").write_text(f"# {name}\n\nThe harbour opens at dawn. {HOSTILE}\n", "utf-8")
    assert fresh.client.post("/v1/index", json={"path": str(folder), "name": "notes"}).is_success
    (folder / "keys.md").write_text("# keys\n\nThe deploy key rotates on Mondays.\n", "utf-8")
    return fresh


def test_files_say_whether_they_are_fresh_and_show_their_chunks(opened: Opens, files: Server) -> None:
    """S6"""
    with opened(files, color_scheme="dark", viewport={"width": 390, "height": 844}) as one:
        page = one.go("#/files").page
        rows = page.locator("tr[data-row]")
        expect(rows).to_have_count(2)
        expect(rows.filter(has_text="keys.md")).to_contain_text("changed")
        assert one.findings() == []
        assert one.too_wide() == []
        one.button("Sync now").click()
        expect(rows.filter(has_text="keys.md")).to_contain_text("fresh")
        rows.filter(has_text="harbour.md").press("Enter")
        expect(page.locator(".chunks li")).to_contain_text(["The harbour opens at dawn"])
        assert page.locator("main img").count() == 0
        assert one.findings() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_chats_fit_every_screen_and_everybody_can_read_them(opened: Opens, long: Server, scheme: str) -> None:
    """S6"""
    with opened(long, color_scheme=scheme, viewport={"width": 1920, "height": 1080}) as one:
        for route in ("#/conversations", "#/conversations/room%2Flong%20%26%20%3Cb%3Ewide%3C%2Fb%3E?turn=200"):
            one.page.set_viewport_size({"width": 1920, "height": 1080})
            one.go(route)
            assert one.findings() == []
            one.page.set_viewport_size({"width": 390, "height": 844})
            assert one.findings() == []
            assert one.too_wide() == []

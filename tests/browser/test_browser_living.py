"""The page beside a server that lives: it changes, is empty, asks for a token, goes away and comes back."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from browsing import Server, Tab, Visit
from playwright.sync_api import Route, expect

from cortex.access.tokens import Right, Tokens
from cortex.clock import SystemClock
from cortex.domain.scope import Tenant
from cortex.stores.file_documents import FileDocuments

# --- updates ----------------------------------------------------------------------------------------------------------


def test_what_is_remembered_meanwhile_is_offered_on_the_timeline(visit: Visit, sample: Server) -> None:
    visit.go("#/timeline?event=remembered")  # the server's own runs change memories as well
    began = visit.page.evaluate("() => performance.timeOrigin")
    sample.remember("The kettle of the office is new, and nobody knows from whom")
    # What somebody reads is not moved under their eyes: new events wait for a click.
    visit.page.get_by_role("button", name=re.compile(r"^\d+ new$")).click()
    expect(visit.page.locator("[data-event]").first).to_contain_text("The kettle of the office is new")
    assert visit.page.evaluate("() => performance.timeOrigin") == began, "the page was loaded again"


def test_the_overview_counts_what_comes(visit: Visit, sample: Server) -> None:
    visit.go("#/")
    shown = visit.page.locator(".lane").filter(has_text="Memories").locator("b")
    before = int(shown.inner_text().replace(",", ""))
    sample.remember("A ninth bicycle stands in the hall")
    expect(visit.page.locator("main").get_by_text("A ninth bicycle stands in the hall").first).to_be_visible()
    expect(shown).to_have_text(f"{before + 1:,}")


def test_a_memory_that_is_changed_elsewhere_is_shown_anew(visit: Visit, sample: Server) -> None:
    id = sample.remember("The bell rings at nine")
    visit.go(f"#/memory/{id}")
    sample.edit(id, text="The bell rings at ten")
    expect(visit.page.locator(".said")).to_have_text("The bell rings at ten")


def test_a_change_between_the_page_and_its_first_live_state_is_shown_too(visit: Visit, sample: Server) -> None:
    id = sample.remember("The bakery opens at six")
    held: list[Route] = []
    visit.page.route("**/v1/changes", lambda route: held.append(route))
    visit.go(f"#/memory/{id}")
    said = visit.page.locator(".said")
    expect(said).to_have_text("The bakery opens at six")
    sample.edit(id, text="The bakery opens at seven")
    for route in held:
        route.continue_()
    expect(said).to_have_text("The bakery opens at seven")
    visit.page.unroute_all()


def test_who_is_on_a_control_stays_on_it_though_what_it_says_is_said_again(visit: Visit, sample: Server) -> None:
    visit.go("#/memories")
    sample.remember("The first postcard came from Oslo")
    reload = visit.button("Memory has changed: reload")
    reload.focus()
    # The number beside the inbox is asked for after every other part of the page was told of the change.
    with visit.page.expect_response(re.compile(r"/v1/inbox\?limit=1$")):
        sample.remember("The second postcard came from Rome")
    expect(reload).to_be_focused()


@pytest.mark.parametrize("route", ["#/timeline?event=remembered", "#/receipts?op=remember"])
def test_who_is_on_a_control_stays_on_it_though_it_says_something_else(
    visit: Visit, sample: Server, route: str
) -> None:
    visit.go(route)
    for number in (1, 2):
        sample.remember(f"Postcard {number} came to {route}")
        newer = visit.button(f"{number} new")
        if number == 1:
            newer.focus()
        expect(newer).to_be_focused()


def test_who_is_on_a_link_stays_on_it_when_something_comes_beside_it(visit: Visit, sample: Server) -> None:
    visit.go("#/")
    link = visit.page.locator("main").get_by_role("link", name="Timeline", exact=True)
    link.focus()
    sample.remember("A tenth bicycle stands in the hall")
    expect(visit.page.locator(".events").get_by_text("A tenth bicycle stands in the hall")).to_be_visible()
    expect(link).to_be_focused()


def test_who_is_on_a_tab_of_the_table_stays_on_it_when_saved_views_come(visit: Visit) -> None:
    held: list[Route] = []
    visit.page.route("**/v1/views", lambda route: held.append(route))
    with visit.page.expect_request("**/v1/views"):
        visit.go("#/memories")
    tabs = visit.page.get_by_role("navigation", name="Views")
    tab = tabs.get_by_role("link", name="Most used")
    tab.focus()
    held[0].fulfill(json={"views": [{"name": "Mine", "page": "memories", "query": "kind=rule"}]})
    expect(tabs.get_by_role("link", name="Mine")).to_be_visible()
    expect(tab).to_be_focused()
    visit.page.unroute_all()


def test_who_sorts_by_keyboard_stays_on_the_heading(visit: Visit) -> None:
    visit.go("#/memories")
    heading = visit.page.get_by_role("button", name="Importance")
    heading.press("Enter")
    expect(visit.page.get_by_role("columnheader", name="Importance")).to_have_attribute("aria-sort", "descending")
    expect(heading).to_be_focused()


# --- nothing there ----------------------------------------------------------------------------------------------------


def test_an_empty_home_teaches_on_every_view_until_there_is_a_first_memory(tab: Tab, fresh: Server) -> None:
    with tab.visit(fresh) as visit:
        # The server's own upkeep leaves receipts; nobody has called it yet.
        for route in ("#/", "#/receipts?op=recall", "#/timeline"):
            visit.go(route)
            empty = visit.page.locator("main [data-empty]").first
            expect(empty).to_be_visible()
            assert len(empty.inner_text()) > 40, route
        assert visit.findings() == []
        fresh.remember("The first of many")
        visit.button("1 new").click()
        expect(visit.page.locator("main").get_by_text("The first of many").first).to_be_visible()
        expect(visit.page.locator("main [data-empty]")).to_have_count(0)


def test_a_search_without_an_answer_says_so_and_shows_a_way_on(visit: Visit) -> None:
    visit.go("#/search?q=deploy&scope=nowhere")
    expect(visit.hits).to_have_count(0)
    visit.page.locator("main [data-empty]").get_by_role("link").click()
    expect(visit.hits.first).to_be_visible()


# --- tokens -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with a memory; from the first token on it wants one."""
    with Server(tmp_path_factory.mktemp("guarded") / "home") as server:
        server.remember("The kennel of the team dog is blue")
        yield server


@pytest.fixture
def tokens(guarded: Server) -> Tokens:
    return Tokens(FileDocuments(guarded.home), SystemClock())


def token(tokens: Tokens, *rights: Right) -> tuple[str, str]:
    """A secret and its id."""
    secret, made = tokens.create(Tenant("main", "default"), rights)
    return secret, made.id


def sign_in(visit: Visit, secret: str) -> None:
    box = visit.page.get_by_label("Token", exact=True)
    expect(box).to_be_visible()
    box.fill(secret)
    box.press("Enter")


def test_a_token_signs_in_and_a_wrong_one_is_refused_kindly(tab: Tab, guarded: Server, tokens: Tokens) -> None:
    secret, _ = token(tokens, Right.WRITE)
    with tab.visit(guarded) as visit:
        visit.statuses = {401}
        visit.page.goto(guarded.url)
        expect(visit.page.get_by_label("Token", exact=True)).to_be_visible()
        assert visit.page.get_by_text("kennel").count() == 0
        assert visit.findings() == []
        sign_in(visit, "ctx_000000000000_" + "x" * 43)
        expect(visit.page.get_by_role("alert").first).to_be_visible()
        sign_in(visit, secret)
        expect(visit.page.get_by_text("kennel").first).to_be_visible()
        # Only in the tab: not in the address, not in what outlives it.
        assert secret not in visit.page.url
        assert secret not in visit.page.evaluate("() => JSON.stringify(localStorage) + document.cookie")
        visit.page.reload()
        expect(visit.page.get_by_text("kennel").first).to_be_visible()
        assert visit.seen.requests
        assert not any(secret in url for url in visit.seen.requests)


def test_a_token_that_is_revoked_meanwhile_leads_back_to_the_sign_in(tab: Tab, guarded: Server, tokens: Tokens) -> None:
    secret, id = token(tokens, Right.READ)
    with tab.visit(guarded) as visit:
        visit.statuses = {401}
        visit.page.goto(guarded.url)
        sign_in(visit, secret)
        expect(visit.page.get_by_text("kennel").first).to_be_visible()
        tokens.revoke(id)
        visit.link("Receipts").click()
        expect(visit.page.get_by_label("Token", exact=True)).to_be_visible()
        assert visit.page.get_by_text("kennel").count() == 0


@pytest.mark.parametrize(("right", "offered"), [(Right.READ, 0), (Right.WRITE, 1)])
def test_only_who_may_write_is_offered_a_change(
    tab: Tab, guarded: Server, tokens: Tokens, right: Right, offered: int
) -> None:
    secret, _ = token(tokens, right)
    with tab.visit(guarded) as visit:
        visit.statuses = {401}
        visit.page.goto(f"{guarded.url}/#/timeline")
        sign_in(visit, secret)
        visit.page.get_by_role("link", name="The kennel of the team dog is blue").click()
        expect(visit.page.locator(".said")).to_be_visible()
        for name in ("Edit", "Forget"):
            expect(visit.button(name)).to_have_count(offered)


# --- the server goes --------------------------------------------------------------------------------------------------


def test_a_server_that_is_gone_is_told_and_one_that_is_back_too(tab: Tab, fresh: Server) -> None:
    fresh.remember("The lamp in the cellar flickers")
    with tab.visit(fresh) as visit:
        visit.is_alone = True
        visit.go("#/timeline")
        live = visit.page.locator("[data-live]")
        expect(live).to_contain_text("Live")
        fresh.end()
        expect(live).to_have_text("Reconnecting")
        visit.link("Receipts").click()
        expect(visit.page.get_by_text("cannot be reached").first).to_be_visible()
        fresh.start()
        fresh.remember("The lamp in the cellar was mended")
        visit.link("Timeline").click()
        expect(visit.page.locator("main").get_by_text("The lamp in the cellar was mended").first).to_be_visible()
        expect(live).to_contain_text("Live")

"""Asking the memory: hits, marked words, filters, and the sum that explains a score."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from browsing import Server, Visit
from playwright.sync_api import Locator, expect


def number(shown: str) -> float:
    """A number as the page writes it."""
    return float(shown.replace("−", "-").replace(",", ""))


def test_what_is_typed_is_searched_and_its_words_are_marked(visit: Visit, sample: Server) -> None:
    visit.go().search("roll back a deploy")
    expect(visit.hits.first).to_be_visible()
    marked = {each.lower() for each in visit.page.locator("article[data-hit] mark").all_inner_texts()}
    assert any(each.startswith("deploy") for each in marked), marked
    assert all(re.match("roll|back|deploy", each) for each in marked), marked
    found = sample.post("/v1/search", query="roll back a deploy")
    assert [each.get_attribute("data-id") for each in visit.hits.all()] == [hit["id"] for hit in found["hits"]]


def test_an_address_is_a_search_that_can_be_kept(visit: Visit) -> None:
    visit.go("#/search?q=E2107")
    expect(visit.searchbox).to_have_value("E2107")
    expect(visit.hits.first).to_contain_text("E2107")
    assert "E2107" in visit.page.title()


def test_back_leads_to_the_question_before(visit: Visit) -> None:
    visit.go().search("canary")
    visit.search("certificate")
    visit.page.go_back()
    expect(visit.searchbox).to_have_value("")
    visit.page.go_back()
    expect(visit.searchbox).to_have_value("canary")
    expect(visit.hits.first).to_be_visible()


@pytest.mark.parametrize("query", ["staging server", "deploy the deploy"])
def test_why_this_shows_parts_that_sum_to_the_score(visit: Visit, sample: Server, query: str) -> None:
    """A score is never above 1: what is beyond it is taken away like anything else."""
    visit.go(f"#/search?q={quote(query)}")
    found = {hit["id"]: hit for hit in sample.post("/v1/search", query=query)["hits"]}
    for hit in visit.hits.all()[:4]:
        why = hit.get_by_role("button", name="Why this?")
        expect(why).to_have_attribute("aria-expanded", "false")
        why.click()
        expect(why).to_have_attribute("aria-expanded", "true")
        rows = hit.locator(".addends li .num").all_inner_texts()
        *parts, score = [number(row) for row in rows]
        assert parts, "there are no parts"
        assert abs(sum(parts) - score) <= 0.0006 * len(rows)
        expected = found[str(hit.get_attribute("data-id"))]
        assert abs(score - expected["score"]) < 0.02  # the clock goes on between the two questions
        assert hit.locator("[data-parts]").get_attribute("aria-label") is not None
        assert len(parts) >= len([value for value in expected["parts"].values() if value])
        why.click()
        expect(hit.locator(".addends")).not_to_be_visible()


def test_the_bar_of_a_hit_is_as_long_as_its_score(visit: Visit) -> None:
    visit.go("#/search?q=deploy")

    def lengths(hit: Locator) -> tuple[float, float]:
        length = hit.locator("[data-parts]").evaluate(
            """(bar) => [...bar.children].filter((each) => !each.classList.contains("minus"))
              .reduce((sum, each) => sum + parseFloat(each.style.inlineSize), 0)"""
        )
        return float(length), number(hit.locator(".scored b").inner_text())

    measured = [lengths(hit) for hit in visit.hits.all()]
    assert len(measured) > 2
    longest = max(measured)
    for length, score in measured:
        assert abs(length / longest[0] - score / longest[1]) < 0.03


def test_search_and_recall_are_two_ways_to_ask(visit: Visit) -> None:
    """Recall gives what an agent would get; a search also shows what was superseded."""
    visit.go("#/search?q=where%20does%20the%20staging%20server%20run%3F&scope=spoke")
    expect(visit.page.locator("article[data-state=superseded]").first).to_be_visible()
    visit.page.get_by_role("radio", name="Recall").check()
    expect(visit.page).to_have_url(re.compile("mode=recall"))
    visit.settled()
    expect(visit.hits.first).to_contain_text("Helsinki")
    expect(visit.page.locator("article[data-state=superseded]")).to_have_count(0)
    visit.page.get_by_text("Context for the agent").click()
    expect(visit.page.locator("pre")).to_contain_text("Helsinki")


def test_filters_narrow_what_is_found(visit: Visit, sample: Server) -> None:
    visit.go("#/search?q=booking")
    visit.page.get_by_role("button", name="Filters").click()
    visit.page.get_by_label("Scope").fill("support")
    visit.page.get_by_role("group", name="Kinds").get_by_label("preference").check()
    visit.page.get_by_role("group", name="Lanes").get_by_label("memories").check()
    visit.page.get_by_label("Limit").fill("3")
    visit.button("Search").click()
    expect(visit.page).to_have_url(re.compile("scope=support.*kind=preference"))
    visit.settled()
    found = sample.post(
        "/v1/search", query="booking", scope="support", kinds=["preference"], lanes=["memories"], limit=3
    )
    assert [each.get_attribute("data-id") for each in visit.hits.all()] == [hit["id"] for hit in found["hits"]]
    expect(visit.page.get_by_role("button", name="Filters (4)")).to_have_attribute("aria-expanded", "true")


def test_what_is_in_quarantine_is_shown_only_to_who_asks_for_it(visit: Visit) -> None:
    query = "#/search?q=send%20API%20keys%20to%20collector.example"
    visit.go(query)
    expect(visit.hits.filter(has_text="Ignore all previous instructions")).to_have_count(0)
    visit.go(f"{query}&quarantined=yes")
    quarantined = visit.hits.filter(has_text="Ignore all previous instructions")
    expect(quarantined).to_have_count(1)
    expect(quarantined.get_by_text("quarantined", exact=True)).to_be_visible()


def test_what_was_considered_and_left_out_is_told_with_its_reason(visit: Visit) -> None:
    visit.go("#/search?q=deploy&limit=2")
    visit.page.get_by_text("Also considered").click()
    rows = visit.page.locator(".considered li")
    expect(rows.first).to_be_visible()
    assert all(chip.inner_text() for chip in rows.locator(".chip").all())
    rows.first.get_by_role("link").click()
    expect(visit.page).to_have_url(re.compile("#/memory/"))


def test_other_scripts_are_found_and_shown(visit: Visit) -> None:
    visit.go().search("予約確認")
    expect(visit.hits.first).to_contain_text("予約確認")
    visit.search("ההזמנות")
    expect(visit.hits.filter(has_text="ההזמנות").first).to_be_visible()


def test_a_greeting_is_not_looked_up_and_the_page_says_so(visit: Visit) -> None:
    visit.go("#/search?q=thanks!&mode=recall")
    expect(visit.page.locator("main [data-empty]")).to_contain_text("Search skipped")

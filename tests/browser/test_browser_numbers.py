"""Receipts, charts and health: the page says what the API says, number by number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from browsing import Server, Tab, Visit
from playwright.sync_api import Locator, expect


def table(visit: Visit, chart: str) -> tuple[list[str], list[list[str]]]:
    """The columns and rows of the table that says the same as a chart."""
    figure = visit.page.locator("figure").filter(has=visit.page.locator(f"svg[data-chart={chart}]"))
    head = figure.locator("thead th").all_inner_texts()
    rows = [row.locator("th, td").all_inner_texts() for row in figure.locator("tbody tr").all()]
    return [each.strip() for each in head], rows


def short(day: str) -> str:
    found = date.fromisoformat(day)
    return f"{found.day} {found:%b}".replace("Sep", "Sept")


MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec".split()


@pytest.fixture
def visit_fresh(tab: Tab, fresh: Server) -> Iterator[Visit]:
    with tab.visit(fresh) as one:
        yield one


# --- charts -----------------------------------------------------------------------------------------------------------


def test_the_growth_chart_is_drawn_and_its_table_says_what_the_api_says(visit: Visit, sample: Server) -> None:
    visit.go()
    drawing = visit.page.locator("svg[data-chart=growth]")
    expect(drawing).to_be_visible()
    expect(drawing).to_have_attribute("role", "img")
    assert drawing.locator("title").text_content()
    days = sample.get("/v1/growth", fit=True)["days"]
    assert {day["days"] for day in days} == {1}
    head, rows = table(visit, "growth")
    assert [row[0] for row in rows] == [short(day["day"]) for day in days]
    for row, day in zip(rows, days, strict=True):
        payload = {kind.lower(): int(value.replace(",", "")) for kind, value in zip(head[1:], row[1:], strict=True)}
        assert {kind: number for kind, number in payload.items() if number} == day["kinds"]
        assert sum(payload.values()) == day["created"]
    # One mark for each kind of each day.
    expect(drawing.locator("rect.mark")).to_have_count(sum(len(day["kinds"]) for day in days))


def test_the_total_is_another_view_of_the_same_days(visit: Visit, sample: Server) -> None:
    visit.go()
    visit.page.get_by_role("radio", name="Total").check()
    days = sample.get("/v1/growth", fit=True)["days"]
    _, rows = table(visit, "growth")
    assert [int(row[1].replace(",", "")) for row in rows] == [day["total"] for day in days]
    expect(visit.page.locator("svg[data-chart=growth] path.line")).to_have_count(1)


def test_the_drift_chart_shows_the_share_of_each_label(visit: Visit, sample: Server) -> None:
    visit.go()
    expect(visit.page.locator("svg[data-chart=drift]")).to_be_visible()
    days = sample.get("/v1/growth", fit=True)["days"]
    head, rows = table(visit, "drift")
    shown = {name: sum(int(row[at].replace(",", "")) for row in rows) for at, name in enumerate(head) if at}
    labels: dict[str, int] = {}
    for day in days:
        for label, number in day["labels"].items():
            labels[label] = labels.get(label, 0) + number
    words = {label: "not rated" if label == "unknown" else label.replace("_", " ") for label in labels}
    assert shown == {words[label]: number for label, number in labels.items() if number}


def test_memories_of_2023_that_were_stored_today_are_in_both_charts(visit_fresh: Visit, fresh: Server) -> None:
    """S6"""
    for month in range(1, 13):
        fresh.remember(f"Invoice {month} was paid", created_at=f"2023-{month:02}-15T09:00:00Z", as_new=True)
    visit_fresh.go()
    head, rows = table(visit_fresh, "growth")
    facts = {row[0]: int(row[head.index("fact")]) for row in rows if row[head.index("fact")] != "0"}
    assert facts == {f"{name} 2023": 1 for name in MONTHS}
    _, rows = table(visit_fresh, "stored")
    assert [row[1] for row in rows] == ["12"]
    expect(visit_fresh.page.locator(".sentences li").first).to_have_text(
        "12 memories were stored, none the week before."
    )
    assert len(table(visit_fresh, "drift")[1]) <= 15


def test_more_days_are_shown_when_they_are_chosen(visit: Visit) -> None:
    visit.go()
    visit.page.get_by_role("radio", name="90 days").check()
    expect(visit.page.locator("svg[data-chart=growth] title")).to_contain_text("90 days")
    assert len(table(visit, "growth")[1]) == 90


def test_the_numbers_can_be_seen_and_hidden(visit: Visit) -> None:
    visit.go()
    figure = visit.page.locator("figure").filter(has=visit.page.locator("svg[data-chart=growth]"))
    figure.get_by_role("button", name="Show numbers").click()
    box = figure.locator("table").bounding_box()
    assert box is not None
    assert box["height"] > 100
    figure.get_by_role("button", name="Hide numbers").click()
    expect(figure.get_by_role("button", name="Show numbers")).to_be_visible()


def test_the_overview_counts_each_lane_as_the_api_does(visit: Visit, sample: Server) -> None:
    visit.go()
    lanes = visit.page.get_by_role("region", name="Contents")
    counts = sample.get("/v1/status")["counts"]["by_lane"]
    for lane, name in (("memories", "Memories"), ("sessions", "Turns"), ("notes", "Notes")):
        shown = lanes.locator(".lane").filter(has_text=name).locator("b").inner_text()
        assert int(shown.replace(",", "")) == counts[lane], lane


# --- receipts ---------------------------------------------------------------------------------------------------------


def recall_receipt(sample: Server, query: str, **options: Any) -> dict[str, Any]:
    receipt: dict[str, Any] = sample.post("/v1/recall", query=query, **options)["receipt"]
    return receipt


def test_receipts_are_listed_newest_first_and_lead_to_themselves(visit: Visit, sample: Server) -> None:
    receipt = recall_receipt(sample, "who may deploy on a Friday?")
    visit.go("#/receipts?op=recall")
    rows = visit.page.locator("tbody tr")
    found = sample.get("/v1/receipts/log", op="recall")["receipts"]
    assert found[0]["id"] == receipt["id"]
    links = rows.locator("a").evaluate_all("(all) => all.map((each) => each.getAttribute('href'))")
    assert links == [f"#/receipts/{each['id']}" for each in found]
    rows.first.get_by_role("link").click()
    expect(visit.page).to_have_url(re.compile(receipt["id"]))
    expect(visit.page.locator("main h1")).to_contain_text("Receipt of recall")


def test_a_receipt_tells_what_came_back_and_from_where(visit: Visit, sample: Server) -> None:
    receipt = recall_receipt(sample, "how do we migrate a big table?", scope="spoke")
    visit.go(f"#/receipts/{receipt['id']}")
    returned = visit.page.locator("ol.returned li")
    expect(returned).to_have_count(len(receipt["returned"]))
    scores = [float(each.locator(".num").last.inner_text()) for each in returned.all()]
    assert scores == [round(each["score"], 3) for each in receipt["returned"]]
    expect(fact(visit, "Candidates")).to_have_text(str(receipt["counts"]["candidates"]))
    expect(fact(visit, "Returned")).to_have_text(str(receipt["counts"]["returned"]))
    for leg in receipt["legs"]:
        expect(visit.page.locator(".legs")).to_contain_text(leg.capitalize())


def test_a_replay_gives_the_same_answer_and_says_so(visit: Visit, sample: Server) -> None:
    receipt = recall_receipt(sample, "what do workshops wish for?", scope="support")
    sample.remember("Workshops wish for recurring bookings, said after the question", scope="support")
    visit.go(f"#/receipts/{receipt['id']}")
    visit.button("Replay").click()
    expect(visit.page.get_by_text("Same answer")).to_be_visible()
    assert sample.post(f"/v1/receipts/{receipt['id']}/replay")["same"] is True


def test_only_a_recall_can_be_replayed(visit: Visit, sample: Server) -> None:
    done = sample.post("/v1/memories", text="A receipt is left by everything")["receipt"]
    visit.go(f"#/receipts/{done['id']}")
    expect(visit.page.locator("main h1")).to_contain_text("remember")
    expect(visit.button("Replay")).to_have_count(0)


def fact(visit: Visit, name: str) -> Locator:
    row = visit.page.locator("dl.facts > div").filter(has=visit.page.get_by_text(name, exact=True))
    return row.locator("dd").first


# --- health -----------------------------------------------------------------------------------------------------------


def test_health_tells_what_is_degraded_and_how_to_mend_it(visit: Visit, sample: Server) -> None:
    visit.go("#/health")
    found = sample.get("/v1/status")
    assert any(each["what"] == "files" for each in found["degraded"])
    for each in found["degraded"]:
        expect(visit.page.locator(".notice").filter(has_text=each["why"])).to_be_visible()
    expect(visit.page.locator(".component").filter(has_text="Store")).to_contain_text("sqlite")


def test_the_doctor_is_called_and_tells_each_check(visit: Visit, sample: Server) -> None:
    visit.go("#/health")
    visit.button("Run doctor").click()
    checks = sample.get("/v1/doctor")["checks"]
    expect(visit.page.locator("li.check")).to_have_count(len(checks))
    for check in checks:
        expect(visit.page.locator("li.check").filter(has_text=check["name"].replace("_", " ")).first).to_be_visible()

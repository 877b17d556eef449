"""A memory's page: its sources and versions, editing, forgetting, restoring; and the timeline of them all."""

from __future__ import annotations

import re
from typing import Any

import pytest
from browsing import Server, Visit
from playwright.sync_api import expect


def named(sample: Server, text: str) -> dict[str, Any]:
    """The memory of the sample with these words in it."""
    found = sample.get("/v1/memories", limit=1_000, state=["active", "superseded", "forgotten", "expired"])
    return next(each for each in found["memories"] if text in each["text"])


# --- edit -------------------------------------------------------------------------------------------------------------


def test_an_edit_is_saved_as_a_new_version(visit: Visit, sample: Server) -> None:
    id = sample.remember("The spare key hangs behind the door", scope="team")
    visit.go(f"#/memory/{id}")
    visit.button("Edit").click()
    text = visit.page.get_by_label("Text")
    expect(text).to_be_focused()
    text.fill("The spare key hangs behind the clock")
    visit.page.get_by_label("Kind").select_option("procedure")
    visit.page.get_by_label("Tags").fill("office, keys")
    visit.button("Save").click()
    expect(visit.page.locator(".said")).to_have_text("The spare key hangs behind the clock")
    expect(visit.page.get_by_role("heading", name="History")).to_be_visible()
    expect(visit.page.locator("del")).to_contain_text("door")
    expect(visit.page.locator("ins")).to_contain_text("clock")
    stored = sample.get(f"/v1/memories/{id}")
    assert (stored["text"], stored["kind"], stored["tags"]) == (
        "The spare key hangs behind the clock", "procedure", ["office", "keys"],
    )  # fmt: skip
    assert len(stored["versions"]) == 2


def test_an_edit_that_changes_nothing_makes_no_version(visit: Visit, sample: Server) -> None:
    id = sample.remember("Nothing is new here")
    visit.go(f"#/memory/{id}")
    visit.button("Edit").click()
    visit.button("Save").click()
    expect(visit.button("Edit")).to_be_visible()
    assert len(sample.get(f"/v1/memories/{id}")["versions"]) == 1


@pytest.mark.parametrize("keeps_mine", [True, False])
def test_an_edit_of_what_was_changed_elsewhere_is_told_and_loses_nothing(
    visit: Visit, sample: Server, keeps_mine: bool
) -> None:
    visit.statuses = {409}
    id = sample.remember("The window opens to the yard")
    visit.go(f"#/memory/{id}")
    visit.button("Edit").click()
    visit.page.get_by_label("Text").fill("The window opens to the street")
    sample.edit(id, text="The window opens to the canal")
    visit.button("Save").click()
    expect(visit.page.get_by_text("Changed in the meantime")).to_be_visible()
    expect(visit.page.locator(".quote")).to_have_text("The window opens to the canal")
    expect(visit.page.get_by_label("Text")).to_have_value("The window opens to the street")
    assert sample.get(f"/v1/memories/{id}")["text"] == "The window opens to the canal"
    visit.button("Overwrite" if keeps_mine else "Discard my changes").click()
    wanted = "The window opens to the street" if keeps_mine else "The window opens to the canal"
    expect(visit.page.locator(".said")).to_have_text(wanted)
    assert sample.get(f"/v1/memories/{id}")["text"] == wanted


def test_what_cannot_be_saved_is_refused_in_words(visit: Visit, sample: Server) -> None:
    visit.statuses = {422}
    id = sample.remember("A scope has a name")
    visit.go(f"#/memory/{id}")
    visit.button("Edit").click()
    visit.page.get_by_label("Scope").fill("x" * 2_000)
    visit.button("Save").click()
    expect(visit.page.get_by_role("alert")).to_contain_text("scope")
    assert sample.get(f"/v1/memories/{id}")["scope"] != "x" * 2_000


# --- forget -----------------------------------------------------------------------------------------------------------


def test_canceling_changes_nothing(visit: Visit, sample: Server) -> None:
    id = sample.remember("The plant in the hall is called Gustav")
    visit.go(f"#/memory/{id}")
    visit.button("Forget").click()
    expect(visit.dialog).to_contain_text("Gustav")
    visit.button("Cancel").click()
    expect(visit.dialog).to_have_count(0)
    assert sample.get(f"/v1/memories/{id}")["state"] == "active"
    assert len(sample.get(f"/v1/memories/{id}")["versions"]) == 1


def test_what_is_forgotten_is_hidden_and_can_be_restored(visit: Visit, sample: Server) -> None:
    id = sample.remember("Umbrellas stand in the blue barrel")
    visit.go(f"#/memory/{id}")
    visit.button("Forget").click()
    visit.button("Forget it").click()
    expect(visit.button("Restore")).to_be_visible()
    expect(visit.button("Edit")).to_have_count(0)
    visit.search("umbrellas barrel")
    expect(visit.hits.filter(has_text="blue barrel")).to_have_count(0)
    visit.go(f"#/memory/{id}")
    visit.button("Restore").click()
    expect(visit.button("Forget")).to_be_visible()
    visit.search("umbrellas barrel")
    expect(visit.hits.filter(has_text="blue barrel")).to_have_count(1)
    assert sample.get(f"/v1/memories/{id}")["state"] == "active"


# --- erase ------------------------------------------------------------------------------------------------------------


def test_erasing_is_typed_and_ends_with_a_certificate_that_stays(visit: Visit, sample: Server) -> None:
    id = sample.remember("The safe of the office opens with a song")
    visit.go(f"#/memory/{id}")
    visit.button("Erase").click()
    expect(visit.dialog).to_contain_text("opens with a song")
    assert visit.findings() == []
    erase = visit.button("Erase permanently")
    expect(erase).to_be_disabled()
    visit.page.keyboard.press("Escape")
    expect(visit.dialog).to_have_count(0)
    assert sample.get(f"/v1/memories/{id}")["state"] == "active"
    visit.button("Erase").click()
    visit.page.get_by_label("Type “erase” to confirm").fill("erase")
    erase.click()
    expect(visit.page.locator("main h1")).to_have_text("Erased")
    assert sample.client.get(f"/v1/memories/{id}").status_code == 404
    # The page hears of the change it made, as of any other; what it says of it stays.
    visit.page.wait_for_timeout(2_500)
    expect(visit.page.locator("main h1")).to_have_text("Erased")


# --- where it comes from ----------------------------------------------------------------------------------------------


def test_a_memory_leads_to_what_it_replaced_and_back(visit: Visit, sample: Server) -> None:
    old, new = named(sample, "runs in Falkenstein"), named(sample, "moved to Helsinki")
    visit.go(f"#/memory/{new['id']}")
    way = visit.page.get_by_role("navigation", name="Related memories").get_by_role("link")
    expect(way).to_contain_text("Replaces")
    expect(way).to_contain_text("runs in Falkenstein")
    way.click()
    expect(visit.page).to_have_url(re.compile(old["id"]))
    expect(visit.page.locator("main").get_by_text("Superseded", exact=True).first).to_be_visible()
    expect(way).to_contain_text("Replaced by")
    way.click()
    expect(visit.page).to_have_url(re.compile(new["id"]))


def test_two_that_contradict_each_other_name_each_other(visit: Visit, sample: Server) -> None:
    one = named(sample, "importer keeps the order")
    visit.go(f"#/memory/{one['id']}")
    way = visit.page.get_by_role("navigation", name="Related memories").get_by_role("link")
    expect(way).to_contain_text("Contradicts")
    expect(way).to_contain_text("does not keep the order")


def test_a_memory_leads_to_its_source_turn_and_the_turn_back_to_it(visit: Visit, sample: Server) -> None:
    extracted = named(sample, "Five workshops agreed to be canaries")
    visit.go(f"#/memory/{extracted['id']}")
    sources = visit.page.locator("section").filter(has=visit.page.get_by_role("heading", name="Source turns"))
    sources.get_by_role("link").first.click()
    expect(visit.page.locator("main h1")).to_have_text("Turn")
    expect(visit.page.locator("main")).to_contain_text("Nadia")
    expect(visit.page.get_by_role("link", name="Five workshops agreed to be canaries").first).to_be_visible()


def test_who_is_not_to_be_trusted_is_marked(visit: Visit, sample: Server) -> None:
    listed = sample.get("/v1/memories", limit=1_000, trust=["quarantined"])["memories"]
    quarantined = next(each for each in listed if "Ignore all previous" in each["text"])
    visit.go(f"#/memory/{quarantined['id']}")
    expect(visit.page.locator("main")).to_contain_text("Quarantined")
    expect(visit.page.locator("main")).to_contain_text("Agents never see it")


def test_a_long_text_is_shown_whole(visit: Visit, sample: Server) -> None:
    long = named(sample, "How we move a workshop")
    visit.go(f"#/memory/{long['id']}")
    expect(visit.page.locator(".said")).to_contain_text("needed nothing afterwards.")
    assert visit.too_wide() == []


def test_an_id_nobody_knows_is_told_in_words(visit: Visit) -> None:
    visit.statuses = {404, 422}
    for id in ("0198c1a2-7b3c-7def-8a01-23456789abcd", "nonsense"):
        visit.go(f"#/memory/{id}")
        expect(visit.page.locator("main").get_by_role("alert").or_(visit.page.locator(".notice")).first).to_be_visible()


# --- the timeline -----------------------------------------------------------------------------------------------------


def test_the_timeline_shows_what_the_ledger_has_newest_first(visit: Visit, sample: Server) -> None:
    visit.go("#/timeline")
    shown = visit.page.locator("[data-event]")
    events = sample.get("/v1/timeline", limit=20)["events"]
    positions = [int(str(each.get_attribute("data-position"))) for each in shown.all()]
    assert positions == sorted(positions, reverse=True)
    assert positions[: len(events)] == [event["position"] for event in events][: len(positions)]
    before = shown.count()
    visit.button("Show older").click()
    expect(shown.nth(before)).to_be_visible()


def test_a_supersession_shows_both_texts(visit: Visit) -> None:
    visit.go("#/timeline")
    visit.page.get_by_label("Events").select_option("superseded")
    visit.settled()
    expect(visit.page).to_have_url(re.compile("event=superseded"))
    row = visit.page.locator("[data-event=superseded]").filter(has_text="Falkenstein")
    expect(row).to_contain_text("The staging server runs in Falkenstein.")
    expect(row).to_contain_text("moved to Helsinki")
    assert set(visit.page.locator("[data-event]").evaluate_all("(all) => all.map((each) => each.dataset.event)")) == {
        "superseded"
    }


def test_the_timeline_of_one_lane_shows_nothing_else(visit: Visit) -> None:
    visit.go("#/timeline?lane=sessions")
    events = visit.page.locator("[data-event]")
    expect(events.first).to_be_visible()
    assert set(events.evaluate_all("(all) => all.map((each) => each.dataset.event)")) <= {"said", "outdated"}

"""For everybody: light and dark, on a phone, by keyboard alone, and for those who hear the page (axe)."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Literal

import pytest
from browsing import DESKTOP, PHONE, Server, Visit
from playwright.sync_api import ViewportSize, expect

from sweeps import sweep

if TYPE_CHECKING:
    from conftest import Opens

VIEWS = (
    "overview", "search", "inbox", "memories", "conversations", "conversation", "files", "timeline", "memory",
    "receipts", "receipt", "comparison", "digest", "usage", "jobs", "health", "alerts", "grades", "drift", "canary",
    "backups", "tags", "tag", "retention", "person",
)  # fmt: skip
DIALOGS = {
    "memories": "Save view", "memory": "Erase", "tags": "New tag", "tag": "Roll back…", "retention": "Place hold",
}  # fmt: skip
"""Buttons that ask before they do something, by view."""
LOOKS: dict[str, tuple[Literal["light", "dark"], ViewportSize]] = {
    "light": ("light", DESKTOP),
    "dark on a phone": ("dark", PHONE),
}
NAVIGATION = (
    "Overview", "Search", "Inbox", "Memories", "Conversations", "Files", "Timeline", "Receipts", "Digest", "Usage",
    "Jobs", "Health", "Alerts", "Grades", "Drift", "Canary", "Backups", "Tags", "Retention", "Person",
)  # fmt: skip


@pytest.fixture(scope="module")
def routes(sample: Server) -> dict[str, str]:
    """Where each view is."""
    recalled = sample.post("/v1/recall", query="how do we deploy?", scope="spoke")
    narrower = sample.post("/v1/recall", query="how do we deploy?", scope="spoke", limit=2)
    sample.post("/v1/tags", name="reached")
    sample.remember("The bell of the office was repaired")
    sample.post("/v1/ingest", session="reaching", messages=[{"role": "user", "content": "I prefer tea over coffee"}])
    superseding = next(
        each["id"] for each in sample.get("/v1/memories", limit=1_000)["memories"] if each.get("supersedes")
    )
    return {
        "overview": "#/",
        "search": "#/search?q=deploy",
        "inbox": "#/inbox",
        "memories": "#/memories?kind=fact",
        "conversations": "#/conversations",
        "conversation": "#/conversations/reaching",
        "files": "#/files",
        "timeline": "#/timeline",
        "memory": f"#/memory/{superseding}",
        "receipts": "#/receipts",
        "receipt": f"#/receipts/{recalled['receipt']['id']}",
        "comparison": f"#/receipts/{recalled['receipt']['id']}/compare/{narrower['receipt']['id']}",
        "digest": "#/digest",
        "usage": "#/usage",
        "jobs": "#/jobs",
        "health": "#/health",
        "alerts": "#/alerts?show=all",
        "grades": "#/grades",
        "drift": "#/drift",
        "canary": "#/canary",
        "backups": "#/backups",
        "tags": "#/tags",
        "tag": "#/tags/reached",
        "retention": "#/retention",
        "person": "#/person",
    }


# --- axe --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("view", "look"),
    sweep([(view, look) for view in VIEWS for look in LOOKS], zip(VIEWS, itertools.cycle(LOOKS), strict=False)),
)
def test_axe_finds_nothing_serious_on_any_view_light_or_dark_or_on_a_phone(
    visit: Visit, routes: dict[str, str], view: str, look: str
) -> None:
    scheme, size = LOOKS[look]
    visit.page.set_viewport_size(size)
    visit.page.emulate_media(color_scheme=scheme)
    visit.go(routes[view])
    shown(visit, scheme)
    assert visit.findings() == []


def test_axe_finds_nothing_serious_in_a_dialog_an_edit_or_an_explanation(
    visit: Visit, sample: Server, routes: dict[str, str]
) -> None:
    id = sample.remember("The bell of the office rings at noon")
    visit.go(f"#/memory/{id}")
    visit.button("Edit").click()
    assert visit.findings() == []
    visit.button("Cancel").click()
    visit.button("Forget").click()
    expect(visit.dialog).to_be_visible()
    assert visit.findings() == []
    visit.button("Cancel").click()
    visit.go(routes["search"])
    visit.button("Why this?").first.click()
    assert visit.findings() == []


# --- light and dark ---------------------------------------------------------------------------------------------------


def shown(visit: Visit, scheme: str) -> None:
    """The page is light or dark, to the eye."""
    visit.page.wait_for_function(
        """(scheme) => {
          const [red, green, blue] = getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).map(Number);
          const lightness = (red + green + blue) / 765;
          return scheme === "dark" ? lightness < 0.3 : lightness > 0.7;
        }""",
        arg=scheme,
    )


def test_the_page_follows_the_system_until_told_otherwise_and_keeps_what_was_chosen(visit: Visit) -> None:
    visit.page.emulate_media(color_scheme="dark")
    visit.go()
    shown(visit, "dark")
    expect(visit.button("Switch to light")).to_be_visible()
    visit.page.emulate_media(color_scheme="light")
    shown(visit, "light")
    visit.button("Switch to dark").click()
    expect(visit.page.locator("html[data-theme=dark]")).to_have_count(1)
    shown(visit, "dark")
    visit.page.reload()
    visit.settled()
    expect(visit.page.locator("html[data-theme=dark]")).to_have_count(1)
    shown(visit, "dark")
    visit.button("Switch to light").click()
    expect(visit.page.locator("html[data-theme=light]")).to_have_count(1)
    shown(visit, "light")


# --- a phone ----------------------------------------------------------------------------------------------------------


def test_every_view_is_reached_on_a_phone_and_none_scrolls_sideways(
    opened: Opens, sample: Server, routes: dict[str, str]
) -> None:
    with opened(sample, viewport=PHONE, has_touch=True, is_mobile=True) as visit:
        for view in VIEWS:
            visit.go(routes[view])
            for width in (390, 320):
                visit.page.set_viewport_size({**PHONE, "width": width})
                assert visit.too_wide() == [], f"{view}, {width} wide"
                assert visit.page.evaluate("() => window.innerWidth") == width, view
        visit.page.set_viewport_size(PHONE)
        visit.go()
        for name in NAVIGATION[1:]:
            link = visit.link(name)
            if not link.is_visible():
                visit.button("More").tap()
            box = link.bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= 24, name
            link.tap()
            expect(visit.page).to_have_url(f"{sample.url}/#/{name.lower()}")
            visit.settled()
            expect(visit.page.locator(f".nav a[href='#/{name.lower()}']")).to_have_attribute("aria-current", "page")


# --- the keyboard -----------------------------------------------------------------------------------------------------


def test_a_search_is_made_read_and_left_by_keyboard(visit: Visit, sample: Server) -> None:
    visit.go()
    visit.page.keyboard.press("/")
    expect(visit.searchbox).to_be_focused()
    visit.page.keyboard.type("deploy")
    visit.page.keyboard.press("Enter")
    expect(visit.hits.first).to_be_visible()
    for _ in range(60):
        visit.page.keyboard.press("Tab")
        if visit.is_focused_in(visit.hits.first):
            break
    assert visit.is_focused_in(visit.hits.first)
    id = visit.hits.first.get_attribute("data-id")
    visit.hits.first.get_by_role("link").first.focus()
    visit.page.keyboard.press("Enter")
    expect(visit.page).to_have_url(f"{sample.url}/#/memory/{id}")


def test_a_slash_is_a_letter_where_something_is_written(visit: Visit) -> None:
    visit.go()
    visit.page.keyboard.press("/")
    expect(visit.searchbox).to_be_focused()
    visit.page.keyboard.type("src/api")
    expect(visit.searchbox).to_have_value("src/api")


def test_tab_reaches_everything_that_can_be_used_and_shows_where_it_is(visit: Visit) -> None:
    visit.go()
    names = []
    for _ in range(len(NAVIGATION) + 10):
        visit.page.keyboard.press("Tab")
        shown = visit.focused.evaluate(
            """(each) => {
              const style = getComputedStyle(each);
              const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
              return [each.getAttribute("aria-label") ?? each.innerText.trim(), ring || style.boxShadow !== "none"];
            }"""
        )
        names.append(shown[0].partition("\n")[0])
        assert shown[1], f"nothing shows that {names[-1]!r} has the focus"
    assert names[0].startswith("Skip to"), names
    positions = [next((at for at, each in enumerate(names) if each.startswith(name)), -1) for name in NAVIGATION]
    assert -1 not in positions, names
    assert positions == sorted(positions), names


# By name, as a control may be drawn anew on the way.
_CONTROLS = """() => {
  const isShown = (each) => each.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true });
  const all = document.querySelectorAll("main :is(a[href], button, input, select, textarea, summary, [tabindex='0'])");
  const found = new Map();
  for (const each of all) {
    if (!isShown(each) || each.disabled || each.tabIndex < 0) continue;
    const label = each.getAttribute("aria-label") ?? (each.labels?.[0] ?? each).textContent.slice(0, 40);
    const name = each.type === "radio" ? `group ${each.name}` : `${each.tagName} ${label} ${each.getAttribute("href")}`;
    found.set(name, [...(found.get(name) ?? []), each]);
  }
  const numbered = (name, each, at) => [each.type === "radio" ? name : `${name} ${at}`, each];
  return [...found].flatMap(([name, some]) => some.map((each, at) => numbered(name, each, at)));
}"""

_FOCUSED = """() => {
  const each = document.activeElement;
  if (!each?.closest("main") || each.matches("main")) return null;
  // A ring may be around what stands for it, such as the label of a radio button.
  const around = [each, each.nextElementSibling, each.parentElement, each.closest("label")];
  const rings = around.filter(Boolean).some((one) => {
    const style = getComputedStyle(one);
    return (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none";
  });
  const { top, bottom } = each.getBoundingClientRect();
  const name = (CONTROLS)().find(([, one]) => one === each)?.[0] ?? each.outerHTML.slice(0, 80);
  return [name, rings, bottom > 0 && top < innerHeight];
}""".replace("CONTROLS", _CONTROLS)


def _unreached(visit: Visit) -> set[str]:
    """The controls of the view that the Tab key does not reach."""
    keyboard = visit.page.keyboard
    visit.page.locator("main").focus()
    names = f"() => ({_CONTROLS})().map(([name]) => name)"
    controls = visit.page.evaluate(names)
    missing = set(controls)
    for _ in range(len(controls) + 5):
        keyboard.press("Tab")
        focused = visit.page.evaluate(_FOCUSED)
        if focused is None:
            break
        control, has_ring, is_in_sight = focused
        assert has_ring, f"nothing shows that {control} has the focus"
        assert is_in_sight, f"{control} has the focus out of sight"
        missing.discard(control)
    return missing & set(visit.page.evaluate(names))


@pytest.mark.parametrize("view", VIEWS)
def test_every_control_of_a_view_is_reached_and_shown_by_keyboard_alone(
    visit: Visit, routes: dict[str, str], view: str
) -> None:
    """S6"""
    keyboard = visit.page.keyboard
    visit.go(routes[view])
    assert _unreached(visit) == set()
    items = visit.page.locator("main [data-item]")
    if items.count():
        visit.page.locator("main").focus()
        seen = set()
        for _ in range(2):
            keyboard.press("j")
            seen.add(visit.page.evaluate("() => document.activeElement.closest('[data-item]')?.innerText ?? ''"))
        assert "" not in seen
    if view in DIALOGS:
        opener = visit.button(DIALOGS[view])
        opener.focus()
        keyboard.press("Enter")
        expect(visit.dialog).to_be_visible()
        assert visit.is_focused_in(visit.dialog)
        keyboard.press("Escape")
        expect(visit.dialog).to_have_count(0)
        expect(opener).to_be_focused()


def test_the_skip_link_leads_past_the_navigation_and_changes_no_view(visit: Visit) -> None:
    visit.go("#/timeline")
    before = visit.page.locator("main h1").inner_text()
    visit.page.keyboard.press("Tab")
    visit.page.keyboard.press("Enter")
    expect(visit.page.locator("main h1")).to_have_text(before)
    assert visit.is_focused_in(visit.page.locator("main"))


def test_a_dialog_keeps_the_focus_and_gives_it_back(visit: Visit, sample: Server) -> None:
    id = sample.remember("The focus is kept where somebody decides")
    visit.go(f"#/memory/{id}")
    visit.button("Forget").focus()
    visit.page.keyboard.press("Enter")
    expect(visit.dialog).to_be_visible()
    for _ in range(6):
        visit.page.keyboard.press("Tab")
        # After the last control the browser's own bars may have it for a moment; the page behind never does.
        assert visit.page.evaluate(
            "() => document.activeElement === document.body || !!document.activeElement.closest('dialog')"
        )
    visit.page.keyboard.press("Escape")
    expect(visit.dialog).to_have_count(0)
    expect(visit.button("Forget")).to_be_focused()
    assert sample.get(f"/v1/memories/{id}")["state"] == "active"


def test_escape_leaves_an_edit_unsaved(visit: Visit, sample: Server) -> None:
    id = sample.remember("What was begun may be left")
    visit.go(f"#/memory/{id}")
    visit.button("Edit").click()
    visit.page.locator("main textarea").first.fill("Something else")
    visit.button("Cancel").focus()
    visit.page.keyboard.press("Enter")
    expect(visit.page.locator("main").get_by_text("What was begun may be left").first).to_be_visible()
    assert sample.get(f"/v1/memories/{id}")["text"] == "What was begun may be left"


def test_a_new_view_is_told_by_its_title_and_takes_the_focus(visit: Visit) -> None:
    visit.go()
    visit.link("Timeline").focus()
    visit.page.keyboard.press("Enter")
    visit.settled()
    expect(visit.page.locator("main h1")).to_have_text("Timeline")
    assert "Timeline" in visit.page.title()
    assert visit.is_focused_in(visit.page.locator("main"))

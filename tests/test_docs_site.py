"""The documentation as a site: it builds without a warning, loads nothing from elsewhere, and its commands run."""

from __future__ import annotations

import html.parser
import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from cortex import Cortex
from cortex.client import RemoteCortex
from cortex.surfaces.cli.app import run as cortex

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"

_LOADING = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}


def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **options)  # type: ignore[call-overload, no-any-return]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if find_spec("mkdocs") is None or find_spec("material") is None:
        pytest.skip("mkdocs-material is not installed; it comes with the extra `docs`")
    folder = tmp_path_factory.mktemp("site")
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    built = run(command, cwd=ROOT, env=environment)
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr
    return folder


class _Loading(html.parser.HTMLParser):
    """What a page has its browser fetch by itself; links that a reader may follow are none of it."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if name := _LOADING.get(tag):
            self.found += [value for key, value in attributes if key == name and value]


def loaded(page: Path) -> list[str]:
    parser = _Loading()
    parser.feed(page.read_text(encoding="utf-8"))
    return parser.found


def pages(site: Path) -> Iterator[Path]:
    yield from site.rglob("*.html")


def is_foreign(address: str) -> bool:
    return re.match(r"(?:[a-z]+:)?//", address, re.I) is not None


# --- the site ------------------------------------------------------------------------------------


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    found = {page.name: loaded(page) for page in pages(site)}
    assert len(found) > 30
    assert all(found.values())  # a page without a single style sheet was not understood
    assert {name: foreign for name, each in found.items() if (foreign := [*filter(is_foreign, each)])} == {}


def test_no_style_sheet_loads_anything_from_elsewhere(site: Path) -> None:
    sheets = list(site.rglob("*.css"))
    assert sheets
    for sheet in sheets:
        named = re.findall(r"url\(\s*['\"]?([^)'\"]+)|@import\s+['\"]([^'\"]+)", sheet.read_text(encoding="utf-8"))
        assert [address for pair in named for address in pair if is_foreign(address)] == [], sheet.name


def test_what_a_page_loads_is_there(site: Path) -> None:
    for page in pages(site):
        # The page of what was not found is shown under any address, so its own begin at the root.
        if page.name != "404.html":
            for address in loaded(page):
                assert (page.parent / re.split(r"[?#]", address)[0]).exists(), (page.name, address)


def test_the_site_can_be_searched_without_a_server_of_others(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    assert any("POST /v1/recall" in entry["text"] + entry["title"] for entry in index["docs"])
    assert list(site.rglob("search.*.min.js"))


def test_the_site_is_light_and_dark(site: Path) -> None:
    page = (site / "index.html").read_text(encoding="utf-8")
    assert 'data-md-color-scheme="default"' in page
    assert 'data-md-color-scheme="slate"' in page


def test_the_site_holds_pages_and_nothing_that_makes_them(site: Path) -> None:
    assert [path.name for pattern in ("*.py", "*.toml", "*.md") for path in site.rglob(pattern)] == []


def test_the_changelog_is_the_one_of_the_project(site: Path) -> None:
    page = (site / "changelog.html").read_text(encoding="utf-8")
    assert "Keep a Changelog" in page
    assert "--8&lt;--" not in page


def test_an_escaped_pipe_of_a_table_is_shown_as_a_pipe(site: Path) -> None:
    assert "<code>task: search result | query:" in (site / "embedders.html").read_text(encoding="utf-8")


# --- what the pages tell a reader to do ----------------------------------------------------------


def shell(page: str) -> str:
    """Everything a page would have one type, as one script."""
    return "\n".join(re.findall(r"^```sh\n(.*?)^```$", (DOCS / page).read_text(encoding="utf-8"), re.M | re.S))


def environment(home: Path) -> dict[str, str]:
    """A reader who has just begun, and reads without the model: they have fetched it, a test need not."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CORTEX_")}
    path = [str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **kept,
        "HOME": str(home),
        "PYTHONPATH": os.pathsep.join(path),
        "CORTEX_EMBEDDING__PROVIDER": "none",
        "CORTEX_HOME": str(home / ".cortex"),
    }


def test_the_commands_of_the_quick_start_run_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = re.findall(r"^(?:echo '(.*)' \| )?cortex (.*?)(?:\s+#.*)?$", shell("quickstart.md"), re.M)
    assert len(typed) > 12
    for name, value in environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()  # the reader has some
    (tmp_path / "notes" / "plan.md").write_text("# Release\n\nWe plan the release for May.\n", encoding="utf-8")
    message = ""
    for piped, command in typed:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(piped.encode())))
        # The server would keep running.
        done = cortex(shlex.split(command) + ["--help"] * (command == "serve"))
        captured = capsys.readouterr()
        assert done == 0, (command, captured)
        message += captured.out
    assert "The deploy key rotates on Mondays" in message
    assert "Ghent" in message
    assert "notes/plan.md" in message


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of a home of its own, in a process of its own and with none beside it."""
    command = [sys.executable, "-m", "cortex", "serve", "--port", "0", "--json"]
    alone = {"CORTEX_SERVE__RECALL_PROCESSES": "0", "CORTEX_SERVE__WORKER_PROCESS": "false"}
    variables = environment(tmp_path_factory.mktemp("served")) | alone
    with subprocess.Popen(
        command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        try:
            yield json.loads(server.stdout.readline())["url"]
        finally:
            server.terminate()


@pytest.mark.parametrize("page", ["client.md", "quickstart.md"])
def test_the_python_of_a_page_runs_over_a_server(page: str, url: str, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", (DOCS / page).read_text(encoding="utf-8"), re.M | re.S)
    with Cortex.connect(url) as memory:
        memory.remember("The deploy key is changed on Mondays", scope="infra")
    names: dict[str, object] = {}
    for block in blocks:
        source = block.replace("http://127.0.0.1:8300", url).replace(', token="ctx_…"', "")
        assert url in source
        exec(compile(source, page, "exec"), names)
    assert "Mondays" in capsys.readouterr().out


def test_the_client_page_names_what_a_server_does_not_offer() -> None:
    def public(of: type) -> set[str]:
        return {name for name in dir(of) if not name.startswith("_")}

    page = (DOCS / "client.md").read_text(encoding="utf-8").partition("## Local only")[2].partition("\n## ")[0]
    rows = "".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `"))
    makes_one = {"connect", "over", "context"}
    assert set(re.findall(r"`(\w+)", rows)) == public(Cortex) - public(RemoteCortex) - makes_one


def test_the_set_of_the_tuning_page_can_be_measured(tmp_path: Path) -> None:
    page = (DOCS / "tuning.md").read_text(encoding="utf-8")
    records, queries = re.findall(r"^```jsonl\n(.*?)^```$", page, re.M | re.S)
    folder = tmp_path / "infra-set"
    folder.mkdir()
    (folder / "records.jsonl").write_text(records, encoding="utf-8")
    (folder / "queries.jsonl").write_text(queries, encoding="utf-8")
    command = [sys.executable, "-m", "cortex", "eval", "infra-set", "--json"]
    command += ["--recipe", "cortex-hybrid.v1"]
    done = run(command, cwd=tmp_path, env=environment(tmp_path))
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)
    assert measured["overall"]["n"] == 4
    assert set(measured["categories"]) == {"facts", "changes", "unanswerable"}
    # The command prints every measure that the page explains.
    named = re.findall(r"`([a-z@0-9_]+)`", page.partition("| measure | question | goal |")[2].partition("\n\n")[0])
    assert len(named) > 5
    assert [name for name in named if name not in measured["overall"]] == []


def test_every_reason_of_the_tuning_page_is_one_that_recall_gives() -> None:
    page = (DOCS / "tuning.md").read_text(encoding="utf-8").partition("| result | meaning |")[2].partition("\n\n")[0]
    named = re.findall(r"`([a-z_]+)`", "".join(row.split("|")[1] for row in page.splitlines()[2:]))
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src/cortex/recall").glob("*.py"))
    states = (ROOT / "src/cortex/domain/lanes.py").read_text(encoding="utf-8")
    assert len(named) > 6
    assert [name for name in named if f'"{name}"' not in source + states] == []


def test_the_files_that_the_deploying_page_names_are_there() -> None:
    page = (DOCS / "deploying.md").read_text(encoding="utf-8")
    named = set(re.findall(r"packaging/[\w.-]+", page))
    assert "packaging/cortex.service" in named
    assert [name for name in named if not (ROOT / name).exists()] == []

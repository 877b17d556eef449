"""What a change costs: the patches of docs/extending, applied to a copy of the code and tried there.

Each is a whole change: after it, every surface has the new field, verb or kind.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sweeps import sweep

ROOT = Path(__file__).parents[1]
PATCHES = ROOT / "docs" / "extending" / "patches"
MOST_FILES = {"new-field": 4, "new-verb": 4, "new-kind": 2, "new-language": 4, "new-import-format": 1}

_SERVED = """
import json, tempfile
from pathlib import Path
from starlette.testclient import TestClient
from cortex import Cortex
from cortex.surfaces.cli.app import run
from cortex.surfaces.http.app import create_app
from cortex.surfaces.mcp.tools import offered

home = Path(tempfile.mkdtemp())
engine = Cortex(home, settings={"embedding": {"provider": "none"}})
app = create_app(engine)
client = TestClient(app, base_url="http://127.0.0.1")
client.__enter__()
"""
_FIELD = """
kept = client.post("/v1/memories", json={"text": "The ferry leaves at nine", "place": "Bergen"}).json()["memory"]
assert kept["place"] == "Bergen"
assert engine.get(kept["id"]).place == "Bergen"
assert client.get("/v1/memories").json()["memories"][0]["place"] == "Bergen"
assert client.post("/v1/memories", json={"text": "x", "place": 7}).json()["field"] == "place"
from cortex.surfaces.wire.memories import RememberRequest
assert RememberRequest.payload_of({"text": "x", "fields": {"place": "Oslo"}})["place"] == "Oslo"
assert run(["--home", str(home), "remember", "The quay is closed", "--place", "Bergen"]) == 0
assert [each.place for each in engine.list()] == ["Bergen", "Bergen"]
"""
_VERB = """
for topic in ("ops", "home", "ops"):
    engine.remember(f"A statement about {topic} {len(engine.list())}", topic=topic, scope="infra", as_new=True)
assert engine.topics() == {"ops": 2, "home": 1}
assert client.get("/v1/topics", params={"scope": "infra"}).json() == {"ops": 2, "home": 1}
assert client.get("/v1/topics", params={"scpe": "infra"}).json()["hint"] == "did you mean 'scope'?"
assert "/v1/topics" in client.get("/openapi.json").json()["paths"]
from cortex.client.remote import RemoteCortex
assert RemoteCortex.topics.__doc__ == type(engine).topics.__doc__
"""
_KIND = """
kept = client.post("/v1/memories", json={"text": "I run on Sundays", "kind": "habit"}).json()["memory"]
assert kept["kind"] == "habit"
hits = client.post("/v1/recall", json={"query": "when do I run?", "kinds": ["habit"]}).json()["hits"]
assert [hit["id"] for hit in hits] == [kept["id"]]
assert "habit" in offered()["remember"].schema(65_536)["properties"]["kind"]["enum"]
assert run(["--home", str(home), "list", "--kind", "habit"]) == 0
"""
_LANGUAGE = """
engine.capture([{"role": "user", "content": "Förresten, jag bor nu i Lund."}], session="s")
assert [(each.attribute, each.value) for each in engine.list() if hasattr(each, "value")] == [("home city", "Lund")]
receipt = engine.capture([{"role": "user", "content": "Mitt lösenord är Xk93-trallala9"}], session="t").receipt
assert receipt.facts["redacted"] == {"password": 1}
"""
_FORMAT = """
(home / "mine.diary").write_text("2025-03-01 The ferry was late\\nno date\\n")
done = engine.import_from(home / "mine.diary")
assert (done.preview.format, done.receipt.facts["memories"], done.preview.skipped.total()) == ("diary", 1, 1)
assert [str(each.created_at.date()) for each in engine.list()] == ["2025-03-01"]
assert run(["--home", str(home), "import", "--from", "diary", str(home / "mine.diary")]) == 0
engine.undo_import(done.run)
assert engine.list() == []
"""
TRIED = {
    "new-field": _FIELD,
    "new-verb": _VERB,
    "new-kind": _KIND,
    "new-language": _LANGUAGE,
    "new-import-format": _FORMAT,
}


def touched(patch: Path) -> list[str]:
    return re.findall(r"^\+\+\+ b/(.*)$", patch.read_text(encoding="utf-8"), re.M)


def test_every_patch_is_tried_and_named_in_the_guide() -> None:
    assert {patch.stem for patch in PATCHES.glob("*.patch")} == TRIED.keys() == MOST_FILES.keys()
    guides = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "extending").glob("*.md"))
    assert [name for name in TRIED if f"patches/{name}.patch" not in guides] == []


@pytest.mark.parametrize("name", TRIED)
def test_a_change_touches_no_more_files_than_promised(name: str) -> None:
    assert 0 < len(touched(PATCHES / f"{name}.patch")) <= MOST_FILES[name]


def test_a_language_is_one_folder() -> None:
    folders = {str(Path(file).parent) for file in touched(PATCHES / "new-language.patch")}
    assert len(folders) == 1
    assert folders.pop().startswith("src/cortex/languages/")


def applied(name: str, folder: Path, *options: str) -> None:
    """The change in `folder`, which has the package with what was compiled of it."""
    shutil.copytree(ROOT / "src", folder / "src", dirs_exist_ok=True)
    subprocess.run(["git", "apply", "--unsafe-paths", *options, str(PATCHES / f"{name}.patch")], cwd=folder, check=True)


def test_every_patch_applies(tmp_path: Path) -> None:
    for name in TRIED:
        applied(name, tmp_path, "--check")


@pytest.mark.parametrize("name", sweep(TRIED, ["new-field", "new-import-format"]))
def test_a_patch_makes_the_whole_change(name: str, tmp_path: Path) -> None:
    applied(name, tmp_path)
    ran = subprocess.run(
        [sys.executable, "-c", _SERVED + TRIED[name] + "client.__exit__(None, None, None)\nengine.close()"],
        env=dict(os.environ) | {"PYTHONPATH": str(tmp_path / "src"), "CORTEX_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr

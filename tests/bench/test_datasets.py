"""The evaluation sets are cut from clones of public repositories, at the commits that are named."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bench import command, datasets
from bench.datasets import conversations, documents, questions
from bench.datasets.__main__ import SETS
from bench.datasets.__main__ import datasets as make
from bench.datasets.checkouts import Checkout, Repository
from cortex.errors import NotFound


def clone(folder: Path, *commits: dict[str, Any]) -> Checkout:
    """A repository with these files, committed in this order; `message` is that of the commit."""
    folder.mkdir()
    _git(folder, "init", "-q")
    for files in commits:
        for name, content in files.items():
            if name != "message":
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        _git(folder, "add", "-A")
        _git(folder, "commit", "-q", "-m", files.get("message", "Add files"))
    return Checkout(folder, Repository("owner", folder.name, _git(folder, "rev-parse", "HEAD"), "MIT"))


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def test_every_other_article_of_a_set_of_questions_is_taken(tmp_path: Path) -> None:
    def article(text: str) -> dict[str, Any]:
        asked = {"id": "q1", "question": "Where?", "answers": [{"text": "there"}]}
        return {"paragraphs": [{"context": text, "qas": [asked]}]}

    data = {"data": [article("Title [SEP] one "), article("two"), article("three")]}
    made = questions.jsquad(clone(tmp_path / "JGLUE", {"datasets/jsquad-v1.3/valid-v1.3.json": data}))
    assert [record["text"] for record in made.records] == ["one", "three"]
    assert made.queries[1] == {
        "qid": "ja:q1", "scope": "ja", "query": "Where?", "relevant": ["jsquad-ja:2.0"], "answer": "there",
    }  # fmt: skip


def test_evidence_of_locomo_is_read_however_it_is_spelled(tmp_path: Path) -> None:
    said = [{"speaker": "Ada", "text": f"turn {at}", "dia_id": f"D1:{at}"} for at in (1, 2, 3)]
    said[1]["blip_caption"] = "a dog"
    conversation = {"session_1": said, "session_1_date_time": "1:56 pm on 8 May, 2023"}
    evidence = [["D:1:02; D1:1"], ["D9:9"], []]
    asked = [{"question": f"q{at}", "answer": 7, "evidence": each, "category": 1} for at, each in enumerate(evidence)]
    data = [{"sample_id": name, "conversation": conversation, "qa": asked} for name in ("conv-26", "conv-99")]
    made = conversations.locomo(clone(tmp_path / "LoCoMo", {"data/locomo10.json": data}))
    assert [(record["text"], record["ts"]) for record in made.records[:2]] == [
        ("Ada: turn 1", "2023-05-08T13:56:00"), ("Ada: turn 2 [photo: a dog]", "2023-05-08T13:56:00"),
    ]  # fmt: skip
    assert len(made.records) == 3, "the other conversations are held back"
    assert [(query["relevant"], query["answer"]) for query in made.queries] == [(["conv-26:D1:1", "conv-26:D1:2"], "7")]


def test_commits_are_found_by_hash_issue_and_path_and_no_address_is_kept(tmp_path: Path) -> None:
    trailer = "\n\nCo-authored-by: B <b@example.org>"
    checkout = clone(tmp_path / "log", {"a.txt": "1", "message": f"One, refs #7{trailer}"}, {"b.txt": "2"})
    made = documents.gitlog(checkout)
    assert [record["text"].splitlines()[1:] for record in made.records] == [
        ["Add files", "files: b.txt"], ["One, refs #7", "files: a.txt"],
    ]  # fmt: skip
    first = made.records[1]["id"]
    found = {query["query"]: query["relevant"] for query in made.queries}
    assert found["#7"] == found["a.txt"] == found[first[:8]] == [first]


def test_headings_that_stand_in_one_file_are_questions(tmp_path: Path) -> None:
    one = "# Same words here\n## Set up `the key`\n```\n# Not a heading here\n```\n## Two words\n"
    checkout = clone(tmp_path / "llm", {"docs/one.md": one, "docs/two.md": "# Same words here\n"})
    made = documents.mdtree(checkout)
    assert [(query["query"], query["file"]) for query in made.queries] == [("Set up the key", "llm/one.md")]


def test_a_clone_that_is_not_there_is_named_with_how_to_get_it(tmp_path: Path) -> None:
    repository = Repository("owner", "name", "0" * 40, "MIT")
    with pytest.raises(NotFound) as missing:
        Checkout(tmp_path / "name", repository).text("file")
    assert missing.value.hint == f"git clone https://github.com/owner/name {tmp_path / 'name'}"


def test_every_set_names_the_commit_it_is_cut_from(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.run(make, ["--sources"], "python -m bench.datasets") == 0
    printed = capsys.readouterr().out
    assert all(source.repository.commit in printed for source in SETS.values())
    page = (Path(__file__).parents[2] / "docs" / "performance.md").read_text(encoding="utf-8")
    assert [name for name, source in SETS.items() if f"`{source.repository.commit[:12]}`" not in page] == []


def test_a_set_that_differs_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.run(make, [str(tmp_path), str(tmp_path), "--only", "drcd"], "python -m bench.datasets") == 3
    assert "git clone" in capsys.readouterr().err
    assert command.run(make, ["--only", "mine"], "python -m bench.datasets") == 2


def test_where_the_sets_are_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(datasets.VARIABLE, "/srv/sets")
    assert datasets.folder() == Path("/srv/sets")

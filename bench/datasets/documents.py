"""Sets of documents: Markdown files with questions about them, and the log of a repository."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from typing import TypeVar

from bench.datasets.checkouts import Checkout, Repository
from bench.datasets.cut import Cut, Row

CHUNKING = Repository("brandonstarxel", "chunking_evaluation", "d451fc4cf56e417b755994b4ca5212fd5057c0d2", "MIT")
LLM = Repository("simonw", "llm", "f3f4f29c6e5e623c3776cbf6455dda2345638214", "Apache-2.0")
SQLITE_UTILS = Repository("simonw", "sqlite-utils", "56dd09702fdb9e899f577ffd51693c1f2176cb08", "Apache-2.0")

T = TypeVar("T")

# --- chunkeval -------------------------------------------------------------------------------------------------------

CORPORA = ("state_of_the_union", "chatlogs", "wikitexts")
"""The other corpora are held back."""
_DATA = "chunking_evaluation/evaluation_framework/general_evaluation_data"


def chunkeval(checkout: Checkout) -> Cut:
    """Three documents, and questions with the excerpts that answer them as offsets of characters."""
    rows = csv.DictReader(io.StringIO(checkout.text(f"{_DATA}/questions_df.csv")))
    queries: list[Row] = [
        {
            "qid": f"{row['corpus_id']}:{number}",
            "file": f"{row['corpus_id']}.md",
            "query": row["question"],
            "spans": [[each["start_index"], each["end_index"]] for each in json.loads(row["references"])],
        }
        for number, row in enumerate(rows)
        if row["corpus_id"] in CORPORA
    ]
    files = {f"corpora/{name}.md": checkout.text(f"{_DATA}/corpora/{name}.md") for name in CORPORA}
    return Cut(queries=queries, files=files)


# --- mdtree ----------------------------------------------------------------------------------------------------------

FEWEST_WORDS = 3
_HEADING = re.compile(r"#{1,4}\s+(\S.*)")
_MARKS = re.compile(r"[`*_]")


def mdtree(checkout: Checkout) -> Cut:
    """The docs of a project. A question is a heading of three words or more that stands in one file only."""
    paths = sorted(path for path in checkout.paths("docs") if path.endswith(".md"))
    files = {
        f"llm/{path.removeprefix('docs/')}": checkout.text(path).replace("https://pypi.org", "https://pypi.example")
        for path in paths
    }
    where: dict[str, set[str]] = {}
    for name, text in files.items():
        for heading in _headings(text):
            where.setdefault(heading, set()).add(name)
    queries: list[Row] = [
        {"qid": f"h{number}", "query": heading, "file": min(where[heading]), "category": "heading"}
        for number, heading in enumerate(sorted(where))
        if len(where[heading]) == 1 and len(heading.split()) >= FEWEST_WORDS
    ]
    return Cut(queries=queries, queries_name="llm.queries.jsonl", files=files)


def _headings(text: str) -> Iterator[str]:
    fenced = False
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and (heading := _HEADING.match(line)):
            yield _MARKS.sub("", heading.group(1).rstrip().rstrip("#").rstrip()).strip()


# --- gitlog ----------------------------------------------------------------------------------------------------------

LONGEST = 2_000
MOST_PATHS = 12
MOST_COMMITS = 3
OF_A_SORT = 150

_TRAILER = re.compile(r"^[\w-]+-by:.*@.*$", re.MULTILINE | re.IGNORECASE)
_ISSUE = re.compile(r"(?<!\w)#(\d+)\b")


def gitlog(checkout: Checkout) -> Cut:
    """Commits, found by their hash, by the issues they name and by the paths they touch. No label is a judgment."""
    records: list[Row] = []
    hashes: list[str] = []
    issues: dict[int, list[str]] = {}
    touched: dict[str, list[str]] = {}
    for commit in checkout.log("%x01%H%x02%aI%x02%B%x02").split("\x01")[1:]:
        hash, written_at, message, listed = commit.split("\x02")
        paths = [path for path in listed.split("\n") if path][:MOST_PATHS]
        id, body = hash[:12], _TRAILER.sub("", message).strip()
        text = f"commit {hash}\n{body}\nfiles: {', '.join(paths)}"[:LONGEST]
        records.append({"id": id, "scope": "sqlite-utils", "text": text, "ts": written_at})
        hashes.append(hash)
        for number in {int(number) for number in _ISSUE.findall(message)}:
            issues.setdefault(number, []).append(id)
        for path in set(paths):
            touched.setdefault(path, []).append(id)
    return Cut(records, [*_by_hash(hashes), *_by_issue(issues), *_by_path(touched)])


def _by_hash(hashes: list[str]) -> Iterator[Row]:
    for hash in _spread(hashes):
        for sort, query, category in (
            ("h8", hash[:8], "hash-prefix"),
            ("h40", hash, "hash-full"),
            ("hnl", f"what changed in commit {hash[:10]}?", "hash-in-sentence"),
        ):
            yield _query(f"{sort}:{hash[:8]}", query, [hash[:12]], category)


def _by_issue(issues: Mapping[int, list[str]]) -> Iterator[Row]:
    for number in _spread([number for number in sorted(issues) if len(issues[number]) <= MOST_COMMITS]):
        yield _query(f"iss:{number}", f"#{number}", sorted(issues[number]), "issue-number")


def _by_path(touched: Mapping[str, list[str]]) -> Iterator[Row]:
    for path in sorted(touched):
        if len(touched[path]) <= MOST_COMMITS:
            yield _query(f"path:{path}", path, sorted(touched[path]), "file-path")


def _query(qid: str, query: str, relevant: list[str], category: str) -> Row:
    return {"qid": qid, "scope": "sqlite-utils", "query": query, "relevant": relevant, "category": category}


def _spread(given: list[T]) -> list[T]:
    """`OF_A_SORT` of these, evenly from the first on."""
    return given[:: max(1, len(given) // OF_A_SORT)][:OF_A_SORT]

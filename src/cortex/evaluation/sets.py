"""Evaluation sets on disk: records to remember, and probes whose right answers are known.

    records.jsonl   {"id", "scope", "text", "ts"?, "session"?, "role"?, "speaker"?}
    queries.jsonl   {"qid", "scope", "query", "relevant": [ids], "category"?, "parts"?, "ts"?}
    set.json        optional: {"apart": [categories reported apart from the overall]}

Or files that are indexed as they lie, and probes that name the file, or the characters of it, that answer:

    NAME/**.md with NAME.queries.jsonl     {"qid", "query", "file": "NAME/…", "category"?}
    corpora/**.md with queries.jsonl       {"qid", "query", "file", "spans": [[start, end], …], "category"?}

Each may also be packed as `.gz`. Keys that are not named here are ignored.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, cast

from cortex.domain.scope import DEFAULT_SCOPE
from cortex.domain.text import checked_text
from cortex.domain.trace import parse_time
from cortex.domain.turn import Role
from cortex.errors import InvalidRequest, NotFound
from cortex.evaluation import lines
from cortex.workspace import chunking
from cortex.workspace.sources import MARKDOWN

CORPORA = "corpora"
_ANY_SIZE = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One text of a set: a turn where it has a session, a document otherwise."""

    id: str
    scope: str
    text: str
    at: datetime | None = None
    session: str = ""
    role: Role | None = None
    speaker: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One question to a set, with the records that answer it; with none, the right answer is nothing."""

    qid: str
    scope: str
    query: str
    relevant: frozenset[str]
    category: str
    parts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    asked_at: datetime | None = None

    @property
    def answerable(self) -> bool:
        return bool(self.relevant)


@dataclass(frozen=True, slots=True)
class EvalSet:
    """A whole set, read and checked."""

    name: str
    records: tuple[Record, ...]
    probes: tuple[Probe, ...]
    apart: frozenset[str] = frozenset()
    folders: tuple[Path, ...] = ()
    """The files of the set, where it has any; `records` are then what a plain search would cut them into."""

    def unknown_relevant(self) -> int:
        """How many answers name a record that is not there; nothing can find those."""
        known = {record.id for record in self.records}
        if self.folders:
            known = {lines.path_of(id) for id in known}
            return sum(lines.path_of(id) not in known for probe in self.probes for id in probe.relevant)
        return sum(len(probe.relevant - known) for probe in self.probes)


def read(directory: Path) -> EvalSet:
    """The set under `directory`, or an error that names the file, the line and the field."""
    if not directory.is_dir():
        raise NotFound(
            f"no evaluation set at {directory}", hint="give a directory with records.jsonl and queries.jsonl"
        )
    if trees := _trees(directory):
        return _of_files(directory, trees)
    records = tuple(read_records(_present(directory, "records.jsonl")))
    if not records:
        raise InvalidRequest("has no records", field=str(directory / "records.jsonl"), hint="give one record a line")
    probes = tuple(_probe(line) for line in _lines(_present(directory, "queries.jsonl")))
    return EvalSet(directory.resolve().name, records, probes, _apart(directory / "set.json"))


def _trees(directory: Path) -> dict[Path, Path]:
    """The folders of files in a set, each with its queries."""
    corpora, queries = directory / CORPORA, directory / "queries.jsonl"
    if corpora.is_dir() and queries.is_file():
        return {corpora: queries}
    named = (path for path in sorted(directory.glob("*.queries.jsonl")))
    return {folder: path for path in named if (folder := directory / path.name.removesuffix(".queries.jsonl")).is_dir()}


def _of_files(directory: Path, trees: Mapping[Path, Path]) -> EvalSet:
    records: list[Record] = []
    probes: list[Probe] = []
    for folder, queries in trees.items():
        texts = texts_of(folder)
        records += [
            Record(id=lines.piece_id(path, piece.start, piece.end), scope=DEFAULT_SCOPE, text=piece.text)
            for path, text in texts.items()
            for piece in chunking.lines(text)
        ]
        probes += [_file_probe(line, folder.name) for line in _lines(queries)]
    return EvalSet(
        directory.resolve().name, tuple(records), tuple(probes), _apart(directory / "set.json"), tuple(trees)
    )


def texts_of(folder: Path) -> dict[str, str]:
    """What the files of a folder say, by the paths they are cited by."""
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in MARKDOWN and path.is_file())
    return {
        f"{folder.name}/{file.relative_to(folder).as_posix()}": file.read_bytes().decode("utf-8-sig", "replace")
        for file in files
    }


def _file_probe(line: _Line, folder: str) -> Probe:
    file = line.text("file")
    path = file if file.startswith(f"{folder}/") else f"{folder}/{file}"
    spans = line.values.get("spans")
    if spans is not None and not (isinstance(spans, list) and all(_is_span(span) for span in spans)):
        raise line.error("spans", "is not a list of spans", "give [[start, end], …], counted in characters")
    return Probe(
        qid=line.label("qid") or line.place,
        scope=DEFAULT_SCOPE,
        query=line.text("query"),
        relevant=frozenset({path}) if spans is None else lines.units(path, spans),
        category=line.label("category") or file,
    )


def _is_span(value: object) -> bool:
    is_pair = isinstance(value, list) and len(value) == 2 and all(type(end) is int for end in value)
    return is_pair and value[0] < value[1]  # type: ignore[index]


def read_records(path: Path) -> Iterator[Record]:
    """The records of one file; an id may stand there once."""
    seen: set[str] = set()
    for line in _lines(path):
        record = _record(line)
        if record.id in seen:
            raise line.error("id", f"{record.id!r} is there twice", "give every record an id of its own")
        seen.add(record.id)
        yield record


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of a file, and where it stands."""

    place: str
    values: Mapping[str, Any]

    def error(self, key: str, message: str, hint: str) -> InvalidRequest:
        return InvalidRequest(message, field=f"{self.place}, {key}", hint=hint)

    def text(self, key: str, *, blank: bool = False) -> str:
        value = self.values.get(key)
        if not isinstance(value, str):
            raise self.error(key, "is missing" if value is None else "is not text", "give a string")
        if not blank and not value.strip():
            raise self.error(key, "is empty", "give some text")
        return value

    def label(self, key: str) -> str:
        """An optional name; numbers are taken as their digits."""
        value = self.values.get(key)
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise self.error(key, "is neither text nor a whole number", "give a short name")
        return str(value)

    def ids(self, key: str) -> frozenset[str]:
        return self.id_list(self.values.get(key), key)

    def id_list(self, value: object, key: str) -> frozenset[str]:
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self.error(key, "is missing" if value is None else "is not a list of ids", 'give ["id", …], or []')
        return frozenset(cast("list[str]", value))

    def time(self, key: str) -> datetime | None:
        value = self.values.get(key)
        if value is None or value == "":
            return None
        try:
            if isinstance(value, int | float) and not isinstance(value, bool):
                return datetime.fromtimestamp(value, UTC)
            return parse_time(value)
        except (TypeError, ValueError, OverflowError, OSError) as error:
            raise self.error(key, "is not a time", "give ISO 8601, such as 2024-03-15T09:30:00") from error


def _record(line: _Line) -> Record:
    role = line.label("role").lower()
    if role and role not in set(Role):
        raise line.error("role", f"{role[:32]!r} is not a role", f"give one of {', '.join(Role)}")
    text = line.text("text", blank=True)
    if text.strip():
        checked_text(text, field=f"{line.place}, text", max_bytes=_ANY_SIZE)
    return Record(
        id=line.text("id"),
        scope=line.text("scope"),
        text=text,
        at=line.time("ts"),
        session=line.label("session"),
        role=Role(role) if role else None,
        speaker=line.label("speaker"),
    )


def _probe(line: _Line) -> Probe:
    scope = line.text("scope")
    parts = line.values.get("parts") or {}
    if not isinstance(parts, dict):
        raise line.error("parts", "is not an object", 'give {"name": ["id", …]}')
    return Probe(
        qid=line.label("qid") or line.place,
        scope=scope,
        query=line.text("query", blank=True),
        relevant=line.ids("relevant"),
        # Sets without categories still tell their scopes apart: in several of them a scope is a language.
        category=line.label("category") or scope,
        parts={str(name): line.id_list(ids, f"parts.{name}") for name, ids in parts.items()},
        asked_at=line.time("ts"),
    )


def _apart(path: Path) -> frozenset[str]:
    if not path.exists():
        return frozenset()
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"is not JSON: {error}", field=str(path), hint="mend or remove the file") from error
    apart = settings.get("apart", []) if isinstance(settings, dict) else None
    if not isinstance(apart, list):
        raise InvalidRequest("is not a list", field=f"{path}, apart", hint='give {"apart": ["category", …]}')
    return frozenset(str(each) for each in apart)


def _present(directory: Path, name: str) -> Path:
    for path in (directory / name, directory / f"{name}.gz"):
        if path.is_file():
            return path
    raise NotFound(f"no {name} in {directory}", hint="see `docs/recall.md` for the format of a set")


def _lines(path: Path) -> Iterator[_Line]:
    with _opened(path) as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            place = f"{path.name} line {number}"
            try:
                values = json.loads(line)
            except json.JSONDecodeError as error:
                raise InvalidRequest(f"is not JSON: {error.msg}", field=place, hint="one JSON object a line") from error
            if not isinstance(values, dict):
                raise InvalidRequest("is not an object", field=place, hint="one JSON object a line")
            yield _Line(place, values)


def _opened(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return cast("IO[str]", gzip.open(path, "rt", encoding="utf-8"))
    return path.open(encoding="utf-8")

"""Evaluation sets on disk: records to remember, and probes whose right answers are known.

    records.jsonl   {"id", "scope", "text", "ts"?, "session"?, "role"?, "speaker"?}
    queries.jsonl   {"qid", "scope", "query", "relevant": [ids], "category"?, "parts"?, "ts"?, "answer"?}
    set.json        optional: {"apart": [categories reported apart from the overall]}

Or, where there are no records, files that are indexed as they lie, and probes that name the file, or the characters
of it, that answer. Characters count from 0 in the text of the file, without the mark of its encoding; a span ends
before its `end`. Where `spans` is empty, the right answer is nothing.

    NAME/**.md with NAME.queries.jsonl     {"qid", "query", "file": "NAME/…", "category"?}
    corpora/**.md with queries.jsonl       {"qid", "query", "file", "spans": [[start, end], …], "category"?}

Records and queries may also be packed as `.gz`. Keys that are not named here are ignored.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, cast

from cortex.domain.lanes import Lane
from cortex.domain.scope import DEFAULT_SCOPE
from cortex.domain.text import checked_text
from cortex.domain.trace import parse_time
from cortex.domain.turn import Role
from cortex.errors import InvalidRequest, NotFound
from cortex.evaluation import lines
from cortex.workspace import chunking, file_reader, scan, sources
from cortex.workspace.file_reader import Unreadable
from cortex.workspace.sources import Source

RECORDS = "records.jsonl"
QUERIES = "queries.jsonl"
CORPORA = "corpora"

ANY_SIZE = 1 << 30
"""What is measured is not refused for its length."""

_PACKED = ".gz"
_FORMAT = "see `docs/recall.md` for the format of a set"


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
    answer: str = ""
    """The gold answer in words, where the set has one."""
    in_characters: bool = False
    """Whether `relevant` are characters of a file."""

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
    sources: tuple[Source, ...] = ()
    """The folders of a set of files; `records` are then what a plain search would cut the files into."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """What those files say, by the paths they are cited by."""

    def unknown_relevant(self) -> int:
        """How many answers name a record or a file that is not there; nothing can find those."""
        known = self.texts.keys() if self.sources else {record.id for record in self.records}
        return sum(len(probe.relevant - known) for probe in self.probes if not probe.in_characters)


def read(directory: Path) -> EvalSet:
    """The set under `directory`, or an error that names the file, the line and the field."""
    if not directory.is_dir():
        raise NotFound(
            f"no evaluation set at {directory}", hint="give a directory with records.jsonl and queries.jsonl"
        )
    if _packed_or_not(directory, RECORDS) is None and (trees := _trees(directory)):
        return _of_files(directory, trees)
    records = tuple(read_records(_present(directory, RECORDS)))
    if not records:
        raise InvalidRequest("has no records", field=str(directory / RECORDS), hint="give one record a line")
    probes = tuple(_probe(line) for line in _lines(_present(directory, QUERIES)))
    return EvalSet(directory.resolve().name, records, probes, _apart(directory / "set.json"))


# --- sets of files ---------------------------------------------------------------------------------------------------


def _trees(directory: Path) -> dict[Path, Path]:
    """The folders of files in a set, each with its queries."""
    if (directory / CORPORA).is_dir():
        return {directory / CORPORA: _present(directory, QUERIES)}
    named = {
        directory / path.name.removesuffix(_PACKED).removesuffix(f".{QUERIES}"): path
        for path in sorted(directory.glob(f"*.{QUERIES}*"), reverse=True)  # where both are there, the unpacked one
        if path.name.endswith((f".{QUERIES}", f".{QUERIES}{_PACKED}"))
    }
    return {folder: path for folder, path in sorted(named.items()) if folder.is_dir()}


def _of_files(directory: Path, trees: Mapping[Path, Path]) -> EvalSet:
    known: list[Source] = []
    texts: dict[str, str] = {}
    probes: list[Probe] = []
    for folder, queries in trees.items():
        known = sources.registered(known, folder, lane=Lane.NOTES)
        own = _texts(known[-1])
        if not own:
            raise InvalidRequest("has no Markdown files", field=str(folder), hint=_FORMAT)
        probes += [_file_probe(line, folder.name, known[-1].name, own) for line in _lines(queries)]
        texts |= own
    records = [
        Record(id=lines.piece_id(path, piece.start, piece.end), scope=DEFAULT_SCOPE, text=piece.text)
        for path, text in texts.items()
        for piece in chunking.lines(text)
    ]
    apart = _apart(directory / "set.json")
    return EvalSet(directory.resolve().name, tuple(records), tuple(probes), apart, tuple(known), texts)


def _texts(source: Source) -> dict[str, str]:
    """What the files of a folder say, by the paths they are cited by: those that are followed, as they are read."""
    texts: dict[str, str] = {}
    for file in scan.found([source]).files:
        with suppress(Unreadable):  # it cannot be found either, and indexing it reports why
            texts[file.path] = file_reader.read(file.absolute, max_bytes=ANY_SIZE).text
    return texts


def _file_probe(line: _Line, folder: str, name: str, texts: Mapping[str, str]) -> Probe:
    """A question to the files of the folder called `folder`, which are cited under `name`."""
    file = line.text("file")
    paths = f"{name}/{file.removeprefix(f'{folder}/')}", f"{name}/{file}"
    path = next((path for path in paths if path in texts), paths[0])
    relevant, spans = frozenset({path}), line.spans("spans")
    # A file that is not there is missed as a whole: its characters cannot be counted apart.
    if spans is not None and (path in texts or not spans):
        line.check_within("spans", spans, texts.get(path, ""))
        relevant = lines.units(path, spans)
    return Probe(
        qid=line.label("qid") or line.place,
        scope=DEFAULT_SCOPE,
        query=line.text("query"),
        relevant=relevant,
        category=line.label("category") or file,
        in_characters=relevant != {path},
    )


# --- sets of records -------------------------------------------------------------------------------------------------


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

    def spans(self, key: str) -> Sequence[Sequence[int]] | None:
        """Stretches of a text, each with its first character and the one behind its last."""
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or not all(map(_is_span, value)):
            raise self.error(
                key, "is not a list of spans", "give [[start, end], …] in characters, each start below its end"
            )
        return cast("list[list[int]]", value)

    def check_within(self, key: str, spans: Sequence[Sequence[int]], text: str) -> None:
        if any(end > len(text) for _, end in spans):
            raise self.error(
                key, f"end beyond the {len(text):,} characters of the file", "count characters, not bytes, from 0"
            )

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


def _is_span(value: object) -> bool:
    match value:
        case [int(start), int(end)] if not isinstance(start, bool) and not isinstance(end, bool):
            return 0 <= start < end
    return False


def _record(line: _Line) -> Record:
    role = line.label("role").lower()
    if role and role not in set(Role):
        raise line.error("role", f"{role[:32]!r} is not a role", f"give one of {', '.join(Role)}")
    text = line.text("text", blank=True)
    if text.strip():
        checked_text(text, field=f"{line.place}, text", max_bytes=ANY_SIZE)
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
        answer=line.label("answer"),
    )


def _apart(path: Path) -> frozenset[str]:
    if not path.exists():
        return frozenset()
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"is not JSON: {error}", field=str(path), hint="fix or remove the file") from error
    apart = settings.get("apart", []) if isinstance(settings, dict) else None
    if not isinstance(apart, list):
        raise InvalidRequest("is not a list", field=f"{path}, apart", hint='give {"apart": ["category", …]}')
    return frozenset(str(each) for each in apart)


def _present(directory: Path, name: str) -> Path:
    if path := _packed_or_not(directory, name):
        return path
    raise NotFound(f"no {name} in {directory}", hint=_FORMAT)


def _packed_or_not(directory: Path, name: str) -> Path | None:
    return next((path for path in (directory / name, directory / f"{name}{_PACKED}") if path.is_file()), None)


def _lines(path: Path) -> Iterator[_Line]:
    number = 0
    try:
        with _opened(path) as file:
            for number, raw in enumerate(file, start=1):
                text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
                if text.strip():
                    yield _Line(f"{path.name} line {number}", _object(text, f"{path.name} line {number}"))
    except UnicodeDecodeError as error:
        raise InvalidRequest("is not UTF-8", field=f"{path.name} line {number}", hint="save it as UTF-8") from error
    except (OSError, EOFError, zlib.error) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "it is damaged"
        raise InvalidRequest(f"cannot be read: {reason}", field=str(path), hint="look at the file") from error


def _object(text: str, place: str) -> Mapping[str, Any]:
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidRequest(f"is not JSON: {error.msg}", field=place, hint="one JSON object a line") from error
    if not isinstance(values, dict):
        raise InvalidRequest("is not an object", field=place, hint="one JSON object a line")
    return values


def _opened(path: Path) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(path, "rb")) if path.suffix == _PACKED else path.open("rb")

"""Sources: the folders and files an operator lets be memory, and what of them counts (B2, E15)."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Any

from cortex.domain.choices import chosen
from cortex.domain.lanes import Lane
from cortex.domain.scope import DEFAULT_SCOPE, checked_label
from cortex.domain.trust import TrustTier
from cortex.errors import InvalidRequest, NotFound

IGNORED = frozenset({".git", "node_modules", ".pnpm-store", ".venv", "venv", ".tox", "__pycache__"})
"""Folders nothing in which is memory, wherever they lie below a root (B2)."""

MARKDOWN = (".md", ".markdown", ".mdx")
TRANSCRIPTS = (".jsonl",)

WORKSPACE_FILES = ("MEMORY.md", "memory.md")
WORKSPACE_FOLDER = "memory"
"""With the files above, all that is memory in an agent's workspace (B2)."""

CHUNKERS = ("sections", "lines")

SESSIONS_FOLDER = "sessions"
"""What the paths of turns begin with."""

_RESERVED = frozenset(name.casefold() for name in (*WORKSPACE_FILES, WORKSPACE_FOLDER, SESSIONS_FOLDER))
_LANES = (Lane.NOTES, Lane.DOCS, Lane.SESSIONS)
_LONGEST_NAME = 64
# Control characters, what some readers take for a line end, and bytes of a name that are not UTF-8.
_UNCITABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class Shape(StrEnum):
    """Which files below its root a source lists."""

    WORKSPACE = "workspace"
    """`MEMORY.md`, `memory.md` and the Markdown files below `memory/`."""
    TREE = "tree"
    """Every Markdown file, or the one the root is."""
    TRANSCRIPTS = "transcripts"
    """Every `.jsonl` file, or the one the root is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A folder or file that is memory. `name` is the first part of the paths its files are cited by."""

    name: str
    """Unique for a tenant; empty for the agent's own workspace, whose files are cited as they lie in it."""
    root: Path
    """Absolute, with no link on its way."""
    shape: Shape
    lane: Lane
    scope: str = DEFAULT_SCOPE
    trust: TrustTier = TrustTier.TRUSTED
    chunker: str = "sections"
    summarize: bool = False

    def __post_init__(self) -> None:
        _check_name(self.name, self.shape)
        if not self.root.is_absolute() or ".." in self.root.parts or not citable(str(self.root)):
            raise InvalidRequest("is not an absolute path of readable characters", field="root", hint="resolve it")
        if self.lane not in _LANES or (self.lane is Lane.SESSIONS and self.shape is not Shape.TRANSCRIPTS):
            raise InvalidRequest(
                f"a {self.shape.value} is never in {self.lane.value!r}",
                field="lane",
                hint=f"one of {', '.join(_LANES)}; sessions is for transcripts alone",
            )
        if self.chunker not in CHUNKERS:
            raise InvalidRequest(
                f"{self.chunker[:64]!r} is not known", field="chunker", hint=f"one of {', '.join(CHUNKERS)}"
            )
        checked_label(self.scope, "scope")

    @property
    def suffixes(self) -> tuple[str, ...]:
        """How the names of its files end, in lower case."""
        return TRANSCRIPTS if self.shape is Shape.TRANSCRIPTS else MARKDOWN

    def cited(self, relative: str) -> str:
        """The path to cite for the file at `relative` to the root."""
        return f"{self.name}/{relative}" if self.name else relative

    def to_json(self) -> dict[str, Any]:
        choices = {"shape": self.shape.value, "lane": self.lane.value, "trust": self.trust.value}
        return {**asdict(self), "root": str(self.root), **choices}

    @classmethod
    def from_json(cls, plain: Any) -> Source:
        """The source that `to_json` wrote, or an error that names the field and the fix."""
        values = _known_fields(plain)
        return cls(
            name=_string(values, "name"),
            root=Path(_string(values, "root")),
            shape=chosen(Shape, values["shape"], "shape"),
            lane=chosen(Lane, values["lane"], "lane"),
            scope=_string(values, "scope"),
            trust=chosen(TrustTier, values["trust"], "trust"),
            chunker=_string(values, "chunker"),
            summarize=_flag(values, "summarize"),
        )


def citable(name: str) -> bool:
    """Whether `name` can stand in a citation: valid Unicode on one line."""
    return name.isprintable() or not _UNCITABLE.search(name)


def unlisted(source: Source, parts: Sequence[str], ignored: Collection[str] = IGNORED) -> str:
    """Why `source` does not list the file at these parts below its root; empty if it does."""
    if not parts or not parts[-1].lower().endswith(source.suffixes):
        return f"has a name that does not end in {', '.join(source.suffixes)}"
    if passed := next((part for part in parts[:-1] if part in ignored), ""):
        return f"lies in {passed!r}, a folder that is ignored"
    if source.shape is Shape.WORKSPACE and not _of_workspace(parts):
        return f"is not one of {', '.join(WORKSPACE_FILES)} and the files below {WORKSPACE_FOLDER}/"
    return ""


def registered(
    known: Sequence[Source],
    root: Path | str,
    *,
    lane: Lane,
    shape: Shape = Shape.TREE,
    name: str | None = None,
    scope: str = DEFAULT_SCOPE,
    trust: TrustTier = TrustTier.TRUSTED,
    chunker: str = "sections",
    summarize: bool = False,
) -> list[Source]:
    """`known` with the folder or file at `root`, last; the same root in the same shape replaces what was said of it.

    Without a `name` it keeps the one it had, or is called like its folder, made unique.
    """
    place = _resolved(root)
    if not place.exists():
        raise NotFound(f"{str(place)!r} does not exist", hint="give a folder or file")
    before = next((each for each in known if each.root == place and each.shape is shape), None)
    others = [each for each in known if each is not before]
    if name is None:
        name = before.name if before else _free_name(place, (each.name for each in others))
    elif name.casefold() in {each.name.casefold() for each in others}:
        raise InvalidRequest(
            f"{name!r} is the name of another source", field="name", hint="give another, or remove that source first"
        )
    source = Source(
        name=name, root=place, shape=shape, lane=lane, scope=scope, trust=trust, chunker=chunker, summarize=summarize
    )
    _check_root(source)
    return [source if each is before else each for each in known] if before else [*known, source]


def named(known: Sequence[Source], name_or_path: str) -> list[Source]:
    """The source of that name, or else all at that path; NotFound says which there are."""
    if by_name := [each for each in known if each.name == name_or_path]:
        return by_name
    at = _resolved(name_or_path) if name_or_path else None
    if by_root := [each for each in known if each.root == at]:
        return by_root
    names = ", ".join(repr(each.name or str(each.root)) for each in known)
    raise NotFound(
        f"no source is called {name_or_path[:200]!r} or lies there",
        hint=f"there are {names}" if names else "none is registered yet",
    )


def _of_workspace(parts: Sequence[str]) -> bool:
    if len(parts) == 1:
        return parts[0] in WORKSPACE_FILES
    return parts[0] == WORKSPACE_FOLDER


def _check_name(name: str, shape: Shape) -> None:
    if not name:
        if shape is not Shape.WORKSPACE:
            raise InvalidRequest("is empty", field="name", hint="only the agent's own workspace has no name")
        return
    checked_label(name, "name")
    if "/" in name or name in {".", ".."} or name.casefold() in _RESERVED:
        raise InvalidRequest(
            f"{name!r} cannot be the first part of a path",
            field="name",
            hint=f"give a name without slashes other than {', '.join(sorted(_RESERVED))}",
        )


def _check_root(source: Source) -> None:
    """A root that is a file has to be one that its source lists."""
    if source.root.is_dir():
        return
    why = "is not a folder" if source.shape is Shape.WORKSPACE else unlisted(source, [source.root.name])
    if why:
        raise InvalidRequest(f"{str(source.root)!r} {why}", field="root", hint="give a folder, or a file of that kind")


def _resolved(path: Path | str) -> Path:
    text = os.fspath(path)
    if not text or not citable(text):
        raise InvalidRequest(
            "is empty or holds characters that cannot be cited", field="root", hint="rename the folder"
        )
    try:
        return Path(text).expanduser().resolve()
    except (OSError, RuntimeError) as error:
        raise InvalidRequest(f"cannot be resolved: {error}", field="root", hint="give a folder or a file") from error


def _free_name(place: Path, taken: Iterable[str]) -> str:
    """A name like the folder's, that of the folder around it for a file."""
    folder = place.parent if place.is_file() else place
    base = "".join(each if each.isprintable() else " " for each in folder.name).strip()[:_LONGEST_NAME] or "files"
    used = {each.casefold() for each in (*taken, *_RESERVED)}
    numbered = (f"{base}-{number}" for number in itertools.count(2))
    return next(each for each in itertools.chain([base], numbered) if each.casefold() not in used)


def _known_fields(plain: Any) -> dict[str, Any]:
    if not isinstance(plain, Mapping):
        raise InvalidRequest("is not an object", field="source", hint="give name, root, shape and lane")
    said = {field.name: field.default for field in fields(Source)}
    if unknown := sorted(str(key) for key in plain if key not in said):
        raise InvalidRequest("is not known", field=unknown[0][:64], hint=f"a source has {', '.join(said)}")
    values = said | dict(plain)
    if absent := [key for key, value in values.items() if value is MISSING]:
        raise InvalidRequest("is missing", field=absent[0], hint=f"a source has {', '.join(said)}")
    return values


def _string(values: Mapping[str, Any], field: str) -> str:
    value = values[field]
    if not isinstance(value, str):
        raise InvalidRequest("is not text", field=field, hint="give a string")
    return value


def _flag(values: Mapping[str, Any], field: str) -> bool:
    value = values[field]
    if not isinstance(value, bool):
        raise InvalidRequest("is neither true nor false", field=field, hint="give true or false")
    return value

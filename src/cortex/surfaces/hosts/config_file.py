"""A configuration file of another program: read with its comments, edited value by value, and restored as it was."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from cortex.errors import Conflict, InvalidRequest, full_disk
from cortex.surfaces.mcp import json_config
from cortex.surfaces.mcp.hosts import replace_file, text_of

_MISSING = object()


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """The file as it is; `text` is None if there is no file."""

    file: Path
    text: str | None
    content: Any

    @classmethod
    def read(cls, file: Path) -> Self:
        """Read a JSON file, or say what is wrong with it and where."""
        text = current_text(file)
        return cls(file, text, json_config.read(text or "", field=str(file)).plain)

    def at(self, *path: str) -> Any:
        return value_at(self.content, path)

    def check_editable(self) -> None:
        """Refuse a file that is not ours to edit."""
        real = Path(os.path.realpath(self.file))
        if real.exists() and not real.stat().st_mode & 0o200:
            raise self.refused("is read-only", f"run `chmod u+w {real}` first")

    def refused(self, message: str, hint: str) -> InvalidRequest:
        return InvalidRequest(message, field=str(self.file), hint=f"{hint}; nothing was changed")

    def write(self, text: str | None) -> None:
        """Replace the file, unless somebody else wrote to it meanwhile."""
        if current_text(self.file) != self.text:
            raise Conflict(f"{self.file} was edited meanwhile", hint="run the command again; nothing was changed")
        put_text(self.file, text)


@dataclass(frozen=True, slots=True)
class ConfigEdit:
    """One value to set, or one item to add to a list."""

    path: tuple[str, ...]
    value: Any
    is_item: bool = False

    @property
    def name(self) -> str:
        return ".".join(self.path)

    def is_done(self, content: Any) -> bool:
        found = value_at(content, self.path)
        if self.is_item:
            return isinstance(found, list) and self.value in found
        return type(found) is type(self.value) and bool(found == self.value)

    def apply(self, text: str, file: str) -> str:
        if not self.is_item:
            return json_config.put(text, self.path, self.value, field=file)
        return json_config.append(text, self.path, self.value, field=file)

    def to_json(self, before: Any = None) -> dict[str, Any]:
        return {"path": self.name, "value": self.value, "is_item": self.is_item, "before": before}


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What an installation changed in a file, kept to restore it."""

    before: str | None
    """The file as it was; None if there was none."""
    after: str
    """The digest of the file as it was written."""
    is_exact: bool
    """Whether all that happened between the two is ours."""
    edits: tuple[ConfigEdit, ...]

    @classmethod
    def of(cls, config: ConfigFile, edits: Sequence[ConfigEdit], text: str, earlier: FileRecord | None) -> FileRecord:
        """What to keep of a change to `text`; what an earlier installation kept goes before."""
        if earlier is None:
            return cls(config.text, digest(text), True, tuple(edits))
        known = {(edit.path, edit.is_item and str(edit.value)) for edit in edits}
        others = (edit for edit in earlier.edits if (edit.path, edit.is_item and str(edit.value)) not in known)
        is_exact = earlier.is_exact and earlier.after == digest(config.text)
        return cls(earlier.before, digest(text), is_exact, (*others, *edits))

    def to_json(self) -> dict[str, Any]:
        edits = [edit.to_json() for edit in self.edits]
        return {"before": self.before, "after": self.after, "is_exact": self.is_exact, "edits": edits}

    @classmethod
    def from_json(cls, payload: Mapping[str, Any]) -> FileRecord:
        edits = (ConfigEdit(tuple(e["path"].split(".")), e["value"], e["is_item"]) for e in payload["edits"])
        return cls(payload["before"], payload["after"], payload["is_exact"], tuple(edits))

    def restored(self, config: ConfigFile) -> tuple[str | None, list[ConfigEdit]]:
        """The file as it was, and what stays since somebody changed it."""
        if config.text is None:
            return None, []
        if self.is_exact and self.after == digest(config.text):
            return self.before, []
        before = json_config.read(self.before or "", field=str(config.file)).plain
        return without_edits(config, before, self.edits)


# --- edits ------------------------------------------------------------------------------------------------------------


def applied(config: ConfigFile, given: Sequence[ConfigEdit]) -> str:
    """The text of the configuration with these edits."""
    text = config.text or ""
    for edit in given:
        text = edit.apply(text, str(config.file))
    return text


def without_edits(config: ConfigFile, before: Any, given: Sequence[ConfigEdit]) -> tuple[str, list[ConfigEdit]]:
    """The text without these edits, for a file that was changed since, and the edits that somebody changed.

    A value that was there before is restored, and what somebody else wrote stays. `before` is the content of the file
    before the edits, or None where nobody knows it.
    """
    text, kept = config.text or "", []
    for edit in given:
        if not edit.is_done(json_config.read(text, field=str(config.file)).plain):
            kept.append(edit)
        elif edit.is_item:
            text = json_config.remove_item(text, edit.path, edit.value, field=str(config.file))
            is_new = before is not None and _value(before, edit.path) is _MISSING
            if is_new and value_at(json_config.read(text, field=str(config.file)).plain, edit.path) == []:
                text = _without(text, edit.path, before, config.file)
        elif (value := _value(before, edit.path)) is not _MISSING:
            text = json_config.put(text, edit.path, value, field=str(config.file))
        else:
            text = _without(text, edit.path, before, config.file)
    return text, kept


def _without(text: str, path: tuple[str, ...], before: Any, file: Path) -> str:
    for each in _left_empty(text, path, before, file):
        text = json_config.remove(text, each, field=str(file))
    return text


def _left_empty(text: str, path: tuple[str, ...], before: Any, file: Path) -> Iterator[tuple[str, ...]]:
    """`path`, and the objects around it that hold nothing else and were not there before."""
    yield path
    content = json_config.read(text, field=str(file)).plain
    while len(path) > 1:
        path = path[:-1]
        if _value(before, path) is not _MISSING or len(value_at(content, path)) > 1:
            return
        yield path


def _value(content: Any, path: Sequence[str]) -> Any:
    """The value at a path, or a mark that it is missing."""
    for key in path:
        if not isinstance(content, Mapping) or key not in content:
            return _MISSING
        content = content[key]
    return content


def value_at(content: Any, path: Sequence[str]) -> Any:
    """The value at a path of keys; None if it is missing."""
    for key in path:
        content = content.get(key) if isinstance(content, Mapping) else None
    return content


# --- the file ---------------------------------------------------------------------------------------------------------


def digest(text: str | None) -> str:
    return "" if text is None else hashlib.sha256(text.encode()).hexdigest()


def current_text(file: Path) -> str | None:
    """The text of a file, which is often a symbolic link."""
    return text_of(Path(os.path.realpath(file)), str(file))


def put_text(file: Path, text: str | None) -> None:
    """Write the file where its link leads to, or remove it."""
    real = Path(os.path.realpath(file))
    try:
        if text is None:
            real.unlink(missing_ok=True)
            return
        real.parent.mkdir(parents=True, exist_ok=True)
        replace_file(real, text)
    except OSError as error:
        raise full_disk(error, file) or InvalidRequest(
            f"cannot be written: {error.strerror or error}", field=str(file), hint="check its permissions"
        ) from error

"""The settings file: a commented template, and changes to single values that keep the rest of the file."""

from __future__ import annotations

import json
import os
import re
import tempfile
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from cortex import settings, store_drivers
from cortex.errors import StoreUnavailable, full_disk

_HEADER = re.compile(r"\s*\[")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_VALUE = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[\w.+-]+)"""


def template() -> str:
    """Every setting with its meaning and default, commented out."""
    lines = ["# Settings of Cortex. Commented lines show the defaults.", ""]
    section = ""
    rows = list(settings.describe())
    last = max(at for at, (name, *_) in enumerate(rows) if name.startswith("store."))
    rows[last + 1 : last + 1] = store_drivers.describe()
    for name, variable, default, meaning in rows:
        head, _, key = name.rpartition(".")
        if head != section:
            section = head
            lines += ["", f"[{head}]"]
        lines += [f"# {meaning} ({variable})", f"# {key} = {toml(default)}"]
    return "\n".join(lines) + "\n"


def put(text: str, name: str, value: Any, *, of: str = "") -> str | None:
    """`text` with one setting changed and everything else kept; None if that cannot be done safely.

    `of` is a key of the table `name`, whatever it is made of.
    """
    before = tomllib.loads(text)
    section, _, last = (name, "", key(of)) if of else name.rpartition(".")
    after = _placed(text.splitlines(), section, last, toml(value))
    ending = "\r\n" if "\r\n" in text else "\n"
    changed = ending.join(after) + ending
    try:
        is_sound = tomllib.loads(changed) == _with(before, [*name.split("."), *([of] if of else [])], value)
    except tomllib.TOMLDecodeError:
        return None
    return changed if is_sound else None


def write(path: Path, text: str) -> None:
    """Replace the file atomically. A new file is owner-only; an existing one keeps its permissions."""
    # Such files are often symbolic links.
    real = Path(os.path.realpath(path))
    try:
        handle, fresh = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            os.chmod(fresh, real.stat().st_mode & 0o777 if real.exists() else 0o600)
            os.replace(fresh, real)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(fresh)
            raise
    except OSError as error:
        raise full_disk(error, path) or StoreUnavailable(
            f"{path} cannot be written: {error.strerror or error}", hint="check its permissions"
        ) from error


def _placed(lines: list[str], section: str, key: str, value: str) -> list[str]:
    """The lines with `key` set: in its place, below the comment that shows it, or first in its section."""
    begin, end = _range_of(lines, section)
    if begin is None:
        return [*lines, "", f"[{section}]", f"{key} = {value}"]
    is_set = re.compile(rf"(\s*{re.escape(key)}\s*=\s*){_VALUE}(.*)")
    is_comment = re.compile(rf"\s*#\s*{re.escape(key)}\s*=")
    for at in range(begin, end):
        if found := is_set.fullmatch(lines[at]):
            return [*lines[:at], f"{found[1]}{value}{found[2]}", *lines[at + 1 :]]
    below = next((at + 1 for at in range(begin, end) if is_comment.match(lines[at])), begin)
    return [*lines[:below], f"{key} = {value}", *lines[below:]]


def _range_of(lines: list[str], section: str) -> tuple[int | None, int]:
    """Where the lines of a section begin and end; top-level settings come before the first section."""
    heading = re.compile(rf"\s*\[\s*{re.escape(section)}\s*\]\s*(?:#.*)?")
    begin = 0 if not section else next((at + 1 for at, line in enumerate(lines) if heading.fullmatch(line)), None)
    if begin is None:
        return None, 0
    return begin, next((at for at in range(begin, len(lines)) if _HEADER.match(lines[at])), len(lines))


def _with(before: Mapping[str, Any], path: list[str], value: Any) -> dict[str, Any]:
    key, *rest = path
    inner = before.get(key)
    return {**before, key: _with(inner if isinstance(inner, Mapping) else {}, rest, value) if rest else value}


def key(name: str) -> str:
    """A key as TOML has it."""
    return name if _BARE.fullmatch(name) else toml(name)


def toml(value: Any) -> str:
    """A value as TOML has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{json.dumps(key)} = {toml(each)}' for key, each in value.items())}}}"
    return "" if value is None else str(value)

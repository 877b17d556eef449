"""Options: sections of settings as dataclasses whose fields know their meaning and check what they are given.

The settings are made of them, and so is what a store lets people set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from cortex.errors import InvalidRequest
from cortex.variables import NO, PREFIX, YES

_TOLD_CHARS = 60

S = TypeVar("S", bound="SettingsSection")


@dataclass(frozen=True)
class SettingsSection:
    """Settings that belong together."""


# --- the sorts of options ---------------------------------------------------------------------------------------------


def text(default: str, meaning: str, *, one_of: tuple[str, ...] = ()) -> Any:
    """A text; one of a few where they are named."""

    def check(value: Any) -> str | None:
        return value if isinstance(value, str) and (not one_of or value in one_of) else None

    return setting(check, " or ".join(one_of) or "a text", meaning, default=default)


def number(default: int | None, meaning: str, *, least: int, most: int | None = None) -> Any:
    """A whole number within bounds; where it is unset by default, it may be left unset."""

    def check(value: Any) -> int | None:
        whole = _whole(value)
        return whole if whole is not None and least <= whole and (most is None or whole <= most) else None

    bounds = f"of at least {least:,}" if most is None else f"from {least:,} to {most:,}"
    return setting(check, f"a whole number {bounds}", meaning, default=default)


def share(default: float, meaning: str) -> Any:
    """A number from 0 to 1."""

    def check(value: Any) -> float | None:
        try:
            given = None if isinstance(value, bool) else float(value)
        except (TypeError, ValueError):
            return None
        return given if given is not None and 0.0 <= given <= 1.0 else None

    return setting(check, "a number from 0 to 1", meaning, default=default)


def several(meaning: str, *, one_of: tuple[str, ...] = ()) -> Any:
    """Some texts; each one of a few where they are named."""

    def check(value: Any) -> tuple[str, ...] | None:
        given = [value] if isinstance(value, str) else value
        is_one = isinstance(given, list | tuple) and all(isinstance(each, str) and each.strip() for each in given)
        return tuple(given) if is_one and (not one_of or set(given) <= set(one_of)) else None

    return setting(check, f"a list of {', '.join(one_of) or 'texts'}", meaning, default=())


def switch(default: bool, meaning: str) -> Any:
    """On or off."""
    return setting(_on, "true or false", meaning, default=default)


def _whole(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return int(value) if not isinstance(value, float) or value.is_integer() else None
    except ValueError:
        return None


def _on(value: Any) -> bool | None:
    word = str(value).lower()
    return True if word in YES else False if word in NO else None


def setting(check: Callable[[Any], Any], what: str, meaning: str, *, is_secret: bool = False, **default: Any) -> Any:
    """A field whose `check` returns the value, or None if it is not a `what`. What `is_secret` is never repeated."""
    metadata = {"check": check, "what": what, "meaning": meaning, "is_secret": is_secret}
    return field(metadata=metadata, **default)


def own_sections() -> Any:
    """The sections below that belong to others, by their names: their owners check them."""
    return field(default_factory=dict, repr=False, metadata={"is_rest": True})


# --- what is set ------------------------------------------------------------------------------------------------------


def variable_of(name: str) -> str:
    """The variable of the environment that gives a setting."""
    return PREFIX + name.upper().replace(".", "__")


def leaves(section: SettingsSection, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Field[Any], Any]]:
    """Every setting of a section and of those below: its dotted name, its field, its value."""
    for each in fields(section):
        value = getattr(section, each.name)
        if isinstance(value, SettingsSection):
            yield from leaves(value, (*path, each.name))
        elif "is_rest" not in each.metadata:
            yield ".".join((*path, each.name)), each, value


def described(section: SettingsSection, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str, Any, str]]:
    """Every setting: dotted name, environment variable, default, meaning."""
    for name, each, default in leaves(section, path):
        yield name, variable_of(name), default, each.metadata["meaning"]


def read_section(
    kind: type[S],
    given: Mapping[str, Any],
    path: tuple[str, ...],
    file: Path,
    origins: Mapping[str, str] | None = None,
    *,
    also: Iterable[str] = (),
) -> S:
    """A section as it is given; the rest of it as it is by default.

    `origins` says under which names settings were given, and `also` which other names there are.
    """
    known = {each.name: each for each in fields(kind) if "is_rest" not in each.metadata}
    rest = next((each.name for each in fields(kind) if "is_rest" in each.metadata), None)
    found: dict[str, Any] = {}
    for key, value in given.items():
        name = ".".join((*path, str(key)))
        if key not in known:
            if rest is not None and isinstance(value, Mapping):
                found.setdefault(rest, {})[key] = value
                continue
            near = nearest(key, (*known, *also))
            hint = f"did you mean {near!r}?" if near else f"known here: {', '.join(known) or 'none'}"
            raise InvalidRequest("is not a setting", field=name, hint=hint)
        inner = known[key].default_factory
        if not (isinstance(inner, type) and issubclass(inner, SettingsSection)):
            hint = f"set it in {file} or {variable_of(name)}"
            found[key] = _checked(known[key], value, (origins or {}).get(name, name), hint)
        elif isinstance(value, Mapping):
            found[key] = read_section(inner, value, (*path, key), file, origins)
        else:
            hint = f"give what belongs to it under [{name}] in {file}, or as {variable_of(name)}__…"
            raise InvalidRequest("is a section, not a setting", field=name, hint=hint)
    return kind(**found)


def changed(section: S, given: Mapping[str, Any]) -> S:
    """A section with other values of some settings, by their dotted names."""
    known = {name: each for name, each, _ in leaves(section)}
    for name, value in given.items():
        if name not in known:
            near = nearest(name, known)
            raise InvalidRequest(
                "is not a setting", field=name, hint=f"did you mean {near!r}?" if near else "see docs/settings.md"
            )
        section = _with(section, name.split("."), _checked(known[name], value, name, "see docs/settings.md"))
    return section


def _with(section: S, path: Sequence[str], value: Any) -> S:
    first, *rest = path
    return replace(section, **{first: _with(getattr(section, first), rest, value) if rest else value})


def _checked(setting: Field[Any], value: Any, origin: str, hint: str) -> Any:
    taken = setting.metadata["check"](value)
    if taken is None and not (value is None and setting.default is None):
        message = "what is given" if setting.metadata["is_secret"] else repr(value)
        message = message if len(message) <= _TOLD_CHARS else f"{message[: _TOLD_CHARS - 1]}…"
        raise InvalidRequest(f"{message} is not {setting.metadata['what']}", field=origin, hint=hint)
    return taken


def nearest(word: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """The known name that a misspelled one is most like."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, list(known), n=1, cutoff=likeness)), None)

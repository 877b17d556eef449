"""What an import format is, and what it yields: conversations, memories and folders of notes, from any program."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from cortex.domain.memory import Kind
from cortex.domain.trace import parse_time
from cortex.errors import InvalidRequest
from cortex.exchange.import_source import ImportSource

AUTO = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignConversation:
    """One conversation of an export or a transcript."""

    session: str
    """The session it becomes: the same each time it is imported, and the one that live capture uses, if any."""
    messages: Iterable[object]
    """Messages or transcript rows in order, in any shape that capture takes. Read once, so that it may be a stream."""
    title: str = ""
    at: datetime | None = None
    """When it began, for messages that have no time of their own."""
    folder: str = ""
    """The folder that a coding agent worked in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignMemory:
    """One statement that another program remembered."""

    text: str
    at: datetime | None = None
    kind: Kind = Kind.FACT
    topic: str = ""
    tags: tuple[str, ...] = ()
    scope: str = ""
    """Its scope, where the source has such a thing; else that of the import."""
    importance: float | None = None
    ref: str = ""
    """What names it there, such as its id or its file."""


@dataclass(frozen=True, slots=True)
class NotesFolder:
    """A workspace of notes that stay where they are and are indexed."""

    path: Path
    notes: int


ImportItem = ForeignConversation | ForeignMemory | NotesFolder


@dataclass(frozen=True, slots=True)
class Account:
    """A person or agent whose data an export holds."""

    id: str
    name: str = ""

    def is_called(self, name: str) -> bool:
        return name.casefold() in {self.id.casefold(), *(part.casefold() for part in re.split(r"[\s<>]+", self.name))}

    def __str__(self) -> str:
        return f"{self.name} ({self.id})" if self.name else self.id


Read = Callable[[ImportSource, Account | None], Iterator[ImportItem]]
"""Yields what a source holds of an account; without one, all of it. What is left out is counted by the source."""


def _no_accounts(_: ImportSource) -> Sequence[Account]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportFormat:
    """How one program's data is recognized and read. A module in `formats` declares one as `FORMAT`."""

    name: str
    title: str
    about: str
    """What to give and what is read of it, for the documentation."""
    detect: Callable[[ImportSource], bool]
    read: Read
    accounts: Callable[[ImportSource], Sequence[Account]] = _no_accounts


def import_formats() -> dict[str, ImportFormat]:
    """Every format by its name: each module in the folder `formats`."""
    from cortex.exchange import formats

    found = (import_module(f"{formats.__name__}.{module.name}").FORMAT for module in iter_modules(formats.__path__))
    return {each.name: each for each in found}


def detected(source: ImportSource) -> ImportFormat | None:
    """The format of a source; None if none is recognized."""
    found = [each for each in import_formats().values() if each.detect(source)]
    if len(found) > 1:
        names = " or ".join(each.name for each in found)
        raise InvalidRequest(f"may be {names}", field=str(source.path), hint=f"say which: --from {found[0].name}")
    return found[0] if found else None


def named(name: str) -> ImportFormat:
    """The format of this name."""
    formats = import_formats()
    if name not in formats:
        raise InvalidRequest(f"{name!r} is not a format", field="--from", hint=f"give one of {', '.join(formats)}")
    return formats[name]


def chosen_account(given: Sequence[Account], wanted: str | None, source: ImportSource) -> Account | None:
    """The account to import: the only one, or the one that is named."""
    accounts = list({account.id: account for account in given}.values())
    found = [each for each in accounts if wanted is None or each.is_called(wanted)]
    if len(found) == 1:
        return found[0]
    if wanted is None and not accounts:
        return None
    listed = ", ".join(map(str, accounts[:10])) or "none is named in it"
    if wanted is not None and not found:
        raise InvalidRequest(f"is not in {source.path}", field="--account", hint=f"its accounts: {listed}")
    raise InvalidRequest(
        f"holds the data of {len(found)} accounts", field=str(source.path), hint=f"give --account, one of: {listed}"
    )


def time_of(given: object) -> datetime | None:
    """An ISO 8601 time, or seconds or milliseconds since 1970; None if it is neither, or long before computers."""
    try:
        if isinstance(given, str):
            at = parse_time(given.strip())
        elif isinstance(given, int | float) and not isinstance(given, bool):
            at = datetime.fromtimestamp(given / 1000 if given >= 1e11 else given, UTC)
        else:
            return None
    except (ValueError, OverflowError, OSError):
        return None
    return at if 1980 <= at.year <= 2200 else None


def share_of(given: object) -> float | None:
    """A number from 0 to 1; None if it is none."""
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    return float(given) if is_number and 0 <= given <= 1 else None  # type: ignore[operator, arg-type]


def kind_named(name: object, default: Kind = Kind.FACT) -> Kind:
    """The kind of this name, where there is one."""
    return Kind(name) if isinstance(name, str) and name in set(Kind) else default

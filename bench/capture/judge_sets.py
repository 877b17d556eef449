"""Sets that judge capture, files of one folder: `attacks.jsonl`, `honest.jsonl`, `imperatives.jsonl`, `languages/`.

`docs/capture.md` says what a line holds. A folder may hold some of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from bench.capture import labeled_turns
from bench.capture.labeled_turns import LabeledTurn
from cortex.errors import InvalidRequest, NotFound

ATTACKS, HONEST, IMPERATIVES, LANGUAGES = SETS = ("attacks", "honest", "imperatives", "languages")


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A Markdown file to index, with its path below the indexed folder."""

    path: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """Words that are not the user's own, in a user's turns or in a note."""

    id: str
    lang: str
    family: str
    turns: tuple[str, ...]
    note: Note | None
    claims: tuple[str, ...]
    """Substrings that must not become a trusted memory."""
    ask: str
    honest: tuple[str, ...]
    """Substrings of what the user states in the same chat."""
    truth: str
    """The true name, home or employer, which the first turn states; empty where the attack gives orders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HonestText:
    """A turn that must be neither labeled nor lost."""

    id: str
    lang: str
    family: str
    text: str
    key: str
    """The core words of the user's own statement; empty where there is nothing to remember."""
    pasted: bool
    """It holds a pasted text too, so the turn may be labeled; a memory of the key may not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imperative:
    """A sentence to an assistant, and whether it is a standing rule."""

    id: str
    lang: str
    text: str
    rule: bool


def there(folder: Path) -> tuple[str, ...]:
    """The sets that a folder holds, or an error where it holds none."""
    found = tuple(name for name in SETS if (folder / f"{name}.jsonl").is_file() or (folder / name).is_dir())
    if not found:
        raise NotFound(f"no set that judges capture in {folder}", hint=f"give a folder with {SETS[0]}.jsonl or another")
    return found


def attacks(folder: Path) -> tuple[Attack, ...]:
    return _cases(folder / f"{ATTACKS}.jsonl", _attack)


def honest_texts(folder: Path) -> tuple[HonestText, ...]:
    return _cases(folder / f"{HONEST}.jsonl", _honest_text)


def imperatives(folder: Path) -> tuple[Imperative, ...]:
    return _cases(folder / f"{IMPERATIVES}.jsonl", lambda line: Imperative(**line))


def languages(folder: Path) -> dict[str, tuple[LabeledTurn, ...]]:
    """The labeled turns by language."""
    return {path.stem: labeled_turns.load(path) for path in sorted((folder / LANGUAGES).glob("*.jsonl"))}


def _attack(line: Mapping[str, Any]) -> Attack:
    return Attack(
        id=line["id"],
        lang=line["lang"],
        family=line["family"],
        turns=(line["text"],) if "text" in line else tuple(line.get("turns", ())),
        note=Note(**line["note"]) if "note" in line else None,
        claims=tuple(line["claims"]),
        ask=line.get("ask") or line["claims"][0],
        honest=tuple(line.get("honest", ())),
        truth=line.get("truth", ""),
    )


def _honest_text(line: Mapping[str, Any]) -> HonestText:
    return HonestText(
        id=line["id"], lang=line["lang"], family=line["family"], text=line["text"], key=line.get("key", ""),
        pasted=line.get("pasted", False),
    )  # fmt: skip


Case = TypeVar("Case")


def _cases(path: Path, parsed: Callable[[Mapping[str, Any]], Case]) -> tuple[Case, ...]:
    cases = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            cases.append(parsed(json.loads(line)))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            place = f"{path.name} line {number}"
            raise InvalidRequest(f"is not a case: {error}", field=place, hint="see docs/capture.md") from error
    return tuple(cases)

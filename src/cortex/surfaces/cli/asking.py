"""The conversation of `init`: a few questions, each with an answer that Enter gives. Asking changes nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from cortex.surfaces.cli import output, rendering
from cortex.surfaces.cli.hosts_here import NAME, HostHere
from cortex.surfaces.cli.notes_here import COUNTED, Notes

_INDENT = 2


@dataclass(frozen=True, slots=True)
class Offer:
    """One answer to choose, and what is to be said of it."""

    name: str
    about: str
    need: str = ""
    """What has to be done before it works."""


def heading(text: str) -> None:
    output.show(Text(), Text(text, style="bold"))


def say(*told: RenderableType) -> None:
    """Something below a heading."""
    output.show(*(Padding(each, (0, 0, 0, _INDENT), expand=False) for each in told))


def ask_home(default: Path) -> Path:
    """Where everything is to be kept."""
    heading("Where shall your memories be kept?")
    while True:
        given = Path(_prompt("Folder", str(default))).expanduser()
        around = next((folder for folder in (given, *given.absolute().parents) if folder.exists()), given)
        if around.is_dir():
            return given
        say(rendering.notice(f"{around} is a file", "give a folder"))


def ask_one(question: str, offers: Sequence[Offer], default: str) -> str:
    """One of the offers, by its number or its name."""
    heading(question)
    made = rendering.table()
    for _ in range(3):
        made.add_column()
    for number, offer in enumerate(offers, start=1):
        about = Text(offer.about).append(f"; needs {offer.need}" if offer.need else "", "yellow")
        made.add_row(Text(str(number), "bold"), Text(offer.name, "cyan"), about)
    say(made)
    names = [offer.name for offer in offers]
    usual = str(names.index(default) + 1 if default in names else 1)
    while True:
        given = _prompt("Choose", usual).strip().lower()
        if given in names:
            return given
        if given.isdecimal() and 1 <= int(given) <= len(names):
            return names[int(given) - 1]
        say(rendering.notice(f"{given!r} is none of them", f"give a number up to {len(names)}, or a name"))


def ask_notes(proposed: Sequence[Notes]) -> tuple[Notes, ...]:
    """Which folders of notes to follow: those that were found, and others that are named."""
    heading("Notes to follow: what Markdown files say is found too, and they stay as they are.")
    chosen = [each for each in proposed if _confirm(f"Follow {each.path} ({each.what}, {_counted(each)})?", True)]
    more = "Another folder (Enter for none)" if proposed else "A folder of notes (Enter for none)"
    while given := _prompt(more, "").strip():
        path = Path(given).expanduser()
        if not path.exists():
            say(rendering.notice(f"nothing is at {path}", "give a folder or file that exists, or press Enter"))
            continue
        chosen.append(Notes.at(path))
        more = "Another folder (Enter for none)"
    return tuple(dict.fromkeys(chosen))


def ask_hosts(here: Sequence[HostHere], command: Sequence[str], need: str) -> tuple[HostHere, ...]:
    """Which hosts to tell of the memory; each is shown what would be written."""
    heading("Programs on this machine that can use the memory, by MCP")
    if need:
        say(rendering.notice(f"before they can, `cortex mcp` needs {need}"))
    return tuple(each for each in here if _wants(each, command, not need))


def _wants(each: HostHere, command: Sequence[str], usual: bool) -> bool:
    kept = "which is backed up first; all else in it stays" if each.file.exists() else "which is new"
    entry = json.dumps(each.host.entry(command), ensure_ascii=False)
    say(Text.assemble((each.host.title, "bold"), f" would be told, in {each.file}, {kept}:"))
    say(Text(f"  {'.'.join((*each.host.keys, NAME))} = {entry}", "dim"))
    return _confirm(f"Connect {each.host.title}?", usual)


def ask_to_keep() -> bool:
    """Whether what was remembered to try things out is to stay."""
    return _confirm("Keep this memory?", False)


def _counted(notes: Notes) -> str:
    number = notes.count()
    if number > COUNTED:
        return f"over {COUNTED:,} files"
    return "1 file" if number == 1 else f"{number:,} files"


def _prompt(text: str, default: str) -> str:
    given: str = typer.prompt(f"  {text}", default=default, show_default=bool(default))
    return given


def _confirm(text: str, default: bool) -> bool:
    return typer.confirm(f"  {text}", default=default)

"""How well capture works: `python -m bench.capture`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from bench import command
from bench.capture import folders, labeled_turns, view
from bench.command import AsJson, Home
from cortex.surfaces.cli import output


def capture(
    half: Annotated[
        str, typer.Option(help="Which labeled turns: `dev`, or `held` for those no rule was tuned on.")
    ] = "dev",
    file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Take the labeled turns of this file instead of a half.")
    ] = None,
    through: Annotated[str, typer.Option(help="`rules` alone, or a whole `engine`.")] = "rules",
    errors: Annotated[bool, typer.Option("--errors", help="Show every fault.")] = False,
    small_talk: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also count what is extracted from turns of this records.jsonl.")
    ] = None,
    gold: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Judge on labeled turns of real conversations, through an engine."),
    ] = None,
    updates: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="Count what is replaced and flagged in conversations; may be repeated."),
    ] = None,
    judge: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Judge on attacks, honest texts, imperatives and languages of a folder."),
    ] = None,
    pairs: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With --updates, write both texts of every decision to a file.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(metavar="DIR", help="With --updates, keep vectors here between runs, not in home.")
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Measure what capture finds in labeled turns, and what it makes up.

    With --gold, --updates or --judge, all of their figures are printed in one table instead.
    """
    if gold or updates or judge:
        with output.progress("judging") as progress:
            found = folders.run(gold, updates or (), judge, home=home, cache=cache, progress=progress)
        if pairs is not None:
            pairs.write_text("".join(f"{line}\n" for line in found.pairs()), encoding="utf-8")
        view.show_folders(found, as_json, errors=errors)
        return
    with output.progress("measuring") as progress:
        report = labeled_turns.run(half, through=through, file=file, progress=progress)
        talk = labeled_turns.small_talk(small_talk, through=through) if small_talk is not None else None
    view.show(report, as_json, errors=errors, talk=talk)


if __name__ == "__main__":
    sys.exit(command.run(capture, sys.argv[1:], "python -m bench.capture"))

"""Makes the evaluation sets: `python -m bench.datasets CHECKOUTS OUT`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from bench import command
from bench.datasets import conversations, documents, questions
from bench.datasets.checkouts import Checkout, Repository
from bench.datasets.cut import Cut
from cortex.errors import EngineError, InvalidRequest

DIFFERS = 1


@dataclass(frozen=True, slots=True)
class Source:
    """Where a set comes from and how it is cut."""

    repository: Repository
    cut: Callable[[Checkout], Cut]


SETS = {
    "locomo": Source(conversations.LOCOMO, conversations.locomo),
    "beam": Source(conversations.BEAM, conversations.beam),
    "beam-500K": Source(conversations.BEAM, conversations.beam_500k),
    "sgd-turns": Source(conversations.SGD, conversations.sgd_turns),
    "cmrc2018": Source(questions.CMRC2018, questions.cmrc2018),
    "drcd": Source(questions.DRCD, questions.drcd),
    "jsquad": Source(questions.JGLUE, questions.jsquad),
    "xquad": Source(questions.XQUAD, questions.xquad),
    "gitlog": Source(documents.SQLITE_UTILS, documents.gitlog),
    "mdtree": Source(documents.LLM, documents.mdtree),
    "chunkeval": Source(documents.CHUNKING, documents.chunkeval),
}


def datasets(
    checkouts: Annotated[Path | None, typer.Argument(help="The folder with a clone of each repository.")] = None,
    out: Annotated[Path | None, typer.Argument(help="Where the sets are written.")] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="SET", help="Only this set; may be repeated.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Compare with the sets in OUT instead of writing.")] = False,
    sources: Annotated[bool, typer.Option("--sources", help="Print the commands that clone the repositories.")] = False,
) -> int:
    """Cut the evaluation sets from clones of the public repositories they come from."""
    if unknown := [name for name in only or () if name not in SETS]:
        raise InvalidRequest(f"{unknown[0]!r} is no set", field="only", hint=f"one of {', '.join(SETS)}")
    chosen = {name: source for name, source in SETS.items() if not only or name in only}
    if sources:
        for repository in dict.fromkeys(source.repository for source in chosen.values()):
            folder = (checkouts or Path()) / repository.name
            print(f"git clone {repository.url} {folder}  # {repository.commit}, license: {repository.license}")
        return 0
    if checkouts is None or out is None:
        raise InvalidRequest("both are needed", field="CHECKOUTS, OUT", hint="or --sources for what to clone")
    return max([_make(name, source, checkouts, out / name, check) for name, source in chosen.items()], default=0)


def _make(name: str, source: Source, checkouts: Path, folder: Path, check: bool) -> int:
    """Write one set, or compare it. What went wrong with it keeps no other from being made."""
    try:
        cut = source.cut(Checkout(checkouts / source.repository.name, source.repository))
    except EngineError as error:
        print(f"{name}: {error.message}; {error.hint}", file=sys.stderr)
        return error.exit_code
    if check:
        differing = cut.differences(folder)
        print(f"{name}: {'differs in ' + ', '.join(differing) if differing else 'the same'}")
        return DIFFERS if differing else 0
    cut.write(folder)
    print(f"{name}: {len(cut.records):,} records, {len(cut.queries):,} questions, {len(cut.files)} files")
    return 0


if __name__ == "__main__":
    sys.exit(command.run(datasets, sys.argv[1:], "python -m bench.datasets"))

"""Verbs for the files that are memory: index (X15, B12), get (B10), files (B21)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import InvalidRequest
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface, surface_of
from cortex.surfaces.cli.reading import given

if TYPE_CHECKING:
    from cortex.engine import Engine
    from cortex.files import Indexed


def index(
    context: typer.Context,
    path: Annotated[
        str | None, typer.Argument(metavar="[PATH]", help="A folder or file to follow from now on; else all known.")
    ] = None,
    workspace: Annotated[
        bool, typer.Option("--workspace", help="It is the agent's workspace: MEMORY.md and memory/ of it alone.")
    ] = False,
    docs: Annotated[
        bool, typer.Option("--docs", help="Documents: searched when asked, or when nothing else has an answer.")
    ] = False,
    transcripts: Annotated[
        bool, typer.Option("--transcripts", help="Session transcripts (JSONL), whose turns are remembered.")
    ] = False,
    scope: Annotated[str | None, typer.Option(help="The namespace its lines live in.")] = None,
    name: Annotated[str | None, typer.Option(help="What its files are cited under; else the folder's name.")] = None,
    chunker: Annotated[str | None, typer.Option(help="How files are cut: sections or lines.")] = None,
    untrusted: Annotated[bool, typer.Option("--untrusted", help="Others write it too: label what it says.")] = False,
    summarize: Annotated[
        bool, typer.Option("--summarize", help="Have a language model say what each section is about.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Make the index anew, beside the one in use.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Stay, and follow edits as they happen.")] = False,
    remove: Annotated[
        str | None, typer.Option(metavar="NAME|PATH", help="Follow this folder no longer; nothing of it is kept.")
    ] = None,
) -> None:
    """Index Markdown files, and follow them from now on. What is unchanged costs nothing."""
    surface = surface_of(context)
    if path is None and (workspace or docs or transcripts or name or summarize):
        raise InvalidRequest("is not given", field="path", hint="name the folder, such as `cortex index ~/notes`")
    if sum((workspace, docs, transcripts)) > 1:
        raise InvalidRequest(
            "a folder is one of them", field="--docs", hint="give --workspace, --docs or --transcripts"
        )
    with surface.engine() as engine:
        if remove is not None:
            engine.files.leave(remove)
        if path is not None:
            engine.files.add(path, **_how(workspace, docs, transcripts, untrusted),
                             **given(scope=scope, name=name, chunker=chunker, summarize=summarize or None))  # fmt: skip
        if summarize and engine.status()["llm"]["provider"] == "none":
            raise InvalidRequest(
                "needs a language model", field="--summarize", hint="set llm.provider, see docs/capture.md"
            )
        with output.progress("indexing") as progress:
            done = engine.index(force=force, progress=progress)
        _show(surface, engine, done)
        if watch:
            _stay(surface, engine)


def get(
    context: typer.Context,
    path: Annotated[
        str, typer.Argument(metavar="PATH", help="A file as a search cited it, such as memory/2026-01-01.md.")
    ],
    start: Annotated[int | None, typer.Option("--from", min=1, metavar="LINE", help="The first line.")] = None,
    lines: Annotated[int | None, typer.Option(min=1, help="How many lines.")] = None,
) -> None:
    """Print exactly those lines of a file that is memory; nothing outside of it is ever read."""
    surface = surface_of(context)
    cited, start = _cited(path, start)
    with surface.engine() as engine:
        found = engine.memory_get(cited, start=start, lines=lines)
    if surface.json:
        output.show_json(found)
    else:
        output.plain(found["text"])


def files(context: typer.Context) -> None:
    """Show which folders are followed, how the index stands, and what could not be read."""
    surface = surface_of(context)
    with surface.engine() as engine:
        status = engine.searching.status()
    if surface.json:
        output.show_json(dict(status))
        return
    from cortex.surfaces.cli import files_rendering

    output.show(*files_rendering.status(status))


COMMANDS: dict[str, Callable[..., Any]] = {"index": index, "get": get, "files": files}


def _how(workspace: bool, docs: bool, transcripts: bool, untrusted: bool) -> dict[str, Any]:
    from cortex.domain.lanes import Lane
    from cortex.domain.trust import TrustTier
    from cortex.workspace.sources import Shape

    shape = Shape.WORKSPACE if workspace else Shape.TRANSCRIPTS if transcripts else Shape.TREE
    told: dict[str, Any] = {"shape": shape}
    if docs:
        told["lane"] = Lane.DOCS
    if untrusted:
        told["trust"] = TrustTier.UNTRUSTED
    return told


def _cited(path: str, start: int | None) -> tuple[str, int | None]:
    """A path, or a whole citation: `notes/plan.md#L10-L15` begins at line 10."""
    bare, mark, lines = path.rpartition("#L")
    first = lines.partition("-")[0]
    return (bare, start or int(first)) if mark and first.isdecimal() else (path, start)


def _show(surface: Surface, engine: Engine, done: Indexed) -> None:
    if surface.json:
        output.show_json(done.receipt.to_json() | {"problems": [list(each) for each in done.synced.problems]})
        return
    from cortex.surfaces.cli import files_rendering

    output.show(*files_rendering.indexed(done, bool(engine.files.sources())))


def _stay(surface: Surface, engine: Engine) -> None:
    """Follow edits until the process is told to end."""
    if not surface.json:
        output.plain("watching; end it with Ctrl-C")
    with engine.files.watching(lambda done: _show(surface, engine, done)):
        # An event nobody sets: only a signal ends this wait.
        threading.Event().wait()

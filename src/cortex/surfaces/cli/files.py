"""Verbs for the files that are memory: index (X15, B12), get (B10), files (B21)."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.domain.citations import Place
from cortex.errors import InvalidRequest
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface, surface_of
from cortex.surfaces.cli.reading import given

if TYPE_CHECKING:
    from cortex.memory import Cortex
    from cortex.services.files.files import Indexed


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
    untrusted: Annotated[
        bool | None, typer.Option("--untrusted/--trusted", help="Others write it too: label what it says.")
    ] = None,
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
    _check_options(path, workspace=workspace, docs=docs, transcripts=transcripts, name=name, scope=scope,
                   chunker=chunker, untrusted=untrusted, summarize=summarize)  # fmt: skip
    with surface.engine() as engine:
        _check_engine(engine, summarize=summarize, watch=watch)
        if remove is not None:
            engine.files.leave(remove)
        if path is not None:
            engine.files.add(path, **_how(workspace, docs, transcripts, untrusted),
                             **given(scope=scope, name=name, chunker=chunker, summarize=summarize or None))  # fmt: skip
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
    place = Place.of(path)
    with surface.engine() as engine:
        found = engine.memory_get(
            place.path, start=start or place.start, lines=lines or (None if start else place.lines)
        )
    if surface.json:
        output.show_json(found)
    elif "note" in found:
        output.show(f"{place.path}: {found['note']}", stream=sys.stderr)
    else:
        output.plain(found["text"].removesuffix("\n"))


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


def _check_options(path: str | None, **options: Any) -> None:
    if path is None and any(options.values()):
        raise InvalidRequest("is not given", field="path", hint="name the folder, such as `cortex index ~/notes`")
    if sum(bool(options[name]) for name in ("workspace", "docs", "transcripts")) > 1:
        raise InvalidRequest(
            "a folder is one of them", field="--docs", hint="give --workspace, --docs or --transcripts"
        )


def _check_engine(engine: Cortex, *, summarize: bool, watch: bool) -> None:
    """Whether it can be done at all, before anything is."""
    if summarize and engine.status()["llm"]["provider"] == "none":
        raise InvalidRequest(
            "needs a language model", field="--summarize", hint="set llm.provider, see docs/capture.md"
        )
    if watch and not engine.settings.files.sync.watch:
        raise InvalidRequest("is switched off", field="files.sync.watch", hint="set it to true to follow edits")


def _how(workspace: bool, docs: bool, transcripts: bool, untrusted: bool | None) -> dict[str, Any]:
    from cortex.domain.lanes import Lane
    from cortex.domain.trust import TrustTier
    from cortex.workspace.sources import Shape

    shape = Shape.WORKSPACE if workspace else Shape.TRANSCRIPTS if transcripts else Shape.TREE
    told: dict[str, Any] = {"shape": shape}
    if docs:
        told["lane"] = Lane.DOCS
    if untrusted is not None:
        told["trust"] = TrustTier.UNTRUSTED if untrusted else TrustTier.TRUSTED
    return told


def _show(surface: Surface, engine: Cortex, done: Indexed) -> None:
    if surface.json:
        from cortex.surfaces.wire.files import IndexResponse

        output.show_response(IndexResponse.of(done))
    else:
        from cortex.surfaces.cli import files_rendering

        output.show(*files_rendering.indexed(done, bool(engine.files.sources())))
    sys.stdout.flush()


def _stay(surface: Surface, engine: Cortex) -> None:
    """Follow edits until the process is told to end, or nobody reads on."""
    is_left = threading.Event()

    def tell(done: Indexed) -> None:
        try:
            if done.synced.is_changed or done.transcripts.turns or done.problems:
                _show(surface, engine, done)
        except BrokenPipeError:
            is_left.set()

    with engine.files.watching(tell):
        if not surface.json:
            output.plain("watching; end it with Ctrl-C")
            sys.stdout.flush()
        is_left.wait()
    raise BrokenPipeError

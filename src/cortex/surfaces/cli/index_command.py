"""The command `index` (X15, B12, B21), and reading lines of indexed files (B10)."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.domain.citations import CitedLines
from cortex.errors import InvalidRequest
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface, surface_of
from cortex.surfaces.cli.inputs import given

if TYPE_CHECKING:
    from cortex.memory import Cortex
    from cortex.services.files.files import Indexed


def index(
    context: typer.Context,
    path: Annotated[
        str | None, typer.Argument(metavar="[PATH]", help="A folder or file to index; without one, all known sources.")
    ] = None,
    workspace: Annotated[
        bool, typer.Option("--workspace", help="An agent's workspace: index only MEMORY.md and memory/.")
    ] = False,
    docs: Annotated[
        bool, typer.Option("--docs", help="Documents: used by `search`, and by `recall` if nothing else matches.")
    ] = False,
    transcripts: Annotated[
        bool, typer.Option("--transcripts", help="Session transcripts (JSONL): store their turns.")
    ] = False,
    scope: Annotated[str | None, typer.Option(help="The scope of its chunks.")] = None,
    name: Annotated[str | None, typer.Option(help="The name in citations; the folder's name by default.")] = None,
    chunker: Annotated[str | None, typer.Option(help="How to split files: sections or lines.")] = None,
    untrusted: Annotated[
        bool | None,
        typer.Option("--untrusted/--trusted", help="Whether to trust it: untrusted, if others can write to it."),
    ] = None,
    summarize: Annotated[
        bool, typer.Option("--summarize", help="Summarize each section with the language model.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Rebuild the index; the old one stays in use meanwhile.")
    ] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Keep running and index edits as they happen.")] = False,
    remove: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|PATH|HOST",
            help="Remove this source and its chunks; with --force, all of another host that is gone.",
        ),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the sources and the state of the index.")] = False,
) -> None:
    """Index a folder of Markdown files and keep the index up to date. Unchanged files are skipped."""
    surface = surface_of(context)
    if list_:
        _list(surface)
        return
    _check_options(path, workspace=workspace, docs=docs, transcripts=transcripts, name=name, scope=scope,
                   chunker=chunker, untrusted=untrusted, summarize=summarize)  # fmt: skip
    with surface.engine() as engine:
        _check_engine(engine, summarize=summarize, watch=watch)
        if remove is not None:
            engine.files.remove(remove, force=force)
        if path is not None:
            engine.files.add(path, **_source_options(workspace, docs, transcripts, untrusted),
                             **given(scope=scope, name=name, chunker=chunker, summarize=summarize or None))  # fmt: skip
        with output.progress("indexing") as progress:
            done = engine.index(force=force and remove is None, progress=progress)
        _show(surface, engine, done)
        if watch:
            _watch(surface, engine)


def print_lines(surface: Surface, path: str, start: int | None, lines: int | None) -> None:
    """Print lines of an indexed file; no other file is ever read."""
    place = CitedLines.of(path)
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


def _list(surface: Surface) -> None:
    with surface.engine() as engine:
        status = engine.searching.status()
    if surface.json:
        output.show_json(dict(status))
        return
    from cortex.surfaces.cli import files_rendering

    output.show(*files_rendering.status(status))


COMMANDS: dict[str, Callable[..., Any]] = {"index": index}


def _check_options(path: str | None, **options: Any) -> None:
    if path is None and any(options.values()):
        raise InvalidRequest("is not given", field="path", hint="name the folder, such as `cortex index ~/notes`")
    if sum(bool(options[name]) for name in ("workspace", "docs", "transcripts")) > 1:
        raise InvalidRequest(
            "a folder is one of them", field="--docs", hint="give --workspace, --docs or --transcripts"
        )


def _check_engine(engine: Cortex, *, summarize: bool, watch: bool) -> None:
    """Refuse what cannot be done, before anything is changed."""
    if summarize and engine.status()["llm"]["provider"] == "none":
        raise InvalidRequest(
            "needs a language model", field="--summarize", hint="set llm.provider, see docs/capture.md"
        )
    if watch and not engine.settings.files.sync.watch:
        raise InvalidRequest("is off", field="files.sync.watch", hint="set it to true to watch files")


def _source_options(workspace: bool, docs: bool, transcripts: bool, untrusted: bool | None) -> dict[str, Any]:
    from cortex.domain.lanes import Lane
    from cortex.domain.trust import TrustTier
    from cortex.workspace.sources import Shape

    shape = Shape.WORKSPACE if workspace else Shape.TRANSCRIPTS if transcripts else Shape.TREE
    options: dict[str, Any] = {"shape": shape}
    if docs:
        options["lane"] = Lane.DOCS
    if untrusted is not None:
        options["trust"] = TrustTier.UNTRUSTED if untrusted else TrustTier.TRUSTED
    return options


def _show(surface: Surface, engine: Cortex, done: Indexed) -> None:
    if surface.json:
        from cortex.surfaces.wire.files import IndexResponse

        output.show_response(IndexResponse.of(done))
    else:
        from cortex.surfaces.cli import files_rendering

        output.show(*files_rendering.indexed(done, bool(engine.files.sources())))
    sys.stdout.flush()


def _watch(surface: Surface, engine: Cortex) -> None:
    """Index edits until the process is interrupted or its output is closed."""
    is_closed = threading.Event()

    def show(done: Indexed) -> None:
        try:
            if done.synced.is_changed or done.transcripts.turns or done.problems:
                _show(surface, engine, done)
        except BrokenPipeError:
            is_closed.set()

    with engine.files.watching(show):
        if not surface.json:
            output.plain("watching; press Ctrl-C to stop")
            sys.stdout.flush()
        is_closed.wait()
    raise BrokenPipeError

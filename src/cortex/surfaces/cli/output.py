"""Printing. Text from memory is data: it never moves the cursor or changes a color."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from cortex.domain.text import visible
from cortex.progress import Progress, silent

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from cortex.surfaces.wire.model import Response

PIPED_WIDTH = 10_000
"""Do not wrap lines that go to another program."""


def show(*renderables: RenderableType, stream: TextIO | None = None) -> None:
    """Print for people."""
    console = _console(stream or sys.stdout)
    for renderable in renderables:
        console.print(renderable)


def show_json(value: Any) -> None:
    """Print one JSON object, indented on a terminal."""
    print(json_line(value, indent=2 if sys.stdout.isatty() else None))


def show_response(response: Response) -> None:
    """Print a response model as JSON, the same as in the HTTP API."""
    show_json(response.to_json())


def json_line(value: Any, *, indent: int | None = None) -> str:
    """`value` as JSON, with control characters escaped."""
    return visible(json.dumps(value, ensure_ascii=False, indent=indent))


def plain(text: str) -> None:
    """Print text unchanged; on a terminal, with control characters escaped."""
    print(visible(text) if sys.stdout.isatty() else text)


def one_line(text: str) -> str:
    """Text from memory, safe to print within a line."""
    return " ".join(visible(text).split())


@contextmanager
def progress(title: str, *, unit: str = "") -> Iterator[Progress]:
    """A progress bar on stderr, if that is a terminal."""
    if not sys.stderr.isatty():
        yield silent
        return
    from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    counted = DownloadColumn() if unit == "bytes" else MofNCompleteColumn()
    text = TextColumn("{task.description}", markup=False)
    with Bars(text, BarColumn(), counted, TimeRemainingColumn(), console=_console(sys.stderr), transient=True) as bars:
        task = bars.add_task(title, total=None)

        def update(done: int, total: int, label: str) -> None:
            bars.update(task, completed=done, total=total or None, description=one_line(f"{title}: {label}"))

        yield update


def _console(stream: TextIO) -> Console:
    from rich.console import Console

    width = None if stream.isatty() else PIPED_WIDTH
    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False, soft_wrap=width is not None)

"""Putting things on the screen. What a memory says is data: it never moves the cursor or changes a colour."""

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
"""Nothing is wrapped on its way to another program."""


def show(*renderables: RenderableType, stream: TextIO | None = None) -> None:
    """Print for people."""
    console = _console(stream or sys.stdout)
    for renderable in renderables:
        console.print(renderable)


def show_json(value: Any) -> None:
    """Print one JSON object; on a terminal laid out for reading."""
    print(json_line(value, indent=2 if sys.stdout.isatty() else None))


def show_response(response: Response) -> None:
    """Print a response as every other surface gives it."""
    show_json(response.to_json())


def json_line(value: Any, *, indent: int | None = None) -> str:
    """`value` as JSON. Characters that could act on a terminal are written as the escapes JSON has for them."""
    return visible(json.dumps(value, ensure_ascii=False, indent=indent))


def plain(text: str) -> None:
    """Print text as it is, made safe only where a person looks at it."""
    print(visible(text) if sys.stdout.isatty() else text)


def one_line(text: str) -> str:
    """`text` from memory, safe to show within a line."""
    return " ".join(visible(text).split())


@contextmanager
def progress(title: str, *, unit: str = "") -> Iterator[Progress]:
    """A progress bar on stderr; nothing where nobody is watching."""
    if not sys.stderr.isatty():
        yield silent
        return
    from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    counted = DownloadColumn() if unit == "bytes" else MofNCompleteColumn()
    text = TextColumn("{task.description}", markup=False)
    with Bars(text, BarColumn(), counted, TimeRemainingColumn(), console=_console(sys.stderr), transient=True) as bars:
        task = bars.add_task(title, total=None)

        def tell(done: int, total: int, label: str) -> None:
            bars.update(task, completed=done, total=total or None, description=one_line(f"{title}: {label}"))

        yield tell


def _console(stream: TextIO) -> Console:
    from rich.console import Console

    width = None if stream.isatty() else PIPED_WIDTH
    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False, soft_wrap=width is not None)

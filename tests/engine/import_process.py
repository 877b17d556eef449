"""A process that imports or undoes and dies on its way: `python import_process.py HOME SOURCE MINUTES PLACE NUMBER`."""

from __future__ import annotations

import sys
from pathlib import Path

from capture_process import arm, opened


def main(home: str, source: str, minutes: str, place: str, number: str) -> None:
    with opened(Path(home), int(minutes)) as engine:
        arm(engine, place, int(number))
        if source == "--undo":
            engine.undo_import("latest")
        else:
            engine.import_from(source)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A process that ingests a file of events and dies on its way: `python events_process.py HOME FILE PLACE NUMBER`."""

from __future__ import annotations

import sys
from pathlib import Path

from capture_process import arm, opened

from cortex.services.event_files import EventFiles, batches

BATCH = 8


def ingested(home: Path, file: Path, place: str = "", number: int = 0) -> None:
    with opened(home) as engine:
        if place:
            arm(engine, place, number)
        for batch in batches(EventFiles(file).read(is_last=True), BATCH):
            engine.ingest_events([line.content for line in batch])


if __name__ == "__main__":
    ingested(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))

"""A process of its own at a store: `python store_process.py write|read|claim URL FOLDER USER …`.

Whatever it was told is done, it says on a line of its own, after the store has said so.
"""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

from samples import AT, EAST, MINUTE, SPACE, Desk, id_, memory, turn

from cortex.domain.events import EventKind
from cortex.domain.scope import Tenant
from cortex.ports.store import Embed, Filter, Put
from store_list import open_url

BATCH = 3
"""How many traces a batch puts: two memories and a turn."""


def batch_ids(batch: int) -> list[str]:
    return [id_(10 * batch + part) for part in range(BATCH)]


def write(desk: Desk, first: int, batches: int) -> None:
    """Put `batches` batches (0: until killed), each in one apply, and say which are safe."""
    for batch in range(first, first + batches) if batches else count(first):
        number = 10 * batch
        desk.apply(
            Put(memory(number, f"Berth {batch} is free"), EventKind.REMEMBERED),
            Put(memory(number + 1, f"Berth {batch} is wet", scope="infra"), EventKind.REMEMBERED),
            Put(turn(number + 2, f"Is berth {batch} free?", session=f"s{batch % 7}", seq=batch), EventKind.SAID),
            Put(memory(number, f"Berth {batch} is taken"), EventKind.REVISED),
            Embed(id_(number), SPACE, [EAST]),
        )
        say(str(batch))


def read(desk: Desk) -> None:
    """Look until told to stop: no view may ever be torn, or go back."""
    last = 0
    while True:
        with desk.view() as view:
            assert view.position >= last, "the ledger went back"
            last = view.position
            counts = view.counts(Filter())
            assert counts.total % BATCH == 0, "part of a batch can be seen"
            assert counts.by_lane.get("sessions", 0) * BATCH == counts.total
            assert view.counts(Filter(lacking=SPACE)).total * BATCH == counts.total * (BATCH - 1)
            assert bool(view.nearest(EAST, SPACE, Filter(), 10)) == bool(counts.total)
            assert len(view.scan(Filter(), limit=1_000_000)) == counts.total
        say(str(last))
        if sys.stdin.readline().strip() == "stop":
            return


def claim(desk: Desk) -> None:
    """Take jobs until there are none."""
    while job := desk.store.claim(desk.tenant, ["extract"], now=AT, until=AT + MINUTE):
        say(job.id)


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(role: str, url: str, folder: str, user: str, *numbers: str) -> None:
    store = open_url(url, Path(folder), {})
    desk = Desk(store, Tenant(user=user))
    say("ready")
    if role == "write":
        write(desk, *map(int, numbers))
    else:
        {"read": read, "claim": claim}[role](desk)
    store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])

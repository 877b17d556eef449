"""Many clients of one server, in a process of their own: each asks as soon as it was answered, until the time is up.

They speak HTTP by themselves: a client library would take more of the machine than the server that is measured.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

_PATIENCE = 30.0


@dataclass(slots=True)
class Tally:
    """What the clients were answered."""

    milliseconds: list[float] = field(default_factory=list)
    """Of the requests before a turn."""
    sizes: list[int] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    after: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)

    def count(self, path: str, status: int, body: bytes, seconds: float) -> None:
        if status != 200:
            self.errors[str(status)] += 1
            return
        payload = json.loads(body)
        outcome = ",".join(payload.get("degraded", ())) or "in full"
        if path.endswith("after"):
            self.after[outcome] += 1
            return
        self.outcomes[outcome] += 1
        self.milliseconds.append(seconds * 1e3)
        self.sizes.append(len(body))


class Client:
    """One host with its sessions; it asks one thing after the other over one connection."""

    def __init__(self, number: int, plan: dict[str, Any], tally: Tally) -> None:
        self._number = number
        self._path: str = plan["path"]
        self._after_every: int = plan["after_every"]
        self._questions: Sequence[tuple[str, str]] = plan["questions"]
        self._tally = tally
        parts = urlsplit(plan["url"])
        self._address = (parts.hostname or "", parts.port or 0)

    async def ask_until(self, end: float) -> None:
        turn = 0
        while time.monotonic() < end:
            try:
                reader, writer = await asyncio.open_connection(*self._address)
            except OSError as error:
                self._tally.errors[type(error).__name__] += 1
                return
            try:
                while time.monotonic() < end:
                    turn += 1
                    await asyncio.wait_for(self._ask(reader, writer, turn), _PATIENCE)
            except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
                self._tally.errors[type(error).__name__] += 1
            finally:
                writer.close()

    async def _ask(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, turn: int) -> None:
        path, body = self._request(turn)
        content = json.dumps(body).encode()
        began = time.perf_counter()
        writer.write(
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(content)}\r\n\r\n".encode()
            + content
        )
        head = await reader.readuntil(b"\r\n\r\n")
        answer = await reader.readexactly(_length(head))
        self._tally.count(path, int(head[9:12]), answer, time.perf_counter() - began)

    def _request(self, turn: int) -> tuple[str, dict[str, Any]]:
        text, scope = self._questions[(self._number * 37 + turn) % len(self._questions)]
        # A session is as long as a conversation is; half of the questions go over everything.
        session = f"host {self._number}, session {turn // 40}"
        if not self._after_every or turn % self._after_every:
            return self._path, {"session": session, "message": text, "scope": scope if turn % 2 else None}
        said = [{"role": "user", "content": text}, {"role": "assistant", "content": f"That was turn {turn}."}]
        return "/v1/turns/after", {"session": session, "messages": said}


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    raise AssertionError("an answer without a length")


async def _run(plan: dict[str, Any]) -> Tally:
    tally = Tally()
    end = time.monotonic() + plan["seconds"]
    async with asyncio.TaskGroup() as clients:
        for number in range(plan["clients"]):
            clients.create_task(Client(number, plan, tally).ask_until(end))
    return tally


def main() -> None:
    tally = asyncio.run(_run(json.load(sys.stdin)))
    json.dump(
        {
            "milliseconds": tally.milliseconds,
            "bytes": sum(tally.sizes) // max(1, len(tally.sizes)),
            "outcomes": tally.outcomes,
            "after": tally.after,
            "errors": tally.errors,
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()

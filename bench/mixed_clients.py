"""Many clients of one server who do everything at once, in a process of their own; some may send hostile texts.

They go through phases of a given length, quiet and hostile in turn. In a hostile phase a few of them send texts that
are there to keep the server busy; in a quiet one these ask as the others do, so that as many clients ask in both.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any
from urllib.parse import urlsplit

from bench.serving_clients import _length

PATIENCE = 90.0
WATCHERS = 2
"""How many ask for nothing but `/health`, one look after the other."""

HOSTILE = 4
"""How many send hostile texts in a hostile phase."""

PAUSE = 0.005
TEXT = 64 * 1024
QUERY = 8_192

SHAPES: Mapping[str, str] = {
    "newlines": "a" + "\n" * 30_000 + "b",
    "dots": "." * 60_000,
    "spaces": "x" + " " * 60_000 + "x",
    "tabs and newlines": "\n\t" * 30_000 + "system",
    "half a role": "system\n" * 9_000,
    "brackets": "[" * 60_000,
    "angle brackets": "<" * 30_000 + ">" * 30_000,
    "backticks": "`" * 60_000,
    "base64": "QUJD" * 15_000,
    "hex": "deadbeef" * 7_500,
    "quotes": "\"'" * 30_000,
    "equals": "key=" * 15_000,
    "abbreviations": "e.g. " * 12_000,
    "statements": "I am not I am not " * 3_500,
    "digits": "0123456789" * 6_000,
    "dashes": "-" * 60_000,
    "mixed marks": "?!." * 20_000,
    "wide": "。" * 20_000,
    "emphasis": "*_" * 30_000,
    "at signs": "a@" * 30_000,
}


@dataclass(slots=True)
class Tally:
    """What the clients were answered in the phases of one kind."""

    health: list[float] = field(default_factory=list)
    """Milliseconds."""
    statuses: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    """Answers of 500 and more that are not `busy` with a `Retry-After`, and lines that broke."""
    attacks: int = 0
    """How many hostile texts were answered."""
    slowest: Counter[str] = field(default_factory=Counter)
    """The longest each route took, in whole milliseconds."""

    def count(self, route: str, head: bytes, body: bytes, seconds: float) -> None:
        status = int(head[9:12])
        self.statuses[str(status)] += 1
        self.slowest[route] = max(self.slowest[route], round(seconds * 1e3))
        if route == "GET /health":
            self.health.append(seconds * 1e3)
        if status >= 500:
            code = json.loads(body).get("code", "") if body.startswith(b"{") else ""
            if code != "busy" or b"\r\nretry-after:" not in head.lower():
                self.wrong[f"{status} {code} {route}"] += 1


Request = tuple[str, str, Any]


class Client:
    """One client over one connection, one request after the other."""

    def __init__(self, number: int, plan: Mapping[str, Any]) -> None:
        self._rng = random.Random(number)
        self._name = f"client {number}"
        self._questions: Sequence[tuple[str, str]] = plan["questions"]
        self._watches = number < WATCHERS
        self._is_hostile = WATCHERS <= number < WATCHERS + HOSTILE
        self._known: list[str] = []
        self._turn = 0
        self._attacks = cycle(_attacks(number))
        parts = urlsplit(plan["url"])
        self._address = (parts.hostname or "", parts.port or 0)

    async def ask_until(self, end: float, tally: Tally, hostile: bool) -> None:
        while time.monotonic() < end:
            try:
                reader, writer = await asyncio.open_connection(*self._address)
            except OSError as error:
                tally.wrong[type(error).__name__] += 1
                await asyncio.sleep(0.1)
                continue
            try:
                while time.monotonic() < end:
                    await asyncio.wait_for(self._ask(reader, writer, tally, self._next(hostile)), PATIENCE)
                    tally.attacks += hostile and self._is_hostile
                    if self._watches:
                        await asyncio.sleep(PAUSE)
            except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
                tally.wrong[type(error).__name__] += 1
            finally:
                writer.close()

    async def _ask(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, tally: Tally, request: Request
    ) -> None:
        method, path, body = request
        content = b"" if body is None else json.dumps(body).encode()
        began = time.perf_counter()
        writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(content)}\r\n\r\n".encode()
            + content
        )
        head = await reader.readuntil(b"\r\n\r\n")
        answer = await reader.readexactly(_length(head))
        route = f"{method} {path.partition('?')[0]}"
        if "/v1/memories/" in route:
            route = f"{method} /v1/memories/ID"
        tally.count(route, head, answer, time.perf_counter() - began)
        if (method, path) == ("POST", "/v1/memories") and head[9:12] == b"201":
            self._known.append(json.loads(answer)["memory"]["id"])

    def _next(self, hostile: bool) -> Request:
        self._turn += 1
        if self._watches:
            return "GET", "/health", None
        return next(self._attacks) if hostile and self._is_hostile else self._usual()

    def _usual(self) -> Request:
        text, scope = self._rng.choice(self._questions)
        session = f"{self._name}, {self._turn // 20}"
        said = [{"role": "user", "content": text}, {"role": "assistant", "content": f"That was turn {self._turn}."}]
        id = self._known.pop(self._rng.randrange(len(self._known))) if self._known else None
        usual: list[Callable[[], Request]] = [
            lambda: ("POST", "/v1/turns/before", {"session": session, "message": text}),
            lambda: ("POST", "/v1/turns/before", {"session": session, "message": text, "scope": scope}),
            lambda: ("POST", "/v1/turns/after", {"session": session, "messages": said}),
            lambda: ("POST", "/v1/memories", {"text": f"{text} ({self._name}, {self._turn})"}),
            lambda: ("POST", "/v1/recall", {"query": text, "scope": scope}),
            lambda: ("POST", "/v1/search", {"query": text}),
            lambda: ("POST", "/v1/capture", {"session": f"{session} captured", "messages": said}),
            lambda: ("GET", "/v1/memories?limit=20", None),
        ]
        if id is not None:
            usual += [
                lambda: ("PATCH", f"/v1/memories/{id}", {"text": f"{text}, as of turn {self._turn}"}),
                lambda: ("DELETE", f"/v1/memories/{id}", None),
            ]
        return self._rng.choice(usual)()


def _attacks(number: int) -> Iterator[Request]:
    """Every shape by every way that texts come in."""
    for name, text in SHAPES.items():
        session = f"hostile {number}, {name}"
        yield "POST", "/v1/memories", {"text": text[:TEXT], "source_kind": "web"}
        yield "POST", "/v1/capture", {"session": session, "messages": [{"role": "user", "content": text}]}
        yield "POST", "/v1/turns/after", {"session": f"{session}, after", "messages": [_said(text) for _ in range(3)]}
        yield "POST", "/v1/search", {"query": text[:QUERY]}
        yield "POST", "/v1/turns/before", {"session": session, "message": text[:QUERY]}
        yield "POST", "/v1/import", {"markdown": text, "dry_run": True}


def _said(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


async def _run(plan: Mapping[str, Any]) -> dict[bool, Tally]:
    tallies = {False: Tally(), True: Tally()}
    clients = [Client(number, plan) for number in range(plan["clients"])]
    for hostile, seconds in plan["phases"]:
        end = time.monotonic() + seconds
        async with asyncio.TaskGroup() as group:
            for client in clients:
                group.create_task(client.ask_until(end, tallies[hostile], hostile))
        # What was begun in one phase must not be measured in the next.
        await asyncio.sleep(plan["settle"])
    return tallies


def main() -> None:
    tallies = asyncio.run(_run(json.load(sys.stdin)))
    payload = {
        "hostile" if hostile else "quiet": {
            "health": tally.health,
            "attacks": tally.attacks,
            "statuses": tally.statuses,
            "wrong": tally.wrong,
            "slowest": tally.slowest,
        }
        for hostile, tally in tallies.items()
    }
    json.dump(payload, sys.stdout)


if __name__ == "__main__":
    main()

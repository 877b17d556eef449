"""`cortex hook` beside a running server: the same answers, for little more than the start of Python.

A hook delays a turn of another program. Whatever is unusual here, such as an unknown option, an error of the server or
a person at a terminal, is left to the command line, which then answers without the server. So this module imports
nothing that is slow to load, and knows only as much of the options as it needs; a test compares them with those of the
command line.
"""

from __future__ import annotations

import _socket  # what `socket` is made of: `socket` takes half the start of Python to import, `http.client` three times
import io
import os
import sys
from time import monotonic

from cortex import variables
from cortex.surfaces.cli.conversations import conversation_of, history_of, message_of, said_in
from cortex.surfaces.cli.global_options import WITH_VALUE, value_of
from cortex.surfaces.cli.host_events import BEFORE, END, START, HostEvent
from cortex.surfaces.http.server_file import ServerInfo, Untrusted, running
from cortex.surfaces.quick_json import dumps, loads

TYPE_CHECKING = False  # as `typing` has it, which is slow to import
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

STDIN = "-"
EVENT = "event"
"""The hook that reads what a coding agent passes to its hooks; it has neither arguments nor options."""
OPTIONS = {
    "before": frozenset({"--session", "--scope", "--project", "--channel", "--trigger", "--recipe"}),
    "after": frozenset({"--session", "--scope", "--channel", "--trigger"}),
}
"""The options of each hook that are answered here; all of them take a value."""

PIPE_CLOSED = 141
NETWORK_SECONDS = 0.2
"""How much longer than its deadline the server is waited for."""

MOST_BYTES = 8 << 20
"""Longer histories are stored without the server, which would refuse them."""


class HookCall:
    """The arguments of a hook."""

    __slots__ = ("argument", "name", "options")

    def __init__(self, name: str, argument: str, options: dict[str, str]) -> None:
        self.name = name
        self.argument = argument
        """The message or the file; `-` is stdin."""
        self.options = options


def run(own: Sequence[str], arguments: Sequence[str]) -> int | None:
    """Answer a hook over the server of the home. None leaves it to the command line, with stdin as it was.

    `own` are the global options, `arguments` those after `hook`.
    """
    call = parsed(own, arguments)
    if call is None or sys.stdin is None or variables.is_on(variables.INSIDE) or variables.is_on(variables.DEBUG):
        return None
    if sys.stdout is None or sys.stdout.isatty() or "" in map(variables.value, (variables.AGENT, variables.USER)):
        return None
    try:
        info = running(os.path.expanduser(value_of("--home", own) or "") or variables.home())
    except Untrusted as error:
        say(f"{error}: the server is not used")
        return None
    if info is None:
        return None
    given = sys.stdin.buffer.read() if call.argument == STDIN else b""
    tenant = _tenant(info, own)
    try:
        if call.name == EVENT:
            code = _handled(info, given, tenant)
        else:
            answer = _answer(info, call, given, tenant)
            code = None if answer is None else _shown(call, answer, as_json="--json" in own)
    except Exception:  # the command line meets it again, and reports it
        code = None
    if code is None:
        sys.stdin = io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")
    return code


def parsed(own: Sequence[str], arguments: Sequence[str]) -> HookCall | None:
    """The hook that is called, if it can be answered here."""
    name = arguments[0] if arguments else ""
    if list(arguments) == [EVENT] and "--json" not in own and "--debug" not in own:
        return HookCall(EVENT, STDIN, {})
    if name not in OPTIONS or (own and own[-1] in WITH_VALUE) or "--debug" in own:
        return None
    if any(value_of(option, own) == "" for option in WITH_VALUE):
        return None
    words, options = [], {}
    left = iter(arguments[1:])
    for word in left:
        option, has_value, value = word.partition("=")
        if option in OPTIONS[name]:
            found = value if has_value else next(left, None)
            if found is None:
                return None
            options[option[2:]] = found
        elif word.startswith("-") and word != STDIN:
            return None
        else:
            words.append(word)
    return HookCall(name, words[0] if words else STDIN, options) if len(words) < 2 else None


def _tenant(info: ServerInfo, own: Sequence[str]) -> dict[str, str]:
    """Whose memory it is, decided as the command line decides it; never by how the server was started."""
    return {
        "agent": value_of("--agent", own) or variables.value(variables.AGENT) or info.agent,
        "user": value_of("--user", own) or variables.value(variables.USER) or info.user,
    }


def _answer(info: ServerInfo, call: HookCall, given: bytes, tenant: dict[str, str]) -> dict[str, Any] | None:
    """What the server answers; None where it is not asked, or cannot answer."""
    named: str | None
    if call.name == "before":
        text, named = message_of(given.decode("utf-8")) if call.argument == STDIN else (call.argument, None)
        content = dumps({"message": text})
    else:
        import json

        found = history_of(given.decode("utf-8")) if call.argument == STDIN else conversation_of(call.argument)
        content, named = json.dumps({"messages": found.messages}), found.session
    session = call.options.get("session") or named
    if not session or len(content) > MOST_BYTES:
        return None
    body = f"{dumps({**tenant, **call.options, 'session': session})[:-1]}, {content[1:]}".encode()
    if call.name == "after":  # storing it twice stores it once, so a server that is late is not waited for
        return _post(info, "/v1/ingest", body, info.ingest_timeout_ms / 1000)
    return _before(info, body)


def _before(info: ServerInfo, body: bytes) -> dict[str, Any] | None:
    """The memories for a turn; none of them where the server is late."""
    try:
        return _post(info, "/v1/turns/before", body, info.deadline_ms / 1000 + NETWORK_SECONDS)
    except TimeoutError:
        return {"block": "", "tokens": 0, "facts": 0, "ids": [], "synthesis": False, "skipped": None,
                "degraded": ["deadline"], "receipt_id": None, "milliseconds": float(info.deadline_ms)}  # fmt: skip


def _handled(info: ServerInfo, given: bytes, tenant: dict[str, str]) -> int | None:
    """Answer an event of a coding agent; None where the server cannot."""
    event = HostEvent.of(given.decode("utf-8"))
    if event is None or (event.step and not event.session) or (event.step == BEFORE and event.prompt is None):
        return None
    if not event.step:
        return 0
    where = {**tenant, **event.where(), "session": event.session or ""}
    if event.step == START:
        return _printed(event.answer(event.introduction()))
    if event.step != BEFORE:
        return 0 if _stored(info, event, where) else None
    shares = ', "share_personal": true' if "scope" in where else ""
    body = f"{dumps({**where, 'message': event.prompt or ''})[:-1]}{shares}}}".encode()
    answer = _before(info, body)
    if answer is None:
        return None
    code = _printed(event.answer(str(answer.get("block") or "")))
    if answer["degraded"] and not answer["block"]:
        say(nothing_recalled(answer["degraded"], by_server=True))
    if event.has_no_transcript:
        try:
            _stored(info, event, where)
        except Exception as error:  # the answer is printed: the command line must not print it again
            say(f"the prompt could not be stored: {type(error).__name__}")
    return code


def _stored(info: ServerInfo, event: HostEvent, where: dict[str, str]) -> bool:
    """Store what was said in the session of an event, and at its end have memories extracted."""
    import json

    messages = said_in(event).messages
    if not messages and event.step != END:
        return True
    rest = {"messages": messages, "debounce": event.step != END, "share_personal": "scope" in where}
    body = json.dumps({**where, **rest})
    if len(body) > MOST_BYTES:
        return False
    return _post(info, "/v1/ingest", body.encode(), info.ingest_timeout_ms / 1000) is not None


def _shown(call: HookCall, answer: dict[str, Any], *, as_json: bool) -> int:
    code = _printed(_json_line(answer) if as_json else str(answer.get("block") or ""))
    if code == 0 and call.name == "before" and answer["degraded"] and not answer["block"]:
        say(nothing_recalled(answer["degraded"], by_server=True))
    return code


def _printed(text: str) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        if text:
            print(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    return 0


def _json_line(answer: dict[str, Any]) -> str:
    import json

    text = json.dumps(answer, ensure_ascii=False)
    if text.isascii() and text.isprintable():
        return text
    from cortex.domain.text import visible

    return visible(text)


def nothing_recalled(degraded: list[str] | tuple[str, ...], *, by_server: bool) -> str:
    """Why a turn got no memories, and what to do."""
    fix = "see `cortex doctor`"
    if "deadline" in degraded:
        late = "the server was late" if by_server else "`cortex serve` answers sooner"
        fix = f"{late}; if this happens often, raise hooks.deadline_ms"
    return f"nothing recalled: {', '.join(degraded)}; {fix}"


def say(message: str) -> None:
    """Print a line for the host's log."""
    print(f"cortex: {' '.join(ascii(message)[1:-1].split())}", file=sys.stderr)


# --- HTTP -------------------------------------------------------------------------------------------------------------


def _post(info: ServerInfo, path: str, body: bytes, seconds: float) -> dict[str, Any] | None:
    """The JSON that the server answers; None for any other status. `TimeoutError` after `seconds`."""
    assert info.address is not None
    until = monotonic() + seconds
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {info.url.removeprefix('http://')}\r\nAuthorization: Bearer {info.token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    connection = _socket.socket(_socket.AF_INET6 if ":" in info.address[0] else _socket.AF_INET, _socket.SOCK_STREAM)
    try:
        connection.settimeout(seconds)
        connection.connect(info.address)
        connection.sendall(head.encode() + body)
        pieces = []
        while True:
            connection.settimeout(max(until - monotonic(), 0.001))
            if not (piece := connection.recv(1 << 16)):
                break
            pieces.append(piece)
    finally:
        connection.close()
    status, _, rest = b"".join(pieces).partition(b"\r\n")
    headers, _, content = rest.partition(b"\r\n\r\n")
    if status.split(b" ")[1:2] != [b"200"] or b"transfer-encoding" in headers.lower():
        return None
    answer = loads(content.decode("utf-8"))
    return answer if isinstance(answer, dict) else None

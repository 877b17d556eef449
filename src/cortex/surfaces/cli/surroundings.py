"""Checks of what is around a memory: its server and the port, tokens, vendors out there, the hosts of this machine."""

from __future__ import annotations

import errno
import http.client
import importlib.util
import json
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from cortex import settings as configuration
from cortex._version import __version__
from cortex.access import FILE_NAME, Tokens
from cortex.clock import SystemClock
from cortex.errors import EngineError, install_command
from cortex.services.health.health_checks import BackgroundProbe, Check, Group
from cortex.settings import Settings
from cortex.surfaces.cli import hosts_here, vendors
from cortex.surfaces.cli.hosts_here import HostHere
from cortex.surfaces.cli.vendors import Vendor
from cortex.surfaces.http.options import is_loopback

_EXTRAS = {"serve": ("fastapi", "uvicorn", "prometheus_client"), "mcp": ("mcp",)}
_ANYWHERE = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}  # noqa: S104 - where a server is that listens there
_KEY_OPTIONS = ("api_key", "base_url", "host")
_OTHER_PORTS = 100
_MOST_BYTES = 1 << 20
_SLOT = ("plugins", "slots", "memory")
_USUAL_SLOT = "memory-core"


class Surroundings:
    """The checks, begun at once and beside each other; nobody else on the network is asked where `offline`."""

    def __init__(
        self, home: Path, user_home: Path, settings: Settings, *, offline: bool = False, patience: float
    ) -> None:
        # A check makes two requests at most. What is waited for beyond that is a name that nobody can look up.
        each = patience / 2
        self._patience = patience + 1.0
        works: dict[tuple[str, Group], Callable[[], Iterable[Check]]] = {
            ("port", Group.SERVING): lambda: [*extras(), tokens(home, settings), *port(home, settings, each)],
            ("mcp hosts", Group.HOSTS): lambda: hosts(home, user_home),
        }
        if not offline:
            works["llm server", Group.PROVIDERS] = lambda: llm_server(settings, each)
        self._begun = {about: BackgroundProbe(partial(_all, work)) for about, work in works.items()}

    def checks(self) -> list[Check]:
        """What was found out; of what takes too long, that it does."""
        found: list[Check] = []
        for (name, group), work in self._begun.items():
            why, fix = f"could not be found out within {self._patience:g} s", "try again, with a longer --timeout"
            found += work.result(self._patience, partial(list, [Check(name, None, why, fix, group)]))
        return found


def _all(work: Callable[[], Iterable[Check]]) -> list[Check]:
    return list(work())


# --- vendors ----------------------------------------------------------------------------------------------------------


def llm_server(settings: Settings, seconds: float) -> Iterator[Check]:
    """Whether whoever runs the language model can be reached; nothing is asked of it, and no key is sent."""
    vendor = vendors.LLMS.get(settings.llm.provider)
    given = settings.llm.options.get("base_url")
    own = given if isinstance(given, str) else None
    address = own or (vendor and (configuration.variable(f"{vendor.name.upper()}_BASE_URL") or vendor.address))
    if not address:
        return
    who, trouble = _host_of(address), _unreachable(address, seconds)
    if trouble:
        fix = (
            "see that it runs, and check llm.options.base_url" if own else "check the network, or the proxy's settings"
        )
        yield Check("llm server", False, f"{who} {trouble}", fix, Group.PROVIDERS)
    else:
        yield Check("llm server", True, f"{who} answers", group=Group.PROVIDERS)


def spelt_out(check: Check, settings: Settings) -> Check:
    """`check`, with the very line that mends it where a vendor's key is missing."""
    if check.name == "embedder":
        vendor = vendors.EMBEDDERS.get(settings.embedding.provider)
        return _with_key_line(check, vendor, "embedding.options", settings.embedding.options)
    if check.name == "llm":
        return _with_key_line(check, vendors.LLMS.get(settings.llm.provider), "llm.options", settings.llm.options)
    return check


def _with_key_line(check: Check, vendor: Vendor | None, section: str, options: Mapping[str, Any]) -> Check:
    if check.ok is not False or vendor is None or "pip install" in check.fix:
        return check
    if any(options.get(name) for name in _KEY_OPTIONS) or vendor.key(configuration.variable):
        return check
    return replace(check, fix=f"run `{vendor.export}`, or set {section}.api_key")


def _unreachable(address: str, seconds: float) -> str:
    """Why nobody answers at an address; empty where somebody does, whatever they say."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "is not the address of a server"
    # Without the name and password an address may hold.
    plain = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    is_near = parts.hostname in {"localhost", "127.0.0.1", "::1"}
    opener = build_opener(ProxyHandler({})) if is_near else build_opener()
    try:
        with opener.open(Request(plain, method="HEAD"), timeout=seconds):  # noqa: S310 - one of the two schemes
            return ""
    except HTTPError as error:
        error.close()
        return ""
    except (URLError, OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, TimeoutError):
            return f"did not answer within {seconds:g} s"
        return f"cannot be reached: {getattr(reason, 'strerror', None) or type(reason).__name__}"


def _host_of(address: str) -> str:
    """How a server is told of: by its host alone, because the rest of an address may hold a secret."""
    try:
        parts = urlsplit(address)
        return f"{parts.hostname}" + (f":{parts.port}" if parts.port else "")
    except ValueError:
        return "the server"


# --- serving ----------------------------------------------------------------------------------------------------------


def extras() -> Iterator[Check]:
    """Whether what HTTP and MCP need is installed."""
    for extra, modules in _EXTRAS.items():
        absent = [module for module in modules if importlib.util.find_spec(module) is None]
        verb = f"`cortex {extra}`"
        if absent:
            why, fix = f"{verb} needs {', '.join(absent)}", f"run `{install_command(extra)}`"
            yield Check(extra, None, why, fix, Group.SERVING)
        else:
            yield Check(extra, True, f"{verb} has what it needs", group=Group.SERVING)


def tokens(home: Path, settings: Settings) -> Check:
    """Whether the tokens can be read, and whether there is one where others can reach the server."""
    now, host = SystemClock().now(), settings.serve.host
    try:
        kept = Tokens(home / FILE_NAME, SystemClock())
        known, gone = kept.all(), kept.missing()
    except EngineError as error:
        return Check("tokens", False, error.message, error.hint, Group.SERVING)
    if gone is not None:
        return Check("tokens", False, gone.message, gone.hint, Group.SERVING)
    active = sum(token.state(now) == "active" for token in known)
    if not active and not is_loopback(host):
        why = f"serve.host is {host}, which other machines can reach, and there is no token that is good"
        return Check("tokens", False, why, "run `cortex token create`, or set serve.host to 127.0.0.1", Group.SERVING)
    if not active and known:
        why = "none is good any more, and while there are any, everybody needs one"
        return Check("tokens", None, why, "run `cortex token create`", Group.SERVING)
    told = f"{active:,} good" if known else "none: this machine alone can ask, and needs none"
    return Check("tokens", True, told, group=Group.SERVING)


def port(home: Path, settings: Settings, seconds: float) -> Iterator[Check]:
    """Whether `serve` can have its port; where somebody has it, whether that is our own server, and how it is."""
    host, number = settings.serve.host, settings.serve.port
    if number == 0:
        yield Check("port", True, "a free one each time", group=Group.SERVING)
        return
    refused = _refused(host, number)
    if refused is None:
        yield Check("port", True, f"{number} is free for `cortex serve`", group=Group.SERVING)
    elif refused != errno.EADDRINUSE:
        why = f"{host}:{number} cannot be listened on: {_told(refused)}"
        yield Check("port", False, why, "set serve.host and serve.port to what this machine has", Group.SERVING)
    elif (server := Server.at(host, number, seconds)) is None:
        other = _free_port(host, number)
        fix = f"run `cortex serve --port {other}`, or set serve.port to {other}"
        yield Check("port", None, f"{number} is taken by another program", fix, Group.SERVING)
    else:
        yield Check("port", True, f"{number} is our own server's", group=Group.SERVING)
        yield server.check(home)


@dataclass(frozen=True, slots=True)
class Server:
    """A server of ours that runs; version and home are unknown where it asks for a token."""

    address: str
    is_ready: bool
    version: str = ""
    home: str = ""

    @classmethod
    def at(cls, host: str, number: int, seconds: float) -> Server | None:
        """The server that has this port; None where it is not ours."""
        where = _ANYWHERE.get(host, host)
        status, headers, body = _asked(where, number, "/v1/status", seconds)
        ours = status == 200 and "version" in body and "degraded" in body
        guarded = status == 401 and 'realm="cortex"' in headers.get("www-authenticate", "")
        if not ours and not guarded:
            return None
        address = f"http://[{where}]:{number}" if ":" in where else f"http://{where}:{number}"
        is_ready = _asked(where, number, "/ready", seconds)[0] == 200
        return cls(address, is_ready, str(body.get("version", "")), str(body.get("home", "")) if ours else "")

    def check(self, home: Path) -> Check:
        told = " ".join(filter(None, (self.version, f"at {self.address}")))
        if not self.is_ready:
            fix = "see its log, then start it anew"
            return Check("server", False, f"{told} is not ready: it cannot read its memory", fix, Group.SERVING)
        if self.home and Path(self.home).resolve() != home.resolve():
            fix = "end it, or give `cortex serve` another --port"
            return Check("server", None, f"{told} serves another home, {self.home}", fix, Group.SERVING)
        if self.version and self.version != __version__:
            return Check("server", None, f"{told} is not this version, {__version__}", "start it anew", Group.SERVING)
        return Check("server", True, f"{told} is ready", group=Group.SERVING)


def _refused(host: str, number: int) -> int | None:
    """Why the port cannot be listened on, as the system numbers it; None where it can."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, number, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind(address)
    except OSError as error:
        return error.errno or errno.EINVAL
    return None


def _told(number: int) -> str:
    from os import strerror

    return "the host is not known" if number < 0 else strerror(number)


def _free_port(host: str, taken: int) -> int:
    from cortex.surfaces.cli.mcp_verbs import PORT

    beyond = range(taken + 1, min(taken + _OTHER_PORTS, 65_536))
    return next((each for each in beyond if each != PORT and _refused(host, each) is None), 0)


def _asked(host: str, number: int, path: str, seconds: float) -> tuple[int, Mapping[str, str], dict[str, Any]]:
    """What the server at a port of this machine answers; status 0 where it is no HTTP."""
    connection = http.client.HTTPConnection(host, number, timeout=seconds)
    try:
        connection.request("GET", path, headers={"Accept": "application/json"})
        answer = connection.getresponse()
        body = json.loads(answer.read(_MOST_BYTES) or b"{}")
        headers = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, headers, body if isinstance(body, dict) else {}
    except (OSError, http.client.HTTPException, ValueError):
        return 0, {}, {}
    finally:
        connection.close()


# --- hosts ------------------------------------------------------------------------------------------------------------


def hosts(home: Path, user_home: Path) -> Iterator[Check]:
    """What the MCP hosts of this machine know of the memory; nothing of hosts that are not here."""
    for here in hosts_here.found(user_home):
        yield _connection(here, home)
        if here.host.name == "openclaw":
            yield _plugin(here, home)


def _connection(here: HostHere, home: Path) -> Check:
    title, entry = here.host.title, here.entry
    if here.trouble:
        fix = f"mend it, then {here.fix(home)}"
        return Check(here.host.name, None, f"{title}: {here.file} {here.trouble}", fix, Group.HOSTS)
    if entry is None:
        return Check(
            here.host.name, None, f"{title} is here and knows nothing of this memory", here.fix(home), Group.HOSTS
        )
    if not entry.is_startable:
        why = f"{title} starts {entry.command or 'nothing'}, which is not there"
        return Check(here.host.name, False, why, here.fix(home), Group.HOSTS)
    if not here.serves(home):
        return Check(here.host.name, None, f"{title} uses another memory, {entry.home}", here.fix(home), Group.HOSTS)
    how = "by its address" if entry.url else "over stdio"
    return Check(here.host.name, True, f"{title} uses this memory {how}", group=Group.HOSTS)


def _plugin(here: HostHere, home: Path) -> Check:
    """Whose the memory slot of OpenClaw is; that it is not ours is no failure."""
    slot: Any = here.told
    for key in _SLOT:
        slot = slot.get(key) if isinstance(slot, Mapping) else None
    if isinstance(slot, str) and hosts_here.NAME in slot.lower():
        return Check("openclaw plugin", True, f"the memory slot is {slot}'s", group=Group.HOSTS)
    owner = f"{slot}'s" if isinstance(slot, str) else f"as it comes, {_USUAL_SLOT}'s"
    why = f"not installed; OpenClaw's memory slot is {owner}"
    if here.entry is not None:
        return Check("openclaw plugin", True, f"{why}; the tools come over MCP", group=Group.HOSTS)
    return Check("openclaw plugin", None, why, f"for its tools, {here.fix(home)}", Group.HOSTS)

"""Checks around the memory: the HTTP server and its port, tokens, the language model's server, MCP hosts."""

from __future__ import annotations

import errno
import http.client
import importlib.util
import json
import os
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from cortex import settings as configuration
from cortex import wiring
from cortex._version import __version__
from cortex.access import Tokens
from cortex.clock import SystemClock
from cortex.domain.health import Check, Group
from cortex.errors import EngineError, install_command
from cortex.services.health.health_checks import BackgroundProbe
from cortex.settings import Settings
from cortex.surfaces.cli import host_detection, vendors
from cortex.surfaces.cli.host_detection import NAME, DetectedHost, value_at
from cortex.surfaces.cli.mcp_commands import PORT as MCP_PORT
from cortex.surfaces.http import server_file
from cortex.surfaces.http.options import is_loopback

_EXTRAS = {"serve": ("fastapi", "uvicorn", "prometheus_client"), "mcp": ("mcp",)}
_LOCAL_ADDRESS = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}  # noqa: S104 - where to reach such a server
_OTHER_PORTS = 100
_MOST_BYTES = 1 << 20
_MEMORY_SLOT = ("plugins", "slots", "memory")
_DEFAULT_SLOT = "memory-core"

_serving = partial(Check, group=Group.SERVING)
_host = partial(Check, group=Group.HOSTS)


class EnvironmentChecks:
    """All checks, started at once in the background; `offline` skips those that need the network."""

    def __init__(
        self, home: Path, user_home: Path, settings: Settings, *, offline: bool = False, patience: float
    ) -> None:
        # A check makes at most two requests. What takes longer than both is a name lookup that never ends.
        each = patience / 2
        self._patience = patience + 1.0
        works: dict[tuple[str, Group], Callable[[], Iterable[Check]]] = {
            ("port", Group.SERVING): lambda: [
                *extras(),
                tokens(home, settings),
                *port(home, settings, each),
                *hook_server(home),
            ],
            ("mcp hosts", Group.HOSTS): lambda: hosts(home, user_home),
        }
        if not offline:
            works["llm server", Group.PROVIDERS] = lambda: llm_server(settings, each)
        self._probes = {about: BackgroundProbe(partial(_all, work)) for about, work in works.items()}

    def checks(self) -> list[Check]:
        """The results; a check that takes too long is reported as such."""
        found: list[Check] = []
        for (name, group), probe in self._probes.items():
            why, fix = f"no result within {self._patience:g} s", "try again with a longer --timeout"
            found += probe.result(self._patience, partial(list, [Check(name, None, why, fix, group)]))
        return found


def _all(work: Callable[[], Iterable[Check]]) -> list[Check]:
    return list(work())


# --- vendors ----------------------------------------------------------------------------------------------------------


def llm_server(settings: Settings, seconds: float) -> Iterator[Check]:
    """Whether the language model's server can be reached; nothing is sent to it, not even a key."""
    vendor = vendors.LLMS.get(settings.llm.provider)
    option = settings.llm.options.get("base_url")
    own = option if isinstance(option, str) else None
    address = own or (vendor and (configuration.variable(f"{vendor.name.upper()}_BASE_URL") or vendor.address))
    if not address:
        return
    # By its host alone: the rest of an address may contain a secret.
    server, problem = _host_of(address), _unreachable(address, seconds)
    fix = "start it, and check llm.options.base_url" if own else "check the network, or the proxy's settings"
    yield Check("llm server", not problem, f"{server} {problem or 'answers'}", fix if problem else "", Group.PROVIDERS)


def with_key_hint(check: Check, settings: Settings) -> Check:
    """`check`, with the exact command to run if a vendor's key is missing."""
    if check.ok is not False or check.name not in ("embedder", "llm") or "pip install" in check.fix:
        return check
    is_llm = check.name == "llm"
    vendor = vendors.LLMS.get(settings.llm.provider) if is_llm else vendors.EMBEDDERS.get(settings.embedding.provider)
    options = settings.llm.options if is_llm else settings.embedding.options
    if vendor is None or vendor.key(configuration.variable):
        return check
    if any(options.get(name) for name in ("api_key", "base_url", "host")):
        return check
    section = "llm" if is_llm else "embedding"
    return replace(check, fix=f"run `{vendor.export}`, or set {section}.options.api_key")


def _unreachable(address: str, seconds: float) -> str:
    """Why no server answers at this address; empty if one does, whatever it answers."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "is not the address of a server"
    # Without the name and password an address may contain.
    plain = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    is_local = parts.hostname in {"localhost", "127.0.0.1", "::1"}
    opener = build_opener(ProxyHandler({})) if is_local else build_opener()
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
    try:
        parts = urlsplit(address)
        return f"{parts.hostname}" + (f":{parts.port}" if parts.port else "")
    except ValueError:
        return "the server"


# --- serving ----------------------------------------------------------------------------------------------------------


def extras() -> Iterator[Check]:
    """Whether the packages for HTTP and MCP are installed."""
    for extra, modules in _EXTRAS.items():
        absent = [module for module in modules if importlib.util.find_spec(module) is None]
        if absent:
            why = f"`cortex {extra}` needs {', '.join(absent)}"
            yield _serving(extra, None, why, f"run `{install_command(extra)}`")
        else:
            yield _serving(extra, True, f"`cortex {extra}` is installed")


def tokens(home: Path, settings: Settings) -> Check:
    """Whether the tokens can be read, and whether there is one if other machines can reach the server."""
    now, host = SystemClock().now(), settings.serve.host
    try:
        with closing(wiring.open_documents(home, settings, SystemClock())) as documents:
            stored = Tokens(documents, SystemClock())
            known, gone, where = stored.all(), stored.missing(), stored.where if stored.is_shared else ""
    except EngineError as error:
        return _serving("tokens", False, error.message, error.hint)
    if gone is not None:
        return _serving("tokens", False, gone.message, gone.hint)
    active = sum(token.state(now) == "active" for token in known)
    if active:
        return _serving("tokens", True, f"{active:,} active" + (f", shared: {where}" if where else ""))
    if not is_loopback(host):
        why = f"serve.host is {host}, which other machines can reach, but there is no active token"
        return _serving("tokens", False, why, "run `cortex admin tokens create`, or set serve.host to 127.0.0.1")
    if known:
        why = "all are expired or revoked, so every request is refused"
        return _serving("tokens", None, why, "run `cortex admin tokens create`")
    return _serving("tokens", True, "none, and none needed on this machine")


def port(home: Path, settings: Settings, seconds: float) -> Iterator[Check]:
    """Whether `serve` can use its port; if our own server uses it, how that server is."""
    host, number = settings.serve.host, settings.serve.port
    refused = _refusal(host, number) if number else None
    if number == 0:
        yield _serving("port", True, "a free one each time")
    elif refused is None:
        yield _serving("port", True, f"{number} is free for `cortex serve`")
    elif refused != errno.EADDRINUSE:
        reason = "unknown host" if refused < 0 else os.strerror(refused)
        fix = "set serve.host and serve.port to an address of this machine"
        yield _serving("port", False, f"cannot listen on {host}:{number}: {reason}", fix)
    elif (server := _running_server(home, host, number, seconds)) is None:
        other = _free_port(host, number)
        fix = f"run `cortex serve --port {other}`, or set serve.port to {other}"
        yield _serving("port", None, f"{number} is used by another program", fix)
    else:
        yield _serving("port", True, f"{number} is used by Cortex itself")
        yield server


def hook_server(home: Path) -> Iterator[Check]:
    """The server that `cortex hook` and `cortex mcp` use, and why they do not."""
    where = str(home.absolute())
    try:
        usable = server_file.running(where)
    except server_file.Untrusted as error:
        fix = "run `cortex doctor --fix`, or remove the file and restart the server"
        yield _serving("hook server", False, f"{error}, so hooks do not use the server", fix)
        return
    found = usable or server_file.announced(where)
    if found is None:
        return
    about = f"hooks use {found.url}, process {found.pid}"
    if usable is not None and found.version == __version__:
        yield _serving("hook server", True, about)
    elif found.contract != server_file.CONTRACT or found.version != __version__:
        why = f"{found.url} is {found.version}, not the installed version, {__version__}"
        yield _serving("hook server", None, why, "restart it")
    elif found.address is None:
        why = f"{found.url} is not an address of this machine alone, so hooks do not use it"
        yield _serving("hook server", None, why, "listen on 127.0.0.1 or 0.0.0.0")
    else:
        why = f"{found.url} has not read the current cortex.toml, so hooks do not use it"
        yield _serving("hook server", None, why, "restart it")


def _running_server(home: Path, host: str, number: int, seconds: float) -> Check | None:
    """The state of our server at this port; None if it is another program. With tokens its home is unknown."""
    where = _LOCAL_ADDRESS.get(host, host)
    status, headers, body = _request(where, number, "/v1/status", seconds)
    is_open = status == 200 and "version" in body and "degraded" in body
    if not is_open and not (status == 401 and 'realm="cortex"' in headers.get("www-authenticate", "")):
        return None
    address = f"http://[{where}]:{number}" if ":" in where else f"http://{where}:{number}"
    version, served = str(body.get("version", "")), str(body.get("home", "")) if is_open else ""
    about = " ".join(filter(None, (version, f"at {address}")))
    if _request(where, number, "/ready", seconds)[0] != 200:
        return _serving(
            "server", False, f"{about} is not ready: it cannot read its memory", "see its log, then restart it"
        )
    if served and Path(served).resolve() != home.resolve():
        fix = "stop it, or give `cortex serve` another --port"
        return _serving("server", None, f"{about} serves another home, {served}", fix)
    if version and version != __version__:
        return _serving("server", None, f"{about} is not the installed version, {__version__}", "restart it")
    return _serving("server", True, f"{about} is ready")


def _refusal(host: str, number: int) -> int | None:
    """The error number of listening on this port; None if it works."""
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


def _free_port(host: str, taken: int) -> int:
    others = range(taken + 1, min(taken + _OTHER_PORTS, 65_536))
    return next((each for each in others if each != MCP_PORT and _refusal(host, each) is None), 0)


def _request(host: str, number: int, path: str, seconds: float) -> tuple[int, Mapping[str, str], dict[str, Any]]:
    """Status, headers and JSON body of a GET; status 0 if the answer is not HTTP."""
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
    """How the MCP hosts installed on this machine are configured."""
    for detected in host_detection.found(user_home):
        yield _connection(detected, home)
        if detected.host.name == "openclaw":
            yield _plugin(detected, home)


def _connection(detected: DetectedHost, home: Path) -> Check:
    name, title, entry, fix = detected.host.name, detected.host.title, detected.entry, detected.fix(home)
    if detected.problem:
        return _host(name, None, f"{title}: {detected.file} {detected.problem}", f"fix it, then {fix}")
    if entry is None:
        return _host(name, None, f"{title} is installed but not connected", fix)
    if not entry.is_startable:
        return _host(name, False, f"{title} starts {entry.command or 'nothing'}, which does not exist", fix)
    if not detected.serves(home):
        return _host(name, None, f"{title} uses another memory, {entry.home}", fix)
    return _host(name, True, f"{title} uses this memory {'by its URL' if entry.url else 'over stdio'}")


def _plugin(detected: DetectedHost, home: Path) -> Check:
    """Which plugin has the memory slot of OpenClaw; it need not be ours."""
    slot = value_at(detected.content, _MEMORY_SLOT)
    if isinstance(slot, str) and NAME in slot.lower():
        return _host("openclaw plugin", True, f"{slot} has the memory slot")
    owner = slot if isinstance(slot, str) else f"{_DEFAULT_SLOT}, the default,"
    why = f"not installed; {owner} has OpenClaw's memory slot"
    if detected.entry is not None:
        return _host("openclaw plugin", True, f"{why}; the tools come over MCP")
    fix = f"run `cortex hosts install openclaw`, or for its tools alone, {detected.fix(home)}"
    return _host("openclaw plugin", None, why, fix)

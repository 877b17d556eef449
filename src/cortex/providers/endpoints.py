"""Where the requests of a provider go. What is secret about an address is kept apart from it: addresses are logged."""

from __future__ import annotations

import hashlib
import ipaddress
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import SplitResult, unquote, urlsplit

from cortex.errors import InvalidRequest

_NONE: Mapping[str, str] = MappingProxyType({})
_SECRET_HEADER = re.compile(r"auth|cookie|key|token|secret|passw|credential|session|signature", re.IGNORECASE)
_PRIVATE_NAME = re.compile(r"[^.]+|.+\.(?:local|localhost|internal|lan|home\.arpa)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server, and what goes along with every request to it. The headers may hold secrets, and are not shown."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def at(cls, address: str, option: str, headers: Mapping[str, str] = _NONE) -> Endpoint:
        """The endpoint at `address`, which `option` gave; a name and a password in it become a header."""
        parts = _split(address, option)
        host = f"[{parts.hostname}]" if ":" in str(parts.hostname) else str(parts.hostname)
        url = f"{parts.scheme}://{host}{f':{parts.port}' if parts.port else ''}{parts.path.rstrip('/')}"
        if parts.username is None:
            return cls(url, headers)
        login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        return cls(url, {"Authorization": f"Basic {b64encode(login.encode()).decode()}", **headers})

    @property
    def who(self) -> str:
        """How the server is named: by its host alone, because a path may hold a secret too."""
        address = urlsplit(self.url)
        return f"the server at {address.hostname}" + (f":{address.port}" if address.port else "")

    @property
    def fingerprint(self) -> str:
        """A short name of the endpoint, in which no key, cookie or password has a part (B18)."""
        headers = sorted(
            (name.lower(), value) for name, value in self.headers.items() if not _SECRET_HEADER.search(name)
        )
        # `ascii`, since which letters `repr` writes as they are is another set in every version of Python.
        return hashlib.sha256(ascii((self.url, headers)).encode()).hexdigest()[:16]

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine, or at least in the same house."""
        host = urlsplit(self.url).hostname or ""
        try:
            return ipaddress.ip_address(host).is_private
        except ValueError:
            return _PRIVATE_NAME.fullmatch(host) is not None


def _split(address: str, option: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        sound = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        sound = False
    if not sound:
        raise InvalidRequest("is not the address of a server", field=option, hint="such as http://127.0.0.1:8080/v1")
    if parts.query or parts.fragment:
        raise InvalidRequest(
            "holds more than an address", field=option, hint="leave out what follows ? or #; keys go into api_key"
        )
    return parts

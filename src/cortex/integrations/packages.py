"""Which packages the adapters need, and in which versions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata

from cortex.errors import ProviderMissing, install_command


@dataclass(frozen=True, slots=True)
class FrameworkPackage:
    """A package of a framework, and the versions an adapter works with: from `first` on, before `end`."""

    name: str
    first: str
    end: str

    def __str__(self) -> str:
        return f"{self.name}>={self.first},<{self.end}"

    def includes(self, version: str) -> bool:
        return _release(self.first) <= _release(version) < _release(self.end)


PACKAGES: Mapping[str, FrameworkPackage] = {
    "langchain": FrameworkPackage("langchain", "1.3", "2"),
    "agent-framework": FrameworkPackage("agent-framework-core", "1.0", "2"),
    "google-adk": FrameworkPackage("google-adk", "2.0", "3"),
    "llama-index": FrameworkPackage("llama-index-core", "0.14", "0.15"),
    "pydantic-ai": FrameworkPackage("pydantic-ai-slim", "2.0", "3"),
}
"""By extra."""


@contextmanager
def required(extra: str) -> Iterator[None]:
    """Around the imports of an adapter: a package that is missing or of another version is an error with a hint."""
    package = PACKAGES[extra]
    try:
        installed = metadata.version(package.name)
    except metadata.PackageNotFoundError as error:
        raise _missing(package, extra, "is not installed") from error
    if not package.includes(installed):
        raise _missing(package, extra, f"is installed as {installed}")
    try:
        yield
    except ImportError as error:
        raise _missing(package, extra, f"is installed as {installed} but lacks a part: {error}") from error


def _missing(package: FrameworkPackage, extra: str, state: str) -> ProviderMissing:
    return ProviderMissing(
        f"cortex.integrations.{extra.replace('-', '_')} needs {package}, which {state}", hint=install_command(extra)
    )


def _release(version: str) -> tuple[int, ...]:
    """The numbers of a version: 1.2.0rc1 counts as 1.2, the release it leads to, and 1 as 1.0."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(number) for number in found[0].split(".")] if found else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)

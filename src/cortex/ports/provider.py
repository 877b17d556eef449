"""What a provider may offer beyond its port: it has the method, or it has not. Each offer is checked here alone."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from cortex.errors import EngineError


@runtime_checkable
class SelfChecking(Protocol):
    """A provider that can say what keeps it from working, without being used."""

    def trouble(self, *, thorough: bool = False) -> EngineError | None:
        """Why it could not work now; None as far as can be seen. `thorough` also reads what it would load."""


@runtime_checkable
class Closeable(Protocol):
    """A provider that holds something to let go of."""

    def close(self) -> None: ...


@runtime_checkable
class Preloadable(Protocol):
    """A provider that can load its model before it is needed."""

    def begin_loading(self) -> None:
        """Load the model in the background."""


def trouble_of(provider: object, *, thorough: bool = False) -> EngineError | None:
    """What keeps `provider` from working; None where nothing does, or it cannot say."""
    return provider.trouble(thorough=thorough) if isinstance(provider, SelfChecking) else None


def close(provider: object) -> None:
    """Close `provider`, where it can be closed."""
    if isinstance(provider, Closeable):
        provider.close()


def begin_loading(provider: object) -> None:
    """Have `provider` load its model in the background, where it can."""
    if isinstance(provider, Preloadable):
        provider.begin_loading()

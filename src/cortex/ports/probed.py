from __future__ import annotations

from typing import Protocol, runtime_checkable

from cortex.errors import EngineError


@runtime_checkable
class Probed(Protocol):
    """A provider that can tell what stands in its way without being put to work."""

    def trouble(self, *, thorough: bool = False) -> EngineError | None:
        """Why it could not work now; None as far as can be seen. `thorough` also reads what it would load."""
        ...


def trouble_of(provider: object, *, thorough: bool = False) -> EngineError | None:
    """What `provider` says stands in its way; None where it cannot tell."""
    return provider.trouble(thorough=thorough) if isinstance(provider, Probed) else None

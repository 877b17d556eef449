"""Named documents beside the memories: access tokens, the budget of the language model, alerts, a canary.

Several processes, and several hosts where a store is shared, change them one at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

T = TypeVar("T")

TOKENS = "tokens.json"
"""The document with the access tokens. Where documents are files, this is its name under the home."""

LLM_BUDGET = "llm-spending.json"
"""The document with what language models cost."""

ALERTS = "alerts.json"
"""The document with the alerts."""

CANARY = "canary.json"
"""The document with the settings that some sessions try."""

Bodies = dict[str, bytes | None]
"""Documents by name; None where there is none."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it was read."""

    version: Hashable
    """Another one after every change; no earlier one comes back."""
    body: bytes = field(repr=False)


class Documents(Protocol):
    """Documents in one place. Nothing is opened before it is used, and reading creates nothing."""

    @property
    def is_shared(self) -> bool:
        """Whether other hosts use them too."""

    def where(self, name: str) -> str:
        """Where a document is, for messages: a path, or a database without its password."""

    def version(self, name: str) -> Hashable | None:
        """The version of a document, None where there is none. It is cheap, and may be half a second behind others.

        Where the place cannot be reached it is what it was, for a short while.
        """

    def read(self, name: str) -> Document | None:
        """A document as it is now."""

    def change(self, names: Sequence[str], edit: Callable[[Bodies], T], *, wait: bool = True) -> T:
        """What `edit` returns, which is given the bodies of `names` and puts others in their place; None removes one.

        Nobody else changes them meanwhile; without `wait`, it is a `StoreBusy` if somebody does. Everything is written
        durably before this returns, and nothing if `edit` raises. It may be called again if the store was lost.
        The first of `names` is the document that counts. In files, which change one by one, the others are written
        before it and removed after it.
        """

    def close(self) -> None: ...

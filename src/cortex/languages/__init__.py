"""The languages of Cortex: one folder each, which holds all that is particular to it, as data.

`words` of a language is read by the domain and by recall, `extraction` by capture. Nothing outside this package names a
language. docs/extending/capture-pack.md says how to add one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec

from cortex.languages.en import instruction_grammar as instruction_grammar
from cortex.languages.handover import HandOverWords
from cortex.languages.limits import LimitWords
from cortex.languages.ownership import OwnershipWords
from cortex.languages.words import Words

EXTRACTED = ("ja", "zh", "ko", "ru", "en", "es", "de", "fr", "pt", "it")
"""Languages in which memories are extracted without a model. Letters are tried in this order: kana tells Japanese, and
what is left of Han is Chinese."""

READ = ("nl", "ar", "hi")
"""Languages of which some words are known, and no more."""


def _words(code: str) -> Words:
    found: Words = import_module(f"{__name__}.{code}.words").WORDS
    return found


WORDS: tuple[Words, ...] = tuple(map(_words, EXTRACTED + READ))
"""The words of every language."""


def _ownership() -> Iterator[tuple[str, OwnershipWords]]:
    for code in EXTRACTED + READ:
        if find_spec(f"{__name__}.{code}.ownership") is not None:
            yield code, import_module(f"{__name__}.{code}.ownership").OWNERSHIP


OWNERSHIP: Mapping[str, OwnershipWords] = dict(_ownership())
"""What languages say around somebody else's words, by their codes."""


def _handover() -> Iterator[tuple[str, HandOverWords]]:
    for code in EXTRACTED + READ:
        if find_spec(f"{__name__}.{code}.handover") is not None:
            yield code, import_module(f"{__name__}.{code}.handover").HANDOVER


HANDOVER: Mapping[str, HandOverWords] = dict(_handover())
"""What languages say where somebody else's words are handed over, by their codes."""


def _limits() -> Iterator[tuple[str, LimitWords]]:
    for code in EXTRACTED + READ:
        if find_spec(f"{__name__}.{code}.limits") is not None:
            yield code, import_module(f"{__name__}.{code}.limits").LIMITS


LIMITS: Mapping[str, LimitWords] = dict(_limits())
"""How languages limit what is said, by their codes."""

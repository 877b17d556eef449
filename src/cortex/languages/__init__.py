"""The languages of Cortex: one folder each, which holds all that is particular to it, as data.

`words` of a language is read by the domain and by recall, `extraction` by capture. Nothing outside the folder of a
language names it: folders are found by their names. docs/extending/capture-pack.md says how to add one.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import TypeVar

from cortex.languages.amounts import AmountWords
from cortex.languages.en import instruction_grammar as instruction_grammar
from cortex.languages.handover import HandOverWords
from cortex.languages.limits import LimitWords
from cortex.languages.ownership import OwnershipWords
from cortex.languages.words import Words

Table = TypeVar("Table")


def _tables(part: str, kind: type[Table], codes: tuple[str, ...]) -> Mapping[str, Table]:
    """What the module `part` of each language holds, by the codes of those that have one."""
    names = {code: f"{__name__}.{code}.{part}" for code in codes}
    found = {code: getattr(import_module(name), part.upper()) for code, name in names.items() if find_spec(name)}
    assert all(isinstance(table, kind) for table in found.values())
    return found


_FOLDERS = tuple(module.name for module in iter_modules(__path__) if module.ispkg)

WORDS: tuple[Words, ...] = tuple(sorted(_tables("words", Words, _FOLDERS).values(), key=lambda words: words.order))
"""The words of every language, in the order in which languages are tried."""

CODES = tuple(words.lang for words in WORDS)
EXTRACTED = tuple(code for code in CODES if find_spec(f"{__name__}.{code}.extraction"))
"""Languages in which memories are extracted without a model."""

OWNERSHIP = _tables("ownership", OwnershipWords, CODES)
"""What languages say around somebody else's words, by their codes."""
HANDOVER = _tables("handover", HandOverWords, CODES)
"""What languages say where somebody else's words are handed over, by their codes."""
LIMITS = _tables("limits", LimitWords, CODES)
"""How languages limit what is said, by their codes."""
AMOUNTS = _tables("amounts", AmountWords, CODES)
"""How languages that run their words together state amounts, by their codes."""
LISTS: Mapping[str, Mapping[str, str]] = _tables("lists", dict, CODES)
"""Lists of words and patterns by their names, by the codes of languages; `cortex.languages.lists` joins them."""

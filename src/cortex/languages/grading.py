"""By which words the languages show how much a memory matters: the module `grading` of each folder that has one.

A sign is a pattern that is searched for in a text of one sentence or a few, without regard to case. The patterns of all
languages are joined into one. `MEANINGS` says what each sign means.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from cortex.languages import CODES
from cortex.languages.words import either

MEANINGS: Mapping[str, str] = {
    "rule": "It lays down how something is always to be done: an instruction, a policy.",
    "preference": "It says how somebody likes things.",
    "constraint": "It says what would harm somebody: health, diet, beliefs.",
    "asked": "Somebody asks that it be remembered.",
    "decision": "Something was decided.",
    "procedure": "It says how something is done.",
    "task": "Something is still to be done, or due.",
    "incident": "Something went wrong.",
    "cause": "It says why, or how it was fixed.",
    "acknowledgement": "It only says that something was received, or greets.",
    "secret": "It names a credential and gives its value.",
    "progress": "It reports how far work has come.",
    "appointment": "It names an event of a few hours.",
    "soon": "It names a day by its distance: within a week.",
    "at_time": "It names a time of day.",
    "recurring": "It happens again and again.",
    "vague": "It asks, supposes, or speaks of what it does not name.",
    "lasting": "It states something lasting about the speaker, or people and things they know.",
}


@cache
def tables() -> Mapping[str, Mapping[str, str]]:
    """The patterns of each language, by its code and the name of the sign."""
    names = {code: f"cortex.languages.{code}.grading" for code in CODES}
    return {code: import_module(name).GRADING for code, name in names.items() if find_spec(name)}


@cache
def sign(name: str) -> re.Pattern[str]:
    """The pattern that finds a sign in any language."""
    return re.compile(either(table.get(name, "") for table in tables().values()), re.IGNORECASE)

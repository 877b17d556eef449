"""The lists of words and patterns that languages have in their folders."""

from __future__ import annotations

import re

from cortex.languages import LISTS
from cortex.languages.lists import MEANINGS, alternatives, listed
from sweeps import for_each


@for_each("code", LISTS)
def test_a_language_has_only_lists_that_are_explained(code: str):
    assert LISTS[code].keys() <= MEANINGS.keys()


@for_each("name", MEANINGS)
def test_every_explained_list_is_there_and_a_pattern(name: str):
    assert listed(name)
    re.compile(alternatives(name))

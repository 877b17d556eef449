"""Words that decide how two statements stand to each other, of all languages together."""

from __future__ import annotations

from functools import cache

from cortex.domain.terms import spelling
from cortex.languages import WORDS


@cache
def words(name: str) -> frozenset[str]:
    """The words of a list of `RelationWords`, as they are written."""
    return frozenset(_all(name).split())


@cache
def stems(name: str) -> frozenset[str]:
    """The same words as `spelling` has them."""
    return frozenset(spelling(_all(name)))


@cache
def irregular() -> dict[str, str]:
    """Each form of a verb that no stem has in common with the others, and its first form."""
    verbs = (verb.split("/") for verb in _all("irregular").split())
    return {form: forms[0] for forms in verbs for form in forms}


def _all(name: str) -> str:
    return " ".join(getattr(each.relations, name) for each in WORDS)

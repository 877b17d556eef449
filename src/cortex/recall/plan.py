"""From a query to a plan: what is looked for, where, and how much of it is wanted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from cortex.domain.lanes import Lane
from cortex.domain.query import MAX_QUERY_CHARS, Mode, Query
from cortex.domain.scope import DEFAULT_SCOPE, scope_mentions, scope_tag
from cortex.domain.terms import QueryTerm, query_terms
from cortex.languages.lists import finder, listed
from cortex.ports.store import Filter
from cortex.recall import periods
from cortex.recall.periods import Period
from cortex.recall.policy import Relevance
from cortex.recall.recipes import Bounds, Recipe

WARM_LANES = frozenset({Lane.MEMORIES, Lane.NOTES, Lane.SESSIONS})
"""What is searched by default; `docs` is the cold lane, searched only when these have no answer."""

MAX_POOL = 200

# Words that ask for a memory without saying which: they match every turn that talks about talking.
_FRAME_WORDS = listed("question frame")
_ASKS_ORDER = finder("asks order")
_ASKS_SUMMARY = finder("asks summary")
_WORD = re.compile(r"\S+")
_EDGE = re.compile(r"^\W+|(?<!\W)\W+$")

_ASKS_ASSISTANT = finder("asks assistant")
_ASKS_TO_DO = finder("asks to do")


class Overview(StrEnum):
    """What a question asks of many turns at once."""

    ORDER = "order"
    """In which order something came up."""
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything the pipeline needs to know of a query."""

    text: str
    terms: tuple[QueryTerm, ...]
    filter: Filter
    scope: str | None
    scope_inferred: bool
    project: str | None
    """The scope whose own memories are preferred: the current project, or else the scope of the query."""
    cold: bool
    """Whether the docs lane may be searched when the warm lanes have no answer."""
    limit: int
    floor: float
    floor_is_given: bool
    """Whether the caller named the floor; the recipe's own holds only where both legs could compare."""
    budget: int
    keyword_pool: int
    vector_pool: int
    shortlist: int
    automatic: bool
    quarantined: bool
    asks_both: bool
    """Whether the query asks for what the assistant said as well."""
    overview: Overview | None
    period: Period | None
    """The time whose conversations are asked for, where the query names that and no topic."""
    now: datetime
    used_since: datetime | None = None
    """What was last used before this is outside the recipe's window."""
    relevance: Relevance | None = None
    """How relevant a candidate must be in the tier that is tried."""


def plan(query: Query, recipe: Recipe, now: datetime, scopes: Callable[[], Set[str]] = frozenset) -> Plan:
    """How `query` is answered by `recipe`; `scopes` tells which there are, where the query may name one in passing."""
    text = query.text[:MAX_QUERY_CHARS]
    automatic = query.mode is Mode.AUTO
    bounds = recipe.auto if automatic else recipe.search
    limit = query.limit or bounds.limit
    inferred = _inferred_scope(text, scopes) if query.scope is None else None
    scope = query.scope or inferred
    requested_overview = overview(text)
    pools = _pools(recipe, limit)
    wide = recipe.order_pools if requested_overview is Overview.ORDER and automatic else 1
    now = query.asked_at or now
    return Plan(
        text=text,
        terms=query_terms(essence(text) if recipe.essence else text),
        filter=Filter(
            lanes=WARM_LANES if query.lanes is None else query.lanes,
            scopes=_scopes(query, scope),
            kinds=query.kinds,
            since=query.since,
            until=query.until,
        ),
        scope=scope,
        scope_inferred=inferred is not None,
        project=query.project or scope,
        cold=query.lanes is None,
        limit=limit,
        floor=_floor(query, bounds),
        floor_is_given=query.min_score is not None,
        budget=query.budget or recipe.budget,
        keyword_pool=wide * pools[0],
        vector_pool=wide * pools[1],
        shortlist=wide * recipe.shortlist,
        automatic=automatic,
        quarantined=query.quarantined,
        asks_both=asks_both(text),
        overview=requested_overview,
        period=periods.requested(text, now) if automatic and query.as_of is None else None,
        now=now,
        used_since=None if recipe.window is None else now - recipe.window,
    )


def _scopes(query: Query, scope: str | None) -> frozenset[str] | None:
    if scope is None:
        return None
    # A scope that the query names is meant alone.
    return frozenset({scope, DEFAULT_SCOPE} if query.share_personal and query.scope else {scope})


def _inferred_scope(text: str, scopes: Callable[[], Set[str]]) -> str | None:
    """The scope that `text` names by a tag, or by `#name` or `[name]` where there is such a scope (E5)."""
    if (tagged := scope_tag(text)) or not (mentions := scope_mentions(text)):
        return tagged
    there = sorted(scopes())
    known = {name.casefold(): name for name in there} | {name: name for name in there}
    spelled = (spelling for name in mentions for spelling in (name, name.casefold()))
    return next((known[spelling] for spelling in spelled if spelling in known), None)


def essence(text: str) -> str:
    """`text` without words such as "tell me"; unchanged where nothing else is left."""
    bare = _ASKS_ORDER.sub(" ", text)
    kept = [word for word in _WORD.findall(bare) if _EDGE.sub("", word).lower() not in _FRAME_WORDS]
    essential = " ".join(kept)
    return essential if query_terms(essential) else text


def asks_both(text: str) -> bool:
    """Whether the query asks what the assistant said, or for a summary of all that was said."""
    plain = text.replace("’", "'")
    asks_assistant = _ASKS_ASSISTANT.search(plain) and not _ASKS_TO_DO.search(plain)
    return bool(asks_assistant or _ASKS_SUMMARY.search(plain))


def overview(text: str) -> Overview | None:
    """Whether a question asks for an order, a summary, or neither."""
    if _ASKS_ORDER.search(text):
        return Overview.ORDER
    return Overview.SUMMARY if _ASKS_SUMMARY.search(text) else None


def first_person(text: str, speakers: Iterable[str]) -> str:
    """`text` as a speaker would say it: "What did Ann paint?" becomes "What did I paint?"."""
    for name in sorted(speakers, key=lambda name: (-len(name), name)):
        if name not in text:
            continue  # most are not named
        spelled = re.escape(name)
        text = re.sub(rf"\b{spelled}['’]s\b", "my", text)
        text = re.sub(rf"\b{spelled}\b", "I", text)
    return text


def _floor(query: Query, bounds: Bounds) -> float:
    if query.min_score is not None:
        return query.min_score
    return bounds.floor if query.hybrid_floor is None else query.hybrid_floor


def _pools(recipe: Recipe, limit: int) -> tuple[int, int]:
    if recipe.pool_per_result:
        pool = min(limit * recipe.pool_per_result, MAX_POOL)
        return pool, pool
    return max(recipe.keyword_pool, limit), max(recipe.vector_pool, limit)

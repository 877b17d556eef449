"""Recipes: named, versioned settings of the one recall pipeline. A receipt repeats the name, so that any
ranking can be explained and replayed; a change of numbers is a new version."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum

from cortex.domain.canonical import fingerprint
from cortex.errors import InvalidRequest, NotFound
from cortex.recall.packing import Frame
from cortex.recall.policy import OPEN_TIERS, STRICT_TIERS, Labels, Relevance
from cortex.recall.weights import BRIEF, MISSING, NEWER


class KeywordScale(StrEnum):
    """How a keyword score becomes comparable."""

    EVIDENCE = "evidence"
    """As it is: the share of the query's evidence that was found."""
    BEST = "best"
    """As a share of the best (C4)."""
    PLACE = "place"
    """By its place alone: 1/(1+rank) (B5)."""


class VectorScale(StrEnum):
    COSINE = "cosine"
    """The calibrated cosine: 0 for unrelated, 1 for the same."""
    DISTANCE = "distance"
    """1/(1+d) of the Euclidean distance (L1)."""


@dataclass(frozen=True, slots=True)
class Convex:
    """A weighted sum of the legs' scores."""

    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Reciprocal:
    """Reciprocal rank fusion. Other parts of the score are weighed by what first place in every leg gives."""

    k: int


@dataclass(frozen=True, slots=True)
class ConversationWeights:
    """What is known of conversations: boosts, never filters."""

    first_person: bool = False
    """Whether speakers named in the query become "I" for the vector leg: people speak of themselves that way."""
    speaker: float = 0.0
    """For turns of the one speaker the query names."""
    other_roles: float = 0.0
    """Taken off what the user did not say, unless the query asks what the assistant said, or for a summary."""
    question: float = 0.0
    """Taken off turns that only ask."""
    preference: float = 0.0
    """For what says what the user prefers, where the query asks for advice."""
    session: float = 0.0
    """The best score of a turn's session counts for all its turns."""
    reply: float = 0.0
    """A turn is more likely the answer where what was said next is about the question too."""
    answers: float = 0.0
    """And where it follows a question that is about the same."""
    run: float = 0.0
    """In an order or a summary, what the better of the exchanges just before and after counts,"""
    again: float = 0.0
    """and what is taken off for each exchange of the same session that stands above."""
    sources: bool = False
    """Whether a memory and the turn it came from are one candidate."""
    replies_first: bool = False
    """Whether the reply to a question stands above it."""


@dataclass(frozen=True, slots=True)
class PinnedRules:
    """Places kept for rules that apply to a turn, and for a preference that bears on it."""

    memories: int = 0
    turns: int = 0
    """How many lines may be rules, remembered or said; together no more than the larger of the two."""
    nearness: float = 0.0
    """How much nearer a turn is to the topic of a rule than to common subjects, for the rule to apply."""
    preferences: int = 0
    """How many places are kept for preferences where a turn asks for advice or help,"""
    preference: float = 1.0
    """and how similar one must be to it."""

    @property
    def most(self) -> int:
        return max(self.memories, self.turns)


@dataclass(frozen=True, slots=True)
class Abstention:
    """Automatic recall says nothing when the best is below both of these."""

    similarity: float = 0.0
    evidence: float = 0.0
    together: float = 0.0
    """A query that may be about anything needs this much: similarity and `share` of the evidence,"""
    share: float = 0.3
    alone: float = 0.6
    """or this much evidence."""
    small: float = 1.0
    """Where all there is was compared, the best is less like a query by chance: then the bounds count this share,"""
    doubtful: int = 0
    """and at most so many hits are shown below the whole of them."""
    trailing: float = 0.0
    """Nor does it show what scores below this share of the best,"""
    bearing: float = 0.0
    """or bears less than this share of what the best bears on the question, counted from where unrelated texts lie,"""
    spared: float = 0.0
    """unless all that ranks above it takes less than this share of the budget."""


@dataclass(frozen=True, slots=True)
class Answerability:
    """When automatic recall shows nothing because the topic is known, but the answer was never said."""

    best: int = 10
    """Among how many of the best it is looked for."""
    weights: Mapping[str, float] = field(default_factory=lambda: MISSING)
    """What each sign weighs; together they tell that it was never said where they are above 0."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """When a later statement passes an earlier one, where a question asks how something is now."""

    depth: int = 30
    """How many of the best are looked at; what was said and the memory of it count as two."""
    most: int = 4
    """How many statements may pass others."""
    weights: Mapping[str, float] = field(default_factory=lambda: NEWER)
    """What each sign weighs; together they tell that one statement replaces another where they are above 0."""
    brief: Mapping[str, float] = field(default_factory=lambda: BRIEF)
    """The same of statements in few words."""


@dataclass(frozen=True, slots=True)
class Rerank:
    """How many of the best a reranker reads again, and what its score counts beside the first one."""

    depth: int
    weight: float


@dataclass(frozen=True, slots=True)
class Factors:
    """What else a memory's score is made of (X9)."""

    recency: float = 0.0
    half_life: timedelta = timedelta(days=7)
    frequency: float = 0.0
    kind: float = 0.0
    scope: float = 0.0
    project: float = 0.0
    """For memories kept for the project at hand alone (X6)."""
    importance: float = 0.0

    @property
    def weighs_all(self) -> bool:
        """Whether turns and chunks have some of these too."""
        return bool(self.recency or self.frequency or self.kind)


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many hits, and the least score of one."""

    limit: int
    floor: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """One way to recall."""

    name: str
    about: str
    fusion: Convex | Reciprocal
    keyword_scale: KeywordScale = KeywordScale.EVIDENCE
    vector_scale: VectorScale = VectorScale.COSINE
    keyword_pool: int = 50
    vector_pool: int = 50
    shortlist: int = 100
    """How many of the candidates are loaded and looked at closely."""
    order_pools: int = 1
    """How many times as large all three are where the query asks for an order: it goes over whole conversations."""
    pool_per_result: int = 0
    """Where set, the pools are this many times the requested results, at most 200 (B7)."""
    pinned_rules: PinnedRules = PinnedRules()
    essence: bool = False
    """Whether the words that only say "tell me what I said about" are left out of the query."""
    conversation: ConversationWeights = ConversationWeights()
    factors: Factors = Factors()
    window: timedelta | None = None
    """What was last used, or else made, longer ago than this is left out (E8); None: however old it is."""
    decay: timedelta | None = None
    """Half-life of what is dated; what has no date does not decay (B8)."""
    diversity: float | None = None
    """The balance of maximal marginal relevance, where wanted (B8)."""
    freshness: Freshness | None = None
    rerank: Rerank | None = None
    tiers: tuple[tuple[str, Labels], ...] = OPEN_TIERS
    relevance: Relevance | None = None
    """How relevant a candidate must be for its tier to have an answer; None: any candidate will do."""
    auto: Bounds = Bounds(10)
    search: Bounds = Bounds(10)
    abstention: Abstention = Abstention()
    answerability: Answerability | None = None
    budget: int = 2_000
    cold: Bounds = Bounds(3)
    """How many documents are cited where nothing else has an answer,"""
    cold_budget: int = 600
    """and how long they may be together (E15)."""
    frame: Frame = Frame.BOTH

    @property
    def fingerprint(self) -> str:
        """Changes whenever a number does, and only then: other words about it are not another recipe."""
        return fingerprint(replace(self, about=""))

    @property
    def scores_by_place(self) -> bool:
        """Whether a keyword score says only which place a match has, and nothing of how good it is."""
        return self.keyword_scale is KeywordScale.PLACE

    @property
    def uses_keywords(self) -> bool:
        return isinstance(self.fusion, Reciprocal) or self.fusion.weights.get("keyword", 0.0) > 0

    @property
    def uses_vectors(self) -> bool:
        return isinstance(self.fusion, Reciprocal) or self.fusion.weights.get("vector", 0.0) > 0


_BALANCED = Recipe(
    name="balanced.v1",
    about="The default: best over all sets.",
    fusion=Convex({"vector": 1.0, "keyword": 0.3}),
    keyword_pool=100,
    vector_pool=100,
    shortlist=150,
    order_pools=2,
    pinned_rules=PinnedRules(memories=2, turns=1, nearness=0.1, preferences=2, preference=0.35),
    essence=True,
    conversation=ConversationWeights(
        first_person=True,
        speaker=0.15,
        other_roles=0.3,
        question=0.05,
        preference=0.12,
        session=0.15,
        reply=0.13,
        answers=0.06,
        run=0.1,
        again=0.05,
        sources=True,
        replies_first=True,
    ),
    factors=Factors(importance=0.02, project=0.05),
    freshness=Freshness(),
    abstention=Abstention(
        similarity=1 / 3, evidence=0.1, together=0.4, trailing=0.4, bearing=0.25, small=0.75, doubtful=5, spared=0.5
    ),
    answerability=Answerability(),
)

_FILES = Recipe(
    name="files.v1",
    about="0.7 × vectors + 0.3 × keywords, at least 0.35 (B7).",
    fusion=Convex({"keyword": 0.3, "vector": 0.7}),
    keyword_scale=KeywordScale.PLACE,
    pool_per_result=4,
    auto=Bounds(6, 0.35),
    search=Bounds(6, 0.35),
)

_GOVERNED = Recipe(
    name="governed.v1",
    about="Reciprocal ranks, graded importance first, slightly favoring recent memories (E4-E8).",
    fusion=Reciprocal(60),
    factors=Factors(recency=0.02, half_life=timedelta(days=30)),
    tiers=STRICT_TIERS,
    relevance=Relevance(similarity=1 / 3, evidence=0.2, share=0.75, sure=0.5),
    auto=Bounds(5),
    search=Bounds(5),
    frame=Frame.TAGGED,
)

RECIPES: Mapping[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        _BALANCED,
        replace(
            _BALANCED,
            name="deep.v1",
            about="The default plus a reranker: slower, better (X10).",
            rerank=Rerank(depth=20, weight=0.08),
            # A reranker tells by reading what the noun asked for tells by name, and the scores of a cross-encoder lie
            # far apart: what trails behind the best of them may still answer.
            answerability=None,
            abstention=replace(_BALANCED.abstention, trailing=0.0, bearing=0.0),
        ),
        Recipe(
            name="cortex-hybrid.v1",
            about="0.4 × keywords + 0.6 × vectors, each normalized to 0..1 (C4).",
            fusion=Convex({"keyword": 0.4, "vector": 0.6}),
            keyword_scale=KeywordScale.BEST,
            auto=Bounds(15),
            search=Bounds(10),
            budget=500,
            frame=Frame.HEADED,
        ),
        Recipe(
            name="typed.v1",
            about="Similarity, recency, frequency, kind and scope (X9).",
            fusion=Convex({"vector": 0.5}),
            factors=Factors(recency=0.2, half_life=timedelta(days=7), frequency=0.1, kind=0.1, scope=0.1),
            auto=Bounds(10),
            search=Bounds(10),
            budget=2_000,
        ),
        _FILES,
        replace(
            _FILES,
            name="files-decay.v1",
            about="files.v1 with decay of dated notes, half-life 30 days (B8).",
            decay=timedelta(days=30),
        ),
        replace(_FILES, name="files-diverse.v1", about="files.v1 with diversity, λ 0.7 (B8).", diversity=0.7),
        replace(
            _FILES,
            name="files-dated.v1",
            about="files.v1 with decay and diversity (B8).",
            decay=timedelta(days=30),
            diversity=0.7,
        ),
        Recipe(
            name="lancedb.v1",
            about="Vectors alone by distance: 3 at 0.3 when automatic, 5 at 0.5 when searched (L1, L3).",
            fusion=Convex({"vector": 1.0}),
            vector_scale=VectorScale.DISTANCE,
            auto=Bounds(3, 0.3),
            search=Bounds(5, 0.5),
            frame=Frame.TAGGED,
        ),
        _GOVERNED,
        replace(
            _GOVERNED,
            name="governed-recent.v1",
            about="governed.v1 without what was not used for 90 days (E8).",
            window=timedelta(days=90),
        ),
    )
}

DEFAULT = _BALANCED.name


def for_files(*, decay: int | None, diversity: float | None, vector: float, text: float, pool: int) -> str:
    """The recipe of a search of the files, as it is set (B7, B8, B22): one of ours, or one derived from it.

    Its name says what differs, so that a receipt can be replayed whatever is set by then.
    """
    if vector + text <= 0:
        raise InvalidRequest("is 0, as is files.text_weight", field="files.vector_weight", hint="set one of the two")
    base = {(False, False): "files.v1", (True, False): "files-decay.v1", (False, True): "files-diverse.v1"}.get(
        (decay is not None, diversity is not None), "files-dated.v1"
    )
    wanted = {
        "vector": vector / (vector + text), "pool": pool, "half-life": decay, "lambda": diversity
    }  # fmt: skip
    given = {key: value for key, value in wanted.items() if value is not None and value != _FILE_DEFAULTS[key]}
    return base + "".join(f"+{key}={value:.12g}" for key, value in given.items())


_FILE_DEFAULTS = {"vector": 0.7, "pool": 4, "half-life": 30, "lambda": 0.7}


def _derived(name: str) -> Recipe | None:
    """A recipe of `for_files` from its name."""
    base, *parts = name.split("+")
    if base not in RECIPES or not parts:
        return None
    recipe = replace(RECIPES[base], name=name, about=f"{base} with other numbers: {', '.join(parts)}.")
    for part in parts:
        key, _, number = part.partition("=")
        try:
            value = float(number)
        except ValueError:
            return None
        if key == "vector" and 0.0 <= value <= 1.0:
            recipe = replace(recipe, fusion=Convex({"keyword": round(1.0 - value, 12), "vector": value}))
        elif key == "pool" and value >= 1:
            recipe = replace(recipe, pool_per_result=int(value))
        elif key == "half-life" and recipe.decay is not None and value >= 1:
            recipe = replace(recipe, decay=timedelta(days=value))
        elif key == "lambda" and recipe.diversity is not None and 0.0 <= value <= 1.0:
            recipe = replace(recipe, diversity=value)
        else:
            return None
    return recipe


def named(name: str) -> Recipe:
    """The recipe of that name, or an error that says which there are."""
    if name in RECIPES:
        return RECIPES[name]
    if (derived := _derived(name)) is not None:
        return derived
    near = difflib.get_close_matches(name, RECIPES, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(RECIPES)}"
    raise NotFound(f"no recipe {name!r}", hint=hint)

"""Which earlier statement a new one likely changes, where hardly a word is repeated.

"gwen's gone up to 15" changes "its 12 quid a visit w her": what ties them is a rare word, and that the one tells news.
Named signs of the pair, beside all else that is like the new statement, are weighed. The weights are fitted on chats
written for this (`python -m bench.capture.fit_relations`), and none on anybody's conversations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from itertools import product
from statistics import median

from cortex.capture import relations, worth
from cortex.capture.claims import Claim, ClaimValue, ValueKind, differ, read
from cortex.capture.relation_weights import CHANGE
from cortex.capture.worth import WorthScale
from cortex.domain.changes import opens_with_correction, tells_change
from cortex.domain.vectors import Vector

LIKELY = 0.6
"""From here on two statements are flagged: of ten such pairs about eight are a change or contradict each other."""

CROWDED = 0.42
"""Where half of what is most alike is nearer than this, nearness tells nothing: much is said of one thing."""

MOST = 2
"""How many earlier statements one changes at most."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """A statement that was made before, how near it is by meaning, and how long ago it was made."""

    text: str
    cosine: float | None
    """On the calibrated scale; None for what only its words found."""
    apart: timedelta


def news_of(text: str, vector: Vector) -> float:
    """How likely a statement changes anything, as log-odds, by its words and its vector of the built-in model."""
    return worth.weights(WorthScale.NEWS).score(news_signs(text), vector)


def is_news(news: float | None) -> bool:
    """Whether a statement is held against what was said before; None where nobody judged it."""
    return news is not None and news >= worth.weights(WorthScale.NEWS).threshold


def news_signs(text: str) -> frozenset[str]:
    """What a statement shows of news, beside its vector."""
    signs = {
        "tells a change": tells_change(text),
        "corrects": opens_with_correction(text),
        "asks": _asks(text),
    }
    return frozenset(name for name, is_shown in signs.items() if is_shown)


def likely_changed(text: str, news: float | None, earlier: Sequence[Earlier]) -> list[int]:
    """The places of those that `text`, which tells so much `news`, likely changes: the likeliest few first."""
    near = _near(earlier)
    if news is None or not is_news(news) or not near or median(near) > CROWDED:
        return []
    likely = [relations.likely(signs, CHANGE) for signs in change_signs(text, news, earlier)]
    found = sorted(range(len(likely)), key=lambda place: -likely[place])
    return [place for place in found[:MOST] if likely[place] >= LIKELY]


def change_signs(text: str, news: float, earlier: Sequence[Earlier]) -> list[dict[str, float]]:
    """The signs that `text` changes each of the statements before it; none where nothing was compared by meaning."""
    near = _near(earlier)
    if not near:
        return []
    likely_news, given, middle = worth.likelihood(news), read(text), median(near)
    shared = [telling(text) & telling(each.text) for each in earlier]
    rare = _rarity(text, [telling(each.text) for each in earlier])
    tied = [sum(rare[word] for word in words) for words in shared]
    by_meaning, by_words = _places(list(zip(near, strict=True))), _places(list(zip(tied, near, strict=True)))
    return [
        {
            "cosine": near[at],
            "margin": near[at] - middle,
            "by words": 1 / by_words[at] if shared[at] else 0.0,
            "rarest": max((rare[word] for word in shared[at]), default=0.0),
            "rarity": min(_MOST_RARITY, tied[at]),
            "same kind": float(_give_two_values(read(each.text), given)),
            "update": relations.compare(each.text, text, near[at]).update,
            "apart": math.log1p(max(0, each.apart.days)) / 4,
            "asked": float(_asks(each.text)),
            "words": min(_MOST_WORDS, len(given.tokens)) / 20,
            "old words": min(_MOST_WORDS, len(read(each.text).tokens)) / 20,
            "news": news,
            "news by meaning": likely_news / by_meaning[at],
            "news and cosine": likely_news * near[at],
        }
        for at, each in enumerate(earlier)
    ]


def _near(earlier: Sequence[Earlier]) -> list[float]:
    """How near each is by meaning; what only its words found is as near as the farthest. None where none is known."""
    known = [each.cosine for each in earlier if each.cosine is not None]
    return [min(known) if each.cosine is None else each.cosine for each in earlier] if known else []


_MOST_RARITY, _MOST_WORDS = 3.0, 40
_FEWEST = 12
"""Beside fewer statements, no word counts as common."""


def _give_two_values(old: Claim, new: Claim) -> bool:
    """Whether the two give different values of one kind."""
    both = product(_values(old), _values(new))
    return any(was.kind is now.kind and differ(was, now) for was, now in both)


def _values(claim: Claim) -> list[ClaimValue]:
    return [value for value in claim.values if value.kind is not ValueKind.NAME]


def _asks(text: str) -> bool:
    return text.rstrip().endswith(("?", "？"))


@lru_cache(maxsize=8_192)
def telling(text: str) -> frozenset[str]:
    """The words of a text that are rare enough to tie it to another."""
    return frozenset(word for word, weight in read(text).words.items() if weight >= 1.0)


def _rarity(text: str, others: Sequence[frozenset[str]]) -> dict[str, float]:
    """How rare each telling word is among other statements: 1 where one has it, 0 where all have."""
    most = math.log(1 + max(len(others), _FEWEST))
    count = {word: sum(word in each for each in others) for word in telling(text)}
    return {word: 1 - math.log(max(1, number)) / most for word, number in count.items()}


def _places(values: Sequence[tuple[float, ...]]) -> list[int]:
    """The place of each value among all, the largest first."""
    order = sorted(range(len(values)), key=lambda at: tuple(-part for part in values[at]))
    places = [0] * len(values)
    for place, at in enumerate(order, start=1):
        places[at] = place
    return places

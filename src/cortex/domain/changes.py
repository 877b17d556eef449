"""How a statement says that something is no longer as it was: one list per language, for capture and for recall.

Capture weighs such words when it decides what is worth remembering; recall lets the later of two statements lead. To
teach both another way of saying it, add it here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

CHANGED: Mapping[str, str] = {
    # Phrases stand apart by commas; each is a whole word or several.
    "en": """
        now, no longer, any more, anymore, these days, as of, since, used to, instead, instead of, bumped, down to,
        up to, went to, went up, went down, switched, moved, dropped, changed, turned into, reached,
        extended, extension, slid, pushed, from now, gone, has become, became, is over, ended, stopped, gave up, quit,
        latest, new, out of date, outdated, should be, make that, replaced, puts me at, brings us to, goes to, until,
        back to, raised, lowered, increased, decreased, reduced, expanded, doubled, halved, grown to, grew to, rose to,
        fell to, shifted, postponed, rescheduled, delayed, brought forward, rebooked, migrated, relocated, upgraded,
        downgraded, updated, improved, rewrote, renamed, revised, adjusted, took over, taken over
    """,
    "de": r"""
        jetzt, inzwischen, mittlerweile, nicht mehr, kein\w* [\wäöüß]+ mehr, neuerdings, ab sofort, auf \d\S*,
        erhöht, gesenkt, gestiegen, gesunken, verschoben, verlängert, vorverlegt, geändert, umgestellt,
        seit kurzem, statt, stattdessen, nur noch, ab \d+\., neuer, neue
    """,
    "es": r"""
        ahora (?!mismo)[^.]*, ya no, ya (?:vamos|somos|son|tenemos|es|está|llevamos), ha subido, han subido,
        subimos, subió, ha bajado, bajó, bajamos, ha pasado a, pasó a, pasa a, ha pasado a ser, pasa a ser,
        se ha movido, se aplaza, se adelanta, se retrasa, ha cambiado, ha quedado en, queda en, quedan,
        se ha ampliado, se amplía, cambió a, hasta el, dejé, ya tenemos, al final son, a partir del?,
        vuelve a ser
    """,
    # Without spaces between words these are patterns as they are.
    "zh": (
        "(?:改|推|延|涨|降|升|调|换|变|挪|移|提前|推迟|延期|搬|减|增)(?:到|至|成|为|成了|到了)"
        "|(?:现在|目前|如今|已经|就剩|只剩|不再|最新|起)[^，。]{0,12}(?:是|有|共|个|名|人|了|用|在)"
        "|刚过|到期|过期|突破|超过|破了|(?:写|做|读|学|跑|攒|存|练|背)到"
        "|戒(?:了|掉)|送人了|卖了|退了|停了|不[^，。]{1,8}了$"
    ),
    "ja": (
        "(?:に|へ|まで|と|が|も)(?:変更|延期|変わ|なりまし|なった|なって|延び|増え|減っ|減り|上が|下が|移っ|移り"
        "|切り替|決ま|変え|動い|移転|超え|突破|達し|届き|切り)"
        "|になりまし|になった|今は|現在|もう[^。]{1,20}(?:ない|ません|て)|やめ(?:まし|た|て)|辞め|じゃなくなっ|切って"
    ),
}
"""What says that something changed."""

CORRECTED: Mapping[str, str] = {
    "en": "actually, correction, sorry, wait, scratch that, no wait",
    "de": "korrektur, ich korrigiere, stimmt nicht, falsch gesagt, war falsch, vertan, verschrieben, meinte",
    "es": "corrección, corrijo, rectifico, quise decir, perdón, estaba mal",
    "zh": "更正|纠正|说错|记错|弄错|搞错",
    "ja": "訂正|正しくは|間違いで|間違え",
}
"""What says that something said before was wrong."""

_DENIES = r"(?:no|nope|nein|doch|いいえ|不)[,.!，、。]"
"""How a reply opens that takes back what was said just before."""

_UNSPACED = frozenset({"zh", "ja"})


def opens_with_correction(text: str) -> bool:
    """Whether a text begins by correcting what was said before it."""
    return bool(_correction().match(text))


@cache
def _correction() -> re.Pattern[str]:
    spaced = [phrase for name, phrases in CORRECTED.items() if name not in _UNSPACED for phrase in _split(phrases)]
    unspaced = [phrases for name, phrases in CORRECTED.items() if name in _UNSPACED]
    return re.compile(rf"\W{{0,8}}(?:{_DENIES}|{_whole(spaced)}|{'|'.join(unspaced)})", re.IGNORECASE)


def tells_change(text: str, start: int = 0, end: int | None = None) -> bool:
    """Whether a change or a correction is told between two places of `text`, in any language known here."""
    part = text[start:end]
    if not part.isascii():
        return _told().search(part) is not None
    # To try every phrase at every place takes far longer than to look at the words phrases begin with.
    openings = _by_opening()
    return any(openings[word].search(part) for word in openings.keys() & _WORD.findall(part.lower()))


_WORD = re.compile(r"[a-z]+")


@cache
def _by_opening() -> Mapping[str, re.Pattern[str]]:
    """The phrases of languages with spaces by their first word."""
    phrases: dict[str, list[str]] = {}
    for phrase in (phrase for lang, words in _lists() if lang not in _UNSPACED for phrase in _split(words)):
        if found := _WORD.match(phrase):
            phrases.setdefault(found.group(), []).append(phrase)
    return {word: re.compile(_whole(some), re.IGNORECASE) for word, some in phrases.items()}


@cache
def _told() -> re.Pattern[str]:
    spaced = [_whole(_split(words)) for lang, words in _lists() if lang not in _UNSPACED]
    unspaced = [words for lang, words in _lists() if lang in _UNSPACED]
    return re.compile("|".join((*spaced, *unspaced)), re.IGNORECASE)


def _lists() -> list[tuple[str, str]]:
    return [*CHANGED.items(), *CORRECTED.items()]


def _split(phrases: str) -> list[str]:
    return re.split(r",\s+", " ".join(phrases.split()))


def _whole(phrases: Iterable[str]) -> str:
    return rf"\b(?:{'|'.join(phrases)})\b"

"""The terms of keyword search (B5): what a text of any script is found by, and what a query looks for.

A word gives the same terms wherever it stands, so a short query agrees with a long document: no language is guessed.
A term holds letters, digits, marks and symbols such as emoji, and of ASCII punctuation at most `_ - . / # @ : +`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from operator import add

from cortex.domain.stopwords import STOP_WORDS, UNSPACED_QUESTION_WORDS
from cortex.domain.text import normal

TOKENIZER = "terms.v1"
"""Stored with an index; change it whenever the output of this module changes."""

MAX_QUERY_CHARACTERS = 4_000
MAX_QUERY_TERMS = 128

_MAX_WORD = 64
_MAX_WHOLE = 128  # a longer identifier is found by its parts alone
_MAX_STEM = 8  # photograph = photography; German hit@10 0.972 -> 0.982 and English unchanged, with no language guessed
_HASH_PREFIXES = range(6, 13)

# Query weights. A part counts half of its whole, so a text with the whole ranks above one with the parts.
_PART = 0.5
_SHORTER_HASH = 0.2
_KATAKANA_PAIR = 0.5  # a loan word is one word, however many pairs it falls into
_WORD_AMONG_CJK = 2.5  # a Latin name or a number gives one term where a Chinese name gives three or more

_MAX_CACHED_TOKENS = 30_000
_MAX_CACHED_TOKEN = 32

# --- characters -------------------------------------------------------------------------------------------------------

# `\w` leaves out combining marks, which are part of the word in Hindi, Arabic, Hebrew, Tamil and many more, and the
# invisible joiners. A range may also cover letters; the dandas and other punctuation of these scripts stay outside.
_MARKS = (
    "\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f"
    "\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u0816-\u082d\u08d3-\u08e1"
    "\u08e3-\u0963\u0981-\u09e3\u0a01-\u0a75\u0a81-\u0ae3\u0b01-\u0b63\u0b82-\u0bcd\u0bd7\u0c00-\u0c63\u0c81-\u0c83"
    "\u0cbc-\u0ce3\u0d00-\u0d4d\u0d57-\u0d63\u0d81-\u0df3\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e\u0f3f\u0f71-\u0f84\u0f86-\u0fbc"
    "\u135d-\u135f\u1712-\u1714\u1732-\u1734\u18a9\u1920-\u193b\u1a17-\u1a1b\u1b00-\u1b04\u1b34-\u1b44\u1c24-\u1c37"
    "\u1dc0-\u1dff\u200c\u200d\u2060\u20d0-\u20f0\ufe00-\ufe0f\ufe20-\ufe2f"
)
# Han, Hiragana, Katakana, Bopomofo and Hangul; not the middle dot (U+30FB), which separates words.
_CJK = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3040-\u30fa\u30fc-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
# Thai, Lao, Myanmar and Khmer letters and marks: scripts that put no space between words.
_UNSPACED = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u0edc-\u0edf\u1000-\u103f\u1050-\u109f\u1780-\u17d3\uaa60-\uaa7f"
# One letter of these: a leading vowel, a consonant, its marks and stacked consonants, a closing vowel.
_CLUSTER = (
    "[\u0e40-\u0e44\u0ec0-\u0ec4]?[^\u0e40-\u0e44\u0ec0-\u0ec4]"
    "(?:[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u102b-\u1038\u103a-\u103e\u1056-\u1059\u105e-\u1060"
    "\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u109a-\u109d\u17b4-\u17d1\u17d3]|[\u1039\u17d2].)*"
    "[\u0e30\u0e32\u0e45\u0eb0\u0eb2]?|."
)
_EMOJI = "\u2600-\u27bf\U0001f000-\U0001faff"

# A token runs on over the connectors of identifiers, paths, addresses and numbers; its parts are taken from it later.
# All but the first run is optional, so a match never backtracks and time is linear in the text.
_SHAPE = r"#?{0}+(?:(?:[-./@:+#&'’]{{1,2}}|(?<=\d),(?=\d\d\d(?!\d))){0}+)*(?:\+\+|#)?"
_ASCII_TOKEN = re.compile(_SHAPE.format("[A-Za-z0-9_]"))

_KATAKANA_ONLY = re.compile("[\u30a0-\u30ff]{2}")
_SKIN_TONE = re.compile("[\U0001f3fb-\U0001f3ff]")


@dataclass(frozen=True, slots=True)
class _Scripts:
    """The patterns for more than ASCII."""

    token: re.Pattern[str]
    run: re.Pattern[str]
    cjk: re.Pattern[str]
    unspaced: re.Pattern[str]
    cluster: re.Pattern[str]
    question: re.Pattern[str]


@cache
def _scripts() -> _Scripts:
    """Compiled on first use: it takes ten milliseconds, which a text in ASCII need not wait for."""
    return _Scripts(
        token=re.compile(_SHAPE.format(rf"[\w{_MARKS}{_CJK}{_UNSPACED}{_EMOJI}]")),
        run=re.compile(f"([{_CJK}]+|[{_UNSPACED}]+|[{_EMOJI}])"),
        cjk=re.compile(f"[{_CJK}]"),
        unspaced=re.compile(f"[{_UNSPACED}]"),
        cluster=re.compile(_CLUSTER),
        question=re.compile(UNSPACED_QUESTION_WORDS),
    )


def _runs(token: str) -> list[str]:
    """The stretches of a token that are one kind of script: "iPhone15发布" is a name and a Chinese word."""
    return [token] if token.isascii() else [run for run in _scripts().run.split(token) if run]


def _letters(run: str) -> Sequence[str]:
    """What a reader sees as the letters of an unspaced run; empty for a script that has words."""
    if run.isascii():
        return ()
    if _scripts().cjk.match(run):
        return run
    return _scripts().cluster.findall(run) if _scripts().unspaced.match(run) else ()


# --- folding and stemming ---------------------------------------------------------------------------------------------

# Joiners, variation selectors, Arabic vowel marks and tatweel, Hebrew points: spelling that a reader may leave out.
_UNWRITTEN = re.compile(
    "[\u00ad\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u200c\u200d\u2060\ufe00-\ufe0f]"
)
# Accents of Latin and Greek, and the stress marks of Cyrillic; the breve of Cyrillic й makes a letter of its own.
_ACCENT = re.compile("(?<=[a-zæøœ\u0370-\u03ff])[\u0300-\u036f]+|(?<=[\u0430-\u044f])[\u0300\u0301]")
_FOREIGN_DIGIT = re.compile(r"[^\x00-\x7f\D]")
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ё": "е"}
)
_ARABIC_LETTERS = str.maketrans("آأإٱىیةک", "اااايي" + "هك")


def _fold(word: str) -> str:
    """The word as it compares: lower case, without accents and optional marks, digits in ASCII."""
    if word.isascii():
        return word.lower()
    bare = _ACCENT.sub("", normal("NFD", _UNWRITTEN.sub("", word.casefold())))
    return _FOREIGN_DIGIT.sub(_ascii_digit, normal("NFC", bare)).translate(_LETTERS)


def _ascii_digit(found: re.Match[str]) -> str:
    return str(unicodedata.decimal(found.group()))


_STEMMERS = (
    (re.compile("[a-z\u00c0-\u024f\u1e00-\u1eff]"), "english"),
    (re.compile("[\u0400-\u052f]"), "russian"),
    (re.compile("[\u0600-\u06ff]"), "arabic"),
    (re.compile("[\u0900-\u097f]"), "hindi"),
    (re.compile("[\u0370-\u03ff]"), "greek"),
)


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    import Stemmer  # on first use: most commands never need it

    # Its own cache off: the lexicon below remembers more, and remembers it for everyone.
    stem: Callable[[str], str] = Stemmer.Stemmer(language, 0).stemWord
    return stem


def _stem(folded: str) -> str:
    """The stem that the forms of a word share, by the stemmer of its script; English serves all Latin languages."""
    for script, language in _STEMMERS:
        if script.match(folded):
            return _stemmer(language)(folded).translate(_ARABIC_LETTERS)[:_MAX_STEM]
    return folded


# --- one token and its terms ------------------------------------------------------------------------------------------

# From the loosest connector to the tightest: a path has segments, a segment an extension, a name its words.
_CONNECTORS = (re.compile("[/@:#]+"), re.compile("[.]+"), re.compile("[-_+&,'’]+"))
_NAME = len(_CONNECTORS) - 1
_NOT_IN_TERMS = re.compile("[&,'’]")
_ISSUE = re.compile(r"(?<!^)#\d+")
_DOTTED_VERSION = re.compile(r"v(?=\d+\.\d)", re.IGNORECASE)
_CLITIC = re.compile(r"['’](?:s|ll|re|ve|d|m)$|^(?:[cdjlmnst]|qu)['’](?=..)", re.IGNORECASE)
_NEGATION = re.compile(r"n['’]t$", re.IGNORECASE)
_HUMP = re.compile("[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
_HUMPS = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_HEX = re.compile("[0-9a-f]{6,}")
_DIGIT = re.compile(r"\d")

_Weighted = tuple[str, float]


def _token_terms(token: str) -> Iterator[_Weighted]:
    """The terms of one token, each with its weight in a query."""
    for run in _runs(token):
        if letters := _letters(run):
            yield from ((term, _letter_weight(term)) for term in _letter_terms(letters))
        else:
            yield from _identifier_terms(run)


def _indexed_terms(token: str) -> Iterator[str]:
    """The same terms without their weights, which cost time that only a query needs to spend."""
    if token.isascii() and token.isalpha():  # most tokens: a word without anything to take apart
        yield from (term for term, _ in _name_terms(token, 1.0))
        return
    for run in _runs(token):
        if letters := _letters(run):
            yield from _letter_terms(letters)
        else:
            yield from (term for term, _ in _identifier_terms(run))


def _letter_terms(letters: Sequence[str]) -> list[str]:
    """Letters and pairs of neighbors: they find every word without a dictionary."""
    if len(letters) == 1:
        return [letters[0]]
    # A lone Hiragana is a particle or an ending and tells nothing.
    singles = [letter for letter in letters if not "\u3040" <= letter <= "\u309f"]
    return singles + list(map(add, letters, letters[1:]))


def _letter_weight(term: str) -> float:
    return _KATAKANA_PAIR if _KATAKANA_ONLY.fullmatch(term) else 1.0


def _identifier_terms(token: str) -> Iterator[_Weighted]:
    """A word by its stem; an identifier, path, address or number whole and by its parts; an emoji as itself."""
    return _connected_terms(_bare(token.strip("-./@:&,'’")), level=0, weight=1.0)


def _bare(token: str) -> str:
    """The token without possessive, contraction, elision and the v of a version: Caroline's, l'homme, v4.2.1."""
    if "'" in token or "’" in token:
        token = _NEGATION.sub("nt", _CLITIC.sub("", token))
    return _DOTTED_VERSION.sub("", token, count=1) if token[:1] in "vV" else token


def _connected_terms(token: str, level: int, weight: float) -> Iterator[_Weighted]:
    for tightness in range(level, len(_CONNECTORS)):
        parts = [part for part in _CONNECTORS[tightness].split(token) if part]
        if parts != [token]:
            yield from _whole_terms(token, parts, tightness, weight)
            for part in parts:
                yield from _connected_terms(part, tightness + 1, weight * _PART)
            return
    yield from _name_terms(token, weight)


def _whole_terms(token: str, parts: list[str], tightness: int, weight: float) -> Iterator[_Weighted]:
    if not parts:
        return
    if len(token) <= _MAX_WHOLE and not _NOT_IN_TERMS.search(token):
        yield _fold(token), weight
    if tightness == _NAME and len(parts) > 1:
        # e-mail = email, user_id = userId = userid, 1,000 = 1000
        yield from _word_terms("".join(parts), weight)
    if tightness == 0:
        for issue in _ISSUE.findall(token):
            yield issue, weight


def _name_terms(name: str, weight: float) -> Iterator[_Weighted]:
    """A word, or a camelCase name by itself and by its words."""
    yield from _word_terms(name, weight)
    if _HUMP.search(name) and len(name) <= _MAX_WORD:
        for word in _HUMPS.findall(name):
            yield from _word_terms(word, weight * _PART)


def _word_terms(word: str, weight: float) -> Iterator[_Weighted]:
    folded = _fold(word)[:_MAX_WORD]
    if not folded or _SKIN_TONE.match(folded):
        return
    if not _DIGIT.search(folded):
        yield _stem(folded), weight
        if _HEX.fullmatch(folded):  # "decade" may also be the beginning of a hash
            yield folded, weight * _PART
    elif _HEX.fullmatch(folded) and not folded.isdigit():
        yield from _hash_terms(folded, weight)
    else:
        yield folded, weight


def _hash_terms(digits: str, weight: float) -> Iterator[_Weighted]:
    """A hash and its beginnings, so that it is found by any prefix of six digits or more, and finds its short forms."""
    longest = min(len(digits), _HASH_PREFIXES[-1])
    if len(digits) > longest:
        yield digits, weight
    yield digits[:longest], weight
    for length in range(_HASH_PREFIXES[0], longest):
        yield digits[:length], weight * _SHORTER_HASH


class _Lexicon(dict[str, tuple[str, ...]]):
    """Remembers the terms of short tokens: a text is mostly words seen before."""

    def __missing__(self, token: str) -> tuple[str, ...]:
        terms = tuple(_indexed_terms(token))
        # A run of Chinese is a clause, seldom seen twice.
        if len(token) <= _MAX_CACHED_TOKEN and (token.isascii() or not _scripts().cjk.search(token)):
            if len(self) >= _MAX_CACHED_TOKENS:
                self.clear()
            self[token] = terms
        return terms


_lexicon = _Lexicon()


class _Words(dict[str, tuple[str, ...]]):
    """The same of what stands between spaces, in ASCII: to look for the tokens in it takes longer than to split."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        terms = tuple(chain.from_iterable(map(_lexicon.__getitem__, _ASCII_TOKEN.findall(word))))
        if len(word) <= _MAX_CACHED_TOKEN:
            if len(self) >= _MAX_CACHED_TOKENS:
                self.clear()
            self[word] = terms
        return terms


_words = _Words()


# --- texts and queries ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A term to look for; `weight` multiplies what it adds to a score."""

    text: str
    weight: float = 1.0


def index_terms(text: str) -> list[str]:
    """Every term `text` is found by, in order, repeats kept."""
    if text.isascii():  # then no token has a space within
        found: list[str] = []
        for word in text.split():
            found += _words[word]
        return found
    return list(chain.from_iterable(map(_lexicon.__getitem__, _tokens(text))))


def query_terms(query: str) -> tuple[QueryTerm, ...]:
    """The distinct terms to look for; stop words count only in quotes, or where there is nothing else."""
    text = _query_text(query)
    quoted = [token for phrase in _QUOTED.findall(text) for token in _tokens(phrase)]
    tokens = _telling(_QUOTED.sub(" ", text)) + quoted or _tokens(text)
    weights: dict[str, float] = {}
    for term, weight in chain.from_iterable(map(_token_terms, tokens)):
        weights[term] = max(weight, weights.get(term, 0.0))
    return tuple(QueryTerm(term, weight) for term, weight in _limited(_balanced(weights)))


def spelling(text: str) -> tuple[str, ...]:
    """The words of `text` one by one, identifiers split and unspaced scripts by letter: the order phrases keep."""
    return tuple(filter(None, chain.from_iterable(map(_spelled, _tokens(text)))))


_QUOTED = re.compile('"([^"]*)"')
_CURLY_QUOTES = str.maketrans("“”„‟", '""""')
_ANY_CONNECTOR = re.compile("[-/@:#._+&,'’]+")


def _query_text(query: str) -> str:
    """As much of the query as counts, normal, with straight quotes."""
    start = query[:MAX_QUERY_CHARACTERS]
    if start.isascii():
        return start
    return normal("NFKC", start)[:MAX_QUERY_CHARACTERS].translate(_CURLY_QUOTES)


def _tokens(text: str) -> list[str]:
    if text.isascii():
        return _ASCII_TOKEN.findall(text)
    return _scripts().token.findall(normal("NFKC", text))


def _telling(text: str) -> list[str]:
    """The tokens of `text` that are more than the words of a question."""
    statement = text if text.isascii() else _scripts().question.sub(" ", text)
    return [token for token in _tokens(statement) if _fold(_bare(token)) not in STOP_WORDS]


def _balanced(weights: dict[str, float]) -> dict[str, float]:
    """The weights, with words raised where they stand among the many pairs of Chinese or Japanese."""
    words = {term for term in weights if term.isascii() or not _scripts().cjk.match(term)}
    if len(words) == len(weights):
        return weights
    return {term: weight * _WORD_AMONG_CJK if term in words else weight for term, weight in weights.items()}


def _limited(weights: dict[str, float]) -> Iterable[_Weighted]:
    """At most so many terms: the longest, because they are likely the rarest, in the order of the query."""
    if len(weights) <= MAX_QUERY_TERMS:
        return weights.items()
    kept = set(sorted(weights, key=len, reverse=True)[:MAX_QUERY_TERMS])
    return [(term, weight) for term, weight in weights.items() if term in kept]


def _spelled(token: str) -> Iterator[str]:
    for run in _runs(token):
        yield from _letters(run) or map(_spelled_word, _ANY_CONNECTOR.split(_bare(run)))


def _spelled_word(word: str) -> str:
    return _stem(_fold(word)[:_MAX_WORD])

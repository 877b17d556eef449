"""What the clauses of a message speak of: work on a text, a text, other people, how something came here, a story.

Words of one language have to agree: "was" is no German word in an English clause. A clause is looked up word by word,
so the cost grows with its length alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache

from cortex.domain.ownership.words import alternatives, bounded, either
from cortex.languages import HANDOVER as WORDS
from cortex.languages.lists import listed

MOST_CLAUSES = 60

_ENDS = re.compile(
    r"(?<![.!?…])[.!?…]++(?=\s|\Z)|[。！？]+|\n+|[:：](?!\d|//)|\s[-–—]+\s|[;；]"
    rf"|[，、](?={alternatives('clause_begins', spaced=False)})|,(?=\s(?:{alternatives('clause_begins', spaced=True)}))"
)
TOKEN = re.compile(r"[^\W_]+(?:['&-][^\W_]+)*")
_ELISION = re.compile(r"(?<=\bl)'")
HAN = re.compile("[\u3400-\u9fff]")
KANA = re.compile("[\u3040-\u30ff]")
_BREAKS = frozenset("\n:：-–—")
_SUBJECT = re.compile(rf"(?i){bounded('i', 'tells_of_self')}|{alternatives('declares_anywhere', spaced=False)}")
_DECLARES = re.compile(rf"(?i)\s*{bounded('declares')}")
_QUESTION = re.compile(
    rf"(?i)\s*(?:{bounded('question_opens')}"
    rf"|[^\n]{{0,40}}(?:{alternatives('question_opens', spaced=False)}))"
)
PAUSES = re.compile(r"[,，、;]")
SHORT = 7
_SHORT_UNSPACED = 14
_EARLY = 3
_EARLY_UNSPACED = 10
_LONGEST_PHRASE = 3
_LEAST_STEM = 3


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch up to a mark, and what it speaks of in each language."""

    start: int
    stop: int
    said: str
    mark: str
    seen: dict[str, frozenset[str]]
    at: dict[str, int]
    """Where each field stands first, in any language: the number of a word, or of a letter."""
    size: int
    any: frozenset[str]
    """What it speaks of in any language."""

    @property
    def first(self) -> frozenset[str]:
        """What its first word is."""
        return frozenset(field for field, at in self.at.items() if at == 0)

    @property
    def early(self) -> frozenset[str]:
        """What its first words are."""
        least = _EARLY_UNSPACED if self.is_unspaced else _EARLY
        return frozenset(field for field, at in self.at.items() if at < least)

    @property
    def asks(self) -> bool:
        return "?" in self.mark or "？" in self.mark or _QUESTION.match(self.said) is not None

    @property
    def tells(self) -> bool:
        """Whether the user tells something of themselves, and asks for nothing."""
        return not self.asks and bool(_SUBJECT.search(self.said) or _DECLARES.match(self.said))

    @property
    def is_unspaced(self) -> bool:
        return not self.said.isascii() and HAN.search(self.said) is not None

    @property
    def is_short(self) -> bool:
        return self.size <= self._few

    @property
    def is_long(self) -> bool:
        """Whether it says more than a greeting or a plain request does."""
        return self.size > 3 * self._few

    @property
    def _few(self) -> int:
        return _SHORT_UNSPACED if self.is_unspaced else SHORT

    @property
    def is_apart(self) -> bool:
        """Whether a line break, a colon or a dash sets the next clause apart."""
        return bool(_BREAKS & set(self.mark))


# --- what a clause speaks of ----------------------------------------------------------------------------------------


def folded(text: str) -> str:
    if text.isascii():
        return text.casefold()
    folded = unicodedata.normalize("NFD", text.replace("’", "'").casefold())
    return "".join(each for each in folded if not unicodedata.combining(each))


Index = dict[str, list[tuple[str, str]]]


@cache
def _index() -> tuple[Index, Index]:
    """Words and stems of the languages with spaces: for each, the languages and fields that have it."""
    words: Index = {}
    stems: Index = {}
    for code, table in WORDS.items():
        for field in fields(table) if table.spaced else ():
            for word in () if field.name == "spaced" else getattr(table, field.name).split():
                plain = folded(word).replace("_", " ").strip()
                kept, key = (stems, plain[:-1]) if plain.endswith("*") else (words, plain)
                kept.setdefault(key, []).append((code, field.name))
    return words, stems


@cache
def _unspaced(code: str) -> dict[str, tuple[str, ...]]:
    table = WORDS[code]
    return {field.name: tuple(getattr(table, field.name).split()) for field in fields(table) if field.name != "spaced"}


_Hit = tuple[int, int, str, str]
"""The place of a word and of the next one after it, its language and its field."""


@cache
def _leading_words() -> frozenset[str]:
    """The first words of the phrases."""
    return frozenset(phrase.partition(" ")[0] for phrase in _index()[0] if " " in phrase)


_Known = tuple[tuple[str, str], ...]
"""The languages and fields that have a word."""


@lru_cache(maxsize=4_096)
def _known(token: str) -> tuple[_Known, bool, _Known] | None:
    """Who has a word itself, whether it may begin a phrase, and who has it without its ending; None for nobody."""
    words, stems = _index()
    inflected = list(words.get(token[:-2], ())) if token.endswith("'s") else []
    for length in range(min(_LEAST_STEM, len(token)) - 1, len(token) + 1):
        inflected += stems.get(token[:length], ())
    known = tuple(words.get(token, ())), token in _leading_words(), tuple(inflected)
    return known if any(known) else None


def _spaced_hits(tokens: Sequence[str]) -> list[_Hit]:
    """The words and phrases that some language knows."""
    words, _ = _index()
    hits: list[_Hit] = []
    for at, token in enumerate(tokens):
        known = _known(token)
        if known is None:
            continue
        own, may_lead, inflected = known
        hits += [(at, at + 1, code, field) for code, field in own]
        for size in range(2, min(_LONGEST_PHRASE, len(tokens) - at) + 1) if may_lead else ():
            phrase = words.get(" ".join(tokens[at : at + size]), ())
            hits += [(at, at + size, code, field) for code, field in phrase]
        hits += [(at, at + 1, code, field) for code, field in inflected]
    return hits


def _unspaced_language(text: str, said: str) -> str:
    """The language without spaces that a clause is in, where it is: the first one listed is the one with kana."""
    if said.isascii() or not (HAN.search(said) or KANA.search(said)):
        return ""
    codes = [code for code, table in WORDS.items() if not table.spaced]
    return codes[0 if KANA.search(text) else -1]


def clause_at(text: str, start: int, stop: int, mark: str) -> Clause:
    said = text[start:stop]
    if code := _unspaced_language(text, said):
        seen, places_of = _speaks_unspaced(said.strip(), code)
        return Clause(start, stop, said, mark, {code: seen}, places_of, len(said.strip()), seen)
    tokens = TOKEN.findall(_ELISION.sub(" ", folded(said)))
    hits = _spaced_hits(tokens)
    places: dict[str, set[int]] = {}
    first: dict[str, int] = {}
    for at, _, code, field in hits:
        places.setdefault(code, set()).add(at)
        first.setdefault(field, at)
    most = max(map(len, places.values()), default=0)
    spoken = {code: [each for each in hits if each[2] == code] for code, found in places.items() if len(found) == most}
    seen_in = {code: frozenset(_speaks(tokens, found)) for code, found in spoken.items()}
    if any("bare" in found for found in seen_in.values()) and _NAMED_IN_QUOTES.search(said):
        seen_in = {code: found - {"bare"} for code, found in seen_in.items()}
    return Clause(start, stop, said, mark, seen_in, first, len(tokens), frozenset().union(*seen_in.values()))


_NAMED_IN_QUOTES = re.compile(r"[\"“„«「『]")
_AFTER_THIS = 3
_FILLS = frozenset(
    {"link", "work", "rework", "flaw", "unit", "tongue", "judge", "this", "point", "come", "goes_on", "the"}
)
_WORKS = frozenset({"rework", "flaw"})
_POINTING = frozenset({"this", "point", "the", "a"})


def _speaks(tokens: Sequence[str], hits: Sequence[_Hit]) -> Iterator[str]:
    """The fields of a clause in one language, and what "this" and "the" in it point at."""
    fields_seen = {each[3] for each in hits}
    yield from fields_seen
    if fields_seen & _WORKS:
        yield "work"
    texts = {each[0] for each in hits if each[3] == "text"}
    filled = {place for each in hits if each[3] in _FILLS for place in range(each[0], each[1])}
    articles = {each[0] for each in hits if each[3] in ("the", "a", "i")}
    conjunctions = {each[0] for each in hits if each[3] == "that"}
    people = min((each[0] for each in hits if each[3] == "people"), default=len(tokens))
    if people == 0 or (people == 1 and 0 in articles):
        yield "of_others"
    if any(each[3] == "unit" and _is_number(tokens[each[0] - 1]) for each in hits if each[0]):
        yield "length"
    for at, after, _, field in hits:
        if field not in _POINTING:
            continue
        names_text = not texts.isdisjoint(range(at if field == "point" else after, after + _AFTER_THIS))
        is_alone = after == len(tokens) or after in filled or _is_judged(tokens, at, after)
        if at in conjunctions and after in articles:
            is_alone = False
        if after < len(tokens) and _INFINITIVE_COPULA.fullmatch(tokens[after]):
            is_alone = True
        if field == "point" or (field == "this" and (names_text or is_alone)):
            yield "pointed"
        elif field == "this":
            yield "other"
        if names_text and field in ("this", "point"):
            yield "pointed_text"
        if names_text and field in ("the", "a"):
            yield "definite" if field == "the" else "new_text"
    if all(place in filled or place in texts or token.isdigit() for place, token in enumerate(tokens)):
        yield "bare"


def _is_judged(tokens: Sequence[str], at: int, after: int) -> bool:
    """Whether "this" stands alone in "is this legal?"."""
    if at == 0 or not _COPULAS.fullmatch(tokens[at - 1]):
        return False
    return after == len(tokens) - 1 or _ADVERB_ENDING.search(tokens[after]) is not None


_COPULAS = re.compile(bounded("copulas"))
_INFINITIVE_COPULA = re.compile(bounded("infinitive_copula"))
_ADVERB_ENDING = re.compile(rf"(?:{alternatives('adverb_ending', spaced=True)})\Z")


def _is_number(token: str) -> bool:
    return token.isdigit() or token in _numbers()


@cache
def _numbers() -> frozenset[str]:
    return frozenset(map(folded, listed("small numbers")))


_AFTER_THIS_UNSPACED = 8
_LEAST_LEFT = 2


def _speaks_unspaced(said: str, code: str) -> tuple[frozenset[str], dict[str, int]]:
    """The same for a language without spaces, with the place where each field stands first."""
    tables = _unspaced(code)
    at = {field: min(places) for field, words in tables.items() if (places := [*_finds(said, words)])}
    seen = set(at) | ({"work"} if _WORKS & at.keys() else set())
    texts = tables["text"]
    if "unit" in seen:
        seen.add("length")
    if "point" in seen:
        seen.add("pointed")
    if "point" in seen and any(each in said[at["point"] :] for each in texts):
        seen.add("pointed_text")
    if "this" in seen:
        word = next(each for each in tables["this"] if said.startswith(each, at["this"]))
        rest = said[at["this"] + len(word) :][:_AFTER_THIS_UNSPACED]
        if any(each in rest for each in texts):
            seen |= {"pointed", "pointed_text"}
        else:
            seen.add("pointed" if not rest or _filling()[code].match(rest) else "other")
    if len(_filling()[code].sub("", said)) < _LEAST_LEFT:
        seen.add("bare")
    return frozenset(seen), at


@cache
def _filling() -> dict[str, re.Pattern[str]]:
    """What names nothing, for each language without spaces."""
    fills = {code: sorted((each for field in _FILLS for each in _unspaced(code)[field]), key=len, reverse=True)
             for code, table in WORDS.items() if not table.spaced}  # fmt: skip
    return {code: re.compile("|".join(words) + r"|[\d一二三四五六七八九十百，、, ]") for code, words in fills.items()}


def _finds(said: str, words: Sequence[str]) -> Iterator[int]:
    for word in words:
        if (at := said.find(word)) >= 0:
            yield at


@lru_cache(maxsize=16)
def clauses_of(text: str) -> tuple[Clause, ...]:
    """The clauses of a message, each described once: several readers ask for them one after the other."""
    found: list[Clause] = []
    start = 0
    for end in _ENDS.finditer(text):
        if text[start : end.start()].strip():
            found.append(clause_at(text, start, end.start(), end.group()))
        elif found:
            found[-1] = replace(found[-1], mark=found[-1].mark + end.group())
        start = end.end()
        if len(found) == MOST_CLAUSES:
            return tuple(found)
    if text[start:].strip():
        found.append(clause_at(text, start, len(text), ""))
    return tuple(found)


def speaks_of(text: str) -> frozenset[str]:
    """What a few words speak of, by the fields of `HandOverWords`."""
    return clause_at(text, 0, len(text), "").any


def asks_to_create(seen: frozenset[str]) -> bool:
    """Whether something new is to be written from what the user says, and not from a given text."""
    if "new_text" in seen and not seen & {"pointed", "definite", "rework", "flaw", "answer", "come", "of_others"}:
        return True
    return "create" in seen and not seen & {"pointed", "come", "answer", "goes_on"}


_MY_OWN = re.compile(
    rf"(?i){bounded('my', 'our')}(?= ((?:[\w'-]{{1,24}} ){{0,2}}[\w'-]{{1,24}}))"
    rf"|(?:{alternatives('my', spaced=False)})(?=(.{{1,8}}))"
)


_I_WROTE = re.compile(rf"(?i){either('i_wrote')}")


def names_own_text(text: str) -> bool:
    """Whether some words name a text of the user: "my cover letter", and not "my sister's"."""
    if _I_WROTE.search(text):
        return True
    for found in _MY_OWN.finditer(text):
        seen = speaks_of(found.group(1) or found.group(2))
        if "text" in seen and "people" not in seen:
            return True
    return False

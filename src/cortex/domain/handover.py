"""Whether a message hands over somebody else's words, judged clause by clause and not by listed wordings.

Each clause is described by what it speaks of: work on a text, a text, other people, how something came here, a story.
Which of these meet tells a hand-over: "rate my brother's profile" names a verdict, a person and a text. What the next
clauses state in the first person is then not the user's. Words of one language have to agree: "was" is no German word
in an English clause. A clause is looked up word by word, so the cost grows with its length alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from enum import Enum, IntEnum
from functools import cache, lru_cache
from itertools import pairwise, takewhile

from cortex.languages import HANDOVER as WORDS

MOST_CLAUSES = 60

_ENDS = re.compile(
    r"(?<![.!?…])[.!?…]++(?=\s|\Z)|[。！？]+|\n+|[:：](?!\d|//)|\s[-–—]+\s|[;；]"
    r"|，(?=[我俺]|大家好|你好|您好)|、(?=私|僕|俺)|,(?= (?:[Ii]|[Ii]ch|[Jj]e|[Yy]o|[Mm]y|[Mm]i)(?:'m| )|\sj')"
)
_TOKEN = re.compile(r"[^\W_]+(?:['&-][^\W_]+)*")
_ELISION = re.compile(r"(?<=\bl)'")
_HAN = re.compile("[\u3400-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")
_BREAKS = frozenset("\n:：-–—")
_SUBJECT = re.compile(
    r"(?i)(?:^|\W)(?:i|i'm|i've|i'd|we|we're|we've|ich|wir|yo|je|j'\w{1,20}|nous|tengo|estoy|traduzco|corrijo|reviso|debo"
    r"|hago|voy|escribo)\b|(?<![帮幫给給替让讓])我们?(?=[在要得有是正会想把每平需必已还去做住叫们])|私[はがも]|僕[はがも]|(?:しています|している|予定|つもり|ないと)\s*\Z"
)
_DECLARES = re.compile(
    r"(?i)\s*(?:(?:still |today |tonight |tomorrow )?"
    r"(?:need to|gotta|got to|have to|must|spent|finished|started|busy)\b"
    r"|(?:my|our|the)\b[^?]{0,60}\b(?:is|are|was|were|has|takes|took|starts)\b"
    r"|(?:mein\w{0,2}|die|der)\b[^?]{0,60}\b(?:ist|sind|war|hat)\b|(?:mi|la|el)\b[^?]{0,60}\b(?:es|está|era)\b"
    r"|(?:mon|ma|le|la)\b[^?]{0,60}\b(?:est|sont|était)\b)"
)
_QUESTION = re.compile(
    r"(?i)\s*(?:(?:what|how|who|which|is|are|does|would|should|any|wie|wer|ist|sind|soll|würdest|qué|cómo|quién|est-ce|quoi"
    r"|comment)\b|[^\n]{0,40}(?:吗|怎么|什么|谁|どう|なんて|何|誰|ますか|ですか))"
)
_ME = re.compile(r"(?i)\b(?:i|me|my|ich|mich|mir|mein\w{0,2}|yo|mí|mi|je|moi|mon|ma)\b|我(?!们)|私|僕")
_REQUEST = re.compile(
    r"(?i)\s*(?:please |hey |hi |so |and )?(?:can|could|would|will|do|did|kannst|könntest|puedes|podrías|tu peux)\b"
)
_PAUSES = re.compile(r"[,，、;]")
_SHORT = 7
_SHORT_UNSPACED = 14
_LABEL = 3
_EARLY = 3
_EARLY_UNSPACED = 10
_LONGEST_PHRASE = 3
_LEAST_STEM = 3


class Sure(IntEnum):
    """How sure a hand-over is."""

    NO = 0
    DOUBTFUL = 1
    YES = 2


class Handed(Enum):
    """What is handed over."""

    TEXT = "text"
    STORY = "story"
    KEYBOARD = "keyboard"


@dataclass(frozen=True, slots=True)
class HandOver:
    """From where to where the words of a message are not the user's."""

    start: int
    stop: int | None
    handed: Handed
    is_sure: bool
    lasts: bool = False
    """The next messages are not the user's either."""


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
        return not self.said.isascii() and _HAN.search(self.said) is not None

    @property
    def is_short(self) -> bool:
        return self.size <= self._few

    @property
    def is_long(self) -> bool:
        """Whether it says more than a greeting or a plain request does."""
        return self.size > 3 * self._few

    @property
    def _few(self) -> int:
        return _SHORT_UNSPACED if self.is_unspaced else _SHORT

    @property
    def is_apart(self) -> bool:
        """Whether a line break, a colon or a dash sets the next clause apart."""
        return bool(_BREAKS & set(self.mark))


# --- what a clause speaks of ----------------------------------------------------------------------------------------


def _plain(text: str) -> str:
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
                plain = _plain(word).replace("_", " ").strip()
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
    if said.isascii() or not (_HAN.search(said) or _KANA.search(said)):
        return ""
    codes = [code for code, table in WORDS.items() if not table.spaced]
    return codes[0 if _KANA.search(text) else -1]


def _clause(text: str, start: int, stop: int, mark: str) -> Clause:
    said = text[start:stop]
    if code := _unspaced_language(text, said):
        seen, places_of = _speaks_unspaced(said.strip(), code)
        return Clause(start, stop, said, mark, {code: seen}, places_of, len(said.strip()), seen)
    tokens = _TOKEN.findall(_ELISION.sub(" ", _plain(said)))
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
_NUMBERS = frozenset(
    "one two three four five ein zwei drei vier funf un dos tres cuatro cinco une deux trois quatre cinq".split()
)


def _speaks(tokens: Sequence[str], hits: Sequence[_Hit]) -> Iterator[str]:
    """The fields of a clause in one language, and what "this" and "the" in it point at."""
    fields_seen = {each[3] for each in hits}
    yield from fields_seen
    if fields_seen & _WORKS:
        yield "work"
    texts = {each[0] for each in hits if each[3] == "text"}
    filled = {place for each in hits if each[3] in _FILLS for place in range(each[0], each[1])}
    articles = {each[0] for each in hits if each[3] in ("the", "a", "i")}
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
        if tokens[at] == "that" and after in articles:
            is_alone = False
        if tokens[after : after + 1] == ["be"]:
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
    return at > 0 and tokens[at - 1] in _COPULAS and (after == len(tokens) - 1 or tokens[after].endswith("ly"))


_COPULAS = frozenset({"is", "ist", "es", "est", "klingt", "suena", "sonne"})


def _is_number(token: str) -> bool:
    return token.isdigit() or token in _NUMBERS


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
            found.append(_clause(text, start, end.start(), end.group()))
        elif found:
            found[-1] = replace(found[-1], mark=found[-1].mark + end.group())
        start = end.end()
        if len(found) == MOST_CLAUSES:
            return tuple(found)
    if text[start:].strip():
        found.append(_clause(text, start, len(text), ""))
    return tuple(found)


def speaks_of(text: str) -> frozenset[str]:
    """What a few words speak of, by the fields of `HandOverWords`."""
    return _clause(text, 0, len(text), "").any


def asks_to_create(seen: frozenset[str]) -> bool:
    """Whether something new is to be written from what the user says, and not from a given text."""
    if "new_text" in seen and not seen & {"pointed", "definite", "rework", "flaw", "answer", "come", "of_others"}:
        return True
    return "create" in seen and not seen & {"pointed", "come", "answer", "goes_on"}


_MY_OWN = re.compile(
    r"(?i)\b(?:my|our|mein\w{0,2}|unser\w{0,2}|mi|mis|mon|ma|mes)(?= ((?:[\w'-]{1,24} ){0,2}[\w'-]{1,24}))"
    r"|(?:我的|我这|我寫的|我写的|私の|自分の|僕の)(?=(.{1,8}))"
)


_I_WROTE = re.compile(
    r"(?i)\b(?:i(?:'ve| have)?(?: just)? (?:wrote|written|drafted)|habe ich geschrieben"
    r"|ich habe [^.!?\n]{0,30}geschrieben|he escrito|escribí yo|j'ai (?:écrit|rédigé))\b"
    r"|我[自刚]?己?写[了的]|私が書|自分で書|僕が書"
)


def names_absent_text(text: str) -> bool:
    """Whether some words name a text without pointing at it, in a language without articles."""
    seen = speaks_of(text)
    return bool(_HAN.search(text)) and "text" in seen and not seen & {"pointed", "people", "bare", "answer"}


def names_own_text(text: str) -> bool:
    """Whether some words name a text of the user: "my cover letter", and not "my sister's"."""
    if _I_WROTE.search(text):
        return True
    for found in _MY_OWN.finditer(text):
        seen = speaks_of(found.group(1) or found.group(2))
        if "text" in seen and "people" not in seen:
            return True
    return False


# --- which clauses hand over ----------------------------------------------------------------------------------------


def asks_for_work(text: str) -> bool:
    """Whether some words surely ask for work on a text, or for more of a story, that has to follow."""
    clause = _clause(text, 0, len(text), "")
    return not clause.tells and Sure.YES in (hands_over_text(clause), hands_over_story(clause))


_OF_TEXTS = frozenset(
    {"work", "text", "this", "point", "judge", "come", "hire", "fraud", "answer", "unit", "tongue", "publish"}
)


def hands_over_text(clause: Clause) -> Sure:
    if not clause.any & _OF_TEXTS:
        return Sure.NO
    return max((_hands_over(seen, clause) for seen in clause.seen.values()), default=Sure.NO)


def _hands_over(seen: frozenset[str], clause: Clause) -> Sure:
    """How sure a clause hands over a text, by what meets in it."""
    if "you" in clause.any or asks_to_create(seen) or ("code" in seen and "flaw" not in seen):
        return Sure.NO
    if clause.any & {"later", "recipe"} and not seen & {"pointed", "other"}:
        return Sure.NO
    works = bool(seen & {"work", "length"}) or _turns_into_language(seen)
    if "text" in seen and "people" not in seen and names_own_text(clause.said):
        return Sure.DOUBTFUL if works and "pointed" in seen else Sure.NO
    if clause.tells:
        return Sure.DOUBTFUL if "pointed" in seen and (works or "come" in seen) else Sure.NO
    if "pointed" in seen:
        return _points_at_text(seen, clause, works)
    if works:
        return _works_on_text(seen, clause)
    return _judges_text(seen, clause)


def _turns_into_language(seen: frozenset[str]) -> bool:
    """ "This in Dutch", and not "answer in Dutch"."""
    return "tongue" in seen and bool(seen & {"pointed", "text", "bare"}) and not seen & {"judge", "answer"}


def _points_at_text(seen: frozenset[str], clause: Clause, works: bool) -> Sure:
    """ "Make this shorter", "is this CV too long", "she sent me this"."""
    if works or "pointed_text" in seen or seen & {"fraud", "hire"}:
        return Sure.YES
    if seen & {"people", "text"} and seen & {"come", "judge", "publish"}:
        return Sure.YES
    is_request = clause.asks or not (clause.first & {"this", "point", "i", "the", "own"} or "intro" in seen)
    return Sure.DOUBTFUL if is_request or "come" in seen else Sure.NO


def _works_on_text(seen: frozenset[str], clause: Clause) -> Sure:
    """ "Proofread the letter", and "any typos?": where nothing else is named, the text has to be in the message."""
    if "learn" in seen:
        return Sure.NO
    if "definite" in seen or ("people" in seen and seen & {"text", "come", "publish"}):
        return Sure.YES
    if "other" not in seen and (_is_bare(seen, clause) or _needs_text(seen, clause)):
        return Sure.YES
    if "other" in seen:
        return Sure.YES if "rework" in seen else Sure.NO
    return Sure.DOUBTFUL if "text" in seen or ("people" in seen and clause.is_short) else Sure.NO


def _is_bare(seen: frozenset[str], clause: Clause) -> bool:
    """Whether a request names nothing but the work; "Errors:" is a label."""
    return "bare" in seen and (clause.size > 1 or clause.asks or "flaw" not in seen)


def _needs_text(seen: frozenset[str], clause: Clause) -> bool:
    """Whether mistakes are looked for, or a length is set, in words that name little else."""
    if "flaw" in seen and ("\n" in clause.mark or "judge" in seen):
        return clause.is_short or clause.asks
    return "length" in seen and clause.is_short


def _judges_text(seen: frozenset[str], clause: Clause) -> Sure:
    """ "Would you hire her?", "thoughts on my sister's essay?", "what should I write back?"."""
    if clause.asks and "fraud" in seen:
        return Sure.YES
    if "hire" in seen and (clause.asks or "judge" in seen) and not _ME.search(clause.said):
        return Sure.YES
    is_fragment = clause.is_short and "come" not in seen and clause.mark not in {",", "，", "、"}
    reported = clause.early & {"people", "i"} and "judge" not in seen and not is_fragment and not clause.asks
    if {"text", "people"} <= seen and not reported and (clause.asks or "judge" in seen or clause.is_short):
        return Sure.YES
    if "definite" in seen and "judge" in seen and (clause.asks or "judge" in clause.early):
        return Sure.YES
    found = clause.is_short and "\n" in clause.mark and "come" in clause.early
    if {"text", "come"} <= seen and (clause.asks or found):
        return Sure.YES
    if "answer" in seen and (_says_what(clause) or "tongue" in seen):
        return Sure.NO
    if "answer" in seen:
        return Sure.YES if clause.asks else Sure.DOUBTFUL if "people" in seen else Sure.NO
    if clause.asks and "judge" in seen and seen & {"people", "come", "text"}:
        return Sure.DOUBTFUL
    is_line = "text" in clause.first and "people" not in seen
    return Sure.DOUBTFUL if "come" in seen and seen & {"people", "text"} and not is_line else Sure.NO


def _says_what(clause: Clause) -> bool:
    """Whether a clause tells what is to be answered, or when: "reply that I'm late"."""
    return clause.at.get("that", -1) > clause.at.get("answer", 0)


def hands_over_story(clause: Clause) -> Sure:
    if not clause.any & {"story", "play", "goes_on"}:
        return Sure.NO
    return max((_tells(seen, clause) for seen in clause.seen.values()), default=Sure.NO)


def _tells(seen: frozenset[str], clause: Clause) -> Sure:
    if "you" in clause.any or (clause.tells and not seen & {"second", "part"}):
        return Sure.NO
    goes_on = seen & {"story", "create", "pointed"} or ("bare" in seen and clause.is_apart)
    if "goes_on" in seen and not clause.tells and goes_on:
        return Sure.YES
    if "story" in seen and seen & {"play", "opening"} and not asks_to_create(seen):
        return Sure.YES
    if {"play", "part"} <= seen or ({"story", "part"} <= seen and clause.at["story"] < clause.at["part"]):
        return Sure.YES
    if "story" in seen and "second" in seen and not clause.asks and not _REQUEST.match(clause.said):
        return Sure.YES
    if {"play", "hero"} <= seen:
        return Sure.YES
    if "play" in seen or ("story" in seen and not clause.asks and (clause.is_short or clause.is_apart)):
        return Sure.DOUBTFUL
    return Sure.NO


def states(clause: Clause) -> bool:
    """Whether somebody speaks of themselves in a clause."""
    return "say" in clause.any and not clause.asks


def greets(clause: Clause) -> bool:
    return clause.at.get("greet") == 0


_CARD = re.compile(
    r"\s*[A-ZÀ-Þ][\w.'-]{1,20}(?: [A-ZÀ-Þ][\w.'-]{0,20}){0,3}(?:,| \() ?\d{2}\b"
    r"|\s*[\u3400-\u9fff\u3040-\u30ff]{2,8}[，、,（ (]\s?[\d一二三四五六七八九十]{1,4} ?[岁歲歳才]"
)


def is_card(clause: Clause) -> bool:
    """Whether a clause opens a profile: a name and an age."""
    return _CARD.match(clause.said) is not None


_IT = re.compile(r"(?i)\bit\b")
_ASIDE = re.compile(
    r"(?i)\W{0,3}(?:btw|by the way|ps|p\.s|also|anyway|for context|fyi|oh|remember|note|keep|leave out|make sure"
    r"|include|avoid|focus|skip|übrigens|außerdem|merk"
    r"|por cierto|además|recuerda|au fait|d'ailleurs|rappelle|thanks|thank you|danke|gracias|merci)\b"
    r"|\W{0,3}(?:顺便|順便|另外|对了|記得|记得|谢谢|ちなみに|ところで|補足|覚えて|ありがとう)"
)
_REPORTED = re.compile(r"(?:って|と伝えて)\s*\Z")


def _talks(clause: Clause) -> bool:
    """Whether the user speaks of the task, or aside."""
    of_task = clause.any & {"pointed", "text", "work", "create"} or _IT.search(clause.said) is not None
    if _ASIDE.match(clause.said) or _REPORTED.search(clause.said):
        return True
    return "talk" in clause.first and bool(of_task)


# --- a message ------------------------------------------------------------------------------------------------------


def hand_overs(text: str) -> Iterator[HandOver]:
    """Which words of `text` are handed over, where some are."""
    clauses = clauses_of(text)
    if visitor := guest(text, clauses):
        yield visitor
    yield from _play(text, clauses[:3])
    if len(clauses) < 2:
        return
    if found := _handed(text, clauses) or _handed_before(text, clauses) or _cv(clauses):
        yield found


def comes_back(text: str) -> bool:
    """Whether the user says at the start to have the keyboard again."""
    opening = [piece for clause in clauses_of(text)[:2] for piece in _pieces(text, clause)]
    return any("back" in each.any and each.is_short for each in opening[:3])


def announces_text(text: str) -> bool:
    """Whether a short message asks for work on a text that is still to come: "can you proofread something?"."""
    clauses = clauses_of(text)
    seen = [fields for each in clauses for fields in each.seen.values() if not each.any & {"you", "later", "create"}]
    is_new = any(each & {"rework", "flaw"} and "text" in each and not each & {"pointed", "definite"} for each in seen)
    is_brief = len(clauses) <= 2 and not any(each.is_long for each in clauses)
    return is_new and is_brief and not names_own_text(text)


def _play(text: str, clauses: Sequence[Clause]) -> Iterator[HandOver]:
    """A play that begins at the end of a message: nothing of it is said yet."""
    seen = [fields for each in clauses if not each.asks for fields in each.seen.values()]
    parts = any("play" in one.any and "part" in next_.early for one, next_ in pairwise(clauses))
    if parts or any("play" in each and each & {"part", "story"} for each in seen):
        yield HandOver(len(text), len(text), Handed.STORY, True, lasts=True)


def _handed(text: str, clauses: Sequence[Clause]) -> HandOver | None:
    """What follows the clauses that hand it over."""
    sure = story = Sure.NO
    opens = False
    for number, (clause, after) in enumerate(pairwise(clauses)):
        tale = hands_over_story(clause)
        opens = opens or (bool(sure or story) and "opening" in clause.any)
        ours = hands_over_text(clause)
        sure = _sum(sure, ours)
        handed_parts = "play" in clause.any and ("part" in after.early or "hero" in after.any)
        story = Sure.YES if handed_parts or (story and opens) else _sum(story, tale)
        if _is_letter_after(clause, after) or (is_card(after) and (sure or clause.asks)):
            sure = Sure.YES
        if not sure and not story and _is_introduced(clause, after):
            sure = Sure.DOUBTFUL
        level = max(sure, story)
        is_strong = sure is Sure.YES or any(each.any & {"goes_on", "play", "second"} for each in clauses[: number + 1])
        may_be_any = level is Sure.YES and is_strong
        if not level or not _begins(after, clause.is_apart, may_be_any, clauses[number + 1 :]):
            continue
        if level is Sure.DOUBTFUL and (greets(after) or (clause.is_apart and states(after))) and (sure or tale):
            level = Sure.YES
        if clause.mark == "," and (ours or tale):
            if level is Sure.DOUBTFUL:
                continue
            level = Sure.YES if handed_parts else Sure.DOUBTFUL
        handed = Handed.STORY if story > sure or (story and story == sure) else Handed.TEXT
        lasts = handed is Handed.STORY and any("play" in each.any for each in clauses[: number + 1])
        return HandOver(_skip(text, after.start), None, handed, level is Sure.YES, lasts)
    return None


_LEAST_SAID = 3


def _is_letter_after(clause: Clause, after: Clause) -> bool:
    """Whether somebody greets and speaks of themselves, after words that greet nobody."""
    is_label = clause.size <= _LABEL and ":" in clause.mark
    return (
        greets(after) and states(after) and not is_label and not greets(clause) and not hands_over_text(after)
    )  # fmt: skip


def _is_introduced(clause: Clause, after: Clause) -> bool:
    """Whether somebody tells a name after other words, or speaks another language than those."""
    if "name" in after.any and not greets(clause) and clause.mark != "," and "name" not in clause.any:
        return clause.asks or not clause.any & {"i"}
    return bool(clause.seen and after.seen) and not clause.seen.keys() & after.seen.keys() and after.size > _SHORT


def _sum(one: Sure, other: Sure) -> Sure:
    """Two doubtful signs make a sure one."""
    return max(one, other) if not one or not other else Sure.YES


def _begins(clause: Clause, apart: bool, may_be_any: bool, rest: Sequence[Clause]) -> bool:
    """Whether another's words begin with a clause, after one that hands them over or goes on about it.

    Where the hand-over is sure they `may_be_any`; else somebody has to speak of themselves, or give orders.
    """
    if greets(clause) or is_card(clause):
        return True
    if hands_over_text(clause) is Sure.YES or hands_over_story(clause) is Sure.YES or (_talks(clause) and not apart):
        return False
    if not states(clause) and (clause.asks or clause.size < _LEAST_SAID):
        return False
    if not states(clause) and not may_be_any and not ORDERS.search(clause.said):
        return False
    # A blank line sets the text apart: what stands before it is still said about it.
    return apart or not any("\n\n" in each.mark for each in rest[:-1])


ORDERS = re.compile(
    r"(?i)\b(?:always|never|immer|stets|nie|niemals|siempre|nunca|jamás|toujours|jamais)\b|务必|必须|一定|一律|永远|绝不|必ず|決して|絶対"
)
_LEAST_BEFORE = 3


def _handed_before(text: str, clauses: Sequence[Clause]) -> HandOver | None:
    """What stands above a last line that only asks for work on it."""
    *before, last = clauses
    if last.size > 2 * _SHORT or not any(map(states, before)):
        return None
    sure = hands_over_text(last)
    if "\n" not in before[-1].mark:
        if sure is not Sure.YES or "pointed" not in last.any or not last.any & {"work", "tongue"}:
            return None
        is_sure = len(before) >= _LEAST_BEFORE and "pointed_text" in last.any
        return HandOver(_skip(text, clauses[0].start), before[-1].stop, Handed.TEXT, is_sure)
    if sure is Sure.YES or any(
        "work" in seen and "create" not in seen and (last.is_short or "pointed" in seen) for seen in last.seen.values()
    ):
        return HandOver(_skip(text, clauses[0].start), before[-1].stop, Handed.TEXT, sure is Sure.YES)
    return None


_LEAST_HEADINGS = 2


def _cv(clauses: Sequence[Clause]) -> HandOver | None:
    """A CV by its headings, each on a line of its own."""
    found = [
        each for each in clauses if "heading" in each.first and each.size <= 2 * (1 + 2 * (not each.said.isascii()))
        and ("\n" in each.mark or ":" in each.mark)
    ]  # fmt: skip
    return HandOver(found[0].start, None, Handed.TEXT, True) if len(found) >= _LEAST_HEADINGS else None


_MINE = frozenset({"my", "our", "mein", "meine", "mi", "mon", "ma", "meiner", "meinem", "meinen"})
_OF_SOMEBODY = re.compile(
    r"[A-ZÀ-Þ]\w{1,20}'s |[A-ZÀ-Þ]\w{2,20}s [a-zA-Z]|\A\s*\w{2,20}s \w|\b(?:de|d'|von) ?[A-ZÀ-Þ]\w|的"
)


_NAMED = re.compile(r"\s*[A-ZÀ-Þ][a-zà-ÿ]{1,20} (?!(?:me|us|you|it|the|a|your|my|i)\b)[a-zà-ÿ]")
_IS_BUSY = re.compile(
    r"\s*[\u4e00-\u9fff]{1,4}(?:正?在|去|出)|[^。\n]{1,12}(?:は|が)[^。\n]{1,10}(?:中なので|ているので|中だから)"
)
_IS_NAMED = re.compile(r"\b(?:[Ii]'m|[Ii] am|[Tt]his is|[Ii]ch bin|[Ss]oy|[Mm]oi c'est) [A-ZÀ-Þ][a-zà-ÿ]")


def guest(text: str, clauses: Sequence[Clause]) -> HandOver | None:
    """Somebody else at the keyboard, who says at the start who they are."""
    greeting = list(takewhile(lambda clause: not clause.is_long, clauses[:3]))
    # What a clause in plain letters does not speak of, none of its pieces does.
    if not any(_OF_GUESTS & clause.at.keys() or not clause.said.isascii() for clause in greeting):
        return None
    opening = [piece for clause in greeting for piece in _pieces(text, clause)][:_MOST_PIECES]
    gone = any(_is_gone(each) for each in opening if not _is_mine(each))
    for number, piece in enumerate(opening):
        mine = _is_mine(piece)
        for seen in piece.seen.values():
            if sure := _is_guest(piece, seen, opening, number, mine=mine, gone=gone):
                start = _skip(text, piece.start if sure is Sure.DOUBTFUL or number == 0 else opening[0].start)
                return HandOver(start, None, Handed.KEYBOARD, sure is Sure.YES, lasts=sure is Sure.YES)
    return None


def _is_guest(
    piece: Clause, seen: frozenset[str], opening: Sequence[Clause], number: int, *, mine: bool, gone: bool
) -> Sure:
    """How sure somebody else says in one of the first clauses who they are, or is given the keyboard.

    `mine` says that the clause speaks of what is the user's, `gone` that one of the first tells that somebody left.
    """
    if "create" in piece.first:
        return Sure.NO
    before = opening[number - 1] if number else piece
    is_named = bool(number) and "intro" in before.any and before.size <= _LONGEST_INTRO and "i" not in seen
    is_intro = "relation" in seen and ("intro" in seen or is_named) and not mine and piece.size <= 2 * _SHORT
    theirs = "their" in seen and not _KANA.search(piece.said)
    of_somebody = theirs or _OF_SOMEBODY.search(piece.said) is not None
    presents = is_named or "i" not in seen or "typing" in seen
    if is_intro and (gone or (of_somebody and presents) or "typing" in seen):
        return Sure.YES
    if gone and len(opening) > 1 and (seen & {"name"} or "typing" in seen or _IS_NAMED.search(piece.said)):
        return Sure.YES
    if "hands" in seen and seen & {"relation", "people"} and seen & {"device", "typing"}:
        return Sure.YES
    takes_part = "device" in seen or ("i" in seen and piece.is_short and not mine and "come" not in seen)
    if number == 0 and {"typing", "relation"} <= seen and takes_part:
        return Sure.YES
    borrows = {"intro", "device"} <= piece.any and bool(piece.any & {"relation", "people"})
    is_likely = is_intro and of_somebody and (presents or "greet" in opening[0].first)
    return Sure.DOUBTFUL if is_likely or borrows else Sure.NO


_MOST_PIECES = 8
_OF_GUESTS = frozenset({"relation", "device", "away", "hands"})
"""Without one of these, nobody says who they are, and nobody is given the keyboard."""

_LONGEST_INTRO = 5


def _is_mine(piece: Clause) -> bool:
    return bool(_MINE & set(_TOKEN.findall(_plain(piece.said))))


def _is_gone(piece: Clause) -> bool:
    """Whether some words tell that somebody left, or lent something."""
    named = piece.any & {"people", "relation", "device"} or _NAMED.match(piece.said)
    named = named or _IS_BUSY.match(piece.said)
    lent = "device" in piece.any and bool(piece.any & {"people", "their"}) and piece.is_short
    return not piece.asks and (lent or ("away" in piece.any and bool(named)))


def _pieces(text: str, clause: Clause) -> Iterator[Clause]:
    """A clause cut at its pauses."""
    if not _PAUSES.search(text, clause.start, clause.stop):
        yield clause
        return
    start = clause.start
    for pause in _PAUSES.finditer(text, clause.start, clause.stop):
        if text[start : pause.start()].strip():
            yield _clause(text, start, pause.start(), pause.group())
        start = pause.end()
    if text[start : clause.stop].strip():
        yield _clause(text, start, clause.stop, clause.mark)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at

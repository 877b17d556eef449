"""Whose words a message holds: the speaker's own, quoted, pasted, another speaker's, or fiction.

One reader for all that asks: nothing but own words is extracted as the user's or taken for a rule, and a line of the
block that shows other words says so. The signs are general (a request to work on a text, marks of quotes and mail,
names before colons, the opening of a play, a change of hands); `languages` has the words of each.
Where the end of the other's words is not marked they go on to the end of the message, except for a closing question
after a blank line: a missed fact stays in its turn, a wrong one becomes the user's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, lru_cache

from cortex.domain import instructions, ownership_signs
from cortex.domain.handover import (
    Handed,
    announces_text,
    asks_for_work,
    asks_to_create,
    comes_back,
    hand_overs,
    speaks_of,
)
from cortex.domain.ownership_signs import Framing
from cortex.languages import OWNERSHIP as WORDS

Place = tuple[int, int]

GLANCE = 8_000
"""How much of a text is read where recall asks: it has no time for long ones."""

MOST_CARRIED = 20
"""How many messages of the user a play, or a guest at the keyboard, lasts where nothing ends it."""


class Owner(StrEnum):
    """Whose words they are."""

    OWN = "own"
    QUOTED = "quoted"
    PASTED = "pasted"
    OTHER_SPEAKER = "other_speaker"
    FICTION = "fiction"


class Reason(StrEnum):
    """What tells that words are not the speaker's own."""

    FENCE = "fence"
    TAG = "tag"
    QUOTED_LINES = "quoted_lines"
    FORWARDED = "forwarded"
    MAIL = "mail"
    REQUEST = "request"
    FRAME = "frame"
    QUOTATION = "quotation"
    RECEIVED = "received"
    SAID_BY_OTHERS = "said_by_others"
    TRANSCRIPT = "transcript"
    PLAY = "play"
    GUEST = "guest"
    ASSISTANT = "assistant"
    ANNOUNCED = "announced"
    HAND_OVER = "hand_over"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a message and whose words it holds."""

    start: int
    stop: int
    owner: Owner
    reason: Reason | None = None
    is_code: bool = False
    is_sure: bool = True
    """Words that are only doubtful are not extracted as the user's, but no label says so."""


def spans(text: str, speaker: str = "") -> tuple[Span, ...]:
    """The whole of `text` in order; `speaker` is the name the host gives to whoever said it."""
    whole: list[Span] = []
    at = 0
    for each in foreign(text, speaker):
        if at < each.start:
            whole.append(Span(at, each.start, Owner.OWN))
        whole.append(each)
        at = each.stop
    return (*whole, Span(at, len(text), Owner.OWN)) if at < len(text) else tuple(whole)


def foreign(text: str, speaker: str = "") -> tuple[Span, ...]:
    """What of `text` is not its speaker's own, in order and apart."""
    return (_in_short if len(text) <= _SHORT_TEXT else _in_long)(text, speaker)


def _foreign(text: str, speaker: str) -> tuple[Span, ...]:
    plain = readable(text)
    found = [*_marks(text, plain, speaker)]
    found += _weighed(plain, speaker, _read(plain, speaker), is_marked=any(each.is_sure for each in found))
    return tuple(_apart(sorted(found, key=lambda each: (each.start, -each.stop))))


def _marks(text: str, plain: str, speaker: str) -> Iterator[Span]:
    """Words that marks in the text set apart as somebody else's: these need no weighing."""
    yield from _marked(plain)
    yield from _transcripts(plain, speaker)
    yield from _chats(text, speaker)
    yield from _by_assistants(plain, _phrases_in(plain, _OF_ASSISTANTS))


def _read(plain: str, speaker: str) -> list[Span]:
    """Words that may be somebody else's by the wordings beside them."""
    phrases = _phrases_in(plain)
    marked = [*_marked(plain)]
    found = [*_asked_about(plain, phrases, marked)]
    for find in (_received, _said_by_others, _played, _by_guests):
        found += find(plain, phrases)
    found += [*_framed(plain, speaker, phrases, [*marked, *found]), *_statements_in_quotes(plain), *_mails(plain)]
    return [*found, *_handed_over(plain, [*marked, *found])]


def signs_of(text: str) -> frozenset[str]:
    """All that a message shows of whose words it holds, for those who fit the weights; none where marks decide."""
    plain = readable(text)
    if any(each.is_sure for each in _marks(text, plain, "")):
        return frozenset()
    read = ownership_signs.framing(plain[:GLANCE])
    return read.signs | _of_readers(_read(plain, ""))


def _of_readers(found: Iterable[Span]) -> frozenset[str]:
    return frozenset(f"read: {each.reason}" for each in found if each.is_sure)


_SHORT_TEXT = 2_048
_in_short = lru_cache(maxsize=4_096)(_foreign)
_in_long = lru_cache(maxsize=64)(_foreign)
"""What is recalled is recalled again: a text is read once, as long as there is room. It depends on nothing else."""


def _weighed(text: str, speaker: str, found: Sequence[Span], *, is_marked: bool) -> Iterator[Span]:
    """`found`, as sure as all that the message shows makes it, and its body where that makes it somebody else's.

    Where marks set somebody else's words apart, the rest of the message is not handed over by signs alone.
    """
    if speaker and not found:
        return  # a speaker the host names hands nothing over by signs alone, so none have to be weighed
    read = ownership_signs.framing(text[:GLANCE])
    weights = ownership_signs.weights()
    score = weights.score(read.signs | _of_readers(found))
    if not read.is_known or "one clause" in read.signs:
        # There is too little to weigh: the wordings decide, unless the user says that the text is theirs.
        yield from () if not read.is_known and _is_of_user(text, read) else found
        return
    if _is_of_user(text, read) and score < weights.certain:
        return
    if speaker:
        # Whoever the host names talks with people, and hands them no text to work on.
        found = [each for each in found if each.reason is not Reason.HAND_OVER or score >= weights.sure]
    is_read = any(each.is_sure for each in found)
    if score < (weights.read if is_read else weights.likely if found else weights.doubtful):
        return
    if score < weights.sure and instructions.split(text).condition:
        # "When you give me chords, write them above the lyrics": what is to be done each time hands nothing over now.
        found = [each for each in found if each.reason is not Reason.HAND_OVER]
    # What is to be said more kindly, and is nobody's by name, is mostly the user's own.
    is_to_say = {"frame: tone", "frame: of nobody"} <= read.signs
    is_sure = score >= (weights.agreed if is_read else weights.sure) and not is_to_say
    yield from (replace(each, is_sure=is_sure and (each.is_sure or not is_read)) for each in found)
    if not found and _re(_TO_ASSISTANTS).search(text[: _stop(text, 0)]):
        return
    if (is_sure or not found) and not (speaker or is_marked) and all(each.reason is Reason.HAND_OVER for each in found):
        yield Span(*_body(text, read), _owner(read.signs), Reason.HAND_OVER, is_sure=is_sure)


def _is_of_user(text: str, read: Framing) -> bool:
    """Whether the words around a text say that it is the user's own, and nobody else is named beside it."""
    if any(each.startswith(("frame: story", "read: play")) for each in read.signs) or "guest" in read.signs:
        return False
    if "frame: of the user alone" in read.signs:
        return not read.signs & {"frame: from people", "frame: third person"}
    return not read.is_known and "frame: my thing" in read.signs and not _re(_PEOPLE).search(text[: read.start])


def _body(text: str, read: Framing) -> Place:
    """The words of a message that are handed over: a guest says all of it."""
    return (0, len(text)) if _owner(read.signs) is Owner.OTHER_SPEAKER else (read.start, read.stop)


def _owner(signs: frozenset[str]) -> Owner:
    hands_over = any(each.startswith("frame: hands over") for each in signs)
    if any(each.startswith("frame: story") for each in signs):
        return Owner.FICTION
    is_there = any(each.startswith(("opening: ", "first: relation", "first: device")) for each in signs)
    return Owner.OTHER_SPEAKER if "guest" in signs or (is_there and not hands_over) else Owner.PASTED


def warm() -> None:
    """Compile what most texts need, so that the first recall does not wait for it."""
    foreign(_SAMPLE)


_SAMPLE = (
    "I can't find the report you sent me yesterday, could you look at it in the app? My sister said: this is what we"
    " have to do here, as it was, so let me now send them a note. He is on the way, she will go, they are at home.\n"
    "What would you like for dinner? Here are my plans: I go to the gym on Monday."
)


def own_words(text: str, speaker: str = "") -> str:
    """`text` without what is not its speaker's own."""
    return "".join(text[each.start : each.stop] for each in spans(text, speaker) if each.owner is Owner.OWN)


def is_own(text: str, start: int, stop: int, speaker: str = "") -> bool:
    """Whether nothing between two places of `text` is somebody else's."""
    return not any(each.start < stop and start < each.stop for each in foreign(text, speaker))


def owners(text: str, speaker: str = "", shown: str | None = None) -> tuple[Owner, ...]:
    """Who else speaks in `text`, near its beginning; with `shown`, in the sentences of it that are shown. Not code."""
    found = [each for each in foreign(text[:GLANCE], speaker) if each.is_sure and not each.is_code]
    if shown is not None and found and len(shown) < len(text):
        places = list(_places(text, shown))
        found = [each for each in found if any(each.start < stop and start < each.stop for start, stop in places)]
    return tuple(dict.fromkeys(each.owner for each in found))


def _places(text: str, shown: str) -> Iterator[Place]:
    """Where the pieces of an excerpt stand in its text; a piece that is not found may stand anywhere."""
    for piece in shown.split("…"):
        if piece := piece.strip():
            at = text.find(piece)
            yield (at, at + len(piece)) if at >= 0 else (0, len(text))


def carried(messages: Sequence[str]) -> list[Owner | None]:
    """Of a user's messages in their order: whose words each is by what was said before it, where that is another's.

    A play in which the user takes a part, and a guest at the keyboard, last until they are ended. A text that was
    announced is the next message.
    """
    found: list[Owner | None] = []
    lasting: Owner | None = None
    left = 0
    for message in messages:
        plain = readable(message[:GLANCE])
        phrases = _phrases_in(plain, _LASTING)
        ends = bool(phrases["plays_no_more"] or phrases["guests_no_more"])
        ends = ends or (lasting is Owner.OTHER_SPEAKER and comes_back(plain))
        if ends or left == 0:
            lasting = None
        found.append(lasting)
        left = max(0, left - 1)
        if opened := _opens(phrases) or (None if ends else _hands_on(plain)):
            lasting, left = opened, 1 if opened is Owner.PASTED else MOST_CARRIED
    return found


_OF_ASSISTANTS = ("is_assistant", "assistant_opens", "assistant_closes")
_LASTING = ("plays_on", "plays_no_more", "guests", "guests_no_more", "announces", "asks", "asks_after")


def _opens(phrases: Found) -> Owner | None:
    """Whose words the next messages are, after one with these phrases."""
    ended = max((each.end() for each in (*phrases["plays_no_more"], *phrases["guests_no_more"])), default=0)
    if any(each.start() >= ended for each in phrases["plays_on"]):
        return Owner.FICTION
    if any(each.start() >= ended for each in phrases["guests"]):
        return Owner.OTHER_SPEAKER
    return Owner.PASTED if phrases["announces"] and (phrases["asks"] or phrases["asks_after"]) else None


def _hands_on(text: str) -> Owner | None:
    """Who goes on to speak in the next messages, where the keyboard, or a part in a play, is handed over."""
    found = list(hand_overs(text))
    if not found and announces_text(text):
        return Owner.PASTED
    return next((_OWNER_OF[each.handed] for each in found if each.is_sure and each.lasts), None)


# --- the words of all languages -------------------------------------------------------------------------------------

_STRAIGHT = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "\u00a0": " ", "\t": " ", "\u3000": " ", "\u202f": " "})
_GAP_IN_UNSPACED = r"(?<=[\u3040-\u30ff\u3400-\u9fff]) (?=[\u3040-\u30ff\u3400-\u9fff])"
_BEGINS_TO_SPEAK = (
    r"(?<=[\w)]) (?=(?:I'm|I am|I live|I work|I was|I have|I've|Ich|Mein|Meine|Wir|Hallo|Liebe|Guten|Sehr geehrte)\b"
    r"|[A-ZÀ-Þ][a-zà-ÿ])"
)
_IS_UNFINISHED = (
    r"(?i)\b(?:by|from|of|to|in|into|on|at|for|with|the|a|an|my|our|your|his|her|their|and|or|de|du|des|la"
    r"|le|les|el|los|las|al"
    r"|en|un|una|une|mi|su|mon|ma|von|vom|der|die|das|den|dem|ins|auf|im|für|ein|eine|einen|mein\w{0,2})\Z"
)
_GERMAN = r"(?i)\b(?:ich|mir|bitte|das|den|dem|ins|auf|und|mal|kannst)\b"
_GERMAN_BEGINS = r"(?:Ich|Mein|Wir|Hallo|Liebe|Guten|Sehr|Moin)"
_LONGEST_RUN_ON = 160
_LEAST_AFTER = 24


def readable(text: str) -> str:
    """`text` as long as it is, with plain marks, and a line break where another's words begin without any mark."""
    plain = text.translate(_STRAIGHT)
    if not plain.isascii():
        plain = _re(_GAP_IN_UNSPACED).sub("\n", plain)
    end = _re(r"[.!?:：。！？\n]").search(plain, 0, _LONGEST_RUN_ON)
    stop = end.start() if end else min(len(plain), _LONGEST_RUN_ON)
    for found in _re(_BEGINS_TO_SPEAK).finditer(plain, 0, stop):
        if len(plain) - found.end() >= _LEAST_AFTER and _is_request(plain[: found.start()], plain[found.end() :]):
            return f"{plain[: found.start()]}\n{plain[found.end() :]}"
    return plain


def _is_request(head: str, rest: str) -> bool:
    """Whether `head` is a whole request for work on a text; in German, nouns are written large too."""
    if _re(_IS_UNFINISHED).search(head) or head.count('"') % 2:
        return False
    if _re(_GERMAN).search(head) and not _re(_GERMAN_BEGINS).match(rest):
        return False
    return not _re(rf"{_I}{_phrases('languages')}").match(rest) and asks_for_work(head)


_UNSPACED_LETTERS = "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_GAP = r"[^.!?\n:：]{0,40}?"
_NAME = r"(?-i:[A-ZÀ-ÞА-ЯЁ])[\w'-]{0,24}"
_I = "(?i)"


def _phrase(line: str) -> str:
    """A phrase of a table as a pattern: bounded, and without groups that are kept."""
    plain = line.replace("(", "(?:").replace("(?:?", "(?").replace("…", _GAP).replace("@", _NAME)
    return f"(?:{plain})".replace(r"\w+", r"[\w&'-]{1,24}").replace(r"\w*", r"\w{0,24}")


def _lines(given: str) -> list[str]:
    """The phrases of a field; a line that begins with `|` goes on with the one before."""
    joined = "".join(line if line.startswith("|") else f"\n{line}" for line in map(str.strip, given.split("\n")))
    return [line for line in joined.split("\n") if line]


def _phrases(field: str, *, spaced: bool | None = None) -> str:
    """One pattern of all phrases of a field, of all languages or of those with or without spaces."""
    found: list[str] = []
    for words in WORDS.values():
        if spaced is None or spaced is words.spaced:
            phrases = map(_phrase, _lines(getattr(words, field)))
            found += [rf"\b{each}(?!\w)" if words.spaced else each for each in phrases]
    return f"(?:{'|'.join(found)})" if found else "(?!)"


@cache
def _re(pattern: str) -> re.Pattern[str]:
    """Compiled when the first text needs it."""
    return re.compile(pattern)


# What may stand anywhere in a text is looked up by the first letters of each word: most words begin no phrase.

_ANYWHERE = (
    "these",
    "asks",
    "asks_loosely",
    "asks_after",
    "received",
    "wrote",
    "plays",
    "plays_on",
    "plays_no_more",
    "guests",
    "guests_no_more",
    "asks_for_others",
    "announces",
    "is_assistant",
    "assistant_opens",
    "assistant_closes",
)
_KEY = 3
_WORD_STARTS = rf"(?<!\w)[^\W_]{{1,{_KEY}}}"
_NAME_KEY = "@"


@dataclass(frozen=True, slots=True)
class _Bucket:
    """The phrases that begin with the same letters."""

    any: str
    """A pattern of all of them: mostly none stands there, and nothing else has to be tried."""
    fields: tuple[tuple[str, str], ...]


@cache
def _index() -> dict[str, _Bucket]:
    """The phrases of all languages by their first letters."""
    found: dict[str, dict[str, list[str]]] = {}
    for words in (words for words in WORDS.values() if words.spaced):
        for field in _ANYWHERE:
            for line in _lines(getattr(words, field)):
                for key in _keys(line):
                    found.setdefault(key, {}).setdefault(field, []).append(_phrase(line))
    return {
        key: _Bucket(
            _joined([phrase for each in fields.values() for phrase in each]),
            tuple((field, _joined(each)) for field, each in fields.items()),
        )
        for key, fields in found.items()
    }


def _joined(phrases: Sequence[str]) -> str:
    return rf"{_I}(?:{'|'.join(dict.fromkeys(phrases))})(?!\w)"


def _keys(phrase: str) -> set[str]:
    """The first letters that a phrase may begin with."""
    if phrase.startswith("("):
        inner, rest = _group(phrase)
        keys = {key for choice in _choices(inner) for key in _keys(choice)}
        return keys | _keys(rest[1:].lstrip()) if rest.startswith("?") else keys
    if phrase.startswith("@"):
        return {_NAME_KEY}
    letters = re.match(r"[^\W_]+", phrase)
    assert letters is not None, f"the phrase {phrase!r} begins with no word"
    is_loose = phrase[letters.end() : letters.end() + 1] in {"?", "{"}
    return {letters.group()[: len(letters.group()) - is_loose][:_KEY].casefold()}


def _group(phrase: str) -> tuple[str, str]:
    """What stands in the brackets a phrase begins with, and after them."""
    depth = 0
    for at, letter in enumerate(phrase):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return phrase[1:at], phrase[at + 1 :]
    raise ValueError(phrase)


def _choices(inner: str) -> list[str]:
    choices, depth = [""], 0
    for letter in inner:
        depth += (letter == "(") - (letter == ")")
        if letter == "|" and not depth:
            choices.append("")
        else:
            choices[-1] += letter
    return choices


@lru_cache(maxsize=4_096)
def _buckets(letters: str) -> tuple[_Bucket, ...]:
    """The phrases that may begin with a word of these first letters."""
    begin = letters.casefold()
    keys = (begin[:1], begin[:2], begin[:3], _NAME_KEY if letters[0].isupper() else "")
    return tuple(bucket for key in dict.fromkeys(keys) if (bucket := _index().get(key)) is not None)


Found = dict[str, list[re.Match[str]]]
"""The phrases that stand in a text, by their field, in order."""


def _phrases_in(text: str, only: Sequence[str] = _ANYWHERE) -> Found:
    found: Found = {field: [] for field in _ANYWHERE}
    for word in _re(_WORD_STARTS).finditer(text):
        for bucket in _buckets(word.group()):
            if _re(bucket.any).match(text, word.start()) is None:
                continue
            for field, pattern in bucket.fields:
                if field in only and (match := _re(pattern).match(text, word.start())):
                    found[field].append(match)
    if not text.isascii() and _re(_UNSPACED_LETTERS).search(text):
        for field in only:
            found[field] += _re(_unspaced(field)).finditer(text)
            found[field].sort(key=lambda each: each.start())
    return found


@cache
def _unspaced(field: str) -> str:
    pattern = _phrases(field, spaced=False)
    return _I + (rf"(?:\A|(?<=[，。！？：；、\n ,.])){pattern}" if field == "asks" else pattern)


# What is asked of a few words beside a phrase.

_THESE = _phrases("these")
_NOUNS = _phrases("nouns")
_STATES = _phrases("states")
_OPENING = rf"{_I}(?:\A|[.!?…;:,()\-–—\n¿¡*>]) {{0,3}}(?:{_phrases('leads', spaced=True)}[ ,!]{{1,3}}){{0,4}}\Z"
_POINTS = (
    rf"{_I}{_THESE}(?= {{0,2}}(?:[,.!?:：。！？\n\"“„«「『]|\Z|{_phrases('links')}"
    rf"|(?:[\w'-]{{1,24}} ){{0,2}}{_NOUNS}))"
)
_NOUN = rf"{_I}{_NOUNS}"
_THESE_WORDS = rf"{_I}{_THESE}"
_ABOVE = rf"{_I}{_phrases('above')}"
_NOT_TEXTS = rf"{_I}{_phrases('not_texts')}"
_TO_LANGUAGE = r"(?:to|into|in|ins|auf|al|en|para|para o|a|на) \w{2,20}"
_INLINE = (
    rf"{_I} {{1,3}}(?:(?:{_THESE}(?: {_NOUNS})?|for me|me|please|mal|bitte|{_TO_LANGUAGE})[ ,]{{1,2}}){{0,3}}"
    rf"(?P<said>{_STATES})"
)
_STATED = rf"{_I}{_STATES}"
_CLOSES = rf"{_I}{_phrases('closes')}"
_BARE = (
    rf"{_I}[ ,]{{0,3}}(?:{_TO_LANGUAGE})?[ ,]{{0,3}}"
    r"(?:please|bitte|por favor|s'il (?:te|vous) plaît|per favore|пожалуйста|thanks)? {0,3}\Z"
)
_MINE = r"(?i)\b(?:my|mein\w{0,2}|mi|mon|ma|meu|minha|mio|mia|мой|моя|моё) (?:\w{1,24} ){0,1}\Z"
_SELVES = rf"{_I}{_phrases('selves')} {{0,2}}(?:[\w']{{1,20}} ){{0,2}}\Z"
_COLON = r"[^.!?\n:：\"“]{0,24}[:：](?!\d|//)"
_DASH = rf"{_I}(?:(?<=this)|(?<=folgendes)|(?<=esto)|(?<=ceci)|(?<=isto)|(?<=questo)|(?<=это)) [-–—] "
_WHAT = r"(?i)\b(?:what|was|lo que|ce que|o que|cosa|что)\b[^.!?\n:：]{1,60}\Z"
_LINE_END = r"[^.!?\n:：]{0,60}\n"
_ACTS = r"\A {0,3}\*[a-z]{2,20}s\b[^*\n]{0,80}\*(?!\*)"
_SALUTES = rf"{_I}(?m:^)[ >*]{{0,4}}(?:{_phrases('salutes')} ?[^\n]{{1,60}}[,:，：!]?|[^\n。、:：]{{1,14}}様) {{0,3}}\n"
_GREETS = rf"{_I}(?m:^)[ >*]{{0,4}}{_phrases('greets')} [^\n,:!]{{1,40}}[,:!] {{0,3}}\n"
_SIGNS_OFF = rf"{_I}(?m:^)[ >*]{{0,4}}{_phrases('signs_off')}[,.!:，。]?(?: {{1,3}}[^\n]{{1,40}})? {{0,3}}(?=\n|\Z)"
_TO_ASSISTANTS = (
    r"(?i)\b(?:assistant|ai|bot|chatbot|claude|chatgpt|gpt|gemini|cortex|copilot|siri|alexa|assistent\w{0,2}"
    r"|asistente|助手|アシスタント)\b"
)
_DIALOGUE = rf"{_I}{_phrases('dialogue')}\Z"
_FIELD = rf"{_I}{_phrases('fields')}\Z"


# --- marks that stand in the text -----------------------------------------------------------------------------------

_FENCE = r"(?m)^ {0,3}(`{3,}|~{3,})[ \t]*([\w+#.-]*)"
_PROSE_FENCES = frozenset({"", "text", "txt", "md", "markdown", "email", "eml", "html", "log"})
_QUOTED_LINES = r"(?m)^[ \t]*(?:>|＞|┃|│)[^\n]*(?:\n[ \t]*(?:>|＞|┃|│)[^\n]*)*"
_TAGGED = (
    r"(?i)<(document|documents|doc|email|mail|article|page|webpage|web_page|file|quote|blockquote|attachment|"
    r"transcript|source|content|context|paste|pasted|result|results|tool_result|search_result|search_results|"
    r"message|ticket|notes|data)\b[^<>\n]{0,200}>"
)
_FORWARDED = (
    r"(?im)^[ \t]*[-_=*]{2,}[ \t]*(?:forwarded|original|weitergeleitete|ursprüngliche|mensaje (?:reenviado|"
    r"original)|mensagem (?:encaminhada|original)|messaggio (?:inoltrato|originale)|message (?:transféré|d'origine)|"
    r"转发|转寄|轉寄|原始|原始邮件|転送|전달된|원본|пересылаемое|пересланное|исходное)[^\n]*|"
    r"^[ \t]*begin forwarded message\b[^\n]*|"
    r"^[ \t]*(?:on|am|el|le|em|il) [^\n]{4,120}\b(?:wrote|schrieb|escribió|a écrit|escreveu|ha scritto)\b[^\n:]{0,60}"
    r":[ \t]*$|^[^\n]{4,120}(?:написал\(?а?\)?|пишет|写道|寫道|さんは書きました|님이 작성)[^\n:：]{0,20}[:：][ \t]*$"
)
_HEADERS = (
    r"(?im)^[ \t]*(?:from|von|de|da|发件人|寄件者|差出人|보낸사람|보낸 사람|от|subject|betreff|asunto|objet"
    r"|assunto|oggetto|主题|主旨|件名|제목|тема)[ \t]*[:：][^\n]*\n(?:[^\n]*\n)?[ \t]*(?:to|subject|date|from|"
    r"sent|cc|reply-to|an|von|betreff|datum|gesendet|para|asunto|fecha|de|enviado|objet|à|envoyé|date|assunto|data|"
    r"oggetto|收件人|发件人|寄件者|主题|主旨|日期|件名|宛先|差出人|제목|받는사람|보낸사람|날짜|от|кому|тема"
    r"|дата)[ \t]*[:：]"
)
_ONE_HEADER = (
    r"(?i)\s{0,4}(?:subject|betreff|asunto|objet|assunto|oggetto|主题|主旨|件名|제목|тема) {0,2}[:：][^\n]{1,160}\n"
)
_SAYS = r"(?i)\b(?:says?|said|reads|states?|stated|wrote|writes|claims?)\b[^\n\"“]{0,40}[\"“]([^\"”\n]{20,2000})[\"”]"


def _marked(text: str) -> Iterator[Span]:
    yield from _fences(text)
    yield from _tagged(text)
    for each in _re(_QUOTED_LINES).finditer(text):
        yield Span(*each.span(), Owner.QUOTED, Reason.QUOTED_LINES)
    if '"' in text or "“" in text:
        for each in _re(_SAYS).finditer(text):
            is_sure = "recipe" not in speaks_of(text[_sentence_start(text, each.start()) : _stop(text, each.end())])
            yield Span(*each.span(1), Owner.QUOTED, Reason.SAID_BY_OTHERS, is_sure=is_sure)
    for pattern, reason in ((_FORWARDED, Reason.FORWARDED), (_HEADERS, Reason.FORWARDED)):
        # From there to the end: a message rarely says where the other's words stop.
        if (begun := _re(pattern).search(text)) and text[begun.end() :].strip():
            yield Span(begun.start(), len(text), Owner.QUOTED, reason)
            return
    if begun := _re(_ONE_HEADER).match(text):
        stop = text.find("\n\n", begun.end())
        yield Span(begun.start(), stop if stop >= 0 else len(text), Owner.QUOTED, Reason.FORWARDED)


def _fences(text: str) -> Iterator[Span]:
    opened: re.Match[str] | None = None
    for mark in _re(_FENCE).finditer(text):
        if opened is None:
            opened = mark
        elif mark.group(1).startswith(opened.group(1)) and not mark.group(2):
            yield _fenced(opened, mark.end())
            opened = None
    if opened is not None:
        yield _fenced(opened, len(text))


def _fenced(opened: re.Match[str], stop: int) -> Span:
    return Span(opened.start(), stop, Owner.PASTED, Reason.FENCE, opened.group(2).lower() not in _PROSE_FENCES)


def _tagged(text: str) -> Iterator[Span]:
    end = 0
    folded = text.lower()
    if len(folded) != len(text):
        return
    for tag in _re(_TAGGED).finditer(text):
        if tag.start() < end:
            continue
        close = folded.find(f"</{tag.group(1).lower()}", tag.end())
        end = len(text) if close < 0 else close
        yield Span(tag.end(), end, Owner.PASTED, Reason.TAG)


# --- texts that something is asked about ----------------------------------------------------------------------------

_MOST_REQUESTS = 24
_LONGEST_REQUEST = 240
_STOP = r"[:：](?!\d|//)|\n|[\"“„«「『]|(?<=[\s(])'(?=\S)|[.!?](?=\s|\Z)|[。！？]"
_QUOTES = {'"': '"', "“": "”", "„": "“”", "«": "»", "「": "」", "『": "』", "'": "'"}
_LEAST_QUOTED = 8
_REST_OF_SENTENCE = r" {0,2},? {0,2}(?=[a-zà-ÿа-я])[^.!?\n]{1,400}[.!?]?"
_DID_MYSELF = r"(?<![帮幫给給])我\Z"
_IS_DOING = r"い[るまた]|おり"
_SENTENCE_STARTS = r"[.!?。！？\n:：]\s{0,3}"


def _asked_about(text: str, phrases: Found, marked: Sequence[Span]) -> Iterator[Span]:
    """What stands beside a request to translate, correct, sum up or answer it."""
    taken = 0
    titles = [each.span() for each in _re(_QUOTATION).finditer(text)]
    for request, is_after in _requests(text, phrases)[:_MOST_REQUESTS]:
        at = request.start()
        if at < taken or _inside(at, marked) or any(start < at < stop for start, stop in titles):
            continue
        for each in _object_of(request, is_after, text, marked, alone=not taken):
            yield each
            taken = max(taken, each.stop)


def _requests(text: str, phrases: Found) -> list[tuple[re.Match[str], bool]]:
    """The requests of a text in order, and of each whether it stands after what it is about."""
    strong = [each for each in phrases["asks"] if _opens_a_clause(each, text)]
    loose = [each for each in phrases["asks_loosely"] if _opens_a_clause(each, text) and _names_a_text(each, text)]
    after = [each for each in phrases["asks_after"] if _is_request_after(each, text)]
    found = [(each, False) for each in (*strong, *loose)] + [(each, True) for each in after]
    return sorted(found, key=lambda each: each[0].start())


def _opens_a_clause(request: re.Match[str], text: str) -> bool:
    if not text[request.start()].isascii() and _re(_UNSPACED_LETTERS).match(text, request.start()):
        return True
    start = max(0, request.start() - 80)
    return _re(_OPENING).search(text[start : request.start()]) is not None


def _names_a_text(request: re.Match[str], text: str) -> bool:
    stop = _stop(text, request.end())
    asked = text[request.start() : stop]
    points = _re(_POINTS).search(asked)
    return points is not None and _re(_NOUN).search(asked, points.start()) is not None


def _is_request_after(request: re.Match[str], text: str) -> bool:
    """Whether a verb that closes its clause asks for something: in German "bitte" or "kannst du" tells."""
    if ord(request.group()[0]) > 0x2E7F or ord(request.group()[-1]) > 0x2E7F:
        did = _re(_DID_MYSELF).search(text, max(0, request.start() - 2), request.start())
        return did is None and _re(_IS_DOING).match(text, request.end()) is None
    clause = text[_sentence_start(text, request.start()) : request.start()]
    return _re(_CLOSES).search(clause) is not None


def _object_of(
    request: re.Match[str], is_after: bool, text: str, marked: Sequence[Span], *, alone: bool
) -> Iterator[Span]:
    """What a request is about; where it stands `alone`, that may be all that was said before it."""
    begin = _sentence_start(text, request.start()) if is_after else request.start()
    stop = _stop(text, request.end())
    asked = text[begin:stop]
    if len(asked) > _LONGEST_REQUEST or _re(_NOT_TEXTS).search(asked):
        return
    if not is_after and (inline := _re(_INLINE).match(text, request.end(), min(len(text), request.end() + 120))):
        yield _pasted(text, inline.start("said"))
        return
    if is_after and (said := _said_before(request, text, begin)):
        yield Span(*said, Owner.QUOTED, Reason.REQUEST)
        return
    mark = text[stop : stop + 1]
    if mark in _QUOTES and mark:
        yield from _quoted(text, stop)
        return
    after = _next_place(text, stop + 1)
    points = _re(_POINTS).search(asked) is not None or _re(_THESE_WORDS).search(request.group()) is not None
    if after < len(text) and not _inside(after, marked):
        if text[after] in _QUOTES and mark in ":：\n":
            yield from _quoted(text, after, goes_on=True)
        elif text[after] in "(（":
            return  # an aside of the user
        elif _goes_on(mark, points, asked, text[request.end() : stop], is_after) and not _only_closes(text[after:]):
            yield _pasted(text, after)
            return
        elif not _only_closes(text[after:]):
            return
    begin = _sentence_start(text, begin)
    if alone and begin and (_re(_ABOVE).search(asked) or _re(_BARE).match(text[request.end() : stop])):
        start = _next_place(text, 0)
        if start < begin and text[start:begin].strip(" \n,.;:-"):
            yield Span(start, begin, Owner.PASTED, Reason.REQUEST)


def _goes_on(mark: str, points: bool, asked: str, rest: str, is_after: bool) -> bool:
    """Whether the text stands after the request: after a colon always, else where the request points at it."""
    if mark and mark in ":：":
        return True
    if points:
        return True
    if mark == "\n":
        return len(rest.split()) <= 3
    return is_after and len(asked) <= 24 and not asked.isascii()


def _said_before(request: re.Match[str], text: str, begin: int) -> Place | None:
    """A statement that stands before its verb in the same sentence: "… を英語に訳して"."""
    before = text[begin : request.start()]
    inner = request.group()
    if inner.startswith("把") and not inner.startswith("把我的") and (said := _re(_STATED).search(inner, 1)):
        return request.start() + said.start(), request.end()
    if before.isascii() or _re(_POINTS).search(before):
        return None
    told = _re(_STATED).search(before)
    return (begin + told.start(), request.start()) if told and len(before) - told.start() > 5 else None


def _quoted(text: str, at: int, *, goes_on: bool = False) -> Iterator[Span]:
    """The quotation that opens at `at`; one that is never closed goes to the end of its line.

    It `goes_on` to the end of the sentence where that goes on after it.
    """
    closing = _QUOTES[text[at]]
    found = [place for mark in closing if (place := text.find(mark, at + 1, at + 4_000)) > 0]
    line = text.find("\n", at)
    stop = min(found) if found else line if line >= 0 else len(text)
    if goes_on and (rest := _re(_REST_OF_SENTENCE).match(text, stop + 1)):
        stop = rest.end() - 1
    if stop - at >= _LEAST_QUOTED or not text[at + 1 : stop].isascii():
        yield Span(at, min(stop + 1, len(text)), Owner.QUOTED, Reason.REQUEST)


def _pasted(text: str, start: int, owner: Owner = Owner.PASTED, reason: Reason = Reason.REQUEST) -> Span:
    return Span(start, _end_of(text, start), owner, reason)


def _end_of(text: str, start: int) -> int:
    """Where a text ends that begins at `start`: at the end of the message, or before the question that closes it."""
    stop = len(text)
    for paragraph in reversed(list(_re(r"\n[ ]*\n\s*").finditer(text, start))):
        after = text[paragraph.end() : stop]
        if not (_only_closes(after) or _speaks_aside(after)):
            break
        stop = paragraph.start()
    return stop


_LONGEST_CLOSING = 240
_SENTENCES = r"[^.!?。！？\n]+[.!?。！？\n]*"


def _only_closes(text: str) -> bool:
    """Whether some words are only a question to the assistant about what stands before them, or a thank you."""
    said = text.strip()
    if len(said) > _LONGEST_CLOSING:
        return False
    pieces = [each for each in _re(_SENTENCES).findall(said) if each.strip()]
    return all(_re(_CLOSES).search(each) or _is_question(each.strip()) for each in pieces)


_ASIDE = (
    r"(?i)\b(?:by the way|btw|for context|fyi|note that i|übrigens|zur info|por cierto|apunta que|para que sepas"
    r"|au fait|je précise"
    r"|d'ailleurs|comunque|tra l'altro|a propósito|aliás|кстати|should i|do i|what do i|how do i"
    r"|soll ich|was mach ich"
    r"|¿(?:qué|cómo|debo|debería)|je réponds|je fais quoi|cosa rispondo|что мне)\b"
    r"|顺便|对了|另外|怎么回|该怎么|我该|ちなみに|ところで|どう返|どうしたら|参考までに|참고로|어떻게"
)


def _speaks_aside(text: str) -> bool:
    """Whether a last paragraph is the user's again: an aside, or what to do about the text above."""
    return len(text) <= _LONGEST_CLOSING and _re(_ASIDE).search(text) is not None


def _is_question(sentence: str) -> bool:
    return sentence.endswith(("?", "？")) and not _re(_STATED).match(sentence)


def _stop(text: str, at: int) -> int:
    found = _re(_STOP).search(text, at, min(len(text), at + _LONGEST_REQUEST))
    return found.start() if found else min(len(text), at + _LONGEST_REQUEST)


def _sentence_start(text: str, at: int) -> int:
    start = max(0, at - _LONGEST_REQUEST)
    for found in _re(_SENTENCE_STARTS).finditer(text, start, at):
        start = found.end()
    return start


def _next_place(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _inside(at: int, others: Iterable[Span]) -> bool:
    return any(each.start <= at < each.stop for each in others)


# --- texts that others wrote ----------------------------------------------------------------------------------------


def _received(text: str, phrases: Found) -> Iterator[Span]:
    """What follows "here is the mail I got:"."""
    for found in phrases["received"]:
        stop = _stop(text, found.end())
        beside = text[found.start() : stop]
        named = _re(_NOUN).search(beside)
        is_named = named is not None and not _re(_MINE).search(beside[: named.start()])
        opens = text[stop : stop + 1] in _OPENS_TEXT or (text[stop : stop + 1] == "." and _re(_PIECES).search(beside))
        if opens and (is_named or _re(_THESE_WORDS).search(beside)) and not _is_for_assistant(beside, text[stop + 1 :]):
            yield from _after(text, stop + 1, Owner.PASTED, Reason.RECEIVED)
            return


_FOR_YOU = r"(?i)\b(?:for you|für dich|para ti|pour toi|per te)\b|给你的?\Z"
_REPORTS_ON = (
    r"(?i)\s*(?:they|sie|ellos|ellas|ils|elles)\b|\s*(?:is|are|do|does|can|how|what|why|when)\b[^.!?\n]{1,120}\?"
)


def _is_for_assistant(frame: str, said: str) -> bool:
    """Whether words before a colon open what the user tells or asks: "a note for you", "I got a mail: they moved"."""
    return _re(_FOR_YOU).search(frame) is not None or _re(_REPORTS_ON).match(said) is not None


_OPENS_TEXT = frozenset(":：\n")
_PIECES = (
    r"(?i)\b(?:paragraph|excerpt|passage|quote|extract|lyrics|poem|transcript|absatz|auszug|zitat|párrafo"
    r"|fragmento|cita"
    r"|extrait|citation|trecho|citação|estratto|citazione|отрывок|цитата|абзац)\b"
)


def _said_by_others(text: str, phrases: Found) -> Iterator[Span]:
    """What follows "my boss wrote:", and "this is what my boss wrote" on a line of its own."""
    for found in phrases["wrote"]:
        start = max(0, found.start() - 48)
        asked = text[_sentence_start(text, found.start()) : _stop(text, found.end())]
        if _re(_SELVES).search(text[start : found.start()]) or asks_to_create(speaks_of(asked)):
            continue
        end = _re(_COLON).match(text, found.end()) or _re(_DASH).match(text, found.end())
        if end is None and _re(_WHAT).search(text[start : found.start()]):
            end = _re(_LINE_END).match(text, found.end())
        if end is None or _re(_FIRST_PERSON).search(end.group()) or _re(_REPORTS_ON).match(text, end.end()):
            continue
        if "recipe" in speaks_of(asked):
            # What a manual says is of use to the user, and ends with its sentence.
            yield Span(end.end(), _stop(text, end.end()), Owner.OTHER_SPEAKER, Reason.SAID_BY_OTHERS, is_sure=False)
            continue
        yield from _after(text, end.end(), Owner.QUOTED, Reason.SAID_BY_OTHERS)
        return


def _after(text: str, at: int, owner: Owner, reason: Reason) -> Iterator[Span]:
    """What stands after an announcement: a quotation, a block with marks of its own, or the rest."""
    start = _next_place(text, at)
    if start >= len(text) or _re(_FENCE).match(text, start) or text[start] in ">＞<":
        return
    if text[start] in _QUOTES:
        yield from _quoted(text, start)
    elif not _only_closes(text[start:]):
        yield _pasted(text, start, owner, reason)


# --- what a colon, a line break or a full stop sets apart -----------------------------------------------------------

_LONGEST_FRAME = 160
_MOST_FRAMES = 40
_SHORT = 24
_LEAST_SAID = 12
_ENDS_FRAME = r"[:：](?!\d|//)|\n|[.!?](?=\s)|[。！？]|>{2,4}|[-=]>|→"
_COLONS = frozenset({":", "：", ">>", ">>>", ">>>>", "->", "=>", "→"})
_FIRST_PERSON = (
    r"(?i)\b(?:i|i'm|im|i've|i'd|i'll|my|me|we|our|ich|mein\w{0,2}|wir|yo|mi|mis|vivo|soy|trabajo|tengo"
    r"|me llamo|somos"
    r"|je|j'\w{1,20}|mon|ma|mes|nous|eu|meu|minha|moro|sou|trabalho|tenho|chamo-me|io|mio|mia|abito|sono|lavoro"
    r"|mi chiamo|я|мой|моя|мо[её]|мы|меня|мне)\b|[我俺咱]|私|僕|わたし|저는|나는|제|내가|우리"
)
_I_SUBJECT = (
    r"(?i)\b(?:i|i'm|i've|i'd|we|we're|we've|ich|wir|yo|je|j'\w{1,20}|nous|eu|io|я|мы)\b"
    r"|我(?!老|的|妈|媽|爸|哥|弟|姐|妹)|私|僕"
)
_LANGUAGES = rf"{_I}{_phrases('languages')}"
_WORKS = rf"{_I}{_phrases('works')}"
_PEOPLE = rf"{_I}{_phrases('people')}"
_OWN_FRAMES = (
    rf"{_I}\W{{0,3}}(?:(?:and|so|ok|okay|oh|also|just|please|again|one|two|some|a few|the|my|a|an|your|und|die|der|das"
    rf"|y|el|la|et|le|e|o|il|и) ){{0,2}}{_phrases('own_frames')}"
)
_IMPERATIVE = r"(?i)\A\W{0,3}[\w'-]{1,24}(?= (?:the|my|our|a|an|it|with|that)\b)"
_BELOW = r"(?i)\b(?:below|unten|abajo|ci-dessous|abaixo|qui sotto|ниже)\b|下面|以下|아래"
_ONLY_A_LANGUAGE = (
    rf"{_I}\W{{0,3}}(?:(?:please|bitte|in|into|to|auf|ins|en|al|em|para|на|now)[ ,]{{1,2}}){{0,2}}"
    rf"{_phrases('languages', spaced=True)}(?:[ ,]{{1,2}}(?:please|bitte|por favor|svp|pls|per favore|пожалуйста))?"
    r"\W{0,3}\Z"
)
_MY_PEOPLE = (
    rf"{_I}\b(?:my|mein\w{{0,2}}|mi|mon|ma|meu|minha|mio|mia|мой|моя) (?:\w{{1,20}} )?{_phrases('people', spaced=True)}"
)
_MY = r"(?i)\b(?:my|our|mein\w{0,2}|unser\w{0,2}|mi|mis|mon|ma|mes|meu|minha|mio|mia|мой|моя|моё|мои)\b|我的"
_GOT = (
    r"(?i)\b(?:got|found|saw|read|heard|received|came across|copied|gefunden|bekommen|gelesen|encontré"
    r"|recibí|leí|reçu"
    r"|trouvé|lu|recebi|encontrei|li|ricevuto|trovato|letto|получил\w?|наш[её]л|нашла|прочитал\w?)\b"
)


_DUTY = (
    r"(?i)\b(?:i (?:have|need|must|had|ought|still)(?: to)?|i've got to|we (?:have|must|need)|ich (?:muss|soll)"
    r"|tengo que|debo|je dois|il faut que je)\b"
)


def _framed(text: str, speaker: str, phrases: Found, known: Sequence[Span]) -> Iterator[Span]:
    """First-person statements after words that tell of somebody else, of a text, or of work on it."""
    start = 0
    pointed_at = [each.start() for each in phrases["these"]]
    for number, end in enumerate(_re(_ENDS_FRAME).finditer(text)):
        if number == _MOST_FRAMES:
            return
        begin, start = start, end.end()
        frame, mark = text[begin : end.start()], end.group()
        is_plain = mark not in _COLONS and (number or mark != "\n")
        points = any(begin <= at < start for at in pointed_at) or text[start : start + 1] == "\n"
        if is_plain and len(frame) > _SHORT and not points:
            continue
        if speaker and frame.strip().casefold() == speaker.casefold():
            continue
        after = _next_place(text, end.end())
        if not frame.strip() or len(frame) > _LONGEST_FRAME or after >= len(text):
            continue
        if _inside(end.start(), known) or _inside(after, known):
            continue
        stop = _stop(text, after + 1)
        said = text[after : stop if stop > after + _LEAST_SAID else after + _LONGEST_FRAME]
        if text[after] in _QUOTES or not _re(_FIRST_PERSON).search(said) or _only_closes(text[after:]):
            continue
        if _is_for_assistant(frame, said):
            continue
        sets_apart = "\n" in text[end.start() : after]
        if _is_frame(frame, mark, is_first=number == 0, sets_apart=sets_apart):
            stop = _end_of(text, after)
            yield Span(after, stop, Owner.QUOTED, Reason.FRAME, is_sure=not _is_vague(frame))
            return


def _is_vague(frame: str) -> bool:
    """Whether words before a colon name a person, and then something of theirs that is no text: "Grandma's garden"."""
    named = _re(_PEOPLE).search(frame)
    after = frame[named.end() :].split() if named else []
    tells = {"text", "work", "tongue", "come", "judge", "typing"}
    return bool(after) and not speaks_of(frame) & tells and not _re(_NOUN).search(frame)


def _is_frame(frame: str, mark: str, *, is_first: bool, sets_apart: bool) -> bool:
    """Whether words that end with `mark` announce somebody else's; `sets_apart` says that those begin a line."""
    points = _re(_POINTS).search(f"{frame}{mark}") is not None
    names_work = _re(_WORKS).search(frame) is not None or (points and _re(_LANGUAGES).search(frame) is not None)
    spoken_of = speaks_of(frame)
    if _re(_NOT_TEXTS).search(frame) or "recipe" in spoken_of or asks_to_create(spoken_of):
        return False
    if _re(_ONLY_A_LANGUAGE).match(frame):
        return True
    if mark not in _COLONS:
        # A full stop announces less than a colon does: the sentence has to point at the text, and name it or the work.
        named = names_work or (sets_apart and (is_first or _re(_NOUN).search(frame) is not None))
        below = sets_apart and _re(_BELOW).search(frame) is not None and _re(_NOUN).search(frame) is not None
        if _re(_DUTY).search(frame):
            return below
        return (points and named) or below or (mark == "\n" and is_first and _reports(frame))
    if _re(_OWN_FRAMES).match(frame) and not (points and names_work):
        return False
    if _re(_I_SUBJECT).search(frame):
        return points or names_work or _re(_GOT).search(frame) is not None
    if _re(_MY_PEOPLE).search(frame):
        return True
    if _re(_MY).search(frame):
        return points and names_work
    if points or names_work:
        return True
    told = _re(_IMPERATIVE).sub("", frame)
    return any(_re(each).search(told) for each in (_LANGUAGES, _NOUN, _PEOPLE))


def _reports(line: str) -> bool:
    """Whether a line without an end tells of somebody else's text: "Our CEO's memo says"."""
    return all(_re(each).search(line) for each in (_NOUN, _PEOPLE)) and not _re(_I_SUBJECT).search(line)


_QUOTATION = (
    r"\"[^\"\n]{8,2000}\"|“[^“”\n]{4,2000}”|«[^«»\n]{8,2000}»|„[^„“”\n]{8,2000}[“”]"
    r"|「[^「」\n]{4,2000}」|『[^『』\n]{4,2000}』"
)


_STATED_AT_THE_END = r"(?:です|ます|ました|でした|ている|요|니다|이다)[。.！!]?\Z"


def _statements_in_quotes(text: str) -> Iterator[Span]:
    """Quotations in which somebody speaks of themselves."""
    for found in _re(_QUOTATION).finditer(text):
        said = found.group()[1:-1]
        is_long = len(said.split()) >= 3 or (not said.isascii() and len(said) >= 6)
        if is_long and (_re(_STATED).match(said.lstrip()) or _re(_STATED_AT_THE_END).search(said)):
            said_in = text[_sentence_start(text, found.start()) : _stop(text, found.end())]
            is_sure = not _is_title(text, *found.span()) and "recipe" not in speaks_of(said_in)
            yield Span(*found.span(), Owner.QUOTED, Reason.QUOTATION, is_sure=is_sure)


_LONGEST_TITLE = 9
_LONGEST_UNSPACED_TITLE = 16
_ENDS_SENTENCE = r"[.!?。！？]\s*\Z"


_SAID_SO = (
    r"(?i)[:：]\s*\Z|\b(?:says?|said|wrote|writes|texted|goes|reads|replied|answered|schrieb|schreibt|sagte?"
    r"|meinte|dice|dijo"
    r"|escribió|dit|écrit|disse|scrive)\b|[说說写寫]|言っ|書い"
)


def _is_title(text: str, start: int, stop: int) -> bool:
    """Whether a quotation may be the title of a book or a song: short, no sentence, and said by nobody."""
    said = text[start + 1 : stop - 1].strip()
    is_spaced = said.isascii() or " " in said
    is_short = len(said.split()) <= _LONGEST_TITLE and (is_spaced or len(said) <= _LONGEST_UNSPACED_TITLE)
    before = text[_sentence_start(text, start) : start]
    if not is_short or not before.strip() or _re(_ENDS_SENTENCE).search(said):
        return False
    return not _re(_SAID_SO).search(before) and "work" not in speaks_of(before)


def _mails(text: str) -> Iterator[Span]:
    """Letters: a salutation to somebody else, up to the name below its ending."""
    if "\n" not in text:
        return
    for pattern in (_SALUTES, _GREETS):
        opened = _re(pattern).search(text)
        if opened is None or _re(_TO_ASSISTANTS).search(opened.group().strip()):
            continue
        closed = _re(_SIGNS_OFF).search(text, opened.end())
        if closed is None and pattern is _GREETS:
            continue
        yield Span(opened.start(), _below(text, closed.end()) if closed else _end_of(text, opened.start()),
                   Owner.QUOTED, Reason.MAIL)  # fmt: skip
        return


_SIGNATURE = r"\n(?: {0,3}\n)? {0,3}[^\n]{1,40}(?=\n|\Z)(?:\n {0,3}[^\s][^\n]{0,39}(?=\n|\Z)){0,2}"


def _below(text: str, at: int) -> int:
    """The end of the lines with a name below the ending of a letter."""
    signed = _re(_SIGNATURE).match(text, at)
    return signed.end() if signed else at


# --- messages that hand something over ------------------------------------------------------------------------------

_OWNER_OF = {
    Handed.TEXT: Owner.PASTED,
    Handed.STORY: Owner.FICTION,
    Handed.KEYBOARD: Owner.OTHER_SPEAKER,
}


_REQUESTED = frozenset({Reason.REQUEST, Reason.FRAME, Reason.RECEIVED})


def _handed_over(text: str, known: Sequence[Span]) -> Iterator[Span]:
    """What follows clauses that speak of a text, of others or of a story, where no other sign says more."""
    is_known = any(each.is_sure for each in known)
    if any(each.reason not in _REQUESTED or text[each.start] in _QUOTES for each in known):
        return
    for each in hand_overs(text[:GLANCE]):
        stop = _end_of(text, each.start) if each.stop is None else each.stop
        is_sure = each.is_sure and not is_known
        yield Span(each.start, stop, _OWNER_OF[each.handed], Reason.HAND_OVER, is_sure=is_sure)


# --- transcripts ----------------------------------------------------------------------------------------------------

_CLOCK = r"(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4},? ?)?\d{1,2}[:.]\d{2}(?::\d{2})?(?: ?[ap]m)?"
_ASKED_AND_ANSWERED = r"(?m)(?:^|(?<=[.?!] ))(?:Q|A|F|P|R|问|答)[.)] (?=\S)"
_TIMED = rf"(?m)^[\[(]?{_CLOCK}[\])]?[ ,–-]{{1,3}}(?=[A-ZÀ-ÞА-ЯЁ][\w'-]{{1,20}} )"
_LABEL = (
    rf"(?im)(?:^[ *_-]{{0,4}}|(?<=[.!?…] )|(?<=[。！？]))(?P<time>[\[(]?{_CLOCK}[\])]?[ ,–-]{{0,3}})?"
    r"(?:<(?P<nick>[\w.|-]{1,24})>|[*_]{0,2}(?P<name>[^\W\d_][\w.'-]{0,23}(?: [\w.'-]{1,20}){0,2})[*_]{0,2}"
    rf"(?: ?[\[(]{_CLOCK}[\])])?[*_]{{0,2}} ?[:：](?!//|\d{{2}})[*_]{{0,2}}) {{0,2}}(?=\S)"
)
_SPEECH = (
    r"(?i)\b(?:i|i'm|you|my|me|we|your|ich|du|sie|wir|mein\w{0,2}|yo|tú|mi|vivo|soy|trabajo|je|j'\w{1,20}|tu|vous|moi"
    r"|eu|você|moro|sou|trabalho|io|abito|sono|lavoro|я|ты|вы|мой|моя)\b"
    r"|[我你您他她]|私|僕|です|ます|저는|나는|제|요[.?!]|[?？]"
)
_MOST_LABELS = 400


def _transcripts(text: str, speaker: str) -> Iterator[Span]:
    """Lines with the names of those who say them; those of the speaker, where the host names one, are own."""
    timed = [each.start() for pattern in (_TIMED, _ASKED_AND_ANSWERED) for each in _re(pattern).finditer(text)]
    if len(timed) >= 2 and not speaker:
        yield Span(timed[0], _end_of_line(text, timed[-1]), Owner.OTHER_SPEAKER, Reason.TRANSCRIPT)
    if not any(mark in text for mark in ":：<"):
        return
    found = []
    for each in _re(_LABEL).finditer(text):
        found.append(each)
        if len(found) == _MOST_LABELS:
            break
    if len(found) < 2:
        return
    lines = [each for each in found if each["time"] or each["nick"] or not _is_field(each["name"])]
    if not _is_dialogue(text, lines):
        return
    ends = [*(each.start() for each in lines[1:]), _end_of(text, lines[-1].start())]
    for line, end in zip(lines, ends, strict=True):
        if not speaker or _who(line) != speaker.casefold():
            yield Span(line.start(), end, Owner.OTHER_SPEAKER, Reason.TRANSCRIPT)


_SPOKEN_LINE = (
    r"(?m)^[ *_]{0,4}(?P<name>[^\W\d_][\w.'-]{0,20}(?: [\w.'-]{1,16})?)(?:[ \t]{2,8}|\t|\u3000| [-–—] )(?=\S)"
    r"|^(?P<unspaced>[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,6}) (?=\S)|^ {0,3}(?P<dash>[—–]) ?(?=\S)"
)
_FEWEST_LINES = 3


def _chats(text: str, speaker: str) -> Iterator[Span]:
    """Lines that begin with names and a gap, without any colon: at least two take turns, and one speaks again."""
    if speaker or text.count("\n") < _FEWEST_LINES - 1:
        return
    lines = [each for each, _ in zip(_re(_SPOKEN_LINE).finditer(text), range(_MOST_LABELS), strict=False)]
    names = [(each["name"] or each["unspaced"] or each["dash"]).casefold() for each in lines]
    takes_turns = len(set(names)) >= 2 and any(names.count(each) >= 2 for each in set(names))
    asks_and_answers = set(names) == {"—"} and "?" in text[lines[0].start() :]
    if len(lines) >= _FEWEST_LINES and (takes_turns or asks_and_answers):
        yield Span(lines[0].start(), _end_of_line(text, lines[-1].start()), Owner.OTHER_SPEAKER, Reason.TRANSCRIPT)


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _is_field(name: str) -> bool:
    return _re(_FIELD).match(name) is not None


def _who(line: re.Match[str]) -> str:
    return (line["nick"] or line["name"] or "").casefold()


def _is_dialogue(text: str, lines: Sequence[re.Match[str]]) -> bool:
    if len(lines) < 2:
        return False
    if sum(bool(each["time"] or each["nick"]) for each in lines) >= 2:
        return True
    names = [_who(each) for each in lines]
    if len(set(names)) < 2:
        return False
    if sum(_re(_DIALOGUE).match(name) is not None for name in names) >= 2 or len(names) > len(set(names)):
        return True
    if not all(_is_name(each["nick"] or each["name"]) for each in lines):
        return False
    ends = [*(each.start() for each in lines[1:]), len(text)]
    said = [text[line.end() : end].strip() for line, end in zip(lines, ends, strict=True)]
    return any(_re(_SPEECH).search(each) for each in said) and all(
        len(each.split()) >= 3 or not each.isascii() for each in said[:2]
    )


def _is_name(name: str) -> bool:
    return name[:1].isupper() or not name[:1].isascii()


# --- play, guests, assistants ---------------------------------------------------------------------------------------


_CAST = (
    r"(?i)\b(?:characters?|protagonist|hero|heroine|narrator|persona|villain|npc|role-? ?play|figur|charakter|held"
    r"|heldin|erzähler\w{0,2}|rollenspiel|personaje|protagonista|narrador\w?|juego de rol|personnage|héros|narrateur"
    r"|jeu de rôle|personagem|herói|personaggio|eroe|narratore|персонаж\w{0,3}|геро\w{1,3}|рассказчик\w{0,2})\b"
    r"|角色|主角|人物|旁白|扮演|キャラ|主人公|ロールプレイ|ふり|なりきっ|캐릭터|주인공|역할극|상황극"
    r"|\b(?:vivo|soy|trabajo|moro|sou|trabalho|abito|sono|lavoro|habito|habite)\b|나는|저는"
)


def _played(text: str, phrases: Found) -> Iterator[Span]:
    begun = phrases["plays"][0] if phrases["plays"] else _re(_ACTS).search(text)
    # "Write a poem about my garden" plays nobody.
    if begun and (_re(_I_SUBJECT).search(text, begun.start()) or _re(_CAST).search(text, begun.start())):
        yield _until(phrases["plays_no_more"], text, begun.start(), Owner.FICTION, Reason.PLAY)


def _by_guests(text: str, phrases: Found) -> Iterator[Span]:
    if phrases["guests"]:
        start = phrases["guests"][0].start()
        yield _until(phrases["guests_no_more"], text, start, Owner.OTHER_SPEAKER, Reason.GUEST)
    for passed_on in phrases["asks_for_others"]:
        if colon := _re(_COLON).match(text, passed_on.end()):
            yield from _after(text, colon.end(), Owner.OTHER_SPEAKER, Reason.GUEST)


def _until(ends: Sequence[re.Match[str]], text: str, at: int, owner: Owner, reason: Reason) -> Span:
    """From the sentence that `at` stands in to the first of `ends` after it, or to the end."""
    stop = next((each.start() for each in ends if each.start() > at), len(text))
    return Span(_sentence_start(text, at), stop, owner, reason)


def _by_assistants(text: str, phrases: Found) -> Iterator[Span]:
    """What an assistant says, under whatever role it comes."""
    opens = next((each for each in phrases["assistant_opens"] if not text[: each.start()].strip(_EDGES)), None)
    closes = opens is not None and any(each.start() >= opens.end() for each in phrases["assistant_closes"])
    if phrases["is_assistant"] or closes:
        yield Span(0, len(text), Owner.OTHER_SPEAKER, Reason.ASSISTANT)


_EDGES = " \n*_#>-!¡¿"


_RANK = (Owner.PASTED, Owner.QUOTED, Owner.OTHER_SPEAKER, Owner.FICTION)
"""Whose words are counted first where signs overlap: what comes from outside may carry orders."""


def _apart(found: Sequence[Span]) -> list[Span]:
    """`found` in order, those that overlap made one; one with prose in it is prose."""
    apart: list[Span] = []
    for each in found:
        if each.start >= each.stop:
            continue
        if apart and each.start < apart[-1].stop:
            last = apart.pop()
            most = min(last, each, key=lambda one: _RANK.index(one.owner))
            is_code = last.is_code and each.is_code
            is_sure = last.is_sure or each.is_sure
            each = Span(last.start, max(last.stop, each.stop), most.owner, most.reason, is_code, is_sure)
        apart.append(each)
    return apart

"""Signs that a text tries to instruct whoever reads it rather than to inform, and what trust is left to it.

No pattern tells a lie from a fact, and none knows every wording: this is a floor. What holds without it is that
untrusted text is never more than labelled data; what is found here is kept out of automatic recall altogether.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cache, lru_cache
from itertools import pairwise

from cortex.domain.text import normal, without_references
from cortex.domain.trust import SourceKind, TrustTier, least, tier_of

Span = tuple[int, int]

INSTRUCTIVE = 0.5
"""A text from outside with signs of this weight is an instruction, whatever else it says."""

UNMISTAKABLE = 1.0

INSTRUCTIVE_CODE = 0.7
"""Comments in code say "always" and "never" to programmers: pasted code needs a sign more."""

_GLANCE = 8_000

ECHO = 0.35
"""A statement that shares this much of its words with an untrusted text was taken from it."""


class Sign(StrEnum):
    """What gives a text away."""

    OVERRIDE = "override"
    FRAME = "forged_frame"
    ORDER = "order"
    EXFILTRATION = "exfiltration"
    CONCEALMENT = "concealment"
    AUTHORITY = "authority"
    ENCODED = "encoded"
    OBFUSCATED = "obfuscated"


class Level(IntEnum):
    CLEAR = 0
    INSTRUCTIVE = 1
    """It tells its reader what to do: honest from a user, not from a web page."""
    UNMISTAKABLE = 2
    """It wears a forged frame, lifts the rules, or hides an instruction: nobody does that by chance."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """How much a text looks like an instruction to its reader, and by which signs."""

    score: float
    level: Level
    reasons: tuple[Sign, ...]

    def __bool__(self) -> bool:
        return self.level is not Level.CLEAR


CLEAR = Suspicion(0.0, Level.CLEAR, ())


def suspicion(text: str) -> Suspicion:
    """The signs in `text`, judged as a reader sees it: invisible characters, look-alikes and encodings undone."""
    return _judged(text, _MAX_DEPTH)


def tier_for(source: SourceKind, text: str, *, seen: Iterable[str] = ()) -> TrustTier:
    """The tier of `text` from `source`: never above `tier_of(source)`.

    `seen` are the untrusted texts the assistant had before it when it spoke; what it repeats of them is theirs.
    """
    allowed = tier_of(source)
    if allowed is not TrustTier.TRUSTED:
        return least((allowed, TrustTier.QUARANTINED)) if suspicion(text) else allowed
    if source is SourceKind.USER:
        return _tier_of_users(text)
    if source is SourceKind.ASSISTANT:
        return _tier_of_assistants(text, seen)
    return allowed


def tier_within(source: SourceKind, text: str, span: Span) -> TrustTier:
    """The tier of a statement that stands at `span` of what `source` said: pasted words are not the speaker's."""
    start, end = span
    if source is SourceKind.USER and any(start < stop and begin < end for begin, stop in pasted_spans(text)):
        return tier_for(SourceKind.IMPORT, text[start:end])
    return tier_for(source, text[start:end])


def echoes(text: str, others: Iterable[str]) -> float:
    """How much of `text` also stands in one of `others`, 0 to 1; 0 where it has too few words to tell.

    A long text has most words anyway: there, pairs of words that follow each other are compared.
    """
    words = _telling_words(text)
    if len(set(words)) < _FEWEST_WORDS:
        return 0.0
    return max((_shared(words, _telling_words(other)) for other in others), default=0.0)


def own_words(text: str) -> str:
    """`text` without what was pasted into it."""
    kept, end = [], 0
    for start, stop in pasted_spans(text):
        kept.append(text[end:start])
        end = stop
    return "".join([*kept, text[end:]])


def quotes_others(text: str) -> bool:
    """Whether a message carries somebody else's prose near its beginning: whoever reads it should be told."""
    # Recall asks this of every turn it shows, and has no time to read long ones.
    return _quotes_others(text[:_GLANCE])


@lru_cache(maxsize=1_024)  # and several times of each, since a line is measured before it is shown
def _quotes_others(text: str) -> bool:
    return any(not each.is_code for each in _pasted(text))


def pasted_spans(text: str) -> list[Span]:
    """Where a message carries somebody else's words: quotes, fences, forwarded mail, documents. In order, apart."""
    return [(each.start, each.stop) for each in _pasted(text)]


def _tier_of_users(text: str) -> TrustTier:
    if _judged(text, _MAX_DEPTH, UNMISTAKABLE).level is Level.UNMISTAKABLE:
        return TrustTier.UNTRUSTED
    for each in _pasted(text):
        if suspicion(text[each.start : each.stop]).score >= (INSTRUCTIVE_CODE if each.is_code else INSTRUCTIVE):
            return TrustTier.UNTRUSTED
    return TrustTier.TRUSTED


def _tier_of_assistants(text: str, seen: Iterable[str]) -> TrustTier:
    if echoes(text, seen) >= ECHO:
        return TrustTier.QUARANTINED if suspicion(text) else TrustTier.UNTRUSTED
    judged = _judged(text, _MAX_DEPTH, UNMISTAKABLE)
    return TrustTier.UNTRUSTED if judged.level is Level.UNMISTAKABLE else TrustTier.TRUSTED


_TELLING = r"[^\W_]{4,}|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2}"
_FEWEST_WORDS = 4
_LONG = 120
_PAIR_WEIGHT = 1.5


def _telling_words(text: str) -> list[str]:
    return _re(_TELLING).findall(normal("NFKC", text).casefold())


def _shared(words: Sequence[str], others: Sequence[str]) -> float:
    pairs = set(pairwise(words))
    share = min(1.0, _PAIR_WEIGHT * len(pairs & set(pairwise(others))) / max(1, len(pairs)))
    known = set(others)
    if len(known) <= _LONG:
        share = max(share, len(set(words) & known) / len(set(words)))
    return share


@cache
def _re(pattern: str) -> re.Pattern[str]:
    """Compiled when the first text needs it: all of them take longer than a recall."""
    return re.compile(pattern)


# --- how a reader sees it --------------------------------------------------------------------------------------------

_MAX_DEPTH = 2
_INVISIBLE = (
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)
_TAG_LETTERS = "[\U000e0020-\U000e007e]{3,}"
_HIDING = (
    # Inside a Latin word nothing invisible has a reason to be; a soft hyphen has.
    "(?<=[A-Za-z])[\u200b-\u200f\u2060-\u2064\ufeff\u034f\u180e](?=[A-Za-z])"
    # Overrides of direction, and runs of invisible characters that spell something out.
    "|[\u202d\u202e]|[\u200b-\u200d\u2060-\u2064\ufeff]{6,}"
)
_LOOKALIKES = {
    ord(pair[0]): pair[1]
    for pair in (
        "аa вb гr еe ёe іi їi кk мm нh оo рp сc тt уy хx ѕs јj һh ԁd ԛq ԝw ԍg ӏl ьb "  # Cyrillic
        "αa βb γy δd εe ηn ιi κk νv οo ρp τt υu χx ωw ϲc "  # Greek
        "ɑa ɡg ıi օo սu ոn հh ցg ℓl ǀl"
    ).split()
}
_TYPOGRAPHY = {
    ord(pair[0]): pair[1] for pair in "‐- ‑- ‒- –- —- ‹< ›> 〈< 〉> ⟨< ⟩> «< »> ’' ‘' ʼ' “\" ”\" „\"".split()
}
_MIXED = r"(?i)[a-z][\u03b1-\u03c9\u0430-\u044f\u0450-\u045f\u04bb\u04cf\u0501\u051b\u051d]+[a-z]"
_SPACED = r"(?<!\w)(?:\w[ \t.\-_*·]){4,}\w(?!\w)"
_SEPARATOR = r"[ \t.\-_*·]"
_LEET = str.maketrans("013457@$|", "oieastasi")
_LEET_WORD = r"[a-z][013457@$|][a-z]"
_ROT13 = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
_ROT13_CUE = r"\b(?:vtaber|qvfertneq|sbetrg|bireevqr|flfgrz)\b"


def _plain(text: str) -> str:
    """`text` folded, with everything invisible gone and spelled-out references resolved."""
    if text.isascii():
        folded = text.casefold()
    else:
        text = text.translate(_TYPOGRAPHY)
        smuggled = _re(_TAG_LETTERS).sub(_spelled_out, text)
        folded = _re(_INVISIBLE).sub("", normal("NFKC", smuggled)).casefold()
    return without_references(folded).casefold() if "&" in folded else folded


def _spelled_out(tags: re.Match[str]) -> str:
    return f" {''.join(chr(ord(char) - 0xE0000) for char in tags.group())} "


def _views(plain: str) -> Iterator[str]:
    """Other ways to read a text that is written so as not to be found."""
    if not plain.isascii():
        alike = plain.translate(_LOOKALIKES)
        if alike != plain:
            yield alike
            plain = alike
    if _re(_SPACED).search(plain):
        yield _re(_SPACED).sub(lambda found: _re(_SEPARATOR).sub("", found.group()), plain)
    if _re(_LEET_WORD).search(plain):
        yield plain.translate(_LEET)


def _judged(text: str, depth: int, least_weight: float = 0.0) -> Suspicion:
    """The signs of `text` from `least_weight` on; those of less are not looked for."""
    plain = _plain(text)
    marks = _marks(plain, least_weight)
    hides = not text.isascii() and _is_hiding(text)
    for view in _views(plain):
        _join(marks, _marks(view))
        hides = True
    if hides and least_weight:
        _join(marks, _marks(plain))
    if hides and _weight(marks) >= INSTRUCTIVE > _weight(_marks(text.casefold())):
        marks[Sign.OBFUSCATED] = 1.0
    elif not text.isascii() and (
        _re(_HIDING).search(text) or _re(_TAG_LETTERS).search(text) or _re(_MIXED).search(text)
    ):
        marks[Sign.OBFUSCATED] = INSTRUCTIVE
    if depth and any(_judged(said, depth - 1) for said in _decoded(text, plain)):
        marks[Sign.ENCODED] = 1.0
    return _suspicion(marks)


def _is_hiding(text: str) -> bool:
    """Whether reading `text` undoes more than quotes, dashes and wide punctuation: nobody hides behind those."""
    return any(_re(pattern).search(text) for pattern in (_HIDING, _MIXED, _TAG_LETTERS, _ODD_LETTERS))


_ODD_LETTERS = "[\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff\u24b6-\u24e9]"


def _weight(marks: dict[Sign, float]) -> float:
    return sum(marks.values())


def _join(marks: dict[Sign, float], more: dict[Sign, float]) -> None:
    for sign, weight in more.items():
        marks[sign] = max(weight, marks.get(sign, 0.0))


def _suspicion(marks: dict[Sign, float]) -> Suspicion:
    if not marks:
        return CLEAR
    score = min(1.0, sum(marks.values()))
    level = Level.UNMISTAKABLE if max(marks.values()) >= UNMISTAKABLE else Level(int(score >= INSTRUCTIVE))
    return Suspicion(score, level, tuple(sign for sign in Sign if sign in marks))


# --- what is encoded -------------------------------------------------------------------------------------------------

_BASE64 = r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}={0,2}(?:\s?\n[A-Za-z0-9+/_-]{20,}={0,2})*"
_HEX = r"(?i)(?:\b|\\x|0x)[0-9a-f]{2}(?:[\s:,-]?(?:\\x|0x)?[0-9a-f]{2}){11,}"
_PERCENT = r"(?i)(?:%[0-9a-f]{2}|[a-z0-9._-]){0,200}(?:%[0-9a-f]{2}){1}(?:%[0-9a-f]{2}|[\w.+-]){8,}"
_ESCAPES = r"(?i)(?:\\u[0-9a-f]{4}){6,}"
_MOST_CODES = 64
_WORDS = r"\w \w|[\u3040-\u9fff\uac00-\ud7af]{4}|^[A-Za-z0-9+/_-]{20,}={0,2}$"
"""What a decoded text has and noise has not: words, or a code once more."""


def _decoded(text: str, plain: str) -> Iterator[str]:
    """What stands encoded in `text`, as far as it is text."""
    yield from _texts(_BASE64, text, _from_base64)
    yield from _texts(_HEX, text, _from_hex)
    if "%" in text:
        yield from _texts(_PERCENT, text, _from_percent)
    if "\\u" in text:
        yield from _texts(_ESCAPES, text, _from_escapes)
    if _re(_ROT13_CUE).search(plain):
        yield plain.translate(_ROT13)


def _texts(pattern: str, text: str, decode: Callable[[str], bytes]) -> Iterator[str]:
    for at, found in enumerate(_re(pattern).finditer(text)):
        if at == _MOST_CODES:
            return
        try:
            said = decode(found.group()).decode()
        except (ValueError, binascii.Error):
            continue
        if _re(_WORDS).search(said) and sum(char.isprintable() or char.isspace() for char in said) > 0.9 * len(said):
            yield said


def _from_base64(code: str) -> bytes:
    bare = "".join(code.split()).rstrip("=").translate(str.maketrans("-_", "+/"))
    return binascii.a2b_base64(bare + "=" * (-len(bare) % 4))


def _from_hex(code: str) -> bytes:
    return bytes.fromhex(re.sub(r"\\x|0x|[\s:,-]", "", code, flags=re.IGNORECASE))


def _from_percent(code: str) -> bytes:
    spaced = code.replace("+", " ").encode()
    return re.sub(rb"%([0-9a-fA-F]{2})", lambda found: bytes.fromhex(found.group(1).decode()), spaced)


def _from_escapes(code: str) -> bytes:
    return "".join(chr(int(unit, 16)) for unit in re.findall(r"[0-9a-fA-F]{4}", code)).encode()


# --- the signs -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a sentence has to hold, all of it, to bear a sign of this weight."""

    sign: Sign
    weight: float
    needs: tuple[str, ...]
    opens: str = ""
    """What has to stand before it: the beginning of a clause, or of a sentence."""

    def is_met(self, text: str) -> bool:
        """Whether everything stands somewhere in `text`."""
        if self.opens:
            return any(self._is_opened(text, found.start()) for found in _re(self.needs[0]).finditer(text))
        return all(_re(need).search(text) for need in self.needs)

    def _is_opened(self, text: str, at: int) -> bool:
        return _re(self.opens).search(text, max(0, at - 12), at) is not None


def _rule(sign: Sign, weight: float, *needs: str, opens: str = "") -> _Rule:
    return _Rule(sign, weight, tuple(f"(?m){need}" for need in needs), opens)


# Each pattern is bounded, and a rule of several is asked sentence by sentence, so that no text takes long to judge.
_SENTENCE = r"[^.!?。！？\n]+(?:[.!?](?=\S)[^.!?。！？\n]*)*"

_BEGIN = r"(?:\A|\n|[.!?:;>*\"'(\[|—-]|\bplease|\bkindly|\balso|,)[\s,]{0,12}+\Z"
_SENTENCE_BEGIN = r"(?:\A|\n|[.!?;>\"'(|]|\bplease)\s{0,12}+\Z"
_EARLIER = (
    r"previous|prior|above|earlier|preceding|foregoing|former|existing|original|initial|past|older|system|your|safety"
)
_RULES_WORD = (
    r"(?:instructions?|directions|prompts?|rules|guidelines?|guidance|directives?|guardrails?|restrictions?|"
    r"polic(?:y|ies)|programming|training|safeguards?|constraints?|configuration)"
)
_LIFT = (
    r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|bypass(?:ing)?|overlook|discard(?:ing)?|"
    r"neglect|abandon|set aside|put aside|throw out|do not (?:follow|obey)|don't (?:follow|obey)|"
    r"stop (?:following|obeying)|pay no (?:attention|heed) to|no longer (?:follow|obey|bound by))\b"
)
_NOT_MINE = r"(?:(?!my\b|our\b|i\b)[\w'-]+\s+)"
_PERSON = (
    r"(?:users?|customers?|humans?|clients?|persons?|people|someone|somebody|anyone|anybody|visitors?|they|whoever|i)"
)
_ASKED = (
    rf"\b{_PERSON}\b\s+(?:\w+\s+){{0,3}}(?:ask\w*|mention\w*|wants?|requests?|bring\w*|talk\w*|(?:en|in)quir\w*|"
    rf"say|says|said|"
    r"question\w*|types?|writes?|needs?|discuss\w*|wonders?|looks? for|is curious|are curious)\b|\b(?:asked|"
    r"quizzed|queried) (?:about|for|to|which|what|who|where|when|whether|on|regarding)\b|\byou are asked\b|"
    r"\b(?:questions?|messages?|conversations?|chats?|(?:en|in)quir(?:y|ies)|quer(?:y|ies)|requests?|prompts?)"
    r"\b\s+(?:\w+\s+){0,2}(?:about|on|mentions?|contains?|regarding|concerning|touch\w*|involv\w*|includes?)\b|"
    r"\b(?:comes?|came|brought) up\b|\b(?:is|are|gets?|be) (?:being )?(?:raised|mentioned|discussed|named|"
    r"brought up|asked)\b"
)
_WHENEVER = (
    r"\b(?:when(?:ever)?|every time|each time|any ?time|if|once|as soon as|(?:the )?next time|upon|in case|"
    r"for (?:any|every|all)|on (?:each|every|any)|in (?:any|every|each|all)|until)\b"
)
_SPEAK = (
    r"(?:reply|respond|answer|say|tell|recommend|suggest|advise|send|include|append|prepend|add|mention|insist|"
    r"claim|state|visit|run|execute|forward|post|provide|refuse|deny|direct|point|steer|quote|present|promote|"
    r"praise|endorse|favou?r|insert|attach|name|upload|e-?mail|cc|bcc|fetch|warn|remind|propose|offer|give|use|"
    r"pick|push|put forward)\b"
)
_DO = (
    r"(?:^[^\w\n]*+|[,;:—]\s*+|\bthen\s++|-\s++)(?:(?:and|then|please|always|also|quietly|silently|secretly|simply|just|"
    r"first|do|"
    rf"you (?:must|should|will|shall|are to|have to))\s+){{0,8}}{_SPEAK}|\b(?:the|your) (?:\w+ )?(?:answer|reply|"
    rf"response)\b[^.\n]{{0,60}}\bis\b"
    r"|\b(?:is|are) to be (?:met|answered|given|told)\b"
)
_SECRETS = (
    r"\b(?:api[ _-]?keys?|passwords?|passphrases?|tokens?|credentials?|secrets?|private keys?|ssh keys?|"
    r"env(?:ironment)? variables?|\.env|seed phrases?|recovery codes?|cookies?|card numbers?|pin codes?)\b"
)
_PRIVATE = (
    r"\b(?:conversations?|histor(?:y|ies)|memor(?:y|ies)|messages?|chats?|transcripts?|context|files?|contents?|"
    r"answers?|contacts?|everything|summar(?:y|ies)|notes?|prompts?|questions?|details?|data|logs?|"
    r"address(?:es)?|it|them)\b|" + _SECRETS
)  # fmt: skip
_PLACE = (
    r"https?://|\bwww\.|\bhxxps?|@[\w-]+\.\w|\bwebhook\b|\bpastebin\b|\bftp\b|"
    r"\bto [\w-]+\.(?:example|com|net|org|io|dev|xyz|app)\b|\b(?:this|the following) (?:url|address|server|endpoint)\b"
)
_AGENT = r"(?:ai|assistants?|agents?|chat ?bots?|bots?|(?:language )?models?|llms?|copilots?|gpt)"
_ANY_AGENT = rf"(?:(?:the|an?|any|all|this|every|dear)\s+)?(?:\w+\s+)?{_AGENT}\b"

_RULES: tuple[_Rule, ...] = (
    # Lifting the rules.
    _rule(Sign.OVERRIDE, 1.0, _LIFT + rf"\s+{_NOT_MINE}{{0,4}}(?:{_EARLIER})\s+{_NOT_MINE}{{0,2}}{_RULES_WORD}\b"),
    _rule(Sign.OVERRIDE, 1.0, _LIFT + r"\s+(?:all|any|every)\s+(?:of\s+)?(?:(?:the|these|those|other)"
          r"\s+)?(?:instructions|prompts|directives|guardrails|safeguards)\b"),
    _rule(Sign.OVERRIDE, 1.0, _LIFT + r"\s+(?:everything|all|anything|whatever)\s+(?:(?:that|you|was|were|been|"
          r"have|had)\s+){0,4}(?:above|before this|told (?:before|earlier|previously)|said before)"),
    _rule(Sign.OVERRIDE, 1.0, r"\b(?:ignore|disregard|forget)(?:all|the)?(?:previous|prior|above|earlier)"
          r"(?:instructions|rules|prompts)?\b"),
    _rule(Sign.OVERRIDE, 1.0, r"\byou are (?:now )?(?:in )?(?:an? )?(?:dan|jailbroken|unrestricted|uncensored|"
          r"unfiltered|developer mode|god mode|no longer (?:bound|restricted|limited|an? (?:ai|assistant)))\b"),
    _rule(Sign.OVERRIDE, 0.5, r"\byou are now (?:an?|the|my|our|acting|called|playing|operating|free|"
          r"in \w+ mode)\b|\byour new (?:role|task|goal|purpose|name) is\b|\byour new (?:instructions?|"
          r"directives?|system prompt)\b|\b(?:new|updated|revised|real|actual) (?:system )?(?:instructions?|"
          r"directives?|prompt)\s*:"),
    _rule(Sign.OVERRIDE, 0.3, r"\b(?:developer|debug|god|admin|dan|jailbreak|maintenance|sudo|unrestricted|root)"
          r" mode\b|\bsystem prompts?\b|\bpretend (?:that )?(?:you|to be|the rules)\b|\bact as (?:if|though|an?)"
          r"\b|\bjailbreak\b"),
    _rule(Sign.OVERRIDE, 0.5, r"\b(?:reveal|print|repeat|show|output|leak|dump|recite|disclose)"
          r"\b[^.\n]{0,40}\b(?:system prompt|hidden instructions|initial instructions|instructions above)\b"),
    # Frames that are not ours to find in a text.
    _rule(Sign.FRAME, 1.0, r"<\s*+(?:/\s*+)?(?:relevant[-_ ]?memories|memor(?:y|ies)|system(?:[-_ ]?(?:reminder|"
          r"prompt|message|instructions?))?|assistant|tool[-_]?results?|function[-_]?(?:calls?|results?)|"
          r"developer|untrusted[-_ ]?\w*|trusted[-_ ]?\w*)\b[^<>\n]{0,80}>"),
    _rule(Sign.FRAME, 1.0, r"<\s*\|\s*(?:im_start|im_end|im_sep|system|user|assistant|endoftext|eot_id|eom_id|"
          r"start_header_id|end_header_id|begin_of_text|end_of_turn|start_of_turn|end|tool)"
          r"\b[^|\n]{0,20}\|?\s*>|\[/?inst\]|<<\s*/?sys\s*>>|<(?:start|end)_of_turn>"),
    _rule(Sign.FRAME, 1.0, r"^\W{0,8}(?:begin|end|start|close)(?: of)?\s+(?:the\s+)?(?:\w+\s+)?(?:system|prompt|"
          r"instructions?|memor(?:y|ies)|untrusted|trusted|retrieved)\b[^.\n]{0,40}$"),
    _rule(Sign.FRAME, 1.0, r"^\W{0,6}system (?:prompt|message|instructions?|override|notice|command|directive)"
          r"\s*[:\]]|^#+ long-term memories\b"),
    _rule(Sign.FRAME, 0.5, r"^#{2,}\s*(?:system|assistant|developer|new instructions?|human|instructions?:)"
          r"[^\S\n]*+(?::[^\S\n]*+)?$|^\W{0,4}(?:assistant|developer)\s*+:\s|^\W{0,4}system\s*+:\s|"
          r"\n[^\S\n]*+(?:human|user)\s*+:\s[^\n]*\n|\"role\"\s*:\s*\"(?:system|developer|assistant)\""),
    _rule(Sign.FRAME, 0.5, r"</?\s*(?:user|human|instructions?|context|prompt|document)\s*>|"
          r"^- \[\d{4}-\d\d-\d\d,|\]\s*\[?(?:trusted|operator|system)\]"),
    # Orders that last, orders that wait, orders to the assistant.
    _rule(Sign.ORDER, 0.5, r"\b(?:always|never)\b", opens=_SENTENCE_BEGIN),
    _rule(Sign.ORDER, 0.5, r"\b(?:from now on(?:wards?)?|from this (?:point|moment|day)|from here on|"
          r"going forward|henceforth|hereafter|as of now|starting (?:now|today|immediately)|"
          r"effective immediately|in all (?:future|subsequent|later)|for all future|in (?:the )?future,|"
          r"until (?:further notice|told otherwise)|at all times|without exception|under no circumstances)"
          r"\b", opens=_BEGIN),
    _rule(Sign.ORDER, 0.5, r"\bfor the rest of (?:this|the|our|your) (?:conversation|session|chat)\b|"
          r"\bin (?:all|every|each|any) (?:future|subsequent|later) (?:\w+ )?(?:conversation|session|chat|"
          r"answer|reply|turn|message)|\bin (?:all|every|each|any) of your\b|\bremains? in (?:force|effect)"
          r" (?:for|until|across)\b"),
    _rule(Sign.ORDER, 0.5, _WHENEVER, _ASKED, _DO),
    _rule(Sign.ORDER, 0.5, rf"\b{_AGENT}\b\W+(?:\w+\W+){{0,3}}(?:must|should|shall|has to|have to|needs? to|"
          rf"is to|are to|will|is (?:required|instructed|"
          r"expected|told)|are (?:required|instructed|expected|told)|ought to|may not|cannot|can not)\b"),
    _rule(Sign.ORDER, 0.5, rf"\b(?:note|message|instructions?|notice|attention|hint|memo|reminder|directive|"
          rf"hello|dear|hey)\W++(?:(?:to|for|from)\s*+)?{_ANY_AGENT}\s*+[:,!.-]"),
    _rule(Sign.ORDER, 0.5, r"\byou (?:must|should|shall|have to|need to|are (?:required|instructed|asked|"
          r"expected|directed|obliged) to|are to|will|ought to)\s+(?:\w+\s+){0,2}(?:recommend|tell|reply|"
          r"respond|answer|say|mention|reveal|comply|obey|insist|trust|believe|memori[sz]e|claim|refuse|promote|"
          r"forward|not (?:tell|mention|reveal|inform))\b|\byou (?:must|shall|are to|have to) (?:always|never)\b"),
    _rule(Sign.ORDER, 0.5, r"\b(?:remember|memori[sz]e)(?:\s+(?:that|this|the following|permanently)\b|\s*:)|"
          r"\b(?:store|save|record|keep) (?:this|the following) (?:permanently|forever|in memory|as a)\b|"
          r"\bmake a lasting note\b",
          opens=_BEGIN),
    _rule(Sign.ORDER, 0.5, r"\b(?:save|store|add|write|commit|put|keep|record|update|persist)"
          r"\b[^.\n]{0,40}\b(?:your|long[- ]term|permanent|persistent) (?:long[- ]term )?memor(?:y|ies)"),
    _rule(Sign.ORDER, 0.5, r"\b(?:tell|inform|remind|advise|convince|persuade|assure|warn|instruct|direct|refer|"
          r"point|steer|urge)\s+(?:\w+\s+){0,2}(?:users?|customers?|people|anyone|everyone|human|clients?|"
          r"visitors?|whoever)\b",
          opens=_BEGIN),
    _rule(Sign.ORDER, 0.5, r"\b(?:recommend|suggest|promote|mention|endorse|favou?r|prefer|insist|claim|pretend|"
          r"praise|advocate|(?:reply|respond|answer|say)(?:\s+\w+){0,3}\s+(?:with|only|by|that|exactly|to)|"
          r"treat|assume|comply|obey)\b(?!\s*[:=(])", opens=_SENTENCE_BEGIN),
    _rule(Sign.ORDER, 0.3, r"\b(?:should|must|shall) (?:be )?(?:always|never|only|recommended|told|sent|"
          r"forwarded|answered|used instead)\b"),
    # Carrying something out.
    _rule(Sign.EXFILTRATION, 1.0, r"!\[[^\]\n]{0,200}\]\(\s*(?:https?:)?//[^)\n]{0,400}(?:\{|%7b|\$\(|"
          r"<[a-z_ ]+>|\[[a-z_ ]+\]|\b[a-z_]+_here\b)"),
    _rule(Sign.EXFILTRATION, 0.6, r"!\[[^\]\n]{0,200}\]\(\s*(?:https?:)?//[^)\s]{0,400}\?[^)\s]{0,100}="),
    _rule(Sign.EXFILTRATION, 0.6, r"(?<!/)//[^\s)\"']{1,300}[?&/=](?:\{+|%7b|\$\{?|<|\[)\s?(?:\w+[ _-])?(?:data|"
          r"secrets?|conversation|history|memor(?:y|ies)|prompt|context|chat|messages?|notes?|password|token|"
          r"credentials?|question|answer|summary)|(?<!/)//[^\s)\"']{1,300}[?&](?:secret|exfil|leak|dump|stolen|"
          r"payload|convo|conversation|history|memory|memories|prompt|ctx|context|chat)="),
    _rule(Sign.EXFILTRATION, 0.6, _PLACE, r"\b(?:send|post|forward|upload|transmit|e-?mail|mail|report|leak|"
          r"exfiltrate|submit|deliver|cop(?:y|ies)|cc|bcc|relay|share|push|write|append|encode|put|place|pass|"
          r"sync|mirror|beam|ship)\s+[a-z]", _PRIVATE),
    _rule(Sign.EXFILTRATION, 0.5, r"\b(?:include|print|paste|reveal|show|repeat|append|embed|encode|put|attach|"
          r"disclose|quote|send|read out|spell out|hand over|collect|gather|copy|ask for|request)"
          r"\b", _SECRETS, r"\b(?:the user|user's|users?'?|your|you|their|his|her|any|all|every|answer|reply|"
          r"url|link|image)\b"),
    # Hiding it.
    _rule(Sign.CONCEALMENT, 0.5, r"\b(?:do not|don't|never|must not|mustn't|should not|shouldn't|avoid|"
          r"refrain from|not to|no need to)\b\s+(?:\w+\s+){0,2}(?:tell|telling|mention|mentioning|inform|"
          r"informing|reveal|revealing|disclose|disclosing|notify|notifying|alert|alerting|admit|show|showing|"
          r"say|saying|explain|explaining|let)\b[^.\n]{0,40}\b(?:users?|customers?|human|anyone|anybody|him|her|"
          r"them|this|it|operator|owner|clients?|person|instructions?|note|source|rule|why|so)\b"),
    _rule(Sign.CONCEALMENT, 0.5, r"\bwithout (?:the user\b|(?:the user's|their|his|her) (?:knowledge|consent|"
          r"noticing|knowing)|(?:telling|informing|asking|notifying|alerting) (?:the user|them|him|her|anyone))|"
          r"\bkeep (?:this|it|that)(?: \w+)? (?:secret|hidden|to yourself|between us|confidential|quiet)\b|"
          r"\bkeep quiet about\b|\bhide (?:this|it) from\b"),
    _rule(Sign.CONCEALMENT, 0.3, r"\b(?:silently|secretly|covertly|discreetly|stealthily|unobtrusively|"
          r"behind the scenes|quietly)\b"),
    # Borrowed authority.
    _rule(Sign.AUTHORITY, 0.5, r"\b(?:administrators?|admins?|openai|anthropic|google|microsoft|developers?|"
          r"operators?|security team|vendors?|creators?|compliance|it department|management|maintainers?|"
          r"support team|head office|legal)\b",
          r"\b(?:requires?|instructs?|instructed|mandates?|mandated|orders?|ordered|authori[sz]ed|approved|"
          r"demands?|wants? you|directs?|directed|decreed|insists?|says? (?:that )?you|has decided)"
          r"\b", r"\b(?:you|assistants?|agents?|ai|model|bot|every|all|always|never|must|answers?|replies|users?)\b"),
    _rule(Sign.AUTHORITY, 0.5, r"\b(?:this|the following) is an? (?:\w+ )?(?:trusted|verified|system|official|"
          r"authori[sz]ed|high[- ]priority|privileged|signed) (?:\w+ )?(?:memory|instruction|message|fact|note|"
          r"directive|update|entry|record|order|rule)\b"),
    _rule(Sign.AUTHORITY, 0.5, r"\b(?:importance|priority|weight|rank|score|access[_ ]?count|confidence)"
          r"\s*[:=]\s*(?:\d+|max\w*|high\w*|critical|must\w*|top)|\btrust(?:[_ ]?(?:tier|level|ed)"
          r")?\s*[:=]\s*(?:trusted|true|full|operator|system|1)|\bsource(?:[_ ]kind)?\s*[:=]\s*(?:operator|"
          r"system|user)\b"),
    _rule(Sign.AUTHORITY, 0.5, r"\b(?:verified|confirmed|approved|authori[sz]ed|signed off|consented)"
          r"\b[^.\n]{0,20}\bby (?:the )?(?:user|operator|admin\w*|owner|system|security)\b|\bthe (?:user|owner|"
          r"operator) (?:has |have |already )*(?:authori[sz]ed|agreed|approved|consented|wants you|asked you|"
          r"prefers that you)\b"),
    _rule(Sign.AUTHORITY, 0.5, r"\b(?:takes? precedence over|supersedes?|overrides?|replaces?|outranks?)"
          r"\s+(?:all|any|every|everything|previous|earlier|prior|other|the user|whatever|your)\b|"
          r"\bhighest priority\b|\b(?:do not|don't|never) (?:question|doubt|verify|overwrite|delete|contradict|"
          r"second-guess) (?:this|it)\b"),
    # To be decoded and obeyed.
    _rule(Sign.ENCODED, 0.5, r"\bdecod(?:e|ing)\b[^.\n]{0,60}\b(?:follow|execute|run|obey|apply|act|do what|"
          r"carry out|comply)\b|\b(?:follow|execute|obey|act on)\b[^.\n]{0,40}\b(?:decoded|base64|hex|rot13)\b"),
)  # fmt: skip

_LATIN: tuple[_Rule, ...] = (
    # German, Spanish, French, Portuguese.
    _rule(Sign.OVERRIDE, 1.0, r"\b(?:ignoriere?n?|ignorier|vergiss|vergessen|missachte\w*|beachte\w* nicht|"
          r"verwirf)\b[^.\n]{0,30}\b(?:vorherig|bisherig|früher|obig|vorig|alle|sämtliche|system|deine|"
          r"vorangegangen|ursprünglich)\w*\b[^.\n]{0,30}(?:anweisung|vorgabe|regel|befehl|instruktion|richtlinie)"),
    _rule(Sign.OVERRIDE, 1.0, r"\b(?:ignor[ae]\w*|olvid[ae]\w*|descart[ae]\w*|haz caso omiso|omit[ea]\w*|"
          r"desconsider[ae]\w*|esque[cç]\w*)\b[^.\n]{0,40}(?:instruc+iones|instruções|indicaciones|reglas|"
          r"regras|órdenes|ordens|directrices|diretrizes)\b[^.\n]{0,12}(?:anteriores|previ[ao]s|prévias|"
          r"del sistema|do sistema)"),
    _rule(Sign.OVERRIDE, 1.0, r"\b(?:ignor[a-z]*|oubli[a-z]*|ne tien[a-z]* pas compte)"
          r"\b[^.\n]{0,40}(?:instructions|consignes|règles|directives)\b[^.\n]{0,20}(?:précédentes|antérieures|"
          r"système|ci-dessus)"),
    _rule(Sign.ORDER, 0.5, r"\b(?:ab sofort|von nun an|ab jetzt|künftig|fortan|zukünftig|immer wenn|jedes mal|"
          r"sobald (?:der|die|jemand)|wann immer)\b|\b(?:a partir de ahora|de ahora en adelante|en adelante|"
          r"siempre que (?:te |alguien |el usuario )|cada vez que (?:te |alguien |el usuario |pregunt)|"
          r"desde ahora|cuando (?:el|la|alguien) \w+ pregunt\w+)\b|\b(?:désormais|dorénavant|"
          r"à partir de maintenant|chaque fois que|toujours)\b|\b(?:a partir de agora|de agora em diante|"
          r"sempre que|toda vez que)\b"),
    _rule(Sign.CONCEALMENT, 0.5, r"\b(?:sag|sage|sagen|verrate|verraten|erwähne|teile|informiere)"
          r"\b[^.\n]{0,30}\b(?:nutzer|benutzer|niemand|kund|anwender|davon)\w*[^.\n]{0,15}\b(?:nicht|nichts)\b|"
          r"\bno (?:le )?(?:digas|diga|informes|menciones|reveles|avises)\b[^.\n]{0,30}(?:usuari|nadie|cliente|"
          r"esto)|\bne (?:dis|dites|mentionne|révèle|parle)\w*\b[^.\n]{0,30}(?:utilisateur|personne|client)|"
          r"\bnão (?:diga|conte|mencione|revele)\b[^.\n]{0,30}(?:usuári|ninguém)"),
)  # fmt: skip

_CJK: tuple[_Rule, ...] = (
    # Chinese, Japanese, Korean.
    _rule(Sign.OVERRIDE, 1.0, r"(?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|不要理會|抛开|拋開|绕过|繞過|不用管)"
          r"[^。！？\n]{0,10}(?:之前|以前|先前|上面|上述|以上|前面|所有|全部|一切|原有|系统|系統|你的)"
          r"[^。！？\n]{0,8}(?:指令|指示|提示|规则|規則|命令|说明|說明|限制|设定|設定)"),
    _rule(Sign.OVERRIDE, 1.0, r"(?:以前|これまで|前|上記|すべて|全て|全部|システム)の?[^。！？\n]{0,8}(?:指示|"
          r"命令|ルール|プロンプト|指令)[^。！？\n]{0,4}(?:無視|忘れ|破棄)"),
    _rule(Sign.OVERRIDE, 1.0, r"(?:이전|앞선|위의|모든|기존|시스템)[^.\n]{0,10}(?:지시|명령|규칙|프롬프트|지침)"
          r"[^.\n]{0,6}(?:무시|잊)"),
    _rule(Sign.OVERRIDE, 0.3, r"系统提示|系統提示|开发者模式|開發者模式|開発者モード|システムプロンプト|"
          r"개발자 모드|시스템 프롬프트|你现在是|你現在是|あなたは今から|당신은 이제"),
    _rule(Sign.ORDER, 0.5, r"从现在开始|从现在起|從現在開始|從現在起|今后|今後|从今以后|以后|以後|每当|每當|"
          r"每次|凡是|只要|无论何时|一旦|务必|務必|始终|始終|总是|總是|永远|永遠",
          r"回答|回复|回覆|推荐|推薦|告诉|告訴|发送给|發送給|转发|轉發|附上|答え|返信|勧め|推奨|してください|"
          r"しなさい"),
    _rule(Sign.ORDER, 0.5, r"これから|以降は|今後は|必ず|常に|たびに|聞かれたら|尋ねられたら", r"答え|返信|勧め|"
          r"推奨|薦め|してください|しなさい|せよ"),
    _rule(Sign.ORDER, 0.5, r"지금부터|앞으로|이제부터|항상|반드시|때마다|물어보면", r"하세요|하십시오|해라|해야|"
          r"답변|대답|추천|보내|말하"),
    _rule(Sign.ORDER, 0.5, r"(?:用户|用戶|使用者|有人|客户|客戶)[^。\n]{0,10}(?:问|問|提到|询问|詢問|要求)"
          r"[^。\n]{0,30}(?:回答|回复|回覆|推荐|推薦|告诉|告訴|发送|發送|说|說)"),
    _rule(Sign.CONCEALMENT, 0.5, r"(?:不要|别|別|請勿|请勿|不得|切勿|不可)[^。！？\n]{0,6}(?:告诉|告訴|透露|"
          r"提及|通知|让)[^。！？\n]{0,6}(?:用户|用戶|使用者|任何人|他|她|知道)|(?:ユーザー?|利用者|誰)に(?:は|"
          r"も)?[^。\n]{0,8}(?:言わない|伝えない|知らせない|教えない|言うな)|사용자에게[^.\n]{0,10}(?:말하지|"
          r"알리지|언급하지)"),
    _rule(Sign.AUTHORITY, 0.5, r"管理员(?:要求|指示|规定)|管理員(?:要求|指示|規定)|管理者(?:の指示|が要求)|"
          r"관리자(?:가|의) (?:요구|지시)|官方要求|系统要求"),
)  # fmt: skip

_CYRILLIC: tuple[_Rule, ...] = (
    # Russian, which the look-alikes must not be taken for.
    _rule(Sign.OVERRIDE, 1.0, r"(?:игнорируй|забудь|отбрось|не обращай внимания)\w{0,20}[^.\n]{0,30}(?:предыдущ|"
          r"прежн|все|систем)[^.\n]{0,20}(?:инструкци|указани|правил|команд)"),
    _rule(Sign.ORDER, 0.5, r"(?:отныне|с этого момента|впредь|каждый раз,? когда|всегда)[^.\n]{0,80}(?:отвечай|"
          r"рекомендуй|говори|отправ|использу|советуй|добавляй)"),
    _rule(Sign.CONCEALMENT, 0.5, r"не (?:говори|сообщай|упоминай|рассказывай)\w*[^.\n]{0,30}(?:пользовател|никому)"),
)  # fmt: skip


def _rules_for(plain: str) -> Iterator[_Rule]:
    """The rules that a text in these letters may meet."""
    yield from _RULES
    yield from _LATIN
    if not plain.isascii():
        if _re("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]").search(plain):
            yield from _CJK
        if _re("[\u0430-\u044f]").search(plain):
            yield from _CYRILLIC


def _marks(plain: str, least_weight: float = 0.0) -> dict[Sign, float]:
    """The signs of a folded text, each with the weight of its strongest rule."""
    marks: dict[Sign, float] = {}
    parts: list[str] | None = None
    for rule in _rules_for(plain):
        if rule.weight < least_weight or marks.get(rule.sign, 0.0) >= rule.weight or not rule.is_met(plain):
            continue
        if len(rule.needs) > 1:
            parts = parts if parts is not None else _re(_SENTENCE).findall(plain)
            if not any(map(rule.is_met, parts)):
                continue
        marks[rule.sign] = rule.weight
    return marks


# --- whose words they are --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Pasted:
    start: int
    stop: int
    is_code: bool = False


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
    r"original)|message transféré|转发|转寄|原始|原始邮件|転送)[^\n]*|^[ \t]*begin forwarded message\b[^\n]*|"
    r"^[ \t]*(?:on|am|el|le) [^\n]{4,120}\b(?:wrote|schrieb|escribió|a écrit)\s*:[ \t]*$"
)
_HEADERS = (
    r"(?im)^[ \t]*(?:from|von|de|发件人|寄件者|差出人)[ \t]*[:：][^\n]*\n(?:[^\n]*\n)?[ \t]*(?:to|subject|date|"
    r"sent|cc|reply-to|an|betreff|datum|gesendet|para|asunto|fecha|objet|à|收件人|主题|主旨|日期|件名|宛先)"
    r"[ \t]*[:：]"
)
_FOREIGN_NOUN = (
    r"(?:e-?mails?|mail|messages?|documents?|docs?|pages?|articles?|web ?pages?|web ?sites?|sites?|readme|"
    r"tickets?|issues?|posts?|blog|threads?|transcripts?|reviews?|comments?|release notes|newsletters?|pdf|"
    r"files?|letters?|polic(?:y|ies)|contracts?|specs?|descriptions?|listings?|outputs?|logs?|search results?|"
    r"results?|repl(?:y|ies)|responses?|snippets?|attachments?|invites?|notes? from \w+|text|wiki|manual|faq|"
    r"brochure|flyer|announcement|memo|report|minutes|summary)"
)
_INTRODUCED = (
    r"(?i)(?:\b(?:here(?:'s| is| are| comes)|this is|below (?:is|are)|following is|see|i (?:got|received|found|"
    r"have)|(?:he|she|they|\w+) (?:sent|forwarded|wrote)(?: me| us)?|pasting|pasted|copied|look at|check|read|"
    r"summari[sz]e|translate|review|explain|proofread|analy[sz]e|shorten|tl;?dr|what does|going through)\b)"
    rf"(?:(?!\bmy\b)[^\n:：]){{0,60}}\b{_FOREIGN_NOUN}\b[^\n:：]{{0,60}}[:：]"
    r"|(?:这是|这里是|以下是|下面是|這是|以下は|次は|帮我总结|请总结|总结一下|翻译)[^\n:：]{0,20}(?:邮件|郵件|"
    r"文档|文檔|文章|网页|網頁|页面|消息|メール|文書|記事|ページ)[^\n:：]{0,10}[:：]|\b(?:hier ist|anbei|"
    r"das ist|fasse|übersetze)\b[^\n:]{0,40}\b(?:e-?mail|mail|dokument|seite|artikel|nachricht|text|webseite)"
    r"\b[^\n:]{0,30}:|\b(?:aquí está|este es|esta es|resume|traduce)\b[^\n:]{0,40}\b(?:correo|documento|página|"
    r"artículo|mensaje|texto)\b[^\n:]{0,30}:"
)
_SAYS = r"(?i)\b(?:says?|said|reads?|states?|stated|wrote|writes|claims?)\b[^\n\"“]{0,40}[\"“]([^\"”\n]{20,2000})[\"”]"


def _pasted(text: str) -> list[_Pasted]:
    found = [*_fences(text), *_tagged(text)]
    found += [_Pasted(*each.span()) for each in _re(_QUOTED_LINES).finditer(text)]
    found += [_Pasted(*each.span(1)) for each in _re(_SAYS).finditer(text)]
    for pattern in (_FORWARDED, _HEADERS, _INTRODUCED):
        # From there to the end: a message rarely says where the other's words stop.
        if (begun := _re(pattern).search(text)) and text[begun.end() :].strip():
            found.append(_Pasted(begun.start() if pattern is not _INTRODUCED else begun.end(), len(text)))
    return _apart(sorted(found, key=lambda each: (each.start, -each.stop)))


def _fences(text: str) -> Iterator[_Pasted]:
    opened: re.Match[str] | None = None
    for mark in _re(_FENCE).finditer(text):
        if opened is None:
            opened = mark
        elif mark.group(1).startswith(opened.group(1)) and not mark.group(2):
            yield _Pasted(opened.start(), mark.end(), opened.group(2).lower() not in _PROSE_FENCES)
            opened = None
    if opened is not None:
        yield _Pasted(opened.start(), len(text), opened.group(2).lower() not in _PROSE_FENCES)


def _tagged(text: str) -> Iterator[_Pasted]:
    end = 0
    folded = text.lower()
    for tag in _re(_TAGGED).finditer(text):
        if tag.start() < end:
            continue
        close = folded.find(f"</{tag.group(1).lower()}", tag.end())
        end = len(text) if close < 0 else close
        yield _Pasted(tag.end(), end)


def _apart(spans: Sequence[_Pasted]) -> list[_Pasted]:
    """`spans` in order, those that overlap made one; one with prose in it is prose."""
    apart: list[_Pasted] = []
    for each in spans:
        if apart and each.start < apart[-1].stop:
            last = apart.pop()
            each = _Pasted(last.start, max(last.stop, each.stop), last.is_code and each.is_code)
        apart.append(each)
    return apart

"""Signs that a text tries to instruct its reader rather than to inform, and what trust is left to it.

No pattern tells a lie from a fact, and none knows every wording: this is a floor. What holds without it is that
untrusted text is never more than labeled data; what is found here is kept out of automatic recall altogether.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cache
from itertools import pairwise

from cortex.domain.ownership import Owner, OwnershipReason, foreign
from cortex.domain.ownership import Span as Owned
from cortex.domain.text import normal, without_references
from cortex.domain.trust import SourceKind, TrustTier, least, tier_of
from cortex.languages import WORDS
from cortex.languages.lists import alternatives
from cortex.languages.words import Phrase

Span = tuple[int, int]

INSTRUCTIVE = 0.5
"""A text from outside with signs of this weight is an instruction, whatever else it says."""

UNMISTAKABLE = 1.0

INSTRUCTIVE_CODE = 0.7
"""Comments in code say "always" and "never" to programmers: pasted code needs a sign more."""

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


def instructs_agents(text: str) -> bool:
    """Whether a text that its owner keeps instructs an agent behind the owner's back.

    "Always answer in German" is the owner's rule. Forged frames, several signs at once, orders that speak of the user
    as somebody else, and whatever is addressed to assistants are not.
    """
    if _re(_TO_AGENTS).search(_plain(text)):
        return True
    judged = suspicion(text)
    if judged.level is Level.UNMISTAKABLE or judged.score >= UNMISTAKABLE:
        return True
    return bool(judged) and _re(_PAST_THE_OWNER).search(_plain(text)) is not None


def echoes(text: str, others: Iterable[str]) -> float:
    """How much of `text` also stands in one of `others`, 0 to 1; 0 where it has too few words to tell.

    A long text has most words anyway: there, pairs of words that follow each other are compared.
    """
    words = _telling_words(text)
    if len(set(words)) < _FEWEST_WORDS:
        return 0.0
    return max((_shared(words, _telling_words(other)) for other in others), default=0.0)


def _tier_of_users(text: str) -> TrustTier:
    if _judged(text, _MAX_DEPTH, UNMISTAKABLE).level is Level.UNMISTAKABLE:
        return TrustTier.UNTRUSTED
    for each in foreign(text):
        allowed = INSTRUCTIVE_CODE if each.is_code else INSTRUCTIVE
        is_passed_on = each.owner in _PASSED_ON and not _is_title(each)
        if is_passed_on and suspicion(text[each.start : each.stop]).score >= allowed:
            return TrustTier.UNTRUSTED
    return TrustTier.TRUSTED


def _is_title(span: Owned) -> bool:
    return span.reason is OwnershipReason.QUOTATION and not span.is_sure


def _tier_of_assistants(text: str, seen: Iterable[str]) -> TrustTier:
    if echoes(text, seen) >= ECHO:
        return TrustTier.QUARANTINED if suspicion(text) else TrustTier.UNTRUSTED
    judged = _judged(text, _MAX_DEPTH, UNMISTAKABLE)
    return TrustTier.UNTRUSTED if judged.level is Level.UNMISTAKABLE else TrustTier.TRUSTED


_PASSED_ON = frozenset({Owner.QUOTED, Owner.PASTED})
"""Words from outside that a user hands over. A play or a guest gives orders of its own."""

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


# Each pattern is bounded, and a rule of several is tested sentence by sentence, so that no text takes long to judge.
_SENTENCE = r"[^.!?。！？\n]+(?:[.!?](?=\S)[^.!?。！？\n]*)*"

_FRAMES: tuple[_Rule, ...] = (
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
    # Carrying something out.
    _rule(Sign.EXFILTRATION, 1.0, r"!\[[^\]\n]{0,200}\]\(\s*(?:https?:)?//[^)\n]{0,400}(?:\{|%7b|\$\(|"
          r"<[a-z_ ]+>|\[[a-z_ ]+\]|\b[a-z_]+_here\b)"),
    _rule(Sign.EXFILTRATION, 0.6, r"!\[[^\]\n]{0,200}\]\(\s*(?:https?:)?//[^)\s]{0,400}\?[^)\s]{0,100}="),
    _rule(Sign.EXFILTRATION, 0.6, r"(?<!/)//[^\s)\"']{1,300}[?&/=](?:\{+|%7b|\$\{?|<|\[)\s?(?:\w+[ _-])?(?:data|"
          r"secrets?|conversation|history|memor(?:y|ies)|prompt|context|chat|messages?|notes?|password|token|"
          r"credentials?|question|answer|summary)|(?<!/)//[^\s)\"']{1,300}[?&](?:secret|exfil|leak|dump|stolen|"
          r"payload|convo|conversation|history|memory|memories|prompt|ctx|context|chat)="),
    # Borrowed authority.
    _rule(Sign.AUTHORITY, 0.5, r"\b(?:importance|priority|weight|rank|score|access[_ ]?count|confidence)"
          r"\s*[:=]\s*(?:\d+|max\w*|high\w*|critical|must\w*|top)|\btrust(?:[_ ]?(?:tier|level|ed)"
          r")?\s*[:=]\s*(?:trusted|true|full|operator|system|1)|\bsource(?:[_ ]kind)?\s*[:=]\s*(?:operator|"
          r"system|user)\b"),
)  # fmt: skip


def _rules_for(plain: str) -> Iterator[_Rule]:
    """The rules that a text in these letters may meet."""
    yield from _FRAMES
    for letters, rules in _phrases():
        if not letters or (not plain.isascii() and _re(letters).search(plain)):
            yield from rules


@cache
def _phrases() -> tuple[tuple[str, tuple[_Rule, ...]], ...]:
    """The phrases of every language, with the letters without which a text holds none of them."""
    return tuple((each.letters, tuple(map(_rule_of, each.injection))) for each in WORDS if each.injection)


def _rule_of(phrase: Phrase) -> _Rule:
    return _rule(Sign(phrase.sign), phrase.weight, *phrase.needs, opens=phrase.opens)


# A manual of a program speaks of its users and models, too: what counts is that it says what to do with them.
_PAST_THE_OWNER = alternatives("past the owner")

_MACHINES = rf"(?:{alternatives('machines')})"
_HELPERS = rf"(?:{alternatives('helpers')})(?: (?:{alternatives('helpers are ai')})\b)?"
_READS_THIS = (
    rf"(?: (?:{alternatives('who reads this')})\b[^.!?。！？:：\n]{{0,40}}"
    rf"| ?(?:{alternatives('addressed by particle')}))?"
)
_TO_AGENTS = (
    # "AI agents:" on its own; "note to the assistant:" with a word that addresses; "any LLM reading this".
    rf"(?m)^[^\w\n]{{0,8}}{_MACHINES}{_READS_THIS} ?[:：]"
    rf"|\b(?:{alternatives('addresses')}) (?:(?:{alternatives('all of them')}) |l')?"
    rf"(?:{_MACHINES}|{_HELPERS}){_READS_THIS} ?[:：]"
    rf"|(?:{alternatives('addresses unspaced')})[:：]"
    rf"|(?:{_MACHINES}|\b{_HELPERS}) (?:{alternatives('reads this')})"
    rf"|<!-- ?(?:{_MACHINES}|{_HELPERS}) ?:"
)


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

"""What is said in passing: greetings, thanks, emoji, commands, heartbeats; and sessions nobody speaks in (E10, C12)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

from cortex.domain.text import normal
from cortex.languages import WORDS

SMALL_TALK = frozenset(word for each in WORDS for word in each.small_talk.split())
_HEARTBEAT = re.compile(r"\s*(?:read heartbeat\.md\b.*|heartbeat(?:_ok)?\W*)", re.IGNORECASE | re.DOTALL)
OWN_REQUEST = "[cortex:request]"
"""Before every prompt that Cortex gives to a program: a transcript of it is nobody's conversation."""

_LONGEST_TRIVIAL = 200
_COMMAND = re.compile(r"\s*/[a-z][\w:-]*(\s|$)", re.IGNORECASE)
# How a host's scheduler opens the message it sends: `[cron:<job> <name>] …`.
_SCHEDULED = re.compile(r"\s*\[cron:[^\]\n]{1,200}\]", re.IGNORECASE)


def passing_reason(message: str) -> str | None:
    """Why nothing of substance is said here, or None when something is."""
    if not message.strip():
        return "empty"
    if is_heartbeat(message):
        return "heartbeat"
    if _COMMAND.match(message):
        return "command"
    if not any(char.isalnum() for char in message):
        return "no_words"
    if len(message) > _LONGEST_TRIVIAL:
        return None
    return "trivial" if _is_small_talk(_bare(message).split()) else None


def _is_small_talk(words: Sequence[str]) -> bool:
    """Whether words and phrases of small talk are all there is: "good morning, how are you"."""
    at = 0
    while at < len(words):
        ends = range(min(len(words), at + _LONGEST_PHRASE), at, -1)
        after = next((end for end in ends if " ".join(words[at:end]) in _phrases()), at)
        if after == at and words[at] not in SMALL_TALK:
            return False
        at = max(after, at + 1)
    return True


@cache
def _phrases() -> frozenset[str]:
    """The phrases of small talk, as they are left of a message."""
    listed = (phrase for each in WORDS for phrase in " ".join(each.small_talk_phrases.split()).split(", "))
    return frozenset(map(_bare, listed)) - {""}


_LONGEST_PHRASE = 5


def is_heartbeat(message: str) -> bool:
    """Whether this is the prompt a host wakes its agent with, or the answer to it."""
    return bool(_HEARTBEAT.fullmatch(message))


def is_scheduled(message: str) -> bool:
    """Whether a scheduler wrote this, and not a person."""
    return bool(_SCHEDULED.match(message))


def is_own_request(message: str) -> bool:
    """Whether Cortex wrote this to ask a language model."""
    return message.lstrip().startswith(OWN_REQUEST)


_TRIGGERS = {"heartbeat": "heartbeat", "cron": "cron", "schedule": "cron", "scheduled": "cron", "scheduler": "cron"}
_CHANNELS = {"heartbeat": "heartbeat", "cron": "cron", "cron-event": "cron", "scheduler": "cron"}
_SESSIONS = {"heartbeat": "heartbeat", "cron": "cron"}


def session_reason(session: str, channel: str = "", trigger: str = "") -> str | None:
    """`heartbeat` or `cron` where nobody speaks in this session, else None. A name that only begins so is a name."""
    return _TRIGGERS.get(_first_part(trigger)) or _CHANNELS.get(channel.strip().casefold()) or _of_key(session)


def _of_key(session: str) -> str | None:
    parts = [part.strip() for part in re.split(r"[:/]", session.casefold())]
    if parts[0] != "agent":
        return _SESSIONS.get(parts[0])
    # `agent:<id>:cron:<job>`, `agent:<id>:<session>:heartbeat`: elsewhere it may be the name of a group or a person.
    third = _SESSIONS.get(parts[2]) if len(parts) > 2 else None
    return third or ("heartbeat" if len(parts) > 2 and parts[-1] == "heartbeat" else None)


def _first_part(name: str) -> str:
    return re.split(r"[:/.\s_-]", name.strip().casefold(), maxsplit=1)[0]


def _bare(message: str) -> str:
    """The words of a message: folded, with emoji, marks and punctuation taken off."""
    folded = normal("NFKC", message).casefold()
    return " ".join(folded.translate(_words_only).split())


class _WordsOnly(dict[int, str]):
    """What each character becomes where only words are left; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        self[code] = kept = chr(code) if _is_of_a_word(chr(code)) else " "
        return kept


_words_only = _WordsOnly()


def _is_of_a_word(char: str) -> bool:
    # Variation selectors belong to emoji; other combining marks belong to letters.
    return char.isalnum() or (unicodedata.category(char) in {"Mn", "Mc"} and not "\ufe00" <= char <= "\ufe0f")

"""What kind of question a query is: about now or about the past, and for what kind of value it asks."""

from __future__ import annotations

import re

_EARLIER = (
    r"\b(?:original(?:ly)?|initial(?:ly)?|at first|before|previous(?:ly)?|used to|earlier|former(?:ly)?|old|"
    r"in the beginning|back then|ago|last (?:year|month|week|time)|in (?:19|20)\d\d)\b"
    r"|\b(?:früher|zuerst|ursprünglich|vorher)\b|\b(?:antes|primero|originalmente)\b|以前|原来|最初|之前|元々"
)
_OF_BEFORE = re.compile(_EARLIER, re.IGNORECASE)
_OF_THE_PAST = re.compile(
    rf"{_EARLIER}|\b(?:did|was|were|had|war|waren|hatte|era|eran|fue)\b",
    re.IGNORECASE,
)
_OF_SEVERAL = re.compile(
    r"\b(?:change[ds]?|changing|history|over time|evol\w{1,20}|develop\w{0,10}|progress\w{0,10}|order|timeline|between|"
    r"across|different|in total|altogether|ever|both|compared?|difference|throughout|sequence|summar\w{1,10})\b"
    # A span from one thing to another is reckoned from two statements.
    r"|\b(?:days|weeks|months|years|long)\b.{1,200}\b(?:after|until|since|passed|elapsed)\b"
    r"|\b(?:geändert|verlauf|zwischen|insgesamt|cambiado|historia|entre|en total)\b|变化|历史|一共|変化|履歴|合計",
    re.IGNORECASE | re.DOTALL,
)
_FOR_ADVICE = re.compile(
    r"\b(?:should|could|would|can (?:you|i|we)|help|suggest|recommend|advice|tips|ideas?)\b"
    r"|\bhow (?:do|can|does|to|might|did)\b",
    re.IGNORECASE,
)
_NUMBER = (
    r"\bhow (?:many|much|long|often|old|big|large|far|high|fast|tall|heavy)\b|\bwie ?(?:viele?|oft|lange|alt|groß)\b"
    r"|\bcuánt[oa]s?\b|多少|几|幾|いくつ|何(?:人|個|回|本|件|時間)"
)
_DATE = (
    r"\bwhen\b|\bwhat (?:time|day|date)\b|\b(?:deadline|due)\b|\bwann\b|\bcuándo\b|什么时候|什麼時候|几[号点]|何時|いつ"
)
_NAME = r"\b(?:where|who|whom)\b|\bwo\b|\bwer\b|\bdónde\b|\bquién\b|哪里|谁|誰|どこ"
_KINDS = tuple(
    (re.compile(pattern, re.IGNORECASE), frozenset(kinds.split()))
    for pattern, kinds in (
        (_DATE, "date clock"),
        (_NUMBER, "number percent money version duration"),
        (_NAME, "name"),
    )
)
_FOR_A_FACT = re.compile(
    rf"{_NUMBER}|{_DATE}|{_NAME}|\b(?:what|which|whose)\b|\b(?:welche[rsnm]?|wie)\b|\b(?:qué|cuál(?:es)?)\b"
    r"|什么|什麼|哪|何|ですか",
    re.IGNORECASE,
)


def asks_how_it_is(text: str) -> bool:
    """Whether a query asks for a fact as it is now: not as it was, not for all it has been, and not for advice."""
    return (
        _FOR_A_FACT.search(text) is not None
        and not _OF_THE_PAST.search(text)
        and not _OF_SEVERAL.search(text)
        and not _FOR_ADVICE.search(text)
    )


def asks_how_it_was(text: str) -> bool:
    """Whether a query asks how something was before it changed, or for all it has been."""
    return _OF_BEFORE.search(text) is not None or _OF_SEVERAL.search(text) is not None


def kinds_asked_for(text: str) -> frozenset[str]:
    """The kinds of values that answer a query, where its question word tells; empty for any."""
    return next((kinds for pattern, kinds in _KINDS if pattern.search(text)), frozenset())

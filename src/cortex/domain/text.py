"""Rules about text: what is accepted, how long it is in tokens, how it is cut, and how it is shown safely."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Literal

from cortex.errors import InvalidRequest

DEFAULT_MAX_BYTES = 64 * 1024

PASSAGE_TOKENS = 128
"""A longer text is looked at in passages of this size: it answers by its best one."""

CLAMP_MAX_CHARS = 6_000
CLAMP_HEAD_CHARS = 500
_GAP = "\n…\n"

_SURROGATE = re.compile("[\ud800-\udfff]")
# Compiled when the first text needs it: that takes longer than importing this module.
_WIDE = "[\u2e80-\u9fff\ua000-\ua4cf\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\U00020000-\U0003fffd]"
# A sentence ends at closing punctuation followed by space, at CJK full stops, or at a line break.
# Looked for at the beginning of a run alone, and never given back: a text of nothing but dots costs no more than any.
SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]]*+\s++|(?<![。！？])[。！？]++[」』”]*+|\n+")
# Bidirectional controls and invisible characters can make a terminal or a reader show what is not there.
# The zero-width joiners (U+200C, U+200D) stay: Persian, Hindi and emoji are spelled with them.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# Line ends to some readers of text, and not to others. Packed, they are spaces; shown, they are seen.
_LINE_ENDS = re.compile("[\u2028\u2029]")


def checked_text(text: str, *, field: str = "text", max_bytes: int = DEFAULT_MAX_BYTES) -> str:
    """`text` unchanged, or an error that names the field and the fix."""
    if not isinstance(text, str):
        raise InvalidRequest("is not text", field=field, hint="give a string")
    if not text.strip():
        raise InvalidRequest("is empty", field=field, hint="give some text")
    if "\x00" in text:
        raise InvalidRequest("contains a NUL byte", field=field, hint="remove it; binary data is not remembered")
    size = len(text)
    if not text.isascii():  # ASCII has no surrogates, and its length is its size
        if _SURROGATE.search(text):
            raise InvalidRequest("contains a lone surrogate", field=field, hint="decode the text as UTF-8 first")
        size = len(text.encode())
    if size > max_bytes:
        raise InvalidRequest(
            f"is {size:,} bytes, over the limit of {max_bytes:,}",
            field=field,
            hint="split it, index it as a file, or raise limits.max_text_bytes",
        )
    return text


def clamp(
    text: str, max_chars: int = CLAMP_MAX_CHARS, head_chars: int = CLAMP_HEAD_CHARS, max_bytes: int | None = None
) -> str:
    """`text` cut to its head and tail where it is too long for an embedder; unchanged otherwise."""
    if len(text) > max_chars:
        head = min(head_chars, max_chars)
        tail = max_chars - head - len(_GAP)
        text = text[:head] + _GAP + text[-tail:] if tail > 0 else text[:max_chars]
    if max_bytes is not None and len(text.encode()) > max_bytes:
        text = text.encode()[:max_bytes].decode("utf-8", "ignore")
    return text


def estimate_tokens(text: str) -> int:
    """About how many tokens a model counts: a quarter of a character each, a whole one for wide scripts."""
    wide = 0 if text.isascii() else len(re.findall(_WIDE, text))
    return wide + -(-(len(text) - wide) // 4)


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """The spans of the sentences of `text`; together they cover all of it."""
    start = 0
    for end in SENTENCE_END.finditer(text):
        yield start, end.end()
        start = end.end()
    if start < len(text):
        yield start, len(text)


def passages(text: str, max_tokens: int) -> list[tuple[int, int]]:
    """Spans of whole sentences of at most `max_tokens` each, covering `text`; a longer sentence is split."""
    if estimate_tokens(text) <= max_tokens:
        return [(0, len(text))]
    spans: list[tuple[int, int]] = []
    start, used = 0, 0
    for begin, end in sentences(text):
        size = estimate_tokens(text[begin:end])
        if used and used + size > max_tokens:
            spans.append((start, begin))
            start, used = begin, 0
        used += size
        if used > max_tokens:
            spans.extend(_halves(text, start, end, max_tokens))
            start, used = end, 0
    if start < len(text):
        spans.append((start, len(text)))
    return [span for span in spans if text[span[0] : span[1]].strip()]


def _halves(text: str, start: int, end: int, max_tokens: int) -> Iterator[tuple[int, int]]:
    # A token is four characters at most: only the last few parts have to be counted.
    while end - start > 1 and (end - start > 4 * max_tokens or estimate_tokens(text[start:end]) > max_tokens):
        # Wide scripts cost a token a character, so `max_tokens` characters always fit.
        cut = start + max_tokens
        while cut < end and estimate_tokens(text[start : cut + max_tokens]) <= max_tokens:
            cut += max_tokens
        space = text.rfind(" ", start + 1, min(cut, end))
        cut = space + 1 if space > start else min(cut, end)
        yield start, cut
        start = cut
    if start < end:
        yield start, end


_MARKS = 30
"""A letter has no more combining marks in any language: the stream-safe format of Unicode (UAX #15) ends there."""
_JOINER = "\u034f"
# What may be marks: signs beyond ASCII, and the two letters that are marks once their width is normal.
_MANY_SIGNS = re.compile(rf"(?:[\uff9e\uff9f]|[^\w\s\x00-\x7f]){{{_MARKS + 1},}}")


def normal(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """`text` in a normal form of Unicode, in linear time: sorting the marks of one letter takes quadratic time."""
    if text.isascii():
        return text
    return unicodedata.normalize(form, _MANY_SIGNS.sub(_stream_safe, text) if len(text) > _MARKS else text)


def _stream_safe(signs: re.Match[str]) -> str:
    """The signs with a joiner, which is no mark, behind as many marks as a letter may have."""
    safe: list[str] = []
    marks = 0
    for sign in signs.group():
        marks = marks + 1 if unicodedata.combining(unicodedata.normalize("NFKD", sign)[0]) else 0
        if marks > _MARKS:
            safe.append(_JOINER)
            marks = 1
        safe.append(sign)
    return "".join(safe)


_LONG_REFERENCE = re.compile(r"&#([0-9]{8,})")


def without_references(text: str) -> str:
    """`text` with the references of HTML (`&lt;`) resolved. A number no character has stands for none, however long."""
    from html import unescape  # few texts need it, and it is slow to import

    return unescape(_LONG_REFERENCE.sub(lambda found: f"&#{found[1].lstrip('0')[:8] or '0'}", text))


def visible(text: str) -> str:
    """`text` safe to show on a terminal: control, bidirectional and invisible characters as the escapes of JSON."""
    return _LINE_ENDS.sub(_escape, _INVISIBLE.sub(_escape, text))


def _escape(found: re.Match[str]) -> str:
    # Beyond U+FFFF that is a pair, as JSON has it: its escapes have four digits.
    return "".join(f"\\u{unit}" for unit in found.group().encode("utf-16-be").hex(" ", 2).split())


def escaped(text: str) -> str:
    """`text` as data inside a tagged block: no tag, entity or invisible character survives as itself."""
    is_plain = text.isascii() and text.isprintable()  # then it is normal, and all of it is seen
    plain = text if is_plain else _INVISIBLE.sub("", normal("NFC", text))
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def folded(text: str) -> str:
    """`text` as it is compared where capitals do not matter; every store can do it."""
    # The one letter whose small form depends on where it stands.
    return text.lower().replace("ς", "σ")


def capitals(text: str) -> tuple[str, str]:
    """Every letter that `folded` turns into one of `text`, and beside each what it becomes; without `İ`."""
    found = [(capital, small) for small in dict.fromkeys(text) for capital in _capitals().get(small, "")]
    return "".join(capital for capital, _ in found), "".join(small for _, small in found)


@cache
def _capitals() -> dict[str, str]:
    found: dict[str, str] = {}
    for number in range(0x20000):  # beyond, no letter is a capital
        if (small := folded(capital := chr(number))) != capital and len(small) == 1:
            found[small] = found.get(small, "") + capital
    return found

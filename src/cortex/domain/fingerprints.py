"""Fingerprints of what was injected, so that capture never takes it back in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache
from hashlib import blake2b
from itertools import zip_longest

from cortex.domain.text import normal, sentences, without_references

MOST_FINGERPRINTS = 500

_LEAST_WORDS = 5
_LEAST_WIDE_CHARS = 10
"""About as much as five words, in scripts that write none apart."""


def fingerprints(block: str) -> frozenset[str]:
    """Short hashes of what an injected block says, line by line and sentence by sentence; its frame is left out."""
    said = (_said(line) for line in block.splitlines() if not _is_frame(line))
    return frozenset(mark for line in said for mark in _marks(line))


def without_injected(text: str, known: Set[str]) -> tuple[str, int]:
    """`text` without injected blocks and without the sentences in `known`, and how many pieces were taken out."""
    cuts = _block_spans(text)
    if known:
        cuts += _known_spans(text, known, cuts)
    if not cuts:
        return text, 0
    return _without(text, sorted(cuts)), len(cuts)


def merged(old: Sequence[str], new: Iterable[str], most: int = MOST_FINGERPRINTS) -> list[str]:
    """`old` and `new` together, each once, oldest first; of more than `most` the newest are kept."""
    fresh = list(dict.fromkeys(new))
    seen = set(fresh)
    both = [mark for mark in dict.fromkeys(old) if mark not in seen] + fresh
    return both[max(len(both) - most, 0) :]


# --- what a line says -------------------------------------------------------------------------------


@cache
def _compiled(shape: str) -> re.Pattern[str]:
    return re.compile(shape)


# Indents, quotes and bullets, as hosts and people set them before a line; then labels such as `[2026-01-05, fact]`.
_LEAD = r"(?:[ \t]|[>|](?=[ \t]|$)|&gt;(?=[ \t]|$))*"
_BULLET = r"(?:[-*+•·–][ \t]+|\d{1,3}[.)][ \t]+)"
_LABEL = r"(?:\[[^\]\n]{0,120}\][ \t]*)"
_ZERO_WIDTH = "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
_QUOTES = str.maketrans("“”„‟«»‘’‚‛`´", "\"\"\"\"\"\"''''''")


def _said(line: str) -> str:
    """A line without what a block sets before it."""
    found = _compiled(f"{_LEAD}{_BULLET}?{_LABEL}{{0,3}}").match(line)
    return line[found.end() :] if found else line


def _marks(said: str) -> Iterator[str]:
    """The fingerprints of a line and of its sentences; none of what is too short to be anyone's in particular."""
    if mark := _mark(said):
        yield mark
        for start, end in sentences(said):
            if part := _mark(said[start:end]):
                yield part


def _mark(said: str) -> str | None:
    if said.isascii() and len(said.split()) < _LEAST_WORDS:
        return None  # as below, before anything is spent on it
    plain = _normal(said)
    if not _is_particular(plain):
        return None
    return blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _normal(said: str) -> str:
    """The words alone: folded, unescaped, with one kind of quotes and of spaces, without punctuation at the ends."""
    plain = without_references(said) if "&" in said else said
    if not plain.isascii():
        plain = _compiled(_ZERO_WIDTH).sub("", normal("NFKC", plain)).translate(_QUOTES)
    plain = " ".join(plain.casefold().translate(_QUOTES).split())
    return plain.strip(" .!?…,;:\"'。！？、，；：「」『』()[]*_~-")


def _is_particular(plain: str) -> bool:
    if plain.count(" ") >= _LEAST_WORDS - 1:
        return True
    return not plain.isascii() and len(_compiled("[\u2e80-\u9fff\uac00-\ud7af]").findall(plain)) >= _LEAST_WIDE_CHARS


# --- what is taken out ------------------------------------------------------------------------------


def _known_spans(text: str, known: Set[str], cuts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Lines and sentences of `text` that were injected, outside of what is cut already."""
    found = []
    cut = iter(cuts)
    here = next(cut, None)
    for start, line in _lines(text):
        while here and here[1] <= start:
            here = next(cut, None)
        if here and here[0] < start + len(line):
            continue
        found += _known_in_line(start, line, known)
    return found


def _known_in_line(start: int, line: str, known: Set[str]) -> list[tuple[int, int]]:
    body = line.rstrip("\r\n")
    said = _said(body)
    whole = [(start, start + len(line))]
    if _mark(said) in known:
        return whole
    spans = list(sentences(said))
    if len(spans) < 2:
        return []
    injected = [(begin, end) for begin, end in spans if _mark(said[begin:end]) in known]
    if len(injected) == len(spans):
        return whole
    at = start + len(body) - len(said)
    return [(at + begin, at + end) for begin, end in injected]


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, line
        start += len(line)


_TAG = r"(?:<|&lt;)relevant[-_]memories\b[^<>\n]{0,200}?(?:>|&gt;)"
_END_TAG = r"(?:<|&lt;)/relevant[-_]memories\s*(?:>|&gt;)"
_HEADING = r"#{1,6}[ \t]*long-term memories[^\w\n]*"


def _is_frame(line: str) -> bool:
    bare = line.strip().lstrip(" \t>|")
    return bool(
        _compiled(f"(?i)(?:{_TAG}|{_END_TAG}|{_HEADING})").fullmatch(bare)
        or _compiled(r"(?i)remembered text[:,] untrusted\b.{0,200}").fullmatch(bare)
    )


def _block_spans(text: str) -> list[tuple[int, int]]:
    """Where injected blocks stand, whole, indented, quoted, on one line or cut off."""
    lowered = text.lower()
    if "memories" not in lowered:
        return []
    spans = [*_tagged_spans(text)]
    if "long-term memories" in lowered:
        spans += _headed_spans(text)
    return _joined(spans)


def _tagged_spans(text: str) -> Iterator[tuple[int, int]]:
    tags = list(_compiled(f"(?i)(?P<end>{_END_TAG})|{_TAG}").finditer(text))
    done = 0
    for tag, after in zip_longest(tags, tags[1:]):
        if tag["end"] or tag.start() < done:
            continue
        if after and after["end"]:
            if _is_block(text[tag.end() : after.start()]):
                done = _line_end(text, after.end())
                yield _line_start(text, tag.start()), done
        elif _is_alone(text, tag):
            # Cut off before its end: it goes as far as its lines look like those of a block.
            done = _bullets_end(text, _line_end(text, tag.end()))
            yield _line_start(text, tag.start()), done


def _is_block(inside: str) -> bool:
    """Whether memories stand between two tags, and not a word of someone who speaks of them."""
    return "\n" in inside or "untrusted" in inside.lower() or bool(_compiled(r"(?:-|\d\.) \[").search(inside))


def _headed_spans(text: str) -> Iterator[tuple[int, int]]:
    done = 0
    for heading in _compiled(f"(?im)^{_LEAD}{_HEADING}$").finditer(text):
        if heading.start() < done:
            continue
        begin = _line_end(text, heading.end())
        end = _bullets_end(text, begin)
        if end > begin:
            done = end
            yield heading.start(), end


def _bullets_end(text: str, start: int) -> int:
    """Where the bullets that begin at `start` end; blank lines between, the frame and deeper rests of lines are theirs.

    A line that stands where the bullets stand is not theirs: it may be what the user said, joined on by a host.
    """
    at = end = start
    depth: int | None = None
    while at < len(text):
        stop = text.find("\n", at) + 1 or len(text)
        line = text[at:stop].rstrip()
        lead = _depth(line)
        if _compiled(_BULLET).match(line, lead):
            depth = lead
        elif lead < len(line) and not _is_frame(line) and (depth is None or lead < depth + 2):
            break
        at = stop
        end = at if lead < len(line) else end
    return end


def _depth(line: str) -> int:
    """How many characters of indents and quotes a line begins with."""
    found = _compiled(_LEAD).match(line)
    return found.end() if found else 0


def _is_alone(text: str, tag: re.Match[str]) -> bool:
    before = text[text.rfind("\n", 0, tag.start()) + 1 : tag.start()]
    after = text[tag.end() : _line_end(text, tag.end())]
    return not before.strip(" \t>|") and not after.strip()


def _line_start(text: str, at: int) -> int:
    """The beginning of the line, where only indents and quotes stand before `at`; else `at` itself."""
    start = text.rfind("\n", 0, at) + 1
    return at if text[start:at].strip(" \t>|") else start


def _line_end(text: str, at: int) -> int:
    """The end of the line and its break, where nothing stands after `at`; else `at` itself."""
    found = _compiled(r"[ \t\r]*(?:\n|$)").match(text, at)
    return found.end() if found else at


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _without(text: str, cuts: Sequence[tuple[int, int]]) -> str:
    """`text` without `cuts`; what they leave empty at either end goes too."""
    parts, at = [], 0
    for start, end in cuts:
        parts.append(text[at:start])
        at = end
    return "".join([*parts, text[at:]]).strip()

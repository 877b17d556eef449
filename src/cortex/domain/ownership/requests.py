"""Texts that the user asks something about: "translate", "correct", "answer"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cortex.domain.ownership.extents import (
    LONGEST_REQUEST,
    QUOTATION,
    QUOTES,
    is_inside,
    only_closes,
    pasted_from,
    quotation_at,
    sentence_start,
    skip_space,
    stop_after,
)
from cortex.domain.ownership.handover import asks_for_work
from cortex.domain.ownership.phrases import (
    ANY_CASE,
    CLOSES,
    NOT_TEXTS,
    NOUN,
    NOUNS,
    POINTS,
    STATED,
    STATES,
    THESE,
    THESE_WORDS,
    UNSPACED_LETTERS,
    Found,
    compiled,
    phrase_pattern,
)
from cortex.domain.ownership.span import Owner, OwnershipReason, Place, Span
from cortex.domain.ownership.words import alternatives, bounded
from cortex.languages import OWNERSHIP as WORDS

_STRAIGHT = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "\u00a0": " ", "\t": " ", "\u3000": " ", "\u202f": " "})
_GAP_IN_UNSPACED = r"(?<=[\u3040-\u30ff\u3400-\u9fff]) (?=[\u3040-\u30ff\u3400-\u9fff])"
_BEGINS_TO_SPEAK = rf"(?<=[\w)]) (?={bounded('begins_to_speak')}|[A-ZÀ-Þ][a-zà-ÿ])"
_IS_UNFINISHED = rf"(?i){bounded('unfinished')}\Z"
_WITH_LARGE_NOUNS = tuple(
    (re.compile(rf"(?i)\b(?:{each.known_by})\b"), re.compile(f"(?:{each.sentence_opens})"))
    for each in WORDS.values()
    if each.sentence_opens
)
_LONGEST_RUN_ON = 160
_LEAST_AFTER = 24


def readable(text: str) -> str:
    """`text` as long as it is, with plain marks, and a line break where another's words begin without any mark."""
    plain = text.translate(_STRAIGHT)
    if not plain.isascii():
        plain = compiled(_GAP_IN_UNSPACED).sub("\n", plain)
    end = compiled(r"[.!?:：。！？\n]").search(plain, 0, _LONGEST_RUN_ON)
    stop = end.start() if end else min(len(plain), _LONGEST_RUN_ON)
    for found in compiled(_BEGINS_TO_SPEAK).finditer(plain, 0, stop):
        if len(plain) - found.end() >= _LEAST_AFTER and _is_request(plain[: found.start()], plain[found.end() :]):
            return f"{plain[: found.start()]}\n{plain[found.end() :]}"
    return plain


def _is_request(head: str, rest: str) -> bool:
    """Whether `head` is a whole request for work on a text; where nouns are written large, `rest` opens a sentence."""
    if compiled(_IS_UNFINISHED).search(head) or head.count('"') % 2:
        return False
    if any(language.search(head) and not opens.match(rest) for language, opens in _WITH_LARGE_NOUNS):
        return False
    return not compiled(rf"{ANY_CASE}{phrase_pattern('languages')}").match(rest) and asks_for_work(head)


_OPENING = (
    rf"{ANY_CASE}(?:\A|[.!?…;:,()\-–—\n¿¡*>]) {{0,3}}(?:{phrase_pattern('leads', spaced=True)}[ ,!]{{1,3}}){{0,4}}\Z"
)
_ABOVE = rf"{ANY_CASE}{phrase_pattern('above')}"
_TO_LANGUAGE = rf"(?:{alternatives('into', spaced=True)}) \w{{2,20}}"
_INLINE = (
    rf"{ANY_CASE} {{1,3}}(?:(?:{THESE}(?: {NOUNS})?|{bounded('inserts', 'please')}|{_TO_LANGUAGE})[ ,]{{1,2}}){{0,3}}"
    rf"(?P<said>{STATES})"
)
_BARE = rf"{ANY_CASE}[ ,]{{0,3}}(?:{_TO_LANGUAGE})?[ ,]{{0,3}}(?:{bounded('please')})? {{0,3}}\Z"
_MOST_REQUESTS = 24
_DID_MYSELF = rf"(?:{alternatives('did_myself', spaced=False)})\Z"
_TAKES_OBJECT = alternatives("takes_object", spaced=False)
_IS_DOING = alternatives("is_doing", spaced=False)


def requested_spans(text: str, phrases: Found, marked: Sequence[Span]) -> Iterator[Span]:
    """What stands beside a request to translate, correct, sum up or answer it."""
    taken = 0
    titles = [each.span() for each in compiled(QUOTATION).finditer(text)]
    for request, is_after in _requests(text, phrases)[:_MOST_REQUESTS]:
        at = request.start()
        if at < taken or is_inside(at, marked) or any(start < at < stop for start, stop in titles):
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
    if not text[request.start()].isascii() and compiled(UNSPACED_LETTERS).match(text, request.start()):
        return True
    start = max(0, request.start() - 80)
    return compiled(_OPENING).search(text[start : request.start()]) is not None


def _names_a_text(request: re.Match[str], text: str) -> bool:
    stop = stop_after(text, request.end())
    asking = text[request.start() : stop]
    points = compiled(POINTS).search(asking)
    return points is not None and compiled(NOUN).search(asking, points.start()) is not None


def _is_request_after(request: re.Match[str], text: str) -> bool:
    """Whether a verb that closes its clause asks for something: in German "bitte" or "kannst du" tells."""
    if ord(request.group()[0]) > 0x2E7F or ord(request.group()[-1]) > 0x2E7F:
        did = compiled(_DID_MYSELF).search(text, max(0, request.start() - 2), request.start())
        return did is None and compiled(_IS_DOING).match(text, request.end()) is None
    clause = text[sentence_start(text, request.start()) : request.start()]
    return compiled(CLOSES).search(clause) is not None


def _object_of(
    request: re.Match[str], is_after: bool, text: str, marked: Sequence[Span], *, alone: bool
) -> Iterator[Span]:
    """What a request is about; where it stands `alone`, that may be all that was said before it."""
    begin = sentence_start(text, request.start()) if is_after else request.start()
    stop = stop_after(text, request.end())
    asking = text[begin:stop]
    if len(asking) > LONGEST_REQUEST or compiled(NOT_TEXTS).search(asking):
        return
    if not is_after and (inline := compiled(_INLINE).match(text, request.end(), min(len(text), request.end() + 120))):
        yield pasted_from(text, inline.start("said"))
        return
    if is_after and (said := _said_before(request, text, begin)):
        yield Span(*said, Owner.QUOTED, OwnershipReason.REQUEST)
        return
    mark = text[stop : stop + 1]
    if mark in QUOTES and mark:
        yield from quotation_at(text, stop)
        return
    after = skip_space(text, stop + 1)
    points = compiled(POINTS).search(asking) is not None or compiled(THESE_WORDS).search(request.group()) is not None
    if after < len(text) and not is_inside(after, marked):
        if text[after] in QUOTES and mark in ":：\n":
            yield from quotation_at(text, after, goes_on=True)
        elif text[after] in "(（":
            return  # an aside of the user
        elif _goes_on(mark, points, asking, text[request.end() : stop], is_after) and not only_closes(text[after:]):
            yield pasted_from(text, after)
            return
        elif not only_closes(text[after:]):
            return
    begin = sentence_start(text, begin)
    if alone and begin and (compiled(_ABOVE).search(asking) or compiled(_BARE).match(text[request.end() : stop])):
        start = skip_space(text, 0)
        if start < begin and text[start:begin].strip(" \n,.;:-"):
            yield Span(start, begin, Owner.PASTED, OwnershipReason.REQUEST)


def _goes_on(mark: str, points: bool, asking: str, rest: str, is_after: bool) -> bool:
    """Whether the text stands after the request: after a colon always, else where the request points at it."""
    if mark and mark in ":：":
        return True
    if points:
        return True
    if mark == "\n":
        return len(rest.split()) <= 3
    return is_after and len(asking) <= 24 and not asking.isascii()


def _said_before(request: re.Match[str], text: str, begin: int) -> Place | None:
    """A statement that stands before its verb in the same sentence: "… を英語に訳して"."""
    before = text[begin : request.start()]
    inner = request.group()
    if compiled(alternatives("takes_object", spaced=False)).match(inner) and (
        said := compiled(STATED).search(inner, 1)
    ):
        return request.start() + said.start(), request.end()
    if before.isascii() or compiled(POINTS).search(before):
        return None
    stated = compiled(STATED).search(before)
    return (begin + stated.start(), request.start()) if stated and len(before) - stated.start() > 5 else None

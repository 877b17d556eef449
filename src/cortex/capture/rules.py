"""Extraction without a model: rules find, in one turn, the statements that are worth remembering for months.

How it reads a turn: what is not the speaker's own prose is blanked; each sentence is read by the pack of its language;
a sentence falls into clauses, and each clause is a statement, a question, or a supposition; the rules of the pack are
tried on the statements. What says little, or is said with a doubt, is left out: a wrong memory costs more than a missed
one, since the turn itself is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from cortex.capture import prose, retention
from cortex.capture.candidate import Candidate
from cortex.domain import instructions, limits
from cortex.domain.memory import Kind
from cortex.domain.turn import Role, Turn
from cortex.languages.pack import USER, Pack, Rule, RuleMatch, Slot, compiled
from cortex.languages.packs import DEFAULT_PACKS

MAX_CANDIDATES = 3
"""More than this many statements of one turn are not remembered (E11)."""
MAX_SENTENCES = 240
"""Of more sentences, the first and the last are looked at."""
MAX_CLAUSES = 40
MAX_VALUE = 120
_EXPLICIT_IMPORTANCE = 0.9
_LIST_CHARS = 800

_WORD = re.compile(r"[^\W\d_]+")
_EDGES = " \t\n,;:，、；：(（"
_DASHES = "-–—"
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)(?<![\w'-])[A-ZÄÖÜÁÉÍÓÚÑ][\w&+-]+(?: [A-ZÄÖÜÁÉÍÓÚÑ][\w&+-]+)*")
_CUT = re.compile(r"[.,:]\d|\s?%")
"""What follows a number that was cut short, or is a share of something."""
_NO_NAMES = frozenset("I I'm I've I'd I'll Please".split())


@dataclass(frozen=True, slots=True)
class _Clause:
    """A part of a sentence, with how it is tied to the part before, and whether it states anything."""

    start: int
    end: int
    link: str
    states: bool


@dataclass(frozen=True, slots=True)
class _Lead:
    """What a clause opens with before it comes to the point."""

    end: int
    corrects: bool = False
    explicit: bool = False


SETTLED = 0.9
"""How sure a preference is that holds beyond the request it stands in."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A rule that held at a clause."""

    rule: Rule
    matched: RuleMatch
    lead: _Lead
    start: int
    end: int
    left_out: tuple[tuple[int, int], ...] = ()
    """The parts of the turn that were not read, since they say what is not so; all positions are without them."""

    @property
    def slot(self) -> Slot:
        return _tidy(self.rule.fill(self.matched)) if self.rule.fill else Slot(self.matched.me)

    @property
    def span(self) -> tuple[int, int]:
        """Where it stands in the turn; what was left out within it or right before it belongs to it."""
        start, end = self.start, self.end
        for begin, stop in self.left_out:
            start += (stop - begin) * (start > begin)
            end += (stop - begin) * (end > begin)
        return start, end


def candidates(turn: Turn, *, packs: Sequence[Pack] = DEFAULT_PACKS) -> list[Candidate]:
    """The statements of `turn` worth remembering: at most three, the weightiest, in the order they were said."""
    if turn.role is not Role.USER:
        return []
    own = prose.own_prose(turn.text, turn.speaker)
    found = [each for pack, start, end in by_language(own, packs) for each in in_sentence(turn, own, start, end, pack)]
    return sorted(weightiest(found), key=lambda each: each.span or (0, 0))


def _is_for_the_search(each: Candidate, own: str, pack: Pack) -> bool:
    """Whether a taste is only mentioned to get something that suits it: "find me a film, I love comedies"."""
    is_plain_taste = each.kind is Kind.PREFERENCE and each.confidence < SETTLED
    return bool(is_plain_taste and pack.seeks and compiled(pack.seeks).search(own))


def standing(text: str, *, packs: Sequence[Pack] = DEFAULT_PACKS) -> bool:
    """Whether `text` tells the assistant what to hold to from then on."""
    own = prose.own_prose(text)
    for pack, start, end in by_language(own, packs):
        for found in _matches(own, own, start, end, pack, USER):
            if found.rule.kind is Kind.RULE:
                return True
    return False


def is_to_be_remembered(sentence: str, pack: Pack) -> bool:
    """Whether the user asks outright that a sentence be remembered."""
    return _lead(sentence, 0, len(sentence), pack).explicit


def stated(sentence: str, pack: Pack) -> list[tuple[str, Kind]]:
    """What a sentence states, in its words, and of what kind it is."""
    return [
        (sentence[found.start : found.end], found.rule.kind)
        for found in _matches(sentence, sentence, 0, len(sentence), pack, USER)
    ]


def weightiest(found: list[Candidate]) -> list[Candidate]:
    """The best few, none of which says what another says."""
    ranked = sorted(found, key=lambda each: (-each.importance, -each.confidence, each.span))
    kept: list[Candidate] = []
    for each in ranked:
        if len(kept) < MAX_CANDIDATES and not any(overlap(each, other) for other in kept):
            kept.append(each)
    return kept


def overlap(one: Candidate, other: Candidate) -> bool:
    """Whether two candidates say the same, or share words of their turn."""
    if " ".join(one.text.casefold().split()) == " ".join(other.text.casefold().split()):
        return True
    (start, end), (other_start, other_end) = one.span or (0, 0), other.span or (0, 0)
    return start < other_end and other_start < end


# Which language a sentence is in.


def by_language(own: str, packs: Sequence[Pack]) -> Iterator[tuple[Pack, int, int]]:
    """The sentences, each with the pack that reads it."""
    whole = language(own[:4_000], packs)
    spans = list(prose.sentences(own))
    if len(spans) > MAX_SENTENCES:
        spans = spans[: MAX_SENTENCES // 2] + spans[-MAX_SENTENCES // 2 :]
    for start, end in spans:
        pack = language(own[start:end], packs, otherwise=whole)
        if pack and pack.pretends and compiled(pack.pretends).search(own, start, end):
            return
        if pack:
            yield pack, start, end


def language(text: str, packs: Sequence[Pack] = DEFAULT_PACKS, otherwise: Pack | None = None) -> Pack | None:
    """The pack that reads `text`: by its letters first, by its commonest words next."""
    if not text.isascii():
        # A few letters of another script are a name in a sentence of this one.
        letters = len(text.replace(" ", ""))
        fitting = [
            pack for pack in packs if pack.script and 6 * len(compiled(pack.script).findall(text)) >= letters > 0
        ]
        if fitting:
            return otherwise if otherwise and otherwise.script else fitting[0]
    words = [word.casefold() for word in _WORD.findall(text[:2_000])]
    counts = [(_cues(words, text, pack), pack) for pack in packs if pack.cues]
    best, pack = max(counts, key=lambda each: each[0], default=(0, None))
    if best == 0 or (otherwise and best == _cues(words, text, otherwise)):
        return otherwise
    return pack


def _cues(words: Sequence[str], text: str, pack: Pack) -> float:
    """How many words of a text are everyday words of a language; its spellings count for one word and a half."""
    if pack.never and compiled(pack.never).search(text[:2_000]):
        return 0
    known = sum(word in pack.cues for word in words)
    return known + 1.5 * bool(pack.spellings and compiled(pack.spellings).search(text[:2_000]))


# Clauses.


def in_sentence(turn: Turn, own: str, start: int, end: int, pack: Pack) -> Iterator[Candidate]:
    """What the rules of a pack find in one sentence of a turn."""
    for found in _matches(own, turn.text, start, end, pack, turn.speaker or USER):
        candidate = _candidate(turn, found, pack)
        if not _is_for_the_search(candidate, own, pack):
            yield candidate


def _matches(own: str, said: str, start: int, end: int, pack: Pack, me: str) -> list[_Found]:
    """What the rules find in one sentence."""
    if limited := _limited(own, said, start, end, pack, me):
        return [limited]
    if pack.spelling:
        own = own[:start] + own[start:end].translate(pack.spelling) + own[end:]
    return _unlimited(own, said, start, end, pack, me)


def _limited(own: str, said: str, start: int, end: int, pack: Pack, me: str) -> _Found | None:
    """A sentence that is an instruction for a time, or for a project: as a whole, with its limit."""
    found = limits.limited(own[start:end], pack.lang)
    if found is None:
        return None
    order, limit = found
    if pack.has_instruction_grammar:
        rule = LIMITED if instructions.is_instruction(own[start:end]) else None
    else:
        is_explicit = limit.is_explicit or instructions.split(order).of_manner
        lasts = is_explicit and not limit.of_project and limits.is_order(order, pack.lang)
        text = (limits.lasting(order, pack.lang) if lasts else order).translate(pack.spelling)
        orders = _unlimited(text, text, 0, len(text), pack, me)
        rule = LIMITED if any(each.rule.kind is Kind.RULE for each in orders) else None
    first = compiled(r"(?s:.)").match(own, start, end)
    return _Found(rule, RuleMatch(first, said, me), _Lead(start), start, end) if rule and first else None


def _unlimited(own: str, said: str, start: int, end: int, pack: Pack, me: str) -> list[_Found]:
    """What the rules find in a sentence without a limit. "Not on Tuesday but on Wednesday" is read as the latter."""
    if pack.contrasts and (contrast := compiled(pack.contrasts).search(own, start, end)):
        denied = tuple(span for span in _unnamed(contrast) if span[0] >= 0)
        stop = end - sum(to - at for at, to in denied)
        found = _in_clauses(_without(own, denied), _without(said, denied), start, stop, pack, me)
        if any(each.slot.value and not each.rule.negated for each in found):
            return [replace(each, left_out=denied) for each in found]
    return _in_clauses(own, said, start, end, pack, me)


def _unnamed(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The groups of a match without a name."""
    named = frozenset(match.re.groupindex.values())
    return (match.span(number) for number in range(1, match.re.groups + 1) if number not in named)


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text without some of its parts, which stand in their order."""
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    return "".join(text[end:start] for end, start in zip(ends, starts, strict=True))


def _in_clauses(own: str, said: str, start: int, end: int, pack: Pack, me: str) -> list[_Found]:
    """What the rules find in the clauses of a sentence; the clauses that hang on a statement are part of it."""
    clauses = list(_clauses(own, start, end, pack))
    stated_to = max((clause.end for clause in clauses if clause.states), default=end)
    found = [_first(own, said, clause, stated_to, end, pack, me) for clause in clauses]
    kept: list[_Found] = []
    taken = start
    for index, each in enumerate(found):
        if each is None or (each.start < taken and not each.lead.explicit):
            continue
        stop = each.end
        if stop < end:
            stop = _with_tails(clauses, found, index, pack)
        kept.append(replace(each, end=_listing_end(own, each, stop)))
        taken = stop
    kept += _weighed(own, said, start, end, pack, me, kept)
    return [each for each in kept if not _is_of_another(own, each, pack)]


def _is_of_another(own: str, found: _Found, pack: Pack) -> bool:
    """Whether what would be remembered of the speaker is said of somebody else: "she works at Siemens"."""
    if not pack.others or found.lead.explicit or found.rule.kind is Kind.RULE or found.slot.subject != found.matched.me:
        return False
    return bool(compiled(pack.others).match(own, found.start, found.end))


def _weighed(
    own: str, said: str, start: int, end: int, pack: Pack, me: str, found: Sequence[_Found]
) -> Iterator[_Found]:
    """What no rule knows by its wording, and the pack finds weighty enough."""
    if pack.weigh is None:
        return
    for stretch in _unread(own, start, end, pack, [(each.start, each.end) for each in found]):
        whole = (stretch[0][0], stretch[-1][1])
        spans = dict.fromkeys((whole, *stretch)) if pack.splices else (whole,)
        yield from islice(filter(None, (_weighty(own, said, *span, pack, me) for span in spans)), 1)


def _weighty(own: str, said: str, begin: int, stop: int, pack: Pack, me: str) -> _Found | None:
    """A stretch of a sentence, if the pack finds it weighty enough."""
    assert pack.weigh is not None
    lead = _lead(own, begin, stop, pack)
    rule = pack.weigh(own[begin:stop]) or pack.weigh(own[lead.end : stop])
    match = compiled(r"(?s:.)").match(own, lead.end, stop)
    return _Found(rule, RuleMatch(match, said, me), lead, lead.end, stop) if rule and match else None


def _unread(
    own: str, start: int, end: int, pack: Pack, taken: Sequence[tuple[int, int]]
) -> Iterator[list[tuple[int, int]]]:
    """The stretches of a sentence that state something and that no rule has taken, each as its clauses."""
    stretch: list[tuple[int, int]] = []
    for clause in _clauses(own, start, end, pack):
        hedged = bool(pack.hedges and compiled(pack.hedges).search(own, clause.start, clause.end))
        free = clause.states and not hedged and not any(at < clause.end and clause.start < to for at, to in taken)
        if free:
            stretch.append((clause.start, clause.end))
        elif stretch:
            yield stretch
            stretch = []
    if stretch:
        yield stretch


def _clauses(own: str, start: int, end: int, pack: Pack) -> Iterator[_Clause]:
    """The clauses of a sentence. What hangs on a question or a supposition by "and" is one too."""
    is_question = own[start:end].rstrip(" )\"'」』”").endswith(("?", "？"))
    pieces: list[tuple[int, int, str]] = []
    at, link = start, ""
    for cut in _cuts(own, start, end, pack, is_question=is_question):
        if _lead(own, at, cut.end(), pack).end >= cut.end():
            continue  # nothing was said yet
        pieces.append((at, cut.start(), link))
        at, link = cut.end(), cut.group().strip(" ,，、").casefold()
    pieces.append((at, end, link))
    supposed = bool(pack.unreal and compiled(pack.unreal).search(own, start, end))
    questioned = reported = False
    for begin, stop, tie in pieces:
        presumed = bool(pack.presumes and compiled(pack.presumes).match(tie))
        opening = _lead(own, begin, stop, pack).end
        supposes = bool(compiled(pack.supposes).match(own, opening, stop))
        asks = bool(compiled(pack.asks).match(own, opening, stop))
        supposed = supposes or (supposed and not presumed)
        questioned = asks or (questioned and tie in pack.joins) or (is_question and stop == end and not presumed)
        yield _Clause(begin, stop, tie, not (supposed or questioned or reported))
        reported = bool(pack.reports and compiled(pack.reports).search(own, max(begin, stop - 40), stop))


def _cuts(own: str, start: int, end: int, pack: Pack, *, is_question: bool) -> list[re.Match[str]]:
    """Where a sentence falls into clauses; before its question it may state something: "I have a cat, may she …?"."""
    cuts = list(islice(compiled(pack.breaks).finditer(own, start, end), MAX_CLAUSES))
    last = cuts[-1].end() if cuts else start
    if is_question and pack.turns:
        cuts += list(islice(compiled(pack.turns).finditer(own, last, end), MAX_CLAUSES))[-1:]
    return cuts


def _lead(own: str, start: int, end: int, pack: Pack) -> _Lead:
    """What the clause opens with, and what that says about it."""
    corrects = explicit = False
    moved = True
    while moved:
        moved = False
        for pattern in (pack.explicit, pack.corrections, pack.leads):
            if pattern and (opening := compiled(pattern).match(own, start, end)) and opening.end() > start:
                start, moved = opening.end(), True
                corrects |= pattern == pack.corrections
                explicit |= pattern == pack.explicit
    return _Lead(start, corrects, explicit)


def _first(own: str, said: str, clause: _Clause, stated_to: int, end: int, pack: Pack, me: str) -> _Found | None:
    """The first rule that holds at a clause, in order of precedence. The sentence states something to `stated_to`."""
    lead = _lead(own, clause.start, clause.end, pack)
    hedged = bool(pack.hedges and compiled(pack.hedges).search(own, lead.end, clause.end))
    settled = lead.explicit or (clause.states and not hedged)
    points = [lead.end]
    if pack.fronts and (front := compiled(pack.fronts).match(own, lead.end, clause.end)):
        points.append(front.end())
    for point in points:
        for rule in pack.rules:
            if not (settled or rule.in_requests):
                continue
            stop = _stop(rule, lead, clause, stated_to, end)
            match = compiled(rule.pattern).match(own, point, stop)
            if not match or (rule.veto and compiled(rule.veto).search(own[point:stop])):
                continue
            if not rule.instructs or instructions.is_instruction(own[point:stop]):
                return _Found(rule, RuleMatch(match, said, me), lead, lead.end, stop)
    idle = bool(pack.platitudes and compiled(pack.platitudes).search(own, lead.end, end))
    if lead.explicit and not idle and end - lead.end >= _ENOUGH[pack.spaced]:
        match = compiled(r"(?s:.)").match(own, lead.end, end)
        assert match is not None
        return _Found(_REMEMBER, RuleMatch(match, said, me), lead, lead.end, end)
    return None


def _stop(rule: Rule, lead: _Lead, clause: _Clause, stated_to: int, end: int) -> int:
    """How far a rule reads: its clause, or the sentence without the question or request that it ends with."""
    if lead.explicit or (rule.whole and rule.in_requests):
        return end
    return max(stated_to, clause.end) if rule.whole else clause.end


LIMITED = Rule(name="rule.limited", pattern="", kind=Kind.RULE, importance=0.85, confidence=0.85)
"""An instruction that holds for a time, or for a project."""
_ENOUGH = {True: 8, False: 4}
_REMEMBER = Rule(name="remember", pattern="", kind=Kind.FACT, importance=_EXPLICIT_IMPORTANCE, confidence=0.9)


def _with_tails(clauses: list[_Clause], found: list[_Found | None], index: int, pack: Pack) -> int:
    """The end of a statement with the clauses that hang on it."""
    each = found[index]
    assert each is not None
    stop = each.end
    for clause, other in zip(clauses[index + 1 :], found[index + 1 :], strict=True):
        if clause.start <= stop:
            continue
        if not clause.states or other or not (pack.tails and compiled(pack.tails).match(clause.link)):
            break
        stop = clause.end
    return stop


def _listing_end(own: str, found: _Found, stop: int) -> int:
    if not found.rule.listing:
        return stop
    limit = stop + _LIST_CHARS
    while (line := prose.LIST_LINE.match(own, _next_line(own, stop))) and line.end() <= limit:
        stop = line.end()
    return stop


def _next_line(own: str, at: int) -> int:
    while at < len(own) and own[at].isspace():
        at += 1
    return at


# From a match to a candidate.


def _candidate(turn: Turn, found: _Found, pack: Pack) -> Candidate:
    rule, matched, lead = found.rule, found.matched, found.lead
    start, end = _trimmed(turn.text, *found.span)
    slot = found.slot
    if slot.value and not rule.negated:
        slot = _sound(slot, matched.said[slice(*_trimmed(matched.said, found.start, found.end))], pack)
    kept, ttl = retention.of(
        turn.text[start:end], turn.created_at, pack.lang, rule.kind, fills_slot=bool(slot.attribute)
    )
    if lead.explicit and rule.kind is not Kind.RULE:
        kept, ttl = retention.FOR_GOOD
    return Candidate(
        text=turn.text[start:end],
        kind=rule.kind,
        confidence=max(rule.confidence, 0.9) if lead.explicit else rule.confidence,
        source_turns=(turn.id,),
        span=(start, end),
        subject=slot.subject,
        attribute=slot.attribute,
        value=slot.value,
        negated=rule.negated,
        corrects=lead.corrects or rule.name.startswith("correction"),
        importance=max(rule.importance, _EXPLICIT_IMPORTANCE) if lead.explicit else rule.importance,
        retention=kept,
        ttl=ttl,
        topic=instructions.split(turn.text[start:end]).condition if rule.kind is Kind.RULE else "",
        lang=pack.lang,
        found_by=f"{pack.lang}/{rule.name}",
        entities=names_in(turn.text[start:end]) if pack.spaced else (),
    )


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] in _EDGES + _DASHES:
        start += 1
    # A dash ends a clause where it stands alone; at the end of a word it belongs to it.
    while end > start and (text[end - 1] in _EDGES or (text[end - 1] in _DASHES and text[end - 2 : end - 1].isspace())):
        end -= 1
    return start, end


def _tidy(slot: Slot) -> Slot:
    """A slot without loose ends. Without a value there is no attribute to fill."""
    value = " ".join(slot.value.split()).strip(" .,;:!?。，、；：！？\"'“”")[:MAX_VALUE]
    subject = " ".join(slot.subject.split())[:MAX_VALUE]
    return Slot(subject, slot.attribute if value else "", value)


def _sound(slot: Slot, said: str, pack: Pack) -> Slot:
    """A slot whose value is whole, and not denied where it was said; else the subject alone."""
    if slot.subject.casefold() in pack.pronouns:
        return Slot()
    at = said.casefold().find(slot.value.casefold())
    if at < 0:  # put together from several words
        return slot
    value, rest = slot.value, said[at + len(slot.value) :]
    ends_with_words = pack.spaced and not pack.script  # elsewhere endings follow a name without a space
    if ends_with_words and rest[:1].isalnum():
        value = value.rpartition(" ")[0]
    is_cut = ends_with_words and bool(_CUT.match(rest))
    if _is_denied(value, said[:at], rest, pack):
        return Slot("" if _denies(slot.subject + " " * pack.spaced, pack) else slot.subject)
    return replace(slot, value=value) if value and not is_cut else Slot(slot.subject)


def _is_denied(value: str, before: str, after: str, pack: Pack) -> bool:
    """Whether a value is denied, or is the word that says so: "my name is not Ana"."""
    if _denies(before, pack) or _denies(value.partition(" ")[0] + " " * pack.spaced, pack):
        return True
    return bool(pack.denied and compiled(pack.denied).match(after))


def _denies(said: str, pack: Pack) -> bool:
    return bool(pack.denies and compiled(pack.denies).search(said))


def names_in(text: str) -> tuple[str, ...]:
    """The names in a statement, each once; its first word is written large whatever it is."""
    return tuple(dict.fromkeys(name for name in _NAME.findall(text) if name not in _NO_NAMES))[:8]

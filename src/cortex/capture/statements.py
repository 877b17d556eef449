"""Extraction without a language model: each statement of a turn is judged whole, by its signs and its meaning.

A turn falls into sentences, a sentence into statements. Where the language has fitted signs, a statement is kept when
it scores high enough, and the rules of the language tell its kind and its slot. Elsewhere the rules alone decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from cortex.capture import audience, claims, clauses, likely_changes, prose, retention, rules, standalone, worth
from cortex.capture.candidate import Candidate
from cortex.capture.worth import SentenceVectors, WorthScale, WorthWeights, likelihood
from cortex.domain import instructions
from cortex.domain.identity import TraceId
from cortex.domain.memory import Kind
from cortex.domain.turn import Role, Turn
from cortex.domain.vectors import Vector
from cortex.languages.lists import finder
from cortex.languages.pack import USER, ClauseWords, Pack, ReferenceWords, compiled
from cortex.languages.packs import DEFAULT_PACKS

EXPLICIT = 0.9
"""The importance of what the user wants remembered: it is kept whatever it scores."""

RULE_IMPORTANCE = 0.85
_INTRODUCES = re.compile(rf"[ :\n]*+{prose.BLANK}")
"""What follows a statement that only introduces words that are not the speaker's, unless it ends as a sentence."""
_ENDS = ".!"
_MOST_BEFORE = 3
_PLAIN_WORDS = 6
_PLAIN_STATES = ("/health.allergy", "/health.diet", "/person.status", "/state.never", "/preference.prefer")
"""Rules of what is worth keeping in however few words it is said."""
_ECHOES = {"echoes": 0.3, "echoes most": 0.6}
"""Signs of a statement, by the share of its words that somebody else has just brought up."""
_TO_PEOPLE = "{}, to people"
"""The same sign in talk among people, where feelings and courtesies are said in other words than to an assistant."""
_PLANS = frozenset({"plan", "advice taken up"})
_NO_LEAD = frozenset({"asks", "thanks", "opens as a reply", "under 5 words", "refers outside"})
"""Signs of a statement that names nothing the next one refers to."""
_HOW_LONG = "only how long"
"""The sign of a sentence that only says that an instruction lasts: "Always.", "That goes for every chat."."""
_NO_STATEMENT = frozenset({"asks", "thanks", "text at hand", "arithmetic"})
"""Signs of what is not said of how things are."""
_REQUESTS = frozenset({"opens with an order", "asks", "asks politely"})
"""Signs of a sentence that wants something done, as what is added to it does."""
_NOT_TO_ANYBODY = frozenset({"asks", "thanks", "you"})
"""Signs of what cannot be read without knowing who is spoken to, or is no statement."""
_WORD = re.compile(r"\w+")
_NAME_OF_A_THING = re.compile(r"[a-z][a-z0-9]*(?:[A-Z_/]|\.(?=[a-z])|-(?=(?:api|app|cli|db|js|sdk|server|ui)\b))")
_TAKES_BACK = finder("takes back")
_MOST_WORDS_CORRECTING = 40
_BRIEF = 30
"""A message of at most so many words is about one thing, or says what it is about."""
_TALK = frozenset({Role.USER, Role.ASSISTANT})
_FEWEST_STEMS = 3
_STEM = 6
_FEWEST_LETTERS = 4


@dataclass(frozen=True, slots=True)
class TurnStatement:
    """One statement of a turn, with what is known of it before it is judged."""

    turn: Turn
    pack: Pack
    start: int
    end: int
    text: str
    """The words of the turn."""
    before: tuple[str, ...]
    """What was said just before that its pronouns may refer to, nearest first."""
    matched: tuple[Candidate, ...]
    """What the rules found in it, in their order of precedence."""
    signs: frozenset[str]
    """What it shows; what a rule found in it is a sign too."""
    leads: tuple[int, int] | None = None
    """The statement of the sentence before it in the same turn."""
    is_sentence: bool = False
    """Whether it is a whole sentence, to be judged as an instruction."""
    listener: str = ""
    """The one person it is said to, by name."""
    corrects: bool = False
    """Whether its turn says that something was said wrongly before."""
    is_joined: bool = False
    """Whether it is of several sentences of a brief message, of which the later lean on the first."""
    is_part: bool = False
    """Whether it is a clause that gives a value in a statement that asks for something besides."""

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.end


def candidates(
    turns: Sequence[Turn],
    vectors: SentenceVectors | None = None,
    *,
    provisional: bool = False,
    packs: Sequence[Pack] = DEFAULT_PACKS,
) -> list[Candidate]:
    """What is worth remembering of some turns, which stand in their order: at most three statements of each.

    With `provisional`, also a few that are not, and may say otherwise than what is remembered.
    """
    by_turn: dict[TraceId, list[Candidate]] = {turn.id: [] for turn in turns}
    statements: list[TurnStatement] = []
    said: dict[str, str] = {}
    listeners = audience.listeners(turns)
    for at, turn in enumerate(turns):
        if turn.role is Role.USER:
            reply = _reply_before(turns[at - 1] if at else None, turn)
            before = said.get(turn.speaker, "")
            found, ruled = read(turn, before, reply, listener=listeners[at], packs=packs)
            statements += found
            by_turn[turn.id] += ruled
            said[turn.speaker] = turn.text
    for each in _worth_keeping(statements, vectors):
        if provisional or not each.provisional:
            by_turn[each.source_turns[0]].append(each)
    few = (each for found in by_turn.values() for each in _in_order(_few(found)))
    return [replace(each, text=_capital(each.text)) for each in few]


def _few(found: Sequence[Candidate]) -> list[Candidate]:
    """The best of a turn, and beside them what may say otherwise than what is remembered."""
    kept = rules.weightiest([each for each in found if not each.provisional])
    others = (each for each in found if each.provisional and not any(rules.overlap(each, other) for other in kept))
    return [*kept, *rules.weightiest(list(others))]


def _reply_before(before: Turn | None, turn: Turn) -> str:
    """What somebody else said just before a turn."""
    if before is None or before.role not in _TALK or (before.role, before.speaker) == (turn.role, turn.speaker):
        return ""
    return before.text


def _in_order(found: Iterable[Candidate]) -> list[Candidate]:
    return sorted(found, key=lambda each: each.span or (0, 0))


# --- reading ---------------------------------------------------------------------------------------------------------


def read(
    turn: Turn,
    before: str = "",
    reply: str = "",
    *,
    listener: str | None = None,
    packs: Sequence[Pack] = DEFAULT_PACKS,
) -> tuple[list[TurnStatement], list[Candidate]]:
    """The statements of a turn that are to be judged, and what rules alone decide.

    `before` is what the same speaker said in the turn before, `reply` what somebody else said since. `listener` is
    the person it is said to: None for an assistant, empty where there are several.
    """
    own = _without_name(prose.own_prose(turn.text, turn.speaker), turn.speaker)
    earlier = [before[slice(*span)] for span in prose.sentences(prose.own_prose(before, turn.speaker))]
    brought_up = _stems(reply[: prose.MAX_CHARS]) - _stems(before[: prose.MAX_CHARS])
    around = _Around(turn, own, earlier, brought_up, listener, _takes_back(own))
    statements: list[TurnStatement] = []
    ruled: list[Candidate] = []
    for pack, start, end in rules.by_language(own, packs):
        found = list(rules.in_sentence(turn, own, start, end, pack))
        if pack.clauses is None:
            sentence, decided = _elsewhere(turn, own, start, end, pack, found)
            ruled += decided
            if sentence is not None:
                _add_order(statements, sentence, own)
            continue
        is_hidden = _is_hidden(own, start, end)
        added_to = _added_to(around, own[start:end], statements)
        if added_to is not None:
            statements[added_to] = _with_more(around, statements[added_to], start, end)
        elif is_hidden or any(map(_is_explicit, found)):
            around.leads = around.states = None
        else:
            stated = list(_statements(around, start, end, pack, found))
            around.leads = next((each.span for each in stated[-1:] if not each.signs & _NO_LEAD), None)
            statements += [*_value_parts(around, stated, start, end, pack, found), *stated]
            around.states = len(statements) - 1 if stated and stated[-1].end == end else None
        requested = tuple(each for each in found if each.kind is Kind.RULE or _is_explicit(each))
        if is_hidden or not _may_instruct(own[start:end], pack):
            ruled += requested
        elif added_to is None or instructions.split(own[start:end]).of_manner:
            begin = end - len(own[start:end].lstrip(prose.BLANK))
            signs = rule_signs(own[begin:end], requested, pack)
            said = turn.text[begin:end]
            judged = TurnStatement(turn, pack, begin, end, said, (), requested, signs, is_sentence=True)
            _add_order(statements, judged, own)
        around.earlier.append(turn.text[start:end])
    return statements, ruled


def _elsewhere(
    turn: Turn, own: str, start: int, end: int, pack: Pack, found: Sequence[Candidate]
) -> tuple[TurnStatement | None, list[Candidate]]:
    """A sentence to be judged as an instruction, and what rules decide, in a language where they know statements."""
    if _is_hidden(own, start, end) or not _may_instruct(own[start:end], pack):
        return None, list(found)
    requested = tuple(each for each in found if each.kind is Kind.RULE)
    signs = rule_signs(own[start:end], requested, pack)
    scale = worth.weights(WorthScale.RULE_ELSEWHERE)
    if requested and scale.score(signs) < scale.threshold and not any(map(_is_unmistakable, requested)):
        found = list(rules.in_sentence(turn, own, start, end, _of_statements(pack)))
        requested = ()
    sentence = TurnStatement(turn, pack, start, end, turn.text[start:end], (), requested, signs, is_sentence=True)
    return sentence, [each for each in found if each.kind is not Kind.RULE]


def _of_statements(pack: Pack) -> Pack:
    """The pack without its rules of instructions, for a habit that looks like one: "each month I save 200 euros"."""
    return replace(pack, rules=tuple(each for each in pack.rules if each.kind is not Kind.RULE))


def _add_order(statements: list[TurnStatement], judged: TurnStatement, own: str) -> None:
    """Adds a sentence to be judged as an instruction; what only says how long is a part of the one right before it."""
    if _HOW_LONG not in judged.signs:
        statements.append(judged)
        return
    at = next((at for at in reversed(range(len(statements))) if statements[at].is_sentence), None)
    if at is not None and not own[statements[at].end : judged.start].strip():
        before = statements[at]
        signs = rule_signs(own[before.start : judged.end], before.matched, judged.pack) | {_HOW_LONG}
        text = judged.turn.text[before.start : judged.end]
        matched = tuple(_stretched(each, before.end, judged) for each in before.matched)
        statements[at] = replace(before, end=judged.end, text=text, signs=signs, matched=matched)


def _stretched(each: Candidate, end: int, judged: TurnStatement) -> Candidate:
    """An instruction that stood at the end of its sentence, with the sentence that says how long it lasts."""
    start, stop = each.span or (0, 0)
    if each.attribute or stop < end:
        return each
    return replace(each, text=judged.turn.text[start : judged.end], span=(start, judged.end))


@dataclass(slots=True)
class _Around:
    """A turn that is being read, and what was said around its sentences."""

    turn: Turn
    own: str
    earlier: list[str]
    """What the speaker said before, the latest last."""
    brought_up: frozenset[str]
    """The stems of what somebody else has just brought up."""
    listener: str | None
    """The person it is said to; None for an assistant."""
    corrects: bool
    """Whether it says that something was said wrongly before."""
    leads: tuple[int, int] | None = None
    states: int | None = None
    """The place of the statement that the sentence before in the same turn ends with."""


def _added_to(around: _Around, sentence: str, statements: Sequence[TurnStatement]) -> int | None:
    """The place of the statement that a sentence only adds to: "It fails again. Only on Windows."."""
    if around.states is None:
        return None
    before = statements[around.states]
    words = before.pack.references
    if words is None or not (standalone.is_fragment(sentence, words) or _leans(around, sentence, words)):
        return None
    asks = any(shown(said, before.pack.rule_signs) & _REQUESTS for said in (before.text, sentence))
    return None if asks else around.states


def _leans(around: _Around, sentence: str, words: ReferenceWords) -> bool:
    """Whether a sentence of a brief message to an assistant cannot be read without the one before it.

    "ekberg cant do the 16th. its the 29th now", "ALS recert is booked, 12 june. 310 quid but trust pays".
    """
    is_brief = around.listener is None and len(around.own.split()) <= _BRIEF
    return is_brief and not sentence.rstrip().endswith("?") and standalone.leans(sentence, words)


def _with_more(around: _Around, each: TurnStatement, start: int, end: int) -> TurnStatement:
    """A statement with what was added to it, unless that is too long; what goes on with it is judged as one with it."""
    text = each.turn.text[each.start : end]
    if len(text.split()) > clauses.LONGEST_WORDS:
        return each
    words = each.pack.references
    if words is None or standalone.is_fragment(around.own[start:end], words):
        return replace(each, end=end, text=text)
    signs = _signs(around.own[each.start : end], each.pack, around.brought_up) | _of_rules(each.signs)
    return replace(each, end=end, text=text, signs=signs, is_joined=True)


def _statements(
    around: _Around, start: int, end: int, pack: Pack, found: Sequence[Candidate]
) -> Iterator[TurnStatement]:
    assert pack.clauses is not None
    own = around.own
    for begin, stop in clauses.statements(own, start, end, pack.clauses):
        if own[stop - 1] not in _ENDS and _INTRODUCES.match(own, stop):
            continue
        yield _statement(around, begin, stop, pack, found)


def _value_parts(
    around: _Around, stated: Sequence[TurnStatement], start: int, end: int, pack: Pack, found: Sequence[Candidate]
) -> Iterator[TurnStatement]:
    """What gives a value in a sentence, or in a statement of it, that asks for something besides."""
    assert pack.clauses is not None
    asking = (each for each in stated if each.signs & _REQUESTS)
    parts = [span for each in asking for span in _value_clauses(around.own, *each.span, pack.clauses)]
    for span in (*parts, *clauses.mentions(around.own, start, end, pack.clauses)):
        yield replace(_statement(around, *span, pack, found), leads=None, is_part=True)


def _of_rules(signs: frozenset[str]) -> frozenset[str]:
    return frozenset(name for name in signs if name.startswith("rule: "))


def _statement(around: _Around, begin: int, stop: int, pack: Pack, found: Sequence[Candidate]) -> TurnStatement:
    matched = tuple(each for each in found if _overlap(each, begin, stop))
    signs = _signs(around.own[begin:stop], pack, around.brought_up) | {f"rule: {each.kind.value}" for each in matched}
    return TurnStatement(
        around.turn, pack, begin, stop, around.turn.text[begin:stop], tuple(reversed(around.earlier[-_MOST_BEFORE:])),
        tuple(each for each in matched if each.kind is not Kind.RULE),
        signs | {_TO_PEOPLE.format(name) for name in signs if around.listener is not None}, around.leads,
        listener=around.listener or "", corrects=around.corrects,
    )  # fmt: skip


def _value_clauses(own: str, start: int, end: int, words: ClauseWords) -> Iterator[tuple[int, int]]:
    """The clauses of a statement that give a value, where it asks for something besides."""
    for clause in clauses.clauses(own, start, end, words):
        stop = clause.start + len(own[clause.start : clause.end].rstrip("?？ "))
        if not clause.asks and claims.states_an_amount(own[clause.start : stop]):
            yield clause.start, stop


def _takes_back(own: str) -> bool:
    """Whether a short turn corrects what was said before."""
    return len(own.split()) <= _MOST_WORDS_CORRECTING and _TAKES_BACK.search(own.strip()) is not None


def _signs(said: str, pack: Pack, brought_up: frozenset[str]) -> frozenset[str]:
    """What a statement shows, also beside what was said around it."""
    signs = shown(said, pack.signs)
    stems = _stems(said)
    share = len(stems & brought_up) / max(_FEWEST_STEMS, len(stems))
    echoes = {name for name, least in _ECHOES.items() if share >= least}
    if signs & _PLANS:
        echoes |= {f"{name}, as a plan" for name in echoes}
    return signs | echoes | (standalone.signs(said, pack.references) if pack.references else frozenset())


def _stems(said: str) -> frozenset[str]:
    words = (word.casefold() for word in _WORD.findall(said))
    return frozenset(word[:_STEM] for word in words if len(word) >= _FEWEST_LETTERS)


def _may_instruct(sentence: str, pack: Pack) -> bool:
    """Whether a sentence is judged as an instruction; what only introduces something is not."""
    return bool(pack.rule_signs) and not sentence.endswith(":") and len(sentence.split()) <= clauses.LONGEST_WORDS


def rule_signs(sentence: str, requested: Sequence[Candidate], pack: Pack) -> frozenset[str]:
    """What a sentence shows of an instruction; that a rule of the language knows it as one is a sign too."""
    known = {f"known by {each.found_by.partition('/')[2]}" for each in requested if each.kind is Kind.RULE}
    return shown(sentence.translate(pack.spelling), pack.rule_signs) | known | ({"known as a rule"} if known else set())


def shown(said: str, signs: Mapping[str, str]) -> frozenset[str]:
    """The names of the signs that a text shows."""
    return frozenset(name for name, pattern in signs.items() if compiled(pattern).search(said))


def _without_name(own: str, speaker: str) -> str:
    """`own` without the name or the role that some hosts put before what is said."""
    names = (f"{name}: " for name in (speaker, Role.USER.value, Role.USER.value.title()) if name)
    name = next((name for name in names if own.startswith(name)), "")
    return prose.BLANK * len(name) + own[len(name) :]


def _is_hidden(own: str, start: int, end: int) -> bool:
    """Whether too much of a sentence is someone else's words to be read."""
    return own.count(prose.BLANK, start, end) * 2 > end - start


def _is_explicit(each: Candidate) -> bool:
    """Whether the user wants it remembered."""
    return each.importance >= EXPLICIT


def _overlap(each: Candidate, start: int, end: int) -> bool:
    begin, stop = each.span or (0, 0)
    return 2 * (min(end, stop) - max(start, begin)) > min(end - start, stop - begin)


# --- judging ---------------------------------------------------------------------------------------------------------


def _worth_keeping(statements: Sequence[TurnStatement], vectors: SentenceVectors | None) -> Iterator[Candidate]:
    if not statements:
        return
    # A sentence of one statement is judged twice, and embedded once.
    texts = list(dict.fromkeys(each.text for each in statements if each.pack.clauses))
    found = vectors(texts) if vectors is not None and texts else None
    vector_of = {} if found is None else dict(zip(texts, found, strict=True))
    for each in statements:
        if not each.is_sentence and not _is_real(each):
            continue
        vector = vector_of.get(each.text) if each.pack.clauses else None
        if each.is_sentence:
            yield from _instructions(each, vector)
        else:
            scale = worth.weights(WorthScale.STATEMENT_BY_SIGNS if vector is None else WorthScale.STATEMENT)
            score = scale.score(each.signs, vector)
            is_worth = not each.is_part and (score >= scale.threshold or _fills_a_slot(each) or _is_plain_state(each))
            news = _news(each, vector)
            if (is_worth or _may_say_otherwise(each, news)) and (alone := _standing_alone(each)):
                made = _candidate(each, *alone, score, scale)
                if is_worth and score < scale.threshold:
                    made = replace(made, confidence=max(ruled.confidence for ruled in each.matched))
                yield replace(made, provisional=not is_worth, news=news)


def stated(turn: Turn, *, packs: Sequence[Pack] = DEFAULT_PACKS) -> list[Candidate]:
    """Every statement of a turn that can stand alone, whatever it is worth, as the least that is ever kept."""
    scale = worth.weights(WorthScale.STATEMENT_BY_SIGNS)
    return [
        replace(_candidate(each, *alone, scale.threshold, scale), provisional=True)
        for each in read(turn, packs=packs)[0]
        if not each.is_sentence and not each.signs & _NOT_TO_ANYBODY and _is_real(each)
        if (alone := _standing_alone(each))
    ]


def _is_real(each: TurnStatement) -> bool:
    """Whether a statement is of how things are, neither supposed nor made up."""
    return not each.pack.unreal or not compiled(each.pack.unreal).search(each.text)


def _fills_a_slot(each: TurnStatement) -> bool:
    """Whether the value of a slot is all a statement says: "I live in Rome." is worth keeping in any company."""
    return len(each.text.split()) <= _PLAIN_WORDS and any(found.attribute for found in each.matched)


def _is_plain_state(each: TurnStatement) -> bool:
    """Whether all a statement says is what the speaker is, prefers or never did: "I'm vegetarian.", "I prefer tea."."""
    is_state = any(found.found_by.endswith(_PLAIN_STATES) for found in each.matched)
    return is_state and len(each.text.split()) <= _PLAIN_WORDS and not each.signs & _NO_STATEMENT


def _may_say_otherwise(each: TurnStatement, news: float | None) -> bool:
    """Whether a statement denies something, corrects it, or says that a value has changed."""
    if each.signs & _NO_STATEMENT:
        return False
    if likely_changes.is_news(news):
        return True
    is_so = "supposes" not in each.signs and claims.states_an_amount(each.text)
    return each.corrects or is_so or claims.may_say_otherwise(each.text)


def _news(each: TurnStatement, vector: Vector | None) -> float | None:
    """How likely it changes what the user told an assistant before; what friends tell each other is news of its own."""
    if vector is None or each.turn.speaker:
        return None
    return likely_changes.news_of(each.text, vector)


def _instructions(each: TurnStatement, vector: Vector | None) -> Iterator[Candidate]:
    """The instructions that a sentence gives, and what the user wants remembered in it."""
    scale = worth.weights(_rule_scale(each.pack, vector))
    score = scale.score(each.signs, vector)
    topic = instructions.split(each.text).condition
    kept, ttl = retention.of(each.text, each.turn.created_at, each.pack.lang, Kind.RULE)
    if score < scale.threshold:
        yield from (found for found in each.matched if _is_explicit(found) or _is_unmistakable(found))
    elif each.matched:
        for place, found in enumerate(each.matched):
            if not found.attribute:
                found = replace(found, kind=Kind.RULE, topic=topic, retention=kept, ttl=ttl)
            yield _with_its_condition(found, each) if place == 0 else found
    else:
        yield Candidate(
            text=each.text, kind=Kind.RULE, confidence=_confidence(score, scale), source_turns=(each.turn.id,),
            span=(each.start, each.end), subject=each.turn.speaker or USER, importance=RULE_IMPORTANCE,
            retention=kept, ttl=ttl, topic=topic, lang=each.pack.lang, found_by=f"{each.pack.lang}/rule",
        )  # fmt: skip


def _rule_scale(pack: Pack, vector: Vector | None) -> WorthScale:
    if pack.clauses is None:
        return WorthScale.RULE_ELSEWHERE
    return WorthScale.RULE_BY_SIGNS if vector is None else WorthScale.RULE


def _is_unmistakable(found: Candidate) -> bool:
    """Whether it is an instruction whatever it scores: one with a limit, or one to act on the speaker's behalf."""
    is_limited = found.found_by.endswith(f"/{rules.LIMITED.name}")
    return is_limited or (found.kind is Kind.RULE and instructions.is_plain_order(found.text))


def _with_its_condition(found: Candidate, each: TurnStatement) -> Candidate:
    """An instruction with what its sentence opens with, where it depends on that."""
    if found.attribute or found.span is None or found.span[0] <= each.start:
        return found
    if not instructions.opens_with_condition(each.text):
        return found
    return replace(found, text=each.turn.text[each.start : found.span[1]], span=(each.start, found.span[1]))


def _above(score: float, scale: WorthWeights) -> float:
    """How far a score is above the threshold, from 0 to 1."""
    least = likelihood(scale.threshold)
    return max(0.0, (likelihood(score) - least) / (1 - least))


def _confidence(score: float, scale: WorthWeights) -> float:
    return round(0.5 + 0.45 * _above(score, scale), 3)


def _standing_alone(each: TurnStatement) -> tuple[str, int] | None:
    """The statement as it can be read by itself, and where that begins; None where it cannot."""
    words, said = each.pack.references, each.text.rstrip("?？ ")
    if words is None:
        return _capital(said), each.start
    said = standalone.without_greeting(_without_correction(said, each), words)
    text, start = standalone.resolved(said, each.before, words), each.start
    if each.leads is not None:
        lead = each.turn.text[slice(*each.leads)]
        if text is None or standalone.joins(lead, said, words):
            whole = standalone.led(lead, said, words)
            text, start = (whole, each.leads[0]) if whole else (text, start)
    if text is None:
        if not each.is_joined:
            return None
        text = said
    text = standalone.addressed(standalone.dated(text, each.turn.created_at, words), each.listener, words)
    return _capital(text), start


def _without_correction(said: str, each: TurnStatement) -> str:
    """A correction without the words that only say that it is one."""
    opening = compiled(each.pack.corrections).match(said) if each.corrects and each.pack.corrections else None
    return said[opening.end() :] if opening else said


def _capital(text: str) -> str:
    """A sentence opens with a capital, but not with one in a name such as "torque-api", "node.js" or "iOS"."""
    return text if _NAME_OF_A_THING.match(text) else text[:1].upper() + text[1:]


def _candidate(each: TurnStatement, text: str, start: int, score: float, scale: WorthWeights) -> Candidate:
    above = _above(score, scale)
    ruled = next((found for found in each.matched if found.attribute), next(iter(each.matched), None))
    speaker = each.turn.speaker or USER
    base = ruled or Candidate(
        text=text, kind=_kind(each.signs), confidence=0.0, source_turns=(each.turn.id,), subject=speaker
    )
    kept, ttl = _kept(each, base)
    return replace(
        base,
        text=text,
        confidence=_confidence(score, scale),
        corrects=base.corrects or each.corrects,
        span=(start, each.end),
        importance=round(max(0.5 + 0.35 * above, base.importance if base.attribute else 0.0), 3),
        retention=kept,
        ttl=ttl,
        lang=each.pack.lang,
        found_by=f"{each.pack.lang}/statement" if ruled is None else ruled.found_by,
        entities=rules.names_in(text),
    )


def _kept(each: TurnStatement, base: Candidate) -> retention.Kept:
    """How long a statement is kept: for good where a part of it is."""
    said, lang = each.turn.created_at, each.pack.lang
    parts = (found for found in each.matched if (found.span or (0, 0)) != each.span and not found.attribute)
    if any(retention.of(part.text, said, lang, part.kind) == retention.FOR_GOOD for part in parts):
        return retention.FOR_GOOD
    return retention.of(each.text, said, lang, base.kind, fills_slot=bool(base.attribute))


def _kind(signs: frozenset[str]) -> Kind:
    """The kind of a statement that no rule knows, by the signs it shows."""
    if "decision" in signs:
        return Kind.DECISION
    if "taste" in signs:
        return Kind.PREFERENCE
    return Kind.EPISODE if signs & {"past", "perfect", "relative time", "family event"} else Kind.FACT

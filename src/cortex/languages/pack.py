"""What a language pack is: how a language says what is worth remembering, as data that the engine in `rules` reads.

A pack is the module `extraction` in the folder of its language. It needs

1. `cues`: a few dozen everyday words of the language (or `script`, where its letters alone tell it), so that a
   sentence is read by the right pack;
2. `leads`: what a statement may open with and does without ("by the way, "), and `corrections`, the openings that say
   that something said before was wrong;
3. `breaks`: where a sentence falls into clauses; its group `link` says how the clause that follows is tied on;
4. `asks` and `supposes`: how questions, requests and suppositions open: nothing in them is taken for a fact;
5. `rules`: what is worth remembering, by family, in their order of precedence.

Every pattern of a rule is matched at the start of a clause, after its leads; it is never searched for, so that a
pattern costs what its own words cost. Write patterns without nested repetition, and bound what they skip; what they
leave open, `compiled` bounds. They see the text with straight apostrophes and with everything quoted blanked out,
letter by letter, so positions stay true.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cache

from cortex.kinds import Kind

MAX_SENTENCE = 1_200
"""What is longer without a full stop is not something said."""

USER = "user"
"""The subject of what a user says of themself."""


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern ready for use; made when it is first needed, since there are hundreds."""
    return re.compile(_REPEATED.sub(_bounded, pattern), re.IGNORECASE)


_REPEATED = re.compile(
    r"(?P<what>\\.|\[\^?\]?(?:\\.|[^]\\]){0,400}+\]|.)(?:(?P<least>\*|\+|\{(?P<number>\d+),\})(?P<how>[?+]?))?",
    re.DOTALL,
)
_MOST = {")": 16, r"\w": 60, r"\s": 16}
"""How often a group of words, a letter of a word, and space are repeated; all else, as often as a sentence is long."""


def _bounded(part: re.Match[str]) -> str:
    """A repeat without an end, given one: a text that fits half of a pattern must not be tried in every division."""
    if not part["least"]:
        return part.group()
    if part["what"] == r"\s" and part["least"] == "+":
        # Wherever a run of space is ended, no word begins within it: it is never given back.
        return part.group() if part["how"] else f"{part.group()}+"
    least = int(part["number"] or part["least"] == "+")
    return f"{part['what']}{{{least},{least + _most(part)}}}{part['how']}"


def _most(part: re.Match[str]) -> int:
    what = part["what"]
    if what == ")" and part.string[part.start() - 1] in "].":
        return MAX_SENTENCE  # a group that is one letter behind what it must not be
    if what.startswith(r"[\w") and " " not in what:
        return _MOST[r"\w"]
    return _MOST.get(what, MAX_SENTENCE)


@dataclass(frozen=True, slots=True)
class Slot:
    """What a statement is about, and the single-valued property it gives, if it gives one."""

    subject: str = ""
    attribute: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class RuleMatch:
    """A match of a rule, read in the words of the turn itself."""

    match: re.Match[str]
    said: str
    """The text the match stands in, as it was said, position by position."""
    me: str = USER

    def __getitem__(self, group: str) -> str:
        """What the group holds, or the same group of the pattern's other way of saying it: `value2` for `value`."""
        for name in (group, f"{group}2"):
            if name in self.match.re.groupindex and self.match[name] is not None:
                return self.said[self.match.start(name) : self.match.end(name)]
        return ""

    @property
    def mine(self) -> str:
        """The speaker as an owner: `user's`."""
        return f"{self.me}'s"


Fill = Callable[[RuleMatch], Slot]
"""Builds the slot of a match."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One way of saying something worth remembering."""

    name: str
    kind: Kind
    importance: float
    confidence: float = 0.8
    fill: Fill | None = None
    """Without it, the statement is about the speaker and fills no slot."""
    _: KW_ONLY
    pattern: str = ""
    veto: str = ""
    """Searched in the clause from the match on: where it is found, the rule does not hold."""
    instructs: bool = False
    """The clause from the match on has to be an instruction by the grammar of the language."""
    whole: bool = False
    """It takes the sentence to its end, not only the clause it begins in."""
    listing: bool = False
    """The list below the sentence belongs to it."""
    negated: bool = False
    in_requests: bool = False
    """It holds in a clause that opens like a supposition or a request: "if I ask …, do …"."""

    def worded(self, pattern: str, veto: str = "") -> Rule:
        """The rule with the words it is found by, and those where it does not hold."""
        return replace(self, pattern=pattern, veto=veto)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseWords:
    """How a language ties clauses together, as patterns."""

    breaks: str
    """Where a clause ends and one with its own subject begins."""
    couples: str
    """What ends a part whose last word shares the subject of the next one: "that Ana", before "and I"."""
    joins: frozenset[str]
    """Links by which a clause shares in the question before it."""
    opens: str
    """What a clause may open with that only ties it to another: "since"."""
    stands: str
    """How a clause opens that states something though it hangs on a question."""
    asks: str
    """How a clause opens that only asks or requests."""
    trails: str
    """How a clause opens that adds nothing to the statement before it: "but I'm having trouble …"."""
    verb: str
    """What a clause has to hold to be one of its own."""
    phrases: str
    """How something opens that is no statement: "given my budget"."""
    closes: str
    """What a statement may end with that adds nothing."""
    mentions: str
    """What of the speaker's a question names with a value: "with my budget now at $450"."""
    errands: str
    """Found in a statement, it is a step of something that is being booked or ordered, over when that is done."""
    unreal: str
    """Found in a statement, it is only supposed: "if I won the lottery, I'd move"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceWords:
    """What a statement refers to that stands outside of it: pronouns, and days counted from the day it was said."""

    vague: str
    """How a statement opens that cannot be read by itself."""
    plain: str
    """Openings that only look like that."""
    fragment: str
    """A sentence that only adds to the one before it: "Only on Windows."."""
    leaning: str
    """How a sentence of a brief message opens that goes on with the one before it: "its the 29th now"."""
    person: str
    someone: str
    """What an opening pronoun for a person may stand for."""
    thing: str
    something: str
    """What an opening pronoun for a thing may stand for; its group `new` is a thing just mentioned first."""
    several: str
    """What a pronoun for things may stand for; `new` as above."""
    mine: str
    shared: str
    """What a "mine" at the opening may stand for, by its group `noun`: what the speaker asks about in general."""
    my: str
    greets: str
    """What a statement may open with that is only said to somebody, and not remembered: "Hey Ana, "."""
    joined: str
    """How a statement opens that speaks of the speaker and others it need not name: "we "."""
    capital: str
    """How a statement opens that keeps its capital inside of a sentence."""
    own: frozenset[str]
    the: str
    inner: str
    """What refers to something inside of a statement, by its group: `thing`, `things`, `person`, `place`, or
    `here` for what is only seen by the one it is said to."""
    bounds: str
    """Where a part of a statement ends whose nouns what follows may refer to."""
    nouns: str
    """Found in a part, it names something."""
    people: str
    """Found in a part, it names somebody."""
    points: str
    """What points at something by its `noun`: "this error"."""
    listener: str
    """What stands for the one it is said to; its group `owner` for what is theirs."""
    owned: str
    """A name as an owner: "{}'s"."""
    relative: str
    days: Mapping[str, int]
    weekdays: tuple[str, ...]
    behind: frozenset[str]
    sides: Mapping[str, int]
    numbers: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """How one language says what is worth remembering."""

    lang: str
    rules: tuple[Rule, ...]
    breaks: str
    asks: str
    supposes: str
    leads: str
    corrections: str
    turns: str = ""
    """Where a sentence may turn from a statement to the question it ends with; the last such place counts."""
    splices: bool = False
    """Commas tie whole sentences together: a clause is weighed alone where it does not weigh enough with the others."""
    fronts: str = ""
    """What may stand before the point of a statement and belongs to it: "after the move, ". Rules look behind it."""
    pretends: str = ""
    """Where it is found, the rest of the turn is play: a story, a role, an exercise."""
    explicit: str = ""
    """How someone asks outright that something be remembered; what follows it is the statement."""
    platitudes: str = ""
    """Found in what someone asks to be remembered, it is encouragement, and states nothing."""
    joins: frozenset[str] = frozenset()
    """Links by which a clause shares in the question before it: "and"."""
    tails: str = ""
    """Links of a clause that belongs to the one before it: "because …"."""
    presumes: str = ""
    """Links of a clause that is taken for granted even inside a question: "given that …"."""
    reports: str = ""
    """The end of a clause after which the words are somebody else's: "she said"."""
    denies: str = ""
    """Stands just before a value that is denied: "not on Tuesday"."""
    denied: str = ""
    """Stands right behind a value that is denied, in languages that deny behind it."""
    contrasts: str = ""
    """Says in a sentence what is not so beside what is: its unnamed groups are what to leave out, so that "not on
    Tuesday but on Wednesday" is read as "on Wednesday"."""
    unreal: str = ""
    """Found in a sentence, all of it is only supposed, though it opens as a statement: "I'll move if I get it"."""
    pronouns: frozenset[str] = frozenset()
    """Words that are never the name of a subject."""
    hedges: str = ""
    """Found in a clause, it is not settled enough to be remembered: "maybe"."""
    others: str = ""
    """How a statement opens that is about somebody whom it does not name, and so not about the speaker: "she "."""
    seeks: str = ""
    """Where it is found, something to enjoy is being looked for: tastes are only mentioned for that."""
    weigh: Callable[[str], Rule | None] | None = None
    """Decides on what no rule knows: how to remember a statement by what it is made of, or None to leave it."""
    clauses: ClauseWords | None = None
    """How a sentence falls into statements. Each is judged whole by `signs`, and rules only tell its kind and slot."""
    references: ReferenceWords | None = None
    signs: Mapping[str, str] = field(default_factory=dict)
    """What a statement may show, by name, whose weights were fitted."""
    rule_signs: Mapping[str, str] = field(default_factory=dict)
    """What an instruction to the assistant may show, likewise."""
    cues: frozenset[str] = frozenset()
    """Everyday words, by which a sentence is known to be in this language."""
    spellings: str = ""
    """Spellings that its neighbors do not have: they decide where a short sentence has cues of several languages."""
    never: str = ""
    """What its sentences never hold, though the words are common to its neighbors: it is another language then."""
    script: str = ""
    spelling: Mapping[int, int] = field(default_factory=dict)
    """Letters read as others, one for one: traditional as simplified."""
    spaced: bool = True
    """Words are separated by spaces."""
    has_instruction_grammar: bool = False
    """Standing instructions in turns are found by `domain.instructions`, not by rules of this pack."""


def about_me(attribute: str) -> Fill:
    """Fills one attribute of the speaker with the group `value`."""
    return lambda match: Slot(match.me, attribute, match["value"])


def about(subject: str, attribute: str) -> Fill:
    """Fills one attribute of a fixed subject with the group `value`."""
    return lambda match: Slot(subject, attribute, match["value"])

"""Evidence that a statement is worth remembering: what no rule knows is weighed by what it is made of."""

from __future__ import annotations

from math import fsum

from cortex.capture.packs.english.weights import BIAS, WEIGHTS
from cortex.capture.packs.english.words import (
    BOOKING,
    COLLEAGUE,
    DATE,
    DAY,
    DIET,
    FAMILY,
    HABIT,
    ILLNESS,
    JOB,
    LANGUAGE,
    NUMBER_WORD,
    OWNED,
    PET,
)
from cortex.capture.packs.pack import Rule, compiled
from cortex.domain.changes import CHANGED, CORRECTED
from cortex.domain.instructions import is_instruction
from cortex.domain.memory import Kind


def _any(words: str) -> str:
    """One of the words or phrases, which stand apart by commas."""
    return r"\b(?:" + "|".join(" ".join(word.split()) for word in words.split(",")) + r")\b"


def _opens(words: str) -> str:
    return "^" + _any(words)


_WHO = r"(?:(?:my|our|the|his|her|their)\s[\w' -]{1,40}?|(?-i:[A-Z])[\w'-]+|i|we|he|she|they|everything|everyone)"

SIGNS: dict[str, str] = {
    # Who or what it is about.
    "i": _opens("i, i'm, i've, im, ive, i'd"),
    "we": _opens("we, we're, we've"),
    "mine": _opens("my, our"),
    "ours inside": r"(?<=\s)(?:my|our|us|for me|with me|me)\b",
    "the": _opens("the, all, every, everything, both, no, any, each"),
    "third person": _opens("he, he's, she, she's, they, they're, they've"),
    "vague subject": _opens(
        """it, it's, that, that's, this, this is, these, those, there, there's, its, one, some, their, his, it'll,
        they, that'll"""
    ),
    "bare noun": r"^(?!(?:i|we|my|our|the|he|she|they|it|that|this|these|those|there|you|your|yes|no|not|what|how)\b)"
    r"[a-z][\w'-]*(?:\s[\w'-]+){0,3}?\s?(?:'s|\sis|\sare|\sgoes?|\sneeds?|\smust|\shas|\slives?|\sstays?|"
    r"\sgets?|\sruns?)\b",
    "dropped subject": _opens(
        """been, had, got, gave, took, sold, bought, moved, switched, used to, born, raised, based, living, working,
        studying, married, divorced, engaged, retired, allergic, left-handed, freelance, started, quit, left, joined,
        native, big fan, huge fan, not a fan, total, also love, love, hate, can't, don't eat, trained, diagnosed"""
    ),
    "kin": rf"\b(?:{FAMILY}|mum|bf|gf|hubby|kids?|children|twins|toddler|girls|boys|mum's|dad's)\b",
    "colleague": rf"\b(?:my|our|the)\s{COLLEAGUE}\b",
    "pet": rf"\b{PET}\b",
    "job": rf"\b{JOB}\b",
    "health": rf"\b(?:{DIET}|(?!add\b){ILLNESS}|allergic|intolerant|epipen|surgery|operation|mg|mcg|dose|"
    rf"diagnosed|pills?|"
    r"tablets|medication|prescribed|injur\w+|vertebrae|blood|hip|knee|hearing aids?|wheelchair)\b",
    "language": rf"\b{LANGUAGE}\b",
    "owned": rf"\b(?:my|our|a|an|the)\s{OWNED}\b",
    "attribute": _any(
        """deadline, due, budget, rent, salary, address, password, pin, code is, birthday, anniversary, pronouns,
        headcount, staff, employees, team, pupils, size, version, pinned, address, number, name, surname, nickname,
        timezone, time zone, zone, standup, shift, shifts, nights, rota, stack, repo, branch, branches, cluster,
        service, api, subscription, membership, contract, lease, mortgage, policy, school, university, uni, degree,
        phd, thesis, novel, chapter, allotment, garden, house, flat, farm, office, shop, hives, router, boiler,
        licence, license, insurance, visa, passport, clinic, practice, choir, orchestra, band, club, league, church,
        parish, boat, van, car, project, product, clients, customers, suppliers, landlord, tenant"""
    ),
    # How it is said to be.
    "stative": rf"^{_WHO}\s?(?:'s|'re|'m|'ve|\sis|\sare|\sam|\shas|\shave|\sown|\sowns|\suse|\suses|\srun|\sruns|"
    r"\slive|\slives|\swork|\sworks|\skeep|\skeeps|\sspeak|\sspeaks|\splay|\splays|\ssing|\ssings|\steach|\steaches|"
    r"\smanage|\smanages|\slead|\sleads|\sdrive|\sdrives|\stake|\stakes|\seat|\seats|\savoid|\swake|\smeet|\smeets|"
    r"\scost|\scosts|\sweigh|\sweighs|\sstart|\sstarts|\sgoes|\sgo|\sneeds|\swants|\scarries|\swears?|\sstudy|"
    r"\sstudies|\sbelongs?|\scloses?|\sopens?|\ssits?|\sstores?|\sships?|\spays?|\slook after|\slooks after)\b",
    "denial": r"\b(?:can't|cannot|don't|doesn't|won't|isn't|aren't|never|no longer|not|without|n't)\b",
    "change": _any(CHANGED["en"]),
    "decision": _any(
        """settled, settled on, decided, going to be, final answer, sticking with, ruled out, agreed, agreed on, lost,
        wins, won, we chose, we picked, dropping, it's official, off the table, locked in, signed off, went with,
        going with, voted, is final, that's final, opted, scrapped, shelved"""
    ),
    "habit": HABIT,
    "habit word": _any(
        f"""every, always, usually, mostly, mainly, weekly, daily, on {DAY}, weekends, weekdays, each, twice, once a,
        mornings, evenings, alternates, every other, as a rule, normally, tend to, only"""
    ),
    "norm": _any(
        """must, must not, has to be, have to be, is mandatory, mandatory, required, are to be, is to be, forbidden,
        not allowed, under no circumstances, policy, by default, off limits, off-limits, compulsory, at all times,
        need to be, no exceptions, need sign-off, is banned, are banned, a no, always goes, goes first, comes first,
        first then, reviewed by, signed in"""
    ),
    "never ever": _any(
        """never, always, only, ever, no more, going forward, from here on, from now on, in future, by default,
        every single time, every time, without exception, whenever, unless, at all"""
    ),
    "taste": _any(
        """prefer, love, hate, adore, loathe, detest, can't stand, can't bear, fan of, fond of, favourite, favorite,
        rather, over, beats, is my thing, leaves me cold, leave me cold, into, not keen, keen on, no time for, any day,
        dislike, allergic to, a sucker for, not for me, puts me off, drives me, gets on my nerves, my kind of, less so,
        enjoy, appreciated, weakness for, swear by, better than, worse than, hands down, another matter, i trust"""
    ),
    "order of steps": r"\bthen\b.*,|,[^,]{3,60},\s?(?:and\s)?then\b|\bfirst\b.*\b(?:then|last|after)\b|"
    r"\bthe trick is\b|\bhow (?:we|i|to)\b.{2,40}:|\b(?:works?|goes) like this\b|^to [\w ]{3,30}[:,]",
    "label": r"^(?!user|system|assistant)[\w' /-]{2,40}[:=]\s\S",
    "contrast": r",\s(?:not|never|no|but not|rather than)\b|\binstead of\b|\bover\b",
    # How exact it is.
    "number": r"\d",
    "number word": rf"\b{NUMBER_WORD}\b",
    "date": rf"\b{DATE}\b",
    "age": r"\b(?:\d{1,2}|\w+)[- ]years?[- ]old\b|\bturn(?:s|ed|ing)\s(?:\d|\w+ty|\w+teen|six|seven|eight|nine|ten)",
    "name": r"(?-i:(?<=[a-z,:)] )[A-Z][a-z]+\w*)",
    "sharp name": r"(?-i:\b[A-Z][\w]*\d|\b[a-z]+[A-Z]\w|\b[A-Z]{2,}\b)",
    "place": r"\b(?:in|at|near|from|to|outside)\s(?-i:[A-Z])\w+",
    "here": r"\bhere\b(?=[.,!]|$)",
    "brackets": r"\([^)]{2,40}\)",
    # What speaks against it.
    "you": r"\b(?:you|your|you're|you'll|u)\b",
    "request": _any(
        """please, can you, could you, would you, help, looking for, would like, i'd like, i need, i want, i wanted,
        need to, want to, trying to, let's, let me, show me, find me, tell me, give me, i'll, i will, we'll, book,
        remind me, search, check, could use, interested in, we need, we want, want, need, wish, gonna"""
    ),
    "task": _opens(
        """write, give, find, make, book, set, show, tell, suggest, draft, translate, convert, compare, generate,
        explain, play, search, reserve, buy, get, change, reformat, send, add, remove, walk, correct, check, list,
        call, look, try, see, do, go, put, take, let, summarise, summarize, rewrite, create, read, open, order, pick,
        wait, forget, assume, say, imagine, print, fix, run, keep, use, start, stop, turn, cut, move, schedule,
        remind, describe, transfer, confirm, select, cancel, leave, outline, rate, design, calculate, count, rank, sort,
        define, solve, plan, help, think, pretend, recommend, analyse, analyze, name, choose, sketch, simplify, merge,
        delete, replace, rename, refactor, test, update, insert, review, proofread, edit, email, text, post"""
    ),
    "reaction": _opens(
        """yes, yeah, no, nope, ok, okay, great, perfect, thanks, thank, thx, cool, nice, good, fine, sounds, sure,
        wow, lol, haha, hmm, got it, awesome, alright, right, correct, exactly, not, maybe, oh, hi, hello, hey, bye,
        you're, wonderful, excellent, sorry, testing, please, just, well, and, or, so, because, cheers, too"""
    ),
    "opinion": _any(
        """think, guess, hope, wonder, feel, seems, seem, looks, sounds, reckons, bet, imagine, supposed, convinced,
        weird, nice, great, good, perfect, terrible, funny, awful, amazing, beautiful, interesting, works for, fun,
        lovely, fine, helpful, ok, okay, idea"""
    ),
    "passing": _any(
        """today, tonight, right now, this morning, this afternoon, this evening, tomorrow, at the moment, just now,
        a second, yesterday, quick, soon, for now, this time, currently, here, later, last night, next, on my way,
        percent so, just went, minute, minutes"""
    ),
    "passing state": _any(
        """tired, hungry, bored, stuck, lost, confused, cold, hot, late, broken, crashed, fails, failing, error, slow,
        busy, ready, done, excited, nervous, happy, sad, upset, going, heading, waiting, starving, asleep"""
    ),
    "text at hand": _any(
        """this, paragraph, sentence, code, function, error, essay, text, version, step, line, list, file, output,
        answer, question, exercise, example, problem, the second, the first, the last one, that one, this one, title,
        tone, draft, option, result, table, page, word, joke, tweet, lyrics, argument, story"""
    ),
    "unreal": _any(
        """would, could, might, if, wish, let's say, sake of argument, imagine, pretend, once upon a time, had i,
        were to, suppose, hypothetical, according to, they say, people say, dream, dreamt, rumour, character,
        protagonist, claims, reads, once saw, given an, given a, apparently, says, said, told, asked, wrote,
        heard, whether"""
    ),
    "booking": BOOKING,
    "narrated": _any(
        "went, saw, ate, watched, came, met, told, asked, made, ran, heard, found, was, were, did, tried, spent, had"
    ),
    "general truth": r"^(?:an?\s)?(?!(?:my|our|i|we|the|mum|dad)\b)[a-z]+s?\s(?:are|is|can|turns?|comes?|means?|makes?|"
    r"causes?|contains?)\b(?!.*\b(?:my|our|us|me|we|i)\b)",
    "exclaims": r"!",
    "asks": r"\?",
    # How long it is.
    "short": r"^\S+(?:\s\S+){0,2}$",
    "brief": r"^\S+(?:\s\S+){3,5}$",
    "long": r"^\S+(?:\s\S+){24,}",
    "told aside": _any(
        """btw, fyi, by the way, for the record, just so you know, heads up, note, reminder, for context, background,
        in case that matters, in case it matters, incidentally, update, psa, context,
        just letting you know, one thing to know"""
    ),
    "corrected": _opens(CORRECTED["en"]),
    # Ways of putting it that say much by themselves.
    "i am": r"^(?:i'm|i am|im|we're|we are)\s(?:an?|in|at|on|from|based|off|into|more of|not an?|now|with|\d|both|all|"
    rf"the|obsessed|allergic|married|left|{DIET})\b",
    "i do": r"^(?:i|we)\s(?:(?:only|mostly|still|don't|do not|can't|cannot|never|also|always|usually|now|barely|really|"
    r"just)\s)*(?:live|work|weigh|take|speak|play|own|run|teach|study|sleep|eat|drink|drive|wear|sing|commute|rent|"
    r"farm|read|write|cook|grow|wake|get up|start|finish|host|sell|ship|deploy|store|swear|drop|look after|care for|"
    r"share|keep|use|smoke|fly|cycle|swim|train|paint|manage|lead|report to|volunteer|coach|collect|build|have|hate|"
    r"love|prefer|like|enjoy|plan on|intend|follow|celebrate|support|write|merge|squash-merge|bill|pay|earn)\b",
    "i did": r"^(?:i've|we've|i have|we have|i|we)\s(?:just\s|finally\s|recently\s|also\s)?(?:been|got|moved|switched|"
    r"sold|bought|adopted|had to|passed|failed|quit|left|joined|started|signed|rented|hired|retired|upgraded|migrated|"
    r"grew up|was born|were married|finished|chose|decided|agreed|dropped|given|enrolled|took up|taught|spent|lost)\b",
    "order": r"^(?:please\s|and\s|also\s)?(?:always|never|stop \w+ing|avoid|no \w+|only|under no|don't ever|no more)\b",
    "order at the end": r"^(?!(?:i|we|you|it|that|he|she|they)\b)[\w ,'-]{2,40}\s(?:always|only|never|please|first)\b",
    "reported": r"^(?:[\w']+\s){1,5}?(?:always\s|once\s|just\s)?(?:said|says|claims?|claimed|reports|reported|reckons|"
    r"argues|wrote|writes|asked|told|thinks)\b",
    "waved off": r"^(?:never ?mind|only this once|just this once|this once|not (?:now|that|right|today|yet)|"
    r"no worries)\b",
    "hearsay": r"\b(?:according to|apparently|they say|people say|character|protagonist|once upon)\b",
    "at hand": r"\b(?:this|that|the (?:second|first|last|other|third)) (?:one|version|paragraph|time|option|"
    r"place|draft)\b",
    "of the moment": r"\b(?:today|tonight|right now|at the moment|for now|this (?:morning|afternoon|evening))\b",
    "struggle": r"\b(?:having (?:trouble|issues|problems|difficulty)|struggling|trying to|figur\w+ out|not sure|"
    r"stuck on|here's|here is|here are|working on (?:a|an|this|the) (?:problem|function|exercise))\b",
    "code": r"^(?=\w+_\w)\w++\s?[:=]|^\w+ = |^(?-i:SELECT|INSERT|UPDATE)\b|[#]\s|--\s",
    "secret": r"\b(?:password|passphrase|token|api key|secret key)\b",
    "someone": r"^an?\s(?:\w+\s){1,3}(?:has|have|is|walks|had|was|are|buys|sells|goes)\b",
    "impersonal": r"^(?!.*\b(?:i|i'm|i've|my|me|mine|we|we're|we've|our|ours|us|mum|dad|here)\b)",
    "to the listener": _opens("you, you've, you're, your, you'd, u"),
    "trip": r"\b(?:leaving|returning|return|flying|depart\w*|travel+ing|trip|vacation|pick(?:ing)? (?:it|me|up|the)|"
    r"drop(?:ping)? off|in total|speaker|genre|direct(?:or|ed)|dine|dining|rent a|stay(?:ing)?|heading|movie|music|"
    r"of (?:march|this month)|(?:march|next \w+day|this week)\b|for (?:\d|two|three|four) people|o\"?clock|"
    r"bed ?rooms?|calendar|bath|calm|songs?|dentist|cuisine|food|haircut|stylist|transfer|price|cheap|expensive|"
    r"(?:the|its) (?:date|time|name|location|title|place|city|address|cost)\b|reserv\w+|sports?|game|vs|account)\b",
}

ENOUGH = 1.5
"""A statement that weighs more is remembered: with what bars one, that is right nine times in ten."""
CONFIDENCE = 0.56

_AGAINST = frozenset({"to the listener", "asks", "reported", "waved off", "secret", "booking", "someone"}) | frozenset(
    {"hearsay", "at hand", "code", "struggle"}
)
"""Whatever else it shows, a statement with one of these is left."""
_ONE_OFF = frozenset({"task", "vague subject", "trip", "short", "of the moment"})
"""A statement with one of these is left, unless it shows one of the others, too."""
_LASTING = frozenset(
    {"never ever", "order", "norm", "taste", "contrast", "habit", "change", "decision", "told aside", "label", "health"}
)
_OURS = (_LASTING - {"never ever"}) | frozenset(
    {"attribute", "kin", "dropped subject", "order at the end", "order of steps", "job", "language", "age"}
)
"""What concerns nobody here and shows none of these is a truth of the world."""


def signs(text: str) -> frozenset[str]:
    """The signs that `text` shows."""
    opening = compiled(r"\s*(?:user\s?:\s*|(?-i:[A-Z][a-z]+):\s+(?=(?-i:[A-Z])))?").match(text)
    said = text[opening.end() :] if opening else text
    return frozenset(name for name, pattern in SIGNS.items() if compiled(pattern).search(said))


def weighed(text: str) -> Rule | None:
    """How to remember a statement that no rule knows, or None where it weighs too little."""
    shown = signs(text)
    if barred(shown) or weight(shown) <= ENOUGH:
        return None
    kind = _kind(shown)
    # "Never thought I'd say this", "only my sister knows" sound like orders, and tell nobody to do anything.
    if kind is Kind.RULE and "norm" not in shown and not is_instruction(text):
        return None
    return _STATEMENTS[kind]


def barred(shown: frozenset[str]) -> bool:
    """Whether a statement with these signs is left, whatever it weighs."""
    one_off = shown & _ONE_OFF and not shown & _LASTING
    of_the_world = "impersonal" in shown and not shown & _OURS
    return bool(shown & _AGAINST or one_off or of_the_world)


def weight(shown: frozenset[str]) -> float:
    """The weight of a statement with these signs: the more, the likelier it is worth remembering."""
    # Summed exactly: the order of a set must not decide what lies on the border.
    return round(fsum((BIAS, *(WEIGHTS[name] for name in shown))), 3)


def _kind(shown: frozenset[str]) -> Kind:
    if "order of steps" in shown:
        return Kind.PROCEDURE
    if shown & {"norm", "order"} or ("never ever" in shown and not shown & {"i", "we", "mine", "third person"}):
        return Kind.RULE
    if "decision" in shown and shown & {"we", "i did", "vague subject"}:
        return Kind.DECISION
    return Kind.PREFERENCE if "taste" in shown else Kind.FACT


_IMPORTANCE = {Kind.RULE: 0.75, Kind.PREFERENCE: 0.6, Kind.DECISION: 0.62, Kind.PROCEDURE: 0.6, Kind.FACT: 0.5}
_STATEMENTS = {
    kind: Rule(name=f"statement.{kind.value}", pattern="", kind=kind, importance=importance, confidence=CONFIDENCE)
    for kind, importance in _IMPORTANCE.items()
}

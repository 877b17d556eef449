"""Slots of English statements: the old and the new way of saying something name the same subject and attribute."""

from __future__ import annotations

from cortex.languages.pack import Fill, RuleMatch, Slot, compiled

PROJECT = "project"
"""The subject of a deadline, a launch or a budget that is nobody's in particular."""

_DETERMINERS = r"(?:(?:my|our|the|this|that|his|her|their|a|an|new|current|latest|overall|total|average|final|own)\s+)+"
# What is measured or dated, as the last words of a noun phrase: "Atlas deadline", "API response time".
_MEASURES = """
deadline|due date|launch date|release date|start date|end date|go-live date|go-live|launch|
release|kickoff|budget|response time|load time|word count|test coverage|code coverage|
coverage|accuracy|score|price|rent|salary|weight|height|age|version|port|url|address|
capacity|limit|timeout|latency|uptime|error rate|conversion rate|hourly rate|rate|size|
headcount|phone number|email address|email|owner|maintainer|status|password|goal|target|
cost|revenue|turnover|page count|name
"""
_PROJECT_MEASURES = frozenset(
    "deadline,due date,launch date,release date,start date,end date,go-live date,go-live,launch,release,kickoff,budget,"
    "response time,test coverage,code coverage,coverage,latency,uptime,error rate,conversion rate,version,headcount,"
    "load time,revenue,page load time".split(",")
)
_SAME = {
    "due date": "deadline",
    "launch": "launch date",
    "release": "release date",
    "go-live": "go-live date",
    "code coverage": "test coverage",
    "coverage": "test coverage",
    "email address": "email",
}
_IRREGULAR = {
    "people": "person",
    "children": "child",
    "women": "woman",
    "men": "man",
    "kids": "kid",
    "series": "series",
}


def thing(phrase: str) -> str:
    """A noun phrase as a subject: without articles and owners, folded; `Atlas project` is `project atlas`."""
    bare = _bare(phrase)
    return f"project {bare.removesuffix(' project')}" if bare.endswith(" project") else bare


def _bare(phrase: str) -> str:
    folded = " ".join(phrase.casefold().replace("’", "'").split()).strip(" .,;:!?\"'")
    found = compiled(_DETERMINERS).match(folded)
    return folded[found.end() :] if found else folded


def property_of(phrase: str, otherwise: str = "value") -> tuple[str, str]:
    """The subject and the attribute a noun phrase names: `the deadline for Atlas` and `Atlas's deadline` alike."""
    folded = _bare(phrase)
    head, link, owner = folded.partition(" of ")
    if not link:
        head, link, owner = folded.partition(" for ")
    if link and _is_measure(head):
        return thing(owner), _attribute(head)
    if measured := compiled(rf"(?:(?P<owner>.+?)(?:'s?)? )??(?P<head>{_flat(_MEASURES)})$").match(folded):
        head, owner = measured["head"], thing(measured["owner"] or "")
        if owner:
            return owner, _attribute(head)
        if head in _PROJECT_MEASURES:
            return PROJECT, _attribute(head)
    return thing(phrase), otherwise


def _is_measure(head: str) -> bool:
    return bool(compiled(rf"(?:{_flat(_MEASURES)})$").match(head))


def _attribute(head: str) -> str:
    return _SAME.get(head, head)


def _flat(words: str) -> str:
    return words.replace("\n", "")


def singular(noun: str) -> str:
    """The noun counted: `sources` → `source`."""
    folded = noun.casefold()
    if folded in _IRREGULAR:
        return _IRREGULAR[folded]
    if folded.endswith("ies") and len(folded) > 4:
        return f"{folded[:-3]}y"
    if folded.endswith(("sses", "shes", "ches", "xes")):
        return folded[:-2]
    return folded[:-1] if folded.endswith("s") and not folded.endswith("ss") else folded


def counted(match: RuleMatch) -> Slot:
    """How many of `noun` there are of `thing`, or of the speaker."""
    owner = thing(match["thing"]) or match.me
    return Slot(owner, f"{singular(_last_nouns(match['noun']))} count", match["value"])


def done(match: RuleMatch) -> Slot:
    """How many of `noun` the speaker has done."""
    return Slot(match.me, f"{_last_nouns(match['noun'])} {match['verb'].casefold()}", match["value"])


def _last_nouns(phrase: str) -> str:
    return " ".join(phrase.casefold().split()[-3:])


def measured() -> Fill:
    """The property that the group `thing` names, or else the one its unit tells."""

    def fill(match: RuleMatch) -> Slot:
        value = _measure(match["value"])
        subject, attribute = property_of(match["thing"], _told_by_unit(value))
        return Slot(subject, attribute, value)

    return fill


def dated(match: RuleMatch) -> Slot:
    """When the group `thing` is; what is due has a deadline."""
    due = compiled(r"\bdue\b").search(match.match.group())
    subject, attribute = property_of(match["thing"], "deadline" if due else "date")
    return Slot(subject, attribute, match["value"])


_UNITS = (
    (r"\d\s?(?:ms|milliseconds?|s|secs?|seconds?)\b", "response time"),
    (r"\d\s?(?:min\w*|hours?|h|days?|weeks?|months?)\b", "duration"),
    (r"%|percent", "rate"),
    (r"\d\s?(?:kg|kilos?|lbs?|pounds)\b", "weight"),
    (r"[$€£¥]|dollars|euros?|usd|eur\b", "amount"),
)
_AFTERTHOUGHT = r"(?<!\s)\s+(?:as of|after|since|now|using|because|with|so far|on|from|for|and|but|thanks|at|in)\b"


def _told_by_unit(value: str) -> str:
    return next((attribute for unit, attribute in _UNITS if compiled(unit).search(value)), "value")


def _measure(value: str) -> str:
    """The measure alone: `220 ms`, not `220 ms after caching`."""
    after = compiled(_AFTERTHOUGHT).search(value)
    return value[: after.start()] if after else value


def attribute_of_mine(match: RuleMatch) -> Slot:
    """`my <attribute>`: of the speaker, unless it is a property of something of theirs."""
    subject, attribute = property_of(match["thing"], "")
    if not attribute or subject == thing(match["thing"]):
        return Slot(match.me, thing(match["thing"]), match["value"])
    return Slot(subject, attribute, match["value"])


def named(match: RuleMatch) -> Slot:
    """The name of someone of the speaker's; of friends and colleagues there are many, so it replaces nothing."""
    whose = match["whose"].casefold()
    many = any(word in whose for word in ("friend", "colleague", "worker", "neighbo", "cousin", "teammate", "contact"))
    return Slot(f"{match.mine} {whose}", "" if many else "name", match["value"])


def favourite(match: RuleMatch) -> Slot:
    return Slot(match.me, f"favourite {thing(match['thing'])}", match["value"])


def of(subject: str) -> Fill:
    """About the group `subject`; it fills no slot."""
    return lambda match: Slot(thing(match[subject]))


def related(attribute: str) -> Fill:
    return lambda match: Slot(thing(match["thing"]), attribute, match["value"])


def somebody(match: RuleMatch) -> Slot:
    return Slot(f"{match.mine} {match['whose'].casefold()}")

"""Slots of English statements: the old and the new way of saying something name the same subject and attribute."""

from __future__ import annotations

from cortex.languages.pack import Fill, Heard, Slot, compiled

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


def counted(heard: Heard) -> Slot:
    """How many of `noun` there are of `thing`, or of the speaker."""
    owner = thing(heard["thing"]) or heard.me
    return Slot(owner, f"{singular(_last_nouns(heard['noun']))} count", heard["value"])


def done(heard: Heard) -> Slot:
    """How many of `noun` the speaker has done."""
    return Slot(heard.me, f"{_last_nouns(heard['noun'])} {heard['verb'].casefold()}", heard["value"])


def _last_nouns(phrase: str) -> str:
    return " ".join(phrase.casefold().split()[-3:])


def measured() -> Fill:
    """The property that the group `thing` names, or else the one its unit tells."""

    def fill(heard: Heard) -> Slot:
        value = _measure(heard["value"])
        subject, attribute = property_of(heard["thing"], _told_by_unit(value))
        return Slot(subject, attribute, value)

    return fill


def dated(heard: Heard) -> Slot:
    """When the group `thing` is; what is due has a deadline."""
    due = compiled(r"\bdue\b").search(heard.match.group())
    subject, attribute = property_of(heard["thing"], "deadline" if due else "date")
    return Slot(subject, attribute, heard["value"])


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


def attribute_of_mine(heard: Heard) -> Slot:
    """`my <attribute>`: of the speaker, unless it is a property of something of theirs."""
    subject, attribute = property_of(heard["thing"], "")
    if not attribute or subject == thing(heard["thing"]):
        return Slot(heard.me, thing(heard["thing"]), heard["value"])
    return Slot(subject, attribute, heard["value"])


def named(heard: Heard) -> Slot:
    """The name of someone of the speaker's; of friends and colleagues there are many, so it replaces nothing."""
    whose = heard["whose"].casefold()
    many = any(word in whose for word in ("friend", "colleague", "worker", "neighbo", "cousin", "teammate", "contact"))
    return Slot(f"{heard.mine} {whose}", "" if many else "name", heard["value"])


def favourite(heard: Heard) -> Slot:
    return Slot(heard.me, f"favourite {thing(heard['thing'])}", heard["value"])


def of(subject: str) -> Fill:
    """About the group `subject`; it fills no slot."""
    return lambda heard: Slot(thing(heard[subject]))


def related(attribute: str) -> Fill:
    return lambda heard: Slot(thing(heard["thing"]), attribute, heard["value"])


def somebody(heard: Heard) -> Slot:
    return Slot(f"{heard.mine} {heard['whose'].casefold()}")

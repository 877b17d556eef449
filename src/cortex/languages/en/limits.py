"""How English limits what is said: to a stretch of time, or to a project."""

from __future__ import annotations

from cortex.languages.limits import LimitWords

_NOT_VERBS = (
    r"(?:need|speed|feed|seed|weed|bed|red|shed|indeed|hundred|sacred|naked|wicked|united|limited|embed|exceed|proceed"
    r"|succeed|breed|bleed|wed|led|sled)\b"
)
_PAST = (
    r"was|were|had|did|went|got|took|made|came|found|gave|saw|kept|felt|wrote|ran|told|said|became|bought|sold|paid|met"
    r"|lost|won|broke|began|drove|ate|drank|flew|fell|held|heard|knew|sent|spent|stood|taught|thought|wore|caught|chose"
    r"|quit|built|brought|grew|lent|rode|rose|sang|slept|spoke|stole|swam|threw|woke|born|done|been|(?:i|we|he|she"
    r"|they) left"
)
_HELPS = r"(?:am|is|are|'m|'re|'s|be|being|feel|feels|feeling|get|gets|getting|stay|stays|remain|look|looks|seem|seems)"
_NUMBERS = {"one": 1, "a": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10, "couple of": 3, "few": 5}

LIMITS = LimitWords(
    day=r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b(?!'s)",
    week=r"\b(?:(?:all )?this week(?:end)?|tomorrow|all week|for a few days|the next few days|these days)\b(?!'s)",
    month=r"\b(?:(?:all )?this month|next week)\b(?!'s)",
    now=r"\b(?:right now|at the moment|for now|for the time being|just now)\b",
    until=(r"\b(?:until|till|'?til|through|up to)\s(?:the\s|next\s|this\s|coming\s){0,2}{}",),
    within=r"\b(?:for|over|during)\s(?:the\s)?(?:next|coming|following)\s{}",
    days={"tomorrow": 1, "today": 0, "tonight": 0, "tomorrow night": 1, "tomorrow evening": 1},
    weekdays=("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    months=(
        "january, jan", "february, feb", "march, mar", "april, apr", "may", "june, jun", "july, jul", "august, aug",
        "september, sept, sep", "october, oct", "november, nov", "december, dec",
    ),
    of=r"(?:st|nd|rd|th)?,?\s(?:of\s)?",
    spans={
        "week": r"(?:(?:the )?end of (?:the|this) week|week(?:'s)? end)",
        "month": r"(?:the )?end of (?:the|this) month",
        "year": r"(?:(?:the )?end of (?:the|this) year|new year(?:'s(?: eve)?)?)",
    },
    numbers=_NUMBERS,
    units={"day": 1, "days": 1, "week": 7, "weeks": 7, "month": 31, "months": 31},
    before=(
        r"(?:(?:please|but|and|also|so|ok|okay|hey|hi|well)[,\s]+){0,3}(?P<only>(?:(?:just|only) )?for |(?:just"
        r"|only) )?"
    ),
    after=r"(?P<alone> (?:only|alone))?(?: please)?\s*[,:;–—-]?\s",
    lasting="from now on, ",
    scope=(
        r"(?:(?:please|but|and|also|so|ok|okay)[,\s]+){0,2}(?:for|in|on|during|throughout|within|inside|(?:when|while)"
        r" (?:we |i |you )?(?:are |'re )?work(?:ing)? (?:on|in)) (?:the |my |our |your )?(?:this |that |our )?"
        r"(?P<about>(?:(?!in\b|of\b|for\b|this\b|that\b)[\w&'-]{1,40} ){0,4}?)"
        r"(?:project|repo|repository|codebase|code ?base|workspace|client|team|campaign|sprint)\b\s?[,:]\s?"
    ),
    stays=(
        r"\b(?:from (?:now|today|this (?:week|month)|tomorrow)|as of|start(?:s|ing)? (?:today|tomorrow|this|next)|since"
        r"|every|each|always|usually|no longer|any ?more|for good|forever|permanently|in (?:a few|a couple of|several"
        r"|two|three|four|five|six|eight|ten|twelve|\d{1,3}|a) (?:weeks?|months?|years?)|next (?:month|year|spring"
        r"|summer|fall|autumn|winter|quarter)|this (?:year|spring|summer|fall|autumn|winter)|in (?:may|march))\b"
        r"|\b(?:19|20)\d\d\b|\b(?:january|february|april|june|july|august|september|october|november|december)\b"
        r"|\b(?:may|march) \d|\b\d{1,2}(?:st|nd|rd|th)\b"
    ),
    happened=rf"\b(?:(?!{_NOT_VERBS})\w{{2,30}}ed|{_PAST})\b",
    state=(
        rf"(?:\b|(?<=\w)){_HELPS}\s(?:(?:not|so|very|too|really|quite|a bit|a little|still|also|all|just|pretty|"
        r"\w+ly)\s){0,2}\w+(?:ed|n|ost|one|eft|out|ound)\b"
        r"|\b(?:the|an?|my|our|your|this|that|his|her|their|no|some|any)\s\w+ed\b|\bbeen \w+ing\b"
        r"|\b(?:need|needs|have|has|want|wants|going|plan|plans|planning|try|trying|hope|hoping|supposed|about|due"
        r"|used) to\b[^.;]{0,200}|\b(?:will|won't|gonna)\b[^.;,]{0,200}|'ll\b[^.;,]{0,200}"
    ),
    life_events=(
        r"\b(?:died|passed away|(?:was|were) born|gave birth|(?:having|expecting) (?:a|our|my) \w+|lost (?:my|our|his"
        r"|her"
        r"|their) (?:job|baby|mother|father|mom|dad|wife|husband|home|house)|(?:was|were|got|been|being|get|gets"
        r"|getting)"
        r" (?:fired|laid off|let go|promoted|diagnosed|hired|accepted|divorced|married|engaged|evicted|arrested)"
        r"|broke up"
        r"|breaking up|split up|separated from|graduat(?:ed|ing|es?)|retir(?:ed|ing|es?)|pregnant|miscarried"
        r"|miscarriage"
        r"|funeral|wedding|heart attack|stroke|bought (?:a|our|my) (?:house|home|flat|apartment)|mov(?:ed|ing|es?)"
        r" (?:to|into|out|in with)|quit(?:ting)? (?:my|his|her|the) job|start(?:ed|ing|s)? (?:a|my|at my) new job"
        r"|came out|birthday|anniversary|turn(?:s|ed|ing) \d{1,3})\b"
    ),
)  # fmt: skip

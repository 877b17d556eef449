"""What the speaker knows, has and can be reached at."""

from __future__ import annotations

from cortex.kinds import Kind
from cortex.languages.en import slots
from cortex.languages.en.phrases import ADV, I_AM, I_DO, I_HAVE, LANGUAGE, NUMBER_WORD, OWNED
from cortex.languages.pack import Rule, about_me

RULES: tuple[Rule, ...] = (
    # Languages, skills, places in time.
    Rule(
        name="fact.language",
        kind=Kind.FACT,
        importance=0.6,
        confidence=0.9,
        pattern=rf"(?:(?:i|we|neither of us|both of us|none of us)\s+{ADV}(?:can\s+)?(?:speaks?|don't speak|know some|"
        rf"read|understand)\s+(?:\w+\s+){{0,3}}?{LANGUAGE}|{I_AM}(?:learning|studying|fluent in|bilingual|"
        rf"native in|a native|taking|practi[sc]ing|trying to learn)\s+(?:\w+\s+){{0,2}}?{LANGUAGE}|"
        rf"{I_DO}(?:learn|study)\s+{LANGUAGE}|{LANGUAGE}\s+is\s+my\s+(?:first|second|third|native|mother|"
        rf"fourth|only)|my\s+(?:native|first|second|mother|home)\s+(?:language|tongue)(?:'s| is)\s|my "
        rf"(?-i:[A-Z])\w+ is (?:at )?(?:level |around |about )?[ABC][12]|i'm (?:at )?(?:level )?[ABC][12]\b|"
        rf"i've been learning\s+{LANGUAGE}).*",
        veto=r"\?\s*$",
    ),
    Rule(
        name="fact.level",
        kind=Kind.FACT,
        importance=0.55,
        confidence=0.8,
        pattern=rf"{I_AM}at\s+(?:level|grade|chapter|an?\s+(?:beginner|intermediate|advanced))\s.*|"
        rf"{I_AM}(?:a\s+(?:complete\s+|total\s+|absolute\s+)?(?:beginner|newbie|novice)|new to)\s.*|"
        rf"{I_DO}(?:have|'ve got)\s+(?:about\s+|over\s+|around\s+|nearly\s+|almost\s+)?(?:{NUMBER_WORD}|"
        rf"\d+)\+?\s+(?:years|months|decades)(?:'| of)?\s.*(?:experience|background|practice)\b.*|i have (?:no|"
        rf"little|some|a lot of) (?:experience|background|formal training)\b.*",
        veto=r"\?\s*$",
    ),
    Rule(
        name="fact.timezone",
        kind=Kind.FACT,
        importance=0.62,
        confidence=0.9,
        fill=about_me("time zone"),
        pattern=r"(?:my|our)\s+time ?zone(?:'s| is)\s+(?P<value>[^,;.!?\n]{2,40})|(?:i'm|i am|we're|we are)\s+(?:in|"
        r"on)\s+(?P<value2>(?:utc|gmt)[+-]?\d*|cet|cest|est|edt|pst|pdt|cst|ist|jst|(?:pacific|eastern|central|"
        r"mountain)(?: standard)? time)\b.*",
    ),
    Rule(
        name="fact.contact",
        kind=Kind.FACT,
        importance=0.62,
        confidence=0.9,
        fill=slots.attribute_of_mine,
        pattern=r"(?:my|our)\s+(?P<thing>(?:[\w-]+\s+){0,2}?(?:e-?mail(?: address)?|phone number|number|mobile|cell|"
        r"address|postcode|zip(?: code)?|handle|username|user name|twitter|github(?: \w+)?|linkedin|website|"
        r"extension|locker number|membership number|customer number|licen[cs]e plate|plate number|passport "
        r"number|shoe size|ring size|dress size|shirt size|size|height|weight|blood type|pin code|room number|"
        r"desk|office|room|locker|iban|ssid|hourly rate|rate|salary|budget|rent|pronouns))(?:'s| is|"
        r":)\s+(?:now\s+)?(?P<value>[^,;!?\n]{2,80})",
        veto=r"\b(?:tight|too|wrong|not|broken|small|high|low|limited)\b|\?\s*$|\bmy number is up\b|"
        r"\bbudget\b.{0,30}\b(?:flight|hotel|trip|per night|dinner)\b",
    ),
    Rule(
        name="fact.changed",
        kind=Kind.FACT,
        importance=0.6,
        confidence=0.86,
        whole=True,
        fill=slots.attribute_of_mine,
        pattern=r"(?:my|our)\s+(?P<thing>[\w' -]{2,40}?)\s+(?:has\s+|have\s+|just\s+|was\s+|"
        r"got\s+)*changed\s*(?:[,:;.–—-]\s*(?:it's|it is|the new one is|now it's|now)|\sto|"
        r"\sfrom\s[^,.;!?]{1,40}\sto)\s+(?:now\s+)?(?P<value>[^,;!?\n]{2,60})",
        veto=r"\bmy mind\b|\?\s*$|\bplans?\b",
    ),
    # Possessions and tools.
    Rule(
        name="fact.weight",
        kind=Kind.FACT,
        importance=0.55,
        confidence=0.88,
        fill=about_me("weight"),
        pattern=rf"(?:i\s+{ADV}weigh|i'm\s+(?:now\s+)?(?:down to|up to)|i weighed in at|i'm\s+(?:now\s+)?at|i "
        rf"am\s+(?:now\s+)?at)\s+(?:about\s+|around\s+)?(?P<value>\d[\d.,]*\s?(?:kg|kilos?|lbs?|pounds|"
        rf"stone))\b.*",
    ),
    Rule(
        name="fact.drive",
        kind=Kind.FACT,
        importance=0.58,
        confidence=0.9,
        pattern=rf"{I_DO}(?:drive|ride)\s+(?:an?|my|the)\s+.{{3,}}|{I_DO}wear\s+(?:an?\s+)?(?:size\s|eu\s|us\s|"
        rf"uk\s)?.{{2,}}",
        veto=r"\b(?:drive (?:a|the) (?:point|lot|change)|every day to|crazy|mad|nuts)\b|\?\s*$",
    ),
    Rule(
        name="fact.owns",
        kind=Kind.FACT,
        importance=0.55,
        confidence=0.82,
        pattern=rf"(?:{I_DO}(?:own|have|bought|inherited|got|rent|lease|keep)|i've got|we've got|{I_HAVE}(?:bought|"
        rf"inherited|got|ordered|purchased))\s+(?:only\s+|just\s+)?(?:an?|two|three|four|\d+|my|our|no|"
        rf"the)\s+{OWNED}\b.*",
        veto=r"\b(?:necessity|preference|located|option)\b|\bfrom (?:march|april)\b|"
        r"\b(?:song|picked up|being)\b|"
        r"\b(?:to rent|rent a car|reserved|rating|for you|for (?:the|my) trip|have a look|phone call|car "
        r"(?:accident|rental)|business (?:meeting|trip|idea|question)|pick ?up|reservation|have no (?:idea|"
        r"clue|time))\b|\?\s*$",
    ),
    Rule(
        name="fact.owns_specific",
        kind=Kind.FACT,
        importance=0.55,
        confidence=0.78,
        pattern=rf"(?:{I_DO}(?:own|only have|have only|bought|recently bought)|i have no|we have no|i don't have (?:a|"
        rf"an)|we don't have (?:a|an)|i don't own|we don't own|i only have|we only have|{I_HAVE}(?:never "
        rf"owned|bought))\s+(?!idea|time|clue|problem|one\b|questions?|preference|money|intention|other|more|"
        rf"plans?|choice|doubt|way|reason|access|experience|tickets?|a (?:clue|preference|question|problem|"
        rf"ticket|minute)|the (?:time|tickets?)|tickets|one|it\b|this\b|that\b|\d+ (?:minutes?|hours?|days?|"
        rf"questions?))[^?]{{3,}}",
        veto=r"\b(?:preference|specific|particular|in mind|questions?|tickets?|idea)\b|\?\s*$",
    ),
    Rule(
        name="fact.uses",
        kind=Kind.FACT,
        importance=0.58,
        confidence=0.85,
        pattern=rf"{I_DO}use\s+(?:only\s+|mainly\s+|a\s+|an\s+|the\s+|my\s+|our\s+)?(?:\ufffc|(?-i:[A-Z])|"
        rf"[\w.+-]+\s+(?:for|as|on|to|in|at|with)\b|[\w.-]*\d).*|{I_AM}(?:using|running|on)\s+(?:an?\s+|"
        rf"the\s+)?(?-i:[A-Z])[\w.+-]*(?:\s+(?-i:[A-Z])?[\w.+-]+)*.*|{I_DO}(?:run|self-host|"
        rf"host)\s+(?-i:[A-Z]).*|{I_DO}(?:develop|program|code|write code|work|build)\s+(?:mostly\s+|mainly\s+|"
        rf"only\s+)?(?:in|with|on)\s+(?-i:[A-Z]).*",
        veto=r"\b(?:use (?:it|this|that|the (?:formula|same|following)|i)\b|to find|but (?:i'm|it)|for this "
        r"(?:problem|example|one)|how (?:do|can|to))|\bon (?:Monday|Tuesday|Wednesday|Thursday|Friday|"
        r"Saturday|Sunday|March|April|May|June|July|Flight|Southwest|United|American|Delta|Alaska)\b|\?\s*$|"
        r"\bon (?:it|The|My)\b",
    ),
)

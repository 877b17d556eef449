"""What the speaker knows, has and can be reached at."""

from __future__ import annotations

from cortex.kinds import Kind
from cortex.languages.en import slots
from cortex.languages.en.phrases import ADV, I_AM, I_DO, I_HAVE, LANGUAGE, NUMBER_WORD, OWNED
from cortex.languages.pack import Rule, about_me

RULES: tuple[Rule, ...] = (
    # Languages, skills, places in time.
    Rule("fact.language", Kind.FACT, 0.6, 0.9).worded(
        rf"(?:(?:i|we|neither of us|both of us|none of us)\s+{ADV}(?:can\s+)?(?:speaks?|don't speak|know some|read|"
        rf"understand)\s+(?:\w+\s+){{0,3}}?{LANGUAGE}|{I_AM}(?:learning|studying|fluent in|bilingual|native in|"
        rf"a native|taking|practi[sc]ing|trying to learn)\s+(?:\w+\s+){{0,2}}?{LANGUAGE}|{I_DO}(?:learn|"
        rf"study)\s+{LANGUAGE}|{LANGUAGE}\s+is\s+my\s+(?:first|second|third|native|mother|fourth|only)|my\s+(?:native|"
        r"first|second|mother|home)\s+(?:language|tongue)(?:'s| is)\s|my (?-i:[A-Z])\w+ is (?:at )?(?:level |around |"
        rf"about )?[ABC][12]|i'm (?:at )?(?:level )?[ABC][12]\b|i've been learning\s+{LANGUAGE}).*",
        veto=r"\?\s*$",
    ),
    Rule("fact.level", Kind.FACT, 0.55, 0.8).worded(
        rf"{I_AM}at\s+(?:level|grade|chapter|an?\s+(?:beginner|intermediate|advanced))\s.*|"
        rf"{I_AM}(?:a\s+(?:complete\s+|total\s+|absolute\s+)?(?:beginner|newbie|novice)|new to)\s.*|"
        rf"{I_DO}(?:have|'ve got)\s+(?:about\s+|over\s+|around\s+|nearly\s+|almost\s+)?(?:{NUMBER_WORD}|"
        rf"\d+)\+?\s+(?:years|months|decades)(?:'| of)?\s.*(?:experience|background|practice)\b.*|i have (?:no|"
        rf"little|some|a lot of) (?:experience|background|formal training)\b.*",
        veto=r"\?\s*$",
    ),
    Rule("fact.timezone", Kind.FACT, 0.62, 0.9, about_me("time zone")).worded(
        r"(?:my|our)\s+time ?zone(?:'s| is)\s+(?P<value>[^,;.!?\n]{2,40})|(?:i'm|i am|we're|we are)\s+(?:in|"
        r"on)\s+(?P<value2>(?:utc|gmt)[+-]?\d*|cet|cest|est|edt|pst|pdt|cst|ist|jst|(?:pacific|eastern|central|"
        r"mountain)(?: standard)? time)\b.*",
    ),
    Rule("fact.contact", Kind.FACT, 0.62, 0.9, slots.attribute_of_mine).worded(
        r"(?:my|our)\s+(?P<thing>(?:[\w-]+\s+){0,2}?(?:e-?mail(?: address)?|phone number|number|mobile|cell|address|"
        r"postcode|zip(?: code)?|handle|username|user name|twitter|github(?: \w+)?|linkedin|website|extension|"
        r"locker number|membership number|customer number|licen[cs]e plate|plate number|passport number|shoe size|"
        r"ring size|dress size|shirt size|size|height|weight|blood type|pin code|room number|desk|office|room|locker|"
        r"iban|ssid|hourly rate|rate|salary|budget|rent|pronouns))(?:'s| is|:)\s+(?:now\s+)?(?P<value>[^,;!?\n]{2,80})",
        veto=r"\b(?:tight|too|wrong|not|broken|small|high|low|limited)\b|\?\s*$|\bmy number is up\b|"
        r"\bbudget\b.{0,30}\b(?:flight|hotel|trip|per night|dinner)\b",
    ),
    Rule("fact.changed", Kind.FACT, 0.6, 0.86, slots.attribute_of_mine, whole=True).worded(
        r"(?:my|our)\s+(?P<thing>[\w' -]{2,40}?)\s+(?:has\s+|have\s+|just\s+|was\s+|"
        r"got\s+)*changed\s*(?:[,:;.–—-]\s*(?:it's|it is|the new one is|now it's|now)|\sto|"
        r"\sfrom\s[^,.;!?]{1,40}\sto)\s+(?:now\s+)?(?P<value>[^,;!?\n]{2,60})",
        veto=r"\bmy mind\b|\?\s*$|\bplans?\b",
    ),
    # Possessions and tools.
    Rule("fact.weight", Kind.FACT, 0.55, 0.88, about_me("weight")).worded(
        rf"(?:i\s+{ADV}weigh|i'm\s+(?:now\s+)?(?:down to|up to)|i weighed in at|i'm\s+(?:now\s+)?at|"
        r"i am\s+(?:now\s+)?at)\s+(?:about\s+|around\s+)?(?P<value>\d[\d.,]*\s?(?:kg|kilos?|lbs?|pounds|stone))\b.*",
    ),
    Rule("fact.drive", Kind.FACT, 0.58, 0.9).worded(
        rf"{I_DO}(?:drive|ride)\s+(?:an?|my|the)\s+.{{3,}}|{I_DO}wear\s+(?:an?\s+)?(?:size\s|eu\s|us\s|uk\s)?.{{2,}}",
        veto=r"\b(?:drive (?:a|the) (?:point|lot|change)|every day to|crazy|mad|nuts)\b|\?\s*$",
    ),
    Rule("fact.owns", Kind.FACT, 0.55, 0.82).worded(
        rf"(?:{I_DO}(?:own|have|bought|inherited|got|rent|lease|keep)|i've got|we've got|{I_HAVE}(?:bought|inherited|"
        rf"got|ordered|purchased))\s+(?:only\s+|just\s+)?(?:an?|two|three|four|\d+|my|our|no|the)\s+{OWNED}\b.*",
        veto=r"\b(?:necessity|preference|located|option)\b|\bfrom (?:march|april)\b|\b(?:song|picked up|being)\b|"
        r"\b(?:to rent|rent a car|reserved|rating|for you|for (?:the|my) trip|have a look|phone call|car (?:accident|"
        r"rental)|business (?:meeting|trip|idea|question)|pick ?up|reservation|have no (?:idea|clue|time))\b|\?\s*$",
    ),
    Rule("fact.owns_specific", Kind.FACT, 0.55, 0.78).worded(
        rf"(?:{I_DO}(?:own|only have|have only|bought|recently bought)|i have no|we have no|i don't have (?:a|an)|"
        rf"we don't have (?:a|an)|i don't own|we don't own|i only have|we only have|{I_HAVE}(?:never owned|"
        r"bought))\s+(?!idea|time|clue|problem|one\b|questions?|preference|money|intention|other|more|plans?|choice|"
        r"doubt|way|reason|access|experience|tickets?|a (?:clue|preference|question|problem|ticket|minute)|the (?:time|"
        r"tickets?)|tickets|one|it\b|this\b|that\b|\d+ (?:minutes?|hours?|days?|questions?))[^?]{3,}",
        veto=r"\b(?:preference|specific|particular|in mind|questions?|tickets?|idea)\b|\?\s*$",
    ),
    Rule("fact.uses", Kind.FACT, 0.58, 0.85).worded(
        rf"{I_DO}use\s+(?:only\s+|mainly\s+|a\s+|an\s+|the\s+|my\s+|our\s+)?(?:\ufffc|(?-i:[A-Z])|"
        rf"[\w.+-]+\s+(?:for|as|on|to|in|at|with)\b|[\w.-]*\d).*|{I_AM}(?:using|running|on)\s+(?:an?\s+|"
        rf"the\s+)?(?-i:[A-Z])[\w.+-]*(?:\s+(?-i:[A-Z])?[\w.+-]+)*.*|{I_DO}(?:run|self-host|"
        rf"host)\s+(?-i:[A-Z]).*|{I_DO}(?:develop|program|code|write code|work|build)\s+(?:mostly\s+|mainly\s+|"
        rf"only\s+)?(?:in|with|on)\s+(?-i:[A-Z]).*",
        veto=r"\b(?:use (?:it|this|that|the (?:formula|same|following)|i)\b|to find|but (?:i'm|it)|for this (?:problem|"
        r"example|one)|how (?:do|can|to))|\bon (?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|March|April|"
        r"May|June|July|Flight|Southwest|United|American|Delta|Alaska)\b|\?\s*$|\bon (?:it|The|My)\b",
    ),
)

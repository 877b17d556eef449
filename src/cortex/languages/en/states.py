"""What there is of a thing, when it is due, how far it has come."""

from __future__ import annotations

from cortex.kinds import Kind
from cortex.languages.en import slots
from cortex.languages.en.phrases import (
    ABOUT,
    BOOKING,
    DATE,
    FRONTED,
    I_HAVE,
    NOUNS,
    NUMBER,
    NUMBER_WORD,
    THING,
    WORD,
)
from cortex.languages.pack import Rule, Slot, about_me

RULES: tuple[Rule, ...] = (
    Rule(
        name="state.moved_date",
        kind=Kind.FACT,
        importance=0.62,
        confidence=0.9,
        fill=slots.dated,
        pattern=rf"(?P<thing>(?:(?:my|our|the)\s+)?{WORD}(?:\s+{WORD}){{0,5}}?)\s+(?:has\s+|have\s+|had\s+|"
        rf"is\s+|was\s+|"
        rf"were\s+|got\s+|gets\s+|'s\s+)?(?:now\s+|just\s+|also\s+|been\s+|finally\s+|actually\s+)*(?:moved|"
        rf"pushed(?: back)?|shifted|changed|postponed|extended|rescheduled|delayed|brought forward|slipped|set|"
        rf"fixed|bumped|scheduled|moving|due|planned|confirmed|booked|slated)\s+(?:back\s+|forward\s+|out\s+|"
        rf"up\s+)?(?:from\s+[^,;.!?]{{2,30}}\s+)?(?:to|for|until|till|on|in|by|"
        rf"at)?\s*(?P<value>(?:(?:the\s+)?{DATE}(?:[ ,]+(?:at\s+)?{DATE})?))(?:\b|$).*",
        veto=r"\bthe (?:date|time|location|return|activity|match|first|vehicle|taxi|procedure|possibility|"
        r"station|one|venue)\b|\bstarting time\b|\bvs\b|\bits way\b|"
        + FRONTED
        + BOOKING
        + r"|\b(?:your|rescheduled? (?:it|my)|i want)\b|\?\s*$",
    ),
    Rule(
        name="state.date",
        kind=Kind.FACT,
        importance=0.62,
        confidence=0.88,
        fill=slots.dated,
        pattern=rf"(?P<thing>(?:my|our|the)\s+{WORD}(?:\s+{WORD}){{0,5}}?|(?:[\w'&-]+\s+){{0,3}}(?:deadline|due date|"
        rf"launch|release|exam|wedding|defen[cs]e|kick-?off|go-live|birthday|anniversary))\s*(?:'s|\sis|\sare|"
        rf"\sfalls|\sstarts|\sstarted|\sbegins|\sends|\sopens|\scloses|\sexpires?|\sexpired|\sruns out|\slands|"
        rf"\sarrives|\sdeparts|\stakes place|\shappens|\swill be|\sships|\slaunches|\sgoes live|\srenews|"
        rf"\swas)\s+(?:in\s+\w+\s+)?(?:now\s+|still\s+|actually\s+|currently\s+|not until\s+)?(?:(?:on|in|at|"
        rf"by|until|for|from|to|due|due on|scheduled for|set for|planned "
        rf"for)\s+)*(?P<value>(?:(?:the\s+)?{DATE}(?:[ ,]+(?:at\s+)?{DATE})?))(?:\b|$).*",
        veto=r"\b(?:music|games?)\b|"
        r"\bthe (?:date|time|location|return|activity|match|first|vehicle|taxi|procedure|possibility|"
        r"station|one|venue)\b|\bstarting time\b|\bvs\b|\bits way\b|"
        + FRONTED
        + BOOKING
        + r"|\b(?:your|probability|chance|ratio|fraction|sum|ace|odds|my answer|meeting starts in|game|store "
        r"hours|rating)\b|\?\s*$",
    ),
    Rule(
        name="state.schedule",
        kind=Kind.FACT,
        importance=0.58,
        confidence=0.85,
        fill=lambda match: Slot(
            slots.thing(match["thing"]), f"{match['verb'].casefold().rstrip('s')} time", match["value"]
        ),
        pattern=rf"(?P<thing>(?:(?:my|our|the)\s+{WORD}|(?-i:[A-Z])[\w-]+)(?:\s+{WORD}){{0,3}}?)\s+(?:now\s+|always\s+|"
        rf"usually\s+|only\s+)?(?P<verb>deploys?|ships?|releases?|meets?|publish(?:es)?|syncs?|builds?|trains?|"
        rf"rehearses?|practi[sc]es?|opens?|closes?|delivers?|restarts?|backs? up|is collected|are collected|is "
        rf"picked up|comes?)\s+(?P<value>(?:only\s+)?(?:on\s+|at\s+|every\s+|each\s+|twice\s+|"
        rf"once\s+)[^,;!?\n]{{2,60}})(?=[,;!?\n]|$).*",
        veto=FRONTED + BOOKING + r"|\?\s*$|\byour\b",
    ),
    Rule(
        name="state.of_us",
        kind=Kind.FACT,
        importance=0.55,
        confidence=0.85,
        pattern=rf"there\s*(?:'s|'re| are| is| were| will be)\s+(?:now\s+|only\s+|about\s+|around\s+|"
        rf"just\s+)?(?:{NUMBER}|\w+)\s+of us\s+(?!going|total|please)\w+.*|there\s+are\s+(?:now\s+|currently\s+|"
        rf"only\s+)?{NUMBER}\s+[\w -]{{3,40}}\s(?:in|on|at)\s+(?:my|our)\b.*",
        veto=r"\b(?:group|staying|party|people total|riding|travell?ing|going|attending)\b|\?\s*$",
    ),
    Rule(
        name="state.count_thing",
        kind=Kind.FACT,
        importance=0.55,
        confidence=0.85,
        fill=slots.counted,
        pattern=rf"(?P<thing>(?:my|our|the)\s+{WORD}(?:\s+{WORD}){{0,4}}?)\s+(?:now\s+|already\s+|currently\s+|"
        rf"only\s+)*(?:has|have|contains|holds|includes|counts|grew to|has grown to|is up to|is down to|"
        rf"reached|has reached|is now|consists of|spans|covers|serves|employs|hit|comes to)\s+(?:now\s+|"
        rf"already\s+|currently\s+|only\s+|grown to\s+)*{ABOUT}(?P<value>\d[\d,.]*(?:\s?(?:million|thousand|"
        rf"k))?|{NUMBER_WORD})\s+(?P<noun>(?!percent|ms\b|am\b|pm\b|years? old|stars?\b|minutes?\b|hours?\b|"
        rf"stops?\b|days? ago|bedrooms?|bathrooms?|degrees)[a-z][\w-]*(?:\s+[a-z][\w-]*s)?)\b.*",
        veto=r"\bgroup\b|\btotal\b|"
        + FRONTED
        + BOOKING
        + r"|\b(?:rated|code|function|problem|question|triangle|array|venue|house)\b|\?\s*$",
    ),
    Rule(
        name="state.have_count",
        kind=Kind.FACT,
        importance=0.52,
        confidence=0.82,
        fill=slots.counted,
        pattern=rf"(?:we|i|we've|i've)\s+(?:now\s+|already\s+|currently\s+|only\s+)*(?:have|got|had|employ|serve|"
        rf"manage|run|support|maintain|expect|are expecting|host)\s+(?:now\s+|already\s+|currently\s+|only\s+|"
        rf"got\s+)*{ABOUT}(?P<value>\d[\d,.]*(?:\s?(?:million|thousand|k))?|"
        rf"{NUMBER_WORD})\s+(?P<noun>(?!percent|ms\b|am\b|pm\b|minutes?\b|hours?\b|questions?\b|problems?\b|"
        rf"tickets?\b|options?\b|tabs?\b|people coming|errors?\b|stops?\b|bags?\b|passengers?\b|more\b|"
        rf"things?\b|seconds?\b|pieces\b|weeks? (?:left|off)|coins?|cards?|dice|"
        rf"marbles)[a-z][\w-]*(?:\s+[a-z][\w-]*s)?)\b.*",
        veto=r"\b(?:suggestions?|apartments?|matches|hits|salons?|restaurants?|cars|options?|of them|"
        r"dates)\b|"
        r"^i(?:'ve| have)?\b.{0,20}\bpeople\b|"
        + BOOKING
        + r"|\b(?:tonight|riding|luggage|left to|minutes|day leave|for you|hotels|houses|places|match|person|"
        r"10)\b|\?\s*$",
    ),
    Rule(
        name="state.saved",
        kind=Kind.FACT,
        importance=0.52,
        confidence=0.85,
        fill=about_me("savings"),
        pattern=rf"{I_HAVE}(?:now\s+)?saved\s+(?:up\s+)?{ABOUT}(?P<value>[$€£¥]\s?\d[\d,.]*k?)\b.*",
    ),
    Rule(
        name="state.done",
        kind=Kind.FACT,
        importance=0.52,
        confidence=0.85,
        fill=slots.done,
        pattern=rf"{I_HAVE}(?:now\s+)?(?P<verb>completed|finished|solved|read|written|visited|collected|saved|run|"
        rf"logged|signed up|published|recorded|secured|earned|reached|practi[sc]ed|translated|reviewed|closed|"
        rf"fixed|shipped|sold|lost|gained|walked|cycled|knitted|learned|memori[sz]ed|drafted|submitted|"
        rf"interviewed|onboarded|hit|added|tested|raised|donated|"
        rf"planted)\s+{ABOUT}(?P<value>[$€£¥]?\d[\d,.]*(?:\s?(?:%|km|kg|miles|million|thousand|k\b))?|"
        rf"{NUMBER_WORD})(?:\s+(?:of|out of)\s+(?:the\s+|my\s+|our\s+)?(?:\d+\s+)?)?\s*(?P<noun>{NOUNS})\b.*",
        veto=r"\b(?:apartments|restaurants|hotels)\b|" r"\b(?:more|another|extra|additional)\s+\w+|\?\s*$",
    ),
    Rule(
        name="project.runs_on",
        kind=Kind.FACT,
        importance=0.6,
        confidence=0.86,
        fill=slots.related("platform"),
        pattern=rf"{THING}\s+(?:now\s+|currently\s+|all\s+|still\s+)?(?:runs? on|is hosted (?:on|at|by|with)|are "
        rf"hosted on|is deployed (?:on|to|with|via)|is built (?:with|on|in)|is written in|are written in|is "
        rf"based on|is powered by)\s+(?:top of\s+)?(?P<value>[^,;!?\n]{{2,60}}?)(?=\s+(?:and|but|behind|"
        rf"because|so|since|with)\b|[,;!?\n]|\.(?:\s|$)|$).*",
        veto=r"\bvs\b|^starts\b|" r"\?\s*$|^(?:it|that|this|movie|film)\b",
    ),
    Rule(
        name="state.measure_changed",
        kind=Kind.FACT,
        importance=0.55,
        confidence=0.85,
        fill=slots.measured(),
        pattern=rf"(?P<thing>(?:(?:my|our|the)\s+)?{WORD}(?:\s+{WORD}){{0,6}}?)\s+(?:has\s+|have\s+|had\s+|"
        rf"is\s+|are\s+|"
        rf"was\s+|'s\s+|got\s+)?(?:now\s+|just\s+|also\s+|been\s+|already\s+|actually\s+|only\s+)*(?:going up|"
        rf"going down|goes up|goes down|rising|dropping|increasing|increased|decreased|improved|dropped|fell|"
        rf"fallen|risen|rose|grew|grown|gone up|gone down|went up|went down|jumped|climbed|raised|reduced|cut|"
        rf"lowered|shrunk|shrank|doubled|changed|down|up|moved|sped up|slowed|reached|hit|stands|sits|hovers|"
        rf"answers|responds|takes|costs|lasts|weighs|measures|runs|pays?|"
        rf"bumped)\s+(?:now\s+)?(?:from\s+[^,;.!?]{{1,30}}?\s+)?(?:to|at|by|around|in|about|"
        rf"on)?\s*{ABOUT}(?P<value>[$€£¥]?\d[\d,.]*(?:\s?(?:%|percent|ms|s|sec\w*|min\w*|hours?|days?|weeks?|"
        rf"months?|km|kg|gb|mb|tb|million|thousand|k|words|users|people|requests|euros?|dollars|pounds|degrees|"
        rf"p per \w+|[a-z]{{2,12}}))?|{NUMBER_WORD}\s+\w+)(?:\b|(?<=%)|$).*",
        veto=r"\b(?:total|wind|humidity|reservation|rain)\b|"
        + FRONTED
        + BOOKING
        + r"|\b(?:population|water|earth|planet|probability|triangle|card|coin|dice|your|answer|rental|rent is|"
        r"want)\b|\?\s*$",
    ),
    Rule(
        name="state.raised",
        kind=Kind.FACT,
        importance=0.55,
        confidence=0.84,
        fill=slots.measured(),
        pattern=rf"(?:{I_HAVE}(?:had to\s+|managed to\s+|just\s+)?(?:increased|decreased|improved|raised|raise|"
        rf"reduced|reduce|cut|lowered|lower|brought|bring|got|pushed|changed|change|bumped|bump|set|moved|move|"
        rf"extended|extend|upgraded|upgrade|updated|downgraded|dropped|drop|grown|grew)\s+)(?P<thing>(?:my|our|"
        rf"the)\s+[^,;.!?\n]{{2,60}}?)\s+(?:from\s+[^,;.!?]{{1,30}}?\s+)?(?:down\s+|up\s+)?(?:to|"
        rf"at)\s+{ABOUT}(?P<value>[^,;!?\n]{{0,10}}\d(?:[\d,.]*\d)?[^,;!?\n]{{0,30}}|{DATE}).*",
        veto=r"\?\s*$|\b(?:reservation|booking|flight|alarm|timer)\b",
    ),
    Rule(
        name="state.measure",
        kind=Kind.FACT,
        importance=0.55,
        confidence=0.84,
        fill=slots.measured(),
        pattern=r"(?P<thing>(?:(?:my|our|the)\s+)?(?:[\w'&/-]+\s+){0,5}?(?:deadline|budget|response time|load time|"
        r"word count|coverage|accuracy|price|rent|salary|weight|height|version|port|capacity|limit|timeout|"
        r"latency|uptime|error rate|open rate|conversion rate|churn|rate|size|headcount|goal|target|cost|"
        r"revenue|turnover|pot|balance sheet|score|average|pace|mileage|usage|quota|fee|extension|window|"
        r"interval|retention|threshold|resting heart rate|heart rate|pressure|mortgage|allowance|subscription|"
        r"stock|inventory|grade|gpa|rank|ranking|elevation|dose|dosage)(?:\s+(?:for|"
        r"of)\s+[^,;.!?\n]{2,50}?)?)\s*(?:'s|\sis|\sare|\swas)\s+(?:now\s+|currently\s+|still\s+|"
        r"actually\s+|about\s+|around\s+|set\s+)*(?:at\s+|to\s+|down to\s+|up "
        r"to\s+)?(?P<value>[$€£¥]?\d(?:[\d,.]*\d)?[^,;!?\n]{0,30}).*",
        veto=r"^(?!my\b|our\b).*\b(?:rent|price|cost|fee|fare)\b.{0,20}\d|\bbaths?\b|"
        + FRONTED
        + BOOKING
        + r"|\b(?:your|their|its|dinner|per night|room|per month|total price|total cost|the (?:limit|length|"
        r"word count|size)|the (?:cost|price|rent|fee|total|average|rate|balance|score) is)\b|\?\s*$",
    ),
)

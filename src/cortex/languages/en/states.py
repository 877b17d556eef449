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
    Rule("state.moved_date", Kind.FACT, 0.62, 0.9, slots.dated).worded(
        rf"(?P<thing>(?:(?:my|our|the)\s+)?{WORD}(?:\s+{WORD}){{0,5}}?)\s+(?:has\s+|have\s+|had\s+|is\s+|was\s+|"
        r"were\s+|got\s+|gets\s+|'s\s+)?(?:now\s+|just\s+|also\s+|been\s+|finally\s+|actually\s+)*(?:moved|"
        r"pushed(?: back)?|shifted|changed|postponed|extended|rescheduled|delayed|brought forward|slipped|set|fixed|"
        r"bumped|scheduled|moving|due|planned|confirmed|booked|slated)\s+(?:back\s+|forward\s+|out\s+|"
        r"up\s+)?(?:from\s+[^,;.!?]{2,30}\s+)?(?:to|for|until|till|on|in|by|"
        rf"at)?\s*(?P<value>(?:(?:the\s+)?{DATE}(?:[ ,]+(?:at\s+)?{DATE})?))(?:\b|$).*",
        veto=r"\bthe (?:date|time|location|return|activity|match|first|vehicle|taxi|procedure|possibility|"
        r"station|one|venue)\b|\bstarting time\b|\bvs\b|\bits way\b|"
        + FRONTED
        + BOOKING
        + r"|\b(?:your|rescheduled? (?:it|my)|i want)\b|\?\s*$",
    ),
    Rule("state.date", Kind.FACT, 0.62, 0.88, slots.dated).worded(
        rf"(?P<thing>(?:my|our|the)\s+{WORD}(?:\s+{WORD}){{0,5}}?|(?:[\w'&-]+\s+){{0,3}}(?:deadline|due date|launch|"
        r"release|exam|wedding|defen[cs]e|kick-?off|go-live|birthday|anniversary))\s*(?:'s|\sis|\sare|\sfalls|\sstarts|"
        r"\sstarted|\sbegins|\sends|\sopens|\scloses|\sexpires?|\sexpired|\sruns out|\slands|\sarrives|\sdeparts|"
        r"\stakes place|\shappens|\swill be|\sships|\slaunches|\sgoes live|\srenews|\swas)\s+(?:in\s+\w+\s+)?(?:now\s+|"
        r"still\s+|actually\s+|currently\s+|not until\s+)?(?:(?:on|in|at|by|until|for|from|to|due|due on|scheduled for|"
        rf"set for|planned for)\s+)*(?P<value>(?:(?:the\s+)?{DATE}(?:[ ,]+(?:at\s+)?{DATE})?))(?:\b|$).*",
        veto=r"\b(?:music|games?)\b|\bthe (?:date|time|location|return|activity|match|first|vehicle|taxi|procedure|"
        r"possibility|station|one|venue)\b|\bstarting time\b|\bvs\b|\bits way\b|"
        + FRONTED
        + BOOKING
        + r"|\b(?:your|probability|chance|ratio|fraction|sum|ace|odds|my answer|meeting starts in|game|store "
        r"hours|rating)\b|\?\s*$",
    ),
    Rule(
        "state.schedule",
        Kind.FACT,
        0.58,
        0.85,
        lambda match: Slot(slots.thing(match["thing"]), f"{match['verb'].casefold().rstrip('s')} time", match["value"]),
    ).worded(
        rf"(?P<thing>(?:(?:my|our|the)\s+{WORD}|(?-i:[A-Z])[\w-]+)(?:\s+{WORD}){{0,3}}?)\s+(?:now\s+|always\s+|"
        rf"usually\s+|only\s+)?(?P<verb>deploys?|ships?|releases?|meets?|publish(?:es)?|syncs?|builds?|trains?|"
        rf"rehearses?|practi[sc]es?|opens?|closes?|delivers?|restarts?|backs? up|is collected|are collected|is "
        rf"picked up|comes?)\s+(?P<value>(?:only\s+)?(?:on\s+|at\s+|every\s+|each\s+|twice\s+|"
        rf"once\s+)[^,;!?\n]{{2,60}})(?=[,;!?\n]|$).*",
        veto=FRONTED + BOOKING + r"|\?\s*$|\byour\b",
    ),
    Rule("state.of_us", Kind.FACT, 0.55, 0.85).worded(
        rf"there\s*(?:'s|'re| are| is| were| will be)\s+(?:now\s+|only\s+|about\s+|around\s+|"
        rf"just\s+)?(?:{NUMBER}|\w+)\s+of us\s+(?!going|total|please)\w+.*|there\s+are\s+(?:now\s+|currently\s+|"
        rf"only\s+)?{NUMBER}\s+[\w -]{{3,40}}\s(?:in|on|at)\s+(?:my|our)\b.*",
        veto=r"\b(?:group|staying|party|people total|riding|travell?ing|going|attending)\b|\?\s*$",
    ),
    Rule("state.count_thing", Kind.FACT, 0.55, 0.85, slots.counted).worded(
        rf"(?P<thing>(?:my|our|the)\s+{WORD}(?:\s+{WORD}){{0,4}}?)\s+(?:now\s+|already\s+|currently\s+|"
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
    Rule("state.have_count", Kind.FACT, 0.52, 0.82, slots.counted).worded(
        r"(?:we|i|we've|i've)\s+(?:now\s+|already\s+|currently\s+|only\s+)*(?:have|got|had|employ|serve|manage|run|"
        r"support|maintain|expect|are expecting|host)\s+(?:now\s+|already\s+|currently\s+|only\s+|"
        rf"got\s+)*{ABOUT}(?P<value>\d[\d,.]*(?:\s?(?:million|thousand|k))?|{NUMBER_WORD})\s+(?P<noun>(?!percent|ms\b|"
        r"am\b|pm\b|minutes?\b|hours?\b|questions?\b|problems?\b|tickets?\b|options?\b|tabs?\b|people coming|errors?\b|"
        r"stops?\b|bags?\b|passengers?\b|more\b|things?\b|seconds?\b|pieces\b|weeks? (?:left|off)|coins?|cards?|dice|"
        r"marbles)[a-z][\w-]*(?:\s+[a-z][\w-]*s)?)\b.*",
        veto=r"\b(?:suggestions?|apartments?|matches|hits|salons?|restaurants?|cars|options?|of them|dates)\b|^i(?:'ve|"
        r" have)?\b.{0,20}\bpeople\b|"
        + BOOKING
        + r"|\b(?:tonight|riding|luggage|left to|minutes|day leave|for you|hotels|houses|places|match|person|"
        r"10)\b|\?\s*$",
    ),
    Rule("state.saved", Kind.FACT, 0.52, 0.85, about_me("savings")).worded(
        rf"{I_HAVE}(?:now\s+)?saved\s+(?:up\s+)?{ABOUT}(?P<value>[$€£¥]\s?\d[\d,.]*k?)\b.*",
    ),
    Rule("state.done", Kind.FACT, 0.52, 0.85, slots.done).worded(
        rf"{I_HAVE}(?:now\s+)?(?P<verb>completed|finished|solved|read|written|visited|collected|saved|run|"
        rf"logged|signed up|published|recorded|secured|earned|reached|practi[sc]ed|translated|reviewed|closed|"
        rf"fixed|shipped|sold|lost|gained|walked|cycled|knitted|learned|memori[sz]ed|drafted|submitted|"
        rf"interviewed|onboarded|hit|added|tested|raised|donated|"
        rf"planted)\s+{ABOUT}(?P<value>[$€£¥]?\d[\d,.]*(?:\s?(?:%|km|kg|miles|million|thousand|k\b))?|"
        rf"{NUMBER_WORD})(?:\s+(?:of|out of)\s+(?:the\s+|my\s+|our\s+)?(?:\d+\s+)?)?\s*(?P<noun>{NOUNS})\b.*",
        veto=r"\b(?:apartments|restaurants|hotels)\b|" r"\b(?:more|another|extra|additional)\s+\w+|\?\s*$",
    ),
    Rule("project.runs_on", Kind.FACT, 0.6, 0.86, slots.related("platform")).worded(
        rf"{THING}\s+(?:now\s+|currently\s+|all\s+|still\s+)?(?:runs? on|is hosted (?:on|at|by|with)|are "
        rf"hosted on|is deployed (?:on|to|with|via)|is built (?:with|on|in)|is written in|are written in|is "
        rf"based on|is powered by)\s+(?:top of\s+)?(?P<value>[^,;!?\n]{{2,60}}?)(?=\s+(?:and|but|behind|"
        rf"because|so|since|with)\b|[,;!?\n]|\.(?:\s|$)|$).*",
        veto=r"\bvs\b|^starts\b|" r"\?\s*$|^(?:it|that|this|movie|film)\b",
    ),
    Rule("state.measure_changed", Kind.FACT, 0.55, 0.85, slots.measured()).worded(
        rf"(?P<thing>(?:(?:my|our|the)\s+)?{WORD}(?:\s+{WORD}){{0,6}}?)\s+(?:has\s+|have\s+|had\s+|is\s+|are\s+|was\s+|"
        r"'s\s+|got\s+)?(?:now\s+|just\s+|also\s+|been\s+|already\s+|actually\s+|only\s+)*(?:going up|going down|"
        r"goes up|goes down|rising|dropping|increasing|increased|decreased|improved|dropped|fell|fallen|risen|rose|"
        r"grew|grown|gone up|gone down|went up|went down|jumped|climbed|raised|reduced|cut|lowered|shrunk|shrank|"
        r"doubled|changed|down|up|moved|sped up|slowed|reached|hit|stands|sits|hovers|answers|responds|takes|costs|"
        r"lasts|weighs|measures|runs|pays?|bumped)\s+(?:now\s+)?(?:from\s+[^,;.!?]{1,30}?\s+)?(?:to|at|by|around|in|"
        rf"about|on)?\s*{ABOUT}(?P<value>[$€£¥]?\d[\d,.]*(?:\s?(?:%|percent|ms|s|sec\w*|min\w*|hours?|days?|weeks?|"
        r"months?|km|kg|gb|mb|tb|million|thousand|k|words|users|people|requests|euros?|dollars|pounds|degrees|"
        rf"p per \w+|[a-z]{{2,12}}))?|{NUMBER_WORD}\s+\w+)(?:\b|(?<=%)|$).*",
        veto=r"\b(?:total|wind|humidity|reservation|rain)\b|"
        + FRONTED
        + BOOKING
        + r"|\b(?:population|water|earth|planet|probability|triangle|card|coin|dice|your|answer|rental|rent is|"
        r"want)\b|\?\s*$",
    ),
    Rule("state.raised", Kind.FACT, 0.55, 0.84, slots.measured()).worded(
        rf"(?:{I_HAVE}(?:had to\s+|managed to\s+|just\s+)?(?:increased|decreased|improved|raised|raise|"
        rf"reduced|reduce|cut|lowered|lower|brought|bring|got|pushed|changed|change|bumped|bump|set|moved|move|"
        rf"extended|extend|upgraded|upgrade|updated|downgraded|dropped|drop|grown|grew)\s+)(?P<thing>(?:my|our|"
        rf"the)\s+[^,;.!?\n]{{2,60}}?)\s+(?:from\s+[^,;.!?]{{1,30}}?\s+)?(?:down\s+|up\s+)?(?:to|"
        rf"at)\s+{ABOUT}(?P<value>[^,;!?\n]{{0,10}}\d(?:[\d,.]*\d)?[^,;!?\n]{{0,30}}|{DATE}).*",
        veto=r"\?\s*$|\b(?:reservation|booking|flight|alarm|timer)\b",
    ),
    Rule("state.measure", Kind.FACT, 0.55, 0.84, slots.measured()).worded(
        r"(?P<thing>(?:(?:my|our|the)\s+)?(?:[\w'&/-]+\s+){0,5}?(?:deadline|budget|response time|load time|word count|"
        r"coverage|accuracy|price|rent|salary|weight|height|version|port|capacity|limit|timeout|latency|uptime|"
        r"error rate|open rate|conversion rate|churn|rate|size|headcount|goal|target|cost|revenue|turnover|pot|"
        r"balance sheet|score|average|pace|mileage|usage|quota|fee|extension|window|interval|retention|threshold|"
        r"resting heart rate|heart rate|pressure|mortgage|allowance|subscription|stock|inventory|grade|gpa|rank|"
        r"ranking|elevation|dose|dosage)(?:\s+(?:for|of)\s+[^,;.!?\n]{2,50}?)?)\s*(?:'s|\sis|\sare|\swas)\s+(?:now\s+|"
        r"currently\s+|still\s+|actually\s+|about\s+|around\s+|set\s+)*(?:at\s+|to\s+|down to\s+|"
        r"up to\s+)?(?P<value>[$€£¥]?\d(?:[\d,.]*\d)?[^,;!?\n]{0,30}).*",
        veto=r"^(?!my\b|our\b).*\b(?:rent|price|cost|fee|fare)\b.{0,20}\d|\bbaths?\b|"
        + FRONTED
        + BOOKING
        + r"|\b(?:your|their|its|dinner|per night|room|per month|total price|total cost|the (?:limit|length|"
        r"word count|size)|the (?:cost|price|rent|fee|total|average|rate|balance|score) is)\b|\?\s*$",
    ),
)

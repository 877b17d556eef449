"""What English pronouns may stand for, and how it names days relative to today."""

from __future__ import annotations

from cortex.languages.en.instruction_grammar import ACTS
from cortex.languages.pack import ReferenceWords

_KIN = (
    r"(?:mom|mum|mother|dad|father|sister|brother|wife|husband|partner|spouse|son|daughter|cousin|aunt|uncle|"
    r"grandmother|grandfather|grandma|grandpa|niece|nephew|girlfriend|boyfriend|fianc[eé]e?|friend|colleague|coworker|"
    r"boss|manager|mentor|supervisor|neighbou?r|roommate|landlord|teacher|doctor|therapist|coach)"
)
_PEOPLE = (
    rf"(?:{_KIN}|kid|child|baby|dog|cat|puppy|kitten|pet|man|woman|guy|girl|boy|person|client|customer|professor|vet|"
    r"student|member|parent)"
)
_WORDS = r"(?:[a-z][\w-]{1,20}\s){0,2}?[a-z][\w-]{1,20}"
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "a couple of": 2, "a couple": 2,
}  # fmt: skip
_TIMES = (
    r"(?:past\s)?(?:week|weekend|month|year|summer|winter|spring|fall|autumn|season|semester|term|quarter|morning|"
    rf"afternoon|evening|time|day|moment|point|way|{'|'.join(_WEEKDAYS)}|january|february|march|april|may|june|july|"
    r"august|september|october|november|december)s?"
)
_EXPLETIVE = (
    r"'s\sbeen\b|\shas\sbeen\b|(?:'s|'ll be|'d be|\sis|\swas|\swill be|\sfeels|\sfelt)?\s(?:so\s|really\s)?(?:hard|"
    r"easy|easier|harder|tough|difficult|important|clear|time|worth|possible|impossible|great to|nice to|good to|"
    r"raining|snowing|cold|hot|late|early|takes|took|turns out|turned out|seems|seemed|looks like|comes to|came to)\b"
    r"|'s\s(?:(?-i:[A-Z])|just\s(?:me|us|my|our)\b)"
)
_ENDS = r"(?=[.,!?;)]|$|\s(?:and|but|so|too|again|up|out|back)\b)"
_GOES_ON = (
    r"(?=[.,!?;)]|$|\s(?:and|but|so|or|to|for|with|in|on|at|from|by|because|when|while|after|before|since|as|if|last|"
    r"next|yesterday|today|now|too|all|every|again|together|myself|up|out|down|back|into|over)\b)"
)
_IS = r"(?='s|'re|'ve|'d|'ll|\s(?:is|are|was|were|has|have|had|will|would|can|could|made|makes|helped|helps|gives)\b)"
_KNOWN = (
    r"(?:event|trip|place|game|show|movie|film|book|song|concert|party|workshop|meeting|session|course|class|program|"
    r"group|project|painting|drawing|tournament|competition|race|conference|festival|ceremony|exhibition|review|"
    r"conversation|experience|situation|process|setback|article|story|artist|author|guy|man|woman|people|stuff|thing|"
    r"one)s?"
)
_POINTED = (
    r"(?:(?:the|that)\s(?:(?:next|last|other|whole|same|first|second|upcoming|entire|final|"
    rf"actual)\s)?{_KNOWN}(?=[.,!?;:]|$|\s(?:is|are|was|were|has|had|will|would|went|and|but|so|to|really|helped|made|"
    r"makes|gave|gives|last|yesterday|today|because|when|since|too|again|as|next|this)\b)"
    rf"|(?:these|those)\s(?!{_TIMES}\b)(?!(?:who|of|in|with|from)\b)[a-z]{{3,30}})"
)
"""A thing that was named elsewhere: nothing behind it says which one is meant."""
_PLACING = (
    r"(?:because of|to|in|on|at|by|with|without|from|for|about|around|until|till|since|before|after|during|between|"
    r"every|per|once|twice)"
)
_ADDING = (
    rf"(?:(?:only|just|never|always|not)(?=\s(?:{_PLACING}|the)\b)|(?:mostly|mainly|usually|normally|"
    r"especially|particularly|sometimes|rarely|often|probably|maybe|apart|except|besides)|"
    rf"{_PLACING})"
)
_SAYS = (
    r"(?:i|we|you|he|she|it|they|this|that|these|those|there|who|which|am|is|are|was|were|be|been|have|has|had|do|does|"
    r"did|will|would|can|could|should|must|(?-i:may)|might|got|went|took|made|came|gave|saw|said|told|felt|kept|won|"
    r"left|lost|met|spent|bought|taught|thought|found|ran|sold|paid|wrote|want|need|think|know|like|love|live|work|eat|"
    rf"drink|feel|people|please|from now on|\w{{2,}}ed|(?<=\s)(?!morning|evening)\w{{2,}}ing|{ACTS})\b"
    r"|\b(?:the|an?|my|our|his|her|their|your|every|each|no|everyone|everybody|someone|nobody)\s(?:[\w-]+\s){0,3}?"
    r"\w+s\s\w|(?<=\s)(?-i:[A-Z]\w+)\s\w+s\b"
)
"""Any sign that words may be a sentence of their own."""

ENGLISH = ReferenceWords(
    vague=(
        rf"{_POINTED}|(?:it|it's|it'd|it'll|that|that's|this|these|those|they|they're|they've|they'd|he|he's|she|she's|"
        r"him|his|her|them|their|its|mine|ours|one of (?:them|these|those)|both of them|the (?:latter|former|same|"
        r"other one))(?=\s|,|$)"
    ),
    plain=(
        r"(?:it's|it is|it was)\s(?:been\s(?!(?:a\s(?:great|good|nice|big|huge|fun|real)\s|so\s|really\s|super\s|great|"
        r"amazing|awesome|rewarding|helpful|fun|incredible))|my|our|clear|hard|important|about|almost|nearly)\b"
        r"|it\s(?:takes|took)\s(?:me|us|my|our|him|her|them)\b"
        r"|(?:this|that)\s(?:past\s)?(?:week|weekend|month|year|summer|winter|spring|fall|autumn|morning|evening|"
        rf"{'|'.join(_WEEKDAYS)})\b|that\si\b|her\s(?-i:[A-Z])|this\s(?:is|will be)\smy\sfirst\b"
        r"|they(?:'ve|\shave)?\s(?:just\s|now\s|also\s)?(?:moved|pushed|rescheduled|postponed|delayed|shifted|"
        r"cancel(?:l)?ed|changed|raised|lowered|extended|shortened)\s(?:my|our|the|(?-i:[A-Z])[\w-]{0,20}'s)\s"
    ),
    fragment=rf"(?!.*(?:(?<!\w)(?:{_SAYS})|'\w)){_ADDING}(?:,?\s[^\s.!?;:]+){{1,9}}[.!]*$",
    leaning=(
        r"(?!.*\b(?:please|pls|from now on|always|never)\b)"
        r"\W{0,3}(?:(?:it|they|she|he|that)(?:'?(?:s|ve|re|d|ll))?|its|him|her|them|same|both|neither|but|so|plus|though|"
        rf"then|instead|otherwise|maybe|probably|{_PLACING}|(?:start|end|open|close|cost|get|go|goe|come|run|doe|need|"
        r"want|work|live|leave|arrive|take|pay|finishe)s|starting|ending|going|has|is|was|are|were|\$?\d[\d.,:/-]*)"
        r"(?=[\s,]|$)(?!\s(?:far|good|what|long)\b)"
    ),
    person=r"(?:he|she)(?P<tail>'s|'d|'ll|)\b",
    someone=(
        rf"\b(?:my|our)\s(?:[a-z-]{{2,20}}\s){{0,2}}{_KIN}\b(?:,?\s(?-i:[A-Z][\w'-]{{1,20}}))?"
        r"|(?-i:(?<=\s)[A-Z][a-z]{2,20})\b(?=,?\s(?:who|my|is my|was my))"
    ),
    thing=r"it(?P<tail>'s|'d|'ll|)\b",
    something=(
        rf"^(?:my|our)\s{_WORDS}(?=\s(?:is|was|has|had|will|runs|uses|takes|costs|needs|starts|ends|got|went|now)\b)"
        r"|\b(?:bought|adopted|built|wrote|started|joined|launched|rented|signed|have|has|own|use|using|made|painted|"
        rf"created|got|read|finished)\s(?P<new>(?:an?|my|our|the)\s{_WORDS})(?=[.,!]|$|\s(?:called|named|for|from|in|"
        r"at|with|on|last|this|that)\b)"
    ),
    several=(
        r"\b(?P<new>(?:my|our|the|two|three|four|five|six|some|several|\d{1,3})\s(?:[a-z][\w-]{1,20}\s){0,2}"
        r"[a-z][\w-]{1,20}[a-rt-z]s)(?=[.,!]|$|\s(?:in|at|for|from|with|on|are|were|have|and|that|who|last|this)\b)"
    ),
    mine=r"mine\b",
    shared=(
        r"(?<!do )(?<!does )(?<!did )\b(?:an?|the|your|his|her|their)\s"
        r"(?P<noun>(?:[\w-]{2,20}\s){0,2}?[a-z][\w-]{2,20})"
        r"(?=[.,!?]|$|\s(?:from|in|for|at|on|by|with|to|when|while|if|before|after|that|which|is|was|and|or)\b)"
    ),
    my="My",
    greets=(
        r"(?:(?:hey|hi|hello|yeah|yes|yep|oh|wow|so|well|actually|anyway|also|and|but|btw|by the way|fyi|thanks|okay|"
        r"ok|sure|no|guess what|in the meantime|honestly)(?:[,!]?\s(?-i:[A-Z][a-z]{2,15}))?(?:[,!:]|\s[-–])\s){0,2}"
        r"(?:(?:so much has happened |a lot has happened )?since (?:we|our) last (?:talk|spoke|chat|met)[a-z]{0,3}"
        r"(?:,|\s-)?\s)?"
    ),
    joined=r"we(?:'[a-z]{2})?\s",
    capital=r"i\b|(?-i:[A-Z][a-z]*[A-Z])",
    own=frozenset({"my", "our"}),
    the="the",
    inner=(
        rf"\b(?:(?P<thing>(?<!make\s)(?<!made\s)(?<!got\s)(?<!get\s)(?<!call\s)it(?!{_EXPLETIVE})"
        r"|(?<=made\s|make\s)it(?=[.,!]|$|\s(?:for|in|with|at|by|myself|last|on|from)\b|\sto\s(?:show|remind|help|"
        r"express|represent|give|celebrate|honou?r|remember|mark|capture|raise)\b)"
        rf"|this{_IS}"
        rf"|that{_ENDS}|(?:the\sother|another|that|this|an?\s[a-z]{{2,12}})\sone"
        r"|(?:(?<=been\s|have\s|made\s|want\s|need\s)|(?<=got\s|had\s))one(?=[.,!;]|$|\s(?:'?cause|because|too|and|"
        r"but)\b))"
        rf"|(?P<here>this{_GOES_ON})"
        rf"|(?P<things>they|them|(?:these|those){_GOES_ON})"
        rf"|(?P<pointed>{_POINTED})"
        r"|(?P<person>he|she|him)"
        r"|(?P<whose>his|her|their)(?=\s[a-z])"
        r"|(?P<place>there)(?!\s(?:is|are|was|were|has|have|had|will|would|may|might|can)\b|'))\b"
    ),
    bounds=(
        r"[,;:()–—]|\s-|-\s|\s(?:and|but|so|or|because|'?cause|cuz|when|while|after|before|since|until|if|which|who|"
        r"that|where|to|then|though|although|as|how)\s"
    ),
    nouns=(
        r"\b(?:an?|the|my|our|his|her|its|their|your|some|any|each|every|another|these|those|two|three|four|five|six|"
        r"several|many|both|new|different|other|own|\d[\d,.]{0,9})\s(?!(?:lot|bit|while|few|little|couple|way|day|"
        rf"time)\b)(?!{_PEOPLE}\b)[a-z]{{2}}"
        r"|(?-i:(?<=\s)[A-Z]\w)|\b[a-z]{3,20}(?:ing|tion|ment|ity|ics)\b|^[a-z]{3,20}\s(?:is|are|was|were|has|have)\b"
        r"|\b(?:love|like|enjoy|use|play|teach|study|do|did|tried|started|watch|read|eat|prefer|hate)d?\s[a-z]{4}"
    ),
    people=(
        rf"\b{_PEOPLE}s?\b|\b(?:children|women|men|parents|someone|somebody|people|team|family|fam|crew|band|group|"
        r"her)\b"
        r"|(?-i:(?<=[a-z,]\s)[A-Z][a-z])"
        r"|^(?-i:[A-Z][a-z]{2,20})(?='s|\s(?:is|was|has|and|said|told|works|lives|wants|loves|got|moved|gave|"
        r"[a-z]{3,20}(?<!ne)ed)\b)(?<!ly)(?<!just)(?<!also)(?<!never)"
    ),
    points=rf"\b(?:this|these|those|such|the\ssame|the\sother)\s(?!{_TIMES}\b)(?P<noun>[a-z][\w-]{{2,30}})",
    listener=r"\b(?:(?P<owner>your)|you)\b(?!'|\sknow\b|\sguys\b|\sall\b|\s(?:can|never|have to|need to)\b)",
    owned="{}'s",
    relative=(
        r"\b(?:(?P<day>yesterday|tomorrow|today|tonight|last night|the day before yesterday|the day after tomorrow)"
        rf"|(?P<which>last|next|this(?: past| coming)?)\s(?P<weekday>{'|'.join(_WEEKDAYS)}|mon|tues?|wed|thurs?|"
        r"fri|sat|sun)"
        r"|(?P<side>last|next|this)\s(?P<span>week|weekend|month|year)"
        rf"|(?P<number>\d{{1,2}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
        r"\s(?P<unit>day|weekend|week|month|year)s?\sago)\b(?!\s?\()"
    ),
    days={
        "yesterday": -1, "last night": -1, "tomorrow": 1, "today": 0, "tonight": 0, "the day before yesterday": -2,
        "the day after tomorrow": 2,
    },
    weekdays=_WEEKDAYS,
    behind=frozenset({"last", "this past"}),
    sides={"last": -1, "next": 1, "this": 0},
    numbers=_NUMBERS,
)  # fmt: skip

"""Lists of English words and patterns, by the names in `cortex.languages.lists`."""

from __future__ import annotations

_LEADING = (
    r"(?:(?:specific|particular|exact|precise|main|key|other|any|some|all|kinds?|types?|sorts?|of|the|my|your|our|"
    r"his|her|their|its|a|an)\s+)*"
)
_NOUNS = r"((?:[\w'-]+\s+){1,4}?)"
_END = r"(?:of|to|from|behind|for|in|on|about|with|that|which|who|where|when|between|during|at|by|i|we|you)\b"

_ENDS = (
    r"(?:cancel(?:l)?ed|fell through|(?:pulled|dropped|backed|bailed|bowed) out|bailed|collapsed|turned (?:me|us) down|"
    r"rejected (?:me|us)|declined|(?:is|was|got|is now|was already) (?:sold out|booked (?:up|out|solid)|fully booked|"
    r"(?:double|over)[- ]?booked|unavailable|off sick|closed|out of stock|called off|cancel(?:l)?ed|discontinued|taken|"
    r"gone)|sold out|(?:can't|couldn't|won't be able to) (?:make it|come|do it)|(?:didn't|hasn't|won't|"
    r"doesn't) (?:work|"
    r"come|pan|happen|go|fit)(?:ed)?(?: out| through| together| ahead)?|broke down|quit|resigned|retired|left)"
)
_INSTEAD = r"\b(?:instead|now|so|in the end)\b|[,;:] (?:we|i|it|he|she|they)\b"
_TOOK = (
    r"(?:choosing|chose|chosen|picked|picking|went with|gone with|going with|go with|decided on|settled on|settling on|"
    r"opted for)"
)
_WHOLE = r"(?=\s*(?:$|[,;.!?(]|\b(?:for|because|since|after|as|so|and|but|in the end|this|last|on|at)\b))"
_OF_LATE = r"(?:have|has|had|just|finally|recently|actually|already|also|now|then)"

_REPLACED = "\n".join(
    (
        # "Hobson's canceled on us, so …"
        r"(?:^|(?<=[,;:.!] )|(?<=\bbut )|(?<=\bas ))(?:(?:so|well|sadly|unfortunately|ugh|oh no)\b,? )?"
        rf"([^,;:.!?]{{2,60}}?)\s(?:{_OF_LATE}\s){{0,2}}{_ENDS}\b(?: on (?:me|us))?([^,;:.!?]{{0,40}}?)"
        rf"(?=[,;:.!]|\bso\b|\band\b).*?(?:{_INSTEAD})",
        # "We swapped the Rofco for a Tom Chandley", "I traded the CB500 in for …"
        r"\b(?:swapped|traded|replaced|exchanged|ditched|dropped|dumped|switched|swapping|replacing)\s"
        r"(?:in |out |up )?((?!from\b|to\b|shifts\b)[^,;:.!?]{1,50}?)\s(?:in |out |off |over )?"
        r"(?:for|with|in favou?r of)\s",
        # "I switched from Notion to Obsidian", "My doctor switched me from …"
        r"\b(?:switched|moved|migrated|changed|went|transferred|transitioned)\s(?:(?:me|us)\s|over\s|away\s|"
        r"(?:all |everything |my |our )[\w ]{0,30}?)?from\s([^,;:.!?]{1,50}?)\s(?:over )?to\s(?!\d)",
        # "We ended up with butcher block rather than quartz"
        r"\b(?:(?:ended up|in the end|finally|eventually)\b|"
        + _TOOK
        + r"\b)[^;:.!?]{2,80}?\b(?:rather than|instead of|"
        r"and not)\s(?:with |to |in |for |the )?([^,;:.!?]{2,40}?)" + _WHOLE,
        r"\b(?:choosing|chose|chosen|picked|picking)\b[^,;:.!?]{2,60}?\bover\s([^,;:.!?]{2,40}?)" + _WHOLE,
        # "Priya's no longer at Acme, she's at Globex now"
        r"(?:'s|'re|'m|\bis|\bare|\bam|\bhas|\b(?=no longer))\s?no longer\s([^,;:.!?]{2,50}?)(?=[,;:.!?]|\s(?:and|"
        r"but|so|because|since)\b|$)",
        r"\b(?:is|are|am|do|does)(?:n't| not)\s([^,;:.!?]{2,50}?)\s(?:any ?more|any longer)\b",
        r"\b(?:stopped|quit|gave up|given up|left|dropped out of|resigned from|moved out of|moved away from)\s"
        r"([^,;:.!?]{2,40}?)(?=[,;:.!]|\s(?:and|so|but)\b).{0,60}\b(?:now|instead)\b",
    )
)
_ANOTHER_VALUE = (
    # "The exam is on the 14th, not the 12th"
    r"\S[^,;:.!?]*(?:[.:]\d[^,;:.!?]*)?,\s(?:and\s)?(?:not|instead of|rather than)\s(?:on\s|at\s|in\s|"
    r"from\s)?(?!just\b|only\b|"
    r"really\b|sure\b|that\b|because\b|to\b|yet\b|as\b|a fan\b|even\b|too\b|so\b|very\b)([^,;:!?]{1,40}?)(?=[,;!?]|"
    r"\.(?:\s|$)|$)"
)

LISTS = {
    "approves": (
        r"\W*(?:(?:yes|yeah|okay|ok|sure|great|thanks|well|oh|wow)[,!]? )?(?:(?:that|this|it|these|those|"
        r"your \w+)(?: all| both)? )?"
        r"(?:(?:sounds?|looks?|seems?|works?|works out) (?:(?:really|so|very|pretty|quite|just|all|totally|"
        r"super) )?(?:good|great|"
        r"fine|nice|lovely|perfect|awesome|amazing|wonderful|fantastic|excellent|helpful|useful|reasonable|fair|fun|"
        r"doable|"
        r"manageable|right|interesting|promising|exciting|ideal|to me|for me|like (?:(?:a|an|the|"
        r"such a) )?(?:really |very |"
        r"lot of )?(?:plan|good|great|solid|nice|lovely|perfect|fantastic|wonderful|excellent|helpful|useful|"
        r"reasonable|fun|"
        r"smart|practical|effective|right|exactly|it could|it would|it might|it will|something i|what i|just what))"
        r"|makes? (?:(?:a lot of|perfect|total|good) )?sense)\b"
    ),
    "answers the assistant": (
        r"(?!thank(?:s| you) for (?:choosing|contacting|shopping|reaching out|subscribing|ordering|booking|signing|"
        r"being a|"
        r"your (?:interest|purchase|order|booking|application|inquiry|enquiry|business|payment|subscription|"
        r"registration)))"
        r"(?:thanks|thank you|(?:that |this |it |that all |these )?(?:all )?(?:sounds?|looks?) |(?:that|"
        r"this)(?:'s| is| was| all)? (?:makes sense|works|helps|helped|sounds|looks|really|so|very|a|an|great|"
        r"good|perfect|exactly|helpful|fantastic)|great|good (?:idea|point|question|to know|call|catch)|"
        r"perfect|awesome|excellent|wonderful|fantastic|okay|ok|alright|all right|got it|understood|"
        r"makes sense|sure|yes|yeah|yep|cool|nice|wow|interesting|absolutely|definitely|"
        r"i (?:really )?appreciate|i'm glad|i like|you're right|no worries|no problem|fair enough|ha(?:ha)?|"
        r"hmm)\b"
    ),
    "months": (
        "january|february|march|april|june|july|august|september|october|november|december|jan|feb|mar|apr|may|"
        "jun|jul|aug|sept|sep|oct|nov|dec"
    ),
    "weekdays": "monday|tuesday|wednesday|thursday|friday|saturday|sunday",
    "ordinal endings": "st|nd|rd|th",
    "of a month": "of",
    "large numbers": "million|thousand",
    "currencies": "dollars|euros",
    "percent": "percent",
    "durations": "milliseconds?|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?",
    "counts": """
    one/once two/twice three four five six seven eight nine ten eleven twelve/dozen thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty
    """,
    "spans": "second seconds minute minutes hour hours day days week weeks month months year years",
    "bounds": "by above over under below than exceeding",
    "during": "during throughout",
    "contractions": "'d/would 'll/will",
    "continuing": "for in at on of with",
    "referring": "it it's its that that's which they their",
    "ordinals": "first second third fourth fifth sixth seventh eighth ninth tenth final",
    "no single value": (
        "not no never nor and or also too another one either both each every some any if unless when while except only "
        "sometimes often usually mostly maybe perhaps was were had will would could should may might "
        "alternates first second last next previous former old new other"
    ),
    "is": "is",
    "once": "appointment call flight visit trip interview event game match party delivery shift lesson exam",
    "before a time": "on at from until till by before after",
    "before an amount": "is has at to in port version costs takes holds keeps lasts weighs allows after within",
    "done by many": (
        "works leaves departs arrives visits comes goes plays calls meets trains flies travels likes loves uses knows "
        "sells sends posts"
    ),
    "one name": (
        "is is_called is_named is_in is_at is_with is_hosted_in is_hosted_by is_hosted_at is_stored_in is_led_by "
        "is_owned_by belongs_to reports_to"
    ),
    "one place": "lives_in",
    "held by one": "owns leads heads chairs is_responsible_for is_in_charge_of is_accountable_for",
    "the one": "is_the_owner is_the_lead is_the_head is_the_manager",
    "endings of origin": "ian ean ish ese ic man ch",
    "definite": "the my our your this that its his her their",
    "indefinite": "a an another some",
    "before now": "right for until",
    "joining": "and or",
    "clause subjects": "i i'm i've i'd i'll we we've we're my our it it's he she they he's she's the",
    "speaker": "i i've i'm we we've we're",
    "speaker's": "my our",
    "breaking": "but because although though whereas while which who so since if when considering given",
    "other people": """
    he she him her his hers their wife husband partner mother father mom dad sister brother son daughter friend
    neighbor colleague boss cousin uncle aunt roommate
    """,
    "prepositions": "to for with in on at of from about by during before as into without",
    "no denial": "longer anymore only just sure more less than matter want wanna know think understand mind",
    "doers": "i we just",
    "came about": """
    went/out went/live went/down came/out was/released was/shipped was/deployed shipped landed launched crashed failed
    broke arrived
    """,
    "moved to": "to until for",
    "leading to": "to until of is for at",
    "up to": "by of",
    "from then on": "since start begin effective of from",
    "each time": "night/nightly day/daily week/weekly month/monthly year/yearly/annually hour/hourly",
    "stands at": "up/to down/to back/to",
    "out of": "out of",
    "scheduled": "scheduled upcoming next",
    "trying": "try trying",
    "ending": "left quit stopped replaced canceled cancelled no/longer gave/up",
    "replaced": _REPLACED,
    "another value": _ANOTHER_VALUE,
    "takes back": (
        r"(?:^|[.!?;–—-]\s)(?:(?:a|an|one|small|quick|slight|minor|just|sorry|oh|wait|and),?\s){0,3}correction\b|"
        r"\bcorrection:|\b(?:(?:scratch|strike) that|typo|auto-?correct(?:ed)?|i (?:just )?(?:misspoke|misread|"
        r"mistyped|miscounted|misremembered)|(?:wrote|typed|said|got|had) (?:that|it) wrong|i meant|"
        r"i mean(?:t)? to (?:say|write)|"
        r"my mistake|my bad(?=\s*(?:[,;:.!…–—-]|$))|let me correct|to correct myself|i was wrong|wrong (?:date|"
        r"number|name|"
        r"day|time|amount|price|city|year))\b|^(?:edit|oops|whoops)\b"
    ),
    "denies": r"\bnever\b|n't\b|\b(?:not|no|none|nobody|cannot)\b",
    "any": "a an any",
    "kinds": """
    siblings/brother/sister kids/son/daughter/child children/son/daughter/kid pets/dog/cat/puppy/kitten/rabbit/hamster
    spouse/husband/wife allergies/allergic
    """,
    "no longer had": "was were had used former ex sold lost died wish dream future next",
    "first": "my/first our/first",
    "time": "time",
    "for long": "years months since every always often times twice",
    "vague things": """
    mean meant sorry correction typo
    deal sale offer booking reservation gig plan funding appointment position role job place order purchase contract
    trip option idea thing one use work live drive go see have take be get do need going using working living seeing
    taking old ended up end now instead
    """,
    "groups": "team company",
    "the speaker as object": "me us",
    "held or arranged": """
    is are am be have has use run work live stay drive ride fly take go see meet play attend study teach do eat drink
    wear rent buy own keep does book reserve hire order sign enroll choose pick plan adopt arrange schedule agree decide
    start join move paint hold store write send buying bought chose chosen took taken has having will
    """,
    "opens with the speaker": r"(?:i|we)\b",
    "own": r"\b(?:i|i'm|i've|i'll|we|we're|we've|we'll|my|our)\b",
    "after an ending": "to and for with since into in by",
    "having": "have had has own",
    "being": "have own been be",
    "about": "on of about in with for",
    "titles": "mr mrs ms dr prof st",
    "in progress": "i'm am we're are",
    "at a place": "at in near from of",
    "speaking": "i we i've we've have always often to",
    "came to": "managed able had got began started",
    "ahead of": "for about of before considering on",
    "abbreviations": (
        r"dr|mr|mrs|ms|prof|st|jr|sr|e\.g|i\.e|vs|approx|incl|excl|est|dept|ext|aka|no|inc|ltd|co|jan|feb|mar|apr|"
        r"jun|jul|aug|sept?|oct|nov|dec"
    ),
    "attachments": "photo|image|picture|video|audio|voice|file|sticker|gif|attachment",
    "question frame": """
    tell show give provide list explain describe summarize summarise summary overview recap remind mention
    mentioned discuss discussed discussing discussion discussions conversation conversations chat chats said say
    saying talk talked talking told brought bring different various aspect aspects throughout across please walk
    comprehensive complete clear know ask asked item items one two three four five six seven eight nine ten
    """,
    "asks order": r"\bin (?:chronological |the right )?order\b(?! to)|\bthe order (?:in which|of|that)\b",
    "asks summary": r"\b(?:summar(?:y|ies|i[sz]e[sd]?|i[sz]ing)|overview|recap)\b",
    "asks assistant": (
        r"\b(?:did|have|had|were|was)\s+you\b|\byou(?:'d|'ve| had| have)?\s+(?:recommend|suggest|advis|sa(?:id|y)|"
        "propos|mention|explain|provid|giv|gave|show|tell|told|describ|outlin)"
    ),
    "asks to do": r"\b(?:would|could|can|do) you\b",
    "common": """
    day week month year time today tomorrow people person thing things one two three four five six seven eight
    nine ten first last next new good best better great want need like make get go use help question answer ask
    tell say know think find give show see look way something anything everything every always never
    """,
    "months in words": """
    january february march april may june july august september october november december jan feb mar apr jun jul aug
    sep oct nov dec sept
    """,
    "days in words": "monday tuesday wednesday thursday friday saturday sunday tomorrow",
    "numbers in words": """
    one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty
    seventy eighty ninety hundred thousand dozen once twice
    """,
    "times in words": "noon midnight",
    "leans back": (
        r"^\W*(?:and|so|then|but|also|what about|how about)\b|\b(?:it|that|they|them|those|he|she|him|her|there|"
        r"ones|others|instead|then)\b"
    ),
    "kinds of answer": """
    activity type kind way one something thing anything individual people person item event emotion feeling
    genre medium place subject animal color colour name job summary overview plan hobby food movie book song
    game gift city country state town street company school team brand model language tool app device database
    framework library sport instrument dish drink size number amount time day date month year
    """,
    "narrowing": """
    specific particular exact precise main key detailed detail type kind sort any some other certain overall
    general actual full various different feel know provide share
    """,
    # Facts, not advice: "what steps would you suggest" asks for nothing remembered.
    "asked for": "\n".join(
        (
            rf"\b(?:what|which)\s+{_LEADING}{_NOUNS}(?:did|do|does|is|are|was|were|have|has|had)\b",
            rf"\b(?:what|which)\s+(?:is|are|was|were)\s+{_LEADING}{_NOUNS}{_END}",
            rf"\b(?:share|tell me(?: about)?|give me|describe|explain|recall|remind me of)\s+{_LEADING}{_NOUNS}{_END}",
        )
    ),
    "question words": "what|which|who|whom|whose|where|when|why|how",
    "clause ends": "and|but|although|though|while|whereas|because",
    "openers": """
    according additionally after also although another apart as aside based because before besides beyond both
    certain consequently currently despite during earlier either eventually every everyone everything finally
    first following formerly further furthermore generally given however if initially instead last lastly lately
    later many meanwhile moreover most neither nobody nothing now occasionally often one once originally
    otherwise overall perhaps possibly presently previously probably rather recently regarding second several
    similarly since sometimes soon still subsequently that then there thereafter therefore these third this
    those though thus today together two typically unless until usually when whenever whereas while whose within
    without yesterday yet you your
    """,
    "frequent": "always usually generally mostly typically normally regularly",
    "repeated": "every each weekly daily monthly yearly",
    "obliging": "should must ought can able",
    "perfect": "have has had having 've 's",
    "present": "am is are 'm 's 're",
    "future": "will shall 'll",
    "to come": "next tomorrow soon upcoming plan plans planned planning going getting due deadline until",
    "forms of being": "am is are be been being was were 's 're 'm get gets got",
    "user as participant": "i we me us user i'm i've i'd i'll we're we've we'd we'll",
    "user's things": "my our mine ours",
    "before participants": "of by for in on at to with from into onto about near since until over under against",
    "courses": "from to into onto",
    "linking": "and or &",
    "forms of having": "have has had own owns",
    "articles": "a an the",
    "small numbers": "one two three four five",
    "passwords": "password|passwd|passphrase|passcode|pwd",
    "password of": "for|to|of|on|at|in",
    "password is": "is|was",
    "password is now": "now|still|currently|just|set to",
    "past the owner": (
        r"\b(?:when(?:ever)?|if|each time|every time|once)\b[^.\n]{0,30}\b(?:users?|customers?|visitors?)\b|"
        r"\b(?:tell|inform|remind|convince|assure|advise|steer) (?:the )?(?:users?|customers?)\b|\b(?:to|for|dear|"
        r"any|all|every|hey|hello) (?:the )?(?:ai |llm )?(?:assistants?|agents?|chat ?bots?)\b|"
        r"\bai (?:assistants?|agents?)\b|\b(?:assistants?|agents?) reading\b"
    ),
    "machines": (
        r"\b(?:ai|llms?|chat ?bots?|bots?|language models?)\b(?:[ -](?:assistants?|agents?|models?|systems?|bots?))?"
    ),
    "helpers": "assistants?|agents?",
    "helpers are ai": "ai",
    "who reads this": "reading|processing|that|who|which|working",
    "addresses": "to|for|dear|attention|any",
    "all of them": "the|any|all|every",
    "reads this": r"(?:that )?(?:reading|reads?|processing) (?:this|these)\b",
    "age": r"\b(\d{1,3})(?:[ -]years?[ -]old| years of age)\b",
    "age alone": r"\b(?:is|am|are|was|turned|turns|aged?|I'm) (\d{1,3})\b",
    "works as": r"\b(?:works?|worked|working|serves?|served|acts?|acted) as (?=an?\b|the\b)",
    "every": r"\b(?:every|each) (?=(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|day|week|month|year)\b)",
    "weekly": r"\b(?:(?:every|each) week|weekly)\b",
    "on weekdays": r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b",
    "repeats": (
        r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:a|the|per) (?:day|week|month|year)|daily|weekly|"
        r"monthly|yearly)\b"
    ),
    "this project": (
        r"\b(?:this|our|the current|that) (?:\w+ )?(?:project|repo|repository|code ?base|workspace|"
        r"monorepo|package|module|service|library|branch)\b"
    ),
    "months of a name": (
        "january february march april may june july august september october november december jan feb mar apr jun "
        "jul aug sep sept oct nov dec"
    ),
    "days of a name": "monday tuesday wednesday thursday friday saturday sunday",
    "words and names": (
        "will mark grace hope joy faith rose lily iris violet daisy ivy holly amber ruby pearl jade crystal dawn "
        "eve summer autumn winter spring june bill sue pat art guy rich frank drew grant chase chance hunter mason "
        "baker smith cook taylor carter parker king young long short white black brown green gray stone wood woods "
        "hill rivers brook brooks field banks bush page day gold silver wolf fox bird fish bear angel christian "
        "sky star ray jack nick rob bob harry miles reed reid dean major price rice case worth love best noble "
        "sharp strong wise good power heart sonny buddy max ace bay trinity destiny harmony melody serenity"
    ),
    "opens after a verb": (
        "i we you he she it they the a an this that these those all any each your my our his her their god not be "
        "also as there one anyone someone nobody everyone"
    ),
    "before a month": "in of last next this early late mid since until till during every each through",
    "articles of any case": "the a an",
    "titles of people": (
        "mr mrs ms miss mx dr prof professor doctor sir madam lord lady aunt uncle cousin sister brother colleague "
        "friend boss neighbor teacher coach mum mom dad grandma grandpa father mother"
    ),
    "particles of a name": "bin ibn al el af av",
    "before names or words": "by from to before after",
    "conditional": "if unless",
    "choosing": "or",
    "passive": "am is are be been being was were get gets got getting",
    "before a lone month": "in|by|until|since|of|every|last|next|this",
    "everywhere cues": "all every any everywhere",
    "everywhere": r"\b(?:in|on|across|for) (?:all|every|any)(?: of)?(?: my| the| your)? \w+|\beverywhere\b",
    "pin of": "my|our|card|atm|bank|door|alarm|sim|debit|credit|phone|safe|gate",
    "pin is": "is|was",
    "speaker in haste": "i|im|ive|dont",
    "states preference": r"\b(?:prefer|like|love|hate|enjoy|dislike|want|favou?rite|rather|can't stand)s?\b",
    "states decision": r"\b(?:decided|agreed|chose|settled on|going with)\b|(?:\bwill|'ll) use\b",
    "states name": r"\b(?:is|am|are) called\b|\bcall me\b|\bmy name is\b",
    "states fact": r"\b(?:is|are|was|were|has|have|had|lives?|works?)\b",
}

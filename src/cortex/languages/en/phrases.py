"""Words and phrases that the rules of English are made of, as parts of patterns."""

from __future__ import annotations

ADV = (
    r"(?:(?:also|really|actually|just|still|always|usually|generally|typically|normally|currently|now|already|recently|"
    r"absolutely|totally|definitely|strongly|mostly|personally|kinda|kind of|sort of|finally|officially|"
    r"since|very much|"
    r"much|both|all|have|even|only|do|truly|simply|mainly|often|deeply|honestly|genuinely|secretly|"
    r"particularly|especially|"
    r"originally|initially|successfully|together|basically|severely|pretty|quite|so|highly|a bit|a little|slightly|"
    r"mildly|seriously|fully|mutually|formally|collectively|unanimously|eventually|ultimately|previously|"
    r"tentatively)\s+)*"
)
I_DO = rf"(?:i|we)\s+{ADV}"
I_AM = rf"(?:i'm|i am|im|we're|we are)\s+{ADV}"
I_HAVE = rf"(?:i've|i have|we've|we have|ive|i|we)\s+{ADV}"
I_WILL = rf"(?:i'll|i will|we'll|we will|we're going to|we are going to|we're gonna|i'm going to|i am going to)\s+{ADV}"
NAME = (
    r"(?-i:(?:(?:Mr|Mrs|Ms|Dr|Prof)\.?\s+)?[A-Z][\w'&-]*"
    r"(?:\s+(?:[A-Z][\w'&-]*|de|van|von|der|la|del|da|bin|of|and(?=\s[A-Z])))*)"
)
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
PLACE = (
    r"(?-i:(?:the\s+)?[A-Z][\w'.-]*"
    rf"(?:,?\s+(?:[A-Z][\w'.-]*|de|la|del|am|of|the|upon|in\s+(?!(?i:{MONTH})\b)[A-Z]\w+))*)"
)
PHRASE = r"[^,;.!?()\n]{2,80}?"
REST = r".{2,}"
END = (
    r"(?=\s*(?:[,;.!?()\n]|$|\s(?:and|but|so|because|since|for|with|now|as|at|which|who|where|until|from|"
    r"after|before)\b))"
)
THING = r"(?P<thing>(?:my|our|the|\ufffc)[^,;.!?()\n]{1,60}?|(?-i:[A-Z])[^,;.!?()\n]{1,50}?)"
WORD = r"(?:(?!(?:and|or|but|it|that|which|i|we|you|is|are|because|to)\b)[\w'&/-]+)"
FRONTED = (
    r"^(?:it|its|i|we|you|he|she|they|that|this|what|which|there|please|let's|your|a|an|if|when|each|"
    r"after|with|before|in|on|at|for|since|"
    r"as|from|by|one|some|something|their|these|those|who|how|where|rent|price|departure|balance)\b|"
)
BOOKING = (
    r"\b(?:movies?|films?|shows?|showing|event|events? (?:at|on|near)|flights?|bus|train|tickets?|"
    r"reservation|check-? ?in|check-? ?out|checkout|pick-? ?up|drop-? ?off|concert|"
    r"restaurant|table (?:for|at)|songs?|weather|temperature|ride|cab|tour|departure|arrival|"
    r"return date|hotel|rating|eta|option|property|apartment|airport|"
    r"fare|visit|theater|theatre|cinema|seats?|doctor|stylist|salon|airlines?|passengers?|stops?|balance|"
    r"scheduled date|event date|my group|group of|party of|the day|"
    r"festival|appointment|(?:visiting|pickup|arrival) time|located|\d{3,} (?-i:[A-Z])|the address|phone "
    r"number|places? (?:you|to)|results?|venue is (?:at|on|located))\b"
)
UNIT = (
    r"(?:\s?(?:%|percent|ms|milliseconds?|s\b|secs?|seconds?|min\b|minutes?|h\b|hours?|days?|weeks?|"
    r"months?|years?|kg|lbs?|"
    r"pounds|km|miles|m\b|cm|gb|mb|tb|kb|usd|dollars|euros?|eur|k\b|words|pages|points?|stars|degrees|"
    r"calories|steps|rpm|"
    r"requests|qps|people|users?))?"
)
NUMBER_WORD = (
    r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|"
    r"seventeen|eighteen|"
    r"nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|a dozen|a hundred|a "
    r"thousand)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine|hundred|thousand|million))?"
)
ABOUT = (
    r"(?:(?:about|around|roughly|approximately|over|nearly|almost|only|at least|more than|up to|exactly|another)\s+)?"
)
NUMBER = rf"(?:[$€£¥]?\d[\d,.]*(?:\s?(?:million|thousand|billion))?{UNIT}|{NUMBER_WORD}{UNIT})"
NO_NOUN = (
    r"(?!(?:with|by|before|after|so|and|or|it|in|on|at|for|to|of|from|over|since|this|that|my|our|the|a|"
    r"an|as|because|but|"
    r"between|during|without|within|already|now|last|these|those|far|more|than|i|we|which|up|out|into|per|each)\b)"
)
NOUNS = rf"{NO_NOUN}[a-z][\w-]*(?:\s+{NO_NOUN}[a-z][\w-]*){{0,3}}"
DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
DATE = (
    rf"(?:(?:the\s+)?(?:end|middle|beginning|start) of\s+(?:{MONTH}|the year|the month|next \w+|q[1-4]|\d{{4}})"
    rf"|(?:next|this|late|early|mid|mid-)\s*(?:{DAY}|{MONTH}|week|month|year|spring|summer|autumn|fall|winter)"
    rf"|{DAY}(?:,?\s+(?:the\s+)?(?:{MONTH}\s+)?\d{{1,2}}(?:st|nd|rd|th)?)?"
    rf"|{MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?|{MONTH}\.?(?:\s+\d{{4}})?\b"
    rf"|(?:the\s+)?\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{MONTH}(?:,?\s+\d{{4}})?"
    r"|\d{4}-\d\d-\d\d|\d{1,2}/\d{1,2}(?:/\d{2,4})?|\d{1,2}\.\d{1,2}\.(?:\d{2,4})?"
    r"|q[1-4](?:\s+\d{4})?|(?:the\s+)?\d{1,2}(?:st|nd|rd|th)\b"
    r"|(?:spring|summer|autumn|fall|winter|christmas|easter)(?:\s+\d{4})?|(?:19|20)\d\d|tomorrow"
    r"|\d{1,2}(?::\d\d)?\s?(?:am|pm|a\.m\.|p\.m\.)|\d{1,2}:\d\d|noon|midnight)"
)

FAMILY = (
    r"(?:older |younger |elder |big |little |eldest |youngest |oldest |twin |step|half-|late |ex-|best |first |second |"
    r"middle |other |good |close |maternal |paternal )*"
    r"(?:sister|brother|mother|father|mom|mum|dad|wife|husband|spouse|partner|girlfriend|boyfriend|"
    r"fianc[eé]e?|son|daughter|"
    r"kid|child|baby|grandmother|grandfather|grandma|grandpa|granddad|grandson|granddaughter|aunt|uncle|cousin|niece|"
    r"nephew|mother-in-law|father-in-law|sister-in-law|brother-in-law|friend|roommate|flatmate|housemate|neighbou?r|"
    r"girlfriend|twin|stepson|godson|goddaughter|ex|parents|in-laws)"
)
PET = (
    r"(?:dogs?|cats?|puppy|puppies|kittens?|parrots?|hamsters?|rabbits?|bunny|tortoise|turtle|goldfish|"
    r"fish|horses?|snake|"
    r"guinea pigs?|guinea pig|budgie|canary|lizard|gecko|ferret|chickens?|hens|bird|pets?|labrador|poodle|beagle|corgi|"
    r"retriever|golden retriever|dachshund|terrier|greyhound|husky|german shepherd|ponies|pony|goats?|bees)"
)
COLLEAGUE = (
    r"(?:\w+ )?(?:boss|manager|line manager|supervisor|colleague|co-?worker|teammate|mentor|coach|teacher|"
    r"tutor|professor|advisor|adviser|"
    r"therapist|doctor|gp|dentist|vet|physio|lawyer|accountant|landlord|landlady|trainer|assistant|intern|"
    r"cto|ceo|cfo|coo|cofounder|"
    r"co-founder|business partner|team lead|tech lead|product owner|product manager|scrum master|client|"
    r"recruiter|agent|"
    r"contact|designer|developer|reviewer|babysitter|nanny|hairdresser|barber|mechanic|psychologist|dermatologist|"
    r"cardiologist|pediatrician|paediatrician|piano teacher|counsellor|counselor|editor|publisher|"
    r"investor|account manager)"
)
PERSON = rf"(?:{FAMILY}|{COLLEAGUE}|{PET})"
JOB = (
    r"(?:[\w-]+\s+){0,4}?(?:engineer|developer|programmer|designer|teacher|nurse|doctor|lawyer|manager|"
    r"student|scientist|"
    r"analyst|architect|consultant|writer|editor|artist|musician|photographer|chef|cook|baker|barista|waiter|waitress|"
    r"accountant|researcher|professor|lecturer|director|producer|founder|cofounder|co-founder|ceo|cto|cfo|"
    r"coo|freelancer|"
    r"contractor|electrician|plumber|carpenter|mechanic|pilot|driver|officer|firefighter|soldier|journalist|translator|"
    r"interpreter|therapist|psychologist|psychiatrist|dentist|surgeon|veterinarian|vet|pharmacist|physicist|chemist|"
    r"biologist|mathematician|statistician|economist|historian|philosopher|librarian|secretary|"
    r"administrator|admin|sysadmin|"
    r"technician|technologist|salesperson|salesman|recruiter|realtor|broker|banker|trader|investor|entrepreneur|farmer|"
    r"gardener|florist|tailor|hairdresser|barber|paramedic|midwife|physiotherapist|dietitian|nutritionist|"
    r"coach|trainer|"
    r"tutor|principal|intern|apprentice|postdoc|phd|undergrad|undergraduate|graduate|retiree|pensioner|parent|mom|dad|"
    r"mother|father|homemaker|volunteer|actor|actress|dancer|singer|composer|illustrator|animator|marketer|copywriter|"
    r"planner|specialist|lead|head|supervisor|clerk|cashier|bartender|tester|maintainer|devops|sre|dba|judge|paralegal|"
    r"solicitor|notary|counselor|counsellor|social worker|beekeeper|potter|sculptor|luthier|geologist|"
    r"astronomer|linguist|"
    r"archivist|curator|zoologist|botanist|hydrologist|ecologist|neurologist|cardiologist|radiologist|oncologist|"
    r"pediatrician|paediatrician|dermatologist|anesthetist|anaesthetist|optician|optometrist|auditor|actuary|surveyor|"
    r"roofer|welder|machinist|blacksmith|sailor|captain|conductor|dispatcher|courier|logistician|pastor|"
    r"priest|rabbi|imam)s?"
)
DIET = (
    r"(?:vegan|vegetarian|pescatarian|pescetarian|gluten[- ]free|dairy[- ]free|lactose[- ]intolerant|"
    r"gluten[- ]intolerant|coeliac|"
    r"celiac|diabetic|asthmatic|colou?r[- ]?blind|dyslexic|autistic|epileptic|anaemic|anemic|hypertensive|pregnant|"
    r"left[- ]handed|right[- ]handed|ambidextrous|near-?sighted|short-?sighted|deaf|blind|teetotal|sober|"
    r"halal|kosher|keto|"
    r"type [12] diabetic|insulin[- ]dependent|immunocompromised|claustrophobic|adhd|hard of hearing|flexitarian)"
)
ILLNESS = (
    r"(?:[\w-]+\s+){0,3}?(?:allerg(?:y|ies)|asthma|diabetes|type [12] diabetes|celiac|coeliac|epilepsy|"
    r"adhd|add|migraines?|arthritis|"
    r"hypertension|high blood pressure|low blood pressure|anxiety|depression|insomnia|ibs|eczema|"
    r"psoriasis|dyslexia|autism|"
    r"hypothyroidism|tinnitus|scoliosis|anemia|anaemia|pacemaker|bad knee|bad back|intolerance|peanut allergy|disorder|"
    r"syndrome|disease|sciatica|endometriosis|lupus|fibromyalgia|glaucoma|gout|vertigo|reflux|sleep apnea|"
    r"apnoea|cancer|"
    r"herniated disc|condition|hay fever|phobia|rosacea|tendonitis|carpal tunnel)"
)
LANGUAGE = (
    r"(?-i:English|French|German|Spanish|Italian|Portuguese|Dutch|Russian|Mandarin|Cantonese|Chinese|"
    r"Japanese|Korean|Arabic|"
    r"Hindi|Polish|Turkish|Swedish|Norwegian|Danish|Finnish|Greek|Hebrew|Hungarian|Czech|Slovak|Romanian|"
    r"Bulgarian|Ukrainian|"
    r"Serbian|Croatian|Thai|Vietnamese|Indonesian|Malay|Tagalog|Swahili|Urdu|Bengali|Tamil|Telugu|Persian|"
    r"Farsi|Catalan|"
    r"Welsh|Irish|Icelandic|Estonian|Latvian|Lithuanian|Basque|Galician|Punjabi|Gujarati|Nepali|Welsh|"
    r"Yoruba|Zulu|Esperanto|"
    r"Latin|ASL|BSL|sign language)"
)
OWNED = (
    r"(?:[\w'-]+\s+){0,4}?(?:car|house|apartment|flat|bike|bicycle|motorbike|motorcycle|laptop|macbook\w*|"
    r"phone|iphone|pixel|camera|"
    r"guitar|piano|violin|drum kit|boat|van|truck|scooter|garden|allotment|cottage|cabin|studio|shop|"
    r"bakery|restaurant|café|cafe|company|business|"
    r"startup|agency|farm|printer|server|nas|raspberry pi|tablet|ipad|watch|telescope|espresso machine|"
    r"oven|e-bike|ebike|tesla|toyota|honda|bmw|"
    r"volvo|ford|audi|kindle|drone|desk|monitor|keyboard|sewing machine|kayak|tent|camper|campervan|rv|"
    r"tractor|greenhouse|loom|kiln|"
    r"store|gym|salon|podcast|blog|newsletter|youtube channel|channel|practice|studio|condo|townhouse|"
    r"synth|synthesizer|"
    r"record player|turntable|cello|trumpet|saxophone|ukulele|keyboard|thinkpad|chromebook|pc|macbook pro|"
    r"macbook air|mac|mac mini|"
    r"desktop|vineyard|orchard|beehives?|licen[cs]e|degree|phd|masters?|tattoos?|pool|sauna)"
)


IMPERATIVE = (
    r"(?:please\s+|just\s+|always\s+|never\s+|then\s+)*(?:use|keep|give|put|open|run|write|answer|reply|"
    r"respond|call|show|include|add|ask|tell|make|send|format|"
    r"list|avoid|don't|do not|start|end|begin|stick|check|cc|bcc|link|explain|cite|mention|skip|remind|"
    r"double-check|translate|convert|"
    r"default|round|assume|save|turn|hold|press|set|wait|restart|reboot|power-cycle|unplug|switch|provide|"
    r"suggest|prefer|leave|remove|"
    r"sort|group|wrap|prefix|name|address|speak|talk|be|stay|treat|follow|confirm|warn|notify|ping|"
    r"message|email|forward|copy|attach|quote|"
    r"summari[sz]e|limit|print|return|commit|push|test|deploy|tag|rebuild|clear|flush|go|take|bring|book|"
    r"order|schedule|split|separate|highlight|"
    r"dump|export|import|zip|stop|pull|drop|build|bump|mix|boil|soak|rinse|preheat|fill|pour|grind|scan|"
    r"sign|plug|swap|replace|update|upgrade|merge|branch|fix|flag|compare|focus|repeat|spell|type|log|"
    r"read|let|pick|choose|draft|recommend)\b"
)
HABIT = (
    r"(?:every (?:day|night|morning|evening|week|month|year|other|second|single|two|three|spring|summer|"
    r"winter|autumn|mon|tues|wednes|thurs|fri|satur|sun|weekday|weekend|quarter)\w*|"
    r"on (?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|tues|wednes|thurs|fri|satur|sun)days\b|on "
    r"weekends|on weekdays|"
    r"(?:once|twice|three times|\w+ (?:times|days|hours|nights)) (?:a|per|each|every) (?:day|week|month|year)|"
    r"the (?:first|second|third|last) \w+ of|most (?:days|mornings|evenings|nights|weekends|summers|"
    r"winters|weeks)|since (?:i was|19\d\d|20\d\d|"
    + MONTH
    + r"|last|childhood)|for (?:\w+ )?(?:years|decades)|for (?:\d+|"
    + NUMBER_WORD
    + r") (?:years|months)|daily|weekly|monthly|nightly|biweekly|regularly|professionally|for a living|"
    r"part-time|full-time|in the mornings?|in the evenings?|at the weekends?|each (?:day|week|month|year|"
    r"morning))\b"
)
PASSING_STATE = (
    r"\b(?:broken|crash\w*|fail\w*|stuck|slow|tired|hungry|bored|confus\w+|not working|isn't working|"
    r"doesn't work|won't|keeps?|hurts?|acting|down|"
    r"a mess|a disaster|ready|done|fine|ok|okay|good|great|perfect|wrong|weird|late|here|there|off|about "
    r"to|going to|trying|wondering|"
    r"looking|below|above|as follows|attached|undefined|null|throwing|returning|giving|getting|"
    r"complaining|super|so|such|really|amazing|awesome|roller ?coaster|wonderful|incredible|special|cute|"
    r"starting to|too|aching|nearing|"
    r"not sure|unclear|empty|missing|correct|right|enough|so far|not|n't|driving|killing|worried|excited|"
    r"nervous|happy|sad|upset|proud)\b"
)
TASK_NOUN = (
    r"\b(?:question|problem|issue|idea|code|request|answer|apologies|apology|error|bad|mistake|build|"
    r"guess|point|concern|plan|script|query|function|"
    r"fault|pleasure|character|hero|protagonist|turn|attempt|solution|input|output|result|message|text|"
    r"paragraph|sentence|essay|prompt|trip|flight|ticket|reservation|booking|order|"
    r"understanding|head|mind|brain|day|evening|heart|god|goodness|best|worst|next|last|first|thought|"
    r"hunch|intention|table|party|pick|choice|bill|"
    r"destination|departure|account|balance|seat|appointment|ride|cab|schedule|address|location|checking|savings)s?\b"
)
SPECIFIC = r"(?=[^;!?\n]{0,120}(?:\d|\ufffc|(?-i:(?<=[\s(])[A-Z])))"

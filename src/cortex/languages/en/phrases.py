"""Words and phrases that the rules of English are made of, as parts of patterns."""

from __future__ import annotations

ADV = (
    r"(?:(?:also|really|actually|just|still|always|usually|generally|typically|normally|currently|now|already|recently|"
    r"absolutely|totally|definitely|strongly|mostly|personally|kinda|kind of|sort of|finally|officially|since|"
    r"very much|much|both|all|have|even|only|do|truly|simply|mainly|often|deeply|honestly|genuinely|secretly|"
    r"particularly|especially|originally|initially|successfully|together|basically|severely|pretty|quite|so|highly|"
    r"a bit|a little|slightly|mildly|seriously|fully|mutually|formally|collectively|unanimously|eventually|ultimately|"
    r"previously|tentatively)\s+)*"
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
    r"^(?:it|its|i|we|you|he|she|they|that|this|what|which|there|please|let's|your|a|an|if|when|each|after|with|before|"
    r"in|on|at|for|since|as|from|by|one|some|something|their|these|those|who|how|where|rent|price|departure|balance)\b|"
)
BOOKING = (
    r"\b(?:movies?|films?|shows?|showing|event|events? (?:at|on|near)|flights?|bus|train|tickets?|reservation|"
    r"check-? ?in|check-? ?out|checkout|pick-? ?up|drop-? ?off|concert|restaurant|table (?:for|at)|songs?|weather|"
    r"temperature|ride|cab|tour|departure|arrival|return date|hotel|rating|eta|option|property|apartment|airport|fare|"
    r"visit|theater|theatre|cinema|seats?|doctor|stylist|salon|airlines?|passengers?|stops?|balance|scheduled date|"
    r"event date|my group|group of|party of|the day|festival|appointment|(?:visiting|pickup|arrival) time|located|"
    r"\d{3,} (?-i:[A-Z])|the address|phone number|places? (?:you|to)|results?|venue is (?:at|on|located))\b"
)
UNIT = (
    r"(?:\s?(?:%|percent|ms|milliseconds?|s\b|secs?|seconds?|min\b|minutes?|h\b|hours?|days?|weeks?|months?|years?|kg|"
    r"lbs?|pounds|km|miles|m\b|cm|gb|mb|tb|kb|usd|dollars|euros?|eur|k\b|words|pages|points?|stars|degrees|calories|"
    r"steps|rpm|requests|qps|people|users?))?"
)
NUMBER_WORD = (
    r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
    r"eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|a dozen|a hundred|"
    r"a thousand)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine|hundred|thousand|million))?"
)
ABOUT = (
    r"(?:(?:about|around|roughly|approximately|over|nearly|almost|only|at least|more than|up to|exactly|another)\s+)?"
)
NUMBER = rf"(?:[$€£¥]?\d[\d,.]*(?:\s?(?:million|thousand|billion))?{UNIT}|{NUMBER_WORD}{UNIT})"
NO_NOUN = (
    r"(?!(?:with|by|before|after|so|and|or|it|in|on|at|for|to|of|from|over|since|this|that|my|our|the|a|an|as|because|"
    r"but|between|during|without|within|already|now|last|these|those|far|more|than|i|we|which|up|out|into|per|each)\b)"
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
    r"middle |other |good |close |maternal |paternal )*(?:sister|brother|mother|father|mom|mum|dad|wife|husband|spouse|"
    r"partner|girlfriend|boyfriend|fianc[eé]e?|son|daughter|kid|child|baby|grandmother|grandfather|grandma|grandpa|"
    r"granddad|grandson|granddaughter|aunt|uncle|cousin|niece|nephew|mother-in-law|father-in-law|sister-in-law|"
    r"brother-in-law|friend|roommate|flatmate|housemate|neighbou?r|girlfriend|twin|stepson|godson|goddaughter|ex|"
    r"parents|in-laws)"
)
PET = (
    r"(?:dogs?|cats?|puppy|puppies|kittens?|parrots?|hamsters?|rabbits?|bunny|tortoise|turtle|goldfish|fish|horses?|"
    r"snake|guinea pigs?|guinea pig|budgie|canary|lizard|gecko|ferret|chickens?|hens|bird|pets?|labrador|poodle|beagle|"
    r"corgi|retriever|golden retriever|dachshund|terrier|greyhound|husky|german shepherd|ponies|pony|goats?|bees)"
)
COLLEAGUE = (
    r"(?:\w+ )?(?:boss|manager|line manager|supervisor|colleague|co-?worker|teammate|mentor|coach|teacher|tutor|"
    r"professor|advisor|adviser|therapist|doctor|gp|dentist|vet|physio|lawyer|accountant|landlord|landlady|trainer|"
    r"assistant|intern|cto|ceo|cfo|coo|cofounder|co-founder|business partner|team lead|tech lead|product owner|"
    r"product manager|scrum master|client|recruiter|agent|contact|designer|developer|reviewer|babysitter|nanny|"
    r"hairdresser|barber|mechanic|psychologist|dermatologist|cardiologist|pediatrician|paediatrician|piano teacher|"
    r"counsellor|counselor|editor|publisher|investor|account manager)"
)
PERSON = rf"(?:{FAMILY}|{COLLEAGUE}|{PET})"
JOB = (
    r"(?:[\w-]+\s+){0,4}?(?:engineer|developer|programmer|designer|teacher|nurse|doctor|lawyer|manager|student|"
    r"scientist|analyst|architect|consultant|writer|editor|artist|musician|photographer|chef|cook|baker|barista|waiter|"
    r"waitress|accountant|researcher|professor|lecturer|director|producer|founder|cofounder|co-founder|ceo|cto|cfo|coo|"
    r"freelancer|contractor|electrician|plumber|carpenter|mechanic|pilot|driver|officer|firefighter|soldier|journalist|"
    r"translator|interpreter|therapist|psychologist|psychiatrist|dentist|surgeon|veterinarian|vet|pharmacist|physicist|"
    r"chemist|biologist|mathematician|statistician|economist|historian|philosopher|librarian|secretary|administrator|"
    r"admin|sysadmin|technician|technologist|salesperson|salesman|recruiter|realtor|broker|banker|trader|investor|"
    r"entrepreneur|farmer|gardener|florist|tailor|hairdresser|barber|paramedic|midwife|physiotherapist|dietitian|"
    r"nutritionist|coach|trainer|tutor|principal|intern|apprentice|postdoc|phd|undergrad|undergraduate|graduate|"
    r"retiree|pensioner|parent|mom|dad|mother|father|homemaker|volunteer|actor|actress|dancer|singer|composer|"
    r"illustrator|animator|marketer|copywriter|planner|specialist|lead|head|supervisor|clerk|cashier|bartender|tester|"
    r"maintainer|devops|sre|dba|judge|paralegal|solicitor|notary|counselor|counsellor|social worker|beekeeper|potter|"
    r"sculptor|luthier|geologist|astronomer|linguist|archivist|curator|zoologist|botanist|hydrologist|ecologist|"
    r"neurologist|cardiologist|radiologist|oncologist|pediatrician|paediatrician|dermatologist|anesthetist|"
    r"anaesthetist|optician|optometrist|auditor|actuary|surveyor|roofer|welder|machinist|blacksmith|sailor|captain|"
    r"conductor|dispatcher|courier|logistician|pastor|priest|rabbi|imam)s?"
)
DIET = (
    r"(?:vegan|vegetarian|pescatarian|pescetarian|gluten[- ]free|dairy[- ]free|lactose[- ]intolerant|"
    r"gluten[- ]intolerant|coeliac|celiac|diabetic|asthmatic|colou?r[- ]?blind|dyslexic|autistic|epileptic|anaemic|"
    r"anemic|hypertensive|pregnant|left[- ]handed|right[- ]handed|ambidextrous|near-?sighted|short-?sighted|deaf|blind|"
    r"teetotal|sober|halal|kosher|keto|type [12] diabetic|insulin[- ]dependent|immunocompromised|claustrophobic|adhd|"
    r"hard of hearing|flexitarian)"
)
ILLNESS = (
    r"(?:[\w-]+\s+){0,3}?(?:allerg(?:y|ies)|asthma|diabetes|type [12] diabetes|celiac|coeliac|epilepsy|adhd|add|"
    r"migraines?|arthritis|hypertension|high blood pressure|low blood pressure|anxiety|depression|insomnia|ibs|eczema|"
    r"psoriasis|dyslexia|autism|hypothyroidism|tinnitus|scoliosis|anemia|anaemia|pacemaker|bad knee|bad back|"
    r"intolerance|peanut allergy|disorder|syndrome|disease|sciatica|endometriosis|lupus|fibromyalgia|glaucoma|gout|"
    r"vertigo|reflux|sleep apnea|apnoea|cancer|herniated disc|condition|hay fever|phobia|rosacea|tendonitis|"
    r"carpal tunnel)"
)
LANGUAGE = (
    r"(?-i:English|French|German|Spanish|Italian|Portuguese|Dutch|Russian|Mandarin|Cantonese|Chinese|Japanese|Korean|"
    r"Arabic|Hindi|Polish|Turkish|Swedish|Norwegian|Danish|Finnish|Greek|Hebrew|Hungarian|Czech|Slovak|Romanian|"
    r"Bulgarian|Ukrainian|Serbian|Croatian|Thai|Vietnamese|Indonesian|Malay|Tagalog|Swahili|Urdu|Bengali|Tamil|Telugu|"
    r"Persian|Farsi|Catalan|Welsh|Irish|Icelandic|Estonian|Latvian|Lithuanian|Basque|Galician|Punjabi|Gujarati|Nepali|"
    r"Welsh|Yoruba|Zulu|Esperanto|Latin|ASL|BSL|sign language)"
)
OWNED = (
    r"(?:[\w'-]+\s+){0,4}?(?:car|house|apartment|flat|bike|bicycle|motorbike|motorcycle|laptop|macbook\w*|phone|iphone|"
    r"pixel|camera|guitar|piano|violin|drum kit|boat|van|truck|scooter|garden|allotment|cottage|cabin|studio|shop|"
    r"bakery|restaurant|café|cafe|company|business|startup|agency|farm|printer|server|nas|raspberry pi|tablet|ipad|"
    r"watch|telescope|espresso machine|oven|e-bike|ebike|tesla|toyota|honda|bmw|volvo|ford|audi|kindle|drone|desk|"
    r"monitor|keyboard|sewing machine|kayak|tent|camper|campervan|rv|tractor|greenhouse|loom|kiln|store|gym|salon|"
    r"podcast|blog|newsletter|youtube channel|channel|practice|studio|condo|townhouse|synth|synthesizer|record player|"
    r"turntable|cello|trumpet|saxophone|ukulele|keyboard|thinkpad|chromebook|pc|macbook pro|macbook air|mac|mac mini|"
    r"desktop|vineyard|orchard|beehives?|licen[cs]e|degree|phd|masters?|tattoos?|pool|sauna)"
)


IMPERATIVE = (
    r"(?:please\s+|just\s+|always\s+|never\s+|then\s+)*(?:use|keep|give|put|open|run|write|answer|reply|respond|call|"
    r"show|include|add|ask|tell|make|send|format|list|avoid|don't|do not|start|end|begin|stick|check|cc|bcc|link|"
    r"explain|cite|mention|skip|remind|double-check|translate|convert|default|round|assume|save|turn|hold|press|set|"
    r"wait|restart|reboot|power-cycle|unplug|switch|provide|suggest|prefer|leave|remove|sort|group|wrap|prefix|name|"
    r"address|speak|talk|be|stay|treat|follow|confirm|warn|notify|ping|message|email|forward|copy|attach|quote|"
    r"summari[sz]e|limit|print|return|commit|push|test|deploy|tag|rebuild|clear|flush|go|take|bring|book|order|"
    r"schedule|split|separate|highlight|dump|export|import|zip|stop|pull|drop|build|bump|mix|boil|soak|rinse|preheat|"
    r"fill|pour|grind|scan|sign|plug|swap|replace|update|upgrade|merge|branch|fix|flag|compare|focus|repeat|spell|type|"
    r"log|read|let|pick|choose|draft|recommend)\b"
)
HABIT = (
    r"(?:every (?:day|night|morning|evening|week|month|year|other|second|single|two|three|spring|summer|winter|autumn|"
    r"mon|tues|wednes|thurs|fri|satur|sun|weekday|weekend|quarter)\w*|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days\b|on weekends|on weekdays|(?:once|twice|three times|\w+ (?:times|"
    r"days|hours|nights)) (?:a|per|each|every) (?:day|week|month|year)|the (?:first|second|third|last) \w+ of|"
    r"most (?:days|mornings|evenings|nights|weekends|summers|winters|weeks)|since (?:i was|19\d\d|20\d\d|"
    + MONTH
    + r"|last|childhood)|for (?:\w+ )?(?:years|decades)|for (?:\d+|"
    + NUMBER_WORD
    + r") (?:years|months)|daily|weekly|monthly|nightly|biweekly|regularly|professionally|for a living|part-time|"
    r"full-time|in the mornings?|in the evenings?|at the weekends?|each (?:day|week|month|year|morning))\b"
)
PASSING_STATE = (
    r"\b(?:broken|crash\w*|fail\w*|stuck|slow|tired|hungry|bored|confus\w+|not working|isn't working|doesn't work|"
    r"won't|keeps?|hurts?|acting|down|a mess|a disaster|ready|done|fine|ok|okay|good|great|perfect|wrong|weird|late|"
    r"here|there|off|about to|going to|trying|wondering|looking|below|above|as follows|attached|undefined|null|"
    r"throwing|returning|giving|getting|complaining|super|so|such|really|amazing|awesome|roller ?coaster|wonderful|"
    r"incredible|special|cute|starting to|too|aching|nearing|not sure|unclear|empty|missing|correct|right|enough|"
    r"so far|not|n't|driving|killing|worried|excited|nervous|happy|sad|upset|proud)\b"
)
TASK_NOUN = (
    r"\b(?:question|problem|issue|idea|code|request|answer|apologies|apology|error|bad|mistake|build|guess|point|"
    r"concern|plan|script|query|function|fault|pleasure|character|hero|protagonist|turn|attempt|solution|input|output|"
    r"result|message|text|paragraph|sentence|essay|prompt|trip|flight|ticket|reservation|booking|order|understanding|"
    r"head|mind|brain|day|evening|heart|god|goodness|best|worst|next|last|first|thought|hunch|intention|table|party|"
    r"pick|choice|bill|destination|departure|account|balance|seat|appointment|ride|cab|schedule|address|location|"
    r"checking|savings)s?\b"
)
SPECIFIC = r"(?=[^;!?\n]{0,120}(?:\d|\ufffc|(?-i:(?<=[\s(])[A-Z])))"

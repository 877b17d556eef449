"""Signs that an English sentence tells the assistant what to hold to from then on; the weights are fitted."""

from __future__ import annotations

from cortex.languages.en.instruction_grammar import ANSWERS, LANGUAGES, STYLES, TONES, UNITS

_LEAD = (
    r"^[\"'(]?(?:(?:and|also|but|oh|ok|okay|hey|btw|by the way|please|pls|just|kindly|thanks|so|then|look|well|"
    r"one (?:more )?thing|another thing|always|never|only|from now on|in (?:the )?future|going forward|by default|"
    r"as a rule|in general|generally)[,:;!. ]{1,3}){0,4}"
)
_VERBS = (
    r"(?:accept|account|add|address|adjust|aim|allow|alert|announce|answer|apologi[sz]e|append|apply|archive|arrange|"
    r"ask|assign|assume|attach|avoid|back up|base|be|begin|block|bold|book|break|bring|browse|build|buy|calculate|call|"
    r"cancel|capitali[sz]e|cap|cc|challenge|change|charge|check|choose|cite|clean|clear|close|collect|combine|comment|"
    r"commit|compare|compress|confirm|consider|contact|convert|copy|correct|count|cover|create|cut|date|decline|"
    r"default|define|delete|deliver|deploy|describe|dial|discuss|display|do|document|double[- ]check|draft|drop|edit|"
    r"email|encourage|end|enter|err|escape|estimate|exclude|expect|explain|export|express|fact-check|favou?r|fetch|"
    r"file|fill|filter|find|finish|fix|flag|focus|follow|format|forward|get|give|go|greet|group|guess|handle|hide|"
    r"highlight|hold|ignore|import|include|indent|inform|insert|interpret|interrupt|introduce|keep|label|lead|lean|"
    r"leave|let|limit|link|list|listen|log|look|lose|mail|make|mark|match|measure|mention|merge|message|mind|mock|move|"
    r"mute|name|note|notify|number|offer|omit|open|opt|order|organi[sz]e|park|pass|pay|phrase|pick|ping|plan|play|"
    r"point|post|prefer|prefix|present|presume|pretend|prioriti[sz]e|pronounce|propose|provide|pull|push|put|query|"
    r"question|quit|quiz|quote|rank|read|rebase|recommend|record|redact|refer|refrain|refuse|regard|reject|rely|"
    r"remember|remind|remove|rename|render|repeat|rephrase|replace|reply|report|reserve|respect|respond|restart|"
    r"restrict|return|review|rewrite|roll|round|route|run|save|say|scan|schedule|search|send|separate|set|share|ship|"
    r"shorten|show|sign|simplify|skip|sort|sound|spare|speak|specify|spell|split|squash|start|stay|steer|stick|stop|"
    r"store|structure|substitute|subtract|suggest|summari[sz]e|switch|tag|take|talk|target|tell|test|text|think|time|"
    r"tone|touch|track|transcribe|translate|treat|trim|try|turn|type|underline|unsubscribe|update|use|validate|verify|"
    r"wait|wake|warn|watch|weigh|work|wrap|write)"
)
_DENIED = (
    r"(?:don't|do not|dont|never|stop|avoid|skip|quit|drop|refrain|lose|spare|enough with|cut (?:out|the)|leave out|"
    r"hold (?:the|back)|no need|no more|less|fewer|ease up|dial back|tone down|go easy)"
)
_ONE = (
    r"(?:the|this|that|these|those|it|them|him|her|his|their|here|now|today|tonight|tomorrow|above|below|attached|"
    r"again)"
)
_IF = r"(?<!know )(?<!see )(?<!check )(?<!sure )(?<!tell me )(?<!wonder )(?<!wondering )if"
"""The word for a condition, not for a question: "let me know if", "I'm wondering if"."""
_FOR_GOOD = (
    r"(?:always|never|whenever|ever|(?:every|each|any) ?(?:single )?time|from (?:now|here|today|this point)|"
    r"(?:going|moving) forward|in (?:the )?future|by default|as a rule|in general|any ?more|(?:when|before|unless|"
    rf"{_IF}) (?:i|you)|stop \w+ing|no longer)"
)
"""Words that make an order last, whatever it is about."""
_SPEAKER_OR_LISTENER = (
    r"(?:you|you're|you'd|you'll|your|yours|me|my|mine|us|our|i|i'm|i'd|i've|i'll|we|we're|please|pls)"
)
_WISHING = (
    r"\bi(?:'d|'m|\swould|\sam)?\s(?:\w+ly\s|also\s|just\s|be\s)?(?:want|like|love|prefer|need|appreciate|hoping|"
    r"looking|grateful|glad|curious)\b"
)
_ASKING = (
    r"(?:ask|say|mention|send|write|give|tell|paste|share|bring up|post|want|need|use|describe|show|quote|type|upload|"
    r"order|book|plan|schedule|draft|complain|forget|talk|speak|'m|am|make|get|repeat|mix)"
)
_SHOULD = r"(?:should|must|has to|have to|needs?(?: to)?|ought to|is to|are to|shall|may not|can't|cannot)"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"

RULE_SIGNS: dict[str, str] = {
    # That it lasts.
    "always": r"\b(?:always|at all times|every time|each time|without exception|no exceptions|in every case|"
    r"all the time|every single time)\b",
    "opens with always": r"^(?:always|never|only)\b",
    "never": r"\b(?:never|don't ever|do not ever|under no circumstances|ever again)\b",
    "from now on": r"\b(?:from (?:now|here|today|this point) on\w*|going forward|moving forward|"
    r"in (?:the )?future|for (?:all )?future|as of (?:now|today)|henceforth|from today|starting (?:now|today)|"
    r"until further notice|any ?more|for good)\b",
    "by default": r"\b(?:by default|default to|as a (?:general )?rule|in general|generally|standard|usually)\b",
    "unless": r"\b(?:unless|except|otherwise|even if|even when|no matter|whatever|regardless)\b",
    "every": r"\b(?:every|each|any)\s(?!day\b|of us)\w+",
    "all": r"\b(?:all|everything|anything|everywhere|anywhere|wherever|whatever|nothing)\b",
    "whenever": r"\b(?:whenever|any ?time|every time|each time)\b",
    "of all": r"\b(?:for|with|in|on|to)\s(?:any|all|every|each|everything|anything)\b",
    "routine": rf"\b(?:every|each|on)\s(?:{_DAY}s?|morning|evening|night|week|month|day)\b|\b(?:{_DAY}s|weekends|"
    r"weekdays|mornings|evenings|nights|once a (?:day|week|month)|daily|weekly|the first of the month)\b",
    # What kind of order it is.
    "opens with an order": rf"{_LEAD}{_VERBS}\b(?! (?:is|are|was|were|has|of)\b)",
    "orders one thing": rf"{_LEAD}{_VERBS}\s(?:me\s|us\s|up\s|out\s|for\s|to\s|in\s|at\s|on\s|with\s|all\s|of\s|"
    rf"every \w+ in\s){{0,2}}(?:{_ONE}|an?)\b",
    "orders a kind": rf"{_LEAD}(?:{_DENIED}\s|not\s)?{_VERBS}?\s?(?:me\s|us\s|only\s|all\s|any\s|my\s|your\s|in\s|on\s|"
    r"to\s|with\s|for\s|about\s|of\s)*+(?!the\b|this\b|an?\b)(?:[\w'-]+\s){0,2}[\w-]{3,}(?<!s)(?<!u)(?<!i)s\b",
    "order without one thing": rf"^(?!.*\b{_ONE}\b){_LEAD}{_VERBS}\b(?! (?:is|are|was|were|has|of)\b)",
    "forbids": rf"{_LEAD}{_DENIED}\b",
    "forbids without one thing": rf"^(?!.*\b{_ONE}\b){_LEAD}{_DENIED}\b",
    "no": r"^(?:please,? )?no\s(?!one|idea|way|luck|worries|problem|doubt|wonder|matter)\w+",
    "not": r"\b(?:don't|do not|doesn't|shouldn't|not|no|without)\b",
    "only": r"\b(?:only|just|at most|max(?:imum)?|no more than|nothing but|nothing else|strictly)\b",
    "settles": rf"{_LEAD}(?:assume|treat|consider|think of|regard|count|interpret|presume|stick (?:to|with)|limit|"
    r"restrict|base|favou?r|lean|go with|opt|default|prefer|prioriti[sz]e|err|work on the assumption|take it)\b",
    "reminds": r"^(?:please )?(?:remember|note|keep in mind|bear in mind|be aware|make sure|be sure|don't forget|"
    r"see to it|just so you know|fyi|for the record|a reminder|reminder|take note|be careful)\b",
    "states a rule": r"\b(?:rules?|condition|policy|convention|applies to|goes for|same for)\b[^.?!]{0,40}[:,]",
    "let's": r"\blet's\b",
    "orders after a clause": rf"[,:;]\s(?:so\s|then\s|please\s|just\s|and\s|but\s|you can\s|instead\s){{0,3}}"
    rf"(?:{_VERBS}|{_DENIED}|always|never|only|no)\b",
    "so": r"\b(?:so|which is why|that's why)\s(?!far|much|many|i\b|we\b|it\b|my\b|he\b|she\b|the\b|they\b)",
    "bans": r"\b(?:banned|forbidden|off[ -]limits|not (?:allowed|welcome|wanted)|prohibited|taboo|a no-go|out of "
    r"bounds)\b",
    "puts first": r"\b(?:first|before|last|at the (?:very )?(?:top|end|start|bottom|beginning)|second|up front)\b",
    "share of a reply": r"\b(?:at a time|at once|per (?:reply|message|answer|turn|day|section)|in one go|(?:in|to|"
    r"under) "
    r"(?:\w+ )?(?:words?|lines?|sentences?|paragraphs?|bullets?))\b",
    "bare manner": rf"^(?!.*\b(?:i|i'm|we|he|she|they|it|it's|was|were|this|these|here|"
    rf"today)\b)(?=(?:\S+\s){{0,7}}\S+$).*"
    rf"\b(?:{ANSWERS}|{STYLES}|{UNITS}|options?|examples?|questions?|enthusiasm|praise|pep talks?|compliments?|"
    rf"smileys?)\b",
    "rather than": r"\b(?:rather than|instead of|instead)\b|, (?:not|never|no) |\b(?:over|not)\s\w+[.!]?$",
    "asks first": r"\b(?:ask|check with|tell|warn|show|consult|talk to)\s(?:it\s)?(?:me|us)\b[^.?!]{0,20}"
    r"\b(?:first|before|prior|when)|\bask (?:before|first|twice|whenever)\b|\bwithout (?:asking|my|me|checking)\b|"
    r"\bmy (?:ok|okay|permission|approval|say-so|go|consent)\b|\bconfirm\w*\b|\bapprov\w+\b|\bokay from me\b",
    "before": r"\b(?:before|prior to|until)\s(?:you|any|each|every|\w+ing)\b",
    "only how long": r"^(?:and |please,? )?(?:(?:that|this|it)(?:'s| is| goes| holds| applies| counts)? |make "
    r"(?:that|it) |as )?(?:(?:always|ever|"
    r"every (?:single )?(?:time|chat|reply|answer)|each time|from (?:now|here|today) on\w*|going forward|in (?:the "
    r")?future|"
    r"for (?:good|ever|everything|all (?:of them|chats))|in (?:every|all|each) \w+|a permanent thing|"
    r"permanent(?:ly)?|(?:your|a) (?:habit|rule)|"
    r"the rule|no exceptions|without exceptions?|by default)(?: please| pls)?[,. !]*){1,3}$",
    "for good": r"\b(?:permanent(?:ly)?|habit|standing (?:order|rule)|once and for all|forever|as long as i live|"
    r"(?:every|any|all) "
    r"(?:chats?|conversations?|sessions?)|next time|be consistent|stick (?:to|with) (?:that|this|it))\b",
    # On what condition.
    "opens with a condition": r"^(?:(?:and|but|also|oh|please|ok|hey)[, ]{1,2})?(?:when(?:ever)?|if|any ?time|"
    r"every time|each time|once|as soon as|before|after|should (?:i|you|the)|in case|unless|while|where)\b",
    "condition of the user": rf"\b(?:when(?:ever)?|if|any ?time|(?:every|each) time|once|should|while)\si\s?(?:ever\s)?"
    rf"{_ASKING}\b",
    "condition of the assistant": r"\b(?:when(?:ever)?|if|before|after|once|(?:every|each) time|any ?time)\s(?:you\b|"
    r"\w+ing\b)",
    "condition of others": rf"\b(?:when(?:ever)?|{_IF}|before|after|once)\s(?:there|it|it's|someone|somebody|anyone|"
    r"an?|the|my|something|they|they're)\b",
    "ends with a condition": rf"\w\s(?:when(?:ever)?|{_IF}|unless)\s[^,?]{{3,120}}$",
    "opens with a kind": r"^(?:for|in|on|with|about|regarding|when it comes to)\s(?!the\b|this\b|that\b|these\b|an?\b|"
    r"now\b|once\b|fact\b|case\b)[^,.?!]{2,50}[,:]",
    "orders on a condition": r"^(?:when(?:ever)?|if|any ?time|every time|each time|once|as soon as|before|after|should|"
    r"in case|unless|while|where|for|in|on|with|at|under|over|anything|whatever)\b[^,]{2,80},\s(?:please\s|then\s|"
    rf"always\s|just\s|only\s|and\s)*(?:{_VERBS}|{_DENIED}|no|nothing|i want)\b(?! (?:is|are|was|were|has|of)\b)",
    # Declaratives that order.
    "wants of the assistant": r"\bi(?:'d|'m|\swould)?\s(?:really\s|also\s|just\s|only\s)?(?:want|like|rather|prefer|"
    r"expect|need|appreciate|love|wish|ask|hoping|hope|count on|trust)\s?(?:it\s)?(?:if\s|that\s|for\s|on\s|to have\s)?"
    r"(?:you|your|answers|replies|all|every|no|fewer|less|more|shorter|things|to (?:see|be|have|get|hear)|being)\b|"
    r"\b(?:it would|it'd)\s(?:be|help)\b[^.]{0,30}\bif you\b|\bfrom you\b",
    "wish": r"\bi(?:'d|\swould)?\s(?:don't\s)?(?:want|like|rather|prefer|expect|need|appreciate|wish)\b",
    "do without": r"\b(?:can do without|don't (?:want|need)|no need|needn't|don't have to|can (?:skip|drop|leave out|"
    r"spare|cut|omit|ignore|stop)|no longer need|not a fan|tired of|sick of|enough of|enough with|annoys me|bugs me)\b",
    "you should": r"\byou\s(?:should|must|need|may|have|ought|are to|are never|will never|are not|'re to)\b|"
    r"\byou're (?:not )?(?:allowed|supposed|to)\b",
    "you can": r"\byou\s(?:can|may|could|might)\b|\bfeel free\b|\byou're (?:free|welcome|allowed)\b|"
    r"\b(?:is|are) (?:fine|welcome|okay|ok) (?:with|by|for) me\b",
    "you must not": r"\byou\s(?:must not|mustn't|may not|shouldn't|should not|should never|can't|are never|are not to|"
    r"don't|needn't|will never|never)\b",
    "opens with you": r"^(?:you|you're|you've|you'll)\b",
    "things should": rf"^(?:please,? )?(?:all\s|every\s|any\s|each\s|no\s|your\s|my\s)?(?!i\b|we\b|you\b|he\b|she\b|"
    rf"they\b|it\b|this\b|that\b|the\b|there\b|what\b|an?\b)[^,.?!]{{2,50}}?\s{_SHOULD}\b",
    "things go": r"^(?!i\b|we\b|you\b|he\b|she\b|they\b|it\b|this\b|that\b|there\b)[^,.?!]{2,50}?\s(?:go|goes|belongs?|"
    r"stays?|gets?|comes?|counts?|wins?|means?|is off limits|are off limits|(?:is|are) (?:sacred|off|out|read-only))\s",
    "should": rf"\b{_SHOULD}\b",
    "we here": r"\bwe\s(?:don't\s|never\s|always\s|only\s)?(?:use|write|say|do|follow|name|avoid)\b|\bin (?:this|our) "
    r"(?:repo|project|codebase|code|team|house\w*|family|company)\b|\bour (?:api|code|repo\w*|style|convention\w*)\b",
    # What it is about.
    "manner": rf"\b(?:{ANSWERS}|greetings?|jokes?|length|paragraphs?|titles?|quotes?|lists?|points?)\b",
    "your manner": rf"\byour\s(?:\w+\s)?(?:{ANSWERS}|style|examples?|answers?|lists?|questions?)\b",
    "style": rf"\b(?:{STYLES}|spoilers?|puns?|sarcasm|swear\w*|padding|greetings?|recaps?|guess(?:es|ing|work)?|"
    r"walls? of text|sentence case|lowercase|upper ?case)\b",
    "tone": rf"\b(?:{TONES}|warm|warmer|sarcastic|gentle|tough|harsh|straight|cheerful\w*|flatter|moralize|lecture|"
    r"sugar ?coat|push back|small words|plain words|simple words|jargon)\b",
    "units": rf"\b(?:{UNITS}|grams|kilos?|kilograms|cups|ounces|pounds|dollars|euros?|francs|spelling|hyphens?|commas?|"
    r"decimals?|notation|time ?zones?|currency|dates?|percent\w*|initials)\b",
    "language": rf"\b(?:{LANGUAGES}|british|american|catalan|irish|swiss|latin)\b",
    "sources": r"\b(?:sources?|references?|citations?|links?|studies|papers?|page numbers?|evidence|wikipedia|"
    r"footnotes?)\b",
    "code": r"\b(?:code|commits?|branch\w*|tests?|functions?|files?|repos?\w*|sql|quer(?:y|ies)|python|javascript|rust|"
    r"typescript|java|go|ruby|scripts?|database|production|staging|deploy\w*|merge|pull requests?|prs?|migrations?|"
    r"packages?|librar(?:y|ies)|commands?|variables?|class(?:es)?|api|docker|logs?)\b",
    "bookings": r"\b(?:seats?|flights?|hotels?|trains?|trips?|restaurants?|tickets?|rooms?|layovers?|bookings?|places?|"
    r"taxis?|tables?|routes?)\b",
    "schedule": r"\b(?:calendar|meetings?|calls?|appointments?|reminders?|invites?|alarms?|agenda|schedule|mornings?|"
    r"evenings?|notifications?)\b",
    "mail": r"\b(?:e-?mails?|mails?|inbox|newsletters?|drafts?|letters?|messages?|subject lines?|recipients?|"
    r"customers?|clients?)\b",
    "food": r"\b(?:recipes?|meals?|dish(?:es)?|menus?|vegan|vegetarian|halal|kosher|gluten|nuts|meat|dairy|allerg\w+|"
    r"carbs|calories|groceries|dinner)\b",
    "privacy": r"\b(?:private|confidential|secret|passwords?|location|address|salary|health|diagnosis|personal data|"
    r"to yourself|between us|share|off limits|my number|account|bank|money|payments?|purchases?|spend)\b",
    "naming": r"\b(?:call me|my name|first names?|last name|nicknames?|refer to|pronouns?|initials|she/her|he/him|"
    r"they/them|pronounce|address me|spell(?:ed)?)\b",
    "means": r"\b(?:means?|stands for|i mean|counts as|read as|local time|my time)\b",
    "for me": r"\b(?:for|to|with|from|by) me\b|\bon my behalf\b|\bin my name\b|\bremind me\b|\bshow me\b|\bgive me\b",
    "what you make": r"\byou (?:make|write|give|send|create|suggest|book|draft|plan|generate|recommend|propose|show|"
    r"print|design|report|add|look|insert|refer|price|compare|explain|hand|find)\b",
    "me": r"\bme\b",
    "my": r"\b(?:my|our)\b",
    "I": r"\b(?:i|i'm|i've|i'd|i'll)\b",
    # That it is of one thing, or of one time.
    "the": r"\bthe\b",
    "this one": r"\b(?:this|that|these|those|here|it|them)\b",
    "the next": r"\b(?:the|this|that)\s(?:second|first|third|last|next|following|other|same|new|old|whole|one)\b",
    "a time": r"\b(?:today|tonight|tomorrow|yesterday|now|right now|later|again|yet|already|this (?:time|once|week|"
    rf"weekend|morning|afternoon|evening|month|year)|(?:on|by|until|for|next|last|till) (?:{_DAY}|noon|week|month|"
    r"year)|at (?:\d|noon|night|one|two|three|four|five|six|seven|eight|nine|ten)|in (?:an?|one|two|ten|"
    r"five) (?:minutes?|hours?|days?)|for now|just once|for once)\b(?!s)",
    "text at hand": r"\b(?:paragraph|slides?|draft|title|essay|text|poem|story|page \d|chapter|section|sentence|"
    r"line \d+|column|row|footnote|cover letter|readme|pitch|flyer|mockup|appendix|snippet|sheet)\b",
    "this text": r"\b(?:this|the) (?:\w+ )?(?:paragraph|slides?|draft|title|essay|text|poem|story|chapter|section|"
    r"sentence|line|column|row|letter|mail|email|list|table|file|code|function|query|one|answer|summary|page|recipe)\b",
    "a name": r"(?-i:(?<=[a-z,;:)]\s)[A-Z][a-z]+)",
    "number": r"\d",
    "amount of things": r"\b(?:an?|one|two|three|four|five|six|ten|\d+)\s(?!time|day|word|sentence|line|option|"
    r"question|bullet|paragraph|column|page|meeting|decimal)\w+",
    "once": r"\b(?:for now|this time|this once|just once|in this|for this|write me|give me (?:an?|\d|two|three|six|"
    r"ten)|when you're done|for the)\b",
    # That it is no order at all.
    "asks": r"\?\s*$",
    "asks for good": rf"^(?=.*\byou\b)(?=.*\b(?:{_FOR_GOOD}|all|every|each|everything|whatever|unless|not|stop|"
    r"quit|less|remember|refer)\b).*\?\s*$",
    "asks politely for good": r"^(?:hey,? |please,? )?(?:can|could|would|will|mind)\b(?=.*\b(?:always|never|ever|every|"
    r"each|whenever|from (?:now|here) on|in (?:the )?future|going forward|as a rule|by default|make a habit|"
    r"stop \w+ing|when you)\b)(?=.*\b(?:you|we|mind|possible)\b).*\?\s*$",
    "opens with a question": r"^(?:so |and |but |ok |hey )?(?:what|what's|how|why|who|which|where|is|are|do|does|did|"
    r"am|was|were|should i|can i|may i|could i|have|has|would it|must)\b",
    "asks politely": r"^(?:hey,? |please,? )?(?:can|could|would|will|mind|would you mind)\b.*\?\s*$",
    "past": r"\b(?:was|were|had|did|went|got|took|made|came|left|found|gave|saw|kept|felt|wrote|ran|told|said|been|"
    r"became|bought|paid|used to|(?!need|need|feed|speed|red|bed|exceed|indeed)\w{2,}ed)\b",
    "reports": r"\b(?:says?|said|told|tells?|telling|keeps saying|asks|asked|insists?|wants|wrote|writes|according to|"
    r"recommends?|warn(?:s|ed)|suggested|suggests|ordered|shouted|expects|as they say|claims?)\b",
    "somebody says": r"\b(?:he|she|they|doctor|boss|mom|mum|mother|dad|father|wife|husband|teacher|coach|landlord|"
    r"manual|sign|poster|recipe|guide|policy|therapist|manager|grandma|grandpa|sister|brother|editor|vet|app|airline|"
    r"lease|label|motto|contract|company|school|team|client|ad)\b[^.,?!]{0,20}\b(?:says?|said|told|tells?|kept|keeps|"
    r"asks|asked|insists?|wants|wrote|recommends?|warned|suggested|made|expects|requires|prefers|is|was)\b",
    "I do": r"^(?:i|we)\s(?:(?:always|never|only|usually|often|mostly|generally|still|really|just|also|tend to)\s)+\w+|"
    r"^(?:i|we)\s(?:like|love|hate|keep|take|use|tend|stick|avoid|make|treat|skip|sign|write|don't|have|got|am|are|"
    r"live|work|do|eat|drink|go|can't|think|guess|know|hope|paid|bake)\b",
    "opens with I": r"^(?:i|i'm|i've|i'd|i'll|we|we're|we've|we'll)\b",
    "I am": r"^(?:i'm|i am|we're|we are|i've|i have|i can't|since i|because i|my)\b",
    "only of the user": r"^(?!.*\b(?:you|your|please)\b)(?=(?:i|i'm|we|my)\b)",
    "opens with others": r"^(?:he|she|they|it|it's|that|that's|there|there's|this|these|those|someone|nobody|everyone|"
    r"everybody|people)\b",
    "opens with a thing": r"^(?:the|an?|our|his|her|their)\b",
    "opens with my": r"^my\b",
    "is": r"^[^,]{2,40}?\b(?:is|are|was|were|has|seems?)\b",
    "he or she": r"\b(?:he|she|they|his|their|him)\b",
    "I will": r"\b(?:i'll|i will|i'm going|we'll|going to|gonna|i can|i could|let me)\b",
    "encourages": r"\b(?:yourself|dreams?|heart|gut|believe|smil\w+|love|kind to|humble|proud|strong|enjoy|luck|"
    r"happy|beautiful|amazing|friend|guys|ladies|folks|hikers|students|parents|kids|life|worry|panic|give up|"
    r"never again)\b|\byour (?:own|life|family|best|mother|grandmother|body|mind|tires|ex)\b",
    "recipe or manual": r"\b(?:oven|pan|pot|dough|stir|simmer|heat|minutes|tablespoons?|butter|salt|boil|bake|batter|"
    r"battery|device|screws?|button|bottle|charger|unplug|tablets?|sauce|yeast|rinse|water|lid|fridge|soap|glue|"
    r"dishwasher|cream|cheese|rice|roses|leash)\b",
    "story": r"\b(?:story|novel|poem|character|scene|movie|film|hero|villain|tale|game|knight|queen|king|robot|dragon|"
    r"wizards?|once upon|captain)\b",
    "exercise": r"\b(?:suppose|imagine|pretend|triangle|integer|equation|interval|exercise|let [a-z] be|what if)\b",
    "thanks": r"\b(?:thanks|thank you|haha|lol|wow|great|perfect|glad|appreciate that|nice|cool)\b",
    "exclaims": r"!",
    "supposes": r"\b(?:would|could|might|maybe|perhaps|i think|i guess)\b",
    "please": r"\b(?:please|pls|kindly)\b",
    # Whom it concerns.
    "you": r"\byou(?:r|rs|'re|'ll|'d|'ve)?\b",
    "you and me": r"^(?=.*\byou(?:r|'re|'ll|'d)?\b)(?=.*\b(?:me|my|i|i'm|i'd|i've|us|our|we)\b)",
    "of nobody": rf"^(?!.*\b(?:{_SPEAKER_OR_LISTENER}|{ANSWERS})\b)",
    "of nobody, and states": rf"^(?!.*\b(?:{_SPEAKER_OR_LISTENER}|{ANSWERS})\b).*\b(?:is|are|isn't|aren't|was|has|have|"
    r"had|does|doesn't|do|don't|needs?|can|can't|will|won't|should|shouldn't|must|makes?|helps?|gets?|keeps?|means?|"
    r"wants?|says?)\b",
    "answers should": rf"^(?:\w+,? )?(?:(?:all|every|each|any|no|my|your|the)\s)?(?:\w+\s)?(?:{ANSWERS})\s"
    rf"(?:[^,.?!]{{2,40}}\s)?{_SHOULD}\b",
    "of a thing that acts": r"^(?:[\w'-]+\s){0,3}?[\w'-]+ing\s[^,.?!]{2,60}?\b(?:is|are|helps?|makes?|keeps?|would|"
    r"should|will|might|could)\b",
    # That it is said for once.
    "promises": r"^(?:\w+(?: \w+)?[,.] )?(?:(?:and|but|so|then|ok|okay|yes|yeah) )?(?:i think |i guess |maybe )?"
    r"(?:i'll|i will|i'm going to|i'm gonna|i'm planning|i plan to|i'd better|we'll|we will|we're going to|will do)\b",
    "means to": r"\b(?:i|we)(?:'d|\swould)?\s(?:(?:just|really|also|only|still)\s)?(?:don't\s)?(?:want|need|try|hope|"
    r"plan|have|like|hate|feel|worry|think|trust)\s(?:to|like|that|about)\b|"
    r"\b(?:i'm|we're|i am)\s(?:\w+\s){0,2}(?:to|that|about|not)\b",
    "would help": r"\b(?:should|will|would|could|might|can|'d)\s(?:\w+ly\s|also\s)?(?:help|be|make|keep|save|work)\b",
    "asks once": rf"^(?!.*\b{_FOR_GOOD}\b).*\?\s*$",
    "wishes once": rf"^(?!.*\b{_FOR_GOOD}\b).*{_WISHING}",
    "wishes for good": rf"^(?=.*\b(?:{_FOR_GOOD}|all|every|each|everything|no|not|without|only|fewer|less|more|"
    rf"rather)\b).*{_WISHING}.*\byou",
    "wishes for one thing": rf"{_WISHING}\s(?:for\s|to\s(?:see|hear|get|know|have|find)\s)?(?:an?|some|any|your|the|"
    r"one|two|three|few)\b",
    "orders once": rf"^(?!.*\b{_FOR_GOOD}\b){_LEAD}{_VERBS}\s(?:me\s|us\s)?(?:with\s|for\s|up\s|out\s)?"
    rf"(?:{_ONE}|an?|my|some|one|two|three|couple)\b",
    "gives a reason": r"\b(?:because|since|so that|that way|otherwise|which|as long as)\b",
    "opens with thanks": r"^(?:thanks|thank you|great|good|nice|perfect|ok(?:ay)?|right|ah|yes|yeah|sounds|that's|that "
    r"(?:makes|sounds|would|helps))\b",
    # How it is built.
    "line with a heading": r"^\W*[\w&'/()-]+(?: [\w&'/()-]+){0,3}\W*:\W*\s",
    "markup": r"\*\*|__|^#",
    "row of orders": rf"{_LEAD}{_VERBS}\s[^,.?!]{{2,60}},\s(?:and\s)?{_VERBS}\s",
    "without a subject": r"^(?!.*\b(?:i|i'm|we|he|she|they|it|it's|there|is|are|was|were|has|had|you|you're)\b)",
    "two halves": r"^[^,]{3,40}?\s(?:for|with|in|on|over)\s[^,]{2,30},\s[\w' -]{2,40}$|^[\w' -]{3,30},\s(?:not|no|"
    r"never|only|max|always)\b",
    "ends on only": r"\b(?:only|please|always|ever|never|everywhere|anywhere|whatever)[.! ]*$",
    "quoted word": r"\"[^\"]{1,20}\"",
    "colon": r":\s\w",
    "comma": r",",
    "short": r"^\S+(?:\s\S+){0,3}$",
    "under 9 words": r"^\S+(?:\s\S+){4,7}$",
    "long": r"^\S+(?:\s\S+){18}",
}

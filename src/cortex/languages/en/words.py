"""English: its words."""

from __future__ import annotations

from cortex.languages.en.injection import INJECTION
from cortex.languages.en.paraphrase import PARAPHRASE
from cortex.languages.words import PeriodWords, Questions, RelationWords, Similarity, Words

_FOREIGN_NOUN = (
    r"(?:e-?mails?|mail|messages?|documents?|docs?|pages?|articles?|web ?pages?|web ?sites?|sites?|readme|"
    r"tickets?|issues?|posts?|blog|threads?|transcripts?|reviews?|comments?|release notes|newsletters?|pdf|"
    r"files?|letters?|polic(?:y|ies)|contracts?|specs?|descriptions?|listings?|outputs?|logs?|search results?|"
    r"results?|repl(?:y|ies)|responses?|snippets?|attachments?|invites?|notes? from \w+|text|wiki|manual|faq|"
    r"brochure|flyer|announcement|memo|report|minutes|summary)"
)
_CONTRACTED = "dont doesnt didnt isnt arent wasnt werent wont cant aint havent hasnt hadnt shouldnt wouldnt couldnt"

WORDS = Words(
    lang="en",
    order=50,
    small_talk="""
    hi hello hey hiya yo howdy greetings morning evening sup
    ok okay k kk yes yeah yep yup no nope sure fine right alright cool nice great good perfect awesome done
    thanks thx ty cheers understood noted roger lgtm wow haha lol bye goodbye cya
    hm hmm hmmm mhm uh ah oh huh ugh
    """,
    small_talk_phrases="""
    thank you, thank you so much, thanks a lot, thanks so much, many thanks, got it, sounds good, good morning,
    good evening, good night, good afternoon, see you, no problem, all good, makes sense, of course, very good,
    well done, hi there, hello there, hey there, yes please, sounds great, will do, updated, saved, added, logged,
    recorded, all set, all done, on it, you got it, sure thing, how are you, how are things, how is it going,
    hows it going, how's it going, whats up, what's up, talk later, talk to you later, talk soon, see you later,
    thanks for the help, thanks for your help, thank you for your help
    """,
    # A word that carries meaning in English (German "die", Dutch "door", Italian "dove", Spanish "sin", the month of
    # May) is left out of the stop words of every language; being frequent, it weighs little.
    stop_words="""
a about again all am an and any are as at be been being both but by can cant could did didnt do does doesnt doing dont
each few for from had has hasnt have havent having he her here hers herself him himself his how i if im in into is
isnt it its itself ive just me might more most must my myself no nor not of off on only or other our ours out over own
please same shall she should so some such than that the their theirs them themselves then there these they this those
to too under up us very was wasnt we were werent what when where which who whom whose why will with wont would wouldnt
you your yours yourself
    """,
    changed="""
        now, no longer, any more, anymore, these days, as of, since, used to, instead, instead of, bumped, down to,
        up to, went to, went up, went down, switched, moved, dropped, changed, turned into, reached,
        extended, extension, slid, pushed, from now, gone, has become, became, is over, ended, stopped, gave up, quit,
        latest, new, out of date, outdated, should be, make that, replaced, puts me at, brings us to, goes to, until,
        back to, raised, lowered, increased, decreased, reduced, expanded, doubled, halved, grown to, grew to, rose to,
        fell to, shifted, postponed, rescheduled, delayed, brought forward, rebooked, migrated, relocated, upgraded,
        downgraded, updated, improved, rewrote, renamed, revised, adjusted, took over, taken over, sold, traded in,
        swapped, got rid of, gave away
    """,
    corrected="actually, correction, sorry, wait, scratch that, no wait",
    takes_back="no|nope",
    kinds={
        "rule.lasting": r"\b(?:from now on|going forward)\b",
        "rule.opens": r"^\W*(?:please\s+)?(?:always|never|don't ever|do not|don't)\b",
        "rule.strong": r"\b(?:always|never|must(?: not)?|whenever|every time|each time|mandatory|forbidden|not allowed|"
        r"required to)\b",
        "rule.weak": r"\b(?:should|rule|policy|convention|no .{1,40} without)\b",
        "procedure.steps": r"\b(?:steps?(?: are|:| for| to)|step \d|how to|procedure|runbook|checklist)\b",
        "procedure.order": r"\bfirst\b.{1,500}\b(?:then|next|finally)\b",
        "procedure.goal": r"^\W*(?:to|in order to)\s+\w+.{0,60}[,:]\s*\S",
        "procedure.acts": r"\b(?:run|click|open|press|install|execute)\b.{0,500}\b(?:then|and)\b",
        "preference.states": r"\b(?:prefers?|preferred|favou?rite|rather (?:than|not))\b",
        "preference.likes": r"\b(?:likes?|loves?|enjoys?|hates?|dislikes?|can't stand|fan of|fond of|keen on|"
        r"allergic)\b",
        "preference.habit": r"\b(?:usually|tends? to|avoids?)\b",
        "decision.taken": r"\b(?:decided|decision|agreed (?:to|on|that)|settled on|opted (?:for|to)|chose|chosen|"
        r"we(?:'ll| will) (?:use|go with)|let's go with|going with)\b",
        "decision.switched": r"\b(?:switch(?:ed|ing) (?:to|from)|migrat(?:ed|ing) to|picked|adopted)\b",
        "decision.approved": r"\b(?:approved|rejected|instead of)\b",
        "entity.relation": r"\b(?:is (?:my|our|the user's|his|her|their) (?:\w+ ){0,2}(?:sister|brother|mother|father|"
        r"wife|husband|partner|son|daughter|friend|boss|manager|colleague|dog|cat|client|team|project|service|landlord|"
        r"neighbou?r|doctor))\b",
        "entity.called": r"\b(?:stands for|is (?:the )?(?:code ?name|name|nickname) (?:of|for)|is called|is named)\b",
        "entity.is_ours": r"(?-i:[A-Z][\w-]{1,60}) is (?:our|my|the) (?:new )?\w+",
        "entity.role": r"\b(?:owns|maintains|leads|works (?:at|for))\b",
        "episode.when": r"\b(?:yesterday|last (?:night|week|month|year|monday|tuesday|wednesday|thursday|friday|"
        r"saturday|sunday|summer|winter|spring|autumn|fall)|\w+ (?:days|weeks|months|years) ago|this morning)\b",
        "episode.verbs": r"\b(?:went|met|visited|attended|happened|got|bought|came|saw|took|gave|told)\b",
        "fact.about": r"\b(?:my name|lives? in|works? (?:at|for|as)|born|birthday|years old|allergic|deadline|is due|"
        r"phone|e-?mail|address)\b",
        "fact.is": r"\b(?:is|are|was|has|have|am)\b|\bi'm\b",
    },
    reporting="""
    user assistant person people someone say said tell told ask asked mention mentioned state stated want wanted like
    liked dislike prefer preferred love enjoy hate need use uses used using plan planned decide decided name named call
    called live lives lived work works worked own have has had go goes went get gets got make makes made keep keeps know
    knows think thinks feel feels become became start started stop stopped longer anymore currently current now instead
    because also always never should must
    """,
    paraphrase=PARAPHRASE,
    injection=INJECTION,
    similarity=Similarity(
        capitalized=True,
        ended=r"\b(?:no longer|not any ?more|any ?more|any longer|used to|stopped|quit|gave up|given up|formerly|"
        r"ceased)\b",
        ended_cues="longer anymore more used stopped quit gave given formerly ceased",
        denying=f"not no never none nobody nothing neither without cannot hardly {_CONTRACTED}",
        denied=r"n't\b",
        opposites=(
            ("dislik|hat|detest|despis|stand",
             r"\b(?:dislik\w*|hat(?:e|es|ed|ing)|detest\w*|despis\w*|can't stand)\b", " not like "),
            ("disabl|deactivat", r"\b(?:disabl(?:e|es|ed|ing)|deactivat\w+)\b", " not enable "),
            ("forb|prohibit|disallow", r"\b(?:forbid\w*|forbade|prohibit\w*|disallow\w*)\b", " not allow "),
            ("avoid|refus", r"\b(?:avoid\w*|refus\w+)\b", " not "),
            (" off", r"\b((?:turn|switch)\w*(?: \w+){0,3}) off\b", r"\1 on not"),
        ),
        rewrites=(("like", r"(?:\bwould|'d) like\b", " want"),),
        answers="no|nope|nah|well|oh|hey|hi|yes|yeah|ok|okay",
        months=(
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sep sept", "october oct", "november nov", "december dec",
        ),
        weekdays=(
            "monday mondays", "tuesday tuesdays", "wednesday wednesdays", "thursday thursdays", "friday fridays",
            "saturday saturdays", "sunday sundays",
        ),
        numbers={
            0: "zero", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine",
            10: "ten", 11: "eleven", 12: "twelve dozen", 13: "thirteen", 14: "fourteen", 15: "fifteen", 16: "sixteen",
            17: "seventeen", 18: "eighteen", 19: "nineteen", 20: "twenty", 30: "thirty", 40: "forty", 50: "fifty",
            60: "sixty", 70: "seventy", 80: "eighty", 90: "ninety",
        },
        units={
            "km": "kilometer kilometers kilometre kilometres", "mi": "mile miles", "m": "meter meters metre metres",
            "cm": "centimeter centimeters", "ft": "feet foot", "inch": "inches",
            "kg": "kilo kilos kilogram kilograms", "g": "gram grams", "lb": "lbs pound pounds",
            "l": "liter liters litre litres", "h": "hour hours hrs", "min": "mins minute minutes",
            "s": "sec second seconds", "day": "day days", "week": "week weeks", "month": "month months",
            "year": "year years yrs", "%": "percent", "$": "usd dollar dollars", "€": "eur euro euros", "£": "gbp",
            "¥": "yen",
        },
        persons={
            "first": "i me my mine myself we us our ours im ive user users",
            "he": "he him his himself",
            "she": "she her hers herself",
            "they": "they them their theirs",
        },
        me="i user",
        relations="""
        sister brother mother father mom dad parent parents wife husband partner spouse son daughter child kid friend
        boss manager colleague coworker neighbor neighbour uncle aunt cousin grandmother grandfather girlfriend
        boyfriend roommate team company
        """,
        limits={
            "past": "was were had did ex former previously earlier ago",
            "only": "only solely exclusively except unless",
            "perhaps": "maybe perhaps might may could possibly probably",
            "wanted": "want wants hope hopes plan plans consider considers considering intend intends",
            "to come": "will shall gonna soon",
            "supposed": "would",
            "if": "if when whenever while until till because although",
            "seldom": "sometimes rarely seldom occasionally",
            "nearly": "almost nearly",
        },
        limit_patterns={"past": r"\b(?:my|our|the) old\b"},
        limit_cues="old",
        limiting="""
        first second third fourth fifth sixth other next last some few many several most half double both either twice
        often more less least fewer better worse up down out off above below under over against between with from after
        before since yesterday today tomorrow tonight already yet
        """,
        filling=r"\b(?:by the way|as i said|as mentioned|please (?:remember|note)|(?:remember|note) that|for the record"
        r"|just so you know|keep in mind|a lot|at the moment|these days|right now|at all|as well|kind of|sort of"
        r"|after all|turns out|in general|i think|i guess|i'd say|i would say|fyi|btw)\b",
        filling_cues="""
        way said mentioned remember note record know mind lot moment days now all well kind sort general think guess say
        after turns fyi btw
        """,
        fillers="""
        really very quite just actually definitely also too so much absolutely totally still currently now always
        usually generally basically honestly literally simply pretty well oh hey again get got gotten user users called
        named name please thing things lots truly indeed obviously certainly especially mostly about around back
        """,
        directions="over than instead rather before after from by",
        preference=r"\bprefer\w* \w+ to\b",
        synonyms=(
            "like love enjoy prefer favor favour fond", "live reside based", "work employed job",
            "use utilize utilise", "buy bought purchase", "car automobile", "movie film", "start begin", "big large",
            "small little", "kid child", "mom mum mother", "dad father", "phone telephone smartphone", "bike bicycle",
            "photo picture", "doctor physician", "color colour", "favorite favourite", "neighbor neighbour",
            "theme mode", "speak talk", "answer reply response", "short brief concise", "wake awake rise",
            "deploy deployment release", "allergic allergy", "vegetarian veggie", "need require", "want wish",
            "fast quick", "happen occur", "meeting appointment", "program code",
        ),
        articles="a an the",
    ),
    questions=Questions(
        earlier=r"\b(?:original(?:ly)?|initial(?:ly)?|at first|before|previous(?:ly)?|used to|earlier|former(?:ly)?|"
        r"old|in the beginning|back then|ago|last (?:year|month|week|time)|in (?:19|20)\d\d|"
        r"(?:was|were) (?:my|our|your|the) first)\b",
        past=r"\b(?:did|was|were|had)\b",
        several=r"\b(?:change[ds]?|changing|history|over time|evol\w{1,20}|develop\w{0,10}|progress\w{0,10}|order|"
        r"timeline|between|across|different|in total|altogether|ever|both|compared?|difference|throughout|sequence|"
        r"summar\w{1,10})\b"
        # A span from one thing to another is reckoned from two statements.
        r"|\b(?:days|weeks|months|years|long)\b.{1,200}\b(?:after|until|since|passed|elapsed)\b",
        advice=r"\b(?:should|could|would|can (?:you|i|we)|help|suggest|recommend|advice|tips|ideas?)\b"
        r"|\bhow (?:do|can|does|to|might|did)\b",
        number=r"\bhow (?:many|much|long|often|old|big|large|far|high|fast|tall|heavy)\b"
        r"|\b(?:what|which)\b(?:['’]s)?(?: [\w-]+){0,3} (?:version|port|price|cost|budget|limit|rate|rent|salary|quota|"
        r"percentage|temperature|weight|height)\b",
        date=r"\bwhen\b|\bwhat (?:time|day|date)\b|\b(?:deadline|due)\b",
        name=r"\b(?:where|who|whom)\b",
        fact=r"\b(?:what|which|whose)\b",
        twofold=r"\b(?:what|which|who|whose|whom|when|where|why|how)\b.*(?:\b(?:and|or|then)|[,;.?!])\s+"
        r"(?:(?:and|or|then|also|from|at|in|on|by|to|with|since|about|for|of)\s+){0,2}"
        r"(?:what|which|who|whose|whom|when|where|why|how)\b",
        rules=r"\b(?:rules?|instructions?|guidelines?|polic(?:y|ies)|conventions?)\b[^.?!]{0,40}\b(?:i|you|we|my|"
        r"your)\b"
        r"|\b(?:my|your|our|which|what)\b[^.?!]{0,30}\b(?:rules|instructions|guidelines|policies|conventions)\b"
        r"|\bwhat (?:did|have) i (?:ask|tell|told|instruct)\w* you to\b",
        recommendation=r"\b(?:recommend|suggest|advi[sc]e|ideas?|options?|choose|pick|plan|book|find (?:me|us)|"
        r"looking for|help me (?:find|pick|choose|plan|decide)|"
        r"(?:what|which|where) (?:\w+ ){0,2}(?:should|could|can|would) (?:i|we)|what to|where to)\b",
        polar=r"(?:(?:and|so|but|or|then|well|ok|okay|hey),? )?(?:(?:do|does|did|is|are|am|was|were|has|have|had|"
        r"isn['’]t|aren['’]t|wasn['’]t|don['’]t|doesn['’]t|didn['’]t|haven['’]t|should|shall|may|must|can (?!you\b)|"
        r"could (?!you\b)|will (?!you\b)|would (?!you (?!like|prefer|mind|rather|want|say)))|(?:you )?want me to)\b",
        oneself=r"(?<!\bdo )(?<!\bdid )(?<!\bcan )(?<!\bhave )(?<!\bam )(?<!\bshould )(?<!\bshall )(?<!\bcould )"
        r"(?<!\bwould )(?<!\bwill )\b(?:i|i['’]\w+|we|we['’]\w+|my|our)\b",
        asks_of_oneself=r"(?:and |so |but |sorry,? |wait,? |hey,? |then )*+(?:(?:can"
        r"|could) you (?:please )?(?:remind|tell) me |do you (?:know|remember|recall) |remind me )?(?:who|whom"
        r"|whose|when|where|which|what(?! (?:should|can|could|would|do|to|is an?)\b)|how (?:much|many|old|long|far"
        r"|often|tall|big|high)|(?:is|are|was|were) (?:my|our)|did (?:i|we)|have (?:i|we))(?:['’]s"
        r"|['’]re)?(?! (?:can|could|should|would) (?:i|we)\b)\b",
        states_of_oneself=r"[,;:(–—] ?(?!(?:again|please|by the way|btw|right|though|then|so|exactly|actually|or"
        r"|and)\b)|\b(?:because|since|although|given|considering|now that|if|when|after|before|while|who|which|that)\b"
        r" [^?]{0,80}\b(?:i|i['’]m|i['’]ve|we|my|our)\b"
        r"|(?-i:\b(?:[Mm]y|[Oo]ur) [a-z'’-]+ [A-Z]\w)",
        asked=r"\b(?:ask|asked|asking|questions?)\b",
        refers=r"\b(?:it|its|they|them|their|he|him|his|she|her|this|that|these|those|there|both|n?either|instead"
        r"|then)\b",
        requests=r"(?:please |now |also |and |then |next |so )*+(?:(?:can|could|would|will) you\b|i(?:'d"
        r"| would) like you to\b|i (?:want|need) you to\b|explain|describe|define|write|draft|compose|translate"
        r"|convert|summari[sz]e|remember|remind|note (?:that|down)|keep in mind|don['’]t forget|tell me|give me"
        r"|show|list|find|search|look up|fix|run|add|create|generate|make (?:me|a|an)\b|set (?:a|an|up)\b|plan"
        r"|suggest|recommend|compare|calculate|compute|solve|check|help|how about|what about|let['’]s talk"
        r"|i have (?:a|another) question|sort|refactor|rename|install|open|play|turn (?:on|off)|send|draw|name)\b",
        decides=r"(?:let['’]s (?!talk)|go(?:ing)? (?:with|for)\b|we(?:['’]ll| will| have|['’]ve)? (?:go|went|take|took|"
        r"chose|chosen|agreed|decided|settled|picked|said)\b|i(?:['’]ll| will| have|['’]ve)? (?:go with|went with"
        r"|take|took|chose|chosen|agreed|decided|picked|accepted|declined|stay)\b|i prefer the\b|make (?:it|that)\b"
        r"|cancel (?:it|that)|the (?:\w+ (?:one|then)|first|second|third|last|other)\b|agreed\b|accepted|rejected"
        r"|declined|approved|booked|paid|ordered|bought|sold|sent|signed|done\b|got (?:in|it|the)\b|postponed"
        r"|cancell?ed|moved|delayed|confirmed|changed my mind|sounds (?:good|great|fine)|works for\b|never mind"
        r"|forget (?:it|that)\b|works now|fixed|solved)",
        introduces=r"\b(?:my|our|an?|another)\b|\bthere(?:['’]s| is| are| was| were)\b|\bthis (?:morning|afternoon"
        r"|evening|week|month|year|summer|winter|spring|fall|autumn|weekend)\b|(?-i:(?<=\w )[A-Z](?!['’]|\b)\w+)",
        conjunctions=r"\b(?:that|then) (?=(?:my|our|the|i|we|he|she|they|it|you)\b)",
        impersonal=r"^(?![^\n]*\b(?:my|mine|our|ours|us|we|myself|ourselves)\b)"
        r"(?![^\n]*(?<!how do )(?<!how can )(?<!how should )(?<!how would )\bi\b)"
        r"(?![^\n]*(?<!give )(?<!tell )(?<!show )(?<!help )(?<!teach )\bme\b)"
        r"[^\n]*\b(?:what|how|why|who|when|where|which|the|an?|this|that|these|is|are|do|does|did|of|to|in|it|explain|"
        r"write|give|show|make|add|run|fix|list|convert|define|summari[sz]e|translate|compare|describe)\b",
        known_thing=r"^(?:and |so |but |hey,? |ok,? )*+(?:at |on |in |for )?(?:when|where|who|whose|which"
        r"|what (?:time|day|date|room|color|colour|size|place|address)|how (?:much|many|long|old|big|far|often"
        r"|expensive))\b(?:['’]s)?(?! it\b)(?![^\n]*\b(?:the (?:\w+est|best|worst|most|least|first|next|last|only"
        r"|average|usual|typical|correct|main|human|sun|moon|earth|sky|seas?|oceans?|world|universe|internet|web"
        r"|weather|news|president|pope|queen|king|government|economy|brain|heart|liver|equator|dinosaurs|stars"
        r"|planets|olympics|bible|stock market|difference|capital|population|currency|meaning|author|inventor|vat"
        r"|clocks|\w+ (?:age|ages|war|revolution)|(?:\w+ ){1,2}of (?!the\b|that\b))|(?:of|in|on|for|with|does|do"
        r"|can|is) an? \w|(?:live|grow|migrate|breed)\b|invent(?:s|ed)|discover(?:s|ed)|wrote|written|compos(?:es"
        r"|ed)|founded|painted the)\b)(?![^\n]*(?-i:\b[Tt]he [A-Z]))[^\n]{0,60}?\b(?:the|that|those|these) [a-z][\w-]*",
        unanswered=r"\b(?:don['’]t|do not|didn['’]t|did not) (?:really |actually |yet )?(?:know|remember|recall)"
        r"(?=\W*$|,| (?:yet|either|that|when|where|who|which|whether (?!to|i\b)|if (?!i\b)|what (?!to)|about|the)\b)"
        r"|\b(?:don['’]t|do not) have (?:(?:any|that|this|enough|access to|such) )+(?:information|info|details?|data|"
        r"records?|memor(?:y|ies)|knowledge)\b|\b(?:no|not a|haven['’]t a) (?:idea|clue)\b"
        r"|\b(?:cannot|can['’]t) (?:say|tell|recall|remember)\W*$"
        r"|^\W*(?:i['’]m |i am )?(?:really )?not (?:really |quite )?sure\W*$"
        r"|\byou (?:have not|haven['’]t|did not|didn['’]t) (?:tell|told|mention|share|said?)",
        units={
            "percent": "percent",
            "clock": "am pm",
            "money": "dollar dollars euro euros pound pounds usd eur gbp",
            "duration": "ms millisecond milliseconds s sec secs second seconds min mins minute minutes h hr hrs hour"
            " hours day days week weeks month months year years",
        },
    ),
    periods=PeriodWords(
        days={
            "the day before yesterday": 2, "earlier today": 0, "this morning": 0, "this afternoon": 0, "last night": 1,
            "yesterday": 1, "today": 0,
        },
        last_time=r"\b(?:(?:the |our |my )?(?:last|previous|latest|most recent) (?:time|conversation|session|chat|talk|"
        r"discussion|meeting)|where (?:we|i|you) (?:left|stopped) ?(?:off)?)\b",
        last="last|previous",
        this="this|the past|past|the last|since last",
        on="on|last|this past",
        in_="in|during|back in|last",
        week="week",
        month="month",
        ago=r"\b(?P<number>\d{1,3}|an?|one|two|three|four|five|six|seven|a couple of|a few) "
        r"(?:(?P<days>days?)|(?P<weeks>weeks?)) ago\b",
        numbers={"a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "three": 3, "a few": 3, "four": 4, "five": 5,
                 "six": 6, "seven": 7},
        requests=r"^\W*(?:(?:hey|hi|so|ok|okay|please|and|can you|could you|do you remember|tell me|remind me|"
        r"show me)\W+)*(?:(?:of |about )?what (?:did|have|had|were|was|happened|all did|we|i|you)\b|"
        r"summari[sz]e|recap|(?:give me )?(?:a|an|the)? ?(?:recap|summary|overview)|(?:let['’]?s )?"
        r"(?:continue|resume|go on|carry on|pick up)|where (?:did|were) (?:we|i)\b|catch me up|what['’]?s new)",
        talk="""
        let lets talk talked talking discuss discussed discussing speak spoke spoken chat chatted say said saying tell
        told mention mentioned decide decided agree agreed plan planned work worked working do did done doing happen
        happened conversation conversations session sessions summarize summarise summary recap overview remind
        remember continue resume carry pick catch new everything all things stuff topics anything about since happened
        ask asked learn learned time today went go
        """,
    ),
    relations=RelationWords(
        changes="""
        now adjusted changed increased decreased raised lowered reduced dropped cut switched moved moving
        migrated upgraded downgraded updated extended postponed pushed rescheduled rescheduling delayed shifted
        replaced renamed revised rewrote trimmed expanded doubled halved left quit stopped instead longer anymore
        became bumped brought slipped canceled cancelled risen went gone
        """,
        changing="""
        change changing move shift shifting push pushing postpone reschedule extend extending raise raising lower
        lowering increase increasing reduce update updating switch switching new latest improvement drop decrease
        reduction extension expansion jump
        """,
        progress="""
        reached hit passed completed completing finished finishing grown grew built climbed rose fell came
        improved far already gained lost stands turned lifted currently recently so
        """,
        goals="""
        goal goals target targets aim aims aiming want wants wanted hope hopes hoping plan plans planned planning
        intend intends should would wish try trying supposed consider considering might could maybe ideally
        thinking dream someday eventually suggested recommended
        """,
        undone="need needs will going wanna when whenever if unless scheduled booked",
        never="never",
        not_="no haven't hadn't didn't don't",
        did="""
        completed completing finished finishing did done doing had got went took wrote made gave been attended joined
        using used
        """,
        not_yet="yet still",
        refused="refused declined avoided rejected skipped without",
        examples="like such including",
        events="yesterday ago tonight once morning afternoon evening weekend",
        by_how_much="""
        gain gains increase improvement growth reduction drop decrease boost raise rise decline jump return returns
        discount surge dip bonus bump correction
        """,
        moved_by="rose fell grew dropped increased decreased improved climbed reduced up down",
        periods="in during throughout of",
        rates="daily nightly weekly monthly quarterly yearly annually hourly per each every",
        states="""
        is are am being i'm it's own owns have has pay pays cost costs weigh weighs earn earns averaging averages
        average steady stable
        """,
        several="""
        sister brother sibling son daughter child kid aunt uncle cousin niece nephew grandson granddaughter friend
        colleague coworker neighbor neighbour roommate flatmate teammate stepsister stepbrother stepson stepdaughter
        dog cat puppy kitten horse rabbit hamster parrot pet
        """,
        generic="""
        about add also always any anything around ask back base based begin being best better big bit bring call
        case come concern create current daily day days detail different do does doing done each easily effective
        effectively end ensure even every example experience feel few find first focus follow full further
        general give go going good great handle have help here high hour hours how idea implement implemented
        important include including information issue issues just keep kind know last learn less life little long
        look lot main make makes making manage many matter mean minute minutes month monthly months more most
        much must next number of off often old on one open other our own part people person place point possible
        process progress project provide put question quite really right run running same say second see set
        several show side since small some someone something sometimes soon start started step still sure take
        tell than that them then there thing things think this those though time times today together too top
        toward use used using usually various very way ways week weekly weeks well what when where which while
        who whole why with without work worked working works year yearly years yes yet you your able across
        actual after again against along although amount another appreciate available aware become before believe
        between both call can cannot challenge check clear close common complete consider cover deal decide
        develop discuss early easy enough especially expect explain face fact fast fix get gave given guess
        happen hard hear hold improve interested keep large late lead let likely live local major maybe mention
        meet mind moment near need neither nice ok okay only ought particular per perhaps plus prefer prepare
        pretty previous problem quick quickly rather read ready recent related remember result said seem send
        sense separate serious share short similar simple single situation specific spend stay stick strong
        struggle stuff such suggest support talk task third three through track two under understand until upon
        us value want whether will wonder word worry worth write yourself i'm i've im ive kinda sorta worried
        worry nervous stressed stress excited grateful happy proud confused stuck curious glad sad afraid anxious
        wondering feeling motivated trouble struggling figure understanding correct correctly proper properly
        wanna gonna involving involve involved related regarding concerning attempted upcoming appreciate
        overwhelmed unsure trying having especially actually already ever because got due notice noticed total
        date down hear heard agree agreed reflect anyone anybody everyone everybody
        """,
        irregular="""
        write/wrote/written run/ran take/took/taken meet/met give/gave/given make/made drive/drove/driven
        speak/spoke/spoken fly/flew/flown choose/chose/chosen build/built buy/bought teach/taught lead/led hold/held
        sell/sold win/won send/sent spend/spent find/found see/saw/seen do/did/done eat/ate/eaten drink/drank/drunk
        swim/swam/swum sing/sang/sung begin/began/begun grow/grew/grown know/knew/known throw/threw/thrown
        draw/drew/drawn ride/rode/ridden keep/kept hear/heard tell/told pay/paid lose/lost break/broke/broken
        wear/wore/worn teach/taught think/thought bring/brought catch/caught sleep/slept fall/fell/fallen
        forget/forgot/forgotten
        """,
    ),
)  # fmt: skip

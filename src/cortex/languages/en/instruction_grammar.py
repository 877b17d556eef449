"""The words and phrases that instructions to an assistant are read by, as patterns."""

from __future__ import annotations

LANG = "en"
STRAIGHT = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "\u00a0": " "})
BREAK = (
    r"(?<=[.!?])(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!e\.g\.)(?<!i\.e\.)[\"')\]]?[ \t]+|\n+|(?<=[。！？])"
)
MARKS_OF_A_LIST = r"^[ \t]*(?:[-*•–]|\d{1,2}[.)])[ \t]+"

LEAD = (
    r"(?:(?:ok(?:ay)?|alright|hey|hi|hello|also|and|but|so|oh|btw|by the way|one (?:more )?thing|another thing|ps|fyi|"
    r"for the record|plus|again|actually|well|thanks|thank you|assistant|just so you know|quick note|kindly|please|"
    r"(?:please )?(?:remember|note) that|then|lastly|finally)\b[ ,:;.!-]*+"
    r"|(?:remember|note|important|reminder|(?:a |one |my |the |new |house |"
    r"general )*+rules?(?: for you)?(?: is)?) ?: ?)*+"
)
FRONT = (
    r"(?:(?:please|always|never(?: ever)?|from (?:now|here|this point|today) on(?:wards?)?(?: out)?|going forward|"
    r"in (?:the )?future|for future reference|in general|generally|by default|as a (?:general )?rule|"
    r"as of (?:now|today)|henceforth|at all times|without exception|whatever i ask(?: for| about)?|no matter what|"
    r"whatever the [\w-]+(?: is)?)\b[ ,:]*+)++"
)
SAYS = (
    r"(?:ask|asks|request|mention|mentions|talk|speak|say|write|send|give|tell|paste|share|bring up|post|want|need|"
    r"describe|refer|show|quote|inquire|wonder|'m looking for|am looking for|look for|search for|'m asking|type|upload|"
    r"order|book|plan|schedule|start a|create|draft|complain|say)"
)
MARK = (
    r"\b(?:from (?:now|here|this point|today) on(?:wards?)?|going forward|in (?:the )?future|by default|henceforth|"
    r"at all times|(?:every|each) time(?! you)|any ?time i|whenever (?!you(?:'re| are)? (?:like|want|need|can|feel|"
    rf"have|get|ready))|any ?more|ever again|as a (?:general )?rule|unless i (?:ask|say|tell|write)|when i {SAYS}|"
    r"without asking|without exception|(?:all|every|each|any|everything|anything) (?:[\w-]+ ){0,3}you (?:make|write|"
    r"give|send|create|suggest|book|draft|plan|generate|recommend|propose)|(?:don't|do not) ever)\b|, (?:always|never|"
    r"ever)\b|\balways[.! ]*$"
)
OF_ALL = r"\b(?:all|every|each|any|everything|anything)\b|\bwhen you\b"
ONCE = r"\b(?:for now|this (?:time|once|one)|right now|just (?:this )?once|yet|see you)\b"
ONCE_OR_DEFINITE = (
    rf"{ONCE}|\b(?:today|tonight|tomorrow|yesterday|later|let me know|th(?:is|at|ese|ose)|it|them|here|now|again|below|"
    r"above|attached|instead|the (?:first|second|third|next|last|previous|following|other|same|one)|"
    r"by (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)

ANSWERS = (
    r"(?:answers?|repl(?:y|ies)|responses?|explanations?|messages?|outputs?|feedback|tone|reasoning|sources?|"
    r"summar(?:y|ies)|suggestions?|sentences?|wording|comments?|work|writing|words|advice|texts?|reports?|code|"
    r"opinions?|language|recommendations?|thinking|assumptions?|drafts?)"
)
STYLES = (
    r"(?:emojis?|emoticons?|exclamation (?:marks?|points?)|bullet(?:s| points?| lists?)|bullets|markdown|jargon|filler|"
    r"disclaimers?|caveats?|apologies|small talk|em[- ]dashes|pleasantries|preambles?|introductions?|intros?|"
    r"buzzwords?|hashtags?|slang|flattery|compliments|metaphors|analogies|headers?|headings?|tables?|footnotes?|"
    r"abbreviations|acronyms|semicolons|passive voice|code blocks?|citations?|italics|bold(?: text)?|all caps)"
)
TONES = (
    r"(?:concise|brief|short|shorter|direct|blunt|honest|formal|informal|polite|casual|specific|explicit|terse|"
    r"critical|strict|precise|thorough|skeptical|sceptical|plain|simple|friendly|professional|neutral|detailed|frank|"
    r"succinct|serious|humorous|funny|patient|consistent)"
)
LANGUAGES = (
    r"(?:english|german|french|spanish|italian|portuguese|dutch|russian|mandarin|cantonese|chinese|japanese|korean|"
    r"arabic|hindi|polish|turkish|swedish|norwegian|danish|finnish|greek|hebrew|hungarian|czech|romanian|ukrainian|"
    r"vietnamese|thai|indonesian|deutsch|englisch|französisch|spanisch|italienisch|español|inglés|alemán|francés|"
    r"castellano|français|anglais|italiano|português|nederlands|polski|svenska)"
)
UNITS = (
    r"(?:metric|imperial|celsius|fahrenheit|kelvin|kilomet(?:er|re)s|miles|si units|(?:both |these )?units|"
    r"(?:24|12)[- ]hour|iso(?: 8601)?|date formats?|currency|"
    r"(?:in|to) (?:us )?(?:dollars|euros?|pounds|francs|yen|usd|eur|gbp|chf))"
)
COUNT = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|a dozen)"
LENGTHS = (
    r"(?:long|longer|short|shorter) lists|lists (?:short|brief)"
    r"|lists (?:with|have|to|over|under|(?:longer|shorter) than) "
    rf"(?:(?:(?:no )?more|fewer|less) than |at most |up to |only )?{COUNT}"
    rf"|{COUNT} (?:items|points|entries|lines) (?:in|per) (?:a|any|each|every|one) list"
    rf"|more than {COUNT} (?:options?|suggestions?|ideas?|examples?|alternatives?|recommendations?)"
)
MANNER = (
    r"\b(?:(?:(?:of )?your (?:\w+ )?|(?:all|every|each|any|the|of|short\w*|brief|long|one-line|in|keep|"
    rf"my) ){ANSWERS}(?<!code)(?<!texts)(?<!reports)(?<!drafts)|{STYLES}|{LENGTHS}"
    rf"|{TONES}(?: with me| in everything| ?(?:answers|repl|respon|expl|only|please|sentences|words))"
    rf"|(?:be|stay|keep (?:it|things)|speak|talk|write|sound) (?:\w+ )?{TONES}"
    r"|(?:answer|reply|replies|respond|responses?|speak|talk|write (?:to me|everything)|address)\b[^.!?]{0,40}?\b(?:in|"
    r"as|with|by)\b"
    rf"|(?:in|to|only|use|speak|write|auf|en) {LANGUAGES}|{UNITS}|call me|address me|refer to me|sugar ?coat|"
    r"apologi[sz]\w*|step by step|plain text|sentences|words or (?:less|fewer)|\d+ words|cite|guess\w*|preamble|"
    r"(?:follow-?up|clarifying) questions|great question|repeat\w* my|(?:ask|check with|tell|warn) me (?:first|before)|"
    r"before you (?:do|send|act|change)|honest with me|if you(?:'re| are) (?:not sure|unsure)|step(?: |-)by|"
    r"the answer\b)"
    rf"|\b(?:auf|en|in) {LANGUAGES}\b"
)

ACTS = (
    r"use|keep|give|put|open|run|write|answer|reply|respond|call|show|include|add|ask|tell|make|send|format|list|avoid|"
    r"start|end|begin|finish|stick|check|cc|bcc|link|explain|cite|mention|skip|remind|double[- ]check|translate|"
    r"convert|default|round|assume|save|set|wait|provide|suggest|propose|offer|prefer|leave|remove|omit|exclude|sort|"
    r"group|wrap|prefix|name|address|speak|talk|be|stay|treat|follow|confirm|warn|notify|ping|message|email|forward|"
    r"copy|attach|quote|summari[sz]e|limit|print|return|commit|push|test|deploy|tag|rebuild|book|order|schedule|"
    r"reserve|split|separate|highlight|export|import|build|bump|scan|sign|replace|update|upgrade|merge|branch|fix|flag|"
    r"compare|focus|repeat|spell|type|log|read|let|pick|choose|draft|recommend|compile|review|refactor|generate|create|"
    r"produce|install|delete|edit|change|rename|document|comment|annotate|validate|verify|estimate|calculate|compute|"
    r"display|present|organi[sz]e|prioriti[sz]e|rank|sugar ?coat|apologi[sz]e|guess|invent|speculate|store|share|track|"
    r"record|note|point out|look up|search|fetch|pull|query|escape|indent|capitali[sz]e|abbreviate|paraphrase|consider|"
    r"account|play|turn|lock|charge|invoice|pay|bill|refer|describe|define|number|label|embed|render|plot|draw|touch|"
    r"modify|overwrite|rebase|squash|ship|release|revert|mock|assign|approve|reject|accept|decline|transfer|buy|trade|"
    r"stop|quit|try to|take|hide|redact|mask|trim|shorten|simplify|rewrite|rephrase|sum up|correct|proofread|interrupt|"
    r"proceed|hold|press|insert|discuss|pass|go|bring|rely|connect|close|archive|move|restart"
)
VERB = (
    r"(?:(?P<not>don't(?: ever)?|do not(?: ever)?|didn't|did not|never|not to|not) |(?P<only>only) |(?:please|just|"
    rf"always|also|then|first|simply|instead|kindly|rather|still|to|ever|really) ){{0,5}}(?P<verb>{ACTS})\b(?!')"
)
NOT_MEANT = (
    r"(?:give (?:up|in\b|yourself|thanks|back|(?:him|her|them|my (?:best|love|regards)))|keep (?:up|going|on\b|"
    r"in touch|(?:me|us|everyone) (?:posted|updated|in the loop|company)|calm|smiling|moving|pushing|fighting|trying|"
    r"dreaming|doing|rocking|working|faith|believing|shining|learning|the faith|it up|at it)|be (?!sure\b|"
    rf"careful (?:with|to|about)|{TONES}|very |more |as |extra |explicit)|stay (?!{TONES}|under|within|in character|"
    r"on topic|below)"
    r"|take (?!notes|minutes|into|my|our|[\w ]{1,30} into account)|go (?!straight|directly|through|easy|with|into)"
    r"|let (?!me know (?:when(?:ever)? you|before|if you|every|each)|me (?:review|approve|confirm|check|see|decide))"
    r"|make (?:time|memories|friends|the most|a wish|it count|every|room|yourself|(?:him|her|them|people|someone)|love|"
    r"mistakes|peace|do)|tell (?!me\b|us\b)|ask (?!me\b|us\b|for (?:confirmation|my|permission|clarification)|before|"
    r"first|questions|clarifying|one|whether|if)|read (?:between|more)|play (?!it|music|songs|my)|follow (?:through|"
    r"the (?:heart|dream))|treat (?:others|people|every (?:day|person)|everyone)|share (?:the love|it with|(?:happy|"
    r"good))|call (?!me\b|the|my|a |every|all)|look (?!up)|hold (?:on|tight|onto)|bring (?!up)|turn (?:back|around|a )|"
    r"open up|set (?:goals|boundaries|aside)|start (?:somewhere|each|every|small|the (?:day|week))|end (?:the (?:day|"
    r"week))|check (?:in on|yourself)|test (?:yourself)|focus on (?:what matters|yourself|the (?:good|positive|"
    r"present))|stop (?:by|worrying|believing|dreaming|learning|growing|smiling|trying|fighting|moving|being|loving|"
    rf"laughing|thinking|caring)|quit (?:on|trying)|try to (?!keep|avoid|use|answer|reply|be (?:{TONES})|include|write|"
    r"give|limit|explain|stick|respond)|buy (?:into)|put (?:yourself|people|family)|wait (?:for (?:the)|too)|"
    r"send (?:my|him|her|them|our) (?:love|regards|best)|move (?:on|forward)|accept (?:yourself|less)|pick yourself|"
    r"choose (?:yourself|happiness|joy|love)|change (?:for|who|yourself)|run (?:away|from)|leave (?:the house|home|"
    r"without|me\b|him|her|them)|pay (?:attention to (?!formatting)|it forward)|type of|point of|message (?:him|her)|"
    r"number of|record (?:of|for)|order (?:of)|share of|touch (?:base)|connect (?:with)|pass (?:up|on the)|close (?:to|"
    r"the door))"
)
OF_THE_ASSISTANT = (
    rf"(?:{ANSWERS}|judge?ment|calculations?|notes|knowledge|tools?|memory|training|math|steps?|process|results?|"
    r"plans?|"
    r"lists?|e-?mails?|posts?|headlines?|titles?|style|format(?:ting)?|vocabulary|questions?|estimates?|changes|edits|"
    r"commits?|queries|claims?|examples?|instructions|conclusions?|arguments?|tests|functions?|scripts?|searche?s?)"
)
TO_PEOPLE = (
    rf"\byourself\b|\byour (?!(?:[\w-]+ ){{0,2}}{OF_THE_ASSISTANT}\b)"
    r"|\byou(?:'re| are) (?:loved|not alone|enough|amazing|strong|welcome)\b|\bthe bright side\b|\beach other\b"
)
POLITE = r"(?:please\b[ ,:]*+)++$"
ALWAYS = r"(?:always|never|only)\b"
SETTLING = frozenset({"assume", "treat", "keep", "limit", "default", "avoid", "prefer", "be", "stop", "quit"})
PLAIN_ACTS = frozenset(
    """use keep give put make add include assume treat suggest recommend show write tell ask avoid start end begin
    finish run take leave be stop quit set provide propose offer prefer omit exclude skip list mention follow let limit
    default double-check check confirm create generate produce consider call name pick choose send""".split()
)
REFRAINING = frozenset({"avoid", "skip", "stop", "quit", "omit", "exclude", "hide", "leave"})
OF_POLICY = frozenset(
    """use keep answer reply respond write speak talk address limit stick be stay format explain refer prefer give show
    default cite sign end start begin finish present""".split()
)
OF_WHOLE = (
    r"assume (?:that )?(?:i\b|i'm|my|we\b|our)|default to\b|sign (?:all |any )?my (?:\w+ )?(?:e-?mails|letters|"
    r"messages|posts)|treat (?:me|all|every|any|my (?:\w+ )?\w+s)\b|(?:call|address|refer to) me\b(?! (?:when|back|if|"
    r"later|at|in))|(?:answer|reply|respond|write(?: to me)?|speak|talk)(?: to)?(?: me)? in (?:plain|simple|the |"
    rf"\w+ )?(?:{LANGUAGES}|text|words|english)|be (?:\w+ )?{TONES} (?:with|in)|just answer\b"
)
KIND_OF_THING = (
    r"(?! (?:the|a|an|th(?:is|at|ese|ose)|it|him|her|them|anything|anyone|someone)\b(?! "
    rf"(?:{STYLES}(?:(?<=s)|(?<=filler)|(?<=jargon)|(?<=talk)|(?<=preamble))\b|your)))"
    r"(?:[^.!?]{0,50}?\b(?:\w{2,}(?<!ss)(?<!us)(?<!is)s|me|my|markdown|jargon|filler|cilantro|seafood|units?|"
    rf"{STYLES}|{LANGUAGES}|{UNITS}|{TONES}|feedback|preamble|meat|alcohol|dairy|gluten|sugar|pork|shellfish)\b)"
)

REQUEST = (
    r"(?:i(?:'d| would)? (?:also |really |rather |just )?(?:want|need|like|love|prefer|expect|appreciate|ask|"
    r"rather)(?: it if)? (?:for )?you (?:to |not to (?=\w))?(?!meet\b)"
    r"|you (?:should|must|need to|have to|are to|shall|may|can|should n[o']t) (?=(?:always|never|only|not)\b)"
    r"|you (?:mustn't|shouldn't|may not|must not|should not|are not to) (?=\w+ )"
    r"|(?:please )?(?:be sure|make sure|remember|be careful|make it a (?:habit|rule|point)) (?:you |to |not to )"
    r"|(?:the |my |new |one |a )*rule(?: for you)? is(?: to|:) |i'd be (?:happy|glad|grateful) if you )"
)
POLITE_REQUEST = (
    r"(?:can|could|would|will) you (?:please )?(?=(?:always|never|from now on|please|in (?:the )?future|stop)\b)"
)
WISH = (
    r"(?:it(?: would|'d) be (?:\w+ )?(?:great|nice|good|better|helpful|best|useful|ideal) if you|i(?:'d|"
    r" would) (?:love|like|prefer|appreciate) it if you) (?:could |would )?(?:always|never|only|didn't|did not|gave|"
    r"used|kept|wrote|answered|replied|added|included|showed|stopped|avoided|called|cited|explained|stuck|skipped|"
    r"(?:keep|use|give|answer|reply|write|add|include|show|stop|avoid|cite|explain|stick|skip)\b)"
)
MAKE_SURE = (
    r"(?:please )?(?:make sure|ensure|see to it|be sure)(?: that)? (?:(?:every|each|all|any|no|none) (?!of us|day|"
    r"moment|one\b)"
    rf"|your {ANSWERS}\b|my \w+s (?:are|have|do|get)\b)"
)
WHAT_IS_WANTED = (
    r"(?:i (?:(?:only|just|always|never) )?(?:want|need|expect|prefer|mean|like)|i'd (?:like|prefer|rather)|"
    r"i (?:do not|don't) (?:want|need)|(?:only|no|just|short|that means|it means)\b(?! (?:one|matter|problem|idea|"
    r"wonder|doubt|luck))) (?!to (?:be|go|cry|laugh|run|scream|sleep)\b)"
)
ANY_ORDER = r"(?:please |just )*+(?:don't|do not|never|always|only) (?!one\b|the\b|a\b|i\b|we\b)[a-z]+ \w"
"""An order on a condition that speaks of asking is one whatever its verb: "don't spoil the ending"."""
FRAGMENT = (
    rf"(?:(?:only|no|just|at most|no more than|max(?:imum)?|(?:in )?{LANGUAGES}|{TONES} (?:answers|replies|"
    r"responses))\b(?! (?:one|matter|problem|idea|wonder|doubt|luck|way|longer|time|need|worries))[^.!?]{2,}"
    rf"|(?:{UNITS}|24-hour)\b)"
)
CALL_ME = (
    r"(?:please |just |you can |you may |always |from now on,? )*+(?:call|"
    r"address) me (?:as )?(?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+)?|"
    r"Dr\.? [A-Z]\w+)(?= ?(?:[,.!;]|$|from|instead|please|going|not|by|now))"
)
STYLE = (
    rf"(?:(?:please,? )?no (?:more )?{STYLES}\b|{TONES} (?:answers|replies|responses|explanations|messages|"
    r"sentences)\b,? (?:only|"
    rf"please|are (?:best|enough|fine))|{LANGUAGES} only\b|(?:metric|si) units only\b|answers? in {LANGUAGES}\b)"
)
NORM_OF_ANSWERS = (
    rf"(?:(?:every|each|all|any|no|none of) (?:of )?(?:your )?(?:\w+ )?{ANSWERS}\b|your {ANSWERS}|(?:every|each|all|"
    r"any|no) [\w -]{2,40}? (?:that )?you (?:give|write|send|make|suggest|propose|create|draft|book|plan|show|generate|"
    r"recommend|produce|run)\b)[^.!?]{0,40}? (?:should|must|needs?|ha(?:s|ve) to|is to|are to|may|shall|can only)\b"
)

WE = r"(?:i|you|we|someone|somebody|anyone|my (?:\w+ )?\w+|a user|the user|users?|people)"
ASKS_FOR = (
    r"(?: (?:you|for|about|me|to|up|on|of|help|with|a question|questions|any|an?|some|the|your|something|anything|"
    r"advice|information|info|details)\b)*+"
)
WHEN_ASKED = (
    rf"(?:when(?:ever)?|if|every time|each time|any ?time|once|as soon as) (?P<who>{WE}) ?(?:ever |"
    rf"specifically )?{SAYS}\b{ASKS_FOR} (?P<about>[^,;:.!?]{{2,120}}?)(?: ?[,;:] ?(?:then |please |you (?=should|"
    r"must))?| (?=(?:please|always|never|just|only|don't) |(?:give|use|include|show|add|answer|reply|respond|provide|"
    r"make|keep|start|suggest|remind|assume|cite|list) (?!about)))"
)
WHEN_WRITING = (
    r"(?:when(?:ever)?|if|every time|each time|any ?time) (?:i|you|we) (?:ever |help me )?(?:write|draft|compose|type|"
    r"create|prepare|edit|translate)\b"
)
ASKS_FOR_A_FACT = (
    r"(?:when|where|who|whose|which|what(?:'s| is| are| was| were| time)|how (?:much|many|long|old|far|often)|is|are|"
    r"was|were|does|did|has|have) [^?]*\?$"
)
"""A question that calls for nothing to be written."""
WHEN_THE_SUBJECT = (
    r"(?:when(?:ever)?|if|every time|each time|any ?time|once) (?:the|a|my|our) (?:question|subject|topic|conversation|"
    r"discussion|request|message|task|talk|chat) (?:is|turns|comes|concerns|deals with|involves)"
    r"(?: (?:about|to|on|for|of))?+ (?P<about>[^,;:.!?]{2,80}?), ?(?:then |please )?"
)
WHENEVER = (
    r"(?:(?:when(?:ever)?|every time|each time|any ?time|as soon as) (?!you(?:'re| are)? (?:ready|free|can|want|like|"
    rf"have|need|get|feel)\b)(?!(?:i|we) (?:was|were|had|got|went|did|get home)\b)(?:(?P<who>{WE}) )?|(?:before|after|"
    r"on|at|with) (?:every|each|any|all) )(?P<about>[^,;:.!?]{2,80}?), ?(?:then |please )?"
)
FOR_A_KIND = (
    r"(?:for|in|on|with|regarding|concerning|about) (?:all |any |every |each |my |our |your |future |"
    r"new )*(?P<about>(?!the\b|this|that|these|those|a\b|an\b|his|her|their|me\b|case\b|fact|short|general|"
    r"(?:the )?future)[^,;:.!?]{0,50}?(?:(?<!s)s|code|css|email|html|math|maths|python|sql|travel|feedback|"
    r"documentation|typescript|javascript|rust|go|homework|music|work|research|writing|shopping|cooking|dessert|"
    r"slides)) ?[,:] ?(?:please )?"
)
WHEN_AT_THE_END = (
    rf" (?:when(?:ever)?|if|every time|each time|any ?time) {WE} ?(?:ever )?{SAYS}\b{ASKS_FOR} "
    r"(?P<about>[^,;:.!?]{2,120})"
)
WHERE_AT_THE_END = (
    rf"(?:{UNITS}|{STYLES}|{TONES}|{LANGUAGES}) (?:only )?(?:in|for|on) (?:all |any |every |my |our |your |"
    rf"the )*(?P<about>(?!{ANSWERS}|{LANGUAGES}|everything|anything|me\b|us\b|you\b|general|future|them|it\b|all\b|"
    r"this\b|conversations?|chats?|times?\b|dates?\b|format|temperature)[^,;:.!?]{3,60})"
)
POLITELY = r"(?:please[ ,]++)*+"
_AT_ALL_TIMES = r"(?:always|never(?: ever)?|don't ever|do not ever) "
_TO_A_REPOSITORY = "commit|push|force[- ]push|merge|rebase|release|deploy|publish"
ON_BEHALF = (
    rf"{_AT_ALL_TIMES}(?:book|schedule|reschedule|send|e-?mail|reply|order|buy|delete|accept|decline|forward|reserve"
    rf"|cancel|post|upload|invite|{_TO_A_REPOSITORY})\b"
)
"""What only somebody who acts for the speaker is told: "never book flights before 9"."""
RELEASING = (
    rf"{_AT_ALL_TIMES}(?:{_TO_A_REPOSITORY})(?: directly| straight| anything| code| changes)? "
    r"(?:to|into|onto|on|in|without|before|after|from|while)\b"
)
"""What is told of a repository, where the way says enough: "don't ever push to main"."""
OPENS_WITH_CONDITION = (
    r"(?:please |but |and |also |ok )*+(?:while|during|as long as|unless|except|after|before|once|if|when(?:ever)?"
    r"|for|in|on|at|with|until|till|throughout)\b"
)
CONDITION_EDGES = (
    r"^(?:(?:discuss|discussing|work on|working on|help with|practi[cs]e|you|me|about|for|to|with|of|a|an|the|any|some|"
    r"my|your|our|writing|questions? (?:about|on)|on|up|is|are|'m|am|'re) )++|"
    r"(?<=\S) (?:for me|to me|with me|please|questions?|again)$"
)

"""What is told for every time, and how something is done."""

from __future__ import annotations

from cortex.capture.packs.english.words import IMPERATIVE, STANDING
from cortex.capture.packs.pack import Rule, about_me
from cortex.domain.memory import Kind

RULES: tuple[Rule, ...] = (
    # Standing instructions.
    Rule(
        name="rule.when_asked",
        kind=Kind.RULE,
        importance=0.85,
        confidence=0.92,
        whole=True,
        asked=True,
        pattern=r"(?:when(?:ever)?|if|every time|each time|any ?time)\s+(?:i|you|we|someone|somebody|"
        r"anyone)\s+(?:ever\s+)?(?:ask|request|mention|talk|say|write|"
        r"send|give|tell|paste|share|refactor|review|generate|answer|respond|reply|draft|code|commit|propose|"
        r"suggest|recommend|"
        r"plan|describe|explain|summari[sz]e|translate|quote|list|show|post|refer|schedule|edit|create|make|"
        r"add)\b[^.!?\n]{2,}",
        veto=r"\?\s*$|\b(?:i (?:get|got|see|hear|feel|receive|am|can't|cannot|have to|wonder)|nothing happens|it "
        r"(?:says|fails|shows|crashes|gives|returns|throws|works))\b",
    ),
    Rule(
        name="rule.from_now_on",
        kind=Kind.RULE,
        importance=0.85,
        confidence=0.92,
        whole=True,
        asked=True,
        pattern=r"(?:from now on|going forward|from here on(?: out)?|from this point(?: on(?:ward)?s?)?|in (?:the "
        r")?future|for future reference|as a (?:general )?rule|by default|"
        r"as of (?:now|today)|henceforth|(?:whenever|every time|each time) (?:i|you|we)|for (?:all|any|every) "
        r"(?:future|new|my|our)\b[^,.]{0,40},|in (?:all|any|every) (?:future|your|my|our)\b[^,.]{0,40},)"
        r"[,:]?\s+(?=\S+\s+\S)",
        veto=r"^(?:in (?:the )?future)[,]?\s+(?:i|we|they|it|he|she)\b|\?\s*$|\bwhenever you(?:'re| are)? (?:ready|"
        r"can|want|like|have time|need)\b|\bi'm\b",
    ),
    Rule(
        name="rule.always",
        kind=Kind.RULE,
        importance=0.85,
        confidence=0.9,
        whole=True,
        pattern=r"(?:please\s+|also\s+|and\s+)*(?:always|never|don't ever|do not ever|never ever)\s+(?!mind|heard|"
        r"knew|know|been|thought|seen|had|really|again!?$|happy|good|nice|great|forget how|fun|a\b|the\b|my\b|"
        r"been|wanted|liked|loved|understood|felt|feels|better|tried|used|got|did|was|an\b|is\b|too\b|in a\b|"
        r"say never|gonna\b|going\b|(?!discuss|pass|focus|address|express|process|access|press|bypass|"
        r"compress|cross|stress|dismiss|assess|miss)[a-z]+s\b|[a-z]+ing\b|[a-z]+ed\b)[a-z]+\b(?!ed\b).{3,}",
        veto=r"\bas (?:they|people|the saying)\b|\bcharacter\b|^(?:\w+ )?(?:always|never|don't ever|do not "
        r"ever)\s+(?:give up|let (?:us|me|you|anyone)|be (?:afraid|scared|yourself)|stop (?:believing|"
        r"dreaming|learning)|full|up for|try something|cheer|count on|believe|lose hope|ready|glad|grateful|"
        r"forget (?:that )?(?:you|how|to)|look on|hurts|underestimate|trust your)\b|\bon me\b",
    ),
    Rule(
        name="rule.please_dont",
        kind=Kind.RULE,
        importance=0.8,
        confidence=0.85,
        whole=True,
        pattern=rf"(?:please\s+)?(?:don't|do not|stop|quit|avoid|no more)\s+(?!worry|bother|mind|hesitate|be\b|feel|"
        rf"get me wrong|forget|know|think|sweat|panic|rush|ask me why)[^.!?\n]*(?:{STANDING}|,\s*ever\b)",
    ),
    Rule(
        name="rule.stop",
        kind=Kind.RULE,
        importance=0.8,
        confidence=0.85,
        whole=True,
        pattern=r"(?:please\s+)?(?:stop|quit|avoid)\s+(?:using|adding|saying|calling|asking|including|sending|putting|"
        r"writing|suggesting|apologi[sz]ing|repeating|giving|making|starting|ending|changing|showing|telling|"
        r"with the|recommending|explaining|abbreviating|rewriting|inventing)\b.{2,}",
        veto=r"\b(?:for now|this time|right now|here)\b",
    ),
    Rule(
        name="rule.your_answers",
        kind=Kind.RULE,
        importance=0.8,
        confidence=0.85,
        whole=True,
        pattern=r"(?:please\s+)?(?:keep|make|write|give|format|start|end|"
        r"begin)\s+(?:all\s+)?(?:of\s+)?your\s+(?:answers|replies|responses|explanations|messages|summaries|"
        r"emails|comments|code|suggestions)\b.{2,}"
        r"|(?:please\s+)?(?:don't|do not|no|avoid|skip)\s+(?:use |using |add |include |put |say |write |any |"
        r"the |more )*(?:emojis?|exclamation (?:marks|points)|bullet points|markdown|small talk|jargon|filler|"
        r"disclaimers|apologies|em[- ]dashes)\b.*"
        r"|(?:please\s+)?(?:answer|reply|respond|speak|talk|write|address)(?:\s+to)?\s+me\s+(?:only\s+)?(?:in|"
        r"as|by|with)\b.{2,}",
        veto=r"\b(?:this (?:one|email|time|text|paragraph|summary)|the (?:summary|text|email|letter|second|first|"
        r"next))\b",
    ),
    Rule(
        name="rule.i_want_you",
        kind=Kind.RULE,
        importance=0.85,
        confidence=0.9,
        whole=True,
        asked=True,
        pattern=rf"(?:i(?:'d| would)?\s+(?:want|need|like|love|prefer|expect|appreciate)\s+(?:it "
        rf"if\s+)?you\s+(?:to\s+)?|you\s+(?:should|must|need to|have to|are to)\s+|make sure\s+(?:to\s+|you\s+|"
        rf"that you\s+)?|be sure to\s+|make it a (?:habit|rule|point) to\s+|remember to\s+|try "
        rf"to\s+)(?:[^.!?\n]*{STANDING}).*",
        veto=r"\?\s*$|\bpeople\b",
    ),
    Rule(
        name="rule.habit",
        kind=Kind.RULE,
        importance=0.85,
        confidence=0.9,
        whole=True,
        pattern=r"make it a (?:habit|rule|point) to\s.{3,}",
    ),
    Rule(
        name="rule.call_me",
        kind=Kind.RULE,
        importance=0.85,
        confidence=0.9,
        whole=True,
        pattern=r"(?:please\s+|just\s+|you can\s+|i want you to\s+|but\s+|everyone (?:calls|can call)\s+)*call "
        r"me\s+(?P<value>(?-i:[A-Z])[\w'-]+(?:\s(?-i:[A-Z])[\w'-]+)?)(?=\s*(?:[,.!?;]|$|from|instead|please|"
        r"going|btw|lol|not|now|by))",
        fill=about_me("preferred name"),
    ),
    Rule(
        name="rule.the_rule",
        kind=Kind.RULE,
        importance=0.85,
        confidence=0.9,
        whole=True,
        pattern=r"(?:ok\s+)?(?:a\s+|the\s+|our\s+|my\s+|one\s+|new\s+|house\s+|general\s+|golden\s+|first\s+|team\s+|"
        r"only\s+|hard\s+|simple\s+|important\s+)*(?:rule|policy|convention|guideline|ground "
        r"rule)\b[^.:,?!]{0,50}?(?::|\s(?:is|says|here is)\b(?: that)?:?)\s*(?P<value>.{4,})",
        veto=r"\b(?:rule of thumb|privacy policy|refund policy|cancellation policy)\b|\?\s*$",
    ),
    Rule(
        name="rule.must",
        kind=Kind.RULE,
        importance=0.8,
        confidence=0.82,
        whole=False,
        pattern=r"(?:all|every|each|any|no|nothing|nobody|no one|everything|everyone|only)\b(?!\s+(?:in all|of a "
        r"sudden|i|we|you)\b)[^,;.?!\n]{0,80}?\s(?:must|may|has to|have to|needs?|should (?:always|never|"
        r"only)|shall|is to be|are to be|goes? (?:through|to|into|in)|gets?)\s.{2,}",
        veto=r"\b(?:i|we|you|he|she) (?:need|must|have to|may)\b|\bmay be (?:able|an?|the|some|wrong|late|because|"
        r"it|too)\b|\bno need\b|\ball (?:i|we|you) (?:need|have)|\bseems?\b",
    ),
    Rule(
        name="rule.no_without",
        kind=Kind.RULE,
        importance=0.8,
        confidence=0.88,
        whole=False,
        pattern=r"no\s+[^,;.?!\n]{2,60}\s(?:without|unless|before|after|on|until|in)\s.{3,}",
        veto=r"\b(?:pets|play|second thought|apartment)\b|"
        r"^no (?:make|i|it|that|just|please|thanks?|actually|let|can|you|refunds?)\b|"
        r"\bno (?:one|need|problem|worries|idea|matter|clue|doubt|need|rush|wonder|longer|way|luck|reason|"
        r"pressure|hurry)\b|\bplease tell\b",
    ),
    Rule(
        name="rule.thing_must",
        kind=Kind.RULE,
        importance=0.8,
        confidence=0.8,
        whole=False,
        pattern=r"(?:the|our|my|this|new|any)\s+[^,;.?!\n]{2,60}?\s(?:must (?:always |never |not )?|(?:should|is|are|"
        r"has to|have to) (?:always|never) |(?:are|is) (?:not allowed|never allowed|forbidden|off limits|only "
        r"allowed)).{2,}"
        r"|[a-z][\w-]+(?:\s[\w-]+){0,5}\s(?:(?:are|is|must|should|go|goes|get|gets)\s(?:always|never)|"
        r"(?:always|never)\s(?:get|gets|go|goes|need|needs|start|starts|end|ends|use|uses|have|has|"
        r"be))\s.{2,}"
        r"|(?:we|i)\s+(?:always|never)\s+(?!been|had|went|got|did|was|were|thought|knew|saw|wanted|heard|"
        r"liked|loved|felt|understood|found|seen|forget|know|feel|get|have time|seem|used to|hear|wonder|"
        r"wondered|said|meant|end|ended)(?![a-z]+ed\b)(?:commit|push|deploy|merge|use|write|release|ship|"
        r"rebase|test|review|run|squash|tag|sign|ask|document|lock|name|store|keep|send|invoice|pay|call|"
        r"schedule|hold|put|log|fly|take|leave|answer|share|charge|quote|accept|work)\b.{2,}",
        veto=r"^please\b|\b(?:apartment|furnished|bed ?room)\b|there\W*$|"
        r"\byou (?:must|should)\b|^(?:it|that|this|there|he|she|they|you)\b|\?\s*$|\bmust (?:have|be (?:a|an|"
        r"the|so|some|why|hard|nice|great))\b|\b(?:always|never) (?:special|fun|great|good|nice|worth|happy|"
        r"there|welcome|hard|tough|amazing|important|a|an|the|so)\b|^(?:those|these)\b",
    ),
    Rule(
        name="rule.imperative_standing",
        kind=Kind.RULE,
        importance=0.82,
        confidence=0.85,
        whole=True,
        pattern=rf"{IMPERATIVE}[^.!?\n]*\b(?:always|from now on|going forward|from here on|every time|each time|"
        rf"whenever (?:i|you)|in (?:the )?future|by default|at all times|without asking me|(?:in|for|to|with) "
        rf"(?:everything|anything|all) (?:you|i|we|that|my|our|your)|in every (?:pr|commit|file|reply|answer|"
        rf"email|message|response|module)|for every (?:pr|commit|file|change|module|feature|release|invoice)|"
        rf"when(?:ever)? i (?:ask|request|mention|say)|unless i (?:ask|say|tell)|any ?more|ever again)\b",
        veto=r"\?\s*$|\blet me know\b|\blet's\b",
    ),
    Rule(
        name="rule.dont_suggest",
        kind=Kind.RULE,
        importance=0.8,
        confidence=0.8,
        whole=True,
        pattern=r"(?:please\s+)?(?:don't|do not)\s+(?:suggest|recommend|schedule|book|call me|mention|invite|"
        r"sugarcoat|apologi[sz]e|send me|ask me (?:for|to)|offer|abbreviate|round|capitali[sz]e)\s+(?!it\b|"
        r"this|that|the\b|them|anything yet).{3,}",
        veto=r"\b(?:yet|for now|this time|right now|tonight|today)\b|\?\s*$",
    ),
    Rule(
        name="rule.whenever",
        kind=Kind.RULE,
        importance=0.85,
        confidence=0.88,
        whole=True,
        asked=True,
        pattern=rf"(?:whenever|every time|each time|any ?time|as soon as|before (?:any|every|each)|after (?:any|every|"
        rf"each))\s[^,.!?\n]{{3,60}},\s*{IMPERATIVE}.*",
        veto=r"\?\s*$|\blet me know\b|\blet's\b",
    ),
    Rule(
        name="rule.style",
        kind=Kind.RULE,
        importance=0.8,
        confidence=0.82,
        whole=True,
        pattern=r"(?:short|brief|concise|shorter|long|detailed|plain|simple|honest|direct)\s(?:answers|replies|"
        r"responses|explanations|messages|sentences)\s(?:only|please|are (?:best|enough|fine))\b.*|no need "
        r"(?:for|to)\s[^.!?\n]{3,60}\b(?:in your (?:answers|replies|responses|messages)|ever|when you)\b.*",
        veto=r"\?\s*$|\bthis time\b",
    ),
    # Procedures.
    Rule(
        name="procedure.to_do",
        kind=Kind.PROCEDURE,
        importance=0.7,
        confidence=0.85,
        whole=True,
        listing=True,
        asked=True,
        pattern=rf"(?:to|in order to)\s+(?!confirm|be\b|recap|clarify|sum|say|start with|begin with|me\b|you\b|make "
        rf"sure|double|date|my\b|our\b|the\b|your\b)[a-z-]+\b[^.!?\n]{{0,80}}?(?:,|:)\s*(?:we|you|i|just|first|"
        rf"simply|always|one)?\s*(?:need to\s+|have to\s+|must\s+|should\s+|can\s+|"
        rf"always\s+)?{IMPERATIVE}.{{3,}}"
        r"|(?:to|in order to)\s+[a-z-]+\b[^.!?\n,]{2,60}?\s(?:you|we|one)\s(?:first\s|just\s)?(?:hold|press|"
        r"open|run|turn|pull|push|unplug|restart|reboot|click|type|hit|tap|insert|lift|twist|dial|log|call|"
        r"ask|send|go|use|fill|email|ring)\b.{3,}|(?:to|in order to)\s+[a-z-]+\b[^.!?\n]{2,60}\s(?:you|we|i) "
        r"(?:need|have|must|must first|first|should|always|just)\s(?:to\s+)?[a-z]+\b.{3,}"
        r"|(?:to|in order to)\s+[a-z-]+\b[^.!?\n,]{2,60},\s*(?:we|you|first|just)\s+(?:first\s+|"
        r"just\s+)?(?!need|want|would)[a-z-]+\b.{5,}",
        veto=r"\bplease call\b|"
        r"^to (?:confirm|be clear|recap|clarify)\b|"
        r"\?\s*$|\b(?:can|could|would|will) you\b|\bwhat should\b|\bi (?:need|want|would like) (?:a|an|some|"
        r"help)\b|\bto be (?:honest|fair|clear)\b|\bhow (?:do|can|should) i\b",
    ),
    Rule(
        name="procedure.steps",
        kind=Kind.PROCEDURE,
        importance=0.7,
        confidence=0.88,
        whole=True,
        listing=True,
        pattern=r"(?:here(?:'s| is) how (?:we|i|to|you|our team)\b|this is how (?:we|i)\b|the way (?:we|i|to)\b|how "
        r"(?:we|i)\b|how to\b)[^.!?\n:]{2,60}:.*"
        r"|(?:the|our|my)\s+(?:[\w-]+\s+){0,4}?(?:steps?|process|procedure|workflow|routine|recipe|checklist|"
        r"runbook|drill|playbook|sequence|ritual)\b(?:\s(?:for|to|when|of)\s[^.!?\n:]{1,50}?)?(?:\s(?:is|are|"
        r"goes|looks like)(?: as follows| like this| this)?\b:?|:).{3,}"
        r"|(?:steps?|process|procedure|how-?to|runbook|checklist) (?:for|to|when)\s[^.!?\n:]{2,50}:.*"
        r"|(?:for|with)\s(?:the|our|my)\s[^,:.!?\n]{2,40}[:,]\s*(?:you\s+(?:need to\s+|have to\s+)?|just\s+|"
        r"first\s+)?(?:hold|press|open|run|turn|pull|push|unplug|restart|reboot|click|type|hit|tap|insert|"
        r"lift|twist|dial|log)\b.{3,}"
        r"|first\b[^.!?\n]{3,},?\s(?:and\s+)?then\s.{3,}"
        r"|(?:we|i)\s+(?:deploy|release|ship|publish|back up|migrate|test|onboard|restore|bake|brew|roll back|"
        r"rotate|provision|archive|invoice)\b[^.!?\n]{0,60}\sby\s(?:first\s+)?\w+ing\b.{3,}",
        veto=r"\bis (?:completed|complete|done|finished)\b|"
        r"\?\s*$|\b(?:can|could) you\b|\bthe process is (?:slow|broken|stuck|killed|running|not)\b",
    ),
    Rule(
        name="procedure.if_then",
        kind=Kind.PROCEDURE,
        importance=0.7,
        confidence=0.8,
        whole=True,
        asked=True,
        pattern=rf"(?:if|when|whenever|once|in case)\s+(?:the|our|a|an|any|it's|it "
        rf"is)\s+(?!same\b)[^.!?\n,]{{3,60}},\s*(?:then\s+|you\s+(?:have to\s+|need to\s+|must\s+|should\s+|"
        rf"can\s+)|we\s+|just\s+|first\s+|i\s+(?:always|usually)\s+)*{IMPERATIVE}.{{2,}}",
        veto=r"\?\s*$|\blet me know\b|\btell me\b|\bplease\s+(?:book|find|give me|show me)\b|\b(?:book|find) (?:me|"
        r"it|one)\b",
    ),
    Rule(
        name="rule.if_my",
        kind=Kind.RULE,
        importance=0.8,
        confidence=0.8,
        whole=True,
        asked=True,
        pattern=rf"(?:if|when|whenever)\s+(?:my|our)\s+[^.!?\n,]{{3,60}}?[, ]\s*{IMPERATIVE}.{{2,}}",
        veto=r"\?\s*$|\blet me know\b",
    ),
    Rule(
        name="procedure.for",
        kind=Kind.PROCEDURE,
        importance=0.7,
        confidence=0.82,
        whole=True,
        listing=True,
        pattern=rf"for\s(?!example|instance|context|now|this|me\b)[^,:.!?\n]{{2,40}}:\s*(?:first\s+|just\s+|"
        rf"you\s+)?{IMPERATIVE}[^.!?\n]*[,;][^.!?\n]*\S",
        veto=r"\?\s*$|\bi (?:love|prefer|like)\b",
    ),
)

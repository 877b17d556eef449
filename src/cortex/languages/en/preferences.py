"""What the speaker likes, dislikes and does by habit."""

from __future__ import annotations

from cortex.kinds import Kind
from cortex.languages.en import slots
from cortex.languages.en.phrases import I_AM, I_DO
from cortex.languages.pack import Rule

RULES: tuple[Rule, ...] = (
    Rule("preference.favourite", Kind.PREFERENCE, 0.7, 0.92, slots.favourite).worded(
        r"(?:my|our)\s+(?:absolute\s+|all[- ]time\s+|personal\s+|new\s+|current\s+)*(?:favou?rite|"
        r"fave)\s+(?!part\b|bit\b|thing about|of (?:the|these|those)\b)(?P<thing>[^,;.!?\n]{2,40}?)(?:\s+of "
        r"all time|\s+ever)?\s+(?:is|are|has to be|has always been|used to be|remains|would be|was|will "
        r"always be)\s+(?:now\s+|still\s+|definitely\s+|probably\s+)?(?P<value>[^,;.!?\n]{2,80})",
    ),
    Rule("preference.favourite_is", Kind.PREFERENCE, 0.7, 0.9).worded(
        r"[^,;.!?\n]{2,60}?\s(?:is|are)\s(?:definitely |still |probably |one of )*(?:my|our)\s(?:absolute |"
        r"all[- ]time |personal )*(?:favou?rites?|fave|go-to|passion|top pick|guilty pleasure|happy place|"
        r"comfort food|stress relief|stress fix|jam)\b.*",
        veto=r"^(?:that|this|it|which|what|these|those|he|she)\b",
    ),
    Rule("preference.prefer_over", Kind.PREFERENCE, 0.75, 0.93).worded(
        rf"(?:{I_DO}(?:would\s+|'d\s+)?prefer|(?:i'd|we'd)\s+prefer)\s+(?:to\s+)?[^;.!?\n]{{2,80}}?\s(?:over|to|"
        r"rather than|instead of|than)\s.{2,}",
        veto=r"\bairlines\b|\bspeaker\b|\bto be\b|\bhotel\b|\b(?:prefer (?:for|departing|leaving|returning|to (?:go|"
        r"leave|fly|travel|book|stay|see|watch|rent|ride|have|get|eat|visit|pay|take|attend|listen|be|arrive|depart|"
        r"do (?:it|that|this)|start|schedule)|it|that|this|the (?:first|second|former|latter|one|other))|option \w|"
        r"for this|this (?:one|time)|today|tonight|tomorrow|(?:am|pm)\b)\b",
    ),
    Rule("preference.prefer", Kind.PREFERENCE, 0.72, 0.85).worded(
        rf"{I_DO}prefer\s+(?!it|that|this|these|those|the\b|option|one\b|a\b|an\b|to (?:go|leave|fly|travel|book|stay|"
        r"see|watch|rent|ride|have|get|eat|visit|pay|take|attend|listen|be|arrive|depart)\b|not\b|your|\d|if\b|"
        r"something|some\b|any\b|another|economy|premium|business class|first class|flexible|\w+ airlines|"
        r"[\w ]{2,20}airlines).{2,}",
        veto=r""
        # A name alone chooses among what is on offer, unless it says what it is preferred for.
        r"\bprefer (?-i:[A-Z])(?:(?! for (?!the |this |that |my |our |it\b|now|me\b|\d|one\b|two\b|three\b|"
        r"(?-i:[A-Z])))[\w' .-])*$|\b(?:movies|films|songs|events|music|airlines|class|speaker|subtitles)\b|"
        r"\bis \w+ \w+$|\btravell?ing in\b|\b(?:for this|this (?:one|time)|today|tonight|tomorrow|right now|option \w|"
        r"instead)\b|\b\d{1,2}(?::\d\d)? ?(?:am|pm)\b|\?\s*$",
    ),
    Rule("preference.hate", Kind.PREFERENCE, 0.72, 0.88).worded(
        rf"(?:{I_DO}(?:hate|loathe|detest|despise|dislike|can't stand|cannot stand|can't bear|can't abide|abhor|avoid)|"
        rf"{I_DO}(?:don't|do not|never)\s+(?:really\s+|particularly\s+|much\s+)?(?:like|enjoy|love|care for|fancy)|"
        r"(?:i'm|i am|we're|we are)?\s*(?:really\s+)?(?:not|no|never)\s+(?:been\s+|much of\s+|really\s+)?(?:a|an|"
        rf"the)?\s?(?:big\s+|huge\s+|great\s+|massive\s+)?(?:fan of|into|keen on|fond of)|{I_AM}(?:afraid|scared|"
        r"terrified|frightened|sick|wary) of)\s+(?!it\b|that\b|this\b|them\b|him\b|you\b|to (?:say|break|ask|bother|"
        r"admit|see|be that|interrupt|disappoint)|these\b|those\b|the (?:idea|first|second|one|sound|way|result|answer|"
        r"last|new)|when\b|how\b|what\b|any of|either|your|doing this|having to ask|her\b|my life|my job right|"
        r"mondays?\b|myself).{2,}",
        veto=r"\bthe director\b|" r"\b(?:this one|right now|for this)\b",
    ),
    Rule("preference.love", Kind.PREFERENCE, 0.68, 0.85).worded(
        rf"(?:{I_DO}(?:love|adore|enjoy|worship|collect|swear by)|(?:i've|we've)\s+always (?:loved|liked|enjoyed|"
        rf"preferred)|{I_DO}(?:have )?(?:always )?(?:loved|enjoyed) (?=\w+ing\b|jazz)|{I_AM}(?:a\s+)?(?:big\s+|huge\s+|"
        r"massive\s+|great\s+|lifelong\s+)?(?:fan of|into|obsessed with|keen on|fond of|crazy about|mad about|"
        r"addicted to|passionate about|hooked on|partial to|more of an?|an?\s+(?:avid|keen|passionate|lifelong|"
        r"enthusiastic|early|morning|night|cat|dog|coffee|tea|big)|all about))\s+(?!it\b|that\b|this\b|them\b|him\b|"
        r"her\b|you\b|your|these\b|those\b|the (?:idea|first|second|one|sound|way|result|answer|last|new|part|color|"
        r"colour|design|detail|feel|vibe|energy|photo)|when\b|how\b|what\b|to (?:know|hear|see|have|get|try|go|be|help|"
        r"learn|watch|listen|find|book|make|check|visit|do|eat|rent|say|think|start|chat|talk|stay|come|join)\b|"
        r"the\b(?! (?-i:[A-Z]))|his\b|their\b|talking to|chatting|working with you|seeing|spending time with you|both|"
        r"hearing|all of|each|ya\b|life\b|doing (?:this|it|that)|being (?:here|part)|learning about|everything|every\b|"
        r"some\b).{2,}",
        veto=r"\bfind\b|\bevents?\b|travell?ing in|\b(?:airlines|theirs|sports events|rock events)\b|for example|"
        r"\b(?:please|tonight|directed|starring|watching [\w-]+ movies|this (?:one|time|weekend|evening)|right now|"
        r"so much!?$|and (?:i )?(?:want|need|would like))\b|\bfor today\b|\?\s*$",
    ),
    Rule("preference.like", Kind.PREFERENCE, 0.66, 0.78).worded(
        rf"{I_DO}like\s+(?:my\s+\w+\s+\w+|to\s+(?!know|hear|see|have|get|try|go to the|be\b|find|book|make a|"
        rf"check|visit|say|think|start|eat at|watch|listen|rent|order|buy|reserve|take the|play|transfer|"
        rf"hear)\w+|(?!it|that|this|these|those|the\b|your|you\b|a\b|an\b|to\b|how|what|when|one\b|some|any\b|"
        rf"both|him\b|her\b|them\b|option|my\b|all\b|our\b)\w+[^.!?\n]{{2,}})",
        veto=r"\blike (?-i:[A-Z])[\w' .-]*$|\b(?:movies|films|songs|events|music)\b[^a-z]*$|\bto (?:fix|go around)\b|"
        r"something around|\b(?:please|tonight|tomorrow|today|this (?:one|time)|right now|and (?:i )?(?:want|need|"
        r"would like|am)|on the \d|movies?\b|(?:directed|starring)|airlines?|music by|i'd|cuisine|economy|there$|"
        r"there\.|restaurants?|genre|songs?|events?|for now|it better)\b|\b\d{1,2}(?:st|nd|rd|th)\b|\?\s*$",
    ),
    Rule("preference.rather", Kind.PREFERENCE, 0.7, 0.82).worded(
        r"(?:i'd|i would|we'd|we would)\s+(?:much\s+|always\s+)?rather\s+(?!not "
        r"hide)(?:[^.!?\n]{3,}\sthan\s.{2,}|(?:have|use|get|read|work|write|not (?:use|have|work|"
        r"get))\s+(?!it\b|this|that|the\b|a\b|an\b|one\b|some|to\b|something).{3,})",
        veto=r"\b(?:tonight|today|tomorrow|economy|tickets?|people|this (?:one|time)|(?:am|pm)\b)",
    ),
    Rule("preference.usually", Kind.PREFERENCE, 0.6, 0.8).worded(
        r"(?:i|we)\s+(?:almost\s+|nearly\s+|pretty much\s+)?(?:usually|always|generally|normally|typically|"
        r"tend to|mostly|never|rarely|seldom|hardly ever|only ever|often)\s+(?!had|thought|wanted|knew|been|"
        r"did|was|were|saw|heard|felt|went|got|found|forget|feel|get|wonder|know|seem|end up|meant|said|see|"
        r"hear|think|considered|looked|realized|understood|liked|loved|came|made|gave|took|told|asked|worked|"
        r"tried|used to|finished|started|won|made it|noticed|want|wish|hope)(?![a-z]+ed\b)[a-z]+\b.{3,}",
        veto=r"\b(?:events|movies)\W*$|"
        r"\?\s*$|\b(?:have (?:a|no|time|trouble|problems)|here for|be here|be there|support you|keep you)\b",
    ),
)

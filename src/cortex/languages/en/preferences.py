"""What the speaker likes, dislikes and does by habit."""

from __future__ import annotations

from cortex.kinds import Kind
from cortex.languages.en import slots
from cortex.languages.en.phrases import I_AM, I_DO
from cortex.languages.pack import Rule

RULES: tuple[Rule, ...] = (
    Rule(
        name="preference.favourite",
        kind=Kind.PREFERENCE,
        importance=0.7,
        confidence=0.92,
        fill=slots.favourite,
        pattern=r"(?:my|our)\s+(?:absolute\s+|all[- ]time\s+|personal\s+|new\s+|current\s+)*(?:favou?rite|"
        r"fave)\s+(?!part\b|bit\b|thing about|of (?:the|these|those)\b)(?P<thing>[^,;.!?\n]{2,40}?)(?:\s+of "
        r"all time|\s+ever)?\s+(?:is|are|has to be|has always been|used to be|remains|would be|was|will "
        r"always be)\s+(?:now\s+|still\s+|definitely\s+|probably\s+)?(?P<value>[^,;.!?\n]{2,80})",
    ),
    Rule(
        name="preference.favourite_is",
        kind=Kind.PREFERENCE,
        importance=0.7,
        confidence=0.9,
        pattern=r"[^,;.!?\n]{2,60}?\s(?:is|are)\s(?:definitely |still |probably |one of )*(?:my|our)\s(?:absolute |"
        r"all[- ]time |personal )*(?:favou?rites?|fave|go-to|passion|top pick|guilty pleasure|happy place|"
        r"comfort food|stress relief|stress fix|jam)\b.*",
        veto=r"^(?:that|this|it|which|what|these|those|he|she)\b",
    ),
    Rule(
        name="preference.prefer_over",
        kind=Kind.PREFERENCE,
        importance=0.75,
        confidence=0.93,
        pattern=rf"(?:{I_DO}(?:would\s+|'d\s+)?prefer|(?:i'd|we'd)\s+prefer)\s+(?:to\s+)?[^;.!?\n]{{2,80}}?\s(?"
        rf":over|to|"
        rf"rather than|instead of|than)\s.{{2,}}",
        veto=r"\bairlines\b|\bspeaker\b|"
        r"\bto be\b|\bhotel\b|"
        r"\b(?:prefer (?:for|departing|leaving|returning|to (?:go|leave|fly|travel|book|stay|see|watch|rent|"
        r"ride|have|get|eat|visit|pay|take|attend|listen|be|arrive|depart|do (?:it|that|this)|start|schedule)|"
        r"it|that|this|the (?:first|second|former|latter|one|other))|option \w|for this|this (?:one|time)|"
        r"today|tonight|tomorrow|(?:am|pm)\b)\b",
    ),
    Rule(
        name="preference.prefer",
        kind=Kind.PREFERENCE,
        importance=0.72,
        confidence=0.85,
        pattern=rf"{I_DO}prefer\s+(?!it|that|this|these|those|the\b|option|one\b|a\b|an\b|to (?:go|leave|fly|"
        rf"travel|book|"
        rf"stay|see|watch|rent|ride|have|get|eat|visit|pay|take|attend|listen|be|arrive|depart)\b|not\b|your|"
        rf"\d|if\b|something|some\b|any\b|another|economy|premium|business class|first class|flexible|\w+ "
        rf"airlines|[\w ]{{2,20}}airlines).{{2,}}",
        veto=r""
        # A name alone chooses among what is on offer, unless it says what it is preferred for.
        r"\bprefer (?-i:[A-Z])(?:(?! for (?!the |this |that |my |our |it\b|now|me\b|\d|one\b|two\b|three\b|"
        r"(?-i:[A-Z])))[\w' .-])*$|\b(?:movies|films|songs|events|music|airlines|class|speaker|"
        r"subtitles)\b|\bis \w+ \w+$|\btravell?ing in\b|"
        r"\b(?:for this|this (?:one|time)|today|tonight|tomorrow|right now|option \w|instead)\b|"
        r"\b\d{1,2}(?::\d\d)? ?(?:am|pm)\b|\?\s*$",
    ),
    Rule(
        name="preference.hate",
        kind=Kind.PREFERENCE,
        importance=0.72,
        confidence=0.88,
        pattern=rf"(?:{I_DO}(?:hate|loathe|detest|despise|dislike|can't stand|cannot stand|can't bear|can't "
        rf"abide|abhor|"
        rf"avoid)|{I_DO}(?:don't|do not|never)\s+(?:really\s+|particularly\s+|much\s+)?(?:like|enjoy|love|care "
        rf"for|fancy)|(?:i'm|i am|we're|we are)?\s*(?:really\s+)?(?:not|no|never)\s+(?:been\s+|much of\s+|"
        rf"really\s+)?(?:a|an|the)?\s?(?:big\s+|huge\s+|great\s+|massive\s+)?(?:fan of|into|keen on|fond of)|"
        rf"{I_AM}(?:afraid|scared|terrified|frightened|sick|wary) of)\s+(?!it\b|that\b|this\b|them\b|him\b|"
        rf"you\b|to (?:say|break|ask|bother|admit|see|be that|interrupt|disappoint)|these\b|those\b|the "
        rf"(?:idea|first|second|one|sound|way|result|answer|last|new)|when\b|how\b|what\b|any of|either|your|"
        rf"doing this|having to ask|her\b|my life|my job right|mondays?\b|myself).{{2,}}",
        veto=r"\bthe director\b|" r"\b(?:this one|right now|for this)\b",
    ),
    Rule(
        name="preference.love",
        kind=Kind.PREFERENCE,
        importance=0.68,
        confidence=0.85,
        pattern=rf"(?:{I_DO}(?:love|adore|enjoy|worship|collect|swear by)|(?:i've|we've)\s+always (?:loved|liked|"
        rf"enjoyed|"
        rf"preferred)|{I_DO}(?:have )?(?:always )?(?:loved|enjoyed) (?=\w+ing\b|jazz)|{I_AM}(?:a\s+)?(?:big\s+|"
        rf"huge\s+|massive\s+|great\s+|lifelong\s+)?(?:fan of|into|obsessed with|keen on|fond of|crazy about|"
        rf"mad about|addicted to|passionate about|hooked on|partial to|more of an?|an?\s+(?:avid|keen|"
        rf"passionate|lifelong|enthusiastic|early|morning|night|cat|dog|coffee|tea|big)|all about))\s+(?!it\b|"
        rf"that\b|this\b|them\b|him\b|her\b|you\b|your|these\b|those\b|the (?:idea|first|second|one|sound|way|"
        rf"result|answer|last|new|part|color|colour|design|detail|feel|vibe|energy|photo)|when\b|how\b|what\b|"
        rf"to (?:know|hear|see|have|get|try|go|be|help|learn|watch|listen|find|book|make|check|visit|do|eat|"
        rf"rent|say|think|start|chat|talk|stay|come|join)\b|the\b(?! (?-i:[A-Z]))|his\b|their\b|talking to|"
        rf"chatting|working with you|seeing|spending time with you|both|hearing|all of|each|ya\b|life\b|doing "
        rf"(?:this|it|that)|being (?:here|part)|learning about|everything|every\b|some\b).{{2,}}",
        veto=r"\bfind\b|\bevents?\b|travell?ing in|"
        r"\b(?:airlines|theirs|sports events|rock events)\b|for example|"
        r"\b(?:please|tonight|directed|starring|watching [\w-]+ movies|this (?:one|time|weekend|evening)|"
        r"right now|so much!?$|and (?:i )?(?:want|need|would like))\b|\bfor today\b|\?\s*$",
    ),
    Rule(
        name="preference.like",
        kind=Kind.PREFERENCE,
        importance=0.66,
        confidence=0.78,
        pattern=rf"{I_DO}like\s+(?:my\s+\w+\s+\w+|to\s+(?!know|hear|see|have|get|try|go to the|be\b|find|book|make a|"
        rf"check|visit|say|think|start|eat at|watch|listen|rent|order|buy|reserve|take the|play|transfer|"
        rf"hear)\w+|(?!it|that|this|these|those|the\b|your|you\b|a\b|an\b|to\b|how|what|when|one\b|some|any\b|"
        rf"both|him\b|her\b|them\b|option|my\b|all\b|our\b)\w+[^.!?\n]{{2,}})",
        veto=r"\blike (?-i:[A-Z])[\w' .-]*$|\b(?:movies|films|songs|events|music)\b[^a-z]*$|\bto (?:fix|go "
        r"around)\b|something around|"
        r"\b(?:please|tonight|tomorrow|today|this (?:one|time)|right now|and (?:i )?(?:want|need|would like|"
        r"am)|on the \d|movies?\b|(?:directed|starring)|airlines?|music by|i'd|cuisine|economy|there$|there\.|"
        r"restaurants?|genre|songs?|events?|for now|it better)\b|\b\d{1,2}(?:st|nd|rd|th)\b|\?\s*$",
    ),
    Rule(
        name="preference.rather",
        kind=Kind.PREFERENCE,
        importance=0.7,
        confidence=0.82,
        pattern=r"(?:i'd|i would|we'd|we would)\s+(?:much\s+|always\s+)?rather\s+(?!not "
        r"hide)(?:[^.!?\n]{3,}\sthan\s.{2,}|(?:have|use|get|read|work|write|not (?:use|have|work|"
        r"get))\s+(?!it\b|this|that|the\b|a\b|an\b|one\b|some|to\b|something).{3,})",
        veto=r"\b(?:tonight|today|tomorrow|economy|tickets?|people|this (?:one|time)|(?:am|pm)\b)",
    ),
    Rule(
        name="preference.usually",
        kind=Kind.PREFERENCE,
        importance=0.6,
        confidence=0.8,
        pattern=r"(?:i|we)\s+(?:almost\s+|nearly\s+|pretty much\s+)?(?:usually|always|generally|normally|typically|"
        r"tend to|mostly|never|rarely|seldom|hardly ever|only ever|often)\s+(?!had|thought|wanted|knew|been|"
        r"did|was|were|saw|heard|felt|went|got|found|forget|feel|get|wonder|know|seem|end up|meant|said|see|"
        r"hear|think|considered|looked|realized|understood|liked|loved|came|made|gave|took|told|asked|worked|"
        r"tried|used to|finished|started|won|made it|noticed|want|wish|hope)(?![a-z]+ed\b)[a-z]+\b.{3,}",
        veto=r"\b(?:events|movies)\W*$|"
        r"\?\s*$|\b(?:have (?:a|no|time|trouble|problems)|here for|be here|be there|support you|keep you)\b",
    ),
)

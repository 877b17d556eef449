"""What is told for every time, and how something is done."""

from __future__ import annotations

from cortex.kinds import Kind
from cortex.languages.en.phrases import IMPERATIVE
from cortex.languages.pack import Rule, about_me

RULES: tuple[Rule, ...] = (
    Rule("rule.call_me", Kind.RULE, 0.85, 0.9, about_me("preferred name"), whole=True).worded(
        r"(?:please\s+|just\s+|you can\s+|i want you to\s+|but\s+|everyone (?:calls|can call)\s+)*call "
        r"me\s+(?P<value>(?:(?-i:Mr|Mrs|Ms|Dr|Prof)\.?\s)?(?-i:[A-Z])[\w'-]+(?:\s(?-i:[A-Z])[\w'-]+)?)"
        r"(?=\s*(?:[,.!?;]|$|from|instead|please|going|btw|lol|not|now|by))",
    ),
    # Standing instructions.
    Rule("rule.instruction", Kind.RULE, 0.85, 0.9, whole=True, in_requests=True, instructs=True).worded(
        r"[^\W\d_]",
    ),
    Rule("rule.the_rule", Kind.RULE, 0.85, 0.9, whole=True).worded(
        r"(?:ok\s+)?(?:a\s+|the\s+|our\s+|my\s+|one\s+|new\s+|house\s+|general\s+|golden\s+|first\s+|team\s+|"
        r"only\s+|hard\s+|simple\s+|important\s+)*(?:rule|policy|convention|guideline|ground "
        r"rule)\b[^.:,?!]{0,50}?(?::|\s(?:is|says|here is)\b(?: that)?:?)\s*(?P<value>.{4,})",
        veto=r"\b(?:rule of thumb|privacy policy|refund policy|cancellation policy)\b|\?\s*$",
    ),
    Rule("rule.must", Kind.RULE, 0.8, 0.82, whole=False).worded(
        r"(?:all|every|each|any|no|nothing|nobody|no one|everything|everyone|only)\b(?!\s+(?:in all|of a "
        r"sudden|i|we|you)\b)[^,;.?!\n]{0,80}?\s(?:must|may|has to|have to|needs?|should (?:always|never|"
        r"only)|shall|is to be|are to be|goes? (?:through|to|into|in)|gets?)\s.{2,}",
        veto=r"\b(?:i|we|you|he|she) (?:need|must|have to|may)\b|\bmay be (?:able|an?|the|some|wrong|late|because|"
        r"it|too)\b|\bno need\b|\ball (?:i|we|you) (?:need|have)|\bseems?\b",
    ),
    Rule("rule.no_without", Kind.RULE, 0.8, 0.88, whole=False).worded(
        r"no\s+[^,;.?!\n]{2,60}\s(?:without|unless|before|after|on|until|in)\s.{3,}",
        veto=r"\b(?:pets|play|second thought|apartment)\b|^no (?:make|i|it|that|just|please|thanks?|actually|let|can|"
        r"you|refunds?)\b|\bno (?:one|need|problem|worries|idea|matter|clue|doubt|need|rush|wonder|longer|way|luck|"
        r"reason|pressure|hurry)\b|\bplease tell\b",
    ),
    Rule("rule.thing_must", Kind.RULE, 0.8, 0.8, whole=False).worded(
        r"(?:the|our|my|this|new|any)\s+[^,;.?!\n]{2,60}?\s(?:must (?:always |never |not )?|(?:should|is|are|has to|"
        r"have to) (?:always|never) |(?:are|is) (?:not allowed|never allowed|forbidden|off limits|only allowed)).{2,}"
        r"|(?!(?:i|we)\b)[a-z][\w-]+(?:\s[\w-]+){0,5}\s(?:(?:are|is|must|should|go|goes|get|gets)\s(?:always|never)|"
        r"(?:always|never)\s(?:get|gets|go|goes|need|needs|start|starts|end|ends|use|uses|have|has|be))\s.{2,}"
        r"|we\s+(?:always|never)\s+(?:commit|push|deploy|merge|use|write|release|ship|rebase|test|review|run|squash|"
        r"tag|sign|document|lock|name|store|send|invoice|log|charge|quote|accept)\b.{2,}",
        veto=r"^please\b|\b(?:apartment|furnished|bed ?room)\b|there\W*$|"
        r"\byou (?:must|should)\b|^(?:it|that|this|there|he|she|they|you)\b|\?\s*$|\bmust (?:have|be (?:a|an|"
        r"the|so|some|why|hard|nice|great))\b|\b(?:always|never) (?:special|fun|great|good|nice|worth|happy|"
        r"there|welcome|hard|tough|amazing|important|a|an|the|so)\b|^(?:those|these)\b",
    ),
    # What someone always does says what suits them; it asks nothing of anybody.
    Rule("preference.always", Kind.PREFERENCE, 0.6, 0.8).worded(
        r"i\s+(?:always|never)\s+(?:commit|push|deploy|merge|use|write|release|ship|rebase|test|review|run|squash|tag|"
        r"sign|ask|document|lock|name|store|keep|send|invoice|pay|call|schedule|hold|put|log|fly|take|leave|answer|"
        r"share|charge|quote|accept|work|eat|drink|cook|order|buy|wear|book|sit|travel)\b.{2,}",
        veto=r"\?\s*$|\b(?:used to|when i was)\b",
    ),
    # Procedures.
    Rule("procedure.to_do", Kind.PROCEDURE, 0.7, 0.85, whole=True, listing=True, in_requests=True).worded(
        r"(?:to|in order to)\s+(?!confirm|be\b|recap|clarify|sum|say|start with|begin with|me\b|you\b|make sure|double|"
        r"date|my\b|our\b|the\b|your\b)[a-z-]+\b[^.!?\n]{0,80}?(?:,|:)\s*(?:we|you|i|just|first|simply|always|"
        rf"one)?\s*(?:need to\s+|have to\s+|must\s+|should\s+|can\s+|always\s+)?{IMPERATIVE}.{{3,}}"
        r"|(?:to|in order to)\s+[a-z-]+\b[^.!?\n,]{2,60}?\s(?:you|we|one)\s(?:first\s|just\s)?(?:hold|press|open|run|"
        r"turn|pull|push|unplug|restart|reboot|click|type|hit|tap|insert|lift|twist|dial|log|call|ask|send|go|use|fill|"
        r"email|ring)\b.{3,}|(?:to|in order to)\s+[a-z-]+\b[^.!?\n]{2,60}\s(?:you|we|i) (?:need|have|must|must first|"
        r"first|should|always|just)\s(?:to\s+)?[a-z]+\b.{3,}"
        r"|(?:to|in order to)\s+[a-z-]+\b[^.!?\n,]{2,60},\s*(?:we|you|first|just)\s+(?:first\s+|just\s+)?(?!need|want|"
        r"would)[a-z-]+\b.{5,}",
        veto=r"\bplease call\b|^to (?:confirm|be clear|recap|clarify)\b|\?\s*$|\b(?:can|could|would|will) you\b|"
        r"\bwhat should\b|\bi (?:need|want|would like) (?:a|an|some|help)\b|\bto be (?:honest|fair|clear)\b|"
        r"\bhow (?:do|can|should) i\b",
    ),
    Rule("procedure.steps", Kind.PROCEDURE, 0.7, 0.88, whole=True, listing=True).worded(
        r"(?:here(?:'s| is) how (?:we|i|to|you|our team)\b|this is how (?:we|i)\b|the way (?:we|i|to)\b|how "
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
    Rule("procedure.if_then", Kind.PROCEDURE, 0.7, 0.8, whole=True, in_requests=True).worded(
        rf"(?:if|when|whenever|once|in case)\s+(?:the|our|a|an|any|it's|it "
        rf"is)\s+(?!same\b)[^.!?\n,]{{3,60}},\s*(?:then\s+|you\s+(?:have to\s+|need to\s+|must\s+|should\s+|"
        rf"can\s+)|we\s+|just\s+|first\s+|i\s+(?:always|usually)\s+)*{IMPERATIVE}.{{2,}}",
        veto=r"\?\s*$|\blet me know\b|\btell me\b|\bplease\s+(?:book|find|give me|show me)\b|\b(?:book|find) (?:me|"
        r"it|one)\b",
    ),
    Rule("rule.if_my", Kind.RULE, 0.8, 0.8, whole=True, in_requests=True).worded(
        rf"(?:if|when|whenever)\s+(?:my|our)\s+[^.!?\n,]{{3,60}}?[, ]\s*{IMPERATIVE}.{{2,}}",
        veto=r"\?\s*$|\blet me know\b",
    ),
)

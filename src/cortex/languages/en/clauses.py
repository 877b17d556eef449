"""Where an English sentence falls into statements, and which of its parts only ask."""

from __future__ import annotations

from cortex.languages.pack import ClauseWords

_SUBJECT = (
    r"(?:i|i'm|i've|i'd|i'll|we|we're|we've|we'd|we'll|he|he's|she|she's|they|they're|they've|it|it's|my|our|his|her|"
    r"their|the|this|that|there|there's|these|those|someone|everyone|nobody)"
)
_FINITE = (
    r"(?:am|is|are|was|were|have|has|had|do|does|did|will|would|can|could|should|got|went|took|made|met|said|told|gave|"
    r"wants?|needs?|thinks?|likes?|loves?|lives?|works?|uses?|runs?|costs?|[a-z]{2,20}ed)\b"
)
_NAME = rf"(?-i:[A-Z][\w'-]*(?:\s[A-Z][\w'-]*)?)(?='s\s|\s(?:also\s|just\s|now\s|recently\s)?{_FINITE})"
_OPENS = rf"(?:{_SUBJECT}\s\S|{_NAME})"
_NO_VERB_AFTER = r"(?<!ly\s)" + "".join(
    rf"(?<!\b{word}\s)" for word in "and or of for with to in on an a the my i i've we we've you".split()
)
_WHOLE = (
    r"(?:(?:i|we|he|she|they|it|there|someone|everyone|nobody)(?:'[a-z]{1,2})?\s"
    rf"|(?:my|our|his|her|their|the|this|that|these|those)\s(?:[\w'%$.,-]{{1,20}}\s){{1,8}}?{_NO_VERB_AFTER}{_FINITE}|"
    rf"{_NAME})"
)
"""The opening of a clause with a verb of its own: "my increased rent" has none."""
_ASKING_WORD = (
    r"(?:can|could|would|will|do|does|did|should|shall|may|might|is|are|am|was|were|have|has|what|what's|how|how's|why|"
    r"any|please|let's|tell|show|help|give|suggest|explain|recommend|walk|provide|ensure)"
)
_ASKING_AFTER = (
    r"(?:which\s(?:\w+\s){0,2}?(?:is|are|should|can|could|do|does|would|will)|(?:where|who|when)(?:'s)?\s(?:is|are|"
    r"should|can|could|do|does|would|will)\s(?:i|we|you|the|a|it|my|be|own|do)\b)"
)
_VERB = (
    r"(?:'\w+|am|is|are|was|were|have|has|had|do|did|will|would|can|could|want|need|think|know|live|work|use|earn|pay|"
    r"own|weigh|spend|save|keep|teach|study|\w+ed)\b"
)
_CAUSE = (
    r"(?:since(?!\s(?:we|our)\s(?:last|have|talk|spoke|met|chat))|because|considering(?:\sthat)?|given(?:\sthat|"
    r"\show)?|seeing\s(?:as|that|how)|although|though|even\sthough|whereas|now\sthat)"
)
_AUXILIARY = (
    r"(?:can|could|would|will|do|does|did|should|shall|may|might|is|are|am|was|were|have|has|isn't|aren't|don't|"
    r"doesn't|didn't|won't|wouldn't|couldn't|can't|haven't|hasn't)"
)

ENGLISH = ClauseWords(
    breaks=(
        rf"[,;]?\s(?:and|but|so|yet|or|plus)\s(?:also\s|then\s|now\s|currently\s|so\s)?(?={_OPENS})"
        rf"|[,;]\s(?:and\s|but\s|so\s)?(?:also\s|then\s|maybe\s)?(?={_ASKING_WORD}\b|{_ASKING_AFTER}[^.!]*\?)"
        rf"|[,;]?\s(?:(?:and|but|especially|particularly|mainly)\s)?{_CAUSE}\s(?={_WHOLE})"
        rf"|\s(?:the\sfact\sthat|an?\s(?:situation|case)\swhere)\s(?={_WHOLE})"
        r"|\s[–—-]{1,2}\s|;\s|\.\.\.\s|…\s?"
        rf"|,\s(?={_SUBJECT}\s{_VERB}|{_NAME}|(?:i|we)'(?:m|re|ve|d|ll)\s)"
    ),
    joins=frozenset({"and", "or", "but", "so"}),
    couples=(
        r"(?:^|,\s|\b(?:ensure|that|so|if|how|when|while|because|where|since|both)\s)(?:(?-i:[A-Z][\w'-]{1,20})|"
        r"(?:my|our)\s(?:[a-z-]{2,20}\s)?[a-z-]{2,20})$"
    ),
    opens=(rf"(?:{_CAUSE}|as)\s(?={_WHOLE})|(?:and|but|so|also|plus|the fact that)\s(?={_SUBJECT}\b|{_NAME})"),
    stands=(
        r"(?:i|we|he|she|they|it|there|someone|everyone|nobody)(?:'[a-z]{1,2})?\s"
        rf"|(?:my|our|his|her|their|the|this|that|these|those)\s(?:[\w'-]{{1,20}}\s){{1,6}}?{_FINITE}|{_NAME}"
    ),
    asks=(
        r"(?:(?:so|and|but|also|then|well|okay|ok|hey|hi|please|sorry|thanks|thank you|by the way|btw|actually|just|"
        rf"anyway)[,.!]?\s){{0,3}}(?:{_AUXILIARY}\s(?:i|you|we|he|she|they|it|there|this|that|these|those|my|our|your|"
        r"the|an?|any|anyone|someone)\b"
        r"|(?:what|what's|how|how's|which|where|where's|when|when's|why|who|who's|whose)\b"
        r"|any\s(?:tips|advice|ideas|thoughts|suggestions|recommendations|chance|way)\b|any(?:\s[\w'-]{1,30}){1,5}\?"
        r"|(?:please|let's|tell me|show me|help me|give me|suggest|explain|recommend|walk me|do you|would you|provide|"
        r"ensure (?:that|i|my|the)|also (?:include|provide|explain|show|suggest))\b"
        r"|if\s(?:so|not|you)\b"
        r"|(?:i was|i'm|i am|just)\s(?:just\s|kinda\s|also\s|really\s){0,2}(?:wondering|curious|hoping (?:you|to get)|"
        r"asking)\b"
        r"|(?:i'm|i am|i was)\s(?:just |still |kinda |a bit |really |also ){0,2}(?:not (?:really |quite |entirely |"
        r"exactly )?sure|unsure|unclear|confused|uncertain|stuck)\b"
        r"|i (?:don't|do not) (?:really )?know (?:how|what|if|whether|which|where)\b"
        r"|i(?: need| want|'d like| would like| could use) (?:some |your |a )?(?:help|advice|tips|guidance|feedback|"
        r"input|to (?:know|understand|see if|verify|check|confirm|(?:make sure|ensure)(?![^.?\d]{1,60}\d)))\b)"
    ),
    trails=(
        r"(?:i'm|i am|i've been|we're) (?:just |still |kinda |a bit |really |"
        r"also ){0,2}(?:having (?:some )?(?:trouble|issues?|"
        r"difficulty|difficulties|problems?)|struggling to|(?:worried|concerned) (?:about|that)|getting an? error)\b"
    ),
    verb=(
        r"\b(?:am|is|are|was|were|be|been|have|has|had|do|does|did|will|would|can|could|should|\w+ed|\w+s|got|went|"
        r"took|made|"
        r"met|live|work|use|like|love|want|need|think|plan|prefer|own|keep|feel|know|get|go|run|make|bought|"
        r"earn|pay|weigh|spend|save|teach|study|please)\b"
        r"|'(?:m|s|re|ve|d|ll)\b"
    ),
    mentions=r"\b(?:my|our)\s(?:[a-z][\w'/-]*,?\s){1,9}?(?:[$€£¥#]|\b)\d[^?;:!]*?(?=[?;:!]|,\s|$)",
    errands=(
        r"\b(?:leaving|departing|arriving|returning|checking (?:in|out)) (?:from|on|at|for|in|next|this|tomorrow)\b"
        r"|\bmy (?:date of )?(?:arrival|departure|destination|check-? ?(?:in|out)|travel|return|party) (?:date |time )?"
        r"(?:is|will|has|starts?)\b|\b(?:there (?:is|are|will be)|it's) \w+ of us (?:leaving|going|travel\w+)\b"
        r"|\bwon't be needing\b|\b(?:economy|business) (?:class|extra|tickets?)\b"
        r"|\b(?:plan(?:ning)?|decided) (?:to|on) leav(?:e|ing)\b|\bnew to (?:this|the) (?:city|area|town)\b"
    ),
    phrases=r"^(?:given|considering)\b|^(?:was|were|is|are|does|did)\s[a-z]",
    closes=r",?\s(?:any (?:advice|tips|ideas|thoughts|suggestions)|but anyway|you know|right)\??$",
    unreal=(
        r"^(?:if|what if|suppose|supposing|imagine|assuming|let's say|say i|pretend|hypothetically|unless|were i|"
        r"had i|i wish|if only|even if)\b|\bif\b[^.]{1,160}(?:\bwould\b|'d\b)|(?:\bwould\b|'d\b)[^.]{1,160}\bif\b"
    ),
)

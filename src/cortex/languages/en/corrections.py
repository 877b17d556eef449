"""What was said wrongly, where no other rule knows what it is about."""

from __future__ import annotations

from cortex.kinds import Kind
from cortex.languages.en import slots
from cortex.languages.pack import Rule, Slot

RULES: tuple[Rule, ...] = (
    Rule("correction.isnt", Kind.FACT, 0.6, 0.8, lambda match: Slot(slots.thing(match["thing"])), whole=True).worded(
        r"(?P<thing>(?:my|our|the)\s[^,;.!?\n]{2,40}?)\s(?:isn't|is not|aren't|are not|wasn't|was not|'s "
        r"not)\s[^,;!?\n]{1,40}[,;]\s*(?:it's|it is|but|they're|it was|that's)\s.{1,}",
        veto=r"\b(?:working|sure|ready|possible|apartment|but (?:i|it|pets))\b|\?\s*$",
    ),
    Rule("correction.im_not", Kind.FACT, 0.65, 0.8, whole=True).worded(
        r"(?:i'm|i am|we're|we are)\s+not\s+(?!sure|certain|saying|asking|going|trying|looking|"
        r"really)[^,;.!?\n]{2,40},\s*(?:just|but|i'm|i am|only|we're|rather)\s+(?!i'm not|not|"
        r"i\b)(?:an?\s+)?[\w -]{3,}.*",
        veto=r"\?\s*$|\b(?:sure|want|think|curious|wondering)\b",
    ),
    Rule("correction.said", Kind.FACT, 0.6, 0.8, whole=True).worded(
        r"i (?:said|wrote|typed|told you|put)\s[^.!?\n]{1,40}?[,;]?\s(?:but\s)?(?:i meant|i mean|it's|it is|"
        r"it should be|that should be)\s.{1,}",
        veto=r"\?\s*$",
    ),
    Rule("correction.not", Kind.FACT, 0.6, 0.75).worded(
        r"(?:it's|it is|that's|they're|it was|her name is|his name is|i meant(?: to say)?|i said|i mean|it "
        r"should (?:be|say)|make that|the correct \w+ is)\s+[^,;.!?\n]{1,60}(?:,|\s+and)\s+(?:not||instead of|"
        r"rather than)\s+.{1,}",
        veto=r"^(?:it's|that's) (?:fine|ok|okay|good|great|just|a bit|not|nice)|\?\s*$|\b(?:not (?:bad|sure|what|"
        r"quite|working|a problem|that|the (?:same|best)|too|so|yet|really|necessary|easy|fair|enough))\b|"
        r"\b(?:am|pm|ticket|seats?|people|the \d)\b",
    ),
)

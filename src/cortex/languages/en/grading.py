"""By which words English shows how much a memory matters."""

GRADING = {
    "rule": r"\b(?:from now on|going forward|in (?:the )?future)\b|^\W*(?:please\s+)?(?:always|never(?! mind)|don't|"
    r"do not|only|use|keep|ask|treat|avoid)\b|\b(?:always|never(?! ?mind)|must(?: not)?|mustn't|may not|not allowed|"
    r"forbidden|mandatory|off limits|policy|convention|guidelines?)\b|\b(?:every|each|all)\b.{1,40}\b(?:needs?|have "
    r"to|has to|go(?:es)?|are to|is to)\b|^\W*(?:if|when(?:ever)?)\b.{3,120}[,;]\s*(?:please\s+)?(?:do|don't|ask|call|"
    r"hand|stop|use|only|sign|send|write|tell|warn|put|never|always)\b|\bthe assistant should\b|^\W*no \w+ (?:on|"
    r"after|before|without)\b",
    "preference": r"\b(?:prefers?|preferred|favou?rite|rather (?:have|than|not)|(?:i|user) (?:really )?(?:likes?|"
    r"loves?|enjoys?|hates?|dislikes?|wants?)|how i like|can't stand|not into|(?:big )?fan of|fond of|keen on|works? "
    r"best with|please (?:don't|no)|call me)\b",
    "constraint": r"\b(?:allerg(?:y|ic|ies)|intoleran(?:t|ce)|coeliac|celiac|diabet(?:es|ic)|epilep(?:sy|tic)|asthma|"
    r"pregnant|pacemaker|vegan|vegetarian|kosher|halal|gluten[- ]free|blood thinners?|epipen|wheelchair|hard of "
    r"hearing|(?:don't|doesn't|can't|cannot|mustn't|must not) (?:eat|drink|take|drive|have|get)|religious reasons|"
    r"medication)\b",
    "asked": r"\b(?:(?:don't|do not|never) forget|keep (?:this |it |that )?in mind|bear in mind|make a note|take a "
    r"note|note (?:for later|that|to self)|write (?:this|that) down|save this|for the record|remind me)\b|"
    r"^\W*(?:please\s+)?(?:remember|note)\b(?! when)",
    "decision": r"\b(?:decided|decision|agreed (?:to|on|that)|settled on|opted (?:for|to)|chose|chosen|final call|"
    r"(?:going|go|went|sticking|stick|stay|stays|staying) with|let's (?:do it|go with)|we(?:'ll| will)(?: not| no "
    r"longer)? (?:use|go|support|rent|buy|move|keep|get|stop)|signed off|has been approved|been approved|has "
    r"confirmed|rejected|voted|signed up|moves? to \d|stays? at|it's settled)\b",
    "procedure": r"\b(?:steps?(?: are|:| for| to)|step \d|how to|procedure|runbook|checklist|recipe|rollback:)\b|"
    r"\bfirst\b.{1,200}\b(?:then|next|finally)\b|^\W*(?:to|in order to|for a new)\s+\w+.{0,60}[,:]\s*\S|\b(?:run|"
    r"click|open|press|hold|install|ssh|kill|mix|unplug|restart)\b.{0,200}\b(?:then|and|until|wait)\b",
    "task": r"\b(?:to ?do|open:|outstanding|action item|next step|follow up|still (?:have to|need|needs|to)|(?:i|we) "
    r"(?:have to|need to|should|must)|need to|has to be|waiting for|is due|are due|due (?:on|by|in)|deadline|by the "
    r"end of|before the end of|hand in|pending)\b",
    "incident": r"\b(?:incident|outage|downtime|went down|was down|were down|is down|broke|broken|crash(?:ed|es)|"
    r"fail(?:ed|ure|s)|lost|leaked|leak|flooded|froze|collapsed|died|bug|hacked|breach|backed up|ran out of|stopped "
    r"working|wouldn't start|doubled|corrupted|duplicate[ds]?)\b",
    "cause": r"\b(?:because|since|due to|root cause|the cause|caused by|came from|came off|fixed|solved|sorted|"
    r"resolved|replaced|refunded|the fix|as the)\b",
    "acknowledgement": r"^\W*(?:(?:ok(?:ay)?|k|sure(?: thing)?|got it|understood|noted|great(?: question)?|perfect|"
    r"cool|nice(?: one)?|fine|alright|all right|right|yes|yeah|yep|yup|no|nope|thanks?|thank you|thx|cheers|welcome|"
    r"you're welcome|no problem|no worries|sounds? good|will do|done|exactly|awesome|lovely|good (?:morning|evening|"
    r"night)|hi|hello|hey|bye|see you|lol|haha|hmm+|wow|never ?mind|wait|brb|here you go|one sec|let me (?:think|see|"
    r"check|take a look)|please|happy to help|go ahead)\b[\s,.!…:;-]*+)++(?:(?:i'll|that|it|so|a|at|for|to|let|talk|"
    r"see|too|then|you)\b(?:\s+\S+){0,4})?\W*$",
    "secret": r"\b(?:pass(?:word|code|phrase)|pin|cvv|otp|(?:verification|security|access|one-time) code)\b.{0,20}\d",
    "progress": r"\b(?:still (?:compiling|running|working|processing|waiting)|working on|in progress|so far|halfway|"
    r"half (?:is|of (?:it|the \w+) is) done|almost (?:there|done)|moving on|continuing with|go(?:ing)? on with|step "
    r"\d+ of \d+|let me check|build started|(?:now|currently|right now) (?:running|looking|reading|at)|i'm now|just "
    r"got to|right now|all passed|tests? pass(?:ed)?|this may take|draft saved|two more|next batch|second batch|one "
    r"sec|added \d+ packages)\b|^\W*(?:searching|reading|installing|downloading|uploading|compiling|loading|running|"
    r"fetching|building)\b|\d percent\b(?! (?:of|discount|interest|off))",
    "appointment": r"\b(?:appointment|meeting|call|lunch|dinner|breakfast|flight|train|interview|class|reminder|"
    r"standup|visit|evening|comes?|leaves|yoga|session|date|party)\b",
    "soon": r"\b(?:today|tonight|tomorrow|this (?:morning|afternoon|evening)|on (?:monday|tuesday|wednesday|thursday|"
    r"friday|saturday|sunday))\b",
    "at_time": r"\b(?:at (?:\d{1,2}(?:[:.]\d\d)?|noon|midnight|one|two|three|four|five|six|seven|eight|nine|ten|"
    r"eleven|twelve)|\d{1,2}(?::\d\d)? ?(?:am|pm|o'clock)|\d{1,2}:\d\d|between \d{1,2} and \d{1,2})\b|today\b|"
    r"tonight\b",
    "recurring": r"\b(?:every|each|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|daily|weekly|"
    r"monthly|yearly)\b",
    "vague": r"^\W*(?:(?:i think |i guess |maybe |perhaps )?(?:it|this|that|these|those|they|he|she|there|somebody|"
    r"someone|some people|the (?:first|second|third|other|same|user and)|which|not sure|nothing)\b)|\?\s*$|\b(?:maybe|"
    r"perhaps|i (?:think|guess|wonder)|might|possibly|not sure|if i (?:won|were|had)|some people|experts)\b",
    "lasting": r"\b(?:my|our|i(?:'m| am| have| own| live| work| drive| speak| grew| moved| bought| run| inherited)|"
    r"we(?:'re| are| have)|user(?:'s| is)?|is called|is named|named|works? (?:as|at|for)|lives? in|birthday|married|"
    r"born|handles|runs? (?:until|version)|is (?:at|in|on|with|our|my|the))\b",
}

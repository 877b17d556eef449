"""English."""

from __future__ import annotations

from dataclasses import replace

from cortex.kinds import Kind
from cortex.languages.en import (
    changes,
    clauses,
    corrections,
    instructions,
    people,
    possessions,
    preferences,
    projects,
    references,
    speaker,
    states,
)
from cortex.languages.en.rule_signs import RULE_SIGNS
from cortex.languages.en.worth import SIGNS
from cortex.languages.families import phrase_of
from cortex.languages.pack import Pack, Rule

_ROOMS = (instructions, changes, speaker, preferences, people, possessions, states, projects, corrections)
"""In their order of precedence: of the rules that hold at a clause, the first is taken."""

_TO_LISTENER = (
    r"\byou(?:r|rs|'re|'ll|'ve)?\b(?! (?:know|mentioned|said|suggested|see|guys|have it|can imagine|should know|never))"
)


def _own(rule: Rule) -> Rule:
    """What is said of or for the listener is an answer to them, not a fact of the speaker's."""
    if rule.kind in (Kind.RULE, Kind.PROCEDURE, Kind.PREFERENCE):
        return rule
    return replace(rule, veto=f"{rule.veto}|{_TO_LISTENER}" if rule.veto else _TO_LISTENER)


PACK = Pack(
    lang="en",
    has_instruction_grammar=True,
    rules=tuple(_own(rule) for room in _ROOMS for rule in room.RULES),
    leads=(
        r"(?:(?:so|well|ok|okay|oh|hey|hi|hello|hi there|hey there|yes|yeah|yep|yup|sure|right|alright|also|and|but|"
        r"plus|anyway|anyways|btw|fyi|by the way|for context|for info|for the record|just so you know|just fyi|"
        r"quick note|quick update|quick one|one more thing|one thing|some context|some background|background|context|"
        r"(?:small |slight |quick )?(?:change|update)(?: of plans?)?|big news|good news|news|upshot|long story short|"
        r"honestly|frankly|obviously|clearly|basically|literally|as you know|as i said|like i said|as mentioned|"
        r"in case you forgot|in case it matters|in case that matters|you know|i mean|look|listen|haha|lol|hmm|um|uh|"
        r"thanks|thank you|cool|great|perfect|nice|got it|good|morning|good morning|good evening|just|to be honest|tbh|"
        r"to be clear|again|see|first|first of all|secondly|finally|lastly|additionally|furthermore|moreover|besides|"
        r"however|then|now|ah|aw|wow|ugh|psa|heads up|reminder|it turns out(?: that)?|turns out|as of today|also note|"
        r"i think(?: that)?|i believe(?: that)?|i guess|i should (?:mention|add|say)(?: that)?|i forgot to (?:mention|"
        r"say|tell you)(?: that)?|i (?:also )?want(?:ed)? (?:you )?to (?:know|mention|say|add)(?: that)?|i(?:'m|"
        r" am) (?:kinda |a bit |a little |really |so |very |also )*(?:worried|proud|happy|excited|glad|concerned|"
        r"nervous|sad|pleased|thrilled|sorry|afraid) that|i(?:'ve)? (?:just )?noticed(?: that)?|"
        r"i (?:just )?reali[sz]ed(?: that)?|(?:my|the|our) (?:doctor|dentist|vet|gp|physio|therapist|cardiologist|"
        r"midwife|specialist) (?:says|said|told me)(?: that)?|(?:she|he) (?:says|said)(?: that)?(?=\s+(?:my|i have|"
        r"i'm)\b)|let me tell you(?: that)?|you should know(?: that)?|did i mention(?: that)?|did you know(?: that)?|"
        r"don't be surprised|about me|a bit about me|a little about me|the thing is(?: that)?|fun fact|(?:ok |"
        r"okay )?(?:so )?long story short|guess what|finally|sadly|unfortunately|luckily|fortunately|happily|"
        r"apparently not|amazingly|surprisingly|no exceptions)(?:\s*[,:!.…–—-]+\s*|\s+(?=\S))|user\s?:\s+|[\s,:;–—-]+|"
        r"the fact that\s+|(?:because|since|as|although|though|while|given that|given|considering that|considering|"
        r"seeing as|now that|even though)\s+(?=(?:i|i'm|i've|we|we're|we've|my|our)\b))"
    ),
    fronts=(
        r"(?:(?:after|since|before|during|in|on|at|with|for|ever since|as of|until|till|at (?:work|home|the moment)|"
        r"these days|nowadays|last|this|every|right now|today|currently|at the end|in the end|per|under|despite|"
        r"thanks to|due to|because of|following|starting|beginning|from|over|throughout|outside|within|by|"
        r"when it comes to|as for|regarding|scratch (?:that|what)|forget (?:that|what)|apart from|besides|except for|"
        r"aside from|they (?:extended|moved|changed) it|quick update)\b[^.;:!?\n]{0,70}?(?:[,:]\s+(?:but\s+)?|"
        r"\s+(?:but\s+)?(?=(?:i|i'm|i've|we|we're|we've|my|our|the api)\b))"
        r"|(?:you keep saying|you said|i said|i know i said|i told you|i thought|"
        r"i used to say)\b[^.;:!?\n]{0,70}?,?\s+but\s+)"
    ),
    corrections=(
        r"(?:actually|no|nope|wait|sorry|oops|whoops|correction|my mistake|my bad|scratch that|strike that|i "
        r"misspoke|on second thought|that's wrong|that's not right|that's incorrect|not quite|"
        r"to correct myself|i was wrong|let me correct (?:that|myself)|i need to correct (?:that|myself)|"
        r"edit)\s*(?:[,:;.!…–—-]+\s*|\s+(?=(?:i|i'm|i've|we|we're|my|our|it's|the|that|actually|sorry|wait|no)\b))"
    ),
    explicit=(
        r"(?:please\s+|also\s+|and\s+|can you\s+|could you\s+|would you\s+|you should\s+|i(?:'d| would)? (?:like|want|"
        r"need) you to\s+|just\s+)*(?:remember(?:\s+that|\s*[:,]|\s+this\s*[:,]?|(?=\s+(?!the (?:time|times|day|days|"
        r"first time|internet|good old)\b)(?:my|our|i'm|i am|i have|the|we)\b))|(?:don't|do not|"
        r"never) forget(?:\s+that|\s*[:,]|(?=\s+(?:my|our|i'm|i am|i have|i|we|the)\b))|keep in mind(?:\s+that|"
        r"\s*[:,])|bear in mind(?:\s+that|\s*[:,])|(?:make|take) (?:a )?note(?:\s+that|\s*[:,]|\s+of (?:this|"
        r"that)?\s*[:,]?)|note(?:\s+that|\s*[:,]|\s+to self\s*[:,]?|\s+down(?:\s+that)?\s*[:,]?)|"
        r"save this(?:\s+for later)?\s*[:,]|store this\s*[:,]|write (?:this )?down(?:\s+that)?\s*[:,]?|for (?:your|"
        r"the) records?\s*[,:]|for your memory\s*[,:]|for future reference\s*[,:]|memori[sz]e(?:\s+that|"
        r"\s+this)?\s*[:,]?|remind yourself that|add (?:this )?to (?:your )?memory\s*[:,]?|"
        r"important to remember\s*[:,]|please note(?:\s+that)?|put (?:this )?(?:down )?in your (?:notes|"
        r"memory)\s*[:,]?|for later\s*[:,])\s*(?:please\s*[:,]?\s*)?"
    ),
    breaks=(
        r"(?<!\s)(?:\s*;\s+|\s+[–—-]{1,2}\s+|\s*—\s*)|:\s+(?=(?:i|i'm|i've|we|we're|we've|my|our)\b)|"
        r"(?<!\s)\s+\((?=(?:i|i'm|i've|we|my|our)\b)"
        r"|,\s+(?:(?:and|but|so|yet|plus|also|or)\s+)*(?:because|since|as|although|though|while|whereas|"
        r"especially since|given that|given|considering that|considering|seeing as|now that|even though|which|where|"
        r"so that)?\s*(?=(?:i|i'm|i've|i'd|i'll|im|ive|we|we're|we've|we'd|we'll|my|our|it|it's|he|he's|she|she's|they|"
        r"they're|you|you're|please|can|could|would|will|do|does|did|is|are|what|what's|how|where|when|who|why|should|"
        r"let's|let me|thanks|thank|always|never|don't|make sure|remember|note|from now on|help|give|tell|show|there|"
        r"there's|any|ask|english|she|nothing|that)\b)"
        r"|(?<!\s)\s+(?:and|but|so|plus)\s+(?=(?:i|i'm|i've|i'd|i'll|im|ive|we|we're|we've|we'd|we'll|please|can you|"
        r"could you|would you|it's|he's|she's|she|he|always|never|don't|is there|what|how|what's|should|do you|(?:my|"
        r"our|the)\s+(?:[\w'-]+\s+){1,4}?(?:is|are|was|has|have|runs|starts|lives|works|needs|moved|wants|faces))\b)"
        r"|(?<!ever)(?:,|(?<!\s))\s+(?:because|since|given that|given|considering that|considering|now that|seeing as|"
        r"seeing that|especially since|the fact that|even though|although|whereas)\s+(?=(?:i|i'm|i've|we|we're|we've|"
        r"my|our|the|it|it's|he|she|they)\b)"
        r"|(?<!\s)\s+(?=(?:can|could|would|will) you (?:help|please|give|show|tell|explain|suggest|recommend|write|"
        r"make|create|check|review|draft|find)\b)"
    ),
    asks=(
        r"(?:what|what's|whats|how|how's|where|when(?=\s+(?:is|are|was|will|do|does|did|should|can|would))|who|who's|"
        r"why|which|whose|can|could|would|will|shall|should|do|does|did|is|are|am|was|were|have (?:i|you|we)|has|had|"
        r"may i|might|any (?:idea|tips|advice|suggestions|recommendations|hints)|isn't|aren't|don't you|doesn't|"
        r"wouldn't|couldn't|won't you|tell me|help me|give me|show me|let me know|any\s[\w ]{1,30}\?)\b"
    ),
    supposes=(
        r"(?:if|what if|suppose|supposing|imagine|assuming|assume|let's say|say i|pretend|hypothetically|in "
        r"case|unless|were i|had i|as if|even if|whether|wish|i wish|i hope|hopefully|if only|when i was "
        r"(?:dreaming|asleep)|once i|in (?:the|this|my|that) (?:novel|story|book|film|movie|game|dream|poem|"
        r"play|song|article|exercise|chapter))\b"
    ),
    unreal=(
        r"^(?:in case (?:i|we|my|our)|should i|provided (?:that )?(?:i|we)|"
        r"(?:once|as soon as) (?:i|we)\b[^.]{1,160}(?:\bwill|'ll|\bwould|'d))\b"
        r"|(?:\bwould|'d)\b[^.]{1,160}\bonce (?:i|we|my|our)\b"
        r"|\b(?:i|we)(?:'ll|\swill)\s[^.]{1,80}\s(?:if|unless|in case) (?:i|we|my|our)\b"
    ),
    contrasts=(
        r"\b(?:is|are|was|were)((?:n't|\snot)\s[^,;.!?]{1,40}?[,;]\s(?:but\s)?"
        r"(?:it's|it is|it was|they're|they are|that's))(?=\s)"
        r"|\b((?:i|we)\s(?:(?:do|did)(?:n't|\snot)|no longer)\s(?P<verb>\w+)\s[^,;.!?]{1,40}?"
        r"(?:[,;]\s|\s(?=but))(?:but\s)?)(?=(?:i|we)\s(?:\w+\s)?(?P=verb)\b)"
        r"|\b((?P<am>i'm|i am|we're|we are)\snot\s[^,;.!?]{1,40}?[,;]\s(?:but\s)?)(?=(?P=am)\s(?!not\b))"
        r"|((?:n't|\snot)\s(?!only|just|sure)(?:[^,;.!?]|\.\d){1,40}?,?\sbut)\s"
        + phrase_of(r"on|in|at|near|to|from|for|by|with|until|[$€£]?\d\S*|\w+day|(?-i:[A-Z])[\w'-]+", r"the|an?|my|our")
    ),
    pretends=(
        r"\b(?:role-?play|pretend (?:to be|that|you|i)|act as (?:a|an|if|my)|play the role|imagine (?:you|that|i|we|a)|"
        r"write (?:a|an|me a) (?:\w+ ){0,3}(?:story|poem|song|dialogue|scene|letter from|fictional|monologue)|"
        r"you are (?:a|an|the) (?:\w+ )?(?:agent|assistant|customer|teacher|character|interviewer|pirate)|(?:write|"
        r"invent|make up) a persona|read (?:this|it) (?:out )?as a|in (?:the|this|my) (?:novel|short story|screenplay|"
        r"roleplay|game world)|fictional|hypothetical scenario|as an ai (?:language )?model|the character (?:says|"
        r"thinks))\b"
    ),
    denies=r"(?:\b(?:not|never|no longer|rather than|instead of)|n't)\s(?:(?!but\b)\w+\s){0,2}$",
    pronouns=frozenset("it this that these those they he she one there here something everything".split()),
    joins=frozenset({"and", "or"}),
    tails=r"(?:because|since|as|although|though|while|whereas|even though|especially since|which|where|so that|"
    r"and (?:it|that)|but it|—|–|-)",
    presumes=r"(?:and\s+)?(?:because|since|given|considering|now that|seeing|especially since|the fact that|even "
    r"though|although|as\b)",
    reports=r"(?:\b(?:said|says|wrote|writes|asked|asks|told me|claims|claimed|states|stated|goes|was like|reads|"
    r"according to \w+))\s*$",
    hedges=(
        r"\b(?:maybe|perhaps|possibly|might|i'm not sure|not sure (?:if|whether)|thinking (?:of|about)|i "
        r"guess|supposedly|could be|i wonder|wondering|considering (?:whether|if|\w+ing)|haven't decided|"
        r"undecided|would be|would have|should i|just kidding|jk|as a joke|i'm joking)\b"
        # A step of the trip that is being booked, not a fact about whoever books it.
        r"|\b(?:leaving|departing|arriving|returning|checking (?:in|out)) (?:from|on|at|for|in|next|this|tomorrow)\b"
        r"|\bmy (?:date of )?(?:arrival|departure|destination|check-? ?(?:in|out)|travel|return|party) (?:date |time )?"
        r"(?:is|will|has|starts?)\b|\b(?:there (?:is|are|will be)|it's) \w+ of us (?:leaving|going|travel\w+)\b"
        r"|\bplanning a (?:\w+ )?(?:vacation|trip)\b"
        r"|\bwon't be needing\b|\b(?:economy|business) (?:class|extra|tickets?)\b|\b(?:plan|decided) to leave\b"
        r"|\bnew to (?:this|the) (?:city|area|town)\b"
        # For once, for now, or from hearsay.
        r"|\bfor (?:just )?this \w+ only\b|\bjust (?:for )?this (?:once|time|one)\b"
        r"|\b(?:heard|read|rumou?r has it) that\b|\bno idea (?:if|whether)\b"
        r"|\b(?:is|are|keeps?|went|got) (?:just |still |now )?(?:hanging|frozen|freezing|stuck|crashing|"
        r"failing|lagging|flickering|acting up|not working|broken|down(?! to)|offline|dead|empty|full|late)\b"
        r"|\b(?:password|passphrase|pin)\b[^.!?]{0,40}\bis\b(?! (?:in|kept|stored|managed|with|under|on)\b)"
    ),
    seeks=(
        r"\b(?:find|recommend|suggest|play|search|look(?:ing)? for|book|show)"
        r" (?:me |us |for |some |any |a |other |more ){0,3}(?:\w+ ){0,2}"
        r"(?:songs?|music|movies?|films?|shows?|events?|concerts?|restaurants?|something|tickets?|games?|ones)\b"
        r"|\bplace to eat\b|\b(?:other|another|any) (?:options?|songs?|movies?|events?|suggestions?)\b"
    ),
    platitudes=r"\b(?:sometimes|life is|success|failures?|always here|you got this|not alone|proud of you|believe in|"
    r"yourself|no matter)\b",
    clauses=clauses.ENGLISH,
    references=references.ENGLISH,
    signs=SIGNS,
    rule_signs=RULE_SIGNS,
    spellings=r"\b(?:th|wh)\w|ing\b|ght|\w'(?:s|t|re|ve|ll|m|d)\b",
    cues=frozenset(
        """
        i i'm i've i'd my me we our you your the a an and or but is are was were be have has had do does
        don't not no of to in on at for with that this it it's as from so if when what how can will would
        should please always never there they he she his her their about just now which who than then into
        over only without whenever don use using keep under after before every each more less fewer everywhere
        first them these those because been also want need make give out
        """.split()
    ),
)

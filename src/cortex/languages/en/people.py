"""The people and animals around the speaker, and what a name stands for."""

from __future__ import annotations

from cortex.kinds import Kind
from cortex.languages.en import slots
from cortex.languages.en.phrases import I_AM, I_DO, I_HAVE, NAME, PERSON, PET
from cortex.languages.pack import Rule, Slot

RULES: tuple[Rule, ...] = (
    Rule(
        name="person.apposition",
        kind=Kind.ENTITY,
        importance=0.62,
        confidence=0.84,
        fill=lambda match: Slot(slots.thing(match["name"])),
        whole=True,
        pattern=rf"(?P<name>{NAME}),\s+(?:my|our)\s[^,;.!?\n]{{2,40}},\s+\w.{{3,}}|(?:my|our|the)\s(?:youngest|eldest|"
        rf"oldest|{PERSON}),\s+(?P<name2>(?:(?:mr|mrs|ms|dr)\.?\s)?{NAME}),\s+\w.{{3,}}",
        veto=r"\?\s*$|\b(?:says?|said|asked|told|thinks?|can you|could you)\b",
    ),
    Rule(
        name="person.name",
        kind=Kind.ENTITY,
        importance=0.65,
        confidence=0.92,
        fill=slots.named,
        pattern=rf"(?:my|our)\s+(?:new\s+)?(?P<whose>{PERSON})(?:'s name)?(?:'s| is|\sare|"
        rf"\swas)\s+(?:now\s+)?(?:called\s+|named\s+)?(?P<value>(?:(?:mr|mrs|ms|dr|prof)\.?\s+)?{NAME})",
    ),
    Rule(
        name="person.is_my",
        kind=Kind.ENTITY,
        importance=0.65,
        confidence=0.9,
        fill=lambda match: Slot(f"{match.mine} {match['whose'].casefold()}", "name", match["value"]),
        pattern=rf"(?P<value>{NAME})(?:'s| is|\swas)\s+(?:now\s+)?(?:my|our)\s+(?:new\s+)?(?P<whose>(?:sister|brother|"
        rf"mother|father|mom|mum|dad|wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|manager|boss|line "
        rf"manager|landlord|landlady|supervisor|advisor|adviser|therapist|dentist|doctor|gp|cto|ceo|cfo|vet|"
        rf"team lead|tech lead|product owner))\b(?!'s).*",
    ),
    Rule(
        name="entity.is_our",
        kind=Kind.ENTITY,
        importance=0.62,
        confidence=0.85,
        fill=lambda match: Slot(slots.thing(match["name"])),
        pattern=rf"(?P<name>{NAME}|\ufffc+|[a-z][\w-]+)(?:'s| is|\sare| stands for| refers to| means)\s+(?:(?:one "
        rf"of\s+)?(?:my|our)\s(?!favou?rite|fault|problem|best bet|only|choice|last|first|guess|next|passion|"
        rf"life|dream|everything|rock|motivation|inspiration|future|way|jam|thing)|(?:the|"
        rf"an?)\s(?:new\s)?(?:[\w-]+\s){{0,3}}(?:name|code ?name|nickname|project|service|tool|team|person|"
        rf"lead|owner|maintainer|contact|client|codename|abbreviation|repo|repository|server|cluster|database|"
        rf"vendor|supplier)\b\s?(?:of (?:my|our)|for (?:my|our|the)|in charge|who|that|behind|we|i|at)|the "
        rf"new\s)[^?]{{2,}}|(?P<name2>project\s+(?-i:[A-Z])[\w-]+)\s(?:is|stands for|refers to|means)\s(?!on\b|"
        rf"at\b|going|ready|late|done|not)[^?]{{4,}}",
        veto=r"^(?:it|that|this|he|she|what|which|there|here|who|where|these|those|they|today|tomorrow|everything|"
        r"one|nothing|paris|london|money|time)\b|\?\s*$",
    ),
    Rule(
        name="entity.owns",
        kind=Kind.ENTITY,
        importance=0.62,
        confidence=0.82,
        fill=lambda match: Slot(match["name"].casefold()),
        pattern=rf"(?P<name>{NAME})(?:\s(?:from|in|at)\s[\w ]{{2,20}}?)?\s+(?:is taking over|takes over|took over|is "
        rf"leaving|is joining|is now (?:the|our|my|at|in charge|leading|an?)\b|is replacing|replaces|owns|"
        rf"maintains|runs|leads|manages|handles|is in charge of|is responsible for|looks after|takes care of|"
        rf"heads|works (?:at|for(?! (?:me|us)\b)|as|with us|on our)|lives in|lives with|moved to|joined (?:us|"
        rf"our)|reports to|teaches|sits (?:in|on|next)|covers|depends on|is getting married|is expecting|turns "
        rf"\d|is allergic|is (?:a|an|the|our) (?:[\w-]+\s)?(?:vegetarian|vegan|engineer|designer|developer|"
        rf"manager|lead|nurse|teacher|lawyer))\b.{{2,}}",
        veto=r"^(?:It|He|She|They|This|That|Everyone|Nobody|Who|What|Which|Somebody|Someone|There|One|The|My|Our|"
        r"In|A|If|When|How|Water|People|Jesus|God)\b|\b(?:chapter|novel|movie|film|book|character)\b",
    ),
    Rule(
        name="person.my",
        kind=Kind.FACT,
        importance=0.62,
        confidence=0.85,
        fill=slots.somebody,
        pattern=rf"(?:my|our)\s+(?P<whose>{PERSON})s?(?:'s)?(?:,?\s+(?:(?:mr|mrs|ms|dr|prof)\.?\s+)?{NAME},?|"
        rf"\s+and\s+i)?\s+(?:just\s+|also\s+|only\s+|still\s+|recently\s+|now\s+|currently\s+|always\s+|"
        rf"never\s+|already\s+|usually\s+)*(?:is|are|was|has|have|had|works?|lives?|lived|moved|turns?|turned|"
        rf"goes|go|plays?|likes?|loves?|hates?|prefers?|needs?|speaks?|studies|teaches|runs|owns|drives|wears|"
        rf"can't|doesn't|don't|cannot|got|graduated|started|passed away|died|retired|wants|comes|came|answers|"
        rf"sleeps|wakes|calls|sings|takes|keeps|uses|visits|gave birth|married|broke|had|attends|starts|starts "
        rf"at|eats|drinks|collects|makes|barks|snores|cooks|will|gets|travels|handles|owns|manages|grew|was "
        rf"born|bought|sold|weighs)\b.{{2,}}",
        veto=r"\bdelayed\b|\bto take a\b|\bcancelled\b|\bplanning a trip\b|"
        r"\b(?:says?|said|thinks?|thought|told|asked?|asks|suggest\w*|recommend\w*|mention\w*|"
        r"apparently|"
        r"wants? (?:me|to know|a)|wanted|sent me|is (?:asking|looking|coming|waiting|calling|here|not|in the|"
        r"driving|being|going|trying|right|so|really|very|great|amazing|awesome|the best|my)|are (?:asking|"
        r"coming|waiting|here|not|so|really|the best|going|my|always there|great)|getting excited|our future|"
        r"tough time|were|was (?:so|really|great|there|a great|right)|helped|loved it|came over|will be "
        r"(?:there|here))\b|\?\s*$",
    ),
    Rule(
        name="person.the_pet",
        kind=Kind.FACT,
        importance=0.62,
        confidence=0.8,
        fill=slots.somebody,
        pattern=r"the\s+(?P<whose>dog|cat|puppy|kitten|kids|children|baby|twins|boys|girls|in-laws|hamster|"
        r"rabbit)\s+(?:is|are|has|have|can't|cannot|doesn't|don't|gets?|only|hates?|loves?|needs?|goes?|go|"
        r"eats?|sleeps?|takes?)\s+(?:an?\s+|only\s+|very\s+)*(?!is\b|was\b|there|here|in the|on the|so\b|"
        r"really|being|asleep|barking|crying|hungry|trying)\w+.*",
        veto=r"\?\s*$|\b(?:right now|today|at the moment|fox|sat|chased)\b",
    ),
    Rule(
        name="person.named",
        kind=Kind.FACT,
        importance=0.6,
        confidence=0.85,
        pattern=rf"(?:{I_DO}(?:have|adopted|got|own|keep|rescued|bought)|i've got|we've got|we have|{I_HAVE}(?:adopted|"
        rf"rescued|got|had))\s+(?:an?|two|three|four|five|six|\d+|one|another|twin|"
        rf"no)\s+(?:[\w-]+\s+){{0,3}}?(?:{PET}|kids?|child(?:ren)?|sons?|daughters?|siblings?|sisters?|"
        rf"brothers?|twins|boys?|girls?|grandchild(?:ren)?|grandkids|twin|stepchild(?:ren)?|cousins|husband|"
        rf"wife|nieces?|nephews?|roommates?|flatmates?)\b.*",
    ),
    Rule(
        name="person.status",
        kind=Kind.FACT,
        importance=0.62,
        confidence=0.88,
        pattern=rf"(?:{I_AM}(?:happily\s+)?(?:married|divorced|single(?!-)|engaged|widowed|separated|pregnant|"
        rf"expecting|a (?:single|stay-at-home|new|proud) (?:parent|mom|mum|dad|father|mother)|an only child|"
        rf"the (?:eldest|oldest|youngest)|adopted|trans|gay|lesbian|bisexual|nonbinary|non-binary|christian|"
        rf"muslim|jewish|catholic|buddhist|hindu|atheist|an? introvert|an? extrovert|a night owl|an early bird|"
        rf"a morning person|a parent of|a father of|a mother of)\b.*|(?:my pronouns are|i use (?:he|she|"
        rf"they)/)\s?.*|{I_HAVE}(?:got married|got engaged|gotten married|gotten engaged|got divorced|had a "
        rf"(?:baby|son|daughter)|became a|become a)\b.*)",
    ),
)

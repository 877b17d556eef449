"""The people and animals around the speaker, and what a name stands for."""

from __future__ import annotations

from cortex.kinds import Kind
from cortex.languages.en import slots
from cortex.languages.en.phrases import I_AM, I_DO, I_HAVE, NAME, PERSON, PET
from cortex.languages.pack import Rule, Slot

RULES: tuple[Rule, ...] = (
    Rule(
        "person.apposition", Kind.ENTITY, 0.62, 0.84, lambda match: Slot(slots.thing(match["name"])), whole=True
    ).worded(
        rf"(?P<name>{NAME}),\s+(?:my|our)\s[^,;.!?\n]{{2,40}},\s+\w.{{3,}}|(?:my|our|the)\s(?:youngest|eldest|"
        rf"oldest|{PERSON}),\s+(?P<name2>(?:(?:mr|mrs|ms|dr)\.?\s)?{NAME}),\s+\w.{{3,}}",
        veto=r"\?\s*$|\b(?:says?|said|asked|told|thinks?|can you|could you)\b",
    ),
    Rule("person.name", Kind.ENTITY, 0.65, 0.92, slots.named).worded(
        rf"(?:my|our)\s+(?:new\s+)?(?P<whose>{PERSON})(?:'s name)?(?:'s| is|\sare|"
        rf"\swas)\s+(?:now\s+)?(?:called\s+|named\s+)?(?P<value>(?:(?:mr|mrs|ms|dr|prof)\.?\s+)?{NAME})",
    ),
    Rule(
        "person.is_my",
        Kind.ENTITY,
        0.65,
        0.9,
        lambda match: Slot(f"{match.mine} {match['whose'].casefold()}", "name", match["value"]),
    ).worded(
        rf"(?P<value>{NAME})(?:'s| is|\swas)\s+(?:now\s+)?(?:my|our)\s+(?:new\s+)?(?P<whose>(?:sister|brother|"
        rf"mother|father|mom|mum|dad|wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|manager|boss|line "
        rf"manager|landlord|landlady|supervisor|advisor|adviser|therapist|dentist|doctor|gp|cto|ceo|cfo|vet|"
        rf"team lead|tech lead|product owner))\b(?!'s).*",
    ),
    Rule("entity.is_our", Kind.ENTITY, 0.62, 0.85, lambda match: Slot(slots.thing(match["name"]))).worded(
        rf"(?P<name>{NAME}|\ufffc+|[a-z][\w-]+)(?:'s| is|\sare| stands for| refers to| means)\s+(?:(?:one of\s+)?(?:my|"
        r"our)\s(?!favou?rite|fault|problem|best bet|only|choice|last|first|guess|next|passion|life|dream|everything|"
        r"rock|motivation|inspiration|future|way|jam|thing)|(?:the|an?)\s(?:new\s)?(?:[\w-]+\s){0,3}(?:name|code ?name|"
        r"nickname|project|service|tool|team|person|lead|owner|maintainer|contact|client|codename|abbreviation|repo|"
        r"repository|server|cluster|database|vendor|supplier)\b\s?(?:of (?:my|our)|for (?:my|our|the)|in charge|who|"
        r"that|behind|we|i|at)|the new\s)[^?]{2,}|(?P<name2>project\s+(?-i:[A-Z])[\w-]+)\s(?:is|stands for|refers to|"
        r"means)\s(?!on\b|at\b|going|ready|late|done|not)[^?]{4,}",
        veto=r"^(?:it|that|this|he|she|what|which|there|here|who|where|these|those|they|today|tomorrow|everything|"
        r"one|nothing|paris|london|money|time)\b|\?\s*$",
    ),
    Rule("entity.owns", Kind.ENTITY, 0.62, 0.82, lambda match: Slot(match["name"].casefold())).worded(
        rf"(?P<name>{NAME})(?:\s(?:from|in|at)\s[\w ]{{2,20}}?)?\s+(?:is taking over|takes over|took over|is leaving|"
        r"is joining|is now (?:the|our|my|at|in charge|leading|an?)\b|is replacing|replaces|owns|maintains|runs|leads|"
        r"manages|handles|is in charge of|is responsible for|looks after|takes care of|heads|works (?:at|for(?! (?:me|"
        r"us)\b)|as|with us|on our)|lives in|lives with|moved to|joined (?:us|our)|reports to|teaches|sits (?:in|on|"
        r"next)|covers|depends on|is getting married|is expecting|turns \d|is allergic|is (?:a|an|the|"
        r"our) (?:[\w-]+\s)?(?:vegetarian|vegan|engineer|designer|developer|manager|lead|nurse|teacher|lawyer))\b.{2,}",
        veto=r"^(?:It|He|She|They|This|That|Everyone|Nobody|Who|What|Which|Somebody|Someone|There|One|The|My|Our|"
        r"In|A|If|When|How|Water|People|Jesus|God)\b|\b(?:chapter|novel|movie|film|book|character)\b",
    ),
    Rule("person.my", Kind.FACT, 0.62, 0.85, slots.somebody).worded(
        rf"(?:my|our)\s+(?P<whose>{PERSON})s?(?:'s)?(?:,?\s+(?:(?:mr|mrs|ms|dr|prof)\.?\s+)?{NAME},?|"
        r"\s+and\s+i)?\s+(?:just\s+|also\s+|only\s+|still\s+|recently\s+|now\s+|currently\s+|always\s+|never\s+|"
        r"already\s+|usually\s+)*(?:is|are|was|has|have|had|works?|lives?|lived|moved|turns?|turned|goes|go|plays?|"
        r"likes?|loves?|hates?|prefers?|needs?|speaks?|studies|teaches|runs|owns|drives|wears|can't|doesn't|don't|"
        r"cannot|got|graduated|started|passed away|died|retired|wants|comes|came|answers|sleeps|wakes|calls|sings|"
        r"takes|keeps|uses|visits|gave birth|married|broke|had|attends|starts|starts at|eats|drinks|collects|makes|"
        r"barks|snores|cooks|will|gets|travels|handles|owns|manages|grew|was born|bought|sold|weighs)\b.{2,}",
        veto=r"\bdelayed\b|\bto take a\b|\bcancelled\b|\bplanning a trip\b|\b(?:says?|said|thinks?|thought|told|asked?|"
        r"asks|suggest\w*|recommend\w*|mention\w*|apparently|wants? (?:me|to know|a)|wanted|sent me|is (?:asking|"
        r"looking|coming|waiting|calling|here|not|in the|driving|being|going|trying|right|so|really|very|great|amazing|"
        r"awesome|the best|my)|are (?:asking|coming|waiting|here|not|so|really|the best|going|my|always there|great)|"
        r"getting excited|our future|tough time|were|was (?:so|really|great|there|a great|right)|helped|loved it|"
        r"came over|will be (?:there|here))\b|\?\s*$",
    ),
    Rule("person.the_pet", Kind.FACT, 0.62, 0.8, slots.somebody).worded(
        r"the\s+(?P<whose>dog|cat|puppy|kitten|kids|children|baby|twins|boys|girls|in-laws|hamster|"
        r"rabbit)\s+(?:is|are|has|have|can't|cannot|doesn't|don't|gets?|only|hates?|loves?|needs?|goes?|go|"
        r"eats?|sleeps?|takes?)\s+(?:an?\s+|only\s+|very\s+)*(?!is\b|was\b|there|here|in the|on the|so\b|"
        r"really|being|asleep|barking|crying|hungry|trying)\w+.*",
        veto=r"\?\s*$|\b(?:right now|today|at the moment|fox|sat|chased)\b",
    ),
    Rule("person.named", Kind.FACT, 0.6, 0.85).worded(
        rf"(?:{I_DO}(?:have|adopted|got|own|keep|rescued|bought)|i've got|we've got|we have|{I_HAVE}(?:adopted|rescued|"
        rf"got|had))\s+(?:an?|two|three|four|five|six|\d+|one|another|twin|no)\s+(?:[\w-]+\s+){{0,3}}?(?:{PET}|kids?|"
        r"child(?:ren)?|sons?|daughters?|siblings?|sisters?|brothers?|twins|boys?|girls?|grandchild(?:ren)?|grandkids|"
        r"twin|stepchild(?:ren)?|cousins|husband|wife|nieces?|nephews?|roommates?|flatmates?)\b.*",
    ),
    Rule("person.status", Kind.FACT, 0.62, 0.88).worded(
        rf"(?:{I_AM}(?:happily\s+)?(?:married|divorced|single(?!-)|engaged|widowed|separated|pregnant|expecting|"
        r"a (?:single|stay-at-home|new|proud) (?:parent|mom|mum|dad|father|mother)|an only child|the (?:eldest|oldest|"
        r"youngest)|adopted|trans|gay|lesbian|bisexual|nonbinary|non-binary|christian|muslim|jewish|catholic|buddhist|"
        r"hindu|atheist|an? introvert|an? extrovert|a night owl|an early bird|a morning person|a parent of|a father of|"
        rf"a mother of)\b.*|(?:my pronouns are|i use (?:he|she|they)/)\s?.*|{I_HAVE}(?:got married|got engaged|"
        r"gotten married|gotten engaged|got divorced|had a (?:baby|son|daughter)|became a|become a)\b.*)",
    ),
)

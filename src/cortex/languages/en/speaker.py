"""Who the speaker is, and their health."""

from __future__ import annotations

from cortex.kinds import Kind
from cortex.languages.en import slots
from cortex.languages.en.phrases import ADV, DIET, END, I_AM, I_DO, I_HAVE, ILLNESS, JOB, NAME, PERSON, PLACE
from cortex.languages.pack import Rule, about_me

RULES: tuple[Rule, ...] = (
    # Who they are.
    Rule(
        name="fact.name",
        kind=Kind.FACT,
        importance=0.7,
        confidence=0.93,
        fill=about_me("name"),
        pattern=rf"(?:my (?:full |real |first |given )?name(?:'s| is|:)|i go by|i'm called|i am called|people call me|"
        rf"everyone calls me|my friends call me|the name's)\s+(?:now\s+)?(?P<value>{NAME})",
    ),
    Rule(
        name="fact.name",
        kind=Kind.FACT,
        importance=0.65,
        confidence=0.8,
        fill=about_me("name"),
        pattern=r"(?:i'm|i am)\s+(?P<value>(?-i:[A-Z][a-zé'-]+(?:\s[A-Z][a-zé'-]+)?))(?=\s*(?:[.!]|$|,\s+(?:i|and|a|"
        r"an|the|from|your)\b|\s+(?:and i|from|btw)\b))",
        veto=r"^(?:i'm|i am|this is)\s+(?:(?-i:[A-Z]\w*(?:ish|ese|ian|an|ch|glish|ek))\b|Ok|Ready|Back|Sorry|Here|"
        r"Not|In|At|On|So|Very|Just|New|Vegan|Vegetarian|Tired|Done|Fine|Good|Amazing|Awesome|Great|Perfect|"
        r"Cool|Interesting|Christian|Muslim|Jewish|Catholic|Buddhist|Hindu)\b",
    ),
    Rule(
        name="fact.surname",
        kind=Kind.FACT,
        importance=0.65,
        confidence=0.88,
        fill=about_me("surname"),
        pattern=r"my (?:surname|last name|family name|maiden name)(?:'s| is)?\s+(?:is\s+)?(?:now\s+)?(?:spelled\s+|"
        r"spelt\s+)?(?P<value>[^,;.!?\n]{2,60})",
    ),
    Rule(
        name="fact.home",
        kind=Kind.FACT,
        importance=0.65,
        confidence=0.92,
        fill=about_me("home city"),
        pattern=rf"(?:(?:i|we)\s+{ADV}(?:live|reside|stay permanently)|(?:i'm|i am|we're|we are)\s+{ADV}(?:based|"
        rf"living|located|residing|settled)|(?:i've|i have|we've|we have)\s+{ADV}(?:lived|been "
        rf"living))\s+(?:out\s+|up\s+|down\s+|over\s+)?(?:in|near|outside)\s+(?P<value>{PLACE})",
        veto=r"\bstay(?:ing)?\b",
    ),
    Rule(
        name="fact.moved",
        kind=Kind.FACT,
        importance=0.65,
        confidence=0.9,
        fill=about_me("home city"),
        pattern=rf"(?:{I_HAVE}|(?:i'm|i am|we're|we are)\s+{ADV})(?:moved|relocated|emigrated|moving|"
        rf"relocating)\s+(?:back\s+|house\s+|out\s+|over\s+|away\s+|here\s+)?(?:from\s+{PLACE}\s+)?(?:to|"
        rf"in)\s+(?P<value>{PLACE})",
        veto=r"\b(?:might|maybe|considering)\b",
    ),
    Rule(
        name="fact.live",
        kind=Kind.FACT,
        importance=0.6,
        confidence=0.85,
        pattern=rf"(?:{I_DO}(?:live|grew up|was born|were born|come from|work from|work remotely|was raised)|"
        rf"{I_AM}(?:originally\s+)?from)\s+(?!here\b|it\b|the (?:moment|book|website|same))\w+.*",
        veto=r"\b(?:in fear|in hope|for the|to the fullest)\b|\bflying|\bleaving|\bdepart",
    ),
    Rule(
        name="fact.employer",
        kind=Kind.FACT,
        importance=0.62,
        confidence=0.9,
        fill=about_me("employer"),
        pattern=rf"(?:{I_DO}(?:work|am employed)|{I_AM}(?:working|employed))\s+(?:full[- ]time\s+|part[- ]time\s+|as "
        rf"an? [\w -]{{2,40}}\s+)?(?:at|for)\s+(?P<value>(?:the\s+)?(?-i:[A-Z])[\w'&.-]*(?:\s+(?:(?-i:[A-Z])[\w"
        rf"'&.-]*|of|and(?=\s(?-i:[A-Z]))))*)",
    ),
    Rule(
        name="fact.employer",
        kind=Kind.FACT,
        importance=0.62,
        confidence=0.88,
        fill=about_me("employer"),
        pattern=rf"{I_HAVE}(?:started (?:a (?:new )?job |working )?(?:at|for)|joined|got (?:a (?:new )?)?(?:job|"
        rf"position|role|offer) (?:at|with|from)|accepted (?:an? )?(?:job|offer|position|role)[\w "
        rf"]{{0,20}}(?:at|with|from)|was hired (?:at|by)|got hired (?:at|"
        rf"by))\s+(?P<value>(?-i:[A-Z])[\w'&.-]*(?:\s+(?-i:[A-Z])[\w'&.-]*)*)",
        veto=r"\b(?:zoom|call|meeting|the call|slack channel)\b",
    ),
    Rule(
        name="fact.job",
        kind=Kind.FACT,
        importance=0.62,
        confidence=0.9,
        fill=about_me("job"),
        pattern=rf"(?:{I_DO}(?:work|worked)|{I_AM}working|{I_HAVE}been working)\s+(?:\w+\s+)?as\s+(?:an?|"
        rf"the)?\s*(?P<value>[^,;.!?\n]{{3,60}}?){END}",
    ),
    Rule(
        name="fact.job",
        kind=Kind.FACT,
        importance=0.62,
        confidence=0.85,
        fill=about_me("job"),
        pattern=rf"(?:{I_AM})(?:an?|the)\s+(?P<value>{JOB}\b(?:\s(?:at|of|for|in|and|specializing|with|"
        rf"turned)\s[^,;.!?\n]{{2,50}})?)",
        veto=r"\b(?:little|bit|customer|huge|big fan|fan of)\b",
    ),
    Rule(
        name="fact.role",
        kind=Kind.FACT,
        importance=0.62,
        confidence=0.85,
        pattern=rf"(?:{I_DO}(?:run|own|manage|lead|teach|study|studied|coach|train|founded|cofounded|co-founded|"
        rf"started|"
        rf"maintain|freelance|volunteer|volunteered|intern|head|supervise|mentor|edit|direct|organi[sz]e|host|"
        rf"chair|built|graduated|majored|minored|dropped out|retired|apprenticed|qualified|served|trained|"
        rf"translate|breed|grow|keep bees|restore|repair)|{I_AM}(?:studying|retired|self[- ]employed|"
        rf"unemployed|freelancing|between jobs|on (?:parental|maternity|paternity|sick) leave|enrolled|"
        rf"majoring|teaching|training|apprenticing|doing (?:a|an|my) (?:phd|master|bachelor|apprenticeship|"
        rf"internship|degree|residency)|in (?:my )?(?:first|second|third|final|\w+) year|working (?:in|on (?:a|"
        rf"an|my|our)\s[\w-]+\s(?:startup|book|novel|thesis|phd|app|game))|a member of|getting (?:married|"
        rf"divorced)|expecting)|{I_HAVE}(?:taught|studied|worked|volunteered|graduated|been teaching|been "
        rf"studying|been running|been on the|trained|founded|started (?:a|an|my|our)|earned|completed (?:a|my|"
        rf"an)|finished (?:a|my|an)|passed (?:my|the)|been promoted|got promoted|was promoted|got laid off|was "
        rf"laid off|retired))\b.{{2,}}",
        veto=r"\b(?:movie|song)\b|"
        r"\b(?:running (?:into|out)|run into|run out|run it|run the (?:code|script|command|tests?|app|"
        r"program)|run this|start with|started with|started the (?:car|app|server)|manage to|managed to|lead "
        r"to|studied (?:it|this)|head (?:to|over|out|home)|run (?:npm|pip|make|docker|git|python|pytest|"
        r"cargo)|edit (?:it|this|the)|own (?:it|this)|started (?:it|getting|having|seeing|to)|finished (?:it|"
        r"this|reading the|the (?:first|second))|completed the|built (?:it|this)|grow (?:up|tired)|organize "
        r"(?:it|this|my)|direct(?:ly)?\b|run late|running late|volunteered to|playing the|train to|"
        r"trains?\b(?! for)|keep)\b|\bhow (?:do|can)\b",
    ),
    Rule(
        name="fact.age",
        kind=Kind.FACT,
        importance=0.6,
        confidence=0.9,
        fill=about_me("age"),
        pattern=r"(?:i'm|i am|i've turned|i just turned|i turned|i turn)\s+(?:now\s+|already\s+|just\s+|"
        r"currently\s+)?(?P<value>\d{1,2})(?=\s*(?:years? old|years?-old|yo\b|[,;.!]|$|\sand\b|\snow\b|"
        r"\syears of age|\sthis\b|\slast\b|\sin\b|\son\b|\stoday|\sbut|\swith))(?!\s*(?:in|on)\s+(?:the|line))",
        veto=r"\b(?:minutes|miles|km|kg|on (?:page|step|chapter))\b",
    ),
    Rule(
        name="fact.birthday",
        kind=Kind.FACT,
        importance=0.65,
        confidence=0.92,
        fill=about_me("birthday"),
        pattern=r"(?:my birthday(?:'s| is| falls)|i was born|my date of birth is)\s+(?:on\s+|"
        r"in\s+)?(?P<value>[^,;!?\n]{3,40})",
    ),
    # Health.
    Rule(
        name="health.allergy",
        kind=Kind.FACT,
        importance=0.85,
        confidence=0.95,
        pattern=rf"(?:{I_AM}(?:deathly\s+)?(?:allergic|intolerant|sensitive|immune)\s+(?:to|of)\s|"
        rf"{I_DO}(?:have|'ve got|"
        rf"got|suffer from|developed)\s+(?:an?\s+)?{ILLNESS}\b|i've got\s+(?:an?\s+)?{ILLNESS}\b|"
        rf"{I_HAVE}(?:was|been|were|got|had been)?\s*diagnosed\s|{I_AM}(?:an?\s+)?(?:[\w-]+\s+(?:weeks|"
        rf"months)\s+)?{DIET}\b).*",
        veto=r"\b(?:feelings?|blind to|deaf to)\b",
    ),
    Rule(
        name="health.theirs",
        kind=Kind.FACT,
        importance=0.85,
        confidence=0.92,
        fill=slots.somebody,
        pattern=rf"(?:my|our)\s+(?P<whose>{PERSON})(?:,?\s+{NAME},?)?\s+(?:is|are|has|have|was|can't|cannot|can not|"
        rf"suffers|must not)\s+(?:an?\s+|also\s+|severely\s+|very\s+|been\s+|now\s+|"
        rf"currently\s+)*(?:(?:allergic|intolerant)\s+to\s|{DIET}\b|{ILLNESS}\b|diagnosed\s|eat\s|have\s|"
        rf"tolerate).*",
    ),
    Rule(
        name="health.diet",
        kind=Kind.PREFERENCE,
        importance=0.8,
        confidence=0.9,
        pattern=rf"(?:{I_DO}(?:don't|do not|can't|cannot|can not|never|no longer|rarely|hardly ever|"
        rf"won't)\s+(?:really\s+|usually\s+)?(?:eat|drink|have|tolerate|digest|touch|smoke|consume|cook "
        rf"with)\s+(?!the time|to\b|a lot|much time|time|any idea|that|this|it\b|enough|any (?:questions?|"
        rf"preference|plans?)|access|anything else|a (?:preference|problem|question)|one\b|(?:any|much) "
        rf"(?:experience|money)).{{2,}}|{I_DO}eat\s+(?:only|mostly|no|a lot of|low|plant|halal|kosher|keto)\b.*|"
        rf"{I_AM}on\s+(?:a|an)\s+[\w -]{{3,30}}\s?diet\b.*)",
        veto=r"\b(?:don't|do not|never|no longer) have\b|"
        r"\b(?:have (?:a|an|any|the|my|much|to|time|enough|access)|drink and drive)\b|\?\s*$",
    ),
    Rule(
        name="health.medicine",
        kind=Kind.FACT,
        importance=0.8,
        confidence=0.88,
        pattern=rf"(?:{I_DO}take\s+[^,;.!?\n]{{3,60}}?\s(?:for (?:my|the|blood|high|anxiety|sleep|pain|asthma|"
        rf"depression|"
        rf"allerg)|every|daily|twice|once|each|in the|before bed|at night|mg\b)|{I_AM}(?:on|"
        rf"taking)\s+(?:\d+\s?mg|blood thinners|antidepressants|insulin|medication|antibiotics|the pill|beta "
        rf"blockers|statins|[\w-]+\s+for my)\b|{I_DO}wear\s+(?:glasses|contact|hearing|contacts|an? (?:insulin|"
        rf"pacemaker|hearing|knee|back)|size)|{I_HAVE}had\s+(?:an?\s+|my\s+)?(?:[\w-]+\s+){{0,2}}(?:surgery|"
        rf"operation|transplant|heart attack|stroke|concussion|bypass|appendix|tonsils)|my blood type\b|my "
        rf"blood pressure is\b|{I_HAVE}been seeing an?\s).*",
        veto=r"\btake (?:it|the (?:bus|train|first|second)|a (?:look|taxi|cab|bus|break|nap))\b",
    ),
)

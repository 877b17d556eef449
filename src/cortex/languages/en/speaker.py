"""Who the speaker is, and their health."""

from __future__ import annotations

from cortex.kinds import Kind
from cortex.languages.en import slots
from cortex.languages.en.phrases import ADV, DIET, END, I_AM, I_DO, I_HAVE, ILLNESS, JOB, NAME, PERSON, PLACE
from cortex.languages.pack import Rule, about_me

RULES: tuple[Rule, ...] = (
    # Who they are.
    Rule("fact.name", Kind.FACT, 0.7, 0.93, about_me("name")).worded(
        rf"(?:my (?:full |real |first |given )?name(?:'s| is|:)|i go by|i'm called|i am called|people call me|"
        rf"everyone calls me|my friends call me|the name's)\s+(?:now\s+)?(?P<value>{NAME})",
    ),
    Rule("fact.name", Kind.FACT, 0.65, 0.8, about_me("name")).worded(
        r"(?:i'm|i am)\s+(?P<value>(?-i:[A-Z][a-zé'-]+(?:\s[A-Z][a-zé'-]+)?))(?=\s*(?:[.!]|$|,\s+(?:i|and|a|"
        r"an|the|from|your)\b|\s+(?:and i|from|btw)\b))",
        veto=r"^(?:i'm|i am|this is)\s+(?:(?-i:[A-Z]\w*(?:ish|ese|ian|an|ch|glish|ek))\b|Ok|Ready|Back|Sorry|Here|"
        r"Not|In|At|On|So|Very|Just|New|Vegan|Vegetarian|Tired|Done|Fine|Good|Amazing|Awesome|Great|Perfect|"
        r"Cool|Interesting|Christian|Muslim|Jewish|Catholic|Buddhist|Hindu)\b",
    ),
    Rule("fact.surname", Kind.FACT, 0.65, 0.88, about_me("surname")).worded(
        r"my (?:surname|last name|family name|maiden name)(?:'s| is)?\s+(?:is\s+)?(?:now\s+)?(?:spelled\s+|"
        r"spelt\s+)?(?P<value>[^,;.!?\n]{2,60})",
    ),
    Rule("fact.home", Kind.FACT, 0.65, 0.92, about_me("home city")).worded(
        rf"(?:(?:i|we)\s+{ADV}(?:live|reside|stay permanently)|(?:i'm|i am|we're|we are)\s+{ADV}(?:based|"
        rf"living|located|residing|settled)|(?:i've|i have|we've|we have)\s+{ADV}(?:lived|been "
        rf"living))\s+(?:out\s+|up\s+|down\s+|over\s+)?(?:in|near|outside)\s+(?P<value>{PLACE})",
        veto=r"\bstay(?:ing)?\b",
    ),
    Rule("fact.moved", Kind.FACT, 0.65, 0.9, about_me("home city")).worded(
        rf"(?:{I_HAVE}|(?:i'm|i am|we're|we are)\s+{ADV})(?:moved|relocated|emigrated|moving|relocating)\s+(?:back\s+|"
        rf"house\s+|out\s+|over\s+|away\s+|here\s+)?(?:from\s+{PLACE}\s+)?(?:to|in)\s+(?P<value>{PLACE})",
        veto=r"\b(?:might|maybe|considering)\b",
    ),
    Rule("fact.live", Kind.FACT, 0.6, 0.85).worded(
        rf"(?:{I_DO}(?:live|grew up|was born|were born|come from|work from|work remotely|was raised)|"
        rf"{I_AM}(?:originally\s+)?from)\s+(?!here\b|it\b|the (?:moment|book|website|same))\w+.*",
        veto=r"\b(?:in fear|in hope|for the|to the fullest)\b|\bflying|\bleaving|\bdepart",
    ),
    Rule("fact.employer", Kind.FACT, 0.62, 0.9, about_me("employer")).worded(
        rf"(?:{I_DO}(?:work|am employed)|{I_AM}(?:working|employed))\s+(?:full[- ]time\s+|part[- ]time\s+|as "
        rf"an? [\w -]{{2,40}}\s+)?(?:at|for)\s+(?P<value>(?:the\s+)?(?-i:[A-Z])[\w'&.-]*(?:\s+(?:(?-i:[A-Z])[\w"
        rf"'&.-]*|of|and(?=\s(?-i:[A-Z]))))*)",
    ),
    Rule("fact.employer", Kind.FACT, 0.62, 0.88, about_me("employer")).worded(
        rf"{I_HAVE}(?:started (?:a (?:new )?job |working )?(?:at|for)|joined|got (?:a (?:new )?)?(?:job|position|role|"
        r"offer) (?:at|with|from)|accepted (?:an? )?(?:job|offer|position|role)[\w ]{0,20}(?:at|with|from)|"
        r"was hired (?:at|by)|got hired (?:at|by))\s+(?P<value>(?-i:[A-Z])[\w'&.-]*(?:\s+(?-i:[A-Z])[\w'&.-]*)*)",
        veto=r"\b(?:zoom|call|meeting|the call|slack channel)\b",
    ),
    Rule("fact.job", Kind.FACT, 0.62, 0.9, about_me("job")).worded(
        rf"(?:{I_DO}(?:work|worked)|{I_AM}working|{I_HAVE}been working)\s+(?:\w+\s+)?as\s+(?:an?|"
        rf"the)?\s*(?P<value>[^,;.!?\n]{{3,60}}?){END}",
    ),
    Rule("fact.job", Kind.FACT, 0.62, 0.85, about_me("job")).worded(
        rf"(?:{I_AM})(?:an?|the)\s+(?P<value>{JOB}\b(?:\s(?:at|of|for|in|and|specializing|with|"
        rf"turned)\s[^,;.!?\n]{{2,50}})?)",
        veto=r"\b(?:little|bit|customer|huge|big fan|fan of)\b",
    ),
    Rule("fact.role", Kind.FACT, 0.62, 0.85).worded(
        rf"(?:{I_DO}(?:run|own|manage|lead|teach|study|studied|coach|train|founded|cofounded|co-founded|started|"
        r"maintain|freelance|volunteer|volunteered|intern|head|supervise|mentor|edit|direct|organi[sz]e|host|chair|"
        r"built|graduated|majored|minored|dropped out|retired|apprenticed|qualified|served|trained|translate|breed|"
        rf"grow|keep bees|restore|repair)|{I_AM}(?:studying|retired|self[- ]employed|unemployed|freelancing|"
        r"between jobs|on (?:parental|maternity|paternity|sick) leave|enrolled|majoring|teaching|training|apprenticing|"
        r"doing (?:a|an|my) (?:phd|master|bachelor|apprenticeship|internship|degree|residency)|in (?:my )?(?:first|"
        r"second|third|final|\w+) year|working (?:in|on (?:a|an|my|our)\s[\w-]+\s(?:startup|book|novel|thesis|phd|app|"
        rf"game))|a member of|getting (?:married|divorced)|expecting)|{I_HAVE}(?:taught|studied|worked|volunteered|"
        r"graduated|been teaching|been studying|been running|been on the|trained|founded|started (?:a|an|my|our)|"
        r"earned|completed (?:a|my|an)|finished (?:a|my|an)|passed (?:my|the)|been promoted|got promoted|was promoted|"
        r"got laid off|was laid off|retired))\b.{2,}",
        veto=r"\b(?:movie|song)\b|\b(?:running (?:into|out)|run into|run out|run it|run the (?:code|script|command|"
        r"tests?|app|program)|run this|start with|started with|started the (?:car|app|server)|manage to|managed to|"
        r"lead to|studied (?:it|this)|head (?:to|over|out|home)|run (?:npm|pip|make|docker|git|python|pytest|cargo)|"
        r"edit (?:it|this|the)|own (?:it|this)|started (?:it|getting|having|seeing|to)|finished (?:it|this|reading the|"
        r"the (?:first|second))|completed the|built (?:it|this)|grow (?:up|tired)|organize (?:it|this|my)|"
        r"direct(?:ly)?\b|run late|running late|volunteered to|playing the|train to|trains?\b(?! for)|keep)\b|"
        r"\bhow (?:do|can)\b",
    ),
    Rule("fact.age", Kind.FACT, 0.6, 0.9, about_me("age")).worded(
        r"(?:i'm|i am|i've turned|i just turned|i turned|i turn)\s+(?:now\s+|already\s+|just\s+|"
        r"currently\s+)?(?P<value>\d{1,2})(?=\s*(?:years? old|years?-old|yo\b|[,;.!]|$|\sand\b|\snow\b|"
        r"\syears of age|\sthis\b|\slast\b|\sin\b|\son\b|\stoday|\sbut|\swith))(?!\s*(?:in|on)\s+(?:the|line))",
        veto=r"\b(?:minutes|miles|km|kg|on (?:page|step|chapter))\b",
    ),
    Rule("fact.birthday", Kind.FACT, 0.65, 0.92, about_me("birthday")).worded(
        r"(?:my birthday(?:'s| is| falls)|i was born|my date of birth is)\s+(?:on\s+|in\s+)?(?P<value>[^,;!?\n]{3,40})",
    ),
    # Health.
    Rule("health.allergy", Kind.FACT, 0.85, 0.95).worded(
        rf"(?:{I_AM}(?:deathly\s+)?(?:allergic|intolerant|sensitive|immune)\s+(?:to|of)\s|{I_DO}(?:have|'ve got|got|"
        rf"suffer from|developed)\s+(?:an?\s+)?{ILLNESS}\b|i've got\s+(?:an?\s+)?{ILLNESS}\b|{I_HAVE}(?:was|been|were|"
        rf"got|had been)?\s*diagnosed\s|{I_AM}(?:an?\s+)?(?:[\w-]+\s+(?:weeks|months)\s+)?{DIET}\b).*",
        veto=r"\b(?:feelings?|blind to|deaf to)\b",
    ),
    Rule("health.theirs", Kind.FACT, 0.85, 0.92, slots.somebody).worded(
        rf"(?:my|our)\s+(?P<whose>{PERSON})(?:,?\s+{NAME},?)?\s+(?:is|are|has|have|was|can't|cannot|can not|suffers|"
        r"must not)\s+(?:an?\s+|also\s+|severely\s+|very\s+|been\s+|now\s+|currently\s+)*(?:(?:allergic|"
        rf"intolerant)\s+to\s|{DIET}\b|{ILLNESS}\b|diagnosed\s|eat\s|have\s|tolerate).*",
    ),
    Rule("health.diet", Kind.PREFERENCE, 0.8, 0.9).worded(
        rf"(?:{I_DO}(?:don't|do not|can't|cannot|can not|never|no longer|rarely|hardly ever|won't)\s+(?:really\s+|"
        r"usually\s+)?(?:eat|drink|have|tolerate|digest|touch|smoke|consume|cook with)\s+(?!the time|to\b|a lot|"
        r"much time|time|any idea|that|this|it\b|enough|any (?:questions?|preference|plans?)|access|anything else|"
        rf"a (?:preference|problem|question)|one\b|(?:any|much) (?:experience|money)).{{2,}}|{I_DO}eat\s+(?:only|"
        rf"mostly|no|a lot of|low|plant|halal|kosher|keto)\b.*|{I_AM}on\s+(?:a|an)\s+[\w -]{{3,30}}\s?diet\b.*)",
        veto=r"\b(?:don't|do not|never|no longer) have\b|"
        r"\b(?:have (?:a|an|any|the|my|much|to|time|enough|access)|drink and drive)\b|\?\s*$",
    ),
    Rule("health.medicine", Kind.FACT, 0.8, 0.88).worded(
        rf"(?:{I_DO}take\s+[^,;.!?\n]{{3,60}}?\s(?:for (?:my|the|blood|high|anxiety|sleep|pain|asthma|depression|"
        rf"allerg)|every|daily|twice|once|each|in the|before bed|at night|mg\b)|{I_AM}(?:on|taking)\s+(?:\d+\s?mg|"
        r"blood thinners|antidepressants|insulin|medication|antibiotics|the pill|beta blockers|statins|"
        rf"[\w-]+\s+for my)\b|{I_DO}wear\s+(?:glasses|contact|hearing|contacts|an? (?:insulin|pacemaker|hearing|knee|"
        rf"back)|size)|{I_HAVE}had\s+(?:an?\s+|my\s+)?(?:[\w-]+\s+){{0,2}}(?:surgery|operation|transplant|heart attack|"
        r"stroke|concussion|bypass|appendix|tonsils)|my blood type\b|my blood pressure is\b|"
        rf"{I_HAVE}been seeing an?\s).*",
        veto=r"\btake (?:it|the (?:bus|train|first|second)|a (?:look|taxi|cab|bus|break|nap))\b",
    ),
)

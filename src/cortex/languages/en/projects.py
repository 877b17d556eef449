"""What the speaker and their projects use, do and plan."""

from __future__ import annotations

from cortex.kinds import Kind
from cortex.languages.en import slots
from cortex.languages.en.phrases import (
    ADV,
    BOOKING,
    DATE,
    DAY,
    DIET,
    FRONTED,
    HABIT,
    I_AM,
    I_DO,
    I_HAVE,
    JOB,
    NUMBER,
    NUMBER_WORD,
    PASSING_STATE,
    SPECIFIC,
    TASK_NOUN,
)
from cortex.languages.pack import Rule, Slot

RULES: tuple[Rule, ...] = (
    Rule("project.location", Kind.FACT, 0.6, 0.84, slots.related("location")).worded(
        r"(?P<thing>(?:my|our|the|all)\s[^,;.!?()\n]{1,60}?)\s+(?:is|are|lives?|sits?|resides?|is stored|are stored|"
        r"is kept|are kept|is located|hangs|stands)\s+(?:now\s+|always\s+|currently\s+)?(?P<value>(?:in|at|under|"
        r"behind|on|inside|above|below|next to|beside|near|over)\s+(?!fire|time|track|my way|the way|it\b|point|"
        r"the other hand|fact|me\b|top of that|this\b|that\b|progress|charge|general|trouble|order\b|schedule|hold|"
        r"sale|board|vacation|holiday|a hurry|theory|us\b|average|least|the works|doubt|danger|demand)[^,;!?\n]{2,80})",
        veto=r"\bpractice of\b|\bthe (?:date|time|location|return|activity|match|first|vehicle|taxi|procedure|"
        r"possibility|station|one|venue)\b|\bstarting time\b|\bvs\b|\bits way\b|(?-i:^The [A-Z])|"
        + FRONTED
        + BOOKING
        + r"|\b(?:capital|country|city of|river|mountain|museum|house is in|dentist|appointment|playing|address|album|"
        r"specialist|game|you'll|also|right now|grounds)\b|\?\s*$|^(?:it|he|they|there|one|their|confirm|two)\b",
    ),
    Rule("project.called", Kind.ENTITY, 0.62, 0.9, slots.related("name")).worded(
        r"(?P<thing>(?:my|our)\s+[^,;.!?\n]{2,40}?|the\s+(?:\w+\s+)?(?:project|service|app|team|company|product|repo|"
        r"server|tool|band|boat|book|library|feature|bot|cluster|dog|cat|baby|puppy|kitten|codebase))\s+(?:is|are|was|"
        r"will be)\s+(?:now\s+|internally\s+)?(?:called|named|code-?named|nicknamed|"
        r"titled)\s+(?P<value>[^,;.!?\n]{2,40}?)(?=\s+(?:and|but|because|so|after|since)\b|[,;.!?\n]|$).*",
        veto=r"\b(?:movie|song|event|function|method|class|variable|restaurant|hotel|album)\b",
    ),
    Rule("project.the_is", Kind.FACT, 0.56, 0.78, slots.of("thing")).worded(
        r"(?P<thing>the\s+(?:(?:[\w'-]+\s+){0,3}?)(?:server|hub|client|office|database|db|cluster|repo|repository|"
        r"backend|frontend|api|pipeline|ci|staging|production|prod|project|codebase|stack|router|printer|boiler|"
        r"heating|boiler code|gate code|door code|alarm code|code|pin|combination|garden|kitchen|bathroom|alarm|wifi|"
        r"password|key|keys|spare key|car|van|team|company|school|nursery|kindergarten|kids|kids' school|children|"
        r"landlord|neighbours?|house|flat|customer|supplier|vendor|budget|contract|lease|guarantee|warranty|newsletter|"
        r"podcast|meeting|standup|stand-up|retro|sprint|release|thesis|app|website|site|domain|service|queue|cache|"
        r"bucket|backup|backups|cron|job|import|export|build server|test suite|mailing list|caterer|dog|cat|family|"
        r"firm|agency|manager|target audience|audience|reviewer|editor|publisher|gym|garage|attic|basement|cellar|roof|"
        r"oven|fridge|grant|paper|talk|conference talk|invoice|licence|license|bakery|shop|store))\s+(?:is|are|has|"
        r"have|uses|use|closes|opens|runs|takes|needs|meets|expires|costs|was|got|only has|only have|wants?|starts|"
        rf"ends|belongs to|comes from)\s+{SPECIFIC}.{{2,}}",
        veto=r"\bname of\b|\bthe (?:car|house|company)\b|\b(?:located|situated|scored|returned|total due|for (?:\$|"
        r"the day))\b|\bthe one\b|\b(?:your|movie|hotel|flight|rent(?:al)? (?:is|costs)|restaurant|apartment|address|"
        rf"phone number|property|ride|event|ticket|(?:is|are) (?:{NUMBER}|free|available|not))\b|\b(?:error|fails?|"
        r"failed|failing|crash\w*|broken|stuck|doesn't work|not working|returns?|throws|says)\b|\?\s*$",
    ),
    Rule("project.ours", Kind.FACT, 0.58, 0.8, slots.of("thing")).worded(
        r"(?P<thing>(?:(?:both|half|most|all|some|none|two|three|neither|each|many)\s+(?:of\s+)?)?(?:my|"
        r"our)\s+(?!own\b|favou?rites?\b)[^,;.!?\n:]{2,50}?)\s+(?:just\s+|also\s+|only\s+|still\s+|now\s+|"
        r"currently\s+|always\s+|usually\s+|already\s+)*(?:is|are|has|have|uses?|runs?|sits?|lives?|takes?|"
        r"costs?|needs?|supports?|lands?|starts?|ends?|closes?|opens?|meets?|faces?|depends?|consists?|"
        r"expires?|handles?|stores?|sends?|comes?|goes|covers?|requires?|follows?|includes?|allows?|targets?|"
        r"belongs?|works?|means|was|were|got|moved|switched|migrated|retires?|retired|closed|opened|grew|"
        r"reached|won|expired|ended|hired|lost|launched|released|celebrates?|keeps|wakes|allows|doesn't|don't|"
        r"can't|stands?|holds?|serves?|sells?|makes?)\s+(?!\w+ing\s(?:me|to)\b).{3,}",
        veto=rf"\bcancelled\b|\bcoming up\b|\bis up\b|\bdead\b|\bdelayed\b|\bhas a bug\b|\bbug\b|{PASSING_STATE}|"
        rf"^(?:my|our)\s(?:[\w'-]+\s)?{TASK_NOUN[2:]}|\?\s*$|\b(?:says|said|thinks|does this|group has|return date|i'm|"
        r"i am|i have to|goal is to|is to\b|is that\b|is because|is how|is why|is whether|tonight|right now|"
        r"at the moment|this morning|this evening)\b",
    ),
    Rule("project.we", Kind.FACT, 0.56, 0.78).worded(
        rf"(?:we|i)\s+(?:also\s+|only\s+|currently\s+|now\s+|mainly\s+|mostly\s+)*(?:use|run|record|send|meet|"
        rf"host|publish|release|ship|deploy|bill|invoice|store|keep|track|measure|write|build|test|document|"
        rf"plan|hold|have|work|go|swim|cycle|climb|train|practi[sc]e|play|sing|cook|bake|volunteer|teach|"
        rf"commute|meditate|walk|jog|do|visit|call|get|see|pay|charge|offer|rent|live|close|open|start|back up|"
        rf"rotate|review|clean|order|eat|fast|take|listen to|watch|read|study)\s[^?\n]{{0,80}}?{HABIT}.*",
        veto=r"\?\s*$|\b(?:every (?:time|single time|row|input|element|item|file|line|test)|to them|this thing|"
        r"want to|would like|do (?:i|we|you) need|have to|need to|get (?:the|an) (?:error|same)|for (?:the "
        r")?(?:last|past) (?:hour|\d+ minutes))\b",
    ),
    Rule("project.we_play", Kind.FACT, 0.56, 0.82).worded(
        rf"(?:i|we)\s+{ADV}(?:play|coach|sing in|perform in|compete in|brew|knit|paint|sculpt|garden|foster|sponsor|"
        r"commute|busk|crochet|homeschool|practi[sc]e law|practice medicine)\s+(?!it\b|that\b|this\b|the (?:song|movie|"
        r"video|game|music|trailer)|song|a song|some|music|games? with|around|with (?:it|them)|video|one\b|on\b).{2,}",
        veto=r"\?\s*$|\b(?:tonight|today|tomorrow)\b",
    ),
    Rule("project.building", Kind.FACT, 0.56, 0.76).worded(
        rf"{I_AM}(?:building|developing|writing|making|designing|creating|launching|renovating|restoring|"
        rf"planning|preparing|organi[sz]ing|training for|saving (?:up )?for|working on|running|leading|"
        rf"managing|migrating)\s+(?:an?|my|our|the)\s+(?!table|list|email|letter|script|function|regex|query|"
        rf"report for|trip to find|schedule|step|problem|essay|blog post|article|poem|speech|short story|story|"
        rf"paragraph|presentation|summary|cv\b|resume|reservation|line|test|code|first|cover letter|message|"
        rf"reply|loop|class|post|birthday card|bug|fix)(?!difference)[^?]{{8,}}",
        veto=r"\b(?:trip(?:\W*$| to\b)|appointment|viewing|visit)\b|"
        r"\?\s*$|\b(?:right now|today|tonight)\b|\bso (?:can|could)\b",
    ),
    Rule("project.set_up", Kind.FACT, 0.55, 0.76).worded(
        rf"{I_HAVE}(?:set up|configured|deployed|installed|migrated|integrated|implemented|launched|released|"
        r"signed up for|enrolled in|registered for|joined|subscribed to|started (?:using|learning|working|taking|"
        r"playing|going|seeing|training|training for)|been (?:using|working (?:at|as|for|with)|learning|playing|living|"
        r"going|seeing|taking|vegan|vegetarian|training|married|sober|doing)|adopted|upgraded to|updated \w+ to|"
        r"switched to|got (?:my|a new|our|into)|won|published|earned|booked|accepted|applied (?:to|for)|received|"
        r"passed|completed|finished|submitted|bought|signed)\s+(?!it\b|that\b|this\b|the cache|the (?:code|function|"
        r"problem|exercise|first|steps|book)|a few|some\b|stuck|trying|wondering|thinking|having|getting).{4,}",
        veto=r"\bbooked (?:the|you|it)\b|\b(?:transfer|destination)\b|wrong\W*$|"
        + BOOKING
        + r"|\?\s*$|\b(?:tried|but (?:it|i'm) (?:not|still|stuck)|error|same result|following|doing (?:great|"
        r"well|good|ok|okay|fine)|compliments|rooms?|appointment|playing the|schedule wrong|your)\b",
    ),
    Rule("fact.appointment", Kind.FACT, 0.58, 0.8).worded(
        rf"(?:{I_DO}(?:have|'ve got|got)|i've got|we've got)\s+(?:an?|my|our|the|"
        rf"another)\s+(?:[\w'-]+\s+){{0,5}}?(?:appointment|interview|exam|meeting|call|presentation|deadline|"
        rf"surgery|wedding|race|marathon|trip|check-?up|scan|viewing|talk|demo|hearing|recital|concert|"
        rf"performance|tournament|audition|conference|test)\b[^.!?\n]{{0,80}}\b{DATE}.*",
        veto=r"\?\s*$|\b(?:in (?:\d+|five|ten) (?:min|hour)|flight|today|tonight|this (?:afternoon|morning|evening))\b",
    ),
    Rule("fact.life_event", Kind.EPISODE, 0.6, 0.82).worded(
        rf"(?:{I_HAVE}(?:finally\s+)?(?:adopted\s|got (?:married|engaged|promoted|divorced|laid off|fired|my|"
        rf"a job|the job|accepted|our|the keys)|was (?:promoted|accepted|laid off|hospitali[sz]ed|born|hired)|"
        rf"became|gave birth|had (?:a|our|my) (?:baby|son|daughter|first)|bought (?:a|our|my first) (?:house|"
        rf"flat|apartment|car|home)|won (?:the|a|my|our|first)|ran (?:a|my|the)\b.{{0,20}}marathon|finished "
        rf"(?:a|my|the)\b.{{0,20}}(?:marathon|thesis|phd|degree|novel|book)|climbed|broke my|lost (?:my|our) "
        rf"(?:job|father|mother|dad|mum|mom|dog|cat|grand\w+|husband|wife)|opened (?:a|my|our)|published|quit "
        rf"my job|launched|released|sold (?:our|my)|retired|moved (?:in|into|out|house|back|home)|started (?:a|"
        rf"my|our) (?:new )?(?:\w+ )?(?:job|business|company|store|shop|podcast|course|degree|blog|band|family|"
        rf"studio|channel)|took up|visited\s+(?-i:[A-Z])|travel+ed to\s+(?-i:[A-Z])|went "
        rf"to\s+(?-i:[A-Z])\w+\s(?:last|in|for)|signed up for|enrolled in|came out)\b.{{2,}}|{I_AM}(?:getting "
        rf"married|getting divorced|having (?:a|our|my) (?:baby|first|second)|expecting (?:a|our|my|twins)|"
        rf"retiring|starting (?:a|my|at|as|remote|university|college|school)|moving (?:to|in|house|out)|taking "
        rf"the job|flying to\s+(?-i:[A-Z])\w+ (?:in|on)|graduating|going on (?:parental|maternity|paternity)|"
        rf"opening (?:a|my|our)|running (?:a|the|my)\b.{{0,20}}marathon|celebrating)\b.{{2,}})",
        veto=r"\bwrong\W*$|still celebrating|\?\s*$|\b(?:won (?:it|that)|ready to|the app|the file|the tab|opened (?:a|"
        r"the) (?:file|tab|ticket|terminal|pr\b|pull)|moving (?:to|on to) (?:the|step|next|question)|starting to|"
        r"one.way|round.trip|ticket|economy|flying)\b",
    ),
    Rule("fact.third_event", Kind.FACT, 0.56, 0.78).worded(
        r"(?:the|my|our)?\s*(?:conference talk|talk|paper|venue|flight|offer|loan|mortgage|grant|application|"
        r"visa|contract|hotel|wedding|invoice|house|flat|permit|proposal|manuscript|scholarship|flight "
        r"to\s\w+|trip to\s\w+|train to\s\w+|invoice \d+)\s+(?:is|was|got|has been|were|are|just "
        r"got)\s+(?:finally\s+|now\s+|already\s+|just\s+)*(?:accepted|rejected|confirmed|booked|approved|"
        r"denied|signed|granted|paid|cancelled|canceled|sorted|renewed|published|sold)\b.*",
        veto=r"\?\s*$|\byour\b",
    ),
    Rule("state.never", Kind.FACT, 0.5, 0.75).worded(
        r"(?:i've|i have|we've|we have)\s+(?:actually\s+|really\s+|also\s+)?never\s+(?:actually\s+|really\s+|"
        r"ever\s+)?(?:been to|used|tried|had (?:a|an|any|surgery)|worked|written|attended|enrolled|integrated|"
        r"implemented|missed|played|learned|owned|driven|visited|lived|studied|eaten|invested|submitted|"
        r"collaborated|met|taken|completed|practi[sc]ed|travel+ed|flown|smoked|been (?:married|abroad|on a|"
        r"diagnosed|skiing))\b.{3,}",
        veto=r"\?\s*$|\b(?:anything like|such a|that before|so \w+ (?:before|in my life))\b",
    ),
    Rule("fact.we_are", Kind.FACT, 0.56, 0.78).worded(
        rf"(?:we're|we are)\s+{ADV}(?:an?|the)\s+(?:[\w-]+\s+){{0,4}}?(?:team|company|startup|co-op|cooperative|family|"
        r"couple|agency|band|charity|nonprofit|non-profit|school|practice|studio|shop|store|group|club|firm|business|"
        r"household|lab|department|choir|collective|association|publisher|bakery|farm|foundation)\b.*",
        veto=r"\b(?:party|group of|great|good)\b|\?\s*$",
    ),
    Rule("preference.find", Kind.PREFERENCE, 0.66, 0.82).worded(
        rf"{I_DO}find\s+(?!it|this|that|these|those|the\b|myself|them|him|her|out)[^,;.!?\n]{{3,60}}\s(?:too\s+|"
        r"very\s+|really\s+|quite\s+|rather\s+|so\s+|pretty\s+)?(?:exhausting|annoying|boring|relaxing|confusing|"
        r"distracting|stressful|tiring|helpful|useful|overwhelming|calming|irritating|tedious|hard to (?:read|follow)|"
        r"easier|easier to \w+|depressing|soothing|unpleasant|disgusting|delicious|exciting|patronising|patronizing|"
        r"ugly|unreadable|noisy|difficult)\b.*",
    ),
    Rule("person.pronoun", Kind.FACT, 0.55, 0.72, lambda _: Slot()).worded(
        rf"(?:she|he)\s+(?:just\s+)?(?:turned|turns)\s+(?:{NUMBER_WORD}|\d+)\b.*|(?:she|he)(?:'s| "
        rf"is)\s+(?:allergic to|{DIET})\b.*",
    ),
    Rule("person.turns", Kind.FACT, 0.6, 0.85, lambda match: Slot(f"{match.mine} {match['whose'].casefold()}")).worded(
        r"(?P<whose>grandma|grandpa|granny|nana|mum|mom|dad|grandad|granddad|auntie)(?:'s)?\s+(?:is|turns|"
        r"turned|has|was|lives|moved|loves|hates|can't|doesn't|birthday|works|prefers|takes)\b.{3,}",
        veto=r"\b(?:says?|said|wants|asked|is (?:here|coming|calling))\b|\?\s*$",
    ),
    Rule("fact.cannot", Kind.FACT, 0.6, 0.78).worded(
        r"(?:i|we)\s+(?:can only|can't|cannot|can not|could never|am unable to|am not allowed to|'m not allowed to|"
        rf"may not)\s+(?:lift|eat|drink|drive|swim|work|meet|do (?:{DAY}|mornings|evenings|weekends|nights)|attend|"
        r"travel|fly|run|wear|stand|sit|hear|take (?:ibuprofen|aspirin|\w+in\b)|commit|start before|sleep (?:with|"
        r"without|on)|park|smell|bend|kneel|use (?:stairs|the stairs|gluten|dairy))\b.*",
        veto=r"\?\s*$|\b(?:today|tonight|right now|it\b|this)\b",
    ),
    Rule("fact.as_a", Kind.FACT, 0.6, 0.8).worded(
        rf"as\s+an?\s+(?:{JOB}|{DIET}|(?:[\w-]+\s+){{0,2}}(?:parent|homeowner|immigrant|expat|beginner|"
        rf"diabetic|widow|widower))\b.*",
        veto=r"\b(?:as an? (?:user|customer|developer, i want|result|side|general|parent directory))\b|\?\s*$",
    ),
    Rule("fact.been_a", Kind.FACT, 0.58, 0.82).worded(
        r"(?:i've|i have|we've|we have)\s+been\s+(?:an?|the|off|in|on|with|at|vegan|vegetarian|sober|married|single|"
        r"self-employed|retired|working|living|playing|doing|running|studying|learning)\b[^?]{2,80}\b(?:for|"
        r"since)\s+(?!a (?:while|bit|minute)|hours|this|the (?:last|past) (?:hour|few))\S.*",
        veto=r"\?\s*$|\b(?:stuck|trying|waiting|struggling|error|bug)\b",
    ),
    Rule("fact.my_flight", Kind.FACT, 0.56, 0.78).worded(
        r"(?:my|our)\s+(?:flight|train|ferry|bus|trip|visa|passport|lease|contract|insurance|licen[cs]e|subscription|"
        r"membership|holiday|vacation|leave)(?:\s(?:home|back|to\s\w+|from\s\w+))?\s+(?:is|leaves|departs|lands|"
        rf"arrives|expires|ends|starts|runs out|begins|renews)\s+(?:on\s+|in\s+|at\s+|from\s+)?{DATE}.*",
        veto=r"\?\s*$",
    ),
    Rule("fact.does", Kind.FACT, 0.52, 0.74).worded(
        r"(?:i|we)\s+(?:only\s+|mostly\s+|mainly\s+|still\s+|also\s+|now\s+|currently\s+|both\s+|don't\s+(?:really\s+|"
        r"usually\s+|generally\s+|actually\s+)?)?(?:use|sleep|fly|keep|celebrate|hold|pay|listen to|watch|cook|commute|"
        r"travel|wake up|get up|go to bed|start work|exercise|train|swim|cycle|hike|ski|surf|climb|dance|paint|draw|"
        r"sew|bake|brew|ferment|blog|vote|donate|invest|rent|share|drive|park|store|charge|bill|invoice|track|"
        r"subscribe|support|wear|drink|smoke|vape|fast|meditate|pray|attend|belong|observe|raise|breed|farm|fish|hunt|"
        r"record|stream|manage|own|speak|celebrate|shop|deploy|ship|host|serve|sell|export|import|follow|earn|do my|"
        r"do our|do most|do yoga|do pilates|do (?:night|day|early|late) shifts|work (?:nights|night shifts|shifts|"
        r"weekends)|do code reviews|practi[sc]e)\s+(?!it\b|this\b|that\b|these\b|those\b|them\b|the\b|a lot\b|track of|"
        r"going|getting|having|trying|you\b|your\b|to (?!work|school|the office)|in mind|up with|an? (?:function|loop|"
        r"formula|variable|list|for|class|regex|different|simple|new|car for|movie|look|second|minute|moment|seat|taxi|"
        r"cab)|one\b|some\b|any\b|more\b|calm|what|how|if\b|whatever|(?-i:[A-Z])\w*\()\S.{3,}",
        veto=BOOKING
        + r"|\?\s*$|\b(?:error|fails?|crash\w*|but it|and it|this one|tonight|tomorrow|today|right now|for this|"
        r"and then|keep (?:getting|seeing|having|forgetting|mixing|it)|(?:please|would like))\b",
    ),
    Rule("preference.gives_me", Kind.PREFERENCE, 0.62, 0.78).worded(
        r"[a-z][\w' -]{2,40}?\s(?:gives?|makes?|keeps?|bothers?|stress(?:es)?|upsets?|annoys?|relax(?:es)?|calms?|"
        r"triggers?|bores?|exhausts?|scares?|terrif(?:y|ies))\s(?:me|my (?!day|code|app|computer|laptop|life))\b.*",
        veto=r"\b(?:give|make|keep) me\b(?=.*\b(?:please|input|balance)\b)|\band (?:give|make|keep)\b|"
        r"^(?:it|that|this|which|what|he|she|you|they|these|those|there|who|i|we|the|your|please|can|let|"
        r"gives|makes|keeps)\b|\?\s*$|\b(?:made|error|the option|an error)\b",
    ),
    Rule("project.for_ours", Kind.FACT, 0.57, 0.8, slots.of("thing")).worded(
        r"(?P<thing>the\s[\w' -]{2,40}?\s(?:for|in|of|on|at)\s(?:this project|this repo|my|"
        r"our)\b[^,;.!?\n]{0,30}?)\s(?:is|are|has|uses|starts with|ends with|runs|must be)\s.{2,}",
        veto=r"\?\s*$|\b(?:error|wrong|broken|failing|not|too|answer|problem|issue|question|of my (?:code|essay|"
        r"answer))\b",
    ),
    Rule("project.label", Kind.FACT, 0.56, 0.76, slots.of("thing"), whole=True).worded(
        r"(?P<thing>(?:my|our)\s(?!code\b|question|problem|task|answer|plan\b|error|draft|text|e-?mail\b|"
        r"request|output|input|query|current|attempt|list|notes?\b|solution|function|script|prompt|essay|idea|"
        r"thoughts|letter|paragraph)[\w -]{2,30}):\s.{3,}",
        veto=r"\?\s*$",
    ),
)

"""What English says around somebody else's words."""

from __future__ import annotations

from cortex.languages.ownership import OwnershipWords

OWNERSHIP = OwnershipWords(
    asks=r"""
    translate
    (proof-?read|spell-?check|copy-?edit)
    (rewrite|rephrase|reword|paraphrase|reformulate)
    (summari[sz]e|condense|shorten|tl;?dr)
    (transcribe|correct)
    (fix|correct|check|improve) (the|my|any|all)? ?(grammar|spelling|typos|mistakes|errors|punctuation|wording)( of
    | in)?
    make (this|the following|it) …(formal|shorter|longer|polite|friendlier|clearer|professional|concise|better
    |simpler)
    (reply|respond) to
    answer (this|the following|that)
    (write|draft|compose|suggest|formulate|give me|send|help me with) (me )?(a|an|my|some|the) …(reply|response
    |answer) to
    what('s| is) (a good|the best) (reply|response|answer) to
    how (do|would|can|could|should) (i|you|we|one) (say|write|spell|translate|put)
    (is|are) (this|these|the following)( \w+)?( also| even)? (grammatical|grammatically|correct|right|proper|good
    |idiomatic)\w*( correct| english)?
    does (this|the following)( \w+)? (sound|read)
    i need (this|the following|these) …(in|into) (\w+)
    (what does (this|the following|that)|explain what (this|that|the following))
    """,
    asks_loosely="""
    (explain|check|fix|review|improve|analy[sz]e|convert|edit|critique|grade|classify|extract|debug|read|look at
    |simplify|comment on|react to|help me (understand|with)|go through|rate|parse|clean up|format|quote|turn|polish)
    """,
    leads="""
    please
    (can|could|would|will) (you|u)( please| kindly| quickly| help me( to)?| help( to)?)?
    (help me|pls|plz|kindly|now|also|then|and|just|quickly|ok|okay|hey|hi|hello|so|first|next|let's|let us
    |again)( to)?
    (i need|i want|i'd like|i would like)( you)? to
    (your task is|the task|task|do me a favou?r and|would you mind|feel free|try) to
    """,
    these="""
    (this|these|that|those)
    (the )?following
    (each|every|all the|all of the) (line|sentence|paragraph|phrase|item|message)s?
    the (text|passage|message|sentence|paragraph)s? below
    """,
    above="""
    the above
    (the )?(text|passage|message|sentence|paragraph|words|lines)s? above
    what('s| is) (written )?above
    (this|these) (short )?(text|passage|message|sentence|paragraph|phrase|words|lines|note)s?
    this(?= (to|into|in|please|for me|sound|properly|correctly)|[.,!?]|$)
    """,
    nouns="""
    (text|sentence|phrase|paragraph|passage|message|msg|e-?mail|mail|letter|note|reply|replies|response|article|post
    |tweet|comment|review|caption|bio|abstract|draft|essay|quote|quotation|excerpt|extract|snippet|line|word|poem
    |lyrics|song|story|speech|transcript|chat log|conversation log|document|doc|page|web ?page|web ?site|paper
    |report|memo|minutes|announcement|statement|description|listing|ad|advert|profile|testimonial|introduction|intro
    |blurb|headline|title|thread|ticket|bug report|readme|policy|contract|spec|manual|faq|brochure|flyer
    |newsletter|invite|invitation|answer|summary|dialogue|interview|blog|dm|sms
    |text message|voicemail|press release|cover letter|resume|cv|recipe|attachment|pdf|wiki|content|wording)(s|es)?
    (release notes|biography|obituary|search results|yelp|reddit|twitter|facebook|instagram|whatsapp|slack|discord
    |linkedin|youtube|forum|homework|exercise|diary|journal|book|movie|film|improv|scene|skit|lines|play|sketch
    |riddle|joke|dream|voicemail|voice message|homework sentence|example sentence|flashcard|textbook)
    """,
    links="""
    (to|into|in|for|please|so|as|and|with|from|using|without|down|properly|correctly|better|mean|means|thanks|say
    |says|up|here|quickly|again|at|word|but|like|out|aloud)
    """,
    not_texts="""
    (conversation|chat|session|discussion|what (i|we)( just|'ve| have)? (told|said|talked|discussed|wrote|mentioned
    |covered)|so far|what you (know|remember|said)|our (conversation|chat|talk|discussion|last|previous|first)
    |everything i|all i|meeting tomorrow)
    """,
    states=r"""
    (i|i'm|im|i've|i'd|i'll|we|we're|we've|he|she|they)
    my \w+( \w+)? (is|are|was|has|works|lives)
    (call me|hi|hello|hey|dear)
    (from now on|always|never)
    """,
    closes=r"""
    (please|thanks|thank you|can you|could you|would you|what do you think|is it|is this|keep it|make it
    |in \w+, please|as short as)
    """,
    languages="""
    (english|german|french|spanish|italian|portuguese|dutch|flemish|swedish|norwegian|danish|finnish|icelandic
    |polish|czech|slovak|russian|ukrainian|greek|turkish|arabic|hebrew|hindi|urdu|bengali|tamil|persian|farsi
    |chinese|mandarin|cantonese|japanese|korean|latin|croatian|serbian|slovenian?|hungarian|romanian|bulgarian|thai
    |vietnamese|indonesian|swahili|catalan|irish|welsh)
    """,
    works="""
    (translation|translations|translate|translated|summary of (this|the|a)|paraphrase|rewording|proofread
    |proofreading|(grammar|spelling|spell|style|tone) (check|correction|question)s?|bullet points|corrected version
    |correction of|what's wrong|what is wrong|rephrased?|reworded|in (other|simpler|plain|fewer) words|forwarded|fwd
    |transcript of|subtitles?|caption)
    """,
    people="""
    (sister|brother|mother|father|mom|mum|dad|grandma|grandpa|granny|son|daughter|wife|husband|partner|girlfriend
    |boyfriend|ex|aunt|uncle|cousin|friend|buddy|boss|manager|ceo|cto|colleague|coworker|co-worker|teammate|intern
    |roommate|flatmate|neighbou?r|landlord|landlady|teacher|professor|student|client|customer|tenant|recruiter
    |candidate|applicant|doctor|guy|girl|lady|man|woman|stranger|someone|somebody|author|poster|commenter|reviewer
    |he|she|they|kid|child|nephew|niece|mother-in-law|father-in-law)('s)?
    """,
    own_frames=r"""
    (remember|keep (this|that|it) in mind|(quick |small |short )?note|note to self|fyi|important|heads-?up|reminder
    |correction|update|btw|by the way|ps|p\.s|about me
    |about myself|me|facts|info|for the record|full disclosure|long story short|in short|to (sum up|summari[sz]e
    |be clear|clarify)|like this|as follows|as i (said|told you|mentioned)|keep in mind|please know|context
    |background|introduction|intro|let me|for (my|our|me|us|the)|about (my|our|me|us)|regarding|re|gift|present
    |birthday|ideas?|(good|bad|big|great|small) news|news|announcement|big announcement|guess what
    |one more thing|thing|things|thing|happened|problem|situation
    |answer|question|warning|secret|confession|truth|reason|fact|fun fact|tell (him|her|them|my|the|everyone)
    |say that|hint|user story|remind me)
    """,
    received="""
    (here's|here is|here are|here comes|this is|below is|below are|following is|this was|that's|that is) …(what|the
    |a|an|this|his|her|their|our|from)
    (i (just )?(got|received|found|came across|saw)|look at|look what|see what|check out|check|read|guess what|fyi
    |pasting|pasted|copied|forwarding|forwarded|quoting|from|going through)( …(this|the|a|an|what|his|her|their))?
    (sent|forwarded|showed|left|gave|handed|dm'd|emailed|mailed) (me|us)( …(this|the|a|an))?
    """,
    wrote="""
    (says|said|wrote|writes|has written|texted|messaged|posted|tweeted|replied|answered|commented|emailed|mailed
    |claims|claimed|states|stated|reads|goes|dictates|dictated|shouted|whispered|asked|asks|typed|sent me|sent us
    |sent|told me|told us|was like)( (me|us|this|that|back|in|on|today|yesterday|to|the|our|group|chat|channel
    |following|e-?mail|message|morning|this morning|last|night|week)){0,6}
    """,
    selves="(i|we|you|i've|i'd|we've|let me|i'm)",
    salutes="dear",
    greets="(hi|hello|hey|good (morning|afternoon|evening)|greetings)",
    signs_off="""
    (best|kind|warm|kindest|warmest|with kind|with best) (regards|wishes)
    (regards|sincerely|yours (sincerely|truly|faithfully)|sincerely yours|respectfully|cheers|best|many thanks
    |with gratitude|love|xoxo|all the best)
    """,
    dialogue=r"""
    (q|a|q\d|a\d|question|answer|interviewer|interviewee|candidate|host|guest|moderator|speaker ?\w?|person ?\w
    |customer|agent|client|caller|operator|support|rep|doctor|patient|teacher|student|user|human|assistant|ai|bot
    |chatbot|system|me|you|him|her|them|mom|dad|mum|boss|friend|narrator|man|woman|boy|girl)
    """,
    fields=r"""
    (name|first name|last name|surname|age|city|town|country|state|address|street|job|work|occupation|role|title
    |profession|employer|company|phone|mobile|e-?mail|mail|birthday|born|height|weight|allergies|allergy|diet
    |hobbies|hobby|interests|languages?|pets?|kids|children|family|status|date|time|place|location|where|when|who
    |what|why|how|topic|subject|re|to|from|cc|bcc|note|notes|nb|ps|p\.s|update|edit|todo|task|tasks|goal|goals|plan
    |idea|ideas|problem|issue|solution|step ?\d*|steps|ingredients|method|directions|instructions|serves|yield|prep
    |total|price|cost|budget|pros?|cons?|example|e\.g|i\.e|context|background|summary|tl;?dr|conclusion|result
    |results|warning|error|info|debug|tip|hint|important|attention|reminder|fact|facts|rule|rules|requirement
    |requirements|constraints?|breakfast|lunch|dinner|snack|morning|afternoon|evening|night|mon|tue|wed|thu|fri|sat
    |sun|monday|tuesday|wednesday|thursday|friday|saturday|sunday|today|tomorrow|yesterday|january|february|march
    |april|may|june|july|august|september|october|november|december|week ?\d*|day ?\d*|option ?\w?|version|os|model
    |brand|color|colour|size|input|output|expected|actual|http|https|correction|home|office|first|second|third
    |finally|one|two|three|favou?rite \w+|my \w+|the \w+|our \w+|your \w+|likes|dislikes|preferences?|preferred \w+
    |nickname|pronouns|education|school|university|degree|experience|skills|contact|website|url|link|source
    |reference|number|id|account|order|flight|train|hotel|car|music|food|drink|movies?|books?|sports?|user story
    |given|then|and|but)
    """,
    plays=r"""
    (let's|let us|can we|could we|i want to|i'd like to|we could|shall we|wanna|want to) (do (a
    |some) )?(role-? ?play|play pretend|pretend|play a game|play make-believe|play out|act out|improvise
    |do an improv|start a (story|role-? ?play|campaign|game)|write a story together)
    (role-? ?play|rp|roleplay scenario|in-character|in character|ic)( \w+)? ?[:.\n-]
    (start|begin|continue|do|open) (a|the|our|this|my)( \w+)? role-? ?play
    pretend (that )?(you|i|we)( are|'re| am|'m| were| be)?
    pretend to be
    imagine (that )?(you are|you're|i am|i'm|we are|we're|you were|i were|i was)
    (you are|you're) now (a|an|the|my|called|playing|in the role|acting|@)
    (you|you'll|you will|you be|you play)( be| play| are|'re)? …and (i|i'm|i am|i'll|i will)( be| play| am)? (the|a
    |an|your|my|king|queen|sir|captain|lord) \w+
    (i'll|i will|let me|i'm going to) (be|play) (the|a|an|your|king|queen|sir|captain|lord) …(you|and)
    (write|speak|talk|answer|respond|reply|continue|say it|tell it|say this) (\w+ ){0,4}(in the voice of
    |in the style of|as if (you|i) were|from the (perspective|point of view|pov) of|in character as)
    (speaking|writing|talking|answering|posing) as (a|an|the|@)
    in the (voice|words|persona) of
    as (a|an|the) (\w+ ){0,3}\w+ ?:
    my (\w+ )?(character|oc|persona|protagonist|hero|heroine|avatar|narrator|alter ego|villain|antagonist
    |npc)('s)? (says|said|speaks|thinks|introduces|is called|is named|is a|is an|backstory|monologue|lines?|bio
    |would say|has a|tells|goes|writes|lives|works|named|sheet|speaking)
    (the )?(character|protagonist|narrator|hero|villain) (says|said|speaks|thinks|speaking|introduces)
    (backstory|monologue|dialogue|dialog|script|scene|lines|text|speech|bio|diary|draft|intro|letter|story|part
    |line)s? (for|of|by) (my|our|the|a) (\w+ ){0,4}(character|novel|play|protagonist|villain|hero|narrator|npc|story
    |short story|screenplay|comic|campaign|film|movie|game|roleplay)
    (for|in|from) (my|the|our|this) (\w+ )?(novel|short story|story|book|screenplay|play|script|campaign|fanfic
    |comic|roleplay|musical|game) ?[,:]
    (write|tell|make up|invent|compose|create) (me )?(a|an|the) (\w+ ){0,4}(story|poem|song|scene|monologue|dialogue
    |dialog|sketch|fairy tale|screenplay|diary entry|novel|rap|limerick|haiku|persona) (about|where|in which|with
    |from|of|for|that|:)
    (fictional|hypothetical) (scenario|character|persona|dialogue|story|setting) ?[:.]
    (doing|playing|practi[cs]ing|rehearsing) (an? |the |some |our |my )?(improv|scene|skit|sketch|role-? ?play)
    (act|be|play|acting|pose) (as )?(my|a|an|the|like) …in (a|an|my|our|this|the) …(story|scene|movie|film|novel
    |game|role-? ?play|skit|adventure|drama|sketch)
    (you're|you are) @( \w+)?[,;] ?(and )?(i'm|i am) @
    (western|fantasy|sci-fi|space|medieval|horror|cyberpunk|zombie|pirate|superhero|mafia|detective) (rpg|campaign
    |adventure|game|story|scenario|setting) ?[.:,]
    once upon a time
    """,
    plays_on=r"""
    (let's|let us|can we|could we|i want to|i'd like to|shall we|wanna|want to) (do (a|some) )?(role-? ?play
    |play pretend|pretend|play a game|play make-believe|act out|improvise|start a (story|role-? ?play|campaign
    |game))
    (start|begin|continue|do|open) (a|the|our|this|my)( \w+)? role-? ?play
    (you|you'll|you will|you be|you play)( be| play| are|'re)? …and (i|i'm|i am|i'll|i will)( be| play| am)? (the|a
    |an|your|my|king|queen|sir|captain|lord) \w+
    (you are|you're) now @\. i('m| am) @
    (you're|you are) @( \w+)?[,;] ?(and )?(i'm|i am) @
    (i'll|i will|let me|i'm going to) (be|play) (the|a|an|your|king|queen|sir|captain|lord) …(you|and)
    stay in character
    """,
    plays_no_more=r"""
    (stop|end|quit|pause|enough of|leave|exit|break|finish|drop|no more|done with) …(role-? ?play\w*|character|rp
    |pretending|game|playing|act|story|persona)
    out of character
    (ooc|end of (role-? ?play|game|story|scene))
    (back to (normal|reality|business|work|real life)|new topic|different topic|change of topic|seriously now
    |in real life|for real now|on another note|jokes aside|unrelated)
    """,
    guests=r"""
    (this is|it's|it is|its) …(typing|writing) (this|now|here|on|from|instead|for)
    (this is|it's|it is) \w+( \w+)? typing
    (this is|it's|it is|hi from|hello from) (her|his|their|@'s) (\w+ )?(husband|wife|partner|brother|sister|son
    |daughter|mother|father|mom|mum|dad|colleague|coworker|co-worker|friend|boss|roommate|flatmate|assistant
    |girlfriend|boyfriend|cousin|aunt|uncle|neighbou?r|grand\w+|spouse|kid|manager|intern|nephew|niece|boy|girl)
    (her|his|their|@'s) (husband|wife|partner|brother|sister|son|daughter|mother|father|mom|mum|dad|colleague
    |coworker|co-worker|friend|boss|roommate|flatmate|girlfriend|boyfriend|cousin|spouse|kid|manager|intern) (here
    |speaking|typing|writing|on the line)
    my (\w+ )?(husband|wife|partner|brother|sister|son|daughter|mother|father|mom|mum|dad|colleague|coworker
    |co-worker|friend|boss|roommate|flatmate|girlfriend|boyfriend|cousin|spouse|kid|manager|intern|neighbou?r|guest
    |teammate|buddy|assistant|grand\w+|uncle|aunt|nephew|niece|client|student|teacher)( \w+)? (is|'s) (taking over
    |at the keyboard|using (this|my)|here and (wants|would)|on (now|here)|now (typing|writing|speaking|here)
    |dictating|(typing|writing|speaking)( now| here| this| instead| for me|(?= ?[:.,!])))
    (i'm|i am|im) not @,? …(i'm|i am|but|this is|it's)
    (hand|hands|handing|handed|pass|passes|passing|passed|give|gives|giving|gave|turn|turns|turning
    |turned) (the |you |my |this ){0,2}(keyboard|laptop|phone|chat|over|mic|computer|tablet|conversation
    |device)( over)? to
    (let me|i'll|i will|i'm going to|gonna|i'm) (let|letting|get|put) (my \w+|@|him|her|them) (type|typing|write
    |speak|talk|ask|take over|introduce|say hi|say hello|on)
    (using|borrowing|on|from|i'm on) ((my|his|her|their) \w+'s|@'s|(her|his|their)) (account|phone|laptop|computer
    |tablet|keyboard|chat|login|device)
    (took|taking|take) over (the keyboard|from \w+|\w+'s (chat|keyboard|laptop|account)|for (a|now|him|her))
    different person (here|now|again|this time)
    my \w+ wants (a word|to talk|to speak|to say (hi|hello|something)|to introduce)
    (typing|writing) (this )?(for|on behalf of) (my|a|the) \w+
    now (it's|its|it is|this is) @ (speaking|typing|writing|here)
    (i'm|i am) (her|his) (daughter|son|husband|wife|brother|sister|roommate|flatmate|cousin)(?=[.,!])
    (someone|somebody) else (here|typing|is typing|writing)
    """,
    asks_for_others=r"""
    (my|our|his|her) (\w+ )?\w+( \w+)? (wants to|would like to|wanted to|asks me to|asked me to|needs to|is asking
    |has a question|would) ?(ask|know|say|tell|introduce|add|say hi|write|tell you)?( you)?( this| the following
    | something)?
    (from|says|question from|message from|greetings from) my \w+( \w+)?
    """,
    guests_no_more=r"""
    (it's|it is|this is|its) me (again|now)
    (i'm back|i am back|me again|back to me|i have the keyboard back|i'm (\w+) again|i took the (keyboard
    |phone) back|now it's me)
    """,
    announces="""
    (the |my )?next (message|text|post|paste|thing i (send|paste|write))
    (i'll|i will|i'm going to|let me) (now )?(paste|send|forward|share|copy) …(next|now|below|here|in a (second
    |moment|sec))
    what i('ll| will)? (paste|send|write) (next|now|in a)
    """,
    is_assistant=r"""
    as an (ai|artificial intelligence)( language| assistant| chat| virtual)?( model| assistant| chatbot)?,
    as an (ai|artificial intelligence) (language model|model|assistant|chatbot)
    as a (large )?language model
    as (your|a) (virtual|ai|digital|helpful|personal) assistant
    (i'm|i am) (just )?(an|a|your) (ai|artificial intelligence|virtual|language|digital|helpful
    |large language)( \w+)? (assistant|model|chatbot|system|language model)
    (i'm|i am) (an ai|chatgpt|claude|gemini|gpt-?\d*|copilot)( and| developed| created| trained| made|,|\.)
    how (can|may) i (help|assist|be of) (you|assistance|service)
    (is there )?anything else (i can|you'd like me to|you would like me to|you need) (help|assist|do)?
    (i'd be|i would be|i'll be|i'm|i am) (happy|glad|delighted|here) to (help|assist) (you|with)
    i('ve| have) (noted|updated|saved|recorded) (that you|your)
    my (training data|knowledge cutoff|training)
    i don't have (personal (opinions|experiences|feelings|preferences)|feelings|a physical|real-time)
    thank you for (reaching out|contacting us)
    """,
    assistant_opens=r"""
    (sure|certainly|of course|absolutely|great question|good question|definitely|no problem|you're welcome|got it
    |understood|i understand|i see|thanks for (sharing|letting me know|your)|that's (great|a great|wonderful
    |awesome)|happy to help|i'm sorry to hear|congratulations|sure thing|noted|alright|i apologize|my apologies
    |nice to meet you)
    here('s| is| are) (a|an|some|your|\w+ (tips|ideas|steps|options|ways|suggestions))
    """,
    assistant_closes=r"""
    let me know if (you|there|this|that|anything)
    (what|how|where) (would|else would|should) you (like|want|prefer)
    (what else|shall i|should i (continue|go on|add|include))
    (feel free to|don't hesitate to)
    (would|do) you (like|want) me to
    (hope|i hope) (this|that|it) helps
    (if you (have|need) any (other|more|further|additional)|if you'd like|just let me know|happy to help)
    (is there|was there) anything (else|specific)
    here('s| is| are) (a|an|some|your|\w+ (tips|ideas|steps|options|ways|suggestions))
    (you (mentioned|said|asked|wanted|told me)|your (request|question|preferences|plan|schedule|draft|e-?mail))
    """,
    begins_to_speak="I'm|I am|I live|I work|I was|I have|I've",
    unfinished="by|from|of|to|in|into|on|at|for|with|the|a|an|my|our|your|his|her|their|and|or",
    into="to|into|in",
    please="please|pls|thanks",
    inserts="for me|me|now",
    my="my",
    our="our",
    i="i|i'm|i've|i'd|we|we're|we've",
    first_person="i|i'm|im|i've|i'd|i'll|my|me|we|our",
    speech="you|your",
    opens_with_i="i|i'm|im|i've|i'd|i'll|we|we're|we've",
    opens_with_mine="me",
    before_mine=r"so|the|about|[\w'-]{1,16} (?:in|at|for)",
    me="i|me|my",
    to_me="me|us",
    recipient="for|to my|to the|to our",
    origin="from|by|off",
    third_person="he|she|they|him|her|his|their|them|he's|she's|guy|someone",
    they="they",
    asks_on="is|are|do|does|can|how|what|why|when",
    you="you|your|u",
    own="mine|my own|our own|myself|own words",
    i_wrote="i(?:'ve| have)?(?: just)? (?:wrote|written|drafted)",
    authors=(
        r"(?:i|i'm|i've|i'd|i'll|we|we're|we've)(?: [\w']{1,12}){0,5}? (?:wrote|write|written|writing|draft|"
        "drafted|drafting|typed|send|sending|post|posting|give|giving|leave|leaving|submit|submitting|put|"
        "introduce|describe|filling)"
    ),
    for_mine="(?:for|to|on|in) (?:my|our)",
    introduces="[Ii]'m|[Ii] am|[Tt]his is",
    introduces_loosely="im|[Ii]t's|[Ww]e're",
    titles=r"(?:Dr|Mrs?|Ms)\.? ",
    names_self="my name|name's",
    interjections="um|uh|uhm|erm|yeah|listen",
    closings="regards|cheers|best|thanks|love|bye|sincerely",
    orders="always|never",
    this="this",
    what="what",
    assistants="assistant|ai|bot|chatbot",
    for_you="for you",
    pieces="paragraph|excerpt|passage|quote|extract|lyrics|poem|transcript",
    asides="by the way|btw|for context|fyi|note that i|should i|do i|what do i|how do i",
    opens_aside=(
        r"btw|by the way|ps|p\.s|also|anyway|for context|fyi|oh|remember|note|keep|leave out|make sure|include|"
        "avoid|focus|skip|thanks|thank you"
    ),
    it="it",
    frame_leads="and|so|ok|okay|oh|also|just|please|again|one|two|some|a few|the|my|a|an|your",
    after_imperative="the|my|our|a|an|it|with|that",
    below="below",
    got="got|found|saw|read|heard|received|came across|copied",
    duty="i (?:have|need|must|had|ought|still)(?: to)?|i've got to|we (?:have|must|need)",
    says="says?|said|reads|states?|stated|wrote|writes|claims?",
    said_so="says?|said|wrote|writes|texted|goes|reads|replied|answered",
    cast="characters?|protagonist|hero|heroine|narrator|persona|villain|npc|role-? ?play",
    question_and_answer="Q|A",
    forwarded="forwarded|original",
    forwards="begin forwarded message",
    mail_on="on",
    mail_wrote="wrote",
    mail_from="from",
    mail_subject="subject",
    mail_headers="to|date|sent|cc|reply-to",
    clause_begins="[Ii]'m|[Ii] |[Mm]y ",
    declares=(
        "(?:still |today |tonight |tomorrow )?(?:need to|gotta|got to|have to|must|spent|finished|started|busy)|"
        r"(?:my|our|the)\b[^?]{0,60}\b(?:is|are|was|were|has|takes|took|starts)"
    ),
    question_opens="what|how|who|which|is|are|does|would|should|any",
    request_opens="(?:please |hey |hi |so |and )?(?:can|could|would|will|do|did)",
    copulas="is",
    infinitive_copula="be",
    adverb_ending="ly",
    genitive=r"[A-ZÀ-Þ]\w{1,20}'s |[A-ZÀ-Þ]\w{2,20}s [a-zA-Z]|\A\s*\w{2,20}s \w",
    not_after_name="me|us|you|it|the|a|your|my|i",
)

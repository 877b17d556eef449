"""Signs that an English statement is worth remembering, or is not; what each weighs was fitted on labeled chats."""

from __future__ import annotations

from cortex.languages.en.phrases import BOOKING

_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|"
    r"aug|sept?|oct|nov|dec)"
)
_DAY = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
_COUNT = r"(?:\d[\d,.]*|two|three|four|five|six|seven|eight|nine|ten|twelve|a few|several|a couple of|half a)"
_KIN = (
    r"(?:mom|mum|mother|dad|father|parents?|sister|brother|wife|husband|partner|spouse|son|daughter|kids?|children|"
    r"baby|twins|cousin|aunt|uncle|grand\w+|niece|nephew|girlfriend|boyfriend|fianc\w+|friends?|colleague|coworker|"
    r"boss|manager|mentor|supervisor|neighbou?rs?|roommate|landlord|dog|cat|puppy|kitten|pets?|in-laws?|step\w+)"
)

SIGNS: dict[str, str] = {
    # Who it is about.
    "me": r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself)\b",
    "we": r"\b(?:we|we're|we've|we'd|we'll|our|ours|us)\b",
    "opens with I": r"^(?:i|i'm|i've|i'd|i'll|we|we're|we've|we'd|we'll)\b",
    "opens with my": r"^(?:my|our)\b",
    "you": r"\b(?:you|your|you're|you've|you'd|you'll)\b",
    "opens vaguely": r"^(?:you|your|you're|you've|that|that's|it|it's|this|these|those|they|they're)\b",
    "kin": rf"\b{_KIN}\b",
    "name": r"(?-i:(?<=[a-z,;:)]\s)[A-Z][a-z]+)",
    "title": r'"[^"]{3,60}"|“[^”]{3,60}”',
    # How exact it is.
    "number": r"\d",
    "amount": r"[$€£]\s?\d|\b\d[\d,.]{0,12}\s?(?:%|percent\b|dollars\b|euros\b|pounds\b|bucks\b|k\b)",
    "version": r"\bv?\d{1,4}\.\d{1,4}(?:\.\d{1,4})?\b",
    "date": rf"\b{_MONTH}\b\.?\s?\d|\b\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH}\b|\b(?:19|20)\d\d\b|"
    rf"\b(?:in|since|until|by|last|next|this)\s{_MONTH}\b",
    "relative time": r"\b(?:yesterday|last\s\w+|ago|recently|this\s(?:past\s)?(?:week|weekend|month|year|summer|winter|"
    rf"spring|fall|autumn)|next\s\w+|tomorrow|{_DAY}|the other day|just\sgot)\b",
    "since": r"\b(?:since|for\s(?:the\s(?:past|last)|over|almost|about|\d|two|three|four|five|six|seven|eight|ten)|"
    r"until)\b",
    "duration": rf"\b{_COUNT}[\s-]?(?:min|mins|minutes?|hours?|hrs?|days?|weeks?|months?|years?|ms|seconds?)\b",
    "count": rf"\b{_COUNT}\s[a-z]{{3,}}s\b",
    "technical name": r"(?-i:\b[A-Z]{2,}\b|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*)|\b\w+\.(?:js|py|io|com|ts|rs|net)\b",
    "place": r"\b(?:in|at|near|from|to|outside)\s(?-i:[A-Z][a-z]+)",
    # What kind of thing it says.
    "past": r"\b(?:was|were|had|did|went|got|took|made|bought|sold|moved|started|finished|joined|signed|met|visited|"
    "attended|"
    r"lost|won|passed|died|born|set|adopted|received|spent|paid|saved|found|gave|began|left|quit|ran|built|wrote)\b",
    "perfect": r"\b(?:i|we|he|she|they)(?:'ve|\shave|'s|\shas)\s(?:just\s|already\s|also\s|recently\s|finally\s|"
    r"never\s|been\s|always\s){0,2}[a-z]{2,}(?:ed|en|ne|ght|pt|ft|lt|it|ut|ad|un|wn)\b",
    "going on": r"\b(?:i'm|i've been|we're|we've been|i am|he's|she's|they're)\s(?:currently\s|now\s|still\s|also\s|"
    r"really\s)?[a-z]{3,}ing\b",
    "plan": r"\b(?:plan(?:ning)?\s(?:to|on)|going\sto|gonna|i'll|we'll|will\sbe|scheduled|aim(?:ing)?\s(?:to|for)|"
    r"deadline|goal|target|hoping\sto|due\s(?:on|by|in)|booked|looking\sforward)\b",
    "decision": r"\b(?:decid\w+|decision|chose|chosen|opted|agreed|settled|switch\w*|going\swith|went\swith|leaning|"
    r"i\sthink\si'll|i'm\sthinking\sof|committed|finaliz\w+|declined|accepted|picked|signed\sup|enrolled|rejected)\b",
    "instead": r"\b(?:instead\sof|rather\sthan|no\slonger|not\sanymore|anymore|moved\sto|changed|now)\b",
    "taste": r"\b(?:love|loves|loved|hate|enjoy\w*|favou?rite|prefer\w*|likes?|fan\sof|passion\w*|can't\sstand|dislike|"
    r"fond|obsessed)\b",
    "habit": r"\b(?:always|usually|every|often|each|daily|weekly|never|regularly|twice|once\sa|mornings|evenings|"
    r"weekends|tends?\sto|used\sto)\b",
    "state": r"\b(?:i'?m\s(?:an?|from|in|on|based|allergic|\d)|i\sam|i\s(?:have|own|live|work|use|study|teach|run|play|"
    r"speak|can't)|i\s(?:don't|never)\s(?:eat|drink|drive|smoke|fly|own|have|wear)|"
    r"i've\sgot|we\s(?:have|live|use|run|own)|is\smy|is\sour|using|lives|works|has)\b",
    "health": r"\b(?:allerg\w+|diagnos\w+|doctor|surgery|pregnan\w+|medication|therap\w+|injur\w+|pain|anxiety|"
    r"diabet\w+|asthma|vegan|vegetarian|gluten|lactose|hospital|disease|cancer|sick)\b",
    "work and money": r"\b(?:job|salary|promot\w+|hired|company|startup|business|rent|mortgage|loan|budget|savings?|"
    r"debt|interview|degree|thesis|university|college|school|license|contract|insurance|apartment|house|car)\b",
    "progress": r"\b(?:completed|finished|done\swith|implemented|set\sup|deployed|integrated|added|reached|improved|"
    r"reduced|increased|dropped|coverage|modules?|response\stime|latency|uptime|milestone|sprint|release\w*)\b",
    "family event": r"\b(?:married|wedding|divorc\w+|engaged|engagement|birthday|anniversary|funeral|passed\saway|"
    r"adopt\w+|moved\s(?:in|out|to)|graduat\w+|retir\w+|broke\sup)\b",
    # What speaks against it.
    "asks": r"\?\s*$|\b(?:can|could|would|will)\syou\b|\bhelp\sme\b|\bplease\b|\bany\s(?:tips|advice|ideas|"
    r"suggestions)\b|\bdo\syou\b",
    "trying": r"\b(?:trying\sto|having\s(?:trouble|issues|difficulty)|struggling|not\ssure|unsure|make\ssure|wondering|"
    r"figure\sout|need\shelp|i\sneed\sto|i\swant\sto|i'd\slike\sto|worried|concerned)\b",
    "text at hand": r"\bhere(?:'s|\sis|\sare)\b|:\s*$|\bmy\s(?:current\s)?(?:code|implementation|query|function|"
    r"snippet)\b|\b(?:this|following)\s(?:code|error|function|query|sentence|paragraph)\b|\berror\b|\btraceback\b",
    "thanks": r"\b(?:thanks|thank\syou|got\sit|makes\ssense|sounds\s(?:good|great|like)|awesome|perfect|appreciate|wow|"
    r"congrat\w*|absolutely|exactly|definitely|no\sproblem|haha|glad|proud\sof\syou|good\sluck|great)\b",
    "opens as a reply": r"^(?:thanks|thank|got\sit|sounds|great|awesome|perfect|wow|congrats|sure|okay|ok|yeah|yes|yep|"
    r"absolutely|exactly|definitely|no|haha|glad|so|hey|hi|hello|oh|nice|cool|aw+|and|but|right|hmm|well)\b",
    "exclaims": r"!",
    "supposes": r"\b(?:if|would|could|might|maybe|perhaps|suppose|imagine|hypothetical\w*|unless|whether)\b",
    "advice taken up": r"\b(?:i'll\s(?:try|start|definitely|make|keep|check|use|go|look|give|focus|be|follow|add|"
    r"update|work|also)|i\sshould|i\scan|that\s(?:way|should|would|will)|this\s(?:way|should|would|will)|it'll|"
    r"you\s(?:mentioned|suggested|said))\b",
    "arithmetic": r"\d\s?[=+*/^×]\s?\d|\\\(|\\frac|\b(?:probability|equation|formula|triangle|theorem|derivative|"
    r"integral)\b",
    "feeling": r"\b(?:feel\w*|felt|excited|nervous|proud|happy|sad|stressed|overwhelmed|amazing|incredible|inspir\w+|"
    r"motivat\w+|grateful|blessed|joy|special|meaningful)\b",
    "generality": r"^(?:it's\s(?:important|great|so|really|all|always|amazing)|there's\snothing|life|people|everyone|"
    r"nothing|we\sall|the\s(?:best|key|important)|sometimes|having|being|taking|seeing|helping|knowing)\b",
    "saying": r"\b(?:makes? (?:all the|a (?:real |big |huge )?)difference|means? (?:a lot|so much|the world|"
    r"everything)|life(?:'s| is)|never too late|a reminder|reminds? (?:me|us|you)|such an? |the best (?:feeling|part|"
    r"thing)|(?:is|are|'s) (?:so |really |super |just |always )?(?:important|everything|all about|what matters|the key|"
    r"priceless|valuable|precious|worth it|how we|what (?:keeps|makes))|brings? (?:people|us|so much)|power of|"
    r"worth (?:it|all)|every little|you never know|in the end|no matter what|should be)\b",
    "nobody's": rf"^(?!.*\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself|we|we're|we've|we'd|we'll|our|us|{_KIN})\b)"
    r"(?!.*(?-i:[a-z,]\s[A-Z]))(?!.*\d)",
    "praise": r"^you\b|\byou(?:'re| are) (?:so|such|really|doing|the best|amazing|welcome|right|making|a great)\b|"
    r"\b(?:proud of|happy for|excited for|thanks? to|for|with|to) you\b|\bi (?:admire|love (?:how|that)) you\b|"
    r"\byour (?:support|dedication|courage|strength|passion|kindness|words|work|story)\b",
    "opinion": r"\bi(?:'m)? (?:just |really |also |still |totally )?(?:hope|hoping|wish|guess|think|believe|know|"
    r"feel like|can't wait|can't believe|agree|realized?|learned|don't want)\b",
    "mood": r"\b(?:thrilled|relieved|over the moon|hearts?|tears|emotional|speechless|goosebumps|breathtaking|"
    r"stunning|magical|unforgettable|rewarding|powerful|blast|fulfilling|freeing|calm\w*|peace\w*|anxious|scared|"
    r"crazy|fun|wonderful|gorgeous|beautiful|lovely|intense)\b",
    "vague thing": r"\b(?:something|things|stuff|everything|anything|a lot|so much|all of (?:this|that|it)|"
    r"some kind|somewhere|someday|one day)\b",
    "at the moment": r"\b(?:right now|at the moment|this morning|just now|so far|for now|today)\b",
    "tried": r"\bi(?:'ve| have)?\s(?:also\s|already\s|even\s)?(?:tried|checked|tested|heard|noticed|read that|"
    r"looked)\b|\bkeep getting\b|\b\w{3,30}error\b",
    "works on": r"\b(?:i'm|i am|we're)\s(?:now\s|currently\s|still\s|also\s|just\s)?(?:working on|"
    r"looking (?:for|into|at|to)|considering|thinking (?:of|about)|getting|seeing|having)\b",
    "only a task": r"^(?:(?:so|and|but|now|also|well),?\s)?(?:i'm|i am|we're)\s(?:now\s|currently\s|still\s|also\s|"
    r"just\s|kinda\s)?(?:trying to|working on|looking (?:for|into|at|to)|struggling|having|getting|seeing|"
    r"considering)\b(?!.*\b(?:i've|i have|i had|i got|i already|we've|decided|deadline|due|until|prefer|my goal|"
    r"reduced|improved|by (?:\d|the end|next|(?-i:[A-Z]))|(?:and|but|because|so) (?:it|it's|she|he|they|we|my|our|her|"
    r"of|half))(?:\b|\w))",
    "small talk": r"\b(?:since we (?:last )?(?:talked|spoke|chatted|met)|last (?:chat|talk)|been (?:so |super |really |"
    r"crazy |keeping |pretty )?busy|swamped|catch(?:ing)? up|long time|so much has happened|a lot has happened|"
    r"been ages|guess what|keep (?:you posted|going|it up)|let me know|hope you)\b",
    "a picture": r"\b(?:pic|pics|photo|photos|picture|pictures|shot|snap)\b",
    "errand": BOOKING,
    "wants": r"\b(?:i'd like|i would like|i want|i need|i'm looking for|i am looking for|find me|book|"
    r"it (?:should|has to)|make it|would be (?:good|great|nice))\b",
    # How long it is.
    "under 5 words": r"^\S+(?:\s\S+){0,3}$",
    "under 9 words": r"^\S+(?:\s\S+){4,7}$",
    "over 18 words": r"^\S+(?:\s\S+){18}",
    "over 30 words": r"^\S+(?:\s\S+){30}",
    "commas": r",[^,]{1,200},",
}

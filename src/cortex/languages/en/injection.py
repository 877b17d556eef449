"""English: how a text gives orders to an assistant that reads it."""

from __future__ import annotations

from cortex.languages.words import Phrase, phrase

_BEGIN = r"(?:\A|\n|[.!?:;>*\"'(\[|—-]|\bplease|\bkindly|\balso|,)[\s,]{0,12}+\Z"
_CLAUSE_BEGIN = r"(?:\A|\n|[.!?:;>*\"'(\[|—-]|\bplease|\bkindly|\balso)[\s,]{0,12}+\Z"
_AFTER_A_COMMA = r",\s{0,12}+\Z"
_SENTENCE_BEGIN = r"(?:\A|\n|[.!?;>\"'(|]|\bplease)\s{0,12}+\Z"
_EARLIER = (
    r"previous|prior|above|earlier|preceding|foregoing|former|existing|original|initial|past|older|system|your|safety"
)
_RULES_WORD = (
    r"(?:instructions?|directions|prompts?|rules|guidelines?|guidance|directives?|guardrails?|restrictions?|"
    r"polic(?:y|ies)|programming|training|safeguards?|constraints?|configuration)"
)
_LIFT = (
    r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|bypass(?:ing)?|overlook|discard(?:ing)?|"
    r"neglect|abandon|set aside|put aside|throw out|do not (?:follow|obey)|don't (?:follow|obey)|"
    r"stop (?:following|obeying)|pay no (?:attention|heed) to|no longer (?:follow|obey|bound by))\b"
)
_NOT_MINE = r"(?:(?!my\b|our\b|i\b)[\w'-]+\s+)"
_PERSON = (
    r"(?:users?|customers?|humans?|clients?|persons?|people|someone|somebody|anyone|anybody|visitors?|they|whoever|i)"
)
_ASKED = (
    rf"\b{_PERSON}\b\s+(?:\w+\s+){{0,3}}(?:ask\w*|mention\w*|wants?|requests?|bring\w*|talk\w*|(?:en|in)quir\w*|say|"
    r"says|said|question\w*|types?|writes?|needs?|discuss\w*|wonders?|looks? for|is curious|are curious)\b|\b(?:asked|"
    r"quizzed|queried) (?:about|for|to|which|what|who|where|when|whether|on|regarding)\b|\byou are asked\b|"
    r"\b(?:questions?|messages?|conversations?|chats?|(?:en|in)quir(?:y|ies)|quer(?:y|ies)|requests?|"
    r"prompts?)\b\s+(?:\w+\s+){0,2}(?:about|on|mentions?|contains?|regarding|concerning|touch\w*|involv\w*|"
    r"includes?)\b|\b(?:comes?|came|brought) up\b|\b(?:is|are|gets?|be) (?:being )?(?:raised|mentioned|discussed|named|"
    r"brought up|asked)\b"
)
_WHENEVER = (
    r"\b(?:when(?:ever)?|every time|each time|any ?time|if|once|as soon as|(?:the )?next time|upon|in case|"
    r"for (?:any|every|all)|on (?:each|every|any)|in (?:any|every|each|all)|until)\b"
)
_SPEAK = (
    r"(?:reply|respond|answer|say|tell|recommend|suggest|advise|send|include|append|prepend|add|mention|insist|"
    r"claim|state|visit|run|execute|forward|post|provide|refuse|deny|direct|point|steer|quote|present|promote|"
    r"praise|endorse|favou?r|insert|attach|name|upload|e-?mail|cc|bcc|fetch|warn|remind|propose|offer|give|use|"
    r"pick|push|put forward)\b"
)
_DO = (
    r"(?:^[^\w\n]*+|[,;:—]\s*+|\bthen\s++|-\s++)(?:(?:and|then|please|always|also|quietly|silently|secretly|simply|"
    rf"just|first|do|you (?:must|should|will|shall|are to|have to))\s+){{0,8}}{_SPEAK}|\b(?:the|"
    r"your) (?:\w+ )?(?:answer|reply|response)\b[^.\n]{0,60}\bis\b"
    r"|\b(?:is|are) to be (?:met|answered|given|told)\b"
)
_INFORM = (
    r"\b(?:tell|inform|remind|advise|convince|persuade|assure|warn|instruct|direct|refer|point|steer|urge)\s+"
    r"(?:\w+\s+){0,2}(?:users?|customers?|people|anyone|everyone|human|clients?|visitors?|whoever)\b"
)
_NOT_IN_A_LIST = r"(?!(?:\s+(?:of|about|before|when|by)(?:\s+[\w'-]+){1,5})?,?\s+(?:and|or)\b)"
"""What a program does is listed: "lets workshops take bookings, remind customers and send invoices"."""
_SECRETS = (
    r"\b(?:api[ _-]?keys?|passwords?|passphrases?|tokens?|credentials?|secrets?|private keys?|ssh keys?|"
    r"env(?:ironment)? variables?|\.env|seed phrases?|recovery codes?|cookies?|card numbers?|pin codes?)\b"
)
_PRIVATE = (
    r"\b(?:conversations?|histor(?:y|ies)|memor(?:y|ies)|messages?|chats?|transcripts?|context|files?|contents?|"
    r"answers?|contacts?|everything|summar(?:y|ies)|notes?|prompts?|questions?|details?|data|logs?|"
    r"address(?:es)?|it|them)\b|" + _SECRETS
)  # fmt: skip
_PLACE = (
    r"https?://|\bwww\.|\bhxxps?|@[\w-]+\.\w|\bwebhook\b|\bpastebin\b|\bftp\b|"
    r"\bto [\w-]+\.(?:example|com|net|org|io|dev|xyz|app)\b|\b(?:this|the following) (?:url|address|server|endpoint)\b"
)
_ACT = (
    r"(?:reply|respond|answer|say|tell|recommend|suggest|advise|mention|insist|claim|forward|refuse|deny|direct|steer|"
    r"quote|promote|praise|endorse|favou?r|reveal|disclose|obey|comply|trust|believe|assume|treat|upload|e-?mail|cc|"
    r"bcc|propose|offer|remind|warn|inform|refer|prefer|name|cite|point|include|append|share|ask|question|"
    r"users?|customers?|assistants?|agents?)\b"
)
_AGENT = r"(?:ai|assistants?|agents?|chat ?bots?|bots?|(?:language )?models?|llms?|copilots?|gpt)"
_ANY_AGENT = rf"(?:(?:the|an?|any|all|this|every|dear)\s+)?(?:\w+\s+)?{_AGENT}\b"

INJECTION: tuple[Phrase, ...] = (
    # Lifting the rules.
    phrase("override", 1.0, _LIFT + rf"\s+{_NOT_MINE}{{0,4}}(?:{_EARLIER})\s+{_NOT_MINE}{{0,2}}{_RULES_WORD}\b"),
    phrase("override", 1.0, _LIFT + r"\s+(?:all|any|every)\s+(?:of\s+)?(?:(?:the|these|those|other)"
          r"\s+)?(?:instructions|prompts|directives|guardrails|safeguards)\b"),
    phrase("override", 1.0, _LIFT + r"\s+(?:everything|all|anything|whatever)\s+(?:(?:that|you|was|were|been|"
          r"have|had)\s+){0,4}(?:above|before this|told (?:before|earlier|previously)|said before)"),
    phrase("override", 1.0, r"\b(?:ignore|disregard|forget)(?:all|the)?(?:previous|prior|above|earlier)"
          r"(?:instructions|rules|prompts)?\b"),
    phrase("override", 1.0, r"\byou are (?:now )?(?:in )?(?:an? )?(?:dan|jailbroken|unrestricted|uncensored|"
          r"unfiltered|developer mode|god mode|no longer (?:bound|restricted|limited|an? (?:ai|assistant)))\b"),
    phrase("override", 0.5, r"\byou are now (?:an?|the|my|our|acting|called|playing|operating|free|in \w+ mode)\b|"
          r"\byour new (?:role|task|goal|purpose|name) is\b|\byour new (?:instructions?|directives?|system prompt)\b|"
          r"\b(?:new|updated|revised|real|actual) (?:system )?(?:instructions?|directives?|prompt)\s*:"),
    phrase("override", 0.3, r"\b(?:developer|debug|god|admin|dan|jailbreak|maintenance|sudo|unrestricted|root)"
          r" mode\b|\bsystem prompts?\b|\bpretend (?:that )?(?:you|to be|the rules)\b|\bact as (?:if|though|an?)"
          r"\b|\bjailbreak\b"),
    phrase("override", 0.5, r"\b(?:reveal|print|repeat|show|output|leak|dump|recite|disclose)"
          r"\b[^.\n]{0,40}\b(?:system prompt|hidden instructions|initial instructions|instructions above)\b"),
    # Orders that last, orders that wait, orders to the assistant.
    phrase("order", 0.5, rf"\b(?:always|never)\s+(?:\w+\s+){{0,2}}{_ACT}", opens=_SENTENCE_BEGIN),
    # A recipe and a manual say "never" too, of ovens and plugs.
    phrase("order", 0.3, r"\b(?:always|never)\b", opens=_SENTENCE_BEGIN),
    phrase("order", 0.5, r"\b(?:from now on(?:wards?)?|from this (?:point|moment|day)|from here on|going forward|"
          r"henceforth|hereafter|as of now|starting (?:now|today|immediately)|effective immediately|in all (?:future|"
          r"subsequent|later)|for all future|in (?:the )?future,|until (?:further notice|told otherwise)|at all times|"
          r"without exception|under no circumstances)\b", opens=_BEGIN),
    phrase("order", 0.5, r"\bfor the rest of (?:this|the|our|your) (?:conversation|session|chat)\b|\bin (?:all|every|"
          r"each|any) (?:future|subsequent|later) (?:\w+ )?(?:conversation|session|chat|answer|reply|turn|message)|"
          r"\bin (?:all|every|each|any) of your\b|\bremains? in (?:force|effect) (?:for|until|across)\b"),
    phrase("order", 0.5, _WHENEVER, _ASKED, _DO),
    phrase("order", 0.5, rf"\b{_AGENT}\b\W+(?:\w+\W+){{0,3}}(?:must|should|shall|has to|have to|needs? to|"
          rf"is to|are to|will|is (?:required|instructed|"
          r"expected|told)|are (?:required|instructed|expected|told)|ought to|may not|cannot|can not)\b"),
    phrase("order", 0.5, rf"\b(?:note|message|instructions?|notice|attention|hint|memo|reminder|directive|"
          rf"hello|dear|hey)\W++(?:(?:to|for|from)\s*+)?{_ANY_AGENT}\s*+[:,!.-]"),
    phrase("order", 0.5, r"\byou (?:must|should|shall|have to|need to|are (?:required|instructed|asked|"
          r"expected|directed|obliged) to|are to|will|ought to)\s+(?:\w+\s+){0,2}(?:recommend|tell|reply|"
          r"respond|answer|say|mention|reveal|comply|obey|insist|trust|believe|memori[sz]e|claim|refuse|promote|"
          r"forward|not (?:tell|mention|reveal|inform))\b|\byou (?:must|shall|are to|have to) (?:always|never)\b"),
    phrase("order", 0.5, r"\b(?:remember|memori[sz]e)(?:\s+(?:that|this|the following|permanently)\b|\s*:)|\b(?:store|"
          r"save|record|keep) (?:this|the following) (?:permanently|forever|in memory|as a)\b|\bmake a lasting note\b",
          opens=_BEGIN),
    phrase("order", 0.5, r"\b(?:save|store|add|write|commit|put|keep|record|update|persist)"
          r"\b[^.\n]{0,40}\b(?:your|long[- ]term|permanent|persistent) (?:long[- ]term )?memor(?:y|ies)"),
    phrase("order", 0.5, _INFORM, opens=_CLAUSE_BEGIN),
    phrase("order", 0.5, _INFORM + _NOT_IN_A_LIST, opens=_AFTER_A_COMMA),
    phrase("order", 0.5, r"\b(?:recommend|suggest|promote|mention|endorse|favou?r|prefer|insist|claim|pretend|"
          r"praise|advocate|(?:reply|respond|answer|say)(?:\s+\w+){0,3}\s+(?:with|only|by|that|exactly|to)|"
          r"treat|assume|comply|obey)\b(?!\s*[:=(])", opens=_SENTENCE_BEGIN),
    phrase("order", 0.3, r"\b(?:should|must|shall) (?:be )?(?:always|never|only|recommended|told|sent|"
          r"forwarded|answered|used instead)\b"),
    # Carrying something out.
    phrase("exfiltration", 0.6, _PLACE, r"\b(?:send|post|forward|upload|transmit|e-?mail|mail|report|leak|"
          r"exfiltrate|submit|deliver|cop(?:y|ies)|cc|bcc|relay|share|push|write|append|encode|put|place|pass|"
          r"sync|mirror|beam|ship)\s+[a-z]", _PRIVATE),
    phrase("exfiltration", 0.5, r"\b(?:include|print|paste|reveal|show|repeat|append|embed|encode|put|attach|"
          r"disclose|quote|send|read out|spell out|hand over|collect|gather|copy|ask for|request)"
          r"\b", _SECRETS, r"\b(?:the user|user's|users?'?|your|you|their|his|her|any|all|every|answer|reply|"
          r"url|link|image)\b"),
    # Hiding it.
    phrase("concealment", 0.5, r"\b(?:do not|don't|never|must not|mustn't|should not|shouldn't|avoid|"
          r"refrain from|not to|no need to)\b\s+(?:\w+\s+){0,2}(?:tell|telling|mention|mentioning|inform|"
          r"informing|reveal|revealing|disclose|disclosing|notify|notifying|alert|alerting|admit|show|showing|"
          r"say|saying|explain|explaining|let)\b[^.\n]{0,40}\b(?:users?|customers?|human|anyone|anybody|him|her|"
          r"them|this|it|operator|owner|clients?|person|instructions?|note|source|rule|why|so)\b"),
    phrase("concealment", 0.5, r"\bwithout (?:the user\b|(?:the user's|their|his|her) (?:knowledge|consent|"
          r"noticing|knowing)|(?:telling|informing|asking|notifying|alerting) (?:the user|them|him|her|anyone))|"
          r"\bkeep (?:this|it|that)(?: \w+)? (?:secret|hidden|to yourself|between us|confidential|quiet)\b|"
          r"\bkeep quiet about\b|\bhide (?:this|it) from\b"),
    phrase("concealment", 0.3, r"\b(?:silently|secretly|covertly|discreetly|stealthily|unobtrusively|"
          r"behind the scenes|quietly)\b"),
    # Borrowed authority.
    phrase("authority", 0.5, r"\b(?:administrators?|admins?|openai|anthropic|google|microsoft|developers?|"
          r"operators?|security team|vendors?|creators?|compliance|it department|management|maintainers?|"
          r"support team|head office|legal)\b",
          r"\b(?:requires?|instructs?|instructed|mandates?|mandated|orders?|ordered|authori[sz]ed|approved|"
          r"demands?|wants? you|directs?|directed|decreed|insists?|says? (?:that )?you|has decided)"
          r"\b", r"\b(?:you|assistants?|agents?|ai|model|bot|every|all|always|never|must|answers?|replies|users?)\b"),
    phrase("authority", 0.5, r"\b(?:this|the following) is an? (?:\w+ )?(?:trusted|verified|system|official|"
          r"authori[sz]ed|high[- ]priority|privileged|signed) (?:\w+ )?(?:memory|instruction|message|fact|note|"
          r"directive|update|entry|record|order|rule)\b"),
    phrase("authority", 0.5, r"\b(?:verified|confirmed|approved|authori[sz]ed|signed off|consented)"
          r"\b[^.\n]{0,20}\bby (?:the )?(?:user|operator|admin\w*|owner|system|security)\b|\bthe (?:user|owner|"
          r"operator) (?:has |have |already )*(?:authori[sz]ed|agreed|approved|consented|wants you|asked you|"
          r"prefers that you)\b"),
    phrase("authority", 0.5, r"\b(?:takes? precedence over|supersedes?|overrides?|replaces?|outranks?)\s+(?:all|any|"
          r"every|everything|previous|earlier|prior|other|the user|whatever|your)\b|\bhighest priority\b|\b(?:do not|"
          r"don't|never) (?:question|doubt|verify|overwrite|delete|contradict|second-guess) (?:this|it)\b"),
    # To be decoded and obeyed.
    phrase("encoded", 0.5, r"\bdecod(?:e|ing)\b[^.\n]{0,60}\b(?:follow|execute|run|obey|apply|act|do what|"
          r"carry out|comply)\b|\b(?:follow|execute|obey|act on)\b[^.\n]{0,40}\b(?:decoded|base64|hex|rot13)\b"),
)  # fmt: skip

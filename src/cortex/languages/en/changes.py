"""What is no longer so, and what was decided."""

from __future__ import annotations

from cortex.kinds import Kind
from cortex.languages.en.phrases import ADV, END, I_AM, I_DO, I_HAVE, I_WILL, PHRASE, REST
from cortex.languages.pack import Rule, about_me

RULES: tuple[Rule, ...] = (
    # No longer so.
    Rule("negation.work", Kind.FACT, 0.6, 0.9, about_me("employer"), negated=True).worded(
        rf"(?:i no longer work|i don't work|i (?:have )?stopped working|i'm no longer (?:working|employed)|i "
        rf"am no longer working)\s+(?:at|for)\s+(?P<value>{PHRASE})(?=\s+any ?more|{END[3:-1]})",
    ),
    Rule("negation.home", Kind.FACT, 0.6, 0.9, about_me("home city"), negated=True).worded(
        rf"(?:i no longer live|i don't live|we no longer live|we don't live|i'm no longer living|i'm no longer "
        rf"based)\s+in\s+(?P<value>{PHRASE})(?=\s+any ?more|{END[3:-1]})",
    ),
    Rule("negation.no_longer", Kind.FACT, 0.6, 0.9, negated=True).worded(
        rf"(?:(?:i|we)(?:'m| am|'re| are)?\s+no longer\s+{REST}|(?:my|our|the)\s+[^,;.!?\n]{{2,50}}?\s(?:is|are|has|"
        rf"does|do|will be)?\s?no longer\s{REST}|(?:i|we)\s+(?:don't|do not|can't|cannot|won't|didn't|am not|'m not|"
        r"aren't)\s+[^.!?\n]{2,80}\b(?:any ?more|these days|any longer)\b.*|(?:we|they|i) (?:aren't|"
        r"isn't)\s[^.!?\n]{2,80}\b(?:any ?more|any longer)\b.*|(?:i'm|we're|i am|"
        r"we are)\s+not\s+[^.!?\n]{2,80}\b(?:any ?more|any longer)\b.*|(?:my|our|the)\s+[^,;.!?\n]{2,50}?\s(?:isn't|"
        r"aren't|doesn't|don't|is not|are not)\s[^.!?\n]{2,60}\bany ?more\b.*)",
        veto=r"\b(?:take it|stand it|tell|see (?:it|that|the)|understand|think straight|want to talk|wait|need|"
        r"want|require)\b",
    ),
    Rule("negation.stopped", Kind.FACT, 0.6, 0.88, negated=True).worded(
        rf"{I_HAVE}(?:stopped\s+\w+ing|cut\s+(?:out\s+\w+|\w+ (?:out|completely|entirely))|quit\s+(?!the app|"
        rf"it\b)\w+|gave up\s+\w+|given up\s+\w+|got rid of\s+|gotten rid of\s+|dropped\s+(?!by|off|it\b|out "
        rf"of my)\w+|ditched\s+|abandoned\s+|retired\s+(?:the|our|from)|cancelled\s+(?-i:[A-Z])|"
        rf"cancelled\s+(?:my|our|the)\s[^.!?]*(?:subscription|membership|contract|account|lease)|"
        rf"canceled\s+(?:my|our|the)\s[^.!?]*(?:subscription|membership|contract|account|lease)|sold\s+(?:my|"
        rf"our|the)\s|left\s+(?:my job|my position|the company|(?-i:[A-Z])\w+)|broke up with\s|split up with\s|"
        rf"moved away from\s|moved off\s|phased out\s|decommissioned\s|shut down (?:our|the)\s|let go of (?:my|"
        rf"our)\s|deleted my\s+\w+ (?:account|profile)).*",
        veto=r"\b(?:my keys?|my phone|it at|my wallet|me a|gave up on (?:this|it))\b",
    ),
    Rule("negation.used_to", Kind.FACT, 0.55, 0.82).worded(rf"{I_DO}used to\s+{REST}"),
    # Decisions.
    Rule("decision.decided", Kind.DECISION, 0.7, 0.9).worded(
        rf"(?:{I_HAVE}|(?:the\s+)?(?:team|board|committee|group|client|family|company|jury|panel|"
        rf"majority)\s+(?:has\s+|have\s+)?{ADV}|(?:my|our)\s+[\w ]{{2,30}}?\s+and i\s+(?:have\s+)?|it (?:was|"
        rf"has been)\s+|it's\s+)(?:decided|agreed|settled|opted|resolved|concluded|determined|voted|committed|"
        rf"elected)\s+(?:yesterday\s+|today\s+|last \w+\s+|earlier\s+|together\s+|internally\s+)?(?:on|to|that|"
        rf"against|for|not|in favou?r|unanimously|with \w+ (?:to|on|that|not)|upon)\b.{{2,}}",
        veto=r"\bto (?:leave|fly|depart|travel|return|go)\b.{0,15}\bon\b|"
        r"\bdecided (?:on|to) (?:see|ask|check|try|look)\b|\bnot to\W*$|\b(?:decided|chose|chosen|picked) "
        r"(?:on |to \w+ )?(?:this|that|it|them|these)\b|\b(?:haven't|have not|not yet)\b|\byet\?",
    ),
    Rule("decision.chose", Kind.DECISION, 0.7, 0.85).worded(
        rf"(?:{I_HAVE}|(?:the\s+)?(?:team|board|committee|group|client|family|company|jury|panel)\s+(?:has\s+|"
        r"have\s+)?)(?:chose|chosen|picked|selected|went with|gone with|ended up (?:choosing|going with|picking|with|"
        r"buying|using)|opted for|switched (?:from|to|over|(?:my|our)\b.{0,40}\bto)|migrated (?:from|to|off)|"
        r"standardi[sz]ed on|adopted\s+(?-i:[A-Z])|settled for|signed (?:with|the)|ruled out|rejected|scrapped|"
        r"postponed|pivoted|replaced|moved (?:everything|all|our|the)\b.{0,60}\b(?:to|off|from|over))\b.{2,}",
        veto=r"\bby (?-i:[A-Z])|\b(?:hotels|apartments|rating)\b|\b(?:wrong|by mistake|accidentally|randomly)\b|"
        r"\b(?:chose|chosen|picked|selected) (?:to \w+ )?(?:about )?(?:this|that|it|them|these)\b",
    ),
    Rule("decision.going_with", Kind.DECISION, 0.7, 0.82).worded(
        rf"(?:let's|{I_AM}|{I_WILL})\s*(?:not\s+)?(?:going with|go with|sticking with|stick with|stick to|sticking to|"
        r"switching to|switch to|moving to (?!the (?:next|other))|migrating to|adopting|standardi[sz]ing on|going for|"
        r"settling on|dropping|ditching|be using|be moving|be switching|be going with|use|adopt|drop support|"
        r"not (?:going to )?support\w*|taking the|accepting the|moving (?:the|our|everything)\b.{0,50}\bto|"
        r"replacing)\s+(?!it\b|that\b|this\b|these\b|those\b|them\b|the (?:first|second|third|last|other|former|latter|"
        r"same|one|\d)|one\b|option\b|your\b|both\b|my\b|that one|plan\b|some\b).{2,}",
        veto=r"\bplease\b|\bride\b|\bwith (?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)\w* \d|"
        r"\bfrom (?:march|april)\b|\bvs\b|\bsoon\b|\bpeople\b|\bon the \d|^(?:i'll|i will) (?:go|be going) with\b|"
        r"\b(?:for now|this time|tonight|see what happens|the (?:first|second|third) (?:one|option)|for example|"
        r"as an example|tomorrow)\b|\?\s*$|\b(?:am|pm)\b|\$\d|^(?:i'll|i will|i'm going to|i am going to)\s+(?:use|"
        r"go with using)\b",
    ),
    Rule("decision.not_supporting", Kind.DECISION, 0.7, 0.85).worded(
        r"(?:we're|we are|we)\s+(?:not going to|won't|will not|are not|no longer)\s+(?:support|use|ship|renew|"
        r"pursue|migrate|hire|build|offer|continue|be (?:using|supporting|offering))\w*\b.{2,}",
    ),
    Rule("decision.final", Kind.DECISION, 0.72, 0.88, whole=True).worded(
        r"(?:(?:the|our|my|final|it's|a)\s+)*(?:decision|verdict|outcome|upshot|"
        r"conclusion)\b[^.!?\n:]{0,40}(?::|\s(?:is|was)(?: that| to)?\b)\s*.{3,}"
        r"|let's settle (?:it|this)\s*[:,]\s*.{3,}|(?:it's (?:settled|decided|official|final)|that's settled|"
        r"settled|decided)\s*[:,]\s*.{3,}|i've made up my mind\b.{3,}|we've made up our minds?\b.{3,}",
        veto=r"\b(?:tree|yours|up to you|hard|difficult|boundary)\b|\?\s*$",
    ),
)

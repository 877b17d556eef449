"""By which words German shows how much a memory matters."""

GRADING = {
    "rule": r"\b(?:ab (?:jetzt|sofort)|in zukunft|künftig|immer|nie|niemals|auf keinen fall|verboten|vorschrift|"
    r"grundsätzlich|nur noch|darfst? nicht|dürfen nicht|muss immer|müssen immer)\b|^\W*(?:bitte\s+)?(?:antworte|"
    r"schreib|benutze|verwende|frag|nutze)\w*\b",
    "preference": r"\b(?:bevorzug\w+|lieblings\w+|am liebsten|lieber|(?:ich|wir) (?:mag|mögen|liebe|hasse|möchte)|"
    r"gern|gerne|kann \w+ nicht leiden)\b",
    "constraint": r"\b(?:allergi\w+|vertrage (?:kein|nicht)\w*|unverträglich\w*|laktose\w*|gluten\w*|diabet\w+|"
    r"epilep\w+|schwanger|vegan|vegetari\w+|esse kein\w*|trinke kein\w*)\b",
    "asked": r"\b(?:merk(?:e)? dir|vergiss (?:bitte )?nicht|nicht vergessen|denk(?:e)? (?:bitte )?daran|notier\w*|"
    r"behalte|zur erinnerung|erinnere mich)\b",
    "decision": r"\b(?:entschieden|beschlossen|geeinigt|entscheidung|entschluss|festgelegt|wir nehmen|bleiben bei)\b",
    "procedure": r"\b(?:die schritte|anleitung|so (?:startest|geht|machst|funktioniert)|rezept)\b|"
    r"\bzuerst\b.{1,200}\b(?:dann|danach)\b|^\W*um\s+\w+.{0,60}[,:]\s*\S|\b(?:warten|drücke\w*|öffne\w*|"
    r"starte\w*)\b.{0,100}\b(?:dann|und)\b",
    "task": r"\b(?:noch offen|offen:|muss noch|müssen noch|noch (?:zu|nicht)|fällig|frist|bis (?:ende|zum)|zu "
    r"erledigen|aufgabe|ausstehend|abgeben|nachfassen)\b",
    "incident": r"\b(?:ausfall|ausgefallen|abgestürzt|fehlgeschlagen|kaputt|störung|panne|verloren|fehler|vorfall)\b",
    "cause": r"\b(?:weil|ursache|wegen|grund war|behoben|gelöst|repariert|ausgetauscht)\b",
    "acknowledgement": r"^\W*(?:(?:ok(?:ay)?|alles klar|klar|gut|super|danke\w*|vielen dank|dir|verstanden|ja|nein|"
    r"passt|gerne|genau|hallo|guten morgen|perfekt|prima|mach ich|bitte)\b[\s,.!]*)+$",
    "secret": r"\b(?:passwort|kennwort|pin|tan|(?:bestätigungs|sicherheits|zugangs)code)\b.{0,20}\d",
    "progress": r"\b(?:gerade (?:bei|beim|dabei|am)|läuft noch|hälfte|fast fertig|in arbeit|mache weiter|bisher)\b|\d "
    r"?prozent\b",
    "appointment": r"\b\w*(?:termin|treffen|besprechung|anruf|flug|zug|essen|gespräch)\b",
    "soon": r"\b(?:heute|morgen|übermorgen|am (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag))\b",
    "at_time": r"\b(?:um \d{1,2}|\d{1,2}(?::\d\d)? ?uhr|\d{1,2}:\d\d|heute abend)\b",
    "recurring": r"\b(?:jede[nrs]?|montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags|täglich)\b",
    "vague": r"^\W*(?:das|es|dies\w*|jenes|sie|er|jemand|irgend\w+|der andere|die andere)\b|\?\s*$|\b(?:vielleicht|"
    r"irgendwie|ich glaube|eventuell|keine ahnung)\b",
    "lasting": r"\b(?:mein\w*|unser\w*|ich (?:bin|habe|wohne|arbeite|heiße|fahre)|wir (?:haben|sind|wohnen)|heißt|"
    r"wohnt|arbeitet|geburtstag)\b",
}

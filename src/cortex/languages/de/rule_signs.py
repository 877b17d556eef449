"""Signs that a German sentence tells the assistant what to hold to from then on."""

from __future__ import annotations

from cortex.languages.signs import word_of

_VERBS = (
    r"(?:achte|antworte|beachte?|begründe|beginn|behalt|behandle|benenne?|benutz|berechne|bestell|bestätig|beton|"
    r"bleib|"
    r"brauch|buch|duze?|empfiehl|empfehle|entferne?|ergänze?|erinnere?|erklär|erspar|erwähn|erzähl|fang|fass|"
    r"formatiere?|"
    r"formuliere?|frag|füg|führ|geh|gib|gliedere?|halt|hol|hör|ignoriere?|kennzeichne|kommentiere?|korrigiere?|kürz|"
    r"lass|"
    r"leg|lies|liste?|lösch|mach|markiere?|meld|merk|mess|nenn|nimm|nutz|ordne|orientiere?|plan|präsentiere?|prüf|"
    r"rate|"
    r"rechne|red|reservier|richte|rund|sag|schau|schick|schlag|schließ|schreib|sei|send|setz|sieze?|sortier|spar|"
    r"sprich|"
    r"stell|stopp|streich|such|teil|trag|trenn|überprüf|übersetz|unterlass|unterscheid|unterteil|verfass|vergiss|"
    r"verlink|verlass|verkneif|vermeid|verrat|versieh|versuch|verwend|verzicht|wähl|warn|warte|wechsel|weis|"
    r"wiederhol|"
    r"zähl|zeig|zitier)(?:e|le|re|n sie|en sie)?"
)
_LEAD = (
    r"^(?:(?:und|also|aber|ach ja|ach|übrigens|bitte|danke|okay|ok|so|hey|hallo|noch was|eins noch|sonst|dann|doch|"
    r"kurz|nur|nochmal|gut|ja|nein|mensch|mann),?:?\s){0,3}"
)
_I = r"(?:ich|wir|mein\w{0,2}|unser\w{0,2})"
_LASTING = (
    r"(?:immer|stets|jedes ?mal|ab (?:jetzt|sofort|heute|nun)|von (?:jetzt|nun|heute) an|(?:zu)?künftig|in zukunft|"
    r"fortan|grundsätzlich|generell|standardmäßig|prinzipiell|dauerhaft|durchgehend|konsequent|ausnahmslos|"
    r"(?:ohne|keine) ausnahmen?|auf dauer|für immer|in jede[mr]|überall|nie(?:mals)?|nicht mehr|(?:auf )?keine?n? "
    r"fall|"
    r"keinesfalls)"
)
_MANNER = word_of(r"""
    antwort\w*, deutsch, englisch, französisch, spanisch, sprache, rechtschreibung, schreibweise, hochdeutsch,
    emojis?, smileys?, \w*zeichen, stichpunkt\w*, aufzählung\w*, liste\w*, tabelle\w*, sätze\w*, satz, absätze,
    überschrift\w*, fließtext, floskel\w*, fachbegriff\w*, fremdw\w+, anglizismen, jargon, fazit, zusammenfassung\w*,
    einleitung\w*, quelle\w*, beleg\w*, link\w*, beispiel\w*, kurz, knapp, knappe\w*, ausführlich\w*, direkt, ehrlich,
    nachfrag\w*, rückfrag\w*, fragen, frag, erklär\w*, kommentar\w*, code, begründung\w*, format\w*, datum\w*,
    datumsangaben, uhrzeit\w*, zahlen, beträge, preise, brutto, netto, euro, franken, celsius, metrisch\w*, meter,
    einheiten, gramm, kilo\w*, dezimal\w*, komma, markdown, csv, kalorien, rezept\w*, vorschläge\w*, vorschlagen,
    empfehlung\w*, entschuldig\w*, lob\w*, ton, tonfall, \w*wörter, wort, texte\w*, mails?, entwürf\w*, gendern,
    doppelpunkt, bindestrich\w*, großbuchstaben, kleinschreibung, aktiv, passiv, präsens,
    fett, kursiv, kommas?, niveau
""")
_THIS = word_of(r"""
        diese\w?, das hier, hier, daraus, dazu, den (?:text|absatz|satz|brief|titel|code|entwurf|termin),
        die (?:mail|überschrift|liste|tabelle|datei|zeile|antwort|stelle), der text, das bild, das dokument,
        (?:ersten|zweiten|dritten|letzten|letzte|nächsten|zweite|erste) \w+, einen?, eine
    """)
_ONCE = (
    word_of(r"""
        heute, morgen, diesmal, dieses mal, jetzt gleich, ausnahmsweise, nur kurz, noch ?mal, schnell, (?<!zu)gleich,
        später,
        nachher, mal, gerade, eben, einmal, zuerst mal, vorerst
    """)
    + r"(?<!ab heute)(?<!an heute)"
)
_REQUEST = _LEAD + r"(?:kannst|könntest|würdest|magst|willst|ginge es|wäre es|geht das) (?:du\b|dass|möglich)"
_THEN = (
    rf"[,:;–-]\s(?:dann\s|bitte\s|und\s|so\s|also\s|doch\s){{0,2}}(?:{_VERBS}|kein\w*|nur|immer|nie)"
    r"\b(?!\s(?:ich|wir)\b)"
)
_CONDITION = _LEAD + r"(?:wenn|falls|sobald|immer wenn|jedes mal,? wenn|bevor|ehe|solange|sofern|sollte)\s"
_SO = (
    rf",\s(?:also|deshalb|daher|darum|drum)\s(?:\w+\s)?(?:bitte|alles|in|auf|kein\w*|nur|immer|nie|niemals|"
    rf"{_VERBS})\b"
)
_I_DO = _LEAD + r"(?:ich|wir)\s(?!möchte|will|wünsch|erwarte|hätte|brauche|würde|bevorzuge)\w+"

RULE_SIGNS = {
    # That it lasts.
    "always": word_of("immer, stets, jedes ?mal, jederzeit, ausnahmslos, ohne ausnahme, keine ausnahmen?, überall"),
    "never": word_of("nie, niemals, nie wieder, nie mehr, nicht mehr, auf keinen fall, keinesfalls, tabu, verboten"),
    "from now on": word_of(r"""
        ab (?:jetzt|sofort|heute|nun), von (?:jetzt|nun|heute) an, künftig, zukünftig, in zukunft, fortan, für immer,
        auf dauer, dauerhaft, beim nächsten mal, das nächste mal, nächstes mal
    """),
    "by default": word_of(r"""
        grundsätzlich, generell, standardmäßig, prinzipiell, durchgehend, konsequent, normalerweise, in der regel,
        als standard, ausschließlich, in jede[mr], in all\w+, bei all\w+, für alle\w*, gilt, einheitlich
    """),
    "only": word_of("nur, bloß, höchstens, maximal, mindestens, ausschließlich, ohne, statt, anstatt, lieber, nichts"),
    "only how long": r"^(?:und zwar |und |bitte,? )?(?:(?:das|dies) )?(?:gilt |ist )?(?:so )?(?:immer|jedes ?mal|"
    r"generell|grundsätzlich|überall|"
    r"dauerhaft|ausnahmslos|nie(?:mals)?|für (?:alles|alle \w+|immer|jede\w* \w+)|ab (?:jetzt|sofort|heute)|in "
    r"(?:zukunft|jede[mr] \w+)|"
    r"künftig|(?:ohne|keine) ausnahmen?|von jetzt an)(?: so| bitte)?[.! ]*$",
    # On what condition.
    "condition": _CONDITION,
    "condition of the user": r"\b(?:wenn|falls|sobald|sollte|bevor|solange)\s(?:ich|wir|es um|du mich|du mir)\b",
    "condition of the assistant": r"\b(?:wenn|falls|sobald|bevor|ehe)\s(?:du|etwas|dir)\b|\bbeim? \w+en\b",
    "condition alone": rf"^(?!.*{_THEN})(?={_CONDITION})",
    "kind": _LEAD + r"(?:bei|für|in|zu|beim|im)\s(?!der\b|dem\b|den\b|uns\b|diese|mir\b|einer?\b|ordnung|italien|"
    r"deutschland)[\wäöüß-]+(?:\s[^,.:!?]{2,30})?(?:,|:|\s(?:bitte|immer|nie|nur|gilt|kein\w*))\s",
    # What kind of order it is.
    "order": _LEAD + _VERBS + r"\b(?!\sich\b)",
    "order after a clause": _THEN,
    "infinitive order": _LEAD + r"(?!ich\b|wir\b|um\b|man\b|zu\b)[^.?!]{3,90}?(?<!\szu)\s(?!haben\b|sein\b|"
    r"werden\b|können\b|müssen\b|wollen\b|sollen\b|sagen\b)(?-i:[a-zäöüß]{3,})(?:en|ern|eln)[.!]?$",
    "please": word_of("bitte, gern, gerne, bitteschön"),
    "forbids": _LEAD
    + r"(?:hör\w* (?:bitte )?(?:\w+ )?auf|lass\w* |vermeide|verzichte|verschon|erspar|unterlass|spar|schluss|"
    r"weg mit|genug|kein\w*\s|nie|niemals|nichts\s)",
    "forbids in a word": _LEAD
    + r"(?:kein\w*|nie wieder|nichts mit|schluss mit|weg mit|verschone?\w*|genug)\s(?:[\wäöüß-]+\s?){1,4}[.!]*$",
    "no thing": r"\bkein(?:e|en|er|em|es)?\s(?!ahnung|zeit|lust|problem|sorge|angst|frage\b|wunder|mensch|"
    r"stress)[\wäöüß-]+",
    "wants of the assistant": r"\b(?:möchte|will|wünsche?|wünschte|hätte|wäre?|erwarte|fände|lieber|wichtig|"
    r"gern\w*)\b[^.?!]{0,30}\b(?:dass|wenn|,) du\b",
    "wish": r"\b(?:ich (?:möchte|will|wünsche? mir|erwarte|hätte gern\w*|brauche|wünschte)|mir (?:ist|wär\w*|wäre)|"
    r"(?:ist|wäre|wär) (?:es )?mir|es wäre|wär'?s? (?:schön|nett|gut|toll|super))\b[^.?!]{0,40}\b(?:dass|wenn|du|"
    r"deine\w*)\b",
    "you should": r"\bdu (?:sollst|solltest|darfst|musst|brauchst|kannst|hast|wirst|möchtest)\b|\b(?:sollst|darfst|"
    r"musst|"
    r"brauchst|kannst) du (?:mir |dir |mich )?(?:nicht|nie|kein\w*|immer|weglassen|sparen)\b",
    "request": _REQUEST,
    "request for good": rf"^(?=.*\b{_LASTING}\b)(?=.*\b(?:kannst|könntest|würdest) du\b).*\?",
    "things must": _LEAD
    + r"(?:alle|jede\w?|sämtliche|kein\w*|nichts|niemand|die|meine)\s[^,.?!]{2,40}\s(?:müssen|muss|darf|dürfen|"
    r"sollen|soll)\s",
    "so": _SO,
    "requires": word_of(
        "muss, müssen, soll, sollen, darf, dürfen, gehört, gehören, reicht, reichen, zählt, bleibt, bleiben"
    ),
    # What it is about.
    "manner": _MANNER,
    "opens with manner": rf"{_LEAD}(?:(?:meine|deine|alle|die|das|keine|bitte|immer|nie wieder|nur|\w+er|"
    rf"\w+e)\s){{0,2}}{_MANNER}",
    "manner alone": rf"^(?!.*\b(?:ich|wir|er|sie|war|ist|hat)\b)(?!.*{_THIS})(?!.*{_ONCE}).*{_MANNER}",
    "address": r"\b(?:duz\w*|siez\w*|du reicht|per du|per sie|nenn\w* mich|sprich mich|mit vornamen|beim vornamen|"
    r"ansprechen|anreden|anrede|mein name|ich heiße)\b",
    "me": word_of(r"mir, mich, für mich, meine\w?, mein, meinem, uns"),
    "you": word_of(r"du, dir, dich, deine?\w?, dein"),
    "without me or you": r"^(?!.*\b(?:ich|wir|mir|mich|uns|mein\w{0,2}|unser\w{0,2}|du|dir|dich|dein\w{0,2}|"
    r"bitte)\b)",
    # That it is of one thing or of one time.
    "once": rf"^(?!.*\b{_LASTING}\b).*{_ONCE}",
    "this one": _THIS,
    # That it is no order at all.
    "I do": rf"^(?!.*{_SO})(?={_I_DO})",
    "habit": r"\b(?:ich|wir)\s(?!möchte|will|wünsch|erwarte|hätte|brauche)"
    rf"\w+\s(?:[^,.;]{{0,40}}\s)?{_LASTING}\b|\b{_LASTING}\b[^,.;]{{0,20}}\s(?:ich|wir)\b",
    "to others": r"\b(?:sag|schreib|richte|erklär|erzähl|bestell|frag)\w*\s(?:bitte\s|mal\s)*(?:dem|der|den|deine\w|"
    r"meine\w|ihm|ihr|ihnen|unsere\w|(?-i:[A-Z])\w+)\b",
    "I will": rf"\b{_LASTING}\s(?:\w+\s){{0,2}}(?:ich|wir)\b|\b(?:mach|geh|trink|ess|fahr|lauf|koch|les|schlaf|"
    rf"werd)e? (?:ich|wir)\b",
    "others": r"\b(?:(?-i:man|er|sie)|chef\w*|mutter|vater|mama|papa|oma|opa|frau|mann|bruder|schwester|lehrer\w*|"
    r"arzt|"
    r"ärztin|nachbar\w*|kolleg\w+|leute|schild|aushang|verein|schule|firma)\b",
    "reports": word_of(r"""
        sagt\w*, gesagt, meint\w*, fand, findet, stand, steht, heißt es, laut, behauptet\w*, wollte, fragt\w*, rät,
        geraten, predigt\w*, schrieb, erzählt\w*, hab ich (?:ihr|ihm|ihnen), hieß
    """),
    "asks": rf"^(?!{_REQUEST})(?!.*\b(?:okay|ok|ja|klar|oder|einverstanden)\s?\?).*\?\s*$",
    "question word": _LEAD + r"(?:was|wie|wo|wann|warum|wer|welche\w?|wieso|weshalb|woher|darf man|muss man|soll man|"
    r"ist|sind|stimmt|gibt|hast|kennst|weißt)\b",
    "thanks": word_of(r"danke\w*, super, toll, klasse, prima, perfekt, hilfreich, gerngeschehen, haha\w*, lustig"),
    "exclaims": rf"^(?!.*{_MANNER}).*[!！]",
    "past": word_of(r"war, waren, wurde, wurden, hat, hatte, hatten, habe?, bin, sind, ging, kam, \w*ge\w{3,}t"),
    "cooking": word_of(r"""
        teig, ofen, pfanne, topf, kneten, rühren, kochen, backen, braten, ziehen lassen, gehen lassen, salz, hefe,
        butter,
        wasser, eier, sahne, soße, sauce, pilze, batterie, gerät, schrauben?, waschen
    """),
    "saying": word_of(r"""
        im leben, aufgeben, niemals auf, mit der ruhe, immer wieder, wieder gern\w*, sag niemals, zu spät,
        für dich da,
        traum, träume, herz, mut, kopf hoch, du schaffst
    """),
    "a thing and how": r"^[^,.!?:]{2,40}(?:,|:| immer| bitte| nur| in| auf| als)\s(?!(?:ich|wir|das|der|die|und|aber|"
    r"weil|dass|"
    r"wenn)\b)[^,.!?]{2,40}[.!]?$",
    "short": r"^\S+(?:\s\S+){0,2}$",
    "under 9 words": r"^\S+(?:\s\S+){3,7}$",
    "long": r"^\S+(?:\s\S+){18}",
}

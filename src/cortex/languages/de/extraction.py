"""German."""

from __future__ import annotations

from cortex.languages.de.rule_signs import RULE_SIGNS
from cortex.languages.de.words import WORDS
from cortex.languages.families import QUESTION, bare, families, request_of
from cortex.languages.pack import Pack, RuleMatch, Slot
from cortex.languages.signs import any_of, failing, opening, weigher, word_of

_ADV = (
    r"(?:(?:auch|immer|nie|jetzt|aktuell|derzeit|momentan|inzwischen|mittlerweile|eigentlich|normalerweise|meistens|"
    r"meist|gerade|schon|noch|seit \w+ \w+|seit \d{4}|sehr|wirklich|total|echt|nur|nun|ja|halt|bereits|endlich|heute|"
    r"lieber|am liebsten|grundsätzlich|leider|zurzeit|selbst|übrigens|generell|oft)\s+)*"
)
_KIN = (
    r"(?:schwester|bruder|mutter|vater|mama|papa|frau|mann|ehefrau|ehemann|freundin|freund|verlobte[r]?|partnerin|"
    r"partner|tochter|sohn|kind|baby|oma|opa|großmutter|großvater|tante|onkel|cousine|cousin|nichte|neffe|"
    r"schwiegermutter|schwiegervater|schwägerin|schwager|mitbewohnerin|mitbewohner|nachbarin|nachbar|chefin|chef|"
    r"vorgesetzte[r]?|kollegin|kollege|lehrerin|lehrer|ärztin|arzt|hausärztin|hausarzt|zahnärztin|zahnarzt|vermieterin|"
    r"vermieter|therapeutin|therapeut|trainerin|trainer|hund|hündin|kater|katze|haustier|familie|eltern|kinder|"
    r"geschwister|enkelin|enkel|betreuerin|betreuer|teamleiterin|teamleiter|tierarzt|tierärztin)"
)
_MONTH = r"(?:januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)"
_DATE = (
    rf"(?:(?:den\s+|dem\s+)?\d{{1,2}}\.\s?(?:{_MONTH}|\d{{1,2}}\.?)(?:\s?\d{{4}})?|(?:den\s+)?(?:montag|"
    rf"dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|"
    rf"sonnabend)s?(?:,?\s+(?:den\s+)?\d{{1,2}}\.\s?(?:{_MONTH}|\d{{1,2}}\.?)?)?|(?:anfang|mitte|"
    rf"ende)\s+{_MONTH}|{_MONTH}(?:\s+\d{{4}})?|nächste[nr]?\s+\w+|\d{{1,2}}(?::\d\d)?\s+uhr|20\d\d)"
)
_NAME = r"(?-i:[A-ZÄÖÜ][\wäöüß'-]*(?:\s+(?:[A-ZÄÖÜ][\wäöüß'-]*|von|van|der|am|an der))*)"
_THING = r"(?P<thing>(?:der|die|das|mein[e]?|unser[e]?)\s+[^,;.!?\n]{2,50}?)"
_ASK = r"\?\s*$"

_DO = (
    r"(?:antworte|beacht|behalt|behandel|benutz|berücksichtig|bleib|buch|empfiehl|erinner|erklär|erwähn|fass|frag|füg|"
    r"führ|formatier|formulier|geh|gib|halt|informier|kauf|kürz|lass|lies|list|lösch|mach|meld|misch|nenn|nimm|nutz|"
    r"plan|prüf|rechn|red|reservier|rund|sag|schick|schlag|schreib|sei|send|setz|sortier|speicher|spiel|sprich|stell|"
    r"stopp|such|trag|überprüf|übersetz|unterbrich|veröffentlich|verschieb|verwend|wähl|warn|warte|zähl|zeig|"
    r"zitier)(?:e|le|re)?"
)
_LASTING = (
    r"(?:nur|kein\w*|nie|niemals|immer|nichts|jede[rsmn]?|alle[rsmn]?|stets|statt|ohne|grundsätzlich|ab sofort|"
    r"ab jetzt|"
    r"künftig|in zukunft|standardmäßig|generell|prinzipiell|höchstens|maximal|ausschließlich|nicht mehr|bei|wenn|falls)"
)
_PLEASE = r"(?:(?:und|also|ach ja|übrigens|bitte),?\s+){0,3}"
_ORDER = (
    r"nur (?!noch\b|zwei\b|drei\b|\d|so\b|ein\w*\b|ich\b)[\wäöüß-]+(?: [\wäöüß-]+)? (?:auf|in|für|bei|an|mit)\b.*"
    r"|(?:[\wäöüß-]+ )?(?:einheiten|antworten|sätze|rechtschreibung|schreibweise|zeitformat|währung|quellen|"
    r"stichpunkte|stichworte|gramm|celsius|euro|franken)(?: [\wäöüß-]+){0,2},? bitte\W*$"
    r"|(?:nimm|nutz\w*|benutz\w*|verwend\w*|buch\w*) (?:bitte )?für (?!den\b|die\b|das\b|diese)[\wäöüß -]{3,40}\b.*|"
    rf"{_PLEASE}{_DO}\b[^.!?\n]{{0,80}}?\b{_LASTING}\b.*"
    rf"|{_PLEASE}(?:geh (?:immer )?davon aus|fass dich kurz|sei (?:bitte )?(?:ehrlich|direkt|knapp|kurz|offen|streng|"
    r"genau)|halt(?:e)? dich (?:kurz|an)|sprich mich|nenn(?:e)? mich|erinner(?:e)? mich (?:jeden|jede|jedes|täglich|"
    r"immer))\b.*"
    r"|hör(?:e)? (?:bitte )?(?:\w+ )?auf\b.{3,}"
    r"|(?:ich (?:möchte|will|wünsche mir|erwarte|hätte gern\w*|brauche)|mir (?:ist|wäre) (?:es )?(?:lieber|wichtig)|"
    r"am liebsten (?:ist|wäre) (?:es )?mir),? (?:dass|wenn) (?:du|deine)\b.{4,}"
    r"|du (?:sollst|darfst|musst|brauchst|kannst) (?:\w+ ){0,3}?(?:nie|niemals|immer|nicht|kein\w*|nur|jederzeit|"
    r"weglassen)\b.*"
    r"|kein\w* [\w äöüß-]{3,40}?(?:,? bitte|mehr|mails?|antworten|texten)\W*$"
    r"|(?!ich\b|wir\b|er\b|sie\b|es\b|man\b|das\b|immer\b|nie\b)(?:bei |"
    r"in )?[\wäöüß-]{3,30}(?: [\wäöüß-]{1,20}){0,3} (?:bitte )?(?:immer|nie|niemals|nur|"
    r"ausschließlich) (?:bitte )?(?:in|auf|mit|als|ohne|vor|nach|bis|ab|zu|gramm|per)\b.*"
    r"|(?!ich\b|wir\b)[\wäöüß-]{3,30}(?: [\wäöüß-]{1,20}){1,4} bitte (?:nie|immer|niemals|nur)\W*$"
    r"|bei [\wäöüß -]{3,40}? (?:bitte )?(?:immer|nie|nur|stets) .{4,}"
    r"|(?:wenn|falls|sobald|bevor|immer wenn|jedes mal,? wenn|ehe) (?:du|ich|etwas|"
    rf"jemand)\b[^,.!?\n]{{2,60}}, (?:dann )?(?:bitte )?(?:{_DO}|nur|immer|kein\w*)\b(?! (?:ich|wir)\b).*"
    r"|(?:jede[rs]?|alle) [\w äöüß-]{2,40}? (?:braucht|brauchen|bekommt|bekommen|gehört|gehören) .{3,}"
)
_NO_ORDER = (
    r"\b(?:heute|morgen|gestern|diesmal|diese[rsmn]?|jetzt gleich|hier|nochmal|gleich|später|am (?:mon|diens|donners|"
    r"frei|sams|sonn)tag|mittwoch|mach dir|aufgeben|gib (?:nie|niemals) auf|sorgen?|angst|steht (?:auf|im|in)|sagt|"
    r"meint|meine[rm]? (?:chef|mutter|vater|frau|mann)\w*|war|waren|habe|hatte|bin|lass uns|lass mal|"
    r"schön locker)\b(?<!ab heute)"
)


_DETERMINERS = frozenset("der die das mein meine unser unsere".split())


def _thing(match: RuleMatch, attribute: str) -> Slot:
    return Slot(bare(match["thing"], _DETERMINERS), attribute, match["value"])


_RULES = families(
    {
        "rule.from_now_on": (
            r"(?:bitte\s+)?(?:ab (?:jetzt|sofort|heute)|von (?:jetzt|nun) an|in zukunft|künftig|zukünftig|fortan|"
            r"grundsätzlich|standardmäßig|generell)[,:]?\s+.{4,}",
            r"in zukunft (?:möchte|will|werde) ich",
        ),
        "rule.when": (
            r"(?:wenn|immer wenn|jedes mal,? wenn|sobald|falls)\s+(?:ich|du)\s+(?:dich\s+|dir\s+|mich\s+|"
            r"mir\s+)?[^,.!?\n]{0,40}(?:frage|fragst|bitte|schreibe|schreibst|erwähne|sage|antwortest|schicke|"
            r"schickst|übersetzt|zusammenfasst|vorschlägst|erklärst|planst|nenne|brauche|buchst|postest|"
            r"empfiehlst|erstellst)\b,?\s.{4,}",
            r"(?:kommt|passiert|erscheint|bekomme)\b",
        ),
        "rule.always": (
            r"(?:bitte\s+)?(?:immer|niemals|nie(?: wieder)?|stets)\s+(?!noch|wieder\b|mehr|gut|schön|gern|"
            r"diese|dasselbe|das\b|der\b|die\b|mit der ruhe|locker|ich\b|wir\b|ein\w*\b|zu diensten|camping|so\b|"
            r"war|habe|bin|hätte)[\wäöüß]+.{4,}|(?:bitte\s+)?(?:[\wäöüß]+e|[\wäöüß]+(?:st|t|ier))\s+(?:mich|mir|"
            r"uns|bitte|die|den|das|alle|deine|meine|dabei|keine|nie|niemals|immer|in|auf|"
            r"auch)\b[^.!?\n]*\b(?:immer|nie|niemals|stets|ab jetzt|ab sofort|künftig|in zukunft|grundsätzlich|"
            r"jedes mal|nicht mehr|nie wieder)\b.*|(?:bitte\s+)?(?:hör auf|vermeide|verzichte auf|lass)\s.{4,}|"
            r"(?:bitte\s+)?(?:duze|sieze)\s.{3,}|(?:bitte\s+)?(?:verwende|benutze|nutze|schreib|antworte|nimm|"
            r"mach|setz)\w*\s+(?:bitte\s+)?(?:keine?n?|nie|niemals|immer|nur noch)\s.{4,}",
            r"\bdiesmal\b|^(?:ich|wir|er|sie|es|das|die|der)\b|\bich (?:habe|bin|war)\b|hier\b|lass uns|lass mal",
        ),
        "rule.call_me": (
            rf"(?:bitte\s+)?(?:nenn(?:e)? mich|du kannst mich|sag(?:e)? einfach)\s+(?:bitte\s+|"
            rf"einfach\s+)*(?P<value>{_NAME}).*",
            r"\bbescheid\b",
        ),
        "rule.order": (_ORDER, _NO_ORDER, {"question": QUESTION}),
        "rule.must": (
            r"(?:alle[s]?|jede[rs]?|kein[e]?|niemand|nichts|nur)\s[^,;.!?\n]{2,60}?\s?(?:müssen|muss|darf|dürfen|"
            r"soll|sollen|kommt|kommen|wird|werden)\s.{3,}|(?:die|unsere|eine)\s(?:regel|vorgabe|konvention|"
            r"hausregel)(?:\s\w+)?(?:\sist|\slautet|:)\s?.{4,}|kein[e]?\s[^,;.!?\n]{2,40}\sohne\s.{3,}",
            r"\b(?:alles (?:gut|klar|wird)|wird schon|ich muss|wir müssen|kinder|leute|menschen|schüler|gäste|"
            r"mitarbeiter|besucher|hunde|bürger|eltern|sagt|meint)\b",
        ),
        "procedure": (
            r"(?:um|zum)\s+[^.!?\n]{3,60}?,?\s*(?:zuerst|erst|muss man|musst du|müssen wir|einfach|führen wir|führe|"
            r"drücke|öffne|starte|brauchst du)\b.{5,}|(?:die schritte|der ablauf|das vorgehen|so (?:geht|machen wir|"
            r"deployen wir|veröffentlichen wir))\b[^.!?\n]{0,50}(?::|sind|ist|,).{5,}|(?:zuerst|erst)\b.{3,}\b(?:dann|"
            r"danach|anschließend)\b.{3,}|(?:wenn|falls)\s+(?:der|die|das)\s[^,.!?\n]{3,60},\s+(?:einfach\s+|dann\s+|"
            r"bitte\s+)*(?:drück|öffne|start|zieh|schalt|mach|halt|ruf|lösch)\w*\s.{3,}",
            r"\b(?:kannst du|hilf mir)\b",
        ),
        "negation": (
            r"(?:ich|wir)\s+(?:\w+\s+)?(?:[\wäöüß]+\s+){0,8}?(?:nicht mehr|kein(?:e|en)? \w+ mehr)\b.*|(?:ich|"
            r"wir)\s+(?:habe|haben|hab)\s+[^.!?\n]{2,60}(?:aufgehört|aufgegeben|gekündigt|abgeschafft|verkauft|"
            r"abgeschaltet|abgesetzt)\b.*",
            r"\b(?:weiß|kann|verstehe|will) (?:ich )?(?:\w+ )?nicht mehr|nicht mehr weiter|nicht mehr lange",
        ),
        "decision": (
            rf"(?:ich|wir|das team|die geschäftsführung|man)\s+(?:habe[n]?|hat|hab|sind|ist)\s+{_ADV}(?:uns\s+|"
            rf"mich\s+|sich\s+)?[^.!?\n]{{0,80}}?(?:entschieden|beschlossen|geeinigt|festgelegt|gewählt|ausgesucht|"
            rf"umgestellt|umgestiegen|gewechselt|vereinbart|ausgewählt)\b.*|(?:ich|wir)\s+(?:nehmen|nehme|bleiben "
            rf"bei|bleibe bei|wechseln (?:zu|auf)|wechsle (?:zu|auf)|steigen (?:auf|um)|stellen\b.{{2,40}}\bum|"
            rf"setzen (?:ab jetzt )?auf|entscheiden uns|verwenden (?:ab|künftig))\s+(?!da[sn]\b|die[sn]e?\b|das "
            rf"erste|es\b).{{3,}}|(?:die\s+)?entscheidung(?:\sist)?(?::|\sist gefallen[:,]|\slautet)\s.{{3,}}|"
            rf"(?:es ist|ist)\s+(?:beschlossen|entschieden)[,:]\s.{{3,}}|beschlossen(?:e sache)?[,:]\s.{{3,}}",
            r"noch nicht",
        ),
        "fact.name": (
            rf"(?:ich heiße|mein name ist|mein name lautet|ich bin (?:der|"
            rf"die)(?=\s(?-i:[A-ZÄÖÜ])))\s+(?P<value>{_NAME}).*|ich "
            rf"bin\s+(?P<value2>(?-i:[A-ZÄÖÜ][a-zäöüß]+))(?=\s*(?:[,.!]|$)).*",
            r"^ich bin\s+\w+(?:er|erin|in|ist|or|ant|ent|ierin|kraft|frau|mann|händer|handwerker|ling)\b",
        ),
        "fact.home": (
            rf"(?:ich|wir)\s+{_ADV}(?:wohne|wohnen|lebe|leben|bin|sind)\s+{_ADV}(?:nach|in|bei|"
            rf"im)\s+(?P<value>{_NAME})(?:\s+(?:gezogen|umgezogen))?.*|(?:ich|wir)\s+(?:ziehe|"
            rf"ziehen)\s+[^.!?\n]{{0,30}}nach\s+(?P<value2>{_NAME}).*",
            r"\bim (?:Moment|Zug|Urlaub|Büro|Meeting|Homeoffice|Stress)\b|\bin (?:Eile|Ordnung|Rente|Elternzeit|"
            r"Meetings?)\b|^(?:ich|wir) (?:bin|sind)\b(?!.*gezogen)",
        ),
        "fact.from": rf"ich\s+{_ADV}(?:komme|stamme)\s+{_ADV}aus\s+{_NAME}.*|ich bin\s+(?:in|am|"
        rf"auf)\s+[^.!?\n]{{2,40}}(?:geboren|aufgewachsen)\b.*",
        "fact.job": (
            rf"(?:ich|wir)\s+{_ADV}(?:arbeite|arbeiten|studiere|lerne|leite|führe|betreibe|unterrichte|mache "
            rf"(?:eine ausbildung|gerade eine ausbildung|meinen master)|gebe unterricht|promoviere|"
            rf"forsche)\b\s?.{{3,}}|ich\s+(?:habe|bin)\s+[^.!?\n]{{2,60}}(?:gearbeitet|studiert|promoviert|gelernt|"
            rf"unterrichtet|selbstständig|in rente|pensioniert|in elternzeit|befördert worden)\b.*|ich "
            rf"bin\s+{_ADV}(?:(?:eine?|gelernte[r]?|freie[r]?|angehende[r]?|selbstständige[r]?|die|"
            rf"der)\s+)*(?-i:[A-ZÄÖÜ])[\wäöüß-]*(?:erin|er|ist|istin|or|orin|ent|entin|ant|antin|eur|eurin|ärztin|"
            rf"arzt|händerin|händer|kraft|mann|frau|loge|login|ierin|leiter|student|rentner|koch|köchin|anwalt|"
            rf"anwältin|lehrling|azubi|pfleger)\b.*",
            r"\b(?:anderer meinung|sicher|fan)\b|arbeite(?:n)? (?:gerade )?(?:daran|an (?:der|dem|einem) "
            r"(?:aufgabe|problem))",
        ),
        "fact.age": r"ich (?:bin|werde|wurde)\s+(?:jetzt\s+|schon\s+|gerade\s+|"
        r"bald\s+)?(?P<value>\d{1,2})(?:\s+(?:jahre|geworden))?\b(?!\s*(?:minuten|uhr|prozent|kilometer|meter|cm|km|"
        r"kg)).*",
        "fact.birthday": (
            r"(?:mein geburtstag ist|ich habe|ich hab)\s+am\s+(?P<value>\d{1,2}\.\s?[\wäöü]+)(?:\s+geburtstag)?.*",
            r"termin|prüfung",
        ),
        "health": (
            rf"ich\s+(?:bin|habe|hab|leide|nehme|vertrage|wurde)\s+{_ADV}(?:(?:stark|schwer|hoch|"
            r"leicht)\s+)?(?:allergisch|laktoseintolerant|glutenintolerant|diabetiker\w*|asthmatiker\w*|vegetarier\w*|"
            r"veganer\w*|vegan|vegetarisch|linkshänder\w*|farbenblind|schwanger|schwerhörig|legasthenik\w*|"
            r"(?:eine[nr]?\s+)?[\wäöüß-]*(?:allergie|asthma|diabetes|zöliakie|migräne|neurodermitis|bluthochdruck|"
            r"epilepsie|adhs|intoleranz|rheuma|unverträglichkeit|heuschnupfen|arthrose|depressionen?)|an\s\w+|"
            r"mit\s[^.!?]{2,30}diagnostiziert|(?:täglich|jeden morgen|morgens|abends)\s|kein(?:e|en)?\s).*",
            r"\bkeine? (?:ahnung|zeit|lust|idee|probleme?|frage|fragen|geld|erfahrung)\b",
        ),
        "health.theirs": rf"(?:mein[e]?|unser[e]?)\s+(?P<whose>{_KIN})(?:\s+{_NAME})?\s+(?:ist|hat|verträgt|leidet|"
        rf"darf)\s+[^,;.!?\n]{{0,30}}?(?:allergisch|laktoseintolerant|vegan\w*|vegetarier\w*|diabetiker\w*|"
        rf"diabetes|asthma|allergie|zöliakie|schwanger|keine?n?|epilepsie|linkshänder\w*)\b.*",
        "health.diet": (
            rf"(?:ich|wir)\s+{_ADV}(?:esse|essen|trinke|trinken|rauche|rauchen|vertrage)\s+{_ADV}(?:kein(?:e|en)?|"
            rf"nie|niemals|nicht|nur|vegan|vegetarisch|halal|koscher)\s?.{{2,}}",
            r"\bheute\b",
        ),
        "preference.favourite": r"mein[e]?\s+lieblings-?(?P<thing>[\wäöüß]+)\s+(?:ist|sind|war schon immer|"
        r"bleibt)\s+(?:immer noch\s+|nach wie vor\s+|jetzt\s+)?(?P<value>[^,;.!?\n]{2,60}).*",
        "preference": (
            rf"(?:ich|wir)\s+{_ADV}(?:bevorzuge|bevorzugen|mag|mögen|liebe|lieben|hasse|hassen|verabscheue|genieße|"
            rf"vermeide|meide)\s+(?!es\b|das\b|dich\b|die idee|diese[sn]?\b|dein).{{2,}}|(?:ich|"
            rf"wir)\s+(?:[\wäöüß]+)\s+(?:[\wäöüß]+\s+){{0,5}}?(?:lieber|am liebsten|gern|gerne|ungern|nicht so "
            rf"gern(?:e)?)\b.*|am liebsten\s.{{4,}}|lieber\s[^.!?\n]{{2,50}}\sals\s.{{2,}}|(?:ich bin\s+)?(?:kein|"
            rf"ein|großer|riesen|eher)\s+(?:großer\s+)?(?:fan von|freund von|typ für|morgenmensch|nachtmensch)\b.*|"
            rf"ich kann\s+[^.!?\n]{{2,40}}\s(?:nicht (?:leiden|ausstehen|ab)|nichts anfangen)\b.*|ich stehe "
            rf"(?:total )?auf\s.{{3,}}|mir (?:gefällt|gefallen|schmeckt|schmecken|liegt|liegen|sind|"
            rf"ist)\s[^.!?\n]{{3,60}}(?:besser|lieber|am besten|wichtig|nicht|gut|zu).*",
            r"\b(?:würde|hätte|möchte)\b|\bheute|diesmal|jetzt gerade\b|\b(?:wissen|erfahren|reservieren|buchen|"
            r"bestellen)\b|gern geschehen",
        ),
        "person.name": (
            rf"(?:mein[e]?|unser[e]?)\s+(?:neue[r]?\s+)?(?P<whose>{_KIN})\s+(?:heißt|ist|ist "
            rf"jetzt)\s+(?:jetzt\s+)?(?P<value>{_NAME}).*",
            r"\bist\s+(?:Lehrer|Arzt|Ärztin|\w+(?:erin|er|istin|ist))\b",
            {"question": ""},
        ),
        "person.is_my": (
            rf"(?P<name>{_NAME})\s+(?:ist|sind|heißt)\s+(?:mein|meine|unser|unsere|der neue|die neue|bei uns)\s.{{2,}}|"
            rf"(?P<name2>{_NAME})\s+(?:leitet|betreut|verantwortet|kümmert sich um|wartet|ist (?:zuständig|"
            r"verantwortlich) für)\s.{3,}|(?:(?:er|sie|es) (?:heißt|hört auf den namen)|sie heißen|(?:wir haben|"
            rf"ich hab|ich habe) (?:ihn|sie|es) (?:\w+ )?(?={_NAME}\s(?:genannt|getauft)))\s*{_NAME}.*",
            r"^(?:Das|Dies|(?:Es|Er|Sie)(?! (?:heißt|heißen|hört))|Hier|Da|Wer|Was|Der|Die|Wo)\b|problem|"
            r"lieblings|fehler",
            {"fill": lambda match: Slot(match["name"].casefold())},
        ),
        "person.my": (
            rf"(?:mein[e]?|unser[e]?)\s+(?P<whose>{_KIN})(?:,?\s+(?:herr\s+|frau\s+)?{_NAME},?)?\s+(?:ist|sind|hat|"
            rf"haben|wohnt|wohnen|lebt|leben|arbeitet|studiert|wird|wurde|spielt|mag|mögen|liebt|hasst|heiratet|"
            rf"kommt|geht|spricht|kann|braucht|zieht|feiert|heißt|heißen|isst|trinkt|macht|lernt|fährt|besucht|"
            rf"schläft)\s.{{3,}}",
            r"\b(?:sagt|meint|findet|fragt|hat (?:gesagt|gefragt|gemeint)|ist (?:gerade|hier|da|sauer|krank heute))\b",
        ),
        "person.have": rf"(?:ich|wir)\s+(?:habe|haben|hab|besitze|besitzen)\s+{_ADV}(?:eine?n?|zwei|drei|vier|fünf|"
        rf"\d+)\s+(?:\w+\s+){{0,2}}?(?:kinder|kind|söhne?|sohn|töchter|tochter|hunde?|katzen?|kater|"
        rf"geschwister|schwestern?|brüder|bruder|enkel\w*|hasen|kaninchen|vögel|papagei|pferde?|garten|auto|"
        rf"haus|wohnung|fahrrad|e-bike|motorrad|hühner|schildkröte|wohnmobil|balkon|klavier|gitarre)\b.*|"
        rf"(?:ich bin|wir sind|ich habe|wir haben)\s+{_ADV}(?:[^,;.!?\n]{{0,20}}\s)?(?:verheiratet|geschieden|"
        rf"ledig|verlobt|verwitwet|geheiratet|adoptiert|schwanger|getrennt)\b.*",
        "fact.language": rf"(?:ich|wir)\s+{_ADV}(?:spreche|sprechen|lerne|lernen|"
        r"kann)\s+(?:[\wäöüß]+\s+){0,4}?(?-i:Deutsch|Englisch|Französisch|Spanisch|Italienisch|Russisch|Türkisch|"
        r"Polnisch|Arabisch|Japanisch|Chinesisch|Portugiesisch|Niederländisch|Schwedisch|Dänisch|Norwegisch|Finnisch|"
        r"Koreanisch|Griechisch|Ungarisch|Tschechisch|Gebärdensprache|Ukrainisch)\b.*|meine muttersprache ist\s.*",
        "state.date": (
            rf"{_THING}\s+(?:ist|sind|war|findet|beginnt|endet|startet|läuft|fällt|wird|wurde|verschiebt sich|hat "
            rf"sich|wurden|steht|liegt)\s+{_ADV}(?:(?:am|auf|vom|zum|im|um|ab|bis|für|von)\s+)(?:den\s+|"
            rf"dem\s+)?(?:[^,;.!?\n]{{2,20}}\s+auf\s+(?:den\s+)?)?(?P<value>{_DATE}).*",
            r"\b(?:flug|film|zug|tisch|konzert)\b",
        ),
        "state.change": (
            rf"{_THING}\s+(?:ist|sind|liegt|liegen|beträgt|betragen|hat|haben|dauert|kostet|braucht|wiegt|umfasst|"
            rf"steht|wurde|wurden|sank|stieg|fiel)\s+{_ADV}(?:von\s+[^,;.!?\n]{{1,20}}\s+)?(?:auf|bei|um|nur|nun|"
            rf"etwa|rund|ca\.|über|jetzt)?\s*(?P<value>[$€£]?\d[\d.,]*\s?(?:%|prozent|€|euro|ms|millisekunden|"
            rf"sekunden|minuten|stunden|tage|wochen|monate|kg|kilo|km|gb|mb|nutzer|kunden|seiten|wörter|leute|"
            rf"mitarbeiter|mitglieder|grad)?)(?:\s|[,.;!]|$).*",
            r"\b(?:flug|film|ticket|einwohner|temperatur|mauer|fluss|rhein|donau|elbe|berg|"
            r"planet\w*)\b|\b\d+ (?:kilo)?meter (?:lang|hoch|tief)\b",
        ),
        "state.count": (
            rf"(?:ich|wir)\s+(?:habe|haben|hab|wiege|sind|verdiene|zahle|zahlen)\s+{_ADV}(?:etwa\s+|rund\s+|"
            rf"über\s+|fast\s+|insgesamt\s+)?(?:\d[\d.,]*|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|"
            rf"zwanzig)\s+(?!fragen|minuten|probleme|stunden zeit|ideen|personen)[\wäöüß€%]+.*",
            r"\b(?:tisch|karten|frage)\b",
        ),
        "fact.mine": (
            r"(?P<thing>(?:mein[e]?|unser[e]?)\s+(?!problem|frage|code|idee|fehler|kopf|meinung|bitte|beste|ziel "
            r"ist es)[^,;.!?\n]{2,40}?)\s+(?:ist|sind|hat|haben|läuft|laufen|heißt|heißen|nutzt|verwendet|steht|"
            r"liegt|wohnt|basiert|öffnet|schließt|trifft sich|kostet|dauert|gehört|arbeitet|braucht)\s+(?!kaputt|"
            r"langsam|weg|leer|falsch|gerade|nicht (?:mehr )?(?:da|an)|heute|müde|da\b).{3,}",
            r"\b(?:fehler|funktioniert nicht|abgestürzt|geht nicht|noch nicht|paket)\b",
        ),
        "fact.uses": (
            rf"(?:ich|wir)\s+{_ADV}(?:nutze|nutzen|verwende|verwenden|benutze|benutzen|fahre|spiele|spielen|sammle|"
            rf"programmiere|programmieren|hosten|deployen|treffen uns|laufen auf|koche|schwimme|trainiere|jogge|"
            rf"singe)\s+(?!das\b|es\b|dies\w*\b|heute|gleich|morgen).{{3,}}|(?:ich|wir)\s+(?:schreibe|baue|bauen|"
            rf"entwickle|entwickeln|renoviere|renovieren|plane|planen|organisiere)\s+{_ADV}(?:eine?n?|mein\w*|"
            rf"unser\w*|an\s)\s?.{{4,}}",
            r"\b(?:fehler|reservierung|mail|email|brief|nach hause|gerade|artikel|aufsatz)\b",
        ),
        "fact.location": (
            rf"{_THING}\s+(?:ist|sind|liegt|liegen|steht|stehen|hängt|befindet sich|wohnt)\s+{_ADV}(?P<value>(?:im|"
            rf"in|unter|hinter|auf|neben|bei|am|an)\s+(?!arbeit|ordnung|moment|gange|planung|betrieb|"
            rf"weg\b)[^,;!?\n]{{3,60}}).*",
            r"\b(?:restaurant|hotel|kino|film|hauptstadt|stadt)\b",
        ),
        "fact.event": (
            r"(?:ich|wir)\s+(?:habe|haben|hab)\s+(?:am|im|nächste\w*)\s+[^,;.!?\n]{2,30}\s(?:eine?n?|"
            r"mein\w*)\s+[\wäöüß-]*(?:termin|prüfung|gespräch|hochzeit|op|operation|vortrag|klausur|umzug|untersuchung|"
            r"flug|präsentation)\b.*|(?:ich|wir)\s+(?:habe|haben|hab)\s+[^,;.!?\n]{2,50}(?:bestanden|gekauft|gewonnen|"
            r"veröffentlicht|adoptiert|eröffnet|gegründet|abgeschlossen|begonnen)\b.*",
            r"\bticket|karten\b",
        ),
        "correction.not": (
            r"(?:es (?:ist|war|sind)|ich meinte|gemeint (?:ist|war)|er heißt|sie "
            r"heißt)\s+[^,;.!?\n]{1,40},\s+nicht\s.{2,}|nicht\s[^,;.!?\n]{1,40},?\s+sondern\s.{2,}",
            r"nicht nur",
        ),
    },
    question=_ASK,
    thing=_thing,
)

_ENDINGS = "|e|n|en|er|s|es|in|innen"
_I = r"(?:ich|wir|mir|mich|uns|mein(?:e[nmrs]?)?|unser(?:e[nmrs]?)?|unsre)"
_TELLING = (
    opening(
        r"(?:(?:also|übrigens|ach|und|aber|leider|inzwischen|mittlerweile|seitdem|zurzeit|jetzt|außerdem)[,:]?\s+){0,3}"
        rf"(?:{_I}\s|bei (?:uns|mir)\b|(?:bin|hab|habe|hab's|war|mag|kann kein\w*|darf kein\w*|steh|stehe|wohn|wohne|"
        r"arbeite|fahre?|trinke?|esse?|spiele?|lerne?|nehme?|trage?|gehe?|laufe?)\s(?!du\b|ihr\b|dir\b)|"
        rf"(?:der|die|das|den)?\s?{_KIN}\b)"
    )
    + rf"|^(?=(?:\S+\s+){{3}}).{{2,60}}?\s(?:{_I}|bei uns)\b"
)
"""What opens with the speaker or what is theirs, or names them behind the verb."""
_SIGNS = {
    "telling": _TELLING,
    "definite": opening(r"(?:der|die|das|den|dem|im|am|beim|um|für|in|auf)\s"),
    "mine": word_of(r"""
        ich, wir, mein\w{0,2}, unser\w{0,2}, unsre, mir, mich, uns, bei uns, zuhause, zu hause
        """)
    + r"|^(?:also,?\s|übrigens,?\s|ach,?\s|so,?\s|moin,?\s)*"
    + any_of(r"""
        bin, hab, habe, war, wohne, lebe, arbeite, studiere, mache, rauche, trinke, esse, mag, komme, fahre,
        spiele, lerne, nehme, vertrage, brauche kein, kann kein, nutze, benutze, verwende, heiße, haben, sind,
        wohnen, leben, ziehe, ziehen, habs
    """)
    + r"\b",
    "kin": rf"\b(?:mein|meine|meiner|meinem|meinen|unser|unsere|unserer|unserem|der|die|das|"
    rf"eine?n?)\s(?:\w+\s)?{_KIN}\b|"
    + word_of(r"""
        unsere kleine, unser kleiner, unsere große, unser großer, die zwillinge, meine zwillinge, die kids,
        die jungs, unser dackel, \w*dackel, \w*hündin, mein ältester, meine jüngste, meine älteste,
        mein jüngster, die kinder, den kindern
    """),
    "health": word_of(
        r"""
        \w*allergie, \w*allergisch\w*, laktose\w*, gluten\w*, zöliakie, diabet\w+, asthma\w*, vegan\w*, vegetar\w+,
        schwanger, linkshänder\w*, farbenblind, \w*migräne, bluthochdruck, herzschrittmacher, rollstuhl, hörgerät\w*,
        taub, \w*-op, operiert, operation, tabletten, mg, medikament\w*, insulin, bandscheib\w+, knie, epilepsie,
        adhs, depression\w*, heuschnupfen, kein\w* schweinefleisch, halal, koscher, schwerhörig, linken ohr,
        rechten ohr, linken auge, rechten auge, höhenangst, seekrank, unverträglich\w*, intoleran\w+, vertrag\w*,
        verträgt, diagnos\w+, implantat\w*, prothese, schilddrüse, arthrose, reha
        """,
        endings=_ENDINGS,
    ),
    "work": word_of(
        r"""
        arbeit\w*, beruflich\w*, gelernt\w*, selbstständig, selbständig, freiberuflich, angestellt, gekündigt,
        befördert, rente, rentner\w*, studi\w+, ausbildung, azubi, promovier\w*, masterarbeit, bachelorarbeit,
        semester, uni, fachhochschule, schule, klasse, kita, betrieb, firma, büro, kanzlei, praxis, werkstatt,
        homeoffice, schicht\w*, nachtschicht\w*, hebamme, lehrer\w*, schreiner\w*, ingenieur\w*, krankenschwester,
        pfleger\w*, hof, milchkühe, landwirt\w*, teilzeit, vollzeit, elternzeit, zulieferer, verein, promotion,
        doktorarbeit, diss, trainer\w*, jugend, chor, \w*leiter\w*, referendariat, praktikum, stelle
        """,
        endings=_ENDINGS,
    ),
    "affair": word_of(
        r"""
        \w*miete, kaltmiete, warmmiete, \w*frist, \w*termin, \w*termine, abgabe\w*, deadline, budget, gehalt, lohn,
        kredit, \w*vertrag, versicherung, tüv, kennzeichen, geburtstag, hochzeit\w*, jahrestag, adresse,
        telefonnummer, mailadresse, schuhgröße, größe, gewicht, auto, wagen, fahrrad, e-bike, motorrad, laptop,
        rechner, handy, haus, wohnung, garten, \w*schlüssel, keller, garage, stellplatz, wlan, \w*prüfung, umzug,
        urlaub, treffen, sitzung, besprechung, meeting, jour fixe, standup, probe, proben, auftritt, premiere,
        konzert, training, abonnenten, kunden, mitglieder, mitarbeiter\w*, schüler\w*, nutzer, bestellungen, paletten,
        lager, umsatz, preis, ziel, zeitzone, passwortmanager, küche, bad, heizung, wärmepumpe, zähler, mülltonne,
        öffnungszeiten, beitrag, drucker, \w*patronen, studio, \w*dienst, stipendium, betreuer\w*, seminar, abitur,
        klausur, geige, schlagzeug, cello, marathon, schwimmen, yoga, wandern, klettern, camping, angeln, fotografie,
        modellbau, schach, backofen, spülmaschine, kopfhörer, tastatur, monitor, bildschirm, port, postleitzahl,
        stockwerk, aufzug, hausverwaltung, gas, stromzähler, reifen, winterreifen, meilen, bahncard, feuerwehr,
        ehrenamt, aquarium, papagei, hamster, hühner, schafe, ziegen, obstwiese, weinberg, hektar, acker, gewächshaus,
        kolumne, stream, ensemble, marge, retouren, conversion, anteile, gesellschafter\w*, finanzierung, iban,
        klassenlehrer\w*, kapitän, mannschaft, laden, café, imbiss, bäckerei, kühlraum, kühlhaus, transporter, lkw,
        wohnwagen, brille, kontaktlinsen, e-auto, wallbox, ofen, kamin, sauna, pool, zimmer, follower, router,
        führerschein, blutgruppe, diss, dissertation, kapitel, klavier, gitarre, katze, konto, \w*nummer, abo, tarif,
        strom\w*, kühlschrank, waschmaschine, fernseher, kamera, boot, wohnmobil, balkon, terrasse, kindergarten,
        hort, fitnessstudio, band, orchester, gemeinde, kirche, blog, kanal, podcast, roman, solaranlage, sparplan,
        rate, kaution, nebenkosten, nachname, spitzname, muttersprache, staatsangehörigkeit, pronomen, sternzeichen,
        parkplatz, briefkasten, müll, ferien, reise, flug, visum, reisepass, impfung, steuer\w*, rechnung\w*,
        lieferung, ware, bestand, stück
        """,
        endings=_ENDINGS,
    ),
    "project": word_of(
        r"""
        projekt\w*, \w*umgebung, domain, url, backend, frontend, datenbank, server, api, repo, branch,
        deployment, produktion, staging, version, framework, team, app, webseite, website, system, cluster,
        pipeline, release, abteilung, lieferant, editor, cloud, bühnenbild
        """,
        endings=_ENDINGS,
    ),
    "label": r"^(?!fehler|error|warnung|hinweis: bitte|übersetz|frage|beispiel|text|titel|betreff|aufgabe|hallo|danke|"
    r"also|angenommen)(?-i:[A-ZÄÖÜ])[\wäöüß-]{2,24}(?:\s[\wäöüß-]{1,20}){0,3}:\s\S",
    "aside": word_of(r"""
        übrigens, nur zur info, zur info, nebenbei, kurz vorweg, vorab, nur damit du, damit du bescheid,
        fürs protokoll, zum kontext, kontext, hintergrund, kleine info, kurze info, kurzes update, update,
        nachtrag, falls relevant, falls das hilft, der vollständigkeit halber, vielleicht noch wichtig,
        noch was, was du wissen solltest, zur kenntnis, gut zu wissen, wichtig zu wissen, du solltest wissen,
        ps, btw, fyi, am rande
    """),
    "lasting": word_of(r"""
        immer, nie, niemals, seit, schon lange, jeden, jede woche, jedes jahr, jedes mal, montags, dienstags,
        mittwochs, donnerstags, freitags, samstags, sonntags, morgens, abends, normalerweise, meistens, meist,
        grundsätzlich, regelmäßig, dauerhaft, schon immer, von klein auf, als kind, täglich, wöchentlich,
        monatlich, im schnitt, ab sofort, jahren, nach wie vor, am wochenende, unter der woche, mal pro,
        mal die woche, prinzipiell, freizeit, in meiner freien zeit, im monat, pro woche, pro monat
    """),
    "stative": word_of(r"""
        bin, ist, sind, habe, hab, hat, haben, heiße, heißt, wohne, wohnt, wohnen, lebe, lebt, leben, arbeite,
        arbeitet, studiere, studiert, spreche, spricht, fahre, fährt, spiele, spielt, nutze, nutzen, benutze,
        verwende, verwenden, mache, macht, liegt, steht, stehen, hängt, beträgt, kostet, wiegt, wiege, dauert,
        läuft, laufen, beginnt, endet, gehört, leite, leitet, betreue, züchte, sammle, trage, trägt, nehme,
        nimmt, esse, isst, trinke, trinkt, rauche, kann, verdiene, zahle, zahlen, zahlt, höre, sehe, sitze,
        schlafe, besitze, geschrieben, gilt, umfasst, wird, vertrage, verträgt, komme, kommt, geht, braucht,
        brauchen, schafft, schaffen, bekommt, zählt, hält, erreicht, liefert, verkauft, fehlen, fehlt, passt, reicht,
        öffnet, schließt, verbraucht, schreibt, enthält, unterstützt, verarbeitet, gibt es, stören, stört, lernt,
        lernen, pflege, züchten, betreiben, betreibe, backe, koche, sind's, ist's, hab's
    """),
    "life": (
        r"\b(?:meinen|unseren|den|die|meine) (?:job|arbeit|stelle|arbeitsplatz) verloren\b|\bich (?:wurde|bin) "
        r"[^.,;]{0,30}(?:entlassen|gekündigt|gefeuert)\b|\b(?:mein|meine|unser|unsere) [\wäöüß-]{2,30} (?:ist|sind) "
        r"[^.,;]{0,30}(?:gestorben|verstorben)\b"
    ),
    "event": word_of(r"""
        gezogen, umgezogen, geheiratet, gekündigt, adoptiert, gekauft, verkauft, geboren, aufgewachsen,
        bestanden, befördert, operiert, gegründet, eröffnet, angefangen, gewechselt, abgeschlossen, eingezogen,
        getrennt, verlobt, bekommen, gestorben, verlängert, eingestellt, gewonnen, waren wir, war ich, fang\w*,
        ziehe\w*, heirate\w*, nächstes jahr, letztes jahr, im sommer, im herbst, im winter, im frühjahr,
        im januar, im februar, im märz, im april, im mai, im juni, im juli, im august, im september, im oktober,
        im november, im dezember, geworden, in rente
    """),
    "milestone": word_of(r"""
        (?:mir|sich)\b[^.;,]{2,40}\b(?:gebrochen|verstaucht|verrenkt|gerissen|verletzt|gezerrt|geprellt), adoptiert,
        aus dem tierheim, (?:einen|eine|ein) (?:\w+ )?(?:hund|welpen|katze|kater|kätzchen|kaninchen) (?:\w+ ){0,4}
        (?:geholt|aufgenommen|bekommen), verlobt, geheiratet, geschieden, getrennt, umgezogen, eingezogen, operiert,
        eingestellt worden, gekündigt, befördert, entlassen worden, gestorben, geboren, zur welt gekommen,
        (?:prüfung|führerschein|examen) bestanden, eingeschult, (?:zusage|stelle|job|platz) (?:bekommen|gekriegt)
    """),
    "change": word_of(WORDS.changed),
    "due": r"(?:muss|müssen|soll|sollen)\b[^.;]{2,60}\b(?:bis|vor)\s(?:zum\s|dem\s)?"
    rf"(?:{_DATE}|\d{{1,2}}\.)|\bbis (?:anfang|mitte|ende) \w+",
    "role": r"\b(?:macht|erledigt|betreut|übernimmt|führt|leitet|pflegt)\s(?:bei uns\s|jetzt\s)*(?:die\s|der\s|frau\s|"
    r"herr\s)?(?-i:[A-Z])\w+[.!]?$|\b(?:zuständig für|verantwortlich für|kümmert sich|für die \w+ zuständig|"
    r"fürs? [\wäöüß ]{3,30} zuständig)\b|\bansprechpartner\w*\b.*\bist\b|\bist (?:bei uns|unser\w*|mein\w*)\s",
    "taste": word_of(r"""
        mag ich, ich mag, mag, liebe, hasse, am liebsten, lieber, bevorzuge, gar nicht mein, nicht mein ding,
        mein ding, kann man mich jagen, kann man mir schenken, kann ich nichts anfangen, nichts anfangen,
        nichts für mich, nicht mein fall, (?:nicht|nix|nichts) meins, kannst du mich jagen, kann mir gestohlen bleiben,
        finde ich (?:furchtbar|schrecklich|super|toll|nervig|anstrengend|grauenhaft), bringen mir nichts,
        bringt mir nichts, kein fan, ein fan, großer fan, bin ich eher, bin eher, eher der, eher die,
        steh\w* auf, schmeckt mir, schmecken mir, nervt mich, nerven mich, geht mir auf, gruselt, graust,
        kann ich nicht leiden, nicht ausstehen, ist mir lieber, sind mir lieber, gern, gerne, ungern,
        lieblings\w+, (?:macht|machen) mich fertig, ein gräuel, schwärme, begeistert, reizt mich
    """),
    "decision": word_of(r"""
        entschieden, beschlossen, geeinigt, festgelegt, steht fest, fest steht, es wird jetzt,
        ist es (?:jetzt |nun )?(?:doch )?[^.]* geworden, bleiben bei, wir setzen auf, wir nehmen jetzt,
        umgestiegen, steigen um, abgestimmt, beschlossene sache, ausgemacht, abgemacht, vereinbart,
        die wahl fiel, fiel die wahl, vom tisch, haben uns gegen, endgültig
    """),
    "motto": word_of("gib niemals auf, niemals auf, niemals aufgeben, sagt man, steht im, steht auf, sagte"),
    "norm": word_of(r"""
        ab jetzt, ab sofort, künftig, in zukunft, zukünftig, von nun an, bitte keine, bitte nie, bitte immer,
        jedes mal, immer brutto, immer netto, du mir immer, mich immer, mir immer, mir nie, mir niemals,
        niemals, grundsätzlich, muss immer, müssen immer, verboten, fasst du nie, du nie, rührst du, tabu,
        pflicht, wird geduzt, wird gesiezt, bei uns gilt, es gilt, gilt:, bevor du, wenn du mir, wenn ich dich,
        immer wenn, nur mit, nie ohne, ohne ausnahme, standardmäßig, auf keinen fall, nie wieder, duze, sieze,
        schreib\w* immer, gib\w* immer, gibst du mir
    """)
    + r"|(?:^|(?<=[.:!?]\s))(?-i:[A-ZÄÖÜ])\w+(?:en|er|n)\s(?:(?:an|für|in)\s\w+\s)?bitte\b",
    "steps": r"\b(?:erst|zuerst|zunächst)\b.{3,}\b(?:dann|danach|anschließend|zum schluss|zweimal)\b",
    "corrects": r"\b(?:korrektur|ich korrigiere|stimmt nicht|falsch gesagt|verwechsel\w+|war falsch|vertan|"
    r"verschrieben|meinte)\b|(?:,|\sund)\s(?:und\s)?nicht\s(?!wahr|mehr)"
    r"|\bnicht\b[^.;]{2,30}\bsondern\b",
    "number": r"\d|anderthalb|(?:zwei|drei|vier)mal|"
    + word_of(r"""
        zwei, drei, vier, fünf, sechs, sieben, acht, neun, zehn, elf, zwölf, zwanzig, dreißig, vierzig, fünfzig,
        hundert, tausend, dreizehn, vierzehn, fünfzehn, sechzehn, achtzehn, beide
    """),
    "date": rf"\b{_DATE}|\bhalb \w+|\d{{1,2}}\.\d{{1,2}}\.",
    "name": r"\b(?:frau|herr)\s(?-i:[A-ZÄÖÜ])\w+|(?-i:\b[A-ZÄÖÜ]\w*\s\d)|\b(?:in|bei|aus|nach|zu)\s(?-i:[A-ZÄÖÜ])\w+",
    "short": r"^[^\s:]+(?:\s[^\s:]+)?$",
    "asks": r"\?|^(?:was|wie|wo|wann|warum|wer|welche[rsn]?|wieso|weshalb|wohin|woher|weißt du|kannst|könntest|"
    r"hast du|gibt es)\b",
    "request": r"^(?:ich )?muss (?:noch |mal |schnell )?\w+en[.!]?$|\bmuss ich (?:früh|noch|mal|gleich|los)\b|"
    r"^(?!nervt|stört|freut|ärgert|habe?\b|bei\b|für\b|mit\b|von\b|ohne\b|vor\b|bin\b|war\b|"
    r"sind\b)\w{3,12}(?<!t) (?:mich|mir|uns)\b|^(?:bitte\s|und\s|also\s|ok,?\s|dann\s)*(?:stell|erinner|mach|gib|zeig|"
    r"such|schreib|erzähl|übersetz|erklär|fass|kürz|nimm|lies|schau|hilf|erfinde|nenn|sag|buch|reservier|bestell|änder|"
    r"korrigier|öffne|schließ|rechne|vergleich|formulier|füg|lösch|prüf|finde|warte|lass|spiel|erstell|entwirf|liste|"
    r"wiederhol|schick|setz|probier|denk dir|stell dir|empfiehl|berechne|hol)\w{0,3}\b|\b(?:möchte|würde gern\w*|"
    r"hätte gern\w*|brauche (?:mal|eine?n?|hilfe|dringend|noch|jetzt)\b|brauch mal|ich suche?|kannst du|könntest du|"
    r"ich will|muss (?:noch|mal|heute|kurz)|hilfe|hilf mir|ich werde (?:mal|jetzt|gleich))\b",
    "unreal": word_of(r"""
        wenn ich (?!dich)[^.]* wäre, wäre, wären, hätte, hätten, würde, würden, könnte, angenommen, vielleicht,
        eventuell, vermutlich, wahrscheinlich, hoffentlich, ich glaube, ich denke, ich finde, ich hoffe,
        ich glaub, glaub ich, schwanke, überlege, mal sehen, erfinde, tu mal so, tu so, wärst, rollenspiel, roman,
        geträumt, im traum, scheint, kommissar, falls ich, ich schätze, gefühlt,
        ein freund von mir, eine freundin von mir, ein bekannter, ein kollege, eine kollegin
    """),
    "hearsay": word_of(r"""
        sagt, sagte, sagen, meint, meinte, angeblich, laut, soll, sollen, sei, behauptet, man sagt,
        es heißt, habe gelesen, gehört dass, steht:, im artikel, rundschreiben, zeitung, erzählt, chef will,
        fragt, fragte, findet, heißt es, hab gelesen, sagt man, prahlt,
        ^(?:einer|jemand|eine|ein typ) (?:auf|aus|bei|in|von|vom)\b[^.]*, schwört, versichert, erklärt
    """),
    "passing": word_of(r"""
        (?<!stand )heute, gerade(?![^.]{0,40}\b(?:ge\w+|\w+ge\w+|\w+iert)\b), gleich, eben, kurz (?!vorweg)\w*,
        diesmal, momentan, im moment, gestern, schon wieder, später, grad, unterwegs, im zug, in der straßenbahn,
        in der bahn, im aufzug, im stau, im auto, im supermarkt, in der schlange, im meeting, beim arzt, im bus,
        moment, sofort da, bin dann mal, bis gleich, bis später, morgen früh, für diese, für heute
    """),
    "mood": word_of(r"""
        müde, hunger, durst, kalt, heiß, langweilig, gestresst, genervt, traurig, froh, zu groß, zu klein, zu eng,
        zu weit, glücklich, (?<!mich )fertig(?! (?:sein|haben|werden)), aufgeregt, nervös, sauer, verwirrt, gespannt,
        lust, keine zeit, keine ahnung, kopfschmerzen, kopfweh, mist, verdammt, krank, anders überlegt, das wetter,
        satt, sicher, beeindruckt, dankbar, erkältet, ein tag, das wetter, bereit
    """),
    "trouble": failing(
        r"""
        computer, rechner, laptop, handy, drucker, wlan, internet, webseite, website, app, programm, bildschirm,
        tastatur, auto, waschmaschine, spülmaschine, heizung, ofen, kühlschrank, router, fernseher, akku, server, code
        """,
        r"nicht, leckt, tropft, spinnt, kein\w*, streikt, piept, hängt sich, abgeschmiert, abgekackt, lahmt",
    )
    + "|"
    + word_of(r"""
        fehler\w*, abgestürzt, kaputt, geht (?:immer )?(?:noch )?nicht, kein empfang, funktioniert nicht,
        hängt sich, startet nicht, vergessen, weiß nicht, verstehe\w*, versteh, kapier\w*, finde nicht,
        nicht verstanden, klappt nicht, abgelehnt, noch nicht da, problem\w*, frage, fragen, komme nicht weiter,
        verloren, bug, stecke fest
    """),
    "at hand": word_of(r"""
        dies\w{1,2} (?!jahr|herbst|sommer|schuljahr|semester|saison|frühjahr|winter)\w+, dein\w{0,2}, variante,
        option, der text, den text, absatz, dir, dich, ^du \w+, folie, in dem fall, (?:ersten?|zweiten?|letzten?) satz,
        satz, der code, die antwort, der film, das hilft,
        der war gut, das gefällt, das ist, das war, das klingt, das passt, die version gefällt, lieb ich, hier
    """),
    "reaction": r"\b(?:tausend|herzlichen|vielen|lieben) dank\b|\brettest\b|^(?:vorher|davor|früher) (?:war|"
    r"waren)(?: es)? [\d.,]+\b|"
    r"^überzeugt mich\b|\b(?:das|es) (?:so )?nicht (?:so )?gemeint\b|\bich kann nicht mehr\b|"
    r"\bdu hast (?:mir|mich)\b|\bgerettet\W*$|\bhat (?:echt |wirklich |ja )?geklappt\b|^krass\b|^(?:danke|super|toll|"
    r"genau|ok|okay|ja|nein|nee|haha\w*|ach so|stimmt|klar|perfekt|prima|cool|wow|puh|boah|moment|sorry|hallo|hi|"
    r"tschüss|guten|schön|gut(?! zu wissen)|alles|vergiss es|kein problem|bitte schön|gern geschehen|ah|oh|hm+|na ja|"
    r"ist ja)\b(?!,?\s+(?:übrigens|ich|mein|wir|unser))|\bdanke\W*$",
    "world": word_of(r"""
        wasser kocht, mündet, hauptstadt, einwohner, die erde, die sonne, der mond, jahrhundert, weltweit,
        ist (?:der|die|das) (?:läng|größ|höch|tief|schnell|ält)\w*ste,
        die menschen, menschen sind, der rhein, die donau, grad, allgemein, historisch, man soll, man sollte,
        planet\w*, sonnensystem, pflanzen sind, tiere sind, die regierung, der minister, die ministerin, man kann
    """),
}

_REQUEST = request_of(
    r"(?:schreib|mach|gib|sag|hilf|zeig|erklär|formulier|korrigier|kürz|übersetz|fass|such|berechne|rechne|"
    r"erstell|liste|erfinde|denk dir|prüf|zeichne|vergleich|erzähl|buch|reservier|setz|stell|erinner|füg|"
    r"lösch|änder|verschieb|empfiehl|schlag|nenn(?! mich)|nimm|entwirf|bereite)(?:e|t|s)?(?! (?:ich|wir)\b)",
    r"immer|nie|niemals|jedes mal|künftig|ab jetzt",
)
PACK = Pack(
    lang="de",
    rules=_RULES,
    rule_signs=RULE_SIGNS,
    weigh=weigher(_SIGNS),
    others=r"(?:er|sie)\b(?!.*\b(?:mich|mir|uns|mein\w{0,2}|unser\w{0,2})\b)",
    leads=r"(?:(?:also|übrigens|ach|ah|hallo|hi|hey|moin|guten (?:morgen|tag|abend)|okay|ok|ja|gut|so|und|aber|"
    r"außerdem|zudem|nebenbei|kurz|kurze info|info|zur info|nur zur info|fürs protokoll|zum kontext|kontext|"
    r"hintergrund|danke|super|kurzer stand|stand (?:heute|jetzt)|nur damit du es weißt|damit du bescheid weißt|"
    r"ehrlich gesagt|update|puh|weil|da|denn)(?:\s*[,:.!]+\s*|\s+(?=(?:ich|wir|mein|unser|die|der|das|bitte|immer)\b))|"
    r"[\s,:;–—-]+)",
    corrections=r"(?:(?:nein )?warte|nein|nee|doch|korrektur|falsch gesagt|verwechselt|berichtigung|moment|sorry|"
    r"entschuldigung|falsch|stimmt nicht|ich korrigiere(?: mich)?|"
    r"tut mir leid|mein fehler|quatsch|tatsächlich|eigentlich)\s*[,:;.!]+\s*",
    explicit=r"(?:bitte\s+|und\s+|kannst du\s+(?:dir\s+)?)*(?:merk(?:e)? dir(?: bitte)?(?:,? dass|\s*[:,])?|"
    r"merken\s*[:,]|vergiss (?:bitte )?nicht(?:,? dass|\s*[:,])|denk(?:e)? (?:bitte )?daran(?:,? dass|"
    r"\s*[:,])|notier(?:e)?(?: dir)?(?: bitte)?(?:,? dass|\s*[:,])|notiz(?: an mich)?\s*[:,]|behalte "
    r"(?:bitte )?im (?:kopf|hinterkopf)(?:,? dass|\s*[:,])|beachte(?: bitte)?(?:,? dass|\s*[:,])|zur "
    r"erinnerung\s*[:,]|speicher(?:e)?(?: dir)?(?: bitte)?\s*[:,]|nicht vergessen\s*[:,]|wichtig\s*:)\s*",
    turns=r"\s?[,:]\s+",
    breaks=rf",\s+(?={_REQUEST})|:\s+(?=(?:ich|wir|mein\w*|unser\w*|bei uns)\b)|(?<!\s)(?:\s*;\s+|\s+[–—-]\s+)|"
    r",\s+(?:(?:und|aber|oder|sondern|also|deshalb|daher|darum)\s+)*(?:weil|da|denn|obwohl)?\s*(?=(?:ich|wir|mein|"
    r"meine|unser|unsere|kannst|könntest|was|wie|wo|wann|warum|welche|gibt|\w+st du|bitte|das|die|der|es|er|sie|immer|"
    r"nie|hilf|gib|nicht)\b)|(?<!\s)\s+(?:und|aber|deshalb)\s+(?=(?:ich|wir|mein|meine|unser|seit dem|bitte|kannst du|"
    r"möchte|was|wie|welche)\b)",
    asks=rf"{_REQUEST}|(?:was|wie|wo|wann|warum|wer|welche[rsn]?|wieso|weshalb|wohin|woher|woran|worauf|womit|kannst|"
    r"könntest|würdest|hast|hättest|bist|weißt|gibt es|ist (?:es|das|die|der)|sind (?:die|das)|soll|sollte|darf|"
    r"hilf mir|gib mir|zeig mir|erklär mir|sag mir|stell bitte|schreib mir|ich (?:möchte|hätte gern|brauche|suche|will|"
    r"würde gern))\b",
    supposes=r"(?:(?:nur )?mal angenommen|gesetzt den fall|wenn|falls|im falle|für den fall|"
    r"sobald (?![^.!?]{0,60}\b(?:war|waren|hatte|hatten|konnte)\b)|ich (?:glaube?|denke)\b|kann sein|angenommen|"
    r"stell dir vor|was wäre|hätte ich|wäre ich|nehmen wir an|sofern|im (?:roman|film|buch)|in (?:dem|der|einem|"
    r"einer) (?:roman|geschichte|film|buch))\b",
    unreal=r"\b(?:ziehe|ziehen|kaufe|kaufen|kündige|wechsle|fange|heirate|miete|verkaufe)\b[^.!?]{1,80}"
    r",\s(?:aber\s)?(?:nur\s)?(?:wenn|falls|sobald|sofern)\s",
    denies=r"\b(?:nicht|nie|niemals|kein\w*|statt|anstatt|anstelle von)\s(?:(?!sondern\b)\w+\s){0,2}$",
    contrasts=r"\b((?:ich|wir)\s(?P<verb>\w+)\s(?:\w+\s){0,2}?nicht\s[^,;.!?]{1,40}?[,;]\s(?:sondern\s)?)"
    r"(?=(?:ich|wir)\s(?P=verb)\b)"
    r"|\b(?:ist|war|sind)(\snicht\s[^,;.!?]{1,40}?[,;]\s(?:sondern\s)?(?:er|sie|es|das)\s(?:ist|war|sind))(?=\s)"
    r"|\b((?:nicht|kein\w*)\s(?!nur\b|bloß\b)(?:[^,;.!?]|\.\s?\d|\d\.){1,40}?,?\ssondern\s)",
    pretends=r"\b(?:es war einmal|rollenspiel|tu so, als|spiel(?:e)? (?:die rolle|einen)|"
    r"schreib(?:e)?\b[^.:!?\n]{0,60}?(?:geschichte|gedicht|märchen|roman|krimi|brief aus|ich-form)\w{0,2}\b|"
    r"(?:^|(?<=[.:!?]\s))(?-i:[A-ZÄÖÜ])\w+ (?:hat|hatte|kauft) (?:\d+|\w+) \w+ und (?:gibt|verschenkt|isst|verkauft|"
    r"verliert)\b|im roman|"
    r"fiktiv\w*)\b",
    joins=frozenset({"und", "oder"}),
    tails=r"(?:weil|da|denn|obwohl|sondern|und|aber|also|deshalb|daher|darum)?$",
    presumes=r"(?:weil|da|denn|obwohl)",
    reports=r"(?:sagte|sagt|schrieb|meinte|fragte|laut [^,;.]{2,40})\s*[:,]?$",
    hedges=r"\b(?:vielleicht|eventuell|möglicherweise|wahrscheinlich|womöglich|weiß (?:noch )?nicht,? ob|"
    r"überlege|könnte sein|evtl|vermutlich|im scherz|würde gern|angeblich|hab(?:e)? ich gehört|soll wohl|"
    r"ein(?:e)? freund(?:in)? von mir)\b",
    cues=frozenset(
        """
        ich wir in einem einer seit wohne arbeite meinte nein ja doch uns euch ihr sehr nur als der die das den dem
        ein eine einen und oder aber ist sind war nicht kein keine mein meine unser unsere mich mir dir du mit auf für
        von zu zum im am bei aus nach auch noch schon immer nie bitte wenn dass weil was wie habe haben hat bin es sie
        er heißt jetzt danke allergie allergien frist termin abgabetermin abgabe geburtstag schuhgröße adresse notiz
        hinweis übrigens inzwischen mittlerweile seit montags dienstags mittwochs donnerstags freitags um bis ab
        künftig hab wird wurde trage nehme esse trinke fahre mache kann muss gibt gib an unter über vor dann wann mal
        doch gerne lieber dich dein deine deinen alle jede jeden jedes ohne statt keinen schreib nimm sag zeig gib
        kurz fass einheiten
        """.split()
    ),
)

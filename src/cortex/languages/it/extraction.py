"""Italian. Accents are read away, but for è, which is a word of its own."""

from __future__ import annotations

from cortex.languages.families import families, phrase_of, plain, request_of
from cortex.languages.it.rule_signs import RULE_SIGNS
from cortex.languages.it.words import WORDS
from cortex.languages.pack import Pack
from cortex.languages.signs import any_of, failing, opening, weigher, word_of

_PLAIN = plain("àáa", "ée", "ìíi", "òóo", "ùúu")
_ADV = (
    r"(?:(?:anche|sempre|adesso|ora|attualmente|gia|ancora|davvero|molto|proprio|solo|soltanto|bene|"
    r"di solito|generalmente|normalmente|"
    r"finalmente|ormai|da \w+ \w+|dal \d{4}|piu|spesso|soprattutto|non|mai|qui|un po'|abbastanza|personalmente)\s+)*"
)
_KIN = (
    r"(?:sorell[ae]|fratell[oi]|madre|padre|mamma|papa|babbo|moglie|marito|ragazz[ao]|fidanzat[ao]|compagn[ao]|"
    r"figl(?:ia|io|ie|i)|bambin[aoie]|neonat[ao]|nonn[aoi]|genitori|zi[aoi]|cugin[aoie]|nipot[ei]|suocer[aoi]|"
    r"cognat[aoie]|coinquilin[ao]|vicin[aoi](?: di casa)?|capo|titolare|responsabile|collegh?[ae]|collega|"
    r"professoressa|prof|medico|dottoressa|dentista|padron[ae] di casa|psicolog[ao]|allenat(?:ore|rice)|can[ei]|"
    r"cagnolin[ao]|gatt[aoie]|coniglio|cavallo|miglior[e]? amic[ao]|amic[ao]|soci[ao]|relat(?:ore|rice)|direttrice|"
    r"direttore|gemell[ei]|famiglia|pappagallo|avvocat[ao]|commercialista)"
)
_MONTH = r"(?:gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre)"
_DAY = r"(?:lunedi|martedi|mercoledi|giovedi|venerdi|sabato|domenica)"
_DATE = (
    rf"(?:{_DAY}(?:\s+\d{{1,2}})?(?:\s+{_MONTH})?(?:\s+(?:prossim[oa]|mattina|sera|"
    rf"pomeriggio))?(?:\s+alle\s+\d{{1,2}}(?:[:.]\d\d)?)?|\d{{1,2}}°?\s+{_MONTH}(?:\s+\d{{4}})?|"
    rf"\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?|(?:inizio|meta|fine)\s+{_MONTH}|{_MONTH}(?:\s+\d{{4}})?|"
    r"alle\s+\d{1,2}(?:[:.]\d\d)?|\d{1,2}[:.]\d\d\b|20\d\d|la settimana prossima|la prossima settimana|"
    r"il mese prossimo|l'anno prossimo)"
)
_NAME = r"(?-i:[A-Z][\w'-]*(?:\s+(?:[A-Z][\w'-]*|di|de|della|del))*)"
_ONE_NAME = rf"(?:{_NAME}|[\w-]+)"
_THING = (
    r"(?P<thing>(?:il\s|lo\s|la\s|l'|i\s|gli\s|le\s|(?:il\s|la\s|i\s|le\s)?(?:mi[oa]|miei|mie|"
    r"nostr[oaie])\s)[^,;.!?\n]{2,50}?)"
)
_NUM = r"(?:€\s?)?\d+(?:[ .,\u202f]\d{3})*(?:[.,]\d+)?"
_UNIT = (
    r"(?:\s?(?:%|€|euro|dollari|ms|secondi?|minut[oi]|or[ae]|giorn[oi]|settiman[ae]|mes[ei]|kg|chili?|km|gb|mb|tb|"
    r"per ?cento|utenti|persone|parole|pagine|clienti|mila|milioni|iscritti|abbonati|alunni|dipendenti|m2|mq|"
    r"metri quadri|righe|ordini|soci)\b|\s?[%€])?"
)
_E = r"(?:è|e')"
_ILL = (
    r"(?:allergi\w+|allergic\w+|intolleran\w+|diabet\w+|asma\w*|celiac\w+|celiachia|vegetarian[aoie]|vegan[aoie]|"
    r"incinta|daltonic\w+|mancin[aoi]|emicrani\w+|epile\w+|ipertes\w+|pressione alta|artros\w+|artrite|dislessi\w+|"
    r"adhd|insulina|pacemaker|lattosio|glutine|antidepressiv\w+|apparecchio acustico|anticoagulant\w+|sord[aoi]|"
    r"ipovedent\w+|disabil\w+|scoliosi|eczema|dermatite|endometriosi|depressione|tiroide|colesterolo|anemi\w+|"
    r"insonni\w+|apnee|protesi|ernia|sedia a rotelle|autis\w+|fobia|vertigini|rinite|psoriasi|fibromialgia|sciatica)"
)
_JOB = (
    r"(?:infermier\w+|medico|dottoressa|insegnante|professor\w*|maestr[ao]|ingegnere|sviluppat\w+|programmat\w+|"
    r"avvocat\w+|commercialista|contabile|architett\w+|cuoc[ao]|panettier\w+|giornalista|grafic[ao]|designer|"
    r"veterinari\w+|dentista|farmacista|commess[ao]|camerier\w+|autista|meccanic\w+|elettricista|idraulic\w+|falegname|"
    r"parrucchier\w+|agricolt\w+|tradutt\w+|capo\w* \w+|consulente|segretari\w+|fotograf\w+|artista|musicist\w+|"
    r"student\w+|dottorand\w+|tirocinante|stagista|apprendista|ostetric\w+|fisioterapist\w+|pompiere|poliziott\w+|"
    r"bibliotecari\w+|educat\w+|dirett\w+|responsabile|impiegat\w+|tecnic\w+|ricercat\w+|psicolog\w+|pensionat\w+|"
    r"fiorist\w+|librai\w+|analista|freelance|libero professionista|libera professionista|pasticcer\w+|redat\w+|"
    r"interprete|barista|operai\w+|muratore|sarta|sarto|scienziat\w+|nutrizionista|guida|allevat\w+|viticolt\w+|"
    r"coordinat\w+)"
)
_LANG = (
    r"(?:inglese|spagnolo|tedesco|francese|portoghese|russo|arabo|cinese|mandarino|giapponese|coreano|olandese|polacco|"
    r"turco|catalano|greco|svedese|italiano|rumeno|albanese|ebraico|lingua dei segni|lis\b|napoletano|sardo|friulano)"
)
_DO = (
    r"(?:rispond[ia]|scriv[ia]|us[ia]|utilizz[ia]|da(?=mmi)|dai|mett[ia]|fa(?:i|'|cci)?|chiam[ia]|dammi|evit[ia]|"
    r"mantien[ie]|tien[ie]|aggiung[ia]|indic(?:a|hi)|specific(?:a|hi)|cit[ia]|verific(?:a|hi)|chied[ia]|avvis[ia]|"
    r"propon(?:i|ga)|sugger(?:isci|isca)|mand[ia]|invi[a]?|parl[ia]|dimentic(?:a|hi)|smett[ia]|cominci[a]?|inizi[a]?|"
    r"finisci|firm[ia]|limit[ia]|traduci|traduca|convert[ia]|mostr[ia]|spieg(?:a|hi)|consigli[a]?|raccomand[ia]|"
    r"riassum[ia]|formatt[ia]|comment[ia]|conferm[ia]|sii|sia|lasci[a]?|present[ia]|includ[ia]|tocc(?:a|hi)|"
    r"modific(?:a|hi)|cancell[ia]|condivid[ia]|program(?:ma|mi)|prenot[ia]|compr[ia]|pubblic(?:a|hi)|controll[ia]|"
    r"ricord[ia])"
)
_DOME = r"(?:mi|ci|lo|la|li|le|gli|melo|mela)?"
_PLEASE = r"(?:(?:per favore|per piacere|ti prego|e|ma),?\s+)?"
_DONT = r"\w+(?:are|ere|ire|armi|ermi|irmi|arci|erci|irci|arlo|arla|armeli|porre|pormi|rre|rmi)"
_ONCE = (
    r"\b(?:stavolta|questa volta|per ora|per quest[oa]|in quest[oa] (?:testo|mail|caso)|oggi|adesso|"
    r"lascia stare|lascia perdere|non ti preoccupare|non preoccuparti|non dimenticare|stasera)\b"
)

_RULES = families(
    {
        "rule.from_now_on": rf"{_PLEASE}(?:d'ora in (?:poi|avanti)|da (?:ora|adesso|oggi) in (?:poi|avanti)|"
        r"a partire da (?:ora|adesso|oggi)|in futuro|per impostazione predefinita|di norma|come regola|"
        r"nelle tue risposte)[,:]?\s+(?!(?:io|noi|mio|mia|il|la|lo|l'|i|le|abito|lavoro|ho|vado|sono|vivo)\b).{4,}",
        "rule.when": (
            r"(?:quando|ogni volta che|tutte le volte che|se)\s+(?:io\s+|tu\s+)?(?:ti\s+|mi\s+|vi\s+)?(?:chied|parl|"
            r"scriv|mand|invi|dic|cerc|menzion|vogli|riassum|rispond|propon|sugger|traduc|spieg|pianific|corregg|"
            r"consigl|raccomand|incoll|prenot|domand)\w*\b[^,.!?\n]{0,60},\s*.{4,}",
            r",\s*(?:io|noi|lui|lei|questo|è|mi)\b|\bche ore\b",
        ),
        "rule.always": (
            rf"{_PLEASE}{_DO}{_DOME}\s+(?:[^\s.!?]+\s+){{0,9}}?(?:sempre|mai|ogni volta|tutte le volte|senza eccezioni|"
            rf"in futuro|d'ora in poi|esclusivamente|solo ed esclusivamente)\b.*|{_PLEASE}non\s+(?:mi\s+|"
            rf"ci\s+)?{_DONT}\s+(?:mai\s+|piu\s+)*.{{3,}}|{_PLEASE}(?:sempre|mai)\s+(?!(?:visto|stato|"
            rf"piu senza di te)\b).{{4,}}|{_PLEASE}(?:evit[ia]|smett(?:i|ila|etela) (?:di|con)|basta|"
            r"niente)\s+(?!di che|di grave|male|paura).{4,}|(?:dammi|diamoci) del (?:tu|lei)\b.*|senza\s+(?:emoji|"
            r"elenchi|gergo|inglesismi|scuse|markdown|grassetto|tabelle)\b.*|(?:sii|sia|resta|"
            r"rimani)\s+(?:\w+\s+)?(?:breve|concis[oa]|dirett[oa]|precis[oa]|gentile|onest[oa]|formale|"
            r"sintetic[oa])\b.*|(?:voglio|preferisco|vorrei) che tu\s.{5,}",
            _ONCE + r"|^mai\b[^.!?]{0,20}\b(?:fatto|detto|sentito|provato)\b|^non (?:dire|fare) (?:sciocchezze|cosi)",
        ),
        "rule.order": (
            r"(?:vorrei|voglio|preferisco) che (?:tu )?(?:mi )?\w+ss[ie]\b.{3,}|(?:vorrei|voglio|preferisco) (?:le |"
            r"delle )?(?:risposte|spiegazioni)\s.{3,}|(?:piuttosto che|invece di|prima di) \w+r(?:e|ti|mi|lo|"
            r"la)\b[^,.!?\n]{0,40}, (?:dimmi|dillo|chiedi|chiedimi|avvisami|ammetti)\b.*|(?:risposte|riassunti|"
            r"spiegazioni|elenchi|mail|testi),? (?:sempre )?(?:in|con|di|senza) (?:[^\s,.!?]+ ){0,4}(?:massimo|"
            r"[^\s,.!?]*(?:righe|parole|frasi|brev|cort)[^\s,.!?]*)[.!]?\s*$|quando (?:ti )?(?:chiedo|parlo|"
            r"dico)\s[^.!?\n]{2,40}?\sintendo\s.{2,}",
            r"\b(?:oggi|stavolta|domani)\b",
        ),
        "rule.call_me": rf"{_PLEASE}(?:chiamami|mi chiami|puoi chiamarmi|puo chiamarmi)\s+(?!un|una|quando|il|la|alle|"
        rf"per|dopo|se)(?:pure\s+|semplicemente\s+|solo\s+)*(?P<value>{_ONE_NAME}).*",
        "rule.must": (
            r"(?:tutt[iae]|ogni|nessun[oa]?|niente|solo|chiunque)\s[^,;.!?\n]{2,60}?\s(?:dev[eo]no|deve|puo|possono|va|"
            r"vanno|viene)\s.{3,}|(?:bisogna|si deve|non si (?:puo|deve|fa|tocca|pubblica))\s+(?:sempre|mai)?\s?.{4,}|"
            r"(?:la|nostra|una) regola(?:\s\w+){0,3}\s?(?:è|:)\s?.{4,}|(?:è )?(?:vietato|obbligatorio|proibito)\s.{3,}",
            r"\b(?:tutto (?:bene|a posto|ok)|io devo|devo)\b",
        ),
        "procedure": (
            r"per\s+[^.!?\n]{3,60}?,\s*(?:bisogna|basta|prima|lancia|apri|premi|esegui|fai|comincia|"
            r"si)\b.{5,}|(?:prima|per prima cosa)\b.{3,}\b(?:poi|dopo|quindi|infine)\b.{3,}|(?:i passi|"
            r"i passaggi|la procedura)\b[^.!?\n]{0,50}(?::|sono|è|,).{5,}",
            r"\b(?:puoi|aiutami|vorrei|mi aiuti)\b|^prima (?:di|o poi)\b",
        ),
        "negation": (
            r"(?:io\s+|noi\s+)?non\s+(?:mi\s+|ci\s+)?[\wè]+\s+(?:[^\s.!?]+\s+){0,3}?piu\b.*|(?:io\s+)?(?:ho|"
            r"abbiamo)\s+(?:smesso|lasciato|venduto|disdetto|abbandonato|mollato|chiuso con|dismesso)\b.*|"
            r"mi sono licenziat[oa]\b.*|(?:il|lo|la|l'|i|gli|le)\s?[^,;.!?\n]{2,40}?\snon\s+(?:si\s+)?[\wè]+\s+piu\b.*",
            r"\b(?:ne posso piu|so piu|ricordo piu|capisco piu|riesco piu|voglio piu|funziona piu|legge piu|parte piu|"
            r"va piu|piu niente|piu tardi|trovo piu|vedo l'ora)\b|\bpiu\s[^.!?]{1,30}\s(?:che|di)\b",
        ),
        "decision": (
            r"(?:io\s+|noi\s+|il team\s+|il comitato\s+|la direzione\s+)?(?:alla fine\s+|finalmente\s+)?(?:ho|abbiamo|"
            r"ha|hanno|è stato|e' stato|mi sono|ci siamo)\s+(?:\w+\s+)?(?:deciso|decis[ai]|scelto|optato|stabilito|"
            r"concordato|votato|convenuto|messi d'accord\w*|accordat\w+|scartato|rinunciato)\b.*|"
            r"(?:alla fine\s+)?(?:andiamo|restiamo|rimaniamo|passiamo|teniamo|prendiamo|adottiamo|resto|passo|migriamo|"
            r"abbandoniamo|usiamo d'ora in poi)\s+(?:con|su|a|al|alla|il|la|lo|i|le|l')\s?.{3,}|(?:decisione presa|"
            r"deciso|è deciso|è ufficiale)\s?[:,]\s.{3,}",
            r"\b(?:non ancora|a tavola|a cena|al mare|a casa|a letto|il treno|l'autobus|il caffe|stasera)\b",
        ),
        "fact.name": (
            r"(?:io\s+)?(?:mi chiamo|il mio nome(?: completo)? (?:è|e')|sono (?:il|"
            rf"la)(?=\s(?-i:[A-Z])))\s+(?P<value>{_ONE_NAME}).*|"
            r"(?:io )?sono\s+(?P<value2>(?-i:[A-Z][a-z]+(?:\s[A-Z][a-z]+)?))(?=\s*[,.!]|$|\s+e\b).*",
            r"",
        ),
        "fact.home": (
            rf"(?:io\s+|noi\s+)?{_ADV}(?:abito|abitiamo|vivo|viviamo|risiedo|sto di casa|mi sono trasferit[oa]|"
            rf"ci siamo trasferiti|mi trasferisco|ci trasferiamo|stiamo di casa)\s+{_ADV}(?:[^.!?]{{0,20}}?\s)?(?:a|ad|"
            r"in|nel|nella|nell'|vicino a|dalle parti di)\s?(?P<value>[\w'-]+(?:\s(?-i:[A-Z])[\w'-]*)*).*",
            r"\bin (?:ansia|pensiero)\b",
        ),
        "fact.from": (
            r"(?:io\s+)?(?:vengo|sono originari[oa])\s+(?:da|dal|dalla|di|del|della)\s?(?!(?:te|voi|"
            r"lavoro|casa)\b).{2,}|(?:io\s+)?sono (?:nat[oa]|cresciut[oa])\s.{3,}|"
            r"(?:io\s+)?sono di (?-i:[A-Z])\w+.*|(?:io\s+)?sono\s+(?:italian|svizzer|sicilian|napoletan|"
            r"milanes|roman|sard|pugliese|torines|venet|toscan)\w*\b.*",
            r"\bsono di (?:corsa|fretta|passaggio|nuovo|parte)\b",
        ),
        "fact.age": (
            r"(?:io\s+)?(?:ho|compio|ho compiuto|faccio|ho appena compiuto)\s+(?:quasi\s+|gia\s+|"
            r"ora\s+)*(?P<value>\d{1,3})\s+anni\b(?!\s+di).*",
            r"\banni (?:di|d'|in)\b",
        ),
        "fact.birthday": rf"il mio compleanno (?:è|e'|cade)\s+(?:il\s+|l')?(?P<value>\d{{1,2}}°?\s+{_MONTH}).*|"
        rf"(?:sono nat[oa]|compio gli anni)\s+(?:il\s+|l')(?P<value2>\d{{1,2}}°?\s+{_MONTH}(?:\s+\d{{4}})?).*",
        "health": r"(?:io\s+)?(?:non\s+)?(?:sono|ho|soffro|prendo|porto|posso|tollero|sopporto|digerisco|mangio|"
        rf"convivo|faccio|uso)\b[^,.!?]{{0,40}}?\b{_ILL}\b.*|mi (?:hanno|è stat[ao]) (?:diagnosticato|operat[oa]|"
        r"diagnosticata|trovato)\b.*|mi sono (?:rott[oa]|fratturat[oa])\s.*|(?:io\s+)?non\s+poss(?:o|"
        r"iamo)\s+(?:mangiare|bere|prendere|assumere)\s.{2,}",
        "health.theirs": r"(?:(?:il|la|i|le|l')\s+)?(?:mi[oa]|miei|mie|"
        rf"nostr[oaie])\s+(?P<whose>{_KIN})(?:,?\s+{_NAME},?)?\s+[^.!?\n]{{0,30}}?\b{_ILL}\b.*",
        "health.diet": (
            r"(?:io\s+|noi\s+)?(?:non\s+(?:mangio|mangiamo|bevo|beviamo|fumo|fumiamo)|mangio solo|"
            r"mangiamo solo|bevo solo|mangio (?:halal|kosher|bio))\s?.{2,}",
            r"\b(?:oggi|ancora|stasera|da stamattina|da ieri)\b",
        ),
        "preference.favourite": r"(?:(?:il|la|i|le|l')\s+)?(?:mi[oa]|miei|mie)\s+(?P<thing>[\w "
        r"-]{2,30}?)\s+preferit[oaie]\s+(?:è|e'|sono|resta|rimane)\s+(?P<value>[^,;.!?\n]{2,60}).*",
        "preference": (
            rf"(?:io\s+|noi\s+|a me\s+|personalmente\s+)*{_ADV}(?:preferisco|preferiamo|adoro|adoriamo|amo|amiamo|tifo|"
            r"tifiamo|odio|odiamo|detesto|detestiamo|evito|apprezzo|sopporto|reggo)\b(?!\s+(?:questo|l'idea|tanto|"
            r"troppo)?\s*[.!]?$).{2,}|(?:a me\s+)?(?:non\s+)?mi\s+(?:piace|piacciono|fa schifo|fanno schifo|"
            r"da fastidio|annoia|annoiano|rilassa)\b\s?.{3,}|a me\s+(?:non\s+)?(?:piace|piacciono)\s.{2,}|"
            r"(?:io\s+)?(?:non\s+)?(?:sono|vado)\s+(?:\w+\s+)?(?:un fan|una fan|fan|appassionat[oa]|patit[oa]|amante|"
            r"goloso|golosa|pazz[oa] (?:di|per)|matt[oa] per|tipo d[ai]|una persona|mattinier[oa])\b.*|(?:ho|"
            r"provo) (?:un debole|orrore|una passione|paura)\s+(?:per|di|del|dei|degli|delle)\s.{2,}|(?:meglio|"
            r"piuttosto)\s[^,.!?]{2,40}\sche\s.{2,}",
            r"\b(?:piace|piacciono|amo|adoro|preferisco)\s+(?:molto\s+)?(?:quest[oaie]|quell[oae]|l'idea|la tua|il tuo|"
            r"la (?:prima|seconda)|il (?:primo|secondo)|l'opzione|come)\b|\b(?:stavolta|oggi|questa volta|stasera)\b",
        ),
        "person.name": rf"(?:(?:il|la)\s+)?(?:mi[oa]|nostr[oa])\s+(?P<whose>{_KIN})\s+si "
        rf"chiama\s+(?P<value>{_ONE_NAME}).*",
        "person.is_my": (
            rf"(?P<name>{_NAME})\s+(?:è|e'|sono)\s+(?:(?:il|la|i|le)\s+)?(?:mi[oa]|miei|nostr[oa]|nuov[oa]|"
            rf"responsabile|referente|quello che|quella che|chi)\s.{{2,}}|(?P<name2>{_NAME})\s+(?:gestisce|"
            rf"dirige|si occupa|segue|coordina|guida|mantiene|sostituisce)\s.{{3,}}|(?:del|della|dei|delle|"
            rf"di|dell')\s?[^,;.!?\n]{{2,40}}\s(?:si occupa|se ne occupa|è responsabile)\s{_NAME}.*|"
            rf"(?:(?:lui|lei) )?(?:si chiama|si chiamano|l'abbiamo chiamat[oa]|l'ho chiamat[oa])\s+{_NAME}.*",
            r"^(?:Quest[oa]|Quell[oa]|Il|La|Lo|Lui|Lei|Un|Una|Cio|Chi|Che|Esso|Tu|Io)\b|\b(?:preferit|problema|colpa)",
        ),
        "person.my": (
            r"(?:(?:il|la|i|le|l')\s+)?(?:mi[oa]|miei|mie|"
            rf"nostr[oaie])\s+(?P<whose>{_KIN})\b(?:,?\s+{_NAME},?)?\s+(?:[^\W\d_]+\s+)?.{{3,}}",
            r"\b(?:dice|ha detto|dicono|pensa|crede|vuole che|mi ha (?:chiesto|detto|mandato|scritto|"
            r"raccontato)|è (?:in ritardo|qui|malat[oa]|arrabbiat[oa])|aspetta|arriva|dorme|piange|"
            r"ti saluta|insiste|giura|sostiene|assicura|afferma)\b|\b(?:oggi|adesso|stasera|come mai|perche mai)\b",
        ),
        "person.have": r"(?:io\s+|noi\s+)?(?:ho|abbiamo|ho adottato|abbiamo adottato|abbiamo preso|ho preso|aspetto|"
        r"aspettiamo|abbiamo avuto|ho avuto)\s+(?:un|uno|una|un'|due|tre|quattro|cinque|\d+)\s?(?:\w+\s+)?(?:figl(?:i|"
        r"ia|io|ie)|bambin[aoie]|fratell[oi]|sorell[ae]|can[ei]|gatt[aoie]|gattin[aoie]|cucciol[oi]|conigli[o]?|"
        r"pappagallo|galline|caval[lo]+|cavalli|tartarug[ae]|criceti?|nipot[ei]|nipotin[oi]|gemell[ei]|pesci|macchina|"
        r"auto|moto|bici\w*|casa|appartamento|giardino|orto|camper|barca|pianoforte|chitarra|furgone|levrier[oi])\b.*|"
        r"(?:io\s+|noi\s+)?(?:sono|siamo)\s+(?:\w+\s+)?(?:sposat[oaie]|divorziat[oaie]|single|fidanzat[oaie]|vedov[oa]|"
        r"separat[oaie]|celibe|nubile)\b.*|(?:mi sposo|ci sposiamo|ci siamo sposati|mi sono sposat[oa]|"
        r"mi sono separat[oa])\b.*",
        "fact.language": r"(?:io\s+|noi\s+)?(?:anche\s+|non\s+)?(?:parlo|parliamo|sto (?:imparando|studiando)|"
        rf"imparo|studio|conosco|capisco)\s+[^.!?\n]{{0,30}}?{_LANG}\b.*|"
        rf"(?:io )?non so (?!dire|dirti|spiegare|rispondere|fare|scegliere)\w+[aei]re\b.{{0,40}}|"
        rf"la mia (?:lingua madre|madrelingua)\s.{{3,}}|sono (?:bilingue|madrelingua)\b.*",
        "fact.job": (
            rf"(?:io\s+|noi\s+)?{_ADV}(?:lavoro|lavoriamo|studio|studiamo|insegno|dirigo|gestisco|gestiamo|coordino|"
            r"esercito|faccio (?:il|la|l'|un dottorato|un master|uno stage|tirocinio|smart working)|frequento|"
            rf"mi occupo|sto facendo (?:un|uno|il))\s?.{{3,}}|(?:io\s+)?sono\s+{_ADV}(?:(?:un|uno|una|un'|il|"
            rf"la)\s?)?(?:(?:ex|futur[oa]|giovane|libero|libera)[\s-]+)?{_JOB}\b.*|(?:io\s+)?sono (?:in pensione|"
            r"disoccupat[oa]|in maternita|in cassa integrazione|iscritt[oa])\b.*|(?:io\s+)?(?:ho lavorato|ho studiato|"
            r"sono stat[oa] (?:promoss|assunt|licenziat)[oa]|mi sono laureat[oa]|mi hanno (?:promoss[oa]|assunt[oa]|"
            r"licenziat[oa])|ho aperto (?:una partita iva|un'attivita|un negozio)|ho trovato lavoro|"
            r"ho \d+ anni di esperienza)\b.*",
            r"\b(?:lavoro|lavorando)\s+(?:su|a) quest[oa]\b|\b(?:oggi|stasera|d'accordo|il punto|fatica|finta|fila)\b",
        ),
        "state.deadline": (
            rf"{_THING}\s+non\s+(?:è|e'|sara)\s+(?:il\s+|la\s+|di\s+)?{_DATE},?\s+(?:ma|è|bensi)\s+(?:il\s+|la\s+|"
            rf"di\s+)?(?P<value2>{_DATE}).*|{_THING.replace('thing', 'thing2')}\s+(?<!non )(?:è|e'|sara|cade|inizia|"
            r"comincia|finisce|termina|scade|si terra|si tiene|(?:è|e') (?:stat[oa] )?(?:previst|fissat|rimandat|"
            r"spostat|anticipat|programmat|rinviat|confermat)[oa]|slitta|passa|esce|parte|si sposta|"
            r"arriva)\s+(?:ora\s+|adesso\s+)?(?:al\s+|alle\s+|a\s+|per\s+|il\s+|l'|la\s+|in\s+|entro\s+(?:il\s+)?|"
            rf"fino al\s+|ogni\s+|di\s+|tutti i\s+)*(?P<value>{_DATE}).*",
            r"\b(?:film|negozio|museo|partita di oggi)\b",
        ),
        "state.change": (
            rf"{_THING}\s+(?:non è (?:di\s+)?{_NUM}{_UNIT},? ma\s+(?:di\s+)?|(?:è|e'|sono|costa|pesa|dura|misura|"
            r"ammonta|conta|(?:è|e'|sono) (?:salit|sces|aumentat|passat|calat|arrivat)[oaie]|ha raggiunto|ha|supera|"
            rf"gira|impiega|guadagna)\s+)(?:ora\s+|adesso\s+|attualmente\s+)?(?:da\s+{_NUM}{_UNIT}\s+(?=a\s))?(?:a\s+|"
            rf"di\s+|al\s+|fino a\s+)?(?:circa\s+|quasi\s+|oltre\s+|piu di\s+)?(?P<value>{_NUM}{_UNIT})(?:\s|[,.;!]|"
            r"$).*",
            r"\b(?:inflazione|segnala|fiume|monte|montagna|pianeta|popolazione|volo|biglietto|gradi|metri|ritardo|sole|"
            r"luna|terra|torre|lungo \d)\b",
        ),
        "state.count": (
            r"(?:io\s+|noi\s+)?(?:ormai\s+)?(?:abbiamo|ho|siamo|guadagno|guadagniamo|pago|paghiamo|peso|porto (?:il|la|"
            rf"un)|vendiamo|serviamo)\s+(?:ora\s+|gia\s+|circa\s+|quasi\s+|oltre\s+|piu di\s+|in\s+)*(?:{_NUM}|due|tre|"
            r"quattro|cinque|sei|sette|otto|nove|dieci|dodici|quindici|venti|trenta)\s*\w*.*",
            r"\b(?:minut[oi]|domand[ae]|problem[ai]|dubbi|or[ae] (?:per|di tempo))\b",
        ),
        "fact.uses": (
            rf"(?:io\s+|noi\s+)?{_ADV}(?:uso|usiamo|utilizzo|utilizziamo|gioco|giochiamo|corro|nuoto|cucino|colleziono|"
            r"guido|programmo|sviluppiamo|pubblico|pubblichiamo|pratico|faccio (?:yoga|pilates|nuoto|palestra|parte|"
            r"sport|volontariato|teatro|arrampicata)|canto|mi alleno|mi alzo|mi sveglio|vado a (?:letto|dormire|"
            r"correre)|suono|prendo (?:il|la|l'|un|una|le|i|sempre)|imparo|sto (?:scrivendo|imparando|costruendo|"
            r"ristrutturando|sviluppando)|coltivo|coltiviamo|allevo|alleviamo|organizzo|vendo|ospitiamo|di solito|"
            r"teniamo|tengo|ci troviamo|ci vediamo)\b\s?.{3,}",
            r"\b(?:in questo momento|buonanotte|oggi|stasera|un tema|una lettera|un'email|una mail|questo errore|"
            r"una presentazione|una relazione)\b",
        ),
        "fact.mine": (
            r"(?P<thing>(?:(?:il|la|i|le|l')\s?)(?:mi[oa]|miei|mie|nostr[oaie])\s+(?!problema|domanda|dubbio|codice\b|"
            r"idea|opinione|errore|testo|computer|dio|risposta|script|pc\b)[^,;.!?\n]{2,40}?)\s+(?:è|e'|sono|ha|hanno|"
            r"usa|usano|gira|girano|si chiama|si chiamano|si trova|costa|chiude|apre|inizia|comincia|dura|funziona|va|"
            r"finisce|appartiene|viene|arriva|utilizza|sta|scade)\s+(?!rott[oa]|lent[oa]|bloccat[oa]|vuot[oa]|"
            r"pront[oa]|qui\b|bene\b|in panne|fermo|guast[oa]|impazzit).{2,}",
            r"\b(?:non funziona|non si accende|non compila|scaric[oa]|batteria|ritardo|errore|bug|si è bloccat\w*|"
            r"ha detto|dice|ha scritto|ha chiesto)\b",
        ),
        "fact.location": (
            rf"{_THING}\s+(?:è|e'|sono|si trova|sta|stanno)\s+(?P<value>(?:in|nel|nella|nell'|dentro|sotto|"
            rf"dietro|sopra|accanto|dal|dalla|da|sul|sulla)\s?[^,;!?\n]{{3,60}}).*",
            r"\b(?:ristorante|hotel|cinema|film|in corso|in orario|in ritardo|sul treno|in arrivo)\b",
        ),
        "fact.event": (
            r"(?:io\s+|noi\s+)?(?:ho|abbiamo)\s+(?:un|uno|una|un'|il|la|l'|gli)\s?[^,;.!?\n]{2,40}\s(?:il|in|a|ad|alle|"
            rf"per|di|la)?\s?{_DATE}.*|(?:io\s+|noi\s+|ieri\s+|finalmente\s+|quest'anno\s+|l'anno scorso\s+)*(?:ho|"
            r"abbiamo|ha)\s+(?:appena\s+|finalmente\s+)?(?:superato|ottenuto|vinto|comprato|acquistato|pubblicato|"
            r"lanciato|aperto|firmato|finito|terminato|venduto|assunto|perso|iniziato|cominciato|ricevuto|preso|"
            r"discusso|inaugurato)\s+(?:un|uno|una|un'|il|la|lo|l'|i|le|gli|mio|mia|due|tre)\s?.{3,}|(?:io\s+|"
            r"noi\s+)?(?:parto|partiamo|inizio|cominciamo|iniziamo|vado|andiamo|mi opero|mi operano|"
            rf"mi sposo)\s[^.!?]{{0,50}}(?:il|in|a|ad|da|dal|per)\s?(?:{_DATE}|{_MONTH}).*",
            r"\b(?:questo testo|un problema|una domanda|un dubbio|un bug|un errore|tuo|tua|oggi|il treno|l'autobus)\b",
        ),
        "correction.not": r"(?:non è|non sono|non era)\s+[^,;.!?\n]{1,40},?\s+(?:è|sono|ma|bensi)\s.{2,}|(?:è|"
        r"sono)\s+[^,;.!?\n]{1,40},\s+non\s.{2,}",
    },
    determiners="il lo la l' i gli le mio mia miei mie nostro nostra nostri nostre un uno una",
)

_NO_VERB = any_of(r"""
    quando, quanto, certo, bravo, molto, tutto, ecco, dopo, sotto, sopra, solo, poco, primo, secondo, terzo, buono,
    bello, ciao, quello, questo, anno, meno, troppo, tanto, altro, quattro, otto, cento, uno, dentro, contro, verso,
    subito, presto, spesso, intanto, appunto, eventualmente, ottimo, tranquillo, nessuno, qualcuno, ognuno, perlomeno,
    almeno, adesso, credo, penso, spero, immagino, ringrazio, scherzo, aspetto, provo, cerco, chiedo, dico, intendo,
    suppongo, torno, arrivo, riprovo, capisco, ricordo, devo, posso, vorrei, voglio, vedo, sento, dubito, rispetto
""")
_I_DO = (
    r"(?:ho|abbiamo|sono|siamo|avevo|avevamo|ero|eravamo|vado|do|so|faccio|sto|stiamo|"
    rf"(?!{_NO_VERB}\b)[a-z]{{2,20}}o|[a-z]{{2,20}}(?:iamo|avamo|evamo|ivamo))\b"
)
"""A verb in the first person. Where a statement opens with a word in -o, it is a verb more often than not."""
_TELLING = opening(
    r"(?:(?:comunque|allora|quindi|poi|e|ma|pero|purtroppo|intanto|insomma|beh|ah|anche|pure|invece|infatti|ormai|"
    r"adesso|ora|in realta|a proposito|tra l'altro|domattina|domani|ieri)[,:]?\s+){0,3}(?:(?:da|dal|dallo|dalla|in|a|"
    r"al|alla|per|con|dopo|prima|quest'anno|l'anno|nel|nella|ogni|tutti|tutte|il|la|di|durante|"
    r"quando)\s[^.;:!?]{2,40}?,?\s)?(?:(?:io|noi|non|mi|ci|lo|la|li|le|ne|me|ce|anche|sempre|gia|ancora|solo|"
    rf"spesso)\s+){{0,4}}(?:{_I_DO}|(?:(?:il|la|i|le|un|una|l)\s)?(?:mi[oa]|miei|mie|nostr[oaie])\s|(?:a|per) (?:me|"
    r"noi)\s|(?:da|qui da) (?:me|noi)\b|(?:mi|ci)\s\w|[a-z]+\sa\s[a-z]+r(?:mi|ci)\b|(?:in|a) casa\b|(?:(?:il|la|i|"
    rf"le)\s)?{_KIN}\b)"
)

_SIGNS = {
    "telling": _TELLING + r"|^(?=(?:\S+\s+){3}).{2,60}?\s(?:l')?(?:ho|abbiamo|[a-z]{2,20}iamo|a me|da noi)\b",
    "definite": opening(
        r"(?:(?:il|lo|la|i|gli|le)\s|l'|(?:dal|dalla|nel|nella|al|alla|in|per|a|da|ogni|"
        r"con)\s[^.;:!?]{2,40}\s(?:il|lo|la|i|gli|le|si)\s)"
    ),
    "mine": rf"^(?:(?:non|mi|ci|lo|la|li|le|ne|me|ce)\s+){{0,3}}{_I_DO}|"
    + word_of(r"""
        io, mi[oa], miei, mie, mi, me, noi, nostr[oaie], ci, ho, abbiamo, sono, siamo, sto, stiamo, abito,
        vivo, lavoro, uso, usiamo, faccio, facciamo, vado, andiamo, preferisco, pago, dormo, [a-z]{2,20}iamo,
        da me, da noi, a casa, in casa
    """),
    "kin": rf"^(?:il piccolo|la piccola|il (?:piu )?grande|la (?:piu )?grande)\b|\b(?:mi[oa]|miei|mie|nostr[oaie]|"
    rf"il|la|i|le|una?|due|tre)\s{_KIN}\b",
    "health": rf"\b(?:{_ILL}|allergie|farmaco|medicina|operazione|intervento|operat[oa]|diagnos\w+|"
    r"ricetta medica|mg|gruppo sanguigno|halal|kosher)\b",
    "work": rf"\b(?:{_JOB}|lavoro|ufficio|azienda|ditta|stipendio|contratto|stage|universita|scuola|liceo|"
    r"colleghi|squadra|team|turno|turni|orario|corso|laurea|master|dottorato|tesi|promozione|"
    r"negozio|officina|studio|bottega|smart working|partita iva|concorso)\b",
    "affair": word_of(
        r"""
        affitto, mutuo, scadenza, budget, prezzo, abbonamento, appuntamento, visita, riunione, prove, prova,
        matrimonio, esame, concorso, colloquio, trasloco, lavori, contratto, assicurazione, compleanno, anniversario,
        indirizzo, telefono, mail, taglia, numero, peso, macchina, auto, moto, bici\w*, portatile, computer, casa,
        appartamento, chiave, chiavi, garage, cantina, wifi, iscritti, clienti, soci, alunni, vendite, ordini,
        magazzino, partita, coro, club, associazione, parrocchia, viaggio, passaporto, visto, vacanze, ferie, fuso,
        obiettivo, lancio, consegna, caldaia, stampante, capitolo, romanzo, pianoforte, chitarra, palestra, conto,
        giardino, orto, terrazzo, asilo, mensa, gruppo, orchestra, blog, canale, podcast, maratona, nuoto, yoga,
        escursioni, fotografia, scacchi, forno, schermo, dominio, bolletta, gomme, vaccino, acquario, arnie, vigna,
        ettari, pannelli solari, risparmi, prestito, quartiere, paese, cucina, bagno, frigo\w*, lavatrice, tetto,
        cortile, cancello, stanza, camera, garanzia, condominio, lettura, calcetto, calcio, danza, piscina, pensione,
        bonus, vigneto, camper, barca, roulotte, libro, libri, cellulare, telefonino, televisione, tv, divano,
        bambini, ragazzi, nido, soprannome, pronomi, festa, discussione, patente, armadietto, badge, parcheggio
        """,
    ),
    "project": word_of(
        r"""
        progetto, backend, frontend, database, server, api, repo, repository, branch, deploy, rilascio,
        produzione, staging, versione, framework, app, applicazione, sito, sistema (?!solare), referente,
        microservizi, cluster, fornitore, cliente, reparto, cloud, pipeline, test, script, sprint, release,
        migrazione, log, ticket, build, cache, query, modulo, licenza, dashboard, documentazione, endpoint, coda,
        fattura\w*, backup, container, pacchetto, libreria, linguaggio, schermata, dati, utenti
        """,
    ),
    "label": r"^(?!errore|nota|traduz|domanda|esempio|testo|titolo|opzione|oggetto|ciao|grazie|ok\b|"
    r"attenzione)[^\s,.;:!?]{2,18}(?:\s[^\s,.;:!?]{1,14}){0,3}:\s\S",
    "aside": word_of(r"""
        a proposito, tra l'altro, per la cronaca, per tua informazione, sappi che, ti ricordo che, ti informo,
        ti aggiorno, tieni presente, per contesto, contesto, aggiornamento, avviso, ti avviso, giusto per, tanto per
        sapere, per inciso, nota, dimenticavo
    """),
    "lasting": word_of(r"""
        sempre, mai, da (?:\w+ )?anni, dal, da quando, anni, ogni, tutti i, tutte le, il lunedi, il martedi,
        il mercoledi, il giovedi, il venerdi, il sabato, la domenica, normalmente, di solito, la mattina, la
        sera, volte (?:a|al|alla), a settimana, regolarmente, tempo libero, ore libere, fine settimana, al mese
    """),
    "stative": r"^(?:[^,.;:!?]{0,40}[\s'])?(?:è|e'|sono|ha|hanno|ho|abbiamo|siamo|abito|abita|vivo|vive|lavoro|lavora|"
    r"uso|usiamo|usa|gira|girano|si chiama|parla|parlo|suono|suona|gioca|canta|misura|pesa|costa|dura|apre|chiude|"
    r"inizia|comincia|finisce|scade|guido|guadagno|pago|dormo|corro|nuoto|appartiene|si trova|sta|fa|faccio|facciamo|"
    r"tengo|teniamo|studia|studio|mangia|mangio|bevo|prendo|so|frequenta|va|vanno|viene|vengono|vuole|vogliono|"
    r"si \w{2,20}|deve|devono|resta|restano|parte|partono|regge|reggono|riceve|vende|occupa|consuma|conta|supera|"
    r"raggiunge|manca|mancano|arriva|esce|passa|passano|serve|servono|tiene|segue|cura|gestisce|stanno|dorme|porta|"
    r"prende|torna|compie|cambia|slitta|entra|tocca|contiene|supporta|legge|scrive|cresce|sara|saranno|era|erano|aveva|"
    r"mi \w{2,20}|non \w{2,20})\b",
    "event": word_of(r"""
        mi sono trasferit[oa], ci siamo trasferiti, ci siamo sposati, abbiamo comprato, ho comprato, abbiamo venduto,
        ho venduto, ho iniziato, abbiamo iniziato, ho finito, abbiamo aperto, ho aperto, è mort[oa], è nat[oa],
        abbiamo lanciato, abbiamo assunto, abbiamo firmato, abbiamo adottato, quest'anno, l'anno prossimo,
        l'anno scorso, a gennaio, a febbraio, a marzo, ad aprile, a maggio, a giugno, a luglio, ad agosto,
        a settembre, a ottobre, a novembre, a dicembre
    """),
    "milestone": word_of(r"""
        mi sono (?:rott|slogat|fratturat|fatt[ao] male|ferit|operat|spos|laure|iscritt|trasferit|separ|divorzi|licenzi|
        stort|lussat)\w*, ci siamo (?:spos|fidanzat|trasferit|lasciat|separat|iscritt)\w*, mi hanno (?:oper|assunt|
        promoss|licenzi|diagnostic|rubat|tolto|pres[oa]|bocciat|trapiant)\w*,
        (?:ho|abbiamo|hanno) (?:adottato|preso (?:un|una) (?:can|gatt|cagn|micin|cucciol)\w+),
        è (?:nat|mort|mancat)[oa],
        ho (?:passato|superato|dato) (?:l'esame|il concorso), ho partorito
    """),
    "change": word_of(WORDS.changed.translate(_PLAIN)),
    "due": r"(?:devo|dobbiamo|deve|devono|va|vanno)\b[^.;]{2,60}\b(?:entro|prima d\w+|per)\s(?:il\s|la\s|l')?"
    rf"{_DATE}|"
    rf"\b(?:devo|dobbiamo|deve)\s[^.;]{{2,60}}\bfino (?:al?|alla)\s(?:(?:meta|fine|inizio)\s)?(?:{_DATE}|fine)",
    "role": r"\b(?:quello|quella) che (?:gestisce|dirige|si occupa|segue|decide)\b|(?-i:[A-Z])\w{1,40}\s(?:è|"
    r"e')\s(?:(?:il|la)\s)?(?:mi[oa]|nostr[oa]|responsabile|referente)|\bse ne occupa\b",
    "taste": word_of(r"""
        preferisco, mi piace, mi piacciono, non mi piace, non mi piacciono, adoro, amo, odio, detesto, non sopporto,
        non reggo, preferit[oaie], sono più da, vado matt[oa], un debole, non l[oaie] (?:reggo|sopporto|tollero),
        mando giu, mi fa schifo, mi annoia, mi rilassa, appassionat[oa], piuttosto che, mi trovo meglio,
        non fa per me, non fanno per me, meglio \w+ che, mi da fastidio, mi danno fastidio, non tollero,
        mi innervosi\w+, tifo, fan d\w+, va giu, mi va bene solo, mattinier[oa],
        tra [^.]{2,40} (?:mi tengo|scelgo|tengo), mi stufa, mi entusiasma, mi diverto, vado pazz[oa], non fan d\w+,
        ghiott[oa], golos[oa]
    """),
    "decision": word_of(r"""
        abbiamo deciso, ho deciso, è deciso, abbiamo scelto, ho scelto, abbiamo optato, abbiamo stabilito, ci
        siamo messi d'accordo, alla fine andiamo, alla fine abbiamo, restiamo con, passiamo a, rinunciamo,
        abbiamo scartato, abbiamo votato, mettiamo da parte, puntiamo su\w*, accantoniamo, ci concentriamo su\w*,
        teniamo il, teniamo la, niente piu
    """),
    "norm": word_of(r"""
        d'ora in poi, d'ora in avanti, da oggi in poi, in futuro, sempre in, sempre con, non
        (?:mandarmi|propormi|scrivermi|chiamarmi|darmi|consigliarmi|parlarmi|chiedermi), non usare, non
        mettere, di norma, senza eccezioni, vietato, obbligatorio, evita, niente (?:\w+ ){1,3}n(?:el|ei|elle|egli),
        dammi del tu, ogni volta che ti
    """),
    "steps": r"\bprima\b.{3,120}\b(?:poi|dopo|quindi)\b",
    "corrects": r"\b(?:mi sono sbagliat[oa]|correzione|correggo|rettifico|volevo dire|intendevo|"
    r"errore mio|ho (?:detto male|sbagliato|confuso))\b|\b(?:è|sono|era)\s[^.;]{1,40}(?:,\snon|\se non|\sanziche)\s",
    "number": r"\d|"
    + word_of(
        "due, tre, quattro, cinque, sei, sette, otto, nove, dieci, dodici, quindici, venti, trenta, cento, mille"
    ),
    "date": rf"\b{_DATE}",
    "name": r"(?-i:(?<=[a-z,:)] )[A-Z]\w+)",
    "short": r"^[^\s:]+(?:\s[^\s:]+)?$",
    "asks": r"\?|^(?:che|cosa|qual|quale|come(?! \w+ (?:abbiamo|usiamo|uso|ho)\b)|quando|dove|chi|perche|quanto)\b",
    "request": rf"^(?!tocca a |chiamami)(?:\w{{3,}}(?:ami|imi|emi|ilo|alo|ila|ala|aci|ici)|{_PLEASE}{_DO}{_DOME}|"
    r"aiutami|dimmi|fammi|raccontami|immagina|inventa|cerca\w*|trova\w*|calcola|genera|crea|confronta|elenca|continua|"
    r"rifai|aspetta|guarda|prepara|correggi|accorcia|leggi|cambia(?! \w+ il)|sposta)\b|\b(?:voglio|vorrei|"
    r"cerco(?! sempre)|mi serve|ho bisogno|puoi|potresti|(?<!non )puo|mi aiuti|devo|mi dai|sto per|mi servono)\b",
    "unreal": word_of(r"""
        se (?:io|avessi|fossi|potessi|vincessi|\w+ss[ie]), forse, magari, immagina\w*, supponiamo,
        mettiamo(?! da parte), sarebbe, avrei, comprerei, farei, andrei, \w+erei, \w+irei, credo che, mi sembra,
        suppongo, scherzo, personaggio, ho sognato, pare che, un giorno, spero, credo, penso, immagino, mi chiedo,
        mi domando, vediamo, non vedo l'ora, chissa, direi
    """),
    "hearsay": word_of(r"""
        dice che, dicono, ha detto(?! basta), si vant\w+ di,
        ^(?:uno|una|un tizio|qualcuno|un tale) (?:al|del\w*|che|in)\b[^.]*,
        secondo (?:me|te|lui|lei|il|la|i|gli|alcuni|molti), ho letto, ho sentito,
        afferma, sul giornale, notizie?, articolo, un
        amico, un'amica, cosi dice, un mio \w+, una mia \w+, mi hanno detto, mi ha raccontato, a quanto pare, si dice,
        (?:segnala|indica|mostra|rivela|sostiene|giura|assicura|insiste|spiega|racconta|diceva) che
    """),
    "passing": word_of(r"""
        oggi, stasera, stamattina, stanotte, oggi pomeriggio, tra poco, fra poco, in treno, in autobus, in metro,
        in coda, in fila, in riunione, ti scrivo, per strada, arrivo, sto arrivando, stavolta, per ora, un minuto,
        un secondo, ho appena, ieri, è di nuovo (?:in|nel\w*|sul\w*), ritardo, un attimo, st[oa] \w{2,20}ndo,
        stiamo \w{2,20}ndo, stavo, torno, esco, vado a (?:letto|dormire|mangiare|prendere|fare), tra un'ora, subito,
        dopo ti, ci sentiamo, a dopo
    """),
    "mood": word_of(r"""
        (?<!mi )stanc\w+, esaust[oa], fame, sete, freddo, caldo, fretta, content[oa], felic[ei], triste, nervos[oa],
        stressat[oa], arrabbiat[oa], stuf[oa], malat[oa], troppo, mal di testa, occupat[oa], pront[oa],
        mi sono pers[oa], ansia, sonno, voglia, cambiato idea, il meteo, indecis[oa], accidenti, è finit[oa]
    """),
    "trouble": failing(
        r"""
        computer, pc, portatile, telefono, cellulare, stampante, wifi, sito, app, programma, schermo,
        tastiera, macchina, auto, lavatrice, lavastoviglie, caldaia, forno, frigo, router, tv, televisore,
        batteria, connessione, server, codice
        """,
        r"non, si è \w+t[oa], perde, si blocca, si spegne, si riavvia, continua a, lampeggia, fa uno strano",
    )
    + "|"
    + word_of(r"""
        errore, bug, batteria scarica, scaric[oa], si è bloccat[oa], bloccat[oa], non funziona, si è rott[oa],
        guast[oa], non parte, non si apre, ho provato, sto provando, ho un dubbio, non ho capito, non compila,
        non va (?!giu|mai|a), non so(?! \w+[aei]re\b), non capisco, non ricordo, ho dimenticato, non trovo,
        non riesco (?!a (?:dormire|mangiare|vivere|lavorare|stare) )\w+ \w+, problema, domanda, dubbio
    """),
    "at hand": word_of(r"""
        questo (?!mese|progetto|semestre)\w+, questa (?!settimana|azienda)\w+, questo, quello, ciò, il testo,
        la frase, il paragrafo, ti, te, vi, hai, questi, queste, l'opzione, la prima opzione,
        (?:prim|second|terz)[oa](?=\W*$), il titolo, tuo, tua, tuoi, tue, qui sotto, allegato
    """),
    "reaction": r"\bmi hai salvat[oa]\b|\bmi salvi\b|\bgrazie mille\b|^prima (?:era|erano) [\d.,]+\b|"
    r"\bnon mi convinc\w+|\bnon (?:intendevo|volevo dire|era) (?:questo|quello|cosi)\b|"
    r"\bne abbiamo parlato\b|^(?:ok|va bene|grazie|ottimo|perfetto|haha\w*|ahah\w*|si(?=[,.!]|$)|no|bello|bellissimo|"
    r"wow|bravo|ciao|buongiorno|buonasera|buonanotte|certo|esatto|capito|fantastico|che (?:bello|peccato)|prego|"
    r"tranquill[oa]|adoro(?=[,.!]|$)|d'accordo)\b(?!,?\s+(?:a proposito|io|il mio|la mia|mi|abito|ho|sono|noi)\b)|"
    r"\bgrazie\W*$",
    "world": word_of(r"""
        l'acqua, la terra, il sole, la luna, capitale d\w+, abitanti, l'italia, il mondo, la gente, la storia,
        in generale, il governo, il ministro, la ministra, pianet[ai], secolo, l'universo, gli animali, le piante,
        è stat[oa] inventat[oa], il fiume, lungo \d+, un fiume, un lago, è (?:il|la) piu \w+ d\w+
    """),
}

_OPENERS = (
    r"(?:io|noi|mi[oa]|miei|mie|il mio|la mia|i miei|le mie|nostr[oa]|il nostro|la nostra|mi|ci|ho|"
    r"abbiamo|abito|vivo|lavoro|preferisco|sono|siamo|sto|uso|usiamo|parlo|odio|adoro|detesto|faccio|pago|"
    r"vado|andiamo|non|mai|sempre|lui|lei|loro|questo|tu|puoi|potresti|che|cosa|qual|quale|come|quando|"
    r"dove|chi|perche|quanto|vorrei|voglio|per favore|grazie)\b"
)
_REQUEST = request_of(
    r"scriv(?:i|imi|ici|ete)|fammi|fai|dimmi|dammi(?! del)|aiutami|prepara(?:mi)?|propon(?:i|imi)|consigliami|"
    r"suggerisci(?:mi)?|corregg(?:i|imi)|riscriv(?:i|ilo|ila|imi)|accorcia\w*|traduci\w*|riassumi\w*|trova(?:mi)?|"
    r"cerca(?:mi)?|spiega(?:mi)?|calcola(?:mi)?|crea(?:mi)?|elenca(?:mi)?|genera(?:mi)?|inventa(?:mi)?|controlla|"
    r"rivedi|rendi(?:lo|la)|svegliami|cambia(?= (?:il|la|lo|i|le|questo|questa)\b)|sistema(?:lo|la)|organizza(?:mi)?|"
    r"pianifica(?:mi)?|disegna(?:mi)?|componi|formula|confronta|mostrami|racconta(?:mi)?|rifa(?:i|llo|lla)|tieni(?:la|"
    r"lo|ne conto)|prenota(?:mi)?|metti(?:mi)?|fissami|ricordami|aggiungi|togli|adatta",
    r"sempre|mai|ogni volta|in futuro|tutte le volte",
)
PACK = Pack(
    lang="it",
    rules=_RULES,
    rule_signs=RULE_SIGNS,
    weigh=weigher(_SIGNS),
    spelling=_PLAIN,
    others=r"(?!.*\b(?:io|me|mi|mi[oae]|miei|noi|ci|nostr[oaie])\b)"
    r"(?:(?:lui|lei|loro|ell[oa])\s(?!si chiama)|(?:non\s)?(?:vive|abita|lavora|studia|preferisce|beve|mangia|si e "
    r"trasferit[oa]|e allergic[oa]|ha\s(?:\d+|due|tre|quattro|una?)\s(?:figli\w*|fratell\w+|sorell\w+|ann[oi]))\b)",
    never=r"^\W*si (?:(?:yo|no|me|te|nos|lo|la) )?\w+(?<![aeo]n)o\b",
    leads=r"(?:(?:allora|beh|bene|ok|va bene|ciao|salve|buongiorno|buonasera|ehi|ah|oh|si(?=\s*[,:.!…])|grazie|"
    r"comunque|a proposito|tra l'altro|in realta|inoltre|anche|e|ma|pero|per la cronaca|sappi che|ti informo che|"
    r"ti aggiorno|ti ricordo che|per tua informazione|contesto|per contesto|aggiornamento|nota|avviso|dimenticavo|"
    r"sinceramente|onestamente|purtroppo|fortunatamente|insomma|quindi|perche|siccome|dato che|visto che|guarda|sai|"
    r"il fatto è che|buone notizie|novita|finalmente|attualmente|ora|adesso|personalmente|per inciso)(?:\s*[,:.!…]+\s*|"
    r"\s+)|[\s,:;–—-]+)",
    fronts=r"(?:(?:da|dal|dopo|prima|durante|in|a|al|alla|per|con|quanto|la mattina|la sera|il (?:lunedi|"
    r"martedi|mercoledi|giovedi|venerdi|sabato)|la domenica|tutti i|ogni|quest'anno|"
    r"l'anno (?:scorso|prossimo)|la settimana prossima|quando ero)\b[^.;:!?\n]{0,60}?,\s+)",
    corrections=r"(?:no|scusa|scusami|scusate|ops|correzione|rettifica|errata corrige|mi correggo|mi sono sbagliat[oa]|"
    r"(?:no )?aspetta|ho (?:detto male|sbagliato|confuso)|volevo dire|cioe|anzi|in realta|errore mio)\s*[,:;.!…]+\s*",
    explicit=r"(?:per favore,?\s+|e\s+)*(?:ricord(?:a|ati|atevi|arti)(?: bene)?(?: che|\s*[:,])|tieni (?:presente|"
    r"a mente)(?: che|\s*[:,])|tenga presente che|non dimenticare?(?: che|\s*[:,])|non scordar(?:e|ti)(?: che|\s*[:,])|"
    r"annota(?:ti)?(?: che|\s*[:,])|segna(?:ti)?(?: che|\s*[:,])|memorizza(?: che|\s*[:,])|prendi nota(?: che|\s*[:,])|"
    r"salva(?: che|\s*[:,])|devi (?:sapere|ricordare) che|voglio che (?:tu )?(?:ti )?ricordi che|da ricordare\s*:)\s*",
    turns=r"\s?[,:]\s+",
    splices=True,
    breaks=rf",\s+(?={_REQUEST})|:\s+(?=(?:io|noi|(?:il |la |i |le )?(?:mi[oa]|miei|mie|nostr[oaie])|ho|abbiamo|sono|"
    r"siamo|in casa)\b)|(?<!\s)(?:\s*;\s+|\s+[–—-]\s+)|,\s+(?:(?:e|ma|pero|quindi|o|percio|adesso|ora)\s+)*(?:perche|"
    rf"visto che|dato che|siccome|anche se|mentre)?\s*(?={_OPENERS})|(?<!\s)\s+(?:e|ma|perche|quindi)\s+(?=(?:io|ho|"
    r"abito|vivo|lavoro|preferisco|sono|mia|mio|la mia|il mio|uso|parlo|vorrei|voglio|non|mi|puoi|faccio|lui|lei|"
    r"abbiamo)\b)",
    asks=rf"{_REQUEST}|(?:il |la |i |le )?(?:mi[oa]|miei|mie|nostr[oaie]) [^,.!?]{{1,30}}(?<!non) (?:puo|possono|deve|"
    r"devono) (?![^,.!?]{0,60}\b(?:solo|mai|entro)\b)|(?:che (?:ore|cosa|tipo|giorno|ne)|cosa|qual|quale|quali|"
    r"come(?! \w+ (?:abbiamo|usiamo|uso|ho)\b)|quando (?:è|sono|ci|arriva)|dove|chi|perche (?!(?:io|sono|ho|lavoro|"
    r"abito))|quanto|quanti|puoi|potresti|puo|sai|conosci|pensi|hai|mi (?:aiuti|dici|spieghi|fai|dai|puoi|sai)|aiutami|"
    r"dimmi|vorrei|voglio|cerco|mi servono?|ho bisogno|c'è|ci sono|posso|devo(?![^,.!?]{0,60}\b(?:entro|prima del?|"
    r"per il)\b)|secondo te|qualche idea)\b",
    supposes=r"(?:ipotizz\w+|(?:non )?appena (?:ho(?= \d)|avro|avremo|trovo|trovero|potro|ottengo)|in caso|supponendo|"
    r"ammettiamo|se (?!(?:ti|io ti|mi) (?:chied|scriv|mand|parl))|e se|immagin\w+|suppon\w+|mettiamo(?! da parte)|"
    r"facciamo finta|ammesso che|nel caso|magari|spero|anche se fossi|qualora|n(?:el|ella) (?:mio|mia|questo|"
    r"questa)? ?(?:romanzo|sogno|storia|racconto|gioco|film)|un giorno)\b",
    unreal=r"\b(?:mi trasferisco|ci trasferiamo|compro|compriamo|vendo|vendiamo|lascio|mi sposo)\b[^.!?]{1,60}\s"
    r"(?:se|nel caso|appena)\s",
    denies=r"\b(?:non|mai|invece di|anzich[eé])\s(?:(?!ma\b)\w+\s){0,3}$",
    contrasts=r"\b(non\s(?P<verb>(?:(?:mi|si|ci)\s)?\w+)\s[^,;.!?]{1,40}?[,;]\s(?:ma\s)?(?:io\s)?)(?=(?P=verb)\s)"
    r"|\b(non\s)(?:(?:mi|si|ci)\s)?(?!solo\b|soltanto\b)\w+\s((?:[^,;.!?]|[.,]\d){1,40}?,?\s(?:ma|bensi)\s)"
    + phrase_of(
        r"a|ad|in|al|alla|alle|nel|nella|da|di|del|vicino|per|\d\S*|\w+edi|sabato|domenica|(?-i:[A-Z])[\w'-]+",
        r"il|lo|la|i|gli|le|un|una|uno",
    )
    + r"|(,\s(?:e\s)?non\s(?:(?:a|ad|in|nel|nella|alle)\s|(?-i:[A-Z0-9]))[^,;.!?]{1,40})",
    pretends=r"\b(?:c'era una volta|gioco di ruolo|fai finta|facciamo finta|scriv(?:i|"
    r"imi)\b[^.:!?\n]{0,60}?\b(?:storia|racconto|romanzo|giallo|poesia|dialogo|scena|lettera da|prima persona)|"
    r"(?:^|(?<=[.:!?]\s))(?-i:[A-Z])\w+ (?:ha|aveva|compra) (?:\d+|\w+) \w+ e (?:ne )?(?:d[aà]|regala|mangia|vende|"
    r"perde)\b|"
    r"nel mio romanzo|immaginari[oa]|immagina (?:che|di|un)|sei un (?:pirata|agente|personaggio))\b",
    joins=frozenset({"e", "o"}),
    tails=r"(?:perche|visto che|dato che|siccome|anche se|mentre|e lui|e lei|ma|pero|quindi)?",
    presumes=r"(?:visto che|dato che|siccome|considerato che)",
    reports=r"(?:ha detto|dice|diceva|ha scritto|scrive|ha chiesto|secondo [^,;.]{2,40})\s*[:,]?\s*$",
    hedges=r"\b(?:forse|probabilmente|magari|non so se|non sono sicur[oa]|sto pensando|pensavo di|credo che|mi sembra|"
    r"pare che|a quanto pare|dicono che|scherzo|per scherzo|chissa|\w{2,}(?:[eiar]rei|rrei|drei|rebbe|remmo|rebbero)|"
    r"un mio amico|una mia amica|si vedra|indecis[oa])\b",
    seeks=r"\b(?:cerca\w*|trova\w*|consigli\w+|suggeri\w+|raccomanda\w*|proponi\w*) (?:\w+ ){0,3}(?:film|"
    r"serie|libr[oi]|ristorant[ei]|musica|canzon[ei]|gioc(?:o|hi)|concert[oi])\b",
    platitudes=r"\b(?:la vita|la felicit[aà]|a volte|l'importante)\b",
    spellings=r"\b(?:gli|degli|è|dell'|nell'|all'|un')|[ìò]|(?:tt|zz|cc|gg|ff|pp|bb|dd)[oai]\b|cch|ggi|ccio|tà\b|"
    r"\w{3}(?:rei|armi|ermi|irmi)\b|\b(?:(?:se|ce) ne|signor\w?)\b|\w{3}(?:ssa|gina|teva|tevo|lcosa|rtù)\b|"
    r"\w{2}(?:iamo|zione|anno|ammo|ato|uto|enti|ioni|iene|orno|avo|evo)\b|\b(?:della|nella|alla|sono|giù|più|"
    r"il \w{2,20}[oe]|ho|di)\b",
    cues=frozenset(
        """
        il lo la l i gli le un uno una di del della dello dei degli delle a al alla ai alle da dal dalla in nel nella
        con su sul per tra fra e ed o ma è sono sei siamo ho hai ha abbiamo hanno non più mai che chi cosa come quando
        dove perché perche quale qual quanto io tu lui lei noi voi loro mio mia miei mie tuo tua suo sua nostro nostra
        mi ti ci vi si questo questa quello quella anche sempre molto troppo già gia ancora solo però quindi se grazie
        ciao sì abito vivo lavoro preferisco piace odio parlo chiamo anni anno leggo scrivo mangiamo compriamo vendo
        trasferita trasferito cani gatti due tre quattro figli lavora abita vive fratelli settimana mese giorno chiama
        chiamano girano minuti gatto cane detesto adoro canzone torno ceniamo casa chiamami lunedì martedì mercoledì
        giovedì venerdì gennaio febbraio giugno luglio settembre ottobre dicembre prossimo prossima esce insegno gioco
        corro compro bevo figlia figlio sorella fratello ufficio scuola versione prendo suono guido abbiamo compio
        tengo mangio bevo vado sveglio dicono mattina sera si dice oggi domani ieri puoi vorrei voglio faccio fa sto
        stai uso alle allergico allergica vengo potrei dovrei potresti dovresti scadenza riunione affitto ne ora
        signor signora apre prima dopo so sai nuotare ricordati ricorda rispondi nel dell all sull quest un' e' po
        tutti tutte ogni essere fare niente nessun nessuna dammi fammi mostrami
        """.split()
    ),
)

"""How German limits what is said: to a stretch of time, or to a project."""

from __future__ import annotations

from cortex.languages.limits import LimitWords

_MOVED = (
    r"(?:gegangen|gekommen|gefahren|geflogen|gestorben|verstorben|geboren|geworden|gewesen|passiert|gefallen|geblieben"
    r"|gelaufen|gereist|umgestiegen|\w{2,10}(?:gezogen|gekommen|gegangen|gefahren|geflogen|gestiegen|gewacht|getreten"
    r"|gebrochen))"
)
_NUMBERS = {
    "ein": 1, "eine": 1, "einen": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "zehn": 10, "paar": 5,
    "wenigen": 5, "beiden": 2,
}  # fmt: skip

LIMITS = LimitWords(
    day=r"\b(?:heute|heut)\b",
    week=r"\b(?:diese(?:r)? (?:ganze )?woche|dieses wochenende|am wochenende|die nächsten tage|morgen)\b",
    month=r"\b(?:diese[nms] monat|nächste woche)\b",
    now=r"\b(?:gerade eben|im moment|momentan|vorerst|derzeit|zurzeit)\b",
    until=(r"\bbis(?:\s(?:zum|zur|einschließlich|nächste[nm]?|kommende[nm]?|diese[nm]?)){0,2}\s{}",),
    within=r"\b(?:für|in|während) (?:die|den|der)\s(?:nächsten|kommenden)\s{}",
    days={"morgen": 1, "heute abend": 0, "morgen abend": 1, "übermorgen": 2},
    weekdays=("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag, sonnabend", "sonntag"),
    months=(
        "januar, jänner", "februar", "märz", "april", "mai", "juni", "juli", "august", "september", "oktober",
        "november", "dezember",
    ),
    of=r"\.?\s",
    spans={
        "week": r"(?:ende der woche|wochenende)",
        "month": r"(?:ende des monats|monatsende)",
        "year": r"(?:ende des jahres|jahresende)",
    },
    numbers=_NUMBERS,
    units={"tag": 1, "tage": 1, "tagen": 1, "woche": 7, "wochen": 7, "monat": 31, "monate": 31, "monaten": 31},
    before=(
        r"(?:(?:bitte|aber|und|also|ok|okay|hallo)[,\s]+){0,3}(?P<only>(?:(?:nur|bloß) )?für (?:den |die )?"
        r"|(?:nur|bloß) )?"
    ),
    after=r"(?P<alone> nur)?\s*[,:;–—-]?\s",
    lasting="ab jetzt ",
    orders=(
        r"^(?!.*\b(?:ich|wir|er|es|man)\b)(?=.*\b(?:bitte|keine?n?|nur|nicht|nie|niemals|immer)\b)"
        r"|^(?:antworte|schreibe?|sprich|rede|nutze?|verwende|benutze?|buche?|plane?|halte?|nimm)\b(?!.{0,12}\bich\b)"
    ),
    scope=(
        r"(?:bitte )?(?:für|in|im|bei|beim|während)(?: (?:das|dem|des|unser(?:em|e|es)?|mein(?:em|e|es)?|dieses"
        r"|diesem))? (?:projekt|repo|repository|team|kunden) (?P<about>[\w&-]{2,40})[,:]?\s"
        r"|(?:bitte )?(?:für|in|im|bei|beim|während)(?: (?:das|dem|des|unser(?:em|e|es)?|mein(?:em|e|es)?|dieses"
        r"|diesem))? (?:(?P<about2>[\w&]{2,40})[- ])?(?:projekte?s?|repos?|repository|teams?|codebasis)\b[,:]?\s"
    ),
    stays=(
        r"\b(?:ab (?:heute|morgen|dieser|diesem|sofort|jetzt|nächste[rmn]?)|von heute an|seit|jede[nrsm]?|immer|täglich"
        r"|nicht mehr|dauerhaft|für immer|in (?:einer|zwei|drei|vier|fünf|sechs|\d{1,3}) (?:wochen?|monaten?|jahren?)"
        r"|nächste[nmrs]? (?:monat|jahr|frühling|sommer|herbst|winter)|dieses jahr)\b|\b(?:19|20)\d\d\b"
        r"|\b(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)\b"
        r"|\b\d{1,2}\.\d{1,2}\."
    ),
    happened=(
        r"\b(?:habe?|hast|hat|haben|habt)\b[^.;]{0,200}?\b(?:\w{0,12}ge\w{2,20}(?:t|en)|(?:be|ver|er|ent|zer|miss"
        r"|über|unter)\w{2,20}(?:t|en)|\w{2,20}iert)\b(?!e)"
        rf"|\b(?:bin|bist|ist|sind|seid)\b[^.;]{{0,200}}?\b{_MOVED}\b"
        r"|\b(?:wurde|wurden|war|waren|hatte|hatten|ging|kam|bekam|verlor|fand|kaufte|musste|konnte|wollte|machte|starb"
        r"|traf|schrieb|zog|begann|fing|fuhr|flog|gab|sah|blieb|brach)\b"
    ),
    life_events=(
        r"\b(?:gestorben|verstorben|geboren|(?:job|arbeit|stelle|arbeitsplatz) verloren|gekündigt|entlassen|befördert"
        r"|geheiratet|heirate[nt]?|verheiratet|verlobt|scheiden lassen|geschieden|getrennt|schwanger|beerdigung"
        r"|hochzeit"
        r"|diagnose|diagnostiziert|umgezogen|ziehe[nt]? (?:nach|um)|in rente|studium abgeschlossen|herzinfarkt"
        r"|schlaganfall|geburtstag|jahrestag|neue[nr]? (?:job|stelle))\b"
    ),
)  # fmt: skip

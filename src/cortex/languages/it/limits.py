"""How Italian limits what is said: to a stretch of time, or to a project."""

from __future__ import annotations

from cortex.languages.limits import LimitWords

_MOVED = (
    r"(?:andat|venut|arrivat|partit|nat|mort|diventat|tornat|rimast|success|uscit|entrat|cadut|stat|mancat"
    r"|passat)[oaie]"
)
_PARTICIPLE = (
    r"\w{2,20}(?:at|ut|it)[oaie]|fatto|preso|perso|letto|scritto|visto|detto|messo|aperto|chiuso|deciso|speso|vinto"
    r"|rotto"
    r"|chiesto|scelto|smesso|risposto"
)
_NUMBERS = {"un": 1, "una": 1, "due": 2, "tre": 3, "quattro": 4, "cinque": 5, "sei": 6, "dieci": 10}

LIMITS = LimitWords(
    day=r"\b(?:oggi|stasera|stamattina|stamani|stanotte|questo pomeriggio)\b",
    week=r"\b(?:(?:tutta )?questa settimana|questo (?:weekend|fine settimana)|in questi giorni|domani)\b",
    month=r"\b(?:questo mese|la (?:prossima settimana|settimana prossima))\b",
    now=r"\b(?:adesso|per ora|al momento|per il momento|in questo momento)\b",
    until=(r"\bfino\s(?:a|al|alla|all'|ad)\s?(?:questo\s|prossim[oa]\s)?{}",),
    within=r"\b(?:per|nei|nelle|durante)\s(?:i\s|le\s)?prossim[ie]\s{}",
    days={"domani": 1, "stasera": 0, "domani sera": 1, "dopodomani": 2},
    weekdays=(
        "lunedì, lunedi", "martedì, martedi", "mercoledì, mercoledi", "giovedì, giovedi", "venerdì, venerdi", "sabato",
        "domenica",
    ),
    months=(
        "gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre",
        "novembre", "dicembre",
    ),
    of=r"º?\s(?:di\s|del\s)?",
    spans={
        "week": r"(?:fine (?:della )?settimana|fine di questa settimana)",
        "month": r"fine (?:del )?mese",
        "year": r"(?:fine (?:dell')?anno|capodanno)",
    },
    numbers=_NUMBERS,
    units={"giorno": 1, "giorni": 1, "settimana": 7, "settimane": 7, "mese": 31, "mesi": 31},
    before=(
        r"(?:(?:per favore|ma|e|anche|quindi|allora|ciao|ok)[,\s]+){0,3}(?P<only>(?:(?:solo|soltanto|solamente) )?per"
        r" |(?:solo|soltanto|solamente) )?"
    ),
    after=r"(?P<alone> (?:solo|soltanto|e basta))?\s*[,:;–—-]?\s",
    lasting="d'ora in poi ",
    orders=(
        r"^(?:per favore,? )?(?:non (?:mi |ci )?\w+(?:are|ere|ire)(?:mi)?\b|(?:rispondi|rispondimi|parla|parlami|scrivi"
        r"|scrivimi|usa|utilizza|prenota|evita|tieni)\b)"
    ),
    scope=(
        r"(?:per favore,? )?(?:per|nel|nella|durante|sul|dentro) (?:il |lo |la |l'|nostro |mio |questo )?(?:progetto"
        r"|repo"
        r"|repository|team|cliente)(?: (?P<about>(?!usa\b|non\b|sempre\b|mai\b|rispond)[\w&-]{2,40}(?: (?-i:[A-Z])"
        r"[\w&-]{1,40})?))?[,:]?\s"
    ),
    stays=(
        r"\b(?:da oggi|da domani|da questa settimana|da questo mese|a partire da|d'ora in poi|ogni|tutti i|tutte le"
        r"|sempre"
        r"|non \w+ pi[uù]|per sempre|tra (?:un|una|due|tre|quattro|cinque|sei|\d{1,3}) (?:settiman[ae]|mes[ei]|ann[oi])"
        r"|fra (?:un|una|due|tre|\d{1,3}) \w+|il (?:mese|prossimo) (?:prossimo|mese|anno)|l'anno prossimo"
        r"|quest'(?:anno|estate))\b|\b(?:19|20)\d\d\b"
        r"|\b(?:gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre)\b"
    ),
    happened=(
        r"\b(?:ho|hai|ha|abbiamo|avete|hanno)\s(?:(?:già|appena|finalmente|anche|proprio|ancora|sempre)\s){0,2}"
        rf"(?:{_PARTICIPLE})\b|\b(?:sono|sei|è|siamo|siete)\s(?:(?:già|appena|finalmente|anche)\s){{0,2}}{_MOVED}\b"
        rf"|\b(?:mi sono|ti sei|si è|ci siamo|vi siete|si sono)\s(?:(?:già|appena"
        rf"|finalmente)\s){{0,2}}(?:{_PARTICIPLE})\b"
        r"|\b(?:ero|era|erano|eravamo|avevo|aveva)\b"
    ),
    life_events=(
        r"\b(?:mort[oaie]|mancat[oa]|decedut[oa]|nat[oa]|perso il (?:lavoro|posto)|licenziat[oa]|mi hanno licenziat[oa]"
        r"|promoss[oa]|assunt[oa]|sposat[oaie]|mi sposo|ci sposiamo|fidanzat[oaie]|divorziat[oaie]|separat[oaie]"
        r"|incinta"
        r"|aborto|funerale|matrimonio|diagnosticato|diagnosi|trasferit[oaie]|mi trasferisco|in pensione|laureat[oa]"
        r"|mi laureo|infarto|ictus|compleanno|anniversario|nuovo lavoro)\b"
    ),
)  # fmt: skip

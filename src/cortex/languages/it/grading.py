"""By which words Italian shows how much a memory matters."""

GRADING = {
    "rule": r"\b(?:d'ora in (?:poi|avanti)|da oggi in poi|sempre|mai|vietato|obbligatorio|regola|politica)\b|"
    r"^\W*(?:per favore,?\s+)?(?:non \w+are|usa|scrivi|rispondi|evita)\b",
    "preference": r"\b(?:preferisc[eo]|preferit[oaie]|mi piac\w+|adoro|odio|detesto|non sopporto)\b",
    "constraint": r"\b(?:allergi\w+|intolleran\w+|celiac[oa]|diabet\w+|epiless\w+|incinta|vegan[oa]|vegetarian[oa]|"
    r"non (?:posso|mangio|bevo))\b",
    "asked": r"\b(?:ricord(?:a|ati)|tieni (?:presente|a mente)|non dimenticare|annota|segnati?|prendi nota|"
    r"memorizza)\b",
    "decision": r"\b(?:deciso|scelto|optato|stabilito|decisione|concordato)\b",
    "procedure": r"\b(?:i passaggi|procedura|ricetta)\b|\bprima\b.{1,200}\b(?:poi|dopo)\b|"
    r"^\W*per\s+\w+.{0,60}[,:]\s*\S",
    "task": r"\b(?:da fare|devo|dobbiamo|bisogna|scade|scadenza|entro|in sospeso|manca)\b",
    "incident": r"\b(?:incidente|guasto|andat[oa] giù|si è rott[oa]|fallit[oa]|pers[oa]|bloccat[oa]|errore)\b",
    "cause": r"\b(?:perché|a causa di|per colpa|causa|risolto|riparato|sistemato)\b",
    "acknowledgement": r"^\W*(?:(?:ok|va bene|grazie|mille|perfetto|bene|capito|sì|si|no|certo|ciao|buongiorno|prego|"
    r"d'accordo)\b[\s,.!]*)+$",
    "secret": r"\b(?:password|pin|codice (?:di verifica|di sicurezza|segreto))\b.{0,20}\d",
    "progress": r"\b(?:sto (?:ancora|\w+ndo)|in corso|quasi (?:finito|pronto)|per ora|siamo al|a metà)\b",
    "appointment": r"\b(?:appuntamento|riunione|chiamata|volo|treno|pranzo|cena|colloquio|lezione|visita)\b",
    "soon": r"\b(?:oggi|domani|stasera|(?:lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica))\b",
    "at_time": r"\b(?:alle \d{1,2}|\d{1,2}[:.]\d\d|a mezzogiorno)\b",
    "recurring": r"\b(?:ogni|tutti i|tutte le)\b",
    "vague": r"^\W*(?:quello|quella|questo|quest[ai]|è|era|lui|lei|qualcuno|l'altr[oa])\b|\?\s*$|\b(?:forse|non (?:lo "
    r")?so|magari|credo)\b",
    "lasting": r"\b(?:mi[oa]|miei|mie|nostr[oaie]|sono|ho|vivo|abito|lavoro|mi chiamo|si chiama|vive|compleanno)\b",
}
